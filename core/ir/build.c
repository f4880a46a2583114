/* SPDX-License-Identifier: BSD-3-Clause
 * Making modules, functions, variables and statements. A builder appends to its block; the
 * caller moves `at` to fill a loop's or a branch's body. */
#include "ir/ir.h"

IrModule *
ir_module(Cx *cx)
{
    IrModule *m = NEW(&cx->arena, IrModule);
    m->cx = cx;
    return m;
}

IrFunc *
ir_func(IrModule *m, const char *name)
{
    IrFunc *f = NEW(&m->cx->arena, IrFunc);
    f->name = arena_str(&m->cx->arena, name);
    f->mod = m;
    VEC_PUSH(&m->cx->arena, m->funcs, f);
    return f;
}

IrVar *
ir_var(IrFunc *f, const char *name, DType d)
{
    Arena *a = &f->mod->cx->arena;
    IrVar *v = NEW(a, IrVar);
    v->name = arena_str(a, name && *name ? name : "t");
    v->id = f->vars.n;
    v->dtype = (uint8_t)d;
    VEC_PUSH(a, f->vars, v);
    return v;
}

IrVar *
ir_array_var(IrFunc *f, const char *name, DType d, int ndim, Layout l)
{
    IrVar *v = ir_var(f, name, d);
    v->is_array = v->owned = true;
    v->ndim = (uint8_t)ndim;
    v->layout = (uint8_t)(ndim == 0 || (ndim == 1 && l == LAY_F) ? LAY_C : l);
    return v;
}

IrVar *
ir_var_like(IrFunc *f, const char *name, const IrVar *like)
{
    IrVar *v = ir_array_var(f, name, (DType)like->dtype, like->ndim, (Layout)like->layout);
    v->readonly = like->readonly;
    v->fortran = like->fortran;
    v->obj = like->obj;
    return v;
}

/* ---- sites -------------------------------------------------------------------------------- */

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Sites by place, and the last source line that one has shown: the next is mostly at it or behind
 * it. */
typedef struct IrSiteIndex {
    int n, cap;       /* sites up to here are in it */
    int *head, *next; /* site + 1; buckets are half as many as there may be sites */
    const Source *src;
    const char *text;
    int line;
} IrSiteIndex;

static int
bucket_of(const IrSiteIndex *x, int line, int col)
{
    return (int)(((unsigned)line * 31 + (unsigned)col) * 0x9e3779b1u >> 8 &
                 (unsigned)(x->cap / 2 - 1));
}

static void
add_to_index(Arena *a, IrSiteIndex *x, const IrModule *m)
{
    if (m->sites.n > x->cap) {
        x->cap = x->cap ? x->cap : 64;
        while (x->cap < m->sites.n)
            x->cap *= 2;
        x->head = NEW_N(a, int, x->cap / 2);
        x->next = NEW_N(a, int, x->cap);
        x->n = 0;
    }
    for (; x->n < m->sites.n; x->n++) {
        int *head = &x->head[bucket_of(x, m->sites.at[x->n].line, m->sites.at[x->n].col)];
        x->next[x->n] = *head;
        *head = x->n + 1;
    }
}

static const char *
source_line(Arena *a, IrSiteIndex *x, const Span *at)
{
    if (!at->src || !at->src->text)
        return NULL;
    if (x->src != at->src || at->line < x->line) {
        x->src = at->src;
        x->text = at->src->text;
        x->line = at->src->first_line;
    }
    for (; x->line < at->line; x->line++) {
        const char *end = strchr(x->text, '\n');
        if (!end)
            return NULL;
        x->text = end + 1;
    }
    size_t n = strcspn(x->text, "\n");
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, x->text, n);
    return copy;
}

