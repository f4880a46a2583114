#!/usr/bin/env python3
"""Print the source files of one part of the build, one a line, sorted.

meson asks at configure time, and the Makefile compares the lists to see when it must
configure again, so a new file is picked up by the next `make` with no list to edit.

    tools/sources.py core | swc | llvm | py | tables | made_from | python | all
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PARTS: dict[str, tuple[str, ...]] = {
    # The C library: everything under core/ but LLVM's back end and the driver.
    "core": (
        "core/base/*.c",
        "core/ast/*.c",
        "core/type/*.c",
        "core/sema/*.c",
        "core/ir/*.c",
        "core/interp/*.c",
        "core/numpy/*.c",
        "core/lower/*.c",
        "core/pass/*.c",
        "core/pass/*/*.c",
        "core/gen/*.c",
        "core/gen/opencl/*.c",
        "core/dev/*.c",
        "core/dev/cpu/*.c",
        "core/dev/opencl/*.c",
        "core/dev/cuda/*.c",
        "core/kernel/*.c",
        "core/rt/*.c",
    ),
    "swc": ("core/swc*.c",),
    "kernels": ("core/kernel/lib/*.c",),
    "llvm": ("core/gen/llvm/*.c", "core/gen/llvm/*.cpp"),
    "py": ("py/*.c",),
    "tables": (
        "core/def/*.def",
        "core/kernel/lib/*.c",
        "tools/tables.py",
        "python/swathe/lib/*.py",
    ),
    # What becomes of IR depends on these.
    "made_from": tuple(
        f"core/{folder}/**/*.{kind}"
        for folder in ("base", "def", "dev", "gen", "ir", "kernel", "pass", "rt", "type")
        for kind in ("c", "h", "cpp", "def")
    ),
    "python": (
        "python/swathe/**/*.py",
        "python/swathe/**/*.pyi",
        "python/swathe/py.typed",
    ),
}


def sources(part: str) -> list[str]:
    """Return the files of a part, relative to the root of the repository."""
    found = {p for pattern in PARTS[part] for p in ROOT.glob(pattern)}
    return sorted(str(p.relative_to(ROOT)) for p in found)


def main() -> int:
    """Print the files of the part that the command line names."""
    part = sys.argv[1]
    for name in PARTS if part == "all" else (part,):
        for path in sources(name):
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
