# SPDX-License-Identifier: BSD-3-Clause
"""Shapes that arrays have together, and views of them."""

from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import chars, column, locked
from swathe.lib.shapes import _resized


def _joint(args):
    """The shape to which arrays and numbers are broadcast."""
    if len(args) == 0:
        return ()
    else:
        return _joined_shape(np.shape(args[0]), _joint(args[1:]))


def _joined_shape(s, t):
    if len(s) == 0:
        return t
    elif len(t) == 0:
        return s
    else:
        return (*_joined_shape(s[:-1], t[:-1]), _joined_size(s[-1], t[-1]))


def _joined_size(m, n):
    if m != n and m != 1 and n != 1:
        raise ValueError(
            "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
            f"sizes {m} and {n}"
        )
    return n if m == 1 else m


def broadcast_shapes(*args):
    """The shape to which arrays of some shapes are broadcast."""
    if len(args) == 0:
        return ()
    else:
        first = args[0] if isinstance(args[0], tuple) else (args[0],)
        return _joined_shape(first, broadcast_shapes(*args[1:]))


def broadcast_arrays(*args):
    """Arrays as views of one shape."""
    return _views(args, _joint(args))


def _views(args, shape):
    if len(args) == 0:
        return ()
    else:
        return (np.broadcast_to(np.asarray(args[0]), shape), *_views(args[1:], shape))


def rollaxis(a, axis, start=0):
    """A view with an axis before another."""
    n = a.ndim
    np.size(a, axis)  # which must be there
    k = axis % n
    to = start + n if start < 0 else start
    if to < 0 or to > n:
        raise ValueError(f"'start' arg requires {-n} <= start < {n + 1}, but {start} was passed in")
    elif k < to:
        return np.moveaxis(a, k, to - 1)
    else:
        return np.moveaxis(a, k, to)


def diagflat(v, k=0):
    """A matrix with the elements on a diagonal."""
    return np.diag(np.ravel(v), k)


def lib_stride_tricks_sliding_window_view(x, window_shape, axis=None):
    """A view of all windows of a shape, to be read only."""
    a = np.asarray(x)
    if not isinstance(window_shape, tuple):
        return lib_stride_tricks_sliding_window_view(a, (window_shape,), axis)
    elif axis is None:
        if len(window_shape) != a.ndim:
            static_fail("window_shape must have a size for each axis where no axis is given")
        else:
            return _windows(a, window_shape, None)
    elif isinstance(axis, tuple):
        return _windows(a, window_shape, axis)
    else:
        return _windows(a, window_shape, (axis,))


def _windows(a, sizes, axes):
    if axes is not None:
        if len(sizes) != len(axes):
            static_fail("window_shape and axis must have as many elements")
    for n in sizes:
        if n < 0:
            raise ValueError("`window_shape` cannot contain negative values")
    shape = _shortened(a.shape, sizes, axes, 0)
    return np.lib.stride_tricks.as_strided(
        a, shape + sizes, a.strides + _chosen_strides(a.strides, axes, 0)
    )


def _shortened(shape, sizes, axes, k):
    if k == len(sizes):
        return shape
    elif axes is None:
        return _shortened(_less(shape, k, sizes[k] - 1), sizes, axes, k + 1)
    else:
        return _shortened(_less(shape, axes[k] % len(shape), sizes[k] - 1), sizes, axes, k + 1)


def _less(shape, k, n):
    if shape[k] < n + 1:
        raise ValueError("window shape cannot be larger than input array shape")
    return (*shape[:k], shape[k] - n, *shape[k + 1 :])


def _chosen_strides(strides, axes, k):
    if axes is None:
        return strides
    elif k == len(axes):
        return ()
    else:
        return (strides[axes[k]], *_chosen_strides(strides, axes, k + 1))


def _squeezed(a, axes):
    """Without axes that are known to have one element; no other may have one."""
    r = np.squeeze(a, axes)
    for n in r.shape:
        if n == 1:
            raise ValueError(
                "squeeze() would drop an axis of which it was not known that it has one element: "
                "name the axes to drop, as in np.squeeze(a, axis=0)"
            )
    return r


