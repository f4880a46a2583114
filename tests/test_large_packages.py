# SPDX-License-Identifier: BSD-3-Clause
"""Functions of packages that lead to very many others are refused where they are called."""

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


def drawing(tmp_path):
    """A package that draws, by name."""
    path = tmp_path / "seaborn.py"
    path.write_text("def plot(x):\n    return open(x)\n\nplots = []\n")
    spec = importlib.util.spec_from_file_location("seaborn", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_draws_is_refused_where_it_is_called(tmp_path):
    sns = drawing(tmp_path)

    @swathe.njit
    def f(x, debug):
        if debug:
            sns.plot(x)
        return x.sum()

    with pytest.raises(swathe.UnsupportedError, match=r"function seaborn\.plot"):
        f(np.ones(3), np.int64(1))


def entropy(data, dim=2, tolerance=0.5, debug=False):
    rows = np.lib.stride_tricks.sliding_window_view(data, dim + 1)
    dists, counts = [], []
    for m in [dim, dim + 1]:
        counts.append(0)
        dists.append([])
        for i in range(len(rows) - 1):
            d = np.max(np.abs(rows[i + 1 :, :m] - rows[i, :m]), axis=1)
            if debug:
                dists[-1].extend(d)
            counts[-1] += np.sum(d <= tolerance)
    if debug:
        draw(dists)
        return (counts[0], counts, dists)
    return counts[0]


def draw(dists):
    drawn.plot(dists)


drawn = None


def test_a_flag_is_compiled_in_where_what_it_asks_for_does_not_compile(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "drawn", drawing(tmp_path))
    x = np.cos(np.arange(40.0) ** 2)
    assert swathe.njit(entropy)(x) == entropy(x)
