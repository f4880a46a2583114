# SPDX-License-Identifier: BSD-3-Clause
"""Run the tests of packages that import Numba, unchanged, over swathe: ``make packages``.

The packages' sources come from the registry that pip is set up for, into build/packages. Each is
tested in a process of its own, with ``python -m swathe.compat numba -m pytest``, without the tests
that left_out.txt names. The table is written to docs/packages.md."""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import time
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "packages"


class Package(NamedTuple):
    """A package, where its tests are, and every how many of them a run takes."""

    version: str
    tests: tuple[str, ...]
    every: int = 1
    options: str = ""
    first: str = ""  # a call that users make first


PACKAGES = {
    "resampy": Package(
        "0.4.3", ("tests",), 1, "", "m.resample(np.sin(np.arange(2000) / 9), 200, 150)"
    ),
    "numba-stats": Package("1.14.0", ("tests",), 1, "", "m.norm.pdf(np.arange(9.0), 1.0, 2.0)"),
    "numbagg": Package(
        "0.9.6", ("numbagg/test",), 1, "--benchmark-disable", "m.nanmean(np.eye(9), axis=1)"
    ),
    "pymatting": Package("1.1.16", ("tests",), 1, "", "m.cf_laplacian(np.ones((9, 9, 3)))"),
    "pynndescent": Package(
        "0.7.0", ("pynndescent/tests",), 1, "", "m.NNDescent(np.random.rand(300, 4)).neighbor_graph"
    ),
    "quantecon": Package(
        "0.11.4", ("quantecon",), 1, "", "m.MarkovChain([[0.4, 0.6], [0.2, 0.8]]).simulate(9)"
    ),
    "tslearn": Package("0.10.0", ("tests",), 1, "", "m.metrics.dtw(np.arange(9.0), np.ones(7))"),
    "librosa": Package(
        "0.11.0", ("tests",), 4, "", "m.sequence.dtw(np.eye(9), np.eye(9), backtrack=False)"
    ),
    "stumpy": Package("1.14.1", ("tests",), 8, "", "m.stump(np.random.rand(99), 9)"),
    "galois": Package("0.4.11", ("tests",), 8, "", "m.GF(7)([1, 2]) * m.GF(7)([3, 4])"),
    "aeon": Package(
        "1.6.0",
        ("aeon/distances/tests",),
        1,
        "",
        "m.distances.dtw_distance(np.arange(9.0), np.ones(7))",
    ),
    "xarray-spatial": Package(
        "0.5.3",
        ("xrspatial/tests",),
        1,
        "",
        "m.slope(xarray.DataArray(np.outer(np.arange(9.0), np.ones(9)), attrs={'res': 1}))",
    ),
    "sparse": Package(
        "0.19.3",
        ("sparse/numba_backend/tests",),
        8,
        "",
        "m.COO(np.eye(9)).dot(m.COO(np.eye(9))).todense()",
    ),
    "datashader": Package(
        "0.19.1",
        ("datashader/tests",),
        8,
        "",
        "m.Canvas(9, 9).points(pandas.DataFrame({'x': [1.0, 2], 'y': [2.0, 3]}), 'x', 'y')",
    ),
}
PACKAGES |= {
    "numba-celltree": Package(
        "0.4.2",
        (
            "tests/test_algorithms",
            "tests/test_celltree.py",
            "tests/test_celltree_utils.py",
            "tests/test_demo.py",
            "tests/test_edgecelltree.py",
            "tests/test_utils.py",
        ),
        1,
        "",
        "m.CellTree2d(np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([[0, 1, 2]]), -1)",
    ),
    "pybaselines": Package(
        "1.2.1", ("tests",), 8, "", "m.Baseline(np.arange(99.0)).loess(np.arange(99.0) ** 2)"
    ),
    "quaternionic": Package("1.0.18", ("tests",), 1, "", "m.array([[1.0, 2, 3, 4]]) * m.one"),
}
# What they import besides NumPy, SciPy and scikit-learn; Numba isn't there.
NEEDED = """
    pytest-benchmark py-cpuinfo hypothesis sortedcontainers pandas python-dateutil pytz tzdata six
    bottleneck xarray packaging tabulate requests idna urllib3 certifi charset-normalizer sympy
    mpmath audioread soundfile cffi pycparser pooch platformdirs soxr lazy-loader msgpack decorator
    typing-extensions joblib threadpoolctl numpy-groupies statsmodels patsy h5py
    dask distributed toolz cloudpickle fsspec partd locket pyyaml click tornado zict psutil tblib
    deprecated wrapt multipledispatch param pyct colorcet toolz tqdm
    jinja2 markupsafe polars polars-runtime-32 narwhals importlib-metadata lazy-importer zipp
""".split()


