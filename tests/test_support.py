"""The runtime that compiled code calls, and the loader, without Python or LLVM around them.

The C files of tests/c are built with the sanitizers, straight from the sources, and the values
that tests/c/eval.c computes are compared with what NumPy and CPython compute.
"""

from __future__ import annotations

import itertools
import math
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
CC = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
# Files whose names others among the sources have, too, and what stands for the rest.
ALONE = [ROOT / f"core/rt/{name}.c" for name in ("heap", "circles", "error")]
ALONE.append(ROOT / "tests/c/no_units.c")
SOURCES = [
    *sorted((ROOT / "core/rt").glob("support*.c")),
    *sorted((ROOT / "core/rt").glob("load*.c")),
    ROOT / "core/rt/format.c",
    ROOT / "core/rt/link.c",
    ROOT / "core/rt/shadow.c",
    *sorted((ROOT / "core/rt").glob("watch*.c")),
    ROOT / "core/rt/offload.c",
    ROOT / "core/dev/error.c",
    ROOT / "core/ir/exc.c",
    ROOT / "core/kernel/library.c",
    *sorted((ROOT / "core/dev/cpu").glob("*.c")),
    *sorted((ROOT / "core/type").glob("*.c")),
    *sorted((ROOT / "core/base").glob("*.c")),
]
FLAGS = [
    *("-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-ffp-contract=off", f"-I{ROOT}/core"),
    *("-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
]
ENV = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "ASAN_OPTIONS")}

