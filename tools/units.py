#!/usr/bin/env python3
"""Compile the units that come with the package: functions of swathe.lib for common types.

tools/units.py OUTPUT BUILD     BUILD: the folder of the extension module and its libraries

Calls the functions below with an empty cache, for the processor that all units of a package are
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

PROGRAM = """
import sys
import numpy as np
import swathe

def fill(keys, values):
    d = {}
    for i in range(len(keys)):
        d[keys[i]] = values[i]
    return d

def count(keys):
    d = {}
    for i in range(len(keys)):
        k = keys[i]
        d[k] = d.get(k, 0) + 1
    return len(d)

def count_pairs(keys):
    d = {}
    for i in range(len(keys)):
        k = (keys[i], keys[i] + 1)
        d[k] = d.get(k, 0) + 1
    return len(d)

def one(k, v):
    d = {}
    d[k] = v
    return d

def merge(d, e):
    r = d.copy()
    r.update(e)
    return r

def equal(d, e):
    return d == e

def order(x):
    x.sort()
    return x

def order_down(x):
    x.sort(reverse=True)
    return x

i, x = np.arange(3), np.arange(3.0)
calls = [(count, i), (count_pairs, i), (fill, i, i), (fill, i, x)]
for a, b in ((1, 2), (1, 2.0)):
    calls += [(one, a, b), (merge, {a: b}, {a: b}), (equal, {a: b}, {a: b})]
for a in (1, 1.0):
    calls += [(order, [a]), (order_down, [a])]
kept = [swathe.njit(f) for f, *_ in calls]
if swathe._core.units()["baseline"]:
    for f, (_, *args) in zip(kept, calls, strict=True):
        f(*args)
    print(*swathe._core.units()["keys"])
"""


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
    program = folder / "program.py"
    program.write_text(PROGRAM)
    run = [sys.executable, "-B", str(program)]
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
