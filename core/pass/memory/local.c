/* SPDX-License-Identifier: BSD-3-Clause
 * Small arrays of a fixed size that end in the block that makes them lie on the stack: a vector of
 * three, a window of pixels, a table of counts, made in each iteration. All that mentions such an
 * array, or a view of it, stands behind its allocation in that block, so that the next time round
 * finds nothing of it; and nobody is given it who may keep it. Nothing is allocated then, and where
 * loops over it are unrolled LLVM has its elements in registers. */
#include "pass/memory/memory.h"

enum { MOST = 4096, MOST_IN_ALL = 32768, MOST_WHEN_DEEP = 256 }; /* bytes; deep: of recursion */

typedef struct Local {
    Cx *cx;
    IrFunc *f;
    int *mentions;      /* by variable: in the whole function, */
    int *seen;          /* and behind the allocations of the variable at hand */
    Vec(IrStmt *) made; /* all that may be on the stack */
    Vec(IrVar *) kin;   /* of the allocation at hand: its variable and what looks at that */
    Vec(IrVar *) all;   /* of all of the variable's */
    const IrStmt *at;   /* the allocation at hand */
    bool kept;          /* by somebody */
    int steps;          /* statements that may still be looked at */
    int64_t left;       /* bytes */
} Local;

static int64_t
bytes_of(const IrStmt *s)
{
    int64_t n, k;
    if (s->kind != IS_ALLOC || s->var->space != SPACE_HEAP || s->var->obj || s->order == LAY_F ||
        s->var->is_param || !s->var->ndim)
        return 0;
    n = dtype_size(s->var->dtype);
    for (int i = 0; i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &k) || k <= 0 || k > MOST || n * k > MOST)
            return 0;
        n *= k;
    }
    return n;
}

static IrVar *
count(IrVar *v, void *arg)
{
    Local *o = arg;
    o->mentions[v->id]++;
    return v;
}

static void
count_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    memory_name_stmt(s, count, arg);
}

static bool
is_kin(const Local *o, const IrVar *v)
{
    for (int i = 0; v && i < o->kin.n; i++)
        if (o->kin.at[i] == v)
            return true;
    return false;
}

static IrVar *
note(IrVar *v, void *arg)
{
    Local *o = arg;
    if (is_kin(o, v))
        o->seen[v->id]++;
    return v;
}

static bool
any_kin(const Local *o, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        if (is_kin(o, a[i].arr))
            return true;
    return false;
}

/* May s keep what it is given, or is it another definition? */
static bool
keeps(const Local *o, const IrStmt *s)
{
    bool looks = (s->kind == IS_VIEW || s->kind == IS_ALIAS) && is_kin(o, s->base);
    if (any_kin(o, s->outs, s->n_outs))
        return true;
    if (any_kin(o, s->args, s->n_args) && !ir_is_overlap(s) &&
        !(s->kind == IS_CALL && ir_is_kernel(s->func)))
        return true;
    if (is_kin(o, s->var) && s != o->at && !looks && s->kind != IS_STORE &&
        s->kind != IS_CHECK_INDEX && s->kind != IS_DROP && s->kind != IS_COPY)
        return true;
    return is_kin(o, s->base) && !looks && s->kind != IS_COPY;
}

static bool
all_seen(const Local *o)
{
    for (int i = 0; i < o->all.n; i++)
        if (o->seen[o->all.at[i]->id] < o->mentions[o->all.at[i]->id])
            return false;
    return true;
}

static void
add_kin(Local *o, IrVar *v)
{
    VEC_PUSH(&o->cx->arena, o->kin, v);
    VEC_PUSH(&o->cx->arena, o->all, v);
}

static void
look(Local *o, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool looks = (s->kind == IS_VIEW || s->kind == IS_ALIAS) && is_kin(o, s->base);
    o->kept |= o->steps-- <= 0 || keeps(o, s) || (looks && s->var->is_param);
    if (looks && !is_kin(o, s->var))
        add_kin(o, s->var);
    memory_name_stmt(s, note, o);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t && !o->kept; t = t->next)
            look(o, t);
}

static bool
same_dims(const IrStmt *a, const IrStmt *b)
{
    for (int i = 0; i < a->n_idx; i++)
        if (!ir_expr_equal(a->idx[i], b->idx[i]))
            return false;
    return true;
}

/* Of versions of a loop each has its own allocation of the variable. */
static void
place(Local *o, int first)
{
    const IrStmt *s = o->made.at[first];
    int64_t bytes = bytes_of(s);
    o->all.n = 0;
    o->kept = !bytes || bytes > o->left;
    for (int i = first; i < o->made.n && !o->kept; i++) {
        IrStmt *m = o->made.at[i];
        if (m->var != s->var)
            continue;
        o->kept = !same_dims(s, m);
        o->at = m;
        o->kin.n = 0;
        add_kin(o, s->var);
        for (IrStmt *t = m; t && !o->kept; t = t->next) {
            look(o, t);
            if (all_seen(o))
                break;
        }
    }
    if (!o->kept && all_seen(o)) {
        s->var->space = SPACE_LOCAL;
        o->left -= bytes;
    }
    for (int i = 0; i < o->all.n; i++)
        o->seen[o->all.at[i]->id] = 0;
}

static void
gather_made(IrBlock *b, IrStmt *s, void *arg)
{
    Local *o = arg;
    (void)b;
    if (bytes_of(s))
        VEC_PUSH(&o->cx->arena, o->made, s);
}

void
pass_local(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Local o = {.cx = p->cx, .f = f, .steps = 100000};
        Map known = {0};
        o.left = f->recursive ? MOST_WHEN_DEEP : MOST_IN_ALL;
        ir_walk_block(&f->body, gather_made, &o);
        if (!o.made.n)
            continue;
        o.mentions = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        o.seen = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        ir_walk_block(&f->body, count_in, &o);
        for (int k = 0; k < o.made.n && o.steps > 0; k++) {
            IrVar *v = o.made.at[k]->var;
            if (map_get(&known, v))
                continue;
            map_put(&p->cx->arena, &known, v, v);
            place(&o, k);
        }
    }
}
