"""Run a kernel in plain Python: what every device must agree with.

Takes the kernel's own source. Each thread of a block is a greenlet; the next goes on when one waits
(at a barrier, or for the others of its warp) or ends. A thread that has returned counts as one that
waits.
"""

from __future__ import annotations

import sys
import types
from itertools import product
from typing import Any

import numpy as np
from greenlet import GreenletExit, getcurrent, greenlet

import swathe
from swathe import gpu

WARP = 32


class Thread:
    """One thread of a block."""

    def __init__(self, block: Block, place: tuple[int, int, int]) -> None:
        self.block, self.place = block, place
        bx, by, _ = block.dim
        self.number = place[0] + bx * (place[1] + by * place[2])
        self.runs = greenlet(self.run)
        self.waits: tuple[str, Any] | None = None
        self.answer: Any = None
        self.done = False
        self.local: dict[Any, Any] = {}

    def run(self, func: Any, args: tuple[Any, ...]) -> None:
        try:
            with np.errstate(all="ignore"):
                func(*args)
        except GreenletExit:  # another thread of the block has failed
            pass
        except BaseException as e:
            e.__notes__ = [f"(in block {self.block.place}, thread {self.place})"]
            self.block.failed = self.block.failed or e
        self.done = True

    def wait(self, what: str, value: Any = None) -> Any:
        self.waits = (what, value)
        getcurrent().parent.switch()
        return self.answer


class Block:
    """The threads of one block, and what they share."""

    def __init__(self, place: Any, dim: Any, grid: Any, shared: int) -> None:
        self.place, self.dim, self.grid = place, dim, grid
        self.bytes = np.zeros(shared, np.uint8)
        self.shared: dict[Any, Any] = {}
        self.failed: BaseException | None = None
        self.call: tuple[Any, ...] = ()
        self.threads = [
            Thread(self, (x, y, z)) for z, y, x in product(*(range(n) for n in reversed(dim)))
        ]

    def run(self, world: World, func: Any, args: tuple[Any, ...]) -> None:
        self.call = func, args
        self.go_on(world)

    def go_on(self, world: World) -> None:
        """Up to the end, or to where all that are left wait for the whole grid."""
        while not all(t.done for t in self.threads):
            for t in self.threads:
                if t.done or self.failed or t.waits:
                    continue
                world.now = t
                t.runs.switch(*(() if t.runs else self.call))
            if self.failed:
                for t in self.threads:
                    if not t.done:
                        t.runs.throw()
                raise self.failed
            if self.waits_for_grid():
                return
            self.answer_all()

    def waits_for_grid(self) -> bool:
        alive = [t for t in self.threads if not t.done]
        return bool(alive) and all(t.waits == ("grid", None) for t in alive)

    def leave_grid(self) -> None:
        for t in self.threads:
            t.waits = None

    def answer_all(self) -> None:
        alive = [t for t in self.threads if not t.done]
        if all(t.waits and t.waits[0].startswith("block") for t in alive):
            self.barrier(alive)
            return
        for first in range(0, len(self.threads), WARP):
            warp = [t for t in self.threads[first : first + WARP] if not t.done]
            asks = [t for t in warp if t.waits and t.waits[0].startswith("warp")]
            if asks:
                answer_warp(asks)

    @staticmethod
    def barrier(alive: list[Thread]) -> None:
        votes = [bool(t.waits[1]) for t in alive if t.waits]
        for t in alive:
            kind = t.waits[0] if t.waits else ""
            if kind == "block.count":
                t.answer = sum(votes)
            elif kind == "block.and":
                t.answer = all(votes)
            elif kind == "block.or":
                t.answer = any(votes)
        for t in alive:
            t.waits = None


def answer_warp(asks: list[Thread]) -> None:
    given = {t.number % WARP: t.waits[1] for t in asks if t.waits}
    for t in asks:
        assert t.waits
        t.answer = warp_answer(t.waits[0], t.number % WARP, given, t.waits[1])
    for t in asks:
        t.waits = None


