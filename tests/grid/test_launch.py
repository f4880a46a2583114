"""Launches: their forms, what is refused before anything runs, and what kernels raise."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_random import kernel_of

import swathe
from swathe import gpu
from swathe.errors import CompileError, Error, LaunchError, LinkError, TypingError, UnsupportedError


@gpu.jit
def fill(x, a):
    i = gpu.grid(1)
    if i < x.size:
        x[i] = a


@gpu.jit
def sizes(out):
    if gpu.grid(3) == (0, 0, 0):
        out[0] = gpu.gridDim.x
        out[1] = gpu.gridDim.y
        out[2] = gpu.gridDim.z
        out[3] = gpu.blockDim.x
        out[4] = gpu.blockDim.y
        out[5] = gpu.blockDim.z
        out[6] = gpu.shared.array(0, np.uint8).size


@pytest.mark.parametrize(
    ("key", "want"),
    [
        ((3, 4), (3, 1, 1, 4, 1, 1, 0)),
        (((3,), (4,)), (3, 1, 1, 4, 1, 1, 0)),
        (((3, 2), (4, 5)), (3, 2, 1, 4, 5, 1, 0)),
        (((3, 2, 2), (4, 5, 6)), (3, 2, 2, 4, 5, 6, 0)),
        (([1, 2], 4), (1, 2, 1, 4, 1, 1, 0)),
        ((np.int64(2), (np.int32(8), 1)), (2, 1, 1, 8, 1, 1, 0)),
        ((1, 1024), (1, 1, 1, 1024, 1, 1, 0)),
        ((1, 1, None), (1, 1, 1, 1, 1, 1, 0)),
        ((1, 2, 0, 100), (1, 1, 1, 2, 1, 1, 100)),
    ],
)
def test_forms(key: Any, want: Any) -> None:
    out = np.full(7, -1)
    assert sizes[key](out) is None
    assert tuple(out) == want


def test_one_launch_many_calls() -> None:
    launch = fill[2, 4]
    x = np.zeros(8)
    launch(x, 1.0)
    launch(x[:3], a=2)
    launch(a=3, x=x[7:])
    assert list(x) == [2, 2, 2, 1, 1, 1, 1, 3]
    assert launch.kernel is fill and launch.queue is None
    assert repr(launch) == "<launch of fill on (2, 1, 1) blocks of (4, 1, 1) threads>"


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000])
def test_forall(n: int) -> None:
    x = np.zeros(1000)
    fill.forall(n)(x[:n], 1.0)
    fill.forall(ntasks=n, tpb=33, sharedmem=8, stream=0)(x[:n], 2.0)
    assert x.sum() == 2 * n


def test_a_kernel_is_a_decorated_function() -> None:
    @gpu.jit
    def documented(x):
        """Do nothing."""

    assert documented.__name__ == "documented"
    assert documented.__doc__ == "Do nothing."
    documented[1, 1](np.zeros(1))
    assert documented.signatures == ["none(float64[::1])"]


def test_defaults_and_scalars() -> None:
    @gpu.jit
    def scaled(x, a=2, b=None, c=True):
        if b is None and c:
            x[gpu.threadIdx.x] *= a

    x = np.ones(4, np.int16)
    scaled[1, 4](x)
    scaled[1, 2](x, np.float32(3))
    assert list(x) == [6, 6, 2, 2]


def test_tuples_as_arguments() -> None:
    @gpu.jit
    def add(arrays, k):
        i = gpu.grid(1)
        arrays[0][i] = arrays[1][i] + k[0] * k[1]

    x, y = np.zeros(4), np.arange(4.0)
    add[1, 4]((x, y), (2, 5.0))
    assert list(x) == [10, 11, 12, 13]


BAD_SIZES = [
    (0, 1), (1, 0), (-1, 1), (1, -5), (1.0, 1), (1, 2.5), ("1", 1), (None, 1), (True, 1),
    (1, 1025), (1, (32, 33)), (1, (1, 1, 65)), ((1, 2, 3, 4), 1), (1, ()), (2**31, 1),
    ((1, 65536), 1), ((1, 1, 65536), 1), (2**80, 1), (1, 1, "queue"), (1, 1, 3), (1, 1, 0, -1),
    (1, 1, 0, 1 << 20), (1, 1, 0, 1.5), (1, 1, 0, 0, 0), 7, (7,), (), "ab", (1, (8, 0)),
]  # fmt: skip


@pytest.mark.parametrize("key", BAD_SIZES, ids=str)
def test_sizes_are_refused(key: Any) -> None:
    with pytest.raises(LaunchError) as caught:
        fill[key]
    assert isinstance(caught.value, Error) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((), "missing 2 required positional arguments: 'x' and 'a'"),
        ((1,), "missing 1 required positional argument: 'a'"),
        ((1, 2, 3), "takes 2 positional arguments but 3 were given"),
        (([1], 2), "argument 'x' is a list"),
        (({}, 2), "argument 'x' is a dict"),
        ((np.array("a"), 2), "argument 'x' is a"),
        ((np.zeros(2), object()), "argument 'a' is of type object"),
        ((np.zeros(2), 1 << 70), "argument 'a'"),
    ],
)
def test_arguments_are_refused(args: Any, text: str) -> None:
    with pytest.raises((TypeError, OverflowError)) as caught:
        fill[1, 1](*args)
    assert text in str(caught.value)


def test_a_kernel_is_not_called() -> None:
    with pytest.raises(TypeError, match=re.escape("launch it as fill[blocks, threads](...)")):
        fill(np.zeros(1), 2)
    with pytest.raises(TypeError, match="no kernel"):
        swathe.njit(lambda x: x)[1, 1]


def test_signatures() -> None:
    for given in ("void(float32[:], int32)", ["void(float32[:], int32)"]):
        k = gpu.jit(given)(fill.py_func)
        x = np.zeros(5, np.float32)
        k[1, 8](x, 3)
        k[2, 4](x[::2], 4)
        assert list(x) == [4, 3, 4, 3, 4]
        with pytest.raises(TypeError, match="no explicit signature"):
            k[1, 8](np.zeros(5), 3)
        with pytest.raises(TypeError, match="no explicit signature"):
            k[1, 8](x, 2j)
    with pytest.raises(TypeError, match="has 1 argument"):
        gpu.jit("void(float32[:])")(fill.py_func)
    with pytest.raises(TypeError):
        gpu.jit("void(float32[:], nonsense)")(fill.py_func)


def test_options() -> None:
    with pytest.raises(TypeError, match="unexpected option 'fastmth'"):
        gpu.jit(fastmth=True)
    with pytest.raises(LinkError, match="a.o"):
        gpu.jit(link=["a.o"])(fill.py_func)
    with pytest.raises(TypeError, match="compiles functions"):
        gpu.jit(3)
    assert gpu.jit(lineinfo=True, max_registers=32, opt=True)(fill.py_func)[1, 1] is not None


# ---- what is wrong in a kernel -----------------------------------------------------


def refused(function: Any, error: type[Exception], text: str, *args: Any) -> None:
    with pytest.raises(error) as caught:
        gpu.jit(function)[1, 1](*(args or (np.zeros(4),)))
    assert text in str(caught.value), str(caught.value)
    assert isinstance(caught.value, CompileError)


def test_messages() -> None:
    def returns(x):
        return x[0]

    def assigns(x):
        gpu.threadIdx.x = 3

    def shape(x):
        gpu.shared.array(x.size, np.float32)

    def big(x):
        gpu.shared.array((1000, 1000), np.float32)

    def empty(x):
        gpu.local.array((4, 0), np.float32)

    def dtype(x):
        gpu.shared.array(4, "nope")

    def misspelt(x):
        x[gpu.treadIdx.x] = 1

    def axis(x):
        x[gpu.threadIdx.w] = 1

    def four(x):
        gpu.grid(4)

    def rank(x):
        gpu.atomic.add(x, (0, 0), 1)

    def bits(x):
        gpu.atomic.and_(x, 0, 1)

    def missing(x):
        gpu.atomic.add(x, 0)

    def number(x):
        gpu.atomic.add(3, 0, 1)

    def const(x):
        gpu.const.array_like(x)

    def mask(x):
        gpu.shfl_sync(1.5, x[0], 1)

    refused(returns, TypingError, "a kernel returns nothing, and this is float64")
    refused(assigns, TypingError, "gpu.threadIdx.x says where the thread is, and can't be assigned")
    refused(shape, TypingError, "the shape must be known at compile time")
    refused(big, ValueError, "4000000 bytes are more than the 49152 that a block may have")
    refused(empty, ValueError, "a size of 0")
    refused(dtype, TypingError, "'nope'")
    refused(misspelt, AttributeError, "did you mean 'threadIdx'?")
    refused(axis, AttributeError, "has no attribute 'w'")
    refused(four, ValueError, "a grid has 1, 2 or 3 dimensions, not 4")
    refused(rank, IndexError, "2 indices for an array of 1 axis")
    refused(bits, TypingError, "no such operation on float64")
    refused(missing, TypingError, "missing the argument 'val'")
    refused(number, TypingError, "argument 'ary' must be an array")
    refused(const, TypingError, "an array that is known at compile time")
    refused(mask, TypingError, "argument 'mask' must be an integer")


def test_outside_of_kernels() -> None:
    def index(x):
        x[gpu.threadIdx.x] = 1

    def barrier(x):
        gpu.syncthreads()

    def add(x):
        gpu.atomic.add(x, 0, 1)

    for f, what in (
        (index, "gpu.threadIdx.x"),
        (barrier, "gpu.syncthreads()"),
        (add, "gpu.atomic.add()"),
    ):
        with pytest.raises(UnsupportedError) as caught:
            swathe.njit(f)(np.zeros(1))
        assert f"{what} means something only in a kernel" in str(caught.value)
        assert "swathe.gpu.jit" in str(caught.value)
        with pytest.raises((RuntimeError, TypeError, IndexError)):
            f(np.zeros(1))


def test_arithmetic_outside_of_kernels() -> None:
    def bits(x):
        return gpu.popc(x), gpu.clz(x), gpu.ffs(x), gpu.brev(x)

    for v in (0, 1, -1, 12345, np.int32(77), np.uint8(200), np.int16(-5)):
        assert swathe.njit(bits)(v) == bits(v)


# ---- what threads raise -----------------------------------------------------


@pytest.mark.parametrize("debug", [False, True])
def test_out_of_bounds(debug: bool) -> None:
    @gpu.jit(debug=debug)
    def reach(x):
        x[gpu.grid(1)] = 1

    x = np.zeros(6)
    with pytest.raises(IndexError) as caught:
        reach[2, 4](x)
    text = str(caught.value)
    assert "index 6 is out of bounds for axis 0 of 'x' with size 6" in text
    assert "in block (1, 0, 0), thread (2, 0, 0)" in text
    assert "x[gpu.grid(1)] = 1" in text


def test_raise() -> None:
    @gpu.jit
    def picky(x):
        if x[gpu.grid(1)] > 2:
            raise ValueError("too much")

    picky[2, 2](np.array([0, 1, 2, 1]))
    with pytest.raises(
        ValueError, match=re.escape("too much (in block (1, 0, 0), thread (1, 0, 0))")
    ):
        picky[2, 2](np.array([0, 1, 2, 3]))


def test_zero_division() -> None:
    @gpu.jit
    def divide(x, k):
        x[gpu.threadIdx.x] = 10 // (gpu.threadIdx.x - k)

    x = np.zeros(4, np.int64)
    divide[1, 4](x, -1)
    assert list(x) == [10, 5, 3, 2]
    with pytest.raises(ZeroDivisionError):
        divide[1, 4](x, 2)


def test_print(capfd: pytest.CaptureFixture[str]) -> None:
    @gpu.jit
    def say(x):
        i = gpu.grid(1)
        if i < 3:
            print("thread", i, x[i])

    say[1, 4](np.array([1.5, 2.5, 3.5, 4.5]))
    assert sorted(capfd.readouterr().out.splitlines()) == [
        "thread 0 1.5",
        "thread 1 2.5",
        "thread 2 3.5",
    ]


# ---- arrays of the device -----------------------------------------------------


def test_device_arrays() -> None:
    x = np.arange(6.0).reshape(2, 3)
    d = gpu.to_device(x)
    d2 = gpu.device_array_like(d)
    assert d2.shape == (2, 3) and d2.dtype == x.dtype

    @gpu.jit
    def double(a, b):
        i, j = gpu.grid(2)
        b[i, j] = 2 * a[i, j]

    double[(1, 1), (2, 3)](d, d2)
    gpu.synchronize()
    assert type(d2.copy_to_host()) is np.ndarray
    assert np.array_equal(d2.copy_to_host(), 2 * x)
    out = np.zeros((2, 3))
    assert d2.copy_to_host(out) is out and np.array_equal(out, 2 * x)
    assert np.array_equal(x, np.arange(6.0).reshape(2, 3))
    d.copy_to_device(out)
    assert np.array_equal(d, 2 * x)
    assert np.array_equal(d[1, 1:].copy_to_host(), 2 * x[1, 1:])
    assert gpu.device_array((2, 2), np.float32, order="F").is_f_contiguous()
    with pytest.raises(ValueError, match="can't take"):
        d.copy_to_host(np.zeros(3))
    with pytest.raises(ValueError, match="can't take"):
        d.copy_to_device(np.zeros((2, 3), np.int8))


# ---- threads of the host, and changes -----------------------------------------------------


def test_launches_from_threads() -> None:
    @gpu.jit
    def count(x):
        x[gpu.grid(1)] += 1

    arrays = [np.zeros(64) for _ in range(8)]

    def work(k: int) -> None:
        for n in (1, 2, 4, 8):
            count[64 // n, n](arrays[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all((a == 4).all() for a in arrays)


def test_numba_names() -> None:
    from swathe.compat.numba import cuda, float32, int32, njit, void

    @njit
    def square(v):
        return v * v

    @cuda.jit(device=True)
    def twice(v):
        return 2 * v

    @cuda.jit(void(float32[:], int32))
    def kernel(x, k):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = square(x[i]) + twice(k) + cuda.threadIdx.x * 0

    stream = cuda.stream()
    d = cuda.to_device(np.arange(5, dtype=np.float32))
    start, end = cuda.event(), cuda.event()
    start.record(stream)
    kernel[2, 4, stream](d, 1)
    end.record(stream)
    with stream.auto_synchronize():
        kernel.forall(5)(d, 0)
    assert list(d.copy_to_host()) == [(k * k + 2) ** 2 for k in range(5)]
    assert cuda.event_elapsed_time(start, end) >= 0
    assert cuda.is_available()


def test_own_array_behind_barrier() -> None:
    def kernel(x):
        v = np.zeros(3)
        v[0] = x[gpu.threadIdx.x]
        gpu.syncthreads()
        x[gpu.threadIdx.x] = v[0]

    with pytest.raises(swathe.errors.UnsupportedError, match=r"'v'.* use gpu\.local\.array"):
        gpu.jit(kernel)[1, 4](np.zeros(4))


@pytest.mark.parametrize(
    ("op", "dtype"),
    [(op, d) for op in ("add", "max", "exch", "cas") for d in ("complex64", "complex128")]
    + [(op, "float32") for op in ("and_", "or_", "xor", "inc", "dec")]
    + [(op, "bool") for op in ("add", "sub", "min", "nanmax", "inc", "dec")],
)
def test_no_such_atomic(op: str, dtype: str, tmp_path: Path) -> None:
    args = "v[0], v[0]" if op == "cas" else "v[0]"
    text = f"def kernel(a, v):\n    gpu.atomic.{op}(a, 0, {args})\n"
    a = np.zeros(2, dtype)
    with pytest.raises(swathe.errors.TypingError, match=f"no such operation on {dtype}"):
        gpu.jit(kernel_of(text, tmp_path / "k.py"))[1, 1](a, a)
