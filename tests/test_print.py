"""print() and messages inside compiled functions say what CPython's say."""

from __future__ import annotations

import numpy as np
import pytest
from live_memory import live

import swathe


def numbers(a, b, c):
    print("x", a, f"{b}!", c)


def many(a):
    print(a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7)


def pairs(t):
    print(t, (t[0],), "100%", None)


def nothing():
    print()


def separated(t, x):
    print(*t)
    print(1, *t, 2, sep="-")
    print("a", x, end="")
    print("b%", end="!%d\n")
    print(1, *(), 2, sep=None, end=None)
    print("x", "y", sep="", flush=True)
    print(f"{x}{x:3}", f"{t[0]}", sep="\n")
    print(f"a{f'{x}{t[1]}'}b")


def displays(n, x):
    print([n, 2], [], [[n], [1]], [(n, x), (1, 2.0)], ["a", "b"], (n, 1), sep=";")
    print(f"{[n, 1]} {[x]}", [n, x])


def objects(n, a, z):
    x, m, d, e = [n, 2, -3], [[1.5, 2.0], [], [1e300]], {}, {1: 2.5}
    x.append(7)
    d[n, True] = [0.1]
    d[2, False] = []
    t = (x, 1, d, None, a[0], True)
    print(x, m, d, e, t, sep=" | ", end="%\n")
    print(f"{x} and {m!r} {t}: {e}", [x, x], (x,), [k * 2 for k in range(n)], str(x), repr(m), {})
    q = [a[0], a[1]]
    print(q, (a[0], a[1] > 0), repr(a[0]), a[0], {a[1]: 1}, f"{a[0]!r} {a[0]} {n!r}")
    print([(1, (2.0, z)), (3, (4.0, 1j))], x.pop(), x, {z: True})
    print([np.float32(0.1), a.astype(np.float32)[0]], (z + a[0], a[0] * 1j), [a[0] + z])
    for v in m:
        print(v, end="")
    y = []
    print(y, [y], repr((y, n)), repr(None), str(t))
    y.append(1)
    print([n, 1, 2][1:], [[n], [2, 3]][1])
    print([n, 1] * 2, [[n] * 2, [3]], f"{[n] + [2]}")


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (displays, (3, float("nan"))),
        (displays, (3, 1.5)),
        (objects, (3, np.array([1.5, 2.5]), 2 - 1j)),
        (objects, (0, np.array([np.nan, -0.0]), complex(0, np.inf))),
        (numbers, (1, 2.5, True)),
        (numbers, (1e300, -0.0, float("nan"))),
        (numbers, (1 + 2j, -2j, complex(-0.0, -1))),
        (many, (1,)),
        (pairs, ((1, 2.0),)),
        (nothing, ()),
        (separated, ((1, 2.5, True), 7)),
    ],
)
def test_print(f, args, capsys):
    f(*args)
    expected = capsys.readouterr().out
    swathe.njit(f)(*args)
    assert capsys.readouterr().out == expected


def test_float32_has_its_own_digits(capsys):
    swathe.njit(lambda x: print(x))(np.float32(0.1))
    assert capsys.readouterr().out == "0.1\n"


def at_length(n, x):
    if n < 0:
        raise ValueError(f"{n} {n + 1} {x:.2f} {n * 2:>4} {n!r} {x} {str(n)}")
    return n


def asserted(n, x):
    assert n > 0, "%d %d %s %d %d" % (n, n, x, n, n)
    return n


def told_of_key(n, x):
    raise KeyError(f"{n} {n} {n} {n} {n}")


def beside_others(n, x):
    raise ValueError(n, f"{n} {x} {n}", x, "a")


def of_complex(n, x):
    z = complex(n, x)
    raise ArithmeticError(f"{z} {z} {z}")


def of_nothing(n, x):
    o = None if n < 0 else n
    raise ValueError("{} {} {} {} {}".format(o, o, n, o, x))


def at_length_again(n, x):
    try:
        return str(at_length(n, x))
    except ValueError as e:
        raise RuntimeError(f"{e} {n} {n} {n} {n} {n}") from e


def kept_as_arguments(n, x):
    try:
        return "", str(at_length(n, x)), (str(n),)
    except ValueError as e:
        return str(e), repr(e), e.args


def alone(n, x):
    text = str(n)
    try:
        if n > 0:
            raise ValueError(text)
        raise ValueError(f"{n} {x}")
    except ValueError as e:
        return e.args


MANY = [at_length, asserted, told_of_key, beside_others, of_complex, of_nothing, at_length_again]


@pytest.mark.parametrize("f", [*MANY, kept_as_arguments, alone])
def test_many_values_in_an_exception(f):
    g = swathe.njit(f)
    for n in 3, -3:
        try:
            wanted = f(n, 0.5)
        except Exception as e:
            before = 0
            for k in range(3):
                with pytest.raises(type(e)) as got:
                    g(n, 0.5)
                first = str(e).split("\n")[0]  # pytest tells of its asserts below that
                assert got.value.args == e.args or str(got.value).startswith(f"{first}\n")
                got = None
                assert k < 2 or live() == before
                before = live()
        else:
            assert g(n, 0.5) == wanted


