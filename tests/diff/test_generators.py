# SPDX-License-Identifier: BSD-3-Clause
"""Generators: bodies of all kinds, consumed by loops that are left in all ways and by whatever
else goes through something; closed where they are left; refused where they would outlive it."""

import itertools

import numpy as np
import pytest
from harness import define
from live_memory import live

import swathe

GENERATORS = {
    "loop": "for i in range(n):\n    yield i * 2",
    "guarded": "for i in range(n):\n    if i % 3:\n        log[0] += i\n        yield i",
    "behind": "for i in range(n):\n    yield i\n    log[0] += 1",
    "several": "yield n\nfor i in range(n):\n    yield i\n    yield -i\nyield 100",
    "returns": "i = 0\nwhile True:\n    if i > n:\n        return\n    yield i\n    i += 2",
    "nested": "for i in range(n):\n    for j in range(i):\n        yield i * j\n    log[0] += 1",
    "deep": "for i in range(n):\n    for j in range(i):\n        if j > 3:\n            return 5\n"
    "        yield j\n    else:\n        log[1] += 1\nelse:\n    yield 50",
    "finally": "try:\n    for i in range(n):\n        yield i\n        log[0] += 1\n"
    "finally:\n    log[1] += 1",
    "finally in a loop": "for i in range(n):\n    try:\n        yield i\n    finally:\n"
    "        log[i % 4] += 1",
    "caught": "for i in range(n):\n    try:\n        yield i\n        log[0] += 1 // (i - 2)\n"
    "    except ZeroDivisionError:\n        log[1] += 1\n        yield 20",
    "raises": "for i in range(n):\n    yield i\n    if i == 3:\n        raise KeyError(i)",
    "from": "yield from range(n)\nyield from other(n, log)\nlog[0] += 1",
    "of another": "for x in other(n, log):\n    if x == 4:\n        continue\n    yield x + 1",
    "empty": "return\nyield 1",
    "array": "x = np.arange(n) * 2\nfor y in x:\n    yield int(y)\n    x[-1] += 1",
}
BODIES = {
    "sum": "s += x",
    "continue": "if x == 2:\n    continue\ns += x",
    "break": "s += x\nif x == k:\n    break",
    "both": "if x == 1:\n    continue\nif x == k:\n    break\ns = s * 2 + x",
    "return": "s += x\nif x == k:\n    return s, log",
    "raise": "s += x\nif x == k:\n    raise ValueError(x)",
    "check": "s += x // (x - k)",
    "nested": "for y in other(x, log):\n    if y == k:\n        break\n    s += y\n"
    "else:\n    s += 7",
    "inner loop": "for j in range(x):\n    if j == k:\n        break\n    if j == 1:\n"
    "        continue\n    s += j\nif s > 60:\n    break",
    "own try": "try:\n    s += 6 // (x - k)\nexcept ZeroDivisionError:\n    log[3] += 1\n"
    "    continue\nfinally:\n    log[2] += 1",
}
OTHER = """
def other(m, log):
    try:
        for i in range(m):
            yield i
            if i == 5:
                return
    finally:
        log[3] += 100
"""


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def outcome(f, *args):
    log = np.zeros(4, dtype=np.int64)
    try:
        r = f(*args, log)
    except Exception as e:
        r = (type(e), e.args[0] if e.args and type(e.args[0]) is int else None)
    return r, log.tolist()


def same(f, *args, **options):
    want, got = outcome(f, *args), outcome(swathe.njit(**options)(f), *args)
    assert str(want) == str(got)


def loop_over(gen, body, els):
    return (
        OTHER
        + f"def gen(n, log):\n{indented(GENERATORS[gen])}"
        + f"def f(n, k, log):\n    s = 0\n    for x in gen(n, log):\n{indented(BODIES[body], 2)}"
        + ("    else:\n        s += 1000\n" if els else "")
        + "    return s, log\n"
    )


@pytest.mark.parametrize("gen", GENERATORS)
@pytest.mark.parametrize("body", BODIES)
def test_loops(gen, body):
    for els in (False, True):
        f = define(loop_over(gen, body, els), "f")
        for n, k in ((0, 1), (1, 0), (6, 3), (6, 99)):
            same(f, n, k)


