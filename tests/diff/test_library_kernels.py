# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of a library in C: when it is loaded, what they yield on all sizes and layouts, how their
errors arrive, and that signals, threads and the cache get along with them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.linalg as la
import pytest
from harness import DTYPES, sample
from numpy import linalg
from numpy.linalg import LinAlgError, det, solve

import swathe

PRELUDE = """
import os, resource, subprocess, time
import numpy as np
import swathe

def loaded():
    return [n for n in ("kernels", "llvm") if f"libswathe_{n}" in open("/proc/self/maps").read()]
"""
SORTED = "f = swathe.njit(lambda a: np.sort(a))\nprint(f(np.array([3.0, 1.0, 2.0])))"


def script(text, **env):
    """What a process of its own prints."""
    code = PRELUDE + textwrap.dedent(text)
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "SWATHE_CACHE_SIZE": "0", **env},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


# --- the library ----------------------------------------------------------------------------


def test_loaded_by_programs_that_use_it_only():
    said = script("""
        f = swathe.njit(lambda a: a.sum() + np.searchsorted(a, 1.0))
        f(np.zeros(3))
        print(loaded())
        g = swathe.njit(lambda a: a.sort())
        g(np.zeros(3))
        print(loaded())
    """)
    assert said.split("\n")[:2] == ["['llvm']", "['kernels', 'llvm']"]


def test_code_from_the_cache_finds_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"{PRELUDE}{SORTED}\nprint(loaded(), f.stats['cache_hits'])")
    env = {**os.environ, "SWATHE_CACHE_DIR": str(tmp_path / "cache"), "SWATHE_CACHE_SIZE": "64"}
    said = [
        subprocess.run([sys.executable, program], capture_output=True, text=True, env=env).stdout
        for _ in range(2)
    ]
    assert said[0].endswith("['kernels', 'llvm'] 0\n")
    assert said[1] == "[1. 2. 3.]\n['kernels'] 1\n"


def test_missing_library_is_named(tmp_path):
    folder = os.path.dirname(swathe.__file__)
    os.makedirs(tmp_path / "swathe")
    for name in os.listdir(folder):
        if name != "libswathe_kernels.so":
            os.symlink(os.path.join(folder, name), tmp_path / "swathe" / name)
    os.remove(tmp_path / "swathe" / (core := os.path.basename(swathe._core.__file__)))
    with open(os.path.join(folder, core), "rb") as source:
        (tmp_path / "swathe" / core).write_bytes(source.read())
    said = script(
        f"try:\n    {SORTED.splitlines()[0]}\n    f(np.zeros(3))\nexcept Exception as e: print(e)",
        PYTHONPATH=str(tmp_path),
    )
    assert "libswathe_kernels.so belongs beside swathe's extension module" in said


# --- sort -----------------------------------------------------------------------------------

SIZES = [0, 1, 2, 3, 11, 12, 13, 24, 25, 26, 47, 48, 49, 96, 97, 100, 192, 193, 255, 257, 1000]


def bits(a):
    return np.ascontiguousarray(a).view(np.uint8)


@swathe.njit
def both(a):
    places = np.argsort(a)
    a.sort()
    return places


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_to_the_bit(dtype):
    for n in SIZES:
        for step in (1, 2, -1):
            whole = np.resize(sample(dtype, (max(2 * n, 1),), n, True), 2 * n)
            a = whole[::step][:n]
            places = np.argsort(a, kind="stable")
            want = a[places].copy()
            given = whole.copy()[::step][:n]
            np.testing.assert_array_equal(both(given), places)
            np.testing.assert_array_equal(bits(given), bits(want))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_zeros_and_nans_keep_their_order(dtype):
    rng = np.random.default_rng(1)
    odd = np.array([0.0, -0.0, np.nan, -np.nan, 1, -np.inf, np.inf, -1])
    for n in (5, 60, 700):
        a = rng.choice(odd, n).astype(dtype)
        if a.dtype.kind == "c":
            a.imag = rng.choice(odd, n)
        if dtype == "f8":  # with payloads
            a.view(np.uint64)[np.isnan(a)] += rng.integers(0, 9, np.isnan(a).sum(), np.uint64)
        want = a[np.argsort(a, kind="stable")]
        both(a)
        np.testing.assert_array_equal(bits(a), bits(want))


def test_sort_of_each_digit():
    rng = np.random.default_rng(2)
    for shift in range(0, 64, 4):
        a = rng.integers(-100, 100, 500) << shift
        want = np.argsort(a, kind="stable")
        np.testing.assert_array_equal(both(a.copy()), want)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if np.dtype(d).kind != "c"])
