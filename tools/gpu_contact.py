#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Touch a CUDA device for the first time: from what everything needs to what may hang.

Each probe of it is a process with a limit of its own, and what came of it is in DIR/contact.md and
DIR/contact.jsonl before the next one begins: a machine that hangs or goes away has told so far. It
needs NVIDIA's driver and no network, and takes less than ten minutes. It runs inside the bundle of
`make gpu-bundle`, as contact.py, and in a working tree.

    python3 contact.py [--out DIR] [--seconds N] [--only PROBE,PROBE] [--fake]

--fake takes the library that the tests have in the driver's place, on which launches compute on
the CPU (tests/standin.py): there, every probe has to end with ok.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE if (HERE / "tests").is_dir() else HERE.parent
PROBES = ROOT / "tests/contact.py"
# How long each may take, in seconds; in this order: the last ones may leave a device that hangs.
LIMITS = {
    "driver": 30,
    "properties": 30,
    "context": 60,
    "memory": 60,
    "rows": 60,
    "launch": 60,
    "arguments": 60,
    "grids": 30,
    "error": 30,
    "error_unseen": 30,
    "math": 60,
    "atomics": 60,
    "shared": 30,
    "warps": 30,
    "events": 30,
    "streams": 30,
    "reuse": 30,
    "ptx": 60,
    "binaries": 60,
    "loops": 60,
    "torch": 60,
    "cupy": 60,
    "cublas": 30,
    "cufft": 30,
    "curand": 30,
    "cusparse": 30,
    "cusolver": 30,
    "own_kernels": 60,
    "recursion": 30,
    "speed": 60,
    "grid_barrier": 30,
    "grid_barriers_side_by_side": 30,
    "recursion_too_deep": 30,
    "lost": 30,
    "grid_barrier_with_a_failure": 30,
}


def run_probe(name: str, env: dict[str, str], limit: float) -> dict[str, Any]:
    """Run one in a process of its own; say what came of it."""
    began = time.monotonic()
    command = [sys.executable, str(PROBES), name]
    with tempfile.TemporaryFile("w+", errors="replace") as f:
        p = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=f, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = p.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(p.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(10)  # what hangs inside a driver can't be killed: go on without it
        f.seek(0)
        text = f.read()
    lines = text.strip().splitlines()
    facts = [json.loads(line[6:]) for line in lines if line.startswith("FACT: ")]
    other = [line for line in lines if not line.startswith("FACT: ")]
    if code is None:
        verdict = "hangs"
    elif code < 0:
        verdict = f"killed by {signal.Signals(-code).name}"
    else:
        verdict = {0: "ok", 3: "not here"}.get(code, "fails")
    seconds = round(time.monotonic() - began, 1)
    return {
        "probe": name,
        "verdict": verdict,
        "seconds": seconds,
        "facts": facts,
        "text": other[-40:],
    }


def written(r: dict[str, Any]) -> str:
    """What a report says of a probe."""
    lines = [f"- **{r['probe']}**: {r['verdict']} ({r['seconds']} s)"]
    lines += [f"  - {f}" for f in r["facts"]]
    if r["text"]:
        lines += ["  ```", *("  " + line for line in r["text"]), "  ```"]
    return "\n".join(lines) + "\n"


def append(path: Path, text: str) -> None:
    """Write, and see that it is on the disk."""
    with open(path, "a") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())


def head() -> str:
    """What is known without touching the driver."""
    lines = ["# First contact", "", f"- python {platform.python_version()}, {platform.platform()}"]
    if smi := shutil.which("nvidia-smi"):
        try:
            query = "--query-gpu=name,driver_version,memory.total,compute_cap,mig.mode.current"
            r = subprocess.run(
                [smi, query, "--format=csv,noheader"], capture_output=True, text=True, timeout=30
            )
            lines += [f"- {line}" for line in (r.stdout + r.stderr).strip().splitlines()]
        except subprocess.TimeoutExpired:
            lines.append("- nvidia-smi hangs")
    return "\n".join([*lines, "", ""])


def main() -> int:
    """Run the probes; return 0 when none failed."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--out", type=Path, default=Path("gpu-report"), help="folder for the report")
    p.add_argument("--seconds", type=float, default=540, help="for all probes together")
    p.add_argument("--only", default="", help=", ".join(LIMITS))
    p.add_argument("--limit", type=float, help="seconds for each probe, in place of its own")
    p.add_argument("--fake", action="store_true", help="a library stands in for the driver")
    options = p.parse_args()
    out = options.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    for name in ("contact.md", "contact.jsonl"):
        (out / name).unlink(missing_ok=True)
    try:
        from gpu_run import FAKE_LIBRARIES, build_libraries, environment
    except ImportError:  # its name in the bundle
        from run import (  # type: ignore[no-redef]
            FAKE_LIBRARIES,
            build_libraries,
            environment,
        )
    append(out / "contact.md", head())
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder), options.fake)
        names = set(options.only.split(",") if options.only else LIMITS)
        if options.fake and names & {*FAKE_LIBRARIES}:
            build_libraries(Path(folder))
            env["SWATHE_CUDA_LIBS"] = folder
        return run_all(options, out, env)


def run_all(options: argparse.Namespace, out: Path, env: dict[str, str]) -> int:
    """Run the probes that are asked for, and write down each."""
    began, bad = time.monotonic(), 0
    for name in options.only.split(",") if options.only else LIMITS:
        left = options.seconds - (time.monotonic() - began)
        limit = min(options.limit or LIMITS.get(name, 30), left)
        if left < 1:
            r = {
                "probe": name,
                "verdict": "no time was left",
                "seconds": 0,
                "facts": [],
                "text": [],
            }
        else:
            r = run_probe(name, env, limit)
        append(out / "contact.jsonl", json.dumps(r) + "\n")
        append(out / "contact.md", written(r))
        print(f"{name:28} {r['seconds']:6.1f} s  {r['verdict']}", flush=True)
        bad += r["verdict"] not in ("ok", "not here")
    print(f"{bad} failed; see {out / 'contact.md'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
