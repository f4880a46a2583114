# SPDX-License-Identifier: BSD-3-Clause
"""Lists where NumPy takes tuples, further forms of arguments, dtypes as results, and the text of
arrays, each against NumPy."""

import numpy as np
import pytest
from harness import Options, compare, define, run

import swathe

# ruff: noqa: E501

CASES = r"""
np.transpose(a, [1, 0]), a.transpose([1, 0]), a.transpose([-1, -2])
np.transpose(c, [2, 0, 1]), c.transpose([1, 2, 0]), np.permute_dims(c, [0, 2, 1])
np.transpose(a, [1, 1])
np.transpose(a, [1, 2, 0])
a.transpose([0, 5])
np.moveaxis(c, [0, 1], [-1, -2]), np.moveaxis(c, [0], [2]), np.moveaxis(c, 0, [2])
np.moveaxis(c, [0, 1], [-1])
np.flip(a, [0, 1]), np.flip(a, axis=[0]), np.flip(c, [0, 2])
np.flip(a, [0, 0])
np.roll(a, [1, 2], axis=[0, 1]), np.roll(a, [1, -2], [1, 0]), np.roll(a, [1], [0])
np.expand_dims(b, [0, 2]), np.expand_dims(b, axis=[0])
np.expand_dims(b, [0, 7])
a.reshape([4, 3]), a.reshape([2, -1]), np.reshape(a, [6, 2]), a.reshape([12])
a.reshape([5, 2])
a.reshape([-1, -1])
n = len(a)\nreturn a.reshape([2, 2 * n]), np.zeros([n, 2]), np.ones([n]), np.full([n, 1], 3.5), np.empty([0, n])
np.tile(a, [2, 1]), np.tile(b, [2, 2]), np.tile(a, [3])
np.rot90(c, 1, [0, 1]), np.rot90(c, axes=[1, 2]), np.rot90(a, 2, [1, 0])
np.rot90(c, 1, [0, 0])
np.unravel_index([1, 2], [3, 4]), np.unravel_index(5, [3, 4])
np.ravel_multi_index([[0, 1], [1, 2]], [3, 4]), np.ravel_multi_index(([0, 1], [1, 2]), [3, 4])
np.indices([2, 3]), np.indices([2])
np.resize(b, [3, 3]), np.broadcast_to(b, [2, 4])
np.lib.stride_tricks.sliding_window_view(a, [2, 2]), np.lib.stride_tricks.sliding_window_view(a, [2], axis=[1])
np.random.seed(3)\nreturn np.random.normal(size=[2, 3]), np.random.random([2]), np.random.uniform(0, 1, [1, 2])
np.gradient(a, axis=[0, 1]), np.median(a, axis=[0, 1]), np.quantile(a, 0.5, axis=[0]), np.average(c, axis=[0, 1])
np.percentile(c, 30, axis=[0, 2]), np.nanmedian(c, axis=[1, 2]), np.nanmedian(c, (0, 1), keepdims=True)
np.fft.fftn(a, axes=[0, 1]), np.fft.fft2(c, axes=[0, 1]), np.fft.fftshift(c, axes=[0, 1])
np.tensordot(c, c, axes=[[0, 1], [0, 1]]), np.tensordot(c, c, [[2], [2]])
np.array([1, 2, 3], ndmin=2), np.array(a, ndmin=1), np.array(b, ndmin=2), np.array(3.5, ndmin=1), np.array(4, ndmin=2)
np.array([1, 2], ndmin=2, dtype=np.float32), np.array(a, ndmin=0), np.array([], ndmin=2)
x = np.array(b, ndmin=2)\nx[0, 0] = 99\nreturn b, x
np.full((2, 2), [1, 2]), np.full(3, [1.5, 2, 3]), np.full([2, 2], [[1], [2]]), np.full((2, 2), fill_value=[1, 2])
np.full((2, 2), [1, 2, 3])
np.full_like(a, [1, 2, 3, 4]), np.full_like(i, [1.5, 2, 3])
np.nan_to_num(v, nan=b), np.nan_to_num(v, nan=[1, 2, 3, 4], posinf=b), np.nan_to_num(v, neginf=b, posinf=7.0)
np.nan_to_num(v, nan=np.arange(3.0))
np.nan_to_num(v[:1], nan=b)
np.nan_to_num(v * 1j, nan=b, posinf=[9, 8, 7, 6])
np.lexsort(a), np.lexsort(a[:, :0]), np.lexsort(np.array([[1, 1, 0], [0, 0, 0], [2, 1, 1]]))
np.lexsort(c), np.lexsort(c, axis=0), np.lexsort(b)
np.lexsort(a[:0])
np.choose(i, a[:3, :3]), np.choose(i, np.arange(3)), np.choose([[0], [1]], a[:2])
np.choose(i, a[:2, :3])
rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\nreturn np.choose(i, rows)
np.choose([0, 5, -1, 1], a[:3], mode='wrap'), np.choose([0, 5, -1, 1], a[:3], mode='clip')
np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0]), np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0], axis=-1), np.logspace([0, 1], 2, 3, base=np.array([2.0, 10.0]))
np.isneginf(v), np.isposinf(v), np.isneginf(v, np.zeros(4, bool)), np.isposinf(v, out=np.ones(4, bool))
np.array_str(a), np.array_repr(a), np.array2string(a), np.array_str(v, precision=2), np.array_repr(i), np.array2string(b, separator=', ')
np.array2string(a / 3, 20, 2, True), np.array_repr(np.array([1e-6, 4e-7, 2, 3]), precision=6, suppress_small=True)
np.format_float_positional(1.25), np.format_float_positional(1e16, precision=3), np.format_float_scientific(0.000123), np.format_float_scientific(b[1] / 3, 3, trim='-')
np.isdtype(a.dtype, 'real floating'), np.isdtype(i.dtype, ('integral', 'bool')), np.isdtype(v.dtype, np.float64), np.isdtype(np.complex64, 'numeric')
np.isdtype(a.dtype, 'real')
a.dtype, i.dtype, (a > 1).dtype, np.dtype('f4'), np.result_type(i, 1.5), np.promote_types('f4', 'i8')
a.dtype
d = np.float32(1).dtype\nreturn d, np.zeros(2, d)
np.frombuffer(t, np.uint8), np.frombuffer(t, np.uint8, 2, 1), np.frombuffer(b'abcd', np.int16)
x = np.frombuffer(t, np.uint8)\ny = x.copy()\ny[0] = 7\nreturn x, y, x + 1, x[1:]
""".strip().splitlines()


