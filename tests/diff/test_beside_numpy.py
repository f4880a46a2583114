# SPDX-License-Identifier: BSD-3-Clause
"""The dtype that functions compute in where operands have several: Python's numbers beside NumPy's,
weights, points, scales of a rounding."""

import numpy as np
import pytest
from harness import Corpus, Options, define, differ

import swathe

corpus = Corpus()
expr = corpus.expr

F4 = np.array([0.1, 0.2, 0.5], "f4")
I1 = np.array([[1, 2], [3, 100]], "i1")
BIG = np.array([2**53, 2**53 + 1, 2**53 + 2])

# ---- weights, points, places ---------------------------------------------------------------------

WEIGHTS = {d: np.array([2, 3, 1], d) for d in ("i1", "u1", "i8", "f4", "f8")}
for dtype in ("i1", "u1", "i8", "f4", "f8", "?", "c8"):
    for w in WEIGHTS.values():
        expr("np.average(a, weights=b)", np.array([100, 100, 3]).astype(dtype), w)
expr("np.average(a, axis=1, weights=b)", I1, np.array([100, 100], "i1"))
expr("np.average(a, axis=0, weights=a)", I1)
expr("np.average(a, weights=b)", np.array([2**24 + 1, 2**24 + 3]), np.ones(2, "f4"))

for xp in (np.linspace(0, 1, 11, dtype="f4"), np.linspace(0, 1, 11), np.arange(11, dtype="u1")):
    for x in (0.3, 0.7, np.float32(0.3), np.array([0.1, 0.6, 7.5])):
        expr("np.interp(a, b, c)", x, xp, np.linspace(0, 3, 11, dtype="f4"))

for v in (0.1, 0.2, 1, 0.5, 0.1j):
    expr("np.searchsorted(a, b) ", F4, v)
    expr("np.searchsorted(a, b, 'right'), a.searchsorted((b, b))", F4, v)
    expr("np.searchsorted(a.astype(np.complex64), b)", F4, v)
for other in (BIG.astype("u8"), BIG.astype("f8"), BIG):
    expr("np.searchsorted(a, b), np.searchsorted(b, a), np.searchsorted(a, b[1])", BIG, other)
expr("np.searchsorted(a[0], b)", I1, 300)
for right in ("True", "False"):
    expr(
        f"np.digitize(a, b, {right}), np.digitize(a, b[::-1], {right})", np.arange(5.0), BIG - 2**53
    )

# ---- membership ----------------------------------------------------------------------------------

for dtype in ("f2", "f4", "f8", "c8", "i1", "u8", "?"):
    for v in (0.1, 1, 0.1 + 0j, True, 300, np.float32(0.1), np.float64(0.1)):
        expr("b in a, b not in a, b in (a[0], a[1])", np.array([0.1, 2, 1]).astype(dtype), v)
expr("0.1 in a, 0.2 not in a, 2**24 + 1 in a", np.array([0.1, 2**24], "f4"))
expr("np.isin(0.5, a), np.isin(0.1, a), np.union1d(a, 0.1), np.union1d(b, 300)", F4, I1)

# ---- joined as one axis --------------------------------------------------------------------------

for parts in ("a, .5", "b, 3", "b, 3.5", "2, a[0]", "2j, a", "True, b, 3, 4.", ".5, 1"):
    expr(f"np.concatenate(({parts}), axis=None)", F4, I1)
expr("np.concatenate((a, [1, 2])), np.concatenate((a, (1, 2.5))), np.stack((a, [1, 2, 3]))", F4)
expr("np.append(a, .5), np.hstack((a, .5))", F4)

# ---- products, running sums ----------------------------------------------------------------------

PRODUCTS = """math.prod(a) ; math.prod((a[0], 2)) ; math.prod((2, 3.0))
math.prod((2, 3), start=a[0]) ; math.prod(n) ; math.prod((n[0], 2.5)) ; math.prod((2, n[0]))"""
for text in PRODUCTS.replace("\n", ";").split(";"):
    expr(f"import math\nreturn {text.strip()}", np.array([2.0, 3.5]), np.array([2, 5]), names="an")
