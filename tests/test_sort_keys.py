# SPDX-License-Identifier: BSD-3-Clause
"""Sorting by a key asks `<` of keys, and nothing else: no `==`, and not of places."""

from __future__ import annotations

import pytest

import swathe


class Ranked:
    """Whose `==` knows less than its `<`."""

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __lt__(self, other):
        return self.a < other.a

    def __eq__(self, other):
        return self.b == other.b

    def __hash__(self):
        return 1


def by_rank(n, down):
    x = [Ranked((7 * k) % 5, k % 2) for k in range(n)]
    a = sorted(range(n), key=lambda k: x[k], reverse=down)
    y = [(v, k) for k, v in enumerate(x)]
    y.sort(key=lambda z: z[0], reverse=down)
    return a, [k for _, k in y]


def by_none(n, down):
    x = list(range(n))
    return sorted(x, key=lambda k: None if k < 2 else k, reverse=down)


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0]


@pytest.mark.parametrize("f", [by_rank, by_none])
def test_only_keys_are_compared(f) -> None:
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 40):
        for down in (False, True):
            got = outcome(compiled, n, down)
            if n != 40 or f is not by_none:  # which two are met first is the sort's own business
                assert got == outcome(f, n, down)
