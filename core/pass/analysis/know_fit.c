/* SPDX-License-Identifier: BSD-3-Clause
 * Which sums wrap. The affine form of an expression equals it modulo 2**64; as numbers they are the
 * same only where the form is within int64. So what a comparison says of two expressions holds of
 * their forms when each is at least bounded on the side that matters: for x <= y, that of x from
 * above (what wraps there is less than its form) and that of y from below. Forms are bounded by
 * ranges of their terms, or by a proof; and while a loop nest is looked at that may have a second
 * version (`small`), by tests of what the nest leaves alone: which ones, goes into `used`. */
#include "ir/search.h"
#include "pass/analysis/know.h"

__extension__ typedef __int128 Wide;

enum { MAX_LOOKED_AT = 12 }; /* entries about one variable */

typedef struct Extent {
    Wide lo, hi;
} Extent;

typedef struct Ask {
    Know *k;
    bool facts, small;
    int bits;  /* what `small` takes variables to have */
    bool took; /* it did */
    uint64_t needs;
} Ask;

static const Extent all_of_i64 = {INT64_MIN, INT64_MAX};

/* ---- terms ----------------------------------------------------------------------------------- */

static Wide
wide_min(Wide a, Wide b)
{
    return a < b ? a : b;
}

static Wide
wide_max(Wide a, Wide b)
{
    return a > b ? a : b;
}

/* What an operation yields that may have wrapped. */
static Extent
wrapped(Extent s)
{
    return s.lo < INT64_MIN || s.hi > INT64_MAX ? all_of_i64 : s;
}

static Extent span_of(Ask *q, const IrExpr *e);

static Extent
span_mul(Extent a, Extent b)
{
    Wide p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return (Extent){wide_min(wide_min(p[0], p[1]), wide_min(p[2], p[3])),
                    wide_max(wide_max(p[0], p[1]), wide_max(p[2], p[3]))};
}

static Wide
floor_div(Wide a, Wide b) /* b > 0 */
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* ---- polynomials ----------------------------------------------------------------------------- */

/* What is linear in each of its atoms has its extremes where each is at an end of its range: so
 * a*t + b*(255 - t) is no more than 255*255 where all three are bytes, though its terms are, each
 * by itself, as large. Only atoms that occur more than once have to be tried at both ends. */
enum { MAX_ATOMS = 6, MAX_SHARED = 4, MAX_DEPTH = 10 };
static const Wide most_in_corner = (Wide)1 << 62;

typedef struct Corners {
    Ask *q;
    int n, n_shared;
    struct {
        const IrExpr *e;
        Extent s, at; /* its range, and the end at which it is tried */
        bool shared;
    } atom[MAX_ATOMS];
} Corners;

static int
find_atom(const Corners *c, const IrExpr *e)
{
    int i = 0;
    while (i < c->n && !ir_expr_equal(c->atom[i].e, e))
        i++;
    return i;
}

static bool
is_sum_or_product(const IrExpr *e)
{
    return e->kind == IX_OP && e->dtype == DT_i64 &&
           (e->op == OP_add || e->op == OP_sub || e->op == OP_neg || e->op == OP_mul);
}

/* The atoms of e, in bits; false: there is too much in e, or it is not linear in one of them. */
static bool
find_atoms(Corners *c, const IrExpr *e, unsigned *atoms, int depth)
{
    *atoms = 0;
    if (ir_is_const(e, NULL))
        return true;
    if (is_sum_or_product(e)) {
        for (int i = 0; i < e->n; i++) {
            unsigned more;
            if (!depth || !find_atoms(c, e->arg[i], &more, depth - 1) ||
                (e->op == OP_mul && (*atoms & more)))
                return false;
            *atoms |= more;
        }
        return true;
    }
    int i = find_atom(c, e);
    if (i == MAX_ATOMS || e->dtype != DT_i64)
        return false;
    *atoms = 1u << i;
    if (i < c->n) {
        c->n_shared += !c->atom[i].shared;
        c->atom[i].shared = true;
        return c->n_shared <= MAX_SHARED;
    }
    c->atom[c->n].e = e;
    c->atom[c->n++].shared = false;
    return true;
}

