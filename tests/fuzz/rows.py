# SPDX-License-Identifier: BSD-3-Clause
"""Calls of NumPy's functions, from the whole product of what their rows say (diff/domain.py)."""

from __future__ import annotations

import random
import re

import domain
import test_rows

from .judge import Difference, Verdict

WHOLE = True  # judged by seed alone, so that the text can't be reduced
CALLS = 4
OPTIONS = ({}, {"opt_level": 0}, {"parallel": True})


def drawn(seed: int) -> tuple[list[domain.Call], dict]:
    rng = random.Random(seed)
    row = rng.choice(test_rows.ROWS)
    return [domain.drawn(row, rng) for _ in range(CALLS)], rng.choice(OPTIONS)


def text(seed: int) -> str:
    calls, options = drawn(seed)
    return f"# seed {seed}, {options}\n" + "\n".join(c.text for c in calls)


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    """That of the seed."""
    calls, options = drawn(seed)
    found, _ = test_rows.problems(calls, options)
    if not found:
        return Verdict("same")
    what = re.sub(r"\d+", "", f"{calls[0].row.name}: {found[0].split(':', 1)[-1][:60]}")
    return Verdict("differs", Difference("", what.split("\n")[0], "\n".join(found)))
