/* SPDX-License-Identifier: BSD-3-Clause
 * What str(), repr(), format(), print, f-strings and messages make of instances: what __str__,
 * __repr__ and __format__ of their classes say, and of dicts of unlike values. Where a value is
 * shown that is one, or a container of such, its text stands in its place (Need), made by functions
 * of swathe/lib/texts.py. */
#include "sema/calls.h"

/* The method that Python asks for it; NULL: there is none that can be called. */
static const Method *
asks(const Sema *s, const Type *t, const char *name)
{
    const Method *m = special_of(s, t, name);
    if (!m && strcmp(name, "__repr__") != 0)
        m = special_of(s, t, "__repr__");
    return m && m->def && !m->is_property ? m : NULL;
}

/* Also a named tuple, where its class says how it is written. */
static bool
is_instance(const Sema *s, const Type *t)
{
    bool own = (t->kind == TY_TUPLE || t->kind == TY_SCALAR) && t->names &&
               (asks(s, t, "__str__") || asks(s, t, "__format__"));
    return own || t->kind == TY_OBJ || t->kind == TY_KEYED || t->kind == TY_EITHER ||
           family_is(s, t);
}

bool
object_has_text(const Sema *s, const Type *t, bool repr)
{
    return is_instance(s, t) && !type_is_optional(t) &&
           asks(s, t, repr ? "__repr__" : "__str__") != NULL;
}

/* x.__format__("") */
static Sem
of_nothing(Sema *s, const Node *e, const Method *m, const Node *x, Sem v)
{
    const Type *types[2] = {type_resolve(s->tt, v.type), type_text(s->tt)};
    Const empty = {.kind = CV_STR, .str = ""};
    const Const **csts = NEW_N(s->a, const Const *, 2);
    Call *c = NEW(s->a, Call);
    if (m->def->n_params != 2)
        return sema_unknown(s);
    *c = (Call){.kind = CALL_INST, .n_args = 2, .dflt = csts};
    c->arg = NEW_N(s->a, const Node *, 2);
    c->arg[0] = x;
    csts[1] = arena_dup(s->a, &empty, sizeof empty);
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, m->def, 2, types, (const Const *[]){NULL, NULL}, &c->inst));
}

/* str(x), repr(x), format(x, spec). False: it is none. */
bool
object_text_row(Sema *s, const Node *e, const Call *c, Sem *out)
{
    BuiltinId id = c->fn->id;
    Sem v = c->n_args && c->arg[0] ? sema_known(s, c->arg[0]) : (Sem){0};
    bool text = id == BI_py_str || id == BI_py_repr || id == BI_py_format;
    if (!text || !v.type || sem_bad(v) || !is_instance(s, v.type) || type_is_optional(v.type))
        return false;
    const Method *m = id == BI_py_format ? special_of(s, v.type, "__format__") : NULL;
    bool own = m && m->def, spec = c->n_args > 1 && c->arg[1];
    if (own && spec)
        text_value(s, c->arg[1], sema_known(s, c->arg[1]));
    if (!own && !spec)
        m = asks(s, v.type, id == BI_py_repr ? "__repr__" : "__str__");
    if (!m)
        return false;
    *out = own && !spec ? of_nothing(s, e, m, c->arg[0], v)
                        : special_call(s, e, m, 1 + own, (const Node *const *)c->arg);
    if (sem_bad(*out) || type_is_str(out->type) || out->type->kind == TY_STR)
        return true;
    sema_type_error(s, e, "%s returned non-string (%s)", m->name, out->type->text);
    *out = sema_unknown(s);
    return true;
}

/* {x:spec} of a class with a __format__ of its own: what it says, in which nothing is laid out. */
static Sem
formatted_by(Sema *s, const Node *e, Sem v)
{
    const Type *t = type_resolve(s->tt, v.type), *types[2] = {t, const_type(s->tt, e->val)};
    const Method *m = sem_bad(v) || type_is_optional(t) ? NULL : special_of(s, t, "__format__");
    bool own = m && m->def && !m->is_property && m->def->n_params == 2;
    /* a need that there is tells that it isn't None */
    const FuncDef *fd =
        own && !info_of(s, e->kid[0])->need ? heap_lib_named(s, "_str_by_format") : NULL;
    if (!fd)
        return v;
    Need *n = NEW(s->a, Need);
    *n = (Need){.from = v.type, .shown = true, .with = e->val};
    const Type *r =
        sema_call_inst(s, e->kid[0], fd, 2, types, (const Const *[]){NULL, e->val}, &n->table);
    if (r->kind == TY_UNKNOWN) /* in a recursion that is not finished */
        r = type_text(s->tt);
    if (r->kind != TY_TEXT)
        return v;
    info_of(s, e->kid[0])->need = n;
    info_of(s, e->kid[0])->type = r;
    return sem_of(r);
}

/* {x}, {x!r}, {x:spec} */
Sem
object_formatted(Sema *s, const Node *e, Sem v)
{
    bool spec = e->val && e->val->kind == CV_STR && e->val->str[0];
    if (spec && e->op < 0)
        return formatted_by(s, e, v);
    if (e->op == 'a')
        return v;
    return object_shown(s, e->kid[0], v,
                        e->op == 'r'   ? "_str_repr"
                        : e->op == 's' ? "_str_str"
                                       : "_str_of");
}

static bool
holds_instance(const Sema *s, const Type *t)
{
    bool holds = is_instance(s, t);
    for (int i = 0; (type_has_parts(t) || t->kind == TY_REF) && !holds && i < t->n; i++)
        holds = holds_instance(s, t->elems[i]);
    return holds;
}

/* Value v of node e is shown as function `by` of the library says: its text, or v as it is. */
Sem
object_shown(Sema *s, const Node *e, Sem v, const char *by)
{
    if (!e || sem_bad(v))
        return v;
    const Type *t = type_resolve(s->tt, type_stored(s->tt, v.type));
    bool alone = is_instance(s, type_value(t));
    if (!holds_instance(s, t) || type_is_mixed(t) ||
        !(alone ? object_has_text(s, type_value(t), !strcmp(by, "_str_repr"))
                : text_is_there(s, t)))
        return v;
    const FuncDef *fd = heap_lib_named(s, by);
    Need *n = NEW(s->a, Need);
    *n = (Need){.from = v.type, .shown = true};
    const Type *r = fd ? sema_call_inst(s, e, fd, 1, &t, (const Const *[]){NULL}, &n->table) : NULL;
    if (r && r->kind == TY_UNKNOWN) /* in a recursion that is not finished */
        r = type_text(s->tt);
    if (!r || r->kind != TY_TEXT)
        return v;
    Info *i = info_of(s, e);
    i->need = n;
    i->type = r;
    return sem_of(r);
}
