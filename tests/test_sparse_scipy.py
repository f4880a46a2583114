# SPDX-License-Identifier: BSD-3-Clause
"""swathe.sparse in the place of scipy.sparse: its classes and functions, beside SciPy's."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import swathe
from swathe import sparse

sp = pytest.importorskip("scipy.sparse")
arrays = importlib.import_module("swathe.sparse._arrays")

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
DTYPES = ("i4", "i8", "f4", "f8", "c8", "c16")


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Small matrices, too, are for the compiled functions."""
    monkeypatch.setattr(arrays, "LEAST", dict.fromkeys(arrays.LEAST, 0))


def test_large_ones_are_compiled(monkeypatch):
    """Each of the functions is reached by the operators of the SciPy that is installed."""
    called = []
    for module, name in ((arrays._products, "of_csr"), (arrays._pairs, "product"),
                         (arrays._pairs, "merged")):  # fmt: skip
        f = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, f=f, name=name: (called.append(name), f(*a))[1]
        )
    A = made(sparse, "csr_array", 8, 6, 1)
    for cls in (sparse.csr_array, sparse.csc_array):
        B = cls(A)
        for _ in (B @ B.T.asformat(B.format), B + B, B - B, B.multiply(B)):
            pass
    _ = A @ np.ones(6), A @ np.ones((6, 2))
    assert called == 2 * ["product", "merged", "merged", "merged"] + 2 * ["of_csr"]


def triples(n, m, seed, dtype="f8", count=None):
    """Some elements twice at a place, in no order."""
    rng = np.random.default_rng(seed)
    count = n * m // 3 if count is None else count
    data = rng.integers(-4, 5, count).astype(dtype)
    return (data, (rng.integers(0, n, count), rng.integers(0, m, count))), (n, m)


def made(module, cls, n, m, seed, dtype="f8", summed=False):
    parts, shape = triples(n, m, seed, dtype)
    A = getattr(module, cls)(module.coo_array(parts, shape=shape).tocsr())
    if summed and hasattr(A, "sum_duplicates"):
        A.sum_duplicates()
    return A


def same(got, want):
    """Same elements, dtype, shape, format; of compressed ones the same places stored."""
    if sp.issparse(want):
        assert type(got) is getattr(sparse, type(want).__name__)
        assert got.format == want.format and got.nnz == want.nnz
        if want.format in ("csr", "csc"):
            got, want = got.copy(), want.copy()
            got.sort_indices()
            want.sort_indices()
            assert want.nnz == 0 or got.indices.dtype == want.indices.dtype
            assert want.nnz == 0 or got.indptr.dtype == want.indptr.dtype
            assert np.array_equal(got.indices, want.indices)
            assert np.array_equal(got.indptr, want.indptr)
        got, want = got.toarray(), want.toarray()
    elif isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w)
        return
    assert type(got) is type(want)
    if isinstance(want, (np.ndarray, np.generic)):
        assert got.shape == want.shape and got.dtype == want.dtype
        assert np.allclose(got, want, rtol=1e-5 if want.dtype.char in "fF" else 1e-12, atol=0)
    else:
        assert got == want


