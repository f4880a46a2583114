# SPDX-License-Identifier: BSD-3-Clause
"""Effects in the middle of expressions: the random functions and those over lists and dicts, with
`:=` where a name is read, helpers that change what they return, arguments by name out of order, and
values by a way round.

Each change is made to the tree of a program of another kind; CPython says what the result means.
"""

from __future__ import annotations

import ast
import random
import warnings
from typing import Any

import numpy as np

from . import containers, functions
from .judge import Rules, Verdict, judge
from .mutants import expression, unparsed
from .program import HEADER

HELPERS = """def negated(x):
    x[...] = x == 0
    return x


def shorter(x):
    if len(x) > 1:
        x.pop()
    return x


def emptied(x):
    if len(x) > 1:
        x.clear()
    return x


def longer(x):
    if 0 < len(x) < 30:
        x.append(x[0])
    return x


"""
# by the kind of a name's value; those of a name that is not known keep what it is
CHANGES = {
    "int": ("({0} := {0} + 1)", "({0} := {0} * 2)", "({0} := -{0})", "({0} := 3)"),
    "number": ("({0} := {0} + {0})", "({0} := -{0})", "({0} := {0} * {0})"),
    "array": ("negated({0})", "negated({0})", "({0} := {0} + {0})", "({0} := {0}.copy())",
              "({0} := negated({0}.copy()))"),
    "axes": ("({0} := {0}[::-1])", "({0} := {0}.T)", "negated({0}[1:])", "negated({0}[::-1])",
             "({0} := {0}[1:])"),
    "list": ("longer({0})", "shorter({0})", "({0} := {0} + {0}[:1])", "({0} := {0}[1:])", "{0}[:]",
             "({0} := {0} or longer({0}))"),
    "dict": ("({0} := {0}.copy())", "({0} := {{k: {0}[k] for k in {0}}})", "emptied({0})"),
    "": ("({0} := {0})",),
}  # fmt: skip
# of any expression the same value
WAYS = (
    "(lambda: {0})()", "(lambda z: z)({0})", "(lambda z, *y: z)({0}, 1)", "({0}, 1)[0]",
    "[z for z in ({0},)][0]", "[(lambda: {0})() for z in range(2)][1]", "{{0: {0}}}[0]",
    "next(iter(({0},)))", "next(z for z in ({0},))", "({0} if 1 in (1, 2) else {0})",
    "[(lambda: z)() for z in ({0},)][0]", "(lambda z={0}: z)()", "[{0}].pop()",
    "max([({0}, 0)], key=lambda z: z[1])[0]", "[z for y in [[{0}]] for z in y][-1]",
)  # fmt: skip
SPANS = (ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Lambda)


def base_of(seed: int) -> Any:
    return containers if seed % 5 > 2 else functions


def kind_of(v: Any) -> str:
    """Of a value, or of what the lists' programs call one."""
    if isinstance(v, str):
        return {"i": "int", "f": "number", "a": "axes", "L": "list", "D": "dict"}.get(v[0], "")
    if isinstance(v, np.ndarray):
        return "axes" if v.ndim else "array"
    if isinstance(v, tuple) or v is None:
        return ""
    return "int" if type(v) is int else "number"


class Changer:
    """Changes a program's text in some places."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        writer = base_of(seed).Writer(seed)
        self.text = writer.text().removeprefix(HEADER)
        known = writer.kinds if base_of(seed) is containers else writer.env
        self.kinds = {name: kind_of(v) for name, v in known.items()}
        self.made: list[str] = []  # names that := bound

    def functions(self, tree: ast.Module) -> list[ast.FunctionDef]:
        every = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name != "inputs"]
        return [f for f in every if f.name == "fuzzed"] * 2 + every

    def read(self, f: ast.FunctionDef) -> ast.expr | None:
        """A place where a value is read."""
        local = {a.arg for a in f.args.args}
        local |= {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and is_stored(n)}
        inner = {id(x) for n in ast.walk(f) if isinstance(n, SPANS) for x in ast.walk(n)}
        names: list[ast.expr] = [n for n in ast.walk(f) if isinstance(n, ast.Name)
                                 and not is_stored(n) and n.id in local]  # fmt: skip
        if self.r.random() < 0.2:
            names = [n for n in ast.walk(f) if isinstance(n, (ast.BinOp, ast.Constant, ast.Call))]
        if self.r.random() < 0.9:
            names = [n for n in names if id(n) not in inner]
        return self.r.choice(names) if names else None

    def instead(self, e: ast.expr) -> str:
        """What is written for it."""
        if self.r.random() < 0.3:
            return self.r.choice(WAYS).format(ast.unparse(e))
        if not isinstance(e, ast.Name) or self.r.random() < 0.2:
            self.made.append(f"q{len(self.made) + 1}")
            return f"({self.made[-1]} := {ast.unparse(e)})"
        if self.made and self.r.random() < 0.25:
            return self.r.choice(self.made)
        kind = "int" if e.id[0] == "i" else self.kinds.get(e.id, "")
        more = CHANGES["array"] if kind == "axes" else ()
        return self.r.choice(CHANGES[kind] + more).format(e.id)

    def named(self, tree: ast.Module) -> bool:
        """Arguments of one call by name."""
        made = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
        calls = [
            c for c in ast.walk(tree)
            if isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id in made
            and len(c.args) > 1 and not c.keywords
        ]  # fmt: skip
        if not calls:
            return False
        c = self.r.choice(calls)
        params = [a.arg for a in made[c.func.id].args.args]  # type: ignore[attr-defined]
        first = self.r.randrange(len(c.args))
        c.keywords = [
            ast.keyword(p, a) for p, a in zip(params[first:], c.args[first:], strict=False)
        ]
        self.r.shuffle(c.keywords)
        del c.args[first:]
        return True

    def change(self) -> bool:
        tree = ast.parse(self.text)
        if self.r.random() < 0.2 and self.named(tree):
            self.text = unparsed(tree)
            return True
        e = self.read(self.r.choice(self.functions(tree)))
        if e is None:
            return False
        made = len(self.made)
        other = expression(self.instead(e))
        Replacing(e, other).visit(tree)
        try:
            text = unparsed(tree)
            compile(text, "<changed>", "exec")
        except (SyntaxError, ValueError):  # in an f-string, or what a comprehension binds
            del self.made[made:]
            return False
        self.text = text
        return True

    def changed(self) -> str:
        left = self.r.choice([1, 2, 2, 3, 4, 6])
        for _ in range(20):
            left -= self.change()
            if not left:
                break
        return HEADER + HELPERS + self.text


class Replacing(ast.NodeTransformer):
    """One node by another."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def is_stored(n: ast.Name) -> bool:
    return not isinstance(n.ctx, ast.Load)


def text(seed: int) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return Changer(seed).changed()


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    if base_of(seed) is containers:
        return containers.verdict(text, seed, mode)
    modes = (mode,) if mode else functions.modes(seed)
    return judge(text, modes, Rules(text, joins=True))
