# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Random parallel loops, with a brute-force judge of dependence.

One loop, or several, over arrays whose indices are affine, modular, indirect or conditional. CPython
runs it with arrays that note which iteration reads and writes which byte, and in other orders.
Where two iterations meet, compiled code may refuse, or say that nothing is proven and raise under
debug; where none meet, or the loop is a `range`, all modes give what the serial loop gives.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Options, copy_args, differ

from swathe.errors import RaceError

from . import judge as judging
from . import values
from .draw import Draws
from .judge import Difference, Rules, Verdict
from .program import HEADER, Outside, forget, load, oracle

UNPROVEN = "not proven independent", "runs serially", "serially"
MODES = ("plain", "parallel1", "parallel-lanes", "parallel-optimised", "parallel-device")
OPERATORS = ("+", "+", "+", "-", "*", "^", "|", "&")
KINDS = {"a": "float64", "b": "float64", "c": "int64", "d": "int32", "e": "float32", "g": "uint8"}


class Loop(Draws):
    """Writes one function with one or two loops over its arrays."""

    def __init__(self, seed: int) -> None:
        r = self.r = random.Random(seed)
        self.kind = "prange" if r.random() < 0.7 else "range"
        self.n = r.choice([0, 1, 2, 5, 8, 9, 16, 17, 33])
        self.m = r.choice([1, 2, 3, 4, 7])
        if seed % 8 == 5:  # as long as what pays only there: strips, blocks, more than one chunk
            self.n, self.m = r.choice([(2, 300), (3, 257), (1, 200), (130, 2), (70, 9), (250, 1)])
        self.size = 2 * self.n + 12
        self.arrays = r.sample(list(KINDS), r.randint(1, 3))
        self.square = r.random() < 0.35
        self.wide = r.random() < 0.25  # blocks: an array of n * m elements
        self.scalars: list[str] = []
        self.count = 0
        self.lines: list[str] = []
        self.depth = 1
        self.loops: list[str] = []
        self.locals: list[str] = []
        self.lasts: list[str] = []
        self.wild = r.random() < 0.35
        self.operator, self.extreme = r.choice(OPERATORS), r.choice(["min", "max"])

    # ---- indices -----------------------------------------------------------------------

    def own(self) -> str:
        """An index that mostly differs in each iteration."""
        i = self.loops[0]
        return self.pick(
            i, i, i, f"{i} + 1", f"{i} + k", f"2 * {i}", f"2 * {i} + 1", f"n - 1 - {i}", f"n - {i}", f"-1 - {i}",
            f"perm[{i}]", f"{i} + n", f"{i} + idx[0]", f"{i} + perm[k]", f"({i} + k) % n", f"{i} * k", f"{i} - n", f"{i} ^ 1", f"n + 3 - {i}",
        )  # fmt: skip

    def any_index(self) -> str:
        i, j = self.loops[0], self.loops[-1]
        return self.pick(
            self.own(), self.own(), f"{i} // 2", f"{i} % m", f"{i} % k", f"{i} & 3", f"({i} * 3) % n", "0", "n", "k",
            f"{j}", f"{i} + {j}", f"{i} - {j}", f"{i} * m + {j}", f"{j} + 1", f"idx[{i}]", f"abs({i} - k)",
            f"int({i} * 0.5)", f"max({i} - 1, 0)", f"min({i}, k)", f"{i} + 1 if {i} % 2 else {i}",
            "idx[-1]", f"perm[k] + {j}", f"({i} + {j}) % n", f"{i} >> 1", f"{i} * {i} % n", f"perm[perm[{i}]]", f"{i} + d0", f"n * {j} + {i}",
        )  # fmt: skip

    def element(self, a: str, own: bool) -> str:
        i = self.own() if own or not self.wild and self.chance(0.7) else self.any_index()
        return f"{a}[{i}]"

    def target(self) -> str:
        if self.square and self.chance(0.4):
            i, j = self.loops[0], self.loops[-1]
            if self.wild and self.chance(0.4):
                return f"A[{self.any_index()} % n, {self.pick(i, j, '0')} % m]"
            return self.pick(
                f"A[{i}, {j} % m]",
                f"A[{i}, 0]",
                f"A[{i}][m - 1]",
                f"A[n - 1 - {i}, m // 2]",
                f"A.T[{j} % m, {i}]",
            )
        if self.wide and self.chance(0.4):
            i, j = self.loops[0], self.loops[-1]
            return self.pick(
                f"w[{i} * m + {j} % m]",
                f"w[{i} * m]",
                f"w[{i} + n * ({j} % m)]",
                f"w[{i} * m + m - 1]",
            )
        if self.locals and self.chance(0.3):
            return (
                f"{self.pick(*self.locals)}[{self.pick('0', '1', '-1', self.loops[-1] + ' % 3')}]"
            )
        return self.element(self.arrays[0], not self.wild)

    # ---- values ------------------------------------------------------------------------

    def value(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.3):
            options = ["1", "2", "0.5", self.loops[0], self.loops[-1], "k", *self.scalars]
            a = self.pick(*self.arrays)
            options += [self.read(a)] * 4
            if self.square:
                options += [
                    f"A[{self.pick(self.loops[0], '0', 'n - 1')}, {self.pick('0', self.loops[-1] + ' % m')}]"
                ]
            if self.locals:
                options += [f"{self.pick(*self.locals)}[{self.pick('0', '2')}]"]
            return self.pick(*options)
        a, b = self.value(depth - 1), self.value(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * 2)", f"min({a}, 9)" if a.isidentifier() else f"({a} + 1)",
            f"({a} if {self.condition()} else {a})", f"twice({a})", f"abs({a})",
        )  # fmt: skip

    def read(self, a: str) -> str:
        if a != self.arrays[0] or self.wild:
            return f"{a}[{self.any_index()}]"
        return f"{a}[{self.pick(self.loops[0], self.own(), self.any_index())}]"

    def condition(self) -> str:
        i, j = self.loops[0], self.loops[-1]
        return self.pick(
            f"{i} > 2", f"{i} % 2 == 0", f"{i} == k", f"{j} < m - 1", f"{i} != {j}", f"idx[{i}] > 3", "k > 1",
            f"{self.pick(*self.arrays)}[{i}] > 0", f"{i} + 1 < n", f"{i} >= k",
        )  # fmt: skip

    # ---- statements ----------------------------------------------------------------------

    def store(self) -> None:
        op = self.pick("=", "=", "=", "+=", "-=", "*=")
        value = "2" if op == "*=" else self.value()
        self.add(f"{self.target()} {op} {cast(value)}")

    def block(self) -> None:
        """A slice, or a row."""
        i, a = self.loops[0], self.arrays[0]
        size = self.pick("1", "2", "m", "k", "3", "i - i + 2".replace("i", i))
        target = self.pick(
            f"{a}[{i}:{i} + {size}]", f"{a}[{i} * 2:{i} * 2 + {size}]", f"{a}[{i}::n]", f"{a}[{i}:{i} + 1]",
            f"{a}[{i} * k:({i} + 1) * k]", f"{a}[2 * {i}:2 * {i} + 2][::-1]", f"{a}[{i} + 1:{i} + 2]",
            *([f"A[{i}]", f"A[{i}, :]", f"A[{i}, 1:]", f"A[{i}][::-1]", f"A[:, {i} % m]"] if self.square else []),
            *([f"w[{i} * m:({i} + 1) * m]", f"w[{i}::n]", f"w[{i} * m:{i} * m + k]"] if self.wide else []),
        )  # fmt: skip
        form = self.r.random()
        if form < 0.35:
            self.add(
                f"{target} {self.pick('=', '+=')} {cast(self.value(1))}"
                if target[-1] == "]" and ":" in target
                else f"{target}[:] = 1"
            )
        elif form < 0.55:
            self.add(f"fill({target}, {cast(self.value(1))})")
        elif form < 0.7:
            s = self.fresh("s")
            self.add(
                f"{s} = {target}.sum() * 1"
                if target.startswith(("c", "d", "A["))
                else f"{s} = {target}.size"
            )
            self.scalars.append(s)
        else:
            self.add(f"bump({target}, 1)")

    def scalar(self) -> None:
        s = self.fresh("t")
        self.add(f"{s} = {self.value()}")
        self.scalars.append(s)

    def reduce(self) -> None:
        """Mostly of one operator for each name: others with it are no reduction."""
        s = self.pick(*self.reds)
        v = f"int({self.value(1)})"
        op = self.operator if self.chance(0.9) else self.pick(*OPERATORS)
        op = "+" if op == "*" else op  # Python's ints would leave int64
        form = self.pick(
            f"{s} {op}= {v} % 7",
            f"{s} = {s} {op} {v} % 5",
            f"{s} = {v} % 3 {op} {s}",
            f"{s} = {self.extreme}({s}, {v})",
            f"{s} = {self.extreme}({v}, {s}, 1)",
            f"{s} = {s} {op} ({v} % 5 if {self.condition()} else 1)",
        )
        if not self.chance(0.2):
            self.add(form)
            return
        # what it has come to, by another name, which others may read, too
        t = self.pick(*self.reached) if self.chance(0.6) else self.fresh("t")
        first, then = f"{t} = {form.split('= ', 1)[1]}", f"{s} = {t}"
        for line in (first, then) if self.chance(0.7) else (form, f"{t} = {s}"):
            self.add(line)
        if self.chance(0.3):
            self.scalars.append(t)

    def last(self) -> None:
        self.add(f"{self.pick(*self.lasts)} = float({self.value(1)})")

    def update(self) -> None:
        """An array's elements that all iterations add to, or that look so."""
        at = f"h[{self.any_index()} % m]"
        other = at if self.chance(0.8) else self.pick(f"h[{self.any_index()} % m]", "h2" + at[1:])
        v = self.pick("1", "k", self.loops[0], f"int({self.value(1)}) % 7")
        op, t = self.operator, self.fresh("t")
        form = self.pick(
            f"{at} {op}= {v}",
            f"{at} {op}= {v}",
            f"{at} = {other} {op} {v}",
            f"{at} = {v} {op} {other}",
            f"{at} = {self.extreme}({other}, {v})",
            f"{t} = {other}\n{at} = {t} {op} {v}",
            f"{at} = {other} {op} {v} if {self.condition()} else {other}",
            f"{at} = 2 * {v} + {other} - {v}",
        )
        for line in form.split("\n"):
            self.add(line)

    def swap(self) -> None:
        a = self.arrays[0]
        x, y = self.pick(
            (f"{a}[{self.loops[0]}]", f"{a}[n - 1 - {self.loops[0]}]"),
            (self.element(a, True), self.element(a, True)),
        )
        self.add(f"{x}, {y} = {y}, {x}")

    def branch(self) -> None:
        self.add(f"if {self.condition()}:")
        self.inside()
        if self.chance(0.4):
            self.add("else:")
            self.inside()

    def inside(self, most: int = 2) -> None:
        names, local = list(self.scalars), list(self.locals)
        self.depth += 1
        for _ in range(self.r.randint(1, most)):
            self.statement()
        self.depth -= 1
        self.scalars, self.locals = names, local

    def inner(self) -> None:
        j = self.fresh("j")
        span = self.pick(
            "m",
            "m",
            "3",
            f"{self.loops[0]}",
            f"{self.loops[0]}, n",
            "k",
            f"{self.loops[0]} + 1, n",
            "n - 1, -1, -1",
            "1, m",
        )
        self.add(
            f"for {j} in {'prange' if self.chance(0.1) and self.kind == 'prange' else 'range'}({span}):"
        )
        self.loops.append(j)
        self.inside()
        if self.chance(0.15):
            self.add(f"    if {self.condition()}:")
            self.add(f"        {self.pick('break', 'continue')}")
        self.loops.pop()

    def helper(self) -> None:
        a = self.arrays[0]
        self.add(self.pick(
            f"put({a}, {self.own()}, {cast(self.value(1))})", f"put({a}[{self.loops[0]}:], 0, {cast('1')})",
            f"x{self.count} = {a}[::2]", f"put({a}[::-1], {self.loops[0]}, 3)", f"put({a}[1:], {self.loops[0]}, 2)",
        ))  # fmt: skip

    def local(self) -> None:
        t = self.fresh("l")
        self.add(f"{t} = {self.pick('np.zeros(3)', 'np.ones(3)', 'np.zeros(3, np.int64)')}")
        self.locals.append(t)

    def skip(self) -> None:
        if len(self.loops) == 1 and self.depth == 2:
            self.add(f"if {self.condition()}:")
            self.add("    continue")
        else:
            self.store()

    def rebind(self) -> None:
        """What bounds and indices are made of; a bound was taken when its loop began."""
        name = self.pick("n", "m", "k", "d0")
        self.add(f"{name} {self.pick('+= 1', '-= 1', '= 2', '= m', f'= {self.loops[-1]}')}")

    def statement(self) -> None:
        choices = [self.store] * 5 + [
            self.scalar,
            self.block,
            self.swap,
            self.helper,
            self.local,
            self.skip,
        ]
        if self.reds:
            choices += [self.reduce]
        if self.lasts:
            choices += [self.last]
        if self.updates:
            choices += [self.update]
        if self.kind == "range" and self.chance(0.3):
            choices += [self.rebind]
        if self.depth < 4:
            choices += [self.branch, self.inner, self.inner]
        self.pick(*choices)()

    def one_loop(self) -> None:
        i = self.fresh("i")
        span = self.pick(
            "n",
            "n",
            "n",
            "1, n",
            "n - 1",
            "n - 1, -1, -1",
            "0, n, 2",
            "k, n",
            "1, n - 1",
            "-n, 0",
            "n - 1, 0, -2",
            "0, n, k",
            "n // 2",
        )
        self.reds = []
        if self.chance(0.25):
            self.reds = [self.fresh("r")]
            self.add(f"{self.reds[0]} = {self.pick('0', '5', '-3')}")
            self.reached = [self.fresh("e")]
            self.add(f"{self.reached[0]} = 0")
            self.results += self.reds + self.reached
        self.updates = self.chance(0.25)
        if self.chance(0.1):
            t = self.fresh("t")
            self.add(f"{t} = {self.pick('0', '0.5')}")
            self.scalars.append(t)
        self.lasts = []
        if self.chance(0.25):
            self.lasts = [self.fresh("z") for _ in range(self.pick(1, 2))]
            for z in self.lasts:
                self.add(f"{z} = -1.5")
            self.results += self.lasts
        self.add(f"for {i} in {self.kind}({span}):")
        self.loops = [i]
        outer = list(self.scalars)
        for z in self.lasts[:1]:  # set by each iteration; others by some
            self.add(f"    {z} = float({self.pick(i, f'{i} * 2', f'{self.arrays[0]}[{i}]')})")
        self.inside(3)
        if self.kind == "range" and self.chance(0.1):
            self.add(f"    if {self.condition()}:")
            self.add(f"        {self.pick('break', 'continue')}")
        self.scalars = outer

    def around(self) -> None:
        """A loop inside of other statements, with something after it."""
        form = self.r.random()
        if form < 0.7:
            self.one_loop()
            return
        head = (
            "try:" if form < 0.8 else f"for {self.fresh('q')} in range({self.pick('2', '1', 'k')}):"
        )
        if form > 0.95:
            head = f"if {self.pick('n > 2', 'k == 1', 'm < n')}:"
        at = len(self.results)
        start = len(self.lines)
        self.add(head)
        self.depth += 1
        self.one_loop()
        if self.chance(0.4) and head.startswith("for"):
            self.add(f"if {self.pick('n > 2', 'k == 1', 'True')}:")
            self.add(f"    {self.pick('continue', 'break')}")
            self.add(f"{self.arrays[0]}[0] = 3")
        self.depth -= 1
        if head == "try:":
            self.add("except IndexError:")
            self.add(f"    {self.arrays[0]}[1] = 2")
        # what is returned has a value on every path
        self.lines[start:start] = [
            f"    {x} = {'-1' if x[0] == 'r' else '-1.0'}" for x in self.results[at:]
        ]

    def text(self) -> str:
        self.results: list[str] = []
        for _ in range(self.pick(1, 1, 1, 2)):
            self.around()
        names = [*self.arrays, "A", "w", "h", "h2", "perm", "idx", "n", "m", "k", "d0"]
        return (
            HEADER + HELPERS + f"def fuzzed({', '.join(names)}):\n" + "\n".join(self.lines)
            + f"\n    return {', '.join(self.results) or 'n'}\n\n\n" + self.inputs(names)
        )  # fmt: skip

    def inputs(self, names: list[str]) -> str:
        r, lines = self.r, []
        for k, a in enumerate(self.arrays):
            text = values.made(r, KINDS[a], (self.size,))
            same = [b for b in self.arrays[:k] if KINDS[b] == KINDS[a]]
            if same and r.random() < 0.3:
                text = r.choice(["{}", "{}[::-1]", "{}.copy()"]).format(same[0])
            elif r.random() < 0.2:
                text = f"({values.made(r, KINDS[a], (2 * self.size,))})[::{r.choice([2, -2])}]"
            lines.append(f"{a} = {text}")
        n, m = self.n, self.m
        perm, idx = list(range(n)), [r.randrange(max(n, 1)) for _ in range(n)]
        r.shuffle(perm)
        if r.random() < 0.2 and n > 1:
            perm[0] = perm[1]
        dtype = r.choice(["int64", "float64", "int32"])
        a = f"(np.arange({max(n, m) * (m + 2)}) % 5).astype(np.{dtype}).reshape({max(n, m)}, {m + 2})"
        lines.append(f"A = {a}" + ("[:, ::-1]" if r.random() < 0.2 else ""))
        lines.append(f"w = np.arange({n * m + n + m + 9}) % 7")
        kinds = ["int64", "int32"] if self.operator in "^|&" else ["int64", "int32", "float64"]
        lines.append(f"h = np.arange({m}).astype(np.{r.choice(kinds)})")
        lines.append(f"h2 = {r.choice(['h.copy()', 'h.copy()', 'h', 'h[::-1]', 'h + 2'])}")
        lines.append(f"perm = np.array({perm}, np.int64)")
        lines.append(f"idx = np.array({idx}, np.{r.choice(['int64', 'int32', 'uint8'])})")
        values_of = {"n": n, "m": m, "k": r.choice([1, 1, 2, 3, 0, n]), "d0": r.choice([0, 1, -1])}
        lines += [f"{k} = {v}" for k, v in values_of.items()]
        return "def inputs():\n    " + "\n    ".join(lines) + f"\n    return {', '.join(names)}\n"


