/* SPDX-License-Identifier: BSD-3-Clause
 * `a, b = b, a` in a loop: a and b are other arrays in each iteration, but have one size. It is
 * told in terms that the loop leaves alone where there are such, as n of `n = a.shape[0]` before
 * it; else by the sizes of the first of them. */
#include "pass/analysis/know.h"

static bool
same_form(const IrAffine *a, const IrAffine *b)
{
    IrAffine d = *a;
    return ir_affine_add(&d, b, -1) && !d.n && !d.c0;
}

/* A variable with that value, which the loop does not change */
static bool
name_of(const Know *k, const IrAffine *a, const IrEffects *fx, IrAffine *out)
{
    for (int i = k->at.n; i-- > 0;) {
        const Known *x = &k->at.at[i];
        if (x->dead || x->kind != K_VALUE || ir_sets(fx, x->var) || !same_form(&x->a, a))
            continue;
        *out = (IrAffine){.n = 1, .t = {{ir_use(k->cx, (IrVar *)x->var), 1}}};
        return true;
    }
    return false;
}

static bool
take_forms(Know *k, IrVar *v, IrAffine *form)
{
    bool ok = true;
    for (int i = 0; ok && i < v->ndim; i++)
        ok = know_affine(k, ir_dim(k->cx, v, i), &form[i]);
    return ok;
}

KeptSizes
know_rotated(Know *k, IrStmt *loop, const IrEffects *fx)
{
    KeptSizes kept = {.r = rotate_of(k->cx, &k->rotations, loop)};
    IrAffine other[32];
    for (int i = 0; i < kept.r->n; i++) {
        int first = 0, nd = kept.r->var[i]->ndim;
        while (kept.r->group[first] != kept.r->group[i])
            first++;
        if (first < i) {
            bool same = kept.same[first] && take_forms(k, kept.r->var[i], other);
            for (int axis = 0; same && axis < nd; axis++)
                same = same_form(&kept.form[first][axis], &other[axis]);
            kept.same[first] = same;
            continue;
        }
        kept.form[i] = NEW_N(&k->cx->arena, IrAffine, nd + 1);
        kept.fixed[i] = NEW_N(&k->cx->arena, bool, nd + 1);
        kept.same[i] = take_forms(k, kept.r->var[i], kept.form[i]);
    }
    for (int i = 0; i < kept.r->n; i++)
        for (int axis = 0; kept.same[i] && axis < kept.r->var[i]->ndim; axis++) {
            IrAffine *a = &kept.form[i][axis], named;
            kept.fixed[i][axis] = know_same_after(a, fx);
            if (kept.fixed[i][axis] || !name_of(k, a, fx, &named))
                continue;
            *a = named;
            kept.fixed[i][axis] = true;
        }
    return kept;
}

/* A variable that names a size is one as a number. */
static void
note_size(Know *k, const IrAffine *a)
{
    IrAffine most = {.c0 = MAX_DIM};
    if (a->n != 1 || a->c0 || a->t[0].coef != 1 || a->t[0].term->kind != IX_VAR)
        return;
    know_fact(k, a, false, 0);
    if (ir_affine_add(&most, a, -1))
        know_fact(k, &most, false, 0);
}

void
know_keep_sizes(Know *k, const KeptSizes *kept)
{
    for (int i = 0; i < kept->r->n; i++) {
        int first = 0;
        while (kept->r->group[first] != kept->r->group[i])
            first++;
        IrVar *v = kept->r->var[i], *of = kept->r->var[first];
        IrExpr *dims[32];
        for (int axis = 0; axis < v->ndim && kept->same[first]; axis++) {
            bool fixed = kept->fixed[first][axis];
            if (fixed)
                note_size(k, &kept->form[first][axis]);
            dims[axis] =
                fixed ? ir_affine_expr(k->cx, &kept->form[first][axis]) : ir_dim(k->cx, of, axis);
        }
        if (kept->same[first])
            know_dims(k, v, dims);
    }
}
