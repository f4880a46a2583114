"""Loops in lanes whose coefficients lie apart from what they store, and those where they don't."""

import numpy as np

import swathe


def filtered(a, k, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            s = 0.0
            for u in range(3):
                for v in range(3):
                    s += k[u, v] * a[i + u - 1, j + v - 1]
            b[i, j] = s


def summed(x, w, y, z):
    for i in range(len(y)):
        s = 0.0
        t = 1.0
        for j in range(len(w)):
            s += w[j] * x[i + j]
            t *= w[j]
        y[i] = s
        z[i] = t


def places(n):
    """Of n arrays in one buffer: apart, one in the other, all at one place."""
    yield [1000 * i for i in range(n)]
    for i in range(n):
        for shift in (0, 3, 40):
            yield [1000 * k if k != i else 1000 * ((i + 1) % n) + shift for k in range(n)]
    yield [0] * n


def same(f, g, shapes):
    for at in places(len(shapes)):
        made = []
        for h in f, g:
            memory = np.random.RandomState(1).randint(-4, 5, 6000) / 8
            h(*(memory[k : k + np.prod(s)].reshape(s) for k, s in zip(at, shapes)))
            made.append(memory)
        np.testing.assert_array_equal(*made)


def test_filter():
    f = swathe.njit(filtered)
    for n in (3, 4, 10, 11, 19, 27):
        same(filtered, f, [(6, n), (3, 3), (6, n)])
    assert "apart." in next(iter(f.inspect_llvm().values()))


def test_sums():
    f = swathe.njit(summed)
    for n in (0, 1, 8, 16, 21):
        same(summed, f, [(n + 5,), (5,), (n,), (n,)])


def products(a, b, c):
    for k in range(len(a)):
        for i in range(4):
            for j in range(4):
                s = 0.0
                for m in range(4):
                    s += a[k, i, m] * b[k, m, j]
                c[k, i, j] = s


def turned(p, r, q):
    for i in range(len(p)):
        for j in range(3):
            s = 0.0
            for k in range(3):
                s += r[j, k] * p[i, k]
            q[i, j] = s


def checkered(u, f):
    for c in range(2):
        for i in range(1, u.shape[0] - 1):
            for j in range(1 + (i + c) % 2, u.shape[1] - 1, 2):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = 0.25 * (around - f[i, j])


def test_small_matrices():
    f = swathe.njit(products)
    for shape in ((5, 4, 4), (1, 4, 4), (0, 4, 4), (3, 4, 5), (3, 6, 4)):
        same(products, f, [shape] * 3)
    same(products, f, [(3, 4, 4), (3, 4, 5), (3, 5, 4)])
    assert f.explain().count("all 4 at a time") >= 1


def test_short_rows():
    f = swathe.njit(turned)
    for rows in (3, 4, 5):
        for n in (0, 1, 9):
            same(turned, f, [(n, rows), (3, 3), (n, rows)])
    same(turned, f, [(9, 3), (4, 5), (9, 4)])


def test_every_second():
    f = swathe.njit(checkered)
    for n in (2, 3, 4, 9, 18):
        same(checkered, f, [(7, n), (7, n)])


def prolonged(c, f):
    for i in range(c.shape[0] - 1):
        for j in range(c.shape[1] - 1):
            v = c[i, j]
            f[2 * i, 2 * j] += v
            f[2 * i, 2 * j + 1] += 0.5 * (v + c[i, j + 1])
            f[2 * i + 1, 2 * j] += 0.5 * (v + c[i + 1, j])
            f[2 * i + 1, 2 * j + 1] += 0.25 * (v + c[i, j + 1])


def prolonged_views(c, f):
    for i in range(c.shape[0] - 1):
        even, odd, row, below = f[2 * i], f[2 * i + 1], c[i], c[i + 1]
        for j in range(c.shape[1] - 1):
            even[2 * j] = row[j]
            even[2 * j + 1] = odd[2 * j] + row[j + 1]
            odd[2 * j] = even[2 * j] + below[j]
            odd[2 * j + 1] = below[j + 1]


def prolonged_flat(c, f):
    wide = f.shape[1]
    g = f.reshape(-1)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            g[2 * i * wide + 2 * j] -= c[i, j]
            g[2 * i * wide + 2 * j + 1] += c[i, j]
            g[(2 * i + 1) * wide + 2 * j] += g[2 * i * wide + 2 * j]


def relaxed(f, g):
    for i in range(f.shape[1]):
        for j in range(f.shape[2] - 1):
            s = 0.0
            for k in range(3):
                s += f[k, i, j]
            for k in range(3):
                f[k, i, j] += 0.5 * (s - g[k, i, j])


def test_rows_side_by_side():
    for f in (prolonged, prolonged_views, prolonged_flat):
        j = swathe.njit(f)
        for n in (1, 2, 5, 9, 18):
            same(f, j, [(3, n), (6, 2 * n)])


def by_stride(g, c, wide):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            g[2 * i * wide + 2 * j] -= c[i, j]
            g[2 * i * wide + 2 * j + 1] += c[i, j]
            g[(2 * i + 1) * wide + 2 * j] += g[2 * i * wide + 2 * j]


def test_rows_that_overlap():
    j = swathe.njit(by_stride)
    for wide in (0, 1, 2, 7, 40, 41):
        made = []
        for h in (by_stride, j):
            memory = np.arange(400) / 8
            h(memory, np.arange(60.0).reshape(3, 20), wide)
            made.append(memory)
        np.testing.assert_array_equal(*made)


def test_short_loops_inside():
    j = swathe.njit(relaxed)
    for n in (1, 2, 8, 9, 17):
        same(relaxed, j, [(3, 4, n), (3, 4, n)])
