# SPDX-License-Identifier: BSD-3-Clause
"""The types of ``numba.cuda.types``, which are Numba's."""

from ..types import *  # noqa: F403
from ..types import __all__ as __all__
