"""Dates and time spans in functions that move elements, or look at arrays as sets: bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

# d, e: dates of one unit; t, u: spans of one; with NaT in each.
EXPRESSIONS = """\
np.unique(d), np.unique(t), np.unique(d[:0]), np.unique(np.stack([d, d]), axis=0)
np.unique(d, return_counts=True, return_index=True, return_inverse=True)
np.isin(d, d), np.isin(d, e), np.isin(d, e, invert=True), np.isin(d[:0], d), np.isin(t, u)
np.intersect1d(d, e), np.intersect1d(d, d), np.intersect1d(t, u)
np.intersect1d(d, e, return_indices=True)
np.union1d(d, e), np.union1d(t, u), np.setdiff1d(d, e), np.setxor1d(d, e)
np.unique_counts(d), np.unique_inverse(t)
np.append(d, e), np.append(d, e[0]), np.append(np.stack([t, t]), np.stack([t, t]), axis=1)
np.insert(d, 1, e[0]), np.insert(d, [1, 2], e[:2]), np.insert(t, 0, u)
np.delete(d, [0, 1]), np.delete(d, d > d[0]), np.delete(t, slice(0, 2)), np.delete(d, 1)
np.vstack([d[:3], e]), np.hstack([d, e]), np.column_stack([t[:3], u]), np.dstack([d, d])
np.split(d, 2), np.array_split(t, 4), np.split(d, [2, 4]), np.hsplit(d, 2)
np.take(d, [0, 9], mode="wrap"), d.take([0]), np.take(np.stack([d, d]), [1], axis=1)
np.take_along_axis(d, np.argsort(d), 0), np.compress([True, False, True], d), d.compress([True])
np.extract(np.isnat(d), d), np.choose([0, 1, 0], [d[:3], e]), np.trim_zeros(t)
np.select([np.isnat(d), d > d[0]], [d, d[::-1]], e[0]), np.select([np.isnat(t)], [t], u[0])
np.repeat(d, [1, 0, 2, 0, 1, 1]), np.repeat(d[0], 3), d.repeat(2), np.tile(d, (2, 1)), np.tile(t, 3)
np.resize(d, 0), np.resize(d, (2, 7)), np.rollaxis(np.stack([d, d]), 1)
np.meshgrid(d, t), np.broadcast_arrays(d, e[:1]), np.triu(t[None]), np.tril(d[None])
np.pad(d, 1, mode="edge"), np.pad(d, 2, mode="wrap"), np.pad(t, 1), np.pad(d, 2, mode="reflect")
np.pad(d, 1, constant_values=d[0]), np.ediff1d(d), np.ediff1d(t, to_end=u, to_begin=u[:1])
np.lexsort((d, d)), np.lexsort((t, t)), np.maximum.reduce(d), np.minimum.reduce(d[2:4])
np.maximum.accumulate(d[2:]), np.minimum.accumulate(t)"""
STATEMENTS = """\
np.put(d, [0, 1], d[2:4])
np.put(d, [0, 5], e[:1])
np.place(d, np.isnat(d), e[:1])
np.putmask(t, np.isnat(t), t[0])
np.copyto(d, e[0]); np.copyto(t, t[::-1], where=np.isnat(t))
np.put_along_axis(d, np.array([1]), d[0], 0)
m = np.stack([d, d]); np.fill_diagonal(m, e[0]); d[:] = m[1]"""
# Errors of NumPy's class, or ours when the function is compiled.
ERRORS = [
    "np.take(d, 9)", "np.pad(t, 1, mode='mean')", "np.ediff1d(d, to_end=u)", "np.append(d, 5)",
    "np.unique(d) + np.unique(e)",
]  # fmt: skip


def arguments(unit: str):
    d = np.array(["2020-03-01", "NaT", "2020-01-31", "2020-01-31", "NaT", "2021-05-05"], "M8[D]")
    e = np.array(["2020-01-31", "NaT", "1960-02-01"], "M8[D]")
    t, u = d - d[0], np.array([e[1] - e[1], e[0] - d[0], e[0] - d[2]])
    return tuple(x.astype(f"{x.dtype.char}8[{unit}]") for x in (d, e, t, u))


@pytest.fixture
def define(tmp_path):
    def made(body: str):
        path = tmp_path / "program.py"
        path.write_text(f"def f(d, e, t, u):\n    {body}\n")
        space = {"np": np}
        exec(compile(path.read_text(), str(path), "exec"), space)
        return space["f"]

    return made


@pytest.mark.parametrize("text", EXPRESSIONS.splitlines())
def test_expressions(define, text):
    f = define(f"return {text}")
    g = swathe.njit(f)
    for unit in ("D", "ms") if "unique" in text else ("D",):
        assert repr(g(*arguments(unit))) == repr(f(*arguments(unit)))


@pytest.mark.parametrize("text", STATEMENTS.splitlines())
def test_statements(define, text):
    f = define(f"{text}; return d, t")
    assert repr(swathe.njit(f)(*arguments("D"))) == repr(f(*arguments("D")))


@pytest.mark.parametrize("text", ERRORS)
def test_errors(define, text):
    f = define(f"return {text}")
    with pytest.raises(Exception) as want:
        f(*arguments("D"))
    with pytest.raises((want.type, swathe.CompileError)):
        swathe.njit(f)(*arguments("D"))


@pytest.mark.parametrize("x, y", [("i4", "f8"), ("u1", "i8"), ("f4", "i8"), ("c16", "f4")])
def test_what_two_arrays_share_has_the_dtype_of_both(x, y):
    def f(a, b):
        return np.intersect1d(a, b, return_indices=True)

    a, b = np.array([3, 1, 2, 2]).astype(x), np.array([2, 2, 3, 9]).astype(y)
    for want, got in zip(f(a, b), swathe.njit(f)(a, b), strict=True):
        assert got.dtype == want.dtype and np.array_equal(got, want)
