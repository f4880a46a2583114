# SPDX-License-Identifier: BSD-3-Clause
"""``pyculib.fft``: plans, and transforms of one call. As cuFFT's, the inverse is unscaled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from swathe._device_array import DeviceArray
from swathe.vendor import _work
from swathe.vendor import fft as _fft

from ._place import plain, queue_of

CUFFT_FORWARD, CUFFT_INVERSE = -1, 1


class FFTPlan:
    """How arrays of a shape are transformed.

    Parameters
    ----------
    shape : tuple of int
        Of what goes in, without the batch; one to three axes.
    itype, otype : dtype
        Of what goes in and what comes out; one of them, or both, complex.
    batch : int, default 1
        How many arrays there are.
    stream : stream, optional
    mode : int, optional
        Of no meaning any more.
    """

    MODE_NATIVE, MODE_FFTW_PADDING, MODE_FFTW_ASYMMETRIC = 0, 1, 2
    MODE_FFTW_ALL, MODE_DEFAULT = 3, 1
    SUPPORTED_TYPES = {
        tuple(np.dtype(n) for n in names): kind for names, (kind, _) in _fft.KINDS.items()
    }

    def __init__(
        self,
        shape: Any,
        itype: Any,
        otype: Any,
        batch: int = 1,
        stream: Any = 0,
        mode: int = MODE_DEFAULT,
    ) -> None:
        shape = tuple(int(n) for n in ((shape,) if np.ndim(shape) == 0 else shape))
        self.itype, self.otype = np.dtype(itype), np.dtype(otype)
        self.operation = self.SUPPORTED_TYPES.get((self.itype, self.otype))
        if self.operation is None:
            raise ValueError(f"Invalid type combination: {self.itype} and {self.otype}")
        if not 1 <= len(shape) <= 3 or min(shape) < 1 or batch < 1:
            raise ValueError(f"a plan is of one to three axes and a batch, not {shape} and {batch}")
        both = self.itype.kind == self.otype.kind
        self.direction = "both" if both else "forward" if self.otype.kind == "c" else "inverse"
        if self.direction == "inverse":
            shape = (*shape[:-1], (shape[-1] - 1) * 2)
            if shape[-1] < 1:
                raise ValueError("the last axis of a transform to real numbers has 2 or more")
        self.shape, self.batch, self.stream, self.mode = shape, int(batch), stream, mode
        half = (*shape[:-1], shape[-1] // 2 + 1)
        self.ishape = half if self.direction == "inverse" else shape
        self.oshape = half if self.direction == "forward" else shape

    def forward(self, ary: Any, out: Any = None) -> Any:
        """Transform; into `out`, which may be `ary`, or a new NumPy array. Return it."""
        return self._run(ary, out, False)

    def inverse(self, ary: Any, out: Any = None) -> Any:
        """Transform back, times the number of elements; return as `forward` does."""
        return self._run(ary, out, True)

    def _run(self, ary: Any, out: Any, inverse: bool) -> Any:
        if self.direction == ("forward" if inverse else "inverse"):
            raise TypeError(f"Invalid operation: a plan of {self.itype} to {self.otype}")
        if ary.dtype != self.itype:
            raise ValueError(f"Incompatible input array dtype: {ary.dtype}, not {self.itype}")
        shape, batch = self._taken(ary)
        if out is None:
            out = np.empty((*shape[: ary.ndim - len(self.ishape)], *self.oshape), self.otype)
        elif out.dtype != self.otype:
            raise ValueError(f"Incompatible output dtype: {out.dtype}, not {self.otype}")
        elif out.size != batch * math.prod(self.oshape):
            raise ValueError(f"Incompatible output shape: {out.shape}")
        queue = queue_of(self.stream, ary, out)
        if queue is None:
            plain(out)[...] = self._by_numpy(plain(ary), batch, inverse).reshape(out.shape)
        else:
            self._there(queue, ary, out, batch, inverse)
        return out

    def _taken(self, ary: Any) -> tuple[tuple[int, ...], int]:
        """The shape of the input, and how many arrays it is."""
        n = len(self.ishape)
        batch, rest = divmod(ary.size, math.prod(self.ishape))
        if ary.shape[-n:] != self.ishape and ary.ndim != 1 or rest or batch != self.batch:
            raise ValueError(
                f"Incompatible input array shape: {ary.shape}, of a plan of {self.batch} x "
                f"{self.ishape}"
            )
        return ary.shape, batch

    def _by_numpy(self, ary: np.ndarray, batch: int, inverse: bool) -> np.ndarray:
        a = ary.reshape((batch, *self.ishape))
        axes = tuple(range(1, a.ndim))
        if self.direction == "forward":
            return np.fft.rfftn(a, axes=axes)
        if self.direction == "inverse":
            return np.fft.irfftn(a, self.shape, axes, norm="forward")
        f = np.fft.ifftn if inverse else np.fft.fftn
        return f(a, axes=axes, norm="forward" if inverse else "backward")

    def _there(self, queue: Any, ary: Any, out: Any, batch: int, inverse: bool) -> None:
        on_host = not isinstance(ary, DeviceArray)
        source = queue.to_device(plain(ary)) if on_host else _work.on(queue, ary)
        source = _work.ordered(source)
        if self.direction == "inverse" and not on_host and source._memory is ary._memory:
            source = source.copy()  # what goes in is destroyed
        to = queue.empty(out.shape, self.otype)
        if isinstance(out, DeviceArray) and out.is_c_contiguous():
            to = _work.on(queue, out)
        _fft.execute(queue, source, to, self.shape, batch, inverse)
        if not isinstance(out, DeviceArray):
            plain(out)[...] = to.copy_to_host()
        elif to._memory is not out._memory:
            queue.copy(_work.on(queue, out), to)


def _once(ary: Any, out: Any, stream: Any, inverse: bool) -> Any:
    plan = FFTPlan(ary.shape, ary.dtype, out.dtype, stream=stream)
    (plan.inverse if inverse else plan.forward)(ary, out)
    return out


def fft(ary: Any, out: Any, stream: Any = None) -> Any:
    """Transform `ary` into `out`, and return that."""
    return _once(ary, out, stream, False)


def ifft(ary: Any, out: Any, stream: Any = None) -> Any:
    """Transform back, times the number of elements; return `out`."""
    return _once(ary, out, stream, True)


def fft_inplace(ary: Any, stream: Any = None) -> Any:
    """Transform a complex array in its own memory."""
    return _once(ary, ary, stream, False)


def ifft_inplace(ary: Any, stream: Any = None) -> Any:
    """Transform back in its own memory, times the number of elements."""
    return _once(ary, ary, stream, True)


__all__ = ["FFTPlan", "fft", "fft_inplace", "ifft", "ifft_inplace"]
