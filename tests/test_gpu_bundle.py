# SPDX-License-Identifier: BSD-3-Clause
"""What runs on a machine with a GPU: it runs without one, and its report says what came of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    assert step["failed"] == 0 and step["passed"] >= 15, step  # it computes: standin.py
    assert step["skipped"] <= 10


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


# ---- the first contact ---------------------------------------------------------------------------


def contact(folder: Path, *args: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Run probes; return the status, what came of each, and what people read."""
    command = [sys.executable, ROOT / "tools/gpu_contact.py", "--out", folder, *args]
    r = subprocess.run(command, capture_output=True, text=True, timeout=570)
    lines = (folder / "contact.jsonl").read_text().splitlines()
    found = {one["probe"]: one for one in map(json.loads, lines)}
    return r.returncode, found, (folder / "contact.md").read_text()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_first_contact_with_a_stand_in(tmp_path: Path) -> None:
    """Every probe runs, and finds what it should find."""
    from gpu_contact import LIMITS

    assert list(LIMITS)[0] == "driver" and list(LIMITS)[-1] == "grid_barrier_with_a_failure"
    assert sum(LIMITS.values()) < 1500
    status, found, text = contact(tmp_path, "--fake", "--limit", "200")
    bad = {k: v for k, v in found.items() if v["verdict"] not in ("ok", "not here")}
    assert status == 0 and not bad, bad
    assert list(found) == list(LIMITS)
    absent = {k for k, v in found.items() if v["verdict"] == "not here"}
    assert absent <= {"loops", "torch", "cupy"}, absent
    assert "first_call_ms" in text and "'arch': 86" in text


def test_first_contact_goes_on(tmp_path: Path) -> None:
    """After what hangs, crashes or is wrong, and all of it is written down."""
    names = ["selftest_hangs", "selftest_crashes", "selftest_wrong", "nothing", "driver"]
    status, found, text = contact(tmp_path, "--only", ",".join(names), "--limit", "4")
    assert status == 1 and list(found) == names
    verdicts = [found[n]["verdict"] for n in names[:4]]
    assert verdicts == ["hangs", "killed by SIGSEGV", "fails", "fails"]
    assert found["selftest_hangs"]["facts"] == [{"before": "it hangs"}]
    assert "some numbers" in text and "KeyError: 'nothing'" in text


def test_first_contact_out_of_time(tmp_path: Path) -> None:
    names = ["selftest_hangs", "selftest_wrong"]
    status, found, _ = contact(tmp_path, "--only", ",".join(names), "--seconds", "2")
    assert status == 1
    assert [found[n]["verdict"] for n in names] == ["hangs", "no time was left"]
