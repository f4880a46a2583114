# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers in kernels: xoroshiro128+, a stream for each thread, with Numba's numbers.

>>> import numpy as np
>>> from swathe.compat.numba import cuda
>>> from swathe.compat.numba.cuda.random import (
...     create_xoroshiro128p_states, xoroshiro128p_uniform_float64)
>>> @cuda.jit
... def fill(states, out):
...     i = cuda.grid(1)
...     out[i] = xoroshiro128p_uniform_float64(states, i)
>>> out = np.zeros(4)
>>> fill[1, 4](create_xoroshiro128p_states(4, seed=1), out)
>>> bool((0 <= out).all() and (out < 1).all())
True

The states are an array of records; each stream is 2**64 numbers after the one before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu, njit

xoroshiro128p_dtype = xoroshiro128p_type = np.dtype(
    [("s0", np.uint64), ("s1", np.uint64)], align=True
)

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_JUMP = np.uint64(0xBEAC0467EBA5FACB), np.uint64(0xD86B048B86AA9922)
_UNIT = 1.0 / (1 << 53)
_TURN = np.float32(2 * np.pi)


@njit
def init_xoroshiro128p_state(states: Any, index: Any, seed: Any) -> None:
    """Set a state from a seed, by SplitMix64."""
    z = np.uint64(seed) + _STEP
    z = (z ^ (z >> np.uint64(30))) * _MIX[0]
    z = (z ^ (z >> np.uint64(27))) * _MIX[1]
    z = z ^ (z >> np.uint64(31))
    states["s0"][index] = z
    states["s1"][index] = z


@njit
def rotl(x: Any, k: Any) -> Any:
    """Turn 64 bits to the left."""
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@njit
def xoroshiro128p_next(states: Any, index: Any) -> Any:
    """Return the next 64 random bits of a state."""
    s0, s1 = states["s0"][index], states["s1"][index]
    result = s0 + s1
    s1 = s1 ^ s0
    states["s0"][index] = rotl(s0, 55) ^ s1 ^ (s1 << np.uint64(14))
    states["s1"][index] = rotl(s1, 36)
    return result


@njit
def xoroshiro128p_jump(states: Any, index: Any) -> None:
    """Advance a state by 2**64 steps."""
    s0, s1 = np.uint64(0), np.uint64(0)
    for word in _JUMP:
        for bit in range(64):
            if word & (np.uint64(1) << np.uint64(bit)):
                s0 = s0 ^ states["s0"][index]
                s1 = s1 ^ states["s1"][index]
            xoroshiro128p_next(states, index)
    states["s0"][index] = s0
    states["s1"][index] = s1


@njit
def uint64_to_unit_float64(x: Any) -> Any:
    """Return a float64 of [0, 1) for 64 random bits."""
    return np.float64(x >> np.uint64(11)) * _UNIT


@njit
def uint64_to_unit_float32(x: Any) -> Any:
    """Return a float32 for 64 random bits: the float64, rounded."""
    return np.float32(uint64_to_unit_float64(x))


@njit
def xoroshiro128p_uniform_float32(states: Any, index: Any) -> Any:
    """Return the next float32 of [0, 1) of a state."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@njit
def xoroshiro128p_uniform_float64(states: Any, index: Any) -> Any:
    """Return the next float64 of [0, 1) of a state."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@njit
def xoroshiro128p_normal_float32(states: Any, index: Any) -> Any:
    """Return the next float32 of a normal distribution, from two of [0, 1)."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return np.sqrt(np.float32(-2.0) * np.log(u1)) * np.cos(_TURN * u2)


@njit
def xoroshiro128p_normal_float64(states: Any, index: Any) -> Any:
    """Return the next float64 of a normal distribution, from two float32 of [0, 1)."""
    u1 = np.float64(xoroshiro128p_uniform_float32(states, index))
    u2 = np.float64(xoroshiro128p_uniform_float32(states, index))
    return np.sqrt(-2.0 * np.log(u1)) * np.cos(2.0 * np.pi * u2)


@njit
def _init(states: Any, seed: Any, skipped: Any) -> None:
    if len(states) == 0:
        return
    init_xoroshiro128p_state(states, 0, seed)
    for _ in range(skipped):
        xoroshiro128p_jump(states, 0)
    for i in range(1, len(states)):
        states["s0"][i] = states["s0"][i - 1]
        states["s1"][i] = states["s1"][i - 1]
        xoroshiro128p_jump(states, i)


def _made(n: int, seed: int, subsequence_start: int) -> np.ndarray:
    states = np.zeros(n, xoroshiro128p_dtype)
    seed, skipped = int(seed) % 2**64, int(subsequence_start)
    if skipped < 0:
        raise ValueError(f"subsequence_start counts streams, and {skipped} is below 0")
    _init(states, np.uint64(seed), skipped)
    return states


def init_xoroshiro128p_states(
    states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> None:
    """Give each state of an array on the device its own stream.

    Parameters
    ----------
    states : array
        1-D, of `xoroshiro128p_dtype`.
    seed : int
        Of the first stream; the others follow it.
    subsequence_start : int, default 0
        How many streams to leave out at the front.
    """
    made = _made(states.shape[0], seed, subsequence_start)
    if isinstance(states, np.ndarray):
        states[...] = made
    else:
        states.copy_to_device(made, stream=stream)


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> Any:
    """Return an array on the device with a state for each of n threads.

    Parameters
    ----------
    n : int
    seed : int
    subsequence_start : int, default 0
        How many streams to leave out at the front.
    """
    return gpu.to_device(_made(n, seed, subsequence_start), stream=stream)