pytestmark = [
    pytest.mark.skipif(CC is None, reason="needs a C compiler"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

SPECIAL = [0.0, 1.0, 0.5, 2.0, 1.5, 3.0, math.inf, 1e308, 5e-324, 1e-300, 0.1, 2.5, 1e16]
SPECIAL += [-x for x in SPECIAL] + [math.nan, 171.0, 172.0, 709.0, 710.0, -170.5]
_rng = random.Random(7)
REALS = (
    SPECIAL
    + [_rng.uniform(-10, 10) for _ in range(50)]
    + [_rng.gauss(0, 1) * 10.0 ** _rng.randint(-300, 300) for _ in range(50)]
)
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -3.5, 2.0, math.inf, -math.inf, math.nan, 1e308, 5e-324, 710.0]
COMPLEX = (
    [complex(a, b) for a in PARTS for b in PARTS]
    + [complex(_rng.uniform(-5, 5), _rng.uniform(-5, 5)) for _ in range(300)]
    + [complex(1 + _rng.gauss(0, 1e-8), _rng.gauss(0, 1e-8)) for _ in range(50)]
)
Eval = Callable[[Sequence[str]], list[list[str]]]


def compile_c(folder: Path, *args: str | Path) -> None:
    command = [str(CC), *FLAGS, f"-I{folder}", *map(str, args)]
    r = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if r.returncode and "sanitize" in r.stderr and "cannot find" in r.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert r.returncode == 0, r.stderr


def row_table(folder: Path) -> Path:
    """Make what the build makes of the tables of functions, which core/type asks."""
    out = folder / "rows.c"
    made = [out, folder / "kernel_rows.def"]
    subprocess.run([sys.executable, ROOT / "tools" / "tables.py", *made], check=True)
    return out


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that makes a program of tests/c, with the runtime's objects made once."""
    folder = tmp_path_factory.mktemp("support")
    compile_c(folder, "-c", *SOURCES, row_table(folder))
    objects = sorted(folder.glob("*.o"))
    done: dict[str, Path] = {}

    def program(name: str) -> Path:
        if name not in done:
            out = folder / name
            source = ROOT / f"tests/c/{name}.c"
            compile_c(folder, source, *ALONE, *objects, "-o", out, "-lm", "-ldl", "-lpthread")
            done[name] = out
        return done[name]

    return program


@pytest.fixture(scope="module")
def evaluate(build: Callable[[str], Path]) -> Eval:
    """Return a function from lines of tests/c/eval.c's input to the words of its answers."""
    program = build("eval")

    def run(lines: Sequence[str]) -> list[list[str]]:
        text = "\n".join(lines) + "\n"
        r = subprocess.run(
            [program], input=text, capture_output=True, text=True, env=ENV, check=False
        )
        assert r.returncode == 0, r.stderr
        return [line.split() for line in r.stdout.splitlines()]

    return run


def same(a: float, b: float) -> bool:
    """Equal with the sign of zero, or both NaN."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def near(a: float, b: float, ulp: int) -> bool:
    if same(a, b):
        return True
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= ulp * float(np.spacing(abs(b)))


def words(*xs: float) -> str:
    return " ".join(float(x).hex() for x in xs)


def parsed(answer: Sequence[str]) -> complex:
    return complex(float.fromhex(answer[0]), float.fromhex(answer[1]))


TWO = [
    ("mod_f64", np.remainder, np.float64, 0),
    ("mod_f32", np.remainder, np.float32, 0),
    ("floordiv_f64", np.floor_divide, np.float64, 0),
    ("floordiv_f32", np.floor_divide, np.float32, 0),
    ("logaddexp", np.logaddexp, np.float64, 2),
    ("logaddexp2", np.logaddexp2, np.float64, 2),
]


@pytest.mark.parametrize(("name", "ufunc", "dtype", "ulp"), TWO, ids=[t[0] for t in TWO])
def test_real_of_two(evaluate: Eval, name: str, ufunc: np.ufunc, dtype: type, ulp: int) -> None:
    xs = [dtype(x) for x in REALS[:60]]
    pairs = list(itertools.product(xs, xs))
    for (a, b), r in zip(pairs, evaluate([f"{name} {words(a, b)}" for a, b in pairs]), strict=True):
        assert near(float.fromhex(r[0]), float(ufunc(a, b)), ulp), (a, b)


def test_spacing(evaluate: Eval) -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    for name, xs in [
        ("spacing_f64", np.array(REALS)),
        ("spacing_f32", np.array(REALS).astype(np.float32)),
        ("spacing_f16", halves),
    ]:
        for x, r in zip(xs, evaluate([f"{name} {words(x)}" for x in xs]), strict=True):
            assert same(float.fromhex(r[0]), float(np.spacing(x))), (name, x)


def test_nextafter_half(evaluate: Eval) -> None:
    halves = np.arange(0, 65536, 7, dtype=np.uint16).view(np.float16)
    to = [np.float16(y) for y in (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan)]
    pairs = [(x, y) for x in halves for y in (*to, x)]
    answers = evaluate([f"nextafter_f16 {words(x, y)}" for x, y in pairs])
    for (x, y), r in zip(pairs, answers, strict=True):
        assert same(float.fromhex(r[0]), float(np.nextafter(x, y))), (x, y)


def test_frexp(evaluate: Eval) -> None:
    m = evaluate([f"frexp_m {words(x)}" for x in REALS])
    e = evaluate([f"frexp_e {words(x)}" for x in REALS])
    for x, a, b in zip(REALS, m, e, strict=True):
        assert same(float.fromhex(a[0]), math.frexp(x)[0])
        assert int(b[0]) == math.frexp(x)[1]


def test_integers(evaluate: Eval) -> None:
    ints = [0, 1, 2, 3, -1, -2, 10, 2**31, 2**63 - 1, -(2**63), 12345678901, -987654321]
    pairs = list(itertools.product(ints, ints))
    lines = [
        f"{name} {a} {b}" for a, b in pairs for name in ("gcd_i64", "gcd_u64", "pow_i64", "pow_u64")
    ]
    answers = iter(evaluate(lines))
    for a, b in pairs:
        gcd_i, gcd_u, pow_i, pow_u = (int(next(answers)[0]) for _ in range(4))
        ua, ub = a % 2**64, b % 2**64
        assert gcd_i == np.gcd(np.int64(a), np.int64(b))
        assert gcd_u == math.gcd(ua, ub)
        assert pow_u == pow(ua, ub, 2**64)
        if b >= 0:
            assert pow_i % 2**64 == pow(a, b, 2**64)


def test_round(evaluate: Eval) -> None:
    xs = [*REALS, 2.675, 0.15, 25.0, 35.0, 2.5e15, 1234567.5, 5.5, -5.5, 149.99999999999997, 5e22]
    digits = (-400, -308, -23, -22, -3, -2, -1, 0, 1, 2, 3, 17, 22, 100, 323, 324, 1000)
    pairs = list(itertools.product(xs, digits))
    answers = evaluate([f"round {words(x)} {n}" for x, n in pairs])
    for (x, n), r in zip(pairs, answers, strict=True):
        try:
            want = round(x, n)
        except OverflowError:
            want = math.copysign(math.inf, x)
        assert same(float.fromhex(r[0]), want), (x, n)


ARC = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
ARC |= {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
CMATH = ["sqrt", "exp", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", *ARC]


@pytest.mark.parametrize("op", [*CMATH, "exp2", "expm1", "log2", "log1p", "sign"])
def test_complex_of_one(evaluate: Eval, op: str) -> None:
    ufunc = getattr(np, ARC.get(op, op))
    answers = evaluate([f"complex1 {op} {words(z.real, z.imag)}" for z in COMPLEX])
    for z, r in zip(COMPLEX, answers, strict=True):
        got, want = parsed(r), complex(ufunc(np.complex128(z)))
        assert near(got.real, want.real, 4), (z, got, want)
        assert near(got.imag, want.imag, 4), (z, got, want)


@pytest.mark.parametrize(("op", "ufunc"), [("div", np.divide), ("pow", np.power)])
def test_complex_of_two(evaluate: Eval, op: str, ufunc: np.ufunc) -> None:
    rng = random.Random(3)
    pairs = [(rng.choice(COMPLEX), rng.choice(COMPLEX)) for _ in range(4000)]
    powers = (-101, -100, -99, -3, -2, -1, 0, 1, 2, 3, 4, 7, 99, 100)
    pairs += [(z, complex(n)) for z in COMPLEX[::3] for n in powers]
    pairs += [(z, w) for z in (0j, -0j, 1 + 0j) for w in COMPLEX[::3]]
    answers = evaluate([f"complex2 {op} {words(a.real, a.imag, b.real, b.imag)}" for a, b in pairs])
    for (a, b), r in zip(pairs, answers, strict=True):
        got, want = parsed(r), complex(ufunc(np.complex128(a), np.complex128(b)))
        assert near(got.real, want.real, 4), (a, b, got, want)
        assert near(got.imag, want.imag, 4), (a, b, got, want)


def test_runtime(build: Callable[[str], Path]) -> None:
    """Allocator, references, copies, overlaps, exception classes, print, names."""
    program = build("runtime")
    r = subprocess.run([program], capture_output=True, text=True, env=ENV, check=False)
    assert r.returncode == 0, r.stdout + r.stderr


@pytest.mark.parametrize("flags", [("-O1", "-g"), ("-O2", "-fno-plt"), ("-O0",)], ids="".join)
def test_loader(build: Callable[[str], Path], tmp_path: Path, flags: tuple[str, ...]) -> None:
    """An object runs, and 5000 damaged copies of it are refused or loaded without a fault."""
    program = build("loader")
    elf = tmp_path / "object.o"
    source = "tests/c/loader_object.c"
    command = [str(CC), *flags, "-fPIC", "-fno-builtin", "-c", source, "-o", str(elf)]
    subprocess.run(command, cwd=ROOT, check=True)
    for seed in (1, 2):
        r = subprocess.run(
            [program, elf, "2500", str(seed)], capture_output=True, text=True, env=ENV, check=False
        )
        assert r.returncode == 0, r.stdout + r.stderr
