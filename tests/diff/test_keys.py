# SPDX-License-Identifier: BSD-3-Clause
"""Keys of any kind: what may be None, sets in keys, and both in tuples; and the texts of dicts and
sets, as values, printed, and told of by errors."""

from __future__ import annotations

import contextlib
import copy
import io

import numpy as np
import pytest
from live_memory import live

import swathe


def counts(xs, more):
    d = {}
    for x in xs:
        d[x] = d.get(x, 0) + 1
    known = [x in d for x in more]
    s = set(xs)
    s.add(more[0])
    s.discard(more[1])
    t = {(x, i % 2) for i, x in enumerate(xs)}
    e = d.copy()
    e.update({x: -1 for x in more})
    del d[xs[0]]
    first = e.pop(xs[0])
    return d, known, s, t, e, first, list(e), len(s), s == set(xs), frozenset(xs) == frozenset(more)


def changed(d):
    for k in list(d):
        d[k] += 1
    return {v: k for k, v in d.items()}, d


def looked_up(d, ks):
    return d[ks[0]]


def sets(n):
    return [frozenset(range(i % 7, i % 11)) for i in range(n)]


def nested(n):
    return [(frozenset([frozenset([str(i % 5)]), frozenset()]), i % 3) for i in range(n)]


KEYS = {
    "int or None": [None if i % 5 == 0 else i % 13 * 7 for i in range(60)],
    "str or None": ["", None, "a", "", "ab", "äé", None],
    "float or None": [0.0, None, -0.0, 1.5, np.inf],
    "tuple with None": [(i % 4, None if i % 3 else i) for i in range(60)],
    "sets": sets(60),
    "sets in sets": nested(40),
    "deep": [(1, ("a", (None, 2.5))), (2, ("a", (3, 2.5))), (1, ("a", (None, 2.5)))],
    "set or None": [frozenset([1]), None, frozenset(), frozenset([1])],
}


def outcome(f, *args):
    args = copy.deepcopy(args)
    try:
        r = f(*args)
    except swathe.CompileError:
        raise
    except Exception as e:
        a = e.args[0]
        return type(e), a.split("\n")[0] if isinstance(a, str) else str(a)
    return repr(r) if isinstance(r, float) else r, args


@pytest.mark.parametrize("kind", KEYS)
def test_keys(kind):
    xs = KEYS[kind]
    more = [xs[-1], xs[len(xs) // 2]]
    if kind == "set or None":  # no tuples of those are compared
        f = changed
        assert outcome(swathe.njit(f), {x: 0.5 for x in xs}) == outcome(f, {x: 0.5 for x in xs})
        return
    compiled, lookup, change = map(swathe.njit, (counts, looked_up, changed))
    assert repr(outcome(compiled, xs[:3], more)[0][6]) == repr(outcome(counts, xs[:3], more)[0][6])
    got, want = outcome(compiled, xs, more), outcome(counts, xs, more)
    assert got == want
    before = live()
    outcome(compiled, xs, more)
    d = {x: i for i, x in enumerate(xs) if i}
    for k in (xs[0], xs[1]):
        assert outcome(lookup, d, [k, *xs]) == outcome(looked_up, d, [k, *xs])
    assert outcome(change, d) == outcome(changed, d)
    after = live()
    assert all(after[k] == before[k] for k in ("faults", "bytes"))


def as_text(x, told):
    print(x, [x])
    if told:
        raise ValueError(f"not {x}!")
    assert not told, x
    return str(x), repr(x), f"<{x}>"


def asserted(x, told):
    assert told, x
    raise KeyError(x)


TEXTS = [
    {"a": (1, None), "it's": (2, 3.5)},
    [set(), {1.5}],
    {frozenset(): [frozenset([None])]},
    (1, 2, (3, 4, "x")),
]


@pytest.mark.parametrize("k", range(len(TEXTS)))
def test_texts(k):
    def run(f, told):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            r = outcome(f, TEXTS[k], told)
        return r, out.getvalue()

    for f in (as_text, asserted):
        compiled = swathe.njit(f)
        for told in (False, True):
            assert run(compiled, told) == run(f, told)


def into_ints(n):
    d = {1: n}
    d[None] = 2
    return d


def of_sets(n):
    d = {}
    d[{n}] = 1
    return d


def test_none_among_ints():
    assert swathe.njit(into_ints)(3) == into_ints(3)


def test_refused():
    with pytest.raises(swathe.CompileError, match="can't be a key|unhashable type"):
        swathe.njit(of_sets)(3)
