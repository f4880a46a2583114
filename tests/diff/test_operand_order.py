# SPDX-License-Identifier: BSD-3-Clause
"""Operands are evaluated as they are written, and what one has read is not changed by a later one:
calls that change arrays, lists and dicts (CHANGED), names that `:=` binds anew (REBOUND)."""

import re

import numpy as np
import pytest
from harness import check, define

OPTIONS = {"modes": ("plain",), "views": False}

HEAD = """
from typing import NamedTuple

class P(NamedTuple):
    x: float
    y: float

def bump(a):
    a[0] += 100
    return a[0] % 7

def change(d):
    d[1] += 100
    return d[1] % 7

def g3(a, b, c): return a * 100 + b * 10 + c

def gd(a, b=2, c=3): return a * 100 + b * 10 + c

def gv(*v): return v[0] * 100 + v[1] * 10 + v[-1]

def gk(a, *, k): return a * 10 + k

def g5(a, b, c, d, e): return a * 10000 + b * 1000 + c * 100 + d * 10 + e

def first(a, b): return a[0] * 10 + b[0]

def gin(a, b):
    return a * 10 - b
"""
# R reads what M changes
PLACES = {"bump(a)": "a[0]", "bump(b[0])": "b[0, 0]", "x.pop()": "x[-1]", "change(d)": "d[1]"}
CHANGED = """\
R + M ; M + R ; R * M + R ; R < M < R ; R == M ; (R, M, R) ; [int(R), int(M), int(R)]
np.array([R, M, R]) ; np.array([[R, M], [M, R]]) ; max(R, M, R) ; min(M, R) ; R if M > 0 else 0
M if R > 0 else 0 ; g3(R, M, R) ; g3(c=R, a=M, b=R) ; g3(b=M, a=R, c=M) ; g3(R, c=M, b=R)
g3(*(R, M), R) ; g3(*(R, R), M) ; sum([M for k in range(2)], R)
g3(R, *(M, R)) ; g3(a=R, *(M, R)[:0], b=M, c=R) ; gd(M, c=R) ; gd(R, c=M, b=R)
gv(R, M, R) ; gv(*(R, M, R), M) ; gk(R, k=M) ; gk(k=M, a=R) ; P(R, M) ; P(y=M, x=R)
P(y=R, x=M) ; P(R, M).x + R ; divmod(int(R), int(M) + 1) ; pow(R, M) ; R ** M ; R // (M + 1)
complex(R, M) ; round(R * 1.25, int(M) % 3) ; math.hypot(R, M) ; math.atan2(M, R) ; abs(R) + M
-R + M ; R and M ; M and R ; R or M ; not R or M ; a[int(R) % 3] + M
a[int(R) % 2:int(M) % 5 + 1] ; a[int(M) % 2:int(R) % 5 + 1] ; a[0:int(R) % 6:int(M) % 3 + 1]
b[int(R) % 2, int(M) % 3] ; b[int(R) % 2:, int(M) % 3] ; b[int(M) % 2, int(R) % 3]
b[int(R) % 2][int(M) % 3] ; x[int(R) % 2:int(M) % 3 + 1] ; x[int(R) % 2] + M
[1, 2, 3][int(R) % 3] + M ; np.full(int(R) % 5, M) ; np.full(fill_value=M, shape=int(R) % 5)
np.full(fill_value=R, shape=int(M) % 5) ; np.arange(R, M + 9)
np.arange(int(R) % 3, int(M) % 9 + 3, int(R) % 2 + 1) ; np.zeros((int(R) % 3, int(M) % 4)).shape
np.zeros(int(R) % 3 + int(M) % 2) ; np.clip(c, R, M + 100) ; np.clip(c, a_max=M + 5, a_min=R)
np.add(R, M) ; np.add(c, R) + M ; np.where(c > R, c, M) ; np.where(c > M, R, c)
np.maximum(R, M) ; np.array([c[0], M, c[1]]) ; c * R + M ; a + M ; a * M + a ; M + a
a.sum() + M + a.sum() ; (a + a).sum() + M ; a[1:] - a[:-1] + M ; a @ a + M ; np.dot(a, a) + M
a.max() + M ; a.mean() * M ; np.array([a, a + M]) ; np.stack((a, a + M))
np.stack((a + 0, a + M)) ; np.concatenate((a, a + M)) ; np.concatenate((a[:2], a[1:] * M, a))
np.outer(a, a * M) ; np.where(a > 1, a, M) ; np.roll(a, int(M) % 3) ; np.linspace(R, M + 3, 4)
np.power(a, M % 3) ; a ** (M % 3) ; a.reshape((int(R) % 2 + 1, -1)) * M ; (a > 1).sum() + M
(a[::-1], M) ; (a.copy(), M) ; (a + 1, M) ; (a * 1, M, a * 1) ; (b.T, M) ; b[0] + M
b[0] * b[1] + M ; (b[0] + 0, M) ; b.sum(0) + M ; (b.sum(axis=0), M) ; sum(x) + M ; len(x) + M
(len(x), M, len(x)) ; x + [int(M)] ; [int(M)] + x ; x * (int(M) % 2 + 1) ; x[:] + [int(M)]
(x[1:], M) ; x == [int(M)] ; int(M) in x ; (int(R) in x, M) ; x.index(x[0]) + M
x.count(int(R)) + M ; sorted(x)[0] + M ; (sorted(x), M) ; list(x)[0] + M ; (list(x), M, list(x))
max(x) + M ; (max(x), M, max(x)) ; [v + int(M) for v in x[:2]] ; [v + int(M) for v in a[:2]]
[(v, int(M)) for v in range(int(R) % 3)] ; sum([v * M for v in a[:2]]) ; sum(v * M for v in a)
[int(R) + v for v in range(int(M) % 4)] ; [i for i in range(int(R) % 3, int(M) % 5 + 2)]
[i * j for i, j in zip(x, [int(M), 2, 3])] ; {int(R): M, 5: R} ; {int(M): R, 7: M}
(d[1], M, d[1]) ; d[1] + M ; len(d) + M
(list(d.values()), M) ; sum(d.values()) + M ; t[int(R) % 2] + M ; (t + (M,)) ; (t[0] + R, M)
p.x + R + M ; (p, R, M) ; R if R > M else M ; (R > M, R, M) ; (R, (R, M), R) ; ((R, M), (M, R))
(lambda u, v: u - v)(R, M) ; (lambda u, v: u - v)(v=R, u=M) ; gin(R, M) ; gin(b=R, a=M)
int(R) & int(M) ; int(R) << (int(M) % 5) ; int(R) == int(M) == int(R) ; np.float32(R) + M
np.int64(R) * np.int64(M) ; a[0] + b[0, 0] + x[0] + d[1] + M ; M + a[0] + b[0, 0] + x[0] + d[1]
np.array([a[0], b[0, 0], x[0], M]) ; (a[0], b[0, 0], x[0], d[1], M)
g3(a[0], x[0] + b[0, 0], M) ; g3(M, a[0], x[0]) ; np.interp(R, a, c * 0 + M) ; a.item(0) + M
a.dot(c * M) ; np.vdot(a, a + M) ; a.astype(np.int64)[0] + M ; (a.astype(np.float64), M)
(np.asarray(a), M) ; (a.ravel(), M) ; (a.flatten(), M) ; a.T[0] + M ; np.sqrt(a[0]) + M
(np.sqrt(a), M) ; (-a, M) ; (a == a + M).sum() ; (a if R > 0 else c) + M"""
STATEMENTS = """\
a[int(R) % 3] = M ; a[int(M) % 3] = R ; a[int(R) % 2:int(M) % 5 + 1] = R ; a[0:2] = M
a[:] = a + M ; a[:] = a[::-1] + M ; a[1:] += a[:-1] * M ; a += M ; a *= a + M ; a[0] += M
a[1] += R * M ; x[0] += int(M) ; x[int(R) % 2] += int(M) ; x[0] = int(M)
x[int(M) % 2] = int(R) ; x.append(int(R) + int(M)) ; x.insert(int(R) % 2, int(M))
x.extend([int(R), int(M)]) ; x += [int(R), int(M)] ; x[1:2] = [int(R), int(M)] ; d[1] += M
d[int(R)] = M * 1.0 ; d[int(M)] = R * 1.0 ; a[1], a[2] = R, M ; a[1], a[int(R) % 3] = M, R
b[int(R) % 2, int(M) % 3] = R ; b[0] += a[:4] * M ; b[:, 1] = M ; b[0, 0] += M ; b[1] = b[0] + M
b[int(M) % 2] = b[int(R) % 2] + R ; c[:] = np.where(c > R, M, R) ; np.add(a, M, out=a)
a.fill(M) ; a[1] = a[2] = R + M"""
REBOUND = """\
a[n:(n := n + 2)] ; a[n:(n := n + 3):(n := 2)] ; a[(n := 1):n + 4] ; t[1:][(n := 1)] + n
b[n, (n := n + 1)] ; b[n:, (n := n + 1)] ; b[n:(n := n + 1), n] ; x[n:(n := n + 2)]
x[n:(n := n + 2)] + [n] ; x + (x := [7]) ; x[:] + (x := [7]) + x ; [n, (n := 5), n]
[x[0], (x := [9])[0], x[0]] ; (*t, (t := (5, 6, 7))[0], *t) ; (*t, *(t := (5, 6, 7)), *t)
(t, (t := (5, 6, 7)), t) ; t + (t := (5, 6, 7)) ; t * (n := 2) + (n,) ; t[n] + t[(n := 0)]
g3(*t) + (t := (5, 6, 7))[0] + g3(*t) ; g5(*t, (t := (5, 6, 7))[1], t[2]) ; g3(n, (n := 9), n)
g3(a=n, b=(n := 9), c=n) ; g3(c=n, a=(n := 9), b=n) ; first(t, (t := (5, 6, 7)))
first(x, (x := [5, 6, 7])) ; first(a, (a := a[2:])) ; max(n, (n := 0), n)
max(*t, (t := (0, 0, 0))[0]) ; max(t) + (t := (0, 0, 0))[0] + max(t)
min(x) + (x := [5])[0] + min(x) ; n + (n := 3) * n ; n < (n := 3) <= n
n == (n := n + 1) - 1 < n ; (n > 0) and (n := 0) or n ; n if (n := n - 1) else n + 10
a + (a := a[::-1].copy()) ; a * 2 + (a := a + 1) + a ; a[1:] + (a := a * 2)[:-1]
np.add(a, (a := a[::-1].copy())) ; np.where(a > 2, a, (a := a * 0))
a.sum() + (a := a[1:]).sum() ; np.array([n, (n := 7), n])
np.array([*t, (t := (5, 6, 7))[0], *t]) ; np.array((t, (t := (5, 6, 7))))
np.array([a[0], (a := a + 1)[0]]) ; np.stack((a, (a := a + 1)))
np.concatenate((a, (a := a + 1), a)) ; np.full(n, (n := 5)) ; np.arange(n, (n := 7), n)
np.zeros((n, (n := 3))).shape ; sum(range(n, (n := 7)))
{n: (n := 7), n + 1: n}
d[n] + (d := {1: 5.0})[1] ; d.get(n, (n := 4) * 1.0) + n ; -n + (n := 3) ; n ** (n := 3)
n // (n := 3) + n % (n := 4) ; round(n * 1.25, (n := 1)) ; divmod(n, (n := 3))
n in (1, (n := 3)), n in t ; n in x, (n := 77) in x ; n in (x := [1, 2]) ; x[n] + x[(n := 0)]
b[n][(n := 0)] + b[n] ; a[n] + a[(n := 0)] * a[n] ; b[n] + b[(n := 0)]
b[n][:] * (b := b * 2)[n]
np.dot(a, (a := a + 1)) ; math.hypot(n, (n := 3)) ; math.atan2(n, (n := 3)) + n
complex(n, (n := 3)) + n ; g3(n, g3((n := 4), n, (n := 5)), n) ; min(n, max((n := 9), n), n)
np.interp(n * 1.0, a, (a := a * 2)) ; np.clip(a, n, (n := 4)) ; np.roll(a, n) + (n := 4)
np.outer(a, (a := a[:2])) ; a.dot((a := a + 1)) ; x.index(n) + (n := 1)
x.count((x := [1, 1])[0]) + len(x) ; x == (x := [1]), x < (x := [2])
t == (t := (5, 6, 7)), t < (t := (5, 6, 8)) ; (a == (a := a[::-1].copy())).sum()
(n, (n := 3) is None, n) ; p.x + (p := P(5.0, 6.0)).x + p.x ; (p, (p := P(5.0, 6.0)), p)
p + (p := P(5.0, 6.0)) ; P(n, (n := 3) * 1.0) ; P(y=n * 1.0, x=(n := 3))
b[n:(n := n + 1), (n := 0):n + 2] ; a[-n:(n := -1)]"""
# a statement, or several; names are bound anew
REBOUND_BY_STATEMENTS = [
    "a[n:(n := n + 2)] = n",
    "a[n] = (n := 3)",
    "b[n, (n := 0)] = n",
    "a[n] += (n := 3)",
    "x[n] += (n := 0)",
    "x[n] = (n := 0)",
    "x[n:(n := n + 1)] = [n, n]",
    "n, m = (n := 5), n\nx[0] = m",
    "a[0], a[1] = a[1], a[0]",
    "n, x[n] = 0, 9",
    "(n, *r) = t[0], n, (n := 3), n\nx[1] = r[0]",
    "a, c = a[::-1], a\na = a + c",
    "n = x[n] = 2",
    "n += (n := 3) * n",
    "t += (t := (5, 6, 7))",
    "x += (x := [5, 6])",
    "a += (a := a + 1)",
    "a = a[::-1]\na += (a := a + 1)",
    "b = b.T\nb *= (b := b.copy())",
    "b += (b := b.T)",
    "d[n] += (n := 3)",
    "d[n] = (n := 3) * 1.0",
    "for i in range(n, (n := 4)):\n    n += i",
    "for i in x:\n    n += i\n    x = [100]",
    "for i in a:\n    a = a * 2\n    n += int(i + a[0])",
    "for i, j in zip(t, (t := (5, 6, 7))):\n    n += i * j + t[0]",
    "while (n := n + 1) < 5 and (n := n * 2) < 9:\n    x.append(n)",
    "x.append((x := [n])[0])",
    "x.extend((x := [n]))",
    "x.insert(n, (n := 77))",
    "del x[n:(n := n + 1)]",
    "a = b.T\n(a := a.copy())[1, 0] *= 2",  # of another layout than before
]


