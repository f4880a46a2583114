# SPDX-License-Identifier: BSD-3-Clause
"""Formats that are told when the function runs, format(), bin, oct and hex, against CPython."""

import numpy as np
import pytest

import swathe


def table(names, values, *, width=10, digits=3, fill="."):
    lines = []
    total = 0.0
    for i, (n, v) in enumerate(zip(names, values, strict=True), start=1):
        lines.append(f"{i:>2}. {n:{fill}<{width}}|{v:>{width}.{digits}f}")
        total += v
    lines.append("-" * (2 * width + 5))
    lines.append(f"{'total':<{width + 4}}|{total:^{width}.{digits}e}|{names[0]!r:>{width}}")
    return "\n".join(lines)


def refuses(v, width):
    if v > 1:
        raise ValueError(f"{v:>{width}} is too much, of {1.5:{width}.{2}f}")
    return f"{f'{v:{width}}':>{width + 2}}"


def formatted(v, spec):
    return format(v, spec) + "|" + format(v)


def bases(i):
    return bin(i), oct(i), hex(i), bin(i).count("1"), f"{hex(i):>{8}}"


def outcome(f, *args):
    try:
        return f(*args)
    except (ValueError, TypeError) as e:
        return type(e)


def test_widths_and_digits():
    compiled = swathe.njit(table)
    for kw in ({}, {"width": 4, "digits": 0}, {"width": 0, "digits": 12}, {"fill": "é"}):
        args = (["a", "bcdé"], [1.5, -2.25])
        assert compiled(*args, **kw) == table(*args, **kw)
    for args in ((1, 5), (7, 5), (1, 0), (2, 30)):
        with_text = [outcome(g, *args) for g in (refuses, swathe.njit(refuses))]
        assert with_text[0] == with_text[1]
    with pytest.raises(ValueError, match="^    7 is too much, of  1.50"):
        swathe.njit(refuses)(7, 5)
    with pytest.raises(ValueError, match="Invalid format specifier '>-1'"):
        swathe.njit(refuses)(1, -3)


SPECS = (
    "",
    "5",
    ">8",
    "*^9",
    "08",
    "+.2f",
    "x",
    "d",
    ".3",
    "e",
    "%",
    ",",
    "zz",
    "<",
    ".",
    "s",
    "-3",
)


@pytest.mark.parametrize("v", [3, -12, 1.5, -0.0, float("nan"), np.float32(0.1), "ab", ""])
def test_format(v):
    compiled = swathe.njit(formatted)
    for spec in SPECS:
        assert outcome(compiled, v, spec) == outcome(formatted, v, spec), spec


def test_bases():
    compiled = swathe.njit(bases)
    for i in (0, 1, -1, 255, -4096, 2**63 - 1, -(2**63), True):
        assert compiled(i) == bases(i)
    for wrong in (1.5, "a"):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            compiled(wrong)


def test_what_has_no_format():
    with pytest.raises(swathe.errors.CompileError, match="format.. of complex is not supported"):
        swathe.njit(formatted)(1j, "5")
    with pytest.raises(TypeError, match="argument 2 must be str, not int"):
        swathe.njit(formatted)(1, 5)
