/* SPDX-License-Identifier: BSD-3-Clause
 * Statements: a block and a frame yield how the block was left. Errors are data on their way to a
 * handler, as in compiled code; a fact that does not hold, and a budget that is spent, end the run
 * at once. */
#include "interp/internal.h"
#include "kernel/kernel.h"

#include <stdio.h>

/* ---- the run ends ---------------------------------------------------------------------------- */

static void
end_run(Interp *in, RunStatus st, const char *fmt, va_list ap)
{
    StrBuf b = {0};
    if (in->stop)
        return;
    in->stop = true;
    in->out->status = st;
    sb_vaddf(&b, fmt, ap);
    if (in->frame && in->at) {
        sb_addf(&b, " (in %s: ", in->frame->f->name);
        ir_print_stmt(in->frame->f, in->at, &b);
        sb_add(&b, ")");
    }
    in->out->text = arena_str(in->a, b.s ? b.s : "");
    sb_free(&b);
}

void
wrong(Interp *in, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    end_run(in, RUN_WRONG, fmt, ap);
    va_end(ap);
}

void
cannot(Interp *in, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    end_run(in, RUN_CANNOT, fmt, ap);
    va_end(ap);
}

/* ---- errors of the program ------------------------------------------------------------------- */

Go
fail_code(Interp *in, int code, const char *exc, const char *format)
{
    if (in->stop)
        return GO_STOP;
    in->err = (RunError){.code = code, .exc = exc, .format = format};
    return GO_ERROR;
}

static int64_t
message_arg(Interp *in, Frame *fr, const IrExpr *e)
{
    if (!e)
        return 0;
    DType d = (DType)e->dtype;
    Num v = eval(in, fr, e);
    if (dtype_is_complex(d))
        d = dtype_real(d);
    return (int64_t)num_bits(d, v);
}

static void
take_site(Interp *in, const IrStmt *s)
{
    RunError e = {.line = s->at.line, .col = s->at.col};
    if (s->site >= 0) {
        const IrSite *site = &in->m->sites.at[s->site];
        e = (RunError){.exc = site->exc ? site->exc : "",
                       .format = site->format ? site->format : "",
                       .line = site->line,
                       .col = site->col};
    } else {
        e.exc = "IndexError";
        e.format = ir_index_format(in->a, s->at, s->var, s->axis);
    }
    in->err = e;
}

Go
fail(Interp *in, Frame *fr, const IrStmt *s)
{
    int64_t a[4] = {0};
    int first = s->kind == IS_CHECK_INDEX ? 2 : 0;
    if (first) {
        a[0] = eval_int(in, fr, s->e, "an index");
        a[1] = fr->slot[s->var->id].d.dim[s->axis];
    }
    for (int i = 0; i < s->n_args && first + i < 4; i++)
        a[first + i] = message_arg(in, fr, s->args[i].e);
    take_site(in, s);
    memcpy(in->err.a, a, sizeof a);
    return went(in, GO_ERROR);
}

static Go
check_index(Interp *in, Frame *fr, const IrStmt *s)
{
    int64_t i = eval_int(in, fr, s->e, "an index");
    if (in->stop || !desc_live(in, s->var, &fr->slot[s->var->id].d))
        return GO_STOP;
    int64_t dim = fr->slot[s->var->id].d.dim[s->axis];
    uint64_t at = (uint64_t)i + (i < 0 ? (uint64_t)dim : 0);
    return at < (uint64_t)dim ? GO_ON : fail(in, fr, s);
}

static bool
catches(const IrHandler *h, const RunError *e)
{
    if (!h->n_exc)
        return ir_exc_derives(e->exc, "Exception");
    for (int i = 0; i < h->n_exc; i++)
        if (ir_exc_derives(e->exc, h->exc[i]))
            return true;
    return false;
}

