# SPDX-License-Identifier: BSD-3-Clause
"""The extension for Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lazy import dtypes
from .._lazy.array import LazyArray, wrap
from .._lazy.elementwise import operand
from .._lazy.node import Node, leaf
from .._lazy.placed import queue_for, there
from .creation import astype, zeros
from .manipulation import axes_of, axis_of, roll

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfftn", "rfft", "rfftfreq", "rfftn",
]  # fmt: skip

_NORMS = ("backward", "ortho", "forward")
# What transforms take and yield: whether the operand is real, whether the result is, and whether
# it is the operand or the result that has half of its elements.
_REAL = {"rfft", "ihfft", "rfftn"}
_TO_REAL = {"irfft", "hfft", "irfftn"}


def _operand(x: LazyArray, name: str) -> Node:
    node = operand(x, name)
    if name in _REAL:
        dtypes.need(name, node.dtype, "real floating-point")
        return node
    dtypes.need(name, node.dtype, "floating-point")
    return node


def _result(name: str, dtype: np.dtype) -> np.dtype:
    single = dtype in (dtypes.float32, dtypes.complex64)
    if name in _TO_REAL:
        return dtypes.float32 if single else dtypes.float64
    return dtypes.complex64 if single else dtypes.complex128


def _norm(norm: str, name: str) -> str:
    if norm not in _NORMS:
        raise ValueError(f"{name}(): norm is 'backward', 'ortho' or 'forward', not {norm!r}")
    return norm


def _make(name: str, what: str) -> Any:
    def transform(
        x: LazyArray, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> LazyArray:
        node = _operand(x, name)
        at = axis_of(axis, len(node.shape), name)
        given = node.shape[at]
        size = n
        if size is None:
            size = 2 * (given - 1) if name in _TO_REAL else given
        if size < 1:
            raise ValueError(f"Invalid number of FFT data points ({size}) specified.")
        out = size // 2 + 1 if name in _REAL else size
        shape = (*node.shape[:at], out, *node.shape[at + 1 :])
        known = (("n", size), ("axis", at), ("norm", _norm(norm, name)))
        dtype = _result(name, node.dtype)
        if name in _TO_REAL and 0 in node.shape:
            # NumPy reads a first element that is not there.
            return zeros(shape, dtype=dtype, device=x.device)
        return wrap(Node("numpy", (node,), (f"fft.{name}", known), (), dtype, shape))

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Return {what} along an axis."
    return transform


def _make_n(name: str, what: str) -> Any:
    def transform(
        x: LazyArray, /, *, s: Any = None, axes: Any = None, norm: str = "backward"
    ) -> LazyArray:
        node = _operand(x, name)
        rank = len(node.shape)
        if axes is None:
            at = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
        else:
            at = axes_of(tuple(axes), rank, name)
        sizes = [node.shape[k] for k in at]
        if s is None:
            if name in _TO_REAL and sizes:
                sizes[-1] = 2 * (sizes[-1] - 1)
        else:
            if len(s) != len(at):
                raise ValueError(f"{name}(): {len(s)} sizes for {len(at)} axes")
            sizes = [m if n == -1 else int(n) for m, n in zip(sizes, s, strict=True)]
        if not sizes and name not in ("fftn", "ifftn"):
            raise ValueError(f"{name}() needs an axis")
        if min(sizes, default=1) < 1:
            raise ValueError(f"Invalid number of FFT data points ({min(sizes)}) specified.")
        shape = list(node.shape)
        for k, size in zip(at, sizes, strict=True):
            shape[k] = size
        if name in _REAL:
            shape[at[-1]] = sizes[-1] // 2 + 1
        dtype = _result(name, node.dtype)
        if not at:
            return astype(x, dtype)
        if name in _TO_REAL and 0 in node.shape:
            return zeros(tuple(shape), dtype=dtype, device=x.device)
        known = (("s", tuple(sizes)), ("axes", at), ("norm", _norm(norm, name)))
        return wrap(Node("numpy", (node,), (f"fft.{name}", known), (), dtype, tuple(shape)))

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Return {what} along axes."
    return transform


fft = _make("fft", "the Fourier transform")
ifft = _make("ifft", "the inverse Fourier transform")
rfft = _make("rfft", "the half of the Fourier transform that determines that of real numbers")
irfft = _make("irfft", "the real numbers of which there is half of the Fourier transform")
hfft = _make("hfft", "the Fourier transform of a signal that is Hermitian, of which half is given")
ihfft = _make("ihfft", "the inverse of `hfft`")
fftn = _make_n("fftn", "the Fourier transform")
ifftn = _make_n("ifftn", "the inverse Fourier transform")
rfftn = _make_n("rfftn", "the Fourier transform of real numbers")
irfftn = _make_n("irfftn", "the inverse of `rfftn`")


def _frequencies(name: str, what: str) -> Any:
    def frequencies(
        n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None
    ) -> LazyArray:
        queue = queue_for(device)
        found = dtypes.float64 if dtype is None else dtypes.checked(dtype)
        dtypes.need(name, found, "real floating-point")
        made = getattr(np.fft, name)(n, d=d).astype(found, copy=False)
        return wrap(leaf(there(queue, made), queue))

    frequencies.__name__ = frequencies.__qualname__ = name
    frequencies.__doc__ = f"Return the frequencies of {what}."
    return frequencies


fftfreq = _frequencies("fftfreq", "a transform of n elements")
rfftfreq = _frequencies("rfftfreq", "a transform of n real elements")


def _shifted(name: str, sign: int, what: str) -> Any:
    def shifted(x: LazyArray, /, *, axes: Any = None) -> LazyArray:
        node = operand(x, name)
        dtypes.need(name, node.dtype, "floating-point")
        rank = len(node.shape)
        at = tuple(range(rank)) if axes is None else axes_of(axes, rank, name)
        by = [node.shape[k] // 2 if sign > 0 else -(node.shape[k] // 2) for k in at]
        return roll(x, tuple(by), axis=at)

    shifted.__name__ = shifted.__qualname__ = name
    shifted.__doc__ = what
    return shifted


fftshift = _shifted("fftshift", 1, "Return an array with frequency zero moved to the middle.")
ifftshift = _shifted("ifftshift", -1, "Return an array with frequency zero moved to the front.")
