"""The benchmarks run, and every kernel gives C's result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_kernels_agree_with_c() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "kernels.py", "--quick", "--rounds", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_containers_agree_with_python() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "containers.py", "--quick", "--rounds", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
