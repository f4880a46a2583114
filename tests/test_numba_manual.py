# SPDX-License-Identifier: BSD-3-Clause
"""What Numba's manual shows on the CPU, section by section, in programs of our own: each runs as it
does there, or is refused by its name."""

from __future__ import annotations

import ctypes
import math
import threading
import types as python_types

import numpy as np
import pytest

from swathe.compat import numba
from swathe.compat.numba import (
    cfunc,
    float32,
    float64,
    guvectorize,
    int32,
    int64,
    jit,
    literal_unroll,
    njit,
    objmode,
    prange,
    stencil,
    typed,
    types,
    vectorize,
)
from swathe.compat.numba.core.errors import NumbaNotImplementedError
from swathe.compat.numba.experimental import jitclass
from swathe.compat.numba.extending import overload, register_jitable
from swathe.errors import CompileError

rng = np.random.default_rng(3)


# --- "A ~5 minute guide", "Compiling Python code with @jit" -----------------------------------


def test_jit() -> None:
    @jit(nopython=True)
    def with_trace(a):
        trace = 0.0
        for i in range(a.shape[0]):
            trace += np.tanh(a[i, i])
        return a + trace

    @jit(int32(int32, int32))
    def eager(x, y):
        return x + y

    @jit
    def square(x):
        return x**2

    @jit(nogil=True, cache=True)
    def hypot(x, y):
        return math.sqrt(square(x) + square(y))

    @jit((float64[:], int64[::1]), nopython=True)
    def of_types(a, k):
        return a[k[0]]

    x = rng.random((5, 5))
    assert np.allclose(with_trace(x), x + np.tanh(np.diag(x)).sum())
    assert eager(1, 2**31 - 1) == -(2**31)
    assert eager(2.9, 1) == 3  # Numba's casts
    assert hypot(3, 4) == 5.0 and hypot(3.0, 4) == 5.0
    assert of_types(x[0], np.array([2])) == x[0, 2]


def test_signatures_cast_arguments_and_results() -> None:
    @njit("b1(u1[::1], i4)")
    def visited(marks, k):
        return marks[k >> 3] & (1 << (k & 7))

    @njit(float32(float32, types.optional(float64)))
    def scaled(x, by):
        return x if by is None else x * by

    @njit
    def calls(x, k):
        return visited(x, np.int64(k)), scaled(np.float64(1.0) / 3, 2), scaled(k, None)

    marks = np.array([0, 4], np.uint8)
    assert visited(marks, 10) is np.bool_(True) or visited(marks, 10) == True  # noqa: E712
    assert isinstance(visited(marks, 9), np.bool_) and not visited(marks, 9)
    third = np.float32(1.0) / np.float32(3)
    assert scaled(1 / 3, None) == third and scaled(np.int64(3), None) == 3.0
    yes, doubled, ten = calls(marks, 10)
    assert yes and isinstance(yes, (bool, np.bool_)) and ten == 10.0
    assert doubled == np.float32(np.float64(third) * 2)
    with pytest.raises(TypeError):
        scaled(1j, None)


# --- "Creating NumPy universal functions" -----------------------------------------------------


