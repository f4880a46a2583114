/* SPDX-License-Identifier: BSD-3-Clause
 * Instances of classes that change: made by a call of the class, which is one of its __init__ with
 * the new object; attributes read and stored, of the types that the class declares; methods,
 * properties and what belongs to the class itself. Which names a class has is known from Python
 * (py/class.c). */
#include "sema/calls.h"

/* ---- names ----------------------------------------------------------------------------------- */

static void
no_name(Sema *s, const Node *e, const ObjClass *c, const char *how)
{
    int n = 0;
    const char **near = NEW_N(s->a, const char *, c->n + s->prog->methods.n + 1);
    for (int i = 0; i < c->n; i++)
        near[n++] = c->field[i].name;
    for (int i = 0; i < s->prog->methods.n; i++)
        if (s->prog->methods.at[i].cls == c->cls && strncmp(s->prog->methods.at[i].name, "__", 2))
            near[n++] = s->prog->methods.at[i].name;
    Diag *d = sema_error(s, DIAG_attribute, e, "'%s' object has no attribute '%s'%s", c->name,
                         e->name, how);
    sema_hint_nearest(s, d, e->name, near, n);
}

static const Type *
field_type(Sema *s, const ObjClass *c, int k)
{
    return type_resolve(s->tt, c->field[k].type);
}

/* ---- new instances --------------------------------------------------------------------------- */

static bool takes(Sema *s, const Type *to, const Type *v, const Const *cst);
static bool check_field(Sema *s, const Node *at, const ObjClass *c, int k, Sem v);

/* Each argument is a field. */
static Sem
new_by_fields(Sema *s, const Node *e, const Const *cls, const Type *t)
{
    const ObjClass *c = cls->obj;
    Call *out = NEW(s->a, Call);
    Sym *names = NEW_N(s->a, Sym, c->n + 1);
    for (int i = 0; i < c->n; i++)
        names[i] = c->field[i].name;
    Const like = *cls;
    like.n = c->n;
    like.names = names;
    like.kind = CV_TUPLE_CLASS;
    info_of(s, e)->call = out;
    Sem v = tuple_class_call(s, e, arena_dup(s->a, &like, sizeof like), out);
    if (sem_bad(v))
        return v;
    for (int i = 0; i < c->n; i++) {
        Sem x = {v.type->elems[i], v.cst ? v.cst->elems[i] : NULL};
        if (!check_field(s, out->arg[i] ? out->arg[i] : e, c, i, x))
            return sema_unknown(s);
    }
    out->makes = t;
    const Method *post = class_method(s, c->cls, "__post_init__");
    if (post) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "%s has a __post_init__ of its own", c->name);
        diag_hint(s->diags, d, "make it in Python, or give the class an __init__");
        return sema_unknown(s);
    }
    return sem_of(t);
}

static void
is_made(const ObjClass *c)
{
    ((ObjClass *)(uintptr_t)c)->made = true;
}

Sem
object_new(Sema *s, const Node *e, const Const *cls)
{
    const ObjClass *c = cls->obj->same ? cls->obj->same : cls->obj;
    c = variant_class(s, e, signature_class(s, c));
    const Type *t = type_object(s->tt, c);
    const Method *init = class_method(s, cls->ref, "__init__");
    is_made(c);
    object_open(s, c);
    if (class_method(s, cls->ref, "__new__")) {
        sema_error(s, DIAG_unsupported, e, "%s has a __new__ of its own", cls->str);
        return call_give_up(s, e);
    }
    if (cls->obj->by_fields)
        return new_by_fields(s, e, cls, t);
    sema_set(s, e, sem_of(t));
    if (!init) {
        Call *call = NEW(s->a, Call);
        *call = (Call){.kind = CALL_INST, .makes = t};
        if (e->n > 1) {
            sema_error(s, DIAG_argument, e, "%s() takes no arguments", cls->str);
            return call_give_up(s, e);
        }
        info_of(s, e)->call = call;
        return sem_of(t);
    }
    if (!init->def) {
        sema_error(s, DIAG_unsupported, e, "the __init__ of %s can't be compiled", cls->str);
        return call_give_up(s, e);
    }
    Sem r = call_function(s, e, NULL, init->def, e, NULL);
    Call *call = info_of(s, e)->call;
    if (sem_bad(r) || !call)
        return sema_unknown(s);
    call->makes = t;
    return sem_of(t);
}

