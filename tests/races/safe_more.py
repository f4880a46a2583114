"""More loops whose iterations are independent, in the tables of safe.py: by what is known of
conditions, bounds and flags, or by a test before the loop."""

from swathe import prange

from .safe import TESTED, fill, promised, proven, ramp

# ---- proven by what is known of conditions, bounds and flags ----


@proven(ramp(6, 6))
def left_of_the_diagonal(a):
    n = len(a)
    for k in range(n):
        for i in prange(k + 1, n):
            a[i, k] /= a[k, k] + 1


@proven(ramp(6, 6))
def off_the_diagonal(a):
    for i in prange(len(a)):
        for j in range(len(a)):
            if i != j:
                a[i, j] = a[j, j] * 2


@proven(ramp(6, 6))
def off_the_diagonal_that_is_left_out(a):
    for i in prange(len(a)):
        for j in range(len(a)):
            if i == j:
                continue
            a[i, j] = a[j, j] * 2


@proven(ramp(6, 6))
def below_the_diagonal(a):
    for i in prange(len(a)):
        for j in range(len(a)):
            if j < i:
                a[i, j] = a[j, j] + a[i, i]


@proven(ramp(9), ramp(9))
def set_and_used_under_a_flag(a, b):
    for i in prange(len(a)):
        f = a[i] > 3
        if f:
            c = a[i] * 2
        b[i] = 1
        if f:
            b[i] += c


@proven(ramp(9), ramp(9))
def set_and_used_unless(a, b):
    for i in prange(len(a)):
        f = a[i] > 3
        if not f:
            c = a[i] * 2
        b[i] = 1
        if f:
            b[i] = 2
        else:
            b[i] += c


@proven(ramp(9), ramp(9), True)
def set_and_used_under_two_flags(a, b, g):
    c = 0.0
    for i in prange(len(a)):
        f = a[i] > 3
        if f:
            if g:
                c = a[i] * 2
        b[i] = 1
        for _ in range(2):
            if g:
                if f:
                    b[i] += c


@proven(ramp(9), ramp(9))
def counter_of_a_loop_that_runs(a, b):
    for i in prange(1, len(a)):
        for k in range(i):
            a[i] += k
        b[i] = k


@proven(ramp(9), ramp(9))
def counter_of_a_loop_with_one_more(a, b):
    for i in prange(len(a)):
        for k in range(i + 1):
            a[i] += k
        b[i] = k


# ---- tested before the loop ----


@promised(ramp(20), 8)
def round_robin(a, k):
    for i in prange(8):
        a[i % k] = i


@promised(ramp(20), 9)
def far_enough(a, d):
    for i in prange(d, 18):
        a[i] += a[i - d]


@promised(ramp(20), 0)
def no_distance(a, d):
    for i in prange(d, 18):
        a[i] += a[i - d]


@promised(ramp(20))
def rounded_index(a):
    for i in prange(8):
        a[int(i * 1.5)] = i


@promised(ramp(20), 4, 3)
def blocks_within_their_stride(a, k, m):
    for i in prange(5):
        for j in range(m):
            a[i * k + j] = i


@promised(ramp(20), 4, 4)
def slices_within_their_stride(a, k, m):
    for i in prange(5):
        a[i * k : i * k + m] = i


@promised(ramp(20), 4, 4)
def filled_within_their_stride(a, k, m):
    for i in prange(5):
        fill(a[i * k : i * k + m], i)


for _name in (
    "round_robin",
    "far_enough",
    "no_distance",
    "rounded_index",
    "blocks_within_their_stride",
    "slices_within_their_stride",
    "filled_within_their_stride",
):
    TESTED[_name] = False


# ---- serial, and right ----


@promised(ramp(5, 5), ramp(5, 6))
def sums_into_an_element_of_what_it_reads(a, b):
    m, n = b.shape
    for i in range(m):
        for j in range(n):
            for k in prange(i + 1, m):
                b[i, j] += a[k, i] * b[k, j]


# ---- combined into an element that others may read, and don't: in order, under debug too ----


@promised(ramp(9), ramp(9))
def combined_and_hardly_ever_read(v, h):
    for i in prange(len(h)):
        v[0] += h[i]
        if h[i] > 99:
            h[i] = v[0]


@promised(ramp(9), ramp(9))
def combined_by_turns_and_hardly_ever_read(v, h):
    for i in prange(len(h)):
        v[0] += h[i]
        v[1] *= 2 + h[i]
        v[0] -= i
        if h[i] > 99:
            h[i] = v[0] + v[1]
