# SPDX-License-Identifier: BSD-3-Clause
"""What ParPy passes as ``opts=``: a schedule in an object that may be changed."""

from collections.abc import Mapping
from typing import Any

from swathe.schedule import LoopPar, Schedule

from . import backends
from .backend import is_available


class CompileOptions:
    """Options of a call. Only `parallelize` and `seq` mean something on the CPU."""

    def __init__(self, parallelize: Mapping[str, LoopPar] | None = None) -> None:
        self.parallelize = dict(parallelize or {})
        self.backend = backends.Cpu
        self.seq = False
        self.print_debug = False
        self.implicit_shape_labels = True

    @property
    def _swathe_schedule(self) -> tuple[Any, ...]:
        if not is_available(self.backend):
            raise ValueError(f"backend '{self.backend}' is not available here: there is 'cpu'")
        return () if self.seq else Schedule(self.parallelize)._swathe_schedule

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
