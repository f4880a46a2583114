/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that nobody else ever sees become variables: one for each word. Takes what `refcount` has
 * left, where a name for an object is the only one of it when each of its definitions makes it;
 * then its words can only be read and stored by that name. `p = alias q; drop q`, where q was made
 * before in the same block and is nowhere else, moves the words. What a word refers to becomes a
 * name of that. Nothing is allocated then, and loops over such objects are loops over numbers. */
#include "pass/pass.h"

typedef struct Cand {
    bool ok;
    int allocs, mentions;
    IrStmt *alloc;
    IrBlock *block;     /* of alloc */
    IrVar **word;       /* by number; NULL: not used */
    bool *used, *other; /* other: some use of it is no float64 */
    IrVar **like;       /* of a reference: what is put or got there */
} Cand;

typedef struct Scalars {
    Cx *cx;
    IrFunc *f;
    Cand *at; /* by variable */
    int n_at;
    Vec(IrStmt *) moves;
    Vec(IrBlock *) move_block;
    const IrVar *counted;
    int count;
} Scalars;

static Cand *
cand_of(Scalars *o, const IrVar *v)
{
    return v && v->id < o->n_at && o->at[v->id].ok ? &o->at[v->id] : NULL;
}

static void
refuse(Scalars *o, const IrVar *v)
{
    if (v && v->is_array && v->id < o->n_at)
        o->at[v->id].ok = false;
}

static bool
word_at(const IrVar *v, IrExpr *const *idx, int n, int64_t *k)
{
    return n == 1 && ir_is_const(idx[0], k) && *k >= 0 && *k < (int64_t)strlen(v->obj);
}

/* ---- what is done with them ------------------------------------------------------------------ */

static bool
is_float_word(const IrExpr *e) /* bits(float64) */
{
    return e->kind == IX_OP && e->op == OP_bits && e->dtype == DT_i64 && e->arg[0]->dtype == DT_f64;
}

static void
use_word(Scalars *o, IrVar *v, IrExpr *const *idx, int n, bool is_float)
{
    Cand *c = cand_of(o, v);
    int64_t k;
    if (!c)
        return;
    if (!word_at(v, idx, n, &k) || v->obj[k] == 'p') {
        c->ok = false;
        return;
    }
    c->used[k] = true;
    c->other[k] |= !is_float;
}

static bool
look_expr(IrExpr **at, void *arg)
{
    Scalars *o = arg;
    IrExpr *e = *at;
    bool bits = e->kind == IX_OP && e->op == OP_bits && e->dtype == DT_f64;
    if (bits && e->arg[0]->kind == IX_LOAD && cand_of(o, e->arg[0]->var)) {
        use_word(o, e->arg[0]->var, e->arg[0]->arg, e->arg[0]->n, true);
        return false;
    }
    if (e->kind == IX_LOAD && e->var->obj)
        use_word(o, e->var, e->arg, e->n, false);
    else if (e->kind == IX_DIM || e->kind == IX_STRIDE)
        refuse(o, e->var);
    return true;
}

static void
use_reference(Scalars *o, IrStmt *s)
{
    Cand *c = cand_of(o, s->base);
    int64_t k;
    if (!c)
        return;
    if (!s->var || !word_at(s->base, s->idx, s->n_idx, &k) || s->base->obj[k] != 'p') {
        c->ok = false;
        return;
    }
    IrVar *was = c->like[k];
    if (was &&
        (was->dtype != s->var->dtype || was->ndim != s->var->ndim || !ir_same_obj(was, s->var)))
        c->ok = false;
    c->used[k] = true;
    if (!was || s->kind == IS_GET)
        c->like[k] = s->var;
}

/* Each reference of a new object is put there in its block, so that none is got before. */
static void
look_made(Scalars *o, const IrStmt *made)
{
    const IrVar *v = made->var;
    for (int64_t k = 0; v->obj[k]; k++) {
        bool there = v->obj[k] != 'p';
        int64_t w;
        for (const IrStmt *t = made->next; t && !there; t = t->next)
            there = t->kind == IS_PUT && t->base == v && word_at(v, t->idx, t->n_idx, &w) && w == k;
        if (!there)
            refuse(o, v);
    }
}

static void
look_args(Scalars *o, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        refuse(o, a[i].arr);
}

