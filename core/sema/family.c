/* SPDX-License-Identifier: BSD-3-Clause
 * Values that are instances of one class or another. The type of such a value is a named tuple of
 * optional instances, of which one is there; its class, made by swathe/_families.py, has methods
 * for whatever the classes have, which look which instance there is. So lists, fields, variables
 * and results take such values as they take tuples, and nothing behind sema knows of them. Takes
 * two types that have to be one; yields the family's, or notes that Python is to be asked for it,
 * and the program is compiled again. */
#include "sema/calls.h"

static const ObjClass *
now(const ObjClass *c)
{
    return c->same ? c->same : c;
}

static const Type *
family_type(Sema *s, const Family *f)
{
    const Type **e = NEW_N(s->a, const Type *, f->n + 1);
    for (int i = 0; i < f->n; i++)
        e[i] = type_optional(s->tt, type_object(s->tt, now(f->member[i])));
    return type_named_tuple(s->tt, f->n, e, f->cls->names, f->cls->ref, f->cls->str);
}

static bool
is_member(const Family *f, const ObjClass *c)
{
    bool is = false;
    for (int i = 0; i < f->n; i++)
        is |= now(f->member[i]) == c;
    return is;
}

static bool
was_asked(const Family *f, const ObjClass *a, const ObjClass *b)
{
    return (f->of[0] == a && f->of[1] == b) || (f->of[0] == b && f->of[1] == a);
}

/* NULL: it is no such type. */
static const Family *
family_of(const Sema *s, const Type *t)
{
    for (int i = 0; t->kind == TY_TUPLE && t->names && i < s->prog->families.n; i++) {
        const Family *f = &s->prog->families.at[i];
        if (f->cls && f->cls->ref == t->ref)
            return f;
    }
    return NULL;
}

/* Is it a type of the family, or of one that has grown to it, or of an instance of one of its
 * classes? */
static bool
is_of(const Sema *s, const Family *f, const Type *t)
{
    const Family *g = family_of(s, t);
    bool is = g != NULL;
    for (int i = 0; is && i < g->n; i++)
        is = is_member(f, now(g->member[i]));
    return is || (t->kind == TY_OBJ && is_member(f, t->ref));
}

/* An instance, or one of those that such a value may be; NULL: it is neither. */
static const ObjClass *
one_of(const Sema *s, const Type *t)
{
    const Family *f = family_of(s, t);
    return t->kind == TY_OBJ ? t->ref : f ? now(f->member[0]) : NULL;
}

/* The last family has all that those before it have. */
static const Type *
join(void *sema, const Type *a, const Type *b)
{
    Sema *s = sema;
    Program *p = (Program *)(uintptr_t)s->prog;
    const ObjClass *x = one_of(s, a), *y = one_of(s, b);
    x = x && x->of ? x->of : x;
    y = y && y->of ? y->of : y;
    if (a != b && x && x->resumed && x == y) /* of two signatures */
        return NULL;
    for (int i = p->families.n; i-- > 0;) {
        const Family *f = &p->families.at[i];
        if (f->cls && is_of(s, f, a) && is_of(s, f, b))
            return family_type(s, f);
        if (a != b && x && y && was_asked(f, x, y))
            return NULL;
    }
    if (a == b || !x || !y || x->dict || y->dict || x->resumed != y->resumed)
        return NULL;
    VEC_PUSH(s->a, p->families, ((Family){.of = {x, y}}));
    p->family_asked = true;
    return NULL;
}

/* With the last family in the place of those that it has grown from, and of what lists of one class
 * hold: so for arguments, whose types are from before. */
static const Type *
grown(Sema *s, const Type *was)
{
    const Type *t = type_resolve(s->tt, was); /* what use has told before the family was known */
    const Type **e = NEW_N(s->a, const Type *, t->n + 1);
    bool other = false;
    if (family_of(s, t)) {
        const Type *all = join(s, t, t);
        return all ? all : was;
    }
    bool inside = t->kind == TY_OPTIONAL || t->kind == TY_REF || (t->kind == TY_TUPLE && !t->names);
    for (int i = 0; inside && i < t->n; i++) {
        bool held = t->kind == TY_REF && t->elems[i]->kind == TY_OBJ && t->elems[i]->ref;
        const Type *all =
            held && type_class(t->elems[i])->copied ? join(s, t->elems[i], t->elems[i]) : NULL;
        e[i] = all ? all : grown(s, t->elems[i]);
        other |= e[i] != t->elems[i];
    }
    return !other                   ? was
           : t->kind == TY_OPTIONAL ? type_optional(s->tt, e[1])
           : t->kind == TY_REF      ? type_heap(s->tt, t->ref, e)
           : t->listed              ? type_listed(s->tt, t->n, e)
                                    : type_tuple(s->tt, t->n, e);
}

