"""Values that are compiled in, and loops that are written out: what tells of them, and how many."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def test_what_is_compiled_in_is_told_and_bounded():
    @swathe.njit
    def total(x, axis):
        return np.sum(x, axis=axis)

    x = np.arange(12.0).reshape(3, 4)
    for axis in (0, 1, (0, 1)):
        assert np.array_equal(total(x, axis), np.sum(x, axis=axis))
    shown = {s.partition("(")[2] for s in total.signatures}
    assert shown == {f"float64[:,::1], {v})" for v in ("0", "1", "(0, 1)")}
    assert "compiled in: axis is 1 in this code" in str(total.explain())
    for axis in range(2, 127):
        with pytest.raises(ValueError):
            total(x, axis)
    for axis in (500, 501):
        with pytest.raises(ValueError, match=r"total\(\): argument 'axis' .* 128 others"):
            total(x, axis)
    assert np.array_equal(total(x, 1), np.sum(x, axis=1))


def test_texts_above_the_bound_are_strings_like_others():
    @swathe.njit
    def code(s):
        return 1 if s == "a" else 2 if s == "b" else 3

    for text in ["a", *(f"w{i}" for i in range(140)), "b", "a", ""]:
        assert code(text) == code.py_func(text)
    assert len(code.signatures) == 129


def test_loops_that_are_written_out_are_told():
    @swathe.njit
    def by_axis(x):
        for axis in range(x.ndim):
            x = np.sort(x, axis=axis)
        return x

    x = np.array([[3.0, 1.0], [2.0, 5.0]])
    assert np.array_equal(by_axis(x), by_axis.py_func(x))
    assert "written out ×2" in str(by_axis.explain())
