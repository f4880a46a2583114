# SPDX-License-Identifier: BSD-3-Clause
"""Functions, closures, lambdas, recursion, arguments, tuples, globals, comprehensions."""

import enum
import math
import operator
from collections import namedtuple
from typing import NamedTuple

import harness
import numpy as np
from harness import Corpus
from numpy import sqrt as np_sqrt

corpus = Corpus()
case, add, expr = corpus, corpus.add, corpus.expr
X = np.array([3.5, -1.25, 2.0, 0.5])

Point = namedtuple("Point", "x y")


class Ball(NamedTuple):
    pos: tuple
    mass: float

    @property
    def weight(self):
        return self.mass * 9.81

    def moved(self, dx, dy=0.0):
        return Ball((self.pos[0] + dx, self.pos[1] + dy), self.mass)

    def heavier(self, other):
        return self.weight > other.weight


class Sums(NamedTuple):
    of: object

    def add(self, i, v):
        self.of[i] += v
        return self


class Colour(enum.IntEnum):
    RED = 1
    GREEN = 20


SCALE = 2.5
COUNT = 3
FLAG = True
PHASE = 1 + 2j
NUMBERS = (1, 2, 3)
MIXED = (1, 2.5, (True, 4j))
TABLE = np.array([10.0, 20.0, 30.0])
NAME = "linear"
NOTHING = None
F32 = np.float32(0.1)
ORIGIN = Point(1, 2.0)


def square(x):
    return x * x


