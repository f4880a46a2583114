# SPDX-License-Identifier: BSD-3-Clause
"""Records with fields that are strings of fixed width."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import errors, njit
from swathe.compat import numba

FIELDS = [("x", "f8"), ("n", "S5"), ("u", "U3"), ("k", "i4")]
DTYPES = [np.dtype(FIELDS), np.dtype(FIELDS, align=True)]


def people(dtype):
    a = np.zeros(4, dtype)
    a["n"] = [b"ab", b"abcde", b"", b"z"]
    a["u"] = ["xyz", "", "é", "q"]
    a["x"], a["k"] = range(4), [3, 1, 2, 0]
    return a


def numbers(a):
    return a["x"].sum() + a[1]["k"] * a["k"].max()


def strings(a):
    return a[0]["u"], a[1]["n"], a["u"][2], a["n"][3], len(a[1]["u"]), a[0]["u"] + "!"


def columns(a):
    return a["u"][1:3], a["n"], (a["u"] == "xyz").sum(), np.sort(a["u"]), "q" in a["u"]


def loops(a):
    by_name = {}
    for r in a:
        by_name[r["u"]] = by_name.get(r["u"], 0) + r["k"]
    return by_name, [r["n"] for r in a if r["k"] > 0], max([len(r["u"]) for r in a])


def selections(a):
    return a[1:3].copy(), a[::-2].copy(), a[a["k"] > 1], a[np.array([3, 0, 0])], a.copy()


def stores(a):
    a[0] = a[1]
    a[2]["k"] = 7
    a["u"][1] = "longer"
    a["n"][3] = b"q"
    a[3:] = a[:1]
    return a


def made(a):
    b = np.zeros(3, a.dtype)
    b[1] = a[1]
    b["u"][2] = a[0]["u"]
    return b


def texts(a):
    return str(a[0]), f"{a[1]}"


def shown(a):
    print(a[0])
    print(a)


def equal(x, y):
    if isinstance(x, tuple):
        return all(map(equal, x, y)) and len(x) == len(y)
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and (x == y).all()
    return type(x) is type(y) and x == y or x == y


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "f",
    [numbers, strings, columns, loops, selections, stores, made, texts],
    ids=lambda f: f.__name__,
)
def test_as_numpy_has_them(f, dtype):
    a, b = people(dtype), people(dtype)
    assert equal(njit(f)(b), f(a))
    assert (a == b).all()


def test_views_and_printed_text(capfd):
    for dtype in DTYPES:
        a = people(dtype)
        njit(shown)(a)
        got = capfd.readouterr().out
        shown(a)
        assert got == capfd.readouterr().out
        whole = njit(lambda a: a[1:3])(a)
        assert np.shares_memory(whole, a) and (whole == a[1:3]).all()
        row = njit(lambda a: a[2])(a)
        row["u"] = "new"
        assert a[2]["u"] == "new" and row.dtype == dtype
        with pytest.raises(IndexError):
            njit(lambda a: a["u"][0])(a[:0])
        assert njit(lambda a: [r["n"] for r in a])(a[:0]) == []
        names = njit(lambda a: a["u"])(a)
        assert names.tolist() == a["u"].tolist()
        table = np.stack([a, a[::-1]])
        assert njit(lambda t: t[1]["u"][0])(table) == "q"
        assert njit(lambda t: t[1, 2]["n"])(table) == b"abcde"
        assert njit(lambda r: (r["u"], r.n, r.k))(a[0]) == ("xyz", b"ab", 3)


def test_refused():
    a = people(DTYPES[0])

    def field(a):
        a[0].u = "uu"

    def whole(a):
        a["u"] = "uu"

    for f in (field, whole):
        with pytest.raises(errors.UnsupportedError, match="storing to the string 'u' of records"):
            njit(f)(a)
    with pytest.raises(AttributeError, match="has no attribute 'v'"):
        njit(lambda a: a[0].v)(a)
    with pytest.raises(errors.TypingError, match="'==' is not defined"):
        njit(lambda a: a[0] == a[1])(a)
    swapped = np.zeros(2, [("u", ">U3")])
    with pytest.raises(TypeError, match="byte order of other machines"):
        njit(lambda a: len(a))(swapped)
    with pytest.raises(TypeError, match="of dtype .*: fields hold numbers and strings"):
        njit(lambda a: a[0].x)(np.zeros(2, [("x", "f8"), ("u", "U3", (2,))]))


def test_as_numba_types():
    a = people(DTYPES[0])
    t = numba.from_dtype(a.dtype)
    assert isinstance(t.fields["u"], numba.types.UnicodeCharSeq)
    assert isinstance(t.fields["n"], numba.types.CharSeq)
    assert repr(numba.from_dtype("U3")) == "[unichr x 3]"
    for signature in ((numba.typeof(a),), (t[:],)):
        assert numba.njit(signature)(lambda a: a[0].u)(a) == "xyz"
    times = np.array(["2020-01-02"], "M8[D]")
    assert numba.typeof(times).dtype == numba.types.NPDatetime("D")
    assert numba.njit((numba.typeof(times),))(lambda x: x[0])(times) == times[0]


def test_fields_by_their_place():
    """Of one record, as np.void has them; constants say which."""

    def places(a):
        r = a[1]
        return r[0], r[1], r[-2], r[3], a[0][-1] + a["k"][1]

    def put(a):
        a[0][0] = 7
        r = a[1]
        r[-1] = 8
        return a

    for dtype in DTYPES:
        a, b = people(dtype), people(dtype)
        assert equal(njit(places)(a), places(a))
        assert (njit(put)(a) == put(b)).all()
    for k in (4, -5):
        with pytest.raises(IndexError):
            njit(lambda r: r[k])(a[0])  # noqa: B023
    with pytest.raises(IndexError):
        njit(lambda r, i: r[i])(a[0], 0)


def test_records_of_recarrays():
    a = people(DTYPES[0]).view(np.recarray)
    one = njit(lambda a: a[1])(a)
    assert type(one) is np.record and one.u == "" and one.k == 1
    assert njit(lambda r: r.n)(one) == b"abcde"