def test_places_of_few_values(dtype):
    rng = np.random.default_rng(3)
    for n in (1023, 1024, 1025, 4099):
        for many in (1, 2, 5, 32, 64, 65, 200):  # some of them more than have a code
            values = rng.integers(0, 2**15, many).astype(dtype)
            if values.dtype.kind == "f" and many > 4:
                values[:5] = [0.0, -0.0, np.nan, -np.nan, np.inf]
            a = values[rng.integers(0, many, n)]
            late = np.concatenate([np.repeat(a[:1], 4 * n), a])  # a sample sees few
            for x in (a, a[::-1], np.repeat(a, 2)[::2], late):
                want = np.argsort(x, kind="stable")
                np.testing.assert_array_equal(both(x.copy()), want)
                np.testing.assert_array_equal(places_of(x), want)


@swathe.njit
def places_of(a):
    return np.argsort(a)


PLACES = """
@swathe.njit
def places(a):
    return np.argsort(a)

@swathe.njit
def put(a):
    a.sort()

rng = np.random.default_rng(11)
for n in (2, 16, 127, 128, 129, 300, 5000):
    near = 1 + rng.integers(0, 50, n) * 2.0**-52
    for a in (
        rng.random(n),
        np.floor(rng.random(n) * 9),  # floats of which few bits differ
        near,
        np.where(rng.random(n) < 0.5, near, -1e300 * near),  # which agree as far as there is room
        rng.integers(0, 2, n) * (1 << 60) + rng.integers(0, 40, n),
        rng.integers(0, 2**64, n, np.uint64),
        rng.integers(-9, 9, n, np.int8),
        rng.integers(-(2**31), 2**31, n).astype(np.int32),
        np.sort(rng.integers(0, 30, n)),
        np.sort(rng.integers(0, 30, n))[::-1],
        rng.permutation(np.r_[rng.standard_normal(n), np.zeros(9), [-0.0, np.nan] * 5]),
        rng.standard_normal(n).astype(np.float32),
    ):
        want = np.argsort(a, kind="stable")
        np.testing.assert_array_equal(places(a), want)
        for given in (a.copy(), np.repeat(a, 2)[::2], np.repeat(a, 2)[1::2][::-1]):
            want_bits = given[np.argsort(given, kind="stable")].tobytes()
            put(given)
            assert given.tobytes() == want_bits
print("fine")
"""


@pytest.mark.parametrize("which", ["own", "lent"])
def test_numpys_sorts_and_our_own(which):
    assert script(PLACES, SWATHE_SORT=which) == "fine\n"


def test_many_lanes_in_any_layout():
    @swathe.njit
    def along(a):
        return np.sort(a, axis=0), np.sort(a, axis=1), np.sort(a), np.argsort(a, axis=1)

    base = np.random.default_rng(3).integers(0, 50, (6, 7, 8, 9)).astype("i2")
    for a in (base[0], base[1].T, base[:, 3], base[::2, ::-1, 5], base[:, :, ::3, 0], base[2:2, 0]):
        want = (
            np.sort(a, axis=0),
            np.sort(a, axis=1),
            np.sort(a),
            np.argsort(a, axis=1, kind="stable"),
        )
        for x, y in zip(along(a), want, strict=True):
            np.testing.assert_array_equal(x, y)


def test_sorted_views_are_one_memory():
    def f(a):
        odd = a[1::2]
        first = a[0]
        odd.sort()
        x = a[1]
        a[::-1].sort()
        return first, x, a[0], odd[0]

    a = np.arange(10.0)[::-1].copy()
    assert swathe.njit(f)(a.copy()) == f(a.copy())


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["i8", "f8", "f4", "u1", "?"])
def test_lists_of_numbers(dtype, reverse):
    def f(a):
        x = [v for v in a]  # noqa: C416
        x.sort(reverse=reverse)
        x.append(x[0])
        return x

    compiled = swathe.njit(f)
    rng = np.random.default_rng(4)
    for n in (255, 256, 257, 800):
        a = rng.integers(0, 90, n).astype(dtype)
        if a.dtype.kind == "f":
            a[::3] = 0.0
            a[1::5] = -0.0
        want, got = np.array(f(a)), np.array(compiled(a))
        np.testing.assert_array_equal(bits(got), bits(want))


