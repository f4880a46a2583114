/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions: the dispatch, names, attributes, closures, conditionals. Each expression's
 * type and, where known, its value are recorded in the instance; in an expression of
 * which only one branch can be reached the other is not typed. */
#include "sema/fold.h"
#include "sema/calls.h"
#include <math.h>

Sem
sema_unknown(Sema *s)
{
    return sem_of(type_unknown(s->tt));
}

void
sema_set(Sema *s, const Node *e, Sem v)
{
    Info *i = info_of(s, e);
    i->type = v.type;
    i->cst = v.cst;
}

/* A comprehension; its rounds may have to be put one after the other. */
static Sem
expr_rounds(Sema *s, const Node *e)
{
    unsigned before = sema_rounds_begin(s);
    Sem v = expr_comprehension(s, e);
    sema_rounds_end(s, e, before);
    return v;
}

Sem
sema_known(Sema *s, const Node *e)
{
    const Info *i = info_of(s, e);
    return i->type ? (Sem){i->type, i->cst} : sema_unknown(s);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What a name that nobody has defined may stand for; NULL. */
static const char *
meant(Sema *s, const Node *e)
{
    static const struct {
        const char *name, *hint;
    } known[] = {
        {"unicode", "that was Python 2's: write str"},
        {"basestring", "that was Python 2's: write str"},
        {"long", "that was Python 2's: write int"},
        {"unichr", "that was Python 2's: write chr"},
        {"raw_input", "that was Python 2's: write input"},
        {"xrange", "that was Python 2's: write range"},
        {"reduce", "from functools import reduce"},
        {"deque", "from collections import deque"},
        {"defaultdict", "from collections import defaultdict"},
        {"Counter", "from collections import Counter"},
        {"OrderedDict", "from collections import OrderedDict"},
        {"dataclass", "from dataclasses import dataclass"},
        {"null", "write None"},
        {"true", "write True"},
        {"false", "write False"},
    };
    static const char *const modules[] = {
        "math",     "itertools", "functools", "collections", "random",   "string",
        "re",       "json",      "struct",    "heapq",       "bisect",   "operator",
        "time",     "sys",       "os",        "copy",        "cmath",    "statistics",
        "textwrap", "zlib",      "hashlib",   "base64",      "binascii", "unicodedata"};
    for (int i = 0; i < SW_LEN(known); i++)
        if (!strcmp(e->name, known[i].name))
            return known[i].hint;
    for (int i = 0; i < SW_LEN(modules); i++)
        if (!strcmp(e->name, modules[i]))
            return arena_printf(s->a, "import %s", e->name);
    if (!strcmp(e->name, "np"))
        return "import numpy as np";
    if (builtin_find("math", e->name))
        return arena_printf(s->a, "from math import %s, or write math.%s", e->name, e->name);
    return NULL;
}

static void
unknown_name(Sema *s, const Node *e)
{
    const FuncDef *fd = s->fr->in->def, *root = fd;
    if (s->names_missing)
        return;
    while (root->parent)
        root = root->parent;
    int n = 0, cap = s->fr->names.n + root->n_globals + BI_MATH;
    const char **cands = NEW_N(s->a, const char *, cap + 1);
    for (int i = 0; i < s->fr->names.n; i++)
        cands[n++] = s->fr->names.at[i];
    for (int i = 0; i < root->n_globals; i++)
        cands[n++] = root->globals[i].name;
    for (int i = 0; i < BI_MATH; i++)
        cands[n++] = builtin_table[i].name;
    Diag *d =
        sema_error(s, DIAG_unknown_name, e, "name '%s' is not defined", ast_shown(s->a, e->name));
    const Slot *self = fd->n_params ? env_find(s, fd->params[0].name) : NULL;
    const ObjClass *c =
        fd->member_of && self && self->var ? type_class(type_value(self->var->type)) : NULL;
    bool own = c && (object_field(c, e->name) >= 0 || class_method(s, c->cls, e->name));
    const char *hint =
        own ? arena_printf(s->a, "write %s.%s", fd->params[0].name, e->name) : meant(s, e);
    if (hint)
        diag_hint(s->diags, d, "%s", hint);
    else
        sema_hint_nearest(s, d, e->name, cands, n);
}

/* A function takes the variables along that it uses. */
static Sem
const_value(Sema *s, const Node *e, const Const *c)
{
    const FuncDef *fd = c->kind == CV_FUNC ? c->ref : NULL;
    return fd && fd->n_free ? closure_of(s, e, fd) : sem_const(s, c);
}

/* A row among the builtins that Python has in a module. */
static bool
of_a_module(const Builtin *b)
{
    return b->id == BI_py_deque || b->id == BI_py_Counter || b->id == BI_py_defaultdict ||
           b->id == BI_py_OrderedDict || b->id == BI_py_array;
}

static Sem
global_value(Sema *s, const Node *e)
{
    const Const *c = ast_global(s->fr->in->def, e->name);
    if (!c) {
        const Builtin *b = builtin_find("builtins", e->name);
        if (!b || (of_a_module(b) && !s->fr->in->def->is_lib)) {
            unknown_name(s, e);
            return sema_unknown(s);
        }
        Const *k = NEW(s->a, Const);
        *k = (Const){.kind = CV_BUILTIN, .ref = b, .str = b->name};
        c = k;
    }
    if (c->kind == CV_UNSUPPORTED) {
        sema_refuse_outside(s, e, c->str);
        return sema_unknown(s);
    }
    return const_value(s, e, c);
}

/* The constant that a type alone stands for: None, a function, a library row, a dtype. */
static const Const *
const_of_type(Sema *s, const Type *t)
{
    Const c = {0};
    switch (t->kind) {
    case TY_NONE:
        return const_none(s);
    case TY_BUILTIN:
        if (!t->ref)
            return NULL;
        c = (Const){.kind = CV_BUILTIN, .ref = t->ref, .str = ((const Builtin *)t->ref)->name};
        break;
    case TY_CLASS:
        return type_class_const(s->tt, t);
    case TY_DTYPE:
        c = (Const){.kind = CV_DTYPE, .b = t->readonly, .dtype = t->dtype, .weak = t->weak};
        break;
    case TY_ELLIPSIS:
        c.kind = CV_ELLIPSIS;
        break;
    case TY_STR:
        return t->ref;
    default:
        return NULL;
    }
    return arena_dup(s->a, &c, sizeof c);
}

Sem
expr_name(Sema *s, const Node *e)
{
    Slot *slot = env_find(s, e->name);
    const FuncDef *self = s->fr->in->def;
    if (!slot && self->parent && e->name == self->name)
        return closure_of(s, e, self);
    if (!slot)
        return global_value(s, e);
    if (slot->clash) {
        env_clash(s, e, e->name, slot->clash);
        return sema_unknown(s);
    }
    if (!slot->var && e->val) { /* a block in Python may ask for it, or not */
        *info_of(s, e) = (Info){.type = type_none(s->tt)};
        return sem_of(type_none(s->tt));
    }
    if (!slot->var) {
        if (!s->unbound)
            s->unbound = e;
        return sema_unknown(s);
    }
    Info *info = info_of(s, e);
    info->var = slot->var;
    info->check_bound = slot->maybe;
    if (slot->maybe)
        env_flag(s, slot->var->name);
    if (slot->stale) {
        bool later = slot_type(slot)->kind == TY_ITER;
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "'%s' holds a %s that took '%s' before it was assigned again", e->name,
                             later ? "generator expression" : "function", slot->stale);
        diag_hint(s->diags, d,
                  later
                      ? "make a list of it, [... for ...], or give the other '%s' a name of its own"
                      : "define the function after that assignment, or pass '%s' as an argument",
                  slot->stale);
        return sema_unknown(s);
    }
    Sem v = {slot_type(slot), slot->cst};
    if (closure_is_raw(type_value(v.type)))
        return sem_of(closure_with_captures(s, e, v.type));
    if (!v.cst)
        v.cst = const_of_type(s, v.type);
    if (v.type->kind == TY_STR && !v.cst) {
        sema_error(s, DIAG_unsupported, e, "the string '%s' is not the same on all paths here",
                   e->name);
        return sema_unknown(s);
    }
    return v;
}

