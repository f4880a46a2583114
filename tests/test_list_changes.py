# SPDX-License-Identifier: BSD-3-Clause
"""What changes many elements of a list at once: slices, extend, sort by a key, starred targets."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from live_memory import live
from test_lists import check

import swathe


def assign(x, a, b, c, y):
    x[a:b:c] = y
    return x


def assign_open(x, y):
    x[:] = y
    x[1:] = x
    x[:1] = y
    x[::-1] = x
    x[len(x) :] = y
    x[-1:] = [x[0], x[0]]
    return x


@pytest.mark.parametrize("step", (-2, -1, 1, 2, 3, 0))
def test_assignment_to_slices(step):
    for a, b in itertools.product((-6, -2, 0, 1, 3, 9), (-7, -1, 0, 2, 5)):
        for y in ([7], [7, 8], [7, 8, 9, 10, 11, 12], [1, 2, 3]):
            check(assign, [5, 1, 4, 1, -3], a, b, step, y)


def test_kinds_of_slices():
    check(assign_open, [1.5, 2.5], [0.5, 9.0, 3.5])
    check(assign_open, [(1, 2.5), (3, 4.5)], [(0, 0.5)])
    check(assign_open, [[1], [2], [3]], [[4]])
    check(assign_open, list(np.float32([1, 2])), list(np.float32([3])))
    check(assign, [1, 2, 3], np.int8(-2), np.uint8(200), np.int16(1), [4, 5, 6])


def shared_rows(n):
    r = [0.5] * n
    x = [r, r]
    x[1:] = [r, r]
    x[2][0] = 5.0
    return x, x[0] is x[2], len(x)


def from_range(x, n):
    x[1:2] = range(n)
    x[:0] = (8, 9)
    x[::2] = range(len(x[::2]))
    return x


def from_dict(x, d):
    x[1:1] = d
    x.extend(d)
    x += d
    return x


def extended(x, n):
    x.extend(range(n, 0, -1))
    x += range(n)
    x.extend((7, 8))
    x += (9,)
    x.extend(())
    return x


def extended_by_array(x, a):
    x.extend(a)
    x.extend(a[::-1])
    x[:1] = a
    return x


def extended_empty(n):
    x = []
    x.extend(range(n))
    y = []
    y += x
    z = []
    z[:] = [v * 0.5 for v in y]
    return x, y, z


def extended_by_dict_of_lists(x, d):
    for v in d.values():
        x.extend(v)
    x.extend(d[1])
    return x


PROGRAMS = [
    (shared_rows, (3,)), (from_range, ([1, 2, 3], 4)), (from_range, ([1, 2, 3], 0)),
    (from_dict, ([1, 2], {5: 0, 0: 9})), (from_dict, ([1, 2], {})), (extended, ([1], 3)),
    (extended, ([], 3)), (extended_by_array, ([1.5], np.arange(3.0))),
    (extended_by_array, ([], np.arange(3))), (extended_empty, (4,)), (extended_empty, (0,)),
    (extended_by_dict_of_lists, ([1], {1: [2], 2: [3, 4]})),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f, args):
    if f is extended_by_array:  # list[float] yields floats where CPython has np.float64
        plain = f(list(args[0]), args[1])
        assert swathe.njit(f)(list(args[0]), args[1]) == plain
    else:
        check(f, *args)


def mixed_tuple(x):
    x.extend((2, True))


def wrong_kind(x):
    x[1:] = [True]


def wrong_index(x, i):
    x[i:] = [1]


def added_array(x, a):
    x += a


def equal(x, y):
    return x == y


def test_refused():
    for f, args, text in (
        (mixed_tuple, ([1],), "a list holds values of one type"),
        (wrong_index, ([1], 1.5), "slice indices must be integers or None"),
        (added_array, ([1.5], np.ones(2)), "would be NumPy's"),
        (equal, ([1.5], np.float64(1.5)), "would be NumPy's"),
    ):
        with pytest.raises(swathe.errors.Error) as e:
            swathe.njit(f)(*args)
        assert text in str(e.value)


# ---- sort by a key --------------------------------------------------------------------------


def negative(v):
    return -v


def by_function(x):
    x.sort(key=negative)
    return x


def by_lambda(x, m):
    x.sort(key=lambda v: v % m)
    return x


def by_lambda_down(x, m, down):
    x.sort(key=lambda v: v % m, reverse=down)
    return x


def by_part(x):
    x.sort(key=lambda p: p[1])
    y = x.copy()
    y.sort(key=lambda p: (p[1], -p[0]), reverse=True)
    return x, y


def by_length(x):
    x.sort(key=len)
    return x


def by_builtin(x):
    x.sort(key=abs)
    x.sort(key=None)
    return x


def by_none(x):
    x.sort(key=None, reverse=True)
    return x


@pytest.mark.parametrize("n", (0, 1, 2, 15, 16, 17, 33, 64, 100, 500))
def test_sort_by_key(n):
    rng = np.random.default_rng(n)
    x = [int(v) for v in rng.integers(-50, 50, n)]
    check(by_function, x or [1])
    check(by_none, x or [1])
    check(by_builtin, x or [1])
    for m in (1, 3, 10):
        check(by_lambda, x or [1], m)
        check(by_lambda_down, x or [1], m, True)
        check(by_lambda_down, x or [1], m, False)
    check(by_part, [(k, float(v // 10)) for k, v in enumerate(x)] or [(1, 0.5)])
    check(by_length, [[1] * (v % 4) + [k] for k, v in enumerate(x)] or [[1]])


def key_raises(x):
    x.sort(key=lambda v: 10 // v)
    return x


def test_a_key_that_raises():
    check(key_raises, [3, 1, 0, 2])


# ---- memory, and lowering against the interpreter ------------------------------------------------


def lists_of_lists(n):
    x = [[i] for i in range(n)]
    x[1:3] = [[7], [8], [9]]
    x[::2] = [[0]] * len(x[::2])
    x.sort(key=lambda r: -r[0])
    del x[1:2]
    x[0:0] = x
    return x


def fails(x, y):
    x[1:1] = y
    x[::2] = y


def test_nothing_leaks():
    f, g = swathe.njit(lists_of_lists), swathe.njit(fails)

    def run():
        f(20)
        with pytest.raises(ValueError, match="attempt to assign sequence of size 1"):
            g([[1], [2], [3], [4]], [[5]])
        return live()  # what the allocator keeps for later

    run()
    before = run()
    for _ in range(4):
        assert run() == before


CHECKED = """
import swathe

