# SPDX-License-Identifier: BSD-3-Clause
"""Programs on a stand-in for a CUDA device with stand-ins for NVIDIA's libraries, or without.

The libraries (tests/c/fake_cu*.c) compute on the CPU what they are asked for, and look at each
handle, stream, address and size. Launches of kernels compute, too (standin.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ptx import CC, FLAGS, ROOT, build_fake, compile_c

sys.path.insert(0, str(ROOT / "tools"))
from gpu_run import FAKE_LIBRARIES as FILES  # noqa: E402

needs_cc = pytest.mark.skipif(CC is None, reason="needs a C compiler")

HEAD = """
import ctypes, gc, os, sys
import numpy as np
import swathe
from swathe import errors, gpu, vendor
import standin
standin.compute()
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_calls_of.restype = ctypes.c_long
q = swathe.Queue("cuda")
rng = np.random.default_rng(5)

def library(name):
    '''A stand-in for one of NVIDIA's libraries.'''
    lib = ctypes.CDLL(vendor.found()[name])
    lib.fake_vendor_alive.restype = lib.fake_vendor_calls.restype = ctypes.c_long
    return lib

def raises(kind, text, f, *args, **names):
    try:
        f(*args, **names)
    except kind as e:
        assert text in str(e), e
        return e
    raise AssertionError(f"no {kind.__name__}")

def random(shape, dtype):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)

def close(got, want, what=""):
    got = got.copy_to_host() if hasattr(got, "copy_to_host") else np.asarray(got)
    want = np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (what, got.shape, got.dtype)
    single = got.dtype in (np.float32, np.complex64, np.float16)
    np.testing.assert_allclose(got, want, 2e-4 if single else 1e-9, 1e-4 if single else 1e-10,
                               err_msg=str(what))
"""
TAIL = """
del q
gc.collect()
assert not fake.fake_breaches()
"""


def build(folder: Path, *names: str) -> Path:
    """Build the stand-ins for the driver and for some libraries; return the folder of those."""
    build_fake(folder / "libfakecuda.so")
    libs = folder / "libs"
    libs.mkdir()
    for name in names:
        source = ROOT / f"tests/c/fake_{name}.c"
        flags = (*FLAGS, "-O0", "-shared", "-fPIC")
        compile_c(*flags, source, "-o", libs / FILES[name], "-ldl", "-lm")
    return libs


def run(libs: Path, tmp_path: Path, code: str, with_libraries: bool = True) -> Any:
    """Run a program; what it does in the wrong order, or outside of memory, is an error."""
    script = tmp_path / "program.py"
    script.write_text(HEAD + code + TAIL)
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(libs.parent / "libfakecuda.so"),
        "SWATHE_CUDA_LIBS": str(libs) if with_libraries else "own",
        "PYTHONPATH": str(ROOT / "tests"),
    }
    r = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=180
    )
    assert r.returncode == 0, r.stdout + r.stderr
    assert "fake_cuda:" not in r.stderr, r.stderr
    return r
