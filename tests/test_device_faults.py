"""Devices that fail: each call of a CUDA driver that a library stands in for fails in turn. What
Python sees is an error of swathe's, never a crash, never memory that is not given back.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import ptx  # noqa: E402
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
swathe._core.exit_fails(False)  # what a queue that goes couldn't do is told, but not asked for here
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


WHOLE = (
    HEAD
    + """
import traceback

class Theirs:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface

def whole():
    q, other = swathe.Queue("cuda", profiling=True), swathe.Queue("cuda")
    x, y = q.to_device(np.ones(100)), q.zeros(100)
    h, s = q.empty(8, np.float32, space="host"), q.empty(8, space="shared")
    h.host[:] = 1
    saxpy[1, 128, q](2.0, x, y)
    e = q.launch(saxpy, 1, 128, (2.0, x, y))
    other.copy(x, y, after=e, block=False).wait()
    other.launch(saxpy, 1, 128, (2.0, np.ones(100), y), after=[e, q.mark()])
    y[3:50:2] = 1
    y.fill(3)
    for dtype in (np.complex128, np.float16, np.int32):
        q.fill(q.empty((8, 8), dtype), 1)
    big[1, 32, q, 60000](x)
    again[1, 8, q](x)
    saxpy[1, 8, q](2.0, Theirs(y.__cuda_array_interface__), y)
    if y.copy_to_host()[0] != 3:
        raise SystemExit("a wrong number")
    with swathe.Timer(q):
        e.wait()
    e.status, e.elapsed, q.device.memory_info()
    q.sync()

@gpu.jit
def big(x):
    s = gpu.shared.array(0, np.float64)
    s[gpu.threadIdx.x] = x[gpu.threadIdx.x]
    x[gpu.threadIdx.x] = s[gpu.threadIdx.x]

@gpu.jit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@gpu.jit
def again(x):
    x[gpu.grid(1)] = fib(gpu.grid(1))

def child(n, code):
    fake.fake_fail(ctypes.c_long(n), code)
    told = "nothing"
    try:
        whole()
    except errors.Error as e:
        told = type(e).__name__ + " " + " ".join(str(e).split())
        del e
    failed = fake.fake_failed().decode()
    fake.fake_fail(ctypes.c_long(0), 0)
    gc.collect()
    swathe.devices()
    kinds = dict(zip("memory host managed stream event module function link".split(), range(1, 9)))
    left = [k for k in ("stream", "link") if fake.fake_alive(kinds[k])]
    live = "cuda" in [d.backend for d in swathe.devices()] and swathe.Device("cuda").live_bytes
    bad = int(fake.fake_breaches() or fake.fake_depth() or live)
    print("|".join((failed, told, " ".join(left), str(bad))), flush=True)
    if not failed:
        os._exit(9)

fake.fake_failed.restype = ctypes.c_char_p
for n in range(int(sys.argv[2]), 2000, int(sys.argv[3])):
    pid = os.fork()
    if pid == 0:
        try:
            child(n, int(sys.argv[1]))
        except BaseException:
            traceback.print_exc()
            os._exit(7)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 9:
        break
    assert status == 0, (n, status)
"""
)


# The table of test_devices_more.py, on another kind of device.
REFUSED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_devices_more import refused

for n, (kind, call) in enumerate(refused("cuda:0", "cuda:1")):
    try:
        call()
    except Exception as e:
        if not isinstance(e, kind):
            print(n, kind.__name__, type(e).__name__, e)
    else:
        print(n, kind.__name__, "nothing")
print("done")
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands in for libcuda.so.1."""
    out = tmp_path_factory.mktemp("cuda") / "libfakecuda.so"
    build_fake(out)
    return out


def run(fake: Path, tmp_path: Path, code: str, *args: str, **more: str) -> list[str]:
    script = tmp_path / "script.py"
    script.write_text(code)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake)} | more
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


def test_refused(fake: Path, tmp_path: Path) -> None:
    assert run(fake, tmp_path, REFUSED, FAKE_CUDA_DEVICES="2") == ["done"]


def test_full(fake: Path, tmp_path: Path) -> None:
    assert run(fake, tmp_path, FULL) == ["True True", "(16384,)"]


