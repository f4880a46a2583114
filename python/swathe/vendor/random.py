# SPDX-License-Identifier: BSD-3-Clause
"""Generators of random numbers for arrays of the host and of devices.

On a CUDA device they are cuRAND's. Without it, and elsewhere, pseudo-random numbers are Philox
4x32-10's, whichever kind is asked for, by compiled code on the host and by kernels on devices: the
same numbers, up to the rounding of logarithms, at any number of threads.

>>> import numpy as np
>>> from swathe.vendor import random
>>> g = random.Generator(seed=1)
>>> x = g.uniform(np.empty(1000))
>>> bool(((x > 0) & (x <= 1)).all())
True
"""

from __future__ import annotations

import ctypes
import math
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from .. import gpu, njit, prange
from .._device_array import DeviceArray
from .._prim_random import _philox
from ..errors import DeviceError, NoLibraryError, QueueError
from . import _work
from ._work import Handles, address, in_order, queue_of, work

STATUSES = {
    100: "CURAND_STATUS_VERSION_MISMATCH",
    101: "CURAND_STATUS_NOT_INITIALIZED",
    102: "CURAND_STATUS_ALLOCATION_FAILED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
    106: "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED",
    201: "CURAND_STATUS_LAUNCH_FAILURE",
    202: "CURAND_STATUS_PREEXISTING_FAILURE",
    203: "CURAND_STATUS_INITIALIZATION_FAILED",
    204: "CURAND_STATUS_ARCH_MISMATCH",
    999: "CURAND_STATUS_INTERNAL_ERROR",
}
CURAND = Handles("curand", "", "", "", STATUSES)  # a generator is its handle

KINDS = {
    "test": 0,
    "default": 100,
    "xorwow": 101,
    "mrg32k3a": 121,
    "mtgp32": 141,
    "mt19937": 142,
    "philox": 161,
    "quasi": 200,
    "sobol32": 201,
    "scrambled_sobol32": 202,
    "sobol64": 203,
    "scrambled_sobol64": 204,
}
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_PARTS = 20  # bits of a counter that one Poisson number may use


# ---- our own ---------------------------------------------------------------------------------


@njit(parallel=True)
def _unit(word):
    """A number from (0, 1], of 53 bits."""
    return ((word >> np.uint64(11)) + np.uint64(1)) * 2.0**-53


@njit(parallel=True)
def _pair_of_normals(seed, counter):
    a, b = _philox(seed, counter)
    r, t = np.sqrt(-2.0 * np.log(_unit(a))), 2.0 * np.pi * _unit(b)
    return r * np.cos(t), r * np.sin(t)


@njit(parallel=True)
def _poisson(lam, seed, k):
    """One number: by products of uniform ones, or by W. Hörmann, The transformed rejection method
    for generating Poisson random variables, Insurance: Mathematics and Economics 12 (1993)."""
    step = np.uint64(k) << np.uint64(_PARTS)
    if lam < 10:
        limit, product, n = math.exp(-lam), 1.0, -1
        while product > limit or n < 0:
            product *= _unit(_philox(seed, step)[0])
            step += np.uint64(1)
            n += 1
        return n
    root, log_lam = math.sqrt(lam), math.log(lam)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse, v_r = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        x, y = _philox(seed, step)
        step += np.uint64(1)
        u, v = _unit(x) - 0.5, _unit(y)
        us = 0.5 - abs(u)
        if us <= 0:
            continue
        n = int(math.floor((2 * a / us + b) * u + lam + 0.43))
        if us >= 0.07 and v <= v_r:
            return n
        if n < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= (
            -lam + n * log_lam - math.lgamma(n + 1.0)
        ):
            return n


@njit(parallel=True)
def _uniform_at(out, seed, start, k):
    a, b = _philox(seed, start + k)
    out[2 * k] = _unit(a)
    if 2 * k + 1 < out.size:
        out[2 * k + 1] = _unit(b)


@njit(parallel=True)
def _normal_at(out, seed, start, k, mean, sigma, exponent):
    a, b = _pair_of_normals(seed, start + k)
    a, b = mean + sigma * a, mean + sigma * b
    out[2 * k] = math.exp(a) if exponent else a
    if 2 * k + 1 < out.size:
        out[2 * k + 1] = math.exp(b) if exponent else b


