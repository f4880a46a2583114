"""Physics of many parts: bodies, molecules, spins, walkers, rays, sets in the complex plane."""

import numpy as np

from .registry import program

prange = range


def _acceleration(pos, mass, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv = dx**2 + dy**2 + dz**2 + softening**2
    inv[inv > 0] = inv[inv > 0] ** (-1.5)
    return np.hstack(((dx * inv) @ mass, (dy * inv) @ mass, (dz * inv) @ mass))


def _energy(pos, vel, mass):
    kinetic = 0.5 * np.sum(mass * vel**2)
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    r = np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2 + (z.T - z) ** 2)
    r[r > 0] = 1.0 / r[r > 0]
    return kinetic, np.sum(np.triu(-(mass * mass.T) * r, 1))


@program(
    lambda rng, n, steps: (
        rng.normal(size=(n, 3)),
        rng.normal(size=(n, 3)),
        np.full((n, 1), 20.0 / n),
        steps,
    ),
    (6, 3),
    (120, 10),
)
def nbody_masks(pos, vel, mass, steps):
    """Gravity by matrices of all pairs, as people write it; a mask keeps zero out of the power."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = _acceleration(pos, mass, 0.1)
    kinetic = np.empty(steps)
    potential = np.empty(steps)
    dt = 0.01
    for i in range(steps):
        vel += acc * dt / 2
        pos += vel * dt
        acc = _acceleration(pos, mass, 0.1)
        vel += acc * dt / 2
        kinetic[i], potential[i] = _energy(pos, vel, mass)
    return pos, kinetic, potential


@program(
    lambda rng, n, steps: (rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.random(n), steps),
    (6, 3),
    (60, 6),
    "loops",
)
def nbody_loops(pos, vel, mass, steps):
    """The same, pair by pair."""
    n = len(mass)
    dt = 0.01
    for _ in range(steps):
        for i in prange(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                r2 = dx * dx + dy * dy + dz * dz + 0.01
                f = mass[j] / (r2 * np.sqrt(r2))
                ax += f * dx
                ay += f * dy
                az += f * dz
            vel[i, 0] += dt * ax
            vel[i, 1] += dt * ay
            vel[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                pos[i, k] += dt * vel[i, k]
    return pos, vel


@program(lambda rng, n, steps: (rng.random((n, 3)) * 5, 5.0, steps), (8, 2), (80, 4), "loops")
def lennard_jones(pos, box, steps):
    """Molecules in a periodic box with a cutoff, velocity Verlet, forces equal and opposite."""
    n = pos.shape[0]
    vel = np.zeros_like(pos)
    energy = 0.0
    for _ in range(steps):
        force = np.zeros_like(pos)
        energy = 0.0
        for i in range(n - 1):
            for j in range(i + 1, n):
                d = pos[i] - pos[j]
                d -= box * np.round(d / box)
                r2 = max(d[0] ** 2 + d[1] ** 2 + d[2] ** 2, 0.5)
                if r2 < 6.25:
                    s6 = 1.0 / r2**3
                    energy += 4 * s6 * (s6 - 1)
                    f = 24 * s6 * (2 * s6 - 1) / r2
                    force[i] += f * d
                    force[j] -= f * d
        vel += 0.001 * force
        pos = (pos + 0.001 * vel) % box
    return pos, energy


@program(lambda rng, n, sweeps: (n, 0.44, sweeps), (8, 2), (50, 8), "loops")
def ising(n, beta, sweeps):
    """Metropolis, spin by spin, with the legacy generator."""
    np.random.seed(11)
    spin = np.where(np.random.rand(n, n) < 0.5, 1, -1)
    magnet = np.empty(sweeps)
    for s in range(sweeps):
        for _ in range(n * n):
            i, j = np.random.randint(0, n), np.random.randint(0, n)
            around = (
                spin[(i + 1) % n, j]
                + spin[(i - 1) % n, j]
                + spin[i, (j + 1) % n]
                + spin[i, (j - 1) % n]
            )
            cost = 2 * spin[i, j] * around
            if cost <= 0 or np.random.random() < np.exp(-beta * cost):
                spin[i, j] = -spin[i, j]
        magnet[s] = spin.mean()
    return spin, magnet


@program(lambda rng, n, sweeps: (n, 0.44, sweeps, rng), (8, 2), (128, 15))
def ising_checkerboard(n, beta, sweeps, rng):
    """The same by colours, whole lattices at once, with a Generator."""
    spin = np.where(rng.random((n, n)) < 0.5, 1, -1)
    colour = (np.arange(n)[:, None] + np.arange(n)[None, :]) % 2
    energy = np.empty(sweeps)
    for s in range(sweeps):
        for c in range(2):
            around = (
                np.roll(spin, 1, axis=0)
                + np.roll(spin, -1, axis=0)
                + np.roll(spin, 1, axis=1)
                + np.roll(spin, -1, axis=1)
            )
            cost = 2 * spin * around
            flip = (colour == c) & ((cost <= 0) | (rng.random((n, n)) < np.exp(-beta * cost)))
            spin[flip] *= -1
        energy[s] = -(spin * (np.roll(spin, 1, axis=0) + np.roll(spin, 1, axis=1))).mean()
    return spin, energy


@program(lambda rng, n, steps: (n, steps), (5, 10), (2000, 200))
def random_walks(walkers, steps):
    """Walks on a plane in four directions: how far, and how often back at the start."""
    np.random.seed(5)
    way = np.random.randint(0, 4, size=(walkers, steps))
    dx = np.where(way == 0, 1, np.where(way == 1, -1, 0))
    dy = (way == 2).astype(np.int64) - (way == 3)
    x, y = np.cumsum(dx, axis=1), np.cumsum(dy, axis=1)
    far = np.sqrt(x[:, -1] ** 2 + y[:, -1] ** 2)
    home = np.any((x == 0) & (y == 0), axis=1)
    return far.mean(), home.mean(), np.abs(x).max(axis=1)


@program(lambda rng, w, h, limit: (w, h, limit), (12, 9, 8), (240, 180, 30))
def mandelbrot_masks(w, h, limit):
    """All points at once; a mask picks those that have not escaped."""
    x = np.linspace(-2.25, 0.75, w)
    y = np.linspace(-1.25, 1.25, h)
    c = x + y[:, None] * 1j
    count = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, dtype=np.complex128)
    for n in range(limit):
        inside = np.less(np.abs(z), 2.0)
        count[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    count[count == limit - 1] = 0
    return z, count


@program(lambda rng, w, h, limit: (w, h, limit), (12, 9, 8), (200, 150, 20), rtol=1e-6)
def mandelbrot_shrinking(w, h, limit):
    """Points that have escaped are taken out of the arrays."""
    iy, ix = np.divmod(np.arange(w * h), w)
    c = (-2.25 + 3.0 * ix / w) + 1j * (-1.25 + 2.5 * iy / h)
    out = np.zeros((h, w), dtype=np.int64)
    z = np.zeros(c.size, dtype=np.complex128)
    for n in range(limit):
        z = z * z + c
        gone = np.abs(z) > 2.0
        out[iy[gone], ix[gone]] = n + 1
        stay = ~gone
        z, c, ix, iy = z[stay], c[stay], ix[stay], iy[stay]
    return out


@program(lambda rng, w, h, limit: (w, h, limit), (12, 9, 8), (120, 90, 30), "loops")
def mandelbrot_loops(w, h, limit):
    """Point by point, Python's complex numbers."""
    out = np.zeros((h, w), dtype=np.int64)
    for i in prange(h):
        for j in range(w):
            c = complex(-2.25 + 3.0 * j / w, -1.25 + 2.5 * i / h)
            z = 0j
            for n in range(limit):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag > 4.0:
                    out[i, j] = n + 1
                    break
    return out


