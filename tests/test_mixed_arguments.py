"""Arguments whose elements, values or keys are of one type or another, and what is written back."""

from __future__ import annotations

import copy
import enum
from collections import deque, namedtuple
from typing import Any

import numpy as np
import pytest

from swathe import njit


class Base:
    def __init__(self, v: Any) -> None:
        self.v = v


class One(Base):
    def name(self) -> Any:
        return 1


class Two(Base):
    def name(self) -> Any:
        return 2


class Word:
    def __init__(self, w: Any) -> None:
        self.w = w


class Kind(enum.Enum):
    X = 1
    Y = 2


Point = namedtuple("Point", "x y")


def same(x: Any) -> Any:
    return x


def texts(x: Any) -> Any:
    return [str(v) for v in x]


def elements(x: Any) -> Any:
    return [v for v in x]


def sliced(x: Any) -> Any:
    return x[::-1], x[1:], x + ["k"], x * 2


def items(d: Any) -> Any:
    return [str(k) + "=" + str(v) for k, v in d.items()]


def turned(d: Any) -> Any:
    return [(b, a) for a, b in d]


def walk(v: Any) -> Any:
    if isinstance(v, dict):
        return "{" + ",".join([str(k) + ":" + walk(w) for k, w in v.items()]) + "}"
    if isinstance(v, list):
        return "[" + ",".join([walk(w) for w in v]) + "]"
    return str(v)


def change(x: Any) -> Any:
    for i, v in enumerate(x):
        if v is None:
            x[i] = "none"
        elif isinstance(v, int):
            x[i] = v + 1
    x.append("end")
    return len(x)


def change_values(d: Any) -> Any:
    for k in list(d):
        v = d[k]
        if isinstance(v, str):
            del d[k]
        elif isinstance(v, list):
            v.append(9)
    d["new"] = "n"
    return len(d)


def kinds(x: Any) -> Any:
    t = 0
    for o in x:
        if isinstance(o, One):
            t += o.v
        elif isinstance(o, Two):
            t += 10 * o.v
        elif isinstance(o, Word):
            t += 1000 * len(o.w)
        elif isinstance(o, str):
            t += 100000
        else:
            t += 100
    return t


def names(x: Any) -> Any:
    t = 0
    for o in x:
        if isinstance(o, Base):
            t = 10 * t + o.name()
    return t


def exact(x: Any) -> Any:
    n = 0
    for o in x:
        if type(o) is One:
            n += 1
        if type(o) is Two:
            n += 10
        if type(o) is int:
            n += 100
    return n


def members(x: Any) -> Any:
    return [v == Kind.X for v in x]


def is_same(x: Any, y: Any) -> Any:
    y.append("z")
    return x is y


def added(x: Any) -> Any:
    return [v + v for v in x]


def made_of_classes(k: int) -> Any:
    x = [One(1), Two(2), 3]
    return kinds(x) + names(x) + exact(x) + k


DOC = {"k": [1, "a", None, 2.5, True], "m": {"x": 1, "y": [1, 2]}, "e": [], "d": {}}

CALLS: list[tuple[Any, Any]] = [
    (same, [1, "a"]),
    (same, {"a": 1, "b": "x"}),
    (same, DOC),
    (texts, [1, "a", 2.5, None, True]),
    (texts, [2.5, 1, "a"]),
    (texts, {1, "a", (1, 2)}),
    (texts, deque([1, "a"])),
    (elements, [np.int64(3), "x"]),
    (elements, [Point(1, 2), "a"]),
    (elements, [Point(1, 2), (1, 2), 5]),
    (elements, [b"a", "x", 1j, 2]),
    (sliced, [1, "b"]),
    (sliced, [True, 1, 2]),
    (sliced, [[], {}, "x", 1, (1,), None]),
    (sliced, [(1, 2), ("a", 3)]),
    (items, {"a": 1, "b": "x", "c": [1, 2], "d": None}),
    (items, {1: 2, "a": 3}),
    (items, {(1, 2): "x", "a": 3}),
    (turned, [(1, "a"), ("b", 2)]),
    (turned, [(1, 2.5), (2, "b"), (None, 1)]),
    (walk, DOC),
    (walk, [1, [2, [3, "a"]], {"z": [1]}]),
    (walk, [{"name": "a", "n": 1}, {"name": "b"}, {"name": None, "tags": ["x"]}]),
    (change, [1, None, "a", 4]),
    (change_values, {"a": 1, "b": "x", "c": [1]}),
    (kinds, [One(1), Two(2), 3]),
    (kinds, [One(1), Word("ab"), 3]),
    (kinds, [One(1), Two(2), Word("abc"), "s"]),
    (kinds, [One(1), Two(2)]),
    (names, [One(1), Two(2), "x", Two(3)]),
    (exact, [One(1), Two(2), 3]),
    (members, [Kind.X, "a", Kind.Y]),
    (added, [1, "a", 2.5, (1, 2)]),
    (made_of_classes, 5),
]


def shown(x: Any) -> str:
    """Instances by their classes and fields."""
    if isinstance(x, (Base, Word)):
        return f"{type(x).__name__}{vars(x)}"
    if isinstance(x, (list, tuple)):
        return type(x).__name__ + "[" + ",".join(map(shown, x)) + "]"
    return repr(x)


@pytest.mark.parametrize("k", range(len(CALLS)))
def test_as_python(k: int) -> None:
    f, arg = CALLS[k]
    a, b = copy.deepcopy(arg), copy.deepcopy(arg)
    g = njit(f)
    assert shown(g(a)) == shown(f(b))
    assert shown(a) == shown(b)
    a, b = copy.deepcopy(arg), copy.deepcopy(arg)
    assert shown(g(a)) == shown(f(b))


def test_elements_stay_the_objects_that_they_are() -> None:
    inner, text = [1, 2], "a" * 50
    x: Any = [inner, text, None, 10**15]
    was = list(x)
    assert njit(change)(x) == 5
    assert x[0] is inner and x[1] is text and x[2:] == ["none", 10**15 + 1, "end"]
    y = [*was[:2], was[3]]
    assert njit(same)(y) is y
    assert y[0] is inner and y[1] is text and y[2] is was[3]


def test_one_list_passed_twice() -> None:
    x = [1, "a"]
    assert njit(is_same)(x, x)
    assert x == [1, "a", "z"]
    assert not njit(is_same)([1, "a"], [1, "a"])


def test_both_kinds_of_calls() -> None:
    g = njit(texts)
    assert g([1, 2]) == ["1", "2"]
    assert g([1, "a"]) == ["1", "a"]
    assert g([1.5, 2]) == ["1.5", "2.0"]  # numbers alone have one type
    assert g([1, None, "a"]) == ["1", "None", "a"]
    assert g([]) == []
    assert g(["b", 1]) == ["b", "1"]


def test_what_is_no_member_is_refused() -> None:
    with pytest.raises(Exception, match="argument"):
        njit(elements)([range(3), 1.5])
    with pytest.raises(OverflowError, match="int64"):
        njit(elements)([10**30, "a"])
    with pytest.raises(Exception, match="argument"):
        njit(elements)([object(), "a"])
    many: list[Any] = [1, "a", 2.5, None, True, b"x", 1j, [1], {1: 2}, (1,), {1}]
    with pytest.raises(Exception, match="argument"):
        njit(elements)(many)
