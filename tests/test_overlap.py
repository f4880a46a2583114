"""An assignment between overlapping views is as if the right side had been copied before.
NumPy itself does not always do so, which is why these are no differential cases."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

LINE = ["a[::2] = a[:4]", "a[:4] = a[::2]", "a[1:] = a[:-1]", "a[:-1] = a[1:]", "a[:] = a[::-1]"]
PLANE = ["a[:, 0] = a[1]", "a[0] = a[:, 1]", "a[:] = a.T", "a[1:, 1:] = a[:-1, :-1]"]


def compiled(statement: str, tmp_path):
    file = tmp_path / "overlap_case.py"
    file.write_text(f"def f(a):\n    {statement}\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return swathe.njit(cache=False)(names["f"])


def expected(statement: str, a: np.ndarray) -> np.ndarray:
    target, source = statement.split(" = ")
    a = a.copy()
    exec(f"{target} = ({source}).copy()", {"a": a})
    return a


@pytest.mark.parametrize("step", [1, -1, 2])
@pytest.mark.parametrize("statement", LINE)
def test_line(statement, step, tmp_path):
    a = np.arange(7.0 * abs(step))[::step]
    want = expected(statement, a)
    compiled(statement, tmp_path)(a)
    assert np.array_equal(a, want)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("statement", PLANE)
def test_plane(statement, order, turned, tmp_path):
    a = np.array(np.arange(16.0).reshape(4, 4), order=order)
    a = a[::-1, ::-1] if turned else a
    want = expected(statement, a)
    compiled(statement, tmp_path)(a)
    assert np.array_equal(a, want)
