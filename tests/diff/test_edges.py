# SPDX-License-Identifier: BSD-3-Clause
"""Every function of NumPy's table at its edges: ranks 0 to 6, axes of all kinds, empty arrays,
layouts, dtypes, and a wrong value for each parameter.  Each call ends as in NumPy, or is refused
when it is compiled; an error of NumPy's has NumPy's class and message.

SWATHE_EDGES=1 runs every call, not a fixed part of them.
"""

import os
import re

import numpy as np
import pytest
import rows
from harness import QUICK, Options, expression, is_ours, mismatch, run

import swathe

WHOLE = os.environ.get("SWATHE_EDGES") == "1"
# What is in a new array; which of equal elements comes first, where NumPy's sort isn't stable.
UNDEFINED = {"empty", "empty_like", "argsort", "partition", "argpartition"}
# What NumPy goes through one by one is a list here.
LISTS = {"ndindex", "ndenumerate"}
SERIES = ("chebyshev.cheb", "legendre.leg", "hermite.herm", "hermite_e.herme", "laguerre.lag")
# Calls that end in another way than NumPy's, with the reason.
KNOWN = {
    "np.fft.fftshift(a)": "of an array without axes, where NumPy's roll has nothing to unpack",
    "np.fft.ifftshift(a)": "the same",
    "np.power.outer(a, b)": "complex powers: within two ulp of their magnitude",
    "np.polynomial.polynomial.polyroots(a)": "always complex, as np.roots",
    "np.polynomial.polynomial.polyroots((0, 1))": "the same",
    **{
        f"np.polynomial.{kind}roots({x})": "the same"
        for kind in SERIES
        for x in ("a", "(0, 1)", "1.5")
    },
    **{
        f"np.polynomial.{kind}{what}": "of single precision where both are; NumPy's is of double"
        for kind in SERIES[1:]
        for what in ("div(a, b)", "mul(a, b)")
    },
    **{
        f"np.polynomial.{kind}{what}2d(a, b, c)": "sums of float16 in another order"
        for kind in (*SERIES, "polynomial.poly")
        for what in ("val", "grid")
    },
    "np.poly(a)": "of no roots an array of 1, where NumPy returns the number",
    "np.poly(())": "the same",
    "np.where(a, y=None)": "x and y have no names in NumPy",
    "np.var(a, correction=None)": "None is as if it were not given",
    "np.std(a, correction=None)": "the same",
    "np.nanvar(a, correction=None)": "the same",
    "np.nanstd(a, correction=None)": "the same",
    "np.var(a, mean=None)": "the same",
    "np.std(a, mean=None)": "the same",
    "np.nanvar(a, mean=None)": "the same",
    "np.nanstd(a, mean=None)": "the same",
    "np.cross(a, b)": "vectors of two elements, which NumPy deprecates, are refused",
    "np.cross(a, b, axis=-1)": "the same",
    "np.cross(a, b, axis=None)": "the same",
    "np.cross(a, b, axis=1)": "the same",
    "np.roll(a, 1, axis=())": "NumPy fails to unpack a shift for no axis; a copy is returned",
    "np.ascontiguousarray(a)": "of a 0-d array a copy, not a view, of one axis",
    "np.asfortranarray(a)": "of a 0-d array a copy, not a view, of one axis",
    "np.bincount(((1, 2), (3, 4)))": "the tuple is an array first",
}
# What NumPy's messages say of its own way there: np.average's name for the axis, and the axes
# that a generalised ufunc adds.
OWN_WORDS = (
    "destination: axis ",
    "axis: axis ",
    "axisa: axis ",
    "axisb: axis ",
    "newaxis",
    "not aligned: ",
    "operation minimum which has no identity expected",
)
# Functions in Python whose errors are their own: what NumPy lets pass for an index, as 1.5, is one.
ANY_ERROR = {
    "take", "compress", "extract", "place", "putmask", "put", "take_along_axis", "put_along_axis",
    "unravel_index", "select", "vstack", "hstack", "dstack", "column_stack", "append", "repeat",
    "tile", "indices", "array_split", "split", "hsplit", "vsplit", "delete", "insert", "median",
    "nanmedian", "quantile", "percentile", "partition", "method_partition", "argpartition",
    "trapezoid", "gradient", "convolve", "correlate", "cov", "corrcoef", "polyval", "polyder",
    "polyadd", "polysub", "polymul", "unique", "inner", "unwrap", "isin", "digitize", "histogram",
    "add_at", "subtract_at", "multiply_at", "maximum_at", "minimum_at", "add_reduce",
    "multiply_reduce", "maximum_reduce", "minimum_reduce", "logical_and_reduce",
    "logical_or_reduce", "add_accumulate", "multiply_accumulate", "maximum_accumulate",
    "minimum_accumulate", "add_reduceat", "multiply_reduceat", "maximum_reduceat",
    "minimum_reduceat", "add_outer", "subtract_outer", "multiply_outer", "divide_outer",
    "maximum_outer", "minimum_outer", "power_outer", "ix_", "ravel_multi_index", "copyto",
    "resize", "trim_zeros", "geomspace", "logspace", "dsplit", "nanmin", "nanmax", "nanmean",
    "nanvar", "nanstd", "cumulative_sum", "cumulative_prod", "choose", "pad",
    "fft_fftfreq", "fft_rfftfreq", "fft_fftshift", "fft_ifftshift", "fft_fft2", "unstack",
    "fft_ifft2",
    "histogram_bin_edges", "fill_diagonal", "meshgrid", "lexsort", "tril_indices", "triu_indices",
    "linalg_pinv", "linalg_cond", "linalg_matrix_power", "linalg_lstsq", "linalg_cross",
    "linalg_vecdot", "linalg_vector_norm", "linalg_matrix_norm", "linalg_trace", "tensordot",
    "linalg_tensordot", "linalg_qr", "linalg_svd", "linalg_svdvals", "linalg_eigh",
    "random_standard_gamma", "random_gamma", "random_beta", "random_chisquare",
    "random_noncentral_chisquare", "random_f", "random_noncentral_f", "random_standard_t",
    "random_standard_cauchy", "random_vonmises", "random_pareto", "random_weibull",
    "random_power", "random_laplace", "random_gumbel", "random_logistic", "random_lognormal",
    "random_rayleigh", "random_wald", "random_triangular", "random_binomial",
    "random_negative_binomial", "random_geometric", "random_zipf", "random_hypergeometric",
    "random_logseries", "random_multinomial", "random_dirichlet", "random_multivariate_normal",
    "random_default_rng", "random_RandomState", "fft_fftn", "fft_ifftn", "fft_rfft2", "fft_irfft2",
    "fft_rfftn",
    "fft_irfftn", "fft_hfft", "fft_ihfft", "broadcast_arrays", "broadcast_shapes", "rollaxis",
    "diagflat", "lib_stride_tricks_sliding_window_view", "lib_stride_tricks_as_strided",
    "frombuffer", "packbits", "unpackbits", "i0", "kaiser", "histogram2d", "histogramdd",
    "poly", "polyint", "polydiv", "nanquantile", "nanpercentile", "unique_counts",
    "unique_inverse", "block", "method_compress", "func_astype", "finfo", "iinfo", "issubdtype",
    "apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "vectorize", "nditer",
    "fromiter", "array_str", "array_repr", "array2string", "mgrid", "ogrid", "r_",
    "c_", "s_", "index_exp",
    *(r.id for r in rows.table() if r.id.startswith("polynomial_")),
}  # fmt: skip
SLACK = {"ulp": 4, "scale": 8.0}
# Calls that NumPy runs and that are refused when they are compiled: what their texts look like, and
# what it is that is refused.  No other call may be.
ODD = r"('x'|np\.float64|np\.add|\(None,\))"
FLAG = (
    "(copy|deg|endpoint|equal_nan|hermitian|keepdims|retstep|stable|subok|return_index|sparse"
    "|suppress_small|return_inverse|return_counts|return_indices|assume_unique|invert|right|density|rowvar|bias"
    "|increasing|overwrite_input|wrap|full_matrices|compute_uv|returned)"
)
REFUSED = {
    rf"np\.[\w.]+\(({ODD}|None)(, .*)?\)": "what is no number and no array",
    rf"np\.(array_equal|equal|not_equal|logical_\w+|may_share_memory)\(a, ({ODD}|None)\)": (
        "what is no number"
    ),
    rf"(np\.full|np\.full_like|a\.fill)\((.*, )?({ODD}|None)\)": "a value that no array holds",
    rf".*\b{FLAG}=({ODD}|None|1\.5|\(0, 1\))\)": "flags that are neither bools nor 0 or 1",
    r"np\.(clip|fix)\(a, out=\(None,\)\)": "a tuple as out",
    r"np\.random\.\w+\((high|lam|loc|low|scale|seed)=\(.*\)\)": "tuples for numbers",
    r"np\.random\.(randint|permutation|shuffle)\(\(.*\)\)": "tuples for arrays",
    r"np\.random\.randint\(a(, size=\(0, 1\))?\)": "arrays as limits",
    r"np\.(stack|concatenate|var|std)\(\(.*\)\)": "tuples for arrays",
    r"np\.bincount\(\(\)\)": "tuples for arrays",
    r"np\.(mean|var|std)\(a, dtype=(bool|int|np\.int8)\)": "means in integers",
    r"np\.(tri|tril|triu|tri[lu]_indices_from)\((.*[ =])?(True|1\.5)\)": "counts that are no ints",
    r"np\.(diff|fft\.rfft|fft\.irfft)\(a, n=True\)|np\.roll\(a, 1\.5\)": "counts that are no ints",
    r"np\.[\w.]+\(.*\baxis=True\)|a\.sort\(True\)": "an axis that is a bool",
    r"np\.expand_dims\(a, True\)|np\.moveaxis\(a, (0, True|True, -1)\)": "an axis that is a bool",
    r"np\.(lin|log)space\(.*(, axis=.*|\(0, 1\).*)\)": "linspace of arrays",
    r"np\.size\(a, axis=\(.*\)\)": "the number of elements along several axes",
    r"np\.array\(a, ndmin=.*\)": "ndmin",
    r"np\.squeeze\(.*\)|np\.reshape\(a, None\)": "a rank that depends on values",
    r"np\.(hanning|hamming|blackman|bartlett)\((a|True|1\.5)\)": "counts that are no ints",
    r"np\.gradient\(.*edge_order=.*\)": "orders that are no ints",
    r"np\.(union1d|intersect1d|setdiff1d|setxor1d|isin)\(a, .*\)": "what is no number",
    r"np\.array_equiv\(.*\(.*\).*\)": "tuples for arrays",
    r"np\.nan(var|std|median)\(a, (ddof|axis)=\(.*\)\)": "tuples for numbers",
    r"np\.histogram(_bin_edges)?\(a, bins=.*\)": "edges that are no numbers",
    r"np\.roll\(a, \((0, 1|1, 2)\)\)": "several shifts along all axes",
    r"np\.rot90\(a, k=.*\)": "quarters that are no whole number",
    r"np\.linalg\.matrix_rank\(a, r?tol=(\(0, 1\)|'x')\)": "tolerances that are no numbers",
    rf".*\bwhere=({ODD}|None|1\.5|\(0, 1\))\)": "masks that are no bools",
    r"a\.fill\(3\)": "methods of NumPy's numbers that change arrays only",
}


