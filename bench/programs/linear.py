"""Linear algebra: products, factorisations, solves and eigenvalues, as loops and as calls."""

import numpy as np

from .registry import program

prange = range


def _square(rng, n):
    return (rng.normal(size=(n, n)) + n * np.eye(n),)


def _positive(rng, n):
    a = rng.normal(size=(n, n))
    return (a @ a.T + n * np.eye(n),)


@program(
    lambda rng, n: (1.5, 0.7, rng.random((n, n)), rng.random((n, n)), rng.random((n, n))),
    (9,),
    (300,),
)
def gemm_call(alpha, beta, a, b, c):
    """The product as everybody writes it."""
    c[:] = alpha * a @ b + beta * c
    return c


@program(
    lambda rng, n: (1.5, 0.7, rng.random((n, n)), rng.random((n, n)), rng.random((n, n))),
    (9,),
    (90,),
    "loops",
)
def gemm_loops(alpha, beta, a, b, c):
    """Three loops, in the order that suits the memory."""
    n, m, depth = a.shape[0], b.shape[1], a.shape[1]
    for i in prange(n):
        for j in range(m):
            c[i, j] *= beta
        for k in range(depth):
            s = alpha * a[i, k]
            for j in range(m):
                c[i, j] += s * b[k, j]
    return c


@program(
    lambda rng, n: (rng.random((n, n)), rng.random(n), rng.random((n, 8)), rng.random((8, n))),
    (7,),
    (600,),
)
def product_chain(a, x, p, q):
    """Products of all shapes: thin, transposed, of a vector, of a matrix with itself."""
    y = a.T @ (a @ x)
    thin = a @ p
    wide = q @ a
    gram = p.T @ p
    return y, thin @ q.sum(axis=1), wide.sum(axis=1), gram, x @ a, np.dot(x, y), thin.T @ y


@program(lambda rng, n: (rng.random(n), rng.random(n), rng.random((n, n))), (7,), (700,))
def gemver(u, v, a):
    """Rank-one updates and two products of a vector."""
    a += np.outer(u, v)
    a += np.outer(v, u)
    x = 1.2 * (v @ a) + u
    w = 0.8 * (a @ x)
    return x, w


@program(lambda rng, n: (rng.random((n + 20, n)),), (6,), (250,))
def covariance(data):
    """Centre the columns, then one product; and NumPy's own for the same."""
    centred = data - data.mean(axis=0)
    cov = centred.T @ centred / (data.shape[0] - 1)
    spread = np.sqrt(np.diag(cov))
    return cov, cov / np.outer(spread, spread), np.cov(data.T)


@program(lambda rng, n: (rng.random((n + 20, n)),), (6,), (70,), "loops")
def correlation_loops(data):
    """Covariance and correlation, pair by pair."""
    n, m = data.shape
    mean = np.zeros(m)
    spread = np.zeros(m)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
        for i in range(n):
            spread[j] += (data[i, j] - mean[j]) ** 2
        spread[j] = np.sqrt(spread[j] / n)
        if spread[j] <= 0.1:
            spread[j] = 1.0
    corr = np.eye(m)
    for i in prange(m - 1):
        for j in range(i + 1, m):
            s = 0.0
            for k in range(n):
                s += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
            corr[i, j] = s / (n * spread[i] * spread[j])
            corr[j, i] = corr[i, j]
    return corr


@program(_square, (6,), (120,))
def lu_pivot(a):
    """Gaussian elimination with pivots, rows swapped by lists of indices, outer products."""
    a = a.copy()
    n = a.shape[0]
    order = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            order[[k, p]] = order[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


@program(_square, (6,), (70,), "loops")
def lu_loops(a):
    """The same without pivots, three loops."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return a


@program(_positive, (6,), (160,))
def cholesky_dots(a):
    """Cholesky's factor, row by row, inner products of slices."""
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i):
            low[i, j] = (a[i, j] - np.dot(low[i, :j], low[j, :j])) / low[j, j]
        low[i, i] = np.sqrt(a[i, i] - np.dot(low[i, :i], low[i, :i]))
    return low


def _forward(low, b):
    x = np.zeros_like(b)
    for i in range(b.size):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return x


def _backward(up, b):
    x = np.zeros_like(b)
    for i in range(b.size - 1, -1, -1):
        x[i] = (b[i] - up[i, i + 1 :] @ x[i + 1 :]) / up[i, i]
    return x


@program(lambda rng, n: (*_positive(rng, n), rng.random(n)), (6,), (300,))
def cholesky_solve(a, b):
    """A call for the factor, helpers for the triangles, and the call that does it all."""
    low = np.linalg.cholesky(a)
    x = _backward(low.T, _forward(low, b))
    return (
        x,
        np.linalg.norm(a @ x - b) < 1e-8,
        np.linalg.solve(a, b),
        2 * np.log(np.diag(low)).sum(),
    )


