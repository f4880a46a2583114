# SPDX-License-Identifier: BSD-3-Clause
"""Products of vectors and matrices: cuBLAS's stand-in, our own kernels, and NumPy beside SciPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chosen import DEVICE
from vendor_libs import build, needs_cc, run

import swathe
from swathe import errors
from swathe.vendor import _blas_rows, blas


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), "cublas")


# ---- routines -----------------------------------------------------------------------------------

CASES = """
from itertools import product
from swathe.vendor import _blas_rows, blas

def letters(row):
    '''All letters that a routine takes; no conjugates of symmetric updates.'''
    names = [p.name for p in row.params if p.kind == "letter"]
    each = []
    for name in names:
        some = list(_blas_rows.LETTERS[name])
        if row.name in ("syrk", "syr2k"):
            some = [s for s in some if s != "C"]
        if row.name in ("herk", "her2k") and name == "trans":
            some = ["N", "C"]
        each.append(some)
    return [dict(zip(names, some)) for some in product(*each)]

def cases(row, dtype, rng_shape=None):
    sizes = {"m": 5, "n": 4, "k": 3, "kl": 1, "ku": 2}
    for chosen in letters(row):
        p = dict(chosen)
        for param in row.params:
            if param.kind == "size":
                p[param.name] = sizes[param.name]
            elif param.kind == "number":
                p[param.name] = 0.5 if param.real or np.dtype(dtype).kind == "f" else 0.5 - 0.25j
        needs = blas._needs(p | {"name": row.name})
        for param in row.params:
            if param.kind in blas._AXES:
                shape = needs[param.name]
                if param.kind == "matrix":  # one that lies in a larger one
                    p[param.name] = np.asfortranarray(random((shape[0] + 2, shape[1]), dtype))
                elif param.kind == "vector":
                    p[param.name] = random(shape[0] * 2, dtype)
                else:
                    p[param.name] = random(shape, dtype)
        if row.name[2:] in ("sv", "sm"):  # well-conditioned
            a = p.get("A", p.get("AP"))
            a += 4 * (np.eye(*a.shape) if row.name[:2] == "tr" else 1)
        yield p, needs

def parts(row, p, needs, put, backwards):
    '''The arrays of a case, cut out of what is on the device.'''
    out = dict(p)
    for param in row.params:
        if param.kind in blas._AXES:
            a = put(p[param.name])
            n = needs[param.name]
            if param.kind == "matrix":
                a = a[:n[0], :n[1]]
            elif param.kind == "vector":
                a = a[::-2] if backwards else a[::2]
            out[param.name] = a
    return out
"""


@needs_cc
def test_routines(libs: Path, tmp_path: Path) -> None:
    code = """
count = 0
for row in _blas_rows.ROWS.values():
    for t in row.types:
        for i, (p, needs) in enumerate(cases(row, _blas_rows.TYPES[t])):
            there = {}
            def put(a):
                there[id(a)] = d = q.to_device(a)
                return d
            host = {k: v.copy("F") if isinstance(v, np.ndarray) else v for k, v in p.items()}
            want = parts(row, host, needs, lambda a: a, i % 2)
            got = parts(row, p, needs, put, i % 2)
            blas.routine(row.name, **want)
            blas.routine(row.name, *[got[x.name] for x in row.params])
            for param in row.params:
                if param.kind in blas._AXES:
                    a, b = there[id(p[param.name])].copy_to_host(), host[param.name]
                    close(a, b, (row.name, t, param.name, i))
            count += 1
assert count > 700, count
"""
    run(libs, tmp_path, CASES + code)


@pytest.mark.parametrize("name", list(_blas_rows.ROWS))
def test_on_the_host(name: str) -> None:
    """Against SciPy's BLAS, of doubles and complex numbers."""
    scipy = pytest.importorskip("scipy.linalg.blas")
    if name in ("dgmm", "geam"):
        pytest.skip("is cuBLAS's alone")
    space: dict = {"np": np, "random": _random}
    exec(CASES, space)
    row = _blas_rows.ROWS[name]
    t = row.types[-1] if "z" in row.types else "d"
    function = getattr(scipy, t + name, None)
    if function is None:
        pytest.skip("SciPy has none")
    for p, needs in space["cases"](row, _blas_rows.TYPES[t]):
        arrays = {k: v for k, v in p.items() if isinstance(v, np.ndarray)}
        for x in row.params:
            if x.kind in ("matrix", "vector"):
                p[x.name] = arrays[x.name][tuple(slice(n) for n in needs[x.name])].copy("F")
        _compare(row, p, function)


ROUGH = {"transa": "trans_a", "transb": "trans_b"}


