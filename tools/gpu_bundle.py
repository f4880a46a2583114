#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pack what a machine with an NVIDIA GPU needs to run the tests and the benchmark of devices.

Takes what `make` built, whatever Python that was for: only the extension module depends on
Python, and it is compiled again, for CPython 3.12, by the commands of build/compile_commands.json.
Yields dist/swathe-gpu.tar.xz, under 64 MiB, which unpacks to one folder; python3 run.py there does
the rest (tools/gpu_run.py), without a network.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LIMIT = 64 << 20
PACKAGES = {"numpy": "numpy>=2", "pytest": "pytest", "greenlet": "greenlet>=3"}
FILES = [
    "LICENSE",
    "licenses",
    "pyproject.toml",
    "tests/*.py",
    "tests/c/*cuda*.c",
    "tests/c/fake*",
    "tests/grid/*.py",
    "bench/kernels*.*",
    "bench/opencl_host.py",
    "examples/tensor",
    "core/dev",
    "core/**/*.h",
    "core/**/*.def",
]
README = """swathe on a machine with an NVIDIA GPU
======================================

Needs: Linux on x86-64 with glibc {glibc} or newer, CPython 3.12, NVIDIA's driver. No network.

    python3 contact.py             # first: a minute of probes, in gpu-report/contact.md
    python3 run.py                 # tests, benchmark, and a report in gpu-report/
    python3 run.py --out DIR --seconds 540 --only device,bench
    python3 run.py --fake          # without a GPU: a library stands in for the driver (needs cc)

lib/   swathe, with LLVM and SLEEF          site/  numpy {numpy} and what tests need
tests/, bench/, examples/                   run.py --help says more

Tests that need a C compiler, nvcc or ptxas are skipped where there is none.
To use it in a program: PYTHONPATH=lib (and site/numpy) python3.12
"""


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command that must succeed; return what it prints."""
    r = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\n{r.stdout}{r.stderr}")
    return r.stdout.strip()


def find_python() -> str:
    """Find CPython 3.12: $PYTHON312, on the path, or among pyenv's."""
    candidates = [os.environ.get("PYTHON312", ""), "python3.12", "python3", sys.executable]
    candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.12*/bin/python3.12")))
    for name in filter(None, candidates):
        if (path := shutil.which(name)) is None:
            continue
        code = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_path('include'))"
        r = subprocess.run([path, "-c", code], capture_output=True, text=True)
        major, minor, include = (r.stdout.split() + ["", "", ""])[:3]
        if (major, minor) == ("3", "12") and Path(include, "Python.h").exists():
            return path
    sys.exit("there is no CPython 3.12 with its headers: name one in PYTHON312")


def packages(python: str, folder: Path) -> None:
    """Install what tests need, each in a folder of its own."""
    for name, wanted in PACKAGES.items():
        to = folder / name
        if not to.exists():
            part = to.with_suffix(".part")
            flags = ["-q", "--disable-pip-version-check", "--only-binary=:all:", "--no-compile"]
            run(python, "-m", "pip", "install", *flags, "--target", part, wanted)
            for tests in list(part.rglob("tests")):
                shutil.rmtree(tests, ignore_errors=True)
            part.rename(to)


def compiled(python: str, numpy: Path, work: Path) -> Path:
    """Compile the extension module for that Python, with the flags of the one that there is."""
    include = run(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    suffix = run(python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))")
    todo, objects = [], []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if not entry["output"].startswith("_core."):
            continue
        args = [include_of(a, include, numpy) for a in shlex.split(entry["command"])]
        made = work / Path(entry["output"]).name
        args[args.index("-o") + 1] = str(made)
        args[args.index("-MF") + 1] = str(made) + ".d"
        objects.append(made)
        todo.append(args)
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        list(pool.map(lambda a: run(*a, cwd=BUILD), todo))
    target = work / f"_core{suffix}"
    flags = ["-shared", "-fPIC", "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL", "-Wl,--as-needed"]
    run("cc", *flags, *objects, BUILD / "libswcore.a", "-ldl", "-lm", "-pthread", "-o", target)
    return target


def include_of(arg: str, python: str, numpy: Path) -> str:
    """Put that Python's headers, and its NumPy's, in the place of the others."""
    if arg.startswith("-I") and "/include/python3" in arg:
        return "-I" + python
    if arg.endswith("numpy/_core/include"):
        return str(numpy / "numpy/_core/include")
    return arg


def newest_glibc(files: list[Path]) -> str:
    """Return the version of glibc that the libraries ask for."""
    found = {(2, 17)}
    for f in files:
        for line in run("objdump", "-T", f).splitlines():
            if "GLIBC_2." in line:
                word = line.split("GLIBC_")[1].split(")")[0].split()[0]
                found.add(tuple(int(n) for n in word.split(".")[:2]))
    return ".".join(map(str, max(found)))


def gather(python: str, stage: Path, cache: Path) -> None:
    """Fill the bundle's folder."""
    packages(python, cache)
    lib = stage / "lib/swathe"
    drop = shutil.ignore_patterns("*.so", "*.so.3", "__pycache__")
    shutil.copytree(ROOT / "python/swathe", lib, ignore=drop)
    work = cache / "objects"
    work.mkdir(exist_ok=True)
    libraries = [compiled(python, cache / "numpy", work)]
    libraries += [
        p
        for n in ("libswathe_llvm.so", "libswathe_kernels.so", "libsleef.so.3")
        if (p := BUILD / n).exists()
    ]
    for path in libraries:
        run("strip", "--strip-unneeded", path, "-o", lib / path.name)
    for name in PACKAGES:
        shutil.copytree(cache / name, stage / "site" / name, ignore=drop_caches)
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            to = stage / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            if to.exists():
                continue
            if path.is_dir():
                shutil.copytree(path, to, ignore=drop)
            else:
                shutil.copy2(path, to)
    shutil.copy2(ROOT / "tools/gpu_run.py", stage / "run.py")
    shutil.copy2(ROOT / "tools/gpu_contact.py", stage / "contact.py")
    version = run(python, "-c", f"import sys; sys.path.insert(0, {str(cache / 'numpy')!r}); "
                  "import numpy; print(numpy.__version__)")  # fmt: skip
    readme = README.format(glibc=newest_glibc(libraries), numpy=version)
    (stage / "README.txt").write_text(readme)


def drop_caches(folder: str, names: list[str]) -> set[str]:
    """Name what Python writes by itself."""
    return {n for n in names if n == "__pycache__"}


def main() -> int:
    """Build the archive, and say how large it is."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--out", type=Path, default=ROOT / "dist/swathe-gpu.tar.xz")
    options = p.parse_args()
    python, cache = find_python(), BUILD / "gpu"
    stage = cache / "swathe-gpu"
    shutil.rmtree(stage, ignore_errors=True)
    cache.mkdir(parents=True, exist_ok=True)
    gather(python, stage, cache)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    part = options.out.with_suffix(".part")
    with tarfile.open(part, "w:xz", preset=4) as tar:
        tar.add(stage, "swathe-gpu")
    size = part.stat().st_size
    if size >= LIMIT:
        sys.exit(f"{part} has {size >> 20} MiB; {LIMIT >> 20} are allowed")
    part.replace(options.out)
    print(f"{options.out}  {size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