@pytest.mark.parametrize("options", [{"parallel": True}, {"debug": True}])
def test_options(options):
    for gen, body in itertools.product(("several", "finally", "deep"), ("both", "raise")):
        f = define(loop_over(gen, body, True), "f")
        for n, k in ((0, 1), (6, 3)):
            same(f, n, k, **options)


CONSUMERS = [
    "list(gen(n, log))",
    "sum(gen(n, log))",
    "sum(gen(n, log), k)",
    "sum(x * x for x in gen(n, log) if x != k)",
    "max(gen(n, log))",
    "min(x - k for x in gen(n, log))",
    "sorted(gen(n, log))",
    "any(x == k for x in gen(n, log))",
    "all(x < k for x in gen(n, log))",
    "any(gen(n, log))",
    "next(gen(n, log), -1)",
    "next(x for x in gen(n, log) if x > k)",
    "[x + k for x in gen(n, log) if x]",
    "[x * y for x in gen(n, log) for y in range(2) if x > y]",
    "[sum(other(x, log)) for x in gen(n, log)]",
    "{x: i for i, x in enumerate(gen(n, log), k)}",
    "list(enumerate(iter(gen(n, log))))",
    "np.array(list(gen(n, log)))",
    "sum(gen(n, log)) - sum(gen(m=2, log=log))",
    "sum(x for x in gen(n, log)) if n > 2 else k",
]


@pytest.mark.parametrize("gen", ["several", "finally", "caught", "from", "deep", "raises"])
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_consumers(gen, consumer):
    consumer = consumer.replace("m=2", "n=2")
    text = (
        f"def gen(n, log):\n{indented(GENERATORS[gen])}def f(n, k, log):\n    return {consumer}\n"
    )
    f = define(OTHER + text, "f")
    f.__globals__["np"] = np
    for n, k in ((6, 3), (4, 0), (1, 99)):
        same(f, n, k)


def pairs(n, /, a=2, *rest, b=3):
    for i in range(n):
        yield i, a + b + len(rest)


def arguments(n, k, log):
    s = 0
    for i, x in pairs(n):
        s += i * x
    for i, (j, x) in enumerate(pairs(n, k), start=k):
        s += i * j * x
    for _, x in pairs(n, 1, 2, 3, b=4):
        s += x
    for _, x in pairs(n, b=k, a=n):
        s += x
    return s


def closure(n, k, log):
    def up(m):
        for i in range(m):
            log[0] += n
            yield i + k

    s = 0
    for x in up(n):
        for y in up(x):
            s += x * y
    return s + sum(up(2)), [sum(up(j)) for j in up(2)]


def variable(n, k, log):
    g = pairs(log[0] + n)
    log[0] = 7
    s = 0
    for i, x in g:
        s += i * x
    h = pairs(k)
    return s, sum(x for _, x in h)


def in_a_prange(n, k, log):
    out = np.zeros(n, dtype=np.int64)
    for i in swathe.prange(n):
        for j, x in pairs(i):
            out[i] += j * x
            if j == k:
                break
    return out


@pytest.mark.parametrize("f", [arguments, closure, variable, in_a_prange])
def test_more(f):
    for options in ({}, {"parallel": True}):
        for n, k in ((0, 0), (1, 2), (5, 3)):
            same(f, n, k, **options)


def test_of_another_module():
    """Its globals are those of its module."""
    other = define(
        "LIMIT = 3\ndef g(n):\n    for i in range(n):\n        yield min(i, LIMIT)\n", "g"
    )
    f = define("LIMIT = 100\ndef f(n, log):\n    return sum(g(n)) + LIMIT\n", "f")
    f.__globals__["g"] = other
    same(f, 9)


def test_places():
    """An error in the generator shows its line, and the loop's; names are the user's."""
    f = define("def g(a):\n    yield a[5]\ndef f(a):\n    for x in g(a):\n        pass\n", "f")
    with pytest.raises(IndexError) as e:
        swathe.njit(f)(np.zeros(3))
    assert "yield a[5]" in str(e.value) and "in g(a)" in str(e.value)
    assert "of 'a' with size 3" in str(e.value)
    names, tb = [], e.value.__traceback__
    while tb:
        names.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    assert names[-1].endswith("g")


