# SPDX-License-Identifier: BSD-3-Clause
"""What an exception carries: its arguments, in Python and where it is caught; its text in messages
and in what is printed; raised again, and from another."""

import contextlib
import io

import numpy as np
import pytest
from harness import Corpus, define
from live_memory import live

import swathe

corpus = Corpus(modes=("plain", "debug", "parallel"))
case = corpus

ARGS = [
    "n",
    "n, 'x'",
    "a[0]",
    "a[0], 2.5, n > 3",
    "'text', n",
    "z, None",
    "n, \"it's\", 'a\"b'",
    "f'at {n}', a[1], -n",
    "True",
    "a[0] > 0, n",
    "n, f'100%, ({n})'",
    "2**62, -0.0",
    "str(n), n",
]


def raised(f, *args):
    try:
        f(*args)
    except Exception as e:
        return e
    raise AssertionError("no exception")


def same(want, got):
    assert type(want) is type(got)
    assert [type(x) for x in want.args] == [type(x) for x in got.args]
    assert want.args == got.args
    assert str(want) == str(got)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i1", "u8", "?"])
@pytest.mark.parametrize("args", ARGS)
def test_reaches_python(args, dtype):
    f = define(f"def f(n, a, z):\n    raise ValueError({args})\n", "f")
    a = np.array([3, 2]).astype(dtype)
    if dtype == "?" and "-n" in args:
        return
    same(raised(f, 7, a, 1 - 2j), raised(swathe.njit(f), 7, a, 1 - 2j))


def deep(n, x):
    if n == 1:
        raise ValueError(n, x)
    if n == 2:
        raise KeyError(n * 10)
    if n == 3:
        raise IndexError("three", n, x)
    if n == 4:
        raise KeyError("key's")
    return 1 // (n - 5)


def again(n, x):
    try:
        return deep(n, x)
    except ValueError as e:
        raise e
    except LookupError:
        raise


@pytest.mark.parametrize("f", [deep, again])
def test_through_calls(f):
    for parallel in (False, True):
        g = swathe.njit(parallel=parallel)(f)
        for n in (1, 2, 3):
            same(raised(f, n, 2.5), raised(g, n, 2.5))


def test_the_place_is_a_note():
    e = raised(swathe.njit(deep), 1, 2.5)
    if hasattr(e, "add_note"):
        assert "raise ValueError(n, x)" in "".join(e.__notes__)


def test_of_an_assertion():
    f = define("def f(n):\n    assert n > 3, n\n    assert n > 5, (n, 'x')\n", "f")
    same(raised(f, 2), raised(swathe.njit(f), 2))
    assert str(raised(swathe.njit(f), 4)).startswith("(4, 'x')\n")


def test_of_a_class_of_its_own():
    f = define("def f(n):\n    raise np.exceptions.AxisError(n, 2)\n", "f")
    f.__globals__["np"] = np
    same(raised(f, 5), raised(swathe.njit(f), 5))


def ids(f):
    for n in range(7):
        case(n, 0.5, raises=...)(f)
    return f


@ids
def arguments(n, x):
    try:
        return deep(n, x) + 0.0
    except ValueError as e:
        return e.args[0] * 2 + e.args[1]
    except ZeroDivisionError:
        return -1.0


@ids
def in_a_loop(n, x):
    s = 0.0
    for k in range(n):
        try:
            s += deep(k, x * k)
        except ValueError as e:
            s += e.args[1] + e.args[0]
            continue
        except IndexError as e:
            s += e.args[1]
            if k == n - 1:
                break
        except KeyError:
            s += 1000
        finally:
            s += 0.25
    return s


@ids
def text_in_another(n, x):
    try:
        return deep(n, x)
    except LookupError as e:
        raise RuntimeError(f"{n}: {e}") from e
    except ValueError as e:
        raise KeyError(str(e)) from None


@ids
def text_of_a_text(n, x):
    try:
        try:
            return deep(n, x) + 0.0
        except LookupError as e:
            raise ValueError(f"inner {e} 5%") from e
        except ZeroDivisionError as e:
            raise ValueError(str(e), n)
    except ValueError as e:
        raise TypeError(f"outer <{e}>", n, x)


