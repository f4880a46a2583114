# SPDX-License-Identifier: BSD-3-Clause
"""Each statement in each context.

A seed is one statement, what stands around it, once or twice, and the function, method, generator
or closure in which that stands: a sweep, in which neighbouring seeds differ in all of them. The
line in which an exception is raised is compared, too.
"""

from __future__ import annotations

import random
import re
import textwrap
import traceback

from . import containers, flows
from .context_forms import AROUND, CALL, GIVEN, HOSTS, MAKERS, STATEMENTS, YIELDED
from .draw import Draws
from .judge import Outcome, Verdict
from .program import forget, load

HEADER = """import numpy as np

from swathe import prange

STEPS = [0]


class Fault(Exception):
    pass


class Box:
    def __init__(self, v):
        self.v = v
        self.items = [v, 4]

    @property
    def p(self):
        return self.v * 2

    @p.setter
    def p(self, x):
        self.v = x + 1

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, x):
        self.items[i] = x

    def __delitem__(self, i):
        del self.items[i]

    def __enter__(self):
        self.v += 10
        return self

    def __exit__(self, kind, e, where):
        self.v -= 3
        self.items.append(1 if kind is None else 2)

    def __iter__(self):
        for x in self.items:
            yield x

    def __iadd__(self, x):
        self.v += x
        return self

    def __eq__(self, other):
        return self.v == other.v

    def __contains__(self, x):
        return x in self.items

    def __len__(self):
        return len(self.items)

    def __call__(self, x):
        return self.v - x

    def __str__(self):
        return f'Box {self.v}'


class Quiet:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return self.k

    def __exit__(self, kind, e, where):
        return self.k > 1


def count(n):
    for k in range(n):
        yield k + 1


def step(r):
    r.append(len(r))
    return len(r) % 2


def total(a, b=3, *more):
    return a * 2 + b + len(more)


def tick(n, c=0):
    c += n
    return c


def down(n):
    if n > 1:
        raise Fault(n)


def held(n, r):
    try:
        return n
    finally:
        r.append(n)


def twice(f):
    def g(x):
        return f(f(x))

    return g


"""
INPUTS = (
    ("0", "1", "2", "3"),
    ("[3, 1]", "[]", "[2]", "[0, 5, 1]"),
    ("{1: 2, 2: 3}", "{0: 1}", "{1: 5}"),
    ("'ab'", "''", "'xyz'"),
)
LEAVES = re.compile(r"^ *return\b", re.M)
COUNT = (len(STATEMENTS) + len(YIELDED)) * (len(HOSTS) + len(MAKERS))


def put(where: str, mark: str, lines: str) -> str:
    """The text with these lines in place of the mark, indented as it."""
    return re.sub(
        rf"^( *){mark}$", lambda m: textwrap.indent(lines, m[1]).rstrip("\n"), where, flags=re.M
    )


class Writer(Draws):
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed * 7919 + 3)
        self.seed = seed

    def around(self, statement: str) -> str:
        for _ in range(self.pick(1, 1, 1, 2, 0)):
            around = self.pick(*AROUND).replace("\nelse_:", "\nexcept KeyError:\n    pass\nelse:")
            statement = put(around, "<S>", statement)
        return statement

    def text(self) -> str:
        n = len(STATEMENTS) + len(YIELDED)
        k, turn = self.seed % n, self.seed // n
        plain = k < len(STATEMENTS)
        hosts = HOSTS if plain else MAKERS
        host = hosts[(turn + 5 * k) % len(hosts)]
        body = self.around(STATEMENTS[k] if plain else YIELDED[k - len(STATEMENTS)])
        if "prange(" in host and "print(" in body:  # in no order
            host = hosts[0]
        if not plain:
            body = re.sub(r"^( *)return .+, .+$", r"\1return", body, flags=re.M)
        elif "<I>" in host:  # what is returned there is no pair
            body = re.sub(r"^( *)return .+, .+$", r"\1pass", body, flags=re.M)
        text = put(put(host, "<S>", body), "<I>", body).replace("<P>", GIVEN)
        if "def fuzzed" not in text:
            text += CALL
        given = ", ".join(self.pick(*those) for those in INPUTS)
        return f"{HEADER}{text}\n\ndef inputs():\n    return {given}\n"


def text(seed: int) -> str:
    return Writer(seed).text()


def raised_in(error: BaseException | None) -> int:
    """The line of the program."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    lines = [x.lineno for x in frames if x.filename.startswith(("<oracle", "<program"))]
    return lines[-1] or 0 if lines else 0


class OurRules(flows.OurRules):
    joined = False

    def compare_errors(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        found = super().compare_errors(want, got, mode)
        if found or not want.error or not got.error:
            return found
        lines = raised_in(want.error), raised_in(got.error)
        stopped = "generator raised StopIteration" in str(want.error)  # said of the generator
        if lines[0] != lines[1] and not stopped:
            return "line", f"{lines[0]} expected, got {lines[1]}: {got.error}"
        return None


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        forget(load(text))
    except SyntaxError:  # a context that takes no such statement
        return Verdict("outside", why="syntax")
    return containers.verdict(text, seed, mode, OurRules(text))