static Go
try(Interp *in, Frame *fr, const IrStmt *s)
{
    Go go = exec_block(in, fr, &s->body);
    if (go == GO_ON)
        return exec_block(in, fr, &s->els);
    for (int i = 0; go == GO_ERROR && i < s->n_handlers; i++) {
        if (!catches(&s->handlers[i], &in->err))
            continue;
        RunError save = fr->caught;
        fr->caught = in->err;
        go = exec_block(in, fr, &s->handlers[i].body);
        fr->caught = save;
        return go;
    }
    return go;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool
is_update(const IrStmt *s)
{
    for (int k = 0; s->e->kind == IX_OP && k < s->e->n; k++) {
        const IrExpr *x = s->e->arg[k];
        bool same = x->kind == IX_LOAD && x->var == s->var;
        for (int i = 0; same && i < s->n_idx; i++)
            same = ir_expr_equal(x->arg[i], s->idx[i]);
        if (same)
            return true;
    }
    return false;
}

static Access
way_of(const IrStmt *s, const Buf *b, const char *p, Num v)
{
    char bytes[16] = {0};
    int size = dtype_size(s->var->dtype);
    if (v.undef || bytes_undef(b, p, size))
        return WRITE;
    num_write((DType)s->var->dtype, bytes, v);
    return memcmp(bytes, p, (size_t)size) ? WRITE : SAME;
}

static void
note_store(Interp *in, const IrVar *v)
{
    bool shared = v->space == SPACE_SHARED && v->noalias;
    if (!shared || in->n_again == SW_LEN(in->again))
        in->stores++;
    else
        in->again[in->n_again++] = v;
}

static Go
store(Interp *in, Frame *fr, const IrStmt *s)
{
    int64_t idx[64];
    in->update = in->opt->claims && is_update(s) ? s->var : NULL;
    Num v = eval(in, fr, s->e);
    for (int k = 0; k < s->n_idx && k < 64; k++)
        idx[k] = eval_int(in, fr, s->idx[k], "an index");
    char *p = in->stop ? NULL : element(in, fr, s->var, idx, WRITE);
    Buf *b = fr->slot[s->var->id].d.of.buf;
    if (!p || !touched(in, fr, s->var, p, way_of(s, b, p, v)))
        return GO_STOP;
    in->update = NULL;
    note_store(in, s->var);
    int size = dtype_size(s->var->dtype);
    if (!v.undef)
        num_write((DType)s->var->dtype, p, v);
    if (v.undef && !b->undef)
        b->undef = arena_alloc(in->a, (size_t)b->bytes + 1);
    bytes_set(b, p, size, v.undef);
    return GO_ON;
}

static Go
print(Interp *in, Frame *fr, const IrStmt *s)
{
    const IrSite *site = &in->m->sites.at[s->site];
    bool shown = site->format && *site->format; /* nothing of what it has is said otherwise */
    sb_addf(&in->printed, "%s", shown ? site->format : "");
    for (int i = 0; shown && i < s->n_args; i++) {
        char text[16]; /* a string, which has another number each time */
        snprintf(text, sizeof text, "%%%d", i);
        if (!strstr(site->format, text)) /* of another part of what is printed at once */
            continue;
        snprintf(text, sizeof text, "%%%dt", i);
        sb_add(&in->printed, i ? ", " : " | ");
        if (s->args[i].arr)
            sb_add(&in->printed, "array");
        else if (strstr(site->format, text))
            kernel_noted(&in->printed, (uint64_t)eval(in, fr, s->args[i].e).i);
        else
            num_print(&in->printed, (DType)s->args[i].e->dtype, eval(in, fr, s->args[i].e));
    }
    sb_add(&in->printed, "\n");
    return went(in, GO_ON);
}

static bool
atomic_value(const IrStmt *s, DType d, Num old, Num e, Num expected, Num *out)
{
    static const uint8_t op[ATOM_COUNT_] = {
        [ATOM_ADD] = OP_add, [ATOM_SUB] = OP_sub,     [ATOM_MIN] = OP_min,
        [ATOM_MAX] = OP_max, [ATOM_NANMIN] = OP_fmin, [ATOM_NANMAX] = OP_fmax,
        [ATOM_AND] = OP_and, [ATOM_OR] = OP_or,       [ATOM_XOR] = OP_xor};
    Num none = {0};
    switch (s->order) {
    case ATOM_XCHG:
        *out = e;
        return true;
    case ATOM_CAS:
        *out = e;
        return num_same(d, old, expected, false);
    case ATOM_INC:
        *out = (uint64_t)old.i >= (uint64_t)e.i ? none : (Num){.i = ir_wrap_int(d, old.i + 1)};
        return true;
    case ATOM_DEC:
        *out =
            !old.i || (uint64_t)old.i > (uint64_t)e.i ? e : (Num){.i = ir_wrap_int(d, old.i - 1)};
        return true;
    default:
        *out = num_op((IrOp)op[s->order], d, d, (Num[]){old, e}, d);
        return true;
    }
}

static Go
atomic(Interp *in, Frame *fr, const IrStmt *s)
{
    DType d = (DType)s->base->dtype;
    int64_t idx[64];
    Num e = eval(in, fr, s->e), expected = s->n_args ? eval(in, fr, s->args[0].e) : e, v;
    for (int k = 0; k < s->n_idx && k < 64; k++)
        idx[k] = eval_int(in, fr, s->idx[k], "an index");
    char *p = in->stop ? NULL : element(in, fr, s->base, idx, ATOMIC);
    if (!p)
        return GO_STOP;
    Buf *b = fr->slot[s->base->id].d.of.buf;
    Num old = num_read(d, p);
    old.undef = bytes_undef(b, p, dtype_size(d));
    if (atomic_value(s, d, old, e, expected, &v) && !v.undef) {
        num_write(d, p, v);
        bytes_set(b, p, dtype_size(d), false);
    }
    if (s->var)
        fr->slot[s->var->id].v = old;
    return went(in, GO_ON);
}

static Go
assume(Interp *in, Frame *fr, const IrStmt *s)
{
    Num v = eval(in, fr, s->e);
    if (!in->stop && (v.undef || !v.i))
        wrong(in, "what is said to be true here is not");
    return went(in, GO_ON);
}

static Go
exec_stmt(Interp *in, Frame *fr, const IrStmt *s)
{
    switch (s->kind) {
    case IS_SET:
        fr->slot[s->var->id].v = eval(in, fr, s->e);
        return GO_ON;
    case IS_STORE:
        return store(in, fr, s);
    case IS_ALLOC:
    case IS_VIEW:
    case IS_ALIAS:
    case IS_CONSTARR:
    case IS_COPY:
    case IS_GET:
    case IS_PUT:
    case IS_DROP:
        return exec_array(in, fr, s);
    case IS_LOOP:
    case IS_WHILE:
        return exec_loop(in, fr, s);
    case IS_IF:
        return exec_block(in, fr, eval_bool(in, fr, s->e, "a branch") ? &s->body : &s->els);
    case IS_BREAK:
        return GO_BREAK;
    case IS_CONTINUE:
        return GO_CONTINUE;
    case IS_RETURN:
        return exec_return(in, fr, s);
    case IS_CALL:
        return exec_call(in, fr, s);
    case IS_RT:
        return exec_rt(in, fr, s);
    case IS_CHECK_INDEX:
        return check_index(in, fr, s);
    case IS_CHECK:
        return eval_bool(in, fr, s->e, "a check") || in->stop ? GO_ON : fail(in, fr, s);
    case IS_RAISE:
        return fail(in, fr, s);
    case IS_TRY:
        return try(in, fr, s);
    case IS_RERAISE:
        in->err = fr->caught;
        return GO_ERROR;
    case IS_PRINT:
        return print(in, fr, s);
    case IS_ASSUME:
        return assume(in, fr, s);
    case IS_PAR:
        return exec_run(in, fr, s);
    case IS_ATOMIC:
        return atomic(in, fr, s);
    case IS_POLL:
    case IS_SHADOW:
    case IS_TOUCH:
    case IS_FENCE:
        return GO_ON;
    case IS_BARRIER:
    case IS_WARP:
        if (in->threads)
            return threads_wait(in, fr, s);
        cannot(in, "threads of a grid");
        break;
    case IS_LAUNCH:
        cannot(in, "threads of a device");
        break;
    }
    return GO_STOP;
}

Go
exec_block(Interp *in, Frame *fr, const IrBlock *b)
{
    if (in->stop)
        return GO_STOP;
    for (const IrStmt *s = b->first; s; s = s->next) {
        in->at = s;
        in->frame = fr;
        if (++in->out->steps > in->opt->budget) {
            in->out->status = RUN_STEPS;
            in->stop = true;
            in->out->text = "it runs too long";
        }
        if (in->stop)
            return GO_STOP;
        Go go = went(in, exec_stmt(in, fr, s));
        if (go != GO_ON)
            return go;
    }
    return GO_ON;
}
