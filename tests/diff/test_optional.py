# SPDX-License-Identifier: BSD-3-Clause
"""Values that may be None: how they come about, what narrows them, and what CPython says of None
where a value is needed. Forms are put together from a kind of value, a source and a use."""

import collections

import numpy as np
import pytest
from harness import Corpus, check, define
from live_memory import live

import swathe

corpus = Corpus()
case = corpus
Pair = collections.namedtuple("Pair", "x y")

# how a value of each kind is made from n, which is 3 or more where there is one
VALUES = {
    "int": "n",
    "float": "n * 1.5",
    "bool": "n > 4",
    "complex": "n * 1j",
    "float32": "np.float32(n)",
    "uint8": "np.uint8(n)",
    "array": "np.arange(n) * 1.5",
    "matrix": "np.ones((n, 2))",
    "no_axes": "np.array(n * 2.5)",
    "tuple": "(n, n * 0.5)",
    "nested": "(n, (np.arange(n), n * 0.5))",
    "named": "Pair(n, None if n < 5 else n)",
}
SOURCES = {
    "branch": "x = None\nif n >= 3:\n    x = {value}",
    "other_branch": "if n < 3:\n    x = None\nelse:\n    x = {value}",
    "ternary": "x = {value} if n >= 3 else None",
    "loop": "x = None\nfor i in range(n):\n    if i >= 2:\n        x = {value}",
    "helper": "x = maybe(n)",
    "handler": (
        "x = None\ntry:\n    if n < 3:\n        raise ValueError(n)\n    x = {value}\n"
        "except ValueError:\n    pass"
    ),
    "cleared": "x = {value}\nfor i in range(2):\n    if n < 3:\n        x = None",
    "tuple": "t = (1, {value}) if n >= 3 else (2, None)\nx = t[1]",
    "recursion": "x = down(n, n)",
}
USES = {
    "return": "return x",
    "pair": "return x, n",
    "is": "return x is None, x is not None",
    "is_none": "if x is None:\n    return -1, None\nreturn n, x",
    "is_not": "if x is not None:\n    return n, x\nreturn -1, None",
    "early": "if x is None:\n    raise ValueError('there is none')\nreturn x",
    "assert": "assert x is not None, 'there is none'\nreturn x",
    "while": "k = 0\nwhile x is not None:\n    k += 1\n    if k > 2:\n        x = None\nreturn k",
    "walrus": "if (y := x) is not None:\n    return y, 1\nreturn y, 0",
    "not": "if not (x is None):\n    return 1, x\nreturn 0, x",
    "or": "if x is None or n > 4:\n    return 0, x\nreturn 1, x",
    "and": "if x is not None and n > 4:\n    return 1, x\nreturn 0, x",
    "continue": (
        "s = 0\nfor i in range(3):\n    if x is None:\n        continue\n    s += 1\n    x = x\n"
        "return s, x"
    ),
    "two": "y = x\nx = None\nreturn x, y",
    "closure": "def g():\n    return x is None\nreturn g()",
    "argument": "return show(x)",
    "format": "raise ValueError(f'{x is None} {n}')",
}
HEAD = """
from collections import namedtuple
Pair = namedtuple("Pair", "x y")

def maybe(n):
    if n >= 3:
        return {value}

def down(k, n):
    if n < 3:
        return None
    if k > 0:
        return down(k - 1, n)
    return {value}

def show(y=None):
    return 0 if y is None else 1
"""


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def program(value, source, use):
    calls = any(name in source + use for name in ("maybe", "down", "show"))
    head = HEAD.format(value=value) if calls else HEAD.split("def")[0]
    body = indented(source.format(value=value)) + indented(use)
    return f"import numpy as np\n{head}\ndef f(n):\n{body}"


def forms():
    """All uses of floats and arrays; one in four of the other combinations."""
    every = ((k, s, u) for k in VALUES for s in SOURCES for u in USES)
    return [f for i, f in enumerate(every) if f[0] in ("float", "array") or i % 4 == 0]


@pytest.mark.parametrize("kind, source, use", forms())
def test_forms(kind, source, use):
    f = define(program(VALUES[kind], SOURCES[source], USES[use]), "f")
    for n in (0, 2, 3, 5):
        check(f, n, modes=("plain",), promoted=True, raises=...)


# ---- truth, comparison, use of what may be None ----------------------------------------

