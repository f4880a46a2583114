# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Random typed IR, as text: `swc --check2` runs it after each pass and compares.

The grammar is what lowering may write: scalars are set before anything reads them, each index has its check
or is a loop's variable within bounds, fresh arrays alone are `noalias`, `par` loops are elementwise.
"""

from __future__ import annotations

import os
import random
import re
import subprocess

from . import TESTS, reduce
from .draw import Draws
from .judge import CHECK, Difference, Verdict

SWC = os.environ.get("SWATHE_SWC", str(TESTS.parent / "build" / "swc"))
KINDS = ("i64", "i64", "f64", "f64", "i32", "f32", "bool", "u8", "u64", "i16", "c128", "f16")
FLOATS = ("f64", "f32", "f16")
OPTIONS: tuple[tuple[list[str], dict[str, str]], ...] = (
    ([], {}), ([], {"SWATHE_LANES": "4"}), (["--parallel"], {"SWATHE_GRAIN": "1"}), (["--vector", "64"], {}),
    (["--debug"], {"SWATHE_SKIP": "nan"}), ([], {"SWATHE_LANES": "2"}), (["--fastmath"], {}), (["--parallel"], {"SWATHE_LANES": "8"}),
)  # fmt: skip


class Text(Draws):
    """Writes one module."""

    INDENT = "  "

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.kinds = self.r.sample(KINDS, self.r.randint(2, 4))
        self.kinds += ["i64", "f64"][: self.r.randint(1, 2)]
        self.lines: list[str] = []
        self.vars: list[str] = []
        self.depth = 1
        self.count = 0
        self.scalars: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.arrays: dict[str, tuple[str, int]] = {}
        self.readonly: set[str] = set()
        self.alone: set[str] = set()
        self.loops: list[str] = []  # variables in 0 .. dim(array, axis) - 1
        self.ranges: dict[str, tuple[str, int]] = {}
        self.helpers: list[tuple[str, list[str], str]] = []
        self.sites = self.r.random() < 0.5
        self.budget = self.r.randint(4, 22)

    # ---- expressions -------------------------------------------------------------------

    def constant(self, kind: str) -> str:
        if kind == "bool":
            return self.pick("true", "false")
        if kind == "c128":
            return f"({self.pick('1.0', '-0.5', '0.0')}, {self.pick('2.0', '0.25')}):c128"
        if kind in FLOATS:
            v = self.pick("0.0", "1.0", "-1.5", "0.25", "3.0", "-0.0", "nan", "inf", "100.0")
            return v if kind == "f64" and v[-1].isdigit() else f"{v}:{kind}"
        v = self.pick(0, 1, 1, 2, 3, 7, 15, 100) * (1 if kind[0] == "u" else self.pick(1, 1, -1))
        if self.chance(0.03):
            bits = int(kind[1:])
            v = 2 ** (bits - 1) - 1 if kind[0] == "i" else 2**bits - 1
        return str(v) if kind == "i64" else f"{v}:{kind}"

    def leaf(self, kind: str) -> str:
        names = [n for n, k in self.scalars.items() if k == kind]
        roll = self.r.random()
        if names and roll < 0.5:
            return self.pick(*names)
        arrays = [a for a, (k, _) in self.arrays.items() if k == kind]
        if arrays and roll < 0.8:
            a = self.pick(*arrays)
            return f"{a}[{', '.join(self.index(a, d) for d in range(self.arrays[a][1]))}]"
        if kind == "i64" and self.arrays and roll < 0.9:
            a = self.pick(*self.arrays)
            return f"dim({a}, {self.r.randrange(self.arrays[a][1])})" if self.arrays[a][1] else "4"
        return self.constant(kind)

    def index(self, a: str, axis: int) -> str:
        """An index that may be used: a check for it is written where it needs one."""
        for i in self.r.sample(self.loops, len(self.loops)):
            if self.ranges[i] == (a, axis):
                if self.chance(0.7):
                    return i
                if self.chance(0.5):
                    return f"sub(sub(dim({a}, {axis}), 1), {i})"
        e = self.small()
        if self.chance(0.65):
            e = f"mod({e}, dim({a}, {axis}))"
        self.add(f"check_index {a}, {axis}, {e}" + (" site 0" if self.sites else ""))
        return f"wrap({e}, dim({a}, {axis}))"

    def small(self) -> str:
        """An int that may be an index; nothing in it needs a check."""
        names = [*self.loops, *self.loops, *[n for n, k in self.scalars.items() if k == "i64"]]
        i = self.pick(*names) if names and self.chance(0.85) else str(self.r.randint(-2, 3))
        k = self.pick("1", "2", "3", "-1", *[n for n, t in self.scalars.items() if t == "i64"][:2])
        return self.pick(
            i, i, i, f"add({i}, {k})", f"sub({i}, {k})", f"mul({i}, {k})", f"sub({k}, {i})", f"floordiv({i}, {k})", f"mod({i}, {k})",
            f"and({i}, 3)", f"min({i}, {k})", f"max({i}, {k})", f"select(lt({i}, {k}), {i}, {k})", f"add(mul({i}, {k}), 1)", f"shr({i}, 1)", f"abs({i})",
        )  # fmt: skip

    def value(self, kind: str, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.25):
            return self.leaf(kind)
        if self.chance(0.12):
            return f"select({self.value('bool', depth - 1)}, {self.value(kind, depth - 1)}, {self.value(kind, depth - 1)})"
        if self.chance(0.1) and kind != "bool":
            other = self.pick(*[k for k in self.kinds if k != kind and k != "c128"] or ["i64"])
            if kind == "i64" and other in ("f64", "f32"):
                return f"toint({self.value(other, depth - 1)})"
            if other in FLOATS and kind not in FLOATS and kind != "c128":
                other = "i32"
            if other != kind:
                return f"{kind}({self.value(other, depth - 1)})"
        a = self.value(kind, depth - 1)
        if kind == "bool":
            k = self.pick(*[k for k in self.kinds if k not in ("bool", "c128")] or ["i64"])
            x, y = self.value(k, depth - 1), self.value(k, depth - 1)
            op = self.pick("lt", "le", "gt", "ge", "eq", "ne")
            return self.pick(
                f"{op}({x}, {y})",
                f"{op}({x}, {y})",
                f"and({a}, {op}({x}, {y}))",
                f"or({a}, {op}({x}, {y}))",
                f"inv({a})",
                f"xor({a}, {op}({x}, {y}))",
            )
        b = self.value(kind, depth - 1)
        if kind == "c128":
            return self.pick(f"add({a}, {b})", f"sub({a}, {b})", f"neg({a})", f"conj({a})")
        ops = ["add", "sub", "mul", "add", "sub", "mul", "min", "max", "floordiv", "mod"]
        one = ["neg", "abs"]
        if kind in FLOATS:
            ops += ["div", "fmin", "fmax", "div"]
            one += ["sqrt", "floor", "ceil", "trunc", "rint", "sign"]
        else:
            ops += ["and", "or", "xor", "shl", "shr"]
            one += ["inv"]
        return f"{self.pick(*one)}({a})" if self.chance(0.15) else f"{self.pick(*ops)}({a}, {b})"

    # ---- statements --------------------------------------------------------------------

    def set(self) -> None:
        names = [n for n in self.scalars if n not in self.fixed]
        v = self.pick(*names)
        e = self.value(self.scalars[v], self.pick(1, 2, 3))
        if self.scalars[v] == "i64" and self.chance(0.4):
            e = f"mod({e}, {self.pick('5', '9', '17')})"
        self.add(f"{v} = {e}")

    def accumulate(self) -> None:
        names = [
            n
            for n in self.scalars
            if n not in self.fixed and self.scalars[n] != "bool" and self.scalars[n] != "c128"
        ]
        if not names:
            return self.set()
        v = self.pick(*names)
        k = self.scalars[v]
        op = self.pick("add", "add", "mul", "min", "max", "sub")
        e = self.value(k, 1)
        return self.add(
            f"{v} = {op}({v}, {e})" if op == "sub" or self.chance(0.7) else f"{v} = {op}({e}, {v})"
        )

    def store(self) -> None:
        names = [a for a in self.arrays if a not in self.readonly]
        if not names:
            return self.set()
        a = self.pick(*names)
        kind, rank = self.arrays[a]
        at = ", ".join(self.index(a, d) for d in range(rank))
        e = self.value(kind, 2)
        if self.chance(0.3) and kind not in ("bool", "c128"):
            e = f"{self.pick('add', 'mul', 'sub')}({a}[{at}], {e})"
        return self.add(f"{a}[{at}] = {e}")

    def block(self, most: int = 3) -> None:
        kept = dict(self.scalars), dict(self.arrays), list(self.loops), set(self.readonly)
        self.depth += 1
        at = len(self.lines)
        for _ in range(self.r.randint(1, most)):
            self.statement()
        if len(self.lines) == at:
            self.add(f"{self.some('i64')} = 1")
        self.depth -= 1
        self.scalars, self.arrays, self.loops, self.readonly = kept

    def some(self, kind: str) -> str:
        v = self.fresh("z")
        self.vars.append(f"{v}: {kind}")
        return v

    def loop(self) -> None:
        i = self.fresh("i")
        arrays = [(a, d) for a, (_, rank) in self.arrays.items() for d in range(rank)]
        within = arrays and self.chance(0.7)
        if within:
            a, d = self.pick(*arrays)
            lo, hi, step = (
                self.pick("0", "0", "0", "1", "2"),
                f"dim({a}, {d})",
                self.pick("", "", "", " step 2", " step 3"),
            )
            if self.chance(0.2):
                hi = f"sub({hi}, {self.pick('1', '2')})"
            if self.chance(0.15):
                lo, hi, step = f"sub(dim({a}, {d}), 1)", "-1", self.pick(" step -1", " step -2")
            self.ranges[i] = (a, d)
        else:
            lo, hi = self.pick("0", "1", "-2", *self.ints()), self.pick("n", "5", "9", *self.ints())
            lo, hi = (f"max({x}, -9)" if not x.lstrip("-").isdigit() else x for x in (lo, hi))
            hi = hi if hi.isdigit() else f"min({hi}, 20)"
            step = self.pick("", "", " step 2", " step -1")
            self.ranges[i] = ("", 0)
        self.add(f"seq {i} in {lo} .. {hi}{step}")
        self.scalars[i] = "i64"
        self.fixed.add(i)
        self.loops.append(i)
        self.block()
        if self.chance(0.2):
            self.depth += 1
            self.jump()
            self.depth -= 1
        self.loops.remove(i)
        del self.scalars[i]

    def jump(self) -> None:
        c = self.value("bool", 1)
        self.add(f"if {c}")
        self.add(f"  {self.pick('break', 'continue', 'continue')}")
        if self.chance(0.5):
            self.store()

    def ints(self) -> list[str]:
        return [n for n, k in self.scalars.items() if k == "i64"]

    def branch(self) -> None:
        c = self.value("bool", 2)
        start = len(self.lines)
        self.add(f"if {c}" + self.pick("", "", "", " [cold]", " [cold_else]"))
        self.block(2)
        if self.chance(0.5):
            self.add("else")
            self.block(2)
            if any(re.match(r" *(seq|par|reduce|simd) ", line) for line in self.lines[start:]):
                # a loop for rare cases does for all of them: see elementwise
                self.lines[start] = self.lines[start].replace(" [cold_else]", "")

    def repeat(self) -> None:
        k = self.some("i64")
        self.add(f"{k} = {self.pick('0', *self.ints())}")
        self.add(f"{k} = max({k}, -5)")
        n = self.pick(
            "4", "n", "7", "dim({}, 0)".format(self.pick(*self.arrays)) if self.arrays else "3"
        )
        self.add(f"while lt({k}, min({n}, 12))")
        self.scalars[k] = "i64"
        self.fixed.add(k)
        first = self.chance(0.3)
        if first:
            self.add(f"  {k} = add({k}, {self.pick('1', '2')})")
        self.block(2)
        if not first:
            self.add(f"  {k} = add({k}, {self.pick('1', '2')})")

    def elementwise(self) -> None:
        """A fresh array that a loop fills, as an array expression makes it."""
        sources = [a for a, (_, rank) in self.arrays.items() if rank == 1]
        if not sources:
            return self.set()
        x = self.pick(*sources)
        kind = self.pick(*self.kinds)
        t, i = self.fresh("t"), self.fresh("e")
        self.vars.append(f"{t}: {kind}[::1]{self.apart(t)}")
        self.add(f"{t} = alloc(dim({x}, 0)){self.pick('', '', ' zero')}")
        other = self.pick(*sources)
        ys = [x, x] if self.chance(0.5) or other == x else [x, other]
        form = self.pick("0 .. dim({t}, 0)", "0 .. dim({t}, 0)", "0 .. dim({x}, 0)").format(
            t=t, x=x
        )
        test = f"eq(dim({t}, 0), dim({ys[1]}, 0))" if ys[1] != x else ""
        reads = [(f"{ys[0]}[{i}]", self.arrays[ys[0]][0]), (f"{ys[1]}[{i}]", self.arrays[ys[1]][0])]
        broadcast = f"{ys[1]}[select(eq(dim({ys[1]}, 0), 1), 0, {i})]"
        body = self.combine(kind, reads)
        if test:
            self.add(
                f"check or({test}, eq(dim({ys[1]}, 0), 1)) site 1"
                if self.sites
                else f"check or({test}, eq(dim({ys[1]}, 0), 1)) site 0"
            )
            self.add(f"if {test} [cold_else]")
            self.add(f"  par {i} in {form} [noalias elementwise]")
            self.add(f"    {t}[{i}] = {body}")
            self.add("else")
            self.add(f"  par {i}b in {form} [noalias elementwise]")
            self.add(
                f"    {t}[{i}b] = {body.replace(reads[1][0], broadcast).replace(f'[{i}]', f'[{i}b]').replace(f', {i})', f', {i}b)')}"
            )
        else:
            self.add(f"par {i} in {form} [noalias elementwise]")
            self.add(f"  {t}[{i}] = {body}")
        self.arrays[t] = (kind, 1)
        return None

    def combine(self, kind: str, reads: list[tuple[str, str]]) -> str:
        terms = []
        for text, k in reads:
            if k == kind:
                terms.append(text)
            elif "c128" in (k, kind) or (k in FLOATS and kind not in FLOATS):
                terms.append(self.constant(kind))
            else:
                terms.append(f"ne({text}, {self.zero(k)})" if kind == "bool" else f"{kind}({text})")
        op = (
            {"bool": "xor"}.get(kind) or self.pick("add", "mul", "sub") if kind != "c128" else "add"
        )
        return self.pick(
            f"{op}({terms[0]}, {terms[1]})",
            terms[0],
            f"{op}({op}({terms[0]}, {terms[1]}), {self.constant(kind)})",
        )

    @staticmethod
    def zero(kind: str) -> str:
        return {"bool": "false", "i64": "0", "f64": "0.0"}.get(kind) or (
            f"0.0:{kind}" if kind in FLOATS else f"0:{kind}"
        )

    def reduction(self) -> None:
        sources = [
            (a, k)
            for a, (k, rank) in self.arrays.items()
            if rank == 1 and k not in ("bool", "c128")
        ]
        if not sources:
            return self.set()
        x, k = self.pick(*sources)
        s, i = self.some(k), self.fresh("e")
        op = self.pick("add", "min", "max", "add")
        self.add(f"{s} = {self.zero(k)}")
        self.add(
            f"{'reduce' if self.chance(0.6) else 'seq'} {i} in 0 .. dim({x}, 0)"
            + self.pick("", " [elementwise]")
        )
        e = self.pick(f"{x}[{i}]", f"mul({x}[{i}], {x}[{i}])")
        form = f"add{'~' if self.chance(0.4) else ''}" if op == "add" and k in FLOATS else op
        self.add(f"  {s} = {form}({s}, {e})")
        self.scalars[s] = k
        return None

    def apart(self, t: str) -> str:
        """A fresh array of which there are no views."""
        if self.chance(0.5):
            return ""
        self.alone.add(t)
        return " noalias"

    def view(self) -> None:
        sources = [a for a, (_, rank) in self.arrays.items() if rank == 1 and a not in self.alone]
        if not sources:
            return self.set()
        x = self.pick(*sources)
        kind = self.arrays[x][0]
        w = self.fresh("w")
        self.vars.append(f"{w}: {kind}[:]")
        k = self.some("i64")
        form = self.r.random()
        if form < 0.35:
            self.add(
                f"{w} = view {x} + mul(max(sub(dim({x}, 0), 1), 0), stride({x}, 0)) dims(dim({x}, 0)) strides(neg(stride({x}, 0)))"
            )
        elif form < 0.7:
            self.add(f"{k} = min({self.pick('1', '2', '3')}, dim({x}, 0))")
            self.add(
                f"{w} = view {x} + mul({k}, stride({x}, 0)) dims(sub(dim({x}, 0), {k})) strides(stride({x}, 0))"
            )
        elif form < 0.85:
            self.add(
                f"{w} = view {x} + 0 dims(floordiv(add(dim({x}, 0), 1), 2)) strides(mul(stride({x}, 0), 2))"
            )
        else:
            self.add(f"{k} = max(sub(dim({x}, 0), 1), 0)")
            self.add(f"{w} = view {x} + 0 dims({k}) strides(stride({x}, 0))")
        self.arrays[w] = (kind, 1)
        if x in self.readonly:
            self.readonly.add(w)
        return None

    def row(self) -> None:
        sources = [a for a, (_, rank) in self.arrays.items() if rank == 2 and a not in self.alone]
        if not sources:
            return self.view()
        x = self.pick(*sources)
        kind = self.arrays[x][0]
        w = self.fresh("w")
        self.vars.append(f"{w}: {kind}[:]")
        axis = self.pick(0, 1)
        at = self.index(x, axis)
        self.add(
            f"{w} = view {x} + mul({at}, stride({x}, {axis})) dims(dim({x}, {1 - axis})) strides(stride({x}, {1 - axis}))"
        )
        self.arrays[w] = (kind, 1)
        if x in self.readonly:
            self.readonly.add(w)
        return None

    def alloc(self) -> None:
        kind = self.pick(*self.kinds)
        t = self.fresh("t")
        rank = self.pick(1, 1, 2)
        layout = "::1" if rank == 1 else ":,::1"
        self.vars.append(f"{t}: {kind}[{layout}]{self.apart(t)}")
        dims = [
            self.pick("3", "n", "4", *[f"dim({a}, 0)" for a, (_, r) in self.arrays.items() if r])
            for _ in range(rank)
        ]
        dims = [d if d != "n" else "min(max(n, 0), 9)" for d in dims]
        self.add(f"{t} = alloc({', '.join(dims)}) zero")
        self.arrays[t] = (kind, rank)

    def check(self) -> None:
        c = self.value("bool", 2)
        x, y = self.leaf("i64"), self.leaf("i64")
        rare = f"{self.pick('eq', 'gt')}({x}, add({y}, {self.pick('100', '7', 'mul(n, n)')}))"
        if self.chance(0.5):
            self.add(f"check inv(and({c}, {rare})) site 0 ({self.pick('n', '1')})")
        else:
            self.add(f"if and({c}, {rare}) [cold]")
            self.add("  raise site 0 (n)")

    def attempt(self) -> None:
        self.add("try")
        self.block(3)
        self.add(f"except{self.pick('', ' ValueError', ' IndexError')}")
        self.block(2)

    def call(self) -> None:
        if not self.helpers:
            return self.set()
        name, params, result = self.pick(*self.helpers)
        args = []
        for p in params:
            if p.endswith("]"):
                fits = [
                    a
                    for a, (k, rank) in self.arrays.items()
                    if rank == 1 and p.startswith(k + "[") and a not in self.readonly
                ]
                if not fits:
                    return self.set()
                args.append(self.pick(*fits))
            else:
                args.append(self.value(p, 1))
        out = self.some(result)
        self.add(f"{out} = call {name}({', '.join(args)})")
        self.scalars[out] = result
        return None

    def statement(self) -> None:
        self.budget -= 1
        choices = [self.set, self.set, self.store, self.store, self.accumulate]
        if self.depth < 4 and self.budget > 0:
            choices += [self.loop, self.loop, self.loop, self.branch, self.branch, self.check, self.elementwise, self.elementwise,
                        self.reduction, self.view, self.row, self.alloc, self.repeat, self.attempt, self.call]  # fmt: skip
        self.pick(*choices)()

    # ---- functions -----------------------------------------------------------------------

    def helper(self, k: int) -> str:
        outer = self.__dict__.copy()
        kind = self.pick(*[x for x in self.kinds if x != "c128"] or ["i64"])
        self.lines, self.vars, self.scalars, self.arrays, self.loops = (
            [],
            [],
            {"n": "i64", "p": kind},
            {},
            [],
        )
        self.readonly, self.fixed, self.helpers = set(), set(), []
        params = ["i64", kind]
        head = f"n: i64, p: {kind}"
        if self.chance(0.6):
            self.arrays["x"] = (kind, 1)
            params.append(f"{kind}[:]")
            head += f", x: {kind}[:]"
        self.budget = self.r.randint(1, 5)
        while self.budget > 0:
            self.statement()
        result = self.value(kind, 1)
        text = self.module(f"func h{k}({head}) -> {kind} may_raise", f"  return {result}")
        count = self.count
        self.__dict__.update(outer)
        self.count = count
        self.helpers.append((f"h{k}", params, kind))
        return text

    def module(self, head: str, tail: str) -> str:
        return "\n".join([head, *("  var " + v for v in self.vars), *self.lines, tail])

    def text(self) -> str:
        sites = 'site 0 "ValueError" "wrong %0"\n'
        if self.sites:
            sites = 'site 0 "IndexError" "index %0 of %1"\nsite 1 "ValueError" "shapes"\n'
        helpers = [self.helper(k) for k in range(self.pick(0, 0, 1, 2))]
        params = ["n: i64"]
        self.scalars["n"] = "i64"
        for _ in range(self.r.randint(1, 4)):
            kind, rank = self.pick(*self.kinds), self.pick(1, 1, 1, 2, 0)
            name = self.fresh("p")
            if rank == 0:
                params.append(f"{name}: {kind}")
                self.scalars[name] = kind
                continue
            layout = self.pick("::1", ":", ":") if rank == 1 else self.pick(":,::1", ":,:", "::1,:")
            more = self.pick("", "", " readonly")
            params.append(f"{name}: {kind}[{layout}]{more}")
            self.arrays[name] = (kind, rank)
            if more:
                self.readonly.add(name)
        self.fixed |= {"n"}
        for kind in sorted(set(self.kinds)):
            v = self.some(kind)
            self.add(f"{v} = {self.constant(kind)}")
            self.scalars[v] = kind
        while self.budget > 0:
            self.statement()
        results = self.r.sample(list(self.scalars), min(3, len(self.scalars)))
        types = [self.scalars[v] for v in results]
        fresh = [a for a in self.arrays if a[0] in "tw"]
        if fresh and self.chance(0.7):
            a = self.pick(*fresh)
            kind, rank = self.arrays[a]
            results.append(a)
            types.append(f"{kind}[{', '.join([':'] * rank).replace(' ', '')}]")
        head = f"func f({', '.join(params)}) -> {types[0] if len(types) == 1 else '(' + ', '.join(types) + ')'} entry may_raise"
        main = self.module(head, f"  return {', '.join(results)}")
        return sites + "\n" + "\n\n".join([main, *helpers]) + "\n"


def text(seed: int) -> str:
    return Text(seed).text()


def swc(command: list[str], text: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run it for so many seconds of the processor's, however busy that is, in so many KiB."""
    return subprocess.run(
        ["/bin/sh", "-c", 'ulimit -t 15; ulimit -v 4000000; exec "$0" "$@"', *command],
        input=text, capture_output=True, text=True, timeout=90,
        env={**os.environ, "SWATHE_CHECK": CHECK, **env},
    )  # fmt: skip


