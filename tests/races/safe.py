"""Loops whose iterations are independent: none is refused, none raises under debug=True, and
all give what they give as range loops. `proven`: shown when they are compiled."""

import numpy as np

from swathe import njit, prange

PROVEN, PROMISED = {}, {}
# Promised ones that are shown with a test before the loop, or when what they call is put in the
# call's place: the value is whether under debug, too.
TESTED = {
    "negative_start": True,
    "strided": False,
    "slices_by_a_size": False,
    "blocks_clipped": False,
    "shifted": False,
    "rows_apart": False,
    "flat_with_a_number": False,
    "round_robin_once": False,
    "whole_array_in_a_function": True,
}


def proven(*args):
    def add(f):
        PROVEN[f.__name__] = (f, args)
        return f

    return add


def promised(*args):
    def add(f):
        PROMISED[f.__name__] = (f, args)
        return f

    return add


def ramp(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


# ---- shown from the text --------------------------------------------------


@proven(ramp(9), ramp(9))
def elementwise(a, out):
    for i in prange(len(a)):
        out[i] = a[i] * 2


@proven(ramp(9))
def in_place(a):
    for i in prange(len(a)):
        a[i] = a[i] * a[i] + 1


@proven(ramp(9), ramp(9))
def stencil(a, out):
    for i in prange(1, len(a) - 1):
        out[i] = a[i - 1] + a[i + 1]


@proven(ramp(9))
def total(a):
    s = 0.0
    for i in prange(len(a)):
        s += a[i]
    return s


@proven(ramp(9))
def difference(a):
    s = 100.0
    for i in prange(len(a)):
        s -= a[i]
    return s


@proven(ramp(5) + 1)
def product(a):
    p = 1.0
    for i in prange(len(a)):
        p *= a[i]
    return p


@proven(2.0 ** np.arange(5))
def quotient(a):
    p = 1.0
    for i in prange(len(a)):
        p /= a[i]
    return p


@proven(ramp(9))
def largest(a):
    m = a[0]
    for i in prange(1, len(a)):
        m = max(m, a[i])
    return m


@proven(ramp(9))
def smallest_by_if(a):
    m = 1e9
    for i in prange(len(a)):
        if a[i] < m:
            m = a[i]
    return m


@proven(ramp(3, 4))
def largest_of_rows(a):
    m = -1.0
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > m:
                m = a[i, j]
    return m


@proven(ramp(9))
def all_positive(a):
    ok = True
    for i in prange(len(a)):
        ok = ok and a[i] >= 0
    return ok


@proven(ramp(9))
def any_negative(a):
    found = False
    for i in prange(len(a)):
        if a[i] < 0:
            found = True
    return found


@proven(np.arange(9))
def bits(a):
    x = 0
    y = 0
    z = -1
    for i in prange(len(a)):
        x |= a[i]
        y ^= a[i]
        z &= a[i]
    return x, y, z


@proven(ramp(9))
def conditional_sum(a):
    s, n = 0.0, 0
    for i in prange(len(a)):
        if a[i] > 3:
            s += a[i]
            n += 1
    return s, n


@proven(ramp(3, 4))
def row_sums(a):
    out = np.zeros(a.shape[0])
    for i in prange(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        out[i] = s
    return out


@proven(ramp(3, 4))
def rows_by_name(a):
    for i in prange(a.shape[0]):
        row = a[i]
        for j in range(1, row.shape[0]):
            row[j] += row[j - 1]


@proven(ramp(4, 3))
def column_scan(a):
    for j in prange(a.shape[1]):
        for i in range(1, a.shape[0]):
            a[i, j] += a[i - 1, j]


@proven(ramp(3, 4))
def rows_as_a_whole(a):
    for i in prange(a.shape[0]):
        a[i, :] = a[i, :] * 2 + 1


@proven(ramp(3, 5))
def slices(a):
    for i in prange(a.shape[0]):
        a[i, 1:3] = i


@proven(ramp(20))
def even_from_odd(a):
    for i in prange(10):
        a[2 * i] = a[2 * i + 1]


@proven(ramp(20))
def every_other(a):
    for i in prange(0, 20, 2):
        a[i] = a[i + 1]


@proven(ramp(8))
def downwards(a):
    for i in prange(7, -1, -1):
        a[i] = i


@proven(np.zeros(30), 6)
def flat(out, m):
    for i in prange(5):
        for j in range(m):
            out[i * m + j] = i + j


@proven(np.zeros(24), 2, 3, 4)
def flat_of_three(out, n, m, k):
    for i in prange(n):
        for j in range(m):
            for q in range(k):
                out[(i * m + j) * k + q] = i + j + q


@proven(np.zeros(100))
def tiles(out):
    for b in prange(0, 100, 16):
        for i in range(b, min(b + 16, 100)):
            out[i] = i


@proven(ramp(5, 5))
def mirrored(a):
    for i in prange(5):
        for j in range(i + 1, 5):
            a[i, j] = a[j, i]


@proven(ramp(6, 3))
def covariance(x):
    n = x.shape[1]
    out = np.zeros((n, n))
    for i in prange(n):
        for j in range(i, n):
            s = 0.0
            for k in range(x.shape[0]):
                s += x[k, i] * x[k, j]
            out[i, j] = s
            out[j, i] = s
    return out


@proven(ramp(10))
def two_halves(a):
    n = 5
    for i in prange(n):
        a[i] = a[i + 5]


@proven(ramp(9))
def first_iteration_only(a):
    out = np.zeros(2)
    for i in prange(len(a)):
        if i == 0:
            out[0] = a[i]
    return out


@proven(ramp(9))
def temporary(a):
    for i in prange(len(a)):
        t = a[i] * 2
        if t > 5:
            t = 5.0
        a[i] = t


@proven(ramp(9))
def last_value(a):
    t = 0.0
    for i in prange(len(a)):
        t = a[i] * 2
    return t, i


@proven(ramp(4))
def array_of_its_own(a):
    out = np.zeros(len(a))
    for i in prange(len(a)):
        tmp = np.zeros(3)
        for k in range(3):
            tmp[k] = a[i] + k
        out[i] = tmp.sum()
    return out


@proven(ramp(4, 3))
def diagonal(a):
    for i in prange(3):
        a[i, i] = 0.0


@proven(ramp(3, 4))
def nested(a):
    for i in prange(3):
        for j in prange(4):
            a[i, j] += i * j


@proven(ramp(9))
def while_inside(a):
    for i in prange(len(a)):
        x = a[i]
        n = 0
        while x > 1:
            x /= 2
            n += 1
        a[i] = n


@proven(ramp(9))
def skipping(a):
    for i in prange(len(a)):
        if a[i] < 3:
            continue
        a[i] = 0.0


@njit
def half(row, x):
    row[0] = x / 2


@proven(ramp(4, 2))
def rows_in_a_function(a):
    for i in prange(a.shape[0]):
        half(a[i], a[i, 1])


@proven(ramp(6), -2, 4)
def from_anywhere(a, lo, hi):
    for i in prange(lo, hi):
        a[i] = i


@proven(np.array([0, 2, 2, 1, 0]))
def histogram(k):
    h = np.zeros(3, np.int64)
    for i in prange(len(k)):
        h[k[i]] += 1
    return h


@proven(ramp(5, 3))
def column_sums(a):
    acc = np.zeros(a.shape[1])
    for i in prange(a.shape[0]):
        acc += a[i]
    return acc


@proven(ramp(5, 3))
def column_sums_by_element(a):
    acc = np.zeros(a.shape[1])
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            acc[j] += a[i, j]
    return acc


@proven(ramp(5), 3)
def inner_value_after(a, m):
    out = np.zeros(len(a))
    for i in prange(len(a)):
        for j in range(m):
            t = a[i] + j
        out[i] = t
    return out


@proven(ramp(5))
def one_iteration(a):
    for i in prange(1):
        a[0] = a[1] + i


@proven(ramp(9), ramp(9))
def all_of_two(a, b):
    ok = True
    for i in prange(len(a)):
        ok = ok and a[i] >= 0
        ok = ok and b[i] < 7
    return ok


@proven(ramp(9), ramp(9))
def any_of_three(a, b):
    found = False
    for i in prange(len(a)):
        found = found or a[i] > 80
        found |= a[i] == 70
        found = b[i] > 90 or found
    return found


@proven(np.zeros(3), 1)
def nothing_added(h, k):
    for _ in prange(9):
        h[k] += 0


@proven(3, 9)
def two_sums_of_ints(x, n):
    s = 0
    for i in prange(n):
        s += i
        s += x
    return s


# ---- slices apart -----------------------------------------------------------


@proven(ramp(20))
def slices_apart(z):
    for i in prange(10):
        z[2 * i : 2 * i + 2] = i


@proven(ramp(20))
def slices_of_half(z):
    for i in prange(len(z) // 2):
        z[2 * i : 2 * i + 2] = i


@promised(ramp(20), 4)
def slices_by_a_size(z, k):
    for i in prange(len(z) // k):
        z[i * k : (i + 1) * k] = i


@proven(ramp(20))
def slices_in_turns(z):
    for i in prange(4):
        z[i::4] = i


@proven(ramp(20, 20))
def rows_up_to_the_diagonal(z):
    for i in prange(len(z)):
        z[i, :i] = 0


@proven(ramp(20, 20))
def columns_apart(z):
    for i in prange(10):
        z[:, 2 * i : 2 * i + 2] = i


@proven(ramp(20))
def slices_of_own(z):
    for i in prange(10):
        z[2 * i : 2 * i + 2] = z[2 * i + 1]


@proven(ramp(20))
def slices_of_halves(z):
    n = len(z)
    h = n // 2
    for i in prange(h):
        z[i : i + 1] = z[h + i : h + i + 1]


@proven(ramp(20))
def empty_slices(z):
    for i in prange(10):
        z[i:i] = i


@promised(ramp(20))
def blocks_clipped(z):
    nb = 3
    bs = (len(z) + nb - 1) // nb
    for b in prange(nb):
        lo = b * bs
        hi = min(len(z), lo + bs)
        z[lo:hi] = b


# ---- known when they run --------------------------------------------------


@promised(np.zeros(6), np.array([3, 1, 0, 5]))
def permuted(out, at):
    for i in prange(len(at)):
        out[at[i]] = i


@promised(ramp(10), 5)
def shifted(a, k):
    for i in prange(5):
        a[i] = a[i + k]


@promised(np.zeros((6, 2)), np.array([3, 1, 0, 5]))
def permuted_rows(out, at):
    for i in prange(len(at)):
        out[at[i]] = i


@promised(np.zeros((6, 3)), np.array([3, 1, 0, 5]))
def permuted_row_copies(out, at):
    for i in prange(len(at)):
        out[at[i], :] = out[at[i], :] * 2 + i


@promised(np.zeros(20), 2)
def strided(out, k):
    for i in prange(8):
        out[i * k] = i


@njit
def put(a, k, x):
    a[k] = x


@promised(np.zeros(8))
def whole_array_in_a_function(a):
    for i in prange(8):
        put(a, i, i * 2.0)


@promised(ramp(8))
def guarded(a):
    for i in prange(8):
        if i % 2 == 0:
            a[i] = a[i + 1]


@promised(np.array([0, 2, 3, 5]), ramp(5))
def segments(start, out):
    for i in prange(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            out[k] = i


@promised(ramp(5), np.array([0, 2, 1]))
def own_arrays_and_scatter(a, at):
    for i in prange(len(at)):
        t = np.zeros(2)
        t[0] = a[at[i]]
        a[at[i]] = t[0] * 2 + t[1]


@promised(np.arange(4.0), -3, 4)
def negative_start(a, lo, hi):
    b = np.zeros(4)
    for i in prange(lo, hi):
        b[i] = a[0] + i
    return b


@promised(np.arange(9.0))
def own_memory_again(a):
    out = np.zeros(9)
    for i in prange(9):
        t = np.empty(2)
        t[:] = a[i]
        t[1] += t[0]
        out[int(a[i])] = t[1]
    return out


@promised(np.arange(12.0).reshape(3, 4), 2)
def rows_apart(a, k):
    for i in prange(2):
        a[i] = a[k] + i


@promised(ramp(25), 5)
def flat_with_a_number(a, m):
    for i in prange(5):
        for j in range(m):
            a[i * 5 + j] = i


@promised(ramp(12), 5)
def shifted_far(a, n):
    for i in prange(n):
        a[i] = a[i + 6]


@promised(np.zeros(8), 8)
def round_robin_once(out, n):
    for i in prange(n):
        out[i % 8] = i


@promised(np.zeros(4), np.zeros(6), np.array([3, 1, 0, 5]))
def sums_in_a_nest(h, out, at):
    for i in prange(len(at)):
        out[at[i]] = 1
        for j in prange(len(h)):
            h[j] += i


@promised(np.zeros(4), np.zeros((6, 4)), np.array([3, 1, 0, 5]))
def sums_inside_a_nest(h, out, at):
    for i in prange(len(at)):
        out[at[i], 1] = 2
        for j in prange(len(h)):
            h[i] += j


# ---- where the greatest is, and the greatest of each ---------------------------


@proven(np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9, 1, 1.0]))
def first_of_the_greatest(a):
    best, at = a[0], 0
    for i in prange(len(a)):
        if a[i] > best:
            best = a[i]
            at = i
    return best, at


@proven(np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9, 1, 1.0]))
def last_of_the_least(a):
    best, at, value = 1.0, -1, 0
    for i in prange(len(a)):
        if best >= a[i]:
            best, at, value = a[i], i, 2 * i
    return best, at, value


@proven(np.zeros(3), np.array([0, 2, 0, 2, 0]), np.array([5, 3, 7, 1, 6.0]))
def greatest_of_each(h, k, x):
    for i in prange(len(x)):
        h[k[i]] = max(h[k[i]], x[i])


@proven(np.full((2, 3), 9), np.array([0, 2, 0, 2, 0]), np.array([5, 3, 7, 1, 6]))
def least_of_each(h, k, x):
    for i in prange(len(x)):
        g = k[i]
        h[1, g] = min(x[i], h[1, g])


@promised(np.zeros(7), np.arange(7), np.zeros(7))
def counted_and_wanted(h, k, x):
    for i in prange(len(x)):
        t = h[k[i]] + 1
        h[k[i]] = t
        x[i] = t


@promised(np.zeros(7), np.arange(7), np.zeros(7))
def greatest_and_wanted(h, k, x):
    for i in prange(len(x)):
        t = h[k[i]]
        h[k[i]] = max(t, x[i])
        x[i] = t


@njit
def fill(r, x):
    for j in range(len(r)):
        r[j] = x


@promised(np.zeros(6), np.array([3, 1, 0, 5]))
def own_array_in_a_function(out, at):
    for i in prange(len(at)):
        t = np.empty(3)
        fill(t, i)
        out[at[i]] = t.sum()


@proven(ramp(9))
def several_at_once(a):
    low, high, s, n = 1e9, -1e9, 0.0, 0.0
    for i in prange(len(a)):
        low, high = min(low, a[i]), max(high, a[i])
        s, n = s + a[i], n + 2
    return low, high, s, n


@proven(ramp(9))
def sum_or_as_it_was(a):
    s, p = 0.0, 1.0
    for i in prange(len(a)):
        x = a[i]
        s = s + x if x > 3 else s
        p = p if x < 6 else p * (x + 1)
    return s, p
