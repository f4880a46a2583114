# SPDX-License-Identifier: BSD-3-Clause
"""None and named tuples as elements of lists and dicts: kinds of elements x what is done to them,
and lists that are empty or hold None alone, of which only use tells what they hold."""

from __future__ import annotations

import copy
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from live_memory import live
from test_container_forms import made
from test_lists import check

import swathe

SWC = os.environ.get("SWATHE_SWC", Path(__file__).resolve().parent.parent / "build" / "swc")


class Pair(NamedTuple):
    x: Any
    y: Any

    def total(self):
        return self.x + self.y


class Body(NamedTuple):
    pos: Any
    mass: float

    def energy(self):
        s = 0.0
        for i in range(self.pos.size):
            s += self.pos[i] * self.pos[i]
        return self.mass * s


def array(*v: float) -> np.ndarray:
    return np.array(v, float)


KINDS = {  # a list, one that it may hold, and another
    "int?": ([1, None, 3, None, -2], 2, None),
    "first": ([None, None, 3], 4, None),
    "float?": ([1.5, None, -0.0, None], 2.5, None),
    "bool?": ([True, None, False], True, None),
    "float32?": ([np.float32(1.5), None, np.float32(2)], np.float32(4), None),
    "tuple?": ([(1, 2.5), None, (3, 4.5)], (5, 6.5), None),
    "tuple of ?": ([(1, None), (2, 3.5), (None, 1.5)], (5, 6.5), (6, None)),
    "array?": ([array(1, 2), None, array(3, 4)], array(5, 6), None),
    "list?": ([[1, 2], None, [3]], [4, 5], None),
    "list of ?": ([[1, None], [None], [3]], [4, None], [None, 5]),
    "dict?": ([{1: 2.5}, None], {3: 4.5}, None),
    "pair": ([Pair(1, 2.5), Pair(3, 4.5)], Pair(5, 6.5), Pair(7, 8.5)),
    "pair?": ([Pair(1, 2.5), None], Pair(5, 6.5), None),
    "pair of ?": ([Pair(1, None), Pair(None, 4.5)], Pair(5, 6.5), Pair(7, None)),
    "pair of arrays": ([Pair(array(1), 1), Pair(array(3), 2)], Pair(array(), 3), Pair(array(), 4)),
    "pair of pairs": ([Pair(Pair(1, 2), 2.5)], Pair(Pair(1, 3), 3.5), Pair(Pair(0, 0), 4.5)),
    "None": ([None, None], None, None),
}  # fmt: skip
FORMS = """
x.append(v); x.append(n); return x
x.append(n); x.append(v); return x
x.insert(1, n); x.insert(0, v); return x
return x.pop(), x.pop(0), x
x[0] = n; x[-1] = v; return x
x[1:] = [v, n]; return x
x[:1] = x; return x
del x[0]; return x
x += [v]; x.extend([n, v]); return x
return x + [n], x * 2, [v, n] * 2
y = [n] * 3; y[1] = v; return y
y = [n for i in range(3)]; y[2] = v; return y
y = []; y.append(n); y.append(v); return y
y = [n, v, n]; return y, x[::-1], x[1:]
return [q for q in x], list(x), x.copy(), [(q, i) for i, q in enumerate(x)]
x.reverse(); return x
return [q is None for q in x], [q is not None for q in x]
return [q for q in x if q is not None]
for i in range(len(x)): x[i] = v if x[i] is None else n
x[0] = x[-1]; return x
a, *b = x; return a, b
y = x; y.append(n); return x is y, x
d = {1: v, 2: n}; return d, d.get(1), d.get(3)
d = {1: n}; d[2] = v; d[1] = v; return d
d = {}; d[1] = n; d[2] = v; return d.pop(2), d
d = {i: q for i, q in enumerate(x)}; return d, list(d.values())
d = {1: n}; return d.setdefault(1, v), d.setdefault(2, v), d
d = {1: x}; d[1].append(v); return d
y = [x, x]; y[0].append(n); return y
z = (x, v); z[0].append(n); return z
q = x[0] if len(x) > 1 else None; return q
x.append(v); raise ValueError(1)
return x[5]
y = x[0:0]; y.append(n); return y
"""
COMPARE = """
return x == x, x == [v, n], x != [n, v]
return v in x, n in x, None in x
return x.count(n), x.count(v), x.index(x[1])
return x[0] == x[-1], x[0] != v
"""
ARRAYS = ("array?", "pair of arrays")


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("kind", KINDS)
def test_forms(kind, tmp_path):
    forms = lines(FORMS) + ([] if kind in ARRAYS else lines(COMPARE))
    for form in forms:
        f = made(form.replace("; ", "\n"), tmp_path, "x, v, n")
        try:
            check(f, *KINDS[kind])
        except Exception as e:
            raise AssertionError(form) from e


