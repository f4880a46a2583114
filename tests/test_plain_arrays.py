# SPDX-License-Identifier: BSD-3-Clause
"""Objects of plain classes whose fields are arrays of any dtype and axes: `data: np.ndarray`."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt
import pytest

import swathe
from swathe import prange


@dataclass
class Grid:
    nx: int
    ny: int
    dx: float = 1.0
    data: np.ndarray = None

    def total(self):
        return self.data.sum() * self.dx


@dataclass
class State:
    u: np.ndarray
    v: npt.NDArray[np.float64]
    push: Optional[np.ndarray] = None  # noqa: UP045
    t: float = 0.0


@dataclass
class Simulation:
    state: State
    grid: Grid


@dataclass(frozen=True, slots=True)
class Pair:
    a: np.ndarray
    b: np.ndarray


class Body:
    position: np.ndarray
    mass: float

    def __init__(self, position, mass):
        self.position = position
        self.mass = mass


def summed(g):
    s = 0.0
    for i in range(g.nx):
        for j in range(g.ny):
            s += g.data[i, j] * g.dx
    g.data[0, 0] = 7
    return s + g.total()


def scaled(g):
    h = Grid(g.nx, g.ny, g.dx, g.data * 2)
    return h, h.total()


def replaced(g):
    g.data = g.data + 1
    g.nx += 1
    return g.nx


def in_parallel(g):
    for i in prange(g.nx):
        g.data[i] += i
    return g.total()


def made(n):
    return Grid(n, n, 0.5, np.zeros((n, n), np.float32))


def step(s, dt):
    s.u += dt * s.v
    if s.push is not None:
        s.u += s.push
    s.t += dt
    return s.u.sum()


def nested(sim):
    step(sim.state, 0.5)
    return sim.state.u.sum() + sim.grid.data.sum()


def listed(states):
    t = 0.0
    for s in states:
        t += s.u.sum()
        s.u = s.u * 2
    return t


def paired(p):
    p.a[0] = 5  # which is b's first, too, where they are one array
    return p.b[0] + p.a.size


def moved(b):
    b.position += b.mass
    return Body(b.position * 2, 1.0).position[0]


def said(x):
    """All that an object holds, with dtypes."""
    if isinstance(x, np.ndarray):
        return x.dtype, x.shape, x.tolist()
    if isinstance(x, (list, tuple)):
        return [said(v) for v in x]
    if hasattr(x, "__dict__") or hasattr(x, "__slots__") and not isinstance(x, np.generic):
        names = vars(x) if hasattr(x, "__dict__") else x.__slots__
        return type(x), [said(getattr(x, n)) for n in names]
    return x


def check(f, *args, **options):
    ours = copy.deepcopy(args)
    want = f(*args)
    got = swathe.njit(f, **options)(*ours)
    assert said(want) == said(got) and said(args) == said(ours)
    return ours


A = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("options", [{}, {"parallel": True}, {"debug": True}])
@pytest.mark.parametrize("a", [A, A.astype(np.float32), A.astype(int), A.T.copy().T])
def test_arrays_of_any_kind(a, options):
    for f in (summed, scaled, replaced, in_parallel):
        check(f, Grid(2, 3, 0.5, a), **options)


def test_what_they_hold_stays():
    a = A[:, ::2].copy()[::-1]
    g = Grid(2, 2, 0.5, a)
    swathe.njit(summed)(g)
    assert g.data is a and a[0, 0] == 7
    assert type(swathe.njit(made)(3)) is Grid
    check(made, 2)


def test_none_and_others_of_the_class():
    s = check(step, State(np.zeros(3), np.ones(3)), 0.5)[0]
    assert s.push is None
    check(step, State(np.zeros(3), np.ones(3), np.ones(3)), 0.5)
    check(listed, [State(np.zeros(3), np.ones(3)), State(np.ones(4), np.ones(4))])
    check(nested, Simulation(State(np.ones(2), np.ones(2)), Grid(1, 1, 1.0, np.ones(3, int))))
    check(moved, Body(np.ones(3), 2.0))
    x = np.arange(3)
    for p in (Pair(x, x), Pair(x, x.copy()), Pair(x, np.ones(2, np.float32))):
        check(paired, p)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1.0], "field 'data' of Grid is of type list, and is to be an array"),
        ("x", "field 'data' of Grid is of type str"),
        (np.array([None]), "field 'data' of Grid is an array of object"),
    ],
)
def test_what_is_no_array(value, says):
    with pytest.raises(swathe.errors.ArgumentTypeError, match=says):
        swathe.njit(summed)(Grid(1, 1, 1.0, value))


def test_lists_of_unlike_ones():
    with pytest.raises(swathe.errors.ArgumentTypeError, match="'u' of State is float64"):
        swathe.njit(listed)([State(np.ones(2), np.ones(2)), State(np.ones(2, int), np.ones(2))])
