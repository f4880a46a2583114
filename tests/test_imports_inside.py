# SPDX-License-Identifier: BSD-3-Clause
"""Imports inside functions bind names where CPython binds them, or are refused."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import swathe

K = -3


def r(v):
    return v + 100


def module_of(name, k):
    m = types.ModuleType(name)
    m.K, m.fn, m.A = k, lambda v: v * k, np.arange(3) * k
    return m


@pytest.fixture
def modules(monkeypatch):
    for name, k in (("inside_one", 5), ("inside_two", 7)):
        monkeypatch.setitem(sys.modules, name, module_of(name, k))


def blocks(x):
    import math

    from numpy.linalg import norm

    if x > 1:
        import cmath as c

        y = c.sqrt(-x).imag
    else:
        y = math.pi
    with np.errstate(all="ignore"):
        import heapq as hq

    def g(v):
        import math

        return math.floor(v) + np.pi

    def h(v):
        return math.ceil(v)

    q = [3, 1]
    hq.heapify(q)
    return y, g(1.5), norm(np.ones(3)), h(0.5), [math.sqrt(k) for k in range(x)], q


def both_branches(x):
    if x > 1:
        from inside_one import K
    else:
        from inside_one import K
    return [K for _ in range(2)], [K for K in range(2)], (lambda K: K)(x), K


def two_functions(x):
    def g(v):
        from inside_one import fn

        return fn(v)

    def h(v):
        from inside_one import A, fn

        return fn(v) + A[v]

    return g(x), h(x)


RIGHT = [blocks, both_branches, two_functions]


@pytest.mark.parametrize("f", RIGHT)
def test_right(f, modules):
    g = swathe.njit(f, cache=False)
    for x in (1, 2):
        assert repr(g(x)) == repr(f(x))


WRONG = [
    "if x > 2:\n  from inside_one import K\nelse:\n  from inside_two import K\nreturn K",
    "from inside_one import K\ny = K\nfrom inside_two import K\nreturn y, K",
    "def g(v):\n  from math import ceil as r\n  return r(v)\nreturn g(x), r(x)",
    "def g(v):\n  from math import ceil as r\n  return r(v)\nreturn (lambda: r(x))(), g(x)",
    "def g(v): return r(v)\nfrom math import ceil as r\nreturn g(x), r(x)",
    "y = K\nfrom inside_one import K\nreturn y + K",
    "for K in range(3): pass\nfrom inside_one import K\nreturn K",
    "from inside_one import K\nK = K + x\nreturn K",
    "from inside_one import K\nfor i in range(x): K += i\nreturn K",
    "from inside_one import fn as x\nreturn x",
    "if x > 2:\n  from inside_one import K\nreturn K",
    "if x is None:\n  from inside_one import K\nreturn K",
    "if x is None:\n  from inside_missing import K\nreturn K",
    "while x > 0:\n  x -= 1\n  import inside_one\nreturn inside_one.K",
    "def g():\n  from inside_one import K\n  return K\nreturn g(), K",
    "global K\nfrom inside_one import K\nreturn K",
    "from inside_one import K\ndel K\nreturn x",
    "try:\n  from inside_missing import K\nexcept ImportError:\n  K = 1\nreturn K",
]


def test_wrong(modules, tmp_path):
    for i, body in enumerate(WRONG):
        text = "def f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
        path = tmp_path / f"wrong{i}.py"
        path.write_text(text)
        space = {"K": K, "r": r}
        exec(compile(text, str(path), "exec"), space)
        with pytest.raises(swathe.UnsupportedError, match="import"):
            swathe.njit(space["f"], cache=False)(1)


def test_what_a_module_holds_is_looked_at_before_each_call(modules):
    @swathe.njit(cache=False)
    def f(x):
        from inside_one import K, fn

        return K + fn(x)

    @swathe.njit(cache=False)
    def g(x):
        import inside_one as m

        return m.K + m.A[x]

    assert (f(1), g(1)) == (10, 10)
    sys.modules["inside_one"].K = 100
    sys.modules["inside_one"].fn = lambda v: -v
    sys.modules["inside_one"].A[1] = 50
    assert (f(1), g(1)) == (99, 150)
    sys.modules["inside_one"] = module_of("inside_one", 2)
    assert (f(1), g(1)) == (4, 4)
