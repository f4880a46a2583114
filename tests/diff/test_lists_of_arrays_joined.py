# SPDX-License-Identifier: BSD-3-Clause
"""np.concatenate and np.stack of arrays that a list holds."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE, expression

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython itself")

CALLS = ("np.concatenate(x)", "np.concatenate(x, axis=-1)", "np.concatenate(x, axis=None)",
         "np.concat(x, 1)", "np.stack(x)", "np.stack(x, axis=1)", "np.stack(arrays=x, axis=-1)",
         "np.concatenate([a[::-1] for a in x])", "np.stack([a * 2 for a in x])",
         "np.concatenate(x[::-1]), x", "np.concatenate(x + x[:1])")  # fmt: skip
SHAPES = ([(2, 3), (4, 3)], [(2, 3), (2, 4)], [(2, 3)] * 3, [(0, 3), (1, 3)], [(4,), (0,), (2,)],
          [(3,)] * 2, [(2, 1, 2), (2, 3, 2)], [(2, 2, 2)], [(), ()])  # fmt: skip


def outcome(f, x):
    try:
        return f(x), x
    except swathe.errors.CompileError as e:
        return "AxisError" if isinstance(e, np.exceptions.AxisError) else e
    except Exception as e:
        name = type(e).__name__
        return name if name == "AxisError" else f"{name}: {str(e).splitlines()[0]}"


def told(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    return [told(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(
    ("call", "shapes"),
    [(c, s) for c in CALLS for s in SHAPES if s[0] or " for " not in c],  # of which are no arrays
    ids=str,
)
def test_as_numpy(call, shapes):
    f = expression(call, "x")
    for dtype, order in (("f8", "C"), ("f4", "F"), ("i2", "C"), ("?", "F"), ("c16", "C")):
        x = [
            np.asarray(np.arange(np.prod(s)).reshape(s).astype(dtype), order=order) for s in shapes
        ]
        want, got = outcome(f, x), outcome(swathe.njit(f), x)
        assert told(got) == told(want), (dtype, order)


def test_none_and_empty():
    def f(n):
        x = [np.ones(2)]
        for _ in range(n):
            x.pop()
        return np.concatenate(x)

    compiled = swathe.njit(f)
    assert np.array_equal(compiled(0), f(0))
    with pytest.raises(ValueError, match="need at least one array to concatenate"):
        compiled(1)
    with pytest.raises(ValueError, match="need at least one array to stack"):
        swathe.njit(lambda x: np.stack(x[1:]))([np.ones(2)])


def test_of_spans():
    x = [np.arange(3).astype("m8[s]"), np.arange(2).astype("m8[s]")]
    got = swathe.njit(lambda x: np.concatenate(x))(x)
    assert got.dtype == "m8[s]" and got.tolist() == np.concatenate(x).tolist()
