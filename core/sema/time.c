/* SPDX-License-Identifier: BSD-3-Clause
 * Dates and time spans (datetime64, timedelta64), whose types carry a parametric dtype: the loops
 * of ufuncs on them, the functions that take them, what their classes make. Takes the types of
 * operands; yields the result's type, and in the Call how it is done on storage (TimeCall).
 * Whatever is not told of here or in its row is refused: nowhere is a date an integer by mistake.
 */
#include "sema/calls.h"
#include "sema/fold.h"

#define TIME_LOOP(row_, id_, loops_) {BI_np_##row_, TIME_##id_, loops_},
static const struct {
    BuiltinId row;
    TimeOp op;
    const char *loops;
} loops[] = {
#include "def/time.def"
};

/* ---- what is refused ---- */

const Type *
time_refuse(Sema *s, const Node *at, const char *what, const Type *t)
{
    sema_error(s, DIAG_unsupported, at, "%s of %s is not supported in compiled code", what,
               t->text);
    return NULL;
}

/* The first of the arguments that has a parametric dtype in it. */
static const Type *
param_among(const CallCx *x)
{
    for (int k = 0; k < x->c->n_args; k++) {
        const Type *t = sema_arg(x->s, x->c, k).type;
        if (t && type_has_param(t))
            return t;
    }
    return NULL;
}

static const Type *
no_row(CallCx *x, const Type *t)
{
    sema_error(x->s, DIAG_unsupported, x->at, "%s does not take %s in compiled code", fn_text(x),
               t->text);
    return NULL;
}

/* The families whose rows say so themselves, if they take them. */
bool
time_may_call(CallCx *x)
{
    const Type *t = x->fn->family == BF_HEAP || x->fn->family == BF_UFUNC || x->fn->flags & TIMES
                        ? NULL
                        : param_among(x);
    return !t || no_row(x, t);
}

/* ---- units ---- */

static char
letter(const ArrayLike *a)
{
    DKind k = dtype_kind(a->d);
    return k == DK_DATE    ? 'M'
           : k == DK_DELTA ? 'm'
           : k <= DK_UINT  ? 'q'
           : k == DK_FLOAT ? 'd'
                           : 'z';
}

static bool
report(Sema *s, const Node *at, const char *why)
{
    bool over = !strncmp(why, "Overflow", 8);
    const char *text = strchr(why, ':') ? strchr(why, ':') + 2 : why;
    if (over)
        sema_error(s, DIAG_overflow, at, "%s", text);
    else
        sema_type_error(s, at, "%s", text);
    return false;
}

/* The dtype of kind k with the unit of d. */
static DType
of_kind(DKind k, DType d)
{
    const DTypeParam *p = dtype_param(d);
    return dtype_of_time(k, p->unit, p->count);
}

/* Can numbers of `from` be counted in `to`? */
static bool
converts(Sema *s, const Node *at, DType from, DType to)
{
    int64_t num, den;
    if (!dtype_is_param(from) || from == to)
        return true;
    bool spans = dtype_kind(from) == DK_DELTA;
    bool generic = dtype_param(from)->unit == UNIT_generic;
    if (dtype_param(to)->unit == UNIT_generic && !generic) {
        sema_type_error(s, at, "cannot cast %s to %s, which has no unit", dtype_info[from].name,
                        dtype_info[to].name);
        return false;
    }
    if (!generic && spans && time_is_calendar(from) != time_is_calendar(to)) {
        sema_type_error(s, at, "cannot cast %s to %s: a month or a year is of no fixed length",
                        dtype_info[from].name, dtype_info[to].name);
        return false;
    }
    DType day = dtype_of_time(DK_DATE, UNIT_D, 1); /* by the calendar they go by days */
    bool calendar = !generic && !spans && time_is_calendar(from) != time_is_calendar(to);
    DType linear = calendar && time_is_calendar(from) ? to : from, other = calendar ? day : to;
    if (!generic && !time_factor(linear, other, &num, &den))
        return report(s, at,
                      "OverflowError: Integer overflow while computing the conversion factor "
                      "between NumPy datetime units");
    return true;
}

/* Operands of one kind, and integers beside spans: *out is what holds all of them, and the call
 * converts those from `first` on. */
