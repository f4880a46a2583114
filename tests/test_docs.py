"""The code in the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.S | re.M)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_code_runs(page: Path, tmp_path: Path) -> None:
    names: dict = {}
    for number, code in enumerate(blocks(page)):
        file = tmp_path / f"{page.stem}_{number}.py"  # a file, so that the source is found
        file.write_text(code)
        exec(compile(code, str(file), "exec"), names)
