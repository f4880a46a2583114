# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that can't be passed: each error names the argument and says what to do."""

from __future__ import annotations

import array
import decimal

import numpy as np
import pytest
from without_text import without_text

import swathe


@swathe.njit
def first(data):
    return data[0]


@swathe.njit
def second(a, values, *rest, flag=0):
    return values


class Sub(np.ndarray):
    def __add__(self, other):
        return self


UNALIGNED = np.zeros(17, "u1")[1:].view("f8")
RECORD = np.zeros(2, dtype=[("a", "i4"), ("b", ">f8")])

BAD = [
    (np.array([1, "a"], object), TypeError, "array of Python objects.*astype"),
    ((np.zeros(3, ">f8"),), ValueError, r"byte order.*newbyteorder\('='\)"),
    ((UNALIGNED,), ValueError, r"not aligned.*newbyteorder"),
    (np.zeros(3).view(Sub), TypeError, r"subclass.*np.asarray"),
    (np.zeros((1, 1)).view(np.matrix), TypeError, r"subclass.*np.asarray"),
    (np.ma.zeros(3), TypeError, r"subclass.*np.asarray"),
    (np.array(["a"]).astype(">U1"), TypeError, "arrays of strings"),
    (np.array(b"a"), TypeError, "arrays of strings"),
    (np.zeros(2, np.longdouble), TypeError, "dtype"),
    (RECORD, TypeError, "field 'b' has the byte order"),
    ([object()], TypeError, r"is a list whose first element"),
    ({object(): 1}, TypeError, "is a dict whose first element"),
    (array.array("Q", [1]), TypeError, r"of type array.array.*pass np.asarray\(x\)"),
    (memoryview(bytearray(8)).cast("c"), TypeError, "format 'c'.*pass np.asarray"),
    ({object()}, TypeError, "is a set whose first element"),
    (object(), TypeError, "of type object"),
    (decimal.Decimal(1), TypeError, "Decimal"),
    (np.longdouble(1), TypeError, "longdouble|float128"),
    ((1, [object()]), TypeError, "is a list"),
    (2**64, OverflowError, "does not fit in int64"),
]


@pytest.mark.parametrize("value, cls, words", BAD, ids=lambda v: type(v).__name__)
def test_refused(value, cls, words):
    with pytest.raises(cls, match=words) as info:
        first(value)
    assert "first(): argument 'data'" in str(info.value)


@pytest.mark.parametrize(
    "args, kw, name",
    [
        (([object()], 1), {}, "a"),
        ((1, [object()]), {}, "values"),
        ((1, 2, 3, [object()]), {}, "rest"),
        ((1, 2), {"flag": [object()]}, "flag"),
        ((1,), {"values": [object()]}, "values"),
    ],
)
def test_names_the_argument(args, kw, name):
    with pytest.raises(TypeError, match=f"argument '{name}' is a list"):
        second(*args, **kw)


def test_still_works_after_errors():
    for value, cls, _ in BAD:
        with pytest.raises(cls):
            first(value)
    assert first(np.arange(3) + 1) == 1


def test_hint_for_byte_order_works():
    x = np.arange(1, 4).astype(">i4")
    assert first(x.astype(x.dtype.newbyteorder("="))) == 1


def test_keywords_parameter():
    @swathe.njit
    def f(x, **kw):
        return x + kw.get("y", 0.0)

    assert f(1) == 1.0 and f(1, y=2.5) == f(x=1, y=2.5) == 3.5
    with pytest.raises(TypeError, match="missing"):
        f(y=2.5)


def test_deep_tuple():
    t = ()
    for _ in range(40):
        t = (t,)
    with pytest.raises(TypeError, match="nested too deeply"):
        first(t)


async def later(x):
    return x


def test_async():
    with pytest.raises(swathe.UnsupportedError, match="^'later' is async"):
        swathe.njit(later)(1)


def test_no_source_is_one_error():
    made = without_text("def made(x): return x", "made")
    with pytest.raises(swathe.TypingError, match="^the source of function 'made' can't be found"):
        swathe.njit(made)(1)


def names_a_block(x):
    with swathe.gpu as g:
        return g


@pytest.mark.parametrize(
    "function, words",
    [
        (names_a_block, r"(?s)'as' after swathe.gpu is not supported.*\^"),
    ],
)
def test_unsupported(function, words):
    with pytest.raises(swathe.errors.UnsupportedError, match=words):
        swathe.njit(function)(1)


def test_signature_with_one_argument():
    with pytest.raises(TypeError, match=r"has 1 argument, but .*takes 2"):
        swathe.njit("f8(f8)")(lambda x, y: x)


def test_an_exception_without_arguments_has_none():
    @swathe.njit
    def f(k):
        if k == 0:
            raise IndexError
        if k == 1:
            raise ValueError()
        assert k == 2
        return k

    assert f(2) == 2
    for k, cls in enumerate((IndexError, ValueError)):
        with pytest.raises(cls) as caught:
            f(k)
        assert caught.value.args == ()
        assert f'File "{__file__}"' in "".join(caught.value.__notes__)
    with pytest.raises(AssertionError) as failed:
        f(3)
    assert failed.value.args == ()
