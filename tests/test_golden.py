"""The golden IR tests, one pytest case a file."""

from __future__ import annotations

import os
from pathlib import Path

import golden
import pytest

ROOT = Path(__file__).resolve().parent.parent
SWC = Path(os.environ.get("SWATHE_SWC", ROOT / "build" / "swc"))
FILES = sorted((ROOT / "tests" / "ir").rglob("*.ir"))


@pytest.mark.parametrize(
    "path", FILES, ids=[str(p.relative_to(ROOT / "tests" / "ir")) for p in FILES]
)
def test_golden(path: Path) -> None:
    if not SWC.exists():
        pytest.skip("swc is not built here")
    problem = golden.check(path, SWC)
    assert not problem, f"{path}\n{problem}"
