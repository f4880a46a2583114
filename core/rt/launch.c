/* SPDX-License-Identifier: BSD-3-Clause
 * The life of a compiled function: made of an artifact, counted, freed with its code. Takes an
 * artifact and the request that it answers; yields an SwFunction that owns all it mentions, since
 * the arena of the compilation ends before it. Types are copied into a table of its own; a named
 * tuple's class stays the same pointer (the caller keeps the class alive). */
#include "rt/rt.h"

#include <stdlib.h>

static int64_t live;

int64_t
rt_live_functions(void)
{
    return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

/* ---- copies ------------------------------------------------------------------------------ */

static const char *
copy_text(Arena *a, const char *s)
{
    return s ? arena_str(a, s) : NULL;
}

static const Type *copy_type(Arena *a, TypeTable *to, const Type *t);

static const Type **
copy_types(Arena *a, TypeTable *to, const Type *const *from, int n)
{
    const Type **e = NEW_N(a, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = copy_type(a, to, from[i]);
    return e;
}

static const Type *
copy_tuple(Arena *a, TypeTable *to, const Type *t)
{
    const Type **e = copy_types(a, to, t->elems, t->n);
    if (t->kind == TY_OPTIONAL)
        return type_optional(to, e[1]);
    if (t->kind == TY_EITHER)
        return type_either(to, t->n, e);
    if (!t->names)
        return type_tuple_as(to, t, t->n, e);
    Sym *names = NEW_N(a, Sym, t->n + 1);
    for (int i = 0; i < t->n; i++)
        names[i] = arena_str(a, t->names[i]);
    return type_with_elems(to, t, t->ndim, e, names);
}

/* Of a class that is made of itself, too. */
static const Type *
copy_object(Arena *a, TypeTable *to, const Type *t)
{
    const ObjClass *c = t->ref;
    const Type *there = type_kept(to, c);
    if (there)
        return there;
    ObjClass *copy = arena_dup(a, c, sizeof *c);
    copy->name = arena_str(a, c->name);
    copy->field = NEW_N(a, ObjField, c->n + 1);
    const Type *r = type_object(to, copy);
    type_keep(to, c, r);
    for (int i = 0; i < c->n; i++)
        copy->field[i] = (ObjField){.name = arena_str(a, c->field[i].name),
                                    .type = copy_type(a, to, c->field[i].type),
                                    .maybe = c->field[i].maybe};
    return r;
}

static const Type *
copy_member(Arena *a, TypeTable *to, const Type *t, const Type *is)
{
    Sym name = arena_str(a, t->names[0]);
    return type_named_tuple(to, 1, &is, &name, t->ref, arena_str(a, t->text));
}

/* Functions lose their definition: it is in the arena that ends. */
static const Type *
copy_type(Arena *a, TypeTable *to, const Type *t)
{
    switch (t->kind) {
    case TY_UNKNOWN:
        return type_unknown(to);
    case TY_NONE:
        return type_none(to);
    case TY_SCALAR: {
        const Type *is = type_scalar(to, (DType)t->dtype, t->weak);
        return type_is_int_member(t) ? copy_member(a, to, t, is) : is;
    }
    case TY_ARRAY:
        return type_array(to, (DType)t->dtype, t->ndim, (Layout)t->layout, t->readonly);
    case TY_TUPLE:
    case TY_KEYED:
    case TY_RECORD:
    case TY_OPTIONAL:
    case TY_EITHER:
        return copy_tuple(a, to, t);
    case TY_DTYPE:
        return type_dtype(to, (DType)t->dtype, t->weak, t->readonly);
    case TY_CLASS:
    case TY_BUILTIN: /* rows of constant tables, or named by their text */
        return type_other(to, t->kind, t->ref, 0, NULL, t->text);
    case TY_TEXT:
        return type_is_bytes(t) ? type_bytes(to) : type_text(to);
    case TY_RANGE:
        return type_range(to);
    case TY_STR:
    case TY_FUNC:
    case TY_CHOICE:
    case TY_MODULE:
    case TY_SLICE:
    case TY_ITER:
    case TY_EXC:
    case TY_ELLIPSIS:
    case TY_LIST:
        break;
    case TY_REF:
        return type_heap(to, t->ref, copy_types(a, to, t->elems, t->n));
    case TY_OBJ:
        return copy_object(a, to, t);
    }
    return type_other(to, t->kind, NULL, t->n, copy_types(a, to, t->elems, t->n), t->text);
}

static SwSite *
copy_sites(Arena *a, const SwSite *from, int n)
{
    SwSite *to = NEW_N(a, SwSite, n + 1);
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].exc = copy_text(a, from[i].exc);
        to[i].format = copy_text(a, from[i].format);
        to[i].func = copy_text(a, from[i].func);
        to[i].file = copy_text(a, from[i].file);
        to[i].text = copy_text(a, from[i].text);
    }
    return to;
}

static const char *const *
copy_texts(Arena *a, const char *const *from, int n)
{
    const char **to = NEW_N(a, const char *, n + 1);
    for (int i = 0; i < n; i++)
        to[i] = copy_text(a, from[i]);
    return to;
}

