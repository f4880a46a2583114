# SPDX-License-Identifier: BSD-3-Clause
"""What numbers are as objects: `is` between those of unlike classes, their hashes; and ranges that
are unpacked into names."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import errors, njit


def is_bool(x):
    return x is True, x is False, x is not True, x is not False


def are_one(x, y):
    return x is y, x is not y


def may_be_none(x, given):
    y = x if given else None
    return y is True, y is False, y is None


@pytest.mark.parametrize("x", [0, 1, True, False, 1.0, 1j, np.int64(1), np.float32(0), np.uint8(1)])
def test_is(x):
    assert njit(is_bool)(x) == is_bool(x)
    for given in (True, False):
        assert njit(may_be_none)(x, given) == may_be_none(x, given)
    for y in (2.5, True, 2j):
        if type(x) is not type(y) and not {type(x), type(y)} <= {float, complex, np.float32}:
            assert njit(are_one)(x, y) == (False, True)


def test_is_that_depends_on_objects():
    for x, y in ((1, 2), (1.0, 1.0), (np.int64(1), 1)):
        with pytest.raises(errors.UnsupportedError, match="'is' between"):
            njit(are_one)(x, y)


@pytest.mark.parametrize("n", [0, 1, 2**61 - 2, 2**61 - 1, 2**61, 2**63 - 1, 2**63, 2**64 - 1])
def test_hashes_of_unsigned_integers(n):
    x = np.uint64(n)
    assert njit(lambda x: (hash(x), hash((x, 1))))(x) == (hash(x), hash((x, 1)))
    assert njit(lambda x: ({x: 3}[x], x in {x}))(x) == (3, True)


def three(n):
    a, b, c = range(n)
    return a, b, c


def every_second(n):
    a, b = range(1, n, 2)
    return a, b


def first_and_rest(n):
    r = range(n)
    a, *rest = r
    return a, rest, len(r)


@pytest.mark.parametrize("f", [three, every_second, first_and_rest], ids=lambda f: f.__name__)
def test_ranges_are_unpacked(f):
    for n in range(-1, 7):
        try:
            want = f(n)
        except ValueError as e:
            with pytest.raises(ValueError, match=str(e).replace("(", r"\(").replace(")", r"\)")):
                njit(f)(n)
        else:
            assert njit(f)(n) == want