def test_arrays_of_others(fake: Path, tmp_path: Path) -> None:
    lines = run(fake, tmp_path, FOREIGN)
    assert lines[:2] == ["[2. 4. 6.] True", "[9. 6. 3. 0.] (2, 0)"]
    assert lines[2].startswith("(3,) (") and lines[3] == "True"
    assert lines[4:] == ["[3. 3. 3. 3.] (3,)", "TypeError", "0"]


# Functions that only look, or end something: the program goes on without what they say.
_SILENT = {
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuLinkDestroy",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuModuleUnload",
    "cuStreamDestroy_v2",
}


def names_of_driver() -> set[str]:
    """The functions that are called, but for those that only tests/c/cuda.c lets fail."""
    header = (ptx.ROOT / "core/dev/cuda/cu.h").read_text()
    names = {s.split('"')[1] for s in header.splitlines() if s.lstrip().startswith("CU_FN(")}
    return names - {
        "cuCtxPopCurrent_v2",
        "cuGetErrorName",
        "cuGetErrorString",
        "cuLaunchCooperativeKernel",
        "cuMemFreeHost",
        "cuMemFree_v2",
        "cuMemsetD2D8Async",
        "cuModuleUnload",
    }


def test_each_call_of_a_whole_program_fails(fake: Path, tmp_path: Path) -> None:
    """From the first call on, in a process for each, with nothing cached on disk."""
    env = {"SWATHE_CACHE_SIZE": "0", "SWATHE_OPENCL_LIB": "none"}
    told: dict[str, set[str]] = {}
    for line in run(fake, tmp_path, WHOLE, "999", "1", "1", **env):
        failed, what, left, bad = line.split("|")
        if not failed:
            assert what == "nothing"
            continue
        told.setdefault(failed, set()).add(what.split()[0])
        assert bad == "0", line
        ends = {"cuStreamDestroy_v2", "cuLinkDestroy", "cuCtxPushCurrent_v2"}
        assert not left or (failed in ends and what == "nothing"), line
        assert what == "nothing" or failed.removesuffix("_v2") in what, line
    assert names_of_driver() - set(told) == set()
    quiet = {name for name, kinds in told.items() if kinds == {"nothing"}}
    assert quiet <= _SILENT
    for name, kinds in told.items():
        assert kinds <= {"DeviceError", "nothing", "NoDeviceError"}, (name, kinds)


ORDER = (
    HEAD
    + """
from swathe import _queue
if sys.argv[1] == "off":
    _queue.use = lambda *a: ()
a, b = swathe.Queue("cuda"), swathe.Queue("cuda", in_order=False)
for n in range(3):
    x = a.zeros(1000)  # of memory that the last round has freed, with its work still under way
    saxpy[8, 128, b](1.0, x, x)
    x.fill(n)
    b.copy(np.ones(1000), x, block=False)
    y = b.zeros(1000)
    b.copy(y, x, block=False)
    saxpy[8, 128, a](1.0, y, x)
    x.copy_to_host()
    del x, y
one = swathe.Queue("cuda:1")  # its own context
z = one.zeros(3)
saxpy[1, 3, one](1.0, z, z)
z.copy_to_host()
print(fake.fake_breaches())
"""
)


def test_order_of_work(fake: Path, tmp_path: Path) -> None:
    """The stand-in sees who comes before whom, and would say so where it is not said."""
    assert run(fake, tmp_path, ORDER, "on") == ["0"]
    assert int(run(fake, tmp_path, ORDER, "off")[0]) > 0


