# SPDX-License-Identifier: BSD-3-Clause
"""``numbapro.cudalib``: NVIDIA's libraries by their own names, as in NumbaPro's first years.

``cublas.Blas`` and ``cublas.api.Blas`` are one, and so are those of the others.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ...pyculib import blas, fft, rand, sorting, sparse


class _Library(ModuleType):
    """A module under another name, whose `api` it is itself."""

    def __init__(self, name: str, of: Any) -> None:
        super().__init__(f"{__name__}.{name}", of.__doc__)
        self.__dict__.update({k: v for k, v in vars(of).items() if not k.startswith("__")})
        self.__all__ = list(of.__all__)
        self.__path__: list[str] = []
        self.api = of
        sys.modules[self.__name__] = self
        sys.modules[f"{self.__name__}.api"] = of


cublas, cufft, curand = _Library("cublas", blas), _Library("cufft", fft), _Library("curand", rand)
cusparse = _Library("cusparse", sparse)
sorting = _Library("sorting", sorting)

__all__ = ["cublas", "cufft", "curand", "cusparse", "sorting"]
