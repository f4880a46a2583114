# SPDX-License-Identifier: BSD-3-Clause
"""Systems of equations and factors on a device: cuSOLVER's stand-in beside NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from vendor_libs import build, needs_cc, run

from swathe.vendor import solver


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), "cusolver")


CODE = """
from swathe.vendor import solver
def host(x):
    return x.copy_to_host()

def near(got, want, dtype, what=""):
    tol = 2e-3 if np.dtype(dtype) in (np.float32, np.complex64) else 1e-8
    np.testing.assert_allclose(got, want, tol, tol, err_msg=str(what))

def orthonormal(q, dtype):
    gram = np.swapaxes(q.conj(), -1, -2) @ q
    near(gram, np.broadcast_to(np.eye(q.shape[-1]), gram.shape), dtype)

for dtype in ("f4", "f8", "c8", "c16"):
    for batch in ((), (2,)) if dtype in ("f4", "c16") else ((),):
        for n in (1, 4):
            a = random((*batch, n, n), dtype) + 4 * np.eye(n, dtype=dtype)
            d = q.to_device(a)
            b = random((n, 3), dtype)
            x = solver.solve(d, q.to_device(b))
            assert x.dtype == np.dtype(dtype) and x.shape == (*batch, n, 3)
            near(host(x), np.linalg.solve(a, b), dtype)
            v = random(n, dtype)
            wide = np.broadcast_to(v[:, None], (*batch, n, 1))
            near(host(solver.solve(d, q.to_device(v))), np.linalg.solve(a, wide)[..., 0], dtype)
            near(host(solver.inv(d)), np.linalg.inv(a), dtype)
            near(solver.det(d), np.linalg.det(a), dtype)
            h = a @ np.swapaxes(a.conj(), -1, -2)
            near(host(solver.cholesky(q.to_device(h))), np.linalg.cholesky(h), dtype)
            s = a + np.swapaxes(a.conj(), -1, -2)
            w, u = map(host, solver.eigh(q.to_device(s)))
            near(w, np.linalg.eigh(s)[0], dtype)
            orthonormal(u, dtype)
            near(s @ u, u * w[..., None, :], dtype)
            close(d, a, "the input is as it was")
        for m, n in ((5, 3), (3, 5), (4, 4), (1, 3)):
            a = random((*batch, m, n), dtype)
            d = q.to_device(a)
            o, r = map(host, solver.qr(d))
            near(o @ r, a, dtype)
            orthonormal(o, dtype)
            assert (np.tril(r, -1) == 0).all() and r.shape == (*batch, min(m, n), n)
            u, w, vh = map(host, solver.svd(d))
            near(w, np.linalg.svd(a)[1], dtype)
            near(u * w[..., None, :] @ vh, a, dtype)
            orthonormal(u, dtype), orthonormal(np.swapaxes(vh.conj(), -1, -2), dtype)
i = q.to_device(np.array([[2, 1], [1, 3]]))
near(host(solver.solve(i, q.to_device(np.array([1, 2])))), [0.2, 0.6], "f8")
assert solver.solve(q.zeros((0, 0)), q.zeros((0, 2))).shape == (0, 2)
assert solver.det(q.zeros((0, 0))) == 1
LinAlgError = np.linalg.LinAlgError
raises(LinAlgError, "Singular matrix", solver.solve, q.zeros((2, 2)), q.zeros(2))
raises(LinAlgError, "not positive definite", solver.cholesky, q.to_device(-np.eye(2)))
raises(LinAlgError, "must be square", solver.inv, q.zeros((2, 3)))
raises(LinAlgError, "at least two-dimensional", solver.svd, q.zeros(3))
raises(ValueError, "right sides (3,)", solver.solve, q.zeros((2, 2)), q.zeros(3))
lib = library("cusolver")
lib.fake_vendor_fail(b"cusolverDnDgetrf", 6)
raises(errors.LibraryError, "CUSOLVER_STATUS_EXECUTION_FAILED", solver.inv, i)
del d, i, x
gc.collect()
assert lib.fake_vendor_alive() == 1
"""


@needs_cc
def test_cusolver(libs: Path, tmp_path: Path) -> None:
    run(libs, tmp_path, CODE)


@needs_cc
def test_without_the_library(libs: Path, tmp_path: Path) -> None:
    code = """
from swathe.vendor import solver
a = q.to_device(np.eye(3))
for f in (solver.inv, solver.det, solver.cholesky, solver.qr, solver.eigh, solver.svd):
    raises(errors.NoLibraryError, "cuSOLVER is needed", f, a)
"""
    run(libs, tmp_path, code, with_libraries=False)


def test_on_the_host() -> None:
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    for name in solver.__all__:
        if name != "solve":
            got, want = getattr(solver, name)(a), getattr(np.linalg, name)(a)
            got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
            assert all(np.allclose(x, y) for x, y in zip(got, want, strict=True))
    assert np.allclose(solver.solve(a, a), np.eye(2))
