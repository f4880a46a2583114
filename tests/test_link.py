# SPDX-License-Identifier: BSD-3-Clause
"""Functions of other languages: C on the CPU, OpenCL C, and CUDA C and PTX by the driver's linker.

There is no device of NVIDIA's: a library stands in for its driver (tests/c/fake_cuda.c), which
notes what is linked and misses what nobody defines, and nvlink says whether what it was given
fits together.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import ptx
import pytest

import swathe
import swathe.compat.parpy as parpy
from swathe import _link, gpu
from swathe.annotate import buffer, shape_var
from swathe.compat.numba import cuda
from swathe.compat.parpy.types import F64, I32
from swathe.errors import LinkError

CODE = """
int bar(int *r, int a, int b) { *r = a * 10 + b; return a < 0 ? 3 : 0; }
int total(double *r, GLOBAL const double *x, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += x[i];
    *r = s;
    return 0;
}
"""
C_ONLY = """
int narrow(signed char *r, signed char a, unsigned short b, _Bool c, float f)
{
    *r = (signed char)(a + (c ? b : 0) + f);
    return 0;
}
int many(long *r, long a, long b, long c, long d, long e, long f, long g, double x, float y)
{
    *r = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(8 * x) + (long)(9 * y);
    return 0;
}
int fill(double *x, long n, double v)
{
    for (long i = 0; i < n; i++)
        x[i] = v;
    return 0;
}
double plain(double x) { return 2 * x; }
"""
CUDA_C = """
extern "C" __device__ int bar(int *r, int a, int b)
{
    *r = a * 10 + b;
    return a < 0 ? 3 : 0;
}
"""

pytestmark = pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same functions in each form."""
    at = tmp_path_factory.mktemp("link")
    (at / "f.c").write_text("#define GLOBAL\n" + CODE + C_ONLY)
    (at / "f.cl").write_text("#define GLOBAL __global\n" + CODE)
    (at / "f.cu").write_text(CUDA_C)
    run = lambda *c: subprocess.run(c, cwd=at, check=True)  # noqa: E731
    run(ptx.CC, "-c", "-fPIC", "f.c", "-o", "g.o")
    run("ar", "rcs", "h.a", "g.o")
    run(ptx.CC, "-shared", "-fPIC", "f.c", "-o", "s.so")
    return at