/* ---- functions ------------------------------------------------------------------------------- */

Sem
sema_function(Sema *s, const Node *e)
{
    if (e->kind == N_Lambda && e->fn->n_free) {
        sema_defaults(s, e);
        sema_set(s, e, sem_of(type_other(s->tt, TY_FUNC, e->fn, 0, NULL, NULL)));
        return sema_known(s, e);
    }
    Sem v = sema_expr(s, e);
    Slot *slot = e->kind == N_Name && !sem_bad(v) ? env_find(s, e->name) : NULL;
    if (!slot || !slot->var || !closure_is_raw(slot->var->type))
        return v;
    sema_set(s, e, sem_of(slot->var->type));
    return sema_known(s, e);
}

static Sem
expr_lambda(Sema *s, const Node *e)
{
    sema_defaults(s, e);
    return closure_of(s, e, e->fn);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The rows of numpy.linalg are those of numpy whose names begin with "linalg.". */
static Sem
no_name(Sema *s, const Node *e, const char *mod)
{
    const char **cands = NEW_N(s->a, const char *, builtin_count + DT_COUNT + 1);
    const char *part = !strncmp(mod, "numpy.", 6) ? mod + 6 : NULL;
    size_t len = part ? strlen(part) : 0;
    int n = grid_names(s, mod, cands);
    for (int i = 0; i < builtin_count; i++) {
        const Builtin *b = &builtin_table[i];
        if (b->flags & ONLY_METHOD)
            continue;
        if (!strcmp(b->module, mod))
            cands[n++] = b->name;
        else if (part && !strcmp(b->module, "numpy") && !strncmp(b->name, part, len) &&
                 b->name[len] == '.')
            cands[n++] = b->name + len + 1;
    }
    for (int i = 0; i < DT_COUNT && !strcmp(mod, "numpy"); i++)
        cands[n++] = dtype_info[i].name;
    Diag *d = sema_error(s, DIAG_attribute, e, "module '%s' has no attribute '%s'", mod, e->name);
    sema_hint_nearest(s, d, e->name, cands, n);
    return sema_unknown(s);
}

/* Of a module that a variable holds: whoever compiles is asked, once, and tries again. */
static const ModuleAttr *
asked_attribute(Sema *s, const char *module, Sym name)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    for (int i = 0; i < p->attrs.n; i++)
        if (p->attrs.at[i].name == name && !strcmp(p->attrs.at[i].module, module))
            return &p->attrs.at[i];
    VEC_PUSH(s->a, p->attrs, ((ModuleAttr){.module = module, .name = name}));
    p->asked = true;
    return NULL;
}