/* ---- what a field takes ---------------------------------------------------------------------- */

static bool
takes_number(const Type *to, const Type *v, const Const *cst)
{
    DType d = (DType)to->dtype, from = (DType)v->dtype;
    bool bools = v->mixed && !v->ref;
    if (to == v || (d == from && !bools && !type_is_int_member(to)))
        return true;
    if (bools || type_is_int_member(to) || type_has_param(to) || type_has_param(v))
        return false;
    if (d == DT_bool || from == DT_bool)
        return d != DT_bool && from == DT_bool;
    if (to->weak || v->weak) /* of Python's: by their kinds */
        return (v->weak && cst && cst->kind == CV_INT && dtype_is_int(d) ? const_fits(cst, d)
                                                                         : true) &&
               from != DT_u64 &&
               (dtype_is_int(from) ||
                (!dtype_is_int(d) && (dtype_is_complex(d) || !dtype_is_complex(from))));
    if (dtype_is_int(d)) /* a number that doesn't fit raises, as a Python number does */
        return dtype_is_int(from) && from != DT_u64;
    return dtype_can_cast_same_kind(from, d) || dtype_can_cast_safely(from, d);
}

static bool
takes_parts(Sema *s, const Type *to, const Type *v, const Const *cst)
{
    if (v->kind != to->kind || v->n != to->n || (to->names && to->ref != v->ref) || v->listed)
        return false;
    for (int i = 0; i < to->n; i++)
        if (!takes(s, to->elems[i], v->elems[i],
                   cst && cst->kind == CV_TUPLE ? cst->elems[i] : NULL))
            return false;
    return true;
}

/* Is it a constant, or a list that cannot change, or has parts that are? No field holds that. */
static bool
is_fixed(Sema *s, const Type *t)
{
    bool fixed = t->kind == TY_STR || t->kind == TY_LIST || (t->kind == TY_TUPLE && t->listed);
    for (int i = 0; t->kind == TY_TUPLE && !fixed && i < t->n; i++)
        fixed = is_fixed(s, t->elems[i]);
    return fixed && !type_element(s->tt, t);
}

static bool
takes(Sema *s, const Type *to, const Type *v, const Const *cst)
{
    to = type_resolve(s->tt, to);
    v = type_resolve(s->tt, v);
    if (to == v)
        return true;
    switch (to->kind) {
    case TY_REF:
        if (v->kind == TY_TUPLE)
            return type_join_rows(s->tt, to, v) == to;
        return type_unify(s->tt, to, v);
    case TY_UNKNOWN:
        return !is_fixed(s, v) && type_unify(s->tt, to, v);
    case TY_OPTIONAL:
        return v->kind == TY_NONE || takes(s, to->elems[1], type_value(v), cst);
    case TY_TEXT:
        return type_is_str(v) && !type_is_bytes(to);
    case TY_SCALAR:
        return v->kind == TY_SCALAR && takes_number(to, v, cst);
    case TY_ARRAY:
        return v->kind == TY_ARRAY && v->dtype == to->dtype && v->ndim == to->ndim &&
               (to->layout == LAY_A || to->layout == v->layout) && (to->readonly || !v->readonly);
    case TY_OBJ: /* no, but there may be a family to ask for */
        type_join(s->tt, to, v);
        return false;
    case TY_CHOICE:
        return type_is_function(v) && type_join_elements(s->tt, to, type_element(s->tt, v)) == to;
    case TY_EITHER:
        return type_join(s->tt, to, v) == to;
    case TY_TUPLE:
        return v->kind == TY_OBJ ? type_join_objects(s->tt, to, v) == to
                                 : takes_parts(s, to, v, cst);
    default:
        return false;
    }
}