def test_universal_functions() -> None:
    @vectorize([int32(int32, int32), int64(int64, int64), float32(float32, float32),
                float64(float64, float64)])  # fmt: skip
    def add(x, y):
        return x + y

    @vectorize
    def times(x, y):
        return x * y

    @guvectorize([(int64[:], int64, int64[:])], "(n),()->(n)")
    def plus(x, y, res):
        for i in range(x.shape[0]):
            res[i] = x[i] + y

    @guvectorize([(float64[:], float64[:])], "(n)->()")
    def total(x, res):
        acc = 0.0
        for i in range(x.shape[0]):
            acc += x[i]
        res[0] = acc

    @guvectorize("void(float64[:], int64[:], float64[:])", "(n),()->(n)")
    def move_mean(a, window_arr, out):
        window_width = window_arr[0]
        asum = 0.0
        for i in range(window_width):
            asum += a[i]
            out[i] = asum / (i + 1)
        for i in range(window_width, len(a)):
            asum += a[i] - a[i - window_width]
            out[i] = asum / window_width

    a = np.arange(12).reshape(3, 4)
    assert add.reduce(a, axis=0).tolist() == a.sum(0).tolist()
    assert add.accumulate(a).tolist() == a.cumsum(0).tolist()
    assert add(np.linspace(0, 1, 6), 1).dtype == np.float64
    assert times(a, 2).tolist() == (a * 2).tolist() and times(a, 0.5).dtype == np.float64
    assert plus(a, np.array([10, 20, 30])).tolist() == (a + [[10], [20], [30]]).tolist()
    assert total(a * 0.5).tolist() == (a * 0.5).sum(1).tolist()
    x = np.arange(20.0).reshape(2, 10)
    assert np.allclose(move_mean(x, 3)[:, 5], x[:, 3:6].mean(1))


def test_a_generalised_ufunc_shares_what_its_parts_share() -> None:
    @guvectorize([(float64, float64[:], float64[:], float64[:])], "(),(n),(k)->()")
    def pick(x, table, pair, out):
        out[0] = x + table[-1] + pair[0]

    table = np.arange(2_000_000.0)  # a copy for each part would be 160 GB
    x, pairs = rng.random((100, 100)), rng.random((100, 1, 2))
    want = x + table[-1] + pairs[..., 0]
    assert np.allclose(pick(x, table, pairs), want)
    assert np.allclose(pick(x, table[None, None], pairs), want)
    assert pick(1.0, table, np.ones(2)) == table[-1] + 2 and pick(x[:0], table, pairs[0]).size == 0


# --- "Compiling Python classes with @jitclass" ------------------------------------------------


def test_jitclass() -> None:
    @jitclass([("value", int32), ("array", float32[:])])
    class Bag:
        def __init__(self, value):
            self.value = value
            self.array = np.zeros(value, dtype=np.float32)

        @property
        def size(self):
            return self.array.size

        def increment(self, val):
            for i in range(self.size):
                self.array[i] += val
            return self.array

        @staticmethod
        def add(x, y):
            return x + y

    @njit
    def grown(n):
        bag = Bag(n)
        bag.increment(3)
        return bag

    bag = grown(21)
    assert bag.size == bag.value == 21 and bag.array.sum() == 63
    assert bag.increment(1)[0] == 4 and Bag.add(1, 2) == 3


# --- "Creating C callbacks with @cfunc" -------------------------------------------------------


def test_cfunc() -> None:
    from scipy import LowLevelCallable
    from scipy.integrate import quad

    @cfunc("float64(float64, float64)")
    def add(x, y):
        return x + y

    @cfunc(float64(float64))
    def integrand(t):
        return np.exp(-t) / t**2

    @cfunc(types.void(types.CPointer(types.double), types.CPointer(types.double), types.intc))
    def doubled(in_, out, n):
        source, target = numba.carray(in_, n), numba.carray(out, n)
        for i in range(n):
            target[i] = 2 * source[i]

    assert add.ctypes(4.0, 5.0) == 9.0 and add(1.0, 2.0) == 3.0 and add.address
    assert njit(lambda x: add(x, 1.0))(2.0) == 3.0
    for of in (integrand.ctypes, LowLevelCallable(integrand.ctypes)):
        assert abs(quad(of, 1, np.inf)[0] - 0.14849550677592208) < 1e-9
    x, y = np.arange(4.0), np.zeros(4)
    at = ctypes.POINTER(ctypes.c_double)
    doubled.ctypes(x.ctypes.data_as(at), y.ctypes.data_as(at), 4)
    assert y.tolist() == [0, 2, 4, 6]
    assert numba.farray(x.ctypes.data_as(at), (2, 2)).tolist() == [[0, 2], [1, 3]]
    with pytest.raises(TypeError, match=r"float64\[:\] is no type of C"):
        cfunc("float64(float64[:])")(len)


