# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy programs write and rows don't say: what is indexed in place of called, a.flat, where=,
functions of functions, methods of ufuncs, squeeze() of what is seen."""

import linecache
import re
import warnings

import numpy as np
import pytest
from harness import is_ours

import swathe

CASES = """\
np.mgrid[0:3], np.mgrid[0:3,], np.mgrid[0:3, 0:2], np.mgrid[1:4:0.5, 0:2], np.mgrid[2:2, 0:3]
np.mgrid[0:1:5j, 0:2], np.mgrid[0:1:5j], np.mgrid[-1:1:3j, -2:2:4j, :2], np.mgrid[5:0:-2]
np.ogrid[0:3, 0:2], np.ogrid[0:1:5j, 0:2:0.3], np.ogrid[0:3], np.ogrid[:n, :m.shape[1]]
np.r_[a, b], np.r_[a, 1, 2.5, b], np.r_[1, 2, 3], np.r_[0:3, 7, a[:2]], np.r_[0:1:3j, 7],
    np.r_[a,]
np.r_[k, 1.5], np.r_[a.astype(np.float32), 1.5], np.r_[m, m], np.r_[True, False],
    np.r_[k > 1, 2]
np.c_[a, b], np.c_[a], np.c_[a, m, b], np.c_[1:3, 4:6], np.c_[k, 0:4], np.c_[a[:0], b[:0]]
a[np.s_[1:3]], m[np.s_[1:3, 0]], a[np.index_exp[1:3]], m[np.s_[::2, ..., 1]]
a[[[0, 1], [2, 3]]], m[[[0, 1], [2, 3]], 1], m[1, [[0, 1], [2, 3]]],
    a[[[True, False, True, True]][0]]
a.flat[2], m.flat[5], sum(a.flat), np.array(a.flat), len(a.flat), m.T.flat[1], m[:, 1].flat[2]
[x for x in m.flat], [(i, x) for i, x in enumerate(m.T.flat)], m.flat[[1, 2]], m.flat[1:3]
np.isscalar([[0], []]), np.isscalar({1}), np.isscalar("a"), np.isscalar(None), np.isscalar(k[0])
np.sum(a, where=a > 0), np.sum(m, axis=0, where=m > 0), np.sum(m, 0, where=m[0] > 0)
np.sum(m, axis=1, where=m > 0, keepdims=True, initial=3.), np.sum(k, where=k > 1),
    np.sum(m > 0, where=m < 1)
np.prod(k, where=k > 1), a.sum(where=a > 0), m.max(where=m > 0, initial=0),
    np.sum(a, where=True)
np.sum(a, where=False), np.max(m, axis=0, where=m > 0, initial=0.),
    np.min(k, where=k > 1, initial=9)
np.max(k, where=k > 9, initial=-5), m.mean(where=m > 0), np.mean(k, where=k > 1),
    np.mean(m, axis=1, where=m > -5)
np.std(m, where=m > 0), np.var(m, where=m > -1, axis=0), k.std(where=k > 1),
    np.var(m, ddof=1, where=m > 0)
m.var(axis=1, keepdims=True, where=m > -1), np.any(m > 1, where=m > 0),
    np.all(m > 0, where=m > 0)
np.add(a, b, where=a > 0, out=np.zeros(4)),
    np.divide(a, b, out=np.zeros_like(a), where=b != 0)
np.sqrt(a, out=np.full(4, -9.), where=a > 0),
    np.true_divide(k, k - 1, out=np.zeros(4), where=k != 1)
np.floor_divide(k, k - 1, out=np.zeros(4, int), where=k != 1), np.add.reduce(m, where=m > 0),
    np.nansum(m, where=m > 0)
a[None].squeeze(), np.squeeze(a[:, None]), a.reshape(1, 4).squeeze(), m[:1].squeeze(),
    m[:, None, :, None].squeeze()
(m[None].squeeze() if m.size else m[:1].squeeze()).sum()
m[..., None].squeeze(), np.squeeze(m[:1, :, None]), m.max(axis=0, keepdims=True).squeeze()
np.piecewise(a, [a < 0, a >= 0], [-1, 1]),
    np.piecewise(a, [a < 0, a >= 0], [lambda x: x * 2, lambda x: x + 1])
np.piecewise(a, [a < 0], [lambda x: -x, 5.]), np.piecewise(a, a < 0, [-1, 1]),
    np.piecewise(a, (a < 0, a > 1), (0., 1., 2.))
np.vectorize(lambda x: x + 1)(a), np.vectorize(lambda x, y: (x + y, x > y))(m, a),
    np.vectorize(lambda x, y: x + y, otypes=[float])(a, k)
