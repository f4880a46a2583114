# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices whose rows are in order, out of order, with doubles, with far more columns than
elements, and with rows that are full."""

import numpy as np
import pytest

import swathe
from swathe import sparse

sp = pytest.importorskip("scipy.sparse")


def matrix(n, m, count, seed, index=np.int32, messy=False):
    """Small whole numbers at random places; `messy` leaves them as they come, twice among them."""
    rng = np.random.default_rng(seed)
    row, col = np.sort(rng.integers(0, n, count)), rng.integers(0, m, count)
    data = rng.integers(-3, 4, count).astype(float)
    indptr = np.searchsorted(row, np.arange(n + 1))
    a = sp.csr_array((data, col.astype(index), indptr.astype(index)), shape=(n, m))
    if not messy:
        a.sum_duplicates()
    return a


def same(got, want):
    """Elements as SciPy has them, stored where it stores them."""
    found = got.to_scipy()
    assert np.array_equal(found.toarray(), want.toarray())
    assert found.nnz == want.nnz
    assert not want.nnz or found.indices.dtype == found.indptr.dtype == want.indices.dtype


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("messy", [False, True])
def test_pairs(messy, index):
    for n, m, count in ((40, 70, 300), (3, 40, 90), (300, 200, 9000), (5, 4, 0), (7, 1, 30)):
        a, b = (matrix(n, m, count, k, index, messy) for k in (1, 2))
        c = matrix(m, n, count, 3, index, messy)
        p, q, r = sparse.csr(a), sparse.csr(b), sparse.csr(c)
        same(p + q, a + b)
        same(p - q, a - b)
        same(p - p, a - a)
        same(p.multiply(q), a.multiply(b))
        same(p @ r, a @ c)
        same((p @ r).sorted(), (a @ c).sorted_indices())
        same(sparse.matmul(p, r), a @ c)
        assert (p.max(), p.min(), p.count_nonzero()) == (a.max(), a.min(), a.count_nonzero())
        assert np.array_equal(abs(p).toarray(), abs(a).toarray())


def test_rows_in_order():
    for count in (0, 50, 3000):
        a = matrix(30, 60, count, 4, messy=True)
        want = a.copy()
        want.sum_duplicates()
        for found in (sparse.csr(a).sorted(), sparse.csr(want).sorted()):
            assert np.array_equal(found.indptr, want.indptr)
            assert np.array_equal(found.indices, want.indices)
            assert np.array_equal(found.data, want.data)
            found.data[:] = 1e9
        assert 1e9 not in want.data and 1e9 not in a.data


@pytest.mark.parametrize("ordered", [False, True])
def test_triples(ordered):
    rng = np.random.default_rng(5)
    row, col, data = rng.integers(2, 38, 200), rng.integers(0, 9, 200), rng.random(200)
    if ordered:
        row.sort()
    for k in (200, 1, 0):
        t = sp.coo_array((data[:k], (row[:k], col[:k])), shape=(40, 9))
        found = swathe.njit(lambda t: t.tocsr())(t)
        assert np.array_equal(found.indptr, t.tocsr().indptr)
        assert np.allclose(found.toarray(), t.toarray(), rtol=1e-14)
    for i, j, error in ((-1, 0, ValueError), (1, 9, ValueError), (1, -1, ValueError)):
        with pytest.raises(error):
            sparse.COO(np.ones(2), np.array([i, 1]), np.array([0, j]), (40, 9)).tocsr()


def test_far_more_columns_than_elements():
    m = 3 * 10**9
    indices, indptr = np.array([5, m - 1, 7, 5]), np.array([0, 2, 4])
    a = sparse.CSR(np.array([1.0, 2.0, 3.0, 4.0]), indices, indptr, (2, m))
    assert (a + a)[0, m - 1] == 4.0 and (a.multiply(a))[1, 5] == 16.0
    assert a.sorted().indices.tolist() == [5, m - 1, 5, 7]
    b = sparse.csr(np.array([[0.0, 1.0], [1.0, -1.0]])) @ a
    assert b.shape == (2, m) and b.indices.tolist() == [5, 7, 5, 7, m - 1]
    assert b.data.tolist() == [4.0, 3.0, -3.0, -3.0, 2.0]
    least = sparse.matmul(sparse.csr(np.ones((1, 2))), a, "min.plus")
    assert least.indices.tolist() == [5, 7, m - 1] and least.data.tolist() == [2.0, 4.0, 3.0]


def test_what_is_no_matrix():
    a = matrix(6, 6, 20, 6)
    for part, value, error in (("indices", 9, IndexError), ("indices", -1, IndexError),
                               ("indptr", 19, Exception), ("indptr", -3, Exception)):  # fmt: skip
        bad = a.copy()
        getattr(bad, part)[2] = value
        p, q = sparse.csr(bad), sparse.csr(a)
        for f in (p.sorted, lambda p=p, q=q: p + q, lambda p=p, q=q: q.multiply(p),
                  lambda p=p, q=q: p @ q, lambda p=p, q=q: q @ p):  # fmt: skip
            with pytest.raises(error):
                f()


def test_parts_that_are_too_short():
    a = sparse.csr(matrix(6, 6, 20, 6))
    for data, indices, indptr, shape in (
        (a.data[:-1], a.indices, a.indptr, a.shape),
        (a.data, a.indices[:-1], a.indptr, a.shape),
        (a.data, a.indices, a.indptr[:-1], a.shape),
        (a.data, a.indices, a.indptr, (9, 6)),
    ):
        bad = sparse.CSR(data, indices, indptr, shape)
        for f in (
            lambda a, b: b + b,
            lambda a, b: b.multiply(b),
            lambda a, b: b.sorted(),
            lambda a, b: a @ b if b.shape == a.shape else b @ a,
            lambda a, b: b @ a,
        ):
            with pytest.raises((IndexError, ValueError)):
                f(a, bad)


def test_what_is_twice_is_added_in_the_results_dtype():
    twice = sp.csr_array((np.array([200, 100, 7], np.uint8), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    for kind in ("f4", "i8", "u1"):
        b = sp.csr_array(np.array([[0, 3], [7, 1]], kind))
        for f in (lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a.multiply(b)):
            got, want = f(sparse.csr(twice), sparse.csr(b)).to_scipy(), f(twice, b)
            assert got.dtype == want.dtype and np.array_equal(got.toarray(), want.toarray())


def test_products_of_what_is_infinite():
    """0 times it is NaN, also where the other matrix has nothing."""
    a = sp.csr_array(([np.nan, np.inf, 2.0, 3.0], [0, 1, 2, 3], [0, 4, 4]), shape=(2, 5))
    b = sp.csr_array(([1.0, 1.0, 4.0], [2, 4, 1], [0, 2, 3]), shape=(2, 5))
    for kind in ("f8", "c8"):
        for x, y in ((a.astype(kind), b), (b, a.astype(kind)), (b, b)):
            got, want = sparse.csr(x).multiply(sparse.csr(y)).to_scipy(), x.multiply(y)
            assert got.nnz == want.nnz
            assert np.array_equal(got.toarray(), want.toarray(), equal_nan=True)


def test_differences_of_bools():
    a, b = (sp.csr_array(np.array(x, bool)) for x in ([[1, 1, 0, 0]], [[1, 0, 1, 0]]))
    for p, q in ((a, b), (b, a)):
        got = (sparse.csr(p) - sparse.csr(q)).to_scipy()
        assert got.dtype == np.bool_ and got.toarray().tolist() == [[False, True, True, False]]


def test_semirings_of_matrices():
    for n, count in ((40, 100), (12, 130)):  # rows of few terms, and full ones
        a, b = matrix(n, n, count, 7), matrix(n, n, count, 8)
        stored_a, stored_b = (np.isin(np.arange(n * n), np.ravel_multi_index(
            x.tocoo().coords, (n, n))).reshape(n, n) for x in (a, b))  # fmt: skip
        far = np.where(stored_a, a.toarray(), np.inf)[:, :, None] + np.where(
            stored_b, b.toarray(), np.inf)  # fmt: skip
        got = sparse.matmul(sparse.csr(a), sparse.csr(b), "min.plus").to_scipy()
        assert got.nnz == np.count_nonzero(far.min(axis=1) < np.inf)
        want = np.where(far.min(axis=1) < np.inf, far.min(axis=1), 0.0)
        assert np.array_equal(got.toarray(), want)
        ored = sparse.matmul(sparse.csr(a), sparse.csr(b), "or.and").to_scipy()
        assert np.array_equal(ored.toarray(), (a.toarray() != 0) @ (b.toarray() != 0))


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_elements_at_the_same_places(dtype):
    """Matrices that need no merging, and some that only seem so: the last element is elsewhere, or
    an element becomes 0, or is infinite."""
    for n, m, count in ((0, 3, 0), (1, 1, 1), (40, 30, 90), (500, 400, 3000)):
        a = matrix(n, m, count, 1)
        a.data = np.where(a.data == 0, 1, np.abs(a.data)).astype(dtype)
        thrice, elsewhere, odd = a.copy(), a.copy(), a.astype(dtype)
        thrice.data = (thrice.data * 3).astype(dtype)
        if a.nnz > 1:
            row = np.searchsorted(elsewhere.indptr, a.nnz) - 1
            free = np.setdiff1d(np.arange(m), a.indices[a.indptr[row] :])
            elsewhere.indices[-1] = free[-1]
            odd.data[0] = np.nan if dtype == "float64" else 0
        for b in (a, thrice, elsewhere, odd):
            for p, q, forms in ((a, b, "csr"), (b, a, "csr"), (a, b, "csc")):
                p, q = p.asformat(forms), q.asformat(forms)
                pairs = [(sparse.csr(p) + q, p + q), (sparse.csr(p).multiply(q), p.multiply(q))]
                if dtype != "bool":
                    pairs.append((sparse.csr(p) - q, p - q))
                for got, want in pairs:
                    got, want = got.to_scipy().tocsr(), want.tocsr()
                    assert got.dtype == want.dtype and got.nnz == want.nnz
                    found = got.toarray(), want.toarray()
                    assert np.array_equal(*found, equal_nan=True)


@swathe.njit
def turned(A):
    return A.T.tocsr().toarray()


@swathe.njit
def listed(A):
    return A.tocoo().toarray()


@swathe.njit
def opened(A):
    return A.tocsr().toarray()


@pytest.mark.parametrize("f", [turned, listed, opened])
def test_rows_that_do_not_lie_one_after_another(f):
    """What no loop over them would write is not read."""
    a = matrix(6, 8, 30, 1)
    if f is opened:
        a = sp.bsr_array(a, blocksize=(2, 2))
    want = f(a)
    assert np.array_equal(want, (a.T if f is turned else a).toarray())
    for at, value, text in ((0, 1, "start with 0"), (1, a.indptr[2] + 1, "non-decreasing")):
        a.indptr[at], before = value, a.indptr[at]
        with pytest.raises(ValueError, match=text):
            f(a)
        a.indptr[at] = before
    assert np.array_equal(f(a), want)
