# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module copy, on arrays, containers and what never changes."""

from array import array
from collections import deque

import numpy as np

from swathe import static_fail
from swathe._objects import address, copies, same, stays

TWICE = "copy.deepcopy() of instances that lead to one object of another class, list or array twice"


def copy(x):
    """The same elements in another container; what never changes itself."""
    if x is None or stays(x):
        return x
    if copies(x, None):
        return x.instance_copied_()
    if isinstance(x, np.ndarray):
        return x.copy("K")
    if isinstance(x, (list, dict, set, deque)):
        return x.copy()
    if isinstance(x, tuple):
        return x
    if isinstance(x, array):
        return x[:]
    static_fail("copy.copy() of such a value")


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
    if copies(x, None):
        return deep_part(x, {}, {0}, x)
    if isinstance(x, list):
        memo, seen = {}, {0}
        r = [_element(e, memo, seen) for e in x]
        _share(x, r)
        return r
    if isinstance(x, dict):
        memo, seen = {}, {0}
        keys = list(x)
        values = list(x.values())
        made = [_element(v, memo, seen) for v in values]
        _share(values, made)
        r = x.copy()
        for i in range(len(keys)):
            r[keys[i]] = made[i]
        return r
    static_fail(
        "copy.deepcopy() of such a value: it takes arrays, sets, and lists and dicts of these, of "
        "numbers, of strings and of lists or dicts of what never changes"
    )


def deep_part(v, memo, seen, root):
    """What a field of an instance holds, copied. memo: the copies of instances of root's class by
    their addresses, seen: those of all else, of which the copies would be several."""
    if v is None or stays(v):
        return v
    if copies(v, None):
        return v.instance_deep_(memo, seen, root)
    if isinstance(v, tuple):
        return tuple(deep_part(e, memo, seen, root) for e in v)
    k = address(v)
    if k in seen:
        raise ValueError(TWICE)
    seen.add(k)
    if isinstance(v, np.ndarray):
        return v.copy("K")
    if isinstance(v, list):
        return [deep_part(e, memo, seen, root) for e in v]
    if isinstance(v, dict):
        r = v.copy()
        for key, e in v.items():
            r[key] = deep_part(e, memo, seen, root)
        return r
    if isinstance(v, set):
        return v.copy()
    if isinstance(v, deque):
        r = v.copy()
        for i in range(len(v)):
            r[i] = deep_part(v[i], memo, seen, root)
        return r
    if isinstance(v, array):
        return v[:]
    static_fail("copy.deepcopy() of an instance that holds such a value")


def _element(e, memo, seen):
    if e is None or stays(e) or isinstance(e, np.ndarray):
        return deepcopy(e)
    if copies(e, None):
        return deep_part(e, memo, seen, e)
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
        if e is None or stays(e) or copies(e, None):
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
