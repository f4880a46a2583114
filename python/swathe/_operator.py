# SPDX-License-Identifier: BSD-3-Clause
"""The operator module's functions as Python, for compiled code that mentions them."""

from swathe import static_fail
from swathe._objects import index_of

# ruff: noqa: E501
_abs = abs
# fmt: off

def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def matmul(a, b): return a @ b
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def neg(a): return -a
def pos(a): return +a
def inv(a): return ~a
def invert(a): return ~a
def not_(a): return not a
def truth(a): return bool(a)
def abs(a): return _abs(a)  # noqa: A001
def index(a): return index_of(a)
def lt(a, b): return a < b
def le(a, b): return a <= b
def eq(a, b): return a == b
def ne(a, b): return a != b
def ge(a, b): return a >= b
def gt(a, b): return a > b
def is_(a, b): return a is b
def is_not(a, b): return a is not b
def getitem(a, b): return a[b]
def contains(a, b): return b in a
def concat(a, b): return a + b
def indexOf(a, b): return a.index(b)
def countOf(a, b): return a.count(b)
def setitem(a, b, c): a[b] = c
def call(obj, /, *args, **kwargs): return obj(*args, **kwargs)


def delitem(a, b):
    del a[b]


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def itruediv(a, b):
    a /= b
    return a


def ifloordiv(a, b):
    a //= b
    return a


def imod(a, b):
    a %= b
    return a


def ipow(a, b):
    a **= b
    return a


def imatmul(a, b):
    a @= b
    return a


def ilshift(a, b):
    a <<= b
    return a


def irshift(a, b):
    a >>= b
    return a


def ixor(a, b):
    a ^= b
    return a


def iconcat(a, b):
    a += b
    return a


def iand(a, b):
    a &= b
    return a


def ior(a, b):
    a |= b
    return a


def _items(a, keys):
    if len(keys) == 0:
        return ()
    else:
        return (a[keys[0]],) + _items(a, keys[1:])


def itemgetter(key, *more):
    if len(more) == 0:
        return lambda a: a[key]
    else:
        return lambda a: _items(a, (key,) + more)


# fmt: off
def _item_0(a): return a[0]
def _item_1(a): return a[1]
def _item_2(a): return a[2]
def _item_3(a): return a[3]
def _item_4(a): return a[4]
def _item_5(a): return a[5]
def _item_6(a): return a[6]
def _item_7(a): return a[7]
def _last(a): return a[-1]
def _last_but_one(a): return a[-2]
# fmt: on


PLACES = {
    **dict(enumerate((_item_0, _item_1, _item_2, _item_3, _item_4, _item_5, _item_6, _item_7))),
    -1: _last,
    -2: _last_but_one,
}


def attrgetter(*names):
    static_fail("operator.attrgetter takes names that are written where it is called")


def methodcaller(*names):
    static_fail("operator.methodcaller takes constants: write lambda v: v.method(x)")
