# SPDX-License-Identifier: BSD-3-Clause
"""Values of one type or another. `x[k]` is such a value as one of its k-th type, or None where it
is of another one, and `len(x)` is how many types there are; k is known when it is compiled.

What is asked of such a value is asked of what it is: a function is called for each of the types.
Operators in functions whose names begin with `_on_` raise TypeError when they are run, if Python
has none for operands of such types."""


def _either_one(x, f):
    return _one_from(x, 0, f)


def _one_from(x, k, f):
    if k == len(x):
        raise SystemError("a value of no type")
    v = x[k]
    if v is not None:
        return f(v)
    return _one_from(x, k + 1, f)


def _either_left(x, y, f):
    return _left_from(x, y, 0, f)


def _left_from(x, y, k, f):
    if k == len(x):
        raise SystemError("a value of no type")
    v = x[k]
    if v is not None:
        return f(v, y)
    return _left_from(x, y, k + 1, f)


def _either_right(x, y, f):
    return _right_from(x, y, 0, f)


def _right_from(x, y, k, f):
    if k == len(y):
        raise SystemError("a value of no type")
    v = y[k]
    if v is not None:
        return f(x, v)
    return _right_from(x, y, k + 1, f)


def _either_with_two(x, y, z, f):
    return _two_from(x, y, z, 0, f)


def _two_from(x, y, z, k, f):
    if k == len(x):
        raise SystemError("a value of no type")
    v = x[k]
    if v is not None:
        return f(v, y, z)
    return _two_from(x, y, z, k + 1, f)


def _either_with_three(x, y, z, w, f):
    return _three_from(x, y, z, w, 0, f)


def _three_from(x, y, z, w, k, f):
    if k == len(x):
        raise SystemError("a value of no type")
    v = x[k]
    if v is not None:
        return f(v, y, z, w)
    return _three_from(x, y, z, w, k + 1, f)


def _either_raises(text):
    raise TypeError(text)


def _either_lacks(text):
    raise AttributeError(text)


def _either_bool(x):
    return _one_from(x, 0, _on_bool)


def _either_str(x):
    return _one_from(x, 0, _on_str)


def _either_repr(x):
    return _one_from(x, 0, _on_repr)


def _either_hash(x):
    return _one_from(x, 0, _on_hash)


def _either_is_flag(x, y):
    if x is None:
        return False
    return _left_from(x, y, 0, _on_is_flag)


def _either_is_no_flag(x, y):
    return not _either_is_flag(x, y)


def _on_is_flag(a, b):
    return isinstance(a, bool) and a == b


def _contains_or_none(x, y):
    if x is None:
        return None in y
    return _left_from(x, y, 0, _on_contains)


def _lacks_or_none(x, y):
    return not _contains_or_none(x, y)


def _class_name_or_none(x):
    if x is None:
        return "NoneType"
    return type(x).__name__


def _either_parts(x, n):
    """`a, b = x` of n parts."""
    m = _one_from(x, 0, _on_parts)
    if m > n:
        raise ValueError(f"too many values to unpack (expected {n})")
    if m < n:
        raise ValueError(f"not enough values to unpack (expected {n}, got {m})")
    if n == 1:
        return (x[0],)
    if n == 2:
        return x[0], x[1]
    if n == 3:
        return x[0], x[1], x[2]
    return x[0], x[1], x[2], x[3]


def _on_parts(a):
    return len(a)


def _either_float(x, _):
    return _one_from(x, 0, _on_float)


def _on_bool(a):
    return bool(a)


def _on_str(a):
    return str(a)


def _on_repr(a):
    return repr(a)


def _on_hash(a):
    return hash(a)


def _on_class_name(a):
    return type(a).__name__


def _on_int(a):
    return int(a)


def _on_float(a):
    return float(a)


def _on_len(a):
    return len(a)


def _on_abs(a):
    return abs(a)


def _on_neg(a):
    return -a


def _on_pos(a):
    return +a


def _on_invert(a):
    return ~a


def _on_getitem(a, b):
    return a[b]


def _on_contains(a, b):
    return a in b


def _on_lacks(a, b):
    return a not in b


def _on_add(a, b):
    return a + b


def _on_iadd(a, b):
    return a + b


def _on_sub(a, b):
    return a - b


def _on_isub(a, b):
    return a - b


def _on_mul(a, b):
    return a * b


def _on_imul(a, b):
    return a * b


def _on_truediv(a, b):
    return a / b


def _on_itruediv(a, b):
    return a / b


def _on_floordiv(a, b):
    return a // b


def _on_ifloordiv(a, b):
    return a // b


def _on_mod(a, b):
    return a % b


def _on_imod(a, b):
    return a % b


def _on_pow(a, b):
    return a**b


def _on_ipow(a, b):
    return a**b


def _on_matmul(a, b):
    return a @ b


def _on_imatmul(a, b):
    return a @ b


def _on_and(a, b):
    return a & b


def _on_iand(a, b):
    return a & b


def _on_or(a, b):
    return a | b


def _on_ior(a, b):
    return a | b


def _on_xor(a, b):
    return a ^ b


def _on_ixor(a, b):
    return a ^ b


def _on_lshift(a, b):
    return a << b


def _on_ilshift(a, b):
    return a << b


def _on_rshift(a, b):
    return a >> b


def _on_irshift(a, b):
    return a >> b


def _on_eq(a, b):
    return a == b


def _on_ne(a, b):
    return a != b


def _on_lt(a, b):
    return a < b


def _on_le(a, b):
    return a <= b


def _on_gt(a, b):
    return a > b


def _on_ge(a, b):
    return a >= b
