"""The golden IR tests, one pytest case a file."""

from __future__ import annotations

import os
import re
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


def test_each_pass_has_one() -> None:
    passes = re.findall(r"(?m)^PASS\((\w+)", (ROOT / "core" / "def" / "pass.def").read_text())
    runs = [p.read_text().split("\n", 1)[0] for p in FILES]
    named = {x for run in runs for x in re.findall(r"--pass(?:es)? (\S+)", run)}
    tested = {x for names in named for x in names.split(",")}
    assert passes and not set(passes) - tested
