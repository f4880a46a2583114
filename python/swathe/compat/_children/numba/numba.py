# SPDX-License-Identifier: BSD-3-Clause
"""What ``import numba`` finds in processes that a program under ``swathe.compat`` starts."""

import sys

from swathe import compat

del sys.modules["numba"]
compat.install("numba")

import numba  # noqa: E402, F401
