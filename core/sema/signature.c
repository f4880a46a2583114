/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of functions that were given signatures: one of these is chosen by the arguments' types, as
 * py/spec.c chooses by the arguments. The function is then one for the signature's types, and the
 * call's result is of the type that the signature says. */
#include "sema/calls.h"

enum { FITS_NOT, FITS_CAST, FITS_CONVERTED, FITS };

/* Numba casts a number to what a signature says, whatever it loses, where no other one fits. */
static int
unfit(bool casts, DType to, DType from)
{
    return casts && dtype_is_complex(to) >= dtype_is_complex(from) ? FITS_CAST : FITS_NOT;
}

/* A Python number goes where Python's call would put it; NumPy's where nothing is lost. */
static int
fit_scalar(const Type *want, const Type *have, const Const *cst, bool casts)
{
    DType to = (DType)want->dtype, from = (DType)have->dtype;
    if (to == from)
        return FITS;
    if (dtype_is_param(to) || dtype_is_param(from))
        return FITS_NOT;
    if (!have->weak)
        return dtype_can_cast_safely(from, to) ? FITS_CONVERTED : unfit(casts, to, from);
    if (cst && cst->kind == CV_INT && dtype_is_int(to) && !const_fits(cst, to))
        return FITS_NOT;
    bool floats = dtype_is_float(to), complexes = dtype_is_complex(to);
    bool ok = from == DT_bool          ? true
              : dtype_is_int(from)     ? to != DT_bool
              : dtype_is_float(from)   ? floats || complexes
              : dtype_is_complex(from) ? complexes
                                       : false;
    return ok ? FITS_CONVERTED : unfit(casts, to, from);
}

static int
fit(const Type *want, const Type *have, const Const *cst, bool casts)
{
    if (want == have)
        return FITS;
    if (want->kind == TY_OPTIONAL && have->kind == TY_NONE)
        return FITS_CONVERTED;
    if (want->kind == TY_OPTIONAL && have->kind != TY_OPTIONAL) {
        int of_value = fit(want->elems[1], have, cst, casts);
        return of_value < FITS_CONVERTED ? of_value : FITS_CONVERTED;
    }
    if (want->kind != have->kind)
        return FITS_NOT;
    if (want->kind == TY_SCALAR)
        return fit_scalar(want, have, cst, casts);
    if (want->kind == TY_ARRAY) {
        bool same = want->dtype == have->dtype && want->ndim == have->ndim;
        bool laid_out = want->layout == LAY_A || want->layout == have->layout;
        bool writable = want->readonly || !have->readonly;
        return same && laid_out && writable ? FITS
               : same && laid_out && casts  ? FITS_CONVERTED
                                            : FITS_NOT;
    }
    if ((want->kind != TY_TUPLE && want->kind != TY_OPTIONAL) || want->n != have->n)
        return FITS_NOT;
    int r = want->kind == TY_OPTIONAL ? FITS_CONVERTED : FITS;
    for (int i = 0; i < want->n && r; i++) {
        bool known = cst && cst->kind == CV_TUPLE && cst->n == want->n;
        int k = fit(want->elems[i], have->elems[i], known ? cst->elems[i] : NULL, casts);
        r = k < r ? k : r;
    }
    return r;
}

static void
none_fits(Sema *s, const Node *e, const FuncDef *fd)
{
    StrBuf b = {0};
    for (int i = 0; i < fd->n_sigs; i++)
        sb_addf(&b, "\n    %s", fd->sigs[i].text);
    sema_error(s, DIAG_signature, e,
               "%s(): no explicit signature takes these arguments; there are%s", fd->name,
               sb_keep(&b, s->a));
}

/* What is only read stays so: constants, views whose elements share memory, as of as_strided. */
static const Type *
as_read_only(Sema *s, const Type *want, const Type *have)
{
    if (want->kind != TY_ARRAY || have->kind != TY_ARRAY || want->readonly || !have->readonly)
        return want;
    return type_array(s->tt, (DType)want->dtype, want->ndim, (Layout)want->layout, have->readonly);
}

const Signature *
signature_choose(Sema *s, const Node *e, const FuncDef *fd, const Type **types, const Const **csts)
{
    const Signature *best = NULL;
    int how = FITS_NOT;
    for (int i = 0; i < fd->n_sigs; i++) {
        const Signature *g = &fd->sigs[i];
        int r = g->n == fd->n_params ? FITS : FITS_NOT;
        for (int k = 0; k < g->n && r; k++) {
            int one = fit(g->params[k], types[k], csts[k], fd->own && fd->own->numba_casts);
            r = one < r ? one : r;
        }
        if (r > how) {
            how = r;
            best = g;
        }
    }
    if (!best)
        none_fits(s, e, fd);
    for (int k = 0; best && k < best->n; k++) {
        csts[k] = types[k] == best->params[k] ? csts[k] : NULL;
        types[k] = as_read_only(s, best->params[k], types[k]);
    }
    return best;
}

const Type *
signature_result(Sema *s, const Signature *g, const Type *have)
{
    const Type *want = g->ret;
    if (!want || want->kind != TY_SCALAR || have->kind != TY_SCALAR || want->dtype == have->dtype)
        return have;
    return type_scalar(s->tt, (DType)want->dtype, false);
}
