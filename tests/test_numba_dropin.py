# SPDX-License-Identifier: BSD-3-Clause
"""Programs that import Numba, unchanged: ``python -m swathe.compat numba program.py``."""

from __future__ import annotations

import enum
import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from without_text import without_text

import swathe
from swathe.compat import numba
from swathe.compat.numba import njit, types
from swathe.compat.numba.cpython.unsafe.tuple import tuple_setitem
from swathe.compat.numba.np.extensions import cross2d
from swathe.compat.numba.np.unsafe.ndarray import to_fixed_tuple

PROGRAM = """
import sys
import numpy as np
import numba
from numba import njit, prange, typed, types, vectorize, guvectorize, float64, int64
from numba.core import errors
from numba.core.registry import CPUDispatcher
from numba.extending import register_jitable, is_jitted
from numba.typed import List, Dict

assert sys.argv[1:] == ["a", "--b"], sys.argv

@njit
def raises(n, a):
    assert n != 1, "one"
    if n == 2:
        raise ValueError("two")
    if n == 3:
        raise RuntimeError(f"n is {n}")
    return a[n]

for n, args in (1, "one"), (2, "two"), (3, "n is 3"):
    try:
        raises(n, np.zeros(3))
    except Exception as e:
        places = getattr(e, "__notes__", None)
        assert e.args == (args,) if places else e.args[0].startswith(args), e.args
try:
    raises(7, np.zeros(3))
except IndexError as e:
    assert str(e).startswith("index 7 is out of bounds")

assert numba.__name__ == "swathe.compat.numba" and numba.types is types

@register_jitable(inline="always")
def twice(x):
    return 2 * x

@njit("float64(float64[:], int64)", nogil=True, error_model="numpy", locals={"s": float64})
def mean(a, n):
    s = 0.0
    for i in range(n):
        s += twice(a[i])
    return s / n

@njit(types.Array(int64, 1, "C")(types.Array(int64, 1, "C", readonly=True)), parallel=True)
def squares(a):
    out = np.empty_like(a)
    for i in prange(len(a)):
        out[i] = a[i] ** 2
    return out

@njit
def containers(n):
    x = List()
    y = typed.List.empty_list(types.float64)
    d = Dict.empty(key_type=types.int64, value_type=types.float64)
    for i in range(n):
        x.append(i)
        y.append(i / 2)
        d[i] = i * 0.5
    return x, y, d, numba.config.NUMBA_NUM_THREADS

a = np.arange(4)
assert is_jitted(mean) and isinstance(mean, CPUDispatcher)
assert mean(a / 2, 4) == 1.5 and np.isnan(mean(a / 2, 0))
a.flags.writeable = False
assert squares(a).tolist() == [0, 1, 4, 9]
x, y, d, n = containers(3)
assert (x, y, d) == ([0, 1, 2], [0.0, 0.5, 1.0], {0: 0.0, 1: 0.5, 2: 1.0})
assert n == numba.get_num_threads()
assert isinstance(x, List) and isinstance(d, Dict) and List([1]) == [1]
assert numba.njit(forceobj=True)(twice) is twice
space = {}
exec("def made(x):\\n    return x + 1\\n", space)
assert njit(space["made"])(1) == 2
tree = __import__("ast").parse("def of_a_tree(x):\\n    return x * 3\\n")
exec(compile(tree, "<ast>", "exec"), space)
assert njit(space["of_a_tree"])(2) == 6

def local():
    k = 7
    exec("assert k == 7")
local()
try:
    import numba.core.datamodel
except ModuleNotFoundError as e:
    assert "numba.core.datamodel" in str(e)
try:
    njit(lambda x: x.no_such)(1)
except errors.NumbaError:
    pass
import subprocess, sys
child = "import numba; print(numba.__name__, numba.njit(lambda x: x + 1)(1))"
done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True)
assert done.stdout == "swathe.compat.numba 2\\n", done.stderr
numba.config.DISABLE_JIT = True
assert njit(twice) is twice
print("fine")
"""


