#!/usr/bin/env python3
"""Sparse principal components, three times: a loop in NumPy, NumbaPro's kernels, primitives.

A component with at most k elements that aren't zero explains as much as it can. Of a matrix of rank
d, the best is near one of many combinations of d columns: each of them is scaled, its k greatest
elements are taken, and the one with the greatest norm wins. The kernels do so for a batch of
combinations; the third program says the same by `numpy`'s functions and `swathe.prim` alone.

    python examples/numbapro/sparse_pca.py [--features N] [--rank N] [--keep N] [--epsilon X]
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

import swathe
from swathe import prange, prim
from swathe.compat.numbapro import cuda, float64, int16, int32
from swathe.compat.numbapro.cudalib import curand

BATCH = 16_000
TOGETHER = 64


# ---- a loop ----------------------------------------------------------------------------------


def by_loop(V: np.ndarray, samples: int, k: int, seed: int = 0) -> np.ndarray:
    """One combination after the other."""
    p, d = V.shape
    best, component = -np.inf, np.zeros((p, 1))
    C = np.random.default_rng(seed).standard_normal((d, samples))
    for i in range(samples):
        c = C[:, i : i + 1]
        c = c / np.linalg.norm(c)
        a = V.dot(c)
        order = np.argsort(a, axis=0)
        norm = np.linalg.norm(a[order[-k:, 0]])
        if norm > best:
            best = norm
            component = np.zeros((p, 1))
            component[order[-k:, 0]] = a[order[-k:, 0]] / norm
    return component


# ---- kernels ---------------------------------------------------------------------------------


@cuda.jit("void(float64[:,:], int32)")
def normalise(C, d):
    """Let each column have the norm 1."""
    i = cuda.grid(1)
    if i >= C.shape[1]:
        return
    total = 0.0
    for j in range(d):
        total += C[j, i] * C[j, i]
    for j in range(d):
        C[j, i] /= math.sqrt(total)


@cuda.jit("void(float64[:,:], float64[:,:], float64[:,:])")
def multiply(V, C, A):
    """A = V @ C: a block for each column."""
    i = cuda.blockIdx.x
    for j in range(cuda.threadIdx.x, V.shape[0], cuda.blockDim.x):
        total = 0.0
        for k in range(C.shape[0]):
            total += V[j, k] * C[k, i]
        A[j, i] = total


@cuda.jit("void(float64[:], int16[:], int32, int32)", device=True)
def swap(values, places, a, b):
    """Exchange two elements, and where they have been."""
    values[a], values[b] = values[b], values[a]
    places[a], places[b] = places[b], places[a]


@cuda.jit("void(float64[:,:], int16[:,:], int16)")
def select(A, I, k):  # noqa: E741
    """The places of the k greatest elements of each column: C. Hoare's quickselect, where all
    threads of a block compare with the pivot at once."""
    i, t = cuda.blockIdx.x, cuda.threadIdx.x
    values = cuda.shared.array(1000, dtype=float64)
    places = cuda.shared.array(1000, dtype=int16)
    ends = cuda.shared.array(2, dtype=int32)  # of what is less than the pivot, and of what isn't
    n = A.shape[0]
    values[t] = A[t, i]
    places[t] = t
    cuda.syncthreads()
    left, right = 0, n - 1
    while left < right:
        if t == 0:
            ends[0] = left
            ends[1] = 0
        cuda.syncthreads()
        pivot = values[right]
        inside = left <= t < right
        value, place, to, above = 0.0, 0, -1, -1
        if inside:
            value, place = values[t], places[t]
            if value < pivot:
                to = cuda.atomic.add(ends, 0, 1)
            else:
                above = cuda.atomic.add(ends, 1, 1)
        cuda.syncthreads()
        middle = ends[0]
        if above != -1:
            to = middle + above
        if to != -1:
            values[to] = value
            places[to] = place
        cuda.syncthreads()
        if t == 0:
            swap(values, places, middle, right)
        cuda.syncthreads()
        if n - middle == k:
            break
        if n - middle > k:
            left = middle + 1
        else:
            right = middle - 1
    if t < k:
        I[t, i] = places[n - t - 1]


@cuda.jit("void(float64[:,:], int16[:,:], float64[:])")
def norms(A, I, out):  # noqa: E741
    """The norm of each column's chosen elements."""
    i = cuda.grid(1)
    if i < I.shape[1]:
        total = 0.0
        for k in range(I.shape[0]):
            total += A[I[k, i], i] ** 2
        out[i] = math.sqrt(total)


