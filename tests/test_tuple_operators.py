# SPDX-License-Identifier: BSD-3-Clause
"""Classes of named tuples that say what operators mean: `a + b` is `a.__add__(b)`, never the
concatenation that a tuple's would be. What compiled code can't ask them is an error."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_container_forms import made
from test_lists import outcome

import swathe
from swathe import gpu


class V(NamedTuple):
    x: Any
    y: Any

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return V(-self.x, -self.y)

    def __sub__(self, o):
        return self + (-o)

    def __eq__(self, o):
        return self.x == o.x

    def __lt__(self, o):
        return self.y < o.y

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    def norm(self):
        return self.dot(self) ** 0.5

    def _first(self):
        return self.x

    @property
    def both(self):
        return self._first() + self.y


class W(V):
    def __sub__(self, o):
        return W(self.x - 2 * o.x, self.y)

    def __radd__(self, o):
        return 7

    def dot(self, o):
        return 1000


class U(W):
    pass


B = collections.namedtuple("B", "x y")


class C(B):
    __slots__ = ()

    def __add__(self, o):
        return C(self.x + o, self.y + o)


class D(NamedTuple):
    x: int
    y: int


class All(NamedTuple):
    x: Any
    y: Any

    def __radd__(self, o):
        return All(o, self.y)

    def __iadd__(self, o):
        return All(0, o)

    def __len__(self):
        return 7

    def __bool__(self):
        return self.x > 100

    def __abs__(self):
        return self.x

    def __getitem__(self, k):
        return 5

    def __contains__(self, k):
        return k == 42

    def __call__(self, k, *, by=2):
        return self.x * k + by

    def __float__(self):
        return 1.5

    def __int__(self):
        return 3

    def __matmul__(self, o):
        return self.x * o.x

    def __round__(self):
        return 4

    def __divmod__(self, o):
        return 1, self.x

    def __invert__(self):
        return 98

    def __pow__(self, k):
        return k

    def __truediv__(self, k):
        return All(self.x / k, self.y / k)

    def __iter__(self):
        return iter((9, 9))

    def __hash__(self):
        return 1

    def __repr__(self):
        return "All"


class S(NamedTuple):
    x: Any
    n: int
    __array_ufunc__ = None

    def __getitem__(self, k):
        if isinstance(k, tuple):
            return np.array(self.x)[k[0]][k[1]]
        return np.array(self.x)[k]

    def __radd__(self, o):
        return o.sum() + self.n

    def __rmul__(self, o):
        return o * self.n

    def __rmatmul__(self, o):
        return len(o)


G = V(3, 4.0)
A = All(1, 2.5)
NAMES = {
    "V": V,
    "W": W,
    "U": U,
    "B": B,
    "C": C,
    "D": D,
    "G": G,
    "A": A,
    "All": All,
    "S": S,
    "np": np,
}
SAME = """
return a + b, a - b, -a * 2 - b, 2 * a + b * 3
return a == b, a != b, a == G, G == a, a == V(5, 0.0)
return a < b, a > b, a <= b, b < a
return sorted([b, a]), [a, b].index(b), [a, b].count(a)
return a + W(1, 2.0), W(1, 2.0) + a
return a - W(1, 2.0), W(1, 2.0) - a, U(1, 2.0) - a
return U(1, 2.0).dot(a), U(1, 1.0).both, a.norm(), a.both, a._first()
return C(1, 2) + 3
return B(1, 2) + C(1, 2)
return D(1, 2) + D(3, 4), D(1, 2) * 2, D(1, 2) == (1, 2), D(1, 2) < D(1, 3), len(D(1, 2))
return a[0], a[-1], len(a), a[1:], tuple(a), sum(a), np.array(a)
return 1 if a else 0, not a, a and 5
s = V(0, 0.0); s += a; s += b; return s
s = a; s *= 3; return s
x = [a, b]; x.append(a + b); return x
x = [a, b]; x[0] = x[0] + b; return x
d = {1: a}; d[1] = d[1] + b; return d
s = V(0, 0.0); x = [V(i, i * 0.5) for i in range(5)]; s = s + x[1] + x[4]; return s, x == x
return [u + v for u, v in zip([a, b], [b, a])]
d = {D(1, 2): 3}; return d[D(1, 2)]
return 2.5 * a, a * np.float32(2), a * np.ones(2), G + a
c = a if a == b else b; return (a + b) + (a + c)
x, y = a + b; return x
return isinstance(a, V), isinstance(a, W), isinstance(W(1, 2), V)
return A[0:1], A[:, 2], S((4.0, 5.0), 6)[1:], S((4.0, 5.0), 6)[::-1, 1], S((4.0, 5.0), 6)[0]
s = S((4.0, 5.0), 6); return np.ones(3) + s, np.float64(2) * s, np.ones(2) @ s
return len(A), abs(A), A[0], A[7], 42 in A, 42 not in A, A(3), A(3, by=5), float(A), int(A), bool(A)
return 1 + A, A @ A, round(A), divmod(A, 2), ~A, A ** 6, (A / 2).x
s = A; s += 9; return s.y
"""
REFUSED = """
return 1 if A else 2 | truth value of All
return not A | truth value of All
return A and 5 | truth value of All
return [v for v in A] | __iter__ of its own
x, y = A; return x | __iter__ of its own
return (*A,) | __iter__ of its own
return tuple(A) | __iter__ of its own
return np.array(A) | __iter__ of its own
return np.zeros(A) | __iter__ of its own
return list(reversed(A)) | __reversed__|__len__|__getitem__
return {A: 1} | a dict of All
return {a: 1} | a dict of V
return a in (b,) | a comparison of elements
return a == b == a | a comparison of elements
return a < b < a | a comparison of elements
return np.float64(2) * a | NumPy's operator
x = [a, b]; x[0] += b; return x | of this target
c = None if a == b else a; return c + b | may be None
return a + 1 | has no attribute 'x'
return a + (1, 2) | has no attribute 'x'
"""


def form(text: str, folder: Any) -> Any:
    f = made(text.strip().replace("; ", "\n"), folder, "a, b")
    f.__globals__.update(NAMES)
    return f


@pytest.mark.parametrize("text", SAME.strip().splitlines())
def test_same_as_python(text, tmp_path):
    f = form(text, tmp_path)
    args = V(1, 2.5), V(1, 4.5)
    want = outcome(f, args)
    assert repr(outcome(swathe.njit(f), args)) == repr(want)


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_refused(text, tmp_path):
    body, said = text.split(" | ")
    f = swathe.njit(form(body, tmp_path))
    with pytest.raises((swathe.errors.CompileError, AttributeError), match=said):
        f(V(1, 2.5), V(1, 4.5))


def test_constructors_of_their_own_are_refused():
    class Made(B):
        def __new__(cls, x):
            return super().__new__(cls, x, x)

    def f(x):
        return Made(x)

    with pytest.raises(swathe.errors.UnsupportedError, match="__new__ of its own"):
        swathe.njit(f)(1)
    assert swathe.njit(lambda m: m.x)(Made(3)) == 3


class Hidden(V):
    @property
    def x(self):
        return 50


class Constant(V):
    y = 7


class Jitted(D):
    @swathe.njit
    def __add__(self, o):
        return self.x * o.x

    @swathe.njit
    def first(self):
        return self.x

    __len__ = staticmethod(lambda: 9)


def test_fields_that_are_hidden():
    f = swathe.njit(lambda v: (v.x, v[1]))
    assert f(Hidden(1, 2)) == (50, 2)
    with pytest.raises(AttributeError, match="no attribute 'y'"):
        swathe.njit(lambda v: v.y)(Constant(1, 2))


def test_methods_that_are_compiled_functions_or_none():
    v = Jitted(3, 4)
    assert swathe.njit(lambda v: (v + v, v.first()))(v) == (9, 3)
    with pytest.raises(swathe.errors.UnsupportedError, match="__len__ of its own"):
        swathe.njit(lambda v: len(v))(v)


def test_in_parallel_loops_and_kernels():
    def centre(x, y):
        out = np.zeros((len(x), 2))
        for i in swathe.prange(len(x)):
            v = V(x[i], y[i]) * 2.0 - V(1.0, 1.0)
            out[i, 0], out[i, 1] = v
        return out

    def kernel(x, y, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = (V(x[i], y[i]) + 2.0 * V(y[i], x[i])).dot(V(1.0, 3.0))

    x, y = np.arange(50.0), np.arange(50.0) ** 2
    assert np.array_equal(swathe.njit(parallel=True)(centre)(x, y), centre(x, y))
    out = np.zeros(50)
    gpu.jit(kernel)[2, 32](x, y, out)
    assert np.array_equal(out, (x + 2 * y) + 3 * (y + 2 * x))


def test_a_class_that_changes_is_compiled_again(tmp_path, monkeypatch):
    """The methods are a part of what the cache knows a function by."""
    monkeypatch.setenv("SWATHE_CACHE_DIR", str(tmp_path))
    text = "from typing import NamedTuple\nclass V(NamedTuple):\n    x: int\n{}"
    method = "    def __add__(self, o):\n        return self.x - o.x\n"

    def add(a, b):
        return a + b

    for more, want in (("", (5, 3)), (method, 2), ("", (5, 3))):
        names: dict = {}
        file = tmp_path / f"m{len(more)}.py"
        file.write_text(text.format(more))
        exec(compile(file.read_text(), str(file), "exec"), names)
        assert swathe.njit(add)(names["V"](5), names["V"](3)) == want


def test_inspection_knows_the_methods():
    """What is shown is what runs, also where the types of a call are all that is left of it."""

    @swathe.njit
    def f(a, b):
        return (a + b).norm(), [a][0] + b

    f(V(1.0, 2.5), V(1.0, 4.5))
    (types,) = f.inspect_types().values()
    assert "-> Tuple((float, V(" in types.splitlines()[0]
    (ir,) = f.inspect_ir().values()
    assert "V(x: float, y: float)" in ir.splitlines()[0]
    f.explain()
