# SPDX-License-Identifier: BSD-3-Clause
"""Modules as values: in variables, as arguments, passed on to helpers, in tuples."""

import math
import sys
import types

import numpy as np
import pytest

import swathe

SOURCE = """
LIMIT = 3
SHARED = [1, 2]
def above(x):
    return x + LIMIT
class Twice:
    def __init__(self, x):
        self.x = x
    def get(self):
        return self.x * 2
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "module_of_the_test.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    import module_of_the_test

    yield module_of_the_test
    del sys.modules["module_of_the_test"]


def length(xp, x):
    return xp.linalg.norm(x) + xp.sqrt(x).sum()


def in_a_variable(x):
    xp = np
    return length(xp, x), xp.float32(3), xp.pi, xp.where(x > 1, 0, x)


def as_argument(x, xp):
    if not xp:
        return None
    return length(xp, x), xp.median(x), xp.inf, xp.asarray([1, 2], dtype=xp.float32)


def by_default(x, xp=np):
    return xp.mean(x)


def in_a_tuple(x, both):
    one, other = both
    return one.sqrt(x) + other.sqrt(2.0)


def of_a_package(x, fft):
    return fft.fft(x)


def by_an_expression(x):
    return (np if True else math).dot(x, x), (np.linalg if len(x) > 1e9 else np.linalg).norm(x)


X = np.arange(4.0)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (in_a_variable, (X,)),
        (as_argument, (X, np)),
        (by_default, (X,)),
        (by_default, (X, np)),
        (in_a_tuple, (X, (np, math))),
        (of_a_package, (X, np.fft)),
        (by_an_expression, (X,)),
    ],
)
def test_as_in_python(f, args):
    want, got = f(*args), swathe.njit(f)(*args)
    if not isinstance(want, tuple):
        want, got = (want,), (got,)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype


def test_one_function_for_several():
    @swathe.njit
    def root(x, m):
        return m.sqrt(x)

    assert root(4.0, math) == 2.0
    assert type(root(4.0, math)) is float
    assert type(root(4.0, np)) is np.float64
    with pytest.raises(ValueError):
        root(-1.0, math)
    with np.errstate(all="ignore"):
        assert np.isnan(root(-1.0, np))


def test_names_of_an_own_module_may_change(own_module):
    @swathe.njit
    def f(x, m):
        return m.above(x) + m.LIMIT + m.Twice(x).get()

    assert f(1, own_module) == 4 + 3 + 2
    own_module.LIMIT = 10
    assert f(1, own_module) == 11 + 10 + 2


def test_what_may_change_in_place_is_refused(own_module):
    @swathe.njit
    def f(m):
        return m.SHARED[0]

    with pytest.raises(TypeError, match=r"module_of_the_test\.SHARED of a module in a variable"):
        f(own_module)


def test_no_such_name():
    @swathe.njit
    def f(x, m):
        return m.sqr(x)

    with pytest.raises(AttributeError, match="module 'numpy' has no attribute 'sqr'") as e:
        f(1.0, np)
    assert "did you mean 'sqrt'" in str(e.value)


def test_a_module_that_no_import_finds():
    with pytest.raises(TypeError, match="'m' is of type module"):
        swathe.njit(lambda m: 1)(types.ModuleType("nowhere"))
