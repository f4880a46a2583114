# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices: SciPy's as arguments of compiled functions, and swathe.sparse."""

import pickle

import numpy as np
import pytest

import swathe
from swathe import sparse

sp = pytest.importorskip("scipy.sparse")


def matrix(n, m, seed, dtype="f8", density=0.3):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, m)) < density, rng.integers(1, 9, (n, m)), 0)
    return sp.csr_array(dense.astype(dtype))


def dense(a):
    return a.toarray() if hasattr(a, "toarray") else np.asarray(a)


def same(got, want):
    got, want = dense(got), dense(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.array_equal(got, want)


A, B, C = matrix(9, 6, 1), matrix(6, 7, 2), matrix(9, 6, 3)
x, X = np.arange(6.0), np.arange(18.0).reshape(6, 3)


def times(a, b):
    return a @ b


def dot(a, b):
    return a.dot(b)


times_ = {p: swathe.njit(times, parallel=p) for p in (False, True)}


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_products(form, parallel):
    f = times_[parallel]
    a = A.asformat(form)
    for other in (x, X, X[:, ::-1], B, B.tocsc()):
        same(f(a, other), A @ other)
    for matrix_class in (sp.csr_matrix, sp.csr_array):
        same(f(matrix_class(A), x), A @ x)


@pytest.mark.parametrize("kind", ["?", "i1", "f4", "f8", "c16"])
def test_matrices_of_any_width(kind):
    """Columns are taken eight at a time, then four, then those that are left."""
    for m in range(18):
        y = np.arange(6 * m).reshape(6, m) % 5 - 2
        for other in (y.astype(kind), np.asfortranarray(y.astype(kind))):
            for parallel in (False, True):
                same(times_[parallel](A.astype("i1"), other), A.astype("i1") @ other)
    same(times_[False](A[:0], X), A[:0] @ X)


def test_blocks():
    b = matrix(12, 6, 4).tobsr((3, 2))
    for other in (x, X):
        same(times_[False](b, other), b @ other)
    same(swathe.njit(lambda b: b.toarray())(b), b.toarray())


OPERATIONS = {
    "plus": lambda a, b: a + b,
    "minus": lambda a, b: a - b,
    "product": lambda a, b: a.multiply(b),
    "scaled": lambda a, b: 3 * (a * 2.5),
    "transposed": lambda a, b: a.T @ b,
    "dense": lambda a, b: a.toarray(),
    "columns": lambda a, b: a.tocsc(),
    "diagonal": lambda a, b: a.diagonal(),
    "sum": lambda a, b: a.sum(),
    "sizes": lambda a, b: np.array([a.nnz, a.shape[0], a.shape[1], a.ndim]),
    "triples": lambda a, b: a.tocoo().toarray(),
    "coordinates": lambda a, b: a.tocoo().coords[0] - a.tocoo().coords[1],
}


@pytest.mark.parametrize("f", OPERATIONS.values(), ids=OPERATIONS)
def test_operations(f):
    """Compiled over SciPy's matrices, and over ours from Python."""
    same(swathe.njit(f)(A, C), f(A, C))
    same(f(sparse.csr(A), sparse.csr(C)), f(A, C))


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_elements(form):
    a, f = A.asformat(form), swathe.njit(lambda a, i, j: a[i, j])
    for i, j in ((0, 0), (3, 2), (-1, -1), (8, 5)):
        assert f(a, i, j) == A[i, j]
    for i, j in ((9, 0), (0, -7)):
        with pytest.raises(IndexError, match="out of range"):
            f(a, i, j)


def test_operators_are_no_tuples():
    t = A.tocoo()
    same(swathe.njit(lambda t: t + 2 * t)(t), 3 * A)
    same(swathe.njit(lambda t: t * 3 - t)(t), 2 * A)
    b = matrix(12, 6, 4).tobsr((3, 2))
    same(swathe.njit(lambda b: (2 * b).toarray())(b), (2 * b).toarray())
    same(swathe.njit(lambda b: b + b)(b), 2 * b)


def test_sums():
    f = swathe.njit(lambda a, axis: a.sum(axis=axis))
    for axis in (0, 1, -1):
        same(f(A, axis), A.sum(axis=axis))
        same(f(A.tocsc(), axis), A.sum(axis=axis))


@pytest.mark.parametrize("dtype", ["f4", "i4", "c16", "i8"])
def test_dtypes(dtype):
    a = matrix(5, 4, 5, dtype)
    for other in (np.arange(4, dtype="f8"), np.arange(4, dtype="i4")):
        same(times_[False](a, other), a @ other)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (0, 0)])
