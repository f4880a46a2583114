# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in f-strings with a format: in messages of exceptions, as in Python."""

import numpy as np
import pytest

import swathe

FLOATS = (
    ["", ".3", ".0", ".1", ".17", ".2f", ".0f", "e", ".3e", "E", "g", ".3g", "G", "%", ".1%", "n"]
    + ["10", "<10", "^11.2f", "+", "+.2f", " ", "010.3f", "08", "*>12.4", "x<9.1e", "=10", ",", "_"]
    + [",.2f", "#.0f", "#g", "#.3e", "0=+12.3f", "F", "f", "20.10f"]
)
INTS = [
    "",
    "d",
    "5",
    "<5",
    "^7",
    "05d",
    "+d",
    " d",
    "x",
    "X",
    "#x",
    "#X",
    "o",
    "#o",
    "b",
    "#b",
    "n",
] + ["#010x", ",", "_", "_x", "_b", "*^12", "=+6", ".2f", "e", "g", "%", "10.1f", ",.0f", "0<6"]
X = [0.0, -0.0, 1.0, -1.5, 0.1, 2 / 3, 12.0, 99.95, 123456.789, 1e-5, 0.0001, 1e16, 1e22, -1e-300]
X += [float("inf"), float("-inf"), float("nan"), 9.5, 0.05, 1234567890123.0, 5e-324]
N = [0, 1, -1, 7, -42, 255, 1234, -1234567, 2**63 - 1, -(2**63)]


def functions(specs, folder):
    """A function for each four of the formats, which raises what they make of x."""
    out = []
    for k, some in enumerate(fours(specs)):
        text = "|".join("{x:%s}" % s for s in some)
        out.append(f"def f{k}(x):\n    raise ValueError(f'{text}')\n")
    file = folder / "raises.py"
    file.write_text("\n".join(out))
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return [v for k, v in names.items() if k.startswith("f") and callable(v)]


def fours(specs):
    return [specs[i : i + 4] for i in range(0, len(specs), 4)]


def message(f, x):
    with pytest.raises(ValueError) as caught:
        f(x)
    return str(caught.value).split("\n")[0]


@pytest.mark.parametrize(
    "specs, values",
    [
        (FLOATS, X),
        (INTS, N),
        (FLOATS, [np.float64(x) for x in X]),
        (FLOATS, [np.float32(x) for x in X if abs(x) < 1e30 or x != x]),
        (INTS, [np.int32(7), np.int32(-300000)]),
        (INTS, [np.uint64(0), np.uint64(2**64 - 1), np.uint64(2**63)]),
        (INTS, [True, False]),
    ],
    ids=["float", "int", "float64", "float32", "int32", "uint64", "bool"],
)
def test_as_python_writes_them(specs, values, tmp_path):
    for f in functions(specs, tmp_path):
        g = swathe.njit(cache=False)(f)
        for x in values:
            assert message(g, x) == message(f, x)


def test_they_are_printed(capfd):
    @swathe.njit
    def show(x, n):
        print(f"{x:8.3f}|{n:04d}|{x:>9}", n, f"{n:x}")
        print(f"{x=:.1f}, {n!r}")

    show(2.5, 30)
    got = capfd.readouterr().out
    show.py_func(2.5, 30)
    assert got == capfd.readouterr().out == "   2.500|0030|      2.5 30 1e\nx=2.5, 30\n"


@pytest.mark.parametrize(
    "text, x, match",
    [
        ("{x:d}", 1.5, "Unknown format code 'd' for object of type 'float'"),
        ("{x:.3d}", 1, "the format '.3d' of int"),
        ("{x:s}", 1, "Unknown format code 's' for object of type 'int'"),
        ("{x:zzz}", 1.5, "the format 'zzz' of float"),
        ("{x:5}", 1j, "the format '5' of complex"),
        ("{x:5}", (1, 2), "the format '5' of"),
        ("{x:5}", np.arange(2), "the format '5' of int64"),
        ("{x:5}", [1], "the format '5' of list"),
    ],
)
def test_what_is_refused(text, x, match, tmp_path):
    file = tmp_path / "refused.py"
    file.write_text(f"def f(x):\n    raise ValueError(f'{text}')\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(swathe.CompileError) as caught:
        swathe.njit(cache=False)(names["f"])(x)
    assert match in str(caught.value)
    assert "^" in str(caught.value)
