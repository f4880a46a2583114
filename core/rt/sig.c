/* SPDX-License-Identifier: BSD-3-Clause
 * What is kept of a compilation. An artifact is made from the back end's output and the module's
 * sites, is written as bytes for the cache, and read back: the result's type, the sites, the
 * remarks, and the object. A file in the cache may be anything, so the reader checks every length
 * and every value before it uses it, and says no to what a writer could not have made. */
#include "gen/gen.h"
#include "pass/pass.h"
#include "rt/rt.h"

#include <stdio.h>

enum { MAX_DEPTH = 32, MAX_ELEMS = 1 << 12, MAX_NDIM = 64, NO_TEXT = -1, OF_NAME = 255 };

/* ---- making one ---------------------------------------------------------------------------- */

enum { BRIEF_WORK = 256 };

static int64_t
constant_trips(const IrStmt *s)
{
    int64_t lo, hi, step;
    if (!ir_is_const(s->idx[0], &lo) || !ir_is_const(s->idx[1], &hi) ||
        !ir_is_const(s->idx[2], &step))
        return INT32_MAX;
    if (lo < -BRIEF_WORK || lo > BRIEF_WORK || hi < -BRIEF_WORK || hi > BRIEF_WORK)
        return INT32_MAX;
    return step > 0 ? (hi > lo ? hi - lo : 0) : (lo > hi ? lo - hi : 0);
}

static int64_t
constant_size(const IrStmt *s)
{
    int64_t n = 1, dim;
    for (int i = 0; i < s->n_idx && n <= BRIEF_WORK; i++)
        n *= ir_is_const(s->idx[i], &dim) && dim >= 0 && dim <= BRIEF_WORK ? dim : BRIEF_WORK + 1;
    return n;
}

/* Statements run at most, roughly; more than BRIEF_WORK when nobody knows. */
static int64_t
work_of(IrBlock *b)
{
    int64_t n = 0;
    for (IrStmt *s = b->first; s && n <= BRIEF_WORK; s = s->next) {
        IrBlock *inner[IR_MAX_BLOCKS];
        int64_t within = 0, times = s->kind == IS_LOOP ? constant_trips(s) : 1;
        for (int k = 0, blocks = ir_blocks(s, inner); k < blocks && within <= BRIEF_WORK; k++)
            within += work_of(inner[k]);
        if (s->kind == IS_WHILE || s->kind == IS_PRINT || s->kind == IS_COPY ||
            s->kind == IS_POLL || s->kind == IS_PAR || s->kind == IS_LAUNCH ||
            (s->kind == IS_CALL && s->func->unit))
            n = BRIEF_WORK;
        n += s->kind == IS_ALLOC ? constant_size(s) : 1 + times * within;
    }
    return n;
}

/* A call is over before the GIL could be given away: little to do, no recursion, no print. */
static bool
is_brief(const IrModule *m)
{
    int64_t work = m->upcalls.n ? BRIEF_WORK + 1 : 0;
    for (int i = 0; i < m->funcs.n && work <= BRIEF_WORK; i++)
        work += m->funcs.at[i]->recursive ? BRIEF_WORK + 1 : work_of(&m->funcs.at[i]->body);
    return work <= BRIEF_WORK;
}

static void
add_place(StrBuf *b, const Span *at)
{
    sb_add(b, "\t");
    if (at->src)
        sb_addf(b, "%d:%d:%d", at->line, at->col, at->end_line > at->line ? -1 : at->end_col);
}

enum { PLACE_FIELDS = 7 }; /* of span_text */

/* The places of loops that the code generator has made vectors of: interned -> itself. */
typedef struct GenPlaces {
    Intern names;
    Map at;
} GenPlaces;

static void
read_places(Arena *a, GenPlaces *g, const char *text)
{
    const RemarkInfo *done = &remark_info[REMARK_vector_yes];
    const char *says = arena_printf(a, "\t%s\t%s\t", done->pass, done->what);
    intern_init(&g->names, a);
    for (const char *line = text; line && *line;
         line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        const char *end = line;
        for (int i = 0; i < PLACE_FIELDS && *end; i++)
            end += strcspn(end + (i > 0), "\t") + (i > 0);
        if (strncmp(end, says, strlen(says)) != 0)
            continue;
        Sym place = intern_n(&g->names, line, (size_t)(end - line));
        map_put(a, &g->at, place, (void *)place);
    }
}

