# SPDX-License-Identifier: BSD-3-Clause
"""What the driver of a CUDA device is told, against a library that stands in for it.

Each test is a program of its own: `fake` is the library (tests/c/fake_cuda.c), which counts calls,
keeps the order of streams, and says what is used too early.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ptx import CC, FLAGS, ROOT, build_fake, compile_c  # noqa: E402

pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")

HEAD = """
import ctypes, gc, os, sys
import numpy as np
import swathe
from swathe import errors, gpu
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_launch.restype = ctypes.c_char_p
fake.fake_calls_of.restype = ctypes.c_long

def calls(*names):
    return tuple(fake.fake_calls_of(n.encode()) for n in names)

def launched():
    '''How, what, grid, block, shared; then the arguments.'''
    return fake.fake_launch().decode().split()

@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]

@gpu.jit
def shift(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands in for libcuda.so.1."""
    out = tmp_path_factory.mktemp("cuda") / "libfakecuda.so"
    build_fake(out)
    return out


def go(fake: Path, tmp_path: Path, code: str, status: int = 0, **more: str) -> Any:
    """Run a program; what it does in the wrong order is an error."""
    script = tmp_path / "script.py"
    end = "\ngc.collect()\nassert not fake.fake_breaches()\n"
    script.write_text(HEAD + code + end)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake)} | more
    r = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=120
    )
    assert r.returncode == status, r.stdout + r.stderr
    assert "fake_cuda:" not in r.stderr, r.stderr
    return r


# ---- barriers over the grid ----------------------------------------------------------------------


def test_barrier_of_the_grid(tmp_path: Path) -> None:
    """The functions that devices run, run by threads here: whoever fails, nobody waits for ever."""
    program = tmp_path / "grid_sync"
    source = ROOT / "tests/c/grid_sync.c"
    compile_c(*FLAGS, f"-I{ROOT}/core", source, "-o", program, "-lpthread", "-lm")
    r = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr


def test_each_cooperative_launch_has_a_word(fake: Path, tmp_path: Path) -> None:
    code = """
@gpu.jit
def flip(x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] = x[i]
    gpu.syncgrid()
    if i < x.size:
        x[i] = y[x.size - 1 - i]

@gpu.jit(boundscheck=False)
def never(x, y):
    gpu.syncgrid()
    x[gpu.grid(1)] = 1

for kernel in (flip, never):
    seen = set()
    queues = [swathe.Queue("cuda") for _ in range(2)]
    for n in range(70):
        q = queues[n % 2]
        x, y = q.zeros(8), q.zeros(8)
        kernel[2, 4, q](x, y)
        how, *_, record = launched()
        assert how == "cooperative", how
        seen.add(record)
    assert len(seen) == 70, len(seen)
    del x, y
    for q in queues:
        q.sync()
"""
    go(fake, tmp_path, code)


# ---- events, and the records of launches --------------------------------------------------------


def test_waiting_for_an_event_waits_for_no_more(fake: Path, tmp_path: Path) -> None:
    code = """
q = swathe.Queue("cuda")
x = q.zeros(8)
early = q.launch(saxpy, 1, 8, (2.0, x, x))
fake.fake_fault(1)
late = q.launch(shift, 1, 8, (x, x))
fake.fake_trace(ctypes.c_uint64(swathe._core.dev_stream(q._handle)))
early.wait()
early.wait()
assert fake.fake_traced() == 0, "the queue was waited for"
for _ in range(2):
    try:
        late.wait()
    except IndexError as e:
        assert _ == 0 and "block (1, 0, 0), thread (3, 0, 0)" in str(e), e
    else:
        assert _ == 1
assert fake.fake_traced() == 0, "the queue was waited for"
q.sync()
assert fake.fake_traced() == 1
"""
    go(fake, tmp_path, code)


def test_many_launches_wait_for_nothing(fake: Path, tmp_path: Path) -> None:
    code = """
q = swathe.Queue("cuda")
x = q.zeros(8)
shift[1, 8, q](x, x)
q.sync()
wrong = 0
for busy in (0, 1):
    fake.fake_busy(busy)
    fake.fake_trace(ctypes.c_uint64(swathe._core.dev_stream(q._handle)))
    for n in range(1000):
        if n in (3, 500, 900):
            fake.fake_fault(1)
        shift[1, 8, q](x, x)
    assert fake.fake_traced() == 0, busy
    assert len(q._faults.full) + len(q._faults.spare) <= (16 if busy else 2)
    fake.fake_busy(0)
    while True:
        try:
            q.sync()
            break
        except IndexError:
            wrong += 1
    assert not q._faults.pending and not q._faults.full
    assert len(q._faults.spare) <= 4
assert wrong == 2, wrong
"""
    go(fake, tmp_path, code)


def test_times_after_hours(fake: Path, tmp_path: Path) -> None:
    """The difference of two events is the driver's own, however long the queue is there."""
    code = """
time = lambda ms: fake.fake_time(ctypes.c_double(ms))
for start in (0.0, 3 * 3600e3, 100 * 24 * 3600e3):
    time(0.0)
    q = swathe.Queue("cuda", profiling=True)
    x = q.zeros(8)
    time(start + 10)
    a = q.mark()
    time(start + 10.25)
    b = q.mark()
    assert a.elapsed_time(b) == 0.25, (start, a.elapsed_time(b))
    assert b.elapsed_time(a) == -0.25
    for first, then in ((a, b), (b, a)):  # whichever is asked first
        first.times
        time(start + 20)
        mine = q.launch(saxpy, 1, 8, (1.0, x, x)) if start else q.mark()
        time(start + 20.5)
        c = q.mark()
        near = b.times["ended"] - a.times["ended"], c.times["ended"] - mine.times["started"]
        assert near == (250_000, 500_000), (start, near)
        assert abs(a.times["ended"] - 1e6 * (start + 10)) <= 1e-6 * 1e6 * (start + 10), start
        time(start + 10)
        a = q.mark()
        time(start + 10.25)
        b = q.mark()
    del a, mine, c, first, then
    gc.collect()
    time(start + 30)
    b = a = q.mark()
    assert swathe.Queue("cuda", profiling=True).mark().elapsed == 0
other = swathe.Queue("cuda:1", profiling=True).mark()
plain = swathe.Queue("cuda").mark()
for x, y in ((a, plain), (plain, a)):
    try:
        x.elapsed_time(y)
    except errors.QueueError:
        continue
    raise SystemExit("times without profiling")
"""
    go(fake, tmp_path, code)


def test_memory_in_the_order_of_a_queue(fake: Path, tmp_path: Path) -> None:
    """A freed piece comes back at once to its queue, while what used it still runs; others wait."""
    code = """
q, other = swathe.Queue("cuda"), swathe.Queue("cuda")
x = q.zeros(1000)
saxpy[8, 128, q](1.0, x, x)
saxpy[8, 128, other](1.0, x, x)
fake.fake_busy(1)
made = calls("cuMemAlloc_v2")
for n in range(20):
    t = q.empty(5000)
    saxpy[8, 128, q](1.0, x, t)
    u = t[:1000] if n % 2 else t
    del t
    saxpy[8, 128, q](1.0, u, x)
    q.copy(x, u[:1000], block=False)
    del u
assert calls("cuMemAlloc_v2")[0] - made[0] == 1, calls("cuMemAlloc_v2")
t = q.empty(5000)  # still in use by what came before it in its queue: another queue comes after
saxpy[8, 128, other](1.0, t, x)
fill = other.fill(t, 3)
del t, fill
a, b = q.empty(5000), other.empty(5000)  # used by two queues now: nobody has it at once
assert calls("cuMemAlloc_v2")[0] - made[0] == 3
other.fill(b, 1)
q.fill(a, 1)
fake.fake_busy(0)
"""
    go(fake, tmp_path, code)


# ---- functions that call themselves -------------------------------------------------------------


def test_stack_of_recursion(fake: Path, tmp_path: Path) -> None:
    """The stack grows to what the deepest call may need, and the depth is checked."""
    code = """
fake.fake_stack.restype = ctypes.c_size_t

@gpu.jit
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)

@gpu.jit
def even(n):
    return 1 if n == 0 else odd(n - 1)

@gpu.jit
def odd(n):
    return 0 if n == 0 else even(n - 1)

@gpu.jit
def keeps(n):
    t = gpu.local.array(100, np.float64)
    for i in range(100):
        t[i] = n + i
    return t[n % 100] if n <= 0 else t[n % 100] + keeps(n - 1)

@gpu.jit
def deep(x):
    x[gpu.grid(1)] = down(gpu.grid(1))

@gpu.jit
def both(x):
    x[gpu.grid(1)] = even(gpu.grid(1))

@gpu.jit
def large(x):
    x[gpu.grid(1)] = keeps(gpu.grid(1))

q = swathe.Queue("cuda")
x = q.zeros(8)
saxpy[1, 8, q](1.0, x, x)
assert fake.fake_stack() == 1024
sizes = []
for k in (deep, both, large, deep):
    k[1, 8, q](x)
    sizes.append(fake.fake_stack())
assert 128 * 100 < sizes[0] == sizes[1] < 64 << 10, sizes
assert 128 * 900 < sizes[2] == sizes[3] < 256 << 10, sizes
fake.fake_fault(-3)
deep[1, 8, q](x)
try:
    q.sync()
except RecursionError as e:
    assert "block (1, 0, 0)" in str(e), e
else:
    raise SystemExit("nothing was raised")
fake.fake_fail_of(b"cuCtxSetLimit", 2)

@gpu.jit
def most(x):
    t = gpu.local.array(300, np.float64)
    for i in range(300):
        t[i] = x[i % 8]
    x[0] = keeps(8) + t[int(x[1])]

try:
    most[1, 8, q](x)
except errors.DeviceMemoryError as e:
    assert "a stack of" in str(e), e
else:
    raise SystemExit("nothing was raised")
q.sync()
"""
    go(fake, tmp_path, code)


# ---- memory that other libraries use, too -------------------------------------------------------

# Modules that look like the libraries; `work` is what they do to the memory in a stream.
THEIRS = """
import types
from swathe import _core, njit, prange

class Stream:
    def __init__(self, handle):
        self.cuda_stream = self.ptr = handle

class Current:
    now = Stream(0)

def module(name, get, **more):
    m = types.ModuleType(name)
    m.cuda = types.SimpleNamespace(**{get: lambda index=None: Current.now}, **more)
    sys.modules[name] = m
    return m

owner = swathe.Queue("cuda")
memory = owner.zeros(16)
owner.sync()
base = dict(memory.__cuda_array_interface__)
del base["stream"]
memory._uses.theirs = None
address = base["data"][0]

class Array:
    '''Memory of a library: of version 2, which names no stream, unless it is said.'''

    def __init__(self, **more):
        self.more = more

    @property
    def __cuda_array_interface__(self):
        return base | dict(version=2) | self.more

class Capsule(Array):
    __cuda_array_interface__ = property()

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream):
        _core.dev_after_stream(q._handle, Current.now.ptr)
        return memory.__dlpack__(stream=-1)

def made_by(kind, library):
    return type(kind.__name__, (kind,), dict(__module__=library + ".inner"))

def work(stream=None):
    fake.fake_touch(ctypes.c_void_p(Current.now.ptr if stream is None else stream),
                    ctypes.c_uint64(address), 1)

def go(uses, array):
    '''Theirs, ours, theirs, ours: each after the one before.'''
    work()
    for use in uses:
        use(array)
        work()
    fake.fake_quiet()

q = swathe.Queue("cuda")
other = q.zeros(16)

@njit(parallel=True)
def double(x):
    for i in prange(x.size):
        x[i] *= 2

def call(a):
    with swathe.device_context(q):
        double(a)

uses = [
    lambda a: saxpy[1, 16, q](2.0, a, a),
    lambda a: saxpy[1, 16, q](2.0, other, a),
    lambda a: q.launch(saxpy, 1, 16, (2.0, a, other)),
    call,
]
made = [
    lambda a: a.fill(3),
    lambda a: a[::2].fill(3),
    lambda a: q.copy(other, a, block=False),
    lambda a: q.copy(a, other, block=False),
    lambda a: q.copy(a, np.ones(16)),
    lambda a: a.copy(),
    lambda a: a.copy_to_host(),
    lambda a: saxpy[1, 8, q](2.0, a[1:9], a[1:9]),
    lambda a: saxpy[1, 16, q](2.0, np.ones(16), a),
]
streams = [Current.now] + [
    Stream(_core.dev_stream(s._handle)) for s in (swathe.Queue("cuda"), swathe.Queue("cuda"))
]
kept = [s for s in (swathe.Queue("cuda"), swathe.Queue("cuda"))]
streams += [Stream(_core.dev_stream(s._handle)) for s in kept]
del streams[1:3]
"""


@pytest.mark.parametrize("library", ["torch", "cupy", "numbers"])
@pytest.mark.parametrize("kind", ["Array", "Capsule"])
def test_order_with_libraries(fake: Path, tmp_path: Path, library: str, kind: str) -> None:
    """In both directions, with their current stream whichever it is then; else the default one."""
    code = (
        THEIRS
        + f"""
kind, library = {kind}, {library!r}
if library == "torch":
    module("torch", "current_stream", is_initialized=lambda: True)
elif library == "cupy":
    module("cupy", "get_current_stream")
else:
    del streams[1:]
array = made_by(kind, library)()
for Current.now in streams:
    go(uses[:3] if kind is Capsule else uses, array)
    ours = q.asarray(array)
    go(uses + made, ours)
kept_on = q.asarray(array)  # an array that is used while their stream changes
for Current.now in streams + streams[::-1]:
    go(uses + made, kept_on)
"""
    )
    go(fake, tmp_path, code)


def test_order_with_a_named_stream(fake: Path, tmp_path: Path) -> None:
    code = (
        THEIRS
        + """
for Current.now in [Stream(1), Stream(2), *streams[1:]]:
    array = Array(version=3, stream=Current.now.ptr)
    go(uses, array)
    go(uses + made, q.asarray(array))
waits = calls("cuStreamWaitEvent")
free = Array(version=3, stream=None)  # it says that nothing is to be waited for
saxpy[1, 16, q](2.0, free, free)
assert calls("cuStreamWaitEvent") == waits
for stream in (0, -1, "1", 1.5):
    try:
        saxpy[1, 16, q](2.0, Array(version=3, stream=stream), other)
    except errors.QueueError:
        continue
    raise SystemExit(stream)
"""
    )
    go(fake, tmp_path, code)


def test_order_of_what_is_lent(fake: Path, tmp_path: Path) -> None:
    """Arrays of ours that others look at: their work comes before and after ours."""
    code = (
        THEIRS
        + """
module("torch", "current_stream", is_initialized=lambda: True)
for Current.now in streams:
    for show in (
        lambda a: a.__dlpack__(stream=Current.now.ptr or 1),
        lambda a: a[2:].__dlpack__(stream=Current.now.ptr or 1),
        lambda a: _core.dev_after_stream(owner._handle, Current.now.ptr)
        or fake.cuStreamWaitEventOf(a.__cuda_array_interface__["stream"]),
    ):
        a = q.zeros(16)
        saxpy[1, 16, q](2.0, a, a)
        fake.cuStreamWaitEventOf = lambda s: _core.dev_before_stream(
            q._handle, Current.now.ptr or 1)
        capsule = show(a)
        address = _core.dev_mem_address(a._memory)
        go(uses + made, a)
        a.copy_to_host()
syncs = calls("cuStreamSynchronize")
a.__dlpack__()
a.__dlpack__(stream=2)
a.__dlpack__(stream=-1)
assert calls("cuStreamSynchronize") == syncs
for stream in (0, -2, "1"):
    try:
        a.__dlpack__(stream=stream)
    except ValueError:
        continue
    raise SystemExit(stream)
del sys.modules["torch"]
Current.now = Stream(1)
work()
go(uses + made, a)
"""
    )
    go(fake, tmp_path, code)


def test_the_stand_in_would_tell(fake: Path, tmp_path: Path) -> None:
    """Without the order, the stand-in sees work that comes too early, in each direction."""
    code = (
        THEIRS
        + """
from swathe import _core
module("torch", "current_stream", is_initialized=lambda: True)
Current.now = streams[1]
ours = q.asarray(made_by(Array, "torch")())
for name in ("dev_after_stream", "dev_before_stream"):
    keep = getattr(_core, name)
    setattr(_core, name, lambda *a: None)
    before = fake.fake_breaches()
    go(uses[:1], ours)
    assert fake.fake_breaches() > before, name
    setattr(_core, name, keep)
    q.sync()
    kept[0].sync()
os._exit(0)
"""
    )
    script = tmp_path / "script.py"
    script.write_text(HEAD + code)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake)}
    r = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=99
    )
    assert r.returncode == 0, r.stdout + r.stderr
    assert r.stderr.count("has not done with") >= 2


