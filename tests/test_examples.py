"""The examples run, and compute what CPython computes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_demo(tmp_path: Path) -> None:
    pytest.importorskip("skimage")
    pytest.importorskip("matplotlib")
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py", "--size", "96", "--out", tmp_path],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "photograph.png").stat().st_size > 10_000


def _run(name: str, *args: object) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_heat(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = _run("heat.py", "--size", 60, "--steps", 200, "--out", tmp_path)
    assert "largest difference from CPython: 0.0" in out
    assert (tmp_path / "heat.png").stat().st_size > 10_000


def test_monte_carlo() -> None:
    out = _run("monte_carlo.py", "--paths", 2000)
    assert "the same bits on any number of threads: True" in out
    few = out.splitlines()[0].replace(",", "").split()
    assert few[3] == few[5]


def test_matvec_labels() -> None:
    assert _run("matvec_labels.py", "--size", 50).count("same bits") == 3


def test_mandelbrot_cudapy() -> None:
    out = _run("mandelbrot_cudapy.py", "--width", 128, "--height", 60)
    assert out.count("is right: True") == 3
    assert "%%%" in out


def test_graphs() -> None:
    pytest.importorskip("scipy")
    assert _run("graphs.py", "--edges", 4000).count("agree") == 5


def test_array_api() -> None:
    """SciPy's functions and scikit-learn's estimators take lazy arrays."""
    pytest.importorskip("scipy")
    pytest.importorskip("sklearn")
    assert _run("array_api.py").count("LazyArray") == 10
