# SPDX-License-Identifier: BSD-3-Clause
"""Differential tests: CPython is the oracle, swathe must return the same.

A case is a function, its arguments and a few options.  `check` runs the function in
CPython, then compiled in each mode, on fresh copies of the arguments that keep strides
and aliasing, and compares: type, dtype, shape and value of the result, what happened to
the arguments, whether the result is a view of one, and the class of an exception.

Environment: SWATHE_ORACLE=1 compares CPython with itself (validates the corpus);
SWATHE_MODES=plain,debug restricts the modes, SWATHE_MODES=all forces all of them.
"""

import ast
import atexit
import builtins
import ctypes
import inspect
import linecache
import os
import re
import shutil
import sys
import tempfile
import types
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

ORACLE = os.environ.get("SWATHE_ORACLE") == "1"
OPTIONS = {
    "plain": {},
    "unchecked": {"boundscheck": False},
    "debug": {"debug": True},
    "parallel": {"parallel": True},
    "quick": {"opt_level": 0},  # LLVM hardly optimises: for many calls that each run once
}
PLAIN = ("plain",)
QUICK = ("quick",)
ALL = ("plain", "unchecked", "debug")
FP_CHECKS = (OverflowError, FloatingPointError, ZeroDivisionError)


@dataclass
class Options:
    """How to compare one case."""

    ulp: float = 0  # 0: bit for bit (NaN payloads aside); else units in the last place
    scale: float = 0.0  # magnitude of the terms, where a result can cancel
    zeros: bool = True  # the sign of a zero matters
    promoted: bool = False  # a number may come back in the type that joins promote to
    undefined: bool = False  # contents of a result are not defined (np.empty)
    views: bool = True  # a result must be a view of an argument where the oracle's is
    raises: object = None  # class CPython must raise; ... where it may raise anything
    instead: object = None  # documented difference: class that swathe raises instead
    modes: tuple = ALL
    kw: dict = field(default_factory=dict)  # keyword arguments of the call

    def of(self, dtype):
        """Those for numbers of a dtype."""
        return self


@dataclass
class Outcome:
    """What one call did."""

    value: object
    error: object
    args: tuple
    events: list


# --- functions from text --------------------------------------------------------------

_made = {}
_folder = None


def define(source, name=None):
    """The function `name` (or the last one) of `source`, which is kept in a file so that
    its source can be found."""
    global _folder
    if (source, name) in _made:
        return _made[source, name]
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="swathe-diff-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    # the children of a process that forks have one folder
    module = types.ModuleType(f"swathe_diff_{os.getpid()}_{len(_made)}")
    module.__file__ = os.path.join(_folder, module.__name__ + ".py")
    header = "import cmath\nimport math\n\nimport numpy as np\n\n\n"
    with open(module.__file__, "w") as file:
        file.write(header + source)
    linecache.checkcache(module.__file__)
    sys.modules[module.__name__] = module
    exec(compile(header + source, module.__file__, "exec"), module.__dict__)
    found = [v for v in vars(module).values() if isinstance(v, types.FunctionType)]
    result = vars(module)[name] if name else found[-1]
    _made[source, name] = result
    return result


def expression(text, names):
    """A function over parameters `names` that returns the expression `text`, or runs it,
    where it is a statement or has several lines."""
    lines = text.strip().split("\n")
    if len(lines) == 1 and isinstance(ast.parse(lines[0]).body[0], ast.Expr):
        lines[0] = "return " + lines[0]
    return define(f"def f({names}):\n" + "".join(f"    {line}\n" for line in lines))


# --- running --------------------------------------------------------------------------

_compiled = {}


def compiled(f, mode):
    """`f` compiled in a mode; one dispatcher for each function and mode."""
    if ORACLE:
        return f
    key = f, mode
    if key not in _compiled:
        import swathe

        options = OPTIONS[mode]
        _compiled[key] = swathe.njit(**options)(f) if options else swathe.njit(f)
    return _compiled[key]


def run(f, args, kw):
    events = []
    value = error = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="call", under="ignore", call=lambda k, _: events.append(k)):
            try:
                value = f(*args, **kw)
            except Exception as e:
                error = e
    return Outcome(value, error, args, events)


def arrays_in(value):
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (tuple, list)):
        return [a for item in value for a in arrays_in(item)]
    return []