def scale_kernel(bar: Any, **options: Any) -> Any:
    @gpu.jit(**options)
    def kernel(x, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = bar(x[i], 2)

    return kernel


@pytest.mark.parametrize("name", ["f.c", "g.o", "h.a", "s.so"])
def test_forms(folder: Path, name: str) -> None:
    bar = cuda.declare_device("bar", "int32(int32,int32)", link=folder / name)
    total = gpu.declare_device("total", "float64(float64[:], int64)", link=[folder / name])

    @swathe.njit
    def f(a, b, x):
        return bar(a, b) + 1, total(x, x.size)

    assert f(np.int32(3), 4, np.arange(5.0)) == (35, 10.0)
    assert bar(3, 4) == 34
    x, out = np.arange(50, dtype=np.int32), np.zeros(50)
    scale_kernel(bar)[2, 32](x, out)
    assert np.array_equal(out, 10 * x + 2)


def test_link_of_a_kernel(folder: Path) -> None:
    """The kernel says where it is defined; another kernel may say otherwise."""
    bar = gpu.declare_device("bar", "int32(int32,int32)")
    (folder / "other.c").write_text("int bar(int *r, int a, int b) { *r = a - b; return 0; }")
    x, out = np.arange(40, dtype=np.int32), np.zeros(40)
    scale_kernel(bar, link=[str(folder / "f.c")])[2, 32](x, out)
    assert np.array_equal(out, 10 * x + 2)
    scale_kernel(bar, link=[folder / "other.c"])[2, 32](x, out)
    assert np.array_equal(out, x - 2)
    with pytest.raises(
        swathe.errors.UnsupportedError, match="'bar' is linked to nothing on the CPU"
    ):
        scale_kernel(bar)[2, 32](x, out)


@pytest.mark.parametrize("debug", [False, True])
def test_stores_through_pointers(tmp_path: Path, debug: bool) -> None:
    at = tmp_path / "fill.c"
    at.write_text(
        "int fill(int *r, double *p, long n)\n"
        "{ for (long i = 0; i < n; i++) p[i] = i + 1; *r = (int)n; return 0; }"
    )
    fill = gpu.declare_device("fill", "int32(float64[:], int64)", link=at)

    @gpu.jit(debug=debug)
    def kernel(x, n):
        own = gpu.local.array(3, np.float64)
        n[0] = fill(x, x.size) + fill(own, 3)
        n[1] = own[2]

    x, n = np.zeros(4), np.zeros(2)
    kernel[1, 1](x, n)
    assert x.tolist() == [1, 2, 3, 4] and n.tolist() == [7, 3]


def test_arguments_of_all_kinds(folder: Path) -> None:
    narrow = gpu.declare_device("narrow", "int8(int8,uint16,boolean,float32)", link=folder / "f.c")
    many = gpu.declare_device(
        "many", f"int64({'int64,' * 7} float64, float32)", link=folder / "f.c"
    )

    @swathe.njit
    def f(a, b, c, x):
        return narrow(a, b, c, x), many(1, 2, 3, 4, 5, 6, 7, x, x)

    assert f(np.int8(-3), np.uint16(7), True, np.float32(1)) == (5, 140 + 17)
    assert f(np.int8(-3), np.uint16(7), False, np.float32(1)) == (-2, 140 + 17)
    assert narrow(-3, 7, True, 1) == 5


def test_in_parallel_loops(folder: Path) -> None:
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=folder / "f.c")

    @swathe.njit(parallel=True)
    def f(x, out):
        for i in swathe.prange(x.size):
            out[i] = bar(x[i], 1)

    x, out = np.arange(1000, dtype=np.int32), np.zeros(1000, np.int32)
    f(x, out)
    assert np.array_equal(out, 10 * x + 1)


def test_results_as_in_c(folder: Path) -> None:
    plain = cuda.declare_device("plain", "float64(float64)", folder / "f.c", abi="c")
    x, out = np.arange(40.0), np.zeros(40)

    @gpu.jit
    def kernel(x, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = plain(x[i])

    kernel[2, 32](x, out)
    assert np.array_equal(out, 2 * x)
    assert plain(4) == 8
    with pytest.raises(ValueError, match="'numba' or 'c'"):
        gpu.declare_device("plain", "float64(float64)", folder / "f.c", abi="d")
    with pytest.raises(LinkError, match="does not fit f.c"):
        gpu.declare_device("plain", "float64(float64)", folder / "f.c")


@pytest.mark.parametrize("n", [0, -1, 1.5, "many"])
def test_wrong_options(n: Any) -> None:
    with pytest.raises(ValueError, match="max_registers=.*: a number of registers"):
        gpu.jit(max_registers=n)(lambda x: None)


def test_nothing_returned(folder: Path) -> None:
    (folder / "v.c").write_text("int ok(double *x) { x[0] += 1; return x[0] > 3; }")
    ok = gpu.declare_device("ok", "void(float64[:])", link=folder / "v.c")

    @swathe.njit
    def f(x):
        ok(x)
        ok(x)

    x = np.zeros(2)
    f(x)
    assert x[0] == 2
    with pytest.raises(RuntimeError, match="'ok' returned the status 1"):
        f(x)
    assert x[0] == 4


def test_status_is_an_error(folder: Path) -> None:
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=folder / "f.c")
    with pytest.raises(RuntimeError, match="the linked function 'bar' returned the status 3"):
        scale_kernel(bar)[1, 4](np.full(4, -1, np.int32), np.zeros(4))
    with pytest.raises(RuntimeError, match="status 3"):
        bar(-1, 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            (1.5, 2),
            "argument 1 of the linked function 'bar' is int32, by its signature .* not float",
        ),
        ((1, 2, 3), "'bar' takes 2 arguments, by its signature 'int32.int32,int32.', not 3"),
        ((np.zeros(3), 1), "argument 1 of the linked function 'bar' is int32"),
    ],
)
def test_wrong_arguments(folder: Path, args: Any, message: str) -> None:
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=folder / "f.c")

    @swathe.njit
    def f(*args):
        return bar(*args)

    with pytest.raises(swathe.errors.CompileError, match=message):
        f(*args)


