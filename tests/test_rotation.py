"""Arrays that a loop passes round among its names."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def swap(a, steps):
    n = a.shape[0]
    b = a.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a
    return a


def three(a, steps):
    old, new = a.copy(), np.zeros_like(a)
    while steps > 0:
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                new[i, j] = 2.0 * a[i, j] - old[i, j] + 0.1 * a[i + 1, j]
        steps -= 1
        if steps == 3:
            break
        old, a, new = a, new, old
    return a, old, new


def unlike(a, steps):
    b = np.ones((a.shape[0] - 1, a.shape[1]))
    n = a.shape[0]
    total = 0.0
    for k in range(steps):
        for i in range(n):
            total += a[i, 0]
        if k % 2:
            t = a
            a = b
            b = t
    return total


def slices(a, steps):
    b = np.zeros_like(a)
    for _ in range(steps):
        b[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1] - a[1:-1, :-2]
        b, a = a, b
    return a, b


@pytest.mark.parametrize("function", [swap, three, unlike, slices])
def test_as_in_python(function):
    compiled = swathe.njit(cache=False)(function)
    rng = np.random.default_rng(3)
    for shape in ((6, 6), (5, 9), (7, 4), (1, 1), (2, 3)):
        a = rng.random(shape)
        for steps in (0, 1, 2, 5):
            results = []
            for f in (function, compiled):
                try:
                    results.append(f(a.copy(), steps))
                except IndexError:
                    results.append("IndexError")
            want, got = results
            assert isinstance(got, str) == isinstance(want, str)
            if not isinstance(want, str):
                np.testing.assert_allclose(got, want, rtol=1e-12)
