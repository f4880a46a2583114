# SPDX-License-Identifier: BSD-3-Clause
"""A `def` that binds a name to one of several functions, or where None was, in blocks that an
exception may leave; displays of unlike functions as lists; subjects of `match` that are unbound."""

import traceback

import pytest
from harness import define

import swathe

FIRST = {
    "def": "def k():\n    return 0.5",
    "lambda": "k = lambda: 0.5",
    "none": "k = None",
    "nothing": "pass",
}
SECOND = {
    "def": "def k():\n    return n * 1.5",
    "lambda": "k = lambda: n * 1.5",
    "choice": "if n > 1:\n    def k():\n        return n * 2.5",
}
AROUND = {
    "try": "try:\n    <A>\n    if n == 1:\n        raise ValueError\n    <B>\nexcept ValueError:\n"
    "    n += 10",
    "finally": "try:\n    <A>\n    <B>\nfinally:\n    n += 10",
    "behind": "<A>\ntry:\n    if n == 1:\n        raise ValueError\n    <B>\nexcept ValueError:\n"
    "    n += 10",
    "handler": "try:\n    <A>\n    if n == 1:\n        raise ValueError\n"
    "except ValueError:\n    <B>",
    "with": "<A>\nwith suppress(ValueError):\n    <B>\n    if n == 1:\n        raise ValueError",
    "loop": "for i in range(n):\n    try:\n        <A>\n        if i == 1:\n            continue\n"
    "        <B>\n    finally:\n        n += 1",
}


def indented(text, by):
    return text.replace("\n", "\n" + " " * by)


def program(first, second, around):
    text = AROUND[around]
    for mark, lines in ("<A>", FIRST[first]), ("<B>", SECOND[second]):
        at = text.index(mark)
        text = text.replace(mark, indented(lines, at - text.rfind("\n", 0, at) - 1))
    head = "from contextlib import suppress\n\ndef f(n):\n    "
    return head + indented(text, 4) + "\n    return k() if k is not None else -1.0, n\n"


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        lines = [x.lineno for x in traceback.extract_tb(e.__traceback__) if x.name == "f"]
        return type(e).__mro__[-4:], str(e).split("\n", maxsplit=1)[0], lines[-1:]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("first", FIRST)
def test_functions_are_bound_in_blocks(first, second, around):
    f = define(program(first, second, around), "f")
    g = swathe.njit(f)
    for n in range(4):
        assert outcome(g, n) == outcome(f, n), (n, program(first, second, around))


LISTS = (
    "fs[i](3) * 1.0",
    "isinstance(fs, list), isinstance(fs, tuple), fs == [g, h], fs == (g, h), fs != [h, g]",
    "fs[:] == [g, h], fs[::-1] == [h, g], tuple(fs) == (g, h), len(fs + [g]), len(fs * 2)",
    "fs.index(h), g in fs, [q(2) * 1.0 for q in fs]",
    "grown(fs), len(fs), fs[i](1) * 1.0",
    "sum([q(1) * 1.0 for q in fs]), max(fs, key=lambda q: q(3))(2) * 1.0",
)


@pytest.mark.parametrize("shown", LISTS)
def test_unlike_functions_are_in_a_list(shown):
    f = define(
        "def g(x):\n    return x + 1\n\n\ndef h(x):\n    return x * 2.5\n\n\n"
        "def grown(fs):\n    fs.append(g)\n    return len(fs)\n\n\n"
        f"def f(i):\n    fs = [g, h]\n    return {shown}\n",
        "f",
    )
    g = swathe.njit(f)
    for i in (0, 1, -2, 2, 3):
        assert outcome(g, i) == outcome(f, i)


def test_functions_are_deleted_and_returned():
    def g(x):
        return x + 1.0

    def h(x):
        return x * 2.5

    def deleted(i):
        fs = [g, h]
        also = fs
        del fs[i]
        return len(also), also[0](3)

    def returned(i):
        return [g, lambda x: x * i]

    for i in (0, 1, -1, 2):
        assert outcome(swathe.njit(deleted), i) == outcome(deleted, i)
    found = swathe.njit(returned)(3)
    assert type(found) is list
    assert [q(2.0) for q in found] == [3.0, 6.0]


CASES = ("_", "y", "3", "int()", "_ if n < 3", "y if y == 1", "3 | 4", "None")


@pytest.mark.parametrize("case", CASES)
def test_an_unbound_subject_is_read_where_it_stands(case):
    f = define(
        "def f(n):\n    if n:\n        x = n\n    match x:\n"
        f"        case {case}:\n            return 1\n    return 2\n",
        "f",
    )
    for n in (0, 1, 3):
        assert outcome(swathe.njit(f), n) == outcome(f, n)
