# SPDX-License-Identifier: BSD-3-Clause
"""What OpenCL's library is told, by one that stands before it (tests/c/spy_opencl.c).

Programs are kept as binaries; shared memory is shared virtual memory where there is that; each call
fails in turn, and what Python sees is an error of swathe's, with nothing left behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ptx import CC, FLAGS, ROOT  # noqa: E402

HEAD = """
import ctypes, gc, os, sys
import numpy as np
import swathe
from swathe import errors, gpu
spy = ctypes.CDLL(os.environ["SWATHE_OPENCL_LIB"])
spy.spy_failed.restype = ctypes.c_char_p

def calls(*names):
    return [spy.spy_calls_of(b"cl" + n.encode()) for n in names]

@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]

def work():
    q, other = swathe.Queue("opencl", profiling=True), swathe.Queue("opencl")
    x, y, s = q.to_device(np.ones(100)), q.zeros(100), q.empty(4, space="shared")
    s.host[:] = 1
    saxpy[1, 128, q](2.0, x, y)
    e = q.launch(saxpy, 1, 128, (2.0, x, y))
    other.copy(x, y, after=[e, q.mark()], block=False).wait()
    saxpy[1, 4, other](2.0, np.ones(4), s)
    s.fill(1)
    q.copy(np.ones(4), s, block=False).wait()
    if y.copy_to_host()[0] != 4 or s.copy_to_host()[0] != 1:
        raise SystemExit("a wrong number")
    e.elapsed
    q.sync()
"""

CACHED = (
    HEAD
    + """
if sys.argv[1:]:
    spy.spy_fail(0, sys.argv[1].encode())
q = swathe.Queue("opencl")
x = q.to_device(np.ones(8))
saxpy[1, 8, q](2.0, x, x)
print(x.copy_to_host()[0], *calls("CreateProgramWithSource", "CreateProgramWithBinary"))
"""
)

SHARED = (
    HEAD
    + """
import test_devices_more as t
t.check_shared("shared")
t.check_shared("host")
print(*[n > 0 for n in calls("SVMAlloc", "SetKernelArgSVMPointer", "EnqueueSVMMemcpy")])
"""
)

FAILS = (
    HEAD
    + """
def attempt(n, name=None):
    spy.spy_fail(ctypes.c_long(n), name)
    told = "nothing"
    try:
        work()
    except errors.Error as e:
        told = type(e).__name__ + " " + " ".join(str(e).split())
        del e
    failed = spy.spy_failed().decode()
    spy.spy_fail(ctypes.c_long(0), None)
    gc.collect()
    return failed, told

once = b"CreateContext CreateProgramWithSource BuildProgram CreateKernel GetKernelInfo".split()
for name in once:  # what is kept when it has gone well
    print(*attempt(0, b"cl" + name), 0, sep="|")
work()
gc.collect()
before, live = spy.spy_alive(), swathe.Device("opencl").live_bytes
for n in range(1, 999):
    failed, told = attempt(n)
    bad = (spy.spy_alive() - before, swathe.Device("opencl").live_bytes - live)
    print(failed, told, int(bad != (0, 0)), sep="|")
    if not failed:
        break
"""
)


@pytest.fixture(scope="module")
def spy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands before OpenCL's."""
    out = tmp_path_factory.mktemp("opencl") / "libspy.so"
    source = ROOT / "tests/c/spy_opencl.c"
    linked = ["-ldl", "-Wl,--no-as-needed", "-l:libOpenCL.so.1"]
    command = [CC or "cc", *FLAGS, "-shared", "-fPIC", source, "-o", out, *linked]
    r = subprocess.run(command, capture_output=True, text=True) if CC else None
    if r is None or "cannot find" in r.stderr:
        pytest.skip("needs a C compiler and OpenCL's library")
    assert r.returncode == 0, r.stderr
    return out


def run(spy: Path, tmp_path: Path, code: str, *args: str, **more: str) -> list[str]:
    script = tmp_path / "script.py"
    script.write_text(code)
    env = os.environ | {"SWATHE_OPENCL_LIB": str(spy), "PYTHONPATH": str(ROOT / "tests")} | more
    command = [sys.executable, str(script), *args]
    r = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    if "there is no device 'opencl'" in r.stderr:
        pytest.skip("needs an OpenCL device")
    assert r.returncode == 0 and not r.stderr, r.stdout + r.stderr
    return r.stdout.splitlines()


def test_programs_are_kept_as_binaries(spy: Path, tmp_path: Path) -> None:
    """Built once; what is damaged, or not taken any more, is built anew and kept."""
    cache = tmp_path / "cache"
    env = {"SWATHE_CACHE_DIR": str(cache)}
    assert run(spy, tmp_path, CACHED, **env) == ["3.0 1 0"]
    sizes = {p: p.stat().st_size for p in cache.rglob("*") if p.is_file()}
    assert run(spy, tmp_path, CACHED, **env) == ["3.0 0 1"]
    binary = max(sizes, key=lambda p: sizes[p])
    whole = binary.read_bytes()
    half = len(whole) // 2
    for damaged in (whole[:half], whole[:half] + b"damaged" + whole[half + 7 :], b""):
        binary.write_bytes(damaged)
        assert run(spy, tmp_path, CACHED, **env) == ["3.0 1 0"]
        assert run(spy, tmp_path, CACHED, **env) == ["3.0 0 1"]
    for call in ("clCreateProgramWithBinary", "clBuildProgram"):  # as after the driver has changed
        assert run(spy, tmp_path, CACHED, call, **env) == ["3.0 1 1"]
        assert run(spy, tmp_path, CACHED, **env) == ["3.0 0 1"]
    assert run(spy, tmp_path, CACHED, SWATHE_CACHE_SIZE="0") == ["3.0 1 0"]


def test_shared_memory(spy: Path, tmp_path: Path) -> None:
    """By shared virtual memory where the device has the fine-grained kind; else by buffers."""
    found = run(spy, tmp_path, SHARED)
    assert found in (["True True True"], ["False False False"])
    assert run(spy, tmp_path, SHARED, SPY_NO_SVM="1") == ["False False False"]
    assert run(spy, tmp_path, SHARED, SPY_COARSE="1") == ["False False False"]


@pytest.mark.parametrize("svm", [True, False])
def test_each_call_fails(spy: Path, tmp_path: Path, svm: bool) -> None:
    env = {"SWATHE_CACHE_DIR": str(tmp_path / "cache")} | ({} if svm else {"SPY_NO_SVM": "1"})
    seen = {}
    for line in run(spy, tmp_path, FAILS, **env):
        failed, told, bad = line.split("|")
        if not failed:
            assert told == "nothing"
            continue
        assert bad == "0", line
        if told != "nothing":
            kind = told.split()[0]
            assert kind in ("DeviceMemoryError", "DeviceBuildError"), line
            assert kind == "DeviceBuildError" or failed.removesuffix("WithWaitList") in told, line
        seen.setdefault(failed, []).append(told)
    quiet = {name for name, told in seen.items() if set(told) == {"nothing"}}
    assert quiet <= {"clFinish", "clGetEventInfo"}, quiet
    assert len(seen) >= 17, sorted(seen)
