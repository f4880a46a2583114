# SPDX-License-Identifier: BSD-3-Clause
"""Schedules: how the loops that have labels are to run, said at the call.

>>> from swathe.schedule import par, reduce, threads
>>> par({"N": threads(256), "M": reduce()})
par({'M': reduce(), 'N': threads(256)})

A schedule changes how a function runs and never what it returns, but that `reduce` allows a sum to
be added up in another order.
"""

import operator
from collections.abc import Mapping
from typing import Any

__all__ = ["LoopPar", "Schedule", "par", "reduce", "seq", "threads", "tile", "tpb", "unroll"]

_LIMIT = 2**31 - 1
_MOST_COPIES = 1024  # the code that they make, and the time to make it, grow with it


def _count(what: str, n: Any, most: int = _LIMIT) -> int:
    """Return `n` as an int, or raise what says why it is none."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{what} takes an int, not {type(n).__name__}: {n!r}")
    n = operator.index(n)
    if not 1 <= n <= most:
        raise ValueError(f"{what} takes a number from 1 to {most}, not {n}")
    return n


class LoopPar:
    """What is asked of the loops with one label. It never changes: each method returns a new one.

    >>> LoopPar().threads(64).reduce()
    threads(64).reduce()
    """

    __slots__ = ("_f",)
    _f: tuple[int, int, int, tuple[int, ...], bool, bool]

    def __new__(cls) -> "LoopPar":
        return cls._make((0, 0, 0, (), False, False))

    @classmethod
    def _make(cls, fields: tuple[int, int, int, tuple[int, ...], bool, bool]) -> "LoopPar":
        self = object.__new__(cls)
        object.__setattr__(self, "_f", fields)
        return self

    def _with(self, at: int, value: Any) -> "LoopPar":
        fields = (*self._f[:at], value, *self._f[at + 1 :])
        if fields[5] and (fields[0] or fields[1]):
            raise ValueError("a loop runs side by side (threads) or in sequence (seq), not both")
        return self._make(fields)

    def threads(self, n: int) -> "LoopPar":
        """Run up to `n` iterations side by side, on workers or in vector lanes.

        A wish and never a limit on what is right: any number gives the same result.
        """
        return self._with(0, _count("threads()", n))

    def tpb(self, n: int) -> "LoopPar":
        """Put `n` threads into each block of a device; on a CPU it asks for a parallel loop."""
        return self._with(1, _count("tpb()", n))

    def unroll(self, n: int) -> "LoopPar":
        """Write the loop's body `n` times in a row, up to 1024."""
        return self._with(2, _count("unroll()", n, _MOST_COPIES))

    def tile(self, *sizes: int) -> "LoopPar":
        """Cut the nest that begins here into blocks: of up to three sizes, outermost first.

        Where that might change a result it is left alone, and `explain()` says why.
        """
        if not 1 <= len(sizes) <= 3:
            raise TypeError(f"tile() takes one to three sizes, not {len(sizes)}")
        return self._with(3, tuple(_count("tile()", n) for n in sizes))

    def reduce(self) -> "LoopPar":
        """Allow the loop's sums (products, ...) to be combined in another order."""
        return self._with(4, True)

    def seq(self) -> "LoopPar":
        """Run the iterations one after the other, whatever else would be done."""
        return self._with(5, True)

    def is_parallel(self) -> bool:
        """Whether iterations may run side by side."""
        return bool(self._f[0] or self._f[1] or self._f[4]) and not self._f[5]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} never changes; its methods return a new one")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoopPar) and self._f == other._f

    def __hash__(self) -> int:
        return hash(self._f)

    def __repr__(self) -> str:
        n, block, times, sizes, combines, one_by_one = self._f
        parts = [
            f"threads({n})" if n else "",
            f"tpb({block})" if block else "",
            f"unroll({times})" if times else "",
            f"tile({', '.join(map(str, sizes))})" if sizes else "",
            "reduce()" if combines else "",
            "seq()" if one_by_one else "",
        ]
        return ".".join(p for p in parts if p) or "LoopPar()"

    def __reduce__(self) -> Any:
        return _loop_par, (self._f,)


def _loop_par(fields: Any) -> LoopPar:
    return LoopPar._make(fields)


class Schedule:
    """What `par` returns: a LoopPar for each label. It never changes."""

    __slots__ = ("_swathe_schedule", "loops")
    loops: dict[str, LoopPar]
    _swathe_schedule: tuple[Any, ...]

    def __init__(self, loops: Mapping[str, LoopPar]) -> None:
        if not isinstance(loops, Mapping):
            raise TypeError(f"par() takes a dict of label to schedule, not {type(loops).__name__}")
        for name, loop in loops.items():
            _check_entry(name, loop)
        # Sorted, so that equal schedules are one specialisation.
        kept = {name: loops[name] for name in sorted(loops)}
        object.__setattr__(self, "loops", kept)
        key = tuple((name, loop._f) for name, loop in kept.items())
        object.__setattr__(self, "_swathe_schedule", key)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a schedule never changes; make another one with par()")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self._swathe_schedule == other._swathe_schedule

    def __hash__(self) -> int:
        return hash(self._swathe_schedule)

    def __repr__(self) -> str:
        return f"par({self.loops})"

    def __reduce__(self) -> Any:
        return Schedule, (self.loops,)


def _of_key(key: Any) -> Schedule:
    return Schedule({name: LoopPar._make(fields) for name, fields in key})


def _check_entry(name: Any, loop: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"par(): a label is a string, not {type(name).__name__}: {name!r}")
    if not name or name == "_":
        raise ValueError(f"par(): {name!r} is no label: '_' skips a dimension")
    if isinstance(loop, type) or not isinstance(loop, LoopPar):
        raise TypeError(
            f"par(): label '{name}' needs a schedule such as threads(8), reduce() or seq(), "
            f"not {loop!r}"
        )


def par(loops: Mapping[str, LoopPar] | None = None) -> Schedule:
    """Make a schedule of what is asked for each label; pass it as ``opts=`` at the call.

    Parameters
    ----------
    loops : dict of str to LoopPar
        A label that the function does not have is an error when it is called.

    Examples
    --------
    >>> import swathe
    >>> swathe.par({"N": swathe.threads(256), "M": swathe.threads(128).reduce()})
    par({'M': threads(128).reduce(), 'N': threads(256)})
    """
    return Schedule({} if loops is None else loops)


def threads(n: int) -> LoopPar:
    """Run up to `n` iterations of a loop side by side; see `LoopPar.threads`."""
    return LoopPar().threads(n)


def tpb(n: int) -> LoopPar:
    """Put `n` threads into each block of a device; see `LoopPar.tpb`."""
    return LoopPar().tpb(n)


def unroll(n: int) -> LoopPar:
    """Write a loop's body `n` times in a row; see `LoopPar.unroll`."""
    return LoopPar().unroll(n)


def tile(*sizes: int) -> LoopPar:
    """Cut a nest into blocks; see `LoopPar.tile`."""
    return LoopPar().tile(*sizes)


def reduce() -> LoopPar:
    """Allow a loop's sums to be combined in another order; see `LoopPar.reduce`."""
    return LoopPar().reduce()


def seq() -> LoopPar:
    """Run a loop's iterations one after the other; see `LoopPar.seq`."""
    return LoopPar().seq()
