# SPDX-License-Identifier: BSD-3-Clause
"""functools.reduce and functions of dataclasses, for compiled code. (partial is a function of its
own:
py/resolve.c.)"""

from dataclasses import dataclass

from swathe import _copy
from swathe._objects import is_instance, is_object


def reduce(function, iterable, *initial):
    """The elements combined from the left."""
    several = isinstance(iterable, (tuple, list)) and not is_object(iterable)
    if several and len(iterable) > 0:  # noqa: SIM102
        if callable(iterable[0]):
            return _combined(function, (*initial, *iterable))
    if len(initial) > 0:
        r = initial[0]
        for v in iterable:
            r = function(r, v)
        return r
    it = iter(iterable)
    r = _first(it)
    for v in it:
        r = function(r, v)
    return r


def _combined(function, of):
    """Of functions, each of which is a type: what they become is another type in each step."""
    if len(of) == 1:
        return of[0]
    else:
        return _combined(function, (function(of[0], of[1]), *of[2:]))


def _first(it):
    for v in it:
        return v
    raise TypeError("reduce() of empty iterable with no initial value")


def partial(func, *args, **keywords):
    """A function that has the first arguments, and some by name."""
    return lambda *more, **others: func(*(args + more), **{**keywords, **others})


def replaced(obj, **changes):
    """dataclasses.replace"""
    return obj.dataclass_replaced_(**changes)


def as_dict(obj):
    """dataclasses.asdict"""
    return obj.dataclass_dict_()


def as_tuple(obj):
    """dataclasses.astuple"""
    return obj.dataclass_tuple_()


def dict_part(v):
    """What dataclasses.asdict makes of the value of a field."""
    if v is None:
        return None
    if is_instance(v) and hasattr(v, "dataclass_dict_"):
        return v.dataclass_dict_()
    if isinstance(v, list):
        return [dict_part(e) for e in v]
    if isinstance(v, dict):
        return {k: dict_part(e) for k, e in v.items()}
    return _copy.deepcopy(v)


def tuple_part(v):
    """What dataclasses.astuple makes of the value of a field."""
    if v is None:
        return None
    if is_instance(v) and hasattr(v, "dataclass_tuple_"):
        return v.dataclass_tuple_()
    if isinstance(v, list):
        return [tuple_part(e) for e in v]
    if isinstance(v, dict):
        return {k: tuple_part(e) for k, e in v.items()}
    return _copy.deepcopy(v)


@dataclass(eq=False)
class Compared:
    """An element as functools.cmp_to_key has it: a function of two says which comes first."""

    def __init__(self, obj, compare):
        self.obj = obj
        self.compare = compare

    def __lt__(self, other):
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self.compare(self.obj, other.obj) > 0

    def __eq__(self, other):
        return self.compare(self.obj, other.obj) == 0


def cmp_to_key(mycmp):
    """functools.cmp_to_key"""
    return lambda obj: Compared(obj, mycmp)
