# SPDX-License-Identifier: BSD-3-Clause
"""The interface to CUDA's driver, against a library that stands in for it (tests/c/fake_cuda.c).

Each callback is driven by tests/c/cuda.c under the sanitizers, with each call of the driver failing
in turn.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ptx import CC, FLAGS, ROOT, build_fake, compile_c

ENV = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "ASAN_OPTIONS")}

pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")


@pytest.fixture(scope="session")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands in for libcuda.so.1."""
    out = tmp_path_factory.mktemp("cuda") / "libfakecuda.so"
    build_fake(out)
    return out


def test_driver(fake: Path, tmp_path: Path):
    program = tmp_path / "cuda"
    sources = [
        *sorted((ROOT / "core/dev/cuda").glob("*.c")),
        *(ROOT / "core/dev" / f for f in ("error.c", "rows.c")),
    ]
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    test = ROOT / "tests/c/cuda.c"
    command = [
        *FLAGS,
        *sanitize,
        f"-I{ROOT}/core",
        *sources,
        test,
        "-o",
        program,
        "-ldl",
        "-lpthread",
    ]
    compile_c(*command)
    env = ENV | {"ASAN_OPTIONS": "detect_leaks=1"}
    r = subprocess.run([program, fake], capture_output=True, text=True, env=env, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr


def test_every_function_is_checked_for_its_name():
    """The symbols looked up are those that the stand-in has."""
    header = (ROOT / "core/dev/cuda/cu.h").read_text()
    files = ("fake_cuda.c", "fake_copy.h", "fake_module.h")
    stand_in = "".join((ROOT / "tests/c" / f).read_text() for f in files)
    names = {
        line.split('"')[1] for line in header.splitlines() if line.lstrip().startswith("CU_FN(")
    }
    assert len(names) > 45
    assert [n for n in sorted(names) if f"\n{n}(" not in stand_in] == []
