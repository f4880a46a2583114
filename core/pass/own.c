/* SPDX-License-Identifier: BSD-3-Clause
 * Array variables: which hold a reference, which only borrow, and which share memory with no
 * other. First a variable assigned several times becomes several. Then the moves go that lowering makes by the way: `t = alloc; fill t; y = alias t;
 * drop t` fills y itself, `t = call; y = alias t; drop t` yields y, and a name for an array that never changes is that array. Then
 * a view borrows when what it looks into outlives it for certain: a parameter that is never
 * assigned (the caller holds it), or a variable assigned once, at the top level of the
 * function, and never dropped. In doubt a variable owns. */
#include "pass/pass.h"

typedef struct Facts { /* of one array variable */
    int defs, drops, uses; /* uses: mentions other than the two */
    IrStmt *def;           /* the last one seen */
    IrBlock *block;        /* of def */
    uint32_t all;          /* traits that each of its definitions has */
    bool once;             /* def is in no loop */
    bool shared;           /* some other variable may share its memory */
} Facts;

typedef struct Own {
    Cx *cx;
    IrFunc *f;
    Facts *at; /* by variable id */
    int depth, loops, tries; /* of the blocks that the walk is in */
    bool changed;
} Own;

/* ---- facts ------------------------------------------------------------------------------------ */

static bool
use_expr(IrExpr **e, void *arg)
{
    if ((*e)->var)
        ((Own *)arg)->at[(*e)->var->id].uses++;
    return true;
}

static void
add_array_def(Own *o, IrBlock *b, IrStmt *s, IrVar *v)
{
    Facts *k = &o->at[v->id];
    uint32_t does = stmt_info[s->kind].traits | (ir_call_makes_alone(s, v) ? ST_ALLOCATES : 0);
    k->all = k->defs++ ? k->all & does : does;
    k->def = s;
    k->block = b;
    k->once = o->loops == 0;
}

static void
add_call(Own *o, IrBlock *b, IrStmt *s)
{
    for (int r = 0; r < s->n_outs; r++) {
        IrVar *v = s->outs[r].arr;
        if (!v)
            continue;
        add_array_def(o, b, s, v);
        for (int i = 0; i < s->n_args; i++)
            if (s->args[i].arr)
                o->at[s->args[i].arr->id].shared |= ir_call_views(s, v, i);
    }
}

static void
use_array(IrVar *v, unsigned how, void *arg)
{
    Facts *k = &((Own *)arg)->at[v->id];
    k->uses++;
    k->shared |= (how & IR_LOOKS) != 0;
}

static void
add_stmt(Own *o, IrBlock *b, IrStmt *s)
{
    ir_walk_stmt_exprs(s, use_expr, o);
    ir_walk_arrays(s, use_array, o);
    if (ir_does(s, ST_ENDS))
        o->at[s->var->id].drops++;
    else if (ir_does(s, ST_DEFINES) && s->var && s->var->is_array)
        add_array_def(o, b, s, s->var);
    if (ir_does(s, ST_LOOKS))
        o->at[s->var->id].shared = true;
    add_call(o, b, s);
}

static void
enter(Own *o, const IrStmt *s, int n_blocks, int by)
{
    o->depth += n_blocks ? by : 0;
    o->loops += ir_does(s, ST_REPEATS) ? by : 0;
    o->tries += s->kind == IS_TRY ? by : 0;
}

static void
add_block(Own *o, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        add_stmt(o, b, s);
        int n = ir_blocks(s, sub);
        enter(o, s, n, 1);
        for (int i = 0; i < n; i++)
            add_block(o, sub[i]);
        enter(o, s, n, -1);
    }
}

static void
gather(Own *o)
{
    o->at = NEW_N(&o->cx->arena, Facts, o->f->vars.n + 1);
    add_block(o, &o->f->body);
}

/* ---- renaming ---------------------------------------------------------------------------------- */

typedef struct Rename {
    IrVar *from, *to;
} Rename;

static bool
rename_expr(IrExpr **e, void *arg)
{
    const Rename *r = arg;
    if ((*e)->var == r->from)
        (*e)->var = r->to;
    return true;
}

static void
rename_args(const Rename *r, IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].arr == r->from)
            a[i].arr = r->to;
}

static void
rename_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    const Rename *r = arg;
    (void)b;
    ir_walk_stmt_exprs(s, rename_expr, arg);
    if (s->var == r->from)
        s->var = r->to;
    if (s->base == r->from)
        s->base = r->to;
    rename_args(r, s->args, s->n_args);
    rename_args(r, s->outs, s->n_outs);
}

static bool
mentions_expr(IrExpr **e, void *arg)
{
    Rename *r = arg;
    if ((*e)->var == r->from)
        r->to = r->from;
    return true;
}