DOUBLED(a), GREATER(m, b), np.vectorize(helper)(a, 2.0)
np.apply_along_axis(lambda r: r * 2, 1, m),
    np.apply_along_axis(lambda r: r.max() - r.min(), 0, m), np.apply_over_axes(np.sum, m, [0, 1])
np.fromfunction(lambda i, j: i * 10 + j, (2, 3)),
    np.fromiter((x * 2 for x in a), dtype=np.float32), np.fromiter((i for i in range(n)), int)
[x * y for x, y in np.nditer([a, b])], [x for x in np.nditer(m)]
np.bitwise_or.reduce(k), np.bitwise_and.reduce(k[:0]), np.subtract.reduce(a),
    np.gcd.reduce(k), np.logical_xor.reduce(a > 0)
np.subtract.reduce(m, axis=1), np.gcd.reduce(m.astype(int), axis=0, keepdims=True),
    np.fmax.reduce(a), np.hypot.reduce(a)
np.logical_and.accumulate(a > 0), np.bitwise_or.accumulate(k), np.less.outer(a, b),
    np.hypot.outer(a, m), np.floor_divide.outer(k, k)
np.add.reduceat(a, [0, 2]), np.add.reduceat(k, [0, 2, 1]), np.add.reduceat(m, [0, 2], axis=1),
    np.minimum.reduceat(m, [0, 3])
np.logical_or.at(k > 1, k, True), np.bitwise_xor.at(k, [0, 0], 5), np.subtract.reduce(k[:0])
np.insert(a, slice(1, 3), 0.), np.delete(a, slice(1, 3)), np.delete(m, np.s_[::2], 1),
    np.delete(m, slice(None, None, 2), axis=0)
np.ndarray((2, 3)).shape, np.ndarray(3, dtype=int).size, np.finfo(a.dtype).eps,
    np.iinfo(k.dtype).max, np.finfo(a.dtype).tiny
np.issubdtype(a.dtype, np.floating), np.issubdtype(k.dtype, np.integer),
    np.issubdtype(a.dtype, np.integer)
np.unique(m > 0, axis=1),
    np.unique(np.array([[1, 2], [1, 2], [0, 5]]), axis=0, return_counts=True, return_index=True),
    np.unique(np.array([[1, 2], [1, 2], [0, 5]]), axis=0, return_inverse=True)
np.histogram2d(a, b, bins=[3, 4], range=[[0, 1], [0, 1]])[0],
    np.histogram2d(a, b, bins=[[-1, 0., 1], [-1., 0, 2]])[0]
np.histogramdd(m, bins=(2, 2, 2, 2))[0].sum(), np.tensordot(m, m, axes=([0], [1])),
    np.lib.stride_tricks.sliding_window_view(m.T, (2, 3))
np.interp(a, [0., 1.], [1., 2.], period=3.), np.searchsorted(a, 0.5, sorter=np.argsort(a)),
    np.diff(m, axis=0, prepend=0)
np.lib.stride_tricks.as_strided(a, (2, 2), (8, 8)), np.broadcast_arrays(a, m)[0],
    np.fft.fftn(m, axes=[0]), m.trace(1)
np.cov(m, aweights=a * a), np.cov(m, b, fweights=k), np.cov(a, fweights=k, aweights=b * b, ddof=0),
    np.cov(m + 1j, aweights=a * a, bias=True)
np.average(m, returned=True), np.average(m, 1, a * a, returned=True),
    np.average(m, weights=m * m, keepdims=True), np.average(m, axis=0, weights=k, keepdims=True)
np.cross(m[:3], m[1:], axis=0), np.cross(m[:3].T, m[1:], axisb=0), np.diag_indices_from(m),
    np.cross(m[:3], m[1:].T, 0, 1, 0)
np.nanargmin(m, axis=1, keepdims=True), np.nanargmax(k, keepdims=True)
np.bincount(k > 1), np.histogram(m, bins="auto"), np.histogram_bin_edges(k, "fd"),
    np.histogram_bin_edges(m, "doane")