UNTOLD = """
x.extend([]); return x
x.append([]); return x
x.append([[]]); return x
x[:] = []; return x
y = x + []; return y
y = [] + x; return y
y = []; y.append(x); return y
y = [x, []]; return y
y = [[], x]; y[0].append(1); return y
d = {1: x}; d[2] = []; return d
d = {}; d[1] = x; return d
y = []; z = []; y.extend(z); z.extend(x); return y, z
x.append(None); return x
x.append((1, None)); x.append((3, 2)); return x
x.append((None, [])); return x
y = [None]; y.extend(x); return y
y = [None, x]; y.append([1]); return y
y = [None, []]; y.append(x); return y
y = [None]; y.append([None]); y[1].append(3); return y
y = [(None, None)]; y.append((1, x)); return y
y = [None] * 2; z = [None]; z.extend(y); y[0] = 1; return y, z
y = [[], [None]]; return y
y = [[None], []]; y[1].append(2); return y
return [1, 2] in [[1, 2], None], None in [[1, 2], None], [None, x][1] is None
return [None, [1, 2]][1], [x, [1]][1]
for v in [None, [1]]: x.append(1 if v is None else v[0])
a, b = [None, [1]]; return b
"""


@pytest.mark.parametrize("form", lines(UNTOLD))
@pytest.mark.parametrize("x", [[], [None]], ids=repr)
def test_what_nothing_tells(form, x, tmp_path):
    """With [None], a list that holds ints or lists is refused."""
    f = made(form.replace("; ", "\n"), tmp_path)
    try:
        check(f, x)
    except swathe.errors.CompileError:
        if not x:
            raise


STARTED = {  # what x holds at first, and what it is given then
    "x[:] = (x[-1], None); return x": ([None], [1, None]),
    "x.extend((None, x[0])); x += (x[-1], None); return x": ([None], [1, None]),
    "x[1:1] = (x[0], None, 3); return x": ([1, None],),
    "x.extend(((4, None), (x[0][0], 2.5))); return x": ([(1, 2.0), (None, None)],),
    "s = {None}; s.update((x[0], None)); return len(s), x[0] in s": ([None],),
    "d = {1: x[0]}; d.update(((2, x[0]), (3, None))); return d": ([None],),
}


@pytest.mark.parametrize("form", STARTED)
def test_a_tuple_with_none(form, tmp_path):
    f = made(form.replace("; ", "\n"), tmp_path)
    for x in STARTED[form]:
        check(f, x)


def test_a_tuple_with_none_for_a_list_that_takes_none():
    f = swathe.njit(lambda x: x.extend((None, 1)))
    with pytest.raises(swathe.errors.TypingError, match="a list holds values of one type"):
        f([1])


def test_a_list_with_itself_is_refused():
    f = swathe.njit(lambda x: x.append(x))
    with pytest.raises(swathe.errors.TypingError, match="can't hold list"):
        f([])


# ---- arguments -----------------------------------------------------------------------------------


def passed(x):
    return x


