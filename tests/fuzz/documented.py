# SPDX-License-Identifier: BSD-3-Clause
"""Differences that docs/semantics.md speaks of, each by a rule as narrow as its words.

A rule sees the program and both outcomes. What it knows is neither the same nor a difference.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
from harness import copy_args, error_class

from .joins import SOME, Joins, functions, mixed
from .program import Outside, oracle

# ---- the rules ---------------------------------------------------------------------------------

OUT_OF_BOUNDS = re.compile(r"Python integer (-?\d+) out of bounds for (u?int\d+)")
NO_RESULT = re.compile(
    r"a histogram is of real numbers|sum\(\) of nothing is a number|(max|min)\(\*x\) of one element"
)
NO_PLACES = "Cannot cast array data to dtype('int64') according to the rule 'safe'"
RAGGED = "setting an array element with a sequence"
NO_ATTRIBUTE = re.compile(r"'(bool|int|float|complex)' object has no attribute '(\w+)'")


def axis_when_compiled(text: str, want: Any, got: Any, given: tuple) -> bool:
    """A constant axis that no array has is found first, whatever else the program raises."""
    axis = isinstance(got.error, np.exceptions.AxisError) and "\n  File " in str(got.error)
    return axis and want.error is not None


def no_result(text: str, want: Any, got: Any, given: tuple) -> bool:
    """What NumPy and Python have a result for, of another type or from a complex order."""
    return want.error is None and bool(NO_RESULT.match(str(got.error)))


def list_made_array(text: str, want: Any, got: Any, given: tuple) -> bool:
    """Floats of a list as places, and rows of unlike lengths: an array is made first."""
    if want.error is not None and error_class(want.error) not in (OverflowError, ValueError):
        return False
    places = "take(" in text or "bincount(" in text
    said = str(got.error)
    return (places and said.startswith(NO_PLACES)) or (
        "array_equal(" in text and said.startswith(RAGGED)
    )


def bools_counted(text: str, want: Any, got: Any, given: tuple) -> bool:
    """np.arange of NumPy's bools, which NumPy does not subtract."""
    return "arange(" in text and str(want.error).startswith("numpy boolean subtract")


def joined_int(text: str, want: Any, got: Any, given: tuple) -> bool:
    """A Python int that joins a NumPy integer, and does not fit in its dtype."""
    found = OUT_OF_BOUNDS.match(str(got.error))
    if not found or error_class(got.error) is not OverflowError:
        return False
    n, info = int(found[1]), np.iinfo(found[2])
    if info.min <= n <= info.max:
        return False
    joins = Joins(text, given)
    kinds = (joins.kinds(scope, e) for scope, e in joins.expressions())
    return any(mixed(k) and (n in k or SOME in k) for k in kinds)


def joined_attribute(text: str, want: Any, got: Any, given: tuple) -> bool:
    """An attribute of NumPy's numbers, of a variable that is one on another path."""
    found = NO_ATTRIBUTE.match(str(want.error))
    if not found or error_class(want.error) is not AttributeError:
        return False
    if not hasattr(np.float64, found[2]):
        return False
    joins = Joins(text, given)
    for scope, node in joins.expressions():
        if isinstance(node, ast.Attribute) and node.attr == found[2]:
            # which operand of `and` it is, is seen when it runs
            if isinstance(node.value, ast.BoolOp) or mixed(joins.kinds(scope, node.value)):
                return True
    return False


DIVIDE = {
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
}


