#!/usr/bin/env python3
"""Deblur an image: NumbaPro's FFT plans, streams and ufuncs for a GPU.

A picture is blurred by a Gaussian and gets some noise; Wiener's filter takes the blur back. Both
transforms, of picture and blur, go to streams of their own. It runs on the CPU, and on a GPU inside
`swathe.device_context("cuda")` or after ``cuda.select_device(0)``.

    python examples/numbapro/deblur.py [--size N]
"""

from __future__ import annotations

import argparse

import numpy as np

from swathe.compat.numbapro import cuda, vectorize
from swathe.compat.numbapro.cudalib import cufft


@vectorize(["complex64(complex64, complex64)"], target="gpu")
def times(a, b):
    """A convolution, in the other space."""
    return a * b


@vectorize(["complex64(complex64, complex64, float32)"], target="gpu")
def wiener(picture, blur, noise):
    """N. Wiener's filter: where the blur has left little, the noise is not made great."""
    power = blur.real * blur.real + blur.imag * blur.imag
    return picture * blur.conjugate() / (power + noise)


def scene(n: int) -> np.ndarray:
    """Squares, a disc and stripes."""
    y, x = np.mgrid[:n, :n] / n
    image = np.where((abs(x - 0.3) < 0.1) & (abs(y - 0.3) < 0.15), 1.0, 0.0)
    image += np.where((x - 0.7) ** 2 + (y - 0.6) ** 2 < 0.03, 0.8, 0.0)
    return (image + 0.3 * (np.sin(40 * x) > 0) * (y > 0.8)).astype(np.float32)


def gaussian(n: int, width: float) -> np.ndarray:
    """A blur whose middle is element (0, 0), of sum 1."""
    d = np.minimum(np.arange(n), n - np.arange(n))
    one = np.exp(-(d * d) / (2 * width * width))
    out = np.outer(one, one)
    return (out / out.sum()).astype(np.complex64)


def filtered(picture: np.ndarray, blur: np.ndarray, apply) -> np.ndarray:
    """Transform both, each in a stream, apply a filter, and transform back."""
    first, second = cuda.stream(), cuda.stream()
    plans = [
        cufft.FFTPlan(picture.shape, np.complex64, np.complex64, stream=s) for s in (first, second)
    ]
    with cuda.pinned(picture, blur):
        d_picture = cuda.to_device(picture.astype(np.complex64), stream=first)
        d_blur = cuda.to_device(blur, stream=second)
        plans[0].forward(d_picture, out=d_picture)
        plans[1].forward(d_blur, out=d_blur)
        second.synchronize()
        apply(d_picture, d_blur, d_picture)
        plans[0].inverse(d_picture, out=d_picture)
        return d_picture.copy_to_host(stream=first).real / picture.size


def main(size: int = 256) -> tuple[float, float]:
    """Return how far the blurred picture and the deblurred one are from what there was."""
    image, blur = scene(size), gaussian(size, 1.0)
    blurred = filtered(image, blur, lambda a, b, out: times(a, b, out=out))
    noisy = blurred + np.random.default_rng(1).normal(0, 1e-3, image.shape).astype(np.float32)
    back = filtered(noisy, blur, lambda a, b, out: wiener(a, b, np.float32(1e-3), out=out))
    off = [float(np.sqrt(((x - image) ** 2).mean())) for x in (noisy, back)]
    print(f"off by {off[0]:.4f} when blurred, by {off[1]:.4f} when deblurred")
    return off[0], off[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=256)
    main(parser.parse_args().size)
