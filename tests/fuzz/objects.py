# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Random programs of mixed Python values: classes with bases that hold lists, dicts, strings and
one another, exceptions with arguments, generators, `match`, f-strings, `nonlocal`, default and
star arguments, changes through aliases. Values of nested types go as those of `flows`.

Fields are names here, `v3.p0`, so that whatever is done with a name is done with a field.
"""

from __future__ import annotations

import random

from . import containers, flows
from .flows import Type, ordered
from .judge import Verdict
from .program import HEADER, forget, load

FAULTS = """class Fault(Exception):
    pass


class Deep(Fault):
    pass


def checked(x, most):
    if x > most:
        raise Fault(x, most)
    if x < -1:
        raise Deep(x, "low")
    return x


def gathered(*xs, by=1, **named):
    return sum(xs) * by + sum(named.values())


"""
OURS = {
    "s": (
        "({s} + {s})", "({s} * 2)", "{s}[1:]", "{s}[::-1]", "{s}.upper()", "{s}[:3]", "str({i})",
        "'-'.join([{of.s}])", "','.join({each.s})", "{s}.replace('a', 'xy')", "{s}.strip('x')",
        "f\"{ {i} }|{ {s} }\"", "f\"{ {i} :>4}\"", "f\"{ {f} :.2f}{ {s} !r}\"", "str({b})",
        "'%d:%s' % ({i}, {s})", "'{}={}'.format({s}, {i})", "min({s}, {s})", "{L.s}[-1]",
        "''.join(sorted({s}))", "{s}.title()", "{s}.center(5, '*')", "str(({i}, {f}))",
        "''.join([z for z in {s} if z != 'b'])", "{s}.join({L.s})", "str({f})", "repr({s})",
        "f\"{ {L.i} }\"", "f\"{ {T.i.s} }{ {o} }\"",
    ),
    "i": (
        "len({s})", "{s}.count('a')", "{s}.find({s})", "gathered({i}, {i})", "ord(({s} + 'a')[0])",
        "gathered(*{L.i})", "gathered({i}, by={i}, p={i})", "gathered(*{each.i}, by=2)",
        "gathered(*({i}, {i}), **{'p': {i}, 'q': {i}})", "checked({i}, 7)", "checked({i}, {i})",
        "int('0' + str(abs({i})))", "sum(len(z) for z in {each.s})", "max(map(len, {L.s}))",
    ),
    "b": (
        "{s}.startswith({s})", "({s} in {s})", "({s} < {s})", "({s} == {s})", "{s}.isalpha()",
        "isinstance({x}, int)", "({i} < {i} <= {i})", "({y} is {y})",
    ),
    "L": ("sorted({each.e}, key=lambda {by.s})", "[{e} for _ in range({i})]",
          "[w for w, z in sorted(zip({each.e}, {each.i}), key=lambda z: z[1])]"),
}  # fmt: skip
STRINGS = ("''", "'a'", "'ab'", "'xaby'", "'b c'")

DOWN = {"s": STRINGS}
FORMS = {k: v + OURS.get(k, ()) for k, v in flows.FORMS.items()} | {"s": OURS["s"]}


class Class:
    """What the maker knows of one."""

    def __init__(self, name: str, base: Class | None) -> None:
        self.name, self.base = name, base
        self.fields: dict[str, Type] = dict(base.fields) if base else {}
        self.params: list[Type] = []
        self.methods: dict[str, tuple[list[Type], Type]] = dict(base.methods) if base else {}
        self.has = set(base.has) if base else set()

    def under(self, other: Class) -> bool:
        return self is other or bool(self.base and self.base.under(other))


class Writer(flows.Writer):
    keys = (*flows.KEYS, "s", "s")
    leaves, forms = flows.LEAVES | DOWN, FORMS

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.r = random.Random(seed * 7919 + 11)
        self.classes: list[Class] = []
        self.gens: dict[str, tuple[Type, Type]] = {}  # name -> of what, yields what
        self.simple = False  # no calls of methods: their bodies are being written

    # ---- types and expressions -----------------------------------------------------------------

    def type(self, depth: int = 2) -> Type:
        form = self.r.random()
        if form < 0.12:
            return "s"
        if form < 0.3 and self.classes and not self.simple:
            return "C", self.pick(*self.classes).name
        return super().type(depth)

    def of(self, t: Type) -> Class:
        return next(c for c in self.classes if c.name == t[1])

    def named(self, v: str, t: Type) -> None:
        """The name, and those of its fields."""
        self.names[v] = t
        if t[0] == "C":
            for f, u in self.of(t).fields.items():
                self.names[f"{v}.{f}"] = u
                self.busy.discard(f"{v}.{f}")

    def call(self, v: str, m: str, c: Class, depth: int) -> str:
        params, _ = c.methods[m]
        return f"{v}.{m}({', '.join(self.make(u, depth - 1) for u in params)})"

    def known(self, t: Type) -> list[str]:
        made = super().known(t)
        if t[0] == "C":
            made += [v for v, u in self.names.items() if u == t] * 3
        return made

    def through(self, t: Type, depth: int) -> list[str]:
        """Calls of methods, and generators, that yield one."""
        out = []
        if self.simple or self.inside > 2:
            return out
        for v, u in self.names.items():
            if u[0] == "C":
                c = self.of(u)
                found = [m for m, (_, r) in c.methods.items() if r == t]
                out += [self.call(v, m, c, depth) for m in found[:1]]
                if t == "i" and "len" in c.has:
                    out.append(f"len({v})")
                if t == "s" and "str" in c.has:
                    out.append(self.pick(f"str({v})", f'f"<{{{v}}}>"'))
                if t == "b" and "eq" in c.has:
                    out.append(f"({v} == {self.make(u, 0)})")
                if t == "b":
                    out.append(f"isinstance({v}, {self.pick(*self.classes).name})")
        return out[:4]

    def make(self, t: Type, depth: int = 2) -> str:
        if t[0] == "C":
            return self.instance(t, depth)
        if depth > 0 and self.chance(0.25):
            found = self.through(t, min(depth, 1))
            if found:
                return self.pick(*found)
        return super().make(t, depth)

    def filled(self, forms: tuple[str, ...], t: Type, depth: int) -> str:
        text = super().filled(forms, t, depth)
        while '"' in text and ('f"' in text[1:] or text.count('"') > 2):  # one in another
            text = self.pick(*STRINGS) if t == "s" else super().filled(forms, t, 0)
        return text

    def instance(self, t: Type, depth: int) -> str:
        self.fuel -= 1
        c = self.of(t)
        known = [v for v, u in self.names.items() if u == t]
        below = [v for v, u in self.names.items() if u[0] == "C" and self.of(u).under(c)]
        if known and (depth <= 0 or self.chance(0.6)):
            return self.pick(*known)
        new = f"{c.name}({', '.join(self.make(u, depth - 1) for u in c.params)})"
        forms = [new, new, new]
        if known and depth > 0:
            a, b = self.pick(*known), self.pick(*known)
            forms += [f"({a} if {self.make('b', 0)} else {b})", f"same({a})", f"[{a}, {b}][-1]"]
            if "add" in c.has and not c.base:
                forms.append(f"({a} + {b})")
        return str(self.pick(*forms)) if below or not known else new

    # ---- classes -------------------------------------------------------------------------------

    def field_type(self) -> Type:
        return self.pick("i", "i", "f", "s", ("L", "i"), ("L", "s"), ("D", "i", "f"), ("L", "f"),
                         ("D", "s", "i") if self.chance(0.5) else "i", ("T", "i", "f"), "o",
                         ("L", ("T", "i", "s")), ("A", "f"), ("S", "i"),
                         ("L", ("L", "i")))  # fmt: skip

    def body(self, names: dict[str, Type], result: Type | None, most: int = 2) -> None:
        """Statements over these names, and what is returned."""
        kept = self.names, self.busy, self.plain, self.simple
        self.names, self.busy, self.plain, self.simple = dict(names), set(), set(), True
        self.depth += 1
        for _ in range(self.pick(0, 1, 1, most)):
            self.fuel = 12
            self.pick(self.change, self.assign, self.change, self.count_up)()
        self.fuel = 12
        if self.chance(0.12):
            self.add(f"if {self.make('b', 1)}:")
            self.add(f"    raise {self.pick('Fault', 'ValueError')}({self.make('i', 0)})")
        if result is None:
            self.add("pass")
        else:
            self.add(f"return {self.make(result, 1)}")
        self.depth -= 1
        self.names, self.busy, self.plain, self.simple = kept

    def make_class(self) -> None:
        base = self.pick(None, *self.classes) if self.classes else None
        c = Class(f"C{len(self.classes)}", base)
        own = [f"p{len(self.classes)}{k}" for k in range(self.pick(1, 2, 3))]
        self.add(f"class {c.name}({base.name}):" if base else f"class {c.name}:")
        self.depth += 1
        if self.chance(0.3):
            self.add(f"LIMIT = {self.pick(3, 5)}")
        types = [self.field_type() for _ in own]
        c.params = [*(base.params if base else []), *types[: self.pick(1, 2)]]
        params = [f"a{k}" for k in range(len(c.params))]
        self.add(f"def __init__(self, {', '.join(params)}):")
        n = len(base.params) if base else 0
        self.depth += 1
        if base:
            self.add(f"super().__init__({', '.join(params[:n])})")
        self.simple = True
        for k, (f, t) in enumerate(zip(own, types, strict=True)):
            if n + k < len(params):
                self.add(f"self.{f} = {params[n + k]}")
            else:
                self.names, self.fuel = dict(zip(params, c.params, strict=True)), 5
                self.add(f"self.{f} = {self.make(t, 1)}")
            c.fields[f] = t
        self.simple, self.names = False, {}
        self.depth -= 1
        me = {f"self.{f}": t for f, t in c.fields.items()}
        for m in [
            f"m{len(self.classes)}",
            *self.r.sample(sorted(c.methods), min(len(c.methods), 1)),
        ]:
            if m in c.methods:
                ps, result = c.methods[m]
            else:
                ps, result = [self.pick("i", "s", "f")][: self.pick(0, 1)], self.field_type()
            names = [f"x{k}" for k in range(len(ps))]
            self.add(f"def {m}({', '.join(['self', *names])}):")
            if base and m in base.methods and self.chance(0.6):
                self.add(f"    was = super().{m}({', '.join(names)})")
                names, ps = [*names, "was"], [*ps, result]
                c.methods[m] = (ps[:-1], result)
            else:
                c.methods[m] = (ps, result)
            self.body(me | dict(zip(names, ps, strict=True)), result)
        self.specials(c, me)
        self.depth -= 1
        self.lines += ["", ""]
        self.classes.append(c)

    def specials(self, c: Class, me: dict[str, Type]) -> None:
        first = next(iter(c.fields))
        t = c.fields[first]
        if t[0] in "ifsTN" and self.chance(0.4):
            c.has.add("eq")
            self.add("def __eq__(self, other):")
            self.add(f"    return self.{first} == other.{first}")
        if ordered(t) and t[0] in "if" and self.chance(0.4):
            c.has.add("lt")
            self.add("def __lt__(self, other):")
            self.add(f"    return self.{first} < other.{first}")
        if self.chance(0.4):
            c.has.add("str")
            self.add(f"def {self.pick('__str__', '__repr__')}(self):")
            self.fuel, self.names, self.simple = 8, dict(me), True
            self.add(f"    return {self.make('s', 2)}")
            self.names, self.simple = {}, False
        if t[0] in "LDS" and self.chance(0.4):
            c.has.add("len")
            self.add("def __len__(self):")
            self.add(f"    return len(self.{first})")

    def make_generator(self) -> None:
        g, e, r = self.fresh("gen"), self.type(1), self.type(1)
        self.add(f"def {g}(x, k=1):")
        self.names, self.simple = {"k": "i"}, True
        self.depth += 1
        if self.chance(0.5):
            self.add("k += 1")
        self.add("for v in x:")
        self.names["v"] = e
        self.fuel = 15
        forms = [[f"yield {self.make(r, 1)}"]]
        forms.append([f"if {self.make('b', 1)}:", f"    yield {self.make(r, 1)}"])
        forms.append([f"if {self.make('b', 1)}:", f"    {self.pick('return', 'break', 'continue')}",
                      f"yield {self.make(r, 1)}"])  # fmt: skip
        forms.append([f"yield {self.make(r, 1)}", "k += 2", f"yield {self.make(r, 1)}"])
        forms.append(["try:", f"    yield {self.make(r, 1)}", "finally:", "    k += 1"])
        for line in self.pick(*forms):
            self.add("    " + line)
        if self.chance(0.3):
            del self.names["v"]
            self.add(f"yield {self.make(r, 1)}")
        self.depth -= 1
        self.names, self.simple = {}, False
        self.gens[g] = (e, r)
        self.lines += ["", ""]

    def iterable(self, t: Type, depth: int, head: str) -> str:
        found = [g for g, (_, r) in self.gens.items() if r == t]
        if found and depth > 0 and self.fuel > 0 and self.chance(0.5):
            g = self.pick(*found)
            return f"{g}({self.make(('L', self.gens[g][0]), 1)})"
        return super().iterable(t, depth, head)

    # ---- statements ----------------------------------------------------------------------------

    def assign(self) -> None:
        before = dict(self.names)
        super().assign()
        for v, t in list(self.names.items()):
            if v not in before:
                self.named(v, t)

    def alias(self) -> None:
        those = [v for v, t in self.names.items() if t[0] in "LDSAC" and v not in self.busy]
        if not those:
            return self.assign()
        old, new = self.pick(*those), self.fresh("v")
        t = self.names[old]
        self.add(f"{new} = {old}")
        self.named(new, t)
        return None

    def method(self) -> None:
        """Called for what it does."""
        those = [v for v, t in self.names.items() if t[0] == "C" and self.of(t).methods]
        if not those:
            return self.assign()
        v = self.pick(*those)
        c = self.of(self.names[v])
        m = self.pick(*c.methods)
        w = self.fresh("v")
        self.add(f"{w} = {self.call(v, m, c, 1)}")
        self.named(w, c.methods[m][1])
        return None

    def matched(self) -> None:
        t = self.pick("i", "s", ("T", "i", "i"), ("L", "i"), "N", "o", self.type(1))
        v, a = self.fresh("v"), self.fresh("q")
        known = self.known(t)
        self.add(f"match {self.pick(*known) if known and self.chance(0.5) else self.make(t, 1)}:")
        i = self.pick("0", "1", "2", "-1")
        cases: dict[str, tuple[str, ...]] = {
            "i": (i, "1 | 2", f"int({a}) if {a} > 2", f"{a} if {a} < 0"),
            "s": ("'a'", "'ab' | ''", f"str({a}) if len({a}) > 2"),
            "T": (f"({i}, {a})", f"({a}, {i})", f"({a}, _)", f"[{a}, *_]"),
            "L": ("[]", f"[{i}]", f"[{a}]", f"[{a}, *_]", f"[_, *_, {a}]", f"[{a}, 1, *_]"),
            "N": (f"P({i})", f"P(x={i})", f"P(y=0.5, x={a})", f"P({a}, _)"),
            "o": ("None", "0 | 1", f"int({a})"),
            "O": ("None",),
            "D": ("{}" if self.chance(0.2) else "{0: _}", f"{{1: {a}}}", f"{{2: {a}, **_}}"),
        }
        if t[0] == "C":
            c = self.of(t)
            f = self.pick(*c.fields)
            cases["C"] = (f"{c.name}({f}={a})", f"{self.pick(*self.classes).name}()")
        if t[0] == "D" and t[1] != "i" or t[0] == "T" and t[1:] != ("i", "i"):
            cases = {}
        if t[0] == "L" and t[1] != "i":
            cases = {"L": ("[]", "[_]", "[_, *_]")}
        shown = t in ("i", "s", "N", "o", ("L", "i"), ("T", "i", "i"))  # its text is no refusal
        for k in range(self.pick(1, 2, 3)):
            case = self.pick(*cases.get(t[0], ("_ if n > 2",)))
            self.add(f"    case {case.replace('**_', '**' + a + 'r')}:")
            self.add(f"        {v} = {k + 2}")
            if a in case and shown:
                self.add(f"        print(str({a}))")
        self.add("    case _:")
        self.add(f"        {v} = {self.make('i', 0)}")
        self.names[v] = "i"

    def counter(self) -> None:
        """A closure that keeps a count, called in a loop."""
        if self.depth > 1:
            return self.assign()
        g, total, step = self.fresh("g"), self.fresh("v"), self.make("i", 1)
        self.add(f"{total} = {self.pick('0', '1')}")
        self.add(f"def {g}(x, by={step}, *more, low={self.make('i', 0)}):")
        self.add(f"    nonlocal {total}")
        self.add(f"    {total} = ({total} * 3 + x * by + low + len(more)) % 101")
        self.add(f"    return {total} + sum(more)")
        self.names[total] = "i"
        v, calls = self.fresh("v"), []
        for _ in range(self.pick(1, 2, 3)):
            calls.append(self.pick(
                f"{g}({self.make('i', 1)})", f"{g}({self.make('i', 0)}, low={self.make('i', 1)})",
                f"{g}({self.make('i', 0)}, 2, {self.make('i', 1)})", f"{g}(*{self.make(('T', 'i', 'i'), 1)})",
                f"sum([{g}(z) for z in {self.iterable('i', 1, 'each')}])",
            ))  # fmt: skip
        self.add(f"{v} = {', '.join(calls)}")
        self.names[v] = ("T", *["i"] * len(calls)) if len(calls) > 1 else "i"
        return None

    def guarded(self) -> None:
        """Errors with arguments, caught by class, with `else` and `finally`."""
        v, e = self.fresh("v"), self.fresh("e")
        self.add(f"{v} = {self.make('i', 0)}")
        self.names[v] = "i"
        self.add("try:")
        self.block(self.pick(1, 2))
        self.depth += 1
        i = self.make("i", 1)
        if self.chance(0.6):
            self.add(self.pick(
                f"{v} = checked({i}, {self.make('i', 0)})", f"raise Deep({i}, {self.make('s', 0)})",
                f"{v} += {self.make(('L', 'i'), 1)}[{i}]", f"{v} = {self.make(('D', 'i', 'i'), 1)}[{i}]",
                f"{v} = 10 // {i}", f"raise Fault({i}, {self.make('s', 1)})",
                f"assert {self.make('b', 1)}, {self.make('s', 0)}", f"{v} = int({self.make('s', 0)})",
            ))  # fmt: skip
        self.depth -= 1
        for form in self.r.sample(range(6), self.pick(1, 1, 2)):
            self.add((
                f"except Deep as {e}:", f"except Fault as {e}:", f"except (KeyError, IndexError) as {e}:",
                f"except ZeroDivisionError as {e}:", f"except ValueError as {e}:", f"except Exception as {e}:",
            )[form])  # fmt: skip
            self.depth += 1
            self.add((
                f"{v} = len(str({e}))", f"{v} = len({e}.args)", f"print('missed', {v})", f"print(str({e}))",
                f"print('value', {v})", f"print(type({e}).__name__)",
            )[form])  # fmt: skip
            if self.chance(0.3):
                self.statement()
            self.depth -= 1
        if self.chance(0.3):
            self.add("else:")
            self.block(1)
        if self.chance(0.3):
            self.add("finally:")
            self.add(f"    {v} += 1")

    def printed(self) -> None:
        t = self.type(1)
        self.add(self.pick(f"print({self.make('s', 2)})", f"print({self.make('i')}, {self.make(t, 1)}, sep='/')"
                           if not set(str(t)) & set("CASt") else f"print({self.make('s', 1)})"))  # fmt: skip

    def until(self) -> None:
        c = self.fresh("c")
        self.add(f"{c} = 0")
        self.add(f"while {c} < {self.pick(2, 3)} and {self.make('b', 1)}:")
        self.add(f"    {c} += 1")
        self.block(self.pick(1, 2))
        if self.chance(0.3):
            self.add(f"    if {self.make('b', 1)}:")
            self.add(f"        {self.pick('break', 'continue')}")
        if self.chance(0.3):
            self.add("else:")
            self.block(1)

    def keyed(self) -> None:
        """Sorted by a field or a part."""
        those = [v for v in self.held("L") if self.names[v][1][0] in "CTs"]
        if not those:
            return self.assign()
        v = self.pick(*those)
        e = self.names[v][1]
        key = "z"
        if e[0] == "C":
            found = [f for f, t in self.of(e).fields.items() if t in ("i", "f", "s")]
            if not found:
                return self.assign()
            key = f"z.{self.pick(*found)}"
        elif e[0] == "T":
            found = [k for k, t in enumerate(e[1:]) if t in ("i", "f", "s")]
            if not found:
                return self.assign()
            key = f"z[{self.pick(*found)}]"
        else:
            key = self.pick("len(z)", "z[::-1]", "(len(z), z)")
        more = self.pick("", ", reverse=True")
        w = self.fresh("v")
        self.add(self.pick(f"{v}.sort(key=lambda z: {key}{more})",
                           f"{w} = sorted({v}, key=lambda z: {key}{more})"))  # fmt: skip
        if " = " in self.lines[-1]:
            self.names[w] = ("L", e)
        return None

    def statement(self) -> None:
        form = self.r.random()
        self.fuel = 22
        if form < 0.5 or self.depth > 2:
            return super().statement()
        return self.pick(self.alias, self.method, self.matched, self.counter, self.guarded,
                         self.printed, self.until, self.keyed, self.method, self.change)()  # fmt: skip

    def text(self) -> str:
        for _ in range(self.pick(0, 1, 2, 2, 3)):
            self.make_class()
        for _ in range(self.pick(0, 1, 2)):
            self.make_generator()
        made = "\n".join(self.lines)
        self.lines = []
        given: dict[str, Type] = {"n": "i"}
        self.fuel = 10
        for _ in range(self.pick(1, 1, 2)):
            t = self.among(flows.passed, 2)
            given[self.fresh("p")] = t
        values = [
            self.pick("3", "0", "5"),
            *(self.make(t, self.pick(0, 0, 1)) for v, t in given.items() if v != "n"),
        ]
        for v, t in given.items():
            self.named(v, t)
        self.depth = 1
        for c in self.classes:
            v = self.fresh("v")
            self.fuel = 10
            self.add(f"{v} = {c.name}({', '.join(self.make(u, 1) for u in c.params)})")
            self.named(v, ("C", c.name))
            self.plain.add(v)
        for _ in range(self.pick(2, 3, 4, 6)):
            self.statement()
        self.fuel = 25
        names = [v for v in self.names if v.count(".") == 0] or ["n"]
        self.add(f"return {', '.join([*names[:12], self.make(self.type())])}")
        body = "\n".join(self.lines) + "\n"
        tail = f"\n\ndef inputs():\n    return {', '.join(values)},\n"
        head = f"from typing import NamedTuple\n\n{HEADER}{flows.HELPERS}{FAULTS}{made}\n\n"
        return f"{head}def fuzzed({', '.join(given)}):\n{body}{tail}"


def text(seed: int) -> str:
    return Writer(seed).text()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    module = load(text)
    try:
        module.inputs()
    except Exception as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    finally:
        forget(module)
    return containers.verdict(text, seed, mode, flows.OurRules(text))
