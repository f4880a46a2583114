# SPDX-License-Identifier: BSD-3-Clause
"""Lists: each function here does what CPython does, to its result, its arguments and its error."""

from __future__ import annotations

import copy
import itertools
import linecache
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from live_memory import live

import swathe


def outcome(f, args):
    try:
        return "ok", f(*args)
    except swathe.errors.TypingError:
        raise
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0]


def check(f, *args):
    plain, ours = copy.deepcopy(args), copy.deepcopy(args)
    want, got = outcome(f, plain), outcome(swathe.njit(f), ours)
    if "not in list" in repr(want):  # whose text is another in each version of CPython
        got, want = got[0], want[0]
    assert repr(got) == repr(want)
    assert repr(ours) == repr(plain)


INTS = [5, 1, 4, 1, -3]
KINDS = {
    "int": INTS,
    "float": [0.5, -0.0, 2.0, float("inf")],
    "bool": [True, False, True],
    "complex": [1 + 2j, 2j, 2j],
    "pairs": [(1, 0.5), (1, 0.25), (-1, 3.0)],
    "nested": [[1, 2], [], [3]],
    "deep": [(1, (True, 2.0)), (0, (False, 1.0))],
    "float32": list(np.array([1.5, 2.5, -1], np.float32)),
    "uint8": list(np.array([1, 255], np.uint8)),
}


def insert(x, i, v):
    x.insert(i, v)
    return x


def pop_at(x, i):
    return x.pop(i)


def pop(x):
    return x.pop()


def read(x, i):
    return x[i]


def write(x, i, v):
    x[i] = v


def cut(x, a, b, c):
    return x[a:b:c]


def delete_slice(x, a, b, c):
    del x[a:b:c]
    return x


def delete(x, i):
    del x[i]


def every(x):
    y = x.copy()
    y.extend(x)
    y.reverse()
    z = x + y
    z *= 2
    y.clear()
    return y, z, x * 2, x[0] in x, x == z, x == x.copy(), len(z), not y


def remove(x, v):
    x.remove(v)
    return x, x.count(v)


def index(x, v):
    return x.index(v)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind):
    x = KINDS[kind]
    check(every, x)
    check(insert, x, 1, x[0])
    check(insert, x, -1, x[0])
    for i in range(-len(x) - 1, len(x) + 1):
        for f in (read, pop_at, delete):
            check(f, x, i)
        check(write, x, i, x[-1])
    if kind != "nested":
        check(remove, x, x[-1])
        check(index, x, x[-1])


def test_same_list_returned():
    f = swathe.njit(lambda x: x)
    x = [1.0]
    assert f(x) is x


@pytest.mark.parametrize("step", (-3, -1, 1, 2, 3, 0))
def test_slices(step):
    for a, b in itertools.product((-6, -2, 0, 1, 4, 9), (-7, -1, 0, 2, 5)):
        check(cut, INTS, a, b, step)
        check(delete_slice, INTS, a, b, step)


def ends(x):
    return x[:], x[1:], x[:-1], x[::2], x[::-1]


def test_open_slices():
    check(ends, INTS)
    check(ends, [(1, 2.0)])


def sort(x):
    x.sort()
    return x


def sort_down(x):
    x.sort(reverse=True)


@pytest.mark.parametrize("n", (0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 100, 1000))
def test_sort(n):
    rng = np.random.default_rng(n)
    for f in (sort, sort_down):
        check(f, [float(v) for v in rng.integers(0, 20, n)] or [1.0])
        check(f, [(int(v), float(k)) for k, v in enumerate(rng.integers(0, 9, n))] or [(1, 2.0)])
        check(f, [[int(v), 0] for v in rng.integers(0, 9, n)] or [[1]])


def compare(x, y):
    return x == y, x != y, x < y, x <= y, x > y, x >= y, x is y, x is not y


def test_compare():
    for x, y in itertools.product(([1, 2], [1, 3], [1], [0, 9, 9]), repeat=2):
        check(compare, x, y)


def fill(n):
    x = []
    for i in range(n):
        x.append(i * 0.5)
    return x


def helper(x, n):
    for i in range(n):
        x.append((i, 0.5))


def fill_by_helper(n):
    x = []
    helper(x, n)
    return x


def rows(n):
    x = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        x.append(row)
    x[3][1] = 100
    return x, len(x[2]), x[-1], x[2] is x[2], x[2] is x[3]


