# SPDX-License-Identifier: BSD-3-Clause
"""Factors of matrices: by NumPy's LAPACK and by our own loops, which may choose other vectors, so
that what is compared is what they multiply to. And products whose form a string or tuples say."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import numpy.linalg as la
import pytest
from numpy.linalg import LinAlgError

import swathe

FACTORS = """
import os
import numpy as np
import swathe

la = np.linalg

@swathe.njit
def general(a):
    q, r = la.qr(a)
    full, alone = la.qr(a, "complete"), la.qr(a, mode="r")
    return q, r, full, alone, la.svd(a), la.svd(a, False), la.svdvals(a)

@swathe.njit
def hermitian(a):
    return la.eigh(a), la.eigh(a, "U"), la.svd(a, hermitian=True), la.eigvalsh(a)

@swathe.njit
def square(a):
    return la.eig(a), la.eigvals(a), la.slogdet(a)

@swathe.njit
def least(a, b):
    return la.lstsq(a, b), la.pinv(a)

def near(x, y, scale=1.0):
    x, y = np.asarray(x), np.asarray(y)
    assert x.shape == y.shape, (x.shape, y.shape)
    limit = (3e-5 if x.dtype.char in "fF" else 1e-12) * max(scale, 1.0)
    assert np.all(np.abs(x - y) <= limit), (x, y)

def adjoint(x):
    return x.swapaxes(-1, -2).conj()

def orthonormal(q):
    near(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *q.shape[-1:] * 2)))

def drawn(shape, dtype):
    a = rng.standard_normal(shape) * 2
    return (a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)

def check_general(a):
    size = np.abs(a).max(initial=0) * 10
    k = min(a.shape[-2:])
    q, r, full, alone, svd, thin, s = general(a)
    want = la.svd(a)
    assert type(svd) is type(want) and type(full) is type(la.qr(a))
    for x, y in ((q, r), full):
        orthonormal(x)
        near(x @ y, a, size)
        assert (np.tril(y, -1) == 0).all() and x.dtype == y.dtype == a.dtype
    near(alone, r)
    for u, w, vh in (svd, thin):
        orthonormal(u)
        orthonormal(adjoint(vh))
        near((u[..., :k] * w[..., None, :]) @ vh[..., :k, :], a, size)
        near(w, want.S, size)
        assert w.dtype == want.S.dtype
    near(s, want.S, size)
    assert svd.U.shape == want.U.shape and svd.Vh.shape == want.Vh.shape

def check_square(a):
    size = np.abs(a).max(initial=0) * 10
    h = a + adjoint(a)
    lower, upper, svd, w = hermitian(h)
    assert type(lower) is type(la.eigh(h))
    for values, v in (lower, upper):
        near(values, w, size)
        orthonormal(v)
        near(h @ v, v * values[..., None, :], size)
    near((svd.U * svd.S[..., None, :]) @ svd.Vh, h, size)
    (values, v), alone, (sign, log) = square(a)
    near(a @ v, v * values[..., None, :], size)
    near(np.sort_complex(alone), np.sort_complex(values), size)
    near(np.sort_complex(np.round(values, 3)), np.sort_complex(np.round(la.eigvals(a), 3)), 1e9)
    near(np.sum(np.abs(v) ** 2, axis=-2), np.ones(values.shape))
    assert values.dtype == v.dtype == (a + 0j).dtype
    near(sign, la.slogdet(a)[0])
    near(log, la.slogdet(a)[1], 100)

def check_least(a, b):
    (x, left, rank, s), inverse = least(a, b)
    want = la.lstsq(a, b)
    for got, y in zip((x, left, rank, s), want):
        near(got, y, 100)
        assert np.asarray(got).dtype == np.asarray(y).dtype, (got, y)
    near(inverse, la.pinv(a), 100)

