# ruff: noqa: F821 (mistakes are the point)
"""Programs with mistakes. Each `case` is called with its arguments; what it raises, class and
message, is kept in `expected/<name>.txt`."""

import math

import numpy as np

from messages.helpers import inverse

CASES = {}


def case(*args):
    def add(f):
        CASES[f.__name__] = (f, args)
        return f

    return add


class Weather:
    pass


weather = Weather()


@case(1.0)
def unknown_name(x):
    scale = 2.0
    return x * scael


@case(np.ones(3))
def wrong_attribute(a):
    return a.shpae


@case(np.ones(3))
def wrong_module_attribute(a):
    return np.sine(a)


@case(1)
def type_changes(n):
    if n > 0:
        x = 1.5
    else:
        x = range(n)
    return x


@case(3)
def int_or_bool(n):
    if n > 5:
        n = n > 3 and n != 4
    return np.full(2, n)


@case(3)
def unsupported_statement(n):
    with weather as f:
        n += 1
    return n


@case(3)
def unsupported_object(n):
    return weather


@case(1.0)
def argument_count(x):
    return math.atan2(x)


@case(1.0)
def argument_type(x):
    return math.sqrt("two") + x


@case(1.0)
def keyword_unknown(x):
    return np.sum(np.ones(3), axes=0) + x


@case(np.ones((2, 3)), np.ones((4, 5)))
def shape_mismatch(a, b):
    return a + b


@case(np.ones(4), np.ones(3))
def shape_mismatch_assignment(a, b):
    a[:] = b
    return a


@case(np.ones((4, 5)), 7)
def index_out_of_bounds(grid, i):
    return grid[2, i]


@case(np.ones(4))
def too_many_indices(a):
    return a[0, 1]


@case(np.ones(4), 9)
def store_out_of_bounds(a, i):
    a[i] = 1.0


@case(np.zeros((2, 2)))
def error_in_callee(a):
    return inverse(a, 1) + 1.0


@case(0)
def error_raised_in_callee(n):
    return reciprocal_of(n) + 1


@case(0)
def error_through_calls(n):
    try:
        reciprocal_of(n)
    except ValueError:
        n = n + 0
    return error_raised_in_callee_of(n)


def error_raised_in_callee_of(n):
    return reciprocal_of(n) * 2


@case(20)
def error_in_recursion(n):
    return countdown(n)


def countdown(n):
    if n == 0:
        raise ValueError("no more")
    return countdown(n - 1) + 1


def reciprocal_of(n):
    if n == 0:
        raise ValueError("no reciprocal")
    return 1 / n


@case(1.0)
def several_errors(x):
    a = undefined_one + x
    b = np.arccosine(x)
    c = (1, 2).sort()
    return a, b, c


@case(3)
def unbound(n):
    if n > 5:
        y = 1
    return y


@case(1)
def zero_division(n):
    return n // (n - 1)


@case(np.ones(3))
def no_such_method(a):
    return a.getfield()


@case(np.ones(3), "x")
def add_text(a, s):
    return a + s


@case(-1)
def raise_with_value(n):
    if n < 0:
        raise ValueError(f"n must not be negative, not {n}")
    return n


@case(np.arange(3))
def bad_augmented_assignment(a):
    a += 0.5
    return a


@case([5])
def generator(n):
    for i in n:
        yield i


import swathe  # noqa: E402 (above, it would move every line)


@case(np.ones(3))
def dangling_label(x):
    swathe.label("N")
    y = x[0]
    return y


@case(np.ones(3))
def too_many_labels(x):
    swathe.label("N")
    swathe.label("M")
    x[:] = 0.0


@case(1.0)
def static_refusal(x):
    if swathe.static_types_eq(x, np.int64):
        return x
    swathe.static_fail("only integers are counted")


OPTIONS = {}


def prange_case(*args, **options):
    def add(f):
        OPTIONS[f.__name__] = options or {"parallel": True}
        return case(*args)(f)

    return add


prange = swathe.prange


@prange_case(np.ones(5))
def race_neighbours(a):
    for i in prange(1, len(a)):
        a[i] = a[i - 1] * 0.5