void
family_grow(Sema *s, const Type **args, int n)
{
    for (int i = 0; i < n && s->prog->families.n; i++)
        args[i] = grown(s, args[i]);
    for (int i = 0; i < s->prog->classes.n && s->prog->families.n; i++) {
        ObjClass *c = (ObjClass *)(uintptr_t)s->prog->classes.at[i];
        for (int k = 0; c->copied && !c->open && k < c->n; k++) {
            const Type *was = c->field[k].type;
            c->field[k].type = grown(s, was);
            c->field[k].learnt |= c->field[k].type != was;
        }
    }
}

void
family_begin(Sema *s)
{
    type_set_families(s->tt, (TypeFamilies){join, s});
}

/* Is there one without an answer? Where it went without, with no more than `before` errors, none is
 * needed. */
bool
family_asked(Sema *s, int before)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    if (diag_mark(s) > before)
        return p->family_asked;
    while (p->families.n && !p->families.at[p->families.n - 1].known)
        p->families.n--;
    p->family_asked = false;
    return false;
}

bool
family_is(const Sema *s, const Type *t)
{
    return family_of(s, type_value(t)) != NULL;
}

/* The members that are of a class, or are that very class, as bits. */
static int64_t
members_of(const Sema *s, const Family *f, Sem cls, bool exact)
{
    int64_t mask = 0;
    for (int i = 0; cls.type->kind == TY_TUPLE && i < cls.type->n; i++) {
        const Const *k = cls.cst && cls.cst->kind == CV_TUPLE ? cls.cst->elems[i] : NULL;
        mask |= members_of(s, f, (Sem){cls.type->elems[i], k}, exact);
    }
    if (!cls.cst || cls.cst->kind != CV_CLASS)
        return mask;
    for (int i = 0; i < f->n; i++) {
        const ObjClass *m = now(f->member[i]);
        bool is = exact ? m->generic == cls.cst->obj->generic : class_is(s, m->cls, cls.cst->ref);
        mask |= (int64_t)is << i;
    }
    return mask;
}

/* Is what is there one of these members? A method of the class of the tuples says so. */
static Sem
asks(Sema *s, const Node *e, const Family *f, const Node *x, int64_t members, bool none)
{
    const Method *m = class_method(s, f->cls->ref, "instance_in_");
    const Type *types[3] = {type_resolve(s->tt, sema_known(s, x).type),
                            type_scalar(s->tt, DT_i64, true), type_scalar(s->tt, DT_bool, true)};
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = 3};
    c->arg = NEW_N(s->a, const Node *, 3);
    c->dflt = NEW_N(s->a, const Const *, 3);
    c->arg[0] = x;
    c->dflt[1] = const_int(s, members);
    c->dflt[2] = const_bool(s, none);
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, m->def, 3, types, c->dflt, &c->inst));
}

/* x of type(x); NULL: it is no such call, or of what is not to be looked at twice. */
static const Node *
class_asked(Sema *s, const Node *of)
{
    const Node *fn = of->kind == N_Call && of->n == 2 ? of->kid[0] : NULL;
    if (!fn || (fn->kind != N_Name && fn->kind != N_Const))
        return NULL;
    const Type *called = sema_expr(s, fn).type;
    const Builtin *b = called->kind == TY_BUILTIN ? called->ref : NULL;
    const Node *x = b && b->id == BI_py_type ? of->kid[1] : NULL;
    return x && x->kind != N_Call && x->kind != N_NamedExpr ? x : NULL;
}

