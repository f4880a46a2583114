# SPDX-License-Identifier: BSD-3-Clause
"""Leaving blocks: try, except, else, finally, by their end, an exception, return, break, continue;
in loops, nested, and with a finally that goes elsewhere. Each program writes down where it was."""

import itertools

import numpy as np
import pytest
from harness import Corpus, check, define
from live_memory import live

import swathe

corpus = Corpus()
case = corpus

LEAVE = {
    "end": "log[1] += 1",
    "raise": "if n == i:\n    raise ValueError('left')",
    "key": "if n == i:\n    raise KeyError(i)",
    "check": "log[1] += 1 // (n - i)",
    "return": "if n == i:\n    return i, log",
    "break": "if n == i:\n    break",
    "continue": "if n == i:\n    continue",
}
HANDLE = {
    "none": "",
    "value": "except ValueError:\n    log[2] += 1",
    "both": "except (ValueError, ArithmeticError) as e:\n    log[2] += 3",
    "again": "except ValueError:\n    log[2] += 1\n    raise",
    "other": "except ValueError:\n    raise TypeError('other')",
    "out": "except ValueError:\n    break",
    "back": "except ValueError:\n    return -i, log",
    "else": "except ValueError:\n    log[2] += 1\nelse:\n    log[2] += 10",
}
FINAL = {
    "plain": "log[3] += 1",
    "raise": "log[3] += 1\nif i == 2:\n    raise IndexError('late')",
    "return": "if i == 2:\n    return 100 + i, log",
    "break": "log[3] += 1\nif i == 2:\n    break",
    "continue": "log[3] += 1\nif n == i:\n    continue",
    "bare": "return 7, log",
    "try": "try:\n    log[3] += 1 // (i - 1)\nexcept ZeroDivisionError:\n    log[3] += 50",
}


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def guarded(leave, handle, final):
    text = "try:\n" + indented(leave)
    text += handle + "\n" if handle else ""
    return text + "finally:\n" + indented(final)


def looped(text):
    body = indented("log[0] += 1\n" + text + "log[4] += 1", 2)
    loop = f"    for i in range(4):\n{body}    else:\n        log[5] += 1\n"
    return f"def f(n, log):\n{loop}    return -1, log\n"


def check_all(text):
    f = define(text, "f")
    for n in (0, 2, 3, 9):
        check(f, n, np.zeros(6, dtype=np.int64), modes=("plain",), raises=...)


@pytest.mark.parametrize("final", FINAL)
@pytest.mark.parametrize("handle", HANDLE)
@pytest.mark.parametrize("leave", LEAVE)
def test_one(leave, handle, final):
    check_all(looped(guarded(LEAVE[leave], HANDLE[handle], FINAL[final])))


NESTED = [
    (outer, inner)
    for i, (outer, inner) in enumerate(
        itertools.product(
            itertools.product(
                ("none", "value", "again", "out"), ("plain", "raise", "break", "return")
            ),
            itertools.product(LEAVE, ("none", "both", "other"), ("plain", "raise", "continue")),
        )
    )
    if i % 7 == 0
]


@pytest.mark.parametrize("outer, inner", NESTED, ids=lambda p: "-".join(p))
def test_nested(outer, inner):
    leave, handle, final = inner
    text = guarded(LEAVE[leave], HANDLE[handle], FINAL[final])
    check_all(looped(guarded(text, HANDLE[outer[0]], FINAL[outer[1]])))


@pytest.mark.parametrize("inner", ["while k < 3:\n    k += 1", "for k in range(3):"])
@pytest.mark.parametrize("leave", LEAVE)
def test_loop_in_a_body(leave, inner):
    """Jumps of the inner loop stay in the body; a return leaves all."""
    inside = indented(LEAVE[leave].replace("n == i", "n == i and k == 2") + "\nlog[1] += 100")
    text = f"k = 0\ntry:\n{indented(inner + chr(10) + inside)}finally:\n    log[3] += 1 + k\n"
    check_all(looped(text))


@pytest.mark.parametrize("final", ["x = -1", "x = x + 1", "del x", "x = 2.5", "pass"])
@pytest.mark.parametrize("before", ["x = 1", "x = 0.5", "pass", "x = None"])
def test_names(before, final):
    """What is returned is what it was before the finally; names have one type throughout."""
    f = define(
        "def f(n):\n"
        f"    {before}\n"
        "    for k in range(2):\n"
        "        try:\n"
        "            x = n\n"
        "            if n == 1:\n"
        "                return x\n"
        "            if n == 2:\n"
        "                raise ValueError(n)\n"
        "        finally:\n"
        f"            {final}\n"
        "    return x\n"
    )
    for n in (0, 1, 2):
        check(f, n, modes=("plain",), raises=..., promoted=True)


@case(np.arange(4.0), 2)
@case(np.arange(4.0), 9, raises=IndexError)
@case(np.arange(4.0), -9, raises=IndexError)
def arrays(a, k):
    out = np.zeros(3)
    b = a
    try:
        b = a * 2
        out[0] = b[k]
        return b, out
    finally:
        b = out
        b[1] = 5
        a[0] = 9