def never(n):
    x = []
    y = []
    y.append(x)
    return x, y, len(x), x == []


def from_each_other(n):
    x = []
    y = []
    for i in range(n):
        if x:
            y.append(x[-1])
        x.append(i)
    return x, y


def returned():
    return []


def use_returned(n):
    x = returned()
    for i in range(n):
        x.append(i > 2)
    return x


def given(x, n):
    for i in range(n):
        x.append(i)
    return len(x)


@pytest.mark.parametrize("f", (fill, fill_by_helper, never, from_each_other, use_returned))
@pytest.mark.parametrize("n", (0, 1, 7, 20))
def test_what_an_empty_list_holds(f, n):
    check(f, n)


def popped(x, n):
    k = 0
    if n:
        k += x.pop()
    return k


def added(y, d, n):
    for i in range(n):
        y[i] += 1.5
        d[len(d)] = y[i]


def test_what_nothing_tells():
    check(popped, [], 0)
    check(popped, [], 1)
    check(added, [], {}, 1)
    check(added, [0.5], {}, 1)


def test_empty_arguments():
    check(rows, 6)
    check(given, [], 3)
    check(given, [], 0)
    check(given, [7], 3)
    check(pop, [])
    check(every, [1])
    check(compare, [], [1])


def shared(n):
    r = [0.0] * n
    x = [r, r]
    x[0][1] = 5.0
    return x, x[0] is x[1], x[0] is r


def grow_while_iterating(x):
    s = 0
    for v in x:
        s += v
        if len(x) < 10:
            x.append(v + 1)
    else:
        s += 1000
    return s


def shrink_while_iterating(x):
    s = 0
    for v in x:
        if v == 4:
            continue
        s += v
        x.pop()
        if s > 100:
            break
    return s


def comprehensions(n):
    x = [i * i for i in range(n) if i % 3]
    y = [(i, float(j)) for i in range(n) for j in range(i)]
    return x, y, [[v] for v in x], [v for v, _ in y], [0] * n, [1, 2] * 3, n * [True]


def augmented(x, y):
    x += y
    x *= 2
    x[1] += 5
    x[-1] **= 2
    return x


def iterators(x, y):
    r = []
    for i, (a, b) in enumerate(zip(x, reversed(y))):
        r.append((i, a, b))
    for i in range(len(x) - 1, -1, -1):
        x[i] += i
    return r, sum(x), min(x), max(y), any(x), all(y)


def truth(x):
    if not x:
        return 0
    while x:
        x.pop()
    return 1


def choose(c):
    x = [1, 2] if c else [3]
    return x


def unpack(x):
    a, b = x
    return a * 10 + b


def sieve(n):
    s = [True] * n
    for i in range(2, n):
        if s[i]:
            for j in range(i * i, n, i):
                s[j] = False
    return [i for i in range(2, n) if s[i]]


def change_then_fail(x):
    x.append(5)
    x[100] = 1


def inner_shared(x, y):
    x[0].append(3)
    y.append(x[0])
    return y


def caught(x, i):
    try:
        x.append(1)
        return x[i]
    except IndexError:
        x.append(2)
    return -1


def swap(x):
    x[0], x[1] = x[1], x[0]
    return x


def doubled(x):
    x.extend(x)
    return x


