# SPDX-License-Identifier: BSD-3-Clause
"""Floats to texts and back, and the order of strings: what kernels do against CPython."""

from __future__ import annotations

import math
import random
import struct
import threading

import pytest
from live_memory import live

import swathe
from swathe import _core


@swathe.njit
def texts_of(x):
    return [str(v) for v in x]


@swathe.njit
def numbers_of(x):
    return [float(v) for v in x]


@swathe.njit
def in_order(x):
    return sorted(x), sorted(x, reverse=True)


@swathe.njit
def sort_it(x):
    x.sort()
    return x


def numbers(n: int) -> list[float]:
    """Of all sizes; ends of intervals, powers of two and ten and their neighbours among them."""
    r = random.Random(3)
    x = [r.random() * 10.0 ** r.randrange(-6, 18) for _ in range(n)]
    x += [r.randrange(10 ** r.randrange(1, 19)) / 10 ** r.randrange(20) for _ in range(n)]
    x += [struct.unpack("d", struct.pack("Q", r.getrandbits(64)))[0] for _ in range(n)]
    for k in range(-6, 18):
        for v in (10.0**k, 2.0 ** (3 * k), 5.0 * 10.0**k):
            x += [v, math.nextafter(v, 0.0), math.nextafter(v, math.inf)]
    return [s * v for v in x if v == v for s in (1.0, -1.0)]


def test_floats():
    x = numbers(1500)
    assert texts_of(x) == [str(v) for v in x]
    r = random.Random(4)
    s = [repr(v) for v in x[:3000]] + [f"{v:.{r.randrange(25)}e}" for v in x]
    s += [f"{v:.{r.randrange(30)}f}" for v in x if abs(v) < 1e20]
    s += [" 1.5 ", "\t2\n", "-0", "+.5", "5.", "1_0.5", "inf", "1e400", "-1e-400", "1E+05"]
    s += ["9007199254740993", "00001.5", "0" * 50 + "1.25", "1" * 70, "\u0663.\u0665", "\u20071"]
    got = numbers_of(s)
    assert struct.pack(f"{len(s)}d", *got) == struct.pack(f"{len(s)}d", *map(float, s))


def halfway(n: int) -> list[str]:
    """Decimals of up to 19 digits half way between two floats, and the nearest ones to these."""
    r = random.Random(6)
    s = []
    for _ in range(n):
        k = r.randrange(4)
        x = (2 * (r.getrandbits(52) | 1 << 52) + 1) * 5**k  # times 10**-k: odd, of 54 bits and k
        s += [f"{v}e-{k}" for v in (x - 1, x, x + 1)]
        digits = str(r.randrange(10 ** r.randrange(1, 20)))
        at = r.randrange(len(digits) + 1)
        s += [digits[:at] + "." + digits[at:], "0." + "0" * r.randrange(15) + digits]
        s += [f"-{digits}e{r.randrange(-35, 30)}"]
    return s


def test_floats_of_nineteen_digits():
    s = [*halfway(2000), "9007199254740993e19", "18446744073709551615e-27", "0e-25", "0e30", ".0"]
    got = numbers_of(s)
    assert struct.pack(f"{len(s)}d", *got) == struct.pack(f"{len(s)}d", *map(float, s))


@pytest.mark.parametrize("s", ["", ".", "1e", "e5", "1.2.3", "1 2", "--1", "1\0", "0x10", "1__0"])
def test_no_floats(s):
    with pytest.raises(ValueError, match="could not convert string to float"):
        numbers_of([s])


def test_strings_in_order():
    r = random.Random(5)
    for n in (1, 2, 12, 13, 24, 25, 300):
        for of in ("ab", "a\0b", "a\u00e9\u4e00\U0001f600\ud800", "xyz\u00fe\u00ff"):
            x = ["".join(r.choice(of) for _ in range(r.randrange(12))) for _ in range(n)]
            assert in_order(x) == (sorted(x), sorted(x, reverse=True))
            y = list(x)
            assert sort_it(y) is y
            assert y == sorted(x)
            assert all(any(p is q for q in x) for p in y)


@swathe.njit
def words_of(s, n):
    d = {}
    for _ in range(n):
        for w in s.split():
            k = w[:1] + w.upper()
            d[k] = d.get(k, 0) + 1
    return d


def test_threads_have_memory_of_their_own():
    """What one makes another frees; blocks of threads that have ended are not lost."""
    text = " ".join(f"w{i % 50}\u4e00{i}" for i in range(200))
    want = words_of.py_func(text, 3)
    got = [words_of(text, 3)]
    before = live()["bytes"]
    threads = [threading.Thread(target=lambda: got.append(words_of(text, 3))) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [want] * 7
    assert live()["bytes"] == before
    _core.trim()
    assert live()["bytes"] == before


@swathe.njit
def many_dropped(n, step):
    """Lists of strings of all sizes that are dropped in other orders than they were made in."""
    total = 0
    for k in range(3):
        x = [str(i * step % n) * (1 + i % 3) for i in range(n)]
        x.sort()
        y = [s + "_" + s for s in x[k::2]]
        x.reverse()
        for _ in range(n // 2):
            total += len(x.pop())
        x.extend(y)
        total += len("".join(x))
    return total


def test_many_strings_dropped_in_any_order():
    n, step = 30_000, 7919
    want = many_dropped.py_func(n, step)
    assert many_dropped(n, step) == want
    before = live()["bytes"]
    got = []
    threads = [threading.Thread(target=lambda: got.append(many_dropped(n, step))) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [want] * 3
    assert live()["bytes"] == before
    _core.trim()
    assert many_dropped(n, step) == want
    kept = _core.live()["cached"]
    for _ in range(3):
        assert many_dropped(n, step) == want
    assert _core.live()["cached"] <= kept * 1.5  # it is used again
