# SPDX-License-Identifier: BSD-3-Clause
"""Functions that mean something to the compiler, and next to nothing outside of it.

Each of them does the harmless thing when Python itself runs it, so that a function gives the same
results compiled and not.
"""


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
