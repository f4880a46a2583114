"""What LLVM is given to do: its costly passes see the loops that run, and not what only sets up."""

from __future__ import annotations

import re

import numpy as np

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
