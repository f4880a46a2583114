"""What functions of NumPy cost that a library in C does the work of, beside NumPy's own calls.

python bench/library.py [--only sort] [--seconds 0.1]: microseconds a call, the least of many.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import swathe

Row = tuple[str, Callable[..., Any], Any]


def sorts() -> Iterator[Row]:
    """Sorting of numbers in any order, in order, and of few values."""
    rng = np.random.default_rng(1)
    for name, f in {"sort": lambda a: np.sort(a), "argsort": lambda a: np.argsort(a)}.items():
        for dtype in ("int32", "int64", "float32", "float64"):
            for n in (10, 100, 10_000, 1_000_000):
                given = rng.random(n) * 1e6
                for how, a in {
                    "random": given,
                    "sorted": np.sort(given),
                    "few values": np.floor(given / 1e5),
                }.items():
                    yield f"{name} {dtype} {n} {how}", f, a.astype(dtype)


def transforms() -> Iterator[Row]:
    """Fourier transforms of lengths with small factors, and of primes."""
    rng = np.random.default_rng(2)
    for n in (8, 64, 1024, 65536, 1 << 20, 96, 3 << 10, 3 << 16, 101, 1009, 65537, 1000, 44100):
        yield f"fft {n}", lambda a: np.fft.fft(a), rng.random(n) + 1j * rng.random(n)


def draws() -> Iterator[Row]:
    """Random numbers: arrays of them, by np.random and by a Generator."""
    rng = np.random.default_rng(3)
    for n in (10, 10_000, 1_000_000):
        size = np.empty(n)
        yield f"np.random.random {n}", lambda a: np.random.random(a.size), size
        yield f"np.random.normal {n}", lambda a: np.random.normal(0.0, 1.0, a.size), size
        yield f"np.random.randint {n}", lambda a: np.random.randint(0, 9, a.size), size
        yield f"rng.random {n}", lambda a, r: r.random(a.size), (size, rng)
        yield f"rng.normal {n}", lambda a, r: r.normal(0.0, 1.0, a.size), (size, rng)
        yield f"rng.integers {n}", lambda a, r: r.integers(0, 9, a.size), (size, rng)


SETS = {"sort": sorts, "fft": transforms, "random": draws}


def least(f: Callable[..., Any], given: Any, seconds: float) -> float:
    """Microseconds of a call, of an array or of it and others."""
    args = given if isinstance(given, tuple) else (given,)
    f(*args)
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        calls, start = max(1, 1000 // args[0].size), time.perf_counter()
        for _ in range(calls):
            f(*args)
        now = time.perf_counter()
        best = min(best, (now - start) / calls)
        if now > end:
            return best * 1e6


def main() -> None:
    """Print a line for each call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("--seconds", type=float, default=0.1)
    args = parser.parse_args()
    print(f"{'':36} {'swathe':>12} {'NumPy':>12}  ratio")
    for name, rows in SETS.items():
        for text, f, a in rows() if args.only in (None, name) else ():
            ours, theirs = least(swathe.njit(f), a, args.seconds), least(f, a, args.seconds)
            print(f"{text:36} {ours:12.2f} {theirs:12.2f} {ours / theirs:6.2f}", flush=True)


if __name__ == "__main__":
    main()
