# SPDX-License-Identifier: BSD-3-Clause
"""Every function of `math` and `cmath`, on ordinary and edge arguments."""

import cmath
import math

import numpy as np
import pytest
from harness import ALL, PLAIN, Corpus, Options, expression, mismatch

import swathe
from docs import ulps

NAN, INF = math.nan, math.inf
TINY = 5e-324
FLOATS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 2.5, -3.75, 10.0, 700.0, 1e-9, 1e22)
EDGES = (INF, -INF, NAN, TINY, 1.7e308, -1.7e308)

ULPS = ulps()  # how far from CPython's libm a result may be: what the table says

# one float argument
UNARY = (
    "acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp exp2 expm1 log log10 log1p "
    "log2 cbrt erf erfc gamma lgamma fabs sqrt isfinite isinf isnan frexp modf ulp degrees radians "
    "ceil floor trunc"
).split()
BINARY = "copysign fmod remainder nextafter atan2 hypot pow log".split()

INTEGER = {
    "gcd": [(12, 18), (-12, 18), (0, 0), (0, 5), (7,), (), (12, 18, 27), (-(2**62), 6)],
    "lcm": [(4, 6), (-4, 6), (0, 3), (7,), (), (2, 3, 5)],
    "factorial": [(0,), (1,), (5,), (20,), (-1,)],
    "comb": [(5, 2), (5, 0), (5, 7), (40, 20), (-1, 2), (5, -1)],
    "perm": [(5, 2), (5,), (5, 0), (5, 7), (-1, 2)],
    "isqrt": [(0,), (1,), (15,), (16,), (2**62 - 1,), (10**18,), (-1,)],
}

VARIADIC = [
    ("math.hypot(a, b, c)", (1.0, 2.0, 2.0)),
    ("math.hypot(a)", (-3.0,)),
    ("math.hypot()", ()),
    ("math.hypot(a, b)", (1e200, 1e200)),
    ("math.dist((a, b), (c, d))", (1.0, 2.0, 4.0, 6.0)),
    ("math.dist((a, b), (c,))", (1.0, 2.0, 4.0)),
    ("math.fsum((a, b, c, d))", (0.1, 1e100, 0.2, -1e100)),
    ("math.fsum(a)", (np.array([0.1] * 10),)),
    ("math.prod((a, b, c))", (2, 3, 4)),
    ("math.prod((a, b), start=c)", (2.0, 3.5, 2)),
    ("math.isclose(a, b)", (1.0, 1.0 + 1e-10)),
    ("math.isclose(a, b)", (1.0, 1.1)),
    ("math.isclose(a, b, rel_tol=0.2)", (1.0, 1.1)),
    ("math.isclose(a, b, abs_tol=0.2)", (0.0, 0.1)),
    ("math.isclose(a, b)", (INF, INF)),
    ("math.isclose(a, b)", (NAN, NAN)),
    ("math.isclose(a, b, rel_tol=-1.0)", (1.0, 1.0 + 1e-9)),
    ("math.ldexp(a, b)", (0.75, 4)),
    ("math.ldexp(a, b)", (0.75, -1080)),
    ("math.ldexp(a, b)", (-0.0, 4)),
    ("math.ldexp(a, b)", (1.0, 5000)),
    ("math.ldexp(a, b)", (INF, 5000)),
    ("math.log(a, b)", (8, 2)),
    ("math.log(a, b)", (8.0, 1.0)),
    ("math.log(a)", (0,)),
    ("math.pow(a, b)", (0.0, -1.0)),
    ("math.pow(a, b)", (-8.0, 1 / 3)),
    ("math.pow(a, b)", (10.0, 400.0)),
    ("math.pow(a, b)", (NAN, 0.0)),
    ("math.pow(a, b)", (1.0, NAN)),
    ("math.pow(a, b)", (2, 10)),
    ("math.pi, math.e, math.tau, math.inf, math.nan", ()),
    ("cmath.pi, cmath.infj, cmath.nanj, cmath.inf", ()),
    ("cmath.isclose(a, b)", (1 + 1j, 1 + 1j)),
    ("cmath.isclose(a, b, abs_tol=1.0)", (1 + 1j, 1.5 + 1j)),
    ("cmath.rect(a, b)", (2.0, 0.5)),
    ("cmath.rect(a, b)", (2.0, 0.0)),
    ("cmath.rect(a, b)", (INF, NAN)),
    ("cmath.log(a, b)", (8 + 1j, 2)),
    ("cmath.log(a, b)", (8 + 1j, 2j)),
    ("cmath.exp(cmath.pi * 1j)", ()),
]

COMPLEX = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log")
COMPLEX += ("log10", "phase", "polar", "sin", "sinh", "sqrt", "tan", "tanh")
PREDICATES = ("isfinite", "isinf", "isnan")
PLANE = (0j, 1 + 0j, 1j, -1j, 0.5 + 0.25j, -2.5 + 1j, -2.0 - 0.0j, 3 - 4j, -1 - 1e-9j)
PLANE_EDGES = (complex(INF, 0), complex(NAN, 1), complex(800, 1), complex(-INF, INF))


