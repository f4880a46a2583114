# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.linalg, where matrices that are results are those of swathe.sparse.

Products within its solvers are those of the matrix that they are given: compiled, on all threads.
"""

from __future__ import annotations

from typing import Any

from . import _forwarded


def __getattr__(name: str) -> Any:
    return _forwarded("linalg", name, globals())