def left_out(name: str) -> dict[str, str]:
    """Return the patterns of tests of a package that aren't run, with their reasons."""
    found = {}
    for line in (HERE / "left_out.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            package, pattern, reason = line.split(None, 2)
            if package == name:
                found[pattern] = reason
    return found


def prepare(names: list[str]) -> None:
    """Fetch the sources, and install them and what they need in a folder of its own."""
    sources, site = BUILD / "sources", BUILD / "site"
    sources.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    if not site.exists():
        subprocess.run([*pip, "install", "--no-deps", "--target", str(site), *NEEDED], check=True)
    for name in names:
        stem = f"{name.replace('-', '_')}-{PACKAGES[name].version}"
        if (sources / stem).exists():
            continue
        wanted = f"{name}=={PACKAGES[name].version}"
        get = ["--no-deps", "--no-binary", name, "-d", str(sources), wanted]
        subprocess.run([*pip, "download", *get], check=True)
        archive = sources / f"{stem}.tar.gz"
        put = ["--no-deps", "--upgrade", "--target", str(site), str(archive)]
        subprocess.run([*pip, "install", *put], check=True)
        with tarfile.open(archive) as tar:
            tar.extractall(sources, filter="data")


def environment(cache: Path) -> dict[str, str]:
    """Return the environment of a package's tests."""
    env = dict(os.environ, SWATHE_CACHE_DIR=str(cache), NUMBA_CACHE_DIR=str(cache))
    own = sysconfig.get_path("purelib")  # NumPy and the like, for a Python that has Numba alone
    env["PYTHONPATH"] = os.pathsep.join([str(HERE), str(BUILD / "site"), own])
    return env


def run(name: str, every: int, seconds: int, test_seconds: int) -> dict[str, Any]:
    """Run the tests of a package, and return what the plugin has kept."""
    package = PACKAGES[name]
    log = BUILD / "logs" / f"{name}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    said = {"log": str(log), "left_out": list(left_out(name)), "every": every}
    said |= {"seconds": seconds, "test_seconds": test_seconds}
    env = environment(BUILD / "cache")
    env["SWATHE_PACKAGES"] = json.dumps(said)
    source = BUILD / "sources" / f"{name.replace('-', '_')}-{package.version}"
    command = [sys.executable, "-W", "ignore", "-m", "swathe.compat", "numba", "-m", "pytest"]
    command += [
        "-q",
        "--rootdir=.",
        "-p",
        "packages_plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--tb=short",
    ]
    command += ["--continue-on-collection-errors", "-o", f"addopts={package.options}"]
    command += ["-o", "filterwarnings=", *package.tests]
    with open(log.with_suffix(".txt"), "w") as out:
        child = subprocess.Popen(command, cwd=source, env=env, stdout=out, stderr=out)
        limit = time.monotonic() + 2 * seconds + 5 * test_seconds  # collecting them, too
        while child.poll() is None and time.monotonic() < limit:
            time.sleep(1)
        if child.poll() is None:
            child.kill()
    return summary(log, child.wait())


def summary(log: Path, status: int) -> dict[str, Any]:
    """Count the outcomes in a log."""
    lines = [json.loads(x) for x in log.read_text().splitlines()] if log.exists() else []
    counts: dict[str, Any] = collections.Counter()
    last = {}
    for x in lines:
        if "test" in x and last.get(x["test"], {}).get("outcome") not in ("failed", "refused"):
            last[x["test"]] = x
        counts.update({k: x[k] for k in ("collected", "left_out", "to_run") if k in x})
    counts.update(x["outcome"] for x in last.values())
    ended = any("done" in x for x in lines)
    counts["not run"] = max(0, counts["to_run"] - sum("::" in t for t in last))
    bad = [x for x in last.values() if x["outcome"] not in ("passed", "skipped", "no data")]
    reasons = collections.Counter(x.get("text", "").split("\n")[0][:110] for x in bad)
    return {
        "counts": dict(counts),
        "reasons": reasons.most_common(12),
        "ended": ended,
        "status": status,
    }


FIRST = """
import sys, time
import numpy as np, scipy, sklearn
t = time.perf_counter()
import {module} as m
{also}
imported = time.perf_counter() - t
{first}
print(imported, time.perf_counter() - t)
"""
ALSO = {
    "numba_stats": "from numba_stats import norm",
    "tslearn": "import tslearn.metrics",
    "aeon": "import aeon.distances",
    "xarray_spatial": "import xarray",
    "datashader": "import pandas",
}
MODULE = {"xarray_spatial": "xrspatial"}  # where it has another name


def first_result(name: str, python: list[str], cache: Path) -> list[float] | None:
    """Return seconds of importing a package, and until a first result, with an empty cache."""
    module = name.replace("-", "_")
    text = FIRST.format(
        module=MODULE.get(module, module), also=ALSO.get(module, ""), first=PACKAGES[name].first
    )
    program = BUILD / f"first_{module}.py"
    program.write_text(text)
    found = []
    for i in range(2):
        env = environment(cache / f"{module}{i}")
        done = subprocess.run(
            [*python, str(program)], env=env, capture_output=True, text=True, timeout=600
        )
        if done.returncode:
            return None
        found.append([float(x) for x in done.stdout.split()[-2:]])
    return [min(x) for x in zip(*found)]


TIMES = """
| package | import | first result | Numba: import | first result |
|---|---|---|---|---|
"""
AFTER = """
Of pynndescent, some tests expect sums of `float32` and a Python float in double precision, as
Numba computes them. Of librosa, `peak_pick` subtracts an unsigned argument from an int, which
Numba does in 64 bits; others ask for files that are not there. Of numbagg, some store NaN in arrays
of integers, or compare the whole text of an error, which has the place here; three expect double
precision.
Two tests of quantecon call LAPACK by pointers. Of numba-stats, four expect double precision, or
Python's float, where `float32` stays `float32` here; one wants infinity of `math.log1p(-1)`, which
raises as in CPython; one test of random draws misses its bound, for a reason not looked into.

Of xarray-spatial, ten tests need parts of Dask that aren't there and two the package noise; in
four an angle of `float32` differs in its last bit between an element in vector lanes and one that
is left over. Of sparse, `np.nditer` yields arrays without axes, one of which a variable takes
beside a number. What datashader's tests say is pandas'. One test of quaternionic
asks for errors by `np.errstate`, which compiled code doesn't see. First programs of umap-learn,
fast-hdbscan, py-pde, trackpy, arch, window-ops and pandas' `engine="numba"` run, too. What defines
Numba types by its internals is refused where it is imported: clifford, numba-progress,
numba-kdtree, rocket-fft; sigpy asks for a `range` of floats.

What fails, and why:

"""


def _row(name: str, x: dict[str, Any]) -> str:
    c = x["counts"].get
    bad = [c("failed", 0) + c("collect", 0), c("refused", 0), c("slow", 0)]
    passed = c("passed", 0)
    run = passed + sum(bad)
    every = f", one in {x['every']}" if x["every"] > 1 else ""
    out = c("left_out", 0) + c("no data", 0)
    cells = [f"{name} {PACKAGES[name].version}", f"{run}{every}", passed, *bad, out]
    cells += [c("skipped", 0), c("not run", 0), f"{passed / run:.1%}" if run else "none"]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def table(results: dict[str, Any]) -> str:
    """Return the page for the documentation."""
    text, times, after = (HERE / "page.md").read_text(), TIMES, AFTER
    for name in PACKAGES:
        x = results.get(name, {})
        if "counts" in x:
            text += _row(name, x)
            for reason, count in x["reasons"]:
                shown = re.sub(r"'/[^']*\.\.\.", "'...", reason.replace(f"{BUILD}/sources/", ""))
                shown = shown.replace("|", "\\|").replace("<", "`<`")
                after += f"- {name}, {count}: {shown}\n"
        both = [*(x.get("ours") or ["", ""]), *(x.get("numba") or ["", ""])]
        cells = [f"{t:.2f}" if t != "" else "" for t in both]
        times += "| " + " | ".join([name, *cells]) + " |\n"
    return text + times + after


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="packages; all of them if none is named")
    parser.add_argument("--every", type=int, help="run one test in so many, of each package")
    parser.add_argument("--seconds", type=int, default=900, help="for a package")
    parser.add_argument("--test-seconds", type=int, default=120, help="for a test")
    parser.add_argument("--numba", help="a Python that has Numba, for the times beside it")
    parser.add_argument("--times", action="store_true", help="measure first results")
    parser.add_argument("--table", action="store_true", help="write docs/packages.md")
    said = parser.parse_args()
    names = [] if said.names == ["none"] else said.names or list(PACKAGES)
    prepare(names)
    kept = BUILD / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for name in names:
        entry = results.setdefault(name, {})
        if said.times:
            cache = BUILD / f"empty{time.time_ns()}"
            ours = [sys.executable, "-W", "ignore", "-m", "swathe.compat", "numba"]
            entry["ours"] = first_result(name, ours, cache)
            entry["numba"] = said.numba and first_result(name, [said.numba, "-W", "ignore"], cache)
            print(name, entry["ours"], entry["numba"], flush=True)
        else:
            every = said.every or PACKAGES[name].every
            entry |= run(name, every, said.seconds, said.test_seconds) | {"every": every}
            print(name, entry["counts"], "" if entry["ended"] else "DID NOT END", flush=True)
            for reason, count in entry["reasons"]:
                print(f"    {count:4} {reason}", flush=True)
        kept.write_text(json.dumps(results, indent=1))
    if said.table:
        (ROOT / "docs" / "packages.md").write_text(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