def try_all(f, operands, ulp, modes, scale=0.0):
    """Compare over many arguments; an error may be the right answer."""
    o = Options(ulp=ulp, raises=..., modes=modes, scale=scale)
    reports = [r for r in (mismatch(f, args, o) for args in operands) if r]
    if reports:
        first = "\n\n".join(reports[:3])
        pytest.fail(f"{len(reports)} calls differ; the first:\n{first}", pytrace=False)


def functions(module, skip=()):
    public = [n for n in dir(module) if not n.startswith("_") and n not in skip]
    return [n for n in public if callable(getattr(module, n))]


def available(module, names):
    return [n for n in names if hasattr(module, n)]


def test_every_function_is_covered():
    text = " ".join(t for t, _ in VARIADIC)
    known = {*UNARY, *BINARY, *INTEGER} | {n for n in dir(math) if f"math.{n}(" in text}
    newer = {"sumprod", "fma", "fmax", "fmin", "signbit", "isnormal", "issubnormal"}
    assert set(functions(math)) - known - newer == set()
    known = {*COMPLEX, *PREDICATES, "isclose", "rect"}
    assert set(functions(cmath)) - known == set()


@pytest.mark.parametrize("name", available(math, UNARY))
@pytest.mark.parametrize("group", ["normal", "edges"])
def test_math_unary(name, group):
    operands = FLOATS if group == "normal" else EDGES
    if name in ("ceil", "floor", "trunc"):
        operands = [x for x in operands if not 1e18 < abs(x) < INF]
    f = expression(f"math.{name}(a)", "a")
    scale = 1.0 if name == "lgamma" else 0.0
    modes = ALL if group == "normal" else PLAIN
    try_all(f, [(x,) for x in operands], ULPS[f"math.{name}"], modes, scale)


@pytest.mark.parametrize("kind", [int, bool, np.float64, np.float32, np.int32, np.uint8])
@pytest.mark.parametrize("name", available(math, UNARY))
def test_math_unary_types(name, kind):
    """Any real scalar is taken as a double; the result is Python's."""
    f = expression(f"math.{name}(a)", "a")
    scale = 1.0 if name == "lgamma" else 0.0
    try_all(f, [(kind(v),) for v in (0, 1, 3)], ULPS[f"math.{name}"], PLAIN, scale)


@pytest.mark.parametrize("name", available(math, BINARY))
@pytest.mark.parametrize("kind", [float, int, np.float64, np.float32])
def test_math_binary(name, kind):
    values = (0, 1, -1, 3, -7) if kind is int else (0.0, -0.0, 1.5, -2.0, INF, -INF, NAN)
    pairs = [(kind(a), kind(b)) for a in values for b in values]
    if name == "log":
        pairs = [p for p in pairs if all(map(math.isfinite, p))]
    try_all(expression(f"math.{name}(a, b)", "a, b"), pairs, ULPS[f"math.{name}"], PLAIN)


@pytest.mark.parametrize("name, args", [(n, a) for n, calls in INTEGER.items() for a in calls])
def test_math_integer(name, args):
    names = ", ".join("abc"[: len(args)])
    try_all(expression(f"math.{name}({names})", names), [args], 0, ALL)


@pytest.mark.parametrize("name", ["gcd", "factorial", "isqrt"])
def test_math_integer_types(name):
    names = "a, b" if name == "gcd" else "a"
    f = expression(f"math.{name}({names})", names)
    kinds = (np.int8, np.uint64, np.int64, bool)
    try_all(f, [(k(1),) * len(names.split()) for k in kinds], 0, PLAIN)
    try_all(f, [(2.0,) * len(names.split())], 0, PLAIN)


@pytest.mark.parametrize("text, args", VARIADIC, ids=lambda v: str(v).replace(" ", ""))
def test_math_calls(text, args):
    names = ", ".join("abcd"[: len(args)])
    try_all(expression(text, names), [args], 4 if text != "math.fsum(a)" else 0, ALL)


@pytest.mark.parametrize("name", COMPLEX + PREDICATES)
@pytest.mark.parametrize("group", ["normal", "edges"])
def test_cmath(name, group):
    operands = PLANE if group == "normal" else PLANE_EDGES
    f = expression(f"cmath.{name}(a)", "a")
    modes = ALL if group == "normal" else PLAIN
    try_all(f, [(z,) for z in operands], 8, modes, 1e-8)


@pytest.mark.parametrize("kind", [int, float, np.float32, np.complex64, np.complex128])
@pytest.mark.parametrize("name", COMPLEX + PREDICATES)
def test_cmath_types(name, kind):
    f = expression(f"cmath.{name}(a)", "a")
    try_all(f, [(kind(2),), (kind(-3),)], 8, PLAIN, 1e-8)


