"""Differential equations and integrals: relaxation, multigrid, ADI, spectral methods, RK4."""

import numpy as np

from .registry import program

prange = range


@program(lambda rng, n, steps: (rng.random((n, n)), steps), (10, 3), (250, 20))
def jacobi_2d(a, steps):
    """Five-point relaxation, two arrays in turns."""
    b = a.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
    return a


@program(lambda rng, n, steps: (rng.random((n, n, n)), steps), (6, 2), (48, 6))
def heat_3d(a, steps):
    """Seven points in three dimensions, with slices."""
    for _ in range(steps):
        c = a[1:-1, 1:-1, 1:-1]
        b = a.copy()
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * c + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * c + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * c + a[1:-1, 1:-1, :-2])
            + c
        )
        a = b
    return a


@program(lambda rng, n, steps: (rng.random((n, n, n)), steps), (6, 2), (28, 4), "loops")
def heat_3d_loops(a, steps):
    """The same as loops over planes."""
    n = a.shape[0]
    b = a.copy()
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    c = a[i, j, k]
                    b[i, j, k] = (
                        0.125 * (a[i + 1, j, k] - 2.0 * c + a[i - 1, j, k])
                        + 0.125 * (a[i, j + 1, k] - 2.0 * c + a[i, j - 1, k])
                        + 0.125 * (a[i, j, k + 1] - 2.0 * c + a[i, j, k - 1])
                        + c
                    )
        a, b = b, a
    return a


@program(lambda rng, n, steps: (rng.random((n, n)), steps), (9, 3), (150, 10), "loops")
def gauss_seidel(a, steps):
    """Nine points in place: each row and column needs what was just computed."""
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return a


@program(lambda rng, n, steps: (rng.random((n, n)), steps), (9, 3), (400, 30))
def gauss_seidel_rows(a, steps):
    """The usual half-vectorised form: rows at once, then along each row in order."""
    n, m = a.shape
    for _ in range(steps // 10 + 1):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
            a[i, 1:-1] += a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            a[i, 1:-1] /= 9.0
    return a


@program(lambda rng, n, steps: (rng.random((n, n)), steps), (10, 3), (202, 20))
def red_black_sor(b, steps):
    """Successive over-relaxation by colours, each colour as two strided slices."""
    u = np.zeros_like(b)
    omega = 1.8
    for _ in range(steps):
        for colour in range(2):
            for first in range(1, 3):
                j = 1 + (first + colour) % 2
                u[first:-1:2, j:-1:2] += omega * (
                    0.25
                    * (
                        u[first - 1 : -2 : 2, j:-1:2]
                        + u[first + 1 :: 2, j:-1:2]
                        + u[first:-1:2, j - 1 : -2 : 2]
                        + u[first:-1:2, j + 1 :: 2]
                        - b[first:-1:2, j:-1:2]
                    )
                    - u[first:-1:2, j:-1:2]
                )
    return u, np.abs(u).max()


def _smooth(u, f, h, sweeps):
    for _ in range(sweeps):
        v = u.copy()
        u[1:-1, 1:-1] = 0.2 * v[1:-1, 1:-1] + 0.2 * (
            v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] + h * h * f[1:-1, 1:-1]
        )
    return u


def _residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = f[1:-1, 1:-1] - (
        4 * u[1:-1, 1:-1] - u[2:, 1:-1] - u[:-2, 1:-1] - u[1:-1, 2:] - u[1:-1, :-2]
    ) / (h * h)
    return r


def _restrict(r):
    c = r[::2, ::2].copy()
    c[1:-1, 1:-1] = (
        0.25 * r[2:-2:2, 2:-2:2]
        + 0.125 * (r[1:-3:2, 2:-2:2] + r[3:-1:2, 2:-2:2] + r[2:-2:2, 1:-3:2] + r[2:-2:2, 3:-1:2])
        + 0.0625 * (r[1:-3:2, 1:-3:2] + r[3:-1:2, 1:-3:2] + r[1:-3:2, 3:-1:2] + r[3:-1:2, 3:-1:2])
    )
    return c