/* e where each shared atom is at one end; false: it is too large to tell. */
static bool
at_corner(const Corners *c, const IrExpr *e, Extent *out)
{
    int64_t value;
    Extent s[2];
    if (ir_is_const(e, &value)) {
        *out = (Extent){value, value};
    } else if (is_sum_or_product(e)) {
        for (int i = 0; i < e->n; i++)
            if (!at_corner(c, e->arg[i], &s[i]))
                return false;
        *out = e->op == OP_add   ? (Extent){s[0].lo + s[1].lo, s[0].hi + s[1].hi}
               : e->op == OP_sub ? (Extent){s[0].lo - s[1].hi, s[0].hi - s[1].lo}
               : e->op == OP_neg ? (Extent){-s[0].hi, -s[0].lo}
                                 : span_mul(s[0], s[1]);
    } else {
        *out = c->atom[find_atom(c, e)].at;
    }
    return out->lo >= -most_in_corner && out->hi <= most_in_corner;
}

/* The range of a sum that mentions some of its atoms more than once; false: no better one than
 * that of its operands is known. */
static bool
span_polynomial(Ask *q, const IrExpr *e, Extent *out)
{
    Corners c = {.q = q};
    unsigned atoms;
    if (!is_sum_or_product(e) || !find_atoms(&c, e, &atoms, MAX_DEPTH) || !c.n_shared)
        return false;
    for (int i = 0; i < c.n; i++)
        c.atom[i].s = c.atom[i].at = span_of(q, c.atom[i].e);
    for (unsigned k = 0; k < 1u << c.n_shared; k++) {
        unsigned bit = k;
        Extent s;
        for (int i = 0; i < c.n; i++) {
            if (!c.atom[i].shared)
                continue;
            Wide end = bit & 1 ? c.atom[i].s.hi : c.atom[i].s.lo;
            c.atom[i].at = (Extent){end, end};
            bit >>= 1;
        }
        if (!at_corner(&c, e, &s))
            return false;
        out->lo = k ? wide_min(out->lo, s.lo) : s.lo;
        out->hi = k ? wide_max(out->hi, s.hi) : s.hi;
    }
    return true;
}

static Extent
span_op(Ask *q, const IrExpr *e)
{
    int64_t c = 0;
    Extent s[3];
    if (span_polynomial(q, e, &s[0]))
        return s[0];
    for (int i = 0; i < e->n; i++)
        s[i] = e->arg[i]->dtype == DT_i64 ? span_of(q, e->arg[i]) : all_of_i64;
    bool by = e->n == 2 && ir_is_const(e->arg[1], &c);
    switch (e->op) {
    case OP_add:
        return wrapped((Extent){s[0].lo + s[1].lo, s[0].hi + s[1].hi});
    case OP_sub:
        return wrapped((Extent){s[0].lo - s[1].hi, s[0].hi - s[1].lo});
    case OP_neg:
        return wrapped((Extent){-s[0].hi, -s[0].lo});
    case OP_mul:
        return wrapped(span_mul(s[0], s[1]));
    case OP_min:
        return (Extent){wide_min(s[0].lo, s[1].lo), wide_min(s[0].hi, s[1].hi)};
    case OP_max:
        return (Extent){wide_max(s[0].lo, s[1].lo), wide_max(s[0].hi, s[1].hi)};
    case OP_abs:
        if (s[0].lo >= 0)
            return s[0];
        return wrapped((Extent){0, wide_max(-s[0].lo, s[0].hi)});
    case OP_sign:
        return (Extent){-1, 1};
    case OP_select:
        return (Extent){wide_min(s[1].lo, s[2].lo), wide_max(s[1].hi, s[2].hi)};
    case OP_floordiv:
        return by && c > 0 ? (Extent){floor_div(s[0].lo, c), floor_div(s[0].hi, c)} : all_of_i64;
    case OP_shr:
        if (by && c >= 0 && c < 62)
            return (Extent){floor_div(s[0].lo, (Wide)1 << c), floor_div(s[0].hi, (Wide)1 << c)};
        return all_of_i64;
    case OP_mod:
        return s[1].lo > 0 ? (Extent){0, s[1].hi - 1} : all_of_i64;
    case OP_and:
        return by && c >= 0 ? (Extent){0, c} : all_of_i64;
    default:
        return all_of_i64;
    }
}