bool
time_operands(CallCx *x, int n, const ArrayLike *a, const int *arg, DType *out)
{
    DType all = DT_COUNT;
    for (int k = 0; k < n; k++) {
        const char *why = NULL;
        char c = letter(&a[k]);
        bool mixed = c == 'd' || c == 'z' ||
                     (c != 'q' && all != DT_COUNT && dtype_kind(all) != dtype_kind(a[k].d));
        if (mixed)
            return no_row(x, a[k].type) != NULL;
        if (c != 'q' && all == DT_COUNT)
            all = a[k].d;
        else if (c != 'q')
            why = time_common(x->s->a, all, a[k].d, &all);
        if (why)
            return report(x->s, x->at, why);
    }
    for (int k = 0; k < n; k++) {
        if (letter(&a[k]) == 'q' && all != DT_COUNT && dtype_kind(all) == DK_DATE)
            return no_row(x, a[k].type) != NULL;
        if (!converts(x->s, x->at, a[k].d, all))
            return false;
        x->c->time.from[arg[k]] = a[k].d;
        x->c->time.to[arg[k]] = all;
    }
    x->c->time.op = TIME_operands;
    *out = all;
    return true;
}

/* ---- ufuncs ---- */

/* Is an operand what a loop wants? i, j: integers, but no bool or uint64. */
static bool
suits(char want, const ArrayLike *a)
{
    char is = letter(a);
    return is == want || (is == 'q' && want == 'i' && a->d != DT_bool) ||
           (is == 'q' && want == 'j' && a->d != DT_u64);
}

/* The loop for operands of these letters: its row of the table and its result, or -1. */
static int
find_loop(const Builtin *fn, int n, const ArrayLike *a, char *result)
{
    for (int i = 0; i < SW_LEN(loops); i++) {
        if ((int)loops[i].row != fn->id)
            continue;
        for (const char *p = loops[i].loops; *p; p += p[n + 2] ? n + 3 : n + 2)
            if (suits(p[0], &a[0]) && (n == 1 || suits(p[1], &a[1]))) {
                *result = p[n + 1];
                return i;
            }
    }
    return -1;
}

/* A place that is to be a span, or an integer or float by itself. */
static bool
is_span_place(TimeOp op)
{
    return op != TIME_mul && op != TIME_divq && op != TIME_mulf && op != TIME_divd;
}

bool
time_loop(Sema *s, const Node *at, const Builtin *fn, int n, const ArrayLike *a, Call *out,
          DType *result)
{
    char r;
    DType all = DT_COUNT;
    int row = find_loop(fn, n, a, &r);
    if (row < 0)
        return false;
    TimeOp op = loops[row].op;
    for (int k = 0; k < n; k++) {
        const char *why = NULL;
        if (dtype_is_param(a[k].d) && all == DT_COUNT)
            all = a[k].d;
        else if (dtype_is_param(a[k].d))
            why = time_common(s->a, all, a[k].d, &all);
        if (why) {
            report(s, at, why);
            return true;
        }
    }
    out->time = (TimeCall){.op = op};
    for (int k = 0; k < n; k++) {
        char c = letter(&a[k]);
        DType to = c == 'M'                        ? of_kind(DK_DATE, all)
                   : c == 'm'                      ? of_kind(DK_DELTA, all)
                   : c == 'q' && is_span_place(op) ? of_kind(DK_DELTA, all)
                   : c == 'd'                      ? DT_f64
                                                   : DT_i64;
        if (!converts(s, at, a[k].d, to))
            return true;
        out->time.from[k] = a[k].d;
        out->time.to[k] = to;
        out->in[k] = dtype_storage(to);
    }
    result[0] = r == 'M'   ? of_kind(DK_DATE, all)
                : r == 'm' ? of_kind(DK_DELTA, all)
                : r == 'q' ? DT_i64
                : r == 'd' ? DT_f64
                           : DT_bool;
    result[1] = of_kind(DK_DELTA, all); /* of divmod */
    out->out[0] = dtype_storage(result[0]);
    out->out[1] = dtype_storage(result[1]);
    return true;
}

/* ---- functions ---- */

static bool
has_kind(CallCx *x, DKind kind)
{
    ArrayLike a;
    Sem v = sema_arg(x->s, x->c, 0);
    return v.type && as_array(v.type, &a) && dtype_kind(a.d) == kind;
}

static bool
only_plain(CallCx *x)
{
    return arg_unsupported(x, "dtype") && arg_unsupported(x, "initial");
}

