# SPDX-License-Identifier: BSD-3-Clause
"""Paths of Numba's modules by which programs import what is found elsewhere here."""

from __future__ import annotations

import importlib
import sys

# Of each module of ours, the paths that Numba has for its names.
_PATHS = {
    "": "core.decorators core.typing.typeof stencils stencils.stencil np.ufunc.decorators "
    "np.ufunc.parallel core.ccallback np.ufunc.wrappers",
    "config": "core.config",
    "extending": "core.extending",
    "types": "core.types.abstract core.types.common core.types.containers core.types.functions "
    "core.types.function_type core.types.iterators core.types.misc core.types.npytypes "
    "core.types.scalars np.types cuda.types",
    "cuda": "cuda.api cuda.decorators cuda.stubs",
}


def give() -> None:
    """Let them be imported."""
    for ours, paths in _PATHS.items():
        module = importlib.import_module(f"{__package__}.{ours}".rstrip("."))
        for path in paths.split():
            sys.modules.setdefault(f"{__package__}.{path}", module)
