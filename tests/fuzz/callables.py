# SPDX-License-Identifier: BSD-3-Clause
"""Functions as values: in variables, lists, dicts, tuples and fields, as arguments, defaults and
results, of closures, decorators and classes, through branches, loops and `try`; judged by CPython.
"""

from __future__ import annotations

import random

from . import containers
from .draw import Draws
from .judge import Verdict
from .program import HEADER

HELPERS = """
def add(x):
    return x + 1


def dbl(x):
    return x * 2


def neg(x):
    return -x


def low(x, most=3):
    return min(x, most)


def times(k):
    return lambda x: x * k


def twice(f):
    def g(x):
        return f(f(x)) % 101

    return g


def after(f, g=dbl):
    return lambda x: g(f(x))


def picked(k):
    if k > 1:
        return neg
    elif k == 1:
        return times(3)
    return lambda x: x - k


def call(f, x=2):
    return f(x)


@twice
def deco(x):
    return x + 3


class A:
    def __init__(self, v, f=neg):
        self.v = v
        self.f = f

    def get(self, x):
        return x + self.v

    def through(self, x):
        return self.f(x) - self.v


"""
FUNCTIONS = (
    "add", "dbl", "neg", "abs", "int", "low", "deco", "(lambda x: x + n)", "(lambda x: x - 1)",
    "times(2)", "times(n)", "(lambda x, k=n: x * k)", "A(1).get", "a.get", "a.through", "a.f",
    "f", "g", "fs[k % len(fs)]", "d.get(k % 4, add)", "(f if k % 2 else g)", "ts[0]", "ts[k % 3]",
    "e['x']", "twice({})", "after({})", "after({}, {})", "picked(k % 3)", "local", "inner(k)",
)  # fmt: skip


class Writer(Draws):
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.count = self.depth = 0
        self.lines = []

    def function(self, deep: int = 0) -> str:
        form = self.pick(*FUNCTIONS)
        if deep > 1 and "{}" in form:
            return "add"
        return form.format(*(self.function(deep + 1) for _ in range(form.count("{}"))))

    def block(self, deep: int) -> None:
        self.depth += 1
        for _ in range(self.r.randrange(1, 4)):
            self.statement(deep + 1)
        self.depth -= 1

    def simple(self) -> str:
        f = self.function()
        return self.pick(
            f"f = {f}",
            f"g = {f}",
            f"f, g = g, {f}",
            f"fs.append({f})",
            f"fs[k % len(fs)] = {f}",
            f"d[k % 4] = {f}",
            f"e['{self.pick('x', 'y')}'] = {f}",
            f"t = (t + e.setdefault('{self.pick('x', 'z')}', {f})(k)) % 1033",
            f"t = (t + e.get('{self.pick('x', 'z')}', {f})(k)) % 1031",
            f"a.f = {f}",
            f"a = A(k, {f})",
            f"ts = ({f}, g, add)",
            "t = (t + f(k)) % 1000",
            f"t = (t * 3 + {f}(k + 1)) % 1009",
            f"t = (t + call({f}, k)) % 1013",
            f"t = (t + call({f})) % 1019",
            "t = (t + sum(h(2) for h in fs)) % 1013",
            "t = (t + sum([h(k) for h in ts])) % 1021",
            f"t = (t + max([1, -2, 3], key={f})) % 997",
            f"t = (t + sum(map({self.pick('f', 'g', 'add', 'a.get')}, [k, 2, t % 5]))) % 991",
            f"t = (t + sorted([3, -1, 2], key={f})[0]) % 983",
            "fs.reverse()",
            "f = fs.pop() if len(fs) > 1 else f",
            "k = (k + 1) % 5",
        )

    def statement(self, deep: int) -> None:
        kind = self.r.randrange(16) if deep < 2 else 0
        if kind == 1:
            self.add(f"if {self.pick('k > n', 'k % 2', 't % 3 == 0', 'f(1) > 1')}:")
            self.block(deep)
            if self.chance(0.5):
                self.add("else:")
                self.block(deep)
        elif kind == 2:
            self.add(f"for k in range({self.r.randrange(4)}):")
            self.block(deep)
        elif kind == 3:
            self.add("for h in fs[:2]:")
            self.depth += 1
            self.add("t = (t + h(k)) % 977")
            self.depth -= 1
        elif kind == 4:
            self.add("try:")
            self.depth += 1
            self.add(self.pick("t = t + 10 // (k - n)", f"t += 5 // {self.function()}(k)"))
            self.depth -= 1
            self.block(deep)
            self.add("except ZeroDivisionError:")
            self.block(deep)
            if self.chance(0.4):
                self.add("finally:")
                self.block(deep)
        else:
            self.add(self.simple())

    def program(self) -> str:
        self.add("def fuzzed(n):")
        self.depth = 1
        for line in (
            "t = 0", "k = 1", "f = add", "g = dbl", "a = A(3)", "ts = (add, neg, dbl)", "fs = []",
            "fs.append(neg)", "d = {}", "d[0] = abs", "e = {'x': neg, 'y': low}",
        ):  # fmt: skip
            self.add(line)
        self.lines += ["    def local(x):", "        return x * 2 + n", ""]
        self.lines += ["    def inner(j):", "        return lambda x: x + j + n", ""]
        for _ in range(self.r.randrange(4, 11)):
            self.statement(0)
        self.add("return t, k, f(5), g(5), [h(7) for h in fs], [d[q](3) for q in d]")
        self.lines[-1] += ", [e[q](3) for q in e], a.through(2)"
        self.lines += ["", "", "def inputs():", f"    return ({self.r.randrange(4)},)", ""]
        return HEADER + HELPERS + "\n".join(self.lines)


def text(seed: int) -> str:
    return Writer(seed).program()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    return containers.verdict(text, seed, mode)
