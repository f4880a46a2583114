# SPDX-License-Identifier: BSD-3-Clause
"""A list that stands in a list that cannot change stays the same one, whatever that is added to."""

import pytest
from diff.harness import define

import swathe

FORMS = (
    "w = [[v]][0]\n    u = w + [v]",
    "w = [[v]][0]\n    u = [v] + w",
    "w = [[v]][0]\n    u = w[:]\n    u = u + [v]",
    "w = [[v]][0]\n    u = w + w",
    "u = [[v]][-1] + [[0.5], v]",
    "u = [v, [0.5]]\n    u = [[u[0], u[1]]][0] + u",
    "u = [[[v]]][0][0] + [v]",
    "x = []\n    x.append(v)\n    u = ([x[0]],)[0] + x",
)


@pytest.mark.parametrize("text", FORMS)
def test_what_is_added(text):
    f = define(f"def f(v):\n    {text}\n    u[0].append(1.0)\n    return u, v\n")
    g = swathe.njit(opt_level=0)(f)
    want, got = f([2.0]), g([2.0])
    assert got == want
    assert [x is got[1] for x in got[0]] == [x is want[1] for x in want[0]]
