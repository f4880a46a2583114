# SPDX-License-Identifier: BSD-3-Clause
"""Ranges as arguments, results and elements, held against CPython's."""

import copy
import os
import subprocess
import sys

import numpy as np
import pytest
from live_memory import live

import swathe


def _asked(r):
    return (
        len(r),
        sum(r),
        r.start,
        r[1],
        r[-1],
        3 in r,
        r[::2],
        list(reversed(r)),
        r == range(5),
        bool(r),
        isinstance(r, range),
        r.index(2),
    )


def _listed(rs):
    rs.append(range(9))
    rs[0] = range(1)
    return [len(r) for r in rs], rs[0]


def _values(d):
    d["x"] = range(3, 0, -1)
    return sum(sum(r) for r in d.values()), d


def _in_tuple(t):
    r, n = t
    return [k * n for k in r], (r, n)


def _maybe(n):
    r = None
    if n > 2:
        r = range(n)
    if r is None:
        return -1
    return sum(r)


def _maybe_given(n):
    return range(n) if n > 2 else None


def _among(n):
    rs = [range(k) for k in range(n)]
    return (
        range(2) in rs,
        rs.index(range(1)),
        rs,
        rs == [range(0)],
        max(rs, key=len),
        [len(r) for r in rs],
    )


def _indices(r, x):
    s = 0.0
    for i in r:
        s += x[i]
    return s


def _yielded(n):
    def g(r):
        for k in r:
            yield k

    return list(g(range(n))), [list(g(r)) for r in [range(2), range(3)]]


def _default(n, r=range(3)):
    return [k + n for k in r]


def _text(n):
    return str(range(0, n, 2)), repr([range(n)]), f"<{range(n)}>"


def _made(n):
    rs = {}
    for k in range(n):
        rs[k] = range(k, n)
    return rs


def _longest(ranges):
    best = ranges[0]
    for r in ranges:
        if len(r) > len(best):
            best = r
    return best


def _pair(n):
    x = range(n), range(n)
    return x, x[0] == x[1], x == (range(n), range(n))


def _two(a, b):
    r = a if len(a) > len(b) else b
    return r, max(len(a), len(b)), list(zip(a, b)), list(enumerate(a))


def _popped(rs):
    return rs.pop(), rs[1:], rs[0].step


def _stored(a, r):
    for i in r:
        a[i] = i
    return a


def _raised(r):
    raise ValueError(r)


def _beyond(n):
    r = range(n)
    return r[n]


def _truth(r):
    return r.stop if r else 7


def _none(o):
    return o is None or len(o)


def _with_none(n):
    rs = [None, range(n)]
    return rs[0] is None, rs[1], rs


def _unlike(d):
    d["n"] += sum(d["r"])
    d["r"] = range(9)
    return d


def _unlike_list(ds):
    return [len(d["r"]) for d in ds], ds[0]["n"]


def _unlike_made(n):
    made = [{"r": range(n), "k": 1.0}, {"r": range(2), "k": 2.0}]
    for d in made:
        d["k"] *= len(d["r"])
    return made


class Board:
    def __init__(self, n):
        self.rows = range(n)


def _field(n):
    return [r for r in Board(n).rows]


PROGRAMS = [
    (_unlike, [{"r": range(3), "n": 2}]),
    (_unlike_list, [[{"r": range(3), "n": 2}, {"r": range(5), "n": 1}]]),
    (_unlike_made, [3]),
    (_field, [3]),
    (_asked, [range(5)]),
    (_listed, [[range(5), range(2)]]),
    (_values, [{"a": range(4)}]),
    (_in_tuple, [(range(3), 5)]),
    (_maybe, [1]),
    (_maybe, [5]),
    (_maybe_given, [1]),
    (_maybe_given, [7]),
    (_among, [4]),
    (_indices, [range(3), np.arange(4.0)]),
    (_indices, [range(1, 3), [1.0, 2.0, 3.0]]),
    (_yielded, [3]),
    (_default, [3]),
    (_default, [3, range(0, 10, 5)]),
    (_text, [3]),
    (_made, [3]),
    (_longest, [[range(2), range(5), range(1)]]),
    (_pair, [2]),
    (_two, [range(3), range(9)]),
    (_popped, [[range(3), range(4), range(5, 6)]]),
    (_stored, [[0] * 5, range(0, 5, 2)]),
    (_raised, [range(3)]),
    (_beyond, [4]),
    (_truth, [range(0)]),
    (_truth, [range(4)]),
    (_none, [None]),
    (_none, [range(3)]),
    (_with_none, [3]),
    (_asked, [range(0)]),
    (_asked, [range(10, 0, -3)]),
]
COMPILED = {}


def _outcome(f, args):
    args = copy.deepcopy(args)
    try:
        return repr(f(*args)), repr(args)
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0], repr(args)


@pytest.mark.parametrize("k", range(len(PROGRAMS)), ids=lambda k: f"{PROGRAMS[k][0].__name__}{k}")
def test_as_cpython(k):
    f, args = PROGRAMS[k]
    compiled = COMPILED.setdefault(f, swathe.njit(f))
    want = _outcome(f, args)
    assert _outcome(compiled, args) == want
    before = live()
    assert _outcome(compiled, args) == want
    assert live() == before


def test_printed(capfd):
    f = swathe.njit(lambda n: print(range(n), [range(n)], (range(n, 0, -1), 2), f"{range(n)!r}"))
    f(3)
    said = "range(0, 3) [range(0, 3)] (range(3, 0, -1), 2) range(0, 3)\n"
    assert capfd.readouterr().out == said


def test_too_long():
    f = swathe.njit(lambda r: r.start)
    with pytest.raises(OverflowError, match="does not fit in int64"):
        f(range(2**63))
    with pytest.raises(OverflowError):
        swathe.njit(lambda r: len(r))(range(-(2**63), 2**63 - 1))


def test_refused():
    with pytest.raises(swathe.CompileError):
        swathe.njit(lambda r: {r: 1})(range(3))


def test_interpreted():
    """The interpreter draws lists of them."""
    program = (
        "import swathe; f = swathe.njit(lambda x: [r.start for r in x] + [len(x.pop())]);"
        "assert f([range(2, 5)]) == [2, 3]"
    )
    env = {**os.environ, "SWATHE_CHECK": "2"}
    subprocess.run([sys.executable, "-c", program], env=env, check=True, timeout=120)
