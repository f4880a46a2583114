# SPDX-License-Identifier: BSD-3-Clause
"""How long the first epoch of `train.py` takes, compiling included: swathe's time over Numba's.

    python examples/tensor/compare.py [ROUNDS]

The same source of the library each time; each run is a process of its own, with nothing compiled
before, and the two take turns. Needs the package numba.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).resolve().parent / "train.py"


def first_epoch(compiler: str) -> float:
    """Return the seconds of a first epoch under a compiler."""
    env = os.environ | {"TENSOR_COMPILER": compiler, "SWATHE_CACHE_SIZE": "0"}
    done = subprocess.run(
        [sys.executable, TRAIN, "--epochs", "2"], env=env, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    print(done.stdout)
    found = re.search(r"first epoch in ([\d.]+) s", done.stdout)
    assert found is not None
    return float(found[1])


if __name__ == "__main__":
    times: dict[str, list[float]] = {"swathe.compat.numba": [], "numba": []}
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        for compiler, seen in times.items():
            seen.append(first_epoch(compiler))
    ours, theirs = (min(seen) for seen in times.values())
    print(
        f"first epoch: {ours:.2f} s under swathe, {theirs:.2f} s under Numba: {ours / theirs:.3f}"
    )