PROGRAMS = [
    (shared, (3,)), (grow_while_iterating, ([1, 2],)), (shrink_while_iterating, ([1, 2, 4, 4, 5],)),
    (comprehensions, (0,)), (comprehensions, (7,)), (augmented, ([1, 2], [3])),
    (augmented, ([1, 2], [])), (iterators, ([1, 2, 3], [1.5, 2.5])), (truth, ([True],)),
    (truth, ([],)), (choose, (True,)), (choose, (False,)), (unpack, ([1, 2],)), (unpack, ([1],)),
    (unpack, ([1, 2, 3],)), (sieve, (60,)), (change_then_fail, ([1],)),
    (inner_shared, ([[1]], [[2]])), (caught, ([1], 5)), (caught, ([1], 1)), (swap, ([1, 2],)),
    (swap, ([[1], [2]],)), (doubled, ([[1], [2]],)), (remove, ([1], 5)), (index, ([1], 5)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f, args):
    check(f, *args)


def test_identity_of_arguments():
    def f(a, b, c):
        a.append(1)
        return a is b, len(b), a is c, [a, c]

    g = swathe.njit(f)
    x, y = [1], [1]
    same, n, other, both = g(x, x, y)
    assert (same, n, other, x, y) == (True, 2, False, [1, 1], [1])
    assert both[0] is x and both[1] is y


def test_what_did_not_change_stays_the_same_object():
    def f(x):
        x[1] = 2.5
        x.append(3.5)

    a, b = 1e300, 7.25
    x = [a, b]
    swathe.njit(f)(x)
    assert x == [1e300, 2.5, 3.5] and x[0] is a
    inner = [[1], [2]]
    first = inner[0]

    def g(x):
        x[1].append(3)
        x.append(x[0])

    swathe.njit(g)(inner)
    assert inner == [[1], [2, 3], [1]] and inner[0] is first and inner[2] is first


# ---- what is refused ------------------------------------------------------------------------


def mixed():
    x = [1, True]
    return x


def stored(x):
    x[0] = True


def no_method(x):
    x.push(1)


def test_bools_beside_ints():
    assert repr(swathe.njit(mixed)()) == "[1, True]"
    x = [1, 2]
    swathe.njit(stored)(x)
    assert repr(x) == "[True, 2]"


def test_refused():
    for f, args, text in ((no_method, ([1],), "has no attribute 'push'"),):
        with pytest.raises((TypeError, AttributeError)) as e:
            swathe.njit(f)(*args)
        assert text in str(e.value)
    for x, text in (
        ([2.5, 2**53 + 1], "element 1 is of type int"),
        ([object()], "first element"),
        ([1, 2**70], "does not fit in int64"),
    ):
        with pytest.raises((TypeError, OverflowError)) as e:
            swathe.njit(pop)(x)
        assert text in str(e.value)


def test_a_list_in_itself():
    x = [[1]]
    x[0] = x
    with pytest.raises(TypeError):
        swathe.njit(pop)(x)


# ---- memory ---------------------------------------------------------------------------------


def deep(n):
    x = [[0]]
    y = [x]
    for _ in range(n):
        x.append([1, 2])
        y.append(x)
        y.pop()
    z = [y, y]
    z.append([[x[0]]])
    return z


def test_nothing_leaks():
    f, g, h = (swathe.njit(v) for v in (deep, change_then_fail, inner_shared))

    def run():
        f(100)
        h([[1]], [[2]])
        with pytest.raises(IndexError):
            g([1, 2])
        with pytest.raises(TypeError):
            h([[1], [object()]], [[2]])

    run()
    before = live()
    for _ in range(5):
        run()
    assert live() == before


def test_a_long_chain_ends():
    @swathe.njit
    def f(n):
        last = [[1.0] * 3] * 2
        x = []
        for i in range(n):
            x.append([i])
        last.append([1.5])
        return len(x)

    assert f(200_000) == 200_000


def test_threads():
    f = swathe.njit(deep)
    f(1)
    got = []
    all_of = [threading.Thread(target=lambda: got.append(f(500))) for _ in range(4)]
    for t in all_of:
        t.start()
    for t in all_of:
        t.join()
    assert len(got) == 4 and all(v == got[0] for v in got)


# ---- loops over lists are loops over arrays -----------------------------------------------------


def test_columns():
    @swathe.njit
    def f(x, y):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * y[i]
        return s

    a, b = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    assert f(a, b) == 32.0
    ir = f.inspect_ir()
    text = ir if isinstance(ir, str) else next(iter(ir.values()))
    loop = text[text.index("seq i") :]
    assert "= get" not in loop


def test_parallel():
    @swathe.njit(parallel=True)
    def f(x, n):
        out = np.zeros(n)
        for i in swathe.prange(n):
            out[i] = x[i] * 2
        return out

    x = [float(v) for v in range(5000)]
    assert f(x, 5000).tolist() == [v * 2 for v in x]


# ---- lowering against the interpreter ---------------------------------------------------------

CHECKED = """
import swathe

def f(n):
    d = {}
    for i in range(n):
        d[i * 7 % 11] = d.get(i * 7 % 11, 0) + i
    s = 0
    for k in d:
        s += d[k] * k
    x = []
    for i in range(n):
        x.append((i, i * 0.5))
        if i % 3 == 0 and x:
            x.pop()
    t = 0.0
    for a, b in x:
        t += a * b
    y = [[i] for i in range(n)]
    for r in y:
        r.append(1)
        s += r[0] + len(r)
    del y[:2]
    z = [0.5] * n
    for i in range(1, n):
        z[i] = z[i - 1] * 0.5 + i
    z = z[::2]
    z.sort(reverse=True)
    return s + len(y), t + sum(z), z[0] if z else 0.0

for n in (0, 1, 5, 30):
    assert swathe.njit(f)(n) == f(n), n
"""


def test_passes_against_the_interpreter(tmp_path):
    program = tmp_path / "checked.py"
    program.write_text(CHECKED)
    env = {**os.environ, "SWATHE_CHECK": "2"}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


NARROW = [
    np.int8(-1),
    np.int8(-100),
    np.int8(-128),
    np.uint8(200),
    np.int16(-1),
    np.uint32(200),
    np.uint64(7),
]
WITH_INDEX = (
    "x.pop(i)",
    "x.insert(i, 9)",
    "del x[i]",
    "x[i] = 9",
    "x[i] += 9",
    "del x[i:]",
    "del x[:i]",
    "del x[::i]",
    "x *= i",
    "x = x * i",
    "x = i * x",
    "x = x[i:]",
    "x = x[:i]",
    "x = x[::i]",
    "x = [x[i]]",
    "x = [x.index(250, i)]",
    "x = [x.index(3, 0, i)]",
    "for k in range(len(x)):\n        x.pop(i)",
)


def made(text):
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)  # noqa: S102
    return space["f"]


