; ModuleID = 'swathe'
source_filename = "swathe"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@none2 = internal constant [2 x i64] zeroinitializer, align 64

; Function Attrs: nounwind
define i32 @swathe_entry(ptr noalias %0, ptr noalias %1, ptr noalias %2) #0 {
entry:
  %3 = load ptr, ptr %1, align 8
  %4 = getelementptr inbounds i8, ptr %1, i64 48
  %5 = load i64, ptr %4, align 8, !range !0
  %6 = getelementptr inbounds i8, ptr %1, i64 32
  %7 = load ptr, ptr %6, align 8
  %8 = load i64, ptr %3, align 8, !tbaa !1
  %9 = getelementptr inbounds i8, ptr %3, i64 16
  %10 = load ptr, ptr %9, align 8, !tbaa !1
  %.not = icmp slt i64 %8, %5
  %.not71 = icmp eq i64 %5, 0
  br i1 %.not, label %else, label %then, !prof !4

then:                                             ; preds = %entry
  br i1 %.not71, label %endif, label %loop.pre

endif:                                            ; preds = %done22, %next44, %else, %then
  %11 = load i64, ptr %3, align 8, !tbaa !1
  %.not77 = icmp eq i64 %11, 0
  br i1 %.not77, label %fail45, label %ok46, !prof !4

else:                                             ; preds = %entry
  br i1 %.not71, label %endif, label %loop25.preheader

loop25.preheader:                                 ; preds = %else
  %12 = load ptr, ptr %0, align 8, !invariant.load !5
  br label %loop25

loop.pre:                                         ; preds = %then
  %13 = add nsw i64 %5, -1
  %14 = lshr i64 %13, 16
  %15 = load ptr, ptr %0, align 8, !invariant.load !5
  br label %loop

loop:                                             ; preds = %done22, %loop.pre
  %16 = phi i64 [ 0, %loop.pre ], [ %33, %done22 ]
  %17 = phi i64 [ 0, %loop.pre ], [ %34, %done22 ]
  %18 = load volatile i32, ptr %15, align 4
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %ok, label %poll, !prof !6

poll:                                             ; preds = %loop
  %20 = call i32 @sw_interrupted(ptr nonnull %0)
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %ok, label %next48

ok:                                               ; preds = %poll, %loop
  %22 = sub nsw i64 %5, %16
  %23 = call i64 @llvm.smin.i64(i64 %22, i64 65536)
  %24 = add i64 %16, %23
  %25 = icmp slt i64 %16, %24
  br i1 %25, label %loop20, label %done22

loop20:                                           ; preds = %ok, %ok23
  %26 = phi i64 [ %39, %ok23 ], [ %16, %ok ]
  %27 = getelementptr inbounds i64, ptr %7, i64 %26
  %28 = load i64, ptr %27, align 8, !tbaa !7
  %29 = icmp slt i64 %28, 0
  %30 = select i1 %29, i64 %8, i64 0
  %31 = add i64 %28, %30
  %32 = icmp ult i64 %31, %8
  br i1 %32, label %ok23, label %fail, !prof !6

done22:                                           ; preds = %ok23, %ok
  %33 = add nuw nsw i64 %16, 65536
  %34 = add nuw nsw i64 %17, 1
  %exitcond.not = icmp eq i64 %17, %14
  br i1 %exitcond.not, label %endif, label %loop, !llvm.loop !9

fail:                                             ; preds = %loop20
  %.lcssa = phi i64 [ %28, %loop20 ]
  call void @sw_fail(ptr nonnull %0, i32 2, i64 %.lcssa, i64 %8, i64 0, i64 0)
  br label %next48

ok23:                                             ; preds = %loop20
  %35 = getelementptr inbounds i64, ptr %10, i64 %31
  %36 = load ptr, ptr %35, align 8, !tbaa !7
  %37 = getelementptr inbounds i64, ptr %10, i64 %26
  %38 = load ptr, ptr %37, align 8, !tbaa !7
  store ptr %36, ptr %37, align 8
  store ptr %38, ptr %35, align 8
  %39 = add nuw nsw i64 %26, 1
  %40 = icmp slt i64 %39, %24
  br i1 %40, label %loop20, label %done22, !llvm.loop !16

loop25:                                           ; preds = %loop25.preheader, %next44
  %41 = phi i64 [ %59, %next44 ], [ 0, %loop25.preheader ]
  %42 = load volatile i32, ptr %12, align 4
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %ok29, label %poll28, !prof !6

poll28:                                           ; preds = %loop25
  %44 = call i32 @sw_interrupted(ptr nonnull %0)
  %45 = icmp eq i32 %44, 0
  br i1 %45, label %ok29, label %next48

ok29:                                             ; preds = %poll28, %loop25
  %46 = getelementptr inbounds i64, ptr %7, i64 %41
  %47 = load i64, ptr %46, align 8, !tbaa !7
  %48 = icmp slt i64 %47, 0
  %49 = select i1 %48, i64 %8, i64 0
  %50 = add i64 %47, %49
  %51 = icmp ult i64 %50, %8
  br i1 %51, label %ok32, label %fail31, !prof !6

