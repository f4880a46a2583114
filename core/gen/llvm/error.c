/* SPDX-License-Identifier: BSD-3-Clause
 * Everything that can fail: checks, raise, try, polling, the stack. A failure records the
 * error through sw_fail in a cold block and jumps to `on_error`, which is the function's
 * epilogue or the dispatch of the try around. All references are released in the one
 * epilogue, so nothing has to be unwound on the way. */
#include "emit.h"

enum { ERR_RECURSION = -4 }; /* SW_ERR_RECURSION of rt.h */

/* SwCtx; room for an SwError: rt/support.c asserts it */
enum { CTX_POLL = 0, CTX_STACK_LIMIT = 8, ERROR_BYTES = 320 };

/* A unit learns which number its first site has when it is loaded. */
LV
site_number(Gen *g, int site)
{
    if (!g->m->unit || site < 0)
        return k32(g, site);
    LV first = LLVMGetNamedGlobal(g->mod, UNIT_SITES);
    if (!first)
        first = LLVMAddGlobal(g->mod, g->i8, UNIT_SITES);
    return LLVMBuildAdd(g->b, LLVMBuildPtrToInt(g->b, first, g->i32, ""), k32(g, site), "");
}

/* On a device one place of a function records what failed, without a call: where a kernel calls
 * anything, each thread takes as many registers as the driver's linker counts for the callee, and
 * fewer threads fit. */
static void
record_there(Gen *g, const LV *a)
{
    for (int i = 0; i < 5; i++) {
        if (!g->failing)
            g->fail_parts[i] = new_slot(g, LLVMTypeOf(a[1 + i]), "fail");
        LLVMBuildStore(g->b, a[1 + i], g->fail_parts[i]);
    }
    if (!g->failing)
        g->failing = new_block(g, "failing");
    jump(g, g->failing);
}

/* A comment in the text: who launches the kernel gives it a record where it is there. */
static void
note_failing(Gen *g)
{
    static const char text[] = "// sw_fail";
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(g->c), NULL, 0, false);
    LV asm_ = LLVMGetInlineAsm(t, text, sizeof text - 1, "", 0, true, false,
                               LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(g->b, t, asm_, NULL, 0, "");
}

void
fail_end(Gen *g)
{
    LV a[6] = {g->ctx};
    if (!g->failing)
        return;
    LLVMPositionBuilderAtEnd(g->b, g->failing);
    for (int i = 0; i < 5; i++)
        a[1 + i] = get(g, LLVMGetAllocatedType(g->fail_parts[i]), g->fail_parts[i]);
    emit_rt_call(g, RT_sw_fail, a, 6);
    note_failing(g);
    LLVMBuildStore(g->b, k32(g, 1), g->status);
    jump(g, g->epilogue);
}

static void
set_status(Gen *g)
{
    if (g->on_error == g->epilogue)
        put(g, k32(g, 1), g->status);
}

void
fail_now(Gen *g, int site, LV *args, int n)
{
    LV a[6] = {g->ctx, site_number(g, site), k64(g, 0), k64(g, 0), k64(g, 0), k64(g, 0)};
    for (int i = 0; i < n && i < 4; i++)
        a[2 + i] = args[i];
    if (g->ptx) {
        record_there(g, a);
        return;
    }
    emit_rt_call(g, RT_sw_fail, a, 6);
    set_status(g);
    jump(g, g->on_error);
}

void
fail_unless(Gen *g, LV ok, int site, LV *args, int n)
{
    if (LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok))
        return;
    LLVMBasicBlockRef bad = new_block(g, "fail"), next = new_block(g, "ok");
    branch(g, ok, next, bad, g->likely);
    LLVMPositionBuilderAtEnd(g->b, bad);
    fail_now(g, site, args, n);
    LLVMPositionBuilderAtEnd(g->b, next);
}

void
fail_if_status(Gen *g, LV status)
{
    fail_if_call(g, status, -1, NULL);
}