static void
hint_field(Sema *s, Diag *d, const Type *to, const Type *v)
{
    bool array = to->kind == TY_ARRAY && v->kind == TY_ARRAY && to->ndim == v->ndim;
    if (type_is_optional(v))
        diag_hint(s->diags, d, "test for None first");
    else if (array && to->dtype != v->dtype)
        diag_hint(s->diags, d, "convert it: x.astype(np.%s)", dtype_info[to->dtype].name);
    else if (array && to->layout != LAY_A && to->layout != v->layout)
        diag_hint(s->diags, d, "make it contiguous: np.ascontiguousarray(x)");
    else if (array && v->readonly)
        diag_hint(s->diags, d, "it is read-only: x.copy() is not");
    else if (to->kind == TY_SCALAR && v->kind == TY_SCALAR)
        diag_hint(s->diags, d, "convert it, as with %s(x)",
                  to->weak ? to->text : arena_printf(s->a, "np.%s", to->text));
    else if (v->kind == TY_NONE)
        diag_hint(s->diags, d, "declare the field as optional(%s)", to->text);
}

static bool
has_slice(const Type *t)
{
    bool has = t->kind == TY_SLICE;
    for (int i = 0; (t->kind == TY_TUPLE || t->kind == TY_OPTIONAL) && !has && i < t->n; i++)
        has = has_slice(t->elems[i]);
    return has;
}

static bool
check_field(Sema *s, const Node *at, const ObjClass *c, int k, Sem v)
{
    const Type *to = field_type(s, c, k);
    if (sem_bad(v))
        return false;
    if (has_slice(v.type)) {
        Diag *d = sema_error(s, DIAG_unsupported, at, "'%s' of %s can't hold a slice",
                             c->field[k].name, c->name);
        diag_hint(s->diags, d, "keep where it starts and stops, and make it where it is used");
        return false;
    }
    signature_stored(s, c, to, v.type);
    if (object_learn(s, c, k, v))
        to = field_type(s, c, k);
    site_beside(s, v.type, to);
    bool holds = !c->dict || keyed_holds(s, to, v.type);
    if (holds && takes(s, to, v.type, v.cst)) {
        text_kept(s, at, to);
        return true;
    }
    keyed_want_object(s, v.type);
    heap_want_wide(s, to, v.type);
    Diag *d = sema_type_error(s, at, "'%s' of %s is %s, and this is %s", c->field[k].name, c->name,
                              to->text, type_resolve(s->tt, v.type)->text);
    if (c->dict)
        keyed_hint(s, d, to, type_resolve(s->tt, v.type));
    else if (c->generic != c->cls || c->open)
        diag_hint(s->diags, d,
                  "nobody has declared '%s', and what was stored first told its type: "
                  "declare it in the body of %s, as in %s: float",
                  c->field[k].name, c->name, c->field[k].name);
    else
        hint_field(s, d, to, v.type);
    return false;
}

/* ---- attributes ------------------------------------------------------------------------------ */

Sem
object_class_attribute(Sema *s, const Node *e, Sem v)
{
    const ObjClass *c = v.cst->obj;
    const Method *m = class_method(s, c->cls, e->name);
    if (m && m->cst)
        return sem_const(s, m->cst);
    if (m && m->def && !m->is_property) {
        Const *f = NEW(s->a, Const);
        *f = (Const){.kind = CV_FUNC, .ref = m->def, .str = m->def->name};
        if (!m->is_class)
            return sem_const(s, f);
        const Node *of = e->kid[0];
        const FuncDef *here = s->fr->in->def;
        bool named = of->kind == N_Const || (of->kind == N_Name && !ast_is_local(here, of->name));
        if (named && e != s->callee && !s->unroll.loop && !here->is_lib)
            s->unroll = (Unroll){.fn = here,
                                 .loop = e,
                                 .of = UNROLL_METHOD,
                                 .program = (Program *)(uintptr_t)s->prog};
        sema_error(s, DIAG_unsupported, e, "the class method '%s' as a value", e->name);
        return sema_unknown(s);
    }
    no_name(s, e, c, " that the class has itself");
    return sema_unknown(s);
}

static bool
makes_instance(const char *method)
{
    return !strcmp(method, "__init__") || !strcmp(method, "instance_copied_") ||
           !strcmp(method, "instance_deep_");
}

/* What reads a field that is computed when it is first asked for: see swathe/_cached.py. NULL: the
 * field is no such, or is asked for by just that, or by what copies instances. */
