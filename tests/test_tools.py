"""The repository's own rules: layers, sizes, and no path of one machine in a file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import layers
import pytest
import sizes

ROOT = Path(__file__).resolve().parent.parent


def test_every_include_is_allowed() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for path in layers.files()
        for line, message in layers.breaches(path)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("folder", "include", "ok"),
    [
        ("core/ir", '"type/type.h"', True),
        ("core/ir", '"sema/sema.h"', False),
        ("core/base", '"ir/ir.h"', False),
        ("core/pass", '"def/pass.def"', True),
        ("core/rt", "<Python.h>", False),
        ("py", "<Python.h>", True),
        ("py", '"ir/ir.h"', False),
        ("core/gen", "<llvm-c/Core.h>", False),
        ("core/gen/llvm", "<llvm-c/Core.h>", True),
    ],
)
def test_layers_tells_good_from_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, include: str, ok: bool
) -> None:
    monkeypatch.setattr(layers, "ROOT", tmp_path)
    path = tmp_path / folder / "x.c"
    path.parent.mkdir(parents=True)
    path.write_text(f"#include {include}\n")
    assert (not list(layers.breaches(path))) == ok


def test_no_file_is_too_long() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in sizes.files()
        if (count := len(path.read_text().splitlines())) > sizes.MAX_FILE
    }
    assert not long


def test_sizes_counts_c_functions(tmp_path: Path) -> None:
    text = "static int\nfirst(int a,\n      int b)\n{\n    return a + b;\n}\n\nint x = 3;\n"
    found = list(sizes.c_functions(tmp_path, text.splitlines()))
    assert [(f.name, f.lines) for f in found] == [("first", 5)]


def test_no_file_names_one_machine() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not tracked:
        pytest.skip("not a git checkout")
    pattern = re.compile(r"(?<![\w.])/(home|root|work|Users)/\w|\.\./shared/")
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in tracked
        if (path := ROOT / name).is_file() and path != Path(__file__)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_tools_run_as_programs() -> None:
    for tool in ("layers.py", "sizes.py"):
        done = subprocess.run(
            [sys.executable, str(ROOT / "tools" / tool)], capture_output=True, text=True
        )
        assert done.stdout.splitlines()[-1].startswith(tool.removesuffix(".py"))


def test_reference_pages_follow_the_tables() -> None:
    import docs

    assert not docs.stale(), "run tools/docs.py"
