# SPDX-License-Identifier: BSD-3-Clause
"""Values of nested types on their way: what makes them, what passes them on, what consumes them.

A type is a letter or a tuple of a letter and types: i int, f float, b bool, o an int or None,
t a time span, N a named tuple, O what may be None, T a tuple, L a list, S a set, D a dict, A an
array of one axis. An expression is a
form of its type with the parts filled in, so that each maker meets each consumer, with and without
a name between.
"""

from __future__ import annotations

import random
import re
from typing import Any

from . import containers
from .draw import Draws
from .judge import Outcome, Verdict
from .program import HEADER, forget, load

HELPERS = """class P(NamedTuple):
    x: int
    y: float = 0.5

    def total(self):
        return self.x + self.y

    @property
    def twice(self):
        return self.x * 2


def some(x, d):
    return d if x is None else x


def same(x):
    return x


def one_of(x, y, c):
    if c:
        return x
    return y


def each(x):
    for v in x:
        yield v


def twice(x):
    for v in x:
        yield v
        yield v


def counted(x):
    n = 0
    for v in x:
        n += 1
    return n


def upto(x, n=2, *, step=1):
    i = 0
    while i < len(x) and i < n:
        yield x[i]
        i += step


def both(x, y):
    yield from x
    yield from y


def popped(x, d):
    try:
        return x.pop()
    except IndexError:
        return d
    finally:
        x.reverse()


def first(x, d):
    for i, v in enumerate(x):
        if i == 0:
            return v
    else:
        pass
    return d


"""
Type = Any
KEYS = ("i", ("T", "i", "i"), ("T", "i", "f"))
DTYPES = {"i": "np.int64", "f": "np.float64", "b": "np.bool_", "t": "'m8[s]'"}
# Without parts that go deeper. In all forms {t} is a value of the type that is made; {e} one of its
# elements, {k} and {v} of its keys and values; {x} of any type, {y} of another that is the same in
# one form; {L.e} a list of elements, {each.e} an iterable, {gen.e} an iterator, {of.e} the inside
# of a comprehension, {by.e} of a lambda.
LEAVES = {
    "i": ("0", "1", "2", "3", "-1", "-2", "7"),
    "f": ("0.5", "-1.5", "2.0", "0.0", "1e3", "3.25"),
    "b": ("True", "False", "{i} > 1"),
    "o": ("None", "{i}"),
    "t": ("np.timedelta64(3, 's')", "np.timedelta64(-7, 's')", "np.timedelta64(0, 's')"),
    "N": ("P({i}, {f})", "P({i})"),
    "O": ("None", "{e}"),
    "L": ("[{e}]", "[{e}, {e}]", "[{e}, {e}, {e}]"),
    "S": ("{{e}}", "{{e}, {e}}"),
    "D": ("{{k}: {v}}", "{{k}: {v}, {k}: {v}}"),
    "A": ("np.array({L.e}, {dtype})", "np.full({size}, {e}, {dtype})"),
}
FORMS = {
    "i": (
        "({i} + {i}) % 13", "({i} - {i}) % 13", "({i} * {i}) % 13", "len({L.x})", "len({D.k.x})",
        "len({S.k})", "counted({each.x})", "sum({each.i}) % 17", "sum([{of.i}]) % 17",
        "max({each.i}, default={i})", "min({gen.i}, default=4)", "int({b})",
        "sum(1 for _ in {each.x})", "{L.y}.count({y})", "{L.y}.index({y})", "abs({i})",
        "len(list({gen.x}))", "int({f})", "{N}.x", "{N}[0]", "len({N})", "{N}.twice",
        "some({o}, {i})", "sum(len(z) for z in {each.L})", "len({A.f})",
    ),
    "f": (
        "({f} + {f})", "({f} - {f})", "({f} * 0.5)", "sum({each.f}, 0.0)", "float({i})",
        "max({each.f})", "float(np.sum({L.f}))", "float({A.f}.sum())", "float({A.f}.max())",
        "max([{of.f}], default=0.5)", "float(np.max({L.f}))", "abs({f})", "float({A.f}[0])",
        "sum([{of.f}], 0.0)", "{N}.y", "{N}.total()", "{N}[1]", "sum((z.y for z in {each.N}), 0.0)",
        "float(np.mean([{f}, *{L.f}]))",
    ),
    "b": (
        "not {x}", "any({each.b})", "all({each.i})", "bool({L.x})", "bool({D.k.x})",
        "({b} and {b})",
        "({b} or {b})", "({o} is None)", "({r} < {r})", "({r} >= {r})", "({y} == {y})",
        "({y} != {y})", "({y} in {each.y})", "({k} in {S.k})", "({k} not in {D.k.x})",
        "({S.k} <= {S.k})", "({O.x} is None)", "({O.x} is not None)", "({N} == {N})", "({N} < {N})",
        "({N} == ({i}, {f}))", "({L.y} == {L.y})", "({D.k.y} == {D.k.y})",
    ),
    "o": (
        "({i} if {b} else None)", "{D.k.i}.get({k})", "next({gen.i}, None)", "{i}", "None",
        "max({each.i}, default=None)",
    ),
    "N": ("P(y={f}, x={i})", "P(*({i}, {f}))", "max({each.N}, key=lambda {by.f})", "P({N}.x, {f})",
          "[P({i}, {f}) for z in {each.x}][0]", "min({N}, {N})"),
    "O": ("({e} if {b} else None)", "next({gen.e}, None)", "{D.k.e}.get({k})", "None", "{e}",
          "max({each.i}, default=None) and None", "[{e}, None][{i}]"),
    "t": ("({t} + {t})", "({t} - {t})", "({t} * 2)", "{A.t}[0]", "(-{t})", "{L.t}[-1]"),
    "L": (
        "[{e}, {e}]", "[{e}]", "[{of.e}]", "[{of.e}]", "list({each.e})", "list({gen.e})",
        "({t} + {t})", "({t} * 2)", "({t} * 0)", "{t}[1:]", "{t}[:-1]", "{t}[:]", "{t}[::-1]",
        "{t}[:2]", "{t}.copy()", "[*{each.e}, {e}]", "[{e}, *{each.e}, *{gen.e}]",
        "list(reversed({t}))", "sorted({each.e}, key=lambda {by.f})",
        "sorted({gen.e}, key=lambda {by.i}, reverse=True)", "list({D.e.x})",
        "list({D.k.e}.values())",
        "sorted({each.e})", "sorted({t}, reverse=True)", "{A.e}.tolist()",
        "[z for z in {each.e} if {b}]",
        "[z for y in {each.L.e} for z in y]", "list(map(lambda {by.e}, {by}))",
        "list(filter(lambda {by.b}, {by}))", "list({t})",
    ),
    "S": (
        "{{e}, {e}}", "{{of.e}}", "set({each.e})", "set({gen.e})", "({t} | {t})", "({t} & {t})",
        "({t} - {t})", "({t} ^ {t})", "{t}.union({t})", "{t}.copy()", "{*{each.e}}", "set({t})",
    ),
    "D": (
        "{{k}: {v}, {k}: {v}}", "{{kv.of}}", "dict({each.T.k.v})", "dict({gen.T.k.v})",
        "{t}.copy()", "{**{t}, {k}: {v}}", "({t} | {t})", "dict(zip({each.k}, {each.v}))",
        "dict({t})", "{**{t}, **{t}}",
    ),
    "A": (
        "np.array({L.e}, {dtype})", "np.asarray({L.e}, {dtype})",
        "np.array(list({each.e}), {dtype})",
        "{t}[1:]", "{t}[::-1]", "{t}[::2]", "{t}.copy()", "np.sort({t})",
        "np.concatenate(({t}, {t}))", "np.concatenate([{t}, {t}])", "np.array([{e}, {e}])",
        "np.where({b}, {t}, {t})", "np.array([{of.e}], {dtype})",
        "np.array({t})", "np.array(sorted({each.e}), {dtype})", "np.concatenate({L.t})",
        "np.array([*{each.e}, {e}])",
        "np.asarray([{e} for z in {each.x}], {dtype})",
    ),
    "each": (
        "{L.e}", "{L.e}", "{gen.e}", "{gen.e}", "({e}, {e})", "({e},)", "{D.e.x}", "sorted({S.e})",
        "{A.e}", "[{of.e}]", "{D.k.e}.values()", "({e} for z in {each.x} if {b})", "({t} or {t})",
    ),
    "gen": (
        "iter({each.e})", "each({each.e})", "twice({each.e})", "reversed({L.e})", "({of.e})",
        "({of.e})", "map(lambda {by.e}, {by})", "filter(lambda {by.b}, {by})",
        "iter({D.k.e}.values())", "upto({L.e})", "upto({L.e}, {i})", "upto(n=3, x={L.e})",
        "upto({L.e}, step=2)", "both({each.e}, {gen.e})", "upto(list({each.e}), 4)",
    ),
    "pairs": ("zip({each.a}, {each.b})", "zip({each.a}, {gen.b})"),
    "counts": ("enumerate({each.b})", "enumerate({gen.b})"),
    "items": ("{D.a.b}.items()",),
    "ints": ("range({i})", "range({i}, 4)"),
    # the same value by a way round
    "": (
        "({t} if {b} else {t})", "(lambda z: z)({t})", "same({t})", "one_of({t}, {t}, {b})",
        "({t}, {x})[0]", "({x}, {t})[1]", "[{t}, {t}][{i}]", "[{t}, {t}][-1]",
        "{0: {t}}.get({i}, {t})", "{{k}: {t}}[{k}]", "next(iter([{t}, {t}]))", "[{t}].pop()",
        "next({gen.t})", "[z for z in {each.t}][-1]", "next({gen.t}, {t})", "({name} := {t})",
        "(lambda z, w: w)({x}, {t})", "{L.t}[0]", "popped({L.t}, {t})", "first({each.t}, {t})",
        "[{t} for z in range(2)][{i}]", "(lambda *z: z[0])({t}, {x})", "(lambda z={i}: {t})()",
        "[a for a, b in [({t}, {x})]][0]", "{k: v for k, v in [({k}, {t})]}[{k}]",
        "list(zip({L.t}, {L.x}))[0][0]", "(({t}, {x}), {x})[0][0]", "{D.k.t}[{k}]",
    ),
    "bool": ("({t} or {t})", "({t} and {t})"),
    "some": ("some({O.t}, {t})", "({t} if {O.t} is None else {t})"),
    "order": (
        "max({t}, {t})", "min({each.t})", "sorted([{t}, {t}])[0]", "max({L.t}, key=lambda {by.f})",
    ),
}  # fmt: skip
CHANGES = {
    "L": ("append({e})", "extend({each.e})", "insert({i}, {e})", "reverse()", "pop()", "pop(0)",
          "clear()", "sort(key=lambda {by.f})", " += {t}", "[0] = {e}", "[-1] = {e}",
          " += {each.e}",
          " *= 2", "remove({e})", "[1:2] = {t}", "[:0] = {each.e}", "[{i}] = {e}",
          "[::2] = {t}", " = {t}"),
    "D": ("[{k}] = {v}", "update({t})", "setdefault({k}, {v})", "clear()", "pop({k}, {v})",
          " |= {t}", "update({each.T.k.v})", "pop({k})"),
    "S": ("add({e})", "discard({e})", " |= {t}", "update({t})", "remove({e})", "clear()",
          " &= {t}"),
    "A": ("[0] = {e}", "[-1] = {e}", "[:] = {t}", "[1:] = {e}"),
}  # fmt: skip
ELEMENTS = {"O": ("e",), "L": ("e",), "S": ("e",), "A": ("e",), "D": ("k", "v")}