def by_kernels(V: np.ndarray, samples: int, k: int, seed: int = 0) -> np.ndarray:
    """A batch of combinations at a time, on a stream."""
    p, d = V.shape
    best, component = -np.inf, np.zeros((p, 1))
    d_V = cuda.to_device(V)
    stream = cuda.stream()
    generator = curand.PRNG(seed=seed, stream=stream)
    while samples:
        n = min(samples, BATCH)
        samples -= n
        A = cuda.device_array(shape=(p, n), order="F")
        I = cuda.device_array(shape=(k, n), dtype=np.int16, order="F")  # noqa: E741
        N = cuda.device_array(shape=n, dtype=np.float64)
        C = cuda.device_array(shape=(d, n), order="F")
        generator.normal(C.reshape(C.size), mean=0, sigma=1)
        normalise[-(-n // 512), 512, stream](C, d)
        multiply[n, 512, stream](d_V, C, A)
        select[n, p, stream](A, I, k)
        norms[-(-n // 512), 512, stream](A, I, N)
        found = N.copy_to_host(stream=stream)
        stream.synchronize()
        i = int(found.argmax())
        if found[i] > best:
            best = found[i]
            a, chosen = A[:, i].copy_to_host(), I[:, i].copy_to_host()
            component = np.zeros((p, 1))
            component[chosen, 0] = a[chosen] / best
    return component


# ---- primitives ------------------------------------------------------------------------------


@swathe.njit(parallel=True)
def by_primitives(V, samples, k, seed=0):
    """The same on any number of threads: some combinations at a time stay in cache."""
    p, d = V.shape
    C, V_rows = prim.normal((samples, d), seed), np.ascontiguousarray(V.T)
    found = np.empty(samples)
    for b in prange((samples + TOGETHER - 1) // TOGETHER):
        some = C[b * TOGETHER : (b + 1) * TOGETHER]
        A = some @ V_rows
        for i in range(len(some)):
            top = prim.topk(A[i], k)[0]
            found[b * TOGETHER + i] = np.linalg.norm(top) / np.linalg.norm(some[i])
    i = np.argmax(found)
    c = C[i] / np.linalg.norm(C[i])
    top, places = prim.topk(V @ c, k)
    component = np.zeros((p, 1))
    component[places, 0] = top / np.linalg.norm(top)
    return component


# ---- all of them -----------------------------------------------------------------------------


def problem(features: int, rank: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A covariance whose eigenvalues fall off, and its factor of a rank."""
    X = np.random.default_rng(seed).standard_normal((100, features))
    U, S, _ = np.linalg.svd(X.T @ X / 100)
    S = S / np.arange(1, features + 1)
    return (U * S) @ U.T, U[:, :rank] * np.sqrt(S[:rank])


def main(features: int = 200, rank: int = 3, keep: int = 10, epsilon: float = 0.25) -> list[float]:
    """Return what the components of the three programs explain."""
    A, V = problem(features, rank)
    samples = int((4 / epsilon) ** rank)
    explained = []
    for f in (by_loop, by_kernels, by_primitives):
        f(V, 16, keep)
        began = time.perf_counter()
        x = f(V, samples, keep)
        seconds = time.perf_counter() - began
        explained.append((x.T @ A @ x).item())
        print(f"{f.__name__:14} {seconds:8.3f} s   explains {explained[-1]:.6f}")
    return explained


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=500)
    parser.add_argument("--rank", type=int, default=3)
    parser.add_argument("--keep", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=0.1)
    main(**vars(parser.parse_args()))
