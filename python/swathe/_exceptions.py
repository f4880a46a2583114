# SPDX-License-Identifier: BSD-3-Clause
"""What an exception class of the user's keeps of the arguments that it is made of."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType


def _init(cls: type) -> FunctionType | None:
    """Return the only `__init__` in Python of a class that makes its instances in no other way."""
    found = [
        vars(k)["__init__"]
        for k in cls.__mro__
        if isinstance(vars(k).get("__init__"), FunctionType)
    ]
    other = any(
        isinstance(vars(k).get(name), FunctionType)
        for k in cls.__mro__
        for name in ("__new__", "__setattr__", "__getattr__", "__getattribute__")
    )
    return found[0] if len(found) == 1 and not other else None


def _is_super(s: ast.stmt) -> bool:
    call = s.value if isinstance(s, ast.Expr) else None
    return isinstance(call, ast.Constant) or (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "__init__"
    )


def attributes(cls: type) -> str:
    """Return "name=k;..." of attributes that are argument k; "" where that can't be told."""
    init = _init(cls)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(init))) if init else None
    except (OSError, TypeError, SyntaxError):
        return ""
    f = tree.body[0] if tree and tree.body else None
    if not isinstance(f, ast.FunctionDef) or f.args.vararg or f.args.kwarg or f.args.kwonlyargs:
        return ""
    names = [a.arg for a in (*f.args.posonlyargs, *f.args.args)]
    kept: dict[str, str | None] = {}
    for s in f.body:
        if isinstance(s, ast.Pass) or _is_super(s):
            continue
        t = s.targets[0] if isinstance(s, ast.Assign) and len(s.targets) == 1 else None
        if not isinstance(t, ast.Attribute) or not isinstance(t.value, ast.Name):
            return ""
        if t.value.id != names[0]:
            return ""
        given = isinstance(s.value, ast.Name) and s.value.id in names[1:] and t.attr not in kept
        kept[t.attr] = s.value.id if given and not hasattr(cls, t.attr) else None
    return "".join(f"{k}={names.index(v) - 1};" for k, v in kept.items() if v)
