"""Paths of a function that return values without a common type to Python."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from live_memory import live

from swathe import njit


def number_or_text(n: Any) -> Any:
    if n > 0:
        return n
    return "none"


def many(n: Any) -> Any:
    if n == 0:
        return None
    if n == 1:
        return "a" * n
    if n == 2:
        return np.arange(3.0)
    if n == 3:
        return (1, "x")
    if n == 4:
        return True
    if n == 5:
        return b"q"
    if n == 6:
        return [1, 2]
    return 7


def bool_int_or_text(n: Any) -> Any:
    if n == 0:
        return False
    if n == 1:
        return 5
    return "s"


def ends(n: Any) -> Any:
    if n > 3:
        return n
    if n > 1:
        return "x"


def of_tuples(n: Any) -> Any:
    if n > 5:
        return np.float32(2)
    if n > 3:
        return (1, None)
    if n > 2:
        return {"a": [1, 2]}
    return ""


def numbers_promote(n: Any) -> Any:
    for i in range(n):
        if i == 3:
            return float(i)
        if i == 1 and n == 2:
            return "two"
    return f"{n}", n


def in_try(n: Any) -> Any:
    try:
        if n == 0:
            return 1 // n
        return n
    except ZeroDivisionError:
        return "zero"
    finally:
        n += 1


def layouts(x: Any) -> Any:
    if x.sum() > 3:
        return x.T
    if x.sum() > 1:
        return x * 2
    return -1


def appended(x: Any) -> Any:
    if len(x) == 0:
        return "empty"
    x.append(1.5)
    return x


def raises(n: Any) -> Any:
    if n > 1:
        return 1
    if n > 0:
        return "one"
    raise ValueError("none")


CALLS = {
    number_or_text: (1, 0),
    many: range(8),
    bool_int_or_text: range(3),
    ends: (5, 2, 0),
    of_tuples: (6, 4, 3, 0),
    numbers_promote: (0, 2, 9),
    in_try: (0, 1),
    layouts: (np.ones((2, 3)), np.full((2, 3), 0.3), np.zeros((2, 3)), np.ones((3, 2)).T),
    appended: ([], [1.0]),
}


@pytest.mark.parametrize("f", list(CALLS), ids=lambda f: f.__name__)
def test_paths_return_what_python_returns(f: Any) -> None:
    compiled = njit(f)
    for arg in CALLS[f]:
        want, got = f(copy.deepcopy(arg)), compiled(copy.deepcopy(arg))
        assert type(got) is type(want)
        assert repr(got) == repr(want)


def test_an_argument_is_itself() -> None:
    x = [1.0]
    assert njit(appended)(x) is x
    assert x == [1.0, 1.5]


def test_nothing_stays() -> None:
    compiled = njit(many)
    for n in range(8):
        compiled(n)
    before = live()
    for n in range(80):
        compiled(n % 8)
    assert live() == before


def test_errors_come_through() -> None:
    compiled = njit(raises)
    assert (compiled(2), compiled(1)) == (1, "one")
    with pytest.raises(ValueError, match="none"):
        compiled(0)


def test_from_the_cache() -> None:
    for _ in range(2):
        compiled = njit(cache=True)(many)
        assert [repr(compiled(n)) for n in range(8)] == [repr(many(n)) for n in range(8)]


def calls_itself(n: Any) -> Any:
    if n <= 0:
        return "zero"
    calls_itself(n - 1)
    return 1


def called(n: Any) -> Any:
    def of(m: Any) -> Any:
        if m:
            return 1
        return "a"

    return of(n)


@pytest.mark.parametrize("f", [calls_itself, called])
def test_values_in_compiled_code_may_be_of_either(f: Any) -> None:
    for n in (1, 0):
        assert njit(f)(n) == f(n)


def test_a_signature_holds() -> None:
    with pytest.raises(TypeError, match="returns int64, but it returns int64 or str"):
        njit("int64(int64)")(number_or_text)


def arms(n: Any) -> Any:
    return 1 if n > 0 else "a"


def nested_arms(n: Any) -> Any:
    return (1 if n > 0 else "a") if n < 5 else None


def arms_of_kinds(n: Any) -> Any:
    return [n] if n > 2 else np.zeros(2) if n > 0 else (n, "x")


def narrowed_arms(x: Any) -> Any:
    return "none" if x is None else x + 1


def decided_arms(n: Any) -> Any:
    return n if 2 > 1 else "a"


def arms_in_a_loop(n: Any) -> Any:
    for k in range(n):
        if k * k > n:
            return k if k % 2 else f"{k}!"
    return None


def arms_of_items(d: Any) -> Any:
    return d["a"] if "a" in d else "missing"


def arms_that_raise(n: Any) -> Any:
    return 10 // n if n < 3 else "much"


@pytest.mark.parametrize(
    ("f", "values"),
    [
        (arms, [0, 1]),
        (nested_arms, [0, 1, 7]),
        (arms_of_kinds, [-1, 1, 3]),
        (narrowed_arms, [None, 3]),
        (decided_arms, [1]),
        (arms_in_a_loop, [0, 10, 20]),
        (arms_of_items, [{"a": 1}, {"b": 1}]),
        (arms_that_raise, [0, 2, 5]),
    ],
)
def test_arms_of_a_choice(f: Any, values: list[Any]) -> None:
    g = njit(f)
    for v in values:
        try:
            want = f(v)
        except ZeroDivisionError:
            with pytest.raises(ZeroDivisionError):
                g(v)
            continue
        got = g(v)
        assert type(got) is type(want)
        assert np.array_equal(got, want) if isinstance(want, np.ndarray) else got == want
