# SPDX-License-Identifier: BSD-3-Clause
"""swathe.xp beside array-api-strict, call by call: dtypes, shapes, values, and what is an error.

Where they differ is what docs/howto-lazy.md lists, and what the standard leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from swathe import xp

strict = pytest.importorskip("array_api_strict")

pytestmark = pytest.mark.filterwarnings("ignore")

DTYPES = ("bool", "int8", "int64", "uint64", "float32", "complex128")
SHAPES = ((), (0,), (5,), (2, 0), (3, 4))
RNG = np.random.default_rng(0)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 3.0, np.inf, -np.inf, np.nan, 1e-10, 100.25]
ONE = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag
    isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round
    sign signbit sin sinh square sqrt tan tanh trunc""".split()
TWO = """
    add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
    logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow
    remainder subtract
    """.split()

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def elements(dtype: str) -> np.ndarray:
    """All that is special of a dtype."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        ends = np.iinfo(dtype)
        return np.array([ends.min, 0, 1, 2, 3, 7, ends.max - 1, ends.max], dtype)
    if kind == "f":
        return np.array(SPECIAL, dtype)
    some = [0.0, -0.0, 1.0, -2.5, np.inf, np.nan]
    return np.array([complex(a, b) for a in some for b in some], dtype)


def plain(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    kind = np.dtype(dtype).kind
    x = RNG.integers(0, 2 if kind == "b" else 20, shape)
    if kind in "fc":
        x = RNG.random(shape) * 4 - 2 + (1j * RNG.random(shape) if kind == "c" else 0)
    return np.asarray(x).astype(dtype)


def of_elements() -> Iterator[Call]:
    for dtype in DTYPES:
        x = elements(dtype)
        for name in ONE:
            yield name, (x,), {}
        for name in TWO:
            for other in DTYPES:
                y = elements(other)
                if "shift" in name and y.dtype.kind != "b":
                    y = np.arange(7).astype(other)
                if name == "pow" and y.dtype.kind in "iu":
                    y = np.arange(5).astype(other)
                yield name, (x[:, None], y[None, :]), {}


def reductions() -> Iterator[Call]:
    names = "all any sum prod max min mean std var count_nonzero argmax argmin".split()
    for dtype in DTYPES:
        for shape in SHAPES:
            x, nd = plain(shape, dtype), len(shape)
            for name in names:
                for axis in (None, *range(-1, nd)) if nd else (None,):
                    yield name, (x,), {"axis": axis, "keepdims": axis == 0}
            for axis in range(nd):
                for name in ("cumulative_sum", "cumulative_prod"):
                    yield name, (x,), {"axis": axis, "include_initial": axis == 0}
                for name in ("sort", "argsort"):
                    yield name, (x,), {"axis": axis, "descending": dtype != "int8", "stable": True}
                yield "diff", (x,), {"axis": axis}


def moves() -> Iterator[Call]:
    for dtype in DTYPES:
        for shape in SHAPES:
            x = plain(shape, dtype)
            for axis in range(len(shape)):
                for name in ("flip", "unstack", "squeeze", "expand_dims"):
                    yield name, (x,), {"axis": axis}
                yield "repeat", (x, 2), {"axis": axis}
                yield "roll", (x, 1), {"axis": axis}
                yield "stack", ([x, x],), {"axis": axis}
                yield "concat", ([x, x],), {"axis": axis}
            for name, *args in (
                ("roll", 2), ("tile", (2, 1)), ("reshape", (-1,)), ("clip", 1, 3), ("tril",),
                ("full_like", 1), ("ones_like",), ("nonzero",), ("matrix_transpose",),
                ("unique_all",), ("unique_counts",), ("unique_inverse",), ("unique_values",),
            ):  # fmt: skip
                yield name, (x, *args), {}
            for other in DTYPES:
                yield "astype", (x, f"dtype:{other}"), {}
        for other in DTYPES:
            x, y = plain((3,), dtype), plain((3,), other)
            yield "result_type", (f"dtype:{dtype}", f"dtype:{other}"), {}
            yield "where", (plain((3,), "bool"), x, y), {}
            if np.dtype(dtype).kind == np.dtype(other).kind:
                yield "concat", ([x, y],), {}
        if dtype != "complex128":
            yield "arange", (5, 0, -2), {"dtype": f"dtype:{dtype}"}
        yield "linspace", (0, 5, 7), {"dtype": f"dtype:{dtype}"}
        yield "eye", (3, 4), {"k": -1, "dtype": f"dtype:{dtype}"}


def extensions() -> Iterator[Call]:
    for dtype in DTYPES:
        x = plain((4, 4), dtype)
        two = "matmul vecdot tensordot linalg.outer linalg.cross linalg.solve".split()
        for name in two:
            of = (x[0], x[1]) if "outer" in name else (x[:, :3], x[:, :3])
            yield name, (x, x) if name in ("matmul", "tensordot", "linalg.solve") else of, {}
        for name in """det inv slogdet trace svdvals pinv matrix_norm vector_norm qr
                diagonal""".split():
            yield f"linalg.{name}", (x,), {}
        yield "linalg.matrix_power", (x, 3), {}
        if np.dtype(dtype).kind == "c":
            for name in "fft ifft irfft hfft fftn ifftn irfftn".split():
                yield f"fft.{name}", (x,), {}
                if not name.endswith("n"):
                    yield f"fft.{name}", (x,), {"n": 6, "axis": 0, "norm": "ortho"}
        else:
            for name in "rfft ihfft rfftn".split():
                yield f"fft.{name}", (x,), {}
        for name in ("fftshift", "ifftshift"):
            yield f"fft.{name}", (x,), {"axes": 0}


def of(m: Any, a: Any) -> Any:
    """An argument as a namespace has it."""
    if isinstance(a, np.ndarray):
        return m.asarray(a)
    if isinstance(a, list):
        return [of(m, x) for x in a]
    return getattr(m, a[6:]) if isinstance(a, str) and a.startswith("dtype:") else a


def called(m: Any, call: Call) -> Any:
    """What a call yields, as NumPy's arrays, or the exception."""
    name, args, names = call
    f = m
    try:
        for part in name.split("."):
            f = getattr(f, part)
        return parts(f(*[of(m, a) for a in args], **{k: of(m, v) for k, v in names.items()}))
    except Exception as e:
        return e


