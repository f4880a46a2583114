# SPDX-License-Identifier: BSD-3-Clause
"""Fields that are strings, of compiled classes and of plain ones, and texts of named tuples, as
Python has them."""

import gc
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import pytest
from live_memory import live

import swathe
from swathe import _core


@pytest.fixture(autouse=True, scope="module")
def nothing_left():
    """Classes that tests have made are let go before others count."""
    yield
    gc.collect()
    _core.trim()


@swathe.jitclass
class Tag:
    name: str
    n: int
    alias: str | None
    pair: tuple[str, int]

    def __init__(self, name, n):
        self.name = name
        self.n = n
        self.alias = None
        self.pair = ("known", n)

    def longer(self, by):
        self.name += by
        self.alias = f"{self.name}!"
        if self.n > 5:
            raise KeyError(self.name)
        return len(self.name)

    def first(self):
        return self.name[0] if self.name else "-"


@dataclass
class Label:
    name: str
    note: str | None = None
    n: int = 0


def text_program(start, k):
    tags = [Tag(start + "ab"[: i % 3], i) for i in range(k)]
    count = {"": 0}
    out = []
    for t in tags:
        t.longer("é" if t.n % 2 else "xyz")
        count[t.name] = count.get(t.name, 0) + t.n
        out.append((t.name, t.first(), t.name.upper(), t.name < "b", t.name[1:]))
        alias = t.alias
        if alias is not None:
            out.append((alias, t.pair[0], t.name, start == t.name, t.name))
    last = Tag("", 1)
    for t in tags:
        last.name = t.name
    best = max([len(t.name) for t in tags]) if k else -1
    return out, count, last.name, last.first(), best, Tag("a", 1).name == "a"


def relabel(labels, extra, fail):
    seen = {"": 0}
    for p in labels:
        seen[p.name] = seen.get(p.name, 0) + 1
        if p.n > 0:
            p.name = p.name + extra
            p.note = "changed" if p.note is None else None
        if fail and p.n > 1:
            raise ValueError(p.name)
    return seen, Label(extra + "!", n=3), labels[0].name + labels[-1].name


def made_tag():
    """By code that is gone when it is looked at."""

    @swathe.njit
    def make():
        t = Tag("constant", 1)
        t.alias = "second"
        return t

    return make()


def plain_tag():
    """Tag without the decorator."""

    class Plain:
        def __init__(self, name, n):
            self.name, self.n, self.alias, self.pair = name, n, None, ("known", n)

        def longer(self, by):
            self.name += by
            self.alias = f"{self.name}!"
            if self.n > 5:
                raise KeyError(self.name)
            return len(self.name)

        def first(self):
            return self.name[0] if self.name else "-"

    return Plain


def text_outcome(f, *args):
    try:
        return f(*args)
    except (KeyError, ValueError) as e:
        return type(e), str(e.args[0]).partition("\n")[0]


def test_strings_as_fields():
    f = swathe.njit(text_program)
    python = type(text_program)(text_program.__code__, {**globals(), "Tag": plain_tag()})
    before = None
    for _ in range(3):
        for start in ("", "q", "日本"):
            for k in (0, 1, 4, 8):
                assert text_outcome(f, start, k) == text_outcome(python, start, k)
        before = live() if before is None else before
    assert live() == before


def test_strings_of_an_instance_in_python():
    def once():
        t = Tag("né", 2)
        assert (t.name, t.alias, t.pair, t.first(), t.longer("w")) == (
            "né",
            None,
            ("known", 2),
            "n",
            3,
        )
        assert (t.name, t.alias) == ("néw", "néw!")
        t.name, t.alias, t.pair = "other", None, ("p", 3)
        assert (t.name, t.alias, t.pair, t.longer("")) == ("other", None, ("p", 3), 5)
        t.n = 9
        with pytest.raises(KeyError, match="other2"):
            t.longer("2")
        assert t.name == "other2" and repr(t).startswith("Tag(name='other2', n=9")
        with pytest.raises(TypeError, match="'name' of Tag is str, and this is int"):
            t.name = 4
        return t

    once()
    before = live()
    kept = once()
    del kept
    assert live() == before
    t = made_tag()
    gc.collect()
    _core.trim()
    assert (t.name, t.alias, t.pair) == ("constant", "second", ("known", 1))


def test_strings_of_plain_objects():
    f = swathe.njit(relabel)
    for fail in (False, True):
        both = []
        for g in (f, relabel):
            names = ["a", "", "a", "ü" * 5]
            labels = [Label(s, None if i % 2 else s, i) for i, s in enumerate(names)]
            got = text_outcome(g, labels, "+z", fail)
            both.append((got, labels))
            assert labels[0].name is names[0]  # nobody has changed it
        assert both[0] == both[1]


class Unfit:
    name: str
    what: bytes

    def __init__(self):
        self.name, self.what = "", b""


class Several:
    names: list[str]

    def __init__(self):
        self.names = []


def test_fields_that_classes_cannot_have():
    f = swathe.njit(lambda o: o.name)
    with pytest.raises(
        TypeError, match="Unfit.*field 'what' of Unfit: bytes is no type of a field"
    ):
        f(Unfit())
    assert swathe.njit(lambda o: len(o.names))(Several()) == 0
    with pytest.raises(TypeError, match="'name' of Label is str, and this is"):
        f(Label(3))


Pair = namedtuple("Pair", "x y")
Only = namedtuple("Only", "one")
Empty = namedtuple("Empty", "")


class Light(Enum):
    RED = 1
    GREEN = 2


class Lamp(NamedTuple):
    light: Light
    at: Pair | None
    name: str = "l"


def shown_pairs(n):
    p = Pair(n, 2.5)
    d = {n: p}
    return [
        str(p),
        repr(p),
        f"{p}",
        f"{p!r:>20}|",
        str(d),
        str([p, p]),
        "%s %r" % (p, p),
        str((p,)),
    ]


def shown_parts(n):
    return [
        str(Only(n)),
        repr(Only("a")),
        str(Empty()),
        str((Empty(), Only(n))),
        str(Pair(Pair(n, "x"), (1, [n]))),
        str(Pair(Light.RED, Light.GREEN)),
        str(Lamp(Light.RED, Pair(n, 1) if n > 2 else None)),
        str(max([Lamp(Light.GREEN, None, "a"), Lamp(Light.RED, None, "b")], key=lambda v: v.name)),
    ]


def raised(p):
    raise ValueError(f"bad {p}", p)


@pytest.mark.parametrize("f", (shown_pairs, shown_parts))
def test_named_tuples(f):
    g = swathe.njit(f)
    for n in (1, 3):
        assert g(n) == f(n)


def test_named_tuple_in_an_error():
    for p in (Pair(1, 2.5), Pair(Only(1), True)):
        with pytest.raises(ValueError) as ours:
            swathe.njit(raised)(p)
        assert str(ours.value).split("\n")[0].startswith(f"('bad {p}'")
