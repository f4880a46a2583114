# SPDX-License-Identifier: BSD-3-Clause
"""The memory order of results: NumPy's, where the arguments are in C or in Fortran order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import ORACLE, check, expression

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="asks for strides")

ONE = """x + 1 ; np.sqrt(abs(x)) ; x > 3 ; x.astype(np.int8) ; x.copy() ; np.copy(x) ; np.array(x)
x ** 2 ; np.zeros_like(x) ; np.full_like(x, 2, dtype=np.int32) ; np.where(x > 2, x, 0)
np.clip(x, 1, 3) ; np.round(x) ; x.sum(0) ; x.sum(-1) ; x.sum(0, keepdims=True) ; x.any(1)
np.max(x, axis=-1, keepdims=True) ; x.std(0) ; x.argmax(0)
np.argmin(x, axis=0, keepdims=True) ; np.sum(x, axis=(0,), keepdims=True)
np.prod(x, axis=1) ; x.mean(1)
x.sum(keepdims=True) ; np.average(x, axis=0) ; np.count_nonzero(x, axis=0) ; np.ptp(x, axis=0)
x.cumsum(0) ; np.concatenate((x, x)) ; np.float64(x) ; np.float32(x) ; np.array(x, copy=False)
x - x.mean(0, keepdims=True) ; x.any(axis=0, keepdims=True) * x ; x - x.mean(0) ; x + x[0]
x[None] * 2 ; x[:, None] + 1 ; x[..., None] * 2 ; np.expand_dims(x, 0) * 2 ; np.expand_dims(x, -1)
x.T + 1 ; x[None].T.copy()
np.divmod(x, 2)[1] ; np.modf(x)[0] ; np.real(x) ; np.diff(x) ; x.reshape(-1) ; x.ravel()
x.ravel("F") ; x.flatten("F")"""
TWO = """x + y ; np.where(x > 2, x, y) ; np.where(x > 2, 1, y) ; np.maximum(x, y) ; x > y
np.clip(x, y, 9) ; np.concatenate((x, y)) ; np.concatenate((x, y), axis=-1)
x + y * 2 ; np.hypot(x, y)
x * y.sum(0) ; x @ np.swapaxes(y, -1, -2)"""

# Made along an axis that a loop goes over first, in an array of the argument's order.
ALONG = """np.insert(x, 1, 9., axis=1) ; np.insert(x, [1, 2], 9., axis=1) ; np.delete(x, 1, axis=1)
np.delete(x, slice(1, 2), axis=1) ; np.delete(x, slice(None, None, 2), axis=1)
np.delete(x, slice(2, 0), axis=1) ; np.delete(x, slice(2, 0, -1), axis=-1)
np.gradient(x, axis=0) ; np.gradient(x, axis=1) ; np.gradient(x, axis=-1) ; np.unwrap(x, axis=0)
np.unwrap(x, axis=-1) ; np.fft.fft(x, axis=0) ; np.fft.ifft(x, axis=1) ; np.fft.fft(x, 7, axis=0)
np.fft.fft(x, 2, axis=1) ; np.fft.rfft(x, axis=0) ; np.fft.irfft(x, axis=0) ; np.fft.hfft(x, axis=0)
np.fft.fft2(x) ; np.fft.fftn(x) ; np.fft.rfft2(x) ; np.fft.irfft2(x)
np.compress([True, False], x, axis=0) ; np.compress([False, True], x, axis=-1)
np.packbits(x > 2, axis=0) ; np.unpackbits(x.astype(np.uint8), axis=0)
np.unpackbits(x.astype(np.uint8), axis=0, count=5)"""


def texts(table: str) -> list[str]:
    return [t.strip() for t in table.replace("\n", ";").split(";") if t.strip()]


def strides(a: np.ndarray) -> tuple[int, ...]:
    return tuple(s for s, n in zip(a.strides, a.shape, strict=True) if n > 1)


def arrays(ndim: int) -> list[np.ndarray]:
    a = np.arange(np.prod((2, 3, 4)[:ndim]) * 1.0).reshape((2, 3, 4)[:ndim])
    return [a, np.asfortranarray(a)]


@pytest.mark.parametrize("text", texts(ONE))
def test_of_one(text: str) -> None:
    f = expression(text, "x")
    g = swathe.njit(f)
    for x in (*arrays(2), *arrays(3)):
        want, got = f(x), g(x)
        assert strides(want) == strides(got) and np.array_equal(want, got), (x.shape, x.strides)


@pytest.mark.parametrize("text", texts(ALONG))
def test_along_an_axis(text: str) -> None:
    f = expression(text, "x")
    g = swathe.njit(f)
    for x in (*arrays(2), *arrays(3)):
        want, got = f(x), g(x)
        assert strides(want) == strides(got), (x.shape, x.strides)
        assert want.dtype == got.dtype and np.allclose(want, got), x.shape


@pytest.mark.parametrize("text", texts(TWO))
def test_of_two(text: str) -> None:
    f = expression(text, "x, y")
    g = swathe.njit(f)
    for ndim in (2, 3):
        for x in arrays(ndim):
            for y in arrays(ndim):
                want, got = f(x, y), g(x, y)
                assert want.flags.c_contiguous == got.flags.c_contiguous, (x.strides, y.strides)
                if x.strides == y.strides:
                    assert strides(want) == strides(got), x.strides


STORES = [
    "v = x.any(axis=0, keepdims=True) * x\nw = v.reshape(-1)\nv[0] = 7\nreturn v, w",
    "v = x.sum(axis=1)\nw = v.reshape(-1)\nv[0] = 7\nreturn v, w",
    "v = x[None] + 1\nw = v.ravel()\nw[:2] = 7\nreturn v, w",
    "v = np.float64(x)\nv[0] = 7\nreturn v, v.sum()",
    "v = np.array(x, copy=False)\nv[0] = 7\nreturn v, x.sum()",
    "v = np.float64(x[::-1, ::2])\nv[0] = 7\nreturn v * 1, x",
    "v = np.float64(x.T)[1:]\nv[0] = 7\nreturn v * 1, x",
]


@pytest.mark.parametrize("body", STORES)
@pytest.mark.parametrize("ndim", [2, 3])
def test_stores_show_where_numpy_shares(body: str, ndim: int) -> None:
    for x in arrays(ndim):
        check(expression(body, "x"), x)


def strided() -> list[Any]:
    a = np.arange(48.0).reshape(6, 8)
    return [a[:, ::2], a[::-1], a.T[1:], a[0, ::3], a.reshape(2, 3, 8).transpose(1, 0, 2)]


@pytest.mark.parametrize("text", ["np.float64(x)", "np.array(x, copy=False)", "np.float64(x) + 1"])
def test_the_array_itself(text: str) -> None:
    for x in strided():
        check(expression(text, "x"), x)


def test_no_copy_is_an_error() -> None:
    x = np.zeros((2, 3))
    for text in (
        "np.array(x, np.float32, copy=False)",
        "np.array(1.5, copy=False)",
        "np.array([1, 2], copy=False)",
    ):
        check(expression(text, "x"), x, raises=ValueError)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (1, 4), (2, 3)])
def test_an_array_of_no_elements_is_in_any_order(shape):
    f = swathe.njit(cache=False)(lambda x: np.array(x, copy=False, order="F"))
    if shape == (2, 3):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            f(np.zeros(shape))
    else:
        assert f(np.zeros(shape)).shape == shape
