#!/usr/bin/env python3
"""A photograph through four functions, compiled by swathe and by nobody.

A bilateral filter in nested loops, an unsharp mask as an array expression, a histogram
equalisation, and a fractal laid over the picture. Each is plain Python: the reference is the same
function run by CPython and NumPy. Loops are slow there, so the reference of a loop is computed on a
crop, and its time scaled to the whole picture; such a time is marked with ~.

    python examples/demo.py [--size N] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import swathe


def bilateral(image, radius, spread, tolerance):
    """Smooth an image but keep its edges: near pixels weigh by distance and by likeness."""
    height, width = image.shape
    out = np.empty_like(image)
    for y in range(height):
        for x in range(width):
            centre = image[y, x]
            total = 0.0
            weights = 0.0
            for v in range(max(0, y - radius), min(height, y + radius + 1)):
                for u in range(max(0, x - radius), min(width, x + radius + 1)):
                    near = ((v - y) ** 2 + (u - x) ** 2) / (2.0 * spread**2)
                    like = (image[v, u] - centre) ** 2 / (2.0 * tolerance**2)
                    weight = np.exp(-near - like)
                    total += weight * image[v, u]
                    weights += weight
            out[y, x] = total / weights
    return out


def unsharp(image, amount):
    """Sharpen an image: add what a small blur takes away."""
    blur = image.copy()
    blur[1:-1, 1:-1] = (
        4.0 * image[1:-1, 1:-1]
        + 2.0 * (image[:-2, 1:-1] + image[2:, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:])
        + (image[:-2, :-2] + image[:-2, 2:] + image[2:, :-2] + image[2:, 2:])
    ) / 16.0
    return np.minimum(1.0, np.maximum(0.0, image + amount * (image - blur)))


def equalise(image, levels):
    """Spread the brightness of an image evenly over its range."""
    height, width = image.shape
    counts = np.zeros(levels, np.int64)
    for y in range(height):
        for x in range(width):
            counts[min(levels - 1, int(image[y, x] * levels))] += 1
    rank = np.cumsum(counts) / (height * width)
    out = np.empty_like(image)
    for y in range(height):
        for x in range(width):
            out[y, x] = rank[min(levels - 1, int(image[y, x] * levels))]
    return out


def fractal(image, limit, strength):
    """Lay the Mandelbrot set over an image, brighter the longer a point takes to escape."""
    height, width = image.shape
    out = np.empty_like(image)
    for y in range(height):
        for x in range(width):
            c = complex(-2.1 + 2.8 * x / width, -1.4 + 2.8 * y / height)
            z = 0j
            n = 0
            while n < limit and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + c
                n += 1
            glow = (n / limit) ** 0.5
            out[y, x] = (1.0 - strength * glow) * image[y, x] + strength * glow
    return out


class Row(NamedTuple):
    """One line of the table."""

    name: str
    reference: float
    scaled: bool
    first: float
    later: float
    difference: float


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Run a call; return what it took and what it returned."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def compare(function: Callable[..., Any], image: np.ndarray, args: tuple[Any, ...], crop: int):
    """Run a function on an image, compiled and not; return its row and its picture."""
    compiled = swathe.njit(cache=False)(function)  # so that the first call compiles
    first, picture = seconds(lambda: compiled(image, *args))
    later = min(seconds(lambda: compiled(image, *args))[0] for _ in range(5))
    part = np.ascontiguousarray(image[:crop, :crop]) if crop else image
    took, reference = seconds(lambda: function(part, *args))
    difference = float(np.abs(compiled(part, *args) - reference).max())
    scale = image.size / part.size
    row = Row(function.__name__, took * scale, scale != 1.0, first, later, difference)
    return row, picture


def print_table(rows: list[Row]) -> None:
    """Print what each function took."""
    print(
        f"{'':12}{'CPython/NumPy':>15}{'first call':>12}{'later calls':>13}{'ratio':>9}"
        f"{'max |difference|':>18}"
    )
    for row in rows:
        mark = "~" if row.scaled else ""
        print(
            f"{row.name:12}{f'{mark}{row.reference * 1e3:.1f} ms':>15}{row.first * 1e3:9.1f} ms"
            f"{row.later * 1e3:10.2f} ms{row.reference / row.later:8.0f}x{row.difference:18.1e}"
        )
    print("~ measured on a crop of the picture and scaled to its size; the first call compiles")


def save(pictures: dict[str, np.ndarray], path: Path) -> None:
    """Write the pictures side by side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(pictures), figsize=(4 * len(pictures), 4.4))
    for axis, (title, picture) in zip(axes, pictures.items(), strict=True):
        axis.imshow(picture, cmap="gray", vmin=0, vmax=1)
        axis.set_title(title)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=512, help="pixels on a side, 512 at most")
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    options = parser.parse_args()

    from skimage import color, data

    photograph = np.ascontiguousarray(
        color.rgb2gray(data.astronaut())[: options.size, : options.size]
    )
    print(f"photograph: scikit-image's astronaut, {photograph.shape}, {photograph.dtype}\n")

    steps: tuple[tuple[Callable[..., Any], tuple[Any, ...], int], ...] = (
        (bilateral, (4, 2.5, 0.1), 64),
        (unsharp, (1.5,), 0),
        (equalise, (256,), 0),
        (fractal, (100, 0.6), 0),
    )
    rows, pictures, image = [], {"before": photograph}, photograph
    for function, args, crop in steps:
        row, image = compare(function, image, args, crop)
        rows.append(row)
        pictures[function.__name__] = image
    print_table(rows)
    options.out.mkdir(parents=True, exist_ok=True)
    save(pictures, options.out / "photograph.png")
    print(f"\nbefore and after: {options.out / 'photograph.png'}")
    wrong = [row.name for row in rows if not row.difference <= 1e-9]
    if wrong:
        print(f"not what CPython computes: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
