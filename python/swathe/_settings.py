# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the thread that asks, for compiled code: Python is asked for each."""

from __future__ import annotations

from . import _core, _kernels
from .marks import objmode


def get_num_threads():  # noqa: ANN201, D103
    with objmode(n="int"):
        n = _core.get_num_threads()
    return n


def get_thread_id():  # noqa: ANN201, D103
    return _kernels.python_thread(0)


def set_num_threads(n):  # noqa: ANN001, ANN201, D103
    with objmode():
        _core.set_num_threads(n)


def get_parallel_chunksize():  # noqa: ANN201, D103
    with objmode(n="int"):
        n = _core.get_parallel_chunksize()
    return n


def set_parallel_chunksize(n):  # noqa: ANN001, ANN201, D103
    with objmode(before="int"):
        before = _core.set_parallel_chunksize(n)
    return before
