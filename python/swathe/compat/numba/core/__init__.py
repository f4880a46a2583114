# SPDX-License-Identifier: BSD-3-Clause
"""What programs use of ``numba.core``; the compiler's own parts are not here."""

from __future__ import annotations

from .. import config, extending, types
from . import dispatcher, errors, registry

__all__ = ["config", "dispatcher", "errors", "extending", "registry", "types"]
