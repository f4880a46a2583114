/* SPDX-License-Identifier: BSD-3-Clause
 * Barriers, votes, and what the 32 threads of a warp do together. OpenCL has no warps: all threads
 * of the block put their values into shared memory, wait, and read those of their warp. So a warp's
 * operation is a barrier for the block here, which all threads pass; those that are not there say
 * so. */
#include "gen/opencl/opencl.h"

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)
enum { MOST_THREADS = 1024 };

static char *
scratch(Cl *g)
{
    if (g->warp_at < 0)
        g->warp_at = cl_shared(g, 9 * MOST_THREADS);
    return P("(__local ulong *)(sw_sh + %lld)", (long long)g->warp_at);
}

/* e's value where the thread is here; it may fail elsewhere. */
static char *
value(Cl *g, const IrExpr *e, const char *type)
{
    char *t = P("sw_t%d", g->serial++);
    cl_line(g, "%s %s = 0;", type, t);
    cl_line(g, "if (%s) %s = %s;", cl_mask(g), t, cl_expr(g, e));
    return t;
}

static void
wait_for_all(Cl *g)
{
    cl_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
}

/* How many threads say yes, in a variable whose name is yielded; all threads run it. Three counters
 * take turns, so that one wait does: who counts in one clears the next, which all have read two
 * waits ago. */
static char *
count_yes(Cl *g, const char *yes, const char *fence)
{
    if (g->vote_at < 0)
        g->vote_at = cl_shared(g, 16);
    char *r = P("sw_t%d", g->serial++);
    cl_line(g, "*sw_turn = *sw_turn == 2 ? 0 : *sw_turn + 1;");
    cl_line(
        g,
        "if (sw_lid() == 0) ((__local int *)(sw_sh + %lld))[*sw_turn == 2 ? 0 : *sw_turn + 1] = 0;",
        (long long)g->vote_at);
    cl_line(g, "if (%s) atomic_inc((__local int *)(sw_sh + %lld) + *sw_turn);", yes,
            (long long)g->vote_at);
    cl_line(g, "barrier(%s);", fence);
    cl_line(g, "int %s = ((__local int *)(sw_sh + %lld))[*sw_turn];", r, (long long)g->vote_at);
    return r;
}

/* Before anything counts. */
void
cl_start_votes(Cl *g, StrBuf *o)
{
    sb_add(o, "    uint sw_turns = 0, *sw_turn = &sw_turns;\n");
    if (g->vote_at >= 0)
        sb_addf(o,
                "    if (sw_lid() == 0) ((__local int *)(sw_sh + %lld))[1] = 0;\n    "
                "barrier(CLK_LOCAL_MEM_FENCE);\n",
                (long long)g->vote_at);
}

char *
cl_any(Cl *g, const char *mask)
{
    return count_yes(g, mask, "CLK_LOCAL_MEM_FENCE");
}

