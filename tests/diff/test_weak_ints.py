# SPDX-License-Identifier: BSD-3-Clause
"""Python ints beside integer arrays and NumPy's integers, in and out of their range: what takes
the dtype of the array must fit, and comparisons are exact whatever the int."""

import re

import numpy as np
import pytest
from corners import INT64, differs, program
from test_corners import Report, sample

INTS = (0, 1, -1, 127, 128, 255, 256, 300, -129, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
INTS += (2**63, 2**64 - 1)
DTYPES = ("u1", "i1", "u8", "i8", "i4", "?")
FORMS = """
a + b; b - a; a * b; a // b; b % a; a & b; a == b; b != a; a < b; b <= a; a > b; a >= b
np.maximum(a, b); np.minimum(b, a); np.fmax(a, b); np.where(a > 1, a, b); np.where(a > 1, b, a)
np.clip(a, b, 300); np.clip(a, -1, b); np.clip(a, None, b); a.clip(b, 300)
np.clip(a[1], b, 300); np.full(3, b, a.dtype); np.full_like(a, b); np.array([b], a.dtype)
a.max(initial=b); a.min(initial=b); np.max(a, initial=b); a.sum(initial=b); a.prod(initial=b)
np.sum(a, initial=b, axis=0); np.add(a, b); np.equal(b, a); np.not_equal(a, b)
np.left_shift(a, b); np.logical_and(a, b); np.divmod(a, b); divmod(a, b)
a[1] + b; b - a[1]; a[1] == b; b < a[1]; a[1] // b; divmod(a[1], b); a[1] in (b, 3)
b in a; (a[1], 1) == (b, 1); np.searchsorted(a, b); np.gcd(a, b); np.any(a == b)
np.count_nonzero(a < b); np.true_divide(a, b); np.arctan2(a, b)
np.sum(a > b)
"""


def array_of(dtype):
    if dtype == "?":
        return np.array([False, True, True, False])
    info = np.iinfo(dtype)
    return np.array([0, 1, 2, info.max, info.min, info.max // 2 + 1], dtype)


@pytest.mark.parametrize("text", [t.strip() for t in re.split("[;\n]", FORMS) if t.strip()])
def test_weak_int(text):
    report = Report()
    ulp = 4 if "arctan2" in text else 0  # as its row says
    for dtype in DTYPES:
        a = array_of(dtype)
        for b in INTS:
            if b in INT64:
                report.see(differs(program(text), (a.copy(), b), ulp), text, (a, b))
        for b in sample(INTS, 5, text + dtype):
            constant = re.sub(r"\bb\b", f"({b})", text)
            report.see(differs(program(constant, "a"), (a.copy(),), ulp), constant, (a,))
    report.end()