def cast(value: str) -> str:
    return value if value.isdigit() else f"int({value}) % 101"


HELPERS = """
def twice(x):
    return x + x


def put(x, i, v):
    x[i] = v


def fill(x, v):
    x[...] = v


def bump(x, v):
    for q in range(x.shape[0]):
        x[q] += v


"""


# ---- what the iterations touch -----------------------------------------------------------


class Log:
    """Which iteration of which loop is running, and who touched each byte in it."""

    def __init__(self) -> None:
        self.stack: list[list[Any]] = []
        self.meet = ""
        self.left = False  # a loop, by an error

    def prange(self, *bounds: int) -> Iterator[int]:
        frame: list[Any] = [0, {}]
        self.stack.append(frame)
        try:
            for i in range(*bounds):
                frame[0] = i
                yield i
        except GeneratorExit:
            self.left = True
        finally:  # also where an error leaves the loop: its handler is in no iteration
            self.stack[:] = [f for f in self.stack if f is not frame]

    def touch(self, a: np.ndarray, write: bool) -> None:
        if not self.stack or not a.size:
            return
        base = a.__array_interface__["data"][0]
        for at in np.ndindex(a.shape):
            byte = base + sum(i * s for i, s in zip(at, a.strides, strict=True))
            self.note(byte, write)

    def note(self, byte: int, write: bool) -> None:
        for now, seen in self.stack:
            before = seen.get(byte)
            if before is None:
                seen[byte] = now, write
            elif before[0] != now:
                if write or before[1]:
                    self.meet = f"iterations {before[0]} and {now}"
            elif write and not before[1]:
                seen[byte] = now, True


