# SPDX-License-Identifier: BSD-3-Clause
"""Kernels for CUDA devices: the PTX made of them says what they mean, and ptxas takes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ptx import ARCHS, CC, ROOT, assemble, build_fake, to_ptx

KINDS = {
    "int": "i8 u8 i16 u16 i32 u32 i64 u64".split(),
    "float": "f16 f32 f64".split(),
    "complex": "c64 c128".split(),
}
NUMBERS = [d for ds in KINDS.values() for d in ds]


def kernel(body: str, params: str = "x: f32[::1], n: i64", variables: str = "") -> str:
    """Return the text of a kernel."""
    declared = "".join(f"  var {v.strip()}\n" for v in variables.split(";") if v.strip())
    lines = "".join(f"  {line}\n" for line in body.strip().splitlines())
    return f"func k({params}) entry kernel\n{declared}{lines}"


def check(source: str, folder: Path, *options: str, archs: tuple[int, ...] = (80,)) -> str:
    """Compile and assemble; return the text for the last of the architectures."""
    text = ""
    for arch in archs:
        r = to_ptx(source, arch, *options)
        assert r.returncode == 0, r.stderr
        text = r.stdout
        assemble(text, arch, folder)
    return text


@pytest.mark.parametrize("arch", ARCHS)
def test_everything_assembles(arch: int, tmp_path: Path):
    source = (ROOT / "tests/ir/text/grid.ir").read_text().partition("\n# ---\n")[0]
    source = re.sub("^#.*\n", "", source, flags=re.M)
    text = check(source, tmp_path, archs=(arch,))
    for word in (
        "bar.sync",
        "bar.red.popc.u32",
        "bar.red.or.pred",
        "bar.warp.sync",
        "atom.shared.add.f32",
        "atom.global.cas.b32",
        "shfl.sync.down.b32",
        "vote.sync.any.pred",
        "vote.sync.ballot.b32",
        "match.all.sync.b32",
        "activemask.b32",
        "membar.cta",
        "membar.gl",
        ".shared .align 16",
        "%ctaid.x",
    ):
        assert word in text, word


def test_parameters(tmp_path: Path):
    params = "a: f32[:,:], b: c64, c: bool, d: i8, e: f16, f: u16[::1], g: f64"
    text = check(kernel("f[0] = 1:u16", params), tmp_path)
    entry = text[text.index(".entry") :].partition(")")[0]
    entry = entry.replace(".align 2 .b8", ".b16")  # how LLVM writes a float16
    widths = [int(w) for w in re.findall(r"\.param \.[a-z](\d+)", entry)]
    # data, shape, strides; the two parts of b; c, d, e; data, shape, stride; g; the fault
    assert widths == [64] * 5 + [32, 32, 8, 8, 16] + [64] * 3 + [64, 64]


def test_the_grid(tmp_path: Path):
    names = [f"{w}_{a}" for w in ("grid", "block", "thread", "block_dim") for a in "xyz"]
    body = "\n".join(f"x[{i}] = geo.{n}" for i, n in enumerate([*names, "lane", "shared_bytes"]))
    text = check(kernel(body, "x: i64[::1]"), tmp_path, archs=ARCHS)
    for register in ("nctaid", "ctaid", "tid", "ntid"):
        for axis in "xyz":
            assert f"%{register}.{axis}" in text
    assert "%laneid" in text
    assert "%dynamic_smem_size" in text


def test_a_known_block_is_a_promise(tmp_path: Path):
    source = kernel("x[0] = geo.block_dim_y", "x: i64[::1]")
    text = check(source, tmp_path, "--block", "32,4,1")
    assert ".maxntid 32, 4, 1" in text
    assert "%ntid" not in text


def test_shared_memory(tmp_path: Path):
    text = check(
        kernel(
            """
a = alloc(16, 8)
b = alloc(tdiv(geo.shared_bytes, 4))
c = alloc(tdiv(geo.shared_bytes, 8))
a[geo.thread_y, geo.thread_x] = x[n]
b[geo.thread_x] = x[n]
c[geo.thread_x] = 1.0
barrier block
x[n] = add(a[geo.thread_x, geo.thread_y], b[0])
x[1] = f32(c[2])""",
            variables="a: f32[:,::1] noalias shared; b: f32[::1] noalias shared;"
            "c: f64[::1] noalias shared",
        ),
        tmp_path,
        archs=ARCHS,
    )
    assert re.search(r"\.shared \.align 16 \.b8 sw_shared_a\[512\]", text)
    assert re.search(r"\.extern \.shared \.align 16 \.b8 sw_shared\[\]", text)
    assert "st.shared.f32" in text
    assert "ld.shared.f32" in text


def test_local_memory_starts_zeroed(tmp_path: Path):
    text = check(
        kernel(
            "a = alloc(100)\na[geo.thread_x] = 1.0:f32\nx[0] = a[n]",
            variables="a: f32[::1] noalias local",
        ),
        tmp_path,
    )
    assert ".local .align 16 .b8" in text
    assert text.count("st.local") + text.count("st.u") + text.count("st.v") > 1


def test_checks_write_the_fault(tmp_path: Path):
    text = check(
        kernel("check_index x, 0, geo.thread_x\nx[geo.thread_x] = 1.0:f32"), tmp_path, archs=ARCHS
    )
    assert "sw_fail" in text
    assert "cas.b64" in text
    assert "st.global." in text


@pytest.mark.parametrize("dtype", ["bool", *NUMBERS])
def test_warps(dtype: str, tmp_path: Path):
    body = "\n".join(
        f"x[geo.thread_x] = v\nv = warp {op} x[0], 4294967295, {k}"
        for k, op in enumerate(("shfl", "shfl_up", "shfl_down", "shfl_xor"))
    )
    body += """
