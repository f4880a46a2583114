"""Programs of any size, for measuring how compile time grows: each family makes source of size n.

`FAMILIES[name]` is a `Family`: `source(n)` yields a module whose function `f` is to be compiled,
`arguments()` what to call it with, `base` the size that is doubled. What a family has many of is
what its name says; everything is generated, so that no program is anybody's favourite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

HEADER = "import math\nimport numpy as np\nfrom swathe import njit, prange\n\n"
Lines = list[str]
FAMILIES: dict[str, Family] = {}


@dataclass(frozen=True)
class Family:
    """A way to make programs of any size, and how they are called."""

    make: Callable[[int], str]
    arguments: Callable[[], tuple[Any, ...]]
    base: int
    options: dict[str, Any] = field(default_factory=dict)

    def source(self, n: int) -> str:
        """Return the text of a module that defines `f`."""
        return HEADER + self.make(n)


def vectors() -> tuple[Any, ...]:
    """Return two vectors and one to be written."""
    return np.linspace(0.5, 2.0, 3000), np.linspace(1.0, 3.0, 3000), np.zeros(3000)


def matrices() -> tuple[Any, ...]:
    """Return two matrices and one to be written."""
    a = np.linspace(0.5, 2.0, 4800).reshape(60, 80)
    return a, a + 1, np.zeros((60, 80))


def scalars() -> tuple[Any, ...]:
    """Return three floats."""
    return 1.5, 0.25, 3.0


def parts() -> tuple[Any, ...]:
    """Return two vectors and a tuple of many."""
    return np.ones(8), np.ones(8), tuple(np.zeros(8) for _ in range(256))


def family(base: int, arguments: Callable[[], tuple[Any, ...]] = vectors, **options: Any) -> Any:
    """Register a function that makes source as a family of its name."""

    def add(make: Callable[[int], str]) -> Callable[[int], str]:
        FAMILIES[make.__name__] = Family(make, arguments, base, options)
        return make

    return add


def body(lines: Lines, head: str = "def f(a, b, c):") -> str:
    """Return a function of these lines."""
    return "\n    ".join([head, *lines]) + "\n"


# --- array expressions -----------------------------------------------------------------------


@family(8)
def slice_chain(n: int) -> str:
    return body([*["b = b[1:] - b[:-1]"] * n, "return b"])


@family(16)
def slice_sums(n: int) -> str:
    lines = [f"c[{k + 1}:-{k + 2}] += a[{k}:-{k + 3}] * b[{k + 2}:-{k + 1}]" for k in range(n)]
    return body(lines)


@family(8, matrices)
def stencil_wide(n: int) -> str:
    def term(k: int) -> str:
        top, left = k % 9, k // 9 % 9
        return f"a[{top}:-{9 - top}, {left}:-{9 - left}] * {k + 1}.5"

    return body([f"c[:-9, :-9] = {' + '.join(map(term, range(n)))}"])


@family(32)
def expression_wide(n: int) -> str:
    return body(["c[:] = " + " + ".join(f"a * {k}.5" for k in range(n))])


@family(16)
def array_lines(n: int) -> str:
    return body([f"c = c * {k}.5 + {'ab'[k % 2]}" for k in range(n)] + ["return c"])


@family(16)
def array_names(n: int) -> str:
    lines = ["t0 = a + b", "t1 = a - b"]
    lines += [f"t{k} = t{k - 1} * a - t{k - 2}" for k in range(2, n)]
    return body([*lines, f"return t{n - 1}"])


@family(16)
def array_updates(n: int) -> str:
    return body([f"c += a * {k}.25" for k in range(n)])


@family(16)
def reductions(n: int) -> str:
    return body(["s = 0.0", *[f"s += (a * {k}.5).sum()" for k in range(n)], "return s"])


@family(16, parts)
def many_arrays(n: int) -> str:
    lines = [f"    c[{k}][i] = c[{(k + 1) % n}][i] + b[i]" for k in range(n)]
    return body(["for i in range(len(a)):", *lines])


@family(8)
def masks(n: int) -> str:
    return body([f"c[a > {k}.5] = {k}.0" for k in range(n)])


@family(8)
def fresh_arrays(n: int) -> str:
    lines = [f"t{k} = np.zeros({k + 2}); t{k}[1] = a[{k}]; c[{k}] += t{k}.sum()" for k in range(n)]
    return body(lines)


# --- scalars ---------------------------------------------------------------------------------


@family(64, scalars)
def scalar_pairs(n: int) -> str:
    lines = ["x = a", "y = b"]
    for k in range(n):
        lines += [f"x = x * y + {k}.5", f"y = y - x * {k}.25"]
    return body([*lines, "return x + y"])


@family(64, scalars)
def scalar_names(n: int) -> str:
    lines = ["t0 = a * b", "t1 = a + b"]
    lines += [f"t{k} = t{k - 1} * c - t{k // 2}" for k in range(2, n)]
    return body([*lines, f"return t{n - 1}"])


@family(64, lambda: (3, 5, 7))
def integer_names(n: int) -> str:
    lines = ["t0 = a * b", "t1 = a + b"]
    lines += [f"t{k} = (t{k - 1} ^ c) + t{k // 2} // {k}" for k in range(2, n)]
    return body([*lines, f"return t{n - 1}"])


@family(32, scalars)
def expression_scalar(n: int) -> str:
    return body(["return " + " + ".join(f"a * {k}.5" for k in range(n))])


@family(32, scalars)
def formulas(n: int) -> str:
    lines = [f"s{k} = math.sqrt(a + {k}.5) / (b + {k}.0) - math.sin(c)" for k in range(n)]
    return body([*lines, "return " + " + ".join(f"s{k}" for k in range(n))])


@family(32, scalars)
def tuples(n: int) -> str:
    return body(["t = (a, b, c)", *["t = (t[1], t[2], t[0] + t[1])"] * n, "return t"])


@family(32, scalars)
def swaps(n: int) -> str:
    return body(["x = a", "y = b", *["x, y = y, x + y"] * n, "return x - y"])


# --- elements --------------------------------------------------------------------------------


@family(64)
def element_stores(n: int) -> str:
    return body([f"c[{k}] = {k}.5" for k in range(n)])


@family(32)
def element_copies(n: int) -> str:
    return body([f"c[{k}] = a[{k + 1}] * b[{2 * k}]" for k in range(n)])


@family(32)
def element_sums(n: int) -> str:
    return body(["s = 0.0", *[f"s += a[{k}] * b[{k}]" for k in range(n)], "return s"])


@family(16, lambda: (*vectors(), np.arange(3000)))
def element_gathers(n: int) -> str:
    lines = [f"    c[q[i]] += a[q[(i + {k}) % 100]]" for k in range(n)]
    return body(["for i in range(100):", *lines], "def f(a, b, c, q):")


@family(16)
def remainders(n: int) -> str:
    lines = []
    for k in range(0, n, 3):
        lines += [f"    n += (n ^ {k}) & 1023", f"    n -= p if n > p * {k} + {k} else n >> 3"]
        lines += [f"    p = (p * 5 + n * {k} + 7) & 65535"]
    lines = ["n, p = 1, 5", "for i in range(len(a)):", *lines[:n]]
    return body([*lines, "return n + p"])


@family(16)
def loop_body(n: int) -> str:
    lines = [f"    c[i] = c[i] * a[i] + b[i - {k}]" for k in range(n)]
    return body(["for i in range(2000, len(a)):", *lines])


@family(16, lambda: (np.linspace(0, 1, 40000).reshape(20, 2000), None, np.zeros((20, 2000))))
def rates(n: int) -> str:
    lines = []
    for k in range(n):
        p, q, r = k % 19, k * 7 % 20, k * 3 % 17
        lines += [f"    r{k} = {k}.5 * a[{p}, i] * a[{q}, i]", f"    c[{r}, i] += r{k} - r{k // 2}"]
    return body(["for i in range(a.shape[1]):", *lines])


# --- control flow ----------------------------------------------------------------------------


@family(24, scalars)
def elif_chain(n: int) -> str:
    lines = ["if a < 0.5:", "    x = b"]
    for k in range(n):
        lines += [f"elif a < {k}.75:", f"    x = b + {k}.5"]
    return body([*lines, "else:", "    x = c", "return x"])


@family(16, lambda: (np.arange(300.0), None, 0))
def elif_sums(n: int) -> str:
    lines = [
        "c = 0",
        "for i in range(len(a)):",
        "    x = int(a[i])",
        "    if x < 0:",
        "        c += 1",
    ]
    for k in range(n):
        lines += [f"    elif c > x * {k}:", f"        c += x % {k + 1}"]
    return body([*lines, "return c"])


@family(32, scalars)
def branches(n: int) -> str:
    lines = ["x = a"]
    for k in range(n):
        lines += [f"if x < {k}.75:", f"    x = x + b * {k}.5", "else:", "    x = x - c"]
    return body([*lines, "return x"])


@family(16)
def branches_in_loop(n: int) -> str:
    lines = ["for i in range(len(a)):", "    x = a[i]"]
    for k in range(n):
        lines += [f"    if x < {k}.75:", f"        x += b[i] * {k}.5"]
    return body([*lines, "    c[i] = x"])


@family(32, scalars)
def joins(n: int) -> str:
    lines = ["if a > 0.0:"]
    lines += [f"    t{k} = b * {k}.5" for k in range(n)]
    lines += ["else:"]
    lines += [f"    t{k} = c + {k}.5" for k in range(n)]
    return body([*lines, "return " + " + ".join(f"t{k}" for k in range(n))])


@family(6, scalars)
def nested_ifs(n: int) -> str:
    lines = ["x = a"]
    for k in range(n - 1):
        pad = " " * k
        lines += [f"{pad}if x < {k + 2}.75:", f"{pad} x += b * {k}.5"]
    return body([*lines, "return x"])


@family(1, lambda: (np.ones((2,) * 16), None, None))
def nested_loops(n: int) -> str:
    lines = ["s = 0.0", "w = a.ravel()"]
    for k in range(n):
        lines += ["    " * k + f"for i{k} in range({2 if k < 6 else 1}):"]
    inner = " + ".join(f"i{k}" for k in range(n))
    return body([*lines, "    " * n + f"s += w[{inner}]", "return s"])


@family(16)
def loops(n: int) -> str:
    lines = []
    for k in range(n):
        lines += [f"for i in range({k}, len(a)):", f"    c[i] += a[i] * b[i - {k}]"]
    return body(lines)


@family(8, matrices)
def loop_pairs(n: int) -> str:
    lines = []
    for k in range(n):
        lines += ["for i in range(a.shape[0]):", "    for j in range(a.shape[1]):"]
        lines += [f"        c[i, j] += a[i, j] * {k}.5 + b[i, j]"]
    return body(lines)


@family(16, scalars)
def whiles(n: int) -> str:
    lines = ["x = a"]
    for k in range(n):
        lines += [f"while x < {k}.0:", f"    x = x * 1.5 + {k}.25"]
    return body([*lines, "return x"])


@family(16)
def tries(n: int) -> str:
    lines = ["s = 0.0"]
    for k in range(n):
        lines += ["try:", f"    s += a[{k}]", "except IndexError:", f"    s -= {k}.0"]
    return body([*lines, "return s"])


@family(32, scalars)
def asserts(n: int) -> str:
    lines = ["x = a"]
    for k in range(n):
        lines += [f"x += {k}.5", f"assert x > {k}.0, 'number {k}'"]
    return body([*lines, "return x"])


# --- functions -------------------------------------------------------------------------------


@family(16, scalars)
def helpers(n: int) -> str:
    made = [f"@njit\ndef g{k}(x, y):\n    return x * y + {k}.5\n" for k in range(n)]
    calls = [f"x = g{k}(x, b)" for k in range(n)]
    return "\n".join(made) + body(["x = a", *calls, "return x"])


@family(16, scalars)
def helper_chain(n: int) -> str:
    made = ["@njit\ndef g0(x):\n    return x + 1.5\n"]
    made += [f"@njit\ndef g{k}(x):\n    return g{k - 1}(x) * 0.5 + {k}.0\n" for k in range(1, n)]
    return "\n".join(made) + body([f"return g{n - 1}(a)"])


@family(16)
def helper_calls(n: int) -> str:
    made = "@njit\ndef g(a, c, k):\n    for i in range(k, len(a)):\n        c[i] += a[i - k]\n"
    return made + body([f"g(a, c, {k})" for k in range(n)])


@family(16)
def library_calls(n: int) -> str:
    return body([f"c[{k}] = np.dot(a, b) + np.max(a) - np.mean(b)" for k in range(n)])


# --- parallel --------------------------------------------------------------------------------


@family(4, vectors, parallel=True)
def parallel_loops(n: int) -> str:
    lines = []
    for k in range(n):
        lines += ["for i in prange(len(a)):", f"    c[i] += a[i] * {k}.5"]
    return body(lines)


@family(4, matrices, parallel=True)
def parallel_nests(n: int) -> str:
    lines = []
    for k in range(n):
        lines += [f"for i in prange({k % 7}, a.shape[0]):", "    for j in range(a.shape[1]):"]
        lines += [f"        c[i, j] += a[i, j] * {k}.5 + b[i, j]"]
    return body(lines)


@family(4, vectors, parallel=True)
def parallel_arrays(n: int) -> str:
    return body([f"c[:] = c * {k}.5 + a * b" for k in range(n)])


@family(4, vectors, parallel=True)
def parallel_sums(n: int) -> str:
    lines = ["s = 0.0"]
    for k in range(n):
        lines += ["for i in prange(len(a)):", f"    s += a[i] * {k}.5"]
    return body([*lines, "return s"])


@family(8, vectors, parallel=True)
def parallel_body(n: int) -> str:
    lines = [f"    x += a[i] * {k}.5 - b[i] / (x + {k}.0)" for k in range(n)]
    return body(["for i in prange(len(a)):", "    x = a[i]", *lines, "    c[i] = x"])


# --- programs as people write them -----------------------------------------------------------

PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {}
prange = range  # bound to the compiler's own


def program(arguments: Callable[[], tuple[Any, ...]]) -> Any:
    """Register a function by its name."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = function, arguments
        return function

    return add