for a, axis, out in (
    ((1, 3), 0, (2, 3)),
    ((1, 3), 1, (2, 3)),
    ((3, 1), 1, (3, 2)),
    ((1, 1), 0, (2, 3)),
    ((1, 3), 0, (0, 3)),
):
    expr(f"np.cumsum(a, {axis}, out=b)", np.ones(a), np.zeros(out))
expr("np.cumprod(a, 0, out=b)", np.ones(1, "f4"), np.zeros(3))

# ---- rounding ------------------------------------------------------------------------------------

DIGITS = (0, 1, 2, -1, 23, 39, 309, 400, -39, -309, -400)
VALUES = (1.2345, 2.675, -0.5, 0.15, 1234567.5, 1e300, 0.0, float("inf"))


@pytest.mark.parametrize("of", [np.float64, np.float32, np.float16, float])
def test_rounding_floats(of):
    """NumPy's are scaled and back; Python's to the nearest decimal."""
    f = define("def f(x, n):\n    return round(x, n)\n")
    g = define("def g(a, n):\n    return round(a[0], n), np.round(a, n), a.round(n)\n")
    with np.errstate(all="ignore"):
        for x in map(of, VALUES):
            for n in DIGITS:
                near = Options(ulp=2 if abs(n) > 22 else 0)
                assert differ(f(x, n), swathe.njit(f)(x, n), near) is None, (x, n)
                a = np.array([x, 2.675], of)
                assert differ(g(a, n), swathe.njit(g)(a, n), near) is None, (x, n)


@pytest.mark.parametrize("of", [np.int64, np.int8, np.uint8, np.uint64])
def test_rounding_numpy_ints(of):
    """Through float64, which holds 53 bits."""
    f = define("def f(x, a, n):\n    return round(x, n), round(a[0], n), np.round(a, n)\n")
    with np.errstate(all="ignore"):
        for x in [of(5), of(15), of(127), *([of(2**62 + 15)] if of(0).itemsize == 8 else [])]:
            for n in (0, 3, -1, -2, -19, -20, -400):
                args = x, np.array([x]), n
                assert differ(f(*args), swathe.njit(f)(*args), Options()) is None, args


@pytest.mark.parametrize("n", [-17, -18, -19, -20, -21, -400])
def test_rounding_python_ints_far(n):
    """To powers of ten beyond int64."""
    for k in (2**62, -(2**62), 5 * 10**18, 15, 0, *([2**63 - 1] if n != -19 else [])):
        given = define("def f(x, n):\n    return round(x, n)\n")
        known = define(f"def f(x):\n    return round(x, {n})\n")
        assert swathe.njit(given)(k, n) == swathe.njit(known)(k) == round(k, n), k


for n in (-400, -39, -1, 0, 2, 23, 39, 309):
    expr(f"np.round(a, {n}), round(a[0], {n})", np.array([1e300, 1.2345, 2.675, -0.5]))
for n in (2**40, -(2**40)):
    expr("round(a[0], b)", np.array([2.5]), n, raises=OverflowError)
expr("round(number=a[0], ndigits=1), round(a[0], None), round(a[0])", np.array([2.45]))
expr("np.round(a, b), np.round((a[0], 2.5), b)", np.array([1.25 + 2.35j]), 1)

test_case = corpus.test()


@pytest.mark.parametrize("dtype", ["f8", "i8", "f4"])
@pytest.mark.parametrize("bins", [4, (0.0, 2.0, 9.0)])
def test_weights_of_a_histogram(dtype, bins):
    def f(a, w):
        return np.histogram(a, bins, weights=w)

    a, w = np.arange(9.0), np.arange(9).astype(dtype)
    (want, edges), (got, ours) = f(a, w), swathe.njit(f)(a, w)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(ours, edges)