def _prolong(c, n):
    u = np.zeros((n, n))
    u[::2, ::2] = c
    u[1::2, ::2] = 0.5 * (c[1:] + c[:-1])
    u[:, 1::2] = 0.5 * (u[:, 2::2] + u[:, :-2:2])
    return u


def _cycle(u, f, h):
    u = _smooth(u, f, h, 2)
    if u.shape[0] > 3:
        r = _restrict(_residual(u, f, h))
        e = _cycle(np.zeros_like(r), r, 2 * h)
        u = u + _prolong(e, u.shape[0])
    return _smooth(u, f, h, 2)


@program(lambda rng, n, cycles: (rng.random((n, n)), cycles), (9, 2), (129, 4))
def multigrid_poisson(f, cycles):
    """V-cycles for Poisson's equation, by recursion over the levels."""
    n = f.shape[0]
    h = 1.0 / (n - 1)
    u = np.zeros_like(f)
    history = np.empty(cycles)
    for k in range(cycles):
        u = _cycle(u, f, h)
        history[k] = np.sqrt((_residual(u, f, h) ** 2).sum())
    return u, history


@program(lambda rng, n, steps: (rng.random((n, n)), steps), (8, 2), (100, 4), "loops")
def heat_adi(u, steps):
    """Alternating directions: a tridiagonal solve along each row, then along each column."""
    n = u.shape[0]
    lam = 0.4
    a, b = -lam, 1 + 2 * lam
    v = np.zeros_like(u)
    p = np.zeros(n)
    q = np.zeros(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            p[0], q[0] = 0.0, u[i, 0]
            for j in range(1, n - 1):
                m = b + a * p[j - 1]
                right = u[i, j] + lam * (u[i - 1, j] - 2 * u[i, j] + u[i + 1, j])
                p[j] = -a / m
                q[j] = (right - a * q[j - 1]) / m
            v[i, n - 1] = u[i, n - 1]
            for j in range(n - 2, -1, -1):
                v[i, j] = p[j] * v[i, j + 1] + q[j]
        for j in range(1, n - 1):
            p[0], q[0] = 0.0, u[0, j]
            for i in range(1, n - 1):
                m = b + a * p[i - 1]
                right = v[i, j] + lam * (v[i, j - 1] - 2 * v[i, j] + v[i, j + 1])
                p[i] = -a / m
                q[i] = (right - a * q[i - 1]) / m
            for i in range(n - 2, -1, -1):
                u[i, j] = p[i] * u[i + 1, j] + q[i]
    return u


@program(lambda rng, n, steps: (n, steps), (32, 4), (1024, 60))
def kdv_spectral(n, steps):
    """Korteweg and de Vries' equation by Fourier's transform and an integrating factor."""
    x = np.linspace(-np.pi, np.pi, n, endpoint=False)
    k = np.fft.fftfreq(n) * n
    dt = 0.4 / 512**2
    u = 3 * 25.0**2 / np.cosh(0.5 * 25.0 * (x + 2.0)) ** 2
    u = u + 3 * 16.0**2 / np.cosh(0.5 * 16.0 * (x + 1.0)) ** 2
    v = np.fft.fft(u)
    ik3 = 1j * k**3
    half, g = np.exp(dt * ik3 / 2), -0.5j * dt * k
    for _ in range(steps):
        a = g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)
        b = g * np.fft.fft(np.real(np.fft.ifft(half * (v + a / 2))) ** 2)
        c = g * np.fft.fft(np.real(np.fft.ifft(half * v + b / 2)) ** 2)
        d = g * np.fft.fft(np.real(np.fft.ifft(half**2 * v + half * c)) ** 2)
        v = half**2 * v + (half**2 * a + 2 * half * (b + c) + d) / 6
    return np.real(np.fft.ifft(v))


