# SPDX-License-Identifier: BSD-3-Clause
"""Random IR (texts.py) as machine code, against the interpreter (`swc --run`)."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import numpy as np
from harness import Options, differ

import swathe

from . import judge as judging
from . import reduce, texts
from .judge import Difference, Verdict

NAMES = {"bool": "bool", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64",
         "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
         "c128": "complex128"}  # fmt: skip
OPTIONS: tuple[tuple[dict[str, Any], dict[str, str]], ...] = (
    ({"opt_level": 0}, {}),
    ({}, {"SWATHE_LANES": "4"}),
    ({"opt_level": 1, "parallel": True}, {"SWATHE_GRAIN": "1"}),
    ({}, {}),
    ({"opt_level": 1}, {"SWATHE_LANES": "8", "SWATHE_SMALL": "1"}),
    (
        {"opt_level": 2, "parallel": True},
        {"SWATHE_GRAIN": "1", "SWATHE_LANES": "2", "SWATHE_SMALL": "1"},
    ),
)
REDUCE = reduce.reduced_lines


def text(seed: int) -> str:
    maker = texts.Text(seed)
    maker.sites = True
    return maker.text()


# ---- arguments -----------------------------------------------------------------------------


def value(r: np.random.Generator, kind: str) -> Any:
    dtype = np.dtype(NAMES[kind])
    if kind == "bool":
        return np.bool_(r.integers(2))
    if kind[0] in "ui":
        if r.random() < 0.06:
            ends = np.iinfo(dtype)
            at = (ends.min, ends.min + 1, ends.max - 1, ends.max, ends.max // 2 + 1)
            return dtype.type(r.choice(at))
        small = 0 if kind[0] == "u" else -4
        return dtype.type(r.integers(small, 12))
    v = r.choice([0.0, 1.0, -1.5, 2.25, 8.0, -0.0, np.nan, np.inf, 3.0, -4.0])
    return dtype.type(complex(v, 0.5)) if kind == "c128" else dtype.type(v)


def spelled(v: Any) -> str:
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (complex, np.complexfloating)):
        return f"({float(v.real)!r}, {float(v.imag)!r})"
    return repr(v.item() if isinstance(v, np.generic) else v)


def array(r: np.random.Generator, kind: str, layout: str) -> np.ndarray:
    rank = layout.count(",") + 1
    shape = tuple(int(n) for n in r.choice([1, 2, 3, 5, 9, 17], rank))
    if r.random() < 0.06:
        shape = (0, *shape[1:])
    wide = "::1" not in layout and r.random() < 0.6
    full = (*shape[:-1], shape[-1] * 2) if wide else shape
    a = np.array([value(r, kind) for _ in range(int(np.prod(full)))], NAMES[kind]).reshape(full)
    if layout.startswith("::1,"):
        a = np.asfortranarray(a)
    return a[..., ::-2] if wide else a


def argument(r: np.random.Generator, declared: str) -> Any:
    kind, _, layout = declared.partition("[")
    kind = kind.strip()
    if layout:
        return array(r, kind, layout.split("]")[0])
    v = value(r, kind)
    return int(v) if kind == "i64" else v


def given_text(name: str, v: Any) -> str:
    """As `swc --run --args` reads it."""
    if not isinstance(v, np.ndarray):
        return f"{name}={spelled(v)}"
    shape, strides = (",".join(map(str, x)) for x in (v.shape, v.strides))
    return f"{name}=({shape}):({strides}) {' '.join(spelled(x) for x in v.ravel())}"


# ---- results -------------------------------------------------------------------------------


def number(token: str, dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return token == "true"
    if dtype.kind == "c":
        real, imag = token.strip("()").split(",")
        return complex(float(real), float(imag))
    return float(token) if dtype.kind == "f" else int(token)


def read(line: str, kind: str) -> Any:
    """A result as the interpreter prints it; None where it says too little."""
    kind, _, layout = kind.partition("[")
    dtype = np.dtype(NAMES[kind.strip()])
    if "?" in line or "..." in line:
        return None
    if not layout:
        return dtype.type(number(line.strip(), dtype))
    shape = re.match(r"\(([\d,]*)\)", line)
    if not shape:
        return None
    dims = tuple(int(n) for n in shape[1].split(",") if n)
    rest = re.sub(r"^(:\([-\d,]*\))?(\+\d+)?", "", line[shape.end() :])
    tokens = re.findall(r"\([^)]*\)|\S+", rest)
    if len(tokens) != int(np.prod(dims)):
        return None
    return np.array([number(t, dtype) for t in tokens], dtype).reshape(dims)


def head_of(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    head = re.search(r"^func f\w*\((.*)\) -> (.*?) entry", text, re.M)
    if not head:
        raise ValueError("no entry")
    pairs = re.findall(r"(\w+): (\w+(?:\[[:,1]*\])?)", head[1])
    return pairs, re.findall(r"\w+(?:\[[:,1]*\])?", head[2])


def type_text(kind: str) -> str:
    kind, bracket, layout = kind.partition("[")
    return NAMES[kind] + bracket + layout


def expected(text: str, args: list[str]) -> dict[str, Any]:
    """What the interpreter makes of it: results by number, the error, and `after`."""
    got = texts.swc([texts.SWC, "--run", "--args", "; ".join(args)], text, {})
    if got.returncode not in (0, 1) or got.stderr.strip():
        raise ValueError((got.stderr or got.stdout)[:300])
    if got.stdout.startswith("not run"):
        raise ValueError(got.stdout[:100])
    found: dict[str, Any] = {"error": None}
    for line in got.stdout.strip().split("\n"):
        if m := re.match(r"result (\d+) = (.*)", line):
            found[m[1]] = m[2]
        elif line.startswith("after: "):
            found["after"] = line[7:]
        elif m := re.match(r"(\w+): (.*)", line):
            found["error"] = m[1], m[2]
    return found


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        params, results = head_of(text)
        r = np.random.default_rng(seed)
        values = [argument(r, kind) for _, kind in params]
        args = [given_text(n, v) for (n, _), v in zip(params, values, strict=True)]
        want = expected(text, args)
    except (ValueError, KeyError, subprocess.TimeoutExpired) as e:
        return Verdict("outside", why=re.sub(r"\d+", "N", str(e).split("\n")[0])[:100])
    options, env = OPTIONS[seed % len(OPTIONS)]
    types = ", ".join(type_text(k) for k in results)
    result = f"Tuple(({types}))" if len(results) > 1 else types
    head = f"# swathe lower: {result}({', '.join(type_text(k) for _, k in params)})"
    try:
        stub = swathe.text._stub("f", ", ".join(n for n, _ in params), head[16:])
        with judging.environment(env):
            f = swathe._core.from_ir(stub, head[16:], f"{head}\n{text}", False, **options)
            got = judging.run(f, tuple(values))
    except judging.Outside as e:
        return Verdict("outside", why=str(e))
    except Exception as e:
        return Verdict("malformed", why=re.sub(r"\d+", "N", str(e).split("\n")[0])[:100])
    found = difference(want, got, results, params, "parallel" in options)
    where = f"; {'; '.join(args)}; {options} {env}"
    return (
        Verdict("differs", Difference("", found[0], found[1] + where)) if found else Verdict("same")
    )


def difference(
    want: dict[str, Any],
    got: Any,
    results: list[str],
    params: list[tuple[str, str]],
    parallel: bool,
) -> tuple[str, str] | None:
    if want["error"] or got.error:
        mine = got.error and (type(got.error).__name__, judging.message(got.error))
        same = bool(mine) and bool(want["error"]) and mine[0] == want["error"][0]
        if not same:
            return "error", f"{want['error']} expected, got {mine or got.value}"
        if parallel:
            return None  # how far other iterations came is nobody's promise
    else:
        values = got.value if len(results) > 1 else (got.value,)
        for k, (kind, v) in enumerate(zip(results, values, strict=True)):
            w = read(want.get(str(k), "?"), kind)
            text = w is not None and unlike(w, v, f"result {k}")
            if text:
                return "value", text
    for (name, kind), v in zip(params, got.args, strict=True):
        if not isinstance(v, np.ndarray):
            continue
        m = re.search(rf"(?:^|; ){name}=([^;]*)", want.get("after", ""))
        w = read(m[1], kind) if m else None
        text = w is not None and unlike(w, v, f"{name} afterwards")
        if text:
            return "memory", text
    return None


def unlike(want: Any, got: Any, what: str) -> str | None:
    if not isinstance(want, np.ndarray):
        got = np.asarray(got).astype(np.asarray(want).dtype)[()]
    return differ(want, got, Options(views=False), what)
