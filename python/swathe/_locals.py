# SPDX-License-Identifier: BSD-3-Clause
"""Variables that keep the type which a decorator gives them: Numba's ``locals=``.

The compiler asks for the changed tree of a function that has ``_swathe_locals``: what such a
variable is assigned is converted, by way of int64 where integers are to wrap."""

from __future__ import annotations

import ast
import copy
from typing import Any


def rewrite(func: Any, node: ast.FunctionDef) -> ast.FunctionDef:
    """Return the function's tree with conversions of what its typed variables are assigned."""
    if not isinstance(node, ast.FunctionDef):
        return node
    work = _Typed(func._swathe_locals)
    made = copy.deepcopy(node)
    made.body = work.statements(made.body)
    return made


def _converted(value: ast.expr, dtype: str) -> ast.expr:
    import numpy as np

    cast = [np.dtype(dtype).type]
    if np.dtype(dtype).kind in "iu" and dtype != "int64":
        cast.insert(0, np.int64)
    for to in cast:
        call = ast.Call(ast.copy_location(ast.Constant(to), value), [value], [])
        value = ast.copy_location(call, value)
    return value


def _bound(target: ast.expr) -> list[str]:
    """Return the names that a target assigns."""
    stores = (n for n in ast.walk(target) if isinstance(n, ast.Name))
    return [n.id for n in stores if isinstance(n.ctx, ast.Store)]


class _Typed(ast.NodeTransformer):
    def __init__(self, dtypes: dict[str, str]) -> None:
        self.dtypes = dtypes

    def again(self, targets: list[ast.expr]) -> list[ast.stmt]:
        """Return assignments that convert what these targets have just been given."""
        made: list[ast.stmt] = []
        for target in targets:
            for name in _bound(target):
                if name in self.dtypes:
                    load, store = ast.Name(name, ast.Load()), ast.Name(name, ast.Store())
                    ast.copy_location(load, target)
                    ast.copy_location(store, target)
                    value = _converted(load, self.dtypes[name])
                    made.append(ast.copy_location(ast.Assign([store], value), target))
        return made

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for stmt in body:
            found = self.visit(stmt)
            out += found if isinstance(found, list) else [found]
        return out

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("body", "orelse", "finalbody"):
            part = getattr(node, field, None)
            if isinstance(part, list) and isinstance(node, (ast.stmt, ast.excepthandler)):
                setattr(node, field, self.statements(part))
        for handler in getattr(node, "handlers", ()):
            self.generic_visit(handler)
        for case in getattr(node, "cases", ()):
            case.body = self.statements(case.body)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:  # noqa: N802
        alone = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        if not alone:
            return [node, *self.again(node.targets)]
        dtype = self.dtypes.get(node.targets[0].id)  # type: ignore[attr-defined]
        if dtype is not None:
            node.value = _converted(node.value, dtype)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:  # noqa: N802
        return [node, *self.again([node.target])]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:  # noqa: N802
        return [node, *(self.again([node.target]) if node.value is not None else ())]

    def visit_For(self, node: ast.For) -> Any:  # noqa: N802
        self.generic_visit(node)
        node.body = [*self.again([node.target]), *node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:  # noqa: N802
        return node
