# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Random kernels on the CPU, against a simulation of their threads (grid/interpret.py).

Two of the makers are those of tests/grid; the third varies dtypes, shapes of the block, atomics,
votes and early returns. No two threads race: between two barriers each writes its own elements.
"""

from __future__ import annotations

import random
import re
from typing import Any

import interpret
import numpy as np
import random_kernels
import random_rich
from harness import Options, copy_args

import swathe
from swathe import gpu
from swathe.errors import RaceError

from . import judge as judging
from .draw import Draws
from .judge import PASSES, Difference, Rules, Verdict
from .program import HEADER, STEPS, Outside, Watch, load, oracle

MODES: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "plain": ({"opt_level": 0}, {}),
    "optimised": ({}, {}),
    "lanes": ({"opt_level": 1}, {"SWATHE_LANES": "4", "SWATHE_SMALL": "1"}),
    "unchecked": ({"boundscheck": False, "opt_level": 0}, {}),
}
# LLVM's time for "optimised" is five times that of the others
TURNS = ("plain", "lanes", "unchecked") * 2 + ("lanes", "optimised")
# (parts, budget): most are small, as many short programs meet more than a few long ones
SIZES = (1, 0), (1, 1), (2, 0), (1, 2), (2, 1), (2, 2), (1, 0), (1, 1)
MOST = 50  # times the steps that other programs may take: each thread takes its own
TAIL = "\n\ndef inputs():\n    return {}\n\n\nGRID, BLOCK = {!r}, {!r}\n"


def text(seed: int) -> str:
    if seed % 3 == 2:
        return Kernel(seed).text()
    rich = seed % 3 == 1
    maker = random_rich.Rich(seed, grids=seed % 9 == 1) if rich else random_kernels.Maker(seed)
    maker.parts, maker.budget = SIZES[seed // 9 % len(SIZES)]
    total = maker.size
    for g in maker.grid:
        total *= g
    inputs = f"np.random.default_rng({seed}).uniform(-4, 4, {total}), np.zeros({total}), np.zeros((3, {total}), np.int64), {seed % 5}"
    if rich:
        inputs += f", np.arange(12.0).reshape(3, 4) * 0.25, np.zeros({total})"
    source = maker.text().replace("@gpu.jit\ndef kernel", "def kernel")
    return HEADER + source + TAIL.format(inputs, maker.grid, maker.shape)


class Kernel(Draws):
    """Between two barriers one shared array is open: each thread reads and writes its own element of
    it. The others may be read anywhere, and no thread writes them."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.block = self.r.choice(
            [(1,), (4,), (8,), (31,), (32,), (33,), (4, 4), (8, 3), (2, 3, 4), (5, 1, 2), (16, 2)]
        )
        self.grid = self.r.choice([(1,), (2,), (3,), (2, 2), (1, 2, 2)])
        self.size = 1
        for n in self.block:
            self.size *= n
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.dtypes = self.r.sample(
            ["float64", "float32", "int64", "int32", "uint8", "uint32", "int16"], 3
        )
        self.names = {"t": "int", "b": "int", "n": "int"}
        self.shared = [("s0", self.dtypes[0]), ("s1", self.dtypes[1])]
        self.open = "s0"
        self.bits = self.r.choice(["and_", "or_", "xor", "max", "min"])

    def whole(self) -> str:
        v = self.pick(*self.names)
        if self.names[v] != "int":
            v = f"int({v}) % 64"
        return self.pick(
            v,
            v,
            f"({v} + {self.pick(1, 2, 5)})",
            f"{v} * {self.pick(2, 3)}",
            f"{v} // 2",
            f"({self.size - 1} - t)",
            f"{v} % 3",
            f"({v} ^ 1)",
            f"abs({v})",
        )

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.r.random() < 0.35:
            a, k = self.pick(*self.shared)
            options = [
                *self.names,
                "x[i]",
                "x[(i + 1) % x.size]",
                "k[t % k.size]",
                "w[t % 2]",
                str(self.pick(0, 1, 2, 3, 0.5, 1.5)),
            ]
            if a != self.open:
                options += [f"{a}[{self.whole()} % {self.size}]"] * 4
            options += [f"{a}[t]"]
            return self.pick(*options)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {self.pick('2', '0.5', '3')})",
            f"min({a}, {a})",
            f"abs({a})",
            f"helper({a}, {self.pick('n', 't', '2')})",
            f"({a} if {self.condition()} else {a})",
        )

    def condition(self) -> str:
        return self.pick(
            "t % 2 == 0",
            "t > 3",
            "n > 2",
            f"t < {self.size // 2}",
            "x[i] > 0",
            "b == 0",
            f"{self.whole()} > {self.whole()}",
            "t == 0",
            "k[t % k.size] > 1",
        )

    def uniform(self) -> str:
        return self.pick("n > 2", "b == 0", "n % 2 == 1", "True", "b + n > 2", "gpu.blockDim.x > 4")

    def cast(self, dtype: str, e: str) -> str:
        """A value that the dtype holds."""
        return e if dtype.startswith("float") else f"int({e}) % 100"

    def own(self) -> None:
        """A store to what is this thread's own."""
        if self.r.random() < 0.3:
            self.add(f"out[i] {self.pick('=', '+=')} {self.number()}")
            return
        if self.r.random() < 0.2:
            self.add(f"w[{self.pick('0', '1', 't % 2')}] {self.pick('=', '+=')} {self.number(1)}")
            return
        a, k = self.open, dict(self.shared)[self.open]
        self.add(
            f"{a}[t] {self.pick('=', '=', '+=') if k.startswith('float') else '='} {self.cast(k, self.number())}"
        )

    def local(self) -> None:
        v = f"v{self.count}"
        self.count += 1
        e = self.number()
        kind = self.pick("float", "int")
        self.add(f"{v} = {f'float({e})' if kind == 'float' else f'int({e}) % 50'}")
        self.names[v] = kind

    def atomic(self) -> None:
        """Of one kind for each array, so that the order doesn't matter."""
        at, value = f"{self.whole()} % 4", self.pick("1", "5", "t", "n")
        op, array = self.pick(
            ("add", "counts"), ("sub", "counts"), ("add", "c"), (self.bits, "bits")
        )
        self.add(f"gpu.atomic.{op}({array}, {at}, {value})")

    def wait(self) -> None:
        self.add("gpu.syncthreads()")
        self.open = self.pick("s0", "s1")

    def vote(self) -> None:
        v = f"v{self.count}"
        self.count += 1
        self.add(
            f"{v} = int(gpu.syncthreads_{self.pick('count', 'and', 'or')}({self.condition()}))"
        )
        self.open = self.pick("s0", "s1")
        self.names[v] = "int"

    def branch(self) -> None:
        self.add(f"if {self.condition()}:")
        self.inside([self.own, self.local, self.own])
        if self.r.random() < 0.4:
            self.add("else:")
            self.inside([self.own, self.local])

    def loop(self) -> None:
        j = f"j{self.count}"
        self.count += 1
        span = self.pick("3", "t % 4", "n", "2, 0, -1", f"t, {self.size}, 7")
        self.add(f"for {j} in range({span}):")
        before = dict(self.names)
        self.names[j] = "int"
        self.inside([self.own, self.local, self.branch])
        if self.r.random() < 0.25:
            self.add(f"    if {self.condition()}:")
            self.add(f"        {self.pick('break', 'continue')}")
        self.names = before

    def rounds(self) -> None:
        """A loop, or a branch, that all threads of the block take alike; they wait in it."""
        j = f"j{self.count}"
        self.count += 1
        before = dict(self.names)
        if self.r.random() < 0.6:
            self.add(f"for {j} in range({self.pick('2', 'n', '3')}):")
            self.names[j] = "int"
        else:
            self.add(f"if {self.uniform()}:")
        self.wait_first()
        self.inside([self.own, self.local, self.wait, self.own, self.vote, self.branch], 4)
        self.add("    gpu.syncthreads()")
        self.names = before
        self.wait()  # also where nothing of it has run

    def wait_first(self) -> None:
        self.depth += 1
        self.wait()
        self.depth -= 1

    def inside(self, makers: list[Any], most: int = 2) -> None:
        before = dict(self.names)
        self.depth += 1
        for _ in range(self.r.randint(1, most)):
            self.pick(*makers)()
        self.depth -= 1
        self.names = before

    def text(self) -> str:
        bx, by = (*self.block, 1, 1)[:2]
        total = self.size
        for g in self.grid:
            total *= g
        self.lines = [
            f"    t = gpu.threadIdx.x + {bx} * (gpu.threadIdx.y + {by} * gpu.threadIdx.z)",
            "    b = gpu.blockIdx.x + gpu.gridDim.x * (gpu.blockIdx.y + gpu.gridDim.y * gpu.blockIdx.z)",
            f"    i = t + {self.size} * b",
        ]
        for a, d in self.shared:
            self.lines.append(f"    {a} = gpu.shared.array({self.size}, np.{d})")
            self.lines.append(f"    {a}[t] = {self.cast(d, 'x[i]')}")
        self.lines += [
            "    w = gpu.local.array(2, np.float64)",
            "    w[0] = 0.5",
            "    w[1] = t",
            "    gpu.syncthreads()",
        ]
        for _ in range(self.r.randint(2, 7)):
            self.pick(
                self.own,
                self.own,
                self.local,
                self.atomic,
                self.wait,
                self.wait,
                self.branch,
                self.loop,
                self.rounds,
                self.vote,
            )()
        if self.r.random() < 0.3:
            self.add(f"if {self.condition()}:")
            self.add("    return")
            self.add(self.pick("out[i] += 1", "out[i] = w[0]", "gpu.atomic.add(counts, 0, 1)"))
        else:
            self.add(f"out[i] += {' + '.join(self.names)}")
        source = (
            "def helper(p, q):\n    if p > q:\n        return (p - q) * 1.0\n    return p * 0.5\n\n\ndef kernel(x, out, counts, c, bits, k, n):\n"
            + "\n".join(self.lines)
        )
        inputs = f"np.arange({total}) % 7 - 2.5, np.zeros({total}), np.zeros(4, np.int64), np.zeros(4, np.{self.pick('int32', 'float64', 'uint32', 'float32')}), np.zeros(4, np.{self.pick('int64', 'int32', 'uint32')}), np.arange(6), {self.r.randint(0, 4)}"
        return HEADER + source + "\n" + TAIL.format(inputs, self.grid, self.block)


