/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of records. A value of such a type is kept as a view of each field, so that a['x'] and
 * a.x are one of its parts, and a[i] is the records of the indexed views: one record is 0-d views,
 * and shares memory with the array, as in NumPy. Takes types; yields those of fields, of
 * selections, and of what may be stored in them. */
#include "sema/calls.h"

/* A field of one record is a number, if it has no axes of its own. */
static const Type *
field_value(Sema *s, const Type *t, int k)
{
    const Type *f = t->elems[k];
    bool number = t->ndim == 0 && f->kind == TY_ARRAY && f->ndim == 0;
    return number ? type_scalar(s->tt, (DType)f->dtype, false) : f;
}

static const Type *
shape_type(Sema *s, const Type *t)
{
    return type_array(s->tt, DT_u8, t->ndim, LAY_A, false);
}

/* A field that is a string is kept as code points under its name with ".text" behind it
 * (swathe/_records.py). -1: it is no such field. */
static int
text_field(Sema *s, const Type *t, const char *name)
{
    int k = type_field(t, name) < 0 ? type_field(t, arena_printf(s->a, "%s.text", name)) : -1;
    bool points = k >= 0 && t->elems[k]->kind == TY_ARRAY && t->elems[k]->ndim == t->ndim + 1;
    return points ? k : -1;
}

/* What a program asks for by the name of such a field, or by its place, is made of its code
 * points. */
bool
record_text(Sema *s, const Node *e, const Type *t, const char *name, Sem *out)
{
    int k = text_field(s, t, name);
    if (k < 0)
        return false;
    const Node *arg[2] = {e->kid[0], NULL};
    const Const *given[2] = {NULL, const_str(s, t->names[k])};
    *out = heap_call_given(s, e, t->ndim ? "_record_texts" : "_record_text", 2, arg, given);
    return true;
}

/* -1 after a message. */
static int
named_field(Sema *s, const Node *at, const Type *t, const char *name)
{
    int k = type_field(t, name);
    if (text_field(s, t, name) >= 0) {
        Diag *d =
            sema_error(s, DIAG_unsupported, at, "storing to the string '%s' of records", name);
        diag_hint(s->diags, d, "store to an element of the array: a[\"%s\"][i] = ...", name);
    } else if (k < 0) {
        Diag *d = sema_error(s, DIAG_value, at, "no field of name %s in %s", name, t->text);
        sema_hint_nearest(s, d, name, t->names, t->n);
    }
    return k;
}

Sem
record_attribute(Sema *s, const Node *e, const Type *t)
{
    Sem text;
    if (record_text(s, e, t, e->name, &text))
        return text;
    static const char *const own[] = {"shape", "ndim", "size"};
    int k = type_field(t, e->name);
    if (k >= 0)
        return sem_of(field_value(s, t, k));
    for (int i = 0; i < SW_LEN(own); i++)
        if (!strcmp(e->name, own[i]))
            return attr_type(s, e, sem_of(shape_type(s, t)), e->name);
    const Const *dtype = type_record_dtype(s->tt, t);
    if (dtype && !strcmp(e->name, "dtype"))
        return sem_const(s, dtype);
    Diag *d = sema_error(s, DIAG_attribute, e, "%s has no attribute '%s'", t->text, e->name);
    sema_hint_nearest(s, d, e->name, t->names, t->n);
    return sema_unknown(s);
}

static bool
has_ellipsis(const Type *t)
{
    bool yes = t->kind == TY_ELLIPSIS;
    for (int i = 0; t->kind == TY_TUPLE && i < t->n; i++)
        yes |= t->elems[i]->kind == TY_ELLIPSIS;
    return yes;
}

static const Type *
select_all(Sema *s, const Node *at, const Type *t, const Node *index, int ndim, bool store)
{
    const Type **e = NEW_N(s->a, const Type *, t->n + 1);
    for (int i = 0; i < t->n; i++) {
        const Type *f = t->elems[i];
        if (f->kind == TY_RECORD) {
            e[i] = select_all(s, at, f, index, ndim, store);
        } else {
            if (f->ndim > t->ndim && has_ellipsis(sema_known(s, index).type)) {
                sema_error(s, DIAG_unsupported, at,
                           "'...' over records whose fields have axes of their own");
                return NULL;
            }
            e[i] = subscript_type(s, at, f, index, store);
            if (e[i] && e[i]->kind == TY_SCALAR)
                e[i] = type_array(s->tt, (DType)f->dtype, 0, LAY_C, f->readonly);
        }
        if (!e[i])
            return NULL;
    }
    return type_with_elems(s->tt, t, ndim, e, t->names);
}

