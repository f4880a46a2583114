# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Histories of compiled functions: calls with types that change, and what changes between them.

A program is a list of events: calls with one argument after the other, globals, defaults, cells,
attributes and helpers that become others, twins with other options, copies, pickles, threads, a
forked child, damage in the disk cache, the same name written again. The outcome of each event is
compared with CPython's; at the end nothing that was passed is held.
"""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import tempfile
from typing import Any

import numpy as np
from harness import differ
from live_memory import live

import swathe

from . import judge as judging
from .draw import Draws
from .judge import Difference, Outcome, Rules, Verdict, environment
from .program import Outside, forget, load
from .told_histories import Compiled, Plain

HEADER = """import copy
import functools
import math
import pickle
import types

import numpy as np

from swathe import objmode

K = 3
RATE = 2.5
A = np.arange(4.0)
LONG = [1, 2, 3]
TABLE = {'a': 2, 'b': 1.5}
MOD = types.SimpleNamespace()
MOD = types.ModuleType('mod')
MOD.rate = 4


class C:
    rate = 2


class Box:
    def __init__(self, v):
        self.v = v


class Hold:
    pass


def h(x):
    return x + K


def h2(x):
    return x * RATE


def other(x):
    return x - K


helper = h


def set_k(v):
    global K
    K = v


def set_helper(v):
    global helper
    helper = v


def back(x):
    set_k(K)
    return float(x) + 0.5


def back_changes(x):
    set_k(K + 1)
    return float(x) + 0.5


def cell(k):
    def get(x):
        return x * k

    def put(v):
        nonlocal k
        k = v

    return get, put