int
ir_site(IrModule *m, const char *exc, const char *format, Span at)
{
    Arena *a = &m->cx->arena;
    const char *func = at.src ? at.src->func : NULL, *file = at.src ? at.src->file : NULL;
    int within = at.src && at.src->call ? 1 + ir_site(m, NULL, NULL, *at.src->call) : 0;
    int dedent = at.src ? at.src->dedent : 0; /* columns are those of the file, text is dedented */
    at.col -= dedent;
    int end = at.end_line == at.line ? at.end_col - dedent : at.col + 1;
    IrSiteIndex *x = m->site_index ? m->site_index : (m->site_index = NEW(a, IrSiteIndex));
    add_to_index(a, x, m);
    for (int i = x->cap ? x->head[bucket_of(x, at.line, at.col)] : 0; i; i = x->next[i - 1]) {
        const IrSite *s = &m->sites.at[i - 1];
        if (s->line == at.line && s->col == at.col && s->end_col == end && s->within == within &&
            same_text(s->exc, exc) && same_text(s->format, format) && same_text(s->func, func) &&
            same_text(s->file, file))
            return i - 1;
    }
    IrSite s = {.exc = exc ? arena_str(a, exc) : NULL,
                .format = format ? arena_str(a, format) : NULL,
                .func = func,
                .file = file,
                .text = source_line(a, x, &at),
                .line = at.line,
                .col = at.col,
                .end_col = end,
                .within = within,
                .is_lib = at.src && at.src->is_lib};
    VEC_PUSH(a, m->sites, s);
    return m->sites.n - 1;
}

int
ir_site_from(IrModule *m, int site, int cause)
{
    IrSite s = m->sites.at[site];
    if (s.cause == cause)
        return site;
    s.cause = cause;
    VEC_PUSH(&m->cx->arena, m->sites, s);
    return m->sites.n - 1;
}

/* ---- blocks ------------------------------------------------------------------------------- */

void
ir_insert_before(IrBlock *blk, IrStmt *where, IrStmt *s)
{
    s->next = where;
    s->prev = where ? where->prev : blk->last;
    *(s->prev ? &s->prev->next : &blk->first) = s;
    *(where ? &where->prev : &blk->last) = s;
}

void
ir_remove(IrBlock *blk, IrStmt *s)
{
    *(s->prev ? &s->prev->next : &blk->first) = s->next;
    *(s->next ? &s->next->prev : &blk->last) = s->prev;
    s->prev = s->next = NULL;
}

void
ir_move_all(IrBlock *to, IrBlock *from)
{
    if (!from->first)
        return;
    from->first->prev = to->last;
    *(to->last ? &to->last->next : &to->first) = from->first;
    to->last = from->last;
    from->first = from->last = NULL;
}

IrStmt *
ir_stmt(Cx *cx, IrStmtKind k, Span at)
{
    IrStmt *s = NEW(&cx->arena, IrStmt);
    s->kind = k;
    s->at = at;
    s->site = -1;
    return s;
}

IrStmt *
ir_append(IrBuilder *b, IrStmtKind k)
{
    IrStmt *s = ir_stmt(b->cx, k, b->span);
    ir_insert_before(b->at, NULL, s);
    return s;
}

/* ---- statements --------------------------------------------------------------------------- */

static void
set_idx(IrBuilder *b, IrStmt *s, int n, IrExpr **idx)
{
    s->n_idx = n;
    s->idx = NEW_N(&b->cx->arena, IrExpr *, n ? n : 1);
    for (int i = 0; i < n; i++)
        s->idx[i] = idx[i];
}

static void
set_args(IrBuilder *b, IrStmt *s, int n, IrExpr **args)
{
    s->n_args = n;
    s->args = NEW_N(&b->cx->arena, IrArg, n ? n : 1);
    for (int i = 0; i < n; i++)
        s->args[i].e = args[i];
}

IrStmt *
ir_set(IrBuilder *b, IrVar *v, IrExpr *e)
{
    IrStmt *s = ir_append(b, IS_SET);
    s->var = v;
    s->e = e;
    return s;
}

