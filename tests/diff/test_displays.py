# SPDX-License-Identifier: BSD-3-Clause
"""Displays as arguments of NumPy's functions: tuples unpacked in them, unequal elements."""

import numpy as np
import pytest
from harness import Corpus, check, define

corpus = Corpus()
expr = corpus.expr

A = np.arange(6.0).reshape(2, 3)
T = (1, 2, 3)
STARRED = """\
np.zeros((2, *a.shape)) ; np.zeros((*a.shape, 2)) ; np.zeros((*a.shape,)) ; np.ones((1, *(2, 3), 4))
np.broadcast_to(a, (2, *a.shape)) ; a.reshape((1, *a.shape)) ; np.full((1, *a.shape), 2)
np.empty((1, *a.shape)).shape ; np.full((*b,), a[0, 1]) ; np.zeros((*(*b, 2), *()))
np.transpose(a, (*(1, 0),)) ; np.sum(a, (*(1, 0),)) ; np.moveaxis(a, (*(0, 1),), (*(1, 0),))
a.transpose(*(1, 0)) ; a.reshape(*(1, 6)) ; a.reshape(*a.shape, 1) ; np.expand_dims(a, (*(0, 1),))
np.array((1, *(2, 3))) ; np.array([1, *(2, 3)]) ; np.array([1, *a.shape]) ; np.array([*(), 1])
np.array([*a.shape, *a.shape]) ; np.array([*[1, 2], *[3]]) ; np.array([*b, a[0, 0]], dtype=np.int32)
np.array(((1, 2), *((3, 4), (5, 6)))) ; np.array([[1, *b], [1, 2, 3, 4]]) ; np.array([[*b], [*b]])
np.array([(1, 2, *b), (*b, 1, 2)]) ; np.array([*(b, b), (1, 2, 3)]) ; np.array([a, *(a,)])
np.array([[1, 2], [*(2, 3)]]) ; np.array([*[[1, 2], [3, 4]]]) ; np.array((*[b, b],))
np.array([*(1, 2.5), np.float32(3)]) ; np.array([*(a, a + 1)]) ; np.array([a[0], *(a[1], a[0])])
np.concatenate((a, *(a, a))) ; np.concatenate([a, *(a, a)]) ; np.stack((*(a, a),))
np.stack([a, *(a, a)], axis=-1) ; np.where((True, *(False, True)), 1, 2) ; np.max((1, *a.shape))
np.where((*(True, False),), (*(1, 2),), 3) ; np.dot((*b,), (*b,)) ; np.arange(*a.shape)"""
UNEQUAL = """\
np.array([a, a[:1]]) ; np.array([a, a[:, :1]]) ; np.array([a[0], a[0, :1]])
np.array((a, *(a[:1],)))
np.array([[a[0], a[1]], [a[0], a[1, :2]]]) ; np.max((a, a[:1]))"""

for text in STARRED.replace("\n", ";").split(";"):
    expr(text.strip(), A, T)
for text in UNEQUAL.replace("\n", ";").split(";"):
    expr(text.strip(), A, raises=ValueError)
expr("np.array([[1, *b], [1, 2]])", A, T, raises=ValueError)

expr("np.var([1, 2, 4])", A, T, ulp=1)  # of numbers that are known its sums are done by LLVM

# A Python number beside a NumPy number of another dtype counts as int64, float64 or complex128,
# as in np.array.
MIXED = """\
np.ravel(D) ; np.reshape(D, (1, 2)) ; np.transpose(D) ; np.atleast_1d(D) ; np.atleast_2d(D)
np.atleast_3d(D) ; np.broadcast_to(D, (2, 2)) ; np.squeeze(D, ()) ; np.expand_dims(D, 0)
np.swapaxes(D, 0, 0) ; np.moveaxis(D, 0, 0) ; np.real(D) ; np.diagonal([D, D])
np.ravel([D, D]) ; np.sum(D) ; np.min(D) ; np.max(D) ; np.argmin(D) ; np.argmax(D) ; np.prod(D)
np.mean(D) ; np.cumsum(D) ; np.dot(D, D) ; np.add(D, 1) ; np.sqrt(D) ; np.maximum(D, 2)
np.clip(D, 0, 2) ; np.round(D, 1) ; np.where([True, False], D, 1) ; np.isnan(D)
np.zeros_like(D) ; np.count_nonzero(D) ; np.equal(D, 300) ; np.asarray(D) ; np.add(D, D)"""
BESIDE = (("i1", "300"), ("f4", "1"), ("f4", "0.1"), ("c8", "0.1"))

