# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy makes arrays of, and what it takes in their place: ranges as arguments, operands and
indices; any index of ufunc.at; np.atleast_1d of several; np.fromiter with a count; and tests of types
that decide which branch is compiled."""

import copy

import numpy as np
import pytest
from harness import Options, compare, define, run

import swathe

# ruff: noqa: E501

# A line is an expression, or statements with "\\n" between them, of the arguments below.
CASES = r"""
np.array(range(n)), np.asarray(range(n), dtype=np.float32), np.array(range(9, n, -2))
np.sum(range(n)), np.mean(range(n)), np.cumsum(range(n)), np.max(range(n))
np.array([range(n), range(n)])
np.concatenate((range(n), [3, 4])), np.stack([range(n), range(n)]), np.vstack((np.ones(n), range(n)))
a[range(n)], a[range(n), range(n)], a[:, range(1, n)], a[range(2, -1, -1), 0]
a[range(9)]
a[range(0)], a[range(0), range(0)]
a + range(4), range(4) * a, a == range(4), a ** range(4)
a + range(n)
r = range(0, n, 2)\nreturn np.add(r, r), np.power(2, r), np.array(r, float), np.sin(r), np.polyval([1, 2], r), len(r)
a[:] = range(4)\na[0] = range(1, 5)\na[1] += range(4)\nreturn a
a[:] = range(n)
a[range(n), range(n)] = 0\na[range(n)] -= 1\na[range(2)] += range(4)\nreturn a
g = np.random.default_rng(0)\nreturn g.choice(range(n), 2), g.permutation(range(n)), g.choice([1, 2, 5], 4)
np.random.seed(3)\nreturn np.random.choice(range(n), 2), np.random.permutation(range(n))
np.interp(range(n), [0, 1, 2], [0.0, 1, 4]), np.outer(range(n), range(n)), np.diff(range(n))
np.where(a[0] > 1, range(4), 0), np.isin(range(n), [1, 2]), np.searchsorted(range(n), 2)
def row(k):\n    return a[range(k), b[:k]]\nreturn row(2), row(3)
np.add.at(c, (slice(None), b, b), 1.0)\nreturn c
np.add.at(c, (slice(None), b, b[::-1]), np.arange(6.0).reshape(2, 3))\nreturn c
np.add.at(c[:, ::-1], (..., b), 2)\nreturn c
np.add.at(c, (0, None, b), 2)\nreturn c
np.maximum.at(c, np.s_[b[:2] // 2, 1:], 7)\nreturn c
np.subtract.at(c, slice(1, None), 1)\nnp.add.at(c, ..., 1)\nnp.add.at(c, (), 1)\nreturn c
np.add.at(c, (a[:2, 0] > 1, 0), 5)\nnp.add.at(c, (c > 20,), 5)\nreturn c
np.multiply.at(np.asfortranarray(c), (b, b), 5)\nreturn c
np.add.at(c, ([0, 0], [1, 1]), 2)\nnp.add.at(c, ([0, 1], range(2), [1, 1]), [2, 3])\nreturn c
np.add.at(c, (slice(None), b + 9, b), 1.0)
np.add.at(c, (slice(None), b, b), np.arange(4))
d = np.ones((2, 2, 2, 2), np.int16)\nnp.multiply.at(d, (b // 2, b // 2, b // 2, b // 2), 3)\nreturn d
x, y = np.atleast_1d(2.5, a)\nreturn x, y, np.atleast_2d(b, 1, a), np.atleast_3d(b, a)[1].shape
np.fromiter((k * k for k in range(n)), float, 2), np.fromiter((k for k in range(n)), dtype=int, count=n)
np.fromiter((k * k for k in range(n)), dtype=np.int16, count=5)
np.fromiter((k * k for k in range(n)), float, 0), np.fromiter(map(float, range(n)), float, count=-1)
x = a\nif np.issubdtype(a.dtype, np.floating):\n    x = a.astype(np.complex64)\nreturn x
x = b\nif not np.issubdtype(b.dtype, np.floating):\n    x = b.astype(float)\nreturn x
x = b\nif b.dtype == bool or np.issubdtype(b.dtype, np.integer):\n    x = b * 0.5\nreturn x
b * 0.5 if np.iscomplexobj(b) else b
a + 0j if np.isrealobj(a) else a.real
1 if np.isscalar(a) else a
np.issubdtype((a > 1).dtype, bool), np.issubdtype(a.dtype, bool), np.issubdtype(a.dtype, float), np.issubdtype(b.dtype, int)
np.issubdtype(np.float32, float), np.issubdtype(np.complex128, complex), np.issubdtype(np.int32, int), np.issubdtype(np.bool_, np.number)
if n > 5:\n    x = a\nreturn np.iscomplexobj(x)
np.isscalar(n), np.isscalar(a), np.isscalar((1, 2))
integer = np.issubdtype(b.dtype, np.integer)\nx = b\nif integer:\n    x = b.astype(float)\nreturn x, integer
... is Ellipsis, a is Ellipsis
""".strip().splitlines()  # fmt: skip

BLOCK = 11


def arguments():
    a = np.arange(12.0).reshape(3, 4)
    return a, np.array([0, 2, 1]), np.arange(24.0).reshape(2, 3, 4), 3


def problem(case):
    lines = case.split("\\n")
    if "return" not in case and "np.add.at" not in case and "= " not in case:
        lines[-1] = "return " + lines[-1]
    f = define("def f(a, b, c, n):\n" + "".join(f"    {line}\n" for line in lines))
    args, mine = arguments(), copy.deepcopy(arguments())
    want, got = run(f, args, {}), run(swathe.njit(opt_level=0)(f), mine, {})
    if want.error is not None and type(got.error) is type(want.error):
        return None  # the text is NumPy's own
    what = compare(want, got, Options(ulp=16, views=False), "plain")
    return f"{case}: {what}" if what else None


@pytest.mark.parametrize("start", range(0, len(CASES), BLOCK))
def test_as_numpy(start):
    found = [p for p in map(problem, CASES[start : start + BLOCK]) if p]
    assert not found, "\n".join(found)