/* In how many bits each variable of a term must fit so that the term, times a small factor, and a
 * sum of some such do not wrap. */
int
know_small_bits(const IrExpr *term)
{
    int n = 1;
    const IrExpr *e = term;
    for (; e->kind == IX_OP && e->op == OP_mul && e->arg[1]->kind != IX_CONST; e = e->arg[0])
        n += 1;
    return n == 1 ? 46 : n == 2 ? 26 : n == 3 ? 16 : 9;
}

/* 0: there are too many. */
static uint64_t
need_bit(Know *k, const IrExpr *term)
{
    for (int i = 0; i < k->n_need; i++)
        if (ir_expr_equal(k->need[i], term))
            return (uint64_t)1 << i;
    if (k->n_need == SW_LEN(k->need))
        return 0;
    k->need[k->n_need] = term;
    return (uint64_t)1 << k->n_need++;
}

/* The extent of a term beside a variable in a fact: a loop's end, beside its counter. */
static Extent
span_beside(Ask *q, const IrExpr *e, uint64_t *needs)
{
    Wide big = (Wide)1 << know_small_bits(e);
    *needs = 0;
    if (e->kind == IX_DIM)
        return (Extent){0, MAX_DIM};
    if (!q->small || q->k->sure || e->kind != IX_VAR || !ir_invariant(e, q->k->small) ||
        !(*needs = need_bit(q->k, e)))
        return all_of_i64;
    return (Extent){-big, big};
}

/* What a fact on v, with one term beside it or none, says better than s does. */
static void
bound_by(Ask *q, const Known *x, const IrExpr *v, bool up, Extent *s)
{
    if (x->kind != K_FACT || !x->a.n || x->a.n > 2 || (x->needs && q->k->sure))
        return;
    int at = ir_expr_equal(x->a.t[0].term, v) ? 0 : x->a.n - 1;
    if (!ir_expr_equal(x->a.t[at].term, v) || x->a.t[at].coef != (up ? -1 : 1))
        return;
    uint64_t needs = 0;
    Wide end = x->a.c0;
    if (x->a.n == 2) {
        int64_t by = x->a.t[1 - at].coef;
        end += span_mul(span_beside(q, x->a.t[1 - at].term, &needs), (Extent){by, by}).hi;
    }
    end = up ? end : -end;
    if (up ? end >= s->hi : end <= s->lo)
        return;
    *(up ? &s->hi : &s->lo) = end;
    q->needs |= needs | x->needs;
}

/* Bounds of a variable among what is known: constants, or what has some. */
static Extent
known_span(Ask *q, const IrExpr *v, Extent s)
{
    for (int up = 0; up < 2; up++) {
        int left = MAX_LOOKED_AT;
        for (const KnownUse *u = know_facts_on(q->k, v, !up); u && left > 0; u = u->next, left--)
            bound_by(q, &q->k->at.at[u->entry], v, up, &s);
    }
    return s;
}

static Extent
span_var(Ask *q, const IrExpr *e)
{
    Extent s = q->facts ? known_span(q, e, all_of_i64) : all_of_i64;
    Wide big = (Wide)1 << q->bits;
    if (q->small && ir_invariant(e, q->k->small) && (s.lo < -big || s.hi > big)) {
        q->took = true;
        s = (Extent){wide_max(s.lo, -big), wide_min(s.hi, big)};
    }
    return s;
}

static Extent
span_of(Ask *q, const IrExpr *e)
{
    int64_t lo, hi;
    Wide big = (Wide)1 << q->bits;
    if (ir_is_const(e, &lo))
        return (Extent){lo, lo};
    switch (e->kind) {
    case IX_VAR:
        return span_var(q, e);
    case IX_DIM:
        if (q->small && q->bits < 40 && ir_invariant(e, q->k->small)) {
            q->took = true;
            return (Extent){0, big};
        }
        return (Extent){0, MAX_DIM};
    case IX_GEO:
        return (Extent){0, MAX_GEO};
    case IX_CAST:
    case IX_LOAD:
        return know_term_range(e, &lo, &hi) ? (Extent){lo, hi} : all_of_i64;
    case IX_OP:
        return span_op(q, e);
    default:
        return all_of_i64;
    }
}

