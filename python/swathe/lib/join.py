# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that a list holds, of one dtype and number of axes, joined to one."""

import numpy as np


def _list_concatenate(arrays, axis=0):
    """Arrays one after the other along an axis, or, without one, their elements in C order."""
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


def _list_stack(arrays, axis=0):
    """Arrays of one shape along a new axis."""
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    shape = arrays[0].shape
    r = np.empty((len(arrays), *shape), arrays[0].dtype)
    for k in range(len(arrays)):
        if arrays[k].shape != shape:
            raise ValueError("all input arrays must have the same shape")
        r[k] = arrays[k]
    return np.moveaxis(r, 0, axis)
