# SPDX-License-Identifier: BSD-3-Clause
"""Functions that mean something to the compiler, and next to nothing outside of it.

Each of them does the harmless thing when Python itself runs it, so that a function gives the same
results compiled and not.
"""

from typing import Any


def prange(*args: int) -> range:
    """Mean `range`, and promise that the iterations are independent of each other.

    Outside compiled functions it is `range`.

    >>> list(prange(3))
    [0, 1, 2]
    """
    return range(*args)


def label(name: str) -> None:
    """Name the loop, slice statement or reduction that follows, for a schedule to refer to.

    Several in a row name the dimensions of a slice statement or reduction from left to right;
    ``'_'`` skips one. A label alone changes nothing: `swathe.par` says at the call what becomes of
    it. Outside compiled functions it does nothing.

    Parameters
    ----------
    name : str
        Known at compile time.

    Examples
    --------
    >>> import numpy as np
    >>> import swathe
    >>> @swathe.njit
    ... def row_sums(x, y):
    ...     swathe.label("N")
    ...     for i in range(x.shape[0]):
    ...         swathe.label("M")
    ...         y[i] = np.sum(x[i, :])
    >>> y = np.empty(2)
    >>> row_sums(np.ones((2, 3)), y, opts=swathe.par({"N": swathe.threads(2)}))
    >>> y
    array([3., 3.])
    """


def ranges(*args: Any) -> Any:
    """Loop over all combinations of several ranges, the last one fastest.

    Parameters
    ----------
    *args : int or tuple
        What `range` takes: an int, or a tuple of one to three ints.

    Examples
    --------
    >>> list(ranges(2, (1, 3)))
    [(0, 1), (0, 2), (1, 1), (1, 2)]
    >>> list(ranges(2))
    [0, 1]
    """
    if not args:
        raise TypeError("ranges() takes at least one argument")
    each = [range(*a) if isinstance(a, tuple) else range(a) for a in args]
    if len(each) == 1:
        return each[0]
    from itertools import product

    return product(*each)


def inline(value: Any) -> Any:
    """Mean `value`, a call such as ``f(x)``, and ask for the function's body in its place.

    >>> inline(abs(-1))
    1
    """
    return value


def convert(value: Any, dtype: Any) -> Any:
    """Return `value` as the given dtype, as NumPy's ``astype`` and scalar types do.

    >>> import numpy as np
    >>> convert(2.75, np.int32) == 2
    True
    """
    dtype = getattr(dtype, "_swathe_dtype", dtype)
    if hasattr(value, "astype"):
        return value.astype(dtype)
    import numpy

    return numpy.dtype(dtype).type(value)


def static_backend_eq(backend: str) -> bool:
    """Tell at compile time whether code is made for this backend (``"cpu"``).

    In Python itself it is False: no code is made.

    >>> static_backend_eq("cpu")
    False
    """
    return False


def static_types_eq(a: Any, b: Any) -> bool:
    """Tell at compile time whether two dtypes, or those of two values, are the same.

    >>> import numpy as np
    >>> static_types_eq(np.ones(1, np.float32), np.float32)
    True
    """
    return _dtype_of(a) == _dtype_of(b)


def _dtype_of(x: Any) -> Any:
    import numpy

    name = getattr(x, "_swathe_dtype", None)
    if name is not None:
        return numpy.dtype(name)
    if isinstance(x, (int, float, complex)):
        return numpy.asarray(x).dtype
    own = None if isinstance(x, type) else getattr(x, "dtype", None)
    return numpy.dtype(x if own is None else own)


class objmode:  # noqa: N801
    """Run a block in Python, from compiled code: ``with objmode(y="float64[:]"):``.

    The block sees the variables that it mentions; those that it assigns and that are read behind it
    are declared, with their types. In Python itself it does nothing.

    Parameters
    ----------
    **types : str or type
        By variable: ``"float64[:]"``, `swathe.types.int64`, or a global that is one of these.

    Examples
    --------
    >>> import json
    >>> import swathe
    >>> @swathe.njit
    ... def count(n):
    ...     with swathe.objmode(k="int64"):
    ...         k = len(json.dumps({"n": n}))
    ...     return k + 1
    >>> count(5) == 9
    True
    """

    def __init__(self, **types: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *what: object) -> None:
        pass


def linked(name: str, signature: str, how: str, key: str, *args: Any) -> Any:
    """Call a function of another language: what `swathe.gpu.declare_device` makes does so."""
    from . import _link

    return _link.call(name, signature, how, key, args)


def static_fail(message: str) -> None:
    """Refuse to compile the branch that this stands in, with this message.

    Put it in the else of tests that are decided at compile time.
    """
    raise RuntimeError(message)
