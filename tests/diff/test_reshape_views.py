# SPDX-License-Identifier: BSD-3-Clause
"""A reshape is a view where NumPy finds one, with its strides, and else a copy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from fuzz import program

import swathe


def made(text: str) -> Any:
    return swathe.njit(program.load(program.HEADER + f"def f(a, n, m, k):\n    return {text}\n").f)


FUNCTIONS = {
    (rank, order): made(text.format(order))
    for order in "CFA"
    for rank, text in (
        (1, "a.reshape(n, order='{}')"),
        (2, "a.reshape(n, m, order='{}')"),
        (3, "np.reshape(a, (n, m, k), order='{}')"),
    )
}


def strided(r: random.Random) -> np.ndarray:
    """Any strides: steps, backwards, transposed, rows that are one, nothing at all."""
    shape = [r.choice([1, 1, 2, 3, 4, 6, 6, 0]) for _ in range(r.randint(1, 4))]
    steps = [r.choice([1, 1, 1, 2, -1, -2]) for _ in shape]
    full = np.arange(int(np.prod([abs(s) * n for s, n in zip(steps, shape, strict=True)])))
    full = full.reshape([abs(s) * n for s, n in zip(steps, shape, strict=True)])
    a = full[tuple(slice(None, None, s) for s in steps)]
    if r.random() < 0.3:
        a = a.transpose(r.sample(range(a.ndim), a.ndim))
    if r.random() < 0.2:
        strides = [r.choice([s, s, 0]) for s in a.strides]
        a = np.lib.stride_tricks.as_strided(a, a.shape, strides, writeable=False)
    return a


def shape_for(r: random.Random, size: int) -> list[int]:
    ndim = r.randint(1, 3)
    if not size:
        return [0, *(r.choice([1, 2]) for _ in range(ndim - 1))]
    shape = []
    for _ in range(ndim - 1):
        shape.append(r.choice([d for d in range(1, size + 1) if size % d == 0]))
        size //= shape[-1]
    shape.append(size)
    r.shuffle(shape)
    return shape


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("seed", range(8))
def test_views(seed: int, order: str) -> None:
    r = random.Random(seed)
    views = 0
    for _ in range(400):
        a = strided(r)
        shape = shape_for(r, a.size)
        if r.random() < 0.2:
            a.flags.writeable = False
        want = a.reshape(shape, order=order)
        got = FUNCTIONS[len(shape), order](a, *shape, *[0] * (3 - len(shape)))
        of = (a.shape, a.strides, shape)
        assert got.shape == want.shape and np.array_equal(got, want), of
        assert np.shares_memory(got, a) == np.shares_memory(want, a), of
        assert not a.size or got.flags.writeable == want.flags.writeable, of
        if np.shares_memory(got, a):
            views += 1
            for n, s, t in zip(want.shape, want.strides, got.strides, strict=True):
                assert n == 1 or s == t, of
    assert 100 < views < 350


SHARING = """\
np.asfortranarray(a) | np.ascontiguousarray(a) | np.atleast_1d(a) | np.atleast_2d(a)
np.atleast_3d(a) | np.ravel(a) | a.reshape(a.size) | a.reshape(1, a.size) | a.reshape(-1)
np.expand_dims(a, 0) | a[None] | a[np.newaxis, ...] | np.asarray(a) | a.T | a.view()
np.transpose(a) | a[...] | np.real(a) | a.real | np.flip(a) | a.flatten() | a.copy()
np.atleast_1d(a)[::-1] | np.ravel(a, order='F') | a.astype(a.dtype, copy=False)
a.ravel('A') | a.flatten('A') | a.flatten('F') | a[...].ravel('A') | a.T.flatten('A')
a.T.ravel(order='F') | a[...].reshape(-1, order='A') | a[:1, ...].reshape(1, -1, order='A')
np.asarray(a, order='F') | np.asarray(a.T, order='F') | np.ascontiguousarray(a[...])
a.reshape(a.shape, order='F') | a.reshape(-1, 1, order='A') | a.T.reshape(-1, order='F')
np.broadcast_to(a, a.shape) | np.broadcast_to(a, (2, *a.shape)) | np.broadcast_to(a * 2, a.shape)
np.broadcast_to(a, a.shape).reshape(-1) | np.broadcast_to(a, (2, *a.shape)).ravel()
np.broadcast_to(a.sum(), 3).copy() | a if a.size > 5 else a + 1 | np.imag(a) | a.imag[...]
a.astype(a.dtype) | np.array(a)"""
ARRAYS = (
    np.array(1.5),
    np.ones(1),
    np.ones((2, 3)),
    np.asfortranarray(np.ones((2, 3))),
    np.ones((4, 6))[::2, ::2],
    np.ones((1, 4, 1)).T,
    np.ones((3, 2, 4)).transpose(1, 0, 2),
)


def frozen(a: np.ndarray) -> np.ndarray:
    a = a.view()
    a.flags.writeable = False
    return a


@pytest.mark.parametrize("text", SHARING.replace("\n", "|").split("|"))
def test_sharing(text: str) -> None:
    """What shares memory with its argument in NumPy does here."""
    f = swathe.njit(program.load(f"import numpy as np\n\ndef f(a):\n    return {text.strip()}\n").f)
    for a in (*ARRAYS, *map(frozen, ARRAYS)):
        if not a.ndim and "1" in text and "[" in text:
            continue
        want, got = f.py_func(a), f(a)
        assert got.shape == want.shape and np.array_equal(want, got)
        assert np.shares_memory(got, a) == np.shares_memory(want, a), (a.shape, a.strides)
        assert got.flags.writeable == want.flags.writeable, (a.shape, a.strides, a.flags)


@pytest.mark.parametrize("n", ["np.where(n, n, 0)", "np.array(n)", "np.array(-1)", "np.int8(n)"])
@pytest.mark.parametrize("form", ["a.reshape({})", "np.reshape(a, {})", "a.reshape(({},))"])
def test_a_size_may_be_a_0d_array(n: str, form: str) -> None:
    text = f"def f(a, n):\n    return {form.format(n)}\n"
    f = program.load(program.HEADER + text).f
    for a in (np.arange(12), np.arange(12).reshape(3, 4)):
        assert np.array_equal(swathe.njit(f)(a, 12), f(a, 12))