def outcome(text, args, row):
    """What is wrong with one call, or None."""
    # streams are compared from a known state
    whole = f"(np.random.seed(1), {text})[1]" if row.id.startswith("random_") else text
    f = expression(whole, ", ".join("abcdefgh"[: len(args)]))
    o = Options(raises=..., modes=QUICK, undefined=row.id in UNDEFINED, **SLACK)
    problem = mismatch(f, args, o)
    if (
        not problem
        or row.id in LISTS
        or text in KNOWN
        or any(words in problem for words in OWN_WORDS)
    ):
        return None
    got = run(swathe.njit(opt_level=0)(f), args, {})
    if got.error is not None and row.id in ANY_ERROR:
        return None
    refused = got.error is not None and is_ours(got.error)
    allowed = any(re.fullmatch(pattern, text) for pattern in REFUSED)
    return None if refused and (allowed or run(f, args, {}).error is not None) else problem


def fail_if(problems):
    found = [p for p in problems if p]
    if found:
        first = "\n\n".join(found[:3])
        pytest.fail(f"{len(found)} calls differ; the first:\n{first}", pytrace=False)


@pytest.mark.parametrize("row", rows.table(), ids=lambda row: row.id)
def test_function(row):
    fail_if(outcome(text, args, row) for text, args in rows.calls(row, WHOLE))


