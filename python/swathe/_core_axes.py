# SPDX-License-Identifier: BSD-3-Clause
"""Which axes of its operands a generalised ufunc goes through: `axes`, `axis` and `keepdims`, with
NumPy's meaning and errors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.exceptions import AxisError


def _shared(f: Any, axis: Any) -> list[Any]:
    """The axes of each operand, from one that they share."""
    parts = [*f._ins, *f._outs]
    names = {n for part in parts for n in part}
    if len(names) != 1 or any(len(part) > 1 for part in parts):
        raise TypeError(
            f"{f.__name__}: axis can only be used with a single shared core dimension, not with "
            f"the {len(names)} distinct ones implied by signature {f.signature}."
        )
    return [(axis,) if part else () for part in parts]


def _entry(f: Any, k: int, entry: Any, n: int) -> tuple[int, ...]:
    has = f"{f.__name__}: operand {k} has {n} core dimensions, but"
    if isinstance(entry, tuple):
        if len(entry) != n:
            raise AxisError(f"{has} {len(entry)} dimensions are specified by axes tuple.")
        return tuple(operator.index(e) for e in entry)
    axis = operator.index(entry)
    if n != 1:
        raise AxisError(f"{has} the axes item is a single integer.")
    return (axis,)


def _check_keepdims(f: Any, cores: list[int]) -> None:
    for k, n in enumerate(cores):
        if n != (cores[0] if k < f.nin else 0):
            which = f"input {k}" if k < f.nin else f"output {k - f.nin}"
            raise TypeError(
                f"{f.__name__} does not support keepdims: its signature {f.signature} requires "
                f"{which} to have {n} core dimensions, but keepdims can only be used when all "
                "inputs have the same number of core dimensions and all outputs have no core "
                "dimensions."
            )


def _moved(a: np.ndarray, where: tuple[int, ...]) -> np.ndarray:
    for w in where:
        if not -a.ndim <= w < a.ndim:
            raise AxisError(w, a.ndim)
    return np.moveaxis(a, where, range(-len(where), 0))


def resolve(f: Any, axes: Any, axis: Any, keepdims: Any) -> list[tuple[int, ...]]:
    """Return the axes of each operand, results last; those of a result that keeps the axes of the
    arguments are theirs.

    Raises
    ------
    TypeError, ValueError
        As `numpy.ufunc` does.
    """
    kept = bool(keepdims)
    cores = [len(part) for part in (*f._ins, *f._outs)]
    if kept:
        _check_keepdims(f, cores)
        cores[f.nin :] = [cores[0]] * f.nout
    if axes is not None and axis is not None:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if axis is not None:
        axes = _shared(f, axis)
        if kept:
            axes[f.nin :] = [axes[0]] * f.nout
    if axes is None:
        return [tuple(range(-n, 0)) for n in cores]
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == f.nin and not any(cores[f.nin :]):
        axes = [*axes, *[()] * f.nout]
    elif len(axes) == f.nin and kept:
        axes = [*axes, *[axes[0]] * f.nout]
    if len(axes) != f.nargs:
        raise ValueError(
            f"axes should be a list with an entry for all {f.nargs} inputs and outputs; entries "
            "for outputs can only be omitted if none of them has core axes."
        )
    return [_entry(f, k, e, n) for k, (e, n) in enumerate(zip(axes, cores, strict=True))]


def call(f: Any, args: tuple[Any, ...], out: Any, names: dict[str, Any]) -> Any:
    """Call a generalised ufunc along other axes than the last."""
    keepdims = names.get("keepdims", False)
    where = resolve(f, names.get("axes"), names.get("axis"), keepdims)
    given = [np.asarray(a) for a in args[: f.nin]]
    moved = [_moved(a, w) for a, w in zip(given, where, strict=False)]
    outs = list(args[f.nin :]) or (list(out) if isinstance(out, tuple) else [out])
    outs += [None] * (f.nout - len(outs))
    to = where[f.nin :]
    views = [_as_made(o, w, bool(keepdims)) for o, w in zip(outs, to, strict=True)]
    results = f(*moved, out=tuple(views) if any(o is not None for o in outs) else None)
    results = results if f.nout > 1 else (results,)
    done = []
    for r, o, w in zip(results, outs, to, strict=True):
        if o is None:
            r = np.asarray(r)
            r = r.reshape(r.shape + (1,) * len(w)) if keepdims else r
            o = np.moveaxis(r, range(-len(w), 0), w)
            o = o[()] if o.ndim == 0 else o
        done.append(o)
    return done[0] if f.nout == 1 else tuple(done)


def _as_made(out: Any, where: tuple[int, ...], keepdims: bool) -> Any:
    """An output as it is without these options."""
    if out is None:
        return None
    moved = _moved(out, where)
    return moved[(..., *[0] * len(where))] if keepdims else moved
