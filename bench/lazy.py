#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lazy arrays beside NumPy, and beside numexpr and JAX where they are installed.

    .venv/bin/python bench/lazy.py [--size N] [--rounds N] [NAME ...]

Each round runs all of them one after another, and a ratio is the median of the rounds' ratios, so
that a machine that others use too slows both sides of it alike. What it costs to build a graph,
and to launch one that has been seen before, comes last.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from swathe import xp


def chain(m: Any, x: Any, y: Any) -> Any:
    a = x * 2.0 + y
    b = a * a - x
    c = b * a - y
    d = c * c + 0.5
    return d * b - a


def transcendental(m: Any, x: Any, y: Any) -> Any:
    return m.exp(-x * x) * m.sin(y) + m.sqrt(m.abs(x)) * m.cos(x * y)


def polynomial(m: Any, x: Any, y: Any) -> Any:
    out = x * 0.1 + 0.2
    for k in range(5):
        out = out * x + (0.3 + k)
    return out


def softmax(m: Any, x: Any, y: Any) -> Any:
    e = m.exp(x - m.max(x, axis=-1, keepdims=True))
    return e / m.sum(e, axis=-1, keepdims=True)


def layer_norm(m: Any, x: Any, y: Any) -> Any:
    d = x - m.mean(x, axis=-1, keepdims=True)
    return d / m.sqrt(m.mean(d * d, axis=-1, keepdims=True) + 1e-5)


def standardise(m: Any, x: Any, y: Any) -> Any:
    return (x - m.mean(x, axis=0)) / m.std(x, axis=0)


def stencil(m: Any, x: Any, y: Any) -> Any:
    return x[1:-1, 1:-1] * 0.5 + 0.125 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def distance(m: Any, x: Any, y: Any) -> Any:
    d = x - y
    return m.sum(d * d)


NUMEXPR = {
    "chain": "((((x*2.0+y)**2-x)*(x*2.0+y)-y)**2+0.5)*((x*2.0+y)**2-x)-(x*2.0+y)",
    "transcendental": "exp(-x*x)*sin(y)+sqrt(abs(x))*cos(x*y)",
    "polynomial": "(((((x*0.1+0.2)*x+0.3)*x+1.3)*x+2.3)*x+3.3)*x+4.3",
    "distance": "sum((x-y)*(x-y))",
}
FLAT = (chain, transcendental, polynomial, distance)
SQUARE = (softmax, layer_norm, standardise, stencil)


def seconds(f: Callable[[], Any]) -> float:
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def ways(f: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    """What runs a function: each of the libraries that there are."""
    lx, ly = xp.asarray(x), xp.asarray(y)
    found = {"numpy": lambda: f(np, x, y), "swathe": lambda: f(xp, lx, ly).compute()}
    try:
        import numexpr

        if f.__name__ in NUMEXPR:
            text = NUMEXPR[f.__name__]
            found["numexpr"] = lambda: numexpr.evaluate(text, {"x": x, "y": y})
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp

        jx, jy = jnp.asarray(x), jnp.asarray(y)
        fused = jax.jit(lambda a, b: f(jnp, a, b))
        found["jax"] = lambda: fused(jx, jy).block_until_ready()
    except ImportError:
        pass
    return found


def compare(f: Callable[..., Any], x: np.ndarray, y: np.ndarray, rounds: int) -> None:
    """Print a line of times and of ratios to NumPy's."""
    found = ways(f, x, y)
    for run in found.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(rounds):
        for name, run in found.items():
            times[name].append(seconds(run))
    line = f"{f.__name__:15} numpy {min(times['numpy']) * 1e3:8.1f} ms"
    for name, row in times.items():
        if name != "numpy":
            ratios = [a / b for a, b in zip(row, times["numpy"], strict=True)]
            line += f"   {name} {min(row) * 1e3:7.1f} ms, {statistics.median(ratios):.3f}"
    print(line, flush=True)


def overheads(rounds: int = 7) -> None:
    """Print what a node and a launch cost, on arrays that are next to nothing."""
    x, y = xp.asarray(np.ones(4)), xp.asarray(np.ones(4))
    nodes, plain = 10, np.ones(4)
    chain(xp, x, y).compute()
    build, whole, eager = [], [], []
    for _ in range(rounds):
        build.append(seconds(lambda: [chain(xp, x, y) for _ in range(300)]) / 300)
        whole.append(seconds(lambda: [chain(xp, x, y).compute() for _ in range(300)]) / 300)
        eager.append(seconds(lambda: [chain(np, plain, plain) for _ in range(300)]) / 300)
    print(f"a node: {min(build) / nodes * 1e6:.2f} us")
    print(f"a launch of a graph of {nodes} nodes: {(min(whole) - min(build)) * 1e6:.1f} us")
    print(f"all of it: {min(whole) * 1e6:.1f} us; NumPy: {min(eager) * 1e6:.1f} us")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    x, y = rng.random(given.size), rng.random(given.size)
    side = 1000
    for f in (*FLAT, *SQUARE):
        if given.names and f.__name__ not in given.names:
            continue
        if f in FLAT:
            compare(f, x, y, given.rounds)
        else:
            rows = x[: x.size // side * side].reshape(-1, side)
            compare(f, rows, rows, given.rounds)
    if not given.names or "overheads" in given.names:
        overheads()


if __name__ == "__main__":
    main()
