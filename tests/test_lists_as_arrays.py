# SPDX-License-Identifier: BSD-3-Clause
"""Lists where NumPy makes arrays of them: as arguments of its functions, beside arrays in
operators, and assigned to parts of arrays. Compared with NumPy by value, dtype and shape."""

from __future__ import annotations

import copy
import linecache
import types

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import errors

ARGS = {
    "l": [1.5, 2.5, -3.0],
    "i": [3, 1, 2],
    "b": [True, False, True],
    "t": [(1, 2.5), (3, 4.0)],
    "m": [[1, 2], [3, 4]],
    "s": [np.float32(1.5), np.float32(2)],
    "x": np.array([1.0, 2.0, 3.0]),
}
EXPRESSIONS = """
np.sum(l); np.mean(l); np.mean(i); np.max(l); np.min(i); np.std(l); np.var(i); np.sqrt(i); np.abs(l)
np.add(l, i); np.add(l, x); np.maximum(l, 0); np.where(b, l, i); np.where(b, 1, 0); np.dot(l, x)
np.dot(l, l); np.cumsum(i); np.prod(i); np.argmax(l); np.argmin(l); np.sort(l); np.argsort(i)
np.interp(2.5, x, l); np.interp(x, [1, 2], [3, 4]); np.interp(l, [0.0, 1.5], i[:2]); np.diff(l)
np.clip(l, 0, 2); np.any(b); np.all(b); np.count_nonzero(i); np.sum(m); np.sum(t); np.sum(m, axis=0)
np.transpose(m); np.ravel(m); np.reshape(i, (3, 1)); np.average(l, weights=i); np.bincount(i)
np.searchsorted(x, l); np.allclose(l, x); np.array_equal(l, x); np.isnan(l); np.outer(l, i)
np.linalg.solve(m, [1.0, 2.0]); np.linalg.det(m); np.linalg.inv(m); np.zeros_like(l); np.flip(l)
np.full_like(i, 7); np.roll(i, 1); np.vdot(l, x); np.cross(l, x); np.trace(m); np.diag(l)
np.tril(m); np.hypot(l, i); np.power(i, 2); np.round(l, 1); np.ndim(m); np.size(m); np.shape(m)
np.nansum(l); np.fft.fft(l); np.broadcast_to(i, (2, 3)); np.expand_dims(l, 0); np.copy(l)
np.sum(s); np.sqrt(s); np.sum([v for v in l]); np.mean([len(m), 2]); np.logical_and(b, l)
np.sum(np.sqrt(i) * l); np.max(np.abs(x - l)); np.random.permutation([1]); x.dot(l)
np.add(l, 1, out=x); np.sum(t, axis=0); np.multiply(s, i)
np.concatenate((l, i)); np.concatenate([l, l]); np.concatenate((l, x), axis=0); np.stack([l, i])
np.concatenate([x, [1.0, 2.0]]); np.concatenate([[0], x]); np.concatenate(([0], np.cumsum(i)))
np.stack([[1, 2], [3, 4]]); np.stack((x, l), axis=1); np.concatenate([m[0], m[1]]); np.block([l, i])
np.block([[1, 2], i[:2]]); np.vstack((l, x))
np.concatenate((l[:0], i)); np.concatenate((m, m)); np.column_stack((l, x)); np.block([x, 5.0])
x + l; l + x; x * i; i * x; x - l; l - x; x / i; i / x; x**i; x @ l; l @ x; x + b; m @ np.ones(2)
x > l; l < x; x == l; l != x; x >= i; np.float64(2) * x + l; l + np.zeros(3) + l; 2 * np.ones(3) * l
(x > l).sum(); -x + l; x * s[0] + l
"""
BODIES = [
    "x += l; return x",
    "x -= i; x *= l; return x",
    "x[:] = l; return x",
    "x[1:] = l[:2]; return x",
    "x[::-1] = i; return x",
    "x[0] += l[1]; x[1:] += i[1:]; return x",
    "a = np.sqrt(i); i[0] = 100; return a, np.sum(i)",
    "y = np.add(l, i); l.append(4.0); return y, l",
    "a = []\nfor k in range(4): a.append(k * 0.5)\nreturn np.mean(a), np.std(a), len(a)",
    "r = 0\na = []\nfor k in range(5): a.append(k); r += np.sum(a)\nreturn r",
    "d = {1: l, 2: [3.0]}\nreturn [np.sum(v) for v in d.values()], np.mean(d[1])",
    "r = 0.0\nfor k in prange(50): r += np.sum(l) * k + np.max(x * i)\nreturn r",
    "np.sum(l); l.clear(); return np.max(l)",  # NumPy's error
    "i.pop(); return x + i",
    "m[0].pop(); return np.sum(m)",
    "return np.sum(y := l), y",
    "return np.interp(xp=x, x=grown(x), fp=l)",
    "return np.dot(grown(l)[:3], l[:3]), l",
    "return helper(l), helper(x), helper(i)",
]
REFUSED = {
    "np.random.shuffle(l); return l": "must be an array or a number, not list",
    "return np.dot(l, grown(l)[:3])": "must be an array or a number, not list",
    "return np.interp(fp=l, x=grown(l), xp=x)": "must be an array or a number, not list",
    "return l + grown(l)": "unsupported operand types for +",
    "return np.add(x, 1, out=l)": "argument 'out' must be an array",
    "return np.sum([l, None])": "list",
}
HELPERS = """
def helper(v):
    return np.sum(v) + np.dot(v, [1, 2, 3])

def grown(v):
    if isinstance(v, list):
        v.append(5.0)
    return np.ones(4)
"""