x[1] = v
m = warp match_any x[2], 4294967295
y[0] = m
m, p = warp match_all x[3], 15
y[1] = m
y[2] = u32(p)"""
    check(
        kernel(body, f"x: {dtype}[::1], y: u32[::1]", f"v: {dtype}; m: u32; p: bool"),
        tmp_path,
        archs=(75, 90),
    )


def atomics(dtype: str) -> list[str]:
    """Return the operations that there are for a dtype."""
    names = ["add", "sub", "min", "max", "nanmin", "nanmax", "xchg", "cas"]
    if dtype in KINDS["int"]:
        names += ["and", "or", "xor", "inc", "dec"]
    if dtype == "bool":
        names = ["and", "or", "xor", "xchg", "cas"]
    return names


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("dtype", ["bool", *(d for d in NUMBERS if d != "c128")])
def test_atomics(dtype: str, space: str, tmp_path: Path):
    where = "x" if space == "global" else "s"
    lines = ["s = alloc(64)"] if space == "shared" else []
    for op in atomics(dtype):
        more = ", y[1]" if op == "cas" else ""
        lines += [f"o = atomic {op} {where}[geo.lane], y[0]{more}", "y[geo.thread_x] = o"]
    text = check(
        kernel(
            "\n".join(lines),
            f"x: {dtype}[::1], y: {dtype}[::1]",
            f"o: {dtype}; s: {dtype}[::1] noalias shared",
        ),
        tmp_path,
        archs=(75, 90),
    )
    assert f"atom.{space}." in text


def test_atomics_ask_bits(tmp_path: Path):
    """Counts have no sign, and cas takes a NaN for itself and -0.0 not for 0.0."""
    body = "atomic inc i[0], i[1]\natomic dec i[2], i[3]\natomic cas d[0], d[1], d[2]"
    text = check(kernel(body, "i: i64[::1], d: f32[::1]"), tmp_path)
    assert re.search(r"setp\.(gt|ge|lt|le)\.u64|\.inc\.", text)
    assert not re.search(r"setp\.(gt|ge|lt|le)\.s64", text)
    assert not re.search(r"setp\.\w+\.f32", text)


def test_atomics_are_direct_where_they_can_be(tmp_path: Path):
    text = check(
        kernel(
            "\n".join(
                f"atomic {op} {a}[geo.thread_x], {a}[9]"
                for a, ops in {
                    "i": "add sub min max and or xor xchg",
                    "u": "min inc dec",
                    "l": "add max",
                    "x": "add sub",
                    "d": "add",
                }.items()
                for op in ops.split()
            ),
            "x: f32[::1], d: f64[::1], i: i32[::1], u: u32[::1], l: i64[::1]",
        ),
        tmp_path,
    )
    assert ".cas" not in text


def test_a_complex128_is_not_changed_in_one_step():
    r = to_ptx(kernel("atomic add x[0], x[1]", "x: c128[::1]"))
    assert r.returncode == 1
    assert "complex128" in r.stderr


@pytest.mark.parametrize(
    ("body", "variables", "what"),
    [("a = alloc(n)", "a: f32[::1] noalias", "make an array")],
)
def test_what_a_device_cannot_do(body: str, variables: str, what: str):
    r = to_ptx(kernel(body, variables=variables))
    assert r.returncode == 1
    assert what in r.stderr


MATH = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh cbrt erf erfc tgamma lgamma sqrt floor ceil trunc rint sign abs spacing frexp_m"
).split()
MATH2 = (
    "pow atan2 hypot fmod remainder nextafter copysign floordiv mod min max fmin fmax "
    "logaddexp logaddexp2"
).split()


@pytest.mark.parametrize("libdevice", [True, False], ids=["libdevice", "ours"])
@pytest.mark.parametrize("dtype", KINDS["float"])
def test_math(dtype: str, libdevice: bool, tmp_path: Path):
    lines = [f"x[{i}] = {f}(x[0])" for i, f in enumerate(MATH)]
    lines += [f"x[{i}] = {f}(x[0], x[1])" for i, f in enumerate(MATH2)]
    env = {} if libdevice else {"SWATHE_LIBDEVICE": ""}
    for options in ([], ["--fastmath"]):
        r = to_ptx(kernel("\n".join(lines), f"x: {dtype}[::1]"), 80, *options, env=env)
        assert r.returncode == 0, r.stderr
        assemble(r.stdout, 80, tmp_path)


@pytest.mark.parametrize("libdevice", [True, False], ids=["libdevice", "ours"])
@pytest.mark.parametrize("dtype", KINDS["complex"])
def test_complex_math(dtype: str, libdevice: bool, tmp_path: Path):
    names = "exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    names += "atanh sqrt floor ceil trunc rint sign exp2"
    lines = [f"x[{i}] = {f}(x[{i}])" for i, f in enumerate(names.split())]
    lines += [f"x[{i}] = {f}(x[0], x[1])" for i, f in enumerate(["pow", "div", "mul", "min"])]
    lines += ["y[0] = abs(x[0])", "y[1] = arg(x[1])"]
    real = {"c64": "f32", "c128": "f64"}[dtype]
    env = {} if libdevice else {"SWATHE_LIBDEVICE": ""}
    source = kernel("\n".join(lines), f"x: {dtype}[::1], y: {real}[::1]")
    r = to_ptx(source, 80, env=env)
    assert r.returncode == 0, r.stderr
    assemble(r.stdout, 80, tmp_path)


PRINT = """
from swathe import _core, gpu
import numpy as np, swathe
made, build = [], _core.dev_module
def record(device, source, *rest):
    made.append(source)
    return build(device, source, *rest)
