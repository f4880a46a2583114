# SPDX-License-Identifier: BSD-3-Clause
"""How many threads a block should have on a CUDA device, so that its processors are full.

A multiprocessor holds so many threads, blocks, registers and bytes of shared memory; the number of
blocks that fit is the least that any of these allows.
"""

from __future__ import annotations

from collections.abc import Mapping

# compute capability -> threads, blocks, bytes of shared memory of a multiprocessor
_LIMITS = {
    70: (2048, 32, 96 << 10),
    75: (1024, 16, 64 << 10),
    80: (2048, 32, 164 << 10),
    86: (1536, 16, 100 << 10),
    87: (1536, 16, 164 << 10),
    89: (1536, 24, 100 << 10),
    90: (2048, 32, 228 << 10),
    100: (2048, 32, 228 << 10),
    120: (1536, 24, 100 << 10),
}
_REGISTERS, _UNIT, _WARP = 65536, 256, 32
_RESERVED = 1 << 10  # bytes of shared memory that each block takes besides its own
_SIZES = (256, 128, 512, 64, 1024, 32)  # of those that hold as many threads the first


def blocks_fit(arch: int, info: Mapping[str, int], threads: int, shared: int = 0) -> int:
    """Return how many blocks of so many threads a multiprocessor holds at a time.

    >>> blocks_fit(90, {"registers": 32, "shared_bytes": 0, "max_threads": 1024}, 256)
    8
    """
    known = [a for a in _LIMITS if a <= arch] or [min(_LIMITS)]
    most, blocks, room = _LIMITS[max(known)]
    warps = -(-threads // _WARP)
    registers = -(-info["registers"] * _WARP // _UNIT) * _UNIT * warps
    blocks = min(blocks, most // (warps * _WARP))
    blocks = min(blocks, room // (info["shared_bytes"] + shared + _RESERVED))
    return min(blocks, _REGISTERS // registers) if registers else blocks


def best_block(arch: int, info: Mapping[str, int], shared: int = 0) -> int:
    """Return the threads of a block with which a multiprocessor holds the most of them.

    >>> best_block(90, {"registers": 32, "shared_bytes": 0, "max_threads": 1024})
    256
    >>> best_block(90, {"registers": 200, "shared_bytes": 0, "max_threads": 256})
    64
    """
    fit = [n for n in _SIZES if n <= (info["max_threads"] or n)]
    return max(fit, key=lambda n: n * blocks_fit(arch, info, n, shared))
