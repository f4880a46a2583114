# SPDX-License-Identifier: BSD-3-Clause
"""``python -m swathe``: ``cache [info|clear|dir]``, ``doctor``, ``devices``, ``explain SCRIPT``."""

from __future__ import annotations

import argparse
import os
import sys
import time

from . import __version__, _core


def cache(what: str) -> int:
    """Show, locate or empty the disk cache."""
    info = _core.cache_info()
    if what == "dir":
        print(info["dir"])
    elif what == "clear":
        from . import _link

        print(f"removed {_core.cache_clear() + _link.clear()} files from {info['dir']}")
    else:
        print(f"folder  {info['dir']}")
        print(f"files   {info['files']}")
        print(f"size    {info['bytes'] / 2**20:.1f} MiB")
    return 0


def _probe(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 2.0
    return s


def doctor() -> int:
    """Say what is there, and compile one function to see that it works."""
    import platform

    import numpy as np

    from . import njit

    print(f"swathe  {__version__}")
    print(f"python  {platform.python_version()} on {platform.machine()}")
    print(f"numpy   {np.__version__}")
    print(f"cache   {_core.cache_info()['dir']}")
    began = time.perf_counter()
    result = njit(cache=False)(_probe)(np.arange(4.0))
    took = (time.perf_counter() - began) * 1e3
    fine = result == 12.0
    print(f"compile {'works' if fine else 'FAILS'}, {took:.1f} ms for the first function")
    return 0 if fine else 1


def devices(verbose: bool) -> int:
    """List the devices that kernels can run on."""
    from .devices import describe

    print(describe(verbose))
    return 0


def explain(what: str, rest: list[str], html: str | None) -> int:
    """Run a script, and show what became of the functions that it compiled."""
    import runpy

    from . import Dispatcher

    script, _, name = what.partition(":")
    sys.argv = [script, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        space = runpy.run_path(script, run_name="__main__")
    except OSError as e:
        print(f"explain: {e}", file=sys.stderr)
        return 2
    found = {k: v for k, v in space.items() if isinstance(v, Dispatcher) and name in ("", k)}
    if name and not found:
        known = ", ".join(k for k, v in space.items() if isinstance(v, Dispatcher)) or "none"
        print(
            f"explain: {script} has no compiled function '{name}'; there are: {known}",
            file=sys.stderr,
        )
        return 2
    for f in found.values():
        print(f.explain())
    if html is not None:
        from .explain import page_of

        with open(html, "w", encoding="utf-8") as out:
            out.write(page_of(list(found.values()), script))
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m swathe", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("cache", help="the disk cache of compiled functions")
    sub.add_argument("what", nargs="?", choices=("info", "clear", "dir"), default="info")
    commands.add_parser("doctor", help="check this installation")
    sub = commands.add_parser("devices", help="the devices that kernels can run on")
    sub.add_argument("-v", "--verbose", action="store_true", help="all that is known of them")
    sub = commands.add_parser("explain", help="run a script, and show what its functions became")
    sub.add_argument("script", help="script.py, or script.py:function")
    sub.add_argument("rest", nargs=argparse.REMAINDER, help="the script's own arguments")
    sub.add_argument("--html", metavar="FILE", help="write a page, too")
    args = parser.parse_args(argv)
    if args.command == "devices":
        return devices(args.verbose)
    if args.command == "explain":
        return explain(args.script, args.rest, args.html)
    return cache(args.what) if args.command == "cache" else doctor()


if __name__ == "__main__":
    sys.exit(main())