for text in MIXED.replace("\n", ";").split(";"):
    for dtype, number in BESIDE:
        display = f"[a[0], {number}]" if number == "0.1" else f"(a[0], {number})"
        expr(text.strip().replace("D", display), np.array([3, 4], dtype))

# Beside an array, and for functions that are written in Python, a display is the array of it.
BESIDE_ARRAYS = """\
a[0] * [1, 2, 3] ; a[0] + (1, 2, 3) ; [1.5, 2, 3] - a[0] ; (1, 2, 3) + a ; a / [[1], [2]]
a @ [1, 2, 3] ; [1, 2] @ a ; a ** [2, 2, 2] ; a == [1, 2, 4] ; a != (1, 2, 4) ; a < [2, 2.5, 2]
(2, 2, 2) >= a ; a * [a[0, 1], 2, 3] ; a + [[1, 2, 3], [4, 5, 6]] ; a + [a[0], a[1]] ; a * (1,)
a * [5] ; a[0] + [1j, 2, 3] ; np.std((1, 2, 4.5)) ; np.std([1, 2, 4.5])
np.var([1, a[0, 1]], ddof=1) ; np.var(((1, 2), (3, 4.5)), axis=0)
np.var([[1, 2], [3, 4.5]], 0) ; np.isclose((1, 2), (1, 2.5)) ; np.isclose([1, 2], [1, 2.5])
np.isclose(a[0], [1, 2, 3.5]) ; np.allclose([1, 2.5], (1, 2.5)) ; np.sort((3, 1, 2.5))
np.sort([3, 1, 2.5]) ; np.outer([1, 2.5], (1, 2)) ; np.diff([1, 2.5, 7])
np.interp([1, 2.5], [1, 2, 3], [1, 2, 3.5]) ; np.ptp([1, 2.5]) ; np.median([1, 2.5])
np.unique([1, 2.5]) ; np.average([1, 2.5], weights=[1, 2])
np.searchsorted([1, 2.5], [1, 2, 3.5]) ; np.roll(a, (1, 2), axis=(0, 1))
np.roll(a, (1, 2), (1, 1)) ; np.roll(a, (1, 2)) ; np.roll(a, (1, 2), 1) ; a.clip(max=1)
a.clip(min=2) ; a.clip(min=1, max=2) ; np.clip(a, min=1, max=2)"""
for text in BESIDE_ARRAYS.replace("\n", ";").split(";"):
    expr(text.strip(), A)
expr("a * [1, 2]", A, raises=ValueError)
expr("a * [1, 300, b[0]]", np.array([[1, 2, 3]], "i1"), T)
CHANGED = """\
a *= [1, 2, 3] ; a += (1, 2, 3) ; a[0] *= [1, 2, 3] ; a[a > 2] += (1, 2, 3) ; b.real = 1
b.imag = -1 ; b.imag *= -1 ; b.real += [1, 2] ; b.imag = [1, 2.5] ; b.real = b.imag
b[1:].imag = 7 ; b.imag[0] = 7 ; a.real = 1 ; a.real *= 2 ; b.imag -= b.real
b.real, b.imag = a[0, :2], a[1, 1:]"""
for text in CHANGED.replace("\n", ";").split(";"):
    expr(f"{text.strip()}\nreturn a, b", A, np.array([1 + 2j, 3]))
expr("b.real = a\nreturn b", A, np.array([1 + 2j, 3]), raises=ValueError)

test_case = corpus.test()


@pytest.mark.parametrize("result", ["u[100]", "u[99:]", "(len(u), sum(u))", "(*u, x)[101]"])
def test_many_elements_unpacked(result):
    check(define(f"def f(x):\n    t = (x,) * 100\n    u = (*t, x + 5)\n    return {result}\n"), 1)
