"""Dicts of unlike values that change, are nested, elements of lists, or have several names: models,
states of optimisers, records and results, as programs of learning and simulation have them."""

from __future__ import annotations

import copy
import dataclasses
import pathlib
import typing

import numpy as np
import pytest

import swathe

HEAD = """import numpy as np
def mk(n, m, s=0): return np.random.RandomState(s).rand(n, m)
"""
PROGRAMS = (pathlib.Path(__file__).parent / "dict_programs.txt").read_text().split("\n#--\n")
MODES = [{}, {"parallel": True}, {"debug": True}]


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, 1e-12, 1e-14)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (float, np.floating)):
        return isinstance(b, (float, np.floating)) and abs(a - b) <= 1e-12 * abs(a)
    return type(a) is type(b) and a == b


def outcome(f, args):
    try:
        return f(*args)
    except (ValueError, KeyError) as e:
        return type(e), str(e).split("\n")[0]


def build(text, path, **options):
    path.write_text(HEAD + text + "\n")
    names = {"njit": lambda f: f}
    exec(compile(path.read_text(), str(path), "exec"), names)
    compiled = {"njit": swathe.njit(cache=False, **options)} if options else {"njit": swathe.njit}
    exec(compile(path.read_text(), str(path), "exec"), compiled)
    return names, compiled["njit"](compiled["f"])


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_programs(k, tmp_path):
    names, f = build(PROGRAMS[k], tmp_path / "p.py", **MODES[k % 3])
    for args in names["ARGS"]:
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        want, got = outcome(names["f"], theirs), outcome(f, ours)
        assert same(want, got)
        assert same(theirs, ours)


REFUSED = [
    ("d['n'] += 1; d.pop('n')", "no method 'pop'"),
    ("d['n'] += 1; d[str(d['n'])] = 2", "by a key that is not known"),
]


AS_VALUES = [  # of one type for all, where it doesn't do as values by their names
    "d['n'] = 1.5",
    "d['new'] = 1",
    "d['nn']",
    "d['w'] = d['w'][::2]",
    "d['w'] = d['w'].astype(np.float32)",
    "d.update(n=2.5, m=d['w'])",
]


@pytest.mark.parametrize("body", AS_VALUES)
def test_as_values(body, tmp_path):
    names, f = build(f"def f(d): {body}", tmp_path / "p.py")
    ours, theirs = ({"n": 1, "x": 0.5, "w": np.ones(3)} for _ in range(2))
    assert same(outcome(names["f"], (theirs,)), outcome(f, (ours,)))
    assert same(theirs, ours)


@pytest.mark.parametrize(("body", "words"), REFUSED)
def test_refused(body, words, tmp_path):
    _, f = build(f"def f(d): {body}", tmp_path / "p.py")
    d = {"n": 1, "x": 0.5, "w": np.ones(3)}
    with pytest.raises((swathe.CompileError, KeyError), match=words):
        f(d)
    assert same(d, {"n": 1, "x": 0.5, "w": np.ones(3)})


def test_identity_and_versions():
    @swathe.njit
    def step(d, other):
        d["n"] += 1
        d["w"] -= other["w"]
        other["w"] = d["w"]
        return d

    d, e = {"n": 1, "w": np.ones(2), "s": "a"}, {"w": np.ones(2), "k": 1}
    w = d["w"]
    assert step(d, e) is d
    assert d["w"] is w and e["w"] is w and d["n"] == 2
    assert step(d, d) is d and d["n"] == 3
    for k in range(3):
        step({"n": k, "w": np.ones(k), "s": "b" * k}, e | {"w": np.ones(k)})
    assert len(step.signatures) == 2


def keywords(x, *rest, **options):
    return x * options["rate"] + options.get("bias", 0) + len(rest)


def test_keywords_from_python():
    f = swathe.njit(keywords)
    assert f(2.0, rate=0.5) == keywords(2.0, rate=0.5)
    assert f(2.0, 1, 2, rate=0.5, bias=3) == keywords(2.0, 1, 2, rate=0.5, bias=3)


def default(x, o={"rate": 0.5, "n": 2}):  # noqa: B006
    return x * o["rate"] * o["n"]


def test_dict_as_default():
    f = swathe.njit(default)
    assert f(3.0) == default(3.0)
    assert f(3.0, {"rate": 1.0, "n": 4}) == default(3.0, {"rate": 1.0, "n": 4})


@dataclasses.dataclass
class Layer:
    W: np.ndarray
    b: np.ndarray


@dataclasses.dataclass
class Net:
    layers: list[Layer]
    tags: list[str]
    sizes: dict[str, float]
    dims: tuple[int, ...]
    grid: list[list[float]]
    rate: typing.Optional[float] = None  # noqa: UP045


def use(net, x):
    for layer in net.layers:
        x = np.tanh(x @ layer.W + layer.b)
        layer.b -= 0.5
    net.tags.append("used")
    net.sizes["x"] = x.sum()
    net.grid[0][0] += net.dims[1]
    return x, len(net.tags), net.rate is None


def test_fields_that_values_tell():
    def new(dims):
        layers = [Layer(np.ones((2, 3)), np.ones(3)), Layer(np.ones((3, 1)), np.ones(1))]
        return Net(layers, [], {"a": 1.0}, dims, [[1.0], [2.0]])

    f = swathe.njit(use)
    for dims in (3, 4), (3, 4, 5):
        a, b = new(dims), new(dims)
        assert same(use(a, np.ones((2, 2))), f(b, np.ones((2, 2))))
        assert same(dataclasses.asdict(a), dataclasses.asdict(b))
