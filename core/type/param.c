/* SPDX-License-Identifier: BSD-3-Clause
 * Parametric dtypes: dates and time spans with a unit. Takes what one means; yields the number that
 * stands for it in this process, so that equal ones are compared with ==. They live as long as the
 * process does: types of all compilations have them. Here are also the rules of units: which one
 * holds numbers of two, and by how much one is finer, as NumPy computes them (and where it finds
 * that to overflow). */
#include "type/type.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static DTypeParam params[DT_MAX - DT_PARAM];
static int n_params;

#define UNIT(id, text, number, factor) [number] = {text, factor},
static const struct {
    const char *text;
    int factor; /* to the next finer one */
} units[UNIT_COUNT] = {
#include "def/unit.def"
};
#undef UNIT

const DTypeParam *
dtype_param(DType d)
{
    return dtype_is_param(d) ? &params[d - DT_PARAM] : NULL;
}

DType
dtype_storage(DType d)
{
    return dtype_is_param(d) ? params[d - DT_PARAM].storage : d;
}

static char *
made_name(const DTypeParam *p)
{
    char name[64], count[16] = "";
    const char *kind = p->kind == DK_DATE ? "datetime64" : "timedelta64";
    if (p->count != 1)
        snprintf(count, sizeof count, "%d", p->count);
    if (p->unit == UNIT_generic)
        return strdup(kind);
    snprintf(name, sizeof name, "%s[%s%s]", kind, count, units[p->unit].text);
    return strdup(name);
}

/* Entries are complete before their number is known to anyone, and never change. */
static DType
intern_param(const DTypeParam *p)
{
    for (int i = 0; i < n_params; i++)
        if (params[i].kind == p->kind && params[i].unit == p->unit && params[i].count == p->count)
            return (DType)(DT_PARAM + i);
    if (n_params == SW_LEN(params))
        return DT_COUNT;
    char *name = made_name(p);
    if (!name)
        return DT_COUNT;
    params[n_params] = *p;
    DTypeInfo *info = &dtype_info[DT_PARAM + n_params];
    *info = dtype_info[p->storage];
    info->id = info->name = name;
    info->kind = p->kind;
    return (DType)(DT_PARAM + n_params++);
}

DType
dtype_of_time(DKind kind, TimeUnit unit, int count)
{
    DTypeParam p = {kind, DT_i64, unit, unit == UNIT_generic ? 1 : count};
    pthread_mutex_lock(&lock);
    DType d = intern_param(&p);
    pthread_mutex_unlock(&lock);
    return d;
}

bool
unit_from_text(const char *text, size_t n, TimeUnit *unit, int *count)
{
    int64_t k = 0;
    size_t digits = 0;
    for (; digits < n && text[digits] >= '0' && text[digits] <= '9' && k <= INT_MAX; digits++)
        k = k * 10 + (text[digits] - '0');
    if (k > INT_MAX || (digits && !k))
        return false;
    for (int u = 0; u < UNIT_COUNT; u++)
        if (units[u].text && strlen(units[u].text) == n - digits &&
            !memcmp(units[u].text, text + digits, n - digits)) {
            *unit = (TimeUnit)u;
            *count = digits ? (int)k : 1;
            return u != UNIT_generic || !digits;
        }
    return false;
}

/* ---- units ---- */

bool
time_is_calendar(DType d)
{
    const DTypeParam *p = dtype_param(d);
    return p->unit == UNIT_Y || p->unit == UNIT_M;
}

static bool
is_calendar(TimeUnit u)
{
    return u == UNIT_Y || u == UNIT_M;
}

/* How many `fine` a `coarse` is; 0: too many, or no fixed number. NumPy's limit. */
static uint64_t
units_in(TimeUnit coarse, TimeUnit fine)
{
    uint64_t k = 1;
    for (int u = coarse; u < (int)fine; u++) {
        if (!units[u].text)
            continue;
        k *= (uint64_t)units[u].factor;
        if (k & 0xff00000000000000u)
            return 0;
    }
    return k;
}

static const char *
unit_text(Arena *a, const DTypeParam *p)
{
    return p->count == 1 ? arena_printf(a, "[%s]", units[p->unit].text)
                         : arena_printf(a, "[%d%s]", p->count, units[p->unit].text);
}

