# SPDX-License-Identifier: BSD-3-Clause
"""``pyculib.rand``: generators of random numbers that fill arrays of a device or of NumPy."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from swathe import gpu
from swathe.vendor.random import KINDS, Generator

from ._place import brought, queue_of

_KIND_OF = {number: name for name, number in KINDS.items()}
_KIND_OF[0] = "default"


class RNG:
    """What both kinds of generators have."""

    TEST = KINDS["test"]

    def __init__(self, rndtype: int, offset: Any, stream: Any, **names: Any) -> None:
        if rndtype not in _KIND_OF:
            raise ValueError(f"rndtype={rndtype!r} is no generator")
        self.rndtype = rndtype
        self._names = {"seed": 0} | names
        self._gen: Any = None
        self._offset = offset
        self._stream = stream

    def _of(self, queue: Any) -> Generator:
        """The generator, made when it is known where it works."""
        if self._gen is None:
            self._gen = Generator(kind=_KIND_OF[self.rndtype], queue=queue, **self._names)
            if self._offset is not None:
                self._gen.offset = self._offset
        return self._gen

    @property
    def offset(self) -> Any:
        """How many numbers are passed before the first."""
        return self._offset

    @offset.setter
    def offset(self, offset: int) -> None:
        self._offset = offset
        if self._gen is not None:
            self._gen.offset = offset

    @property
    def stream(self) -> Any:
        """Where the work goes."""
        return self._stream or 0

    @stream.setter
    def stream(self, stream: Any) -> None:
        if self._gen is not None:  # the rest of its numbers come in the other stream
            offset = self._gen.offset
            self._gen, self._offset = None, offset
        self._stream = stream

    def _fill(self, what: str, ary: Any, size: Any, *args: Any) -> None:
        if ary.ndim != 1:
            raise TypeError("Only accept 1-D array")
        if ary.size > 1 and ary.strides[0] != ary.dtype.itemsize:
            raise TypeError("Only accept unit strided array")
        size = size or ary.size
        if size > ary.size:
            raise ValueError(f"{size} numbers into an array of {ary.size}")
        part = ary[:size]
        queue = queue_of(self._stream, ary)
        with brought(queue, (), (part,)) as (there,):
            getattr(self._of(queue), what)(there, *args)


class PRNG(RNG):
    """A generator of pseudo-random numbers.

    Parameters
    ----------
    rndtype : int
        `DEFAULT`, `XORWOW`, `MRG32K3A`, `MTGP32`: without cuRAND all are one.
    seed, offset : int, optional
    stream : stream, optional
    """

    DEFAULT, XORWOW = KINDS["default"], KINDS["xorwow"]
    MRG32K3A, MTGP32 = KINDS["mrg32k3a"], KINDS["mtgp32"]

    def __init__(
        self, rndtype: int = DEFAULT, seed: Any = None, offset: Any = None, stream: Any = None
    ) -> None:
        super().__init__(rndtype, offset, stream)
        if seed is not None:
            self.seed = seed

    @property
    def seed(self) -> int:
        """The seed; setting it begins anew."""
        return self._names["seed"]

    @seed.setter
    def seed(self, seed: int) -> None:
        self._names["seed"] = int(seed)
        if self._gen is not None:
            self._gen.seed = seed

    def uniform(self, ary: Any, size: Any = None) -> None:
        """Fill a vector, or its first elements, with numbers from (0, 1]."""
        self._fill("uniform", ary, size)

    def normal(self, ary: Any, mean: float, sigma: float, size: Any = None) -> None:
        """Fill a vector with numbers of a normal distribution."""
        self._fill("normal", ary, size, mean, sigma)

    def lognormal(self, ary: Any, mean: float, sigma: float, size: Any = None) -> None:
        """Fill a vector with numbers of a log-normal distribution."""
        self._fill("lognormal", ary, size, mean, sigma)

    def poisson(self, ary: Any, lmbd: float, size: Any = None) -> None:
        """Fill a vector of uint32 with numbers of a Poisson distribution."""
        self._fill("poisson", ary, size, lmbd)


class QRNG(RNG):
    """A generator of quasi-random numbers, which fill space evenly.

    Parameters
    ----------
    rndtype : int
        `SOBOL32`, `SCRAMBLED_SOBOL32`, `SOBOL64` or `SCRAMBLED_SOBOL64`.
    ndim : int, optional
        Dimensions: the numbers come dimension by dimension.
    offset : int, optional
    stream : stream, optional
    """

    DEFAULT = KINDS["quasi"]
    SOBOL32, SCRAMBLED_SOBOL32 = KINDS["sobol32"], KINDS["scrambled_sobol32"]
    SOBOL64, SCRAMBLED_SOBOL64 = KINDS["sobol64"], KINDS["scrambled_sobol64"]

    def __init__(
        self, rndtype: int = DEFAULT, ndim: Any = None, offset: Any = None, stream: Any = None
    ) -> None:
        super().__init__(rndtype, offset, stream, dimensions=ndim or 1)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return self._names["dimensions"]

    @ndim.setter
    def ndim(self, n: int) -> None:
        self._names["dimensions"] = n
        if self._gen is not None:
            self._gen.dimensions = n

    def generate(self, ary: Any, size: Any = None) -> None:
        """Fill a vector of uint32, or of uint64, with bits; the size is a multiple of `ndim`."""
        self._fill("bits", ary, size)


_made: dict[Any, Any] = {}


def _prng(queue: Any) -> PRNG:
    """The generator of a device, whatever queue of it asks."""
    device = None if queue is None else queue.device
    if device not in _made:
        seed = time.time_ns() & (2**63 - 1)
        _made[device] = PRNG(seed=seed, stream=0 if device is None else device.queue)
    return _made[device]


def _new(size: Any, dtype: Any, device: bool, fill: Any) -> Any:
    """A new array that is filled: on the device or, in the end, on the host."""
    there = gpu.device_array(size, dtype)
    fill(_prng(queue_of(0)), there.reshape(-1) if there.ndim != 1 else there)
    return there if device else there.copy_to_host()


def uniform(size: Any, dtype: Any = np.float64, device: bool = False) -> Any:
    """Return numbers from (0, 1]."""
    return _new(size, dtype, device, lambda g, a: g.uniform(a))


def normal(mean: Any, sigma: Any, size: Any, dtype: Any = np.float64, device: bool = False) -> Any:
    """Return numbers of a normal distribution."""
    return _new(size, dtype, device, lambda g, a: g.normal(a, mean, sigma))


def lognormal(
    mean: Any, sigma: Any, size: Any, dtype: Any = np.float64, device: bool = False
) -> Any:
    """Return numbers of a log-normal distribution."""
    return _new(size, dtype, device, lambda g, a: g.lognormal(a, mean, sigma))


def poisson(lmbd: float, size: Any, device: bool = False) -> Any:
    """Return numbers of a Poisson distribution, uint32."""
    return _new(size, np.uint32, device, lambda g, a: g.poisson(a, lmbd))


def quasi(size: Any, bits: int = 32, nd: int = 1, device: bool = False) -> Any:
    """Return quasi-random bits, uint32 or uint64."""
    if bits not in (32, 64):
        raise ValueError("Only accept bits = 32 or 64")
    there = gpu.device_array(size, np.uint32 if bits == 32 else np.uint64)
    QRNG(QRNG.SOBOL32 if bits == 32 else QRNG.SOBOL64, nd, stream=queue_of(0)).generate(there)
    return there if device else there.copy_to_host()


__all__ = ["PRNG", "QRNG", "lognormal", "normal", "poisson", "quasi", "uniform"]