@ids
def from_an_outer_clause(n, x):
    try:
        return deep(n, x)
    except Exception as e:
        try:
            raise OSError(n, "x")
        except OSError as f:
            if n == 3:
                raise f
            raise e


@ids
def kept_over_a_loop(n, x):
    try:
        return deep(n, x)
    except Exception as e:
        s = 0
        for k in range(6):
            try:
                s += deep(k, x)
            except ValueError as f:
                s += f.args[0]
            except Exception:
                s += 1
        if s > n:
            raise e
    return -1


def told(e, n):
    print("told", e, n)
    if n == 2:
        raise TypeError(f"told {e}")
    return n


@ids
def given_to_a_function(n, x):
    try:
        return deep(n, x)
    except LookupError as e:
        return told(e, n)


@case(np.arange(6.0), 9, raises=IndexError)
@case(np.arange(6.0), 2)
def of_a_check(a, k):
    try:
        return a[k]
    except IndexError as e:
        if k < 0:
            print(e)
        raise


@case(8)
def in_prange(n):
    out = np.zeros(8)
    for i in swathe.prange(8):
        try:
            out[i] = deep(i, 0.5 * i)
        except ValueError as e:
            out[i] = e.args[1]
        except IndexError as e:
            out[i] = e.args[1] * 100
        except Exception:
            out[i] = -1
    return out


test_case = corpus.test()


def test_texts():
    for f in (text_in_another, text_of_a_text, from_an_outer_clause):
        g = swathe.njit(f)
        for n in (1, 2, 3, 4, 5):
            want, got = raised(f, n, 2.5), raised(g, n, 2.5)
            assert type(want) is type(got)
            if len(got.args) == 1:
                assert str(got.args[0]).split("\n  File")[0] == str(want.args[0])
            else:
                assert got.args == want.args


def shows(n):
    try:
        return deep(n, 2.5)
    except Exception as e:
        print("first", n, e, f"<{e}> {n}%E", str(e), str(n), sep="; ")
        print(f"100% {e}", end="!\n")
    return 0


def test_printed(capfd):
    g = swathe.njit(shows)
    for n in (1, 2, 3, 4, 5):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            want = shows(n)
        capfd.readouterr()
        assert g(n) == want
        assert capfd.readouterr().out == out.getvalue()


def test_deeply_nested_texts():
    """Three are kept, one inside of the other."""

    @swathe.njit
    def f(n):
        try:
            if n == 0:
                raise ValueError("text")
            f(n - 1)
        except ValueError as e:
            raise ValueError(f"{n} {e}")

    for n in range(6):
        text = str(raised(f, n)).split("\n")[0]
        assert text == " ".join(map(str, range(n, max(n - 4, -1), -1))) + (
            " text" if n < 3 else " ..."
        )


def test_other_arguments():
    """Those that another raise gave it, or none."""

    @swathe.njit
    def f(n):
        try:
            if n == 1:
                raise ValueError(n)
            return np.zeros(n).sum()
        except ValueError as e:
            return e.args[0] + 0.5

    assert f(1) == 1.5
    assert f(2) == 0
    with pytest.raises(TypeError, match="this argument of the exception"):
        f(-1)


