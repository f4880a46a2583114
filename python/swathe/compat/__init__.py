# SPDX-License-Identifier: BSD-3-Clause
"""Other compilers' names for what swathe does: change the import and nothing else.

`install` changes it for all that a process imports from then on."""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import itertools
import linecache
import os
import sys
from types import ModuleType
from typing import Any

PACKAGES = (
    "numba", "llvmlite", "numba_dpex", "dpctl", "parpy", "cudapy", "numbapro", "accelerate",
    "pyculib",
)  # fmt: skip


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `name` and what is in it in this package."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.own: dict[str, Any] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.name and not name.startswith(self.name + "."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        ours = f"{__name__}.{spec.name}"
        try:
            module = importlib.import_module(ours)
            self.own[module.__name__] = module.__spec__
            return module
        except ModuleNotFoundError as e:
            if e.name is None or not ours.startswith(e.name):
                raise
            text = f"No module named {spec.name!r} in swathe.compat: it is no part of what is there"
            raise ModuleNotFoundError(text, name=spec.name) from None

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own[module.__name__]  # which importlib has changed


class _OwnCuda:
    """Finds `swathe.compat.numba.cuda`, and what is in it, before all others do.

    numba-cuda has a finder that takes every name with ``numba.cuda`` in it for one of Numba's, and
    asks all finders, itself first, without end for one that isn't.
    """

    prefix = f"{__name__}.numba.cuda"

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        if name == cls.prefix or name.startswith(cls.prefix + "."):
            return importlib.machinery.PathFinder.find_spec(name, path, target)
        return None


sys.meta_path.insert(0, _OwnCuda)  # type: ignore[arg-type]

_count = itertools.count(1)
_compile = builtins.compile


def _named(text: str) -> str:
    """Return the name of a file that isn't there, of which the text is known."""
    name = f"<made {next(_count)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    return name


def _compile_kept(
    source: Any, filename: Any, mode: str, flags: int = 0, dont_inherit: bool = False,
    optimize: int = -1, **names: Any,
) -> Any:  # fmt: skip
    """Compile as Python does; a tree by way of its text, which a function made of it has then."""
    if isinstance(source, ast.Module) and mode == "exec" and not flags and "<" in str(filename):
        source = ast.unparse(source)
        filename = _named(source)
    elif isinstance(source, str) and mode != "eval" and _is_other_file(source, filename):
        filename = _named(source)
    if not dont_inherit:
        flags |= _future()
    return _compile(source, filename, mode, flags, True, optimize, **names)


def _is_other_file(source: str, name: Any) -> bool:
    """Whether a file of that name has another text, by which the functions would be read."""
    there = isinstance(name, str) and os.path.exists(name.replace("\0", ""))
    return there and linecache.getlines(name) != source.splitlines(keepends=True)


def _future() -> int:
    """What `from __future__` says where the function was called that asks."""
    return sys._getframe(2).f_code.co_flags & 0x1FF0000


def keep_sources() -> None:
    """Keep the text of what ``compile`` makes of trees, or under another file's name.

    Compilers that read bytecode need no source of a function; this one does. Packages that change
    their functions have it then.
    """
    builtins.compile = _compile_kept  # type: ignore[assignment]


def install(name: str) -> None:
    """Let ``import numba``, or another of `PACKAGES`, mean ``swathe.compat.numba`` in this process.

    Raises
    ------
    ValueError
        There is no such package here.
    RuntimeError
        The other package has been imported already.
    """
    if name not in PACKAGES:
        raise ValueError(f"{name!r} is none of {', '.join(PACKAGES)}")
    there = sys.modules.get(name)
    if there is not None and not there.__name__.startswith(__name__):
        raise RuntimeError(f"{name} has been imported already: install it before")
    if name == "numba":
        from swathe import _core

        keep_sources()
        _core.take_any_arrays(True)
        if "llvmlite" not in sys.modules:
            install("llvmlite")
    if not any(isinstance(f, _Finder) and f.name == name for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder(name))
