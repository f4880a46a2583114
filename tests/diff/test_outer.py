# SPDX-License-Identifier: BSD-3-Clause
"""Containers outside of functions, of a module or a closure: read, changed, replaced, shared; and
values that programs ask for: of caught exceptions, of ranges, methods named by their class."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
import sys
import threading
import types

import numpy as np
import pytest
from live_memory import live

import swathe

FILES = ["outer_programs.txt", "value_programs.txt", "cached_programs.txt"]
TEXT = "#---\n".join((pathlib.Path(__file__).parent / f).read_text() for f in FILES)
PROGRAMS = re.split(r"^#---\n", TEXT, flags=re.M)
PLACE = re.compile(r'\n  File "[^\n]*(\n    [^\n]*\n[ ~]*\^[ ~^]*)?(\n  hint[^\n]*)?')


def plain(f):
    return f


def run(text, path, njit):
    """What a program prints, and what its global containers are then."""
    m = types.ModuleType(path.stem)
    sys.modules[path.stem] = m
    m.__dict__.update(np=np, njit=njit, SWATHE=njit is not plain, __file__=str(path))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, str(path), "exec"), m.__dict__)
    kept = {k: v for k, v in vars(m).items() if k.isupper() and k != "SWATHE"}
    shown = {k: repr(v) for k, v in kept.items() if " at 0x" not in repr(v)}
    return PLACE.sub("", out.getvalue()), shown


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_programs(k, tmp_path):
    path = tmp_path / f"outer_program_{k}.py"
    path.write_text(PROGRAMS[k])
    try:
        assert run(PROGRAMS[k], path, swathe.njit) == run(PROGRAMS[k], path, plain)
    finally:
        sys.modules.pop(path.stem, None)


TABLE = {1: 2, 3: 4}
GROWS: list[int] = []
COUNTS: dict[int, int] = {}
ARRAY = np.zeros(3)


def look(k):
    return TABLE[k] + len(GROWS)


def count(n):
    for i in range(n):
        COUNTS[i] = COUNTS.get(i, 0) + 1
    return len(COUNTS)


def store(i):
    ARRAY[i] += 1
    return ARRAY.sum()


def test_what_changes_is_not_compiled_in():
    f = swathe.njit(look)
    for i in range(30):
        TABLE[1] = i
        GROWS.append(i)
        assert f(1) == i + 1 + i
    assert f.stats["specialisations"] == 1
    assert f.stats["misses"] <= 6
    assert [s.count(",") for s in f.signatures] == [0]


def test_an_explicit_signature():
    f = swathe.njit("int64(int64)")(look)
    TABLE[3] = 40
    assert f(np.int64(3)) == look(3)
    TABLE[3] = 41
    assert f(3) == look(3)


def test_array_that_is_stored_to():
    f = swathe.njit(store)
    ARRAY[:] = 0
    assert [f(0), f(1), f(1)] == [1.0, 2.0, 3.0]
    assert ARRAY.tolist() == [1.0, 2.0, 0.0]
    assert f.stats["specialisations"] == 1


def test_threads_compile_one():
    f = swathe.njit(count)
    COUNTS.clear()
    threads = [threading.Thread(target=f, args=(50,)) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(COUNTS) == list(range(50))


def test_what_does_not_compile_says_the_first_error():
    def f():
        GROWS.append(1)
        return GROWS.nothing

    g = swathe.njit(f)
    for _ in range(2):
        with pytest.raises(swathe.errors.CompileError):
            g()
    assert g.stats["misses"] <= 4


def test_an_operator_of_a_class_is_refused():
    class V(__import__("typing").NamedTuple):
        a: float

        def __add__(self, other):
            return self.a + other.a + TABLE[1]

    with pytest.raises(swathe.errors.UnsupportedError, match=r"'__add__', which .* uses 'TABLE'"):
        swathe.njit(lambda v: v + v)(V(1.0))


def test_references():

    d: dict[int, list[int]] = {}

    @swathe.njit
    def f(n):
        d[n] = [n]
        if n == 3:
            raise ValueError("three")
        return d

    assert f(1) is d and f(2) is d
    before, refs = live(), sys.getrefcount(d)
    for n in range(6):
        with contextlib.suppress(ValueError):
            f(n)
    assert sorted(d) == list(range(6))
    assert live() == before
    assert sys.getrefcount(d) == refs


def chosen(x):
    raise NotImplementedError


def test_what_types_choose_uses_it():
    from swathe.compat.numba import extending

    seen: list[int] = []

    @extending.overload(chosen)
    def choose(x):
        def impl(x):
            seen.append(x)
            return TABLE[x]

        return impl

    def inner(x):
        return chosen(x) + 1

    f = swathe.njit(lambda x: inner(x) + len(seen))
    TABLE[1] = 7
    assert (f(1), f(1), seen) == (9, 10, [1, 1])
