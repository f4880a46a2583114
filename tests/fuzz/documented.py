# SPDX-License-Identifier: BSD-3-Clause
"""Differences that docs/semantics.md speaks of, each by a rule as narrow as its words.

A rule sees the program and both outcomes. What it knows is neither the same nor a difference.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import copy_args, error_class

from .program import Outside, oracle

NUMBERS = (bool, int, float, complex)


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


class Sites(ast.NodeVisitor):
    """What each name of a function is assigned; None for what no expression shows."""

    def __init__(self) -> None:
        self.named: dict[str, list[ast.expr | None]] = {}
        self.joins: list[list[ast.expr | None]] = []

    def bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.named.setdefault(target.id, []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
            same = values is not None and len(values) == len(target.elts)
            for k, t in enumerate(target.elts):
                self.bind(t, values[k] if same and values else None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for a in node.args.args:
            self.bind(ast.Name(a.arg), None)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for t in node.targets:
            self.bind(t, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.bind(node.target, node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.bind(node.target, node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.bind(node.target, None)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.joins.append([node.body, node.orelse])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.joins.append(list(node.values))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            self.joins.append(list(node.args))
        self.generic_visit(node)


def sites(f: ast.AST) -> Sites:
    found = Sites()
    found.visit(f)
    return found


def functions(text: str) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name != "inputs":
            yield node


def mixed(values: list[ast.expr | None]) -> bool:
    """A written number on one path, and on another what may be NumPy's."""
    return any(literal(v) is not None for v in values) and any(literal(v) is None for v in values)


def joined(f: ast.AST) -> set[str]:
    return {name for name, values in sites(f).named.items() if mixed(values)}


# ---- the rules ---------------------------------------------------------------------------------

OUT_OF_BOUNDS = re.compile(r"Python integer (-?\d+) out of bounds for (u?int\d+)")
NO_ATTRIBUTE = re.compile(r"'(bool|int|float|complex)' object has no attribute '(\w+)'")


def axis_when_compiled(text: str, want: Any, got: Any) -> bool:
    """A constant axis that no array has is found first, whatever else the program raises."""
    axis = isinstance(got.error, np.exceptions.AxisError) and "\n  File " in str(got.error)
    return axis and want.error is not None


def joined_int(text: str, want: Any, got: Any) -> bool:
    """A Python int that joins a NumPy integer, and does not fit in its dtype."""
    found = OUT_OF_BOUNDS.match(str(got.error))
    if not found or error_class(got.error) is not OverflowError:
        return False
    n, info = int(found[1]), np.iinfo(found[2])
    all_sites = [sites(f) for f in functions(text)]
    joins = [v for s in all_sites for v in (*s.named.values(), *s.joins) if mixed(v)]
    written = any(literal(e) == n for v in joins for e in v)
    return written and not info.min <= n <= info.max


def joined_attribute(text: str, want: Any, got: Any) -> bool:
    """An attribute of NumPy's numbers, of a variable that is one on another path."""
    found = NO_ATTRIBUTE.match(str(want.error))
    if not found or error_class(want.error) is not AttributeError:
        return False
    if not hasattr(np.float64, found[2]):
        return False
    for f in functions(text):
        names = joined(f)
        for node in ast.walk(f):
            if isinstance(node, ast.Attribute) and node.attr == found[2]:
                value = node.value
                if isinstance(value, ast.Name) and value.id in names:
                    return True
                if isinstance(value, ast.IfExp) and mixed([value.body, value.orelse]):
                    return True
                if isinstance(value, ast.BoolOp):  # which operand it is, is seen when it runs
                    return True
    return False


DIVIDE = {
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
}


class Strong(ast.NodeTransformer):
    """Divides joined numbers as NumPy does."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        before, self.names = self.names, joined(node)
        self.generic_visit(node)
        self.names = before
        return node

    def divided(self, node: Any, left: ast.expr, op: ast.operator, right: ast.expr) -> Any:
        either = [e for e in (left, right) if isinstance(e, ast.Name) and e.id in self.names]
        if type(op) not in DIVIDE or not either:
            return None
        self.count += 1
        name = ast.Name(f"_strong_{type(op).__name__}", ast.Load())
        return ast.copy_location(ast.Call(name, [left, right], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self.divided(node, node.left, node.op, node.right) or node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        load = ast.Name(node.target.id, ast.Load())
        call = self.divided(node, load, node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], call), node) if call else node


def strong(op: type) -> Any:
    def divide(a: Any, b: Any) -> Any:
        if type(a) in (int, float) and type(b) in (int, float) and b == 0:
            kind = np.int64 if type(a) is type(b) is int else np.float64
            with np.errstate(all="ignore"):
                return DIVIDE[op](kind(a), kind(b))
        return {ast.Div: lambda: a / b, ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b}[op]()

    return divide


def joined_division(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """A Python number that joins a NumPy number divides as NumPy's; all else is as in CPython."""
    if error_class(want.error) is not ZeroDivisionError:
        return False
    change = Strong()
    tree = ast.fix_missing_locations(change.visit(ast.parse(text)))
    if not change.count:
        return False
    from .judge import run

    names = {f"_strong_{op.__name__}": strong(op) for op in DIVIDE}
    try:
        again = run(oracle(ast.unparse(tree), prange=range, **names).fuzzed, copy_args(given))
    except Outside:
        return False
    return rules.compare(again, got, mode) is None


def is_new(e: ast.expr) -> bool:
    """What a function or an operator makes."""
    return isinstance(e, (ast.Call, ast.BinOp, ast.UnaryOp))


def order_of_results(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """The strides of what is made of arrays in neither order are those of arrays in C order."""
    asked = [
        node.value
        for f in functions(text)
        for node in ast.walk(f)
        if isinstance(node, ast.Attribute) and node.attr == "strides"
    ]
    if not asked or not all(is_new(e) for e in asked) or want.error or got.error:
        return False
    neither = [  # or a view with a step of it may be
        isinstance(x, np.ndarray)
        and x.ndim > 1
        and not (x.flags.c_contiguous or (x.flags.f_contiguous and "::" not in text))
        for x in given
    ]
    if not any(neither):
        return False
    from .judge import run

    args = copy_args(given)
    args = tuple(np.array(x, order="C") if n else x for x, n in zip(args, neither, strict=True))
    try:
        again = run(oracle(text, prange=range).fuzzed, args)
    except Outside:
        return False
    return rules.compare(again, got, mode) is None


RULES = (axis_when_compiled, joined_int, joined_attribute)


def documented(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> str:
    """The rule that knows how the outcomes differ, or nothing."""
    for rule in RULES:
        if rule(text, want, got):
            return rule.__name__
    if order_of_results(text, want, got, given, rules, mode):
        return order_of_results.__name__
    division = want.error is not None and joined_division(text, want, got, given, rules, mode)
    return joined_division.__name__ if division else ""
