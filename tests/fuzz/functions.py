# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Random functions over numbers and arrays of every dtype.

The generator runs what it writes: each statement is executed in CPython as soon as it is written,
so that the type, shape and value of every variable are known, operands fit together, and what
raises can mostly be taken back. A block is written with the values of its first execution, then run as a whole.
"""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np

from . import values
from .grammar import (
    ARITH,
    BINARY,
    BITS,
    COMPARE,
    EXCEPTIONS,
    MATH,
    REDUCED,
    SHAPED,
    UNARY,
)
from .judge import SERIAL, Verdict, judge
from .maybe import Maybe
from .program import HEADER, STEPS, Outside, SpaceWatch, short_power, ticked


def key(v: Any) -> Any:
    """What compiled code calls a type."""
    if isinstance(v, np.ndarray):
        return "array", v.dtype.str, v.ndim
    if isinstance(v, tuple):
        return tuple(key(x) for x in v)
    return f"{type(v).__module__}.{type(v).__name__}"


def is_array(v: Any) -> bool:
    return isinstance(v, np.ndarray)


def is_number(v: Any) -> bool:
    return isinstance(v, (bool, int, float, complex, np.generic))


class Refused(Exception):
    """What was written can't stay."""


class Writer(Maybe):
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.seed = seed
        self.env: dict[str, Any] = {}
        self.watch = SpaceWatch()  # of what is being run
        self.names = {"np": np, "math": math, "_tick": self.watch.tick}
        self.names["_short_power"] = short_power
        self.helpers: list[str] = []
        self.depth = 1
        self.count = 0
        self.fixed: set[str] = set()
        self.edge = self.r.choice([0.0, 0.05, 0.2])
        self.dtypes = self.r.sample(values.DTYPES, self.r.choice([1, 2, 2, 3, 5]))
        self.rare = self.r.random() < 0.15  # may end in an exception

    # ---- running what was written ------------------------------------------------------

    def saved(self) -> tuple[dict[str, Any], list[tuple[Any, Any]]]:
        roots = {}
        for v in self.env.values():
            for a in v if isinstance(v, tuple) else (v,):
                while is_array(a) and is_array(a.base):
                    a = a.base
                if is_array(a):
                    roots[id(a)] = a
        return dict(self.env), [(a, a.copy()) for a in roots.values() if a.flags.writeable]

    def restore(self, state: tuple[dict[str, Any], list[tuple[Any, Any]]]) -> None:
        self.env = dict(state[0])
        for a, data in state[1]:
            a[...] = data

    def value(self, text: str) -> Any:
        """What an expression yields now, or Refused."""
        self.watch.left = STEPS
        try:
            v = eval(text, self.names, dict(self.env))
        except (Exception, Outside) as e:
            raise Refused(str(e)) from None
        for x in v if isinstance(v, tuple) else (v,):
            if type(x) is int and not -(2**63) <= x < 2**63:
                raise Refused("int")
            if not (is_number(x) or is_array(x)) or (is_array(x) and (x.ndim > 4 or x.size > 300)):
                raise Refused("type")
            if is_array(x) and x.dtype.str[1:] not in (
                "b1",
                "i1",
                "i2",
                "i4",
                "i8",
                "u1",
                "u2",
                "u4",
                "u8",
                "f2",
                "f4",
                "f8",
                "c8",
                "c16",
            ):
                raise Refused("dtype")
        return v

    def execute(self, text: str) -> None:
        before = self.saved()
        space = dict(self.env)
        code = (
            "def _run():\n"
            + "\n".join("    " + x for x in text.split("\n"))
            + "\n    return locals()\n"
        )
        names = ", ".join(space)
        code = code.replace("def _run()", f"def _run({names})")
        made: dict[str, Any] = {}
        self.watch.left = STEPS
        try:
            exec(ticked(code), self.names, made)
            after = made["_run"](**space)
        except Outside:
            self.restore(before)
            raise Refused("long") from None
        except Exception as e:
            self.restore(before)
            if self.rare and self.depth == 1 and self.chance(0.1):
                raise EndOfProgram(text) from None
            raise Refused(str(e)) from None
        for name, v in after.items():
            if type(v) is int and not -(2**63) <= v < 2**63:
                self.restore(before)
                raise Refused("int")
            if name in before[0] and self.depth > 1 and key(v) != key(before[0][name]):
                self.restore(before)
                raise Refused("changes type")
        self.env = after

    # ---- expressions ---------------------------------------------------------------------

    def those(self, test: Any) -> list[str]:
        return [n for n, v in self.env.items() if test(v)]

    def number(self, depth: int = 1) -> str:
        """An expression that yields a number of any type."""
        if depth <= 0 or self.chance(0.25):
            return self.number_leaf()
        return self.pick(
            self.number_binary, self.number_binary, self.number_unary, self.number_call,
            self.number_choice, self.number_reduced, self.number_cast,
        )(depth)  # fmt: skip

    def number_leaf(self) -> str:
        names = self.those(is_number)
        if names and self.chance(0.5):
            return self.pick(*names)
        arrays = self.those(lambda v: is_array(v) and v.size)
        if arrays and self.chance(0.6):
            return self.element(self.pick(*arrays))
        return self.pick(
            values.int_text(self.r, edge=self.edge), str(self.r.randint(-3, 6)),
            values.float_text(self.r, self.edge), "True", "2", "1", "0.5", "-1",
            self.size_of(),
        )  # fmt: skip

    def size_of(self) -> str:
        arrays = self.those(is_array)
        if not arrays:
            return "3"
        a = self.pick(*arrays)
        nd = self.env[a].ndim
        return (
            self.pick(f"len({a})", f"{a}.shape[{nd - 1}]", f"{a}.size", f"{a}.ndim") if nd else "2"
        )

    def index(self, n: int) -> str:
        """An index of an axis of n elements."""
        ints = self.those(lambda v: isinstance(v, (int, np.integer)) and not isinstance(v, bool))
        if ints and self.chance(0.5):
            i = self.pick(*ints)
            if self.chance(0.25):
                return i
            return self.pick(
                f"{i} % {n}", f"({i} + 1) % {n}", f"-1 - {i} % {n}", f"{n - 1} - {i} % {n}"
            )
        return str(self.r.randint(-n, n - 1))

    def element(self, a: str) -> str:
        v = self.env[a]
        if v.ndim == 0:
            return self.pick(f"{a}[()]", f"{a}.item()")
        at = [self.index(n) if n else "0" for n in v.shape]
        if v.ndim > 1 and self.chance(0.2):
            return a + "".join(f"[{i}]" for i in at)
        return f"{a}[{', '.join(at)}]"

    def plain(self, *texts: str) -> bool:
        """Is none complex? Products of complex numbers are rounded in more than one way."""
        return not any(np.iscomplexobj(self.value(t)) for t in texts)

    def number_binary(self, depth: int) -> str:
        a, b = self.number(depth - 1), self.number(depth - 1)
        if not self.plain(a, b):
            return f"({a} {self.pick('+', '-', '==', '!=')} {b})"
        if self.chance(0.15):
            return f"{self.pick(*BINARY)}({a}, {b})"
        if self.chance(0.08):
            return f"({a}) ** {self.pick('2', '3', '0', '1', '0.5', '-1', '2.0')}"
        op = self.pick(*ARITH, *BITS, *COMPARE)
        return f"({a} {op} {b})"

    def number_unary(self, depth: int) -> str:
        a = self.number(depth - 1)
        return f"{self.unary(a)}({a})"

    def unary(self, a: str) -> str:
        names = ("np.conj", "np.real", "np.imag", "-", "+", "np.negative")
        return self.pick(*UNARY) if self.plain(a) else self.pick(*names)

    def number_call(self, depth: int) -> str:
        a = self.number(depth - 1)
        if not self.plain(a):
            return a
        if self.chance(0.3):
            b = self.number(depth - 1)
            if type(self.value(a)) is not type(self.value(b)):
                return a
            return self.pick(
                "min({}, {})", "max({}, {})", "divmod({}, {})[1]", "math.fmod({}, {})"
            ).format(a, b)
        return self.pick(*MATH).format(a)

    def number_choice(self, depth: int) -> str:
        a, b = self.number(depth - 1), self.number(depth - 1)
        if type(self.value(a)) is not type(self.value(b)):
            return a
        c = self.number(depth - 1)
        return self.pick(
            f"({a} if {c} else {b})",
            f"({a} and {b})",
            f"({a} or {b})",
            f"np.where({c}, {a}, {b})[()]",
        )

    def number_reduced(self, depth: int) -> str:
        a = self.array(depth - 1)
        if not a:
            return self.number_leaf()
        return self.reduction(a, False)

    def number_cast(self, depth: int) -> str:
        a = self.number(depth - 1)
        d = self.pick(*self.dtypes, "int64", "float64")
        return f"np.{'bool_' if d == 'bool' else d}({a})"

    def reduction(self, a: str, axis: bool) -> str:
        v = self.value(a)
        f = self.pick(*REDUCED)
        if not is_array(v):
            return a
        if v.dtype.kind == "c":
            return f"({a}).any()"
        if v.dtype.kind in "fc" and f in ("sum", "prod"):
            if v.dtype.itemsize < 4 or f == "prod":
                f = "any"
            else:
                a = f"np.clip(np.rint({a}), -99, 99)"
        more = []
        if axis:
            more.append(f"axis={self.r.randint(-v.ndim, v.ndim - 1)}")
            if self.chance(0.3) and f not in ("argmax", "argmin"):
                more.append("keepdims=True")
        if self.chance(0.4):
            return f"np.{f}({', '.join([a, *more])})"
        return f"({a}).{f}({', '.join(more)})"

    def array(self, depth: int = 2) -> str:
        """An expression that yields an array; or nothing, if there is none."""
        names = self.those(is_array)
        if not names:
            return ""
        a = self.pick(*names)
        if depth <= 0 or self.chance(0.2):
            return a
        return self.pick(
            self.array_binary, self.array_binary, self.array_binary, self.array_unary,
            self.array_shaped, self.array_shaped, self.array_where, self.array_cast,
            self.array_reduced, self.array_sliced, self.array_out, self.array_made,
        )(depth)  # fmt: skip

    def fitting(self, shape: tuple[int, ...], depth: int) -> str:
        """An operand that goes with an array of that shape."""

        def fits(v: Any) -> bool:
            try:
                return is_array(v) and np.broadcast_shapes(v.shape, shape) is not None
            except ValueError:
                return False

        names = self.those(fits)
        if names and self.chance(0.6):
            return self.pick(*names)
        if names and self.chance(0.3):
            return self.array(depth - 1)
        return self.number(min(depth - 1, 1))

    def array_binary(self, depth: int) -> str:
        a = self.array(depth - 1)
        b = self.fitting(np.shape(self.value(a)), depth)
        if self.chance(0.3):
            a, b = b, a
        if not self.plain(a, b):
            return f"({a} {self.pick('+', '-', '==', '!=')} {b})"
        if self.chance(0.25):
            return f"{self.pick(*BINARY)}({a}, {b})"
        if self.chance(0.06):
            return f"({a}) ** {self.pick('2', '3', '1', '0', '0.5', '2.0', '-1')}"
        return f"({a} {self.pick(*ARITH, *ARITH, *BITS, *COMPARE)} {b})"

    def array_unary(self, depth: int) -> str:
        a = self.array(depth - 1)
        return f"{self.unary(a)}({a})"

    def array_shaped(self, depth: int) -> str:
        a = self.array(depth - 1) if self.chance(0.4) else self.pick(*self.those(is_array))
        form = self.pick(*SHAPED)
        v = self.value(a)
        if "cumsum" in form and (not is_array(v) or v.dtype.kind in "fc"):
            form = "{}[::-1]"
        if a.startswith(("-", "~", "+")):
            a = f"({a})"
        return form.replace("{}", a)

    def array_where(self, depth: int) -> str:
        a = self.array(depth - 1)
        b = self.fitting(np.shape(self.value(a)), depth)
        c = self.fitting(np.shape(self.value(a)), depth)
        return self.pick(
            f"np.where({a}, {b}, {c})", f"np.where({b} > {c}, {a}, {b})", f"np.clip({a}, {b}, {c})"
        )

    def array_cast(self, depth: int) -> str:
        d = self.pick(*self.dtypes, "float64", "int64")
        a = self.array(depth - 1)
        return f"({a}).astype(np.{'bool_' if d == 'bool' else d})"

    def array_reduced(self, depth: int) -> str:
        a = self.array(depth - 1)
        v = self.value(a)
        if not is_array(v) or v.ndim < 2:
            return a
        return self.reduction(a, True)

    def part(self, n: int, whole: float = 0.2) -> str:
        if self.chance(whole):
            return ":"
        if self.chance(0.3):
            at = self.r.randint(0, max(n // 2, 0))
            return self.pick(
                f"{at}:", f":{n - at}", f"{at}:-1", f":-{at or 1}", "::2", "::-1", "1::2", "::-2"
            )
        lo, hi = self.r.randint(-n - 1, n + 1), self.r.randint(-n - 1, n + 2)
        ints = self.those(lambda v: type(v) is int and abs(v) < 20)
        if ints and self.chance(0.4):
            i = self.pick(*ints)
            return self.pick(
                f"{i}:", f":{i}", f"{i}:{i} + 3", f":-{i}" if self.env[i] > 0 else f"{i}:"
            )
        step = self.pick("", "", "", ":2", ":-1", ":3", ":-2", ":1")
        return f"{lo}:{hi}{step}"

    def parts(self, v: Any) -> str:
        at = []
        for n in v.shape:
            if self.chance(0.2) and n:
                at.append(self.index(n))
            else:
                at.append(self.part(n, 0.3))
            if self.chance(0.06):
                at.append("None")
        while at and self.chance(0.15):
            at.pop()
        if self.chance(0.05):
            at = ["...", *at[1:]]
        return ", ".join(at) if at else "..."

    def array_sliced(self, depth: int) -> str:
        a = self.pick(*self.those(is_array))
        return f"{a}[{self.parts(self.env[a])}]"

    def array_out(self, depth: int) -> str:
        """A ufunc that writes to an array and yields it."""
        a = self.pick(*self.those(is_array))
        v = self.env[a]
        x, y = self.fitting(v.shape, 1), self.fitting(v.shape, 1)
        if not self.plain(x, y):
            return f"np.{self.pick('add', 'subtract')}({x}, {y}, out={a})"
        out = a if self.chance(0.6) else f"{a}[{self.pick('::-1', ':', '...')}]"
        if self.chance(0.2):
            return f"{self.pick(*[u for u in UNARY if u[:2] == 'np'])}({x}, out={out})"
        return f"{self.pick(*BINARY)}({x}, {y}, out={out})"

    def array_made(self, depth: int) -> str:
        d = self.pick(*self.dtypes)
        d = "np.bool_" if d == "bool" else f"np.{d}"
        n = self.pick("3", "4", "5", self.size_of())
        return self.pick(
            f"np.zeros({n}, {d})", f"np.ones(({n}, 2), {d})", f"np.arange({n})",
            f"np.full({n}, {self.number_leaf()})", f"np.arange({n}).astype({d})",
            f"np.eye({n})", f"np.linspace(0.0, 1.0, {n}) * 0", f"np.arange({n}, -3, -2)",
        )  # fmt: skip

    # ---- statements ------------------------------------------------------------------------

    def assign(self) -> list[str]:
        array = self.chance(0.5)
        text = self.array(self.pick(1, 2, 3)) if array else self.number(self.pick(1, 2, 3))
        if not text:
            text = self.number(2)
        v = self.value(text)
        same = [n for n, old in self.env.items() if key(old) == key(v) and n not in self.fixed]
        if same and self.chance(0.4):
            return [f"{self.pick(*same)} = {text}"]
        if self.chance(0.06) and self.depth == 1:
            names = [n for n in self.env if n not in self.fixed]
            if names:
                return [f"{self.pick(*names)} = {text}"]
        return [f"{self.fresh('v')} = {text}"]

    def update(self) -> list[str]:
        names = [n for n in self.env if n not in self.fixed and not isinstance(self.env[n], tuple)]
        if not names:
            raise Refused
        name = self.pick(*names)
        v = self.env[name]
        b = self.fitting(v.shape, 2) if is_array(v) else self.number(2)
        op = self.pick(*ARITH, *BITS) if self.plain(name, b) else self.pick("+", "-")
        if not is_array(v) and key(self.value(f"{name} {op} {b}")) != key(v) and self.depth > 1:
            raise Refused
        return [f"{name} {op}= {b}"]

    def store(self) -> list[str]:
        names = self.those(lambda v: is_array(v) and v.flags.writeable and v.ndim)
        if not names:
            raise Refused
        a = self.pick(*names)
        v = self.env[a]
        if self.chance(0.5) and v.size:
            target = self.element(a)
            text = self.number(2)
        else:
            target = f"{a}[{self.parts(v)}]"
            part = self.value(target)
            text = self.fitting(np.shape(part), 2)
        op = self.pick("=", "=", "=", *[f"{x}=" for x in (*ARITH, *BITS)])
        if not self.plain(a, text):
            op = self.pick("=", "+=", "-=")
        return [f"{target} {op} {text}"]

    def view(self) -> list[str]:
        a = self.pick(*self.those(lambda v: is_array(v) and v.ndim))
        form = self.pick(
            f"{a}[{self.parts(self.env[a])}]",
            f"{a}.T",
            f"{a}[::-1]",
            f"{a}[1:]",
            f"{a}.reshape(-1)",
            f"{a}[:, None]",
            a,
        )
        return [f"{self.fresh('w')} = {form}"]

    def out(self) -> list[str]:
        return [self.array_out(1)]

    def swap(self) -> list[str]:
        names = [n for n in self.env if n not in self.fixed]
        pairs = [
            (a, b) for a in names for b in names if a < b and key(self.env[a]) == key(self.env[b])
        ]
        if not pairs:
            raise Refused
        a, b = self.pick(*pairs)
        return [self.pick(f"{a}, {b} = {b}, {a}", f"{a} = {b}")]

    def pair(self) -> list[str]:
        a, b = self.number(1), self.pick(self.number(1), self.array(1) or "1")
        t = self.fresh("t")
        return [f"{t} = ({a}, {b})", f"{self.fresh('v')} = {t}[{self.pick(0, 1, -1)}]"]

    def body(self, most: int, bound: dict[str, Any] | None = None) -> list[str]:
        """Statements of a block, indented; what they did is undone."""
        before = self.saved()
        self.env.update(bound or {})
        fixed = set(self.fixed)
        self.fixed |= set(bound or {})
        self.depth += 1
        lines: list[str] = []
        for _ in range(self.r.randint(1, most)):
            lines += self.statement()
        self.depth -= 1
        self.fixed = fixed
        self.restore(before)
        return ["    " + x for x in (lines or ["pass"])]

    def whole(self, lines: list[str]) -> list[str]:
        """Run a compound statement; names that it made are forgotten."""
        names = set(self.env)
        self.depth += 1
        try:
            self.execute("\n".join(lines))
        finally:
            self.depth -= 1
        self.env = {n: v for n, v in self.env.items() if n in names}
        return lines

    def condition(self) -> str:
        if self.chance(0.4):
            return self.pick("not ({})", "{}", "{} and {}", "{} or {}").replace(
                "{}", f"({self.number(1)})"
            )
        a, b = self.number(1), self.number(1)
        op = self.pick(*COMPARE)
        if self.chance(0.15):
            return f"{a} {op} {b} {self.pick(*COMPARE)} {self.number(0)}"
        return f"{a} {op} {b}"

    def branch(self) -> list[str]:
        c = self.condition()
        self.value(f"bool({c})")
        lines = [f"if {c}:", *self.body(2)]
        if self.chance(0.3):
            lines += [f"elif {self.condition()}:", *self.body(2)]
        if self.chance(0.5):
            lines += ["else:", *self.body(2)]
        return self.whole(lines)

    def jump(self) -> list[str]:
        return [f"    if {self.condition()}:", f"        {self.pick('break', 'continue')}"]

    def loop(self) -> list[str]:
        i = self.fresh("i")
        arrays = self.those(lambda v: is_array(v) and v.ndim and v.size)
        form = self.r.random()
        if form < 0.55 or not arrays:
            span = self.pick(
                "3",
                "5",
                "1, 4",
                "4, -1, -1",
                "-2, 3",
                "0",
                "0, 7, 2",
                self.size_of(),
                f"{self.size_of()} - 1",
            )
            head, bound = (
                f"{i} in range({span})",
                {i: (list(self.value(f"tuple(range({span})[:1])")) or [0])[0]},
            )
        elif form < 0.75:
            a = self.pick(*arrays)
            head, bound = f"{i} in {a}", {i: self.env[a][0]}
        elif form < 0.9:
            a, x = self.pick(*arrays), self.fresh("x")
            head, bound = f"{i}, {x} in enumerate({a})", {i: 0, x: self.env[a][0]}
        else:
            a, b, x = self.pick(*arrays), self.pick(*arrays), self.fresh("x")
            head, bound = f"{i}, {x} in zip({a}, {b})", {i: self.env[a][0], x: self.env[b][0]}
        lines = [f"for {head}:", *self.body(3, bound)]
        if self.chance(0.2):
            lines += self.jump()
            if self.chance(0.5):
                lines += self.body(1, bound)
        if self.chance(0.1):
            lines += ["else:", *self.body(1)]
        return self.whole(lines)

    def repeat(self) -> list[str]:
        i = self.fresh("i")
        n, by = self.r.randint(1, 6), self.pick(1, 1, 2)
        body = self.body(2, {i: by})
        lines = [f"{i} = 0", f"while {i} < {n}:", f"    {i} += {by}", *body]
        if self.chance(0.3):
            lines += self.jump()
        return self.whole(lines)

    def attempt(self) -> list[str]:
        lines = ["try:", *self.body(2)]
        if self.chance(0.6):
            wrong = self.pick(
                f"{self.fresh('v')} = 1 // {self.number(1)}", f"{self.fresh('v')} = {self.element(self.pick(*self.those(is_array)))}",
                f"raise {self.pick(*EXCEPTIONS[:4])}('no')", f"{self.fresh('v')} = math.sqrt({self.number(1)})",
                f"{self.fresh('v')} = {self.pick(*self.those(is_array))}[{self.number(1)}]",
            )  # fmt: skip
            if self.chance(0.4):
                lines += [f"    if {self.condition()}:", f"        {wrong}"]
            else:
                lines += [f"    {wrong}"]
            if self.chance(0.4):
                lines += self.body(1)
        for name in self.r.sample(EXCEPTIONS, self.r.randint(1, 2)):
            lines += [f"except {name}:", *self.body(1)]
        if self.chance(0.2):
            lines += ["else:", *self.body(1)]
        if self.chance(0.3):
            lines += ["finally:", *self.body(1)]
        return self.whole(lines)

    def maybe(self) -> list[str]:
        x = self.pick(*[n for n, v in self.env.items() if is_number(v) or is_array(v)])
        m, names = self.fresh("m"), set(self.env)
        lines = self.maybe_set(m, x, self.condition())
        lines += self.maybe_use(m, x, is_number(self.env[x]))
        self.execute("\n".join(lines))
        used = {n: v for n, v in self.env.items() if n in names or n == f"v{self.count}"}
        self.env = {n: v for n, v in used.items() if not isinstance(v, tuple) or n in names}
        return lines

    def call(self) -> list[str]:
        """A helper of its own for some of the variables."""
        names = self.r.sample(list(self.env), min(len(self.env), self.r.randint(1, 3)))
        outer, fixed, depth = self.env, self.fixed, self.depth
        params = {f"p{k}": outer[n] for k, n in enumerate(names)}
        self.env, self.fixed, self.depth = dict(params), set(), 1
        before = self.saved()
        lines: list[str] = []
        rare, self.rare = self.rare, False
        try:
            for _ in range(self.r.randint(0, 3)):
                lines += self.statement(helper=True)
            result = self.pick(
                self.array(2) or "1", self.number(2), self.array(1) or "0", self.array_view()
            )
            self.value(result)
            if self.chance(0.2):
                result = f"{result}, {self.pick(*self.env)}"
            early = [f"if {self.condition()}:", f"    return {result}"] if self.chance(0.2) else []
        finally:
            self.restore(before)
            self.env, self.fixed, self.depth, self.rare = outer, fixed, depth, rare
        f = self.fresh("h")
        at = self.r.randint(0, 0)
        lines[at:at] = []
        text = [f"def {f}({', '.join(params)}):", *("    " + x for x in lines)]
        text += ["    " + x for x in early] + [f"    return {result}"]
        helper = "\n".join(text)
        exec(ticked(helper), self.names)
        self.helpers.append(helper)
        call = f"{f}({', '.join(names)})"
        v = self.value_undone(call)
        if is_array(v) and self.chance(0.4):
            targets = self.those(
                lambda w: is_array(w) and w.shape == v.shape and w.flags.writeable and w.ndim
            )
            if targets:
                return [f"{self.pick(*targets)}[:] {self.pick('=', '+=', '=')} {call}"]
        return [f"{self.fresh('v')} = {call}"]

    def array_view(self) -> str:
        arrays = self.those(lambda v: is_array(v) and v.ndim)
        if not arrays:
            return "1"
        a = self.pick(*arrays)
        return self.pick(a, f"{a}[::-1]", f"{a}[1:]", f"{a}.T", f"{a}[{self.parts(self.env[a])}]")

    def value_undone(self, text: str) -> Any:
        before = self.saved()
        try:
            return self.value(text)
        finally:
            self.restore(before)

    def statement(self, helper: bool = False) -> list[str]:
        choices = [
            self.assign,
            self.assign,
            self.assign,
            self.update,
            self.store,
            self.store,
            self.view,
            self.out,
            self.swap,
            self.pair,
            self.maybe,
        ]
        if self.depth < 4 and not helper:
            choices += [
                self.branch,
                self.loop,
                self.loop,
                self.repeat,
                self.attempt,
                self.call,
                self.call,
            ]
        elif self.depth < 2:
            choices += [self.branch, self.loop]
        for _ in range(6):
            before, helpers = self.saved(), len(self.helpers)
            make = self.pick(*choices)
            try:
                lines = make()
                if make not in (self.branch, self.loop, self.repeat, self.attempt, self.maybe):
                    self.execute("\n".join(lines))
                return lines
            except (Refused, IndexError, SyntaxError):
                self.restore(before)
                del self.helpers[helpers:]
        return []

    # ---- all of it ---------------------------------------------------------------------------

    def parameters(self) -> tuple[list[str], list[str]]:
        """Names of the parameters, and the lines that make their values."""
        names, lines = [], []
        shapes = self.r.sample(values.SHAPES, 2)
        for k in range(self.r.randint(1, 4)):
            name = f"a{k}"
            if k and self.chance(0.12):
                old = self.pick(*[n for n in names if is_array(self.env[n])])
                text = self.pick(f"{old}", f"{old}[::-1]", f"{old}[1:]", f"{old}.T")
                if not self.env[old].ndim:
                    text = old
            else:
                text = values.array(self.r, self.pick(*self.dtypes), self.pick(*shapes), self.edge)
            self.env[name] = self.value(text)
            names.append(name)
            lines.append(f"{name} = {text}")
        for k in range(self.r.randint(0, 3)):
            name = f"b{k}"
            d = self.pick(*self.dtypes, "int64", "float64")
            text = values.element(self.r, d, self.edge)
            if self.chance(0.5) or d == "uint64":
                text = f"np.{'bool_' if d == 'bool' else d}({text})"
            self.env[name] = self.value(text)
            names.append(name)
            lines.append(f"{name} = {text}")
        return names, lines

    def text(self) -> str:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.written()

    def written(self) -> str:
        names, made = self.parameters()
        lines: list[str] = []
        given = list(names)
        try:
            for _ in range(self.r.randint(2, 9)):
                lines += self.statement()
        except EndOfProgram as e:
            lines += e.text.split("\n")
        results = [n for n in self.env if n not in given] + self.r.sample(given, min(len(given), 2))
        results = self.r.sample(results, min(len(results), 6)) or given
        indent = "\n    "
        return (
            HEADER + "\n\n\n".join([*self.helpers, ""])
            + f"def fuzzed({', '.join(given)}):\n    " + indent.join(lines or ["pass"])
            + f"\n    return {', '.join(results)}\n\n\n"
            + f"def inputs():\n    {indent.join(made)}\n    return {', '.join(given)},\n"
        )  # fmt: skip


class EndOfProgram(Exception):
    def __init__(self, text: str) -> None:
        self.text = text


def text(seed: int) -> str:
    return Writer(seed).text()


def modes(seed: int) -> tuple[str, ...]:
    return ("plain", SERIAL[1 + seed % (len(SERIAL) - 1)])


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    return judge(text, (mode,) if mode else modes(seed))