STREAMS = (
    HEAD
    + """
from swathe import _core
a, b = swathe.Queue("cuda"), swathe.Queue("cuda")
x = a.zeros(8)
a.sync()
mine = x.__cuda_array_interface__
print(mine["stream"] == _core.dev_stream(a._handle) > 2, mine["version"], mine["data"][1])

class Theirs:
    def __init__(self, **more):
        self.__cuda_array_interface__ = mine | more

events = fake.fake_calls_of(b"cuStreamWaitEvent")
for stream in (1, 2):  # of the driver's own: where PyTorch and CuPy are, if nothing is said
    saxpy[1, 8, b](2.0, Theirs(stream=stream), Theirs(stream=None))
print(fake.fake_others_waited(), fake.fake_calls_of(b"cuStreamWaitEvent") - events)
saxpy[1, 8, b](2.0, Theirs(), Theirs())
print(fake.fake_calls_of(b"cuStreamWaitEvent") - events)
for stream in (0, -1, "1", True, 1.0):
    try:
        b.asarray(Theirs(stream=stream))
    except errors.QueueError as e:
        print("QueueError", stream)
for bad in (dict(mask=Theirs()), dict(typestr="|O8")):
    try:
        b.asarray(Theirs(**bad))
    except TypeError as e:
        print("TypeError")
locked = Theirs(data=(mine["data"][0], True))
part = b.asarray(locked)[::2]
for use in (lambda: saxpy[1, 8, b](2.0, part, part), lambda: saxpy[1, 4, b](1.0, x, locked)):
    try:
        use()
    except ValueError as e:
        print("read-only" in str(e), part.__cuda_array_interface__["data"][1])
saxpy[1, 4, b](2.0, locked, x)

class Capsule:
    def __dlpack__(self, *, stream=None):
        print(stream == _core.dev_stream(b._handle))
        return x.__dlpack__(stream=stream)
    def __dlpack_device__(self):
        return x.__dlpack_device__()

saxpy[1, 8, b](2.0, Capsule(), x)
waits = fake.fake_calls_of(b"cuStreamSynchronize")
d = b.asarray(Theirs(stream=1))
saxpy[1, 8, b](2.0, d, d)
del d  # its owner may use the memory at once
gc.collect()
print(fake.fake_calls_of(b"cuStreamSynchronize") - waits, fake.fake_breaches())
"""
)


def test_streams_of_others(fake: Path, tmp_path: Path) -> None:
    lines = run(fake, tmp_path, STREAMS)
    assert lines[:3] == ["True 3 False", "2 4", "6"]
    assert lines[3:8] == [f"QueueError {s}" for s in (0, -1, "1", True, 1.0)]
    assert lines[8:] == ["TypeError", "TypeError", "True True", "True True", "True", "1 0"]


CACHED = (
    HEAD
    + """
fail = int(sys.argv[1])
q = swathe.Queue("cuda")
x = q.zeros(8)
if fail:
    fake.fake_fail_of(b"cuModuleLoadDataEx", 200)
saxpy[1, 8, q](2.0, x, x)
q.sync()
names = b"cuLinkCreate_v2", b"cuModuleLoadDataEx"
print(*[fake.fake_calls_of(n) for n in names], fake.fake_breaches())
"""
)


def test_modules_on_disk(fake: Path, tmp_path: Path) -> None:
    """Linked once; what is damaged, or what the driver doesn't take any more, is linked anew."""
    cache = tmp_path / "cache"
    env = {"SWATHE_CACHE_DIR": str(cache), "SWATHE_OPENCL_LIB": "none"}
    assert run(fake, tmp_path, CACHED, "0", **env) == ["1 1 0"]
    assert run(fake, tmp_path, CACHED, "0", **env) == ["0 1 0"]
    files = [p for p in cache.rglob("*") if p.is_file() and b"CUBIN:" in p.read_bytes()]
    assert len(files) == 1
    whole = files[0].read_bytes()
    at = whole.index(b"CUBIN:")
    for damaged in (whole[: at + 50], whole[:at] + b"XUBIN:" + whole[at + 6 :], b"", b"x" * 200):
        files[0].write_bytes(damaged)
        assert run(fake, tmp_path, CACHED, "0", **env) == ["1 1 0"]
        assert files[0].read_bytes() == whole
        assert run(fake, tmp_path, CACHED, "0", **env) == ["0 1 0"]
    assert run(fake, tmp_path, CACHED, "1", **env) == ["1 2 0"]
    assert run(fake, tmp_path, CACHED, "0", **env) == ["0 1 0"]


