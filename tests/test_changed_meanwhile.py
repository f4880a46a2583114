# SPDX-License-Identifier: BSD-3-Clause
"""Lists and dicts that change while something goes through them, as in CPython: a list is asked
for its length each time, and a dict that has become larger or smaller is an error."""

from __future__ import annotations

import pytest
from test_container_forms import made
from test_lists import check

LISTS = [
    "x",
    "iter(x)",
    "enumerate(x)",
    "enumerate(x, 3)",
    "zip(x, x)",
    "zip(x, range(4))",
    "zip(range(4), x)",
    "zip(x, (7, 8, 9))",
    "zip(x, x[:])",
    "zip(x, [6, 5, 4])",
    "reversed(x)",
    "enumerate(reversed(x))",
    "zip(reversed(x), x)",
    "zip(x, enumerate(x))",
    "(v + 1 for v in x)",
    "(v for v in x if v > 1)",
    "((v, w) for v in x for w in x)",
    "((v, w) for v in range(2) for w in reversed(x))",
    "zip(x, x, strict=True)",
    "map(abs, x)",
    "filter(None, x)",
    "[v for v in x]",
    "x[:2]",
    "sorted(x)",
]
LIST_CHANGES = [
    "if len(x) < 7: x.append(9)",
    "if x: x.pop()",
    "x.clear()",
    "if len(x) > 1: del x[0]",
    "x[-1] += 1",
    "if len(x) < 6: x.insert(0, 5)",
    "if len(x) < 6: x.extend([4, 5])",
    "if len(x) > 2: x[1:] = [3]",
]
DICTS = [
    "x",
    "x.keys()",
    "x.values()",
    "x.items()",
    "enumerate(x)",
    "enumerate(x.items())",
    "zip(x, range(3))",
    "zip(range(3), x.values())",
    "zip(x.items(), x)",
    "reversed(x)",
    "reversed(x.items())",
    "zip(reversed(x), x)",
    "(v + 1 for v in x)",
    "((v, w) for v in x for w in x)",
    "list(x)",
    "map(abs, x)",
]
DICT_CHANGES = [
    "x[len(x) + 9] = 1",
    "x.popitem()",
    "x.clear()",
    "del x[1]",
    "x[1] += 4",
    "if 1 in x: x.pop(1)",
]
LOOP = "out = []\nfor v in {}:\n    out.append(v)\n    {}\nreturn out, x"
LAST = (
    "n = 0\nfor v in {}:\n    n += 1\n    {}\n"
    "    if n == 2:\n        break\nelse:\n    n = -n\nreturn n, x"
)
INSIDE = "def step(v):\n    {1}\n    return v\nreturn [step(v) for v in {0}], x"
CALLED = "def step():\n    {1}\n    return 1\nreturn sum(step() for v in {0}), x"
SHAPES = [LOOP, LAST, INSIDE, CALLED]


def judge(shape: str, iterable: str, changes: list[str], folder, argument) -> None:
    for k, change in enumerate(changes):
        into = folder / str(k)
        into.mkdir()
        check(made(shape.format(iterable, change), into), argument)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("iterable", LISTS)
def test_list(iterable, shape, tmp_path):
    judge(SHAPES[shape], iterable, LIST_CHANGES, tmp_path, [3, 1, 2])


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("iterable", DICTS)
def test_dict(iterable, shape, tmp_path):
    judge(SHAPES[shape], iterable, DICT_CHANGES, tmp_path, {3: 1, 1: 5, 4: 2})


KEYED = [
    "max(x, key=step)",
    "min(x, key=step)",
    "sorted(x, key=step)",
    "list(map(step, x))",
    "any(map(step, x))",
]


KEY = "def step(v):\n    {1}\n    return -v\nreturn {0}, x"


@pytest.mark.parametrize("call", KEYED)
def test_key(call, tmp_path):
    judge(KEY, call, LIST_CHANGES, tmp_path, [3, 1, 2])


def test_nested(tmp_path):
    body = (
        "out = []\nfor a in x:\n    for b in a:\n        out.append(b)\n"
        "        if len(a) < 5:\n            a.append(b + 1)\n"
        "    if len(x) < 4:\n        x.append([b])\nreturn out, x"
    )
    check(made(body, tmp_path), [[1], [], [2, 3]])