def test_errors_of_sort():
    a = np.arange(3.0)
    with pytest.raises(ValueError, match="sort kind must be one of"):
        swathe.njit(lambda a: np.sort(a, kind="fast"))(a)
    with pytest.raises(ValueError, match="Cannot specify order"):
        swathe.njit(lambda a: np.sort(a, order="x"))(a)
    with pytest.raises(np.exceptions.AxisError, match="axis 1 is out of bounds"):
        swathe.njit(lambda a: a.sort(axis=1))(a)
    with pytest.raises(np.exceptions.AxisError, match="axis -1 is out of bounds"):
        swathe.njit(lambda a: np.sort(a))(1.0)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="sort array is read-only"):
        swathe.njit(lambda a: a.sort())(a)


# --- linear algebra -------------------------------------------------------------------------

A = np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])
SINGULAR = np.ones((3, 3))


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.linalg.solve(a, np.arange(3.0)),
        lambda a: linalg.solve(a, np.arange(3.0)),
        lambda a: la.solve(a, np.arange(3.0)),
        lambda a: solve(a, np.arange(3.0)),
        lambda a: det(a) + np.trace(a),
    ],
)
def test_names_by_way_of_any_module(f):
    np.testing.assert_allclose(swathe.njit(f)(A), f(A), rtol=1e-14)


def test_names_of_another_module_are_others():
    stack = np.stack([A, 2 * A])
    both = swathe.njit(lambda a: (np.linalg.trace(a), np.trace(a)))
    for got, want in zip(both(stack), both.py_func(stack), strict=True):
        np.testing.assert_array_equal(got, want)
    inverse = swathe.njit(lambda a: linalg.tensorinv(a, 1))
    np.testing.assert_allclose(inverse(A), np.linalg.inv(A))
    chebroots = np.polynomial.chebyshev.chebroots
    roots = swathe.njit(lambda a: (chebroots(a[0]), np.roots(a[0])))
    np.testing.assert_allclose(roots(A)[0], chebroots(A[0]), rtol=1e-12)
    assert not np.allclose(*roots(A))


def test_linalg_error_is_numpys():
    invert = swathe.njit(lambda a: np.linalg.inv(a))
    with pytest.raises(LinAlgError, match="Singular matrix"):
        invert(SINGULAR)
    with pytest.raises(LinAlgError, match="Singular matrix"):
        swathe.njit(lambda a: np.linalg.solve(a, np.ones(3)))(np.stack([A, SINGULAR]))
    with pytest.raises(LinAlgError, match="Matrix is not positive definite"):
        swathe.njit(lambda a: np.linalg.cholesky(a))(-A)
    with pytest.raises(LinAlgError, match="Eigenvalues did not converge"):
        swathe.njit(lambda a: np.linalg.eigvalsh(a))(A * np.nan)
    with pytest.raises(ValueError, match="UPLO argument must be 'L' or 'U'"):
        swathe.njit(lambda a: np.linalg.eigvalsh(a, "X"))(A)
    with pytest.raises(LinAlgError, match="must be square"):
        invert(np.ones((2, 3)))
    with pytest.raises(LinAlgError, match="1-dimensional array given"):
        invert(np.ones(3))


def test_linalg_error_is_caught():
    def attempt(a):
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError:
            return np.zeros((1, 1))

    def renamed(a):
        try:
            return np.linalg.inv(a)
        except (KeyError, LinAlgError):
            return np.zeros((1, 1))

    def base(a):
        try:
            return np.linalg.inv(a)
        except ValueError:
            return np.zeros((1, 1))

    for f in (attempt, renamed, base):
        compiled = swathe.njit(f)
        assert compiled(SINGULAR).shape == (1, 1)
        np.testing.assert_array_equal(compiled(A), np.linalg.inv(A))


