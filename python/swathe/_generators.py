# SPDX-License-Identifier: BSD-3-Clause
"""Generators between Python and compiled code: those that compiled code has made, when they come
to Python, and a RandomState of NumPy's as an argument."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np


def restored(words: Any) -> np.random.Generator:
    """Return NumPy's generator of the words of one of ours (core/kernel/lib/bits.c)."""
    return np.random.Generator(_BITS[len(words)](words))


def _pcg(words: Any, cls: Any = np.random.PCG64) -> Any:
    w = [int(v) for v in words]
    state = {"state": w[1] << 64 | w[0], "inc": w[3] << 64 | w[2]}
    return _with_state(cls, {"state": state, "has_uint32": w[4], "uinteger": w[5]})


def _sfc(words: Any) -> Any:
    state = {"state": np.array(words[:4])}
    more = {"has_uint32": int(words[4]), "uinteger": int(words[5])}
    return _with_state(np.random.SFC64, {"state": state, **more})


def _philox(words: Any) -> Any:
    state = {"counter": np.array(words[:4]), "key": np.array(words[4:6])}
    more = {"buffer": np.array(words[7:11]), "buffer_pos": int(words[6])}
    more |= {"has_uint32": int(words[11]), "uinteger": int(words[12])}
    return _with_state(np.random.Philox, {"state": state, **more})


def _mt(words: Any) -> Any:
    halves = np.asarray(words).view(np.uint32)
    return _with_state(
        np.random.MT19937, {"state": {"key": halves[:624].copy(), "pos": int(halves[624])}}
    )


def _with_state(cls: Any, state: dict[str, Any]) -> Any:
    bits = cls(0)
    bits.state = {"bit_generator": cls.__name__, **state}
    return bits


_BITS = {
    8: _pcg,
    9: lambda words: _pcg(words, np.random.PCG64DXSM),
    10: _sfc,
    13: _philox,
    320: _mt,
}


# ---- RandomState ------------------------------------------------------------------------------


class _Words(np.ndarray):
    """Where the parts of a RandomState are, which it keeps."""

    state: np.random.RandomState


def stand_in(source: Any) -> Any:
    """Return the named tuple that stands for a Generator or a RandomState."""
    if isinstance(source, np.random.RandomState):
        return taken_state(source)
    from .lib.generator import Generator

    words = np.zeros(5, np.uint64)  # as many as there are in a bitgen_t, for their type
    words.flags.writeable = False
    return Generator((words,))


def taken_state(state: np.random.RandomState) -> Any:
    """Return what stands for a RandomState that is an argument: it is drawn from where it is."""
    from .lib.random_state import RandomState

    bits = state._bit_generator
    if type(bits) is not np.random.MT19937 or type(state) is not np.random.RandomState:
        raise TypeError("its numbers come from another generator than MT19937")
    words = np.array([bits.ctypes.state_address, id(state) + _second_normal()], np.uint64)
    words = words.view(_Words)
    words.state = state
    return RandomState((words,))


def restored_state(words: Any) -> np.random.RandomState:
    """Return NumPy's RandomState: that of an argument, or a new one of the same state."""
    of = words
    while of is not None and not isinstance(of, _Words):
        of = getattr(of, "base", None)
    if of is not None:
        return of.state
    halves = words.view(np.uint32)
    key, gauss = halves[:624], (int(halves[626]), float(words.view(np.float64)[314]))
    made = np.random.RandomState(0)
    made.set_state(("MT19937", key, int(halves[624]), *gauss))
    return made


@cache
def _second_normal() -> int:
    """Where a RandomState has whether there is a second normal number, which stands behind that.

    NumPy publishes no address of it: it is found by a number that nothing else has.
    """
    mark = np.float64(0.7182818284590453)
    one = np.random.RandomState(1)
    kept = one.get_state()

    def bytes_of(has: int) -> bytes:
        one.set_state((*kept[:3], has, float(mark)))
        return ctypes.string_at(id(one), np.random.RandomState.__basicsize__)

    with_one, without = bytes_of(1), bytes_of(0)
    at = with_one.find(mark.tobytes()) - 8
    if (
        at < 0
        or with_one.count(mark.tobytes()) != 1
        or np.frombuffer(with_one, np.int32, 1, at)[0] != 1
        or np.frombuffer(without, np.int32, 1, at)[0] != 0
    ):
        raise TypeError("this version of NumPy has its parts elsewhere")
    return at