@pytest.mark.parametrize("result", ["float64", "int32", "bool", "float32", "void"])
def test_cfunc_that_raises(result: str, capsys: pytest.CaptureFixture[str]) -> None:
    @cfunc(f"{result}(float64)")
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x * 2

    for x, want in ((1.5, 3), (-1.0, 0), (2.5, 5)):
        got = f.ctypes(x)
        assert got == (None if result == "void" else (want != 0) if result == "bool" else want)
        said = capsys.readouterr().err
        assert ("'f'" in said and "ValueError: negative" in said) == (x < 0)


# --- "Automatic parallelization", "The threading layers" --------------------------------------


def test_parallel_loops() -> None:
    @njit(parallel=True)
    def reduced(n):
        shp = (13, 17)
        result1 = 2 * np.ones(shp, np.int64)
        tmp = 2 * np.ones_like(result1)
        for _ in prange(n):
            result1 *= tmp
        return result1

    @njit(parallel=True)
    def summed(x):
        acc = 0.0
        for i in prange(x.shape[0]):
            acc += x[i]
        return acc

    @njit(parallel=True)
    def regression(y, x, w, iterations):
        for _ in range(iterations):
            w -= np.dot(((1.0 / (1.0 + np.exp(-y * np.dot(x, w))) - 1.0) * y), x)
        return w

    assert (reduced(10) == 2**11).all()
    x = rng.random(1000)
    assert np.isclose(summed(x), x.sum())
    y, table = np.where(rng.random(30) < 0.5, -1.0, 1.0), rng.random((30, 4))
    assert np.allclose(
        regression(y, table, np.ones(4), 5), regression.py_func(y, table, np.ones(4), 5)
    )
    old = numba.get_num_threads()
    numba.set_num_threads(1)
    assert np.isclose(summed(x), x.sum()) and numba.get_num_threads() == 1
    numba.set_num_threads(old)
    assert isinstance(numba.threading_layer(), str)
    with numba.parallel_chunksize(4):
        assert numba.get_parallel_chunksize() == 4 and np.isclose(summed(x), x.sum())


def test_threads_without_the_lock() -> None:
    @njit("void(double[:], double[:], double[:])", nogil=True)
    def inner(result, a, b):
        for i in range(len(result)):
            result[i] = math.exp(2.1 * a[i] + 3.2 * b[i])

    a, b, out = rng.random(1000), rng.random(1000), np.empty(1000)
    parts = [slice(k * 250, k * 250 + 250) for k in range(4)]
    team = [threading.Thread(target=inner, args=(out[p], a[p], b[p])) for p in parts]
    [t.start() for t in team]
    [t.join() for t in team]
    assert np.allclose(out, np.exp(2.1 * a + 3.2 * b))


# --- "Using the @stencil decorator" -----------------------------------------------------------


def test_stencils() -> None:
    @stencil
    def cross(a):
        return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

    @stencil(neighborhood=((-4, 0),))
    def mean_of_five(a):
        c = 0.0
        for i in range(-4, 1):
            c += a[i]
        return c / 5

    @stencil(standard_indexing=("b",), cval=-1.0)
    def weighted(a, b):
        return a[-1] * b[0] + a[0] + b[1]

    @njit
    def inside(a):
        return cross(a)

    a = np.arange(30.0).reshape(5, 6)
    want = np.zeros((5, 6))
    want[1:-1, 1:-1] = (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1]) / 4
    assert np.array_equal(cross(a), want) and np.array_equal(inside(a), want)
    x = np.arange(10.0)
    assert mean_of_five(x).tolist() == [0] * 4 + [np.mean(x[i - 4 : i + 1]) for i in range(4, 10)]
    assert weighted(x, np.array([2.0, 3.0])).tolist() == [-1] + [
        2 * x[i - 1] + x[i] + 3 for i in range(1, 10)
    ]


# --- "Typed containers", "literal_unroll", "Callback into the interpreter" ---------------------


