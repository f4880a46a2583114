# SPDX-License-Identifier: BSD-3-Clause
"""Programs over plain classes, as people write them: what they yield is what CPython yields."""

import swathe

njit = swathe.njit


class Listed:
    def __init__(self, x):
        self.c = list(x)


class Two:
    def __init__(self, x):
        self.c = [v for v in x]
        self.d = {i: v for i, v in enumerate(x)}


def of_either(c):
    return Listed([i * a for i, a in enumerate(c)] or [0]).c


def of_either_two(c):
    x = [a for a in c] or [0]
    two = Two(x)
    return two.c, two.d


def of_field(p):
    return Listed([i * a for i, a in enumerate(p.c)][1:] or [0]).c


def test_lists_of_what_became_wider_keep_what_they_hold():
    c = [1.0, 0.5, 2.0]
    assert njit(of_either)(c) == of_either(c)
    assert njit(of_either_two)(c) == of_either_two(c)
    assert njit(of_field)(Listed(c)) == of_field(Listed(c))