def test_wrong_arrays(folder: Path) -> None:
    total = gpu.declare_device("total", "float64(CPointer(float64), int64)", link=folder / "f.c")

    @swathe.njit
    def f(x):
        return total(x, x.size)

    assert f(np.ones((2, 3))) == 6
    for bad in (np.ones(6)[::2], np.ones(3, np.int64), np.ones(3, np.float32)):
        with pytest.raises(swathe.errors.CompileError, match="a contiguous array of float64"):
            f(bad)


@pytest.mark.parametrize(
    ("name", "signature", "files", "message"),
    [
        ("nope", "int32(int32)", ["f.c"], "'nope' is not defined in f.c"),
        ("bar", "int32(foo)", ["f.c"], "the signature 'int32.foo.' of 'bar': no such type"),
        ("bar", "int32", ["f.c"], "it is written result.parameters."),
        ("bar", "int32(complex128)", ["f.c"], "numbers .* and arrays can be passed"),
        ("bar", "int32(int32)", ["f.txt"], "'.*f.txt' can't be linked"),
        ("bar", "int32(int32)", ["none.c"], "does not exist"),
        ("bar", "int32(int32)", ["bad.c"], "bad.c can't be linked:\n(.|\n)*error"),
        ("a b", "int32(int32)", ["f.c"], "is no name of a function"),
    ],
)
def test_wrong_declarations(
    folder: Path, name: str, signature: str, files: list[str], message: str
) -> None:
    (folder / "bad.c").write_text("int bar(int *r { }")
    with pytest.raises(LinkError, match=message):
        gpu.declare_device(name, signature, link=[folder / f for f in files])


@pytest.mark.parametrize(
    ("suffix", "text", "signature", "says"),
    [
        (".c", "int bar(int *r, long a, int b) { return 0; }", "int32(int32,int32)", "long a"),
        (".c", "int bar(int *r, int a) {\n return 0; }", "int32(int32,int32)", "int a"),
        (".c", "int bar(int a, int b) { return a; }", "int32(int32,int32)", "int a, int b"),
        (".c", "void bar(int *r, int a) { }", "int32(int32)", "void bar"),
        (".c", "/* x */ static int bar(int *r, float a)\n{ }", "int32(float64)", "float a"),
        (".c", "int bar(int *r, double a[]) { return 0; }", "int32(float64)", "double a"),
        (".cl", "int bar(int *r, ulong a) { return 0; }", "int32(uint32)", "ulong a"),
        (".cu", 'extern "C" __device__ int bar(int *r, int *a) { }', "int32(int32)", "int .r, int"),
        (".ptx", ".visible .func (.param .b32 o) bar(.param .b64 r) { }", "int32(int32)", "bar"),
        (".ptx", ".func bar(.param .b64 r, .param .b32 a) { }", "int32(int32)", "func bar"),
    ],
)
def test_wrong_prototypes(
    tmp_path: Path, suffix: str, text: str, signature: str, says: str
) -> None:
    (tmp_path / f"w{suffix}").write_text(text)
    with pytest.raises(LinkError, match=rf"of 'bar' does not fit w{suffix}(.|\n)*{says}"):
        gpu.declare_device("bar", signature, link=tmp_path / f"w{suffix}")


