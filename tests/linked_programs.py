# SPDX-License-Identifier: BSD-3-Clause
"""Programs over instances that refer to each other, which take references apart and put them
together while others look: for test_linked.py, with and without the compiler."""

from __future__ import annotations

import numpy as np

from swathe import jitclass, prange


@jitclass
class Node:
    next: Node | None
    other: Node | None

    def __init__(self, v):
        self.v = v
        self.next = None
        self.other = None


@jitclass
class Box:
    """Has lists and an array, which are put anew."""

    items: list[Node]
    spare: list[Node | None]

    def __init__(self, n):
        self.items = [Node(i) for i in range(n)]
        self.spare = [None, None]
        self.a = np.arange(n)

    def take(self):
        return self.items.pop()

    def swap(self, i, j):
        self.items[i], self.items[j] = self.items[j], self.items[i]


def chain(n):
    head = Node(0)
    at = head
    for i in range(1, n):
        at.next = Node(i)
        at = at.next
    return head


def total(at):
    s = 0
    k = 1
    while at is not None:
        s += at.v * k
        k += 1
        at = at.next
    return s


def value_of(at):
    return -1 if at is None else at.v


def links(n):
    """Every second node goes, the rest is turned around, a node is taken out of the middle."""
    head = chain(n)
    at = head
    while at.next is not None:
        if at.next.next is None:
            break
        at.next = at.next.next
        at = at.next
    s = total(head)
    back = None
    at = head
    while at is not None:
        rest = at.next
        at.next = back
        back = at
        at = rest
    s = s * 7 + total(back)
    at = back
    at = at  # noqa: PLW0127
    if at.next is not None:
        gone = at.next
        at.next = at.next.next
        s += gone.v + value_of(gone.next)
        gone.next = None
    return s * 7 + total(back)


def old_values(n):
    """What was there before is used behind the store that replaces it."""
    head = chain(n)
    old = head.next
    head.next = Node(50)
    s = old.v if old is not None else 3
    first = head
    head = Node(60)
    s = s * 10 + first.next.v + head.v
    at = first
    for i in range(n):
        kept = at.next
        at.next = Node(70 + i)
        at = at.next
        if kept is not None:
            s += kept.v
            at.other = kept
    s += value_of(first.next.other if first.next is not None else None)
    a = first
    a.next = a
    a.other = a.next
    s += a.other.next.v
    a.next = None
    a.other = None
    b = chain(3)
    b.next, b = b.next.next, b.next
    return s * 10 + total(b)


def containers(n):
    """One object in two lists, which lose it one after the other, and in a dict."""
    box = Box(n + 2)
    first, second = box.items[0], box.items[1]
    both = [first, second, first]
    box.items[0] = Node(40)
    s = first.v + both[0].v
    both[0].v = 9
    s += first.v + both[2].v * 3 + box.items[0].v
    box.swap(0, 1)
    box.swap(1, 1)
    s = s * 5 + box.items[0].v + box.items[1].v * 2
    last = box.take()
    x = box.items
    box.items = [last]
    s = s * 5 + len(x) + x[0].v + box.items[0].v
    d = {0: first, 1: last}
    for i in range(n):
        was = d[i % 2]
        d[i % 2] = Node(was.v + i)
        s += was.v
    d.clear()
    both.clear()
    s += first.v
    box.spare[0] = first
    t = box.spare[0]
    box.spare[0] = None
    s += value_of(t) + value_of(box.spare[0]) * 2 + value_of(box.spare[1])
    for at in x:
        if at.v % 2:
            x[0] = at
        s = (s * 3 + x[0].v) % 1000003
    return s


def arrays(n):
    """A view of an array that its object lets go of."""
    box = Box(n + 2)
    a = box.a
    box.a = np.arange(n + 2) * 2
    s = int(a[1]) + int(box.a[1])
    part = box.a[1:]
    box.a = np.zeros(3, np.int64)
    s += int(part[0]) + int(part.sum()) + box.a.size
    for i in range(n):
        was = box.a
        box.a = was + i
        s += int(was[0]) + int(box.a[0])
    return s


def errors(n):
    """An exception between a look and a use; what the handler sees is there."""
    head = chain(n + 1)
    at = head
    seen = 0
    for i in range(n):
        old = head.next
        try:
            head.next = Node(i)
            if i % 3 == 1:
                raise ValueError("")
            seen += 10 // (i % 2)
        except ZeroDivisionError:
            seen += value_of(old) + head.next.v
        except ValueError:
            seen += value_of(old) * 2
            head.other = old
        finally:
            seen += value_of(head.other)
            at = head.next
    try:
        while True:
            at = at.next
            seen += at.v
    except AttributeError:
        seen += 1000
    return seen


def loops(n):
    """Cursors through loops that end early, start anew, or don't run at all."""
    head = chain(n)
    a = b = head
    steps = 0
    while a.next is not None and a.next.next is not None:
        a = a.next.next
        b = b.next
        steps += 1
        if steps > 20:
            break
    s = a.v * 100 + b.v
    keep = head
    for i in range(n):
        at = head
        for _ in range(i):
            if at.next is None:
                break
            at = at.next
            if at.v == 3:
                continue
            keep = at
        if i % 4 == 2:
            head = Node(-i)
            head.next = at
        s += keep.v + at.v
    return s * 10 + total(head) % 97


def heap(n):
    """References that change places in a list."""
    x = [Node((i * 7) % 11) for i in range(n)]
    s = 0
    for i in range(1, n):
        k = i
        while k > 0 and x[(k - 1) // 2].v > x[k].v:
            p = (k - 1) // 2
            x[k], x[p] = x[p], x[k]
            k = p
    for k in range(n - 1):
        low = x[k]
        x[k] = x[k + 1]
        s = (s * 3 + low.v + x[k].v) % 1000003
        low.next = x[k]
    return s


def beside(n):
    """Iterations that only look at objects."""
    x = [Node((i * 7) % 11) for i in range(n)]
    for i in range(0, n - 1, 2):
        x[i].next = x[i + 1]
    out = np.zeros(n, np.int64)
    for i in prange(n):
        at = x[i]
        s = 0
        while at is not None:
            s += at.v
            at = at.next
        out[i] = s
    return int((out * np.arange(n)).sum())


def every(n):
    """All of them, as one program."""
    return (
        links(n),
        old_values(n),
        containers(n),
        arrays(n),
        errors(n),
        loops(n),
        heap(n),
        beside(n),
    )


def long(n):
    """A list that is let go of as a whole, at once and from the middle on."""
    head = chain(n)
    at = head
    for _ in range(n // 2):
        at = at.next
    s = at.v
    at.next = None
    head = Node(1)
    return s + head.v
