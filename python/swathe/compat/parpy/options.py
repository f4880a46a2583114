# SPDX-License-Identifier: BSD-3-Clause
"""What ParPy passes as ``opts=``: a schedule in an object that may be changed."""

import difflib
from collections.abc import Mapping
from typing import Any

from swathe.schedule import LoopPar, Schedule

from . import backends
from .backend import queue_of

# What ParPy knows besides; none of it changes what is made here.
_WITHOUT_EFFECT = {
    "cache": True,
    "debug_perf": False,
    "debug_print": False,
    "extra_flags": (),
    "implicit_shape_labels": True,
    "includes": (),
    "libs": (),
    "max_thread_blocks_per_cluster": 8,
    "print_debug": False,
    "use_cuda_graphs": False,
    "use_cuda_thread_block_clusters": False,
    "verbose_backend_resolution": False,
    "write_output": False,
}


class CompileOptions:
    """Options of a call: `parallelize`, `seq`, and the `backend` that runs it."""

    parallelize: dict[str, LoopPar]
    backend: Any
    seq: bool

    def __init__(self, parallelize: Mapping[str, LoopPar] | None = None) -> None:
        self.parallelize = dict(parallelize or {})
        self.backend = backends.Auto
        self.seq = False
        for name, value in _WITHOUT_EFFECT.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        known = ("backend", "parallelize", "seq", *_WITHOUT_EFFECT)
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f": did you mean '{near[0]}'?" if near else f": there are {', '.join(known)}"
            raise AttributeError(f"CompileOptions has no option '{name}'{hint}")
        if name == "max_thread_blocks_per_cluster" and (value < 1 or value & (value - 1)):
            raise RuntimeError("the number of thread blocks per cluster must be a power of two")
        object.__setattr__(self, name, value)

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
