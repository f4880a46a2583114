# SPDX-License-Identifier: BSD-3-Clause
"""Array statements one after the other, which compiled code merges into one loop: the same
values, errors and side effects as one at a time, over dtypes, layouts, sizes and overlap."""

import numpy as np
from harness import DTYPES, FLOATS, Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

V = sample("f8", 7)
W = sample("f8", 7, 3)
X = sample("f8", 7, 5)
M = sample("f8", (4, 5))
N = sample("f8", (4, 5), 2)
ROW = sample("f8", 5, 4)
ONE = np.array([2.5])
NONE = np.zeros(0)

# --- chains over dtypes and layouts -----------------------------------------------------

CHAINS = (
    "t = a * b\nu = t + a\nreturn u",
    "t = a * b\nu = t + a\nreturn u, t",
    "t = a + b\nt = t * t\nt = t - a\nreturn t",
    "t = a + b\nt *= a\nt += b\nreturn t",
    "t = a + b\nu = t * a\nreturn u.sum()",
    "t = a + b\nu = t * a\nreturn t.sum(), u.max()",
    "a *= b\na += b\nreturn a * 2",
    "t = np.where(a == b, a, b)\nu = t == a\nreturn u, t",
)
for d in DTYPES:
    for text in CHAINS:
        o = {"ulp": 4, "scale": 16.0} if np.dtype(d).kind in "fc" and "sum" in text else {}
        if np.dtype(d).kind == "c" and "max" in text:
            continue
        expr(
            text,
            sample(d, 7),
            sample(d, 7, 3),
            id=f"{text}-{d}".replace("\n", ";"),
            raises=...,
            **o,
        )
for d in ("f8", "i4"):
    for shape in (7, (3, 4), (2, 3, 4)):
        for i, x in enumerate(layouts(d, shape).items()):
            for j, y in enumerate(layouts(d, shape, 2).items()):
                turns = range(len(CHAINS)) if shape == 7 else (0, 5)  # of any two, all pairs
                for k in {(i + 2 * j + turn) % len(CHAINS) for turn in turns}:
                    name = f"{k}-{d}-{np.zeros(shape).ndim}d-{x[0]}-{y[0]}"
                    expr(CHAINS[k], x[1], y[1], id=name, ulp=4, scale=100.0)

# --- sizes, broadcasting, errors --------------------------------------------------------

SHAPES = (V, W, X), (NONE, NONE, NONE), (V, ONE, W), (ONE, V, W), (ONE, ONE, ONE), (V, W, ONE)
for args in SHAPES:
    for text in (
        "t = a * b\nu = t + c\nreturn u",
        "t = a * b\nu = t + c\nreturn u.sum()",
        "t = a * b\nu = t + c\nreturn u, t.size",
        "t = a * b\nu = t * c\nv = u + t\nw = v - a\nreturn w, u",
        "t = np.exp(a * 0.1)\nu = t / (b * b + 1)\nreturn (u * c).sum(), u.size",
    ):
        expr(
            text, *args, id=f"{text}-{[x.size for x in args]}".replace("\n", ";"), ulp=4, scale=50.0
        )
for args in (V, W[1:], X), (V, W, X[2:]), (V, NONE, ONE), (NONE, V, V), (V, W, NONE):
    for text in (
        "t = a * b\nu = t + c\nreturn u",
        "t = a * b\nu = t + c\nreturn u.max()",
        "a *= 2\na += b\nc[:] = a\nreturn a",
        "t = a + a\nc[:] = t\nu = t * b\nreturn u",
    ):
        sizes = [x.size for x in args]
        expr(text, *args, id=f"{text}-{sizes}".replace("\n", ";"), raises=...)
for text in ("t = a * 2\nreturn t.max()", "t = a * 2\nu = t + 1\nreturn u.argmin()"):
    expr(text, NONE, raises=ValueError)
