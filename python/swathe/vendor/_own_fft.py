# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms by our own kernels, on any device: of complex numbers, along the last axis.

Lengths with factors up to 7 go through Stockham's passes, which need no reordering at the end: each
thread makes the outputs of one butterfly of radix 4, 2, 3, 5 or 7. Other lengths are a convolution
with a chirp, of a length that is a power of 2. L. Bluestein, A linear filtering approach to the
computation of discrete Fourier transform, IEEE Trans. Audio Electroacoustics 18 (1970) 451.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .. import gpu
from .._device_array import DeviceArray

THREADS = 128
KEPT = 16  # tables of a queue


@gpu.jit
def _stage(x, y, w, radix, m, s, inverse):
    """Row b's outputs p * radix + k of the step s, from its inputs p + t * m."""
    i = gpu.grid(1)
    each, n = m * s, w.size
    if i < x.shape[0] * each:
        b, rest = i // each, i % each
        p, q = rest // s, rest % s
        for k in range(radix):
            total = x.dtype.type(0)
            for t in range(radix):
                u = w[(p * k * s + t * k * (n // radix)) % n]
                if inverse:
                    u = np.conj(u)
                total += x[b, q + s * (p + m * t)] * u
            y[b, q + s * (radix * p + k)] = total


@gpu.jit
def _chirp_in(x, c, a, inverse):
    i = gpu.grid(1)
    if i < a.size:
        b, k = i // a.shape[1], i % a.shape[1]
        if k < x.shape[1]:
            a[b, k] = x[b, k] * (np.conj(c[k]) if inverse else c[k])
        else:
            a[b, k] = 0


@gpu.jit
def _chirp_times(a, f, inverse):
    i = gpu.grid(1)
    if i < a.size:
        k = i % a.shape[1]
        a[i // a.shape[1], k] *= np.conj(f[k]) if inverse else f[k]


@gpu.jit
def _chirp_out(a, c, y, inverse, factor):
    i = gpu.grid(1)
    if i < y.size:
        b, k = i // y.shape[1], i % y.shape[1]
        y[b, k] = a[b, k] * (np.conj(c[k]) if inverse else c[k]) * factor


@gpu.jit
def extend(half, full):
    """The whole spectrum of real numbers, of whose rows one half is given."""
    i = gpu.grid(1)
    if i < full.size:
        n = full.shape[1]
        b, k = i // n, i % n
        if k <= n // 2:
            full[b, k] = half[b, k]
        else:
            full[b, k] = np.conj(half[b, n - k])


def blocks(n: int) -> int:
    """How many blocks have a thread for each of n."""
    return max(1, -(-n // THREADS))


@lru_cache(maxsize=64)
def factors(n: int) -> tuple[int, ...] | None:
    """The radices of a length; None: it has a factor above 7."""
    found = []
    for r in (4, 2, 3, 5, 7):
        while n % r == 0:
            found.append(r)
            n //= r
    return tuple(found) if n == 1 else None


def _table(queue: Any, key: Any, make: Any) -> Any:
    """Arrays of a queue's, made at first use. The queue has their memory only: an array has the
    queue, which would keep itself alive."""
    tables = queue.__dict__.setdefault("_fft_tables", {})
    parts = tables.pop(key, None)
    if parts is None:
        made = map(queue.to_device, make())
        parts = [(a._proto, a._memory, a._offset, a.space, a._uses) for a in made]
        while len(tables) >= KEPT:
            tables.pop(next(iter(tables)), None)
    tables[key] = parts  # the last that was used is the last in order
    return [DeviceArray(queue, *part) for part in parts]


def _roots(n: int, dtype: Any) -> np.ndarray:
    return np.exp(-2j * np.pi * np.arange(n) / n).astype(dtype)


def transform(queue: Any, x: Any, to: Any, inverse: bool) -> None:
    """Transform the rows of a matrix in C's order into another of its shape, which may be itself;
    unscaled."""
    n = x.shape[1]
    if n == 1 or not x.size:
        if to is not x:
            queue.copy(to, x)
        return
    radices = factors(n)
    if radices is None:
        _by_chirp(queue, x, to, inverse)
        return
    _by_passes(queue, x, to, radices, inverse)


def _by_passes(queue: Any, x: Any, to: Any, radices: tuple[int, ...], inverse: bool) -> None:
    n = x.shape[1]
    (w,) = _table(queue, ("roots", n, x.dtype), lambda: [_roots(n, x.dtype)])
    spare = queue.empty(x.shape, x.dtype)
    # The passes alternate between `to` and `spare`, and the last one ends in `to`.
    source, size, s = x, n, 1
    for i, r in enumerate(radices):
        into = to if (len(radices) - i) % 2 else spare
        if into is source or (i == 0 and into._memory is x._memory):
            queue.copy(spare, x)
            source, into = spare, to if (len(radices) - i) % 2 else queue.empty(x.shape, x.dtype)
        size //= r
        _stage[blocks(x.size // r), THREADS, queue](source, into, w, r, size, s, inverse)
        source, s = into, s * r


def _by_chirp(queue: Any, x: Any, to: Any, inverse: bool) -> None:
    n = x.shape[1]
    m = 1 << (2 * n - 2).bit_length()

    def make() -> list[Any]:
        k = np.arange(n, dtype=np.int64)
        c = np.exp(-1j * np.pi * (k * k % (2 * n)) / n)
        b = np.zeros(m, complex)
        b[:n] = c.conj()
        b[m - n + 1 :] = c.conj()[:0:-1]
        return [c.astype(x.dtype), np.fft.fft(b).astype(x.dtype)]

    c, f = _table(queue, ("chirp", n, x.dtype), make)
    a = queue.empty((x.shape[0], m), x.dtype)
    grid = blocks(a.size)
    _chirp_in[grid, THREADS, queue](x, c, a, inverse)
    transform(queue, a, a, False)
    _chirp_times[grid, THREADS, queue](a, f, inverse)
    transform(queue, a, a, True)
    factor = np.empty(0, x.dtype).real.dtype.type(1 / m)
    _chirp_out[blocks(x.size), THREADS, queue](a, c, to, inverse, factor)
