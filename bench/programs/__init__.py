"""Whole NumPy programs, each as its field writes it, for `python bench/programs`.

A file holds the programs of one field. They know of no compiler: the runner puts the decorators on,
and binds `prange`, which is `range` here, where a program is written for several threads.
"""

from __future__ import annotations

from . import (  # noqa: F401  (they register their programs)
    algorithms,
    bodies,
    finance,
    flows,
    geography,
    images,
    learning,
    linear,
    series,
    solvers,
)
from .registry import PROGRAMS, Program, agree, bind

__all__ = ["PROGRAMS", "Program", "agree", "bind"]
