#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the tests and the benchmark of devices on a CUDA device, and write down what came of it.

Runs inside the bundle of `make gpu-bundle`, and in a working tree. It needs NVIDIA's driver and no
network. Each step is a process with a time limit of its own, so that one that hangs or crashes
costs nothing but itself. In the folder --out: report.md, report.json, bench.json, log.txt.

    python3 run.py [--out DIR] [--seconds N] [--only STEP,STEP] [--fake]

--fake takes the library that the tests have in the driver's place: all is compiled, linked, copied
and launched. In the step `device` the CPU computes what is launched (tests/standin.py), so that
what fails there is broken; in the others no kernel computes anything, and comparisons fail.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE if (HERE / "tests").is_dir() else HERE.parent

# About OpenCL itself, or about devices that have parts.
ELSEWHERE = "not selectors and not parts and not refused and not without_shared and not test_list"
ELSEWHERE += " and not no_such_device and not filters and not command_line and not backend_that"
ELSEWHERE += " and not test_explains"
# What stands in for NVIDIA's libraries, by the files' names for CUDA 12.
FAKE_LIBRARIES = {
    "cublas": "libcublas.so.12",
    "cufft": "libcufft.so.11",
    "curand": "libcurand.so.10",
    "cusparse": "libcusparse.so.12",
    "cusolver": "libcusolver.so.11",
}
FINE = (0, 5)  # pytest says 5 where there was no test to run
STEPS: dict[str, list[str]] = {
    "device": ["tests/test_cuda_device.py"],
    "kernels": ["tests/grid/test_opencl.py"],
    "queues": ["tests/test_devices.py", "tests/test_devices_more.py", "tests/test_link.py"],
    "dialects": [
        "tests/test_numba_cuda_host.py",
        "tests/test_vendor_sorting.py",
        "tests/test_cudapy.py",
        "tests/test_numba_dpex.py",
        "tests/test_dpctl.py",
    ],
    "loops": ["tests/test_offload.py", "tests/test_parpy.py", "tests/test_xp_device.py"],
    "primitives": ["tests/test_prim_device.py"],
    "driver": ["tests/test_cuda.py"],
}


def environment(folder: Path, fake: bool) -> dict[str, str]:
    """Find the packages: numpy and pytest are the machine's own where it has them."""
    paths = [str(ROOT / "lib"), str(ROOT / "tests"), str(ROOT / "tests/grid")]
    for name in ("numpy", "pytest", "greenlet"):
        if importlib.util.find_spec(name) is None:
            paths.append(str(ROOT / "site" / name))
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([*paths, *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONUNBUFFERED": "1",
        "SWATHE_TEST_DEVICE": "cuda",
        "SWATHE_CACHE_DIR": str(folder / "cache"),
    }
    if fake:
        library = folder / "libfakecuda.so"
        source = ROOT / "tests/c/fake_cuda.c"
        flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, source, "-o", library], check=True)
        env |= {"SWATHE_CUDA_LIB": str(library), "SWATHE_CUDA_LIBS": "own"}
    return env


def build_libraries(folder: Path) -> None:
    """Build what stands in for NVIDIA's libraries."""
    for name, file in FAKE_LIBRARIES.items():
        source = ROOT / f"tests/c/fake_{name}.c"
        flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O0", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, source, "-o", folder / file, "-ldl", "-lm"], check=True)


def call(command: list[Any], env: dict[str, str], log: Path, limit: float) -> tuple[int, str]:
    """Run one step; its output goes to the end of the log."""
    with tempfile.TemporaryFile("w+", errors="replace") as f:
        try:
            r = subprocess.run(
                [str(c) for c in command],
                cwd=ROOT,
                env=env,
                stdout=f,
                stderr=subprocess.STDOUT,
                timeout=max(limit, 5),
            )
            code = r.returncode
        except subprocess.TimeoutExpired:
            f.seek(0, os.SEEK_END)
            f.write("\n(stopped: out of time)\n")
            code = 124
        f.seek(0)
        text = f.read()
    with open(log, "a") as whole:
        whole.write(f"==== {' '.join(str(c) for c in command)}\n{text}\n")
    return code, text


def counts(xml: Path) -> tuple[dict[str, int], list[str]]:
    """What pytest's report says: how many, and which failed."""
    found, failed = {"passed": 0, "failed": 0, "skipped": 0}, []
    if not xml.exists():
        return found, failed
    for case in ET.parse(xml).iter("testcase"):
        bad = case.find("failure") if case.find("failure") is not None else case.find("error")
        if bad is not None:
            found["failed"] += 1
            first = (bad.get("message") or "").strip().splitlines() or [""]
            place = f"{case.get('classname')}::{case.get('name')}"
            failed.append(f"{place}: {first[0][:160]}")
        else:
            found["skipped" if case.find("skipped") is not None else "passed"] += 1
    return found, failed


