# SPDX-License-Identifier: BSD-3-Clause
"""``numba.types``, by its old path."""

from __future__ import annotations

from ..types import *  # noqa: F403
