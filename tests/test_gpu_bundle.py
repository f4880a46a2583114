# SPDX-License-Identifier: BSD-3-Clause
"""What runs on a machine with a GPU: it runs without one, and its report says what came of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tools/gpu_run.py", "--out", folder, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_report_of_a_stand_in(tmp_path: Path) -> None:
    r = run(tmp_path, "--fake", "--only", "device")
    assert r.returncode == 0, r.stdout + r.stderr
    assert r.stdout.splitlines()[1].startswith("# swathe on Fake 0")
    step = json.loads((tmp_path / "report.json").read_text())["steps"]["device"]
    assert (step["failed"], step["skipped"]) == (0, 1)
    assert "a library stands in for the driver" in (tmp_path / "log.txt").read_text()


def test_out_of_time(tmp_path: Path) -> None:
    r = run(tmp_path, "--only", "device,kernels", "--seconds", "1")
    assert r.returncode == 1
    steps = json.loads((tmp_path / "report.json").read_text())["steps"]
    assert [s["code"] for s in steps.values()] == [124, 124]


def test_flags_for_another_python() -> None:
    from gpu_bundle import include_of

    numpy = Path("/there")
    assert include_of("-I/usr/include/python3.11", "/usr/include/python3.12", numpy) == (
        "-I/usr/include/python3.12"
    )
    assert include_of("/x/numpy/_core/include", "", numpy) == "/there/numpy/_core/include"
    assert include_of("-I../core", "", numpy) == "-I../core"
