# SPDX-License-Identifier: BSD-3-Clause
"""Programs written for ParPy, with nothing changed but the import."""

import numpy as np
import pytest

import swathe
import swathe.compat.parpy as parpy
from swathe.compat.parpy.builtin import convert, ranges
from swathe.compat.parpy.types import F32, F64

rng = np.random.default_rng(1)


@parpy.jit
def axpy(a, x, y, N):
    parpy.label("N")
    for i in range(N):
        y[i] = a * x[i] + y[i]


def test_axpy():
    x, y = rng.random(1024), rng.random(1024)
    want = 2.5 * x + y
    axpy(2.5, x, y, 1024, opts=parpy.par({"N": parpy.threads(128)}))
    assert np.array_equal(y, want)


@parpy.jit
def mv(A, b, out, N):
    parpy.label("N")
    for row in range(N):
        parpy.label("M")
        out[row] = parpy.operators.sum(A[row, :] * b[:])


def test_matrix_vector_product():
    A, b, out = rng.random((40, 30)), rng.random(30), np.zeros(40)
    opts = parpy.par({"N": parpy.threads(40), "M": parpy.threads(32).reduce()})
    mv(A, b, out, 40, opts=opts)
    assert np.allclose(out, A @ b)


def test_options_may_change():
    opts = parpy.par({"N": parpy.threads(40)})
    opts.backend = parpy.default_backend()
    opts.seq = True
    A, b, out = rng.random((4, 3)), rng.random(3), np.zeros(4)
    mv(A, b, out, 4, opts=opts)
    assert np.allclose(out, A @ b)
    mv(A, b, out, 4, opts=parpy.seq())


@parpy.jit
def matmul(A, B, C, M, N):
    parpy.label("M")
    for i in range(M):
        parpy.label("N")
        for j in range(N):
            parpy.label("K")
            C[i, j] = parpy.reduce.sum(A[i, :] * B[:, j])


def test_matmul_over_buffers():
    backend = parpy.default_backend()
    A = parpy.buffer.from_array(rng.random((12, 9)).astype(np.float32), backend)
    B = parpy.buffer.from_array(rng.random((9, 7)).astype(np.float32), backend)
    C = parpy.buffer.zeros((12, 7), B.dtype, backend)
    p = {"M": parpy.threads(12), "N": parpy.threads(7), "K": parpy.threads(32)}
    matmul(A, B, C, 12, 7, opts=parpy.par(p))
    C.sync()
    assert np.allclose(C.numpy(), A.numpy() @ B.numpy(), atol=1e-4)
    assert type(C.numpy()) is np.ndarray
    assert backend == parpy.CompileBackend.Cuda or np.shares_memory(C.numpy(), C)


T = parpy.types.type_var()
M = parpy.types.shape_var()
N = parpy.types.shape_var()
K = parpy.types.shape_var()


@parpy.jit
def matmul_by_shapes(
    A: parpy.types.buffer(T, [M, K]),
    B: parpy.types.buffer(T, [K, N]),
    C: parpy.types.buffer(T, [M, N]),
):
    for i in range(M):
        for j in range(N):
            C[i, j] = parpy.reduce.sum(A[i, :K] * B[:K, j])


def test_shapes_label_by_themselves():
    A, B, C = rng.random((5, 6)), rng.random((6, 4)), np.empty((5, 4))
    p = {"M": parpy.threads(5), "N": parpy.threads(4), "K": parpy.reduce()}
    matmul_by_shapes(A, B, C, opts=parpy.par(p))
    assert np.allclose(C, A @ B)
    with pytest.raises(TypeError, match="parameter 'B' was annotated"):
        matmul_by_shapes(A, A, C)
    with pytest.raises(TypeError, match="parameter 'B' was annotated"):
        matmul_by_shapes(A, B.astype(np.float32), C)
    with pytest.raises(TypeError, match="parameter 'A' was annotated as an array of 2 axes"):
        matmul_by_shapes(A[0], B, C)


@parpy.jit
def add_ten(x: parpy.types.buffer(F32, [N]), y: parpy.types.buffer(T, [parpy.types.literal(10)])):
    x[:N] += y[:N]


def test_literal_sizes_and_fixed_types():
    x = np.ones(10, np.float32)
    add_ten(x, np.arange(10), opts=parpy.par({"N": parpy.threads(3)}))
    assert x.tolist() == list(range(1, 11))
    with pytest.raises(TypeError, match="parameter 'y' was annotated with a size"):
        add_ten(x, np.arange(11))
    with pytest.raises(TypeError, match="parameter 'x' was annotated with a type"):
        add_ten(np.ones(10), np.arange(10))


