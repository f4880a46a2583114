# SPDX-License-Identifier: BSD-3-Clause
"""Streams of other libraries that share memory of a CUDA device with us.

Their work on such memory is in a stream of theirs, ours in a queue. So each use here comes after
what is in their stream then, and what they put there later comes after it. Which stream that is,
the memory's interface says, or the library that it is of: PyTorch's and CuPy's current stream, of
others CUDA's default stream. No library is imported for that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .errors import QueueError

DEFAULT = 1  # CUDA's legacy default stream, which other default streams wait for

Streams = Callable[[], "list[int]"]


def _of_torch(torch: Any, index: int) -> int | None:
    if not torch.cuda.is_initialized():
        return None
    return int(torch.cuda.current_stream(index).cuda_stream) or DEFAULT


def _of_cupy(cupy: Any, index: int) -> int | None:
    return int(cupy.cuda.get_current_stream().ptr) or DEFAULT


_LIBRARIES = {"torch": _of_torch, "cupy": _of_cupy}


def library_of(obj: Any) -> str | None:
    """Which of the libraries that have a current stream an object is of."""
    roots = {c.__module__.partition(".")[0] for c in type(obj).__mro__}
    return next((name for name in _LIBRARIES if name in roots), None)


def current(library: str, index: int) -> int | None:
    """The stream that a library puts its work in now, on a device; None: it has none."""
    module = sys.modules.get(library)
    if module is None:
        return None
    try:
        return _LIBRARIES[library](module, index)
    except Exception:  # built without CUDA, or half imported: its default stream
        return DEFAULT


def of_library(library: str | None, index: int) -> Streams:
    """The streams of memory that is a library's."""
    if library is None:
        return lambda: [DEFAULT]
    return lambda: [current(library, index) or DEFAULT]


def of_lent(index: int) -> Streams:
    """The streams of memory that was shown to others, whoever they are."""

    def streams() -> list[int]:
        found = (current(name, index) for name in _LIBRARIES)
        return sorted({s for s in found if s is not None} | {DEFAULT})

    return streams


def of_interface(obj: Any, interface: dict[str, Any], index: int) -> Streams | None:
    """The streams of what ``__cuda_array_interface__`` shows; None: nothing is to be waited for."""
    _named(obj, interface)
    library = library_of(obj)
    if "stream" not in interface:
        return of_library(library, index)
    if interface["stream"] is None:  # the other library says so
        return None

    def streams() -> list[int]:
        now = _named(obj, obj.__cuda_array_interface__)
        own = current(library, index) if library else None
        return sorted({s for s in (now, own) if s is not None})

    return streams


def _named(obj: Any, interface: dict[str, Any]) -> int | None:
    stream = interface.get("stream")
    if stream is not None and (type(stream) is not int or stream <= 0):
        raise QueueError(f"a {type(obj).__name__} says stream {stream!r}, which is none")
    return stream
