# SPDX-License-Identifier: BSD-3-Clause
"""Fields of classes that hold values of one type or another."""

import dataclasses
import gc

import pytest
from live_memory import live

import swathe


class Box:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v

    def put(self, v):
        self.v = v

    def doubled(self):
        return self.v + self.v


@dataclasses.dataclass
class Tok:
    kind: str
    value: object
    at: int = 0


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


class Linked:
    def __init__(self, v, rest):
        self.v = v
        self.rest = rest


def scan(text):
    out = []
    i = 0
    while i < len(text):
        c = text[i]
        if c.isdigit():
            k = i
            while k < len(text) and text[k].isdigit():
                k += 1
            out.append(Tok("NUM", int(text[i:k]), i))
            i = k
        else:
            out.append(Tok("OP", c, i))
            i += 1
    return out


def tokens(n):
    total, ops = 0, ""
    for t in scan("1+23*" + str(n)):
        v = t.value
        if isinstance(v, int):
            total += v
        else:
            ops += v
    return total, ops


def told(n):
    return [str(t) for t in scan("1+" + str(n))]


def equal(n):
    a, b = Tok("x", n), Tok("x", "1" if n > 1 else n)
    return a == b, b == Tok("x", "1"), a != b


def stored_later(n):
    b = Box(1)
    if n > 1:
        b.v = "a"
    else:
        b.put(n)
    return b.get(), b.doubled()


def evaluate(t):
    v = t.value
    if isinstance(v, str):
        a, b = evaluate(t.left), evaluate(t.right)
        return a + b if v == "+" else a * b
    return v


def tree(n):
    return evaluate(Node("+", Node(n), Node("*", Node(4), Node(n))))


def in_one_list(n):
    nodes = [Node("+"), Node(n), Node(None)]
    nodes[0].left, nodes[0].right = nodes[1], nodes[2]
    return [t.value for t in nodes], nodes[0].left.value, nodes[0].right.value is None


def bools(n):
    b = Box(True)
    c = [b.v]
    b.v = n
    c.append(b.v)
    return c


def none_besides(n):
    b = [Box(None), Box("a"), Box(n), Box((n, "b")), Box([n])]
    return [x.v for x in b if x.v is not None], b[0].v is None


def chain(n):
    head = None
    for i in range(n):
        head = Linked(i if i % 2 else str(i), head)
    out = []
    while head is not None:
        out.append(head.v)
        head = head.rest
    return out


def held_by_another(n):
    a = Box(Box(n))
    a.v.v = "x"
    b = Box(Box(1.5))
    b.v = n
    return a.v.v, b.v


def swapped(n):
    a, b = Box(n), Box("b")
    a.v, b.v = b.v, a.v
    old = a.v
    a.put(b.v)
    return a.v, b.v, old


def fails(n):
    b = Box(1)
    if n > 1:
        b.v = "a"
    try:
        return b.v - 1, ""
    except TypeError as e:
        return 0, str(e)


def given(n):
    def made():
        b = Box(0)
        for i in range(n):
            yield b.v
            b.v = i if i % 2 else str(i)

    return list(made())


FORMS = [tokens, told, equal, stored_later, tree, in_one_list, bools, none_besides, chain]
FORMS += [held_by_another, swapped, fails, given]


def shown(x):
    if isinstance(x, (Box, Tok, Node)):
        return type(x).__name__, {k: shown(v) for k, v in vars(x).items()}
    return [shown(v) for v in x] if isinstance(x, list) else repr(x)


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_as_python(f):
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 3):
        assert shown(compiled(n)) == shown(f(n))


def mixed(n):
    return [Box(n), Box("a"), Box((n, None)), Box([n])]


def one(n):
    b = Box(1)
    if n > 1:
        b.v = "a"
    return b


def alike(n):
    return [Node(n), Node("x", Node("y"))]


@pytest.mark.parametrize("f", [one, alike, mixed, scan], ids=lambda f: f.__name__)
def test_what_python_gets(f):
    compiled = swathe.njit(f)
    for n in ("1+22*3", "") if f is scan else (1, 2):
        assert shown(compiled(n)) == shown(f(n))


def test_what_was_stored_is_let_go():
    compiled = [swathe.njit(f) for f in (chain, in_one_list, stored_later, swapped)]
    for f in compiled:
        f(3)
    gc.collect()
    before = live()
    for f in compiled * 3:
        f(5)
    gc.collect()
    assert live() == before


def test_declared_fields_stay_what_they_are():
    @dataclasses.dataclass
    class Told:
        v: int

    @swathe.njit
    def f(n):
        t = Told(n)
        t.v = "a"
        return t.v

    with pytest.raises(swathe.errors.TypingError, match="'v' of Told is int, and this is str"):
        f(1)
