# SPDX-License-Identifier: BSD-3-Clause
"""`stencil`: a function of the elements around one, for each element of an array. Its text, with
indices counted from an element, becomes that of a loop nest, which is compiled as others are."""

from __future__ import annotations

import ast
import inspect
import linecache
import operator
import textwrap
from typing import Any

import numpy as np

from . import _ufunc_text, njit, prange


def stencil(func_or_mode: Any = "constant", **options: Any) -> Any:
    """Make a function of arrays from one of the elements around each.

    Parameters
    ----------
    func_or_mode : function or "constant"
        In it ``a[0, -1]`` of the first argument, and of any other array that is indexed, is the
        element to the left, and ``a[-1:2]`` are three elements. It returns what the result has
        there.
    cval : number, default 0
        What the result has at the edges, where the elements around are not all there.
    neighborhood : tuple of pairs of int, optional
        The least and the greatest index of each axis; without it indices are constants, or made
        of names with one value.
    standard_indexing : tuple of str, optional
        Arrays that are indexed as usual.

    Returns
    -------
    Dispatcher
        Called with the arguments and perhaps ``out=``, from Python and from compiled code.

    Raises
    ------
    TypeError, ValueError
        For an option that does not exist, and a function that is no stencil.

    Examples
    --------
    >>> import numpy as np
    >>> @stencil
    ... def smooth(a):
    ...     return (a[-1] + a[0] + a[1]) / 3
    >>> smooth(np.array([1, 2, 6, 1]))
    array([0., 3., 3., 0.])
    """
    for name in options:
        if name not in ("cval", "neighborhood", "standard_indexing"):
            raise TypeError(f"stencil() got an unexpected option '{name}'")
    if callable(func_or_mode):
        return _made(func_or_mode, **options)
    if func_or_mode != "constant":
        raise ValueError(f"stencil(): the mode is 'constant', not {func_or_mode!r}")
    return lambda func: _made(func, **options)


