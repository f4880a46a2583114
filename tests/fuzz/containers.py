# SPDX-License-Identifier: BSD-3-Clause
"""Random functions over lists and dicts: aliases, nesting, helpers, loops over what they change.

Elements are numbers, arrays, views of these, and pairs. Results and arguments are compared with
their types, and with which containers are one object and which arrays lie in one place.
"""

from __future__ import annotations

import contextlib
import io
import random
from typing import Any

import numpy as np

from . import judge as judging
from .draw import Draws
from .judge import Difference, Outcome, Rules, Verdict
from .program import HEADER, Outside, forget, load, oracle

MOST = 40  # elements that a list grows to
HELPERS = """def total(x):
    s = 0
    for v in x:
        s += v
    return s


def grown(x, v):
    x.append(v)
    return x


def other(x, y, c):
    return x if c else y


def swapped(x):
    if len(x) > 1:
        x[0], x[-1] = x[-1], x[0]


"""
TURNS = ("plain", "optimised", "lanes8", "parallel", "debug")
INPUTS = {
    "Li": ("[3, -1, 4, 1, 5]", "[]", "[7]", "list(range(-4, 9))", "[2] * 6"),
    "Lf": ("[0.5, -1.5, 2.0]", "[1e300]", "[0.0, -0.0, 2.5, 3.5, 1.25, 9.0]"),
    "LT": ("[(1, 0.5), (2, -0.5), (1, 2.0)]", "[(0, 0.0)]"),
    "LL": ("[[1, 2], [3], []]", "[[5], [5, 6, 7]]"),
    "Di": ("{1: 5, 2: 6, -3: 0}", "{}", "{0: 0}", "{k: k * k for k in range(9)}"),
    "Df": ("{1: 0.5, 4: 2.5}", "{0: -0.0}"),
    "DL": ("{1: [1, 2], 2: [3]}", "{0: [0, 0], 1: [4]}"),
    "DT": ("{(1, 2): 3, (0, 0): 1}",),
    "LA": (
        "[np.arange(3.0), np.ones(2)]",
        "[z := np.arange(4.0), z[1:], z]",
        "[np.zeros(0)]",
        "[]",
        "list(np.arange(12.0).reshape(4, 3)[:, ::2])",
    ),
    "LP": ("[(np.arange(3.0), np.ones(2))]", "[(z := np.arange(2.0), z), (z[::-1], np.ones(1))]"),
    "DA": ("{1: np.arange(3.0), 4: np.zeros(2)}", "{0: (z := np.ones(3)), 2: z[:2], 1: z}", "{}"),
}
ARRAYS = ("LA", "LP", "DA")


