# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module copy, on arrays, containers and what never changes."""

from array import array
from collections import deque

import numpy as np

from swathe import static_fail
from swathe._objects import address, same, stays


def copy(x):
    """The same elements in another container; what never changes itself."""
    if x is None or stays(x):
        return x
    if isinstance(x, np.ndarray):
        return x.copy("K")
    if isinstance(x, (list, dict, set, deque)):
        return x.copy()
    if isinstance(x, tuple):
        return x
    if isinstance(x, array):
        return x[:]
    static_fail("copy.copy() of an instance: make one of its fields by its class")


def deepcopy(x):
    """What x holds is copied, too; what it holds twice is one object in the copy as well."""
    if x is None or stays(x):
        return x
    if isinstance(x, np.ndarray):
        return x.copy("K")
    if isinstance(x, set):
        return x.copy()
    if isinstance(x, array):
        return x[:]
    if isinstance(x, list):
        r = [_element(e) for e in x]
        _share(x, r)
        return r
    if isinstance(x, dict):
        keys = list(x)
        values = list(x.values())
        copies = [_element(v) for v in values]
        _share(values, copies)
        r = x.copy()
        for i in range(len(keys)):
            r[keys[i]] = copies[i]
        return r
    static_fail(
        "copy.deepcopy() of such a value: it takes arrays, sets, and lists and dicts of these, of "
        "numbers, of strings and of lists or dicts of what never changes"
    )


def _element(e):
    if e is None or stays(e) or isinstance(e, np.ndarray):
        return deepcopy(e)
    if not isinstance(e, (list, dict, set)):
        static_fail("copy.deepcopy() of a container of such values: copy them one by one")
    if isinstance(e, dict):
        for v in e.values():
            _plain(v)
    else:
        for v in e:
            _plain(v)
    return e.copy()


def _plain(v):
    """Whether two hold the same is looked for on one level alone."""
    if v is not None and not stays(v):
        static_fail("copy.deepcopy() below two levels of containers: copy the elements one by one")


def _share(x, r):
    """What stands twice in x stands twice in its copy r."""
    seen = {}
    for i in range(len(x)):
        e = x[i]
        if e is None or stays(e):
            continue
        if isinstance(e, np.ndarray):
            _apart(e, x, i)
        else:
            k = address(e)
            j = seen.get(k, -1)
            if j >= 0:
                r[i] = r[j]
            else:
                seen[k] = i


def _apart(e, x, n):
    """Of arrays, only memory is known, and not which of those with the same are one object."""
    for j in range(n):
        o = x[j]
        if o is not None and same(e, o):
            raise ValueError("copy.deepcopy() of a list or dict with an array twice")