def with_index(text):
    return made(f"def f(x, i):\n    {text}\n    return x")


@pytest.mark.parametrize("text", WITH_INDEX)
def test_numpy_integers_are_indices(text):
    """Whatever the dtype of an index is, what is computed from it and a length is an int."""
    for i in NARROW:
        check(with_index(text), list(range(300)), i)
    check(with_index(text), [1, 2, 3], -(2**63))


@pytest.mark.parametrize("text", WITH_INDEX)
@pytest.mark.parametrize("index", [np.True_, np.float64(1.0), 1.5])
def test_indices_are_integers(text, index):
    with pytest.raises(swathe.errors.Error):
        swathe.njit(with_index(text))([1, 2, 3], index)


def test_stores_at_a_variable_step():
    """The list's words are not read again for each; addresses are not taken out of vectors."""

    def sieve(n):
        s = [True] * n
        for i in range(2, n):
            if s[i]:
                for j in range(i * i, n, i):
                    s[j] = False
        return s

    compiled = swathe.njit(sieve)
    assert compiled(1000) == sieve(1000)
    text = next(iter(compiled.inspect_llvm().values()))
    assert "!tbaa" in text
    assert not re.search(r"extractelement <\d+ x i64>", text)


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.float64(2.5)],
        [np.float64(2.5), 1.0],
        [1, np.int64(2)],
        [np.int64(2), 1],
        [True, np.bool_(False)],
        [1j, np.complex128(2)],
    ],
)
def test_numbers_of_python_and_numpy_of_one_width(values):
    @swathe.njit
    def f(x, d, pairs):
        x[0] = x[1]
        return x[0], d[0], d[1], pairs[1][0]

    x, d, pairs = list(values), dict(enumerate(values)), [(v, 1) for v in values]
    kept = values[1]
    a, b = values
    assert f(x, d, pairs) == (b, a, b, b)
    assert x[1] is kept and x[0] == kept and d == dict(enumerate(values))
    with pytest.raises(TypeError, match="holds values of one type"):
        f([*values, np.float32(1)], d, pairs)


@pytest.mark.parametrize(
    "element", ["100 // (x - {})", "str(100 // (x - {}))", "[x, 100 // (x - {})]"]
)
def test_displays_of_many_computed_elements(element):
    """What was computed before an error goes, and elements are computed in their order."""
    text = f"def f(x):\n    return [{', '.join(element.format(i) for i in range(90))}, x]\n"
    if element[0] != "1":
        text = text.replace(", x]\n", "]\n")
    name = f"<display {element}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    f = names["f"]
    g = swathe.njit(f)
    assert g(-1) == f(-1) and g(95) == f(95)
    before = live()
    for x in (0, 44, 89, 120):
        assert outcome(g, (x,)) == outcome(f, (x,))
    assert live() == before
