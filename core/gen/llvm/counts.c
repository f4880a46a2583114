/* SPDX-License-Identifier: BSD-3-Clause
 * Reference counts of arrays and objects. Calls of the runtime change them, and code in place does
 * in the innermost loops of a function, and in others, as far as it stays small. */
#include "emit.h"

/* ---- where it pays to count in place --------------------------------------------------------- */

enum {
    DEEPEST = 8,
    MOST_IN_PLACE = 36 /* changes of counts; each is four blocks */
};

static bool
holds_reference(const IrVar *v)
{
    return v && v->is_array && v->owned;
}

static int
changes_of(const IrStmt *s)
{
    if (s->kind == IS_PUT)
        return 1 + !ir_put_is_first(s);
    if (s->kind == IS_DROP)
        return holds_reference(s->var);
    return ir_does(s, ST_DEFINES) && holds_reference(s->var) ? 1 + ir_does(s, ST_LOOKS) : 0;
}

static void
count_changes(const IrBlock *b, int depth, int *at)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        at[depth] += changes_of(s);
        IrBlock *in[IR_MAX_BLOCKS];
        int n = ir_blocks(s, in);
        bool loop = ir_does(s, ST_REPEATS);
        for (int i = 0; i < n; i++) {
            bool cold =
                s->kind == IS_IF ? (in[i] == &s->body ? s->cold : s->cold_else) : loop && s->cold;
            if (!cold)
                count_changes(in[i], loop && depth < DEEPEST ? depth + 1 : depth, at);
        }
    }
}

void
counts_begin(Gen *g)
{
    int at[DEEPEST + 1] = {0}, left = MOST_IN_PLACE, depth = DEEPEST;
    int least = g->f->entry; /* what it does outside of loops it does once */
    count_changes(&g->f->body, 0, at);
    while (depth > least && !at[depth])
        depth--;
    while (depth >= least && at[depth] <= left)
        left -= at[depth--];
    g->count_depth = depth + 1;
}

/* ---- changing them --------------------------------------------------------------------------- */

enum { CTX_ALONE = 16 }; /* SwCtx.alone */

/* A count that no other thread knows is changed in place, but the last. */
static void
count_in_place(Gen *g, IrRt rt, LV owner, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef here = new_block(g, "alone"), other = new_block(g, "shared");
    LV flag = get(g, g->ptr, field(g, g->ctx, CTX_ALONE));
    LLVMSetMetadata(flag, g->md_invariant, g->empty);
    LV alone = LLVMBuildICmp(g->b, LLVMIntNE, get(g, g->i8, flag), LLVMConstNull(g->i8), "");
    LV n = get(g, g->i64, owner);
    LLVMSetMetadata(n, g->md_tbaa, g->in_count);
    LV more = LLVMBuildICmp(g->b, LLVMIntNE, n, k64(g, 1), "");
    if (rt == RT_sw_release)
        alone = LLVMBuildAnd(g->b, alone, more, "");
    branch(g, alone, here, other, g->likely);
    LLVMPositionBuilderAtEnd(g->b, here);
    LV now = LLVMBuildAdd(g->b, n, k64(g, rt == RT_sw_retain ? 1 : -1), "");
    LLVMSetMetadata(LLVMBuildStore(g->b, now, owner), g->md_tbaa, g->in_count);
    jump(g, next);
    LLVMPositionBuilderAtEnd(g->b, other);
}

static bool
runs_often(const Gen *g)
{
    int depth = 0;
    for (const LoopTarget *t = g->loops; t; t = t->up)
        depth++;
    return depth >= g->count_depth && !g->cold;
}

static void
call_unless_null(Gen *g, IrRt rt, LV owner)
{
    if (g->ptx || LLVMIsNull(owner)) /* nothing in a kernel owns memory */
        return;
    LLVMBasicBlockRef yes = new_block(g, "counted"), next = new_block(g, "next");
    LV some = LLVMBuildICmp(g->b, LLVMIntNE, owner, LLVMConstNull(g->ptr), "");
    branch(g, some, yes, next, NULL);
    LLVMPositionBuilderAtEnd(g->b, yes);
    if (runs_often(g))
        count_in_place(g, rt, owner, next);
    emit_rt_call(g, rt, &owner, 1);
    jump(g, next);
    LLVMPositionBuilderAtEnd(g->b, next);
}

void
array_retain(Gen *g, LV owner)
{
    call_unless_null(g, RT_sw_retain, owner);
}

void
array_release(Gen *g, LV owner)
{
    call_unless_null(g, RT_sw_release, owner);
}