fail31:                                           ; preds = %ok29
  %.lcssa118 = phi i64 [ %47, %ok29 ]
  call void @sw_fail(ptr nonnull %0, i32 2, i64 %.lcssa118, i64 %8, i64 0, i64 0)
  br label %next48

ok32:                                             ; preds = %ok29
  %52 = getelementptr inbounds i64, ptr %10, i64 %50
  %53 = load ptr, ptr %52, align 8, !tbaa !7
  %54 = icmp ult i64 %41, %8
  br i1 %54, label %ok34, label %fail33, !prof !6

fail33:                                           ; preds = %ok32
  %.lcssa116 = phi i64 [ %41, %ok32 ]
  call void @sw_fail(ptr nonnull %0, i32 4, i64 %.lcssa116, i64 %8, i64 0, i64 0)
  br label %next48

ok34:                                             ; preds = %ok32
  %55 = getelementptr inbounds i64, ptr %10, i64 %41
  %56 = load ptr, ptr %55, align 8
  %.not72 = icmp eq ptr %56, null
  br i1 %.not72, label %next38, label %counted35

counted35:                                        ; preds = %ok34
  call void @sw_retain(ptr nonnull %56)
  %.pre = load ptr, ptr %55, align 8
  br label %next38

next38:                                           ; preds = %ok34, %counted35
  %57 = phi ptr [ null, %ok34 ], [ %.pre, %counted35 ]
  %.not73 = icmp eq ptr %53, null
  br i1 %.not73, label %next40, label %counted39

counted39:                                        ; preds = %next38
  call void @sw_retain(ptr nonnull %53)
  br label %next40

next40:                                           ; preds = %counted39, %next38
  store ptr %53, ptr %55, align 8
  %.not74 = icmp eq ptr %57, null
  br i1 %.not74, label %next42, label %counted41

counted41:                                        ; preds = %next40
  call void @sw_release(ptr nonnull %57)
  br label %next42

next42:                                           ; preds = %counted41, %next40
  %58 = load ptr, ptr %52, align 8
  store ptr %56, ptr %52, align 8
  %.not75 = icmp eq ptr %58, null
  br i1 %.not75, label %next44, label %counted43

counted43:                                        ; preds = %next42
  call void @sw_release(ptr nonnull %58)
  br label %next44

next44:                                           ; preds = %counted43, %next42
  %59 = add nuw nsw i64 %41, 1
  %60 = icmp ult i64 %59, %5
  br i1 %60, label %loop25, label %endif, !llvm.loop !18

fail45:                                           ; preds = %endif
  call void @sw_fail(ptr %0, i32 8, i64 0, i64 0, i64 0, i64 0)
  br label %next48

ok46:                                             ; preds = %endif
  %61 = load ptr, ptr %9, align 8, !tbaa !1
  %62 = load ptr, ptr %61, align 8, !tbaa !7
  %63 = icmp eq ptr %62, null
  %64 = getelementptr inbounds i8, ptr %62, i64 64
  %65 = select i1 %63, ptr @none2, ptr %64
  %66 = getelementptr inbounds i8, ptr %65, i64 8
  %67 = load double, ptr %66, align 8, !tbaa !1
  store double %67, ptr %2, align 8
  br label %next48

next48:                                           ; preds = %poll, %poll28, %fail, %fail31, %fail33, %fail45, %ok46
  %status.0 = phi i32 [ 0, %ok46 ], [ 1, %fail45 ], [ 1, %fail ], [ 1, %fail33 ], [ 1, %fail31 ], [ 1, %poll28 ], [ 1, %poll ]
  ret i32 %status.0
}

; Function Attrs: nounwind
declare i32 @sw_interrupted(ptr) #0

; Function Attrs: cold nounwind
declare void @sw_fail(ptr, i32, i64, i64, i64, i64) #1

; Function Attrs: nounwind
declare void @sw_release(ptr) #0

; Function Attrs: nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @sw_retain(ptr) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #3

attributes #0 = { nounwind }
attributes #1 = { cold nounwind }
attributes #2 = { nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!0 = !{i64 0, i64 4611686018427387904}
!1 = !{!2, !2, i64 0}
!2 = !{!"object", !3, i64 0}
!3 = !{!"swathe"}
!4 = !{!"branch_weights", i32 1, i32 1048576}
!5 = !{}
!6 = !{!"branch_weights", i32 1048576, i32 1}
!7 = !{!8, !8, i64 0}
!8 = !{!"array", !3, i64 0}
!9 = distinct !{!9, !10, !11, !12, !15}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.vectorize.enable", i1 false}
!12 = !{!"llvm.loop.vectorize.followup_epilogue", !13, !14}
!13 = !{!"llvm.loop.unroll.disable"}
!14 = !{!"llvm.loop.isvectorized", i32 1}
!15 = !{!"swathe.loop", i32 8, i32 1}
!16 = distinct !{!16, !10, !12, !17}
!17 = !{!"swathe.loop", i32 8, i32 0}
!18 = distinct !{!18, !10, !11, !19, !13, !20}
!19 = !{!"swathe.cold"}
!20 = !{!"swathe.loop", i32 8, i32 2}
