# SPDX-License-Identifier: BSD-3-Clause
"""Reductions in vector lanes, in the forms in which people write them: as a loop in order, bit for
bit, whatever there is of equal elements, NaN, zeros of either sign, and however few iterations."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")
LANES = "an accumulator in each lane"


def at_least(x, y, m, s):
    for i in range(x.shape[0]):
        if not (x[i] <= s):
            s = x[i]
    return s


def builtin_of_both(x, y, m, s):
    lo = s
    for i in range(x.shape[0]):
        s = max(x[i], s)
        lo = min(lo, x[i])
    return s, lo


def of_three(x, y, m, s):
    for i in range(x.shape[0]):
        s = max(s, x[i], y[i])
    return s


def one_after_the_other(x, y, m, s):
    for i in range(x.shape[0]):
        if x[i] < s:
            s = x[i]
        if y[i] < s:
            s = y[i]
    return s


def nan_wins(x, y, m, s):
    t = s
    for i in range(x.shape[0]):
        s = np.maximum(s, x[i])
        t = np.minimum(y[i], t)
    return s, t


def of_choice(x, y, m, s):
    for i in range(x.shape[0]):
        s = x[i] if x[i] > s else s
    return s


def under_mask(x, y, m, s):
    for i in range(x.shape[0]):
        if m[i] and x[i] > s:
            s = x[i]
    return s


def under_nested(x, y, m, s):
    for i in range(x.shape[0]):
        if m[i]:
            if y[i] > 0:
                s = max(x[i], s)
    return s


def masked_place(x, y, m, s):
    k = -1
    for i in range(x.shape[0]):
        if m[i]:
            v = x[i]
            if v < s:
                s = v
                k = i
    return s, k


def last_place(x, y, m, s):
    k = -1
    for i in range(x.shape[0]):
        if x[i] >= s:
            s, k = x[i], i
    return s, k


def places(x, y, m, s):
    lo = hi = x[0] if len(x) else s
    first = last = -1
    for i in range(x.shape[0]):
        if x[i] < lo:
            lo, first = x[i], i
        if x[i] >= hi:
            hi, last = x[i], i
    return first, last, lo, hi


def by_index(x, y, m, s):
    k = 0
    for i in range(1, x.shape[0]):
        if x[i] > x[k]:
            k = i
    return k


def by_index_from(x, y, m, s):
    k = -1 if len(x) else 0
    for i in range(x.shape[0]):
        if x[i] <= x[k]:
            k = i
    return k


def by_index_and_value(x, y, m, s):
    k = 0
    for i in range(x.shape[0]):
        if x[i] > x[k]:
            k = i
        s += x[k]
    return k, s


def where_masked(x, y, m, s):
    k = 0
    for i in range(x.shape[0]):
        if m[i]:
            k = i // 2
        s = max(s, y[k])
    return k, s


def last_where(x, y, m, s):
    k, v, seen = -1, s, False
    for i in range(x.shape[0]):
        if x[i] > 1:
            k = i
            v = y[i]
            seen = True
    return k, v, seen


def several_where(x, y, m, s):
    a = b = c = -1
    n = 0
    for i in range(x.shape[0]):
        if m[i]:
            a = i
        if x[i] > 0:
            b = i
            c = n * 0 + i
        if y[i] < 0:
            n += 1
    return a, b, n, c


def counts_beside(x, y, m, s):
    n, p, odd, every = 0, 1, False, True
    for i in range(x.shape[0]):
        v = x[i]
        if v > s:
            s = v
        if m[i]:
            n += i
            p *= -1
        odd ^= m[i]
        every = every and v < 5
    return s, n, p, odd, every, v if len(x) else s


def change(x, y, m, s):
    for i in range(x.shape[0]):
        v = x[i] * 0.5
        s = max(s, abs(v - x[i]))
        y[i] = v
    return s


def change_in_place(x, y, m, s):
    s = abs(s)
    for i in range(x.shape[0]):
        v = x[i] * 0.5
        s = max(s, abs(v - x[i]))
        x[i] = v
    return s


def store_and_place(x, y, m, s):
    k = -1
    for i in range(x.shape[0]):
        y[i] = x[i] + 1
        if x[i] > s:
            s = x[i]
            k = i
    return s, k


def stores_in_place(x, y, m, s):
    for i in range(x.shape[0]):
        x[i] = x[i] * 2
        s = max(s, x[i])
    return s


FORMS = {
    f: yes
    for f, yes in [
        (at_least, True),
        (builtin_of_both, True),
        (of_three, True),
        (one_after_the_other, True),
        (nan_wins, True),
        (of_choice, True),
        (under_mask, True),
        (under_nested, False),  # a branch stays: it is dear
        (masked_place, True),
        (last_place, True),
        (places, True),
        (by_index, True),
        (by_index_from, True),
        (by_index_and_value, False),
        (where_masked, False),
        (last_where, True),
        (several_where, True),
        (counts_beside, True),
        (change, True),
        (change_in_place, True),
        (store_and_place, True),
        (stores_in_place, False),
    ]
}


def arrays(n, dtype, seed):
    r = np.random.default_rng(seed)
    x, y = r.integers(-4, 5, (2, n)).astype(dtype)
    if dtype[0] == "f":
        if seed % 3 == 0:
            x = np.where(r.random(n) < 0.5, -0.0, 0.0).astype(dtype)
        if seed % 3 == 1:
            x[r.random(n) < 0.1] = np.nan
            x[r.random(n) < 0.3] = -0.0
        if seed % 5 == 0:
            y = r.standard_normal(n).astype(dtype)
            x = -abs(y)
    return x, y, r.random(n) < 0.4


def bits(value):
    if isinstance(value, tuple):
        return tuple(bits(v) for v in value)
    value = np.asarray(value)
    return b"nan" if value != value else value.tobytes()


def same(f, call, args):
    ours = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    with np.errstate(all="ignore"):
        want = f(*theirs)
    got = call(*ours)
    assert repr(got) == repr(want) or bits(got) == bits(want), (args, want, got)
    for a, b in zip(ours, theirs, strict=True):
        assert not isinstance(a, np.ndarray) or a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4"])
@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_every_length(f, dtype, monkeypatch):
    if dtype[0] == "i" and f in (change, change_in_place, by_index_from, nan_wins):
        pytest.skip("for floats")
    monkeypatch.setenv("SWATHE_SMALL", "1")
    call = swathe.njit(cache=False)(f)
    kind = np.dtype(dtype).type
    for n in [*range(0, 40), 65]:
        for seed in range(6 * n, 6 * n + 6):
            start = (0, 3, -3, -0.0, np.nan, -np.inf)[seed % 6]
            if dtype[0] == "i":
                start = (0, 3, -3, 9, -9, 1)[seed % 6]
            x, y, m = arrays(n, dtype, seed)
            same(f, call, (x, y, m, kind(start)))
            same(f, call, (np.repeat(x, 2)[::2], y[::-1], m, kind(start)))


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_at_full_length(f):
    call = swathe.njit(cache=False)(f)
    for n in (127, 128, 2047, 2048, 2049, 5000):
        for seed in range(4):
            same(f, call, (*arrays(n, "f8", seed + n), -2.0))
    assert (LANES in call.explain()) == FORMS[f]


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_every_pass(f, monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")
    monkeypatch.setenv("SWATHE_CHECK", "2")
    call = swathe.njit(cache=False)(f)
    for n in (0, 1, 50):
        same(f, call, (*arrays(n, "f8", n), 0.0))


@pytest.mark.parametrize("f", [change, store_and_place, stores_in_place])
def test_arrays_that_share_memory(f, monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")
    call = swathe.njit(cache=False)(f)
    for shift in (-3, -1, 0, 1, 2, 7):
        ours, theirs = (np.linspace(-5, 4, 200) for _ in range(2))
        m = np.ones(150, bool)
        lo = max(-shift, 0)
        got = call(ours[lo : lo + 150], ours[lo + shift : lo + shift + 150], m, -9.0)
        want = f(theirs[lo : lo + 150], theirs[lo + shift : lo + shift + 150], m, -9.0)
        assert got == want
        np.testing.assert_array_equal(ours, theirs)


def test_index_out_of_range(monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")

    @swathe.njit(cache=False)
    def best(x, k):
        for i in range(x.shape[0]):
            if x[i] > x[k]:
                k = i
        return k

    x = np.arange(100.0)
    assert best(x, -3) == best.py_func(x, -3) == 99
    assert best(x[:0], 7) == 7
    with pytest.raises(IndexError, match="index 100 is out of bounds for axis 0"):
        best(x, 100)


def test_sweep_and_its_change(monkeypatch):
    """A relaxation, as it is written everywhere."""
    monkeypatch.setenv("SWATHE_SMALL", "1")

    @swathe.njit(cache=False)
    def sweep(new, old):
        err = 0.0
        for i in range(1, old.shape[0] - 1):
            for j in range(1, old.shape[1] - 1):
                new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])
                err = max(err, abs(new[i, j] - old[i, j]))
        return err

    r = np.random.default_rng(1)
    for shape in ((3, 3), (5, 60), (1, 80), (4, 25)):
        old = r.standard_normal(shape)
        for o in (old, np.asfortranarray(old)):
            ours, theirs = old.copy(), old.copy()
            assert sweep(ours, o) == sweep.py_func(theirs, o)
            np.testing.assert_array_equal(ours, theirs)
        ours, theirs = old.copy(), old.copy()
        assert sweep(ours, ours) == sweep.py_func(theirs, theirs)
        np.testing.assert_array_equal(ours, theirs)
    assert LANES in sweep.explain()


@pytest.mark.parametrize("parallel", [False, True])
def test_nearest_pair(parallel, monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")

    @swathe.njit(cache=False)
    def nearest(p, q):
        best, a, b = np.inf, -1, -1
        for i in range(p.shape[0]):
            for j in range(q.shape[0]):
                d = (p[i, 0] - q[j, 0]) ** 2 + (p[i, 1] - q[j, 1]) ** 2
                if d < best:
                    best, a, b = d, i, j
        return best, a, b

    @swathe.njit(cache=False, parallel=parallel)
    def rows(x, out):
        for i in prange(x.shape[0]):
            k = 0
            for j in range(1, x.shape[1]):
                if x[i, j] > x[i, k]:
                    k = j
            out[i] = k

    r = np.random.default_rng(2)
    p, q = r.integers(0, 9, (2, 50, 2)).astype(float)
    assert nearest(p, q) == nearest.py_func(p, q)
    x = r.integers(0, 9, (7, 90)).astype(float)
    out = np.zeros(7, int)
    rows(x, out)
    np.testing.assert_array_equal(out, x.argmax(1))
    assert parallel or LANES in rows.explain()


def test_strict_sums_stay_in_order():
    @swathe.njit(cache=False)
    def both(x):
        s, top = 0.0, -np.inf
        for i in range(x.shape[0]):
            s += x[i]
            top = max(top, x[i])
        return s, top

    @swathe.njit(cache=False, fastmath={"reassoc"})
    def fast(x):
        s, top = 0.0, -np.inf
        for i in range(x.shape[0]):
            s += x[i]
            top = max(top, x[i])
        return s, top

    x = np.random.default_rng(3).standard_normal(3000)
    assert both(x) == both.py_func(x)
    assert LANES not in both.explain()
    assert fast(x) == pytest.approx(both.py_func(x), rel=1e-9)
    assert LANES in fast.explain()
