# SPDX-License-Identifier: BSD-3-Clause
"""Programs of lazy arrays: `program(m, ...)` with swathe.xp in place of NumPy, once and again.

They make views, assign to arrays and views, change arrays in place, reduce, call the library, and
ask for values halfway. Run twice, a program must not compile anew.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .judge import Difference, Verdict

FLOATS = ("float64", "float32")
# No constant and no factor lets a value that saturates, as tanh does at 1, lie where a comparison,
# a floor or a cast has a step: one digit that is rounded otherwise would be another result.
UNARY = {
    "f": ("m.sin({})", "m.tanh({})", "m.sqrt(m.abs({}))", "m.exp(-m.abs({}))",
          "m.floor({} * 1.037)", "({} * {})", "({} ** 3)", "(1.5 - {})", "m.square({})",
          "m.clip({}, -0.5, 0.75)",
          "m.astype(m.astype({} * 1.037, m.int32), {}.dtype)", "m.where({} > 0.137, {}, 0.25)"),
    "i": ("(-{})", "m.abs({})", "({} + 3)", "({} * {})", "(~{})", "({} % 7)", "({} ** 2)",
          "m.clip({}, -3, 9)", "m.where({} > 4, {}, 1)", "m.square({})"),
}  # fmt: skip
BINARY = {
    "f": ("({} + {})", "({} - {})", "({} * {})", "m.minimum({}, {})", "m.maximum({}, {})",
          "m.hypot({}, {})", "m.where({} > 0.31, {}, -1.0)"),
    "i": ("({} + {})", "({} - {})", "({} * {})", "m.minimum({}, {})", "({} ^ {})", "({} & {})"),
}  # fmt: skip
REDUCTIONS = {"f": ("sum", "mean", "max", "min", "var"), "i": ("max", "min", "prod")}


class Maker:
    """A random program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.kind = self.r.choice("ffffi")
        self.dtype = (
            self.r.choice(FLOATS) if self.kind == "f" else self.r.choice(("int32", "int64"))
        )
        a, b = self.r.choice([(3, 4), (1, 5), (4, 4), (0, 3), (12, 40), (9, 33)])
        shapes: list[tuple[int, ...]] = [(a, b), (b,), (a, 1), (a,)]
        self.inputs = [(f"x{k}", s) for k, s in enumerate(shapes)]
        self.shapes: dict[str, tuple[int, ...]] = dict(self.inputs)
        self.lines: list[str] = []
        self.fixed: set[str] = set()  # read-only, or NumPy's numbers

    def name(self) -> str:
        return self.r.choice(list(self.shapes))

    def put(self, text: str, shape: tuple[int, ...]) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape
        if not shape:
            self.fixed.add(name)
        return name

    def fill(self, form: str, *names: str) -> str:
        """Put names in a form; those that come first come again."""
        return form.format(*[names[min(k, len(names) - 1)] for k in range(form.count("{}"))])

    def unary(self) -> None:
        x = self.name()
        self.put(self.fill(self.r.choice(UNARY[self.kind]), x), self.shapes[x])

    def binary(self) -> None:
        x, y = self.name(), self.name()
        try:
            shape = np.broadcast_shapes(self.shapes[x], self.shapes[y])
        except ValueError:
            return
        self.put(self.fill(self.r.choice(BINARY[self.kind]), x, y), shape)

    def reduce(self) -> None:
        x = self.name()
        shape = self.shapes[x]
        if 0 in shape or not shape:
            return
        axis = self.r.choice([None, *range(len(shape)), -1])
        keep = self.r.random() < 0.5
        op = self.r.choice(REDUCTIONS[self.kind])
        out = np.sum(np.empty(shape), axis=axis, keepdims=keep).shape
        text = f"m.{op}({x}, axis={axis}, keepdims={keep})"
        if self.kind == "i":
            text = f"m.astype({text}, m.{self.dtype})"
        self.put(text, out)

    def by_rows(self) -> None:
        x = self.name()
        shape = self.shapes[x]
        if self.kind == "i" or 0 in shape or not shape:
            return
        op, keep = self.r.choice(["max", "mean", "sum", "var"]), f"axis={self.r.choice([-1, 0])}"
        form = self.r.choice(
            [
                "({x} - m.{op}({x}, {keep}, keepdims=True))",
                "m.exp(-m.abs({x}) - m.{op}(m.abs({x}), {keep}, keepdims=True))",
                "({x} / (2.0 + m.sum(m.abs({x}), {keep}, keepdims=True)))",
            ]
        )
        self.put(form.format(x=x, op=op, keep=keep), shape)

    def view(self) -> None:
        x = self.name()
        shape = self.shapes[x]
        rank = len(shape)
        forms = [f"m.expand_dims({x}, axis=0)", f"m.reshape({x}, (-1,))", f"m.flip({x})"]
        if rank == 2:
            forms += [f"{x}.T", f"{x}[:, ::-1]", f"{x}[:, 1:]", f"{x}[:, :1]", f"{x}[:-1]"]
        if rank and shape[0] > 1:
            forms += [f"{x}[1]", f"{x}[1:]", f"{x}[::-2]", f"{x}[-1:]", f"{x}[:, None]"]
        text = self.r.choice(forms)
        if self.r.random() < 0.1:
            text = f"m.broadcast_to({x}, {(2, *shape)})"
        out = eval(text, {"m": np, x: np.empty(shape)}).shape
        if len(out) > 3:
            return
        name = self.put(text, out)
        if x in self.fixed or text.startswith("m.broadcast"):
            self.fixed.add(name)

    def move(self) -> None:
        x = self.name()
        shape = self.shapes[x]
        if not shape:
            return
        # fmt: off
        forms = [f"m.concat([{x}, {x}[:1]], axis=0)", f"m.roll({x}, 2, axis=-1)",
                 f"m.stack([{x}, {x}], axis=0)", f"m.sort({x}, axis=0)",
                 f"m.cumulative_sum({x}, axis=0, dtype={x}.dtype)", f"m.tile({x}, (2,))"]
        # fmt: on
        text = self.r.choice(forms)
        out = eval(text, {"m": np, x: np.empty(shape)}).shape
        if len(out) <= 3 and np.prod(out) < 3000:
            self.put(text, out)

    def assign(self) -> None:
        x = self.name()
        shape = self.shapes[x]
        if x in self.fixed or not shape or 0 in shape:
            return
        keys = ["0", "...", "1:", "::2", "-1:"]
        if len(shape) == 2:
            keys += [":, 0", "0, 1:", "-1, -1"]
        key = self.r.choice(keys) if self.r.random() < 0.8 else f"{x} > 2"
        if key.startswith(x) or self.r.random() < 0.4:
            value = "0.625" if self.kind == "f" else "5"
        else:
            part = f"{x}[{key}]"
            value = self.r.choice([f"{part} * 2", f"-{part}", f"m.flip({part})"])
        self.lines.append(f"{x}[{key}] = {value}")

    def in_place(self) -> None:
        x, y = self.name(), self.name()
        if x in self.fixed or not self.shapes[x]:
            return
        try:
            fits = np.broadcast_shapes(self.shapes[x], self.shapes[y]) == self.shapes[x]
        except ValueError:
            fits = False
        if fits:
            self.lines.append(f"{x} {self.r.choice(['+=', '-=', '*='])} {y}")

    def ask(self) -> None:
        self.lines.append(f"np.asarray({self.name()})")

    def text(self) -> str:
        ways = [self.unary] * 2 + [self.binary] * 3 + [self.view] * 2
        ways += [self.reduce, self.by_rows, self.move, self.assign, self.in_place, self.ask]
        for _ in range(self.r.randint(4, 16)):
            self.r.choice(ways)()
        names = list(self.shapes)
        kept = sorted(self.r.sample(names, min(len(names), self.r.randint(1, 4))))
        body = "".join(f"    {line}\n" for line in self.lines)
        params = ", ".join(n for n, _ in self.inputs)
        made = ", ".join(f"made({s}, {k})" for k, (_, s) in enumerate(self.inputs))
        return (
            "import numpy as np\n\n\ndef made(shape, k):\n"
            "    n = int(np.prod(shape))\n"
            "    x = np.sin(np.arange(n) * 1.7 + k) * 3\n"
            f"    return x.reshape(shape).astype(np.{self.dtype})\n\n\n"
            f"def inputs():\n    return {made}\n\n\n"
            f"def program(m, {params}):\n{body}    return {', '.join(kept)},\n"
        )