# ---- judging -------------------------------------------------------------------------------


class KernelRules(Rules):
    messages = False

    def __init__(self, text: str) -> None:
        super().__init__(text)
        if ".sum()" in text or "abs(complex" in text:  # the latter by a function of vectors
            self.options = Options(ulp=64, scale=10.0, zeros=False, views=False)


def kernel_of(module: Any, options: dict[str, Any]) -> Any:
    return gpu.jit(module.kernel, **options)


def launched(plain: Any, grid: Any, block: Any, given: tuple, name: str) -> judging.Outcome:
    """What a mode makes of it."""
    options, env = MODES[name]
    with judging.environment(env):
        kernel = kernel_of(plain, {**options, "cache": False})
        return judging.run(lambda *a: kernel[grid, block](*a), copy_args(given))


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        ours = oracle(text, _tick=Watch(MOST * STEPS).tick)
        given = ours.inputs()
        grid, block = ours.GRID, ours.BLOCK
    except (Exception, Outside) as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    try:
        want = judging.run(
            lambda *a: interpret.launch(ours.kernel, grid, block, a), copy_args(given)
        )
    except Outside as e:
        return Verdict("outside", why=str(e))
    if want.error and not isinstance(want.error, (ArithmeticError, LookupError, ValueError)):
        return Verdict("outside", why=f"{type(want.error).__name__}")
    plain = load(text)
    names = (mode or TURNS[seed % len(TURNS)],)
    for name in names:
        if name == "unchecked" and want.error:
            continue
        got = launched(plain, grid, block, given, name)
        rules = KernelRules(text)
        if isinstance(got.error, RaceError) or rules.refused(got.error):
            return Verdict("refused", why=judging.said(got.error))
        if want.error and got.error:  # what the other threads have done is nobody's promise
            found = rules.compare_errors(
                judging.Outcome(None, want.error, ()), judging.Outcome(None, got.error, ()), "plain"
            )
        else:
            found = rules.compare(want, got, name)
        if found:
            return Verdict("differs", Difference(name, *found))
    return Verdict("same")


def passes(text: str, seed: int) -> Verdict:
    """The passes alone, against the interpreter."""
    options, env = PASSES[(0, 2, 0, 5)[seed % 4]]
    module = load(text)
    try:
        with judging.environment({"SWATHE_CHECK": judging.CHECK, **env}):
            kernel = kernel_of(module, {**options, "cache": False})
            compile_ = lambda *a: swathe._core.compiled_text(kernel, a, None, judging.NO_CODE)  # noqa: E731
            got = judging.run(compile_, module.inputs())
    except Outside:
        return Verdict("same")
    if got.error and re.search(r"=\w+\+\d+\(|touch one element", str(got.error)):
        return Verdict("same, arguments share memory")  # and threads of other blocks race
    if got.error and re.search(r"this is a bug", str(got.error)):
        return Verdict("differs", Difference("passes", *judging.internal(got.error)))
    return Verdict("same")


__all__ = ["np", "passes", "text", "verdict"]
