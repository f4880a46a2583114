# SPDX-License-Identifier: BSD-3-Clause
"""Random programs: loops, branches, scalars of five types, arrays of one and two axes.

Each seed makes one function from a small grammar in which every variable keeps its type
and every Python int stays far from the limits of int64, so that CPython and swathe must
agree bit for bit.  SWATHE_FUZZ is the number of seeds, SWATHE_FUZZ_START the first.
"""

import os
import random

import numpy as np
import pytest
from harness import ALL, Options, define, mismatch

COUNT = int(os.environ.get("SWATHE_FUZZ", "40"))
START = int(os.environ.get("SWATHE_FUZZ_START", "0"))

# kind of scalar: how an expression becomes one
WRAP = {
    "int": "({}) % 1009",
    "float": "float({})",
    "f8": "np.float64({})",
    "f4": "np.float32({})",
    "i8": "np.int64({})",
}
VECTORS = {"x": "f8", "y": "f8", "v": "f4", "k": "i8"}
MATRICES = {"a": "f8", "m": "i8"}
N = 6  # length of every axis
FUNCTIONS = {
    "float": ("math.sqrt(abs({}))", "math.fabs({})", "math.copysign(1.5, {})", "abs({})"),
    "f8": ("np.sqrt(np.abs({}))", "np.rint({})", "np.floor({})", "abs({})", "-{}"),
    "f4": ("np.sqrt(np.abs({}))", "np.trunc({})", "np.abs({})", "-{}"),
    "i8": ("np.abs({})", "~{}", "-{}"),
    "int": ("abs({})", "~{}", "-{}", "int({} > 3)"),
}