def made(body):
    text = "import numpy as np\nfrom swathe import prange\n" + HELPERS
    lines = body.replace("; ", "\n").split("\n") if ": " not in body else body.split("\n")
    text += f"\ndef f({', '.join(ARGS)}):\n    " + "\n    ".join(lines) + "\n"
    name = f"<lists_as_arrays {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def outcome(f):
    args = copy.deepcopy(list(ARGS.values()))
    try:
        return f(*args), args
    except (ValueError, IndexError) as e:
        return type(e), args


def same(want, got):
    if isinstance(want, (tuple, list)):
        return (
            type(want) is type(got)
            and len(want) == len(got)
            and all(same(a, b) for a, b in zip(want, got, strict=True))
        )
    if isinstance(want, type):
        return isinstance(got, type) and issubclass(got, want)
    a, b = np.asarray(want), np.asarray(got)
    return (
        isinstance(want, np.ndarray) == isinstance(got, np.ndarray)
        and (a.dtype, a.shape) == (b.dtype, b.shape)
        and np.allclose(a, b, rtol=1e-12, equal_nan=True)
    )


PROGRAMS = [f"return {e.strip()}" for e in EXPRESSIONS.replace("\n", ";").split(";") if e.strip()]
PROGRAMS += BODIES


@pytest.mark.parametrize("body", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_as_numpy(body):
    f = made(body)
    plain = types.FunctionType(f.__code__, {**f.__globals__, "prange": range})
    want = outcome(plain)
    for options in ({}, {"parallel": True}):
        got = outcome(swathe.njit(f, **options))
        assert same(want[0], got[0]) and same(want[1], got[1]), (want, got)


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    with pytest.raises(errors.CompileError, match=REFUSED[body]):
        swathe.njit(made(body))(*copy.deepcopy(list(ARGS.values())))


def test_memory():
    """What is made of a list is let go again."""
    f = swathe.njit(made("return np.sum(l) + np.sum(x * i) + np.sum(np.sqrt(m))"))
    args = list(ARGS.values())
    f(*args)
    before = live()
    for _ in range(50):
        f(*args)
    assert live() == before


def of_variables(n):
    a, b = [1, 2], [0]
    for i in range(n):
        b.append(i)
    c = np.array([a, b])
    a[0] = 7
    return c, np.vstack([a, b]).sum(), np.sum([a, b], axis=0), np.array([b, a], dtype=np.int8)


def test_displays_of_lists() -> None:
    for got, want in zip(swathe.njit(of_variables)(1), of_variables(1), strict=True):
        assert np.array_equal(got, want) and got.dtype == want.dtype
    with pytest.raises(ValueError, match="inhomogeneous|same|must match"):
        swathe.njit(of_variables)(2)


UNLIKE = [
    ((np.ones(7), (4, 6)), False),
    ((np.ones(1), (4, 6)), False),
    (((4, 6), np.ones(7)), False),
    ((np.ones(7), np.arange(7), (4, 6)), False),
    ((np.ones((2, 3)), (np.ones(3), (1, 2, 3))), True),
    ((np.ones((2, 3)), (np.ones(3), (1, 2))), False),
    ((np.ones((1, 2)), ((3, 4),)), True),
    ((np.ones((2, 2)), ((3, 4),)), False),
    ((np.ones(2), (5.5, 6)), True),
]
uses = [swathe.njit(f) for f in (lambda a: np.array(a), lambda a: np.sum(a), lambda a: np.sqrt(a))]


@pytest.mark.parametrize("args, fits", UNLIKE)
def test_arrays_beside_tuples(args, fits):
    """How long a tuple is, the types say, how long an array is, only the program."""
    for f in uses:
        if fits:
            assert np.array_equal(f(args), f.py_func(args))
            continue
        for g in (f, f.py_func):
            with pytest.raises(ValueError, match="inhomogeneous"):
                g(args)


def test_a_display_of_an_array_and_a_tuple():
    f = swathe.njit(lambda x, n: np.array((x, (n, n + 1))))
    assert np.array_equal(f(np.ones(2), 3), f.py_func(np.ones(2), 3))
    for n in (0, 1, 3):
        with pytest.raises(ValueError, match="inhomogeneous"):
            f(np.ones(n), 3)


EMPTY = """np.array(a); np.append(a, 1); np.asarray(a); np.insert(a, 0, 1); np.atleast_2d(a)
np.sum(a); np.concatenate((a, a)); np.sort(a); np.array(a) + 1; np.cumsum(a); np.unique(a)
np.stack([a, a]); np.array([a, a]); np.prod(a); np.sqrt(a); np.concatenate((a, [1]))"""


@pytest.mark.parametrize("text", EMPTY.replace("\n", "; ").split("; "))
def test_what_is_made_of_an_empty_list_is_of_floats(text):
    f = made(f"a = s; return {text}")
    args = [[] if k == "s" else copy.deepcopy(v) for k, v in ARGS.items()]
    want = f(*args)
    got = swathe.njit(f)(*args)
    assert same(want, got) and np.asarray(got).dtype == np.float64, (want, got)
