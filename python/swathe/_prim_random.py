# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers of which each depends on the seed and its place. `swathe.prim` has their names."""

from __future__ import annotations

import numpy as np

from . import njit, prange


@njit(parallel=True)
def _philox(key, counter):
    """Two 64-bit words of Philox 4x32-10: J. Salmon et al., Parallel random numbers: as easy as
    1, 2, 3, SC (2011). All of it is in 64 bits, where lanes have the products of 32; the rounds are
    written out, so that numbers are made side by side in lanes."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x = (np.uint64(counter) & low, np.uint64(counter) >> half, np.uint64(0), np.uint64(0))
    k = (np.uint64(key) & low, np.uint64(key) >> half)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    x, k = _round(x, k)
    return x[0] | x[1] << half, x[2] | x[3] << half


@njit(parallel=True)
def _round(x, k):
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    p, q = np.uint64(0xD2511F53) * x[0], np.uint64(0xCD9E8D57) * x[2]
    x = ((q >> half) ^ x[1] ^ k[0], q & low, (p >> half) ^ x[3] ^ k[1], p & low)
    return x, ((k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low)


@njit(parallel=True)
def uniform(shape, seed=0):
    """Return random numbers from [0, 1), float64: element k is the same at any number of threads,
    and whatever the shape is. Philox 4x32-10 with the counter k // 2 and the key `seed`."""
    n = np.broadcast_to(0.0, shape).size
    return _uniforms(n, seed).reshape(-1)[:n].reshape(shape)


@njit(parallel=True)
def _uniforms(n, seed):
    """So many numbers, or one more, in pairs of one counter."""
    half = (n + 1) // 2
    out, key = np.empty((half, 2)), np.uint64(seed)
    for i in prange(half):
        a, b = _philox(key, np.int64(i).astype(np.uint64))
        out[i, 0] = (a >> np.uint64(11)) * 2.0**-53
        out[i, 1] = (b >> np.uint64(11)) * 2.0**-53
    return out


@njit(parallel=True)
def normal(shape, seed=0):
    """Return random numbers of the standard normal distribution, float64, from those of uniform()
    two by two. G. Box and M. Muller, A note on the generation of random normal deviates (1958)."""
    n = np.broadcast_to(0.0, shape).size
    pairs = _uniforms(n, seed)
    for i in prange(len(pairs)):
        r = np.sqrt(-2.0 * np.log(pairs[i, 0] + 2.0**-53))
        t = 2.0 * np.pi * pairs[i, 1]
        pairs[i, 0] = r * np.cos(t)
        pairs[i, 1] = r * np.sin(t)
    return pairs.reshape(-1)[:n].reshape(shape)
