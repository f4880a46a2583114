# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the functions of NumPy's table at their edges, made from its rows.

`calls(row)` yields the text of an expression and its arguments: each parameter of the row takes
each value of its domain while the others keep their usual one, over ranks 0 to 6; each array in
turn is empty, of each layout, of each dtype, and of a wrong type.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tables
from harness import DTYPES, layouts, sample

RANKS = range(7)
SHAPES = dict(
    enumerate(((), (5,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (1, 2, 3, 1, 2), (2, 1, 2, 1, 3, 1)))
)
UNEQUAL = [
    ((3, 4), (4,)), ((3, 4), (5,)), ((5,), (4,)), ((3, 4), (3, 1)), ((3, 4), ()), ((3, 4), (0,)),
    ((1,), (3,)), ((0,), (3,)), ((3,), (0,)),
]  # fmt: skip
EMPTY = {1: (0,), 2: (3, 0), 3: (0, 2, 3)}

# What any parameter may be given by mistake.
WRONG = ("None", "'x'", "1.5", "(0, 1)", "np.float64", "np.add", "(None,)")
AXES = (
    "None",
    "0",
    "-1",
    "1",
    "2",
    "-2",
    "6",
    "-7",
    "(0,)",
    "(0, 1)",
    "(-1, 0)",
    "()",
    "(0, 0)",
    "True",
    "1.0",
    "'x'",
)
DTYPE = ("None", "np.float32", "np.int8", "bool", "complex", "int", "'f4'", "'nonsense'", "3")
SHAPE = (
    "3",
    "()",
    "(2, 3)",
    "(0,)",
    "(-1,)",
    "-1",
    "(2, -1)",
    "(1, 2, 1, 2, 1, 2)",
    "None",
    "1.5",
    "(2.0,)",
    "'x'",
)
INTS = ("0", "1", "-1", "2", "-3", "7", "-9", "True", "None", "1.5", "'x'")
BOOLS = ("True", "False", "None", "1", "'x'")
DOMAIN = {
    "axis": AXES,
    "axes": (
        "None",
        "()",
        "(0,)",
        "(1, 0)",
        "(0, 1)",
        "(-1, 0)",
        "(2, 0, 1)",
        "(0, 0)",
        "(0, 5)",
        "1",
        "1.5",
        "'x'",
    ),
    "axis1": AXES[1:8],
    "axis2": AXES[1:8],
    "source": AXES,
    "destination": AXES,
    "dtype": DTYPE,
    "keepdims": BOOLS,
    "subok": BOOLS,
    "copy": BOOLS,
    "endpoint": BOOLS,
    "retstep": BOOLS,
    "equal_nan": BOOLS,
    "deg": BOOLS,
    "initial": ("None", "0", "3", "-1", "1.5", "300", "True", "1j", "'x'"),
    "order": ("'C'", "'F'", "'A'", "'K'", "None", "'X'", "1"),
    "casting": ("'unsafe'", "'same_kind'", "'safe'", "'x'", "None"),
    "side": ("'left'", "'right'", "'x'", "None", "1"),
    "shape": SHAPE,
    "k": INTS,
    "n": INTS,
    "N": INTS,
    "M": INTS,
    "num": INTS,
    "offset": INTS,
    "shift": (*INTS, "(1, 2)"),
    "ddof": (*INTS, "0.5"),
    "ndmin": INTS,
    "decimals": INTS,
    "minlength": INTS,
    "rtol": ("0.1", "0", "None", "'x'"),
    "atol": ("0.1", "0", "None", "'x'"),
    "a_min": ("None", "0", "-1", "1.5", "300", "True", "'x'", "1j"),
    "a_max": ("None", "0", "-1", "1.5", "300", "True", "'x'", "1j"),
    "value": ("0", "1.5", "300", "-1", "True", "1j", "None", "'x'"),
    "fill_value": ("0", "1.5", "300", "-1", "True", "1j", "None", "'x'"),
    "start": ("0", "1.5", "-2", "1j", "None", "'x'"),
    "stop": ("0", "1.5", "-2", "1j", "None", "'x'"),
}
# The usual value of a parameter that has no default, where it is no array.
USUAL = {
    "shape": "(2, 3)", "fill_value": "7", "start": "0", "stop": "4", "N": "3", "n": "3",
    "shift": "1",
    "source": "0", "destination": "-1", "axis": "0", "axis1": "0", "axis2": "-1",
    "dtype": "np.float64",
    "value": "3",
}  # fmt: skip
# Further arrays of a call: shape by that of the first.
BESIDE = {
    "x2": lambda s: s, "b": lambda s: s, "v": lambda s: s, "a2": lambda s: s, "y": lambda s: s,
    "weights": lambda s: s, "xp": lambda s: s, "fp": lambda s: s, "a1": lambda s: s,
}  # fmt: skip
SKIP = {
    "ndarray", "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact",
    "floating",
    "complexfloating", "dtype", "method_reshape", "method_transpose", "arange", "item", "view",
    # whose arguments, or the type of whose results, are of their own: test_decompositions.py
    "mgrid", "ogrid", "r_", "c_", "s_", "index_exp", "piecewise", "vectorize", "nditer", "fromiter",
    "finfo", "iinfo", "issubdtype", "isdtype", "result_type", "promote_types",
    "random_default_rng", "block",
    "random_PCG64", "random_PCG64DXSM", "random_SFC64", "random_Philox", "random_MT19937",
    "random_Generator", "random_RandomState",
    "apply_along_axis",
    "apply_over_axes", "fromfunction", "method_compress",
    "unique_values", "linalg_tensorinv", "linalg_tensorsolve", "mask_indices", "can_cast",
    "linalg_multi_dot", "einsum", "polyfit", "roots", "linalg_eig", "linalg_eigvals",
}  # fmt: skip


SORTED = {"searchsorted", "interp", "bincount"}  # functions of what `operands` prepares


class Row(NamedTuple):
    """A row of the table: its name in Python, whether it is a method, and its parameters."""

    id: str
    name: str
    params: list[tuple[str, str | None]]


def table() -> list[Row]:
    found = []
    for r in tables.table("NP", "NP_LIB"):
        if r.short not in SKIP:
            found.append(
                Row(
                    r.short,
                    "." * (not r.is_function) + r.name,
                    [(p.name, p.default) for p in r.params],
                )
            )
    return found


def ufuncs() -> list[Row]:
    """The rows of ufuncs, whose parameters are operands."""
    return [
        Row(r.name, r.name, [(p.name, None) for p in r.params[: r.nin]])
        for r in tables.table("NP_UFUNC")
    ]


def array_params(row: Row) -> list[str]:
    """The parameters that are arrays in a usual call."""
    return [p for p, default in row.params if default is None and p not in USUAL]


def text(row: Row, given: dict[str, str]) -> str:
    """The call with the parameters `given`, by position as long as none is left out."""
    parts, gap = [], False
    first = 1 if row.name.startswith(".") else 0
    for p, default in row.params[first:]:
        value = given.get(p)
        if value is None:
            gap = True
            continue
        keyword = gap or default is not None
        parts.append(
            f"{p}={value}"
            if keyword and not row.name.startswith(".")
            else f"{p}={value}"
            if gap
            else value
        )
    if first:
        return f"{given[row.params[0][0]]}{row.name}({', '.join(parts)})"
    return f"np.{row.name}({', '.join(parts)})"


def usual(row: Row) -> dict[str, str]:
    return {p: USUAL[p] for p, default in row.params if default is None and p in USUAL}


def make(row: Row, rank: int, values: dict[str, str], arrays: dict[str, Any]) -> tuple[str, tuple]:
    names = "abcdefgh"
    given, args = usual(row), []
    for p in array_params(row):
        if p in values:
            continue
        given[p] = names[len(args)]
        args.append(arrays[p])
    if row.id in ("concatenate", "stack"):
        given["arrays"] = values.get("arrays", "(a, a)")
    given.update(values)
    return text(row, given), tuple(args)


def operands(row: Row, shape: tuple, dtype: str = "f8") -> dict[str, Any]:
    found = {}
    for i, p in enumerate(array_params(row)):
        found[p] = sample(dtype, shape, i) if shape else np.asarray(sample(dtype, (1,), i)[0])
    if row.id == "interp":
        for p in ("xp", "fp"):
            found[p] = np.sort(found[p].ravel()).reshape(shape)
    if row.id == "searchsorted":
        found["a"] = np.sort(found["a"].ravel()).reshape(shape)
    if row.id == "bincount":
        found["x"] = np.abs(found["x"]).astype("i8") % 7
    if row.id in ("where",):
        found["condition"] = found["condition"] > 0
    return found


def calls(row: Row, whole: bool) -> Iterator[tuple[str, tuple]]:
    """The calls of a row; a fixed random part of the less usual ones unless `whole`."""
    rng = random.Random(row.id)

    # of functions that are one with other coefficients, one is called as often as others are
    kin = ("hermite_", "laguerre_", "legendre_")
    part = 0.15 if row.id.removeprefix("polynomial_").startswith(kin) else 0.5

    def some(share):
        return whole or rng.random() < part * share

    optional = [p for p, _ in row.params]
    for rank in RANKS:
        arrays = operands(row, SHAPES[rank])
        yield make(row, rank, {}, arrays)
        for p in optional:
            for value in DOMAIN.get(p, ()):
                if some(0.35 if "axis" in p or p in ("source", "destination") else 0.1):
                    yield make(row, rank, {p: value}, arrays)
    for rank, shape in EMPTY.items():
        arrays = operands(row, shape)
        yield make(row, rank, {}, arrays)
        for axis in AXES[:6] if "axis" in optional else ():
            if some(0.6):
                yield make(row, rank, {"axis": axis}, arrays)
    for p in optional:
        for value in WRONG:
            if some(0.5):
                yield make(row, 2, {p: value}, operands(row, SHAPES[2]))
    for p in array_params(row):
        for scalar in (2, 1.5, True, 1j, np.float32(2), np.int8(3)):
            if some(0.5):
                yield make(row, 1, {}, {**operands(row, SHAPES[1]), p: scalar})
        for tuple_ in ("(1, 2, 3)", "((1, 2), (3, 4))", "()"):
            if some(0.5):
                yield make(row, 1, {p: tuple_}, operands(row, SHAPES[1]))
    for dtype in DTYPES:
        yield make(row, 2, {}, operands(row, SHAPES[2], dtype))
        if some(0.4):
            yield make(row, 1, {}, operands(row, SHAPES[1], dtype))
    arrays = array_params(row)
    for rank in (1, 2, 3):
        for which, value in layouts("f8", SHAPES[rank]).items() if arrays else ():
            if which != "C" and row.id not in SORTED and some(0.7):
                yield make(row, rank, {}, {**operands(row, SHAPES[rank]), arrays[0]: value})
    if len(arrays) > 1:  # operands of unequal shapes
        for left, right in UNEQUAL:
            a, b = operands(row, left), operands(row, right)
            yield make(row, 2, {}, {**b, arrays[0]: a[arrays[0]]})
