/* SPDX-License-Identifier: BSD-3-Clause
 * Array variables: which hold a reference, which only borrow, and which share memory with no
 * other. First a variable assigned several times becomes several. Then the moves go that lowering
 * makes by the way: `t = alloc; fill t; y = alias t; drop t` fills y itself, `t = call; y = alias
 * t; drop t` yields y, and a name for an array that never changes is that array. Then a view
 * borrows when what it looks into outlives it for certain: a parameter that is never assigned (the
 * caller holds it), or a variable assigned once, at the top level of the function, and never
 * dropped. In doubt a variable owns. Where objects are followed, borrow.c decides. */
#include "pass/memory/memory.h"

typedef struct Facts {     /* of one array variable */
    int defs, drops, uses; /* uses: mentions other than the two */
    IrStmt *def;           /* the last one seen */
    IrBlock *block;        /* of def */
    uint32_t all;          /* traits that each of its definitions has */
    bool once;             /* def is in no loop */
    bool shared;           /* some other variable may share its memory */
    IrStmt *drop;          /* the last one seen, */
    IrBlock *drop_block;
    /* numbers of it and of the last statement that mentions the variable */
    int drop_at, last;
} Facts;

typedef struct Refcount {
    Cx *cx;
    IrFunc *f;
    Facts *at; /* by variable id */
    int n_at;
    int depth, loops, tries; /* of the blocks that the walk is in */
    int number;              /* of the statement that the walk is at */
    Map alias_at;            /* numbers of aliases */
    bool changed;
} Refcount;

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct Naming {
    NameFn fn;
    void *arg;
} Naming;

static bool
name_expr(IrExpr **e, void *arg)
{
    const Naming *n = arg;
    if ((*e)->var && (*e)->var->is_array)
        (*e)->var = n->fn((*e)->var, n->arg);
    return true;
}

static void
name_args(const Naming *n, IrArg *a, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i].arr)
            a[i].arr = n->fn(a[i].arr, n->arg);
}

/* Each array that s itself mentions. */
void
memory_name_stmt(IrStmt *s, NameFn fn, void *arg)
{
    Naming n = {fn, arg};
    ir_walk_stmt_exprs(s, name_expr, &n);
    if (s->var && s->var->is_array)
        s->var = fn(s->var, arg);
    if (s->base)
        s->base = fn(s->base, arg);
    name_args(&n, s->args, s->n_args);
    name_args(&n, s->outs, s->n_outs);
}

static void
name_in_block(IrBlock *b, IrStmt *s, void *arg)
{
    const Naming *n = arg;
    (void)b;
    memory_name_stmt(s, n->fn, n->arg);
}

/* The same with all that is in it. */
void
memory_name_all(IrStmt *s, NameFn fn, void *arg)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Naming naming = {fn, arg};
    int n = ir_blocks(s, sub);
    memory_name_stmt(s, fn, arg);
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], name_in_block, &naming);
}

IrVar *
memory_renamed(IrVar *v, void *rename)
{
    const Rename *r = rename;
    return v == r->from ? r->to : v;
}

static IrVar *
find_name(IrVar *v, void *arg)
{
    Rename *r = arg;
    if (v == r->from)
        r->to = v;
    return v;
}

/* Does any statement from `first` up to, not with, `end` (NULL: the block's end) mention v? */
static bool
mentioned(IrStmt *first, const IrStmt *end, IrVar *v)
{
    Rename r = {v, NULL};
    for (IrStmt *s = first; s && s != end && !r.to; s = s->next)
        memory_name_all(s, find_name, &r);
    return r.to != NULL;
}

