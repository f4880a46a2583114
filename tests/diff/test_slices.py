# SPDX-License-Identifier: BSD-3-Clause
"""Slices in every combination of bounds and steps, and sums of slices: their sizes are
compared at compile time wherever they can be."""

import itertools
import random

import numpy as np
import pytest
from harness import define

import swathe

BOUNDS = (None, *range(-4, 5))
STEPS = (None, *range(-4, 0), *range(1, 5))
FAR = (2**63 - 1, 2**63 - 2, 2**62, 2**31, -(2**31), -(2**62), -(2**63) + 1, -(2**63))
LENGTHS = range(10)

PUT = """
def put(out, k, s):
    out[k, 0] = s.size
    for i in range(s.size):
        out[k, i + 1] = s[i]
"""


def text(*parts):
    """``p:q:s``, where None is left out."""
    return ":".join("" if p is None else str(p) for p in parts)


def jit(source, name):
    return swathe.jit(define(source, name))


def constant_slices(slices, axis):
    """A function that notes each of them, along `axis` of a."""
    place = {0: "%s", 1: "1, %s", 2: "%s, 1"}[axis]
    lines = [f"    put(out, {k}, a[{place % s}])" for k, s in enumerate(slices)]
    return PUT + "def f(a, out):\n" + "\n".join(lines) + "\n"


def expected(slices, view, out):
    for k, s in enumerate(slices):
        part = eval(f"view[{s}]", {"view": view})
        out[k, 0] = part.size
        out[k, 1 : 1 + part.size] = part


def arrays(n, axis):
    """Of each layout, with n elements along the axis that is sliced."""
    x = np.arange(10.0, 10.0 + 6 * n)
    if axis == 0:
        return [x[:n], x[: 2 * n : 2], x[:n][::-1]]
    shape = (3, n) if axis == 1 else (n, 3)
    two = x[: 3 * n].reshape(shape)
    return [two, np.asfortranarray(two), np.repeat(two, 2, axis=1)[:, ::2]]


@pytest.mark.parametrize("axis", (0, 1, 2))
@pytest.mark.parametrize("step", STEPS)
def test_constant_bounds(step, axis):
    slices = [text(p, q, step) for p, q in itertools.product(BOUNDS, BOUNDS)]
    f = jit(constant_slices(slices, axis), "f")
    for n in LENGTHS:
        for a in arrays(n, axis):
            got, want = (np.full((len(slices), n + 1), -1.0) for _ in range(2))
            f(a, got)
            expected(slices, a if axis == 0 else a[1] if axis == 1 else a[:, 1], want)
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("step", (None, -1, 2, *FAR))
def test_far_bounds(step):
    bounds = (None, 0, 1, -1, 3, -3, *FAR)
    slices = [text(p, q, step) for p, q in itertools.product(bounds, bounds)]
    f = jit(constant_slices(slices, 0), "f")
    for n in (0, 1, 2, 5):
        a = np.arange(float(n))
        got, want = (np.full((len(slices), n + 1), -1.0) for _ in range(2))
        f(a, got)
        expected(slices, a, want)
        np.testing.assert_array_equal(got, want)


# each of p, q, s: a variable, None, or a constant
KINDS = [
    k
    for k in itertools.product(
        ("p", None, "2", "-2"), ("q", None, "3", "-1"), ("s", None, "2", "-1")
    )
    if k[0] == "p" or k[1] == "q" or k[2] == "s"
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: text(*k))
def test_variable_bounds(kind):
    f = jit(f"def f(a, p, q, s):\n    return a[{text(*kind)}]\n", "f")
    values = {"p": (*range(-4, 5), *FAR[::3]), "q": (*range(-4, 5), *FAR[::3])}
    values["s"] = (*STEPS[1:], FAR[0], FAR[-1])
    runs = [values[k] if k in values else (1,) for k in kind]
    rng = random.Random(str(kind))
    points = list(itertools.product(LENGTHS, *runs))
    for n, p, q, s in rng.sample(points, min(len(points), 800)):
        a = np.arange(float(n))
        want = eval(f"a[{text(*kind)}]", {"a": a, "p": p, "q": q, "s": s})
        np.testing.assert_array_equal(f(a, p, q, s), want, str((n, p, q, s)))


def outcome(f, *args):
    try:
        return f(*args)
    except ValueError as e:
        return str(e).split("\n")[0]


def same(got, want, what):
    if isinstance(want, str):
        assert got == want, what
    else:
        np.testing.assert_array_equal(got, want, what)


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_slices(seed):
    """Of one array, and of two: equal sizes, sizes that are 1, errors as NumPy's."""
    rng = random.Random(seed)
    for _ in range(6):
        a, b = (text(rng.choice(BOUNDS), rng.choice(BOUNDS), rng.choice(STEPS)) for _ in range(2))
        c = text(rng.choice(BOUNDS), rng.choice(BOUNDS))
        e = f"a[{a}] + a[{b}] * a[{c}] - {rng.choice(('a', 'b'))}[{rng.choice((a, b, c))}]"
        plain = define(f"def f(a, b):\n    return {e}\n", "f")
        fast = swathe.jit(plain)
        for n, m in itertools.product(LENGTHS, (0, 1, 4, 9)):
            x, y = np.arange(float(n)), np.arange(float(m)) * 0.5
            same(outcome(fast, x, y), outcome(plain, x, y), (e, n, m))


