"""Neighbours in a grid that is closed to a ring, with the period added before the remainder."""

import numpy as np

import swathe


def life(a, b):
    h, w = a.shape
    for i in range(h):
        for j in range(w):
            n = 0
            for u in range(-1, 2):
                for v in range(-1, 2):
                    if u != 0 or v != 0:
                        n += int(a[(i + u + h) % h, (j + v + w) % w])
            b[i, j] = 1 if n == 3 or (n == 2 and a[i, j] == 1) else 0


def ring(a, b, n, far):
    for i in range(n):
        b[i] = a[(i + n + 1) % n] - a[(2 * n + i - 2) % n] + a[(i - 1 + n + n) % n]
    for i in range(0, n, 2):
        b[i] += a[(far + i + n) % n] * a[(n - i) % n]


def product(f, *args):
    args = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    try:
        f(*args)
    except (IndexError, ZeroDivisionError) as error:
        args.append(type(error))
    return args


def same(f, g, *args):
    for x, y in zip(product(f, *args), product(g, *args), strict=True):
        np.testing.assert_array_equal(x, y)


def test_life():
    f = swathe.njit(life)
    for h, w in (0, 3), (1, 1), (1, 2), (2, 2), (3, 1), (3, 3), (5, 17), (8, 40):
        a = np.random.RandomState(h + w).randint(0, 2, (h, w)).astype(np.uint8)
        same(life, f, a, a * 0)


def test_ring():
    f = swathe.njit(ring)
    a = np.arange(19) ** 2
    for n in (-3, 0, 1, 2, 3, 7, 16, 19, 20):
        for far in (0, 1, -2, 5, 40, 2**62, -(2**62)):
            same(ring, f, a, a * 0, n, far)
