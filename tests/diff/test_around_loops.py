"""What stands around loops: loops written out round by round, primitives, lazy arrays, ufuncs with
operands of all kinds, and what `debug=True` says of NaNs. The same as Python and NumPy."""

from __future__ import annotations

import enum
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, gpu, njit, prim, vectorize, xp

lazy = swathe.lazy


def same(got: Any, want: Any) -> None:
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            same(a, b)
        return
    kept = getattr(got, "dtype", None), getattr(got, "shape", None)
    a, b = np.asarray(got), np.asarray(want)
    assert a.dtype == b.dtype and a.shape == b.shape
    assert kept in ((None, None), (a.dtype, a.shape))
    np.testing.assert_allclose(a, b, rtol=1e-12)


# ---- loops that are written out ----


def left_in_else(x, n):
    s = 0.0
    for a in (x, x[0]):
        k = 0
        while k < n:
            k += 1
        else:
            if n > 2:
                break
        s += np.sum(a)
    return s


def stays_in_while(x, n):
    s = 0.0
    for a in (x, x[0]):
        k = 0
        while k < n:
            k += 1
            if k == 3:
                break
        else:
            s += 100
        s += np.sum(a) + k
    return s


def test_break_in_the_else_of_a_while() -> None:
    x = np.arange(6.0).reshape(2, 3)
    f = njit(stays_in_while, cache=False)
    for n in (0, 2, 5):
        same(f(x, n), stays_in_while(x, n))
    with pytest.raises(errors.TypingError, match="no common type"):
        njit(left_in_else, cache=False)(x, 3)


# ---- NaNs under debug ----


def parts(z, x, y):
    c = complex(x, y)
    s = 0.0
    for i in range(len(z)):
        s += abs(z[i]) + (z[i] * 2).real
    return np.abs(z), z.real, z[1].imag + 1, np.angle(z), (z * z).imag, s, c.real, abs(c)


def test_parts_of_a_complex_nan_are_excused() -> None:
    f = njit(parts, cache=False, debug=True)
    z = np.array([1 + 2j, complex(math.nan, 1), complex(1, math.nan)])
    same(f(z, math.nan, 1.0), parts(z, math.nan, 1.0))
    with pytest.raises(FloatingPointError):
        f(np.array([1j, complex(math.inf, 0), 0j]), 1.0, 2.0)


# ---- primitives ----