class Writer(Draws):
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.count = self.depth = 0
        self.lines = []
        self.kinds: dict[str, str] = {"n": "i", "h": "f"}
        self.busy: set[str] = set()  # looped over: not changed
        self.arrays = False

    # ---- names -------------------------------------------------------------------------------

    def those(self, kind: str) -> list[str]:
        return [v for v, k in self.kinds.items() if k == kind]

    def one(self, kind: str) -> str | None:
        found = self.those(kind)
        return self.pick(*found) if found else None

    def new(self, kind: str, prefix: str = "v") -> str:
        v = self.fresh(prefix)
        self.kinds[v] = kind
        return v

    # ---- expressions -------------------------------------------------------------------------

    def index(self, x: str) -> str:
        """Mostly one that is there."""
        if self.chance(0.06):
            return self.int(1)
        return self.pick(
            f"{self.int(1)} % len({x})", f"({self.int(0)}) % len({x}) - len({x})", "-1"
        )

    def element(self, kind: str) -> str | None:
        """An element of a list or dict of the kind, or a usual value where there is none."""
        x, d = self.one("L" + kind), self.one("D" + kind)
        usual = {"i": "0", "f": "0.25"}.get(kind, "")
        forms = []
        if x:
            forms += [f"({x}[{self.index(x)}] if {x} else {usual})"]
        if d:
            forms += [f"{d}.get({self.int(0)}, {usual})"]
        a = self.one("a")
        if a and kind == "f":
            forms += [f"(float({a}[0]) if len({a}) else 0.5)", f"float({a}.sum())"]
        if a and kind == "i":
            forms += [f"len({a})"]
        if x and kind == "i":
            forms += [f"len({x})", f"sum({x})", f"total({x})", f"({x}.count({self.int(0)}))"]
            forms += [f"(max({x}) if {x} else 1)", f"int({self.int(0)} in {x})", f"int(all({x}))"]
            forms += [
                f"max({x}, default={self.int(0)})",
                f"min({x}, key=lambda q: -q % 5, default=2)",
            ]
        return self.pick(*forms) if forms else None

    def int(self, depth: int = 2) -> str:
        form = self.r.random()
        if depth and form < 0.3:
            op, by = self.pick("+", "-", "*", "%"), self.pick("2", "3", "7", "5")
            return f"({self.int(depth - 1)} {op} {by}) % 11"
        if depth and form < 0.6:
            e = self.element("i")
            if e:
                return e
        return self.pick(*self.those("i"), "0", "1", "2", "-1", "4")

    def float(self, depth: int = 2) -> str:
        form = self.r.random()
        if depth and form < 0.3:
            return f"({self.float(depth - 1)} {self.pick('+', '-')} {self.pick('0.5', '1.5')})"
        e = self.element("f") if depth and form < 0.6 else None
        return e or self.pick(*self.those("f"), "0.5", "-2.0", "1.25", "0.0")

    def array(self, depth: int = 1) -> str:
        """One that has a name, that a container holds, or a new one; or a view of these."""
        forms = [*self.those("a"), "np.full(2, h)", f"np.arange({self.pick(0, 1, 3, 9)} + 0.0)"]
        x, p, d = self.one("LA"), self.one("LP"), self.one("DA")
        forms += [f"({x}[{self.index(x)}] if {x} else np.zeros(2))"] * 3 if x else []
        forms += [f"({p}[{self.index(p)}][{self.pick(0, 1)}] if {p} else np.ones(1))"] if p else []
        forms += [f"{d}.get({self.int(0)}, np.ones(3))"] if d else []
        form = self.pick(*forms)
        if depth and self.chance(0.4):
            return form + self.pick(
                "[1:]", "[::-1]", "[:2]", " + 1.5", " * 0.5", ".copy()", "[::2]"
            )
        return str(form)

    def value(self, kind: str) -> str:
        """Of what a container of `kind` holds."""
        match kind[1]:
            case "A":
                return self.array()
            case "P":
                return f"({self.array()}, {self.array(0)})"
            case "i":
                return self.int()
            case "f":
                return self.float()
            case "T" if kind[0] == "L":
                return f"({self.int(1)}, {self.float(1)})"
            case "T":
                return self.int(1)
        return self.pick(
            *self.those("Li"),
            "[1, 2]",
            f"[{self.int(1)}]",
            f"[k for k in range({self.pick(0, 1, 4)})]",
        )

    def key(self, kind: str) -> str:
        if kind == "DT":
            return f"({self.int(0)}, {self.int(0)})"
        return self.int(1)

    def test(self) -> str:
        x, d = self.one("Li"), self.one("Di")
        forms = [
            f"{self.int(1)} {self.pick('<', '==', '>=')} {self.int(1)}",
            f"{self.float(1)} > {self.float(0)}",
        ]
        forms += [x, f"len({x}) > 3", f"{self.int(0)} in {x}", f"not {x}"] if x else []
        forms += [f"{self.int(0)} in {d}", f"{self.int(0)} not in {d}"] if d else []
        return str(self.pick(*forms))

    def container(self, kind: str) -> str:
        """An expression of a new one, or of one that is there."""
        forms = list(self.those(kind))
        m = self.pick("n % 5", "3", "0", "6")
        forms += {
            "Li": [f"[k * 2 for k in range({m})]", f"[{self.int(1)}, {self.int(1)}]", "[0] * 3"],
            "Lf": [f"[k * 0.5 for k in range({m})]", f"[{self.float(1)}]"],
            "LT": [f"[(k, k * 0.5) for k in range({m})]", f"[({self.int(0)}, {self.float(0)})]"],
            "LL": [f"[[k] * k for k in range({m})]", "[[1, 2], [3]]"],
            "Di": [f"{{k: k + 1 for k in range({m})}}", f"{{{self.int(0)}: {self.int(1)}}}"],
            "Df": [f"{{k: k * 0.5 for k in range({m})}}", f"{{1: {self.float(0)}}}"],
            "DL": [f"{{k: [k] * k for k in range({m})}}", "{1: [1], 2: []}"],
            "DT": [f"{{(k, k % 2): k for k in range({m})}}", "{(1, 1): 2}"],
            "LA": [
                f"[np.full(k, k * 0.5) for k in range({m})]",
                f"[{self.array()}, {self.array()}]",
            ],
            "LP": [f"[(np.ones(k), np.zeros(2)) for k in range({m})]", f"[{self.value('LP')}]"],
            "DA": [f"{{k: np.full(2, k * 0.5) for k in range({m})}}", f"{{1: {self.array()}}}"],
        }[kind]
        same = self.those(kind)
        if same:
            forms += [
                f"{self.pick(*same)}.copy()",
                f"other({self.pick(*same)}, {self.pick(*same)}, {self.test()})",
            ]
        if same and kind[0] == "L":
            forms += [f"{self.pick(*same)} + {self.pick(*same)}", f"{self.pick(*same)}[:3] * 2"]
            forms += [f"list(reversed({self.pick(*same)}))", f"list({self.pick(*same)})"]
            forms += [f"{self.pick(*same)}[{self.slice()}]", f"[v for v in {self.pick(*same)}]"]
        x, p, d = self.one("LA"), self.one("LP"), self.one("DA")
        if kind == "LA":
            forms += [f"[{self.array(0)}] * 2"]
            forms += [f"list({d}.values())"] if d else []
            forms += [f"[u for u, _ in {p}]"] if p else []
        if kind == "LP" and x:
            forms += [f"list(zip({x}, {x}))", f"[(u, u[1:]) for u in {x}]"]
        if kind == "DA" and x:
            forms += [f"dict(enumerate({x}))", f"{{len(u): u for u in {x}}}"]
        if kind == "Li":
            forms += (
                [f"{self.pick(*self.those('LL'))}[0]"]
                if self.those("LL") and self.chance(0.3)
                else []
            )
            d = self.one("Di")
            forms += [f"[k for k in {d}]", f"[v for v in {d}.values()]"] if d else []
        return str(self.pick(*forms))

    def slice(self) -> str:
        a, b = (self.pick("", "1", "-2", self.int(0)) for _ in range(2))
        return f"{a}:{b}" + self.pick("", "", ":2", ":-1")

    # ---- statements --------------------------------------------------------------------------

    def changes(self) -> list[str]:
        free = [v for v, k in self.kinds.items() if len(k) == 2 and v not in self.busy]
        if not free:
            return []
        x = self.pick(*free)
        k = self.kinds[x]
        if k[0] == "D":
            forms = [
                f"{x}[{self.key(k)}] = {self.value(k)}",
                f"{x}.setdefault({self.key(k)}, {self.value(k)})",
                f"if {x}:\n    del {x}[{self.key(k)}]" if self.chance(0.1) else "pass",
            ]
            if k in ("Di", "Df"):
                key = self.key(k)
                forms += [
                    f"{x}[{key}] = {x}.get({key}, {self.value(k)}) + 1",
                    f"{x}.pop({key}, {self.value(k)})",
                ]
            if k == "DA":
                key = self.key(k)
                forms += [
                    f"if {key} in {x}:\n    {x}[{key}] += 0.5",
                    f"if {key} in {x} and len({x}[{key}]):\n    {x}[{key}][0] = {self.float(1)}",
                    f"{x}.pop({key}, {self.array(0)})",
                ]
            if k == "DL":
                key = self.key(k)
                forms += [
                    f"{x}.setdefault({key}, []).append({self.int(1)})",
                    f"if {key} in {x}:\n    {x}[{key}].append({self.int(0)})",
                ]
            return str(self.pick(*forms)).split("\n")
        forms = [
            f"if len({x}) < {MOST}:\n    {x}.append({self.value(k)})",
            f"if len({x}) < {MOST}:\n    {x}.insert({self.int(0)}, {self.value(k)})",
            f"if {x}:\n    {x}.pop()",
            f"if {x}:\n    {x}.pop({self.index(x)})",
            f"if {x}:\n    {x}[{self.index(x)}] = {self.value(k)}",
            f"if {x}:\n    del {x}[{self.index(x)}]",
            f"if len({x}) < {MOST // 2}:\n    {x}.extend({self.container(k)})",
            f"if len({x}) < {MOST // 2}:\n    {x} += {self.container(k)}",
            f"{x}.reverse()",
            f"swapped({x})",
            f"if {self.test()}:\n    {x}.clear()",
            f"{x}[{self.int(1)}] = {self.value(k)}" if self.chance(0.1) else "pass",
            f"{x}.pop()" if self.chance(0.2) else "pass",
            f"if len({x}) < {MOST // 2}:\n    {x}[{self.slice()}] = {self.container(k)}",
            f"del {x}[{self.slice()}]",
        ]
        if k in ("Li", "Lf"):
            forms += [
                f"{x}.sort()",
                f"if {x}:\n    {x}[{self.index(x)}] += 1",
                f"{x}.sort(reverse=True)",
            ]
            forms += [f"for q in range(len({x})):\n    {x}[q] = {x}[q] * 0 + {x}[-q - 1]"]
        if k == "LA":
            i = self.index(x)
            forms += [
                f"if {x}:\n    {x}[{i}] += {self.pick('1.5', self.float(1))}",
                f"if {x}:\n    {x}[{i}] *= 0.5",
                f"if {x} and len({x}[0]) > 1:\n    {x}[0][1] = {self.float(1)}",
                f"if {x}:\n    {x}[{i}][:] = {self.float(1)}",
                f"if {x}:\n    {x}[{i}][1:] = {x}[0][:1] * 2.0",
                f"if {x}:\n    {x}[-1] = {x}[0]",
                f"for q in range(len({x})):\n    {x}[q] = {x}[q] + {x}[-q - 1][:1].sum()",
            ]
        if k == "LP":
            forms += [
                f"for u, w in {x}:\n    u[:] = w[:1].sum()",
                f"if {x}:\n    u, w = {x}[{self.index(x)}]\n    w += 0.5",
                f"if {x}:\n    {x}[{self.index(x)}][0][:1] = {self.float(1)}",
            ]
        if k == "LL":
            forms += [
                f"if {x} and len({x}[0]) < {MOST}:\n    {x}[0].append({self.int(1)})",
                f"if {x}:\n    {x}[-1] = {x}[0]",
            ]
        return str(self.pick(*forms)).split("\n")

    def block(self, n: int) -> None:
        self.depth += 1
        known = dict(self.kinds)
        self.statements(n)
        self.kinds = known
        self.depth -= 1

    def loop(self) -> None:
        x = self.pick(*[v for v, k in self.kinds.items() if len(k) == 2])
        k = self.kinds[x]
        known, busy = dict(self.kinds), set(self.busy)
        if self.chance(0.3) or k[0] == "D" and k != "Di":
            q = self.new("i", "q")
            self.add(f"for {q} in range({self.pick('3', 'n % 4', 'len(' + x + ')')}):")
        elif k == "Di":
            q, v = self.new("i", "q"), self.new("i", "q")
            self.add(self.pick(f"for {q}, {v} in {x}.items():", f"for {v}, {q} in enumerate({x}):"))
            self.busy |= set(self.those("Di"))
        elif k == "LT":
            q, v = self.new("i", "q"), self.new("f", "q")
            self.add(f"for {q}, {v} in {x}:")
        elif k == "LA":
            q = self.new("a", "q")
            self.add(self.pick(f"for {q} in {x}:", f"for {q} in {x}[::-1]:"))
        elif k == "LP":
            q, v = self.new("a", "q"), self.new("a", "q")
            self.add(f"for {q}, {v} in {x}:")
        elif k == "LL":
            q = self.new("Li", "x")
            self.add(f"for {q} in {x}:")
        else:
            q = self.new(k[1], "q")
            self.add(f"for {q} in {x}:")
        if self.kinds != known or self.chance(0.2):
            self.add(f"    if len({x}) > {MOST}:")
            self.add("        break")
        self.block(self.pick(1, 2, 3))
        self.kinds, self.busy = known, busy

    def shown(self) -> str:
        made = [v for v, k in self.kinds.items() if len(k) == 2]
        x, y = self.pick(*made), self.pick(*self.kinds)
        return str(self.pick(f"{x}", f"{x}, {y}", f"f'{{{x}}} {{{y}!r}}'", f"({y}, {x}), str({x})"))

    def change_array(self) -> None:
        v = self.new("a")
        self.add(f"{v} = {self.array(2)}")
        e = self.float(1)
        forms = (f"{v} += 0.5", f"{v}[:1] = {e}", f"{v} *= 0.5", f"{v}[::2] = {v}[:1] + 1.0")
        if self.chance(0.6):
            self.add(self.pick(*forms))

    def statement(self) -> None:
        form = self.r.random()
        if self.arrays and form < 0.12:
            self.change_array()
            return
        if self.chance(0.05):
            self.add(f"print({self.shown()})")
        if form < 0.45:
            for line in self.changes() or ["pass"]:
                self.add(line)
        elif form < 0.6:
            kind = self.pick(*INPUTS)
            e = self.container(kind)
            self.add(f"{self.new(kind)} = {e}")
        elif form < 0.7:
            kind = self.pick("i", "i", "f")
            e = self.int() if kind == "i" else self.float()
            self.add(f"{self.new(kind)} = {e}")
        elif form < 0.73:
            x = self.one(self.pick("Li", "Lf", "LL", "LT"))
            k = self.kinds[x] if x else "Li"
            e = self.container(k)
            a = self.new(k[1], "v") if k[1] in "if" else self.fresh("w")
            self.add(f"{a}, *{self.fresh('w')} = {x + ' or ' if x else ''}{e}")
        elif form < 0.78 and self.those("Li"):
            e = f"grown({self.one('Li')}, {self.int(1)})"
            self.add(f"{self.new('Li')} = {e}")
        elif self.depth < 4 and form < 0.9:
            self.loop()
        elif self.depth < 4:
            self.add(f"if {self.test()}:")
            self.block(self.pick(1, 2))
            if self.chance(0.4):
                self.add("else:")
                self.block(1)
        else:
            self.add("pass")

    def statements(self, n: int) -> None:
        for _ in range(n):
            self.statement()

    def text(self) -> str:
        kinds = [self.pick(*INPUTS) for _ in range(self.pick(1, 2, 3))]
        if self.chance(0.5):
            kinds[0] = self.pick(*ARRAYS)
        self.arrays = any(k in ARRAYS for k in kinds)
        values, made = [], []
        for k in kinds:
            a = self.new(k, "a")
            made.append(f"    {a} = {self.pick(*INPUTS[k])}\n")
            values.append(a)
        if self.chance(0.15):
            again = self.pick(*values)
            alias = self.new(self.kinds[again], "a")
            made.append(f"    {alias} = {again}\n")
            values.append(alias)
        x = self.one("LA")
        if self.arrays and self.chance(0.5):
            v = self.new("a", "a")
            made.append(f"    {v} = {f'{x}[0] if {x} else ' if x else ''}np.arange(5.0)\n")
            values.append(v)
        parameters = ", ".join([*values, "n", "h"])
        self.depth = 1
        self.statements(self.pick(4, 6, 9))
        returned = [v for v in self.kinds if self.chance(0.6)] or ["n"]
        self.add(f"return {', '.join(returned[:5])}{',' if len(returned) == 1 else ''}")
        body = "\n".join(self.lines)
        given = ", ".join([*values, self.pick("3", "8"), "0.75"])
        tail = f"\n\n\ndef inputs():\n{''.join(made)}    return {given}\n"
        return f"{HEADER}{HELPERS}def fuzzed({parameters}):\n{body}{tail}"