# ---- how a process ends -------------------------------------------------------------------------


@pytest.mark.parametrize("seen", [False, True])
def test_a_device_that_is_lost_unseen(fake: Path, tmp_path: Path, seen: bool) -> None:
    """The driver tells of it at the first wait, which may be that at the end of the process."""
    code = f"""
q = swathe.Queue("cuda")
x = q.zeros(8)
shift[1, 8, q](x, x)
fake.fake_fail_of(b"cuStreamSynchronize", 700)
if {seen}:
    try:
        q.sync()
    except errors.DeviceLostError:
        fake.fake_fail_of(b"cuStreamSynchronize", 700)
"""
    r = go(fake, tmp_path, code, 0 if seen else 1)
    assert ("DeviceLostError" in r.stderr) == (not seen), r.stderr


@pytest.mark.parametrize("opened", ["swathe.devices()", "q = swathe.Queue('cuda')", "launch()"])
def test_a_child_of_fork_ends(fake: Path, tmp_path: Path, opened: str) -> None:
    """Also where the driver's library would wait for threads that only the parent has."""
    code = f"""
import atexit, time

def launch():
    global q
    q = swathe.Queue("cuda")
    x = q.zeros(8)
    saxpy[1, 8, q](1.0, x, x)

def wait(pid):
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "it hangs"

before = os.fork()  # before the driver is opened: it is the child's own
if before == 0:
    launch()
    sys.exit(3)
assert wait(before) == 3
{opened}
ends = [lambda: sys.exit(5), lambda: None, lambda: 1 / 0, lambda: os._exit(6)]
for status, end in zip((5, 0, 1, 6), ends):
    pid = os.fork()
    if pid == 0:
        atexit.register(lambda: print("child", status))
        y = np.ones(8)
        saxpy[1, 8](1.0, y, y)
        sys.stderr = open(os.devnull, "w")
        end()
        sys.exit(0)
    found = wait(pid)
    assert found == status, (found, status)
"""
    r = go(fake, tmp_path, code, FAKE_CUDA_THREADS="1")
    assert sorted(r.stdout.split("\n")) == ["", "child 0", "child 1", "child 5"], r.stdout


