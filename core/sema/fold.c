/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on Python scalars known at compile time, done as Python does it. Whatever
 * would raise or need a complex result is not folded: NULL, and run time sees to it. What
 * leaves int64 is bigint.c's. */
#include "sema/fold.h"
#include "sema/internal.h"
#include <math.h>

/* ---- making and reading constants -----------------------------------------------------
 */

static bool
has_array(const Const *c)
{
    bool any = c->kind == CV_ARRAY;
    for (int i = 0; (c->kind == CV_TUPLE || c->kind == CV_KEYED) && i < c->n && !any; i++)
        any = has_array(c->elems[i]);
    return any;
}

Sem
sem_const(Sema *s, const Const *c)
{
    s->unit->const_arrays = s->unit->const_arrays || has_array(c);
    return (Sem){const_type(s->tt, c), c};
}

static Const *
new_const(Sema *s, ConstKind k)
{
    Const *c = NEW(s->a, Const);
    c->kind = k;
    return c;
}

const Const *
const_int(Sema *s, int64_t v)
{
    Const *c = new_const(s, CV_INT);
    c->i = v;
    return c;
}

const Const *
const_bool(Sema *s, bool v)
{
    Const *c = new_const(s, CV_BOOL);
    c->b = v;
    c->i = v;
    return c;
}

const Const *
const_float(Sema *s, double v)
{
    Const *c = new_const(s, CV_FLOAT);
    c->re = v;
    return c;
}

const Const *
const_complex(Sema *s, double re, double im)
{
    Const *c = new_const(s, CV_COMPLEX);
    c->re = re;
    c->im = im;
    return c;
}

const Const *
const_none(Sema *s)
{
    return new_const(s, CV_NONE);
}

const Const *
const_str(Sema *s, const char *v)
{
    Const *c = new_const(s, CV_STR);
    c->str = arena_str(s->a, v);
    c->str_len = strlen(v);
    return c;
}

const Const *
const_tuple(Sema *s, int n, const Const *const *elems)
{
    Const *c = new_const(s, CV_TUPLE);
    c->n = n;
    c->elems = n ? arena_dup(s->a, elems, sizeof *elems * (size_t)n) : NULL;
    return c;
}

static int
npscalar_truth(const Const *c)
{
    switch (dtype_kind((DType)c->dtype)) {
    case DK_BOOL:
    case DK_INT:
    case DK_UINT:
        return c->i != 0;
    case DK_FLOAT:
        return c->re != 0;
    case DK_COMPLEX:
        return c->re != 0 || c->im != 0;
    }
    return -1;
}

int
const_truth(const Const *c)
{
    switch (c->kind) {
    case CV_NONE:
        return 0;
    case CV_BOOL:
        return c->b;
    case CV_INT:
        return c->i != 0 || c->too_big;
    case CV_FLOAT:
        return c->re != 0;
    case CV_COMPLEX:
        return c->re != 0 || c->im != 0;
    case CV_NPSCALAR:
        return npscalar_truth(c);
    case CV_BYTES:
    case CV_STR:
        return c->str_len > 0;
    case CV_TUPLE:
    case CV_KEYED:
        return c->n > 0;
    case CV_ARRAY:
        return -1;
    case CV_ELLIPSIS:
    case CV_FUNC:
    case CV_BUILTIN:
    case CV_DTYPE:
    case CV_MODULE:
    case CV_TUPLE_CLASS:
    case CV_RECORD:
    case CV_EXC_CLASS:
        return 1;
    case CV_CLASS:
    case CV_CONTEXT:
    case CV_UNSUPPORTED:
        return -1;
    }
    return -1;
}

