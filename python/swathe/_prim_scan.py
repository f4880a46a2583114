# SPDX-License-Identifier: BSD-3-Clause
"""Elements combined in order: totals, and running totals. `swathe.prim` has what is called.

Eight elements at a time are combined as a tree, so that one operation in eight waits for the one
before it. Sums, products, maxima and minima of the usual dtypes are the work of a kernel.
"""

from __future__ import annotations

import operator

import numpy as np

from . import _kernels, get_num_threads, njit, prange
from ._prim_order import PIECE

BLOCK = 2 * PIECE  # elements
BLOCKS = 8  # of each thread, which stay in the cache from the first look at them to the second
COLUMNS = 16  # from so many on they are scanned side by side
STRIP = 512  # of them
ROWS = 16  # rows, of which each thread has some
EXCLUSIVE = 4  # the kernel adds it to the number of an operation


@njit
def kind_of(op, x):
    """The dtype of what an operation returns; it isn't called."""
    return np.array([op(v, v) for v in x[:0]]).dtype


@njit
def kind_from(op, x, init):
    """The same, where a number comes first."""
    if init is None:
        return kind_of(op, x)
    else:
        return np.array([op(op(init, v), v) for v in x[:0]]).dtype


@njit
def as_kind(kind, v):
    """A number of a dtype; what an operation on dates returns is one already."""
    if kind.kind in "mM":
        return v
    else:
        return kind.type(v)


# ---- totals ---------------------------------------------------------------------------------


@njit
def in_order(op, x):
    """Combine elements, of which there is one at least."""
    if op is np.add or op is operator.add:
        return x.sum() if x.dtype.kind == "m" else x.sum(dtype=kind_of(op, x))
    else:
        return _by_eight(op, x, kind_of(op, x))


@njit
def _by_eight(op, x, kind):
    head = (len(x) - 1) % 8 + 1
    acc = as_kind(kind, x[0])
    for i in range(1, head):
        acc = op(acc, as_kind(kind, x[i]))
    v = x[head:].reshape(-1, 8)
    for k in range(len(v)):
        a, b, c, d = (
            as_kind(kind, v[k, 0]), as_kind(kind, v[k, 1]),
            as_kind(kind, v[k, 2]), as_kind(kind, v[k, 3]),
        )  # fmt: skip
        e, f, g, h = (
            as_kind(kind, v[k, 4]), as_kind(kind, v[k, 5]),
            as_kind(kind, v[k, 6]), as_kind(kind, v[k, 7]),
        )  # fmt: skip
        acc = op(acc, op(op(op(a, b), op(c, d)), op(op(e, f), op(g, h))))
    return acc


# ---- running totals -------------------------------------------------------------------------


@njit(parallel=True)
def scanned(op, x, init, inclusive):
    out = np.empty(len(x), kind_from(op, x, init))
    if len(x):
        _scan_last(op, x, out, init, inclusive)
    return out


@njit(parallel=True)
def _scan_last(op, x, out, init, inclusive):
    """Along the last axis, of which there is one element at least."""
    if x.dtype == out.dtype and out.dtype.char in "fdil":
        if op is np.add or op is operator.add:
            _by_kernel(0, x, out, init, inclusive)
        elif op is np.multiply or op is operator.mul:
            _by_kernel(1, x, out, init, inclusive)
        elif op is np.maximum:
            _by_kernel(2, x, out, init, inclusive)
        elif op is np.minimum:
            _by_kernel(3, x, out, init, inclusive)
        else:
            _scan_rows(op, x, out, init, inclusive)
    else:
        _scan_rows(op, x, out, init, inclusive)


@njit(parallel=True)
def _by_kernel(how, x, out, init, inclusive):
    """Scan rows; an exclusive scan has an `init`."""
    if init is None:
        before = x[..., :0]
    else:
        before = np.broadcast_to(np.full(1, init, out.dtype), (*x.shape[:-1], 1))
    _kernels.scan_into(x, out, before, how if inclusive else how + EXCLUSIVE)


@njit(parallel=True)
def _scan_rows(op, x, out, init, inclusive):
    n = x.shape[-1]
    rows, into = x.reshape(-1, n), out.reshape(-1, n)
    if len(rows) < ROWS and n >= 16 * PIECE:
        for i in range(len(rows)):
            _scan_by_rounds(op, rows[i], into[i], init, inclusive)
    else:
        for i in prange(len(rows)):
            before = as_kind(out.dtype, rows[i, 0] if init is None else init)
            _scan_block(op, rows[i], into[i], before, init is not None, inclusive)


