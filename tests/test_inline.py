# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose bodies stand in place of calls to them: what they return, what they raise and
from where, what they leave of their arguments; and what the program says about it."""

import re
import traceback

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import njit, prange


def clamp(x, lo, hi):
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x


def deep(x, y):
    z = x
    if x < y:
        if y < 0.5:
            return 1.0
        z = y
    else:
        z += 1
    return z * 2


def index_of(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i
    return -1


def first_row(m, x):
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > x:
                return i, j
    return -1, m.shape[1]


def steps(x, most):
    n = 0
    while True:
        if x > 100.0:
            return n
        if n == most:
            break
        x = x * 1.5 + 1
        n += 1
    return -n


def sometimes(a, i):
    if i % 3 == 0:
        v = a[i]
    if i % 2 == 0:
        return 1.0
    if i % 3 == 0:
        return v
    return 0.0


def nothing(a, i):
    if a[i] < 0:
        return
    a[i] = -a[i]


def product(a, b):
    t = a * b
    return t + 1


def row(m, i):
    return m[i]


def tail(a):
    a = a[1:]
    a[0] += 1
    return a


def swapped(a, b):
    return b, a


def longer(a, b):
    if len(a) > len(b):
        return a
    return b


def ahead(a, i):
    return a[i + 1]


def guarded(a, i):
    try:
        v = a[i + 2]
        if v > 0.5:
            return v
    except IndexError:
        return -1.0
    else:
        v += 10
    return v


def power(x, n):
    return 1.0 if n <= 0 else x * power(x, n - 1)


def relaxed(u, v):
    for i in range(1, u.shape[0]):
        for j in range(u.shape[1]):
            v[i, j] = (u[i - 1, j] + u[i, j]) / 2


def shapes(a, b):
    return a * b - 1


def total(a, k):
    s = 0.0
    for i in prange(len(a)):
        s += a[i] * k
    return s


def searched(a, x):
    i = 0
    while True:
        try:
            if a[i] > x:
                return i
        except IndexError:
            return -1
        i += 1


def given_on(a, i):
    try:
        return a[i]
    except IndexError:
        a[0] = -5
        raise


def ordered(t):
    (a, b), n = t
    if a > b:
        return (b, a), n + 1
    return (a, b), n


def rows_until(a, m):
    s = 0.0
    for i in range(len(a)):
        if i % 2:
            continue
        for j in range(m):
            if j > 3:
                break
            if a[i] * j > 2.5:
                return s - 1
            s += a[i]
        else:
            s += 10
    return s


def either_type(x, i):
    y = 1
    if i > 2:
        y = x
    return y * 2


def part(a, i):
    v = a[i:] if i < 3 else a[:i]
    return v.sum()


def plus(s, x):
    return s + x


def greater(m, x):
    if x > m:
        return x
    return m


def wrapped(x):
    return x + 1 if x < 10 else x - 10


def wrapped_twice(x):
    return wrapped(wrapped(x)) + 1 if x % 2 else wrapped(x)


def checked(x):
    if x > 0.9:
        raise ValueError("big")
    return x // (x - 0.25)


def nested(a, i, x):
    k = index_of(a, clamp(x, 0.0, 1.0))
    if k >= 0:
        return k
    return steps(x, i)


def use_clamp(a, m):
    for i in range(len(a)):
        a[i] = clamp(a[i], 0.2, 0.8) + clamp(0.5, a[i], 0.4)


def use_deep(a, m):
    s = 0.0
    for i in range(len(a)):
        s = deep(a[i], s % 1)
    return s


def use_index(a, m):
    s = 0
    for i in range(0, len(a), 3):
        s += index_of(a, a[i]) * 3 + index_of(a, 2.0)
    return s


def use_first_row(a, m):
    s, k = 0, 0
    for x in a:
        i, j = first_row(m, x * 30)
        s, k = s + i, k + j
    return s, k


def use_steps(a, m):
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        out[i] = steps(a[i] * 60, 5)
    return out


def use_sometimes(a, m):
    s = np.zeros(len(a))
    for i in prange(len(a)):
        s[i] = sometimes(a, i)
    return s


def use_nothing(a, m):
    for i in range(len(a)):
        nothing(a, i)
        nothing(m[0], 1)


def use_product(a, m):
    return product(product(a, a), m[0, 0]) - product(m, m).sum()


def use_row(a, m):
    s = 0.0
    for i in range(m.shape[0]):
        r = row(m, i)
        r[0] = s
        s += r.sum()
    return s, row(m, 1)


def use_tail(a, m):
    b = tail(tail(a))
    for _ in range(3):
        b = tail(b)
    return b, a


def use_swapped(a, m):
    x, y = a, m[0]
    for i in range(5):
        x, y = swapped(x, y)
        x[0] += i
    return x, y


def use_longer(a, m):
    b = longer(a, m[0])
    for i in range(m.shape[0]):
        b = longer(m[i], b)
    return b


def use_ahead(a, m):
    s = 0.0
    for i in range(len(a)):
        s += ahead(a, i)
        m[0, 0] = s
    return s


def use_caught(a, m):
    s = 0.0
    for i in range(len(a)):
        try:
            s += ahead(a, i)
        except IndexError:
            s = -s
    return s


def use_guarded(a, m):
    s = 0.0
    for i in range(len(a)):
        s += guarded(a, i) * (i + 1)
    return s


def use_power(a, m):
    s = 0.0
    for i in range(5):
        s += power(a[i], i)
    return s


def use_relaxed(a, m):
    v = np.zeros_like(m)
    for _ in range(3):
        relaxed(m, v)
        relaxed(v, m)
    return v


def use_shapes(a, m):
    b = a
    for _ in range(3):
        b = shapes(a, shapes(b, a))
    return b


def use_total(a, m):
    s = 0.0
    for k in range(4):
        s += total(a, k)
    return s


def use_total_in_prange(a, m):
    out = np.zeros(6)
    for k in prange(6):
        out[k] = total(a, k)
    return out


def use_searched(a, m):
    s = 0
    for i in range(9):
        s += searched(a, i / 8)
    return s


def use_given_on(a, m):
    s = 0.0
    for i in range(100):
        try:
            s += given_on(a, i)
        except IndexError:
            return s
    return s


def use_ordered(a, m):
    t = ((5, 3), 0)
    for i in range(len(a)):
        t = ordered(((t[0][1], t[0][0] + i), t[1]))
    return t[0][0], t[0][1], t[1]


def use_rows_until(a, m):
    s = 0.0
    for k in range(8):
        s += rows_until(a, k)
    return s


def use_either_type(a, m):
    s = 0.0
    for i in range(len(a)):
        s += either_type(a[i], i)
    return s


def use_part(a, m):
    s = 0.0
    for i in range(len(a)):
        s += part(a, i)
    return s


def use_plus(a, m):
    s = 0.0
    for i in prange(len(a)):
        s = plus(s, a[i])
    return s


def use_greater(a, m):
    most = -1.0
    for i in prange(len(a)):
        most = greater(most, a[i])
    return most


def use_wrapped(a, m):
    s = 0
    for i in range(50):
        s += wrapped_twice(wrapped_twice(i))
    return s


def use_checked(a, m):
    s = 0.0
    for i in range(len(a)):
        s += checked(a[i])
        m[0, 0] = s
    return s


def use_nested(a, m):
    s = 0
    for i in range(len(a)):
        s += nested(a, i, a[i] * 1.5)
    return s


USES = [f for name, f in list(globals().items()) if name.startswith("use_")]
# A reduction only where the function's body is seen.
REDUCES = "use_greater"
# Those whose call stays: why.
STAYS = {
    "use_longer": "an array from one of several places",
    "use_guarded": "it has a try",
    "use_searched": "it has a try",
    "use_given_on": "it has a try",
    "use_power": "come back to itself",
    "use_relaxed": "loops in loops",
    "use_shapes": "versions for different shapes",
}


def outcome(f, n, catch=Exception):
    rng = np.random.default_rng(n)
    a, m = rng.random(n), rng.random((3, 4)) * 40
    try:
        r = f(a, m)
    except catch as e:
        r = type(e).__name__
    return r, a, m


def flat(x):
    return [y for e in x for y in flat(e)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("inline", [None, "always", "never"])
@pytest.mark.parametrize("use", USES, ids=lambda f: f.__name__)
def test_forms(use, inline, parallel):
    f = njit(use, inline=inline, parallel=parallel)
    if use.__name__ == REDUCES and inline == "never":
        with pytest.raises(swathe.errors.RaceError):
            outcome(njit(use, inline=inline, parallel=True), 5, catch=())
        return
    for n in (5, 8, 9, 31):
        for want, got in zip(flat(outcome(use, n)), flat(outcome(f, n)), strict=True):
            if want is None or isinstance(want, str):
                assert want == got
            else:
                np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("use", USES, ids=lambda f: f.__name__)
def test_which_stand_in_place(use):
    f = njit(use)
    outcome(f, 8)
    text = str(f.explain())
    why = STAYS.get(use.__name__)
    assert ("[inline] call replaced" in text) == (why is None)
    assert why is None or why in text
    forced = njit(use, inline="always")
    outcome(forced, 8)
    assert ("[inline] call replaced" in str(forced.explain())) == (use is not use_power)
    kept = njit(use, inline="never")
    outcome(kept, 8)
    assert "[inline] call replaced" not in str(kept.explain())


def frames(f, *args):
    with pytest.raises(Exception) as caught:
        f(*args)
    names = [t.name for t in traceback.extract_tb(caught.value.__traceback__)]
    lines = [t.line for t in traceback.extract_tb(caught.value.__traceback__)]
    notes = re.findall(r"called from here, in (\w+)", str(caught.value))
    return names[1:], lines[1:], notes


def outer(a, i):
    return ahead(a, i) + 1


def outermost(a):
    s = 0.0
    for i in range(len(a)):
        s += outer(a, i)
    return s


@pytest.mark.parametrize("inline", ["always", "never", None])
def test_traceback(inline):
    a = np.ones(4)
    names, lines, notes = frames(njit(outermost, inline=inline), a)
    assert names == ["outermost", "outer", "ahead"]
    assert lines == ["s += outer(a, i)", "return ahead(a, i) + 1", "return a[i + 1]"]
    assert notes == ["outer", "outermost"]


def test_traceback_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SWATHE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("SWATHE_CHECK", "1")
    first, again = njit(outermost), njit(outermost)
    assert frames(first, np.ones(4)) == frames(again, np.ones(4))
    assert again.stats["cache_hits"] == 1


def test_two_calls_in_one_line():
    """Each place remembers its own call."""

    @njit
    def both(a, i, j):
        return (
            ahead(a, i)
            + ahead(a, j)
        )  # fmt: skip

    a = np.ones(4)
    assert frames(both, a, 9, 0)[1][0] == "ahead(a, i)"
    assert frames(both, a, 0, 9)[1][0] == "+ ahead(a, j)"


def test_a_function_says_it_itself():
    @njit(inline="never")
    def half(x):
        return x / 2

    @njit(inline="always")
    def asked(a, i):
        try:
            return a[i]
        except IndexError:
            return 0.0

    @njit
    def f(a):
        s = 0.0
        for i in range(len(a) + 1):
            s += half(asked(a, i))
        return s

    assert f(np.ones(4)) == 2.0
    text = str(f.explain())
    assert "half() is called: inline='never'" in text
    assert "the body of asked() stands here" in text

    with pytest.raises(TypeError, match="inline is 'never' or 'always'"):
        njit(lambda: 0, inline="sometimes")


def test_under_debug_calls_stay():
    f = njit(outermost, debug=True)
    names, _, notes = frames(f, np.ones(4))
    assert names == ["outermost", "outer", "ahead"] and notes == ["outer", "outermost"]
    assert "call replaced" not in str(f.explain())


@pytest.mark.parametrize("debug", [False, True])
def test_reductions_in_what_is_called(debug):
    """A loop that is no race without debug is none with it."""
    f = njit(use_greater, parallel=True, debug=debug)
    a = np.random.default_rng(1).random(1000)
    assert f(a, a) == a.max()

    @njit(parallel=True, debug=debug)
    def g(a, at):
        s = 0.0
        for i in prange(len(a)):
            s = plus(s, ahead(a, at[i]))
        return s

    assert np.isclose(g(a, np.zeros(1000, np.int64)), a[1] * 1000)
    names, lines, _ = frames(g, a, np.full(1000, 999))
    assert [n.split(".")[-1] for n in names] == ["g", "ahead"]
    assert lines[-1] == "return a[i + 1]"


def test_conditional_returns_run_in_lanes():
    f = njit(use_clamp)
    f(np.ones(100), np.ones((3, 4)))
    assert re.search(r"vector|lanes", str(f.explain()))


def test_asked_for_without_end(tmp_path, monkeypatch):
    """Each function calls the one before twice: what is asked for is done as far as it goes."""
    text = "def f0(x):\n    return x * 0.5 + 1.0\n\n\n"
    for i in range(1, 30):
        text += f"def f{i}(x):\n    if x < {i}.0:\n        return f{i - 1}(x + f{i - 1}(x))\n"
        text += f"    return f{i - 1}(x - 1.0)\n\n\n"
    text += "def f(n):\n    s = 0.0\n    for i in range(n):\n        s += f29(i)\n    return s\n"
    (tmp_path / "doubling.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import doubling

    f = njit(doubling.f, inline="always")
    assert f(1) == doubling.f(1)
    assert "would be of more than" in str(f.explain())


def test_memory_of_a_body_is_let_go():
    """In a loop, and behind it."""

    def scratch(n):
        t = np.zeros(n)
        t[0] = 1
        u = t[1:] + t[:-1]
        return u.sum()

    @njit
    def f(n, k):
        s = 0.0
        for _ in range(k):
            s += scratch(n)
        return s

    assert f(1000, 10) == 10.0
    before = live()["bytes"]
    assert f(1000, 1000) == 1000.0
    assert live()["bytes"] == before


# ---- options of functions that are called ----------------------------------------------------


def test_bounds_are_checked_as_the_function_says():
    @swathe.njit(boundscheck=True)
    def checked(a, i):
        return a[i]

    @swathe.njit(boundscheck=False)
    def free(a, i):
        return checked(a, i)

    with pytest.raises(IndexError, match="out of bounds"):
        free(np.ones(3), 10)


def test_debug_of_a_function_and_of_its_callers():
    @swathe.njit(debug=True)
    def checked(n):
        return n * 4

    @swathe.njit
    def plain(n):
        return checked(n)

    @swathe.njit
    def unchecked(n):
        return n * 4

    @swathe.njit(debug=True)
    def outer(n):
        return unchecked(n)

    for f in (plain, outer):
        assert f(3) == 12
        with pytest.raises(OverflowError):
            f(2**62)
    assert unchecked(2**62) == 0


def test_a_parallel_function_is_parallel_in_a_serial_one():
    @swathe.njit(parallel=True)
    def total(a):
        s = 0.0
        for i in swathe.prange(a.size):
            s += a[i] * 0.1
        return s

    @swathe.njit
    def driver(a):
        return total(a)

    @swathe.njit
    def serial(a):
        s = 0.0
        for i in swathe.prange(a.size):
            s += a[i] * 0.1
        return s

    @swathe.njit(parallel=True)
    def other(a):
        return serial(a)

    a = np.random.default_rng(1).random(100_000)
    assert driver(a) == total(a)  # a sum in chunks has other bits than one in order
    assert other(a) == serial(a) != total(a)
    assert "runs on workers" in str(driver.explain()) or "parallel" in str(driver.explain())
