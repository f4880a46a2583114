"""What NumPy's functions and forms of arrays cost, beside NumPy itself, the worst first.

    python bench/arrays.py [--only WORDS] [--size 1000000] [--threads N] [--seconds 0.2]

Both take turns on the same arguments; with one thread what counts is the processor's time of the
calling thread, which other processes disturb least. Ratios are of minima, `~` of medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import asked

THREADS = asked.threads("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")

import numpy as np  # noqa: E402

import swathe  # noqa: E402

Row = tuple[str, Callable[..., Any], tuple[Any, ...]]
rng = np.random.default_rng(1)


def places(n: int) -> Iterator[Row]:
    """What finds, counts and picks elements."""
    a, ints = rng.random(n), rng.integers(0, 1000, n)
    for share in (0.01, 0.5, 0.99):
        m = a < share
        yield f"nonzero bool {share}", lambda m: np.nonzero(m), (m,)
        yield f"flatnonzero {share}", lambda m: np.flatnonzero(m), (m,)
        yield f"argwhere {share}", lambda m: np.argwhere(m), (m,)
        yield f"a[m] {share}", lambda a, m: a[m], (a, m)
        yield f"a[m].sum() {share}", lambda a, m: a[m].sum(), (a, m)
        yield f"a[m] = 1 {share}", _store_mask, (a.copy(), m)
        yield f"a[m] = b {share}", _store_masked, (a.copy(), m, a[m])
        yield f"count_nonzero {share}", lambda m: np.count_nonzero(m), (m,)
        yield f"where(m) {share}", lambda m: np.where(m), (m,)
        yield f"compress {share}", lambda a, m: np.compress(m, a), (a, m)
    m = a < 0.5
    yield "nonzero int64", lambda x: np.nonzero(x), ((ints % 2),)
    yield "nonzero float64", lambda x: np.nonzero(x), (np.where(m, a, 0.0),)
    yield "nonzero a > c", lambda a: np.nonzero(a > 0.5), (a,)
    yield "a[a > c]", lambda a: a[a > 0.5], (a,)
    yield "nonzero 2-D", lambda m: np.nonzero(m), (m[: n // 1000 * 1000].reshape(-1, 1000),)
    yield "argwhere 2-D", lambda m: np.argwhere(m), (m[: n // 1000 * 1000].reshape(-1, 1000),)
    i, j = rng.integers(0, n, n), rng.integers(0, 1000, n)
    yield "a[i]", lambda a, i: a[i], (a, i)
    yield "a[i] near", lambda a, i: a[i], (a, np.sort(i))
    yield "take", lambda a, i: np.take(a, i), (a, i)
    yield "a[i] = v", _store_places, (a.copy(), np.sort(i), a)
    yield "a[i] += v", _add_places, (a.copy(), np.sort(i), a)
    yield "add.at", _add_at, (np.zeros(1000), j, a)
    rows = a[: n // 100 * 100].reshape(-1, 100)
    r = rng.integers(0, len(rows), len(rows))
    yield "a[rows]", lambda a, r: a[r], (rows, r)
    yield "a[:, cols]", lambda a, r: a[:, r], (rows, rng.integers(0, 100, 50))
    yield "a[rows, cols]", lambda a, r, c: a[r, c], (rows, r, r % 100)
    yield "take_along_axis", lambda a, r: np.take_along_axis(a, r, 1), (rows, np.argsort(rows, 1))
    yield "where 3", lambda m, a: np.where(m, a, 0.0), (m, a)
    yield "where 3 arrays", lambda m, a, b: np.where(m, a, b), (m, a, a[::-1])
    yield "select", lambda a: np.select([a < 0.2, a < 0.7], [a, -a], 0.0), (a,)
    yield "clip", lambda a: np.clip(a, 0.2, 0.7), (a,)
    yield "any late", lambda m: np.any(m), (np.arange(n) == n - 1,)
    yield "any early", lambda m: np.any(m), (m,)
    yield "all late", lambda m: np.all(m), (np.arange(n) < n - 1,)
    yield "any(a > c) late", lambda a: np.any(a > 2.0), (a,)
    yield "any(a > c) early", lambda a: np.any(a > 0.5), (a,)
    yield "argmax bool", lambda m: np.argmax(m), (np.arange(n) == n - 1,)


def _store_mask(a: Any, m: Any) -> None:
    a[m] = 1.0


def _store_masked(a: Any, m: Any, b: Any) -> None:
    a[m] = b


def _store_places(a: Any, i: Any, v: Any) -> None:
    a[i] = v


def _add_places(a: Any, i: Any, v: Any) -> None:
    a[i] += v


def _add_at(a: Any, i: Any, v: Any) -> None:
    np.add.at(a, i, v)


def counts(n: int) -> Iterator[Row]:
    """Sets, bins, and what is in order."""
    a, few, many = rng.random(n), rng.integers(0, 1000, n), rng.integers(0, n, n)
    yield "unique few", lambda x: np.unique(x), (few,)
    yield "unique many", lambda x: np.unique(x), (many,)
    yield "unique float", lambda x: np.unique(x), (a,)
    yield "unique counts", lambda x: np.unique(x, return_counts=True), (few,)
    yield "unique index", lambda x: np.unique(x, return_index=True), (few,)
    yield "unique inverse", lambda x: np.unique(x, return_inverse=True), (few,)
    yield "histogram", lambda a: np.histogram(a, 50), (a,)
    yield "histogram range", lambda a: np.histogram(a, 50, (0.0, 1.0)), (a,)
    yield "histogram edges", lambda a, e: np.histogram(a, e), (a, np.linspace(0, 1, 51) ** 2)
    yield "histogram int", lambda a: np.histogram(a, 50), (few,)
    yield "bincount", lambda i: np.bincount(i), (few,)
    yield "bincount weights", lambda i, w: np.bincount(i, w), (few, a)
    edges = np.sort(rng.random(100))
    yield "digitize", lambda a, e: np.digitize(a, e), (a, edges)
    yield "searchsorted 100", lambda a, e: np.searchsorted(e, a), (a, edges)
    yield "searchsorted n", lambda a, e: np.searchsorted(e, a), (a[: n // 10], np.sort(a))
    yield "searchsorted sorted", lambda a, e: np.searchsorted(e, a), (np.sort(a), np.sort(a))
    yield "isin", lambda a, b: np.isin(a, b), (few, np.arange(0, 1000, 7))
    yield "isin many", lambda a, b: np.isin(a, b), (many, many[::7])
    yield "isin float", lambda a, b: np.isin(a, b), (a, a[::7])
    yield "intersect1d", lambda a, b: np.intersect1d(a, b), (many, many[::3])
    yield "union1d", lambda a, b: np.union1d(a, b), (many, many[::3])
    yield "setdiff1d", lambda a, b: np.setdiff1d(a, b), (many, many[::3])
    yield "median", lambda a: np.median(a), (a,)
    yield "percentile", lambda a: np.percentile(a, 95), (a,)
    yield "quantile 3", lambda a: np.quantile(a, [0.25, 0.5, 0.75]), (a,)
    yield "median axis 1", lambda a: np.median(a, axis=1), (a[: n // 100 * 100].reshape(-1, 100),)
    yield "median axis 0", lambda a: np.median(a, axis=0), (a[: n // 100 * 100].reshape(-1, 100),)
    for dtype in ("float64", "float32", "int64", "int32"):
        x = (a * 1e6).astype(dtype)
        yield f"sort {dtype}", lambda x: np.sort(x), (x,)
        yield f"argsort {dtype}", lambda x: np.argsort(x), (x,)
        yield f"partition {dtype}", lambda x: np.partition(x, x.size // 3), (x,)
        yield f"argpartition {dtype}", lambda x: np.argpartition(x, x.size // 3), (x,)


def reductions(n: int) -> Iterator[Row]:
    """Reductions and scans along each axis of arrays in C and F order."""
    m = int(n**0.5)
    k = round(n ** (1 / 3))
    a2, a3 = rng.random((m, m)), rng.random((k, k, k))
    ops: dict[str, Callable[[int], Callable[..., Any]]] = {
        "sum": lambda x: lambda a: np.sum(a, axis=x),
        "mean": lambda x: lambda a: np.mean(a, axis=x),
        "var": lambda x: lambda a: np.var(a, axis=x),
        "min": lambda x: lambda a: np.min(a, axis=x),
        "argmin": lambda x: lambda a: np.argmin(a, axis=x),
        "cumsum": lambda x: lambda a: np.cumsum(a, axis=x),
        "cumprod": lambda x: lambda a: np.cumprod(a, axis=x),
        "diff": lambda x: lambda a: np.diff(a, axis=x),
        "any": lambda x: lambda a: np.any(a > 2.0, axis=x),
        "prod": lambda x: lambda a: np.prod(a, axis=x),
    }
    for name, make in ops.items():
        for order in "CF":
            for a in (a2, a3):
                for axis in range(a.ndim):
                    given = (np.array(a, order=order),)
                    yield f"{name} {a.ndim}-D {order} axis {axis}", make(axis), given
    a, f = a2.ravel(), a2.ravel().astype(np.float32)
    i, b = (a * 1000).astype(np.int64), (a * 255).astype(np.uint8)
    for kind, x in {"f64": a, "f32": f, "i64": i, "i32": i.astype(np.int32), "u8": b}.items():
        yield f"sum {kind}", lambda a: a.sum(), (x,)
        yield f"mean {kind}", lambda a: a.mean(), (x,)
        yield f"std {kind}", lambda a: a.std(), (x,)
        yield f"max {kind}", lambda a: a.max(), (x,)
        yield f"argmax {kind}", lambda a: a.argmax(), (x,)
        yield f"cumsum {kind}", lambda a: a.cumsum(), (x,)
        yield f"ptp {kind}", lambda a: np.ptp(a), (x,)
        yield f"nansum {kind}", lambda a: np.nansum(a), (x,)
        yield f"sum strided {kind}", lambda a: a.sum(), (x[::2],)
    yield "sum axis (0, 1)", lambda a: a.sum(axis=(0, 1)), (a3,)
    yield "sum axis (0, 2)", lambda a: a.sum(axis=(0, 2)), (a3,)
    yield "norm", lambda a: np.linalg.norm(a), (a,)
    yield "norm axis", lambda a: np.linalg.norm(a, axis=1), (a2,)
    yield "cov", lambda a: np.cov(a), (a2[:20],)
    yield "average", lambda a, w: np.average(a, weights=w), (a, f)


def moves(n: int) -> Iterator[Row]:
    """What copies and moves elements, and what mixes dtypes."""
    m = int(n**0.5)
    a, a2 = rng.random(n), rng.random((m, m))
    f, i, b = a.astype(np.float32), (a * 99).astype(np.int32), (a * 255).astype(np.uint8)
    yield "roll", lambda a: np.roll(a, 7), (a,)
    yield "roll axis 1", lambda a: np.roll(a, 7, 1), (a2,)
    yield "roll axis 0", lambda a: np.roll(a, 7, 0), (a2,)
    yield "concatenate", lambda a, b: np.concatenate((a, b)), (a, a)
    yield "concatenate 1", lambda a, b: np.concatenate((a, b), 1), (a2, a2)
    yield "stack", lambda a, b: np.stack((a, b)), (a, a)
    yield "stack last", lambda a, b, c: np.stack((a, b, c), -1), (a, a, a)
    yield "vstack", lambda a, b: np.vstack((a, b)), (a2, a2)
    yield "tile", lambda a: np.tile(a, 3), (a,)
    yield "tile 2-D", lambda a: np.tile(a, (2, 3)), (a2,)
    yield "repeat", lambda a: np.repeat(a, 3), (a,)
    yield "repeat axis 0", lambda a: np.repeat(a, 3, 0), (a2,)
    yield "repeat axis 1", lambda a: np.repeat(a, 3, 1), (a2,)
    yield "flip", lambda a: np.flip(a).copy(), (a,)
    yield "flip 2-D", lambda a: a[:, ::-1].copy(), (a2,)
    yield "a.T copy", lambda a: a.T.copy(), (a2,)
    yield "ascontiguous T", lambda a: np.ascontiguousarray(a.T), (a2,)
    yield "a + a.T", lambda a: a + a.T, (a2,)
    yield "pad", lambda a: np.pad(a, 1), (a2,)
    yield "pad edge", lambda a: np.pad(a, 1, mode="edge"), (a2,)
    yield "copy", lambda a: a.copy(), (a,)
    yield "zeros", lambda a: np.zeros(a.size), (a,)
    yield "ones", lambda a: np.ones(a.size), (a,)
    yield "arange", lambda a: np.arange(a.size), (a,)
    yield "arange float", lambda a: np.arange(0.0, a.size), (a,)
    yield "linspace", lambda a: np.linspace(0.0, 1.0, a.size), (a,)
    yield "meshgrid", lambda a: np.meshgrid(a, a), (a[:m],)
    yield "outer", lambda a: np.outer(a, a), (a[:m],)
    yield "kron", lambda a, b: np.kron(a, b), (a2[: m // 8, :64], a2[:8, :8])
    yield "triu", lambda a: np.triu(a), (a2,)
    yield "i32 * f64", lambda i, a: i * a, (i, a)
    yield "u8 to f32", lambda b: b.astype(np.float32), (b,)
    yield "f32 to u8", lambda f: f.astype(np.uint8), (f,)
    yield "f64 to i32", lambda a: a.astype(np.int32), (a,)
    yield "u8 image", lambda b: np.clip(b * np.float32(1.2) + 3, 0, 255).astype(np.uint8), (b,)
    yield "u8 + u8", lambda b: b + b, (b,)
    yield "u8 // 3", lambda b: b // 3, (b,)
    yield "i32 // 7", lambda i: i // 7, (i,)
    yield "i32 % 7", lambda i: i % 7, (i,)
    yield "i64 // b", lambda i, b: i // b, (i.astype(np.int64), i.astype(np.int64) + 1)
    yield "f64 % 1", lambda a: a % 1.0, (a * 50,)
    yield "f64 // b", lambda a, b: a // b, (a * 50, a + 1)
    yield "a ** 2", lambda a: a**2, (a,)
    yield "a ** 0.5", lambda a: a**0.5, (a,)
    yield "i ** 3", lambda i: i**3, (i,)
    yield "round", lambda a: np.round(a, 2), (a * 9,)
    yield "gradient", lambda a: np.gradient(a), (a,)
    yield "interp", lambda a, x, y: np.interp(a, x, y), (a, np.sort(a[:100]), a[:100])
    yield "convolve 5", lambda a, k: np.convolve(a, k), (a, a[:5])
    yield "convolve 64", lambda a, k: np.convolve(a, k, "same"), (a[: n // 8], a[:64])
    yield "correlate 9", lambda a, k: np.correlate(a, k), (a, a[:9])
    yield "convolve f32", lambda a, k: np.convolve(a, k), (f, f[:9])
    yield "convolve int", lambda a, k: np.convolve(a, k), (i, i[:9])
    for name in ("exp", "log", "sin", "tan", "arctan", "tanh", "sqrt", "log1p", "cbrt", "arcsin"):
        for x in (a, f):
            yield f"{name} {x.dtype}", _ufunc(name), (x,)
    yield "pow", lambda a, b: a**b, (a, a[::-1])
    yield "arctan2", lambda a, b: np.arctan2(a, b), (a, a[::-1])
    yield "hypot", lambda a, b: np.hypot(a, b), (a, a[::-1])
    z = a[: n // 2] + 1j * a[n // 2 : n // 2 * 2]
    yield "complex *", lambda z: z * z, (z,)
    yield "complex /", lambda z: z / (z + 1), (z,)
    yield "complex abs", lambda z: np.abs(z), (z,)
    yield "complex exp", lambda z: np.exp(z), (z,)


def _ufunc(name: str) -> Callable[..., Any]:
    found: dict[str, Any] = {"np": np}
    exec(f"def call(x):\n    return np.{name}(x)\n", found)
    swathe_source(found["call"], f"def call(x):\n    return np.{name}(x)\n")
    return found["call"]


def swathe_source(function: Any, text: str) -> None:
    """Let the compiler find the source of a function that was made of a text."""
    import linecache

    name = f"<{function.__name__} {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    function.__code__ = function.__code__.replace(co_filename=name)


def products(n: int) -> Iterator[Row]:
    """Products of matrices of odd shapes, and sums over labels."""
    m = int((n / 10) ** 0.5)
    a, b, x = rng.random((m, m)), rng.random((m, m)), rng.random(m)
    yield "A @ B", lambda a, b: a @ b, (a, b)
    yield "A @ x", lambda a, x: a @ x, (a, x)
    yield "A.T @ x", lambda a, x: a.T @ x, (a, x)
    yield "A.T @ A", lambda a: a.T @ a, (a,)
    yield "tall.T @ tall", lambda a: a.T @ a, (rng.random((n // 10, 8)),)
    yield "tall @ small", lambda a, b: a @ b, (rng.random((n // 10, 8)), rng.random((8, 5)))
    yield "wide @ tall", lambda a, b: a @ b, (rng.random((4, n // 10)), rng.random((n // 10, 4)))
    yield "batch 3", lambda a, b: a @ b, (rng.random((n // 9, 3, 3)), rng.random((n // 9, 3, 3)))
    yield "batch 32", lambda a, b: a @ b, (rng.random((99, 32, 32)), rng.random((99, 32, 32)))
    yield (
        "int @ int",
        lambda a, b: a @ b,
        ((a * 9).astype(int)[:99, :99], (b * 9).astype(int)[:99, :99]),
    )
    yield "f32 A @ B", lambda a, b: a @ b, (a.astype("f"), b.astype("f"))
    yield "dot", lambda a, b: np.dot(a, b), (a.ravel(), b.ravel())
    yield "vdot", lambda a, b: np.vdot(a, b), (a.ravel(), b.ravel())
    yield "inner", lambda a, b: np.inner(a, b), (a, b)
    yield "tensordot", lambda a, b: np.tensordot(a, b, 1), (a, b)
    yield "einsum ij,jk", lambda a, b: np.einsum("ij,jk->ik", a, b), (a, b)
    yield "einsum ij,ij", lambda a, b: np.einsum("ij,ij->", a, b), (a, b)
    yield "einsum ij,ij->i", lambda a, b: np.einsum("ij,ij->i", a, b), (a, b)
    yield "einsum ii", lambda a: np.einsum("ii->", a), (a,)
    yield "einsum i,j", lambda a: np.einsum("i,j->ij", a, a), (x,)
    yield "trace", lambda a: np.trace(a), (a,)
    yield "cross", lambda a, b: np.cross(a, b), (rng.random((n // 9, 3)), rng.random((n // 9, 3)))
    yield "solve 4", lambda a, b: np.linalg.solve(a, b), (rng.random((4, 4)), rng.random(4))
    yield "fft", lambda a: np.fft.fft(a), (rng.random(4096),)
    yield "rfft", lambda a: np.fft.rfft(a), (rng.random(4096),)
    yield "fft2", lambda a: np.fft.fft2(a), (rng.random((128, 128)),)


SETS = {"places": places, "counts": counts, "reductions": reductions, "moves": moves}
SETS["products"] = products


def turns(calls: list[Callable[[], Any]], seconds: float) -> list[list[float]]:
    """Microseconds of calls that take turns."""
    clock = time.thread_time if THREADS == 1 else time.perf_counter
    times: list[list[float]] = [[] for _ in calls]
    repeat = []
    for call in calls:
        call()
        start = clock()
        call()
        repeat.append(max(1, int(2e-4 / (clock() - start + 1e-7))))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 3:
        for call, many, into in zip(calls, repeat, times, strict=True):
            start = clock()
            for _ in range(many):
                call()
            into.append((clock() - start) / many * 1e6)
    return times


def main() -> None:
    """Print a line for each call, the worst first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--sets", default="")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2)
    args = parser.parse_args()
    jit = swathe.njit(parallel=THREADS > 1)
    if THREADS > 1:
        swathe.set_num_threads(THREADS)
    found = []
    for name, rows in SETS.items():
        if args.sets and name not in args.sets.split(","):
            continue
        for text, f, given in rows(args.size):
            if args.only not in text:
                continue
            ours = jit(f)
            try:
                ours(*given)
            except Exception as error:
                print(f"{text:28} {type(error).__name__}: {str(error)[:200]}", flush=True)
                continue
            got = turns([lambda: ours(*given), lambda: f(*given)], args.seconds)  # noqa: B023
            least = [min(t) for t in got]
            middle = [statistics.median(t) for t in got]
            line = f"{text:28} {least[0]:12.2f} {least[1]:12.2f} {least[0] / least[1]:6.2f}"
            found.append((least[0] / least[1], f"{line} {middle[0] / middle[1]:6.2f}"))
    print(f"{'':28} {'swathe':>12} {'NumPy':>12}  ratio      ~   us")
    for _, line in sorted(found, reverse=True):
        print(line)


if __name__ == "__main__":
    main()