for text in (
    "t = a * b\nu = t + c\nreturn u",
    "t = a + c\nu = t * b\nv = u - t\nreturn v",
    "t = b + a\nu = t * c\nreturn u.sum(axis=0)",
    "t = b + a\nu = t * c\nreturn u.sum(axis=1)",
    "t = a - a.max(axis=1)[:, None]\nu = np.exp(t)\nreturn u / u.sum(axis=1)[:, None]",
    "t = a - a.mean()\nu = t * t\nreturn u.mean(), t",
):
    expr(text, M, N, ROW, ulp=8, scale=50.0)
    expr(text, M.T.copy().T, N, ROW, ulp=8, scale=50.0)
    expr(text, M, N[:1], ROW, ulp=8, scale=50.0)
    expr(text, M[:0], N[:0], ROW, ulp=8, scale=50.0)

# --- rows and columns that turn out to be broadcast --------------------------------------

CUBE = sample("f8", (2, 3, 4))
for x, ys in (
    (M, (N, N[:1], N[:, :1], N[:1, :1], N[:0], N[:, :2])),
    (M[:1], (N, N[:1], N[:, :1])),
    (M[:, :1], (N, N[:, :1], N[:1])),
    (CUBE, (CUBE[:1], CUBE[:, :1], CUBE[:, :, :1], CUBE[:1, :1], CUBE[:1, :, :1], CUBE[:, :1, :1])),
):
    for y in ys:
        for text in (
            "return a - b",
            "return (a - b) / (b * b + 1), b - a",
            "return (a - b).sum(0), (a * b).max(axis=1)",
            "t = a - b\nu = t * a\nreturn u - b, t.sum()",
            "a -= b\nreturn a * b",
        ):
            name = f"thin-{text}-{x.shape}-{y.shape}".replace("\n", ";")
            expr(text, x, y, id=name, raises=..., ulp=8, scale=100.0)
            expr(
                text,
                np.asfortranarray(x),
                y[..., ::-1],
                id=name + "-f",
                raises=...,
                ulp=8,
                scale=100.0,
            )

# --- elements that other iterations touch, and what must stay in memory -------------------

BASE = np.arange(24.0)
for text in (
    "t = a * 2\nu = t[1:] + t[:-1]\nreturn u",
    "t = a * 2\nu = t[::-1] + t\nreturn u",
    "t = a * 2\nu = t[1:] + a[1:]\nreturn u, t",
    "t = a * 2\nt[2:] = t[:-2] + 1\nu = t + a\nreturn u",
    "t = a * 2\nt[0] = 5.0\nu = t + a\nreturn u",
    "t = a * 2\nu = t + t[0]\nreturn u",
    "t = a * 2\nx = t[1]\nu = t + x\nreturn u",
    "t = a * 2\na[0] = 100.0\nu = t + a\nreturn u",
    "t = a * 2\nv = t\nu = v + 1\nv[0] = 9.0\nreturn t, u",
    "t = a * 2\nu = t + 1\nt[:] = 0.0\nreturn u, t",
    "t = a * 2\nu = t.reshape(-1) + 1\nreturn u",
    "t = a + 1\nu = t * t\nif u[0] > 1:\n    t = u\nreturn t + u",
    "t = a + 1\nfor i in range(3):\n    t = t * a\n    t = t + 1\nreturn t",
    "t = a + 1\nfor _ in a:\n    t *= a\n    if t[0] > 2:\n        break\n    t += 1\nreturn t",
    "t = a * 2\nu = t + 1\nprint(u[0])\nv = u * t\nreturn v",
    "s = 0.0\nfor i in range(4):\n    t = a * i\n    u = t + s\n    s = u.sum()\nreturn s",
    "n = a.size\nt = a * n\nn = 3\nu = t + n\nreturn u, n",
    "a[:] = a + 1\na[1:] = a[:-1]\na[:] = a * 2\nreturn a",
    "t = a * 2\nu = np.zeros(3)\nu[:] = t[:3]\nv = u + 1\nreturn v, t",
    "try:\n    a = a * 2\n    a = a + np.zeros(3)\nexcept ValueError:\n    a = a + 1\nreturn a",
    "t = a > 0\nu = t & (a < 1)\nreturn u.any(), u.all(), t.sum()",
    "t = a.astype(np.float32)\nu = t * np.float32(3)\nreturn u, u.sum()",
    "t = (a * 4).astype(np.int8)\nu = t * np.int8(100)\nreturn u, u.sum()",
    "t = a * 2\nu = np.cumsum(t)\nv = u + t\nreturn v",
    "t = a * 2\nu = np.dot(t, a)\nreturn u, t + u",
    "t = a / 3\nu = t - t.mean()\nreturn u.std(), u.var()",
):
    expr(text, V, ulp=4, scale=100.0)
    expr(text, V[::-1], ulp=4, scale=100.0)

