"""Programs that use the library's functions for common types: what tools/units.py compiles.

Each function of FORMS is compiled for each of the arguments beside it. What of the library it
calls outside of loops, and is large, becomes a unit. Prints the keys of all units.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque

import numpy as np

import swathe
from swathe import sparse

# ---- dicts and sets ---------------------------------------------------------------------------


def fill(keys, values):
    d = {}
    for i in range(len(keys)):
        d[keys[i]] = values[i]
    return d


def count(keys):
    d = {}
    for i in range(len(keys)):
        k = keys[i]
        d[k] = d.get(k, 0) + 1
    return len(d)


def count_pairs(keys):
    d = {}
    for i in range(len(keys)):
        k = (keys[i], keys[i] + 1)
        d[k] = d.get(k, 0) + 1
    return len(d)


def one(k, v):
    d = {}
    d[k] = v
    return d


def merge(d, e):
    r = d.copy()
    r.update(e)
    return r


def equal(d, e):
    return d == e


def look(d, k, v):
    d[k] = v
    e = d[k]
    return k in d, e == d.get(k, v), d.setdefault(k, v) == v, d.pop(k) == v


def group(k, v):
    d = {}
    d.setdefault(k, []).append(v)
    return d


def group_by_default(k, v):
    d = defaultdict(list)
    d[k].append(v)
    return d


def tally(k):
    d = defaultdict(int)
    d[k] += 1
    return d


def most(x):
    c = Counter(x)
    c.update(x)
    return c.most_common(1), c.most_common(), sorted(c.items()), c.total()


def entries(d):
    return list(d), list(d.values()), list(d.items()), sorted(d), sorted(d.items())


def members(k, x):
    s = {k}
    s.add(k)
    s.update(x)
    s.discard(k)
    return k in s


def sets(s, t):
    return s | t, s & t, s - t, s ^ t, s == t, s <= t


# ---- lists ------------------------------------------------------------------------------------


def order(x):
    x.sort()
    return x


def order_down(x):
    x.sort(reverse=True)
    return x


def ordered(x):
    return sorted(x)


def ordered_down(x):
    return sorted(x, reverse=True)


def order_by(x):
    x.sort(key=lambda v: v)
    return x


def extremes(x):
    return min(x), max(x)


def repeat(v, n):
    return [v] * n


def slices(x, i, j):
    return x[:j], x[i:], x[i:j], x[::-1], x[::2], x[:-1], x[i::2]


def join_lists(x, y):
    z = x + y
    z.extend(y)
    z += y
    return z


def edit(x, y, v):
    x[1:] = y
    x.insert(0, v)
    x.pop(0)
    x.reverse()
    return x.pop(), x.copy()


def find(x, v):
    return v in x, x.count(v), x.index(v), x == x


def lose(x, v):
    x.remove(v)
    del x[0]
    return x


def ends(v):
    d = deque()
    d.append(v)
    d.appendleft(v)
    d.append(d.popleft())
    return d.pop()


def order_by_keys(x, k):
    x.sort(key=lambda v: k)
    return sorted(x, key=lambda v: k, reverse=True)


def heap(v):
    h = [v]
    heapq.heapify(h)
    heapq.heappush(h, v)
    return heapq.heappop(h)


def least(x, n):
    return heapq.nsmallest(n, x)


def greatest(x, n):
    return heapq.nlargest(n, x)


# ---- strings ----------------------------------------------------------------------------------


def parts(s):
    return s.split(), s.splitlines(), s.strip(), s.lstrip(), s.rstrip(), s.partition(" ")


def parts_at(s):
    return s.split(","), s.split(",", 1), s.rsplit(" ", 1), s.strip("., "), s.rpartition(",")


def known_parts(s):
    return s.count(","), s.replace(",", "."), s.rsplit(","), s.strip(","), s.index(","), s.zfill(4)


def other_parts(s):
    return s.split(", "), s.split("::", 1), s.rsplit(",", 1), s.rsplit("::"), s.split("\n")


def known_ends(s):
    return s.lstrip(","), s.rstrip(","), s.find(","), s.rfind(","), s.partition(","), "," in s


def letters(s):
    return s.lower(), s.upper(), s.title(), s.capitalize(), s.swapcase(), s.isdigit(), s.isalpha()


def places(s, t):
    return s.find(t), s.count(t), t in s, s.replace(t, "."), s.rfind(t), s.startswith(t)


def more_places(s, t):
    return s.endswith(t), s.removeprefix(t), s.removesuffix(t), s.index(t), s.split(t)


def widths(s, n):
    return s.ljust(n), s.rjust(n), s.center(n), s.zfill(n), s.center(n, "*"), s.ljust(n, ".")


def other(s):
    return s.expandtabs(), s.encode(), s.translate(str.maketrans("ab", "ba")), s.islower()


def orders(s, t):
    return s < t, s == t, s <= t, s * 2, s[::-1], hash(s)


def whole(s):
    return int(s), float(s), repr(s)


def joined(s, x):
    return "".join(x), ", ".join(x), s.join(x), "\n".join(x)


def joined_each(s, x):
    return s.join(v for v in x), " ".join([v.strip() for v in x]), ", ".join(sorted(x))


def joined_ints(x):
    return " ".join(str(v) for v in x), ",".join([str(v) for v in x]), " ".join(map(str, x))


def join_in_turn(s, x):
    r = ""
    for v in x:
        r += v
    return r + s


def said(a, b):
    return f"{a}", f"{a} ", f"{a} {b}", f"{a} {b} ", f"({a}, {b}, {a})"


def said_long(a):
    return (
        f"{a} {a}",
        f" {a} {a}",
        f" {a} {a} ",
        f"{a} {a} {a}",
        f"{a} {a} {a} ",
        f" {a} {a} {a} ",
        f"{a} {a} {a} {a} ",
        f" {a} {a} {a} {a} ",
    )


def said_after(a, b):
    return (
        f" {a}",
        f" {a} ",
        f" {a} {b}",
        f" {a} {b} ",
        f"{a}{b}",
        f"{a} {b} {a}",
        f" {a} {b} {a}",
        f" {a} {b} {a} ",
    )


def said_wide(a, b):
    return f"{a:>8}|{b:<8}", f"{a:5}", str(a), repr(a)


def said_float(a):
    return f"{a:.2f}", f"{a:8.3f}", f"{a:g}", f"{a:.1e}", str(a), f"x={a:.4f} y={a}"


def said_int(a):
    return f"{a:d}", f"{a:03d}", f"{a:>5d}", f"{a:x}", f"{a:,}", str(a)


def said_all(x):
    return str(x), repr(x)


def percent(form, x):
    return form % x


def percent_both(form, x):
    return form % (x, x)


def fields(form, x):
    return form.format(x)


def adds(s, t):
    r = s + t
    r += s
    return r + t + s, s + " " + t


# ---- sparse matrices --------------------------------------------------------------------------


def pairs(A, B):
    return A + B, A - B, A.multiply(B), A @ B


# ---- what they are compiled for ---------------------------------------------------------------

PLAIN = (1, 1.0, "a")
KEYS = (1, "a", (1, 2))
VALUES = (1, 1.0, "a", [1])
SORTED = (1, 1.0, "a", (1, 2), (1.0, 1), ("a", 1), (1, "a"))
ELEMENTS = (*SORTED, [1], True, ("a", "b"), (1, 2, 3), (1.0, 2.0), ("a", 1.0), ("a", [1]))
ROWS = (("a", "b"), (1, 2, 3), (1.0, "a"), ("a", 1.0), (1, "a", "b"), (1.0, "a", "b"))


def text_cases():
    for f in (parts, letters, other):
        yield f, "a b"
    for f in (parts_at, known_parts, known_ends, other_parts):
        yield f, "a, b"
    yield whole, "1"
    for f in (places, more_places, orders, adds):
        yield f, "ab", "a"
    yield widths, "ab", 4
    yield joined, ", ", ["a"]
    yield joined_each, ", ", ["a"]
    yield join_in_turn, ", ", ["a"]
    yield joined_ints, [1]
    for a in PLAIN:
        for b in PLAIN:
            yield said, a, b
            yield said_after, a, b
            yield said_wide, a, b
        yield percent, "%s", a
        yield percent_both, "%s%s", a
        yield fields, "{}", a
    yield said_long, "a"
    yield said_float, 1.0
    yield said_int, 1
    for v in (1, 1.0, "a", (1, 2), [1], ("a", 1)):
        yield said_all, [v]
        if not isinstance(v, list):
            yield said_all, {v}
            yield said_all, {v: 1}
    yield said_all, (1, 2)


def cases():
    i, x = np.arange(3), np.arange(3.0)
    yield from [(count, i), (count_pairs, i), (fill, i, i), (fill, i, x)]
    for k in KEYS:
        for v in VALUES:
            yield one, k, v
            yield look, {k: v}, k, v
        for v in (1, 1.0):
            yield merge, {k: v}, {k: v}
            yield equal, {k: v}, {k: v}
        for v in (1, "a"):
            yield group, k, v
            yield group_by_default, k, v
        yield tally, k
        yield most, [k]
        yield members, k, [k]
        yield sets, {k}, {k}
    yield most, "ab"
    for k in (("a", "b"), (1, 2, 3)):
        for v in (1, [1]):
            yield one, k, v
            yield look, {k: v}, k, v
        yield members, k, [k]
        yield most, [k]
    for k in (1, "a"):
        for v in (True, (1, 2), ("a", 1)):
            yield one, k, v
            yield look, {k: v}, k, v
        for v in (1, 1.0, "a", [1], ["a"], True):
            yield entries, {k: v}
    yield group, 1, (1, 2)
    yield group, "a", (1, 2)
    for v in ELEMENTS:
        yield repeat, v, 2
        yield slices, [v, v], 0, 1
        yield join_lists, [v], [v]
        yield edit, [v, v], [v], v
        yield find, [v], v
        yield lose, [v, v], v
        yield ends, v
    for v in SORTED:
        for f in (order, order_down, ordered, ordered_down, order_by, extremes):
            yield f, [v]
        yield heap, v
    for v in ROWS:
        for f in (order, ordered, order_by):
            yield f, [v]
        yield heap, v
    for k in (True, *SORTED, ("a", "b"), (1, 2, 3), (1.0, 2.0)):
        yield order_by_keys, ["a"], k
    for v in (1, 1.0, "a", (1, 2), (1.0, 1)):
        yield least, [v], 1
        yield greatest, [v], 1
    yield from text_cases()
    for first in (np.arange(3, dtype=np.int32), np.arange(3)):  # SciPy's, and a result's
        A = sparse.CSR(np.ones(2), np.arange(2, dtype=np.int32), first, (2, 2))
        yield pairs, A, A


def main() -> None:
    """Compile all, and print the units' keys."""
    if not swathe._core.units()["baseline"]:
        return
    compiled: dict[object, object] = {}
    for f, *args in cases():
        compiled.setdefault(f, swathe.njit(f))(*args)
    print(*swathe._core.units()["keys"])


if __name__ == "__main__":
    main()
