# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of other libraries as arguments: their memory is used where it is, or they are refused."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import namedtuple

import numpy as np
import pytest

import swathe


@swathe.njit(cache=False)
def double(x):
    for i in range(len(x)):
        x[i] = x[i] * 2
    return x.sum()


@swathe.njit(cache=False)
def total(x):
    return x.sum()


class Interface:
    """Shows its memory by __array_interface__."""

    def __init__(self, a):
        self.a = a

    @property
    def __array_interface__(self):
        return self.a.__array_interface__


class DLPack:
    """Shows its memory by DLPack 1.0, where NumPy knows it."""

    device = (1, 0)

    def __init__(self, a):
        self.a = a

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)


class OldDLPack(DLPack):
    """Knows no options, as libraries of before DLPack 1.0."""

    def __dlpack__(self):
        return self.a.__dlpack__()


class OnDevice(DLPack):
    def __init__(self, a, device):
        super().__init__(a)
        self.device = (device, 0)


KINDS = [Interface, DLPack, OldDLPack]
DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "?"]


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_shared(kind):
    a = np.arange(5.0)
    assert double(kind(a)) == 20.0
    assert a.tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(kind, dtype):
    a = np.array([1, 0, 1], dtype)
    want, got = total(a), total(kind(a))
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "a",
    [
        np.arange(24.0).reshape(2, 3, 4),
        np.arange(24.0).reshape(4, 6).T,
        np.arange(24.0)[::-3],
        np.arange(24.0).reshape(4, 6)[1:3, ::2],
        np.zeros((0, 3)),
        np.array(3.0),
    ],
    ids=["3-d", "transposed", "backwards", "cut", "empty", "0-d"],
)
def test_layouts(kind, a):
    f = swathe.njit(cache=False)(lambda x: (x.shape, x.sum()))
    assert f(kind(a)) == (a.shape, a.sum())


@pytest.mark.parametrize("kind", KINDS)
def test_same_code_as_for_numpy(kind):
    a = np.ones(3)
    f = swathe.njit(cache=False)(lambda x: x.sum())
    assert f(a) == f(kind(a)) == 3.0
    assert f.stats["compiled"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_result_keeps_the_memory(kind):
    f = swathe.njit(cache=False)(lambda x: x[1:])
    a = np.arange(1000.0)
    gone = weakref.ref(a)
    r = f(kind(a))
    del a
    gc.collect()
    assert type(r) is np.ndarray and r[0] == 1.0 and gone() is not None
    del r
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_leaks(kind):
    a = np.arange(4.0)
    before = sys.getrefcount(a)
    for _ in range(100):
        total(kind(a))
    assert sys.getrefcount(a) == before


@pytest.mark.parametrize("kind", KINDS)
def test_in_tuples_and_by_name(kind):
    pair = namedtuple("pair", "left right")  # noqa: PYI024
    a, b = np.ones(3), np.full(4, 2.0)
    f = swathe.njit(cache=False)(lambda p, k=1: p[0].sum() * k + p[1].sum())
    g = swathe.njit(cache=False)(lambda p: p.left.sum() - p.right.sum())
    assert f((kind(a), b)) == 11.0
    assert f((a, kind(b)), k=2) == 14.0
    assert f(p=(kind(a), kind(b))) == 11.0
    assert g(pair(kind(a), b)) == -5.0


@pytest.mark.parametrize("kind", KINDS)
def test_explicit_signature(kind):
    f = swathe.njit("float64(float64[::1])", cache=False)(lambda x: x.sum())
    assert f(kind(np.ones(3))) == 3.0
    with pytest.raises(TypeError):
        f(kind(np.ones(3, "f4")))


def test_instance_attribute():
    class Holder:
        pass

    h, a = Holder(), np.arange(3.0)
    h.__array_interface__ = a.__array_interface__
    assert double(h) == 6.0 and a[2] == 4.0


def test_read_only_interface():
    a = np.arange(3.0)
    a.flags.writeable = False
    assert total(Interface(a)) == 3.0
    with pytest.raises(Exception, match="read-only"):
        double(Interface(a))


@pytest.mark.parametrize(
    "device, name",
    [
        (2, "CUDA"),
        (4, "OpenCL"),
        (8, "Metal"),
        (10, "ROCm"),
        (13, "CUDA"),
        (14, "oneAPI"),
        (99, "device"),
    ],
)
def test_out_of_reach(device, name):
    a = np.ones(3)
    with pytest.raises(
        TypeError, match=rf"double\(\): argument 'x' is a OnDevice .*{name}.*\.cpu\(\)"
    ):
        double(OnDevice(a, device))
    assert a.tolist() == [1, 1, 1]


@pytest.mark.parametrize("device", [1, 3, 11])
def test_host_memory(device):
    assert total(OnDevice(np.ones(3), device)) == 3.0


def test_cuda_array_interface():
    class OnCuda:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (1, False)}

    with pytest.raises(TypeError, match="CUDA device"):
        total(OnCuda())