static Sem
module_attribute(Sema *s, const Node *e, Sem v)
{
    const char *mod = v.cst ? v.cst->str : v.type->text;
    const Builtin *b = builtin_find(mod, e->name); /* this Python may be older than the row */
    if (!strncmp(mod, "swathe.gpu.", 11))          /* gpu.threadIdx kept in a variable */
        b = builtin_find("gpu", arena_printf(s->a, "%s.%s", mod + 11, e->name));
    if (b) {
        Const *c = NEW(s->a, Const);
        *c = (Const){.kind = CV_BUILTIN, .ref = b, .str = b->name};
        return sem_const(s, c);
    }
    const ModuleAttr *a = asked_attribute(s, mod, e->name);
    if (!a || !a->known)
        return sema_unknown(s);
    return a->value ? const_value(s, e, a->value) : no_name(s, e, mod);
}

static Sem
field(Sema *s, const Node *e, Sem v)
{
    const Type *t = v.type;
    const Method *own = t->names ? class_method(s, t->ref, e->name) : NULL;
    if (own && own->is_property && own->def)
        return tuple_property(s, e, own->def);
    if (own && own->cst)
        return sem_const(s, own->cst);
    for (int i = 0; t->names && !own && i < t->n; i++)
        if (t->names[i] == e->name)
            return tuple_elem(s, v, i);
    if (t->names && !own && !strcmp(e->name, "_fields") && !family_is(s, t))
        return tuple_fields(s, t->n, t->names);
    Diag *d = sema_error(s, DIAG_attribute, e, "%s has no attribute '%s'", t->text, e->name);
    if (t->names && !own)
        sema_hint_nearest(s, d, e->name, t->names, t->n);
    return sema_unknown(s);
}

