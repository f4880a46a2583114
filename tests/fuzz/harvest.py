# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Programs that people wrote: the cases of tests/diff, the programs of its parallel tests and of
the benchmarks, each as one text with its arguments, to be mutated."""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import Corpus

from . import TESTS, values
from .program import HEADER

MODULES = (
    "test_algorithms", "test_programs", "test_control", "test_functions", "test_assign", "test_index",
    "test_fuse", "test_tile", "test_extreme", "test_reduce", "test_shape", "test_create",
    "test_expr", "test_errors", "test_ufunc",
)  # fmt: skip
RECORDED = ("test_parallel", "test_parallel_arrays", "test_parallel_kinds", "test_parallel_known",
            "test_parallel_same", "test_parallel_pick", "test_parallel_choices", "test_jam")  # fmt: skip
MOST = 60  # cases of one file with the same function's shape
KNOWN = {"np", "math", "cmath", "swathe", "prange", "gpu"}


def source_of(f: Callable, name: str = "") -> ast.FunctionDef:
    """The function's own tree, undecorated, under another name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(f))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise ValueError("no function")
    tree.decorator_list, tree.returns = [], None
    for a in (*tree.args.args, *tree.args.kwonlyargs):
        a.annotation = None
    old, tree.name = tree.name, name or tree.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = tree.name
    return tree


def needed(f: Callable, done: dict[str, str]) -> None:
    """What the function mentions, as source, in `done`."""
    if f.__closure__ or f.__kwdefaults__:
        raise ValueError("closure")
    for name in sorted(names_of(f.__code__)):
        if name in KNOWN or name in done or name not in f.__globals__:
            if name in f.__globals__ or name in done or hasattr(builtins, name):
                continue
            continue
        v = f.__globals__[name]
        v = getattr(v, "py_func", v)
        if isinstance(v, types.FunctionType):
            done[name] = ""
            needed(v, done)
            done[name] = ast.unparse(source_of(v, name))
            continue
        lines, texts = values.spelled((v,)) or ([], [])
        if not texts:
            raise ValueError(name)
        done[name] = "\n".join([*lines, f"{name} = {texts[0]}"])


def names_of(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            found |= names_of(c)
    return found


def program(f: Callable, args: tuple, ulp: float = 0, scale: float = 0) -> str | None:
    """One text of a function with its arguments, or None where it can't be taken apart."""
    f = getattr(f, "py_func", f)
    try:
        done: dict[str, str] = {}
        needed(f, done)
        body = ast.unparse(source_of(f, "fuzzed"))
    except (OSError, ValueError, SyntaxError, TypeError, IndentationError):
        return None
    made = values.spelled(args)
    if not made or "fuzzed" in done:
        return None
    lines, texts = made
    inputs = "def inputs():\n" + "".join(f"    {x}\n" for x in lines)
    inputs += f"    return ({', '.join(texts)}{',' if texts else ''})"
    rough = [f"ROUGH = {max(ulp, 1)}, {max(scale, 1.0)}"] if ulp else []
    text = "\n\n\n".join([*rough, *done.values(), body, inputs]) + "\n"
    return HEADER + text.replace("np.empty", "np.zeros")


def cases(name: str) -> Iterator[str | None]:
    module = importlib.import_module(name)
    for corpus in vars(module).values():
        if not isinstance(corpus, Corpus):
            continue
        stride = max(1, len(corpus.cases) // MOST)
        for _, make, args, o in corpus.cases[::stride]:
            if o.get("instead") or o.get("kw") or o.get("undefined") or small(args) is None:
                continue
            yield program(make(), args, o.get("ulp", 0), o.get("scale", 0))


def small(args: tuple) -> tuple | None:
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    return args if all(a.size <= 400 for a in arrays) else None


def recorded(name: str) -> Iterator[str | None]:
    """The functions that a file's tests hand to its `check`."""
    module = importlib.import_module(name)
    seen: set[Any] = set()
    found: list[tuple[Callable, tuple]] = []

    def check(f: Callable, *args: Any, **_: Any) -> None:
        if small(args) is not None and (f, str(args)[:80]) not in seen:
            seen.add((f, str(args)[:80]))
            found.append((f, args))

    if not hasattr(module, "check"):
        return
    real = module.check
    module.check = check  # type: ignore[attr-defined]
    try:
        for test_name, test in list(vars(module).items()):
            if not test_name.startswith("test_") or not isinstance(test, types.FunctionType):
                continue
            for kw in parameters(test):
                with contextlib.suppress(BaseException):
                    test(**kw)
    finally:
        module.check = real  # type: ignore[attr-defined]
    for f, args in found:
        yield program(f, args, 1e6, 1e3)


def parameters(test: Callable) -> list[dict[str, Any]]:
    """What pytest would call the test with: the first and the middle of each list."""
    found: list[dict[str, Any]] = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names, options = mark.args[:2]
        names = [x.strip() for x in names.split(",")] if isinstance(names, str) else list(names)
        options = [getattr(x, "values", (x,) if len(names) == 1 else x) for x in list(options)]
        options = options[:: max(1, len(options) // 4)]
        found = [{**d, **dict(zip(names, o, strict=False))} for d in found for o in options]
    return found


def benchmarks() -> Iterator[str | None]:
    sys.path.insert(0, str(TESTS.parent / "bench"))
    from kernels_py import KERNELS

    for kernel in KERNELS.values() if isinstance(KERNELS, dict) else KERNELS:
        for scale in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            with contextlib.suppress(Exception):
                args = kernel.make(np.random.default_rng(1), scale)
                if small(args):
                    yield program(kernel.function, args, 1e6, 1e3)
                    break


@functools.cache
def programs() -> list[str]:
    """All of them, once each."""
    found: dict[str, None] = {}
    makers = [(cases, x) for x in MODULES] + [(recorded, x) for x in RECORDED]
    for make, name in makers:
        for text in make(name):
            if text:
                found.setdefault(text)
    for text in benchmarks():
        if text:
            found.setdefault(text)
    return sorted(found)
