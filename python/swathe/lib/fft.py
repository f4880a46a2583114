# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms along one axis: lengths, padding and factors here, the work in a kernel."""

import numpy as np

from swathe import _kernels
from swathe.lib.shapes import _check_cast, _resized


def fft_fft(a, n=None, axis=-1, norm=None, out=None):
    """Discrete Fourier transform of length n: what is longer is cut, what is shorter is padded."""
    if out is not None:
        return _store(out, fft_fft(a, n, axis, norm))
    return _transform(np.asarray(a), n, axis, norm, False)


def fft_ifft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of fft."""
    if out is not None:
        return _store(out, fft_ifft(a, n, axis, norm))
    return _transform(np.asarray(a), n, axis, norm, True)


def fft_rfft(a, n=None, axis=-1, norm=None, out=None):
    """Half of the transform of real numbers, of which the other half is the conjugate."""
    if out is not None:
        return _store(out, fft_rfft(a, n, axis, norm))
    a = np.asarray(a)
    m = a.shape[axis] if n is None else n
    _check(m, norm, ",")
    if a.dtype.kind == "c":
        if m % 2:
            raise TypeError(
                "ufunc 'rfft_n_odd' not supported for the input types, and the inputs"
                " could not be safely coerced to any supported types according to the"
                " casting rule ''safe''"
            )
        raise TypeError(
            "ufunc 'rfft_n_even' not supported for the input types, and the inputs"
            " could not be safely coerced to any supported types according to the"
            " casting rule ''safe''"
        )
    given = np.moveaxis(a, axis, -1)
    x = given[..., : min(m, a.shape[axis])].astype(np.float64)
    half = _resized(a, m // 2 + 1, axis, np.complex128)
    _kernels.rfft(x, np.moveaxis(half, axis, -1), m)
    return _narrow_fft(_scaled(half, a, norm, "forward", m), a)


def fft_irfft(a, n=None, axis=-1, norm=None, out=None):
    """Inverse of rfft: real numbers, 2 * (m - 1) of them unless n says otherwise."""
    if out is not None:
        return _store(out, fft_irfft(a, n, axis, norm))
    a = np.asarray(a)
    m = 2 * (a.shape[axis] - 1) if n is None else n
    _check(m, norm, ", ")
    given = np.moveaxis(a, axis, -1)
    half = given[..., : min(m // 2 + 1, a.shape[axis])].astype(np.complex128)
    x = _resized(a, m, axis, np.float64)
    _kernels.irfft(half, np.moveaxis(x, axis, -1))
    r = _scaled(x, a, norm, "backward", m)
    if a.dtype == np.float16:
        return r.astype(np.float16)
    if a.dtype == np.float32 or a.dtype == np.complex64:
        return r.astype(np.float32)
    return r


def _transform(a, n, axis, norm, inverse):
    m = a.shape[axis] if n is None else n
    _check(m, norm, ", " if inverse else ",")
    x = _padded(a, m, axis)
    _kernels.fft(np.moveaxis(x, axis, -1), inverse)
    return _narrow_fft(_scaled(x, a, norm, "backward" if inverse else "forward", m), a)


def _check(m, norm, comma):
    """Raise ValueError for a length or norm that there is not, as NumPy spells it in either way."""
    if m < 1:
        raise ValueError(f"Invalid number of FFT data points ({m}) specified.")
    if norm is not None and norm not in ("backward", "ortho", "forward"):
        raise ValueError(
            f'Invalid norm value {norm}; should be "backward"{comma}"ortho" or "forward".'
        )


def _padded(a, m, axis):
    """The elements as complex numbers, along an axis with zeros up to m."""
    given = np.moveaxis(a, axis, -1)
    x = _resized(a, m, axis, np.complex128)
    rows = np.moveaxis(x, axis, -1)
    k = min(m, a.shape[axis])
    rows[..., :k] = given[..., :k]
    rows[..., k:] = 0
    return x


def _scaled(x, a, norm, divided, m):
    """With the factor that `norm` asks for, in a's precision: in one direction 1 / m."""
    if norm == "ortho":
        if a.dtype == np.float16:
            x *= np.float64(1 / np.sqrt(np.float16(m)))
        elif a.dtype == np.float32 or a.dtype == np.complex64:
            x *= np.float64(1 / np.sqrt(np.float32(m)))
        else:
            x *= 1 / np.sqrt(m)
    elif norm == divided or (norm is None and divided == "backward"):
        if a.dtype == np.float16:
            x *= np.float64(1 / np.float16(m))
        elif a.dtype == np.float32 or a.dtype == np.complex64:
            x *= np.float64(1 / np.float32(m))
        else:
            x *= 1 / m
    return x


def _narrow_fft(x, a):
    """A result in single precision where the argument is."""
    if a.dtype == np.float32 or a.dtype == np.float16 or a.dtype == np.complex64:
        return x.astype(np.complex64)
    return x


def _store(out, r):
    """In out=, which has the shape of the result."""
    if out.shape != r.shape:
        raise ValueError("output array has wrong shape.")
    _check_cast(r, out, "same_kind")
    out[...] = r
    return out
