# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that each iteration of a loop makes: one may serve all, if none is kept."""

import numpy as np
import pytest
from live_memory import live

from swathe import njit, prange


def zeros(a, o, k):
    for i in prange(a.shape[0]):
        t = np.zeros(a.shape[1])
        for j in range(a.shape[1]):
            t[j // 2] += a[i, j]
        o[i] = t.sum()


def square(a, o, k):
    n, m = a.shape
    for i in prange(n):
        t = np.zeros((m, m), np.int32)
        for j in range(m):
            t[j, m - 1 - j] += j
            if a[i, j] > 0.5:
                t[j, j] += 1
        o[i] = t[0, m - 1] + t[m - 1, 0] + t[m // 2, m // 2]


def swapped(a, o, k):
    n, m = a.shape
    for i in prange(n):
        p = np.zeros(m)
        q = np.zeros(m)
        for j in range(m):
            p[j] = a[i, j] + q[j - 1]
            p, q = q, p
        o[i] = p[0] + q[m - 1]


def viewed(a, o, k):
    n, m = a.shape
    for i in prange(n):
        t = np.empty(m)
        v = t[1:]
        w = t[::-1]
        for j in range(m):
            t[j] = a[i, j]
        v += 1.0
        o[i] = w[0] + v.sum()


def nested(a, o, k):
    n, m = a.shape
    for i in prange(n):
        s = 0.0
        for r in range(3):
            t = np.zeros(m)
            for j in range(r, m):
                t[j - r] += a[i, j]
            s += t[0] + t[m - 1]
        o[i] = s


def of_any_size(a, o, k):
    for i in prange(a.shape[0]):
        o[i] = 1
        t = np.empty(k)
        if k > 0:
            t[0] = a[i, 0]
            o[i] = t[0]


def kept_in_list(a, o, k):
    made = []
    for i in range(a.shape[0]):
        t = np.zeros(a.shape[1])
        t[0] = a[i, 0]
        made.append(t)
    for i in range(a.shape[0]):
        o[i] = made[i][0]


def carried(a, o, k):
    b = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        t = np.zeros(a.shape[1])
        t[0] = a[i, 0] + b[0]
        b = t
    o[0] = b[0]


def left(a, o, k):
    m = a.shape[1]
    for i in range(a.shape[0]):
        t = np.empty(m)
        for j in range(m):
            t[j] = a[i, j] * 2
        if t[0] > 1.9:
            o[0] = t[m - 1]
            return
        o[i] = t[m - 1]


def outcome(f, a, o, k):
    try:
        f(a, o, k)
    except ValueError as e:
        return o, str(e).split("\n")[0]
    return o, None


IN_PARALLEL = [zeros, square, swapped, viewed, nested, of_any_size]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("f", [*IN_PARALLEL, kept_in_list, carried, left])
def test_each_iteration_has_its_own(f, parallel):
    if parallel and f not in IN_PARALLEL:
        parallel = False
    compiled = njit(parallel=parallel)(f)
    for n, m in [(0, 3), (1, 1), (2, 5), (50, 7), (300, 40), (5, 1000), (2000, 3)]:
        a = np.random.default_rng(n + m).random((n, m))
        for k in (3, 0, -1):
            got, error = outcome(compiled, a, np.zeros(max(n, m)), k)
            want, wanted = outcome(f, a, np.zeros(max(n, m)), k)
            assert error == wanted
            if not (error and parallel):  # which iterations ran before is open
                assert np.allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("f", [zeros, swapped, viewed, nested])
def test_nothing_is_left(f):
    compiled = njit(f)
    a, o = np.ones((30, 500)), np.zeros(500)
    compiled(a, o, 1)
    before = live()
    for _ in range(5):
        compiled(a, o, 1)
    assert live() == before


def test_it_is_made_once():
    def rows(a, o):
        for i in range(a.shape[0]):
            t = np.empty(a.shape[1])
            for j in range(a.shape[1]):
                t[j] = a[i, j] * 2
            for j in range(1, a.shape[1]):
                o[i] += t[j] * t[j - 1]

    compiled = njit(rows)
    compiled(np.ones((3, 400)), np.zeros(3))
    text = "\n".join(str(t) for t in compiled.inspect_ir().values())
    assert text.index("alloc(") < text.index("seq ")