/* ---- tests for a polynomial ------------------------------------------------------------------ */

enum { MAX_VARYING = 3, FACTOR_BITS = 20 };

/* e with its atoms at the ends that they are tried at; what the loop leaves alone stays. */
static IrExpr *
corner_expr(Cx *cx, const Corners *c, const IrExpr *e)
{
    IrExpr *arg[2];
    if (!ir_is_const(e, NULL) && is_sum_or_product(e)) {
        for (int i = 0; i < e->n; i++)
            arg[i] = corner_expr(cx, c, e->arg[i]);
        return ir_opv(cx, (IrOp)e->op, arg);
    }
    int i = find_atom(c, e);
    bool end = i < c->n && c->atom[i].at.lo == c->atom[i].at.hi;
    return end ? ir_int(cx, DT_i64, (int64_t)c->atom[i].at.lo) : ir_copy_expr(cx, e);
}

static void
and_between(Cx *cx, IrExpr **test, IrExpr *e, int64_t lo, int64_t hi)
{
    IrExpr *low = ir_op(cx, OP_ge, e, ir_int(cx, DT_i64, lo));
    IrExpr *high = ir_op(cx, OP_le, ir_copy_expr(cx, e), ir_int(cx, DT_i64, hi));
    IrExpr *both = ir_op(cx, OP_and, low, high);
    *test = *test ? ir_op(cx, OP_and, *test, both) : both;
}

/* What the loop with these effects leaves alone goes into the test, to be small; the others have
 * ends. */
static bool
sort_atoms(Corners *c, const IrEffects *fx, int *varying, IrExpr **test)
{
    const int64_t small = (int64_t)1 << FACTOR_BITS;
    for (int i = 0; i < c->n; i++) {
        bool fixed = ir_invariant(c->atom[i].e, fx) && !ir_loads(c->atom[i].e);
        c->atom[i].s = fixed ? (Extent){-small, small} : span_of(c->q, c->atom[i].e);
        c->atom[i].at = c->atom[i].s;
        if (fixed)
            and_between(c->q->k->cx, test, ir_copy_expr(c->q->k->cx, c->atom[i].e), -small, small);
        else if (*varying == MAX_VARYING || c->atom[i].s.lo < -small || c->atom[i].s.hi > small)
            return false;
        else
            varying[++*varying] = i;
    }
    return *varying < c->n;
}

/* A test before a loop with these effects: where it holds, lo <= e <= hi in each of its iterations.
 * NULL: none is known. */
static IrExpr *
range_test(Know *k, IrExpr *e, int64_t lo, int64_t hi, const IrEffects *fx)
{
    int64_t by;
    IrExpr *test = NULL;
    int varying[MAX_VARYING + 1] = {0};
    unsigned atoms;
    Ask q = {.k = k, .facts = true};
    Corners c = {.q = &q};
    for (e = know_canonical(k, e); e->kind == IX_OP && ir_is_const(e->arg[e->n - 1], &by);
         e = e->arg[0]) {
        if (e->op == OP_shr && by >= 0 && by <= FACTOR_BITS)
            by = (int64_t)1 << by;
        else if (e->op != OP_floordiv || by <= 0 || by > (int64_t)1 << FACTOR_BITS)
            break;
        if (hi >= INT32_MAX || lo <= INT32_MIN)
            return NULL;
        lo *= by;
        hi = hi * by + by - 1;
    }
    if (!find_atoms(&c, e, &atoms, MAX_DEPTH) || !sort_atoms(&c, fx, varying, &test) || q.needs)
        return NULL;
    for (unsigned bits = 0; bits < 1u << varying[0]; bits++) {
        Extent s;
        IrAffine a;
        for (int i = 0; i < varying[0]; i++) {
            Extent all = c.atom[varying[i + 1]].s;
            Wide end = bits >> i & 1 ? all.hi : all.lo;
            c.atom[varying[i + 1]].at = (Extent){end, end};
        }
        if (!at_corner(&c, e, &s) || !ir_affine(corner_expr(k->cx, &c, e), &a))
            return NULL;
        and_between(k->cx, &test, ir_affine_expr(k->cx, &a), lo, hi);
    }
    return test;
}

/* ---- forms ----------------------------------------------------------------------------------- */

