# SPDX-License-Identifier: BSD-3-Clause
"""The programs of diff/test_fuzz_parallel.py, judged as there."""

from __future__ import annotations

import re

from test_fuzz_parallel import Case, Unlike, environment

from .judge import Difference, Verdict

WHOLE = True  # judged by seed alone, so that the text can't be reduced


def text(seed: int) -> str:
    return f"# seed {seed}\n" + Case(seed).source


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    """That of the seed: the judge of these programs makes its own arguments."""
    with environment(SWATHE_CACHE_SIZE="0"):
        try:
            return Verdict(Case(seed).check())
        except Unlike as e:
            what = re.sub(r"\d+", "", str(e).split(":", 1)[0].split("\n")[-1])
            return Verdict("differs", Difference("", what, str(e)))