/* a.flat is a view where elements are in one row, or in C order, else a copy that is only read. */
static Sem
array_property(Sema *s, const Node *e, const Type *t)
{
    const char *name = t->ndim < 2 || t->layout == LAY_C ? "_flat_view" : "_flat_copy";
    if (!strcmp(e->name, "flags"))
        name = t->readonly ? "_flags_readonly" : "_flags";
    const FuncDef *fd = heap_lib_named(s, name);
    return fd ? tuple_property(s, e, fd) : sema_unknown(s);
}

static const char *const slice_parts[] = {"start", "stop", "step"};

static Sem
slice_attribute(Sema *s, const Node *e, Sem v)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(e->name, slice_parts[i]))
            return sem_of(v.type->n ? v.type->elems[i] : type_scalar(s->tt, DT_i64, true));
    Diag *d = sema_error(s, DIAG_attribute, e, "%s has no attribute '%s' in compiled code",
                         v.type->text, e->name);
    sema_hint_nearest(s, d, e->name, slice_parts, 3);
    return sema_unknown(s);
}

Sem
expr_attribute(Sema *s, const Node *e)
{
    const Node *of = e->kid[0];
    Sem v = sema_need(s, of, sema_expr(s, of), "AttributeError",
                      "'NoneType' object has no attribute '%s'", e->name);
    const Method *has;
    Sem asked;
    if (keyed_attribute(s, e, v, &asked) || bound_method(s, e, v, &asked) ||
        choice_attribute(s, e, v, &asked) || either_attribute(s, e, v, &asked) ||
        either_no_attribute(s, e, v, e->name, &asked))
        return asked;
    switch (v.type->kind) {
    case TY_UNKNOWN:
        return v;
    case TY_MODULE:
        return module_attribute(s, e, v);
    case TY_TUPLE:
        return field(s, e, v);
    case TY_RECORD:
        return record_attribute(s, e, v.type);
    case TY_OBJ:
        return object_attribute(s, e, v);
    case TY_ARRAY:
        if (!strcmp(e->name, "flat") || !strcmp(e->name, "flags"))
            return array_property(s, e, v.type);
        return attr_type(s, e, v, e->name);
    case TY_SCALAR:
        if (type_is_int_member(v.type) && (has = class_method(s, v.type->ref, e->name)))
            return field(s, e, v);
        return attr_type(s, e, v, e->name);
    case TY_DTYPE:
        return attr_type(s, e, v, e->name);
    case TY_SLICE:
    case TY_RANGE:
        return slice_attribute(s, e, v);
    default:
        if (v.cst && v.cst->kind == CV_CLASS)
            return object_class_attribute(s, e, v);
        if (v.cst && v.cst->kind == CV_TUPLE_CLASS && !strcmp(e->name, "_fields"))
            return tuple_fields(s, v.cst->n, v.cst->names);
        if (v.cst && v.cst->kind == CV_TUPLE_CLASS &&
            (has = class_method(s, v.cst->ref, e->name)) && has->cst)
            return sem_const(s, has->cst);
        if (is_exc_class(v.cst) && !strcmp(e->name, "__name__"))
            return sem_const(s, const_str(s, raised_name(v.cst)));
        if (v.type->kind == TY_EXC && v.type->n && v.type->ref)
            return sema_caught_own(s, e, v.type);
        if (v.type->kind == TY_EXC && v.type->n && !strcmp(e->name, "args"))
            return sema_caught_args(s, e, v.type);
        if (type_is_array_array(v.type)) {
            const HeapClass *array = v.type->ref;
            if (!strcmp(e->name, "typecode"))
                return sem_const(s, const_str(s, array->code));
            if (!strcmp(e->name, "itemsize"))
                return sem_const(s, const_int(s, dtype_size(array->held)));
        }
        sema_no_attribute(s, e, v.type);
        return sema_unknown(s);
    }
}

