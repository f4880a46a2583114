# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of CUDA devices share: IR text to PTX by swc, and NVIDIA's assembler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SWC = ROOT / "build/swc"
BACKEND = ROOT / "build/libswathe_llvm.so"
CC = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
ARCHS = (75, 80, 90, 100)


@cache
def ptxas() -> str | None:
    """Return the assembler: on the path, of a toolkit, or of the package nvidia-cuda-nvcc."""
    found = shutil.which("ptxas")
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin"]
    packages = Path(sysconfig.get_paths()["purelib"])
    folders += [str(p.parent) for p in packages.glob("nvidia/*/bin/ptxas")]
    return found or next(
        (p for f in folders if (p := shutil.which("ptxas", path=f)) is not None), None
    )


def to_ptx(
    source: str, arch: int = 80, *options: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Compile IR text for a device."""
    command = [SWC, "--target", "ptx", "--arch", str(arch), "--asm", "--backend", BACKEND, *options]
    return subprocess.run(
        command,
        input=source,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | (env or {}),
    )


def assemble(text: str, arch: int, folder: Path) -> None:
    """Let ptxas say whether the text is right; skips where there is none."""
    tool = ptxas()
    if tool is None:
        pytest.skip("needs ptxas (of the CUDA toolkit or of the package nvidia-cuda-nvcc)")
    (folder / "k.ptx").write_text(text)
    r = subprocess.run(
        [tool, f"-arch=sm_{arch}", folder / "k.ptx", "-o", folder / "k.cubin"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "is not defined for option 'gpu-name'" in r.stderr + r.stdout:
        pytest.skip(f"this ptxas does not know sm_{arch}")
    assert r.returncode == 0, r.stdout + r.stderr + text


def compile_c(*args: str | Path) -> None:
    """Run the C compiler."""
    r = subprocess.run([str(CC), *map(str, args)], capture_output=True, text=True)
    assert r.returncode == 0, r.stderr


def build_fake(out: Path) -> None:
    """Build the library that stands in for libcuda.so.1."""
    compile_c(*FLAGS, "-shared", "-fPIC", ROOT / "tests/c/fake_cuda.c", "-o", out)