void
fail_if_call(Gen *g, LV status, int site, IrExpr *const *place)
{
    LLVMBasicBlockRef bad = new_block(g, "failed"), next = new_block(g, "ok");
    LV fine = LLVMBuildICmp(g->b, LLVMIntEQ, status, k32(g, 0), "");
    branch(g, fine, next, bad, g->likely);
    LLVMPositionBuilderAtEnd(g->b, bad);
    if (site >= 0 && !g->ptx) {
        LV args[2] = {g->ctx, site_number(g, site)};
        emit_rt_call(g, RT_sw_err_trace, args, 2);
    }
    if (place && !g->ptx) {
        LV args[3] = {g->ctx, emit_int(g, place[0]), emit_int(g, place[1])};
        emit_rt_call(g, RT_sw_err_place, args, 3);
    }
    set_status(g);
    jump(g, g->on_error);
    LLVMPositionBuilderAtEnd(g->b, next);
}

/* Message arguments are int64: integers by value, floats by their bits as double. */
static int
message_args(Gen *g, IrStmt *s, LV *out)
{
    int n = s->n_args < 4 ? s->n_args : 4;
    for (int i = 0; i < n; i++) {
        const IrExpr *e = s->args[i].e;
        if (!e)
            out[i] = k64(g, 0);
        else if (dtype_kind(e->dtype) >= DK_FLOAT)
            out[i] = LLVMBuildBitCast(g->b, emit_cast(g, DT_f64, e->dtype, emit_expr(g, e)).v,
                                      g->i64, "");
        else
            out[i] = emit_int(g, e);
    }
    return n;
}

/* The arguments are computed where the check fails: they are pure, and not needed
 * otherwise. */
void
emit_check(Gen *g, IrStmt *s)
{
    LV ok = emit_expr(g, s->e).v, args[4];
    if (LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok))
        return;
    LLVMBasicBlockRef bad = new_block(g, "fail"), next = new_block(g, "ok");
    branch(g, ok, next, bad, g->likely);
    LLVMPositionBuilderAtEnd(g->b, bad);
    int n = message_args(g, s, args);
    fail_now(g, s->site, args, n);
    LLVMPositionBuilderAtEnd(g->b, next);
}

void
emit_check_index(Gen *g, IrStmt *s)
{
    LV i = emit_int(g, s->e), dim = array_dim(g, s->var, s->axis);
    LV neg = LLVMBuildICmp(g->b, LLVMIntSLT, i, k64(g, 0), "");
    LV wrapped = LLVMBuildSelect(g->b, neg, LLVMBuildAdd(g->b, i, dim, ""), i, "");
    LV ok = LLVMBuildICmp(g->b, LLVMIntULT, wrapped, dim, "");
    int site = s->site;
    if (site < 0)
        site = ir_site(g->m, "IndexError", ir_index_format(&g->cx->arena, s->at, s->var, s->axis),
                       s->at);
    LV args[6] = {i, dim};
    if (!s->n_args) {
        fail_unless(g, ok, site, args, 2);
        return;
    }
    LLVMBasicBlockRef bad = new_block(g, "fail"), next = new_block(g, "ok");
    branch(g, ok, next, bad, g->likely);
    LLVMPositionBuilderAtEnd(g->b, bad);
    fail_now(g, site, args, 2 + message_args(g, s, args + 2));
    LLVMPositionBuilderAtEnd(g->b, next);
}

void
emit_raise(Gen *g, IrStmt *s)
{
    LV args[4];
    int n = message_args(g, s, args);
    fail_now(g, s->site, args, n);
}

/* ---- try ------------------------------------------------------------------------------------- */

