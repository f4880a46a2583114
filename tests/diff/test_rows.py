# SPDX-License-Identifier: BSD-3-Clause
"""Every row of NumPy's table over its domain: dtypes, layouts, ranks, empty arrays, each parameter,
`out=`, as function and as method; chosen so that any two of these meet (domain.py). What a
row says of its effects holds for NumPy's function and for ours.

`make fuzz FUZZ=rows` draws from the whole product.
"""

import re
import warnings

import domain
import numpy as np
import pytest
import tables
from harness import (
    Options,
    Outcome,
    arrays_in,
    compare,
    copy_args,
    define,
    describe_outcome,
    is_ours,
    run,
    show,
)

import swathe
from docs import COMPLEX_ULP

# Of 0.0 and -0.0, which are equal, they may return either.
EITHER_ZERO = {"min", "max", "ptp", "minimum", "maximum", "fmin", "fmax", "sort", "method_sort",
    "sort_complex"}  # fmt: skip
QUICK = {"opt_level": 0}  # LLVM does what other tests are for
BATCH = 6  # calls in one compiled function
UNDEFINED = {"empty", "empty_like", "partition", "method_partition", "argpartition"}
# What compiled code refuses, by row: a part of the call.
REFUSED = {
    "mean": ("dtype=int", "dtype=bool", "dtype=np.int32"),
    "var": ("dtype=int", "dtype=bool", "dtype=np.int32"),
    "std": ("dtype=int", "dtype=bool", "dtype=np.int32"),
    "flatten": ("order='K'",),
    "ravel": ("order='K'",),
}
OWN_WORDS = "axis: axis "  # np.average's name for the axis
# Of an out= that doesn't fit, the class of the error is NumPy's, and not the text.
OWN_TEXT = {
    "median", "nanmedian", "quantile", "percentile", "nanmin", "nanmax", "take",
    "maximum_accumulate", "minimum_accumulate", "add_reduceat", "multiply_reduceat",
    "maximum_reduceat", "minimum_reduceat", "einsum", "fft_fft", "fft_ifft", "fft_rfft",
    "fft_irfft",
    "fft_fftn", "fft_ifftn", "fft_rfftn", "fft_irfftn", "fft_ihfft",
}  # fmt: skip
# Calls that end in another way than NumPy's, with the reason.
KNOWN = {
    "ldexp": "dtype=",  # which NumPy has a loop for, but not for a Python float
    "ndindex": "",  # lists here, which are gone through in the same way
    "ndenumerate": "",
    "median": r"axis=\(\)",  # which NumPy's own reshape refuses where there is nothing
    "method_partition": "",  # the order of what is on either side
    "trapezoid": "axis=1",  # NumPy's error for an axis that isn't there is a list's
    "take": "out=",  # which NumPy holds to a stricter rule of casting
    "compress": "out=",
    "linalg_multi_dot": "out=",  # which need not be in C order here
    "method_compress": "out=",
    "choose": "out=",  # NumPy mixes up what it writes to an array in Fortran order
    "polynomial_legendre_legmul": "",  # of one coefficient NumPy's is of double precision
    "polynomial_hermite_hermmul": "",
    "polynomial_hermite_e_hermemul": "",
    "polynomial_laguerre_lagmul": "",
    # of one coefficient to a power so, too
    "polynomial_legendre_legpow": "",
    "polynomial_hermite_hermpow": "",
    "polynomial_hermite_e_hermepow": "",
    "polynomial_laguerre_lagpow": "",
    "linspace": "num=[01].*retstep=True",  # no step: Python's nan there, NumPy's here
}


def options(call):
    """Sums and products may be made in another order: their error is that of the greatest term."""
    row = call.row
    scale = 1.0
    if row.macro == "NP_UFUNC":
        is_complex = any(np.asarray(a).dtype.kind == "c" for a in call.args)
        ulp = COMPLEX_ULP if is_complex or "complex" in call.text else row.ulp
        return Options(ulp=ulp, views=False, zeros=row.short not in EITHER_ZERO)
    for a in call.args if row.ulp else ():
        if a.size and a.dtype != bool:
            scale *= max(1.0, float(np.abs(a[np.isfinite(a)].astype("c16")).max(initial=1)))
    if row.ulp and any(np.asarray(a).dtype == np.float16 for a in call.args):
        scale = min(scale, 0.09 / (row.ulp * float(np.finfo(np.float16).eps)))
    return Options(
        ulp=row.ulp,
        scale=scale if row.ulp else 0.0,
        zeros=not row.ulp and row.short not in EITHER_ZERO,
        undefined=row.short in UNDEFINED,
    )


def wanted(call):
    args = copy_args(call.args)
    return run(lambda *a: domain.evaluated(call.text, a), args, {})