/* ---- conditionals ---------------------------------------------------------------------------- */

/* There is no edge inside an expression, so a name that only a part of it binds keeps
 * its variable, and is tested when it is read. */
void
env_maybe(Sema *s, const Env *before)
{
    Env *now = &s->fr->env;
    for (int i = 0; i < now->n; i++) {
        Slot *a = &now->slot[i];
        const Slot *b = i < before->n ? &before->slot[i] : NULL;
        const Var *was = b ? b->var : NULL;
        if (a->var == was && (!b || a->serial == b->serial)) {
            a->as = b ? b->as : NULL;
            continue;
        }
        a->cst = NULL;
        if (a->var == was) {
            const Type *t = type_join(s->tt, slot_type(a), slot_type(b));
            a->as = t == was->type ? NULL : t;
        } else if (!was) {
            a->maybe = true;
        } else if (a->var && !a->clash) {
            struct Clash *c = NEW(s->a, struct Clash);
            *c = (struct Clash){was->type, a->var->type, b->def, a->def};
            a->clash = c;
        }
    }
}

/* One of several values: which one, only the run tells, so that what nobody could tell from an
 * array or a tuple becomes a list. */
static const Type *
as_value(Sema *s, const Node *e, const Type *t)
{
    if (t->kind != TY_LIST && !t->listed)
        return t;
    t = heap_value(s, e, (Sem){t, sema_known(s, e).cst}).type;
    return sema_is_later(s, e, sem_of(t)) ? type_unknown(s->tt) : t;
}

static const Type *
join_values(Sema *s, const Node *e, const Node *an, const Type *a, const Node *bn, const Type *b)
{
    a = as_value(s, an, a);
    b = as_value(s, bn, b);
    site_beside(s, a, b);
    site_beside(s, b, a);
    Sem x = sema_known(s, an), y = sema_known(s, bn);
    const Type *t = type_join_values(s, a, x.type == a ? x.cst : NULL, b, y.cst);
    if (t)
        return t;
    heap_want_wide(s, a, b);
    Diag *d = sema_error(s, DIAG_type_changes, e, "this is %s or %s, which have no common type",
                         a->text, b->text);
    diag_note(s->diags, d, an->at, "here it is %s", a->text);
    diag_note(s->diags, d, bn->at, "here it is %s", b->text);
    return type_unknown(s->tt);
}

/* What `x or ()` yields where x is a list, and nobody asks which it was. */
static Sem
nothing_like(Sema *s, const Node *e, Sem v, const Type *beside)
{
    bool either = e->kind == N_Tuple && !e->n && e->op == TUPLE_OR_LIST;
    Node *n = (Node *)(uintptr_t)e;
    return either && call_nothing_of(n, type_resolve(s->tt, type_value(beside))) ? sema_expr(s, e)
                                                                                 : v;
}

