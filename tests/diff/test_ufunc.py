# SPDX-License-Identifier: BSD-3-Clause
"""Every ufunc of NumPy over dtypes, scalars, layouts, broadcasting, and with `out=`."""

import numpy as np
import pytest
from harness import (
    ALL,
    COMPLEX,
    DTYPES,
    FLOATS,
    INTS,
    PLAIN,
    Corpus,
    Options,
    expression,
    layouts,
    mismatch,
    sample,
)

from docs import COMPLEX_ULP, ulps

NAMES = [n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)]
CORE = [n for n in NAMES if getattr(np, n).signature is None]
UNARY = [n for n in CORE if getattr(np, n).nin == 1]
BINARY = [n for n in CORE if getattr(np, n).nin == 2]
GENERAL = sorted(set(NAMES) - set(CORE))

ULPS = ulps()


def ulp_of(name, dtype):
    """What the table allows; nothing where NumPy has a function that it lacks."""
    if np.dtype(dtype).kind == "c":
        return COMPLEX_ULP
    return ULPS.get(f"np.{name}", 0)


def operands(name, dtype, shape=11, seed=0):
    """Arrays of a dtype for a ufunc, inside the part of its domain that is defined."""
    kind = np.dtype(dtype).kind
    if kind == "c" or (name in ("power", "pow") and kind in "iu"):
        x, y = sample(dtype, shape, seed), sample(dtype, shape, seed + 1)
        return (x, np.abs(y) % 4) if kind in "iu" else (x, y)
    x = sample(dtype, shape, seed, edges=True)
    y = sample(dtype, shape, seed + 1, edges=True)
    if name == "ldexp":
        y = sample("i4", shape, seed)
    if name == "reciprocal" and kind in "iu":
        x[x == 0] = 1  # C does not define what an integer gets from infinity
    return x, y


def fail_if(reports):
    reports = [r for r in reports if r]
    if reports:
        first = "\n\n".join(reports[:3])
        pytest.fail(f"{len(reports)} calls differ; the first:\n{first}", pytrace=False)


