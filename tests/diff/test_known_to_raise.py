# SPDX-License-Identifier: BSD-3-Clause
"""What is known to raise when a function is compiled is raised when it runs where a `try` may wait
for it, behind what stands before it; anywhere else it is an error of the program."""

# ruff: noqa: SIM105, BLE001, S110
from __future__ import annotations

import pytest

import swathe


def third(t):
    return t[2]


def indices(n):
    out = []
    try:
        out.append([][0])
    except IndexError:
        out.append(-1)
    t = (n, 2)
    try:
        out.append(t[0])
        x = t[2]
        out.append(x)
    except IndexError:
        out.append(-2)
    finally:
        out.append(-3)
    for u in ((1, 2), (3,), (4, 5)):
        try:
            out.append(u[1])
        except IndexError:
            out.append(-4)
    try:
        out.append(third(t))
    except IndexError as e:
        out.append(len(str(e)) - len(str(e)))
    return out


def keys(n):
    d = {"a": n, "b": 2.5}
    try:
        return d["c"]
    except KeyError:
        return d["a"] + 0.5


def unpacked(n):
    a, b, log = 0, 0, []
    try:
        a, b = (n, 2, 3)
    except ValueError:
        log.append(1)
    try:
        a, b, *c = (n,)
        log.append(len(c))
    except ValueError:
        log.append(2)
    return a, b, log


def before(n, log):
    try:
        log.append(n)
        return 1 // n + (1, 2)[5]
    except ZeroDivisionError:
        return 10
    except IndexError:
        return 20


def passed_on(n):
    log = [n]
    try:
        log.append((1, 2)[7])
    finally:
        log.append(3)
    return log


@pytest.mark.parametrize("f", [indices, keys, unpacked])
@pytest.mark.parametrize("parallel", [False, True])
def test_caught(f, parallel):
    assert swathe.njit(parallel=parallel)(f)(7) == f(7)


def test_what_stands_before_comes_first():
    f = swathe.njit(before)
    for n in 0, 1:
        log, want = [5], [5]
        assert f(n, log) == before(n, want)
        assert log == want


def test_passed_on():
    with pytest.raises(IndexError, match="tuple index out of range"):
        swathe.njit(passed_on)(3)


def test_refused_outside_of_try():
    @swathe.njit
    def f():
        return (1, 2)[2]

    with pytest.raises(swathe.CompileError, match="tuple index 2 is out of range"):
        f()
