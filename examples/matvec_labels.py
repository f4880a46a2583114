#!/usr/bin/env python3
"""A matrix-vector product whose loops have names, run under several schedules.

The function says what is computed; the schedule at the call says how: on how many workers, and
whether the sums may be added up in another order. The results are the same, to the last bit where
no sum was reordered.

    python examples/matvec_labels.py [--size N]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import swathe
from swathe import label, par, reduce, seq, threads


@swathe.njit
def matvec(a, x, y):
    """y = a @ x, with a label for each loop."""
    label("rows")
    for i in range(a.shape[0]):
        total = 0.0
        label("columns")
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = total


SCHEDULES = {
    "none": None,
    "rows on workers": par({"rows": threads(256)}),
    "columns reordered": par({"columns": reduce()}),
    "both": par({"rows": threads(256), "columns": reduce().unroll(2)}),
    "in sequence": par({"rows": seq(), "columns": seq()}),
}


def best_of(run, rounds: int = 5) -> float:
    """Return the least time of several runs, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main() -> None:
    """Run every schedule and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2000)
    n = parser.parse_args().size
    rng = np.random.default_rng(1)
    a, x, y = rng.random((n, n)), rng.random(n), np.empty(n)
    matvec(a, x, y)
    strict = y.copy()
    print(f"{n} x {n} on {swathe.get_num_threads()} threads")
    for name, opts in SCHEDULES.items():
        y[:] = 0
        matvec(a, x, y, opts=opts)
        if "reduce" in repr(opts):
            assert np.allclose(y, strict, rtol=1e-12), name
            same = "close"
        else:
            assert np.array_equal(y, strict), name
            same = "same bits"
        print(f"{name:20} {best_of(lambda o=opts: matvec(a, x, y, opts=o)):8.3f} ms   {same}")
    print(f"{'numpy':20} {best_of(lambda: a @ x):8.3f} ms")


if __name__ == "__main__":
    main()