/* The handler's class names: NUL-terminated, one after the other, an empty one last. */
static LV
class_names(Gen *g, const IrHandler *h)
{
    StrBuf text = {0};
    for (int i = 0; i < h->n_exc; i++)
        sb_addn(&text, h->exc[i], strlen(h->exc[i]) + 1);
    LV bytes = LLVMConstStringInContext2(g->c, text.s ? text.s : "", text.n, false);
    sb_free(&text);
    LV global = LLVMAddGlobal(g->mod, LLVMTypeOf(bytes), "classes");
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

static void
emit_handler(Gen *g, IrHandler *h, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef outer = g->on_error, leave = new_block(g, "leave");
    Handled own = {new_slot(g, LLVMArrayType2(g->i64, ERROR_BYTES / 8), "caught"), g->loops,
                   g->handled};
    LV args[2] = {g->ctx, own.caught};
    emit_rt_call(g, RT_sw_err_take, args, 2);
    g->handled = &own;
    g->on_error = leave;
    emit_block(g, &h->body);
    g->on_error = outer;
    g->handled = own.up;
    if (!ended(g))
        emit_rt_call(g, RT_sw_err_done, args, 2);
    jump(g, after);
    LLVMPositionBuilderAtEnd(g->b, leave);
    emit_rt_call(g, RT_sw_err_leave, args, 2);
    set_status(g);
    jump(g, outer);
}

/* Before a jump out of handlers: of the innermost loop, or of the function. */
void
leave_handlers(Gen *g, bool function)
{
    for (Handled *h = g->handled; h && (function || h->loops == g->loops); h = h->up)
        emit_rt_call(g, RT_sw_err_done, (LV[]){g->ctx, h->caught}, 2);
}

void
emit_try(Gen *g, IrStmt *s)
{
    if (g->ptx) {
        gen_refuse(g->cx, s->at, REFUSE_PTX_try, NULL, NULL);
        return;
    }
    LLVMBasicBlockRef outer = g->on_error, dispatch = new_block(g, "except");
    LLVMBasicBlockRef after = new_block(g, "after");
    g->on_error = dispatch;
    emit_block(g, &s->body);
    g->on_error = outer;
    if (!ended(g))
        emit_block(g, &s->els);
    jump(g, after);
    LLVMPositionBuilderAtEnd(g->b, dispatch);
    for (int i = 0; i < s->n_handlers; i++) {
        LLVMBasicBlockRef yes = new_block(g, "handler"), no = new_block(g, "unhandled");
        LV args[2] = {g->ctx, class_names(g, &s->handlers[i])};
        LV hit = emit_rt_call(g, RT_sw_err_matches, args, 2);
        branch(g, LLVMBuildICmp(g->b, LLVMIntNE, hit, k32(g, 0), ""), yes, no, NULL);
        LLVMPositionBuilderAtEnd(g->b, yes);
        emit_handler(g, &s->handlers[i], after);
        LLVMPositionBuilderAtEnd(g->b, no);
    }
    set_status(g);
    jump(g, g->on_error);
    LLVMPositionBuilderAtEnd(g->b, after);
}

void
emit_reraise(Gen *g, IrStmt *s)
{
    if (!g->handled) {
        internal_error(g, s->at, "a raise outside of a handler");
        return;
    }
    LV args[2] = {g->ctx, g->handled->caught};
    emit_rt_call(g, RT_sw_err_restore, args, 2);
    set_status(g);
    jump(g, g->on_error);
}

/* ---- interrupts and the stack ---------------------------------------------------------------- */

void
emit_poll(Gen *g)
{
    if (g->ptx)
        return;
    LV flag = get(g, g->ptr, field(g, g->ctx, CTX_POLL));
    LLVMSetMetadata(flag, g->md_invariant, g->empty);
    LV v = get(g, g->i32, flag);
    LLVMSetVolatile(v, true);
    LLVMBasicBlockRef stop = new_block(g, "poll"), next = new_block(g, "ok");
    branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, v, k32(g, 0), ""), next, stop, g->likely);
    LLVMPositionBuilderAtEnd(g->b, stop);
    LV status = emit_rt_call(g, RT_sw_interrupted, &g->ctx, 1);
    if (g->own_scopes) /* handlers of signals see no array that has been made here */
        LLVMSetMetadata(status, g->md_noalias, g->own_scopes);
    LLVMBasicBlockRef bad = new_block(g, "interrupted");
    branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, status, k32(g, 0), ""), next, bad, NULL);
    LLVMPositionBuilderAtEnd(g->b, bad);
    set_status(g);
    jump(g, g->on_error);
    LLVMPositionBuilderAtEnd(g->b, next);
}

/* A device can't say how much of a thread's stack is left. The host gives it room for so many
 * calls: _Code.stack in _queue.py. */
enum { MOST_DEPTH = 128 };

void
emit_stack_check(Gen *g)
{
    if (g->depth) {
        LV ok = LLVMBuildICmp(g->b, LLVMIntULE, g->depth, k32(g, MOST_DEPTH), "");
        fail_unless(g, ok, ERR_RECURSION, NULL, 0);
        return;
    }
    LV here = new_slot(g, g->i8, "here");
    LV limit = get(g, g->ptr, field(g, g->ctx, CTX_STACK_LIMIT));
    LLVMSetMetadata(limit, g->md_invariant, g->empty);
    fail_unless(g, LLVMBuildICmp(g->b, LLVMIntUGT, here, limit, ""), ERR_RECURSION, NULL, 0);
}
