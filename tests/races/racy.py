"""Loops whose iterations race. `affine` ones are refused when they are compiled; what the others
touch is known when they run: under debug=True that is RaceError, too."""

import numpy as np

from swathe import njit, prange

AFFINE, DYNAMIC = {}, {}


def affine(*args):
    def add(f):
        AFFINE[f.__name__] = (f, args)
        return f

    return add


def dynamic(*args):
    def add(f):
        DYNAMIC[f.__name__] = (f, args)
        return f

    return add


def ones(*shape):
    return np.ones(shape)


# ---- known from the text --------------------------------------------------


@affine(ones(8))
def read_before(a):
    for i in prange(1, len(a)):
        a[i] = a[i - 1]


@affine(ones(8))
def read_after(a):
    for i in prange(len(a) - 1):
        a[i] = a[i + 1] * 2


@affine(ones(12))
def far(a):
    for i in prange(5, len(a)):
        a[i] += a[i - 5]


@affine(ones(8))
def one_element(out):
    for i in prange(8):
        out[0] = i


@affine(ones(8), 3)
def one_element_of_a_name(out, k):
    for i in prange(8):
        out[k] = i


@affine(ones(8))
def last_element(out):
    for i in prange(len(out)):
        out[-1] = i


@affine(ones(8))
def smoothed(a):
    for i in prange(1, len(a) - 1):
        a[i] = (a[i - 1] + a[i + 1]) / 2


@affine(ones(8))
def reversed_in_place(a):
    n = len(a)
    for i in prange(n):
        a[i] = a[n - 1 - i]


@affine(ones(4))
def round_robin(out):
    for i in prange(100):
        out[i % 4] = i


