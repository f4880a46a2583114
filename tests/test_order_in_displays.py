# SPDX-License-Identifier: BSD-3-Clause
"""What comes first, where a key and its value may both raise, or an argument is not bound."""

from __future__ import annotations

import pytest

import swathe


def each(x):
    for v in x:
        yield v  # noqa: UP028


def first_of(p0, p1, p2):
    return p0


def looked_up(d, t, n):
    return {d[n]: t[n] for x in each([1, 2])}


def divided(d, t, n):
    return {d[n]: [10 // (n - 2) for y in each(t)] for x in each([1, 2]) for z in each(t)}


def unbound(d, t, n):
    r = 1
    for i in range(n):
        r = first_of(p1=d[i], p2=(q := q), p0=n)  # noqa: F821
    return r


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return next(c for c in (KeyError, IndexError, ZeroDivisionError, NameError)
                    if isinstance(e, c))  # fmt: skip


@pytest.mark.parametrize("f", [looked_up, divided, unbound])
def test_a_key_comes_before_its_value(f) -> None:
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 3):
        d = {0: 5, 2: 6, 7: 1}
        assert outcome(compiled, d, (3, 4), n) == outcome(f, d, (3, 4), n)
