# SPDX-License-Identifier: BSD-3-Clause
"""Second versions of loops have a budget: long functions keep one version, and say so."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import swathe

sys.path.insert(0, str(Path(__file__).parent / "diff"))
from harness import define  # noqa: E402

SPENT = "budget spent"


def expressions(n):
    """Each of them may broadcast either operand, which is known only when it runs."""
    lines = [f"    c = a * {i}.5 + b\n    s += c[0, -1]\n" for i in range(n)]
    return define("def f(a, b):\n    s = 0.0\n" + "".join(lines) + "    return s, c\n", "f")


def rows(n):
    """Loops over rows, of arrays that may share memory and whose rows may be contiguous."""
    terms = " + ".join(f"a[i, j] * b[i, j + {t}]" for t in range(30))
    loop = "    for i in range(len(x)):\n        for j in range(len(k)):\n"
    lines = [f"{loop}            x[i, k[j]] = {terms} - {j}.5\n" for j in range(n)]
    return define("def f(a, b, x, k):\n" + "".join(lines) + "    return x\n", "f")


def test_few_versions_are_made():
    a, x = np.ones((5, 90))[:, ::2], np.ones((5, 8))[:, ::2]
    few, one = swathe.jit(expressions(3)), swathe.jit(rows(2))
    few(a, a)
    one(a, a, x, np.arange(4))
    assert SPENT not in str(few.explain()) + str(one.explain())


def test_many_expressions():
    plain = expressions(16)
    f = swathe.jit(plain)
    a = np.random.default_rng(1).random((6, 7))
    for b in (a, a[:1], a[:, :1], a[:1, :1], a[::-1]):
        np.testing.assert_array_equal(f(a, b)[1], plain(a, b)[1])
        assert f(b, a)[0] == plain(b, a)[0]
    assert SPENT in str(f.explain())


def test_many_loops():
    plain = rows(17)
    f = swathe.jit(plain)
    a = np.random.default_rng(1).random((5, 90))[:, ::2]
    for k in (np.arange(4)[::-1].copy(), np.array([0, 3, 1, 4]), np.array([-5, 0, 1])):
        outcomes = []
        for g in (f, plain):
            x = np.zeros((5, 8))[:, ::2]
            try:
                g(a, a, x, k)
            except IndexError:
                outcomes.append((x, "IndexError"))
            else:
                outcomes.append((x, ""))
        np.testing.assert_array_equal(outcomes[0][0], outcomes[1][0])
        assert outcomes[0][1] == outcomes[1][1]
    assert SPENT in str(f.explain())