"""
# what one function does with x and y, by name: what it looks at changes between its calls
BODIES = {
    "global": "return x * K + y",
    "helper": "return helper(x) + y",
    "helpers": "return h(x) + h2(y)",
    "class": "return x + C.rate * y",
    "module": "return x - MOD.rate + y",
    "item": "return x * TABLE['a'] + TABLE['b']",
    "array": "return x + A[1] + A.sum() + y",
    "list": "return x + LONG[-1] + len(LONG)",
    "branch": "if y > 3:\n        return x + K\n    return x + RATE",
    "known": "if K > 3:\n        return x * 1.5\n    return x",
    "fails": "if y > 5:\n        raise ValueError('large')\n    return x * K",
    "division": "return x + K // y",
    "array_out": "return np.full(3, K) + x",
    "in_place": "z = np.asarray(x)\n    if z.ndim:\n        z[:1] += y\n    return z * K",
    "loop": "s = y\n    for i in range(K):\n        s += i\n    return s",
    "more": "return x + y + len(more)",
    "shape": "return np.shape(x), np.ndim(x), np.size(x)",
    "view": "return np.asarray(x).T[..., ::-1], y",
    "sum": "return np.asarray(x).sum() + y",
    "same": "return x, y",
    "tuple": "return (x, K), helper(y)",
    "box": "return x.v * K + y",
    "box_out": "b = Box(y)\n    b.v += K\n    return b.v + x",
    "inner": "def inner(z):\n        return z * K + y\n    return inner(x)",
    "lambda": "q = lambda z: helper(z) + y\n    return q(x)",
    "text": "return f'{K}', x",
    "objmode": "with objmode(r='float64'):\n        r = back(y)\n    return float(r) + x",
    "objmode_changes": "with objmode(r='float64'):\n        r = back_changes(y)\n    return float(r) + x",
    "caught": "try:\n        return x + 10 // y\n    except ZeroDivisionError:\n        return x + K",
    "recursion": "return x + (0 if y <= 0 else f(x, y - 1))",
    "generator": "s = 0\n    for v in each(y):\n        s += v\n    return s + x",
    "list_out": "r = [y]\n    r.append(K)\n    return r",
    "set_global": "set_k(y)\n    return x",
}
GENERATOR = "def each(n):\n    for i in range(3):\n        yield i * n + K\n\n\n"
PARAMETERS = ("x, y=2", "x, y=2, *more", "x, /, y=K", "x, *, y=2", "x, y=2.5", "x, y=C.rate")
NUMBERS = (
    "3", "-2", "0", "True", "2.5", "-0.0", "1.5 + 2j", "np.bool_(True)", "np.int8(-3)", "np.uint8(200)",
    "np.uint64(7)", "np.int64(5)", "np.float16(1.5)", "np.float32(0.25)", "np.float64(-1.5)",
    "np.complex64(1 - 2j)", "np.int32(4)", "math.inf", "10**6",
)  # fmt: skip
ARRAYS = (
    "np.arange(4)", "np.arange(4.0)", "np.arange(6.0).reshape(2, 3)", "np.zeros(0)", "np.zeros((0, 3), np.int32)",
    "np.arange(6, dtype=np.float32).reshape(2, 3).T", "np.arange(8)[::2]", "np.arange(5.0)[::-1]", "np.array(2.5)",
    "np.arange(3, dtype=np.uint8)", "np.array([True, False])", "np.arange(3) + 1j", "frozen(np.arange(3.0))",
    "np.arange(24).reshape(2, 3, 4)[:, 1]", "np.broadcast_to(np.arange(3), (2, 3))", "np.arange(3, dtype=np.float16)",
    "np.asfortranarray(np.ones((2, 2)))", "np.arange(9, dtype='>i4')", "np.zeros((1, 1))",
)  # fmt: skip
OTHERS = (
    "None", "'ab'", "(1, 2.5)", "[1, 2]", "{1: 2}", "Box(3)", "Box(1.5)", "2**70", "2**64", "b'x'", "[]", "()",
    "np.array(['a'])", "object()", "Box(Box(1))", "range(3)", "np.array([None, 1])", "np.datetime64('2020-01-01')",
    "{1, 2}", "h", "slice(1, 2)", "Ellipsis", "[1.5, None]", "(np.arange(2), 1)", "[np.arange(2)]",
)  # fmt: skip
SMALL = ("1", "3", "0", "-1", "7", "2.5", "np.float32(1.5)", "np.int64(4)", "True", "np.arange(3)")
CHANGES = (
    "set_k({n})", "set_k({n})", "t.aside(set_k, {n})", "set_helper(h2)", "set_helper(other)", "set_helper(h)",
    "t.aside(set_helper, h2)", "C.rate = {n}", "MOD.rate = {n}", "TABLE['a'] = {n}", "TABLE.update(b={n})",
    "A[1] = 7", "LONG.append({i})", "LONG.pop()", "t.defaults({g}, {n})", "put({n})", "set_k(np.arange(3.0))",
    "set_helper(abs)", "set_helper(lambda x: x * 3)", "set_helper(lambda x: x * 3.5 + K)", "C.rate = None",
    "set_helper(t.jit(h2))", "LONG[0] = {i}", "A.fill(2)", "TABLE['a'] = 'z'", "set_k('k')", "set_k({i})",
    "h.__code__ = {c}.__code__", "t.code({g}, {c})", "set_helper(functools.partial(pow, 3))", "TABLE.pop('a', None)",
    "TABLE.setdefault('a', {n})", "set_k(None)", "set_k((1, 2))", "set_helper(math.floor)", "set_helper(np.negative)",
)  # fmt: skip
TWINS = (
    "t.jit({g})", "t.jit({g}, parallel=True)", "t.jit({g}, boundscheck=False)", "t.jit({g}, error_model='python')",
    "t.jit({g}, cache=True)", "t.jit({g}, cache=False)", "t.jit({g}, nogil=True)", "t.jit({g}, opt_level=0)",
    "copy.copy({g})", "copy.deepcopy({g})", "pickle.loads(pickle.dumps({g}))", "t.jit({g}, debug=True)",
    "t.again({g})", "t.written({g}, {body!r})", "t.jit({g}, inline='always')",
)  # fmt: skip
ASKED = (
    "explain", "inspect_types", "inspect_llvm", "inspect_asm", "inspect_ir", "recompile", "signatures", "overloads",
    "stats", "__repr__", "__name__", "py_func", "__doc__", "__module__", "__wrapped__", "__defaults__", "nopython_signatures",
)  # fmt: skip
DAMAGES = ("truncate", "junk", "foreign", "delete", "empty", "unreadable", "clear", "folder")


class Writer(Draws):
    INDENT = "    "

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed * 7919 + 11)
        self.count, self.depth, self.lines = 0, 1, []
        self.functions: list[str] = []
        self.bodies: list[str] = []

    def argument(self) -> str:
        form = self.r.random()
        if form < 0.45:
            return self.pick(*NUMBERS)
        if form < 0.8:
            return self.pick(*ARRAYS)
        if form < 0.85:
            return f"Box({self.pick(*NUMBERS)})"
        return self.pick(*OTHERS)

    def call(self, g: str) -> str:
        x, y = self.argument(), self.pick(*SMALL)
        return self.pick(
            f"{g}({x})", f"{g}({x})", f"{g}({x}, {y})", f"{g}({x}, y={y})", f"{g}(y={y}, x={x})",
            f"{g}(*({x}, {y}))", f"{g}(**{{'x': {x}}})", f"{g}({x}, {y}, 1, 2.5)", f"{g}()",
            f"{g}({x}, z=1)", f"{g}({x}, {y}, y=1)", f"{g}({y}, {y})", f"{g}({x}, {y})",
        )  # fmt: skip

    def use(self, g: str) -> str:
        x, y = self.pick(*NUMBERS), self.pick(*SMALL[:4])
        z = self.pick(*ARRAYS)
        return self.pick(
            f"functools.partial({g}, {x})({y})", f"functools.partial({g}, y={y})({x})",
            f"list(map({g}, [1, 2.5, {x}]))", f"functools.lru_cache({g})({x})",
            f"t.threads({g}, [{x}, {y}, {z}, 2.5, {x}])", f"t.threads({g}, [1, 2, 3, 4, 5, 6])",
            f"t.forked({g}, {x})", f"t.forked({g}, {z})", f"type('M', (), {{'m': {g}}})().m({y})",
            f"type('M', (), {{'m': staticmethod({g})}})().m({x}, {y})",
            f"type('M', (), {{'m': classmethod({g})}}).m({y})",
            f"type('M', (), {{'m': property({g}), 'v': {x}}})().m", f"sorted([3, 1, 2], key={g})",
            f"max([1, 2, 3], key={g})", f"functools.reduce({g}, [1, 2, 3])", f"{g}(a := {z}, y={y})",
            f"[{g}(v) for v in ({x}, {y}, {z})]", f"{g}({g}({x}), {y})", f"t.shared({g}, {z})",
            f"t.overlaps({g})", f"t.nested({g}, {x})", f"t.calls({g}, {x})", f"get({x})",
        )  # fmt: skip

    def event(self) -> None:
        g, form = self.pick(*self.functions), self.r.random()
        step = "t.step(lambda: {})"
        if form < 0.5:
            self.add(step.format(self.call(g)))
            if self.chance(0.3):
                self.add(self.lines[-1].strip())
        elif form < 0.68:
            change = self.pick(*CHANGES).format(
                g=g, n=self.pick(*SMALL), i=self.pick("4", "1", "0"), c=self.pick("h2", "other")
            )
            plain = " = " in change or change.startswith("del ")
            self.add(f"if t.does():\n        {change}" if plain else f"t.change(lambda: {change})")
            if self.chance(0.7):
                self.add(step.format(self.call(g)))
        elif form < 0.8:
            self.add(step.format(self.use(g)))
        elif form < 0.9:
            body = self.pick(*BODIES.values())
            twin = self.pick(*TWINS).format(
                g=g, body=f"def f({self.pick(*PARAMETERS)}):\n    {body}"
            )
            new = self.pick(g, self.fresh("g"))
            self.add(f"{new} = {twin}")
            if new not in self.functions:
                self.functions.append(new)
            self.add(step.format(self.call(new)))
        elif form < 0.95:
            self.add(f"t.ask({g}, {self.pick(*ASKED)!r})")
        else:
            self.add(f"t.damage({self.pick(*DAMAGES)!r})")

    def text(self) -> str:
        body = self.pick(*BODIES)
        if self.chance(0.1):
            f = "f, also = lambda x, y=2: x * K + y, lambda x, y=1: x - K * y\n\n\n"
        else:
            parameters = self.pick(*PARAMETERS)
            if body == "more":
                parameters = PARAMETERS[1]
            f = f"def f({parameters}):\n    {BODIES[body]}\n\n\ndef also(x, y=1):\n    {self.pick(*BODIES.values())}\n\n\n"
            f = (
                f
                if "more)" not in f.split("def also")[1]
                else f.replace("also(x, y=1)", "also(x, y=1, *more)")
            )
        self.functions = ["f", "also"] if self.chance(0.4) else ["f"]
        self.add("global f, also")
        self.add("get, put = t.cells(cell, 3)")
        for g in self.functions:
            self.add(f"{g} = t.jit({g})")
        for _ in range(self.pick(4, 8, 12)):
            self.event()
        return HEADER + GENERATOR + f + "def fuzzed(t):\n" + "\n".join(self.lines) + "\n"


def text(seed: int) -> str:
    return Writer(seed).text()


# two paths join to one type; so does a global that a function sets
JOINS = re.compile(r"set_k\(y|return x \+ RATE|except ZeroDivisionError|return x\n|y <= 0")


def difference(want: Outcome, got: Outcome, rules: Rules) -> tuple[str, str] | None:
    """Of one event; an event that the compiler refuses in words is none."""
    if isinstance(got.error, judging.errors.InternalError):
        return judging.internal(got.error)
    if rules.refused(got.error) or told_late(got.error):
        return None
    if want.error is not None and got.error is not None:
        same = isinstance(got.error, judging.error_class(want.error)) or isinstance(
            want.error, judging.error_class(got.error)
        )
        names = [type(o.error).__name__ for o in (want, got)]
        text = f"{judging.said(want.error)} expected, got {judging.said(got.error)}"
        return None if same else (f"{names[0]} -> {names[1]}", text)
    if want.error is not None or got.error is not None:
        return "error", f"{said(want)} expected, got {said(got)}"
    wanted, value = plain(want.value), plain(got.value)
    found = differ(wanted, judging.like(wanted, value) if rules.joins else value, rules.options)
    return (rules.kind_of(found), found) if found else None


def told_late(error: BaseException | None) -> bool:
    """Documented: an int that int64 has no place for, a global that changed under compiled code."""
    return isinstance(error, OverflowError) or (
        isinstance(error, (RuntimeError, TypeError)) and "compiled" in str(error)
    )


def plain(value: Any) -> Any:
    """Instances as what they hold."""
    if type(value).__name__ == "Box":
        return "Box", plain(value.v)
    if type(value) in (tuple, list):
        return type(value)(plain(v) for v in value)
    if isinstance(value, np.ndarray):
        return value.astype(value.dtype.newbyteorder("="))  # compiled code has no other
    if isinstance(value, (Plain, swathe.Dispatcher)):
        return "a function"
    known = (int, float, complex, str, bytes, np.generic, dict, set, range, type(None))
    if not isinstance(value, (*known, *judging.FUNCTIONS)):
        return type(value).__name__
    return judging.named(value)


def said(o: Outcome) -> str:
    return judging.said(o.error, o.value)


def history(text: str, make: Any) -> list[tuple[str, Outcome]]:
    module = load(text)
    t = make(module)
    module.frozen = frozen
    try:
        module.fuzzed(t)
    finally:
        t.end()
        forget(module)
    return t.log


def held() -> dict[str, int]:
    """What compiled code has for itself; classes, and what their modules hold, stay."""
    return live() | {"functions": 0}


def frozen(x: Any) -> Any:
    x.flags.writeable = False
    return x


def judged(want: list, got: list, rules: Rules, mode: str) -> Verdict:
    refused: list[str] = []
    for (line, w), (_, g) in zip(want, got, strict=True):
        found = difference(w, g, rules)
        if not found and not rules.refused(g.error) and not told_late(g.error):
            found = difference(Outcome(w.args, None, ()), Outcome(g.args, None, ()), rules)
        if found:
            return Verdict("differs", Difference(mode, found[0], f"{line}: {found[1]}"))
        if rules.refused(g.error):
            refused.append(str(g.error).split("\n", maxsplit=1)[0])
    if len(refused) > len(got) // 2:
        return Verdict("refused", why=refused[0])
    return Verdict("same")


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    rules = Rules(joins=bool(JOINS.search(text.split(GENERATOR)[-1])))
    try:
        want = history(text, Plain)
    except Outside as e:
        return Verdict("outside", why=str(e))
    except Exception as e:
        return Verdict("outside", why=f"{type(e).__name__}: {e}")
    folder = tempfile.mkdtemp(prefix="histories-")
    before = held()
    disk = {"SWATHE_CACHE_DIR": folder, "SWATHE_CACHE_SIZE": "512"} if seed % 2 else {}
    try:
        with environment(disk):
            found = judged(want, history(text, lambda m: Compiled(m, folder, want)), rules, mode)
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    if not found.difference and held() != before:
        return Verdict("differs", Difference(mode, "leak", f"{held()} after {before}"))
    return found
