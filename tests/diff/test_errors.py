# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: raise, assert, try, except, else, re-raise, and what was done before."""

import math

import numpy as np
from harness import Corpus

corpus = Corpus()
case = corpus
X = np.array([3.5, -1.25, 2.0, 0.5])
K = np.array([3, 1, 2, 9, 4])


@case(1)
@case(-1, raises=ValueError)
def raises_with_text(n):
    if n < 0:
        raise ValueError("n must not be negative")
    return n


@case(1, raises=ValueError)
@case(2, raises=TypeError)
@case(3, raises=IndexError)
@case(4, raises=KeyError)
@case(5, raises=RuntimeError)
@case(6, raises=ZeroDivisionError)
@case(7, raises=OverflowError)
@case(8, raises=NotImplementedError)
@case(9, raises=StopIteration)
@case(10, raises=AssertionError)
@case(11, raises=ArithmeticError)
@case(12, raises=Exception)
@case(13, raises=MemoryError)
@case(14, raises=FloatingPointError)
@case(15, raises=AttributeError)
@case(16, raises=NameError)
@case(17, raises=LookupError)
@case(18, raises=OSError)
@case(19)
def raises_builtin(n):
    if n == 1:
        raise ValueError
    if n == 2:
        raise TypeError("text", 5)
    if n == 3:
        raise IndexError(n)
    if n == 4:
        raise KeyError("key")
    if n == 5:
        raise RuntimeError()
    if n == 6:
        raise ZeroDivisionError("nought")
    if n == 7:
        raise OverflowError("over")
    if n == 8:
        raise NotImplementedError
    if n == 9:
        raise StopIteration
    if n == 10:
        raise AssertionError("no")
    if n == 11:
        raise ArithmeticError(1, 2.5)
    if n == 12:
        raise Exception(f"n is {n}")
    if n == 13:
        raise MemoryError
    if n == 14:
        raise FloatingPointError("nan")
    if n == 15:
        raise AttributeError("a")
    if n == 16:
        raise NameError("b")
    if n == 17:
        raise LookupError("c")
    if n == 18:
        raise OSError("d")
    return n


@case(3)
@case(0, raises=AssertionError)
def asserts(n):
    assert n
    assert n > 0, "n must be positive"
    assert n < 100, n
    return n


@case(2)
@case(0)
def catches_division(n):
    try:
        x = 10 // n
    except ZeroDivisionError:
        x = -1
    return x


@case(2)
@case(0)
@case(-1)
def except_chain(n):
    try:
        if n < 0:
            raise ValueError("negative")
        x = 10 / n
    except ValueError:
        x = -1.0
    except ZeroDivisionError:
        x = -2.0
    return x


@case(1)
@case(2)
@case(3)
@case(4, raises=RuntimeError)
def except_tuple(n):
    try:
        if n == 1:
            raise ValueError("a")
        elif n == 2:
            raise KeyError("b")
        elif n == 4:
            raise RuntimeError("c")
    except (ValueError, KeyError):
        return -n
    return n


@case(1)
@case(0)
def except_as(n):
    try:
        x = 1 // n
    except (ZeroDivisionError, ValueError) as e:  # noqa: F841
        x = 99
    return x


@case(1)
@case(0)
def bare_except(n):
    try:
        x = 1 // n
    except:  # noqa: E722
        x = 99
    return x


@case(1)
@case(0)
@case(-1)
def base_classes_catch(n):
    x = 0
    try:
        if n < 0:
            raise IndexError("i")
        x = 1 // n
    except ArithmeticError:
        x = 10
    except LookupError:
        x = 20
    return x


@case(1)
@case(0)
def exception_catches_all(n):
    try:
        return 1 // n
    except Exception:
        return -1


@case(1)
@case(0)
def try_else(n):
    s = 0
    try:
        x = 1 // n
    except ZeroDivisionError:
        s += 1
    else:
        s += 10 + x
    return s


@case(1)
@case(0, raises=ZeroDivisionError)
def else_is_not_guarded(n):
    s = 0
    try:
        s += 1
    except ZeroDivisionError:
        s = 99
    else:
        s += 1 // n
    return s


