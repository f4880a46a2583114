# SPDX-License-Identifier: BSD-3-Clause
"""swathe.prim of arrays of a device: as of the host's, and results stay on the device."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, prim
from swathe._prim_device_scan import scan_into
from swathe.vendor import _select, sorting

N = 3000
RNG = np.random.default_rng(0)
KEYS, AT = np.sort(RNG.integers(0, 9, N)), RNG.integers(0, N, N)
X = RNG.integers(-99, 99, N) * 0.5
X[::11] = np.nan
TABLE = RNG.integers(-9, 9, (7, 12)) * 1.0

# Functions of arrays that `d` makes of NumPy's.
CALLS = {
    "map": lambda d: prim.map(lambda v: v * 2 + 1, d(X)),
    "map_pairs": lambda d: prim.map(lambda a, b: (a + b, a > b), d(TABLE), d(TABLE[0])),
    "zipwith": lambda d: prim.zipwith(np.maximum, d(X), d(X[::-1])),
    "reduce": lambda d: prim.reduce(max, d(X)),
    "reduce_axis": lambda d: prim.reduce(operator.add, d(TABLE), 1.0, axis=0),
    "reduce_tuples": lambda d: prim.reduce(
        lambda a, b: (a[0] + b[0], max(a[1], b[1])), (d(KEYS), d(AT))
    ),
    "reduce_segments": lambda d: prim.reduce_segments(np.add, d(AT), d(np.array([0, 5, N]))),
    "reduce_by_key": lambda d: prim.reduce_by_key(np.add, d(KEYS), d(AT)),
    "scan": lambda d: prim.scan(np.add, d(AT)),
    "scan_exclusive": lambda d: prim.scan(lambda a, b: a ^ b, d(AT), 3, False),
    "scan_axis": lambda d: prim.scan(np.maximum, d(TABLE), axis=0),
    "scan_by_key": lambda d: prim.scan_by_key(np.add, d(KEYS), d(AT)),
    "gather": lambda d: prim.gather(d(X), d(AT)),
    "scatter": lambda d: prim.scatter(d(AT), d(KEYS), d(np.zeros(9, int)), np.add),
    "compact": lambda d: prim.compact(d(X), lambda v: v > 0),
    "partition": lambda d: prim.partition(d(X), lambda v: v > 0),
    "sort": lambda d: prim.sort(d(X)),
    "sort_rows": lambda d: prim.sort(d(TABLE), 0),
    "argsort": lambda d: prim.argsort(d(X)),
    "sort_by_key": lambda d: prim.sort_by_key(d(KEYS[::-1]), d(X)),
    "sort_by_keys": lambda d: prim.sort_by_key((d(KEYS), d(AT)), d(X)),
    "kselect": lambda d: prim.kselect(d(X), -400),
    "topk": lambda d: prim.topk(d(X), 300),
    "topk_least": lambda d: prim.topk(d(X), 7, largest=False),
    "topk_none": lambda d: prim.topk(d(X), 0),
    "topk_rows": lambda d: prim.topk(d(TABLE), 3, axis=0),
    "merge": lambda d: prim.merge(d(KEYS), d(KEYS[:50])),
    "unique": lambda d: prim.unique(d(AT)),
    "searchsorted": lambda d: prim.searchsorted(d(KEYS), d(AT), "right"),
    "histogram": lambda d: prim.histogram(d(TABLE), 7, -9.0, 9.0),
}


@pytest.fixture(scope="module", params=["native", DEVICE])
def queue(request: Any) -> Any:
    try:
        return swathe.Queue(request.param)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


def same(got: Any, want: Any, queue: Any) -> None:
    if isinstance(want, tuple):
        assert type(got) is tuple and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w, queue)
        return
    if isinstance(want, np.ndarray) and not queue.device.is_native:
        assert isinstance(got, swathe.DeviceArray) and got.queue is queue
        got = got.copy_to_host()
    assert np.asarray(got).dtype == np.asarray(want).dtype
    assert np.array_equal(got, want, equal_nan=np.asarray(want).dtype.kind == "f")


@pytest.mark.parametrize("name", CALLS)
def test_as_of_the_host(queue: Any, name: str) -> None:
    f = CALLS[name]
    same(f(queue.to_device), f(np.copy), queue)


def test_one_after_another(queue: Any) -> None:
    """What one yields, the next takes, where it is."""
    d = queue.to_device(AT)
    odd = prim.compact(prim.map(lambda v: v * 3, d), lambda v: v % 2 == 1)
    totals = prim.scan(np.add, prim.sort(odd))
    want = np.sort(AT[AT * 3 % 2 == 1] * 3).cumsum()
    same(totals, want, queue)
    assert prim.kselect(totals, 5) == want[5]


WRONG = {
    "k": (lambda d: prim.kselect(d(X), N), IndexError, "out of range"),
    "least k": (lambda d: prim.topk(d(X), -1), ValueError, "out of range"),
    "axis": (lambda d: prim.sort(d(X), 1), np.exceptions.AxisError, "axis 1"),
    "lengths": (lambda d: prim.sort_by_key(d(X), d(X[1:])), ValueError, "as many keys"),
    "arguments": (lambda d: prim.sort(d(X), 0, 1), TypeError, "argument"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(queue: Any, name: str) -> None:
    f, error, text = WRONG[name]
    with pytest.raises(error, match=text):
        f(queue.to_device)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u4", "i2", "u1", "?"])
@pytest.mark.parametrize("n", [1, 2, 255, _select.TILE, 3 * _select.TILE + 1])
def test_selection_by_radix(dtype: str, n: int) -> None:
    """By the kernels on the CPU: few and many, of equal keys the first, NaN of either sign last."""
    x = RNG.integers(-60 if dtype[0] in "fi" else 0, 60, n).astype(dtype)
    if dtype[0] == "f":
        x[::5], x[1::7], x[2::9] = np.nan, -np.nan, -0.0
    for largest in (False, True):
        coded = sorting._Coded(x.dtype, largest)
        bits = np.empty(n, coded.bits)
        sorting._encode[-(-n // 256), 256](
            x.view(coded.bits), bits, coded.sign, coded.inf, coded.flip, True
        )
        for k in {1, (n + 1) // 2, n}:
            found, left = np.zeros(1, bits.dtype), np.array([k - 1])
            counts, blocks = np.zeros(256, np.int32), -(-n // _select.TILE)
            for digit in range(bits.dtype.itemsize - 1, -1, -1):
                shift = bits.dtype.type(8 * digit)
                _select._count[blocks, 256](bits, found, shift, counts)
                _select._narrow[1, 256](counts, shift, found, left)
            assert found[0] == np.sort(bits)[k - 1]
            starts, places = np.empty(2 * blocks, np.int64), np.full(k, -1)
            _select._count_first[blocks, 256](bits, found, starts, blocks)
            scan_into(swathe.Queue("native"), np.add, starts, starts, 0, False)
            _select._note_first[blocks, 256](bits, found, starts, blocks, places)
            want = prim.topk(x, k, largest)[1]
            assert np.array_equal(places[np.argsort(bits[places], kind="stable")], want)


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: prim.map(lambda u, v: u + v, a, b),
        lambda a, b: prim.zipwith(np.add, a, b),
        lambda a, b: prim.sort_by_key(a, b),
        lambda a, b: prim.scan_by_key(np.add, a, b),
        lambda a, b: prim.reduce(lambda u, v: (u[0] + v[0], u[1] + v[1]), (a, b)),
    ],
)
def test_two_queues(call: Any) -> None:
    """Neither says where it is to run; a context does, and one may be copied."""
    try:
        one, other = swathe.Queue(DEVICE), swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    a, b = one.to_device(KEYS), other.to_device(AT)
    with pytest.raises(errors.ExecutionPlacementError, match="two queues"):
        call(a, b)
    same(call(a, one.to_device(b)), call(KEYS, AT), one)
    with swathe.device_context(other):
        same(prim.zipwith(np.add, a, b), KEYS + AT, other)
        same(prim.sort(a), np.sort(KEYS), other)
        same(prim.sort_by_key(a, b)[0], np.sort(KEYS), other)
        same(prim.scan(np.add, a), np.cumsum(KEYS), other)
        same(prim.compact(a, lambda v: v > 3), KEYS[KEYS > 3], other)
        assert prim.reduce(np.add, a) == KEYS.sum() and prim.kselect(a, 7) == np.sort(KEYS)[7]
