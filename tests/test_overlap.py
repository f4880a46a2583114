"""An assignment between overlapping views is as if the right side had been copied before.
NumPy itself does not always do so, which is why these are no differential cases."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import swathe
from swathe.errors import CompileValueError

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


WITH_ITSELF = [((8,), (0,)), ((4, 3), (8, 8)), ((4, 3), (0, 8)), ((3, 4), (16, 8))]
WITH_ITSELF += [((2, 3, 2), (24, 8, 16)), ((4, 3), (-8, 8)), ((2, 2, 2, 2), (64, 32, 8, 0))]
NESTED = {
    "slice": lambda a: a[::2, 1:],
    "transposed": lambda a: a.transpose(2, 0, 1)[:, ::-1],
    "diagonal": lambda a: as_strided(a, (5, 4), (248, 8)),
    "one column": lambda a: a[:, :1, :1],
    "empty": lambda a: as_strided(a, (0, 4), (0, 0)),
    "of one": lambda a: as_strided(a, (1, 4), (0, 8)),
}


def add_one(a):
    a += 1.0


def read(a):
    return a.sum()


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(("shape", "strides"), WITH_ITSELF)
def test_what_meets_itself_is_read_only(shape, strides, parallel):
    a = as_strided(np.arange(60.0)[20:], shape, strides)
    f = swathe.njit(add_one, cache=False, parallel=parallel)
    for _ in range(2):
        with pytest.raises(CompileValueError, match="read-only"):
            f(a)
    f(np.ones(shape))
    with pytest.raises(CompileValueError, match="read-only"):
        f(a)
    assert swathe.njit(read, cache=False)(a) == a.sum()


@pytest.mark.parametrize("name", NESTED)
def test_other_views_are_not(name):
    a, b = np.arange(180.0).reshape(6, 5, 6), np.arange(180.0).reshape(6, 5, 6)
    add_one(NESTED[name](a))
    swathe.njit(add_one, cache=False)(NESTED[name](b))
    assert np.array_equal(a, b)
