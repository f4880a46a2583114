# SPDX-License-Identifier: BSD-3-Clause
"""NumbaPro's, Accelerate's and pyculib's names: the examples, and each part, on the CPU and on the
stand-in for a CUDA device."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptx import ROOT
from vendor_libs import FILES, build, needs_cc, run

from swathe.compat import accelerate, numbapro, pyculib
from swathe.compat.numbapro import cuda


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), *FILES)


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"examples/numbapro/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# ---- the published programs, written anew -------------------------------------------------------


def test_deblur() -> None:
    blurred, deblurred = example("deblur").main(96)
    assert deblurred < 0.6 * blurred


def test_pricer() -> None:
    drawn, formula = example("pricer").main(50_000, 4, 3)
    assert abs(drawn - formula) < 0.05


def test_sparse_pca() -> None:
    loop, kernels, primitives = example("sparse_pca").main(60, 3, 5, 0.4)
    assert abs(kernels - primitives) < 1e-9  # of the same random numbers
    assert abs(loop - kernels) < 0.1 * kernels


@needs_cc
@pytest.mark.parametrize("with_libraries", [True, False])
def test_examples_on_a_device(libs: Path, tmp_path: Path, with_libraries: bool) -> None:
    code = f"""
sys.path.insert(0, {str(ROOT / "examples/numbapro")!r})
from swathe.compat.numbapro import cuda
import deblur, pricer, sparse_pca
cuda.select_device(0)
blurred, deblurred = deblur.main(32)
assert deblurred < 0.8 * blurred
drawn, formula = pricer.main(6000, 2, 2)
assert abs(drawn - formula) < 0.25, drawn
A, V = sparse_pca.problem(20, 2)
x, y = sparse_pca.by_kernels(V, 30, 3, 5), sparse_pca.by_loop(V, 200, 3)
assert np.count_nonzero(x) == 3 and abs((x.T @ A @ x - y.T @ A @ y).item()) < 0.2
"""
    run(libs, tmp_path, code, with_libraries)


# ---- each part, on the CPU and there ------------------------------------------------------------

PARTS = """
import numpy as np
from swathe.compat.numbapro import cuda, vectorize, guvectorize, jit, autojit, check_cuda
from swathe.compat.numbapro.cudalib import cublas, cufft, curand, cusparse, sorting
from swathe.compat.pyculib import blas, fft, rand, sparse
from swathe.compat.accelerate.cuda.sorting import RadixSort, segmented_sort
import swathe.compat.accelerate.cuda.fft as accelerated
rng = np.random.default_rng(3)
assert check_cuda() and cublas.Blas is cublas.api.Blas is blas.Blas is cuda.blas.Blas
assert accelerated is cuda.fft

# BLAS: arrays of NumPy in any order, of the device in Fortran's
b = blas.Blas()
A, B = rng.random((4, 3)), np.asfortranarray(rng.random((3, 5)))
C = np.zeros((4, 5), order="F")
b.gemm("N", "N", 4, 5, 3, 2.0, A, B, 0.0, C)
assert np.allclose(C, 2 * A @ B)
dA, dB, dC = (cuda.to_device(np.asfortranarray(x)) for x in (A, B, np.ones((4, 5))))
b.gemm("N", "N", m=4, n=5, k=3, alpha=1.0, A=dA, B=dB, beta=1.0, C=dC)
assert np.allclose(dC.copy_to_host(), A @ B + 1)
x, y = rng.random(6), rng.random(6)
dx, dy = cuda.to_device(x), cuda.to_device(y)
for u, v in ((x, y), (dx, dy)):
    assert np.isclose(b.dot(u, v), x @ y) and np.isclose(b.nrm2(u), np.linalg.norm(x))
    assert b.amax(u) == x.argmax() and b.amin(u) == x.argmin() and np.isclose(b.asum(u), x.sum())
s = cuda.stream()
b.stream = s
b.axpy(2.0, dx, dy)
b.scal(0.5, dy)
assert np.allclose(dy.copy_to_host(stream=s), (2 * x + y) / 2)
h = y.copy()
b.axpy(2.0, x, h)
assert np.allclose(h, 2 * x + y)
P = np.zeros(6)
b.spr2("U", 3, 1.0, x[:3], y[:3], A=P)
full = np.outer(x[:3], y[:3])
full += full.T
assert np.allclose(P, [full[i, j] for j in range(3) for i in range(j + 1)])
b.trsv("L", "N", "N", 3, np.asfortranarray(np.tril(np.ones((3, 3)))), x[:3])

