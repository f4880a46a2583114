# SPDX-License-Identifier: BSD-3-Clause
"""Elements combined in order: totals, and running totals. `swathe.prim` has what is called.

Eight elements at a time are combined as a tree, so that one operation in eight waits for the one
before it.
"""

from __future__ import annotations

import operator

import numpy as np

from . import _kernels, get_num_threads, njit, prange
from ._prim_order import PIECE

BLOCK = 8 * PIECE  # elements that stay in the cache from the first look at them to the second
COLUMNS = 16  # from so many on they are scanned side by side
STRIP = 512  # of them
ROWS = 16  # rows, of which each thread has some


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


# ---- totals ---------------------------------------------------------------------------------


@njit
def in_order(op, x, kind):
    """Combine elements, of which there is one at least."""
    if op is np.add or op is operator.add:
        return x.sum(dtype=kind)
    else:
        return _total(op, x, kind)


@njit
def _total(op, x, kind):
    head = (len(x) - 1) % 8 + 1
    acc = _as(kind, x[0])
    for i in range(1, head):
        acc = op(acc, _as(kind, x[i]))
    v = x[head:].reshape(-1, 8)
    for k in range(len(v)):
        a, b, c, d = _as(kind, v[k, 0]), _as(kind, v[k, 1]), _as(kind, v[k, 2]), _as(kind, v[k, 3])
        e, f, g, h = _as(kind, v[k, 4]), _as(kind, v[k, 5]), _as(kind, v[k, 6]), _as(kind, v[k, 7])
        acc = op(acc, op(op(op(a, b), op(c, d)), op(op(e, f), op(g, h))))
    return acc


@njit
def _as(kind, v):
    return kind.type(v)


# ---- running totals -------------------------------------------------------------------------


@njit(parallel=True)
def scanned(op, x, init, inclusive):
    out = np.empty(len(x), kind_from(op, x, init))
    scan_into(op, x, out, init, inclusive)
    return out


@njit(parallel=True)
def scan_into(op, x, out, init, inclusive):
    """Each thread scans a block, and then looks at the next one that will be its, which is in its
    cache when all totals before it are known: memory is read once. Integers need no total of what
    has been scanned before the next blocks are."""
    n, size = len(x), BLOCK if len(x) >= 16 * BLOCK else PIECE
    blocks, team = (n + size - 1) // size, get_num_threads()
    last = team - 1 if _is_exact(op, x, out) else team
    total, before = np.empty(blocks, out.dtype), np.empty(blocks, out.dtype)
    for c in prange(min(last, blocks - 1)):
        total[c] = in_order(op, x[c * size : (c + 1) * size], out.dtype)
    for first in range(0, blocks, team):
        end = min(first + team, blocks)
        for c in range(first, end):
            if c == 0:
                before[c] = x[0] if init is None else init
            elif c == first and last < team:
                so_far = out[c * size - 1]
                before[c] = so_far if inclusive else op(so_far, x[c * size - 1])
            elif c == 1 and init is None:
                before[c] = total[0]
            else:
                before[c] = op(before[c - 1], total[c - 1])
        for c in prange(first, end):
            some, into = x[c * size : (c + 1) * size], out[c * size : (c + 1) * size]
            _scan_block(op, some, into, before[c], c > 0 or init is not None, inclusive)
            if c + team < blocks - 1 and c - first < last:
                some = x[(c + team) * size : (c + team + 1) * size]
                total[c + team] = in_order(op, some, out.dtype)


@njit
def _is_exact(op, x, out):
    """Whether a total has the same bits however it comes about."""
    if x.dtype == out.dtype and out.dtype.kind in "iu":
        added = op is np.add or op is operator.add or op is np.multiply or op is operator.mul
        return added or op is np.maximum or op is np.minimum
    else:
        return False


@njit
def _scan_block(op, x, out, before, known, inclusive):
    """Scan elements, of which there is one at least, behind `before`, which is the first of them
    where nothing is known to be before it."""
    if not known:
        out[0] = before
        _scan_behind(op, x[1:], out[1:], before)
    elif inclusive:
        _scan_behind(op, x, out, before)
    else:
        out[0] = before
        _scan_behind(op, x[:-1], out[1:], before)


@njit
def _scan_behind(op, x, out, before):
    """By the kernel, where there is an instruction for vectors."""
    if x.dtype == out.dtype and out.dtype.char in "fdil":
        carry = np.full(1, before, out.dtype)
        if op is np.add or op is operator.add:
            _kernels.prefix(x, out, carry, 0)
        elif op is np.multiply or op is operator.mul:
            _kernels.prefix(x, out, carry, 1)
        elif op is np.maximum:
            _kernels.prefix(x, out, carry, 2)
        elif op is np.minimum:
            _kernels.prefix(x, out, carry, 3)
        else:
            _scan_by_eight(op, x, out, before)
    else:
        _scan_by_eight(op, x, out, before)


@njit
def _scan_by_eight(op, x, out, before):
    kind, acc = out.dtype, before
    head = len(x) % 8
    for i in range(head):
        acc = op(acc, _as(kind, x[i]))
        out[i] = acc
    v, o = x[head:].reshape(-1, 8), out[head:].reshape(-1, 8)
    for k in range(len(v)):
        a, b, c, d = _as(kind, v[k, 0]), _as(kind, v[k, 1]), _as(kind, v[k, 2]), _as(kind, v[k, 3])
        e, f, g, h = _as(kind, v[k, 4]), _as(kind, v[k, 5]), _as(kind, v[k, 6]), _as(kind, v[k, 7])
        ab, ef = op(a, b), op(e, f)
        abcd = op(ab, op(c, d))
        to_b, to_d = op(acc, ab), op(acc, abcd)
        to_f = op(to_d, ef)
        o[k, 0], o[k, 1], o[k, 2], o[k, 3] = op(acc, a), to_b, op(to_b, c), to_d
        acc = op(acc, op(abcd, op(ef, op(g, h))))
        o[k, 4], o[k, 5], o[k, 6], o[k, 7] = op(to_d, e), to_f, op(to_f, g), acc


@njit(parallel=True)
def scanned_rows(op, a, init, inclusive, axis):
    inner = 1  # elements that stand side by side
    for k in range(axis % a.ndim + 1, a.ndim):
        inner *= a.shape[k]
    if inner >= COLUMNS:
        return _scanned_columns(op, a, init, inclusive, axis, inner)
    moved = np.moveaxis(a, axis, -1)
    n = moved.shape[-1]
    out = np.empty(moved.shape, kind_from(op, a.reshape(-1), init))
    if out.size:
        rows, into = moved.reshape(-1, n), out.reshape(-1, n)
        if len(rows) < ROWS and n >= 16 * PIECE:
            for i in range(len(rows)):
                scan_into(op, rows[i], into[i], init, inclusive)
        else:
            for i in prange(len(rows)):
                before = _as(out.dtype, rows[i, 0] if init is None else init)
                _scan_block(op, rows[i], into[i], before, init is not None, inclusive)
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
            out[0, j] = op(_as(kind, init), _as(kind, x[0, j]))
        else:
            out[0, j] = init
    for i in range(1, len(x)):
        for j in range(x.shape[1]):
            out[i, j] = op(out[i - 1, j], _as(kind, x[i - shift, j]))