def test_typed_containers() -> None:
    @njit
    def dicts():
        d = typed.Dict.empty(key_type=types.unicode_type, value_type=types.float64[:])
        d["posx"] = np.asarray([1, 0.5, 2])
        d["posy"] = np.asarray([1.5, 3.5, 2])
        total = 0.0
        for k in d:
            total += d[k].sum() + len(k)
        return d, total

    @njit
    def lists(n):
        nested = typed.List()
        for i in range(n):
            inner = typed.List.empty_list(types.int64)
            inner.append(i)
            nested.append(inner)
        return nested

    d, total = dicts()
    assert list(d) == ["posx", "posy"] and total == 10.5 + 8
    assert lists(3) == [[0], [1], [2]]
    mine = typed.Dict.empty(types.int64, types.float64)
    mine[1] = 2.5
    assert njit(lambda d: d[1] * 2)(mine) == 5.0


def test_literal_unroll_and_objmode() -> None:
    @njit
    def unrolled(tup):
        c = 0.0
        for x in literal_unroll(tup):
            c += len(x) if isinstance(x, str) else x * 2
        return c

    def in_python(x):
        return x[::-1] * 2

    @njit
    def calls_back(x):
        y = np.zeros(5)
        with objmode(y="float64[:]"):
            y = in_python(x)
        return y

    assert unrolled((1, 2.5, True)) == 9.0
    assert unrolled((1, "abc")) == 5.0
    assert calls_back(np.arange(5.0)).tolist() == [8, 6, 4, 2, 0]


# --- "Automatic module jitting", generators, functions as values -------------------------------


def test_jit_module() -> None:
    text = "import math\ndef inc(x):\n    return add(x, 1)\n"
    text += "def add(x, y):\n    return math.floor(x) + y\n"
    module = python_types.ModuleType("manual")
    exec(compile(text, "manual.py", "exec"), module.__dict__)
    module.jit_module, module.__dict__["__name__"] = numba.jit_module, "manual"
    exec("jit_module(nopython=True, error_model='numpy')", module.__dict__)
    assert numba.extending.is_jitted(module.inc) and module.math is math


def test_generators() -> None:
    @njit
    def gen(n):
        for i in range(n):
            yield i * i

    @njit
    def total(n):
        s = 0
        for x in gen(n):
            s += x
        return s

    it = gen(4)
    assert next(it) == 0 and list(it) == [1, 4, 9] and total(4) == 14 and gen.py_func


def test_functions_as_arguments() -> None:
    @njit(float64(types.FunctionType(float64(float64)), float64))
    def applied(f, x):
        return f(x) + 1

    @njit
    def composed(f, g, x):
        return g(f(x))

    half = njit(float64(float64))(lambda x: x / 2)
    assert applied(half, 3.0) == 2.5
    assert composed(half, njit(lambda x: x + 1), 4.0) == 3.0


FACTOR = 2


def test_globals_of_functions_with_signatures_stay() -> None:
    """Programs make one function for each of several settings of a module's globals."""

    def scaled(x):
        return x * FACTOR

    def by_element(x):
        return x + FACTOR

    global FACTOR
    kept = []
    for FACTOR in (2, 3):
        times, plus = njit("int64(int64)")(scaled), vectorize(["int64(int64)"])(by_element)
        kept.append((times, plus, njit("int64(int64)")(lambda x: times(plus(x)))))
    FACTOR = 10
    assert [(f(7), int(g(7)), h(7)) for f, g, h in kept] == [(14, 9, 18), (21, 10, 30)]
    assert njit(scaled)(7) == 70 and kept[0][0].__name__ == "scaled"


# --- "Extending Numba" -------------------------------------------------------------------------


def set_to_x(arr, x):
    arr[:] = x


@overload(set_to_x)
def _set_to_x(arr, x):
    if isinstance(arr, types.Array) and arr.ndim == 1 and isinstance(x, types.Integer):
        return lambda arr, x: arr.fill(x)
    if isinstance(arr, (types.UniTuple, types.Tuple)):
        raise numba.errors.TypingError(f"{len(arr)} numbers can't be set")
    if isinstance(arr, types.Array) and arr.layout == "C":

        def contiguous(arr, x=None):
            for i in range(len(arr)):
                arr[i] = x + arr.ndim

        return contiguous
    return None


