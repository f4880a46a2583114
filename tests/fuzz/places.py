# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of value in each place.

A seed is one kind of value, one or two places that it goes through, where it comes from, and what
is asked of what comes out: a sweep, in which neighbouring seeds differ in all of them. Programs are
a few lines, so that a refusal hides no more than itself.
"""

from __future__ import annotations

import random

from . import containers, flows
from .draw import Draws
from .judge import Verdict
from .place_kinds import KINDS, Kind
from .program import forget, load

HEADER = """import array
import copy
import enum
import functools
import itertools
import math
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import swathe
from swathe import prange

jitclass = (lambda c: c) if __name__ == "oracle" else swathe.jitclass


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Op(enum.IntEnum):
    ADD = 1
    MUL = 2


class Perm(enum.IntFlag):
    R = 1
    W = 2


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Item:
    key: int
    tag: str = "t"


class Plain:
    def __init__(self, k):
        self.k = k
        self.seen = [k]


class Fault(Exception):
    pass


def same(x):
    return x


def twice(x):
    return x + x


def count(n):
    for k in range(n):
        yield k * 2


def first(*xs):
    return xs[0]


def last(*xs, **named):
    return xs[-1]


def named(**more):
    return more["v"]


def given(n, v=None, w=None):
    return w if v is None else v


def many(*vs):
    for v in vs:
        yield v


def early(n, v, w):
    for k in range(4):
        if k == n:
            return v
    return w


def down(n, v):
    if n <= 0:
        return v
    return down(n - 1, v)


def held(v):
    try:
        return v
    finally:
        n = 1
        n += 1


def echo():
    got = None
    while True:
        got = yield got


def over(f, v):
    return f(v)


"""


INIT = "    def __init__(self, x):\n        self.x = x\n"
# a class, how an instance is made, where the value is
CLASSES = (
    ("class Box:\n" + INIT, "Box(A)", "V.x"),
    ("@jitclass\nclass Box:\n" + INIT, "Box(A)", "V.x"),
    ("@dataclass\nclass Box:\n    x: Any\n    y: int = 2", "Box(A)", "V.x"),
    ("class Box(NamedTuple):\n    x: Any\n    y: int = 2", "Box(A)", "V.x"),
    (f"class Box:\n{INIT}\n    def __call__(self, x):\n        return x", "Box(A)", "V(A)"),
    (f"class Box:\n{INIT}\n    def __getitem__(self, i):\n        return self.x", "Box(A)", "V[0]"),
    (
        """
class Box:
    def __init__(self):
        self.x = None

    def put(self, x):
        self.x = x
        return self
""",
        "Box().put(A)",
        "V.x",
    ),
    (
        """
class Box:
    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        return self._x
""",
        "Box(A)",
        "V.x",
    ),
    (
        """
class Box:
    def __init__(self, x):
        self.xs = [x]

    def get(self):
        return self.xs[-1]
""",
        "Box(A)",
        "V.get()",
    ),
    (
        """
class Box:
    def __init__(self, *xs, **more):
        self.x = xs[0]
        self.more = more['k']