# --- in use ---------------------------------------------------------------------------

corpus = Corpus(ulp=4)
case = corpus


@case(2.0)
@case(0.0, raises=ValueError)
@case(-1.0, raises=ValueError)
def log_plus_one(x):
    return math.log(x) + 1


@case(700.0)
@case(1000.0, raises=OverflowError)
def exp_over(x):
    return math.exp(x)


@case(1.5, 2.5)
@case(0.0, 0.0, raises=ZeroDivisionError)
def polar_angle(x, y):
    r = math.sqrt(x * x + y * y)
    return r, math.acos(x / r), math.degrees(math.atan2(y, x))


@case(3.7)
@case(-3.7)
@case(math.inf, raises=OverflowError)
@case(math.nan, raises=ValueError)
def roundings(x):
    return math.floor(x), math.ceil(x), math.trunc(x), round(x)


@case(np.linspace(0.1, 2.0, 9))
def math_over_array(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += math.sin(x[i]) * math.exp(-x[i]) + math.erf(x[i])
    return s


@case(1 + 2j)
def roots(z):
    w = cmath.sqrt(z)
    return w * w, abs(w), w.real > 0


@case(10)
def binomials(n):
    s = 0
    for k in range(n + 1):
        s += math.comb(n, k)
    return s


@case(4.0)
def from_module_alias(x):
    root = math.sqrt
    return root(x) + root(x)


@case("x", raises=TypeError)
@case(None, raises=TypeError)
@case(1j, raises=TypeError)
def sine_of_wrong_type(x):
    return math.sin(x)


@case(1.0, raises=TypeError)
def too_many_arguments(x):
    return math.sin(x, x)


@case(1.0, raises=AttributeError)
def no_such_function(x):
    return math.sine(x)


test_case = corpus.test()


POINTS = [(1.0, 2.0), (1, 2, 3), (), np.array([1.0, 5.0]), np.array([1, 2, 7]), np.zeros(0)]


@pytest.mark.parametrize("p", POINTS, ids=repr)
@pytest.mark.parametrize("q", POINTS, ids=repr)
def test_dist_of_tuples_and_arrays(p, q):
    compiled = swathe.njit(cache=False)(lambda p, q: math.dist(p, q))
    if len(p) != len(q):
        with pytest.raises(ValueError, match="same number of dimensions"):
            compiled(p, q)
    else:
        assert compiled(p, q) == math.dist(p, q)


def test_gcd_and_lcm_do_not_wrap():
    numbers = [0, 1, -1, 2, 3, -6, 2**40, 3**39, 2**62, 2**63 - 1, -(2**63)]
    pairs = {math.gcd: lambda a, b: math.gcd(a, b), math.lcm: lambda a, b: math.lcm(a, b)}
    for exact, f in pairs.items():
        compiled = swathe.njit(cache=False)(f)
        for a in numbers:
            for b in numbers:
                if exact(a, b) < 2**63 and (a != -(2**63) or exact is math.gcd):
                    assert compiled(a, b) == exact(a, b)
                elif exact(a, b) >= 2**63:
                    with pytest.raises(OverflowError):
                        compiled(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_operands_in_lanes(dtype):
    """Functions of vector libraries have domains of their own; C's take all numbers."""

    @swathe.njit
    def each(x):
        return np.arcsinh(x), np.arccosh(x), np.log1p(x)

    info = np.finfo(dtype)
    powers = np.logspace(1, np.log10(float(info.max)) - 0.01, 50).astype(dtype)
    special = np.array([info.max, -info.max, 0.0, -0.0, INF, -INF, NAN], dtype)
    x = np.concatenate([powers, -powers, special])
    with np.errstate(all="ignore"):
        want = each.py_func(x)
    for got, right in zip(each(x), want, strict=True):
        assert np.allclose(got, right, rtol=8 * info.eps, atol=0, equal_nan=True)
        assert np.array_equal(np.signbit(got[x == 0]), np.signbit(right[x == 0]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hyperbolic_functions_up_to_their_ends(dtype):
    """e^x is infinite before the half of it is."""

    @swathe.njit
    def each(x):
        return np.sinh(x), np.cosh(x)

    end = np.log(np.finfo(dtype).max)
    x = (np.linspace(0.85, 1.02, 101) * end).astype(dtype)
    x = np.concatenate([x, -x, np.array([0.0, -0.0, INF, -INF, NAN, 1e-30, 3.0], dtype)])
    with np.errstate(all="ignore"):
        want = each.py_func(x)
    for got, right in zip(each(x), want, strict=True):
        assert np.allclose(got, right, rtol=8 * np.finfo(dtype).eps, atol=0, equal_nan=True)
        assert np.array_equal(np.signbit(got[:-5]), np.signbit(right[:-5]))