def copy_args(args):
    """Copies that keep layout, alignment, read-only flags and memory in common."""
    arrays = arrays_in(args)
    memo = {}
    plain = all(a.base is None for a in arrays)

    def copy(value):
        if isinstance(value, tuple):
            items = [copy(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if not isinstance(value, np.ndarray):
            return value
        if id(value) not in memo:
            memo[id(value)] = value.copy("K") if plain else _copy_view(value, memo)
            memo[id(value)].flags.writeable = value.flags.writeable
        return memo[id(value)]

    return copy(tuple(args))


def _copy_view(a, memo):
    root = a
    while isinstance(root.base, np.ndarray):
        root = root.base
    low, high = np.lib.array_utils.byte_bounds(root)
    if ("root", low) not in memo:
        buffer = np.empty(high - low + 128, np.uint8)
        start = (low - buffer.ctypes.data) % 64
        ctypes.memmove(buffer.ctypes.data + start, low, high - low)
        memo["root", low] = buffer, start
    buffer, start = memo["root", low]
    offset = start + a.ctypes.data - low
    return np.ndarray(a.shape, a.dtype, buffer, offset, a.strides)


# --- comparing ------------------------------------------------------------------------


def error_class(error):
    """The class a user would catch: private subclasses of NumPy's and ours aside."""
    for cls in type(error).__mro__:
        home = cls.__module__
        if hasattr(builtins, cls.__name__) and home == "builtins":
            return cls
        if home == "numpy.exceptions" or not home.startswith(("numpy", "swathe")):
            return cls
    return type(error)


def differ(want, got, o, path="result"):
    """A sentence that says how two values differ, or None."""
    if o.promoted and is_number(want) and is_number(got):
        same = want == got or (want != want and got != got)
        return None if same else f"{path}: {want!r} expected, got {got!r}"
    if type(want) is not type(got):
        return f"{path}: {describe(want)} expected, got {describe(got)}"
    if isinstance(want, tuple) or (isinstance(want, list) and arrays_in(want)):
        if len(want) != len(got):
            return f"{path}: {len(want)} items expected, got {len(got)}"
        pairs = enumerate(zip(want, got))
        found = (differ(w, g, o, f"{path}[{i}]") for i, (w, g) in pairs)
        return next((d for d in found if d), None)
    if isinstance(want, np.ndarray):
        if want.dtype != got.dtype or want.shape != got.shape:
            return f"{path}: {describe(want)} expected, got {describe(got)}"
        return None if o.undefined else _differ_values(want, got, o, path)
    if isinstance(want, (float, complex, np.generic)):
        return _differ_values(np.array(want), np.array(got), o, path)
    return None if want == got else f"{path}: {want!r} expected, got {got!r}"


def is_number(value):
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def _differ_values(want, got, o, path):
    bad = ~same_values(want, got, o)
    if not bad.any():
        return None
    i = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(bad)))
    w, g = np.atleast_1d(want)[i], np.atleast_1d(got)[i]
    where = f"{path}{list(i)}" if want.ndim else path
    return f"{where}: {w!r} expected, got {g!r} ({bad.sum()} of {bad.size} differ)"


def same_values(want, got, o):
    """A boolean array: where two arrays of one dtype and shape agree."""
    if want.dtype.kind not in "fc":
        return np.asarray(want == got)
    o = o.of(want.dtype)
    with np.errstate(all="ignore"):
        if want.dtype.kind == "f":
            return _same_reals(want, got, o)
        exact = Options(zeros=o.zeros and not o.ulp)
        parts = _same_reals(want.real, got.real, exact)
        parts &= _same_reals(want.imag, got.imag, exact)
        if not o.ulp:
            return parts
        size = np.maximum(np.abs(want), o.scale)
        finite = np.isfinite(want) & np.isfinite(got)
        return parts | finite & (np.abs(want - got) <= o.ulp * unit(want.dtype, size))


def _same_reals(want, got, o):
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    if o.zeros:
        same &= (want != 0) | (got != 0) | (np.signbit(want) == np.signbit(got))
    if o.ulp:
        slack = o.ulp * unit(want.dtype, max(o.scale, 1.0))
        assert want.dtype.itemsize > 2 or slack < 0.1, f"a tolerance of {slack} tests nothing"
        wide = np.float64 if want.dtype.itemsize < 8 else want.dtype
        w, g = want.astype(wide), got.astype(wide)
        size = np.maximum(np.abs(w), o.scale)
        finite = np.isfinite(w) & np.isfinite(g)
        nonzero = (w != 0) | (g != 0)
        same |= finite & nonzero & (np.abs(w - g) <= o.ulp * unit(want.dtype, size))
    return np.asarray(same)


def unit(dtype, size):
    info = np.finfo(dtype)
    return np.maximum(float(info.eps) * size, float(info.smallest_subnormal))


def compare(want, got, o, mode):
    """A sentence that says how two outcomes differ, or None."""
    if o.instead and not ORACLE:
        if got.error is not None and error_class(got.error) is o.instead:
            return None
        return f"{o.instead.__name__} expected, got {describe_outcome(got)}"
    if want.error is not None or got.error is not None:
        return _compare_errors(want, got, o, mode)
    found = differ(want.value, got.value, o)
    if found or not o.views:
        return found or _compare_args(want, got, o)
    return _compare_args(want, got, o) or _compare_views(want, got)