static void
look_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Scalars *o = arg;
    Cand *c = cand_of(o, s->var);
    ir_walk_stmt_exprs(s, look_expr, o);
    look_args(o, s->args, s->n_args);
    look_args(o, s->outs, s->n_outs);
    switch (s->kind) {
    case IS_ALLOC:
        if (c && !s->zero)
            c->ok = false;
        if (c) {
            c->allocs++;
            c->alloc = s;
            c->block = b;
            look_made(o, s);
        }
        return;
    case IS_STORE:
        if (c)
            use_word(o, s->var, s->idx, s->n_idx, is_float_word(s->e));
        return;
    case IS_DROP:
        return;
    case IS_GET:
    case IS_PUT:
        refuse(o, s->var);
        use_reference(o, s);
        return;
    case IS_ALIAS:
        if (c && cand_of(o, s->base) && ir_same_obj(s->var, s->base) && !strchr(s->var->obj, 'p')) {
            VEC_PUSH(&o->cx->arena, o->moves, s);
            VEC_PUSH(&o->cx->arena, o->move_block, b);
            return;
        }
        break;
    default:
        break;
    }
    refuse(o, s->var);
    refuse(o, s->base);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool
count_expr(IrExpr **e, void *arg)
{
    Scalars *o = arg;
    o->count += (*e)->var == o->counted;
    return true;
}

static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Scalars *o = arg;
    (void)b;
    ir_walk_stmt_exprs(s, count_expr, o);
    o->count += (s->var == o->counted) + (s->base == o->counted);
}

static void
count_all(Scalars *o, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    count_stmt(NULL, s, o);
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
        ir_walk_block(sub[i], count_stmt, o);
}

/* q is made in this block, before the alias, and mentioned between the two alone. */
static bool
is_move(Scalars *o, const IrBlock *b, IrStmt *s)
{
    const Cand *c = cand_of(o, s->base);
    if (!c || c->allocs != 1 || c->block != b || s->var == s->base)
        return false;
    o->counted = s->base;
    o->count = 0;
    ir_walk_block(&o->f->body, count_stmt, o);
    int all = o->count;
    o->count = 0;
    IrStmt *t = c->alloc;
    for (; t && t != s; t = t->next)
        count_all(o, t);
    if (!t)
        return false;
    o->count++;
    for (t = s->next; t; t = t->next)
        o->count += t->kind == IS_DROP && t->var == s->base;
    return o->count == all;
}

typedef struct Changes {
    const IrVar *v;
    bool any;
} Changes;

static void
change_def(IrVar *v, void *arg)
{
    Changes *c = arg;
    c->any |= v == c->v;
}

static void
change_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Changes *c = arg;
    (void)b;
    c->any |= s->kind == IS_STORE && s->var == c->v;
    ir_walk_defs(s, change_def, c);
}

/* Is it defined here, or a word of it? */
static bool
changes(IrStmt *s, const IrVar *v)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Changes c = {.v = v};
    change_stmt(NULL, s, &c);
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
        ir_walk_block(sub[i], change_stmt, &c);
    return c.any;
}

/* q = alias p: q is only read, in this block, and p does not change before it is made anew. */
static bool
is_copy(Scalars *o, IrStmt *s)
{
    if (!cand_of(o, s->base) || s->var == s->base)
        return false;
    o->counted = s->var;
    o->count = 0;
    ir_walk_block(&o->f->body, count_stmt, o);
    int all = o->count;
    o->count = 1;
    bool anew = false;
    for (IrStmt *t = s->next; t && o->count < all; t = t->next) {
        count_all(o, t);
        if (t->kind == IS_DROP && t->var == s->var)
            continue;
        if (changes(t, s->var) || (!anew && changes(t, s->base) && t->kind != IS_ALLOC))
            return false;
        anew |= t->kind == IS_ALLOC && t->var == s->base;
    }
    return o->count == all;
}

static void
check_moves(Scalars *o)
{
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < o->moves.n; i++) {
            IrStmt *s = o->moves.at[i];
            Cand *to = cand_of(o, s->var), *from = cand_of(o, s->base);
            if ((!to && !from) || (to && (is_move(o, o->move_block.at[i], s) || is_copy(o, s))))
                continue;
            refuse(o, s->var);
            refuse(o, s->base);
            again = true;
        }
    }
    for (int i = 0; i < o->moves.n; i++) { /* both have the same words */
        Cand *to = cand_of(o, o->moves.at[i]->var), *from = cand_of(o, o->moves.at[i]->base);
        int64_t n = to ? (int64_t)strlen(o->moves.at[i]->var->obj) : 0;
        for (int64_t k = 0; k < n; k++) {
            to->used[k] = from->used[k] = to->used[k] | from->used[k];
            to->other[k] = from->other[k] = to->other[k] | from->other[k];
        }
    }
}

/* ---- variables in their place ---------------------------------------------------------------- */