class Strong(ast.NodeTransformer):
    """Divides joined numbers as NumPy does."""

    def __init__(self, joins: Joins) -> None:
        self.joins, self.scope = joins, ""
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outer = self.scope
        self.scope = outer or node.name
        self.generic_visit(node)
        self.scope = outer
        return node

    def divided(self, node: Any, left: ast.expr, op: ast.operator, right: ast.expr) -> Any:
        joined = any(mixed(self.joins.kinds(self.scope, e)) for e in (left, right))
        self.generic_visit(node)
        if type(op) not in DIVIDE or not joined:
            return None
        self.count += 1
        name = ast.Name(f"_strong_{type(op).__name__}", ast.Load())
        return lambda a, b: ast.copy_location(ast.Call(name, [a, b], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        call = self.divided(node, node.left, node.op, node.right)
        return call(node.left, node.right) if call else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if not isinstance(node.target, ast.Name):
            self.generic_visit(node)
            return node
        load = ast.Name(node.target.id, ast.Load())
        call = self.divided(node, load, node.op, node.value)
        if not call:
            return node
        return ast.copy_location(ast.Assign([node.target], call(load, node.value)), node)


def strong(op: type, ints: bool) -> Any:
    """`ints`: Python's ints have joined NumPy's ints, and no floats."""

    def divide(a: Any, b: Any) -> Any:
        if type(a) in (int, float) and type(b) in (int, float) and b == 0:
            kind = np.int64 if ints and type(a) is type(b) is int else np.float64
            with np.errstate(all="ignore"):
                return DIVIDE[op](kind(a), kind(b))
        return {ast.Div: lambda: a / b, ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b}[op]()

    return divide


def joined_division(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """A Python number that joins a NumPy number divides as NumPy's; all else is as in CPython."""
    if not want.error or error_class(want.error) is not ZeroDivisionError:
        return False
    by = Strong(Joins(text, given))
    for ints in (True, False):
        names = {f"_strong_{op.__name__}": strong(op, ints) for op in DIVIDE}
        if change(by, text, got, given, rules, mode, **names):
            return True
    return False


def agrees(text: str, got: Any, args: tuple, rules: Any, mode: str, **names: Any) -> bool:
    """Is what was got what CPython makes of a changed text, or of changed arguments?"""
    from .judge import run

    try:
        again = run(oracle(text, prange=range, **names).fuzzed, args)
    except Outside:
        return False
    return rules.compare(again, got, mode) is None


def is_new(e: ast.expr) -> bool:
    """What a function or an operator makes."""
    return isinstance(e, (ast.Call, ast.BinOp, ast.UnaryOp))


def in_order(strides: tuple[int, ...]) -> bool:
    """Whether they grow from axis to axis, or shrink."""
    sizes = [abs(n) for n in strides]
    return sizes in (sorted(sizes), sorted(sizes, reverse=True))


def order_of_results(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """The strides of what is made of arrays whose axes are in neither order are those of C."""
    asked = [
        node.value
        for f in functions(text)
        for node in ast.walk(f)
        if isinstance(node, ast.Attribute) and node.attr == "strides"
    ]
    if not asked or not all(is_new(e) for e in asked) or want.error or got.error:
        return False
    neither = [isinstance(x, np.ndarray) and not in_order(x.strides) for x in given]
    if not any(neither):
        return False
    args = copy_args(given)
    args = tuple(np.array(x, order="C") if n else x for x, n in zip(args, neither, strict=True))
    return agrees(text, got, args, rules, mode)


class Passing(ast.NodeTransformer):
    """In parallel loops, `s = min(x, s)` is `s = min(s, x)`, which passes over NaNs."""

    count = within = 0

    def visit_For(self, node: ast.For) -> Any:
        parallel = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "prange"
        self.within += parallel
        self.generic_visit(node)
        self.within -= parallel
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        call = node.value
        if self.within and isinstance(call, ast.Call) and len(call.args) == 2:
            last = ast.unparse(call.args[1]) == ast.unparse(node.targets[0])
            if last and ast.unparse(call.func) in ("min", "max"):
                call.args.reverse()
                self.count += 1
        return node


def nan_kept(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """`s = min(x, s)` forgets at a NaN what came before, in a parallel loop not all of it."""
    return "parallel" in mode and change(Passing(), text, got, given, rules, mode)


class Written(ast.NodeTransformer):
    """Writes the results of tests of floats to `out` one by one."""

    count = 0

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        out = [k.value for k in node.keywords if k.arg == "out"]
        if out and ast.unparse(node.func) in ("np.isnan", "np.isinf", "np.isfinite", "np.signbit"):
            node.keywords = [k for k in node.keywords if k.arg != "out"]
            self.count += 1
            return ast.Call(ast.Name("_written", ast.Load()), [node, *out], [])
        return node


def unwritten(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """np.isnan and its kin of NumPy 2.4 leave elements of an `out` with strides as they were."""

    def _written(v: Any, out: Any) -> Any:
        out[...] = v
        return out

    return change(Written(), text, got, given, rules, mode, _written=_written)


class Copied(ast.NodeTransformer):
    """Copies what a part of an array is assigned."""

    count = 0

    def one_by_one(self, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
        """`a, b = value`: each part is copied in its turn, behind the stores before it."""
        name = f"_parts{self.count}"
        done: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], value)]
        for k, t in enumerate(targets):
            part = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(k), ast.Load())
            done.append(ast.Assign([t], ast.Call(ast.Name("_copied", ast.Load()), [part], [])))
        return done

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        first = node.targets[0]
        if isinstance(first, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = len(node.targets) == 1 and len(first.elts) == len(node.value.elts)
            stars = any(isinstance(e, ast.Starred) for e in (*first.elts, *node.value.elts))
            if pairs and not stars and any(isinstance(t, ast.Subscript) for t in first.elts):
                self.count += 1
                made = self.one_by_one(first.elts, node.value)
                return [ast.copy_location(s, node) for s in made]
        if any(isinstance(t, ast.Subscript) for t in node.targets):
            self.count += 1
            node.value = ast.Call(ast.Name("_copied", ast.Load()), [node.value], [])
        return node


def overlapping(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """NumPy reads what it has just written, between 1-D parts of one array with unlike strides."""

    def _copied(v: Any) -> Any:
        return v.copy() if isinstance(v, np.ndarray) else v

    return change(Copied(), text, got, given, rules, mode, _copied=_copied)


class Squared(ast.NodeTransformer):
    """Makes powers calls."""

    count = 0

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        self.count += 1
        return ast.Call(ast.Name("_power", ast.Load()), [node.left, node.right], [])


def squared_bools(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """The square of an array of bools, whose exponent is known only when it runs, is of int64."""

    def _power(x: Any, n: Any) -> Any:
        bools = isinstance(x, np.ndarray) and x.dtype == bool and type(n) is int
        return (x.astype(np.int64) if bools else x) ** n

    return change(Squared(), text, got, given, rules, mode, _power=_power)


class EmptyRanges(ast.NodeTransformer):
    """Ranges without numbers become arrays without."""

    count = 0

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if ast.unparse(node) not in ("range(0)", "range(0, 0)"):
            return node
        self.count += 1
        return ast.parse("np.zeros(0, np.int64)", mode="eval").body


def empty_list(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """An empty list or range has elements all the same: of ints, where nothing tells more."""
    by = EmptyRanges()
    changed = by.visit(ast.parse(text))
    empty = [isinstance(v, (list, range)) and not v for v in given]
    if not any(empty) and not by.count:
        return False
    args = copy_args(given)
    args = tuple(np.zeros(0, np.int64) if e else v for e, v in zip(empty, args, strict=True))
    text = ast.unparse(ast.fix_missing_locations(changed)) if by.count else text
    if any(isinstance(v, range) for v in given):  # which is as it was
        got = type(got)(got.value, got.error, args)
    return agrees(text, got, args, rules, mode)


def change(by: Any, text: str, got: Any, given: tuple, rules: Any, mode: str, **names: Any) -> bool:
    """Is what was got what CPython makes of the text as it is changed?"""
    tree = ast.fix_missing_locations(by.visit(ast.parse(text)))
    if not by.count:
        return False
    return agrees(ast.unparse(tree), got, copy_args(given), rules, mode, **names)


NARROW = (np.float16, np.float32)
FACTOR, MOST = 2, 64  # times the error of NumPy's own; units in the last place that it may have


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [x for v in value for x in leaves(v)]
    return [value]


def rounding(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> bool:
    """Of arguments in single or half precision: as near to NumPy's result as that is to the result
    in double precision."""
    narrow = [getattr(x, "dtype", None) for x in given]
    narrow = [d for d in narrow if d in NARROW]
    if not narrow or want.error or got.error:
        return False
    from .judge import run

    wide = [
        x.astype(np.float64) if getattr(x, "dtype", None) in NARROW else x for x in copy_args(given)
    ]
    try:
        exact = run(oracle(text, prange=range).fuzzed, tuple(wide))
    except Outside:
        return False
    if exact.error:
        return False
    found = [leaves((x.value, x.args)) for x in (want, got, exact)]
    if len({len(x) for x in found}) > 1:
        return False
    unit = max(float(np.finfo(d).eps) for d in narrow)
    greatest = max((magnitude(x) for x in (*given, *found[0])), default=0.0)
    return all(near(w, g, x, MOST * unit * greatest) for w, g, x in zip(*found, strict=True))


def magnitude(x: Any) -> float:
    a = np.asarray(x)
    if a.dtype.kind != "f":
        return 0.0
    return float(np.max(np.abs(a[np.isfinite(a)].astype(np.float64)), initial=0.0))


def near(want: Any, got: Any, exact: Any, most: float) -> bool:
    w, g, x = (np.asarray(v) for v in (want, got, exact))
    if type(want) is not type(got) or w.dtype != g.dtype or not w.shape == g.shape == x.shape:
        return False
    if w.dtype.kind != "f":
        return bool(np.array_equal(w, g))
    w, g, x = (v.astype(np.float64) for v in (w, g, x))
    finite = np.isfinite(w)
    if not np.array_equal(w[~finite], g[~finite], equal_nan=True):
        return False
    error = np.max(np.abs(x - w)[finite], initial=0.0)
    return bool(error <= most and np.all(np.abs(g - w)[finite] <= FACTOR * error))


RULES = (
    axis_when_compiled,
    no_result,
    list_made_array,
    bools_counted,
    joined_int,
    joined_attribute,
)
RUNS = (
    order_of_results,
    nan_kept,
    unwritten,
    overlapping,
    squared_bools,
    rounding,
    joined_division,
    empty_list,
)


def documented(text: str, want: Any, got: Any, given: tuple, rules: Any, mode: str) -> str:
    """The rule that knows how the outcomes differ, or nothing."""
    found = (r.__name__ for r in RULES if r(text, want, got, given))
    ran = (r.__name__ for r in RUNS if r(text, want, got, given, rules, mode))
    return next(found, "") or next(ran, "")
