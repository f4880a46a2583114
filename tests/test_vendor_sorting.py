# SPDX-License-Identifier: BSD-3-Clause
"""Radix sorts on devices beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors
from swathe.vendor import _radix, sorting


@pytest.fixture(scope="module", params=["native", DEVICE])
def queue(request: Any) -> Any:
    try:
        return swathe.Queue(request.param)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


def vector(n: int, dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype[0] == "f":
        x = rng.standard_normal(n).astype(dtype)
        x[::7] = 0.5
        x[3::31] = [np.inf, -np.inf, -0.0][n % 3]
        return x
    if dtype == "?":
        return rng.random(n) < 0.5
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, n, dtype, endpoint=True)
    x[::5] = x[0] if n else 0
    return x


def host(x: Any) -> np.ndarray:
    return x.copy_to_host() if hasattr(x, "copy_to_host") else np.asarray(x)


def same(got: Any, want: np.ndarray) -> None:
    got = host(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f")


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u4", "i2", "u1", "?"])
@pytest.mark.parametrize("descending", [False, True])
def test_order_of_bits(dtype: str, descending: bool) -> None:
    """Keys of all dtypes as unsigned integers, by the kernels on the CPU."""
    x = vector(500, dtype, 1)
    coded = sorting._Coded(x.dtype, descending)
    bits, back = np.empty(500, coded.bits), np.empty_like(x)
    args = coded.sign, coded.inf, coded.flip
    sorting._encode[2, 256](x.view(coded.bits), bits, *args, False)
    order = np.argsort(bits, kind="stable")
    assert np.array_equal(x[order], np.sort(x)[:: -1 if descending else 1])
    sorting._decode[2, 256](bits, back.view(coded.bits), *args)
    assert back.tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", ["f8", "u1"])
def test_sorts(queue: Any, dtype: str) -> None:
    for n in (0, 1, 33, 4095, 4097, 10_000):
        x = vector(n, dtype, n)
        d = queue.to_device(x)
        at = np.argsort(x, kind="stable")
        down = n - 1 - np.argsort(x[::-1], kind="stable")[::-1]
        same(sorting.sort(d), x[at])
        same(sorting.sort(d, descending=True), x[down])
        if dtype == "f8" and n != 33:
            same(sorting.argsort(d), at)
            same(sorting.argsort(d, descending=True), down)
            keys, values = sorting.sort_by_key(d, queue.to_device(np.arange(n, dtype="f4")))
            same(keys, x[at])
            same(values, at.astype("f4"))
            same(sorting.select(d, n // 3, descending=True), x[down][: n // 3])
        same(d, x)


def test_nan_is_last(queue: Any) -> None:
    x = vector(100, "f8")
    x[::9] = np.nan
    same(sorting.sort(queue.to_device(x)), np.sort(x))
    assert np.isnan(host(sorting.sort(queue.to_device(x), descending=True))[:12]).all()


def test_parts_of_arrays(queue: Any) -> None:
    x = vector(300, "f8")
    d = queue.to_device(x)
    same(sorting.sort(d[::-3]), np.sort(x[::-3]))
    same(sorting.argsort(d[1::2]), np.argsort(x[1::2], kind="stable"))


@pytest.mark.parametrize("offsets", [[], [0, 10, 10, 40], list(range(100))])
def test_segments(queue: Any, offsets: list[int]) -> None:
    x = vector(100, "f8", 3)
    for descending in (False, True):
        want = []
        for lo, hi in zip([0, *offsets], [*offsets, 100], strict=True):
            part = np.argsort(x[lo:hi], kind="stable")
            if descending:
                part = hi - lo - 1 - np.argsort(x[lo:hi][::-1], kind="stable")[::-1]
            want.extend(lo + part)
        d, o = queue.to_device(x), queue.to_device(np.array(offsets, np.int32))
        at = sorting.segmented_argsort(d, o, descending)
        same(at, np.array(want))
        same(sorting.take(d, at), x[want])


def test_what_is_refused(queue: Any) -> None:
    d = queue.to_device(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="takes vectors"):
        sorting.sort(d)
    with pytest.raises(ValueError, match="3 keys and 2 values"):
        sorting.sort_by_key(d[0], d[0, :2])
    with pytest.raises(ValueError, match="4 of 3 elements"):
        sorting.select(d[0], 4)
    if DEVICE in repr(queue):
        with pytest.raises(TypeError, match="no radix sort"):
            sorting.sort(queue.zeros(3, "c16"))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_nan_and_zero_of_either_sign(queue: Any, dtype: str) -> None:
    """NaN is last whatever its sign, which it has where 0 / 0 is computed; zeros are equal."""
    x = np.array([3, -np.nan, 0.0, -0.0, np.nan, -1, 0.0, -0.0, -np.inf, np.inf], dtype)
    d, at = queue.to_device(x), np.argsort(x, kind="stable")
    down = len(x) - 1 - np.argsort(x[::-1], kind="stable")[::-1]
    for descending, order in ((False, at), (True, down)):
        same(sorting.sort(d, descending), x[order])
        same(sorting.argsort(d, descending), order)
        keys, values = sorting.sort_by_key(d, queue.to_device(np.arange(len(x))), descending)
        same(keys, x[order])
        assert np.array_equal(np.signbit(host(keys)), np.signbit(x[order]))
        same(values, order)


@pytest.mark.parametrize("dtype", ["u8", "u4", "u2", "u1"])
@pytest.mark.parametrize("values", [None, "f4", "i8"])
def test_passes(dtype: str, values: str | None) -> None:
    """By the kernels on the CPU: skewed digits, tiles that end in the middle of a warp."""
    rng, tile, q = np.random.default_rng(3), _radix.TILE, swathe.Queue("native")
    for n in (1, 31, 257, tile - 1, tile, tile + 1, 5 * tile + 77):
        keys = rng.integers(0, np.iinfo(dtype).max, n, dtype)
        keys[::3] >>= np.iinfo(dtype).bits - 3
        beside = None if values is None else np.arange(n).astype(values)
        also = None if beside is None else beside.copy()
        got, got_beside = _radix.passes(q, keys.copy(), also, keys.itemsize)
        at = np.argsort(keys, kind="stable")
        assert np.array_equal(got, keys[at])
        if beside is not None:
            assert np.array_equal(got_beside, beside[at])
