# SPDX-License-Identifier: BSD-3-Clause
"""Structures of ``numba.experimental.structref``: the manual's example, and what programs do."""

import numpy as np
import pytest

import swathe
from swathe.compat import numba
from swathe.compat.numba import njit, types
from swathe.compat.numba.core.errors import NumbaError, NumbaNotImplementedError
from swathe.compat.numba.experimental import structref
from swathe.compat.numba.extending import overload_attribute, overload_method


@structref.register
class PointType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(typ)) for name, typ in fields)


class Point(structref.StructRefProxy):
    def __new__(cls, name, vector):
        return structref.StructRefProxy.__new__(cls, name, vector)

    @property
    def name(self):
        return get_name(self).upper()

    @property
    def vector(self):
        return get_vector(self)

    def __str__(self):
        return f"{self.name} at {self.vector.tolist()}"


@njit
def get_name(self):
    return self.name


@njit
def get_vector(self):
    return self.vector


structref.define_proxy(Point, PointType, ["name", "vector"])


@overload_method(PointType, "distance")
def _distance(self, other):
    if isinstance(other, PointType):
        return lambda self, other: np.linalg.norm(self.vector - other.vector)
    return None


@overload_method(PointType, "scaled")
def _scaled(self, by=2):
    if isinstance(by, types.Float):
        return lambda self, by=2: self.vector * by
    return lambda self, by=2: self.vector * by + 1


@overload_attribute(PointType, "size")
def _size(self):
    return lambda self: len(self.vector)


@njit
def moved():
    p = Point("unnamed", vector=np.zeros(3))
    p.name = "Bob"
    p.vector = np.array([1.0, 2.0, 3.0])
    return p


@njit
def measured(a, b):
    return a.distance(b), a.scaled(), a.scaled(0.5), b.size


def test_the_manuals_example() -> None:
    alice, bob = Point("Alice", np.full(3, 2.0)), moved()
    assert isinstance(alice, Point) and isinstance(bob, Point) and not isinstance(1, Point)
    assert str(bob) == "BOB at [1.0, 2.0, 3.0]" and alice.name == "ALICE"
    far, more, less, size = measured(alice, bob)
    assert far == np.linalg.norm(alice.vector - bob.vector) and size == 3
    assert more.tolist() == [5.0] * 3 and less.tolist() == [1.0] * 3
    assert repr(numba.typeof(bob)) == "PointType(name: str, vector: Array(float64, 1, 'C'))"
    with pytest.raises(swathe.CompileError, match="no overload of 'distance' is for"):
        njit(lambda p: p.distance(3))(bob)


class Index(structref.StructRefProxy):
    """Made in compiled code alone, of read-only arrays."""


@structref.register
class IndexType(types.StructRef):
    pass


structref.define_attributes(IndexType)
structref.define_boxing(IndexType, Index)
structref.define_constructor(Index, IndexType, ("data", "k"))


def test_fields_that_are_read_only_and_shared() -> None:
    @njit
    def made(data, k):
        return Index(data, k)

    @njit(parallel=True)
    def total(index, out):
        for i in numba.prange(len(out)):
            out[i] = index.data[i] * index.k
        index.k += 1
        return out

    data = np.arange(4, dtype=np.float32)
    data.flags.writeable = False
    for k in (2, 2.5):  # one class for each choice of types
        index = made(data, k)
        assert total(index, np.zeros(4)).tolist() == [0.0, k, 2 * k, 3 * k]
        assert index.k == k + 1 and index.data is data and isinstance(index, Index)
    kind = numba.typeof(index)
    assert isinstance(kind, IndexType) and kind.field_dict["k"] == types.float64
    with pytest.raises(TypeError, match="there is no example of IndexType"):
        total.compile((kind, types.float64[::1]))
    with pytest.raises(swathe.CompileError, match="read-only"):
        njit(lambda x: x.data.fill(1))(index)


def test_what_is_refused() -> None:
    class Other(types.StructRef):
        def preprocess_fields(self, fields):
            return tuple((name, types.float32) for name, _ in fields)

    class Loose(structref.StructRefProxy):
        pass

    structref.register(Other)
    with pytest.raises(NumbaNotImplementedError, match="preprocess_fields changes the types"):
        structref.define_proxy(Loose, Other, ["x"])
    with pytest.raises(TypeError, match="has no fields: structref.define_proxy"):
        Loose(1)
    with pytest.raises(TypeError, match="derive a class from types.StructRef"):
        structref.register(types.StructRef)
    with pytest.raises(NumbaNotImplementedError, match="is for intrinsics"):
        structref.new(Other)
    assert issubclass(NumbaNotImplementedError, NumbaError)
    assert not issubclass(NumbaNotImplementedError, NotImplementedError)
