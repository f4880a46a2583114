# SPDX-License-Identifier: BSD-3-Clause
"""Library calls on a device: the vendor's library or kernels in its place, else compiled code.

A call that neither has runs compiled on the device, as far as its loops do; what is compiled for
no device, NumPy does for a copy of the operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._device_array import DeviceArray
from ..errors import NoLibraryError
from . import emit, placed
from .library import CALLS
from .node import Node

Known = dict[str, Any]


def call(node: Node, args: list[Any]) -> Any:
    """Return what a call yields, of values of its operands: a value, or a tuple of some."""
    if node.op == "item":
        return args[0][node.par[0]]
    name, known = node.par[0], dict(node.par[1])
    f = _FUNCTIONS.get(name)
    if f is not None and not node.vals and all(isinstance(a, DeviceArray) for a in args):
        try:
            found = f(args, known)
            if found is not None:
                return found
        except NoLibraryError:
            pass
    if node.dtype is not None and name not in _HOST:
        out = node.queue.empty(node.shape, node.dtype) if node.shape else None
        given = [*_plain(args), *node.vals]
        found = emit.of_call(node).on(node.queue, given, [] if out is None else [out])
        return found if out is None else out
    return CALLS[node.op]([placed.here(a) for a in args], node.par, node.vals)


def _plain(args: list[Any]) -> list[Any]:
    """Values as arguments of compiled functions: what has no axes is a number."""
    return [a[()] if isinstance(a, np.ndarray) and not a.ndim else a for a in args]


def _matmul(x: list[Any], known: Known) -> Any:
    from ..vendor import blas

    return blas.matmul(*x)


def _tensordot(x: list[Any], known: Known) -> Any:
    from ..vendor import blas
    from ..vendor._work import ordered

    a, b = x
    left, right = known["axes"]
    rows = [k for k in range(a.ndim) if k not in left]
    columns = [k for k in range(b.ndim) if k not in right]
    shape = (*[a.shape[k] for k in rows], *[b.shape[k] for k in columns])
    inner = int(np.prod([a.shape[k] for k in left], dtype=int))
    if not inner or 0 in shape:
        return None
    a = ordered(a.transpose(*rows, *left)).reshape((-1, inner))
    b = ordered(b.transpose(*right, *columns)).reshape((inner, -1))
    return blas.matmul(a, b).reshape(shape)


def _transform(name: str) -> Callable[[list[Any], Known], Any]:
    def transform(x: list[Any], known: Known) -> Any:
        from ..vendor import fft

        return getattr(fft, name)(x[0], **known) if x[0].size else None

    return transform


def _sort(x: list[Any], known: Known) -> Any:
    from ..vendor import sorting
    from ..vendor._work import ordered

    (a,), axis = x, known["axis"]
    if a.ndim == 1 or not a.size:
        return sorting.sort(a) if a.ndim == 1 else None
    others = [k for k in range(a.ndim) if k != axis]
    rows = ordered(a.transpose(*others, axis))
    flat, n = rows.reshape(a.size), a.shape[axis]
    at = sorting.segmented_argsort(flat, np.arange(n, a.size, n))
    found = sorting.take(flat, at).reshape(rows.shape)
    return found.transpose(*np.argsort([*others, axis]).tolist())


def _argsort(x: list[Any], known: Known) -> Any:
    from ..vendor import sorting

    return sorting.argsort(x[0]) if x[0].ndim == 1 else None


def _solver(name: str, *allowed: tuple[str, Any]) -> Callable[[list[Any], Known], Any]:
    """A function of the solver; where other options are given than it has, it isn't asked."""

    def solve(x: list[Any], known: Known) -> Any:
        from ..vendor import solver

        if any(known.get(key, value) != value for key, value in allowed):
            return None
        found = getattr(solver, name)(*x)
        return tuple(found) if isinstance(found, tuple) else found

    return solve


_SEVERAL = {f"linalg.{name}" for name in ("eig", "eigh", "qr", "slogdet", "svd")}  # yield tuples
_HOST = _SEVERAL | {"linalg.eigvals"}  # whose results compiled code has in another form
_FUNCTIONS: dict[str, Callable[[list[Any], Known], Any]] = {
    "matmul": _matmul,
    "tensordot": _tensordot,
    "sort": _sort,
    "argsort": _argsort,
    "linalg.cholesky": _solver("cholesky", ("upper", False)),
    "linalg.det": _solver("det"),
    "linalg.eigh": _solver("eigh"),
    "linalg.inv": _solver("inv"),
    "linalg.qr": _solver("qr", ("mode", "reduced")),
    "linalg.solve": _solver("solve"),
    "linalg.svd": _solver("svd", ("full_matrices", False)),
}
_FUNCTIONS |= {
    f"fft.{name}": _transform(name)
    for name in (
        "fft",
        "fftn",
        "hfft",
        "ifft",
        "ifftn",
        "ihfft",
        "irfft",
        "irfftn",
        "rfft",
        "rfftn",
    )  # fmt: skip
}
