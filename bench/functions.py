#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function and method of NumPy's table, compiled, beside NumPy: prints what costs more.

    python bench/functions.py [--only REGEX] [--after NAME] [--minutes 10] [--dtypes f8,f4]
        [--sizes 10,1000,1000000] [--layouts C,F,strided] [--above 1.05] [--parallel] [--all]

The calls are made of the rows of core/def/np.def by what tests/diff/domain.py makes of them: over
dtypes, layouts and axes, other parameters left out. Where a row's arguments don't grow with the
size, as places, `MORE` has calls of its own. Both sides take turns on the same arguments; what
counts is the calling thread's processor time, with --parallel, which compares with serial code, the
wall's. A row above the limit is measured up to three times more, ever longer, and printed by the
least ratio; `~` is of medians. (A mask or an order of 1000 elements that is the same in each call
is learned by the processor, which makes NumPy's branches look free.)
"""

from __future__ import annotations

import argparse
import functools
import math
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import asked

THREADS = asked.threads("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "diff")]
import domain  # noqa: E402
import tables  # noqa: E402
from harness import define  # noqa: E402

import swathe  # noqa: E402

AXES = (domain.LEFT_OUT, "0", "1", "None")
# A parameter that says how long the result is, in terms of the size.
LENGTHS = {
    "shape": "n", "num": "n", "size": "n", "N": "math.isqrt(n)", "M": "n", "n": "math.isqrt(n)",
    "npts": "n",
}  # fmt: skip
SKIP = {"random_seed", "may_share_memory", "item", "ndindex", "ndenumerate", "nditer", "block"}
# Calls of: a, b of a dtype and layout, 2-D `m`, turned 3-D `k`; `i` places in a, `r` of rows of m,
# `c` a mask of a, `p` and `q` masks of rows and columns, float64 `u`, sorted, and `w`; `g`, a
# Generator; n, the size.
MORE = """
a[i] | a[c] | np.take(a, i) | np.take(m, r, axis=0) | np.take(m, r, axis=1) | m[r] | m[:, r]
np.take(a, i, mode='clip') | np.take(a, i, mode='wrap')
np.take_along_axis(m, np.argsort(m, 1), 1) | np.compress(c, a) | np.compress(p, m, axis=0)
np.compress(q, m, axis=1) | np.extract(c, a) | np.put(b, i, a) | np.place(b, c, a)
np.putmask(b, c, a) | np.copyto(b, a) | np.copyto(b, a, where=c) | b.flat = a | m.flat = a
k.flat = a | m.T.flat = a | b[c] = 1 | b[i] = a | b[i] += a | np.add.at(b, i, a) | np.bincount(i)
np.bincount(i % 50, a.real) | np.searchsorted(u, w) | np.digitize(w, u) | np.interp(w, u, w)
np.histogram(w, 20) | np.isin(i, r) | np.repeat(a, i % 3) | np.insert(a, r, 1) | np.delete(a, r)
np.where(c, a, b) | np.where(c, a, 0) | np.select([c, ~c], [a, b]) | np.choose(i % 2, (a, b))
np.add.reduceat(a, np.sort(r)) | np.add.accumulate(a) | np.add.outer(r, r)
np.maximum.reduce(m, axis=1) | a + b | a * 2 | a + b * a | m + m.T | m * m[0] | m * m[:, :1] | -a
a @ b | m @ m.T | m.T @ m | m @ m[0] | a == b | a < b | a.astype(np.float32) | a.astype(np.int64)
a.copy() | m.T.copy() | np.ascontiguousarray(m.T) | np.roll(a, 3) | np.roll(m, 1, axis=1)
np.concatenate((a, b)) | np.concatenate((m, m), axis=1) | np.tile(a, 3)
np.stack((a, b), axis=-1) | np.pad(m, 1) | np.partition(a, n // 2) | np.argpartition(a, n // 2)
np.unique(a) | np.partition(a, 1) | np.lexsort((a, b)) | np.convolve(a, b[:5])
np.correlate(a, b[:5]) | np.flip(m, 1).copy() | np.random.random(n) | np.random.normal(0, 1, n)
np.random.randint(0, 99, n) | np.random.permutation(n) | g.random(n) | g.normal(0, 1, n)
g.integers(0, 99, n) | g.choice(n, 5) | g.permutation(n) | g.standard_normal(n)
np.einsum('ij,ij->i', m, m) | np.einsum('ij->j', m) | np.cov(m[:9]) | np.arange(n)
np.linspace(0, 1, n) | np.fft.fft(a) | np.fft.rfft(a.real) | np.fft.fft2(m)
np.fft.irfft(np.fft.rfft(a.real) * 2) | a.sum() / n | np.tril(m) | np.diag(r)
np.vander(a[:9], 9) | np.meshgrid(r, r) | np.indices((9, 9)) | np.unwrap(w)
""".replace("\n", " | ")


class Case(NamedTuple):
    """One call: how it prints, its text over parameter names, and what makes its arguments."""

    label: str
    text: str
    arguments: Callable[[int], dict[str, Any]]
    grows: bool


# --- arguments ------------------------------------------------------------------------------


def made(dtype: str, shape: tuple, layout: str, seed: int = 0, edges: bool = False) -> np.ndarray:
    """An array of random numbers, in place of the few that tests are happy with."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    wide = shape if layout != "strided" or not shape else (*shape[:-1], 2 * shape[-1])
    if kind in "iu":
        a = rng.integers(0 if kind == "u" else -100, 100, wide)
    elif kind == "b":
        a = rng.random(wide) < 0.5
    else:
        a = rng.random(wide) * 4 - 2
        a = a + 1j * rng.random(wide) if kind == "c" else a
    a = np.asarray(a).astype(dtype, order="F" if layout == "F" else "C")
    return a if wide == shape else a[..., ::2]


def sized(n: int) -> None:
    """Make the shapes of all ranks that many elements."""
    rows = math.isqrt(n) if n > 10 else 2
    domain.SHAPES[1:3] = [(n,), (rows, n // rows)]


domain.made = made


def more_arguments(dtype: str, layout: str, names: list[str], n: int) -> dict[str, Any]:
    """The arguments of a call of `MORE`."""
    sized(n)
    shape = domain.SHAPES[2]
    rng = np.random.default_rng(5)
    makers: dict[str, Callable[[], Any]] = {
        "n": lambda: n,
        "a": lambda: made(dtype, (n,), layout),
        "b": lambda: made(dtype, (n,), layout, 1),
        "m": lambda: made(dtype, shape, layout),
        "k": lambda: made(dtype, (*shape[::-1], 1), "C", 2).transpose(2, 1, 0),
        "i": lambda: rng.integers(0, n, n),
        "r": lambda: rng.integers(0, min(shape), min(shape)),
        "c": lambda: rng.random(n) < 0.5,
        "p": lambda: rng.random(shape[0]) < 0.5,
        "q": lambda: rng.random(shape[1]) < 0.5,
        "u": lambda: np.sort(rng.random(n)),
        "w": lambda: rng.random(n),
        "g": lambda: np.random.default_rng(7),
    }
    return {name: makers[name]() for name in names}


# --- calls ----------------------------------------------------------------------------------


def row_cases(row: tables.Row, args: argparse.Namespace) -> Iterator[Case]:
    """The calls of a row."""
    found = domain.factors(row)
    lengths = {p.name: LENGTHS[p.name] for p in row.params if p.name in LENGTHS}
    if "of" in found:
        lengths = {}
    chosen = {"size": "usual", "form": "array", "form2": "array", "shapes": "same"}
    for name, values in found.items():
        if name in ("out", "dtype", "how") and domain.LEFT_OUT not in values:
            if name == "dtype" and row.macro != "NP_UFUNC":
                chosen[name] = values[0]
        elif name not in ("of", "of2", "layout", "rank", "axis", *chosen, *lengths):
            chosen[name] = domain.LEFT_OUT if domain.LEFT_OUT in values else values[0]
    if "out" in chosen:
        chosen["out"] = None
    usual = {p.name: p.default for p in row.params}.get("axis")
    axes = [v for v in found.get("axis", [None]) if v is None or v in AXES and v != usual]
    for of in [d for d in args.dtypes if d in found["of"]] if "of" in found else [""]:
        for rank in [r for r in found["rank"] if r in (1, 2)] if "rank" in found else [0]:
            for axis in axes or found["axis"][:1]:
                if axis == "1" and rank < 2:
                    continue
                for layout in args.layouts if of else ["C"]:
                    if layout == "F" and rank < 2:
                        continue
                    of_case = {"of": of, "of2": of, "rank": rank, "layout": layout, "axis": axis}
                    yield row_case(row, chosen | of_case, lengths)


def row_case(row: tables.Row, choice: dict, lengths: dict[str, str]) -> Case:
    kept = {k: v for k, v in choice.items() if v is not None and v != "" or k == "out"}
    if not choice["of"]:
        kept = {k: v for k, v in kept.items() if k not in ("of", "of2", "rank", "layout")}

    def call(n: int) -> domain.Call:
        sized(n)
        return domain.call(row, kept | lengths)

    def arguments(n: int) -> dict[str, Any]:
        return dict(zip("abcdefgh", call(n).args, strict=False)) | ({"n": n} if lengths else {})

    text = re.sub(r"^\(np\.random\.seed\(3\), (.*)\)\[1\]$", r"\1", call(10).text)
    shape = f"{choice['rank']}-D" if choice["of"] else ""
    label = f"{text}  {choice['of']} {shape} {choice['layout'] if choice['of'] else ''}"
    return Case(label.strip(), text, arguments, bool(choice["of"] or lengths))


def more_cases(args: argparse.Namespace) -> Iterator[Case]:
    """The calls of `MORE`."""
    for text in filter(None, map(str.strip, MORE.split(" | "))):
        names = list(dict.fromkeys(re.findall(r"(?<![.\w'>,])[a-z](?![\w('])", text)))
        of_dtype = any(x in names for x in "abmk")
        for of in args.dtypes if of_dtype else [""]:
            for layout in args.layouts if of_dtype else [""]:
                if layout == "F" and "m" not in names:
                    continue

                def arguments(n: int, of=of, layout=layout, names=names) -> dict[str, Any]:
                    return more_arguments(of, layout, names, n)

                yield Case(f"{text}  {of} {layout}", text, arguments, True)


def cases(args: argparse.Namespace) -> Iterator[Case]:
    """All calls that were asked for."""
    started = not args.after
    for row in tables.table("NP_UFUNC", "NP", "NP_LIB"):
        started = started or row.short == args.after
        if started and row.short not in SKIP and re.search(args.only, row.short):
            try:
                yield from row_cases(row, args)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                print(f"{row.short}: no call is made of it: {error!r}", file=sys.stderr)
    yield from (c for c in more_cases(args) if re.search(args.only, c.text))


# --- times ----------------------------------------------------------------------------------


def ratios(sides: list[Callable[[], Any]], seconds: float, clock: Callable[[], float]) -> tuple:
    """Least time of both, in microseconds, and ratios of the least and the medians, by turns."""
    times: list[list[float]] = [[], []]
    start = clock()
    sides[1]()
    once = max(clock() - start, 1e-7)
    calls = max(1, int(3e-5 / once))
    end = time.perf_counter() + seconds
    while len(times[1]) < 5 or time.perf_counter() < end:
        for f, found in zip(sides, times, strict=True):
            start = clock()
            for _ in range(calls):
                f()
            found.append((clock() - start) / calls)
        if len(times[1]) >= 2 and sum(times[0]) + sum(times[1]) > 8 * seconds + 2:
            break
    least, middle = [min(t) for t in times], [statistics.median(t) for t in times]
    return least[0] / least[1], middle[0] / middle[1], least[0] * 1e6, least[1] * 1e6


def too_much(history: list[tuple[int, float, int]], n: int) -> bool:
    """Whether a call would take seconds, or much memory, by how it grew so far."""
    if len(history) < 2:
        return False
    (n0, t0, b0), (n1, t1, b1) = history[-2:]
    for before, after, limit in ((t0, t1, 0.7), (b0, b1, 3e8)):
        power = max(1.0, math.log(max(after, 1e-6) / max(before, 1e-6)) / math.log(n1 / n0))
        if after * (n / n1) ** power > limit:
            return True
    return False


def bytes_of(value: Any) -> int:
    """The memory of a result."""
    if isinstance(value, (tuple, list)):
        return sum(map(bytes_of, value))
    return getattr(value, "nbytes", 8)


def measured(case: Case, args: argparse.Namespace) -> Iterator[tuple[int, tuple]]:
    """Sizes and what `ratios` says of them."""
    names = ", ".join(case.arguments(10))
    body = case.text if " = " in case.text.replace("=None", "") else f"return {case.text}"
    if re.search(r"^[\w.\[\]]+ \+?= ", case.text):
        body = case.text
    elif not body.startswith("return"):
        body = f"return {case.text}"
    f = define(f"def f({names}):\n    {body}\n")
    serial = swathe.njit(f)
    ours = swathe.njit(parallel=True)(f) if args.parallel else serial
    history: list[tuple[int, float, int]] = []
    probes = {10, 100, 1000, 10_000} | set(args.sizes)
    for n in sorted(probes) if case.grows else [10]:
        if too_much(history, n):
            return
        given = case.arguments(n)
        start = time.thread_time()
        value = f(**{k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()})
        history.append((n, time.thread_time() - start, bytes_of(value)))
        if n not in args.sizes and case.grows:
            continue
        del value
        mine, theirs = list(given.values()), list(case.arguments(n).values())
        other = serial if args.parallel else f
        sides = [functools.partial(ours, *mine), functools.partial(other, *theirs)]
        sides[0]()
        clock = time.perf_counter if args.parallel else time.thread_time
        found = ratios(sides, args.seconds, clock)
        for more in (5, 10, 20):
            if found[0] > args.above:
                found = min(found, ratios(sides, more * args.seconds, clock))
        yield n, found


def main() -> None:
    """Print a line for each call above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--after", default="")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--above", type=float, default=1.05)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--parallel", action="store_true")
    parser.add_argument("--all", action="store_true")
    for name, given in (("dtypes", "f8,f4,i8,u1,c16"), ("layouts", "C,F,strided")):
        parser.add_argument(f"--{name}", type=lambda t: t.split(","), default=given.split(","))
    parser.add_argument(
        "--sizes", type=lambda t: [int(x) for x in t.split(",")], default=[10, 1000, 1_000_000]
    )
    args = parser.parse_args()
    if args.parallel:
        swathe.set_num_threads(max(THREADS, 2))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    end, count, above = time.perf_counter() + 60 * args.minutes, 0, 0
    for case in cases(args):
        if time.perf_counter() > end:
            print(f"out of time before {case.label}")
            break
        try:
            for n, (ratio, middle, us, theirs) in measured(case, args):
                count += 1
                above += ratio > args.above
                if args.all or ratio > args.above:
                    times = f"{us:11.2f} {theirs:11.2f} {ratio:6.2f} ~{middle:.2f}"
                    print(f"{case.label:64} {n:8} {times}", flush=True)
        except Exception as error:
            text = (str(error).strip().splitlines() or [""])[-1][:90]
            print(f"{case.label}: {type(error).__name__}: {text}", file=sys.stderr, flush=True)
    print(f"{count} calls, {above} above {args.above}")


if __name__ == "__main__":
    main()