def test_children_of_multiprocessing(fake: Path, tmp_path: Path) -> None:
    """They run none of atexit's functions; what else they end with stays."""
    code = """
import multiprocessing, time
from swathe import errors, gpu

def lose(seen=False, end=None, keep=True):
    global q
    here = swathe.Queue("cuda")
    if keep:
        q = here
    x = here.zeros(8)
    shift[1, 8, here](x, x)
    fake.fake_fail_of(b"cuStreamSynchronize", 700)
    if seen:
        try:
            here.sync()
        except errors.DeviceLostError:
            pass
    if end is not None:
        raise end

CASES = [
    ((False,), 1, "DeviceLostError"),
    ((False, None, False), 1, "DeviceLostError"),
    ((False, SystemExit(0)), 1, "DeviceLostError"),
    ((False, SystemExit(3)), 3, "DeviceLostError"),
    ((False, ValueError("its own")), 1, "ValueError: its own"),
    ((True,), 0, ""),
    ((True, ValueError("its own")), 1, "ValueError: its own"),
]

def ends(method, args):
    child = multiprocessing.get_context(method).Process(target=lose, args=args)
    child.start()
    child.join(60)
    return child.exitcode

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        for args, status, said in CASES:
            print("#", method, args, file=sys.stderr, flush=True)
            found = ends(method, args)
            assert found == status, (method, args, found)
"""
    r = go(fake, tmp_path, code)
    for part in r.stderr.split("# ")[1:]:
        args = part.splitlines()[0]
        lost, raised = "(True" not in args, "ValueError" in args
        assert ("DeviceLostError" in part) == lost, part
        assert ("Error: its own" in part) == raised, part