REFUSED = {
    "return gen(n)": "on its way to Python",
    "return [gen(n)]": "on its way to Python",
    "a = [ends(n)]\nreturn next(a[0])": "more than one variable may have",
    "def h():\n    g = gen(n)\n    return g\nreturn ends(h())": "more than one variable",
    "for x in gen(n, 2):\n    pass": "with these arguments",
    "for x in gen():\n    pass": "with these arguments",
    "for x in gen(*(n,)):\n    pass": "with these arguments",
    "for x in managed(n):\n    pass": "yield inside with",
    "for x in handles(n):\n    if n: raise": "a bare raise",
    "for x in swallows(n):\n    raise KeyError": "a jump out of `finally`",
    "for x in huge(n):\n    for y in huge(n):\n        for _ in huge(n):\n            x": "long",
}
HELPERS = (
    """
import numpy as np
def gen(n):
    yield n
def ends(n):
    try:
        yield n
    finally:
        print(n)
def managed(n):
    with np.errstate(all="ignore"):
        yield n
def handles(n):
    try:
        raise KeyError(n)
    except KeyError:
        yield 1
def swallows(n):
    try:
        yield n
    finally:
        return
"""
    + "def huge(n):\n"
    + "    yield n\n" * 60
)


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    f = define(f"{HELPERS}def f(n):\n{indented(body)}    return 0\n", "f")
    with pytest.raises(swathe.CompileError) as e:
        swathe.njit(f)(3)
    assert REFUSED[body] in str(e.value)


TAKEN_BACK = """{head}
def f(n):
    log = []
    for v in gen(n):
        log.append(v)
        try:
            {leave}
            log.append(50)
        finally:
            log.append(60)
            {final}
        log.append(70)
    else:
        log.append(80)
    return log
"""
SHAPES = [
    "for i in range(n): yield i",
    "yield 0\n    yield 1\n    yield 2",
    "i = 0\n    while True:\n        if i > n: return\n        yield i\n        i += 1\n"
    "        yield i",
    "try:\n        for i in range(n): yield i\n    except ValueError:\n        yield 5\n"
    "    yield 9",
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("leave", ["break", "return [-5]", "continue", "raise ValueError"])
def test_a_finally_of_the_loop_takes_a_jump_back(shape, leave):
    for final in ("continue", "if v < 2: continue", "if v == 1: continue", "pass", "break"):
        text = TAKEN_BACK.format(
            head=f"def gen(n):\n    {shape}", leave=f"if v == 1: {leave}", final=final
        )
        f = define(text, "f")
        assert outcome(swathe.njit(f), 4) == outcome(f, 4), final


def test_nothing_is_lost():
    f = define(loop_over("array", "return", False), "f")
    f.__globals__["np"] = np
    g = swathe.njit(f)
    outcome(g, 6, 4), outcome(g, 6, 99)
    before = live()["bytes"]
    for k in range(20):
        outcome(g, 6, k)
    assert live()["bytes"] == before


# ---- defaults of functions in what goes through one: nodes of the function that it becomes ----


def parts(x, n=2, *, step=1):
    i = 0
    while i < len(x) and i < n:
        yield x[i]
        i += step


def default_in_a_dict(n):
    return {n: (lambda z=2: np.array(x, np.float64))() for x in parts([[1.0, 2.0], [3.0]], n)}


def default_in_a_sum(n):
    return sum((lambda z=2: x * z)() for x in parts([1.0, 3.0], n))


def default_of_a_key(n):
    return [sorted([3, 1, 2], key=lambda q, z=-1: z * q)[0] + x for x in parts([10, 20], n)]


def defaults_in_the_argument(n):
    return max(parts([(lambda z=2, *, w=7: z + w + v)() for v in parts([5, 6], n)], n))


def default_of_a_map(n):
    return [a + b for a in parts([1, 2], n) for b in map(lambda q, z=3: q * z, parts([5], 1))]


def default_of_a_function(n):
    def k(a, b=7):
        return a * b

    return [k(x) + (lambda z=9: k(z, b=2))() for x in parts([1, 2], n)]


@pytest.mark.parametrize(
    "f",
    [
        default_in_a_dict,
        default_in_a_sum,
        default_of_a_key,
        defaults_in_the_argument,
        default_of_a_map,
        default_of_a_function,
    ],
)
def test_defaults_of_functions_in_what_goes_through_one(f):
    for n in (2, 1):
        assert repr(swathe.njit(f)(n)) == repr(f(n))