void
cl_barrier(Cl *g, IrStmt *s)
{
    if (s->order == BAR_GRID) {
        cl_refuse(g, s->at, REFUSE_OPENCL_grid_barrier, NULL, NULL);
        return;
    }
    if (s->n == VOTE_NONE) {
        cl_line(g, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
        return;
    }
    cl_line(g, "{");
    char *t = value(g, s->e, "bool");
    char *n = count_yes(g, P("%s && %s%s", cl_mask(g), s->n == VOTE_AND ? "!" : "", t),
                        "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE");
    char *r = s->n == VOTE_COUNT ? n : P("(%s %s 0)", n, s->n == VOTE_AND ? "==" : "!=");
    if (s->var)
        cl_line(g, "%s = (%s)%s;", cl_var(g, s->var), cl_type((DType)s->var->dtype), r);
    cl_line(g, "}");
}

/* A value as 64 bits, and back. */
static char *
to_bits(Cl *g, DType d, char *v)
{
    switch (dtype_kind(d)) {
    case DK_FLOAT:
        return d == DT_f64 ? P("as_ulong(%s)", v) : P("(ulong)as_uint(%s)", v);
    case DK_COMPLEX:
        return P("as_ulong(%s)", v);
    default:
        return P("(ulong)%s", v);
    }
}

static char *
from_bits(Cl *g, DType d, char *v)
{
    switch (dtype_kind(d)) {
    case DK_FLOAT:
        return d == DT_f64 ? P("as_double(%s)", v) : P("as_float((uint)%s)", v);
    case DK_COMPLEX:
        return P("as_float2(%s)", v);
    default:
        return P("(%s)%s", cl_type(d), v);
    }
}

/* Each thread's value to where its warp can read it. */
static void
put(Cl *g, const char *v)
{
    wait_for_all(g);
    cl_line(g, "sw_put(%s, %s, %s);", cl_mask(g), v, scratch(g));
    wait_for_all(g);
}

static void
shuffle(Cl *g, IrStmt *s)
{
    static const char *const name[] = {"idx", "up", "down", "xor"};
    DType d = (DType)s->e->dtype;
    if (d == DT_c128) {
        cl_refuse(g, s->at, REFUSE_OPENCL_shuffle, NULL, NULL);
        return;
    }
    cl_line(g, "{");
    cl_line(g, "ulong sw_v = 0; long sw_lane = 0;");
    cl_line(g, "if (%s) { sw_v = %s; sw_lane = %s; }", cl_mask(g), to_bits(g, d, cl_expr(g, s->e)),
            cl_expr(g, s->args[1].e));
    put(g, "sw_v");
    cl_line(g, "sw_v = sw_shfl_%s(sw_v, sw_lane, %s);", name[s->order - WARP_SHFL], scratch(g));
    cl_line(g, "if (%s) %s = %s;", cl_mask(g), cl_var(g, s->var), from_bits(g, d, "sw_v"));
    cl_line(g, "}");
}

static void
vote(Cl *g, IrStmt *s)
{
    char *p = s->e ? value(g, s->e, "bool") : "true";
    put(g, p);
    cl_line(g, "uint sw_all; uint sw_yes = sw_ballot(%s, &sw_all);", scratch(g));
    cl_line(g, "uint sw_m = %s;", s->n_args ? value(g, s->args[0].e, "uint") : "-1");
    cl_line(g, "sw_yes &= sw_m; sw_all &= sw_m;");
    const char *r = s->order == WARP_ANY   ? "sw_yes != 0"
                    : s->order == WARP_ALL ? "sw_yes == sw_all"
                    : s->order == WARP_EQ  ? "(sw_yes == 0 || sw_yes == sw_all)"
                                           : "sw_yes";
    cl_line(g, "if (%s) %s = %s;", cl_mask(g), cl_var(g, s->var), r);
}

static void
match(Cl *g, IrStmt *s)
{
    DType d = (DType)s->e->dtype;
    cl_line(g, "ulong sw_v = 0;");
    cl_line(g, "if (%s) sw_v = %s;", cl_mask(g), to_bits(g, d, cl_expr(g, s->e)));
    put(g, "sw_v");
    cl_line(g, "uint sw_all; uint sw_yes = sw_match(sw_v, %s, %s, &sw_all);",
            value(g, s->args[0].e, "uint"), scratch(g));
    if (s->order == WARP_MATCH_ANY) {
        cl_line(g, "if (%s) %s = sw_yes;", cl_mask(g), cl_var(g, s->var));
        return;
    }
    cl_line(g, "if (%s) { %s = sw_yes == sw_all ? sw_yes : 0; ", cl_mask(g), cl_var(g, s->var));
    if (s->n_outs && s->outs[0].out)
        cl_line(g, "%s = sw_yes == sw_all;", cl_var(g, s->outs[0].out));
    cl_line(g, "}");
}

void
cl_warp(Cl *g, IrStmt *s)
{
    if (s->order <= WARP_SHFL_XOR) {
        shuffle(g, s);
        return;
    }
    cl_line(g, "{");
    if (s->order == WARP_MATCH_ANY || s->order == WARP_MATCH_ALL)
        match(g, s);
    else
        vote(g, s);
    cl_line(g, "}");
}
