# SPDX-License-Identifier: BSD-3-Clause
"""The names of pyculib: NVIDIA's libraries for arrays of `numba.cuda`, and of NumPy.

Work goes to the device of the arrays, or else to the current one: `swathe.device_context` or
``cuda.select_device`` chooses it. Arrays of the host go there and what is written comes back; where
the device is the CPU, they stay where they are.

>>> import numpy as np
>>> from swathe.compat.pyculib import blas
>>> float(blas.Blas().dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
11.0
"""

from . import blas, fft, rand, sorting, sparse

__version__ = "1.0.2"

__all__ = ["blas", "fft", "rand", "sorting", "sparse"]
