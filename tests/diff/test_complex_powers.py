# SPDX-License-Identifier: BSD-3-Clause
"""Powers of Python's complex numbers where they overflow, or are not finite."""

import math

import pytest
from harness import check, expression

MODES = ("plain", "unchecked")  # debug asks where NaN comes from
VALUES = [0j, 1 + 2j, -2 + 0j, complex(math.inf, 0), complex(0, -math.inf), complex(math.nan, 1),
          1e200j, 1e308 + 1e308j, complex(math.inf, math.nan), 1j, 2, -2, 0, 0.5, -0.5, math.inf,
          -math.inf, math.nan, 1e300, 2**62, 100, 101, -101]  # fmt: skip


@pytest.mark.parametrize("a", VALUES, ids=repr)
def test_powers(a):
    for b in VALUES:
        if b != 1e308 + 1e308j and (isinstance(a, complex) or isinstance(b, complex)):
            check(expression("a ** b", "a, b"), a, b, raises=..., ulp=4096, modes=MODES)
    if isinstance(a, complex):
        check(expression("a ** 2", "a, b"), a, 0, raises=..., ulp=4, modes=MODES)
