# SPDX-License-Identifier: BSD-3-Clause
"""The functions of `numpy.fft`, over arrays of the host and of devices.

Arrays of a CUDA device go to cuFFT, with plans that are kept for each queue, or to kernels of our
own; those of the host to NumPy.

>>> import numpy as np
>>> from swathe.vendor import fft
>>> fft.fft(np.array([1.0, 0.0, 0.0, 0.0])).real
array([1., 1., 1., 1.])
"""

from __future__ import annotations

import ctypes
import math
import threading
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import DeviceError
from . import _elements, _own_fft, _work
from ._work import Handles, address, ordered, queue_of, size, work

STATUSES = {
    1: "CUFFT_INVALID_PLAN",
    2: "CUFFT_ALLOC_FAILED",
    3: "CUFFT_INVALID_TYPE",
    4: "CUFFT_INVALID_VALUE",
    5: "CUFFT_INTERNAL_ERROR",
    6: "CUFFT_EXEC_FAILED",
    7: "CUFFT_SETUP_FAILED",
    8: "CUFFT_INVALID_SIZE",
    9: "CUFFT_UNALIGNED_DATA",
    11: "CUFFT_INVALID_DEVICE",
    13: "CUFFT_NO_WORKSPACE",
    14: "CUFFT_NOT_IMPLEMENTED",
    16: "CUFFT_NOT_SUPPORTED",
}
CUFFT = Handles("cufft", "", "", "", STATUSES)  # plans are its handles

# What a plan is of, and its function: by the dtypes of what goes in and comes out.
KINDS = {
    ("float32", "complex64"): (0x2A, "cufftExecR2C"),
    ("complex64", "float32"): (0x2C, "cufftExecC2R"),
    ("complex64", "complex64"): (0x29, "cufftExecC2C"),
    ("float64", "complex128"): (0x6A, "cufftExecD2Z"),
    ("complex128", "float64"): (0x6C, "cufftExecZ2D"),
    ("complex128", "complex128"): (0x69, "cufftExecZ2Z"),
}
FORWARD, INVERSE = -1, 1
MOST_AXES = 3  # that one plan of cuFFT has
KEPT = 32  # plans of a queue


class _Plans:
    """The plans of a queue: those used last are kept."""

    def __init__(self, queue: Any) -> None:
        self.lib, self.device = CUFFT.library(queue), queue.device
        self.plans: dict[Any, int] = {}
        self.lock = threading.RLock()

    def get(self, queue: Any, kind: int, shape: tuple[int, ...], batch: int) -> int:
        """Return a plan; inside `work`."""
        key = (kind, shape, batch)
        plan = self.plans.pop(key, None)
        if plan is None:
            while len(self.plans) >= KEPT:
                self.end(self.plans.pop(next(iter(self.plans))))
            plan = self.make(queue, kind, shape, batch)
        self.plans[key] = plan
        return plan

    def make(self, queue: Any, kind: int, shape: tuple[int, ...], batch: int) -> int:
        made = ctypes.c_int(-1)
        n = (ctypes.c_int * len(shape))(*[size(v, "a transform") for v in shape])
        takes, embed = "pippiipiiii", (None, 1, 0)
        args = ctypes.byref(made), len(shape), n, *embed, *embed, kind, size(batch, "a batch")
        CUFFT.call(queue, "cufftPlanMany", takes, *args)
        CUFFT.call(queue, "cufftSetStream", "ip", made.value, _work.stream_of(queue))
        return made.value

    def end(self, plan: int) -> None:
        self.lib.function("cufftDestroy", "i")(plan)

    def end_all(self) -> None:
        with suppress(DeviceError), _work.context(self.device):
            for plan in self.plans.values():
                self.end(plan)
        self.plans.clear()


_plans: weakref.WeakKeyDictionary[Any, _Plans] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def _plans_of(queue: Any) -> _Plans:
    with _lock:
        found = _plans.get(queue)
        if found is None:
            found = _plans[queue] = _Plans(queue)
            weakref.finalize(queue, found.end_all).atexit = False
    return found


