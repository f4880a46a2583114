# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: SIM108, SIM110
"""Functions and methods of Python's numbers, and of the module math over lists and their like."""

import math

import numpy as np

from swathe import static_fail
from swathe._objects import has_hash, is_object

_LEAST = -9223372036854775808


def _int_bit_length(n):
    n = int(n)
    if n == _LEAST:
        return 64
    n = abs(n)
    r = 0
    for k in (32, 16, 8, 4, 2, 1):
        if n >= (1 << k):
            n >>= k
            r += k
    return r + n


def _int_to_bytes(n, length=1, byteorder="big", *, signed=False):
    n = int(n)
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    if length < 0:
        raise ValueError("length argument must be non-negative")
    if n < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    bits = 8 * length - (1 if signed else 0)
    if (length == 0 and n != 0) or (0 < length < 8 and not -(1 << bits) <= n < 1 << bits):
        raise OverflowError("int too big to convert")
    r = [0] * length
    for k in range(length):
        r[length - 1 - k if byteorder == "big" else k] = n & 255
        n >>= 8
    return bytes(r)


def _int_bit_count(n):
    if isinstance(n, bool):
        return int(n)
    return int(np.bitwise_count(n))


def _float_is_integer(x):
    return math.isfinite(x) and math.fmod(x, 1.0) == 0.0


def _mul_mod(a, b, m):
    """a and b in [0, m)."""
    if m <= 3037000499:
        return a * b % m
    r = 0
    while b > 0:
        if b & 1:
            r = r - (m - a) if r >= m - a else r + a
        a = a - (m - a) if a >= m - a else a + a
        b >>= 1
    return r


def _inverse(a, m):
    """Of a in [0, m), modulo m > 1."""
    r0 = m
    r1 = a
    t0 = 0
    t1 = 1
    while r1 > 0:
        q = r0 // r1
        r0, r1 = r1, r0 - q * r1
        t0, t1 = t1, t0 - q * t1
    if r0 != 1:
        raise ValueError("base is not invertible for the given modulus")
    return t0 % m


def _pow_mod(base, exp, mod):
    if mod is None:
        return base**exp
    else:
        if not (isinstance(base, int) and isinstance(exp, int) and isinstance(mod, int)):
            static_fail("pow() 3rd argument not allowed unless all arguments are integers", True)
        if mod == 0:
            raise ValueError("pow() 3rd argument cannot be 0")
        if mod == _LEAST or exp == _LEAST:
            raise OverflowError("an int of pow() that is -2**63")
        m = abs(mod)
        if m == 1:
            return 0
        a = base % m
        b = exp
        if b < 0:
            a = _inverse(a, m)
            b = -b
        r = 1
        while b > 0:
            if b & 1:
                r = _mul_mod(r, a, m)
            b >>= 1
            if b > 0:
                a = _mul_mod(a, a, m)
        return r - m if mod < 0 and r > 0 else r


def _power_modulo(base, exp, mod):
    """Return base**exp % mod of ints, also where the power leaves int64."""
    if exp < 0 or mod == 0 or mod == _LEAST:
        power = base**exp  # a name of its own, or this were a call of itself
        return power % mod
    return _pow_mod(base, exp, mod)


def _math_prod(x, start):
    if start is None:
        r = 1
    else:
        r = start
    for v in x:
        r = r * v
    return r


def _math_fsum(x):
    return math.fsum(np.array([float(v) for v in x]))


def _math_dist(p, q):
    return math.dist(np.array([float(v) for v in p]), np.array([float(v) for v in q]))


# ---- hash: CPython's numbers, but of text, whose hashes are other ones in each process ----

_MOD = 2305843009213693951  # 2**61 - 1


def _hash_int(x):
    if x == _LEAST:
        return -4
    h = x % _MOD if x >= 0 else -(-x % _MOD)
    return -2 if h == -1 else h


def _hash_float(x):
    if x != x:
        return 0
    if math.isinf(x):
        return 314159 if x > 0 else -314159
    m, e = math.frexp(abs(x))
    h = 0
    while m != 0.0:
        h = (h & (_MOD >> 28)) << 28 | h >> 33
        m *= 268435456.0
        e -= 28
        y = int(m)
        m -= y
        h += y
        if h >= _MOD:
            h -= _MOD
    e = e % 61
    h = (h & (_MOD >> e)) << e | h >> (61 - e)
    if x < 0:
        h = -h
    return -2 if h == -1 else h


def _hash_str(x):
    h = np.uint64(14695981039346656037)
    for c in x:
        h = (h ^ np.uint64(ord(c))) * np.uint64(1099511628211)
    h = h ^ (h >> np.uint64(29))
    return 0 if len(x) == 0 else int(h >> np.uint64(1))