@parpy.jit
def softmax(x, out, N):
    parpy.label("i")
    for i in range(N):
        parpy.label("j")
        m = parpy.operators.max(x[i, :])
        parpy.label("j")
        out[i, :] = parpy.math.exp(x[i, :] - m)
        parpy.label("j")
        s = parpy.reduce.sum(out[i, :])
        parpy.label("j")
        out[i, :] /= s


def test_softmax():
    x = rng.random((8, 33))
    out = np.empty_like(x)
    want = np.exp(x - x.max(1, keepdims=True))
    want /= want.sum(1, keepdims=True)
    softmax(x, out, 8, opts=parpy.par({"i": parpy.threads(8), "j": parpy.threads(32).reduce()}))
    assert np.allclose(out, want)


@parpy.jit
def jacobi(A, B, steps):
    for t in range(1, steps):
        parpy.label("N")
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3.0
        parpy.label("N")
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3.0


def test_jacobi():
    a, b = rng.random(50), rng.random(50)
    a2, b2 = a.copy(), b.copy()
    jacobi(a, b, 10, opts=parpy.par({"N": parpy.threads(50)}))
    jacobi.py_func(a2, b2, 10)
    assert np.allclose(a, a2) and np.allclose(b, b2)


@parpy.jit
def backend_value(x):
    with parpy.gpu:
        if parpy.builtin.static_backend_eq(parpy.CompileBackend.Cuda):
            x[0] = 1
        elif parpy.builtin.static_backend_eq(parpy.CompileBackend.Cpu):
            x[0] = 2
        else:
            parpy.builtin.static_fail("Function only supports CUDA and the CPU")


@parpy.jit
def type_value(x: parpy.types.buffer(T, [N])):
    with parpy.gpu:
        if parpy.builtin.static_types_eq(T, parpy.types.U8):
            x[0] = parpy.builtin.convert(4, T)
        elif parpy.builtin.static_types_eq(T, F64):
            x[0] = 10.0
        else:
            parpy.builtin.static_fail("Function not supported for type")


def test_static():
    x = np.zeros(1)
    backend_value(x)
    assert x[0] == 2
    type_value(x)
    assert x[0] == 10
    y = np.zeros(1, np.uint8)
    type_value(y)
    assert y[0] == 4
    with pytest.raises(swathe.StaticError, match="Function not supported for type"):
        type_value(np.zeros(1, np.int16))


@parpy.jit
def ranged(x, N, M):
    parpy.label("i")
    parpy.label("j")
    for i, j in ranges(N, (1, M)):
        x[i, j] = convert(i, F64) / convert(j, F64)


def test_ranges():
    x, y = np.zeros((4, 5)), np.zeros((4, 5))
    ranged(x, 4, 5, opts=parpy.par({"i": parpy.threads(4), "j": parpy.threads(4)}))
    for i in range(4):
        for j in range(1, 5):
            y[i, j] = i / j
    assert np.array_equal(x, y)


def test_print_and_compile_string():
    A, b, out = rng.random((4, 3)), rng.random(3), np.zeros(4)
    opts = parpy.par({"N": parpy.threads(4)})
    code = parpy.print_compiled(mv, [A, b, out, 4], opts)
    fn = parpy.compile_string("mv", code, opts)
    fn(A, b, out, 4)
    assert np.allclose(out, A @ b)


def test_min_and_max():
    @parpy.jit
    def f(x, y):
        parpy.label("N")
        y[:] = parpy.operators.min(x[:], 0.5)
        return parpy.operators.max(x[:]), parpy.operators.min(x[:], axis=0)

    x = rng.random(9)
    y = np.empty(9)
    assert f(x, y) == (x.max(), x.min())
    assert np.array_equal(y, np.minimum(x, 0.5))


def test_calls_with_labels_inside():
    @parpy.jit
    def add_inplace(x, y):
        parpy.label("1d")
        y[:] += x[:]

    @parpy.jit
    def add_2d(x, y, N):
        parpy.label("2d")
        for i in range(N):
            add_inplace(x[i], y[i])

    x, y = rng.random((10, 15)), np.zeros((10, 15))
    add_2d(x, y, 10, opts=parpy.par({"2d": parpy.threads(10), "1d": parpy.threads(15)}))
    assert np.array_equal(x, y)


def test_reduce_is_a_module_and_a_function():
    assert repr(parpy.reduce()) == "reduce()"
    assert parpy.reduce.sum is np.sum


