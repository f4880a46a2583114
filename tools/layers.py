#!/usr/bin/env python3
"""Check who includes whom.

Each folder of the compiler may include itself, `base`, `def`, and what ALLOWED gives it; only
py/ sees Python.h, only gen/llvm sees LLVM. A breach prints as `file:line: what`, and exits 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_MIDDLE = {"sema", "numpy", "lower", "pass", "interp", "gen", "dev", "kernel"}
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "ast": {"type"},
    "type": set(),
    "dev": set(),
    "sema": {"ast", "type"},
    "ir": {"type"},
    "pass": {"ir", "type"},
    "kernel": {"dev", "type"},
    "interp": {"dev", "ir", "kernel", "type"},
    "numpy": {"ir", "type"},
    "gen": {"ir", "type"},
    "lower": {"ast", "sema", "ir", "type", "numpy"},
    "rt": {"ast", "type", "ir"} | _MIDDLE,
    "py": {"rt", "ast", "type"},
}
DRIVER: set[str] = set(ALLOWED) - {"py"}  # swc.c may include everything

# Headers of the outside world, and the one folder each belongs to.
FOREIGN: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"^(Python|structmember|frameobject|datetime)\.h$|^(cpython|internal)/"),
        "py",
    ),
    (
        re.compile(r"^numpy/(arrayobject|ndarray\w+|npy_\w+|ufuncobject|arrayscalars)\.h$"),
        "py",
    ),
    (re.compile(r"^(llvm|llvm-c|lld)/"), "core/gen/llvm"),
    (re.compile(r"^(cuda|cuda_\w+|nvrtc|nvml)\.h$"), "core/dev/cuda"),
    (re.compile(r"^(CL|OpenCL)/"), "core/dev/opencl"),
)

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]')


def files() -> Iterator[Path]:
    """Yield every C and C++ file that the rules apply to."""
    for top in ("core", "py"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in {".c", ".h", ".cpp", ".def"}:
                yield path


def layer(path: Path) -> str:
    """Return the folder of the table that a file belongs to."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "py":
        return "py"
    return parts[1] if len(parts) > 2 else "swc"


def internal(path: Path, name: str) -> str | None:
    """Return the layer of a quoted include, or None for a header of the outside."""
    for base in (ROOT / "core", path.parent, ROOT):
        target = (base / name).resolve()
        if target.exists() and target.is_relative_to(ROOT):
            return layer(target)
    first = name.split("/")[0]
    return first if "/" in name and (first in ALLOWED or first == "def") else None


def breaches(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, message) for every include of a file that the table forbids."""
    here = layer(path)
    folder = str(path.parent.relative_to(ROOT))
    allowed = (DRIVER if here == "swc" else ALLOWED.get(here, set())) | {
        here,
        "base",
        "def",
    }
    if here not in ALLOWED and here not in {"swc", "def"}:
        yield 1, f"folder core/{here} is not in the table of tools/layers.py"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        target = internal(path, name)
        if target is not None and quote == '"':
            if target not in allowed:
                yield number, f"{here} may not include {target} ({name})"
            continue
        for pattern, owner in FOREIGN:
            if pattern.match(name) and not (folder + "/").startswith(owner + "/"):
                yield number, f"only {owner}/ may include {name}"
                break


def main() -> int:
    """Print every breach and return 1 if there is one."""
    count = checked = 0
    for path in files():
        checked += 1
        for line, message in breaches(path):
            print(f"{path.relative_to(ROOT)}:{line}: {message}")
            count += 1
    print(f"layers: {checked} files, {count} breach{'' if count == 1 else 'es'}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
