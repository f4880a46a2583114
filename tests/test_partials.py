"""functools.partial: made in compiled code, and global ones that it calls."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import swathe
from swathe import njit

W = np.arange(3.0)


def base(a, b=2, *, c=3):
    return a * 100 + b * 10 + c


compiled_base = njit(base)
BY_NAME = partial(base, c=9)
FIRST = partial(BY_NAME, 1)
ADD = partial(np.add, W)
DOT = partial(lambda w, x: w @ x, W)


def made(x):
    add = partial(lambda a, b, c=0: a * b + c, 3)
    g = partial(compiled_base, c=5)
    h = partial(g, 1)
    k = partial(compiled_base, 1, b=7)
    return add(x), add(x, c=1), add(b=x, c=2), g(x, 4), g(x, c=6), h(), h(b=9), k(), k(c=1)


def passed(values):
    by = sorted(values, key=partial(lambda m, v: v % m, 3))
    mapped = list(map(partial(compiled_base, b=1), values)), list(map(partial(pow, 2), values))
    return by, mapped


def of_globals(x):
    return BY_NAME(x), BY_NAME(x, c=1), BY_NAME(x, b=4), FIRST(), FIRST(7, c=0)


def of_arrays(x):
    return ADD(x), DOT(x), ADD(x, out=x * 0)


@pytest.mark.parametrize("f, x", [(made, 4), (made, 2.5), (passed, [5, 3, 1, 4]), (of_globals, 4)])
def test_is_what_python_yields(f, x):
    assert njit(f)(x) == f(x)


def test_of_arrays():
    for ours, numpys in zip(njit(of_arrays)(np.ones(3)), of_arrays(np.ones(3)), strict=True):
        assert np.array_equal(ours, numpys)


def test_changes_are_seen():
    f = njit(of_globals)
    before = f(1)
    global BY_NAME
    kept = BY_NAME
    try:
        BY_NAME = partial(base, c=0)
        assert f(1) == of_globals(1) != before
    finally:
        BY_NAME = kept
    assert f(1) == before


def test_of_what_has_no_meaning(tmp_path):
    file = tmp_path / "part.py"
    file.write_text(
        "from functools import partial\nP = partial(open)\ndef f(x):\n    return P(*x)\n"
    )
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(swathe.CompileError):
        njit(names["f"])((1, 2))