def _lies_in_order(a):
    step = a.itemsize
    for k in range(a.ndim - 1, -1, -1):
        if a.shape[k] > 1 and a.strides[k] != step and a.size:
            return False
        step *= a.shape[k]
    return True


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """The bytes of an array as a vector of a dtype, in the same memory."""
    if dtype is None:
        return frombuffer(buffer, float, count, offset)
    if isinstance(buffer, bytes):
        return frombuffer(locked(chars(buffer)), dtype, count, offset)
    if isinstance(buffer, (bytearray, array)):
        return frombuffer(column(buffer, 0)[: len(buffer)], dtype, count, offset)
    if isinstance(buffer, memoryview):
        if buffer.readonly:
            return frombuffer(locked(buffer._memory()), dtype, count, offset)
        else:
            return frombuffer(buffer._memory(), dtype, count, offset)
    if not isinstance(buffer, np.ndarray):
        static_fail("np.frombuffer takes an array, bytes or a bytearray", True)
    if not _lies_in_order(buffer):
        raise ValueError("ndarray is not C-contiguous")
    raw = buffer.reshape(-1).view(np.uint8)
    size = np.empty(0, dtype).dtype.itemsize
    if offset < 0 or offset > raw.size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({raw.size})"
        )
    if count < 0:
        if (raw.size - offset) % size != 0:
            raise ValueError("buffer size must be a multiple of element size")
        return raw[offset:].view(dtype)
    else:
        if count > (raw.size - offset) // size:
            raise ValueError("buffer is smaller than requested size")
        return raw[offset : offset + count * size].view(dtype)


# --- bits -----------------------------------------------------------------------------------


def packbits(a, axis=None, bitorder="big"):
    """Bools as the bits of bytes."""
    x = np.asarray(a)
    if x.dtype.kind not in ("b", "i", "u"):
        raise TypeError("Expected an input array of integer or boolean data type")
    elif axis is None:
        return _packed(np.ravel(x), bitorder)
    else:
        rows = np.atleast_1d(x)
        return _put_along(rows, _packed(np.moveaxis(rows, axis, -1), bitorder), axis)


def _put_along(a, rows, axis):
    """What was made along an axis that was moved to the end, in an array in a's order."""
    if axis == -1 or axis == a.ndim - 1:
        return rows
    r = _resized(a, rows.shape[rows.ndim - 1], axis, rows.dtype)
    np.moveaxis(r, axis, -1)[...] = rows
    return r


def _check_bits(bitorder):
    if bitorder != "big" and bitorder != "little":
        raise ValueError("'order' must be either 'little' or 'big'")


# Eight bools are one word: a product brings the lowest bit of each of its bytes to the top byte.
_TO_BIG = np.uint64(0x8040201008040201)
_TO_LITTLE = np.uint64(0x0102040810204080)


def _packed(x, bitorder):
    _check_bits(bitorder)
    n = x.shape[x.ndim - 1]
    m = (n + 7) // 8
    bools = np.zeros((*x.shape[:-1], 8 * m), np.bool_)
    bools[..., :n] = x != 0
    words = bools.view(np.uint64) * (_TO_BIG if bitorder == "big" else _TO_LITTLE)
    return (words >> np.uint64(56)).astype(np.uint8)


def unpackbits(a, axis=None, count=None, bitorder="big"):
    """The bits of bytes, each as one."""
    x = np.asarray(a)
    if x.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    elif axis is None:
        return _unpacked(np.ravel(x), count, bitorder)
    else:
        rows = np.atleast_1d(x)
        return _put_along(rows, _unpacked(np.moveaxis(rows, axis, -1), count, bitorder), axis)


def _unpacked(x, count, bitorder):
    _check_bits(bitorder)
    n = 8 * x.shape[x.ndim - 1]
    m = n if count is None else int(count)
    if m < -n:
        raise ValueError("-count larger than number of elements")
    if m < 0:
        m += n
    # Of each byte eight, of which each keeps one bit, and is 1 if that is.
    each = np.ascontiguousarray(x).astype(np.uint64) * np.uint64(0x0101010101010101)
    if bitorder == "big":
        each &= np.uint64(0x0102040810204080)
    else:
        each &= np.uint64(0x8040201008040201)
    bits = ((each + np.uint64(0x7F7F7F7F7F7F7F7F)) >> np.uint64(7)) & np.uint64(0x0101010101010101)
    if m == n:
        return bits.view(np.uint8)
    r = np.zeros((*x.shape[:-1], m), np.uint8)
    k = min(m, n)
    r[..., :k] = bits.view(np.uint8)[..., :k]
    return r


def nditer(op):
    """Elements in the order of memory, to be read only; of several arrays, tuples."""
    if isinstance(op, (tuple, list)):
        shape = _joint(op)
        return _tuples(_views(op, shape), shape)
    else:
        a = np.asarray(op)
        _check_order(a)
        return list(a.ravel())


def _check_order(a):
    for k in range(a.ndim - 1):
        if a.shape[k] > 1 and abs(a.strides[k]) < abs(a.strides[k + 1]) * a.shape[k + 1]:
            raise ValueError("np.nditer goes through arrays in C order only in compiled code")
    for k in range(a.ndim):
        if a.strides[k] < 0 and a.shape[k] > 1:
            raise ValueError("np.nditer goes through arrays in C order only in compiled code")


def _tuples(views, shape):
    if len(views) == 2:
        if views[0].size:
            _check_order(views[0])
        x, y = views[0].reshape(-1), views[1].reshape(-1)
        return [(x[i], y[i]) for i in range(x.size)]
    else:
        static_fail("np.nditer takes one or two arrays in compiled code")
