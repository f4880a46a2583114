# SPDX-License-Identifier: BSD-3-Clause
"""What programs use of ``numba.np``."""
