"""Random kernels of more kinds: functions of every sort, arrays of a thread, slices, returns
and breaks in the middle, and waits for the whole grid."""

from __future__ import annotations

import random_kernels

HELPERS = """
def blend(p, q, share=0.25):
    if p > q:
        return p * share + q
    return q


@swathe.njit
def steps(v, most):
    n = 0
    while v > 0.25 and n < most:
        v *= 0.5
        n += 1
    return n


@gpu.jit(device=True)
def depth(n):
    return 1 if n < 2 else depth(n - 1) + depth(n - 2)


def total_of(values):
    s = 0.0
    for v in values:
        s += v
    return s


def turn(own, t, v, n):
    own[t] = v
    gpu.syncthreads()
    r = own[(t + 1) % n]
    gpu.syncthreads()
    return r, n - t


def search(own, v):
    for i in range(own.size):
        if own[i] > v:
            return i
    return -1


def make_scale(by):
    def scale(v):
        return v * by

    return scale


scale = make_scale(0.75)
TABLE = np.array([0.5, -1.0, 2.0, 0.125])
"""

OWN = """
    def own(p, j):
        o = np.zeros(3)
        o[j] = p
        return o[0] + o[2]

"""


class Rich(random_kernels.Maker):
    """A maker with more to choose from."""

    def __init__(self, seed: int, strict: bool = False, grids: bool = False) -> None:
        super().__init__(seed, strict)
        self.grids = grids

    def real(self) -> str:
        r = self.r
        if r.random() < 0.6:
            return super().real()
        lo = r.randrange(self.size - 1)
        return r.choice(
            [
                "blend(u, v)", "blend(v, 1.0, share=0.5)", "steps(abs(v), 4) * 0.5", "depth(t % 5)",
                "scale(u)", "(lambda q: q * 0.5 + k)(v)", "TABLE[k % 4]",
                "gpu.const.array_like(TABLE)[t % 4]", "float(np.float32(u)) * 0.5",
                f"{self.read}[{lo}:{lo + 1 + r.randrange(self.size - lo)}].sum() * 0.01",
                f"{self.read}[t % {self.size}:].max()", f"{self.read}[::-1][t]",
                f"total_of({self.read}[{lo}:]) * 0.01", f"search({self.read}, u) * 0.5",
                "(np.array([u, v, 1.0]) * 0.5).sum()", "own(u, k % 3)", "y[t % 3].sum()",
                "y[t % 3, k % 4]", "abs(complex(u, v)) * 0.1", "u - v",
                "float(np.int32(k) * np.int32(3))", "min(max(u, -2.0), 2.0)",
            ]
        )  # fmt: skip

    def simple(self) -> None:
        if self.r.random() < 0.7:
            super().simple()
            return
        for line in self.r.choice(
            [
                ("pair = (u, k)", "v, m = pair"),
                ("k, m = m % 7, k",),
                ("z = np.zeros(3)", "z[k % 3] = v", "z[1] += u", "v = z.max() + z[0]"),
                ("part = y[t % 3]", "u = part[k % 4] + part[-1]"),
                ("u = v if k % 2 else u",),
                ("k = int(abs(v)) % 9",),
                ("u //= 2.0",), ("k //= 2",), ("m ^= k",), ("k <<= 1", "k %= 64"),
                ("q = 0", "while q < k % 5:", "    q += 2", "    u += q * 0.5"),
                ("for q in range(4, -1, -2):", "    v += q * 0.25"),
                ("for q in (1, 2, 5):", "    k += q"),
            ]
        ):  # fmt: skip
            self.add(line)

    def together(self, budget: int) -> None:
        super().together(budget)
        r = self.r.random()
        if r < 0.35:
            self.add("gpu.syncthreads()")
            to = self.r.choice(["u", "v"])
            self.add(f"{to}, m = turn({self.write}, t, {self.real()}, {self.size})")
        elif r < 0.45 and self.depth == 1 and not self.strict:
            self.returned = True
            self.add(f"if {self.divergent()} and t > 3:")
            self.add("    out[i] = 5.0")
            self.add("    return")
        elif r < 0.55:
            j = self.fresh()
            self.add(f"{j} = 0")
            self.add("while True:")
            self.body(0, (self.read, self.write))
            self.add(f"    {j} += 1")
            self.add(f"    if {j} > n or {self.uniform().replace('c[3] == 0', 'n > 9')}:")
            self.add("        break")
        elif r < 0.7 and self.depth == 1 and self.grids and not self.returned:
            self.add("g[i] = u")
            self.add("gpu.syncgrid()")
            self.add("v += g[(i + 7) % g.size]")
            self.add("gpu.syncgrid()")
            self.read, self.write = self.write, self.read

    def text(self) -> str:
        text = super().text()
        text = text.replace("kernel(x, out, counts, n)", "kernel(x, out, counts, n, y, g)")
        return HELPERS + text.replace("    t = ", OWN + "    t = ", 1)
