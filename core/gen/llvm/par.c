/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel runs. The function of a chunk is emitted as the pool calls it, i32 (cx, env, c): its
 * other parameters are loaded once, at its start, from slots that the caller has filled on
 * its stack, so that the loops in it see plain values, and nothing has to be inlined. */
#include "emit.h"

static void
find_run(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Gen *g = arg;
    if (s->kind == IS_PAR)
        map_put(&g->cx->arena, &g->chunks, s->func, s->func);
}

void
find_chunks(Gen *g)
{
    for (int i = 0; i < g->m->funcs.n; i++)
        ir_walk_block(&g->m->funcs.at[i]->body, find_run, g);
}

/* The statement's arguments are for the parameters from number `first` on. */
static LV
fill_env(Gen *g, IrStmt *s, int first)
{
    unsigned n = 1;
    int slot = 0;
    for (int i = first; i < s->func->n_params; i++)
        n += (unsigned)slot_count(s->func->vars.at[i]);
    LV env = new_slot(g, LLVMArrayType2(g->i64, n), "env");
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *p = s->func->vars.at[i + first];
        if (s->args[i].arr)
            store_array_slots(g, env, slot, s->args[i].arr, array_owner(g, s->args[i].arr));
        else
            store_slot(g, env, slot, (DType)p->dtype, emit_expr(g, s->args[i].e));
        slot += slot_count(p);
    }
    return env;
}

void
emit_run(Gen *g, IrStmt *s)
{
    FnDecl *d = map_get(&g->decls, s->func);
    LV env = fill_env(g, s, 1);
    LLVMAttributeRef mark = LLVMCreateStringAttribute(g->c, "swathe-runs-chunks", 18, "", 0);
    LLVMAddAttributeAtIndex(g->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
    LV args[5] = {g->ctx, d->fn, env, emit_int(g, s->idx[0]), emit_int(g, s->idx[1])};
    fail_if_status(g, emit_rt_call(g, RT_sw_parallel, args, 5));
}

void
emit_launch(Gen *g, IrStmt *s)
{
    LV env = fill_env(g, s, 0);
    LV args[5] = {g->ctx, env, k32(g, s->n), emit_int(g, s->idx[0]), emit_int(g, s->idx[1])};
    fail_if_status(g, emit_rt_call(g, RT_sw_launch, args, 5));
}

void
emit_shadow(Gen *g, IrStmt *s)
{
    LV args[5] = {g->ctx, array_address(g, s->var, s->idx), k32(g, s->order), k32(g, s->n),
                  k32(g, s->site)};
    fail_if_status(g, emit_rt_call(g, RT_sw_shadow, args, 5));
    if (!dtype_is_complex((DType)s->var->dtype))
        return;
    LV half = k64(g, (int64_t)dtype_size((DType)s->var->dtype) / 2); /* z.imag is an array, too */
    args[1] = LLVMBuildGEP2(g->b, g->i8, args[1], &half, 1, "");
    fail_if_status(g, emit_rt_call(g, RT_sw_shadow, args, 5));
}

void
emit_touch(Gen *g, IrStmt *s)
{
    int what = s->order | s->n << 4 | dtype_size((DType)s->base->dtype) << 8;
    LV shown = s->n_args ? emit_int(g, s->args[0].e) : k64(g, 0);
    LV args[6] = {g->ctx,          array_address(g, s->base, s->idx),
                  k32(g, what),    emit_int(g, s->e),
                  k32(g, s->site), shown};
    fail_if_status(g, emit_rt_call(g, RT_sw_watch_touch, args, 6));
}