/* np.sum, np.mean, np.cumsum: of spans */
static const Type *
time_total(CallCx *x)
{
    if (!has_kind(x, DK_DELTA))
        return no_row(x, param_among(x));
    if (!only_plain(x))
        return NULL;
    const Type *t = x->fn->id == BI_np_mean     ? type_np_mean(x)
                    : x->fn->id == BI_np_cumsum ? type_np_scan(x)
                                                : type_np_sum(x);
    x->c->time.op = x->fn->id == BI_np_mean ? TIME_mean : TIME_total;
    return t;
}

/* np.min is that of integers; np.max has NaT above all. */
static const Type *
time_extreme(CallCx *x)
{
    if (!only_plain(x))
        return NULL;
    const Type *t = x->fn->id == BI_np_argmax || x->fn->id == BI_np_argmin ? type_np_place(x)
                                                                           : type_np_extreme(x);
    bool last = x->fn->id == BI_np_max || x->fn->id == BI_np_argmax;
    x->c->time.op = last ? TIME_last : TIME_none;
    if (t)
        x->c->in[0] = dtype_storage(x->c->in[0]), x->c->out[0] = dtype_storage(x->c->out[0]);
    return t;
}

/* May values of `from` become `to` where they are stored or converted by astype? */
static bool
may_become(CallCx *x, DType from, DType to, bool astype)
{
    bool p = dtype_is_param(from), q = dtype_is_param(to);
    bool whole = !p && dtype_kind(from) <= DK_UINT;
    /* a date without a unit has to be NaT, which is for NumPy to find out */
    bool dateless =
        p && astype && dtype_kind(from) == DK_DATE && dtype_param(from)->unit == UNIT_generic;
    if (p && q && dtype_kind(from) == dtype_kind(to) && !dateless)
        return converts(x->s, x->at, from, to);
    if (q && whole && (astype || dtype_kind(to) == DK_DELTA))
        return true;
    if (p && to == DT_i64 && astype)
        return true;
    sema_error(x->s, DIAG_unsupported, x->at, "%s: %s as %s is not supported in compiled code",
               fn_text(x), dtype_info[from].name, dtype_info[to].name);
    return false;
}

static const Type *
time_astype(CallCx *x)
{
    ArrayLike a;
    DType d = DT_f64;
    bool given;
    if (!arg_array(x, "a", &a) || !arg_dtype(x, &d, &given) || !arg_unsupported(x, "casting"))
        return NULL;
    if (d == a.d)
        return type_np_astype(x);
    if (!may_become(x, a.d, d, true))
        return NULL;
    x->c->time = (TimeCall){.op = TIME_convert, .from = {a.d}, .to = {d}};
    if (dtype_is_param(a.d) && !dtype_is_param(d)) /* the numbers, in new memory */
        x->c->time.from[0] = x->c->time.to[0] = DT_i64;
    return type_np_astype(x);
}

/* np.full(n, value, dtype), np.full_like(a, value) */
static const Type *
time_full(CallCx *x)
{
    ArrayLike v;
    const Type *t = x->fn->id == BI_np_full ? type_np_full(x) : type_np_full_like(x);
    if (!t || !as_array(arg_of(x, "fill_value").type, &v))
        return NULL;
    DType d = (DType)t->dtype;
    if (v.d == d)
        return t;
    if (!may_become(x, v.d, d, false))
        return NULL;
    x->c->time = (TimeCall){.op = TIME_operands, .from = {[1] = v.d}, .to = {[1] = d}};
    return t;
}

/* np.array, np.asarray ...: as it is */
static const Type *
time_array(CallCx *x)
{
    ArrayLike a;
    Sem v = sema_arg(x->s, x->c, 0);
    const Type *t = x->fn->id == BI_np_array               ? type_np_array(x)
                    : x->fn->id == BI_np_asarray           ? type_np_asarray(x)
                    : x->fn->id == BI_np_ascontiguousarray ? type_np_ascontiguousarray(x)
                                                           : type_np_asfortranarray(x);
    if (!t || !as_array(v.type, &a) || a.d == (DType)t->dtype)
        return t;
    Diag *g =
        sema_error(x->s, DIAG_unsupported, x->at, "%s: %s as %s is not supported in compiled code",
                   fn_text(x), dtype_info[a.d].name, dtype_info[t->dtype].name);
    diag_hint(x->s->diags, g, "convert it with .astype(...)");
    return NULL;
}

