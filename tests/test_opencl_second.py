# SPDX-License-Identifier: BSD-3-Clause
"""The tests of devices on a second OpenCL: Intel's, for CPUs, where it is installed.

It is in the packages of requirements-opencl.txt, and is neither linked nor shipped. Another
folder with libintelocl.so and what that needs is named by SWATHE_INTEL_OPENCL.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("SWATHE_INTEL_OPENCL") or sysconfig.get_path("data") + "/lib")
LIBRARY = FOLDER / "libintelocl.so"

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason=f"there is no {LIBRARY}")


def environment() -> dict[str, str]:
    """Take the library itself for OpenCL: no other's devices are seen."""
    libraries = [str(FOLDER), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return os.environ | {
        "SWATHE_OPENCL_LIB": str(LIBRARY),
        "LD_LIBRARY_PATH": os.pathsep.join(libraries),
    }


def test_it_is_there() -> None:
    code = "import swathe; print(swathe.Device('opencl').props['platform'])"
    command = [sys.executable, "-c", code]
    r = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert r.returncode == 0 and "Intel" in r.stdout, r.stdout + r.stderr


@pytest.mark.parametrize(
    "name",
    ["test_devices", "test_devices_more", "test_device_order", "test_device_rows", "test_dpctl"],
)
def test_devices_on_it(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0"]
    r = subprocess.run(
        [*command, HERE / f"{name}.py"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=580,
    )
    assert r.returncode == 0, r.stdout[-6000:] + r.stderr[-2000:]


FORK = """
import os, sys, time
import numpy as np, swathe
from swathe import errors, gpu

@gpu.jit
def slow(x, n):
    i = gpu.grid(1)
    s = x[i]
    for k in range(n):
        s = s * 0.5 + (k & 1)
    x[i] = x[i] + 1 + 0 * s

q = swathe.Queue("opencl")
x = q.zeros(4096)
for n in range(6):
    slow[32, 128, q](x, 200000)  # under way while the process is forked
    pid = os.fork()
    if pid == 0:
        y = np.ones(8)
        slow[1, 8](y, 3)
        try:
            x.copy_to_host()
        except errors.DeviceLostError:
            sys.exit(5)
        sys.exit(6)
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.01)
    else:
        os.kill(pid, 9)
        sys.exit("a child hangs")
    assert os.waitstatus_to_exitcode(status) == 5, status
assert (x.copy_to_host() == 6).all()
"""


def test_children_of_fork_end(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FORK)
    command = [sys.executable, script]
    r = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr
