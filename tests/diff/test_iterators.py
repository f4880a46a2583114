# SPDX-License-Identifier: BSD-3-Clause
"""Iteration by begin and next: iter, next, zip, enumerate, reversed, map, filter and generator
expressions over everything that is gone through, by everything that consumes; each is gone through
once, and goes on where it stopped."""

import itertools

import numpy as np
import pytest
from harness import Corpus, check, define

import swathe

corpus = Corpus(modes=("plain", "debug", "parallel"), promoted=True)
case = corpus

SOURCE = {
    "array": ("", "a"),
    "range": ("", "range(n)"),
    "list": ("s = [k * 3 % 5 for k in range(n)]\n", "s"),
    "tuple": ("", "(3, n, 1)"),
    "held": ("h = iter(a)\nnext(h, 0.0)\n", "h"),
    "zipped": ("h = zip(a, range(4))\n", "(p * q for p, q in h)"),
}
WRAP = {
    "plain": "{s}",
    "iter": "iter({s})",
    "map": "map(lambda v: v * 2, {s})",
    "map2": "map(lambda v, w: v + w, {s}, range(3))",
    "filter": "filter(lambda v: v > 1, {s})",
    "true": "filter(None, {s})",
    "some": "(v + n for v in {s} if v != 2)",
    "nested": "(v * w for v in {s} for w in range(2))",
    "zip": "(v * w for v, w in zip({s}, range(1, 4)))",
    "last": "(v * w for w, v in zip(range(1, 4), {s}))",
    "enumerate": "(i * v for i, v in enumerate({s}, 3))",
    "pulled": "(v * w for v, w in zip((p + 1 for p in {s}), filter(lambda q: q > 1, range(9))))",
    "counted": "(i * v for i, v in enumerate(filter(lambda q: q > 1, {s})))",
}
CONSUME = {
    "for": "for x in {w}:\n    r = r * 2 + x",
    "break": "for x in {w}:\n    if x > 3:\n        break\n    r += x\nelse:\n    r += 100",
    "continue": "for x in {w}:\n    if x > 3:\n        continue\n    r += x\nelse:\n    r += 100",
    "return": "for x in {w}:\n    if x > 3:\n        return r, x\n    r += x",
    "raise": "for x in {w}:\n    if x > 3:\n        raise KeyError('out')\n    r += x",
    "finally": "for x in {w}:\n    try:\n        if x > 3:\n            break\n"
    "        r += 1 // int(x)\n"
    "    except ZeroDivisionError:\n        continue\n    finally:\n        r += 10",
    "inner": "for x in {w}:\n    for y in range(3):\n        if y * x > 4:\n            break\n"
    "        r += y",
    "sum": "r = sum({w})",
    "any": "r += any(x > 2 for x in {w})",
    "all": "r += all(x < 3 for x in {w})",
    "min": "r = min({w})",
    "max": "r = max({w})",
    "list": "for x in list({w}):\n    r = r * 2 + x",
    "comprehension": "r = sum([x * x for x in {w}])",
    "sorted": "for x in sorted({w}):\n    r = r * 2 + x",
    "dict": "d = dict((int(x), x) for x in {w})\nfor x in d:\n    r = r * 2 + x + d[x]",
    "array": "r = np.array([x for x in {w}]).sum()",
}


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def program(source, wrap, consume):
    setup, s = SOURCE[source]
    body = setup + "r = 0.0\n" + CONSUME[consume].replace("{w}", WRAP[wrap].replace("{s}", s))
    if source == "held":
        body += "\nr += 1000 * next(h, -1.0)"
    return f"import numpy as np\ndef f(a, n):\n{indented(body)}    return r, -1.0\n"


ALL = list(itertools.product(SOURCE, WRAP, CONSUME))


@pytest.mark.parametrize("wrap", WRAP)
@pytest.mark.parametrize("consume", CONSUME)
def test_all(wrap, consume):
    at = list(WRAP).index(wrap) + list(CONSUME).index(consume)
    for i, source in enumerate(SOURCE):
        if (i + at) % 3 == 0:
            f = define(program(source, wrap, consume), "f")
            for n in (0, 4):
                a = np.arange(n, dtype=float)
                check(f, a, n, modes=("plain", "parallel"), raises=..., promoted=True)


NEXT = ["map", "filter", "some", "nested", "zip", "enumerate", "pulled", "counted", "iter"]


@pytest.mark.parametrize("source", ["array", "range", "list", "held"])
@pytest.mark.parametrize("wrap", NEXT)
def test_next(source, wrap):
    setup, s = SOURCE[source]
    w = WRAP[wrap].replace("{s}", s)
    for text in (f"next({w}, -1.0)", f"next({w})"):
        f = define(f"def f(a, n):\n{indented(setup)}    return {text} + 0.0\n", "f")
        for n in (0, 1, 5):
            check(f, np.arange(n) + 0.5, n, modes=("plain",), raises=..., promoted=True)


@case(np.arange(6.0), 2)
@case(np.arange(6.0), 9)
@case(np.arange(0.0), 1)
def goes_on(a, n):
    it = iter(a)
    s = next(it, 10.0)
    for x in it:
        s += x
        if x >= n:
            break
    else:
        s += 100
    t = 0.0
    for x in it:
        t += x
    return s, t, next(it, -1.0)


