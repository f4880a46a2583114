# SPDX-License-Identifier: BSD-3-Clause
"""Dicts and sets from Python whose keys are of one type or another."""

from __future__ import annotations

import pytest

import swathe

DICTS = [
    {1: 2, "a": 3},
    {"a": 3, 1: 2, "b": 4},
    {2.5: 2, "a": 3},
    {True: 2, "a": 3},
    {(1, 2): 2, "a": 3},
    {(1, 2): 2, (1, 2, 3): 3},
    {"a": 1, b"a": 2},
    {(1, 2.5): 2, (1, "a"): 3},
    {(0, "x"): "v", "a": "w", -1: "u"},
]
OR_NONE = [{None: 1, "a": 2, 7: 3}, {1: 2, (1, 2): 3, None: 4}]
ABSENT = {7: -7, 2.5: -7.5, "a": "zz", (1, 2): (9, 9), (1, 2, 3): (9, 9, 9)}


def seen(d):
    return [k for k in d], [k in d for k in d], [d[k] for k in d], len(d)


def asked(d, k):
    return k in d, d.get(k), d.get(k, d.get(k))


@pytest.mark.parametrize("d", DICTS, ids=repr)
def test_each_key_is_found(d):
    assert swathe.jit(seen)(dict(d)) == seen(d)


@pytest.mark.parametrize("d", DICTS + OR_NONE, ids=repr)
def test_a_key_that_is_given(d):
    f = swathe.jit(asked)
    for k in d:
        assert f(dict(d), k) == asked(d, k)
        if k in ABSENT:
            assert f(dict(d), ABSENT[k]) == asked(d, ABSENT[k])


@pytest.mark.parametrize("d", DICTS, ids=repr)
def test_what_is_stored_is_written_back(d):
    @swathe.jit
    def f(d):
        for k in list(d):
            d[k] = d[k]
        return len(d)

    ours = dict(d)
    assert f(ours) == len(d) and ours == d and list(ours) == list(d)


@pytest.mark.parametrize(
    "s", [{1, "a"}, {(1, 2), "a", 5}, {"a", b"a"}], ids=["1a", "12a5", "bytes"]
)
@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets(s, kind):
    def f(s):
        return [k in s for k in s], "a" in s, "b" in s, len(s)

    assert swathe.jit(f)(kind(s)) == f(s)


@pytest.mark.parametrize("d", [{1: 2, 2.5: 3, "a": 4}, {True: 1, 2: 3, "a": 4}])
def test_keys_that_may_be_equal_are_told(d):
    """1 and 1.0 are one key: in a table by types each would be found apart."""
    with pytest.raises(TypeError, match="of one type|keys of dict"):
        swathe.jit(lambda d: 1.0 in d)(d)


TABLE = {(1, 2): 3, "a": 5, None: 7}


def of_table(i):
    return (
        TABLE[1, 2],
        TABLE["a"],
        TABLE[(i, 2)],
        (1, i) in TABLE,
        TABLE.get((9, 9), 0),
        TABLE[None],
    )


def test_a_table_outside():
    f = swathe.jit(of_table)
    assert f(1) == of_table(1) and f(1) == of_table(1)
    with pytest.raises(swathe.CompileError, match=r"keys of dict\[.* are .*, not float"):
        swathe.jit(lambda: TABLE[1.5])()
