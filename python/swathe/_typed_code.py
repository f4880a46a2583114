# SPDX-License-Identifier: BSD-3-Clause
"""What the methods of `swathe.typed` do in compiled code. A result that is a container itself goes
into a slot, so that it is not copied."""

# ruff: noqa: D103

from __future__ import annotations

from ._objects import keep


def begin_list(slot, xs):
    keep(slot, xs[:])


def begin_empty_list(slot, xs):
    keep(slot, xs[:0])


def begin_dict(slot, d):
    keep(slot, d.copy())


def begin_empty_dict(slot, d):
    new = d.copy()
    new.clear()
    keep(slot, new)


def size(c):
    return len(c)


def get(c, k):
    return c[k]


def get_inner(slot, c, k):
    keep(slot, c[k])


def put(c, k, v):
    c[k] = v


def delete(c, k):
    del c[k]


def has(c, k):
    return k in c


def clear(c):
    c.clear()


def copy_of(c):
    return c.copy()


def keys(d):
    return list(d)


def part(slot, xs, start, stop, step):
    """As `slice.indices` has them: -1 is below the first element."""
    if start < 0:
        keep(slot, xs[0:0])
    else:
        keep(slot, xs[start:stop:step] if stop >= 0 else xs[start::step])


def append(xs, v):
    xs.append(v)


def extend(xs, ys):
    xs.extend(ys)


def insert(xs, i, v):
    xs.insert(i, v)


def pop(xs, i):
    return xs.pop(i)


def pop_inner(slot, xs, i):
    keep(slot, xs.pop(i))


def popitem(d):
    return d.popitem()


def popitem_inner(slot, d):
    k, v = d.popitem()
    keep(slot, v)
    return k


def reverse(xs):
    xs.reverse()


def sort(xs, reverse):
    xs.sort(reverse=reverse)


def sort_by(xs, key, reverse):
    xs.sort(key=key, reverse=reverse)