/* The code generator's word on a loop is the last: what a pass could not do in it is moot then. */
static bool
outdone(const Remark *k, const char *place, GenPlaces *gen)
{
    return k->kind == REMARK_vectorize_no && map_get(&gen->at, intern(&gen->names, place));
}

static const char *
remarks_text(Cx *cx, const Remarks *r, const GenOutput *out)
{
    StrBuf b = {0};
    SpanLines lines = {0};
    GenPlaces gen = {0};
    read_places(&cx->arena, &gen, out->remarks);
    for (int i = 0; i < r->list.n; i++) {
        const Remark *k = &r->list.at[i];
        StrBuf place = {0};
        span_text(&k->at, &lines, &place);
        if (!outdone(k, place.s, &gen)) {
            sb_addf(&b, "%s\t%s\t%s\t%s", place.s, k->pass, k->what, k->why ? k->why : "");
            add_place(&b, &k->also[0]);
            add_place(&b, &k->also[1]);
            sb_add(&b, "\n");
        }
        sb_free(&place);
    }
    if (out->remarks)
        sb_add(&b, out->remarks);
    return b.n || b.lost ? sb_keep(&b, &cx->arena) : NULL;
}

Artifact *
artifact_make(Cx *cx, const Type *ret, const IrModule *m, const Remarks *r, const GenOutput *out)
{
    Artifact *a = NEW(&cx->arena, Artifact);
    SwSite *sites = NEW_N(&cx->arena, SwSite, m->sites.n + 1);
    for (int i = 0; i < m->sites.n; i++) {
        const IrSite *s = &m->sites.at[i];
        sites[i] = (SwSite){s->exc,  s->format, s->func,    s->file,   s->text,
                            s->line, s->col,    s->end_col, s->within, s->cause};
        if (s->is_lib)
            sites[i].file = sites[i].func = sites[i].text = NULL;
    }
    *a = (Artifact){.ret = ret,
                    .object = out->object,
                    .object_size = out->object_size,
                    .n_sites = m->sites.n,
                    .sites = sites,
                    .remarks = remarks_text(cx, r, out),
                    .brief = is_brief(m),
                    .n_upcalls = m->upcalls.n,
                    .upcalls = m->upcalls.at};
    return a;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void
put_int(StrBuf *b, int32_t v)
{
    sb_addn(b, &v, sizeof v);
}

/* With its NUL, so that the reader can point at it. */
static void
put_text(StrBuf *b, const char *s)
{
    put_int(b, s ? (int32_t)strlen(s) + 1 : NO_TEXT);
    if (s)
        sb_addn(b, s, strlen(s) + 1);
}

/* Classes whose fields have been written: one is there by its name from then on. */
typedef struct TypesOut {
    StrBuf *b;
    const ObjClass *of[64];
    int n;
} TypesOut;

static bool put_type(TypesOut *w, const Type *t);

static bool
put_fields(TypesOut *w, const ObjClass *c)
{
    bool ok = true;
    put_int(w->b, c->n);
    for (int i = 0; i < c->n && ok; i++) {
        put_text(w->b, c->field[i].name);
        ok = put_type(w, c->field[i].type);
    }
    return ok;
}

static bool
is_open(const ObjClass *c)
{
    return c->open;
}

/* By its name, and, where the program has told what is in it, by that. */
static bool
put_object(TypesOut *w, const Type *t)
{
    const ObjClass *c = type_class(t);
    bool said = !type_leads_to(t, is_open);
    put_text(w->b, t->text);
    if (c->dict)
        return put_fields(w, c);
    for (int i = 0; i < w->n && !said; i++)
        said = w->of[i] == c;
    put_int(w->b, (said ? 0 : 1) | c->open << 1);
    if (said)
        return true;
    if (c->resumed || w->n == SW_LEN(w->of))
        return false;
    w->of[w->n++] = c;
    return put_fields(w, c);
}

/* False: a type that no result has, so nothing is kept. */
static bool
put_type(TypesOut *w, const Type *t)
{
    StrBuf *b = w->b;
    if (type_is_int_member(t)) { /* as the named tuple that stands for it */
        put_int(b, TY_TUPLE);
        put_int(b, 0);
        put_int(b, 1);
        put_int(b, TY_SCALAR);
        put_int(b, DT_i64 | 1 << 24);
        put_int(b, 1);
        put_text(b, t->text);
        put_text(b, t->names[0]);
        return true;
    }
    put_int(b, (int32_t)t->kind);
    bool param = dtype_is_param((DType)t->dtype);
    put_int(b, (param ? OF_NAME : t->dtype) | t->ndim << 8 | t->layout << 16 | t->weak << 24 |
                   t->readonly << 25 | t->fortran << 27);
    if (param) /* its number is this process's */
        put_text(b, dtype_info[t->dtype].name);
    if (t->kind == TY_NONE || t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_DTYPE)
        return true;
    if (t->kind == TY_OBJ)
        return put_object(w, t);
    if ((!type_has_parts(t) && t->kind != TY_REF && t->kind != TY_SLICE) || t->n > MAX_ELEMS)
        return false;
    put_int(b, t->n);
    if (t->kind == TY_REF)
        put_text(b, ((const HeapClass *)t->ref)->name);
    bool ok = true;
    for (int i = 0; i < t->n && ok; i++)
        ok = put_type(w, t->elems[i]);
    if (t->kind == TY_REF)
        return ok;
    put_int(b, t->listed ? -1 : t->names != NULL);
    if (t->names)
        put_text(b, t->text);
    for (int i = 0; i < t->n && t->names; i++)
        put_text(b, t->names[i]);
    return ok;
}

static bool
put_upcall(TypesOut *w, const Upcall *u)
{
    StrBuf *b = w->b;
    bool ok = true;
    put_text(b, u->key);
    put_int(b, u->plain | u->looks << 1);
    put_int(b, u->n_in);
    for (int i = 0; i < u->n_in && ok; i++) {
        ok = put_type(w, u->in[i]);
        put_text(b, u->in_name[i]);
        put_text(b, u->in_text[i]);
        put_int(b, u->maybe[i]);
    }
    put_int(b, u->n_out);
    for (int i = 0; i < u->n_out && ok; i++) {
        ok = put_type(w, u->out[i]);
        put_text(b, u->out_name[i]);
    }
    return ok;
}

bool
artifact_encode(const Artifact *a, StrBuf *b)
{
    TypesOut w = {.b = b};
    if (a->object_size > INT32_MAX / 2)
        return false;
    put_int(b, a->brief);
    put_int(b, (int32_t)(uint32_t)a->writes);
    put_int(b, (int32_t)(uint32_t)(a->writes >> 32));
    if (!put_type(&w, a->ret))
        return false;
    put_int(b, a->n_sites);
    for (int i = 0; i < a->n_sites; i++) {
        const SwSite *s = &a->sites[i];
        put_text(b, s->exc);
        put_text(b, s->format);
        put_text(b, s->func);
        put_text(b, s->file);
        put_text(b, s->text);
        put_int(b, s->line);
        put_int(b, s->col);
        put_int(b, s->end_col);
        put_int(b, s->within);
        put_int(b, s->cause);
    }
    put_text(b, a->remarks);
    put_int(b, a->n_kernels);
    for (int i = 0; i < a->n_kernels; i++) {
        const SwKernel *k = &a->kernels[i];
        put_int(b, k->may_fail);
        put_int(b, (int32_t)(uint32_t)k->writes);
        put_int(b, (int32_t)(uint32_t)(k->writes >> 32));
        put_int(b, k->n_params);
        sb_addn(b, k->params, sizeof *k->params * (size_t)k->n_params);
    }
    put_int(b, a->n_upcalls);
    for (int i = 0; i < a->n_upcalls; i++)
        if (!put_upcall(&w, &a->upcalls[i]))
            return false;
    put_text(b, a->device);
    put_int(b, (int32_t)a->object_size);
    sb_addn(b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", -b->n & 15); /* the loader wants it aligned */
    sb_addn(b, a->object, a->object_size);
    return true;
}

/* ---- reading: a cursor that stays false once something is wrong ------------------------------ */

typedef struct Reader {
    Cx *cx;
    const SwRequest *rq;
    const char *at, *end;
    bool bad;
} Reader;

static const char *
get_raw(Reader *r, size_t n)
{
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    return r->at - n;
}

static int32_t
get_int(Reader *r)
{
    int32_t v = 0;
    const char *p = get_raw(r, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

/* A count of things that take at least `each` bytes. */
static int
get_count(Reader *r, size_t each)
{
    int32_t n = get_int(r);
    if (n < 0 || (size_t)n > (size_t)(r->end - r->at) / each)
        r->bad = true;
    return r->bad ? 0 : n;
}

static const char *
get_text(Reader *r)
{
    int32_t n = get_int(r);
    if (n == NO_TEXT || r->bad)
        return NULL;
    const char *s = n > 0 ? get_raw(r, (size_t)n) : NULL;
    if (!s || s[n - 1] || strlen(s) != (size_t)n - 1)
        r->bad = true;
    return r->bad ? NULL : s;
}

/* ---- the class of a named tuple: an object of this process, found by name and fields --------- */

typedef struct ClassWanted {
    const char *text; /* of the type: starts with the class's name */
    int n;
    const char *const *names;
    const void *found;
} ClassWanted;

static void
offer(ClassWanted *w, const void *cls, const char *name, size_t len, int n, const Sym *names)
{
    if (!cls || !names || n != w->n || w->found || strcspn(w->text, "(") != len ||
        memcmp(w->text, name, len))
        return;
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], w->names[i]))
            return;
    w->found = cls;
}

static void
offer_type(ClassWanted *w, const Type *t)
{
    if (!type_has_parts(t))
        return;
    if (t->names && t->kind != TY_KEYED)
        offer(w, t->ref, t->text, strcspn(t->text, "("), t->n, t->names);
    for (int i = 0; i < t->n; i++)
        offer_type(w, t->elems[i]);
}

static void
offer_const(ClassWanted *w, const Const *c)
{
    if (!c)
        return;
    if ((c->kind == CV_TUPLE_CLASS || c->kind == CV_TUPLE || c->kind == CV_RECORD) && c->names &&
        c->str)
        offer(w, c->ref, c->str, strlen(c->str), c->n, c->names);
    for (int i = 0; (c->kind == CV_TUPLE || c->kind == CV_KEYED) && i < c->n; i++)
        offer_const(w, c->elems[i]);
}

static void
offer_node(ClassWanted *w, const Node *n)
{
    if (!n || w->found)
        return;
    offer_const(w, n->val);
    for (int i = 0; i < n->n; i++)
        offer_node(w, n->kid[i]);
    if (n->fn && n->fn->body)
        offer_node(w, n->fn->body);
}

static const void *
find_class(const SwRequest *rq, ClassWanted w)
{
    for (int i = 0; i < rq->n_args; i++)
        offer_type(&w, rq->args[i]);
    for (int i = 0; i < rq->prog->funcs.n && !w.found; i++) {
        const FuncDef *f = rq->prog->funcs.at[i];
        for (int k = 0; k < f->n_globals; k++)
            offer_const(&w, f->globals[k].val);
        for (int k = 0; k < f->n_params; k++)
            offer_const(&w, f->params[k].def);
        offer_node(&w, f->body);
    }
    for (int i = 0; i < rq->prog->families.n; i++)
        if (rq->prog->families.at[i].cls)
            offer_const(&w, rq->prog->families.at[i].cls);
    return w.found;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const Type *get_type(Reader *r, int depth);

static const Type *
get_parts(Reader *r, TypeKind kind, int ndim, int depth)
{
    Arena *a = &r->cx->arena;
    int n = get_count(r, 8);
    const Type **e = NEW_N(a, const Type *, n + 1);
    for (int i = 0; i < n && !r->bad; i++)
        e[i] = get_type(r, depth + 1);
    int named = get_int(r);
    if (kind == TY_TEXT) {
        r->bad |= n != 1 || !e[0] || e[0]->kind != TY_ARRAY;
        return r->bad                 ? NULL
               : e[0]->dtype == DT_u8 ? type_bytes(r->cx->types)
                                      : type_text(r->cx->types);
    }
    if (kind == TY_RANGE) {
        r->bad |= n != 3;
        return r->bad ? NULL : type_range(r->cx->types);
    }
    if (kind == TY_SLICE) {
        r->bad |= n != 3;
        return r->bad ? NULL : type_other(r->cx->types, TY_SLICE, NULL, n, e, NULL);
    }
    if (kind == TY_OPTIONAL) {
        r->bad |= n != 2 || named;
        return r->bad ? NULL : type_optional(r->cx->types, e[1]);
    }
    if (kind == TY_EITHER) {
        for (int i = 0; !r->bad && i < n; i++)
            r->bad |= !e[i] || e[i]->kind != TY_OPTIONAL;
        return r->bad || named ? NULL : type_either(r->cx->types, n, e);
    }
    r->bad |= kind == TY_KEYED && named != 1;
    if (r->bad || !named)
        return r->bad ? NULL : type_tuple(r->cx->types, n, e);
    r->bad |= named < 0 && kind != TY_TUPLE;
    if (named < 0)
        return r->bad ? NULL : type_listed(r->cx->types, n, e);
    const char *text = get_text(r);
    Sym *names = NEW_N(a, Sym, n + 1);
    for (int i = 0; i < n && !r->bad; i++) {
        const char *s = get_text(r);
        r->bad |= !s;
        names[i] = s ? intern(&r->cx->syms, s) : NULL;
    }
    r->bad |= !text;
    if (kind == TY_KEYED)
        return r->bad ? NULL : type_keyed(r->cx->types, n, e, names);
    const void *cls = r->bad ? NULL : find_class(r->rq, (ClassWanted){text, n, names, NULL});
    r->bad |= !cls; /* the class is gone, or its name says nothing: compile anew */
    if (r->bad)
        return NULL;
    char *cls_name = arena_printf(a, "%.*s", (int)strcspn(text, "("), text);
    return kind == TY_RECORD ? type_record(r->cx->types, ndim, n, e, names, cls, cls_name)
                             : type_named_tuple(r->cx->types, n, e, names, cls, cls_name);
}

static const Type *
get_heap(Reader *r, int depth)
{
    const Type *e[8];
    int n = get_count(r, 8);
    const char *name = get_text(r);
    const HeapClass *c = name ? heap_class(name) : NULL;
    r->bad |= !c || c->n_elems != n;
    for (int i = 0; i < n && !r->bad; i++)
        e[i] = get_type(r, depth + 1);
    return r->bad ? NULL : type_heap(r->cx->types, c, e);
}

/* Would the dicts of an argument be these? What an empty list among them holds has been found out.
 */
static bool
are_fields(Reader *r, const ObjClass *c, int n, const ObjField *f)
{
    bool same = c->dict && c->n == n;
    for (int i = 0; same && i < n; i++)
        same = !strcmp(c->field[i].name, f[i].name) &&
               (c->field[i].type == f[i].type ||
                type_is_open(type_resolve(r->cx->types, c->field[i].type)));
    return same;
}

static const Type *
get_dict(Reader *r, const char *name, int depth)
{
    Arena *a = &r->cx->arena;
    Program *p = (Program *)(uintptr_t)r->rq->prog;
    int n = get_count(r, 8);
    ObjField *f = NEW_N(a, ObjField, n + 1);
    for (int i = 0; i < n && !r->bad; i++) {
        const char *key = get_text(r);
        r->bad |= !key;
        f[i].name = key ? intern(&r->cx->syms, key) : NULL;
        f[i].type = get_type(r, depth + 1);
    }
    if (r->bad)
        return NULL;
    for (int i = 0; i < p->classes.n; i++) {
        ObjClass *c = (ObjClass *)(uintptr_t)p->classes.at[i];
        if (!are_fields(r, c, n, f))
            continue;
        for (int k = 0; k < n; k++)
            c->field[k].type = f[k].type;
        return type_object(r->cx->types, c);
    }
    ObjClass *c = NEW(a, ObjClass);
    *c = (ObjClass){.name = arena_str(a, name), .n = n, .field = f, .copied = true, .dict = true};
    VEC_PUSH(a, p->classes, c);
    return type_object(r->cx->types, c);
}

/* What the program that was kept has told of it; what is wrong is told anew by the next one. */
static void
get_fields(Reader *r, ObjClass *c, int depth)
{
    int n = get_count(r, 8);
    r->bad |= n != c->n;
    for (int i = 0; i < n && !r->bad; i++) {
        const char *name = get_text(r);
        const Type *t = get_type(r, depth + 1);
        r->bad |= !name || strcmp(name, c->field[i].name) != 0;
        if (!r->bad && c->open)
            c->field[i].type = t;
    }
}

/* The only class of that name, or the one that arguments tell of: the key says what is in it. */
static const Type *
get_object(Reader *r, int depth)
{
    const char *name = get_text(r);
    if (name && name[0] == '{')
        return get_dict(r, name, depth);
    const ObjClass *found = NULL;
    int how = get_int(r);
    for (int i = 0; name && i < r->rq->prog->classes.n; i++) {
        const ObjClass *c = r->rq->prog->classes.at[i];
        if (strcmp(c->name, name) || c->open != (how >> 1 & 1))
            continue;
        r->bad |= found != NULL;
        found = c;
    }
    r->bad |= !found;
    if ((how & 1) && !r->bad)
        get_fields(r, (ObjClass *)(uintptr_t)found, depth);
    return r->bad ? NULL : type_object(r->cx->types, found);
}

static const Type *
get_type(Reader *r, int depth)
{
    TypeTable *t = r->cx->types;
    int32_t kind = get_int(r), bits = get_int(r);
    int d = bits & 255, ndim = bits >> 8 & 255, layout = bits >> 16 & 255;
    bool weak = bits >> 24 & 1;
    Readonly readonly = (Readonly)(bits >> 25 & 3);
    if (d == OF_NAME) {
        DType named;
        const char *name = get_text(r);
        r->bad |= !name || !dtype_from_name(name, &named);
        d = r->bad ? 0 : (int)named;
    }
    r->bad |= depth > MAX_DEPTH || (d >= DT_COUNT && d < DT_PARAM) || ndim > MAX_NDIM ||
              layout > LAY_F || readonly > RO_VIEW;
    if (r->bad)
        return NULL;
    if (kind == TY_NONE)
        return type_none(t);
    if (kind == TY_DTYPE)
        return type_dtype(t, (DType)d, weak, readonly != RO_NO);
    if (kind == TY_SCALAR)
        return type_scalar(t, (DType)d, weak);
    if (kind == TY_ARRAY)
        return bits >> 27 & 1 ? type_strided(t, (DType)d, ndim, true, readonly)
                              : type_array(t, (DType)d, ndim, (Layout)layout, readonly);
    if (kind == TY_REF)
        return get_heap(r, depth);
    if (kind == TY_OBJ)
        return get_object(r, depth);
    if (kind == TY_TUPLE || kind == TY_KEYED || kind == TY_RECORD || kind == TY_OPTIONAL ||
        kind == TY_TEXT || kind == TY_RANGE || kind == TY_SLICE)
        return get_parts(r, (TypeKind)kind, ndim, depth);
    r->bad = true;
    return NULL;
}

static void
get_kernels(Reader *r, Artifact *a)
{
    a->n_kernels = get_count(r, 4 * sizeof(int32_t));
    SwKernel *k = NEW_N(&r->cx->arena, SwKernel, a->n_kernels + 1);
    a->kernels = k;
    for (int i = 0; i < a->n_kernels && !r->bad; i++) {
        k[i].may_fail = get_int(r) != 0;
        k[i].writes = (uint32_t)get_int(r);
        k[i].writes |= (uint64_t)(uint32_t)get_int(r) << 32;
        k[i].n_params = get_count(r, sizeof(SwParam));
        k[i].params =
            (const SwParam *)(const void *)get_raw(r, sizeof(SwParam) * (size_t)k[i].n_params);
        for (int n = 0; n < k[i].n_params && !r->bad; n++)
            r->bad |= k[i].params[n].dtype >= DT_COUNT || k[i].params[n].ndim > MAX_NDIM;
    }
}

static void
get_upcall(Reader *r, Upcall *u)
{
    Arena *a = &r->cx->arena;
    u->key = get_text(r);
    int how = get_int(r);
    u->plain = how & 1;
    u->looks = how & 2;
    u->n_in = get_count(r, 5 * sizeof(int32_t));
    const Type **in = NEW_N(a, const Type *, u->n_in + 1);
    const char **name = NEW_N(a, const char *, u->n_in + 1),
               **text = NEW_N(a, const char *, u->n_in + 1);
    bool *maybe = NEW_N(a, bool, u->n_in + 1);
    for (int i = 0; i < u->n_in && !r->bad; i++) {
        in[i] = get_type(r, 0);
        name[i] = get_text(r);
        text[i] = get_text(r);
        maybe[i] = get_int(r) != 0;
        r->bad |= !name[i];
    }
    u->in = in;
    u->in_name = name;
    u->in_text = text;
    u->maybe = maybe;
    u->n_out = get_count(r, 3 * sizeof(int32_t));
    const Type **out = NEW_N(a, const Type *, u->n_out + 1);
    const char **out_name = NEW_N(a, const char *, u->n_out + 1);
    for (int i = 0; i < u->n_out && !r->bad; i++) {
        out[i] = get_type(r, 0);
        out_name[i] = get_text(r);
        r->bad |= !out_name[i];
    }
    u->out = out;
    u->out_name = out_name;
    r->bad |= !u->key;
}

static void
get_upcalls(Reader *r, Artifact *a)
{
    a->n_upcalls = get_count(r, 3 * sizeof(int32_t));
    Upcall *u = NEW_N(&r->cx->arena, Upcall, a->n_upcalls + 1);
    for (int i = 0; i < a->n_upcalls && !r->bad; i++)
        get_upcall(r, &u[i]);
    a->upcalls = u;
}

const Artifact *
artifact_decode(Cx *cx, const SwRequest *rq, const void *bytes, size_t size)
{
    Reader r = {cx, rq, bytes, (const char *)bytes + size, false};
    Artifact *a = NEW(&cx->arena, Artifact);
    a->brief = get_int(&r) != 0;
    a->writes = (uint32_t)get_int(&r);
    a->writes |= (uint64_t)(uint32_t)get_int(&r) << 32;
    a->ret = get_type(&r, 0);
    a->n_sites = get_count(&r, 10 * sizeof(int32_t));
    SwSite *sites = NEW_N(&cx->arena, SwSite, a->n_sites + 1);
    for (int i = 0; i < a->n_sites; i++) {
        SwSite *s = &sites[i];
        s->exc = get_text(&r);
        s->format = get_text(&r);
        s->func = get_text(&r);
        s->file = get_text(&r);
        s->text = get_text(&r);
        s->line = get_int(&r);
        s->col = get_int(&r);
        s->end_col = get_int(&r);
        s->within = get_int(&r);
        if (s->within < 0 || s->within > i)
            s->within = 0;
        s->cause = get_int(&r);
    }
    a->sites = sites;
    a->remarks = get_text(&r);
    get_kernels(&r, a);
    get_upcalls(&r, a);
    a->device = get_text(&r);
    a->device_size = a->device ? strlen(a->device) : 0;
    r.bad |= a->n_kernels && !a->device;
    a->object_size = (size_t)get_count(&r, 1);
    get_raw(&r, -(size_t)(r.at - (const char *)bytes) & 15);
    a->object = get_raw(&r, a->object_size);
    return r.bad || r.at != r.end ? NULL : a;
}
