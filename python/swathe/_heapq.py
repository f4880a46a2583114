# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module heapq, on lists. They compare and move what the standard library's do, so
that equal elements come out in the same order."""

from swathe import static_fail


def _of_list(x, name):
    if not isinstance(x, list):
        static_fail(name + "() takes a list", True)


def _sift_down(heap, start, pos):
    item = heap[pos]
    while pos > start:
        parent = (pos - 1) >> 1
        if not item < heap[parent]:
            break
        heap[pos] = heap[parent]
        pos = parent
    heap[pos] = item


def _sift_up(heap, pos):
    end = len(heap)
    start = pos
    item = heap[pos]
    child = 2 * pos + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    heap[pos] = item
    _sift_down(heap, start, pos)


def heappush(heap, item):
    """Put it where it belongs."""
    _of_list(heap, "heapq.heappush")
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


def heappop(heap):
    """Take the smallest one out."""
    _of_list(heap, "heapq.heappop")
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    _sift_up(heap, 0)
    return first


def heapreplace(heap, item):
    """Take the smallest one out, and then put the item in."""
    _of_list(heap, "heapq.heapreplace")
    if len(heap) == 0:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return first


def heappushpop(heap, item):
    """Put the item in, and then take the smallest one out."""
    _of_list(heap, "heapq.heappushpop")
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return first
    return item


def heapify(x):
    """Make a heap of a list."""
    _of_list(x, "heapq.heapify")
    for i in range(len(x) // 2 - 1, -1, -1):
        _sift_up(x, i)


def _sift_up_greatest(heap, start):
    """As _sift_up, of a heap whose root is the greatest."""
    end = len(heap)
    pos = start
    item = heap[pos]
    child = 2 * pos + 1
    while child < end:
        right = child + 1
        if right < end and not heap[right] < heap[child]:
            child = right
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    while pos > start:
        parent = (pos - 1) >> 1
        if not heap[parent] < item:
            break
        heap[pos] = heap[parent]
        pos = parent
    heap[pos] = item


def _by_heap(n, x):
    """Whether the standard library finds them by a heap, and that can be seen, as it can where
    neither of two that are not equal is less, or is faster than sorting."""
    return 1 < n < len(x) and (n <= len(x) // 8 or not isinstance(x[0], (int, str)))


def _least(n, x):
    """Those of a list of more. The best so far are a heap with the worst of them at its root, which
    is all that most elements are compared with. Of equals the earlier is less."""
    best = [(x[i], i) for i in range(n)]
    for i in range(n // 2 - 1, -1, -1):
        _sift_up_greatest(best, i)
    worst = best[0][0]
    i = n
    while i < len(x):
        v = x[i]
        if v < worst:
            best[0] = (v, i)
            _sift_up_greatest(best, 0)
            worst = best[0][0]
        i += 1
    best.sort()
    return [v for v, _ in best]


def _greatest(n, x):
    best = [(x[i], -i) for i in range(n)]
    heapify(best)
    worst = best[0][0]
    i = n
    while i < len(x):
        v = x[i]
        if worst < v:
            best[0] = (v, -i)
            _sift_up(best, 0)
            worst = best[0][0]
        i += 1
    best.sort(reverse=True)
    return [v for v, _ in best]


def _least_by(n, x, key):
    best = [(key(x[i]), i) for i in range(n)]
    for i in range(n // 2 - 1, -1, -1):
        _sift_up_greatest(best, i)
    worst = best[0][0]
    for i in range(n, len(x)):
        k = key(x[i])
        if k < worst:
            best[0] = (k, i)
            _sift_up_greatest(best, 0)
            worst = best[0][0]
    best.sort()
    return [x[i] for _, i in best]


def _greatest_by(n, x, key):
    best = [(key(x[i]), -i) for i in range(n)]
    heapify(best)
    worst = best[0][0]
    for i in range(n, len(x)):
        k = key(x[i])
        if worst < k:
            best[0] = (k, -i)
            _sift_up(best, 0)
            worst = best[0][0]
    best.sort(reverse=True)
    return [x[-i] for _, i in best]


def _nsmallest(n, x, key):
    if n == 1:
        return [min(x, key=key)]
    if _by_heap(n, x):
        return _least(n, x) if key is None else _least_by(n, x, key)
    r = sorted(x, key=key)
    del r[n:]
    return r


def nsmallest(n, iterable, key=None):
    """The n smallest, in order: those that sorted() has first."""
    x = iterable if isinstance(iterable, list) and key is None else list(iterable)
    return _nsmallest(max(min(n, len(x)), 0), x, key)


def _nlargest(n, x, key):
    if n == 1:
        return [max(x, key=key)]
    if _by_heap(n, x):
        return _greatest(n, x) if key is None else _greatest_by(n, x, key)
    r = sorted(x, key=key, reverse=True)
    del r[n:]
    return r


def nlargest(n, iterable, key=None):
    """The n largest, the largest first: those that sorted(..., reverse=True) has first."""
    x = iterable if isinstance(iterable, list) and key is None else list(iterable)
    return _nlargest(max(min(n, len(x)), 0), x, key)


def _merged(x, more, key, reverse):
    """Always the less of what both have next, or, of equals, x's."""
    y = x[:0]
    y.extend(more)
    r = x[:0]
    i = 0
    for v in y:
        while i < len(x):
            if key is None:
                later = x[i] < v if reverse else v < x[i]
            else:
                later = key(x[i]) < key(v) if reverse else key(v) < key(x[i])
            if later:
                break
            r.append(x[i])
            i += 1
        r.append(v)
    r.extend(x[i:])
    return r


def merge(a, b=(), c=(), d=(), *, key=None, reverse=False):
    """What sorted iterables yield, in order."""
    r = _merged(list(a), b, key, reverse)
    r = _merged(r, c, key, reverse)
    r = _merged(r, d, key, reverse)
    yield from r
