# SPDX-License-Identifier: BSD-3-Clause
"""What Python changes under a compiled function: defaults that are replaced, and -O."""

import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from swathe import njit


def helper(a, b=2, *, c=0):
    return a + b + c


def caller(a):
    return helper(a)


def test_defaults_of_the_function():
    def f(a, b=1):
        return a + b

    fast = njit(f)
    for defaults in ((1,), (10,), (2.5,), (7,)):
        f.__defaults__ = defaults
        assert fast(1) == f(1) and type(fast(1)) is type(f(1))
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        fast(1)
    assert fast(1, 2) == 3


def test_keyword_defaults_of_the_function():
    def f(a, *, b=1):
        return a + b

    fast = njit(f)
    assert fast(1) == 2
    f.__kwdefaults__["b"] = 4
    assert fast(1) == 5
    f.__kwdefaults__ = {"b": 6}
    assert fast(1) == 7


def test_defaults_of_what_it_calls():
    fast = njit(caller)
    try:
        for b, c in ((2, 0), (7, 0), (2.5, 0), (2, 3)):
            helper.__defaults__ = (b,)
            helper.__kwdefaults__ = {"c": c}
            assert fast(1) == caller(1)
        helper.__kwdefaults__["c"] = 9
        assert fast(1) == caller(1) == 12
    finally:
        helper.__defaults__, helper.__kwdefaults__ = (2,), {"c": 0}


def test_asserts_without_debug(tmp_path):
    """One cache for both: a function with its asserts is another one."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        from swathe import njit

        @njit
        def f(x):
            assert x > 3, "small"
            return x if __debug__ else -x

        try:
            print(f(1))
        except AssertionError as e:
            print(str(e).split("\\n")[0])
        """)
    )
    for flags, want in (([], "small"), (["-O"], "-1"), ([], "small"), (["-OO"], "-1")):
        out = subprocess.run(
            [sys.executable, *flags, str(program)], capture_output=True, text=True, check=True
        )
        assert out.stdout.strip() == want


@pytest.mark.parametrize("value", [300, -1, 1e30])
def test_the_index_is_told_of_first(value):
    def f(a, x):
        a[99] = x

    def g(a, x):
        a[99] = 1 // x

    a = np.zeros(3, np.uint8)
    for call in (f, njit(f)):
        with pytest.raises(IndexError):
            call(a, value)
    for call in (g, njit(g)):
        with pytest.raises(ZeroDivisionError):
            call(a, 0)


@pytest.mark.parametrize("x", [2**63 - 1, -(2**63), -1, 0, 5])
def test_first_powers_under_debug(x):
    def f(a, n):
        return a**1, a**n, a**0

    assert njit(debug=True)(f)(x, 1) == (x, x, 1)
    if abs(x) > 2**31:
        with pytest.raises(OverflowError):
            njit(debug=True)(f)(x, 2)


def test_many_branches(tmp_path, monkeypatch):
    lines = (f"    {'el' * (i > 0)}if x == {i}:\n        return {i * 3}\n" for i in range(1000))
    (tmp_path / "branches.py").write_text("def f(x):\n" + "".join(lines) + "    return -1\n")
    monkeypatch.syspath_prepend(tmp_path)
    f = importlib.import_module("branches").f
    fast = njit(f)
    assert [fast(i) for i in (0, 5, 999, 1000, -1)] == [f(i) for i in (0, 5, 999, 1000, -1)]
