# SPDX-License-Identifier: BSD-3-Clause
"""Each request of a call for memory fails: it gives its result or MemoryError; nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import failing_memory
import pytest

HERE = Path(__file__).resolve().parent
CC = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")

pytestmark = [
    pytest.mark.skipif(CC is None, reason="needs a C compiler"),
    pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="has malloc itself"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("malloc") / "failing_malloc.so"
    source = HERE / "c" / "failing_malloc.c"
    subprocess.run([str(CC), "-shared", "-fPIC", "-O1", source, "-o", out], check=True)
    return out


@pytest.mark.parametrize("name", [f.__name__ for f, _ in failing_memory.CASES])
def test_requests_that_fail(library: Path, name: str) -> None:
    env = os.environ | {"LD_PRELOAD": str(library), "SWATHE_CACHE_SIZE": "0"}
    command = [sys.executable, HERE / "failing_memory.py", name]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    asked = [int(n) for n in ran.stdout.split()[1:]]
    assert len(asked) == 2 and min(asked) > 1  # the last of them is the call in which none failed