const Type *
record_of(Sema *s, const Const *c, int ndim)
{
    const Type **e = NEW_N(s->a, const Type *, c->n);
    for (int i = 0; i < c->n; i++) {
        const Const *f = c->elems[i];
        e[i] = f->kind == CV_RECORD
                   ? record_of(s, f, ndim)
                   : type_array(s->tt, (DType)f->dtype, ndim + f->ndim, LAY_A, false);
    }
    return type_record(s->tt, ndim, c->n, e, c->names, c->ref, c->str);
}

const char *
record_field_said(const Type *t, const Const *index)
{
    if (!index)
        return NULL;
    if (index->kind == CV_STR)
        return index->str;
    int64_t k = index->kind == CV_INT && !index->too_big ? index->i : INT64_MAX;
    k += k < 0 ? t->n : 0;
    return t->ndim == 0 && k >= 0 && k < t->n ? t->names[k] : NULL;
}

const Type *
record_subscript(Sema *s, const Node *at, const Type *t, const Node *index, bool store)
{
    const char *name = record_field_said(t, sema_known(s, index).cst);
    if (name) {
        int k = named_field(s, at, t, name);
        return k < 0 ? NULL : field_value(s, t, k);
    }
    const Type *to = subscript_type(s, at, shape_type(s, t), index, false);
    const Const *dtype = type_record_dtype(s->tt, t);
    if (to && !store && dtype && subscript_takes_arrays(s, index))
        return record_of(s, dtype, to->ndim); /* new ones */
    return to ? select_all(s, at, t, index, to->kind == TY_SCALAR ? 0 : to->ndim, store) : NULL;
}

bool
record_is_created(const Builtin *fn)
{
    return fn->flags & RECORDS;
}

const Type *
record_create(CallCx *x)
{
    const Type *t = sema_arg(x->s, x->c, 0).type;
    const Const *dtype = type_record_dtype(x->s->tt, t);
    for (int i = 1; i < x->c->n_args; i++) {
        if (sema_arg(x->s, x->c, i).type) {
            sema_error(x->s, DIAG_unsupported, x->at, "%s of records takes nothing but them",
                       fn_text(x));
            return NULL;
        }
    }
    return dtype ? record_of(x->s, dtype, t->ndim) : NULL;
}

/* ---- stores ---- */

static bool
readonly_field(Sema *s, const Node *at, const Type *t)
{
    if (t->kind != TY_ARRAY || !t->readonly)
        return false;
    sema_readonly(s, at, "assignment destination is read-only");
    return true;
}

static bool
check_fields(Sema *s, const Node *at, const Type *to, const Type *v)
{
    if (!type_has_parts(v) || v->n != to->n) {
        sema_type_error(s, at, "cannot store %s in records of %d field%s", v->text, to->n,
                        to->n == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < to->n; i++) {
        const Type *f = to->elems[i];
        bool ok = f->kind == TY_RECORD ? check_fields(s, at, f, v->elems[i])
                                       : check_store(s, at, f, sem_of(v->elems[i]), false);
        if (!ok)
            return false;
    }
    return true;
}

bool
sema_check_place(Sema *s, const Node *at, const Type *to, Sem v, bool same_kind)
{
    if (to->kind == TY_RECORD)
        return v.type->kind == TY_UNKNOWN || check_fields(s, at, to, v.type);
    return check_store(s, at, to, v, same_kind);
}

const Type *
sema_place(Sema *s, const Node *t, const Type *obj)
{
    if (obj->kind == TY_ARRAY && t->kind == N_Subscript)
        return subscript_type(s, t, obj, t->kid[1], true);
    if (obj->kind != TY_RECORD)
        return NULL;
    Sem index = t->kind == N_Subscript ? sema_known(s, t->kid[1]) : (Sem){0};
    const char *name = t->kind == N_Attribute ? t->name : record_field_said(obj, index.cst);
    if (!name && index.type->kind != TY_STR)
        return record_subscript(s, t, obj, t->kid[1], true);
    int k = name ? named_field(s, t, obj, name) : -1;
    return k < 0 || readonly_field(s, t, obj->elems[k]) ? NULL : field_value(s, obj, k);
}
