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
  %.not51 = icmp eq i64 %5, 0
  br i1 %.not, label %else, label %then, !prof !4

then:                                             ; preds = %entry
  br i1 %.not51, label %endif, label %loop.pre

endif:                                            ; preds = %done17, %next37, %else, %then
  %11 = load i64, ptr %3, align 8, !tbaa !1
  %.not58 = icmp eq i64 %11, 0
  br i1 %.not58, label %fail38, label %ok39, !prof !4

else:                                             ; preds = %entry
  br i1 %.not51, label %endif, label %loop24.preheader

loop24.preheader:                                 ; preds = %else
  %12 = load ptr, ptr %0, align 8, !invariant.load !5
  br label %loop24

loop.pre:                                         ; preds = %then
  %13 = add nsw i64 %5, -1
  %14 = lshr i64 %13, 16
  %15 = load ptr, ptr %0, align 8, !invariant.load !5
  %16 = getelementptr inbounds i8, ptr %0, i64 16
  br label %loop

loop:                                             ; preds = %done17, %loop.pre
  %17 = phi i64 [ 0, %loop.pre ], [ %34, %done17 ]
  %18 = phi i64 [ 0, %loop.pre ], [ %35, %done17 ]
  %19 = load volatile i32, ptr %15, align 4
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %ok, label %poll, !prof !6

poll:                                             ; preds = %loop
  %21 = call i32 @sw_interrupted(ptr nonnull %0)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %ok, label %epilogue

ok:                                               ; preds = %poll, %loop
  %23 = sub nsw i64 %5, %17
  %24 = call i64 @llvm.smin.i64(i64 %23, i64 65536)
  %25 = add i64 %17, %24
  %26 = icmp slt i64 %17, %25
  br i1 %26, label %loop15, label %done17

loop15:                                           ; preds = %ok, %next20
  %27 = phi i64 [ %50, %next20 ], [ %17, %ok ]
  %28 = getelementptr inbounds i64, ptr %7, i64 %27
  %29 = load i64, ptr %28, align 8, !tbaa !7
  %30 = icmp slt i64 %29, 0
  %31 = select i1 %30, i64 %8, i64 0
  %32 = add i64 %29, %31
  %33 = icmp ult i64 %32, %8
  br i1 %33, label %ok18, label %fail, !prof !6

done17:                                           ; preds = %next20, %ok
  %34 = add nuw nsw i64 %17, 65536
  %35 = add nuw nsw i64 %18, 1
  %exitcond.not = icmp eq i64 %18, %14
  br i1 %exitcond.not, label %endif, label %loop, !llvm.loop !9

fail:                                             ; preds = %loop15
  %.lcssa = phi i64 [ %29, %loop15 ]
  call void @sw_fail(ptr nonnull %0, i32 2, i64 %.lcssa, i64 %8, i64 0, i64 0)
  br label %epilogue

ok18:                                             ; preds = %loop15
  %36 = getelementptr inbounds i64, ptr %10, i64 %32
  %37 = load ptr, ptr %36, align 8, !tbaa !7
  %38 = getelementptr inbounds i64, ptr %10, i64 %27
  %39 = load ptr, ptr %38, align 8
  %.not55 = icmp eq ptr %37, null
  br i1 %.not55, label %next, label %counted

counted:                                          ; preds = %ok18
  %40 = load ptr, ptr %16, align 8, !invariant.load !5
  %41 = load i8, ptr %40, align 1
  %.not56 = icmp eq i8 %41, 0
  br i1 %.not56, label %shared, label %alone, !prof !4

next:                                             ; preds = %shared, %alone, %ok18
  store ptr %37, ptr %38, align 8
  %.not57 = icmp eq ptr %39, null
  br i1 %.not57, label %next20, label %counted19

alone:                                            ; preds = %counted
  %42 = load i64, ptr %37, align 8, !tbaa !16
  %43 = add i64 %42, 1
  store i64 %43, ptr %37, align 8, !tbaa !16
  br label %next

shared:                                           ; preds = %counted
  call void @sw_retain(ptr nonnull %37)
  br label %next

counted19:                                        ; preds = %next
  %44 = load ptr, ptr %16, align 8, !invariant.load !5
  %45 = load i8, ptr %44, align 1
  %46 = icmp ne i8 %45, 0
  %47 = load i64, ptr %39, align 8, !tbaa !16
  %48 = icmp ne i64 %47, 1
  %49 = and i1 %46, %48
  br i1 %49, label %alone21, label %shared22, !prof !6

next20:                                           ; preds = %shared22, %alone21, %next
  %50 = add nuw nsw i64 %27, 1
  %51 = icmp slt i64 %50, %25
  br i1 %51, label %loop15, label %done17, !llvm.loop !18

