"""Algorithms over arrays: dynamic programming, graphs, sorting, sums, codes, random numbers."""

import numpy as np

from .registry import program

prange = range


def _letters(rng, n, m):
    return rng.integers(0, 4, n), rng.integers(0, 4, m)


@program(_letters, (9, 8), (150, 140), "loops")
def smith_waterman(a, b):
    """The best local alignment, and the way back."""
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1), dtype=np.int64)
    best, at, to = 0, 0, 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            match = score[i - 1, j - 1] + (3 if a[i - 1] == b[j - 1] else -3)
            score[i, j] = max(0, match, score[i - 1, j] - 2, score[i, j - 1] - 2)
            if score[i, j] > best:
                best, at, to = score[i, j], i, j
    length = 0
    while score[at, to] > 0:
        length += 1
        if score[at, to] == score[at - 1, to] - 2:
            at -= 1
        elif score[at, to] == score[at, to - 1] - 2:
            to -= 1
        else:
            at -= 1
            to -= 1
    return best, length, at, to


@program(_letters, (9, 8), (600, 700))
def edit_distance_rows(a, b):
    """Levenshtein's distance, a row at a time: the minimum along the row by accumulate."""
    m = b.size
    steps = np.arange(m + 1)
    row = steps.copy()
    for i in range(a.size):
        new = np.empty(m + 1, dtype=np.int64)
        new[0] = i + 1
        new[1:] = np.minimum(row[:-1] + (b != a[i]), row[1:] + 1)
        row = np.minimum.accumulate(new - steps) + steps
    return row[-1]


@program(lambda rng, n: (rng.integers(0, 4, n),), (12,), (60,), "loops")
def nussinov(seq):
    """The most pairs that a strand can fold into."""
    n = seq.size
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if seq[i] + seq[j] == 3 else 0
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


@program(
    lambda rng, n, size: (rng.integers(1, 30, n), rng.integers(1, 60, n), size),
    (6, 40),
    (100, 5000),
)
def knapsack(weight, value, size):
    """The worth of the best bag, all sizes at once."""
    best = np.zeros(size + 1, dtype=np.int64)
    for i in range(len(weight)):
        w = weight[i]
        best[w:] = np.maximum(best[w:], best[:-w] + value[i])
    return best[-1], np.searchsorted(best, best[-1])


def _graph(rng, n):
    d = rng.integers(1, 100, (n, n)).astype(np.float64)
    d[rng.random((n, n)) < 0.7] = np.inf
    np.fill_diagonal(d, 0.0)
    return (d,)


@program(_graph, (8,), (200,))
def floyd_warshall(d):
    """Shortest paths between all, a matrix at a time."""
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d, d[np.isfinite(d)].mean()


@program(_graph, (8,), (70,), "loops")
def floyd_warshall_loops(d):
    """The same as three loops."""
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@program(_graph, (8,), (250,))
def dijkstra(d):
    """Shortest paths from the first node, the nearest open one by a masked minimum."""
    n = d.shape[0]
    best = np.full(n, np.inf)
    best[0] = 0.0
    done = np.zeros(n, dtype=np.bool_)
    for _ in range(n):
        k = np.argmin(np.where(done, np.inf, best))
        done[k] = True
        best = np.minimum(best, best[k] + d[k])
    return best


def _quicksort(a, lo, hi):
    while lo < hi:
        pivot = a[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if j - lo < hi - i:
            _quicksort(a, lo, j)
            lo = i
        else:
            _quicksort(a, i, hi)
            hi = j


@program(lambda rng, n: (rng.random(n),), (30,), (20000,), "loops")
def quicksort(a):
    """Hoare's partition, recursion on the smaller part."""
    _quicksort(a, 0, len(a) - 1)
    return a


@program(lambda rng, n: (rng.integers(0, 1000, n),), (30,), (20000,), "loops")
def merge_sort(a):
    """From the bottom up, two arrays in turns."""
    n = len(a)
    b = np.empty_like(a)
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            mid, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, mid
            for k in range(left, right):
                if i < mid and (j >= right or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@program(lambda rng, n: (rng.integers(0, 100, n),), (16,), (65536,))
def prefix_sums(x):
    """Blelloch's two sweeps over a tree in an array, beside the call."""
    n = x.size
    t = x.copy()
    d = 1
    while d < n:
        t[2 * d - 1 :: 2 * d] += t[d - 1 :: 2 * d]
        d *= 2
    t[-1] = 0
    d = n // 2
    while d >= 1:
        left = t[d - 1 :: 2 * d].copy()
        t[d - 1 :: 2 * d] = t[2 * d - 1 :: 2 * d]
        t[2 * d - 1 :: 2 * d] += left
        d //= 2
    return t, np.cumsum(x) - x


@program(lambda rng, n, k: (rng.random(n), k), (30, 4), (30000, 50), "loops")
def reservoir(stream, k):
    """A fair sample of a stream whose length nobody knows."""
    np.random.seed(9)
    kept = stream[:k].copy()
    for i in range(k, len(stream)):
        j = np.random.randint(0, i + 1)
        if j < k:
            kept[j] = stream[i]
    return kept, kept.mean()


@program(lambda rng, n: (n, 12345), (20,), (20000,), "loops")
def linear_congruential(n, seed):
    """Random numbers of an old kind, and pi by them."""
    state = seed
    inside = 0
    histogram = np.zeros(10, dtype=np.int64)
    for _ in range(n):
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        x = state / 2147483648.0
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        y = state / 2147483648.0
        histogram[int(x * 10)] += 1
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n, histogram, state


@program(lambda rng, n: (rng.integers(0, 256, n).astype(np.uint8),), (20,), (8000,), "loops")
def crc16(data):
    """The checksum bit by bit."""
    crc = 0xFFFF
    for i in range(data.size):
        b = 0xFF & data[i]
        for _ in range(8):
            if (crc & 1) ^ (b & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            b >>= 1
    crc = (~crc & 0xFFFF) & 0xFFFF
    return ((crc << 8) | ((crc >> 8) & 0xFF)) & 0xFFFF


@program(lambda rng, n: (rng.integers(0, 256, n).astype(np.uint8),), (20,), (60000,), "loops")
def crc32_table(data):
    """The checksum by a table that is made first, in unsigned arithmetic."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        odd = (table & 1) == 1
        table = np.where(odd, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1)
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = int(table[(crc ^ int(data[i])) & 0xFF]) ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF, table


@program(lambda rng, n: (n,), (60,), (500000,))
def sieve(n):
    """Primes by strides, and the gaps between them."""
    prime = np.ones(n, dtype=np.bool_)
    prime[:2] = False
    i = 2
    while i * i < n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    p = np.nonzero(prime)[0]
    return p, np.bincount(np.diff(p))


@program(lambda rng, n, k: (rng.integers(0, k, n), rng.random(n)), (20, 4), (100000, 50))
def group_by(keys, values):
    """Sums, means and extremes of groups, by unique and by sorting."""
    u, where = np.unique(keys, return_inverse=True)
    total = np.bincount(where, weights=values)
    count = np.bincount(where)
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.concatenate((np.array([True]), sorted_keys[1:] != sorted_keys[:-1])))
    return u, total / count, np.maximum.reduceat(values[order], starts), starts


@program(lambda rng, n: (n,), (4,), (7,), "loops")
def queens(n):
    """Placements of queens, by recursion with bits."""

    def place(row, columns, left, right):
        if row == n:
            return 1
        total = 0
        for c in range(n):
            bit = 1 << c
            if not (columns & bit or left & bit or right & bit):
                total += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
        return total

    return place(0, 0, 0, 0)
