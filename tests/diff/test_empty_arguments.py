# SPDX-License-Identifier: BSD-3-Clause
"""Empty lists and dicts as arguments, of which uses tell what they would hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

import pytest
from said import outcome

import swathe


def characters(words):
    out = []
    for w in words:
        for c in w:
            out.append(c)
    return out


def strings_by_methods(words):
    n = 0
    for w in words:
        for c in w:
            if c.isdigit():
                n += int(c)
        n += len(w.split())
    return n


def rows_summed(rows):
    t = 0.0
    for row in rows:
        for v in row:
            t += v
    return t


def rows_measured(rows):
    return [sum(r) for r in rows], [len(r) for r in rows], max((max(r) for r in rows), default=0)


def records(recs):
    by = defaultdict(list)
    for r in recs:
        by[r["k"]].append(r["v"])
    return dict(by)


def records_read(recs):
    return sorted(r.get("k", 0) for r in recs)


def neighbours(graph, s):
    seen, st = {s}, [s]
    while st:
        u = st.pop()
        for v in graph.get(u, []):
            if v not in seen:
                seen.add(v)
                st.append(v)
    return sorted(seen)


def lists_changed(lists):
    out = []
    for l in lists:
        l.append(1)
        out.extend(l)
    return out


def rows_as_text(grid):
    return ["".join("#" if c else "." for c in row) for row in grid]


def transposed(m):
    return [[row[i] for row in m] for i in range(len(m[0]))] if m else []


def counted(words):
    return Counter(c for w in words for c in w).most_common(2)


def listed_by_word(words):
    return {w: [c for c in w] for w in words}


def told_by_methods(xs):
    return [x.upper() for x in xs], [x for x in xs if x.startswith("a")]


def values_as_text(d):
    return {k: v.strip().lower() for k, v in d.items()}


def lists_in_a_dict(d):
    out = []
    for k, vs in d.items():
        for v in vs:
            out.append(f"{k}={v}")
    return out


def sets_joined(sets):
    u = set()
    for s in sets:
        u |= s
        u.update(s)
    return sorted(u)


def beside_itself(words):
    t = 0
    for w in words:
        for a, b in zip(w, w[1:]):
            t += a == b
    return t


def enumerated(words):
    t = 0
    for w in words:
        for i, c in enumerate(w):
            t += i * ord(c)
    return t


def indexed(points):
    return [(p[0] + 1, p[1]) for p in points], sum(p[0] for p in points)


def split(lines):
    out = []
    for l in lines:
        a, b = l.split("=")
        out.append((a, int(b)))
    return out


def flattened(xss):
    return [x for xs in xss for x in xs if x]


def a_row_is_added(xss):
    xss.append([1.5])
    return [x for xs in xss for x in xs]


def asked_by_key(d):
    for k in d:
        for x in d[k]:
            print(k, x)
    return len(d)


def life(cells, steps):
    cells = set(cells)
    for _ in range(steps):
        counts = Counter(
            (x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy
        )
        cells = {c for c, n in counts.items() if n == 3 or (n == 2 and c in cells)}
    return sorted(cells)


class Trie:
    def __init__(self):
        self.kids = {}
        self.end = False

    def add(self, w):
        node = self
        for ch in w:
            node = node.kids.setdefault(ch, Trie())
        node.end = True

    def walk(self, prefix=""):
        if self.end:
            yield prefix
        for ch in sorted(self.kids):
            yield from self.kids[ch].walk(prefix + ch)


def trie(ws, p):
    t = Trie()
    for w in ws:
        t.add(w)
    node = t
    for ch in p:
        node = node.kids.get(ch)
        if node is None:
            return []
    return list(node.walk(p))


def intervals_merged(intervals):
    out = []
    for i in sorted(intervals, key=lambda i: i[0]):
        if out and i[0] <= out[-1][-1]:
            out[-1][-1] = max(out[-1][-1], i[-1])
        else:
            out += (i,)
    return out


def rows_read_in_a_spiral(m):
    res = []
    while m:
        res += m.pop(0)
        if m and m[0]:
            for row in m:
                res.append(row.pop())
        if m:
            res += m.pop()[::-1]
        if m and m[0]:
            for row in m[::-1]:
                res.append(row.pop(0))
    return res


def first_ones_set(rows):
    for row in rows:
        row[0] = 3
    return len(rows)


def first_ones_added_to(rows):
    for row in reversed(rows):
        row[0] += 1
    return len(rows)


def copies_set(rows):
    for row in list(rows):
        row[-1] = 0
    for k, row in enumerate(sorted(rows)):
        row[0] = k
    return rows


def last_ones_taken(rows):
    return [row.pop() for row in rows]


def sorted_and_grown(rows):
    for row in sorted(rows, key=len):
        row.append(len(row))
    return rows


class Edge:
    def __init__(self, v, w, weight=1.0):
        self.v, self.w, self.weight = v, w, weight


class Place(NamedTuple):
    x: float
    y: float


def unpacked_into_instances(edges):
    return sum(Edge(*e).w for e in edges), [Edge(1, *e[1:]).v for e in edges]


def unpacked_into_tuples(places):
    all_of = [Place(*p) for p in places]
    return max((p.x for p in all_of), default=0.0), len(all_of)


def apart(a, b):
    return abs(a - b)


def unpacked_into_arguments(pairs):
    return [apart(*p) for p in pairs]


CASES = [
    (life, ([], 1)),
    (life, ([(0, 0)], 2)),
    (trie, ([], "")),
    (trie, (["a"], "")),
    (characters, ([],)),
    (characters, (["ab"],)),
    (characters, ([["x"]],)),
    (strings_by_methods, ([],)),
    (strings_by_methods, (["a1"],)),
    (rows_summed, ([],)),
    (rows_summed, ([[]],)),
    (rows_summed, ([[1, 2.5]],)),
    (rows_measured, ([],)),
    (rows_measured, ([[1]],)),
    (records, ([],)),
    (records, ([{"k": 1, "v": 2}],)),
    (records_read, ([],)),
    (records_read, ([{"k": 1}],)),
    (neighbours, ({}, 1)),
    (neighbours, ({1: [2]}, 1)),
    (neighbours, ({1: []}, 1)),
    (neighbours, ({"a": []}, "a")),
    (lists_changed, ([],)),
    (lists_changed, ([[2]],)),
    (rows_as_text, ([],)),
    (rows_as_text, ([[1, 0]],)),
    (rows_as_text, ([[]],)),
    (transposed, ([],)),
    (transposed, ([[1, 2]],)),
    (counted, ([],)),
    (counted, (["aab"],)),
    (listed_by_word, ([],)),
    (listed_by_word, (["ab"],)),
    (told_by_methods, ([],)),
    (told_by_methods, (["ab"],)),
    (values_as_text, ({},)),
    (values_as_text, ({"a": " X"},)),
    (lists_in_a_dict, ({},)),
    (lists_in_a_dict, ({"a": [1]},)),
    (lists_in_a_dict, ({"a": []},)),
    (sets_joined, ([],)),
    (sets_joined, ([{1}],)),
    (beside_itself, ([],)),
    (beside_itself, (["aab"],)),
    (enumerated, ([],)),
    (enumerated, (["ab"],)),
    (indexed, ([],)),
    (indexed, ([(1, 2)],)),
    (split, ([],)),
    (split, (["a=1"],)),
    (flattened, ([],)),
    (flattened, ([[]],)),
    (flattened, ([[0, 1]],)),
    (a_row_is_added, ([],)),
    (a_row_is_added, ([[]],)),
    (intervals_merged, ([],)),
    (intervals_merged, ([[1, 3], [2, 6], [8, 9]],)),
    (rows_read_in_a_spiral, ([],)),
    (rows_read_in_a_spiral, ([[1, 2], [3, 4], [5, 6]],)),
    (first_ones_set, ([],)),
    (first_ones_set, ([[1], [2]],)),
    (first_ones_added_to, ([],)),
    (first_ones_added_to, ([[1], [2]],)),
    (copies_set, ([],)),
    (copies_set, ([[2, 1], [1, 2]],)),
    (last_ones_taken, ([],)),
    (last_ones_taken, ([[1, 2], [3]],)),
    (sorted_and_grown, ([],)),
    (sorted_and_grown, ([[1, 2], [3]],)),
    (unpacked_into_instances, ([],)),
    (unpacked_into_instances, ([(1, 2)],)),
    (unpacked_into_tuples, ([],)),
    (unpacked_into_tuples, ([(1.0, 2.0)],)),
    (unpacked_into_arguments, ([],)),
    (unpacked_into_arguments, ([(1, 2)],)),
    (asked_by_key, ({},)),
    (asked_by_key, ({"a": [1]},)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_as_python(f, args):
    assert outcome(swathe.njit(f), args) == outcome(f, args)
