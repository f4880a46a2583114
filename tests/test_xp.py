# SPDX-License-Identifier: BSD-3-Clause
"""swathe.xp against NumPy, which has the standard's functions under the standard's names."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from swathe import xp
from swathe._lazy import dtypes, ops

SIZES = (12, 0, 1, 37)
DTYPES = dtypes.ALL
BETWEEN = (dtypes.int16, dtypes.int32, dtypes.uint16, dtypes.uint32)  # a part of all, in turn


def sample(dtype: np.dtype, n: int, seed: int = 1) -> np.ndarray:
    """Ordinary values, and all that are special."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, info.max, info.min], dtype)
        plain = rng.integers(3, 50, n).astype(dtype)
    else:
        special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0], dtype)
        plain = (rng.random(n) * 4 - 2).astype(dtype)
        if dtype.kind == "c":
            return (plain + 1j * rng.random(n)).astype(dtype)
    out = np.concatenate([special, plain])[:n].astype(dtype)
    return rng.permutation(out)


def same(got: Any, want: Any, what: str) -> None:
    """Hold a result against NumPy's: dtype, shape, values within a few last places."""
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got, want)
    if got.dtype.kind in "biu":
        assert np.array_equal(got, want), (what, got, want)
        return
    close = 2e-5 if got.dtype in (np.float32, np.complex64) else 1e-13
    with np.errstate(all="ignore"):
        assert np.allclose(got, want, rtol=close, atol=close, equal_nan=True), (what, got, want)


def _calls(dtype: np.dtype) -> list[tuple[str, int]]:
    found = [(op, 1) for op, row in ops.UNARY.items() if dtype in dtypes.KINDS[row[0]]]
    found += [(op, 2) for op, row in ops.BINARY.items() if dtype in dtypes.KINDS[row[0]]]
    return found


def _shaped(x: np.ndarray, rank: int) -> np.ndarray:
    return x if rank == 1 else x.reshape(1, -1, 1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_functions_of_elements(dtype):
    """All that take a dtype are one graph, which is launched for all sizes."""
    rank = 1 if dtype.itemsize % 3 else 3
    calls = _calls(dtype)
    if dtype in BETWEEN:
        calls = calls[DTYPES.index(dtype) % 3 :: 3]
    for n in SIZES:
        x, y = sample(dtype, n, 1), sample(dtype, n, 2)
        if dtype.kind in "iu":
            y = np.abs(y) % dtype.type(7)
        a, b = _shaped(x, rank), _shaped(y, rank)
        la, lb = xp.asarray(a), xp.asarray(b)
        lazies = [getattr(xp, op)(*(la, lb)[:k]) for op, k in calls]
        xp.compute(*lazies)
        for (op, k), got in zip(calls, lazies, strict=True):
            with np.errstate(all="ignore"):
                same(got, getattr(np, op)(*(a, b)[:k]), f"{op} of {n} {dtype}")


WAYS = [(None, False), (0, False), (1, True), (-1, False), ((0, 1), False), (0, True), (None, True)]


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reductions(dtype):
    """Each function, and each way to name axes, for each dtype: pairwise."""
    turn = DTYPES.index(dtype)
    plan = []
    for k, (op, row) in enumerate(ops.REDUCTIONS.items()):
        if dtype in dtypes.KINDS[row[0]] and (dtype not in BETWEEN or (turn + k) % 4 == 0):
            axis, keepdims = WAYS[(turn + k) % len(WAYS)]
            if op.startswith("arg") and isinstance(axis, tuple):
                axis = axis[0]
            plan.append((op, axis, keepdims))
    for shape in ((3, 4), (2, 0), (1, 5)):
        n = int(np.prod(shape))
        x = sample(dtype, n).reshape(shape)
        if dtype.kind == "f":
            x = np.nan_to_num(x, posinf=2.0, neginf=-2.0)
        lx = xp.asarray(x)
        done = []
        for op, axis, keepdims in plan:
            with np.errstate(all="ignore"):
                try:
                    want = getattr(np, op)(x, axis=axis, keepdims=keepdims)
                except ValueError:
                    with pytest.raises(ValueError):
                        getattr(xp, op)(lx, axis=axis, keepdims=keepdims)
                    continue
            want = np.asarray(want)
            done.append((op, getattr(xp, op)(lx, axis=axis, keepdims=keepdims), want))
        xp.compute(*[d[1] for d in done])
        for op, got, want in done:
            same(got, want, f"{op} of {shape} {dtype}")


def _f(shape: tuple[int, ...] = (3, 4), dtype: Any = np.float64) -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) * 7 % 11).astype(dtype)


