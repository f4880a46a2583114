# SPDX-License-Identifier: BSD-3-Clause
"""Views of arrays on devices that are not in one piece: their elements, and nothing between."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors

sys.path.insert(0, str(Path(__file__).parent))

from ptx import CC, build_fake  # noqa: E402

RECORD = np.dtype([("a", "u1"), ("b", "f8")])
DTYPES = [np.uint8, np.float16, np.float32, np.float64, np.complex128, RECORD]


def slices(rng: random.Random, n: int) -> Any:
    step = slice(None, None, rng.choice([2, 3, -1, -2]))
    return rng.choice([slice(None), step, slice(1, None), slice(0, 0), rng.randrange(n)])


def one(q: swathe.Queue, rng: random.Random, space: str) -> None:
    """Do the same to an array of the host and one of the device."""
    shape = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
    dtype = np.dtype(rng.choice(DTYPES))
    h: Any = np.zeros(shape, dtype, rng.choice("CF"))
    name = rng.choice(dtype.names) if dtype.names else None
    d: Any = q.to_device(h, space)
    whole = h, d
    key = tuple(slices(rng, n) for n in shape)
    if rng.random() < 0.3:
        h, d, key = h.T, d.T, key[::-1]
    if name:
        h, d = h[name], d[name]
    size = np.shape(h[key])
    values = np.array([rng.randrange(200) for _ in range(int(np.prod(size)))], h.dtype)
    value = rng.choice([7, values.reshape(size)])
    h[key] = d[key] = value
    if size and rng.random() < 0.6:  # on itself, turned round
        turn = tuple(slice(None, None, rng.choice([1, -1])) for _ in size)
        h[key], d[key] = h[key][turn], d[key][turn]
    assert np.array_equal(d.copy_to_host(), h), (shape, dtype, key)
    assert np.array_equal(whole[1].copy_to_host(), whole[0]), (shape, dtype, key)
    if size:
        out = np.zeros((*size, 2), h.dtype)[..., ::-1][..., 0]
        assert np.array_equal(d[key].copy_to_host(out), h[key]), (shape, dtype, key)


def many(device: str, n: int, seed: int) -> None:
    """Many of them, on queues of both kinds and in each kind of memory."""
    rng = random.Random(seed)
    for in_order in (True, False):
        q = swathe.Queue(device, in_order=in_order)
        for space in ("device", "shared", "host"):
            for _ in range(n):
                one(q, rng, space)


def test_parts() -> None:
    try:
        many("opencl", 100, 1)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


COUNTED = """
q = swathe.Queue("cuda")
d = q.to_device(np.arange(60.0).reshape(5, 12))
names = "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpy2DAsync_v2"
count = lambda: [fake.fake_calls_of(n.encode()) for n in names]
before = count()
d[:, 0] = 5
d[1:, 2:7:2] = np.ones((4, 3))
d[::2, 3] = d[1:4, 4]
assert [b - a for a, b in zip(before, count())] == [0, 0, 7], count()
"""


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_parts_on_a_stand_in(tmp_path: Path) -> None:
    """Also where the driver refuses the pitches; what lies between is neither read nor written."""
    build_fake(tmp_path / "fake.so")
    code = f"""
import ctypes, os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, swathe
from test_device_rows import many
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_calls_of.restype = ctypes.c_long
{COUNTED}
many("cuda", 50, 2)
fake.fake_no_pitches(1)
many("cuda", 50, 3)
assert not fake.fake_breaches()
"""
    env = os.environ | {"SWATHE_CUDA_LIB": str(tmp_path / "fake.so")}
    command = [sys.executable, "-c", code]
    r = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr


def test_writers_side_by_side() -> None:
    """Threads that write columns of one array lose nothing of each other."""
    try:
        swathe.Device("opencl")
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    q = swathe.Queue("opencl")
    d = q.to_device(np.zeros((500, 4)))

    def write(k: int) -> None:
        mine = d[:, k]
        for i in range(60):
            mine[:] = np.full(500, 100.0 * k + i)
            assert (mine.copy_to_host() == 100.0 * k + i).all()

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    failed: list[Any] = []
    old, threading.excepthook = threading.excepthook, failed.append
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        threading.excepthook = old
    assert not failed
    assert (d.copy_to_host() == np.arange(4) * 100.0 + 59).all()


def test_fill_where_no_element_is_aligned() -> None:
    try:
        q = swathe.Queue("opencl")
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    d = q.to_device(np.zeros(3, RECORD))
    d["b"][1:2].fill(4)
    assert d.copy_to_host()["b"].tolist() == [0, 4, 0]