PASSED = [
    [1, None], [None, 1], [None], [[None], [1]], [[1], [None]], [[], [1, None]],
    [None, [None, [2]]], [(1, None), (None, 2.5)], [(None, (1, None)), (2, (None, 3.5))],
    {1: None, 2: 3}, {1: [2], 3: None}, {1: {2: None}, 3: {4: 5}}, [Pair(1, None), Pair(None, 2)],
    [None, Pair([1], 2)], {1: Pair(1, 2)}, [[Pair(1, 2)], [], [Pair(3, 4)]],
    {(1, 2): [None, 3]}, [{}, {1: None}], [None, {}, {1: 2}],
]  # fmt: skip


@pytest.mark.parametrize("x", PASSED, ids=repr)
def test_passed(x):
    """The same object comes back, with the same elements, whichever of them is None."""
    f = swathe.njit(passed)
    parts = list(x.values() if isinstance(x, dict) else x)
    want = copy.deepcopy(x)
    assert f(x) is x
    assert repr(x) == repr(want)
    assert all(a is b for a, b in zip(parts, x.values() if isinstance(x, dict) else x, strict=True))


def test_one_function_for_lists_with_and_without():
    @swathe.njit
    def total(x):
        s = 0
        for v in x:
            if v is not None:
                s += v
        return s

    for _ in range(2):
        assert total([1, 2, 3]) == 6
        assert total([1, None, 3]) == 4
        assert total([None, 3]) == 3
        assert total([2.5, None]) == 2.5
    assert total([1, None, 2.5]) == 3.5
    assert total([1, None, True]) == 2


def test_classes_stay_what_they_are():
    class Other(NamedTuple):
        x: int
        y: int

    f = swathe.njit(passed)
    for second in (Other(1, 2), (1, 2)):
        x = [Pair(1, 2), second]
        got = f(x)
        assert [type(v) for v in got] == [type(v) for v in passed(x)] and got == passed(x)


# ---- through every layer -------------------------------------------------------------------------


def energies(bodies):
    out = np.zeros(len(bodies))
    for i in swathe.prange(len(bodies)):
        out[i] = bodies[i].energy()
    return out


def sums(arrays):
    out = np.zeros(len(arrays))
    for i in swathe.prange(len(arrays)):
        a = arrays[i]
        if a is not None:
            out[i] = a.sum()
    return out


@pytest.mark.parametrize("threads", [1, 2])
def test_parallel_loops(threads):
    before = swathe.get_num_threads()
    swathe.set_num_threads(threads)
    bodies = [Body(np.arange(float(k)), k + 0.5) for k in range(300)]
    arrays = [None if k % 3 else np.arange(float(k)) for k in range(300)]
    assert np.array_equal(swathe.njit(parallel=True)(energies)(bodies), energies(bodies))
    assert np.array_equal(swathe.njit(parallel=True)(sums)(arrays), sums(arrays))
    swathe.set_num_threads(before)


def changed(x, fails):
    for i in range(len(x)):
        q = x[i]
        x[i] = Pair(None, [i]) if q is None else Pair(i, q.y)
    x.append(None)
    if fails:
        raise ValueError("half-way")
    return x


def test_written_back_when_it_fails():
    check(changed, [None, Pair(7, [2]), Pair(None, [3])], True)
    check(changed, [None, Pair(7, [2]), Pair(None, [3])], False)


@pytest.mark.parametrize("fails", [False, True])
def test_no_leak(fails):
    f = swathe.njit(changed)

    def call():
        x = [None, Pair(7, [2]), Pair(None, [3]), None]
        try:
            f(x, fails)
        except ValueError:
            pass

    call()
    before = live()
    for _ in range(20):
        call()
    assert live() == before


