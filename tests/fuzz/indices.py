# SPDX-License-Identifier: BSD-3-Clause
"""Programs that index arrays by arrays (diff/test_array_indices.py), in other forms: through a
helper, of a view, of what is stored to, in a loop, in an expression; judged by NumPy."""

from __future__ import annotations

import random
import re

import test_array_indices as forms
from harness import Options, mismatch

from .judge import Difference, Verdict

WHOLE = True  # judged by seed alone, so that the text can't be reduced
MODES = (("plain",), ("parallel",), ("debug",))
# No number can be indexed: IndexError in Python, TypingError here. Of an axis without elements one
# index is named, which one hangs on the order of the loop.
EITHER = re.compile(
    r"IndexError: invalid index to scalar variable\. expected, got TypingError"
    r"|IndexError: index -?\d+ (is out of bounds for axis \d) with size 0 expected, "
    r"got IndexError: index -?\d+ \1 "
)


def text(seed: int) -> str:
    f, args = forms.drawn_in_a_form(seed)
    with open(f.__code__.co_filename) as file:
        return f"# seed {seed}\n{file.read().strip()}\n# {args!r}"


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    """That of the seed."""
    f, args = forms.drawn_in_a_form(seed)
    modes = random.Random(seed).choice(MODES)
    found = mismatch(f, args, Options(raises=..., modes=modes, views=False, ulp=4, scale=99.0))
    if not found:
        return Verdict("same")
    if EITHER.search(found):
        return Verdict("documented")
    what = re.sub(r"\d+", "", found.split("\n")[0][:90])
    return Verdict("differs", Difference("", what, found))
