# SPDX-License-Identifier: BSD-3-Clause
"""Names of ``numba.misc.llvm_pass_timings``: what LLVM's passes take isn't recorded so."""

from __future__ import annotations

from typing import Any

from ..core.errors import NumbaNotImplementedError


class PassTimingsCollection:
    """Raise when made: ``SWATHE_TIME=2`` prints how long each pass of a compile took."""

    def __init__(self, *_: Any) -> None:
        raise NumbaNotImplementedError(
            f"numba.misc.llvm_pass_timings.{type(self).__name__} is of Numba's own passes: "
            "SWATHE_TIME=2 prints how long each of swathe's took"
        )


class ProcessedPassTimings(PassTimingsCollection):
    """Raise when made."""


class RecordLLVMPassTimings(PassTimingsCollection):
    """Raise when made."""
