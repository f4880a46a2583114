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


def nsmallest(n, iterable, key=None):
    """The n smallest, as sorted() has them."""
    r = sorted(iterable, key=key)
    del r[max(n, 0) :]
    return r


def nlargest(n, iterable, key=None):
    """The n largest, as sorted() has them."""
    r = sorted(iterable, key=key, reverse=True)
    del r[max(n, 0) :]
    return r


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
