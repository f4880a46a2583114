# SPDX-License-Identifier: BSD-3-Clause
"""Sizes and types with names, in annotations.

>>> import numpy as np
>>> import swathe
>>> from swathe.annotate import buffer, shape_var, type_var
>>> N, T = shape_var(), type_var()
>>> @swathe.njit
... def add(x: buffer(T, [N]), y: buffer(T, [N])):
...     for i in range(N):
...         x[i] += y[i]
>>> x = np.ones(3)
>>> add(x, x, opts=swathe.par({"N": swathe.threads(2)}))
>>> x
array([2., 2., 2.])

The annotations are checked when the function is called. In its body, a size's name is the number
and a type's name the dtype; and a loop over ``range(N)``, and a slice statement over ``[:N]``,
has the label ``'N'`` by itself.
"""

import ast
import copy
from collections.abc import Sequence
from typing import Any

from . import marks


class ShapeVar:
    """The size of an axis, by the name of the variable that holds this."""

    _swathe_annotation = False


class TypeVar:
    """The dtype of a parameter, by the name of the variable that holds this."""

    _swathe_annotation = True

    def __init__(self, kinds: Any = None) -> None:
        self.kinds = kinds


class Literal:
    """A size that is always the same."""

    def __init__(self, n: int) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise ValueError(f"literal() takes a size, not {n!r}")
        self.n = n


class Buffer:
    """An array with a dtype and sizes."""

    _swathe_annotation = True

    def __init__(self, dtype: Any, shape: Sequence[Any]) -> None:
        for n in shape:
            if not isinstance(n, (int, ShapeVar, Literal)):
                raise TypeError(f"buffer(): a size is shape_var(), literal(n) or an int, not {n!r}")
        self.dtype = dtype
        self.shape = tuple(shape)


def shape_var() -> Any:
    """Make a name for the size of an axis."""
    return ShapeVar()


def type_var(kinds: Any = None) -> Any:
    """Make a name for the dtype of a parameter."""
    return TypeVar(kinds)


def literal(n: int) -> Any:
    """Make a size that is always `n`."""
    return Literal(n)


def buffer(dtype: Any, shape: Sequence[Any]) -> Any:
    """Annotate an array: its dtype or `type_var`, and the size of each axis."""
    return Buffer(dtype, shape)


# ---- into statements ---------------------------------------------------------------------


def rewrite(func: Any, node: ast.FunctionDef) -> ast.FunctionDef:
    """Return the function's tree with its annotations as statements at the head of the body."""
    work = _Rewrite(func, copy.deepcopy(node))
    return work.run()


