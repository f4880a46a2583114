# SPDX-License-Identifier: BSD-3-Clause
"""Format strings that are written out: `"%d" % x` and `"{}".format(x)`, against CPython."""

import numpy as np
import pytest

import swathe


def percents(i, f, s, n, u, w):
    r = ["%d|%5d|%-5d|%05d|%+d|% d|%i" % (i, i, i, i, i, -i, n)]
    r.append("%x|%X|%o|%08x|%-6x|%u" % (i, i, i, -i, i, i))
    r.append("%f|%.2f|%8.3f|%-8.1f|%+.1e|%G|%g|%08.2f" % (f, f, f, f, f, f, f, -f))
    r.append("%f|%.1f|%e" % (i, n, u))
    r.append("%s and %r, %s%%, %s" % (s, s, f, None))
    r.append("%s%s|%s" % (i, (i, i), (i, f)))
    r.append("%s" % s)
    r.append("%d%%" % i)
    r.append("100%% of %s" % (s,))
    r.append("%s|%s|%d" % (u, w, True))
    r.append("%d of %d: %s" % (len(s), abs(-i), s.upper()))
    return r


def braces(i, f, s, n, u, w):
    r = ["{} {}|{}".format(i, f, s)]
    r.append("{0:5d}|{1:<8.2f}|{2:>9}|{3!r}".format(i, f, s, s))
    r.append("{1} {0} {1}{{}}".format(s, i))
    r.append("{:x}|{:+}|{!s}|{}".format(i, i, f, (i, i)))
    r.append("{}|{}|{}|{}".format(n, u, w, None))
    r.append("}}{{{}".format(s) + "é{}ß".format(s))
    r.append("{} {}".format(i, len(s)) + "{:.3f} {}".format(f, s.upper()))
    return r


def tuples(i, f, s, n, u, w):
    pair = (i, s)
    r = ["%d is %s" % pair, "%5d|%-5s|" % pair, "%d:%02d" % divmod(abs(i), 60)]
    r += ["%s=%s" % kv for kv in {s: i, "k": 1}.items()]
    r.append("%s-%s-%s" % tuple(s.center(3)))
    r.append("%s %s" % (lambda: (f, s))())
    r.append("%d %02d:%02d" % (i, *divmod(abs(i), 60)))
    return r


def mappings(i, f, s, n, u, w):
    d = {"a": i, "bc": abs(i)}
    return [
        "%(a)s and %(bc)05d" % d,
        "%(a)d%(a)d%%" % d,
        "%(x)s" % {"x": s},
        "%(y)s%(n)03d" % {"y": s, "n": i},
    ]


def flags(i, f, s, n, u, w):
    a = abs(i)
    r = ["%#x|%#X|%#o|%#08x" % (a, a, a, a), "%.2s|%5.1s|%-5.2s|" % (s, s, s)]
    r.append("%c%c%3c" % (65, "z", 8364))
    r.append("{}".format(s, i))  # noqa: F523
    return r


def nested(i, f, s, n, u, w):
    r = ["{:>{}}|{:<{w}}|{:^{w}.{p}}".format(s, 7, s, s, w=9, p=2)]
    r.append("{0:{1}.{2}f}|{0:{1}}|{x:*>{width}}".format(f, 9, 3, x=i, width=12))
    r.append("{:{}}|{:{a}{b}{c}}|{!r:>{}}".format(f, "+.2e", i, s, 6, a="*", b="^", c=11))
    r.append("{:<{}} {:>{}d}".format(s, max(len(s), 5), i, len(s) + 3))
    return r


def parts(i, f, s, n, u, w):
    t, d = (i, s), {"k": s}
    return ["{0[0]:>5}-{0[1]!r}-{x[k]}-{y.real:.1f}".format(t, x=d, y=f)]


FORMATTED = [
    (7, 2.5, "abc", np.int32(9), np.float64(0.1), np.float32(0.1)),
    (-255, float("inf"), "", np.int32(-1), np.float64("nan"), np.float32(1e10)),
]


@pytest.mark.parametrize("func", [percents, braces, tuples, mappings, flags, nested, parts])
def test_formats(func):
    made = swathe.njit(func)
    for args in FORMATTED:
        assert made(*args) == func(*args)


def none_of(x):
    y = None if x > 0 else x
    return "%d" % y


def real_of(x):
    y = None if x > 0 else x
    return "%.2f" % y


@pytest.mark.parametrize("func", [none_of, real_of])
def test_formats_of_none(func):
    made = swathe.njit(func)
    assert made(-1) == func(-1)
    with pytest.raises(TypeError) as want:
        func(1)
    with pytest.raises(TypeError) as got:
        made(1)
    assert str(got.value).splitlines()[0] == str(want.value)


def grown(xs):
    xs.append(1)
    return 5


def test_a_width_that_changes_what_is_shown():
    @swathe.njit
    def f(xs):
        return "{:{}}{}".format("a", grown(xs), len(xs))

    assert f([7]) == "a    2"
    assert swathe.njit(lambda xs: "{} {:{}}".format(xs, "a", grown(xs)))([7]) == "[7, 1] a    "
    said = "'}'|no argument is|out of range"
    for bad in ("{:{w}}", "{:{}}", "{:{0}"):
        with pytest.raises((swathe.CompileError, ValueError), match=said):
            swathe.njit(eval(f"lambda x: {bad!r}.format(x)"))(1)


def printed(n):
    print("%d and %d" % divmod(n, 4), end="!\n")
    print(f"{(x := n)} of {x}", n, sep="-", end=";\n")


def test_what_is_printed(capsys):
    swathe.njit(printed)(7)
    mine = capsys.readouterr().out
    printed(7)
    assert mine == capsys.readouterr().out


def whole(x):
    return "%d" % x


def hexadecimal(x):
    return "%x" % x


def fixed(x):
    return f"{x:.3f}"


SPAN = np.timedelta64(5, "s")


@pytest.mark.parametrize(
    "func, x",
    [(whole, SPAN), (hexadecimal, SPAN), (fixed, SPAN), (hexadecimal, np.bool_(True))],
)
def test_codes_of_numbers_take_no_others(func, x):
    with pytest.raises((TypeError, ValueError)) as want:
        func(x)
    with pytest.raises(type(want.value)) as got:
        swathe.njit(func)(x)
    assert str(got.value).splitlines()[0] == str(want.value)


def quoted(n):
    print(f"{str(n)!r}|{str(n > 1)!r:>9}|{repr(n)!r}|{f'{n}x'!r}|{str(1.5)!a}|{str(n)!s}")
    raise ValueError(f"{str(n)!r} {f'{n}x'!r} {repr(n)!r} {str(n)}")


def test_quotes_of_what_is_put_together(capsys):
    said = []
    for f in (quoted, swathe.njit(quoted)):
        with pytest.raises(ValueError) as error:
            f(4)
        said.append((capsys.readouterr().out, str(error.value).splitlines()[0]))
    assert said[0] == said[1]