def warp_answer(kind: str, lane: int, given: dict[int, Any], mine: Any) -> Any:
    if kind == "warp.sync":
        return None
    if kind == "warp.shfl":
        value, other = mine
        return given[other][0] if other in given else value
    values = {k: v for k, v in given.items()}
    if kind == "warp.any":
        return any(values.values())
    if kind == "warp.all":
        return all(values.values())
    if kind == "warp.eq":
        return len({bool(v) for v in values.values()}) == 1
    if kind == "warp.ballot":
        return sum(1 << k for k, v in values.items() if v)
    if kind == "warp.match_any":
        return sum(1 << k for k, v in values.items() if same_bits(v, mine))
    same = all(same_bits(v, mine) for v in values.values())
    return (sum(1 << k for k in values) if same else 0), same


def same_bits(a: Any, b: Any) -> bool:
    """As devices compare: a NaN is the same as itself, 0.0 and -0.0 are not."""
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def unsigned(v: Any) -> int:
    """What a device counts: an integer's bits as a number without a sign."""
    return int(v) % 2 ** (8 * np.asarray(v).itemsize)


# ---- swathe.gpu, as the interpreter has it ------------------------------------------------------


class Axes:
    """threadIdx and its like."""

    def __init__(self, get: Any) -> None:
        self.get = get

    x = property(lambda self: self.get()[0])
    y = property(lambda self: self.get()[1])
    z = property(lambda self: self.get()[2])


def change(op: Any) -> Any:
    """An atomic operation, by what it makes of the old value."""

    def run(ary: Any, idx: Any, *values: Any) -> Any:
        old = ary[idx]
        with np.errstate(all="ignore"):
            ary[idx] = op(old, *values)
        return old

    return run


class Atomic:
    """gpu.atomic."""

    add = staticmethod(change(lambda a, b: a + b))
    sub = staticmethod(change(lambda a, b: a - b))
    min = staticmethod(change(np.minimum))
    max = staticmethod(change(np.maximum))
    nanmin = staticmethod(change(np.fmin))
    nanmax = staticmethod(change(np.fmax))
    and_ = staticmethod(change(lambda a, b: a & b))
    or_ = staticmethod(change(lambda a, b: a | b))
    xor = staticmethod(change(lambda a, b: a ^ b))
    exch = staticmethod(change(lambda a, b: b))
    inc = staticmethod(change(lambda a, b: 0 if unsigned(a) >= unsigned(b) else a + 1))
    dec = staticmethod(change(lambda a, b: b if a == 0 or unsigned(a) > unsigned(b) else a - 1))
    cas = staticmethod(change(lambda a, old, b: b if same_bits(a, a.dtype.type(old)) else a))

    @staticmethod
    def compare_and_swap(ary: Any, old: Any, val: Any) -> Any:
        return Atomic.cas(ary, 0, old, val)


