"""Names of numba.cuda that only some programs use: random, libdevice, fp16, vectors, PTX."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import ptx
import pytest

import swathe
from swathe import errors
from swathe.compat import numba
from swathe.compat.numba import cuda, float32, int32, void
from swathe.compat.numba.cuda import libdevice, random

rng = np.random.default_rng(11)


@pytest.fixture(params=["native", "opencl"])
def where(request: Any) -> Iterator[str]:
    try:
        with swathe.device_context(request.param):
            yield request.param
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


# ---- random ------------------------------------------------------------------------------


@cuda.jit
def draw(states, a, b, c, d):
    i = cuda.grid(1)
    a[i] = random.xoroshiro128p_uniform_float32(states, i)
    b[i] = random.xoroshiro128p_uniform_float64(states, i)
    c[i] = random.xoroshiro128p_normal_float32(states, i)
    d[i] = random.xoroshiro128p_normal_float64(states, i)


def test_random_numbers_are_numbas(where: str) -> None:
    states = random.create_xoroshiro128p_states(6, seed=42, subsequence_start=2)
    out = [cuda.to_device(np.zeros(6, t)) for t in ("f4", "f8", "f4", "f8")]
    draw[1, 6](states, *out)
    a, b, c, d = (o.copy_to_host() for o in out)
    numbas = [0.0137238882303593, 0.9626297799139111, 0.33037063601582806]
    np.testing.assert_allclose(b[-3:], numbas, rtol=1e-14)
    np.testing.assert_allclose(c[:3], [0.843927, 0.7450028, 0.7709403], rtol=1e-6)
    np.testing.assert_allclose(d[:2], [-0.14340684749413768, -0.4397312729114933], rtol=1e-13)
    end = states.copy_to_host()
    assert end.dtype == random.xoroshiro128p_dtype
    assert end[1].item() == (3165280326300246342, 8425341858457098145)
    assert ((0 <= a) & (a < 1)).all()


def test_states() -> None:
    states = cuda.device_array(4, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states, 7)
    later = random.create_xoroshiro128p_states(2, 7, subsequence_start=2)
    assert (states.copy_to_host()[2:] == later.copy_to_host()).all()
    assert len(random.create_xoroshiro128p_states(0, 1)) == 0
    with pytest.raises(ValueError):
        random.create_xoroshiro128p_states(2, 7, subsequence_start=-1)


def test_monte_carlo(where: str) -> None:
    @cuda.jit
    def pi(states, n, out):
        t, inside = cuda.grid(1), 0
        for _ in range(n):
            x = random.xoroshiro128p_uniform_float32(states, t)
            y = random.xoroshiro128p_uniform_float32(states, t)
            if x**2 + y**2 <= 1.0:
                inside += 1
        out[t] = 4.0 * inside / n

    out = cuda.device_array(512, np.float32)
    pi[4, 128](random.create_xoroshiro128p_states(512, seed=1), 500, out)
    assert abs(out.copy_to_host().mean() - math.pi) < 0.02


# ---- libdevice ---------------------------------------------------------------------------

X = np.concatenate([rng.normal(size=30) * 3, [0.0, -0.0, 1.0, 0.5, 2.5, -3.5]])


def test_libdevice_functions(where: str) -> None:
    @cuda.jit
    def f(x, a, b, c):
        i = cuda.grid(1)
        a[i] = libdevice.sin(x[i]) + libdevice.exp2(x[i]) * libdevice.fmax(x[i], 0.5)
        b[i] = libdevice.fast_cosf(x[i]) + libdevice.rsqrtf(2.0) + libdevice.saturatef(x[i])
        s, k = libdevice.sincosf(x[i])
        m, e = libdevice.frexp(x[i])
        c[i] = libdevice.double2int_rd(x[i]) + 1000 * e
        b[i] += s - k

    a, b, c = (cuda.to_device(np.zeros(len(X), t)) for t in ("f8", "f4", "i8"))
    f[1, len(X)](cuda.to_device(X), a, b, c)
    want = np.sin(X) + np.exp2(X) * np.fmax(X, 0.5)
    np.testing.assert_allclose(a.copy_to_host(), want, rtol=1e-13)
    single = X.astype("f4")
    want = np.sin(single) + np.float32(0.5**0.5) + np.clip(single, 0, 1)
    np.testing.assert_allclose(b.copy_to_host(), want, rtol=1e-5, atol=1e-6)
    assert (c.copy_to_host() == np.floor(X) + 1000 * np.frexp(X)[1]).all()


def test_libdevice_integers() -> None:
    top = 2**63 - 1
    assert libdevice.mul64hi(top, -5) == top * -5 >> 64
    assert libdevice.umul64hi(2**64 - 1, 2**63) == (2**64 - 1) * 2**63 >> 64
    assert libdevice.mulhi(-(2**31), 7) == -(2**31) * 7 >> 32
    assert libdevice.umulhi(2**32 - 1, 2**32 - 1) == 2**32 - 2
    assert libdevice.mul24(-3, 1 << 23) == np.int32(3 << 23)
    assert (libdevice.hadd(-3, 4), libdevice.rhadd(-3, 4), libdevice.uhadd(2**32 - 1, 1)) == (
        0,
        1,
        2**31,
    )
    assert libdevice.sad(-3, 4, 10) == 17 and libdevice.llmax(-3, 4) == 4
    assert (libdevice.clz(1), libdevice.clzll(1), libdevice.ffs(8), libdevice.popc(255)) == (
        31,
        63,
        4,
        8,
    )
    assert libdevice.brev(1) == -(2**31)
    assert libdevice.byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311
    assert libdevice.byte_perm(0x80, 0, 0x8888) == -1


def test_libdevice_bits(where: str) -> None:
    @cuda.jit
    def f(x, y, out, back):
        i = cuda.grid(1)
        out[i] = libdevice.double_as_longlong(x[i])
        out[i] ^= libdevice.float_as_int(y[i])
        back[i] = libdevice.hiloint2double(
            libdevice.double2hiint(x[i]), libdevice.double2loint(x[i])
        )
        back[i] += x[i].view(np.int64).view(np.float64) * 0

    x, y = X, X.astype("f4")
    out, back = cuda.to_device(np.zeros(len(X), "i8")), cuda.to_device(np.zeros(len(X)))
    f[1, len(X)](cuda.to_device(x), cuda.to_device(y), out, back)
    assert (out.copy_to_host() == x.view("i8") ^ y.view("i4")).all()
    np.testing.assert_array_equal(back.copy_to_host(), x)
    assert libdevice.half2float(libdevice.float2half_rn(1.5)) == 1.5
    assert libdevice.int_as_float(libdevice.float_as_int(-2.5)) == -2.5


def test_conversions_saturate() -> None:
    big, nan = 1e300, math.nan
    assert [libdevice.double2int_rn(v) for v in (2.5, 3.5, -2.5, big, -big, nan)] == [
        2, 4, -2, 2**31 - 1, -(2**31), 0]  # fmt: skip
    assert [libdevice.double2ull_rz(v) for v in (2.9, -1.0, big)] == [2, 0, 2**64 - 1]
    assert [libdevice.double2ll_ru(v) for v in (2.1, big)] == [3, 2**63 - 1]
    assert libdevice.float2uint_rn(3e9) == 3000000000


def rounded(exact: Fraction, mode: str, dtype: Any) -> Any:
    """The float of a type on the wanted side of a number."""
    near = dtype(float(exact)) if dtype is np.float64 else None
    if near is None:
        near = dtype(np.float64(float(exact)))
    side = Fraction(float(near))
    up = mode == "ru" or (mode == "rz" and exact < 0)
    if mode == "rn" or side == exact or (side > exact) == up:
        return near
    return np.nextafter(near, dtype(np.inf if up else -np.inf))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
def test_directed_rounding(mode: str) -> None:
    x, y = rng.normal(size=60), rng.normal(size=60) * 10.0 ** rng.integers(-20, 20, 60)
    ops = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
    }
    for p, dtype in (("d", np.float64), ("f", np.float32)):
        for a, b in zip(x.astype(dtype), y.astype(dtype), strict=True):
            for name, op in ops.items():
                if p + name == "dsub":
                    continue
                got = getattr(libdevice, f"{p}{name}_{mode}")(a, b)
                exact = op(Fraction(float(a)), Fraction(float(b)))
                assert type(got) is dtype and got == rounded(exact, mode, dtype), (name, a, b)
            got = getattr(libdevice, f"{p}sqrt_{mode}")(abs(b))
            under = got if mode != "ru" else np.nextafter(got, dtype(-1))
            square, least = Fraction(float(under)) ** 2, Fraction(float(abs(b)))
            over = np.nextafter(under, dtype(np.inf))
            assert square <= least < Fraction(float(over)) ** 2 or (mode == "ru" and square < least)
    for n in (2**53 + 1, -(2**62) - 3, 2**63 - 1, 16777217):
        assert libdevice.ll2double_rd(n) <= n <= libdevice.ll2double_ru(n)
        got = getattr(libdevice, f"ll2float_{mode}")(n)
        assert got == rounded(Fraction(n), mode, np.float32)
    assert libdevice.dadd_rz(1e308, 1.7e308) == np.finfo("f8").max
    assert libdevice.dmul_ru(5e-324, 0.1) == 5e-324 and libdevice.dmul_rd(5e-324, 0.1) == 0
    assert libdevice.double2float_ru(1e300) == math.inf
    assert libdevice.double2float_rd(1e300) == np.finfo("f4").max


def test_directed_rounding_in_kernels(where: str) -> None:
    @cuda.jit
    def f(x, y, out):
        i = cuda.grid(1)
        out[i, 0] = libdevice.dadd_ru(x[i], y[i])
        out[i, 1] = libdevice.ddiv_rd(x[i], y[i])
        out[i, 2] = libdevice.double2float_rz(x[i])

    x, y = rng.normal(size=20), rng.normal(size=20)
    out = cuda.to_device(np.zeros((20, 3)))
    f[1, 20](cuda.to_device(x), cuda.to_device(y), out)
    want = [
        [libdevice.dadd_ru(a, b), libdevice.ddiv_rd(a, b), libdevice.double2float_rz(a)]
        for a, b in zip(x, y, strict=True)
    ]
    np.testing.assert_array_equal(out.copy_to_host(), want)


# ---- float16, vectors --------------------------------------------------------------------


def test_fp16(where: str) -> None:
    @cuda.jit
    def f(x, y, out, less):
        i = cuda.grid(1)
        out[i, 0] = cuda.fp16.hadd(x[i], y[i])
        out[i, 1] = cuda.fp16.hfma(x[i], y[i], x[i])
        out[i, 2] = cuda.fp16.hdiv(x[i], y[i]) + cuda.fp16.hsqrt(cuda.fp16.habs(x[i]))
        out[i, 3] = cuda.fp16.hmax(cuda.fp16.hneg(x[i]), cuda.fp16.hfloor(y[i]))
        out[i, 4] = x[i] * y[i] + numba.float16(2)
        less[i] = cuda.fp16.hlt(x[i], y[i])

    x, y = (rng.normal(size=30).astype("f2") for _ in range(2))
    out, less = cuda.to_device(np.zeros((30, 5), "f2")), cuda.to_device(np.zeros(30, "?"))
    f[1, 30](cuda.to_device(x), cuda.to_device(y), out, less)
    fused = (x.astype("f8") * y.astype("f8") + x.astype("f8")).astype("f2")
    want = [
        x + y,
        fused,
        x / y + np.sqrt(np.abs(x)),
        np.maximum(-x, np.floor(y)),
        x * y + np.float16(2),
    ]
    np.testing.assert_array_equal(out.copy_to_host(), np.array(want).T)
    assert (less.copy_to_host() == (x < y)).all() and cuda.is_float16_supported()


def test_vectors(where: str) -> None:
    @cuda.jit(device=True)
    def turned(v):
        return cuda.float3(v.w, v.z, v.y)

    @cuda.jit
    def f(x, out):
        i = cuda.grid(1)
        v = cuda.float4(cuda.float2(x[i], 2), 3, 4)
        w = turned(v)
        out[i] = v.x + 10 * w.x + 100 * w[2] + cuda.uint8x2(i, 7).y

    out = cuda.to_device(np.zeros(4, np.float32))
    f[1, 4](cuda.to_device(np.arange(4.0)), out)
    assert out.copy_to_host().tolist() == [247.0, 248.0, 249.0, 250.0]
    v = cuda.int32x3(1, cuda.int2(2, 3))
    assert repr(v).startswith("int32x3(x=") and v == (1, 2, 3)
    with pytest.raises(ValueError):
        cuda.float3(1, 2)


# ---- kernels -----------------------------------------------------------------------------


@cuda.jit
def scale(x, k):
    s = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    s[cuda.threadIdx.x] = k
    x[i] *= s[cuda.threadIdx.x]


def test_methods_of_kernels() -> None:
    x = np.ones(64, np.float32)
    scale.configure(2, 32)(x, 2.0)
    scale.configure((2, 1, 1), (32, 1, 1), 0, 0)(x, 2.0)
    assert (x == 4).all() and scale.extensions == []
    assert scale.specialize(x, 2.0) is scale
    assert scale.compile(void(float32[:], float32)) is scale
    assert scale.get_max_threads_per_block() == 1024
    assert (
        scale.max_cooperative_grid_blocks(256) >= scale.max_cooperative_grid_blocks((32, 32)) >= 1
    )
    with pytest.raises(ValueError):
        scale.max_cooperative_grid_blocks(2000)
    for refused in (scale.get_regs_per_thread, scale.get_local_mem_per_thread, scale.inspect_sass):
        with pytest.raises(errors.UnsupportedError):
            refused()
    cuda.nanosleep(10)


def test_compile_ptx(tmp_path: Any) -> None:
    for sig in (void(float32[:], int32), "void(float32[:,::1], float64)", (float32[::1], int32)):

        def kernel(x, k):
            i = cuda.grid(1)
            cuda.nanosleep(100)
            if i < len(x):
                x[i] = k

        text, result = cuda.compile_ptx(kernel, sig, cc=(8, 0))
        assert ".target sm_80" in text and result is None
        ptx.assemble(text, 80, tmp_path)
    assert "sm_" in cuda.compile_ptx_for_current_device(kernel, sig)[0]
    assert "sm_75" in cuda.compile(kernel, sig, output="ptx", abi="c")[0]
    with pytest.raises(errors.UnsupportedError):
        cuda.compile(kernel, sig, output="ltoir")
    with pytest.raises(errors.UnsupportedError):
        cuda.compile_ptx(kernel, sig, device=True)


def test_classes() -> None:
    from swathe.compat.numba.cuda.cudadrv.devicearray import DeviceNDArray, is_cuda_ndarray
    from swathe.compat.numba.cuda.cudadrv.driver import CudaAPIError, LinkerError
    from swathe.compat.numba.cuda.cudadrv.error import CudaSupportError

    d = cuda.to_device(np.zeros(10))
    assert isinstance(d, DeviceNDArray) and is_cuda_ndarray(d)
    assert not isinstance(np.zeros(3), DeviceNDArray)
    assert (
        issubclass(CudaAPIError, errors.DeviceError) and cuda.CudaSupportError is CudaSupportError
    )
    assert LinkerError is errors.LinkError and issubclass(cuda.errors.KernelRuntimeError, Exception)
    assert cuda.driver.CudaDevice and cuda.cudadrv.error and cuda.types.float32 is float32
    with pytest.raises(TypeError):
        DeviceNDArray()
    for refused in (cuda.external_stream, cuda.open_ipc_array, cuda.set_memory_manager):
        with pytest.raises(errors.UnsupportedError, match=refused.__name__):
            refused(0)
    with pytest.raises(AttributeError, match="no 'no_such'"):
        cuda.no_such  # noqa: B018


def test_methods_of_arrays(where: str) -> None:
    d = cuda.to_device(np.arange(10.0))
    assert [len(p) for p in d.split(4)] == [4, 4, 2] and d.alloc_size == 80
    assert d.bind(cuda.stream()) is d and d.getitem(3) == 3
    d.setitem(3, 7.0)
    assert d[3] == 7


def test_numbas_types() -> None:
    for (
        name
    ) in "b1 bool_ char uchar short ushort long_ ulong longlong ulonglong size_t ssize_t".split():
        assert getattr(numba, name) in vars(numba.types).values()
    assert numba.float16 is numba.f2


def test_names_of_types() -> None:
    from swathe.compat.numba.cuda import types, uint8
    from swathe.compat.numba.cuda.types import UniTuple

    assert uint8 is numba.uint8 is types.uint8 and UniTuple is numba.types.UniTuple
    assert cuda.void is void
    with pytest.raises(AttributeError, match="nothing_there"):
        _ = cuda.nothing_there
    add = cuda.vectorize(["float32(float32, float32)"], target="cuda")(lambda a, b: a + b)
    np.testing.assert_array_equal(add(np.ones(3, "f4"), np.ones(3, "f4")), np.full(3, 2, "f4"))


# ---- signatures of device functions ------------------------------------------------------

TABLE = np.arange(8, dtype=np.float32)


def third(x):
    return x / 3


def first(x):
    return x + 1


SIGNED = [
    ("float32(float32)", third, np.float32(1.3) / np.float32(3)),
    (float32(float32), third, np.float32(1.3) / np.float32(3)),
    ((float32,), third, np.float32(1.3) / np.float32(3)),
    ("float64(float64)", third, 1.3 / 3),
    ("int32(float64)", first, 2),
    ("int32(int32)", first, 2),
    (["int32(int32)", "float64(float64)"], first, 2.3),
    ("unknown(thing)", third, 1.3 / 3),
]


@pytest.mark.parametrize(("sig", "of", "want"), SIGNED, ids=range(len(SIGNED)))
def test_device_functions_cast_to_signatures(sig: Any, of: Any, want: Any, where: str) -> None:
    inner = cuda.jit(sig, device=True, lto=False)(of)

    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = inner(x[i])

    x, out = np.full(5, 1.3), np.zeros(5)
    k[2, 4](x, out)
    np.testing.assert_array_equal(out, np.full(5, want, np.float64))


@cuda.jit("float32(float32[:], int32)", device=True)
def beside(x, i):
    cuda.syncthreads()
    return x[i + cuda.threadIdx.x]


@cuda.jit("void(float32[:], int32)", device=True)
def put_whole(x, v):
    x[cuda.threadIdx.x] = v


@cuda.jit("void(float32[:], float32[:])")
def all_kinds(x, out):
    const = cuda.const.array_like(TABLE)
    shared = cuda.shared.array(8, float32)
    own = cuda.local.array(4, float32)
    i = cuda.threadIdx.x
    shared[i], shared[i + 4] = i, 2
    own[i] = 7
    out[i] = beside(const, 1) + 10 * beside(shared, 1) + 100 * beside(own, 0) + 1000 * beside(x, 2)
    cuda.syncthreads()
    put_whole(x, out[i] + 0.75)


def test_arrays_of_signed_device_functions(where: str) -> None:
    x, out = TABLE.copy(), np.zeros(4, np.float32)
    all_kinds[1, 4](x, out)
    i = np.arange(4)
    want = (i + 1) + 10 * np.minimum(i + 1, [1, 2, 3, 2]) + 700 + 1000 * (i + 2)
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(x, [*want, 4, 5, 6, 7])