def test_small(shape):
    a = matrix(*shape, 6, density=0.0)
    same(times_[False](a, np.ones(shape[1])), a @ np.ones(shape[1]))
    same(times_[False](a, a.T.tocsr()), a @ a.T)
    same(sparse.from_dense(a.toarray()), a)


def test_elements_twice_at_a_place():
    t = sp.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    same(swathe.njit(lambda t: t.tocsr())(t), t.tocsr())
    assert swathe.njit(lambda t: t.tocsr().nnz)(t) == 2
    same(times_[False](t, np.array([1.0, 10.0])), t @ np.array([1.0, 10.0]))


def test_memory_is_shared():
    @swathe.njit
    def double(a):
        for i in range(a.shape[0]):
            for k in range(a.indptr[i], a.indptr[i + 1]):
                a.data[k] *= 2

    a = A.copy()
    double(a)
    same(a, 2 * A)
    ours = sparse.csr(a)
    assert ours.data is a.data
    assert np.shares_memory(ours.to_scipy().data, a.data)
    same(sparse.csr(a.tocsc()).to_scipy(), a)


def test_rows():
    @swathe.njit
    def f(a, x):
        s = 0.0
        for i in range(a.shape[0]):
            columns, values = a.row(i)
            for j, v in zip(columns, values):
                s += v * x[j]
        return s

    assert f(A, x) == (A @ x).sum()
    with pytest.raises(IndexError, match="row index out of range"):
        sparse.csr(A).row(9)


def test_in_containers_and_globals():
    same(swathe.njit(lambda x: A @ x)(x), A @ x)
    same(swathe.njit(lambda p, x: p[0] @ x + p[1])((A, 2.0), x), A @ x + 2.0)


def test_wrong():
    with pytest.raises(ValueError, match="dimension mismatch"):
        times_[False](A, np.ones(3))
    with pytest.raises(ValueError, match="dimension mismatch"):
        times_[False](A, A)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        sparse.csr(A) + sparse.csr(B)
    with pytest.raises(TypeError, match="takes a sparse matrix"):
        sparse.csr("no")
    bad = sparse.CSR(np.ones(1), np.array([5], np.int32), np.array([0, 1]), (1, 2))
    with pytest.raises(IndexError):
        bad @ np.ones(2)
    with pytest.raises(IndexError, match="column"):
        bad @ np.ones((2, 3))
    with pytest.raises(ValueError, match="index pointer"):
        sparse.CSR(np.ones(1), np.array([0]), np.array([0, 2]), (1, 2)) @ np.ones((2, 3))
    with pytest.raises(swathe.errors.CompileError, match="determinant"):
        swathe.njit(lambda a: a.determinant())(A)