def test_a_program_runs_unchanged(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    run = [sys.executable, "-m", "swathe.compat", "numba", str(tmp_path / "program.py"), "a", "--b"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.stdout == "fine\n", done.stderr


def test_the_command_says_what_it_takes() -> None:
    run = [sys.executable, "-m", "swathe.compat", "nunba", "program.py"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "NAME is one of numba" in done.stdout


def test_types() -> None:
    assert isinstance(types.int32, types.Integer) and not isinstance(types.int32, types.Float)
    assert isinstance(types.float64[:, ::1], types.Array) and types.float64[:, ::1].ndim == 2
    assert types.float64[:, ::1].layout == "C" and types.int8[:].dtype == types.int8
    assert types.float64(types.int64).return_type == types.float64
    assert numba.typeof(np.zeros((2, 3), np.int8)) == types.Array(types.int8, 2, "C")
    assert numba.typeof((1, 2.5)) == types.Tuple((types.int64, types.float64))
    assert numba.from_dtype(np.dtype("f4")) == types.float32
    with pytest.raises(ValueError, match="Cannot determine"):
        numba.typeof(object())
    with pytest.raises(numba.errors.NumbaNotImplementedError, match="write a function"):
        numba.extending.overload_method(types.Array, "x")


def divisions(a, b):
    return a / b, a // b, a % b


@pytest.mark.parametrize("a, b", [(1, 0), (0, 0), (1.5, 0.0), (-1.0, 0.0), (2, 0.0), (7, -2)])
def test_numbas_error_model(a, b) -> None:
    f = swathe.njit(error_model="numpy")(divisions)
    with np.errstate(all="ignore"):
        want = divisions(np.array(a)[()], np.array(b)[()])
    assert np.array_equal(f(a, b), want, equal_nan=True)
    through = swathe.njit(lambda a, b: f(a, b))
    assert np.array_equal(through(a, b), want, equal_nan=True)


def test_an_error_model_is_of_its_function() -> None:
    strict = swathe.njit(divisions)
    outer = swathe.njit(error_model="numpy")(lambda a, b: strict(a, b))
    with pytest.raises(ZeroDivisionError):
        outer(1.0, 0.0)
    power = swathe.njit(error_model="numpy")(lambda a, b: a**b)
    assert power(0.0, -1.0) == np.inf and power(1e300, 2.0) == np.inf
    with pytest.raises(ValueError, match="error_model is 'python' or 'numpy'"):
        swathe.njit(error_model="c")(divisions)


class Marked(np.ndarray):
    """An array that carries a name."""

    def __new__(cls, a, name=""):
        self = np.asarray(a).view(cls)
        self.name = name
        return self

    def __array_finalize__(self, a):
        self.name = getattr(a, "name", "")

    @property
    def title(self):
        return self.name.title()


class Changed(Marked):
    def __add__(self, other):
        return 0


class Hidden(Marked):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


def test_classes_of_arrays() -> None:
    @swathe.njit
    def f(a):
        a[0] = 9
        return (a + 1).sum()

    a = Marked(np.arange(3.0))
    assert f(a) == 15.0 and a[0] == 9 and isinstance(f(a), np.float64)
    for cls in (Changed, Hidden):
        with pytest.raises(TypeError, match="with rules of its own"):
            f(cls(np.arange(3.0)))


def test_a_helper_without_source_is_named() -> None:
    helper = without_text("def helper(x, y):\n    return x + y\n", "helper")
    with pytest.raises(swathe.errors.UnsupportedError, match="'helper', whose source can't be"):
        swathe.njit(lambda x: helper(x, 1))(1)


@swathe.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    out[0] = x.sum()


@swathe.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def running(x, out):
    out[:] = x.cumsum()


@swathe.guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(m,n),(n)->(m)")
def product(a, x, out):
    out[:] = a @ x


def test_axes_of_generalised_ufuncs() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    for k in (0, 1, 2, -1, -3):
        assert np.array_equal(total(a, axis=k), a.sum(k))
        assert np.array_equal(total(a, axes=[k]), a.sum(k))
        assert np.array_equal(total(a, axes=[(k,), ()]), a.sum(k))
        assert np.array_equal(total(a, axis=k, keepdims=True), a.sum(k, keepdims=True))
        assert np.array_equal(running(a, axis=k), a.cumsum(k))
    out = np.zeros((2, 1, 4))
    assert total(a, axis=1, keepdims=True, out=out) is out
    assert np.array_equal(out, a.sum(1, keepdims=True))
    x = np.arange(2.0)
    want = np.einsum("nmk,n->mk", a, x)
    assert np.array_equal(product(a, x, axes=[(1, 0), (0,), (0,)]), want)


@pytest.mark.parametrize(
    "names, error, says",
    [
        ({"axis": 0}, TypeError, "single shared core dimension"),
        ({"axes": [0]}, ValueError, "an entry for all 3 inputs and outputs"),
        ({"axes": (0,)}, TypeError, "should be a list"),
        ({"axes": [0, 0, 0]}, ValueError, "operand 0 has 2 core dimensions"),
        ({"axes": [(0, 7), 0, 0]}, ValueError, "axis 7 is out of bounds for array of dimension 3"),
        ({"keepdims": True}, TypeError, "requires input 1 to have 1 core dimensions"),
        ({"axes": [0], "axis": 0}, TypeError, "both 'axis' and 'axes'"),
        ({"axs": 0}, TypeError, "unexpected keyword argument 'axs'"),
    ],
)
def test_axes_that_are_wrong(names, error, says) -> None:
    with pytest.raises(error, match=says):
        product(np.ones((2, 3, 4)), np.ones(2), **names)


def test_a_layout_without_results_writes_to_arguments() -> None:
    @swathe.guvectorize(["void(float64[:], int64[:], float64[:])"], "(a),(a),(z)")
    def add_at(x, k, out):
        for i in range(len(x)):
            out[k[i]] += x[i]

    x, k, out = np.arange(12.0).reshape(3, 4), np.array([0, 1, 0, 1]), np.ones((2, 3)).T
    assert add_at(x, np.broadcast_to(k, (3, 4)), out) is None
    assert out.tolist() == [[3, 5], [11, 13], [19, 21]]
    out.flags.writeable = False
    with pytest.raises(ValueError, match="argument 2 is read-only"):
        add_at(x, np.broadcast_to(k, (3, 4)), out)


@swathe.guvectorize(["void(float32[:], uint32, float32[:])"], "(n),()->(n)")
def shifted(x, k, out):
    out[:] = x + k


def test_pythons_numbers_go_with_any_dtype_of_a_gufunc() -> None:
    assert shifted(np.ones(2, np.float32), 3).tolist() == [4, 4]
    with pytest.raises(OverflowError, match="out of bounds for uint32"):
        shifted(np.ones(2, np.float32), -1)
    with pytest.raises(TypeError, match="not supported for the input types"):
        shifted(np.ones(2, np.float32), 1.5)
    with pytest.raises(TypeError, match="not supported for the input types"):
        shifted(np.ones(2, np.float32), np.int64(3))


@swathe.vectorize(["int64(int64, int64)", "float64(float64, float64)"])
def added(a, b):
    return a + b


@swathe.vectorize
def positive(x):
    return x if x > 0 else x * 0


def test_ufuncs_in_compiled_code() -> None:
    @swathe.njit
    def f(a, b):
        s = 0.0
        for x in a:
            s += added(x, 1.5)
        return added(a, b), added(1, 2), added(1.5, 2), positive(a - 1), s

    for dtype in (np.int64, np.float64):
        a, b = np.arange(6, dtype=dtype).reshape(2, 3), np.arange(3, dtype=dtype)
        for x in (a, a[:, ::-1], a[:0]):
            v = x.reshape(-1)
            got = f(v, np.broadcast_to(b, x.shape).reshape(-1))
            want = v + np.broadcast_to(b, x.shape).reshape(-1)
            assert np.array_equal(got[0], want) and got[0].dtype == dtype
            assert got[1:3] == (3, 3.5) and np.array_equal(got[3], np.maximum(v - 1, 0))
            assert got[4] == v.sum() + 1.5 * v.size

    with pytest.raises(ValueError, match="broadcast"):
        f(np.arange(3), np.arange(2))


def test_a_function_by_its_address() -> None:
    import ctypes

    class cbrt(types.WrapperAddressProtocol):  # noqa: N801
        def __wrapper_address__(self):
            return ctypes.cast(ctypes.CDLL("libm.so.6").cbrt, ctypes.c_void_p).value

        def signature(self):
            return types.float64(types.float64)

    root = cbrt()
    assert swathe.njit(lambda x: root(x) + 1)(27.0) == 4.0


def test_types_as_messages_show_them() -> None:
    kinds = {
        "bool": True,
        "array(float64, 2d, F)": np.ones((2, 2), order="F"),
        "Tuple(int64, unicode_type)": (1, "a"),
        "UniTuple(float64 x 2)": (1.0, 2.0),
        "none": None,
    }
    for text, value in kinds.items():
        assert str(numba.typeof(value)) == numba.typeof(value).name == text


def chosen(x):
    """Of which an overload says what its argument is."""


KINDS = (
    "Record NamedTuple BaseTuple EnumMember NPDatetime NPTimedelta Array Boolean Integer Float Set "
    "UnicodeType Bytes NoneType ListType DictType SliceType RangeType NumberClass Sequence Number"
).split()


@numba.extending.overload(chosen)
def _(x):
    found = " ".join(k for k in KINDS if isinstance(x, getattr(types, k)))
    return lambda x: found


@njit
def asked(x):
    return chosen(x)


@njit
def asked_inside():
    return chosen(slice(1, 2)), chosen(range(3)), chosen(np.float32), chosen({1, 2})


class Color(enum.Enum):
    """With ints."""

    RED = 1


Pair = namedtuple("Pair", "x y")
RECORDS = np.zeros(2, [("x", "f8"), ("n", "i4")])


@pytest.mark.parametrize(
    "value, kinds",
    [
        (True, "Boolean"),
        (2, "Integer Number"),
        (2.5, "Float Number"),
        (Color.RED, "EnumMember"),
        (Pair(1, 2.0), "NamedTuple BaseTuple Sequence"),
        ((1, 2.0), "BaseTuple Sequence"),
        (RECORDS, "Array"),
        (RECORDS[0], "Record"),
        (np.datetime64("2020", "D"), "NPDatetime"),
        (np.timedelta64(2, "s"), "NPTimedelta"),
        (np.zeros(2, "M8[D]"), "Array"),
        ({1}, "Set"),
        ("a", "UnicodeType"),
        (b"a", "Bytes"),
        (None, "NoneType"),
        ([1], "ListType Sequence"),
        ({1: 2.0}, "DictType"),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_what_an_overload_is_asked_with(value, kinds) -> None:
    assert asked(value) == kinds


def test_signatures_of_bytes() -> None:
    own = numba.types.Bytes(numba.u1, 1, "C", readonly=True)
    assert own == numba.typeof(b"a") and isinstance(own, numba.types.Bytes)
    assert isinstance(numba.typeof(bytearray(b"a")), numba.types.ByteArray)
    total = numba.njit(numba.int64(own))(lambda s: sum(s))
    assert total(b"\x01\xff") == 256
    with pytest.raises(ValueError, match="vectors of uint8"):
        numba.types.Bytes(numba.f8, 1, "C")


def test_what_an_overload_is_asked_with_inside() -> None:
    assert asked_inside() == ("SliceType", "RangeType", "NumberClass", "Set")


def test_signatures_that_were_compiled() -> None:
    @njit
    def f(a, b):
        return a * b, 1

    f(np.ones((2, 3)), 2)
    one = f.nopython_signatures[0]
    assert one == f.signatures[0] and one.args == (types.float64[:, ::1], types.int64)
    two = types.Tuple((types.float64[:, ::1], types.int64))
    assert one.return_type == two and one.signature.args == one.args
    assert one.signature == two(*one.args) and one.signature != two(types.int64)


@njit
def of_numbas_modules(a, b, shape):
    for i in range(2):
        shape = tuple_setitem(shape, i, shape[i] + 1)
    return cross2d(a, b), shape, to_fixed_tuple(a, 2)


def test_names_by_other_paths() -> None:
    from swathe.compat.numba.core.decorators import njit as same
    from swathe.compat.numba.core.types import npytypes
    from swathe.compat.numba.core.typing.typeof import typeof

    assert same is njit and npytypes.Array is types.Array and typeof is numba.typeof
    assert issubclass(numba.NumbaPerformanceWarning, Warning) and numba.bool is types.boolean
    assert of_numbas_modules(np.array([1.0, 2.0]), np.array([3.0, 4.0]), (2, 3)) == (
        -2.0,
        (3, 4),
        (1.0, 2.0),
    )
    with pytest.raises(ValueError, match="Incompatible dimensions"):
        njit(lambda a: cross2d(a, a))(np.ones(3))


def test_numbas_variables() -> None:
    said = "from swathe.compat import numba; print(numba.get_num_threads())"
    for names, n in (({"NUMBA_NUM_THREADS": "1"}, "1"), ({"NUMBA_NUM_THREADS": "x"}, None)):
        env = {k: v for k, v in os.environ.items() if k != "SWATHE_NUM_THREADS"} | names
        done = subprocess.run(
            [sys.executable, "-c", said], env=env, capture_output=True, text=True, check=True
        )
        assert n is None or done.stdout.strip() == n


def of_a_width(width):
    """Of two functions only the one that the width asks for is there."""
    wide = (lambda x: x + 1) if width > 0 else None
    thin = (lambda x: x - 1) if width <= 0 else None

    @njit
    def f(x):
        if width > 0.0:
            y = wide(x)
        else:
            y = thin(x)
        return y

    return f


@pytest.mark.parametrize("width", [0, 0.0, -1, 1, 1.5, True, False, 2**53])
def test_an_int_that_is_known_beside_a_float(width) -> None:
    assert of_a_width(width)(5) == (6 if width > 0 else 4)


def test_ints_beside_floats_are_compared_exactly() -> None:
    big, near = 2**53 + 1, float(2**53)

    @njit
    def f():
        return big > near, 3 == 3.0, 2 < 2.5, -1 >= -1.0, True == 1.0, 1 != 1.5, near < big

    assert f() == f.py_func()


def test_modules_as_attributes() -> None:
    assert numba.np.numpy_support.as_dtype(types.float32) == np.float32
    assert numba.core.typing.signature(types.int64).return_type == types.int64
    assert not {"np", "bool", "misc"} & set(numba.__all__)  # which programs have by these names
