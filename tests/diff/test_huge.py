# SPDX-License-Identifier: BSD-3-Clause
"""Indices, sizes, steps and counts at the limits of int64 and uint64: an exception where NumPy
raises one, never memory that isn't the array's. The texts of sizes are not compared."""

from itertools import product

import numpy as np
import pytest
from corners import program
from harness import Options, compiled, copy_args, define, differ, error_class, run

from swathe import gpu

TOP = 2**63
UNSIGNED = [np.uint64(v) for v in (0, 1, 3, 4, 2**62, TOP - 1, TOP, TOP + 1, 2**64 - 4, 2**64 - 1)]
SIZES = (-TOP, -5, -1, 0, 1, 2, 4, 2**32, 2**32 + 1, 2**61, 2**62, TOP - 1)
LINE, PLANE = np.arange(4), np.arange(6.0).reshape(2, 3)


def same(f, *args):
    want, got = (run(g, copy_args(args), {}) for g in (f, compiled(f, "plain")))
    if want.error is not None or got.error is not None:
        if None in (want.error, got.error) or error_class(want.error) is not error_class(got.error):
            return (
                f"{args[2:]}: {want.error or want.value!r} expected, got {got.error or got.value!r}"
            )
        return None
    found = differ(want.value, got.value, Options())
    return found and f"{args[2:]}: {found}"


def reachable(*sizes):
    """No array that memory could hold, but would not like to."""
    size = 1
    for n in sizes:
        size *= abs(n)
    return size < 10**5 or size > 2**55


def all_same(f, operands):
    found = [d for d in (same(f, LINE, PLANE, *each) for each in operands) if d]
    if found:
        pytest.fail("\n".join(found[:6]), pytrace=False)


READS = (
    "a[u]|f[u]|f[u, 1]|f[1, u]|f[:, u]|f[u, u]|a[u:]|a[:u]|a[::-1][u:]|a[3:u]|a[u:1:-1]|a[:u:-1]"
    "|f[u:, :u]|(1, 2, 3)[u]|a[i - u]|a[u - np.uint64(1)]|a[u - 1]|a[u] + a[u]|a.item(u)"
    "|u in range(-9, 9), 2**64 - 4 in range(-9, 10**6), -10**30 in range(int(i))"
    "|u in range(10)|np.eye(2, 3, int(u) if u < 9 else 9)|round(1.5, u)|a.reshape(u, 2)"
    "|a.reshape((2, u))|a.reshape(u)|np.reshape(a, (u, 1))|a[a[u]]|a[-1:u]|a[1::u] if u else a[:1]"
)


@pytest.mark.parametrize("text", READS.split("|"))
def test_unsigned(text):
    all_same(program(text, "a, f, u, i"), [(u, np.uint64(0)) for u in UNSIGNED])


WRITES = (
    "a[u] = 7|f[u, 1] = 7|a[u] += 7|f[u] = 1.0|f[:, u] = 1.0|a[u:] = 3|a[:u] = 3|f[u, u] *= 2"
    "|a[i - u] = 5|f[u:, u:] = 1.0|a[u], a[0] = 1, 2"
)


@pytest.mark.parametrize("text", WRITES.split("|"))
def test_unsigned_stores(text):
    f = define(f"def f(a, f, u, i):\n    {text}\n    return a, f\n")
    all_same(f, [(u, np.uint64(0)) for u in UNSIGNED])


UNSIGNED_SIZES = (
    "np.zeros(u).size|np.zeros((2, u)).size|np.empty(u).size|np.full(u, 1).size|np.eye(u).size"
    "|np.ones((u, 2)).size|np.broadcast_to(a[:1], (u, 1)).shape|np.zeros((u, 2), np.int8).shape"
)


@pytest.mark.parametrize("text", UNSIGNED_SIZES.split("|"))
def test_unsigned_sizes(text):
    all_same(program(text, "a, f, u"), [(u,) for u in UNSIGNED if reachable(int(u))])


