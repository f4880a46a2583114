"""Dicts whose keys are known and whose values are unlike: options, results, tables of functions.

`**options` and `**keywords`, one of several functions, what named tuples have by such dicts, and
variables that `nonlocal` finds set behind the function.
"""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

import numpy as np
import pytest

import swathe

DEFAULTS = {"rate": 0.5, "steps": 4, "kind": "sgd"}
OPS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}


class Edge(NamedTuple):
    u: int
    v: int
    w: float


def smooth(x, width=3, mode="same", scale=1.0):
    return np.convolve(x, np.ones(width) / width * scale, mode=mode)


def area(*, w=1.0, h=2.0, **rest):
    return w * h + len(rest)


def forward(x, **more):
    return area(w=x, **more)


def styled(x, **options):
    w = options.get("width", 2)
    if "offset" in options:
        return x * w + options["offset"]
    return x * w


def descend(state, options):
    return state - options["rate"] * 2 * (state - 3)


def local_options(n):
    cfg = {"rate": 0.25, "steps": n, "name": "quad", "verbose": False}
    x = 0.0
    for _ in range(cfg["steps"]):
        x = descend(x, cfg)
        if cfg["verbose"]:
            break
    return (
        x,
        cfg["name"],
        len(cfg),
        "steps" in cfg,
        "no" not in cfg,
        cfg.get("no"),
        cfg.get("no", n),
    )


def stores(n):
    state = {"count": 0, "mean": 0.0, "name": "s", "w": np.zeros(2)}
    w = state["w"]
    for i in range(n):
        state["count"] += 1
        state["mean"] += (i - state["mean"]) / state["count"]
        state["w"] += i
    state["extra"] = "new"
    state["name"] = n
    return w, state, list(state), dict(a=n, b="q"), {**DEFAULTS, "rate": n}, state["count"]


def unpacked(n):
    x = np.arange(6.0) * n
    options = dict(width=5, mode="full")
    axes = {"axis": 0, "keepdims": True}
    both = smooth(x, **options), smooth(x, **{"mode": "valid", "scale": 2.0})
    sums = np.sum(x.reshape(2, 3), **axes), np.linspace(0, 1, **{"num": n + 1})
    more = forward(2.0), forward(2.0, h=3.0), forward(x=2.0, h=1.0, q=2, r="s")
    return both, sums, more, styled(n, width=3), styled(n, offset=1.5), styled(n)


def gone_through(n):
    out, kinds = [], {"a": n, "b": n * 0.5, "c": "xyz"}
    for k in kinds:
        out.append(k)
    for k, v in DEFAULTS.items():
        if k == "steps":
            n += v
    return out, n, [k for k in kinds], sorted(kinds), tuple(DEFAULTS)


def nested(n):
    cfg = {"model": {"units": 3, "act": np.abs, "rate": 0.5}, "data": {"n": n, "name": "d"}}
    best = None
    for i in range(n):
        best = {"i": i, "value": cfg["model"]["act"](i * cfg["model"]["rate"])}
    if best is None:
        return -np.abs(1.0), 0
    return best["value"], cfg["data"]["n"] + best["i"]


def made(scale):
    return {"scale": scale, "name": "q", "sides": [1, 2]}


def results(n):
    a = made(n * 0.5)
    b = made(2.0)
    a["scale"] += b["scale"]
    return a, b["sides"], a == b, a != made(n * 0.5 + 2), bool(n) and isinstance(a, dict)


def calculator(n):
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    stack = []
    for t in ("7 2 + 3 * " + "1 - " * n).split():
        if t in ops:
            b = stack.pop()
            a = stack.pop()
            stack.append(ops[t](a, b))
        else:
            stack.append(float(t))
    return stack


def machine(n):
    stack = []

    def push(k):
        stack.append(k)

    def add(k):
        stack.append(stack.pop() + stack.pop() + k)

    table = {"push": push, "add": add}
    for name in ["push", "push", "add", "no"][:n]:
        table[name](n)
    return stack


def chosen(n):
    functions = [lambda t: t * 2, lambda t: t + 0.5, abs]
    f = functions[n - 1]
    return f(-1.5), functions[-n](2.0), OPS["add" if n > 1 else "mul"](n, 3)


