# SPDX-License-Identifier: BSD-3-Clause
"""Functions of installed packages that lead to very many others are refused where they are called."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import swathe


def package(tmp_path, n):
    """f0 calls f1 and a method, which call on; the last one adds 1."""
    place = tmp_path / "site-packages"
    place.mkdir()
    lines = []
    for k in range(n):
        lines += [f"class C{k}:", "    def go(self, x):", f"        return f{k + 1}(x)"]
        lines += [f"def f{k}(x):", f"    return C{k}().go(x) if x > 1e9 else f{k + 1}(x)"]
    path = place / "large.py"
    path.write_text("\n".join([*lines, f"def f{n}(x):", "    return x + 1", ""]))
    spec = importlib.util.spec_from_file_location("large", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_small_package_is_compiled(tmp_path):
    large = package(tmp_path, 20)

    @swathe.njit
    def f(x):
        return large.f0(x[0])

    assert f(np.ones(2)) == 2


def test_a_large_package_is_refused_at_the_call(tmp_path):
    large = package(tmp_path, 2000)

    @swathe.njit
    def f(x, debug=False):
        if debug:
            large.f0(x[0])
        return x.sum()

    with pytest.raises(swathe.UnsupportedError, match=r"f0\(\): .*functions of packages"):
        f(np.ones(2))


def test_a_large_package_that_is_not_called_is_no_matter(tmp_path):
    large = package(tmp_path, 2000)
    debug = False

    @swathe.njit
    def f(x):
        if debug:
            large.f0(x[0])
        return x.sum()

    assert f(np.ones(2)) == 2
