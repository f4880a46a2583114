# SPDX-License-Identifier: BSD-3-Clause
"""What functions over arrays of any number of axes share: new axes, shapes, dtypes, and out=."""

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


_UNLIKE_WEIGHTS = "Shape of weights must be consistent with shape of a along specified axis."
_FIRST = ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5))


def _beside(a, axes, weights):
    """Weights of a shape that a has along these axes, in their order, so that they broadcast."""
    if len(axes) != weights.ndim:
        raise ValueError(_UNLIKE_WEIGHTS)
    first = _FIRST[len(axes)]
    if np.moveaxis(a, axes, first).shape[: weights.ndim] != weights.shape:
        raise ValueError(_UNLIKE_WEIGHTS)
    shape = (*weights.shape, *_ones(a.ndim - weights.ndim))
    return np.moveaxis(weights.reshape(shape), first, axes)


def _count(shape):
    """How many elements an array of this shape has."""
    n = 1
    for k in shape:
        n *= k
    return n


def _common(values):
    """An array without elements of the dtype that NumPy makes of all of these: Python's numbers
    adapt to the others."""
    return np.concatenate(_empties(values), axis=None)


def _empties(values):
    if len(values) == 0:
        return ()
    v = values[0]
    if isinstance(v, (int, float, complex)):
        return (v, *_empties(values[1:]))
    return (np.empty(0, np.asarray(v).dtype), *_empties(values[1:]))


def _elements(v, a):
    """A vector of what is to be stored to `a`, apart from it, in a's dtype. A Python number that
    doesn't fit is an OverflowError, or what int() raises of it; NumPy's are cast."""
    if isinstance(v, np.generic):
        return np.full(1, v, a.dtype)
    elif isinstance(v, (int, float, complex)):
        r = np.empty(1, a.dtype)
        r[0] = v
        return r
    elif isinstance(v, (list, tuple)):
        return np.array(v, dtype=a.dtype).ravel()
    elif np.asarray(v).dtype == a.dtype:
        return _apart(np.asarray(v).ravel(), a)
    return np.asarray(v).flatten().astype(a.dtype)


def _apart(x, a):
    """x, or a copy where it may share memory with `a`, which is going to be stored to."""
    if np.may_share_memory(x, a):
        return x.copy()
    return x


def _check_cast(v, a, rule):
    """Raise TypeError unless what has v's dtype may become elements of `a`, an array, by a rule of
    np.can_cast; a Python int may become an integer of any dtype."""
    if not _may_cast(v, a, rule):
        what = "array data" if np.ndim(v) else "scalar"
        raise TypeError(
            f"Cannot cast {what} from dtype('{np.asarray(v).dtype.name}') to "
            f"dtype('{a.dtype.name}') according to the rule '{rule}'"
        )


def _check_rule(casting):
    """Raise ValueError unless there is such a rule of casting."""
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(
            f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got '{casting}')"
        )


def _may_cast(v, a, rule):
    x = np.asarray(v)
    if rule == "unsafe":
        return True
    elif rule == "same_kind":
        if isinstance(v, int) and a.dtype.kind == "u":
            return True
        return _rank(x.dtype.kind) <= _rank(a.dtype.kind)
    elif rule == "safe":
        return _common((x, a)).dtype == a.dtype
    else:
        return x.dtype == a.dtype


def _rank(kind):
    """The order in which kinds hold each other."""
    if kind == "b" or kind == "u":
        return 0 if kind == "b" else 1
    elif kind == "i":
        return 2
    else:
        return 3 if kind == "f" else 4


def _into(out, r):
    """A result, or out= with it."""
    if out is not None:
        out[...] = r
        return out
    return r


def _degrees(ddof, correction):
    """The one of two names for it that is given."""
    if not isinstance(ddof, int) or ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


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


def _part(a, axis, low, high):
    """A view of places along an axis, which isn't counted from the end. As axes keep their order,
    loops follow memory."""
    if axis == 0:
        return a[low:high]
    elif axis == 1:
        return a[:, low:high]
    elif axis == 2:
        return a[:, :, low:high]
    elif axis == 3:
        return a[:, :, :, low:high]
    else:
        return np.moveaxis(np.moveaxis(a, axis, 0)[low:high], 0, axis)


def _resized(a, n, axis, dtype, order="K"):
    """New memory of the shape of an array, in its order, but with n places along an axis."""
    k = axis % a.ndim
    return np.empty_like(a, dtype, order, shape=(*a.shape[:k], n, *a.shape[k + 1 :]))