def text(seed: int) -> str:
    return Writer(seed).text()


def described(value: Any, seen: dict[Any, int], joined: bool) -> str:
    """With types, and a number for each list and dict, and for where an array lies."""
    if isinstance(value, np.ndarray):
        steps = [by for by, n in zip(value.strides, value.shape, strict=True) if n > 1]
        key = (value.__array_interface__["data"][0], value.shape, *steps)
        number = f"#{seen.setdefault(key, len(seen))}=" if value.size else ""
        dtype = value.dtype if value.size or not joined else ""  # no element says it
        return f"{number}{dtype}{value.shape}{value.tolist()}"
    if isinstance(value, (list, dict)):
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
        if isinstance(value, dict):
            inside = ", ".join(
                f"{described(k, seen, joined)}: {described(v, seen, joined)}"
                for k, v in value.items()
            )
        else:
            inside = ", ".join(described(v, seen, joined) for v in value)
        return f"#{seen[id(value)]}={type(value).__name__}({inside})"
    if hasattr(value, "__dict__") and not callable(value):  # of a class of the program
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
        fields = [f"{k}={described(v, seen, joined)}" for k, v in sorted(vars(value).items())]
        return f"#{seen[id(value)]}={type(value).__name__}({', '.join(fields)})"
    if isinstance(value, memoryview):
        return f"memoryview {value.tobytes()}"
    if isinstance(value, judging.FUNCTIONS):
        return "a function"
    if isinstance(value, set):
        return f"{{{', '.join(sorted(described(v, seen, joined) for v in value))}}}"
    if isinstance(value, tuple):
        return f"({', '.join(described(v, seen, joined) for v in value)})"
    if joined and isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    return f"{type(value).__name__} {value!r}"