def parts(found: Any) -> list[Any]:
    if isinstance(found, (tuple, list)):
        return [p for x in found for p in parts(x)]
    return [np.asarray(found) if hasattr(found, "shape") else str(found).rsplit(".", 1)[-1]]


def differ(got: Any, want: Any) -> bool:
    if isinstance(want, str):
        return got != want
    if got.dtype != want.dtype or got.shape != want.shape:
        return True
    if got.dtype.kind in "biu":
        return not np.array_equal(got, want)
    close = 2e-5 if got.dtype in (np.float32, np.complex64) else 1e-11
    if not np.allclose(got, want, rtol=close, atol=close, equal_nan=True):
        return True
    zeros = (got == 0) & (want == 0) if got.dtype.kind == "f" else np.zeros(got.shape, bool)
    return bool(np.any(np.signbit(got.real[zeros]) != np.signbit(want.real[zeros])))


def is_documented(name: str, call: Call) -> bool:
    """Tell whether they differ on purpose."""
    kinds = [np.asarray(a).dtype.kind for a in call[1] if isinstance(a, np.ndarray)]
    if name == "divide":  # a quotient of integers is a float
        return all(k in "iu" for k in kinds)
    if name in ("sign", "pow"):  # of complex infinities; of complex powers, in their last digits
        return "c" in kinds
    return name == "linalg.qr"  # columns have either sign


@pytest.mark.parametrize("calls", [of_elements, reductions, moves, extensions])
def test_as_the_standard(calls: Any) -> None:
    wrong, n = [], 0
    for call in calls():
        n += 1
        want, got = called(strict, call), called(xp, call)
        failed = isinstance(want, Exception), isinstance(got, Exception)
        if failed[0] != failed[1] or (
            not failed[0]
            and (len(got) != len(want) or any(differ(*p) for p in zip(got, want, strict=True)))
        ):
            if not is_documented(call[0], call):
                shown = [f"{a.dtype}{a.shape}" if hasattr(a, "shape") else a for a in call[1]]
                wrong.append(f"{call[0]} {shown} {call[2]}: {got!r} for {want!r}")
    assert n > 100 and not wrong, "\n".join(wrong[:20])
