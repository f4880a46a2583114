#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parallel primitives beside NumPy and SciPy, and what memory allows.

    .venv/bin/python bench/primitives.py [--size N] [--rounds N] [NAME ...]

Each round runs both sides one after another, and a ratio is the median of the rounds' ratios, so
that a machine that others use too slows them alike. Scans are held against a copy and reductions
against a pass over memory, by swathe's own loops on as many threads.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import swathe
from swathe import prange, prim

Run = Callable[[], Any]
Row = tuple[str, str, Run, Run]  # what is measured, what against, and both


@swathe.njit(parallel=True)
def _copy(x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = x[i]
    return out


@swathe.njit(parallel=True, fastmath=True)
def _read(x: np.ndarray) -> float:
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


@swathe.njit(parallel=True)
def _affine(x: np.ndarray) -> np.ndarray:
    return prim.scan(lambda a, b: a * 0.999 + b, x)


def folds(n: int) -> Iterator[Row]:
    """Scans, reductions, and those of runs of equal keys."""
    x = np.random.default_rng(1).random(n)
    keys = np.sort(np.random.default_rng(2).integers(0, max(1, n // 100), n))

    def reduceat() -> Any:
        first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
        return keys[first], np.add.reduceat(x, first)

    yield "scan add", "a copy", lambda: prim.scan(np.add, x), lambda: _copy(x)
    yield "scan add", "NumPy", lambda: prim.scan(np.add, x), lambda: np.cumsum(x)
    yield "scan of a lambda", "a copy", lambda: _affine(x), lambda: _copy(x)
    yield "scan max", "NumPy", lambda: prim.scan(max, x), lambda: np.maximum.accumulate(x)
    yield "reduce add", "a read", lambda: prim.reduce(np.add, x), lambda: _read(x)
    yield "reduce add", "NumPy", lambda: prim.reduce(np.add, x), lambda: np.sum(x)
    yield "reduce max", "NumPy", lambda: prim.reduce(max, x), lambda: np.max(x)
    yield "reduce_by_key", "reduceat", lambda: prim.reduce_by_key(np.add, keys, x), reduceat
    yield "map", "NumPy", lambda: prim.map(lambda v: v * v + 1.0, x), lambda: x * x + 1.0


def orders(n: int) -> Iterator[Row]:
    """Sorts and selections."""
    rng = np.random.default_rng(3)
    x, k = rng.random(n), rng.integers(0, n, n)

    def take() -> Any:
        at = np.argsort(k, kind="stable")
        return k[at], x[at]

    yield "sort float64", "NumPy", lambda: prim.sort(x), lambda: np.sort(x)
    yield "sort int64", "NumPy", lambda: prim.sort(k), lambda: np.sort(k)
    yield (
        "argsort", "NumPy", lambda: prim.argsort(x), lambda: np.argsort(x, kind="stable")
    )  # fmt: skip
    yield "sort_by_key", "argsort, take", lambda: prim.sort_by_key(k, x), take
    yield "kselect", "partition", lambda: prim.kselect(x, n // 2), lambda: np.partition(x, n // 2)
    yield (
        "topk 100", "partition", lambda: prim.topk(x, 100),
        lambda: np.sort(np.partition(x, n - 100)[n - 100 :]),
    )  # fmt: skip
    yield "unique", "NumPy", lambda: prim.unique(k), lambda: np.unique(k)


def places(n: int) -> Iterator[Row]:
    """What moves elements."""
    rng = np.random.default_rng(4)
    x, at = rng.random(n), rng.integers(0, n, n)
    mask, edges = x > 0.5, np.sort(rng.random(1000))
    yield "compact by mask", "NumPy", lambda: prim.compact(x, mask), lambda: x[mask]
    yield (
        "compact by function",
        "NumPy",
        lambda: prim.compact(x, lambda v: v > 0.5),
        lambda: x[x > 0.5],
    )
    yield "gather", "NumPy", lambda: prim.gather(x, at), lambda: x[at]
    yield (
        "scatter add", "bincount", lambda: prim.scatter(x, at, np.zeros(n), np.add),
        lambda: np.bincount(at, x, n),
    )  # fmt: skip
    yield (
        "histogram", "NumPy", lambda: prim.histogram(x, 100, 0.0, 1.0),
        lambda: np.histogram(x, 100, (0.0, 1.0)),
    )  # fmt: skip
    yield (
        "searchsorted", "NumPy", lambda: prim.searchsorted(edges, x),
        lambda: np.searchsorted(edges, x),
    )  # fmt: skip
    half = np.sort(x[: n // 2]), np.sort(x[n // 2 :])
    yield "merge", "sort", lambda: prim.merge(*half), lambda: np.sort(np.concatenate(half))
    yield "uniform", "NumPy", lambda: prim.uniform(n, 1), lambda: rng.random(n)
    yield "normal", "NumPy", lambda: prim.normal(n, 1), lambda: rng.standard_normal(n)


def matrices(n: int) -> Iterator[Row]:
    """Sparse matrices of ten elements a row, beside SciPy."""
    try:
        from scipy import sparse as scipy
    except ImportError:
        return
    from swathe import sparse

    rows = max(10, n // 20)
    rng = np.random.default_rng(5)
    at = np.repeat(np.arange(rows), 10), rng.integers(0, rows, 10 * rows)
    a = scipy.csr_array((rng.random(10 * rows), at), shape=(rows, rows))
    a.sum_duplicates()
    ours, x = sparse.csr(a), rng.random(rows)
    yield "SpMV", "SciPy", lambda: ours @ x, lambda: a @ x
    yield "SpMM 8", "SciPy", lambda: ours @ np.ones((rows, 8)), lambda: a @ np.ones((rows, 8))
    yield "SpGEMM", "SciPy", lambda: ours @ ours, lambda: a @ a


SETS = {"folds": folds, "orders": orders, "places": places, "matrices": matrices}


def seconds(f: Run) -> float:
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def compare(row: Row, rounds: int) -> None:
    """Print a line: times of both sides, and the ratio."""
    name, beside, ours, theirs = row
    ours()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    ratio = statistics.median([a / b for a, b in pairs])
    best = [min(side) * 1e3 for side in zip(*pairs, strict=True)]
    print(f"{name:20} {best[0]:9.2f} ms   {beside:14} {best[1]:9.2f} ms   {ratio:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SETS)}")
    parser.add_argument("--size", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    print(f"{args.size} elements, {swathe.get_num_threads()} threads")
    for name in args.names or SETS:
        for row in SETS[name](args.size):
            compare(row, args.rounds)


if __name__ == "__main__":
    main()