IrVar *
ir_temp(IrBuilder *b, IrExpr *e)
{
    IrVar *v = ir_var(b->f, "t", (DType)e->dtype);
    ir_set(b, v, e);
    return v;
}

IrExpr *
ir_named(IrBuilder *b, const char *name, IrExpr *e)
{
    if (e->kind == IX_CONST)
        return e;
    IrVar *v = ir_var(b->f, name, DT_i64);
    ir_set(b, v, e);
    return ir_use(b->cx, v);
}

IrStmt *
ir_store(IrBuilder *b, IrVar *arr, int n, IrExpr **idx, IrExpr *e)
{
    IrStmt *s = ir_append(b, IS_STORE);
    s->var = arr;
    s->e = e;
    set_idx(b, s, n, idx);
    return s;
}

IrStmt *
ir_alloc(IrBuilder *b, IrVar *v, IrExpr **dims, Layout order, bool zero)
{
    IrStmt *s = ir_append(b, IS_ALLOC);
    s->var = v;
    s->order = (uint8_t)order;
    s->zero = zero;
    set_idx(b, s, v->ndim, dims);
    return s;
}

IrStmt *
ir_view(IrBuilder *b, IrVar *v, IrVar *base, IrExpr *off, IrExpr **dims, IrExpr **strides)
{
    IrStmt *s = ir_append(b, IS_VIEW);
    s->var = v;
    s->base = base;
    s->e = off;
    s->n_idx = 2 * v->ndim;
    s->idx = NEW_N(&b->cx->arena, IrExpr *, s->n_idx + 1);
    for (int i = 0; i < v->ndim; i++) {
        s->idx[i] = dims[i];
        s->idx[v->ndim + i] = strides[i];
    }
    return s;
}

IrStmt *
ir_alias(IrBuilder *b, IrVar *v, IrVar *base)
{
    IrStmt *s = ir_append(b, IS_ALIAS);
    s->var = v;
    s->base = base;
    return s;
}

IrStmt *
ir_loop(IrBuilder *b, LoopKind k, IrVar *v, IrExpr *lo, IrExpr *hi, int64_t step)
{
    IrStmt *s = ir_append(b, IS_LOOP);
    IrExpr *idx[3] = {lo, hi, ir_int(b->cx, DT_i64, step)};
    s->var = v;
    s->loop = (uint8_t)k;
    set_idx(b, s, 3, idx);
    return s;
}

IrStmt *
ir_while(IrBuilder *b)
{
    IrStmt *s = ir_append(b, IS_WHILE);
    s->e = ir_int(b->cx, DT_bool, 1);
    return s;
}

IrStmt *
ir_if(IrBuilder *b, IrExpr *cond)
{
    IrStmt *s = ir_append(b, IS_IF);
    s->e = cond;
    return s;
}

IrStmt *
ir_check(IrBuilder *b, IrExpr *cond, int site, int n_args, IrExpr **args)
{
    IrStmt *s = ir_append(b, IS_CHECK);
    s->e = cond;
    s->site = site;
    set_args(b, s, n_args, args);
    b->f->may_raise = true;
    return s;
}

char *
ir_index_format(Arena *a, Span at, const IrVar *arr, int axis)
{
    if (at.src && at.src->is_lib)
        return arena_printf(a, "index %%0 is out of bounds for axis %d with size %%1", axis);
    return arena_printf(a, "index %%0 is out of bounds for axis %d of '%s' with size %%1", axis,
                        arr->name);
}

IrStmt *
ir_check_index(IrBuilder *b, IrVar *arr, int axis, IrExpr *i)
{
    IrStmt *s = ir_append(b, IS_CHECK_INDEX);
    s->var = arr;
    s->axis = (uint8_t)axis;
    s->e = i;
    s->site =
        ir_site(b->mod, "IndexError", ir_index_format(&b->cx->arena, b->span, arr, axis), b->span);
    b->f->may_raise = true;
    return s;
}