static const Method *
cached_getter(Sema *s, const ObjClass *c, int k)
{
    const FuncDef *in = s->fr->in->def;
    const Method *m =
        k < 0 || !c->field[k].maybe
            ? NULL
            : class_method(s, c->cls, arena_printf(s->a, "cached %s", c->field[k].name));
    return m && m->def && m->def != in && !makes_instance(in->name) ? m : NULL;
}

Sem
object_attribute(Sema *s, const Node *e, Sem v)
{
    const ObjClass *c = v.type->ref;
    int k = object_field(c, e->name);
    const Method *m = cached_getter(s, c, k);
    if (m)
        return tuple_property(s, e, m->def);
    if (k >= 0)
        return sem_of(field_type(s, c, k));
    m = class_method(s, c->cls, e->name);
    if (m && m->is_property && m->def)
        return tuple_property(s, e, m->def);
    if (m && m->cst)
        return sem_const(s, m->cst);
    if (m)
        sema_error(s, DIAG_unsupported, e, "'%s' of %s can't be compiled", e->name, c->name);
    else
        no_name(s, e, c, "");
    return sema_unknown(s);
}

/* Is its value known without running anything? */
static bool
is_plain_name(Sema *s, const Node *e)
{
    (void)s;
    return e->kind == N_Name || e->kind == N_Const;
}

static Sem
call_method(Sema *s, const Node *e, const Method *m, Sem self)
{
    const Node *of = e->kid[0]->kid[0];
    bool of_class = self.cst && (self.cst->kind == CV_CLASS || self.cst->kind == CV_TUPLE_CLASS);
    if (m->is_static || (of_class && !m->is_class)) {
        if (is_plain_name(s, of))
            return call_function(s, e, NULL, m->def, NULL, NULL);
        sema_error(s, DIAG_unsupported, e, "a static method of what is computed here");
        return call_give_up(s, e);
    }
    if (m->is_class && !of_class) {
        bool plain = of->kind == N_Name && !info_of(s, of)->need && self.type->kind == TY_OBJ;
        if (plain && !s->unroll.loop)
            s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e->kid[0], .of = UNROLL_CLASS};
        Diag *d = sema_error(s, DIAG_unsupported, e, "a class method called of an instance");
        const ObjClass *c = type_class(self.type);
        diag_hint(s->diags, d, "call it of the class: %s.%s(...)",
                  c ? c->name : python_name(s, self.type), m->name);
        return call_give_up(s, e);
    }
    return call_function(s, e, NULL, m->def, of, NULL);
}

/* Of a class of named tuples; other methods take the tuple as its functions do. */
static bool
tuple_class_method(Sema *s, const Node *e, Sem self, Sem *out)
{
    bool of_class = self.cst && self.cst->kind == CV_TUPLE_CLASS;
    bool named = self.type->names && (self.type->kind == TY_TUPLE || self.type->kind == TY_SCALAR);
    const void *cls = of_class ? self.cst->ref : named ? self.type->ref : NULL;
    const Method *m = cls ? class_method(s, cls, e->kid[0]->name) : NULL;
    if (!m || !m->def || m->is_property || !(of_class || m->is_static || m->is_class))
        return false;
    *out = call_method(s, e, m, self);
    return true;
}

/* What copies instances is in the program where somebody wants it. */
static bool
wants_copies(Sema *s, const Node *e, Sem *out)
{
    static const char *const copies[] = {CLASS_COPIES};
    const char *name = e->kid[0]->name;
    if (s->prog->copies || (strcmp(name, copies[0]) != 0 && strcmp(name, copies[1]) != 0))
        return false;
    heap_lib_named(s, name);
    *out = call_give_up(s, e);
    return true;
}

