# SPDX-License-Identifier: BSD-3-Clause
"""Nests that compiled code blocks, copies operands of, and runs by register tiles: bit for bit
what the loops give one by one, whatever their order, the sizes, layouts, and overlap."""

import itertools

import numpy as np
from harness import Corpus, layouts, sample

corpus = Corpus(modes=("plain", "parallel"))
case, expr = corpus, corpus.expr

RANGE = {"i": "c.shape[0]", "j": "c.shape[1]", "k": "a.shape[1]"}


def nest(order, body):
    lines = [f"{'    ' * n}for {v} in range({RANGE[v]}):" for n, v in enumerate(order)]
    return "\n".join([*lines, "    " * len(order) + body, "return c"])


def mixed(dtype, shape, seed=0):
    """Values whose sums round, so that the order of terms shows."""
    x = sample(dtype, shape, seed)
    if np.dtype(dtype).kind == "f":
        x = (x * (1 + np.arange(x.size).reshape(shape) % 7 / 3)).astype(dtype)
    return x


def operands(dtype, n, m, p):
    return mixed(dtype, (n, p)), mixed(dtype, (p, m), 1), mixed(dtype, (n, m), 2)


# --- orders, dtypes, sizes at and around the edges of tiles ------------------------------

for order in itertools.permutations("ijk"):
    text = nest(order, "c[i, j] += a[i, k] * b[k, j]")
    for d in ("f8", "f4"):
        expr(text, *operands(d, 14, 70, 9), id=f"{''.join(order)}-{d}")
INNER = """for i in range(c.shape[0]):
    for j in range(c.shape[1]):
        {0}
        for k in range(a.shape[1]):
            {1}
        {2}
return c"""
SUM = INNER.format("s = 0.0", "s += a[i, k] * b[k, j]", "c[i, j] = s")
for size in (
    (12, 32, 8),
    (13, 64, 8),
    (17, 65, 9),
    (12, 127, 8),
    (25, 96, 11),
    (11, 64, 8),
    (12, 64, 0),
    (0, 64, 8),
    (12, 0, 8),
    (12, 64, 1),
    (1, 64, 8),
):
    expr(SUM, *operands("f8", *size), id=f"sum-{size}")
    text = nest("ikj", "c[i, j] += a[i, k] * b[k, j]")
    expr(text, *operands("f4", *size), id=f"ikj-{size}")
for d in ("i4", "i8", "u1", "f2"):
    text = nest("ijk", "c[i, j] += a[i, k] * b[k, j]")
    expr(text, *operands(d, 12, 66, 8), id=f"ijk-{d}", raises=...)
for x, y, z in itertools.product(
    layouts("f8", (13, 9)).items(), layouts("f8", (9, 67), 1).items(), ("C", "F", "strided")
):
    c = layouts("f8", (13, 67), 2)[z]
    expr(SUM, x[1], y[1], c, id=f"sum-{x[0]}-{y[0]}-{z}")

# --- bodies -----------------------------------------------------------------------------

A, B, C = operands("f8", 13, 67, 9)
T = B.T.copy()
V = mixed("f8", 67, 5)
BODIES = {
    "zero": ("c[i, j] = 0.0", "c[i, j] += a[i, k] * b[k, j]", "pass"),
    "bias": ("s = v[j]", "s += a[i, k] * b[k, j]", "c[i, j] = s"),
    "scaled": ("s = 0.0", "s += a[i, k] * b[k, j]", "c[i, j] = 2 * s + c[i, j]"),
    "root": ("s = 0.0", "d = a[i, k] - b[k, j]\n            s += d * d", "c[i, j] = np.sqrt(s)"),
    "largest": ("s = a[i, 0]", "s = max(s, a[i, k] + b[k, j])", "c[i, j] = s"),
    "minus": ("s = 1.0", "s -= a[i, k] * b[k, j]", "c[i, j] = s * v[j]"),
    "index": ("s = 0.0", "s += a[i, k] * b[k, j] * (i + 2 * j - k)", "c[i, j] = s"),
    "twice": ("s = 0.0", "s += a[i, k] * b[k, j] + a[i, k]", "c[i, j] = s"),
    "names": (
        "s = 0.0",
        "x = a[i, k]\n            y = b[k, j]\n            s += x * y",
        "t = s + 1\n        c[i, j] = t",
    ),
    "kept": ("s = 0.0", "x = a[i, k]\n            s += x * b[k, j]", "c[i, j] = s + x"),
    "reads": ("s = c[i, 0]", "s += a[i, k] * b[k, j]", "c[i, j] = s"),
    "row": ("s = 0.0", "s += a[i, k] * b[k, j]", "c[i, j] = s + c[0, j]"),
    "if": ("s = 0.0", "if a[i, k] > 0:\n                s += b[k, j]", "c[i, j] = s"),
    "two": ("s = t = 0.0", "s += a[i, k] * b[k, j]\n            t += a[i, k]", "c[i, j] = s + t"),
    "carried": ("pass", "v[0] += a[i, k]\n            c[i, j] += b[k, j]", "pass"),
}
for name, parts in BODIES.items():
    expr(INNER.format(*parts), A, B, C, V, names="abcv", id=name)
for name in ("s", "x", "i", "j", "k"):
    text = INNER.format("s = 0.0", "x = a[i, k]\n            s += x * b[k, j]", "c[i, j] = s")
    expr(text.replace("return c", f"return c, {name}"), A, B, C, id=f"after-{name}")
