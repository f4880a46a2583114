"""Attributes, methods, truth, parts and dicts of values of one type or another."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from swathe import njit


class P:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.w = 2

    def get(self, k: Any) -> Any:
        return self.v + k


class Q:
    def __init__(self, s: Any) -> None:
        self.v = s

    def get(self, k: Any) -> Any:
        return self.v * k


class B:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __bool__(self) -> bool:
        return self.n > 0


def upper(x: Any) -> Any:
    r = []
    for v in x:
        try:
            r.append(v.upper())
        except AttributeError as e:
            r.append(str(e))
    return r


def append(x: Any) -> Any:
    x[1].append(3)
    return len(x)


def count(x: Any) -> Any:
    return [v.count("a") for v in x]


def split(x: Any) -> Any:
    return x[0].split(",", 1), x[0].split(sep=","), x[0].replace("a", "b", 1)


def real(x: Any) -> Any:
    return x[0].real, x[1].real


def get(x: Any) -> Any:
    return x[0].get("a", 0)


def sort(x: Any) -> Any:
    return x[0].sort(key=lambda v: -v)


def fields(k: int) -> Any:
    o = [P(1), Q("ab"), 3][k]
    return o.v, o.get(4)


def field_of_one(k: int) -> Any:
    return [P(1), Q("ab"), 3][k].w


def truths(x: Any) -> Any:
    return (
        [v or "none" for v in x],
        [v and "yes" for v in x],
        [(v or 5) and v for v in x],
        [v if v else "empty" for v in x],
        [not v for v in x],
        x[2] or x[1] or "end",
    )


def flags(x: Any) -> Any:
    return [(v is True, v is not False) for v in x]


def of_instances(k: int) -> Any:
    a, b, c = B(k), B(k - 1), B(9)
    return (a or c).n, ((a or b) and c).n, (a or b or c).n, (a and b and c).n


def parts(x: Any) -> Any:
    r = []
    for v in x:
        try:
            a, b = v
            r.append((a, b))
        except (TypeError, ValueError) as e:
            r.append(("error", str(e)))
    return r


def within(x: Any) -> Any:
    return [v in ("+", "-") for v in x], [v not in ("+", "-") for v in x]


def class_names(x: Any) -> Any:
    return [type(v).__name__ for v in x]


def matched(x: Any) -> Any:
    out = []
    for v in x:
        match v:
            case bool():
                out.append("bool")
            case int():
                out.append("int %d" % v)
            case str():
                out.append("str " + v)
            case float():
                out.append("float")
            case (_, _):
                out.append("pair")
            case None:
                out.append("none")
    return out


def told_apart(x: Any) -> Any:
    out = []
    for v in x:
        if isinstance(v, str):
            out.append("str " + v)
        elif isinstance(v, int):
            out.append("int " + str(v))
        elif isinstance(v, float):
            out.append("float " + str(v))
        else:
            out.append("other")
    return out


def numbers(x: Any) -> Any:
    return [v + 1 for v in x if isinstance(v, (int, float))], [-v for v in x if v != "a"]


def cell(s: str) -> Any:
    s = s.strip()
    if s.isdigit():
        return int(s)
    try:
        return float(s)
    except ValueError:
        pass
    if s == "":
        return None
    return s


def cells(text: str) -> Any:
    return [[cell(c) for c in line.split(",")] for line in text.split("\n")]


def walk(v: Any) -> Any:
    if isinstance(v, dict):
        return "{" + ",".join(k + ":" + walk(w) for k, w in v.items()) + "}"
    return str(v)


def walk_literal() -> Any:
    return walk({"k": {"k": 1, "m": "x", "z": 5}, "m": 2})


def leaves(v: Any) -> Any:
    if isinstance(v, dict):
        return sum([leaves(w) for w in v.values()])
    return 1


def leaves_literal() -> Any:
    return leaves({"k": {"k": 1, "m": "x", "z": 5}, "m": 2})


def show(e: Any) -> Any:
    if isinstance(e, (int, str)):
        return str(e)
    op, a, b = e
    return "(" + show(a) + op + show(b) + ")"


def diff(e: Any) -> Any:
    if isinstance(e, int):
        return 0
    if isinstance(e, str):
        return 1
    op, a, b = e
    if op == "+":
        return ("+", diff(a), diff(b))
    return ("+", ("*", diff(a), b), ("*", a, diff(b)))


def derivative(e: Any) -> Any:
    return show(diff(e))


MIXED = [1, "", 0, "x", [], [1], None, 2.5, 0.0, False, {}]

CALLS: list[tuple[Any, Any]] = [
    (upper, [1, "a", 2.5, None, [1], (1,), {1: 2}, {1}]),
    (append, ["a", [1]]),
    (append, [[1], "a"]),
    (count, ["aab", ["a", 1], ("a", "a")]),
    (split, ["a,b,c", 1]),
    (split, [1, "a,b,c"]),
    (real, [1, 2.5, "a"]),
    (real, [1, "a"]),
    (get, [{"a": 1}, "x"]),
    (get, ["x", {"a": 1}]),
    (sort, [[1, 3], "x"]),
    *[(fields, k) for k in range(3)],
    *[(field_of_one, k) for k in range(3)],
    (truths, MIXED),
    (truths, ["a", 0, "", 5]),
    (flags, [1, True, "a", False, None]),
    *[(of_instances, k) for k in range(-1, 3)],
    (parts, [(1, "a"), [2, 3], "xy", "abc", 5, (1,), [1]]),
    (within, ["+", 1, None, "x"]),
    (class_names, [1, "a", None, 2.5, [1], True]),
    (matched, [1, "a", 2.5, True, None, (1, 2)]),
    (told_apart, [1, "a", 2.5, (1, 2), None]),
    (numbers, [1, 2.5, "a", 3]),
    (cells, "a,1,2.5,\nb,x,3,4"),
    (walk, {"k": {"k": 1, "m": "x", "z": 5}, "m": 2}),
    (walk, {"k": {"m": 1, "k": "x"}, "m": 2}),
    (walk, {"k": {"x": 1, "y": 2}, "m": 2}),
    (leaves, {"k": {"k": 1, "m": "x", "z": 5}, "m": 2}),
    (derivative, ("+", ("*", "x", "x"), 3)),
]


def outcome(f: Any, arg: Any) -> Any:
    try:
        return repr(f(arg)), repr(arg)
    except (AttributeError, TypeError) as e:
        return type(e).__name__, str(e).split("\n")[0]


@pytest.mark.parametrize("k", range(len(CALLS)))
def test_as_python(k: int) -> None:
    f, arg = CALLS[k]
    assert outcome(njit(f), copy.deepcopy(arg)) == outcome(f, copy.deepcopy(arg))


@pytest.mark.parametrize("f", [walk_literal, leaves_literal])
def test_dicts_that_are_written(f: Any) -> None:
    assert njit(f)() == f()


@pytest.mark.parametrize(
    "x", [[None, 0.5], [0.5, None], [True, None], ["a", None], [(1, "b"), None]]
)
def test_names_of_classes_where_none_is(x):
    def f(x):
        return [type(v).__name__ for v in x], [v.__class__.__name__ for v in x]

    assert njit(f)(x) == f(x)
