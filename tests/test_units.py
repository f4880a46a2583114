# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the library that programs share: found again, let go, and made anew where damaged.

What a function gives, raises and says must be the same with them and without; SWATHE_SKIP=units
compiles a program whole.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import swathe

ROOT = Path(__file__).resolve().parent.parent
PRELUDE = """
import gc, json, os, sys, signal, threading, time
import numpy as np
import swathe
from swathe import _core

def units():
    u = _core.units()
    return [u["live"], u["built"], u["cached"], u["compiled"]]

def count(x):
    d = {}
    for v in x:
        d[v] = d.get(v, 0) + 1
    return d

def halves(x):
    d = {}
    for v in x:
        d[v // 2] = v
    return d

def order(x):
    x.sort()
    return x
"""
NONE_BUILT = {"SWATHE_CPU": "x86-64"}  # the package has units for a later processor only


class Place:
    """A folder with a cache of its own, and processes that run there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        path = os.pathsep.join([str(Path(swathe.__file__).parent.parent), str(folder)])
        self.env = dict(os.environ, SWATHE_CACHE_DIR=str(self.cache), PYTHONPATH=path)
        for name in ("SWATHE_CHECK", "SWATHE_SKIP", "SWATHE_CACHE_SIZE"):
            self.env.pop(name, None)

    def start(self, text: str, **env: str) -> subprocess.Popen[str]:
        path = self.folder / "program.py"
        text = PRELUDE + textwrap.dedent(text)
        if not path.exists() or path.read_text() != text:  # others may be reading it
            path.write_text(text)
        return subprocess.Popen(
            [sys.executable, str(path)],
            env=self.env | env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, text: str, **env: str) -> list[Any]:
        process = self.start(text, **env)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- where they come from -----------------------------------------------------------------------


def test_second_function_finds_the_first_ones(place: Place) -> None:
    first = "print(json.dumps([swathe.njit(count)([1, 2, 1]) == {1: 2, 2: 1}, units()]))"
    second = "print(json.dumps([swathe.njit(halves)([4, 5]) == {2: 5}, units()]))"
    ((right, (_, built, cached, compiled)),) = place.run(first, **NONE_BUILT)
    assert right and compiled > 0 and built == cached == 0
    ((right, (_, built, cached, compiled)),) = place.run(second, **NONE_BUILT)
    assert right and cached > 0 and built == compiled == 0


def test_package_brings_them_along(place: Place) -> None:
    ((_, built, cached, compiled), baseline) = place.run(
        """
        swathe.njit(count)([1, 2, 1])
        swathe.njit(order)([2.5, 1.5])
        print(json.dumps(units()))
        print(json.dumps(_core.units()["baseline"]))
        """
    )
    assert built + compiled > 1 and cached == 0
    assert (compiled == 0) == baseline


def test_those_of_the_standard_library_come_along(place: Place) -> None:
    text = """
    import heapq

    def least(x):
        return heapq.nsmallest(2, x)

    x = [k * 7 % 31 / 2 for k in range(40)]
    f = swathe.njit(least)
    print(json.dumps([f(x) == least(x), *units()]))
    print(json.dumps(_core.units()["baseline"]))
    """
    ((right, live, built, cached, compiled), baseline) = place.run(text)
    assert right and live > 0 and built + compiled > 0 and cached == 0
    assert (compiled == 0) == baseline


def test_wheel_has_them() -> None:
    meson = [sys.executable, "-m", "mesonbuild.mesonmain", "introspect", "--installed", "build"]
    listed = subprocess.run(meson, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout
    (to,) = (v for k, v in json.loads(listed).items() if k.endswith("units.bin"))
    (core,) = (v for k, v in json.loads(listed).items() if Path(k).match("_core*.so"))
    assert Path(to).parent == Path(core).parent


def test_two_instances_that_come_to_the_same(place: Place) -> None:
    text = """
    def both(a, k):
        d = {}
        for v in a:
            d[v] = 1
        e = {}
        for i in range(k):
            e[i] = 1
        return len(d) + len(e)
    print(json.dumps(swathe.njit(both)(np.arange(100), 50)))
    """
    assert place.run(text) == [150]


def test_without_the_cache_nothing_is_written(place: Place) -> None:
    place.run("swathe.njit(cache=False)(count)([1])", **NONE_BUILT)
    assert not list(place.cache.glob("??/*"))


def test_options_make_others(place: Place) -> None:
    text = """
    kept = [swathe.njit(**o)(count) for o in ({}, {"boundscheck": False}, {"parallel": True})]
    told = []
    for f in kept:
        f([1, 2])
        told.append(_core.units()["compiled"])
    print(json.dumps(told))
    """
    ((plain, unchecked, parallel),) = place.run(text, **NONE_BUILT)
    assert plain < unchecked == parallel  # they have no loop that could be parallel


def test_whole_when_somebody_looks(place: Place) -> None:
    for env in ({"SWATHE_SKIP": "units"}, {"SWATHE_CHECK": "2"}, {"SWATHE_DUMP": "none"}):
        assert place.run("swathe.njit(count)([1])\nprint(units())", **env) == [[0, 0, 0, 0]]
    assert place.run("swathe.njit(debug=True)(count)([1])\nprint(units())") == [[0, 0, 0, 0]]


# --- how long they live ---------------------------------------------------------------------------


def test_shared_and_let_go(place: Place) -> None:
    ((one, both, other, none),) = place.run(
        """
        told = []
        f, g = swathe.njit(count), swathe.njit(halves)
        f([1])
        told.append(units())
        g([1])
        told.append(units())
        del f
        gc.collect()
        told.append(units())
        ok = g(list(range(1000))) == halves(list(range(1000)))
        assert ok
        del g
        gc.collect()
        told.append(units())
        print(json.dumps(told))
        """
    )
    assert one == both == other  # the same, loaded once
    assert one[0] > 0 and none == [0, *one[1:]]


def test_cached_function_holds_them(place: Place) -> None:
    text = """
    f = swathe.njit(count)
    right = f(list(range(100))) == count(list(range(100)))
    print(json.dumps([right, f.stats["cache_hits"], *units()]))
    """
    for hits in (0, 1):
        ((right, found, live, *_),) = place.run(text)
        assert right and found == hits and live > 0


def test_cached_function_without_its_unit(place: Place) -> None:
    text = """
    f = swathe.njit(count)
    print(json.dumps([f([1, 1]) == {1: 2}, f.stats["cache_hits"], _core.units()["keys"]]))
    """
    ((_, _, keys),) = place.run(text, **NONE_BUILT)
    for key in keys:
        (place.cache / key[:2] / key).unlink()
    assert [r[:2] for r in place.run(text, **NONE_BUILT)] == [[True, 0]]
    assert [r[:2] for r in place.run(text, **NONE_BUILT)] == [[True, 1]]


def test_fork(place: Place) -> None:
    assert place.run(
        """
        f = swathe.njit(count)
        f([1])
        child = os.fork()
        if not child:
            ok = f([1, 1]) == {1: 2} and swathe.njit(halves)([4, 5]) == {2: 5}
            ok = ok and swathe.njit(order)([2, 1]) == [1, 2]
            os._exit(0 if ok else 1)
        print(json.dumps([os.waitpid(child, 0)[1], f([1, 1]) == {1: 2}]))
        """,
        **NONE_BUILT,
    ) == [[0, True]]


# --- what may lie in the cache --------------------------------------------------------------------


@pytest.mark.parametrize("junk", ["half", "flipped", "empty", "another", "function"])
def test_damaged(place: Place, junk: str) -> None:
    text = """
    f = swathe.njit(count)
    print(json.dumps([f([1, 1]) == {1: 2}, *units(), _core.units()["keys"]]))
    """
    other = "f = swathe.njit(order)\nf([2, 1])\nprint(json.dumps(_core.units()['keys']))"
    ((right, _, _, _, made, keys),) = place.run(text, **NONE_BUILT)
    assert right and made == len(keys)
    (others,) = place.run(other, **NONE_BUILT)
    paths = {k: place.cache / k[:2] / k for k in (*keys, *others)}
    functions = [p for p in place.cache.glob("??/*") if p.name not in paths]
    for key in keys:
        good = paths[key].read_bytes()
        changed = {
            "half": good[: len(good) // 2],
            "flipped": good[:-9] + bytes([good[-9] ^ 64]) + good[-8:],
            "empty": b"",
            "another": paths[others[0]].read_bytes(),
            "function": functions[0].read_bytes(),
        }[junk]
        paths[key].write_bytes(changed)
    ((right, _, _, _, again, _),) = place.run(text, **NONE_BUILT)
    assert right and again == made
    ((right, _, _, cached, again, _),) = place.run(text, **NONE_BUILT)
    assert right and (cached, again) == (made, 0)


def test_processes_at_once(place: Place) -> None:
    text = """
    for f, x in ((count, [1, 1]), (halves, [4, 5]), (order, [2.5, 1.5]), (order, [(2, 1), (1, 2)])):
        assert swathe.njit(f)(list(x)) == f(list(x))
    print(1)
    """
    running = [place.start(text, **NONE_BUILT) for _ in range(3)]
    for p in running:
        out, err = p.communicate(timeout=120)
        assert (out, err) == ("1\n", "")
    assert not list(place.cache.glob("??/.tmp*"))


def test_threads_at_once(place: Place) -> None:
    assert place.run(
        """
        def again(k):
            f = swathe.njit(count)
            g = swathe.njit(order)
            for i in range(20):
                assert f(list(range(i))) == count(list(range(i))) and g([k, i]) == sorted([k, i])
            done.append(k)
        done = []
        threads = [threading.Thread(target=again, args=(k,)) for k in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        gc.collect()
        print(json.dumps([len(done), _core.units()["live"]]))
        """
    ) == [[6, 0]]


# --- what happens inside --------------------------------------------------------------------------

RAISING = """
import traceback

def emptied(n):
    d = {0: 1}
    d.popitem()
    if n > 0:
        d.popitem()
    return n

def around(n):
    try:
        return emptied(n)
    except KeyError as e:
        print(str(e))
        raise ValueError("not today") from e

for f in (emptied, around):
    g = swathe.njit(f)
    print(json.dumps(g(0)))
    try:
        g(1)
    except Exception as e:
        print(json.dumps([type(e).__name__, str(e), traceback.format_exc()]))
print(json.dumps(units()[3] + units()[1]))
"""


def test_error_inside(place: Place) -> None:
    told = {}
    for env in ({}, {"SWATHE_SKIP": "units"}):
        process = place.start(RAISING, **env)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        *told[bool(env)], made = out.splitlines()
        assert bool(int(made)) != bool(env)
    assert told[False] == told[True]
    assert "popitem" in told[False][1] and "dict.py" not in told[False][1]


def test_memory_that_runs_out_inside(place: Place) -> None:
    text = """
    import resource
    def many(n):
        d = {}
        for i in range(n):
            d[i] = i
        return len(d)
    f = swathe.njit(many)
    assert f(1000) == 1000
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
    try:
        f(50_000_000)
    except MemoryError as e:
        print(json.dumps("MemoryError"))
    print(json.dumps(f(1000)))
    """
    assert place.run(text) == ["MemoryError", 1000]


def test_interrupted_inside(place: Place) -> None:
    text = """
    def make(n):
        x = [((i * 7919) % 1000003, i) for i in range(n)]
        x.sort()
        return len(x)
    f = swathe.njit(make)
    f(3)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        for _ in range(100):  # takes seconds each, nearly all of them in the unit
            f(3_000_000)
    except KeyboardInterrupt:
        print(json.dumps([f(10), _core.units()["live"] > 0]))
    """
    assert place.run(text) == [[10, True]]


def test_called_by_workers(place: Place) -> None:
    assert place.run(
        """
        def distinct(a):
            r = np.zeros(a.shape[0], np.int64)
            for i in swathe.prange(a.shape[0]):
                d = {}
                for k in range(a.shape[1]):
                    d[a[i, k]] = k
                r[i] = len(d)
            return r
        a = np.arange(64 * 500).reshape(64, 500) * 7919 % 300
        r = swathe.njit(parallel=True)(distinct)(a)
        print(json.dumps([[len(set(row)) for row in a.tolist()] == r.tolist(), units()[0] >= 0]))
        """
    ) == [[True, True]]