NAN = math.nan
runs = np.arange(20000.0)
holed = np.sort(np.where(runs % 3 == 0, NAN, runs))
ends = np.append(np.arange(9000.0) * 1.5, [NAN] * 50)
ints = np.arange(10)
PRIMITIVES = {
    "merge": (
        lambda: prim.merge(holed, ends),
        lambda: np.sort(np.concatenate((holed, ends))),
    ),
    "partition": (
        lambda: prim.partition(ints, lambda v: v & 1),
        lambda: (np.array([1, 3, 5, 7, 9, 0, 2, 4, 6, 8]), 5),
    ),
    "compact": (lambda: prim.compact(ints, lambda v: v % 3), lambda: ints[ints % 3 != 0]),
    "compact by numbers": (lambda: prim.compact(ints, ints % 3), lambda: ints[ints % 3 != 0]),
    "reduce": (lambda: prim.reduce(np.add, ints, init=2.5), lambda: np.float64(47.5)),
    "reduce rows": (
        lambda: prim.reduce(np.add, ints.reshape(2, 5), init=0.5, axis=1),
        lambda: np.array([10.5, 35.5]),
    ),
    "scan": (
        lambda: prim.scan(np.add, ints, init=0.5, inclusive=False),
        lambda: np.append(0.5, np.cumsum(ints)[:-1] + 0.5),
    ),
    "segments": (
        lambda: prim.reduce_segments(np.add, ints, np.array([0, 3, 3]), init=0.5),
        lambda: np.array([3.5, 0.5]),
    ),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives(name: str) -> None:
    got, want = PRIMITIVES[name]
    same(got(), want())


def test_fma_of_python_rounds_once() -> None:
    f = np.float32
    a, b, c = f(1 + 2.0**-12), f(1 + 2.0**-12), f(2.0**-60)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    near = min((gpu.fma(a, b, c), f(1.0004883), f(1.0004884)), key=lambda v: abs(float(v) - exact))
    assert gpu.fma(a, b, c) == near
    assert gpu.fma(1e308, 10.0, -1e308) == math.inf
    assert gpu.fma(1e200, 1e200, -math.inf) == -math.inf


# ---- lazy arrays ----

bytes_ = np.arange(-4, 4, dtype=np.int8) * 20
grid = np.diag([100.0, 1.0, 0.01])
stacks = np.stack([grid, grid / 10])
LAZY = {
    "sum": (lambda: xp.sum(lazy(bytes_), dtype=xp.int8), lambda: bytes_.sum(dtype="i1")),
    "prod": (
        lambda: xp.prod(lazy(bytes_.reshape(2, 4)), axis=1, dtype=xp.int16, keepdims=True),
        lambda: bytes_.reshape(2, 4).prod(axis=1, dtype="i2", keepdims=True),
    ),
    "no axis": (lambda: xp.sum(lazy(bytes_), axis=(), dtype=xp.int8), lambda: bytes_),
    "vecdot": (
        lambda: xp.vecdot(lazy(bytes_), lazy(bytes_)),
        lambda: (bytes_ * bytes_).sum(dtype="i1"),
    ),
    "rank": (
        lambda: xp.linalg.matrix_rank(lazy(grid), rtol=lazy(np.asarray(1e-3))),
        lambda: np.linalg.matrix_rank(grid, rtol=1e-3),
    ),
    "ranks": (
        lambda: xp.linalg.matrix_rank(lazy(stacks), rtol=lazy(np.array([0.5, 1e-5]))),
        lambda: np.linalg.matrix_rank(stacks, rtol=np.array([0.5, 1e-5])),
    ),
}


@pytest.mark.parametrize("name", LAZY)
def test_lazy(name: str) -> None:
    got, want = LAZY[name]
    same(got(), want())


def test_a_result_is_no_memory_of_an_operand() -> None:
    whole = lambda x: xp.round(xp.astype(x, xp.int64))  # noqa: E731
    for f in (lambda x: +x, xp.real, xp.conj, xp.clip, whole):
        x = np.arange(4.0)
        y = f(lazy(x))
        y.compute()
        x[0] = 99
        assert y.compute()[0] == 0


# ---- ufuncs ----

add = vectorize(["float64(float64, float64)"], identity=0)(lambda a, b: a + b)


class Own(np.ndarray):
    def __array_ufunc__(self, f, method, *args, **options):
        plain = [np.asarray(a).view(np.ndarray) for a in args]
        return type(self).__name__, np.asarray(getattr(f, method)(*plain)).tolist(), len(options)


class More(Own):
    pass


class Never:
    def __array_ufunc__(self, *args, **options):
        return NotImplemented


own, more = np.arange(3.0).view(Own), np.arange(3.0).view(More)
CALLS = [
    lambda f: f(1.0, own),
    lambda f: f(own, more),
    lambda f: f(more, own),
    lambda f: f(np.arange(3.0), 1.0, own.copy()),
    lambda f: f(np.arange(3.0), 1.0, out=own.copy()),
    lambda f: f(Never(), own),
    lambda f: f(Never(), 1.0),
    lambda f: f.reduce(own, axis=0),
    lambda f: f.accumulate(own),
    lambda f: f.outer(own, more),
]


@pytest.mark.parametrize("k", range(len(CALLS)))
def test_operands_that_do_it_themselves(k: int) -> None:
    found = []
    for f in (add, np.add):
        try:
            found.append(CALLS[k](f))
        except TypeError:
            found.append("TypeError")
    assert found[0] == found[1]


def test_outputs_on_a_device_that_meet_arguments() -> None:
    try:
        queue = swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    f = vectorize(["float64(float64, float64)"], target=queue.device.backend)(
        lambda a, b: a * b + 1
    )
    want = np.concatenate(([0.0], np.arange(11.0) * np.arange(1.0, 12.0) + 1))
    x = queue.to_device(np.arange(12.0))
    f(x[:-1], x[1:], out=x[1:])
    same(x.copy_to_host(), want)
    f(x, x, out=x)
    same(x.copy_to_host(), want * want + 1)


# ---- dicts of unlike values as arguments ----


class Kind(enum.Enum):
    LEFT = 1
    RIGHT = 2


class Theirs:
    """An array of another library."""

    def __init__(self, a: Any) -> None:
        self.__array_interface__ = a.__array_interface__
        self.a = a


def options(d, more):
    s = d["x"][0] + d["n"]
    if d["kind"] == Kind.RIGHT:
        s += d["rng"].random()
    d["x"][1] = 7.0
    d["r"]["u"][0] = 2.5
    inner = more[1]
    return s, inner["b"] * inner["a"][1], inner["a"], more, d["rng"].random(), d["kind"]


def given(theirs: Any) -> tuple[Any, Any]:
    records = np.zeros(2, [("u", "f4"), ("v", "i8")])
    d = {"x": theirs, "n": 3, "kind": Kind.RIGHT, "rng": np.random.default_rng(1), "r": records}
    return d, (2, {"a": (1, 2.5), "b": np.arange(3.0)[::-1]}, ({"k": 1, "s": 0.5},))


def test_dicts_with_all_kinds_of_values() -> None:
    f = njit(options, cache=False)
    here, there = np.arange(3.0), np.arange(3.0)
    want, got = given(here), given(Theirs(there))
    a, b = options(*want), f(*got)
    assert a[3][2] == b[3][2] and a[0] == b[0] and a[4:] == b[4:]
    same(b[1:3], a[1:3])
    same(there, here)
    same(got[0]["r"]["u"], want[0]["r"]["u"])
    with pytest.raises(errors.ArgumentTypeError, match="another library's"):
        f({"x": Theirs(there), "y": there}, got[1])
    ring: dict[str, Any] = {"n": 1}
    ring["d"] = (ring,)
    with pytest.raises(errors.ArgumentTypeError, match="nested too deeply"):
        f(ring, ())


def test_read_only_arrays_of_a_device() -> None:
    try:
        queue = swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    x = queue.to_device(np.arange(4.0))
    x.flags.writeable = False
    y = x[1:]
    for store in (
        lambda: x.fill(1),
        lambda: y.__setitem__(0, 5),
        lambda: x.copy_from_host(np.ones(4)),
        lambda: queue.fill(y, 3),
        lambda: x.reshape(2, 2).T.fill(2),
    ):
        with pytest.raises(ValueError, match="read-only"):
            store()
    same(x.copy_to_host(), np.arange(4.0))


def in_containers(x):
    for i in swathe.prange(len(x)):
        x[i] = x[i] * 2 + 1
    return [x], {"a": x[1:]}


def test_results_that_hold_arrays_of_a_device() -> None:
    try:
        queue = swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    x = queue.to_device(np.arange(4.0))
    (one,), named = njit(in_containers, parallel=True, cache=False)(x)
    x.fill(5)
    same(one.copy_to_host(), np.full(4, 5.0))
    same(named["a"].copy_to_host(), np.full(3, 5.0))
