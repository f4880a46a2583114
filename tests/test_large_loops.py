"""Loops of hundreds of lines, which LLVM is given less to do on, yield what Python yields."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import swathe

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
compile_fns = importlib.import_module("compile_fns")

FAMILIES = {"loop_body": 600, "branches_in_loop": 500, "element_gathers": 200, "rates": 150}


def program(name, n, tmp_path):
    """Return a family's function of a size, and arguments."""
    family = compile_fns.FAMILIES[name]
    path = tmp_path / f"program{n}.py"
    path.write_text(family.source(n))
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, list(family.arguments())


def outcome(function, args):
    """Return the error's type, or None, and the arrays as they are left."""
    arrays = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        function(*arrays)
    except IndexError as e:
        return type(e), arrays
    return None, arrays


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("name", FAMILIES)
def test_yields_what_python_yields(name, short, tmp_path):
    function, args = program(name, FAMILIES[name], tmp_path)
    if short:  # an index is out of bounds half way, where one can be
        which = 2 if args[1] is None else 1
        args[which] = args[which][..., : args[which].shape[-1] // 3 + 7].copy()
    error, left = outcome(swathe.njit(function), args)
    expected, arrays = outcome(function, args)
    assert error is expected
    for a, b in zip(left, arrays, strict=True):
        assert a is b or np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize(("n", "versions"), [(30, True), (200, False)])
def test_looks_ahead_in_short_loops_only(n, versions, tmp_path):
    function, args = program("element_gathers", n, tmp_path)
    compiled = swathe.njit(function)
    compiled(*args)
    assert ("one test for each strip" in str(compiled.explain())) == versions
