"""Flows and fields in motion: cavity, channel, shallow water, weather, lattice Boltzmann, waves."""

import numpy as np

from .registry import program

prange = range


def _cavity(rng, n, steps):
    return np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), 2.0 / (n - 1), 1e-3, steps


def _pressure_source(u, v, rho, dt, dx):
    b = np.zeros_like(u)
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dx)
    uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dx)
    vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)
    return b


def _pressure_poisson(p, b, dx, sweeps):
    for _ in range(sweeps):
        old = p.copy()
        p[1:-1, 1:-1] = (
            old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1] - dx**2 * b[1:-1, 1:-1]
        ) / 4
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


@program(_cavity, (12, 3), (81, 12))
def cavity_flow(u, v, p, dx, dt, steps):
    """Flow under a moving lid, with helper functions and slices."""
    rho, nu = 1.0, 0.1
    for _ in range(steps):
        un, vn = u.copy(), v.copy()
        b = _pressure_source(u, v, rho, dt, dx)
        p = _pressure_poisson(p, b, dx, 20)
        c = un[1:-1, 1:-1]
        w = vn[1:-1, 1:-1]
        u[1:-1, 1:-1] = (
            c
            - c * dt / dx * (c - un[1:-1, :-2])
            - w * dt / dx * (c - un[:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu
            * dt
            / dx**2
            * (un[1:-1, 2:] + un[1:-1, :-2] + un[2:, 1:-1] + un[:-2, 1:-1] - 4 * c)
        )
        v[1:-1, 1:-1] = (
            w
            - c * dt / dx * (w - vn[1:-1, :-2])
            - w * dt / dx * (w - vn[:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu
            * dt
            / dx**2
            * (vn[1:-1, 2:] + vn[1:-1, :-2] + vn[2:, 1:-1] + vn[:-2, 1:-1] - 4 * w)
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
    return u, v, p


@program(lambda rng, n, steps: (np.zeros((n, 2 * n)), 2.0 / n, 1e-4, 1.0, steps), (10, 4), (80, 60))
def channel_flow(u, dx, dt, force, steps):
    """Periodic flow in a channel, driven by a force; stops where it changes little."""
    count = 0
    change = 1.0
    while change > 1e-6 and count < steps:
        un = u.copy()
        left, right = np.roll(un, 1, axis=1), np.roll(un, -1, axis=1)
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un[1:-1] - left[1:-1])
            + 0.1 * dt / dx**2 * (right[1:-1] - 2 * un[1:-1] + left[1:-1])
            + 0.1 * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
            + force * dt
        )
        u[0] = 0
        u[-1] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        count += 1
    return u, count


@program(lambda rng, n, steps: (1 + rng.random((n, n)) * 0.01, steps), (12, 3), (200, 20))
def shallow_water(h, steps):
    """Shallow water on a staggered grid (Arakawa C): fluxes live on the faces of the cells."""
    n, m = h.shape
    g, dt, dx = 9.81, 1e-3, 0.1
    u = np.zeros((n, m + 1))
    v = np.zeros((n + 1, m))
    for _ in range(steps):
        u[:, 1:-1] -= g * dt / dx * (h[:, 1:] - h[:, :-1])
        v[1:-1, :] -= g * dt / dx * (h[1:, :] - h[:-1, :])
        fx = np.zeros_like(u)
        fx[:, 1:-1] = u[:, 1:-1] * 0.5 * (h[:, 1:] + h[:, :-1])
        fy = np.zeros_like(v)
        fy[1:-1, :] = v[1:-1, :] * 0.5 * (h[1:, :] + h[:-1, :])
        h = h - dt / dx * (fx[:, 1:] - fx[:, :-1] + fy[1:, :] - fy[:-1, :])
    return h, u, v, h.sum()


@program(lambda rng, n, steps: (n, steps), (12, 4), (150, 40))
def yee_fdtd(n, steps):
    """Maxwell's equations in two dimensions on Yee's staggered grid, a source in the middle."""
    ez = np.zeros((n, n))
    hx = np.zeros((n, n - 1))
    hy = np.zeros((n - 1, n))
    for t in range(steps):
        hx -= 0.5 * (ez[:, 1:] - ez[:, :-1])
        hy += 0.5 * (ez[1:, :] - ez[:-1, :])
        ez[1:-1, 1:-1] += 0.5 * (hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1])
        ez[n // 2, n // 2] += np.exp(-(((t - 20.0) / 6.0) ** 2))
    return ez, 0.5 * ((ez**2).sum() + (hx**2).sum() + (hy**2).sum())


@program(lambda rng, n, k: (rng.random((n + 4, n + 4, k)), rng.random((n, n, k))), (8, 3), (96, 40))
def horizontal_diffusion(field, coefficient):
    """The limited fourth-order diffusion of weather models, as array expressions."""
    n, m = coefficient.shape[0], coefficient.shape[1]
    lap = 4.0 * field[1 : n + 3, 1 : m + 3] - (
        field[2 : n + 4, 1 : m + 3]
        + field[0 : n + 2, 1 : m + 3]
        + field[1 : n + 3, 2 : m + 4]
        + field[1 : n + 3, 0 : m + 2]
    )
    flx = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    flx = np.where(flx * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0.0, flx)
    fly = lap[1 : n + 1, 1:] - lap[1 : n + 1, :-1]
    fly = np.where(fly * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0.0, fly)
    inner = field[2 : n + 2, 2 : m + 2]
    return inner - coefficient * (flx[1:] - flx[:-1] + fly[:, 1:] - fly[:, :-1])


@program(
    lambda rng, n, k: (rng.random((n + 4, n + 4, k)), rng.random((n, n, k))),
    (8, 3),
    (40, 20),
    "loops",
)
def horizontal_diffusion_loops(field, coefficient):
    """The same as loops, which keep nothing but the result."""
    n, m, levels = coefficient.shape
    out = np.empty_like(coefficient)
    for i in prange(n):
        lap = np.empty((3, 3))
        for j in range(m):
            for k in range(levels):
                for a in range(3):
                    for b in range(3):
                        if a == 1 or b == 1:
                            y, x = i + 1 + a, j + 1 + b
                            lap[a, b] = 4.0 * field[y, x, k] - (
                                field[y + 1, x, k]
                                + field[y - 1, x, k]
                                + field[y, x + 1, k]
                                + field[y, x - 1, k]
                            )
                c = field[i + 2, j + 2, k]
                south = lap[1, 1] - lap[0, 1]
                if south * (c - field[i + 1, j + 2, k]) > 0:
                    south = 0.0
                north = lap[2, 1] - lap[1, 1]
                if north * (field[i + 3, j + 2, k] - c) > 0:
                    north = 0.0
                west = lap[1, 1] - lap[1, 0]
                if west * (c - field[i + 2, j + 1, k]) > 0:
                    west = 0.0
                east = lap[1, 2] - lap[1, 1]
                if east * (field[i + 2, j + 3, k] - c) > 0:
                    east = 0.0
                out[i, j, k] = c - coefficient[i, j, k] * (north - south + east - west)
    return out


@program(
    lambda rng, n, k: (rng.random((n, n, k)), rng.random((n, n, k)), rng.random((n, n, k))),
    (6, 5),
    (64, 60),
)
def vertical_advection(w, u, tendency):
    """Implicit advection along columns: Thomas's algorithm for all columns of a level at once."""
    levels = u.shape[2]
    c = np.zeros_like(u)
    d = np.zeros_like(u)
    out = np.zeros_like(u)
    c[:, :, 0] = 0.5 * w[:, :, 0] / (2.0 + w[:, :, 0])
    d[:, :, 0] = (u[:, :, 0] + tendency[:, :, 0]) / (2.0 + w[:, :, 0])
    for k in range(1, levels):
        a = -0.25 * w[:, :, k - 1]
        upper = 0.25 * w[:, :, k]
        if k == levels - 1:
            upper = np.zeros_like(upper)
        b = 2.0 - a - upper
        right = u[:, :, k] + tendency[:, :, k] - a * (u[:, :, k - 1] - u[:, :, k])
        scale = 1.0 / (b - c[:, :, k - 1] * a)
        c[:, :, k] = upper * scale
        d[:, :, k] = (right - a * d[:, :, k - 1]) * scale
    out[:, :, levels - 1] = d[:, :, levels - 1]
    for k in range(levels - 2, -1, -1):
        out[:, :, k] = d[:, :, k] - c[:, :, k] * out[:, :, k + 1]
    return out


def _blobs(rng, n, steps):
    y, x = np.mgrid[0:n, 0:n] / n
    q = np.exp(-((x - 0.3) ** 2 + (y - 0.5) ** 2) / 0.01)
    return q, -(y - 0.5), x - 0.5, steps


@program(_blobs, (16, 3), (200, 15))
def upwind_advection(q, u, v, steps):
    """A tracer in a rotating wind, first-order upwind, by masks in arithmetic."""
    dt = 0.4
    up, um = np.maximum(u, 0), np.minimum(u, 0)
    vp, vm = np.maximum(v, 0), np.minimum(v, 0)
    for _ in range(steps):
        west = q - np.roll(q, 1, axis=1)
        east = np.roll(q, -1, axis=1) - q
        south = q - np.roll(q, 1, axis=0)
        north = np.roll(q, -1, axis=0) - q
        q = q - dt * (up * west + um * east + vp * south + vm * north)
    return q, q.max(), q.sum()


@program(
    lambda rng, n, steps: (1 + 0.01 * rng.random((9, n, n)), rng.random((n, n)) < 0.05, steps),
    (8, 2),
    (100, 10),
)
def lattice_boltzmann(f, wall, steps):
    """Nine velocities, collisions and bounces: a lattice gas past obstacles."""
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    weight = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    back = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], cy[k], axis=0), cx[k], axis=1)
        bounced = f[:, wall][back]
        rho = f.sum(axis=0)
        ux = (f * cx[:, None, None]).sum(axis=0) / rho
        uy = (f * cy[:, None, None]).sum(axis=0) / rho
        uu = 1.5 * (ux**2 + uy**2)
        for k in range(9):
            cu = 3 * (cx[k] * ux + cy[k] * uy)
            f[k] += 0.6 * (weight[k] * rho * (1 + cu + 0.5 * cu**2 - uu) - f[k])
        f[:, wall] = bounced
    return f.sum(axis=0)


