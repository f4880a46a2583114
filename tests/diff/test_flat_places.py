# SPDX-License-Identifier: BSD-3-Clause
"""x.flat of arrays that lie in any way: what goes through it sees what is stored meanwhile, and
elements are read and stored in C's order."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def seen_meanwhile(w):
    s = w[0, 0] * 0
    for v in w[1:3, 1:3].flat:
        s += v
        w[:] = 7
    return s


def contiguous_by_chance(w):
    it = w[1:3].flat
    w[:] = 7
    return sum(it), it[1]


def numbered(w):
    s = w[0, 0] * 0
    for i, v in enumerate(w[::2, 1:].flat):
        s += v * i
        w[2] += 1
    for x, y in zip(w.T.flat, w.flat):
        s += x * y
        w[3, 1] += 2
    for v in reversed(w.T.flat[1:4]):
        s += v
    return s, w


def bound_again(w):
    t, s = w.T, w[0, 0] * 0
    for v in t.flat:
        t = w[:1]
        s = s * 2 + v
    return s, t.shape


def left_early(w):
    for k, v in enumerate(w.T.flat):
        if v == w[2, 1]:
            break
    else:
        return -1
    return k


def consumed(w):
    t = w.T
    return list(t.flat), max(t.flat), sum(w[::2].flat), sorted(t.flat)[:2], [x + 1 for x in t.flat]


def generated(w):
    return sum(x * x for x in w.T.flat), any(x > 3 for x in w.T.flat), next(iter(w.T.flat))


def asked(w):
    t = w.T
    return len(t.flat), t.flat.copy(), np.sum(t.flat), t.flat[1:4], t.flat[[2, 0]], t.flat[-2]


def elements(w):
    w.T.flat[1] = 50
    w[::2].flat[-1] = 9
    w.T.flat[0] += 3
    w[:, 1:].flat[2] *= 2
    return w, w.T.flat[1]


def slices(w):
    w[1:3, 1:3].flat = 5
    w.T.flat[2:7] = np.arange(3)
    w[:, 1:].flat[1::3] += 2
    w.T.flat[np.array([3, 1, 3])] = w[0, :3].copy()
    w.T.flat[np.arange(w.size) % 5 == 0] = 1
    w[:, ::2].flat = w[1]
    return w


def nothing(w):
    z = w[0:0].T
    for _ in z.flat:
        w[0, 0] = 99
    z.flat = 3
    z.flat[1:] = w[0]
    w.T.flat = np.zeros(0)
    return w, len(z.flat)


def cubes(w):
    r = np.zeros((2, 3, 4), w.dtype)
    v = r[:, 1:, ::2]
    for k in range(len(v.flat)):
        v.flat[k] = w.flat[k]
    v.flat[-1] *= 3
    u = r.transpose(2, 0, 1)
    return r, u.flat[5], [x for x in u.flat], u[::2].flat[7]


def windows(w):
    n, m = w.shape
    out = np.zeros_like(w)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for v in w[i - 1 : i + 2, j - 1 : j + 2].flat:
                out[i, j] += v
    return out


def behind(w):
    return w.T.flat[w.size]


def before(w):
    w.T.flat[-w.size - 1] = 1


def named(w):
    it = w[1:3, ::2].flat
    w[1] += 3
    return [v + 1 for v in it], it[1], len(it)


def named_twice_over(w):
    t = w.T
    it = t.flat
    other = it
    t = w[:1]
    first = np.sum(it)
    w[:] *= 2
    return first, np.sum(other), it.copy(), t


def named_and_stored(w):
    it = w.T.flat
    it[1] = 50
    it[2] += 4
    it[3:6] = np.arange(3)
    w[2] = 1
    return sum(it), w


def named_in_a_loop(w):
    r = np.zeros(3, w.dtype)
    for i in range(3):
        it = w[i:].T.flat
        w[i] += 1
        for v in it:
            r[i] += v
            w[3] += 1
    return r, w


def named_indexed(w):
    it = w[:, 1:3].flat
    s = w[0, 0] * 0
    for k in range(len(it)):
        s += it[k] * k
        w[:] += 1
    return s


def added(it):
    s = 0
    for v in it:
        s += v
    return s


def given(w):
    return added(w.T.flat)


FUNCTIONS = [
    named, named_twice_over, named_and_stored, named_in_a_loop, named_indexed, given,
    seen_meanwhile, numbered, bound_again, left_early, consumed, generated,
    asked, elements, slices, nothing, cubes, windows, behind, before,
]  # fmt: skip
LAYOUTS = {
    "C": lambda d: np.arange(16).reshape(4, 4).astype(d),
    "F": lambda d: np.asfortranarray(np.arange(20).reshape(4, 5).astype(d)),
    "steps": lambda d: np.arange(48).reshape(4, 12).astype(d)[:, ::2],
    "back": lambda d: np.arange(20).reshape(5, 4).astype(d)[::-1, ::-1],
}


def told(f, w):
    try:
        r = f(w)
    except IndexError as e:
        return str(e).split(" for ")[0]
    return plain(r), w.tolist()


def plain(r):
    if isinstance(r, (tuple, list)):
        return [plain(x) for x in r]
    return (r.dtype, r.tolist()) if isinstance(r, np.ndarray) else r


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_flat(f, dtype, layout):
    make = LAYOUTS[layout]
    assert told(swathe.njit(f), make(dtype)) == told(f, make(dtype))


@pytest.mark.parametrize("make", [LAYOUTS["C"], lambda d: np.arange(32).astype(d).reshape(4, 8)])
def test_a_name_for_it(make):
    f = contiguous_by_chance
    assert told(swathe.njit(f), make("i8")[1:]) == told(f, make("i8")[1:])


def test_elements_are_cast_as_numpy_does():
    def f(w):
        w.T.flat[1] = 2.7
        w.T.flat[2] += 2.7
        w.T.flat[3:6] = np.array([1.5, 2.5])
        return w

    make = LAYOUTS["steps"]
    assert (swathe.njit(f)(make("i8")) == f(make("i8"))).all()


def test_what_may_not_be_changed():
    def f(w):
        w.T.flat[1] = 2

    w = LAYOUTS["steps"]("i8")
    w.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        swathe.njit(f)(w)


class Held:
    def __init__(self, flat):
        self.flat = flat


def test_an_attribute_of_that_name():
    def f(n):
        h = Held(np.zeros((n, n)).T)
        h.flat[1] += 2
        for row in h.flat:
            row[0] += 1
        h.flat.flat[3] += 5
        return h.flat

    assert (swathe.njit(f)(3) == f(3)).all()


def changed(it, w):
    w[:] = 5
    return sum(it)


def in_a_function(w):
    it = w.T.flat

    def second():
        return it[2]

    w[:] = 5
    return second()


def chosen(w):
    it = w.T.flat if len(w) > 2 else w.flat
    w[:] = 5
    return sum(it)


def in_a_tuple(w):
    it, k = w.T.flat, 1
    w[:] = 5
    return sum(it) + k


def bound_twice(w):
    it = w.T.flat
    if w[0, 0] == 0:
        it = w[:, 1:].flat
    w[:] = 5
    return sum(it)


def to_one_that_stores(w):
    return changed(w.T.flat, w)


@pytest.mark.parametrize("f", [in_a_function, chosen, in_a_tuple, bound_twice, to_one_that_stores])
def test_other_names_would_hold_what_was_there(f):
    with pytest.raises(swathe.UnsupportedError, match="x.flat of elements that may not lie"):
        swathe.njit(f)(LAYOUTS["steps"]("i8"))


def two_loops(w):
    it = w.T.flat
    return [v for v in it], sum(it)


def loop_in_loop(w):
    s = 0
    it = w.flat
    for _ in range(2):
        for v in it:
            s += v
    return s


@pytest.mark.parametrize("f", [two_loops, loop_in_loop])
def test_it_goes_on_where_it_was_left(f):
    with pytest.raises(swathe.UnsupportedError, match="gone through more than once"):
        swathe.njit(f)(LAYOUTS["steps"]("i8"))
