"""How many threads a block has when the launch leaves it open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import ptx
import pytest

import swathe
from swathe import errors, gpu
from swathe._occupancy import best_block, blocks_fit

SIZES = (32, 64, 128, 256, 512)


def info(registers: int, shared: int = 0, most: int = 1024) -> dict[str, int]:
    return {"registers": registers, "shared_bytes": shared, "max_threads": most}


def test_what_fits() -> None:
    assert blocks_fit(90, info(32), 256) == 8  # by threads
    assert blocks_fit(90, info(32), 32) == 32  # by blocks
    assert blocks_fit(90, info(255), 256) == 1  # by registers
    assert blocks_fit(75, info(16, 30 << 10), 128) == 2  # by shared memory
    assert blocks_fit(75, info(16), 128, 30 << 10) == 2
    assert blocks_fit(90, info(16, 300 << 10), 128) == 0
    assert blocks_fit(20, info(16), 1024) == blocks_fit(70, info(16), 1024)
    assert blocks_fit(999, info(16), 1024) >= 1


def test_what_is_chosen() -> None:
    for arch in (70, 75, 80, 86, 90, 100, 120):
        for registers in (0, 16, 40, 64, 128, 255):
            n = best_block(arch, info(registers))
            assert n % 32 == 0 and 32 <= n <= 1024
            held = n * blocks_fit(arch, info(registers), n)
            assert all(held >= k * blocks_fit(arch, info(registers), k) for k in SIZES)
        assert best_block(arch, info(32, 0, 128)) <= 128
    assert best_block(90, info(32)) == 256


RUN = """
import numpy as np, swathe
import swathe.compat.cudapy as cp
from swathe import _core, gpu
sizes = []
launch = _core.dev_launch

def record(*args):
    sizes.append(args[5])
    return launch(*args)
_core.dev_launch = record

@gpu.jit
def ramp(x):
    i = gpu.grid(1)
    if i < x.size:
        x[i] = i

# fill : void (float* X)
def fill(X):
    X[idx] = 1.0

queue = swathe.Queue("cuda")
x = queue.empty(5000, np.float64)
ramp.forall(5000, None, queue)(x)
ramp.forall(5000, 64, queue)(x)
ramp.forall(0, None, queue)(x)
with swathe.device_context("cuda"):
    cp.compile(fill)(1000)(cp.CudaArray.allocate(1000, cp.Float))
    cp.compile(fill, threads=32)(1000)(cp.CudaArray.allocate(1000, cp.Float))
print(*sizes, sep="\\n")
"""


@pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")
def test_on_a_device(tmp_path: Path) -> None:
    fake = tmp_path / "libfakecuda.so"
    ptx.build_fake(fake)
    (tmp_path / "run.py").write_text(RUN)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake), "FAKE_CUDA_ARCH": "90"}
    r = subprocess.run(
        [sys.executable, tmp_path / "run.py"], env=env, capture_output=True, text=True, timeout=300
    )
    assert r.returncode == 0 and "fake_cuda:" not in r.stderr, r.stderr
    launches = [eval(line) for line in r.stdout.splitlines()]
    chosen = launches[0][3]
    assert launches[0] == (-(-5000 // chosen), 1, 1, chosen, 1, 1, 0) and chosen % 32 == 0
    assert launches[1][:4] == (79, 1, 1, 64)
    assert launches[2][0] * launches[2][3] >= 1000
    assert launches[3][:4] == (32, 1, 1, 32) and len(launches) == 4


@pytest.mark.parametrize("where", ["native", "opencl"])
def test_forall_on_queues(where: str) -> None:
    @gpu.jit
    def ramp(x):
        i = gpu.grid(1)
        if i < x.size:
            x[i] = i + gpu.blockDim.x * 0

    try:
        queue = swathe.Queue(where)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    x = queue.to_device(np.zeros(1000))
    launch = ramp.forall(1000, None, queue)
    for _ in range(2):
        launch(x)
    queue.sync()
    assert (x.copy_to_host() == np.arange(1000)).all()
    with pytest.raises(errors.LaunchError):
        ramp.forall(-1, None, queue)