def _compare(row, p, function):
    trans = {"N": 0, "T": 1, "C": 2}
    names = {"A": "a", "B": "b", "C": "c", "x": "x", "y": "y", "AP": "ap", "uplo": "lower"}
    given = {}
    out = next(x.name for x in row.params if x.kind in blas._AXES and x.writes)
    for x in row.params:
        key, value = names.get(x.name, x.name), p[x.name]
        if x.kind == "letter" and x.name.startswith("trans"):
            key, value = ROUGH.get(x.name, x.name), trans[value]
            key = "trans_a" if row.name in ("trsm", "trmm") else key
        elif x.name == "uplo":
            value = int(value == "L")
        elif x.name == "side":
            value = int(value == "R")
        elif x.name == "diag":
            value = int(value == "U")
        elif (
            x.kind == "size"
            and x.name not in ("kl", "ku")
            and not (x.name == "k" and row.name[:2] in ("tb", "sb", "hb"))
            and not (x.name == "n" and "AP" in p)
            and not (row.name == "gbmv")
        ):
            continue
        elif x.name in ("A", "B") and x.writes and row.name[2:] != "sm":
            key = "a"
        given[key] = value.copy("F") if isinstance(value, np.ndarray) else value
    if row.name == "trmm":
        given.pop("c")
    if row.name in ("syr2k", "her2k", "syrk", "herk"):
        given["c"] = given["c"]
    want = function(**given)
    if row.name == "trmm":
        want = want.astype(p["C"].dtype)
    blas.routine(row.name, **p)
    got = p[out]
    if row.name in ("syrk", "herk", "syr2k", "her2k", "syr", "her", "syr2", "her2"):
        half = np.tril if p["uplo"] == "L" else np.triu
        got, want = half(got), half(want)
    np.testing.assert_allclose(got, want, 1e-10, 1e-12)


def _random(shape, dtype):
    rng = np.random.default_rng(3)
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


# ---- vectors ------------------------------------------------------------------------------------

VECTORS = """
for dtype in ("f4", "f8", "c8", "c16"):
    for n in (1, 2, 33, 300):
        for step in (1, 2, -1, -3):
            x, y = random(n * 3, dtype)[::step][:n], random(n * 3, dtype)[::step][:n]
            dx, dy = (q.to_device(np.ascontiguousarray(v)) for v in (x, y))
            if step != 1:
                big = q.to_device(random(n * 3, dtype))
                dx = big[::step][:n]
                dx.copy_from_host(x)
            close(blas.dot(dx, dy), np.dot(x, y))
            close(blas.dotc(dx, dy), np.vdot(x, y))
            a = 0.5 - 1j if x.dtype.kind == "c" else 0.5
            blas.axpy(a, dx, dy)
            close(dy, (y + x.dtype.type(a) * x), step)
            blas.scal(a, dx)
            close(dx, x * x.dtype.type(a))
"""


@needs_cc
@pytest.mark.parametrize("with_libraries", [True, False])
def test_vectors(libs: Path, tmp_path: Path, with_libraries: bool) -> None:
    code = "from swathe.vendor import blas\n" + VECTORS
    if not with_libraries:
        code = code.replace("(1, 2, 33, 300)", "(1, 300)").replace("(1, 2, -1, -3)", "(1, -3)")
        code = code.replace('("f4", "f8", "c8", "c16")', '("f4", "c16")')
    run(libs, tmp_path, code, with_libraries)


@needs_cc
def test_more_of_vectors(libs: Path, tmp_path: Path) -> None:
    code = """
from swathe.vendor import blas
for dtype in ("f4", "f8", "c8", "c16"):
    x, y = random(40, dtype), random(40, dtype)
    for s in (slice(None), slice(None, None, 2), slice(None, None, -3)):
        u, v = x[s].copy(), y[s].copy()
        du, dv = q.to_device(x)[s], q.to_device(y)[s]
        for f in (blas.nrm2, blas.asum):
            close(f(du), f(u))
        for f in (blas.iamax, blas.iamin):
            assert f(du) == f(u)
        blas.swap(du, dv)
        close(du, v), close(dv, u)
        sine = 0.8 if u.dtype.kind == "f" else 0.48 + 0.64j
        blas.rot(du, dv, 0.6, sine), blas.rot(v, u, 0.6, sine)
        close(du, v), close(dv, u)
        blas.copy(du, dv)
        close(dv, v)
        if u.dtype.kind == "f":
            for flag in (-2, -1, 0, 1):
                p = [flag, 0.5, 0.25, -2.0, 3.0]
                du, dv = q.to_device(x)[s], q.to_device(y)[s]
                a, b = x[s].copy(), y[s].copy()
                blas.rotm(du, dv, p), blas.rotm(a, b, p)
                close(du, a), close(dv, b)
assert float(blas.nrm2(q.to_device(np.zeros(0)))) == 0.0
one = q.to_device(np.ones(1))
still = swathe._device_array.as_strided(one._proto, (5,), (0,))
close(blas.dot(one._view(still), q.to_device(np.arange(5.0))), 10.0)
raises(ValueError, "3 and 4 elements", blas.dot, q.zeros(3), q.zeros(4))
raises(TypeError, "one dtype", blas.dot, q.zeros(3), q.zeros(3, "f4"))
raises(TypeError, "not int64", blas.nrm2, q.zeros(3, "i8"))
raises(errors.QueueError, "beside an array", blas.dot, q.zeros(3), np.zeros(3))
raises(ValueError, "empty", blas.iamax, q.zeros(0))
"""
    run(libs, tmp_path, code)