bool
know_need(Know *k, const IrExpr *term)
{
    uint64_t bit = need_bit(k, term);
    k->used |= bit;
    return bit;
}

static Extent
span_affine(Know *k, const IrAffine *a, bool facts, bool small, uint64_t *needs)
{
    const Wide most = (Wide)1 << 120; /* so that 8 terms do not overflow */
    Extent sum = {a->c0, a->c0};
    *needs = 0;
    for (int i = 0; i < a->n; i++) {
        Ask q = {.k = k, .facts = facts, .small = small, .bits = know_small_bits(a->t[i].term)};
        Extent t = span_of(&q, a->t[i].term), by = {a->t[i].coef, a->t[i].coef};
        if (q.took) {
            uint64_t bit = need_bit(k, a->t[i].term);
            q.needs |= bit;
            t = bit ? t : all_of_i64;
        }
        *needs |= q.needs;
        t = span_mul(t, by);
        sum.lo += wide_max(t.lo, -most);
        sum.hi += wide_min(t.hi, most);
    }
    return sum;
}

static bool
has_product(const IrAffine *a)
{
    bool any = false;
    for (int i = 0; i < a->n; i++)
        any |= a->t[i].term->kind == IX_OP && a->t[i].term->op == OP_mul;
    return any;
}

/* Constants around all that a may be, far from the ends of int64. */
bool
know_bounds(Know *k, const IrAffine *a, int64_t *lo, int64_t *hi)
{
    const Wide far = (Wide)1 << 60;
    uint64_t needs;
    Extent s = span_affine(k, a, true, false, &needs), t;
    Ask q = {.k = k, .facts = true};
    if (a->n > 1 && has_product(a) && span_polynomial(&q, ir_affine_expr(k->cx, a), &t)) {
        s = t;
        needs = q.needs;
    }
    if (needs || s.lo < -far || s.hi > far)
        return false;
    *lo = (int64_t)s.lo;
    *hi = (int64_t)s.hi;
    return true;
}

bool
know_never_negative(Know *k, const IrAffine *a)
{
    uint64_t needs;
    if (span_affine(k, a, false, false, &needs).lo >= 0)
        return true;
    if (!k->small || k->sure || span_affine(k, a, false, true, &needs).lo < 0)
        return false;
    k->used |= needs;
    return true;
}

static bool
is_atom(const IrAffine *a)
{
    return a->n == 0 || (a->n == 1 && a->c0 == 0 && a->t[0].coef == 1);
}

static bool
inside(Extent s, int side)
{
    return side == FITS_BELOW ? s.lo >= INT64_MIN : s.hi <= INT64_MAX;
}

/* The slack is cut to what an int64 holds. */
static bool
proved(Know *k, const IrAffine *a, int side, int depth)
{
    IrAffine terms = *a, slack = {0};
    terms.c0 = 0;
    if (side == FITS_BELOW)
        slack.c0 = a->c0 < 0 ? a->c0 + INT64_MAX + 1 : INT64_MAX;
    else
        slack.c0 = a->c0 < 0 ? INT64_MAX : INT64_MAX - a->c0;
    return ir_affine_add(&slack, &terms, side == FITS_BELOW ? 1 : -1) &&
           know_prove_more(k, &slack, depth);
}

static bool
fits(Know *k, const IrAffine *a, int sides, int depth)
{
    uint64_t needs;
    if (inside(span_affine(k, a, false, false, &needs), sides))
        return true;
    if (inside(span_affine(k, a, true, false, &needs), sides)) {
        k->used |= needs;
        return true;
    }
    bool sure = k->sure, products = k->products;
    k->sure = true;
    k->products = false;
    bool ok = proved(k, a, sides, depth);
    k->sure = sure;
    if (!ok && !sure && k->small && inside(span_affine(k, a, true, true, &needs), sides)) {
        k->used |= needs;
        ok = true;
    }
    ok = ok || (!sure && k->small && proved(k, a, sides, depth));
    k->products = products;
    return ok;
}

/* Is a within int64 on these sides? depth: of the proof that this is part of. */
bool
know_fits(Know *k, const IrAffine *a, int sides, int depth)
{
    return is_atom(a) || ((!(sides & FITS_BELOW) || fits(k, a, FITS_BELOW, depth)) &&
                          (!(sides & FITS_ABOVE) || fits(k, a, FITS_ABOVE, depth)));
}

