# SPDX-License-Identifier: BSD-3-Clause
"""`functools.cached_property` of compiled and plain classes: a field of that name, which may not be
set, and a method that computes it then. Whoever asks for the field calls that (sema/object.c); in
Python the instance's own dict has the value, as CPython's has it."""

from __future__ import annotations

import ast
import functools
from typing import Any

from ._class_ways import function, tree_of


def write(cls: type, members: dict[str, Any]) -> None:
    """Replace the cached properties among the members of a class."""
    for name, v in list(members.items()):
        if type(v) is not functools.cached_property:
            continue
        del members[name]
        if not name.isidentifier():  # what a derived class has in its place
            continue
        tree = tree_of(v.func)
        said = f": {ast.unparse(tree.returns)}" if tree and tree.returns else ""
        computes = f"_swathe_compute_{name}"
        text = (
            f"def {name}(self):\n"
            f"    try:\n        return self.{name}\n"
            f"    except AttributeError:\n        pass\n"
            f"    value = self.{computes}()\n"
            f"    self.{name}{said} = value\n"
            f"    return value\n"
        )
        file = f"<swathe {cls.__module__}.{cls.__qualname__}.{name}>"
        get = function(name, text, {"__name__": __name__}, file)
        members[computes] = v.func
        members[f"cached {name}"] = property(get)


def own(o: Any, name: str) -> Any:
    """Return what an object has by that name, None where it has not; nothing is computed."""
    if isinstance(getattr(type(o), name, None), functools.cached_property):
        return vars(o).get(name)
    return getattr(o, name, None)