static void
mentions_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Rename *r = arg;
    (void)b;
    ir_walk_stmt_exprs(s, mentions_expr, arg);
    bool found = s->var == r->from || s->base == r->from;
    for (int i = 0; i < s->n_args; i++)
        found |= s->args[i].arr == r->from;
    for (int i = 0; i < s->n_outs; i++)
        found |= s->outs[i].arr == r->from;
    if (found)
        r->to = r->from;
}

/* Does any statement from `first` up to, not with, `end` (NULL: the block's end) mention v? */
static bool
mentioned(IrStmt *first, const IrStmt *end, IrVar *v)
{
    Rename r = {v, NULL};
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = first; s && s != end && !r.to; s = s->next) {
        mentions_stmt(NULL, s, &r);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], mentions_stmt, &r);
    }
    return r.to != NULL;
}

static void
rename_range(IrStmt *first, const IrStmt *end, Rename *r)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = first; s && s != end; s = s->next) {
        rename_stmt(NULL, s, r);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], rename_stmt, r);
    }
}

/* ---- versions ------------------------------------------------------------------------------------ */

/* A variable that is assigned again in the same block has ended its first life there: each life gets
 * a variable of its own, so that it has one definition. Not inside a try, whose handlers see whichever
 * life was the last. */

static bool
defines_array(const IrStmt *s)
{
    return ir_does(s, ST_DEFINES) && !ir_does(s, ST_ENDS) && s->var && s->var->is_array;
}

static IrVar *
new_life(Own *o, const IrVar *v)
{
    IrVar *n = ir_array_var(o->f, v->name, (DType)v->dtype, v->ndim, (Layout)v->layout);
    n->readonly = v->readonly;
    return n;
}

static void
drop_after(Own *o, IrBlock *b, IrStmt *s, IrVar *v)
{
    IrStmt *d = ir_stmt(o->cx, IS_DROP, s->at);
    d->var = v;
    ir_insert_before(b, s->next, d);
}

/* At the function's top level nothing before `s` runs again: all from it on is the new life. */
static void
split_top(Own *o, IrBlock *b, IrStmt *s)
{
    IrVar *v = s->var;
    if (!v->is_param && !mentioned(b->first, s, v) && s->base != v)
        return;
    Rename r = {v, new_life(o, v)};
    IrStmt *next = s->next;
    if (!v->is_param)
        drop_after(o, b, s, v);
    rename_range(next, NULL, &r);
    s->var = r.to;
}

static void
split_inner(Own *o, IrBlock *b, IrStmt *s)
{
    IrVar *v = s->var;
    IrStmt *p = s->prev;
    while (p && !(defines_array(p) && p->var == v))
        p = p->prev;
    if (!p)
        return;
    IrBlock between = {p, s};
    IrStmt *after = s->next;
    s->next = NULL;
    bool breaks = ir_effects(o->f, &between).breaks;
    s->next = after;
    if (breaks)
        return;
    Rename r = {v, new_life(o, v)};
    p->var = r.to;
    rename_range(p->next, s, &r);
    ir_walk_stmt_exprs(s, rename_expr, &r);
    if (s->base == v)
        s->base = r.to;
    drop_after(o, b, s, r.to);
}

static void
split_lives(Own *o, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        enter(o, s, n, 1);
        for (int i = 0; i < n; i++)
            split_lives(o, sub[i]);
        enter(o, s, n, -1);
        if (!defines_array(s) || o->tries)
            continue;
        if (o->depth == 0)
            split_top(o, b, s);
        else
            split_inner(o, b, s);
    }
}

/* ---- moves --------------------------------------------------------------------------------------- */

static bool
same_type(const IrVar *a, const IrVar *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim && a->layout == b->layout;
}

static IrStmt *
find_drop(IrStmt *s, const IrVar *v)
{
    while (s && !(s->kind == IS_DROP && s->var == v))
        s = s->next;
    return s;
}

/* `s` is `y = alias t`. An error between t's alloc and here must not show the new y, so
 * inside a try only a y without an older value takes part. */
static bool
move_temp(Own *o, IrBlock *b, IrStmt *s)
{
    IrVar *y = s->var, *t = s->base;
    Facts *ft = &o->at[t->id], *fy = &o->at[y->id];
    if (y == t || !same_type(y, t) || t->is_param || ft->defs != 1 || ft->drops > 1 ||
        ft->block != b || (ft->def->kind != IS_ALLOC && ft->def->kind != IS_CALL))
        return false;
    if ((o->tries || t->space != SPACE_HEAP) && (fy->defs != 1 || fy->drops || y->is_param))
        return false;
    IrStmt *drop = find_drop(s->next, t);
    if ((ft->drops && !drop) || mentioned(ft->def, s, y) || mentioned(s->next, drop, t))
        return false;
    if (!drop && o->depth) /* t might be used in the next round of a loop */
        return false;
    if (drop && mentioned(drop->next, NULL, t))
        return false;
    Rename r = {t, y};
    rename_range(ft->def, s, &r);
    y->space = t->space;
    if (drop)
        ir_remove(b, drop);
    ir_remove(b, s);
    ft->defs = 0;
    fy->def = ft->def; /* stands where y's value comes from now */
    o->changed = true;
    return true;
}

