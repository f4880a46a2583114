# SPDX-License-Identifier: BSD-3-Clause
"""The programs of diff/test_fuzz.py: variables keep their types, ints stay small."""

from __future__ import annotations

import re

import test_fuzz

from . import functions, values
from .judge import Verdict, judge
from .program import HEADER


def text(seed: int) -> str:
    lines, texts = values.spelled(test_fuzz.arguments(seed))
    made = "".join(f"    {line}\n" for line in lines)
    tail = f"\n\ndef inputs():\n{made}    return {', '.join(texts)}\n"
    source = test_fuzz.Program(seed).text()
    return HEADER + re.sub(r"^def fuzzed", "def fuzzed", source) + tail


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    return judge(text, (mode,) if mode else functions.modes(seed))
