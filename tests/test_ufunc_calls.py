"""vectorize and guvectorize called with all that NumPy's ufuncs take: the same values, dtypes,
layouts and classes of errors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from swathe import errors, guvectorize, njit, vectorize
from swathe.types import float64

SIGNATURES = ["float32(float32, float32)", "float64(float64, float64)"]
OURS = {
    "sub": vectorize(SIGNATURES)(lambda a, b: a - b),
    "add": vectorize(SIGNATURES, identity=0)(lambda a, b: a + b),
    "any_sub": vectorize(lambda a, b: a - b),
    "any_or": vectorize(lambda a, b: a | b),
    "invert": vectorize(lambda a: ~a),
    "div": vectorize(["int64(int64, int64)"])(lambda a, b: a // b),
}
NUMPY = {
    "sub": np.subtract,
    "add": np.add,
    "any_sub": np.subtract,
    "any_or": np.bitwise_or,
    "invert": np.invert,
    "div": np.floor_divide,
}
x = np.arange(12.0).reshape(3, 4)
DATA = {
    "np": np,
    "x": x,
    "i": np.arange(6),
    "F": np.asfortranarray(x),
    "T": np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
    "R": np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::-1, :, ::-1],
    "odd": np.array([True, False, True]),
    "out": lambda *shape, dtype=float: np.full(shape, 7, dtype),
}
SAME = """
sub.reduce(np.arange(5.), initial=3.0)
sub.reduce(np.arange(5.), initial=None)
sub.reduce(np.arange(0.), initial=3.0)
sub.reduce(x, axis=1, initial=2)
sub.reduce(x, axis=-1)
add.reduce(x, axis=(0, 1))
add.reduce(x, axis=())
add.reduce(np.float64(3))
add.reduce(np.array(3.), axis=None)
add.reduce(T, axis=1)
add.reduce(T, axis=(0, 2), keepdims=True)
add.reduce(R, axis=2, initial=2)
add.reduce(np.ones((0, 3)), keepdims=True)
add.reduce(np.ones((3, 0)))
add.reduce(x, out=out(4))
add.reduce(x, out=out(4, dtype=np.float32))
add.reduce(x, keepdims=True, out=out(1, 4))
add.reduce(x + 0.5, dtype=np.float32)
any_sub.reduce(x + 0.5, dtype=int)
sub.accumulate(T, axis=1)
sub.accumulate(F)
sub.accumulate(x[0], axis=None)
add.accumulate(np.ones((0, 3)))
add.accumulate(x, out=out(3, 4))
invert(np.array([True, False]))
invert(True)
invert(3)
any_or(odd, False)
any_or(odd, 1)
any_sub(F, F)
any_sub(T, 1)
any_sub(R, R)
any_sub(T, T[:, :, ::-1])
any_sub(T, T[:, :1])
any_sub(F, x)
any_sub(x, F)
any_sub(F, x[:, :1])
any_sub(F[:0], F[:0])
any_sub(x, x, order="F")
any_sub(F, F, order="C")
any_sub(F, F, order="A")
any_sub(F, x, order="A")
any_sub(F, F, order=None)
add(i, i, dtype=np.float64)
add(x, x, dtype=np.float32)
any_sub(i, i, dtype=float)
any_sub(i, 1.5, dtype=int, casting="unsafe")
any_sub(x, i[:4], dtype=int, casting="unsafe")
add(x, x, casting="no")
add(x, x, out=out(3, 4, dtype=int), casting="unsafe")
add(x, x, out=out(3, 4, dtype=np.float32))
add(x, x, out=out(3, 4, dtype=">f8"))
add(F, F, out=out(3, 4))
add(F, F, out=out(2, 3, 4))
add(F, F, out=out(4, 3).T)
add(x, x, out=(None,))
add(x, x, None)
add(np.matrix(x), 1.0)
add(np.matrix(x), 1.0, subok=False)
add(np.ma.array(x, mask=x > 3), 1.0)
div(np.array([1, 2, 3]), np.array([1, 0, 3]), where=odd, out=out(3, dtype=int))
div(6, np.array([1, 0, 3]), where=odd, out=out(3, dtype=int))
div(6, 2, where=[[True], [True]])
div(6, 2, where=[1])
div(6, 2, where=False, out=np.array(7))
div(6, 0, where=False, out=out(2, 2, dtype=int))
div(np.array([6]), 0, where=np.array([[False]]), out=out(2, 2, dtype=int))
add(x, x, where=x > 4, out=out(3, 4, dtype=np.float32))
add(F, T[:3, 0, 0][:, None], where=F > 4, out=out(3, 4))
"""
RAISES = """
sub.reduce(np.arange(0.))
sub.reduce(x, axis=2)
sub.reduce(x, axis=-3)
sub.reduce(x, axis=(0, 1))
sub.reduce(x, axis=None)
add.reduce(x, axis=(0, 0))
add.reduce(x, axis=(0, 2))
add.reduce(x, axis=1.5)
add.reduce(np.array(3.), axis=1)
add.reduce(x, out=out(3))
add.reduce(x, out=out(3, 4))
add.reduce(x, out=out(1, 4))
add.reduce(x, out=[0])
sub.accumulate(np.array(1.))
sub.accumulate(x, axis=2)
sub.accumulate(x, axis=(0, 1))
add.accumulate(x, out=out(2, 3, 4))
add.accumulate(x, out=out(1, 4))
any_sub(F, F, order="Z")
any_sub(F, F, order=3)
add(x, x, dtype=np.float32, casting="safe")
add(x, x, dtype=int)
any_sub(i, 1.5, dtype=int)
add(x, x, casting="most")
add(x, x, subok=3)
add(x, x, more=3)
add(x, x, out=out(3, 4, dtype=int))
add(x, x, out=out(3, 4, dtype=np.float32), casting="safe")
add(x, x, where=x > 4, out=out(3, 4, dtype=int))
add(x, x, where=i[:4])
add(x, x, out=out(4))
add(x, x, out=np.broadcast_to(1.0, (3, 4)))
add(x, 1.5, out=[0] * 4)
add(x, x, out=(1, 2))
add(x, x, out(3, 4), out=out(3, 4))
any_sub("a", "b")
any_sub(np.array([None]), 1)
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", SAME.strip().split("\n"))
def test_same(text: str) -> None:
    got, want = eval(text, DATA | OURS), eval(text, DATA | NUMPY)
    assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.ma.getmaskarray(got), np.ma.getmaskarray(want))
    assert got.size == 0 or got.strides == want.strides


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", RAISES.strip().split("\n"))
def test_raises(text: str) -> None:
    with pytest.raises(Exception) as want:  # noqa: PT011
        eval(text, DATA | NUMPY)
    with pytest.raises(Exception) as got:  # noqa: PT011
        eval(text, DATA | OURS)
    for cls in (TypeError, np.exceptions.AxisError, ValueError):
        assert isinstance(got.value, cls) == isinstance(want.value, cls)
    if "Cannot cast ufunc" in str(want.value) and "No loop" not in str(got.value):
        assert str(got.value).partition("' ")[2] == str(want.value).partition("' ")[2]


