/* SPDX-License-Identifier: BSD-3-Clause
 * Walks over expressions and statements, and deep copies of blocks. Every list of "which
 * fields hold what" is here once: passes ask by these functions, so that a new kind of
 * statement is taught to them in one place. */
#include "ir/search.h"

int
ir_mentions(const IrExpr *e, const IrVar *v)
{
    int n = e->var == v;
    for (int i = 0; i < e->n; i++)
        n += ir_mentions(e->arg[i], v);
    return n;
}

bool
ir_has(const IrExpr *e, IrExprTest test, const void *arg)
{
    bool found = test(e, arg);
    for (int i = 0; i < e->n && !found; i++)
        found = ir_has(e->arg[i], test, arg);
    return found;
}

static bool
is_kind(const IrExpr *e, const void *arg)
{
    return e->kind == *(const IrExprKind *)arg;
}

bool
ir_has_kind(const IrExpr *e, IrExprKind kind)
{
    return ir_has(e, is_kind, &kind);
}

static bool
is_equal(const IrExpr *e, const void *arg)
{
    return ir_expr_equal(e, arg);
}

bool
ir_has_equal(const IrExpr *e, const IrExpr *part)
{
    return ir_has(e, is_equal, part);
}

bool
ir_loads(const IrExpr *e)
{
    return ir_has_kind(e, IX_LOAD);
}

static bool
find_load(IrExpr **e, void *arg)
{
    *(bool *)arg |= (*e)->kind == IX_LOAD;
    return !*(bool *)arg;
}

bool
ir_stmt_loads(const IrStmt *s)
{
    bool any = false;
    ir_walk_stmt_exprs((IrStmt *)(uintptr_t)s, find_load, &any);
    return any;
}

int
ir_size(const IrExpr *e)
{
    int n = 1;
    for (int i = 0; i < e->n; i++)
        n += ir_size(e->arg[i]);
    return n;
}

void
ir_walk_expr(IrExpr **e, IrExprFn fn, void *arg)
{
    trace_work++;
    if (!*e || !fn(e, arg))
        return;
    for (int i = 0; i < (*e)->n; i++)
        ir_walk_expr(&(*e)->arg[i], fn, arg);
}

bool
ir_rename_use(IrExpr **e, void *arg)
{
    const IrRename *r = arg;
    if (ir_is_var(*e, r->from))
        *e = ir_use(r->cx, r->to);
    return true;
}

void
ir_walk_stmt_exprs(IrStmt *s, IrExprFn fn, void *arg)
{
    ir_walk_expr(&s->e, fn, arg);
    for (int i = 0; i < s->n_idx; i++)
        ir_walk_expr(&s->idx[i], fn, arg);
    for (int i = 0; i < s->n_args; i++)
        ir_walk_expr(&s->args[i].e, fn, arg);
}

int
ir_blocks(IrStmt *s, IrBlock **out)
{
    uint32_t has = stmt_info[s->kind].traits;
    int n = 0;
    if (has & ST_PRE)
        out[n++] = &s->pre;
    if (has & ST_BODY)
        out[n++] = &s->body;
    for (int i = 0; has & ST_HANDLERS && i < s->n_handlers && n < IR_MAX_BLOCKS - 1; i++)
        out[n++] = &s->handlers[i].body;
    if (has & ST_ELS)
        out[n++] = &s->els;
    return n;
}

bool
ir_is_cold(const IrStmt *s, int i)
{
    return s->kind == IS_IF ? (i ? s->cold_else : s->cold) : s->kind == IS_LOOP && s->cold;
}

bool
ir_is_flat(const IrBlock *b)
{
    bool flat = true;
    for (const IrStmt *s = b->first; s && flat; s = s->next)
        flat = s->kind == IS_IF ? ir_is_flat(&s->body) && ir_is_flat(&s->els) : ir_does(s, ST_FLAT);
    return flat;
}

void
ir_walk_block(IrBlock *b, IrStmtFn fn, void *arg)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        trace_work++;
        fn(b, s, arg);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], fn, arg);
    }
}

void
ir_walk_defs(const IrStmt *s, void (*fn)(IrVar *v, void *arg), void *arg)
{
    if (ir_does(s, ST_DEFINES) && s->var)
        fn(s->var, arg);
    for (int i = 0; ir_does(s, ST_DEFINES_OUTS) && i < s->n_outs; i++) {
        IrVar *v = s->outs[i].arr ? s->outs[i].arr : s->outs[i].out;
        if (v)
            fn(v, arg);
    }
}

void
ir_walk_arrays(const IrStmt *s, void (*fn)(IrVar *v, unsigned how, void *arg), void *arg)
{
    uint32_t does = stmt_info[s->kind].traits;
    unsigned var = (does & ST_WRITES_VAR ? IR_WRITES : 0) | (does & ST_NAMES_VAR ? IR_NAMES : 0);
    unsigned base = (does & ST_WRITES_BASE ? IR_WRITES : 0) |
                    (does & ST_READS_BASE ? IR_READS : 0) | (does & ST_NAMES_BASE ? IR_NAMES : 0) |
                    (does & ST_LOOKS ? IR_LOOKS : 0);
    var |= does & ST_KEEPS_VAR ? IR_NAMES | IR_LOOKS : 0;
    unsigned args = (does & ST_READS_ARGS ? IR_READS : 0) | (does & ST_GIVES_ARGS ? IR_GIVES : 0);
    if (var && s->var)
        fn(s->var, var, arg);
    if (base && s->base)
        fn(s->base, base, arg);
    for (int i = 0; i < s->n_args; i++) {
        if (!s->args[i].arr)
            continue;
        unsigned how = args;
        if (does & ST_CALLS)
            how = IR_PASSES | (ir_call_reads(s, i) ? IR_READS : 0) |
                  (ir_call_writes(s, i) ? IR_WRITES : 0);
        if (how)
            fn(s->args[i].arr, how, arg);
    }
}

