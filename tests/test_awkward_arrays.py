# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are not aligned, or in the byte order of other machines, as arguments: copied, and
stored back behind the call, also behind an exception."""

import numpy as np
import pytest

import swathe


def swapped(x):
    return x.astype(x.dtype.newbyteorder("S"))


def unaligned(x):
    made = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    made[:] = x
    return made


MAKERS = (
    swapped,
    unaligned,
    lambda x: unaligned(swapped(x)),
    lambda x: swapped(np.stack([x, x], 1))[:, 0],
)


@swathe.njit
def moved(a, b):
    a[0] += b[1]
    if b[0] == 5:
        raise ValueError("five")
    return a.sum(), a * 2, a[1:]


@pytest.mark.parametrize("maker", range(len(MAKERS)))
@pytest.mark.parametrize("dtype", (np.float64, np.int32, np.complex64, np.uint8))
def test_is_copied_and_stored_back(maker, dtype):
    make, plain = MAKERS[maker], np.arange(1, 5).astype(dtype)
    a = make(plain)
    total, twice, rest = moved(a, make(np.array([3, 1], dtype)))
    plain[0] += 1
    assert np.array_equal(a, plain) and total == plain.sum()
    assert twice.dtype == dtype and np.array_equal(twice, plain * 2)
    assert np.array_equal(rest, plain[1:])
    with pytest.raises(ValueError, match="five"):
        moved(a, make(np.array([5, 1], dtype)))
    assert a[0] == plain[0] + 1


def test_what_shares_memory_or_may_not_change():
    a = swapped(np.arange(4.0))
    for args in ((a, a), (a[1:], a[:2]), (a, a.view(np.float64))):
        with pytest.raises(ValueError, match="shares memory with another"):
            moved(*args)
    with pytest.raises(ValueError, match="in a tuple"):
        swathe.njit(lambda t: t[0].sum())((a,))
    a.flags.writeable = False
    assert swathe.njit(lambda x: x.sum())(a) == 6
    with pytest.raises(swathe.CompileError, match="read-only"):
        moved(a, swapped(np.ones(2)))
    days = np.array(["2020-01-01", "2021-01-01"], ">M8[D]")
    assert swathe.njit(lambda d: d[1] - d[0])(days) == np.timedelta64(366, "D")


def test_parallel_loops_store_to_them():
    @swathe.njit(parallel=True)
    def doubled(a, out):
        for i in swathe.prange(a.size):
            out[i] = a[i] * 2

    a, out = swapped(np.arange(1000.0)), swapped(np.zeros(1000))
    doubled(a, out)
    assert np.array_equal(out, a * 2) and out.dtype == a.dtype