def holds_nan(value):
    if isinstance(value, (tuple, list)):
        return any(map(holds_nan, value))
    kind = np.asarray(value).dtype.kind
    return kind in "fc" and bool(np.isnan(value).any())


def _compare_errors(want, got, o, mode):
    if want.error is None:
        # debug=True may report what NumPy only warns of, and NaNs of Python's numbers
        nan = isinstance(got.error, FloatingPointError) and holds_nan([want.value, want.args])
        if mode == "debug" and (nan or (want.events and isinstance(got.error, FP_CHECKS))):
            return None
        return f"{describe_outcome(want)} expected, got {describe_outcome(got)}"
    if got.error is None or error_class(want.error) is not error_class(got.error):
        return f"{describe_outcome(want)} expected, got {describe_outcome(got)}"
    if not ORACLE and not is_ours(got.error) and not same_message(want.error, got.error):
        return f"{describe_outcome(want)} expected, got {describe_outcome(got)}"
    return _compare_args(want, got, o)


def is_ours(error):
    """Whether swathe found it while it compiled, and says in its own words what is wrong."""
    import swathe

    return isinstance(error, swathe.errors.Error) or "\n  [" in str(error) or "[1] " in str(error)


# NumPy says more of ragged rows (what it has found); swathe names the function that calls itself
# for ever.
SHORTER = "setting an array element with a sequence"
LONGER = "maximum recursion depth exceeded"


def same_message(want, got):
    want, got = message(want), message(got)
    same = want == got or (got.startswith(SHORTER) and want.startswith(got))
    return same or (want.startswith(LONGER) and got.startswith(LONGER))


def message(error):
    """The text of an error without what swathe adds: the place, and the name of the array; without
    addresses, and without what pytest makes of an assertion."""
    text = error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else error
    text = str(text).split("\n  File ")[0]
    if isinstance(error, AssertionError) and text.startswith("assert "):
        return ""
    text = re.sub(r" of '\w+' with size ", " with size ", text)
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def _compare_args(want, got, o):
    o = Options(ulp=o.ulp, scale=o.scale, zeros=o.zeros)
    for i, (w, g) in enumerate(zip(want.args, got.args)):
        found = differ(w, g, o, f"argument {i} afterwards")
        if found:
            return found
    return None


def _compare_views(want, got):
    def views(outcome):
        sources = arrays_in(outcome.args)
        results = arrays_in(outcome.value)
        return [[np.may_share_memory(r, s) for s in sources] for r in results]

    if views(want) == views(got):
        return None
    return f"result is a view of arguments {views(want)} expected, got {views(got)}"


# --- reporting ------------------------------------------------------------------------


def describe(value):
    if isinstance(value, np.ndarray):
        shape = ",".join(map(str, value.shape))
        return f"array {value.dtype.name}[{shape}]"
    return f"{type(value).__name__} {value!r}"


def describe_outcome(outcome):
    if outcome.error is not None:
        return f"{type(outcome.error).__name__}: {outcome.error}"
    return show(outcome.value)


def show(value):
    if isinstance(value, tuple) and arrays_in(value):
        return "(" + ", ".join(map(show, value)) + ",)"
    if not isinstance(value, np.ndarray):
        return f"{value!r} ({type(value).__name__})"
    with np.printoptions(threshold=200, floatmode="unique", linewidth=88):
        text = f"np.array({value.tolist() if value.size <= 40 else value}"
    text += f", np.{value.dtype.name})"
    if value.size == 0:
        text += f".reshape({value.shape})"
    if not value.flags.c_contiguous:
        text += f" with strides {value.strides}"
    return text if value.flags.writeable else text + " read-only"


def report(f, args, o, mode, what, want, got):
    lines = [f"swathe differs from CPython in mode {mode}: {what}", ""]
    try:
        lines += [inspect.getsource(f).rstrip(), ""]
    except OSError:
        lines += [repr(f), ""]
    lines += [f"argument {i}: {show(a)}" for i, a in enumerate(args)]
    lines += [f"keyword {k}: {show(v)}" for k, v in o.kw.items()]
    lines += ["", f"CPython: {describe_outcome(want)}"]
    return "\n".join(lines + [f"swathe:  {describe_outcome(got)}"])


# --- cases ----------------------------------------------------------------------------


def modes_of(o):
    chosen = os.environ.get("SWATHE_MODES")
    if chosen == "all":
        return ALL
    if chosen:
        return tuple(m for m in o.modes if m in chosen.split(",")) or PLAIN
    return o.modes


def check(f, *args, **options):
    """Run `f(*args)` in CPython and in each mode; fail with a report if they differ."""
    __tracebackhide__ = True
    o = Options(**options)
    problem = mismatch(f, args, o)
    if problem:
        pytest.fail(problem, pytrace=False)