static IrVar *
var_of(Scalars *o, Cand *c, const IrVar *v, int64_t k)
{
    const IrVar *like = c->like[k];
    if (c->word[k])
        return c->word[k];
    const char *name = arena_printf(&o->cx->arena, "%s.%d", v->name, (int)k);
    if (v->obj[k] != 'p')
        return c->word[k] = ir_var(o->f, name, c->other[k] ? DT_i64 : DT_f64);
    IrVar *w = ir_var_like(o->f, name, like);
    w->readonly = like->readonly;
    w->owned = true;
    w->noalias = false;
    return c->word[k] = w;
}

static bool
put_expr(IrExpr **at, void *arg)
{
    Scalars *o = arg;
    IrExpr *e = *at;
    int64_t k;
    bool bits = e->kind == IX_OP && e->op == OP_bits && e->arg[0]->kind == IX_LOAD;
    Cand *c = bits ? cand_of(o, e->arg[0]->var) : NULL;
    if (c && word_at(e->arg[0]->var, e->arg[0]->arg, 1, &k) && !c->other[k]) {
        *at = ir_use(o->cx, var_of(o, c, e->arg[0]->var, k));
        return false;
    }
    c = e->kind == IX_LOAD ? cand_of(o, e->var) : NULL;
    if (!c || !word_at(e->var, e->arg, e->n, &k))
        return true;
    *at = ir_use(o->cx, var_of(o, c, e->var, k));
    return false;
}

static IrStmt *
set_before(Scalars *o, IrBlock *b, IrStmt *s, IrVar *v, IrExpr *e)
{
    IrStmt *t = ir_stmt(o->cx, IS_SET, s->at);
    t->var = v;
    t->e = e;
    ir_insert_before(b, s, t);
    return t;
}

static IrExpr *
zero_of(Scalars *o, const IrVar *v)
{
    return v->dtype == DT_f64 ? ir_float(o->cx, DT_f64, 0) : ir_int(o->cx, DT_i64, 0);
}

static void
replace_made(Scalars *o, IrBlock *b, IrStmt *s, Cand *c)
{
    for (int64_t k = 0; s->var->obj[k]; k++)
        if (c->used[k] && s->var->obj[k] != 'p') {
            IrVar *v = var_of(o, c, s->var, k);
            set_before(o, b, s, v, zero_of(o, v));
        }
    ir_remove(b, s);
}

static void
replace_drop(Scalars *o, IrBlock *b, IrStmt *s, Cand *c)
{
    for (int64_t k = 0; s->var->obj[k]; k++)
        if (c->used[k] && s->var->obj[k] == 'p') {
            IrStmt *t = ir_stmt(o->cx, IS_DROP, s->at);
            t->var = var_of(o, c, s->var, k);
            ir_insert_before(b, s, t);
        }
    ir_remove(b, s);
}

static void
replace_move(Scalars *o, IrBlock *b, IrStmt *s, Cand *to)
{
    Cand *from = cand_of(o, s->base);
    for (int64_t k = 0; s->var->obj[k]; k++)
        if (to->used[k])
            set_before(o, b, s, var_of(o, to, s->var, k),
                       ir_use(o->cx, var_of(o, from, s->base, k)));
    ir_remove(b, s);
}

static void
replace_reference(Scalars *o, IrStmt *s, Cand *c)
{
    int64_t k;
    if (!word_at(s->base, s->idx, s->n_idx, &k))
        return;
    IrVar *w = var_of(o, c, s->base, k);
    bool put = s->kind == IS_PUT;
    s->base = put ? s->var : w;
    s->var = put ? w : s->var;
    s->kind = IS_ALIAS;
    s->fresh = false;
    s->n_idx = 0;
    s->idx = NULL;
}

static void
replace_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Scalars *o = arg;
    int64_t k;
    ir_walk_stmt_exprs(s, put_expr, o);
    Cand *c = cand_of(o, s->var);
    if (c && s->kind == IS_ALLOC) {
        replace_made(o, b, s, c);
    } else if (c && s->kind == IS_DROP) {
        replace_drop(o, b, s, c);
    } else if (c && s->kind == IS_ALIAS) {
        replace_move(o, b, s, c);
    } else if (c && s->kind == IS_STORE && word_at(s->var, s->idx, s->n_idx, &k)) {
        IrVar *w = var_of(o, c, s->var, k);
        s->kind = IS_SET;
        s->var = w;
        s->e = w->dtype == DT_f64 ? s->e->arg[0] : s->e;
        s->n_idx = 0;
        s->idx = NULL;
    } else if ((s->kind == IS_GET || s->kind == IS_PUT) && (c = cand_of(o, s->base))) {
        replace_reference(o, s, c);
    }
}

/* ---- second names ---------------------------------------------------------------------------- */

