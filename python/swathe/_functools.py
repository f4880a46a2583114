# SPDX-License-Identifier: BSD-3-Clause
"""functools.reduce and dataclasses.replace, for compiled code. (partial is a function of its own:
py/resolve.c.)"""


def reduce(function, iterable, *initial):
    """The elements combined from the left."""
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
