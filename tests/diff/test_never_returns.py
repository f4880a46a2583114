# SPDX-License-Identifier: BSD-3-Clause
"""Calls of functions whose every path raises, where a value is wanted: CPython's exception, and
what was evaluated before it has had its effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import check


def bad(x: Any) -> Any:
    raise ValueError("bad", x)


def count(a: Any) -> Any:
    a[0] += 1.0
    return a[0]


def unpacked(a: Any) -> Any:
    x, y = bad(1)
    return x + y


def operand(a: Any) -> Any:
    return count(a) + bad(2) * 3


def indexed(a: Any) -> Any:
    y = bad(a[0])
    return y[0]


def place(a: Any) -> Any:
    return a[bad(3)]


def gone_through(a: Any) -> Any:
    for i in bad(4):
        a[i] = 1.0
    return a


def asked(a: Any) -> Any:
    while bad(5):
        a[1] = 2.0
    return a


def argument(a: Any) -> Any:
    return np.sum(bad(6)) + len(bad(7))


def attribute(a: Any) -> Any:
    return bad(8).shape


def added(a: Any) -> Any:
    a[1] += bad(9)
    return a


def caught(a: Any) -> Any:
    try:
        b = count(a) + bad(10).size
    except ValueError as e:
        return 2.0 * a[0] + len(str(e))
    return b


def in_a_loop(a: Any) -> Any:
    s = 0.0
    for i in range(5):
        s += count(a)
        if i == 3:
            s = bad(11)[0]
    return s


def always_wrong(a: Any) -> Any:
    count(a)
    counts, edges = np.histogram(a, bins=0)
    return counts, edges


FUNCTIONS = (unpacked, operand, indexed, place, gone_through, asked, argument, attribute, added)


@pytest.mark.parametrize("f", (*FUNCTIONS, in_a_loop, always_wrong), ids=lambda f: f.__name__)
def test_raises(f: Any) -> None:
    check(f, np.arange(3.0), raises=ValueError)


def test_caught() -> None:
    check(caught, np.arange(3.0))
