# SPDX-License-Identifier: BSD-3-Clause
"""Basic indexing: elements, slices, newaxis, ellipsis, bounds, views."""

import numpy as np
from harness import DTYPES, Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

V = sample("f8", 7)
M = sample("f8", (4, 5))
T = sample("f8", (2, 3, 4))
Z = np.array(2.5)

# --- elements and slices of one axis --------------------------------------------------

for text in (
    "a[0], a[3], a[-1], a[-7]",
    "a[2:5]",
    "a[:]",
    "a[:3]",
    "a[3:]",
    "a[-3:]",
    "a[:-3]",
    "a[::2]",
    "a[1::2]",
    "a[::-1]",
    "a[::-2]",
    "a[5:1:-1]",
    "a[5:1]",
    "a[1:100]",
    "a[-100:3]",
    "a[100:]",
    "a[:-100]",
    "a[-2:-5:-1]",
    "a[10::-1]",
    "a[...]",
    "a[..., 2:]",
    "a[None]",
    "a[:, None]",
    "a[np.newaxis, 1:3, None]",
    "a[..., None]",
    "a[2:3]",
    "a[1:6][1:4][::2]",
    "a[::-1][::-1]",
    "a[::2][-1], a[::-1][0]",
    "a[:0]",
    "a[1:][:-1] - a[:-1][1:]",
):
    expr(text, V)
    expr(text, V[::-1])
for text in (
    "a[7]",
    "a[-8]",
    "a[1:3][2]",
    "a[::3][3]",
    "a[:0][0]",
    "a[0, 0]",
    "a[..., 7]",
):
    expr(text, V, raises=IndexError)
expr("a[::0]", V, raises=ValueError)
expr("a[1.0]", V, raises=IndexError)
expr("a[b]", V, 2.0, raises=IndexError)

for i in (0, 6, -1, -7, np.int8(3), np.uint64(2), np.int32(-2)):
    expr("a[b]", V, i)
    expr("a[b:]", V, i)
    expr("a[:b]", V, i)
for i in (7, -8, 2**62, -(2**62), np.int8(127), np.uint64(2**62)):
    expr("a[b]", V, i, raises=IndexError)
for b, c, d in (
    (1, 5, 2),
    (5, 1, -2),
    (-1, -6, -1),
    (0, 100, 3),
    (100, -100, -1),
    (-100, 100, 1),
    (3, 3, 1),
    (0, 2**62, 2**62),
    (6, -(2**62), -(2**62)),
):
    expr("a[b:c:d]", V, b, c, d)
    expr("a[b:c:d].shape[0], len(a[b:c:d])", V, b, c, d)
expr("a[::b]", V, 0, raises=ValueError)
expr("a[b:c]", V, np.int16(1), np.uint8(4))
expr("a[a.shape[0] - 1], a[len(a) // 2]", V)

# --- several axes ---------------------------------------------------------------------

for text in (
    "a[1, 2], a[-1, -1], a[0][3], a[-2][-3]",
    "a[1]",
    "a[-1]",
    "a[:, 2]",
    "a[1, :]",
    "a[1:3, 2:4]",
    "a[1:3][1]",
    "a[::-1, ::-1]",
    "a[::2, 1::2]",
    "a[..., 1]",
    "a[1, ...]",
    "a[...]",
    "a[:, :]",
    "a[:, None, :]",
    "a[None]",
    "a[None, ..., None]",
    "a[1:2, 3]",
    "a[1, 2:2]",
    "a[3:1, 1:]",
    "a[:, -1:]",
    "a[(1, 2)]",
    "a[1, None, 2]",
    "a[1, 2, ...]",
    "a[1:, 1:][1, 1]",
    "a[::-1][0][::-1][0]",
    "a[:, 1] @ a[:, 2]",
    "i = (2, 3)\nreturn a[i]",
):
    for where, m in layouts("f8", (4, 5)).items():
        expr(text, m, id=f"{text}-{where}".replace("\n", ";"), ulp=4, scale=8.0)
for text in (
    "a[4, 0]",
    "a[0, 5]",
    "a[-5, 0]",
    "a[0, -6]",
    "a[4]",
    "a[1, 2, 3]",
    "a[:, 5]",
):
    expr(text, M, raises=IndexError)
expr("a[..., ...]", M, raises=IndexError)
for text in (
    "a[1, 2, 3]",
    "a[1]",
    "a[:, 1]",
    "a[:, :, 1]",
    "a[..., 1]",
    "a[1, ..., 2]",
    "a[1, :, 2]",
    "a[0, 1]",
    "a[::-1, 1:, ::2]",
    "a[:, None, 1]",
    "a[1:, 0, None, ::-2]",
    "a[1][2][3], a[1][2, 3], a[1, 2][3]",
    "a[..., None, 0]",
    "a[:, -1, -1]",
):
    for where, t in layouts("f8", (2, 3, 4)).items():
        expr(text, t, id=f"{text}-{where}")
