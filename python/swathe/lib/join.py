# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that a list holds, of one dtype and number of axes, joined to one."""

import numpy as np

from swathe.lib.shapes import _check_cast, _check_rule, _part


def _list_concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along an axis, or, without one, their elements in C order."""
    if out is not None or dtype is not None:
        return _given(_list_concatenate(arrays, axis), out, dtype, casting)
    if len(arrays) == 0:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        return _list_concatenate([a.ravel() for a in arrays])
    elif arrays[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    else:
        n = 0
        first = arrays[0]
        np.flip(first[:0], axis)  # noqa: B018 - raises AxisError
        for k in range(len(arrays)):
            a = arrays[k]
            for i in range(a.ndim):
                if a.shape[i] != first.shape[i] and i != axis % a.ndim:
                    raise ValueError(
                        "all the input array dimensions except for the concatenation axis must "
                        f"match exactly, but along dimension {i}, the array at index 0 has size "
                        f"{first.shape[i]} and the array at index {k} has size {a.shape[i]}"
                    )
            n += a.shape[axis]
        ahead = np.swapaxes(first, 0, axis)
        r = np.empty((n, *ahead.shape[1:]), first.dtype)
        at = 0
        for a in arrays:
            r[at : at + a.shape[axis]] = np.swapaxes(a, 0, axis)
            at += a.shape[axis]
        return np.swapaxes(r, 0, axis)


def _list_stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape along a new axis."""
    if out is not None or dtype is not None:
        return _given(_list_stack(arrays, axis), out, dtype, casting)
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    shape = arrays[0].shape
    r = np.empty((len(arrays), *shape), arrays[0].dtype)
    for k in range(len(arrays)):
        if arrays[k].shape != shape:
            raise ValueError("all input arrays must have the same shape")
        r[k] = arrays[k]
    return np.moveaxis(r, 0, axis)


def _given(r, out, dtype, casting):
    """What was joined, in out= or as of a dtype."""
    _check_rule(casting)
    if out is None:
        kind = np.empty(0, dtype)
        _check_cast(r, kind, casting)
        return r.astype(kind.dtype)
    else:
        _check_out(out, dtype, r.shape)
        _check_cast(r, out, casting)
        out[...] = r
        return out


def _check_out(out, dtype, shape):
    if dtype is not None:
        raise TypeError(
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided."
        )
    if out.shape != shape:
        raise ValueError("Output array is the wrong shape")


# With arguments that the compiler's own expansion of the function doesn't take:


def _rest_concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis, in out= or as of a dtype."""
    _check_rule(casting)
    if out is None and dtype is None:
        kind = np.concatenate(_none_of_each(arrays))
        return np.concatenate(_each_as(arrays, kind, casting), axis)
    elif out is None:
        return np.concatenate(_each_as(arrays, np.empty(0, dtype), casting), axis)
    elif axis is None:
        flat = np.concatenate(_each_as(arrays, out, casting), None)
        return _given(flat, out, dtype, casting)
    else:
        first = np.asarray(arrays[0])
        np.size(first, axis)  # which must be there
        n = axis % first.ndim
        _check_out(out, dtype, _joined_shape(arrays, first.shape, n))
        _each_as(arrays, out, casting)
        _joined_into(out, arrays, n, 0)
        return out


def _none_of_each(arrays):
    if len(arrays) == 0:
        return ()
    return (np.empty(0, np.asarray(arrays[0]).dtype), *_none_of_each(arrays[1:]))


def _each_as(arrays, kind, casting):
    """The arrays, as of the dtype of another."""
    if len(arrays) == 0:
        return ()
    a = np.asarray(arrays[0])
    _check_cast(a, kind, casting)
    return (a.astype(kind.dtype, copy=False), *_each_as(arrays[1:], kind, casting))


def _joined_shape(arrays, shape, axis):
    """The first one's shape, with the lengths of all along the axis together."""
    n = _lengths(arrays, shape, axis, 0)
    return (*shape[:axis], n, *shape[axis + 1 :])


def _lengths(arrays, shape, axis, k):
    if k == len(arrays):
        return 0
    own = np.asarray(arrays[k]).shape
    if len(own) != len(shape):
        raise ValueError(
            "all the input array dimensions except for the concatenation axis must match exactly, "
            f"but along dimension 0, the array at index 0 has {len(shape)} dimension(s) and the "
            f"array at index {k} has {len(own)} dimension(s)"
        )
    for i in range(len(shape)):
        if i != axis and own[i] != shape[i]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but along dimension {i}, the array at index 0 has size {shape[i]} and "
                f"the array at index {k} has size {own[i]}"
            )
    return own[axis] + _lengths(arrays, shape, axis, k + 1)


def _joined_into(out, arrays, axis, at):
    if len(arrays) > 0:
        a = np.asarray(arrays[0])
        _part(out, axis, at, at + a.shape[axis])[...] = a
        _joined_into(out, arrays[1:], axis, at + a.shape[axis])


def _rest_stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape along a new axis, in out= or as of a dtype."""
    parts = _each_wider(arrays, np.asarray(arrays[0]).shape, axis)
    return _rest_concatenate(parts, axis, out, dtype=dtype, casting=casting)


def _each_wider(arrays, shape, axis):
    if len(arrays) == 0:
        return ()
    a = np.asarray(arrays[0])
    if a.shape != shape:
        raise ValueError("all input arrays must have the same shape")
    return (np.expand_dims(a, axis), *_each_wider(arrays[1:], shape, axis))
