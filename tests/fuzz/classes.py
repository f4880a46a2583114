# SPDX-License-Identifier: BSD-3-Clause
"""Random programs over classes: fields that nobody declares, operators, properties, inheritance,
links, containers of instances, loops over instances; judged by CPython."""

from __future__ import annotations

import random

import swathe

from . import judge as judging
from .draw import Draws
from .judge import Difference, Rules, Verdict
from .program import HEADER, Outside, forget, load, oracle

TURNS = ("plain", "optimised", "lanes8", "debug")
START = {"i": ("0", "1", "k % 5"), "f": ("0.0", "h", "1.5"), "s": ("''", "'ab'", "t"),
         "l": ("[k, 1]",), "n": ("None",)}  # fmt: skip
FIELDS = ("p", "q", "r", "u")


class Class:
    """What the maker knows of one."""

    def __init__(self, name: str, base: Class | None) -> None:
        self.name, self.base = name, base
        self.fields: dict[str, str] = dict(base.fields) if base else {}
        self.methods: dict[str, str] = dict(base.methods) if base else {}  # -> kind of result
        self.has: set[str] = set(base.has) if base else set()

    def of(self, kind: str) -> list[str]:
        return [f for f, k in self.fields.items() if k == kind]


class Writer(Draws):
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.count = self.depth = 0
        self.lines = []
        self.classes: list[Class] = []
        self.kinds: dict[str, str] = {}

    # ---- expressions -------------------------------------------------------------------------

    def those(self, kind: str) -> list[str]:
        return [v for v, k in self.kinds.items() if k == kind]

    def instance(self, c: Class) -> str | None:
        found = self.those(c.name)
        return self.pick(*found) if found else None

    def field(self, kind: str) -> list[str]:
        out = []
        for c in self.classes:
            for v in self.those(c.name):
                out += [f"{v}.{f}" for f in c.of(kind)]
                out += [f"{v}.{m}({self.leaf('i')})" for m, k in c.methods.items() if k == kind]
                if kind == "i" and "len" in c.has:
                    out.append(f"len({v})")
                if kind == "i" and "at" in c.has:
                    out.append(f"{v}[{self.leaf('i')}]")
                if kind == "i" and "iter" in c.has and v != "self":
                    out += [f"sum({v})", f"sum([z for z in {v}])"]
                if kind == "f" and "prop" in c.has and v != "self":
                    out.append(f"{v}.half")
        return out

    def leaf(self, kind: str) -> str:
        usual = {"i": ("0", "1", "2", "3", "7"), "f": ("0.5", "-1.5", "2.0"), "s": ("'a'", "'bc'")}
        return str(self.pick(*self.those(kind), *usual[kind]))

    def value(self, kind: str, depth: int = 2) -> str:
        if not depth or self.chance(0.3):
            return self.leaf(kind)
        if self.chance(0.5):
            found = self.field(kind)
            if found:
                return str(self.pick(*found))
        a, b = self.value(kind, depth - 1), self.value(kind, depth - 1)
        if kind == "i":
            return f"({a} {self.pick('+', '-', '*')} {b}) % {self.pick(7, 11, 101)}"
        if kind == "f":
            return f"({a} {self.pick('+', '-')} {b}) * 0.5"
        return f"({a} + {b})[:{self.pick(3, 5)}]"

    def test(self) -> str:
        forms = [f"{self.value('i', 1)} {self.pick('<', '==', '>')} {self.value('i', 1)}"]
        for c in self.classes:
            for v in self.those(c.name):
                w = self.instance(c)
                if "eq" in c.has:
                    forms += [f"{v} == {w}", f"{v} != {w}"]
                if "lt" in c.has:
                    forms.append(f"{v} < {w}")
                if "bool" in c.has or "len" in c.has:
                    forms += [v, f"not {v}"]
                if "in" in c.has:
                    forms.append(f"{self.leaf('i')} in {v}")
                forms += [f"{v} is {w}", f"isinstance({v}, {self.pick(*self.classes).name})"]
        return str(self.pick(*forms))

    def new(self, c: Class) -> str:
        forms = [f"{c.name}({self.value('i', 1)}, {self.value('f', 1)})"] * 2
        v = self.instance(c)
        if v and "add" in c.has and not c.base:
            forms += [f"({v} + {self.instance(c)})"] * 2
        if v:
            forms.append(f"({v} if {self.test()} else {self.instance(c)})")
        if "made" in c.has and not c.base:
            forms.append(f"{c.name}.made({self.leaf('i')})")
        return str(self.pick(*forms))

    # ---- classes -----------------------------------------------------------------------------

    def method(self, head: str, body: list[str], extra: dict[str, str], c: Class) -> None:
        """With `body`, in which the names of `extra` are there."""
        self.add(head)
        self.depth += 1
        for line in body:
            self.add(line)
        self.depth -= 1

    def in_method(self, c: Class, names: dict[str, str]) -> None:
        self.kinds = {"self": c.name, **names}

    def store(self, v: str, c: Class) -> str:
        f = self.pick(*c.fields)
        k = c.fields[f]
        if k == "l":
            return f"if len({v}.{f}) < 20:\n    {v}.{f}.append({self.value('i', 1)})"
        if k == "n":
            return f"{v}.{f} = {self.pick('None', v)}"
        if k == "i" and self.chance(0.4):
            return f"{v}.{f} = ({v}.{f} + {self.value('i', 1)}) % 97"
        if k == "f" and self.chance(0.4):
            return f"{v}.{f} {self.pick('+=', '-=')} {self.value('f', 1)}"
        return f"{v}.{f} = {self.value(k)}"

    def init(self, c: Class) -> None:
        self.in_method(c, {})
        self.add("def __init__(self, k, h, t='x'):")
        self.depth += 1
        own = [f for f in c.fields if not c.base or f not in c.base.fields]
        if c.base:
            self.add("super().__init__(k, h)")
        for f in own:
            k = c.fields[f]
            self.add(f"self.{f} = {self.pick(*START[k])}")
        self.depth -= 1

    def specials(self, c: Class) -> None:
        i = self.pick(*c.of("i"))
        f = c.of("f")
        xs = c.of("l")
        one = f"{c.name}(self.{i} + o.{i}, {f'self.{f[0]}' if f else '0.5'})"
        forms = {
            "add": ["def __add__(self, o):", f"    return {one}"],
            "eq": ["def __eq__(self, o):", f"    return self.{i} == o.{i}",
                   "def __hash__(self):", f"    return hash((self.{i}, 3))"],
            "lt": ["def __lt__(self, o):", f"    return self.{i} < o.{i}"],
            "made": ["@classmethod", "def made(cls, k):", "    return cls(k, 0.25)"],
            self.pick("bool", "len"): None,
            "iadd": ["def __iadd__(self, o):", f"    self.{i} = (self.{i} + o.{i}) % 50",
                     "    return self"],
            "with": ["def __enter__(self):", f"    self.{i} += 1", "    return self",
                     "def __exit__(self, a, b, c):", f"    self.{i} = self.{i} % 40"],
        }  # fmt: skip
        if "bool" in forms:
            forms["bool"] = ["def __bool__(self):", f"    return self.{i} > 1"]
        else:
            forms["len"] = ["def __len__(self):", f"    return self.{i} % 3"]
        if f:
            forms["prop"] = ["@property", "def half(self):", f"    return self.{f[0]} * 0.5",
                             "@half.setter", "def half(self, v):",
                             f"    self.{f[0]} = v * 2.0"]  # fmt: skip
        if xs:
            x = xs[0]
            forms["iter"] = self.pick(
                ["def __iter__(self):", f"    for v in self.{x}:", "        yield v + 1"],
                ["def __iter__(self):", f"    return iter(self.{x})"],
                ["def __iter__(self):", "    j = 0", f"    while j < len(self.{x}):",
                 f"        if self.{x}[j] != 2:", f"            yield self.{x}[j]",
                 "        j += 1"],
            )  # fmt: skip
            at = f"self.{x}[j % len(self.{x})]"
            forms["at"] = ["def __getitem__(self, j):", f"    return {at}",
                           "def __setitem__(self, j, v):", f"    {at} = v"]  # fmt: skip
            forms["in"] = ["def __contains__(self, v):", f"    return v in self.{x}"]
        for name, lines in forms.items():
            if name not in c.has and self.chance(0.45):
                c.has.add(name)
                for line in lines or ():
                    self.add(line)

    def make_class(self, name: str, base: Class | None) -> None:
        c = Class(name, base)
        fresh = [f"{f}{len(self.classes)}" for f in FIELDS]
        for f in fresh[: self.pick(2, 3, 4)] if not base else fresh[: self.pick(0, 1, 2)]:
            c.fields[f] = self.pick("i", "i", "f", "f", "s", "l", "n")
        if not base:
            c.fields[fresh[0]], c.fields[fresh[1]] = "i", self.pick("f", "l")
        self.add("@swathe.jitclass")
        self.add(f"class {name}({base.name if base else ''}):".replace("()", ""))
        self.depth += 1
        self.add(f"LIMIT = {self.pick(3, 5)}")
        self.classes.append(c)
        if not base or len(c.fields) > len(base.fields):
            self.init(c)
        self.specials(c)
        for m in ("one", "two")[: self.pick(1, 2)]:
            again = base and m in base.methods
            kind = base.methods[m] if again else self.pick("i", "f", "i")
            self.in_method(c, {"j": "i"})
            self.add(f"def {m}(self, j):")
            self.depth += 1
            c.methods.pop(m, None)
            if again and self.chance(0.6):
                self.add(f"was = super().{m}(j)")
                self.kinds["was"] = kind
            for _ in range(self.pick(0, 1, 2)):
                self.lines_of(self.store("self", c))
            if self.chance(0.2):
                self.add(f"if j > {self.pick(5, 6)}:")
                self.add(f"    raise {self.pick('ValueError', 'KeyError')}(j)")
            self.add(f"return {self.value(kind)}")
            self.depth -= 1
            c.methods[m] = kind
        self.depth -= 1
        self.add("")
        self.add("")

    # ---- the function ------------------------------------------------------------------------

    def lines_of(self, text: str) -> None:
        for line in text.split("\n"):
            self.add(line)

    def block(self, n: int) -> None:
        self.depth += 1
        known = dict(self.kinds)
        for _ in range(n):
            self.statement()
        self.kinds = known
        self.depth -= 1

    def named(self, kind: str, prefix: str) -> str:
        v = self.fresh(prefix)
        self.kinds[v] = kind
        return v

    def of_containers(self, c: Class) -> None:
        x, d = f"x{c.name}", f"d{c.name}"
        forms = [
            f"if len({x}) < 12:\n    {x}.append({self.new(c)})",
            f"if {x}:\n    {x}[{self.leaf('i')} % len({x})] = {self.new(c)}",
            f"{d}[{self.leaf('i')}] = {self.new(c)}",
            f"for o in {x}:\n    {self.store('o', c)}".replace(":\n    o", ":\n        o"),
            f"if len({x}) > 1:\n    {x}.pop()",
        ]
        if "lt" in c.has:
            forms.append(f"{x}.sort(key=lambda o: o.{c.of('i')[0]})")
        if "eq" in c.has:
            forms.append(f"if {self.leaf('i')} > 1:\n    n += {x}.count({self.new(c)})")
            # a key that nothing changes: what is found by one whose hash has changed hangs on slots
            key = f"{c.name}({self.value('i', 1)}, {self.value('f', 1)})"
            forms.append(f"k{c.name}[{key}] = {self.leaf('i')}")
            forms.append(f"n += k{c.name}.get({self.new(c)}, 1)")
        self.lines_of(str(self.pick(*forms)))

    def statement(self) -> None:
        c = self.pick(*self.classes)
        form = self.r.random()
        v = self.instance(c)
        if form < 0.2 or not v:
            e = self.new(c)
            self.add(f"{self.named(c.name, 'o')} = {e}")
        elif form < 0.4:
            self.lines_of(self.store(v, c))
        elif form < 0.5:
            kind = self.pick("i", "f", "s")
            e = self.value(kind)
            self.add(f"{self.named(kind, 'v')} = {e}")
        elif form < 0.6:
            self.of_containers(c)
        elif form < 0.66 and "iadd" in c.has:
            self.add(f"{v} += {self.instance(c)}")
        elif form < 0.7 and "prop" in c.has:
            self.add(f"{v}.half = {self.value('f')}")
        elif form < 0.74 and "at" in c.has:
            self.add(f"{v}[{self.leaf('i')}] = {self.value('i')}")
        elif form < 0.78 and "with" in c.has and self.depth < 4:
            self.add(f"with {v} as {self.named(c.name, 'o')}:")
            self.block(1)
        elif form < 0.82 and "iter" in c.has and self.depth < 3:
            known = dict(self.kinds)
            self.add(f"for {self.named('i', 'z')} in {v}:")
            self.block(self.pick(1, 2))
            self.kinds = known
        elif form < 0.9 and self.depth < 4:
            known = dict(self.kinds)
            q = self.named("i", "z")
            self.add(f"for {q} in range({self.pick('3', 'n % 4')}):")
            self.block(self.pick(1, 2, 3))
            self.kinds = known
        elif self.depth < 4:
            self.add(f"if {self.test()}:")
            self.block(self.pick(1, 2))
            if self.chance(0.4):
                self.add("else:")
                self.block(1)
        else:
            self.add("pass")

    def text(self) -> str:
        for i in range(self.pick(1, 2, 2, 3)):
            self.make_class(f"C{i}", self.pick(None, *self.classes) if i else None)
        self.kinds = {"n": "i", "h": "f"}
        self.add("def fuzzed(n, h):")
        self.depth = 1
        for c in self.classes:
            self.add(f"x{c.name} = [{c.name}(n, h)]")
            self.add(f"d{c.name} = {{0: {c.name}(1, h)}}")
            if "eq" in c.has:
                self.add(f"k{c.name} = {{{c.name}(0, h): 1}}")
            self.add(
                f"{self.named(c.name, 'o')} = {self.pick(f'x{c.name}[0]', f'{c.name}(2, 0.5)')}"
            )
        for _ in range(self.pick(4, 6, 9)):
            self.statement()
        out = ["n"]
        for c in self.classes:
            fields = [f for f, k in c.fields.items() if k in "ifs"]
            for f in fields[:3]:
                out += [f"[o.{f} for o in x{c.name}]", f"[o.{f} for o in d{c.name}.values()]"]
            out += [f"{v}.{f}" for v in self.those(c.name)[:3] for f in fields[:3]]
            for f in c.of("n"):
                out += [f"{v}.{f} is None" for v in self.those(c.name)[:2]]
            if "eq" in c.has:
                out.append(f"list(k{c.name}.values())")
        self.add(f"return {', '.join(out)}")
        body = "\n".join(self.lines)
        given = f"{self.pick(0, 1, 3, 6)}, {self.pick('0.5', '-2.25')}"
        return f"{HEADER}{body}\n\n\ndef inputs():\n    return {given}\n"


def text(seed: int) -> str:
    return Writer(seed).text()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    rules = Rules(text, joins=True)
    mode = mode or TURNS[seed % len(TURNS)]
    was, swathe.config.DISABLE_JIT = swathe.config.DISABLE_JIT, True
    try:
        plain = oracle(text, prange=range)
        want = judging.run(plain.fuzzed, plain.inputs())
    except Outside as e:
        return Verdict("outside", why=str(e))
    finally:
        swathe.config.DISABLE_JIT = was
    module = load(text)
    try:
        got, _ = judging.compiled_run(module, mode, module.inputs())
    finally:
        forget(module)
    if rules.refused(got.error):
        return Verdict("refused", why=judging.said(got.error))
    problem = rules.compare(want, got, mode)
    return Verdict("differs", Difference(mode, *problem)) if problem else Verdict("same")