def test_right_prototypes() -> None:
    from swathe._prototype import check_c, check_ptx

    for ret, params, text in [
        ("int64", [("int64", -1)], "int bar(long long *r, int64_t a) {"),
        ("int64", [("int64", -1)], "static inline int bar(number *r, number a) {"),
        ("float64", [("float64", 1)], "int32_t bar(double *restrict r, const double a[]) {"),
        (None, [("uint32", -1)], "signed bar(unsigned a) {"),
        (None, [("uint8", -1)], "#define f() { }\nint\nbar(unsigned char) {"),
        (None, [], "int bar(void) {"),
        ("int32", [("bool", -1)], "int bar(int *, _Bool b);\nint bar(int *a, bool c)\n{"),
        ("int32", [("float32", 1)], "int bar(int *r, __global const float *c)\n{"),
    ]:
        assert check_c(text, "bar", ret, params, True) == ""
    assert check_c("double bar(double x) {", "bar", "float64", [("float64", -1)], False) == ""
    text = (
        ".extern .func bar(.param .b64 x);\n.func (.param .b32 o) bar(.param .b64 r, .param .b32 a)"
    )
    assert check_ptx(text, "bar", "int32", [("int8", -1)], True) == ""


def test_contents_are_part_of_the_key(tmp_path: Path) -> None:
    """In this process and in the next: a file that changed is another function."""
    code = tmp_path / "use.py"
    code.write_text(
        "import sys\n"
        "import numpy as np\n"
        "import swathe\n"
        "from swathe import _core, gpu\n"
        "two = gpu.declare_device('two', 'int32(int32)', link=sys.argv[1])\n"
        "@swathe.njit\n"
        "def f(x):\n"
        "    return two(x)\n"
        "print(f(np.int32(4)), _core.cache_info()['files'])\n"
    )
    file, seen = tmp_path / "two.c", []
    env = os.environ | {"SWATHE_CACHE_DIR": str(tmp_path / "cache"), "SWATHE_CACHE_SIZE": "100M"}
    for k in (2, 2, 3):
        file.write_text(f'#include "two.h"\nint two(int *r, int a) {{ *r = {k} * a; return 0; }}')
        (tmp_path / "two.h").write_text("")
        r = subprocess.run([sys.executable, code, file], env=env, capture_output=True, text=True)
        assert r.returncode == 0, r.stderr
        seen.append(r.stdout.split())
    assert [s[0] for s in seen] == ["8", "8", "12"]
    assert int(seen[0][1]) == int(seen[1][1]) < int(seen[2][1])


def test_cache_is_cleared(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("int one(int *r) { *r = 1; return 0; }")
    code = "import sys; from swathe import gpu; gpu.declare_device('one', 'int32()', sys.argv[1])"
    env = os.environ | {"SWATHE_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code, tmp_path / "f.c"], env=env, check=True)
    kept = tmp_path / "cache/link"
    assert kept.stat().st_mode & 0o77 == 0
    assert [f.suffix for f in kept.iterdir()] == [".so"]
    clear = [sys.executable, "-m", "swathe", "cache", "clear"]
    subprocess.run(clear, env=env, check=True, capture_output=True)
    assert list(kept.iterdir()) == []


def test_headers_are_part_of_the_key(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text('#include "g.h"\nint h(int *r) { *r = VALUE; return 0; }')
    for k in (5, 6):
        (tmp_path / "g.h").write_text(f"#define VALUE {k}\n")
        assert gpu.declare_device("h", "int32()", link=tmp_path / "f.c")() == k


def test_missing_symbol_of_a_kernel(folder: Path) -> None:
    nope = gpu.declare_device("nope", "int32(int32, int32)")
    with pytest.raises(swathe.errors.Error, match="nope"):
        scale_kernel(nope, link=[folder / "f.c"])[1, 4](np.zeros(4, np.int32), np.zeros(4))


# ---- OpenCL --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def queue() -> Any:
    try:
        return swathe.Queue("opencl")
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))


def test_opencl(folder: Path, queue: Any) -> None:
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=[folder / "f.c", folder / "f.cl"])
    total = gpu.declare_device("total", "float64(float64[:],int64)", link=folder / "f.cl")

    @gpu.jit
    def kernel(x, y, out):
        i = gpu.grid(1)
        out[i] = bar(x[i], 2) + total(y, y.size)

    x, y, out = np.arange(8, dtype=np.int32), np.arange(4.0), np.zeros(8)
    kernel[2, 4, queue](x, y, out)
    assert np.array_equal(out, 10 * x + 2 + 6)
    with pytest.raises(
        RuntimeError, match="'bar' returned the status 3 .in block .1, 0, 0., thread"
    ):
        kernel[2, 4, queue](np.repeat(np.int32([1, -1]), 4), y, out)
        queue.wait()


