# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Programs that people wrote: the cases of tests/diff, the programs of its parallel tests, of the
benchmarks and of the examples, each as one text with its arguments, to be mutated."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
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
    if f.__kwdefaults__:
        raise ValueError("keywords")
    closed = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    for name in sorted(names_of(f.__code__) | set(closed)):
        if name in done or (name not in closed and (name in KNOWN or name not in f.__globals__)):
            continue
        v = closed[name].cell_contents if name in closed else f.__globals__[name]
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


def imported(folder: Path, name: str) -> Any:
    """A module of a folder of scripts; its neighbours are no modules of ours afterwards."""
    sys.path.insert(0, str(folder))
    before = set(sys.modules)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for other in set(sys.modules) - before:
            if str(folder) in str(getattr(sys.modules[other], "__file__", None)):
                del sys.modules[other]


def examples() -> Iterator[tuple[Callable, tuple]]:
    """The functions of examples/ that run on the CPU, with arguments for some milliseconds."""
    folder, rng = TESTS.parent / "examples", np.random.default_rng(1)
    demo, image = imported(folder, "demo"), rng.random((7, 6))
    yield demo.bilateral, (image, 2, 1.5, 0.2)
    yield demo.unsharp, (image, 0.6)
    yield demo.equalise, (image, 16)
    yield demo.fractal, (image, 12, 0.7)
    heat = imported(folder, "heat")
    now, conductivity = heat.plate(9)
    yield heat.step, (now, now.copy(), conductivity, 0.2)
    monte_carlo = imported(folder, "monte_carlo")
    yield monte_carlo.asian_call, (6, 4, *monte_carlo.MARKET[1:])
    host = imported(folder / "tensor", "on_host")
    shape, strides = np.array([3, 4]), np.array([4, 1])
    yield host.row_place.py_func, (2, shape, strides)
    a, b, turned = rng.random(12), rng.random(12), np.array([1, 3])
    for fn in (host.functions.relu, host.functions.sigmoid):
        flat, strided = made_by(host.map_of(fn))
        yield flat, (np.zeros(12), a)
        yield strided, (np.zeros(12), a, shape, turned)
    flat, strided = made_by(host.zip_of(host.functions.larger))
    yield flat, (np.zeros(12), a, b)
    yield strided, (np.zeros(12), a, b, shape, strides, turned)
    _, reduce = made_by(host.reduce_of(host.functions.add, 0.0))
    yield reduce, (np.zeros(3), a, np.array([3, 1, 1]), np.array([4, 1, 0]), 4, 1)
    yield host._matmul.py_func, (np.zeros(8), rng.random(6), a, 2, 4, 3)


def made_by(run: Callable) -> tuple[Any, Any]:
    """The functions that the one around `run` has made."""
    cells = zip(run.__code__.co_freevars, run.__closure__ or (), strict=True)
    found = {name: c.cell_contents for name, c in cells}
    return (
        getattr(found.get("flat"), "py_func", None),
        getattr(found.get("strided"), "py_func", None),
    )


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
    for f, args in examples():
        if text := program(f, args, 1e6, 1e3):
            found.setdefault(text)
    return sorted(found)
