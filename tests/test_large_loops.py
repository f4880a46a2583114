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

FAMILIES = {
    "loop_body": 600, "branches_in_loop": 500, "element_gathers": 200, "rates": 150,
    "remainders": 150,
}  # fmt: skip

# Steps of a loop, by number: ways out, loops of their own, values read hundreds of lines on.
STEPS = """
r{k} = a[q[i] + {k} % 7] * {k}.5
if x > 1e6 and i % 5 == 0: x -= b[(i * {k}) % 50]
else: x += r{far} * 0.01
n += q[(i + {k}) % 100] // 3
c[(n + {k}) % len(c)] += x - r{far}
for j in range(n % 4):
    x += a[j + {k} % 11] - r{far}
    if x > 1e12: break
if i == 60 and way == {k}: continue
if i == 60 and way == -{k}: break
if i == 60 and way == {k} + 10000: return x
if i == 60 and way == {k} + 20000: raise ValueError("at {k}")
"""


def load(source, tmp_path):
    """Return function f of a source."""
    path = tmp_path / "program.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def program(name, n, tmp_path):
    """Return a family's function of a size, and arguments."""
    family = compile_fns.FAMILIES[name]
    return load(family.source(n), tmp_path), list(family.arguments())


def steps(count):
    """Return the source of a loop of those steps, so many times; `way` says where it ends early."""
    lines = ["def f(a, b, c, q, way):", "    x = 0.0", "    n = 0", "    for i in range(100):"]
    for k in range(count):
        step = STEPS.strip().format(k=k, far=k // 2)
        lines += ["        " + line for line in step.splitlines()]
    return "\n".join([*lines, "    return x + n", ""])


def outcome(function, args):
    """Return what comes of a call, a value or an error, and the arrays as they are left."""
    arrays = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        value = function(*arrays)
    except IndexError:
        return IndexError, arrays
    except ValueError as e:
        return str(e).splitlines()[0], arrays
    return value, arrays


def check(compiled, function, args):
    """Hold a compiled function against Python."""
    value, left = outcome(compiled, args)
    expected, arrays = outcome(function, args)
    assert value == expected or np.isnan([value, expected]).all()
    for a, b in zip(left, arrays, strict=True):
        assert a is b or np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("name", FAMILIES)
def test_yields_what_python_yields(name, short, tmp_path):
    function, args = program(name, FAMILIES[name], tmp_path)
    if short:  # an index is out of bounds half way, where one can be
        which = 2 if args[1] is None else 1
        args[which] = args[which][..., : args[which].shape[-1] // 3 + 7].copy()
    check(swathe.njit(function), function, args)


@pytest.mark.parametrize("short", [False, True])
def test_the_largest_are_hurried(short, tmp_path):
    function, args = program("element_gathers", 1200, tmp_path)
    if short:
        args[1] = args[1][:50].copy()
        args[0] = args[0][:97].copy()
    compiled = swathe.njit(function)
    check(compiled, function, args)
    assert "optnone" in next(iter(compiled.inspect_llvm().values()))


@pytest.mark.parametrize(("n", "versions"), [(30, True), (200, False)])
def test_looks_ahead_in_short_loops_only(n, versions, tmp_path):
    function, args = program("element_gathers", n, tmp_path)
    compiled = swathe.njit(function)
    compiled(*args)
    assert ("one test for each strip" in str(compiled.explain())) == versions


COPIES = 80


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """Return a function that is compiled as several, and as Python has it."""
    function = load(steps(COPIES), tmp_path_factory.mktemp("cut"))
    return swathe.njit(function), function


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("base", [None, 0, 10000, 20000, -COPIES])
@pytest.mark.parametrize("k", [0, COPIES // 2, COPIES - 1])
def test_pieces_leave_as_the_loop_does(cut, k, base, short):
    if base is None and k:
        return
    rng = np.random.default_rng(1)
    a, b, c = rng.random(120), rng.random(50), rng.random(70)
    q = rng.integers(0, 100, 100)
    if short:
        a = a[:97]
    way = 99999 if base is None else base + k
    check(*cut, (a, b, c, q, way))


def test_are_cut(cut):
    compiled, _ = cut
    test_pieces_leave_as_the_loop_does(cut, 0, None, False)
    assert next(iter(compiled.inspect_llvm().values())).count("define internal") > 2


# Statements of a function, by number: fresh arrays, loops, ways out, a handler, an index to check.
PARTS = """
t{k} = a * {k}.5 + t{far}
for i in range(n, len(a)):
    c[i] += t{k}[i] * b[i - n]
    if c[i] > 1e9: break
s += t{k}.max() - b[{k}]
if way == {k}: return s
if way == {k} + 10000: raise ValueError("at {k}")
try:
    s += b[n + {k}]
except IndexError:
    s -= {k}.5
"""
SEQUENCE = 120


@pytest.fixture(scope="module")
def sequence(tmp_path_factory):
    """Return a function of many short loops, compiled and as Python has it."""
    lines = ["def f(a, b, c, n, way):", "    s = 0.0", "    t0 = a"]
    for k in range(1, SEQUENCE):
        part = PARTS.strip().format(k=k, far=k * 2 // 3)
        lines += ["    " + line for line in part.splitlines()]
    source = "\n".join([*lines, f"    return s + t{SEQUENCE - 1}[0]", ""])
    function = load(source, tmp_path_factory.mktemp("sequence"))
    return swathe.njit(function), function


@pytest.mark.parametrize("length", [0, 1, 2 * SEQUENCE + 7])
@pytest.mark.parametrize("way", [0, 1, SEQUENCE // 2, SEQUENCE - 1, 10001, 10000 + SEQUENCE // 2])
def test_sequences_of_loops_leave_as_they_do(sequence, way, length):
    rng = np.random.default_rng(2)
    a, b, c = rng.random(length), rng.random(max(length, 3)), np.zeros(length)
    compiled, function = sequence
    for n in (0, 1, min(length, SEQUENCE)):
        for y in (b, b[: len(b) - 2 * n // 3], b[::-1], a):
            check(compiled, function, (a, y, c, n, way))


def test_sequences_of_loops_are_cut(sequence):
    compiled, _ = sequence
    test_sequences_of_loops_leave_as_they_do(sequence, 0, 1)
    assert "piece" in next(iter(compiled.inspect_llvm().values()))
