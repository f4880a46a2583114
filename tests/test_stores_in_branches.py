# SPDX-License-Identifier: BSD-3-Clause
"""Stores with checks in branches, in loops short and long: results, what was stored before an
error, and the error are CPython's; what other iterations and threads own stays as it is."""

import threading

import numpy as np
import pytest

from swathe import njit, prange

LENGTHS = [0, 1, 63, 64, 65, 1023, 1024, 1025, 2500]


def plain(a, o, p):
    for i in range(len(a)):
        if a[i] > 0.5:
            o[i] = a[i] * 255.0


def as_int(a, o, p):
    for i in range(len(a)):
        if a[i] > 0.5:
            o[i] = int(a[i] * 200.0)


def either(a, o, p):
    for i in range(len(a)):
        if a[i] > 0.5:
            o[i] = a[i] * 100
        else:
            p[i] = a[i] * 50


def nested(a, o, p):
    for i in range(len(a)):
        if a[i] > 0.2:
            x = a[i] * 100
            if x > 50:
                o[i] = x
            else:
                p[i] = x
                if x < 30:
                    o[i] = -x


def twice(a, o, p):
    for i in range(len(a)):
        o[i] = 7
        if a[i] > 0.5:
            o[i] = a[i] * 100


def own(a, o, p):
    for i in range(len(a)):
        if o[i] % 2 == 0:
            o[i] = o[i] * a[i]


def shifted(a, o, p):
    for i in range(1, len(a)):
        if a[i] > 0.5:
            o[i - 1] = a[i] * 100 + o[i]


def guarded(a, o, p):
    """The place is in range where the branch is taken, and nowhere else."""
    for i in range(len(a) + 100):
        if i < len(o):
            o[i] = a[i] * 3


def kept(a, o, p):
    """What a branch has set is used in later iterations."""
    last = 0.0
    for i in range(len(a)):
        if a[i] > 0.5:
            last = a[i] * 100
            o[i] = last
        p[i] = last


def counted(a, o, p):
    n = 0
    for i in range(len(a)):
        if a[i] > 0.5:
            o[i] = a[i] * 100
            n += 1
    return n


def down(a, o, p):
    for i in range(len(a)):
        if a[i] > 0.5:
            o[len(o) - 1 - i] = a[i] * 100


FUNCTIONS = [
    plain, as_int, either, nested, twice, own, shifted, guarded, kept, counted, down,
]  # fmt: skip


def outcome(f, a, o, p):
    try:
        with np.errstate(all="ignore"):
            result = f(a, o, p)
    except (ValueError, OverflowError) as e:
        said = str(e).split("\n")[0]
        # ints have 64 bits here, so that int() itself fails where CPython's store does
        beyond = "does not fit in int64" in said or "too large to convert" in said
        return o.tolist(), p.tolist(), type(e), "too large" if beyond else said
    return o.tolist(), p.tolist(), result, ""


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int16, np.uint8])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_errors(f, dtype):
    rng = np.random.default_rng(1)
    fast = njit(f)
    for n in LENGTHS:
        a = rng.random(n)
        bad = [(None, 0.0)]
        if n:
            places = {0, n // 2, n - 1, min(n - 1, 1024)}
            bad += [(k, x) for k in places for x in (np.nan, np.inf, 1e30)]
        for place, value in bad:
            b = a.copy()
            if place is not None:
                b[place] = value
            o = np.arange(n).astype(dtype) % 100
            args = [(b.copy(), o.copy(), o.copy() + dtype(1)) for _ in range(2)]
            assert outcome(fast, *args[0]) == outcome(f, *args[1]), (n, place, value)


def test_arrays_that_share_memory():
    fast = njit(either)
    for n in (70, 1500):
        for bad in (None, n - 2):
            a = np.random.default_rng(2).random(n)
            if bad:
                a[bad] = np.nan
            whole = [np.arange(n + 1, dtype=np.int32) for _ in range(2)]
            got = outcome(fast, a, whole[0][1:], whole[0][:-1])
            assert got == outcome(either, a, whole[1][1:], whole[1][:-1])
            assert whole[0].tolist() == whole[1].tolist()


def spread(a, o):
    for i in prange(len(a)):
        if a[i] > 0.5:
            o[i] = a[i] * 100.0


def test_iterations_on_workers():
    for n in (100, 5000, 300_000):
        a = np.random.default_rng(3).random(n)
        got, want = np.zeros(n, np.int32), np.zeros(n, np.int32)
        njit(parallel=True)(spread)(a, got)
        spread(a, want)
        assert np.array_equal(got, want)


def masked(mask, a, o, rounds):
    for _ in range(rounds):
        for i in range(len(a)):
            if mask[i]:
                o[i] = int(a[i])


def test_what_another_thread_stores_between():
    """One thread fails now and then and puts back what it has stored; the other goes on."""
    f = njit(nogil=True)(masked)
    n = 4096
    even = np.arange(n) % 2 == 0
    a, bad = np.full(n, 3.0), np.full(n, 5.0)
    bad[n - 2] = np.nan
    o = np.zeros(n, np.int32)
    f(even, a, o, 1)
    stop = threading.Event()

    def fail():
        while not stop.is_set():
            with pytest.raises(ValueError, match="NaN"):
                f(even, bad, o, 1)

    t = threading.Thread(target=fail)
    t.start()
    lost = 0
    for k in range(300):
        f(~even, np.full(n, float(k)), o, 1)
        lost += int((o[1::2] != k).sum())
    stop.set()
    t.join()
    assert lost == 0
