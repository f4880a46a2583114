# SPDX-License-Identifier: BSD-3-Clause
"""Displays of many values that are known: these stand in tables, also where a name has them first,
so that code does not grow with their number, and no loop over them is written out."""

from __future__ import annotations

import pytest
from harness import ORACLE

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")

ELEMENTS = {
    "ints": list(range(-5, 35)),
    "floats": [k * 0.5 for k in range(40)],
    "flags": [k % 3 == 0 for k in range(40)],
    "texts": ["é" * (k % 3) + str(k) for k in range(40)],
    "pairs": [(k, k * 0.5) for k in range(40)],
    "named": [(k, str(k)) for k in range(40)],
    "gaps": [None if k % 5 == 0 else k for k in range(40)],
    "short": ["a", "", "é"] * 15,
}
BODY = """
def second(d, i):
    return d[i + 1]

def f(x):
    D = {display}
    E = D
    some = []
    for v in D:
        some.append(v)
    for k, v in enumerate(E):
        if k == x:
            some.append(v)
    try:
        some.append(D[x * 100])
    except IndexError:
        some.append(second(E, x))
    def kth(i):
        return D[i]
    return D[x], D[-x], kth(x), some, len(D + E), [a for a, b in zip(D, E) if a == b][x]
"""
CHANGED = """
def f(x):
    total = []
    for r in range(3):
        D = {display}
        D[r] = D[x]
        D.append(D[r + 1])
        E = D
        E[-1] = D[x + r]
        total.append(D)
        D = D[x:]
        total.append(D)
    return total
"""


def written(tmp_path, text, display):
    file = tmp_path / "display.py"
    file.write_text(text.replace("{display}", display))
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["f"]


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("elements", ELEMENTS)
def test_elements(tmp_path, elements, kind):
    f = written(tmp_path, BODY, repr(kind(ELEMENTS[elements])))
    compiled = swathe.njit(cache=False)(f)
    for x in (3, 0, 10):
        assert repr(compiled(x)) == repr(f(x))


@pytest.mark.parametrize("elements", ["ints", "texts", "pairs"])
def test_each_list_is_its_own(tmp_path, elements):
    f = written(tmp_path, CHANGED, repr(ELEMENTS[elements]))
    compiled = swathe.njit(cache=False)(f)
    for x in (3, 0):
        assert repr(compiled(x)) == repr(f(x))


LOOP = """
def f(x):
    D = {display}
    s = 0
    for v in D:
        s += len(v) if v == x else 1
    return s, D[3]
"""


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("text", [False, True])
def test_code_does_not_grow(tmp_path, monkeypatch, capfd, kind, text):
    lines = []
    body = LOOP if text else LOOP.replace("len(v)", "v")
    for n in (100, 400):
        display = repr(kind(str(k) if text else k for k in range(n)))
        f = written(tmp_path, body, display)
        capfd.readouterr()
        monkeypatch.setenv("SWATHE_DUMP", "lower")
        assert swathe.njit(cache=False)(f)("7" if text else 7) == f("7" if text else 7)
        lines.append(capfd.readouterr().err.count("\n"))
    assert 10 < lines[1] < lines[0] + 620  # a tuple has a variable for each element
