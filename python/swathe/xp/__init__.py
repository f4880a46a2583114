# SPDX-License-Identifier: BSD-3-Clause
"""The Python array API standard, 2025.12, of lazy arrays.

Operations are gathered and fused; they are computed when values are asked for, by one compiled
function for each piece of the graph between library calls.

>>> from swathe import xp
>>> x = xp.arange(5, dtype=xp.float64)
>>> print(xp.sum(xp.sqrt(x) * 2))
12.293...
"""

from math import e, inf, nan, pi

from .._lazy.array import LazyArray, lazy, scheduled
from .._lazy.dtypes import (
    bool,  # noqa: A004
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..schedule import Schedule
from . import elements, fft, linalg
from .creation import (
    arange,
    asarray,
    astype,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from .elements import *  # noqa: F403
from .elements import clip, where
from .indexing import take, take_along_axis
from .info import Info as _Info
from .linalg import matmul, tensordot, vecdot
from .manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from .statistics import (
    all,  # noqa: A004
    any,  # noqa: A004
    argmax,
    argmin,
    argsort,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    isin,
    max,  # noqa: A004
    mean,
    min,  # noqa: A004
    nonzero,
    prod,
    searchsorted,
    sort,
    std,
    sum,  # noqa: A004
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    var,
)

__array_api_version__ = "2025.12"
newaxis = None


def __array_namespace_info__() -> _Info:
    """Return what the namespace can do."""
    return _Info()


def compute(*arrays: LazyArray, schedule: Schedule | None = None) -> tuple:
    """Compute arrays together, so that what they share is computed once; return NumPy arrays.

    `schedule` is that of `LazyArray.compute`.
    """
    return tuple(scheduled(list(arrays), schedule))


__all__ = [
    "__array_api_version__", "__array_namespace_info__", "all", "any", "arange", "argmax",
    "argmin", "argsort", "asarray", "astype", "bool", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "clip", "complex128", "complex64", "compute", "concat",
    "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "e", "empty", "empty_like",
    "expand_dims", "eye", "fft", "finfo", "flip", "float32", "float64", "from_dlpack", "full",
    "full_like", "iinfo", "inf", "int16", "int32", "int64", "int8", "isdtype", "isin", "lazy",
    "linalg", "linspace", "matmul", "matrix_transpose", "max", "mean", "meshgrid", "min",
    "moveaxis", "nan", "newaxis", "nonzero", "ones", "ones_like", "permute_dims", "pi", "prod",
    "repeat", "reshape", "result_type", "roll", "searchsorted", "sort", "squeeze", "stack",
    "std", "sum", "take", "take_along_axis", "tensordot", "tile", "tril", "triu", "uint16",
    "uint32", "uint64", "uint8", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
    *elements.NAMES,
]  # fmt: skip