PRODUCTS = (
    "e.reshape(n, m)|a.reshape(n, m)|np.reshape(e, (n, m))|e.reshape((n, m, 2))"
    "|e.reshape((n, m, 0))|e.reshape((n, m, -1))|e.reshape((0, n, m))|a[::2].reshape(n, m)"
    "|a[::-1].reshape((m, n, 1))"
    "|np.zeros((n, m))|np.zeros((n, m, 0))|np.zeros((0, n, m))|np.empty((n, m, 2, 2))"
    "|np.ones((n, m))"
    "|np.full((n, m), 3)|np.eye(n, m)|np.broadcast_to(a, (n, m, 4))|np.broadcast_to(a, (n, 4))"
    "|np.broadcast_to(a, (m,))|np.broadcast_to(e, (n, m, 0))|np.zeros((n, m), np.complex128)"
)


@pytest.mark.parametrize("text", PRODUCTS.split("|"))
def test_products(text):
    text = text.replace("e.", "a[:0].").replace("(e,", "(a[:0],") + ".shape"
    pairs = [p for p in product(SIZES, SIZES) if reachable(*p)]
    all_same(program(text, "a, f, n, m"), pairs)


COUNTS = (
    "a[n:m]|a[n:m:3]|a[::n]|a[1::n]|a[n::m]|a[:n:m]|a[m::2**62]|a[m::-2**62]|a[m::2**63-1]"
    "|a[m::-2**63]|n in range(m)|n in range(m, 2**63-1, 3)|m in range(n, 2**63-1, 2**62)"
    "|m in range(n, -2**63, -2**62)|n in range(m, -2**63, -1)|(n, m) == (m, n)"
)


@pytest.mark.parametrize("text", COUNTS.split("|"))
def test_counts(text):
    all_same(program(text, "a, f, n, m"), product(SIZES, SIZES))


BOUNDS = (-TOP, -TOP + 1, -TOP // 2, -5, 0, 1, 5, TOP // 2, TOP - 4, TOP - 2, TOP - 1)
STEPS = ("1", "2", "-1", "-3", "2**31", "2**62", "-2**62", "2**63-1", "-2**63", "s")
LOOPS = {
    "for": "for i in range(lo, hi, STEP):\n",
    "enumerate": "for _, i in enumerate(range(lo, hi, STEP)):\n",
    "zip": "for i, _ in zip(range(lo, hi, STEP), range(12)):\n",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", LOOPS)
def test_ranges(kind, step):
    """The first numbers of a range, however far it goes."""
    loop = LOOPS[kind].replace("STEP", step)
    body = "        c += 1\n        last = i\n        if c > 10:\n            break\n"
    f = define(
        f"def f(a, b, lo, hi, s):\n    c = 0\n    last = 0\n    {loop}{body}    return c, last\n"
    )
    steps = (1, 2, -3, 2**62, -TOP, TOP - 1) if step == "s" else (1,)
    all_same(f, product(BOUNDS, BOUNDS, steps))


@pytest.mark.parametrize("step", STEPS)
def test_length_of_ranges(step):
    """The greatest int64 stands for all lengths from there up, which are an OverflowError."""
    steps = (1, 2, -3, 2**62, -TOP, TOP - 1) if step == "s" else (1,)
    every = product(BOUNDS, BOUNDS, steps)
    operands = [x for x in every if -((x[0] - x[1]) // eval(step, {"s": x[2]})) != TOP - 1]
    all_same(program(f"len(range(lo, hi, {step}))", "a, b, lo, hi, s"), operands)


KERNELS = {
    "read": "out[i] = a[index[i]]",
    "write": "a[index[i] - np.uint64(1)] = 7.0",
    "atomic": "gpu.atomic.add(a, index[i], 1.0)",
    "shared": "s = gpu.shared.array(8, np.float64)\n    s[i % 8] = 1.0\n"
    "    gpu.syncthreads()\n    out[i] = s[index[i]]",
}


@pytest.mark.parametrize("kind", KERNELS)
def test_unsigned_in_kernels(kind):
    """A thread's index is checked as that of a function is."""
    text = f"def f(a, index, out):\n    i = gpu.grid(1)\n    {KERNELS[kind]}\n"
    kernel = gpu.jit(define("from swathe import gpu\n\n\n" + text, "f"))
    for u in UNSIGNED:
        index = np.array([u])
        at = (int(u) - (kind == "write")) % 2**64
        a, out = np.arange(8.0), np.zeros(1)
        if at < 8:
            kernel[1, 1](a, index, out)
            continue
        with pytest.raises((IndexError, OverflowError)):
            kernel[1, 1](a, index, out)
        assert (a == np.arange(8.0)).all() and not out.any()