@program(lambda rng, n, steps: (n, steps), (40, 5), (20000, 60))
def burgers(n, steps):
    """Burgers' equation in one dimension, Lax and Friedrichs' scheme."""
    x = np.linspace(0, 2 * np.pi, n, endpoint=False)
    u = 1.5 + np.sin(x)
    ratio = 0.2
    for _ in range(steps):
        flux = 0.5 * u**2
        left, right = np.roll(u, 1), np.roll(u, -1)
        u = 0.5 * (left + right) - 0.5 * ratio * (np.roll(flux, -1) - np.roll(flux, 1))
    return u, np.abs(np.diff(u)).max()


@program(lambda rng, n, steps: (n, steps), (16, 4), (200, 40))
def wave_membrane(n, steps):
    """The wave equation on a square membrane, leapfrog, three time levels."""
    x = np.linspace(-1.0, 1.0, n)
    now = np.exp(-40 * (x[:, None] ** 2 + (x[None, :] - 0.2) ** 2))
    before = now.copy()
    for _ in range(steps):
        lap = np.zeros_like(now)
        lap[1:-1, 1:-1] = (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        )
        after = 2 * now - before + 0.25 * lap
        after[0, :] = after[-1, :] = 0
        after[:, 0] = after[:, -1] = 0
        before, now = now, after
    return now, np.sqrt(np.mean(now**2))


@program(lambda rng, n, steps: (n, steps), (16, 4), (120, 15), "loops")
def wave_membrane_loops(n, steps):
    """The same, point by point."""
    now = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            x, y = 2.0 * i / (n - 1) - 1.0, 2.0 * j / (n - 1) - 1.0
            now[i, j] = np.exp(-40 * (x * x + (y - 0.2) ** 2))
    before = now.copy()
    after = np.zeros_like(now)
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                lap = now[i + 1, j] + now[i - 1, j] + now[i, j + 1] + now[i, j - 1] - 4 * now[i, j]
                after[i, j] = 2 * now[i, j] - before[i, j] + 0.25 * lap
        before, now, after = now, after, before
    return now
