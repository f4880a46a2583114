# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's type tables against NumPy, over every combination of dtypes.

Promotion and casts, and the result dtypes of each ufunc on arrays and Python scalars,
are asked of the tables directly, with nothing compiled.
"""

import itertools
import warnings

import numpy as np
import pytest

import swathe
from swathe import _core

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
PYTHON = {"pybool": True, "int": 2, "float": 2.0, "complex": 2j}
UFUNCS = _core._ufuncs()


def operand(name):
    """An array of a dtype, or a Python scalar."""
    return PYTHON[name] if name in PYTHON else np.ones(1, name)


def numpy_types(ufunc, names):
    """The dtypes of what NumPy returns, None where it raises TypeError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ufunc(*map(operand, names))
    except TypeError:
        return None
    results = result if isinstance(result, tuple) else (result,)
    return tuple(r.dtype.name for r in results)


@pytest.mark.parametrize("a", DTYPES)
def test_promotion(a):
    for b in DTYPES:
        expected = (
            np.promote_types(a, b).name,
            np.can_cast(a, b),
            np.can_cast(a, b, "same_kind"),
        )
        assert _core._promote(a, b) == expected, (a, b)


@pytest.mark.parametrize("a", DTYPES)
def test_promotion_with_python_scalars(a):
    for name, value in PYTHON.items():
        expected = np.result_type(np.dtype(a), value).name
        assert _core._promote(a, name)[0] == expected, (a, name)
        assert _core._promote(name, a)[0] == expected, (name, a)


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_ufunc_result_types(name):
    ufunc = getattr(np, name)
    assert isinstance(ufunc, np.ufunc) and ufunc.nin == UFUNCS[name]
    for names in itertools.product([*DTYPES, *PYTHON], repeat=UFUNCS[name]):
        assert _core._ufunc_types(name, *names) == numpy_types(ufunc, names), names


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("float64[:, ::1]", "float64[:,::1]"),
        ("f8[:]", "float64[:]"),
        ("f4[::1, :]", "float32[::1,:]"),
        ("np.complex64[:]", "complex64[:]"),
        ("readonly i4[::1]", "readonly int32[::1]"),
        ("Array(float64, 2, 'F', True, aligned=True)", "readonly float64[::1,:]"),
        ("float64[()]", "float64[()]"),
        ("UniTuple(int64, 3)", "UniTuple(int64, 3)"),
        ("Tuple((int64, f4[:]))", "Tuple((int64, float32[:]))"),
        ("none", "none"),
        ("void", "none"),
        ("float", "float"),
        ("boolean", "bool_"),
    ],
)
def test_spelling(spelling, text):
    assert _core.type_text(spelling) == text
    assert _core.type_text(text) == text


@pytest.mark.parametrize(
    "spelling", ["", "floot", "f8[", "f8[:,::1,:]", "f8[:] x", "Tuple((", "UniTuple(f8)", "f8[3]"]
)
def test_bad_spelling(spelling):
    with pytest.raises(TypeError):
        _core.type_text(spelling)


RECORD = np.dtype([("a", "f8"), ("b", "i4")])


def of_which_class(x, r, d):
    return (
        isinstance(x.dtype, np.dtype),
        isinstance(x.dtype, (np.ndarray, np.dtype)),
        isinstance(x.dtype.type, np.dtype),
        isinstance(np.float64, np.dtype),
        isinstance(np.dtype("f4"), np.dtype),
        isinstance(x, np.dtype),
        isinstance(3, np.dtype),
        isinstance(d, np.dtype),
        isinstance(r.dtype, np.dtype),
        isinstance(RECORD, np.dtype),
    )


def test_dtypes_are_instances_of_dtype():
    f = swathe.njit(of_which_class)
    for x in (np.ones(2), np.ones((2, 2), np.int8)):
        for d in (np.float64, np.dtype("f4")):
            r = np.zeros(2, RECORD)
            assert f(x, r, d) == of_which_class(x, r, d)