def args():
    a = np.arange(1.0, 7.0)
    b = np.arange(2.0, 18.0).reshape(4, 4)
    return 1, (1, 2, 3), a, b, np.arange(6.0), (3.0, 4.0)


def program(lines, result):
    body = "\n    ".join(lines)
    return define(
        f"{HEAD}\ndef f(n, t, a, b, c, q):\n    x = [1, 2, 3, 4]\n"
        f"    d = {{1: 2.0, 2: 3.0}}\n    p = P(q[0], q[1])\n    {body}\n"
        f"    return {result}n, t, a, b, c, x, d, p.x\n",
        "f",
    )


def changed():
    """Each form with two of the places, in turn."""
    names = list(PLACES)
    for kind, forms in ("value", CHANGED), ("statement", STATEMENTS):
        for i, form in enumerate(re.split(r" ; |\n", forms)):
            for change in names[i % 2 :: 2]:
                text = re.sub(r"\bM\b", change, re.sub(r"\bR\b", PLACES[change], form))
                yield kind, text


@pytest.mark.parametrize(("kind", "text"), list(changed()))
def test_what_a_call_changes(kind, text):
    line = f"r = {text}" if kind == "value" else text
    check(program([line], "r, " if kind == "value" else ""), *args(), **OPTIONS)


@pytest.mark.parametrize("text", re.split(r" ; |\n", REBOUND))
def test_what_a_name_is_bound_to(text):
    check(program([f"r = {text}"], "r, "), *args(), **OPTIONS)
    check(program(["for k in range(2):", f"    r = {text}"], "r, "), *args(), **OPTIONS)


@pytest.mark.parametrize("text", REBOUND_BY_STATEMENTS)
def test_what_a_statement_binds(text):
    check(program(text.split("\n"), ""), *args(), **OPTIONS)