/* An expression with this form is in lo .. hi: then so is the form? */
static bool
is_exact(Know *k, const IrAffine *a, int64_t lo, int64_t hi)
{
    const Wide turn = (Wide)1 << 64;
    uint64_t needs;
    for (int small = 0; small <= (k->small && !k->sure); small++) {
        Extent s = span_affine(k, a, true, small, &needs);
        if (s.lo - hi > -turn && s.hi - lo < turn) {
            k->used |= needs;
            return true;
        }
    }
    return false;
}

bool
know_is_dim(Know *k, const IrAffine *a)
{
    return is_atom(a) || is_exact(k, a, 0, MAX_DIM);
}

bool
know_in_range(Know *k, IrExpr *i, IrVar *arr, int axis, IrAffine *at)
{
    IrAffine dim;
    if (!know_affine(k, i, at) || !know_affine(k, ir_dim(k->cx, arr, axis), &dim))
        return false;
    IrAffine high = dim;
    high.c0 -= 1;
    return ir_affine_add(&high, at, -1) && know_prove(k, at) && know_prove(k, &high) &&
           know_fits(k, &dim, FITS_ABOVE, FIT_AT_ONCE);
}

/* The check of an index has passed. */
void
know_checked(Know *k, IrExpr *i, IrVar *arr, int axis, bool low)
{
    IrAffine at, dim;
    k->used = 0;
    if (!know_affine(k, i, &at) || !know_affine(k, ir_dim(k->cx, arr, axis), &dim) ||
        !is_exact(k, &at, -MAX_DIM, MAX_DIM) || !know_is_dim(k, &dim))
        return;
    IrAffine high = dim;
    high.c0 -= 1;
    if (ir_affine_add(&high, &at, -1))
        know_fact(k, &high, true, k->used);
    if (low)
        know_fact(k, &at, true, k->used);
    else if (ir_affine_add(&dim, &at, 1))
        know_fact(k, &dim, true, k->used);
}

/* Worth to be kept for a variable: it is the same number, or differs from it at the ends of int64
 * only. */
bool
know_nearly_fits(Know *k, const IrAffine *a)
{
    const Wide near = (Wide)INT64_MAX + MAX_DIM;
    uint64_t needs;
    Extent s = span_affine(k, a, true, k->small != NULL, &needs);
    return (s.lo > -near && s.hi < near) || know_fits(k, a, FITS, FIT_AT_ONCE);
}

/* ---- numbers as elements of a narrow dtype --------------------------------------------------- */

/* Is cast x as a number of a narrow dtype, and which are there? */
static bool
narrow_range(const IrExpr *cast, const IrExpr *x, int64_t *lo, int64_t *hi)
{
    const IrExpr *narrow = cast->kind == IX_CAST ? cast->arg[0] : NULL;
    return narrow && cast->dtype == DT_i64 && narrow->kind == IX_CAST && x->dtype == DT_i64 &&
           ir_expr_equal(narrow->arg[0], x) && know_term_range(cast, lo, hi);
}

bool
know_fits_narrow(Know *k, IrExpr *cast, IrExpr *x)
{
    int64_t lo, hi, least, most;
    IrAffine a;
    if (!narrow_range(cast, x, &lo, &hi))
        return false;
    if (know_affine(k, x, &a) && know_bounds(k, &a, &least, &most) && least >= lo && most <= hi)
        return true;
    return know_implies_less(k, ir_int(k->cx, DT_i64, lo), x, 0) &&
           know_implies_less(k, x, ir_int(k->cx, DT_i64, hi), 0);
}

IrExpr *
know_fit_of(const IrExpr *cond, int64_t *lo, int64_t *hi)
{
    bool fit = cond->kind == IX_OP && cond->op == OP_eq &&
               narrow_range(cond->arg[0], cond->arg[1], lo, hi);
    return fit ? cond->arg[1] : NULL;
}

IrExpr *
know_fit_test(Know *k, const IrExpr *cond, const IrEffects *fx)
{
    int64_t lo, hi;
    IrExpr *e = know_fit_of(cond, &lo, &hi);
    return e ? range_test(k, e, lo, hi, fx) : NULL;
}
