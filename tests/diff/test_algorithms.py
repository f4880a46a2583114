# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs over integers and flags: sorting, searching, counting, games."""

import numpy as np
from harness import Corpus

corpus = Corpus()
case = corpus
RNG = np.random.default_rng(11)
K = RNG.integers(-50, 50, 25)


@case(50)
@case(2)
def sieve(n):
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime, prime.sum()


@case((RNG.random((8, 9)) < 0.4).astype("u1"), 3)
@case((RNG.random((8, 9)) < 0.4).astype("i8"), 3)
@case(RNG.random((8, 9)) < 0.4, 3)
def game_of_life(board, steps):
    h, w = board.shape
    for _ in range(steps):
        new = np.zeros_like(board)
        for y in range(h):
            for x in range(w):
                n = 0
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        if dy or dx:
                            n += int(board[(y + dy) % h, (x + dx) % w])
                if n == 3 or (n == 2 and board[y, x]):
                    new[y, x] = 1
        board = new
    return board


@case(np.arange(0, 60, 3), 27)
@case(np.arange(0, 60, 3), 28)
@case(np.linspace(0, 1, 11), 0.5)
@case(np.arange(0), 1)
def binary_search(x, key):
    lo, hi = 0, len(x) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if x[mid] == key:
            return mid
        if x[mid] < key:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@case(K)
@case(K.astype("f4"))
@case(K[::-2])
def bubble_sort(x):
    n = len(x)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                swapped = True
        if not swapped:
            break
    return x


@case(K)
@case(K.astype("i2")[::-1])
def insertion_sort(x):
    for i in range(1, len(x)):
        v = x[i]
        j = i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = v


def partition(x, lo, hi):
    pivot = x[hi]
    i = lo
    for j in range(lo, hi):
        if x[j] < pivot:
            x[i], x[j] = x[j], x[i]
            i += 1
    x[i], x[hi] = x[hi], x[i]
    return i


@case(K, 0, 24)
def quick_sort(x, lo, hi):
    if lo < hi:
        p = partition(x, lo, hi)
        quick_sort(x, lo, p - 1)
        quick_sort(x, p + 1, hi)


