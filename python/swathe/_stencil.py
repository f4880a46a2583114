# SPDX-License-Identifier: BSD-3-Clause
"""`stencil`: a function of the elements around one, for each element of an array. Its text, with
indices counted from an element, becomes that of a loop nest, which is compiled as others are."""

from __future__ import annotations

import ast
import inspect
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
        element to the left. It returns what the result has there.
    cval : number, default 0
        What the result has at the edges, where the elements around are not all there.
    neighborhood : tuple of pairs of int, optional
        The least and the greatest index of each axis; without it indices are constants.
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


class _Shift(ast.NodeTransformer):
    """Counts indices from the element at hand, and notes how far they reach."""

    def __init__(self, name: str, arrays: set[str], neighborhood: Any) -> None:
        self.name, self.arrays, self.fixed = name, arrays, neighborhood
        self.reach: list[tuple[int, int]] | None = neighborhood and [tuple(p) for p in neighborhood]

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # noqa: N802
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays:
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        reach = self.reach = self.reach or [(0, 0)] * len(parts)
        if len(parts) != len(reach):
            raise ValueError(
                f"stencil(): '{node.value.id}' has {len(parts)} indices in {self.name}, "
                f"not {len(reach)}: name it in standard_indexing, if it isn't indexed from there"
            )
        if not self.fixed:
            steps = [self.step(p, node.value.id) for p in parts]
            self.reach = [
                (min(lo, s), max(hi, s)) for (lo, hi), s in zip(reach, steps, strict=True)
            ]
        elts: list[ast.expr] = [
            ast.BinOp(ast.Name(f"_at{k}", ast.Load()), ast.Add(), p) for k, p in enumerate(parts)
        ]
        node.slice = ast.Tuple(elts, ast.Load())
        return node

    def step(self, part: ast.expr, name: str) -> int:
        try:
            value = ast.literal_eval(part)
        except ValueError:
            value = None
        if type(value) is not int:
            raise ValueError(
                f"stencil(): an index of '{name}' in {self.name} is {ast.unparse(part)}, which is "
                "no constant: say by neighborhood=((-1, 1), ...) how far indices reach"
            )
        return value


def _parsed(func: Any) -> ast.FunctionDef:
    func = getattr(func, "py_func", func)
    if not inspect.isfunction(func):
        raise TypeError(f"stencil() takes a function, not {func!r}")
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(func))).body[0]
    except (OSError, SyntaxError):
        tree = None
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"stencil(): {func.__name__} is no function with `def`, or has no source")
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
    tree, name = _parsed(func), func.__name__
    params = [a.arg for a in tree.args.args]
    usual = (standard_indexing,) if isinstance(standard_indexing, str) else standard_indexing
    for n in usual or ():
        if n not in params or n == params[0]:
            raise ValueError(f"stencil(): standard_indexing: {name} has no other array '{n}'")
    shift = _Shift(name, set(params) - set(usual or ()), neighborhood)
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
    plain = getattr(func, "py_func", func)
    space = {**plain.__globals__, **inspect.getclosurevars(plain).nonlocals}
    space |= {"_np": np, "_prange": prange, "_cval": 0 if cval is None else cval}
    return njit(_ufunc_text.function(text, space, name, "stencil"))


stencil._swathe_is = None  # type: ignore[attr-defined]  # compiled code refuses it by its name
