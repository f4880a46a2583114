"""Functions that compiled functions return to Python."""

import gc
import math
import pickle

import numpy as np
import pytest

from swathe import njit


def adder(k):
    def f(x, y=10, *, z=1):
        return x + k + y * z

    return f


def times(k):
    return lambda x: x * k


def counter():
    n = 0

    def inc(by=1):
        nonlocal n
        n += by
        return n

    def get():
        return n

    return inc, get


def powers(n):
    return [lambda x, k=k: x**k for k in range(n)]


def table(n):
    return {"add": lambda x: x + n, "sub": lambda x: x - n}


def chosen(n):
    return math.floor if n > 1 else math.ceil


def perhaps(n):
    return (lambda x: x + n) if n > 2 else None


def composed(k):
    def f(x):
        return x + k

    def g(x):
        return f(f(x)) * 2

    def h(x):
        return g(f(x))

    return h


def memo():
    seen = {}

    def fib(n):
        if n < 2:
            return n
        if n not in seen:
            seen[n] = fib(n - 1) + fib(n - 2)
        return seen[n]

    return fib


def curried(a):
    def f(b):
        def g(c):
            return a * 100 + b * 10 + c

        return g

    return f


def logged():
    lines = []

    def add(line: str):
        lines.append(line)
        return len(lines)

    lines.append("begin")

    def text():
        return "\n".join(lines)

    return add, text


def of_many(*ks, scale=2):
    def f(x):
        return sum(ks) * scale + x

    return f


class Kept:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return self.n + x

    def more(self, x):
        self.n += x
        return self.n


def with_an_instance(n):
    return Kept(n), (lambda x: x + n), "text", [n]


def bound(n):
    return Kept(n).more


def test_closures():
    made = njit(adder)
    plain = adder(3)
    f = made(3)
    for args, named in (((4,), {}), ((4.5, 2), {}), ((1,), {"z": 3}), ((), {"y": 2, "x": 1})):
        assert f(*args, **named) == plain(*args, **named)
    assert np.array_equal(f(np.arange(3)), plain(np.arange(3)))
    assert made(2.5)(1) == adder(2.5)(1)
    assert f.__name__ == "f" and "adder" in repr(f)
    assert njit(times)(2)("ab") == "abab" and njit(times)("ab")(2) == "abab"
    assert njit(composed)(3)(1) == composed(3)(1)
    assert njit(of_many)(1, 2, 3)(1) == 13 and njit(of_many)(1, scale=5)(1) == 6


def test_each_has_its_own_state():
    made = njit(counter)
    (inc, get), (other, _) = made(), made()
    assert [inc(), inc(5), get(), other(), get(), inc(by=2)] == [1, 6, 6, 1, 6, 8]
    with pytest.raises(TypeError, match="can't change the type of what it has captured"):
        inc(0.5)
    assert get() == 8


def test_containers_of_functions():
    assert [f(3) for f in njit(powers)(4)] == [1, 3, 9, 27]
    assert njit(powers)(0) == []
    assert {k: f(10) for k, f in njit(table)(3).items()} == {"add": 13, "sub": 7}


def test_one_of_several_or_none():
    made = njit(chosen)
    assert made(2)(1.5) == 1 and made(0)(1.5) == 2
    made = njit(perhaps)
    assert made(1) is None and made(3)(1) == 4


def test_what_they_have_stays():
    fib = njit(memo)()
    assert fib(50) == 12586269025 and fib(60) == 1548008755920
    add, text = njit(logged)()
    assert [add("a"), add("b"), text()] == [2, 3, "begin\na\nb"]
    more = njit(bound)(3)
    assert [more(1), more(1)] == [4, 5]


def test_functions_that_return_functions():
    assert njit(curried)(1)(2)(3) == 123


def test_beside_other_values():
    kept, f, text, n = njit(with_an_instance)(4)
    assert isinstance(kept, Kept) and kept.n == 4 and (f(1), text, n) == (5, "text", [4])


def test_arrays_are_seen():
    def of(x):
        def get(i):
            return x[i]

        return get

    x = np.arange(4.0)
    get = njit(of)(x)
    x[2] = 7.0
    assert get(2) == 7.0
    del x
    gc.collect()
    assert get(3) == 3.0
    with pytest.raises(IndexError, match="out of bounds"):
        get(4)


def test_refused():
    def of(x):
        return lambda i: x[i]

    def deep(n):
        return [[lambda x: x + n]]

    with pytest.raises(TypeError, match="can't keep an argument of type list"):
        njit(of)([1, 2])
    with pytest.raises(TypeError, match="in containers that are in a"):
        njit(deep)(1)
    f = njit(adder)(1)
    with pytest.raises(TypeError, match="missing the argument 'x'"):
        f()
    with pytest.raises(TypeError, match="no argument named 'q'"):
        f(1, q=1)
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(f)


def test_errors():
    def of(n):
        if n < 0:
            raise ValueError("negative")

        def f(x):
            if x > n:
                raise KeyError(x)
            return x

        return f

    made = njit(of)
    with pytest.raises(ValueError, match="negative"):
        made(-1)
    f = made(3)
    assert f(2) == 2
    with pytest.raises(KeyError):
        f(5)
    assert f(3) == 3