IrStmt *
ir_raise(IrBuilder *b, int site, int n_args, IrExpr **args)
{
    IrStmt *s = ir_append(b, IS_RAISE);
    s->site = site;
    set_args(b, s, n_args, args);
    b->f->may_raise = true;
    return s;
}

IrStmt *
ir_ask(IrBuilder *b, IrRt rt, int n_args, IrVar *out)
{
    IrStmt *s = ir_append(b, IS_RT);
    s->rt = (uint8_t)rt;
    s->n_args = n_args;
    s->args = NEW_N(&b->cx->arena, IrArg, n_args);
    if (out) {
        s->n_outs = 1;
        s->outs = NEW(&b->cx->arena, IrArg);
        s->outs[0].out = out;
    }
    return s;
}

IrVar *
ir_overlap(IrBuilder *b, IrVar *x, IrVar *y)
{
    IrVar *r = ir_var(b->f, "overlap", DT_i32);
    IrStmt *s = ir_ask(b, RT_sw_overlap, 2, r);
    s->args[0].arr = x;
    s->args[1].arr = y;
    return r;
}

bool
ir_is_overlap(const IrStmt *s)
{
    return s->kind == IS_RT && s->rt == RT_sw_overlap && s->n_args == 2 && s->n_outs == 1 &&
           s->outs[0].out;
}

IrStmt *
ir_get(IrBuilder *b, IrVar *v, IrVar *from, IrExpr *word)
{
    IrStmt *s = ir_append(b, IS_GET);
    s->var = v;
    s->base = from;
    s->idx = arena_dup(&b->cx->arena, &word, sizeof word);
    s->n_idx = 1;
    return s;
}

IrStmt *
ir_put(IrBuilder *b, IrVar *into, IrExpr *word, IrVar *v)
{
    IrStmt *s = ir_get(b, v, into, word);
    s->kind = IS_PUT;
    return s;
}

IrStmt *
ir_drop(IrBuilder *b, IrVar *v)
{
    IrStmt *s = ir_append(b, IS_DROP);
    s->var = v;
    return s;
}

IrStmt *
ir_return(IrBuilder *b, int n, IrArg *args)
{
    IrStmt *s = ir_append(b, IS_RETURN);
    s->n_args = n;
    s->args = arena_dup(&b->cx->arena, args, sizeof *args * (size_t)n);
    return s;
}

/* ---- constant arrays ------------------------------------------------------------------------- */

static int64_t
const_element(const IrConstArray *c, size_t i)
{
    size_t size = (size_t)dtype_size((DType)c->dtype);
    const uint8_t *at = (const uint8_t *)c->data + i * size;
    bool sign = dtype_kind((DType)c->dtype) == DK_INT;
    uint64_t x = 0;
    memcpy(&x, at, size); /* little-endian, as all processors that there is code for */
    int shift = (int)(64 - 8 * size);
    return sign ? (int64_t)(x << shift) >> shift : (int64_t)x;
}

/* NULL where elements are no integers, or may not be int64. */
static const int64_t *
const_range(Cx *cx, IrConstArray *c)
{
    DType d = (DType)c->dtype;
    size_t n = c->nbytes / (size_t)dtype_size(d);
    if (c->range || !n || (!dtype_is_int(d) && d != DT_bool) || d == DT_u64)
        return c->range;
    int64_t *r = NEW_N(&cx->arena, int64_t, 2);
    r[0] = r[1] = const_element(c, 0);
    for (size_t i = 1; i < n; i++) {
        int64_t x = const_element(c, i);
        r[0] = x < r[0] ? x : r[0];
        r[1] = x > r[1] ? x : r[1];
    }
    return c->range = r;
}

void
ir_set_const_array(IrModule *m, IrStmt *s, IrVar *v, int n)
{
    s->var = v;
    s->n = n;
    if (n >= 0 && n < m->consts.n)
        v->range = const_range(m->cx, &m->consts.at[n]);
}