def test_a_backend_that_is_not_there():
    opts = parpy.par({})
    opts.backend = parpy.CompileBackend.Cuda
    with pytest.raises(ValueError, match="'cuda' is not available"):
        axpy(2.5, np.ones(3), np.ones(3), 3, opts=opts)
    parpy.print_compiled(axpy, [2.5, np.ones(3), np.ones(3), 3], opts)  # needs no device
    for backend in ("cuda", "metal", "nonsense", 5):
        for call in (
            lambda b: parpy.buffer.zeros((3,), F64, b),
            lambda b: parpy.buffer.empty((3,), F64, b),
            lambda b: parpy.buffer.from_array(np.ones(3), b),
            parpy.sync,
        ):
            with pytest.raises(swathe.errors.NoDeviceError, match=r"there is 'cpu'"):
                call(backend)


def test_wrong_arguments():
    x = np.ones(3)
    with pytest.raises(ValueError, match="there are: 'N'"):
        axpy(1.0, x, x, 3, opts=parpy.par({"M": parpy.threads(4)}))
    with pytest.raises(TypeError, match="label 'N' needs a schedule"):
        parpy.par({"N": 5})
    with pytest.raises(TypeError, match="opts is a schedule"):
        axpy(1.0, x, x, 3, opts={"N": parpy.threads(4)})
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        axpy(1.0, x, x, 4, opts=parpy.par({"N": parpy.threads(4)}))
    with pytest.raises(TypeError, match="missing 1 required"):
        axpy(1.0, x, x)
    with pytest.raises(TypeError, match="not understood"):
        parpy.buffer.zeros((3,), "nonsense", "cpu")
    with pytest.raises(ValueError, match="negative dimensions"):
        parpy.buffer.zeros((-3,), F64, "cpu")


# ---- devices -----------------------------------------------------------------------------------

opencl = pytest.mark.skipif(
    not parpy.backend.is_available(parpy.CompileBackend.OpenCL), reason="needs OpenCL"
)


@opencl
def test_a_backend_of_the_options():
    opts = parpy.par({"N": parpy.threads(128)})
    opts.backend = parpy.CompileBackend.OpenCL
    x, y = rng.random(1024), rng.random(1024)
    want = 2.5 * x + y
    axpy(2.5, x, y, 1024, opts=opts)
    assert np.allclose(y, want)


@opencl
def test_buffers_of_a_device():
    backend = parpy.CompileBackend.OpenCL
    A, b = rng.random((40, 30)), rng.random(30)
    opts = parpy.par({"N": parpy.threads(40), "M": parpy.threads(32).reduce()})
    opts.backend = backend
    out = parpy.buffer.zeros((40,), F64, backend)
    dA, db = parpy.buffer.from_array(A, backend), parpy.buffer.from_array(b, backend)
    mv(dA, db, out, 40, opts=opts)
    parpy.sync(backend)
    assert out.backend == backend and np.allclose(out.numpy(), A @ b)
    assert dA.reshape(1200).shape == (1200,) and isinstance(dA[3], type(dA))
    small = dA.with_type(F32)
    assert small.dtype == np.float32 and np.allclose(small.numpy(), A)
    other = dA.copy()
    other.fill(0)
    assert np.array_equal(dA.numpy(), A)
    like = parpy.buffer.zeros_like(small)
    assert like.backend == backend and not like.numpy().any()
    assert parpy.buffer.empty_like(small).dtype == np.float32
    assert parpy.buffer.from_array(dA, "cpu").backend == "cpu"


@opencl
def test_what_is_wrong_on_a_device():
    opts = parpy.par({"N": parpy.threads(4)})
    opts.backend = backend = parpy.CompileBackend.OpenCL
    x, frozen = np.ones(3), np.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        axpy(1.0, x, x.copy(), 4, opts=opts)
    with pytest.raises(ValueError, match="read-only"):
        axpy(1.0, x, frozen, 3, opts=opts)
    with pytest.raises(ValueError, match="there are: 'N'"):
        bad = parpy.par({"M": parpy.threads(4)})
        bad.backend = backend
        axpy(1.0, x, x, 3, opts=bad)
    with pytest.raises(swathe.errors.DeviceMemoryError):
        parpy.buffer.zeros((1 << 50,), F64, backend)
    with pytest.raises(TypeError, match="can't hold object"):
        parpy.buffer.from_array(object(), backend)
    with pytest.raises(ValueError, match="cannot reshape"):
        parpy.buffer.zeros((4,), F64, backend).reshape(5)
    with pytest.raises(TypeError, match="can't be read by NumPy"):
        np.asarray(parpy.buffer.zeros((4,), F64, backend))