class Spy:
    """An array that notes what is read and written."""

    def __init__(self, a: np.ndarray, log: Log) -> None:
        self.a, self.log = a, log
        self.shape, self.size, self.ndim, self.dtype = a.shape, a.size, a.ndim, a.dtype

    def __len__(self) -> int:
        return len(self.a)

    def read(self) -> np.ndarray:
        self.log.touch(self.a, False)
        return self.a

    def __getitem__(self, at: Any) -> Any:
        v = self.a[at]
        if isinstance(v, np.ndarray):
            return Spy(v, self.log)
        self.log.touch(self.part(at), False)
        return v

    def part(self, at: Any) -> np.ndarray:
        """A view of what is at an index, also where that is one element."""
        at = at if isinstance(at, tuple) else (at,)
        return self.a[at if Ellipsis in at else (*at, ...)]

    def __setitem__(self, at: Any, value: Any) -> None:
        if isinstance(value, Spy):
            if value.a.__array_interface__ == self.a[at].__array_interface__:
                return  # what an in-place operation gives back
            value = value.read()
        self.a[at] = value
        self.log.touch(self.part(at), True)

    @property
    def T(self) -> Spy:
        return Spy(self.a.T, self.log)

    def __array__(self, *args: Any, **kw: Any) -> np.ndarray:
        return self.read()

    def sum(self) -> Any:
        return self.read().sum()

    def max(self) -> Any:
        return self.read().max()

    def inplace(self, other: Any, op: str) -> Spy:
        other = other.read() if isinstance(other, Spy) else other
        self.read()
        getattr(self.a, op)(other)
        self.log.touch(self.a, True)
        return self

    def __iadd__(self, other: Any) -> Spy:
        return self.inplace(other, "__iadd__")

    def __isub__(self, other: Any) -> Spy:
        return self.inplace(other, "__isub__")

    def __imul__(self, other: Any) -> Spy:
        return self.inplace(other, "__imul__")

    def __add__(self, other: Any) -> Any:
        return self.read() + (other.read() if isinstance(other, Spy) else other)

    def __sub__(self, other: Any) -> Any:
        return self.read() - (other.read() if isinstance(other, Spy) else other)

    def __mul__(self, other: Any) -> Any:
        return self.read() * (other.read() if isinstance(other, Spy) else other)


