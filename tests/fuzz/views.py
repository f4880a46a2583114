# SPDX-License-Identifier: BSD-3-Clause
"""Chains of views, and statements in place through names of one memory.

Names of one array and of slices of it are bound, bound anew in branches and rounds of loops, passed
through helpers, and changed through each other: by operators, `out=`, masks, places, loops over
elements, and swaps. Bounds of slices are computed. Numbers are whole, so that no order of them
matters.
"""

from __future__ import annotations

import random

from .draw import Draws
from .judge import Rules, Verdict, judge
from .program import HEADER

HELPERS = """def part(x, i):
    return x[i:]


def back(x):
    return x[::-1]


def either(x, y, c):
    if c:
        return x
    return y


def moved(x, y):
    m = min(len(x), len(y))
    x[:m] += y[:m]
    return x


def both(x):
    return x[1:], x[:-1]


def step(x, y, i):
    x[i] -= y[i]
    return x[i]


"""
DTYPES = ("np.float64", "np.float64", "np.int64", "np.int32", "np.uint8", "np.int16", "np.float32")
MODES = (
    ("optimised",),
    ("plain", "debug"),
    ("parallel-lanes",),
    ("optimised",),
    ("lanes", "lanes8"),
    ("parallel-optimised",),
)


class Maker(Draws):
    """One program: names are of vectors, but for those of `tables`, which have two axes."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed * 7919 + 13)
        self.count, self.depth, self.lines = 0, 1, []
        self.vectors = ["a", "b"]
        self.tables = ["t"]
        self.ints = ["n", "k"]
        self.nested = 0

    # ---- expressions ---------------------------------------------------------------------------

    def number(self) -> str:
        name = self.pick(*self.ints)
        v = self.pick(*self.vectors)
        return self.pick(
            "0",
            "1",
            "2",
            "3",
            "-1",
            name,
            name,
            f"{name} - 1",
            f"{name} // 2",
            f"-{name}",
            f"len({v}) // 2",
            f"len({v}) - {name}",
            f"{name} % 3",
            f"abs({name} - 2)",
            f"min({name}, len({v}))",
            f"max({name} - 1, 0)",
            f"{name} + {self.pick(*self.ints)}",
        )

    def bounds(self) -> str:
        low = self.number() if self.chance(0.6) else ""
        high = self.number() if self.chance(0.5) else ""
        step = self.pick("", "", "", ":", ":2", ":-1", ":-2", ":1", ":3")
        return f"{low}:{high}{step}"

    def row(self) -> str:
        """A vector within a table, at a place that may not be there."""
        t = self.pick(*self.tables)
        at = self.pick("0", "-1", "1", f"{self.pick(*self.ints)} % 2")
        return self.pick(
            f"{t}[{at}]",
            f"{t}[:, {at}]",
            f"{t}.ravel()",
            f"{t}.reshape(-1)",
            f"{t}[{at}, {self.bounds()}]",
            f"{t}.T[{at}]",
            f"np.diagonal({t})" if self.chance(0.3) else f"{t}[{at}][::-1]",
        )

    def view(self) -> str:
        if self.tables and self.chance(0.3):
            return self.row()
        v = self.pick(*self.vectors)
        return self.pick(
            f"{v}[{self.bounds()}]",
            f"{v}[{self.bounds()}]",
            f"{v}[{self.bounds()}]",
            f"{v}[{self.bounds()}][{self.bounds()}]",
            f"{v}[::-1]",
            f"{v}",
            f"np.flip({v})",
            f"part({v}, {self.number()})",
            f"back({v})",
            f"{v}[None, :][0]",
            f"{v}[:, None].T[0]",
            f"either({v}, {self.pick(*self.vectors)}, {self.test()})",
            f"both({v})[{self.pick(0, 1)}]",
            f"{v}.reshape(-1)",
            f"moved({v}, {self.pick(*self.vectors)})",
            f"({v} if {self.test()} else {self.pick(*self.vectors)})",
        )

    def test(self) -> str:
        v = self.pick(*self.vectors)
        i = self.pick(*self.ints)
        return self.pick(
            f"{i} % 2 == 0",
            f"len({v}) > {i}",
            f"{v}.size > 3 and {v}[0] > {v}[-1]",
            f"{i} > 2",
            f"{v}.max(initial=0) > 20",
            f"{i} * 2 < len({v})",
        )

    def fresh_values(self, v: str) -> str:
        """An array that has v's memory, or none."""
        w = self.pick(*self.vectors)
        return self.pick(
            f"{v}[::-1]",
            f"{w}[:len({v})]",
            f"{v} + 1",
            f"{v} * 2 - {v}[::-1]",
            f"np.roll({v}, 1)",
            f"np.where({v} > 4, {v}[::-1], {v})",
            f"{v}.copy()",
            f"np.maximum({v}, {v}[::-1])",
            f"np.cumsum({v}).astype({v}.dtype)",
            f"-{v}[::-1]",
            f"np.sort({v})",
            f"{v}[::-1] + {v}",
        )

    # ---- statements ----------------------------------------------------------------------------

    def bind(self) -> None:
        if self.chance(0.15):
            t, s = self.pick(*self.tables), self.fresh("t")
            self.add(f"{s} = {self.pick(f'{t}.T', f'{t}[::-1]', f'{t}[:, ::-1]', f'{t}[1:]', t)}")
            self.tables.append(s)
            return
        name = self.fresh("v") if self.chance(0.6) or self.depth > 1 else self.pick(*self.vectors)
        if self.depth > 1:
            name = self.pick(*self.vectors)
        self.add(f"{name} = {self.view()}")
        if name not in self.vectors:
            self.vectors.append(name)

    def same_length(self, a: str, b: str) -> tuple[str, str]:
        m = self.fresh("m")
        self.add(f"{m} = min(len({a}), len({b}))")
        ends = self.pick(
            (f"[:{m}]", f"[:{m}]"),
            (f"[len({a}) - {m}:]", f"[:{m}]"),
            (f"[:{m}]", f"[len({b}) - {m}:]"),
            (f"[:{m}][::-1]", f"[:{m}]"),
        )
        return a + ends[0], b + ends[1]

    def operate(self) -> None:
        a, b = self.pick(*self.vectors), self.pick(*self.vectors)
        v, w = self.same_length(a, b)
        op = self.pick("+", "-", "+", "*") if self.chance(0.9) else "="
        c, d = self.pick(0, 1, 2), self.pick(0, 1, 2)
        self.add(
            self.pick(
                f"{v} {op.strip('=')}= {w}",
                f"{v} = {w}",
                f"np.subtract({v}, {w}, out={v})",
                f"np.maximum({w}, {v}, out={v})",
                f"{v} = {v} - {w}",
                f"{v} = {w} + {w}[::-1]",
                f"{v}, {w} = {w}, {v}.copy()",
                f"{v}, {w} = {w}.copy(), {v}.copy()",
                f"{v} = np.where({w} > 3, {w}, {v})",
                f"{a}[{self.bounds()}] = {self.pick(1, 2, 7)}",
                f"{a}[{a} > 5] -= 3",
                f"{a}[{b}[:len({a})] > 2] = 1" if a == b else f"{a}[{a} < 2] += 4",
                f"{a}[:] = {self.fresh_values(a)}",
                f"{a}[...] = {self.fresh_values(a)}",
                f"{a} += {self.fresh_values(a)}",
                f"{a} -= {a}[::-1]",
                f"{a}[np.arange(len({a})) % 3] += {self.pick(1, 2)}",
                f"{a}[np.arange({c}) % max(len({a}), 1)] = {a}[:{d}]",
            )
        )

    def on_table(self) -> None:
        t, s = self.pick(*self.tables), self.pick(*self.tables)
        v = self.pick(*self.vectors)
        self.add(
            self.pick(
                f"{t}[:, 0] += {t}[:, -1]",
                f"{t}[1:] += {t}[:-1]",
                f"{t}[:] = {t}[::-1]",
                f"{t}[:, 1:] -= {t}[:, :-1]",
                f"{t}[:2, :2] = {t}[:2, :2].T",
                f"{t} += {t}[0]",
                f"{t}[0] += {t}[-1]",
                f"{t} *= 2",
                f"{t}[:2, :2] += {s}[:2, :2]",
                f"{t} -= {t}[:, :1]",
                f"{t}[{self.pick(*self.ints)} % 2] = {self.number()} % 5",
                f"{t}[{t} > 4] = 2",
                f"{t}[:, 0], {t}[:, 1] = {t}[:, 1], {t}[:, 0].copy()",
                f"{t}[-1, :len({v})] = {v}[:{t}.shape[1]]",
            )
        )

    def elements(self) -> None:
        """A loop over elements, with distances between what is read and what is stored."""
        v, w, i, d = (
            self.pick(*self.vectors),
            self.pick(*self.vectors),
            self.fresh("i"),
            self.pick(0, 1, 2),
        )
        low, high = self.pick("0", "1", "n % 2", "2"), f"min(len({v}), len({w})) - {d}"
        order = self.pick(
            f"range({low}, {high})", f"range({high} - 1, -1, -1)", f"range({low}, {high}, 2)"
        )
        self.add(f"for {i} in {order}:")
        self.depth += 1
        inner = "\n" + self.INDENT * (self.depth + 1)
        for _ in range(self.pick(1, 1, 2)):
            self.add(
                self.pick(
                    f"{v}[{i}] = {w}[{i} + {d}]",
                    f"{v}[{i} + {d}] = {w}[{i}]",
                    f"{v}[{i}] += {w}[{i} + {d}]",
                    f"{v}[{i}], {w}[{i} + {d}] = {w}[{i} + {d}], {v}[{i}]",
                    f"{v}[-{i} - 1] = {w}[{i}]",
                    f"s += {v}[{i}] - {w}[{i} + {d}]" if "uint8" not in self.dtype else "s += 1",
                    f"if {v}[{i}] > {w}[{i} + {d}]:{inner}{v}[{i}] = {w}[{i} + {d}]",
                    f"{v}[{i}] = {w}[{i} + {d}] if {w}[{i}] > 3 else {v}[{i} + {d}]",
                    f"step({v}, {w}, {i})",
                    f"{v}[{i}:{i} + {d + 1}] = {w}[{i}]",
                    f"{v}[{i}:] -= 1" if self.chance(0.4) else f"{v}[{i}] *= 2",
                    f"if {v}[{i}] == 3:{inner}{self.pick('break', 'continue')}",
                )
            )
        self.depth -= 1
        if self.chance(0.3):
            self.add("else:")
            self.lines.append(self.INDENT * (self.depth + 1) + "s += 5")

    def block(self, n: int) -> None:
        self.depth += 1
        tables = list(self.tables)
        for _ in range(n):
            self.statement()
        self.tables = tables
        self.depth -= 1

    def repeat(self) -> None:
        i = self.fresh("j")
        self.add(
            self.pick(
                f"for {i} in range({self.pick('n', '3', '2', 'k')}):",
                f"for {i} in range(n, 0, -1):",
            )
        )
        self.ints.append(i)
        self.block(self.pick(1, 2, 3))
        self.ints.remove(i)

    def while_loop(self) -> None:
        c, v = self.fresh("c"), self.pick(*self.vectors)
        self.add(f"{c} = 0")
        self.add(f"while {c} < {self.pick('n', '3', f'len({v})')}:")
        self.ints.append(c)
        self.depth += 1
        self.add(f"{c} += 1")
        self.depth -= 1
        self.block(self.pick(1, 2))
        if self.chance(0.5):
            self.lines.append(self.INDENT * (self.depth + 1) + f"if {self.test()}:")
            way = self.pick("break", "break", "continue")
            self.lines.append(self.INDENT * (self.depth + 2) + way)
        self.ints.remove(c)
        if self.chance(0.5):
            self.add("else:")
            self.block(1)

    def branch(self) -> None:
        self.add(f"if {self.test()}:")
        self.block(self.pick(1, 2))
        if self.chance(0.5):
            self.add("else:")
            self.block(1)

    def statement(self) -> None:
        deep = self.depth > 3
        kinds = [self.bind] * 3 + [self.operate] * 4 + [self.on_table, self.elements, self.elements]
        if not deep:
            kinds += [self.repeat, self.branch, self.while_loop]
        self.pick(*kinds)()

    # ---- the whole -----------------------------------------------------------------------------

    def program(self) -> str:
        self.dtype = self.pick(*DTYPES)
        n, rows, columns = (
            self.pick(0, 1, 3, 5, 8, 9, 17, 20),
            self.pick(2, 3, 4),
            self.pick(2, 3, 5),
        )
        for _ in range(self.pick(2, 3, 4, 6)):
            self.statement()
        names = ", ".join(dict.fromkeys([*self.vectors[:4], "t", "s"]))
        made = f"(np.arange({{0}}) * 7 % 11).astype({self.dtype})"
        other = self.pick(
            made.format(n + 1),
            "a[1:]",
            "a[::-1]",
            "a",
            "a[::2]",
            f"t[{self.pick(0, -1)}]",
            made.format(n),
        )
        table = self.pick(
            made.format(rows * columns) + f".reshape({rows}, {columns})",
            made.format(rows * columns) + f".reshape({columns}, {rows}).T",
            f"np.concatenate((a, a[:0], {made.format(6)}))[:6].reshape(2, 3)",
        )
        body = "\n".join(self.lines)
        return (
            f"{HEADER}{HELPERS}def fuzzed(a, b, t, n, k):\n    s = 0\n{body}\n"
            f"    return {names}\n\n\n"
            f"def inputs():\n    a = {made.format(n)}\n    t = {table}\n    b = {other}\n"
            f"    return a, b, t, {self.pick(0, 1, 2, 3, 5)}, {self.pick(0, 1, 2, 4)}\n"
        )


def text(seed: int) -> str:
    return Maker(seed).program()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    modes = (mode,) if mode else MODES[seed % len(MODES)]
    return judge(text, modes, Rules(text, joins=True))
