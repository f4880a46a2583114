# SPDX-License-Identifier: BSD-3-Clause
"""Products over semirings, triangles, and iterations, beside SciPy and loops in Python."""

from __future__ import annotations

import numpy as np
import pytest

import swathe
from swathe import sparse

sp = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")
RINGS = {
    "plus.times": (np.add, np.multiply),
    "min.plus": (np.minimum, np.add),
    "max.plus": (np.maximum, np.add),
    "min.times": (np.minimum, np.multiply),
    "max.times": (np.maximum, np.multiply),
    "min.max": (np.minimum, np.maximum),
    "max.min": (np.maximum, np.minimum),
    "or.and": (np.logical_or, np.logical_and),
}


def matrix(n, m, seed, dtype="f8", density=0.4):
    rng = np.random.default_rng(seed)
    a = rng.integers(-9, 9, (n, m)) * (rng.random((n, m)) < density)
    return sp.csr_array(a.astype(dtype))


def by_loops(a, b, ring):
    """The elements of a product by their terms; None where there is none."""
    add, times = RINGS[ring]
    out = np.full((a.shape[0], b.shape[1]), None)
    stored = b.toarray() != 0 if sp.issparse(b) else np.ones(b.shape, bool)
    right = b.toarray() if sp.issparse(b) else b
    for i in range(a.shape[0]):
        for k in range(a.indptr[i], a.indptr[i + 1]):
            r = a.indices[k]
            for j in np.flatnonzero(stored[r]):
                term = times(a.data[k], right[r, j])
                out[i, j] = term if out[i, j] is None else add(out[i, j], term)
    return out


def identity(ring, dtype):
    if ring in ("plus.times", "or.and"):
        return 0
    least = ring.startswith("min")
    if np.dtype(dtype).kind == "f":
        return np.inf if least else -np.inf
    return np.iinfo(dtype).max if least else np.iinfo(dtype).min


@pytest.mark.parametrize("ring", RINGS)
def test_semirings(ring):
    for dtype in ("f8", "i4"):
        a, b, x = matrix(7, 6, 1, dtype), matrix(6, 5, 2, dtype), matrix(6, 3, 3, dtype).toarray()
        kind = np.dtype(bool if ring == "or.and" else dtype)
        want = by_loops(a, x, ring)
        want = np.where(want == None, identity(ring, dtype), want).astype(kind)  # noqa: E711
        got = sparse.matmul(sparse.csr(a), x, ring)
        assert got.dtype == kind and np.array_equal(got, want)
        if dtype == "f8":
            assert np.array_equal(sparse.matmul(sparse.csr(a), x[:, 0], ring), want[:, 0])
            c = sparse.matmul(sparse.csr(a), sparse.csr(b), ring)
            full = by_loops(a, b, ring)
            assert c.dtype == kind and c.nnz == np.count_nonzero(full != None)  # noqa: E711
            for i in range(7):
                for j, v in zip(*c.row(i), strict=True):
                    assert full[i, j] == v


def test_shortest_ways_by_a_semiring():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")

    @swathe.njit
    def ways(A, start):
        d = np.full(A.shape[0], np.inf)
        d[start] = 0.0
        for _ in range(A.shape[0]):
            d = np.minimum(d, sparse.matmul(A.T, d, "min.plus"))
        return d

    a = abs(matrix(30, 30, 5, density=0.1))
    assert np.array_equal(ways(a, 3), csgraph.bellman_ford(a, indices=3))


def test_what_semirings_refuse():
    a = sparse.csr(matrix(3, 3, 1))
    with pytest.raises(ValueError, match=r"semiring is one of"):
        sparse.matmul(a, np.ones(3), "min.min")
    with pytest.raises(ValueError, match="dimension mismatch"):
        sparse.matmul(a, np.ones(4), "min.plus")


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
def test_triangles(lower, transposed):
    for n, form in ((6, "csr"), (6, "csc"), (1, "csr"), (0, "csr")):
        a = (matrix(n, n, 4) + sp.eye_array(n) * 20).asformat(form)
        t = np.tril(a.toarray()) if lower else np.triu(a.toarray())
        for unit in (False, True):
            m = t.copy()
            if unit:
                np.fill_diagonal(m, 1)
            for b in (np.arange(1.0, n + 1), np.arange(2.0 * n).reshape(n, 2)):
                x = sparse.solve_triangular(a, b, lower, unit, transposed)
                assert x.shape == b.shape
                assert np.allclose((m.T if transposed else m) @ x, b)
    zero = matrix(4, 4, 1) * 0.0
    with pytest.raises(np.linalg.LinAlgError, match="zero entry on diagonal"):
        sparse.solve_triangular(zero, np.ones(4), lower, False, transposed)
    with pytest.raises(ValueError, match="square matrix"):
        sparse.solve_triangular(zero, np.ones(3))


def poisson(n):
    """The five-point Laplacian."""
    one = sp.diags_array([-1, 2, -1], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(one, sp.eye_array(n)) + sp.kron(sp.eye_array(n), one)).tocsr()


@pytest.mark.parametrize("name", ["cg", "bicgstab"])
def test_iterations(name):
    ours, theirs = getattr(sparse, name), getattr(linalg, name)
    a = poisson(8)
    b = np.random.default_rng(1).random(64)
    jacobi = sp.diags_array(1 / a.diagonal()).tocsr()
    for options in ({}, {"rtol": 1e-10, "atol": 1e-2}, {"x0": b.copy(), "M": jacobi}):
        x, info = ours(a, b, **options)
        y, _ = theirs(a, b, **options)
        tolerance = max(options.get("atol", 0), options.get("rtol", 1e-5) * np.linalg.norm(b))
        assert info == 0 and np.linalg.norm(a @ x - b) <= 1.01 * tolerance
        assert np.allclose(x, y, atol=100 * tolerance)
    x, info = ours(a, b, maxiter=2)
    assert info == 2 and np.allclose(x, theirs(a, b, maxiter=2)[0])
    assert ours(a, b * 0)[1] == 0
    with pytest.raises(ValueError, match="square"):
        ours(a, b[:3])


def test_iterations_of_unsymmetric_matrices():
    a = poisson(6) + sp.diags_array(np.full(35, 0.7), offsets=1).tocsr()
    b = np.random.default_rng(2).random(36)
    x, info = sparse.bicgstab(a, b, rtol=1e-9)
    assert info == 0 and np.allclose(a @ x, b)


def test_in_compiled_code():
    @swathe.njit
    def solved(A, b):
        x, info = sparse.cg(A, b)
        return x, info, sparse.solve_triangular(A, b)

    a, b = poisson(5), np.ones(25)
    x, info, t = solved(a, b)
    assert info == 0 and np.allclose(a @ x, b, atol=1e-3)
    assert np.allclose(np.tril(a.toarray()) @ t, b)