np.histogram(m, bins="scott", range=(-1, 1)), np.histogram(a.astype(np.float32), bins="sturges"),
    np.histogram_bin_edges(a[:0], "sqrt"), np.histogram_bin_edges(k, "rice")"""

STATEMENTS = """\
m.flat[3] = 9.0
m.flat[::2] = a[0]
m.flat = 3
m.flat[m.shape[1] + 1] += 2; a.flat[0] *= 3
np.sqrt(a, where=a > 0, out=b)
np.bitwise_or.at(k, [0, 1, 0], 8); np.copyto(a, b)
x = m[:, 1:2]; m.flat[0] = x.squeeze(1).sum()
for x in np.nditer(a): b[0] += x
for i, x in enumerate(m.flat): b[i % 4] += x
s = np.s_[1:3]; a[s] = 0; m[s, 0] += 1"""

# Each with a word of the message: an error when it runs, or when it is compiled.
REFUSED = {
    "a.squeeze()": "axis",
    "np.max(m, where=m > 0)": "initial",
    "np.r_['r', a, b]": "directive",
    "np.mgrid[1]": "slices",
    "np.mgrid[:]": "stops",
    "np.modf(a, where=a > 0)": "several",
    "np.sum(a, where=k)": "bools",
    "np.histogramdd(m)": "bins",
    "np.histogram(a, bins='stone')": "stone",
    "np.histogram(a, bins='half')": "not a valid estimator",
    "np.lib.stride_tricks.as_strided(a, (5,), (8,))": "beyond",
    "np.lib.stride_tricks.as_strided(a, (2,), (4,))": "multiples",
    "np.lib.stride_tricks.as_strided(a, (2**62, 2**62), (0, 0))": "big",
    "a.reshape(1, 4, 1, 1)[:1].squeeze()": "squeeze",
}
# Errors of NumPy's class.
ERRORS = [
    "np.histogram(a, bins='auto', weights=b)", "np.bincount(a)", "np.bincount(k, a + 1j)",
    "np.cov(m, fweights=a)", "np.cov(m, aweights=a[:2])", "np.corrcoef(m, dtype=int)",
]  # fmt: skip
DOUBLED = np.vectorize(lambda x: x * 2 if x > 0 else -1.0)
GREATER = np.vectorize(lambda x, y: int(x > y), otypes=[np.int64])


def helper(x, y):
    return x * y + 1


def arguments():
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=4), rng.normal(size=4), rng.normal(size=(4, 4)), np.array([3, 1, 2, 1]), 3,
    )  # fmt: skip


def defined(body):
    text = f"def f(a, b, m, k, n):\n{body}"
    name = f"<more {body}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np, "DOUBLED": DOUBLED, "GREATER": GREATER, "helper": helper}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def ran(f, args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except Exception as e:
            return e


def same(x, y):
    if isinstance(x, (tuple, list)):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and np.allclose(x, y, equal_nan=True, rtol=1e-12, atol=0)
    return type(x) is type(y) and bool(x == y or abs(x - y) <= 1e-12 * abs(x) or x != x)


def check(body):
    f = defined(body)
    want_args, args = arguments(), arguments()
    want, got = ran(f, want_args), ran(swathe.njit(opt_level=0)(f), args)
    if isinstance(want, Exception):
        assert type(got) is type(want), got
    else:
        assert not isinstance(got, Exception), got
        assert same(want, got), (want, got)
    assert same(want_args, args)


@pytest.mark.parametrize("text", re.split(r"\n(?! )", CASES))
def test_expressions(text):
    check(f"    return ({text})\n")


def test_statements():
    for text in STATEMENTS.splitlines():
        check(f"    {text}\n    return a, b, m, k\n")


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    f = defined(f"    return {text}\n")
    got = ran(swathe.njit(f), arguments())
    assert isinstance(got, Exception) and REFUSED[text] in str(got), got
    assert is_ours(got) or isinstance(got, ValueError)


@pytest.mark.parametrize("text", ERRORS)
def test_errors_are_numpys(text):
    f = defined(f"    return {text}\n")
    want, got = ran(f, arguments()), ran(swathe.njit(f), arguments())
    assert isinstance(want, Exception) and isinstance(want, type(got)), got


def test_in_parallel():
    def f(m):
        out = np.zeros(m.shape[0])
        for i in swathe.prange(m.shape[0]):
            r = np.r_[m[i], 1.0]
            out[i] = np.sum(r, where=r > 0) + sum(m[i].flat) + np.hypot.reduce(r)
        return out

    m = arguments()[2]
    assert np.allclose(swathe.njit(parallel=True)(f)(m), f(m), rtol=1e-14)


def of_a_share(a, q):
    return np.percentile(a, q), np.quantile(a, q)


@pytest.mark.parametrize("q", [np.float32(0.1), np.float32(0.77), np.array(0.3, "f4")])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_a_share_of_single_precision(dtype, q):
    a = (np.random.default_rng(0).random(37) * 100).astype(dtype)
    for want, got in zip(of_a_share(a, q), swathe.njit(of_a_share)(a, q), strict=True):
        assert got == want
        assert type(got) is type(want)
