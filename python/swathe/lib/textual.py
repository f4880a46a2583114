# SPDX-License-Identifier: BSD-3-Clause
"""New arrays of strings: np.array(["a", "bc"]), np.zeros(n, "U5"), np.full(n, "a"),
np.where(m, "a", "b"); of str, and of bytes."""

import numpy as np

from swathe._text_arrays import _made, _text_at, of_rows, of_texts, resized, where, zeros


def _text_array(v, dtype):
    x = of_texts(v, np.uint32)
    return x if dtype is None else resized(x, dtype)


def _text_rows(v, dtype):
    x = of_rows(v, np.uint32)
    return x if dtype is None else resized(x, dtype)


def _text_zeros(shape, dtype):
    return zeros(shape, dtype, np.uint32)


def _text_full(shape, value, dtype):
    if dtype is None:
        r = zeros(shape, str(len(value)), np.uint32)
    else:
        r = zeros(shape, dtype, np.uint32)
    r.fill(value)
    return r


def _text_where(condition, x, y):
    return where(condition, x, y, np.uint32)


def _bytes_array(v, dtype):
    x = of_texts(v, np.uint8)
    return x if dtype is None else resized(x, dtype)


def _bytes_rows(v, dtype):
    x = of_rows(v, np.uint8)
    return x if dtype is None else resized(x, dtype)


def _bytes_zeros(shape, dtype):
    return zeros(shape, dtype, np.uint8)


def _bytes_full(shape, value, dtype):
    if dtype is None:
        r = zeros(shape, str(len(value)), np.uint8)
    else:
        r = zeros(shape, dtype, np.uint8)
    r.fill(value)
    return r


def _bytes_where(condition, x, y):
    return where(condition, x, y, np.uint8)


def _record_text(record, name):
    """Return the string in a field of one record."""
    return _text_at(record[name])


def _record_texts(records, name):
    """Return the array of the strings in a field of records; it shares memory with them."""
    return _made(records[name])