def failing(error):
    class Failing:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **options):
            raise error

    return Failing()


def test_what_does_not_share():
    with pytest.raises(TypeError, match="does not share its memory: needs detach"):
        total(failing(BufferError("needs detach()")))
    with pytest.raises(KeyboardInterrupt):
        total(failing(KeyboardInterrupt()))

    class Odd(DLPack):
        def __dlpack__(self, **options):
            return 3

    class NoPair(DLPack):
        device = 3

    class Wrong:
        __array_interface__ = {"shape": 3, "typestr": "<f8"}

    class Swapped(Interface):
        pass

    with pytest.raises(TypeError, match="no DLPack capsule"):
        total(Odd(np.ones(3)))
    with pytest.raises(TypeError, match="no pair"):
        total(NoPair(np.ones(3)))
    with pytest.raises(TypeError, match="does not share its memory"):
        total(Wrong())
    x = np.ones(3, ">f8")
    assert total(Swapped(x)) == 3
    swathe.njit(lambda a: a.fill(2.0))(Swapped(x))
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_others_are_refused_as_before():
    with pytest.raises(AttributeError, match="'list' object has no attribute 'sum'"):
        total([1.0])
    with pytest.raises(TypeError, match="of type object"):
        total(object())
    with pytest.raises(TypeError, match="subclass"):
        total(np.ma.ones(3))
    assert swathe.njit(cache=False)(lambda x, t: t(x))(np.float32(2), np.float64) == 2.0


def test_torch():
    torch = pytest.importorskip("torch")
    t = torch.arange(4.0)
    assert double(t) == 12.0 and t.tolist() == [0, 2, 4, 6]
    assert total(t.reshape(2, 2).T) == 12.0
    with pytest.raises(TypeError, match="detach"):
        total(torch.ones(3, requires_grad=True))
    with pytest.raises(TypeError, match="bfloat|share"):
        total(torch.ones(3, dtype=torch.bfloat16))


class Negated(DLPack):
    def is_neg(self):
        return True


def test_a_lazily_negated_tensor_is_refused():
    with pytest.raises(TypeError, match="argument 'x' is a Negated that is not negated yet"):
        total(Negated(np.ones(3)))


@pytest.mark.parametrize("kind", [Interface, DLPack])
def test_print_compiled(kind):
    text = swathe.print_compiled(total, [kind(np.ones(3))])
    assert text.startswith("# swathe ir: float64(float64[:")


def test_pytorch():
    torch = pytest.importorskip("torch")
    t = torch.arange(6.0)
    assert double(t) == 30 and t[5] == 10
    same = swathe.njit(lambda x: x)(t)
    assert same.dtype == np.float32 and same.__array_interface__["data"][0] == t.data_ptr()
    m = torch.arange(12).reshape(3, 4).T[:, 1:]
    assert np.array_equal(swathe.njit(lambda x: x + 1)(m), m.numpy() + 1)
    for bad in (torch.ones(3, requires_grad=True), torch.tensor([1 + 2j]).conj().imag):
        with pytest.raises(TypeError, match="argument 'x' is a Tensor that"):
            total(bad)
    with pytest.raises(TypeError, match="bfloat16"):
        total(torch.ones(3, dtype=torch.bfloat16))
