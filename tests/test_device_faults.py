"""Devices that fail: each call of a driver that a library stands in for fails in turn, and what
Python sees is an error of swathe's, never a crash, never memory that is not given back.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ptx import CC, build_fake  # noqa: E402

pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")

HEAD = """
import ctypes, gc, os, sys
import numpy as np
import swathe
from swathe import errors, gpu
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])

@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]

def work():
    q = swathe.Queue("cuda", profiling=True)
    x, y = q.to_device(np.ones(100)), q.zeros(100)
    h = q.empty(8, np.float32, space="host")
    h.host[:] = 1
    saxpy[1, 128, q](2.0, x, y)
    e = q.launch(saxpy, 1, 128, (2.0, x, y))
    q.copy(x, y, after=e, block=False).wait()
    saxpy[1, 128, q](2.0, np.ones(100), y)
    part = y[3:50:2]
    part.copy_to_host()
    y.copy_to_host()
    e.wait()
    q.sync()
"""

EACH = (
    HEAD
    + """
code = int(sys.argv[1])
seen = set()
try:
    work()
    gc.collect()
    before = swathe.Device("cuda").live_bytes
    for n in range(1, 400):
        fake.fake_fail(ctypes.c_long(n), code)
        calls = fake.fake_calls()
        try:
            work()
            if fake.fake_calls() - calls < n:
                break
        except errors.Error as e:
            seen.add(type(e).__name__)
            del e
        fake.fake_fail(ctypes.c_long(0), 0)
        gc.collect()
        if "DeviceLostError" not in seen:
            assert swathe.Device("cuda").live_bytes == before, n
    else:
        raise SystemExit("it never ended")
except errors.DeviceLostError:
    seen.add("DeviceLostError")
fake.fake_fail(ctypes.c_long(0), 0)
print(*sorted(seen))
"""
)

LOST = (
    HEAD
    + """
q = swathe.Queue("cuda")
x = q.to_device(np.ones(100))
saxpy[1, 128, q](2.0, x, x)
for n in range(1, 9):
    fake.fake_fail(ctypes.c_long(n), 700)
    try:
        saxpy[1, 128, q](2.0, x, x)
        x.copy_to_host()
    except errors.Error as e:
        print(type(e).__name__, str(e))
fake.fake_fail(ctypes.c_long(0), 0)
"""
)

FULL = (
    HEAD
    + """
q = swathe.Queue("cuda")
fake.fake_limit(ctypes.c_size_t(1 << 20))
kept = []
try:
    while len(kept) < 100:
        kept.append(q.zeros(1 << 14))
except errors.DeviceMemoryError as e:
    print(isinstance(e, MemoryError), len(kept) > 3)
kept.clear()
print(q.zeros(1 << 14).shape)
"""
)

FOREIGN = (
    HEAD
    + """
from swathe.compat.numba import cuda
q = swathe.Queue("cuda")
d = q.to_device(np.arange(10.0))
interface = d[2:8:2].__cuda_array_interface__

class Theirs:
    __cuda_array_interface__ = interface

live = q.device.live_bytes
t = q.asarray(Theirs())
print(t.copy_to_host(), q.device.live_bytes == live)
class Capsule:
    def __dlpack__(self, **options):
        return d[::-3].__dlpack__()
    def __dlpack_device__(self):
        return d.__dlpack_device__()
c = q.asarray(Capsule())
print(c.copy_to_host(), d.__dlpack_device__())
saxpy[1, 16, q](2.0, Theirs(), Capsule())
d.__dlpack__()
with swathe.device_context(q):
    print(cuda.as_cuda_array(Theirs()).shape, cuda.get_current_device().compute_capability)
    print(cuda.current_context().get_memory_info().total > 0)
    m = cuda.managed_array(4)
    np.asarray(m)[:] = 3
    print(m.copy_to_host(), cuda.pinned_array(3).shape)
del c
try:
    np.asarray(d)
except TypeError as e:
    print("TypeError")
swathe.Queue("cuda").sync()
del t, d, m
gc.collect()
print(fake.fake_breaches())
"""
)


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands in for libcuda.so.1."""
    out = tmp_path_factory.mktemp("cuda") / "libfakecuda.so"
    build_fake(out)
    return out


def run(fake: Path, tmp_path: Path, code: str, *args: str) -> list[str]:
    script = tmp_path / "script.py"
    script.write_text(code)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake)}
    command = [sys.executable, str(script), *args]
    r = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr
    return r.stdout.splitlines()


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (2, {"DeviceMemoryError"}),
        (1, {"DeviceError", "QueueError"}),
        (100, {"NoDeviceError"}),
        (701, {"LaunchError"}),
        (999, {"DeviceError"}),
        (700, {"DeviceLostError"}),
        (719, {"DeviceLostError"}),
    ],
)
def test_each_call_fails(fake: Path, tmp_path: Path, code: int, names: set[str]) -> None:
    seen = set(run(fake, tmp_path, EACH, str(code))[-1].split())
    assert seen & names, seen
    assert seen <= names | {"DeviceError", "DeviceBuildError", "QueueError", "LaunchError"}, seen


def test_lost(fake: Path, tmp_path: Path) -> None:
    lines = run(fake, tmp_path, LOST)
    assert len(lines) >= 3 and all(s.startswith("DeviceLostError cu") for s in lines)


def test_full(fake: Path, tmp_path: Path) -> None:
    assert run(fake, tmp_path, FULL) == ["True True", "(16384,)"]


def test_arrays_of_others(fake: Path, tmp_path: Path) -> None:
    lines = run(fake, tmp_path, FOREIGN)
    assert lines[:2] == ["[2. 4. 6.] True", "[9. 6. 3. 0.] (2, 0)"]
    assert lines[2].startswith("(3,) (") and lines[3] == "True"
    assert lines[4:] == ["[3. 3. 3. 3.] (3,)", "TypeError", "0"]
