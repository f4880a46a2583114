# SPDX-License-Identifier: BSD-3-Clause
"""Comprehensions are loops: what `:=` binds in one iteration the next one reads, and after none it
is as before. A list is made whole, whoever takes only a part of it."""

import numpy as np
import pytest
from harness import check, define

HEAD = """
def bump(a):
    a[0] += 1
    return a[0]
"""
# what is bound before; what binds it
CARRIED = """\
0 | [(y := y + i) for i in range(4)]
n | [(y := y + i) for i in range(4)]
0 | [(y := y + i) for i in range(0)]
0 | sum((y := y + i) for i in range(4))
0 | sum([(y := y + i) for i in range(4)])
0 | max((y := y + i) for i in range(4))
0 | min([(y := y + i) for i in range(4)])
0 | any((y := y + 1) > 3 for i in range(10))
True | all([(y := not y) for i in range(4)])
0 | np.array([(y := y + i) for i in range(4)])
0 | [i for i in range(6) if (y := y + 1) % 2]
0 | [y for i in range(4) if (y := y + i) >= 0]
0 | [[(y := y + 1) for j in range(2)] for i in range(3)]
0 | [(y := y + j) for i in range(3) for j in range(i)]
2 | [(y := y + 1) for i in range(3) for j in range(y)]
0 | {i: (y := y + 1) for i in range(3)}
-1 | dict((i, (y := y + 1)) for i in range(3))
0 | list((y := y + i) for i in range(4))
0 | sorted((y := y + i) for i in range(4))
0 | next((y := y + i) for i in range(3) if i)
0.5 | [(y := y * 2) for i in range(4)]
0.0 | [(y := y + float(v)) for v in a]
0 | [(y, (y := i)) for i in range(3)]
(1, 2) | [(y := (y[1], y[0] + y[1]))[0] for i in range(5)]
[0] | [len(y := y + [i]) for i in range(3)]
np.zeros(2) | [float((y := y + 1)[0]) for i in range(3)]
None | [(y := i) for i in range(4) if y is None or y < 2]"""
LISTS = """\
any([bump(a) > 0 for i in range(4)])
all([bump(a) < 0 for i in range(4)])
any([k for k in range(1, 3) if bump(a) > 0])
any([True for k in range(3) for j in range(int(bump(a)))])
any(bump(a) > 2 for i in range(4))
all(bump(a) < 2 for i in range(4))
all([1 // (i - 1) < 0 for i in range(3)])
any([bump(a) for k in range(3)])"""
LOOPS = [
    "for k in range(3):\n        r = [(y := y + i) for i in range(3)]",
    "while y < 20:\n        r = [(y := y + i) for i in range(3)]",
    "for k in range(3):\n        r = sum((y := y + i) for i in range(3))",
    "r = 0\n    for v in ((y := y + i) for i in range(4)):\n        r += v * y",
]


def program(lines, result="r, y, a"):
    return define(f"{HEAD}\ndef f(n, a):\n    {lines}\n    return {result}\n", "f")


def args():
    return 1, np.arange(1.0, 4.0)


@pytest.mark.parametrize("form", CARRIED.split("\n"))
def test_the_next_iteration_reads_what_the_last_one_bound(form):
    before, text = form.split(" | ")
    check(program(f"y = {before}\n    r = {text}"), *args(), promoted=True)


@pytest.mark.parametrize("lines", LOOPS)
def test_in_loops(lines):
    check(program(f"y = 0\n    {lines}"), *args())


@pytest.mark.parametrize("text", LISTS.split("\n"))
def test_a_list_is_made_whole(text):
    raises = ZeroDivisionError if "//" in text else None
    check(program(f"r = {text}", "r, a"), *args(), raises=raises)


@pytest.mark.parametrize("n", [0, 1])
def test_without_an_iteration_nothing_is_bound(n):
    f = program("r = [(y := i) for i in range(n)]", "y")
    check(f, n, args()[1], raises=None if n else UnboundLocalError)