bool
object_call(Sema *s, const Node *e, Sem self, Sem *out)
{
    if (self.type->kind != TY_UNKNOWN && wants_copies(s, e, out))
        return true;
    if (tuple_class_method(s, e, self, out))
        return true;
    const Node *f = e->kid[0];
    bool of_class = self.cst && self.cst->kind == CV_CLASS;
    const ObjClass *c = of_class ? self.cst->obj : type_class(self.type);
    if (!c || (!of_class && object_field(c, f->name) >= 0))
        return false;
    if (of_class && e->n == 1 && !strcmp(f->name, "_swathe_blank")) { /* for swathe._classes */
        Call *call = NEW(s->a, Call);
        is_made(c);
        *call = (Call){.kind = CALL_INST, .makes = type_object(s->tt, c)};
        info_of(s, e)->call = call;
        *out = sem_of(call->makes);
        return true;
    }
    const Method *m = class_method(s, c->cls, f->name);
    if (m && (m->cst || m->is_property))
        return false;
    if (m && m->def) {
        *out = call_method(s, e, m, self);
        return true;
    }
    if (m)
        sema_error(s, DIAG_unsupported, f, "the method '%s' of %s can't be compiled", f->name,
                   c->name);
    else
        no_name(s, f, c, "");
    *out = call_give_up(s, e);
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static const Method *
setter_of(Sema *s, const void *cls, Sym name)
{
    for (int i = 0; i < s->prog->methods.n; i++) {
        const Method *m = &s->prog->methods.at[i];
        if (m->cls == cls && m->is_setter && !strcmp(m->name, name))
            return m;
    }
    return NULL;
}

/* A call that lowering makes with values: info->call. */
Sem
value_call(Sema *s, const Node *t, const FuncDef *fd, int n, const Sem *v)
{
    const Type **types = NEW_N(s->a, const Type *, n);
    const Const **csts = NEW_N(s->a, const Const *, n);
    if (fd->n_params != n) {
        sema_error(s, DIAG_argument, t, "'%s' takes %d arguments, and is given %d", fd->name,
                   fd->n_params, n);
        return sema_unknown(s);
    }
    for (int i = 0; i < n; i++)
        types[i] = type_resolve(s->tt, v[i].type);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    Sem r = sem_of(sema_call_inst(s, t, fd, n, types, csts, &c->inst));
    info_of(s, t)->call = c;
    return r;
}

/* t is x.name, or x["name"] of a dict; -1: there is none. */
static int
place_of(Sema *s, const Node *t, const ObjClass *c)
{
    return t->kind == N_Subscript ? keyed_object_place(s, t, c) : object_field(c, t->name);
}

void
object_store(Sema *s, const Node *t, Sem obj, Sem v, const Node *value)
{
    const ObjClass *c = obj.type->ref;
    int k = place_of(s, t, c);
    *info_of(s, t) = (Info){.type = type_unknown(s->tt)};
    if (value && !sem_bad(v))
        v = heap_value(s, value, v);
    if (value && !sem_bad(v) && !sema_may_hold(s, value, v))
        return;
    const Method *get = k >= 0 && c->field[k].maybe
                            ? class_method(s, c->cls, arena_printf(s->a, "cached %s", t->name))
                            : NULL; /* Python's cached_property stores past __setattr__ */
    bool makes =
        makes_instance(s->fr->in->def->name) || (get && get->def && get->def == s->fr->in->def);
    if (k >= 0 && c->frozen && !makes) {
        sema_error(s, DIAG_attribute, t, "cannot assign to field '%s' of %s, which is frozen",
                   t->name, c->name);
        return;
    }
    if (k >= 0) {
        info_of(s, t)->type = field_type(s, c, k);
        check_field(s, t, c, k, v);
        info_of(s, t)->type = field_type(s, c, k);
        return;
    }
    if (c->dict)
        return;
    const Method *set = setter_of(s, c->cls, t->name), *m = class_method(s, c->cls, t->name);
    if (set && set->def && !sem_bad(v)) {
        value_call(s, t, set->def, 2, (Sem[]){obj, v});
        info_of(s, t)->type = type_resolve(s->tt, v.type);
        return;
    }
    if (m && m->is_property)
        sema_error(s, DIAG_attribute, t, "property '%s' of '%s' object has no setter", t->name,
                   c->name);
    else if (m)
        sema_error(s, DIAG_unsupported, t, "assigning '%s' to an instance, which its class has",
                   t->name);
    else
        no_name(s, t, c, ": its class declares what it has");
}

/* A property of a class of named tuples. False: there is none that can be set. */
bool
object_store_tuple(Sema *s, const Node *t, Sem obj, Sem v, const Node *value)
{
    const Method *set =
        obj.type->kind == TY_TUPLE && obj.type->names ? setter_of(s, obj.type->ref, t->name) : NULL;
    if (!set || !set->def)
        return false;
    *info_of(s, t) = (Info){.type = type_unknown(s->tt)};
    if (value && !sem_bad(v))
        v = heap_value(s, value, v);
    if (sem_bad(v))
        return true;
    value_call(s, t, set->def, 2, (Sem[]){obj, v});
    info_of(s, t)->type = type_resolve(s->tt, v.type);
    return true;
}

void
object_store_item(Sema *s, const Node *t, Sem obj, Sem idx, Sem v, const Node *value)
{
    const ObjClass *c = obj.type->ref;
    const Method *m = class_method(s, c->cls, "__setitem__");
    if (c->dict) {
        if (!sem_bad(idx))
            object_store(s, t, obj, v, value);
        return;
    }
    *info_of(s, t) = (Info){.type = type_unknown(s->tt)};
    if (value && !sem_bad(v))
        v = heap_value(s, value, v);
    if (t->kind == N_Subscript && !sem_bad(idx))
        idx = heap_value(s, t->kid[1], idx);
    if (sem_bad(v) || sem_bad(idx))
        return;
    if (!m || !m->def) {
        sema_type_error(s, t, "'%s' object does not support item assignment", c->name);
        return;
    }
    value_call(s, t, m->def, 3, (Sem[]){obj, idx, v});
    info_of(s, t)->type = type_resolve(s->tt, v.type);
}

/* del x.a, which a property says. False: it is not that. */
bool
object_delete(Sema *s, const Node *t)
{
    Sem obj = sema_expr(s, t->kid[0]);
    if (obj.type->kind != TY_OBJ)
        return sem_bad(obj);
    const ObjClass *c = obj.type->ref;
    const Method *m = class_method(s, c->cls, arena_printf(s->a, "deleter %s", t->name));
    const Method *get = class_method(s, c->cls, t->name);
    if (m && m->def)
        special_call(s, t, m, 1, (const Node *const *)t->kid);
    else if (get && get->is_property)
        sema_error(s, DIAG_attribute, t, "property '%s' of '%s' object has no deleter", t->name,
                   c->name);
    else
        return false;
    return true;
}

/* ---- x.a += v -------------------------------------------------------------------------------- */

static void
aug_array(Sema *s, const Node *n, Sem old, Sem by)
{
    Call *call = NULL;
    by = sema_beside_array(s, n, n->kid[1], heap_as_array(s, n->kid[1], by));
    if (sem_bad(by))
        return;
    Sem v = expr_binop_values(s, n, n->op, old, by, &call);
    info_of(s, n)->call = call;
    info_of(s, n)->type = v.type;
    if (old.type->readonly)
        sema_readonly(s, n, "assignment destination is read-only");
    else if (!sem_bad(v))
        check_store(s, n, old.type, v, true);
}

/* x.a += v, where x has no name, or a method yields what is there: it is written out. */
static void
write_out_aug(Sema *s, const Node *n, const char *hint)
{
    Diag *d = sema_error(s, DIAG_unsupported, n, "%s= of this attribute", binop_text[n->op]);
    diag_hint(s->diags, d, hint, binop_text[n->op]);
    if (n->kid[0]->kind == N_Attribute && !s->unroll.loop)
        s->unroll = (Unroll){.fn = s->fr->in->def, .loop = n, .of = UNROLL_ITEM};
}

static void
aug_field(Sema *s, const Node *n, Sem obj, Sem by)
{
    const Node *t = n->kid[0];
    const ObjClass *c = obj.type->ref;
    if (t->kind == N_Subscript && sem_bad(sema_expr(s, t->kid[1])))
        return;
    int k = place_of(s, t, c);
    Sem old = c->dict && k < 0 ? sema_unknown(s) : sema_expr(s, t), v; /* as if it were read */
    if (sem_bad(old) || sem_bad(by))
        return;
    bool once = is_plain_name(s, t->kid[0]);
    if (k < 0 || cached_getter(s, c, k) || (old.type->kind == TY_REF && !once)) {
        write_out_aug(s, n,
                      k < 0 ? "write out the assignment: x.a = x.a %s y"
                            : "give the object a name first: x.a %s= y");
        return;
    }
    if (c->frozen && strcmp(s->fr->in->def->name, "__init__") != 0) {
        object_store(s, t, obj, old, NULL);
        return;
    }
    if (old.type->kind == TY_REF) {
        v = heap_aug(s, n, old);
        info_of(s, n)->type = v.type;
        return;
    }
    if (type_is_array(old.type)) {
        aug_array(s, n, old, by);
        return;
    }
    Call *call = NULL;
    bool own = special_binop(s, n, t, old, n->kid[1], by, &v);
    if (own && !once) {
        write_out_aug(s, n, "give the object a name first: x.a %s= y");
        return;
    }
    if (!own)
        v = expr_binop_values(s, n, n->op, old, by, &call);
    if (!own)
        info_of(s, n)->call = call;
    info_of(s, n)->type = v.type;
    check_field(s, n, c, k, v);
}

void
object_aug(Sema *s, const Node *n, Sem obj)
{
    const Node *t = n->kid[0];
    obj = t->kind == N_Subscript
              ? sema_need(s, t->kid[0], obj, "TypeError", "'NoneType' object is not subscriptable")
              : sema_need(s, t->kid[0], obj, "AttributeError",
                          "'NoneType' object has no attribute '%s'", t->name);
    aug_field(s, n, obj, sema_operand(s, n->kid[1]));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* A member of an enum: see swathe/_enums.py. */
bool
object_is_enum(const Type *t)
{
    t = type_value(t);
    return t->kind == TY_TUPLE && t->names && t->n == 1 && !strcmp(t->names[0], "enum");
}

static bool
compare_enums(Sema *s, const Node *e, const Type *a, const Type *b, Sem *out)
{
    int op = e->ops[0];
    bool none = a->kind == TY_NONE || b->kind == TY_NONE;
    bool maybe = type_is_optional(a) || type_is_optional(b);
    if (op == C_IN || op == C_NOTIN || none || (maybe && type_value(a) == type_value(b)))
        return false;
    if (op == C_LT || op == C_LE || op == C_GT || op == C_GE) {
        sema_type_error(s, e, "'%s' not supported between instances of '%s' and '%s'", cmp_text[op],
                        python_name(s, a), python_name(s, b));
        *out = sema_unknown(s);
        return true;
    }
    *out = sem_of(type_scalar(s->tt, DT_bool, true));
    if (type_value(a)->ref != type_value(b)->ref || type_value(b)->kind != TY_TUPLE)
        *out = sem_const(s, const_bool(s, op == C_NE || op == C_ISNOT));
    return true;
}

/* Of which no class has an operator of its own: are both one object? */
bool
object_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    int op = e->ops[0];
    const ObjClass *x = type_class(a.type), *y = type_class(b.type);
    if (!sem_bad(a) && !sem_bad(b) && (object_is_enum(a.type) || object_is_enum(b.type)))
        return compare_enums(s, e, a.type, b.type, out);
    if ((!x && !y) || sem_bad(a) || sem_bad(b) || op == C_IN || op == C_NOTIN)
        return false;
    bool equality = op == C_EQ || op == C_NE || op == C_IS || op == C_ISNOT;
    if (!equality) {
        sema_type_error(s, e, "'%s' not supported between instances of '%s' and '%s'", cmp_text[op],
                        x ? x->name : python_name(s, a.type), y ? y->name : python_name(s, b.type));
        *out = sema_unknown(s);
        return true;
    }
    bool none = a.type->kind == TY_NONE || b.type->kind == TY_NONE;
    bool maybe = type_is_optional(a.type) || type_is_optional(b.type);
    if (none && maybe)
        return false;
    if (x && y && op != C_IS && op != C_ISNOT && x->generic == y->generic && x->by_fields) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "'%s' of %s, which compares its fields",
                             cmp_text[op], x->name);
        diag_hint(s->diags, d, "write an __eq__, or compare the fields");
        *out = sema_unknown(s);
        return true;
    }
    *out = sem_of(type_scalar(s->tt, DT_bool, true));
    if (x != y && !maybe)
        *out = sem_const(s, const_bool(s, op == C_NE || op == C_ISNOT));
    return true;
}