def mismatch(f, args, o):
    """The report on the first mode that differs, or None."""
    want = run(f, copy_args(args), o.kw)
    wrong = _unexpected(want.error, o.raises)
    if wrong:
        return report(f, args, o, "oracle", wrong, want, want)
    for mode in modes_of(o):
        if mode == "unchecked" and isinstance(want.error, IndexError):
            continue
        got = run(compiled(f, mode), copy_args(args), o.kw)
        found = compare(want, got, o, mode)
        if found:
            return report(f, args, o, mode, found, want, got)
    return None


def _unexpected(error, raises):
    if raises is ...:
        return None
    if raises is None:
        return error and f"the case is wrong: CPython raises {error!r}"
    if error is None or error_class(error) is not raises:
        return f"the case is wrong: {raises.__name__} expected, CPython gives {error!r}"
    return None


def label(value):
    """A short name of an argument's type for test ids."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        order = "" if flags.c_contiguous else "F" if flags.f_contiguous else "S"
        shape = "x".join(map(str, value.shape))
        return f"{value.dtype.str[1:]}[{shape}]{order}"
    if isinstance(value, np.generic):
        return value.dtype.str[1:]
    if isinstance(value, tuple):
        return "(" + ",".join(map(label, value)) + ")"
    return repr(value) if isinstance(value, int) else type(value).__name__


class Corpus:
    """The cases of one file; `test()` at its end makes them tests."""

    def __init__(self, **defaults):
        self.defaults = defaults
        self.cases = []

    def __call__(self, *args, **options):
        """Decorator: a case that calls the function with `args`."""

        def keep(f):
            self.add(f, *args, **options)
            return f

        return keep

    def add(self, f, *args, id=None, **options):
        name = id or "-".join([f.__name__, *map(label, args)])
        self._keep(name, lambda: f, args, options)

    def expr(self, text, *args, id=None, names="abcdefgh", **options):
        """Cases from text: an expression (or lines) over a, b, c, …."""
        parameters = ", ".join(names[: len(args)])
        title = text.strip().replace("\n", ";")
        name = id or "-".join([title, *map(label, args)])
        self._keep(name, lambda: expression(text, parameters), args, options)

    def _keep(self, name, make, args, options):
        name = name.replace("\\", "/").replace(" ", "")
        self.cases.append((name, make, args, {**self.defaults, **options}))

    def test(self):
        params = [pytest.param(case, id=case[0]) for case in self.cases]

        @pytest.mark.parametrize("case", params)
        def test_case(case):
            __tracebackhide__ = True
            _, make, args, options = case
            check(make(), *args, **options)

        return test_case


# --- samples --------------------------------------------------------------------------

INTS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FLOATS = ("f2", "f4", "f8")
COMPLEX = ("c8", "c16")
DTYPES = ("?", *INTS, *FLOATS, *COMPLEX)


def sample(dtype, shape=7, seed=0, edges=False):
    """Small exact values of a dtype, the same at every run; with `edges`, NaN, infinity,
    signed zeros and the limits of integers among them."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape))
    k = (np.arange(n) * 5 + 3 * seed + 1) % 17
    if dtype.kind == "b":
        values = k % 3 == 0
    elif dtype.kind == "u":
        values = k
    elif dtype.kind == "i":
        values = k - 8
    elif dtype.kind == "f":
        values = (k - 8) / 4 + 0.125
    else:
        values = (k - 8) / 4 + 0.125 + 1j * ((k * 7) % 11 - 5.5) / 2
    values = np.asarray(values).astype(dtype)
    if edges and dtype.kind in "iuf":
        special = edge_values(dtype)
        at = (np.arange(len(special)) * 3 + seed) % max(n, 1)
        for i, v in zip(at[:n], special):
            values[i] = v
    return values.reshape(shape)


def edge_values(dtype):
    if np.dtype(dtype).kind == "f":
        return np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], dtype)
    info = np.iinfo(dtype)
    return np.array([info.max, info.min, 0, 1, info.min], dtype)


def layouts(dtype, shape, seed=0, edges=False):
    """The same values in memory layouts: C, Fortran, strided, reversed, transposed."""
    c = sample(dtype, shape, seed, edges)
    wide = np.zeros([2 * n for n in c.shape], c.dtype)
    every = (slice(None, None, 2),) * c.ndim
    wide[every] = c
    back = (slice(None, None, -1),) * c.ndim
    found = {"C": c, "strided": wide[every], "reversed": c[back].copy()[back]}
    if c.ndim > 1:
        found["F"] = np.asfortranarray(c)
        found["perm"] = np.moveaxis(np.moveaxis(c, 0, -1).copy(), -1, 0)
    return found