@program(lambda rng, n, m: (rng.normal(size=(n, m)),), (8, 4), (200, 60))
def gram_schmidt(a):
    """Modified Gram and Schmidt, columns as slices."""
    n, m = a.shape
    q = np.zeros((n, m))
    r = np.zeros((m, m))
    for k in range(m):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, m):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@program(lambda rng, n, m: (rng.normal(size=(n, m)),), (8, 4), (160, 80))
def householder_qr(a):
    """Reflections applied as rank-one updates."""
    n, m = a.shape
    r = a.copy()
    q = np.eye(n)
    for k in range(m):
        x = r[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
        q[:, k:] -= 2.0 * np.outer(q[:, k:] @ v, v)
    return q, np.triu(r)


@program(_positive, (5,), (40,), "loops", rtol=1e-7)
def jacobi_eigenvalues(a):
    """Cyclic rotations until the rest is small."""
    n = a.shape[0]
    for _sweep in range(30):
        rest = 0.0
        for i in range(n):
            for j in range(i):
                rest += a[i, j] ** 2
        if rest < 1e-18:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) < 1e-14:
                    continue
                theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = np.sign(theta) / (abs(theta) + np.sqrt(theta**2 + 1)) if theta != 0 else 1.0
                c = 1 / np.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    x, y = a[k, p], a[k, q]
                    a[k, p] = c * x - s * y
                    a[k, q] = s * x + c * y
                for k in range(n):
                    x, y = a[p, k], a[q, k]
                    a[p, k] = c * x - s * y
                    a[q, k] = s * x + c * y
    return np.sort(np.diag(a))


@program(lambda rng, n: (*_positive(rng, n), rng.random(n)), (6,), (400,), rtol=1e-7)
def conjugate_gradient(a, b):
    """The iteration as in the textbook."""
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    steps = 0
    while np.sqrt(rr) > 1e-10 and steps < 200:
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + new / rr * p
        rr = new
        steps += 1
    return x, steps


def _sparse(rng, n, width):
    counts = rng.integers(0, 2 * width, n)
    start = np.concatenate(([0], np.cumsum(counts)))
    column = rng.integers(0, n, start[-1])
    return rng.random(start[-1]), column, start, rng.random(n)


@program(_sparse, (9, 2), (6000, 8), "loops")
def csr_product(value, column, start, x):
    """A sparse matrix in rows, times a vector."""
    n = start.size - 1
    y = np.zeros(n)
    for i in prange(n):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s
    return y


@program(_sparse, (9, 2), (4000, 8))
def csr_product_slices(value, column, start, x):
    """The same with a gather for each row."""
    n = start.size - 1
    y = np.empty(n)
    for i in range(n):
        y[i] = value[start[i] : start[i + 1]] @ x[column[start[i] : start[i + 1]]]
    return y, np.add.reduceat(value, start[:-1][start[:-1] < start[1:]])


@program(lambda rng, n: (rng.random((n, n)) < 0.1, 0.85, 40), (8,), (400,))
def pagerank(links, damping, steps):
    """Power iteration over a matrix of probabilities; pages without links jump anywhere."""
    n = links.shape[0]
    out = links.sum(axis=0)
    m = np.where(out > 0, links / np.maximum(out, 1), 1.0 / n)
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        rank = damping * (m @ rank) + (1 - damping) / n
    return rank, np.argsort(-rank)[:5]


@program(lambda rng, n, m: (rng.random((n, m)), rng.random(n)), (12, 4), (3000, 30), rtol=1e-7)
def least_squares(a, b):
    """Normal equations, ridge, and the call."""
    m = a.shape[1]
    gram = a.T @ a
    x = np.linalg.solve(gram, a.T @ b)
    ridge = np.linalg.solve(gram + 0.1 * np.eye(m), a.T @ b)
    residual = b - a @ x
    sigma = residual @ residual / (a.shape[0] - m)
    return x, ridge, np.sqrt(sigma * np.diag(np.linalg.inv(gram))), np.linalg.lstsq(a, b)[0]


@program(
    lambda rng, k, e, b: (
        rng.random((k, e, b, b)) + 1j * rng.random((k, e, b, b)),
        rng.random((k, e, 3, b, b)) + 1j * rng.random((k, e, 3, b, b)),
        rng.random((b, 2, 3, 3, b, b)) + 1j * rng.random((b, 2, 3, 3, b, b)),
    ),
    (2, 3, 2),
    (4, 6, 5),
)
def self_energies(green, phonon, coupling):
    """Electron-phonon self-energies, arrays of six axes: loops around small products."""
    nk, ne, nb = green.shape[0], green.shape[1], green.shape[2]
    sigma = np.zeros_like(green)
    for k in range(nk):
        for e in range(ne):
            for q in range(nk):
                for w in range(min(ne - e, 3)):
                    for i in range(3):
                        for a in range(nb):
                            left = green[(k - q) % nk, e + w] @ coupling[a, 0, i, i]
                            right = coupling[a, 1, i, (i + 1) % 3] * phonon[q, w, i, a, a]
                            sigma[k, e] += left @ right
    return sigma