def text(seed: int) -> str:
    return Maker(seed).text()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    from swathe import xp
    from swathe._lazy import graph

    space: dict[str, Any] = {}
    exec(compile(text, f"<lazy {seed}>", "exec"), space)

    def run(m: Any) -> tuple[Any, str]:
        try:
            with np.errstate(all="ignore"):
                out = space["program"](m, *[m.asarray(x, copy=True) for x in space["inputs"]()])
                if m is xp:
                    xp.compute(*out)
                return [np.asarray(x) for x in out], ""
        except Exception as e:
            return e, type(e).__name__

    want, failed = run(np)
    if failed:
        return Verdict("outside", why=failed)
    got, failed = run(xp)
    if failed:
        if "reshaped" in str(got):
            return Verdict("refused", why="reshaped")
        return Verdict("differs", Difference("lazy", failed, f"{failed}: {got}"))
    plans = len(graph._plans)
    again, failed = run(xp)
    if failed or len(graph._plans) != plans:
        return Verdict("differs", Difference("lazy", "again", "the second run compiles, or fails"))
    for k, (a, b, c) in enumerate(zip(got, again, want, strict=True)):
        wrong = _differ(a, c) or ("" if np.array_equal(a, b, equal_nan=True) else "changes")
        if wrong:
            return Verdict("differs", Difference("lazy", wrong, f"result {k}: {a} for {c}"))
    refused = [p.refused for p in graph._plans.values() if p.refused]
    if refused:
        return Verdict("differs", Difference("lazy", "not compiled", refused[0]))
    return Verdict("same")


def _differ(a: np.ndarray, b: np.ndarray) -> str:
    b = np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape} for {b.dtype} {b.shape}"
    if a.dtype.kind != "f":
        return "" if np.array_equal(a, b) else "values"
    close = 1e-9 if a.dtype == np.float64 else 2e-3
    return "" if np.allclose(a, b, rtol=close, atol=close, equal_nan=True) else "values"
