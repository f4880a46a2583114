# SPDX-License-Identifier: BSD-3-Clause
"""``pyculib.blas``: BLAS as methods of one object, over arrays of a device or of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe.vendor import _blas_rows
from swathe.vendor import blas as _blas

from ._place import brought, queue_of


class Blas:
    """The routines of BLAS.

    Parameters
    ----------
    stream : stream, optional
        Where the work goes.

    Notes
    -----
    Matrices of a device are in Fortran's order; those of NumPy in any. A method returns when its
    work has been given to the device, or, with arrays of NumPy, when it is done.
    """

    def __init__(self, stream: Any = 0) -> None:
        self.stream = stream

    def _number(self, function: Any, *vectors: Any) -> Any:
        queue = queue_of(self.stream, *vectors)
        with brought(queue, vectors) as there:
            return function(*there)

    def nrm2(self, x: Any) -> Any:
        """Return the Euclidean norm of a vector."""
        return self._number(_blas.nrm2, x)

    def dot(self, x: Any, y: Any) -> Any:
        """Return the sum of products."""
        return self._number(_blas.dot, x, y)

    dotu = dot

    def dotc(self, x: Any, y: Any) -> Any:
        """Return the sum of products with the conjugate of `x`."""
        return self._number(_blas.dotc, x, y)

    def asum(self, x: Any) -> Any:
        """Return the sum of the elements' sizes."""
        return self._number(_blas.asum, x)

    def amax(self, x: Any) -> int:
        """Return the place of the element of the greatest size."""
        return self._number(_blas.iamax, x)

    def amin(self, x: Any) -> int:
        """Return the place of the element of the least size."""
        return self._number(_blas.iamin, x)

    def scal(self, alpha: Any, x: Any) -> None:
        """Let ``x = alpha * x``."""
        with brought(queue_of(self.stream, x), (), (x,)) as (there,):
            _blas.scal(alpha, there)

    def axpy(self, alpha: Any, x: Any, y: Any) -> None:
        """Let ``y = alpha * x + y``."""
        with brought(queue_of(self.stream, x, y), (x,), (y,)) as (dx, dy):
            _blas.axpy(alpha, dx, dy)

    def copy(self, x: Any, y: Any) -> None:
        """Copy `x` into `y`."""
        with brought(queue_of(self.stream, x, y), (x,), (y,)) as (dx, dy):
            _blas.copy(dx, dy)

    def swap(self, x: Any, y: Any) -> None:
        """Exchange two vectors."""
        with brought(queue_of(self.stream, x, y), (), (x, y)) as there:
            _blas.swap(*there)

    def rot(self, x: Any, y: Any, c: float, s: Any) -> None:
        """Rotate: ``x, y = c * x + s * y, c * y - s * x``."""
        with brought(queue_of(self.stream, x, y), (), (x, y)) as there:
            _blas.rot(*there, c, s)

    def rotm(self, x: Any, y: Any, param: Any) -> None:
        """Apply a modified rotation."""
        with brought(queue_of(self.stream, x, y), (), (x, y)) as there:
            _blas.rotm(*there, param)

    def rotg(self, a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
        """Return r, z, c, s of the rotation that makes (a, b) to (r, 0)."""
        return _blas.rotg(a, b)

    def rotmg(self, d1: Any, d2: Any, x1: Any, y1: Any) -> np.ndarray:
        """Return the parameters of the modified rotation."""
        return _blas.rotmg(d1, d2, x1, y1)

    def _routine(self, row: Any, args: tuple[Any, ...], names: dict[str, Any]) -> None:
        if "A" in names and any(p.name == "AP" for p in row.params):
            names["AP"] = names.pop("A")
        p = _blas._bind(row, args, names)
        del p["name"]
        kinds = {x.name: x.writes for x in row.params if x.kind in _blas._AXES}
        reads = [k for k, w in kinds.items() if not w]
        writes = [k for k, w in kinds.items() if w]
        queue = queue_of(self.stream, *(p[k] for k in kinds))
        given = ([p[k] for k in reads], [p[k] for k in writes])
        with brought(queue, *given, order="F") as there:
            _blas.routine(row.name, **p | dict(zip((*reads, *writes), there, strict=True)))


def _method(row: Any) -> Any:
    def method(self: Blas, *args: Any, **names: Any) -> None:
        self._routine(row, args, names)

    listed = ", ".join(p.name for p in row.params)
    method.__name__, method.__qualname__ = row.name, f"Blas.{row.name}"
    method.__doc__ = f"Call BLAS's routine: {row.name}({listed})."
    return method


for _row in _blas_rows.ROWS.values():
    setattr(Blas, _row.name, _method(_row))

__all__ = ["Blas"]
