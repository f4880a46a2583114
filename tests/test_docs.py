"""The code in the documentation runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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


def dumps(program: Path) -> dict[str, str]:
    """What is printed of a program after each stage, from the first line that a page shows."""
    env = os.environ | {"SWATHE_DUMP": "all", "SWATHE_CACHE_SIZE": "0"}
    ran = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    parts = re.split(r"^# ---- (\w+): \w+\n", ran.stderr, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_stages_of_axpy(tmp_path: Path) -> None:
    """docs/axpy.md shows what is printed now; of machine code, the operations of its loop."""
    page = ROOT / "docs" / "axpy.md"
    shown = dict(
        re.findall(r"^```text stage=(\w+)\n(.*?)^```", page.read_text(), flags=re.S | re.M)
    )
    program = tmp_path / "axpy.py"
    program.write_text(blocks(page)[0])
    made = dumps(program)
    assert list(shown) == ["ast", "types", "lower", "fold", "bounds", "safepoint", "asm"]
    for name in list(shown)[:-1]:
        assert shown[name] in made[name], name
    command = [os.environ.get("SWATHE_SWC", ROOT / "build" / "swc"), "--asm", "--cpu", "x86-64-v3"]
    if not Path(command[0]).exists():
        pytest.skip("swc is not built here")
    text = subprocess.run(command, input=made["safepoint"], capture_output=True, text=True).stdout
    assert "vfmadd" not in text
    for operation in set(re.findall(r"^ +(v\w+)", shown["asm"], flags=re.M)):
        assert re.search(rf"\t{operation}\t.*ymm", text), operation


def without_lines(picture: object) -> str:
    """A picture without the names of files, which depend on who draws it."""
    return re.sub(r"<title>.*?</title>", "", str(picture)) + "\n"


def test_pictures_of_the_gallery(tmp_path: Path) -> None:
    """docs/gallery.md shows what is drawn now; SWATHE_UPDATE=1 draws anew."""
    page, names = ROOT / "docs" / "gallery.md", {}
    for number, code in enumerate(blocks(page)):
        file = tmp_path / f"gallery_{number}.py"
        file.write_text(code)
        exec(compile(code, str(file), "exec"), names)
    shown = re.findall(r"\]\((\w+\.svg)\)", page.read_text())
    pictures = [without_lines(names[name]) for name in ("picture", "wave_picture")]
    assert shown == ["layer_norm.svg", "wave.svg"]
    for name, drawn in zip(shown, pictures, strict=True):
        if os.environ.get("SWATHE_UPDATE"):
            (ROOT / "docs" / name).write_text(drawn)
        assert (ROOT / "docs" / name).read_text() == drawn
