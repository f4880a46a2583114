"""More products of matrices in one function than have loops of their own."""

import time

import numpy as np

import swathe


def many(a, b):
    c = a @ b
    d = c @ c + a @ a
    e = np.dot(d, b) - b @ d
    c = e @ a + c @ c
    d = c @ d - d @ c
    return a @ c + d @ d + c.T @ b


def powers(a):
    a = a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a
    a = a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a
    return a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a @ a


def test_results():
    f = swathe.njit(many)
    for d in np.float64, np.float32, np.complex128:
        for n in (0, 1, 2, 3, 4, 9, 30):
            a, b = (np.random.RandomState(n + k).randint(-2, 3, (n, n)).astype(d) for k in (0, 1))
            np.testing.assert_allclose(f(a, b), many(a, b), rtol=1e-5)


def test_compile_time():
    f = swathe.njit(cache=False)(powers)
    begin = time.process_time()
    f(np.eye(3))
    assert time.process_time() - begin < 3
