# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops on CUDA devices: calls of the driver's stand-in, kernels through the assembler.

What they compute is seen on OpenCL (test_offload.py): both are made of the same IR.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ptx import CC, assemble, build_fake

PROGRAM = """
import pathlib, sys
import numpy as np
import test_offload as t
import test_offload_more as more
import swathe
from swathe import _offload

folder, bench = pathlib.Path(sys.argv[1]), t.bench
build = _offload._Twin.build

def keep(self, source, n):
    (folder / f"{len(list(folder.iterdir()))}.ptx").write_bytes(source)
    return build(self, source, n)

_offload._Twin.build = keep
calls = [(f, a, {}) for f, a in t.CASES]
calls += [(swathe.njit(parallel=True)(f), a, {}) for f, a, _ in (*more.ROWS, *more.COMBINED)]
for k in bench.KERNELS:
    if k.name in ("sum2d", "softmax", "sixterm32", "monte_carlo", "black_scholes"):
        f = swathe.njit(parallel=True)(bench.bind(k.function, t.prange))
        calls.append((f, k.make(np.random.default_rng(1), 0.001), {}))
opts = t.par({"N": t.threads(30), "M": t.threads(64).reduce()})
calls.append((t.labelled(), (t.A, t.A[0].copy(), np.zeros(30), 30), {"opts": opts}))
queue = swathe.Queue("cuda")
t.called(queue.zeros(100))
for f, args, names in calls:
    with swathe.device_context(queue):
        f(*args, **names)
assert swathe._core.dev_live_bytes(queue.device._open()) < 65536
"""


@pytest.fixture(scope="module", params=[75, 90])
def modules(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, list[str]]:
    """The PTX of all calls of the program, for one architecture."""
    if CC is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("offload")
    build_fake(folder / "libfakecuda.so")
    out = folder / "ptx"
    out.mkdir()
    here = Path(__file__).parent
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(folder / "libfakecuda.so"),
        "FAKE_CUDA_ARCH": str(request.param),
        "SWATHE_CACHE_SIZE": "0",
        "PYTHONPATH": str(here),
    }
    command = [sys.executable, "-c", PROGRAM, out]
    r = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    if r.returncode and "Skipped" in r.stderr:
        pytest.skip("needs OpenCL for its reference")
    assert r.returncode == 0, r.stdout + r.stderr
    return request.param, [p.read_text() for p in sorted(out.iterdir())]


def test_assembles(modules: tuple[int, list[str]], tmp_path: Path) -> None:
    arch, texts = modules
    assert len(texts) > 20
    for text in texts:
        assert ".visible .entry swathe_k0" in text and f"sm_{arch}" in text
        assemble(text, arch, tmp_path)
