"""Kernels on a CUDA device that a library stands in for: what is made of them assembles, what is
launched is what the kernel takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import ptx  # noqa: E402
from test_kernels import NAMES  # noqa: E402

pytestmark = pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")

RUN = """
import json, sys
from pathlib import Path
import kernels, kernels_atomic, kernels_more, kernels_whole, swathe
from swathe import _core, gpu

folder, out, made = Path(sys.argv[1]), {}, []
build = _core.dev_module
def record(device, source, *rest):
    made.append(source)
    return build(device, source, *rest)
_core.dev_module = record
queue = swathe.Queue("cuda")
for n, case in enumerate(kernels.CASES):
    made.clear()
    kernel = gpu.jit(case.kernel.py_func, boundscheck=n % 3 != 0)
    try:
        kernel[case.grid, case.block, queue, case.shared](*case.args())
        queue.sync()
    except Exception as e:
        out[n] = f"{type(e).__name__}: {e}"
        continue
    (folder / f"{n}.ptx").write_bytes(made[-1].rstrip(b"\\0"))
    out[n] = ""
(folder / "out.json").write_text(json.dumps(out))
"""


@pytest.fixture(scope="module", params=ptx.ARCHS)
def made(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path, Any]:
    """Run all kernels for a device of an architecture, in a process of its own."""
    folder = tmp_path_factory.mktemp("cuda")
    fake = folder / "libfakecuda.so"
    ptx.build_fake(fake)
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(fake),
        "FAKE_CUDA_ARCH": str(request.param),
        "PYTHONPATH": str(HERE),
    }
    r = subprocess.run(
        [sys.executable, "-c", RUN, folder], env=env, capture_output=True, text=True, timeout=600
    )
    assert r.returncode == 0, r.stderr
    assert "fake_cuda:" not in r.stderr
    return request.param, folder, json.loads((folder / "out.json").read_text())


@pytest.mark.parametrize("n", range(len(NAMES)), ids=NAMES)
def test_assembles(made: tuple[int, Path, Any], n: int, tmp_path: Path) -> None:
    arch, folder, out = made
    assert out[str(n)] == ""
    ptx.assemble((folder / f"{n}.ptx").read_text(), arch, tmp_path)