class OurRules(Rules):
    joined = False  # a number may be one of NumPy's for one of Python's

    def compare_errors(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        """A missing key is the argument of a KeyError; here it is what it says."""
        keys = [
            str(o.error.args[0]).split("\n")[0]
            for o in (want, got)
            if isinstance(o.error, KeyError)
        ]
        if len(keys) == 2:
            return ("key", f"{keys[0]} expected, got {keys[1]}") if keys[0] != keys[1] else None
        return super().compare_errors(want, got, mode)


def told(got: Outcome, joined: bool) -> str:
    """The arguments after the call, and the result, with which containers are one."""
    seen: dict[Any, int] = {}
    arguments = described(got.args, seen, joined)
    return arguments if got.error else f"{arguments} -> {described(got.value, seen, joined)}"


def verdict(text: str, seed: int, mode: str = "", rules: OurRules | None = None) -> Verdict:
    rules = rules or OurRules(text)
    said = io.StringIO(), io.StringIO()
    mode = mode or TURNS[seed % len(TURNS)]
    try:
        plain = oracle(text, prange=range)
        with contextlib.redirect_stdout(said[0]):
            want = judging.run(plain.fuzzed, plain.inputs())
    except Outside as e:
        return Verdict("outside", why=str(e))
    module = load(text)
    try:
        with contextlib.redirect_stdout(said[1]):
            got, _ = judging.compiled_run(module, mode, module.inputs())
    finally:
        forget(module)
    if rules.refused(got.error):
        return Verdict("refused", why=judging.said(got.error))
    if want.error or got.error:
        bare = (Outcome(None, o.error, ()) for o in (want, got))
        problem = rules.compare_errors(*bare, "plain")
        if problem:
            return Verdict("differs", Difference(mode, *problem))
    if said[0].getvalue() != said[1].getvalue():
        texts = "\nexpected, got\n".join(s.getvalue() for s in said)
        return Verdict("differs", Difference(mode, "text", texts))
    expected, found = told(want, rules.joined), told(got, rules.joined)
    if expected != found:
        what = "result" if expected.split(" -> ")[0] == found.split(" -> ")[0] else "arguments"
        return Verdict("differs", Difference(mode, what, f"{expected}\nexpected, got\n{found}"))
    return Verdict("same")
