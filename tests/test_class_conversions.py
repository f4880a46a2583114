# SPDX-License-Identifier: BSD-3-Clause
"""What bool(), int(), float(), complex(), math.floor() and f-strings make of instances, and what a
class declares by `list` or `dict` alone, as in CPython."""

from __future__ import annotations

import contextlib
import functools
import io
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import swathe
from swathe.errors import CompileError


class Bare:
    def __init__(self, x):
        self.x = x


class Derived(Bare):
    pass


class Sized:
    def __init__(self, xs):
        self.xs = xs

    def __len__(self):
        return len(self.xs)


class Real:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v


class Index:
    def __init__(self, v):
        self.v = v

    def __index__(self):
        return self.v


class Both:
    def __init__(self, v):
        self.v = v

    def __index__(self):
        return self.v

    def __int__(self):
        return self.v + 1

    def __float__(self):
        return self.v + 0.5

    def __floor__(self):
        return self.v - 10

    def __ceil__(self):
        return self.v + 10

    def __trunc__(self):
        return self.v * 10


@dataclass
class Money:
    v: float
    unit: str = "EUR"

    def __format__(self, spec):
        if spec.endswith("c"):
            return f"{self.v:.1f} {self.unit}"
        return f"{self.v:.2f}" if spec else str(self)

    def __str__(self):
        return f"{self.v:.3f}{self.unit}"


@dataclass
class Box:
    name: str
    tags: list = field(default_factory=list)
    table: dict = field(default_factory=dict)


def truths(a, d, e, f, n):
    log = []

    def made():
        log.append(n)
        return Bare(n)

    maybe = a if n else None
    return bool(a), bool(d), bool(e), bool(f), not a, bool(made()), log, bool(maybe)


def numbers(r, i, b):
    return (
        (float(r), complex(r), float(i), int(i), complex(i)),
        (int(b), float(b), complex(b), math.floor(b), math.ceil(b), math.trunc(b)),
        np.array([float(x) for x in [i, i]]),
    )


def formats(m, ms):
    for x in ms:
        print(f"{x:7}", f"{m:>12c}|", end="")
    return f"{m:>12c}|{m:x}|{m}|{m!s:>12}|", [f"{q:c}" for q in ms], "{0:c} {0}".format(m)  # noqa: UP032


def tags(boxes, more):
    boxes[0].tags.append("new")
    boxes[1].table["k"] = 2.5
    return [b.name + str(len(b.tags)) for b in boxes], more


def raises(m):
    raise ValueError(f"no {m:c}")


def shown(x):
    if isinstance(x, np.ndarray):
        return x.tolist()
    return [shown(v) for v in x] if isinstance(x, (list, tuple)) else x


CASES = {
    truths: lambda: (Bare(0), Derived(1), Sized([]), Sized([1]), 1),
    numbers: lambda: (Real(2.5), Index(3), Both(4)),
    formats: lambda: (Money(2.0), [Money(1.0), Money(2.0, "USD")]),
    tags: lambda: ([Box("a"), Box("b", ["x"]), Box("c")], Box("d")),
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_as_in_python(f):
    args, mine = CASES[f](), CASES[f]()
    out, ours = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out):
        want = f(*args)
    with contextlib.redirect_stdout(ours):
        got = swathe.njit(f)(*mine)
    assert repr(shown(got)) == repr(shown(want)) and ours.getvalue() == out.getvalue()
    assert [vars(b) for b in flat(mine)] == [vars(b) for b in flat(args)]


def flat(args):
    return [b for a in args for b in (a if isinstance(a, list) else [a]) if isinstance(b, Box)]


def test_format_in_an_error():
    with pytest.raises(ValueError, match=r"^no 1\.5 EUR"):
        swathe.njit(raises)(Money(1.5))


def test_refused():
    """A specification of what may be None."""

    @swathe.njit
    def f(m, n):
        a = m if n else None
        return f"{a:c}"

    with pytest.raises(CompileError, match="the format 'c' of Money"):
        f(Money(1.0), 0)


class Plain:
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x

    @staticmethod
    def fixed():
        return 1

    @functools.cached_property
    def computed(self):
        return self.x * 100


@swathe.njit
def total(xs):
    return sum([x.get() for x in xs])


@pytest.mark.parametrize("name", ["get", "fixed"])
def test_method_of_one_object(name):
    """Of what an object has in place of a method of its class nobody would know."""
    xs = [Plain(1), Plain(2)]
    assert total(xs) == 3
    setattr(xs[1], name, lambda: 50)
    with pytest.raises(TypeError, match=f"this Plain has a '{name}' of its own"):
        total(xs)
    delattr(xs[1], name)
    assert xs[0].computed == 100 and total(xs) == 3  # which hides no method


def test_private_names_in_a_spec():
    @swathe.jitclass({"x": swathe.types.int64, "_x": swathe.types.int64, "__x": swathe.types.int64})
    class Private:
        def __init__(self, x):
            self.x, self._x, self.__x = x, x + 1, x + 2

        def __sum(self):
            return self.x + self._x + self.__x

        def total(self):
            return self.__sum()

    p = Private(3)
    assert p.total() == 12 and p._Private__x == 5
    assert swathe.njit(lambda p: p._Private__x + p.total())(p) == 17


SMALL = [("a", swathe.types.int32), ("u", swathe.types.uint64),
         ("o", swathe.types.optional(swathe.types.int8)),
         ("t", swathe.types.Tuple((swathe.types.int16, swathe.types.int16)))]  # fmt: skip


@swathe.jitclass(SMALL)
class Small:
    def __init__(self, a):
        self.a = a
        self.u = a
        self.o = a
        self.t = (a, a)

    def parts(self):
        return self.a, self.u, self.o, self.t


@swathe.njit
def small(xs):
    s = Small(xs[0])
    s.a = xs[1]
    return s.parts()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint32])
def test_a_field_of_few_bits_takes_an_integer_that_fits(dtype):
    assert small(np.array([5, 7]).astype(dtype)) == (7, 5, 5, (5, 5))
    assert [type(x) for x in small(np.array([5, 7]).astype(dtype))[:3]] == [
        np.int32,
        np.uint64,
        np.int8,
    ]
    if np.iinfo(dtype).max > 300:
        with pytest.raises(OverflowError, match="300 out of bounds for int8"):
            small(np.array([300, 7]).astype(dtype))
    if np.iinfo(dtype).min < 0:
        with pytest.raises(OverflowError, match="-1 out of bounds for uint64"):
            small(np.array([-1, 7]).astype(dtype))
    if np.iinfo(dtype).max > 2**32 - 2:
        with pytest.raises(OverflowError, match="4294967295 out of bounds for int32"):
            small(np.array([1, 2**32 - 1]).astype(dtype))


def test_a_field_of_few_bits_that_python_sets():
    s = Small(3)
    s.a = np.int64(-9)
    assert s.parts() == (-9, 3, 3, (3, 3))
    for value in 2**40, np.int64(2**40), np.uint64(2**31):
        with pytest.raises(OverflowError, match="'a' of Small is int32, and this int does not fit"):
            s.a = value
    with pytest.raises(CompileError, match="'a' of Small is int32, and this is uint64"):
        small(np.array([1, 2], np.uint64))
