# SPDX-License-Identifier: BSD-3-Clause
"""How many threads parallel loops use: what `swathe` exports of it beside the C functions."""

from collections.abc import Iterator
from contextlib import contextmanager

from ._core import set_parallel_chunksize


def threading_layer() -> str:
    """Return the name of what runs parallel loops: always swathe's own pool.

    >>> threading_layer()
    'swathe'
    """
    return "swathe"


@contextmanager
def parallel_chunksize(n: int) -> Iterator[None]:
    """Set this thread's chunk size within a ``with`` block; see `set_parallel_chunksize`.

    >>> from swathe import get_parallel_chunksize
    >>> with parallel_chunksize(8):
    ...     get_parallel_chunksize()
    8
    >>> get_parallel_chunksize()
    0
    """
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)