PROBLEMS = """
@swathe.njit
def f(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(a)

@swathe.njit
def upper(a):
    return np.linalg.cholesky(a, upper=True), np.linalg.eigvalsh(a), np.linalg.eigvalsh(a, "U")

rng = np.random.default_rng(0)
for n in (0, 1, 2, 5, 40):
    for dtype in ("f8", "c16", "f4", "c8"):
        a = rng.standard_normal((2, n, n)).astype(dtype)
        if a.dtype.kind == "c":
            a += 1j * rng.standard_normal((2, n, n))
        a = a @ a.swapaxes(1, 2).conj() / a.dtype.type(max(n, 1)) + np.eye(n, dtype=dtype)
        b = rng.standard_normal((2, n, 3)).astype(dtype)
        want = (np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(a),
                *upper.py_func(a))
        for x, y in zip((*f(a, b), *upper(a)), want):
            assert x.dtype == y.dtype and x.shape == y.shape
            rtol, atol = (3e-4, 1e-5) if dtype in ("f4", "c8") else (1e-9, 1e-11)
            np.testing.assert_allclose(x, y, rtol=rtol, atol=atol)
        m = a[0].copy()
        m[-1:] = 0
        try:
            f(m, b[0])
            assert n == 0
        except np.linalg.LinAlgError as e:
            assert "Singular matrix" in str(e)
        try:
            f(a[0] * 0 - np.eye(n, dtype=dtype), b[0])
            assert n == 0
        except np.linalg.LinAlgError as e:
            assert "Matrix is not positive definite" in str(e)
@swathe.njit
def rank(a, tol, hermitian):
    return np.linalg.matrix_rank(a, tol, hermitian)

for shape in ((0, 0), (1, 1), (4, 4), (6, 3), (3, 6), (2, 5, 4), (0, 2, 2), (3,), ()):
    for dtype in ("f8", "c16", "f4", "c8", "i8", "?"):
        a = rng.standard_normal(shape) * 3
        a = np.asarray(a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)
        some = a.copy()
        if a.ndim > 1:
            some[..., 1:, :] = some[..., :1, :]
        for x, hermitian in ((a, False), (some, False), (a.T * 0 if a.ndim < 3 else a, a.ndim > 2)):
            if hermitian and x.shape[-1] != x.shape[-2]:
                continue
            for tol in (None, 0.5):
                try:
                    want = np.linalg.matrix_rank(x, tol, hermitian)
                except ValueError as e:
                    want = ValueError
                try:
                    got = rank(x, tol, hermitian)
                except ValueError:
                    got = ValueError
                assert type(got) is type(want) and np.array_equal(got, want), (shape, dtype, tol)
rows = np.array([[0.0, 2, 1], [3, 0, 5], [4, 1, 0]])  # which needs every exchange
np.testing.assert_allclose(f(rows @ rows.T, rows)[2], np.linalg.det(rows @ rows.T))
np.testing.assert_allclose(swathe.njit(lambda a: np.linalg.inv(a))(rows), np.linalg.inv(rows))
np.testing.assert_allclose(swathe.njit(lambda a: np.linalg.det(a))(rows), np.linalg.det(rows))
print("fine")
"""


@pytest.mark.parametrize("which", ["own", "loaded"])
def test_lapack_and_our_own(which):
    assert script(PROBLEMS, SWATHE_LAPACK=which) == "fine\n"


def test_same_bits_as_numpy_where_its_lapack_is_found():
    a = np.random.default_rng(5).random((60, 60))
    if not any("openblas" in line for line in open("/proc/self/maps")):
        pytest.skip("NumPy has another LAPACK here")
    np.testing.assert_array_equal(swathe.njit(lambda a: np.linalg.inv(a))(a), np.linalg.inv(a))
    assert swathe.njit(lambda a: np.linalg.det(a))(a) == np.linalg.det(a)


# --- Fourier transforms ---------------------------------------------------------------------

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 30, 49, 53, 60, 97, 128, 265, 1000, 1009, 2 * 1013]


def test_transforms_of_each_length():
    @swathe.njit
    def f(z):
        return np.fft.fft(z), np.fft.ifft(z), np.fft.rfft(z.real), np.fft.irfft(z, len(z))

    rng = np.random.default_rng(8)
    for n in LENGTHS:  # of small factors, and by way of a convolution
        z = (rng.standard_normal(2 * n) + 1j * rng.standard_normal(2 * n))[::-2]
        for got, want in zip(f(z), f.py_func(z), strict=True):
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=0, atol=2e-15 * np.abs(want).max())


TRANSFORMS = """
@swathe.njit
def f(z):
    x = z.real
    return (np.fft.ifft(z), np.fft.irfft(z, 6), np.fft.irfft(z, 9), np.fft.irfft(z, axis=-2, n=5),
            np.fft.fft(z), np.fft.fft(z, axis=0), np.fft.rfft(x), np.fft.rfft(x, 7),
            np.fft.rfft(x, 8, 0))

rng = np.random.default_rng(12)
for shape in ((1, 1), (1, 60), (3, 97), (70, 8), (2, 5, 12), (0, 4), (130, 3, 4), (1, 4099)):
    z = rng.standard_normal((2, *shape)) + 1j * rng.standard_normal((2, *shape))
    for given in (z, z[..., ::-1], z.swapaxes(0, 1)):
        if 0 in given.shape[:1]:
            continue
        for k, (got, want) in enumerate(zip(f(given), f.py_func(given))):
            np.testing.assert_allclose(got, want, rtol=0, atol=1e-14 * np.abs(want).max(initial=1))
            if os.environ["SWATHE_FFT"] != "own" and np.__version__ > "2" and k > 3:  # no factor
                np.testing.assert_array_equal(got, want)
print("fine")
"""


