# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""itertools, functools, bisect, operator and heapq, generator expressions in variables, and what is
asked of numbers: programs that return what CPython returns, or raise what it raises."""

from __future__ import annotations

import linecache

import pytest

import swathe

HEAD = """
import bisect, functools, heapq, itertools, math, operator
from collections import Counter, OrderedDict, deque
from functools import cache, lru_cache, partial, reduce
from itertools import *
import numpy as np
def h(a, b, c=1):
    return a * 100 + b * 10 + c
def gen(x):
    for v in x:
        yield v * 2
@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def f(n, x):
"""

PROGRAMS = r"""
return list(accumulate(x)), list(itertools.accumulate(x, operator.mul)), list(accumulate(x, initial=10)), list(accumulate(x, max)), list(accumulate((v * v for v in x), lambda a, b: a - b, initial=2)), list(accumulate(x[:0]))
return list(chain(x, range(3))), [v for v in chain.from_iterable([x, x])], list(chain(x)), list(chain([1], (2, 3), {7: 1}, (v for v in x if v > 2))), list(chain(x[:0], x[:0]))
return list(combinations(x, 2)), list(permutations(x, 2)), list(combinations_with_replacement(x, 2)), list(product(x, x[:2])), list(product(x[:2], repeat=3)), list(combinations(x[:1], 3)), list(permutations((1.5, 2.5), 2)), list(combinations(x[:0], 2)), list(product(x, x[:0]))
s = 0\nfor a, b in combinations(range(5), 2):\n    if a == 2: break\n    if b == 3: continue\n    s += a * 10 + b\nelse: s += 1000\nfor v in cycle([1, 2, 3]):\n    s += v\n    if s > 200: break\nfor i in count(10):\n    if i > 15: break\n    s += i\nfor i in repeat(4, 3): s += i\nfor i in islice(count(1, 3), 2, 9, 3): s += i\nfor i in takewhile(lambda v: v < 20, count(5)): s += i\nfor a, b, c in product(range(2), [1.5, 2.5], (7, 8)): s += a * b * c\nreturn s
return list(islice(x, 2)), list(islice(x, 1, None)), list(islice(x, 0, 9, 2)), list(islice((v for v in x), 1, 3)), list(islice(cycle(x), 9)), list(islice(islice(x, 3), 2)), list(islice(x, None)), list(islice(x, 0))
return list(islice(x, -1))
return list(islice(x, 0, 4, n - n))
return list(takewhile(lambda v: v < 3, x)), list(dropwhile(lambda v: v < 3, x)), list(filterfalse(lambda v: v < 3, x)), list(compress(x, [1, 0, 1, 0])), list(filterfalse(None, [0, 1, 2])), list(compress(x, (v % 2 for v in x))), list(dropwhile(lambda v: v > 3, map(lambda v: v + 1, x)))
return [(k, list(g)) for k, g in groupby(sorted(x), key=lambda v: v // 2)], [k for k, _ in groupby(x)], {k: len(list(g)) for k, g in groupby(x, lambda v: v % 2)}, [(k, sum(g)) for k, g in groupby(x[:0])], max(len(list(g)) for _, g in groupby([1, 1, 1, 2]))
return list(zip_longest(x, x[:2], fillvalue=0)), list(zip_longest(x, x[:2])), list(pairwise(x)), sum(b - a for a, b in pairwise(v * v for v in x)), list(starmap(pow, [(2, 3), (3, 2)])), list(starmap(h, zip(x, x))), list(zip_longest(x, x[:1], x[:2], fillvalue=-1))
it = accumulate(x); a = next(it); b = list(it); c = count(3); d = [next(c), next(c)]; jt = islice(x, 2); return a, b, d, sum(jt)
return list(zip(count(), x)), list(zip(x, count(10, -2))), [i * v for i, v in zip(count(1), x)], list(enumerate(accumulate(x))), list(zip(accumulate(x), x)), list(zip(x, repeat(3, 4)))
s = 0\nfor a in accumulate(islice(cycle(x), 7)): s += a\nfor a, b in pairwise(chain(x, islice(count(), 3))): s += a * b\nfor i, (a, b) in enumerate(combinations(x, 2)): s += i * a * b\nfor k, g in groupby(chain(x, x), key=lambda v: v % 2):\n    for v in g: s += k * v\nreturn s
return sum(accumulate(x)), max(accumulate(x)), any(a == b for a, b in combinations(x, 2)), all(a < b for a, b in combinations(x, 2)), sorted(chain(x, x)), dict(zip(x, accumulate(x))), next(p for p in permutations(x, 2) if sum(p) == 7), np.array(list(accumulate(x))), min(product(x, x), key=lambda t: abs(t[0] * t[1] - 7)), {a + b for a, b in combinations(x, 2)} == {5, 3, 6, 8}, [[a for a in chain(x, [b])] for b in x], [a for b in x for a in repeat(b, b)]
return list(accumulate(gen(x))), list(islice(gen(x), 2)), sum(chain(gen(x), x)), reduce(operator.add, gen(x)), deque(gen(x)), Counter(gen(x)), OrderedDict((v, 1) for v in gen(x))
return reduce(lambda a, b: a * b, x), reduce(operator.add, x, 10), functools.reduce(max, x), reduce(lambda a, b: a + b, (v * 2 for v in x)), reduce(math.gcd, [12, 18]), reduce(lambda a, b: a + [b], x, [0])
return reduce(lambda a, b: a + b, x[:0])
g = partial(h, 1); k = partial(max, 2); return g(2), g(3, 4), k(1), k(9), list(map(partial(operator.add, 10), x)), [partial(pow, 2)(v) for v in x]
t = [(1, 5), (2, 3)]; return sorted(t, key=operator.itemgetter(1)), max(t, key=operator.itemgetter(0)), [operator.itemgetter(1, 0)(v) for v in t], list(map(operator.itemgetter(1), t)), operator.contains(x, 4), operator.concat(x, x), operator.indexOf(x, 2), operator.countOf(x, 4), list(map(operator.mul, x, x))
a = [1, 5, 5, 9, 13]; r = [(bisect.bisect_left(a, v), bisect.bisect_right(a, v), bisect.bisect(a, v, 1, 3)) for v in range(15)]; bisect.insort(a, 7); bisect.insort_left(a, 5, 1, 3); t = [(5, 1), (3, 2), (1, 3)]; bisect.insort(t, (4, 9), key=lambda p: -p[0]); return r, a, t, bisect.bisect_left((1, 2, 3), 2), bisect.bisect_left(np.array([1.5, 2.5]), 2.0), bisect.bisect_right(t, -3, key=lambda p: -p[0])
return bisect.bisect_left(x, 3, -n)
return bisect.bisect_left(x, 30, 0, 70)
t = [(i * 7 % 5, i) for i in range(5)]; return heapq.nsmallest(2, t), heapq.nlargest(2, t, key=lambda p: p[1]), heapq.nsmallest(0, t), heapq.nlargest(99, x), heapq.nsmallest(2, (v for v in x)), list(heapq.merge([1, 4], [2, 3], [0])), [v for v in heapq.merge([3, 1], [2], reverse=True)]
@functools.lru_cache(maxsize=None)\ndef ways(i, j):\n    if i == 0 or j == 0: return 1\n    return ways(i - 1, j) + ways(i, j - 1)\n@cache\ndef climb(k):\n    if k <= 1: return 1\n    s = 0\n    for a in (1, 2): s += climb(k - a)\n    return s\n@lru_cache\ndef lcs(i, j):\n    if i == 9 or j == 9: return 0.0\n    if (i * 7) % 5 == (j * 3) % 5: return 1.0 + lcs(i + 1, j + 1)\n    return max(lcs(i + 1, j), lcs(i, j + 1))\nreturn ways(12, 12), climb(50), lcs(0, 0)
calls = [0]\n@cache\ndef g(k, flag=False):\n    calls[0] += 1\n    if k == 0: return (0, 1)\n    if k < 0: raise ValueError(k)\n    a, b = g(k - 1, not flag)\n    return (a + 1, b * 2 if flag else b)\ns = 0\nfor i in range(3):\n    try: s += g(i - 1)[0]\n    except ValueError: s += 100\nreturn g(9), calls[0] > 9, s
return [pow(a, b, m) for a in (-7, 0, 3, 10**9) for b in (0, 1, 5, 1000000) for m in (1, -1, 7, -7, 998244353, 2**62 - 1)], pow(n, -1, 11), pow(n, -3, -11), pow(True, 5, 3)
return pow(3, 4, n - n)
return pow(n, -1, 9)
return n.bit_length(), (-n).bit_length(), (n - n).bit_length(), (n * 1000003).bit_count(), (-(2**63)).bit_length(), True.bit_length(), (n * 0.5).is_integer(), float('nan').is_integer(), float('inf').is_integer(), (1e300).is_integer(), (2.0**52 + 0.5).is_integer(), [(2**k - 1).bit_length() for k in range(n)]
return math.prod(x), math.prod([1.5, 2.0]), math.fsum([.1] * 10), math.prod(range(1, 10)), math.prod([2, 3], start=4), math.prod(v for v in [1.5, 2]), math.dist([1.0, 2.0], x[:2]), math.prod({2, 3}), math.fsum(v * .1 for v in x), math.prod(x[:0])
return math.dist([1.0, 2.0], x)
m = map(lambda v: v * 2, x); r = []\nfor v in m: r.append(v)\ng = filter(lambda v: v > 1, map(lambda v: v + 1, x)); k = 2; e = (v * k for v in x); k = 5; x.append(9); return r, list(g), sum(e)
g = (v * k for v in x for k in x); x = [100]; return sum(g)
best = 10**9; path = []\nfor p in permutations(range(n + 1)):\n    cost = x[p[0]]\n    for a, b in zip(p, p[1:]): cost += (a + 1) * x[b]\n    if cost < best: best, path = cost, list(p)\nreturn best, path, [len(q) for q in permutations(x[:0])], [sum(q[:2]) for q in permutations(x)][:5]
return [sum(c) for c in combinations(x, n - 1)], [max(c) - min(c) for c in combinations_with_replacement(x, n - 1)], [2 in c for c in combinations(x, n)], [len(c) for c in combinations(x, n * 2)], [len(c) for c in combinations(x, n - n)], sum(1 for c in combinations(x, n) if len(set(c)) < n)
return max(sum(v for v, t in zip(x, bits) if t) for bits in product([0, 1], repeat=n + 1)), [list(reversed(b)) for b in product("ab", repeat=n - 1)], ["".join(p) for p in permutations("abc")], sorted(set("".join(p) for p in permutations("aab", n)))
return [p for p in permutations([1, 2, 3])], [p for p in permutations((n, 15))], min(abs(p[0] - p[-1]) for p in permutations(x, n))
s = "b , A, c"; g = str.upper; return list(map(str.strip, s.split(","))), sorted(s.split(","), key=str.lower), [w for w in filter(str.isalpha, s)], any(map(str.isdigit, s)), max(s.split(","), key=str.strip), str.join("-", ["a", "b"]), str.zfill("1", 3), list(map(str.split, s.split(","))), g(s), [h(s) for h in (str.lower, str.title)]
d = {"a": 3, "b": 1, "c": n}; t = [(1, "z"), (0, "y")]; t.sort(key=operator.itemgetter(1)); return min(d.items(), key=operator.itemgetter(1)), sorted(d.items(), key=operator.itemgetter(1), reverse=True), list(map(operator.itemgetter(0), d.items())), t, max(t, key=operator.itemgetter(-2)), max(d.items(), key=operator.itemgetter(-1))
a = (1, -n, 2.5); b = (n, 2); return tuple(v * 2 for v in a), tuple([v + 1 for v in a]), tuple(map(abs, a)), tuple(v - 1 for v in b), tuple(i * v for i, v in enumerate(b)), tuple(i + n for i in range(3)), tuple(p * q for p, q in zip(a, (1, 2, 3)))
for c in combinations(x, n - 4): return 1
for c in product(x, repeat=n - 4): return 1
""".strip().split("\n")

# What is refused, and by which words.
REFUSED = [
    ("return list(batched(x, 2))" if hasattr(__import__("itertools"), "batched") else
     "return tee(x)", "batched|tee"),
    ("return sorted(x, key=operator.attrgetter(str(n)))", "attrgetter takes names"),
    ("return sorted(x, key=operator.methodcaller('a', n))", "methodcaller takes constants"),
    ("return fib.cache_info()", "no attribute 'cache_info'"),
    ("return partial(h, zz=2)(1, 2)", "no argument named 'zz'"),
    ("return pow(n, 2.0, 3)", "unless all arguments are integers"),
]  # fmt: skip


def made(body):
    text = HEAD + "    " + body.replace("\\n", "\n").replace("\n", "\n    ") + "\n"
    name = f"<itertools {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def outcome(f):
    try:
        return repr(f(3, [4, 1, 2, 4]))
    except Exception as e:
        text = str(e.args[0]) if e.args else ""
        return f"{type(e).__name__}: {text.splitlines()[:1]}"


@pytest.mark.parametrize("body", PROGRAMS)
def test_programs(body):
    f = made(body)
    assert outcome(swathe.njit(f)) == outcome(f)


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_refused(body, words):
    with pytest.raises(swathe.CompileError, match=words):
        swathe.njit(made(body))(3, [4, 1, 2, 4])