/* np.arange: of dates from start and stop, the step an integer or a span. */
static const Type *
time_arange(CallCx *x)
{
    int first = args_after(x), n = x->c->n_args - first, arg[3] = {0, 1, 2};
    ArrayLike a[3];
    DType d, given_d = DT_COUNT, whole;
    bool given;
    if (n < 1 || n > 3)
        return type_np_arange(x);
    if (!arg_dtype(x, &given_d, &given))
        return NULL;
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, first + k);
        if (!v.type || !as_array(v.type, &a[k]) || a[k].ndim)
            return no_row(x, v.type ? v.type : type_none(x->s->tt));
    }
    bool dates = letter(&a[0]) == 'M';
    if (dates && (n < 2 || letter(&a[1]) != 'M')) {
        sema_error(x->s, DIAG_unsupported, x->at,
                   "np.arange of dates needs two of them in compiled code, start and stop");
        return NULL;
    }
    ArrayLike like[3] = {a[0], a[1], a[2]};
    for (int k = 0; k < n; k++) /* of a date the unit counts */
        if (letter(&a[k]) == 'M')
            like[k].d = of_kind(DK_DELTA, a[k].d);
    if (!time_operands(x, n, like, arg, &d))
        return NULL;
    if (d == DT_COUNT && dtype_kind(given_d) != DK_DELTA) /* integers, as dates */
        return no_row(x, type_dtype(x->s->tt, given_d, false, false));
    d = d == DT_COUNT ? given_d : d;
    for (int k = 0; k < n; k++) {
        bool date = letter(&a[k]) == 'M';
        if (date != (dates && k < 2))
            return no_row(x, a[k].type);
        x->c->time.from[k] = a[k].d;
        x->c->time.to[k] = date ? of_kind(DK_DATE, d) : d;
    }
    whole = dates ? of_kind(DK_DATE, d) : d;
    if (given && given_d != whole) {
        sema_error(x->s, DIAG_unsupported, x->at,
                   "np.arange: %s as %s is not supported in compiled code", dtype_info[whole].name,
                   dtype_info[given_d].name);
        return NULL;
    }
    return type_array(x->s->tt, whole, 1, LAY_C, false);
}

static const Type *
time_clip(CallCx *x)
{
    const Type *t = type_np_clip(x);
    if (t)
        x->c->time.op = TIME_clip;
    return t;
}

static const struct {
    BuiltinId row;
    const Type *(*typing)(CallCx *x);
} rows[] = {
    {BI_np_sum, time_total},
    {BI_np_mean, time_total},
    {BI_np_cumsum, time_total},
    {BI_np_min, time_extreme},
    {BI_np_max, time_extreme},
    {BI_np_argmin, time_extreme},
    {BI_np_argmax, time_extreme},
    {BI_np_astype, time_astype},
    {BI_np_full, time_full},
    {BI_np_full_like, time_full},
    {BI_np_array, time_array},
    {BI_np_asarray, time_array},
    {BI_np_ascontiguousarray, time_array},
    {BI_np_asfortranarray, time_array},
    {BI_np_arange, time_arange},
    {BI_np_clip, time_clip},
};

/* A dtype that a string names is seen only by who reads it. */
static bool
asks_for_param(const CallCx *x)
{
    DType d;
    Sem v = arg_of(x, "dtype");
    return v.cst && v.cst->kind == CV_STR && dtype_from_name(v.cst->str, &d) && dtype_is_param(d);
}

Typing *
time_typing(CallCx *x, Typing *usual)
{
    x->c->time = (TimeCall){0};
    if (x->fn->family != BF_NP || (!asks_for_param(x) && !param_among(x)))
        return usual;
    for (int i = 0; i < SW_LEN(rows); i++)
        if ((int)rows[i].row == x->fn->id)
            return rows[i].typing;
    return usual;
}

/* ---- np.datetime64(...), np.timedelta64(...) ---- */

static Sem
known(Sema *s, DType d, int64_t v)
{
    Const *c = NEW(s->a, Const);
    *c = (Const){.kind = CV_NPSCALAR, .dtype = (uint16_t)d, .i = v};
    return sem_const(s, c);
}