OPERATIONS = {
    "vector": lambda s, A, B, x: A @ x,
    "vector_strided": lambda s, A, B, x: A @ np.repeat(x, 2)[::2],
    "vector_column": lambda s, A, B, x: A @ x.reshape(-1, 1),
    "vector_left": lambda s, A, B, x: x @ B.T,
    "matrix": lambda s, A, B, x: A @ np.outer(x, x[:3]),
    "matrix_fortran": lambda s, A, B, x: A @ np.asfortranarray(np.outer(x, x[:3])),
    "matrix_empty": lambda s, A, B, x: A @ np.zeros((len(x), 0), x.dtype),
    "float32": lambda s, A, B, x: A @ x.real.astype("f4"),
    "transposed": lambda s, A, B, x: A.T @ np.ones(A.shape[0], x.dtype),
    "product": lambda s, A, B, x: A @ B.T,
    "product_mixed": lambda s, A, B, x: A @ B.tocsc().T,
    "product_coo": lambda s, A, B, x: A @ B.T.tocoo(),
    "product_csc": lambda s, A, B, x: A.tocsc() @ B.T.tocsc(),
    "gram": lambda s, A, B, x: A.T @ A,
    "sum": lambda s, A, B, x: A + B,
    "sum_coo": lambda s, A, B, x: A + B.tocoo(),
    "difference": lambda s, A, B, x: A - B,
    "difference_csc": lambda s, A, B, x: A.tocsc() - B,
    "cancelled": lambda s, A, B, x: A - A,
    "elements": lambda s, A, B, x: A.multiply(B),
    "elements_row": lambda s, A, B, x: A.multiply(x[None, :]),
    "sums": lambda s, A, B, x: (A.sum(), A.sum(axis=0), A.sum(axis=1), A.mean(axis=0)),
    "extremes": lambda s, A, B, x: (abs(A).max(axis=0), abs(A).max(), abs(A).argmax(axis=1)),
    "greater": lambda s, A, B, x: abs(A).maximum(abs(B)),
    "parts": lambda s, A, B, x: (A[2], A[:, 1], A[1:4], A[[1, 1]], A[1, 2], A[:, ::2]),
    "stacked": lambda s, A, B, x: (s.vstack([A, B]), s.hstack([A, B]), s.block_diag([A, B])),
    "blocks": lambda s, A, B, x: s.block_array([[A, None], [None, B]]),
    "triangles": lambda s, A, B, x: (s.tril(A), s.triu(A, 1), s.find(A)),
    "kron": lambda s, A, B, x: s.kron(A, B).tocsr(),
    "scalars": lambda s, A, B, x: (A * 2, A / 2, -A, 2.5 * A, A.power(2)),
    "compared": lambda s, A, B, x: (A != B, abs(A) > 1),
    "converted": lambda s, A, B, x: (A.tocoo(), A.tocsc(), A.tobsr((1, 1)), A.todok(), A.tolil()),
    "diagonals": lambda s, A, B, x: (A.diagonal(1), s.diags_array(x, dtype=x.dtype), A.trace()),
    "reshaped": lambda s, A, B, x: (A.reshape((-1, 2)), A.astype("c16"), A.nonzero()),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operations(name, dtype):
    for n, m in ((8, 6), (1, 4), (4, 6)):
        if name in ("parts", "extremes") and n == 1:
            continue
        x = np.arange(1, m + 1).astype(dtype)
        for kind in ("csr_array", "csc_array"):
            results = []
            for s in (sparse, sp):
                A, B = made(s, kind, n, m, 1, dtype, True), made(s, kind, n, m, 2, dtype, True)
                results.append(OPERATIONS[name](s, A, B, x))
            same(*results)


@pytest.mark.parametrize("name", ["product", "sum", "elements", "vector", "gram", "cancelled"])
def test_unordered_with_doubles(name):
    parts, shape = triples(7, 5, 3)
    order = np.argsort(parts[1][0], kind="stable")
    data, columns = parts[0][order], parts[1][1][order]
    indptr = np.searchsorted(parts[1][0][order], np.arange(8))
    results = []
    for s in (sparse, sp):
        A = s.csr_array((data.copy(), columns.copy(), indptr.copy()), shape=shape)
        results.append(OPERATIONS[name](s, A, A.copy(), np.arange(5.0)))
    got, want = results
    if sp.issparse(want):
        got, want = got.toarray(), want.toarray()
    same(got, want)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "u8", "f4", "g"])
def test_other_dtypes(dtype):
    """Those that SciPy computes itself, or that are mixed."""
    for f in (
        lambda A: A @ A.T,
        lambda A: A + A,
        lambda A: A @ np.ones(6, "f4"),
        lambda A: A.sum(),
    ):
        same(*(f(made(s, "csr_array", 8, 6, 1, dtype, True)) for s in (sparse, sp)))


def test_infinite_elements():
    for f in (lambda A, B: A.multiply(B), lambda A, B: A @ B, lambda A, B: A - B):
        results = []
        for s in (sparse, sp):
            A = s.csr_array(np.array([[np.inf, 0.0, 1.0], [0.0, np.nan, 0.0], [0.0, 0.0, 2.0]]))
            B = s.csr_array(np.array([[0.0, 1.0, 1.0], [np.inf, 0.0, 0.0], [0.0, 0.0, -0.0]]))
            results.append(f(A, B))
        assert np.array_equal(results[0].toarray(), results[1].toarray(), equal_nan=True)


def test_empty():
    for n, k, m in ((0, 5, 3), (5, 0, 3), (5, 3, 0), (4, 4, 4), (0, 0, 0)):
        results = []
        for s in (sparse, sp):
            A, B = s.csr_array((n, k)), s.csr_array((k, m))
            results.append((A @ B, A + A, A @ np.ones(k), A @ np.ones((k, 2)), A.multiply(A)))
        same(*results)


def test_matrices_multiply_by_stars():
    for f in (lambda A: A * A.T, lambda A: (A @ A.T) ** 2, lambda A: A * np.ones(6)):
        same(*(f(made(s, "csr_matrix", 8, 6, 1, summed=True)) for s in (sparse, sp)))


def test_vectors():
    for f in (lambda v, A: v @ v, lambda v, A: A @ v, lambda v, A: v + v):
        results = []
        for s in (sparse, sp):
            v = s.csr_array(np.array([0.0, 1.0, 2.0]))
            results.append(f(v, s.csr_array(np.eye(3))))
        same(*results)


ERRORS = [
    lambda s, A: A @ np.ones(7),
    lambda s, A: A @ A,
    lambda s, A: A + A.T,
    lambda s, A: A + 1,
    lambda s, A: A[99, 0],
    lambda s, A: bool(A),
    lambda s, A: s.csr_array(([1.0], ([9], [9])), shape=(2, 2)),
    lambda s, A: s.vstack([A, A.T]),
    lambda s, A: s.csr_array("text"),
]