def meeting(text: str) -> Log:
    """Which two iterations of a prange touch one element, if any."""
    log = Log()
    module = oracle(text, prange=log.prange)
    args = [Spy(a, log) if isinstance(a, np.ndarray) else a for a in module.inputs()]
    got = judging.run(module.fuzzed, tuple(args))
    if got.error:
        raise Outside(f"spy: {got.error}")
    return log


def ordered(text: str, want: judging.Outcome) -> bool:
    """Does another order of the iterations give another result? Values of the last one aside."""
    names = re.findall(r"^    return (.*)$", text, re.M)
    names = names[-2].split(", ") if len(names) > 1 else []

    def kept(value: Any) -> Any:
        if not isinstance(value, tuple):
            return None if names[:1] and names[0].startswith("z") else value
        pairs = zip(value, names, strict=False)
        return tuple(v for v, name in pairs if not name.startswith("z"))

    def shuffled(*bounds: int) -> list[int]:
        order = list(range(*bounds))
        random.Random(len(order)).shuffle(order)
        return order

    for prange in (shuffled, lambda *b: list(range(*b))[::-1]):
        module = oracle(text, prange=prange)
        got = judging.run(module.fuzzed, module.inputs())
        if bool(got.error) != bool(want.error):
            return True
        if not got.error and (
            differ(kept(want.value), kept(got.value), EXACT) or Rules().compare_args(want, got)
        ):
            return True
    return False


