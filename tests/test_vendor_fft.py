# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms on a device: cuFFT's stand-in and our own kernels beside NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from vendor_libs import build, needs_cc, run

from swathe.vendor import fft

pytestmark = needs_cc


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), "cufft")


CODE = """
from swathe.vendor import fft
def check(name, a, *args, **names):
    got = getattr(fft, name)(q.to_device(a), *args, **names)
    close(got, getattr(np.fft, name)(a, *args, **names), (name, a.shape, a.dtype, args, names))

for dtype in DTYPES:
    real = np.empty(0, dtype).real.dtype
    for n in LENGTHS:
        a = random((3, n), dtype)
        for name in ("fft", "ifft"):
            check(name, a)
        check("rfft", a.real.copy())
        check("irfft", a, n=2 * n - 1)
for norm in ("ortho", "forward", "backward"):
    a = random((2, 6), "c16")
    for name in ("fft", "ifft", "irfft", "hfft"):
        check(name, a, norm=norm)
    for name in ("rfft", "hfft", "ihfft"):
        check(name, a.real.copy(), norm=norm)
a = random((4, 6, 5), "c16")
for axis in (0, 1, -1):
    for n in (None, 3, 8):
        check("fft", a, n=n, axis=axis)
        check("irfft", a, n=n, axis=axis)
        check("hfft", a[::2, :, ::-1], n=n, axis=axis)
        check("rfft", a.real.copy(), n=n, axis=axis)
        check("ihfft", a.real.astype(np.float32), n=n, axis=axis)
for name in ("fft2", "ifft2", "fftn", "ifftn", "irfft2", "irfftn"):
    check(name, a)
    check(name, a, axes=(2, 0))
    check(name, a, s=(3, 7), axes=(0, 2))
for name in ("rfft2", "rfftn"):
    check(name, a.real.copy())
    check(name, a.real.copy(), axes=(2, 0))
b = random((2, 3, 2, 5, 3), "c16")
check("fftn", b)
check("ifftn", b, axes=(3, 0, 1, 4))
check("rfftn", b.real.copy())
check("irfftn", b)
check("fft", np.arange(6))
check("fft", a[::2, :, ::-1])
d = q.to_device(a)
close(fft.fft(d[::2, :, ::-1]), np.fft.fft(a[::2, :, ::-1]))
close(fft.irfftn(d), np.fft.irfftn(a))
close(d, a, "the input is as it was")
check("fft", np.zeros((0, 4)))
raises(ValueError, "Invalid number of FFT data points (0)", fft.fft, d, n=0)
raises(ValueError, "Invalid norm", fft.fft, d, norm="x")
raises(IndexError, "axis 3", fft.fft, d, axis=3)
raises(TypeError, "real numbers", fft.rfft, d)
"""


def test_cufft(libs: Path, tmp_path: Path) -> None:
    code = CODE.replace("DTYPES", '("c8", "c16")').replace("LENGTHS", "(1, 2, 3, 8, 15, 22)")
    more = """
lib = library("cufft")
before = lib.fake_vendor_alive()
for n in range(2, 60):
    fft.fft(q.zeros(n))
assert lib.fake_vendor_alive() <= 32 + before - 32, lib.fake_vendor_alive()
other = swathe.Queue("cuda:1")
fft.fft(other.zeros(8))
assert lib.fake_vendor_alive() == 33
del other
gc.collect()
assert lib.fake_vendor_alive() == 32
lib.fake_vendor_fail(b"cufftPlanMany", 2)
e = raises(errors.LibraryError, "CUFFT_ALLOC_FAILED", fft.fft, q.zeros(99))
assert e.status == "CUFFT_ALLOC_FAILED"
fft.fft(q.zeros(99))
del d, e
"""
    run(libs, tmp_path, code + more)


def test_own_kernels(libs: Path, tmp_path: Path) -> None:
    lengths = "(1, 2, 7, 11, 13, 16, 30, 32, 42, 63, 210, 251, 500)"
    code = CODE.replace("DTYPES", '("c16",)').replace("LENGTHS", lengths)
    more = """
check("fft", random(3, "c8"))
import weakref
other = swathe.Queue("cuda")
fft.fft(other.zeros(33)), fft.fft(other.zeros(34))
gone = weakref.ref(other)
gc.disable()
del other
assert gone() is None, "tables keep their queue alive"
for n in range(2, 60):  # tables are not kept for ever
    fft.fft(q.zeros(n))
assert len(q.__dict__["_fft_tables"]) <= 16
"""
    run(libs, tmp_path, code + more, with_libraries=False)


def test_on_the_host() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    for name in fft.__all__:
        if name != "execute":
            assert np.array_equal(getattr(fft, name)(a), getattr(np.fft, name)(a))
    assert np.array_equal(fft.fftn(a, s=(2, 2)), np.fft.fftn(a, s=(2, 2), axes=(-2, -1)))
