/* SPDX-License-Identifier: BSD-3-Clause
 * `value.name` on arrays, scalars and dtypes. Takes the value's type; yields the
 * attribute's, with its value where the type alone tells it (ndim, itemsize). An unknown
 * name is reported with the nearest one that there is. */
#include "sema/calls.h"

static const char *const array_attrs[] = {"shape",   "ndim",     "size",   "dtype", "T",   "mT",
                                          "strides", "itemsize", "nbytes", "real",  "imag"};
static const char *const dtype_attrs[] = {"name", "itemsize", "kind", "char", "type", "ndim"};

static Sem
int_const(Sema *s, int64_t v)
{
    return sem_const(s, const_int(s, v));
}

static Sem
ints(Sema *s, int n)
{
    const Type *i = type_scalar(s->tt, DT_i64, true), *all[16];
    for (int k = 0; k < n; k++)
        all[k] = i;
    return sem_of(type_tuple(s->tt, n, all));
}

static Sem
dtype_const(Sema *s, DType d)
{
    Const *c = NEW(s->a, Const);
    c->kind = CV_DTYPE;
    c->dtype = (uint16_t)d;
    return sem_const(s, c);
}

/* A complex array's halves are views of every other float; a real array's imag is new
 * zeros. */
static const Type *
array_part(Sema *s, const ArrayLike *a, bool imag)
{
    DType r = dtype_real(a->d);
    if (a->scalar)
        return type_scalar(s->tt, r, a->weak);
    if (dtype_is_complex(a->d))
        return type_strided(s->tt, r, a->ndim, a->order == LAY_F, a->readonly);
    if (!imag)
        return a->type;
    return type_array(s->tt, r, a->ndim, a->order, RO_VIEW);
}

/* Python numbers have .real and .imag only; real and imag of a bool are ints. */
static Sem
weak_attr(Sema *s, const Node *at, const ArrayLike *a, Sem value, Sym name)
{
    static const char *const attrs[] = {"real", "imag", "numerator", "denominator"};
    bool exact = a->d == DT_bool || a->d == DT_i64;
    DType d = exact ? DT_i64 : DT_f64;
    if (!strcmp(name, "real") || (exact && !strcmp(name, "numerator")))
        return sem_of(type_scalar(s->tt, d, true));
    if (!strcmp(name, "imag"))
        return dtype_is_complex(a->d) ? sem_of(type_scalar(s->tt, d, true))
               : exact                ? int_const(s, 0)
                                      : sem_const(s, const_float(s, 0.0));
    if (exact && !strcmp(name, "denominator"))
        return int_const(s, 1);
    Diag *g = sema_error(s, DIAG_attribute, at, "'%s' object has no attribute '%s'",
                         class_name(s, value.type), name);
    sema_hint_nearest(s, g, name, attrs, exact ? 4 : 2);
    advise_attribute(s, g, at->n > 0 ? at->kid[0] : NULL, value.type, name);
    return sema_unknown(s);
}

static Sem
no_attr(Sema *s, const Node *at, const Type *t, Sym name)
{
    Diag *g = sema_error(s, DIAG_attribute, at, "%s has no attribute '%s'", t->text, name);
    const Builtin *method = builtin_method(name);
    if (method && (t->kind == TY_ARRAY || !(method->flags & OF_ARRAYS))) {
        diag_hint(s->diags, g, "'%s' is a method: call it", name);
        return sema_unknown(s);
    }
    const char *cands[SW_LEN(array_attrs) + BI_COUNT - BI_NP];
    int n = SW_LEN(array_attrs);
    bool grows = !strcmp(name, "append") || !strcmp(name, "extend") || !strcmp(name, "insert");
    if (t->kind == TY_ARRAY && (grows || !strncmp(name, "len", 3))) {
        diag_hint(s->diags, g,
                  grows ? "an array has a fixed length: use a list, or np.append, which copies"
                        : "write len(a) or a.size");
        return sema_unknown(s);
    }
    memcpy(cands, array_attrs, sizeof array_attrs);
    for (int k = BI_NP; k < BI_COUNT; k++)
        if (builtin_table[k].flags & (METHOD | ONLY_METHOD) && builtin_table[k].id == k)
            cands[n++] = builtin_table[k].name;
    sema_hint_nearest(s, g, name, cands, n);
    return sema_unknown(s);
}