bool
const_as_int(const Const *c, int64_t *out)
{
    if (!c || c->too_big || (c->kind == CV_INT && c->dtype == DT_u64)) /* above int64 */
        return false;
    if (c->kind == CV_BOOL)
        *out = c->b;
    else if (c->kind == CV_INT || (c->kind == CV_NPSCALAR && dtype_is_int((DType)c->dtype)))
        *out = c->i;
    else
        return false;
    return true;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static bool
weak_int(const Const *c, int64_t *out)
{
    return c && (c->kind == CV_INT || c->kind == CV_BOOL) && const_as_int(c, out);
}

static bool
is_int(const Const *c)
{
    return c && (c->kind == CV_INT || c->kind == CV_BOOL);
}

static bool
weak_real(const Const *c, double *out)
{
    int64_t i;
    if (c && c->kind == CV_FLOAT)
        *out = c->re;
    else if (weak_int(c, &i))
        *out = (double)i;
    else if (is_int(c) && isfinite(c->re))
        *out = c->re;
    else
        return false;
    return true;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool
int_pow(int64_t a, int64_t n, int64_t *out)
{
    int64_t r = 1;
    for (; n > 0; n >>= 1) {
        if ((n & 1) && __builtin_mul_overflow(r, a, &r))
            return false;
        if (n > 1 && __builtin_mul_overflow(a, a, &a))
            return false;
    }
    *out = r;
    return true;
}

static const Const *
fold_pow(Sema *s, int64_t a, int64_t n)
{
    int64_t r;
    if (n >= 0)
        return int_pow(a, n, &r) ? const_int(s, r) : NULL;
    return a ? const_float(s, pow((double)a, (double)n)) : NULL;
}

static const Const *
fold_ints(Sema *s, int op, int64_t a, int64_t b, bool bools)
{
    int64_t r = 0;
    switch ((BinOpKind)op) {
    case B_ADD:
        return __builtin_add_overflow(a, b, &r) ? NULL : const_int(s, r);
    case B_SUB:
        return __builtin_sub_overflow(a, b, &r) ? NULL : const_int(s, r);
    case B_MUL:
        return __builtin_mul_overflow(a, b, &r) ? NULL : const_int(s, r);
    case B_DIV:
        if (!b || a > (1LL << 53) || a < -(1LL << 53) || b > (1LL << 53) || b < -(1LL << 53))
            return NULL;
        return const_float(s, (double)a / (double)b);
    case B_FLOORDIV:
        return b && b != -1 ? const_int(s, floor_div(a, b)) : NULL;
    case B_MOD:
        return b && b != -1 ? const_int(s, a - floor_div(a, b) * b) : NULL;
    case B_POW:
        return fold_pow(s, a, b);
    case B_LSHIFT:
        if (b < 0 || b > 62 || a > (INT64_MAX >> b) || a < (INT64_MIN >> b))
            return NULL;
        return const_int(s, (int64_t)((uint64_t)a << b));
    case B_RSHIFT:
        return b < 0 ? NULL : const_int(s, a >> (b > 63 ? 63 : b));
    case B_OR:
        return bools ? const_bool(s, a | b) : const_int(s, a | b);
    case B_XOR:
        return bools ? const_bool(s, a ^ b) : const_int(s, a ^ b);
    case B_AND:
        return bools ? const_bool(s, a & b) : const_int(s, a & b);
    case B_MATMUL:
        return NULL;
    }
    return NULL;
}

static const Const *
fold_floats(Sema *s, int op, double a, double b)
{
    double m;
    switch (op) {
    case B_ADD:
        return const_float(s, a + b);
    case B_SUB:
        return const_float(s, a - b);
    case B_MUL:
        return const_float(s, a * b);
    case B_DIV:
        return b ? const_float(s, a / b) : NULL;
    case B_MOD:
        if (!b)
            return NULL;
        m = fmod(a, b);
        if (m != 0 ? (b < 0) != (m < 0) : false)
            m += b;
        return const_float(s, m ? m : copysign(0.0, b));
    case B_POW:
        if ((a == 0 && b < 0) || (a < 0 && b != floor(b)))
            return NULL;
        m = pow(a, b);
        return isinf(m) && !isinf(a) && !isinf(b) ? NULL : const_float(s, m);
    default:
        return NULL;
    }
}

const Const *
fold_binop(Sema *s, int op, const Const *a, const Const *b)
{
    int64_t i, j;
    double x, y;
    if (weak_int(a, &i) && weak_int(b, &j)) {
        const Const *r = fold_ints(s, op, i, j, a->kind == CV_BOOL && b->kind == CV_BOOL);
        if (r)
            return r;
    }
    if (is_int(a) && is_int(b))
        return big_binop(s, op, a, b);
    if (weak_real(a, &x) && weak_real(b, &y))
        return fold_floats(s, op, x, y);
    return NULL;
}

const Const *
fold_unary(Sema *s, int op, const Const *a)
{
    int64_t i;
    if (op == U_NOT)
        return a && const_truth(a) >= 0 ? const_bool(s, !const_truth(a)) : NULL;
    if (weak_int(a, &i)) {
        if (op == U_NEG && i == INT64_MIN)
            return big_unary(s, op, a);
        return const_int(s, op == U_NEG ? -i : op == U_INVERT ? ~i : i);
    }
    if (is_int(a))
        return big_unary(s, op, a);
    if (a && a->kind == CV_FLOAT && op != U_INVERT)
        return op == U_NEG ? const_float(s, -a->re) : a;
    if (a && a->kind == CV_COMPLEX && op != U_INVERT)
        return op == U_NEG ? const_complex(s, -a->re, -a->im) : a;
    return NULL;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static int
order_holds(int op, int lt, int eq, int gt)
{
    switch (op) {
    case C_EQ:
        return eq;
    case C_NE:
        return !eq;
    case C_LT:
        return lt;
    case C_LE:
        return lt || eq;
    case C_GT:
        return gt;
    case C_GE:
        return gt || eq;
    default:
        return -1;
    }
}

/* A float, or an int that is one exactly. */
static bool
exact_real(const Const *c, double *out)
{
    static const int64_t most = INT64_C(1) << 53;
    int64_t i;
    if (weak_int(c, &i)) {
        *out = (double)i;
        return i >= -most && i <= most;
    }
    return c->kind == CV_FLOAT && weak_real(c, out);
}

const Const *
fold_compare(Sema *s, int op, const Const *a, const Const *b)
{
    int64_t i, j;
    double x, y;
    int r = -1, m;
    if (!a || !b)
        return NULL;
    if (weak_int(a, &i) && weak_int(b, &j))
        r = order_holds(op, i<j, i == j, i> j);
    else if (big_compare(a, b, &m))
        r = order_holds(op, m<0, m == 0, m> 0);
    else if (exact_real(a, &x) && exact_real(b, &y))
        r = order_holds(op, x<y, x == y, x> y);
    else if (a->kind == CV_STR && b->kind == CV_STR) {
        size_t n = a->str_len < b->str_len ? a->str_len : b->str_len;
        int c = memcmp(a->str, b->str, n); /* there may be NULs */
        c = c ? c : (a->str_len > b->str_len) - (a->str_len < b->str_len);
        r = order_holds(op, c<0, c == 0, c> 0);
    }
    return r < 0 ? NULL : const_bool(s, r);
}
