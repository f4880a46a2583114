# SPDX-License-Identifier: BSD-3-Clause
"""Containers and arrays from outside that are constants in the code are returned as the objects
that they are."""

import numpy as np
import pytest

import swathe

EMPTY = []
PAIR = [1, 2]
ROWS = [[1, 2], [3, 4]]
WORDS = {"x": 1, "y": 2}
NOTHING = {}
LISTS = {"a": [1, 2], "b": [3]}
ARRAY = np.arange(5.0)
PLACES = {"here": np.arange(3)}
MIXED = [1, "a", 2.5]  # no list that compiled code could have as an argument


def twice():
    v = EMPTY
    r = v
    return r, r


def pair():
    return PAIR


def both():
    return PAIR, len(PAIR), PAIR


def row(k=1):
    return ROWS[k]


def words():
    d = WORDS
    return d, d["x"]


def nothing():
    return NOTHING, NOTHING


def of_key(k="b"):
    return LISTS[k]


def array():
    return ARRAY, ARRAY.sum()


def place():
    return PLACES["here"]


def one_of(c=True):
    return PAIR if c else EMPTY


def nested():
    return (1, (PAIR, 2.0))


def by_helper():
    return _pair()


@swathe.njit
def _pair():
    return PAIR


FUNCTIONS = [
    twice, pair, both, row, words, nothing, of_key, array, place, one_of, nested, by_helper
]  # fmt: skip


def same_objects(want, got):
    if isinstance(want, tuple):
        assert len(want) == len(got)
        for w, g in zip(want, got, strict=True):
            same_objects(w, g)
    elif isinstance(want, list | dict | np.ndarray):
        assert got is want
    else:
        assert got == want and type(got) is type(want)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("cache", [False, True])
def test_the_object_itself(f, cache):
    compiled = swathe.njit(cache=cache)(f)
    same_objects(f(), compiled())
    same_objects(f(), compiled())


def test_what_the_caller_changes_is_seen():
    items = [1, 2]

    @swathe.njit
    def get():
        return items

    @swathe.njit
    def total():
        return sum(items)

    got = get()
    got.append(40)
    assert get() == [1, 2, 40] and total() == 43


def test_views_share_memory():
    table = np.arange(6.0)

    @swathe.njit
    def tail():
        return table[2:]

    tail()[0] = 7.0
    assert table[2] == 7.0 and tail()[0] == 7.0


def test_what_cannot_be_an_argument_stays_a_constant():
    @swathe.njit
    def get():
        return MIXED

    assert get() == MIXED and get() == MIXED


def is_pair(a):
    return a is PAIR, a is not PAIR, PAIR is PAIR


def test_is_asks_for_the_object():
    compiled = swathe.njit(is_pair)
    for a in (PAIR, [1, 2]):
        assert compiled(a) == is_pair(a)


SEEN = {1}


@swathe.njit
def counts():
    SEEN.add(3)
    yield len(SEEN)


@swathe.njit
def adder():
    def add(x):
        SEEN.add(x)
        return len(SEEN)

    return add


def test_what_lasts_keeps_no_container_from_outside():
    with pytest.raises(TypeError, match=r"counts\(\): a generator, or .* can't keep 'SEEN'"):
        next(counts())
    with pytest.raises(TypeError, match="can't keep 'SEEN'"):
        adder()(2)
    assert SEEN == {1}