def square() -> tuple[Any, ...]:
    """Return two square matrices and one to be written."""
    a = np.linspace(0.0, 1.0, 64 * 64).reshape(64, 64)
    return a, a + 1, np.zeros((64, 64))


@program(square)
def matrix_product(a, b, c):
    for i in prange(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@program(square)
def matrix_product_rows(a, b, c):
    for i in prange(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@program(lambda: matrices()[:2])
def blur9(a, b):
    b[1:-1, 1:-1] = (
        a[:-2, :-2] + a[:-2, 1:-1] + a[:-2, 2:]
        + a[1:-1, :-2] + a[1:-1, 1:-1] + a[1:-1, 2:]
        + a[2:, :-2] + a[2:, 1:-1] + a[2:, 2:]
    ) / 9.0  # fmt: skip


def field3d() -> tuple[Any, ...]:
    """Return two fields, of which one has a margin, and coefficients."""
    wide = np.linspace(0.0, 1.0, 20 * 20 * 5).reshape(20, 20, 5)
    return wide, np.zeros((16, 16, 5)), np.full((16, 16, 5), 0.1)


@program(field3d)
def horizontal_diffusion(in_field, out_field, coeff):
    size_i, size_j = out_field.shape[0], out_field.shape[1]
    lap = 4.0 * in_field[1 : size_i + 3, 1 : size_j + 3, :] - (
        in_field[2 : size_i + 4, 1 : size_j + 3, :]
        + in_field[0 : size_i + 2, 1 : size_j + 3, :]
        + in_field[1 : size_i + 3, 2 : size_j + 4, :]
        + in_field[1 : size_i + 3, 0 : size_j + 2, :]
    )
    res = lap[1:, 1 : size_j + 1, :] - lap[:-1, 1 : size_j + 1, :]
    inner = (
        in_field[2 : size_i + 3, 2 : size_j + 2, :] - in_field[1 : size_i + 2, 2 : size_j + 2, :]
    )
    flx = np.where(res * inner > 0, 0.0, res)
    res = lap[1 : size_i + 1, 1:, :] - lap[1 : size_i + 1, :-1, :]
    inner = (
        in_field[2 : size_i + 2, 2 : size_j + 3, :] - in_field[2 : size_i + 2, 1 : size_j + 2, :]
    )
    fly = np.where(res * inner > 0, 0.0, res)
    out_field[:, :, :] = in_field[2 : size_i + 2, 2 : size_j + 2, :] - coeff * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


def bodies() -> tuple[Any, ...]:
    """Return masses, positions and velocities of bodies, and a step."""
    rng = np.random.default_rng(2)
    return rng.random(40), rng.random((40, 3)), rng.random((40, 3)), 0.01


@program(bodies)
def nbody_step(mass, pos, vel, dt):
    n = pos.shape[0]
    acc = np.zeros((n, 3))
    for i in prange(n):
        for j in range(n):
            if i != j:
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                inv = (dx * dx + dy * dy + dz * dz + 1e-4) ** -1.5
                acc[i, 0] += dx * inv * mass[j]
                acc[i, 1] += dy * inv * mass[j]
                acc[i, 2] += dz * inv * mass[j]
    vel += acc * dt / 2.0
    pos += vel * dt
    acc[:] = 0.0
    for i in prange(n):
        for j in range(n):
            if i != j:
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                inv = (dx * dx + dy * dy + dz * dz + 1e-4) ** -1.5
                acc[i, 0] += dx * inv * mass[j]
                acc[i, 1] += dy * inv * mass[j]
                acc[i, 2] += dz * inv * mass[j]
    vel += acc * dt / 2.0
    kinetic = 0.0
    for i in prange(n):
        kinetic += mass[i] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
    potential = 0.0
    for i in prange(n):
        for j in range(n):
            if j > i:
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                potential -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz)
    centre = np.zeros(3)
    for k in range(3):
        centre[k] = (mass * pos[:, k]).sum() / mass.sum()
    return 0.5 * kinetic, potential, centre


@program(lambda: (np.linspace(0.0, 1.0, 10000), np.zeros(8)))
def chunks_by_thread(a, out):
    threads = out.shape[0]
    for t in prange(threads):
        first = t * len(a) // threads
        last = (t + 1) * len(a) // threads
        mean = a[first:last].mean()
        spread = ((a[first:last] - mean) ** 2).sum()
        top = a[first:last].max()
        out[t] = spread / (last - first) + top
