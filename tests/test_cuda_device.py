# SPDX-License-Identifier: BSD-3-Clause
"""A CUDA device that is there: what no stand-in for the driver can show.

Skipped without one. With a stand-in, launches compute on the CPU (standin.py): all of it runs,
and what fails is broken. The kernels of tests/grid, queues, dialects and loops run on it as on any
other device when SWATHE_TEST_DEVICE=cuda; here is what only CUDA has.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import _link, errors, gpu

try:
    CUDA = swathe.Device("cuda")
except errors.NoDeviceError as e:
    pytest.skip(str(e).splitlines()[0], allow_module_level=True)
STANDIN = bool(os.environ.get("SWATHE_CUDA_LIB"))
if STANDIN:
    import standin

    standin.compute()
RUN = [sys.executable, *(["-m", "standin"] if STANDIN else [])]
BINARY = b"CUBIN:" if STANDIN else b"\x7fELF"

rng = np.random.default_rng(5)

# int bar(int *r, int a, int b) { *r = a * 10 + b; return a < 0 ? 3 : 0; }
PTX = """
.version 7.0
.target sm_52
.address_size 64
.visible .func (.param .b32 ret) bar(.param .b64 r, .param .b32 a, .param .b32 b)
{
    .reg .pred %p;
    .reg .b32 %x<4>;
    .reg .b64 %to;
    ld.param.u64 %to, [r];
    ld.param.u32 %x0, [a];
    ld.param.u32 %x1, [b];
    mad.lo.s32 %x2, %x0, 10, %x1;
    st.u32 [%to], %x2;
    setp.lt.s32 %p, %x0, 0;
    selp.b32 %x3, 3, 0, %p;
    st.param.b32 [ret], %x3;
    ret;
}
"""
CUDA_C = 'extern "C" __device__ int bar(int *r, int a, int b) { *r = a * 10 + b; return 0; }\n'


@pytest.fixture
def queue() -> Any:
    return swathe.Queue(CUDA, profiling=True)


@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.complex128])
@pytest.mark.parametrize("n", [1, 127, 100_003])
def test_saxpy(queue: Any, dtype: Any, n: int) -> None:
    x, y = (rng.integers(-100, 100, n).astype(dtype) for _ in range(2))
    want = y + dtype(3) * x
    there = queue.to_device(x), queue.to_device(y)
    saxpy[-(-n // 128), 128, queue](dtype(3), *there)
    assert np.array_equal(there[1].copy_to_host(), want)


def functions(x: Any, out: Any) -> None:
    """To be compiled: one row for each."""
    i = gpu.grid(1)
    if i < x.size:
        v = x[i]
        out[0, i] = np.exp(v)
        out[1, i] = np.log(abs(v))
        out[2, i] = np.sin(v)
        out[3, i] = np.cos(v)
        out[4, i] = np.tan(v)
        out[5, i] = np.arctan(v)
        out[6, i] = np.tanh(v)
        out[7, i] = np.cbrt(v)
        out[8, i] = np.sqrt(abs(v))
        out[9, i] = np.expm1(v)
        out[10, i] = np.log1p(abs(v))
        out[11, i] = v / 3
        out[12, i] = np.arcsinh(v)
        out[13, i] = abs(v) ** 1.7
        out[14, i] = np.floor(v)
        out[15, i] = np.hypot(v, 2)


@pytest.mark.parametrize(("dtype", "ulps"), [(np.float64, 8), (np.float32, 8)])
def test_math(queue: Any, dtype: Any, ulps: int) -> None:
    x = np.concatenate([rng.normal(size=4000) * 10, rng.normal(size=1000) * 1e-3]).astype(dtype)
    out = np.zeros((16, x.size), dtype)
    gpu.jit(functions)[40, 128, queue](x, out)
    w = x.astype(np.longdouble)
    a = abs(w)
    want = [np.exp(w), np.log(a), np.sin(w), np.cos(w), np.tan(w), np.arctan(w), np.tanh(w)]
    want += [np.cbrt(w), np.sqrt(a), np.expm1(w), np.log1p(a), w / 3, np.arcsinh(w)]
    want += [a ** np.longdouble(1.7), np.floor(w), np.hypot(w, 2)]
    for row, (g, e) in enumerate(zip(out, want, strict=True)):
        off = abs(g.astype(np.longdouble) - e) / np.spacing(abs(e.astype(dtype))).astype(float)
        assert off.max() <= (ulps if row != 13 else 4 * ulps), f"row {row}: {off.max()} ulps"


def test_error_names_block_and_thread(queue: Any) -> None:
    @gpu.jit
    def over(x, y):
        i = gpu.grid(1)
        y[i] = x[i + 3]

    x = queue.to_device(np.zeros(128))
    with pytest.raises(IndexError, match=r"block .*thread"):
        over[2, 64, queue](x, x)
        queue.sync()
    saxpy[2, 64, queue](1.0, x, x)  # the device goes on
    queue.sync()


def test_time_of_events(queue: Any) -> None:
    x, y = queue.zeros(1 << 20), queue.zeros(1 << 20)
    e = queue.launch(saxpy, 8192, 128, (2.0, x, y))
    e.wait()
    times = e.times
    assert 0 < times["started"] <= times["ended"] and e.elapsed > 0
    assert e.status == "done"


def test_modules_are_kept(tmp_path: Path) -> None:
    """The second process loads the cubin; one that was spoiled is made anew."""
    code = tmp_path / "k.py"
    code.write_text(
        "import numpy as np, swathe\n"
        "from swathe import gpu\n"
        "@gpu.jit\n"
        "def k(x):\n"
        "    x[gpu.grid(1)] += 1\n"
        "x = np.zeros(64)\n"
        "k[1, 64, swathe.Queue('cuda')](x)\n"
        "assert (x == 1).all()\n"
    )
    folder = tmp_path / "cache"
    env = os.environ | {"SWATHE_CACHE_DIR": str(folder)}

    def go() -> dict[Path, bytes]:
        subprocess.run([*RUN, code], env=env, check=True, timeout=120)
        return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != "size"}

    first = go()
    assert any(BINARY in data for data in first.values())
    assert go() == first
    for path, data in first.items():
        path.write_bytes(data[:100] + bytes(len(data) - 100))
    assert go() == first


def scale(bar: Any, **options: Any) -> Any:
    @gpu.jit(**options)
    def kernel(x, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = bar(x[i], 2)

    return kernel


@pytest.mark.parametrize("form", ["ptx", "cu", "o", "a", "cubin", "fatbin"])
def test_linked(queue: Any, form: str, tmp_path: Path) -> None:
    file, source = tmp_path / f"bar.{form}", tmp_path / "bar.cu"
    source.write_text(CUDA_C)
    if form == "ptx":
        file.write_text(PTX)
    elif _link.nvcc() is None:
        pytest.skip("needs nvcc")
    elif form != "cu":
        arch = f"-arch=sm_{CUDA.props['arch']}"
        how = {"o": ["-c"], "a": ["-lib"], "cubin": ["-cubin"], "fatbin": ["-fatbin"]}[form]
        command = [_link.nvcc(), "-rdc=true", arch, *how, source, "-o", file]
        r = subprocess.run(command, capture_output=True, text=True)
        if r.returncode:
            pytest.skip(f"nvcc: {r.stderr}")
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=file)
    x, out = np.arange(40, dtype=np.int32), np.zeros(40)
    scale(bar, max_registers=32, lineinfo=True)[2, 32, queue](x, out)
    if STANDIN:  # the CPU has no such function
        return
    assert np.array_equal(out, 10 * x + 2)
    if form == "ptx":
        with pytest.raises(RuntimeError, match="'bar' returned the status 3"):
            scale(bar)[1, 1, queue](-x[1:2], out)
            queue.sync()
        (tmp_path / "none.ptx").write_text(PTX.replace("bar(", "other("))
        with pytest.raises(errors.LinkError, match="'bar' is not defined in none.ptx"):
            none = gpu.declare_device("bar", "int32(int32,int32)", link=tmp_path / "none.ptx")
            scale(none)[1, 1, queue](x, out)


def test_arrays_of_torch(queue: Any) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this torch has no CUDA")
    x, y = torch.ones(1000, device="cuda"), torch.full((1000,), 2.0, device="cuda")
    torch.cuda.synchronize()
    saxpy[8, 128, queue](np.float32(3), x, y)
    queue.sync()
    assert bool((y == 5).all())


def test_arrays_of_cupy(queue: Any) -> None:
    cupy = pytest.importorskip("cupy")
    x, y = cupy.ones(1000), cupy.full(1000, 2.0)
    cupy.cuda.Device().synchronize()
    saxpy[8, 128, queue](3.0, x, y)
    queue.sync()
    assert bool((y == 5).all())


def test_sanitizer(tmp_path: Path) -> None:
    """NVIDIA's own checker finds nothing."""
    tool = shutil.which("compute-sanitizer", path="/usr/local/cuda/bin:" + os.environ["PATH"])
    if tool is None:
        pytest.skip("needs compute-sanitizer")
    code = tmp_path / "k.py"
    code.write_text(
        "import numpy as np, swathe\n"
        "from swathe import gpu\n"
        "@gpu.jit\n"
        "def k(x):\n"
        "    t = gpu.shared.array(64, np.float64)\n"
        "    t[gpu.threadIdx.x] = x[gpu.grid(1)]\n"
        "    gpu.syncthreads()\n"
        "    x[gpu.grid(1)] = t[63 - gpu.threadIdx.x]\n"
        "x = np.arange(128.0)\n"
        "k[2, 64, swathe.Queue('cuda')](x)\n"
        "assert x[0] == 63\n"
    )
    r = subprocess.run([tool, *RUN, code], capture_output=True, text=True, timeout=300)
    if "not supported" in r.stdout:
        pytest.skip("compute-sanitizer does not support this device")
    assert "ERROR SUMMARY: 0 errors" in r.stdout, r.stdout + r.stderr
