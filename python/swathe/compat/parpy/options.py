# SPDX-License-Identifier: BSD-3-Clause
"""What ParPy passes as ``opts=``: a schedule in an object that may be changed."""

from collections.abc import Mapping
from typing import Any

from swathe.schedule import LoopPar, Schedule

from . import backends
from .backend import queue_of


class CompileOptions:
    """Options of a call: `parallelize`, `seq`, and the `backend` that runs it."""

    def __init__(self, parallelize: Mapping[str, LoopPar] | None = None) -> None:
        self.parallelize = dict(parallelize or {})
        self.backend = backends.Auto
        self.seq = False
        self.print_debug = False
        self.implicit_shape_labels = True

    @property
    def _swathe_schedule(self) -> tuple[Any, ...]:
        return () if self.seq else Schedule(self.parallelize)._swathe_schedule

    @property
    def _swathe_queue(self) -> Any:
        return queue_of(self.backend)

    def __repr__(self) -> str:
        return "seq()" if self.seq else f"par({self.parallelize})"


def par(parallelize: Mapping[str, LoopPar]) -> CompileOptions:
    """Make options from what is asked for each label."""
    options = CompileOptions(parallelize)
    options._swathe_schedule  # noqa: B018 (a wrong one raises here)
    return options


def seq() -> CompileOptions:
    """Make options that ask for no parallelism."""
    options = CompileOptions()
    options.seq = True
    return options