# Functions of a namespace and of arrays, beside those arrays.
MOVES = {
    "broadcast_to": (lambda m, x: m.broadcast_to(x, (2, 3, 4)), _f()),
    "broadcast_arrays": (lambda m, x: m.broadcast_arrays(x[:, None], x[None])[1], _f((3,))),
    "concat": (lambda m, x: m.concat([x, x[:1], x], axis=0), _f()),
    "concat_flat": (lambda m, x: m.concat([x, x[:1]], axis=None), _f()),
    "concat_last": (lambda m, x: m.concat([x, x[:, :2]], axis=-1), _f()),
    "expand_dims": (lambda m, x: m.expand_dims(x, axis=-1), _f()),
    "flip": (lambda m, x: m.flip(x), _f()),
    "flip_axis": (lambda m, x: m.flip(x, axis=1), _f()),
    "moveaxis": (lambda m, x: m.moveaxis(x, (0, 1), (2, 0)), _f((2, 3, 4))),
    "permute_dims": (lambda m, x: m.permute_dims(x, (2, 0, 1)), _f((2, 3, 4))),
    "matrix_transpose": (lambda m, x: m.matrix_transpose(x), _f((2, 3, 4))),
    "repeat": (lambda m, x: m.repeat(x, 2, axis=1), _f()),
    "repeat_flat": (lambda m, x: m.repeat(x, 3), _f()),
    "reshape": (lambda m, x: m.reshape(x, (2, -1)), _f()),
    "reshape_of_view": (lambda m, x: m.reshape(m.flip(x), (2, 6)), _f()),
    "reshape_one": (lambda m, x: m.reshape(m.sum(x), (1, 1)), _f()),
    "roll": (lambda m, x: m.roll(x, 5), _f()),
    "roll_axes": (lambda m, x: m.roll(x, (1, -2), axis=(0, 1)), _f()),
    "roll_one": (lambda m, x: m.roll(x, -1, axis=0), _f()),
    "squeeze": (lambda m, x: m.squeeze(x, axis=(0, 2)), _f((1, 3, 1))),
    "stack": (lambda m, x: m.stack([x, x + 1], axis=1), _f()),
    "tile": (lambda m, x: m.tile(x, (2, 1, 2)), _f()),
    "unstack": (lambda m, x: m.unstack(x, axis=1)[2], _f()),
    "tril": (lambda m, x: m.tril(x, k=1), _f()),
    "triu": (lambda m, x: m.triu(x, k=-1), _f()),
    "meshgrid": (lambda m, x: m.meshgrid(x, x[:2])[1], _f((3,))),
    "meshgrid_ij": (lambda m, x: m.meshgrid(x, x[:2], x, indexing="ij")[1], _f((3,))),
    "where": (lambda m, x: m.where(x > 4, x, -x), _f()),
    "where_number": (lambda m, x: m.where(x > 4, 1.5, x[0]), _f()),
    "clip": (lambda m, x: m.clip(x, 2.0, 7.0), _f()),
    "clip_arrays": (lambda m, x: m.clip(x, x[0], None), _f()),
    "diff": (lambda m, x: m.diff(x, n=2, axis=1), _f()),
    "diff_more": (lambda m, x: m.diff(x, axis=0, prepend=x[:1], append=x[:2]), _f()),
    "slices": (lambda m, x: x[::-1, 1::2], _f()),
    "steps": (lambda m, x: x[::-2, -1:0:-2], _f((5, 6))),
    "empty": (lambda m, x: x[2:1, ..., None], _f()),
    "index": (lambda m, x: x[1, -2], _f()),
    "row": (lambda m, x: x[-1], _f()),
    "mask": (lambda m, x: x[x > 4], _f()),
    "rows": (lambda m, x: x[m.asarray([2, 0]), m.asarray([1, 1])], _f()),
    "astype": (lambda m, x: m.astype(x, m.int16) // 2, _f()),
    "T": (lambda m, x: x.T, _f()),
    "mT": (lambda m, x: x.mT, _f((2, 3, 4))),
    "zeros_like": (lambda m, x: m.zeros_like(x), _f()),
    "ones_like": (lambda m, x: m.ones_like(x, dtype=m.int32) * 3, _f()),
    "full_like": (lambda m, x: m.full_like(x, 2.5), _f()),
    "full": (lambda m, x: x * m.full((3, 1), 2.5), _f()),
    "sum_as": (lambda m, x: m.sum(m.astype(x, m.int8), axis=1, dtype=m.int8), _f()),
    "vecdot_int": (lambda m, x: m.vecdot(m.astype(x, m.uint8), m.astype(x, m.uint8)), _f()),
}  # fmt: skip

CALLS = {
    "matmul": (lambda m, x: m.matmul(x, m.matrix_transpose(x)), _f((2, 3, 4))),
    "matmul_vector": (lambda m, x: x @ x[0], _f()),
    "tensordot": (lambda m, x: m.tensordot(x, x, axes=((0,), (0,))), _f()),
    "tensordot_2": (lambda m, x: m.tensordot(x, x, axes=2), _f()),
    "vecdot": (lambda m, x: m.vecdot(x * 1j, x), _f()),
    "take": (lambda m, x: m.take(x, m.asarray([3, 0]), axis=1), _f()),
    "take_along_axis": (lambda m, x: m.take_along_axis(x, m.argsort(x, axis=1), axis=1), _f()),
    "sort": (lambda m, x: m.sort(x, axis=0), _f()),
    "argsort": (lambda m, x: m.argsort(x, axis=-1, stable=True), _f()),
    "searchsorted": (lambda m, x: m.searchsorted(m.sort(x), x, side="right"), _f((7,))),
    "nonzero": (lambda m, x: m.nonzero(x)[1], _f()),
    "unique_values": (lambda m, x: np.unique(x) if m is np else m.unique_values(x), _f()),
    "unique_all": (lambda m, x: m.unique_all(x)[2], _f()),
    "unique_counts": (lambda m, x: m.unique_counts(x).counts, _f()),
    "unique_inverse": (lambda m, x: m.unique_inverse(x).inverse_indices, _f()),
    "cumulative_sum": (lambda m, x: m.cumulative_sum(x, axis=1), _f()),
    "cumulative_more": (lambda m, x: m.cumulative_sum(x, axis=0, include_initial=True), _f()),
    "cumulative_prod": (lambda m, x: m.cumulative_prod(x, axis=0), _f()),
    "cholesky": (lambda m, x: m.linalg.cholesky(x @ x.mT + 99 * m.eye(3)), _f()),
    "cholesky_upper": (lambda m, x: m.linalg.cholesky(x @ x.mT + 99 * m.eye(3), upper=True), _f()),
    "cross": (lambda m, x: m.linalg.cross(x, x[::-1]), _f((4, 3))),
    "det": (lambda m, x: m.linalg.det(x), _f((2, 3, 3))),
    "diagonal": (lambda m, x: m.linalg.diagonal(x, offset=1), _f((2, 3, 4))),
    "eigh": (lambda m, x: m.linalg.eigh(x + x.mT).eigenvalues, _f((3, 3))),
    "eigvalsh": (lambda m, x: m.linalg.eigvalsh(x + x.mT), _f((3, 3))),
    "inv": (lambda m, x: m.linalg.inv(x), _f((3, 3))),
    "matrix_norm": (lambda m, x: m.linalg.matrix_norm(x), _f((2, 3, 4))),
    "matrix_norm_2": (lambda m, x: m.linalg.matrix_norm(x, ord=2, keepdims=True), _f()),
    "matrix_power": (lambda m, x: m.linalg.matrix_power(x, 3), _f((3, 3))),
    "matrix_rank": (lambda m, x: m.linalg.matrix_rank(x), _f()),
    "outer": (lambda m, x: m.linalg.outer(x, x[:2]), _f((3,))),
    "pinv": (lambda m, x: m.linalg.pinv(x), _f()),
    "qr": (lambda m, x: m.abs(m.linalg.qr(x).R), _f()),
    "qr_complete": (lambda m, x: m.abs(m.linalg.qr(x.mT, mode="complete").Q), _f()),
    "slogdet": (lambda m, x: m.linalg.slogdet(x).logabsdet, _f((3, 3))),
    "solve": (lambda m, x: m.linalg.solve(x, x[0]), _f((3, 3))),
    "solve_many": (lambda m, x: m.linalg.solve(x, x[:, :2]), _f((3, 3))),
    "svd": (lambda m, x: m.linalg.svd(x, full_matrices=False).S, _f()),
    "svd_full": (lambda m, x: m.abs(m.linalg.svd(x).Vh[:2]), _f((2, 3))),
    "svdvals": (lambda m, x: m.linalg.svdvals(x), _f()),
    "trace": (lambda m, x: m.linalg.trace(x, offset=1), _f((2, 3, 4))),
    "vector_norm": (lambda m, x: m.linalg.vector_norm(x, axis=1), _f()),
    "vector_norm_1": (lambda m, x: m.linalg.vector_norm(x, ord=1, keepdims=True), _f()),
    "vector_norm_inf": (lambda m, x: m.linalg.vector_norm(x, ord=np.inf, axis=0), _f()),
    "vector_norm_3": (lambda m, x: m.linalg.vector_norm(x, ord=3, axis=0), _f()),
    "fft": (lambda m, x: m.fft.fft(x, n=5), _f()),
    "ifft": (lambda m, x: m.fft.ifft(x, axis=0, norm="ortho"), _f()),
    "rfft": (lambda m, x: m.fft.rfft(x), _f((7,), np.float32)),
    "irfft": (lambda m, x: m.fft.irfft(x + 1j), _f()),
    "hfft": (lambda m, x: m.fft.hfft(x + 1j), _f()),
    "ihfft": (lambda m, x: m.fft.ihfft(x, norm="forward"), _f()),
    "fftn": (lambda m, x: m.fft.fftn(x, s=(3, 5), axes=(0, 1)), _f()),
    "ifftn": (lambda m, x: m.fft.ifftn(x, axes=(1,)), _f()),
    "rfftn": (lambda m, x: m.fft.rfftn(x), _f()),
    "irfftn": (lambda m, x: m.fft.irfftn(x + 1j), _f()),
    "fftshift": (lambda m, x: m.fft.fftshift(x), _f()),
    "ifftshift": (lambda m, x: m.fft.ifftshift(x, axes=(1,)), _f()),
    "fftfreq": (lambda m, x: m.fft.fftfreq(7, d=0.5), _f()),
    "rfftfreq": (lambda m, x: m.fft.rfftfreq(8, d=0.5), _f()),
    "arange": (lambda m, x: m.arange(1, 9.5, 2.5), _f()),
    "linspace": (lambda m, x: m.linspace(0, 5, 7, endpoint=False), _f()),
    "eye": (lambda m, x: m.eye(3, 4, k=1), _f()),
    "complex": (lambda m, x: m.asarray([1, 2.5j]), _f()),
}  # fmt: skip


@pytest.mark.parametrize("cut", range(4))
def test_functions_that_move_elements(cut):
    """Of arrays in memory, and of ones that aren't yet, which are one graph a few at a time."""
    chosen = list(MOVES.items())[cut::4]
    lazies = []
    for name, (f, x) in chosen:
        same(f(xp, xp.asarray(x)), f(np, x), name)
        lazies.append(f(xp, xp.asarray(x) * 2.0 + 1.0))
    xp.compute(*lazies)
    for (name, (f, x)), got in zip(chosen, lazies, strict=True):
        same(got, f(np, x * 2.0 + 1.0), f"{name} of a node")


@pytest.mark.parametrize("name", CALLS)
def test_library_calls(name):
    f, x = CALLS[name]
    got = f(xp, xp.asarray(x))
    want = np.asarray(f(np, x))
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    same(got, want, name)


def test_descending():
    x = xp.asarray([3, 1, 3, 2, 1], dtype=xp.int8)
    assert np.asarray(xp.argsort(x, descending=True)).tolist() == [0, 2, 3, 1, 4]
    assert np.asarray(xp.sort(x, descending=True)).tolist() == [3, 3, 2, 1, 1]


def _promoted(a: np.dtype, b: np.dtype) -> np.dtype | None:
    """What the standard's tables say."""
    kinds = {d.kind if d.kind in "b" else "i" if d.kind in "iu" else "f" for d in (a, b)}
    if len(kinds) > 1:
        return None
    out = np.promote_types(a, b)
    return None if out.kind == "f" and a.kind in "iu" else out


def test_promotion():
    for a, b in itertools.product(DTYPES, DTYPES):
        want = _promoted(a, b)
        if want is None:
            with pytest.raises(TypeError):
                xp.result_type(a, b)
            with pytest.raises(TypeError):
                xp.equal(xp.ones(2, dtype=a), xp.ones(2, dtype=b))
        else:
            assert xp.result_type(a, b) == want
            assert xp.equal(xp.ones(2, dtype=a), xp.ones(2, dtype=b)).dtype == xp.bool
            if a.kind != "b":
                assert (xp.ones(2, dtype=a) * xp.ones(2, dtype=b)).dtype == want


@pytest.mark.parametrize("number", [True, 3, 2.5, 1j])
def test_python_numbers(number):
    for dtype in DTYPES:
        x = xp.ones(2, dtype=dtype)
        takes = {bool: "b", int: "iufc", float: "fc", complex: "fc"}[type(number)]
        op = xp.logical_and if dtype.kind == "b" else xp.multiply
        if dtype.kind not in takes:
            with pytest.raises(TypeError):
                op(x, number)
            continue
        want = np.result_type(dtype, np.complex64) if type(number) is complex else dtype
        assert op(x, number).dtype == want == op(number, x).dtype


def test_sequences():
    for x, dtype in (
        ([True, 2], xp.int64),
        ([True, 2.5], xp.float64),
        ([[2], [1j]], xp.complex128),
    ):
        same(xp.asarray(x), np.asarray(x, dtype), str(x))


def test_sequences_of_numbers_of_numpy():
    """They have a dtype, as in NumPy, beside Python's numbers too."""
    f, i, u = np.float32(1), np.int8(2), np.uint64(2**63)
    for x in ([f, f], [i, i], (u, u), [np.uint8(1), i], [True, i], [f, 2.0], [np.int32(1), 2],
              [[f], [2j]], [np.complex64(1j)], [np.float64(1), f], [np.True_, False]):  # fmt: skip
        same(xp.asarray(x), np.asarray(x), str(x))
    beside = xp.asarray([xp.asarray(f), f])
    assert beside.dtype == xp.float32
    with pytest.raises(TypeError, match="no dtype of the array API"):
        xp.asarray([np.float16(1)])


def test_kinds_of_dtypes():
    assert xp.isdtype(xp.float32, ("bool", "real floating"))
    assert not xp.isdtype(xp.uint8, "signed integer")
    assert xp.isdtype(xp.uint8, xp.uint8) and xp.can_cast(xp.int8, xp.int16)
    assert xp.finfo(xp.complex64).bits == 32 and xp.finfo(xp.float64).dtype == xp.float64
    assert xp.iinfo(xp.ones(2, dtype=xp.int8)).min == -128
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == xp.float64
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert info.devices()[0] == "cpu" == info.default_device()
    x = xp.ones(2)
    assert x.__array_namespace__() is xp and x.to_device("cpu") is x and x.device == "cpu"


def test_names():
    """All that the standard has, where the package that checks it is installed."""
    strict = pytest.importorskip("array_api_strict")
    none = {"Device", "ModuleType", "ArrayAPIStrictFlags"}
    for module, ours in ((strict, xp), (strict.linalg, xp.linalg), (strict.fft, xp.fft)):
        names = {n for n in module.__all__ if not n.startswith("_") and "flags" not in n}
        assert names - none <= set(dir(ours))


def test_names_of_2025():
    x = xp.asarray([[0, 1], [3, 300]])
    for y in ([1, 3], [], [[300]], 1):
        other = y if y == 1 else xp.asarray(y, dtype=xp.int16)
        same(xp.isin(x, other), np.isin(np.asarray(x), y), "isin")
        same(xp.isin(x, other, invert=True), np.isin(np.asarray(x), y, invert=True), "not in")
    assert bool(xp.isin(2.5, xp.asarray([1.0, 2.5]))) and not bool(xp.isin(xp.nan * x3, xp.nan)[0])
    assert int(xp.searchsorted(xp.asarray([1, 3, 5]), 3, side="right")) == 2
    assert xp.broadcast_shapes((2, 1), (3,), ()) == (2, 3) and xp.broadcast_shapes() == ()
    assert type(xp.meshgrid(x3, x3)) is type(xp.broadcast_arrays(x3)) is tuple
    for a in (np.diag([2.0, 3.0]), np.array([[[0, 1], [-1, 0]]], np.float32), np.zeros((0, 2, 2))):
        values, vectors = np.linalg.eig(a)
        kind = np.result_type(a, np.complex64)
        found = xp.linalg.eig(xp.asarray(a))
        same(found.eigenvalues, values.astype(kind), "eig")
        same(found.eigenvectors * 1j, vectors.astype(kind) * 1j, "eig")
        same(xp.linalg.eigvals(xp.asarray(a)), np.linalg.eigvals(a).astype(kind), "eigvals")
    assert repr(xp.zeros((0, 3))) == "LazyArray([], shape=(0, 3), dtype=float64)"


x3, i3 = xp.ones(3), xp.ones(3, dtype=xp.int32)
REFUSED = {
    "shapes": (lambda: x3 + xp.ones(4), ValueError, r"shapes \(3,\) \(4,\)"),
    "kinds": (lambda: x3 + i3, TypeError, "different kinds"),
    "uint64": (lambda: xp.ones(1, dtype=xp.uint64) + i3, TypeError, "no common integer"),
    "weak": (lambda: i3 + 2.5, TypeError, "Python float beside an array of int32"),
    "big": (lambda: xp.ones(1, dtype=xp.int8) + 300, OverflowError, "out of bounds for int8"),
    "sin": (lambda: xp.sin(i3), TypeError, "floating-point"),
    "divide": (lambda: (i3 > 0) / (i3 > 0), TypeError, "numeric"),
    "divide_in_place": (lambda: exec("y = +i3\ny /= i3", globals()), TypeError, "in place"),
    "divide_kinds": (lambda: i3 / x3, TypeError, "different kinds"),
    "numpy": (lambda: x3 + np.ones(3), TypeError, "lazy"),
    "numpy_left": (lambda: np.ones(3) + x3, TypeError, "lazy"),
    "axis": (lambda: xp.sum(x3, axis=1), np.exceptions.AxisError, "out of bounds"),
    "twice": (lambda: xp.sum(xp.ones((2, 2)), axis=(0, 0)), ValueError, "repeated"),
    "max": (lambda: xp.max(xp.ones((0, 2))), ValueError, "no elements"),
    "reshape": (lambda: xp.reshape(x3, (2, 2)), ValueError, "cannot reshape"),
    "squeeze": (lambda: xp.squeeze(x3, axis=0), ValueError, "not equal to one"),
    "index": (lambda: x3[3], IndexError, "out of bounds for axis 0 with size 3"),
    "indices": (lambda: x3[0, 0], IndexError, "too many indices"),
    "step": (lambda: x3[::0], ValueError, "zero"),
    "float_index": (lambda: x3[1.0], IndexError, "only integers"),
    "matmul": (lambda: xp.ones((2, 3)) @ xp.ones((2, 3)), ValueError, "3 columns"),
    "inv": (lambda: xp.linalg.inv(xp.ones((2, 3))), np.linalg.LinAlgError, "square"),
    "pow": (lambda: i3 ** -1, ValueError, "negative integer powers"),
    "bool": (lambda: bool(x3), TypeError, "bool"),
    "T": (lambda: x3.T, ValueError, "2 axes"),
    "device": (lambda: xp.ones(2, device="cuda:99"), ValueError, "there is no device"),
    "dtype": (lambda: xp.ones(2, dtype="U3"), TypeError, "no dtype of the array API"),
    "lossy": (lambda: xp.astype(xp.ones(2) * 1j, xp.float64), TypeError, "real"),
    "in_place": (lambda: exec("y = +x3\ny += xp.ones((2, 3))", globals()), ValueError, "in place"),
    "to_complex": (lambda: exec("y = +x3\ny += 1j", globals()), TypeError, "in place"),
    "set_shape": (lambda: exec("y = +x3\ny[:2] = x3", globals()), ValueError, "broadcast input"),
    "set_kind": (lambda: exec("y = +i3\ny[0] = x3[0]", globals()), TypeError, "kinds"),
    "read_only": (lambda: exec("y = xp.broadcast_to(x3, (2, 3))\ny[0] = 1.0", globals()),
                  ValueError, "read-only"),
    "isin": (lambda: xp.isin(i3, 2.5), TypeError, "Python float beside an array of int32"),
    "isin_numbers": (lambda: xp.isin(1, 2), TypeError, "x1 is an array of swathe.xp, not int"),
    "searchsorted": (lambda: xp.searchsorted(i3, 2.5), TypeError, "Python float"),
    "shapes_of": (lambda: xp.broadcast_shapes((2,), (3,)), ValueError, "broadcast together"),
    "eig": (lambda: xp.linalg.eig(i3), TypeError, "floating-point"),
    "hash": (lambda: hash(x3), TypeError, "unhashable"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_the_node_is_made(name):
    f, error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        f()


def test_whole_numbers_from_fractional_steps():
    for args in ((0, 10, 2.5), (0.5, 9), (10, 0, -2.5)):
        same(xp.arange(*args, dtype=xp.int32), np.arange(*args, dtype=np.int32), str(args))


@pytest.mark.parametrize("op", ["irfft", "hfft", "irfftn"])
def test_transforms_to_real_of_nothing(op):
    """NumPy reads an element before it sees that there is none."""
    for shape in ((0,), (2, 0), (0, 3)):
        x = xp.zeros(shape, dtype=xp.complex64)
        if op == "irfftn":
            got = xp.fft.irfftn(x, s=(4,), axes=(len(shape) - 1,))
        else:
            got = getattr(xp.fft, op)(x, n=4)
        same(got, np.zeros((*shape[:-1], 4), np.float32), f"{op} of {shape}")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_quotients_of_integers(dtype):
    """As NumPy's: floats, and no error of a zero."""
    x, y = np.array([7, 0, 120, 5], dtype), np.array([2, 0, 0, 1], dtype)
    a, b = xp.asarray(x), xp.asarray(y)
    with np.errstate(all="ignore"):
        cases = {
            "both": (a / b, x / y),
            "number": (a / 2, x / 2),
            "left": (3 / b, 3 / y),
            "none": (xp.sum(b) / b[1], np.sum(y) / y[1]),
            "chain": (a * a / b, x * x / y),
        }
    for name, (got, want) in cases.items():
        same(got, want, name)


def test_unequal_elements_are_in_order():
    """Programs for the standard take that for granted: scikit-learn's estimators do."""
    for n in (0, 1, 40, 3000):
        x = np.random.default_rng(n).integers(0, 1000, n)
        want, first, which, count = np.unique(x, True, True, True)
        a = xp.asarray(x)
        for found in (xp.unique_values(a), xp.unique_counts(a).values, xp.unique_all(a).values):
            same(found, want, "values")
        same(xp.unique_inverse(a).inverse_indices, which, "inverse")
        same(xp.unique_all(a).indices, first, "first")
        same(xp.unique_all(a).counts, count, "counts")
    twice = xp.unique_all(xp.asarray([xp.nan, 2.0, xp.nan, 1.0]))
    same(twice.values, np.array([1.0, 2.0, np.nan, np.nan]), "NaN")
    same(twice.counts, np.ones(4, int), "NaN")