@njit(parallel=True)
def _bits_at(out, seed, start, k):
    a, b = _philox(seed, start + k)
    out[2 * k] = a & np.uint64(0xFFFFFFFF)
    if 2 * k + 1 < out.size:
        out[2 * k + 1] = b & np.uint64(0xFFFFFFFF)


@njit(parallel=True)
def _uniforms(out, seed, start):
    for k in prange(out.size // 2):
        a, b = _philox(seed, start + np.int64(k).astype(np.uint64))
        out[2 * k] = _unit(a)
        out[2 * k + 1] = _unit(b)
    if out.size % 2:
        _uniform_at(out, seed, start, out.size // 2)


@njit(parallel=True)
def _normals(out, seed, start, mean, sigma, exponent):
    pairs = np.empty(out.size // 2 * 2)
    _uniforms(pairs, seed, start)
    for k in prange(out.size // 2):
        r, t = np.sqrt(-2.0 * np.log(pairs[2 * k])), 2.0 * np.pi * pairs[2 * k + 1]
        pairs[2 * k] = mean + sigma * (r * np.cos(t))
        pairs[2 * k + 1] = mean + sigma * (r * np.sin(t))
    if exponent:
        out[: pairs.size] = np.exp(pairs)
    else:
        out[: pairs.size] = pairs
    if out.size % 2:
        _normal_at(out, seed, start, out.size // 2, mean, sigma, exponent)


@njit(parallel=True)
def _poissons(out, seed, start, lam):
    for k in prange(out.size):
        out[k] = _poisson(lam, seed, start * 2 + k)


@njit(parallel=True)
def _words(out, seed, start):
    for k in prange((out.size + 1) // 2):
        _bits_at(out, seed, start, k)


@gpu.jit
def _uniforms_there(out, seed, start):
    k = gpu.grid(1)
    if 2 * k < out.size:
        _uniform_at(out, seed, start, k)


@gpu.jit
def _normals_there(out, seed, start, mean, sigma, exponent):
    k = gpu.grid(1)
    if 2 * k < out.size:
        _normal_at(out, seed, start, k, mean, sigma, exponent)


@gpu.jit
def _poissons_there(out, seed, start, lam):
    k = gpu.grid(1)
    if k < out.size:
        out[k] = _poisson(lam, seed, start * 2 + k)


@gpu.jit
def _words_there(out, seed, start):
    k = gpu.grid(1)
    if 2 * k < out.size:
        _bits_at(out, seed, start, k)


_OWN = {
    "uniform": (_uniforms, _uniforms_there),
    "normal": (_normals, _normals_there),
    "poisson": (_poissons, _poissons_there),
    "bits": (_words, _words_there),
}
_THREADS = 256


# ---- generators ------------------------------------------------------------------------------


class Generator:
    """A stream of random numbers.

    Parameters
    ----------
    seed : int, default 0
    kind : str, default "default"
        cuRAND's ``xorwow``, ``mrg32k3a``, ``mtgp32``, ``mt19937`` or ``philox``; or, of
        quasi-random numbers, ``sobol32``, ``scrambled_sobol32``, ``sobol64``,
        ``scrambled_sobol64``.
    queue : Queue, optional
        Where its work goes; by default to the queue of the first array that it fills.
    dimensions : int, default 1
        Of quasi-random numbers: they come dimension by dimension.
    """

    def __init__(
        self, seed: int = 0, kind: str = "default", *, queue: Any = None, dimensions: int = 1
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} is none of {', '.join(KINDS)}")
        self.kind = kind
        self.is_quasi = KINDS[kind] >= 200
        self.queue = queue
        self._seed, self._offset, self._dimensions = int(seed), 0, 1
        self._made: Any = None
        self._given = False  # whether a seed was asked for: quasi-random numbers have none
        self.seed = seed
        self.dimensions = dimensions

    def __repr__(self) -> str:
        return f"<vendor.random.Generator {self.kind} seed={self._seed} offset={self._offset}>"

    # ---- what may be set ----

    @property
    def seed(self) -> int:
        """The seed; setting it begins anew."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self._seed, self._offset = int(seed) & (2**64 - 1), 0
        if self._made is not None and not self.is_quasi:
            self._set("curandSetPseudoRandomGeneratorSeed", "pU", self._seed)

    @property
    def offset(self) -> int:
        """How many numbers of its stream have been passed."""
        return self._offset

    @offset.setter
    def offset(self, offset: int) -> None:
        if offset < 0:
            raise ValueError(f"offset={offset}: 0 or more numbers are passed")
        self._offset = int(offset)
        if self._made is not None:
            self._set("curandSetGeneratorOffset", "pU", self._offset)

    @property
    def dimensions(self) -> int:
        """Of quasi-random numbers."""
        return self._dimensions

    @dimensions.setter
    def dimensions(self, n: int) -> None:
        if not 1 <= n <= 20000:
            raise ValueError(f"dimensions={n}: there are 1 to 20000")
        self._dimensions = int(n)
        if self._made is not None and self.is_quasi:
            self._set("curandSetQuasiRandomGeneratorDimensions", "pu", self._dimensions)

    # ---- cuRAND's generator ----

    def _set(self, function: str, takes: str, value: int) -> None:
        with _work.context(self.queue.device):
            CURAND.call(self.queue, function, takes, self._made, value)

    def _handle(self) -> Any:
        """cuRAND's generator; inside `work`."""
        if self._made is None:
            queue, made = self.queue, ctypes.c_void_p()
            CURAND.call(queue, "curandCreateGenerator", "pi", ctypes.byref(made), KINDS[self.kind])
            lib = CURAND.library(queue)
            ending = weakref.finalize(self, _end, lib, queue.device, made.value)
            ending.atexit = False
            stream = _work.stream_of(queue)
            CURAND.call(queue, "curandSetStream", "pp", made.value, stream)
            if self.is_quasi:
                name = "curandSetQuasiRandomGeneratorDimensions"
                CURAND.call(queue, name, "pu", made.value, self._dimensions)
            else:
                name = "curandSetPseudoRandomGeneratorSeed"
                CURAND.call(queue, name, "pU", made.value, self._seed)
            if self._offset:
                CURAND.call(queue, "curandSetGeneratorOffset", "pU", made.value, self._offset)
            self._made = made.value
        return self._made

    # ---- numbers ----

    def uniform(self, out: Any) -> Any:
        """Fill an array of float32 or float64 with numbers from (0, 1]; return it."""
        self._need(out, "uniform", _FLOATS)
        return self._fill(out, "uniform", _typed("curandGenerateUniform", out), "", ())

    def normal(self, out: Any, mean: float = 0.0, sigma: float = 1.0) -> Any:
        """Fill an array of float32 or float64 with numbers of a normal distribution; return it."""
        self._need(out, "normal", _FLOATS)
        return self._normal(out, "curandGenerateNormal", mean, sigma, False)

    def lognormal(self, out: Any, mean: float = 0.0, sigma: float = 1.0) -> Any:
        """Fill an array with numbers whose logarithms are `normal`; return it."""
        self._need(out, "lognormal", _FLOATS)
        return self._normal(out, "curandGenerateLogNormal", mean, sigma, True)

    def _normal(self, out: Any, function: str, mean: float, sigma: float, exponent: bool) -> Any:
        letter = "f" if out.dtype == np.float32 else "d"
        mean, sigma = float(mean), float(sigma)
        own = (mean, sigma, exponent)
        return self._fill(out, "normal", _typed(function, out), 2 * letter, (mean, sigma), own)

    def poisson(self, out: Any, lam: float) -> Any:
        """Fill an array of uint32 with numbers of a Poisson distribution; return it."""
        self._need(out, "poisson", (np.dtype(np.uint32),))
        if not 0 < lam < 2**31:
            raise ValueError(f"poisson(): lam={lam}: above 0, and below 2**31")
        return self._fill(out, "poisson", "curandGeneratePoisson", "d", (float(lam),))

    def bits(self, out: Any) -> Any:
        """Fill an array of uint32, or of uint64 by ``sobol64``, with random bits; return it."""
        wide = self.kind.endswith("64")
        self._need(out, "bits", (np.dtype(np.uint64 if wide else np.uint32),))
        function = "curandGenerateLongLong" if wide else "curandGenerate"
        return self._fill(out, "bits", function, "", ())

    def _need(self, out: Any, name: str, dtypes: tuple[Any, ...]) -> None:
        if out.dtype not in dtypes:
            said = " or ".join(map(str, dtypes))
            raise TypeError(f"{name}() of {self.kind} fills arrays of {said}, not of {out.dtype}")
        if not out.flags.writeable:
            raise ValueError("output array is read-only")
        if self.is_quasi and out.size % self._dimensions:
            raise ValueError(
                f"{name}(): {out.size} numbers are no multiple of {self._dimensions} dimensions"
            )

    def _fill(
        self, out: Any, what: str, function: str, takes: str, args: Any, own: Any = None
    ) -> Any:
        queue = self._queue(out)
        if not out.size:
            return out
        n = out.size
        if queue is None or not CURAND.there(queue):
            self._by_own(queue, out, what, args if own is None else own)
        else:
            pairs = what == "normal" and not self.is_quasi  # an even number of them
            n += n % 2 if pairs else 0
            flat = out
            if not out.flags.c_contiguous or n != out.size:
                flat = queue.empty(n, out.dtype)
            with work(queue, (), (flat,)):
                call = "ppz" + takes
                CURAND.call(queue, function, call, self._handle(), address(flat), n, *args)
            if flat is not out:
                queue.copy(out, flat[: out.size].reshape(out.shape))
        self._offset += n + n % 2 if not self.is_quasi else n // self._dimensions
        return out

    def _queue(self, out: Any) -> Any:
        queue = queue_of(out)
        if queue is None:
            if self.queue is not None and not self.queue.device.is_native:
                raise QueueError("the array is the host's, and the generator is a device's")
            return None
        if self.queue is None:
            self.queue = queue
        elif self.queue.device is not queue.device:
            raise QueueError(
                f"the generator is on {self.queue.device}, the array on {queue.device}"
            )
        return in_order(self.queue)

    def _by_own(self, queue: Any, out: Any, what: str, args: Any) -> None:
        if self.is_quasi:
            self._by_scipy(out, what, args)
            return
        host, there = _OWN[what]
        start = np.uint64((self._offset + 1) // 2)
        seed = np.uint64(self._seed)
        flat = out if out.flags.c_contiguous else np.empty(out.size, out.dtype)
        if queue is None:
            flat = np.asarray(flat).reshape(-1)
            host(flat, seed, start, *args)
            if not out.flags.c_contiguous:
                out[...] = flat.reshape(out.shape)
            return
        flat = out.reshape(-1) if out.flags.c_contiguous else queue.empty(out.size, out.dtype)
        count = out.size if what == "poisson" else (out.size + 1) // 2
        there[-(-count // _THREADS), _THREADS, queue](flat, seed, start, *args)
        if not out.flags.c_contiguous:
            queue.copy(out, flat.reshape(out.shape))

    def _by_scipy(self, out: Any, what: str, args: Any) -> None:
        """Sobol's numbers, which have no kernel of ours."""
        try:
            from scipy.special import ndtri
            from scipy.stats import qmc
        except ImportError:
            raise NoLibraryError(
                "quasi-random numbers are cuRAND's or SciPy's: `pip install scipy` brings the "
                "latter",
                "cuRAND",
            ) from None
        bits, d = 64 if self.kind.endswith("64") else 32, self._dimensions
        scramble = "scrambled" in self.kind
        engine = qmc.Sobol(d, scramble=scramble, bits=bits, rng=self._seed)
        if self._offset:
            engine.fast_forward(self._offset)
        n = out.size // d
        words = (engine.random(n).T.reshape(-1) * 2.0**bits).astype(np.uint64)
        made = words if what == "bits" else (words + 0.5) * 2.0 ** (-bits)
        if what == "normal":
            mean, sigma, exponent = args
            made = mean + sigma * ndtri(made)
            made = np.exp(made) if exponent else made
        elif what == "poisson":
            from scipy.stats import poisson

            made = poisson.ppf(made, *args)
        made = made.astype(out.dtype).reshape(out.shape)
        if isinstance(out, DeviceArray):
            out.copy_from_host(made)
        else:
            out[...] = made


def _typed(function: str, out: Any) -> str:
    return function if out.dtype == np.float32 else function + "Double"


def _end(lib: Any, device: Any, made: int) -> None:
    with suppress(DeviceError), _work.context(device):
        lib.function("curandDestroyGenerator", "p")(made)


__all__ = ["KINDS", "Generator"]