static void
rename_range(IrStmt *first, const IrStmt *end, Rename *r)
{
    for (IrStmt *s = first; s && s != end; s = s->next)
        memory_name_all(s, memory_renamed, r);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static bool
use_expr(IrExpr **e, void *arg)
{
    if ((*e)->var)
        ((Refcount *)arg)->at[(*e)->var->id].uses++;
    return true;
}

static void
add_array_def(Refcount *o, IrBlock *b, IrStmt *s, IrVar *v)
{
    Facts *k = &o->at[v->id];
    uint32_t does = stmt_info[s->kind].traits | (ir_call_makes_alone(s, v) ? ST_ALLOCATES : 0);
    k->all = k->defs++ ? k->all & does : does;
    k->def = s;
    k->block = b;
    k->once = o->loops == 0;
}

static void
add_call(Refcount *o, IrBlock *b, IrStmt *s)
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

/* Of arrays that a call may make refer to each other none is alone any more. */
static void
add_links(Refcount *o, const IrStmt *s)
{
    uint64_t links = ir_does(s, ST_CALLS) && s->func ? ir_summary(s->func)->links : 0;
    for (int i = 0; links && i < s->n_args; i++)
        if (s->args[i].arr && links & ir_param_bit(i + (s->kind == IS_PAR)))
            o->at[s->args[i].arr->id].shared = true;
}

static void
use_array(IrVar *v, unsigned how, void *arg)
{
    Facts *k = &((Refcount *)arg)->at[v->id];
    k->uses++;
    k->shared |= (how & IR_LOOKS) != 0;
}

static IrVar *
note_last(IrVar *v, void *arg)
{
    Refcount *o = arg;
    o->at[v->id].last = o->number;
    return v;
}

static void
add_drop(Refcount *o, IrBlock *b, IrStmt *s)
{
    Facts *k = &o->at[s->var->id];
    k->drops++;
    k->drop = s->kind == IS_DROP ? s : NULL;
    k->drop_block = b;
    k->drop_at = o->number;
}

static void
add_stmt(Refcount *o, IrBlock *b, IrStmt *s)
{
    o->number++;
    memory_name_stmt(s, note_last, o);
    if (s->kind == IS_ALIAS)
        map_put(&o->cx->arena, &o->alias_at, s, (void *)(intptr_t)o->number);
    ir_walk_stmt_exprs(s, use_expr, o);
    ir_walk_arrays(s, use_array, o);
    if (ir_does(s, ST_ENDS))
        add_drop(o, b, s);
    else if (ir_does(s, ST_DEFINES) && s->var && s->var->is_array)
        add_array_def(o, b, s, s->var);
    if (ir_does(s, ST_LOOKS))
        o->at[s->var->id].shared = true;
    add_call(o, b, s);
    add_links(o, s);
}

static void
enter(Refcount *o, const IrStmt *s, int n_blocks, int by)
{
    o->depth += n_blocks ? by : 0;
    o->loops += ir_does(s, ST_REPEATS) ? by : 0;
    o->tries += s->kind == IS_TRY ? by : 0;
}

static void
add_block(Refcount *o, IrBlock *b)
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
gather(Refcount *o)
{
    int n = o->f->vars.n + 1;
    if (o->n_at < n)
        o->at = NEW_N(&o->cx->arena, Facts, n);
    else
        memset(o->at, 0, sizeof *o->at * (size_t)n);
    o->n_at = n;
    o->number = 0;
    o->alias_at = (Map){0};
    add_block(o, &o->f->body);
}

/* ---- versions -------------------------------------------------------------------------------- */

/* A variable that is assigned again in the same block has ended its first life there: each life
 * gets a variable of its own, so that it has one definition. Not inside a try, whose handlers see
 * whichever life was the last. */

typedef struct Lives {
    Refcount *o;
    Map now;    /* what a variable is called at this place: IrVar -> IrVar */
    Map first;  /* of these -> the variable of the source */
    int active; /* entries of now */
    bool *seen; /* by id, of the first n_seen: mentioned already */
    int n_seen;
} Lives;

static bool
defines_array(const IrStmt *s)
{
    return ir_does(s, ST_DEFINES) && !ir_does(s, ST_ENDS) && s->var && s->var->is_array;
}

static IrVar *
new_life(Refcount *o, const IrVar *v)
{
    return ir_var_like(o->f, v->name, v);
}

static void
drop_after(Refcount *o, IrBlock *b, IrStmt *s, IrVar *v)
{
    IrStmt *d = ir_stmt(o->cx, IS_DROP, s->at);
    d->var = v;
    ir_insert_before(b, s->next, d);
}

static IrVar *
name_now(IrVar *v, void *arg)
{
    IrVar *n = map_get(&((Lives *)arg)->now, v);
    return n ? n : v;
}

static IrVar *
note_seen(IrVar *v, void *arg)
{
    Lives *l = arg;
    if (v->id < l->n_seen)
        l->seen[v->id] = true;
    return v;
}

static void
begin_life(Lives *l, IrVar *of, IrVar *life)
{
    l->active += !map_get(&l->now, of);
    map_put(&l->o->cx->arena, &l->now, of, life);
}

/* At the function's top level nothing before `s` runs again: all from it on is the new life. */
static void
split_top(Lives *l, IrBlock *b, IrStmt *s)
{
    Refcount *o = l->o;
    IrVar *v = s->var, *of = map_get(&l->first, v);
    if (!v->is_param && v->id < l->n_seen && !l->seen[v->id] && s->base != v)
        return;
    if (!v->is_param)
        drop_after(o, b, s, v);
    s->var = new_life(o, v);
    begin_life(l, of ? of : v, s->var);
    map_put(&o->cx->arena, &l->first, s->var, of ? of : v);
}

/* Of a block that may run again: its last life keeps the name. `life`: definitions -> the name of
 * what they define. */
static void
name_lives(Refcount *o, IrBlock *b, const Map *life)
{
    Lives l = {.o = o};
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        IrVar *v = defines_array(s) ? s->var : NULL, *was = v ? map_get(&l.now, v) : NULL,
              *is = map_get(life, s);
        if (l.active)
            memory_name_all(s, name_now, &l);
        if (was) {
            drop_after(o, b, s, was);
            l.active--;
            map_put(&o->cx->arena, &l.now, v, NULL);
        }
        if (v)
            s->var = is ? is : v;
        if (is)
            begin_life(&l, v, is);
    }
}