def execute(
    queue: Any, source: Any, to: Any, shape: tuple[int, ...], batch: int, inverse: bool
) -> None:
    """Transform a batch of arrays of a shape, unscaled.

    `source` and `to` are on the queue's device, in C's order, and of a pair of dtypes of `KINDS`.
    Of the real side each array has the shape, of the other the last axis has ``n // 2 + 1``. They
    may be one array if both are complex. A complex source of real numbers may be destroyed.
    """
    if not to.size:
        return
    if CUFFT.there(queue) and len(shape) <= MOST_AXES:
        _by_cufft(queue, source, to, shape, batch, inverse)
    elif source.dtype.kind == to.dtype.kind:
        _own_axes(queue, source, to, shape, batch, inverse)
    elif inverse:
        _own_to_real(queue, source, to, shape, batch)
    else:
        whole = _elements.cast(queue, source, to.dtype).reshape((batch, *shape))
        _own_axes(queue, whole, whole, shape, batch, False)
        half = whole[..., : shape[-1] // 2 + 1]
        queue.copy(to.reshape(half.shape), half)


def _by_cufft(
    queue: Any, source: Any, to: Any, shape: tuple[int, ...], batch: int, inverse: bool
) -> None:
    kind, function = KINDS[source.dtype.name, to.dtype.name]
    both = source.dtype.kind == to.dtype.kind
    plans = _plans_of(queue)
    # Real output is made in what goes in.
    reads, writes = ((source,), (to,)) if source.dtype.kind != "c" or both else ((), (source, to))
    with plans.lock, work(queue, reads, writes):
        plan = plans.get(queue, kind, shape, batch)
        args = [plan, address(source), address(to)]
        if both:
            args.append(INVERSE if inverse else FORWARD)
        CUFFT.call(queue, function, "ippi" if both else "ipp", *args)


def _own_axes(
    queue: Any, source: Any, to: Any, shape: tuple[int, ...], batch: int, inverse: bool
) -> None:
    """Along each axis by our own kernels: the last as it lies, others moved to the end."""
    n = shape[-1]
    rows = (math.prod(shape[:-1]) * batch, n)
    _own_fft.transform(queue, source.reshape(rows), to.reshape(rows), inverse)
    whole = to.reshape((batch, *shape))
    for axis in range(1, len(shape)):
        order = [k for k in range(len(shape) + 1) if k != axis] + [axis]
        moved = ordered(whole.transpose(*order))
        if moved._memory is whole._memory:
            moved = moved.copy()
        flat = moved.reshape((-1, shape[axis - 1]))
        _own_fft.transform(queue, flat, flat, inverse)
        queue.copy(whole.transpose(*order), moved)


def _own_to_real(queue: Any, source: Any, to: Any, shape: tuple[int, ...], batch: int) -> None:
    half = (*shape[:-1], shape[-1] // 2 + 1)
    if len(shape) > 1:  # along all but the last axis, which comes before them
        part = source.reshape((batch, *half))
        last = len(half)
        moved = ordered(part.transpose(0, last, *range(1, last)))
        moved = moved.copy() if moved._memory is part._memory else moved
        _own_axes(queue, moved, moved, shape[:-1], batch * half[-1], True)
        source = ordered(moved.transpose(0, *range(2, last + 1), 1))
    rows = math.prod(shape[:-1]) * batch
    full = queue.empty((rows, shape[-1]), source.dtype)
    grid = _own_fft.blocks(full.size)
    _own_fft.extend[grid, _own_fft.THREADS, queue](source.reshape((rows, half[-1])), full)
    _own_fft.transform(queue, full, full, True)
    _elements.real_parts(queue, full, to.reshape(full.shape))


# ---- numpy.fft's functions -------------------------------------------------------------------


def _complex_of(dtype: Any) -> np.dtype:
    if dtype.kind not in "iufcb":
        raise TypeError(f"transforms are of numbers, not of {dtype}")
    single = dtype in (np.float32, np.complex64, np.float16)
    return np.dtype(np.complex64 if single else np.complex128)


def _factor(norm: Any, n: int, inverse: bool) -> float:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if inverse == (norm != "forward") else 1.0


def _axes(a: Any, s: Any, axes: Any, last: int = 0) -> tuple[list[int], list[int]]:
    """The axes of a transform, from 0, and its lengths; `last`: the real output's."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    found = []
    for axis in axes:
        if not -a.ndim <= axis < a.ndim:
            raise np.exceptions.AxisError(axis, a.ndim)
        found.append(axis % a.ndim)
    lengths = [a.shape[k] for k in found] if s is None else [int(n) for n in s]
    if len(lengths) != len(found):
        raise ValueError("Shape and axes have different lengths.")
    lengths = [a.shape[k] if n == -1 else n for k, n in zip(found, lengths, strict=True)]
    if last and s is None and found:
        lengths[-1] = 2 * (a.shape[found[-1]] - 1)
    if any(n < 1 for n in lengths):
        raise ValueError(f"Invalid number of FFT data points ({min(lengths)}) specified.")
    if len(set(found)) != len(found):
        raise ValueError("an axis is given twice")
    return found, lengths


def _fitted(queue: Any, a: Any, axes: list[int], lengths: list[int], dtype: Any) -> Any:
    """A fresh array in C's order, whose last axes are those of the transform, cut or padded."""
    order = [k for k in range(a.ndim) if k not in axes] + axes
    a = a.transpose(*order) if order != list(range(a.ndim)) else a
    first = a.ndim - len(axes)
    shape = (*a.shape[:first], *lengths)
    keep = tuple(slice(min(m, n)) for m, n in zip(a.shape, shape, strict=True))
    new = queue.empty(shape, dtype)
    if any(m < n for m, n in zip(a.shape, shape, strict=True)):
        new.fill(0)
    part = a[(*keep, Ellipsis)]
    if part.size:
        if part.dtype == new.dtype:
            queue.copy(new[(*keep, Ellipsis)], part)
        else:
            _elements.store(queue, part, new[(*keep, Ellipsis)])
    return new


def _moved_back(a: Any, axes: list[int]) -> Any:
    order = [k for k in range(a.ndim) if k not in axes] + axes
    back = [order.index(k) for k in range(a.ndim)]
    return a.transpose(*back) if back != list(range(a.ndim)) else a


def _scaled(queue: Any, a: Any, factor: float) -> Any:
    if factor != 1 and a.size:
        _elements.store(queue, a, a, factor)
    return a


def _run(a: Any, s: Any, axes: Any, norm: Any, inverse: bool, real: bool) -> Any:
    """One of the transforms on a device."""
    queue = queue_of(a)
    axes, lengths = _axes(a, s, axes, int(real and inverse))
    if not axes:
        return a.copy()
    factor = _factor(norm, math.prod(lengths), inverse)
    dtype = _complex_of(a.dtype)
    if real and not inverse and a.dtype.kind == "c":
        raise TypeError("rfft() takes real numbers")
    given, dtype_in = list(lengths), dtype
    if real and inverse:
        given[-1] = lengths[-1] // 2 + 1
    elif real:
        dtype_in = np.empty(0, dtype).real.dtype
    source = _fitted(queue, a, axes, given, dtype_in)
    batch = math.prod(source.shape[: a.ndim - len(axes)])
    if not real:
        to = source
        for k in range(0, len(axes), MOST_AXES):  # some axes at a time
            to = _some_axes(queue, to, len(axes), k, inverse)
        return _moved_back(_scaled(queue, to, factor), axes)
    ends = list(lengths) if inverse else [*lengths[:-1], lengths[-1] // 2 + 1]
    dtype_out = np.empty(0, dtype).real.dtype if inverse else dtype
    to = queue.empty((*source.shape[: a.ndim - len(axes)], *ends), dtype_out)
    if len(axes) <= MOST_AXES:
        execute(queue, source, to, tuple(lengths), batch, inverse)
        return _moved_back(_scaled(queue, to, factor), axes)
    others = list(range(a.ndim - len(axes), a.ndim - 1))
    if inverse:
        source = ordered(_run(source, None, others, "forward", True, False))
        execute(queue, source, to, (lengths[-1],), to.size // lengths[-1], True)
    else:
        execute(queue, source, to, (lengths[-1],), source.size // lengths[-1], False)
        to = _run(to, None, others, "backward", False, False)
    return _moved_back(_scaled(queue, to, factor), axes)


def _some_axes(queue: Any, a: Any, count: int, first: int, inverse: bool) -> Any:
    """Transform at most three of the last `count` axes of an array, in place if they are last."""
    begin = a.ndim - count + first
    some = list(range(begin, min(begin + MOST_AXES, a.ndim)))
    if some[-1] == a.ndim - 1:
        shape = tuple(a.shape[k] for k in some)
        execute(queue, a, a, shape, a.size // math.prod(shape), inverse)
        return a
    order = [k for k in range(a.ndim) if k not in some] + some
    moved = ordered(a.transpose(*order))
    shape = tuple(a.shape[k] for k in some)
    execute(queue, moved, moved, shape, a.size // math.prod(shape), inverse)
    return ordered(_moved_back(moved, some))


def _one(name: str, inverse: bool, real: bool) -> Any:
    def function(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        if queue_of(a) is None:
            return getattr(np.fft, name)(a, n, axis, norm)
        if not a.ndim:
            raise np.exceptions.AxisError(axis, 0)
        return _run(a, None if n is None else [n], [axis], norm, inverse, real)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `numpy.fft.{name}`, of an array of any device."
    return function


def _more(name: str, inverse: bool, real: bool, two: bool = False) -> Any:
    default = (-2, -1) if two else None

    def function(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        if queue_of(a) is None:
            axes = tuple(range(-len(s), 0)) if axes is None and s is not None else axes
            return getattr(np.fft, name)(a, s, axes, norm)
        return _run(a, s, axes, norm, inverse, real)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `numpy.fft.{name}`, of an array of any device."
    return function


_TURNED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _turned(norm: Any) -> Any:
    """What `norm` says of the transform in the other direction."""
    _factor(norm, 1, False)
    return _TURNED[norm]


def hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """As `numpy.fft.hfft`, of an array of any device."""
    queue = queue_of(a)
    if queue is None:
        return np.fft.hfft(a, n, axis, norm)
    conjugate = queue.empty(a.shape, _complex_of(a.dtype))
    _elements.conjugates(queue, a, conjugate)
    return irfft(conjugate, n, axis, _turned(norm))


def ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """As `numpy.fft.ihfft`, of an array of any device."""
    queue = queue_of(a)
    if queue is None:
        return np.fft.ihfft(a, n, axis, norm)
    out = rfft(a, n, axis, _turned(norm))
    _elements.conjugates(queue, out, out)
    return out


fft, ifft = _one("fft", False, False), _one("ifft", True, False)
rfft, irfft = _one("rfft", False, True), _one("irfft", True, True)
fft2, ifft2 = _more("fft2", False, False, True), _more("ifft2", True, False, True)
rfft2, irfft2 = _more("rfft2", False, True, True), _more("irfft2", True, True, True)
fftn, ifftn = _more("fftn", False, False), _more("ifftn", True, False)
rfftn, irfftn = _more("rfftn", False, True), _more("irfftn", True, True)

__all__ = ["execute", "fft", "fft2", "fftn", "hfft", "ifft", "ifft2", "ifftn", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]  # fmt: skip