def ordered(t: Type) -> bool:
    """Do Python's < and sorted take its values?"""
    return t in ("i", "f", "b", "N") or (t[0] in "TL" and all(ordered(u) for u in t[1:]))


def compared(t: Type) -> bool:
    """Does == give a bool?"""
    return t[0] not in "AtO" and all(compared(u) for u in t[1:])


def passed(t: Type) -> bool:
    """Can it be an argument? A tuple of lists can't."""
    return t[0] != "T" or all(u[0] not in "LSD" and passed(u) for u in t[1:])


class Parts:
    """What stands for the names in a form; one text for each place."""

    def __init__(self, writer: Writer, types: dict[str, Type], depth: int) -> None:
        self.writer, self.types, self.depth = writer, types, depth
        self.source = ""

    def type(self, letter: str) -> Type:
        if letter not in self.types:
            w = self.writer
            made = {
                "x": lambda: w.type(1),
                "k": lambda: w.pick(*w.keys),
                "y": lambda: w.among(compared),
                "r": lambda: w.among(ordered),
            }
            self.types[letter] = made[letter]() if letter in made else letter
        return self.types[letter]

    def fill(self, form: str) -> str:
        deeper = " for " in form  # no := in what is gone through
        self.writer.inside += deeper
        text = re.sub(r"{([a-zA-Z.]+)}", lambda m: self.part(m[1]), form)
        self.writer.inside -= deeper
        return text

    def part(self, name: str) -> str:
        w, depth = self.writer, self.depth - 1
        head, *rest = name.split(".")
        if head == "dtype":
            return DTYPES[self.type("e")]
        if head == "size":
            return str(w.pick(0, 1, 3))
        if head == "name":
            return w.fresh("q")
        if head == "by":
            return self.bound(rest[0], depth) if rest else self.source
        if head in ("of", "kv"):
            return w.comprehension([self.type(u) for u in (rest if head == "of" else "kv")], depth)
        if head in ("each", "gen"):
            inside = rest[0] if len(rest) == 1 else rest
            t = self.whole(inside) if isinstance(inside, list) else self.type(inside)
            return w.iterable(("L", w.type(1)) if t == "L" else t, depth, head)
        return w.make(self.whole([head, *rest]), depth)

    def whole(self, names: list[str]) -> Type:
        if len(names) == 1:
            return self.type(names[0])
        return (names[0], *(self.type(u) for u in names[1:]))

    def bound(self, result: str, depth: int) -> str:
        """The inside of a lambda, with what it will run over in `source`."""
        w = self.writer
        u = self.types.get("e" if result in "bfi" else "") or w.type(1)
        self.source = w.iterable(u, depth, "each")
        return w.bound(u, lambda v: f"{v}: {w.make(self.type(result), depth)}")