static bool split_inner(Refcount *o, IrBlock *b);

/* Yields whether s breaks out of the block that it stands in. */
static bool
split_inside(Refcount *o, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = ir_blocks(s, sub);
    bool breaks = ir_does(s, ST_BREAKS);
    enter(o, s, n, 1);
    for (int i = 0; i < n; i++)
        breaks |= split_inner(o, sub[i]) && !ir_does(s, ST_REPEATS);
    enter(o, s, n, -1);
    return breaks;
}

static bool
split_inner(Refcount *o, IrBlock *b)
{
    Arena *a = &o->cx->arena;
    /* the last definition of each; how many breaks there were before it */
    Map def = {0}, broken = {0}, life = {0};
    intptr_t n = 0;
    for (IrStmt *s = b->first; s; s = s->next) {
        n += split_inside(o, s);
        if (!defines_array(s) || o->tries)
            continue;
        IrStmt *p = map_get(&def, s->var);
        if (p && (intptr_t)map_get(&broken, p) == n)
            map_put(a, &life, p, new_life(o, s->var));
        map_put(a, &def, s->var, s);
        map_put(a, &broken, s, (void *)n);
    }
    if (life.n)
        name_lives(o, b, &life);
    return n > 0;
}

static void
split_lives(Refcount *o, IrBlock *b)
{
    Lives l = {
        .o = o, .n_seen = o->f->vars.n, .seen = NEW_N(&o->cx->arena, bool, o->f->vars.n + 1)};
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (l.active)
            memory_name_all(s, name_now, &l);
        split_inside(o, s);
        if (defines_array(s))
            split_top(&l, b, s);
        memory_name_all(s, note_seen, &l);
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool
same_type(const IrVar *a, const IrVar *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim && a->layout == b->layout &&
           ir_same_obj(a, b);
}

/* `s` is `y = alias t`. An error between t's alloc and here must not show the new y, so
 * inside a try only a y without an older value takes part. */
static bool
move_temp(Refcount *o, IrBlock *b, IrStmt *s)
{
    IrVar *y = s->var, *t = s->base;
    Facts *ft = &o->at[t->id], *fy = &o->at[y->id];
    if (y == t || !same_type(y, t) || t->is_param || ft->defs != 1 || ft->drops > 1 ||
        ft->block != b || (ft->def->kind != IS_ALLOC && ft->def->kind != IS_CALL))
        return false;
    if ((o->tries || t->space != SPACE_HEAP) && (fy->defs != 1 || fy->drops || y->is_param))
        return false;
    int here = (int)(intptr_t)map_get(&o->alias_at, s);
    IrStmt *drop = ft->drops && ft->drop_block == b && ft->drop_at > here ? ft->drop : NULL;
    if ((ft->drops && !drop) || mentioned(ft->def, s, y))
        return false;
    if (!drop && o->depth) /* t might be used in the next round of a loop */
        return false;
    if (ft->last > here && mentioned(s->next, drop, t))
        return false;
    if (drop && ft->last > ft->drop_at && mentioned(drop->next, NULL, t))
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
move_temps(Refcount *o, IrBlock *b)
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

/* ---- names for arrays that never change ------------------------------------------------------ */

/* One array from its definition to the function's end. */
static bool
lasts(const Refcount *o, const IrVar *v)
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

static IrVar *
merged_name(IrVar *v, void *arg)
{
    for (IrVar *n; (n = map_get(arg, v)); v = n)
        continue;
    return v;
}

static void
merge_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    if (s->kind == IS_DROP && map_get(arg, s->var))
        ir_remove(b, s);
    else
        memory_name_stmt(s, merged_name, arg);
}

/* What is known of a variable doesn't change when another becomes a name for it: only its uses
 * do. */
static void
merge_names(Refcount *o)
{
    Aliases a = {.arena = &o->cx->arena};
    Map to = {0};
    ir_walk_block(&o->f->body, find_alias, &a);
    for (int i = 0; i < a.list.n; i++) {
        IrStmt *s = a.list.at[i];
        IrVar *v = s->var, *base = merged_name(s->base, &to);
        bool weaker = v->layout == base->layout || v->layout == LAY_A;
        if (v == base || v->is_param || o->at[v->id].defs != 1 || !weaker || !lasts(o, base))
            continue;
        ir_remove(a.block.at[i], s);
        map_put(a.arena, &to, v, base);
    }
    if (to.n)
        ir_walk_block(&o->f->body, merge_stmt, &to);
}

/* ---- what nobody uses ------------------------------------------------------------------------ */

/* A few bytes, which are there for certain: no error goes with them. */
static bool
is_small(const IrStmt *s)
{
    int64_t c, n = 1;
    for (int i = 0; i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &c) || c < 0 || c > 4096)
            return false;
        n = n > 4096 ? n : n * c;
    }
    return n <= 4096;
}

