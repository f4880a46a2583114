# SPDX-License-Identifier: BSD-3-Clause
"""Random pranges whose accesses hang on numbers that are known only when they run: shifts,
strides, blocks, remainders, rounded products, diagonals, flags; and values for these numbers."""

from __future__ import annotations

import random

import numpy as np

SIZE, MIDDLE, TRIPS = 400, 150, 24

HELPERS = """
def fill(x, v):
    x[:] = v


def put(x, at, v):
    x[at] = v


def swap(x, i, j):
    t = x[i]
    x[i] = x[j]
    x[j] = t


"""
OF_I = [
    "i",
    "i",
    "i + k",
    "i - k",
    "i * k",
    "i * k + m",
    "i % k",
    "(i + m) % k",
    "i // 2",
    "i // k",
]
OF_I += ["int(i * 0.5)", "int(i * 1.5)", "int(i * z)", "i ^ k", "i >> 1", "n - 1 - i", "abs(i - k)"]
OF_I += ["min(i, k)", "max(i, k)", "i * i", "2 * i", "2 * i + k", "i + 1", "i - 1", "k", "k - i"]
OF_IJ = ["i * k + j", "i + j * k", "i * m + j", "j", "i + j", "i * 4 + j", "i - j", "k * (i + j)"]
CONDITIONS = ["i != k", "i == k", "i < k", "i % 2 == 0", "i >= m", "(i + k) % 3 == 1"]
OF_BOTH = ["i != j", "j < i", "i == j", "j <= i", "not i == j", "i + j == k", "j > i + 1"]


def one(rng: random.Random, forms: list[str]) -> str:
    return f"{rng.choice(forms)} + {MIDDLE}"


def line(rng: random.Random) -> list[str]:
    """Of an array with one axis."""
    g, h = (f"{k} + {MIDDLE}" for k in rng.sample(sorted(set(OF_I)), 2))
    block = f"{rng.choice(['i * k', 'i * m', 'i * 3', 'i'])} + {MIDDLE}"
    size = rng.choice(["m", "k", "3", "k + 1", "m - 1"])
    return rng.choice(
        [
            [f"a[{g}] = i"],
            [f"a[{g}] = i"],
            [f"a[{g}] += i"],
            [f"a[{g}] = a[{h}] + 1"],
            [f"a[{g}] = a[{g}] * 2 + a[{h}]"],
            [f"put(a, {g}, i)"],
            [f"a[{g}] = i", f"c[i] = a[{h}]"],
            [f"t = a[{g}]", f"a[{g}] = a[{h}]", f"a[{h}] = t"],
            [f"a[{g}], a[{h}] = a[{h}], a[{g}]"],
            [f"swap(a, {g}, {h})"],
            [f"a[{block}:{block} + {size}] = i"],
            [f"fill(a[{block}:{block} + {size}], i)"],
            [f"a[{block}:{block} + {size}] += 1", f"a[{block}] *= 2"],
            [f"for j in range({size}):", f"    a[{one(rng, OF_IJ)}] = i"],
            [f"for j in range({size}):", f"    a[{one(rng, OF_IJ)}] += a[{g}]"],
        ]
    )


def plane(rng: random.Random) -> list[str]:
    """Of an array with two axes."""
    g = one(rng, OF_I)
    test = rng.choice(OF_BOTH)
    inner = rng.choice(["n", "i", "m", "i + 1", "i, n", "i + 1, n"])
    read = rng.choice(
        ["b[j, j]", "b[i, i]", "b[j, i]", "b[k, j]", "b[i, j]", "b[j, j + 1]", "b[0, j]"]
    )
    return rng.choice(
        [
            [f"for j in range({inner}):", f"    if {test}:", f"        b[i, j] = {read} * 2"],
            [
                f"for j in range({inner}):",
                f"    if not ({test}):",
                "        continue",
                f"    b[i, j] = {read}",
            ],
            [f"for j in range({inner}):", f"    b[i, j] += {read}"],
            [f"for j in range({inner}):", f"    b[j, i] = {read}"],
            [f"b[{g}] = i"],
            [f"fill(b[{g}], i)"],
            [f"b[{g}, 1:3] = i"],
            [f"b[i] = b[{g}] + 1"],
            ["t = b[i].copy()", f"b[i] = b[{g}]", f"b[{g}] = t"],
            ["b[i, i] = i", f"for j in range({inner}):", f"    b[i, j] = {read} + 1"],
        ]
    )


def flags(rng: random.Random) -> list[str]:
    test = rng.choice(["a[i] > 3", "i > k", "i % 2 == 0", "z > 1"])
    again = rng.choice(["f", "f", "f and i > 1", "f and i < m", "not f", "i > k", "f or i > 1"])
    between = rng.choice([[], [], ["a[i] = 2"], ["f = i > 1"], ["c[i] += 1"], ["f = f and i < m"]])
    first = [f"f = {test}", "if f:", "    t = i * 2.0"]
    if rng.random() < 0.3:
        first += ["else:", "    u = 1.0"]
    return [*first, *between, f"if {again}:", "    c[i] += t"]


def counters(rng: random.Random) -> list[str]:
    loop = f"for q in range({rng.choice(['3', 'm', 'i', 'k'])}):"
    leave = rng.choice(
        [[], ["    if q * i > m:", "        break"], ["    if q == 1:", "        continue"]]
    )
    return [
        loop,
        *leave,
        "    c[i] += q",
        *rng.choice([[], [f"for q in range({one(rng, ['2', 'm'])} - {MIDDLE}):", "    c[i] -= q"]]),
        *rng.choice([[], ["c[i] += q"]]),
    ]


def body(rng: random.Random) -> list[str]:
    lines = rng.choice([line, line, line, plane, plane, flags, counters])(rng)
    if rng.random() < 0.2:
        return [f"if {rng.choice(CONDITIONS)}:", *("    " + k for k in lines)]
    return lines


def loop(rng: random.Random) -> str:
    """Function f(a, b, c, x, n, k, m, z, w): c is the iteration's own, x[:w] is summed up to make
    it worth the while."""
    bounds = rng.choice(["n", "n", "n", "1, n", "k, n", "0, n, 2", "n - 1, -1, -1", "m, n, 3"])
    lines = ["s = 0.0", *rng.choice([[], [], ["t = 0.5", "q = 0"]]), f"for i in prange({bounds}):"]
    lines += ["    " + k for k in body(rng)]
    lines += ["    for r in range(w):", "        s += x[r] * (i + 1)", "return s"]
    return HELPERS + "def f(a, b, c, x, n, k, m, z, w):\n" + "".join(f"    {k}\n" for k in lines)


def numbers(rng: random.Random) -> tuple:
    k = rng.choice([0, 1, 2, 3, 4, 5, 7, TRIPS - 1, TRIPS, TRIPS + 1, 40, -1, -3])
    m = rng.choice([0, 1, 2, 3, 4, 5, 7])
    return TRIPS, k, m, rng.choice([0.5, 1.0, 1.5, 0.75])


def arrays() -> tuple:
    return np.arange(float(SIZE)) % 7, np.ones((TRIPS + MIDDLE + 60, TRIPS + 2)), np.zeros(SIZE)
