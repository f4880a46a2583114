"""Random kernels in which no two threads race, as text.

Two arrays of the block, `a` and `b`, take turns: between two barriers each thread stores to its own
element of one and reads any of the other. Barriers stand only where all threads come that have not
returned: under conditions and in loops that are the same for the block. Everything else may
diverge.
"""

from __future__ import annotations

import random
import re

HEAD = """
@gpu.jit
def kernel(x, out, counts, n):
    a = gpu.shared.array(SIZE, np.float64)
    b = gpu.shared.array(SIZE, np.float64)
    c = gpu.shared.array(4, np.int64)
    w = gpu.local.array(3, np.float64)
    t = THREAD
    i = t + SIZE * (gpu.blockIdx.x + gpu.gridDim.x * gpu.blockIdx.y)
    u, v, k, m = x[i], 1.0, t, 0
    a[t] = x[i]
    b[t] = t
    if t < 4:
        c[t] = 0
"""

TAIL = """    out[i] = u + v
    counts[0, i] = k
    counts[1, i] = m
    w[0] += u
    out[i] += w[0] + w[1] + w[2] + a[t] + b[t]
    gpu.syncthreads()
    if t < 4:
        counts[2, i] = c[t]
"""


class Maker:
    """Writes one kernel; a strict one is right under debug=True, too."""

    parts = 2
    budget = 2  # depth of branches and loops with barriers inside them

    def __init__(self, seed: int, strict: bool = False) -> None:
        self.strict = strict
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0
        self.read, self.write = "a", "b"
        self.returned = False
        self.local = seed % 3 == 0
        self.shape = self.r.choice([(8,), (32,), (33,), (64,), (4, 4), (8, 5), (2, 3, 4), (32, 2)])
        self.grid = self.r.choice([(1,), (3,), (2, 2)])
        self.size = 1
        for s in self.shape:
            self.size *= s

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self) -> str:
        self.names += 1
        return f"j{self.names}"

    # ---- expressions

    def whole(self) -> str:
        return self.r.choice(
            ["k", "m", "t", "n", "gpu.blockIdx.x", "3", "k % 5", "t // 3", "7 - t"]
        )

    def real(self) -> str:
        r = self.r
        return r.choice(
            [
                "u", "v", "u * 0.5", "v - u", "0.25 * v + 1", "abs(u)", "min(u, v)", "max(v, 0.5)",
                f"{self.read}[(t + {r.randrange(1, self.size)}) % {self.size}]",
                f"{self.read}[{self.size - 1} - t]", f"{self.read}[{r.randrange(self.size)}]",
                f"{self.read}[abs(k) % {self.size}]", "w[k % 3]", "x[i] * 0.125", "k * 0.5",
                "(u if t % 2 else v)", "math.sqrt(abs(v))",
            ]
        )  # fmt: skip

    def uniform(self) -> str:
        return self.r.choice(
            ["n > 2", "gpu.blockIdx.x == 0", "n % 2 == 1", "gpu.blockIdx.x + n > 3", "c[3] == 0"]
        )

    def divergent(self) -> str:
        return self.r.choice(
            [
                "t % 3 == 0",
                "u > v",
                "k > 4",
                "t < 5",
                "t > n",
                "v < 0.5 and t % 2",
                "k == m or u < 0",
            ]
        )

    # ---- statements that need nobody else

    def simple(self) -> None:
        r = self.r
        self.add(
            r.choice(
                [
                    f"u = {self.real()}", f"v += {self.real()}", f"v = {self.real()} * 0.5",
                    f"k += {self.whole()}", f"m = {self.whole()}",
                    f"k = (k * 3 + {self.whole()}) % 17",
                    f"{self.write}[t] = {self.real()}", f"{self.write}[t] += {self.real()}",
                    f"w[{r.randrange(3)}] = {self.real()}", "w[t % 3] += 1", "u, v = v, u",
                    f"gpu.atomic.add(c, {r.randrange(3)}, 1)",
                ]
            )
        )  # fmt: skip

    def alone(self, budget: int) -> None:
        """Branches and loops that may diverge."""
        for _ in range(self.r.randrange(1, 4)):
            what = self.r.random()
            if budget <= 0 or what < 0.5:
                self.simple()
            elif what < 0.75:
                self.add(f"if {self.divergent()}:")
                self.inside(budget)
                if self.r.random() < 0.5:
                    self.add("else:")
                    self.inside(budget)
            else:
                j = self.fresh()
                self.add(f"for {j} in range({self.r.choice(['t % 4', '3', 'abs(k) % 3', 'n'])}):")
                self.inside(budget)
                if self.r.random() < 0.4:
                    word = self.r.choice(["break", "continue"])
                    self.add(f"    if {self.divergent()}:")
                    self.add(f"        {word}")
                    self.depth += 1
                    self.simple()
                    self.depth -= 1

    def inside(self, budget: int) -> None:
        self.depth += 1
        self.alone(budget - 1)
        self.depth -= 1

    # ---- statements of the whole block

    def barrier(self) -> None:
        what = self.r.random()
        if what < 0.7:
            self.add("gpu.syncthreads()")
        elif what < 0.8:
            self.add(f"m += gpu.syncthreads_count({self.divergent()})")
        elif what < 0.9:
            self.add(f"v += gpu.syncthreads_or({self.divergent()})")
        else:
            self.add(f"m -= gpu.syncthreads_and({self.divergent()})")
        self.read, self.write = self.write, self.read

    def warp(self) -> None:
        mask = "0xffffffff"
        self.add(
            self.r.choice(
                [
                    f"u += gpu.shfl_xor_sync({mask}, v, {self.r.choice([1, 2])})",
                    f"v = gpu.shfl_up_sync({mask}, u, 1)", f"k = gpu.shfl_sync({mask}, k, 1)",
                    f"m += gpu.popc(gpu.ballot_sync({mask}, {self.divergent()}))",
                    f"m += gpu.any_sync({mask}, {self.divergent()})",
                ]
            )
        )  # fmt: skip

    def together(self, budget: int) -> None:
        for _ in range(self.r.randrange(2, 5)):
            what = self.r.random()
            if what < 0.45:
                self.alone(2)
            elif what < 0.7 or budget <= 0:
                self.barrier()
            elif what < 0.76 and not self.returned and self.size % 32 == 0:
                self.warp()
            elif what < 0.86:
                self.branch(budget)
            else:
                self.loop(budget)

    def branch(self, budget: int) -> None:
        condition = self.uniform()
        if "c[3]" in condition:
            self.barrier()
        self.add(f"if {condition}:")
        roles = self.read, self.write
        self.body(budget, roles)
        if self.r.random() < 0.5:
            self.add("else:")
            self.body(budget, roles)

    def loop(self, budget: int) -> None:
        j = self.fresh()
        if self.r.random() < 0.6:
            self.add(f"for {j} in range({self.r.choice(['n', '2', '3', 'gpu.blockIdx.x + 1'])}):")
            self.body(budget, (self.read, self.write))
        else:
            self.add(f"{j} = 0")
            self.add(f"while {j} < {self.r.choice(['n', '2', '3'])}:")
            self.depth += 1
            self.add(f"{j} += 1")
            self.depth -= 1
            self.body(budget, (self.read, self.write))

    def body(self, budget: int, roles: tuple[str, str]) -> None:
        """What runs any number of times: begins and ends with a barrier, in the same roles."""
        self.depth += 1
        self.add("gpu.syncthreads()")
        self.together(budget - 1)
        self.add("gpu.syncthreads()")
        self.read, self.write = roles
        self.depth -= 1

    def text(self) -> str:
        at = ["gpu.threadIdx.x", f"gpu.threadIdx.y * {self.shape[0]}"]
        if len(self.shape) == 3:
            at.append(f"gpu.threadIdx.z * {self.shape[0] * self.shape[1]}")
        tail = TAIL
        head = HEAD.replace("SIZE", str(self.size))
        head = head.replace("THREAD", " + ".join(at[: len(self.shape)]))
        if self.strict:
            self.add("w[0] = w[1] = w[2] = 0.0")
        elif self.r.random() < 0.3:
            self.returned = True
            self.add(f"if {self.r.choice(['t % 7 == 5', 't > 20', 'x[i] > 3.5'])}:")
            self.add("    return")
        self.add("gpu.syncthreads()")
        for _ in range(self.parts):
            self.together(self.budget)
        self.add("gpu.syncthreads()")
        body = "\n".join(self.lines) + "\n"
        if not self.local:
            head, tail, body = (re.sub(r"w\[(.*?)\]", r"v", p) for p in (head, tail, body))
            head = re.sub(r".*local.*\n", "", head)
        return head + body + tail