@prange_case(np.ones(5))
def race_slices(a):
    for i in prange(len(a) - 1):
        a[i : i + 2] = i


@prange_case(np.ones(5))
def race_one_element(out):
    for i in prange(len(out)):
        out[0] = i


@prange_case(np.ones(5))
def race_carried(a):
    s = 0.0
    for i in prange(len(a)):
        s = s * 0.5 + a[i]
        a[i] = s


@prange_case(np.ones(5))
def race_set_by_some(a):
    at = -1
    for i in prange(len(a)):
        if a[i] > 0:
            at = i
    return at


@prange_case(np.ones(5))
def race_last_array(a):
    t = np.zeros(2)
    for i in prange(len(a)):
        t = np.full(2, a[i])
    return t


@prange_case(np.ones(5))
def prange_left(a):
    for i in prange(len(a)):
        if a[i] > 0:
            break
        a[i] = 1.0


@prange_case(np.ones(5), np.array([0, 1, 1]), debug=True)
def race_when_it_runs(out, at):
    for i in prange(len(at)):
        out[at[i]] = i


@case(1.5)
def method_of_a_python_number(x):
    return x.ravel()


@case(np.float64(1.5))
def filled_number(x):
    x.fill(2)
    return x


@case(3)
def int_or_bool_dtype(n):
    x = min(n > 5, 3)
    return np.full(n, x)


def guarded(n):
    try:
        yield n
    finally:
        print(n)


@case(5)
def generator_to_close(n):
    g = [guarded(n)]
    return next(g[0])


def returned(n):
    yield n


@case(5)
def generator_to_python(n):
    return returned(n)


@case(0.5)
def result_made_of_itself(n):
    def twice(x):
        both = (twice(n) + twice(n + 1)) * 2
        return (both, both)

    return twice(n)


DAYS = np.array(["2020-01-01", "2020-01-05"], "M8[D]")


@case(DAYS)
def dates_added(a):
    return a + a[0]


@case(DAYS)
def date_as_int(a):
    return int(a[0])


@case(DAYS)
def date_sum(a):
    return a.sum()


@case(DAYS)
def date_in_ints(a):
    out = np.zeros(3, np.int64)
    out[0] = a[1]
    return out


@case(DAYS)
def dates_of_two_units(a):
    x = a[0]
    if len(a) > 1:
        x = np.datetime64(a[0], "h")
    return np.isnat(x)


@case(DAYS - DAYS[0], np.timedelta64(1, "M"))
def months_and_days(a, m):
    return a + m


@case(DAYS)
def date_of_today(a):
    return a - np.datetime64("today")


@case(np.ones((2, 2)))
def misspelt_in_linalg(a):
    return np.linalg.norn(a)


@case(np.ones(3))
def second_operand_as_axis(a):
    return np.max(a, 0.5)


@case(np.ones(3))
def arrays_not_in_a_tuple(a):
    return np.concatenate(a, a)


@case(2)
def shape_not_in_a_tuple(n):
    return np.zeros(n, 3)


@case(np.ones(3))
def append_to_an_array(a):
    a.append(1.0)


@case(np.ones((2, 2)))
def called_attribute(a):
    return a.shape()


@case(np.ones(3))
def raised_in_the_library(a):
    return np.linalg.inv(a)


@case([3, 2, 1])
def raised_in_a_key(numbers):
    return sorted(numbers, key=lambda n: 1 / (n - 2))


@case(np.ones(3))
def array_as_a_test(a):
    if a > 1:
        return 1
    return 0


@case(1)
def key_of_another_type(n):
    return {n: "a"}[n + 0.5]


class Cart:
    def __init__(self, price):
        self.price = price

    def raised(by):  # noqa: N805
        return by

    def twice(self):
        return price * 2


@case(3)
def method_without_self(n):
    return Cart(n).raised(2)


@case(3)
def attribute_without_self(n):
    return Cart(n).twice()


@case("a")
def binary_file(s):
    with open(s, "rb") as f:
        return f.read()
