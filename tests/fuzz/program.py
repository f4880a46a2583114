# SPDX-License-Identifier: BSD-3-Clause
"""A program's text as a module, and what CPython makes of it.

CPython runs a changed text: an int that leaves int64, a number whose type hangs on values, and a
program that runs too long are `Outside`: compiled code need not agree there.
"""

from __future__ import annotations

import ast
import linecache
import math
import re
import sys
import types
import zlib
from typing import Any

import numpy as np

HEADER = """import cmath
import math

import numpy as np

import swathe
from swathe import gpu, prange


"""
STEPS = 60_000
LARGEST = 1 << 20  # bytes of an array in a loop
LIMIT = 2**63


class Outside(BaseException):
    """The program leaves what CPython and compiled code agree on."""


def load(text: str, tree: ast.Module | None = None) -> types.ModuleType:
    """Run the module's text (or what was made of it); tracebacks and compilers find the text."""
    number = zlib.crc32(text.encode())  # inputs are drawn by the IR's text, which tells the name
    name = f"<program {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = types.ModuleType(f"program_{number}")
    module.__file__ = name
    sys.modules[module.__name__] = module  # where decorators look for what a class names
    exec(compile(tree or text, name, "exec"), module.__dict__)
    return module


def forget(module: types.ModuleType) -> None:
    sys.modules.pop(module.__name__, None)
    linecache.cache.pop(module.__file__, None)


def checked(value: Any) -> Any:
    if type(value) is int and not -LIMIT <= value < LIMIT:
        raise Outside("int")
    return value


def power(a: Any, b: Any) -> Any:
    """a ** b, where its type does not hang on the values."""
    if type(b) is int and abs(b) > 1000:
        raise Outside("power")
    value = a**b
    if isinstance(value, complex) and not isinstance(a, complex) and not isinstance(b, complex):
        raise Outside("complex")
    if type(value) is float and type(a) is int and type(b) is int:
        raise Outside("power")
    return checked(value)


ULPS = 2  # the error of np.power in docs/functions.md


def written_power(a: Any, b: Any) -> Any:
    """a ** b, b a literal: compiled code makes products of an array's third and fourth power.

    Where these are as near to NumPy's power as documented, they are what is expected, to the bit.
    """
    value = power(a, b)
    if not isinstance(a, np.ndarray) or b not in (3, 4) or np.asarray(value).dtype.kind != "f":
        return value
    want = np.asarray(value)
    x = a.astype(want.dtype)
    with np.errstate(all="ignore"):
        square = x * x
        product = np.asarray(square * (x if b == 3 else square))
        near = np.abs(product - want) <= ULPS * np.spacing(np.abs(want))
    return np.where(near, product, want).astype(want.dtype)[()]


def quotient(a: Any, b: Any) -> Any:
    """a / b; of great ints, Python rounds the exact quotient."""
    if type(a) is int and type(b) is int and max(abs(a), abs(b)) > 2**53:
        raise Outside("quotient")
    return a / b


def strides(a: Any) -> Any:
    """a.strides, but for those by which no element is reached, which NumPy keeps as they came."""
    if isinstance(a, np.ndarray) and (not a.size or 1 in a.shape):
        raise Outside("strides")
    return a.strides


def arange(*args: Any, **kw: Any) -> Any:
    """np.arange, but for bounds whose difference NumPy computes in a dtype that has it not."""
    start, stop = args[:2] if len(args) > 1 else (0, args[0])
    if all(isinstance(x, (int, np.integer)) for x in (start, stop)):
        try:
            with np.errstate(all="ignore"):
                exact = stop - start == int(stop) - int(start)
        except OverflowError:
            exact = False
        if not exact:
            raise Outside("arange")
    return np.arange(*args, **kw)


class Watch:
    """What the changed text calls."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def tick(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Outside("long")


class SpaceWatch(Watch):
    """Looks at arrays, too: one may double in each iteration."""

    def tick(self) -> None:
        super().tick()
        space = sys._getframe(1).f_locals.values()
        if any(isinstance(v, np.ndarray) and v.nbytes > LARGEST for v in space):
            raise Outside("large")


class Ticking(ast.NodeTransformer):
    """Counts iterations and calls."""

    def ticking(self, node: Any) -> Any:
        self.generic_visit(node)
        tick = ast.parse("_tick()").body[0]
        ast.copy_location(tick, node)
        node.body.insert(0, tick)
        return node

    visit_For = visit_While = visit_FunctionDef = ticking


BLOCK = re.compile(r"^( *)(?:for|while|def) .*:$", re.M)


def short_power(a: Any, b: Any) -> Any:
    """a ** b, but of ints that grow from one iteration to the next: they would take forever."""
    if type(a) is int and type(b) is int and a.bit_length() * b > 10**5:
        raise Outside("long")
    return a**b


class ShortPowers(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        call = ast.Call(ast.Name("_short_power", ast.Load()), [node.left, node.right], [])
        return ast.copy_location(call, node)


def ticked(text: str) -> Any:
    """The code of a text, of one statement a line, whose loops and functions call `_tick`."""
    text = BLOCK.sub(r"\g<0>\n\1    _tick()", text)
    if "**" not in text:
        return compile(text, "<ticked>", "exec")
    return compile(
        ast.fix_missing_locations(ShortPowers().visit(ast.parse(text))), "<ticked>", "exec"
    )


class Watched(Ticking):
    """Checks ints after each operation, too."""

    def wrap(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        call = ast.Call(ast.Name("_checked", ast.Load()), [node], [])
        return ast.copy_location(call, node)

    visit_UnaryOp = wrap

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        done = [self.visit(x) for x in node.body]  # a pattern is no expression
        node.body = [x for d in done for x in (d if isinstance(d, list) else [d])]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if ast.unparse(node.func) == "np.arange" and node.args:
            node.func = ast.copy_location(ast.Name("_arange", ast.Load()), node.func)
        return self.wrap(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        name = {ast.Pow: "_power", ast.Div: "_quotient"}.get(type(node.op))
        if name == "_power" and isinstance(node.right, ast.Constant):
            name = "_written_power"
        if not name:
            return self.wrap(node)
        self.generic_visit(node)
        call = ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
        return ast.copy_location(call, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr != "strides":
            return node
        call = ast.Call(ast.Name("_strides", ast.Load()), [node.value], [])
        return ast.copy_location(call, node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        use = ast.Name(node.target.id, ast.Load())
        call = ast.Expr(ast.Call(ast.Name("_checked", ast.Load()), [use], []))
        return [node, ast.copy_location(call, node)]


def oracle(text: str, **names: Any) -> types.ModuleType:
    """The module whose functions CPython runs."""
    tree = Watched().visit(ast.parse(text))
    ast.fix_missing_locations(tree)
    module = types.ModuleType("oracle")
    watch = Watch()
    module.__dict__.update(_tick=watch.tick, _checked=checked)
    module.__dict__.update(_power=power, _written_power=written_power, _quotient=quotient)
    module.__dict__.update(_strides=strides, _arange=arange)
    name = "<oracle>"
    sys.modules[module.__name__] = module
    try:
        exec(compile(tree, name, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    module.__dict__.update(names)
    return module


__all__ = ["HEADER", "Outside", "forget", "load", "math", "np", "oracle"]
