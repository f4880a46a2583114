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
    family = compile_fns.FAMILIES[name]
    path = tmp_path / "program.py"
    path.write_text(family.source(FAMILIES[name]))
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    args = list(family.arguments())
    if short:  # an index is out of bounds half way, where one can be
        which = 2 if args[1] is None else 1
        args[which] = args[which][..., : args[which].shape[-1] // 3 + 7].copy()
    error, left = outcome(swathe.njit(program.f), args)
    expected, arrays = outcome(program.f, args)
    assert error is expected
    for a, b in zip(left, arrays, strict=True):
        assert a is b or np.array_equal(a, b, equal_nan=True)
