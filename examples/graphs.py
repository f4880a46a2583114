#!/usr/bin/env python3
"""Algorithms on graphs: SciPy's sparse matrices as arguments of compiled functions.

Breadth-first search, shortest paths by Dijkstra's algorithm, PageRank, triangles and connected
components, each beside what SciPy has for it: `scipy.sparse.csgraph`, or products of matrices.

    python examples/graphs.py [--edges N]
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import swathe
from swathe import prange


@swathe.njit
def levels(A, start):
    """Return how many edges away each vertex is, -1 where it isn't reached."""
    found = np.full(A.shape[0], -1)
    queue = np.empty(A.shape[0], np.int64)
    queue[0], end, found[start] = start, 1, 0
    at = 0
    while at < end:
        i = queue[at]
        at += 1
        for j in A.row(i)[0]:
            if found[j] < 0:
                found[j] = found[i] + 1
                queue[end] = j
                end += 1
    return found


@swathe.njit
def shortest(A, start):
    """Return the least sum of weights on a way to each vertex, which aren't negative.

    E. Dijkstra, A note on two problems in connexion with graphs, Numerische Mathematik 1 (1959).
    """
    length = np.full(A.shape[0], np.inf)
    length[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, i = heapq.heappop(heap)
        if d > length[i]:
            continue  # a shorter way has been taken since
        columns, weights = A.row(i)
        for k in range(len(columns)):
            j, w = columns[k], d + weights[k]
            if w < length[j]:
                length[j] = w
                heapq.heappush(heap, (w, int(j)))
    return length


@swathe.njit(parallel=True)
def pagerank(A, damping, steps):
    """Return the part of time that a reader spends at each page, after some steps.

    L. Page, S. Brin, R. Motwani and T. Winograd, The PageRank citation ranking (1999).
    """
    n = A.shape[0]
    links = A.T.tocsr()
    degree = np.zeros(n)
    for i in range(n):
        degree[i] = A.indptr[i + 1] - A.indptr[i]
    r = np.full(n, 1.0 / n)
    for _ in range(steps):
        lost = r[degree == 0].sum() / n
        r = damping * (links @ (r / np.maximum(degree, 1.0)) + lost) + (1 - damping) / n
    return r


@swathe.njit(parallel=True)
def triangles(A):
    """Return how many triples of vertices are joined by three edges. Rows are in order."""
    total = 0
    for i in prange(A.shape[0]):
        mine = A.row(i)[0]
        for j in mine:
            if j < i:
                other = A.row(j)[0]
                p, q = 0, 0
                while p < len(mine) and q < len(other) and mine[p] < j and other[q] < j:
                    if mine[p] < other[q]:
                        p += 1
                    elif mine[p] > other[q]:
                        q += 1
                    else:
                        total += 1
                        p += 1
                        q += 1
    return total


@swathe.njit
def components(A):
    """Return a number for each vertex that those have in common that a way joins.

    Union by a root's number, with paths halved: R. Tarjan and J. van Leeuwen, Worst-case analysis
    of set union algorithms, Journal of the ACM 31 (1984).
    """
    root = np.arange(A.shape[0])
    for i in range(A.shape[0]):
        for j in A.row(i)[0]:
            a, b = i, int(j)
            while root[a] != a:
                root[a] = root[root[a]]
                a = root[a]
            while root[b] != b:
                root[b] = root[root[b]]
                b = root[b]
            root[max(a, b)] = min(a, b)
    for i in range(len(root)):
        root[i] = root[root[i]]  # a root is before all that it is the root of
    return root


def scipy_levels(A: Any, start: int) -> np.ndarray:
    order, before = csgraph.breadth_first_order(A, start)
    found = np.full(A.shape[0], -1)
    found[start] = 0
    for i in order[1:]:
        found[i] = found[before[i]] + 1
    return found


def scipy_pagerank(A: Any, damping: float, steps: int) -> np.ndarray:
    n = A.shape[0]
    links, degree = A.T.tocsr(), np.diff(A.indptr)
    r = np.full(n, 1.0 / n)
    for _ in range(steps):
        lost = r[degree == 0].sum() / n
        r = damping * (links @ (r / np.maximum(degree, 1)) + lost) + (1 - damping) / n
    return r


def same_parts(a: np.ndarray, b: np.ndarray) -> bool:
    pairs = np.unique(np.stack([a, b]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))


def best(f: Callable[[], Any]) -> tuple[Any, float]:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        out = f()
        times.append(time.perf_counter() - start)
    return out, min(times)


def graph(edges: int, seed: int = 0) -> Any:
    """Return a symmetric graph whose vertices have unlike numbers of edges, with weights."""
    rng = np.random.default_rng(seed)
    n = max(edges // 10, 4)
    i, j = (n * rng.random((2, edges // 2)) ** 2).astype(np.int64)
    w = rng.random(len(i)) + 0.1
    A = sp.coo_array((w[i != j], (i[i != j], j[i != j])), shape=(n, n)).tocsr()
    A = A.maximum(A.T).tocsr()
    A.sort_indices()
    return A


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=1_010_000)  # some twice
    A = graph(parser.parse_args().edges)
    ones = sp.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    print(f"{A.shape[0]} vertices, {A.nnz} edges, {swathe.get_num_threads()} threads")
    equal, close = np.array_equal, np.allclose
    for name, ours, theirs, agree in (
        ("levels", lambda: levels(A, 0), lambda: scipy_levels(A, 0), equal),
        ("shortest", lambda: shortest(A, 0), lambda: csgraph.dijkstra(A, indices=0), close),
        (
            "pagerank",
            lambda: pagerank(ones, 0.85, 20),
            lambda: scipy_pagerank(ones, 0.85, 20),
            close,
        ),
        ("triangles", lambda: triangles(A), lambda: (ones @ ones).multiply(ones).sum() / 6, equal),
        (
            "components",
            lambda: components(A),
            lambda: csgraph.connected_components(A)[1],
            same_parts,
        ),
    ):
        ours()  # compiles
        (a, mine), (b, his) = best(ours), best(theirs)
        print(
            f"{name:12} {mine * 1e3:9.1f} ms   SciPy {his * 1e3:9.1f} ms   {mine / his:5.2f}   "
            f"{'agree' if agree(a, b) else 'DIFFER'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