# --- random programs --------------------------------------------------------------------


class Programs:
    """Slices of slices, sums of them, branches and loops, over 1-D or 2-D arrays."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.ndim = self.rng.choice((1, 1, 2))
        self.lines = []
        body = self.block(1, self.rng.randint(3, 9))
        self.source = "def f(a, b, k, t):\n    c = a[:]\n" + body + "    return a, b, c\n"

    def part(self):
        """A slice, and one of the same length wherever the axis is long enough."""
        r = self.rng
        if r.random() < 0.2:
            p, q = (r.choice((None, 1, 2, -1, -2, "k", "-k")) for _ in range(2))
            s = text(p, q, *r.choice(((), (2,), (-1,))))
            return s, s
        k = r.choice((0, 1, 2, 2, 3, "k"))
        if k == "k":
            return r.choice((("k:", ":-k"), (":k", "-k:"), ("k:-k", "k:-k")))
        pairs = [(text(p or None, p - k or None)) for p in range(k + 1)]
        return r.choice(pairs), r.choice(pairs)

    def slices(self):
        parts = [self.part() for _ in range(self.rng.randint(1, self.ndim))]
        one, two = (", ".join(p[i] for p in parts) for i in (0, 1))
        x, y = self.rng.choice(("aa", "bb", "cc", "aa", "bb", "ab", "bc"))
        return f"{x}[{one}]", f"{y}[{two}]"

    def slice(self):
        return self.slices()[0]

    def expression(self):
        x, y = self.slices()
        more = f" * {self.slices()[0]}" if self.rng.random() < 0.1 else ""
        return self.rng.choice((x, f"{x} - {y}", f"{x} - {y}", f"{y} + {x} * {y}")) + more

    def statement(self, depth):
        r, pad = self.rng, "    " * depth
        kind = r.random()
        if kind < 0.14 and depth < 3:
            return (
                f"{pad}if t > {r.randint(0, 3)}:\n"
                + self.block(depth + 1, 2)
                + (f"{pad}else:\n" + self.block(depth + 1, 2) if r.random() < 0.5 else "")
            )
        if kind < 0.28 and depth < 3:
            i = "ij"[depth - 1]
            return f"{pad}for {i} in range(t):\n" + self.block(depth + 1, 2)
        if kind < 0.36:
            return f"{pad}a, b = b, a\n"
        if kind < 0.5:
            return "{}{} += {}\n".format(pad, *self.slices())
        return f"{pad}{r.choice('abc')} = {self.expression()}\n"

    def block(self, depth, n):
        return "".join(self.statement(depth) for _ in range(n))


def copies(ndim, n, m):
    shape = (n,) if ndim == 1 else (n, m)
    a = np.arange(1.0, 1.0 + n * m)[: int(np.prod(shape))].reshape(shape)
    return a, a * 0.25 + 1


def run(f, ndim, n, m, k, t):
    a, b = copies(ndim, n, m)
    try:
        return f(a, b, k, t), a, b
    except ValueError as e:
        return str(e).split("\n")[0], a, b


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    p = Programs(seed)
    plain = define(p.source, "f")
    fast = swathe.jit(plain)
    for n, m, k, t in (
        (6, 4, 1, 2),
        (9, 9, 2, 4),
        (1, 3, 1, 1),
        (0, 2, 1, 3),
        (5, 1, 0, 0),
        (7, 8, -1, 3),
    ):
        want, got = run(plain, p.ndim, n, m, k, t), run(fast, p.ndim, n, m, k, t)
        if isinstance(want[0], str) or isinstance(got[0], str):
            assert isinstance(want[0], str) and isinstance(got[0], str), p.source
        else:
            for x, y in zip(got[0], want[0], strict=True):
                np.testing.assert_array_equal(x, y, p.source)
        np.testing.assert_array_equal(got[1], want[1], p.source)
        np.testing.assert_array_equal(got[2], want[2], p.source)


@pytest.mark.parametrize("n", (1, 10, 30))
@pytest.mark.parametrize(
    "line", ("b = b[1:] - b[:-1]", "b = b[k:] - b[:-k]", "b = b[1:-1:1] - b[2:]")
)
def test_long_chains(line, n):
    plain = define("def f(b, k):\n" + f"    {line}\n" * n + "    return b\n", "f")
    fast = swathe.jit(plain)
    for size in (0, 1, 5, n, n + 1, 3 * n + 2):
        b = np.arange(float(size)) ** 2 % 7
        same(outcome(fast, b, 1), outcome(plain, b, 1), size)