def f(n):
    x = []
    x.extend(range(n))
    x[1:3] = (7, 8, 9)
    x[::2] = x[::2]
    x.sort(key=lambda v: v % 3)
    d = {k: k for k in x}
    s = 0
    for k, v in d.items():
        d[k] = v + 1
        s += v
    e = d | {1: 2, 3: 4}
    while len(e) > 2:
        k, v = e.popitem()
        s += k * v
    return s + x[0] + x[-1]

for n in (4, 5, 30):
    assert swathe.njit(f)(n) == f(n), n
"""


def test_passes_against_the_interpreter(tmp_path):
    program = tmp_path / "checked.py"
    program.write_text(CHECKED)
    env = {**os.environ, "SWATHE_CHECK": "2"}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_beside_parallel_loops():
    @swathe.njit(parallel=True)
    def f(n):
        x = []
        x.extend(range(n))
        x[::2] = [v * 2 for v in x[::2]]
        x.sort(key=lambda v: -v)
        out = np.zeros(n)
        for i in swathe.prange(n):
            out[i] = x[i] * 2
        return out

    assert f(3000).tolist() == f.py_func(3000).tolist()


def put_in(x, v):
    x.insert(1, v)


def put_before(x, v):
    x[:0] = [v, v]


def taken_out(x, v):
    del x[0]
    x.insert(1, v)
    x.pop(0)


@pytest.mark.parametrize("v", (2.5, 1j, np.float64(0.5)))
@pytest.mark.parametrize("f", (put_in, put_before, taken_out))
def test_what_moves_stays_the_number_that_it_was(f, v):
    for given in ([1, 2, 3], [3, 3, 3], [5, 6]):
        got, want = given.copy(), given.copy()
        swathe.njit(f)(got, v)
        f(want, v)
        assert got == want and [type(e) for e in got] == [type(e) for e in want]


# ---- lists of a constant length, too long to be written out


LONG = 100001


def long_sieve(limit):
    prime = [True] * ((limit - 1) // 2)
    for i in range(len(prime)):
        if prime[i]:
            yield i * 2 + 3
            for j in range(((i * 2 + 3) ** 2 - 3) >> 1, len(prime), i * 2 + 3):
                prime[j] = False


def long_rows():
    row = [0] * LONG
    for _ in range(3):
        new = [0] * LONG
        for j in range(1, LONG):
            new[j] = row[j - 1] + 1
        row = new
    return row[2], sum(long_sieve(30000)), len([0, 1] * 20000), [7] * 1001


class Memory:
    def __init__(self):
        self.at = [0] * 65536
        self.names = ["x"] * 3000


def long_in_places(n):
    m = Memory()
    m.at[60000] = n
    table = [[0] * 2000] * 3
    table[0][1999] = n
    x = [1, 2] + [0] * 5000 if n > 2 else [1]
    x[1:] = [5] * 3000
    x += [6] * 2000
    pairs = {"a": [(0, 1.5)] * 2000}
    memo = [-1] * 1001
    memo[n] = sum([1] * 5000) + max([2] * 5000 + [3])
    return m.at[60000], m.names[-1], table[2][1999], len(x), x[-1], pairs["a"][-1], memo[n]


def long_gone_through():
    s = 0
    for i, v in enumerate([3] * 2000):
        s += i * v
    *first, last = [1] * 2000
    return s, len(first), last, 5 in [5] * 2000, [x + 1 for x in [1] * 2000][5], 1500 * [2]


def test_long_lists_of_constant_length():
    for f, args in ((long_rows, ()), (long_in_places, (5,)), (long_gone_through, ())):
        assert swathe.njit(f)(*args) == f(*args)
