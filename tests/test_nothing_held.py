# SPDX-License-Identifier: BSD-3-Clause
"""Lists of lists that hold None alone, so that nothing tells of what else they might hold, beside
CPython."""

import pytest

import swathe


def gone_through():
    v = list(map(lambda q: [None][:], {0: None}.values()))
    w = list(map(lambda q: [None] * 2, [1]))
    for t in v:
        for _ in t:
            pass
    return len(v), len(w)


def changed():
    x = list(map(lambda q: [None][::-1], {0: None}))
    y = x[0]
    y.append(None)
    y.insert(0, None)
    y.pop()
    z = y + y
    z.extend(y)
    return len(z), None in z, z[0] is None


def copied():
    a = [[None][:] for q in {0: None}.values()]
    b, c = a[:], a + a
    a.append([None])
    del a[0]
    e = {1: [None][:]}.copy()
    return (
        len(b),
        len(c),
        len(a),
        len(a[0][:]),
        len(e),
        len(sorted(map(lambda q: (q, None), [2, 1]))),
    )


@pytest.mark.parametrize("f", (gone_through, changed, copied), ids=lambda f: f.__name__)
def test_nothing_held(f):
    assert swathe.njit(f)() == f()
