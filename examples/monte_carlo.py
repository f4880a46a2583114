#!/usr/bin/env python3
"""The price of an Asian option by Monte Carlo, on all cores, with the same bits every time.

Each path of the price draws its own random numbers from a small generator that starts from the
path's number, so that paths do not depend on each other; the payoffs are summed by a `prange`
reduction. A reduction is cut in chunks by the number of paths alone, and the chunks are added in a
fixed order: one thread and many give the same price, bit by bit.

    python examples/monte_carlo.py [--paths N]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import swathe
from swathe import prange


def asian_call(paths, days, price, strike, rate, volatility):
    """Return the mean discounted payoff of an Asian call, and the standard error of it.

    Normal variates are made in pairs by Box and Muller's transform (1958), from uniform ones by
    Park and Miller's minimal standard generator with the multiplier 48271 (1993).
    """
    dt = 1.0 / days
    drift = (rate - 0.5 * volatility * volatility) * dt
    spread = volatility * np.sqrt(dt)
    discount = np.exp(-rate)
    total = 0.0
    squares = 0.0
    for path in prange(paths):
        state = (path * 7919 + 104729) % 2147483647
        for _ in range(8):
            state = state * 48271 % 2147483647
        level = price
        mean = 0.0
        for _ in range(days // 2):
            state = state * 48271 % 2147483647
            u = state / 2147483647.0
            state = state * 48271 % 2147483647
            angle = 2.0 * np.pi * (state / 2147483647.0)
            length = np.sqrt(-2.0 * np.log(u))
            level *= np.exp(drift + spread * length * np.cos(angle))
            mean += level
            level *= np.exp(drift + spread * length * np.sin(angle))
            mean += level
        payoff = discount * max(mean / days - strike, 0.0)
        total += payoff
        squares += payoff * payoff
    value = total / paths
    return value, np.sqrt((squares / paths - value * value) / paths)


MARKET = (252, 100.0, 105.0, 0.03, 0.25)


def main() -> None:
    """Compare with CPython on few paths, then price with many, on one thread and on all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--paths", type=int, default=200_000, help="paths (default 200000)")
    options = parser.parse_args()
    compiled = swathe.njit(parallel=True)(asian_call)
    few = min(options.paths, 500)
    start = time.perf_counter()
    want = asian_call(few, *MARKET)
    python = (time.perf_counter() - start) / few
    start = time.perf_counter()
    got = compiled(few, *MARKET)
    print(f"{few} paths: CPython {want[0]:.12f}, swathe {got[0]:.12f}")
    print(f"first call, compiler included: {(time.perf_counter() - start) * 1e3:.1f} ms")
    most = swathe.get_num_threads()
    prices = []
    for threads in sorted({1, most}):
        swathe.set_num_threads(threads)
        start = time.perf_counter()
        value, error = compiled(options.paths, *MARKET)
        seconds = time.perf_counter() - start
        prices.append(value)
        print(
            f"{options.paths} paths on {threads} thread(s): {value:.6f} +- {error:.6f}, "
            f"{seconds:.2f} s, {python * options.paths / seconds:.0f}x CPython"
        )
    print("the same bits on any number of threads:", len(set(prices)) == 1)


if __name__ == "__main__":
    main()