def test_other_devices() -> None:
    """Kernels of ours serve there; what has none says so."""
    try:
        q = swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    a, b = np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(4, 2)
    assert np.allclose((q.to_device(a) @ q.to_device(b)).copy_to_host(), a @ b)
    if q.device.backend != "cuda":
        with pytest.raises(errors.NoLibraryError, match="is for CUDA devices"):
            blas.nrm2(q.zeros(3))


def test_rotations() -> None:
    """rotg and rotmg make the second number zero."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = rng.standard_normal(2)
        r, _, c, s = blas.rotg(a, b)
        assert abs(c * a + s * b - r) < 1e-12 and abs(c * b - s * a) < 1e-12
        d1, d2, x1, y1 = rng.standard_normal(4) * [1e5, 1e-9, 1, 1]
        p = blas.rotmg(abs(d1), d2, x1, y1)
        h = np.array(blas._modified(p)).reshape(2, 2)
        if p[0] != -1 or p[1:].any():
            assert abs((h @ [x1, y1])[1]) <= 1e-9 * np.abs(h).max()
    z = blas.rotg(1 + 2j, 3 - 1j)
    assert abs(z[2] * (1 + 2j) + z[3] * (3 - 1j) - z[0]) < 1e-12


# ---- matmul -------------------------------------------------------------------------------------

MATMUL = """
from swathe.vendor import blas
def forms(a):
    '''The same matrix in other orders of axes, and as part of a larger one.'''
    yield q.to_device(a)
    yield q.to_device(np.asfortranarray(a))
    big = np.zeros((*a.shape[:-2], a.shape[-2] + 2, a.shape[-1] * 2), a.dtype)
    big[..., 1:-1, ::2] = a
    yield q.to_device(big)[..., 1:-1, ::2]
    big = np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2] + 3), a.dtype)
    big[..., :, :-3] = np.swapaxes(a, -1, -2)
    d = q.to_device(big)[..., :, :-3]
    yield d.transpose(*range(a.ndim - 2), a.ndim - 1, a.ndim - 2)