ASYNC = (
    HEAD
    + """
import asyncio, threading
from swathe import njit, prange

@gpu.jit
def shift(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]

@njit(parallel=True)
def half(x):
    for i in prange(x.size):
        x[i] = x[i] / 2

def attempt(name, call):
    try:
        call()
        print(name, "nothing")
    except Exception as e:
        lines = str(e).splitlines()
        print(name, type(e).__name__, "block (1, 0, 0), thread (3, 0, 0)" in lines[0],
              *[s.strip() for s in lines if "y[i] = x[i + 3]" in s or s.endswith("in shift")])

q, other = swathe.Queue("cuda"), swathe.Queue("cuda")
x, y = q.zeros(8), q.zeros(8)

def bad(queue=q):
    fake.fake_fault(1)
    return queue.launch(shift, 1, 8, (x, y))

bad(); attempt("sync", q.sync); attempt("again", q.sync)
e = bad(); attempt("event", e.wait)
bad(); attempt("copy", y.copy_to_host)
bad(); attempt("other", other.sync); attempt("its own", q.sync)

def ends(raises=False):
    with swathe.device_context("cuda") as inside:
        bad(inside)
        if raises:
            raise KeyError("mine")
attempt("context", ends)
attempt("its error", lambda: ends(True))
attempt("later", swathe.Device("cuda").queue.sync)

def threads():
    here, there = threading.Event(), threading.Event()
    def fine():
        here.wait(30)
        with swathe.device_context("cuda"):
            half(x)
            saxpy[1, 8](1.0, x, y)
            attempt("fine", y.copy_to_host)
        there.set()
    t = threading.Thread(target=fine)
    t.start()
    with swathe.device_context("cuda") as inside:
        bad(inside)
        here.set()
        t.join()
attempt("thread", threads)

async def task(where):
    with swathe.device_context(where):
        for _ in range(5):
            await asyncio.sleep(0)
            half(x if where == "cuda" else np.ones(3))
            q = swathe.current_queue()
            assert (q.device.backend if q else "native") == where
async def tasks():
    await asyncio.gather(task("cuda"), task("native"), task("cuda"))
asyncio.run(tasks())
bad()
print("end", fake.fake_breaches())
"""
)


def test_errors_at_the_next_wait(fake: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ASYNC)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake), "SWATHE_OPENCL_LIB": "none"}
    r = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=300
    )
    failed = "IndexError True"
    told = {
        line.split(" IndexError")[0].split(" nothing")[0]: line for line in r.stdout.splitlines()
    }
    for name in ("sync", "event", "copy", "its own", "context", "thread"):
        assert failed in told[name] and "in shift" in told[name] and "x[i + 3]" in told[name]
    for name in ("again", "other", "later", "fine"):
        assert told[name] == f"{name} nothing"
    assert "its error KeyError False" in r.stdout and "end 0" in r.stdout
    assert "IndexError" in r.stderr and "shift" in r.stderr  # what nobody waited for
    assert r.returncode == 1


def test_list(fake: Path) -> None:
    command = [sys.executable, "-m", "swathe", "devices", "-v"]
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake), "SWATHE_OPENCL_LIB": "none"}

    def listed(**more: str) -> str:
        r = subprocess.run(command, env=env | more, capture_output=True, text=True, timeout=60)
        assert r.returncode == 0 and not r.stderr
        return r.stdout

    text = listed()
    for part in ("cuda:gpu:0       Fake 0", "cuda:gpu:1", "NVIDIA", "compute capability 8.6"):
        assert part in text
    assert text.index("cuda:gpu:0") < text.index("native:cpu:0")
    assert "opencl: OpenCL: none: cannot open" in text
    text = listed(FAKE_CUDA_DEVICES="0")
    assert "Fake" not in text and "native:cpu:0" in text
    assert "11.0 is needed" in listed(FAKE_CUDA_VERSION="10020")
    text = listed(SWATHE_DEVICE="cuda:1")
    assert "cuda:gpu:0       Fake 1" in text and "leaves out cuda:gpu:0, native:cpu:0" in text
    code = "import swathe as s; d = s.Device(); print(d.name, s.Device(d.filter_string) is d)"
    env |= {"SWATHE_DEVICE": "cuda:1"}
    r = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert r.stdout == "Fake 1 True\n"