def named(n):
    e = Edge(1, n, 0.5)
    f = e._replace(w=e.w * n, u=7)
    return f, e, Edge._fields, e._fields, f._asdict(), f._asdict()["w"]


def behind(n):
    def bump(k):
        nonlocal total
        total += k

    def twice(k):
        bump(k)
        bump(k)

    total = 0
    for i in range(n):
        twice(i)
    return total


class Short(Exception):
    def __init__(self, need, have, why="none"):
        super().__init__(f"{need} of {have}: {why}")
        self.need = need
        self.have = have
        self.text = str(need)


def take(balance, amount):
    if balance < amount:
        raise Short(amount, balance)
    return balance - amount


def caught(n):
    balance, missing = 5.0, []
    for k in range(n):
        try:
            balance = take(balance, k * 2.5)
        except Short as e:
            missing.append(e.need - e.have)
            if k > 3:
                raise
    return balance, missing


def matched(n):
    a = {"x": n, "y": 0.5}
    match a:
        case {"x": 1}:
            return "one", 0
        case {"x": k, "y": y}:
            return "more", k + int(y)
    return "none", 0


def views(n):
    d = {"a": 1}
    rows = [1]
    names = d.keys()
    items = d.items()
    values = d.values()
    for k in range(n):
        d["k" + str(k)] = k
        rows.append(len(names) + sum(values))
    out = [v for k, v in items if k in names]
    return list(names), len(items), out, rows, "k1" in names


def library(n):
    add = functools.partial(lambda a, b, c=0, d=1: a * 100 + b * 10 + c + d, n, c=5)
    rows = [p for p in itertools.permutations((1, n, 3))]
    return add(1), add(1, d=7), add(2, c=1), rows, list(itertools.permutations(range(3)))


PROGRAMS = [local_options, stores, unpacked, gone_through, nested, results, calculator, machine,
            chosen, named, behind, library, caught, matched, views]  # fmt: skip


def outcome(f, *args):
    try:
        return repr(f(*args))
    except Exception as e:
        return f"{type(e).__name__}: {e.args[:1]}".split("\\n")[0]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 3, 4):
        got, want = outcome(compiled, n), outcome(f, n)
        assert got.split(":")[0] == want.split(":")[0] if "Error" in want else got == want, n


def test_arguments():
    def f(d):
        if "w" in d:
            d["l"].append(3)
            return d["w"] * d["b"], d["m"] == "full", d["l"], len(d)
        return d["b"], d.get("a"), d.get("f")

    compiled = swathe.njit(f)
    for make in (
        lambda: {"a": 1, "b": 2.5, "m": "full", "w": np.ones(3), "l": [1, 2]},
        lambda: {"a": 1, "b": "x", "f": None},
        lambda: {"a": 1, "b": 0.5},
        lambda: {"b": 1, "a": 0.5},
    ):
        ours, theirs = make(), make()
        assert repr(compiled(ours)) == repr(f(theirs))
        assert repr(ours) == repr(theirs)


def test_arrays_of_unlike_axes():
    def layers(x, p, n):
        for _ in range(n):
            x = layer(x, p)
        return x, [k for k in p], sum(v.size for v in p.values())

    def layer(x, p):
        return np.tanh(x @ p["W"] + p["b"])

    x = np.arange(6.0).reshape(2, 3) / 6
    for w, b in ((np.float64, np.float64), (np.float32, np.float64), (np.float64, int)):
        p = {"W": np.eye(3, dtype=w), "b": np.ones(3, b)}
        want, got = layers(x, p, 2), swathe.njit(layers)(x, p, 2)
        np.testing.assert_allclose(got[0], want[0], rtol=1e-14)
        assert got[0].dtype == want[0].dtype and got[1:] == want[1:]


def stepped(p, lr):
    grads = {k: 2 * v for k, v in p.items()}
    norm = sum((g * g).sum() for g in grads.values()) ** 0.5
    clip = min(1.0, 1.0 / norm)
    moved = {k: p[k] - lr * clip * grads[k] for k in p}
    sizes = {k: v.size for k, v in moved.items()}
    return moved, {k: np.zeros_like(v) for k, v in p.items()}, sizes, [k + "!" for k in p.keys()]