def test_in_place_and_overlapping() -> None:
    add = OURS["add"]
    for order in "CF":
        make = functools.partial(np.array, order=order)
        own = make(x)
        assert add(own, own, out=own) is own and (own == x + x).all()
        own = make(x)
        add(own[1:], own[:-1], out=own[1:])
        np.testing.assert_array_equal(own[1:], x[1:] + x[:-1])
        square = make(x[:, :3])
        add(square, square.T, out=square)
        np.testing.assert_array_equal(square, x[:, :3] + x[:, :3].T)


def test_no_function_of_nothing_and_no_strange_elements() -> None:
    with pytest.raises(TypeError, match="has no parameters"):
        vectorize(lambda: 3)
    for odd in ("a", np.longdouble(1), np.array([None])):
        with pytest.raises(TypeError, match="not supported for the input types"):
            OURS["any_sub"](odd, odd)


# ---- guvectorize -------------------------------------------------------------------------------


@guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(),(n)")
def first_and_double(x, first, double):
    first[0] = x[0]
    for i in range(len(x)):
        double[i] = 2 * x[i]


@guvectorize(["void(int64[:], int64[:])"], "(n)->(n)")
def add_to(x, out):
    for i in range(len(x)):
        out[i] += x[i]


def test_outputs_of_other_types() -> None:
    one = np.ones(3, int)
    with pytest.raises(TypeError, match="'first_and_double' output 1 .*'same_kind'"):
        first_and_double(x, np.zeros(3), np.zeros((3, 4), int))
    single = np.zeros((3, 4), np.float32)
    assert first_and_double(x, out=(None, single))[1] is single and (single == 2 * x).all()
    assert add_to(one, out=np.array([5, 1, 2], np.int32)).tolist() == [6, 2, 3]
    with np.errstate(all="raise"):
        assert add_to(one, out=np.array([np.nan, 1, 2])).tolist() == [1, 1, 1]