static SwUpcall *
copy_upcalls(Arena *a, TypeTable *types, const Upcall *from, int n)
{
    SwUpcall *to = NEW_N(a, SwUpcall, n + 1);
    for (int i = 0; i < n; i++) {
        const Upcall *u = &from[i];
        to[i].is = (Upcall){.key = copy_text(a, u->key),
                            .plain = u->plain,
                            .looks = u->looks,
                            .n_in = u->n_in,
                            .n_out = u->n_out,
                            .in = copy_types(a, types, u->in, u->n_in),
                            .out = copy_types(a, types, u->out, u->n_out),
                            .in_name = copy_texts(a, u->in_name, u->n_in),
                            .out_name = copy_texts(a, u->out_name, u->n_out),
                            .in_text = copy_texts(a, u->in_text, u->n_in),
                            .maybe = arena_dup(a, u->maybe, sizeof(bool) * (size_t)u->n_in)};
    }
    return to;
}

/* ---- making and freeing ------------------------------------------------------------------ */

static bool
has_instance(const Type *t)
{
    bool has = t->kind == TY_OBJ;
    for (int i = 0; (type_has_parts(t) || t->kind == TY_REF) && !has && i < t->n; i++)
        has = has_instance(t->elems[i]);
    return has;
}

/* Its instances last, and may keep what they are given. Objects of plain classes, which are copied,
 * last as long as a call. */
static bool
lasts(const ObjClass *c)
{
    return !c->copied;
}

static void
fill(SwFunction *fn, const SwRequest *rq, const Artifact *art)
{
    Arena *a = &fn->arena;
    fn->types = type_table(a);
    fn->ret = copy_type(a, fn->types, art->ret);
    fn->ret_slots = type_slots(fn->ret);
    fn->n_args = rq->n_args;
    fn->args = copy_types(a, fn->types, rq->args, rq->n_args);
    for (int i = 0; i < fn->n_args; i++)
        fn->arg_slots += type_slots(fn->args[i]);
    fn->instances = has_instance(fn->ret);
    fn->lasting = type_leads_to(fn->ret, lasts);
    for (int i = 0; i < fn->n_args; i++) {
        fn->instances |= has_instance(fn->args[i]);
        fn->lasting |= type_leads_to(fn->args[i], lasts);
    }
    fn->n_sites = art->n_sites;
    fn->sites = copy_sites(a, art->sites, art->n_sites);
    fn->remarks = copy_text(a, art->remarks);
    fn->brief = art->brief;
    fn->writes = art->writes;
    fn->n_upcalls = art->n_upcalls;
    fn->upcalls = copy_upcalls(a, fn->types, art->upcalls, art->n_upcalls);
    for (int i = 0; i < fn->n_upcalls; i++)
        fn->shows |= !fn->upcalls[i].is.looks;
    bool kernel = rq->opt.target != TARGET_CPU;
    const char *source = kernel ? art->object : art->device;
    if (!source)
        return;
    fn->source_size = kernel ? art->object_size : art->device_size;
    char *text = arena_alloc(a, fn->source_size + 1);
    memcpy(text, source, fn->source_size);
    fn->source = text;
    fn->n_kernels = art->n_kernels;
    SwKernel *k = arena_dup(a, art->kernels, sizeof *k * (size_t)art->n_kernels);
    for (int i = 0; i < art->n_kernels; i++)
        k[i].params = arena_dup(a, k[i].params, sizeof *k[i].params * (size_t)k[i].n_params);
    fn->kernels = k;
}

static void
destroy(SwFunction *fn)
{
    if (fn->code)
        load_free(fn->code);
    arena_free(&fn->arena);
    free(fn);
}

static bool
filled(SwFunction *fn, const SwRequest *rq, const Artifact *art)
{
    jmp_buf oom;
    fn->arena.oom = &oom;
    bool ok = setjmp(oom) == 0;
    if (ok)
        fill(fn, rq, art);
    fn->arena.oom = NULL;
    return ok;
}

SwFunction *
function_load(const SwRequest *rq, const Artifact *art, LoadError *err)
{
    SwFunction *fn = calloc(1, sizeof *fn);
    err->no_memory = !fn;
    if (!fn)
        return NULL;
    arena_init(&fn->arena);
    fn->refs = 1;
    void *entry = NULL;
    bool full = filled(fn, rq, art);
    err->no_memory = !full;
    if (full && rq->opt.target != TARGET_CPU) {
        __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
        return fn;
    }
    if (full && (fn->code = load_object(art->object, art->object_size, 0, err)) &&
        !(entry = load_symbol(fn->code, "swathe_entry")))
        err->why = strdup("the object has no entry");
    if (!entry) {
        destroy(fn);
        return NULL;
    }
    *(void **)&fn->entry = entry;
    __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return fn;
}

void
rt_release(SwFunction *fn)
{
    if (!fn || __atomic_sub_fetch(&fn->refs, 1, __ATOMIC_ACQ_REL))
        return;
    __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    destroy(fn);
}
