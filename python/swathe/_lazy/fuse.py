# SPDX-License-Identifier: BSD-3-Clause
"""Functions of arrays whose operations are one graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._device_array import DeviceArray
from .array import LazyArray, lazy, scheduled

_EAGER = (np.ndarray, DeviceArray)


def fuse(*functions: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls functions one after another, and computes what comes of it once.

    It takes NumPy arrays, or arrays of a device, which the functions get as lazy ones: what they do
    is gathered over all of them and becomes one compiled function. It yields such arrays; lazy
    ones, which are not computed yet, if all were lazy.

    Parameters
    ----------
    *functions : functions
        Of arrays of the array API standard. The first takes the arguments; each other what the one
        before it returned, the items of a tuple as arguments of their own.

    Examples
    --------
    >>> import numpy as np
    >>> import swathe
    >>> from swathe import xp
    >>> @swathe.fuse
    ... def scaled(x, by):
    ...     return x * by - xp.mean(x)
    >>> scaled(np.arange(4.0), 2.0)
    array([-1.5,  0.5,  2.5,  4.5])
    >>> swathe.fuse(scaled, xp.abs, xp.sum)(np.arange(4.0), 2.0)
    array(9.)
    """
    for f in functions:
        if not callable(f):
            raise TypeError(f"fuse() takes functions, not {type(f).__name__}")
    if not functions:
        raise TypeError("fuse() needs a function")

    @functools.wraps(functions[0])
    def fused(*args: Any, **kwargs: Any) -> Any:
        eager = any(isinstance(x, _EAGER) for x in (*args, *kwargs.values()))
        out = functions[0](
            *[_lazily(x) for x in args], **{name: _lazily(x) for name, x in kwargs.items()}
        )
        for f in functions[1:]:
            out = f(*out) if isinstance(out, tuple) else f(out)
        return _computed(out) if eager else out

    return fused


def _lazily(x: Any) -> Any:
    return lazy(x) if isinstance(x, _EAGER) else x


def _computed(out: Any) -> Any:
    """Return a result, or a tuple or list of some, with values in place of lazy arrays."""
    if isinstance(out, LazyArray):
        return scheduled([out], None)[0]
    if not isinstance(out, tuple | list):
        return out
    values = iter(scheduled([x for x in out if isinstance(x, LazyArray)], None))
    done = [next(values) if isinstance(x, LazyArray) else x for x in out]
    return out._make(done) if hasattr(out, "_make") else type(out)(done)
