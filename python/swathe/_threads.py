# SPDX-License-Identifier: BSD-3-Clause
"""How many threads parallel loops use: what `swathe` exports of it beside the C functions."""

from typing import NamedTuple

from ._core import get_parallel_chunksize, set_parallel_chunksize


def threading_layer() -> str:
    """Return the name of what runs parallel loops: always swathe's own pool.

    >>> threading_layer()
    'swathe'
    """
    return "swathe"


class _ChunkSize(NamedTuple):
    """A setting within a block, in compiled code, too."""

    n: int
    before: int

    def __enter__(self) -> None:
        set_parallel_chunksize(self.n)

    def __exit__(self, *_: object) -> None:
        set_parallel_chunksize(self.before)


def parallel_chunksize(n: int) -> _ChunkSize:
    """Set this thread's chunk size within a ``with`` block; see `set_parallel_chunksize`.

    >>> from swathe import get_parallel_chunksize
    >>> with parallel_chunksize(8):
    ...     get_parallel_chunksize()
    8
    >>> get_parallel_chunksize()
    0
    """
    return _ChunkSize(n, get_parallel_chunksize())