EXACT = Options(views=False)


class LoopRules(Rules):
    messages = False

    def __init__(self) -> None:
        super().__init__("min(", joins=True)

    def refused(self, error: BaseException | None) -> bool:
        return super().refused(error) and not isinstance(error, RaceError)


def modes(seed: int) -> tuple[str, ...]:
    return ("parallel", MODES[seed % len(MODES)])


def text(seed: int) -> str:
    return Loop(seed).text()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        ours = oracle(text, prange=range)
        given = ours.inputs()
        want = judging.run(ours.fuzzed, copy_args(given))
        log = meeting(text) if not want.error else Log()
        meet = log.meet
        # what has been done before an error hangs on the order anyway
        moves = not (want.error or log.left) and ordered(text, want)
    except Outside as e:
        return Verdict("outside", why=str(e))
    module = load(text)
    try:
        return judged(
            module, given, want, meet, moves, (mode,) if mode and mode != "debug" else modes(seed)
        )
    finally:
        forget(module)


def judged(module: Any, given: tuple, want: Any, meet: str, moves: bool, modes: tuple) -> Verdict:
    rules = LoopRules()
    unproven = serial = tested = False
    state = "same"
    for mode in modes:
        if mode.startswith("debug") or (mode.endswith("device") and (meet or moves or want.error)):
            continue
        got, f = judging.compiled_run(module, mode, copy_args(given))
        if isinstance(got.error, RaceError):
            return Verdict("race refused" if meet or moves else "race refused, none met")
        if rules.refused(got.error):
            if judging.same_refusal(want.error, got.error):
                return Verdict("same")
            return Verdict("refused", why=judging.said(got.error))
        if mode != "plain" and (meet or moves or want.error):
            said = str(f.explain())
            unproven = any(x in said for x in UNPROVEN)
            serial |= "serially" in said
            tested |= "is tested before the loop" in said
        if unproven and mode != "plain":
            state = "promised, races"
            continue
        found = rules.compare(want, got, mode)
        if found:
            return Verdict("differs", Difference(mode, *found))
    in_order = tested and not unproven  # where iterations meet
    return judged_debug(module, given, want, meet, moves, unproven, state, serial, in_order)


def judged_debug(
    module: Any,
    given: tuple,
    want: Any,
    meet: str,
    moves: bool,
    unproven: bool,
    state: str,
    serial: bool,
    in_order: bool,
) -> Verdict:
    got, _ = judging.compiled_run(module, "debug", copy_args(given))
    raced = isinstance(got.error, RaceError)
    found_running = raced and re.search(r"iteration -?\d", str(got.error))
    if found_running and not meet and not moves and not want.error:
        text = judging.message(got.error)
        return Verdict("differs", Difference("debug", "race reported, none met", text))
    if state == "promised, races" and serial:
        return Verdict("runs serially")
    if (
        not raced and meet and moves and not in_order
    ):  # what only meets may be a reduction, or not be used
        what = "race not seen" if unproven else "proven though iterations meet"
        return Verdict("differs", Difference("debug", what, meet))
    if not raced and not want.error and not got.error:
        found = LoopRules().compare(want, got, "debug")
        if found:
            return Verdict("differs", Difference("debug", *found))
    return Verdict("race seen" if raced else state)
