/* SPDX-License-Identifier: BSD-3-Clause
 * Bounds of x // y where y is no constant: `i = q // m` of a loop over q in range(n * m) is a row,
 * at least 0 and less than n. What is known of x has the product n * y as a term, which may have
 * wrapped: of what is not negative, a product that wraps is the less for it, so x < n * y all the
 * more. */
#include "pass/analysis/know.h"

enum { MOST_FACTORS = 6 };

typedef struct Factors {
    const IrExpr *at[MOST_FACTORS];
    int n;
} Factors;

static bool
add_factors(Factors *f, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_mul && e->dtype == DT_i64)
        return add_factors(f, e->arg[0]) && add_factors(f, e->arg[1]);
    if (f->n == MOST_FACTORS)
        return false;
    f->at[f->n++] = e;
    return true;
}

/* n, where all is n * y; NULL: it isn't. */
static IrExpr *
cofactor(Cx *cx, const IrExpr *all, const IrExpr *y)
{
    Factors have = {0}, by = {0};
    IrExpr *n = NULL;
    if (!add_factors(&have, all) || !add_factors(&by, y) || by.n >= have.n)
        return NULL;
    for (int i = 0; i < by.n; i++) {
        int j = 0;
        while (j < have.n && !ir_expr_equal(have.at[j], by.at[i]))
            j++;
        if (j == have.n)
            return NULL;
        have.at[j] = have.at[--have.n];
    }
    for (int i = 0; i < have.n; i++) {
        IrExpr *e = ir_copy_expr(cx, have.at[i]);
        n = n ? ir_op(cx, OP_mul, n, e) : e;
    }
    return n;
}

static bool
is_at_least(Know *k, const IrExpr *e, int64_t least, int depth)
{
    IrAffine a;
    if (!ir_affine(e, &a) || !know_fits(k, &a, FITS_ABOVE, depth - 1))
        return false;
    IrAffine rest = {.c0 = -least};
    return ir_affine_add(&rest, &a, 1) && know_prove_more(k, &rest, depth - 1);
}

/* x < n * y is known: n. */
static IrExpr *
rows_of(Know *k, const IrExpr *x, const IrExpr *y)
{
    int left = 20;
    for (const KnownUse *u = know_facts_on(k, x, false); u && left > 0; u = u->next, left--) {
        const Known *f = &k->at.at[u->entry];
        if (f->kind != K_FACT || f->needs || f->a.n != 2 || f->a.c0 > -1)
            continue;
        int at = ir_expr_equal(f->a.t[0].term, x) ? 0 : 1;
        IrExpr *n = f->a.t[0].coef * f->a.t[1].coef == -1 && f->a.t[at].coef == -1 &&
                            ir_expr_equal(f->a.t[at].term, x)
                        ? cofactor(k->cx, f->a.t[1 - at].term, y)
                        : NULL;
        if (n)
            return n;
    }
    return NULL;
}

static bool
bound(Know *k, const IrExpr *t, int sign, int depth, IrAffine *f)
{
    IrAffine n;
    *f = (IrAffine){.n = 1, .t = {{t, sign}}};
    if (sign > 0)
        return is_at_least(k, t->arg[0], 0, depth) && is_at_least(k, t->arg[1], 1, depth);
    IrExpr *rows = rows_of(k, t->arg[0], t->arg[1]);
    f->c0 = -1;
    return rows && is_at_least(k, t->arg[1], 1, depth) && is_at_least(k, rows, 0, depth) &&
           ir_affine(rows, &n) && know_fits(k, &n, FITS_BELOW, depth - 1) &&
           ir_affine_add(f, &n, 1);
}

bool
know_quotient(Know *k, const IrExpr *t, int sign, int depth, IrAffine *f)
{
    uint64_t used = k->used;
    bool ok = bound(k, t, sign, depth, f);
    k->used = ok ? k->used : used;
    return ok;
}
