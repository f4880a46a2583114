#!/usr/bin/env python3
"""Price an option by Monte Carlo: NumbaPro's generators of random numbers and kernels on streams.

Paths of a price are drawn in parts, one for each stream, so that a GPU draws one part's numbers
while another's step is computed. Black and Scholes' formula says what the mean is to be.

    python examples/numbapro/pricer.py [--paths N] [--steps N] [--streams N]
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from swathe.compat.numbapro import cuda, jit
from swathe.compat.numbapro.cudalib import curand

PRICE, STRIKE, INTEREST, VOLATILITY, YEARS = 20.83, 21.50, 0.021, 0.20, 11.0 / 12.0


@jit("void(double[:], double[:], double, double, double, double[:])", target="gpu")
def step(last, paths, dt, drift, noise, normal):
    """One step of all paths of a part."""
    i = cuda.grid(1)
    if i < paths.shape[0]:
        paths[i] = last[i] * math.exp(drift * dt + noise * normal[i])


def draw(paths: np.ndarray, dt: float, streams: int, seed: int) -> None:
    """Fill the columns of `paths` from the second on."""
    n = paths.shape[0]
    edges = [n * k // streams for k in range(streams + 1)]
    parts = list(zip(edges, edges[1:], strict=False))
    lines = [cuda.stream() for _ in parts]
    generators = [
        curand.PRNG(curand.PRNG.MRG32K3A, seed=seed + k, stream=s) for k, s in enumerate(lines)
    ]
    drift, noise = INTEREST - 0.5 * VOLATILITY**2, VOLATILITY * math.sqrt(dt)
    normals = [
        cuda.device_array(hi - lo, np.double, stream=s)
        for (lo, hi), s in zip(parts, lines, strict=True)
    ]
    last = [
        cuda.to_device(paths[lo:hi, 0], stream=s) for (lo, hi), s in zip(parts, lines, strict=True)
    ]
    for j in range(1, paths.shape[1]):
        for generator, normal in zip(generators, normals, strict=True):
            generator.normal(normal, mean=0, sigma=1)
        now = [cuda.device_array_like(x, stream=s) for x, s in zip(last, lines, strict=True)]
        for k, s in enumerate(lines):
            grid = -(-now[k].size // 256)
            step[grid, 256, s](last[k], now[k], dt, drift, noise, normals[k])
        for (lo, hi), x, s in zip(parts, now, lines, strict=True):
            paths[lo:hi, j] = x.copy_to_host(stream=s)
        last = now
    for s in lines:
        s.synchronize()


def formula() -> float:
    """Black and Scholes' price of a call."""

    def normal(x: float) -> float:
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    spread = VOLATILITY * math.sqrt(YEARS)
    d = (math.log(PRICE / STRIKE) + (INTEREST + VOLATILITY**2 / 2) * YEARS) / spread
    return PRICE * normal(d) - STRIKE * math.exp(-INTEREST * YEARS) * normal(d - spread)


def main(paths: int = 200_000, steps: int = 12, streams: int = 2) -> tuple[float, float]:
    """Return the price by drawing, and by the formula."""
    drawn = np.empty((paths, steps + 1), order="F")
    drawn[:, 0] = PRICE
    draw(drawn, YEARS / steps, streams, seed=7)
    worth = np.maximum(drawn[:, -1] - STRIKE, 0).mean() * math.exp(-INTEREST * YEARS)
    print(f"drawn {worth:.4f}, by the formula {formula():.4f}")
    return float(worth), formula()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, default=200_000)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--streams", type=int, default=2)
    main(**vars(parser.parse_args()))
