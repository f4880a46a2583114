"""debug=True and what the kernel doesn't say itself: calls of the library in C do what they do
without it, and arrays that live across a barrier belong to their threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from swathe import errors, gpu


def sorts(x, out):
    x.sort()


def sorted_copy(x, out):
    out[:] = np.sort(x)


def order(x, out):
    out[:] = np.argsort(x)


def searched(x, out):
    out[0] = np.searchsorted(np.sort(x), 2.5)


def inverse(x, out):
    out[:3] = np.linalg.inv(np.eye(3) * 2)[1]


def solved(x, out):
    out[:3] = np.linalg.solve(np.eye(3) * 4, x[:3])


def determinant(x, out):
    out[0] = np.linalg.det(np.eye(3) * 2)


def cholesky(x, out):
    out[:3] = np.linalg.cholesky(np.eye(3) * 4)[2]


def eigenvalues(x, out):
    out[:3] = np.linalg.eigvalsh(np.eye(3) * 4)


def spectrum(x, out):
    out[:] = np.fft.fft(x).real


def shared_sorted(x, out):
    s = gpu.shared.array(5, np.float64)
    for i in range(5):
        s[i] = x[i]
    s.sort()
    out[:] = s


LIBRARY = [sorts, sorted_copy, order, searched, inverse, solved, determinant, cholesky,
           eigenvalues, spectrum, shared_sorted]  # fmt: skip


@pytest.mark.parametrize("func", LIBRARY, ids=[f.__name__ for f in LIBRARY])
def test_library(func: Any) -> None:
    want, got = ((np.array([3.0, 1, 2, 5, 4]), np.zeros(5)) for _ in range(2))
    gpu.jit(func)[1, 1](*want)
    gpu.jit(debug=True)(func)[1, 1](*got)
    assert want[0].tolist() != [3, 1, 2, 5, 4] or want[1].any()
    np.testing.assert_array_equal(got, want)


def filled(n: int, dtype: Any) -> Any:
    @gpu.jit(debug=True)
    def kernel(out):
        t = gpu.grid(1)
        own = gpu.local.array(n, dtype)
        for i in range(n):
            own[i] = t + i
        gpu.syncthreads()
        out[t] = own[n - 1]

    return kernel


@pytest.mark.parametrize(
    "n, dtype",
    [(3, np.float32), (1, np.int8), (5, np.int16), (7, np.uint8), (2, np.float64), (4, np.int32)],
)
def test_arrays_across_a_barrier(n: int, dtype: Any) -> None:
    out = np.zeros(12)
    filled(n, dtype)[3, 4](out)
    assert out.tolist() == (np.arange(12) + n - 1).tolist()


def test_arrays_of_two_axes_across_barriers() -> None:
    @gpu.jit(debug=True)
    def kernel(out):
        t = gpu.threadIdx.x + 3 * gpu.threadIdx.y
        own = gpu.local.array((3, 3), np.float32)
        for i in range(3):
            for j in range(3):
                own[i, j] = t + 3 * i + j
        gpu.syncthreads()
        own[1, 1] += 1
        gpu.syncthreads()
        out[gpu.blockIdx.x, t] = own[2, 2] + own[1, 1]

    out = np.zeros((2, 6))
    kernel[2, (3, 2)](out)
    assert out.tolist() == [(2 * np.arange(6) + 13).tolist()] * 2


def test_arrays_across_a_barrier_of_the_grid() -> None:
    @gpu.jit(debug=True)
    def kernel(out):
        t = gpu.grid(1)
        own = gpu.local.array(3, np.float32)
        for i in range(3):
            own[i] = t + i
        gpu.syncgrid()
        out[t] = own[2]

    out = np.zeros(6)
    kernel[2, 3](out)
    assert out.tolist() == [2, 3, 4, 5, 6, 7]


def test_what_is_not_written_is_still_found() -> None:
    @gpu.jit(debug=True)
    def kernel(out):
        own = gpu.local.array(3, np.float32)
        own[0] = own[1] = 1
        gpu.syncthreads()
        out[gpu.grid(1)] = own[2]

    with pytest.raises(errors.UninitializedError, match=r"own\[2\]"):
        kernel[2, 4](np.zeros(8))
