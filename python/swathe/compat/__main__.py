# SPDX-License-Identifier: BSD-3-Clause
"""``python -m swathe.compat NAME program.py [arguments]``: run a program that imports another
compiler's package, with swathe's names in its place, in all that it imports, too.

``python -m swathe.compat numba -m pytest tests`` runs a module."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from . import PACKAGES, install


def _reach_children(name: str) -> None:
    """Let processes that this one starts find the names, too: forks of servers, workers."""
    place = Path(__file__).parent / "_children" / name
    if not place.is_dir():
        return
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(place), *([before] if before else [])])
    sys.path.insert(1, str(place))  # which multiprocessing hands on


def main(argv: list[str]) -> int:
    """Run what the arguments say."""
    if len(argv) < 2 or argv[0] not in PACKAGES or (argv[1] == "-m" and len(argv) < 3):
        print(__doc__.split("\n\n")[0])
        print(f"\nNAME is one of {', '.join(PACKAGES)}")
        return 2
    install(argv[0])
    _reach_children(argv[0])
    if argv[1] == "-m":
        sys.argv = argv[2:]
        sys.path.insert(0, "")
        runpy.run_module(argv[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = argv[1:]
        sys.path.insert(0, str(Path(argv[1]).resolve().parent))
        runpy.run_path(argv[1], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