@program(lambda rng, n: (rng.random((n, n)),), (8,), (256,))
def poisson_fft(f):
    """Poisson's equation on a torus in one step."""
    n = f.shape[0]
    k = 2 * np.pi * np.fft.fftfreq(n, d=1.0 / n)
    k2 = k[:, None] ** 2 + k[None, :] ** 2
    k2[0, 0] = 1.0
    fh = np.fft.fft2(f - f.mean())
    u = np.real(np.fft.ifft2(-fh / k2))
    return u - u.mean()


def _lorenz(s):
    x, y, z = s[0], s[1], s[2]
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


@program(lambda rng, n: (np.array([1.0, 1.0, 1.05]), 0.005, n), (20,), (3000,), "loops", rtol=1e-6)
def lorenz_rk4(state, dt, steps):
    """The Lorenz attractor, a vector of three and a helper: many small arrays."""
    path = np.empty((steps + 1, 3))
    path[0] = state
    for i in range(steps):
        s = path[i]
        k1 = _lorenz(s)
        k2 = _lorenz(s + 0.5 * dt * k1)
        k3 = _lorenz(s + 0.5 * dt * k2)
        k4 = _lorenz(s + dt * k3)
        path[i + 1] = s + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
    return path


@program(lambda rng, n, m: (rng.normal(size=n), m), (5, 10), (400, 100))
def pendulums_rk4(angle, steps):
    """Many pendulums at once, the state as rows of one array."""

    def slope(y):
        d = np.empty_like(y)
        d[0] = y[1]
        d[1] = -9.81 * np.sin(y[0]) - 0.1 * y[1]
        return d

    y = np.zeros((2, angle.size))
    y[0] = angle
    dt = 0.01
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@program(lambda rng, n, m: (rng.normal(size=(n, n)), m), (4, 12), (24, 60))
def contour_integral(h, points):
    """The projector on the eigenvectors within a circle: resolvents along it, added up."""
    n = h.shape[0]
    h = (h + h.T) / 2
    eye = np.eye(n)
    total = np.zeros((n, n), dtype=np.complex128)
    for k in range(points):
        phase = np.exp(2j * np.pi * (k + 0.5) / points)
        z = 0.3 + 2.0 * phase
        total += np.linalg.inv(z * eye - h) * (2.0 * phase / points)
    return total, np.real(np.trace(total))


@program(lambda rng, n: (n,), (5,), (300,))
def quadrature(n):
    """Gauss and Legendre's rule by Newton's iteration on all nodes, then an integral by it."""
    k = np.arange(1, n + 1)
    x = np.cos(np.pi * (k - 0.25) / (n + 0.5))
    slope = np.ones(n)
    for _ in range(8):
        p0 = np.ones(n)
        p1 = x.copy()
        for j in range(2, n + 1):
            p0, p1 = p1, ((2 * j - 1) * x * p1 - (j - 1) * p0) / j
        slope = n * (x * p1 - p0) / (x * x - 1)
        x = x - p1 / slope
    w = 2 / ((1 - x * x) * slope**2)
    return x, w, np.sum(w * np.exp(x)) - (np.e - 1 / np.e)


@program(lambda rng, n: (np.sort(rng.random(n)), rng.random(n), rng.random(4 * n)), (8,), (5000,))
def cubic_spline(x, y, at):
    """The natural spline: a tridiagonal system, then all points by searchsorted."""
    n = x.size
    h = np.diff(x)
    alpha = np.zeros(n)
    alpha[1:-1] = 3 * (np.diff(y)[1:] / h[1:] - np.diff(y)[:-1] / h[:-1])
    mu = np.zeros(n)
    z = np.zeros(n)
    for i in range(1, n - 1):
        pivot = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / pivot
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / pivot
    c = np.zeros(n)
    for i in range(n - 2, -1, -1):
        c[i] = z[i] - mu[i] * c[i + 1]
    b = np.diff(y) / h - h * (c[1:] + 2 * c[:-1]) / 3
    d = np.diff(c) / (3 * h)
    i = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    t = at - x[i]
    return y[i] + t * (b[i] + t * (c[i] + t * d[i]))
