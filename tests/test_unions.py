"""Values of one type or another, in variables, containers and results of compiled functions."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from live_memory import live

from swathe import TypingError, UnsupportedError, njit


@dataclass
class P:
    x: int
    y: float = 2.0


class Q:
    def __init__(self, a: Any) -> None:
        self.a = a

    def get(self) -> Any:
        return self.a

    def area(self) -> Any:
        return self.a * 2


def pick(c: Any) -> Any:
    if c > 2:
        return 1
    if c > 1:
        return "two"
    if c > 0:
        return 3.5
    if c > -1:
        return [1, 2]
    if c > -2:
        return None
    if c > -3:
        return (1, "x")
    if c > -4:
        return {"a": 1}
    return True


def classes(c: Any) -> Any:
    x = pick(c)
    if x is None:
        return "none"
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, (int, float)):
        return "number"
    if isinstance(x, str):
        return x + "!"
    if isinstance(x, list):
        return str(x[0])
    if isinstance(x, tuple):
        return x[1]
    if isinstance(x, dict):
        return "dict"
    return "?"


def equality(c: Any) -> Any:
    x = pick(c)
    return x == 1, x == "two", x != 3.5, x == [1, 2], x is None, not x


def truth(c: Any) -> Any:
    x = pick(c)
    if x:
        return 1
    return 0


def two_of_them(c: Any) -> Any:
    x = pick(c)
    y = pick(c - 1)
    return x == y


def in_a_loop(n: Any) -> Any:
    x = None
    for i in range(n):
        if i % 3 == 0:
            x = i
        elif i % 3 == 1:
            x = "s" * i
        else:
            x = [i]
    return x


def carried(n: Any) -> Any:
    s = 0
    x = 0
    for i in range(n):
        if isinstance(x, int):
            s += x
        else:
            s += len(x)
        x = i if i % 2 else "abc"
    return s, x


def instance_or_int(c: Any) -> Any:
    x = P(1, 2.0) if c > 0 else 5
    if isinstance(x, P):
        return x.x
    return x + 1


def instance_text_or_none(c: Any) -> Any:
    x = P(1, 2.0) if c > 0 else None
    if c > 5:
        x = "no"
    return x


def list_or_text(c: Any) -> Any:
    x = [1] if c > 0 else "ab"
    n = 0
    if isinstance(x, list):
        x.append(4)
        n = x[-1]
    return n, x


def converted(c: Any) -> Any:
    x = "12" if c > 0 else 12
    return int(x)


def until_int(c: Any) -> Any:
    x = "12" if c > 0 else 12
    while not isinstance(x, int):
        x = int(x)
    return x


def both_tests(c: Any) -> Any:
    x = "12" if c > 0 else 12
    return isinstance(x, str) and x.startswith("1")


def chosen(c: Any) -> Any:
    x = "12" if c > 0 else 12
    return len(x) if isinstance(x, str) else x - 1


def doubled(c: Any) -> Any:
    x = "12" if c > 0 else 12
    x += x
    return x


def added(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    x += 1
    return x


def ordered(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    return x < 6


def negated(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    return -x


def repeated(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    return 3 * x, [x] if False else x


def contained(c: Any) -> Any:
    x = 5 if c > 0 else "xyz"
    return "y" in x


def subscripts(c: Any) -> Any:
    x = (1, 2) if c > 0 else "ab"
    return x[0], x[1], len(x)


def caught(c: Any) -> Any:
    try:
        x = 5 if c > 0 else "x"
        return x + 1
    except TypeError as e:
        return str(e)


def captured(c: Any) -> Any:
    x = 5 if c > 0 else "x"

    def g():
        return x

    return g()


def in_a_tuple(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    t = (x, 1)
    return t, t[0]


def bool_or_text(c: Any) -> Any:
    x = True if c > 0 else "x"
    return x


def bool_int_text(c: Any) -> Any:
    x = True if c > 0 else (5 if c > -5 else "x")
    return x, str(x), x == 1


def own_class(c: Any) -> Any:
    x = Q(3) if c > 0 else 4
    if type(x) is Q:
        return x.area()
    return x


def either_test(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    if not isinstance(x, str) or len(x) > 3:
        return 1
    return x.upper()


def exact_class(c: Any) -> Any:
    x = 5 if c > 0 else "x"
    return type(x).__name__, type(x) == int, type(x) is not str


def bytes_or_text(c: Any) -> Any:
    x = b"ab" if c > 0 else "ab"
    return len(x), x[0], x


def as_key(c: Any) -> Any:
    x = 1 if c > 0 else "a"
    d = {}
    d[x] = 2
    return d


def in_a_list(c: Any) -> Any:
    x = 1 if c > 0 else "a"
    l = [x, x]
    return l, l[0]


def in_a_set(c: Any) -> Any:
    x = 1 if c > 0 else "a"
    s = {x}
    return s, x in s


def appended(n: Any) -> Any:
    l = []
    l.append(1)
    l.append("a")
    return l


def edited(n: Any) -> Any:
    l = [1 if n > 2 else "q", "abc"]
    l.append(5)
    l[0] = "z"
    l.insert(0, 9)
    return l, len(l), l[1:], l[::-1]


def dict_values(n: Any) -> Any:
    d = {}
    for i in range(n):
        d[i] = i if i % 2 else str(i)
    return d


def dict_display(n: Any) -> Any:
    d = {"a": 1, "b": "x"}
    d["c"] = n
    s = 0
    for k, v in d.items():
        if isinstance(v, int):
            s += v
    return s, d


def comprehension(n: Any) -> Any:
    l = [i if i % 2 else "s%d" % i for i in range(n)]
    return l, [x for x in l if isinstance(x, int)], [str(x) for x in l]


def searched(n: Any) -> Any:
    l = [i if i % 2 else "s%d" % i for i in range(n)]
    return "s2" in l, 3 in l, l.count(3), l == [1], l == l[:]


def lists_within(n: Any) -> Any:
    l = [i if i % 2 else [i] for i in range(n)]
    t = 0
    for x in l:
        if isinstance(x, list):
            x.append(7)
            t += len(x)
        else:
            t += x
    return l, t


def stack(n: Any) -> Any:
    st = []
    for i in range(n):
        st.append((i, "x") if i % 2 else i)
    r = 0
    while st:
        v = st.pop()
        if isinstance(v, tuple):
            r += v[0]
        else:
            r += v * 10
    return r


def tokens(n: Any) -> Any:
    toks = []
    for ch in "12+3*4"[: n + 3]:
        if ch.isdigit():
            toks.append(int(ch))
        else:
            toks.append(ch)
    out = []
    for t in toks:
        if isinstance(t, int):
            out.append(t * 2)
        else:
            out.append(t)
    return toks, out


def unlike_keys(n: Any) -> Any:
    d = {}
    d[1] = 5
    d["x"] = 6
    d[(1, 2)] = 7
    return d[1] + d["x"], d.get("y", 0), sorted([str(k) for k in d]), d


def set_of(n: Any) -> Any:
    s = set()
    s.add(1)
    s.add("a")
    return len(s), 1 in s, "a" in s, "b" in s


def instances_within(n: Any) -> Any:
    l = [P(1), 5, P(2)]
    s = 0
    for v in l:
        if isinstance(v, P):
            s += v.x
        else:
            s += v
    return s


def shared_list(n: Any) -> Any:
    l = [1, "a"]
    l2 = l
    l2.append(None)
    return l, l2 is l


def unpacked(n: Any) -> Any:
    l = [1, "a"]
    a, b = l
    return a, b


def generators(n: Any) -> Any:
    l = ["x", 1] * n
    return sum(v for v in l if isinstance(v, int)), "".join(v for v in l if isinstance(v, str))


def pairs_within(n: Any) -> Any:
    q = [("push", 1), ("pop", None), ("name", "z")]
    out = []
    for op, arg in q:
        out.append(op)
        if isinstance(arg, int):
            out.append(str(arg + 1))
    return out


def sum_of_known(n: Any) -> Any:
    q = []
    for i in range(n):
        q.append(("a", i))
        q.append(("b", "s"))
    t = 0
    for k, v in q:
        if k == "a":
            t += v
    return t


def none_first(n: Any) -> Any:
    l = [None] * 3
    l[0] = 1
    l[1] = "a"
    return l


def val(c: Any) -> Any:
    return 1 if c > 0 else "abc"


def tuples_compared(c: Any) -> Any:
    x = val(c)
    return (x, 1) == (1, 1), (x, 2) == ("abc", 2), [x] == [x], [x] == [1]


def in_a_field(c: Any) -> Any:
    q = Q(val(c))
    return q.get()


def tuple_parts(c: Any) -> Any:
    x = val(c)
    t = (x, x)
    a, b = t
    return a, b, len(t), t[c % 2]


def into_a_dict(c: Any) -> Any:
    x = val(c)
    d = {"k": x}
    d["z"] = 3
    return d, d["k"], d.get("q", "none"), d.get("k", 2)


def formatted(c: Any) -> Any:
    x = val(c)
    return "%s" % x, "{}".format(x), "%s-%d" % (x, c), str([x]), f"{x!s}"


def defaults(c: Any) -> Any:
    x = val(c)

    def inner(y, z=x):
        if isinstance(y, str):
            return y
        return z

    return inner(x), inner(x, 5), inner("q")


def given_to_a_lambda(c: Any) -> Any:
    x = val(c)
    return (lambda y: y if isinstance(y, int) else len(y))(x)


def raised_text(c: Any) -> Any:
    x = val(c)
    try:
        if isinstance(x, str):
            raise ValueError(x)
        return x
    except ValueError as e:
        return str(e)


def best_so_far(c: Any) -> Any:
    best = None
    for i in range(abs(c)):
        if best is None:
            best = "none" if i > 1 else i
        elif isinstance(best, int) and best < i:
            best = i
    return best


def arrays(c: Any) -> Any:
    x = np.ones(3) if c > 0 else np.ones((2, 2))
    return x


def list_methods(c: Any) -> Any:
    xs = [val(c), val(-c), val(c)]
    return xs.index("abc"), xs.count(1), xs.pop(), xs, xs.remove(1), xs


def made_text(c: Any) -> Any:
    x = val(c)
    y = x if isinstance(x, str) else str(x)
    return y + "!"


def filtered(c: Any) -> Any:
    xs = [val(i) for i in range(-2, 3)]
    ints = [x for x in xs if isinstance(x, int)]
    strs = [x for x in xs if type(x) == str]
    return sum(ints), ",".join(strs), sorted(strs), ints


def deleted(c: Any) -> Any:
    x = val(c)
    del x
    x = val(-c)
    return x


def calculator(c: Any) -> Any:
    st = [1, "+", 2, "*", 3]
    acc = 0
    op = ""
    for t in st[:]:
        if isinstance(t, int):
            acc = acc + t if op != "*" else acc * t
        else:
            op = t
    return acc


def loop_until(c: Any) -> Any:
    x = val(c)
    while True:
        if isinstance(x, int):
            if x > 5:
                break
            x = x + 1
        else:
            x = len(x)
    return x


def chain_of_choices(c: Any) -> Any:
    x = 1 if c > 0 else None
    y = "a" if c > 2 else x
    if y:
        return y
    return "nothing"


def list_operators(c: Any) -> Any:
    s = [val(c)]
    s.extend([2, "z"])
    s += ["w"]
    s[0], s[1] = s[1], s[0]
    return s, s[1:3], s * 2, s + [4], list(reversed(s)), s.copy()


def rows(c: Any) -> Any:
    m = [[1, "a"], ["b", 2]]
    return m, m[0][1], m[c % 2][0]


def dict_filtered(c: Any) -> Any:
    d = {i: (i if i % 2 else "e") for i in range(4)}
    return {k: v for k, v in d.items() if isinstance(v, int)}, list(d.values())


PROGRAMS = [
    classes,
    equality,
    truth,
    two_of_them,
    in_a_loop,
    carried,
    instance_or_int,
    instance_text_or_none,
    list_or_text,
    converted,
    until_int,
    both_tests,
    chosen,
    doubled,
    added,
    ordered,
    negated,
    repeated,
    contained,
    subscripts,
    caught,
    captured,
    in_a_tuple,
    bool_or_text,
    bool_int_text,
    own_class,
    either_test,
    exact_class,
    bytes_or_text,
    as_key,
    in_a_list,
    in_a_set,
    appended,
    edited,
    dict_values,
    dict_display,
    comprehension,
    searched,
    lists_within,
    stack,
    tokens,
    unlike_keys,
    set_of,
    instances_within,
    shared_list,
    unpacked,
    generators,
    pairs_within,
    sum_of_known,
    none_first,
    tuples_compared,
    in_a_field,
    tuple_parts,
    into_a_dict,
    formatted,
    defaults,
    given_to_a_lambda,
    raised_text,
    best_so_far,
    arrays,
    list_methods,
    made_text,
    filtered,
    deleted,
    calculator,
    loop_until,
    chain_of_choices,
    list_operators,
    rows,
    dict_filtered,
]


def run(f: Any, arg: Any) -> tuple[str, ...]:
    try:
        got = f(copy.deepcopy(arg))
    except (TypeError, ValueError) as e:
        return type(e).__name__, str(e).split("\n")[0]
    return type(got).__name__, repr(got)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_python_does(f: Any) -> None:
    compiled = njit(f)
    for arg in (6, 3, 2, 1, 0, -1, -2, -3, -4):
        assert run(compiled, arg) == run(f, arg)


@pytest.mark.parametrize("f", [pick, edited, lists_within, dict_values, list_or_text, tokens])
def test_nothing_stays(f: Any) -> None:
    compiled = njit(f)
    for n in range(-4, 7):
        compiled(n)
    before = live()
    for n in range(110):
        compiled(n % 11 - 4)
    assert live() == before


def test_from_the_cache() -> None:
    for _ in range(2):
        compiled = njit(cache=True)(edited)
        assert [repr(compiled(n)) for n in range(6)] == [repr(edited(n)) for n in range(6)]


def iterated(n: Any) -> Any:
    x = [1, 2] if n > 0 else (3, 4)
    s = 0
    for v in x:
        s += v
    return s


def attribute(n: Any) -> Any:
    return val(n).upper()


def identity(n: Any) -> Any:
    return val(n) is val(-n)


def chain(n: Any) -> Any:
    return 0 < val(n) < 3


def largest(n: Any) -> Any:
    return max(val(n), val(-n))


def array_of(n: Any) -> Any:
    return np.array(val(n))


def changed_in_place(n: Any) -> Any:
    x = [1] if n > 0 else "a"
    x += x
    return x


def or_else(n: Any) -> Any:
    return val(n) or 5


@pytest.mark.parametrize("f", [iterated, identity, chain, largest, array_of, changed_in_place])
def test_what_is_refused_says_what_to_do(f: Any) -> None:
    with pytest.raises(UnsupportedError, match=r"a value that is .* or [\s\S]*isinstance"):
        njit(f)(3)


@pytest.mark.parametrize("f", [attribute, or_else])
def test_what_is_asked_by_its_type(f: Any) -> None:
    for n in (3, 0, -3):
        try:
            want = f(n)
        except AttributeError as e:
            with pytest.raises(AttributeError, match=str(e)):
                njit(f)(n)
        else:
            assert repr(njit(f)(n)) == repr(want)


def test_keys_of_numbers_that_may_be_equal() -> None:
    def f(n: Any) -> Any:
        d = {True: 1, "x": n}
        d[1] = 2
        return d

    with pytest.raises(TypingError, match="keys"):
        njit(f)(3)