static Sem
expr_ifexp(Sema *s, const Node *e)
{
    int t = sema_test(s, e->kid[0]);
    if (t >= 0) {
        sema_dead(s, e->kid[t ? 2 : 1]);
        Sem one = sema_expr(s, e->kid[t ? 1 : 2]);
        if (one.type->kind == TY_STR && !one.cst)
            one = text_value(s, e->kid[t ? 1 : 2], one);
        return (Sem){as_value(s, e->kid[t ? 1 : 2], one.type), one.cst};
    }
    Env before = env_copy(s, &s->fr->env);
    sema_narrow(s, e->kid[0], true);
    Sem a = sema_expr(s, e->kid[1]);
    env_unnarrow(s, &before);
    sema_narrow(s, e->kid[0], false);
    Sem b = sema_expr(s, e->kid[2]);
    a = a.type->kind == TY_STR && !a.cst ? text_value(s, e->kid[1], a) : a;
    b = b.type->kind == TY_STR && !b.cst ? text_value(s, e->kid[2], b) : b;
    a = nothing_like(s, e->kid[1], a, b.type);
    b = nothing_like(s, e->kid[2], b, a.type);
    env_maybe(s, &before);
    bool first = ends_only_raises(s, e->kid[1]), second = ends_only_raises(s, e->kid[2]);
    info_of(s, e->kid[1])->raises = first && !second;
    info_of(s, e->kid[2])->raises = second && !first;
    if (first != second)
        return sem_of(as_value(s, e->kid[first ? 2 : 1], first ? b.type : a.type));
    Sem v = sem_of(join_values(s, e, e->kid[1], a.type, e->kid[2], b.type));
    bool same = a.cst && b.cst && v.type == a.type && a.type == b.type && const_equal(a.cst, b.cst);
    if (same && v.type->kind != TY_SCALAR) /* a number is computed: the test may raise */
        v.cst = a.cst;
    return v;
}

/* `a or b` yields one of the operands; those that cannot be it are left out of the type. */
static Sem
expr_boolop(Sema *s, const Node *e)
{
    const Type *t = type_unknown(s->tt);
    const Node *first = NULL;
    bool pure = true; /* all before were known */
    Env start = {0};  /* when the first operand is known, which is surely evaluated */
    for (int i = 0; i < e->n; i++) {
        const Node *k = e->kid[i];
        if (i == 1)
            start = env_copy(s, &s->fr->env);
        if (i)
            sema_narrow(s, e->kid[i - 1], !e->op);
        int truth = i + 1 < e->n ? sema_test(s, k) : -1;
        Sem v = i + 1 < e->n ? (k->kind == N_BoolOp ? sema_expr(s, k) : sema_known(s, k))
                             : sema_expr(s, k);
        if (i + 1 < e->n && k->kind == N_BoolOp && !sem_bad(v))
            special_truth(s, k, v.type);
        v = v.type->kind == TY_STR && !v.cst ? text_value(s, k, v) : v;
        v = first ? nothing_like(s, k, v, t) : v;
        bool stops = truth == e->op || i + 1 == e->n;
        if (!stops)
            v.type = sema_decided(s, v.type, e->op);
        if (truth >= 0 && !stops)
            continue; /* never the result */
        t = first ? join_values(s, e, first, t, k, v.type) : as_value(s, k, v.type);
        first = first ? first : k;
        if (stops) {
            for (int r = i + 1; r < e->n; r++)
                sema_dead(s, e->kid[r]);
            if (i)
                env_maybe(s, &start);
            return (Sem){t, pure ? v.cst : NULL};
        }
        pure = false;
    }
    return sem_of(t);
}

