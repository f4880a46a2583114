# SPDX-License-Identifier: BSD-3-Clause
"""Classes of other packages as arguments: a function that is registered for a class turns each
instance into values that compiled code knows, without a copy. See swathe.register_class."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

# What instances of a class become; the dispatcher looks here (py/foreign.c).
registered: dict[type, Callable[[Any], Any]] = {}

# Of packages that don't know swathe, by where their classes are; imported when first met.
_KNOWN = {
    ("scipy.sparse._csr", "_csr_base"): ("swathe.sparse", "_of_csr"),
    ("scipy.sparse._csc", "_csc_base"): ("swathe.sparse", "_of_csc"),
    ("scipy.sparse._coo", "_coo_base"): ("swathe.sparse", "_of_coo"),
    ("scipy.sparse._bsr", "_bsr_base"): ("swathe.sparse", "_of_bsr"),
    ("builtins", "memoryview"): ("swathe._memoryview", "taken"),
    ("numpy.random.mtrand", "RandomState"): ("swathe._generators", "taken_state"),
}
_GROUP = "swathe.extensions"
_asked = False


def register_class(cls: type, view: Callable[[Any], Any]) -> None:
    """Let compiled functions take instances of a class, and of its subclasses.

    Parameters
    ----------
    cls : type
        The class.
    view : function
        Takes an instance and returns what compiled code gets in its place: a number, an array, or,
        for what has several parts and methods, an instance of a NamedTuple. Arrays are shared: what
        compiled code writes into them is seen in the instance. It is called at each call of a
        compiled function with such an argument.

    Raises
    ------
    TypeError
        If `cls` is no class, or one whose instances compiled code knows anyway, or `view` can't be
        called.

    Notes
    -----
    A package registers its classes when it is imported, or, so that nobody has to import anything,
    by an entry point in the group ``swathe.extensions`` that names a function without arguments,
    which is called when an argument is of a class that nobody knows. A NamedTuple with a static
    method ``_swathe_restored`` is given back to Python as what that makes of it.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import numpy as np, swathe
    >>> class Series:
    ...     def __init__(self, x, step):
    ...         self.x, self.step = np.asarray(x), step
    >>> class Parts(NamedTuple):
    ...     x: np.ndarray
    ...     step: float
    ...     def integral(self):
    ...         return self.x.sum() * self.step
    >>> swathe.register_class(Series, lambda s: Parts(s.x, s.step))
    >>> @swathe.njit
    ... def twice(s):
    ...     return 2 * s.integral()
    >>> twice(Series([1.0, 2.0], 0.5))
    3.0
    """
    import numpy as np

    if not isinstance(cls, type):
        raise TypeError(f"register_class() takes a class, not {cls!r}")
    known = (bool, int, float, complex, str, bytes, tuple, list, dict, set, np.ndarray, np.generic)
    if cls is object or issubclass(cls, known):
        raise TypeError(f"{cls.__name__} is a class that compiled code knows anyway")
    if not callable(view):
        raise TypeError("view is no function: it takes an instance, and returns what stands for it")
    registered[cls] = view
    plain = sys.modules.get("swathe._plain_classes")
    if plain is not None:
        plain.forget(cls)


def find(cls: type) -> bool:
    """Say whether there is a function for a class, or for one that it comes from."""
    if _of(cls):
        return True
    global _asked
    if _asked:
        return False
    _asked = True
    _load_extensions()
    return _of(cls)


def is_known(cls: type) -> bool:
    """The same, where extensions of packages are looked for only of classes that are installed."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    return find(cls) if "-packages" in file else _of(cls)


def _of(cls: type) -> bool:
    for base in cls.__mro__:
        view = registered.get(base)
        where = _KNOWN.get((base.__module__, base.__qualname__))
        if view is None and where is not None:
            view = getattr(importlib.import_module(where[0]), where[1])
        if view is not None:
            registered[cls] = view
            return True
    return False


def _load_extensions() -> None:
    from importlib.metadata import entry_points

    for point in entry_points(group=_GROUP):
        try:
            point.load()()
        except Exception as e:  # a package that is broken doesn't keep others from being used
            print(
                f"swathe: the extension {point.name} ({point.value}) failed: {e}", file=sys.stderr
            )