def scalars(arrays):
    """Elements at the same place of each array, as NumPy scalars."""
    return list(zip(*[[a[i] for i in range(a.size)] for a in arrays]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    f = expression(f"np.{name}(a)", "a")
    o = Options(ulp=ulp_of(name, dtype), raises=..., modes=PLAIN, views=False)
    x = operands(name, dtype)[:1]
    fail_if([mismatch(f, x, o), *(mismatch(f, s, o) for s in scalars(x))])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    f = expression(f"np.{name}(a, b)", "a, b")
    o = Options(ulp=ulp_of(name, dtype), raises=..., modes=PLAIN, views=False)
    xy = operands(name, dtype)
    fail_if([mismatch(f, xy, o), *(mismatch(f, s, o) for s in scalars(xy))])


@pytest.mark.parametrize("value", [True, 2, 1.5, 0.5 + 1j], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", UNARY)
def test_unary_python(name, value):
    """Python scalars become NumPy's: int64, float64, complex128."""
    f = expression(f"np.{name}(a)", "a")
    ulp = ulp_of(name, "c16" if isinstance(value, complex) else "f8")
    fail_if([mismatch(f, (value,), Options(ulp=ulp, raises=..., modes=PLAIN))])


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "c8"])
def test_binary_weak(name, dtype):
    """A Python scalar beside an array or a NumPy scalar is weak."""
    f = expression(f"np.{name}(a, b), np.{name}(b, a)", "a, b")
    x = operands(name, dtype, 5)[0]
    if name in ("power", "pow") and np.dtype(dtype).kind in "iu":
        x = x % 4
    o = Options(ulp=ulp_of(name, dtype), raises=..., modes=PLAIN)
    values = (True, 2, 1.5) if np.dtype(dtype).kind != "c" else (2, 1.5, 1.5 + 1j)
    fail_if(mismatch(f, (a, v), o) for v in values for a in (x, x[1]))


def float_operands(name):
    dtype = "i8" if name in INTEGER_ONLY else "f8"
    return dtype, operands(name, dtype, (3, 4))


def accepts(name, dtype):
    f = getattr(np, name)
    args = operands(name, dtype, 3)[: f.nin]
    try:
        with np.errstate(all="ignore"):
            f(*args)
    except (TypeError, ValueError):
        return False
    return True


INTEGER_ONLY = {n for n in CORE if not accepts(n, "f8")}
WHERE = ("C", "F", "strided", "reversed", "perm")
# two layouts of each, in turn: all go the same ways in the compiler
LAYOUT_CASES = [(n, WHERE[(k + by) % 5]) for k, n in enumerate(CORE) for by in (0, 2)]


@pytest.mark.parametrize("name, where", LAYOUT_CASES)
def test_layout(name, where):
    dtype, (x, y) = float_operands(name)
    nin = getattr(np, name).nin
    text = f"np.{name}(a)" if nin == 1 else f"np.{name}(a, b)"
    f = expression(text, "a, b"[: 3 * nin - 2])
    args = []
    for a in (x, y)[:nin]:
        made = layouts(a.dtype, (3, 4))[where]
        made[...] = a
        args.append(made)
    o = Options(ulp=ulp_of(name, dtype), raises=..., views=False)
    fail_if([mismatch(f, tuple(args), o)])
    if nin == 2:
        fail_if([mismatch(f, (args[0], y), o), mismatch(f, (x, args[1]), o)])


SHAPES = {
    1: [(), (0,), (1,), (3, 0), (2, 3, 2)],
    2: [
        ((), ()),
        ((), (3,)),
        ((3,), (3,)),
        ((0,), (1,)),
        ((3, 1), (1, 4)),
        ((4,), (3, 4)),
        ((2, 1, 3), (4, 1)),
        ((3,), (4,)),
        ((2, 3), (3, 2)),
    ],
}


@pytest.mark.parametrize("name", CORE)
def test_shapes(name):
    """0-d gives a scalar, empty stays empty, sizes of one stretch, others clash."""
    dtype, _ = float_operands(name)
    nin = getattr(np, name).nin
    text = f"np.{name}(a)" if nin == 1 else f"np.{name}(a, b)"
    f = expression(text, "a, b"[: 3 * nin - 2])
    o = Options(ulp=ulp_of(name, dtype), raises=..., modes=PLAIN, views=False)
    for shapes in SHAPES[nin]:
        if nin == 1:
            args = (operands(name, dtype, shapes)[0],)
        else:
            args = (
                operands(name, dtype, shapes[0])[0],
                operands(name, dtype, shapes[1])[1],
            )
        fail_if([mismatch(f, args, o)])


@pytest.mark.parametrize("name", [n for n in CORE if n != "isnat"])
@pytest.mark.parametrize("how", ["keyword", "position", "alias", "strided", "narrow"])
def test_out(name, how):
    """`out=` is filled and returned; a cast that loses kind is a TypeError."""
    u = getattr(np, name)
    dtype, args = float_operands(name)
    args = args[: u.nin]
    with np.errstate(all="ignore"):
        result = u(*args)
    outs = result if u.nout == 2 else (result,)
    if how == "strided":
        outs = tuple(np.zeros((3, 8), r.dtype)[:, ::2] for r in outs)
    elif how == "narrow":
        outs = tuple(np.zeros((3, 4), "f4" if r.dtype.kind == "f" else "i1") for r in outs)
    else:
        outs = tuple(np.zeros_like(r) for r in outs)
    if how == "alias" and outs[0].dtype == args[0].dtype:
        outs = (args[0], *outs[1:])
    names = ["a", "b"][: u.nin]
    to = ["c", "d"][: u.nout]
    if how == "position":
        text = f"np.{name}({', '.join(names + to)})"
    else:
        text = f"np.{name}({', '.join(names)}, out={'(c, d)' if u.nout == 2 else 'c'})"
    f = expression(text, ", ".join(names + to))
    ulp = ulp_of(name, dtype)
    o = Options(ulp=ulp, raises=..., modes=ALL if how == "keyword" else PLAIN)
    fail_if([mismatch(f, (*args, *outs), o)])


MIXED = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "maximum",
    "equal",
    "less",
]
MIXED += ["logical_and", "hypot", "bitwise_or", "left_shift", "power", "copysign"]


