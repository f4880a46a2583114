# SPDX-License-Identifier: BSD-3-Clause
"""Random nests that look like a matrix product: what the sum starts from, how it goes on, what
is stored, what else is in the loops, in which order, over which arrays, at which sizes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

STARTS = {  # of the element; x, y: scalars that are set around it
    "none": [],
    "zero": ["c[i, j] = 0.0"],
    "old": ["c[i, j] = c[i, j] * beta"],
    "old in place": ["c[i, j] *= beta"],
    "old named": ["x = c[i, j] * beta", "c[i, j] = x"],
    "old kept": ["x = c[i, j]", "c[i, j] = x * beta"],
    "old twice": ["c[i, j] = c[i, j] + beta * c[i, j]"],
    "other": ["c[i, j] = d[i, j] * beta"],
    "mirror": ["c[i, j] = c[j, i] * beta"],
    "invariant": ["c[i, j] = beta + v[1]"],
    "vector": ["c[i, j] = v[j]"],
    "row": ["c[i, j] = w[i] - 1"],
    "chosen": ["c[i, j] = c[i, j] * beta if w[i] > 1 else 0.0"],
    "if": ["if w[i] > 1:", "    c[i, j] = 0.5"],
    "index": ["c[i, j] = i + 2 * j"],
    "before": ["c[i, j] = x", "x = w[i]"],
    "after": ["x = w[i]", "c[i, j] = x"],
    "twice": ["c[i, j] = 1.0", "c[i, j] = c[i, j] * 3"],
    "carried": ["c[i, j] = y"],
}
TERMS = [
    "a[i, k] * b[k, j]",
    "a[i, k] * b[k, j] * beta",
    "beta * (a[i, k] * b[k, j])",
    "a[i, k] * b[k, j] * x",
    "a[i, k] * b[k, j] + y",
    "a[i, k] - b[k, j]",
    "a[i, k] * b[k, j] * (i + 2 * j - k)",
    "a[i, k] * v[j] + b[k, j]",
    "abs(a[i, k] - b[k, j])",
    "a[i, k] * b[k, j] * d[i, j]",
]
STEPS = ["{0} += {1}", "{0} -= {1}", "{0} = {1} + {0}", "{0} = {1} - {0}", "{0} = max({0}, {1})"]
STEPS += ["{0} = {0} * 0.5 + {1}", "{0} = {0} + {1} + {0} * 0.25", "{0} = min({1}, {0})"]
EXTRAS = ["x = w[i]", "x = v[j]", "y = w[i] + 1", "y = x", "x = y * 2", "y = beta", "x = c[i, j]"]
EXTRAS += ["y = c[0, 0]", "x = s", "y = s * 2", "x = float(i)", "w2[i] = beta", "y = y + 1"]
STORES = [
    "c[i, j] = s",
    "c[i, j] = s",
    "c[i, j] = beta * s + c[i, j]",
    "c[i, j] = s + x",
    "c[i, j] += s",
    "c[i, j] = max(s, c[i, j])",
    "c[i, j] = s * y",
    "c[i, j] = s + d[i, j]",
]


def pick(rng: random.Random, usual: Any, rest: list, often: float = 0.6) -> Any:
    return usual if rng.random() < often else rng.choice(rest)


def extras(rng: random.Random, often: float = 0.3) -> list[str]:
    return [rng.choice(EXTRAS)] if rng.random() < often else []


def indent(lines: list[str], n: int) -> list[str]:
    return ["    " * n + k for k in lines]


def header(rng: random.Random, v: str, depth: int) -> str:
    stop = {"i": "n", "j": "m", "k": "p"}[v]
    bound = pick(rng, stop, [f"1, {stop}", f"{stop} - 1", f"2, {stop} - 1", f"0, {stop}, 2"], 0.9)
    if v == "j" and depth and rng.random() < 0.08:
        bound = rng.choice(["i + 1", "m - i", "i - 3", "min(i, m)"])
    side_by_side = not depth and v != "k"  # a sum over k may be taken in any order
    kind = rng.choice(["range", "range", "prange"]) if side_by_side else "range"
    return f"for {v} in {kind}({bound}):"


def sums_inside(rng: random.Random) -> list[str]:
    """The loop that sums is the innermost: something comes before it, and behind."""
    order = rng.choice(["ij", "ij", "ji"])
    scalar = rng.random() < 0.45
    term = pick(rng, TERMS[0], TERMS, 0.5)
    step = pick(rng, STEPS[0], STEPS, 0.5).format("s" if scalar else "c[i, j]", term)
    if scalar:
        start = [
            "s = "
            + rng.choice(
                ["0.0", "beta", "c[i, j]", "c[i, j] * beta", "v[j]", "x", "d[i, j]", "c[j, i]"]
            )
        ]
        if rng.random() < 0.15:
            start = ["x = c[i, j] * beta", "s = x"]
    else:
        start = STARTS[rng.choice(list(STARTS))]
    inner = [*extras(rng, 0.15), step, *extras(rng, 0.1)]
    lines = [*extras(rng), *start, *extras(rng)]
    if rng.random() < 0.2:  # two loops that sum
        lines += [header(rng, "k", 2), *indent(extras(rng, 0.3), 1), "    for q in range(r):"]
        lines += indent(
            [
                k.replace("a[i, k]", "a[i, k + q]").replace("b[k, j]", "(b[k, j] + q)")
                for k in inner
            ],
            2,
        )
    else:
        lines += [header(rng, "k", 2), *indent(inner, 1)]
    lines += extras(rng)
    if scalar:
        lines.append(rng.choice(STORES))
    lines += extras(rng, 0.1)
    outer = extras(rng, 0.2)
    return [
        header(rng, order[0], 0),
        *indent(outer, 1),
        "    " + header(rng, order[1], 1),
        *indent(lines, 2),
        *indent(extras(rng, 0.15), 1),
    ]


def sums_anywhere(rng: random.Random) -> list[str]:
    order = list("ijk")
    rng.shuffle(order)
    step = pick(rng, STEPS[0], STEPS, 0.5).format("c[i, j]", pick(rng, TERMS[0], TERMS, 0.5))
    lines: list[str] = []
    for n, v in enumerate(order):
        known = [
            k
            for k in extras(rng, 0.15)
            if all(f"{u}]" not in k and f"[{u}" not in k and f"({u}" not in k for u in order[n:])
        ]
        lines += indent([*known, header(rng, v, n)], n)
    return [*lines, *indent([*extras(rng, 0.2), step], 3)]


def nest(rng: random.Random) -> str:
    """Yields the text of function f(c, a, b, d, v, w, beta)."""
    body = sums_inside(rng) if rng.random() < 0.75 else sums_anywhere(rng)
    after = rng.choice([""] * 6 + ["x", "y", "s", "i", "k"])
    start = [
        "n, m = c.shape",
        "p = b.shape[0]",
        "r = 3",
        "x = 0.75",
        "y = 1.5",
        "s = 0.25",
        "i = j = k = 0",
        "w2 = w",
    ]
    views = rng.choice(
        [""] * 5
        + [
            "b = b.T",
            "a = a[:, ::-1]",
            "c = c[::-1]",
            "d = c",
            "a = c",
            "b = a.T",
            "c = c.T",
            "a = np.ascontiguousarray(a)",
            "c = c + 0\nd = c[::-1]",
            "c = c.copy()\na = c[:, :]",
            "c = c * 1\nb = c.T",
        ]
    )
    if views == "b = b.T":
        body = [k.replace("b[k, j]", "b[j, k]") for k in body]
        views, start[1] = "", "p = b.shape[1]"
    after = "c" if "\n" in views else after
    lines = [
        *(views.split("\n") if views else []),
        *start,
        *body,
        f"return {after}" if after else "return None",
    ]
    names = "(c, a, b, d, v, w, beta)"
    text = "\n".join(indent(lines, 1)) + "\n"
    if rng.random() < 0.15:  # a helper runs it
        return f"def nest{names}:\n{text}\n\ndef f{names}:\n    return nest{names}\n"
    return f"def f{names}:\n{text}"


def operands(rng: random.Random, text: str) -> tuple:
    """Values whose sums round, so that the order of terms shows."""
    n = rng.choice([12, 13, 14, 17, 24, 25])
    m = rng.choice([32, 33, 40, 64, 70])
    p = rng.choice([8, 8, 9, 11])
    spot = rng.random()
    if spot < 0.06:
        n = rng.choice([0, 1, 5])
    elif spot < 0.12:
        m = rng.choice([0, 1, 31])
    elif spot < 0.18:
        p = rng.choice([0, 1, 7])
    elif spot < 0.3:
        n = m = 40
    dtype = np.dtype(rng.choice(["f8", "f8", "f8", "f4", "f4", "i8", "i4", "c16"]))
    gen = np.random.default_rng(rng.randrange(10**6))

    def make(*shape: int) -> np.ndarray:
        x = np.round(gen.standard_normal(shape) * 3, 3)
        x = x if dtype.kind == "f" else np.trunc(x)
        x = x.astype(dtype)
        return np.asfortranarray(x) if rng.random() < 0.1 else x

    b = make(m + 3, p + 3)[:m, :p] if "b[j, k]" in text else make(p, m)
    c, a, d = make(n, m), make(n, p + 3), make(n, m)
    kind = rng.random()
    if kind < 0.06:
        d = c
    elif kind < 0.1 and n >= p and m >= p + 3:
        a = c[:, : p + 3]
    elif kind < 0.14 and n >= p and "b[j, k]" not in text:
        b = c[:p]
    elif kind < 0.18:
        c = make(2 * n, m)[::2]
    return c, a, b, d, make(max(m, 2)), make(max(n, 2)), rng.choice([0.5, 2.0, -1.25])