@pytest.mark.parametrize("wrong", ERRORS)
def test_errors(wrong):
    with pytest.raises(Exception) as want:  # noqa: PT011
        wrong(sp, made(sp, "csr_array", 8, 6, 1))
    with pytest.raises(want.type):
        wrong(sparse, made(sparse, "csr_array", 8, 6, 1))


@pytest.mark.parametrize("cls", [f"{f}_{k}" for f in FORMATS for k in ("array", "matrix")])
def test_classes(cls):
    ours, base = getattr(sparse, cls), getattr(sp, cls)
    A = ours(np.eye(3))
    assert type(A) is ours and isinstance(A, base) and isinstance(base((2, 2)), ours)
    assert not isinstance(A, sparse.csr_array if A.format != "csr" else sparse.csc_array)
    for B in (A.T, A.copy(), copy.deepcopy(A), pickle.loads(pickle.dumps(A)), A.tocsr(), 2 * A):
        assert type(B).__module__ == "swathe.sparse"
    assert np.array_equal(pickle.loads(pickle.dumps(A)).toarray(), np.eye(3))
    assert sparse.issparse(A) and sparse.isspmatrix(A) == sp.isspmatrix(base((2, 2)))


def test_in_place():
    for s in (sparse, sp):
        A = made(s, "csr_array", 6, 6, 1)
        A.sum_duplicates()
        A.setdiag(0)
        A.eliminate_zeros()
        A[0, 5] = 7.0
        A *= 2
        if s is sparse:
            got = A
    same(got, A)


class Graph(sparse.csr_array):
    """A class of a user."""


def test_derived():
    A = Graph(np.eye(3))
    assert type(A) is Graph and type(A + A) is Graph and type(A @ A) is Graph
    assert isinstance(A, sparse.csr_array) and not isinstance(sparse.csr_array((3, 3)), Graph)


@swathe.njit
def gram(A):
    return A @ A.T


def test_compiled_functions():
    A = made(sparse, "csr_array", 8, 6, 1)
    C = gram(A)
    want = gram(sp.csr_array(A)).toarray()
    assert np.array_equal(C.toarray(), want) and sparse.issparse(C)
    for B in (sparse.csr_array(C), sparse.csr_matrix(C), sparse.coo_array(C.tocoo())):
        assert np.array_equal(B.toarray(), want)
    assert np.array_equal(sparse.vstack([C, C.tocsc()]).toarray(), np.vstack([want, want]))
    D = sparse.csr_array(C)
    for got in (D + C, D.multiply(2.0), D - (-C), D.maximum(C) + C, C + D):
        assert np.array_equal(got.toarray(), 2 * want)
    assert type(D + C) is type(D @ C) is type(D.multiply(C)) is type(D.dot(C)) is sparse.csr_array
    assert (D != C).nnz == 0
    assert np.array_equal((D @ C).toarray(), want @ want)
    assert np.array_equal((C @ D).toarray(), want @ want)


def test_linear_algebra():
    linalg = importlib.import_module("swathe.sparse.linalg")
    want = importlib.import_module("scipy.sparse.linalg")
    K = sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(20, 20), format="csc")
    S, b = sp.csc_array(K), np.arange(20.0)
    for f in (lambda m, A: m.spsolve(A, b), lambda m, A: m.cg(A, b), lambda m, A: m.inv(A),
              lambda m, A: m.splu(A).solve(b), lambda m, A: m.norm(A)):  # fmt: skip
        same(f(linalg, K), f(want, S))
    assert sparse.linalg is linalg and linalg.LinearOperator is want.LinearOperator
    assert set(linalg.__all__) == set(want.__all__)


def test_graphs():
    csgraph = importlib.import_module("swathe.sparse.csgraph")
    want = importlib.import_module("scipy.sparse.csgraph")
    A = abs(made(sparse, "csr_array", 12, 12, 5, summed=True))
    S = sp.csr_array(A)
    for f in (lambda m, A: m.connected_components(A), lambda m, A: m.dijkstra(A),
              lambda m, A: m.minimum_spanning_tree(A), lambda m, A: m.shortest_path(A),
              lambda m, A: m.breadth_first_order(A, 0)):  # fmt: skip
        got, expected = f(csgraph, A), f(want, S)
        if sp.issparse(expected):
            assert type(got).__module__ == "swathe.sparse"
            got, expected = got.toarray(), expected.toarray()
        same(got, expected)


def test_names():
    for name in sparse._SCIPY:
        assert getattr(sparse, name) is getattr(sparse, name)
        assert hasattr(sp, name) and name in dir(sparse)
    for module in (sparse, sparse.linalg, sparse.csgraph):
        with pytest.raises(AttributeError):
            module.no_such_name  # noqa: B018


def test_scipy_is_imported_when_asked_for():
    text = (
        "import sys, swathe.sparse as s\n"
        "assert 'scipy' not in sys.modules\n"
        "sys.modules['scipy'] = sys.modules['scipy.sparse'] = None\n"
        "try: s.csr_array\n"
        "except ImportError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "swathe.sparse.csr_array is SciPy's, which is not installed" in out.stdout
