# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices on a device: cuSPARSE's stand-in and our own kernels beside SciPy."""

from __future__ import annotations

from pathlib import Path

import pytest
from vendor_libs import build, needs_cc, run

pytest.importorskip("scipy.sparse")
pytestmark = needs_cc


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), "cusparse")


CODE = """
import scipy.sparse as sp
from swathe.vendor import sparse
def matrix(n, m, dtype, density=0.4):
    a = random((n, m), dtype)
    a[rng.random((n, m)) > density] = 0
    return sp.csr_array(a)

for dtype in DTYPES:
    for n, m in ((7, 5), (1, 1), (4, 9), (0, 3), (3, 0), (20, 20)):
        a = matrix(n, m, dtype)
        d = sparse.to_device(a, q)
        x, y = random(m, dtype), random((m, 3), dtype)
        close(d @ q.to_device(x), a @ x)
        close(d @ q.to_device(y), a @ y)
        close(d @ q.to_device(np.asfortranarray(y)), a @ y)
        close(d @ q.to_device(np.repeat(x, 2))[::2], a @ x)
        assert (d.to_host().toarray() == a.toarray()).all() and d.nnz == a.nnz
empty = sp.csr_array((4, 4))
close(sparse.to_device(empty, q) @ q.to_device(np.ones(4)), np.zeros(4))
wide = [q.to_device(x.copy_to_host().astype("i8")) for x in (d.indices, d.indptr)]
big = sparse.DeviceCSR(d.data, *wide, d.shape)
close(big @ q.to_device(np.ones(20, d.dtype)), a @ np.ones(20, d.dtype))
raises(ValueError, "dimension mismatch", lambda: d @ q.zeros(3, d.dtype))
raises(TypeError, "convert one", lambda: d @ q.zeros(20, "f4"))
raises(errors.QueueError, "beside an array", lambda: d @ np.zeros(20))
raises(ValueError, "no matrix", sparse.DeviceCSR, d.data, d.indices, d.indptr, (3, 3))
"""


def test_cusparse(libs: Path, tmp_path: Path) -> None:
    more = """
for dtype in ("f4", "c16"):
    for n, k, m in ((7, 5, 6), (1, 1, 1), (4, 9, 2), (3, 0, 2)):
        a, b = matrix(n, k, dtype), matrix(k, m, dtype)
        c = sparse.to_device(a, q) @ sparse.to_device(b, q)
        close(c.to_host().toarray(), (a @ b).toarray())
        assert c.nnz == (a @ b).nnz
    a = matrix(9, 9, dtype) + sp.eye_array(9, dtype=dtype) * 3
    d, b = sparse.to_device(a, q), random(9, dtype)
    for lower in (True, False):
        for unit in (True, False):
            for t in (True, False):
                m = np.tril(a.toarray()) if lower else np.triu(a.toarray())
                np.fill_diagonal(m, 1) if unit else None
                close(d.solve_triangular(q.to_device(b), lower, unit, t),
                      np.linalg.solve(m.T if t else m, b))
lib = library("cusparse")
del d, c, big, wide
gc.collect()
assert lib.fake_vendor_alive() == 1, lib.fake_vendor_alive()
a = sparse.to_device(matrix(5, 5, "f8"), q)
lib.fake_vendor_fail(b"cusparseSpMV", 10)
e = raises(errors.LibraryError, "CUSPARSE_STATUS_NOT_SUPPORTED", lambda: a @ q.zeros(5))
assert lib.fake_vendor_alive() == 1, "descriptors are left"
del e
"""
    run(libs, tmp_path, CODE.replace("DTYPES", '("f4", "f8", "c8", "c16")') + more)


def test_own_kernels(libs: Path, tmp_path: Path) -> None:
    more = """
raises(errors.NoLibraryError, "cuSPARSE is needed", lambda: d @ d)
raises(errors.NoLibraryError, "cuSPARSE is needed", d.solve_triangular, q.zeros(20))
i = sparse.to_device(sp.csr_array(np.eye(3, dtype=int) * 2), q)
close(i @ q.to_device(np.arange(3)), np.array([0, 2, 4]))
"""
    run(libs, tmp_path, CODE.replace("DTYPES", '("f8",)') + more, with_libraries=False)
