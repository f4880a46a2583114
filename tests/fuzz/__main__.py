# SPDX-License-Identifier: BSD-3-Clause
"""Run random programs: ``python -m fuzz KIND [--start N] [--count N] [--seconds S] [--jobs J]``.

Prints each difference with its seed, reduces the first of each sort, and ends with the counts.
``--show`` prints the program of one seed, ``--reduce`` judges and reduces the text of a file.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import time
from pathlib import Path
from typing import Any

from . import kinds, pool, reduce
from .judge import Difference, passes_by_turns


def parsed() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    p.add_argument("kind", choices=[*kinds.NAMES, "all"])
    p.add_argument("--start", type=int, default=int(os.environ.get("FUZZ_START", "0")))
    p.add_argument("--count", type=int, default=1_000_000)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--jobs", type=int, default=int(os.environ.get("FUZZ_JOBS", "1")))
    p.add_argument("--reductions", type=int, default=6, help="at most so many are reduced")
    p.add_argument("--effort", type=float, default=60, help="seconds for each reduction")
    p.add_argument("--refusals", action="store_true", help="print what the compiler refused")
    p.add_argument("--show", action="store_true")
    p.add_argument("--mode", default="")
    p.add_argument("--reduce", type=Path, metavar="FILE")
    return p.parse_args()


# glibc's: memory that was given back is kept, as each program asks for as much as the one before
KEEP = {
    "MMAP_THRESHOLD": (-3, 1 << 30),
    "TRIM_THRESHOLD": (-1, 2**31 - 1),
    "TOP_PAD": (-2, 1 << 26),
}


def keep_memory() -> None:
    """In this process, its children, and the programs that they start."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    for name, (which, size) in KEEP.items() if mallopt else ():
        os.environ.setdefault(f"MALLOC_{name}_", str(size))
        mallopt(which, size)


def warm() -> None:
    """Load the compiler before the first fork."""
    keep_memory()
    os.environ.setdefault("SWATHE_CHECK", "1")
    os.environ["SWATHE_CACHE_SIZE"] = "0"
    import swathe

    from .program import load

    swathe.njit(cache=False)(load("def f(x):\n    return x + 1\n").f)(1)
    gc.collect()
    gc.freeze()  # a child that collects would copy every page of what all share


def verdict(kind: Any, text: str, seed: int, mode: str) -> Any:
    """That of a kind's own judge, or of the passes against the interpreter."""
    if mode == "passes":
        return getattr(kind, "passes", passes_by_turns)(text, seed)
    return kind.verdict(text, seed, mode)


def report(kind: Any, name: str, seed: int, text: str, d: Difference, effort: float) -> None:
    """Reduce a program that differs, and print what is left."""
    if getattr(kind, "WHOLE", False):
        print(f"==== {name} seed {seed}: {d.what}\n{d.text}\n", flush=True)
        return
    with pool.Apart(lambda t: verdict(kind, t, seed, d.mode)) as judge:

        def same(candidate: str) -> bool:
            got = judge(candidate).difference
            return bool(got) and got.what == d.what

        shrink = getattr(kind, "REDUCE", reduce.reduced)
        small = shrink(text, same, effort) if same(text) else text
        d = judge(small).difference or d
    head = f"==== {name} seed {seed}, mode {d.mode or 'any'}: {d.what}"
    print(f"\n{head}\n{small}---- {d.text}\n", flush=True)


def fuzz(name: str, o: argparse.Namespace) -> int:
    kind = kinds.kind(name)
    if o.mode == "passes" and getattr(kind, "WHOLE", False):
        print(f"{name}: its texts are no programs, so that no pass can be held to them", flush=True)
        return 0
    kind.text(o.start)  # what all children need is made before the first fork
    began = time.monotonic()

    def judge(seed: int) -> Any:
        if hasattr(kind, "of_seed"):
            return kind.of_seed(seed)
        return verdict(kind, kind.text(seed), seed, o.mode)

    said: dict[str, int] = {}

    def say(seed: int, d: Difference) -> None:
        said[d.what] = said.get(d.what, 0) + 1
        if said[d.what] > 8:
            return
        first = d.text.strip().split("\n")[0][:200] if d.text else ""
        print(f"{name} seed {seed} {d.mode}: {d.what}: {first}", flush=True)

    def tick(tally: pool.Tally) -> None:
        print(f"{name}: {tally}; {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    seeds = range(o.start, o.start + o.count)
    tally = pool.run_seeds(judge, seeds, o.jobs, o.seconds, say=say, tick=tick)
    print(f"{name}: seeds from {o.start}: {tally}; {time.monotonic() - began:.0f} s", flush=True)
    if o.refusals:
        for why, n in sorted(tally.why.items(), key=lambda x: -x[1])[:60]:
            print(f"{n:6} {why}")
    sorts: dict[str, tuple[int, Difference]] = {}
    for seed, d in tally.found:
        sorts.setdefault(f"{d.mode} {d.what}", (seed, d))
    for seed, d in list(sorts.values())[: o.reductions]:
        report(kind, name, seed, kind.text(seed), d, o.effort)
    return len(tally.found)


def main() -> int:
    o = parsed()
    warm()
    if o.show:
        print(kinds.kind(o.kind).text(o.start))
        return 0
    if o.reduce:
        kind, text = kinds.kind(o.kind), o.reduce.read_text()
        with pool.Apart(lambda t: verdict(kind, t, o.start, o.mode)) as judge:
            found = judge(text)
        print(found)
        if found.difference:
            report(kind, o.kind, o.start, text, found.difference, o.effort)
        return bool(found.difference)
    names = kinds.NAMES if o.kind == "all" else (o.kind,)
    return sum(fuzz(name, o) for name in names)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