NUMBERS = {
    "int": "n - 3",
    "float": "n - 3.0",
    "float64": "np.float64(n - 3)",
    "bool": "n > 3",
    "complex": "n - 3 + 0j",
}
TESTS = {
    "if": "if x:\n    return x, 1\nreturn x, 0",
    "ifnot": "if not x:\n    return 0, x\nreturn 1, x",
    "bool": "return bool(x), not x",
    "or": "return (x or 7.5) * 2",
    "eq": "return x == 1, x != 1, 1 == x, x == None, None != x",
    "eq2": "y = x if n != 4 else None\nreturn x == y, x != y, (x, 1) == (y, 1), y == x",
    "in": "return x in (1, 2, None), None in (x, 1), x not in (1, 5)",
    "equal_narrows": "if x == 1:\n    return x + 1\nreturn 0",
    "chain": "return 1 if x is not None and x == x == 2 else 0",
    "isinstance": "if isinstance(x, (int, float, complex)):\n    return x * 1.0\nreturn 0.0",
    "any": "return any([x is None, n > 4]), all((x is not None, n > 4))",
    "min": "return min(2, 1 if x is None else 0)",
    "abs": "return abs(x)",
}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("kind", NUMBERS)
def test_truth(kind, test):
    f = define(program(NUMBERS[kind], SOURCES["ternary"], TESTS[test]), "f")
    for n in (0, 3, 4, 5):
        check(f, n, modes=("plain",), promoted=True, raises=...)


# ---- what CPython says -----------------------------------------------------------------

NEEDS = [
    *(
        f"x {op} {b}"
        for op in ("+", "-", "*", "/", "//", "%", "**")
        for b in ("2", "2.5", "True", "np.float64(2)")
    ),
    *(
        f"{a} {op} x"
        for op in ("+", "-", "*", "/", "//", "%", "**")
        for a in ("2", "2.5", "np.int64(2)")
    ),
    *(f"x {op} 3" for op in ("<", "<=", ">", ">=", "&", "|", "^", "<<", ">>")),
    *(f"np.int64(3) {op} x" for op in ("<", ">", "&")),
    *(f"x {op} np.float64(3)" for op in ("<", "<=", ">", ">=")),
    *(f"x {op} y" for op in ("+", "-", "<", ">=", "**")),
    "np.arange(3) + x",
    "x * np.ones(2)",
    "np.ones(2) < x",
    "x > np.ones(2)",
    "np.arange(3) // x",
    "-x",
    "+x",
    "~x",
    "abs(x)",
    "float(x)",
    "int(x)",
    "complex(x)",
    "round(x)",
    "math.sqrt(x)",
    "math.floor(x)",
    "np.sqrt(x)",
    "np.exp(x)",
    "divmod(x, 2)",
    "divmod(2, x)",
    "pow(x, 2)",
    "pow(2, x)",
    "max(x, 1)",
    "max(1, x)",
    "min(x, 1)",
    "min(1, x)",
    "len(range(x))",
    "(1, 2)[x]",
    "0 < x < 3",
    "np.float64(x)",
    "bool(x)",
    "3 in (x, 1)",
]
ARRAYS = [
    "x[0]",
    "x[1:]",
    "x.shape",
    "x.sum()",
    "x.T",
    "len(x)",
    "sum(x)",
    "x + 1",
    "1 - x",
    "x @ x",
    "x + x",
    "-x",
    "x[n - 1]",
    "np.array([v * 2 for v in x])",
    "max(x)",
    "any(x)",
    "x.astype(np.float32)",
    "x < 2",
    "3.0 in x",
    "x.ndim",
    "x.ndim == 1 and n > 2",
    "sum([v for v in x])",
    "x.size",
]
TUPLES = [
    "x[0]",
    "x[n % 2]",
    "x[1:]",
    "len(x)",
    "x + (1,)",
    "(1,) + x",
    "x * 2",
    "1 in x",
    "5 if len(x) else n",
    "max(x)",
    "sum(x)",
    "x < (1, 2)",
]
STATEMENTS = [
    "for v in x:\n    n += 1\nreturn n",
    "a, b = x\nreturn a",
    "(a, *b) = x\nreturn a",
    "x[0] = 5\nreturn x",
    "x += 1\nreturn x",
    "x[0] += 1\nreturn x",
    "for i, v in enumerate(x):\n    n += i\nreturn n",
    "for v, w in zip(x, x):\n    n += 1\nreturn n",
    "for v in reversed(x):\n    n += 1\nreturn n",
]


def same_error(f, n):
    """The class and the message, or the result."""
    check(f, n, modes=("plain",), promoted=True, raises=...)