# Transforms: unscaled back; plans of real numbers; batches; in place
z = (rng.random((4, 6)) + 1j * rng.random((4, 6))).astype(np.complex64)
plan = fft.FFTPlan(z.shape, np.complex64, np.complex64)
assert plan.operation == 0x29 and plan.direction == "both"
assert np.allclose(plan.forward(z), np.fft.fftn(z), 1e-4, 1e-4)
for make in (lambda a: a, cuda.to_device, lambda a: cuda.to_device(np.asfortranarray(a))):
    d = make(z.copy())
    fft.fft_inplace(d)
    fft.ifft_inplace(d)
    got = d.copy_to_host() if hasattr(d, "copy_to_host") else d
    assert np.allclose(got / z.size, z, 1e-4, 1e-5), make
r = rng.random((3, 8))
out = np.empty((3, 5), np.complex128)
forward = cufft.FFTPlan((8,), np.float64, np.complex128, batch=3)
forward.forward(r, out=out)
assert np.allclose(out, np.fft.rfft(r))
back = fft.FFTPlan((5,), np.complex128, np.float64, batch=3)
kept = out.copy()
assert np.allclose(back.inverse(out), 8 * r) and (out == kept).all()
d_out = cuda.to_device(out)
assert np.allclose(back.inverse(d_out), 8 * r) and (d_out.copy_to_host() == kept).all()
for bad, text in (
    (lambda: fft.FFTPlan((4,), np.float32, np.float32), "Invalid type"),
    (lambda: forward.inverse(r), "Invalid operation"),
    (lambda: plan.forward(r), "dtype"),
    (lambda: plan.forward(z[:2]), "shape"),
):
    try:
        bad()
    except (TypeError, ValueError) as e:
        assert text in str(e), e
    else:
        raise AssertionError(text)

# Random numbers
g = curand.PRNG(curand.PRNG.XORWOW, seed=3, stream=s)
d = cuda.device_array((3, 50), order="F")
g.normal(d.reshape(d.size), mean=5, sigma=1)
n = d.copy_to_host(stream=s)
assert abs(n.mean() - 5) < 0.5 and n.std() > 0.5
u = np.zeros(20)
g.uniform(u, 10)
assert (u[:10] > 0).all() and (u[10:] == 0).all()
assert rand.uniform(10).dtype == np.float64 and rand.normal(0, 1, 8, np.float32).shape == (8,)
assert rand.poisson(3.0, 9).dtype == np.uint32
assert hasattr(rand.lognormal(0, 1, 7, device=True), "copy_to_host")
try:
    g.uniform(np.zeros((2, 2)))
except TypeError as e:
    assert "1-D" in str(e)
q1 = rand.quasi(16, nd=2)
assert q1.dtype == np.uint32 and (q1[:8] > 0).any()

# Sorts
for dtype in (np.float64,):
    data = (rng.random(300) * 100).astype(dtype)
    for k in (data.copy(), cuda.to_device(data)):
        sorter = RadixSort(400, k.dtype, descending=True)
        at = sorter.argsort(k)
        host = k.copy_to_host() if hasattr(k, "copy_to_host") else k
        at = at.copy_to_host() if hasattr(at, "copy_to_host") else at
        assert (host == np.sort(data)[::-1]).all() and (data[at] == host).all()
    keys, vals = data.copy(), np.arange(300, dtype=np.uint32)
    segmented_sort(keys, vals, np.array([100, 150], np.int32))
    assert all((p == np.sort(w)).all() for p, w in zip(np.split(keys, [100, 150]),
                                                       np.split(data, [100, 150])))
    assert (data[vals] == keys).all()
    keys = data.copy()
    sorting.RadixSort(300, dtype).select(5, keys)
    assert (keys[:5] == np.sort(data)[:5]).all()

# Ufuncs and kernels for a target
@vectorize(["float64(float64, float64)"], target="gpu")
def add(a, b):
    return a + b

@jit("void(float64[:], float64)", target="gpu")
def scale(a, k):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= k

@guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="gpu")
def total(row, out):
    t = 0.0
    for v in row:
        t += v
    out[0] = t

assert np.allclose(add(x, y), x + y)
dx = cuda.to_device(x)
add(dx, dx, out=dx)
scale[1, 32](dx, 3.0)
assert np.allclose(dx.copy_to_host(), 6 * x) and np.allclose(total(A), A.sum(1))

h = x.copy()
d = cuda.to_device(h)
scale[1, 32](d, 2.0)
d.to_host()
assert np.allclose(h, 2 * x)
try:
    d[1:].to_host()
except ValueError as e:
    assert "to_device()" in str(e)
else:
    raise AssertionError("a part has no array of the host")

@autojit
def twice(v):
    return 2 * v
assert twice(4) == 8

