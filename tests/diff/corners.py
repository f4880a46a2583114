# SPDX-License-Identifier: BSD-3-Clause
"""Corner values of every scalar type, and forms of programs to try them in.

A form is an expression over `a` and `b`. An operand is a parameter, a constant in the source
that is folded, or a parameter behind an identity that a compiler may fold (`a * 0`, `-1 | a`):
its checks have to stay. The outcome, value and type or the class and the message of the
exception, is compared with CPython's and NumPy's.
"""

import math
from functools import cache

import numpy as np
from harness import DTYPES, Options, compiled, define, differ, error_class, run

NAN, INF = math.nan, math.inf
PYTHON = ("bool", "int", "float", "complex")
TYPES = (*PYTHON, *DTYPES)
TINY = 5e-324
INT64 = range(-(2**63), 2**63)

WHOLE = (0, 1, -1, 2, 3, -3, 7, 100, 127, 128, -128, -129, 255, 256, 300, -300)
WHOLE += (2**15, 2**16 - 1, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**53 + 1, -(2**53) - 1)
WHOLE += (2**62, 2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 255.0, 256.0, 300.0, -300.0, 2.0, -3.0)
REALS += (2.0**31, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, 1e300, -1e300, 1.7976931348623157e308)
REALS += (TINY, -TINY, 2.2250738585072014e-308, INF, -INF, NAN)
SOME = (0.0, -0.0, 1.0, -2.5, 1e300, TINY, INF, NAN)
COMPLEXES = tuple(complex(x, y) for x in SOME for y in SOME)


@cache
def corners(kind):
    """Corner values of a type."""
    if kind == "bool":
        return (False, True)
    if kind == "int":
        return WHOLE
    if kind == "float":
        return REALS
    if kind == "complex":
        return COMPLEXES
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        return (np.False_, np.True_)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = (info.max, info.max - 1, info.min, info.min + 1, info.max // 2 + 1)
        values = dict.fromkeys((*ends, *(v for v in WHOLE if info.min <= v <= info.max)))
        return tuple(dtype.type(v) for v in values)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        with np.errstate(all="ignore"):
            ends = (info.max, info.min, info.tiny, info.smallest_subnormal, info.eps)
            values = [*map(dtype.type, ends), *map(dtype.type, REALS)]
    else:
        with np.errstate(all="ignore"):
            values = [*map(dtype.type, COMPLEXES)]
    return tuple({v.tobytes(): v for v in values}.values())


# Behind these a compiler may know the value, or drop the operand, but not its checks.
BEHIND = {
    "int": ("-1 | {}", "{} * 0", "{} & 0", "{} - {}", "{} ^ {}", "{} ** 0", "{} % 1", "{} | {}"),
    "float": ("{} * math.nan", "{} * math.inf", "{} - {}", "{} ** 0.0", "{} * 0.0", "{} / {}"),
    "iu": ("{0} & {0}", "{0} - {0}", "{0} ^ {0}", "{0} * {0}.dtype.type(0)", "{0} | ~{0}"),
    "f": ("{} - {}", "{} * math.nan", "{} * 0"),
}


def behind(kind):
    if kind in PYTHON:
        return BEHIND.get(kind, ())
    k = np.dtype(kind).kind
    return BEHIND.get("iu" if k in "iu" else k, ())


def literal(value):
    """Text of a constant."""
    if isinstance(value, np.generic):
        return (
            f"np.{value.dtype.name}({literal(value.item())})"
            if value.dtype != "?"
            else f"np.bool_({value})"
        )
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, complex):
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    return f"({value!r})"


def wraps(value):
    """Whether a result holds a Python int beyond int64."""
    if isinstance(value, tuple):
        return any(map(wraps, value))
    return type(value) is int and value not in INT64


def text_of(error):
    return str(error).split("\n")[0]


def differs(f, args, ulp=0, promoted=False, mode="plain"):
    """How the outcomes of f(*args) differ, or None; what docs/semantics.md tells of is none."""
    want = run(f, args, {})
    if wraps(want.value) or isinstance(want.error, MemoryError):
        return None
    got = run(compiled(f, mode), args, {})
    if want.error is None and got.error is None:
        if promoted:
            with np.errstate(all="ignore"):
                want.value = type(got.value)(want.value)
        return differ(want.value, got.value, Options(ulp=ulp))
    if documented(want.error, got.error, promoted):
        return None
    if None in (want.error, got.error) or error_class(want.error) is not error_class(got.error):
        return f"{tell(want)} expected, got {tell(got)}"
    if isinstance(got.error, swathe_errors()) or text_of(want.error) == text_of(got.error):
        return None
    return f"{text_of(want.error)!r} expected, got {text_of(got.error)!r}"


def tell(outcome):
    if outcome.error is None:
        return repr(outcome.value)
    return f"{type(outcome.error).__name__}: {text_of(outcome.error)}"


DOCUMENTED = (
    "a negative number to a fractional power is complex",
    "this int does not fit in int64",
)


def documented(want, got, promoted):
    text = text_of(got)
    if promoted and ("compares real numbers" in text or "returns int or bool" in text):
        return True
    if promoted and want is None and "out of bounds for" in text:
        return True  # a Python int joined with a NumPy integer
    if want is None and "Integers to negative integer powers" in text:
        return True
    if want is not None and isinstance(got, TypeError):
        return isinstance(got, swathe_errors())  # told before anything runs
    return text.startswith(DOCUMENTED)


@cache
def swathe_errors():
    import swathe.errors

    return swathe.errors.Error


def program(text, names="a, b"):
    if "\n" in text:
        return define(f"def f({names}):\n{text}")
    return define(f"def f({names}):\n    return {text}\n")
