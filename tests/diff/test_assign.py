# SPDX-License-Identifier: BSD-3-Clause
"""Assignment through indices and slices: broadcasting, casts, overlap, read-only."""

import numpy as np
from harness import DTYPES, Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

V = sample("f8", 7)
W = sample("f8", 7, 3)
M = sample("f8", (4, 5))
S = sample("f8", (4, 4), 2)
B = np.arange(24.0)


def frozen(a):
    a = a.copy()
    a.flags.writeable = False
    return a


# --- what is assigned where -----------------------------------------------------------

for text in (
    "a[0] = 5",
    "a[-1] = b[0]",
    "a[:] = 5",
    "a[...] = 1.5",
    "a[:] = b",
    "a[1:4] = b[3:6]",
    "a[::2] = 3",
    "a[::-1] = b",
    "a[5:1:-2] = b[:2]",
    "a[1:4] = b[0]",
    "a[2:2] = 5",
    "a[:3] = (1, 2, 3)",
    "a[:] = b[::-1]",
    "a[:2] = b[:1]",
    "a[None, :] = b",
    "a[:, None] = 2",
    "a += b",
    "a -= 1",
    "a *= b[0]",
    "a /= b",
    "a //= 2",
    "a %= b",
    "a **= 2",
    "a[1:] += b[:-1]",
    "a[::2] *= 2",
    "a[:] -= b",
    "a[3] += b[2]",
    "a[1:3] /= b[1:3]",
):
    expr(text + "\nreturn a", V, W)
    expr(text, V[::-1], W)
for text in ("a[1:4] = b", "a[:] = b[1:]", "a += b[1:]", "a[1:] *= b", "a[:3] = (1, 2)"):
    expr(text, V, W, raises=ValueError)
expr("a[7] = 1", V, raises=IndexError)
expr("a[-8] += 1", V, raises=IndexError)
expr("a[0, 0] = 1", V, raises=IndexError)

for text in (
    "a[1, 2] = 5",
    "a[-1, -1] += 5",
    "a[1] = b",
    "a[1][2] = 7",
    "a[:, 1] = 3",
    "a[:] = b",
    "a[1:3, 1:3] = b[:2]",
    "a[::2, ::-1] = b",
    "a[:, 2:3] = a[:, :1]",
    "a[..., 0] = 4",
    "a[0, ...] = b",
    "a[1:3] += b",
    "a *= b",
    "a[:, 1] -= a[:, 2]",
    "a[:, :, None] = 3",
    "a[:, -1] = b[:4]",
    "a.T[...] = 9",
    "a.T[1] = b[:4]",
    "a[0], a[1] = b, b + 1",
    "a[1, :2], a[2, :2] = 5, b[:2]",
):
    for where, m in layouts("f8", (4, 5)).items():
        name = f"{text}-{where}"
        expr(text + "\nreturn a[0, 0]", m, sample("f8", 5, 1), id=name)
for text in ("a[:, 1] = b", "a[:] = b[:4]", "a[1:3, 1:3] = b", "a += b[:3]"):
    expr(text, M, sample("f8", 5, 1), raises=ValueError)
expr("a[:, :2] = b", M, np.arange(4.0)[:, None])
expr("a[:] = b", np.zeros(3), np.arange(3.0)[None])
expr("a[:] = b", np.zeros(3), np.ones((2, 3)), raises=ValueError)
expr("a += b", np.zeros(3), np.ones((1, 3)), raises=ValueError)
expr("a[:] = b", np.zeros(0), 5)
expr("a[:] = b", np.zeros((0, 3)), np.arange(3))
expr("a[()] = b", np.zeros(()), np.ones(()))
expr("a[...] = b", np.zeros(()), 3)

# --- casts on the way in --------------------------------------------------------------

for to in DTYPES:
    for value in (True, 3, 2.75):
        expr("a[1] = b\na[2:] = b\nreturn a", sample(to, 4), value)
    for other in ("i1", "u4", "f4", "f8", "?"):
        if other in ("f4", "f8") and np.dtype(to).kind == "u":
            continue
        expr("a[:3] = b[:3]\na[3] = b[3]\nreturn a", sample(to, 4), sample(other, 4))