def test_opencl_missing(folder: Path, queue: Any) -> None:
    x, out = np.zeros(4, np.int32), np.zeros(4)
    bar = gpu.declare_device("bar", "int32(int32,int32)")
    with pytest.raises(LinkError, match="'bar' is linked to nothing on opencl"):
        scale_kernel(bar)[1, 4, queue](x, out)
    (folder / "none.cl").write_text("int other(int *r) { return 0; }")
    with pytest.raises(LinkError, match="'bar' is not defined in none.cl"):
        scale_kernel(bar, link=folder / "none.cl")[1, 4, queue](x, out)
    macro = "#define ARGS (int *r, unknown a, int b)\nint bar ARGS { return 0; }\n"
    (folder / "wrong.cl").write_text(macro)
    wrong = gpu.declare_device("bar", "int32(int32, int32)", link=folder / "wrong.cl")
    with pytest.raises(LinkError, match="'bar' is not defined in wrong.cl"):
        scale_kernel(wrong)[1, 4, queue](x, out)
    (folder / "wrong.cl").write_text("int bar(int *r, unknown a, int b) { return 0; }\n")
    wrong = gpu.declare_device("bar", "int32(int32, int32)", link=folder / "wrong.cl")
    with pytest.raises(swathe.errors.DeviceBuildError, match=r"with bar: int32\(int32, int32\)"):
        scale_kernel(wrong)[1, 4, queue](x, out)


def test_opencl_by_the_same_name(folder: Path, queue: Any) -> None:
    """A kernel calls the function that it names, not the last one of that name."""
    for k in (1, 2):
        text = f"int bar(int *r, int a, int b) {{ *r = a * {k}; return 0; }}\n"
        (folder / f"by{k}.cl").write_text(text)
    once, twice = (
        gpu.declare_device("bar", "int32(int32,int32)", link=folder / f"by{k}.cl") for k in (1, 2)
    )
    x = np.arange(8, dtype=np.int32)
    for k, bar in ((1, once), (2, twice)):
        out = np.zeros(8)
        scale_kernel(bar)[2, 4, queue](x, out)
        assert np.array_equal(out, k * x)

    @gpu.jit
    def both(x, out):
        i = gpu.grid(1)
        out[i] = once(x[i], 0) + twice(x[i], 0)

    with pytest.raises(LinkError, match="can't call two functions that are named 'bar'"):
        both[2, 4, queue](x, out)