class _Rewrite:
    def __init__(self, func: Any, node: ast.FunctionDef) -> None:
        self.func = func
        self.node = node
        self.names = _names_of(func)
        self.head: list[ast.stmt] = []
        self.bound: dict[Any, ast.expr] = {}  # ShapeVar, TypeVar -> where its value comes from

    def run(self) -> ast.FunctionDef:
        for name, note in self.func.__annotations__.items():
            if name == "return":
                continue
            note = self.evaluated(note)
            if isinstance(note, Buffer):
                self.take_buffer(name, note)
            elif isinstance(note, TypeVar):
                self.take_type(name, note)
            elif hasattr(note, "_swathe_dtype"):
                self.take_scalar(name, note)
        sizes = {n for v in self.bound if isinstance(v, ShapeVar) for n in self.names.get(v, ())}
        body = _label_block(self.node.body, sizes)
        self.node.body = self.head + body
        return self.node

    def evaluated(self, note: Any) -> Any:
        """Return what an annotation kept as text stands for, or the text."""
        if not isinstance(note, str):
            return note
        cells = zip(self.func.__code__.co_freevars, self.func.__closure__ or (), strict=False)
        try:
            return eval(note, self.func.__globals__, {n: c.cell_contents for n, c in cells})
        except (NameError, ValueError, SyntaxError, AttributeError):
            return note

    def add(self, stmt: ast.stmt) -> None:
        for n in ast.walk(stmt):
            if isinstance(n, (ast.stmt, ast.expr)):
                n.lineno = n.end_lineno = self.node.lineno
                n.col_offset = self.node.col_offset
                n.end_col_offset = self.node.col_offset + len("def ")
        self.head.append(stmt)

    def refuse(self, test: ast.expr, message: str) -> None:
        """Raise TypeError in the function when `test` is true."""
        error = ast.Call(_const(TypeError), [_const(message)], [])
        self.add(ast.If(test, [ast.Raise(error, None)], []))

    def refuse_type(self, test: ast.expr, message: str) -> None:
        """Refuse to compile when `test`, which is known then, is true."""
        fail = ast.Expr(ast.Call(_const(marks.static_fail), [_const(message), _const(True)], []))
        error = ast.Call(_const(TypeError), [_const(message)], [])
        self.add(ast.If(test, [fail, ast.Raise(error, None)], []))

    def take_scalar(self, name: str, dtype: Any) -> None:
        """Take a number of the same kind, and convert it."""
        args = ([_name(name), _const(other)] for other in _of_kind(dtype._swathe_dtype))
        same = [ast.Call(_const(marks.static_types_eq), a, []) for a in args]
        text = f"parameter '{name}' was annotated with a type that its argument has not"
        test = ast.UnaryOp(ast.Not(), ast.BoolOp(ast.Or(), same) if len(same) > 1 else same[0])
        self.refuse_type(test, f"{text}: {_text(dtype)}")
        value = ast.Call(_const(marks.convert), [_name(name), _const(dtype)], [])
        self.add(ast.Assign([ast.Name(name, ast.Store())], value))

    def take_buffer(self, name: str, note: Buffer) -> None:
        wrong = f"parameter '{name}' was annotated as an array of {len(note.shape)} axes"
        ndim = ast.Call(_const(_ndim()), [_name(name)], [])
        self.refuse_type(_differ(ndim, _const(len(note.shape))), wrong)
        self.take_type(name, note.dtype)
        for axis, size in enumerate(note.shape):
            self.take_size(name, axis, size)

    def take_type(self, name: str, dtype: Any) -> None:
        text = f"parameter '{name}' was annotated with a type that its argument has not"
        if not isinstance(dtype, TypeVar):
            same = ast.Call(_const(marks.static_types_eq), [_name(name), _const(dtype)], [])
            self.refuse_type(ast.UnaryOp(ast.Not(), same), f"{text}: {_text(dtype)}")
        elif dtype in self.bound:
            other = self.bound[dtype]
            args = [_name(name), copy.deepcopy(other)]
            same = ast.Call(_const(marks.static_types_eq), args, [])
            self.refuse_type(ast.UnaryOp(ast.Not(), same), f"{text}: that of '{other.id}'")  # type: ignore[attr-defined]
        else:
            self.bound[dtype] = _name(name)
            for own in self.names.get(dtype, ()):
                value = ast.Attribute(_name(name), "dtype", ast.Load())
                self.add(ast.Assign([ast.Name(own, ast.Store())], value))

    def take_size(self, name: str, axis: int, size: Any) -> None:
        shape = ast.Attribute(_name(name), "shape", ast.Load())
        here = ast.Subscript(shape, _const(axis), ast.Load())
        text = f"parameter '{name}' was annotated with a size of axis {axis} that it has not"
        if isinstance(size, (int, Literal)):
            n = size if isinstance(size, int) else size.n
            self.refuse(_differ(here, _const(n)), f"{text}: {n}")
        elif size in self.bound:
            self.refuse(_differ(here, copy.deepcopy(self.bound[size])), text)
        else:
            self.bound[size] = copy.deepcopy(here)
            for own in self.names.get(size, ()):
                self.add(ast.Assign([ast.Name(own, ast.Store())], here))