rng = np.random.default_rng(7)
for dtype in ("f8", "c16", "f4", "c8"):
    for shape in ((1, 1), (3, 3), (5, 3), (3, 5), (2, 4, 2), (40, 25), (0, 3), (3, 0), (2, 0, 0)):
        a = drawn(shape, dtype)
        check_general(a)
        if shape[-1] == shape[-2]:
            check_square(a)
        if min(shape) > 2 and a.ndim == 2:
            a[:, 1] = a[:, 0]
            check_general(a)
            check_general(a * 0)
    check_square(drawn((2, 12, 12), dtype))
    check_square(np.eye(4).astype(dtype))
    check_square(np.triu(drawn((5, 5), dtype)))
    check_square(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]).astype(dtype))
    for shape in ((4, 4), (7, 3), (3, 7)):
        a = drawn(shape, dtype)
        for right in (shape[:1], (shape[0], 2), (shape[0], 0)):
            check_least(a, drawn(right, dtype))
        a[:, 1] = a[:, 0]
        check_least(a, drawn((shape[0], 2), dtype))
for f in (la.eigh, la.svd, la.svdvals):
    try:
        swathe.njit(lambda a: f(a))(np.full((3, 3), np.nan))
        assert False
    except la.LinAlgError as e:
        assert "did not converge" in str(e)