@pytest.mark.parametrize("which", ["own", "lent"])
def test_numpys_transforms_and_our_own(which):
    assert script(TRANSFORMS, SWATHE_FFT=which) == "fine\n"


def test_errors_of_transforms():
    a = np.arange(4.0)
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\)"):
        swathe.njit(lambda a: np.fft.fft(a, 0))(a)
    with pytest.raises(ValueError, match="Invalid norm value half"):
        swathe.njit(lambda a: np.fft.fft(a, norm="half"))(a)
    with pytest.raises(IndexError, match="out of range"):
        swathe.njit(lambda a: np.fft.fft(a, axis=1))(a)
    for n in (4, 3):
        with pytest.raises(TypeError) as want:
            np.fft.rfft(a + 0j, n)
        with pytest.raises(TypeError) as got:
            swathe.njit(lambda a, n: np.fft.rfft(a, n))(a + 0j, n)
        assert str(got.value).split("\n")[0] == str(want.value)


# --- signals, memory, threads, devices ------------------------------------------------------


def test_ctrl_c_between_lanes_and_after_one():
    said = script("""
        def soon(seconds):
            subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -INT {os.getpid()}"])
        f = swathe.njit(lambda a: a.sort())
        many = np.random.rand(4000, 2000) + 0j
        f(many[:1])
        soon(0.05)
        try:
            f(many)
            print("to the end")
        except KeyboardInterrupt:
            lanes = [bool((np.diff(row.real) >= 0).all()) for row in (many[0], many[-1])]
            print("stopped", lanes)
        one = np.random.rand(5_000_000)
        soon(0.05)
        try:
            f(one)
            time.sleep(5)
        except KeyboardInterrupt:
            print("not lost", bool((np.diff(one) >= 0).all()))
    """)
    assert said == "stopped [True, False]\nnot lost True\n"


def test_no_memory():
    said = script("""
        f = swathe.njit(lambda a: a.sort())
        f(np.zeros(3))
        a = np.full(20_000_000, -0.0)  # whose order takes more than NumPy's sort, in place
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (64 << 20),) * 2)
        try:
            f(a)
        except MemoryError as e:
            print("MemoryError")
    """)
    assert said == "MemoryError\n"


def test_two_threads():
    @swathe.njit
    def f(a, m):
        return np.sort(a), np.linalg.inv(m)

    rng = np.random.default_rng(6)
    given = [(rng.random(5000), rng.random((20, 20)) + np.eye(20)) for _ in range(40)]
    f(*given[0])
    with ThreadPoolExecutor(2) as pool:
        for (a, m), (r, i) in zip(given, pool.map(lambda g: f(*g), given), strict=True):
            np.testing.assert_array_equal(r, np.sort(a))
            np.testing.assert_allclose(i, np.linalg.inv(m), rtol=1e-8)


def test_parallel_loop_over_problems():
    def f(a, m, out):
        for i in swathe.prange(a.shape[0]):
            a[i].sort()
            out[i] = np.linalg.det(m[i])

    a, m = np.random.default_rng(7).random((300, 50)), np.random.default_rng(8).random((300, 3, 3))
    want, got = np.zeros(300), np.zeros(300)
    sorted_, given = a.copy(), a.copy()
    f(sorted_, m, want)
    compiled = swathe.njit(parallel=True)(f)
    compiled(given, m, got)
    np.testing.assert_array_equal(given, sorted_)
    np.testing.assert_array_equal(got, want)
    assert "in chunks, on all workers" in str(compiled.explain())


def test_race_through_a_kernel_is_found():
    @swathe.njit(parallel=True, debug=True)
    def f(a):
        for i in swathe.prange(9):
            a[i : i + 2].sort()

    with pytest.raises(swathe.errors.RaceError, match="element of 'a' that iteration 0"):
        f(np.arange(20.0)[::-1].copy())


def test_kernels_for_devices_refuse_it():
    from swathe import gpu

    @gpu.jit
    def f(a, out):
        if gpu.grid(1) < 1:
            a.sort()
            out[0] = np.linalg.det(a.reshape(2, 2))

    out = np.zeros(1)
    f[1, 1](np.array([4.0, 2, 3, 1]), out)  # on the CPU
    assert out[0] == np.linalg.det(np.array([[1.0, 2], [3, 4]]))
    for device in swathe.devices():
        if device.backend == "native":
            continue
        with pytest.raises(swathe.UnsupportedError, match="'sort' is work of a library") as e:
            f[1, 1, swathe.Queue(device)](np.zeros(4), out)
        assert "hint: call it before or after the kernel" in str(e.value)
        break
