#!/usr/bin/env python3
"""Compile the units that come with the package: functions of swathe.lib for common types.

tools/units.py OUTPUT BUILD     BUILD: the folder of the extension module and its libraries

Runs tools/unit_programs.py with an empty cache, for the processor that all units of a package are
made for, and packs the units that it finds in the cache then. Each is a file as the cache has it;
before them, the table of core/rt/unit.c says where. Where this machine can't run such code, the
table is empty, and units are compiled when they are first used.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = "x86-64-v3"  # GEN_BASELINE of core/gen/gen.h
MAGIC = b"swunits\n"
LIBRARIES = ("_core*.so", "libswathe_llvm.so", "libswathe_kernels.so", "libsleef.so.3")

PROGRAM = ROOT / "tools" / "unit_programs.py"


def compile_all(build: Path, folder: Path) -> list[Path]:
    """Return the files of all units, by name."""
    package, cache = folder / "swathe", folder / "cache"
    for path in (ROOT / "python" / "swathe").rglob("*.py"):
        link = package / path.relative_to(ROOT / "python" / "swathe")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path)
    for pattern in LIBRARIES:
        for path in build.glob(pattern):
            if path.is_file():
                (package / path.name).symlink_to(path.resolve())
    env = {k: v for k, v in os.environ.items() if not k.startswith("SWATHE_")}
    env |= {"PYTHONPATH": str(folder), "SWATHE_CPU": BASELINE, "SWATHE_CACHE_DIR": str(cache)}
    run = [sys.executable, "-B", str(PROGRAM)]
    keys = subprocess.run(run, env=env, check=True, text=True, stdout=subprocess.PIPE).stdout
    return [cache / k[:2] / k for k in sorted(keys.split())]


def pack(files: list[Path]) -> bytes:
    """Return the table and the files, each of them at a multiple of 16 bytes."""
    rows, blobs, at = b"", b"", len(MAGIC) + 8 + 32 * len(files)
    for path in files:
        blob = path.read_bytes()
        rows += blob[16:32] + struct.pack("=QQ", at + len(blobs), len(blob))
        blobs += blob + bytes(-len(blob) % 16)
    return MAGIC + struct.pack("=Q", len(files)) + rows + blobs


def main() -> int:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        files = compile_all(Path(sys.argv[2]), Path(folder))
        Path(sys.argv[1]).write_bytes(pack(files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
