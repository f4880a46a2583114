#!/usr/bin/env python3
"""The heat equation on a plate, in explicit time steps, on all cores.

The plate is a square whose left edge is kept hot and whose right edge is kept cold; a ring in it
conducts a hundred times worse than the rest. Each step is one `prange` over rows: its iterations
write rows of their own, which swathe proves before it runs them side by side. The same function
without the decorator is the reference.

    python examples/heat.py [--size N] [--steps N] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import swathe
from swathe import prange


def step(now, after, conductivity, rate):
    """Advance the temperature `now` by one time step, into `after`; the rim stays as it is."""
    rows, columns = now.shape
    for i in prange(1, rows - 1):
        for j in range(1, columns - 1):
            c = conductivity[i, j]
            flow = (
                (c + conductivity[i - 1, j]) * (now[i - 1, j] - now[i, j])
                + (c + conductivity[i + 1, j]) * (now[i + 1, j] - now[i, j])
                + (c + conductivity[i, j - 1]) * (now[i, j - 1] - now[i, j])
                + (c + conductivity[i, j + 1]) * (now[i, j + 1] - now[i, j])
            )
            after[i, j] = now[i, j] + rate * 0.5 * flow


def plate(size):
    """Return the first temperature and the conductivity of a plate of size x size points."""
    temperature = np.zeros((size, size))
    temperature[:, 0] = 1.0
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    radius = np.hypot(x, y)
    conductivity = np.where((radius > 0.45) & (radius < 0.6), 0.01, 1.0)
    return temperature, conductivity


def advance(function, temperature, conductivity, steps):
    """Take so many steps with the function; return the last temperature."""
    now, after = temperature.copy(), temperature.copy()
    for _ in range(steps):
        function(now, after, conductivity, 0.2)
        now, after = after, now
    return now


def picture(panels, path):
    """Draw the temperature after each number of steps, side by side."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(panels), figsize=(3.2 * len(panels), 3.4), layout="constrained"
    )
    for axis, (steps, temperature) in zip(axes, panels, strict=True):
        image = axis.imshow(temperature, cmap="inferno", vmin=0.0, vmax=1.0)
        axis.contour(temperature, levels=np.linspace(0.1, 0.9, 9), colors="w", linewidths=0.4)
        axis.set_title(f"{steps} steps")
        axis.set_axis_off()
    figure.colorbar(image, ax=axes, shrink=0.8, label="temperature")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Compare one step with CPython, run the rest, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=200, help="points along a side (default 200)")
    parser.add_argument("--steps", type=int, default=100000, help="time steps (default 100000)")
    parser.add_argument(
        "--out", type=Path, default=Path("demo-output"), help="folder of the picture"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    temperature, conductivity = plate(options.size)
    compiled = swathe.njit(parallel=True)(step)
    start = time.perf_counter()
    want = advance(step, temperature, conductivity, 2)
    python = (time.perf_counter() - start) / 2
    start = time.perf_counter()
    got = advance(compiled, temperature, conductivity, 2)
    first = time.perf_counter() - start
    print(f"first two steps, compiler included: {first * 1e3:.1f} ms")
    print(f"largest difference from CPython: {np.abs(got - want).max()}")

    panels = []
    done = 0
    start = time.perf_counter()
    for steps in (options.steps // 40, options.steps // 8, options.steps):
        temperature = advance(compiled, temperature, conductivity, steps - done)
        done = steps
        panels.append((steps, temperature))
    seconds = time.perf_counter() - start
    each = seconds / max(1, done)
    print(f"{done} steps on {swathe.get_num_threads()} threads: {seconds:.2f} s")
    print(
        f"one step: CPython {python * 1e3:.1f} ms, swathe {each * 1e3:.3f} ms, {python / each:.0f}x"
    )
    path = options.out / "heat.png"
    picture(panels, path)
    print(f"picture: {path}")


if __name__ == "__main__":
    main()