WHOLE = ("<<", ">>", "&", "|", "^", "~", "range", "[x]")


@pytest.mark.parametrize(
    "kind, text",
    [(k, t) for t in NEEDS for k in ("n", "n * 0.5") if k == "n" or not any(w in t for w in WHOLE)],
)
def test_messages_of_numbers(kind, text):
    head = "import math\nimport numpy as np\n"
    body = f"x = {kind} if n > 2 else None\ny = {kind} if n % 2 else None\nreturn {text}\n"
    f = define(f"{head}def f(n):\n{indented(body)}", "f")
    for n in (0, 1, 3, 4):
        same_error(f, n)


@pytest.mark.parametrize("text", ARRAYS)
def test_messages_of_arrays(text):
    body = f"x = np.arange(n) * 1.0 if n > 2 else None\nreturn {text}"
    f = define(f"import numpy as np\ndef f(n):\n{indented(body)}", "f")
    for n in (0, 3) if "any" not in text else (0,):
        if text == "x @ x" and n == 0:
            continue
        same_error(f, n)


@pytest.mark.parametrize("text", TUPLES)
def test_messages_of_tuples(text):
    f = define(
        f"import numpy as np\ndef f(n):\n    x = (n, 2) if n > 2 else None\n    return {text}\n",
        "f",
    )
    for n in (0, 3):
        same_error(f, n)


def of_tuples(text):
    return "x[0]" not in text and not text.startswith("x +=")


@pytest.mark.parametrize(
    "kind, text",
    [("np.arange(2) * 1.0", t) for t in STATEMENTS if "*b" not in t]
    + [("(n, 2)", t) for t in STATEMENTS if of_tuples(t)],
)
def test_messages_of_statements(kind, text):
    f = define(
        f"import numpy as np\ndef f(n):\n    x = {kind} if n > 2 else None\n{indented(text)}", "f"
    )
    for n in (0, 3):
        same_error(f, n)


def test_order_of_evaluation():
    """The other operand is evaluated before None is refused."""

    def touch(a):
        a[0] += 1
        return 2

    def f(a, n):
        x = n if n > 2 else None
        try:
            x + touch(a)
        except TypeError:
            a[1] = 7
        return a

    check(f, np.zeros(2), 0)
    check(f, np.zeros(2), 3)


# ---- more ------------------------------------------------------------------------------


@case(np.array([3.0, 1.0, 2.0]))
@case(np.zeros(0))
def least(a):
    best = None
    at = None
    for i, v in enumerate(a):
        if best is None or v < best:
            best = v
            at = i
    return best, at


@case(np.arange(5) * 1.5)
@case(np.zeros(1))
@case(np.zeros(0))
def differences(a):
    before = None
    n = 0
    for v in a:
        if before is not None and v > before:
            n += 1
        before = v
    return n, before


@case(3)
@case(7)
def slices(n):
    a = np.arange(8) * 1.5
    lo = 2 if n > 4 else None
    hi = n if n < 5 else None
    step = None if n < 5 else 2
    return a[lo:hi], a[hi:lo:-1], a[::step], a[lo::step], a[:hi]


@case(0)
@case(4)
def stores(n):
    x = n if n > 2 else None
    a, b = np.ones(2), np.ones(2, dtype=np.bool_)
    a[0] = x
    b[0] = x
    return a, b


@case(0, raises=TypeError)
@case(4)
def stores_int(n):
    a = np.ones(2, dtype=np.int64)
    a[0] = n if n > 2 else None
    return a


def scaled(x, by=None, plus=None):
    if by is None:
        by = 2.0
    x = x * by
    return x if plus is None else x + plus


@case(3.0)
def defaults(x):
    return scaled(x), scaled(x, 3.0), scaled(x, plus=1.0), scaled(x, None, 2.0), scaled(x, 2, None)


@case(3)
@case(1)
def passes_on(n):
    return scaled(1.5, None if n > 2 else 4.0, n if n > 2 else None)


@case(0, promoted=True)
@case(1)
@case(9)
def chain_of_elses(n):
    x = None
    if n == 0:
        x = 1
    elif n == 1:
        x = 2.5
    else:
        pass
    return x


@case(6)
def narrowed_attribute(n):
    p = Pair(n, None if n < 5 else n * 2)
    q = Pair(n, None if n > 5 else n * 2)
    s = 0
    if p.y is not None:
        s += p.y
    if q.y is not None and p.y is not None:
        s += q.y + p.y
    return s, q[1] or 3


