# SPDX-License-Identifier: BSD-3-Clause
"""Short rows of arrays, changed in place and out of place, under names that loops pass round.

Rows have one to five elements; the arrays lie apart, are one, or meet at other places. A compiled
function is called again with arrays of other shapes and other places, for which versions of its
loops that the first call has asked for do not hold. Bad indices and shapes end some programs
half-way.
"""

from __future__ import annotations

import random
from typing import Any

from .draw import Draws
from .judge import MODES as ALL_MODES
from .judge import Difference, Rules, Verdict, compiled_run, copy_args, environment, run
from .program import HEADER, Outside, forget, load, oracle

HELPERS = """def row(x, i):
    return x[i]


def plus(x, y):
    return x + y


def put(x, y):
    x[:] = y - x


def moved(x, v, i, t):
    x[i] = x[i] + v[i] * t


def both(x, y):
    return y, x


def either(x, y, c):
    if c:
        return x
    return y


def length(x, y):
    d = x - y
    return (d * d).sum()


def kept(x, y):
    z = x
    x = x + y
    return z, x


"""
CALLS = 3
MODES = (("optimised",), ("plain",), ("parallel-lanes",), ("lanes",), ("parallel-optimised",))


class Maker(Draws):
    """One program over tables `p`, `q`, `v` and vectors `u`, `w`."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed * 6151 + 7)
        self.count, self.depth, self.lines = 0, 1, []
        self.tables = ["p", "q", "v"]
        self.vectors = ["u", "w"]
        self.ints: list[str] = []
        self.apart = False  # iterations run side by side: each has a row of its own
        self.renames = self.pick(0, 1, 1, 2, 9)  # names that stay are what a pass can be sure of

    # ---- expressions ---------------------------------------------------------------------------

    def place(self) -> str:
        if self.apart:
            return self.ints[-1]
        i = self.pick(*self.ints) if self.ints else "0"
        return self.pick(*[i] * 6, f"{i} - 1", f"-{i} - 1", "0", "-1", "1", f"{i} + 1", f"idx[{i}]")

    def row(self) -> str:
        t = self.pick(*self.tables)
        if self.chance(0.08):
            return f"row({t}, {self.place()})"
        if self.chance(0.06):
            return f"either({t}, {self.pick(*self.tables)}, {self.test()})[{self.place()}]"
        if self.chance(0.08):
            return f"({t}, {self.pick(*self.tables)})[{self.pick(0, 1)}][{self.place()}]"
        if self.chance(0.08):
            return f"{t}[{self.place()}, :]"
        return f"{t}[{self.place()}]" + self.pick("", "", "", "", "", "", "[::-1]", "[:]")

    def vector(self) -> str:
        return self.pick(*self.vectors) if self.chance(0.45) else self.row()

    def number(self) -> str:
        return self.pick("t", "2", "0.5", "t", f"{self.row()}[0]", f"{self.vector()}.sum()")

    def test(self) -> str:
        i = self.pick(*self.ints) if self.ints else "n"
        return self.pick(f"{i} % 2 == 0", "n > 2", f"{self.vector()}[0] > 3", f"{i} > 1")

    def value(self, depth: int = 0) -> str:
        if depth > 1 or self.chance(0.3):
            return self.vector()
        x, y = self.value(depth + 1), self.value(depth + 1)
        return self.pick(
            *[f"{x} + {y}"] * 4,
            f"({x} - {y})",
            f"{self.vector()} * {self.number()}",
            f"{x} + {self.vector()} * {self.number()}",
            f"plus({x}, {y})",
            f"np.maximum({x}, {y})",
            f"np.where({x} > {y}, {x}, {y})",
            f"-{self.vector()}",
            f"{self.vector()}.copy()",
            f"np.cross({x}, {y})" if self.width == 3 else f"{x} * {y}",
            f"kept({self.vector()}, {self.vector()})[{self.pick(0, 1)}]",
            f"({x} if {self.test()} else {y})",
        )

    # ---- statements ----------------------------------------------------------------------------

    def store(self) -> None:
        to = self.row()
        while to.startswith("row") and not self.chance(0.2):
            to = self.row()
        if to.startswith("row"):
            to += "[:]"
        base = to if to.startswith("row") else to.removesuffix("[::-1]").removesuffix("[:]")
        self.add(
            self.pick(
                *[f"{base} = {base} + {self.value()}"] * 4,
                f"{base} = {base} + {self.vector()} * {self.number()}",
                f"{to} = {self.value()}",
                f"{base} = {self.value()}",
                f"{base} {self.pick('+=', '-=', '*=')} {self.value()}",
                f"{base} = {self.number()}",
            )
        )

    def through_name(self) -> None:
        x, y = self.fresh("x"), self.vector()
        self.add(f"{x} = {self.row()}")
        self.add(
            self.pick(
                f"{x}[:] = {x} + {y}",
                f"{x}[:] = {self.value()}",
                f"np.add({x}, {y}, out={x})",
                f"np.subtract({y}, {x}, {x})",
                f"{x} += {y}",
                f"put({x}, {y})",
                f"{x} = {x} + {y}",
                f"{x}[0] += {y}[-1]",
            )
        )
        if self.chance(0.4):
            self.add(f"s += {x}[0]")

    def helper(self) -> None:
        i = self.place()
        a, b = self.pick(*self.tables), self.pick(*self.tables)
        self.add(
            self.pick(
                f"moved({a}, {b}, {i}, t)",
                f"put({self.row()}, {self.row()})",
                f"s += length({self.row()}, {self.vector()})",
                f"s += length({self.row()}, {self.row()})",
            )
        )

    def rename(self) -> None:
        if not self.renames:
            return self.store()
        self.renames -= 1
        a, b = self.pick(*self.tables), self.pick(*self.tables)
        x, y = self.pick(*self.vectors), self.pick(*self.vectors)
        self.add(
            self.pick(
                f"{a}, {b} = {b}, {a}",
                f"{a} = {b}",
                f"{x}, {y} = {y}, {x}",
                f"{x} = {y}",
                f"{x} = {self.row()}",
                f"{x} = {self.row()}",
                f"{a}, {b} = both({a}, {b})",
                f"{x}, {y} = kept({y}, {x})",
                f"{a} = either({a}, {b}, {self.test()})",
                f"{a} = {b}.copy()",
                f"{a} = {b}[::-1]",
                f"{a} = {a} + {b}",
            )
        )
        return None

    def step(self) -> None:
        """A vector bound anew; who has the old one keeps it."""
        if not self.renames:
            return self.store()
        self.renames -= 1
        x, y = self.pick(*self.vectors), self.vector()
        old = self.fresh("o") if self.chance(0.3) else ""
        if old:
            self.add(f"{old} = {x}")
        self.add(
            self.pick(
                *[f"{x} = {x} + {y} * {self.number()}"] * 3,
                f"{x} = {x} + {y}",
                f"{x} = {self.value()}",
                f"{x} += {y}",
                f"{x}[:] = {x} - {y}",
                f"{x} = np.cross({x}, {y})" if self.width == 3 else f"{x} = {y} - {x}",
            )
        )
        if old:
            self.add(f"s += {old}[0] - {x}[0]")
        return None

    def whole(self) -> None:
        a, b = self.pick(*self.tables), self.pick(*self.tables)
        c = self.pick("0", "-1", ":")
        self.add(
            self.pick(
                f"{a}[:, {c}] = {a}[:, {c}] + {b}[:, {c}]",
                f"{a}[:] = {a} + {b} * t",
                f"{a} += {b}",
                f"{a}[1:] = {a}[1:] + {b}[:-1]",
                f"{a}[:, 0] = {a}[:, -1] - {a}[:, 0]",
                f"{a}[{b}[:, 0] > 3] += 1",
            )
        )

    def block(self, n: int) -> None:
        self.depth += 1
        for _ in range(n):
            self.statement()
        self.depth -= 1

    def loop(self) -> None:
        i, t = self.fresh("i"), self.pick("p", "p", "q", "v")
        n = f"len({t})"
        self.add(
            self.pick(
                *[f"for {i} in range({n}):"] * 5,
                f"for {i} in range(1, {n}):",
                f"for {i} in range({n} - 1, -1, -1):",
                f"for {i} in range({n} + 1):",
                f"for {i} in range(n):",
                f"for {i} in range(0, {n}, 2):",
            )
        )
        self.ints.append(i)
        self.block(self.pick(1, 1, 2, 3))
        self.ints.pop()

    def over_rows(self) -> None:
        x, y = self.fresh("x"), self.fresh("y")
        a, b = self.pick("p", "q", "v"), self.pick("p", "q", "v")
        head = self.pick(
            f"for {x} in {a}:",
            f"for {x}, {y} in zip({a}, {b}):",
            f"for {x} in ({a}, {b}):",
            f"for {x} in [{a}, {b}]:",
        )
        self.add(head)
        self.depth += 1
        y = y if "zip" in head else self.pick(*self.vectors)
        if head.endswith(("):", "]:")) and "zip" not in head:
            self.tables.append(x)
            self.statement()
            self.tables.remove(x)
        else:
            self.add(
                self.pick(
                    f"{x}[:] = {x} + {y} * t",
                    f"{x} += {y}",
                    f"s += length({x}, {y})",
                    f"{self.pick(*self.vectors)} = {x}",
                    f"put({x}, {y})",
                    f"{x} = {x} + {y}",
                )
            )
        self.depth -= 1

    def side_by_side(self) -> None:
        if self.ints:
            return self.loop()
        i = self.fresh("i")
        self.add(f"for {i} in prange(len(p)):")
        saved = self.tables, self.vectors
        self.tables, self.vectors, self.apart = ["p", "v"], ["u"], True
        self.ints.append(i)
        self.depth += 1
        for _ in range(self.pick(1, 2)):
            base = f"{self.pick(*self.tables)}[{i}]"
            self.add(
                self.pick(
                    f"{base} = {base} + {self.value()}",
                    f"{base} = {self.value()}",
                    f"{base} += {self.value()}",
                    f"moved(p, v, {i}, t)",
                    f"put({base}, {self.vector()})",
                )
            )
        self.depth -= 1
        self.ints.pop()
        self.tables, self.vectors = saved
        self.apart = False
        return None

    def while_loop(self) -> None:
        c = self.fresh("c")
        self.add(f"{c} = n")
        self.add(f"while {c} > 0:")
        self.depth += 1
        self.add(f"{c} -= 1")
        self.step()
        if self.chance(0.6):
            self.pick(self.step, self.rename, self.statement)()
        if self.chance(0.2):
            self.add(f"if {self.test()}:")
            self.lines.append(self.INDENT * (self.depth + 1) + self.pick("break", "continue"))
        self.depth -= 1

    def branch(self) -> None:
        self.add(f"if {self.test()}:")
        self.block(1)
        if self.chance(0.4):
            self.add("else:")
            self.block(1)

    def guarded(self) -> None:
        self.add("try:")
        self.block(self.pick(1, 2))
        self.add(f"except {self.pick('IndexError', 'Exception', 'ValueError')}:")
        self.lines.append(self.INDENT * (self.depth + 1) + "s += 100")

    def statement(self) -> None:
        if not self.ints and self.chance(0.75):
            forms = [self.loop] * 5 + [self.over_rows, self.while_loop, self.side_by_side]
            return self.pick(*forms)()
        forms = [self.store] * 6 + [self.through_name] * 2 + [self.step] * 2
        forms += [self.rename, self.rename, self.helper, self.whole]
        if self.depth < 4:
            forms += [self.loop, self.branch, self.guarded, self.over_rows, self.while_loop]
        if self.ints and not self.apart and self.chance(0.1):
            self.add(f"{self.pick(*self.tables)}[{self.place()}] = {self.pick(*self.vectors)} + 1")
            return self.rename()
        return self.pick(*forms)()

    # ---- the whole -----------------------------------------------------------------------------

    def arrays(self, dtype: str, races: bool) -> str:
        """p, q, v of some shapes and places."""
        n, k = self.pick(0, 1, 3, 4, 7, 9), self.width
        if self.chance(0.25):
            k = self.pick(1, 2, 3, 4, 5, 9)

        def made(m: int, step: int) -> str:
            return f"(np.arange({m}) * {step} % 11).astype({dtype})"

        a = f"{made((n + 1) * k, 7)}.reshape({n + 1}, {k})"
        flat = made((n + 1) * k + 1, 5)
        apart = [f"p = {a}[:{n}]", f"q = {a}[1:].copy()", f"v = {a}[1:] - 2"]
        ways = [
            apart,
            apart,
            apart,
            [f"p = {a}[:{n}]", "q = p", "v = p * 2"],
            [f"b = {flat}", f"p = b[:{n * k}].reshape({n}, {k})", "q = p + 1", "v = p"],
        ]
        if not races:
            ways += [
                [f"b = {a}", f"p = b[:{n}]", "q = b[1:]", "v = b[1:] - 1"],
                [f"b = {a}", "p = b[1:]", f"q = b[:{n}]", f"v = b[:{n}]"],
                [
                    f"b = {flat}",
                    f"p = b[:{n * k}].reshape({n}, {k})",
                    f"q = b[1:{n * k + 1}].reshape({n}, {k})",
                    "v = p",
                ],
                [f"b = {flat}", f"p = b[1:{n * k + 1}].reshape({n}, {k})", "q = p.copy()"]
                + [f"v = b[:{n * k}].reshape({n}, {k})"],
                [f"p = {a}", "q = p + 1", f"v = ({made(n + 1, 3)}.reshape({n + 1}, 1))"],
            ]
        if self.strided and not races:
            ways += [
                [f"p = {a}", "q = p[::-1]", "v = p - 1"],
                [f"p = {a}.T.copy().T", "q = p", "v = p + 1"],
            ] * 3
        rows = self.pick(*ways)
        vector = [f"u = {made(k, 3)}", "w = u + 1"]
        vectors = [vector, vector, [vector[0], "w = u"]]
        if not races and n:
            vectors += [["u = p[0]", "w = v[-1]"], [f"u = {made(k, 3)}", "w = p[-1]"]]
            part = f"p.reshape(-1)[{self.pick(1, 2)}:][:{k}]"  # of two rows
            vectors += [[f"u = {part} if p.size > {k + 1} else p[0]", "w = q[0]"]] * 2
        index = (
            f"idx = {made(n + 2, 1)}.astype(np.int64) % {self.pick(max(n, 1), max(n, 1), n + 1)}"
        )
        last = f"{self.pick(0, 1, 2, 3, 4)}, {self.pick(0.5, 1.0, 2.0)}"
        lines = [*rows, *self.pick(*vectors), index, f"return p, q, v, u, w, idx, {last}"]
        return "".join(f"    {x}\n" for x in lines)

    def program(self) -> str:
        self.width = self.pick(3, 3, 2, 1, 4, 5)
        dtype = self.pick("np.float64", "np.float64", "np.float64", "np.float32", "np.int64")
        for _ in range(self.pick(1, 1, 2)):
            self.statement()
        body = "\n".join(self.lines)
        races = "prange" in body
        self.strided = self.chance(0.2)
        cases = [self.arrays(dtype, races) for _ in range(CALLS)]
        made = "\n\n".join(f"def inputs{k or ''}():\n{text}" for k, text in enumerate(cases))
        return (
            f"{HEADER}{HELPERS}def fuzzed(p, q, v, u, w, idx, n, t):\n    s = 0.0\n{body}\n"
            f"    return {self.pick('p, q, v, u, w, s', 'u, s', 'p, u, s', 's')}\n\n\n{made}"
        )


def text(seed: int) -> str:
    return Maker(seed).program()


def calls(module: Any) -> list[tuple]:
    return [getattr(module, f"inputs{k or ''}")() for k in range(CALLS)]


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    """One compiled function is called with all inputs; its versions are made for the first."""
    mode = mode or MODES[seed % len(MODES)][0]
    rules = Rules(text, joins=True)
    ours = oracle(text, prange=range)
    try:
        given = calls(ours)
    except Outside as e:
        return Verdict("outside", why=str(e))
    module = load(text)
    f, state = None, "outside"
    try:
        for k, args in enumerate(given):
            try:
                want = run(ours.fuzzed, copy_args(args))
            except Outside:
                continue
            if f is None:
                got, f = compiled_run(module, mode, copy_args(args))
            else:
                with environment(ALL_MODES[mode][1]):
                    got = run(f, copy_args(args))
            if rules.refused(got.error) or "np.cross of vectors of two" in str(got.error):
                return Verdict("refused", why=str(got.error).split("\n", 1)[0])
            found = rules.compare(want, got, mode)
            if found:
                return Verdict("differs", Difference(mode, found[0], f"call {k}: {found[1]}"))
            state = "same"
    finally:
        forget(module)
    return Verdict(state)
