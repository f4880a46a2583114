# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms along several axes, and of what is symmetric."""

import numpy as np

from swathe import static_fail
from swathe.lib.fft import _store


def _check_sizes(s, axes):
    if s is not None and axes is not None:
        if len(s) != len(axes):
            static_fail("Shape and axes have different lengths.")


def _size_along(a, s, k, axis):
    if s is None:
        return a.shape[axis]
    elif s[k] == -1:
        return a.shape[axis]
    else:
        return s[k]


def _turned(a, s, k, axis, norm, inverse):
    n = _size_along(a, s, k, axis)
    if inverse:
        return np.fft.ifft(a, n, axis, norm)
    else:
        return np.fft.fft(a, n, axis, norm)


def _along(a, s, axes, k, n, norm, inverse):
    """Transforms along the axes up to the kth of n, the last of these first."""
    if k < 0:
        return a
    elif axes is None:
        x = _turned(a, s, k, k - n, norm, inverse)
        return _along(x, s, axes, k - 1, n, norm, inverse)
    else:
        x = _turned(a, s, k, axes[k], norm, inverse)
        return _along(x, s, axes, k - 1, n, norm, inverse)


def _ahead(a, s, axes, k, n, norm):
    """Inverse transforms along all axes but the last, the first of these first."""
    if k == n - 1:
        return a
    elif axes is None:
        return _ahead(_turned(a, s, k, k - n, norm, True), s, axes, k + 1, n, norm)
    else:
        return _ahead(_turned(a, s, k, axes[k], norm, True), s, axes, k + 1, n, norm)


def _whole(a, s, axes, norm, inverse):
    x = np.asarray(a)
    _check_sizes(s, axes)
    if axes is not None:
        return _along(x, s, axes, len(axes) - 1, len(axes), norm, inverse)
    elif s is not None:
        return _along(x, s, axes, len(s) - 1, len(s), norm, inverse)
    else:
        return _along(x, s, axes, x.ndim - 1, x.ndim, norm, inverse)


def fft_fftn(a, s=None, axes=None, norm=None, out=None):
    """Transform along several axes."""
    if out is not None:
        return _store(out, fft_fftn(a, s, axes, norm))
    return _whole(a, s, axes, norm, False)


def fft_ifftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of fftn."""
    if out is not None:
        return _store(out, fft_ifftn(a, s, axes, norm))
    return _whole(a, s, axes, norm, True)


def fft_fft2(a, s=None, axes=(-2, -1), norm=None):
    """Transform along two axes."""
    return _whole(a, s, axes, norm, False)


def fft_ifft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse of fft2."""
    return _whole(a, s, axes, norm, True)


def _half(x, s, axes, n, norm):
    """rfft along the last axis, fft along the others."""
    if axes is None:
        half = np.fft.rfft(x, _size_along(x, s, n - 1, -1), -1, norm)
        return _along(half, s, axes, n - 2, n, norm, False)
    else:
        half = np.fft.rfft(x, _size_along(x, s, n - 1, axes[n - 1]), axes[n - 1], norm)
        return _along(half, s, axes, n - 2, n, norm, False)


def fft_rfftn(a, s=None, axes=None, norm=None, out=None):
    """Transform of real numbers along several axes: half of the last one."""
    if out is not None:
        return _store(out, fft_rfftn(a, s, axes, norm))
    x = np.asarray(a)
    _check_sizes(s, axes)
    if axes is not None:
        return _half(x, s, axes, len(axes), norm)
    elif s is not None:
        return _half(x, s, axes, len(s), norm)
    else:
        return _half(x, s, axes, x.ndim, norm)


def fft_rfft2(a, s=None, axes=(-2, -1), norm=None):
    """Transform of real numbers along two axes."""
    return fft_rfftn(a, s, axes, norm)


def _last_size(x, s, k, axis):
    if s is None:
        return (x.shape[axis] - 1) * 2
    else:
        return _size_along(x, s, k, axis)


def _from_half(x, s, axes, n, norm):
    """ifft along all axes but the last, irfft along that."""
    if axes is None:
        m = _last_size(x, s, n - 1, -1)
        return np.fft.irfft(_ahead(x, s, axes, 0, n, norm), m, -1, norm)
    else:
        m = _last_size(x, s, n - 1, axes[n - 1])
        return np.fft.irfft(_ahead(x, s, axes, 0, n, norm), m, axes[n - 1], norm)


def fft_irfftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of rfftn."""
    if out is not None:
        return _store(out, fft_irfftn(a, s, axes, norm))
    x = np.asarray(a)
    _check_sizes(s, axes)
    if axes is not None:
        return _from_half(x, s, axes, len(axes), norm)
    elif s is not None:
        return _from_half(x, s, axes, len(s), norm)
    else:
        return _from_half(x, s, axes, x.ndim, norm)


def fft_irfft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse of rfft2."""
    return fft_irfftn(a, s, axes, norm)


def fft_hfft(a, n=None, axis=-1, norm=None):
    """Transform of what is its own conjugate mirrored, of which half is given: real numbers."""
    x = np.asarray(a)
    m = (x.shape[axis] - 1) * 2 if n is None else n
    if norm is None or norm == "backward":
        return np.fft.irfft(np.conjugate(x), m, axis, "forward")
    elif norm == "forward":
        return np.fft.irfft(np.conjugate(x), m, axis, "backward")
    else:
        return np.fft.irfft(np.conjugate(x), m, axis, norm)


def fft_ihfft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of hfft."""
    if out is not None:
        return _store(out, fft_ihfft(a, n, axis, norm))
    x = np.asarray(a)
    m = x.shape[axis] if n is None else n
    if norm is None or norm == "backward":
        return np.conjugate(np.fft.rfft(x, m, axis, "forward"))
    elif norm == "forward":
        return np.conjugate(np.fft.rfft(x, m, axis, "backward"))
    else:
        return np.conjugate(np.fft.rfft(x, m, axis, norm))