def test_the_oracle_runs_them(monkeypatch):
    monkeypatch.setenv("SWATHE_CHECK", "2")
    for x in ([None, Pair(None, [2])], [None, Pair(7, [2]), Pair(None, [])]):
        want = repr(changed(copy.deepcopy(x), False))
        assert repr(swathe.njit(cache=False)(changed)(x, False)) == want
    assert swathe.njit(cache=False, parallel=True)(sums)([None, np.ones(3)]).tolist() == [0.0, 3.0]


# ---- text ----------------------------------------------------------------------------------------

SHOWN = [
    [1, None], [np.float32(1.5), None], [[1], None], [(None, [2])], [{1: 2}, None], {1: None},
    [Pair(1, None), Pair(None, 2)], [Pair([1], 1)], Pair(Pair(1, 2.5), (3,)), Pair(None, 2),
]  # fmt: skip


@pytest.mark.parametrize("x", SHOWN, ids=repr)
def test_printed(x, capfd):
    def f(x):
        print(x, (x, 1))
        print(f"{x} {x!r}", [x])

    f(x)
    want = capfd.readouterr().out
    swathe.njit(cache=False)(f)(x)
    assert capfd.readouterr().out == want


def test_an_optional_list_is_printed_as_none(capfd):
    @swathe.njit
    def f(n):
        x = [n] if n > 1 else None
        y = ([n], 1) if n > 1 else None
        print(x, (x, n), y)

    for n in (1, 2):
        f(n)
        f.py_func(n)
        ours, python = capfd.readouterr().out.splitlines()
        assert ours == python


class Named(NamedTuple):
    x: int

    def __repr__(self):
        return "its own"


def test_a_text_of_its_own(capsys):
    def shown(x):
        print(x, [x])
        return str(x) + f"{x!r}"

    def said(x):
        raise ValueError(f"bad {x}")

    for x in (Named(1), (Named(1), 2)):
        assert swathe.njit(shown)(x) == shown(x)
        out = capsys.readouterr().out
        assert out[: len(out) // 2] == out[len(out) // 2 :] != ""
        with pytest.raises(ValueError) as ours:
            swathe.njit(said)(x)
        assert str(ours.value).split("\n")[0] == f"bad {x}"


@pytest.mark.parametrize(
    "f, x",
    [
        (changed, ([None, Pair(None, [2])], False)),
        (sums, ([None, np.ones(3)],)),
        (energies, ([Body(np.ones(2), 1.5)],)),
    ],
    ids=["pairs", "arrays", "bodies"],
)
def test_their_text_is_read_again(f, x):
    compiled = swathe.njit(f)
    compiled(*x)
    (text,) = compiled.inspect_ir().values()
    text = text.split("\n", 1)[1]
    ran = subprocess.run([SWC, "--print"], input=text, capture_output=True, text=True)
    assert ran.stdout.strip() == text.strip(), ran.stderr


# ---- a None in a tuple that is put among others ----

PUTS = {
    "[{}]": (
        "x.append(y[n])", "x.extend(y)", "x.insert(0, y.pop())", "x[0] = y[n]", "x[0:0] = y",
        "x += y", "x = x + y", "x = [*x, *y]",
    ),
    "{{1: {}}}": (
        "x[2] = y[n]", "x.setdefault(2, y[n])", "x.update({3: y[n]})", "x = x | {4: y[n]}",
        "x |= {5: y[n]}", "x = {**x, 6: y[n]}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("held", ["(None, 3.25)", "(None, (None, 2.0))", "(None, 2.5, None)"])
@pytest.mark.parametrize("head, put", [(h, p) for h, puts in PUTS.items() for p in puts])
def test_none_in_a_tuple_among_others(tmp_path, head, put, held):
    x = head.format(held.replace("None", "1"))
    text = f"def f(n):\n    x = {x}\n    y = [{held}]\n    {put}\n    return x, len(y)\n"
    file = tmp_path / "put.py"
    file.write_text(text)
    names: dict = {}
    exec(compile(text, str(file), "exec"), names)
    assert repr(swathe.njit(cache=False)(names["f"])(0)) == repr(names["f"](0))
