# SPDX-License-Identifier: BSD-3-Clause
"""What programs name of ``numba.cpython``."""
