# SPDX-License-Identifier: BSD-3-Clause
"""The harness itself: it must see every kind of difference."""

from collections import namedtuple

import harness
import numpy as np
import pytest
from harness import Options, Outcome, compare, copy_args, define, differ

Point = namedtuple("Point", "x y")

DIFFERENT = [
    (1, 1.0),
    (1, True),
    (1, np.int64(1)),
    (1.0, np.float64(1.0)),
    (np.float32(1), np.float64(1)),
    (np.int64(1), np.int32(1)),
    (np.bool_(True), True),
    (0.0, -0.0),
    (1.0, float("nan")),
    (1j, 1 + 0j),
    (complex(0.0, 1), complex(-0.0, 1)),
    (None, 0),
    ((1, 2), (1, 2, 3)),
    ((1, 2), (1, 2.0)),
    (Point(1, 2), (1, 2)),
    (np.zeros(3), np.zeros(3, np.float32)),
    (np.zeros(3), np.zeros((3, 1))),
    (np.zeros(3), -np.zeros(3)),
    (np.zeros(()), np.float64(0)),
    (np.array([1, 2]), np.array([1, 3])),
    ("a", "b"),
]


@pytest.mark.parametrize("want, got", DIFFERENT, ids=repr)
def test_differences_are_seen(want, got):
    assert differ(want, got, Options())
    assert differ(got, want, Options())
    assert not differ(want, want, Options())


def test_nan_equals_nan():
    nan = np.array([np.nan, 1.0])
    assert not differ(nan, nan.copy(), Options())
    assert not differ(complex("nan"), complex("nan"), Options())


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_ulp(dtype):
    x = np.array([1.5], dtype)
    y = x + x.dtype.type(2 * np.finfo(dtype).eps)
    assert differ(x, y, Options())
    assert differ(x, y, Options(ulp=1))
    assert not differ(x, y, Options(ulp=2))


def test_promoted():
    assert not differ(0, np.float64(0), Options(promoted=True))
    assert differ(0, np.float64(1), Options(promoted=True))


def outcome(value=None, error=None, args=(), events=()):
    return Outcome(value, error, args, list(events))


def test_errors():
    fine, bad = outcome(1), outcome(error=ValueError("x"))
    assert compare(bad, fine, Options(), "plain")
    assert compare(fine, bad, Options(), "plain")
    assert compare(bad, outcome(error=TypeError("x")), Options(), "plain")
    assert compare(bad, outcome(error=ValueError("y")), Options(), "plain")
    placed = ValueError('x\n  File "f.py", line 1, in f\n    f()\n    ^^^')
    assert not compare(bad, outcome(error=placed), Options(), "plain")
    at = outcome(error=IndexError("index 5 is out of bounds for axis 0 of 'a' with size 3"))
    assert not compare(
        outcome(error=IndexError("index 5 is out of bounds for axis 0 with size 3")),
        at,
        Options(),
        "plain",
    )


def test_a_tolerance_that_accepts_anything():
    half = np.ones(3, np.float16)
    with pytest.raises(AssertionError, match="tests nothing"):
        differ(half, half, Options(ulp=32, scale=64.0))


def test_debug_may_report_what_numpy_warns_of():
    warned = outcome(1, events=["overflow"])
    assert not compare(warned, outcome(error=OverflowError()), Options(), "debug")
    assert compare(warned, outcome(error=OverflowError()), Options(), "plain")
    assert compare(outcome(1), outcome(error=OverflowError()), Options(), "debug")


def test_arguments_and_views():
    a, b = np.zeros(3), np.ones(3)
    assert compare(outcome(args=(a,)), outcome(args=(b,)), Options(), "plain")
    view, copied = outcome(a[1:], args=(a,)), outcome(a[1:].copy(), args=(a,))
    assert compare(view, copied, Options(), "plain")
    assert not compare(view, copied, Options(views=False), "plain")


def test_copies_keep_layout_and_aliasing():
    base = np.arange(24.0).reshape(4, 6)
    view = base[::-2, 1::2]
    x, (y, z) = copy_args((base, (view, view)))
    assert y.strides == view.strides and (y == view).all() and y is z
    x[3, 1] = 100
    assert y[0, 0] == 100 and base[3, 1] != 100
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    assert not copy_args((frozen,))[0].flags.writeable
    assert copy_args((np.zeros((0, 3)),))[0].shape == (0, 3)


def test_sources_can_be_found():
    f = define("def f(x):\n    return x + 1\n")
    assert f(1) == 2
    assert "return x + 1" in harness.inspect.getsource(f)


def test_report_reproduces():
    f = define("def g(x):\n    return x + 1\n")
    x = np.arange(4.0)[::2]
    text = harness.report(f, (x,), Options(), "plain", "why", outcome(1), outcome(2))
    for part in ("return x + 1", "[0.0, 2.0]", "strides (16,)", "CPython: 1", "why"):
        assert part in text
