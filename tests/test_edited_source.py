# SPDX-License-Identifier: BSD-3-Clause
"""Files that are edited after they were imported: CPython runs what it has read, and nothing that
it has not is compiled. So with methods that are replaced."""

from __future__ import annotations

import importlib
import linecache
import sys
from typing import NamedTuple

import pytest
from without_text import without_text

import swathe

HEAD = "import numpy as np\nfrom swathe import njit\n\n"
EDITS = [
    ("def f(x):\n    return x + 1\n", "x + 1", "x + 2"),
    ("def f(x):\n    return x - 1\n", "x - 1", "x + 1"),
    ("def f(x):\n    return x * 1\n", "x * 1", "x * 1.0"),
    ("def f(x):\n    return x * 0.0\n", "0.0", "-0.0"),
    ("def f(x):\n    return np.sin(x)\n", "sin", "cos"),
    ("def f(x):\n    a, b = 1, 2\n    return a\n", "return a", "return b"),
    ("def f(x):\n    def g(y):\n        return y * 2\n    return g(x)\n", "* 2", "* 3"),
    ("def f(x):\n    return sum([k * 2 for k in range(x)])\n", "* 2", "* 3"),
    ("def f(x):\n    raise ValueError('a')\n", "'a'", "'b'"),
    ("f = lambda x: x + 1\n", "x + 1", "x + 2"),
    ("def h(x, y=2):\n    return x + y\n\ndef f(x):\n    return h(x, 1)\n", "x + y", "x - y"),
    ("def h(*x, y=2):\n    return x[0]\n\ndef f(x):\n    return h(x, y=1)\n", "[0]", "[-1]"),
    ("class A:\n    def f(self):\n        return self + 1\n\nf = A.f\n", "self + 1", "self + 2"),
]


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    count = iter(range(100))

    def made(text):
        path = tmp_path / f"edited{tmp_path.name}{next(count)}.py"
        path.write_text(HEAD + text)
        importlib.invalidate_caches()
        return path, importlib.import_module(path.stem)

    return made


def test_edits_are_not_compiled(module):
    for text, old, new in EDITS:
        path, m = module(text)
        path.write_text(HEAD + text.replace(old, new))
        with pytest.raises(swathe.CompileError, match="its file has changed since it was imported"):
            swathe.njit(m.f, cache=False)(3)


def test_what_says_the_same_is_compiled(module):
    closure = (
        "def made():\n    k = 5\n    def f(x):\n        return x + k\n    return f\n\nf = made()\n"
    )
    future = "from __future__ import annotations\n\ndef f(x: int) -> int:\n    return x + 1\n"
    private = "class A:\n    def f(x):\n        __k = 2\n        return x + __k\n\nf = A.f\n"
    for text in [*(e[0] for e in EDITS if "raise" not in e[0]), closure, private]:
        path, m = module(text)
        assert swathe.njit(m.f, cache=False)(3) == m.f(3)
        path.write_text(HEAD + text + "\ndef later(x):\n    return -x\n")  # others may come
        assert swathe.njit(m.f, cache=False)(4) == m.f(4)
    path, m = module("")
    path.write_text(future)
    m = importlib.reload(m)
    assert swathe.njit(m.f, cache=False)(3) == 4


def test_another_loader_makes_other_code(module):
    path, m = module("def f(x):\n    return x + 1\n")
    path.write_text(HEAD + "def f(x):\n    return x + 2\n")
    m.f.__globals__["__loader__"] = object()  # what such a one makes of the text is not known
    assert swathe.njit(m.f, cache=False)(3) == 5


def test_a_callee_without_text_is_named(module):
    h = without_text("def h(a, /, b, *c, d=4): return a", "h")
    path, m = module("def f(x):\n    return h(x, 2, 3, d=5)\n")
    m.h = h
    with pytest.raises(swathe.CompileError, match="calling 'h', whose source can't be found"):
        swathe.njit(m.f, cache=False)(3)


class Base(NamedTuple):
    a: int
    b: float = 2.0

    def m(self):
        return self.a + 1

    @property
    def p(self):
        return self.b

    def __add__(self, other):
        return self.a + other

    def __len__(self):
        return 5


class Derived(Base):
    def q(self):
        return self.m() * 2


ONE = Base(1)


def of_argument(x):
    return x.m(), x.p, x + 1, len(x)


def of_global(i):
    return ONE.m(), Base(i).m(), Derived(i, 1.0).q()


def test_methods_that_are_replaced():
    argument, other = swathe.njit(of_argument), swathe.njit(of_global)
    changes = [
        (Base, "p", property(lambda self: 7.0)),
        (Base, "m", lambda self: self.a * 100),
        (Base, "__add__", lambda self, other: other),
        (Base, "__len__", lambda self: 1),
        (Derived, "m", lambda self: -1),
        (Derived, "m", None),
        (Derived, "q", lambda self: 3),
        (Derived, "__add__", lambda self, other: -other),
    ]
    for cls, name, method in [(Base, "a1", None), *changes]:
        if method:
            setattr(cls, name, method)
        elif name in vars(cls):
            delattr(cls, name)
        for x in (Base(3), Derived(3)):
            assert argument(x) == of_argument(x), (cls, name)
        assert other(4) == of_global(4), (cls, name)


def test_texts_that_are_replaced():
    names = {}

    def cell(text):
        lines = text.splitlines(keepends=True)
        linecache.cache["<a cell>"] = (len(text), None, lines, "<a cell>")
        exec(compile(text, "<a cell>", "exec"), names)
        return swathe.njit(names["f"], cache=False)

    first = cell("def f(x):\n    return x + 1\n")
    also = cell("def f(x):\n    return x + 1\n")
    assert (first(1), also(1)) == (2, 2)
    late = cell("def f(x):\n    return x + 1\n")
    now = cell("def f(x):\n    return x + 2\n")
    assert (first(1), now(1)) == (2, 3)
    with pytest.raises(swathe.CompileError, match="its text has been replaced"):
        late(1)