@case(1)
@case(0, raises=ZeroDivisionError)
def re_raise(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        raise


@case(np.array([0, 0]), 0, raises=ValueError)
def raise_in_handler(log, n):
    try:
        log[0] = 1
        log[1] = 1 // n
    except ZeroDivisionError as e:
        log[0] = 7
        raise ValueError("bad divisor") from e


@case(1)
@case(0, raises=RuntimeError)
def raise_from_none(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        raise RuntimeError("hidden") from None


@case(0)
@case(1)
@case(2)
def nested_try(n):
    s = 0
    try:
        try:
            if n == 0:
                raise ValueError("inner")
            if n == 1:
                raise KeyError("outer")
            s += 1
        except ValueError:
            s += 10
        s += 100
    except KeyError:
        s += 1000
    return s


@case(np.array([1, 0, 2, 0, 4]))
def try_in_loop(x):
    s = 0
    bad = 0
    for i in range(len(x)):
        try:
            s += 100 // int(x[i])
        except ZeroDivisionError:
            bad += 1
            continue
        s += 1
    return s, bad


@case(np.array([1, 2, 0, 4]))
def break_from_handler(x):
    s = 0
    for v in x:
        try:
            s += 8 // int(v)
        except ZeroDivisionError:
            break
    else:
        s = -1
    return s


@case(5)
def return_from_try(n):
    for i in range(n):
        try:
            if i == 3:
                return i * 10
        except ValueError:
            return -1
    return 0


def checked_root(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@case(4.0)
@case(-4.0)
def catches_from_callee(x):
    try:
        return checked_root(x)
    except ValueError:
        return -1.0


@case(4.0)
@case(-4.0, raises=ValueError)
def passes_from_callee(x):
    y = checked_root(x)
    return y + 1


@case(X, 2)
@case(X, 10, modes=("plain", "debug"))
@case(X, -5, modes=("plain", "debug"))
def catches_index(x, i):
    try:
        return x[i]
    except IndexError:
        return np.float64(-1.0)


@case(4.0)
@case(-4.0)
def catches_math_domain(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return -1.0


@case(1000.0)
def catches_overflow(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


@case(0, raises=UnboundLocalError)
@case(1)
def unbound_after_handler(n):
    try:
        x = 1 // n
    except ZeroDivisionError:
        pass
    return x


@case(0)
@case(1)
def state_before_the_error_stays(n):
    x = 1
    y = 0
    try:
        x = 2
        y = 1 // n
        x = 3
    except ZeroDivisionError:
        y = -1
    return x, y


@case(0, raises=UnboundLocalError)
def name_of_error_is_deleted(n):
    e = 5
    try:
        n = 1 // n
    except ZeroDivisionError as e:  # noqa: F841
        n = 3
    return n + e


@case(X, 4, raises=IndexError)
@case(X, 7, raises=IndexError)
def partial_writes(x, n):
    for i in range(n + 1):
        x[i] = i * 10.0
    return x


@case(X, X, raises=ZeroDivisionError)
def partial_writes_division(x, y):
    for i in range(len(x)):
        y[i] = 1.0 / (2 - i)
    return y


@case(K, raises=ValueError)
def partial_writes_raise(k):
    total = 0
    for i in range(len(k)):
        total += k[i]
        k[i] = -1
        if total > 5:
            raise ValueError("too much")
    return total


@case(X, raises=ValueError)
def shape_clash_after_write(x):
    x[0] = 77.0
    y = np.zeros(3)
    return x + y


@case(3, raises=RecursionError, modes=())
def endless(n):
    return endless(n) + 1


@case(3, 0, raises=ZeroDivisionError)
def unused_result_still_raises(a, b):
    a // b
    return a


@case(X, 9, raises=IndexError)
def unused_element_still_raises(x, i):
    x[i]
    return 1


@case(X, 0, raises=ZeroDivisionError)
def invariant_division_raises_inside(x, n):
    for i in range(len(x)):
        x[i] = i + 1 // n
    return x


@case(np.zeros(0), 0)
def invariant_division_not_reached(x, n):
    for i in range(len(x)):
        x[i] = i + 1 // n
    return len(x)


@case(np.zeros(0), 5)
def invariant_index_not_reached(x, i):
    for _ in range(len(x)):
        x[i] = 1.0
    return len(x)


test_case = corpus.test()