ways = {
    "quotient": lambda a, x, D: a / 4,
    "negative": lambda a, x, D: -abs(-a) - a,
    "powers": lambda a, x, D: a.power(2).astype(np.float32),
    "dense sums": lambda a, x, D: (a + D - (D - a)) - 2.0 * a.toarray(),
    "from the left": lambda a, x, D: (np.float64(2) * a, x[:9] @ a, D.T @ a, 0 + a, a - 0),
    "products": lambda a, x, D: (a.multiply(x[:6]), a.multiply(D), a.multiply(D[:, :1])),
    "means": lambda a, x, D: (a.mean(), a.mean(axis=0), a.mean(1), a.max(), a.min(), a.trace()),
    "diagonals": lambda a, x, D: (a.diagonal(1), a.diagonal(k=-2), a.diagonal(9)),
    "rows": lambda a, x, D: (a[1:4], a[::-2], a[np.array([3, 3, -1])], a[x[:9] > 3]),
    "parts": lambda a, x, D: (a[1:7, 2:], a[:, ::-1], a[np.array([0, 8]), :3]),
    "columns": lambda a, x, D: (a[:, np.array([5, 0, 0])], a[:0, :0]),
    "counts": lambda a, x, D: np.array([a.nnz, a.count_nonzero()]),
    "forms": lambda a, x, D: (a.tocsr(), a.tocsc(), a.tocoo(), a.T, a.todense(), a.copy().conj()),
}  # fmt: skip
ways_ = {name: swathe.njit(f) for name, f in ways.items()}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_all_forms(form):
    """Sums and parts of each form, of elements that are twice at a place, and out of order."""
    if form == "coo":
        a = sp.coo_array(([4.0, 1.0, -2.0, 3.0, 1.0], ([8, 3, 8, 0, 3], [5, 2, 5, 1, 3])), (9, 6))
    else:
        a = A.tobsr((3, 2)) if form == "bsr" else A.asformat(form)
    v, dense_one = np.arange(9.0), np.arange(54.0).reshape(9, 6) % 5
    turn = ["csr", "coo", "csc", "bsr"].index(form)
    for k, (name, f) in enumerate(ways.items()):
        if (k + turn) % 4 > (form == "coo"):
            continue  # pairwise
        if form == "bsr" and name in ("rows", "parts", "columns"):
            with pytest.raises(NotImplementedError, match="tocsr"):
                ways_[name](a, v, dense_one)
            continue
        got, want = ways_[name](a, v, dense_one), f(a, v, dense_one)
        for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
            assert dense(g).dtype == dense(w).dtype and np.allclose(dense(g), dense(w)), name


def test_parts_from_python():
    a = sparse.csr(A)
    for key in (np.s_[1:4], np.s_[::-1, ::2], np.array([2, -1])):
        for of in (a, a.tocsc()):
            same(of[key], A[key])
    same(pickle.loads(pickle.dumps(a)), A)


def test_in_place():
    @swathe.njit
    def scaled(a):
        a *= 6.0
        a /= 2.0
        return a

    for form in ("csr", "coo"):
        a = A.asformat(form).copy()
        same(scaled(a), 3 * A)
        same(a, 3 * A)


def test_indices_of_64_bits():
    a = A.copy()
    a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    same(times_[False](a, B), A @ B)
    same(ways_["columns"](a, x, X)[0], A[:, [5, 0, 0]])


def test_a_reversed_difference_of_unsigned():
    a, d = sp.csr_array(np.array([[200, 0]], np.uint8)), np.array([[1, 300]])
    same(swathe.njit(lambda a, d: d - a)(a, d), d - a)


NO_TUPLES = [
    (lambda a, x: len(a), TypeError, "length of a sparse matrix"),
    (lambda a, x: bool(a), Exception, "bool"),
    (lambda a, x: 1 if a else 2, Exception, "truth value"),
    (lambda a, x: a == 0, TypeError, "comparisons of sparse"),
    (lambda a, x: a < a, TypeError, "comparisons of sparse"),
    (lambda a, x: [r for r in a], Exception, "__iter__"),
    (lambda a, x: tuple(a), Exception, "__iter__"),
    (lambda a, x: 1.0 in a, Exception, "__contains__"),
    (lambda a, x: np.sum(a), Exception, "__iter__"),
    (lambda a, x: np.sqrt(a), Exception, "__iter__"),
    (lambda a, x: a * x, TypeError, "multiply"),
    (lambda a, x: a * a, TypeError, "multiply"),
    (lambda a, x: a + 1, NotImplementedError, "no sparse sum"),
    (lambda a, x: a @ 2.0, ValueError, "vectors and matrices"),
    (lambda a, x: a.power(0), NotImplementedError, "above 0"),
    (lambda a, x: a.multiply(x[:3]), ValueError, "broadcast"),
]


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_a_matrix_is_no_tuple(form):
    """What a tuple would do with an operator or a loop is never done."""
    a, v = A.asformat(form), np.ones(A.nnz)  # as many as are stored
    for f, error, match in NO_TUPLES:
        with pytest.raises(error, match=match):
            swathe.njit(f)(a, v)
    a, b = sparse.csr(a), np.ones(4)
    for f in (len, bool, list, lambda a: a == a, lambda a: 1 in a, lambda a: b * a, hash):
        with pytest.raises((TypeError, ValueError)):
            f(a)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_wrong_parts(form):
    a = A.asformat(form)
    for f, match in (
        (lambda a: a[1], "row"),
        (lambda a: a[:, 2], "row"),
        (lambda a: a[np.array([9])], "out of bounds"),
        (lambda a: a[:, np.array([True])], "boolean index"),
        (lambda a: a[np.array([0]), np.array([1])], "two arrays of places"),
        (lambda a: a[np.ones((9, 6)) > 0], "one axis"),
    ):
        with pytest.raises(IndexError, match=match):
            swathe.njit(f)(a)


