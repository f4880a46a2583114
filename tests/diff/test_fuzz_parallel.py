# SPDX-License-Identifier: BSD-3-Clause
"""Random nests of range and prange loops (parallel_programs.py): CPython, serial, on several
numbers of threads, in lanes, under debug and without checks of indices give the same.

A program whose iterations are independent by construction is never refused. One that races is
refused or raises RaceError under debug.
SWATHE_FUZZ is the number of seeds, SWATHE_FUZZ_START the first."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import parallel  # sets how many threads there are, before the pool is made
import pytest
from harness import ORACLE, Options, copy_args, define, differ, error_class, show
from parallel_programs import ARRAYS, DTYPES, ParallelProgram

import swathe
from swathe.errors import RaceError

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython")

COUNT = int(os.environ.get("SWATHE_FUZZ", "28"))
START = int(os.environ.get("SWATHE_FUZZ_START", "0"))
EVERY = "SWATHE_FUZZ" in os.environ
VARIANTS = 3
IMPORT = "from swathe import prange\n\n\n"
EXACT = Options(views=False)
UNPROVEN = "not proven independent", "runs serially"


class Unlike(AssertionError):
    pass


@contextlib.contextmanager
def environment(**names: object) -> Iterator[None]:
    before = {k: os.environ.get(k) for k in names}
    os.environ.update({k: str(v) for k, v in names.items()})
    try:
        yield
    finally:
        for k, v in before.items():
            if v is None:
                del os.environ[k]
            else:
                os.environ[k] = v


def arguments(program, seed, size=None):
    """Arguments, in layouts that depend on the seed; some may share memory."""
    r = np.random.default_rng(seed)
    n = int(r.choice([0, 1, 2, 7, 8, 9, 20, 64], p=[0.05, 0.05, 0.1, 0.15, 0.15, 0.15, 0.15, 0.2]))
    n = n if size is None else size
    m = int(r.choice([0, 1, 2, 5, 8, 9, 17], p=[0.04, 0.06, 0.1, 0.2, 0.2, 0.2, 0.2]))
    lengths = {"n": n, "m": m, "3": 3, "*": n * m}
    made, share = {}, r.random() < 0.25
    for x in program.arrays:
        kind, axes = ARRAYS[x]
        dtype = np.dtype(DTYPES.get(kind, kind))
        shape = tuple(lengths[a] for a in axes)
        key = dtype, axes, kind in DTYPES
        if share and key in made and r.random() < 0.8:
            made[x] = shifted(made[key], r)
            continue
        made[x] = made[key] = layout(r, shape, dtype)
    return (
        int(r.integers(-20, 20)),
        float(r.integers(-8, 8)) / 2,
        n,
        m,
        *(made[x] for x in program.arrays),
    )


def layout(r, shape, dtype):
    pad = tuple(2 * s + 3 for s in shape)
    a = r.integers(-12, 13, pad) / (4 if dtype.kind == "f" else 1)
    if dtype.kind == "f" and r.random() < 0.15:
        a[r.random(pad) < 0.1] = r.choice([np.nan, np.inf, -0.0])
    with np.errstate(all="ignore"):
        a = (a > 0) if dtype.kind == "b" else a.astype(np.int64 if dtype.kind in "iu" else dtype)
    a = a.astype(dtype)
    form = r.integers(5)
    if form == 0:  # every other element
        return a[tuple(slice(1, 1 + 2 * s, 2) for s in shape)]
    if form == 1:  # backwards
        return a[tuple(slice(s + 1, 1, -1) if s else slice(0, 0) for s in shape)]
    if form == 2 and len(shape) > 1:
        return np.asfortranarray(a[tuple(slice(0, s) for s in shape)])
    cut = a[tuple(slice(2, s + 2) for s in shape)]
    return cut if form == 3 else cut.copy()


def shifted(a, r):
    """An array of the shape of `a` that shares memory with it, as far as there is room."""
    base = a
    while base.base is not None and isinstance(base.base, np.ndarray):
        base = base.base
    form = r.integers(3)
    if form == 0 or base is a:
        return a if r.random() < 0.7 else a[::-1]
    if form == 1:
        return a[::-1]
    low, high = np.lib.array_utils.byte_bounds(a)
    start, end = np.lib.array_utils.byte_bounds(base)
    by = int(r.choice([-2, -1, 1, 2])) * a.itemsize
    if low + by < start or high + by > end:
        return a
    data = base.reshape(-1, order="A").view(np.uint8) if base.flags.forc else None
    if data is None:
        return a
    offset = a.ctypes.data + by - base.ctypes.data
    return np.ndarray(a.shape, a.dtype, data, offset, a.strides)


class Case:
    """One program, what CPython makes of it, and how far results may be from that."""

    def __init__(self, seed: int):
        self.seed = seed
        self.program = ParallelProgram(seed)
        self.source = IMPORT + self.program.text()
        self.f = define(self.source, "fuzzed")
        self.arguments = [arguments(self.program, seed * VARIANTS + i) for i in range(VARIANTS)]
        self.wanted = [self.run(self.f, a) for a in self.arguments]

    @staticmethod
    def run(f: Callable, args: tuple) -> tuple:
        """Value, (class of the exception, line), arguments afterwards."""
        args = copy_args(args)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return f(*args), None, args
        except RaceError as e:
            return None, (RaceError, str(e)), args
        except Exception as e:
            frames = traceback.extract_tb(e.__traceback__)
            line = next((x.lineno for x in frames if x.name == "fuzzed"), frames[-1].lineno)
            return None, (error_class(e), line), args

    def same(self, what: str, got: tuple, want: tuple, exact: bool, args: tuple) -> None:
        found = self.unlike(got, want, exact)
        if found:
            where = f"SWATHE_FUZZ_START={self.seed} SWATHE_FUZZ=1\n{what}: {found}\n\n"
            given = "\n".join(f"argument {i}: {show(a)}" for i, a in enumerate(args))
            raise Unlike(f"{where}{self.source}\n{given}")

    def unlike(self, got: tuple, want: tuple, exact: bool, lasts: bool = True) -> str | None:
        if got[1] or want[1]:
            if got[1] != want[1]:
                return f"{want[1] or 'a result'} expected, got {got[1] or 'a result'}"
            return None
        rough = Options(ulp=1e7, scale=1e3, zeros=False)
        near = Options(ulp=8, scale=1)
        for i, (w, g) in enumerate(zip(want[0], got[0], strict=True)):
            name = (*self.program.results, "n")[i]
            o = rough if name in self.program.close and not exact else EXACT
            if name in self.program.summed:
                o = rough
            if name in self.program.unordered and not exact:
                continue
            if name in self.program.ordered and not lasts:
                continue
            found = differ(w, g, o, name)
            if found:
                return found
        for name, w, g in zip(
            ("i0", "f0", "n", "m", *self.program.arrays), want[2], got[2], strict=True
        ):
            o = rough if name == "k" and not exact else near if name == "w" else EXACT
            found = differ(w, g, o, f"argument {name} afterwards")
            if found:
                return found
        return None

    def races(self) -> bool:
        """Does another order of the iterations give another result?"""

        def shuffled(*bounds: int) -> list:
            order = list(range(*bounds))
            random.Random(len(order)).shuffle(order)
            return order[::-1]

        before = self.f.__globals__["prange"]
        self.f.__globals__["prange"] = shuffled
        try:
            got = [self.run(self.f, a) for a in self.arguments]
        finally:
            self.f.__globals__["prange"] = before
        pairs = zip(got, self.wanted, strict=True)
        return any(self.unlike(g, w, False, False) for g, w in pairs if not w[1] and not g[1])

    # ---- what is checked ---------------------------------------------------------------

    def check_serial(self, **options: object) -> None:
        f = swathe.njit(**options)(self.f)
        for a, want in zip(self.arguments, self.wanted, strict=True):
            if options and want[1] and want[1][0] is IndexError:
                continue
            self.same(f"serial {options}", self.run(f, a), want, True, a)

    def check_parallel(self, what: str, **options: object) -> str:
        f = swathe.njit(parallel=True, **options)(self.f)
        for a, want in zip(self.arguments, self.wanted, strict=True):
            first = None
            for n in parallel.THREADS:
                with parallel.threads(n):
                    got = self.run(f, a)
                if got[1] and got[1][0] is RaceError:
                    self.why = got[1][1]
                    return "refused"
                if any(x in str(f.explain()) for x in UNPROVEN) and self.doubtful:
                    return "promised"
                self.same(f"{what}, {n} threads", got, want, False, a)
                if first:
                    self.same(f"{what}, {n} threads against 1", got, first, True, a)
                first = first or got
        text = str(f.explain())
        return "promised" if any(x in text for x in UNPROVEN) else "proven"

    def check_debug(self) -> bool:
        """Yields whether it raised RaceError."""
        f = swathe.njit(parallel=True, debug=True)(self.f)
        raced = False
        for a, want in zip(self.arguments, self.wanted, strict=True):
            with environment(SWATHE_SKIP="nan"):  # NaNs are as they come
                got = self.run(f, a)
            if got[1] and got[1][0] is RaceError:
                raced = True
                self.why = got[1][1]
            else:
                self.same("debug", got, want, False, a)
        return raced

    def check_callers(self) -> None:
        """Several threads of Python call it at once."""
        f = swathe.njit(parallel=True)(self.f)
        a, want = self.arguments[-1], self.wanted[-1]
        got = [None] * 4

        def call(i: int) -> None:
            got[i] = self.run(f, a)

        callers = [threading.Thread(target=call, args=(i,)) for i in range(len(got))]
        for t in callers:
            t.start()
        for t in callers:
            t.join()
        for g in got:
            self.same("callers at once", g, want, False, a)

    @property
    def aliased(self) -> bool:
        return any(
            np.may_share_memory(x, y)
            for args in self.arguments
            for i, x in enumerate(args[4:])
            for y in args[4:][:i]
        )

    def check(self) -> str:
        """Compare in all ways, or in some of them by turns where many seeds are not asked for."""
        self.doubtful = self.program.wild or self.aliased
        lanes = (2, 4, 8, 16)[self.seed % 4]
        turn = self.seed // 4 % 3
        self.check_serial()
        if EVERY or turn == 0:
            self.check_serial(boundscheck=False)
        if EVERY or turn == 1:
            with environment(SWATHE_LANES=lanes):
                self.check_serial()
        if EVERY or turn == 2:
            self.check_parallel("parallel")
        with environment(SWATHE_GRAIN=1):
            verdict = self.check_parallel("small chunks")
        if EVERY or turn == 1:
            with environment(SWATHE_GRAIN=1, SWATHE_LANES=lanes):
                self.check_parallel(f"small chunks, {lanes} lanes")
        raced = self.check_debug()
        if not self.doubtful and (raced or verdict == "refused"):
            raise Unlike(f"refused: seed {self.seed}\n{self.why}\n{self.source}")
        if self.program.wild and not raced and self.races():
            raise Unlike(f"race not seen, {verdict}: seed {self.seed}\n{self.source}")
        if verdict != "refused" and not self.doubtful and self.seed % 4 == 0:
            self.check_callers()
        return f"{verdict}{' raced' if raced else ''}{' doubtful' if self.doubtful else ''}"


@pytest.mark.parametrize("seed", range(START, START + COUNT))
def test_random_nests(seed: int) -> None:
    with environment(SWATHE_CHECK=1, SWATHE_CACHE_SIZE=0):
        try:
            Case(seed).check()
        except Unlike as e:
            pytest.fail(str(e), pytrace=False)
