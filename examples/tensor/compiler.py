# SPDX-License-Identifier: BSD-3-Clause
"""The one place that says which compiler the library uses.

`TENSOR_COMPILER` names its module: ``swathe.compat.numba``, unless it says ``numba``. Nothing else
in this folder knows which of the two it is.
"""

import importlib
import os

NAME = os.environ.get("TENSOR_COMPILER", "swathe.compat.numba")
numba = importlib.import_module(NAME)


def cuda():
    """Return the module of grid kernels. Numba's needs a GPU; swathe's runs on the CPU, too."""
    return importlib.import_module(NAME + ".cuda")
