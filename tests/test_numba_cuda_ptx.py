"""The kernels of the programs for numba.cuda on a CUDA device that a library stands in for: what is
made of them assembles. The stand-in computes nothing, so what the programs compare is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ptx
import pytest

HERE = Path(__file__).resolve().parent

RUN = """
import json, sys
from pathlib import Path
import test_numba_cuda_examples as examples, test_numba_cuda_names as names
import swathe
from swathe import _core, errors

folder, out, made = Path(sys.argv[1]), {}, []
build = _core.dev_module
def record(device, source, *rest):
    made.append(source)
    return build(device, source, *rest)
_core.dev_module = record
for module in (examples, names):
    for name, test in vars(module).items():
        if not name.startswith("test_") or "where" not in test.__code__.co_varnames[:1]:
            continue
        made.clear()
        failed = ""
        with swathe.device_context("cuda"):
            try:
                test("cuda")
            except (errors.CompileError, TypeError) as e:
                failed = f"{type(e).__name__}: {e}"
            except Exception:
                pass
        for k, text in enumerate(made):
            (folder / f"{name}.{k}.ptx").write_bytes(text.rstrip(b"\\0"))
        out[name] = failed or len(made)
(folder / "out.json").write_text(json.dumps(out))
"""


FACTS = """
import json
import numpy as np
import swathe
from test_numba_cuda_names import scale
with swathe.device_context("cuda"):
    from swathe.compat.numba import cuda
    scale[2, 32](cuda.to_device(np.ones(64, np.float32)), 2.0)
    scale[2, 32](cuda.to_device(np.ones(64)), 2.0)
    print(json.dumps([scale.get_regs_per_thread(), scale.get_shared_mem_per_block("any")]))
    print(json.dumps([scale.get_max_threads_per_block(), scale.get_local_mem_per_thread()]))
    print(scale.max_cooperative_grid_blocks(256), cuda.get_current_device().MULTIPROCESSOR_COUNT)
    cuda.synchronize()
"""

pytestmark = pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")


def run(folder: Path, arch: int, code: str) -> str:
    """Run a program in a process of its own, where the stand-in is the driver."""
    fake = folder / "libfakecuda.so"
    ptx.build_fake(fake)
    (folder / "run.py").write_text(code)
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(fake),
        "FAKE_CUDA_ARCH": str(arch),
        "PYTHONPATH": str(HERE),
    }
    r = subprocess.run(
        [sys.executable, folder / "run.py", folder],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert r.returncode == 0 and "fake_cuda:" not in r.stderr, r.stderr
    return r.stdout


def test_facts_of_kernels(tmp_path: Path) -> None:
    first, second, third = run(tmp_path, 80, FACTS).splitlines()
    registers, shared = json.loads(first)
    assert registers == {"(float32[:], float)": 40, "(float64[:], float)": 40} and shared == 512
    assert json.loads(second) == [dict.fromkeys(registers, 1024), dict.fromkeys(registers, 16)]
    blocks, processors = map(int, third.split())
    assert blocks == 6 * processors  # 256 threads of 40 registers


def test_programs_assemble(tmp_path: Path) -> None:
    arch = ptx.ARCHS[-1]
    run(tmp_path, arch, RUN)
    out = json.loads((tmp_path / "out.json").read_text())
    kernels = {k: v for k, v in out.items() if "methods_of_arrays" not in k}
    assert len(kernels) > 20 and all(isinstance(v, int) and v > 0 for v in kernels.values()), out
    for file in sorted(tmp_path.glob("*.ptx")):
        ptx.assemble(file.read_text(), arch, tmp_path)
