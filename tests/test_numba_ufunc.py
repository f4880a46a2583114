"""vectorize and guvectorize: what NumPy's own ufuncs give, on one core, on all, and as kernels."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors
from swathe.compat import numba
from swathe.compat.numba import cuda, float32, float64, guvectorize, int64, vectorize, void

TARGETS = ["cpu", "parallel", "cuda"]
rng = np.random.default_rng(7)


@pytest.fixture(params=["native", "opencl"])
def where(request: Any) -> Iterator[str]:
    try:
        with swathe.device_context(request.param):
            yield request.param
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


def adder(target: str, **options: Any) -> Any:
    @vectorize([float32(float32, float32), "float64(float64, float64)"], target=target, **options)
    def add(a, b):
        return a + b

    return add


def test_swathes_own() -> None:
    """The compatible module has names for them only; no import of it is needed."""
    from swathe.compat import numba

    double = numba.vectorize(["float64(float64)"], identity=0)(lambda x: 2 * x)
    assert type(double) is type(swathe.vectorize(lambda x: x)) and double(2) == 4.0
    code = "import sys, swathe; f = swathe.vectorize(lambda a, b: a * b); print(f([1, 2], 3.0)); "
    code += "print([m for m in sys.modules if 'numba' in m])"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, timeout=120)
    assert done.stdout == "[3. 6.]\n[]\n", done.stderr


SHAPES = [((), ()), ((5,), ()), ((4, 3), (3,)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((300,), (1,))]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_broadcasts(target: str, shapes: Any) -> None:
    add = adder(target)
    for dtype in (np.float32, np.float64, np.int16, np.int64):
        x, y = ((9 * rng.random(s)).astype(dtype) for s in shapes)
        got, want = add(x, y), np.add(x, y, dtype=np.result_type(dtype, np.float32))
        assert got.dtype == want.dtype and np.shape(got) == want.shape
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_and_out(target: str) -> None:
    add = adder(target)
    x = rng.random((6, 8))
    np.testing.assert_array_equal(add(x.T, x.T[::-1, ::-1]), x.T + x.T[::-1, ::-1])
    np.testing.assert_array_equal(add(x[::2], 1), x[::2] + 1)
    out = np.zeros((8, 6))
    assert add(x.T, 1.0, out=out.T[::-1].T[:, ::-1]).shape == (8, 6)
    out32 = np.zeros((6, 8), np.float32)
    assert add(x, x, out32) is out32
    np.testing.assert_array_equal(out32, (x + x).astype(np.float32))
    own = x.copy()
    add(own[:, 1:], own[:, :-1], out=own[:, 1:])
    np.testing.assert_array_equal(own[:, 1:], x[:, 1:] + x[:, :-1])
    got = add(x, x, out=np.zeros_like(x), where=x > 0.5)
    np.testing.assert_array_equal(got, np.where(x > 0.5, x + x, 0))
    with pytest.raises(ValueError, match="shape"):
        add(x, x, out=np.zeros(3))


@pytest.mark.parametrize("target", TARGETS)
def test_types(target: str) -> None:
    add = adder(target)
    assert (add.nin, add.nout, add.nargs) == (2, 1, 3)
    assert add.types == ["ff->f", "dd->d"]
    x = np.ones(3, np.float32)
    assert add(x, 1).dtype == add(x, 1.5).dtype == np.float32
    assert add(2, 3) == 5 and add(2, 3).dtype == np.float64
    assert add(x, np.float64(1)).dtype == np.float64
    assert add([1, 2], [3.5, 4]).tolist() == [4.5, 6.0]
    with pytest.raises(TypeError, match="complex64"):
        add(1j, x)
    with pytest.raises(TypeError, match="takes 2"):
        add(x)
    with pytest.raises(ValueError, match="target is one of"):
        vectorize(["f8(f8)"], target="tpu")
    with pytest.raises(TypeError, match="parameters"):
        vectorize(["f8(f8)"], target=target)(add.py_func)
    with pytest.raises(TypeError, match="no type"):
        vectorize(["f8(f9,f8)"], target=target)(add.py_func)


@pytest.mark.parametrize("target", TARGETS)
def test_without_signatures(target: str) -> None:
    @vectorize(target=target)
    def pick(a, b):
        return a * b if a > b else a - b

    x = np.arange(6, dtype=np.float32)
    assert pick(x, 2).dtype == np.float32 and pick(np.arange(3), 2.5).dtype == np.float64
    assert pick(np.arange(4), np.arange(4)[::-1]).tolist() == [-3, -1, 2, 0]
    assert len(pick.types) == 3 and pick.__name__ == "pick"

    @vectorize
    def one(a):
        return math.sin(a) + 1

    np.testing.assert_allclose(one(x), np.sin(x) + 1, rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_kinds_of_results(target: str) -> None:
    greater = vectorize(["boolean(int64, int64)"], target=target)(lambda a, b: a > b)
    assert greater(np.arange(4), 2).tolist() == [False, False, False, True]
    assert greater(2, 1) and greater(np.arange(3), 1).dtype == bool
    single = vectorize("float32(float32)", target=target)(lambda x: math.sin(x))
    assert single(1.0) == single(np.float32(1)) and single(1.0).dtype == np.float32
    assert abs(single(1.0) - math.sin(1.0)) < 1e-6
    turned = vectorize(["complex128(complex128, float64)"], target=target)(lambda a, b: a * b + 1j)
    assert turned(np.array([1j, 2]), 2).tolist() == [3j, 4 + 1j]
    over = vectorize(["f8(f8, f8)"], target=target)(lambda a, b: a / b)
    assert over(np.array([1.0, 4.0]), np.array([0.0, 2.0])).tolist() == [np.inf, 2.0]
    with pytest.raises(errors.CompileNameError):
        vectorize(["f8(f8)"], target=target)(lambda a: nope(a))(np.ones(2))  # noqa: F821
    with pytest.raises(ValueError, match="math domain"):
        vectorize(["f8(f8)"], target=target)(lambda a: math.sqrt(a))(np.array([-1.0]))


@pytest.mark.parametrize("target", TARGETS)
def test_methods(target: str) -> None:
    add = adder(target, identity=0)
    x = rng.integers(0, 9, (3, 4, 5)).astype(float)
    for axis in (0, 1, -1, (0, 2), None):
        for keep in (False, True):
            got = add.reduce(x, axis=axis, keepdims=keep)
            np.testing.assert_array_equal(got, np.add.reduce(x, axis=axis, keepdims=keep))
    assert add.reduce(np.ones(0)) == 0 and add.reduce(x[0, 0], initial=10) == x[0, 0].sum() + 10
    for axis in (0, 1, 2):
        np.testing.assert_array_equal(add.accumulate(x, axis), np.add.accumulate(x, axis))
    np.testing.assert_array_equal(add.outer(x[0], x[1, 0]), np.add.outer(x[0], x[1, 0]))
    y = np.zeros(5)
    add.at(y, [1, 1, 3], [1.0, 2.0, 4.0])
    assert y.tolist() == [0, 3, 0, 4, 0]
    with pytest.raises(ValueError, match="no identity"):
        adder(target).reduce(np.ones(0))
    with pytest.raises(ValueError, match="binary"):
        vectorize(["f8(f8)"], target=target)(abs_).reduce(x)


def abs_(a):
    return abs(a)


def test_on_devices(where: str) -> None:
    add = adder("cuda")
    a, b = rng.random((4, 5)), rng.random((4, 5))
    x, y = cuda.to_device(a), cuda.to_device(b)
    got = add(x, y)
    assert cuda.is_cuda_array(got)
    np.testing.assert_array_equal(got.copy_to_host(), a + b)
    np.testing.assert_array_equal(add(x, 2.0).copy_to_host(), a + 2)
    np.testing.assert_array_equal(add(x, cuda.to_device(b[0])).copy_to_host(), a + b[0])
    np.testing.assert_array_equal(add(x.T, y.T).copy_to_host(), (a + b).T)
    out = cuda.device_array((4, 5))
    assert add(x, y, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), a + b)
    np.testing.assert_array_equal(add(a, b), a + b)
    assert add.reduce(x[0]) == a[0].sum() or abs(add.reduce(x[0]) - a[0].sum()) < 1e-12


# ---- guvectorize -------------------------------------------------------------------------------


def product(target: str) -> Any:
    @guvectorize(
        [void(float32[:, :], float32[:, :], float32[:, :]), "void(f8[:,:], f8[:,:], f8[:,:])"],
        "(m,n),(n,p)->(m,p)",
        target=target,
    )
    def matmul(a, b, c):
        m, n = a.shape
        n, p = b.shape
        for i in range(m):
            for j in range(p):
                c[i, j] = 0
                for k in range(n):
                    c[i, j] += a[i, k] * b[k, j]

    return matmul


@pytest.mark.parametrize("target", TARGETS)
def test_stacks(target: str) -> None:
    f = product(target)
    a, b = rng.random((2, 3, 4)), rng.random((5, 1, 4, 6))
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-12)
    np.testing.assert_allclose(f(a[0], b[0, 0]), a[0] @ b[0, 0], rtol=1e-12)
    assert f(a.astype("f4"), b.astype("f4")).dtype == np.float32
    out = np.zeros((5, 2, 3, 6))
    assert f(a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, rtol=1e-12)
    assert f(a[:0], b[:, :0]).shape == (5, 0, 3, 6)
    assert f.types == ["ff->f", "dd->d"] and (f.nin, f.nout) == (2, 1)
    with pytest.raises(ValueError, match="mismatch in its core dimension 'n'"):
        f(a, a)
    with pytest.raises(ValueError, match="enough dimensions"):
        f(a, b[0, 0, 0])
    with pytest.raises(ValueError, match="an output has the shape"):
        f(a, b, np.zeros((3, 6)))


@pytest.mark.parametrize("target", TARGETS)
def test_several_results(target: str) -> None:
    @guvectorize([void(float64[:], int64, float64[:], float64[:])], "(n),()->(),(n)", target=target)
    def centre(x, k, mean, rest):
        s = 0.0
        for v in x:
            s += v
        mean[0] = k * s / len(x)
        for i in range(len(x)):
            rest[i] = x[i] - mean[0]

    x = rng.random((4, 3))
    mean, rest = centre(x, 1)
    np.testing.assert_allclose(mean, x.mean(1))
    np.testing.assert_allclose(rest, x - x.mean(1)[:, None])
    mean, _ = centre(x[0], np.arange(3))
    np.testing.assert_allclose(mean, np.arange(3) * x[0].mean())


def test_gufunc_errors() -> None:
    for layout, error in (
        ("(n)->", ValueError),
        ("(n)->(m)", NameError),
        ("(n),(n)->(n)", TypeError),
    ):
        with pytest.raises(error):
            guvectorize([void(float64[:], float64[:])], layout)(lambda a, b: None)
    with pytest.raises(TypeError, match="returns something"):
        guvectorize(["f8(f8[:], f8[:])"], "(n)->(n)")(lambda a, b: None)
    with pytest.raises(TypeError, match="a layout"):
        guvectorize([void(float64[:], float64[:])])

    @guvectorize("(n)->(n)")
    def double(x, out):
        for i in range(len(x)):
            out[i] = 2 * x[i]

    out = np.zeros((2, 3))
    double(np.ones((2, 3)), out)
    assert (out == 2).all()
    with pytest.raises(TypeError, match="given its outputs"):
        double(np.ones(3))


def test_gufunc_on_devices(where: str) -> None:
    f = product("cuda")
    a, b = rng.random((3, 4)).astype("f4"), rng.random((2, 4, 2)).astype("f4")
    got = f(cuda.to_device(a), b)
    assert cuda.is_cuda_array(got)
    np.testing.assert_allclose(got.copy_to_host(), a @ b, rtol=1e-6)
    np.testing.assert_allclose(f(a, b), a @ b, rtol=1e-6)


@vectorize
def power_by_steps(x, n):
    r = 1.0
    for _ in range(n):
        r *= x
    return r


def test_ints_that_count_stay_ints() -> None:
    for dtype in (np.float64, np.float32):
        x = np.linspace(-1, 1, 5).astype(dtype)
        assert np.allclose(power_by_steps(x, 3), x**3)
        assert np.allclose(power_by_steps(x, np.arange(5)), x ** np.arange(5))
    assert power_by_steps(2.0, 5) == 32 and power_by_steps(2, 5) == 32
    with pytest.raises(errors.TypingError, match=r"range\(\) takes integers, not float64"):
        power_by_steps(np.ones(2), 3.0)


def test_stores_in_inputs() -> None:
    """They are seen in arrays of the signature's dtype, and of any where writable_args says so."""

    def first(a, o):
        a[0] = 5
        for i in range(len(a)):
            o[i] = a[i]

    def both(a, b, o):
        for i in range(len(a)):
            a[i] += 1
            o[i] = a[i] + b[i]

    plain = numba.guvectorize("void(f8[:], f8[:])", "(n)->(n)")(first)
    writable = numba.guvectorize("void(f8[:], f8[:])", "(n)->(n)", writable_args=("a",))(first)
    for f, dtype, seen in ((plain, "f8", 5), (plain, "f4", 0), (writable, "f4", 5)):
        for a in (
            np.zeros((2, 2), dtype),
            np.zeros((3, 2), dtype).T,
            np.zeros((2, 6), dtype)[:, ::2],
        ):
            assert (f(a)[:, 0] == 5).all() and (a[:, 0] == seen).all() and not a[:, 1:].any()
        assert f(np.zeros(0, dtype)[None][:0]).shape == (0, 0)
    two = numba.guvectorize("void(f8[:], f8[:], f8[:])", "(n),(n)->(n)")(both)
    a = np.zeros(3)
    assert two(a, np.ones(3)).tolist() == [2, 2, 2] and a.tolist() == [1, 1, 1]
    b = np.zeros((2, 3))
    two(b, a)
    assert b.tolist() == [[1, 1, 1]] * 2 and a.tolist() == [1, 1, 1]
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert plain(frozen)[0] == 5 and frozen[0] == 0
    again = pickle.loads(pickle.dumps(writable))
    c = np.zeros(2, "f4")
    assert again(c)[0] == 5 and c[0] == 5


