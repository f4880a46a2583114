# SPDX-License-Identifier: BSD-3-Clause
"""Names of two types on two paths that are assigned before they are read again: no common type is
sought, nothing is converted. Names that are read keep what they have."""

import numpy as np
import pytest
from harness import define
from live_memory import live

import swathe
from swathe import prange

BIG = 3_000_000_000  # no int32
THREE = np.array([1, 2, 3], np.int32)


def at_a_head(a):
    for k in range(BIG, BIG + 2):
        pass
    out = 0
    for _phase in range(2):
        for t in range(len(a)):
            k = a[t]
            out += int(k)
    return out


def behind_an_if(a):
    if len(a) > 2:
        k = a[0]
    else:
        k = BIG
    out = 0
    for i in range(2):
        k = i + BIG
        out += k
    return out


def unlike_kinds(a):
    for i in range(3):
        if i == 1:
            x = a * 2
        else:
            x = i
    s = 0.0
    for i in range(2):
        x = (i, 2.5)
        s += x[1]
    x = "abc"
    return s, len(x)


def read_behind_a_break(a):
    k = BIG
    for t in range(len(a)):
        if a[t] == 2:
            break
        k = t
    return k


def read_around_a_continue(a):
    k = 2.5
    s = 0.0
    for t in range(4):
        if t == 0:
            continue
        s += k
        k = float(a[0])
    return s


def in_a_while(a):
    k = BIG
    n = 0
    while n < 3:
        k = a[n]
        n += int(k)
    k = 1.5
    return n, k


def read_by_a_handler(a):
    k = 1
    s = 0.0
    for t in range(4):
        try:
            k = 0.5
            s += a[t]
            k = 2.0
        except IndexError:
            s += k
    return s, k


def taken_by_a_function(a):
    k = 2.5

    def f():
        return k * 2

    s = 0.0
    for t in range(2):
        s += f()
        k = a[t] * 1.0
    return s, f()


def target_of_a_loop(a):
    for x in a:
        pass
    s = 0
    for i in range(2):
        for x in (BIG, BIG):
            s += x
    x = 1.5
    return s, x


def none_first(a):
    best = None
    for i in range(2):
        best = a[i]
        if best > 1:
            best = None
            continue
    for i in range(2):
        best = i * 0.5
    best = (1, 2)
    return best


def in_a_comprehension(a):
    k = BIG
    for _ in range(2):
        rows = [k for k in a if k > 1]
        k = len(rows)
    return k


FORMS = [
    at_a_head, behind_an_if, unlike_kinds, read_behind_a_break, read_around_a_continue, in_a_while,
    read_by_a_handler, taken_by_a_function, target_of_a_loop, none_first, in_a_comprehension,
]  # fmt: skip


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_forms(f) -> None:
    x = THREE.astype(np.float64) if f is read_by_a_handler else THREE
    got, want = swathe.njit(f)(x), f(x)
    assert got == want and type(got) is type(want)


def test_a_parallel_loop_leaves_no_last_value() -> None:
    @swathe.njit(parallel=True)
    def marked(a, places, m):
        n = len(a)
        out = np.zeros((n, m))
        for i in prange(n):
            if a[i]:
                for k in range(m):
                    out[i, k] = 1
        for _phase in range(2):
            for t in range(n):
                if places[t] > 1:
                    k = places[t]
                    out[t, k] += 1
        return out

    got = marked(np.array([True, False, True]), np.array([0, 1, 2], np.int32), 3)
    assert got.tolist() == [[1, 1, 1], [0, 0, 0], [1, 1, 3]]


def test_what_is_read_may_be_of_either_type() -> None:
    @swathe.njit
    def last(a):
        k = "a"
        for i in range(len(a)):
            k = a[i]
        return k

    assert last(THREE) == last.py_func(THREE)
    assert last(THREE[:0]) == "a"


TRIES = '''
def parsed(lines):
    total, errors = 0, []
    for no, line in enumerate(lines):
        try:
            a, op, b = line.split()
            a, b = int(a), int(b)
            total += a + b if op == "+" else a // b
        except ValueError as e:
            errors.append(f"{no}: {e}")
            continue
        except ZeroDivisionError:
            errors.append("zero")
    return total, errors
def again(lines):
    out = []
    for line in lines:
        try:
            v = line.strip()
            v = int(v)
        except ValueError:
            v = -1
        out.append(v)
    return out
def kept(lines):
    out, v = [], "none"
    for line in lines:
        try:
            v = line.strip()
            n = int(v)
        except ValueError:
            out.append(v)
            continue
        out.append(str(n))
    return out, v
def nested(lines):
    n = 0
    for line in lines:
        try:
            try:
                v = line.split("+")
                v = int(v[1])
            except IndexError:
                n += 100
                continue
            n += v
        except ValueError as v:
            n += 1000
        else:
            n += 5
    return n
def behind(lines):
    v = [1.5, 2.5]
    try:
        v = sum(v)
        v = str(v)
        w = lines[4]
    except IndexError:
        return "no"
    return v + w
def arrays(lines):
    v, r = [1, 2], 0
    while r < 3:
        try:
            r += 1
            v = np.array(v)
            v = (v * 2).tolist()
            r += int(lines[r])
        except (IndexError, ValueError):
            v = [0]
    return v, r
'''.strip().split("\ndef ")  # fmt: skip


@pytest.mark.parametrize("text", TRIES)
def test_names_of_a_body_that_no_handler_asks_for(text: str) -> None:
    f = define("def " + text.removeprefix("def ") + "\n")
    g = swathe.njit(cache=False)(f)
    for lines in ([], ["1 + 2", "x", "4 / 0", "a + 1", " 7 "], ["1", "2", "3", "4", "5"]):
        assert g(list(lines)) == f(list(lines))
    before = live()
    g(["1 + 2", "x", "4 / 0", "a + 1", " 7 "])
    assert live() == before


def test_a_name_that_a_handler_asks_for_may_be_of_either_type() -> None:
    f = define(
        "def f(x):\n    try:\n        v = x.strip()\n        v = int(v)\n"
        "    except ValueError:\n        return str(v)\n    return 'ok'\n"
    )
    for text in ("1", " x "):
        assert swathe.njit(f)(text) == f(text)
