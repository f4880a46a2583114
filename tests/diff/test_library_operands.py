# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the library whose operands are of unlike dtypes, or share memory: what they make
together, what they may be cast to, and what was there before anything was stored."""

import numpy as np
import pytest
from harness import Corpus, check, define

corpus = Corpus(modes=("plain",))
expr = corpus.expr

FAR = np.arange(4) + 2**60 + 1
EVERY_OTHER = np.array([True, False, True, False])
UP = np.arange(4)


def of(dtype, n=4):
    return np.arange(n, dtype=dtype)


# ---- the dtype of three and more: either of int16 and uint16 fits in float32 ---------------------

THREE = of("i2"), of("u2"), of("f4")
expr("np.concatenate((a, b, c)), np.stack((b, a, c)), np.hstack((c, b, a))", *THREE)
expr("np.concatenate((a, 1, b, c), axis=None)", *THREE)
expr("np.einsum('i,i,i->i', a, b, c), np.einsum('i,i,i', c, a, b)", *THREE)
expr("np.choose(d, (a, b, c)), np.select([d > 2, d > 1], [a, b], c)", *THREE, UP % 3)
expr("np.clip(a, b, c)", *THREE)
expr("np.concatenate((a, b, c))", of("i1"), of("u1"), of("f2"))

# ---- Python's numbers among them -----------------------------------------------------------------

for d in ("f4", "i1", "f2"):
    expr("np.select([b > 2, b > 1], [a, 1.5], 2), np.select([b > 2], [3], a)", of(d), UP)
    expr(
        "np.choose(b % 2, (a, 2)), np.choose(b % 3, (1, 2.5, a)), np.choose(b, (-1, a, 3, 0))",
        of(d),
        UP,
    )
expr("np.select([b > 2, b > 1], [300, a], 0), np.choose(b % 2, (300, a))", of("i1"), UP)
expr("np.select([b > 2, b > 1], [3, a], 0)", of("u1"), UP, raises=TypeError)

# ---- copyto --------------------------------------------------------------------------------------

copied = "np.copyto(a, b, where=c)\nreturn a"
for b in (of("u8"), of("i1"), np.uint64(3), 5):
    expr(copied, FAR, b, EVERY_OTHER)
expr(copied, of("f4"), UP + 0.5, EVERY_OTHER)
expr(copied, FAR, UP + 0.5, EVERY_OTHER, raises=TypeError)
expr(copied, FAR, UP, UP, raises=TypeError)
expr("np.copyto(a, b, 'unsafe', b > 1)\nreturn a", FAR, UP + 0.5)
expr("np.copyto(a, 2.5, 'unsafe', b > 1)\nreturn a", FAR, UP)
for a, b in ((UP, 1j), (UP, UP + 0.5), (UP, 2.5), (of("u1"), UP), (of("u1"), 300), (UP > 1, UP)):
    expr("np.copyto(a, b)\nreturn a", a, b, raises=...)
expr("np.copyto(a[1:], a[:-1])\nnp.copyto(a, a[::-1], where=a > 1)\nreturn a", UP)

# ---- stored to ----------------------------------------------------------------------------------

for name in ("place", "putmask"):
    stored = f"np.{name}(a, c, b)\nreturn a"
    expr(stored, UP, UP + 0.5, EVERY_OTHER, raises=TypeError)
    expr(stored, UP * 1.0, of("f4"), EVERY_OTHER)
    for v in (1.5, 300, -1):
        expr(stored, of("i1"), v, EVERY_OTHER, raises=...)
expr("np.put(a, [1, 0, 3], a)\nreturn a", UP)
expr("np.put(a, a, 9)\nreturn a", np.array([1, 2, 3, 0]))
expr("np.put(a, [0, 1], b)\nnp.fill_diagonal(a[None], b)\nreturn a", of("u1"), np.array([300, 1]))
expr("np.fill_diagonal(a, b)\nreturn a", np.zeros((2, 2), "u1"), np.array([300, 1]))
expr("np.fill_diagonal(a, 300)\nreturn a", np.zeros((2, 2), "u1"), raises=OverflowError)
for a in (np.array([1, np.nan, np.inf]), np.array([1, np.nan, np.inf + 1j * np.nan]), UP):
    expr("np.nan_to_num(a, copy=False)", a)
ODD = np.array([1, np.nan, np.inf + 1j * np.nan, complex(np.inf, np.inf), complex(3, np.inf)])
expr("np.nan_to_num(a, nan=-1, posinf=np.inf)", ODD)
expr("np.take(a, [0, 1], out=b)", UP, np.zeros(2), raises=TypeError)
expr("np.take(a, [0, 1], out=b)", UP * 1.0, np.zeros(2, int))

# ---- at places, as often as each is named --------------------------------------------------------

PLACES = np.array([1, 2, 3])
for a in (UP + 1.0, UP + 1, np.arange(8.0).reshape(4, 2) + 1, np.arange(8, dtype="f4")[::2]):
    expr("np.add.at(a, b, a[:3])\nreturn a", a, PLACES)
expr("np.add.at(a, a, 1)\nreturn a", np.array([1, 2, 3, 0, 0]))
expr("np.add.at(a, a, a)\nreturn a", np.array([1, 2, 3, 0, 0]))
expr("np.maximum.at(a, a[::-1], a * 2)\nreturn a", np.array([1, 2, 3, 0, 0]))
SQUARE = np.arange(16.0).reshape(4, 4) + 1
expr("np.multiply.at(a, ([0, 0, 0], b), a[0, :3])\nreturn a", SQUARE, PLACES)
expr("np.add.at(a, ([0, 0], [0, 0], [0, 1]), a[0, 0, :2])\nreturn a", SQUARE.reshape(2, 4, 2))
for a, b in ((of("i1"), UP + 100), (of("u1"), -1), (UP, UP + 0.5), (of("f4"), 1e300)):
    expr("np.add.at(a, [0, 0, 1, 3], b)\nreturn a", a, b)

# ---- complex numbers without NaN -----------------------------------------------------------------

HOLES = np.array([[1 + 2j, np.nan, 3 + 1j], [2, complex(3, np.nan), 4]])
expr("np.nanmin(a), np.nanmax(a), np.nanmin(a, axis=0), np.nanmax(a, (0, 1), keepdims=True)", HOLES)
expr("np.nanargmin(a), np.nanargmax(a, axis=1), np.nanmedian(a), np.nanmedian(a, axis=1)", HOLES)
expr("np.nanmin(a, axis=1, keepdims=True), np.nanmax(a, axis=0, out=b)", HOLES, np.zeros(3, "c16"))

# ---- differences ---------------------------------------------------------------------------------

STEPS = np.array([1, 2, np.inf, 4, 5.0]), np.array([1, np.nan, 4, 4, 5.0], "f4")
for a in STEPS:
    for x in (np.arange(5.0), np.arange(5), np.array([9, 8, 7, 6, 2], "u1")):
        expr("np.gradient(a, b), np.gradient(a, b, edge_order=2)", a, x, ulp=4)
expr("np.gradient(a, b)", STEPS[0], np.array([-120, -50, 0, 50, 127], "i1"), ulp=4)
for a, b in ((UP, 1.5), (of("u1"), 5), (of("i1"), UP), (of("f4"), UP)):
    expr("np.ediff1d(a, to_end=b)", a, b, raises=...)
    expr("np.ediff1d(a, to_begin=b)", a, b, raises=...)
for a in (np.array([0, 100, 300, 10, 350]), np.array([0, 180, 360, 0, -180], "i2")):
    expr("np.unwrap(a, period=360), np.unwrap(a, period=181), np.unwrap(a)", a)
    expr("np.unwrap(a, period=360), np.unwrap(a, discont=200, period=90)", a * np.float32(1.5))

# ---- one number for several places, and for one --------------------------------------------------

for v in (np.array([300]), np.array([300.0]), np.array([np.nan]), np.array([-1.5], "f4")):
    for a in ("a[[0, 1]]", "a[b]", "a[b > 1]", "a[b, ...]", "a[None, [1]]"):
        expr(f"{a} = c[0]\nreturn a", of("i1"), UP, v)
    expr("a[0] = c[0]\nreturn a", of("i1"), UP, v, raises=...)
expr("a[b] = c\nreturn a", of("i1"), UP, 300, raises=OverflowError)
for text in ("a.item(0)", "a[0].item()", "a.tolist()", "round(a[0])"):
    expr(text, np.array([7, 2], "u8"))
    expr(text, np.array([2**63 + 5, 2], "u8"), raises=..., instead=OverflowError)

# ---- the order by several keys of several axes ---------------------------------------------------

KEYS = np.arange(24).reshape(2, 3, 4) * 7 % 5
expr("np.lexsort((a, a[::-1])), np.lexsort((a, a[::-1]), axis=0), np.lexsort([a, a])", KEYS)
expr("np.lexsort((a, b)), np.lexsort((b, a), 1)", KEYS[0], KEYS[1, :, ::-1] * 1.0)
expr("np.lexsort((a, a[:, 0]))", KEYS[0], raises=ValueError)

# ---- precision of shares, and whose memory a result is -------------------------------------------

for d in ("f4", "f2", "f8", "i1"):
    a = (np.arange(12).reshape(3, 4) * 5 % 7).astype(d)
    expr("np.percentile(a, [5, 77], axis=0), np.quantile(a, [0.05, 0.77])", a, ulp=2)
    expr(
        "np.quantile(a, b), np.quantile(a, b, method='midpoint')", a, np.float32([0.3, 0.7]), ulp=2
    )
expr("np.take(a, 1, axis=0), np.take(a, -1, 1), np.take(a[0], 2), a.take(0, 0)", SQUARE)
expr("r = np.take(a, b, axis=0)\nr += 1\nreturn a", SQUARE, 2)

# ---- parts ---------------------------------------------------------------------------------------

expr("np.insert(a, [1], [5, 6, 7]), np.insert(a, b[:1], 9)", UP, PLACES)
TWO = np.arange(6).reshape(2, 3)
expr("np.insert(a, [1], a, axis=1), np.insert(a, [-1], 3, axis=0)", TWO)
expr("np.array_split(a, b[1]), np.split(a, b[0])", np.arange(7.0), PLACES)

test_case = corpus.test()


SHARES = "0.5", "np.float64(0.3)", "np.array([0.25, 0.5], np.float32)"


@pytest.mark.parametrize("q", SHARES)
@pytest.mark.parametrize("name", ["quantile", "nanpercentile"])
def test_shares_promote_as_they_are(name, q):
    f = define(f"def f(x, q):\n    return np.{name}(x.reshape(2, 3), q, axis=1)\n", "f")
    check(f, np.arange(6, dtype=np.float32)[::-1], eval(q))