expr("a[1, 3, 0]", T, raises=IndexError)

# --- 0-d, empty, every dtype ----------------------------------------------------------

for text in (
    "a[()]",
    "a[...]",
    "a[None]",
    "a[..., None]",
    "a + 1",
    "a[()] + 1",
    "a.shape",
):
    expr(text, Z)
expr("a[0]", Z, raises=IndexError)
expr("a[:]", Z, raises=IndexError)
expr("len(a)", Z, raises=TypeError)
expr("a[()] = b", Z, 7)
expr("a[...] = b\nreturn a", Z, 7)
expr("a[:], a[::-1], a[:, 1:], a.shape", np.zeros((0, 3)))
expr("a[0]", np.zeros((0, 3)), raises=IndexError)
expr("a[:, 0]", np.zeros((0, 3)))
expr("a[0]", np.zeros((3, 0)))
for dtype in DTYPES:
    v = sample(dtype, 7, edges=True)
    expr("a[0], a[-1], a[::2], a[::-1][2]", v)
    expr("a[2:5], a[3]", v[::-2])
    expr("a[0, 1], a[:, 1], a[-1]", sample(dtype, (3, 4)).T)

# --- views ----------------------------------------------------------------------------


@case(V)
def writes_through_slice(a):
    b = a[1:5]
    b[0] = 100.0
    c = b[::-1]
    c[0] = 200.0
    return b


@case(M)
@case(np.asfortranarray(M))
@case(M[::-1, ::-1])
def writes_through_row(a):
    row = a[1]
    row[2] = 50.0
    col = a[:, 3]
    col[-1] = 60.0
    return row, col


@case(M)
def writes_through_transpose(a):
    t = a.T
    t[4, 0] = 70.0
    t[0][1] = 80.0
    return t


@case(V)
def copy_is_no_view(a):
    b = a.copy()
    b[0] = 1.0
    c = a[:].copy()
    c[1] = 2.0
    return b, c, a


@case(V)
def returns_argument(a):
    return a


@case(V, V)
def returns_both(a, b):
    return a, b[1:], a[0]


@case(Z)
def view_of_nought_d(a):
    b = a[...]
    b[()] = 9.0
    return a[()]


@case(V, 2)
def view_rebound_in_loop(a, n):
    while len(a) > n:
        a = a[1:]
        a[0] += 1.0
    return a


@case(M)
def walks_diagonal_by_views(a):
    s = 0.0
    while a.shape[0] > 0 and a.shape[1] > 0:
        s += a[0, 0]
        a = a[1:, 1:]
    return s


@case(np.arange(10.0), 3)
def window_sums(a, k):
    n = len(a) - k + 1
    out = np.zeros(n)
    for i in range(n):
        w = a[i : i + k]
        for v in w:
            out[i] += v
    return out


@case(M)
def row_by_row(a):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(len(row)):
            out[i] += row[j] * row[-1 - j]
    return out


@case(np.arange(5))
def negative_index_variable(a):
    s = 0
    for i in range(-5, 5):
        s = s * 3 + a[i]
    return s


@case(np.arange(5), 5, raises=IndexError)
@case(np.arange(5), 4)
def one_past_the_end(a, n):
    s = 0
    for i in range(n + 1):
        s += a[i]
    return s


@case(np.arange(5), raises=IndexError)
def below_the_start(a):
    s = 0
    for i in range(0, -7, -1):
        s += a[i]
    return s


@case(V, np.array([2, 0, -1, 6]))
@case(V, np.array([2, 7]), raises=IndexError)
@case(V, np.array([2, 0], np.uint8))
def gather(a, index):
    out = np.zeros(len(index))
    for i in range(len(index)):
        out[i] = a[index[i]]
    return out


@case(M, 3, 4)
@case(M, 4, 4, raises=IndexError)
@case(M, 3, 5, raises=IndexError)
def fill_part(a, n, m):
    for i in range(n + 1):
        for j in range(m + 1):
            a[i, j] = i * 10 + j
    return a[n, m]


@case(V, 3)
@case(V, 7)
@case(V, 8, raises=IndexError)
def triangle(a, n):
    s = 0.0
    for i in range(n):
        for j in range(i, n):
            s += a[j] * a[i]
    return s


@case(V, 1)
@case(V, 2, raises=IndexError)
def stencil(a, reach):
    out = np.zeros(len(a))
    for i in range(1, len(a) - 1):
        out[i] = a[i - 1] + a[i + reach]
    return out


@case(np.arange(4.0).reshape(2, 2))
def index_by_bool(a):
    i = a[0, 0] < a[1, 1]
    return a[int(i), 0]


test_case = corpus.test()