expr("a[0] = b", np.zeros(2), 1j, raises=TypeError)
expr("a[0] = b", np.zeros(2, "i8"), 1j, raises=TypeError)
expr("a[0] = b", np.zeros(2, "u1"), 300, raises=OverflowError)
expr("a[0] = b", np.zeros(2, "u1"), -1, raises=OverflowError)
expr("a[:] = b", np.zeros(2, "i1"), 128, raises=OverflowError)
expr("a[0] = b", np.zeros(2, "u1"), np.int64(300))
expr("a[:] = b", np.zeros(2, "f4"), 1e300)
expr("a[:] = b", np.zeros(2, "f2"), np.float64(0.1))
expr("a[0] = b", np.zeros(2, "i8"), np.nan, raises=ValueError)
expr("a[0] = b", np.zeros(2), None, raises=..., id="none-becomes-nan")
for op in ("+=", "-=", "*=", "//=", "%="):
    expr(f"a {op} b", np.arange(1, 5), 2)
    expr(f"a {op} b", sample("i4", 5), np.arange(1, 6, dtype="i2"))
    expr(f"a {op} b", sample("f4", 5), 0.1)
    expr(f"a {op} b", sample("f4", 5), sample("f8", 5))
    expr(f"a {op} b", sample("i4", 5), 1.5, raises=TypeError)
    expr(f"a {op} b", sample("i4", 5), np.ones(5), raises=TypeError)
    expr(f"a[0] {op} b", sample("i4", 5), 1.5)
    expr(f"a[1:] {op} b", sample("i4", 5), 1.5, raises=TypeError)
expr("a /= b", np.arange(4), 2, raises=TypeError)
expr("a[0] /= b", np.arange(4), 2)
expr("a += b", sample("u1", 5), sample("i1", 5), raises=TypeError)
expr("a += b", sample("u1", 5), 300, raises=OverflowError)
expr("a &= b", sample("?", 5), sample("?", 5, 1))
expr("a |= b", sample("i2", 5), 8)
expr("a <<= b", sample("u2", 5), 3)
expr("a ^= a[::-1]", sample("i8", 6))

# --- both sides share memory ----------------------------------------------------------

for text in (
    "a[1:] = a[:-1]",
    "a[:-1] = a[1:]",
    "a[:] = a[::-1]",
    "a[::-1] = a",
    "a[2:] = a[:-2] + 1",
    "a[1:] += a[:-1]",
    "a[:-1] += a[1:]",
    "a[1:] *= a[:-1] + a[1:]",
    "a += a[::-1]",
    "a -= a",
    "a *= a[0]",
    "a[:] = a[2]",
    "a -= a[3]",
    "a[:4] = a[::2]",
    "a[1:-1] = (a[:-2] + a[2:]) / 2",
    "b = a[1:]\nb[:] = a[:-1]",
    "b = a[::-1]\na += b",
    "b = a[:4]\nc = a[3:]\nb += c\nc -= b",
    "a[:3], a[4:] = a[4:], a[:3]",
    "b = a[1:]\nb += b[0]",
    "np.add(a[1:], a[:-1], out=a[1:])",
    "np.multiply(a, a[::-1], out=a)",
    "a[1:] = np.sqrt(np.abs(a[:-1]))",
    "a[0], a[1] = a[1], a[0]",
    "a[1:] = np.cumsum(a[:-1])",
):
    expr(text, V)
    expr(text, B[:21:3])
    expr(text, B[6::-1])
for text in (
    "a[1:] = a[:-1]",
    "a[:, 1:] += a[:, :-1]",
    "a[:] = a.T",
    "a += a.T",
    "a[:] = a[::-1, ::-1]",
    "a[0] = a[:, 0]",
    "a[1:, 1:] = a[:-1, :-1]",
    "a.T[:] = a",
    "a -= a[0]",
    "a -= a[:, :1]",
    "a /= a[1, 1]",
    "a[:] = a[2]",
    "a[:2, :2], a[2:, 2:] = a[2:, 2:], a[:2, :2]",
    "a[::-1] = a",
    "a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4",
    "a[:] = a @ a",
    "b = a.reshape(16)\nb[1:] = b[:-1]",
    "a[0], a[1] = a[1], a[0]",
):
    for where, s in layouts("f8", (4, 4)).items():
        if "reshape" in text and where != "C":
            continue
        expr(text, s, id=f"{text}-{where}".replace("\n", ";"), ulp=4, scale=16.0)

for text in ("a[:] = b", "a += b", "a[1:] = b[:-1]", "a *= b[::-1]", "a[:] = a + b"):
    base = np.arange(12.0)
    expr(text, base[:8], base[4:], id=f"{text}-shifted-arguments")
    expr(text, base[:8], base[7::-1], id=f"{text}-reversed-arguments")
    expr(text, base[:8], base[:8], id=f"{text}-same-arguments")
    expr(text, base[::2], base[1::2], id=f"{text}-interleaved-arguments")