static void
move_temps(Own *o, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_ALIAS && next && next->kind == IS_DROP && next->var == s->base)
            next = next->next;
        if (s->kind == IS_ALIAS && move_temp(o, b, s))
            continue;
        int n = ir_blocks(s, sub);
        enter(o, s, n, 1);
        for (int i = 0; i < n; i++)
            move_temps(o, sub[i]);
        enter(o, s, n, -1);
    }
}

/* ---- names for arrays that never change ---------------------------------------------------------- */

/* One array from its definition to the function's end. */
static bool
lasts(const Own *o, const IrVar *v)
{
    const Facts *k = &o->at[v->id];
    return k->drops == 0 && (v->is_param ? k->defs == 0 : k->defs == 1 && k->once);
}

typedef struct Aliases {
    Vec(IrStmt *) list;
    Vec(IrBlock *) block;
    Arena *arena;
} Aliases;

static void
find_alias(IrBlock *b, IrStmt *s, void *arg)
{
    Aliases *a = arg;
    if (s->kind != IS_ALIAS)
        return;
    VEC_PUSH(a->arena, a->list, s);
    VEC_PUSH(a->arena, a->block, b);
}

static void
remove_drop(IrBlock *b, IrStmt *s, void *arg)
{
    if (s->kind == IS_DROP && s->var == arg)
        ir_remove(b, s);
}

static void
merge_names(Own *o)
{
    Aliases a = {.arena = &o->cx->arena};
    ir_walk_block(&o->f->body, find_alias, &a);
    for (int i = 0; i < a.list.n; i++) {
        IrStmt *s = a.list.at[i];
        IrVar *v = s->var, *base = s->base;
        bool weaker = v->layout == base->layout || v->layout == LAY_A;
        if (v == base || v->is_param || o->at[v->id].defs != 1 || !weaker || !lasts(o, base))
            continue;
        Rename r = {v, base};
        ir_remove(a.block.at[i], s);
        ir_walk_block(&o->f->body, remove_drop, v);
        ir_walk_block(&o->f->body, rename_stmt, &r);
        gather(o);
    }
}

/* ---- what nobody uses ----------------------------------------------------------------------------- */

static void
drop_dead(IrBlock *b, IrStmt *s, void *arg)
{
    Own *o = arg;
    if (!s->var || !s->var->is_array)
        return;
    const Facts *k = &o->at[s->var->id];
    bool dead = !s->var->is_param && k->uses == 0 && (!k->defs || k->all & ST_PURE);
    if (dead && ir_does(s, ST_PURE | ST_ENDS)) {
        ir_remove(b, s);
        o->changed = true;
    } else if (s->kind == IS_DROP && (!s->var->owned || (!k->defs && !s->var->is_param))) {
        ir_remove(b, s);
    }
}

/* ---- who borrows ------------------------------------------------------------------------------------ */

static void
find_owners(IrBlock *b, IrStmt *s, void *arg)
{
    Own *o = arg;
    (void)b;
    if ((s->kind != IS_VIEW && s->kind != IS_ALIAS) || s->var->owned)
        return;
    if (s->base->owned && !lasts(o, s->base))
        o->changed = s->var->owned = true;
}

static void
decide(Own *o)
{
    for (int i = 0; i < o->f->vars.n; i++) {
        IrVar *v = o->f->vars.at[i];
        const Facts *k = &o->at[i];
        if (!v->is_array)
            continue;
        v->owned = v->is_param ? k->defs > 0 || k->drops > 0
                               : k->defs > 0 && !(k->all & ST_PURE);
        v->noalias = !v->is_param && k->defs > 0 && k->all & ST_ALLOCATES && !k->shared;
    }
    do { /* an owner found may own what others borrow */
        o->changed = false;
        ir_walk_block(&o->f->body, find_owners, o);
    } while (o->changed);
}

void
pass_own(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Own o = {.cx = p->cx, .f = p->mod->funcs.at[i]};
        split_lives(&o, &o.f->body);
        gather(&o);
        move_temps(&o, &o.f->body);
        gather(&o);
        merge_names(&o);
        for (int round = 0; round < 4; round++) {
            o.changed = false;
            gather(&o);
            ir_walk_block(&o.f->body, drop_dead, &o);
            if (!o.changed)
                break;
        }
        gather(&o);
        decide(&o);
        ir_walk_block(&o.f->body, drop_dead, &o);
    }
}
