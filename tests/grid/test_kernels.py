"""Kernels give the same results compiled and interpreted."""

from __future__ import annotations

from typing import Any

import interpret
import kernels
import kernels_atomic  # noqa: F401  (adds to kernels.CASES)
import kernels_more  # noqa: F401
import kernels_whole  # noqa: F401
import numpy as np
import pytest

from swathe import errors, gpu

NAMES = [f"{c.kernel.__name__}-{n}" for n, c in enumerate(kernels.CASES)]
EXPECTED: dict[str, Any] = {}


def expected(name: str, case: kernels.Case) -> tuple[Any, ...]:
    if name not in EXPECTED:
        args = case.args()
        interpret.launch(case.kernel, case.grid, case.block, args, case.shared)
        EXPECTED[name] = args
    return EXPECTED[name]


def compare(got: tuple[Any, ...], want: tuple[Any, ...], rtol: float) -> None:
    for k, (g, w) in enumerate(zip(got, want, strict=True)):
        if isinstance(g, np.ndarray) and g.dtype.names:
            fields = g.dtype.names
            compare(tuple(g[n] for n in fields), tuple(w[n] for n in fields), rtol)
            continue
        np.testing.assert_allclose(g, w, rtol=rtol, atol=rtol, err_msg=f"argument {k}")


@pytest.mark.parametrize("mode", ["plain", "debug", "unchecked", "slow"])
@pytest.mark.parametrize(("name", "case"), list(zip(NAMES, kernels.CASES, strict=True)), ids=NAMES)
def test_same_as_interpreted(name: str, case: kernels.Case, mode: str) -> None:
    options = {
        "debug": {"debug": True},
        "unchecked": {"boundscheck": False},
        "slow": {"opt_level": 0},
    }
    kernel = gpu.jit(case.kernel.py_func, **options[mode]) if mode in options else case.kernel
    args = case.args()
    if mode == "debug" and case.debug:
        with pytest.raises(getattr(errors, case.debug)):
            kernel[case.grid, case.block, 0, case.shared](*args)
        return
    kernel[case.grid, case.block, 0, case.shared](*args)
    compare(args, expected(name, case), case.rtol)


def test_signatures() -> None:
    for case in kernels.CASES[:3]:
        args, want = case.args(), case.args()
        case.kernel[case.grid, case.block](*want)
        text = ", ".join(
            f"{a.dtype}[:{'' if a.flags.c_contiguous else ''}]"
            if isinstance(a, np.ndarray)
            else type(a).__name__
            for a in args
        )
        gpu.jit(f"void({text})")(case.kernel.py_func)[case.grid, case.block](*args)
        compare(args, want, 0)