@case(0)
@case(5)
def tried(n):
    x = None
    try:
        if n > 3:
            x = n
        if n > 4:
            raise ValueError("five")
        y = x + 1
    except ValueError:
        y = x * 10
    except TypeError:
        y = -1
    return x, y


@case(2)
@case(7)
def deep(n):
    t = (1, (None if n > 4 else n, None))
    if t[1][0] is not None:
        return t[1][0] + 1, t
    return t[0], t


@case(4)
@case(0)
def filtered(n):
    t = (1, None, n if n > 2 else None, 4)
    return sum([v for v in t if v is not None]), np.array([v for v in t if v is not None and v > 1])


@case(0)
@case(1)
def rebound_in_and(n):
    x = 2
    n and (x := 1)
    return x, (x, 3)


@case(0, raises=TypeError)
@case(4)
def index_of_a_list(n):
    values = [3, 1, 2, 5, 9]
    x = n if n > 2 else None
    return values[x]


@case(0, raises=KeyError)
@case(4)
def key_of_a_dict(n):
    d = {4: 1.5}
    x = n if n > 2 else None
    return d[x]


@case(0)
@case(4)
def beside_lists(n):
    values = [3, 1, 2]
    x = n if n > 2 else None
    for v in values:
        if x is None or v < x:
            x = v
    return x, values


test_case = corpus.test()


# ---- at the boundary -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["optional(float64)", "Optional[float64]", "float64 | None", "None | f8", "f8|none"]
)
def test_signatures(text):
    f = swathe.njit(f"({text}, int64)")(lambda x, n: n * 1.0 if x is None else x + n)
    assert f(None, 2) == 2.0
    assert f(1.5, 2) == 3.5
    assert f(1, 2) == 3.0
    with pytest.raises(TypeError):
        f("a", 2)


def test_signature_of_arrays():
    @swathe.njit("(optional(f8[:]), optional(Tuple((int64, c16, f4[:,::1]))))")
    def f(x, t):
        n = 0 if x is None else x.size
        return x, t, n, -1 if t is None else t[2].size

    x, t = np.arange(6.0)[::2], (3, 2j, np.ones((2, 3), np.float32))
    assert f(None, None) == (None, None, 0, -1)
    got = f(x, None)
    assert got[0] is x and got[1:] == (None, 3, -1)
    got = f(None, t)
    assert got[0] is None and got[1][2] is t[2] and got[2:] == (0, 6)


def test_a_bad_signature_says_so():
    with pytest.raises(Exception, match="optional"):
        swathe.njit("(optional(),)")(lambda x: x)
    with pytest.raises(Exception, match="None"):
        swathe.njit("(int64 | float64,)")(lambda x: x)


def test_in_a_list_of_ints():
    @swathe.njit
    def f(n):
        values = [1]
        values.append(n if n > 2 else None)
        return values

    assert f(3) == [1, 3]
    assert f(1) == [1, None]


def test_nothing_is_lost():

    @swathe.njit
    def f(n, k):
        x = None
        kept = None
        for i in range(n):
            if i % 3 == k:
                x = None
            elif x is None:
                x = np.full(i + 1, 1.5)
                kept = x if kept is None else kept
            else:
                x = x * 2
        if k == 2:
            raise ValueError("on the way")
        return x, (kept, 1)

    for k in (0, 1):
        f(7, k)
    before = live()
    for n in (0, 1, 2, 7):
        for k in (0, 1, 2):
            try:
                f(n, k)
            except ValueError:
                pass
    assert live() == before


# ---- parallel loops --------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_last_value_of_a_parallel_loop(n):
    def f(a):
        last = None
        for i in swathe.prange(len(a)):
            last = a[i]
        return last

    assert swathe.njit(parallel=True)(f)(np.arange(n)) == f(np.arange(n))


def test_private_in_a_parallel_loop():
    @swathe.njit(parallel=True)
    def f(a, out):
        for i in swathe.prange(len(a)):
            v = None
            if a[i] > 2:
                v = a[i]
            out[i] = -1.0 if v is None else v

    out = np.zeros(1000)
    f(np.arange(1000.0), out)
    want = np.arange(1000.0)
    want[:3] = -1
    assert (out == want).all()


def test_no_reduction_from_none():
    @swathe.njit(parallel=True)
    def f(a):
        best = None
        for i in swathe.prange(len(a)):
            if best is None or a[i] < best:
                best = a[i]
        return best

    with pytest.raises(swathe.errors.RaceError, match="'best'"):
        f(np.arange(4.0))
