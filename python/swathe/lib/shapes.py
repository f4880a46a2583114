# SPDX-License-Identifier: BSD-3-Clause
"""What functions over arrays of any number of axes share: new axes, shapes, and out=."""

import numpy as np


def _between(x, before, behind):
    """An array with new axes before and behind its own."""
    if before > 0:
        return _between(x, before - 1, behind)[None]
    if behind > 0:
        return _between(x, before, behind - 1)[..., None]
    return x


def _interleaved(a, n, behind):
    """An array with a new axis before, or behind, each of its first n."""
    if n == 0:
        return a
    return np.expand_dims(_interleaved(a, n - 1, behind), (n - 1) * 2 + behind)


def _multiplied(s, t):
    """The product of each two sizes."""
    if len(s) == 0:
        return ()
    return (s[0] * t[0], *_multiplied(s[1:], t[1:]))


def _ones(n):
    """The shape of one element with n axes."""
    if n == 0:
        return ()
    return (1, *_ones(n - 1))


def _count(shape):
    """How many elements an array of this shape has."""
    n = 1
    for k in shape:
        n *= k
    return n


def _into(out, r):
    """A result, or out= with it."""
    if out is not None:
        out[...] = r
        return out
    return r


def _check_same_kind(given, dtype):
    """Raise TypeError where a store would lose the kind of a number."""
    kinds = "buifc"
    if given.kind in kinds and dtype.kind in kinds:
        if not _is_same_kind(given.kind, dtype.kind):
            raise TypeError(
                f"Cannot cast array data from dtype('{given.name}') to dtype('{dtype.name}') "
                "according to the rule 'same_kind'"
            )


def _is_same_kind(given, kind):
    if kind == "c":
        return True
    elif kind == "f":
        return given != "c"
    else:
        return given == "b" or given == kind or (kind == "i" and given == "u")
