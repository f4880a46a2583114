/* SPDX-License-Identifier: BSD-3-Clause
 * Functions called by a kernel: one C function for each way in which its arrays lie in memory,
 * found by following arrays through views, aliases and calls. Scalars and descriptions of arrays go
 * by value, results through pointers; the C result says whether it failed. A function that holds a
 * barrier is called by all threads, and is told which of them are there. */
#include "gen/opencl/opencl.h"

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)
enum { MAX_DEPTH = 64 };

/* ---- which memory an array is in ------------------------------------------------------------- */

typedef struct Spaces {
    Cl *g;
    ClInst *in;
    bool changed;
} Spaces;

static void
give(Spaces *x, const IrVar *v, ClSpace s, Span at)
{
    uint8_t *was = &x->in->space[v->id];
    if (s == CLS_NONE || *was == s)
        return;
    if (*was != CLS_NONE) {
        cl_refuse(x->g, at, REFUSE_OPENCL_spaces, v->name, NULL);
        return;
    }
    *was = (uint8_t)s;
    x->changed = true;
}

static void
spaces_of_call(Spaces *x, IrStmt *s)
{
    uint8_t params[64] = {0};
    bool known = true;
    if (s->func->foreign)
        return;
    for (int i = 0; i < s->n_args && i < 64; i++)
        if (s->args[i].arr) {
            params[i] = x->in->space[s->args[i].arr->id];
            known &= params[i] != CLS_NONE;
        }
    if (!known)
        return;
    ClInst *to = cl_instance(x->g, s->func, params, s->at);
    for (int i = 0; to && i < s->n_outs && i < s->func->n_results; i++)
        if (s->outs[i].arr)
            give(x, s->outs[i].arr, (ClSpace)to->result[i], s->at);
}

static void
spaces_of(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Spaces *x = arg;
    if (x->g->failed)
        return;
    switch ((int)s->kind) {
    case IS_ALLOC:
        give(x, s->var, s->var->space == SPACE_SHARED ? CLS_SHARED : CLS_LOCAL, s->at);
        break;
    case IS_CONSTARR:
        give(x, s->var, CLS_CONST, s->at);
        break;
    case IS_VIEW:
    case IS_ALIAS:
        give(x, s->var, (ClSpace)x->in->space[s->base->id], s->at);
        break;
    case IS_CALL:
        spaces_of_call(x, s);
        break;
    case IS_RETURN:
        for (int i = 0; i < s->n_args && i < SW_LEN(x->in->result); i++)
            if (s->args[i].arr)
                x->in->result[i] = x->in->space[s->args[i].arr->id];
        break;
    default:
        break;
    }
}

ClInst *
cl_instance(Cl *g, IrFunc *f, const uint8_t *spaces, Span at)
{
    for (int k = 0; k < g->insts.n; k++) {
        ClInst *in = g->insts.at[k];
        bool same = in->f == f;
        for (int i = 0; same && i < f->n_params; i++)
            same = !f->vars.at[i]->is_array || in->space[i] == spaces[i];
        if (same)
            return in;
    }
    if (g->depth >= MAX_DEPTH || f->recursive || f->n_params > 64) {
        cl_refuse(g, at, f->recursive ? REFUSE_OPENCL_recursion : REFUSE_OPENCL_depth, f->name,
                  NULL);
        return NULL;
    }
    ClInst *in = NEW(&g->cx->arena, ClInst);
    in->f = f;
    in->space = NEW_N(&g->cx->arena, uint8_t, f->vars.n + 1);
    for (int i = 0; i < f->n_params; i++)
        in->space[i] = f->vars.at[i]->is_array ? spaces[i] : CLS_NONE;
    in->name = !f->kernel ? P("sw_f%d", g->insts.n)
               : f->entry ? OPENCL_KERNEL_NAME
                          : P("%s", f->name);
    in->waits = cl_func_waits(f);
    VEC_PUSH(&g->cx->arena, g->insts, in);
    Spaces x = {g, in, true};
    g->depth++;
    while (x.changed && !g->failed) {
        x.changed = false;
        ir_walk_block(&f->body, spaces_of, &x);
    }
    g->depth--;
    return g->failed ? NULL : in;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void
array_params(Cl *g, const IrVar *v, ClSpace s, const char *name, const char *by, StrBuf *o)
{
    (void)g;
    sb_addf(o, ", %s uchar *%s%s_p", cl_space(s), by, name);
    for (int k = 0; k < v->ndim; k++)
        sb_addf(o, ", long %s%s_n%d, long %s%s_s%d", by, name, k, by, name, k);
}

void
cl_params(Cl *g, const ClInst *in, StrBuf *o)
{
    sb_add(o, "SW_CX");
    if (in->waits)
        sb_add(o, ", bool sw_here, uint *sw_turn");
    for (int i = 0; i < in->f->n_params; i++) {
        const IrVar *v = in->f->vars.at[i];
        if (v->is_array)
            array_params(g, v, (ClSpace)in->space[v->id], cl_var(g, v), "", o);
        else
            sb_addf(o, ", %s %s", cl_type((DType)v->dtype), cl_var(g, v));
    }
    for (int i = 0; i < in->f->n_results; i++) {
        const IrVar *r = in->f->results[i];
        if (r->is_array)
            array_params(g, r, (ClSpace)in->result[i], P("sw_r%d", i), "*", o);
        else
            sb_addf(o, ", %s *sw_r%d", cl_type((DType)r->dtype), i);
    }
}

static void
give_results(Cl *g, IrStmt *s)
{
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *v = s->args[i].arr;
        if (!v) {
            cl_line(g, "*sw_r%d = %s;", i, cl_expr(g, s->args[i].e));
            continue;
        }
        char *name = cl_var(g, v);
        cl_line(g, "*sw_r%d_p = %s_p;", i, name);
        for (int k = 0; k < v->ndim; k++)
            cl_line(g, "*sw_r%d_n%d = %s_n%d; *sw_r%d_s%d = %s_s%d;", i, k, name, k, i, k, name, k);
    }
}