/* type(x) is type(y), where x is of the family: y may be, too, or is of a class that is known. */
static bool
compare_two(Sema *s, const Node *e, const Family *f, const Node *x, const Node *y, bool is,
            Sem *out)
{
    const Type *a = type_resolve(s->tt, sema_expr(s, x).type),
               *b = type_resolve(s->tt, sema_expr(s, y).type);
    if (b->kind == TY_OBJ) {
        int64_t mask = 0;
        for (int i = 0; i < f->n; i++)
            mask |= (int64_t)(now(f->member[i])->generic == type_class(b)->generic) << i;
        *out = asks(s, e, f, x, is ? mask : ~mask, !is);
        return true;
    }
    if (family_of(s, type_value(b)) != f)
        return false;
    const Method *m = class_method(s, f->cls->ref, is ? "instance_like_" : "instance_unlike_");
    const Type *types[2] = {a, b};
    const Const *none[2] = {NULL, NULL};
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = 2};
    c->arg = NEW_N(s->a, const Node *, 2);
    c->dflt = NEW_N(s->a, const Const *, 2);
    c->arg[0] = x;
    c->arg[1] = y;
    info_of(s, e)->call = c;
    *out = sem_of(sema_call_inst(s, e, m->def, 2, types, none, &c->inst));
    return true;
}

/* Or, where one is sought among them, several? */
static bool
is_class(const Const *c, bool several)
{
    bool is = c && (several ? c->kind == CV_TUPLE : c->kind == CV_CLASS);
    for (int i = 0; is && several && i < c->n; i++)
        is = is_class(c->elems[i], false);
    return is;
}

/* type(x) is C, type(x) == C, type(x) is type(y), type(x) in (C, D) */
bool
family_compare(Sema *s, const Node *e, Sem *out)
{
    int op = e->ops[0];
    bool among = op == C_IN || op == C_NOTIN, is = op == C_IS || op == C_EQ || op == C_IN;
    if (!s->prog->families.n || !(is || among || op == C_ISNOT || op == C_NE))
        return false;
    const Node *x = class_asked(s, e->kid[0]), *y = class_asked(s, e->kid[1]);
    const Family *f = x ? family_of(s, type_value(sema_expr(s, x).type)) : NULL;
    const Family *g = y ? family_of(s, type_value(sema_expr(s, y).type)) : NULL;
    if (among ? !f : !f && !g)
        return false;
    if (x && y && !among)
        return compare_two(s, e, f ? f : g, f ? x : y, f ? y : x, is, out);
    Sem cls = sema_expr(s, e->kid[f ? 1 : 0]);
    if (!is_class(cls.cst, among))
        return false;
    int64_t mask = members_of(s, f ? f : g, cls, true);
    *out = asks(s, e, f ? f : g, f ? x : y, is ? mask : ~mask, !is);
    return true;
}

/* Has its class a method that the function calls? */
static bool
is_asked(const Sema *s, const Call *c, const Family *f)
{
    BuiltinId id = c->fn->id;
    const char *name = id == BI_py_len     ? "__len__"
                       : id == BI_py_abs   ? "__abs__"
                       : id == BI_py_hash  ? "__hash__"
                       : id == BI_py_round ? "__round__"
                       : id == BI_py_next  ? "__next__"
                                           : NULL;
    bool text = id == BI_py_str || id == BI_py_repr || id == BI_py_print || id == BI_py_format;
    return name
               ? class_method(s, f->cls->ref, name) != NULL
               : text && object_has_text(s, family_type((Sema *)(uintptr_t)s, f), id == BI_py_repr);
}

/* What Python's and NumPy's functions would take for a tuple. False: there is no such argument. */
bool
family_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    for (int i = 0; i < c->n_args; i++) {
        Sem v = c->arg[i] ? sema_known(s, c->arg[i]) : (Sem){0};
        const Family *f = v.type ? family_of(s, type_value(v.type)) : NULL;
        if (!f)
            continue;
        if (c->fn->id == BI_py_isinstance && s->fr->in->def->is_lib)
            return false; /* known */
        *out = sema_unknown(s);
        if (c->fn->id == BI_py_isinstance && i == 0 && c->arg[1]) {
            int64_t mask = members_of(s, f, sema_known(s, c->arg[1]), false);
            *out = !mask && c->arg[0]->kind == N_Name ? sem_const(s, const_bool(s, false))
                                                      : asks(s, e, f, c->arg[0], mask, false);
            return true;
        }
        if (c->fn->id == BI_py_class_name && !type_is_optional(v.type)) {
            const Method *m = class_method(s, f->cls->ref, "class_name_");
            *out = special_call(s, e, m, 1, (const Node *const *)c->arg);
            return true;
        }
        if (is_asked(s, c, f))
            return false;
        Diag *d = sema_error(s, DIAG_unsupported, e, "%s() of %s, which is of one class or another",
                             c->fn->name, f->cls->str);
        diag_hint(s->diags, d, "give the classes a method, and call it");
        return true;
    }
    return false;
}
