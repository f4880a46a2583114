# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that decide types: axes as parameters, through helpers, in loops; and loops over values
of unlike types. Each is compiled for its value, or round by round."""

import numpy as np
import pytest
from harness import PLAIN, check

import swathe

X = np.arange(60.0).reshape(3, 4, 5) % 7
Y = np.arange(4, dtype=np.int32)


def total(x, axis=None, keepdims=False):
    return x.sum(axis=axis, keepdims=keepdims)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def by_helper(x):
    return softmax(x), softmax(x, 0), softmax(x, axis=1)


def by_two_helpers(x, k):
    return by_axis(x, k - 1), by_axis(x, k % x.ndim)


def by_axis(x, axis):
    return softmax(x, axis) + x.mean(axis=axis, keepdims=True)


def kept_by(x, axis):
    return length(x, axis=axis, keepdims=True)


def length(x, axis=None, keepdims=False):
    return (x * x).sum(axis=axis, keepdims=keepdims)


def by_flags_and_axes(x):
    return kept_by(x, 1), kept_by(x, 0), length(x), length(x, 0), kept_by(x, (0, 1))


def orders(x, axes):
    return np.transpose(x, axes)


def contracted(a, b, axes):
    return np.tensordot(a, b, axes)


def element_of_unlike(x, k):
    t = (x, x.sum(axis=0), 3.0)
    return t[k]


def laplacian(x):
    out = np.zeros_like(x)
    for d in range(x.ndim):
        out += np.roll(x, 1, axis=d) + np.roll(x, -1, axis=d) - 2 * x
    return out


def two_loops(x):
    s = 0.0
    for i in range(x.ndim):
        for j in range(i + 1, x.ndim):
            s += x.sum(axis=i).max() * x.sum(axis=j).min()
    return s


def backwards(x):
    for axis in range(2, -1, -1):
        x = np.cumsum(x, axis=axis)
    return x


def literal(x):
    for axis in (0, -1):
        x = np.sort(x, axis=axis)
    return x


def listed(x):
    return [x.sum(axis=k).shape for k in range(3)], tuple(x.sum(axis=k) for k in (0, 2))


def listed_inside(x):
    return [[k + i for k in range(2)] + [x.sum(axis=i).size] for i in range(3)], [
        sum(k for k in range(3)) + x.sum(axis=k).size for k in (0, 1)
    ]


def unlike(x, y):
    s = 0.0
    for a in (x, y, 2.5):
        s += np.sum(a)
    return s


def counted(x, y):
    s = 0.0
    for k, a in enumerate((x, y), 1):
        s += k * a.sum()
    return s


def zipped(x, y, w):
    s = 0.0
    for a, v in zip((x, y), (w, 2)):
        s += v * a.sum()
    return s


def of_all(*arrays):
    s = 0
    for a in arrays:
        s += a.size * a.ndim
    return s


def rank_falls(x):
    for _ in range(3):
        x = x.sum(axis=-1)
    return x


def old_value(x):
    t = (x, x[0])
    s = 0.0
    for a in t:
        t = (x[0], x)
        s += a.ndim
    return s, len(t)


def with_place(x, return_index=False):
    i = x.argmax()
    if return_index:
        return x.ravel()[i], i
    return x.ravel()[i]


def flags_of_helpers(x):
    return with_place(x), with_place(x, True), with_place(x, return_index=False)


def kept(x, as_tuple):
    r = x.sum(axis=0)
    if as_tuple:
        r = (r, x)
    return r


def displays(x, y):
    s = 0.0
    for a in (x, y, x.sum()):
        y = x[0]
        x = x * 2
        s += np.sum(a)
    for k, a in enumerate((x, y.astype(np.float32))):
        y = x
        s += k * a.ndim
    return s


def functions(x):
    s = 0.0
    for k, f in enumerate([np.sin, lambda v: v * 2, total]):
        s += f(x[0, 0, k : k + 2]).sum()
    fs = [np.cos, np.exp]
    for f in fs:
        s += f(x).sum()
    return s, [g(x) for g in (np.min, np.max)], len(fs), fs[1](0.0)


def sliced(x, axis):
    return x[(slice(None),) * axis + (slice(1, None),)]


CONFIG = {"rate": 0.5, "steps": 3, "f": np.sqrt, 1: {"deep": (2, 3)}, "name": "abc"}


def configured(x):
    for _ in range(CONFIG["steps"]):
        x = CONFIG["f"](x) * CONFIG["rate"]
    return x, CONFIG[1]["deep"][1], CONFIG["name"] + "d"


PROGRAMS = [
    (by_flags_and_axes, [(X,)]),
    (sliced, [(X, 0), (X, 2)]),
    (configured, [(X,)]),
    (displays, [(X, Y)]),
    (functions, [(X,)]),
    (with_place, [(X,), (X, True), (X, False)]),
    (flags_of_helpers, [(X,)]),
    (kept, [(X, True), (X, False)]),
    (total, [(X,), (X, 1), (X, 1, True), (X, (0, 2)), (X, None, True), (X, -1, False), (Y, 0)]),
    (softmax, [(X,), (X, 0), (X, -2)]),
    (by_helper, [(X,)]),
    (by_two_helpers, [(X, 2), (X, 0)]),
    (orders, [(X, (2, 0, 1)), (X, (0, 2, 1))]),
    (contracted, [(X, X, 3), (X, X, ((0, 1), (0, 1)))]),
    (element_of_unlike, [(X, 0), (X, 1), (X, -1)]),
    (laplacian, [(X,), (Y.astype(float),), (X[0].T,)]),
    (two_loops, [(X,), (X[0],)]),
    (backwards, [(X,)]),
    (literal, [(X,)]),
    (listed, [(X,)]),
    (listed_inside, [(X,)]),
    (unlike, [(X, Y)]),
    (counted, [(X, Y)]),
    (zipped, [(X, Y, 0.5)]),
    (of_all, [(X, Y), (Y,), (X, X[0], Y)]),
    (rank_falls, [(X,)]),
    (old_value, [(X,)]),
]


@pytest.mark.parametrize("f, calls", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_same(f, calls):
    for args in calls:
        check(f, *args, ulp=16, modes=PLAIN)


def test_code_is_for_a_value():
    f = swathe.njit(total)
    for _ in range(2):
        for axis in (0, 1, 2, (0, 1), None):
            assert np.array_equal(f(X, axis), total(X, axis))
    n = len(f.signatures)
    f(X, 1)
    assert len(f.signatures) == n


def test_numbers_that_decide_nothing_are_not_compiled_in():
    def f(x, axis, n, scale):
        s = x.sum(axis=axis)
        for _ in range(n):
            s = s * scale
        return s

    g = swathe.njit(f)
    for n in range(4):
        for scale in (1, 2):
            assert np.array_equal(g(X, 1, n, scale), f(X, 1, n, scale))
    assert len(g.signatures) == 1


def test_errors_are_numpys():
    for axis in (3, -4, (0, 0), (0, 5)):
        check(total, X, axis, raises=..., modes=PLAIN)


def test_a_wrong_value_first():
    f = swathe.njit(total)
    with pytest.raises(np.exceptions.AxisError):
        f(X, 3)
    np.testing.assert_array_equal(f(X, 1), total(X, 1))


def with_break(x):
    for axis in range(3):
        x = np.sort(x, axis=axis)
        if x[0, 0, 0] > 1:
            break
    return x


def too_many(x):
    for axis in range(17):
        x = np.sort(x, axis=axis % 3)
    return x


@pytest.mark.parametrize("f", [with_break, too_many])
def test_refused_at_the_axis(f):
    with pytest.raises(swathe.errors.CompileError, match="must be a constant"):
        swathe.njit(f)(X)


def test_items_of_a_global_dict_are_looked_at_before_each_call(monkeypatch):
    f = swathe.njit(configured)
    for change in (
        {"rate": 2.0},
        {"rate": 2},
        {"steps": 0},
        {"f": np.negative},
        {1: {"deep": (7, 8)}},
    ):
        for key, value in change.items():
            monkeypatch.setitem(CONFIG, key, value)
        for got, want in zip(f(X), configured(X)):
            assert np.all(got == want)
    monkeypatch.delitem(CONFIG, "rate")
    with pytest.raises(swathe.errors.CompileError, match="is a dict"):
        f(X)


BY_KEY = {(1, 2): 3, 0.5: 4, "a": 6, None: 7}


def by_any_key():
    return BY_KEY[1, 2], BY_KEY[0.5], BY_KEY["a"], BY_KEY[None]


def test_keys_of_any_kind_are_looked_at_before_each_call(monkeypatch):
    f = swathe.njit(by_any_key)
    assert f() == by_any_key()
    for i, key in enumerate([(1, 2), 0.5, "a", None]):
        monkeypatch.setitem(BY_KEY, key, 10 + i)
        assert f() == by_any_key()


NESTED = {1: {"deep": (2, 3)}, (4,): {"deep": (5, 6)}}


def by_nested_keys():
    return NESTED[1]["deep"][1], NESTED[(4,)]["deep"][0]


def test_items_by_keys_that_are_no_strings(monkeypatch):
    f = swathe.njit(by_nested_keys)
    assert f() == by_nested_keys()
    for key in (1, (4,)):
        monkeypatch.setitem(NESTED, key, {"deep": (7, 8)})
        assert f() == by_nested_keys()
        monkeypatch.setitem(NESTED[key], "deep", (9, 10))
        assert f() == by_nested_keys()