typedef struct Name {
    IrVar *from, *to;
    int seen, ends; /* mentions of `from`; definitions of `to` */
} Name;

static bool
name_expr(IrExpr **e, void *arg)
{
    Name *n = arg;
    n->seen += (*e)->var == n->from;
    if (n->to && (*e)->var == n->from)
        (*e)->var = n->to;
    return true;
}

static void
name_args(Name *n, IrArg *a, int count)
{
    for (int i = 0; i < count; i++) {
        n->seen += a[i].arr == n->from;
        if (n->to && a[i].arr == n->from)
            a[i].arr = n->to;
    }
}

static void
name_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Name *n = arg;
    ir_walk_stmt_exprs(s, name_expr, n);
    name_args(n, s->args, s->n_args);
    name_args(n, s->outs, s->n_outs);
    n->seen += (s->var == n->from) + (s->base == n->from);
    if (!n->to)
        return;
    if (s->kind == IS_DROP && s->var == n->from) {
        ir_remove(b, s);
        return;
    }
    s->var = s->var == n->from ? n->to : s->var;
    s->base = s->base == n->from ? n->to : s->base;
}

static void
name_all(IrBlock *b, IrStmt *s, Name *n)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int count = ir_blocks(s, sub);
    for (int i = 0; i < count; i++)
        ir_walk_block(sub[i], name_stmt, n);
    name_stmt(b, s, n);
}

static void
find_end(IrVar *v, void *arg)
{
    Name *n = arg;
    n->ends += v == n->from;
}

static void
end_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, find_end, arg);
}

static bool
ends(IrStmt *s, IrVar *v)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Name n = {.from = v};
    end_stmt(NULL, s, &n);
    for (int i = 0, count = ir_blocks(s, sub); i < count; i++)
        ir_walk_block(sub[i], end_stmt, &n);
    return n.ends > 0;
}

/* `q = alias p`: as long as p names the same, and nothing else defines q, p is the name of both.
 * Not where q holds a reference and p does not: it may be there for longer. */
static void
one_name(IrBlock *b, IrStmt *s, void *arg)
{
    Scalars *o = arg;
    IrVar *q = s->var, *p = s->base;
    Name all = {.from = q}, here = {.from = q};
    if (s->kind != IS_ALIAS || q == p || q->is_param || !ir_is_object(q) || !ir_is_object(p) ||
        (q->owned && !p->owned && !p->is_param))
        return;
    ir_walk_block(&o->f->body, name_stmt, &all);
    IrStmt *last = s, *drop = NULL;
    for (IrStmt *t = s; t; t = t->next) {
        int before = here.seen;
        bool drops = t->kind == IS_DROP && t->var == q && !drop;
        name_all(b, t, &here);
        last = here.seen > before && !drops ? t : last;
        drop = drops ? t : drop;
    }
    if (here.seen != all.seen)
        return;
    for (IrStmt *t = s->next; t && last != s; t = t->next) {
        if (ends(t, q) || (ends(t, p) && t != last))
            return;
        if (t == last)
            break;
    }
    IrBlock *sub[IR_MAX_BLOCKS];
    if (ends(last, p) && (ir_blocks(last, sub) || ir_does(last, ST_ENDS | ST_CALLS)))
        return;
    Name to = {.from = q, .to = p};
    for (IrStmt *t = s->next, *next, *stop = last->next; t && t != stop; t = next) {
        next = t->next;
        name_all(b, t, &to);
    }
    if (drop)
        ir_remove(b, drop);
    ir_remove(b, s);
}

/* ---- a function ------------------------------------------------------------------------------ */

static bool
begin(Scalars *o)
{
    Arena *a = &o->cx->arena;
    bool any = false;
    o->n_at = o->f->vars.n;
    o->at = NEW_N(a, Cand, o->n_at + 1);
    for (int i = 0; i < o->n_at; i++) {
        const IrVar *v = o->f->vars.at[i];
        if (!v->is_array || v->is_param || !ir_is_object(v))
            continue;
        int n = (int)strlen(v->obj) + 1;
        o->at[i] = (Cand){.ok = true,
                          .word = NEW_N(a, IrVar *, n),
                          .used = NEW_N(a, bool, n),
                          .other = NEW_N(a, bool, n),
                          .like = NEW_N(a, IrVar *, n)};
        any = true;
    }
    return any;
}

void
pass_scalars(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Scalars o = {.cx = p->cx, .f = p->mod->funcs.at[i]};
        if (!begin(&o))
            continue;
        ir_walk_block(&o.f->body, one_name, &o);
        ir_walk_block(&o.f->body, look_stmt, &o);
        check_moves(&o);
        ir_walk_block(&o.f->body, replace_stmt, &o);
    }
}
