"""Dates and time spans (datetime64, timedelta64) against NumPy: units, operators, NaT, layouts.

A program is run as it is and compiled, on the same arguments; results must be the same values of
the same dtype, unit and all. Where NumPy refuses, so must we; where NumPy answers, we may refuse
only by a CompileError that names the dtype (and what must work is listed in MUST)."""

import operator
import warnings

import numpy as np
import pytest

import swathe
from swathe import njit

NAT = np.iinfo(np.int64).min
UNITS = ["Y", "M", "W", "D", "h", "25s", "ns", "generic"]


def dtype_of(kind, unit):
    return np.dtype(f"{kind}8" if unit == "generic" else f"{kind}8[{unit}]")


def values(dtype, n=8, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-40, 40, n)
    a[::3] = NAT
    a[-1] = 0
    return a.view(dtype)


def same(x, y):
    if isinstance(x, tuple):
        assert isinstance(y, tuple) and len(x) == len(y)
        for a, b in zip(x, y, strict=True):
            same(a, b)
        return
    if isinstance(x, (list, dict)):
        assert type(x) is type(y) and len(x) == len(y)
        for a, b in zip(x, y, strict=True):
            same(a, b)
        if isinstance(x, dict):
            same(list(x.values()), list(y.values()))
        return
    numbers = isinstance(x, np.generic) and isinstance(y, np.generic)  # longlong is int64, too
    assert numbers or type(x) is type(y), (type(x), type(y))
    if isinstance(x, (np.generic, np.ndarray)):
        assert x.dtype == y.dtype, (x.dtype, y.dtype)
        assert np.shape(x) == np.shape(y)
        if x.dtype.kind in "mM":
            x, y = np.asarray(x).view("i8"), np.asarray(y).view("i8")
        np.testing.assert_array_equal(x, y)
    else:
        assert x == y


def outcome(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args), None
        except Exception as e:
            return None, e