@pytest.mark.parametrize("left", ["?", *INTS, *FLOATS, *COMPLEX])
@pytest.mark.parametrize("name", MIXED)
def test_mixed(name, left):
    """NumPy's promotion over every pair of dtypes."""
    f = expression(f"np.{name}(a, b)", "a, b")
    x = sample(left, 6)
    for right in DTYPES:
        y = sample(right, 6, 1)
        if name == "power" and y.dtype.kind in "i":
            y = np.abs(y)
        if name == "left_shift" and y.dtype.kind == "i":
            y = np.abs(y)
        if name == "power" and np.result_type(x, y).kind in "fc" and x.dtype.kind != "c":
            x = np.abs(x) if x.dtype.kind in "if" else x
        ulp = max(ulp_of(name, left), ulp_of(name, right))
        fail_if([mismatch(f, (x, y), Options(ulp=ulp, raises=..., modes=PLAIN))])


# --- matmul and its kin ---------------------------------------------------------------

corpus = Corpus(raises=..., ulp=8, scale=64.0)
GENERAL_SHAPES = {
    "matmul": [
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (2, 3)),
        ((0, 3), (3, 2)),
        ((), (3,)),
    ],
    "vecdot": [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (2, 3)), ((2,), (3,))],
    "matvec": [((2, 3), (3,)), ((4, 2, 3), (4, 3)), ((2, 3), (2,))],
    "vecmat": [((3,), (3, 2)), ((4, 3), (4, 3, 2)), ((2,), (3, 2))],
}
for name in GENERAL:
    for left, right in GENERAL_SHAPES[name]:
        for dtype in ("f8", "f4", "i4", "?", "c16"):
            args = sample(dtype, left), sample(dtype, right, 1)
            corpus.expr(f"np.{name}(a, b)", *args)

# --- keywords -------------------------------------------------------------------------

x, y = sample("f8", 6), sample("f8", 6, 2)
on = sample("?", 6)
corpus.expr("np.add(a, b, dtype=np.float32)", x, y)
corpus.expr("np.add(a, b, dtype=np.int8)", x, y)
corpus.expr("np.sqrt(a, dtype=np.float32)", x)
corpus.expr("np.multiply(a, b, where=c, out=d)", x, y, on, np.zeros(6))
corpus.expr("np.negative(a, out=b)\nreturn b", x, np.zeros(6))
corpus.expr("np.add(a, b, out=a[::-1])\nreturn a", x, y)
corpus.expr("np.add(a[1:], a[:-1], out=a[1:])\nreturn a", x)
corpus.expr("np.add(a, b, out=c)", x, y, np.zeros(5))
corpus.expr("np.add(a, b, out=c)", x, y, np.zeros((2, 6)))
corpus.expr("np.add(a)", x)
corpus.expr("np.sin(a, b, c)", x, y, y)
corpus.expr("np.add.reduce(a)", sample("i8", 6))
corpus.expr("np.maximum.reduce(a)", x)
corpus.expr("np.add.accumulate(a)", sample("i8", 6))
corpus.expr("np.multiply.outer(a, b)", x, sample("f8", 3))
corpus.expr("np.clip(a, -0.5, 0.5)", x)
corpus.expr("np.nan_to_num(a)", sample("f8", 6, edges=True))
corpus.expr("np.isclose(a, b)", x, x + 1e-9)
corpus.expr("np.allclose(a, b), np.array_equal(a, b)", x, x + 1e-9)
NAN = np.array([1.0, np.nan])
for pair in (
    (NAN, NAN), (NAN, np.array([1.0, 2.0])), (NAN, NAN[:1]), (np.nan, np.nan), (NAN * 1j, NAN),
    (1, np.array(1.0)), (2, np.array([2, 2])), ((1, 2), np.array([1, 2])), ((), np.zeros(0)),
    (NAN.reshape(2, 1), NAN), (np.zeros((0, 2)), np.zeros((2, 0))), (True, 1),
):  # fmt: skip
    corpus.expr("np.array_equal(a, b), np.array_equal(b, a, equal_nan=True)", *pair)
corpus.expr("np.sinc(a)", x)
corpus.expr("np.angle(a)", sample("c16", 5))
corpus.expr("np.real(a), np.imag(a)", sample("c16", 5))
corpus.expr("np.fix(a)", x)
corpus.expr("np.round(a, 2)", x)
corpus.expr("np.around(a)", x)

test_case = corpus.test()
