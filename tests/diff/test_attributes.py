# SPDX-License-Identifier: BSD-3-Clause
"""Attributes of arrays over dtypes, layouts and ranks 0 to 6: values, and what is a view."""

import numpy as np
import pytest
import tables
from harness import DTYPES, PLAIN, Options, define, layouts, mismatch
from rows import SHAPES

import swathe

NAMES = ("T", "real", "imag", "size", "nbytes", "itemsize", "ndim", "shape")
EMPTY = ((0,), (3, 0), (2, 0, 3))


def arrays(dtype, rank):
    """Of one rank, in each layout; a slice of each, of which some axes go."""
    if not rank:
        return [np.ones((), dtype), np.ones(3, dtype)[1, ...]]
    found = list(layouts(dtype, SHAPES[rank]).values())
    found += [np.zeros(s, dtype) for s in EMPTY if len(s) == rank]
    return found + [a[1:] for a in found if a.ndim == rank]


@swathe.njit
def steps(a):
    return a.strides, a.T.strides


def counted(shape, strides):
    """Those between elements: others may be anything."""
    return [s for n, s in zip(shape, strides, strict=True) if n > 1]


@pytest.mark.parametrize("rank", range(7))
@pytest.mark.parametrize("dtype", DTYPES)
def test_attributes(dtype, rank):
    parts = ", ".join(f"a.{name}" for name in NAMES)
    f = define(f"def f(a):\n    return {parts}, len(a.T.shape), a.dtype.itemsize\n")
    for a in arrays(dtype, rank):
        problem = mismatch(f, (a,), Options(modes=PLAIN))
        assert not problem, problem
        if a.size:
            plain, turned = steps(a)
            assert counted(a.shape, plain) == counted(a.shape, a.strides)
            assert counted(a.T.shape, turned) == counted(a.T.shape, a.T.strides)
        a.flags.writeable = False
        problem = mismatch(f, (a,), Options(modes=PLAIN))
        assert not problem, problem


METHODS = {r.name for r in tables.table("NP", "NP_LIB") if r.is_method}


@pytest.mark.parametrize("name", sorted(m for m in METHODS if not hasattr(np.float64, m)))
def test_numbers_lack_methods_that_numpy_gives_arrays_only(name):
    f = define(f"def f(a):\n    return a.{name}(a)\n")
    for a in (np.float64(2.5), np.int8(3)):
        with pytest.raises(swathe.errors.Error, match=f"has no attribute '{name}'"):
            swathe.njit(f)(a)
