"""The benchmarks run: every kernel gives C's result, every container Python's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("script", ["kernels.py", "containers.py"])
def test_results_agree(script: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / script, "--quick", "--rounds", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
