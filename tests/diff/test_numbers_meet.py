"""Ints and floats in one list or dict: elements join as variables do, wherever the float comes
from. What is compared with CPython's are the values: 0 is returned as 0.0 where floats are, too."""

from __future__ import annotations

import copy
import pathlib

import pytest
from harness import define
from live_memory import live

import swathe

HEAD = """import heapq
from collections import defaultdict, deque
import numpy as np
"""
PROGRAMS = (pathlib.Path(__file__).parent / "number_programs.txt").read_text().split("\n#--\n")
MODES = [{}, {"parallel": True}, {"debug": True}]


def outcome(f, args):
    try:
        return f(*args)
    except (ValueError, KeyError, ZeroDivisionError, IndexError) as e:
        return type(e), str(e).split("\n")[0]


def build(text, path):
    path.write_text(HEAD + text + "\n")
    plain = {"jitclass": lambda c: c, "prange": range}
    exec(compile(path.read_text(), str(path), "exec"), plain)
    names = {"jitclass": swathe.jitclass, "prange": swathe.prange, "__name__": "programs"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return plain, names


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_programs(k, tmp_path):
    plain, names = build(PROGRAMS[k], tmp_path / "p.py")
    f = swathe.njit(cache=False, **MODES[k % 3])(names["f"])
    for args in plain["ARGS"]:
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        assert outcome(f, ours) == outcome(plain["f"], theirs)
        assert repr(ours) == repr(theirs) or ours == theirs


def halve(xs, n):
    for i in range(n):
        xs[i] /= 2
    return xs


def test_what_is_not_changed_stays_the_object_that_it_is():
    great = 12345678
    x = [8, great, 0.5]
    r = swathe.njit(halve)(x, 1)
    assert r is x and x == [4.0, great, 0.5]
    assert x[1] is great and type(x[1]) is int and type(x[0]) is float
    y = [8, great]
    assert swathe.njit(halve)(y, 0) == [8, great] and type(y[0]) is int


@pytest.mark.parametrize(
    ("text", "args", "message"),
    [
        ("x = [np.float32(0)] * n; x[0] = 0.5; return x", (2,), r"list\[float32\] can't hold"),
        ("x = [0] * n; x[0] = 0.5; return np.ones(9)[x[1]]", (2,), r"list\[int\] can't hold float"),
        ("s = {1}; s.add(0.5); return s", (2,), "elements of set.* are int, not float"),
        ("return len(n)", ({1: 2, 1.5: 3},), "element 0 is of type int"),
        ("n[0] = 0.5; return n", ([2**53 + 1, 0.5],), "element 0 is of type int"),
    ],
)
def test_what_stays_refused(text, args, message):
    f = define("def f(n):\n    " + text.replace("; ", "\n    ") + "\n")
    with pytest.raises(TypeError, match=message):
        swathe.njit(cache=False)(f)(*args)


@pytest.mark.parametrize("value", ["True", "'a'", "None"])
def test_what_is_held_as_it_is(value):
    f = define(f"def f(n):\n    x = [0] * n\n    x[0] = {value}\n    return x\n")
    assert repr(swathe.njit(cache=False)(f)(2)) == repr(f(2))


def test_one_list_twice():
    @swathe.njit
    def f(x, y):
        x[0] = 0.5
        return y

    x = [1, 2]
    with pytest.raises(swathe.errors.ArgumentTypeError, match="make its numbers of one kind"):
        f(x, x)
    assert x == [1, 2] and f(x, [3]) == [3]


def test_nothing_leaks():
    f = swathe.njit(lambda n: [[0] * n, [0.5]])
    g = swathe.njit(halve)
    f(2), g([1, 2.5], 1)
    before = live()
    for _ in range(5):
        assert f(2) == [[0, 0], [0.5]] and g([1, 2.5], 1) == [0.5, 2.5]
    assert live() == before
