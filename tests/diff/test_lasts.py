# SPDX-License-Identifier: BSD-3-Clause
"""A scalar that a loop sets is read after it, however control gets there: past a jump of the loop
around, in the next iteration of that, in a handler. It is what the last iteration has set, in lanes
and in chunks, too."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from harness import ORACLE, define

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython")

# what comes after the loop, inside of what is around it
REST = {
    "nothing": "pass",
    "continue": "continue",
    "break": "break",
    "one jumps": "if i % 2 == 0:\n    continue\nz = -1.0",
    "one leaves": "if i == 1:\n    break\nz = -1.0",
    "both jump": "if i % 2 == 0:\n    continue\nelse:\n    break",
    "raises": "if n > 3:\n    raise ValueError('no')\nz = -1.0",
    "checked": "x[i + n - 4] = z\nz = -1.0",
}
AROUND = {
    "for": "for i in range(2):\n    {}",
    "for again": "for i in range(3):\n    y += z\n    {}",
    "while": "i = 0\nwhile i < 2:\n    i += 1\n    {}",
    "nested": "for k in range(2):\n    for i in range(2):\n        {}\n    y += z",
    "in a branch": "for i in range(3):\n    if i < n:\n        {}",
}


def indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize(("around", "rest"), list(itertools.product(AROUND, REST)))
def test_value_after_the_loop(around: str, rest: str, guarded: bool, monkeypatch) -> None:
    loop = "for j in {}:\n    z = x[j] * 2.0\n" + REST[rest]
    column = AROUND[around].split("\n")[-1 if around != "nested" else 2].index("{")
    body = "z = 0.5\n" + AROUND[around].replace("{}", indented(loop, column)) + "\ny += z"
    if guarded:
        handlers = "except ValueError:\n    y = z + 3\nexcept IndexError:\n    y = z + 5"
        body = "try:\n    " + indented(body, 4) + "\n" + handlers
    text = "def f(x, n):\n    y = 0.0\n    i = 0\n    z = 0.5\n    {}\n    return y, z, x\n"
    for bounds in ("range(n)", "range(1, 5)", "prange(n)"):
        source = text.format(indented(body.replace("{}", bounds), 4))
        source = "from swathe import prange\n\n\n" + source
        check(source, monkeypatch)


def check(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f = define(source, "f")
    monkeypatch.setenv("SWATHE_CACHE_SIZE", "0")
    for options, flags in (
        ({"opt_level": 1}, {"SWATHE_LANES": "4"}),
        ({"opt_level": 1, "parallel": True}, {"SWATHE_GRAIN": "1"}),
    ):
        for name, value in flags.items():
            monkeypatch.setenv(name, value)
        compiled = swathe.njit(**options)(f)
        for n in (0, 1, 3, 4, 6):
            want, got = outcome(f, n), outcome(compiled, n)
            assert got == want, (options, flags, n, source)
        for name in flags:
            monkeypatch.delenv(name)


def outcome(f, n: int) -> object:
    x = np.arange(8.0)
    try:
        y, z, x = f(x, n)
    except (ValueError, IndexError) as e:
        return type(e)
    except swathe.errors.RaceError:
        return None
    return float(y), float(z), x.tolist()