@case(B[:8], B[1:9])
@case(B[1:9], B[:8])
@case(B[:8], B[:8])
@case(B[:8], B[16:])
@case(B[7::-1], B[:8])
def loop_over_shared_memory(a, b):
    for i in range(len(a)):
        a[i] = b[i] * 2 + 1
    return a


@case(B[:8], B[1:9], B[2:10])
@case(B[:8], B[:8], B[1:9])
def two_results_share_memory(a, b, c):
    for i in range(len(a)):
        a[i] = c[i] + 1
        b[i] = c[i] + a[i]
    return b


@case(V)
def recurrence(a):
    for i in range(1, len(a)):
        a[i] = a[i - 1] * 0.5 + a[i]
    return a


@case(V)
def reads_what_it_wrote(a):
    for i in range(len(a)):
        a[len(a) - 1 - i] = a[i] + 1
    return a


@case(np.arange(8), np.array([1, 1, 3, 0]))
def scatter(a, index):
    for i in range(len(index)):
        a[index[i]] = a[index[i]] * 10 + i
    return a


@case(S)
def swap_rows(a):
    for i in range(a.shape[0] // 2):
        for j in range(a.shape[1]):
            a[i, j], a[-1 - i, j] = a[-1 - i, j], a[i, j]


# --- names of arrays change places ------------------------------------------------------


@case(np.arange(4.0), np.arange(4.0) * 10)
def change_places(a, b):
    a, b = b, a
    return a, b


@case(np.arange(4.0), np.arange(4.0) * 10, np.arange(4.0) * 100)
def go_round(a, b, c):
    for _ in range(4):
        (a, b), c = (b, c), a
    return a, b, c


@case(np.arange(9.0), np.zeros(9), 3)
@case(np.arange(9.0), np.zeros(9), 4)
def to_and_fro(a, b, n):
    for _ in range(n):
        for i in range(1, a.size - 1):
            b[i] = a[i - 1] + a[i + 1]
        a, b = b, a
    return a, b


@case(np.arange(4.0), np.arange(4.0) * 10)
def elements_of_what_it_was(a, b):
    s = 0.0
    for x in a:
        a = b
        s += x
    return s, a


# --- read-only arrays -----------------------------------------------------------------

for text in (
    "a[0] = 1",
    "a[:] = 1",
    "a += 1",
    "a[1:] *= 2",
    "a.fill(3)",
    "a[::-1][0] = 5",
    "np.sin(a, out=a)",
):
    expr(text, frozen(V), raises=ValueError)
expr("a.T[0] = 1", frozen(M), raises=ValueError)
expr("a[0] + a[1:].sum(), a * 2", frozen(np.arange(6)))
expr("b = a.copy()\nb[0] = 7\nreturn b", frozen(V))
expr("b = a + 0\nb[0] = 7\nreturn b", frozen(V))
expr("b[:] = a", frozen(V), np.zeros(7))

# --- lists of numbers on the right ------------------------------------------------------

for text in (
    "a[1:3] = [7, 8]",
    "a[:2] = [b[0], b[1] + 1.5]",
    "a[-2:] = [np.float32(1), True]",
    "a[0:2] = a[2:4] = [1, b[0]]",
    "a[0], a[1] = [b[1], 3]",
    "a[::3] = [b[0]]",
):
    for v in (V, V[::-1], V.astype("i4")):
        expr(text + "\nreturn a", v, W)
for text in ("a[:2] = [[1, 2, 3, 4, 5]]", "a[:2, :2] = [[1, 2], [3, b[0]]]", "a[:, 1] = [b[1]]"):
    expr(text + "\nreturn a", M, W)
expr("a[1:3] = [1, 2, 3]", V, raises=ValueError)
# a display with more axes than where it goes
DEEP = ("((5,),)", "[[b[0]]]", "((5, 6),)", "[[5, 6, 7]]")
for text in ("a[..., 0] = {}", "a[0, ...] = {}", "a[0:1] = {}", "a[None, 0] = {}", "a[()] = {}"):
    for display in DEEP:
        expr(text.format(display), V, W, raises=ValueError)
for display in DEEP:
    expr(f"a[0, ...] = {display}", M, W, raises=ValueError)
expr("a[..., 0] = (b[0],)", V, W, raises=ValueError)
expr("a[0, ...] = [5]", V, W, raises=ValueError)


@case(frozen(V), 0)
@case(frozen(V), 1, raises=ValueError)
@case(V, 1)
def writes_on_some_path(a, n):
    if n:
        a[0] = 5.0
    return a[1]


test_case = corpus.test()
