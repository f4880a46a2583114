#!/usr/bin/env python3
"""Print the longest files and functions of the C and Python sources.

    tools/sizes.py [--quiet]

A file of more than 800 lines, or a line of C of more than 100 characters, exits 1. Functions of
more than 80 lines are listed: they should be an exhaustive switch, or shorter. `--quiet` prints
only what breaks a limit and the summary.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE = 800
MAX_FUNCTION = 80
MAX_LINE = 100  # as .clang-format and ruff have it
TOPS = ("core", "py", "python", "tools", "bench", "examples", "tests")


class Function(NamedTuple):
    """One function: where it is, and how many lines it has."""

    lines: int
    name: str
    path: Path
    start: int


def files() -> Iterator[Path]:
    """Yield the source files, C and Python."""
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".py"} and path.is_file():
                yield path


# A definition starts in the first column: a name and a parenthesis (with the return type on its
# own line above, or before it), and its body opens and closes with a brace in the first column.
C_NAME = re.compile(r"^(?:[A-Za-z_][\w\s*]*[\s*])?(\w+)\s*\(")


def c_functions(path: Path, lines: list[str]) -> Iterator[Function]:
    """Yield the functions of a formatted C file, without parsing it."""
    name, start, opened = "", 0, 0
    for number, line in enumerate(lines, 1):
        match = C_NAME.match(line)
        if match and not opened:
            name, start = match.group(1), number
        if line.rstrip().endswith(";") and line[:1] not in " \t{}" and not opened:
            name = ""
        if line.startswith("{") and name:
            opened = number
        elif line.startswith("}") and opened:
            yield Function(number - start + 1, name, path, start)
            name, opened = "", 0


def py_functions(path: Path, lines: list[str]) -> Iterator[Function]:
    """Yield the functions of a Python file."""
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(size, node.name, path, node.lineno)


def main() -> int:
    """Print the list and return 1 when a file, or a line of C, is too long."""
    quiet = "--quiet" in sys.argv[1:]
    wide = []
    sizes: list[tuple[int, Path]] = []
    functions: list[Function] = []
    for path in files():
        lines = path.read_text().splitlines()
        sizes.append((len(lines), path))
        wide += [
            f"{path.relative_to(ROOT)}:{i}"
            for i, line in enumerate(lines, 1)
            if path.suffix != ".py" and len(line) > MAX_LINE
        ]
        functions += (py_functions if path.suffix == ".py" else c_functions)(path, lines)
    sizes.sort(reverse=True)
    functions.sort(reverse=True)

    too_long = [s for s in sizes if s[0] > MAX_FILE]
    for size, path in too_long if quiet else sizes[:20]:
        mark = "  over 800" if size > MAX_FILE else ""
        print(f"{size:6} {path.relative_to(ROOT)}{mark}")
    for place in wide:
        print(f"{place} over {MAX_LINE} characters")
    long_functions = [f for f in functions if f.lines > MAX_FUNCTION]
    for f in [] if quiet else long_functions or functions[:10]:
        print(f"{f.lines:6} {f.path.relative_to(ROOT)}:{f.start} {f.name}")
    counts = sorted(f.lines for f in functions if f.path.suffix != ".py") or [0]
    print(
        f"sizes: {len(sizes)} files, {sum(s for s, _ in sizes)} lines; C functions: "
        f"{len(counts)}, median {statistics.median(counts):.0f}, "
        f"nine in ten within {counts[int(len(counts) * 0.9)]}; "
        f"{len(long_functions)} over {MAX_FUNCTION} lines, {len(too_long)} files over {MAX_FILE}"
    )
    return 1 if too_long or wide else 0


if __name__ == "__main__":
    sys.exit(main())
