"""Which pranges are refused, which raise under debug=True, and which must not (tests/races)."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import swathe
from swathe import prange
from swathe.errors import RaceError

sys.path.insert(0, str(Path(__file__).parent))
from races import fuzz, racy, racy_more, safe, safe_more  # noqa: E402, F401
from races.judge import copied  # noqa: E402

SAFE = safe.PROVEN | safe.PROMISED
WHEN_IT_RUNS = r"iteration -?\d+ .* that iteration -?\d+ has .*, in line \d+"


def compiled(function, **options):
    return swathe.njit(cache=False, **options)(function)


def same(x, y):
    if isinstance(x, tuple):
        for a, b in zip(x, y, strict=True):
            same(a, b)
    elif x is not None:
        np.testing.assert_allclose(np.asarray(x, float), np.asarray(y, float), rtol=1e-12)


@pytest.mark.parametrize("name", racy.AFFINE)
def test_a_race_in_the_text_is_refused(name):
    function, args = racy.AFFINE[name]
    for options in {"parallel": True}, {"debug": True}:
        with pytest.raises(RaceError, match="this prange are not independent: [^0-9]*'"):
            compiled(function, **options)(*copied(args))


@pytest.mark.parametrize("name", racy.AFFINE)
def test_without_parallel_it_is_a_range(name):
    function, args = racy.AFFINE[name]
    want, got = copied(args), copied(args)
    same(function(*want), compiled(function)(*got))
    same(want, got)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("name", racy.DYNAMIC)
def test_a_race_when_it_runs_raises_under_debug(name, parallel):
    function, args = racy.DYNAMIC[name]
    f = compiled(function, parallel=parallel, debug=True)
    for _ in range(2):  # nothing is left of the first
        with pytest.raises(RaceError, match=WHEN_IT_RUNS):
            f(*copied(args))


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("name", SAFE)
def test_independent_iterations_are_let_be(name, debug):
    function, args = SAFE[name]
    want, got = copied(args), copied(args)
    result = function(*want)
    f = compiled(function, parallel=True, debug=debug)
    same(result, f(*got))
    same(want, got)
    text = str(f.explain())
    unproven = "not proven independent" in text or "[par] runs serially" in text
    tested = name in safe.TESTED and (not debug or safe.TESTED[name])
    assert unproven == (name in safe.PROMISED and not tested)


@pytest.mark.parametrize("name", SAFE)
def test_debug_alone_checks_them(name):
    function, args = SAFE[name]
    want, got = copied(args), copied(args)
    same(function(*want), compiled(function, debug=True)(*got))
    same(want, got)


@pytest.mark.parametrize("seed", range(int(os.environ.get("SWATHE_FUZZ", "30"))))
def test_random_loops(seed, tmp_path):
    text, axes = fuzz.loop(random.Random(seed), "f")
    file = tmp_path / f"loop_{seed}.py"
    file.write_text("from swathe import prange\n\n\n" + text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    a, races = np.zeros((fuzz.SIZE,) * axes), fuzz.races(text, "f")
    try:
        f = compiled(module.f, parallel=True)
        f(a)
    except RaceError:
        assert races, text
        return
    if "not proven" not in str(f.explain()):
        assert not races, text
    elif races:
        with pytest.raises(RaceError):
            compiled(module.f, debug=True)(a)
    else:
        compiled(module.f, debug=True)(a)


def test_there_are_enough():
    assert len(racy.AFFINE) + len(racy.DYNAMIC) >= 40
    assert len(SAFE) >= 40


# --- loops that an exception has left ----------------------------------------------------------


def fill_until(e, n):
    for i in prange(len(e)):
        e[n * i] = 1


def left_in_body(e, n):
    try:
        for i in prange(len(e)):
            e[n * i] = 1
    except IndexError:
        e[n] = 2
    for i in prange(1):
        e[n] = i


def left_in_helper(e, n):
    try:
        fill_until(e, n)
    except IndexError:
        pass
    for i in prange(len(e)):
        e[i] = i


def left_each_time(e, n):
    for i in prange(2):
        try:
            for j in range(3):
                e[9 * i + 2 * n * j] = 1
        except IndexError:
            e[9 * i] = 4
        e[9 * i] += 1


def left_twice(e, n):
    k = 0
    for _ in range(3):
        try:
            for i in prange(len(e)):
                e[n * i] = k
        except IndexError:
            k += 1
    for i in prange(len(e)):
        e[i] += k


@pytest.mark.parametrize("f", [left_in_body, left_in_helper, left_each_time, left_twice])
def test_a_loop_that_was_left_is_over(f):
    want, got = np.arange(15), np.arange(15)
    f(want, 9)
    swathe.njit(debug=True)(f)(got, 9)
    assert list(got) == list(want)


def test_a_race_behind_one_that_was_left():
    def f(e, n):
        for i in prange(3):
            try:
                fill_until(e, n)
            except IndexError:
                pass
            e[1] = i

    with pytest.raises(swathe.errors.RaceError):
        swathe.njit(debug=True)(f)(np.arange(15), 9)
