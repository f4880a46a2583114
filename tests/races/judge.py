# SPDX-License-Identifier: BSD-3-Clause
"""Which iterations of a prange depend on each other, found by running it in CPython.

`judge` runs a function whose arrays note the bytes that each iteration reads and writes, and
runs it again with the iterations in other orders. Views, rows, slices, helpers, functions of NumPy,
and arrays made on the way are seen; a scalar that is carried along shows by its result only."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


@dataclass
class Region:
    """The outermost prange that runs: who has read and written which byte."""

    iteration: int | None = None
    readers: dict[int, set[int]] = field(default_factory=dict)
    writers: dict[int, set[int]] = field(default_factory=dict)
    conflicts: set[tuple[int, int]] = field(default_factory=set)
    kept: list[np.ndarray] = field(default_factory=list)  # so that no memory is used twice
    shuffle: random.Random | None = None
    last_stays: bool = True  # what it leaves behind may be read
    loops: int = 0

    def note(self, addresses: np.ndarray, writes: bool) -> None:
        if self.iteration is None:
            return
        me = self.iteration
        for at in addresses.ravel().tolist():
            others = self.writers.get(at, set())
            if writes:
                others = others | self.readers.get(at, set())
            self.conflicts.update((k, me) for k in others if k != me)
            (self.writers if writes else self.readers).setdefault(at, set()).add(me)

    def prange(self, *args: int) -> Iterator[int]:
        if self.iteration is not None:  # a loop inside the loop
            yield from range(*args)
            return
        self.loops += 1
        self.readers, self.writers = {}, {}
        order = list(range(*args))
        if self.shuffle:
            last = order[-1:] if self.last_stays else []
            del order[len(order) - len(last) :]
            self.shuffle.shuffle(order)
            order += last
        try:
            for i in order:
                self.iteration = i
                yield i
        finally:
            self.iteration = None


def addresses(a: np.ndarray) -> np.ndarray:
    """The address of each element."""
    at = np.full(a.shape, a.ctypes.data, np.int64)
    for axis, (n, stride) in enumerate(zip(a.shape, a.strides, strict=True)):
        steps = np.arange(n, dtype=np.int64) * stride
        at += steps.reshape([-1 if k == axis else 1 for k in range(a.ndim)])
    return at


class Watched(NDArrayOperatorsMixin):
    """An array that tells its region what is touched."""

    __hash__ = None

    def __init__(self, region: Region, array: np.ndarray) -> None:
        self.region, self.array = region, array
        region.kept.append(array)

    def wrap(self, value: Any) -> Any:
        return wrap(self.region, value)

    def read(self) -> np.ndarray:
        self.region.note(addresses(self.array), False)
        return self.array

    def plain(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return tuple(self.plain(k) for k in index)
        return index.read() if isinstance(index, Watched) else index

    def __getitem__(self, index: Any) -> Any:
        index = self.plain(index)
        value = self.array[index]
        if isinstance(value, np.ndarray) and value.base is not None:
            return self.wrap(value)
        self.region.note(addresses(self.array)[index], False)
        return self.wrap(value)

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = self.plain(index), self.plain(value)
        self.region.note(addresses(self.array)[index], True)
        self.array[index] = value

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self.array)))

    def __bool__(self) -> bool:
        return bool(self.read())

    def __array__(self, *args: Any, **kw: Any) -> np.ndarray:
        return np.array(self.read())

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.array, name)
        if not callable(value):
            return self.wrap(value)
        return lambda *args, **kw: self.call(value, [self], args, kw)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kw: Any) -> Any:
        return self.call(getattr(ufunc, method), [], args, kw)

    def __array_function__(self, function: Any, types: Any, args: Any, kw: Any) -> Any:
        return self.call(function, [], args, kw)

    def call(self, function: Callable, seen: list, args: Any, kw: Any) -> Any:
        """A function of NumPy: reads what it is given, unless it returns a view of it."""
        seen = list(seen)
        out = kw.get("out")
        outs = [k for k in (out if isinstance(out, tuple) else [out]) if isinstance(k, Watched)]

        def strip(x: Any) -> Any:
            if isinstance(x, Watched):
                seen.append(x)
                return x.array
            if isinstance(x, (tuple, list)):
                return type(x)(strip(k) for k in x)
            return x

        args = strip(args)
        kw = {
            k: tuple(o.array for o in outs) if k == "out" and outs else strip(v)
            for k, v in kw.items()
        }
        for k in outs:
            self.region.note(addresses(k.array), True)
        value = function(*args, **kw)
        if outs:
            return outs[0]
        looks = [
            isinstance(value, np.ndarray) and np.may_share_memory(value, k.array) for k in seen
        ]
        for k, view in zip(seen, looks, strict=True):
            if not view:
                k.read()
        return self.wrap(value)


def wrap(region: Region, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return Watched(region, value)
    if isinstance(value, tuple):
        items = [wrap(region, k) for k in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def unwrap(value: Any) -> Any:
    if isinstance(value, Watched):
        return value.array
    return tuple(unwrap(k) for k in value) if isinstance(value, tuple) else value


class Numpy:
    """The module, whose new arrays are watched."""

    def __init__(self, region: Region) -> None:
        self.region = region

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if isinstance(value, type) or not callable(value):
            return value
        return lambda *args, **kw: wrap(self.region, value(*args, **kw))


@dataclass
class Verdict:
    """What was found; `result` and `args` are those of the run in order."""

    conflicts: set[tuple[int, int]]  # iterations that touch the same bytes, one writing
    ordered: bool  # another order gives other results
    loops: int
    result: Any = None
    args: tuple = ()
    error: Exception | None = None

    @property
    def independent(self) -> bool:
        return not self.conflicts and not self.ordered

    @property
    def dependent(self) -> bool:
        """For certain: with conflicts alone it may be a reduction."""
        return self.ordered


def same(x: Any, y: Any) -> bool:
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if x is None or y is None:
        return x is y
    return np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True)


def _run(text: str, name: str, args: tuple, region: Region) -> tuple[Any, Any]:
    """Yields the result and what was raised."""
    names: dict[str, Any] = {}
    exec(text, names)
    names |= {"np": Numpy(region), "prange": region.prange}
    try:
        result = names[name](*(wrap(region, k) for k in args))
    except Exception as e:
        return None, e
    return unwrap(result), None


def owner(a: np.ndarray) -> np.ndarray:
    """The array that has the memory of `a`."""
    base: Any = a
    while getattr(base, "base", None) is not None:  # as_strided puts an object between
        base = base.base
    return base if isinstance(base, np.ndarray) else a


def copied(args: tuple) -> tuple:
    """Copies that share memory as the arguments do."""
    owners = {
        id(o): (o, o.copy("K")) for k in args if isinstance(k, np.ndarray) for o in [owner(k)]
    }

    def one(k: Any) -> Any:
        if not isinstance(k, np.ndarray):
            return k
        old, new = owners[id(owner(k))]
        same = np.ndarray(k.shape, k.dtype, new, k.ctypes.data - old.ctypes.data, k.strides)
        same.flags.writeable = k.flags.writeable
        return same

    return tuple(map(one, args))


def judge(text: str, name: str, args: tuple, orders: int = 3) -> Verdict:
    """Runs function `name` of the source `text` on copies of the arguments."""
    region, after, ordered = Region(), copied(args), False
    result, error = _run(text, name, after, region)
    for seed in range(orders if error is None else 0):
        for last_stays in (True, False):
            others = copied(args)
            other, failed = _run(
                text,
                name,
                others,
                Region(shuffle=random.Random(seed), last_stays=last_stays),
            )
            if last_stays:
                ordered |= failed is not None or not same(result, other)
            if last_stays or region.conflicts:
                ordered |= failed is not None or not same(after, others)
    return Verdict(region.conflicts, ordered, region.loops, result, after, error)