text = "s = 0.0\n" + INNER.format("pass", "s += a[i, k] * b[k, j]", "c[i, j] = s")
expr(text, A, B, C, id="sum of all")
expr(SUM.replace("b[k, j]", "b[j, k]"), A, T, C, id="transposed")
expr(
    SUM.replace("a[i, k]", "a[k, i]").replace("a.shape[1]", "a.shape[0]"),
    A.T.copy(),
    B,
    C,
    id="transposed a",
)
expr(SUM.replace("b[k, j]", "a[j, k]"), mixed("f8", (40, 9)), B, mixed("f8", (40, 40)), id="syrk")
expr(
    SUM.replace("range(c.shape[1])", "range(i + 1)").replace("b[k, j]", "a[j, k]"),
    mixed("f8", (70, 9)),
    B,
    mixed("f8", (70, 70)),
    id="syrk-triangle",
)
expr(
    nest("ijk", "c[i, j] += a[i, k] * a[j, k]"),
    mixed("f8", (40, 9)),
    B,
    mixed("f8", (40, 40)),
    id="syrk-element",
)

for d in ("f8", "f4"):
    for n in (12, 40, 65, 131):
        for end in ("i + 1", "i", "i + 5", "c.shape[1] - i", "c.shape[0] - i - 1"):
            text = nest("ijk", "c[i, j] += a[i, k] * b[j, k]").replace(
                "range(c.shape[1])", f"range({end})"
            )
            x, y = mixed(d, (n, 8)), mixed(d, (n + 5, 8), 1)
            expr(text, x, y, mixed(d, (n, n + 5)), id=f"triangle-{d}-{n}-{end}")
for text in (
    nest("jik", "c[i, j] += a[i, k] * b[k, j]").replace(
        "range(c.shape[0])", "range(j, c.shape[0])"
    ),
    nest("ijk", "c[i, j] += a[i, k] * b[k, j]").replace("range(a.shape[1])", "range(min(i, 9))"),
    nest("ijk", "c[i, j] += a[i, k] * b[k, j]").replace(
        "range(c.shape[1])", "range(i, c.shape[1])"
    ),
    nest("ijk", "c[i, j] += a[i, k] * b[k, j]").replace("range(c.shape[1])", "range(2 * i)"),
    nest("ijk", "c[i, j] += a[i, k] * b[k, j]").replace(
        "range(c.shape[0])", "range(2, c.shape[0], 2)"
    ),
):
    expr(text, A, B, C)

# --- overlap and errors ---------------------------------------------------------------------

S = mixed("f8", (40, 40))
for text in (
    SUM,
    nest("ijk", "c[i, j] += a[i, k] * b[k, j]"),
    nest("kij", "c[i, j] = a[i, k] - b[k, j]"),
):
    expr(text, S, S, S, views=False)
    expr(text, S, mixed("f8", (40, 40), 3), S, views=False)
    expr(text, S[:, :20], S[20:], S[:, :], views=False, raises=...)
    expr(text, A, B[:-1], C, raises=IndexError)
    expr(text, A, B[:, :-1], C, raises=IndexError)
    expr(text, A[:-1], B, C, raises=IndexError)


# --- other nests ------------------------------------------------------------------------------


@case(mixed("f8", (3, 14, 9)), mixed("f8", (3, 9, 65), 1), mixed("f8", (3, 14, 65), 2))
def batched(a, b, c):
    for n in range(c.shape[0]):
        for i in range(c.shape[1]):
            for j in range(c.shape[2]):
                for k in range(a.shape[2]):
                    c[n, i, j] += a[n, i, k] * b[n, k, j]
    return c


@case(mixed("f8", (3, 14, 9)), mixed("f8", (3, 9, 65), 1), mixed("f8", (3, 14, 65), 2))
def batched_inside(a, b, c):
    for i in range(c.shape[1]):
        for j in range(c.shape[2]):
            for k in range(a.shape[2]):
                for n in range(c.shape[0]):
                    c[n, i, j] += a[n, i, k] * b[n, k, j]
    return c


@case(mixed("f8", (16, 70)), mixed("f8", (3, 5), 1), mixed("f8", (14, 66), 2))
@case(mixed("f4", (16, 70)), mixed("f4", (3, 5), 1), mixed("f4", (14, 66), 2))
@case(mixed("f8", (15, 70)), mixed("f8", (3, 5), 1), mixed("f8", (14, 66), 2), raises=IndexError)
def convolution(x, w, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0.0
            for p in range(w.shape[0]):
                for q in range(w.shape[1]):
                    s += x[i + p, j + q] * w[p, q]
            out[i, j] = s
    return out


@case(mixed("f8", (20, 9)), mixed("f8", (9, 80), 1), mixed("f8", (24, 90), 2))
def inside(a, b, c):
    for i in range(2, 18):
        for j in range(3, 78):
            for k in range(1, 9):
                c[i + 4, j + 10] += a[i, k] * b[k, j]
    return c


@case(mixed("f8", (300, 3)), mixed("f8", (300, 300)))
def distances(x, d):
    for i in range(40):
        for j in range(x.shape[0]):
            s = 0.0
            for k in range(3):
                t = x[i, k] - x[j, k]
                s += t * t
            d[i, j] = np.sqrt(s)
    return d


@case(*operands("f8", 20, 70, 600))
@case(*operands("f4", 20, 70, 900))
def long_sums(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


test_case = corpus.test()
