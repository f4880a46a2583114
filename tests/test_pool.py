# SPDX-License-Identifier: BSD-3-Clause
"""The pool of workers: its C test under the sanitizers, and what Python sees of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_support import CC, ENV, FLAGS, ROOT, SOURCES

KINDS = ("address,undefined", "thread")


@pytest.fixture(scope="module", params=KINDS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build tests/c/pool.c with a sanitizer."""
    if CC is None:
        pytest.skip("needs a C compiler")
    out = tmp_path_factory.mktemp("pool") / "pool"
    flags = [f for f in FLAGS if not f.startswith("-fsanitize=")]
    sources = [ROOT / "tests/c/pool.c", *SOURCES]
    command = [CC, *flags, f"-fsanitize={request.param}", *map(str, sources), "-o", str(out)]
    r = subprocess.run([*command, "-lm", "-ldl", "-lpthread"], capture_output=True, text=True)
    if r.returncode and "sanitize" in r.stderr and "cannot find" in r.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert r.returncode == 0, r.stderr
    return out


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_pool(program: Path, tmp_path: Path, threads: int):
    r = subprocess.run(
        [program, tmp_path],
        capture_output=True,
        text=True,
        env=ENV | {"SWATHE_NUM_THREADS": str(threads)},
        timeout=300,
    )
    assert r.returncode == 0, r.stdout + r.stderr
