# SPDX-License-Identifier: BSD-3-Clause
"""Compares a function in parallel with itself in CPython and compiled without `parallel=True`,
on 1, 2, 3 and 7 threads. Values, dtypes, shapes and exceptions agree; a floating-point sum may
differ from the serial one in its last bits, but has the same bits at each number of threads."""

from __future__ import annotations

import contextlib
import os
import traceback
import warnings
from collections.abc import Callable, Iterator

os.environ.setdefault("SWATHE_NUM_THREADS", "7")  # before the pool is made

import numpy as np
import pytest
from harness import copy_args

import swathe

THREADS = (1, 2, 3, 7)
DEVICE = os.environ.get("SWATHE_DIFF_DEVICE")  # where to run them, too: opencl
SIZES = (0, 1, 2, 31, 997, 100_003)


@contextlib.contextmanager
def threads(n: int) -> Iterator[None]:
    """Run parallel loops on n threads, or as many as there are."""
    before = swathe.get_num_threads()
    try:
        swathe.set_num_threads(n)
    except ValueError:
        pytest.skip(f"no {n} threads here")
    try:
        yield
    finally:
        swathe.set_num_threads(before)


def outcome(f: Callable, args: tuple) -> tuple:
    """Value, or class, message and line of the exception; and the arguments afterwards."""
    args = copy_args(args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = f(*args)
    except Exception as e:
        line = traceback.extract_tb(e.__traceback__)[-1].lineno
        cls = next(c for c in type(e).__mro__ if c.__module__ == "builtins")
        return None, (cls, str(e), line), args
    return value, None, args


def flat(value: object) -> list:
    """All that a result holds, as arrays."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in flat(v)]
    return [] if value is None else [np.asarray(value)]


def assert_same(got: tuple, want: tuple, close: bool = False) -> None:
    assert got[1] == want[1]
    if want[1]:
        return  # how far the other iterations came is nobody's promise
    assert type(got[0]) is type(want[0])
    for a, b in zip(flat([got[0], got[2]]), flat([want[0], want[2]]), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if close and a.dtype.kind in "fc":
            np.testing.assert_allclose(a, b, rtol=1e-4 if a.dtype.itemsize == 4 else 1e-10)
        else:
            assert a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=True)


def assert_like(got: tuple, oracle: tuple) -> None:
    """What CPython does, to the types of scalars and the words of messages."""
    if oracle[1]:
        assert got[1] and got[1][::2] == oracle[1][::2]
        return
    assert got[1] is None
    for a, b in zip(flat([got[0], got[2]]), flat([oracle[0], oracle[2]]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4 if a.dtype.itemsize == 4 else 1e-9)


def check(f: Callable, *args: object, close: bool = False) -> None:
    """Compare f in parallel with itself in CPython and compiled without."""
    serial = outcome(swathe.njit(f), args)
    assert_like(serial, outcome(f, args))
    parallel = swathe.njit(parallel=True)(f)
    first = None
    for n in THREADS:
        with threads(n):
            for _ in range(2):
                got = outcome(parallel, args)
                assert_same(got, serial, close)
                first = first or got
                assert_same(got, first)
    if DEVICE:
        with swathe.device_context(DEVICE):
            assert_close(outcome(parallel, args), serial)


def assert_close(got: tuple, want: tuple) -> None:
    """On a device, whose functions round in their own way."""
    assert bool(got[1]) == bool(want[1]), (got[1], want[1])
    if want[1]:
        assert got[1][::2] == want[1][::2], (got[1], want[1])  # class and line
        return
    for a, b in zip(flat([got[0], got[2]]), flat([want[0], want[2]]), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        rtol = 1e-4 if a.dtype.itemsize <= 4 or a.dtype == np.complex64 else 1e-9
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * 1e-3)


def numbers(n: int, seed: int = 0, dtype: type = np.float64) -> np.ndarray:
    r = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return r.uniform(-1, 1, n).astype(dtype)
    return r.integers(-100, 100, n).astype(dtype)


@swathe.njit
def ones(v):
    """How many bits of a number are set: by a loop that the compiler can't see through."""
    n = 0
    while v:
        n += v & 1
        v >>= 1
    return n