# Sparse matrices
import scipy.sparse as sp
M = sp.csr_matrix(np.where(rng.random((6, 6)) < 0.5, rng.random((6, 6)), 0) + np.eye(6))
D = sparse.csr_matrix(M)
c = cusparse.Sparse()
descr = c.matdescr()
vector, result = cuda.to_device(x), cuda.to_device(np.ones(6))
c.csrmv("N", 6, 6, M.nnz, 2.0, descr, D.data, D.indptr, D.indices, vector, 0.5, result)
assert np.allclose(result.copy_to_host(), 2 * (M @ x) + 0.5)
c.csrmv("T", 6, 6, M.nnz, 1.0, descr, D.data, D.indptr, D.indices, vector, 0.0, result)
assert np.allclose(result.copy_to_host(), M.T @ x)
assert (D.copy_to_host() != M).nnz == 0
assert np.allclose(c.axpyi(2.0, np.array([1.0, 2.0]), np.array([0, 3]), x)[3], x[3] + 4)
"""
WITH_LIBRARIES = """
N = c.csrgemm_ez(D, D, descr, descr, descr)
assert np.allclose(N.copy_to_host().toarray(), (M @ M).toarray())
lower = c.matdescr(fillmode="L")
info = c.csrsv_analysis("N", 6, M.nnz, lower, D.data, D.indptr, D.indices)
c.csrsv_solve("N", 6, 2.0, lower, D.data, D.indptr, D.indices, info, vector, result)
assert np.allclose(np.tril(M.toarray()) @ result.copy_to_host(), 2 * x)
"""


def test_parts() -> None:
    pytest.importorskip("scipy")
    exec(compile(PARTS + WITH_LIBRARIES, _kept(PARTS + WITH_LIBRARIES), "exec"), {})


def _kept(text: str) -> str:
    """Let the functions of a text be found in it."""
    import linecache

    linecache.cache["<parts>"] = (len(text), None, text.splitlines(True), "<parts>")
    return "<parts>"


@needs_cc
@pytest.mark.parametrize("with_libraries", [True, False])
def test_parts_on_a_device(libs: Path, tmp_path: Path, with_libraries: bool) -> None:
    pytest.importorskip("scipy")
    code = "from swathe.compat.numba import cuda\ncuda.select_device(0)\n" + PARTS
    code = code.replace('b.spr2("U"', 'with_cublas and b.spr2("U"')
    if not with_libraries:  # what has no kernel of ours
        drop = ("b.nrm2", "b.amax", "b.spr2", "np.allclose(P,", "b.trsv")
        code = "\n".join(
            "    pass" if any(d in line for d in drop) and line.startswith("    ") else line
            for line in code.split("\n")
            if not (any(d in line for d in drop) and not line.startswith("    "))
        )
    code = code.replace("with_cublas and ", "")
    run(libs, tmp_path, code + (WITH_LIBRARIES if with_libraries else ""), with_libraries)


# ---- names --------------------------------------------------------------------------------------


def test_names() -> None:
    for module in (numbapro, cuda, numbapro.cudalib, pyculib, accelerate, accelerate.cuda):
        for name in module.__all__:
            assert hasattr(module, name), (module.__name__, name)
    for part in (pyculib.blas, pyculib.fft, pyculib.rand, pyculib.sorting, pyculib.sparse):
        assert all(hasattr(part, name) for name in part.__all__)


def test_installed_names(tmp_path: Path) -> None:
    """``from numbapro import cuda`` itself."""
    import subprocess

    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "from numbapro import cuda, float64\n"
        "import numbapro.cudalib.cublas as cublas\n"
        "from numbapro.cudalib import curand\n"
        "from numbapro.cudalib.cufft import FFTPlan\n"
        "assert cublas.api.Blas().dot(np.ones(3), np.ones(3)) == 3\n"
        "print(FFTPlan, cuda.fft, float64)\n"
    )
    r = subprocess.run(
        [sys.executable, "-m", "swathe.compat", "numbapro", program],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert r.returncode == 0, r.stderr


def test_reshape_as_it_lies() -> None:
    """NumbaPro's device arrays: memory in its order, whatever the order of axes."""
    d = cuda.to_device(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert np.array_equal(d.reshape(6).copy_to_host(), [0, 3, 1, 4, 2, 5])
    d.reshape(6)[0] = 9
    assert d.copy_to_host()[0, 0] == 9
    assert np.array_equal(d.reshape(3, 2, order="F").copy_to_host()[:, 0], [9, 3, 1])
    c = cuda.device_array((2, 3))
    assert c.reshape(-1).shape == (6,) and c.ravel().base is not None