class Writer(Draws):
    keys, leaves, forms = KEYS, LEAVES, FORMS

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.count = self.depth = self.inside = 0
        self.lines = []
        self.names: dict[str, Type] = {}
        self.busy: set[str] = set()  # looped over, or not this function's: not changed
        self.plain: set[str] = set()  # set by a statement of the function's own body
        self.fuel = 60

    def type(self, depth: int = 2) -> Type:
        form = self.r.random()
        if not depth or form < 0.3:
            return self.pick("i", "i", "f", "f", "b", "o", "t" if self.chance(0.3) else "i")
        if form < 0.42:
            return ("T", *(self.type(depth - 1) for _ in range(self.pick(2, 2, 1, 3))))
        if form < 0.7:
            return "L", self.type(depth - 1)
        if form < 0.78:
            return "S", self.pick(*self.keys)
        if form < 0.86:
            return "D", self.pick(*self.keys), self.type(depth - 1)
        if form < 0.9:
            return "N"
        if form < 0.93:
            return "O", self.among(lambda t: t[0] in "ifLTN", depth - 1)
        return "A", self.pick("i", "f", "f", "b", "t" if self.chance(0.2) else "f")

    def among(self, good: Any, depth: int = 1) -> Type:
        return next((t for t in (self.type(depth) for _ in range(9)) if good(t)), "i")

    # ---- expressions -------------------------------------------------------------------------

    def known(self, t: Type) -> list[str]:
        """Names of the type, and parts of what has a name."""
        made = [v for v, u in self.names.items() if u == t] * 3
        for v, u in self.names.items():
            if u == ("L", t):
                made += [f"{v}[{self.pick(0, -1)}]"]
            if u[0] == "T":
                made += [f"{v}[{i}]" for i, w in enumerate(u[1:]) if w == t]
            if u == ("D", "i", t):
                made += [f"{v}[{self.pick(0, 1, 2)}]", f"{v}.get(1, {v}[2])"]
        return made

    def make(self, t: Type, depth: int = 2) -> str:
        self.fuel -= 1
        if self.fuel < 0:
            depth = 0
        known = self.known(t)
        if known and self.chance(0.3 if depth > 0 else 0.8):
            return self.pick(*known)
        if t[0] == "T" and (depth <= 0 or self.chance(0.5)):
            return "(" + "".join(self.make(u, depth - 1) + ", " for u in t[1:]) + ")"
        if depth <= 0:
            return self.filled(self.leaves[t[0]], t, 0)
        forms = self.forms[""] if t[0] == "T" or self.chance(0.3) else self.forms[t[0]]
        if forms is self.forms[""]:
            forms += self.forms["bool"] * (t[0] in "LDS") + self.forms["order"] * ordered(t)
            forms += self.forms["some"] * (t[0] in "ifLDTSN")
        return self.filled(forms, t, depth)

    def filled(self, forms: tuple[str, ...], t: Type, depth: int) -> str:
        inner = dict(zip(ELEMENTS.get(t[0], ()), t[1:], strict=True)) if t[0] != "T" else {}
        for _ in range(20):
            form = self.pick(*forms)
            if self.fits(form, t):
                return Parts(self, {"t": t, **inner}, depth).fill(form)
        return self.filled(self.leaves[t[0]], t, 0) if t[0] != "T" else self.make(t, 0)

    def fits(self, form: str, t: Type) -> bool:
        """Does the form make values of the type? Not all lists can be sorted."""
        e = t[1] if len(t) > 1 else t
        if "sorted({each.e})" in form or "sorted({t}" in form:
            return ordered(e)
        if "{A.e}" in form:
            return e in DTYPES and e != "t"
        if "{D.e." in form or "{S.e}" in form:
            return e in self.keys
        if "{name}" in form:
            return not self.inside
        return "remove" not in form or compared(e)

    def iterable(self, t: Type, depth: int, head: str) -> str:
        """What can be looped over, of elements of the type; `gen`: only once."""
        if depth < 0 or self.fuel < 0:
            return self.make(("L", t), 0) if head == "each" else f"iter({self.make(('L', t), 0)})"
        forms, types = self.forms[head], {"e": t, "t": ("L", t)}
        if t[0] == "T" and len(t) == 3 and self.chance(0.6):
            types |= {"a": t[1], "b": t[2]}
            forms = self.forms["pairs"] + self.forms["counts"] * (t[1] == "i")
            forms += self.forms["items"] * (t[1] in self.keys and head == "each")
        if t == "i" and head == "each" and self.chance(0.2):
            forms = self.forms["ints"]
        form = next(
            (f for f in (self.pick(*forms) for _ in range(20)) if self.fits(f, ("L", t))), ""
        )
        return Parts(self, types, depth).fill(form or "[{e}]")

    def bound(self, t: Type, made: Any) -> str:
        """Text with a name of a value of the type, in a scope of its own."""
        v = self.fresh("x")
        self.names[v] = t
        self.busy.add(v)
        self.inside += 1
        text = made(v)
        self.inside -= 1
        del self.names[v]
        return str(text)

    def comprehension(self, results: list[Type], depth: int) -> str:
        held = [w for w in self.names.values() if w[0] in "LSD"]
        u = self.pick(*held)[1] if held and self.chance(0.6) else self.type(1)
        self.inside += 1  # no := in what is gone through
        source = self.iterable(u, depth, "each")
        self.inside -= 1

        def made(v: str) -> str:
            head = f" if {self.make('b', 0)}" if self.chance(0.3) else ""
            if self.chance(0.15):
                head = f" for {self.fresh('y')} in {self.iterable('i', 0, 'each')}{head}"
            value = ": ".join(self.make(t, depth) for t in results)
            return f"{value} for {v} in {source}{head}"

        return self.bound(u, made)

    # ---- statements --------------------------------------------------------------------------

    def block(self, n: int) -> None:
        """What is named inside is not known after."""
        kept = dict(self.names)
        self.depth += 1
        for _ in range(n):
            self.statement()
        self.depth -= 1
        self.names = kept

    def loop(self) -> None:
        u, v = self.type(1), self.fresh("w")
        held = [w for w in self.names.values() if w[0] in "LSD"]
        if held and self.chance(0.6):
            u = self.pick(*held)[1]
        source = self.iterable(u, 2, "each")
        runs = {w for w in self.names if w in source} - self.busy
        self.add(f"for {v} in {source}:")
        kept, self.names, self.busy = self.names, {**self.names, v: u}, self.busy | runs | {v}
        self.block(self.pick(1, 2))
        if self.chance(0.2):
            self.add(f"    if {self.make('b', 1)}:")
            self.add(f"        {self.pick('break', 'continue')}")
        self.names, self.busy = kept, self.busy - runs - {v}

    def held(self, letters: Any) -> list[str]:
        """Names of containers of these sorts that nothing loops over."""
        return [w for w, t in self.names.items() if t[0] in letters and w not in self.busy]

    def change(self) -> None:
        """One in place."""
        those = self.held(CHANGES)
        if not those:
            return self.assign()
        v = self.pick(*those)
        kept, t = self.names, self.names[v]
        self.names = {w: u for w, u in kept.items() if w != v}  # not seen while it is sorted
        form = self.filled(CHANGES[t[0]], t, 2)
        self.names = kept
        self.add(v + ("" if form[0] in " [" else ".") + form)
        return None

    def assign(self) -> None:
        known = [v for v in self.names if v not in self.busy and v != "n"]
        if known and self.chance(0.2):
            v = self.pick(*known)
            self.add(f"{v} = {self.make(self.names[v])}")
            return
        t, v = self.type(), self.fresh("v")
        self.plain |= {v} if self.depth == 1 else set()
        self.add(f"{v} = {self.make(t, self.pick(1, 2, 2, 3))}")
        self.names[v] = t

    def remove(self) -> None:
        those = self.held("LD")
        if not those:
            return self.assign()
        v = self.pick(*those)
        key = self.make(self.names[v][1], 0) if self.names[v][0] == "D" else ""
        self.add(f"del {v}[{key or self.pick('0', '-1', '1:', ':1', '::2', ':')}]")
        return None

    def count_up(self) -> None:
        """An element and what is added."""
        those = [w for w, t in self.names.items() if t[0] in "LDA" and t[-1] in ("i", "f")]
        if not those:
            return self.assign()
        v = self.pick(*those)
        t = self.names[v]
        key = self.make(t[1], 0) if t[0] == "D" else self.pick("0", "-1", self.make("i", 1))
        self.add(f"{v}[{key}] {self.pick('+', '-', '*')}= {self.make(t[-1], 1)}")
        return None

    def nested(self) -> None:
        """A function in the function, and a call."""
        t, g, v, x = self.type(1), self.fresh("g"), self.fresh("v"), self.fresh("x")
        u = self.type(1)
        kept = dict(self.names)
        self.names[x] = u
        result = self.make(t)
        self.names = kept
        self.add(f"def {g}({x}):")
        owned = [w for w in sorted(self.plain) if w in kept and w not in self.busy]
        if owned and self.chance(0.4):
            w = self.pick(*owned)
            self.add(f"    nonlocal {w}")
            self.add(f"    {w} = {self.make(kept[w])}")
        self.add(f"    return {result}")
        self.add(f"{v} = {g}({self.make(u, 1)})")
        self.names[v] = t

    def unpack(self) -> None:
        t = ("T", self.type(1), self.type(1))
        a, b = self.fresh("v"), self.fresh("v")
        self.add(f"{a}, {b} = {self.make(t)}")
        self.names |= {a: t[1], b: t[2]}

    def statement(self) -> None:
        form = self.r.random()
        self.fuel = 25
        if self.depth > 2 or form < 0.45:
            self.assign()
        elif form < 0.67:
            self.change()
        elif form < 0.69:
            self.remove()
        elif form < 0.72:
            self.count_up()
        elif form < 0.75:
            self.nested()
        elif form < 0.78:
            self.unpack()
        elif form < 0.88:
            self.loop()
        elif form < 0.94:
            self.add(f"if {self.make('b', 1)}:")
            self.block(self.pick(1, 2))
            if self.chance(0.5):
                self.add("else:")
                self.block(1)
        else:
            self.add("try:")
            self.block(self.pick(1, 2))
            self.add(
                f"except {self.pick('IndexError', 'KeyError', 'ValueError', 'StopIteration')}:"
            )
            self.block(1)

    def text(self) -> str:
        given: dict[str, Type] = {"n": "i"}
        for _ in range(self.pick(1, 2, 2)):
            given[self.fresh("p")] = self.among(passed, 2)
        values = ["3", *(self.make(t, 2) for v, t in given.items() if v != "n")]
        self.names = given.copy()
        self.depth = 1
        for _ in range(self.pick(1, 2, 2, 3)):
            self.statement()
        self.fuel = 25
        self.add(f"return {', '.join([*self.names, self.make(self.type())])}")
        body = "\n".join(self.lines) + "\n"
        tail = f"\n\ndef inputs():\n    return {', '.join(values)},\n"
        head = f"from typing import NamedTuple\n\n{HEADER}{HELPERS}"
        return f"{head}def fuzzed({', '.join(given)}):\n{body}{tail}"


def text(seed: int) -> str:
    return Writer(seed).text()


class OurRules(containers.OurRules):
    """Which value was not found is not said; joins to NumPy's types are another kind's business."""

    joined = True

    def refused(self, error: BaseException | None) -> bool:
        """At run time too: None where no value of its type is one."""
        return super().refused(error) or "is not supported" in str(error)

    def compare_errors(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        if "is not in list" in str(want.error) and "x not in list" in str(got.error):
            return None
        return super().compare_errors(want, got, mode)


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    module = load(text)
    try:
        module.inputs()
    except Exception as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    finally:
        forget(module)
    return containers.verdict(text, seed, mode, OurRules(text))