/* *n coarse units as fine ones. */
static const char *
scale(Arena *a, const DTypeParam *x, const DTypeParam *y, int64_t *n, TimeUnit coarse,
      TimeUnit fine)
{
    uint64_t by = units_in(coarse, fine);
    if (!by || *n > INT64_MAX / (int64_t)by)
        return arena_printf(a,
                            "OverflowError: Integer overflow getting a common metadata divisor "
                            "for NumPy datetime metadata %s and %s.",
                            unit_text(a, x), unit_text(a, y));
    *n *= (int64_t)by;
    return NULL;
}

/* The unit of both where one or both are years or months. Beside days, dates of years are dates; a
 * span of years is of no fixed length. */
static const char *
calendar_common(Arena *a, const DTypeParam *x, const DTypeParam *y, int64_t *n, TimeUnit *unit)
{
    const DTypeParam *p[2] = {x, y};
    if (is_calendar(x->unit) && is_calendar(y->unit)) {
        for (int k = 0; k < 2; k++)
            n[k] *= x->unit != y->unit && p[k]->unit == UNIT_Y ? 12 : 1;
        *unit = x->unit == y->unit ? x->unit : UNIT_M;
        return NULL;
    }
    int k = is_calendar(x->unit) ? 0 : 1;
    if (p[k]->kind == DK_DELTA && p[1 - k]->kind == DK_DELTA)
        return arena_printf(a,
                            "TypeError: Cannot get a common metadata divisor for Numpy datetime "
                            "metadata %s and %s because they have incompatible nonlinear base "
                            "time units.",
                            unit_text(a, x), unit_text(a, y));
    if (p[k]->kind == DK_DELTA)
        return arena_printf(a, "TypeError: a span of %s has no fixed length in %s",
                            unit_text(a, p[k]), unit_text(a, p[1 - k]));
    *unit = p[1 - k]->unit;
    return scale(a, x, y, &n[k], UNIT_W, *unit); /* a month counts as a week here */
}

const char *
time_common(Arena *a, DType x, DType y, DType *out)
{
    const DTypeParam *p = dtype_param(x), *q = dtype_param(y);
    DKind kind = p->kind == DK_DATE ? p->kind : q->kind;
    int64_t n[2] = {p->count, q->count};
    TimeUnit unit = p->unit > q->unit ? p->unit : q->unit;
    if (p->unit == UNIT_generic || q->unit == UNIT_generic) {
        const DTypeParam *has = p->unit == UNIT_generic ? q : p;
        unit = has->unit;
        n[0] = n[1] = has->count;
    } else if (is_calendar(p->unit) || is_calendar(q->unit)) {
        const char *why = calendar_common(a, p, q, n, &unit);
        if (why)
            return why;
    } else {
        int k = p->unit < q->unit ? 0 : 1;
        const char *why = scale(a, p, q, &n[k], (k ? q : p)->unit, unit);
        if (why)
            return why;
    }
    int64_t count = gcd_i64(n[0], n[1]);
    if (count > INT_MAX)
        return "OverflowError: Integer overflow getting a common metadata divisor";
    *out = dtype_of_time(kind, unit, (int)count);
    return *out == DT_COUNT ? "OverflowError: there are too many units in one process" : NULL;
}

/* As get_datetime_conversion_factor has it: 400 years have 146097 days. */
bool
time_factor(DType from, DType to, int64_t *num, int64_t *den)
{
    const DTypeParam *p = dtype_param(from), *q = dtype_param(to);
    bool swapped = p->unit > q->unit;
    TimeUnit coarse = swapped ? q->unit : p->unit, fine = swapped ? p->unit : q->unit;
    int64_t n = 1, d = 1;
    *num = *den = 1;
    if (p->unit == UNIT_generic || q->unit == UNIT_generic)
        return true;
    if (is_calendar(coarse) && is_calendar(fine)) {
        n = coarse == fine ? 1 : 12;
    } else if (is_calendar(coarse)) {
        n = 146097;
        d = 400 * (coarse == UNIT_M ? 12 : 1) * (fine == UNIT_W ? 7 : 1);
        uint64_t by = fine == UNIT_W ? 1 : units_in(UNIT_D, fine);
        if (!by || by > (uint64_t)(INT64_MAX / n))
            return false;
        n *= (int64_t)by;
    } else {
        n = (int64_t)units_in(coarse, fine);
        if (!n)
            return false;
    }
    int64_t a = swapped ? d : n, b = swapped ? n : d;
    if (a > INT64_MAX / p->count || b > INT64_MAX / q->count)
        return false;
    a *= p->count;
    b *= q->count;
    int64_t common = gcd_i64(a, b);
    *num = a / common;
    *den = b / common;
    return true;
}