def arguments():
    return (
        np.arange(12.0).reshape(3, 4) % 7,
        np.arange(4.0) + 1,
        np.arange(24.0).reshape(2, 3, 4) % 5,
        np.array([np.nan, np.inf, -np.inf, 2]),
        np.array([2, 0, 1]),
        b"\x01\x02\x03\x04",
    )


def problem(case, options):
    lines = case.split("\\n")
    if len(lines) == 1:
        lines[0] = f"return {lines[0]}"
    f = define("def f(a, b, c, v, i, t):\n" + "".join(f"    {line}\n" for line in lines))
    want = run(f, arguments(), {})
    got = run(swathe.njit(**options)(f), arguments(), {})
    if want.error is not None and isinstance(got.error, type(want.error)):
        return None  # the text is NumPy's own
    found = compare(want, got, Options(ulp=16, views=False), "plain")
    return found and f"{case}: {found}"


@pytest.mark.parametrize("case", CASES)
def test_as_numpy(case):
    found = problem(case, {"opt_level": 0})
    assert not found, found


def test_bytes_are_read_only():
    def store(t):
        x = np.frombuffer(t, np.uint8)
        x[0] = 65
        return x

    def literal():
        x = np.frombuffer(b"\x01\x02\x03", np.uint8)
        x[0] = 65
        return x

    def given(t):
        return np.frombuffer(t, np.uint8)

    for f, args in ((store, (b"abc",)), (literal, ())):
        with pytest.raises(ValueError, match="read-only"):
            swathe.njit(f)(*args)
    assert not swathe.njit(given)(b"abc").flags.writeable


def test_lists_of_which_only_the_run_tells_the_length():
    """No rank is known: an error that says what to write."""

    def f(a, axes):
        return np.transpose(a, axes)

    with pytest.raises(TypeError, match="tuple"):
        swathe.njit(f)(np.zeros((2, 3)), [1, 0])


@pytest.mark.parametrize("f", [np.sum, np.mean, np.any])
def test_reductions_take_no_list_of_axes(f):
    g = define(f"def f(a):\n    return np.{f.__name__}(a, axis=[0, 1])\n")
    for one in (g, swathe.njit(g)):
        with pytest.raises(TypeError):
            one(np.ones((2, 3)))