@njit(parallel=True)
def _scan_by_rounds(op, x, out, init, inclusive):
    """A round of blocks is scanned behind their totals, which are known, and then the next round is
    totalled, by the threads that will scan it: memory is read once, by half as many loops as there
    would be of either."""
    n = len(x)
    blocks, some = (n + BLOCK - 1) // BLOCK, BLOCKS * get_num_threads()
    total, before = np.empty(blocks, out.dtype), np.empty(blocks, out.dtype)
    before[0] = as_kind(out.dtype, x[0]) if init is None else init
    for c in prange(min(some, blocks - 1)):
        total[c] = in_order(op, x[c * BLOCK : (c + 1) * BLOCK])
    for first in range(0, blocks, some):
        end = min(first + some, blocks)
        for c in range(max(first, 1), end):
            known = c > 1 or init is not None
            before[c] = op(before[c - 1], total[c - 1]) if known else total[0]
        for c in prange(first, end):
            part, into = x[c * BLOCK : (c + 1) * BLOCK], out[c * BLOCK : (c + 1) * BLOCK]
            _scan_block(op, part, into, before[c], c > 0 or init is not None, inclusive)
            if c + some < blocks - 1:
                total[c + some] = in_order(op, x[(c + some) * BLOCK : (c + some + 1) * BLOCK])


@njit
def _scan_block(op, x, out, before, known, inclusive):
    """Scan elements, of which there is one at least, behind `before`, which is the first of them
    where nothing is known to be before it."""
    if not known:
        out[0] = before
        _scan_by_eight(op, x[1:], out[1:], before)
    elif inclusive:
        _scan_by_eight(op, x, out, before)
    else:
        out[0] = before
        _scan_by_eight(op, x[:-1], out[1:], before)


@njit
def _scan_by_eight(op, x, out, before):
    kind, acc = out.dtype, before
    head = len(x) % 8
    for i in range(head):
        acc = op(acc, as_kind(kind, x[i]))
        out[i] = acc
    v, o = x[head:].reshape(-1, 8), out[head:].reshape(-1, 8)
    for k in range(len(v)):
        a, b, c, d = (
            as_kind(kind, v[k, 0]), as_kind(kind, v[k, 1]),
            as_kind(kind, v[k, 2]), as_kind(kind, v[k, 3]),
        )  # fmt: skip
        e, f, g, h = (
            as_kind(kind, v[k, 4]), as_kind(kind, v[k, 5]),
            as_kind(kind, v[k, 6]), as_kind(kind, v[k, 7]),
        )  # fmt: skip
        ab, ef = op(a, b), op(e, f)
        abcd = op(ab, op(c, d))
        to_b, to_d = op(acc, ab), op(acc, abcd)
        to_f = op(to_d, ef)
        o[k, 0], o[k, 1], o[k, 2], o[k, 3] = op(acc, a), to_b, op(to_b, c), to_d
        acc = op(acc, op(abcd, op(ef, op(g, h))))
        o[k, 4], o[k, 5], o[k, 6], o[k, 7] = op(to_d, e), to_f, op(to_f, g), acc


# ---- along an axis --------------------------------------------------------------------------


@njit(parallel=True)
def scanned_rows(op, a, init, inclusive, axis):
    inner = 1  # elements that stand side by side
    for k in range(axis + 1, a.ndim):
        inner *= a.shape[k]
    if inner >= COLUMNS:
        return _scanned_columns(op, a, init, inclusive, axis, inner)
    moved = np.moveaxis(a, axis, -1)
    out = np.empty(moved.shape, kind_from(op, a.reshape(-1), init))
    if out.size:
        _scan_last(op, moved, out, init, inclusive)
    return np.moveaxis(out, -1, axis)


@njit(parallel=True)
def _scanned_columns(op, a, init, inclusive, axis, inner):
    """Of an axis before the last: strips of columns, row by row."""
    n = a.shape[axis]
    out = np.empty(a.shape, kind_from(op, a.reshape(-1), init))
    if out.size:
        x, o = a.reshape(-1, n, inner), out.reshape(-1, n, inner)
        strips = (inner + STRIP - 1) // STRIP
        for s in prange(len(x) * strips):
            lo = s % strips * STRIP
            some, into = x[s // strips, :, lo : lo + STRIP], o[s // strips, :, lo : lo + STRIP]
            _scan_down(op, some, into, init, inclusive)
    return out


@njit
def _scan_down(op, x, out, init, inclusive):
    kind, shift = out.dtype, 0 if inclusive else 1
    for j in range(x.shape[1]):
        if init is None:
            out[0, j] = x[0, j]
        elif inclusive:
            out[0, j] = op(as_kind(kind, init), as_kind(kind, x[0, j]))
        else:
            out[0, j] = init
    for i in range(1, len(x)):
        for j in range(x.shape[1]):
            out[i, j] = op(out[i - 1, j], as_kind(kind, x[i - shift, j]))
