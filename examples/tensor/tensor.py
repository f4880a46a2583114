# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that remember how they were made, so that they can be differentiated.

Each operation is a subclass of `Function`: `forward` on storages, `backward` from the derivative of
its result to those of its arguments. `Tensor.backward` walks the graph from the result back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import functions
import numpy as np
from storage import Storage, broadcast


class Backend:
    """The operations of a module, `on_host` or `on_grid`, each made at its first use."""

    def __init__(self, module: Any) -> None:
        self.name = module.__name__
        self.matmul = module.matmul
        self.map = cache(lambda name: module.map_of(getattr(functions, name)))
        self.zip = cache(lambda name: module.zip_of(getattr(functions, name)))
        self.sum = cache(lambda: module.reduce_of(functions.add, 0.0))
        self.max = cache(lambda: module.reduce_of(functions.larger, -math.inf))

    def zipped(self, name: str, a: Storage, b: Storage) -> Storage:
        """Broadcast, and apply a function of two numbers."""
        shape = broadcast(a.shape, b.shape)
        return self.zip(name)(a.broadcast_to(shape), b.broadcast_to(shape))

    def sum_to(self, a: Storage, shape: tuple[int, ...]) -> Storage:
        """Sum over the axes that a broadcast from `shape` has added or stretched."""
        while len(a.shape) > len(shape):
            a = self.sum()(a, 0)
            a = Storage(a.data, a.shape[1:])
        for axis, n in enumerate(shape):
            if n == 1 and a.shape[axis] != 1:
                a = self.sum()(a, axis)
        return a


class Function:
    """An operation, and what it keeps for its derivative."""

    def __init__(self, backend: Backend, *parents: Tensor) -> None:
        self.backend = backend
        self.parents = parents

    @classmethod
    def apply(cls, *parents: Tensor, **options: Any) -> Tensor:
        """Compute the result as a tensor."""
        self = cls(parents[0].backend, *parents)
        self.__dict__.update(options)
        out = self.forward(*(p.storage for p in parents))
        needed = any(p.needs_grad for p in parents)
        return Tensor(out, self.backend, self if needed else None, needed)

    def forward(self, *args: Storage) -> Storage:
        """Compute the result."""
        raise NotImplementedError

    def backward(self, d: Storage) -> Sequence[Storage]:
        """Return the derivatives by each argument, from that by the result."""
        raise NotImplementedError


class Map(Function):
    name: str

    def forward(self, a: Storage) -> Storage:
        self.kept = a
        self.out = self.backend.map(self.name)(a)
        return self.out


class Neg(Map):
    name = "neg"

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (self.backend.map("neg")(d),)


class ReLU(Map):
    name = "relu"

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (self.backend.zipped("relu_back", self.kept, d),)


class Exp(Map):
    name = "exp"

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (self.backend.zipped("mul", self.out, d),)


class Log(Map):
    name = "log"

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (self.backend.zipped("log_back", self.kept, d),)


class Inv(Map):
    name = "inv"

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (self.backend.zipped("inv_back", self.kept, d),)


class Sigmoid(Map):
    name = "sigmoid"

    def backward(self, d: Storage) -> Sequence[Storage]:
        b = self.backend
        rest = b.zipped("add", Storage.of(1.0), b.map("neg")(self.out))
        return (b.zipped("mul", d, b.zipped("mul", self.out, rest)),)


class Add(Function):
    def forward(self, a: Storage, b: Storage) -> Storage:
        return self.backend.zipped("add", a, b)

    def backward(self, d: Storage) -> Sequence[Storage]:
        return [self.backend.sum_to(d, p.shape) for p in self.parents]


class Mul(Function):
    def forward(self, a: Storage, b: Storage) -> Storage:
        self.a, self.b = a, b
        return self.backend.zipped("mul", a, b)

    def backward(self, d: Storage) -> Sequence[Storage]:
        zipped, to = self.backend.zipped, self.backend.sum_to
        return (
            to(zipped("mul", d, self.b), self.a.shape),
            to(zipped("mul", d, self.a), self.b.shape),
        )


class Compare(Function):
    name: str

    def forward(self, a: Storage, b: Storage) -> Storage:
        return self.backend.zipped(self.name, a, b)

    def backward(self, d: Storage) -> Sequence[Storage]:
        return [Storage(np.zeros(p.storage.size), p.shape) for p in self.parents]


class Sum(Function):
    axis: int

    def forward(self, a: Storage) -> Storage:
        return self.backend.sum()(a, self.axis)

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (d.broadcast_to(self.parents[0].shape),)


class Permute(Function):
    order: tuple[int, ...]

    def forward(self, a: Storage) -> Storage:
        return a.permute(*self.order)

    def backward(self, d: Storage) -> Sequence[Storage]:
        return (d.permute(*(self.order.index(k) for k in range(len(self.order)))),)


class View(Function):
    to: tuple[int, ...]

    def forward(self, a: Storage) -> Storage:
        a = a if a.is_contiguous() else self.backend.map("same")(a)
        if math.prod(self.to) != a.size:
            raise ValueError(f"shape {a.shape} can't be viewed as {self.to}")
        return Storage(a.data, self.to)

    def backward(self, d: Storage) -> Sequence[Storage]:
        d = d if d.is_contiguous() else self.backend.map("same")(d)
        return (Storage(d.data, self.parents[0].shape),)


