# SPDX-License-Identifier: BSD-3-Clause
"""What compares numbers, on complex with NaN in either part, infinities and both zeros; clip on
zeros; how complex numbers are made."""

import numpy as np
from harness import PLAIN, Corpus

corpus = Corpus(modes=PLAIN)
expr = corpus.expr

PARTS = (0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"))
ALL = [complex(x, y) for x in PARTS for y in PARTS]
NAN, INF = PARTS[3], PARTS[4]
CONSTANTS = [0j, complex(-0.0, -0.0), 1.0, complex(1, NAN), complex(NAN, 1), complex(INF, 0)]


def grid(dtype, values, n):
    """All tuples of n values, as n vectors."""
    return [x.ravel().copy() for x in np.meshgrid(*[np.array(values, dtype)] * n)]


def text(z):
    """A complex number as source."""
    z = complex(z)
    real, imag = (f"float('{x}')" for x in (z.real, z.imag))
    return f"complex({real}, {imag})"


TWO = ("np.minimum(a, b)", "np.maximum(a, b)", "np.fmin(a, b)", "np.fmax(a, b)")
TWO += ("np.clip(a, b, None)", "np.clip(a, None, b)", "np.clip(b, a, b)", "np.clip(a[3], b, a)")
ORDER = "a.max(), a.min(), a.argmax(), a.argmin(), np.ptp(a)"
AXIS = "a.max(axis=0), a.min(axis=1), a.argmax(axis=1), a.argmin(axis=0)"
FOUND = "np.searchsorted(a, b), np.searchsorted(a, b, side='right')"

rng = np.random.default_rng(1)
for dtype in ("F", "D"):
    for program in TWO:
        expr(program, *grid(dtype, ALL, 2))
        for z in CONSTANTS:
            expr(program.replace("[3]", "").replace("b", text(z)), np.array(ALL, dtype))
    a, b, c = grid(dtype, ALL, 3)
    expr("np.clip(a, b, c)", a, b, c)
    expr("a.clip(b, c, out=a), a", a, b, c)
    for z in CONSTANTS:
        z = np.dtype(dtype).type(z)
        expr("np.clip(a, b, c)", a, z, b[17])
        expr("np.clip(a, b, c)", a, b[17], z)
        expr("np.clip(a, b, c)", z, b[600], z)
    for n in (1, 2, 4, 8, 40):
        for _ in range(4):
            v = rng.choice(ALL, n).astype(dtype)
            expr(ORDER, v)
            expr(FOUND, np.sort(v), np.array(ALL, dtype))
            if n > 1:
                expr(AXIS, v.reshape(2, -1))

# constants alone, which the compiler computes
for i, x in enumerate(CONSTANTS):
    for y in CONSTANTS:
        z = CONSTANTS[i - 1]
        parts = ", ".join(map(text, (x, y, z)))
        expr(f"np.clip({parts}), np.minimum({text(x)}, {text(y)}), np.fmax({text(x)}, {text(y)})")
expr("np.clip(0, 0, complex(1, float('nan')))")

# a bound for all elements leaves the zero that it equals; one for each takes its place
for dtype in ("f", "d"):
    a, b, c = grid(dtype, PARTS, 3)
    expr("np.clip(a, b, c)", a, b, c)
    for x in PARTS:
        for y in PARTS:
            expr("np.clip(a, b, c)", np.array(PARTS, dtype), x, y)

# a Python number that is clipped becomes an array first, so that its dtype counts
for b in (np.array([1, 2], "b"), np.array([0.5, 3.5], "f"), np.array([1, 2j], "F")):
    for x in (7, 2.5, 1 + 2j):
        if x.imag == 0 or b.dtype.kind == "c":
            expr("np.clip(a, b, 1), np.clip(a, b, None)", x, b)
            expr(f"np.clip({x}, a, 1), np.clip({x}, a[0], a)", b)

# complex() of two: each part and its zero's sign as given
STRONG = (np.complex128(complex(1, -0.0)), np.complex64(2 + 3j))
for x in (1.0, -0.0, INF, complex(INF, -0.0), *STRONG):
    for y in (-0.0, 2, complex(-INF, -0.0), complex(-0.0, 0.0)):
        expr("complex(a, b)", x, y)
        if type(x) is not np.complex64:  # with a warning, Python leaves out its imaginary part
            expr("complex(b, a)", x, y)
        if not isinstance(x, np.generic):
            here, there = (text(z) if isinstance(z, complex) else f"float('{z}')" for z in (x, y))
            expr(f"complex({here}, {there}), complex({there}, {here})")

test_order = corpus.test()