static void
drop_dead(IrBlock *b, IrStmt *s, void *arg)
{
    Refcount *o = arg;
    if (!s->var || !s->var->is_array)
        return;
    const Facts *k = &o->at[s->var->id];
    bool small = s->kind == IS_ALLOC && is_small(s);
    bool may_go = k->all & ST_PURE || ((s->kind == IS_GET || small) && k->defs == 1);
    bool dead = !s->var->is_param && k->uses == 0 && (!k->defs || may_go);
    if (dead && (ir_does(s, ST_PURE | ST_ENDS) || s->kind == IS_GET || small)) {
        ir_remove(b, s);
        o->changed = true;
    } else if (s->kind == IS_DROP && (!s->var->owned || (!k->defs && !s->var->is_param))) {
        ir_remove(b, s);
    }
}

/* ---- who borrows ----------------------------------------------------------------------------- */

static void
find_owners(IrBlock *b, IrStmt *s, void *arg)
{
    Refcount *o = arg;
    (void)b;
    if ((s->kind != IS_VIEW && s->kind != IS_ALIAS) || s->var->owned)
        return;
    if (s->base->owned && !lasts(o, s->base))
        o->changed = s->var->owned = true;
}

static void
decide(Refcount *o)
{
    for (int i = 0; i < o->f->vars.n; i++) {
        IrVar *v = o->f->vars.at[i];
        const Facts *k = &o->at[i];
        if (!v->is_array)
            continue;
        v->owned = v->is_param ? k->defs > 0 || k->drops > 0 : k->defs > 0 && !(k->all & ST_PURE);
        v->noalias = !v->is_param && k->defs > 0 && k->all & ST_ALLOCATES && !k->shared;
    }
    if (memory_borrow(o->cx, o->f))
        return;
    do { /* an owner found may own what others borrow */
        o->changed = false;
        ir_walk_block(&o->f->body, find_owners, o);
    } while (o->changed);
}

void
pass_refcount(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Refcount o = {.cx = p->cx, .f = p->mod->funcs.at[i]};
        memory_split_apart(p->cx, o.f);
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