def test_types_of_records() -> None:
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    of = numba.from_dtype(dtype)

    @numba.njit(numba.types.void(of[:]))
    def fill(r):
        for i in range(len(r)):
            r[i].a = i
            r[i].b = i * 0.5

    r = np.zeros(3, dtype)
    fill(r)
    assert r.tolist() == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert isinstance(of, numba.types.Record) and list(of.fields) == ["a", "b"]
    assert isinstance(numba.typeof(r), numba.types.Array)
    assert (numba.int8.minval, numba.uint16.maxval) == (-128, 65535)
    assert not hasattr(numba.float32, "maxval")


def test_types_of_calls():
    @guvectorize("(n),()->(n)")
    def g(x, y, res):
        for i in range(x.shape[0]):
            res[i] = x[i] + y

    assert g.types == []
    for dtype, y in ((np.int64, 10), (np.float64, 2.5), (np.int64, 3)):
        x = np.arange(5, dtype=dtype)
        res = np.zeros_like(x)
        g(x, y, res)
        np.testing.assert_array_equal(res, x + y)
    assert g.types == ["ll->l", "dd->d"]


def test_signatures_without_a_result() -> None:
    """Tuples of types, as text too, with their parentheses or without."""

    def double(x: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = x[i] * 2

    said: list[Any] = ["f8[:], f8[:]", "(f8[:],f8[:])", (numba.float64[:], numba.float64[:])]
    for one in [*said, *([s] for s in said)]:
        if isinstance(one, tuple):
            continue  # a list of two
        f = numba.guvectorize(one, "(n)->(n)")(double)
        got = f(np.arange(3, dtype=np.int32))
        assert got.dtype == np.float64 and got.tolist() == [0, 2, 4]
    for one in ("f8, f8", ["f8,f8"], "(f8, f8)", [(numba.float64, numba.float64)]):
        g = numba.vectorize(one)(lambda a, b: a + b)
        assert g(1, 2).dtype == np.float64 and g(np.arange(2), 1).tolist() == [1, 2]
        h = numba.njit(one)(lambda a, b: a + b)
        assert h(1, 2).dtype == np.float64
    assert numba.vectorize(["i8,"])(lambda a: a)(np.int8(3)).dtype == np.int64
    assert numba.njit("Tuple((f8, i8)),")(lambda t: t[0] + t[1])((1.5, 2)) == 3.5
    with pytest.raises(TypeError, match="'f8' is no signature"):
        numba.vectorize(["f8"])(lambda a: a)


def test_outputs_that_stacks_are_broadcast_to() -> None:
    """As NumPy's do: inputs are broadcast to outputs, and no output to inputs."""

    @numba.guvectorize("f8[:], f8[:], f8[:]", "(n),()->(n)")
    def shift(x: Any, by: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = x[i] + by[0]

    @numba.guvectorize("f8[:], f8[:]", "(n)->()")
    def total(x: Any, out: Any) -> None:
        out[0] = x.sum()

    x = np.arange(3.0)
    for shape in ((3,), (1, 3), (2, 3), (4, 2, 3)):
        out = np.zeros(shape)
        assert shift(x, 1, out) is out and (out == x + 1).all()
        assert (shift(x, np.ones(shape[:-1]), out=out) == x + 1).all()
    for shape in ((), (1,), (2, 2)):
        out = np.zeros(shape)
        assert total(x, out=out) is out and (out == 3).all()
    for shape in ((1, 3), (2, 4), (3,), (3, 3)):
        with pytest.raises(ValueError, match="an output has the shape"):
            shift(np.ones((2, 3)), 1, np.zeros(shape))


def test_reduce_begins_with_what_is_said() -> None:
    add = numba.vectorize(["i8(i8, i8)", "f8(f8, f8)"], identity=0)(lambda a, b: a + b)
    least = numba.vectorize(["f8(f8, f8)"])(lambda a, b: min(a, b))
    whole = np.arange(12).reshape(3, 4)
    for a in (whole, whole * 1.5, whole[:0] * 1.5, whole[:, :0]):
        for axis in (0, 1, None):
            for initial in (10, 2.5):
                f = numba.njit(lambda a: add.reduce(a, axis=axis, initial=initial))  # noqa: B023
                want = np.add.reduce(a, axis=axis, initial=initial)
                assert np.array_equal(f(a), want) and np.asarray(f(a)).dtype == want.dtype
            one = numba.njit(lambda a: add.reduce(a, axis=axis))  # noqa: B023
            assert np.array_equal(one(a), np.add.reduce(a, axis=axis))
        f = numba.njit(lambda a: least.reduce(a, initial=3.0, keepdims=True))
        assert np.array_equal(f(a * 1.0), np.minimum.reduce(a * 1.0, initial=3.0, keepdims=True))
    for f in (
        numba.njit(lambda a: least.reduce(a)),
        numba.njit(lambda a: add.reduce(a, initial=None)),
    ):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            f(whole[:0] * 1.0)