print("fine")
"""


@pytest.mark.parametrize("which", ["own", "loaded"])
def test_factors_multiply_to_the_matrix(which):
    env = {**os.environ, "SWATHE_CACHE_SIZE": "0", "SWATHE_LAPACK": which}
    ran = subprocess.run(
        [sys.executable, "-c", FACTORS], capture_output=True, text=True, timeout=600, env=env
    )
    assert ran.returncode == 0 and ran.stdout == "fine\n", ran.stderr[-3000:]


def test_vectors_are_numpys_where_its_lapack_is_found():
    if not any("openblas" in line for line in open("/proc/self/maps")):
        pytest.skip("NumPy has another LAPACK here")

    def f(a):
        return la.eig(a + 1j), la.eigh(a), la.svd(a), la.qr(a), la.lstsq(a, a[0])[0]

    a = np.random.default_rng(5).random((30, 30))
    want, got = f(a), swathe.njit(f)(a)
    for x, y in zip(got, want, strict=True):
        np.testing.assert_array_equal(
            np.concatenate([np.ravel(part) for part in x]),
            np.concatenate([np.ravel(part) for part in y]),
        )


def test_real_matrices_have_complex_eigenvalues():
    f = swathe.njit(lambda a: (np.linalg.eig(a), np.linalg.eigvals(a), np.roots(a[0])))
    a = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 4.0], [0.0, 4.0, 9.0]])
    (w, v), alone, roots = f(a)
    assert w.dtype == v.dtype == alone.dtype == roots.dtype == np.complex128
    np.testing.assert_array_equal(w, np.linalg.eig(a)[0])
    np.testing.assert_array_equal(v, np.linalg.eig(a)[1])
    np.testing.assert_array_equal(alone, np.linalg.eigvals(a))
    np.testing.assert_allclose(roots, np.roots(a[0]))


@pytest.mark.parametrize("p", [[1.0, -6, 11, -6], [0.0, 2, 4, 0, 0], [3.0], [0.0, 0.0], [1, 0, 1]])
def test_roots(p):
    p = np.array(p)
    got = swathe.njit(lambda p: np.roots(p))(p)
    np.testing.assert_allclose(got, np.roots(p), atol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.linalg.eigh(a[:, :2]),
        lambda a: np.linalg.eig(a[0]),
        lambda a: np.linalg.eigvals(a * np.inf),
        lambda a: np.linalg.qr(a, "q"),
        lambda a: np.linalg.svd(a[0]),
        lambda a: np.linalg.lstsq(a, a[:2]),
        lambda a: np.linalg.lstsq(a, a[None]),
        lambda a: np.linalg.matrix_power(a[:2], 2),
        lambda a: np.linalg.matrix_power(a * 0, -1),
        lambda a: np.linalg.cond(a[:0]),
        lambda a: np.linalg.eigh(a, "x"),
        lambda a: np.linalg.multi_dot((a,)),
        lambda a: np.linalg.multi_dot((a, a[None], a)),
        lambda a: np.linalg.outer(a, a),
        lambda a: np.linalg.cross(a[:, :2], a[:, :2]),
        lambda a: np.linalg.norm(a, "x"),
        lambda a: np.linalg.norm(a[0], "nuc"),
        lambda a: np.polyfit(a[0], a[0], -1),
        lambda a: np.polyfit(a, a[0], 1),
        lambda a: np.polyfit(a[0], a[0, :2], 1),
        lambda a: np.roots(a),
        lambda a: np.tensordot(a, a, ((0, 0), (0, 1))),
        lambda a: np.tensordot(a, a[:2], 1),
        lambda a: np.matrix_transpose(a[0]),
        lambda a: np.einsum("ii->i", a[:2]),
        lambda a: np.einsum("...ij->ij", a[None]),
    ],
)
def test_errors_are_numpys(f):
    a = np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])
    with pytest.raises(Exception) as want:
        f(a)
    with pytest.raises(want.type) as got:
        swathe.njit(f)(a)
    assert str(got.value).split("\n")[0] == str(want.value).split("\n")[0]


A = np.arange(12.0).reshape(3, 4) % 5
B = np.arange(12).reshape(4, 3) % 7 * (1 - 2j)
C = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "f",
    [
        lambda: np.einsum("ij->ji", A),
        lambda: np.einsum(A, [0, 1], B, [1, 2], [0, 2]),
        lambda: np.einsum(A, [0, 1], B, [1, 2]),
        lambda: np.einsum(A, [27, 3], optimize=True),
        lambda: np.einsum(A, (1, 0)),
        lambda: np.einsum(A[:, 1:], [0, 0], []),
        lambda: np.einsum(C, [0, ...], [..., 0]),
        lambda: np.einsum("ij", A),
        lambda: np.einsum("ba", A),
        lambda: np.einsum("ij->", A),
        lambda: np.einsum("ii", A[:, 1:]),
        lambda: np.einsum("ii->i", A[:, 1:]),
        lambda: np.einsum("ij->j", A),
        lambda: np.einsum("kij,jl->kil", C, B),
        lambda: np.einsum("kij,ij->k", C, A),
        lambda: np.einsum("ij,ij->ij", A, A),
        lambda: np.einsum("i,j", A[0], A[1]),
        lambda: np.einsum("i,i", A[0], A[1]),
        lambda: np.einsum("aij,bij->ab", C, C),
        lambda: np.einsum("bij,bij->b", C, C),
        lambda: np.einsum("iij->j", C[:, :2]),
        lambda: np.einsum("ij,jk,kl->il", A, B, A),
        lambda: np.einsum(" ij , jk -> ik ", A, B),
        lambda: (np.einsum("...ij,...jk->...ik", C, B), np.einsum("...ij,...jk->...ik", A, B)),
        lambda: (np.einsum("...i,...j", A[:2], C[:, 0]), np.einsum("b...a", C)),
        lambda: (np.einsum("i...i", C[:, :, :2]), np.einsum("...aA->...Aa", A)),
        lambda: (np.einsum("... i , i -> ...", A, A[0]), np.einsum("...->...", A[0, 0])),
        lambda: np.einsum("...i,ij,...j->...", C, B @ A, A, optimize=True),
        lambda: (np.dot(C, A[0]), A.dot(B), np.dot(A[0], C.transpose(0, 2, 1)), C.dot(B)),
        lambda: (np.dot(C, C.transpose(0, 2, 1)), np.dot(C[:, :0], B), np.dot(C[..., :0], B[:0])),
        lambda: (
            np.dot(C.T, C[0, :2, 1]),
            np.dot(C > 5, B.real > 3),
            np.dot(C, 2),
            np.dot(A, C.transpose(0, 2, 1)),
        ),
        lambda: np.dot(C, B, out=np.zeros((2, 3, 3), complex)),
        lambda: np.tensordot(C, A, ((1, 2), (0, 1))),
        lambda: np.tensordot(C, B, 1),
        lambda: np.tensordot(C, C, 0),
        lambda: np.tensordot(C, C, ((0, 2), (0, 2))),
        lambda: np.tensordot(A, A, (1, 1)),
        lambda: np.tensordot(A, A),
        lambda: np.linalg.multi_dot([A, B, A, B, A]),
        lambda: np.linalg.multi_dot([A[0], B, A, B[:, 0]]),
        lambda: np.linalg.multi_dot((A, B, A[:, 0])),
        lambda: np.linalg.multi_dot([A, B]),
        lambda: np.linalg.matrix_power(A[:, 1:], 5),
        lambda: np.linalg.matrix_power(A[:, 1:].astype(int), 10),
        lambda: np.linalg.norm(A, "nuc"),
        lambda: np.linalg.norm(C, 2, axis=(0, 2), keepdims=True),
        lambda: np.linalg.norm(A, "fro"),
        lambda: np.linalg.cond(C[:, :, 1:]),
        lambda: np.linalg.cond(A[:, 1:] + np.eye(3), np.inf),
        lambda: np.linalg.cond(np.zeros((2, 2))),
        lambda: np.linalg.cond(np.zeros((2, 2)), 1),
        lambda: np.linalg.vector_norm(C, axis=(0, 2), keepdims=True),
        lambda: np.linalg.vector_norm(C, keepdims=True),
        lambda: np.linalg.slogdet(np.zeros((2, 2))),
        lambda: np.linalg.slogdet(-np.eye(3, dtype=np.float32)),
        lambda: np.linalg.pinv(A, 0.1),
        lambda: np.linalg.pinv(A[:, 1:] + A[:, 1:].T, hermitian=True),
        lambda: np.linalg.eigh(A[:, 1:] + A[:, 1:].T).eigenvalues,
        lambda: np.polyfit(A[0], A[1], 1, w=A[0] + 1),
        lambda: np.polyfit(np.arange(9.0), np.sin(np.arange(9.0)), 2, cov=True),
        lambda: np.polyfit(np.arange(9.0), np.sin(np.arange(9.0)), 2, cov="unscaled"),
        lambda: np.linalg.lstsq(A, A[:, :2], rcond=None),
    ],
)
def test_same_as_numpy(f):
    want, got = f(), swathe.njit(f)()
    many = isinstance(want, tuple)
    assert type(got) is type(want)
    for x, y in zip(got, want, strict=True) if many else ((got, want),):
        assert np.asarray(x).dtype == np.asarray(y).dtype and np.shape(x) == np.shape(y)
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.einsum("..i", a),
        lambda a: np.einsum("...i...", a),
        lambda a: np.einsum("...i->.i", a),
        lambda a: np.einsum("...ijk", a),
        lambda a: np.einsum("...i,...i", a),
        lambda a: np.einsum("i...,j", a, a),
    ],
)
def test_an_ellipsis_that_is_none(f):
    for g in f, swathe.njit(f):
        with pytest.raises(ValueError, match="einstein sum"):
            g(A)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.dot(a, a[0]),
        lambda a: np.dot(a[0], a),
        lambda a: np.dot(a, a[0].T, out=np.zeros((2, 3, 4))),
        lambda a: np.dot(a, a[0].T, out=np.zeros((2, 3, 3), np.float32)),
        lambda a: np.dot(a, a[0].T, out=np.zeros((3, 2, 3)).transpose(1, 0, 2)),
    ],
)
def test_products_of_many_axes_that_do_not_fit(f):
    for g in f, swathe.njit(f):
        with pytest.raises(ValueError, match=r"not aligned|output array"):
            g(C)


def test_characters_of_known_strings():
    assert swathe.njit(lambda: 1 if "abc"[-1] == "c" else 2)() == 1
    with pytest.raises(IndexError, match="string index out of range"):
        swathe.njit(lambda: "abc"[3])()
    at = swathe.njit(lambda i: "abc"[i] == "a")
    assert at(0) and not at(-1)
    with pytest.raises(IndexError, match="string index out of range"):
        at(3)


def test_is_caught():
    def f(a):
        try:
            return np.linalg.lstsq(a, a[:1])[0]
        except LinAlgError:
            return a

    a = np.ones((2, 2))
    assert swathe.njit(f)(a) is a
