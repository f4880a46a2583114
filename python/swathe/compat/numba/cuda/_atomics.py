# SPDX-License-Identifier: BSD-3-Clause
"""``numba.cuda.atomic``: the operations of `swathe.gpu.atomic`, but that ``max`` and ``min`` leave
an element as it is where the other value is NaN. (An element that is NaN stays so in both.)"""

from typing import Any

import numpy as np

from swathe.gpu import atomic as _atomic

add, sub, exch, inc, dec = (_atomic.add, _atomic.sub, _atomic.exch, _atomic.inc, _atomic.dec)
and_, or_, xor = _atomic.and_, _atomic.or_, _atomic.xor
nanmin, nanmax = _atomic.nanmin, _atomic.nanmax
cas, compare_and_swap = _atomic.cas, _atomic.compare_and_swap


def max(ary: Any, idx: Any, val: Any) -> Any:  # noqa: A001
    """``ary[idx] = max(ary[idx], val)``; ``ary[idx]`` where one is NaN."""
    if isinstance(val, (float, np.floating)):
        return _atomic.max(ary, idx, -np.inf if val != val else val)  # noqa: PLR0124
    return _atomic.max(ary, idx, val)


def min(ary: Any, idx: Any, val: Any) -> Any:  # noqa: A001
    """``ary[idx] = min(ary[idx], val)``; ``ary[idx]`` where one is NaN."""
    if isinstance(val, (float, np.floating)):
        return _atomic.min(ary, idx, np.inf if val != val else val)  # noqa: PLR0124
    return _atomic.min(ary, idx, val)
