# SPDX-License-Identifier: BSD-3-Clause
"""What is told when a process ends: errors of kernels that nobody has waited for."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import traceback
import weakref
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._queue import Queue

_alive: weakref.WeakSet[Queue] = weakref.WeakSet()
_lock = threading.Lock()
_children: set[int] = set()  # processes of multiprocessing that are watched; forks copy it


def watch(queue: Queue) -> None:
    """Ask this queue when the process ends."""
    with _lock:
        _alive.add(queue)
    _watch_child()


@atexit.register
def _at_exit() -> None:
    """Tell what kernels have left that nobody waited for, and let the process end with status 1.

    Drivers that still run kernels when the process ends crash, too.
    """
    with _lock:
        queues = list(_alive)
    for queue in queues:
        try:
            queue._end()
        except Exception as e:
            _core.exit_fails(True)
            print("swathe: nobody has waited for this error of a device:", file=sys.stderr)
            traceback.print_exception(e)
        queue._faults.forget()


def _watch_child() -> None:
    """Do the same in a child of multiprocessing, which ends without atexit's functions."""
    process = sys.modules.get("multiprocessing.process")
    if process is None or process.parent_process() is None or os.getpid() in _children:
        return
    from multiprocessing.util import Finalize

    _children.add(os.getpid())
    Finalize(None, _at_child_exit, exitpriority=-(10**6))  # after all others


def _at_child_exit() -> None:
    """Replace a status of 0: multiprocessing makes it of the exception that ends the child."""
    _at_exit()
    failed = _core.exit_fails(False)
    _core.exit_fails(failed)
    raised = sys.exc_info()[1]
    if failed and (raised is None or (isinstance(raised, SystemExit) and not raised.code)):
        raise SystemExit(1)
