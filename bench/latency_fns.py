"""The functions whose first call bench/latency.py times, as plain Python."""

from __future__ import annotations

import numpy as np


def warmup(x):
    return x - 1


def trivial(x):
    return x + 1


def sum2d(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


def matmul(a, b):
    n, m = a.shape
    p = b.shape[1]
    out = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i, k] * b[k, j]
            out[i, j] = s
    return out


def mandelbrot(h, w, limit):
    out = np.zeros((h, w), np.int64)
    for i in range(h):
        for j in range(w):
            c = complex(-2.0 + 2.75 * j / w, -1.25 + 2.5 * i / h)
            z = 0j
            n = 0
            while n < limit and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + c
                n += 1
            out[i, j] = n
    return out


def nbody(pos, vel, mass, dt, box, softening):
    """One leapfrog step in a periodic box; returns energies and the momentum."""
    n = pos.shape[0]
    acc = np.zeros((n, 3))
    half = 0.5 * box
    potential = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            if dx > half:
                dx -= box
            elif dx < -half:
                dx += box
            if dy > half:
                dy -= box
            elif dy < -half:
                dy += box
            if dz > half:
                dz -= box
            elif dz < -half:
                dz += box
            r2 = dx * dx + dy * dy + dz * dz + softening * softening
            r = np.sqrt(r2)
            inverse = 1.0 / (r2 * r)
            acc[i, 0] += mass[j] * dx * inverse
            acc[i, 1] += mass[j] * dy * inverse
            acc[i, 2] += mass[j] * dz * inverse
            acc[j, 0] -= mass[i] * dx * inverse
            acc[j, 1] -= mass[i] * dy * inverse
            acc[j, 2] -= mass[i] * dz * inverse
            potential -= mass[i] * mass[j] / r
    kinetic = 0.0
    px = 0.0
    py = 0.0
    pz = 0.0
    fastest = 0.0
    for i in range(n):
        speed2 = 0.0
        for k in range(3):
            vel[i, k] += dt * acc[i, k]
            pos[i, k] += dt * vel[i, k]
            if pos[i, k] < 0.0:
                pos[i, k] += box
            elif pos[i, k] >= box:
                pos[i, k] -= box
            speed2 += vel[i, k] * vel[i, k]
        kinetic += 0.5 * mass[i] * speed2
        px += mass[i] * vel[i, 0]
        py += mass[i] * vel[i, 1]
        pz += mass[i] * vel[i, 2]
        fastest = max(fastest, np.sqrt(speed2))
    momentum = np.sqrt(px * px + py * py + pz * pz)
    total = kinetic + potential
    return total, kinetic, potential, momentum, fastest


def _square(n):
    return np.arange(n * n, dtype=np.float64).reshape(n, n)


def arguments(name):
    """Return the arguments to call one of the functions with."""
    n = 16
    cell = np.linspace(0.1, 0.9, 3 * n).reshape(n, 3)
    return {
        "warmup": (1,),
        "trivial": (1,),
        "sum2d": (_square(n),),
        "matmul": (_square(n), _square(n)),
        "mandelbrot": (16, 16, 50),
        "nbody": (cell, np.zeros((n, 3)), np.ones(n), 1e-3, 1.0, 1e-2),
    }[name]


# For the cost of a call.


def take0():
    return 0


def take_scalar(x):
    return 0


def take_array(a):
    return 0


def take4(a, b, c, d):
    return 0
