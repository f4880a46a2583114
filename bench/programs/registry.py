"""What a program of this folder is: a plain function, and a maker of its arguments at two sizes."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]
Maker = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """One program: its function, how its arguments are made, and how it is written."""

    function: Callable[..., Any]
    make: Maker
    small: tuple[int, ...]
    full: tuple[int, ...]
    style: str  # "arrays" or "loops": what its time is made of
    rtol: float

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def field(self) -> str:
        return self.function.__module__.rpartition(".")[2]

    def arguments(self, size: str) -> tuple[Any, ...]:
        """Make the arguments, the same ones each time."""
        return self.make(np.random.default_rng(7), *getattr(self, size))


PROGRAMS: list[Program] = []


def program(
    make: Maker,
    small: tuple[int, ...],
    full: tuple[int, ...],
    style: str = "arrays",
    *,
    rtol: float = 1e-9,
) -> Wrapper:
    """Register a function, which stays what it is; `make(rng, *size)` yields its arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(Program(function, make, small, full, style, rtol))
        return function

    return register


def bind(function: Callable[..., Any], loop: Any, helper: Wrapper) -> Callable[..., Any]:
    """Return the function with another meaning of `prange`, and each helper of its file wrapped.

    All get one dict of globals, a copy of their module's, so that helpers that call each other,
    or themselves, find what is wrapped.
    """
    module = vars(sys.modules[function.__module__])
    names = {**module, "prange": loop}

    def copy(f: Any) -> Any:
        return types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)

    for name, value in module.items():
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            names[name] = helper(copy(value))
    return copy(function)


def agree(got: Any, want: Any, rtol: float) -> bool:
    """Tell whether a result is NumPy's: the same types, shapes and dtypes, numbers within rtol."""
    if isinstance(want, (tuple, list)):
        return (
            isinstance(got, (tuple, list))
            and len(got) == len(want)
            and all(agree(g, w, rtol) for g, w in zip(got, want, strict=True))
        )
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind not in "fc":
        return bool((got == want).all())
    finite = np.abs(want[np.isfinite(want)])
    atol = rtol * float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(got, want, rtol=rtol, atol=atol, equal_nan=True))