""",
        "Box(A, k=B)",
        "V.x",
    ),
)


class Writer(Draws):
    """One program. `kind.values` are expressions of values of one type; `a` and `b` two of them."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed * 6007 + 5)
        self.seed = seed
        self.count, self.depth, self.lines = 0, 1, []
        self.head: list[str] = []
        names = list(KINDS)
        self.name = names[seed % len(names)]
        self.kind: Kind = KINDS[self.name]

    # ---- places: lines after which the returned expression is the value that `a` is -------------

    def local(self, a: str, b: str) -> str:
        v = self.fresh("v")
        form = self.r.randrange(8)
        if form == 0:
            self.add(f"{v} = {a}")
        elif form == 1:
            self.add(f"{v} = {b}")
            self.add(f"{v} = {a}")
        elif form == 2:
            self.add(f"{v} = {a} if n > 2 else {b}")
        elif form == 3:
            self.add("if n > 2:")
            self.add(f"    {v} = {a}")
            self.add("else:")
            self.add(f"    {v} = {b}")
        elif form == 4:
            self.add(f"{v} = None")
            self.add("if n > 2:")
            self.add(f"    {v} = {a}")
        elif form == 5:
            w = self.fresh("v")
            self.add(f"{v}, {w} = {b}, {a}")
            self.add(f"{v}, {w} = {w}, {v}")
        elif form == 6:
            w = self.fresh("v")
            self.add(f"{w} = {a}")
            self.add(f"{v} = {w}")
            self.add(f"del {w}")
        else:
            return f"({v} := {a})"
        return v

    def call(self, a: str, b: str) -> str:
        v = self.fresh("v")
        self.add(
            f"{v} = "
            + self.pick(
                f"same({a})",
                f"first({a}, {b})",
                f"last({b}, {a})",
                f"first(*[{a}, {b}])",
                f"first(*({a}, {b}))",
                f"named(v={a})",
                f"given(n, {a}, {b})",
                f"given(n, w={a})",
                f"given(n, v={a})",
                f"early(n, {a}, {b})",
                f"down(n, {a})",
                f"held({a})",
                f"over(same, {a})",
                f"over(lambda x: x, {a})",
                f"partial(same, {a})()",
                f"(lambda x, y=3: x)({a})",
                f"last(1, {a}, k=2)",
                f"first({a}, 1, 'x')",
                f"named(**{{'v': {a}}})",
                f"functools.reduce(lambda x, y: x, [{a}, {b}])",
            )
        )
        return v

    def container(self, a: str, b: str) -> str:
        v = self.fresh("v")
        self.add(
            f"{v} = "
            + self.pick(
                f"[{a}]",
                f"[{a}, {b}]",
                f"[{a}] * 2",
                f"[{b}, {a}][::-1]",
                f"[{a}] + [{b}]",
                f"list(({a}, {b}))",
                f"[x for x in ({a}, {b})]",
                f"[{a} for _ in range(2)]",
                f"({a}, {b})",
                f"({a}, 1)",
                f"({a},)",
                f"({a},) + ({b}, 2)",
                f"tuple([{a}, {b}])",
                f"{{0: {a}}}",
                f"{{0: {a}, 1: {b}}}",
                f"dict([(0, {a})])",
                f"{{0: {b}}} | {{0: {a}}}",
                f"{{k: {a} for k in range(2)}}",
                f"deque([{a}, {b}])",
                f"list(map(same, [{a}, {b}]))",
                f"[*[{a}], {b}]",
                f"sorted([{a}], key=lambda x: 0)",
                f"list(reversed([{b}, {a}]))",
                f"dict(enumerate([{a}, {b}]))",
                f"[{a}, None]",
                f"({a}, None)",
                f"dict.fromkeys([0], {a})",
                f"list(filter(lambda x: True, [{a}]))",
                f"list(many({a}, {b}))",
                f"[[{a}], [{b}]][0]",
                f"([{a}], 2)[0]",
                f"{{'k': [{a}]}}['k']",
                f"[(0, {a})][0][1:]",
                f"list(itertools.chain([{a}], [{b}]))",
            )
        )
        if self.chance(0.3):
            return f"{self.local(v, v)}[0]"
        return f"{v}[0]"

    def filled(self, a: str, b: str) -> str:
        """A container that is empty first."""
        v, out = self.fresh("v"), "[0]"
        form = self.r.randrange(9)
        if form == 0:
            self.add(f"{v} = []")
            self.add(f"{v}.append({a})")
        elif form == 1:
            self.add(f"{v} = {{}}")
            self.add(f"{v}[0] = {a}")
        elif form == 2:
            self.add(f"{v} = []")
            self.add("for k in range(n):")
            self.add(f"    {v}.insert(0, {a})")
        elif form == 3:
            self.add(f"{v} = defaultdict(list)")
            self.add(f"{v}[1].append({a})")
            out = "[1][-1]"
        elif form == 4:
            self.add(f"{v} = deque()")
            self.add(f"{v}.append({b})")
            self.add(f"{v}.appendleft({a})")
            out = ".popleft()"
        elif form == 5:
            self.add(f"{v} = [{b}]")
            self.add(f"{v}[0] = {a}")
        elif form == 6:
            self.add(f"{v} = [{b}]")
            self.add(f"{v}[:0] = [{a}]")
        elif form == 7:
            self.add(f"{v} = {{}}")
            self.add(f"{v}.setdefault(2, {a})")
            out = self.pick(".pop(2)", ".get(2)", "[2]")
        else:
            self.add(f"{v} = [None] * 2")
            self.add(f"{v}[0] = {a}")
        return f"{v}{out}"

    def loop(self, a: str, b: str) -> str:
        v, q = self.fresh("v"), self.fresh("q")
        form = self.r.randrange(11)
        if form == 0:
            self.add(f"{v} = {b}")
            self.add(f"for {q} in [{b}, {a}]:")
            self.add(f"    {v} = {q}")
        elif form == 1:
            self.add(f"for {v} in many({a}, {b}):")
            self.add("    break")
        elif form == 2:
            self.add(f"{v}, {q} = {b}, {a}")
            self.add("for k in range(n):")
            self.add(f"    {v}, {q} = {q}, {v}")
        elif form == 3:
            self.add(f"{v} = {b}")
            self.add(f"for k, {q} in enumerate(({a}, {b})):")
            self.add("    if k == 0:")
            self.add(f"        {v} = {q}")
        elif form == 4:
            self.add(f"{v} = {b}")
            self.add(f"for {q}, k in zip([{b}, {a}], range(n)):")
            self.add(f"    {v} = {q}")
        elif form == 5:
            self.add(f"{v} = None")
            self.add(f"while {v} is None:")
            self.add(f"    {v} = {a}")
        elif form == 6:
            self.add(f"for k, {v} in {{1: {a}}}.items():")
            self.add("    pass")
        elif form == 7:
            self.add(f"{v} = next(iter([{a}, {b}]))")
        elif form == 8:
            self.add(f"{v} = next((x for x in ({a}, {b})), {b})")
        elif form == 9:
            self.add(f"{v} = {a}")
            self.add("for k in prange(n):")
            self.add("    k + 1")
        else:
            self.add(f"{q} = echo()")
            self.add(f"next({q})")
            self.add(f"{v} = {q}.send({a})")
        return v

    def inner(self, a: str, b: str) -> str:
        """Closures and handlers."""
        v, g = self.fresh("v"), self.fresh("g")
        form = self.r.randrange(12)
        if form == 0:
            self.add(f"{v} = {a}")
            self.add(f"def {g}():")
            self.add(f"    return {v}")
            return f"{g}()"
        if form == 1:
            self.add(f"{v} = {b}")
            self.add(f"def {g}():")
            self.add(f"    nonlocal {v}")
            self.add(f"    {v} = {a}")
            self.add(f"{g}()")
        elif form == 2:
            self.add(f"def {g}(q, x={a}):")
            self.add("    return x")
            return f"{g}(1)"
        elif form == 3:
            self.add(f"{v} = {b}")
            self.add("try:")
            self.add(f"    raise {self.pick('Fault', 'ValueError', 'KeyError')}({a})")
            self.add("except Exception as e:")
            self.add(f"    {v} = e.args[0]")
        elif form == 4:
            self.add("try:")
            self.add(f"    {v} = {a}")
            self.add("    if n > 2:")
            self.add("        raise ValueError(1)")
            self.add(f"    {v} = {b}")
            self.add("except ValueError:")
            self.add("    n += 1")
        elif form == 5:
            self.add(f"match {a}:")
            self.add(f"    case {v}:")
            self.add("        n += 1")
        elif form == 6:
            self.add(f"match [{a}, {b}]:")
            self.add(f"    case [{v}, *_]:")
            self.add("        n += 1")
        elif form == 7:
            self.add(f"{g} = lambda: {a}")
            return f"{g}()"
        elif form == 8:
            self.add(f"{v} = {a}")
            self.add(f"def {g}():")
            self.add(f"    yield {v}")
            self.add(f"    yield {b}")
            return self.pick(f"next({g}())", f"list({g}())[0]", f"[*{g}()][0]")
        elif form == 9:
            self.add(f"{v}, *{g} = {self.pick(f'[{a}, {b}]', f'({a}, {b}, 3)', f'many({a}, {b})')}")
        elif form == 10:
            self.add(f"(_, {v}), {g} = ({b}, {a}), 2")
        else:
            self.add(f"def {g}(x):")
            self.add("    def inner():")
            self.add("        return x")
            self.add("    return inner")
            return f"{g}({a})()"
        return v

    def field(self, a: str, b: str) -> str:
        """A field of a class."""
        c, v = self.fresh("Box"), self.fresh("v")
        cls, made, out = self.pick(*CLASSES)
        self.head.append(cls.strip().replace("Box", c))
        made = made.replace("k=B", f"k={b}").replace("(A", f"({a}")
        self.add(f"{v} = {made.replace('Box', c, 1)}")
        if self.chance(0.3):
            again = self.pick("copy.copy({})", "copy.deepcopy({})", "[{}][0]", "same({})")
            self.add(f"{v} = {again.format(v)}")
        return out.replace("(A)", f"({a})").replace("V", v, 1)

    def copied(self, a: str, b: str) -> str:
        v = self.fresh("v")
        self.add(
            f"{v} = "
            + self.pick(
                f"copy.copy({a})",
                f"copy.deepcopy({a})",
                f"copy.deepcopy([{a}])[0]",
                f"[{a}].copy()[0]",
                f"list([{a}])[0]",
                f"copy.copy({{0: {a}}})[0]",
                f"copy.deepcopy(({a}, [1]))[0]",
                f"max([{a}], key=lambda x: 1)",
                f"min([{a}, {b}], key=lambda x: 0)",
                f"[{a}].pop()",
                f"list(zip([{a}], [{b}]))[0][0]",
                f"[x for x in [{a}, {b}] if True][0]",
                f"({a} or {b})",
                f"({b} and {a})",
                f"[[{a}]][0][0]",
                f"{{0: ({a}, 1)}}[0][0]",
                f"(({a},),)[0][0]",
                f"sorted([({'1, ' + a})], key=lambda x: x[0])[0][1]",
                f"list({{0: {a}}}.values())[0]",
            )
        )
        return v

    def keyed(self, a: str, b: str) -> str:
        """As a key or a member."""
        v = self.fresh("v")
        self.add(
            f"{v} = "
            + self.pick(
                f"list({{{a}: 1}})[0]",
                f"list({{{a}: 1, {b}: 2}}.keys())[0]",
                f"{{{a}}}.pop()",
                f"list({{{a}}})[0]",
                f"list(Counter([{a}, {a}]))[0]",
                f"next(iter({{{a}: 2}}))",
                f"list(dict.fromkeys([{a}, {b}]))[0]",
                f"list(frozenset([{a}]))[0]",
                f"list(set([{a}, {a}]))[0]",
                f"{{{a}: 1}}.popitem()[0]",
                f"Counter([{a}]).most_common(1)[0][0]",
                f"list({{({a}, 1): 2}})[0][0]",
            )
        )
        return v

    # ---- what is asked -------------------------------------------------------------------------

    def asked(self, v: str, a: str, b: str) -> str:
        k = self.kind
        shown = k.shown.format(v)
        forms = [shown] * 4 + [f"[{shown}]", f"{{'k': {shown}}}", f"({shown}, {shown})"]
        if not k.once:
            forms += [f"{v} is None", f"({v}, n) [1]", f"bool({v})"]
        if k.text:
            forms += [
                f"str({v})",
                f"repr({v})",
                f"f'{{{v}}}'",
                f"f'{{{v}!r}}'",
                f"str([{v}])",
                f"str(({v}, 1))",
                f"'%s' % ({v},)",
                f"'{{}}'.format({v})",
            ]
        if k.equal:
            forms += [
                f"{v} == {a}",
                f"{v} != {b}",
                f"{v} == {b}",
                f"{v} in [{a}, {b}]",
                f"{v} in ({b},)",
                f"[{v}] == [{a}]",
                f"({v}, 1) == ({a}, 1)",
                f"[{a}, {b}].index({v})",
                f"[{b}, {v}].count({a})",
                f"{v} == None",
                f"{{0: {v}}} == {{0: {a}}}",
            ]
        if k.order:
            forms += [
                f"{v} < {b}",
                f"sorted([{b}, {v}])",
                f"max({v}, {b})",
                f"min([{v}, {b}])",
                f"sorted([({b}, 1), ({v}, 0)])",
            ]
            if not k.typed.startswith("np."):  # whose result is one of NumPy's, or Python's
                forms.append(f"({v}, 1) <= ({b}, 0)")
        if k.hashed:
            forms += [
                f"{{{v}: 1}}[{a}]",
                f"{v} in {{{a}, {b}}}",
                f"len({{{v}, {a}, {b}}})",
                f"Counter([{v}, {a}])",
                f"hash({v}) == hash({a})",
                f"{{{v}: 1, {b}: 2}}",
            ]
        if k.sized:
            forms += [f"len({v})", f"{v}[0:1]", f"{v}[::-1]"] if k.sized > 1 else [f"len({v})"]
        if k.typed:
            forms += [
                f"type({v}).__name__",
                f"isinstance({v}, (int, str))",
                f"isinstance({v}, {k.typed})",
            ]
        if k.looped:
            forms += [
                f"list({v})",
                f"[x for x in {v}]",
                f"tuple({v})",
                f"list(enumerate({v}))",
                f"list(zip({v}, [1, 2]))",
                f"[*{v}]",
                f"len(list({v}))",
            ]
        for m in k.more:
            forms += [m.format(*[v] * 4)] * 2
        return self.pick(*forms)

    def text(self) -> str:
        k = self.kind
        places = [
            self.local,
            self.call,
            self.container,
            self.filled,
            self.loop,
            self.inner,
            self.field,
            self.copied,
        ]
        if k.hashed:
            places.append(self.keyed)
        a, *rest = self.r.sample(k.values, len(k.values))
        b = rest[0] if rest else a
        inputs = ["3"]
        parameters = ["n"]
        origin = self.r.randrange(6)
        if origin == 0 and k.passed:  # from Python
            parameters += ["p", "q"]
            inputs += [a, b]
            a, b = "p", "q"
        elif origin == 1 and k.passed and not k.copied:
            self.head.append(f"P = {a}\nQ = {b}")
            a, b = "P", "Q"
        elif origin == 2:
            self.head.append(f"def make(n):\n    if n > 2:\n        return {a}\n    return {b}")
            a, b = "make(n)", "make(0)"
        elif origin == 3 and not k.once:
            self.add(f"p = {a}")
            self.add(f"q = {b}")
            a, b = "p", "q"
        elif origin == 4 and k.passed and self.chance(0.5):
            parameters.append("ps")
            inputs.append(f"[{a}, {b}]" if self.chance(0.6) else f"({a}, {b})")
            a, b = "ps[0]", "ps[1]"
        which = places[(self.seed // len(KINDS)) % len(places)]
        v = which(a, b)
        if self.chance(0.5):
            v = self.pick(*places)(v, b)
        if self.chance(0.12) and not k.once:
            self.add(f"print({v})" if k.text else f"print(type({v}) is None)")
        if k.once or self.chance(0.6):
            self.add(f"return {self.asked(v, a, b)}")
        else:
            self.add(f"r = {v}")
            self.add(f"return {self.asked('r', a, b)}, {self.asked('r', a, b)}")
        head = "".join(f"{c}\n\n\n" for c in self.head)
        body = "\n".join(self.lines)
        return (
            f"{HEADER}{head}def fuzzed({', '.join(parameters)}):\n{body}\n\n\n"
            f"def inputs():\n    return {', '.join(inputs)},\n"
        )


def text(seed: int) -> str:
    return Writer(seed).text()


class OurRules(flows.OurRules):
    """Types are what this kind is about."""

    joined = False


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        module = load(text)
    except SyntaxError:  # of a place that takes no such expression
        return Verdict("outside", why="syntax")
    try:
        module.inputs()
    except Exception as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    finally:
        forget(module)
    found = containers.verdict(text, seed, mode, OurRules(text))
    if found.difference and "cannot pickle" in found.difference.text:
        return Verdict("documented", why="a view of a dict is a list, which has a copy")
    return found