TOGETHER = 25  # programs that one process runs, with the same options


def command_of(seed: int) -> tuple[list[str], dict[str, str]]:
    k = seed // TOGETHER
    options, env = OPTIONS[k % len(OPTIONS)]
    return [SWC, "--check2", "--seed", str(k % 1000 + 1), *options], env


_known: dict[int, Verdict] = {}


def of_seed(seed: int) -> Verdict:
    """The verdict on a seed, from a run of it with its neighbours where all of them are right."""
    if seed not in _known:
        _known.clear()
        first = seed // TOGETHER * TOGETHER
        seeds = range(first, first + TOGETHER)
        command, env = command_of(seed)
        modules = "\n".join(f"#### p{s}\n{text(s)}" for s in seeds)
        try:
            got = swc(command, modules, env)
            if got.returncode == 0:
                _known.update(dict.fromkeys(seeds, Verdict("same")))
        except subprocess.TimeoutExpired:
            pass
    return _known.get(seed) or verdict(text(seed), seed)


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    command, env = command_of(seed)
    try:
        got = swc(command, text, env)
    except subprocess.TimeoutExpired:
        return Verdict("differs", Difference("", "hang", " ".join(command)))
    if got.returncode in (-9, -24):
        return Verdict("differs", Difference("", "hang", " ".join(command)))
    if got.returncode < 0:
        return Verdict(
            "differs", Difference("", f"crash: signal {-got.returncode}", got.stderr[-800:])
        )
    if got.returncode == 0:
        if "(0 without an error)" in got.stdout:
            return Verdict("same, all inputs fail")
        return Verdict(
            "outside" if " 0 runs" in got.stdout else "same",
            why="no runs" if " 0 runs" in got.stdout else "",
        )
    why = got.stdout.removeprefix("stdin: ").strip()
    if "out of memory" in why + got.stderr:
        return Verdict("differs", Difference("", "out of memory", " ".join(command)))
    if re.match(r"line \d+|[^:]*: line \d+|f: |'", why) or "after" not in why:
        return Verdict("malformed", why=re.sub(r"\d+", "N", why.split("\n")[0])[:120])
    if re.search(r"\n *try\n", text) and re.match(r"after pass par: .*(is \?|not known)", why):
        return Verdict("same, but for last values after an error")  # whose loops run serially
    what = re.match(r"after pass (\w+): ([^;(]*)", why)
    short = re.sub(r"'[^']*'|[-\d.]+|\b(inf|nan|true|false)\b", "_", what[2])[:60] if what else ""
    return Verdict(
        "differs",
        Difference(
            "", f"after {what[1] if what else ''}: {short}", f"{why}\n{' '.join(command)} {env}"
        ),
    )


REDUCE = reduce.reduced_lines