@pytest.mark.parametrize("row", rows.ufuncs(), ids=lambda row: row.id)
def test_ufunc(row):
    """Operands of unequal shapes and kinds; values are other tests' matter."""
    shapes = ((), (3,), (3, 1), (0,), (2, 3, 4), (2, 1, 2, 1, 3, 1), (5,))
    ones = {s: np.ones(s, "i4") for s in shapes}
    wrong = (*rows.WRONG, "(1, 2, 3)", "((1, 2), (3, 4))", "()")
    n = len(row.params)
    for value in wrong:
        for k in range(n):
            given = ["a"] * n
            given[k] = value
            args = (ones[3,],) if n > 1 else ()
            fail_if([outcome(f"np.{row.id}({', '.join(given)})", args, row)])
    for left in ones.values():
        for right in ones.values() if n > 1 else (left,):
            fail_if([outcome(f"np.{row.id}({'a, b' if n > 1 else 'a'})", (left, right)[:n], row)])


BOOLS = np.array([True, False])
HALF = np.array(2.5)
KINDS = (TypeError, ValueError)
FEW = [
    *[(f"np.round(a{rest})", BOOLS) for rest in ("", ", 0", ", 1", ", -1", ", decimals=2")],
    *[(f"{form}", BOOLS) for form in ("a.round()", "a.round(1)", "np.around(a, 1)")],
    *[("np.round(a, 1)", v) for v in (True, np.True_, 1, np.zeros(0, bool))],
    *[(f"np.average(a, axis={x})", HALF) for x in ("0", "-1", "None", "(0,)", "1")],
    *[(f"np.average(a, axis={x}, weights=a)", HALF) for x in ("0", "-1", "None")],
    *[(f"np.diff(a, {n})", v) for n in (0, 1, -1) for v in (2.5, 3, np.float32(1), HALF, BOOLS)],
    ("np.diff(a, 0, axis=5)", 2.5),
]


@pytest.mark.parametrize(("text", "a"), FEW)
def test_few(text, a):
    """Numbers, 0-d arrays and bools, of which NumPy has rules of its own."""
    fail_if([outcome(text, (a,), rows.table()[0])])
    f = expression(text, "a")
    want, got = run(f, (a,), {}).error, run(swathe.njit(opt_level=0)(f), (a,), {}).error
    assert (want is None) == (got is None), got
    assert isinstance(got, tuple(c for c in KINDS if isinstance(want, c))) if want else True
