# SPDX-License-Identifier: BSD-3-Clause
"""Generators that compiled code has made, when they come to Python."""

from __future__ import annotations

from typing import Any

import numpy as np


def restored(words: Any) -> np.random.Generator:
    """Return NumPy's generator of the words of one of ours."""
    w = [int(v) for v in words]
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": w[1] << 64 | w[0], "inc": w[3] << 64 | w[2]},
        "has_uint32": w[4],
        "uinteger": w[5],
    }
    return np.random.Generator(bits)
