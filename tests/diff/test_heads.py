"""What is true at the head of a loop each time: index checks that go, and those that must not."""

import itertools

import numpy as np
import pytest

import swathe


def sorted_by_heap(a):
    n = len(a)
    for s in range(2 * n - 1, 0, -1):
        i = s - n if s >= n else 0
        end = n if s >= n else s
        if s < n:
            a[0], a[s] = a[s], a[0]
        while 2 * i + 1 < end:
            c = 2 * i + 1
            if c + 1 < end and a[c + 1] > a[c]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = a[c], a[i]
            i = c


def place(a, x):
    lo = 0
    hi = len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def runs(a):
    n = len(a)
    i = 0
    found = 0
    while i < n:
        k = 1
        while i + k < n and k < 3 and a[i + k] == a[i]:
            k += 1
        found = found * 5 + k
        i += k
    return found


def meet(a, by):
    i = 0
    j = len(a) - 1
    s = 0
    while i != j:
        s += a[i] - a[j]
        i += by
        j -= by
    return s


def walk(a, up, down):
    i = 0
    s = 0
    for _ in range(12):
        if s % 2:
            i += up
            s += a[i]
            continue
        i -= down
        if i < 0:
            i = 0
        s += a[i] + 1
    return s


def leap(a, by):
    i = 1
    s = 0
    while i < len(a):
        s += a[i]
        i *= by
    return s


def behind(a, x):
    i = 0
    while i < len(a):
        if a[i] == x:
            break
        i += 1
    return a[i]


def palindrome(a):
    n = len(a)
    best = 0
    for c in range(n):
        left = c
        right = c
        while left >= 0 and right < n and a[left] == a[right]:
            left -= 1
            right += 1
        best = max(best, right - left - 1)
        left = c
        right = c + 1
        while left >= 0 and right < n and a[left] == a[right]:
            left -= 1
            right += 1
        best = max(best, right - left - 1)
    return best


def outcome(f, *args):
    try:
        return f(*args)
    except IndexError:
        return "IndexError"


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 16])
def test_sorts_and_searches(n):
    heap, find, count = (swathe.njit(f) for f in (sorted_by_heap, place, runs))
    for seed in range(4):
        a = np.random.RandomState(seed).randint(0, 6, n)
        b = a.copy()
        heap(b)
        np.testing.assert_array_equal(b, np.sort(a))
        for x in range(-1, 7):
            assert find(b, x) == place(b, x)
        assert count(b) == runs(b)


def test_errors_stay():
    functions = {meet: [1, 2, 3], leap: [2, 3, 16], behind: [1, 9]}
    for f, numbers in functions.items():
        compiled = swathe.njit(f)
        for n, x in itertools.product(range(6), numbers):
            if f is meet and n == 0:
                continue
            a = np.arange(n) * 3 % 5
            assert outcome(compiled, a, x) == outcome(f, a, x), (f, n, x)
    compiled = swathe.njit(walk)
    for n, up, down in itertools.product((1, 3, 20), (0, 1, 4), (0, 1, 5)):
        a = np.arange(n) % 3
        assert outcome(compiled, a, up, down) == outcome(walk, a, up, down)


def test_narrow_elements_are_not_gathered():
    for dtype in (np.uint8, np.int64):
        f = swathe.njit(palindrome)
        for n in (0, 1, 2, 9, 40):
            a = np.random.RandomState(n).randint(0, 2, n).astype(dtype)
            assert f(a) == palindrome(a)
        assert ("at a time" in f.explain()) == (dtype == np.int64)