@case(K)
def merge_sort(x):
    n = len(x)
    if n <= 1:
        return x.copy()
    a, b = merge_sort(x[: n // 2]), merge_sort(x[n // 2 :])
    out = np.empty(n, x.dtype)
    i = j = 0
    for k in range(n):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


@case(K)
def heap_sort(x):
    def sift(start, end):
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                return
            x[root], x[child] = x[child], x[root]
            root = child

    n = len(x)
    for start in range(n // 2 - 1, -1, -1):
        sift(start, n)
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        sift(0, end)


@case(48, 36)
@case(-48, 36)
@case(0, 5)
@case(np.int32(48), np.int32(36))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return abs(a)


@case(240, 46)
def extended_gcd(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b:
        q, (a, b) = a // b, (b, a % b)
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


@case(15)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@case(1000)
def longest_collatz(n):
    best = where = 0
    for i in range(1, n):
        k, length = i, 0
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            length += 1
        if length > best:
            best, where = length, i
    return where, best


@case(3, 200, 1000007)
def modular_power(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        exponent >>= 1
        base = base * base % modulus
    return result


@case(np.array([3, 1, 4, 1, 5, 9]), np.array([1, 4, 1, 5, 2]))
@case(np.zeros(0, "i8"), np.array([1, 2]))
def levenshtein(a, b):
    n, m = len(a), len(b)
    row = np.arange(m + 1)
    for i in range(1, n + 1):
        diagonal = row[0]
        row[0] = i
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            above = row[j]
            row[j] = min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
            diagonal = above
    return row[m]


@case(np.array([3, 1, 4, 1, 5, 9, 2, 6]), np.array([1, 4, 9, 6]))
def longest_common_subsequence(a, b):
    t = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1, j + 1] = t[i, j] + 1 if x == y else max(t[i, j + 1], t[i + 1, j])
    return t[-1, -1], t


@case(RNG.random(100), 10)
@case(RNG.random(100).astype("f4"), 10)
@case(np.array([0.5, 1.5]), 4, raises=IndexError)
def histogram(x, bins):
    out = np.zeros(bins, np.int64)
    for v in x:
        out[int(v * bins)] += 1
    return out


@case(RNG.integers(0, 256, (6, 7)).astype("u1"))
def equalise(image):
    count = np.zeros(256, np.int64)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            count[image[y, x]] += 1
    table = np.cumsum(count)
    low = table[table.argmax() * 0 + int(image.min())]
    out = np.empty_like(image)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = np.uint8((table[image[y, x]] - low) * 255 // (image.size - low))
    return out


@case(np.array([1, 1, 2, 3, 3, 3, 1]))
@case(np.array([5]))
def run_lengths(x):
    values = np.empty(len(x), x.dtype)
    counts = np.zeros(len(x), np.int64)
    n = -1
    for i in range(len(x)):
        if i == 0 or x[i] != x[i - 1]:
            n += 1
            values[n] = x[i]
        counts[n] += 1
    return values[: n + 1], counts[: n + 1]


@case(np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), 5)
def knapsack(weight, value, capacity):
    best = np.zeros(capacity + 1, np.int64)
    for i in range(len(weight)):
        for c in range(capacity, weight[i] - 1, -1):
            best[c] = max(best[c], best[c - weight[i]] + value[i])
    return best[capacity]


@case(K)
def longest_increasing(x):
    n = len(x)
    length = np.ones(n, np.int64)
    for i in range(n):
        for j in range(i):
            if x[j] < x[i] and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
    return length.max()


@case(6, 0, 0, 0, 0)
def queens(n, row, columns, left, right):
    if row == n:
        return 1
    count = 0
    for c in range(n):
        bit = 1 << c
        if columns & bit or left & (1 << (row + c)) or right & (1 << (row - c + n)):
            continue
        count += queens(
            n, row + 1, columns | bit, left | 1 << (row + c), right | 1 << (row - c + n)
        )
    return count


@case(np.array([1, 5, 10, 25]), 63)
def coin_change(coins, amount):
    ways = np.zeros(amount + 1, np.int64)
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]


@case(K)
def maximum_subarray(x):
    best = current = x[0]
    start = lo = hi = 0
    for i in range(1, len(x)):
        if current < 0:
            current = x[i]
            start = i
        else:
            current += x[i]
        if current > best:
            best = current
            lo, hi = start, i
    return best, lo, hi


@case((RNG.random((8, 8)) < 0.7).astype("i8"))
def flood_fill_count(grid):
    h, w = grid.shape
    stack = np.zeros((h * w * 4, 2), np.int64)
    regions = 0
    for y in range(h):
        for x in range(w):
            if grid[y, x] != 1:
                continue
            regions += 1
            top = 1
            stack[0] = y, x
            while top > 0:
                top -= 1
                v, u = stack[top]
                if not (0 <= v < h and 0 <= u < w) or grid[v, u] != 1:
                    continue
                grid[v, u] = -regions
                for dv, du in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    stack[top, 0] = v + dv
                    stack[top, 1] = u + du
                    top += 1
    return regions


@case(np.array([[1, 2], [2, 3], [4, 5], [6, 6]]), 8)
def union_find(edges, n):
    parent = np.arange(n)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in edges:
        parent[find(a)] = find(b)
    roots = 0
    for i in range(n):
        if find(i) == i:
            roots += 1
    return roots


@case(RNG.integers(1, 9, (7, 7)), 0)
def dijkstra(weights, source):
    n = weights.shape[0]
    distance = np.full(n, 10**9)
    done = np.zeros(n, np.bool_)
    distance[source] = 0
    for _ in range(n):
        u = -1
        for i in range(n):
            if not done[i] and (u < 0 or distance[i] < distance[u]):
                u = i
        done[u] = True
        for v in range(n):
            d = distance[u] + weights[u, v]
            if d < distance[v]:
                distance[v] = d
    return distance


@case(4)
def hanoi_moves(n):
    moves = np.zeros((2**n, 2), np.int8)
    count = np.zeros(1, np.int64)

    def move(k, a, b, c):
        if k > 0:
            move(k - 1, a, c, b)
            moves[count[0], 0] = a
            moves[count[0], 1] = c
            count[0] += 1
            move(k - 1, b, a, c)

    move(n, 0, 1, 2)
    return moves, count[0]


@case(5)
def pascal(n):
    t = np.zeros((n, n), np.int64)
    for i in range(n):
        t[i, 0] = 1
        for j in range(1, i + 1):
            t[i, j] = t[i - 1, j - 1] + t[i - 1, j]
    return t


@case(4)
@case(5)
def spiral(n):
    a = np.zeros((n, n), np.int64)
    y, x, dy, dx = 0, 0, 0, 1
    for k in range(1, n * n + 1):
        a[y, x] = k
        v, u = y + dy, x + dx
        if not (0 <= v < n and 0 <= u < n) or a[v, u] != 0:
            dy, dx = dx, -dy
        y, x = y + dy, x + dx
    return a


@case(np.arange(256, dtype="u1"))
def crc32(data):
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc ^= np.uint32(byte)
        for _ in range(8):
            if crc & np.uint32(1):
                crc = (crc >> np.uint32(1)) ^ np.uint32(0xEDB88320)
            else:
                crc = crc >> np.uint32(1)
    return crc ^ np.uint32(0xFFFFFFFF)


@case(np.arange(20, dtype="u1"))
def fnv_hash(data):
    h = np.uint64(14695981039346656037)
    for byte in data:
        h = (h ^ np.uint64(byte)) * np.uint64(1099511628211)
    return h


@case(0b1011_0110)
@case(0)
def bit_tricks(n):
    count = 0
    m = n
    while m:
        m &= m - 1
        count += 1
    reverse = 0
    for i in range(8):
        reverse |= ((n >> i) & 1) << (7 - i)
    return count, reverse, n ^ (n >> 1), n & -n, ~n & 0xFF


@case(np.array([[2, 0], [1, 3]]), 5)
def matrix_power(a, n):
    out = np.eye(a.shape[0], dtype=a.dtype)
    while n:
        if n % 2:
            out = out @ a
        a = a @ a
        n //= 2
    return out


@case(np.array([1, 2, 3, 4]))
def next_permutation(x):
    n = len(x)
    count = 0
    while True:
        count += 1
        i = n - 2
        while i >= 0 and x[i] >= x[i + 1]:
            i -= 1
        if i < 0:
            return count
        j = n - 1
        while x[j] <= x[i]:
            j -= 1
        x[i], x[j] = x[j], x[i]
        x[i + 1 :] = x[:i:-1]


test_case = corpus.test()
