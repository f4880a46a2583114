# SPDX-License-Identifier: BSD-3-Clause
"""What is said of shapes that don't fit is what NumPy says, with the output's if it has one."""

import numpy as np
import pytest
from harness import ORACLE, PLAIN, Corpus

import swathe

corpus = Corpus(modes=PLAIN, raises=...)

FORMS = """
a + b * c; (a + b) * c; np.add(a, b); np.add(a, b, out=c); np.add(a, b, c); np.sqrt(a, out=c)
np.where(a > 0, b, c); np.clip(a, b, c); np.clip(a, b, c, out=a); a.clip(0, 1, out=c)
np.fmin(a + b, c); a == b; np.hypot(a, b, out=c); np.broadcast_to(a, b.shape)
np.divmod(a, b, out=(c, c.copy())); np.round(a, 1, out=c); np.outer(a, b, out=c)
np.argmax(a, axis=0, out=np.zeros(b.shape, np.int64)); a.reshape(c.shape)
a += b~; a[:] += b~; a[:2] += b[:0]~; a[:2] = b~; a[:] = b + c~; a += b * c + 1~; a[1:] *= b[:-1]~
c[:] = np.where(a > 0, a, b)~; a **= b~; a //= b + 0.5~; np.add(a, b, out=a[:2]); a += b[None]~
a[None] += b~; a[-1:] += b~; x = a; x += b~; a.T[:] = b~; a[:] = b[None, None]~
"""
FORMS = [f.strip().replace("~", "\nreturn a") for f in FORMS.replace("\n", ";").split(";")]
FORMS = [f for f in FORMS if f and f != "x = a" and f != "x += b\nreturn a"]
SHAPES = (
    ((3,), (4,), (2,)),
    ((0,), (3,), (1,)),
    ((1,), (2,), (1,)),
    ((2, 3), (3, 2), (2, 1)),
    ((2, 1), (2, 3), (3,)),
    ((3,), (2, 3), (2, 2)),
    ((1, 3), (3,), (2, 1)),
    ((2, 3, 4), (2, 2, 4), (3, 4)),
    ((1, 1, 4), (3,), (2, 1)),
    ((2, 3, 4), (1, 3, 1), (5, 3, 4)),
)


def is_typed(form, shapes):
    """Whether these ranks are accepted: an `out` of some functions has the rank of the result."""
    ranks = [len(s) for s in shapes]
    if "np.clip" in form and "out" in form:
        return max(ranks) == ranks[0]
    return ranks[0] == ranks[2] or not ("clip" in form or "round" in form) or "out" not in form


for form in FORMS:
    for shapes in SHAPES:
        if is_typed(form, shapes):
            corpus.expr(form, *(np.ones(s) for s in shapes))
corpus.expr("x = a\nx += b\nreturn x", np.ones(3), np.ones(2))
corpus.expr("np.cumsum(a, out=b)", np.ones(3), np.zeros(1))
corpus.expr("np.cumprod(a, out=b)", np.ones(1), np.zeros(3))

# the output of a reduction takes no part in broadcasting
REDUCED = ("np.sum(a, axis=0, out=b)", "a.prod(axis=1, out=b)", "np.max(a, axis=0, out=b)")
REDUCED += ("np.mean(a, axis=1, out=b)", "np.any(a, axis=0, out=b)")
KEPT = ("np.sum(a, axis=0, keepdims=True, out=b)", "np.min(a, axis=1, keepdims=True, out=b)")
for shape in ((2, 1), (1, 1), (1, 3), (2, 3)):
    for n in (1, 3):
        for form in REDUCED:
            axis = "axis=1" in form
            if shape[not axis] in (1, n):
                corpus.expr(form, np.ones(shape), np.zeros(n))
    for out in ((1, 1), (1, 3), (2, 1)):
        for form in KEPT:
            axis = "axis=1" in form
            if out[axis] == 1 and shape[not axis] in (1, out[not axis]):
                corpus.expr(form, np.ones(shape), np.zeros(out))
for shape in ((2, 2), (1, 1), (3, 3)):
    corpus.expr("np.dot(a, b, out=c)", np.ones((2, 3)), np.ones((3, 2)), np.zeros(shape))
corpus.expr("np.dot(a, b, out=c)", np.ones((1, 3)), np.ones((3, 1)), np.zeros((3, 3)))
for form in ("np.var(a, axis=0, out=b)", "np.std(a, axis=1, out=b)", "np.ptp(a, axis=0, out=b)"):
    corpus.expr(form, np.ones((2, 2)), np.zeros((2, 2)))
    corpus.expr(form, np.ones((2, 2)), np.zeros(2))
for shape in ((2, 1), (2, 3), (2, 2), (3, 3)):
    corpus.expr("np.cumsum(a, axis=0, out=b)", np.ones((2, 1)), np.zeros(shape))
    if shape != (2, 1):  # said in other words
        corpus.expr("np.cumprod(a, axis=1, out=b)", np.ones((2, 3)), np.zeros(shape))

# nine sizes, which share the four numbers that an error carries
corpus.expr("np.clip(a, b, c)", np.ones((2, 3, 4)), np.ones((2, 3, 5)), np.ones((2, 3, 4)))

test_messages = corpus.test()


def add(a, b):
    return a + b


@pytest.mark.skipif(ORACLE, reason="calls swathe itself")
def test_a_size_without_room_is_a_question_mark():
    a = np.broadcast_to(np.ones(1), (2**32 - 2, 1, 3, 2))
    b = np.broadcast_to(np.ones(1), (2**32 + 1, 1, 1, 1))
    with pytest.raises(ValueError, match=r"shapes \(4294967294,1,3,2\) \(\?,1,1,1\) "):
        swathe.njit(add)(a, b)
    with pytest.raises(ValueError, match=r"shapes \(4294967294,1\) \(4294967297,1\) "):
        swathe.njit(add)(a[:, :, 0, 0], b[:, :, 0, 0])