static Sem
expr_walrus(Sema *s, const Node *e)
{
    Sem v = sema_expr(s, e->kid[1]);
    sema_assign(s, e->kid[0], v, e->kid[1]);
    const Info *i = info_of(s, e->kid[0]);
    if (i->var && i->var->type != v.type)
        v = sem_of(i->var->type);
    return v;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static Sem
expr_slice(Sema *s, const Node *e)
{
    const Type *part[3];
    bool bad = false;
    for (int i = 0; i < 3; i++) {
        const Node *k = i < e->n ? e->kid[i] : NULL;
        part[i] = k ? sema_expr(s, k).type : type_none(s->tt);
        const Type *v = type_value(part[i]);
        if (v->kind == TY_UNKNOWN) {
            bad = true;
        } else if (v->kind != TY_NONE && !(v->kind == TY_SCALAR && is_int_type(v))) {
            sema_type_error(s, k, "slice indices must be integers or None, not %s", part[i]->text);
            bad = true;
        }
    }
    return bad ? sema_unknown(s) : sem_of(type_other(s->tt, TY_SLICE, NULL, 3, part, NULL));
}

static Sem
expr_const(Sema *s, const Node *e)
{
    if (e->val->kind == CV_UNSUPPORTED) {
        Diag *d =
            sema_error(s, DIAG_unsupported, e, "%s is not supported in compiled code", e->val->str);
        diag_hint(s->diags, d, "%s", sema_objmode_hint);
        return sema_unknown(s);
    }
    return const_value(s, e, e->val);
}

static Sem
dispatch(Sema *s, const Node *e)
{
    switch (e->kind) {
    case N_Const:
        return expr_const(s, e);
    case N_Name:
        return expr_name(s, e);
    case N_BinOp:
        return expr_binop(s, e);
    case N_UnaryOp:
        return expr_unary(s, e);
    case N_BoolOp:
        return expr_boolop(s, e);
    case N_Compare:
        return expr_compare(s, e);
    case N_IfExp:
        return expr_ifexp(s, e);
    case N_NamedExpr:
        return expr_walrus(s, e);
    case N_Call:
        return expr_call(s, e);
    case N_Attribute:
        return expr_attribute(s, e);
    case N_Subscript:
        return expr_subscript(s, e);
    case N_Slice:
        return expr_slice(s, e);
    case N_Tuple:
        return expr_tuple(s, e);
    case N_List:
        return expr_list(s, e);
    case N_ListComp:
        return expr_rounds(s, e);
    case N_Dict:
        return sema_dict_display(s, e);
    case N_Lambda:
        return expr_lambda(s, e);
    case N_JoinedStr:
        return sema_joined(s, e);
    case N_FormattedValue:
        return sema_formatted(s, e);
    case N_Starred:
        sema_expr(s, e->kid[0]);
        sema_error(s, DIAG_unsupported, e, "a starred expression is not supported here");
        return sema_unknown(s);
    case N_Yield:
    case N_Unsupported:
        sema_unsupported(s, e, e->kind == N_Yield ? "yield" : e->name);
        return sema_unknown(s);
    default:
        sema_error(s, DIAG_internal, e, "a %s where an expression belongs",
                   node_kind_name[e->kind]);
        return sema_unknown(s);
    }
}

void
big_report(Sema *s, const Node *e, const Const *c)
{
    Diag *d = sema_error(s, DIAG_overflow, e, "this int does not fit in int64");
    if (c->kind == CV_INT && c->dtype == DT_u64)
        diag_hint(s->diags, d, "write np.uint64(%llu), or %.17g", (unsigned long long)c->i, c->re);
    else if (c->kind == CV_INT && isfinite(c->re))
        diag_hint(s->diags, d, "write it as a float: %.17g", c->re);
}

Sem
sema_expr(Sema *s, const Node *e)
{
    bool big_ok = s->big_ok;
    s->big_ok = false;
    *info_of(s, e) = (Info){0};
    unsigned needs = s->needs;
    if (e->rounds && (e->kind == N_List || e->kind == N_Tuple || e->kind == N_Dict))
        sema_check_rounds(s, e);
    Sem v = dispatch(s, e);
    /* known, once None has not been refused */
    if (v.cst && s->needs != needs && v.type->kind == TY_SCALAR)
        v.cst = NULL;
    if (v.cst && v.cst->kind == CV_BUILTIN)
        v = grid_value(s, e, v);
    if (!big_ok && const_has_big(v.cst)) {
        big_report(s, e, v.cst);
        v = sema_unknown(s);
    }
    if (v.type->kind == TY_ARRAY && v.type->ndim > SEMA_MAX_NDIM) {
        sema_error(s, DIAG_unsupported, e, "an array of %d axes (%d are the most)", v.type->ndim,
                   SEMA_MAX_NDIM);
        v = sem_of(type_unknown(s->tt));
    }
    sema_set(s, e, v);
    if (type_value(v.type)->kind == TY_FUNC || type_value(v.type)->kind == TY_CHOICE)
        info_of(s, e)->scope = s->fr->scope;
    return ends_here(s, e) ? sema_unknown(s) : v;
}