for text in (
    "a[:] = c * 2\nb[:] = a + 1",
    "b[:] = a * 2\nc[:] = b + a\na[:] = c - b",
    "a += b\nb += c\nc += a",
    "a *= 2\nb[:] = c\na += b",
    "t = a + b\na[:] = t * 2\nb[:] = t - a\nreturn t",
):
    expr(text, V, W, X)
    expr(text, BASE[:7], BASE[7:14], BASE[14:21])
    expr(text, BASE[:7], BASE[3:10], BASE[5:12], views=False)
    expr(text, BASE[:7], BASE[:7], BASE[:7], views=False)
    expr(text, BASE[:14:2], BASE[1:15:2], BASE[6::-1], views=False)
    expr(text, V, ONE, X, raises=...)

# --- the result is written over an operand: the same elements, or only some of them --------

ONTO = (
    "t = a * 2\nb[:] = t + a",
    "t = a * c\nb[:] = t + a\nreturn b * a",
    "t = a * c\nb[:] = t\nu = a + t\nreturn u, t",
    "t = a * c\nb[:] = t\nu = b * a\nb[:] = u + c\nreturn a + b",
    "b[:] = a\nb += 1\nu = a + c\nb *= u\nreturn u",
    "t = c - a\nb += t\nb += a\nreturn t",
    "t = a * c\nb[:] = np.where(t > a, t, a)\nc[:] = t",
    "t = a * c\nb[:] = t - a\nreturn (t * b).sum(), a.max()",
)
for text in ONTO:
    for k, (a, c) in enumerate(
        (
            (V, W),
            (V[::-1], W),
            (V[::2], W[::2]),
            (M, N),
            (M.T, N.T),
            (M[::2], N[::2]),
            (M[:, 1:], N[:, 1:]),
            (M[:0], N[:0]),
            (V.astype("i4"), W.astype("i4")),
            (V.astype("f4"), W.astype("f4")),
            (V * 10 > 3, W * 10 > 3) if not set("-(") & set(text) and "+=" not in text else (V, X),
        )
    ):
        o = {"ulp": 8, "scale": 100.0, "views": False, "raises": ...}
        expr(text, a, a, c, id=f"onto-{k}-{text}".replace("\n", ";"), **o)
        expr(text, a, a, a, id=f"onto-all-{k}-{text}".replace("\n", ";"), **o)
        expr(text, a[1:], a[:-1], c[1:], id=f"onto-part-{k}-{text}".replace("\n", ";"), **o)
    expr(text, BASE.view("i8"), BASE, W[:1], views=False, raises=..., ulp=8, scale=1e3)
    expr(text, V, V[::-1], W, views=False, raises=..., ulp=8, scale=100.0)
    expr(text, M, M.T.copy().T, N, views=False, raises=..., ulp=8, scale=100.0)
    expr(text, M[:, :4], M[:, :4].T, N[:, :4], views=False, raises=..., ulp=8, scale=100.0)

# --- larger programs ----------------------------------------------------------------------


@case(V, W, X, ulp=4)
@case(NONE, NONE, NONE)
@case(ONE, ONE, ONE)
def reuse(a, b, c):
    x = a * b
    y = x + c
    x = y * y
    y = x - a
    z = x + y
    return z, x


@case(np.abs(V) + 1, np.abs(W) + 1, np.abs(X) + 0.5, 0.05, 0.3, ulp=16, scale=10.0)
@case(NONE, NONE, NONE, 0.05, 0.3)
@case(*(np.tile(np.abs(v) + 1, 1000) for v in (V, W, X)), 0.05, 0.3, ulp=16, scale=10.0)
def black_scholes(price, strike, years, rate, sigma):
    root = sigma * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * sigma * sigma) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    discounted = strike * np.exp(-rate * years)
    call = price * n1 - discounted * n2
    put = discounted * (1.0 - n2) - price * (1.0 - n1)
    return call, put


