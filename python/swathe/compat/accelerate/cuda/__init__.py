# SPDX-License-Identifier: BSD-3-Clause
"""``accelerate.cuda``: NVIDIA's libraries."""

import sys

from ...pyculib import blas, fft, rand, sorting, sparse
from ...pyculib.blas import Blas
from ...pyculib.fft import FFTPlan, fft_inplace, ifft_inplace
from ...pyculib.rand import PRNG, QRNG
from ...pyculib.sorting import RadixSort, segmented_sort

for _part in (blas, fft, rand, sorting, sparse):
    sys.modules[f"{__name__}.{_part.__name__.rpartition('.')[2]}"] = _part

__all__ = ["PRNG", "QRNG", "Blas", "FFTPlan", "RadixSort", "blas", "fft", "fft_inplace",
           "ifft_inplace", "rand", "segmented_sort", "sorting", "sparse"]  # fmt: skip
