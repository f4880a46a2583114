# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes with containers, text and None: what is said, and that what a hint says to write
compiles. SWATHE_UPDATE=1 rewrites messages/mistakes.txt."""

from __future__ import annotations

import copy
import linecache
import os
from pathlib import Path

import numpy as np
import pytest
from messages.mistakes import ONES, TWO

import swathe

KEPT = Path(__file__).parent / "messages" / "mistakes.txt"


def made(body, name="mistake"):
    text = f"def f(s):\n    {body}\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def said(body, arg):
    with pytest.raises((swathe.CompileError, swathe.errors.ArgumentError)) as caught:
        swathe.njit(cache=False)(made(body))(copy.deepcopy(arg))
    return f"{type(caught.value).__name__}: {caught.value}\n"


def test_what_is_said():
    now = "".join(f"# {arg!r}\n{said(body, arg)}\n" for body, arg in ONES)
    if os.environ.get("SWATHE_UPDATE"):
        KEPT.write_text(now)
    assert now == KEPT.read_text()


def test_what_the_hints_say_compiles():
    for wrong, right, arg in TWO:
        assert "hint: " in said(wrong, arg), wrong
        f = made(right)
        want = f(copy.deepcopy(arg))
        assert np.array_equal(swathe.njit(cache=False)(f)(copy.deepcopy(arg)), want), right


def test_what_looks_like_a_mistake_and_is_none():
    """Arguments that the methods do take, of each kind."""

    def f(s, b):
        r = [s.split(None), s.strip(None).split(","), s.split(sep=",", maxsplit=1)]
        t = s.find("b"), s.startswith(("a", "x")), s.endswith("c")
        u = b.find(98), b.find(b"b"), b.count(98), b.startswith((b"a", b"x")), b.index(b"c")
        w = [b.replace(bytearray(b"a"), b"x"), b.strip(None), b.partition(b",")[0]]
        return r, t, u, w, ",".join(x for x in s), b"-".join([b, b])

    args = ("a,b,c", b"a,b,c")
    assert swathe.njit(f)(*args) == f(*args)


def test_async_functions_that_others_call():
    async def later(n):
        return n

    async def each(n):
        yield n

    def called(n):
        return later(n)

    def kept(n):
        x = later(n)
        return x

    def gone_through(n):
        for _ in each(n):
            pass
        return n

    def passed(n, f=later):
        return f(n)

    for f in (called, kept, gone_through, passed):
        with pytest.raises(swathe.UnsupportedError, match="is async, is not supported"):
            swathe.njit(cache=False)(f)(3)

    def uncalled(n):
        return n if n or later is None else 0

    assert swathe.njit(cache=False)(uncalled)(3) == 3