@affine(ones(64))
def halves(out):
    for i in prange(100):
        out[i // 2] = i


@affine(ones(16))
def masked_bits(out):
    for i in prange(100):
        out[i & 7] = i


@affine(ones(6, 6))
def column(a):
    for i in prange(6):
        for j in range(6):
            a[0, j] = i


@affine(ones(6, 6))
def rows_down(a):
    for i in prange(1, a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i - 1, j]


@affine(ones(6, 6))
def row_copy(a):
    for i in prange(1, a.shape[0]):
        a[i, :] = a[i - 1, :]


@affine(ones(20))
def window(a):
    for i in prange(10):
        for j in range(3):
            a[i + j] = i


@affine(ones(8))
def carried_scalar(a):
    s = 0.0
    for i in prange(len(a)):
        s = s * 0.5 + a[i]
        a[i] = s


@affine(ones(8))
def running_sum(a):
    s = 0.0
    for i in prange(len(a)):
        s += a[i]
        a[i] = s


@affine(ones(8))
def previous(a):
    last = 0.0
    d = np.zeros(len(a))
    for i in prange(len(a)):
        d[i] = a[i] - last
        last = a[i]
    return d


@affine(ones(8))
def two_operations(a):
    s = 1.0
    for i in prange(len(a)):
        s += a[i]
        s *= 2.0
    return s


@affine(ones(8))
def counter_as_index(a):
    k = 0
    out = np.zeros(len(a))
    for i in prange(len(a)):
        if a[i] > 0:
            out[k] = a[i]
            k += 1
    return out


@affine(ones(8))
def not_argument_of_maximum(a):
    best, at = -1.0, 0
    for i in prange(len(a)):
        if a[i] > best:
            best = a[i]
        if a[i] > 0:
            at = i
    return at


@affine(ones(8))
def last_set(a):
    found = -1
    for i in prange(len(a)):
        if a[i] > 0:
            found = i
    return found


@affine(ones(8))
def through_views(a):
    x, y = a[1:], a[:-1]
    for i in prange(len(y)):
        x[i] = y[i]


@affine(ones(6, 6))
def through_rows(a):
    for i in prange(5):
        here, there = a[i], a[i + 1]
        here[0] = there[0]


@affine(ones(6, 6))
def transposed(a):
    for i in prange(6):
        for j in range(6):
            a[i, j] = a[j, i] + 1


@affine(ones(8))
def even_and_all(a):
    for i in prange(4):
        a[2 * i] = a[i + 1]


@affine(ones(8))
def first_is_read(a):
    for i in prange(len(a)):
        a[i] = a[0]


@affine(ones(8))
def under_a_condition(a):
    for i in prange(len(a)):
        if i > 0:
            a[i] = a[i - 1]


@affine(ones(20))
def steps(a):
    for i in prange(2, 20, 2):
        a[i] = a[i - 2]


@affine(ones(20))
def backwards(a):
    for i in prange(18, -1, -1):
        a[i] = a[i + 1]


@affine(ones(3))
def mixed_updates(h):
    for i in prange(100):
        h[0] += 1
        h[0] *= 2


@affine(ones(3))
def sum_that_is_read(h):
    out = np.zeros(100)
    for i in prange(100):
        h[1] += 1
        out[i] = h[1]
    return out


@affine(ones(4, 4))
def array_of_the_last(a):
    row = a[0]
    for i in prange(4):
        row = a[i]
    return row.sum()


@affine(ones(8))
def swapped(a):
    t = 0.0
    for i in prange(len(a)):
        a[i], t = t, a[i]
    return t


@affine(ones(30))
def flat_rows(a):
    for i in prange(5):
        for j in range(6):
            a[i * 5 + j] = j


@affine(ones(8), 8)
def unknown_length(a, n):
    for i in prange(n - 1):
        a[i + 1] = a[i]


@affine(ones(9))
def squares(a):
    for i in prange(-2, 3):
        a[i * i] = i


@affine(np.linspace(-2, 3, 9))
def truncated_sum(a):
    s = np.int64(0)
    for i in prange(len(a)):
        s = np.int64(s + a[i])
    return s


@affine(np.linspace(-2, 3, 9))
def sum_onto_the_whole_part(a):
    s = 0.5
    for i in prange(len(a)):
        s = int(s) + a[i]
    return s


@affine(np.arange(8.0))
def counts_how_often_it_was_the_greatest(a):
    m, n = 0.0, 0
    for i in prange(len(a)):
        if a[i] > m:
            m = a[i]
            n += 1
    return m, n


@affine(np.arange(8.0), ones(8))
def marks_what_was_the_greatest_so_far(a, out):
    m = 0.0
    for i in prange(len(a)):
        if a[i] > m:
            m = a[i]
            out[i] = 2.0
    return m


@affine(np.arange(8.0), ones(8))
def keeps_whether_it_was_the_greatest(a, out):
    m = 0.0
    for i in prange(len(a)):
        was = 0.0
        if a[i] > m:
            m = a[i]
            was = 1.0
        out[i] = was
    return m


@affine(np.arange(8.0))
def prints_the_greatest_so_far(a):
    m = 0.0
    for i in prange(len(a)):
        if a[i] > m:
            print(i)
            m = a[i]
    return m


# ---- slices that overlap ---------------------------------------------------


@affine(ones(20))
def slices_one_on(z):
    for i in prange(10):
        z[i : i + 2] = i


@affine(ones(20))
def slices_to_the_end(z):
    for i in prange(len(z)):
        z[i:] = i


@affine(ones(20))
def slices_from_the_start(z):
    for i in prange(len(z)):
        z[:i] = i


@affine(ones(20))
def slices_overlap(z):
    for i in prange(len(z) // 2):
        z[2 * i : 2 * i + 3] = i


@affine(ones(20))
def slice_reads_next(z):
    for i in prange(len(z) - 1):
        z[i : i + 1] = z[i + 1 : i + 2]


@affine(ones(20))
def window_read(z):
    for i in prange(1, len(z) - 1):
        z[i] = z[i - 1 : i + 2].sum()


@affine(ones(20, 20))
def rows_of_a_column(z):
    for i in prange(len(z)):
        z[i : i + 2, 0] = i


@affine(ones(20, 20))
def columns(z):
    for i in prange(len(z)):
        z[:, i : i + 2] = i


@affine(ones(20))
def slices_from_the_end(z):
    n = len(z)
    for i in prange(n):
        z[n - i - 1 : n - i + 1] = i


@affine(ones(20))
def strided_slices(z):
    for i in prange(4):
        z[i::2] = i


@affine(ones(20))
def window_and_element(z):
    for i in prange(2, 18):
        w = z[i - 2 : i + 3]
        w[0] = i
        z[i] = 1


@affine(ones(20))
def slices_of_an_inner_loop(z):
    for i in prange(1, 19):
        for j in range(i, i + 2):
            z[j : j + 1] = i


@affine(ones(20))
def slice_by_names(z):
    for i in prange(18):
        lo = i
        hi = lo + 2
        z[lo:hi] = i


@affine(ones(20))
def clipped_windows(z):
    for i in prange(18):
        z[max(0, i - 1) : min(len(z), i + 2)] = i


@affine(ones(20))
def slices_at_the_end(z):
    for i in prange(1, 18):
        z[-i:] = i


@affine(ones(40))
def slices_of_blocks(z):
    for i in prange(10):
        for k in range(3):
            z[3 * i + k : 3 * i + k + 2] = i


@affine(ones(20, 20))
def rows_moved(z):
    for i in prange(18):
        z[i : i + 2] = z[i + 1 : i + 3]


@affine(ones(20), ones(20))
def slices_updated(z, q):
    for i in prange(18):
        z[i : i + 2] += q[i : i + 2] * 2 + z[i]


@affine(ones(20))
def slices_filled(z):
    for i in prange(18):
        z[i : i + 2].fill(i)


# ---- known when they run --------------------------------------------------


@dynamic(ones(8), np.array([0, 1, 2, 2]))
def scatter(out, at):
    for i in prange(len(at)):
        out[at[i]] = i


@dynamic(ones(8), np.array([0, 1, 1, 3]))
def gather_of_itself(a, at):
    for i in prange(len(at)):
        a[i] = a[at[i]]


@dynamic(ones(8), 1)
def offset(a, k):
    for i in prange(len(a) - k):
        a[i] = a[i + k]


@dynamic(ones(8), 0)
def factor(a, k):
    for i in prange(8):
        a[i * k] = i


@dynamic(ones(8), np.array([True, False, True, True]))
def where_true(out, mask):
    for i in prange(len(mask)):
        if mask[i]:
            out[0] = i


@dynamic(ones(30), 6)
def overlapping_rows(a, m):
    for i in prange(5):
        for j in range(m):
            a[i * 5 + j] = i


@njit
def put(a, k, x):
    a[k] = x


@affine(ones(8))
def known_in_a_function(a):
    for i in prange(8):
        put(a, i // 2, 1.0)


@dynamic(ones(8), np.array([1, 2, 1]))
def in_a_function(a, at):
    for i in prange(len(at)):
        put(a, at[i], 1.0)


def put_if(a, k, x):
    try:
        a[k] = x
    except IndexError:
        return False
    return True


@dynamic(ones(8), np.array([1, 2, 1]))
def in_a_function_that_is_called(a, at):
    for i in prange(len(at)):
        put_if(a, at[i], 1.0)


@dynamic(ones(6, 6), np.array([1, 2, 2]))
def whole_rows(a, at):
    for i in prange(len(at)):
        a[at[i]] = i


@dynamic(ones(6, 6), np.array([1, 2, 0]))
def copied_rows(a, at):
    for i in prange(len(at)):
        a[i, :] = a[at[i], :]


@dynamic(ones(8))
def while_inside(a):
    for i in prange(8):
        k = i
        while k > 3:
            k -= 3
        a[k] = i


@dynamic(ones(8), np.array([3, 5, 3, 1]))
def swapped_at(a, at):
    for i in prange(3):
        j, k = at[i], at[i + 1]
        a[j], a[k] = a[k], a[j]


@dynamic(ones(8), np.array([0, 2, 1, 4]))
def segments_that_overlap(out, start):
    for i in prange(len(start) - 1):
        for k in range(start[i], max(start[i + 1], start[i] + 2)):
            out[k] = i


@dynamic(ones(9), np.arange(9) % 4, np.arange(9) % 3 + 1)
def read_at_one_place_written_at_another(e, a, b):
    for i in prange(len(a)):
        j, k = 0, 0
        if a[i] > 0:
            j = a[i]
        if b[i] > 1:
            k = b[i]
        e[j] = e[k] + 1


@dynamic(ones(9), np.arange(9) % 4)
def index_that_moves_on(e, at):
    for i in prange(len(at)):
        k = at[i]
        for _ in range(2):
            t = e[k]
            k = k + 1
            e[k] = t + 1


@dynamic(ones(8), 8)
def with_an_index_that_may_be_negative(e, n):
    for i in prange(n):
        e[-1 - i] = e[(-4) % n - n] + e[i]


@affine(ones(9), 1, 2)
def exchanged(a, s, t):
    for i in prange(len(a)):
        s, t = t + 1, s + 1
    return s, t


@affine(ones(9), 0)
def sum_of_a_choice_by_itself(a, s):
    for i in prange(len(a)):
        s = s + i if s < 9 else s
    return s


# ---- where the accesses are in other functions, or seen through other names ----


def double(x):
    return x * 2


def first(r):
    return r[0]


def turned(x):
    return x[::-1]


def total(x):
    s = 0.0
    for k in prange(len(x)):
        s += x[k]
    return s


def raise_all(x):
    for k in prange(len(x)):
        x[k] = x[k] * 2 + 1


def copy_to(out, x):
    for k in prange(len(out)):
        out[k] = x[k]


def count_up(h, k):
    for _ in prange(3):
        h[k] += 1


def copy_between(out, x, at):
    for k in range(len(out)):
        copy_to(out[k : k + 1], x[at : at + 1])


def read_only(a):
    a.flags.writeable = False
    return a


@dynamic(ones(9), np.array([1, 2, 3, 4, 5, 6, 7, 0]))
def read_in_an_argument(a, at):
    for i in prange(len(at)):
        a[at[i]] = double(a[i])


@dynamic(ones(9), np.array([1, 2, 3, 4, 5, 6, 7, 0]))
def read_in_an_argument_of_a_builtin(a, at):
    for i in prange(len(at)):
        a[at[i]] = max(a[i], double(abs(a[i])))


@dynamic(ones(4000), np.array([0, 2000, 1999]))
def written_by_a_loop_of_a_function(a, at):
    for i in prange(len(at)):
        raise_all(a[at[i] : at[i] + 2000])


@dynamic(ones(6000), np.array([2000, 4000, 1]))
def read_by_a_loop_of_a_function(a, at):
    for i in prange(len(at)):
        a[i] = total(a[at[i] : at[i] + 2000])


@dynamic(ones(6000), np.array([2000, 3999, 0]))
def copied_by_a_loop_of_a_function(a, at):
    for i in prange(len(at)):
        copy_to(a[at[i] : at[i] + 2000], a[1:])


@dynamic(ones(8), np.array([3, 4, 5]))
def by_a_function_of_a_function(a, at):
    for i in prange(len(at)):
        copy_between(a[i : i + 1], a, at[i] - 2)


@dynamic(ones(8), np.array([3, 4, 3]))
def combined_by_a_loop_of_a_function(a, at):
    for i in prange(len(at)):
        a[i] = 1.0
        count_up(a, at[i])


@dynamic(np.arange(5.0), 2, 1)
def combined_by_an_inner_loop(d, n, m):
    for i in prange(n, 0, -1):
        d[i] = 1
        for _ in prange(m):
            d[:i] += 1


def shared_views():
    x = np.ones(8)
    return x, read_only(x[:]), np.array([1, 2, 3])


@dynamic(*shared_views())
def read_through_a_read_only_view(a, r, at):
    for i in prange(len(at)):
        a[at[i]] = first(r[i:])


@dynamic(*shared_views())
def read_only_view_in_the_loop(a, r, at):
    for i in prange(len(at)):
        a[at[i]] = r[i] + 1


@dynamic(ones(8), np.array([0, 1, 7]))
def through_a_view_that_a_function_returns(a, at):
    for i in prange(len(at)):
        r = turned(a)
        r[at[i]] = a[i]


@dynamic(ones(8) + 0j, np.array([1, 2, 3]))
def imaginary_parts(z, at):
    y = z.imag
    for i in prange(len(at)):
        z[at[i]] = y[i]


@affine(ones(9))
def combined_and_read_elsewhere(a):
    for i in prange(len(a) - 1):
        a[0] += i
        a[i + 1] = a[0]


@affine(ones(9))
def combined_into_the_next(a):
    for i in prange(len(a) - 1):
        a[i + 1] += a[i]


@affine(ones(9), ones(9))
def counter_of_a_loop_that_may_not_run(a, b):
    k = 0
    for i in prange(1, len(a)):
        for k in range(i - 1):
            a[i] += k
        b[i] = k


@affine(ones(9), ones(9))
def counter_of_a_loop_that_gets_shorter(a, b):
    k = 0
    for i in prange(len(a)):
        for k in range(5 - i):
            a[i] += k
        b[i] = k