def function(calls):
    """One function that makes the calls one after the other, over all of their arguments."""
    lines, n = [], 0
    for k, call in enumerate(calls):
        for letter in "abcdefgh"[: len(call.args)]:
            lines.append(f"    {letter} = x{n}\n")
            n += 1
        lines.append(f"    r{k} = {call.text}\n")
    given = ", ".join(f"x{i}" for i in range(n))
    results = "".join(f"r{k}, " for k in range(len(calls)))
    return define(f"def f({given}):\n{''.join(lines)}    return ({results})\n")


def got(calls, options):
    """What compiled code makes of the calls: an Outcome for each, or one error."""
    args = [copy_args(c.args) for c in calls]
    flat = tuple(a for each in args for a in each)
    ran = run(swathe.njit(**options)(function(calls)), flat, {})
    if ran.error is not None:
        return ran
    return [Outcome(v, None, a, ran.events) for v, a in zip(ran.value, args)]


def problem(call, want, njit):
    """What is wrong with a call that is compiled alone, or None."""
    alone = got([call], njit)
    one = alone if isinstance(alone, Outcome) else alone[0]
    if one.error is not None:
        one = Outcome(None, one.error, want.args, [])
        if is_ours(one.error) and (want.error is not None or refused(call)):
            return None
    how = options(call) if want.error is None else Options()
    found = compare(want, one, how, "plain")
    if found and OWN_WORDS in str(want.error):
        return None if type(one.error) is type(want.error) else found
    if found and call.row.short in OWN_TEXT and "out=" in call.text:
        found = None if type(one.error) is type(want.error) is not type(None) else found
    if not found or re.search(KNOWN.get(call.row.short, "$^"), call.text):
        return None
    shown = "".join(f"\n  {n}: {show(a)}" for n, a in zip("abcdefgh", call.args))
    ends = f"\n  NumPy {describe_outcome(want)}\n  swathe {describe_outcome(one)}"
    return f"{call.text}: {found}{shown}{ends}"


def refused(call):
    return any(part in call.text for part in REFUSED.get(call.row.short, ()))


def problems(calls, njit=QUICK):
    """All that is wrong with some calls, compiled with some options."""
    wants = [wanted(c) for c in calls]
    fine = [i for i, w in enumerate(wants) if w.error is None and not refused(calls[i])]
    bad = [i for i in range(len(calls)) if i not in set(fine)]
    for k in range(0, len(fine), BATCH):
        some = fine[k : k + BATCH]
        made = got([calls[i] for i in some], njit)
        if isinstance(made, Outcome):
            bad += some
            continue
        for i, one in zip(some, made):
            if compare(wants[i], one, options(calls[i]), "plain"):
                bad.append(i)
    return [p for p in (problem(calls[i], wants[i], njit) for i in bad) if p], wants


def effects(call, want):
    """What NumPy's call has done, in the words of the table."""
    found = set()
    if want.error is not None:
        return found
    out = want.args[-1] if "out=" in call.text else None
    inputs = [a for a in arrays_in(want.args) if a is not out]
    results = [r for r in arrays_in(want.value) if r is not out]
    if any(np.may_share_memory(r, a) for r in results for a in inputs):
        found.add("VIEW")
    before = [a for a in arrays_in(call.args)]
    after = [a for a in arrays_in(want.args)]
    for a, b in zip(before, after):
        if b is not out and a.tobytes() != b.tobytes():
            found.add("STORES")
    return found


NO_VALUE = {
    "dtype",
    "result_type",  # a dtype is no result: test_python_sums.py
    "promote_types",
    "finfo",
    "iinfo",
    "random_default_rng",
    "random_RandomState",
    "random_PCG64",
    "random_PCG64DXSM",
    "random_SFC64",
    "random_Philox",
    "random_MT19937",
    "random_Generator",
}  # what it returns has no meaning outside of compiled code
# Of functions of functions, and of lists of them: test_more_numpy.py.
OF_FUNCTIONS = {"piecewise", "vectorize", "nditer", "fromiter"}
ROWS = [
    r
    for r in tables.table("NP", "NP_LIB", "NP_UFUNC")
    if r.short not in NO_VALUE | OF_FUNCTIONS and "INDEXED" not in r.flags
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.short)
def test_row(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = domain.calls(row)
    assert calls, "a row needs a domain"
    found, wants = problems(calls)
    if found:
        pytest.fail(
            f"{len(found)} of {len(calls)} calls differ:\n" + "\n\n".join(found[:4]), pytrace=False
        )
    seen: set[str] = set().union(*(effects(c, w) for c, w in zip(calls, wants)))
    assert seen == row.flags & {"VIEW", "STORES"}, (
        f"{row.name} does {seen}, its row says {row.flags}"
    )