static bool
unit_of(Sema *s, const Node *at, Sem v, DKind kind, DType *d)
{
    TimeUnit unit;
    int count;
    bool text = v.cst && v.cst->kind == CV_STR;
    if (text && unit_from_text(v.cst->str, v.cst->str_len, &unit, &count)) {
        *d = dtype_of_time(kind, unit, count);
        return *d != DT_COUNT;
    }
    if (text)
        sema_error(s, DIAG_value, at, "\"%s\" is no unit of time", v.cst->str);
    else
        sema_error(s, DIAG_argument, at,
                   "the unit of a date or a time span must be known when it is compiled");
    return false;
}

static Sem
no_value(Sema *s, const Node *at, const Type *dt, Sem v)
{
    const char *name = dtype_info[dt->dtype].name;
    bool text = v.cst && v.cst->kind == CV_STR;
    if (text) {
        Diag *g = sema_error(s, DIAG_value, at, "np.%s cannot read \"%s\" when it is compiled",
                             name, v.cst->str);
        diag_hint(s->diags, g,
                  "a date is written in the call itself, as in "
                  "np.datetime64(\"2020-01-31\"); \"now\" and \"today\" are passed "
                  "as arguments");
    } else {
        sema_error(s, DIAG_unsupported, at, "np.%s of %s is not supported in compiled code", name,
                   v.type->text);
    }
    return sema_unknown(s);
}

/* Of a date or a span: in another unit. */
static Sem
new_from_time(Sema *s, const Node *e, Sem v, DType to, Call *c)
{
    DType from = (DType)v.type->dtype;
    if (from == to)
        c->kind = CALL_CAST;
    else if (!converts(s, e, from, to))
        return sema_unknown(s);
    else {
        c->kind = CALL_BUILTIN;
        c->fn = &builtin_table[BI_np_astype];
        c->time = (TimeCall){.op = TIME_convert, .from = {from}, .to = {to}};
    }
    return sem_of(type_scalar(s->tt, to, false));
}

Sem
time_new(Sema *s, const Node *e, const Type *dt, Call *c)
{
    int n = e->n - 1;
    DKind kind = dtype_kind((DType)dt->dtype);
    DType d = dtype_of_time(kind, UNIT_generic, 1);
    Sem v[2];
    *c = (Call){.kind = CALL_CAST, .n_args = 1, .arg = NEW_N(s->a, const Node *, 2)};
    for (int i = 0; i < n && i < 2; i++) {
        const Node *k = e->kid[i + 1];
        if (k->kind == N_Keyword || k->kind == N_Starred) {
            sema_error(s, DIAG_unsupported, k, "only plain arguments of np.%s are supported",
                       dtype_info[dt->dtype].name);
            return sema_unknown(s);
        }
        v[i] = sema_operand(s, k);
        if (sem_bad(v[i]))
            return sema_unknown(s);
    }
    if (n == 0)
        return known(s, d, kind == DK_DATE ? INT64_MIN : 0);
    if (n > 2) {
        sema_error(s, DIAG_argument, e, "np.%s takes two arguments at most",
                   dtype_info[dt->dtype].name);
        return sema_unknown(s);
    }
    if (n == 2 && !unit_of(s, e->kid[2], v[1], kind, &d))
        return sema_unknown(s);
    c->arg[0] = e->kid[1];
    bool scalar = v[0].type->kind == TY_SCALAR;
    if (scalar && dtype_kind((DType)v[0].type->dtype) == kind)
        return new_from_time(s, e, v[0], n == 2 ? d : (DType)v[0].type->dtype, c);
    bool whole = scalar && dtype_kind((DType)v[0].type->dtype) <= DK_UINT;
    if (whole && kind == DK_DATE && n < 2) {
        sema_error(s, DIAG_value, e,
                   "Converting an integer to a NumPy datetime requires a specified unit");
        return sema_unknown(s);
    }
    int64_t k;
    if (!whole || v[0].type->mixed || const_has_big(v[0].cst))
        return no_value(s, e->kid[1], dt, v[0]);
    if (v[0].cst && const_as_int(v[0].cst, &k))
        return known(s, d, k);
    return sem_of(type_scalar(s->tt, d, false));
}

/* ---- stores ---- */

/* What holds `from` as it is: the same dtype, NaT or a count without a unit, or an integer as a
 * span. */
bool
time_fits(DType from, DType to)
{
    if (from == to)
        return true;
    if (!dtype_is_param(to))
        return false;
    if (!dtype_is_param(from))
        return dtype_kind(from) <= DK_UINT && dtype_kind(to) == DK_DELTA;
    return dtype_kind(from) == dtype_kind(to) && dtype_param(from)->unit == UNIT_generic;
}
