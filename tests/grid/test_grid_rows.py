# SPDX-License-Identifier: BSD-3-Clause
"""Each row of swathe.gpu's table, with each dtype: what a kernel in plain Python does with it, or,
of a kind that the row doesn't take, an error when it is compiled. Each row has a program here."""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import interpret
import numpy as np
import pytest

import swathe
from swathe import errors, gpu

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import tables

ROWS = {r.name: r for r in tables.table("GRID")}
DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
# Three axes, for the places; two warps and a part of one; one thread that waits for no other.
PLACES, WARPS, ONE = ((2, 3, 2), (4, 2, 3)), (2, 70), (12, 1)
FULL = (2, 64)  # a shuffle from a lane that isn't there yields anything
INT, BOOL = np.dtype("i8"), np.dtype("?")
ADDS = ("atomic.add", "atomic.sub")
SEEN = ("atomic.exch", "atomic.inc", "atomic.dec")  # what they leave hangs on the order


class Program(NamedTuple):
    """The lines of one kernel, its launch, and the dtype of what it stores."""

    body: str
    launch: tuple[Any, Any] = WARPS
    result: np.dtype = INT


PLACE = """
t = gpu.threadIdx.x + gpu.blockDim.x * (gpu.threadIdx.y + gpu.blockDim.y * gpu.threadIdx.z)
b = gpu.blockIdx.x + gpu.gridDim.x * (gpu.blockIdx.y + gpu.gridDim.y * gpu.blockIdx.z)
i = t + b * (gpu.blockDim.x * gpu.blockDim.y * gpu.blockDim.z)
"""


def values(dtype: np.dtype, n: int, adds: bool = False) -> np.ndarray:
    """Small numbers, few of them different, with the ends of the dtype where nothing adds up."""
    rng = np.random.default_rng(n)
    x = rng.integers(0, 6, n).astype(dtype)
    if adds or dtype.kind == "?":
        return x
    if dtype.kind in "iu":
        x[::11], x[5::11] = np.iinfo(dtype).max, np.iinfo(dtype).min
    else:
        x[::11], x[5::11], x[7::11] = np.nan, -np.inf, -0.0
        x[3::11] = -2.25
    return x


def atomics(row: tables.Row, dtype: np.dtype) -> Iterator[Program]:
    name = row.name
    value = "x[i]"
    if name.endswith(("cas", "compare_and_swap")):
        value = "x[i - i % 2], x[i]"  # every second one is what is there
    if name == "atomic.compare_and_swap":
        yield Program(f"out[i] = gpu.{name}(a[i:], {value})", WARPS, dtype)
        return
    yield Program(f"out[i] = gpu.{name}(a, i, {value})", WARPS, dtype)
    yield Program(f"out[i] = gpu.{name}(a.reshape(2, -1), (i % 2, i // 2), {value})", WARPS, dtype)
    yield Program(f"gpu.{name}(a, np.uint8(i), {value})", WARPS, dtype)
    if name not in SEEN and "cas" not in name:  # all at once
        yield Program(f"gpu.{name}(a, i % 3, x[i])", WARPS, dtype)


def arrays(row: tables.Row, dtype: np.dtype) -> Iterator[Program]:
    kind = f"np.{dtype.name}" if dtype != BOOL else "np.bool_"
    sync = "gpu.syncthreads()" if row.name.startswith("shared") else ""
    for shape, place in (("70", "[t]"), ("(7, 10)", "[t // 10, t % 10]")):
        turned = place.replace("t", "((t + 1) % 70)") if sync else place
        yield Program(
            f"w = gpu.{row.name}({shape}, {kind})\nw{place} = x[i]\n{sync}\nout[i] = w{turned}",
            WARPS,
            dtype,
        )