class Program:
    """Writes one random function; `text` is its source."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {"i0": "int", "f0": "float"}
        self.fixed = set()
        self.lines = []
        self.depth = 1
        self.budget = self.random.randint(6, 16)

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, p):
        return self.random.random() < p

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    # expressions, by kind -------------------------------------------------------------

    def variable(self, kind):
        found = [n for n, k in self.names.items() if k == kind]
        return self.pick(*found) if found else None

    def index(self):
        """An index, in bounds nearly always."""
        if self.chance(0.02):
            return self.scalar("int", 1)
        return self.pick(
            str(self.random.randint(-N, N - 1)),
            f"({self.scalar('int', 1)}) % {N}",
            f"({self.scalar('int', 1)}) % {N} - {N}",
        )

    def element(self, kind):
        name = self.pick(*[n for n, k in {**VECTORS, **MATRICES}.items() if k == kind])
        if name in VECTORS:
            return f"{name}[{self.index()}]"
        form = self.pick("{}[{}, {}]", "{}[{}][{}]", "{}.T[{}, {}]")
        return form.format(name, self.index(), self.index())

    def leaf(self, kind):
        name = self.variable(kind)
        if name and self.chance(0.6):
            return name
        if kind == "int":
            return self.pick(str(self.random.randint(-9, 20)), "len(x)", "a.shape[1]")
        if kind == "float":
            return self.pick("0.5", "2.0", "-1.25", "3.75", "1e3", f"float({N})")
        return self.element(kind)

    def scalar(self, kind, depth):
        """An expression whose type in CPython is exactly `kind`."""
        if depth <= 0 or self.chance(0.2):
            return self.leaf(kind)
        roll = self.random.random()
        if roll < 0.1:
            inner = self.scalar(kind, depth - 1)
            return self.pick(*FUNCTIONS[kind]).format(f"({inner})")
        if roll < 0.18:
            a, b = self.scalar(kind, depth - 1), self.scalar(kind, depth - 1)
            return f"(({a}) if {self.condition(depth - 1)} else ({b}))"
        if roll < 0.25:
            a, b = self.scalar(kind, depth - 1), self.scalar(kind, depth - 1)
            return f"{self.pick('min', 'max')}({a}, {b})"
        if roll < 0.32:
            return self.convert(kind, depth)
        return self.binary(kind, depth)

    def convert(self, kind, depth):
        other = self.pick("float", "f8", "f4", "i8", "int")
        inner = self.scalar(other, depth - 1)
        if kind == "int":
            return f"int(max(-1e6, min(1e6, {inner})))"
        if kind == "i8":
            return self.scalar(kind, depth - 1)
        return WRAP[kind].format(inner)

    def binary(self, kind, depth):
        left = self.scalar(kind, depth - 1)
        if kind == "int":
            return self.int_binary(left, self.scalar("int", depth - 1))
        weak = {"float": ("int",), "f8": ("float", "int", "f4", "i8"), "i8": ("int",)}
        weak["f4"] = ("float", "int")
        other = kind if self.chance(0.5) else self.pick(*weak[kind])
        right = self.scalar(other, depth - 1)
        if self.chance(0.3) and other != kind:
            left, right = right, left
        if kind == "i8":
            op = self.pick("+", "-", "*", "//", "%", "&", "|", "^")
        else:
            op = self.pick("+", "-", "*", "/", "//", "%")
        return f"({left} {op} {right})"

    def int_binary(self, left, right):
        op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
        if op == "*":
            return f"(({left}) % 1009 * (({right}) % 1013))"
        if op == "<<":
            return f"((({left}) % 1009) << (({right}) & 7))"
        if op == ">>":
            return f"(({left}) >> (({right}) & 15))"
        return f"(({left}) {op} ({right}))"

    def condition(self, depth):
        if depth > 0 and self.chance(0.25):
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return self.pick(f"({a} and {b})", f"({a} or {b})", f"(not {a})")
        kind, other = (
            self.pick("int", "float", "f8", "f4"),
            self.pick("int", "float", "i8"),
        )
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        left, right = self.scalar(kind, depth - 1), self.scalar(other, depth - 1)
        if self.chance(0.2):
            return f"({left} {op} {right} {op} {self.scalar('int', 0)})"
        return f"({left} {op} {right})"

    # array expressions ----------------------------------------------------------------

    def vector(self, kind, depth):
        """An expression for N elements of a dtype."""
        if depth <= 0 or self.chance(0.3):
            return self.vector_leaf(kind)
        roll = self.random.random()
        if roll < 0.15:
            a, b = self.vector(kind, depth - 1), self.vector(kind, depth - 1)
            op = self.pick("<", ">=", "==")
            return f"np.where({a} {op} {b}, {self.vector(kind, depth - 1)}, {a})"
        if roll < 0.3:
            inner = self.vector(kind, depth - 1)
            return self.pick("np.abs({})", "(-{})", "np.maximum({}, 1)").format(inner)
        left = self.vector(kind, depth - 1)
        scalar = "int" if kind == "i8" else self.pick("int", "float")
        right = self.vector(kind, depth - 1) if self.chance(0.6) else self.leaf(scalar)
        ops = ("+", "-", "*", "//", "%") + (() if kind == "i8" else ("/",))
        return f"({left} {self.pick(*ops)} {right})"

    def vector_leaf(self, kind):
        names = [n for n, k in VECTORS.items() if k == kind]
        name = self.pick(*names)
        forms = [name, name, f"{name}[::-1]", f"{name}[:]"]
        for matrix in (n for n, k in MATRICES.items() if k == kind):
            forms += [f"{matrix}[{self.index()}]", f"{matrix}[:, {self.index()}]"]
        return self.pick(*forms)

    def matrix(self, kind, depth):
        name = next(n for n, k in MATRICES.items() if k == kind)
        if depth <= 0 or self.chance(0.3):
            return self.pick(name, name, f"{name}.T", f"{name}[::-1]", f"{name}[:, ::-1]")
        right = self.pick(self.matrix(kind, depth - 1), self.vector(kind, depth - 1))
        if self.chance(0.3):
            right = f"{self.vector_leaf(kind)}[:, None]"
        return f"({self.matrix(kind, depth - 1)} {self.pick('+', '-', '*')} {right})"

    # statements -----------------------------------------------------------------------

    def assign(self):
        found = [n for n in self.names if n not in self.fixed]
        if len(self.names) < 9 and self.depth == 1 and self.chance(0.6):
            kind = self.pick(*WRAP)
            name = f"{kind[0]}{kind[-1]}{len(self.names)}"
        else:
            name = self.pick(*found)
            kind = self.names[name]
        value = self.scalar(kind, 3)
        self.emit(f"{name} = {WRAP[kind].format(value)}")
        self.names[name] = kind

    def store(self):
        kind = self.pick("f8", "f4", "i8")
        target = self.element(kind).replace(".T[", "[")
        value = self.scalar("int" if kind == "i8" else self.pick("float", kind), 2)
        op = self.pick("=", "=", "+=", "-=", "*=")
        self.emit(f"{target} {op} {value}")

    def array_statement(self):
        kind = self.pick("f8", "f4", "i8")
        if self.chance(0.3) and kind != "f4":
            name = next(n for n, k in MATRICES.items() if k == kind)
            self.emit(f"{name}{self.pick('[:]', '[...]')} = {self.matrix(kind, 2)}")
            return
        name = self.pick(*[n for n, k in VECTORS.items() if k == kind])
        cut = self.random.randint(1, N - 1)
        value = self.vector(kind, 2)
        self.emit(
            self.pick(
                f"{name}[:] = {value}",
                f"{name} += {value}",
                f"{name}[{cut}:] = {name}[:-{cut}]",
                f"{name}[:{-cut}] -= {name}[{cut}:]",
                f"{name}[::2] = ({value})[1::2]",
                f"{name} = {value}",
                f"{name}[{cut}:] *= ({value})[:{-cut}]",
            )
        )

    def reduction(self):
        name, text = self.pick(
            ("f8", "{}.max()"),
            ("f8", "{}.min()"),
            ("i8", "{}.sum()"),
            ("i8", "np.max({})"),
            ("i8", "{}.argmin()"),
        )
        target = f"{name[0]}r{len(self.names)}"
        if self.depth > 1:
            target = self.variable(name) or "_"
        self.emit(f"{target} = {text.format(self.vector(name, 1))}")
        if target != "_":
            self.names[target] = name

    def block(self):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def branch(self):
        self.emit(f"if {self.condition(2)}:")
        self.block()
        if self.chance(0.5):
            self.emit("else:")
            self.block()

    def loop(self):
        name = f"j{self.depth}"
        if self.names.get(name):
            return self.assign()
        bounds = self.pick(
            f"{N}", f"1, {N}", f"{N} - 1, -1, -1", f"-{N}, {N}, 3", "len(x)", "i0 % 5"
        )
        self.emit(f"for {name} in range({bounds}):")
        self.names[name] = "int"
        self.fixed.add(name)
        self.block()
        if self.chance(0.2):
            self.depth += 1
            self.emit(f"if {self.condition(1)}:")
            self.emit(f"    {self.pick('break', 'continue')}")
            self.depth -= 1
        del self.names[name]

    def statement(self):
        self.budget -= 1
        choices = [self.assign, self.assign, self.store, self.array_statement]
        choices.append(self.reduction)
        if self.depth < 4 and self.budget > 0:
            choices += [self.branch, self.loop, self.loop]
        self.pick(*choices)()

    def text(self):
        while self.budget > 0:
            self.statement()
        arrays = [*VECTORS, *MATRICES]
        head = f"def fuzzed(i0, f0, {', '.join(arrays)}):\n"
        tail = f"    return {', '.join([*self.names, *arrays])}\n"
        return head + "\n".join(self.lines) + "\n" + tail


def arguments(seed):
    """Arguments in a layout that depends on the seed."""
    r = np.random.default_rng(seed)
    arrays = []
    for rank, kinds in ((1, VECTORS), (2, MATRICES)):
        for kind in kinds.values():
            a = r.integers(-12, 13, (2 * N,) * rank) / (1 if kind == "i8" else 4)
            a = a.astype(kind)
            cut = [slice(None, N), slice(None, None, 2), slice(N - 1, None, -1)]
            a = a[(cut[r.integers(3)],) * rank]
            arrays.append(a.copy() if r.integers(2) else a.T)
    return int(r.integers(-20, 20)), float(r.integers(-8, 8)) / 2, *arrays


@pytest.mark.parametrize("seed", range(START, START + COUNT))
def test_random_program(seed, monkeypatch):
    monkeypatch.setenv("SWATHE_SKIP", "nan")  # programs are as they come, and so are NaNs
    source = Program(seed).text()
    f = define(source, "fuzzed")
    options = Options(raises=..., modes=ALL, views=False)
    for variant in range(3):
        found = mismatch(f, arguments(seed * 3 + variant), options)
        if found:
            pytest.fail(f"SWATHE_FUZZ_START={seed} SWATHE_FUZZ=1\n{found}", pytrace=False)


def test_most_programs_return():
    """The grammar is worth its time: most programs reach their end."""
    from harness import copy_args, run

    errors = []
    for seed in range(40):
        f = define(Program(seed).text(), "fuzzed")
        errors.append(run(f, copy_args(arguments(seed)), {}).error)
    raised = {type(e) for e in errors if e}
    assert sum(e is None for e in errors) >= 20, errors
    expected = (ArithmeticError, LookupError, ValueError)
    assert all(issubclass(e, expected) for e in raised), errors
