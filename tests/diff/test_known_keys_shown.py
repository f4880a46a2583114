"""The text of dicts whose keys are known and whose values are unlike: printed, as values, in
messages, within others, and where the dict is an object."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


class State:
    def __init__(self):
        self.stats = {"served": 0, "wait": 0.0}

    def run(self, n):
        for _ in range(n):
            self.stats["served"] += 1
            self.stats["wait"] += 0.5
        return self.stats


def all_ways(n):
    d = {"n": n, "w": 0.5, "it's": "a\n", "x": [1, 2], "none": None, "t": (n, "q"), "flag": n > 3}
    d = {**d, "d": {"a": 1, "b": "x"}}
    print(d)
    print([d["x"]], d, end="!\n")
    print(*[1, 2], d, sep="; ")
    return str(d), repr(d), f"<{d}|{d!r}|{d!s}>", "%s" % d, "a" + str(d["d"]), f"{d} {d!r}"  # noqa: UP031


def one_that_changes(n):
    d = {"n": n, "w": 0.5}
    d["w"] += 1
    print(f"{d}")
    d["n"] = 7
    return str(d)


def objects(n):
    x = [{"name": "a", "v": n}, {"name": "b", "v": 2}]
    x[0]["v"] += 1
    for e in x:
        print(e)
    print(x)
    return str(x), str((x[0], 1))


def field(n):
    s = State()
    r = s.run(n)
    print(r, s.stats, f"{r}")
    return str(r)


def maybe(n):
    d = {"a": 1, "b": 2.5}
    m = d if n > 3 else None
    print(m)
    return f"{m}", str(d | {"q": True})


def nested(n):
    d = {"x": {"y": {"z": n, "w": "q"}, "v": 2.5}, "l": [{"a": 1, "b": "c"}], "e": []}
    print(d, {}, {"a": np.arange(n), "b": 1})
    return repr(d), str({})


def raised(n):
    d = {"a": n, "b": "x"}
    raise ValueError(f"bad {d}")


def raised_apart(n):
    raise ValueError("bad", str({"a": n, "b": 0.5}))


def outcome(f, n, capfd):
    try:
        r = f(n)
    except ValueError as e:
        r = [str(v).split("\n")[0] for v in e.args]
    return r, capfd.readouterr().out


@pytest.mark.parametrize(
    "f", [all_ways, one_that_changes, objects, field, maybe, nested, raised, raised_apart]
)
@pytest.mark.parametrize("n", [0, 3, 4])
def test_shown(f, n, capfd):
    assert outcome(swathe.njit(f), n, capfd) == outcome(f, n, capfd)


def given(d):
    print(d)
    d["a"] = 5
    print(d)
    return str(d)


def test_an_argument(capfd):
    got = swathe.njit(given)({"a": 1, "b": 2.5, "c": "x"}), capfd.readouterr().out
    assert got == (given({"a": 1, "b": 2.5, "c": "x"}), capfd.readouterr().out)