def _hash_bytes(x):
    h = np.uint64(1099511628211)
    for c in x:
        h = (h ^ np.uint64(c)) * np.uint64(14695981039346656037)
    h = h ^ (h >> np.uint64(29))
    return 0 if len(x) == 0 else int(h >> np.uint64(1))


def _hash_part(h, v):
    h += np.int64(_hash(v)).astype(np.uint64) * np.uint64(14029467366897019727)
    h = (h << np.uint64(31)) | (h >> np.uint64(33))
    return h * np.uint64(11400714785074694791)


def _hash_parts(h, x):
    """Each part as it is: a loop would make one type of all."""
    if is_object(x):
        for v in x:
            h = _hash_part(h, v)
        return h
    if len(x) == 0:
        return h
    return _hash_parts(_hash_part(h, x[0]), x[1:])


def _hash_tuple(x):
    h = _hash_parts(np.uint64(2870177450012600261), x)
    h += np.uint64(len(x)) ^ np.uint64(2870177450012600261 ^ 3527539)
    if h == np.uint64(18446744073709551615):
        return 1546275796
    return int(h.astype(np.int64))


def _hash_frozenset(x):
    """Of the elements' numbers in any order."""
    h = np.uint64(0)
    for v in x:
        b = np.int64(_hash(v)).astype(np.uint64)
        h ^= ((b ^ np.uint64(89869747)) ^ (b << np.uint64(16))) * np.uint64(3644798167)
    h ^= np.uint64(len(x) + 1) * np.uint64(1927868237)
    h ^= (h >> np.uint64(11)) ^ (h >> np.uint64(25))
    h = h * np.uint64(69069) + np.uint64(907133923)
    if h == np.uint64(18446744073709551615):
        return 590923713
    return int(h.astype(np.int64))


def _hash_complex(x):
    h = np.int64(_hash_float(x.real)).astype(np.uint64)
    h += np.int64(_hash_float(x.imag)).astype(np.uint64) * np.uint64(1000003)
    if h == np.uint64(18446744073709551615):
        return -2
    return int(h.astype(np.int64))


def _hash(x):
    if x is None:
        return 4238894112  # since Python 3.12, before that where None is in memory
    if has_hash(x):
        return hash(x)
    if isinstance(x, tuple):
        return _hash_tuple(x)
    if isinstance(x, str):
        return _hash_str(x)
    if isinstance(x, bytes):
        return _hash_bytes(x)
    if isinstance(x, np.uint64):
        return int(x % np.uint64(_MOD))
    if isinstance(x, (int, bool, np.integer, np.bool_)):
        return _hash_int(int(x))
    if isinstance(x, (float, np.floating)):
        return _hash_float(float(x))
    if isinstance(x, (complex, np.complexfloating)):
        return _hash_complex(complex(x))
    if isinstance(x, frozenset):
        return _hash_frozenset(x)
    static_fail("hash() of this is not supported in compiled code")


def _of_class(x, cls):
    """type(x) is cls, where x may be None, text, a list or a tuple"""
    if x is None:
        return False
    return isinstance(x, cls) if isinstance(x, (str, list, tuple)) else type(x) is cls


def _not_of_class(x, cls):
    return not _of_class(x, cls)


def _same_class(a, b):
    """type(a) is type(b) of such"""
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list)
    if isinstance(a, tuple) or isinstance(b, tuple):
        return isinstance(a, tuple) and isinstance(b, tuple)
    return type(a) is type(b)


def _unlike_class(a, b):
    return not _same_class(a, b)


def _equal_or_none(a, b):
    """a == b of instances whose class has an __eq__, one of which may be None"""
    if a is None:
        return True if b is None else b == None  # noqa: E711 - its method is asked
    return a == None if b is None else a == b  # noqa: E711


def _equal_when_asked(a, b):
    """a == b of such, where the __eq__ takes an operand that may be None as it is: what it asks of
    it raises when it runs"""
    as_a, as_b = a, b
    if a is None:
        return True if b is None else b.__eq__(as_a)
    return a.__eq__(as_b) if b is None else a == b


def _unequal_or_none(a, b):
    """a != b of such"""
    if a is None:
        return False if b is None else b != None  # noqa: E711
    return a != None if b is None else a != b  # noqa: E711


def _unequal_when_asked(a, b):
    as_a, as_b = a, b
    if a is None:
        return False if b is None else b.__ne__(as_a)
    return a.__ne__(as_b) if b is None else a != b


def _sized(x):
    """bool(x) of what has a length, and no __bool__"""
    return len(x) != 0


def _is_there(x):
    """bool(x) of an instance that has neither"""
    return True


def _float_by_index(x):
    return float(x.__index__())


def _complex_by_float(x):
    return complex(x.__float__())


def _complex_by_index(x):
    return complex(x.__index__())


