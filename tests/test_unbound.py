# SPDX-License-Identifier: BSD-3-Clause
"""A name that a statement in a loop reads and sets, and nothing has set before: CPython's result or
UnboundLocalError, whatever is done with it afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import swathe

sys.path.insert(0, str(Path(__file__).resolve().parent / "diff"))
from harness import define  # noqa: E402

READS = (
    "y + 1",
    "h(y)",
    "np.sin(y)",
    "h(1) + y",
    "np.divide(np.where(n, n, 0), 0.0, out=y)",
    "np.where(n, y, 0)",
    "(h(2), y)[1]",
    "x[0] if n > 9 else y",
)
USES = (
    "h(y)",
    "if h(y):\n            n = 1",
    "z = y * 2",
    "x[0] = h(y)",
    "for _ in y:\n            pass",
)
# arrays that no statement makes: what uses them is dead
NEVER = (
    "    return y[0]\n",
    "    y += 1\n    return y\n",
    "    for i in range(n):\n        if i > 5:\n            y[i] = 1\n        x += y\n    return\n",
    "    for i in range(n):\n        x[i] = y[i]\n    return x\n",
    "    for i in range(n):\n        if i > 5:\n            y = x\n        x += y\n    return x\n",
    "    try:\n        x[0] = y[0]\n    except NameError:\n        x[1] = (y, 1)[0][0]\n",
    "    def h(k):\n        return k + y\n    return h(n)\n",
)
LOOPS = ("for i in range(n):", "for i in x:", "while n > 0:")


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("n", [0, 2])
def test_read_before_it_is_set(loop: str, read: str, n: int) -> None:
    for use in USES:
        body = f"    {loop}\n        y = {read}\n        {use}\n        n -= 1\n    return n\n"
        f = define(f"def h(v):\n    return v\n\n\ndef f(n, x):\n{body}", "f")
        args = n, np.zeros(n)
        try:
            want = f(*args)
        except UnboundLocalError:
            want = UnboundLocalError
        try:
            got = swathe.njit(f)(*args)
        except UnboundLocalError:
            continue  # when it is compiled, or when it runs
        assert got == want, body


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("rest", NEVER)
@pytest.mark.parametrize("head", ["for q in range(0, 0):", "while False:", "if n - n > 0:"])
def test_made_in_no_iteration(head: str, rest: str, parallel: bool) -> None:
    for axes in (1, 2):
        f = define(f"def f(n, x):\n    {head}\n        y = x + 1\n{rest}", "f")
        with pytest.raises(NameError):
            f(2, np.zeros((3,) * axes))
        with pytest.raises(NameError):
            swathe.njit(f, parallel=parallel, cache=False)(2, np.zeros((3,) * axes))


@pytest.mark.parametrize(
    "use", ["x[y] += n", "x[i + y] = n", "x[y] = max(x[y], n)", "if i > y:\n            x[i] = y"]
)
def test_no_test_before_a_loop_asks_for_the_unset(
    use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What passes decide before the loop hangs on numbers, whether the name is bound or not."""
    body = f"    for y in range(lo, n):\n        pass\n    for i in prange(n):\n        {use}\n"
    f = define(f"from swathe import prange\n\n\ndef f(n, x, lo):\n{body}    return x\n", "f")
    g = swathe.njit(f, parallel=True, cache=False, opt_level=0)
    monkeypatch.setenv("SWATHE_CHECK", "2:6")
    swathe._core.compiled_text(g, (3, np.zeros(9), 3), None, -1)
    with pytest.raises(UnboundLocalError):
        g(3, np.zeros(9), 3)


@pytest.mark.parametrize("head", ["for q in range(0):", "for q in range(lo, 3):", "if lo < 3:"])
@pytest.mark.parametrize(
    "use",
    ["s += y[i]", "s = max(s, y[i])", "z[i] = y[i] + n", "y[i] = n", "z[i] = y[n - i - 1]"],
)
@pytest.mark.parametrize("made", ["y = x", "y, k = x, 1", "y = x[1:]", "y = x * 2", "y = x[::-1]"])
def test_no_test_before_a_loop_needs_the_unmade(
    head: str, use: str, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An array that no path, or another, has bound: tests before the loop ask how long it is."""
    monkeypatch.setenv("SWATHE_CHECK", "1")
    body = f"    {head}\n        {made}\n    s = 0.0\n    for i in prange(n):\n        {use}\n"
    f = define(f"from swathe import prange\n\n\ndef f(n, x, z, lo):\n{body}    return s\n", "f")
    with pytest.raises(UnboundLocalError):
        swathe.njit(f, parallel=True, cache=False)(3, np.zeros(9), np.zeros(9), 3)


@pytest.mark.parametrize(
    "read",
    ["y[n] = x[n]", "y[0] = x[n] * 2", "y[x[n]] = 1", "z = x[n] + y[0]", "x[n] = y[0]",
     "y[0] += x[n]", "z = x[0] + y[0]", "y[n // 0] = 1", "y[0] = n // (n - n)", "z = y[x[n]]",
     "z = -x[n], y[0]", "y[1:n] = x[1:]", "y[0] = x[n, 0]"],
)  # fmt: skip
@pytest.mark.parametrize("n", [0, 2, 9])
def test_what_is_evaluated_before_the_name_raises_first(read: str, n: int) -> None:
    f = define(f"def f(n, x):\n    for i in range(n):\n        {read}\n    y = x\n    return n\n")
    try:
        want = f(n, np.arange(3))
    except Exception as e:
        want = type(e)
    try:
        got = swathe.njit(cache=False)(f)(n, np.arange(3))
    except swathe.errors.CompileError as e:
        assert "x[n, 0]" in read or isinstance(e, UnboundLocalError)
        return
    except Exception as e:
        got = next(k for k in type(e).__mro__ if k.__module__ == "builtins")
    assert got == want