def picked(cdf, size=None):
    raise NotImplementedError


@overload(picked, jit_options={"cache": True})
def _picked(cdf, size=None):
    if isinstance(size, types.Integer):
        return lambda cdf, size=None: np.full(size, cdf[0])
    if isinstance(size, types.Omitted) or size == types.none:
        return njit(lambda cdf, size=None: cdf[1])
    return 7


def test_overload() -> None:
    @njit
    def f(a, x):
        set_to_x(a, x)
        return a

    assert f(np.zeros(3), 2).tolist() == [2, 2, 2]
    assert f(np.zeros((2, 1)), 2.5).tolist() == [[4.5], [4.5]]
    with pytest.raises(CompileError, match="2 numbers can't be set"):
        f((1, 2), 3)
    with pytest.raises(CompileError, match=r"no overload of 'set_to_x' is for \(float64, int64\)"):
        f(1.0, 3)

    @njit
    def g(c, n):
        return picked(c), picked(c, n), picked(c, size=n + 1), picked(c, None)

    one, two, three, four = g(np.arange(3.0), 1)
    assert one == four == 1.0 and two.tolist() == [0.0] and three.tolist() == [0.0, 0.0]
    with pytest.raises(CompileError, match="'picked' yields a int, which is no function"):
        njit(lambda c: picked(c, 0.5))(np.arange(3.0))
    with pytest.raises(TypeError, match="can't be given another meaning"):
        overload(3)(_picked)


@numba.extending.intrinsic
def _stack_empty(typingctx, size, dtype):
    def impl(context, builder, signature, args):
        ty = context.get_value_type(dtype.dtype)
        return numba.core.cgutils.alloca_once(builder, ty, size=args[0])

    return types.CPointer(dtype.dtype)(types.int64, dtype), impl


def test_memory_of_an_intrinsic() -> None:
    @njit(inline="always")
    def rows():
        return numba.carray(_stack_empty(8, np.float64), (4, 2), dtype=np.float64)

    @njit
    def filled(x):
        a, b = rows(), numba.carray(_stack_empty(6, np.int32), 5)
        b[:] = 3
        for i in range(4):
            a[i] = x * i, x + i
        return a, b

    a, b = filled(2.0)
    assert np.array_equal(a, [[0, 2], [2, 3], [4, 4], [6, 5]]) and a.dtype == np.float64
    assert np.array_equal(b, [3] * 5) and b.dtype == np.int32
    with pytest.raises(ValueError, match="cannot reshape array of size 3"):
        njit(lambda: numba.carray(_stack_empty(3, np.int32), 5))()


def test_tuples_in_the_spec_of_a_class() -> None:
    spec = {"p": types.UniTuple(types.int32, 2), "q": types.Tuple((types.int64, types.float64[:]))}

    @numba.experimental.jitclass(spec)
    class Pair:
        def __init__(self, n):
            self.p = (n, n + 1)
            self.q = (n, np.full(n, 0.5))

        def total(self):
            return self.p[0] + self.p[1] + self.q[0] + self.q[1].sum()

    assert Pair(3).total() == 11.5 and Pair(3).p == (3, 4)


def test_intrinsics() -> None:
    from swathe.compat.llvmlite import ir
    from swathe.compat.numba.core import cgutils

    @numba.extending.intrinsic
    def bits_of(typingctx, x):
        if not isinstance(x, types.Float) or x.bitwidth != 32:
            return None

        def codegen(context, builder, sig, args):
            return builder.bitcast(args[0], ir.IntType(32))

        return types.int32(x), codegen

    @numba.extending.intrinsic
    def ones_in(typingctx, x):
        def codegen(context, builder, sig, args):
            kind = args[0].type
            f = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(kind, [kind]), "llvm.ctpop.i8"
            )
            return builder.call(f, [args[0]])

        return types.uint8(types.uint8), codegen

    @numba.extending.intrinsic
    def address(typingctx, x):
        return types.int64(x), lambda context, builder, sig, args: builder.ptrtoint(args[0], 0)

    x = np.float32(1.5)
    assert njit(lambda x: bits_of(x))(x) == x.view(np.int32)
    assert njit(lambda x: ones_in(x))(np.uint8(201)) == 4
    with pytest.raises(CompileError, match=r"no overload of 'bits_of' is for \(float64\)"):
        njit(lambda x: bits_of(x))(1.5)
    with pytest.raises(CompileError, match="address is an intrinsic of LLVM's.*ptrtoint"):
        njit(lambda x: address(x))(1)
    with pytest.raises(NotImplementedError, match="bits_of is an intrinsic"):
        bits_of(1.5)