/* ---- copies -------------------------------------------------------------------------------- */

typedef struct Clone {
    IrFunc *f;
    Cx *cx;
    Map *map;
} Clone;

static IrVar *
mapped(const Clone *c, IrVar *v)
{
    IrVar *to = v ? map_get(c->map, v) : NULL;
    return to ? to : v;
}

static bool
rename_vars(IrExpr **e, void *arg)
{
    (*e)->var = mapped(arg, (*e)->var);
    return true;
}

static IrExpr *
clone_expr(Clone *c, const IrExpr *e)
{
    if (!e)
        return NULL;
    IrExpr *n = ir_copy_expr(c->cx, e);
    ir_walk_expr(&n, rename_vars, c);
    return n;
}

static IrArg *
clone_args(Clone *c, const IrArg *a, int n)
{
    IrArg *out = NEW_N(&c->cx->arena, IrArg, n ? n : 1);
    for (int i = 0; i < n; i++)
        out[i] = (IrArg){clone_expr(c, a[i].e), mapped(c, a[i].arr), mapped(c, a[i].out)};
    return out;
}

static IrVar *
fresh_loop_var(Clone *c, IrVar *v)
{
    IrVar *n = ir_var(c->f, v->name, (DType)v->dtype);
    map_put(&c->cx->arena, c->map, v, n);
    return n;
}

static IrBlock clone_block(Clone *c, const IrBlock *src);

static IrStmt *
clone_stmt(Clone *c, const IrStmt *s)
{
    IrStmt *n = arena_dup(&c->cx->arena, s, sizeof *s);
    n->prev = n->next = NULL;
    n->e = clone_expr(c, s->e);
    n->idx = NEW_N(&c->cx->arena, IrExpr *, s->n_idx ? s->n_idx : 1);
    for (int i = 0; i < s->n_idx; i++)
        n->idx[i] = clone_expr(c, s->idx[i]);
    n->args = clone_args(c, s->args, s->n_args);
    n->outs = clone_args(c, s->outs, s->n_outs);
    n->var = s->kind == IS_LOOP ? fresh_loop_var(c, s->var) : mapped(c, s->var);
    n->base = mapped(c, s->base);
    n->reds = arena_dup(&c->cx->arena, s->reds, sizeof *s->reds * (size_t)s->n_reds);
    n->lasts = arena_dup(&c->cx->arena, s->lasts, sizeof *s->lasts * (size_t)s->n_lasts);
    for (int i = 0; i < s->n_reds; i++)
        n->reds[i] = (IrReduce){mapped(c, s->reds[i].var), s->reds[i].op, mapped(c, s->reds[i].of),
                                mapped(c, s->reds[i].hit)};
    for (int i = 0; i < s->n_lasts; i++)
        n->lasts[i] = mapped(c, s->lasts[i]);
    n->pre = clone_block(c, &s->pre);
    if (s->kind == IS_WHILE)
        n->e = clone_expr(c, s->e);
    n->body = clone_block(c, &s->body);
    n->els = clone_block(c, &s->els);
    n->handlers = NEW_N(&c->cx->arena, IrHandler, s->n_handlers ? s->n_handlers : 1);
    for (int i = 0; i < s->n_handlers; i++) {
        n->handlers[i] = s->handlers[i];
        n->handlers[i].body = clone_block(c, &s->handlers[i].body);
    }
    return n;
}

static IrBlock
clone_block(Clone *c, const IrBlock *src)
{
    IrBlock b = {0};
    for (const IrStmt *s = src->first; s; s = s->next)
        ir_insert_before(&b, NULL, clone_stmt(c, s));
    return b;
}

typedef struct WalkIn {
    IrExprFn fn;
    void *arg;
} WalkIn;

static void
walk_in(IrBlock *b, IrStmt *s, void *arg)
{
    const WalkIn *w = arg;
    (void)b;
    ir_walk_stmt_exprs(s, w->fn, w->arg);
}

void
ir_walk_exprs_in(IrStmt *s, IrExprFn fn, void *arg)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    WalkIn w = {fn, arg};
    walk_in(NULL, s, &w);
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
        ir_walk_block(sub[i], walk_in, &w);
}

IrBlock
ir_clone_block(IrFunc *f, const IrBlock *src, Map *map)
{
    Map local = {0};
    Clone c = {f, f->mod->cx, map ? map : &local};
    return clone_block(&c, src);
}

IrExpr *
ir_clone_expr(IrFunc *f, const IrExpr *e, Map *map)
{
    Clone c = {f, f->mod->cx, map};
    return clone_expr(&c, e);
}

typedef struct Put {
    Cx *cx;
    const IrVar *v;
    const IrExpr *e;
} Put;

static bool
put_value(IrExpr **e, void *arg)
{
    const Put *p = arg;
    if (!ir_is_var(*e, p->v))
        return true;
    *e = ir_copy_expr(p->cx, p->e);
    return false;
}

void
ir_replace_var(Cx *cx, IrStmt *s, const IrVar *v, const IrExpr *e)
{
    Put put = {cx, v, e};
    ir_walk_exprs_in(s, put_value, &put);
}
