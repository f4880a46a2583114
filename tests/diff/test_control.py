# SPDX-License-Identifier: BSD-3-Clause
"""Control flow: if, while, for, else, break, continue, range, unbound names, paths."""

import numpy as np
from harness import Corpus

corpus = Corpus()
case = corpus
X = np.array([3.5, -1.25, 2.0, 0.5])
K = np.array([3, 1, 2, 9, 4])


@case(1)
@case(0)
@case(-5)
@case(0.0)
@case(np.float64(2.5))
@case(True)
def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


@case(0)
@case(7)
@case(np.int32(3))
def nested_if(n):
    s = 0
    if n > 2:
        if n > 5:
            s = 1
        else:
            s = 2
    elif n:
        s = 3
    return s


@case(10)
@case(1)
def while_sum(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s


@case(3)
@case(30)
def while_else(n):
    i = 0
    while i < n:
        if i == 10:
            break
        i += 1
    else:
        return -1
    return i


@case(3)
@case(30)
def for_else(n):
    for i in range(n):
        if i == 10:
            break
    else:
        i = -100
    return i


@case(20)
@case(3)
@case(0)
def break_continue(n):
    s = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 11:
            break
        s += i
    return s


@case(6)
def nested_break(n):
    hits = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            hits += i * 10 + j
        else:
            hits += 1000
    return hits


@case(5)
def inner_else_continue(n):
    c = 0
    for i in range(n):
        for j in range(i):
            if i * j == 6:
                break
        else:
            c += 1
            continue
        c += 100
    return c


@case(100)
def while_true(n):
    i = 0
    while True:
        i += 7
        if i > n:
            return i


@case(4)
def infinite_with_break(n):
    while 1:
        n += 1
        if n % 5 == 0:
            break
    return n


@case(0, 10, 1)
@case(0, 10, 3)
@case(10, 0, -1)
@case(10, 0, -4)
@case(0, 10, -1)
@case(10, 0, 1)
@case(-5, 5, 2)
@case(5, -6, -5)
@case(3, 3, 1)
@case(0, 10, 100)
@case(0, 10, 0, raises=ValueError)
@case(np.int32(1), np.int64(9), np.int8(2), promoted=True)
@case(0, 1.5, 1, raises=TypeError)
def range_three(a, b, c):
    s = 0
    n = 0
    for i in range(a, b, c):
        s = s * 3 + i
        n += 1
    return s, n


@case(5, 2)
@case(2, 5)
@case(-3, 3)
def range_two(a, b):
    s = 0
    for i in range(a, b):
        s += i * i
    return s


@case(2**63 - 5, 2**63 - 1, 3)
@case(-(2**63) + 5, -(2**63), -3)
def range_at_limits(a, b, c):
    n = 0
    for i in range(a, b, c):
        n += 1
    return n


@case(5)
def loop_variable_after(n):
    for i in range(n):
        pass
    return i


@case(5)
def loop_variable_reassigned(n):
    s = 0
    for i in range(n):
        s += i
        i = 100
        s += i
    return s, i


@case(4)
def bound_changes_in_loop(n):
    s = 0
    for i in range(n):
        n = 100
        s += i
    return s, n


@case(6)
def descending(n):
    s = 0
    for i in range(n - 1, -1, -1):
        s = s * 10 + i
    return s


@case(7, 2)
@case(7, -2)
def runtime_step(n, k):
    s = 0
    for i in range(0, n * k, k):
        s = s * 5 + i
    return s


@case(3)
def range_length(n):
    return len(range(n)), len(range(1, 10, n)), len(range(10, 1, -n)), len(range(-n))


@case(3)
def reversed_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s * 10 + i
    for i in reversed(range(1, 10, 4)):
        s = s * 10 + i
    return s


@case(X)
@case(K)
def over_array(x):
    s = x[0]
    for v in x:
        s = s * 2 + v
    return s


@case(np.arange(6.0).reshape(2, 3))
def over_rows(a):
    s = a[0, 0]
    for row in a:
        s += row[1] * row.shape[0]
        for v in row:
            s -= v
    return s


@case(X)
def enumerate_array(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    return s


@case(X)
def enumerate_start(x):
    s = 0.0
    for i, v in enumerate(x, 10):
        s += i * v
    for i, v in enumerate(x, start=-1):
        s += i * v
    return s, i


@case(X, K)
@case(K, X)
def zip_arrays(a, b):
    s = 0.0
    n = 0
    for x, y in zip(a, b):
        s += x * y
        n += 1
    return s, n


@case(X, K, 3)
def zip_three(a, b, n):
    s = 0.0
    for x, i, y in zip(a, range(n), b):
        s += x * i + y
    return s


@case(X, K)
def enumerate_zip(a, b):
    s = 0.0
    for i, (x, y) in enumerate(zip(a, b)):
        s += i * x + y
    return s


@case(X)
def reversed_array(x):
    s = 0.0
    for v in reversed(x):
        s = s / 2 + v
    return s


@case(3)
def over_tuple(n):
    s = 0
    for v in (n, 5, n * 2):
        s = s * 10 + v
    return s


@case(3)
def over_nested_tuples(n):
    s = 0
    for a, b in ((1, 2), (n, 4)):
        s = s * 100 + a * b
    return s


@case((1, 2, 3))
@case((1.5, 2.5))
def over_tuple_argument(t):
    s = t[0]
    for v in t:
        s += v
    return s


@case(X, 3)
def zip_over_shape(x, n):
    s = 0
    for k in x.shape:
        s += k * n
    return s


# --- names that are unbound on some path ----------------------------------------------


@case(1)
@case(0, raises=UnboundLocalError)
def unbound_if(n):
    if n:
        x = 5
    return x


@case(3)
@case(0, raises=UnboundLocalError)
def unbound_loop(n):
    for i in range(n):
        y = i
    return y


@case(0, raises=UnboundLocalError)
@case(2)
def unbound_loop_variable(n):
    for i in range(n):
        pass
    return i


@case(1, raises=UnboundLocalError)
def used_before(n):
    y = x + n  # noqa: F821, F841
    x = 1
    return x


@case(1, raises=UnboundLocalError)
def augmented_unbound(n):
    x += n  # noqa: F821
    return x


@case(1)
@case(0, raises=UnboundLocalError)
def deleted(n):
    x = n + 1
    if not n:
        del x
    return x


@case(2)
def deleted_and_bound(n):
    x = n
    del x
    x = n * 2.5
    return x


@case(X, 1)
@case(X, 0, raises=UnboundLocalError)
def unbound_array(x, n):
    if n > 0:
        y = x + 1
    return y[0]


@case(3)
@case(0, raises=UnboundLocalError)
def unbound_in_while(n):
    while n > 0:
        last = n
        n -= 1
    return last


@case(3, 1)
@case(3, 0, raises=UnboundLocalError)
def bound_by_earlier_iteration(n, k):
    s = 0
    for i in range(n):
        if i >= k:
            s += x  # noqa: F821
        x = i * 10
    return s + x


@case(5, raises=NameError)
def unknown_name(n):
    return n + no_such_name  # noqa: F821


# --- one variable, several types ------------------------------------------------------


@case(1)
@case(0, promoted=True)
def int_then_float(n):
    if n:
        x = 1.5
    else:
        x = 2
    return x


@case(4)
def int_becomes_float_in_loop(n):
    s = 0
    for i in range(n):
        s = s + i * 0.5
    return s


@case(4)
def division_makes_float(n):
    x = n
    for _ in range(3):
        x = x / 2
    return x


@case(4)
def float_becomes_complex(n):
    z = 0.0
    for i in range(n):
        z = z + 1j * i
    return z


@case(X)
@case(X.astype("f4"), promoted=True)
@case(K)
def accumulate_elements(x):
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


@case(True)
def bool_becomes_int(b):
    n = b
    for i in range(3):
        n = n + i
    return int(n)


@case(3)
def same_name_new_type(n):
    x = n * 1.5
    y = x + 1
    x = (n, y)
    return x[0] + x[1]


@case(X)
def name_of_array_reused(x):
    x = x * 2
    x = x[1:] - x[:-1]
    s = x[0]
    x = s
    return x


@case(1, raises=...)
@case(0, raises=...)
def none_or_number(n):
    if n:
        return None
    return None


@case(5)
def no_return(n):
    n += 1


@case(5)
def bare_return(n):
    if n:
        return
    n = 3


@case(4)
def early_returns(n):
    for i in range(10):
        for j in range(10):
            if i * j == n * 3:
                return i, j
    return -1, -1


@case(X)
def return_inside_while(x):
    i = 0
    while i < len(x):
        if x[i] < 0:
            return i
        i += 1
    return -1


@case(4)
def pass_and_ellipsis(n):
    """A docstring."""
    pass
    ...
    "a string statement"
    if n:
        pass
    return n


@case(10)
def walrus_while(n):
    s = 0
    while (n := n - 3) > 0:
        s += n
    return s, n


@case(5, 3)
def short_circuit(a, b):
    n = 0
    if a > 10 and 1 // 0:
        n = 1
    if a == 5 or 1 // 0:
        n += 2
    return n + (1 // b if b else 0)


@case(X, 9)
@case(X, 2)
def guard_by_and(x, i):
    if i < len(x) and x[i] > 0:
        return 1
    return 0


@case(3)
@case(-3)
def condition_of_number(n):
    s = 0
    while n:
        s += n
        n = n - 1 if n > 0 else n + 1
    return s


@case(np.array([0.0]))
@case(np.array(3))
@case(np.zeros(2), raises=ValueError)
def truth_of_array(a):
    if a:
        return 1
    return 0


@case(0)
@case(1)
@case(5)
def collatz_length(n):
    c = 0
    while n != 1 and n > 0:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    return c


@case(3)
def multiple_targets(n):
    a = b = c = n
    a += 1
    b *= 2
    return a, b, c


@case(12)
def deep_nest(n):
    s = 0
    for a in range(2):
        for b in range(2):
            for c in range(2):
                for d in range(2):
                    if a ^ b:
                        if c | d:
                            s += a * 8 + b * 4 + c * 2 + d
                        else:
                            s -= n
    return s


@case(4)
def constant_conditions(n):
    if False:
        n = 1 // 0
    if True:
        n += 1
    while False:
        n = 0
    return n if 1 else 0


@case(2, 5)
def annotated(a: int, b: int) -> int:
    c: int = a + b
    d: float
    d = c * 0.5
    return d


@case(7)
def global_like_names(n):
    len_ = n
    range_ = len_ + 1
    return len_, range_


@case(7)
def shadows_builtin(n):
    max = n + 1
    sum = max * 2
    return sum


@case(7, raises=UnboundLocalError)
def builtin_made_local(n):
    y = max(n, 1)  # noqa: F823
    max = y
    return max


test_case = corpus.test()
