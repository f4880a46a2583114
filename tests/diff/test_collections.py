# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""deque, defaultdict, Counter, OrderedDict and frozenset: programs that return what CPython returns,
or raise what it raises, as results of the same classes, and as arguments that are changed."""

from __future__ import annotations

import copy
import linecache
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from live_memory import live

import swathe

HEAD = """
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
import swathe
def push(q, v):
    q.append(v)
def put(d, k, v):
    d[k].append(v)
def one():
    return [1]
def f(n, x):
"""

DEQUES = r"""
d = deque(); push(d, n); d.extend(x); return d.popleft(), d, len(d), d[0], d[-1], 2 in d, 99 in d
d = deque(x)\nfor v in d: d.append(v)\nreturn 0
d = deque(x); s = 0\nfor v in d:\n    s += v\n    if v == 2: d.pop()\nreturn s
d = deque(x); s = 0\nfor i, v in enumerate(d):\n    d[i] = v + 1\n    s += v\nreturn s, d
d = deque(x)\nfor _ in range(9): d.popleft()\nreturn 0
d = deque(); return d.pop() + n
return deque(x)[n * 9]
d = deque(x); d[-9] = 1; return d
d = deque(x, 4); d.insert(0, 5); return d
d = deque(x); d.insert(1, 9); d.insert(-1, 8); d.insert(99, 7); d.insert(-99, 6); d.reverse(); d.remove(9); del d[0]; del d[-1]; return d, d < deque([9]), d + d, d == deque(x), d != d
d = deque(x); d.remove(77); return d
return deque(x).index(77)
return deque(x).index(x[2]), deque(x).count(x[0]), deque(x).index(x[-1], 1), deque(x).index(x[1], -3, 2)
return deque(x, -n)
d = deque(x, n - n); d.append(3); d.appendleft(4); return d
d = deque(x, maxlen=2); d.appendleft(4); d.extend([7, 8, 9]); e = d.copy(); e.append(1); return d, e, d == e, d + e
out = []\nfor k in range(-6, 7):\n    d = deque(range(n)); d.rotate(k); out.append(list(d))\nreturn out, d >= deque([1]), d > deque([0])
d = deque(x); d.extend(d); d.extendleft(d); d += d; d.clear(); d.append(n); return d
d = deque(); s = 0\nfor i in range(200):\n    d.append(i); d.appendleft(-i)\n    if i % 3 == 0: s += d.popleft() * 2 + d.pop()\n    if i % 7 == 0: d.rotate(i)\nreturn s, d
d = deque()\nfor i in range(40):\n    d.append([i]); d.appendleft([-i])\n    if i % 3 == 0: d.popleft()\nd[0].append(1); return [v for v in d], d
d = deque([(0, 1.5)]); d.append((n, 2.5)); a, b = d[0]; (u, v), w = d; return a, b, u, v, w, d, [p for p, _ in d], max(d), sorted(d), list(reversed(d))
d = deque([1]); e = d; e.append(2); return d is e, d, bool(d), not deque(x[:0])
d = deque([1, None]); d.append(None); return [v is None for v in d]
a, *b, c = deque(x); return a, b, c, [*deque(x), 9], deque(v for v in x), deque((v for v in x), 2)
d = deque(x); return list(zip(d, x)), list(enumerate(d)), sum(d), any(d), sorted(d, reverse=True), isinstance(d, deque), isinstance(d, list)
q = deque([x]); d = {1: q}; l = [q, q]; l[0].append([5]); return q, len(l[1]), d, l
r = np.zeros(9, np.int64)\nfor i in swathe.prange(9):\n    d = deque(); c = Counter([i, i, 1])\n    for k in range(i + 3): d.append(k)\n    r[i] = d.popleft() + d.pop() + c[i] * 10\nreturn r
"""

KEYED = r"""
c = Counter(x); e = Counter({1: 5, 9: -1}); c[7] += 1; c.update(x); c.update({3: 10}); c.update(e); c.subtract([1, 1, 1, 1, 4]); c.subtract(e); del c[55]; return c, e, e.most_common(), c == e, c != e, c <= e, c < e, c + e, c - e, c & e, c | e, list(c), 99 in c, c.get(99), c.get(3, 0), c.total(), c.pop(3)
a = Counter(x); b = Counter([3, 3, 3, 1]); a += b; e = a.copy(); a -= b; g = Counter(x); g |= b; h = Counter(x); h &= b; return a, e, g, h, sorted(e.elements()), Counter() == Counter(x[:0]), b >= h, b > h
c = Counter(x); s = 0\nfor k, v in c.items(): s += k * v\nfor k in c: s += k\nreturn s, max(c, key=lambda k: c[k]), max(c.values()), sorted(c.items()), dict(c), c.most_common(1), c.most_common(0), c.most_common(99), c.most_common(-1)
return Counter([(1, 2), (3, 4), (1, 2)]), Counter(v % 2 for v in x), Counter(map(lambda v: v * 0.5, x)), Counter(range(3)), Counter(Counter(x)), isinstance(Counter(x), dict)
return Counter(x).pop(77)
c = Counter(x)\nfor k in c: c[k + 10] += 1\nreturn 0
c = Counter(x); s = 0\nfor k in list(c): s += c[k + 10]\nreturn s, len(c)
d = defaultdict(lambda: defaultdict(int))\nfor i in x: d[i % 2][i] += i\nreturn [(k, sorted(d[k].items())) for k in sorted(d)]
d = defaultdict(lambda: [0, 0]); d[1][0] += n; d[2]; return dict(d), len(d), d[7], 8 in d, d.get(8)
d = defaultdict(lambda: float('inf')); d[0] = 0.0\nfor i in range(n): d[i + 1] = min(d[i + 1], d[i] + 1.5)\nreturn dict(d), d[99]
d = defaultdict(list); put(d, n, 1); d[2]; e = defaultdict(set); e[1].add(n); g = defaultdict(dict); g[1][2] = n; h = defaultdict(deque); h[1].append(4); k = defaultdict(Counter); k[1][2] += 4; m = defaultdict(float); m[1] += 0.5; b = defaultdict(bool); b[1]; return d, e, g, h, k, m, b
d = defaultdict(int, {1: 5}); d[2] += 1; e = defaultdict(list, [(1, [2])]); e[4].append(n); return d, e, d == {1: 5, 2: 1}, d.pop(1), d.setdefault(9, 8), list(d.items()), d.copy()
d = defaultdict(one); d[1].append(n); return d[1], d[2]
d = defaultdict(int); d[1] = 2\nfor k in d: d[k + 1] += 1\nreturn 0
d = defaultdict(int); del d[n]; return d
d = defaultdict(int)\nfor i in range(n):\n    for j in range(n): d[i, j] += i * j; d[(i + 1, j)] += 1\nreturn sum(d.values()), d
a = OrderedDict([(1, 2), (3, 4)]); b = OrderedDict([(3, 4), (1, 2)]); c = {3: 4, 1: 2}; return a == b, a == c, c == a, a != b, a, list(reversed(a)), a.pop(1), a.get(9), OrderedDict(c), dict(b)
a = OrderedDict(); a[1] = 1; a.move_to_end(n); return a
a = OrderedDict(); a[1] = 1; a.popitem(); a.popitem(last=False); return a
a = OrderedDict(); s = 0\nfor i in range(300):\n    a[i * 7 % 101] = i\n    if i % 2: a.move_to_end(next(iter(a)))\n    if i % 5 == 0: a.move_to_end(i * 7 % 101, last=False)\n    if len(a) > 20:\n        k, v = a.popitem(last=i % 3 == 0); s = s * 31 % 1000003 + k * v\n    if i % 50 == 49:\n        while a: s += a.popitem(last=False)[0]\nreturn s, a
f = frozenset(x); g = frozenset([2, 9]); s = {1, 2}; return f | g, f & g, f - g, f ^ g, f == s, s == f, f <= s, f.union(g), f.isdisjoint(g), sorted(f), s | f, f | s, f.issubset(s), f.copy(), frozenset(), 1 in f, isinstance(f, set), isinstance(f, frozenset)
d = {1: 2, 3: 4}; e = {3: 4, 1: 2}; return d.keys() == e.keys(), d.items() == e.items(), d.keys() == {1, 3}, d.keys() & e.keys(), d.keys() | {9}, d.items() ^ e.items(), d.keys() < e.keys(), {1, 3, 5} >= d.keys(), d.keys() == [1, 3], d.keys() != e.keys()
d = dict.fromkeys(x, 0); e = dict.fromkeys(range(n)); return d, e, dict.fromkeys((v for v in x), 1.5), next(iter(d)), next(iter(x))
d = dict.fromkeys(x[:0], 0); return next(iter(d))
return sorted([(1, [3]), (1, [2]), (0, [9])]), (1, x) == (1, [1, 2]), (1, x) < (1, [9]), (x, 1) >= (x, 0), (1, x) != (1, x)
"""

ARGUMENTS = [
    ("d.append(5); d.rotate(-1); return d", deque([1, 2, 3, 4], maxlen=3)),
    ("d.popleft(); raise ValueError(1)", deque([1, 2, 3])),
    ("d[0].append(5); d.append(d[0]); return d", deque([[1], [2]])),
    ("d[0].append(9); d.append(d[1]); return d", [deque([1]), deque([2, 3])]),
    ("d.append(2.5); return d", deque()),
    ("return len(d)", deque([(1, 2)])),
    ("d[2] = deque([5]); d[1].append(3); return d", {1: deque([1])}),
    ("c = d[1]; d[1] += 1; d.update([5, 5]); return d, c, d[77]", Counter([1, 1, 2])),
    ("d[1] += 1; return d", Counter()),
    ("d[1].append(4); d[7].append(1); return d", defaultdict(list, {1: [2]})),
    ("del d[5]; return d", defaultdict(int, {1: 2})),
    ("d.move_to_end(5); d[5].append(9); return d, list(d)", OrderedDict([(5, [1]), (2, [2])])),
    ("d[5] = 7; return list(d.items())", OrderedDict([(5, 1), (2, 2)])),
    ("return d, sum(d), [v for v in d]", frozenset([1, 2])),
]

# What is refused, and by which words.
REFUSED = [
    ("d = defaultdict(lambda: n); return d[0]", "uses variables of the function around it"),
    ("d = defaultdict(); return d[0]", "a defaultdict by None"),
    ("d = defaultdict(one); d[1]; return d", "returning defaultdict_of"),
    ("s = set(); s.add(set(x)); return s", "unhashable type: 'set'"),
    ("f = frozenset(x); f.add(3); return f", "has no attribute 'add'"),
    ("return deque(x, 5).maxlen", "no attribute 'maxlen'"),
    ("return deque(x)[1:2]", "sequence index must be integer, not 'slice'"),
    ("return +Counter(x)", r"unary \+"),
]


def made(body):
    text = HEAD + "    " + body.replace("\\n", "\n    ") + "\n"
    name = f"<collections {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def typed(v):
    """Values with their classes, and orders."""
    if isinstance(v, (list, tuple, deque)):
        more = v.maxlen if isinstance(v, deque) else 0
        return type(v).__name__, more, [typed(e) for e in v]
    if isinstance(v, (set, frozenset)):
        return type(v).__name__, sorted(map(repr, v))
    if isinstance(v, dict):
        more = v.default_factory if isinstance(v, defaultdict) else 0
        return type(v).__name__, more, [(typed(k), typed(e)) for k, e in v.items()]
    return (type(v).__name__, v.tolist()) if isinstance(v, np.ndarray) else repr(v)


def outcome(f, *args):
    try:
        return typed(f(*args))
    except Exception as e:
        text = str(e.args[0]) if e.args else ""
        return f"{type(e).__name__}: {text.splitlines()[:1]}"


@pytest.mark.parametrize("body", [b for b in (DEQUES + KEYED).strip().split("\n") if b])
def test_programs(body):
    f = made(body)
    want = outcome(f, 3, [4, 1, 2, 4])
    assert outcome(swathe.njit(f), 3, [4, 1, 2, 4]) == want


@pytest.mark.parametrize(("body", "argument"), ARGUMENTS)
def test_arguments(body, argument):
    text = HEAD.replace("def f(n, x)", "def f(d)") + "    " + body + "\n"
    name = f"<collections {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    a, b = copy.deepcopy(argument), copy.deepcopy(argument)
    want = outcome(names["f"], a)
    compiled = swathe.njit(names["f"])
    assert outcome(compiled, b) == want
    assert typed(b) == typed(a)
    assert outcome(compiled, copy.deepcopy(argument)) == want


def test_an_argument_that_is_returned_is_the_same_object():
    f = swathe.njit(lambda d: d)
    for d in (
        deque([1]),
        Counter([1]),
        OrderedDict([(1, 2)]),
        defaultdict(int, {1: 2}),
        defaultdict(list),
    ):
        assert f(d) is d


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_refused(body, words):
    with pytest.raises(swathe.CompileError, match=words):
        swathe.njit(made(body))(3, [4, 1, 2, 4])


@pytest.mark.parametrize("argument", [defaultdict(lambda: 5, {1: 2}), defaultdict(lambda: 5)])
def test_refused_arguments(argument):
    with pytest.raises(swathe.ArgumentTypeError, match="of a class of its own"):
        swathe.njit(lambda d: d)(argument)


def test_prints(capfd):
    body = (
        "print(deque(x), deque(x, 5), Counter([1, 2, 2]), OrderedDict([(1, 2)]), OrderedDict(), "
        "Counter(), frozenset([4]), frozenset(), defaultdict(int, {1: 2}))"
    )
    f = made(body)
    f(1, [1, 2])
    want = capfd.readouterr().out
    swathe.njit(f)(1, [1, 2])
    assert capfd.readouterr().out == want


def test_memory_is_let_go():
    body = (
        r"s = 0\nfor i in range(n):\n    d = deque()\n    for k in range(50): d.append([k]); "
        r"d.appendleft([i])\n    while len(d) > 9: s += d.popleft()[0] + d.pop()[0]\n    "
        r"d.rotate(3); d[0] = [1]; del d[2]; d.insert(1, [5]); d.extend([[4]] * 90); d.clear()\n"
        r"    m = defaultdict(list); m[i].append(1); m[2]\n    o = OrderedDict([(1, [2])]); "
        r"o[i + 2] = [1]; o.move_to_end(1); o.popitem(last=False)\nreturn s, d, m, o"
    )
    f = swathe.njit(made(body))
    f(3, [1])
    before = live()
    f(200, [1])
    assert live() == before


def told(q, c, o):
    d = defaultdict(list)
    n = defaultdict(int)
    before = str(q), f"{c}", repr(o), str(d)
    q.append(q[0])
    c[q[0]] += 5
    o[q[0]] = 0.5
    d[q[0]].append(1)
    n["x"] += 2
    after = str(q), f"{c!r}", "%s" % o, f"{d}", "{}".format(n), str([q]), repr((c, 1)), str(c + c)
    while q:
        q.popleft()
    return before, after, f"{q}", len(str(q))


@pytest.mark.parametrize("of", ["ab", [1, 2]], ids=range(2))
def test_texts_that_are_values(of):
    def args():
        return deque(of, 3), Counter(of), OrderedDict((k, 1.0) for k in of)

    assert swathe.njit(cache=False, opt_level=1)(told)(*args()) == told(*args())