_core.dev_module = record
@gpu.jit
def k(x, z):
    i = gpu.grid(1)
    print("100%", i, x[i], z[i], i > 3, np.float32(x[i]), np.uint8(i))
    print(f"{x[i]:8.3f}|{i:04d}")
    print()
q = swathe.Queue("cuda")
k[1, 2, q](np.ones(2), np.ones(2, complex))
print(made[0].rstrip(bytes(1)).decode())
"""


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_print(tmp_path: Path):
    build_fake(tmp_path / "libfakecuda.so")
    r = subprocess.run(
        [sys.executable, "-c", PRINT],
        env=os.environ | {"SWATHE_CUDA_LIB": str(tmp_path / "libfakecuda.so")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert r.returncode == 0, r.stderr
    assemble(r.stdout, 86, tmp_path)
    texts = [
        bytes(map(int, t.split(", "))) for t in re.findall(r"b8 text\S* = {([^}]*)}", r.stdout)
    ]
    line = b"100%% %lld %.17g (%.17g%+.17gj) %s %.9g %llu\n"
    assert line in texts and b"%8.3f|%04lld\n" in texts
    assert b"True" in texts
    assert b"\n" in texts


def test_fastmath(tmp_path: Path):
    source = kernel("x[0] = add(sin(div(x[1], x[2])), sqrt(x[3]))", "x: f32[::1]")
    slow, fast = check(source, tmp_path), check(source, tmp_path, "--fastmath")
    for word in ("sin.approx", "div.approx", "sqrt.approx"):
        assert word in fast
        assert word not in slow


def test_nothing_is_contracted_unasked(tmp_path: Path):
    text = check(kernel("x[0] = add(mul(x[1], x[2]), x[3])", "x: f64[::1]"), tmp_path)
    assert "fma" not in text
    assert "mul.rn.f64" in text


DEVICE_FUNCTION = """\
func helper(x: f64[:], i: i64) -> (f64, i64) may_raise
  check_index x, 0, i
  barrier block
  return x[i], add(i, 1)

func k(x: f64[:], n: i64) entry may_raise kernel
  var v: f64
  var i: i64
  v, i = call helper(x, geo.thread_x)
  check_index x, 0, i
  x[i] = v
"""


def test_device_functions(tmp_path: Path):
    text = check(DEVICE_FUNCTION, tmp_path, archs=ARCHS)
    assert text.count(".entry") == 1
    assert text.index("bar.sync") < text.index("st.global.f64")


def test_passes_of_devices(tmp_path: Path):
    source = kernel(
        """
i = add(mul(geo.block_x, geo.block_dim_x), geo.thread_x)
if lt(i, dim(x, 0))
  check_index x, 0, i
  x[i] = 1.0:f32""",
        variables="i: i64",
    )
    text = check(source, tmp_path, "--all")
    assert "st.global." in text


def test_lines_under_debug(tmp_path: Path):
    source = kernel("barrier block  # k.py:7:4\nx[0] = 1.0:f32  # k.py:8:4")
    for arch in ARCHS:
        check(source, tmp_path, "--debug", archs=(arch,))