def _as_args(x, how):
    """The elements of x, each an argument of a call that lacks so many. how: what the error says
    of too many before their number; how many arguments are given beside them; what it says after
    it; and what the error says of none, of one, ..."""
    if not isinstance(x, (list, tuple, np.ndarray)):
        return _as_args(list(x), how)
    before, given, after, lacks = how
    n = len(x)
    if n > len(lacks):
        raise TypeError(f"{before}{n + given}{after}")
    _lacking(n, lacks)
    if len(lacks) == 1:
        return (x[0],)
    if len(lacks) == 2:
        return x[0], x[1]
    if len(lacks) == 3:
        return x[0], x[1], x[2]
    if len(lacks) == 4:
        return x[0], x[1], x[2], x[3]
    if len(lacks) == 5:
        return x[0], x[1], x[2], x[3], x[4]
    if len(lacks) == 6:
        return x[0], x[1], x[2], x[3], x[4], x[5]
    if len(lacks) == 7:
        return x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    return x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]


def _lacking(n, lacks):
    """Raise TypeError where there is a text for n arguments. Each index is known, so that none of
    the texts is made before it is raised."""
    if len(lacks) > 0 and n == 0:
        raise TypeError(lacks[0])
    if len(lacks) > 1 and n == 1:
        raise TypeError(lacks[1])
    if len(lacks) > 2 and n == 2:
        raise TypeError(lacks[2])
    if len(lacks) > 3 and n == 3:
        raise TypeError(lacks[3])
    if len(lacks) > 4 and n == 4:
        raise TypeError(lacks[4])
    if len(lacks) > 5 and n == 5:
        raise TypeError(lacks[5])
    if len(lacks) > 6 and n == 6:
        raise TypeError(lacks[6])
    if len(lacks) > 7 and n == 7:
        raise TypeError(lacks[7])


def _as_args_and_rest(x, how):
    """As _as_args, and a tuple of the elements behind those."""
    if not isinstance(x, (list, tuple, np.ndarray)):
        return _as_args_and_rest(list(x), how)
    lacks = how[3]
    _lacking(len(x), lacks)
    rest = tuple(x[len(lacks) :])
    if len(lacks) == 1:
        return x[0], rest
    if len(lacks) == 2:
        return x[0], x[1], rest
    if len(lacks) == 3:
        return x[0], x[1], x[2], rest
    if len(lacks) == 4:
        return x[0], x[1], x[2], x[3], rest
    if len(lacks) == 5:
        return x[0], x[1], x[2], x[3], x[4], rest
    if len(lacks) == 6:
        return x[0], x[1], x[2], x[3], x[4], x[5], rest
    if len(lacks) == 7:
        return x[0], x[1], x[2], x[3], x[4], x[5], x[6], rest
    return x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], rest


def _at_most(x, n):
    """The first elements of x, none of which is asked for behind the n-th."""
    of = []
    for v in x:
        of.append(v)
        if len(of) == n:
            break
    return of


def _as_rest(x, _):
    return tuple(x)


def _call_by_count(f, x, how, most):
    """f(*x) where f takes len(lacks) to `most` arguments; how: see _as_args"""
    if not isinstance(x, (list, tuple, np.ndarray)):
        return _call_by_count(f, list(x), how, most)
    before, given, after, lacks = how
    least = len(lacks)
    n = len(x)
    if n > most:
        raise TypeError(f"{before}{n + given}{after}")
    _lacking(n, lacks)
    if least == 0 and n == 0:
        return f()
    if least <= 1 and n == 1:
        return f(x[0])
    if least <= 2 and most >= 2 and n == 2:
        return f(x[0], x[1])
    if least <= 3 and most >= 3 and n == 3:
        return f(x[0], x[1], x[2])
    if least <= 4 and most >= 4 and n == 4:
        return f(x[0], x[1], x[2], x[3])
    if least <= 5 and most >= 5 and n == 5:
        return f(x[0], x[1], x[2], x[3], x[4])
    if least <= 6 and most >= 6 and n == 6:
        return f(x[0], x[1], x[2], x[3], x[4], x[5])
    if least <= 7 and most >= 7 and n == 7:
        return f(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
    if most == 8:
        return f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
    raise TypeError(f"{before}{n + given}{after}")


def _most_of_args(f, called, x):
    """max(*x), min(*x)"""
    if not isinstance(x, (list, tuple, np.ndarray)):
        return _most_of_args(f, called, list(x))
    if len(x) == 0:
        raise TypeError(called + " expected at least 1 argument, got 0")
    if len(x) == 1:
        if isinstance(x[0], (int, float, bool, np.number)):
            raise TypeError("'" + type(x[0]).__name__ + "' object is not iterable")
        raise NotImplementedError(called + "(*x) of one element that holds others is not supported")
    return f(x)


def _fold_args(f, first, x):
    """math.gcd(*x), math.lcm(*x)"""
    r = first
    for v in x:
        r = f(r, v)
    return r
