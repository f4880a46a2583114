# SPDX-License-Identifier: BSD-3-Clause
"""Copies of arrays that are not in one piece: their elements, and no byte between them.

Another queue, thread or library may write what lies between the elements of a view at the same
time. So what is moved is the longest pieces that hold only elements, along axes in an order that
suits the memory that is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core

if TYPE_CHECKING:
    from ._device_array import DeviceArray
    from ._queue import Queue


def _ordered(like: np.ndarray) -> tuple[tuple[slice, ...], list[int]]:
    """How to look at an array so that its strides go down and are not negative."""
    flip = tuple(slice(None, None, -1 if s < 0 else None) for s in like.strides)
    return flip, sorted(range(like.ndim), key=lambda k: -abs(like.strides[k]))


def _pieces(to: np.ndarray, source: np.ndarray) -> tuple[list[list[int]], int]:
    """The axes over pieces, as size and strides of both; and how many bytes a piece has."""
    axes: list[list[int]] = []
    for n, s, t in zip(to.shape, to.strides, source.strides, strict=True):
        if n == 1:
            continue
        if axes and axes[-1][1] == n * s and axes[-1][2] == n * t:  # one axis with the one before
            axes[-1] = [axes[-1][0] * n, s, t]
        else:
            axes.append([n, s, t])
    width = to.itemsize
    if axes and axes[-1][1] == width and axes[-1][2] == width:
        width *= axes.pop()[0]
    return axes, width


def move(queue: Queue, to: DeviceArray | np.ndarray, source: DeviceArray | np.ndarray) -> None:
    """Copy the elements; returns when a side on the host isn't needed any more.

    Both have one shape and dtype, and don't overlap; the strides of a side on the host are any.
    """
    device_to, device_from = not isinstance(to, np.ndarray), not isinstance(source, np.ndarray)
    likes = [a._proto if not isinstance(a, np.ndarray) else a for a in (to, source)]
    flip, order = _ordered(likes[0 if device_to else 1])
    there, here = (a[flip].transpose(order) for a in likes)
    back = None
    if not device_to and min(there.strides, default=0) < 0:
        back, there = there, np.empty(there.shape, there.dtype)
    elif not device_from and min(here.strides, default=1) <= 0:
        here = here.copy("C")
    axes, width = _pieces(there, here)
    if axes and axes[-1][2] < 0:  # no driver has rows that go down
        axes.append([1, width, width])
    sides: list[Any] = []
    for a, given, like in ((to, there, likes[0]), (source, here, likes[1])):
        at = given.__array_interface__["data"][0]
        if isinstance(a, np.ndarray):
            sides += [None, at]
        else:
            sides += [a._memory, a._offset + at - like.__array_interface__["data"][0]]
    sizes, steps, theirs = (tuple(x[k] for x in axes) for k in range(3))
    host = not (device_to and device_from)
    block = 2 if not queue.in_order else 1 if host else 0
    if width and there.size:
        where = (*sides[:2], steps, *sides[2:], theirs, sizes)
        _core.dev_rows(queue._handle, *where, width, block)
    if back is not None:
        back[...] = there