GIVEN = """
(0, n) in zip(x, (n for k in x)), (1, n) not in enumerate(n for k in x)
(1, (1, n)) in enumerate(zip(x, (n for k in x))), 0 in zip((), (k for k in x))
x.extend(enumerate(k * n for k in (1, 2))), x
"""


def test_given_to_the_library():
    """An iterator over a generator expression, as an operand and as an argument of a method."""
    for text in GIVEN.strip().split("\n"):
        f = define(f"def f(n):\n    x = [(0, 1)]\n    return {text}\n", "f")
        check(f, 2, modes=("quick",))


@case(np.arange(6.0))
@case(np.arange(1.0))
def two_names(a):
    it = iter(a)
    same = it
    return next(it, -1.0), next(same, -2.0), next(it, -3.0), sum(same)


def take(it, n):
    s = 0
    for k in range(n):
        s = s * 10 + next(it, 7)
    return s


@case(6)
@case(2)
def in_a_helper(n):
    it = iter(range(n))
    a = take(it, 2)
    return a, take(it, 1), next(it, -1), sum(it)


@case(5, 2)
@case(2, 5)
def what_zip_takes(n, m):
    """The first has given one more when the second ends."""
    a = iter(range(n))
    b = iter(range(m))
    s = 0
    for x, y in zip(a, b):
        s += x * y
    return s, next(a, -1), next(b, -1)


@case(4)
def inside_the_loop(n):
    it = iter(range(20))
    s = 0
    for x in it:
        y = next(it, 0)
        s += x * y
        if x > n:
            return s, next(it)
    return s, 0


@case(3)
@case(0)
def pairs(n):
    e = enumerate(zip(range(n), range(10, 20)), 5)
    first = next(e, (-1, (0, 0)))
    s = 0
    for i, (x, y) in e:
        s += i * x * y
    return first, s


@case(np.arange(5))
@case(np.arange(0))
def backwards(a):
    r = reversed(a)
    x = next(r, -1)
    s = 0
    for v in r:
        s = s * 10 + v
    return x, s


@case(3)
@case(1)
def list_that_grows(n):
    s = [0, 1, 2]
    it = iter(s)
    t = 0
    for x in it:
        t += x
        if x == n:
            s.append(9)
    s.append(50)
    return t, next(it, -1), len(s)


@case(3)
def list_that_shrinks(n):
    s = [0, 1, 2, 3, 4, 5]
    it = iter(s)
    t = 0
    for x in it:
        t = t * 10 + x
        if x == n:
            s.pop()
            s.pop()
    return t, next(it, -1)


@case(np.arange(12.0).reshape(3, 4))
@case(np.arange(12.0).reshape(3, 4)[::2, ::-1])
@case(np.zeros((1, 2)))
def rows(m):
    it = iter(m)
    first = next(it)
    s = 0.0
    for r in it:
        s += (r * first).sum()
    return first, s


@case(np.arange(3.0))
def bound_anew(a):
    it = iter(a)
    a = a * 10
    s = 0.0
    for x in it:
        a = a + 1
        s += x + a[0]
    return s


@case(0)
@case(1)
@case(2)
def stop_iteration(n):
    it = iter(range(n))
    try:
        return next(it) + 10 * next(it)
    except StopIteration:
        return -1


@case(2, raises=StopIteration)
def stop_iteration_leaves(n):
    it = iter(range(n))
    for _ in range(3):
        next(it)
    return n


@case(0, 0)
@case(3, 3)
@case(2, 3, raises=ValueError)
@case(3, 2, raises=ValueError)
def strict(n, m):
    s = 0
    for x, y in zip(range(n), range(m), strict=True):
        s += x * y
    else:
        s += 100
    return s


@case(3, 3, 1)
@case(1, 1, 2, raises=ValueError)
@case(2, 1, 2, raises=ValueError)
@case(2, 2, 1, raises=ValueError)
@case(5, 4, 4, raises=ValueError)
def strict_of_three(n, m, k):
    out = 0
    for x, y, z in zip(range(n), range(m), range(k), strict=True):
        if x == 0 and n == 3:
            break
        out += x * y * z
    return out


@case(3, 3)
@case(4, 3, raises=ValueError)
@case(3, 4, raises=ValueError)
@case(6, 4, raises=ValueError)
def strict_of_iterators(n, m):
    it = iter(range(n))
    s = sum(x * y for x, y in zip(filter(lambda v: v < 5, it), range(m), strict=True))
    return s, next(it, -1)


@case(3, 3)
@case(4, 3, raises=ValueError)
def strict_inside(n, m):
    s = 0
    for i, (p, k) in enumerate(zip(zip(range(n), range(m), strict=True), range(3))):
        s += i * p[0] * p[1] * k
    z = zip(range(n), range(m), strict=True)
    for x, y in z:
        s += x * y
    return s


