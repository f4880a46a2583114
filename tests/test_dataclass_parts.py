# SPDX-License-Identifier: BSD-3-Clause
"""dataclasses.asdict and astuple in compiled code."""

import copy
from dataclasses import asdict, astuple, dataclass, field
from typing import NamedTuple

import pytest

from swathe import jitclass, njit


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Part:
    n: int
    y: float = 2.5
    tags: list[int] = field(default_factory=list)


@dataclass
class Whole:
    part: Part
    name: str
    parts: list[Part]
    by_name: dict[str, Part]
    at: Point = Point(1, 2.0)
    other: Part | None = None


@jitclass
@dataclass
class Compiled:
    n: int
    xs: list[int]


def made(n):
    p = Part(n)
    p.tags.append(3)
    d, t = asdict(p), astuple(p)
    p.tags.append(4)
    d["n"] = 50
    return d, t, p.tags, list(d)


def given(w):
    d, t = asdict(w), astuple(w)
    w.part.n = 100
    w.by_name["z"] = Part(3)
    w.parts.append(Part(9))
    w.part.tags.append(7)
    return d, t, w


def of_compiled(n):
    c = Compiled(n, [n])
    d = asdict(c)
    c.xs.append(1)
    return d, astuple(c)


def test_parts_are_copies():
    whole = (
        Whole(Part(1), "a", [Part(2), Part(3, 1.0, [4])], {"k": Part(5)}),
        Whole(Part(1), "b", [], {}, Point(3, 4.0), Part(7)),
    )
    assert njit(made)(1) == made(1)
    g = njit(given)
    for w in whole:
        mine = copy.deepcopy(w)
        assert g(mine) == given(w) and mine == w
    assert njit(of_compiled)(2) == ({"n": 2, "xs": [2]}, (2, [2, 1]))


def test_no_dataclass_is_refused():
    with pytest.raises(AttributeError, match="dataclass_dict_"):
        njit(lambda p: asdict(p))(Point(1, 2.0))