def test_some_outputs() -> None:
    o = np.zeros(3)
    first, double = first_and_double(x, out=(o, None))
    assert first is o and o.tolist() == [0, 4, 8] and (double == 2 * x).all()
    assert first_and_double(x, o)[0] is o
    for error, out in ((TypeError, o), (ValueError, (o,)), (TypeError, ([0] * 3, None))):
        with pytest.raises(error):
            first_and_double(x, out=out)
    with pytest.raises(TypeError, match="both"):
        first_and_double(x, o, out=(o, None))
    with pytest.raises(ValueError, match="read-only"):
        first_and_double(x, np.broadcast_to(0.0, 3))


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_arguments_as_scratch(target: str) -> None:
    @guvectorize(["void(float64[:], float64[:])"], "(n)->()", target=target)
    def total(a, out):
        a[0] += 5
        rest: Any = a[1:]
        rest[0] = 7
        s = 0.0
        for i in range(len(a)):
            s += a[i]
        out[0] = s

    given, whole, column = np.ones((2, 3)), np.ones((2, 3), int), np.ones((3, 2)).T
    for a in (given, whole, np.broadcast_to(1.0, (2, 3)), column):
        assert total(a).tolist() == [14, 14]
    assert (whole == 1).all() and given.tolist() == column.tolist() == [[6, 7, 1]] * 2


@guvectorize("(n)->(n)")
def doubled(a, out):
    for i in range(len(a)):
        out[i] = a[i] * 2


@guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", target="parallel")
def dotted(a, b, out):
    out[0] = 0.0
    for i in range(len(a)):
        out[0] += a[i] * b[i]


@guvectorize([(float64[:], float64[:], float64[:], float64[:])], "(3),()->(3),()")
def scaled(a, k, out, total):
    total[0] = 0.0
    for i in range(3):
        out[i] = a[i] * k[0]
        total[0] += out[i]


@njit
def calls(a, k, d, p, s, t):
    doubled(a, d)
    dotted(a, a, p)
    scaled(a, k, s, t)


@njit
def calls_doubled(a, d):
    doubled(a, d)


@pytest.mark.parametrize("shape", [(3,), (0, 3), (2, 3), (2, 4, 3)], ids=str)
def test_calls_of_gufuncs_in_compiled_code(shape: tuple[int, ...]) -> None:
    """Axes that the layout doesn't name are gone through, and inputs broadcast to the outputs."""
    rng = np.random.default_rng(5)
    a, outer = rng.random(shape), shape[:-1]
    for k in (np.array(2.0), rng.random(outer), rng.random((1,) * len(outer))):
        k = k[()] if k.ndim == 0 else k
        d, p, s, t = np.zeros(shape), np.zeros(outer), np.zeros(shape), np.zeros(outer)
        calls(a, k, d, p, s, t)
        want = a * np.asarray(k)[..., None]
        assert (d == 2 * a).all() and (s == want).all()
        assert np.allclose(p, (a * a).sum(-1)) and np.allclose(t, want.sum(-1))


def test_errors_of_gufuncs_in_compiled_code() -> None:
    for out in (np.zeros(5), np.zeros((2, 5)), np.zeros((3, 5))):
        with pytest.raises(ValueError, match="Loop and array shapes are incompatible"):
            calls_doubled(np.ones((4, 5)), out)
    with pytest.raises(ValueError, match="core dimension 'n'"):
        calls_doubled(np.ones(4), np.zeros(5))
    with pytest.raises(errors.CompileError, match="missing the argument"):
        njit(lambda a: doubled(a))(np.ones(3))
    with pytest.raises(errors.Error, match="no explicit signature takes these"):
        njit(lambda a, o: dotted(a, a, o))(np.arange(3), np.zeros(()))


def test_numbers_alone_are_the_loops_dtypes():
    """A ufunc of ours that is called with numbers: each is NumPy's number of its own type."""
    half = vectorize(lambda x, y: (x + y) // 2)

    def call(x, y):
        return half(x, y)

    compiled = njit(call)
    own = [np.float32(1.5), np.uint64(7), np.int8(100), np.array(4), np.array(2.5, "f4")]
    pairs = [(x, y) for x in own for y in own]
    for x, y in [*pairs, (3, 4), (3, 2.5), (2.5, 4), (True, 3), (np.int64(5), 3)]:
        want, got = np.asarray(call(x, y)), np.asarray(compiled(x, y))
        assert (want.dtype, want[()]) == (got.dtype, got[()])