def beside(a, b):
    t, u = (a, b), (b, a)
    return (
        [i * x.size for i, x in enumerate(t, 1)],
        sum(x.sum() * y.sum() for x, y in zip(t, u)),
        max(x.ndim for x in t),
        {k: x.sum() for k, x in zip(("p", "q"), t)},
        {"t": [x.ndim for x in t], "n": {i: x.size for i, x in enumerate(t)}},
    )


def shadowed(p):
    return {p: p + "?" for p in p}, [v for v in p.values()][0].size, {v: k for k, v in zip(p, p)}  # noqa: B905


def test_comprehensions_that_are_written_out():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3)
    for f, args in (
        (stepped, ({"W": a, "b": np.ones(2)}, 0.5)),
        (beside, (a, b)),
        (shadowed, ({"W": a, "b": b},)),
    ):
        for options in ({}, {"parallel": True}, {"debug": True}):
            assert repr(swathe.njit(f, **options)(*args)) == repr(f(*args))


def test_globals_are_looked_at():
    table = {"x": 1, "y": 0.5}

    def f(k):
        return table.get("x"), [q for q in table], table[k] if k == "x" else 0

    compiled = swathe.njit(f)
    assert compiled("x") == f("x")
    table["x"] = 2
    assert compiled("x") == f("x")
    table["z"] = "more"
    assert compiled("x") == f("x")
    del table["z"], table["y"]
    assert compiled("x") == f("x")


HEAD = "import numpy as np\ndef keep(d): return d\ndef change(d): d['x'] = 5\n"
REFUSED = [("return np.sum(np.ones(n), **{str(n): 0})", "keys are known")]
AS_VALUES = [  # a dict that isn't one of values by their names is one of a type for all
    "a = {'x': 1.5, 'y': .5}; k = str(n); a[k] = 2.5; return a['x'], a[k]",
    "a = {'x': 1, 'y': .5}; del a['x']; return len(a), a['y']",
    "a = {'x': 1, 'y': .5}; return a is keep(a)",
    "a = {'x': 1, 'y': .5}; b, c = a; return b + c",
    "a = {'x': 1, 'y': .5}; return a['no']",
    "a = {'x': 1, 'y': .5}\nif n: a['z'] = 2\nreturn len(a)",
]


def compiled_text(body, tmp_path):
    path = tmp_path / "refused.py"
    text = HEAD + "def f(n):\n    " + body.replace("; ", "\n").replace("\n", "\n    ") + "\n"
    path.write_text(text.replace("\n        \n", "\n"))
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"], swathe.njit(names["f"])


@pytest.mark.parametrize("body", AS_VALUES)
def test_as_values(body, tmp_path):
    f, compiled = compiled_text(body, tmp_path)
    for n in (0, 2):
        try:
            want = f(n)
        except KeyError as e:
            with pytest.raises(KeyError, match=e.args[0]):
                compiled(n)
            continue
        assert compiled(n) == want


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_refused(body, words, tmp_path):
    _, compiled = compiled_text(body, tmp_path)
    with pytest.raises((swathe.CompileError, KeyError), match=words):
        compiled(2)


# several names, elements of lists, and what runs on the way out: objects
SHARED = [
    "a = {'x': 1, 'y': .5}; b = a; b['x'] = n; return a['x']",
    "a = {'x': 1, 'y': .5}; b = keep(a); a['x'] = n; return b['x']",
    "a = {'x': 1, 'y': .5}; t = (a, 1); a['x'] = n; return t[0]['x']",
    "a = {'x': 1, 'y': .5}; g = lambda: a['x']; a['x'] = n; return g()",
    "a = {'x': 1, 'y': .5}; change(a); return a['x']",
    "a = {'x': 1, 'y': .5}\ntry: return a\nfinally: a['x'] = n",
    "a = {'x': 1, 'y': .5}; return a | {'z': 1}",
    "r = []; r.append({'x': n, 'y': .5}); return r[0]['x']",
]


def test_shared(tmp_path):
    for k, body in enumerate(SHARED):
        path = tmp_path / f"shared{k}.py"
        path.write_text(HEAD + "def f(n):\n    " + body.replace("; ", "\n").replace("\n", "\n    "))
        names = {}
        exec(compile(path.read_text(), str(path), "exec"), names)
        assert swathe.njit(names["f"])(2) == names["f"](2)