REFUSED = {
    "try:\n    raise ValueError(n)\nexcept ValueError as e:\n    return e.args[n]": "argument",
    "try:\n    raise ValueError(n)\nexcept ValueError as e:\n    return e.args[1]": "argument",
    "try:\n    return n\nexcept ValueError as e:\n    raise KeyError(n) from ValueError(n)": "",
    "try:\n    raise ValueError(n)\nexcept ValueError as e:\n    return e": "",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    text = "".join(f"    {line}\n" for line in body.splitlines())
    f = swathe.njit(define(f"def f(n):\n{text}    return 0\n", "f"))
    with pytest.raises(swathe.CompileError) as e:
        f(3)
    assert REFUSED[body] in str(e.value)


def test_nothing_is_lost():
    g = swathe.njit(kept_over_a_loop)
    before = None
    for k in range(300):
        for n in range(6):
            with contextlib.suppress(Exception):
                g(n, 2.5)
        if k == 3:
            before = live()["bytes"]
    assert live()["bytes"] == before


@pytest.mark.parametrize("what", ["ValueError", "ValueError()", "KeyError", "OSError from None"])
def test_no_arguments_are_none(what):
    f = define(f"def f(n):\n    raise {what}\n", "f")
    same(raised(f, 7), raised(swathe.njit(f), 7))


AGAIN = """
def g(x, n):
    try:
        return x[n]
    except IndexError:
        raise
def gen(n):
    for i in range(n):
        try:
            yield 6 // (2 - i)
        except ZeroDivisionError:
            raise
def f(x, n):
    try:
        try:
            if n == 1:
                raise ValueError("one")
            if n == 2:
                raise KeyError
            for v in gen(n):
                n += v
            return g(x, n)
        except (LookupError, ValueError):
            raise
    except LookupError as e:
        print("first", e)
    except ValueError as e:
        print("second", e)
    except ZeroDivisionError as e:
        print("third", e)
    return n
"""


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9, -4])
def test_raised_again_without_a_name_it_is_the_same(n, capfd):
    f = define(AGAIN, "f")
    texts = []
    for fn in (f, swathe.njit(f)):
        got = fn([1, 2], n)
        texts.append((got, capfd.readouterr().out))
    assert texts[0] == texts[1]


PARTS = """
{n!s:>7}|{n!r:6}|{n!r:<6}|{n!s:^9}|{n!s:*>4}|{n!r:04}|{n!s:}|{n!a:>3}
{x!s:>9}|{x!r:.2}|{x!r:_^12.3}|{x:9.2f}|{x!r}
{a[0]!r:>20}|{a[0]!s:>8}|{a[1]!r:^17s}
{'ä'!s:>3}|{'ab':>5}|{'ab':.1}|{"it's"!s:<6}|{'%d'!s:>4}
{str(n):>5}|{repr(x):<7}|{f'{n}{x}':>9}|{f'{n:>3}'!s:<5}
{None!s:>6}|{(n, x)!r:>12}|{(n,)!s:^8}|{True!s:>6}|{(None if n else 1)!r:>5}
""".strip().split("\n")


@pytest.mark.parametrize("text", PARTS)
def test_a_conversion_comes_before_the_format(text, capfd):
    quoted, first = f'f"""{text}"""', f'f"""{text.split("|")[0]}"""'
    f = define(f"def f(n, x, a):\n    print({quoted})\n    raise KeyError(n, {first})\n", "f")
    for dtype in ("f4", "i8"):
        a, out = np.array([3, 2]).astype(dtype), []
        for fn in (f, swathe.njit(f)):
            e = raised(fn, 7, 2.5, a)
            out.append((e.args, capfd.readouterr().out))
        assert out[0] == out[1]


@pytest.mark.parametrize("part", ["n!s:=7", "n!s:+7", "n!s:d", "n!s:,", "[n]!s:>9", "'a':%>3"])
def test_formats_of_no_text_are_refused(part):
    f = define(f'def f(n):\n    print(f"{{{part}}}")\n', "f")
    with pytest.raises(swathe.errors.CompileError, match="format"):
        swathe.njit(f)(7)


@pytest.mark.parametrize("kind", ["ValueError", "KeyError", "RuntimeError", "AssertionError"])
@pytest.mark.parametrize("text", ["''", "EMPTY", "'' if n else 'a'", "'', n", ""])
def test_empty_texts_are_arguments(kind, text):
    first = "e.args[0]" if text else "0"
    f = define(
        f"EMPTY = ''\ndef f(n):\n    try:\n        raise {kind}({text})\n"
        f"    except {kind} as e:\n        return {first}, str(e), len(e.args), repr(e)\n",
        "f",
    )
    assert swathe.njit(f)(1) == f(1)