def test_opencl_loops(folder: Path, queue: Any) -> None:
    """Parallel loops go to the device where it has the function, and stay here otherwise."""

    def run(link: Any) -> str:
        bar = gpu.declare_device("bar", "int32(int32,int32)", link=link)

        @swathe.njit(parallel=True)
        def f(x, out):
            for i in swathe.prange(x.size):
                out[i] = bar(x[i], 1)

        x, out = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
        with swathe.device_context(queue):
            f(x, out)
            assert np.array_equal(out, 10 * x + 1)
            return str(f.explain())

    assert "runs on the device" in run([folder / "f.c", folder / "f.cl"])
    assert "runs on the device" in run(folder / "f.cl")
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=folder / "f.cl")

    @swathe.njit(parallel=True)
    def too_far(x, out):
        for i in swathe.prange(x.size):
            out[i + 1] = bar(x[i], 1)

    x = np.arange(100, dtype=np.int32)
    with swathe.device_context(queue), pytest.raises(RuntimeError, match="'bar' is linked to noth"):
        too_far(x, np.zeros(100, np.int32))
    assert "it calls 'bar', which is linked on the CPU only" in run(folder / "f.c")


# ---- CUDA ----------------------------------------------------------------------------------------

RUN = """
import ctypes, json, os, sys
from pathlib import Path
import numpy as np
import swathe
from swathe import _core, gpu

folder, made, out = Path(sys.argv[1]), [], {}
build = _core.dev_module
def record(device, source, *rest):
    made.append(source)
    return build(device, source, *rest)
_core.dev_module = record
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_linked.restype = ctypes.c_char_p
queue = swathe.Queue("cuda")
for name in sys.argv[2:]:
    files = [folder / name] if name != "none" else []
    bar = gpu.declare_device("bar", "int32(int32,int32)", link=files)
    @gpu.jit(max_registers=40, lineinfo=True, opt=False)
    def kernel(x, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = bar(x[i], 2)
    try:
        kernel[1, 4, queue](np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
        queue.sync()
        out[name] = fake.fake_linked().decode()
        (folder / (name + ".kernel.ptx")).write_bytes(made[-1].rstrip(b"\\0"))
    except swathe.errors.Error as e:
        out[name] = f"{type(e).__name__}: {e}"
print(json.dumps(out))
"""