def _scene(p):
    ball = np.sqrt(((p - np.array([0.0, 0.0, 3.0])) ** 2).sum(axis=-1)) - 1.0
    floor = p[..., 1] + 1.0
    return np.minimum(ball, floor)


@program(lambda rng, n, steps: (n, steps), (8, 5), (100, 25), rtol=1e-6)
def ray_marching(n, steps):
    """A ball on a floor by signed distances, all rays together, shaded by the gradient."""
    t = np.linspace(-1, 1, n)
    x, y = np.meshgrid(t, -t)
    way = np.stack((x, y, np.full((n, n), 1.5)), axis=-1)
    way = way / np.sqrt((way**2).sum(axis=-1, keepdims=True))
    depth = np.zeros((n, n))
    for _ in range(steps):
        depth = depth + _scene(way * depth[:, :, None])
    hit = depth < 20.0
    p = way * np.minimum(depth, 20.0)[:, :, None]
    eps = 1e-4
    normal = np.zeros((n, n, 3))
    for k in range(3):
        step = np.zeros(3)
        step[k] = eps
        normal[:, :, k] = (_scene(p + step) - _scene(p - step)) / (2 * eps)
    light = np.array([0.6, 0.7, -0.4])
    shade = np.clip((normal * light).sum(axis=-1), 0, 1)
    return np.where(hit, shade, 0.0)


@program(
    lambda rng, n, steps: ((rng.random((n, n)) < 0.3).astype(np.int8), steps), (9, 3), (200, 10)
)
def life(world, steps):
    """Neighbours by rolling in eight directions, births and survivors by masks."""
    for _ in range(steps):
        count = np.zeros(world.shape, np.int64)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy != 0 or dx != 0:
                    count += np.roll(np.roll(world, dy, axis=0), dx, axis=1)
        birth = (world == 0) & (count == 3)
        survive = (world == 1) & ((count == 2) | (count == 3))
        world[...] = 0
        world[birth | survive] = 1
    return world


@program(lambda rng, n, steps: (rng.random((n, n)) < 0.3, steps), (9, 3), (200, 20))
def life_slices(world, steps):
    """The same within a border, by eight slices."""
    z = world.astype(np.int32)
    for _ in range(steps):
        count = (
            z[:-2, :-2]
            + z[:-2, 1:-1]
            + z[:-2, 2:]
            + z[1:-1, :-2]
            + z[1:-1, 2:]
            + z[2:, :-2]
            + z[2:, 1:-1]
            + z[2:, 2:]
        )
        inner = z[1:-1, 1:-1]
        z[1:-1, 1:-1] = (count == 3) | ((inner == 1) & (count == 2))
    return z, z.sum()
