"""What LLVM is given to do: its costly passes see the loops that run, and not what only sets up."""

from __future__ import annotations

import importlib.util
import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

import swathe
from swathe import prange


def defined(f, name: str) -> str:
    """Return the attributes of a function in the text of LLVM."""
    text = f.inspect_llvm()
    text = next(iter(text.values())) if isinstance(text, dict) else text
    heads = [line for line in text.splitlines() if line.startswith("define") and name in line]
    assert len(heads) == 1
    number = re.search(r"#(\d+)", heads[0])
    assert number
    return next(x for x in text.splitlines() if x.startswith(f"attributes #{number[1]} "))


def text_of(f) -> str:
    text = f.inspect_llvm()
    return next(iter(text.values())) if isinstance(text, dict) else text


def blur(a, b):
    b[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]


def test_what_only_starts_workers_is_compiled_quickly():
    f = swathe.njit(parallel=True)(blur)
    a, b = np.arange(42.0).reshape(6, 7), np.zeros((6, 7))
    f(a, b)
    want = np.zeros((6, 7))
    blur(a, want)
    assert np.array_equal(b, want)
    assert "optnone" in defined(f, "@swathe_entry")
    assert "optnone" not in defined(f, ".par.0")


def test_what_runs_a_loop_itself_is_not():
    def g(a, b):
        s = 0.0
        for i in range(len(a)):
            s += a[i] * s
        for i in prange(len(a)):
            b[i] = a[i] + s
        return s

    f = swathe.njit(parallel=True)(g)
    f(np.ones(5), np.ones(5))
    assert "optnone" not in defined(f, "@swathe_entry")
    f = swathe.njit(blur)
    f(np.ones((4, 4)), np.ones((4, 4)))
    assert "optnone" not in defined(f, "@swathe_entry")


def column(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i, 1]
    return s


def row(a):
    s = 0.0
    for i in range(a.shape[1]):
        s += a[1, i]
    return s


def test_strength_reduction_is_for_steps_across_rows():
    a = np.arange(12.0).reshape(3, 4)
    for f, layout, strided in (
        (column, "C", True),
        (row, "C", False),
        (column, "F", False),
        (row, "F", True),
    ):
        g = swathe.njit(f)
        assert g(np.array(a, order=layout)) == f(a)
        assert ("swathe.strided" in text_of(g)) == strided, (f, layout)


def test_tests_for_overlap_of_slices_share_their_descriptors():
    g = swathe.njit(blur)
    g(np.ones((4, 4)), np.ones((4, 4)))
    assert text_of(g).count("call i32 @sw_overlap") == 4
    assert len(re.findall(r"%desc\w* = alloca", text_of(g))) == 2


LINES = 1500
PROGRAMS = {
    "integers": (
        ["t0 = n * 3", "t1 = n + 5"]
        + [f"t{k} = (t{k - 1} ^ n) + t{k // 2} // {k}" for k in range(2, LINES)]
        + [f"return t{LINES - 1}"]
    ),
    "formulas": (
        [f"s{k} = math.sqrt(a[0] + {k}.5) / (a[1] + {k}.0) - math.sin(a[2])" for k in range(LINES)]
        + ["return " + " + ".join(f"s{k}" for k in range(LINES))]
    ),
    "sums": ["s = 0.0", *[f"s += a[{k}] * a[{k + 1}]" for k in range(LINES)], "return s"],
    "copies": [*[f"a[{k}] = a[{k + 2}] * a[{2 * k}]" for k in range(LINES)], "return a[7]"],
}


def large(name: str, folder: Path, lines: list[str] | None = None):
    """Return the function of that many lines."""
    path = folder / f"{name}.py"
    path.write_text(
        "\n    ".join(["import math\n\ndef f(a, n):", *(lines or PROGRAMS[name])]) + "\n"
    )
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_functions_reach_code_generation_in_small_pieces(name, tmp_path):
    f = large(name, tmp_path)
    g = swathe.njit(f)
    a, b = np.linspace(1.0, 2.0, 2 * LINES), np.linspace(1.0, 2.0, 2 * LINES)
    assert math.isclose(g(a, 12345), f(b, 12345), rel_tol=1e-12)
    assert np.array_equal(a, b)
    text = text_of(g)
    blocks = re.split(r"\n(?=[\w.]+:)", text)
    assert max(block.count("\n  ") for block in blocks) < 2 * LINES
    assert max((line.count("[") for line in text.splitlines() if " phi " in line), default=0) <= 64


def test_a_large_function_fails_where_python_does(tmp_path):
    for name in ("sums", "copies"):
        f = large(name, tmp_path)
        a, b = np.linspace(1.0, 2.0, LINES), np.linspace(1.0, 2.0, LINES)
        for h, x in ((f, a), (swathe.njit(f), b)):
            with pytest.raises(IndexError):
                h(x, 3)
        assert np.array_equal(a, b)


def test_places_on_the_stack_are_no_variables(tmp_path):
    lines = ["s = ''", *[f"s += f'{{n + {k}:>5}}a'" for k in range(60)], "return s"]
    f = large("texts", tmp_path, lines)
    g = swathe.njit(f)
    assert g(np.zeros(1), 7) == f(np.zeros(1), 7)
    places = set(re.findall(r"(%\d+) = getelementptr inbounds i8, ptr %owners", text_of(g)))
    assert len(places) > 100
    kept = re.findall(r"store ptr (%\d+), ptr %\.reg2mem", text_of(g))
    assert not places & set(kept)


def test_registers_are_given_out_in_linear_time(tmp_path):
    """A constant for each of hundreds of branches in a loop: each would lie in a register."""

    def seconds(n: int) -> float:
        lines = ["s = 0.0", "for i in range(n):", "    if a[i] < 0: s += 1"]
        lines += [f"    elif a[i] < {k}: s += {k}" for k in range(n)]
        f = swathe.njit(cache=False)(large(f"chain{n}", tmp_path, [*lines, "return s"]))
        began = time.process_time()
        assert f(np.arange(n + 0.0), n) == sum(k + 1 for k in range(n - 1))
        return time.process_time() - began

    seconds(3)
    assert min(seconds(300), seconds(301)) < 12 * seconds(100)  # thirty times, with no limit
