# SPDX-License-Identifier: BSD-3-Clause
"""Do arrays fit, and is an operation associative? `swathe.prim` has what is called."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import njit


@njit
def check_vectors(a, b):
    """Refuse arrays of several axes; at tuples of them is looked elsewhere."""
    if not (isinstance(a, tuple) or np.ndim(a) == 1):
        raise ValueError("vectors are needed, not arrays of several axes")
    if not (isinstance(b, tuple) or np.ndim(b) == 1):
        raise ValueError("vectors are needed, not arrays of several axes")


@njit
def check_pairs(n, m):
    """Refuse numbers, or shapes, that differ."""
    if n != m:
        raise ValueError("as many keys as values are needed")


def _at(x: Any, i: int) -> Any:
    return tuple([_at(p, i) for p in x]) if isinstance(x, tuple) else x[i]


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(_close(*pair) for pair in zip(a, b, strict=True))
    return np.allclose(a, b, rtol=1e-6, atol=0, equal_nan=True)


def check(op: Any, x: Any, samples: int = 1000, seed: int = 0) -> None:
    """Look for three elements with which an operation isn't associative.

    Parameters
    ----------
    op : function
        Of two numbers, or two tuples.
    x : array, or a tuple of vectors
        Where elements are drawn from.
    samples : int, default 1000
        How many triples.
    seed : int, default 0

    Raises
    ------
    ValueError
        If op(op(a, b), c) differs from op(a, op(b, c)) by more than rounding; with the numbers.
    """
    flat = np.asarray(x).reshape(-1) if not isinstance(x, tuple) else x
    n = len(flat[0]) if isinstance(x, tuple) else len(flat)
    if not n:
        return
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        a, b, c = (_at(flat, i) for i in rng.integers(0, n, 3))
        left, right = op(op(a, b), c), op(a, op(b, c))
        if not _close(left, right):
            raise ValueError(
                f"the operation isn't associative: of {a!r}, {b!r} and {c!r}, from the left "
                f"{left!r}, from the right {right!r}"
            )