@case(3)
@case(0)
def result_of_a_view(n):
    a = np.arange(6.0)
    try:
        return a[1:]
    finally:
        a[2] = n


@case(0)
@case(1)
def loop_variable_of_the_body(n):
    log = np.zeros(4)
    try:
        for i in range(4):
            log[0] += i
            if i == n:
                return log
    finally:
        i = 50
        log[1] += i


@case(0)
@case(5)
def may_be_none(n):
    x = None
    try:
        if n > 3:
            x = n
    finally:
        y = -1 if x is None else x
    return x, y


@case(0, raises=ValueError)
@case(1, raises=KeyError)
@case(2)
def error_in_a_handler(n):
    try:
        try:
            if n < 2:
                raise ValueError("first")
        except ValueError:
            if n == 1:
                raise KeyError("second")
            raise
    finally:
        n = 7
    return n


class Odd(ValueError):
    """Of the user."""


class Odder(Odd, KeyError):
    """With two bases."""


ODD = (ZeroDivisionError, Odd)


def odd(n):
    if n == 1:
        raise Odd("one")
    if n == 2:
        raise Odder
    if n == 3:
        raise np.linalg.LinAlgError("singular")
    if n == 4:
        raise np.exceptions.AxisError("axis")
    if n == 5:
        raise KeyError(n)
    return 1 // (n - 6)


def ids(f):
    for n in range(9):
        case(n, raises=...)(f)
    return f


@ids
def passes_through(n):
    return odd(n)


@ids
def caught_by_itself(n):
    try:
        return odd(n)
    except Odder:
        return 100
    except Odd:
        return 200
    except np.linalg.LinAlgError:
        return 300


@ids
def caught_by_a_base(n):
    try:
        return odd(n)
    except LookupError:
        return 100
    except ValueError:
        return 200


@ids
def caught_by_a_global_tuple(n):
    try:
        return odd(n)
    except ODD as e:
        if n == 1:
            raise
        if n == 2:
            raise e
    return -1


@ids
def raised_from_another(n):
    try:
        return odd(n)
    except (Odd, KeyError) as e:
        raise RuntimeError("again") from e


test_case = corpus.test()


def test_classes_are_themselves():
    for n, cls in [(1, Odd), (2, Odder), (3, np.linalg.LinAlgError)]:
        with pytest.raises(ValueError) as e:
            swathe.njit(odd)(n)
        assert type(e.value) is cls


class Made(Exception):
    def __init__(self, x):
        super().__init__(x)


def test_made_by_an_init_of_its_own():
    def made(n):
        raise Made(n)

    with pytest.raises(Made) as caught:
        swathe.njit(made)(1)
    assert caught.value.args == (1,)


CAUSE = """
def store(x):
    x[0] = 7


def f(n, x):
    nothing = None
    try:
        return 1 // n
    except ZeroDivisionError as e:
        for k in range(n):
            late = e
        raise RuntimeError("hidden") from {}
"""


@pytest.mark.parametrize(
    "cause", ["e", "nothing", "KeyError", "KeyError('a', 1)", "np.linalg.LinAlgError"]
)
def test_cause(cause):
    f = define(CAUSE.format(cause), "f")
    check(f, 1, np.zeros(2))
    check(f, 0, np.zeros(2), raises=RuntimeError)


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        (c, "causes must derive from BaseException")
        for c in ("np", "0", "n", "x[5]", "store", "'a'", "(e,)")
    ]
    + [(c, "a cause that is not") for c in ("store(x)", "late", "KeyError(x[5])", "KeyError(n)")],
)
def test_cause_that_is_refused(cause, why):
    with pytest.raises(swathe.errors.Error, match=why):
        swathe.njit(define(CAUSE.format(cause), "f"))(1, np.zeros(2))


def test_nothing_is_lost():

    @swathe.njit
    def f(n, k):
        x = np.ones(3)
        for i in range(n):
            y = None
            try:
                y = np.full(i + 1, 2.0)
                if i == k:
                    raise ValueError("a")
                if i == k + 1:
                    return y
                if i == k + 2:
                    break
                x = y * 2
            except ValueError:
                y = x
                if k == 3:
                    raise
            finally:
                z = np.ones(5)
                if y is not None:
                    z[0] = y[0]
                x = z
        return x

    def all_ways():
        for n in range(7):
            for k in range(-3, 6):
                try:
                    f(n, k)
                except ValueError:
                    pass

    all_ways()
    before = live()
    all_ways()
    assert live() == before


def test_in_a_parallel_loop():
    @swathe.njit(parallel=True)
    def f(a, out):
        for i in swathe.prange(len(a)):
            try:
                out[i] = a[i] * 2
            finally:
                out[i] += 1

    out = np.zeros(1000)
    f(np.arange(1000.0), out)
    assert (out == np.arange(1000.0) * 2 + 1).all()


