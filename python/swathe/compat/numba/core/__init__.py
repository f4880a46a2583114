# SPDX-License-Identifier: BSD-3-Clause
"""What programs use of ``numba.core``; the compiler's own parts are not here."""

from __future__ import annotations

from .. import config, extending, types
from . import cgutils, dispatcher, errors, registry

__all__ = ["cgutils", "config", "dispatcher", "errors", "extending", "registry", "types"]
