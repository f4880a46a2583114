# SPDX-License-Identifier: BSD-3-Clause
"""Programs over plain classes, as people write them: what they yield is what CPython yields."""

import heapq
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import pytest
from live_memory import live

import swathe

njit = swathe.njit


class Listed:
    def __init__(self, x):
        self.c = list(x)


class Two:
    def __init__(self, x):
        self.c = [v for v in x]
        self.d = {i: v for i, v in enumerate(x)}


def of_either(c):
    return Listed([i * a for i, a in enumerate(c)] or [0]).c


def of_either_two(c):
    x = [a for a in c] or [0]
    two = Two(x)
    return two.c, two.d


def of_field(p):
    return Listed([i * a for i, a in enumerate(p.c)][1:] or [0]).c


def test_lists_of_what_became_wider_keep_what_they_hold():
    c = [1.0, 0.5, 2.0]
    assert njit(of_either)(c) == of_either(c)
    assert njit(of_either_two)(c) == of_either_two(c)
    assert njit(of_field)(Listed(c)) == of_field(Listed(c))


class Op(Enum):
    PUSH = 1
    MUL = 2
    DEC = 3
    JNZ = 4
    HALT = 5


class Where(NamedTuple):
    file: str
    line: int


@dataclass
class Instruction:
    op: Op
    arg: int = 0
    at: Where = Where("", 0)


class Machine:
    def __init__(self, code):
        self.code = code
        self.stack = []
        self.pc = 0
        self.seen = {}
        self.last = Op.HALT

    def run(self):
        while True:
            x = self.code[self.pc]
            self.pc += 1
            self.seen[x.op] = self.seen.get(x.op, 0) + 1
            self.last = x.op
            match x.op:
                case Op.PUSH:
                    self.stack.append(x.arg)
                case Op.MUL:
                    b, a = self.stack.pop(), self.stack.pop()
                    self.stack.append(a * b)
                case Op.DEC:
                    self.stack[-1] -= 1
                case Op.JNZ:
                    if self.stack[-1]:
                        self.pc = x.arg
                case Op.HALT:
                    return self.stack[-1]


def run(m):
    return m.run(), m.code[0].at.line


def compiled_here():
    code = [Instruction(Op.PUSH, 6, Where("a", 1)), Instruction(Op.PUSH, 7), Instruction(Op.MUL)]
    code.append(Instruction(Op.HALT))
    m = Machine(code)
    return m.run(), code[0], code[1], m.last


def moved(x):
    x.at = Where(x.at.file + "!", x.at.line + 1)
    x.op = Op.HALT if x.op is Op.DEC else Op.DEC
    return x.at


@dataclass
class Plan:
    todo: list[Op] = field(default_factory=list)
    cost: dict[Op, int] = field(default_factory=dict)


def plan(p):
    for op in p.todo:
        p.cost[op] = p.cost.get(op, 0) + 1
    p.todo.append(Op.DEC)
    return p.todo[0]


def machine():
    at = Where("f", 3)
    codes = ((Op.PUSH, 4), (Op.DEC, 0), (Op.JNZ, 1), (Op.PUSH, 9), (Op.MUL, 0), (Op.HALT, 0))
    return Machine([Instruction(op, n, at) for op, n in codes])


def test_members_of_enums_and_named_tuples_are_fields():
    results = []
    for f in (run, njit(run)):
        m = machine()
        first = m.code[0]
        results.append((f(m), m.stack, m.pc, m.seen, m.last, m.code))
        assert m.code[0] is first and first.op is Op.PUSH and first.at is m.code[1].at
    assert results[0] == results[1]
    assert njit(compiled_here)() == compiled_here()
    results = []
    for f in (moved, njit(moved)):
        x = Instruction(Op.DEC, 0, Where("x", 7))
        results.append((f(x), x, f(x), x))
    assert results[0] == results[1]
    results = []
    for f in (plan, njit(plan)):
        p = Plan([Op.MUL, Op.PUSH, Op.MUL], {Op.PUSH: 5})
        results.append((f(p), p, list(p.cost)))
    assert results[0] == results[1]


def test_a_field_that_is_to_be_a_member():
    f = njit(moved)
    f(Instruction(Op.DEC))
    before = live()
    for op, is_ in ((3, "int"), ("DEC", "str")):
        with pytest.raises(TypeError, match=f"'op' of Instruction is Op.*this is of type {is_}"):
            f(Instruction(op))
    assert live() == before


class Growing:
    def __init__(self, items):
        self.items = items
        self.more = None


class Other:
    def __init__(self, n):
        self.n = n


def first(g):
    return g.items[0], g.more is None


def test_what_objects_hold_is_told_by_all_of_them():
    f = njit(first)
    a, b = Growing([1, 2]), Growing([0.5])
    assert f(a) == (1, True) and f(b) == (0.5, True)
    a.more = b  # one of two: what the other one holds tells as much
    assert f(a) == (1, False)
    b.more = Growing(["x"])
    with pytest.raises(TypeError, match="field 'items' of Growing is"):
        f(a)
    b.more = Growing([])
    assert f(a) == (1, False) and f(b) == (0.5, False)
    c = Growing([1])
    c.items = [Other(i) for i in range(20)]
    c.items[7].n = 2.5
    g = njit(lambda c: sum(x.n for x in c.items))
    assert g(c) == sum(x.n for x in c.items)
    c.items[9] = 3
    with pytest.raises(TypeError, match="list of unlike values"):
        g(c)
    Growing.__len__ = lambda self: 1  # another class, of which all is asked anew
    assert f(b) == (0.5, False) and njit(lambda g: len(g))(b) == 1


@dataclass(order=True)
class Event:
    time: float
    seq: int
    kind: str = field(compare=False, default="")


@dataclass
class Chained:
    event: Event
    next: "Chained | None" = None


class Agenda:
    def __init__(self):
        self.queue = []
        self.done = None
        self.n = 0

    def schedule(self, time, kind):
        heapq.heappush(self.queue, Event(time, self.n, kind))
        self.n += 1

    def run(self, until):
        while self.queue and self.queue[0].time <= until:
            e = heapq.heappop(self.queue)
            self.done = Chained(e, self.done)
            if e.kind == "arrive":
                self.schedule(e.time + 1.5, "depart")
                self.schedule(e.time + 1.0, "arrive")
        return self.n


def simulate(agenda, until):
    return agenda.run(until)


def test_what_is_declared_is_made_beside_what_came_from_python():
    results = []
    for f in (simulate, njit(simulate)):
        a = Agenda()
        a.schedule(0.5, "arrive")
        first = a.queue[0]
        a.done = Chained(Event(0.0, -1))
        results.append((f(a, 4.0), a.n, sorted(a.queue), a.done))
        last = a.done
        while last.next.next is not None:
            last = last.next
        assert last.event is first
    assert results[0] == results[1]
