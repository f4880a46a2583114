# SPDX-License-Identifier: BSD-3-Clause
"""Which expressions of a program may be Python's numbers on one path and NumPy's on another.

Each expression has a set: numbers of Python that are written or given, `SOME` for a number of
Python that is computed, `OTHER` for what may be NumPy's. Names, parameters and returns of the
program's own functions join what they are given, to a fixed point.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

NUMBERS = (bool, int, float, complex)
SOME, OTHER = "some", "other"
Kinds = frozenset[Any]
NUMPY: Kinds = frozenset((OTHER,))
PYTHON: Kinds = frozenset((SOME,))
LEAST = ("min", "max")
MAKES = ("int", "float", "bool", "complex", "len")  # a number of Python, whatever it is made of


def literal(e: ast.expr | None) -> Any:
    """The number that is written there, or None; int(-1.0) writes one, too."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and len(e.args) == 1:
        of = {"int": int, "float": float}.get(e.func.id)
        v = literal(e.args[0])
        return of(v) if of and isinstance(v, (bool, int, float)) and abs(v) < 1e18 else None
    try:
        v = ast.literal_eval(e) if e else None
    except ValueError:
        return None
    return v if isinstance(v, NUMBERS) else None


def functions(text: str) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name != "inputs":
            yield node


def mixed(kinds: Kinds) -> bool:
    """A number of Python's on one path, and on another what may be NumPy's."""
    return OTHER in kinds and len(kinds) > 1


def combined(operands: list[Kinds]) -> Kinds:
    """What an operator makes."""
    some = PYTHON if all(k - NUMPY for k in operands) else frozenset()
    return some | (NUMPY if any(OTHER in k for k in operands) else frozenset())


class Joins:
    """The kinds of a program's expressions; a `scope` is a function that is no inner one."""

    def __init__(self, text: str, given: tuple) -> None:
        self.names: dict[tuple[str, str], Kinds] = {}
        self.made: dict[str, tuple[str, list[str]]] = {}  # function -> its scope, its parameters
        self.functions = list(functions(text))
        for f in self.functions:
            for node in ast.walk(f):
                if isinstance(node, ast.FunctionDef):
                    self.made[node.name] = f.name, [a.arg for a in node.args.args]
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    self.bind(f.name, node.id, frozenset())  # not known yet
            for scope, parameters in self.made.values():
                for name in parameters:
                    self.bind(scope, name, frozenset())
            if f.name == "fuzzed":
                for a, v in zip(f.args.args, given, strict=False):
                    self.bind(f.name, a.arg, frozenset((v,)) if type(v) in NUMBERS else NUMPY)
        before = None
        while before != self.names:
            before = dict(self.names)
            for f in self.functions:
                for node in ast.walk(f):
                    self.visit(f.name, node)

    def bind(self, scope: str, name: str, kinds: Kinds) -> None:
        self.names[scope, name] = self.names.get((scope, name), frozenset()) | kinds

    def assign(self, scope: str, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.bind(scope, target.id, self.kinds(scope, value) if value else NUMPY)
        elif isinstance(target, ast.Starred):
            self.assign(scope, target.value, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            same = len(values) == len(target.elts)
            for k, t in enumerate(target.elts):
                self.assign(scope, t, values[k] if same else None)

    def visit(self, scope: str, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for t in node.targets:
                self.assign(scope, t, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            use = ast.Name(node.target.id, ast.Load())
            self.assign(scope, node.target, ast.BinOp(use, node.op, node.value))
        elif isinstance(node, ast.NamedExpr):
            self.assign(scope, node.target, node.value)
        elif isinstance(node, ast.For):
            counts = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name)
            if counts and node.iter.func.id in ("range", "prange") and is_name(node.target):  # type: ignore[attr-defined]
                self.bind(scope, node.target.id, PYTHON)  # type: ignore[attr-defined]
            else:
                self.assign(scope, node.target, None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            of, parameters = self.made.get(node.func.id, ("", []))
            for name, e in zip(parameters, node.args, strict=False):
                self.bind(of, name, self.kinds(scope, e))
        elif isinstance(node, ast.FunctionDef):
            for e in ast.walk(node):
                if isinstance(e, ast.Return) and e.value:
                    self.bind(node.name, "return", self.kinds(scope, e.value))

    def kinds(self, scope: str, e: ast.expr) -> Kinds:
        value = literal(e)
        if value is not None:
            return frozenset((value,))
        if isinstance(e, ast.Name):
            return self.names.get((scope, e.id), NUMPY)
        if isinstance(e, ast.NamedExpr):
            return self.kinds(scope, e.value)
        if isinstance(e, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            return combined([self.kinds(scope, x) for x in operands(e)])
        if isinstance(e, (ast.BoolOp, ast.IfExp)):
            return self.either(scope, e.values if isinstance(e, ast.BoolOp) else [e.body, e.orelse])
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.args:
            return self.called(scope, e.func.id, e.args)
        return NUMPY

    def either(self, scope: str, values: list[ast.expr]) -> Kinds:
        return frozenset().union(*(self.kinds(scope, v) for v in values))

    def called(self, scope: str, name: str, args: list[ast.expr]) -> Kinds:
        if name in self.made:
            return self.names.get((name, "return"), frozenset())
        if name in LEAST and len(args) > 1:
            return self.either(scope, args)
        if name == "abs":
            return combined([self.kinds(scope, args[0])])
        return PYTHON if name in MAKES else NUMPY

    def expressions(self) -> Iterator[tuple[str, ast.expr]]:
        for f in self.functions:
            for node in ast.walk(f):
                if isinstance(node, ast.expr):
                    yield f.name, node


def is_name(e: ast.expr) -> bool:
    return isinstance(e, ast.Name)


def operands(e: ast.BinOp | ast.Compare | ast.UnaryOp) -> list[ast.expr]:
    if isinstance(e, ast.BinOp):
        return [e.left, e.right]
    return [e.left, *e.comparators] if isinstance(e, ast.Compare) else [e.operand]
