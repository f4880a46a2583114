# SPDX-License-Identifier: BSD-3-Clause
"""Libraries of numbers over arrays on any device: products, transforms, random numbers, sorts,
sparse matrices, systems of equations.

On a CUDA device they are NVIDIA's (cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER), which are looked for
when they are first needed: nothing is linked. Where one is missing, kernels of our own serve for
products, transforms, random numbers, sparse products and sorts; for the rest an error says how to
get it. On other devices the kernels do, and arrays of the host go to NumPy and compiled code.

- `blas`: `matmul` and the routines of BLAS
- `fft`: the functions of `numpy.fft`, and plans
- `random`: generators of pseudo- and quasi-random numbers
- `sorting`: radix sort, selection, sort by segments
- `sparse`: matrices of compressed rows on a device
- `solver`: `solve`, `cholesky`, `qr`, `eigh`, `svd`

>>> import numpy as np
>>> from swathe.vendor import blas
>>> blas.matmul(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
array([[1., 2.],
       [3., 4.]])
"""

from __future__ import annotations

from typing import Any

from ..errors import LibraryError, NoLibraryError
from ._load import found

__all__ = ["LibraryError", "NoLibraryError", "blas", "fft", "found", "random", "solver", "sorting",
           "sparse"]  # fmt: skip

_LATER = ("blas", "fft", "random", "solver", "sorting", "sparse")


def __getattr__(name: str) -> Any:
    """Import the parts when they are asked for."""
    if name in _LATER:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"swathe.vendor has no '{name}'")