def test_seeds_that_may_be_none() -> None:
    @njit
    def drawn(k):
        seed = None if k < 0 else k
        np.random.seed(seed)
        return np.random.random()

    assert drawn(7) == drawn(7) == np.random.RandomState(7).random_sample()
    assert drawn(-1) != drawn(-1)
    with pytest.raises(ValueError, match="Seed must be between"):
        drawn(2**40)
    with pytest.raises(CompileError, match="'seed' must be an integer"):
        njit(lambda x: np.random.seed(x))(1.5)


@pytest.mark.parametrize(
    "name", ["overload_method", "overload_attribute", "type_callable", "lower_builtin", "models",
             "register_model", "make_attribute_wrapper", "box", "unbox", "typeof_impl"],
)  # fmt: skip
def test_what_is_for_numbas_own_passes_is_refused_by_name(name: str) -> None:
    with pytest.raises(
        NumbaNotImplementedError, match=r"numba\.extending\.\w+ is for Numba's own passes"
    ):
        getattr(numba.extending, name)(types.int64)


def test_other_names_are_refused() -> None:
    from swathe.compat.numba.np.linalg import _LAPACK

    with pytest.raises(NumbaNotImplementedError, match="numba_xgesv takes pointers"):
        _LAPACK().numba_xgesv(types.float64)
    with pytest.raises(NumbaNotImplementedError, match="generated_jit is no part of Numba"):
        numba.generated_jit(nopython=True)
    overload(np.add)(lambda x, y: None)  # which means what it means in Python
    assert njit(lambda x: np.add(x, 1))(2) == 3


def test_types_as_an_overload_sees_them() -> None:
    from swathe.compat.numba._overloads import from_text

    assert from_text("float64[:,::1]") == types.float64[:, ::1] == types.Array(float64, 2, "C")
    assert from_text("readonly int8[::1,:]").readonly and from_text("int8[::1,:]").layout == "F"
    pair = from_text("Tuple((int, UniTuple(float32, 2), none))")
    assert (
        isinstance(pair, types.BaseTuple)
        and pair.count == 3
        and not isinstance(pair, types.UniTuple)
    )
    assert pair[0] == types.int64 and pair[1].dtype == float32 and pair[2] == types.none
    assert isinstance(from_text("optional(float64)"), types.Optional)
    assert from_text("list[UniTuple(int, 2)]").dtype == types.UniTuple(int64, 2)
    assert isinstance(from_text("omitted none"), types.Omitted)
    assert not isinstance(types.float64[:], types.Float) and types.uint16.bitwidth == 16
    assert not types.uint16.signed and isinstance(from_text("function<f>"), types.Function)
    with pytest.raises(NumbaNotImplementedError, match=r"types\.Integer makes no types"):
        types.Integer("int64")


@register_jitable
def _clamped(a, a_min, a_max):
    return min(max(a, a_min), a_max)


def test_helpers_that_python_calls_too() -> None:
    assert njit(lambda x: _clamped(x, 0, 5))(9) == _clamped(9, 0, 5) == 5


def test_own_types_are_refused() -> None:
    class IntervalType(types.Type):
        def __init__(self):
            super().__init__(name="Interval")

    with pytest.raises(CompileError, match="IntervalType 'Interval': types of one's own"):
        IntervalType()
