# SPDX-License-Identifier: BSD-3-Clause
"""What is too large for the compiler is an error: nothing overflows inside it."""

from __future__ import annotations

import contextlib
import importlib.util
import linecache
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import swathe


def function(source: str, folder: Path):
    path = folder / "limits.py"
    path.write_text("import numpy as np\n\n\n" + source)
    spec = importlib.util.spec_from_file_location("limits", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return swathe.njit(module.f)


def elifs(n: int) -> str:
    arms = "".join(f"    {'el' if i else ''}if a == {i}:\n        r = {i}\n" for i in range(n))
    return f"def f(a):\n{arms}    else:\n        r = -1\n    return r\n"


def returning(text: str) -> str:
    return f"def f(a):\n    return {text}\n"


FITS = [
    (returning("+".join(["a"] * 900)), 1, 900),
    (returning("-" * 900 + "a"), 1, 1),
    (elifs(300), 299, 299),
    ("def f(a):\n" + "    a = a + 1\n" * 3000 + "    return a\n", 1, 3001),
    (returning("len((" + "a," * 500 + "))"), 1, 500),
    ("def g(*x):\n    return len(x)\n\n\n" + returning("g(" + "a," * 300 + ")"), 1, 300),
    ("def g(a):\n    return (" + "a," * 60 + ")\n\n\n" + returning("g(a)[59]"), 1, 1),
    (returning("a[299]"), tuple(range(300)), 299),
]

TOO_LARGE = [
    (returning("(" + "a," * 2000 + ")"), 1),
    ("def g(a):\n    return (" + "a," * 900 + ")\n\n\n" + returning("g(a)[0]"), 1),
    (returning("np.array(" + "[" * 20 + "a" + "]" * 20 + ")"), 1.0),
    (returning("a[" + "None," * 20 + "]"), np.ones(3)),
    (returning("a[" + "None," * 45 + "]"), np.ones(3)),
    (returning("a.shape"), np.ones((1,) * 20)),
    (returning("a[0].shape"), (np.ones((1,) * 20), 1)),
    (returning("a + 1"), np.ones((1,) * 32)),
    (returning("1"), np.ones((1,) * 17)),
]


ASAN = "SWATHE_ASAN" in os.environ


def chain(n: int) -> str:
    """f calls g1, which calls g2, ... n functions."""
    links = (f"def g{k}(a):\n    return g{k + 1}(a) + 1\n\n\n" for k in range(1, n))
    return f"{''.join(links)}def g{n}(a):\n    return a\n\n\n{returning('g1(a)')}"


GROWS = (
    "def g(a, t):\n    if a == 0:\n        return 0\n    return g(a - 1, (t, a))\n\n\n"
    + returning("g(a, (a,))")
)


def test_chain_of_calls(tmp_path: Path) -> None:
    assert function(chain(500), tmp_path)(1) == 500
    most = r"\d+" if ASAN else "1000"  # whose frames are several times as large
    with pytest.raises(
        swathe.UnsupportedError, match=f"'g{most}' is reached through {most} others"
    ):
        function(chain(1200), tmp_path)(1)
    with pytest.raises(swathe.UnsupportedError, match="'g' calls itself with ever new types"):
        function(GROWS, tmp_path)(3)


@pytest.mark.parametrize("n", range(len(FITS)))
def test_fits(n: int, tmp_path: Path) -> None:
    source, argument, result = FITS[n]
    assert function(source, tmp_path)(argument) == result


@pytest.mark.parametrize("n", range(len(TOO_LARGE)))
def test_too_large(n: int, tmp_path: Path) -> None:
    source, argument = TOO_LARGE[n]
    with pytest.raises((swathe.TypingError, swathe.UnsupportedError, IndexError)):
        function(source, tmp_path)(argument)


@pytest.mark.skipif(ASAN, reason="the sanitizer's frames don't fit in the small stack")
def test_nesting_too_deep(tmp_path: Path) -> None:
    """What CPython itself can compile nests less deep than ours can, but for small stacks."""
    if sys.version_info >= (3, 12):
        pytest.skip("CPython's own parser gives up first, at a depth of its choice")
    f = function(elifs(1400), tmp_path)
    raised: list[BaseException] = []

    def call() -> None:
        try:
            f(1)
        except swathe.UnsupportedError as error:
            raised.append(error)

    size = threading.stack_size(256 << 10)
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    threading.stack_size(size)
    assert "nesting this deep" in str(raised[0])
    assert f(1) == f.py_func(1)


STACKS = """
import threading
import swathe

def most():
    (line,) = (x for x in open("/proc/self/status") if x.startswith("VmPeak"))
    return int(line.split()[1]) >> 10

def f(x):
    return x + 1

def compiled():
    swathe.njit(cache=False)(f)(1)

compiled()
sizes = [most()]
for stack in (0, 512 << 10):
    threading.stack_size(stack)
    thread = threading.Thread(target=compiled)
    thread.start()
    thread.join()
    compiled()
    sizes.append(most())
print(*(after - before > 200 for before, after in zip([sizes[0] - 1, *sizes], sizes)))
"""


def test_small_programs_take_a_stack_of_their_own_only_beside_a_small_one() -> None:
    r = subprocess.run([sys.executable, "-c", STACKS], capture_output=True, text=True, check=True)
    assert r.stdout == "False False True\n", r.stdout + r.stderr


SHORT_OF_MEMORY = """
import os, resource, sys
import numpy as np
import swathe

def many(a, b):
    return np.sum(np.sin(a) * b + np.exp(a - b) * np.cos(b) - np.log(a * a + 1.0) / (b * b + 2.0))

def few(a):
    return np.sin(a) + np.exp(a) + np.cos(a) + np.log(a)

a = np.ones(3)
swathe.njit(cache=False)(few)(a)  # opens all the libraries
pages = int(open("/proc/self/statm").read().split()[0])
ends = set()
for extra in [*range(0, 4096, 128), *range(4096, 24576, 1024)]:
    child = os.fork()
    if child == 0:
        most = pages * resource.getpagesize() + extra * 1024
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            swathe.njit(cache=False)(many)(a, a)
        except MemoryError:
            os._exit(1)
        except BaseException as e:
            os.write(2, repr(e).encode())
            os._exit(9)
        os._exit(0)
    ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(sorted(ends))
"""


@pytest.mark.skipif(ASAN, reason="the sanitizer maps more than any limit")
def test_compiler_out_of_memory() -> None:
    r = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], capture_output=True, text=True)
    assert r.stdout.strip() == "[0, 1]", r.stdout + r.stderr


