"""Functions that call themselves with strings that begin as literals, and with ever new types."""

from __future__ import annotations

import pytest

import swathe
from swathe import njit


@njit
def words(k, prefix, out):
    if k == 0:
        out.append(prefix)
        return
    words(k - 1, prefix + "0", out)
    words(k - 1, prefix + "1", out)


@njit
def repeated(n, s):
    if n == 0:
        return s
    return repeated(n - 1, s + "x")


@njit
def closed(n, opened, done, s="", out=None):
    if out is None:
        out = [""]
        out.pop()
    if opened == done == n:
        out.append(s)
    if opened < n:
        closed(n, opened + 1, done, s + "(", out)
    if done < opened:
        closed(n, opened, done + 1, s + ")", out)
    return out


@njit
def hanoi(n, a="A", b="B", c="C"):
    if n == 0:
        return ""
    return hanoi(n - 1, a, c, b) + a + c + " " + hanoi(n - 1, b, a, c)


@njit
def even(n, s):
    return s if n == 0 else odd(n - 1, s + "e")


@njit
def odd(n, s):
    return s if n == 0 else even(n - 1, "o" + s)


def all_words(n):
    out = []
    words(n, "", out)
    return out, repeated(n, ""), closed(n, 0, 0), hanoi(n), even(n, ""), odd(n, "-")


def pythons(n):
    names = {f.py_func.__name__: f.py_func for f in (words, repeated, closed, hanoi, even, odd)}
    made = {}
    for name, f in names.items():
        made[name] = type(f)(f.__code__, made, name, f.__defaults__)
    out = []
    made["words"](n, "", out)
    rest = made["repeated"](n, ""), made["closed"](n, 0, 0), made["hanoi"](n)
    return (out, *rest, made["even"](n, ""), made["odd"](n, "-"))


@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_strings_that_grow(n):
    assert njit(all_words)(n) == pythons(n)


def test_types_that_grow_two_ways():
    @njit
    def f(n, x):
        if n == 0:
            return 0
        return f(n - 1, [x]) + f(n - 1, (x,))

    with pytest.raises(swathe.CompileError, match="ever new types"):
        f(2, 1)