def _names_of(func: Any) -> dict[Any, list[str]]:
    """Return what the function calls each ShapeVar and TypeVar that it mentions."""
    found: dict[Any, list[str]] = {}
    code = func.__code__
    cells = dict(zip(code.co_freevars, func.__closure__ or (), strict=False))
    for name in (*code.co_names, *code.co_freevars):
        try:
            value = cells[name].cell_contents if name in cells else func.__globals__.get(name)
        except ValueError:  # an empty cell
            continue
        if isinstance(value, (ShapeVar, TypeVar)):
            found.setdefault(value, []).append(name)
    return found


# ---- labels by themselves ----------------------------------------------------------------


def _label_block(body: list[ast.stmt], sizes: set[str]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    labelled = False
    for stmt in body:
        is_label = _is_label(stmt)
        if not labelled and not is_label:
            out += [_label(n, stmt) for n in _labels_for(stmt, sizes)]
        out.append(stmt)
        labelled = is_label
        for part in ("body", "orelse"):
            inner = getattr(stmt, part, None)
            if isinstance(inner, list) and inner and not isinstance(stmt, ast.FunctionDef):
                setattr(stmt, part, _label_block(inner, sizes))
    return out


def _is_label(stmt: ast.stmt) -> bool:
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    name = call.func if isinstance(call, ast.Call) else None
    return (isinstance(name, ast.Name) and name.id == "label") or (
        isinstance(name, ast.Attribute) and name.attr == "label"
    )


def _labels_for(stmt: ast.stmt, sizes: set[str]) -> list[str]:
    if isinstance(stmt, ast.For):
        call = stmt.iter
        one = isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
        name = call.args[0] if one else None  # type: ignore[attr-defined]
        known = isinstance(name, ast.Name) and name.id in sizes
        ranged = one and getattr(call.func, "id", "") in ("range", "prange")  # type: ignore[attr-defined]
        return [name.id] if known and ranged else []  # type: ignore[union-attr]
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    target = stmt.target if isinstance(stmt, ast.AugAssign) else target
    found = _slice_labels(target, sizes)
    value = getattr(stmt, "value", None)
    if not found and value is not None and isinstance(stmt, (ast.Assign, ast.AugAssign)):
        for sub in ast.walk(value):  # a reduction over [:N]
            found = found or _slice_labels(sub, sizes)
    return found


def _slice_labels(node: Any, sizes: set[str]) -> list[str]:
    """Return a label for each sliced axis of a[:N, :]: 'N', '_'; none when no size is named."""
    if not isinstance(node, ast.Subscript):
        return []
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    names = []
    for p in parts:
        if isinstance(p, ast.Slice):
            upper = p.upper
            known = isinstance(upper, ast.Name) and upper.id in sizes
            names.append(upper.id if known else "_")  # type: ignore[union-attr]
    return names if any(n != "_" for n in names) else []


def _label(name: str, at: ast.stmt) -> ast.stmt:
    stmt = ast.Expr(ast.Call(_const(marks.label), [_const(name)], []))
    for n in ast.walk(stmt):
        if isinstance(n, (ast.stmt, ast.expr)):
            ast.copy_location(n, at)
    return stmt


# ---- nodes -------------------------------------------------------------------------------


def _const(value: Any) -> ast.expr:
    return ast.Constant(value)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _differ(a: ast.expr, b: ast.expr) -> ast.expr:
    return ast.Compare(a, [ast.NotEq()], [b])


def _ndim() -> Any:
    import numpy

    return numpy.ndim


def _of_kind(dtype: str) -> list[Any]:
    import numpy

    kind = numpy.dtype(dtype).kind
    kinds = "iu" if kind in "iu" else kind
    return [numpy.dtype(c).type for c in "bhilqBHILQefdFD?" if numpy.dtype(c).kind in kinds]


def _text(dtype: Any) -> str:
    return getattr(dtype, "__name__", None) or repr(dtype)