def programs(row: tables.Row, dtype: np.dtype) -> Iterator[Program]:
    """All of one row; of those whose result hangs on no dtype for INT only."""
    name = row.name
    lanes = {"shfl_sync": "0 5 31 i%32", "shfl_xor_sync": "1 2 16 31"}.get(name, "0 1 5 31")
    bits = INT if name in ("ballot_sync", "syncthreads_count") else BOOL
    one = {
        "match_any_sync": "gpu.match_any_sync(-1, x[i])",
        "match_all_sync": "gpu.match_all_sync(-1, x[i - i % 32])[0]",
        "activemask": "gpu.activemask()",
        "lanemask_lt": "gpu.lanemask_lt()",
    }
    if row.domain == "" and dtype != INT:
        return
    if name.startswith("atomic."):
        yield from atomics(row, dtype)
    elif name.endswith((".array", ".private")):
        yield from arrays(row, dtype)
    elif name == "const.array_like":
        table = f"TABLE_{dtype.name}"
        yield Program(f"w = gpu.const.array_like({table})\nout[i] = w[i % 5] + x[i]", WARPS, dtype)
    elif name in ("grid", "gridsize"):
        for n, fold in ((1, "p"), (2, "p[0] + 100 * p[1]"), (3, "p[0] + 100 * p[1] - p[2]")):
            yield Program(f"p = gpu.{name}({n})\nout[i] = {fold}", PLACES)
    elif name.startswith("shfl"):
        for k in lanes.split():
            yield Program(f"out[i] = gpu.{name}(0xFFFFFFFF, x[i], {k})", FULL, dtype)
    elif name in one:
        yield Program(f"out[i] = {one[name]}")
    elif name in ("cg.this_grid", "this_grid.sync", "syncgrid"):
        how = "gpu.syncgrid()" if name == "syncgrid" else "gpu.cg.this_grid().sync()"
        yield Program(f"a[i] = i\n{how}\nout[i] = a[(i + 70) % 140]")
    elif name in ("syncthreads", "syncwarp"):
        for n, call in ((70, "()"), (32, "()"), (32, "(0xFFFFFFFF)")):
            if n == 70 or name == "syncwarp":
                yield Program(
                    f"a[i] = i\ngpu.{name if n < 70 else 'syncthreads'}{call}\nout[i] = a[i ^ 1]"
                )
    elif "predicate" in row.text:
        call = f"gpu.{name}({'-1, ' if 'mask' in row.text else ''}"
        for what in ("x[i]", "x[b]", "x[i] + x[b]"):
            yield Program(f"out[i] = {call}{what})", WARPS, bits)
    elif name.startswith("threadfence"):
        yield Program(f"a[i] = i\ngpu.{name}()\nout[i] = a[i]")
    elif name in ("popc", "clz", "ffs", "brev"):
        yield Program(f"out[i] = gpu.{name}(x[i])", ONE, dtype if name == "brev" else INT)
    elif row.text == "":
        yield Program(f"out[i] = gpu.{name}", PLACES)
    else:
        given = ", ".join(("x[i]", "x[0] + x[i]", "x[b]")[: len(row.params)])
        yield Program(f"out[i] = gpu.{name}({given})", ONE, made_by(row, dtype))


def made_by(row: tables.Row, dtype: np.dtype) -> np.dtype:
    return dtype if dtype.kind == "f" or row.name == "selp" else np.dtype("f8")


_folder = Path(tempfile.mkdtemp(prefix="swathe-grid-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
_made: dict[str, Any] = {}


def kernel_of(body: str) -> Any:
    if body not in _made:
        lines = "\n".join(f"    {line}" for line in (PLACE + body).strip().split("\n"))
        path = _folder / f"row_{len(_made)}.py"
        path.write_text(
            "import numpy as np\nfrom swathe import gpu\n\n"
            + "".join(f"TABLE_{np.dtype(d).name} = np.arange(5).astype('{d}')\n" for d in DTYPES)
            + f"\n\ndef kernel(x, a, out):\n{lines}\n"
        )
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _made[body] = module.kernel
    return _made[body]


def arguments(row: tables.Row, dtype: np.dtype, p: Program) -> tuple[np.ndarray, ...]:
    grid, block = p.launch
    n = int(np.prod(grid) * np.prod(block))
    adds = row.name in ADDS
    x = values(dtype, n, adds)
    if row.name == "rsqrt" and dtype.kind != "c":
        x = np.abs(values(dtype, n, True))  # of others it is NaN, which debug=True finds
    return x, x[::-1].copy() if adds or row.domain else np.zeros(n, "i8"), np.zeros(n, p.result)


MODES = {"plain": {}, "debug": {"debug": True}, "slow": {"opt_level": 0}, "opencl": {}}
# What a device doesn't have; what it says so with is tested elsewhere.
LACKS = ("barrier over a whole grid", "16-bit")
CASES = [(name, d) for name, row in ROWS.items() for d in DTYPES if row.domain or d == "i8"]


@pytest.mark.parametrize(("name", "code"), CASES, ids=[f"{n}-{d}" for n, d in CASES])
def test_row(name: str, code: str) -> None:
    row, dtype = ROWS[name], np.dtype(code)
    found = list(programs(row, dtype))
    assert found, f"no program for {name}: write one"
    for p in found:
        kernel = kernel_of(p.body)
        if row.domain and dtype.kind.replace("b", "?") not in row.domain:
            with pytest.raises(errors.CompileError):
                gpu.jit(kernel)[p.launch](*arguments(row, dtype, p))
            continue
        want = arguments(row, dtype, p)
        interpret.launch(kernel, *p.launch, want)
        for mode, options in MODES.items():
            got = arguments(row, dtype, p)
            try:
                where = (*p.launch, swathe.Queue("opencl")) if mode == "opencl" else p.launch
                gpu.jit(kernel, **options)[where](*got)
            except (errors.NoDeviceError, errors.UnsupportedError) as e:
                lacks = isinstance(e, errors.NoDeviceError) or any(s in str(e) for s in LACKS)
                assert mode == "opencl" and lacks, e
                continue
            for g, w in zip(got, want, strict=True):
                if name == "cbrt" and g.dtype.kind == "f":
                    np.testing.assert_array_max_ulp(g, w, 2)
                else:
                    np.testing.assert_array_equal(g, w, f"{mode}: {p.body}")