def test(name: str, env: dict[str, str], out: Path, limit: float) -> dict[str, Any]:
    """Run a group of test files."""
    xml = out / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    command += [f"--junitxml={xml}", "-k", ELSEWHERE]
    if importlib.util.find_spec("xdist"):
        command += ["-n", str(min(8, os.cpu_count() or 1))]
    files = [f for f in STEPS[name] if (ROOT / f).exists()]
    code, text = call([*command, *files], env, out / "log.txt", limit)
    found, failed = counts(xml)
    xml.unlink(missing_ok=True)
    last = text.strip().splitlines()[-1] if text.strip() else ""
    return {"code": code, **found, "failures": failed, "last": last}


def bench(env: dict[str, str], out: Path, limit: float) -> dict[str, Any]:
    """Time the kernels of the benchmark on the device, on the processor, and in C."""
    command = [sys.executable, ROOT / "bench/kernels_grid.py", "--leave", "simulator,pocl,opencl"]
    times = out / "bench.json"
    code, text = call([*command, "--json", times], env, out / "log.txt", limit)
    return {"code": code, "text": text[-6000:]}


def peers(env: dict[str, str], out: Path, limit: float) -> dict[str, Any]:
    """Time kernels and primitives beside CUDA C and the packages that the machine has."""
    command = [sys.executable, ROOT / "bench/kernels_cuda.py", "--json", out / "peers.json"]
    code, text = call(command, env, out / "log.txt", limit)
    return {"code": code, "text": text[-12000:]}


def machine(env: dict[str, str], out: Path) -> dict[str, Any]:
    """Say what this runs on."""
    facts: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    code, text = call([sys.executable, "-m", "swathe", "devices", "-v"], env, out / "log.txt", 60)
    facts["devices"] = text if code == 0 else f"failed ({code}):\n{text}"
    found = re.search(r"^\S*cuda\S*\s+(.+)$", text, re.M)
    facts["device"] = found[1].strip() if found else "no CUDA device"
    if smi := shutil.which("nvidia-smi"):
        query = [smi, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
        r = subprocess.run(query, capture_output=True, text=True)
        facts["nvidia-smi"] = r.stdout.strip()
    return facts


def written(report: dict[str, Any]) -> str:
    """The report, to be read."""
    facts = report["machine"]
    lines = [f"# swathe on {facts['device']}", ""]
    lines += [f"- {k}: {facts[k]}" for k in ("python", "machine", "nvidia-smi") if k in facts]
    lines += ["", "| step | passed | failed | skipped | seconds |", "|---|---|---|---|---|"]
    for name, s in report["steps"].items():
        note = "" if s["code"] in (*FINE, 1) else f" (ended with {s['code']})"
        cells = [s.get(k, "") for k in ("passed", "failed", "skipped")]
        lines.append("| " + " | ".join(map(str, [name + note, *cells, s["seconds"]])) + " |")
    for name, s in report["steps"].items():
        if s.get("failures"):
            lines += ["", f"## Failures in {name}", "", *(f"- `{f}`" for f in s["failures"])]
        if "text" in s:
            lines += ["", f"## {name}", "", "```", s["text"].strip(), "```"]
    return "\n".join([*lines, "", "## Devices", "", "```", facts["devices"].strip(), "```", ""])


def save(report: dict[str, Any], out: Path) -> None:
    """Write the report in both forms."""
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    (out / "report.md").write_text(written(report))


def main() -> int:
    """Run the steps; return 0 when all passed."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--out", type=Path, default=Path("gpu-report"), help="folder for the report")
    p.add_argument("--seconds", type=float, default=540, help="for all steps together")
    p.add_argument("--only", default="", help=f"of {', '.join([*STEPS, 'peers', 'bench'])}")
    p.add_argument("--fake", action="store_true", help="a library stands in for the driver")
    options = p.parse_args()
    out = options.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    (out / "log.txt").unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        return run_all(options, out, environment(Path(folder), options.fake))


def run_all(options: argparse.Namespace, out: Path, env: dict[str, str]) -> int:
    """Run the steps that are asked for, and write the report after each."""
    began = time.monotonic()
    report: dict[str, Any] = {"machine": machine(env, out), "steps": {}}
    names = (
        options.only.split(",") if options.only else ["device", "peers", *list(STEPS)[1:], "bench"]
    )
    for name in names:
        start = time.monotonic()
        left = options.seconds - (start - began)
        if left < 5:
            report["steps"][name] = {"code": 124, "seconds": 0, "last": "no time was left"}
            save(report, out)
            continue
        limit = min(left, 200)
        run = {"bench": bench, "peers": peers}.get(name)
        s = run(env, out, limit) if run else test(name, env, out, limit)
        s["seconds"] = round(time.monotonic() - start, 1)
        report["steps"][name] = s
        print(f"{name:10} {s['seconds']:6.1f} s  {s.get('last', '')}", flush=True)
        save(report, out)
    print(written(report))
    return 0 if all(s["code"] in FINE for s in report["steps"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