_FOLDS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def _folded(e: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an integer expression of constants and known names. None: it isn't known."""
    if isinstance(e, ast.Constant):
        value = e.value
    elif isinstance(e, ast.Name):
        value = known.get(e.id)
    elif isinstance(e, (ast.BinOp, ast.UnaryOp)):
        parts = [e.left, e.right] if isinstance(e, ast.BinOp) else [e.operand]
        of = [_folded(p, known) for p in parts]
        if None in of or type(e.op) not in _FOLDS:
            return None
        try:
            value = _FOLDS[type(e.op)](*of)
        except ZeroDivisionError:
            return None
    else:
        return None
    return value if type(value) is int else None


def _constants(tree: ast.FunctionDef, space: dict[str, Any]) -> dict[str, Any]:
    """The names that have one value all through a function: integers from outside of it, and what
    it sets once, before all else that it does, to an expression of such."""
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    stored = [n.id for n in names if not isinstance(n.ctx, ast.Load)]
    own = {*stored, *(a.arg for a in ast.walk(tree) if isinstance(a, ast.arg))}
    known = {n: v for n, v in space.items() if type(v) is int and n not in own}
    for s in tree.body:
        if not isinstance(s, ast.Assign) or not all(isinstance(t, ast.Name) for t in s.targets):
            continue
        value = _folded(s.value, known)
        for t in s.targets:
            if value is not None and isinstance(t, ast.Name) and stored.count(t.id) == 1:
                known[t.id] = value
    return known


class _Shift(ast.NodeTransformer):
    """Counts indices from the element at hand, and notes how far they reach."""

    def __init__(
        self, name: str, arrays: set[str], known: dict[str, Any], neighborhood: Any
    ) -> None:
        self.name, self.arrays, self.known, self.fixed = name, arrays, known, neighborhood
        self.reach: list[tuple[int, int]] | None = neighborhood and [tuple(p) for p in neighborhood]

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # noqa: N802
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays:
            return node
        name = node.value.id
        if not isinstance(node.ctx, ast.Load):
            raise ValueError(f"stencil(): {self.name} stores to its argument '{name}'")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        reach = self.reach = self.reach or [(0, 0)] * len(parts)
        if len(parts) != len(reach):
            raise ValueError(
                f"stencil(): '{name}' has {len(parts)} indices in {self.name}, "
                f"not {len(reach)}: name it in standard_indexing, if it isn't indexed from there"
            )
        if self.fixed:
            self.check(parts, reach, name)
        else:
            steps = [self.steps(p, name) for p in parts]
            self.reach = [
                (min(lo, *s), max(hi, *s)) for (lo, hi), s in zip(reach, steps, strict=True)
            ]
        elts = [self.moved(k, p, name) for k, p in enumerate(parts)]
        node.slice = ast.Tuple(elts, ast.Load()) if len(elts) != 1 else elts[0]
        return node

    def check(self, parts: list[ast.expr], reach: list[tuple[int, int]], name: str) -> None:
        """Refuse indices that are known to lie outside of the neighborhood."""
        for p, (lo, hi) in zip(parts, reach, strict=True):
            try:
                first, last = self.steps(p, name)
            except ValueError:
                continue  # only the run tells
            if first < lo or last > hi:
                raise ValueError(
                    f"stencil(): the index {ast.unparse(p)} of '{name}' in {self.name} lies "
                    f"outside of its neighborhood, {lo} to {hi}"
                )

    def moved(self, k: int, part: ast.expr, name: str) -> ast.expr:
        """The index, or the slice, counted from the first element of an axis."""
        if not isinstance(part, ast.Slice):
            return ast.BinOp(ast.Name(f"_at{k}", ast.Load()), ast.Add(), part)
        if part.lower is None or part.upper is None:
            raise ValueError(
                f"stencil(): the slice {ast.unparse(part)} of '{name}' in {self.name} has no two "
                "ends: they are counted from the element, as in a[-1:2]"
            )
        ends = self.moved(k, part.lower, name), self.moved(k, part.upper, name)
        return ast.Slice(*ends, part.step)

    def steps(self, part: ast.expr, name: str) -> tuple[int, int]:
        """How far an index reaches, or the first and the last element of a slice."""
        slices = isinstance(part, ast.Slice) and part.step is None
        ends = [part.lower, part.upper] if isinstance(part, ast.Slice) and slices else [part]
        value = [_folded(e, self.known) if e is not None else None for e in ends]
        if None in value:
            raise ValueError(
                f"stencil(): an index of '{name}' in {self.name} is {ast.unparse(part)}, which is "
                "no constant: say by neighborhood=((-1, 1), ...) how far indices reach"
            )
        return value[0], value[-1] - slices


def _lambda(func: Any) -> ast.FunctionDef | None:
    """A lambda as a function with a name, found by the lines and columns of its code."""
    code = func.__code__
    text = "".join(linecache.getlines(code.co_filename, func.__globals__))
    spans = code.co_positions() if hasattr(code, "co_positions") else ()  # from Python 3.11 on
    places = [(p[0], p[2]) for p in spans if None not in p and p[2] != p[3]]
    params = list(code.co_varnames[: code.co_argcount])
    found = [
        n
        for n in ast.walk(ast.parse(text))
        if isinstance(n, ast.Lambda)
        and n.lineno == code.co_firstlineno
        and [a.arg for a in n.args.args] == params
        and all(_starts(n.body) <= p <= _ends(n.body) for p in places)
    ]
    if not found or len(found) > 1 and not places:
        return None
    innermost = max(found, key=lambda n: _starts(n.body))
    tree = ast.parse("def stencil_of(): pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.args, tree.body = innermost.args, [ast.Return(innermost.body)]
    return tree


def _starts(e: ast.expr) -> tuple[int, int]:
    return e.lineno, e.col_offset


def _ends(e: ast.expr) -> tuple[int, int]:
    return e.end_lineno or e.lineno, e.end_col_offset or e.col_offset


def _parsed(func: Any) -> ast.FunctionDef:
    func = getattr(func, "py_func", func)
    if not inspect.isfunction(func):
        raise TypeError(f"stencil() takes a function, not {func!r}")
    try:
        if func.__name__ == "<lambda>":
            tree: Any = _lambda(func)
        else:
            tree = ast.parse(textwrap.dedent(inspect.getsource(func))).body[0]
    except (OSError, SyntaxError):
        tree = None
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"stencil(): {func.__name__} is no function, or has no source")
    a = tree.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or a.defaults or not a.args:
        raise TypeError(f"stencil(): {func.__name__} takes arrays and numbers, by position")
    return tree


def _nest(shift: _Shift, call: str, first: str, loop: str, indent: str) -> str:
    """The loops over all elements that are no edge."""
    text = ""
    for k, (lo, hi) in enumerate(shift.reach or ()):
        bounds = f"{max(0, -lo)}, {first}.shape[{k}] - {max(0, hi)}"
        text += f"{indent}for _at{k} in {loop if k == 0 else 'range'}({bounds}):\n"
        indent += "    "
    at = ", ".join(f"_at{k}" for k in range(len(shift.reach or ())))
    return text + f"{indent}_out[{at}] = {call}\n"


def _edges(shift: _Shift, first: str) -> str:
    text = ""
    for k, (lo, hi) in enumerate(shift.reach or ()):
        axes = ":, " * k
        text += f"        _out[{axes}:{max(0, -lo)}] = _cval\n" * (lo < 0)
        text += f"        _out[{axes}max(0, {first}.shape[{k}] - {hi}):] = _cval\n" * (hi > 0)
    return text


def _made(
    func: Any, cval: Any = None, neighborhood: Any = None, standard_indexing: Any = ()
) -> Any:  # fmt: skip
    tree = _parsed(func)
    name = "stencil_of" if func.__name__ == "<lambda>" else func.__name__
    params = [a.arg for a in tree.args.args]
    if "out" in params:
        raise ValueError(f"stencil(): {name} has a parameter 'out', which is the result's name")
    usual = (standard_indexing,) if isinstance(standard_indexing, str) else standard_indexing
    for n in usual or ():
        if n not in params or n == params[0]:
            raise ValueError(f"stencil(): standard_indexing: {name} has no other array '{n}'")
    plain = getattr(func, "py_func", func)
    space = {**plain.__globals__, **inspect.getclosurevars(plain).nonlocals}
    known = _constants(tree, space)
    shift = _Shift(name, set(params) - set(usual or ()), known, neighborhood)
    body = [shift.visit(s) for s in tree.body]
    if shift.reach is None:
        raise ValueError(f"stencil(): {name} indexes no array: write {params[0]}[0]")
    tree.body, tree.decorator_list, tree.returns = body, [], None
    tree.name = "_point"
    at = [f"_at{k}" for k in range(len(shift.reach))]
    tree.args.args = [*(ast.arg(a) for a in at), *(ast.arg(p) for p in params)]
    call = f"_point({', '.join([*at, *params])})"
    none = f"_point({', '.join(['0'] * len(at) + params)})"
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n\n"
    text += f"def {name}({', '.join(params)}, out=None):\n    if out is None:\n"
    text += f"        _dtype = _np.array([{none} for _ in range(0)]).dtype\n"
    text += f"        _out = _np.full({params[0]}.shape, _cval, _dtype)\n"
    text += _nest(shift, call, params[0], "_prange", " " * 8) + "        return _out\n"
    text += "    else:\n        _out = out\n" + _edges(shift, params[0]) * (cval is not None)
    text += _nest(shift, call, params[0], "range", " " * 8) + "        return _out\n"
    space |= {"_np": np, "_prange": prange, "_cval": 0 if cval is None else cval}
    return njit(_ufunc_text.function(text, space, name, "stencil"))


stencil._swathe_is = None  # type: ignore[attr-defined]  # compiled code refuses it by its name