def test_strict_says_which():
    def f(n, m, k):
        s = 0
        for x, y, z in zip(range(n), range(m), range(k), strict=True):
            s += x * y * z
        return s

    g = swathe.njit(f)
    for sizes in itertools.product(range(3), repeat=3):
        for call in (f, g):
            try:
                got = call(*sizes)
            except ValueError as e:
                got = str(e).splitlines()[0]
            if call is f:
                want = got
        assert got == want, sizes


@case(np.arange(7.0))
def two_by_two(a):
    it = iter(a)
    s = 0.0
    for x, y in zip(it, it):
        s = s * 3 + x * y
    return s, next(it, -1.0)


@case(np.arange(4.0), True)
@case(np.arange(4.0), False)
def one_of_two(a, first):
    it = iter(a) if first else iter(a[1:])
    f = lambda: next(it, -1.0) + 0.5  # noqa: E731
    return f(), next(it, 0.0), f(), f()


@case(np.arange(4.0))
def classes(a):
    it = iter(a)
    z = zip(a, it)
    r = isinstance(z, zip), isinstance(z, enumerate), isinstance(a, str), isinstance(a, dict)
    return r, isinstance(list(a), list), isinstance([1], (str, list)), isinstance(it, map)


@case(7)
def lazily(n):
    """What is left out is never made."""
    log = np.zeros(3)
    s = next(1 // (5 - k) for k in range(n) if k > 3)
    t = any(1 // (6 - k) > 0 for k in range(n))
    for x in (10 // (k - 3) for k in range(4, n + 9)):
        log[0] += 1
        if x < 4:
            break
    return s, t, log


@case(4, raises=ZeroDivisionError)
@case(2)
def raises_inside(n):
    s = 0
    try:
        for x in map(lambda k: 12 // (k - 3), range(n)):
            s += x
    finally:
        s += 1000
    return s


@case(5)
def many_fors(n):
    s = 0
    for v in (i * j + k for i in range(n) if i % 2 for j in range(i) for k in (1, 2) if j != k):
        if v == 7:
            continue
        if v > 11:
            break
        s = s * 3 + v
    else:
        s = -1
    return s


@case(4)
def sorted_and_back(n):
    s = sorted((k * 7 % 5 for k in range(n)), reverse=True)
    t = sorted(s)
    u = list(s)
    u.append(100)
    return s[0], t[0], len(s), len(u), sum(u)


@case(4)
@case(0)
def dicts(n):
    d = dict(zip(range(n), map(lambda k: k * 1.5, range(n))))
    e = dict(d)
    e[50] = 2.0
    return len(d), len(e), sum(d.keys()), sum(e.values())


def summed(a):
    return sum(map(lambda v: v * v, filter(lambda v: v > 0, a)))


@case(np.arange(-4.0, 5.0))
def in_prange(a):
    out = np.zeros(200)
    for i in swathe.prange(200):
        it = iter(a)
        s = next(it) * i
        for x in it:
            s += x
            if x > 2:
                break
        out[i] = s + summed(a) + next((v for v in a if v > i), 0.5)
    return out


test_case = corpus.test()


COUNTED = [
    "for x in map(lambda v: v * 2, a):\n    r += x",
    "for x, y in zip(a, a, strict=True):\n    r += x * y",
    "for x in (v + 1 for v in a):\n    r += x",
    "r = sum(map(lambda v: v * v, a))",
    "for i, x in enumerate(v * 3 for v in a):\n    r += i * x",
    "for x in filter(lambda v: v > 1, a):\n    r += x",
]


@pytest.mark.parametrize("body", COUNTED)
def test_stays_a_counted_loop(body):
    f = swathe.njit(define(f"def f(a):\n    r = 0.0\n{indented(body)}    return r\n", "f"))
    f(np.arange(5.0))
    text = next(iter(f.inspect_ir().values()))
    assert "while" not in text, text


REFUSED = {
    "it = iter(a)\nreturn sum(next(it) for k in range(2))": "StopIteration",
    "for v in (w * n for w in a):\n    n = 2.5\nreturn n": "reads what its loop assigns",
    "it = iter({1: 2})\nreturn next(it)": "iter(d.keys())",
    "return next(a)": "is not an iterator",
    "it = iter(a)\nreturn it": "returning",
    "for x in zip((i for i in a for j in a), a):\n    n += 1\nreturn n": "more than one for",
    "it = iter(a)\nreturn len(it)": "has no len()",
    "return next(iter(a), (1, 2))": "its default",
    "return np.array(x for x in a)": "as an argument of np.array",
    "return np.sum(map(abs, a))": "as an argument of np.sum",
    "return next(iter(()), 5)": "known to be empty",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    f = swathe.njit(define(f"import numpy as np\ndef f(a, n):\n{indented(body)}", "f"))
    with pytest.raises(swathe.CompileError) as e:
        f(np.arange(3.0), 2)
    assert REFUSED[body] in str(e.value)


def test_consumed_by_a_prange_races():
    @swathe.njit(parallel=True, debug=True)
    def f(a):
        out = np.zeros(3)
        it = iter(a)
        for i in swathe.prange(3):
            out[i] = next(it)
        return out

    with pytest.raises(swathe.RaceError):
        f(np.arange(3.0))