@pytest.mark.parametrize("line", ["t = (t, t)", "t = t + t", "t = t * 2", "t = (*t, *t)"])
def test_a_tuple_that_doubles_ends(line: str, tmp_path: Path) -> None:
    """Each part is a variable: 60 doublings would be a compile that never ends."""

    def of(times: int):
        lines = f"    {line}\n" * times
        return function(f"def f(a):\n    t = (a, a)\n{lines}    return t\n", tmp_path)

    assert of(3)(1.0) == of(3).py_func(1.0)
    with pytest.raises(swathe.errors.UnsupportedError, match="a tuple of"):
        of(60)(1.0)


def test_generators_that_double():
    """Each goes through the one below twice: what they become is bounded, and so is the time."""
    src = "def g0(n):\n    yield n\n    yield n + 1\n"
    for k in range(1, 23):
        below = f"    yield from g{k - 1}"
        src += f"def g{k}(n):\n{below}(n)\n{below}(n + 1)\n"
    src += "def few(n):\n    return sum(g5(n))\ndef many(n):\n    return sum(g22(n))\n"
    ns = {}
    linecache.cache["<doubling>"] = (len(src), None, src.splitlines(True), "<doubling>")
    exec(compile(src, "<doubling>", "exec"), ns)
    assert swathe.njit(ns["few"])(3) == ns["few"](3)
    with pytest.raises(swathe.errors.CompileError, match="becomes so long"):
        swathe.njit(ns["many"])(3)


def test_open_arguments_end():
    """What an argument holds is told once, and types that stay open are not told at all."""

    def f(p1):
        for w in (v for v in ({1: 1}, {2: 2})):
            p1 = [w] + [w, {3: w.get(1, 0)}, w]
        p1 = [list(({1: None}, p1[0]))].pop()
        return len(p1)

    with contextlib.suppress(swathe.CompileError):
        assert swathe.njit(f)([{7: None, -1: -2}]) == 2

    def g(n):
        return next(zip(([] for _ in range(n)), [1]))

    with pytest.raises(swathe.CompileError, match="next.. of what yields"):
        swathe.njit(g)(3)