for dtype in DTYPES:
    for m, k, n in SIZES:
        a, b = random((m, k), dtype), random((k, n), dtype)
        for da in forms(a):
            for db in forms(b):
                close(blas.matmul(da, db), a @ b, (m, k, n))
    for left, right in (
        ((2, 3, 4), (2, 4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((4,), (4, 5)),
        ((3, 2, 3, 4), (2, 4, 1)), ((2, 1, 3, 4), (3, 4, 2)), ((3, 4), (4,)), ((4,), (4,)),
        ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
    ):
        a, b = random(left, dtype), random(right, dtype)
        close(q.to_device(a) @ q.to_device(b), a @ b, (left, right))
a, b = random((4, 4), "f8"), random((4, 4), "f8")
da, db = q.to_device(a), q.to_device(b)
blas.matmul(da, db, out=da)
close(da, a @ b)
out = q.to_device(np.zeros((8, 4)))
blas.matmul(db, db, out=out[::2])
close(out[::2], b @ b)
close(q.to_device(np.arange(6).reshape(2, 3)) @ q.to_device(np.arange(3)), np.array([5, 14]))
close(q.to_device(a.astype("f4")) @ db, a.astype("f4") @ b)
raises(ValueError, "4 != 3", lambda: db @ q.zeros((3, 2)))
raises(TypeError, "not bool", lambda: q.zeros((2, 2), "?") @ q.zeros((2, 2), "?"))
raises(errors.QueueError, "beside an array", blas.matmul, da, a)
raises(TypeError, "unsupported operand", lambda: da @ 3)
"""


@needs_cc
@pytest.mark.parametrize("with_libraries", [True, False])
def test_matmul(libs: Path, tmp_path: Path, with_libraries: bool) -> None:
    dtypes = ("f4", "f8", "c8", "c16") if with_libraries else ("f8",)
    sizes = ((3, 4, 5), (3, 0, 2), (1, 4, 5), (3, 1, 5), (3, 4, 1), (1, 1, 1), (0, 3, 2))
    sizes = sizes if with_libraries else sizes[:2]
    code = MATMUL.replace("DTYPES", repr(dtypes)).replace("SIZES", repr(sizes))
    run(libs, tmp_path, code, with_libraries)


@needs_cc
def test_gemm_without_cublas(libs: Path, tmp_path: Path) -> None:
    code = """
from swathe.vendor import blas
f = lambda *shape: np.asfortranarray(random(shape, "f8"))
for ta in "NT":
    for tb in "NT":
        a, b = f(*((3, 4) if ta == "N" else (4, 3))), f(*((4, 5) if tb == "N" else (5, 4)))
        c = f(3, 5)
        d = [q.to_device(v) for v in (a, b, c)]
        blas.routine("gemm", ta, tb, 3, 5, 4, 2.0, d[0], d[1], 0.5, d[2])
        blas.routine("gemm", ta, tb, 3, 5, 4, 2.0, a, b, 0.5, c)
        close(d[2], c)
a, x, y = f(3, 4), random(4, "f8"), np.full(3, np.nan)
d = [q.to_device(v) for v in (a, x, y)]
blas.routine("gemv", "N", 3, 4, 1.0, d[0], d[1], 0.0, d[2])
close(d[2], a @ x)
args = "trsv", "L", "N", "N", 3, d[0], d[2]
e = raises(errors.NoLibraryError, "cuBLAS is needed", blas.routine, *args)
assert e.library == "cuBLAS" and vendor.found() == {}
for f in (blas.nrm2, blas.asum, blas.iamax, blas.iamin):
    raises(errors.NoLibraryError, "cuBLAS is needed", f, q.zeros(3))
raises(errors.NoLibraryError, "cuBLAS is needed", blas.swap, q.zeros(3), q.zeros(3))
"""
    run(libs, tmp_path, code, with_libraries=False)


# ---- handles, streams, errors -------------------------------------------------------------------


@needs_cc
def test_handles_and_order(libs: Path, tmp_path: Path) -> None:
    code = """
from swathe.vendor import blas
lib = library("cublas")
queues = [swathe.Queue("cuda") for _ in range(3)]
a = random((8, 8), "f8")
shared = queues[0].to_device(a)
for n in range(5):  # whichever queue's array is the first: each waits for the others
    for each in queues:
        mine = each.to_device(a)
        mine @ shared
        blas.axpy(1.0, mine.reshape(64), shared.reshape(64)) if n == 2 else None
assert lib.fake_vendor_alive() == 3, lib.fake_vendor_alive()
other = swathe.Queue("cuda:1")
x = other.to_device(a)
close(x @ x, a @ a)
assert lib.fake_vendor_alive() == 4
raises(errors.QueueError, "arrays on", blas.matmul, x, shared)
temporary = queues[1].to_device(a) @ queues[1].to_device(a)  # freed while in use
del temporary, mine, each, queues[1:], other, x
gc.collect()
assert lib.fake_vendor_alive() == 1, lib.fake_vendor_alive()
lib.fake_vendor_fail(b"cublasDgemm_v2", 13)
e = raises(errors.LibraryError, "CUBLAS_STATUS_EXECUTION_FAILED", lambda: shared @ shared)
assert (e.library, e.function) == ("cuBLAS", "cublasDgemm_v2"), e
shared @ shared
lib.fake_vendor_fail(b"cublasCreate_v2", 1)
fresh = swathe.Queue("cuda")
v = fresh.zeros(4)
raises(errors.LibraryError, "NOT_INITIALIZED", blas.nrm2, v)
assert blas.nrm2(v) == 0
def gemv(trans, m, a, *more):
    blas.routine("gemv", trans, m, 3, 1.0, a, q.zeros(3), 0.0, *more)
a, f, v = q.zeros((3, 3)), q.zeros((3, 3), order="F"), q.zeros(4)
raises(ValueError, "Fortran", gemv, "N", 3, a, v)
raises(ValueError, "at least (4, 3)", gemv, "N", 4, f, v)
raises(ValueError, "one of 'N', 'T', 'C'", gemv, "X", 3, f, v)
raises(TypeError, "misses y", gemv, "N", 3, f)
raises(ValueError, "there is no routine", blas.routine, "gemmm")
"""
    run(libs, tmp_path, code)
