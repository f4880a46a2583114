# SPDX-License-Identifier: BSD-3-Clause
"""Random pranges of family.py, with several values of the numbers that they hang on: what the judge
finds dependent is refused, runs serially, or is said to be not proven and raises under debug;
what it finds independent gives what it gives serially. SWATHE_FUZZ tells how many there are.

Each loop also sums random floats, so that a result that differs from the serial sum in its last
bits shows that the loop ran in chunks."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import swathe
from swathe.errors import RaceError

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "diff")]
from harness import define  # noqa: E402

from races import family  # noqa: E402
from races.judge import copied, judge, same  # noqa: E402

FLOATS = np.random.default_rng(1).random(20000)
HEAD = "from swathe import prange\n"


def arguments(numbers, work):
    return (*family.arrays(), FLOATS, *numbers, work)


def run(f, args):
    try:
        return f(*args), None
    except Exception as e:
        return None, e


def is_known(text):
    """May this be refused? A race for some of the numbers, or a scalar that carries a value."""
    rng = random.Random(text)
    found = [judge(text, "f", arguments(family.numbers(rng), 0), 1) for _ in range(40)]
    carries = "q" in text.split("prange")[-1] or "f:" in text  # by ranges that it doesn't look at
    return carries or any(v.conflicts or v.ordered or v.error for v in found)


def check_debug(f, args, v, unproven):
    got = copied(args)
    _, error = run(f, got)
    if error is not None:
        assert isinstance(error, RaceError)
        assert v.conflicts or "for q" in f.__doc__
    else:
        assert same(got, v.args)
        assert not (v.conflicts and unproven)


def check_values(text, f, numbers):
    """Returns False when it was refused."""
    parallel, serial, debug = f
    v = judge(text, "f", arguments(numbers, 0))
    want, got = copied(arguments(numbers, 20000)), copied(arguments(numbers, 20000))
    result, error = run(parallel, got)
    if isinstance(error, RaceError):
        assert v.error or is_known(text)
        return False
    assert type(error) is type(v.error)
    if error is not None:
        return True
    shown = str(parallel.explain())
    unproven = "not proven independent" in shown
    in_order = serial(*want)
    if not unproven:
        assert same(got, want)
        assert same(result, in_order)
    combines = "+=" in text.split("prange")[-1].split("for r")[0]
    if v.conflicts and not combines and not unproven:
        assert result == in_order, "it ran in chunks"
    check_debug(debug, arguments(numbers, 0), v, unproven)
    return True


@pytest.mark.parametrize("seed", range(int(os.environ.get("SWATHE_FUZZ", "40"))))
def test_random_loops_that_hang_on_numbers(seed):
    rng = random.Random(seed)
    text = HEAD + family.loop(rng)
    python = define(text, "f")
    python.__doc__ = text
    f = [
        swathe.njit(cache=False, **options)(python)
        for options in ({"parallel": True}, {}, {"parallel": True, "debug": True})
    ]
    with np.errstate(all="ignore"):
        for _ in range(3):
            if not check_values(text, f, family.numbers(rng)):
                return
