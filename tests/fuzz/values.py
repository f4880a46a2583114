# SPDX-License-Identifier: BSD-3-Clause
"""Texts of numbers and arrays: ordinary ones, limits of their types, and memory layouts."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTS, *FLOATS, *COMPLEX)
SHAPES = ((5,), (5,), (4,), (1,), (0,), (8,), (9,), (17,), (3, 4), (4, 3), (4, 4), (1, 4), (5, 1),
          (2, 3, 4), (4, 0), (2, 5), ())  # fmt: skip


def bits(dtype: str) -> int:
    return int(dtype.lstrip("uint"))


def int_text(r: random.Random, dtype: str = "int64", edge: float = 0.15) -> str:
    """A number that the dtype holds."""
    signed = not dtype.startswith("u")
    n = bits(dtype) - signed
    if r.random() < edge:
        values = [0, 1, 2**n - 1, 2**n - 2, 2 ** (n // 2), 2**n // 2]
        values += [-(2**n), -(2**n) + 1, -1, -2] if signed else []
        v = r.choice(values)
    else:
        v = r.randint(-9 if signed else 0, 20)
    return f"({v})" if v < 0 else str(v)


def float_text(r: random.Random, edge: float = 0.12) -> str:
    if r.random() < edge:
        return r.choice(
            ["np.nan", "np.inf", "(-np.inf)", "(-0.0)", "0.0", "1e300", "1e-310", "65504.0", "3e-5"]
        )
    return r.choice(
        [str(r.randint(-40, 40) / 4), str(r.randint(-9, 9) * 1.0), f"{r.uniform(-3, 3):.3f}"]
    )


def element(r: random.Random, dtype: str, edge: float = 0.12) -> str:
    if dtype == "bool":
        return r.choice(["True", "False"])
    if dtype in INTS:
        return int_text(r, dtype, edge)
    if dtype in FLOATS:
        return float_text(r, edge)
    return f"complex({float_text(r, edge)}, {float_text(r, edge)})"


def array(r: random.Random, dtype: str, shape: tuple[int, ...], edge: float = 0.12) -> str:
    """The text of an array, in one of many layouts."""
    total = 1
    for s in shape:
        total *= s
    if total > 24:
        return made(r, dtype, shape)
    layout = r.random() if shape and total else 1.0
    pre, post, full = "", "", shape
    if layout < 0.12:
        post = "[" + ", ".join(["::-1"] * len(shape)) + "]"
    elif layout < 0.24:
        full = (*shape[:-1], shape[-1] * 2)
        post = "[..., ::2]"
    elif layout < 0.36 and len(shape) > 1:
        full, post = shape[::-1], ".T"
    elif layout < 0.42 and len(shape) > 1:
        pre, post = "np.asfortranarray(", ")"
    elif layout < 0.5:
        full = (shape[0] + 1, *shape[1:])
        post = "[1:]"
    total = 1
    for s in full:
        total *= s
    values = ", ".join(element(r, dtype, edge) for _ in range(total))
    name = "np.bool_" if dtype == "bool" else f"np.{dtype}"
    reshape = "" if len(full) == 1 else f".reshape({full})"
    return f"{pre}np.array([{values}], {name}){reshape}{post}"


def made(r: random.Random, dtype: str, shape: tuple[int, ...]) -> str:
    total = 1
    for s in shape:
        total *= s
    a, b, c = r.choice([3, 5, 7, 11]), r.choice([17, 19, 23]), r.randint(0, 9)
    name = "np.bool_" if dtype == "bool" else f"np.{dtype}"
    c = 0 if dtype.startswith("u") else c
    frac = " / 4" if dtype in (*FLOATS, *COMPLEX) and r.random() < 0.6 else ""
    test = f" > {b // 2}" if dtype == "bool" else ""
    text = f"((np.arange({total}) * {a} % {b} - {c}){frac}{test}).astype({name})"
    return text if len(shape) == 1 else f"{text}.reshape({shape})"


def root(a: np.ndarray) -> np.ndarray:
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def listed(a: np.ndarray) -> str:
    """The text of an array of its own memory."""
    if a.size > 60 and a.dtype.kind != "b":
        flat = a.ravel()
        step = flat[1] - flat[0]
        if a.dtype.kind == "i" and np.array_equal(flat, flat[0] + step * np.arange(a.size)):
            text = f"({flat[0]} + {step} * np.arange({a.size})).astype(np.{a.dtype})"
            return f"{text}.reshape({a.shape})"
    name = "np.bool_" if a.dtype.kind == "b" else f"np.{a.dtype}"
    values = ", ".join(written(v) for v in a.ravel().tolist())
    shape = "" if a.ndim == 1 else f".reshape({a.shape})"
    return f"np.array([{values}], {name}){shape}"


def written(v: Any) -> str:
    """A number as source text."""
    if isinstance(v, complex):
        return f"complex({written(v.real)}, {written(v.imag)})"
    if isinstance(v, float) and not math.isfinite(v):
        return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}[str(v)]
    return repr(v)


def spelled(args: tuple) -> tuple[list[str], list[str]] | None:
    """Lines that make the arguments, and their texts; None where they can't be written down."""
    lines: list[str] = []
    bases: dict[int, tuple[str, np.ndarray]] = {}
    names: dict[int, str] = {}

    def text(v: Any) -> str | None:
        if isinstance(v, tuple):
            if type(v) is not tuple:
                return None
            items = [text(x) for x in v]
            return None if None in items else f"({', '.join(items)},)"  # type: ignore[arg-type]
        if isinstance(v, np.ndarray):
            return array_text(v)
        if isinstance(v, np.generic) and v.dtype.kind in "biufc":
            name = "bool_" if v.dtype.kind == "b" else v.dtype
            return f"np.{name}({written(v.item())})"
        if v is None or isinstance(v, (bool, int, float, complex)):
            return written(v)
        return None

    def array_text(a: np.ndarray) -> str | None:
        if a.dtype.kind not in "biufc" or not a.dtype.isnative or not a.flags.aligned:
            return None
        if id(a) in names:
            return names[id(a)]
        name = names[id(a)] = f"x{len(names)}"
        base = root(a)
        if base is a and a.flags.c_contiguous or not a.size:
            if a.size > 600:
                return None
            lines.append(f"{name} = {listed(a)}")
        else:
            if base.dtype != a.dtype or base.size > 600 or not base.flags.forc:
                return None
            if id(base) not in bases:
                b = f"base{len(bases)}"
                bases[id(base)] = b, base
                lines.append(f"{b} = {listed(base.ravel(order='K'))}")
            b = bases[id(base)][0]
            offset = a.ctypes.data - base.ctypes.data
            lines.append(f"{name} = np.ndarray({a.shape}, {b}.dtype, {b}, {offset}, {a.strides})")
        if not a.flags.writeable:
            lines.append(f"{name}.flags.writeable = False")
        return name

    texts = [text(v) for v in args]
    return None if None in texts else (lines, texts)  # type: ignore[return-value]