alone21:                                          ; preds = %counted19
  %52 = add i64 %47, -1
  store i64 %52, ptr %39, align 8, !tbaa !16
  br label %next20

shared22:                                         ; preds = %counted19
  call void @sw_release(ptr nonnull %39)
  br label %next20

loop24:                                           ; preds = %loop24.preheader, %next37
  %53 = phi i64 [ %69, %next37 ], [ 0, %loop24.preheader ]
  %54 = load volatile i32, ptr %12, align 4
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %ok28, label %poll27, !prof !6

poll27:                                           ; preds = %loop24
  %56 = call i32 @sw_interrupted(ptr nonnull %0)
  %57 = icmp eq i32 %56, 0
  br i1 %57, label %ok28, label %epilogue

ok28:                                             ; preds = %poll27, %loop24
  %58 = getelementptr inbounds i64, ptr %7, i64 %53
  %59 = load i64, ptr %58, align 8, !tbaa !7
  %60 = icmp slt i64 %59, 0
  %61 = select i1 %60, i64 %8, i64 0
  %62 = add i64 %59, %61
  %63 = icmp ult i64 %62, %8
  br i1 %63, label %ok31, label %fail30, !prof !6

fail30:                                           ; preds = %ok28
  %.lcssa99 = phi i64 [ %59, %ok28 ]
  call void @sw_fail(ptr nonnull %0, i32 2, i64 %.lcssa99, i64 %8, i64 0, i64 0)
  br label %epilogue

ok31:                                             ; preds = %ok28
  %64 = getelementptr inbounds i64, ptr %10, i64 %62
  %65 = load ptr, ptr %64, align 8, !tbaa !7
  %66 = icmp ult i64 %53, %8
  br i1 %66, label %ok33, label %fail32, !prof !6

fail32:                                           ; preds = %ok31
  %.lcssa97 = phi i64 [ %53, %ok31 ]
  call void @sw_fail(ptr nonnull %0, i32 4, i64 %.lcssa97, i64 %8, i64 0, i64 0)
  br label %epilogue

ok33:                                             ; preds = %ok31
  %67 = getelementptr inbounds i64, ptr %10, i64 %53
  %68 = load ptr, ptr %67, align 8
  %.not52 = icmp eq ptr %65, null
  br i1 %.not52, label %next35, label %counted34

counted34:                                        ; preds = %ok33
  call void @sw_retain(ptr nonnull %65)
  br label %next35

next35:                                           ; preds = %counted34, %ok33
  store ptr %65, ptr %67, align 8
  %.not53 = icmp eq ptr %68, null
  br i1 %.not53, label %next37, label %counted36

counted36:                                        ; preds = %next35
  call void @sw_release(ptr nonnull %68)
  br label %next37

next37:                                           ; preds = %counted36, %next35
  %69 = add nuw nsw i64 %53, 1
  %70 = icmp ult i64 %69, %5
  br i1 %70, label %loop24, label %endif, !llvm.loop !20

fail38:                                           ; preds = %endif
  call void @sw_fail(ptr %0, i32 6, i64 0, i64 0, i64 0, i64 0)
  br label %epilogue

ok39:                                             ; preds = %endif
  %71 = load ptr, ptr %9, align 8, !tbaa !1
  %72 = load ptr, ptr %71, align 8, !tbaa !7
  %73 = icmp eq ptr %72, null
  %74 = getelementptr inbounds i8, ptr %72, i64 64
  %75 = select i1 %73, ptr @none2, ptr %74
  %76 = getelementptr inbounds i8, ptr %75, i64 8
  %77 = load double, ptr %76, align 8, !tbaa !1
  store double %77, ptr %2, align 8
  br label %epilogue

epilogue:                                         ; preds = %poll, %poll27, %ok39, %fail38, %fail32, %fail30, %fail
  %status.0 = phi i32 [ 0, %ok39 ], [ 1, %fail38 ], [ 1, %fail ], [ 1, %fail32 ], [ 1, %fail30 ], [ 1, %poll27 ], [ 1, %poll ]
  ret i32 %status.0
}

; Function Attrs: nounwind
declare i32 @sw_interrupted(ptr) #0

; Function Attrs: cold nounwind
declare void @sw_fail(ptr, i32, i64, i64, i64, i64) #1

; Function Attrs: nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @sw_retain(ptr) #2

; Function Attrs: nounwind
declare void @sw_release(ptr) #0

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
!15 = !{!"swathe.loop", i32 13, i32 1}
!16 = !{!17, !17, i64 0}
!17 = !{!"count", !3, i64 0}
!18 = distinct !{!18, !10, !12, !19}
!19 = !{!"swathe.loop", i32 13, i32 0}
!20 = distinct !{!20, !10, !11, !21, !13, !22}
!21 = !{!"swathe.cold"}
!22 = !{!"swathe.loop", i32 13, i32 2}
