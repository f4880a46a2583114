# SPDX-License-Identifier: BSD-3-Clause
"""Expressions as out=: new memory that the call writes to, with the shape of the output."""

import numpy as np
from harness import PLAIN, Corpus

corpus = Corpus()
case, expr = corpus, corpus.expr

c = np.arange(12.0).reshape(2, 6) - 3
for b in (np.arange(6.0), np.arange(1.0)):
    for text in (
        "np.add(a, a, out=np.abs(b))",
        "np.add(a, a, np.abs(b))",
        "np.add(2.0, 3.0, out=b + 1)",
        "np.add(1.0, a, out=(b + 1,))",
        "np.add(a, a, out=b * 0 + a)",
        "np.add(a, a, out=np.where(b > 0, b, 1))",
        "np.add(a, a, out=b.astype(np.float32))",
        "np.add(a, a, out=np.add(b, b, out=b + 1))",
        "np.negative(a, -b)",
        "np.divmod(a, 2.0, b + 1, b + 2)",
        "np.divmod(a, 2.0, out=(b + 1, b + 2))",
        "np.divmod(a, 2.0, out=(b + 1, None))",
        "np.divmod(a[0], 2.0, out=(None, b + 1))",
        "np.modf(a, b + 1)",
    ):
        expr(text, b, c, modes=PLAIN)
for text in (
    "np.sum(b, axis=0, out=a + 1)",
    "b.sum(axis=0, out=a * 2)",
    "np.cumsum(b, axis=1, out=-b)",
    "b.max(axis=1, out=b[:, 0] + 0)",
    "np.mean(b, axis=1, out=b[:, 0] + 1)",
    "np.dot(b, b.T, out=np.zeros((2, 2)) + 1)",
    "np.clip(a, 0, 2, out=a + 1)",
    "np.add(b, b, out=a + 1)",
):
    expr(text, np.arange(6.0), c, modes=PLAIN, raises=...)
shapes = ((2, 3), (3, 2), (1, 6), (2, 4), (0, 4), (4, 0), (2, 3))
for kind, to in (("i8", "i8"), ("u1", "f4"), ("f8", "f8"), ("c16", "c16"), ("c8", "c16")):
    for left in shapes[::2]:
        for right in shapes:
            for text in ("np.round(a, out=b)", "a.round(1, b)", "np.around(a, decimals=-1, out=b)"):
                if "-1" not in text or to != "i8":  # refused, whatever the shapes
                    expr(text, np.ones(left, kind), np.ones(right, to), modes=PLAIN, raises=...)
for kind, dtype in (("c8", "np.float32"), ("c16", "np.float64"), ("c8", "np.float64")):
    for to in ("f4", "f8"):
        z = np.array([3 + 4j, 1 - 2j], kind)
        expr(f"np.absolute(a, dtype={dtype}, out=b)", z, np.ones(2, to), modes=PLAIN, ulp=2)
    expr(f"np.abs(a, dtype={dtype})", z[0], modes=PLAIN, ulp=2)
for kind in ("u1", "i1", "i8", "u8", "f4"):
    for low, high in ((0.5, 300), (-128, 127), (0, 255), (-(2**63), 2**63 - 1), (0, 1.5), (-1, 2)):
        text = f"np.clip(a, {low}, {high}), a.clip({low}, {high})"
        expr(text, np.arange(6).astype(kind), modes=PLAIN, raises=...)
        text = f"np.clip(a, {low}, {high}, out=b)"
        expr(text, np.ones((0, 4), kind), np.ones((0, 6)), modes=PLAIN, raises=...)
for text in ("-a", "np.abs(a)", "np.where(a > 0, a, 0)", "a.astype(np.float32)", "(1j * a).real"):
    for a in (np.arange(4.0), np.ones((2, 3)), np.zeros(0)):
        expr(f"(({text}).fill(3), a)", a, modes=PLAIN)

test_case = corpus.test()
