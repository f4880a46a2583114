/* SPDX-License-Identifier: BSD-3-Clause
 * Polynomials with 64-bit coefficients: sums of products of terms. Indices like i * m + j
 * need more than affine forms, for m is as unknown as j; products of at most four terms
 * are enough for four-dimensional arrays stored flat. Everything fails when it overflows
 * or grows too long. */
#include "pass/parallel/par.h"

bool
poly_term_equal(const IrExpr *a, const IrExpr *b)
{
    if (a == b)
        return true;
    if (a->kind == IX_VAR || b->kind == IX_VAR)
        return a->kind == b->kind && a->var == b->var;
    return ir_expr_equal(a, b);
}

static bool
same_factors(const PolyMono *a, const PolyMono *b)
{
    unsigned used = 0;
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) {
        int k = 0;
        while (k < b->n && (used >> k & 1 || !poly_term_equal(a->f[i], b->f[k])))
            k++;
        if (k == b->n)
            return false;
        used |= 1u << k;
    }
    return true;
}

bool
poly_add_mono(Poly *p, const PolyMono *m, int64_t k)
{
    int64_t c;
    if (__builtin_mul_overflow(m->k, k, &c))
        return false;
    for (int i = 0; i < p->n; i++) {
        if (!same_factors(&p->m[i], m))
            continue;
        if (__builtin_add_overflow(p->m[i].k, c, &p->m[i].k))
            return false;
        if (p->m[i].k == 0)
            p->m[i] = p->m[--p->n];
        return true;
    }
    if (c == 0)
        return true;
    if (p->n == POLY_MONOS)
        return false;
    p->m[p->n] = *m;
    p->m[p->n++].k = c;
    return true;
}

bool
poly_add(Poly *p, const Poly *q, int64_t k)
{
    for (int i = 0; i < q->n; i++)
        if (!poly_add_mono(p, &q->m[i], k))
            return false;
    return true;
}

bool
poly_add_const(Poly *p, int64_t k)
{
    PolyMono one = {.k = 1};
    return poly_add_mono(p, &one, k);
}

bool
poly_add_term(Poly *p, const IrExpr *term, int64_t k)
{
    PolyMono m = {.k = 1, .n = 1, .f = {term}};
    return poly_add_mono(p, &m, k);
}

static bool
mul_mono(const PolyMono *a, const PolyMono *b, PolyMono *out)
{
    *out = *a;
    if (a->n + b->n > POLY_FACTORS || __builtin_mul_overflow(a->k, b->k, &out->k))
        return false;
    for (int i = 0; i < b->n; i++)
        out->f[out->n++] = b->f[i];
    return true;
}

bool
poly_mul(const Poly *a, const Poly *b, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++) {
            PolyMono m;
            if (!mul_mono(&a->m[i], &b->m[k], &m) || !poly_add_mono(out, &m, 1))
                return false;
        }
    return true;
}

/* m without one factor that is `term`; false: it has none */
static bool
divide(const PolyMono *m, const IrExpr *term, PolyMono *out)
{
    for (int i = 0; i < m->n; i++) {
        if (!poly_term_equal(m->f[i], term))
            continue;
        *out = *m;
        out->f[i] = out->f[--out->n];
        return true;
    }
    return false;
}

bool
poly_subst(const Poly *p, const IrExpr *term, const Poly *q, Poly *out)
{
    Poly done = {0};
    for (int i = 0; i < p->n; i++) {
        Poly part = {.n = 1, .m = {p->m[i]}}, next;
        PolyMono rest;
        int times = 0;
        for (; divide(&part.m[0], term, &rest); times++)
            part.m[0] = rest;
        for (; times > 0; times--) {
            if (!poly_mul(&part, q, &next))
                return false;
            part = next;
        }
        if (!poly_add(&done, &part, 1))
            return false;
    }
    *out = done;
    return true;
}

bool
poly_is_const(const Poly *p, int64_t *k)
{
    *k = p->n ? p->m[0].k : 0;
    return p->n == 0 || (p->n == 1 && p->m[0].n == 0);
}

bool
poly_has(const Poly *p, const IrExpr *term)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->m[i].n; k++)
            if (poly_term_equal(p->m[i].f[k], term))
                return true;
    return false;
}

IrExpr *
poly_expr(Cx *cx, const Poly *p)
{
    IrExpr *sum = ir_int(cx, DT_i64, 0);
    for (int i = 0; i < p->n; i++) {
        IrExpr *t = ir_int(cx, DT_i64, p->m[i].k);
        for (int k = 0; k < p->m[i].n; k++)
            t = ir_op(cx, OP_mul, ir_copy_expr(cx, p->m[i].f[k]), t);
        sum = ir_op(cx, OP_add, sum, t);
    }
    return sum;
}
