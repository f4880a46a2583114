"""The sine and the cosine of one number are computed together, and are what they are alone."""

import math

import numpy as np

import swathe


def turned(x, y, at):
    c, s = math.cos(at), math.sin(at)
    return c * x - s * y, s * x + c * y


def turned32(x, y, at):
    c, s = np.cos(at), np.sin(at)
    return c * x - s * y, s * x + c * y


def test_one_call():
    f = swathe.njit(turned)
    for at in (0.0, -0.0, 1.5, -7.25, 1e9, math.pi, 5e-324):
        assert f(2.0, 3.0, at) == turned(2.0, 3.0, at)
    assert math.isnan(f(1.0, 1.0, math.nan)[0])
    assert "sincos" in next(iter(f.inspect_asm().values()))


def test_float32():
    f = swathe.njit(turned32)
    for at in (0.5, -3.0, 1e5, np.inf):
        args = np.float32(2), np.float32(3), np.float32(at)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(f(*args), turned32(*args), rtol=1e-5)