class Series:
    def __init__(self, x, step):
        self.x, self.step = np.asarray(x), step


class Derived(Series):
    pass


def test_classes_of_others():
    from typing import NamedTuple

    class Parts(NamedTuple):
        x: np.ndarray
        step: float

        def integral(self):
            return self.x.sum() * self.step

        @staticmethod
        def _swathe_restored(parts):
            return Series(parts.x, parts.step)

    @swathe.njit
    def halved(s, by):
        s.x[0] = 7
        return Parts(s.x[::2], by * s.step)

    s = Series([1.0, 2.0, 3.0], 0.5)
    assert halved(s, 2).x.tolist() == [7.0, 3.0]  # as an object of a plain class
    swathe.register_class(Series, lambda s: Parts(s.x, s.step))
    r = halved(s, 2)
    assert type(r) is Series and r.x.tolist() == [7.0, 3.0] and r.step == 1.0 and s.x[0] == 7
    assert swathe.njit(lambda s: s.integral())(Derived([1.0, 2.0], 2.0)) == 6.0
    swathe.register_class(Derived, lambda s: s)
    with pytest.raises(TypeError, match="no value of compiled code either"):
        halved(Derived([1.0], 1.0), 2)
    swathe.register_class(Derived, lambda s: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        halved(Derived([1.0], 1.0), 2)


@pytest.mark.parametrize("cls, view", [(int, len), (object, len), (3, len), (Series, 3)])
def test_no_class_to_register(cls, view):
    with pytest.raises(TypeError):
        swathe.register_class(cls, view)


@pytest.mark.parametrize("dtype", ["i1", "?"])
def test_sums_of_narrow_integers(dtype):
    @swathe.njit
    def sums(a):
        return a.sum(0), a.sum(1), a.sum(-1), a.sum(), (a + a).toarray()

    for make in (sp.csr_array, sp.csc_array):
        a = make(np.array([[100, 100], [100, 0], [100, 1]]).astype(dtype))
        for got, want in zip(sums(a), sums.py_func(a), strict=True):
            same(got, want)
    with pytest.raises(ValueError):
        sparse.csr(a).tocsc().sum(2)


@swathe.njit
def same_matrix(a):
    """What compiled code takes a matrix for, in Python."""
    return a


def functions(a):
    found = [
        abs(a).sqrt(),
        a.sin(),
        a.tan(),
        a.arcsin(),
        a.arctan(),
        a.sinh(),
        a.tanh(),
        a.arcsinh(),
        a.arctanh(),
        a.expm1(),
        a.log1p(),
        a.sign(),
        a.floor(),
        a.ceil(),
        a.trunc(),
        a.rint(),
        a.deg2rad(),
        a.rad2deg(),
    ]
    return [b.toarray() for b in found]


functions_ = swathe.njit(functions)


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_functions_of_elements(form):
    """Of what is stored, after what is twice at one place is added up, compiled and from Python."""
    data, row, col = np.array([0.25, 0.5, -0.5, 0.125]), [0, 2, 1, 2], [1, 0, 3, 0]
    a = sp.coo_array((data, (row, col)), shape=(3, 4)).asformat(form)
    want = functions(a.tocsr())
    for got in (functions_(a), functions(same_matrix(a))):
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_where_elements_are(form):
    a = A.asformat(form)
    a.data[0] = 0.0

    @swathe.njit
    def where(a):
        return a.nonzero()

    want = set(zip(*[k.tolist() for k in a.nonzero()], strict=True))
    for got in (where(a), same_matrix(a).nonzero()):
        assert set(zip(*[k.tolist() for k in got], strict=True)) == want
        assert len(got[0]) == len(want) == np.count_nonzero(a.toarray())