def run_cuda(folder: Path, *names: str) -> dict[str, str]:
    fake = folder / "libfakecuda.so"
    if not fake.exists():
        ptx.build_fake(fake)
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(fake),
        "FAKE_CUDA_ARCH": "80",
        "SWATHE_CACHE_SIZE": "0",
    }
    r = subprocess.run(
        [sys.executable, "-c", RUN, folder, *names],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert r.returncode == 0, r.stderr
    assert "fake_cuda:" not in r.stderr
    return json.loads(r.stdout)


def test_cuda_kinds(folder: Path) -> None:
    """Each file goes to the driver's linker under its kind, after the options."""
    kinds = {"b.cubin": 0, "b.fatbin": 2, "b.ltoir": 5}
    for name in kinds:
        (folder / name).write_bytes(b"\0\1bar\0")
    (folder / "empty.fatbin").write_bytes(b"\0")
    out = run_cuda(folder, *kinds, "empty.fatbin", "none")
    for name, kind in kinds.items():
        assert out[name] == f"0=40 13=1 7=0 | 1 swathe | {kind} {folder / name} "
    assert out["empty.fatbin"].startswith("DeviceBuildError")
    assert "Undefined reference to 'bar'" in out["empty.fatbin"]
    assert out["none"].startswith("LinkError: 'bar' is linked to nothing on cuda")


def test_cuda_c(folder: Path, tmp_path: Path) -> None:
    """CUDA C by nvcc, objects and archives of it; nvlink says that they fit the kernel."""
    nvcc = _link.nvcc()
    tool = nvcc and shutil.which("nvlink", path=str(Path(nvcc).parent))
    if not tool or not ptx.ptxas():
        pytest.skip("needs nvcc, nvlink and ptxas")
    cc = [nvcc, "-rdc=true", "-no-compress", "-arch=sm_80", folder / "f.cu"]
    forms = {
        "p.ptx": "-ptx",
        "d.o": "-c",
        "d.cubin": "-cubin",
        "d.fatbin": "-fatbin",
        "l.a": "-lib",
    }
    for name, how in forms.items():
        subprocess.run([*cc, how, "-o", folder / name], check=True)
    subprocess.run(["ar", "rcs", folder / "d.a", folder / "d.o"], check=True)
    out = run_cuda(folder, "f.cu", "d.a", *forms)
    assert all(" | " in v for v in out.values()), out
    kinds = [v.split(" | ")[2].split()[0] for v in out.values()]
    assert kinds == ["1", "4", "1", "3", "0", "2", "4"]
    kernel = folder / "f.cu.kernel.ptx"
    for text, to in ((kernel, "k.o"), (folder / "p.ptx", "f.o")):
        subprocess.run([ptx.ptxas(), "-c", "-arch=sm_80", text, "-o", tmp_path / to], check=True)
    link = [tool, "-arch=sm_80", "-o", tmp_path / "all.cubin", tmp_path / "k.o"]
    for other in (tmp_path / "f.o", *(folder / n for n in ("d.o", "d.a", "l.a", "d.cubin"))):
        subprocess.run([*link, other], check=True)
    r = subprocess.run(link, capture_output=True, text=True)
    assert "bar" in r.stdout + r.stderr


# ---- ParPy ---------------------------------------------------------------------------------------


def test_external(folder: Path) -> None:
    @parpy.external("plain", parpy.CompileBackend.Cpu, link=folder / "f.c")
    def twice(x: F64) -> F64: ...

    @parpy.external("hypot", parpy.CompileBackend.Cpu, header="<math.h>")
    def length(x: F64, y: F64) -> F64: ...

    @parpy.external("cbrt")
    def root(x: F64) -> F64: ...

    @parpy.jit
    def f(x, y, out, N):
        parpy.label("N")
        for i in range(N):
            out[i] = twice(x[i]) + length(x[i], y[i]) + root(x[i])

    x, y, out = np.arange(9.0), np.ones(9), np.zeros(9)
    f(x, y, out, 9, opts=parpy.par({"N": parpy.threads(2)}))
    assert np.allclose(out, 2 * x + np.hypot(x, y) + np.cbrt(x))
    with pytest.raises(LinkError, match="'no_such_function' is not in C's library"):
        parpy.external("no_such_function")(lambda: None)


M, N = shape_var(), shape_var()


def test_callback(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    @parpy.callback
    def note(i: I32, x: buffer(F64, [M, N])) -> F64:
        seen.append((i, x.shape))
        x[0, 0] += 1
        if i == 3:
            raise ValueError("three")
        return float(x.sum())

    @parpy.jit
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += note(i, x)
        return total

    x = np.ones((2, 3))
    assert f(x, 2) == 7 + 8
    assert seen == [(0, (2, 3)), (1, (2, 3))]
    assert x[0, 0] == 3
    with pytest.raises(ValueError, match="^three$") as e:
        f(x, 5)
    names, tb = [], e.value.__traceback__
    while tb:
        names.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    assert names[-1] == "note" and "run" not in names


def test_alloc_shared() -> None:
    @parpy.jit
    def f(x, out, N):
        parpy.label("N")
        for i in range(N):
            t = parpy.alloc_shared(4, np.float64)
            for j in range(4):
                t[j] = x[i, 3 - j]
            out[i] = t[0] - t[3]

    x, out = np.random.rand(8, 4), np.zeros(8)
    f(x, out, 8, opts=parpy.par({"N": parpy.threads(2)}))
    assert np.allclose(out, x[:, 3] - x[:, 0])


# ---- ParPy on a device ---------------------------------------------------------------------------


def on_opencl(parallelize: dict[str, Any]) -> Any:
    opts = parpy.par(parallelize)
    opts.backend = parpy.CompileBackend.OpenCL
    return opts


def test_external_on_opencl(folder: Path, queue: Any) -> None:
    (folder / "third.cl").write_text("double third(double x) { return x / 3; }\n")

    @parpy.external("third", parpy.CompileBackend.OpenCL, link=folder / "third.cl")
    def third(x: F64) -> F64: ...

    @parpy.jit
    def f(x, out, N):
        parpy.label("N")
        for i in range(N):
            out[i] = third(x[i])

    x, out = np.arange(300.0), np.zeros(300)
    f(x, out, 300, opts=on_opencl({"N": parpy.threads(128)}))
    assert np.array_equal(out, x / 3)
    with pytest.raises(swathe.errors.UnsupportedError, match="'third' is linked to nothing on the"):
        f(x, out, 300, opts=parpy.par({"N": parpy.threads(2)}))


def test_callback_on_opencl(queue: Any) -> None:
    """The loop stays here; a kernel is refused."""

    @parpy.callback
    def double(x: F64) -> F64:
        return 2 * x

    @parpy.jit
    def f(x, out, N):
        parpy.label("N")
        for i in range(N):
            out[i] = double(x[i])

    x, out = np.arange(9.0), np.zeros(9)
    f(x, out, 9, opts=on_opencl({"N": parpy.threads(4)}))
    assert np.array_equal(out, 2 * x)

    @gpu.jit
    def kernel(x):
        x[0] = double(x[0])

    for where in (kernel[1, 1], kernel[1, 1, queue]):
        with pytest.raises(swathe.errors.UnsupportedError, match="'double' is a callback into"):
            where(x)


def test_alloc_shared_on_opencl(queue: Any) -> None:
    @parpy.jit
    def f(x, out, N):
        parpy.label("N")
        for i in range(N):
            t = parpy.alloc_shared((2, 2), np.float64)
            parpy.label("M")
            for j in range(4):
                t[j // 2, j % 2] = x[i, 3 - j]
            out[i] = t[0, 0] - t[1, 1]

    x, out = np.random.rand(8, 4), np.zeros(8)
    f(x, out, 8, opts=on_opencl({"N": parpy.threads(8), "M": parpy.threads(4)}))
    assert np.allclose(out, x[:, 3] - x[:, 0])


# ---- what is kept on disk ------------------------------------------------------------------------

KEEP = """
import ctypes, os, sys
import numpy as np
import swathe
from swathe import gpu

fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_linked.restype = ctypes.c_char_p
bar = gpu.declare_device("bar", "int32(int32,int32)", link=sys.argv[1])
@gpu.jit
def kernel(x, out):
    out[gpu.grid(1)] = bar(x[gpu.grid(1)], 2)
kernel[1, 4, swathe.Queue("cuda")](np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
print("made" if fake.fake_linked() else "kept")
"""


def test_modules_are_kept(folder: Path, tmp_path: Path) -> None:
    """A module is linked once; what else is in its file's place is not loaded, but made anew."""
    fake, file = folder / "libfakecuda.so", tmp_path / "b.fatbin"
    if not fake.exists():
        ptx.build_fake(fake)
    file.write_bytes(b"\0\1bar\0")
    script, cache = tmp_path / "keep.py", tmp_path / "cache"
    script.write_text(KEEP)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake), "SWATHE_CACHE_DIR": str(cache)}

    def run(**more: str) -> str:
        command = [sys.executable, script, file]
        r = subprocess.run(command, env=env | more, capture_output=True, text=True, timeout=120)
        assert r.returncode == 0 and "fake_cuda:" not in r.stderr, r.stderr
        return r.stdout.strip()

    def spoil(how: Any) -> None:
        for path in cache.rglob("*"):
            if path.is_file() and path.name != "size":
                path.write_bytes(how(path.read_bytes()))

    assert [run(), run()] == ["made", "kept"]
    for how in (
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"\x7fELF of somebody else",
    ):
        spoil(how)
        assert [run(), run()] == ["made", "kept"]
    assert [run(FAKE_CUDA_ARCH="90"), run(FAKE_CUDA_ARCH="90"), run()] == ["made", "kept", "kept"]
    file.write_bytes(b"\0\2bar\0")
    assert [run(), run()] == ["made", "kept"]
