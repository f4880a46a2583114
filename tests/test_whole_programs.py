"""The programs of bench/programs compile whole, and yield what NumPy and CPython yield."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import swathe

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from programs import PROGRAMS, agree, bind

FIELDS = sorted({p.field for p in PROGRAMS})


@pytest.mark.parametrize("field", FIELDS)
def test_programs_agree_with_numpy(field: str) -> None:
    failures = []
    for program in (p for p in PROGRAMS if p.field == field):
        given, theirs = program.arguments("small"), program.arguments("small")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            want = program.function(*theirs)
        parallel = "prange" in program.function.__code__.co_names
        jit = swathe.njit(cache=False, opt_level=1, parallel=parallel)
        compiled = jit(bind(program.function, swathe.prange, lambda f: f))
        try:
            got = compiled(*given)
        except Exception as error:
            failures.append(f"{program.name}: {error}")
            continue
        arrays = [(g, t) for g, t in zip(given, theirs, strict=True) if isinstance(t, np.ndarray)]
        results = [(got, want), *arrays]
        if not all(agree(g, w, program.rtol) for g, w in results):
            failures.append(f"{program.name}: {got} differs from {want}")
    assert not failures, "\n\n".join(failures)