def helper(x, k=2, *, bias=0):
    return x * k + bias


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def power_recursive(x, n):
    if n == 0:
        return 1.0
    half = power_recursive(x, n // 2)
    return half * half * x if n % 2 else half * half


add(fact, 10)
add(is_even, 7)
add(is_odd, 7)
add(fib, 12)
add(ackermann, 2, 3)
add(power_recursive, 1.5, 10)
add(helper, 3)
add(helper, 3, 4)
add(helper, 3, kw={"k": 5, "bias": 1}, id="helper-keywords")
add(helper, 3.5, kw={"bias": 1}, id="helper-keyword-only")
add(helper, raises=TypeError, id="helper-missing")
add(helper, 1, 2, 3, raises=TypeError, id="helper-too-many")
add(helper, 1, kw={"no": 2}, raises=TypeError, id="helper-unknown")
add(helper, 1, kw={"x": 2}, raises=TypeError, id="helper-twice")


@case(3)
@case(2.5)
@case(X)
def calls(x):
    return square(x) + helper(x) + helper(x, 3) + helper(k=2, x=x) + helper(x, bias=1)


@case(4)
def calls_with_several_types(n):
    return square(n), square(n * 0.5), square(1j * n), square(np.float32(n))


@case(3, raises=TypeError)
def calls_wrongly(x):
    return helper(x, 1, 2)


@case(3)
@case(2.5)
def inner_function(n):
    def twice(x):
        return x * 2

    return twice(n) + twice(n + 1)


@case(3)
def inner_captures(n):
    k = n * 10

    def f(x):
        return x + k

    k = k + 1
    return f(1) + f(2)


@case(3)
def inner_default(n):
    def f(x, y=n):
        return x * 10 + y

    n = 100
    return f(1), f(1, 2)


@case(3)
def inner_of_inner(n):
    def outer(x):
        def inner(y):
            return x * y + n

        return inner(2) + inner(3)

    return outer(4)


@case(5)
def inner_recursion(n):
    def f(k):
        return 1 if k < 2 else k * f(k - 1)

    return f(n)


@case(3)
def inner_nonlocal(n):
    total = 0

    def bump(k):
        nonlocal total
        total += k

    bump(n)
    bump(4)
    return total


@case(4.0)
def lambdas(x):
    f = lambda a, b=2: a * b  # noqa: E731
    g = lambda: x + 1  # noqa: E731
    return f(x), f(x, 3), g(), (lambda v: v - 1)(x)


def apply(f, x):
    return f(x)


def twice(f, x):
    return f(f(x))


@case(3.0)
def functions_as_values(x):
    f = square
    g = math.sqrt
    return apply(f, x), apply(g, x), twice(square, x), apply(lambda v: v + 1, x)


@case(3.0)
def chosen_function(x):
    f = square if x > 0 else square
    return f(x)


def make_adder(k, table):
    def adder(x):
        return x + k + table[1]

    return adder


add(make_adder(3, (1, 2)), 4)
add(make_adder(2.5, (1, 20)), 4)
add(make_adder(3, TABLE), 4)
add(make_adder(np.float32(3), (1, 2)), 4)


def make_composed(f, g):
    def composed(x):
        return f(g(x))

    return composed


add(make_composed(math.sqrt, square), -4.0)
add(make_composed(square, math.floor), 2.5)
add(make_composed(square, lambda v: v + 1), 2)
add(make_composed(np.sin, np.cos), X, ulp=8)
add(lambda x: x + 1, 2, id="lambda")
add(lambda x, y=3: x * y, 2, id="lambda-default")


@case(1, 2, 3)
@case(1, 2.5)
@case(1, raises=...)
@case()
def star_args(*args):
    return len(args), args


@case(1, 2, 3, 4)
@case(1)
def star_rest(a, *rest):
    s = a
    for v in rest:
        s = s * 10 + v
    return s


@case(np.ones(3))
@case(np.ones(3), 2, 3)
def star_rest_forms(z, *rest):
    s, n = 0, 0
    for i, v in enumerate(rest):
        s += i * v
    for a, v in zip(z, rest):
        s += a * v
    for v in reversed(rest):
        for w in rest:
            n += v * w
    for _ in range(3):
        for v in rest:
            n += v
            break
        else:
            n += 100
    return s, n, sum([v for v in rest]), any(v > 1 for v in rest), all(v > 2 for v in rest)


@case(1, 2.5, 3)
def star_call(a, b, c):
    t = (b, c)
    return three(a, *t), three(*(a, b, c))


def three(a, b, c):
    return a * 100 + b * 10 + c


@case(1, 2)
def forwards_star(*args):
    return three(*args, 5)


# --- tuples ---------------------------------------------------------------------------

for text in (
    "a, b",
    "(a,)",
    "()",
    "b, (a, (b, a))",
    "(a, b) + (b,)",
    "(a, b) == (b, a), (a, b) != (a, b), (a, b) < (b, a), (a, b) >= (a, b)",
    "(a, b) < (a, b, 1), () == (), (a,) > ()",
    "len((a, b, a)), len(())",
    "(a, b, 3, 4)[1], (a, b, 3, 4)[-1], (a, b, 3, 4)[1:3], (a, b, 3, 4)[::-1]",
    "(a, b, 3, 4)[:-1], (a, b)[5:], (a, b, 3, 4)[::2]",
    "a in (1, 2, 3), b in (1, 2, 3), a not in (1, b), 2.0 in (a, b)",
    "(a, b) * 2",
    "3 * (a,)",
    "(a, b) == (a, b) and a > 0",
    "x, y = a, b\nx, y = y, x\nreturn x - y, x",
    "x, y, z = a, b, a + b\nx, y, z = z, x, y\nreturn x, y, z",
    "(x, y), z = (a, b), a\nreturn x, y, z",
    "x, *y = a, b, 3\nreturn x, y[0], len(y)",
    "*x, y = (a, b, 3)\nreturn x[0], y",
    "t = (a, b)\nt += (5,)\nreturn t",
    "[x, y] = a, b\nreturn x + y",
    "x = y = (a, b)\nreturn x == y",
    "t = (a, b)\ns = 0\nfor i in range(len(t)):\n    s += i\nreturn s",
    "min((a, b)), max((a, b, 7)), sum((a, b)), any((a, 0)), all((a, 0))",
    "tuple((a, b))",
    "isinstance((a, b), tuple)",
    "(x := (a, b))[0] + x[1]",
):
    expr(text, 1, 2)
expr("a[0] + b[1]", (1, 2), (3.5, 4.5))
expr("a[1][0]", (1, (2, 3)))
expr("a[b]", (5, 6, 7), 1)
expr("a[b]", (5, 6, 7), -1)
expr("a[b]", (5, 6, 7), 3, raises=IndexError, modes=("plain", "debug"))
expr("a[5]", (5, 6, 7), raises=IndexError)
expr("x, y = a\nreturn x + y", (1, 2.5))
expr("x, y = a\nreturn x + y", (1, 2, 3), raises=ValueError)
expr("x, y, z = a\nreturn x + y", (1, 2), raises=ValueError)
expr("x, y = a\nreturn x - y", np.array([1.5, 2.5]))
expr("x, y = a\nreturn x - y", np.array([1.5, 2.5, 3]), raises=ValueError)
expr("x, y = a\nreturn x - y", np.arange(4.0).reshape(2, 2))
expr("x, y = a\nreturn x", 5, raises=TypeError)
expr("a[0] = 5", (1, 2), raises=TypeError)
expr("a == b, a < b", (1, 2.5), (1, 3))
expr("(a, b)", X, (1, X))
expr("a[0][1:] + a[1]", (X, 2))
expr("m, n = a.shape\nreturn m * 10 + n", np.zeros((3, 4)))
expr("a[0], a[1] = a[1], a[0]\nreturn a", np.array([1.0, 2.0]))
expr("i = 0\ni, a[i] = 1, 9\nreturn i", np.array([1.0, 2.0]))
expr("(a, b) < (b, 1j)", 1, 2)
expr("(a, b) < (a, 1j)", 1, 2, raises=TypeError)
expr("a.x, a.y, a[0], len(a), a == (1, 2.0)", Point(1, 2.0))
expr("a", Point(1, Point(2.5, X)))
expr("a.x.y + a.y", Point(Point(1, 2), 3))
expr("a.pos[1] * a.mass", Ball((1, 2), 0.5))
expr("a + (3,), a[1:], a < (5, 5)", Point(1, 2))
expr("a.z", Point(1, 2), raises=AttributeError)
expr("'a' == 'b', 'a' + 'b' == 'ab', len('abc'), 'a' < 'b', 'b' in 'abc'", id="strings")
expr("'text'", id="returns-text")
expr("a == 'sum', a != 'sum', len(a)", "sum")


@case(1, 2.5)
def makes_namedtuple(a, b):
    p = Point(a, b)
    q = Point(y=p.x, x=p.y)
    return p, q, p.x + q.x


@case(Ball((1.0, 2.0), 3.0), 0.5)
def moves_ball(ball, dt):
    x, y = ball.pos
    return Ball((x + dt, y), ball.mass)


@case(Ball((1.0, 2.0), 3.0), 0.5)
def methods_of_a_ball(ball, dt):
    b = ball.moved(dt).moved(dy=dt, dx=1)
    return b, b.weight, b.moved(1).pos[0], b.heavier(Ball((0.0, 0.0), dt)), ball.weight + dt


@case(X)
def method_writes(x):
    s = Sums(np.zeros(3))
    for v in x:
        s.add(1, v).add(2, 2 * v)
    return s.of, s


@case(Ball((1.0, 2.0), 3.0), raises=AttributeError)
def no_such_method(ball):
    return ball.thrown()


@case(Ball((1.0, 2.0), 3.0), raises=TypeError)
def too_many_for_a_method(ball):
    return ball.moved(1, 2, 3)


@case(4)
def int_enum(n):
    return Colour.GREEN + n, n * Colour.RED


@case(3)
def returns_tuples(n):
    def minmax(a, b):
        return (a, b) if a < b else (b, a)

    lo, hi = minmax(n, 2)
    return lo * 10 + hi, minmax(1, n)


@case("sum", X)
@case("mean", X)
@case("none", X, raises=ValueError)
def branches_on_text(how, x):
    if how == "sum":
        return x[0] + x[1]
    elif how == "mean":
        return (x[0] + x[1]) / 2
    raise ValueError("no such method")


# --- globals and modules --------------------------------------------------------------


@case(2)
def global_scalars(n):
    return n * SCALE, n + COUNT, FLAG, PHASE * n, F32 * n, n + FLAG


@case(2)
def global_tuples(n):
    s = 0
    for v in NUMBERS:
        s += v * n
    return s, NUMBERS[1], MIXED, MIXED[2][1], NUMBERS + (n,), ORIGIN.y, ORIGIN


@case(2)
def global_array(n):
    return TABLE[n], TABLE[-1] * n, TABLE.shape, len(TABLE), TABLE[1:] * 2


@case(2)
def global_text_and_none(n):
    if NAME == "linear" and NOTHING is None:
        return n
    return -n


@case(4.0)
def global_modules(x):
    return math.pi * x, np.pi, np_sqrt(x), np.float32(x), np.e, np.inf, harness.np.pi


@case(4.0, raises=AttributeError)
def wrong_module_attribute(x):
    return np.no_such_function(x)


@case(3)
def local_import(n):
    import math as m
    from math import floor

    return m.sqrt(n) + floor(2.5)


@case(3, 4)
def operator_module(a, b):
    return operator.add(a, b), operator.mul(a, b), operator.lt(a, b), operator.neg(a)


@case(3)
def constants_fold(n):
    return n * (2 + 3) * 4**2 - (7 // 2) - -3, 2**-1, 1 / 3, 10 % 3


# --- comprehensions -------------------------------------------------------------------


@case(5)
def comprehension(n):
    return np.array([i * i for i in range(n)])


@case(5)
def comprehension_float(n):
    return np.array([math.sqrt(i) + 0.5 for i in range(n)])


@case(4, 3)
def comprehension_nested(n, m):
    return np.array([[i * 10 + j for j in range(m)] for i in range(n)])


@case(4)
def comprehension_two_loops(n):
    return np.array([i * 10 + j for i in range(n) for j in range(2)])


@case(9)
def comprehension_filtered(n):
    return np.array([i for i in range(n) if i % 3 != 1])


@case(X)
def comprehension_over_array(x):
    i = 100
    y = np.array([v * 2 + i for v in x])
    return y, i


@case(4)
def comprehension_dtype(n):
    return np.array([i + 1 for i in range(n)], dtype=np.float32)


@case(4)
def comprehension_scope(n):
    i = 7
    a = np.array([i for i in range(n)])
    return a, i


@case(5)
def generator_in_reduction(n):
    s = sum(i * i for i in range(n))
    lo = min(i - 2 for i in range(n))
    hi = max(i * 3 for i in range(n))
    return s, lo, hi, any(i > 3 for i in range(n)), all(i > 3 for i in range(n))


@case(X)
def builtins_over_array(x):
    return min(x), max(x), len(x), any(x), all(x)


@case(np.array([3, 1, 2]))
def sum_of_array(x):
    return sum(x), sum(x, 10)


@case(4)
def sum_of_range(n):
    return sum(range(n)), min(range(1, n)), max(range(n)), n in range(n), 2 in range(n)


@case(X)
def slices_as_values(x):
    s = slice(1, 3)
    return x[s], x[slice(None, None, -1)]


# --- augmented assignment -------------------------------------------------------------


@case(7, 2)
@case(7.5, 2.0)
def augmented(a, b):
    c = a
    c += b
    c -= 1
    c *= 3
    c //= b
    c %= 5
    c **= 2
    d = c
    d /= b
    return c, d


@case(12, 5)
def augmented_bits(a, b):
    a &= b | 8
    a |= 3
    a ^= b
    a <<= 2
    a >>= 1
    return a


@case(X, 2)
def augmented_element(x, i):
    x[i] += 1
    x[i] *= 2
    x[i - 1] -= x[i]
    x[0] /= 4
    x[0] //= 0.25
    x[-1] **= 2
    return x[i]


def next_index(counter):
    counter[0] += 1
    return counter[0]


@case(np.array([0]), np.zeros(4))
def index_evaluated_once(counter, x):
    x[next_index(counter)] += 5
    x[next_index(counter)] = next_index(counter)
    return counter[0]


@case(X)
def rebinding_or_in_place(x):
    y = x
    y += 1
    z = x
    z = z + 1
    return y is x, z is x, x[0]


@case(np.array([1.0]))
def evaluation_order(log):
    def note(k):
        log[0] = log[0] * 10 + k
        return k

    note(1) + note(2) * note(3)
    note(4) < note(5) < note(0) < note(9)
    note(6) if note(0) else note(7)
    return log[0]


@case(X)
def index_that_is_none_has_effects(x):
    def note(y, v):
        y[0] += v

    x[note(x, 1)] += 1
    return x[note(x, 2)]


@case(X, raises=ValueError)
def index_that_never_comes(x):
    def fail():
        raise ValueError("no")

    x[fail()] = 1


@case(5)
def callee_mutates(n):
    x = np.zeros(n)

    def fill(y, v):
        y[1:3] = v

    fill(x, 2.5)
    fill(x[2:], 1.5)
    return x


@case(X, X)
def same_array_twice(a, b):
    a[0] = 99.0
    return b[0]


test_case = corpus.test()