def test_too_many_arguments_of_an_exception():
    @swathe.njit
    def f(a):
        if a:
            raise ValueError(a, a, a, a, a)

    with pytest.raises(swathe.errors.UnsupportedError, match="more than 4 values"):
        f(1)


@pytest.mark.parametrize("option", ["sep=x", "end=3", "file=x", "ende=''"])
def test_options_of_print_that_are_refused(option, tmp_path):
    file = tmp_path / "printing.py"
    file.write_text(f"def f(x):\n    print(x, {option})\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises((TypeError, swathe.errors.UnsupportedError), match="print"):
        swathe.njit(names["f"])(3)


@pytest.mark.parametrize(
    "statement",
    [
        "print('a' if x else 'b')",
        "print(f'{x}' if True else 'b')",
        "print('a' and f'{x}')",
        "print(f\"{'a' if x else 'b'}\")",
        "raise ValueError('a' if x else 'b')",
        "raise ValueError(x, 'a' if x else 'b')",
        "assert x > 5, f'{x}' if x else 'b'",
        "f'{x}'",
        "'a' if x else 'b'",
        "'a' and f'{x}'",
    ],
)
def test_a_string_made_at_run_time(statement, tmp_path, capfd):
    file = tmp_path / "made.py"
    file.write_text(f"def f(x):\n    {statement}\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    said = []
    for f in (names["f"], swathe.njit(names["f"])):
        for x in (3, 0):
            try:
                said.append(f(x))
            except (ValueError, AssertionError) as e:
                said.append(str(e).split("\n")[0])
        said.append(capfd.readouterr().out)
    assert said[:3] == said[3:]


def unpacked(values, t, n):
    print(*values)
    print(1, *values)
    print(*values, 1, *values, 2, *t, sep=", ", end="!\n")
    print(*values, *t, "x", *values, *(), sep="-")
    print("[", *values, "]", sep="%d")
    print(*range(n), n)
    print(*"abc", n, *[v for v in values], *t, *(1, 2.5), sep="\t")
    print(*(i * 2 for i in range(n)), sep="\n")
    print(*map(str, values), sep=" -> ")
    for row in [[1, 2], [3, 4]]:
        print(*row)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("kind", [list, set, np.array, lambda v: dict.fromkeys(v, 1)])
def test_what_is_unpacked(kind, n, capsys):
    values = kind([0.5, 2.0, 7.25][:n])
    swathe.njit(unpacked)(values, (1, "a"), n)
    ours = capsys.readouterr().out
    unpacked(values, (1, "a"), n)
    assert ours == capsys.readouterr().out


def test_nothing_is_unpacked(capsys):
    @swathe.njit
    def f(a, t, n):
        v = [0.5]
        v.clear()
        print(*v)
        print(*v, n, *v, sep="-")
        print(n, *v, n, *t)
        print(*a, n, *range(n - 2), *a)

    for g in (f, f.py_func):
        g(np.zeros(0), (1, "a"), 2)
    assert capsys.readouterr().out == "\n2\n2 2 1 a\n2\n" * 2


def test_two_that_may_both_be_empty(capsys):
    @swathe.njit
    def f(a, b):
        print(*a, *b)

    for g in (f, f.py_func):
        g([1], [2])
        g([], [2.5])
        g((), ())
    assert capsys.readouterr().out == "1 2\n2.5\n\n" * 2


# ---- more values than one piece of what is printed has


class Shown:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"<{self.v}>"


def told(x):
    print("told", x)
    return x


def more_numbers(x):
    print(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11)
    print("%d %d %d %d %d %d %d %d %d %d %d %d" % (x, x, x, x, x, x, x, x, x, x, x, 7))
    print(f"{x:>5}{x:<4}|{str(x):>6}|{x}{x}{x}{x}{x}{str(x):^9}{x!r:>4}{x}{x}{x}{x}{str(x):*>7}")


def more_objects(x):
    t = (x, x, x, x, x, x, x, x, x, x, x, x)
    b = [Shown(x), Shown(2)]
    print(t, [t], b, x, x, b[0], "%", 1j * x, 2j * x, 3j * x, 4j * x, 5j * x, x, {x: 1}, x)
    print(told(1), told(2), x, x, x, x, x, x, x, x, x, x, told(3), sep="%", end="%%\n")


def more_optional(x):
    n = None if x else 5
    m = "a" if x else None
    print(n, n, n, n, n, n, n, n, n, n, n, (n, m), m, m, m, f"{n} {m!r:>6}", (m, n), n, n, [n])


def more_and_none(x):
    print(x, x, x, x, x, x, x, x, x, x, x, 1 // x)


@pytest.mark.parametrize("f", [more_numbers, more_objects, more_optional])
@pytest.mark.parametrize("x", [0, 3])
def test_print_of_many_values(f, x, capsys):
    f(x)
    expected = capsys.readouterr().out
    swathe.njit(f)(x)
    assert capsys.readouterr().out == expected


def test_nothing_is_printed_before_all_is_known(capsys):
    with pytest.raises(ZeroDivisionError):
        swathe.njit(more_and_none)(0)
    assert capsys.readouterr().out == ""