@opencl
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "complex128"])
def test_layouts_of_buffers(dtype):
    a = (rng.random((6, 5)) * 50).astype(dtype)
    backend = parpy.CompileBackend.OpenCL
    for x in (a, a.T, np.asfortranarray(a), a[::2, ::-1], a[:0], np.array(a[0, 0])):
        d = parpy.buffer.from_array(x, backend)
        assert np.array_equal(d.numpy(), x) and d.dtype == dtype
        assert np.array_equal(parpy.buffer.from_array(d, "cpu"), x)
        assert np.array_equal(d.copy().numpy(), x)


@opencl
def test_numpy_arrays_are_copied_back_only_where_written():
    @parpy.jit
    def f(x, y, N):
        parpy.label("N")
        for i in range(N):
            y[i] = x[i] + 1

    opts = parpy.par({"N": parpy.threads(4)})
    opts.backend = parpy.CompileBackend.OpenCL
    x = np.arange(4.0)
    x.flags.writeable = False  # a copy back would be refused, or crash
    y = np.zeros(8)
    f(x, y[::-2], 4, opts=opts)
    assert y.tolist() == [0, 4, 0, 3, 0, 2, 0, 1]


@opencl
def test_arrays_of_a_block():
    @parpy.jit
    def turn(x, N):
        parpy.label("N")
        for i in range(N):
            t = parpy.alloc_shared(8, parpy.types.F64)
            parpy.label("M")
            for j in range(8):
                t[j] = x[i, 7 - j]
            parpy.label("M")
            for j in range(8):
                x[i, j] = t[j]

    opts = parpy.par({"N": parpy.threads(3), "M": parpy.threads(8)})
    opts.backend = parpy.CompileBackend.OpenCL
    x = np.arange(24.0).reshape(3, 8)
    want = x[:, ::-1].copy()
    turn(x, 3, opts=opts)
    assert np.array_equal(x, want)
    assert "runs on the device" in turn.explain()


@opencl
def test_the_code_may_ask_for_its_backend():
    @parpy.jit
    def f(x):
        if parpy.builtin.static_backend_eq(parpy.CompileBackend.OpenCL):
            x[0] = 3
        else:
            x[0] = 4

    x = np.zeros(1)
    f(x)
    with swathe.device_context("opencl"):
        y = np.zeros(1)
        f(y)
    assert (x[0], y[0]) == (4, 3)


def test_which_backends_there_are():
    assert parpy.backend.is_enabled("cuda") and not parpy.backend.is_enabled("metal")
    assert parpy.backend.available("cpu") and not parpy.backend.is_available("metal")
    assert parpy.backend.is_available(parpy.default_backend())


def test_all_names_of_types():
    names: dict = {}
    exec("from swathe.compat.parpy.types import *", names)
    assert names["F32"] is F32 and "buffer" in names


def test_options_are_known_by_name():
    opts = parpy.CompileOptions()
    opts.includes = ["somewhere"]
    opts.max_thread_blocks_per_cluster = 4
    with pytest.raises(RuntimeError, match="power of two"):
        opts.max_thread_blocks_per_cluster = 3
    with pytest.raises(AttributeError, match="no option 'paralelize': did you mean 'parallelize'"):
        opts.paralelize = {}


@parpy.jit
def add_number(x: parpy.types.I32, y):
    with parpy.gpu:
        y[:] += x


@parpy.jit
def scaled(x: F32, y: F32) -> F32:
    return x * y


@parpy.jit
def all_scaled(x, y):
    parpy.label("N")
    x[:] = scaled(x[:], y[:])


@parpy.jit
def same_type(x: T, y: T) -> T:
    return x + y


@parpy.jit
def all_added(x, y):
    parpy.label("N")
    x[:] = same_type(x[:], y[:])


def test_annotations_of_numbers():
    y = np.ones(4, np.int32)
    add_number(2, y)
    assert y.tolist() == [3] * 4
    with pytest.raises(TypeError, match="'x' was annotated with a type .* has not: int32"):
        add_number(2.0, y)
    with pytest.raises(TypeError, match="'x' was annotated with a type"):
        parpy.print_compiled(add_number, [np.ones(4), y])
    x = np.full(4, 0.1)
    all_scaled(x, np.ones(4), opts=parpy.par({"N": parpy.threads(2)}))
    assert x.tolist() == [float(np.float32(0.1))] * 4  # converted to what they say
    with pytest.raises(TypeError, match="'x' was annotated with a type"):
        all_scaled(np.ones(4, int), np.ones(4, int))


def test_a_contradiction_is_a_type_error_without_a_run():
    x = np.ones(4, np.float32)
    all_added(x, x)
    with pytest.raises(TypeError, match="'y' was annotated with a type .* has not: that of 'x'"):
        parpy.print_compiled(all_added, [x, np.ones(4, np.int32)])
