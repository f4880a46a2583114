# SPDX-License-Identifier: BSD-3-Clause
"""What the command line asks for that must be known before NumPy, its BLAS and OpenMP are loaded,
which read the environment once."""

from __future__ import annotations

import os
import sys


def threads(*variables: str) -> int:
    """Return the number after --threads, else 1, and put it in the environment by these names."""
    count = 1
    for word, after in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        text = after if word == "--threads" else word.removeprefix("--threads=")
        if word.startswith("--threads") and text.isdecimal() and int(text) > 0:
            count = int(text)
            break
    os.environ.update(dict.fromkeys(variables, str(count)))
    return count
