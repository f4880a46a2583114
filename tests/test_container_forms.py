# SPDX-License-Identifier: BSD-3-Clause
"""What lists and dicts do, form by form: an argument, and what a function does with it."""

from __future__ import annotations

from typing import Any

import pytest
from test_lists import check

import swathe

FORMS = [
    ("{1: 2}", "return x.pop(3, None), x.pop(1, None), x"),
    ("{1: 2}", "x.pop(3, None)\nx.pop(1, None)\nreturn x"),
    ("{1: [2]}", "return x.pop(1, []), x.pop(1, [3]), x"),
    ("{(1, 2): (3, 0.5)}", "return x.pop((1, 2), None), x.pop((1, 2), (0, 1.5))"),
    ("[3,1,2]", "a, *b = x\nreturn a, b"),
    ("[3,1,2]", "*a, b = x\nreturn a, b"),
    ("[3,1,2]", "a, *b, c = x\nreturn a, b, c"),
    ("[3]", "a, *b, c = x\nreturn a, b, c"),
    ("[]", "a, *b = x\nreturn a, b"),
    ("[]", "*a, = x\nreturn a"),
    ("[1,2,3]", "a, b = x\nreturn a"),
    ("[1]", "a, b = x\nreturn a"),
    ("[(1,2.0),(3,4.0)]", "(a, b), *c = x\nreturn a, b, c"),
    ("[[1,2],[3]]", "(a, *b), *c = x\nreturn a, b, c"),
    ("[1,2,3]", "*a, b = x[:]\na.append(b)\nreturn a"),
    ("[1,2,3]", "*a, b = x\na.append(b)\nreturn a, x"),
    ("[1,2]", "(a, b), c = x, 1\nreturn a+b+c"),
    ("[[1,2],[3,4]]", "s = 0\nfor a, *b in x: s += a + sum(b)\nreturn s"),
    ("[[1,2],[3,4]]", "return [a + b for a, b in x]"),
    ("[3,1,2]", "return max(x, key=lambda v: -v)"),
    ("[3,1,2]", "return min(x, key=lambda v: -v)"),
    ("[]", "return max(x, default=7)"),
    ("[3,4]", "return max(x, default=7)"),
    ("[]", "return max(x)"),
    ("[]", "return min(x)"),
    ("[3,4]", "return min(x, default=0, key=lambda v: -v)"),
    ("[(1,2),(1,3)]", "return max(x)"),
    ("[(1,2),(0,3)]", "return min(x, key=lambda t: t[1])"),
    ("[1,2]", "return sum(x, 10)"),
    ("[1,2]", "return sum(x, 0.5)"),
    ("[1,2]", "return sum(x, start=3)"),
    ("[0,1]", "return any(x), all(x)"),
    ("[[],[1]]", "return any(x), all(x)"),
    ("[3,1,3]", "return x.index(3, 1), x.index(3, -1, 5), x.index(1, 0, 2)"),
    ("[3,1,3]", "return x.count(3), x.count(9)"),
    ("[3,1,3]", "x.remove(3)\nreturn x"),
    ("[3,1,3]", "x.remove(4)"),
    ("[3,1,3]", "x.reverse()\nreturn x"),
    ("[3,1,3]", "y = x.copy()\ny.append(1)\nreturn x, y"),
    ("[3,1,3]", "x.insert(-1, 9)\nx.insert(100, 8)\nx.insert(-100, 7)\nreturn x"),
    ("[3,1,3]", "x.clear()\nreturn x"),
    ("[3,1,3]", "return x == [3,1,3], x != x, x < [3,2], x <= x, x > [], x >= [4]"),
    ("[3,1,3]", "return [3,1,3] == x"),
    ("[3,1,3]", "return x == (3,1,3)"),
    ("[3]", "return x == [3.0]"),
    ("[3]", "return x < [3.5]"),
    ("[3,1]", "return [0] * 3, x * 2, 2 * x, x + x, x + [1]"),
    ("[3,1]", "return [1] + x"),
    ("[3,1]", "x *= 2\nreturn x"),
    ("[3,1]", "x += (1,2)\nreturn x"),
    ("[3,1]", "x += x\nreturn x"),
    ("[3,1]", "return list(x), list((1,2)), list(range(3))"),
    ("[3,1]", "return sorted(x), sorted(x, reverse=True), list(reversed(x))"),
    ("[3,1]", "return 3 in x, 4 not in x"),
    ("[3,1]", "del x[0]\nreturn x"),
    ("[3,1]", "return x[5]"),
    ("[3,1]", "return x.pop(5)"),
    ("[]", "return x.pop()"),
    ("[3,1]", "return len(x), bool(x), not x"),
    ("[3,1]", "return x[::-1], x[1:], x[-1:]"),
    ("[3,1]", "x[0], x[1] = x[1], x[0]\nreturn x"),
    ("[3,1]", "return [v for v in x if v in x]"),
    ("[3,1]", "return list(enumerate(x)), list(zip(x, x))"),
    ("[3,1]", "return list(map(lambda v: v + 1, x))"),
    ("[3,1]", "return x is x, x is not x, x is None"),
    ("[[1],[2]]", "return [1] in x, x.index([2]), x.count([1])"),
    ("[[1],[2]]", "x.remove([1])\nreturn x"),
    ("[[1,2],[0]]", "x.sort()\nreturn x"),
    ("[(1,2),(1,1)]", "x.sort(key=lambda t: t[1])\nreturn x"),
    ("[True, False]", "return sum(x), max(x), x.count(1)"),
    ("[1.0]", "return x.index(1)"),
    ("[1]", "return x.count(1.0), 1.0 in x"),
    ("[1]", 'assert x, "empty"\nreturn 1 if x else 2'),
    ("[[1]]", "x[0][0] += 2\nreturn x"),
    ("[1,2,3,4]", "return max(x[1:]), sum(x[::2])"),
    ("[1,2,3]", "y = x\ny += [4]\nreturn x is y, x"),
    ("[1,2,3]", "return min(v * v for v in x), max([v for v in x], default=0)"),
    ("[3,1]", "a = x[0]\nx[:] = [a] * 3\nreturn x"),
    ("[3,1]", "del x[:]\nreturn x"),
    ("[3,1]", "return abs(x[0]), float(x[0])"),
    ("{1:2}", "x.update({2:3})\nreturn x"),
    ("{1:2}", "x.update([(5,6)])\nreturn x"),
    ("{1:2}", "x.update(zip([1,2],[3,4]))\nreturn x"),
    ("{1:2}", "x.update({})\nreturn x"),
    ("{1:2}", "x.update()\nreturn x"),
    ("{1:2}", "x.update(x.items())\nreturn x"),
    ("{1:2}", "return x.setdefault(1, 5), x.setdefault(2, 6), x"),
    ("{1:2}", "return x.pop(1, 5), x.pop(1, 5), x"),
    ("{1:2}", "return x.pop(3)"),
    ("{1:2}", "return x.get(1), x.get(2)"),
    ("{1:2}", "return dict([(1, 2), (3, 4)]), dict(zip([1], [2])), dict(x)"),
    ("{1:2}", "return dict(x.items())"),
    ("{1:2}", "return x == {1:2}, x != {1:2}, x == {}, x == {1:3}"),
    ("{1:2.5}", "return x == {1:2}"),
    ("{1:2}", "return 1 in x.keys(), 2 in x.values(), (1, 2) in x.items()"),
    ("{1:2}", "return list(x), list(x.keys()), list(x.values()), list(x.items())"),
    (
        "{1:2}",
        "return sorted(x), sorted(x.items()), max(x), min(x.values()), sum(x), sum(x.values())",
    ),
    ("{1:2}", "return max(x, key=lambda k: -k)"),
    ("{1:2}", "return max(x.items(), key=lambda p: p[1])"),
    ("{1:2}", "return len(x.keys()), len(x.items())"),
    ("{1:2}", "return x.popitem(), x"),
    ("{1:2}", "return x | {3:4}"),
    ("{1:2}", "x |= {3:4}\nreturn x"),
    ("{1:2}", "x |= [(3, 4)]\nreturn x"),
    ("{1:2}", "del x[5]"),
    ("{1:2}", "return x[5]"),
    ("{1:2}", "return [k for k in x], [v for v in x.values()]"),
    ("{1:2}", "return {v: k for k, v in x.items()}"),
    ("{1:2}", "return any(x), all(x.values())"),
    ("{1:2}", "return bool(x), not x, len(x)"),
    ("{1:2}", "x.clear()\nreturn x"),
    ("{1:2}", "y = x.copy()\ny[1] = 5\nreturn x, y"),
    ("{1:[2]}", "for k, v in x.items(): v.append(k)\nreturn x"),
    ("{1:2,3:4}", "a, b = x\nreturn a, b"),
    ("{1:2,3:4}", "a, *b = x\nreturn a, b"),
    ("{1:2,3:4}", "a, *b = x.values()\nreturn a, b"),
    ("{1:2,3:4}", "return list(reversed(x))"),
    ("{1:2,3:4}", "return list(enumerate(x)), list(zip(x, x.values()))"),
    ("{1:2,3:4}", "for i, (k, v) in enumerate(x.items()): x[k] = i + v\nreturn x"),
    ("{1:2,3:4}", "return x.keys() == {1:0, 3:0}.keys()"),
    ("{1:2,3:4}", "return x is x, x is None"),
    ("{(1,2):3}", "return x[1, 2], (1, 2) in x, x.get((2, 1), 0)"),
    ("{1:2}", "for k in x: x[k + 10] = 1"),
    ("{1:2}", "x[1] = x[1] * 2\nx[1] -= 1\nreturn x"),
    ("{1:2}", "return {} == x, {1: 2} == x"),
    ("{1:{2:3}}", "x[1][2] += 1\nreturn x"),
    ("{1:2}", "return (lambda d: d[1])(x)"),
    ("{1:(2,3)}", "a, b = x[1]\nreturn a + b"),
    ("[3, 1]", "return max(x[0], x[1], key=lambda v: -v)"),
]
REFUSED = [
    ("[3, 1]", "return x < x < [9]", "a chain of comparisons"),
    ("{1: 2}", "return x < x", "'<' not supported between"),
]


def made(body: str, folder: Any, params: str = "x") -> Any:
    file = folder / "form.py"
    file.write_text(f"def f({params}):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["f"]


@pytest.mark.parametrize(("argument", "body"), FORMS)
def test_form(argument, body, tmp_path):
    check(made(body, tmp_path), eval(argument))


@pytest.mark.parametrize(("argument", "body", "match"), REFUSED)
def test_refused(argument, body, match, tmp_path):
    with pytest.raises((TypeError, swathe.errors.UnsupportedError), match=match):
        swathe.njit(made(body, tmp_path))(eval(argument))


def test_unpacking_of_nothing():
    @swathe.njit
    def f(n):
        for a, *b in ():
            n += a
        for a, b in ():
            n += b
        return n

    assert f(3) == 3
