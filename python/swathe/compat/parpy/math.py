# SPDX-License-Identifier: BSD-3-Clause
"""Mathematical functions, under ParPy's names: NumPy's."""

from numpy import abs, arctan2, cos, exp, inf, log, sin, sqrt, tanh  # noqa: A004
from numpy import arctan2 as atan2

__all__ = ["abs", "arctan2", "atan2", "cos", "exp", "inf", "log", "sin", "sqrt", "tanh"]