def _swap(a: Storage) -> Storage:
    n = len(a.shape)
    return a.permute(*range(n - 2), n - 1, n - 2)


class MatMul(Function):
    def forward(self, a: Storage, b: Storage) -> Storage:
        if len(a.shape) < 2 or len(b.shape) < 2 or a.shape[-1] != b.shape[-2]:
            raise ValueError(f"matrices of {a.shape} and {b.shape} can't be multiplied")
        batch = broadcast(a.shape[:-2], b.shape[:-2])
        self.a = a.broadcast_to(batch + a.shape[-2:])
        self.b = b.broadcast_to(batch + b.shape[-2:])
        return self.backend.matmul(self.a, self.b)

    def backward(self, d: Storage) -> Sequence[Storage]:
        a, b = self.parents
        return (
            self.backend.sum_to(self.backend.matmul(d, _swap(self.b)), a.shape),
            self.backend.sum_to(self.backend.matmul(_swap(self.a), d), b.shape),
        )


class Tensor:
    """Numbers of a shape. Operators broadcast; `backward` fills `grad` where `needs_grad` is."""

    def __init__(
        self,
        values: Any,
        backend: Backend,
        made_by: Function | None = None,
        needs_grad: bool = False,
    ) -> None:
        self.storage = values if isinstance(values, Storage) else Storage.of(values)
        self.backend = backend
        self.made_by = made_by
        self.needs_grad = needs_grad
        self.grad: Storage | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.storage.shape

    def numpy(self) -> np.ndarray:
        """Return a copy as a NumPy array."""
        return self.storage.numpy()

    def item(self) -> float:
        """Return the only element."""
        return float(self.numpy().item())

    def detach(self) -> Tensor:
        """Return the same numbers without their past."""
        return Tensor(self.storage, self.backend)

    def __repr__(self) -> str:
        return f"Tensor({self.numpy()})"

    # ---- operators ----

    def _other(self, other: Any) -> Tensor:
        return other if isinstance(other, Tensor) else Tensor(other, self.backend)

    def __add__(self, other: Any) -> Tensor:
        return Add.apply(self, self._other(other))

    def __sub__(self, other: Any) -> Tensor:
        return self + -self._other(other)

    def __mul__(self, other: Any) -> Tensor:
        return Mul.apply(self, self._other(other))

    def __truediv__(self, other: Any) -> Tensor:
        return self * Inv.apply(self._other(other))

    def __matmul__(self, other: Any) -> Tensor:
        return MatMul.apply(self, self._other(other))

    def __neg__(self) -> Tensor:
        return Neg.apply(self)

    def __lt__(self, other: Any) -> Tensor:
        return type("Less", (Compare,), {"name": "less"}).apply(self, self._other(other))

    def __gt__(self, other: Any) -> Tensor:
        return self._other(other) < self

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Tensor:
        return self._other(other) - self

    def relu(self) -> Tensor:
        return ReLU.apply(self)

    def exp(self) -> Tensor:
        return Exp.apply(self)

    def log(self) -> Tensor:
        return Log.apply(self)

    def sigmoid(self) -> Tensor:
        return Sigmoid.apply(self)

    def sum(self, axis: int | None = None) -> Tensor:
        """Sum along an axis, which stays with a size of 1; or of all, with no axis left."""
        if axis is None:
            return Sum.apply(self.view(self.storage.size), axis=0).view()
        return Sum.apply(self, axis=axis % len(self.shape))

    def mean(self) -> Tensor:
        return self.sum() * (1.0 / self.storage.size)

    def max(self, axis: int) -> Tensor:
        """Return the largest along an axis, as numbers without a past."""
        return Tensor(self.backend.max()(self.storage, axis % len(self.shape)), self.backend)

    def permute(self, *order: int) -> Tensor:
        return Permute.apply(self, order=order)

    def view(self, *shape: int) -> Tensor:
        return View.apply(self, to=shape)

    def log_softmax(self, axis: int) -> Tensor:
        """Return the logarithms of probabilities, for scores along an axis."""
        shifted = self - self.max(axis)
        return shifted - shifted.exp().sum(axis).log()

    # ---- derivatives ----

    def backward(self) -> None:
        """Add the derivatives of this number by every leaf that needs one to the leaf's `grad`."""
        if self.storage.size != 1:
            raise ValueError(f"only a single number has a gradient, not a shape of {self.shape}")
        pending = {id(self): Storage(np.ones(1), self.shape)}
        for t in _from_result(self):
            d = pending.pop(id(t))
            if t.made_by is None:
                t.grad = d if t.grad is None else self.backend.zipped("add", t.grad, d)
                continue
            for parent, part in zip(t.made_by.parents, t.made_by.backward(d), strict=True):
                if parent.needs_grad:
                    old = pending.get(id(parent))
                    whole = part if old is None else self.backend.zipped("add", old, part)
                    pending[id(parent)] = whole


def _from_result(result: Tensor) -> list[Tensor]:
    """Return the graph's tensors so that each comes before those it was made of."""
    order: list[Tensor] = []
    seen: set[int] = set()
    stack = [(result, False)]
    while stack:
        t, done = stack.pop()
        if done:
            order.append(t)
        elif id(t) not in seen and t.needs_grad:
            seen.add(id(t))
            stack.append((t, True))
            stack += [(p, False) for p in (t.made_by.parents if t.made_by else ())]
    return order[::-1]