def check(f, *args, compiled=None, must=True):
    """Whether it was compiled."""
    want, error = outcome(f, *args)
    got, ours = outcome(compiled or njit(cache=False)(f), *args)
    if error is not None:
        assert ours is not None, (f, [getattr(a, "dtype", a) for a in args], got, error)
        return False
    if ours is not None and not must:
        assert isinstance(ours, swathe.CompileError), ours
        return False
    assert ours is None, (f, [getattr(a, "dtype", a) for a in args], ours)
    same(want, got)
    return True


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def div(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def divmod_(a, b):
    return divmod(a, b)


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def np_min(a, b):
    return np.minimum(a, b)


def np_max(a, b):
    return np.maximum(a, b)


def np_fmin(a, b):
    return np.fmin(a, b)


def np_fmax(a, b):
    return np.fmax(a, b)


TWO = [
    add,
    sub,
    mul,
    div,
    floordiv,
    mod,
    divmod_,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    np_min,
    np_max,
    np_fmin,
    np_fmax,
]
OTHERS = [
    np.arange(-4, 4),
    np.arange(-4, 4, dtype=np.int8),
    np.arange(8, dtype=np.uint64),
    np.linspace(-2, 2, 8),
    np.linspace(-2, 2, 8).astype(np.float32),
    np.arange(8) % 2 == 0,
    np.arange(8) * 1j,
]


# what NumPy answers with False, or with an object, and we refuse
def answers_oddly(f, a, b):
    kinds = {np.asarray(a).dtype.kind, np.asarray(b).dtype.kind}
    return f in (eq, ne) and (
        kinds == {"m", "M"} or not kinds <= {"m", "M"} and ("M" in kinds or kinds & set("fcu"))
    )


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
def test_operators_over_units(f):
    compiled = njit(cache=False)(f)
    pairs = [(k, l) for k in "mM" for l in "mM"]
    for u in UNITS:
        for v in ("D", "Y", "M", "25s", "generic", "7D") if u in ("D", "25s", "M") else ("D",):
            for k, l in pairs:
                a, b = values(dtype_of(k, u)), values(dtype_of(l, v), seed=1)
                must = not answers_oddly(f, a, b)
                if check(f, a, b, compiled=compiled, must=must) and u == "D":
                    check(f, a[1], b[2], compiled=compiled, must=must)


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
def test_operators_with_numbers(f):
    compiled = njit(cache=False)(f)
    for u in ("D", "25s"):
        for k in "mM":
            a = values(dtype_of(k, u))
            for b in OTHERS if u == "D" else OTHERS[:1]:
                odd = answers_oddly(f, a, b)
                some = ((a[1], b[1]), (b[0], a[2])) if u == "D" and k == "m" else ()
                for x, y in ((a, b), (b, a), *some):
                    check(f, x, y, compiled=compiled, must=not odd)
            for n in (3, 0, True, 1.5) if u == "D" else (3,):
                odd = answers_oddly(f, a, n)
                check(f, a, n, compiled=compiled, must=not odd)
                check(f, n, a[1], compiled=compiled, must=not odd)


def neg(a):
    return -a


def pos(a):
    return +a


def absolute(a):
    return abs(a)


def np_absolute(a):
    return np.absolute(a)


def sign(a):
    return np.sign(a)


def isnat(a):
    return np.isnat(a)


def isnan(a):
    return np.isnan(a)


def isfinite(a):
    return np.isfinite(a)


def isinf(a):
    return np.isinf(a)


@pytest.mark.parametrize(
    "f",
    [neg, pos, absolute, np_absolute, sign, isnat, isnan, isfinite, isinf],
    ids=lambda f: f.__name__,
)
def test_one_operand(f):
    compiled = njit(cache=False)(f)
    for u in UNITS:
        for k in "mM":
            a = values(dtype_of(k, u))
            for x in (a, a[0], a[1], a[::-2], a.reshape(2, 4).T, a[:0], a.reshape(2, 4)[:, 1:2]):
                check(f, x, compiled=compiled)


LAYOUTS = {
    "c": lambda a: a.reshape(4, 6),
    "f": lambda a: np.asfortranarray(a.reshape(4, 6)),
    "strided": lambda a: np.repeat(a, 2)[::2].reshape(4, 6)[::-1, ::2],
    "0-d": lambda a: a[5].reshape(()) if hasattr(a[5], "reshape") else np.array(a[5]),
    "empty": lambda a: a[:0].reshape(0, 3),
    "readonly": lambda a: _readonly(a.reshape(4, 6)),
    "3-d": lambda a: a.reshape(2, 3, 4),
    "row": lambda a: a[None, :6],
}


def _readonly(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def mixed_expression(a, b):
    return (a - b) // np.timedelta64(1, "D") + 1


def where_later(a, b):
    return np.where(a > b, a, b)


def masked(a, b):
    c = a.copy()
    c[...] = b
    return c


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    "f", [sub, mixed_expression, where_later, masked, lt], ids=lambda f: f.__name__
)
def test_layouts(f, name):
    a = LAYOUTS[name](values(np.dtype("M8[D]"), 24))
    b = LAYOUTS[name](values(np.dtype("M8[D]"), 24, seed=3))
    check(f, a, b)
    if name == "c":
        check(f, a, b[0])
        check(f, a, b[:, :1])


def element(a, i):
    return a[i]


def part(a, i):
    return a[i:], a[::-1], a[i : i + 1]


def loop_total(a):
    s = np.timedelta64(0, "D")
    for x in a:
        if not np.isnat(x):
            s += x
    return s


def latest(a):
    best = np.datetime64("NaT")
    for x in a:
        if np.isnat(best) or x > best:
            best = x
    return best


def fill_in(a, d):
    a[0] = d
    a[1:3] = d
    a[-1] = np.datetime64("NaT")
    return a


def shift_all(a, d):
    a += d
    a[0] -= d
    return a


def shape_of(a):
    return a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.T, a.reshape(-1), a.ravel(), a.copy()


def made(n):
    e = np.empty(n, "M8[D]")
    e[:] = np.datetime64("2020-02-29")
    return (
        e,
        np.zeros(n, "m8[25s]"),
        np.zeros((2, n), dtype=np.dtype("datetime64[ns]")),
        np.full(n, np.datetime64("2020-01-01")),
        np.full(n, np.timedelta64(3, "h"), "m8[m]"),
        np.full((n, 2), 5, "m8[D]"),
        np.zeros(n, np.timedelta64),
    )


def made_like(a):
    z = np.zeros_like(a)
    e = np.empty_like(a)
    e[...] = a
    f = np.full_like(a, np.datetime64("2001-01-01"))
    return z, e, f, np.zeros(2, a.dtype)


def dates():
    return (
        np.datetime64("2020-01-01"),
        np.datetime64("2020-01-01T00:00", "s"),
        np.datetime64("NaT"),
        np.datetime64("2020"),
        np.datetime64("1969-12-31T23:59:59.999"),
        np.timedelta64(3, "D"),
        np.timedelta64("NaT"),
        np.timedelta64("NaT", "h"),
        np.timedelta64(),
        np.timedelta64(-3, "25s"),
        np.datetime64(5, "D"),
    )


def spans(n):
    return (
        np.timedelta64(n, "h"),
        np.timedelta64(n),
        np.datetime64(n, "D"),
        np.timedelta64(n + 1, "7D"),
    )


def to_units(d, m):
    return (
        np.datetime64(d, "h"),
        np.datetime64(d, "M"),
        np.datetime64(d),
        np.timedelta64(m, "s"),
        np.timedelta64(m, "W"),
        np.timedelta64(m),
    )


def days(m):
    return int(m // np.timedelta64(1, "D"))


def ranges(d, e, n):
    return (
        np.arange(d, e),
        np.arange(d, e, np.timedelta64(2, "D")),
        np.arange(d, e, n),
        np.arange(d, d),
        np.arange(np.timedelta64(0, "D"), np.timedelta64(9, "D"), np.timedelta64(2, "D")),
    )


FORMS = [
    (element, values(np.dtype("M8[D]")), 3),
    (element, values(np.dtype("M8[D]")).reshape(2, 4), 1),
    (part, values(np.dtype("m8[ns]")), 3),
    (loop_total, values(np.dtype("m8[D]"))),
    (latest, values(np.dtype("M8[D]"))),
    (fill_in, values(np.dtype("M8[D]")), np.datetime64("2020-05-05")),
    (shift_all, values(np.dtype("M8[D]")), np.timedelta64(4, "D")),
    (shift_all, values(np.dtype("M8[h]")), np.timedelta64(4, "D")),
    (shift_all, values(np.dtype("m8[D]")), 3),
    (shape_of, values(np.dtype("M8[D]")).reshape(2, 4)),
    (made, 3),
    (made, 0),
    (made_like, values(np.dtype("M8[D]")).reshape(2, 4)),
    (dates,),
    (spans, 5),
    (to_units, np.datetime64("2020-03-31"), np.timedelta64(50, "h")),
    (days, np.timedelta64(50, "h")),
    (ranges, np.datetime64("2020-02-27"), np.datetime64("2020-03-05"), 3),
    (ranges, np.datetime64("2020-02-27T00"), np.datetime64("2020-03-05T01"), 3),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f[0].__name__)
def test_forms(form):
    f, *args = form
    ours = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    want, got = f(*args), njit(cache=False)(f)(*ours)
    same(want, got)
    for a, b in zip(args, ours, strict=True):
        same(a, b)


def as_unit(unit):
    scope = {"np": np}
    exec(f"def f(a):\n    return a.astype('{unit}')", scope)
    return scope["f"]


@pytest.mark.parametrize("kind", "mM")
def test_conversions(kind, tmp_path):
    import linecache

    rng = np.random.default_rng(5)
    for v in UNITS[:-1]:
        source = f"import numpy as np\ndef f(a):\n    return a.astype('{kind}8[{v}]')\n"
        path = tmp_path / f"{kind}{v}.py"
        path.write_text(source)
        scope = {}
        exec(compile(source, str(path), "exec"), scope)
        linecache.checkcache(str(path))
        compiled = njit(cache=False)(scope["f"])
        for u in UNITS if v in ("D", "M", "25s") else ("Y", "D", "25s"):
            a = np.concatenate(
                [rng.integers(-200000, 200000, 40), [NAT, 0, -1, 1, 58, 59, 60, -719468]]
            )
            nonlinear = kind == "m" and (u in "YM") != (v in "YM")
            if kind + u != "Mgeneric":
                check(scope["f"], a.view(dtype_of(kind, u)), compiled=compiled, must=not nonlinear)
        check(scope["f"], np.arange(4), compiled=compiled)
        check(scope["f"], np.arange(4, dtype=np.int16), compiled=compiled)


def as_numbers(a):
    return a.astype("i8"), a.astype(np.int64), a.view("i8"), np.asarray(a).view(np.int64)


def views(a):
    return a.view("M8[s]"), a.view("m8[s]"), a.view(np.int64).view("M8[D]")


def test_numbers_and_views():
    for k in "mM":
        for a in (values(dtype_of(k, "D")), values(dtype_of(k, "ns")).reshape(2, 4)[::-1]):
            check(as_numbers, a)
            check(views, a)


def sums(a):
    return a.sum(), np.sum(a, axis=0), np.mean(a), a.mean(axis=-1), np.cumsum(a), a.cumsum(axis=0)


def kept(a):
    return np.sum(a, axis=1, keepdims=True), np.mean(a, axis=0, keepdims=True)


def extremes(a):
    return a.min(), a.max(), np.min(a, axis=0), np.max(a, axis=1), np.max(a, axis=0, keepdims=True)


def places(a):
    return a.argmin(), a.argmax(), np.argmin(a, axis=0), np.argmax(a, axis=1)


def ordered(a):
    b = a.copy()
    b.sort()
    return (
        np.sort(a),
        np.sort(a, axis=0),
        np.sort(a, axis=None),
        b,
        np.argsort(a, kind="stable"),
        np.argsort(a, axis=0, kind="stable"),
    )


def joined(a):
    return (
        np.concatenate((a, a)),
        np.stack((a, a[::-1])),
        np.flip(a),
        np.roll(a, 1),
        np.diff(a),
        np.ptp(a),
    )


def clipped(a, lo, hi):
    return np.clip(a, lo, hi), a.clip(lo, hi)


def found(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, side="right")


@pytest.mark.parametrize("nat", [False, True])
@pytest.mark.parametrize("unit", ["D", "25s"])
def test_functions(unit, nat):
    for k in "mM":
        a = np.random.default_rng(2).integers(-9, 9, (4, 6))
        if nat:
            a[1, 2] = a[3, 0] = NAT
        a = a.view(dtype_of(k, unit))
        for x in (a, np.asfortranarray(a), a[::2, ::-1]):
            for f in (extremes, places, ordered, joined):
                check(f, x)
            if k == "m":
                check(sums, x)
                check(kept, x)
        check(clipped, a, a[0, 1], a[2, 2])
        check(clipped, a, a[0, 1], a[1, 2])
        check(found, np.sort(a[1]), a[0])
        check(found, np.sort(a[1]), a[0, 0])


def total_of(a):
    return a.sum()


def mean_of(a):
    return np.mean(a)


def product_of(a):
    return a.prod()


def test_functions_that_numpy_refuses():
    d, m = values(np.dtype("M8[D]")), values(np.dtype("m8[D]"))
    for f, a in ((total_of, d), (mean_of, d), (product_of, m), (neg, d)):
        assert not check(f, a)


def greatest(a):
    return a.max()


def test_empty_has_no_extreme():
    f = njit(cache=False)(greatest)
    for k in "mM":
        with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
            f(np.zeros(0, dtype_of(k, "D")))


def chosen(c, a, b):
    return np.where(c, a, b)


def test_where():
    c = np.arange(8) % 3 == 0
    for u in ("D", "h", "M"):
        for k in "mM":
            a, b = values(dtype_of(k, "D")), values(dtype_of(k, u), seed=4)
            check(chosen, c, a, b)
            check(chosen, c, a[1], b)
        check(chosen, c, values(dtype_of("m", u)), 1)


def into(a, b, out):
    np.subtract(a, b, out=out)
    np.minimum(out, out, out)
    return out


def test_out():
    a, b = values(np.dtype("M8[D]")), values(np.dtype("M8[D]"), seed=9)
    check(into, a, b, np.zeros(8, "m8[D]"))
    with pytest.raises(swathe.CompileError, match=r"timedelta64\[D\]"):
        njit(cache=False)(into)(a, b, np.zeros(8, np.int64))


DAY = np.datetime64("2020-02-29")
HOLIDAYS = np.array(["2020-01-01", "2020-12-25", "NaT"], "M8[D]")


def with_globals(a):
    return a - DAY, HOLIDAYS - a[0], HOLIDAYS[0], DAY


def test_globals_and_closures():
    check(with_globals, values(np.dtype("M8[D]")))
    step = np.timedelta64(36, "h")

    def closed(a):
        return a + step

    check(closed, values(np.dtype("M8[D]")))
    check(closed, np.datetime64("2000-01-01"))


def first_or_none(a, d):
    found = None
    for x in a:
        if x > d:
            found = x
            break
    return found


def pair(a):
    t = (a[0], 1, a[1] - a[0])
    return t, t[2]


def listed(a):
    x = [a[0], a[1]]
    for v in a[2:]:
        x.append(v)
    x.reverse()
    return x, len(x), x[0], a[1] in x


def counted(a):
    d = {}
    for v in a:
        if not np.isnat(v):
            d[v] = d.get(v, 0) + 1
    return d


def sorted_list(a):
    x = [v for v in a]  # noqa: C416
    x.sort()
    return x, sorted(x, reverse=True)


def changed_list(x):
    x.append(x[0] + np.timedelta64(1, "D"))
    return x


def arrayed(a):
    return np.array([a[0], a[1]]), np.array([v for v in a]), np.array([a[0]])  # noqa: C416


def test_containers():
    a = values(np.dtype("M8[D]"))
    for d in (np.datetime64("1960-01-01"), np.datetime64("2100-01-01")):
        check(first_or_none, a, d)
    for f in (pair, listed, counted, arrayed):
        check(f, a)
        check(f, values(np.dtype("m8[25s]")))
    for n in (7, 100):
        b = np.random.default_rng(0).integers(-50, 50, n)
        check(sorted_list, b.view("M8[D]"))
        check(sorted_list, b.view("m8[D]"))
    x, y = list(a[1:3]), list(a[1:3])
    same(changed_list(x), njit(cache=False)(changed_list)(y))
    same(x, y)


RECORD = np.dtype([("when", "M8[s]"), ("how", "m8[ms]"), ("n", "i8")], align=True)


def rows(r):
    for i in range(len(r)):
        r["when"][i] = r["when"][i] + r["how"][i]


def test_records():
    def make():
        r = np.zeros(4, RECORD)
        r["when"] = np.array(["2020-01-01", "NaT", "1970-01-01", "1900-01-01"], "M8[s]")
        r["how"] = np.array([1, 2000, 3500, -1], "m8[ms]")
        return r

    def seconds(r):
        for i in range(len(r)):
            r[i]["when"] = r[i]["when"] + np.timedelta64(2, "s")
            r["n"][i] = r["how"][i] // np.timedelta64(1, "ms")
        return r["when"], r[1]["how"], r["n"]

    a, b = make(), make()
    same(seconds(a), njit(cache=False)(seconds)(b))
    assert (a["n"] == b["n"]).all() and (a["when"].view("i8") == b["when"].view("i8")).all()
    with pytest.raises(swathe.CompileError, match=r"datetime64\[ms\]"):
        njit(cache=False)(rows)(make())


def in_parallel(a, b, out):
    for i in swathe.prange(len(a)):
        out[i] = a[i] - b[i] if a[i] > b[i] else b[i] - a[i]
    return out


def test_parallel():
    f = njit(cache=False, parallel=True)(in_parallel)
    a, b = values(np.dtype("M8[D]"), 5000), values(np.dtype("M8[D]"), 5000, seed=8)
    same(in_parallel(a, b, np.zeros(5000, "m8[D]")), f(a, b, np.zeros(5000, "m8[D]")))


def test_signatures():
    @njit("datetime64[D](datetime64[D][:], timedelta64[h])", cache=False)
    def f(a, m):
        return np.datetime64(a[0] + m, "D")

    got = f(np.array(["2020-01-01"], "M8[D]"), np.timedelta64(49, "h"))
    same(np.datetime64("2020-01-03"), got)
    with pytest.raises(TypeError):
        f(np.array(["2020-01-01"], "M8[s]"), np.timedelta64(49, "h"))
    with pytest.raises(TypeError):
        f(np.array([1]), np.timedelta64(49, "h"))
    with pytest.raises(TypeError):
        f(np.array(["2020-01-01"], "M8[D]"), 49)


def test_units_are_specialisations():
    @njit(cache=False)
    def f(a):
        return a

    for u in ("D", "s", "25s"):
        for k in "mM":
            same(np.zeros(2, f"{k}8[{u}]"), f(np.zeros(2, f"{k}8[{u}]")))
            same(np.zeros(2, f"{k}8[{u}]")[0], f(np.zeros(2, f"{k}8[{u}]")[0]))
    assert len(f.signatures) == 12


def test_overflow_of_units():
    f = njit(cache=False)(sub)
    with pytest.raises(Exception, match="overflow getting a common metadata divisor"):
        f(np.zeros(2, "M8[W]"), np.zeros(2, "M8[as]"))
    assert operator.sub(np.zeros(1, "M8[D]"), np.zeros(1, "M8[s]")).dtype == "m8[s]"