void
cl_return(Cl *g, IrStmt *s)
{
    bool all = g->inst->waits && !g->in_chunk;
    if (all && !g->f->kernel)
        cl_line(g, "if (%s) {", cl_mask(g));
    if (!g->f->kernel)
        give_results(g, s);
    if (all && !g->f->kernel)
        cl_line(g, "}");
    if (all)
        cl_line(g, g->f->kernel ? "return;" : "return sw_status;");
    else
        cl_leave(g, false);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Where the caller keeps a result: its own variable, or one made for what nobody wants. */
static void
result_args(Cl *g, IrStmt *s, const ClInst *to, StrBuf *o)
{
    for (int i = 0; i < to->f->n_results; i++) {
        const IrVar *r = to->f->results[i];
        const IrVar *v = i < s->n_outs ? (r->is_array ? s->outs[i].arr : s->outs[i].out) : NULL;
        char *name = v ? cl_var(g, v) : P("sw_x%d", g->serial++);
        if (!v && r->is_array) {
            sb_addf(g->decls, "    %s uchar *%s_p;\n", cl_space((ClSpace)to->result[i]), name);
            for (int k = 0; k < r->ndim; k++)
                sb_addf(g->decls, "    long %s_n%d, %s_s%d;\n", name, k, name, k);
        } else if (!v) {
            sb_addf(g->decls, "    %s %s;\n", cl_type((DType)r->dtype), name);
        }
        sb_addf(o, r->is_array ? ", &%s_p" : ", &%s", name);
        for (int k = 0; r->is_array && k < r->ndim; k++)
            sb_addf(o, ", &%s_n%d, &%s_s%d", name, k, name, k);
    }
}

/* An argument of a call that threads make that aren't there. */
static char *
guarded(Cl *g, const IrExpr *e)
{
    char *t = P("sw_t%d", g->serial++);
    cl_line(g, "%s %s = %s;", cl_type((DType)e->dtype), t, cl_zero(g, (DType)e->dtype));
    cl_line(g, "if (%s) %s = %s;", cl_mask(g), t, cl_expr(g, e));
    return t;
}

/* A function of another text, by C's rules: a status, or its result; its arrays are pointers to
 * global memory. */
static void
foreign_call(Cl *g, IrStmt *s)
{
    IrFunc *f = s->func;
    StrBuf o = {0};
    if (ir_is_kernel(f)) {
        cl_refuse(g, s->at, REFUSE_OPENCL_library, f->foreign + strlen(KERNEL_PREFIX), NULL);
        return;
    }
    cl_line(g, "{");
    if (f->n_results > 1) {
        cl_line(g, "%s sw_given = 0;", cl_mem_type((DType)f->results[1]->dtype));
        sb_add(&o, "&sw_given");
    }
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *v = s->args[i].arr;
        sb_add(&o, o.n ? ", " : "");
        if (v)
            sb_addf(&o, "(%s %s *)%s_p", cl_space(cl_space_of(g, v)), cl_mem_type((DType)v->dtype),
                    cl_var(g, v));
        else
            sb_add(&o, cl_expr(g, s->args[i].e));
    }
    const IrVar *first = s->n_outs ? s->outs[0].out : NULL;
    cl_line(g, "%s%s%s(%s);", first ? cl_var(g, first) : "", first ? " = " : "",
            ir_foreign_for_device(&g->cx->arena, f), o.s ? o.s : "");
    if (s->n_outs > 1 && s->outs[1].out)
        cl_line(g, "%s = sw_given;", cl_var(g, s->outs[1].out));
    cl_line(g, "}");
    sb_free(&o);
}

void
cl_call(Cl *g, IrStmt *s)
{
    if (s->func->foreign) {
        foreign_call(g, s);
        return;
    }
    uint8_t spaces[64] = {0};
    for (int i = 0; i < s->n_args && i < 64; i++)
        if (s->args[i].arr)
            spaces[i] = (uint8_t)cl_space_of(g, s->args[i].arr);
    ClInst *to = cl_instance(g, s->func, spaces, s->at);
    if (!to)
        return;
    StrBuf o = {0};
    cl_line(g, "{");
    sb_addf(&o, "%s(SW_PASS%s%s", to->name, to->waits ? ", " : "",
            to->waits ? P("%s, sw_turn", cl_mask(g)) : "");
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *v = s->args[i].arr;
        if (!v) {
            sb_addf(&o, ", %s", to->waits ? guarded(g, s->args[i].e) : cl_expr(g, s->args[i].e));
            continue;
        }
        sb_addf(&o, ", %s_p", cl_var(g, v));
        for (int k = 0; k < v->ndim; k++)
            sb_addf(&o, ", %s_n%d, %s_s%d", cl_var(g, v), k, cl_var(g, v), k);
    }
    result_args(g, s, to, &o);
    cl_line(g, "if (%s)) {", o.s);
    cl_leave(g, true);
    cl_line(g, "}");
    cl_line(g, "}");
    sb_free(&o);
}