static Sem
array_attr(Sema *s, const Node *at, const ArrayLike *a, Sym name)
{
    const Type *t = a->type;
    int size = dtype_size(a->d);
    if (!strcmp(name, "shape") || !strcmp(name, "strides"))
        return ints(s, a->ndim);
    if (!strcmp(name, "ndim"))
        return int_const(s, a->ndim);
    if (!strcmp(name, "itemsize"))
        return int_const(s, size);
    if (!strcmp(name, "size"))
        return a->ndim ? sem_of(type_scalar(s->tt, DT_i64, true)) : int_const(s, 1);
    if (!strcmp(name, "nbytes"))
        return a->ndim ? sem_of(type_scalar(s->tt, DT_i64, true)) : int_const(s, size);
    if (!strcmp(name, "dtype"))
        return dtype_const(s, a->d);
    if (!strcmp(name, "ctypes") && t->kind == TY_ARRAY) /* what C functions take, as the array */
        return sem_of(t);
    bool part = !strcmp(name, "real") || !strcmp(name, "imag");
    if (part && dtype_is_param(a->d)) {
        time_refuse(s, at, arena_printf(s->a, "'%s'", name), t);
        return sema_unknown(s);
    }
    if (part)
        return sem_of(array_part(s, a, name[0] == 'i'));
    bool mt = !strcmp(name, "mT");
    if (mt && a->ndim < 2) {
        sema_error(s, DIAG_value, at, "matrix transpose with ndim < 2 is undefined");
        return sema_unknown(s);
    }
    if (!mt && strcmp(name, "T"))
        return no_attr(s, at, t, name);
    if (a->ndim < 2)
        return sem_of(t);
    Layout l = a->layout == LAY_C ? LAY_F : a->layout == LAY_F ? LAY_C : LAY_A;
    if (l == LAY_A && (!mt || a->ndim == 2))
        return sem_of(type_strided(s->tt, a->d, a->ndim, a->order != LAY_F, a->readonly));
    l = mt && a->ndim > 2 ? LAY_A : l;
    return sem_of(type_array(s->tt, a->d, a->ndim, l, a->readonly));
}

static Sem
dtype_attr(Sema *s, const Node *at, const Type *t, Sym name)
{
    static const char kinds[] = {
        [DK_BOOL] = 'b',    [DK_INT] = 'i',  [DK_UINT] = 'u', [DK_FLOAT] = 'f',
        [DK_COMPLEX] = 'c', [DK_DATE] = 'M', [DK_DELTA] = 'm'};
    static const char *const chars[DT_COUNT] = {
        [DT_bool] = "?", [DT_i8] = "b",  [DT_i16] = "h", [DT_i32] = "i", [DT_i64] = "l",
        [DT_u8] = "B",   [DT_u16] = "H", [DT_u32] = "I", [DT_u64] = "L", [DT_f16] = "e",
        [DT_f32] = "f",  [DT_f64] = "d", [DT_c64] = "F", [DT_c128] = "D"};
    DType d = (DType)t->dtype;
    if (!strcmp(name, "name"))
        return sem_const(s, const_str(s, dtype_info[d].name));
    if (!strcmp(name, "kind"))
        return sem_const(s, const_str(s, arena_printf(s->a, "%c", kinds[dtype_kind(d)])));
    if (dtype_is_param(d) && !strcmp(name, "char"))
        return dtype_attr(s, at, t, intern(&s->cx->syms, "kind"));
    if (!strcmp(name, "char"))
        return sem_const(s, const_str(s, chars[d]));
    if (!strcmp(name, "itemsize"))
        return int_const(s, dtype_size(d));
    if (!strcmp(name, "ndim"))
        return int_const(s, 0);
    if (!strcmp(name, "type") && !dtype_is_param(d)) {
        Const *c = NEW(s->a, Const);
        *c = (Const){.kind = CV_DTYPE, .b = true, .dtype = (uint16_t)d};
        return sem_const(s, c);
    }
    Diag *g = sema_error(s, DIAG_attribute, at, "%s has no attribute '%s'", t->text, name);
    sema_hint_nearest(s, g, name, dtype_attrs, SW_LEN(dtype_attrs));
    return sema_unknown(s);
}

Sem
attr_type(Sema *s, const Node *at, Sem value, Sym name)
{
    ArrayLike a;
    if (sem_bad(value))
        return value;
    if (as_array(value.type, &a))
        return a.weak ? weak_attr(s, at, &a, value, name) : array_attr(s, at, &a, name);
    if (value.type->kind == TY_DTYPE)
        return dtype_attr(s, at, value.type, name);
    sema_error(s, DIAG_attribute, at, "%s has no attribute '%s'", value.type->text, name);
    return sema_unknown(s);
}

/* ---- a.real = x ---- */

bool
is_part_place(const Node *t, const Type *of)
{
    bool imag = t->kind == N_Attribute && !strcmp(t->name, "imag");
    bool real = t->kind == N_Attribute && !strcmp(t->name, "real");
    return of->kind == TY_ARRAY && (real || (imag && dtype_is_complex((DType)of->dtype)));
}

const Type *
part_place(Sema *s, const Node *t, Sem of)
{
    Sem part = attr_type(s, t, of, t->name);
    if (sem_bad(part))
        return NULL;
    if (part.type->readonly) {
        sema_readonly(s, t, "assignment destination is read-only");
        return NULL;
    }
    return part.type;
}
