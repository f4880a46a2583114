# SPDX-License-Identifier: BSD-3-Clause
"""Lists of sizes where NumPy takes a shape, beside NumPy."""

import numpy as np
import pytest

import swathe


def display(x):
    s = [2, 12]
    return x.reshape(s), np.ones(s), np.broadcast_to(1.0, s), np.full(s, 2), np.zeros(shape=s)


def along(x, axis):
    s = [1] * x.ndim
    s[axis] = -1
    return x * np.hanning(x.shape[axis]).reshape(s)


def inline(x):
    return x.reshape([1] * x.ndim + [-1]), np.ones(list(x.shape[1:]) + [2])


def longer(x):
    s = list(x.shape)
    s[0] = 1
    a = np.zeros(s)
    s.append(2)
    b = np.zeros(s)
    s.pop(0)
    s.insert(1, 5)
    c = np.zeros(s)
    del s[-1]
    return a, b, c, np.zeros(s)


def copies(x):
    s = [n // 2 for n in x.shape]
    t = s.copy()
    t[0] *= 2
    u: list[int] = t[:]
    u[1] = 7
    return np.zeros(s), np.zeros(t), np.zeros(u), np.zeros([*u, 2])


def branches(x, flat):
    if flat:
        s = [24, 1]
    else:
        s = [6, 4]
    if flat:
        s = [-1]
        return x.reshape(s)
    else:
        return x.reshape(s)[:, 0]


def in_loop(x, n):
    s = [24]
    t = 0.0
    for k in range(n):
        s[0] = 24 - k
        t += np.ones(s).sum()
    return t


def drawn(k):
    s = [k, 2]
    return np.random.default_rng(3).random(size=s), np.random.default_rng(4).normal(size=s)


X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (display, (X,)),
        (along, (X, 0)),
        (along, (X, -1)),
        (along, (X[0], 1)),
        (along, (X[0, 0], 0)),
        (inline, (X,)),
        (inline, (X[0],)),
        (longer, (X,)),
        (copies, (X,)),
        (branches, (X, True)),
        (branches, (X, False)),
        (in_loop, (X, 0)),
        (in_loop, (X, 3)),
        (drawn, (3,)),
    ],
)
def test_sizes(f, args):
    want, got = f(*args), swathe.njit(f)(*args)
    for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (want, got)), strict=True):
        np.testing.assert_array_equal(y, x)
        assert np.shape(y) == np.shape(x)


def test_by_another_name():
    @swathe.njit
    def f(x):
        s = list(x.shape)
        t = s
        t.append(1)
        return x.reshape(s)

    with pytest.raises(ValueError, match="a list of 2 sizes, which was taken for one of 1"):
        f(np.arange(3.0))


def test_only_the_run_tells():
    @swathe.njit
    def f(x):
        s = [1]
        for n in x:
            s = s + [n]
        return np.zeros(s)

    with pytest.raises(swathe.TypingError, match="an integer or a tuple of integers, not list"):
        f(np.arange(3))