NESTED = [
    # The inner body gives a name one type, the outer body another.
    """def f(n, x):
    r = 0.25
    try:
        try:
            v = n
            w = 1 // (n - 2)
        except ZeroDivisionError:
            r = v + 0.5
        v = 0.5
    {end}
    return r, v
""",
    """def f(n, x):
    w = x[1:]
    try:
        v = x + x
        if n == 2:
            raise ValueError("left")
    except IndexError:
        pass
    except ValueError:
        x, w = w, x
    {end}
    return x, w, v
""",
    """def f(n, x):
    r = 0.5
    try:
        try:
            try:
                v = n
                w = 1 // (n - 2)
            finally:
                r = v + 0.5
        except ZeroDivisionError:
            r += v
        v = 1.5
    {end}
    return r, v
""",
]


@pytest.mark.parametrize("end", ["except KeyError:\n        pass", "finally:\n        n = 3"])
@pytest.mark.parametrize("text", NESTED)
def test_a_name_has_one_type_in_all_bodies_around(text, end):
    f = define(text.replace("{end}", end), "f")
    for n in (2, 3):
        for order in "CF":
            check(f, n, np.arange(6.0).reshape(2, 3, order=order))


SET_TWICE = """def f(c, a, n, k):
    z = -1.5
    y = 0.0
    try:
        for i in range(0, n, k):
            z = float({first})
            {between}
            z = float(a[abs(i - k)] * 2)
    except IndexError:
        {handler}
    return z, y
"""


@pytest.mark.parametrize("first", ["c[i]", "i", "y + 1", "z - 1"])
@pytest.mark.parametrize("between", ["pass", "y = max(y, z)", "y += z", "c[i] = z", "y = z"])
@pytest.mark.parametrize("handler", ["pass", "y = z"])
def test_what_is_set_before_the_error_is_seen(first, between, handler):
    f = define(SET_TWICE.format(first=first, between=between, handler=handler), "f")
    for n, k in ((4, 2), (3, 1), (60, 1), (60, 2), (0, 1)):
        for length in (1, 2, 40, 70):
            modes = ("plain", "debug", "parallel")
            check(f, np.arange(64.0), np.arange(float(length)), n, k, modes=modes)


OVERRIDDEN = """def gen(n):
    for i in range(n):
        yield i
def f(n, xs):
    log = []
    for i, z in {over}:
        try:
            k = 0
            while k < 4:
                k += 1
                for w in {inner}:
                    log.append(i * 10 + w)
                    if w == 1:
                        return log
                else:
                    log.append(99)
            else:
                log.append(55)
            log.append(77)
        finally:
            log.append(5)
            for q in range(2):
                if q:
                    continue
                log.append(q)
            {end}
        log.append(6)
    else:
        log.append(1000)
    return log
"""
OVER = [
    "enumerate(xs)",
    "zip(xs, xs)",
    "[(x, x) for x in xs if x]",
    "((x, y) for x in xs for y in xs)",
]
INNER = [
    "range(3)",
    "xs",
    "[0, 1, 2]",
    "(u for u in xs if u)",
    "gen(n)",
    "(u for u in xs for v in xs)",
]
ENDS = ["continue", "break", "if i % 2: continue", "if i == 2: break", "if i > 1: return [i]"]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("inner", INNER)
def test_a_finally_takes_a_return_back(over, inner):
    for end in ENDS:
        f = define(OVERRIDDEN.format(over=over, inner=inner, end=end), "f")
        g = swathe.njit(f)
        for n, xs in ((4, [0, 1, 2, 3, 4]), (1, [1]), (0, [0, 2])):
            assert g(n, list(xs)) == f(n, list(xs)), end


def again_in_finally(n):
    try:
        raise KeyError(n)
    except KeyError:
        try:
            try:
                raise ValueError(n)
            except ValueError:
                return 1
            finally:
                raise  # what it raises depends on the way in
        except KeyError:
            return 2
        except ValueError:
            return 3


def test_a_bare_raise_in_a_finally():
    with pytest.raises(swathe.UnsupportedError, match="a bare raise in a finally"):
        swathe.njit(again_in_finally)(1)


def raises_nothing(n):
    if n == 0:
        raise
    for _ in range(n):
        raise
    return n


def raises_again(n):
    try:
        if n:
            raise ValueError(n)
    except ValueError:
        raise
    else:
        raise
    return n


RAISED = {
    (raises_nothing, 0): RuntimeError,
    (raises_nothing, 2): RuntimeError,
    (raises_again, -1): ValueError,
    (raises_again, 0): RuntimeError,
    (raises_again, 2): ValueError,
}


@pytest.mark.parametrize("f", [raises_nothing, raises_again])
@pytest.mark.parametrize("n", [-1, 0, 2])
def test_a_bare_raise_where_nothing_is_handled(f, n):
    check(f, n, raises=RAISED.get((f, n)))