class World:
    """A module `gpu` for one launch."""

    def __init__(self) -> None:
        self.now: Any = None
        self.threadIdx = Axes(lambda: self.now.place)
        self.blockIdx = Axes(lambda: self.now.block.place)
        self.blockDim = Axes(lambda: self.now.block.dim)
        self.gridDim = Axes(lambda: self.now.block.grid)
        self.atomic = Atomic
        self.shared = types.SimpleNamespace(array=self.shared_array)
        self.local = types.SimpleNamespace(array=self.local_array, private=self.private_array)
        self.const = types.SimpleNamespace(array_like=lambda a: a)
        self.warpsize = WARP
        for name in ("popc", "clz", "ffs", "brev", "fma", "cbrt", "rsqrt", "selp"):
            setattr(self, name, getattr(gpu, name))
        for name in ("threadfence", "threadfence_block", "threadfence_system"):
            setattr(self, name, lambda: None)

    @property
    def laneid(self) -> int:
        return self.now.number % WARP

    def lanemask_lt(self) -> int:
        return (1 << self.laneid) - 1

    def activemask(self) -> int:
        return self.now.wait("warp.ballot", True)

    def grid(self, ndim: int) -> Any:
        t = self.now
        at = [t.block.place[k] * t.block.dim[k] + t.place[k] for k in range(ndim)]
        return at[0] if ndim == 1 else tuple(at)

    def gridsize(self, ndim: int) -> Any:
        b = self.now.block
        size = [b.grid[k] * b.dim[k] for k in range(ndim)]
        return size[0] if ndim == 1 else tuple(size)

    def shared_array(self, shape: Any, dtype: Any) -> Any:
        frame = sys._getframe(1)
        dtype = np.dtype(getattr(dtype, "_swathe_dtype", dtype))
        b = self.now.block
        if shape in (0, (0,)):
            return b.bytes[: b.bytes.size // dtype.itemsize * dtype.itemsize].view(dtype)
        return b.shared.setdefault((frame.f_code, frame.f_lasti), np.zeros(shape, dtype))

    def private_array(self, shape: Any, dtype: Any, fill_zeros: bool = False) -> Any:
        a = self.local_array(shape, dtype)
        if fill_zeros:
            a[...] = 0
        return a

    def local_array(self, shape: Any, dtype: Any) -> Any:
        return np.zeros(shape, np.dtype(getattr(dtype, "_swathe_dtype", dtype)))

    def syncthreads(self) -> None:
        self.now.wait("block")

    def syncgrid(self) -> None:
        self.now.wait("grid")

    @property
    def cg(self) -> Any:
        grid = types.SimpleNamespace(sync=self.syncgrid)
        return types.SimpleNamespace(this_grid=lambda: grid)

    def syncthreads_count(self, p: Any) -> int:
        return self.now.wait("block.count", p)

    def syncthreads_and(self, p: Any) -> bool:
        return self.now.wait("block.and", p)

    def syncthreads_or(self, p: Any) -> bool:
        return self.now.wait("block.or", p)

    def syncwarp(self, mask: int = 0xFFFFFFFF) -> None:
        self.now.wait("warp.sync")

    def shfl_sync(self, mask: int, value: Any, lane: int) -> Any:
        return self.now.wait("warp.shfl", (value, lane % WARP))

    def shfl_up_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self.now.wait("warp.shfl", (value, self.laneid - delta))

    def shfl_down_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self.now.wait("warp.shfl", (value, self.laneid + delta))

    def shfl_xor_sync(self, mask: int, value: Any, lane_mask: int) -> Any:
        return self.now.wait("warp.shfl", (value, self.laneid ^ lane_mask))

    def any_sync(self, mask: int, p: Any) -> bool:
        return self.now.wait("warp.any", bool(p))

    def all_sync(self, mask: int, p: Any) -> bool:
        return self.now.wait("warp.all", bool(p))

    def eq_sync(self, mask: int, p: Any) -> bool:
        return self.now.wait("warp.eq", bool(p))

    def ballot_sync(self, mask: int, p: Any) -> int:
        return self.now.wait("warp.ballot", bool(p))

    def match_any_sync(self, mask: int, value: Any) -> int:
        return self.now.wait("warp.match_any", value)

    def match_all_sync(self, mask: int, value: Any) -> tuple[int, bool]:
        return self.now.wait("warp.match_all", value)


# ---- a function in that world ------------------------------------------------------------


def code_names(code: Any) -> set[str]:
    names = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            names |= code_names(c)
    return names


def moved(func: Any, world: World, seen: dict[Any, Any]) -> Any:
    """The function, and all that it calls, with `gpu` replaced."""
    func = getattr(func, "py_func", func)
    if func in seen:
        return seen[func]
    names = dict(func.__globals__)
    cells = tuple(types.CellType() for _ in func.__closure__ or ())
    seen[func] = f = types.FunctionType(
        func.__code__, names, func.__name__, func.__defaults__, cells or None
    )

    def translated(v: Any) -> Any:
        if v is gpu:
            return world
        if isinstance(v, swathe.Dispatcher) or (
            isinstance(v, types.FunctionType) and not (v.__module__ or "").startswith("swathe")
        ):
            return moved(v, world, seen)
        return v

    for name in code_names(func.__code__):
        if name in names:
            names[name] = translated(names[name])
    for new, old in zip(cells, func.__closure__ or (), strict=True):
        new.cell_contents = translated(old.cell_contents)
    return f


def triple(n: Any) -> tuple[int, int, int]:
    n = tuple(n) if isinstance(n, (tuple, list)) else (n,)
    return (*n, 1, 1, 1)[:3]


def launch(kernel: Any, grid: Any, block: Any, args: tuple[Any, ...], shared: int = 0) -> None:
    """kernel[grid, block, 0, shared](*args), in Python; arrays are changed in place."""
    world, grid, block = World(), triple(grid), triple(block)
    func = moved(kernel, world, {})
    blocks = []
    for z, y, x in product(*(range(n) for n in reversed(grid))):
        blocks.append(Block((x, y, z), block, grid, shared))
        blocks[-1].run(world, func, args)
    while waiting := [b for b in blocks if b.waits_for_grid()]:
        for b in waiting:
            b.leave_grid()
        for b in waiting:
            b.go_on(world)
