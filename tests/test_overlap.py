"""An assignment between overlapping views is as if the right side had been copied before.
NumPy itself does not always do so, which is why these are no differential cases."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import swathe
from swathe import gpu
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


POINT = np.dtype([("x", "f8"), ("y", "i8"), ("z", [("re", "f4"), ("im", "f4")])], align=True)
# one record; each upon the end of the one before; rows of them that share all but their ends
RECORDS = [((4,), (0,)), ((5,), (8,)), ((4,), (-16,)), ((3, 4), (24, 24)), ((2, 2), (0, 24))]
RECORDS += [((2, 4), (32, 8))]


def write_fields(p):
    for i in range(p.shape[0]):
        p["x"][i] = i
        p["y"][i] = i


def write_inner(p):
    p["z"]["re"][:] = 1


def read_fields(p):
    return p["x"].sum() + p["z"]["re"].sum()


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(("shape", "strides"), RECORDS)
def test_records_that_share_memory_are_read_only(shape, strides, parallel):
    p = as_strided(np.zeros(20, POINT)[8:], shape, strides)
    for write in (write_fields, write_inner):
        f = swathe.njit(write, cache=False, parallel=parallel)
        with pytest.raises(CompileValueError, match="share memory with each other"):
            f(p)
    assert swathe.njit(read_fields, cache=False)(p) == 0


def test_records_apart_are_written():
    for view in (lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(4, 3)[:, 1]):
        p, q = np.zeros(12, POINT), np.zeros(12, POINT)
        swathe.njit(write_fields, cache=False)(view(p))
        write_fields(view(q))
        assert np.array_equal(p, q)


@gpu.jit
def add_in_kernel(a):
    i = gpu.grid(1)
    if i < a.shape[0]:
        a[i] += 1.0


@gpu.jit
def add_to_field(a):
    i = gpu.grid(1)
    if i < a.shape[0]:
        a["x"][i] += 1.0


@pytest.mark.parametrize("stride", [0, 8, 16, -8])
def test_arrays_on_a_device(queue, stride):
    """As another library might hand them over: a view with strides of its own."""
    for dtype, kernel in (("f8", add_in_kernel), (POINT, add_to_field)):
        d = queue.to_device(np.zeros(16, dtype))
        proto = as_strided(d._proto, (4,), (stride,))
        a = type(d)(queue, proto, d._memory, d.itemsize * 8, "device")
        if abs(stride) >= d.itemsize:
            kernel[1, 8, queue](a)
            assert d.copy_to_host().sum() == 4
            continue
        with pytest.raises(CompileValueError, match="share memory with each other"):
            kernel[1, 8, queue](a)