@case(M, 3, ulp=4)
@case(M[:0], 3)
@case(np.asfortranarray(M), 3, ulp=4)
def steps(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        f = u * 0.5
        g = f - v
        v = g + u
        u = u + 0.1 * v
    return u, v


@case(V, W, 1)
@case(V, W, 0)
def branches(a, b, n):
    t = a * b
    u = t + 1 if n else t - 1
    if n:
        t = u * 2
        u = t + a
    return t, u


@case(V, ONE, raises=ValueError)
@case(V, X, raises=ValueError)
def raised_between(a, b):
    a *= 2
    b += a[:3]
    a += b
    return a


for d in FLOATS:
    expr("t = a * b\nu = t + 1\nreturn u.mean()", sample(d, 7), sample(d, 7, 1), ulp=4, scale=8.0)

# What the making of an array raises, also where none is made.
for size in (-1, np.int8(-1), 0, 2):
    for text in (
        "return np.full(n, 3.0).sum()",
        "return (np.ones(n) + 1).sum()",
        "return np.ones((2, n)).sum()",
        "return np.ones((n, 2)).sum(axis=1)",
        "t = np.ones(n)\nu = t * 2\nreturn u + t",
        "t = np.ones((n, 2, n)) * 2\nreturn t.sum()",
    ):
        text = text.replace("(n", "(a").replace(", n", ", a")
        expr(text, size, id=f"{text}-{size!r}".replace("\n", ";"), raises=...)


# --- rows of arrays, in loops: an index between two statements, views that lie apart where their
# --- arrays do, what ends behind the last of them, products of vectors

BASE = sample("f8", (5, 5))
ROWS = (
    "s = a[i] * 2\n{o}[{k}] = s - 1",
    "v = a[i]\ns = v + b[i]\n{o}[{k}] += s * v",
    "m = a[i] > b[i]\n{o}[{k}] = np.where(m, a[i], b[i])",
    "{o}[{k}] = f(a[i], b[i])",
    "d = a[i] - b[i]\n{o}[{k}, 0] = np.dot(d, d)",
    "d = a[i] - b[i]\n{o}[{k}] = np.linalg.norm(d)",
    "u = a[i] + b[i]\nw = a[i] - b[i]\n{o}[{k}] = u * w\n{o}[{k}] += u",
    "s = np.ravel(a[i]) * 2\nr = s.ravel()\n{o}[{k}] = r + s",
)
LOOP = "def f(x, y):\n    d = x - y\n    return d / (1 + np.abs(d))\n"
for n, row in enumerate(ROWS):
    for o, k in ("c", "i"), ("c", "-1 - i"), ("a", "i"), ("a", "(i + 1) % len(a)"), ("c", "i + 1"):
        body = row.format(o=o, k=k).replace("\n", "\n    ")
        text = f"{LOOP}for i in range(len(a)):\n    {body}\nreturn a, b, c"
        for name, args in {
            "2d": (M, N, sample("f8", (4, 5), 4)),
            "wide": (sample("f8", (3, 40)), sample("f8", (3, 40), 2), np.zeros((4, 40))),
            "one": (M, N[:, :1], np.zeros((4, 5))),
            "unlike": (M, N[:, :2], np.zeros((4, 5))),
            "into one": (M, N, np.zeros((4, 1))),
            "strided": (M[::-1], N.T.copy().T, np.zeros((4, 10))[:, ::2]),
            "none": (M[:0], N, M[:0]),
            "empty rows": (M[:, :0], N[:, :0], np.zeros((4, 0))),
            "ints": (M, N, np.zeros((4, 5), int)),
        }.items():
            if name != "ints" or n != 6:  # += of floats is told when it is compiled
                expr(text, *args, id=f"row-{n}-{o}[{k}]-{name}", raises=..., ulp=8, scale=64.0)
    body = row.format(o="c", k="i").replace("\n", "\n    ")
    text = f"{LOOP}for i in range(len(a)):\n    {body}\nreturn a, b, c"
    for name, args in {
        "itself": (M, M, M),
        "turned": (M, N, M[:, ::-1]),
        "shifted": (BASE[:4], N, BASE[1:]),
    }.items():
        expr(text, *args, id=f"row-{n}-{name}", raises=..., ulp=8, scale=64.0)

test_case = corpus.test()
