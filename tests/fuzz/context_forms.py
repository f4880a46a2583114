# SPDX-License-Identifier: BSD-3-Clause
"""Statements, and what stands around them, for `contexts`.

A statement reads n (an int), xs (a list of ints), d (a dict of ints), o (a Box), a (an array of
floats) and s (a text); it notes ints in the list r, may change all of them in place, and binds w
and names of its own only.
"""

from __future__ import annotations

ASSIGNED = (
    "w = n + 1",
    "w = t = n * 2\nr.append(t)",
    "w, t = n, n + 1\nw, t = t, w\nr.append(t)",
    "(w, t), u = (n, 2), s\nr.append(t)\nprint(u)",
    "w, *t = n, 1, 2\nprint(t)",
    "*t, w = [*xs, 7]\nprint(t)",
    "t, *u, w = range(n + 2)\nprint(t, u)",
    "t, u = xs\nw = t - u",
    "[t, u] = (n, s)\nprint(t, u)",
    "o.v = n + 5\nw = o.v",
    "o.v, w = n, o.v",
    "o.p = n\nw = o.p",
    "xs[0] = n + 9\nw = xs[0]",
    "xs[n], w = w, xs[n]",
    "xs[:1] = [n, n + 1]",
    "xs[1:] = []",
    "xs[::2] = [8] * len(xs[::2])",
    "xs[len(xs):] = xs[:1]",
    "d[n] = n * 3\nw = d[n]",
    "d[n], d[n + 1] = 1, 2",
    "o[n] = 4\nw = o[n]",
    "o.items[0] = n",
    "i = 0\ni, xs[i] = 1, n",
    "a[n] = 2.5\na[:2] = a[2:]",
    "a[a > 1.5] = 0.5",
    "t: int = n + 3\nw = t",
    "w: int = 4",
    "t = xs\nt.append(n)\nw = len(xs)",
    "t = a[1:]\nt[0] = 9.5\nw = int(a[1])",
    "t = u = []\nt.append(n)\nr.append(len(u))",
    "t = (u := n + 1) + u\nw = t",
    "t = n if n > 1 else None\nprint(t)",
    "t = s if n > 1 else 'z'\nprint(t + t)",
    "t = 1.5 if n > 1 else n\nprint(t + 0.25)",
    "t = n > 1 and xs\nprint(t)",
    "t = xs or [n]\nt.append(3)",
    "t = None\nif n > 1:\n    t = o\nprint(t is None)",
)
AUGMENTED = (
    "w += n",
    "w -= n\nw *= 3\nw //= 2\nw %= 5",
    "w <<= 1\nw |= n\nw ^= 3\nw &= 6\nw >>= 1",
    "w **= 2",
    "o.v += n\nw = o.v",
    "o.p += 2\nw = o.v",
    "xs[0] += n",
    "xs[n] *= 2",
    "xs += [n]",
    "xs *= 2",
    "xs[1:] += [n, 5]",
    "d[n] += 1",
    "d[1] -= n",
    "d |= {n: 1}",
    "o[n] += 6",
    "o.items += [n]",
    "a += 1.5",
    "a[1:] *= 2.0",
    "a[n] -= 0.5",
    "a[a > 1] += 1",
    "t = s\nt += str(n)\nprint(t)",
    "t = (1,)\nt += (n,)\nprint(t)",
    "t = {n}\nt |= {1, n}\nw = len(t)",
    "o += n\nw = o.v",
    "u = a\nu += 1.0\nw = int(a[0])",
    "xs[step(r)] += step(r)",
)
DELETED = (
    "t = n\ndel t\nw = 3",
    "if n > 1:\n    t = 4\nw = t",
    "t = n\nif n > 1:\n    del t\nw = t",
    "for t in xs:\n    pass\nw = t",
    "del xs[0]",
    "del xs[n:]",
    "del xs[::2]",
    "del d[n]",
    "del d[1], xs[-1]",
    "t, u = 1, 2\ndel t, u\nw = n",
    "del o.items[:1]",
    "del o[n]",
)
LOOPS = (
    "for t in xs:\n    w += t\nelse:\n    r.append(w)",
    "for t in xs:\n    if t > n:\n        break\n    w += 1\nelse:\n    w = -1",
    "for t in range(n):\n    if t == 1:\n        continue\n    r.append(t)",
    "for i, t in enumerate(xs, 1):\n    w += i * t",
    "for t, u in zip(xs, s):\n    print(t, u)",
    "for t in d:\n    w += t",
    "for t, u in d.items():\n    w += t * u\n    d[t] = w",
    "for t in d.values():\n    r.append(t)",
    "for t in s:\n    print(t)",
    "for t in count(n):\n    r.append(t)",
    "for t in a:\n    w += int(t)",
    "for t in (1, n, 3):\n    w += t",
    "for t in (1, s, 2.5):\n    print(t)",
    "for t in o:\n    w += t",
    "for t in {n, n}:\n    w += t",
    "for t in reversed(xs):\n    w = w * 3 + t",
    "for t in sorted(xs, reverse=True):\n    r.append(t)",
    "for t in [u * 2 for u in xs]:\n    w += t",
    "for t in (u * 2 for u in xs):\n    w += t",
    "for t in map(lambda u: u + n, xs):\n    w += t",
    "for t, *u in [(1, 2, 3), (n, 5, 6)]:\n    w += t + len(u)",
    "for xs[0] in range(n):\n    w += xs[0]",
    "for o.v in range(n):\n    w += o.v",
    "for d[9] in range(n):\n    pass",
    "for t in range(n):\n    for u in range(t):\n        if u == 1:\n            break\n"
    "        w += u\n    else:\n        continue\n    r.append(t)",
    "for t in list(xs):\n    xs.append(t)",
    "for t in xs:\n    if len(xs) < 6:\n        xs.append(t)",
    "for t in range(3):\n    w += t\n    t = 9\nr.append(t)",
    "while w < n:\n    w += 1\nelse:\n    r.append(w)",
    "t = n\nwhile t:\n    t -= 1\n    if t == 1:\n        break\nelse:\n    w = 8",
    "while True:\n    w += 1\n    if w > 3:\n        break",
    "while (t := len(xs)) and n:\n    xs.pop()\n    w += t",
    "t = iter(xs)\nw = next(t, 5)\nfor u in t:\n    w += u",
    "t = count(n)\nw = next(t)\nr.extend(t)",
    "for t in range(2):\n    def k(q, b=t):\n        return q + b + t\n    w += k(n)",
    "for t in prange(n):\n    w += t",
    "for t in prange(len(a)):\n    a[t] += t",
)
TRIED = (
    "try:\n    w = xs[n]\nexcept IndexError:\n    w = -1",
    "try:\n    w = d[n]\nexcept KeyError as e:\n    r.append(e.args[0])\nelse:\n    r.append(3)",
    "try:\n    w = 6 // n\nexcept (IndexError, ZeroDivisionError):\n    w = 0\nfinally:\n"
    "    r.append(w)",
    "try:\n    xs[n] = 1\nfinally:\n    r.append(5)",
    "try:\n    raise Fault(n)\nexcept Fault as e:\n    print(e)",
    "try:\n    try:\n        raise ValueError('a', n)\n    finally:\n        r.append(1)\n"
    "except ValueError as e:\n    print(e.args)",
    "try:\n    try:\n        raise KeyError(n)\n    except KeyError as e:\n"
    "        raise Fault('b') from e\nexcept Fault as e:\n    print(e, e.__cause__ is None)",
    "try:\n    w = xs[n]\nexcept LookupError:\n    raise Fault(n) from None",
    "try:\n    w = xs[n]\nexcept IndexError:\n    r.append(1)\n    raise",
    "raise Fault('x', n)",
    "if n > 1:\n    raise ValueError(f'{n=}')",
    "assert n < 2",
    "assert n < 2, f'large {n}'",
    "for t in range(3):\n    try:\n        if t == n:\n            break\n        continue\n"
    "    finally:\n        r.append(t)",
    "for t in xs:\n    try:\n        w += 6 // t\n    except ZeroDivisionError:\n        continue\n"
    "    else:\n        r.append(t)",
    "while True:\n    try:\n        w += xs[w]\n    except IndexError:\n        break",
    "with o as t:\n    w = t.v",
    "with o:\n    w = xs[n]",
    "with Quiet(n) as t, o:\n    w = xs[n]",
    "with Quiet(n):\n    raise Fault(n)",
    "for t in range(2):\n    with o:\n        if t == n:\n            break",
    "try:\n    t = n\n    w = xs[t]\n    t = 9\nexcept IndexError:\n    w = t",
    "try:\n    pass\nfinally:\n    w = 4",
    "e = 1\ntry:\n    raise Fault\nexcept Fault as e:\n    pass\nw = e",
    "t = 0\ntry:\n    t = 1\n    down(n)\n    t = 2\nexcept Fault:\n    r.append(t)",
    "w = held(n, r)",
)
MATCHED = (
    "match n:\n    case 0:\n        w = 5\n    case 1 | 2:\n        w = 6\n    case _:\n"
    "        w = 7",
    "match n:\n    case t if t > 1:\n        w = t",
    "match xs:\n    case []:\n        w = 1\n    case [t]:\n        w = t\n    case [t, *u]:\n"
    "        w = t + len(u)",
    "match (n, s):\n    case (0, _):\n        w = 3\n    case (t, 'ab'):\n        w = t",
    "match s:\n    case 'ab' as t:\n        print(t)\n    case '':\n        w = 2",
    "match d:\n    case {1: t, **u}:\n        w = t + len(u)\n    case {}:\n        w = 9",
    "match o:\n    case Box(v=0):\n        w = 1\n    case Box(v=t, items=[u, *_]):\n"
    "        w = t + u",
    "match n, n + 1:\n    case 1, t:\n        w = t\n    case [_, 3 | 4 as t]:\n        w = -t",
    "match n:\n    case int():\n        w = 2\n    case str():\n        w = 3",
    "match len(xs):\n    case 2:\n        r.append(2)",
)
INNER = (
    "def k(q):\n    return q + n\nw = k(2)",
    "def k(q=n, *, b=2):\n    return q * b + w\nw += 1\nw = k()",
    "def k():\n    r.append(n)\nk()\nk()",
    "def k():\n    yield n\n    yield w\nw = sum(k())",
    "def k(*q, **b):\n    return len(q) + len(b)\nw = k(*xs, 1, z=2, **{'y': 3})",
    "def k(m):\n    return 1 if m < 1 else m * k(m - 1)\nw = k(n)",
    "def k(f):\n    return f(n)\nw = k(lambda q: q + w)",
    "@twice\ndef k(q):\n    return q + 1\nw = k(n)",
    "k = lambda q: q * n\nw = k(3)",
    "ks = [lambda q: q + n, lambda q: q - n]\nw = ks[0](1) + ks[1](2)",
    "def k():\n    def h():\n        return w + n\n    return h\nw = k()()",
    "t = [lambda: u for u in range(2)]\nw = t[0]()",
    "def k():\n    t = n\n    def h():\n        nonlocal t\n        t += 1\n        return t\n"
    "    return h() + h() + t\nw = k()",
    "t = 5\ndef k():\n    return t\nt = n\nw = k()",
    "w = total(*xs[:2])",
    "w = total(*(1, n))",
    "w = total(b=n, a=2)",
    "w = total(**{'a': n})",
    "w = tick(n)",
    "r.append(tick(1) + tick(2))",
    "w = sum(q * q for q in xs if q > n)",
    "w = [q + w for q in xs if (t := q) > 0][0]",
    "t = {q: q + n for q in xs}\nprint(t)",
    "t = {q % 2 for q in xs}\nw = len(t)",
    "t = [(q, u) for q in range(2) for u in range(q + n)]\nprint(t)",
    "t = [[u for u in range(q)] for q in xs[:2]]\nprint(t)",
    "w = max((q for q in xs), default=n)",
    "w = min(xs, key=lambda q: -q)",
    "w = int(1 < n <= len(xs) < 9)",
    "w = int(0 <= n < 2 != w)",
    "w = 5 if n else (6 if xs else 7)",
    "print(f'{n=} {w:>3} {s!r:^6}')",
    "print(f'{n:{w}d}|{xs}|{o.v + 1:02d}')",
    "print(f'{[q for q in xs]} {d}')",
    "w = (t := n) + t",
    "if (t := len(xs)) > 1:\n    w = t",
    "w = step(r) + step(r) * step(r)",
    "xs.append(xs.pop(0))",
    "xs.sort(key=lambda q: (q % 2, q))",
    "w = o(n)",
    "w = int(o == Box(n))",
    "w = int(n in o)",
    "w = len(o) if o else -1",
    "print(o)",
    "t = sorted(d.items())\nprint(t)",
    "a[:] = np.where(a > n, a, -a)",
    "w = int((a * 2 + 1).sum())",
    "pass",
    "...",
    "print(*xs, sep='-', end='!\\n')",
)
# which leave the function, or the loop, in which they stand
LEFT = (
    "return -1, n",
    "if n > 1:\n    return n, 2\nw = 3",
    "for t in xs:\n    if t == n:\n        return t, 1",
    "for t in xs:\n    try:\n        return t, 4\n    finally:\n        r.append(t)",
    "try:\n    return xs[n], 0\nexcept IndexError:\n    return -2, 0\nfinally:\n    r.append(6)",
    "try:\n    return n, 3\nfinally:\n    if n > 1:\n        return 8, 8",
    "for t in range(n):\n    try:\n        raise Fault\n    finally:\n        break",
    "with o:\n    return n, 7",
    "while True:\n    for t in range(3):\n        if t == n:\n            return t, w\n"
    "    w += 1\n    break",
    "match n:\n    case 0 | 1:\n        return 5, 5\nw = 2",
    "with Quiet(n):\n    return xs[n], 2",
    "def k():\n    return n, 1\nreturn k()",
)
YIELDED = (
    "yield n",
    "for t in xs:\n    yield t",
    "for t in xs:\n    yield t\n    if t > n:\n        return",
    "yield from xs",
    "yield from count(n)",
    "try:\n    yield xs[n]\nexcept IndexError:\n    yield -1\nfinally:\n    r.append(2)",
    "with o as t:\n    yield t.v",
    "w = 5\nyield w\nw += 1\nyield w",
    "for t in range(n):\n    try:\n        if t == 1:\n            continue\n        yield t\n"
    "    finally:\n        r.append(t)",
    "t = yield n\nprint(t)",
    "match n:\n    case 0:\n        yield 3\n    case _:\n        yield 4",
    "while w < 4:\n    yield w\n    w += n + 1\nelse:\n    yield 9",
    "if n:\n    yield (t := n)\n    yield t + 1",
    "a[0] = n\nyield int(a[0])\na[0] += 1",
)
STATEMENTS = ASSIGNED + AUGMENTED + DELETED + LOOPS + TRIED + MATCHED + INNER + LEFT
# What stands around a statement: <S> is it, indented as that line.
AROUND = (
    "<S>",
    "if n > 1:\n    <S>\nelse:\n    w = 2",
    "if n < 1:\n    r.append(0)\nelif n < 3:\n    <S>",
    "for q1 in range(n):\n    <S>",
    "for q1 in range(2):\n    r.append(q1)\n    <S>\n    r.append(w)",
    "for q1 in xs[:2]:\n    <S>\nelse:\n    r.append(4)",
    "for q1 in (1, 2):\n    if q1 == n:\n        continue\n    <S>",
    "for q1 in []:\n    <S>",
    "q1 = 0\nwhile q1 < n:\n    q1 += 1\n    <S>",
    "while True:\n    <S>\n    break",
    "try:\n    <S>\nexcept (IndexError, ZeroDivisionError):\n    r.append(-7)",
    "try:\n    <S>\nexcept Exception as e1:\n    print(e1)",
    "try:\n    r.append(xs[n])\nexcept IndexError:\n    <S>",
    "try:\n    r.append(xs[n])\nexcept IndexError as e1:\n    <S>\nelse:\n    r.append(8)",
    "try:\n    r.append(1)\nelse_:\n    <S>",
    "try:\n    w = 3\nfinally:\n    <S>",
    "try:\n    w = xs[n]\nexcept IndexError:\n    w = 5\nfinally:\n    <S>",
    "try:\n    <S>\nfinally:\n    r.append(w)",
    "with o:\n    <S>",
    "with Quiet(n) as q1:\n    <S>",
    "match n:\n    case 0:\n        r.append(5)\n    case q1:\n        <S>",
    "match xs:\n    case [q1, *_]:\n        <S>\n    case _:\n        w = 4",
    "if n > 2:\n    return 1, 1\n<S>",
    "if n > 2:\n    raise Fault(n)\n<S>",
    "if n > 1:\n    w = 1\n    <S>\nelse:\n    <S>",
    "<S>\n<S>",
    "<S>\nw += 1\nif n:\n    <S>",
    "xs = xs[:]\n<S>",
    "xs = [n, *xs]\nn = 2\n<S>",
    "ys = xs\n<S>\nr.append(len(ys))",
    "b = a[::-1]\n<S>\nr.append(int(b[0]))",
    "c = o\n<S>\nr.append(c.v)",
    "if n:\n    w = 2\nelse:\n    del w\n<S>",
    "for q1 in range(3):\n    for q2 in range(q1):\n        <S>\n    if q1 == n:\n        break",
)
# Where that stands: a function `fuzzed`, and what it calls. <P>: what a statement may use.
GIVEN = "n, xs, d, o, a, s, r"
HOSTS = (
    "def fuzzed(n, xs, d, s):\n    o, a, r, w = Box(n), np.arange(5.0), [0], 1\n    <S>\n"
    "    return w, r, xs, d, o.v, o.items, a, n",
    "def work(<P>):\n    w = 1\n    <S>\n    return w, n\n",
    "def work(<P>, w=2):\n    r.append(9)\n    <S>\n    return w, 0\n",
    "def work(<P>):\n    def inner(<P>):\n        w = 3\n        <S>\n        return w, 1\n"
    "    return inner(<P>)\n",
    "def work(<P>):\n    w = 1\n    def inner():\n        nonlocal w\n        <S>\n"
    "        return w, 2\n    t = inner()\n    return t[0] + w, t[1]\n",
    "def work(<P>):\n    w = 1\n    def inner(m):\n        nonlocal w\n        if m > 0:\n"
    "            return inner(m - 1)\n        <S>\n        return w, 2\n    return inner(2)\n",
    "class Host:\n    def __init__(self, k):\n        self.k = k\n\n    def go(self, <P>):\n"
    "        w = self.k\n        <S>\n        self.k = w\n        return w, self.k\n\n\n"
    "def work(<P>):\n    return Host(n).go(<P>)\n",
    "class Host:\n    def __init__(self, <P>):\n        w = 1\n        self.k = 1\n        <I>\n"
    "        self.w = w\n\n\ndef work(<P>):\n    h = Host(<P>)\n    return h.w, h.k\n",
    "class Host:\n    def __init__(self, <P>):\n        self.all = (<P>)\n\n    @property\n"
    "    def it(self):\n        <P> = self.all\n        w = 1\n        <S>\n        return w, 1\n"
    "\n\ndef work(<P>):\n    return Host(<P>).it\n",
    "class Host:\n    def __init__(self, <P>):\n        self.all = (<P>)\n\n"
    "    def __eq__(self, other):\n        <P> = self.all\n        w = 1\n        <I>\n"
    "        return w == 1\n\n\ndef work(<P>):\n    return int(Host(<P>) == Host(<P>)), 1\n",
    "class Host:\n    @staticmethod\n    def go(<P>):\n        w = 1\n        <S>\n"
    "        return w, 4\n\n\ndef work(<P>):\n    return Host.go(<P>)\n",
    "class Host:\n    @classmethod\n    def go(cls, <P>):\n        w = 1\n        <S>\n"
    "        return w, 4\n\n\ndef work(<P>):\n    return Host.go(<P>)\n",
    "def part(<P>):\n    w = 1\n    <S>\n    return w, n\n\n\ndef work(<P>):\n    w = 0\n"
    "    for m in range(2):\n        w += part(<P>)[0]\n    return w, 1\n",
    "def part(<P>):\n    w = 1\n    <S>\n    return w, n\n\n\ndef work(<P>):\n"
    "    t = [part(m, xs, d, o, a, s, r)[0] for m in range(n)]\n    return sum(t), 1\n",
    "def part(<P>):\n    w = 1\n    <S>\n    return w, n\n\n\ndef work(<P>):\n    try:\n"
    "        return part(<P>)\n    except Fault:\n        return -5, 5\n    finally:\n"
    "        r.append(n)\n",
    "def work(<P>, m=2):\n    w = m\n    if m > 0:\n        u1 = work(<P>, m - 1)\n"
    "        w += u1[0]\n    <S>\n    return w, m\n",
    "def part(f, <P>):\n    return f(<P>)\n\n\ndef body(<P>):\n    w = 1\n    <S>\n"
    "    return w, n\n\n\ndef work(<P>):\n    return part(body, <P>)\n",
    "def work(<P>):\n    w = 1\n    k1 = 0\n    def part(q=n, *more):\n        nonlocal w, k1\n"
    "        k1 += q\n        <S>\n        return w, 3\n    part()\n    part(1, 2)\n"
    "    return w, k1\n",
    "def each(<P>):\n    w = 1\n    yield 70\n    <I>\n    yield w\n\n\ndef work(<P>):\n"
    "    for q in each(<P>):\n        r.append(q)\n    return 1, 1\n",
    "def each(<P>):\n    w = 1\n    <I>\n    yield w\n    <I>\n    yield w\n\n\ndef work(<P>):\n"
    "    return sum(each(<P>)), 1\n",
    "def each(<P>):\n    w = 1\n    for m in range(2):\n        <I>\n        yield w\n\n\n"
    "def work(<P>):\n    g = each(<P>)\n    t = next(g)\n    return t, next(g, 5)\n",
    "def each(<P>):\n    w = 1\n    try:\n        yield 1\n        <I>\n    finally:\n"
    "        r.append(11)\n    yield w\n\n\ndef work(<P>):\n    return len(list(each(<P>))), 1\n",
    "def work(<P>):\n    a1 = np.zeros(3)\n    for m in prange(3):\n        a1[m] = part(m)\n"
    "    return a1.sum(), 1\n\n\ndef part(n):\n    xs, d, o, a, s, r = [3, 0], {1: 2}, Box(n), "
    "np.arange(5.0), 'ab', [0]\n    w = 1\n    <I>\n    return w\n",
    "K = 3\n\n\ndef work(<P>):\n    w = K\n    <S>\n    return w + K, 1\n",
    "def work(<P>):\n    <S>\n    return w, 1\n",
    "def work(<P>):\n    w = None\n    if n:\n        w = 1\n        <S>\n"
    "    return 0 if w is None else w, 1\n",
)
MAKERS = (
    "def each(<P>):\n    w = 1\n    <S>\n\n\ndef work(<P>):\n    return list(each(<P>)), 1\n",
    "def each(<P>):\n    w = 1\n    yield 1\n    <S>\n    yield w\n\n\ndef work(<P>):\n    t = 0\n"
    "    for q in each(<P>):\n        t = t * 3 + q\n        if t > 50:\n            break\n"
    "    return t, 1\n",
    "def work(<P>):\n    w = 1\n    def each():\n        nonlocal w\n        <S>\n"
    "    t = [*each()]\n    return t, w\n",
    "class Host:\n    def __init__(self, <P>):\n        self.all = (<P>)\n\n"
    "    def __iter__(self):\n        <P> = self.all\n        w = 1\n        <S>\n\n\n"
    "def work(<P>):\n    return sum(Host(<P>)), 1\n",
    "def each(<P>):\n    w = 1\n    <S>\n\n\ndef work(<P>):\n    g = each(<P>)\n"
    "    t = next(g, -9)\n    return t, sum(g)\n",
)
CALL = (
    "\n\ndef fuzzed(n, xs, d, s):\n    o, a, r = Box(n), np.arange(5.0), [0]\n"
    "    v = work(n, xs, d, o, a, s, r)\n    return v, r, xs, d, o.v, o.items, a, n\n"
)
