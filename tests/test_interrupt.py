"""Ctrl-C ends a recursion and a compilation, of the main thread only; deep programs compile."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PRELUDE = """
import importlib.util, os, signal, sys, tempfile, threading, time
import numpy as np
import swathe

def soon(seconds):
    def poke():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=poke, daemon=True).start()

def define(lines):
    path = os.path.join(tempfile.mkdtemp(), "program.py")
    with open(path, "w") as file:
        file.write("\\n    ".join(lines) + "\\n")
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f

def large(n):  # takes seconds
    lines = ["def f(a, b):", "t0 = a + b", "t1 = a - b"]
    lines += [f"t{k} = t{k - 1} * a - t{k - 2} / {k}.5" for k in range(2, n)]
    return define([*lines, f"return t{n - 1}"])

a, b = np.linspace(0.5, 1.0, 50), np.linspace(0.1, 0.4, 50)
swathe.njit(lambda: 0)()
"""


def script(text: str) -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**__import__("os").environ, "SWATHE_CACHE_SIZE": "0"},
    )


RECURSIONS = {
    "itself": "def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)\nf = swathe.njit(f)",
    "each other": """
        @swathe.njit
        def g(n):
            return 1 if n < 2 else f(n - 1) + f(n - 2)
        @swathe.njit
        def f(n):
            return 1 if n < 2 else g(n - 1) + g(n - 2)
    """,
    "without a result": """
        @swathe.njit
        def f(n):
            if n > 0:
                f(n - 1)
                f(n - 1)
    """,
}


@pytest.mark.parametrize("how", RECURSIONS)
def test_recursion_is_interrupted(how):
    done = script(
        "import linecache\n"
        + "\n".join(
            [
                f"text = {textwrap.dedent(RECURSIONS[how])!r}",
                "linecache.cache['<rec>'] = (len(text), None, text.splitlines(True), '<rec>')",
                "exec(compile(text, '<rec>', 'exec'))",
                "f(5)",
                "soon(0.5)",
                "try:",
                "    f(120)",
                "except KeyboardInterrupt:",
                "    print('interrupted')",
                "print(f(10) == f(10))",
            ]
        )
    )
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


@pytest.mark.parametrize("seconds", [0.02, 0.3, 1.5])
def test_compiling_is_interrupted(seconds):
    done = script(
        f"""
        f = swathe.njit(large(300))
        soon({seconds})
        try:
            f(a, b)
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted", len(f.signatures) in (0, 1))
        print(swathe.njit(lambda x: x + 1)(1))
        g = large(20)
        print(np.array_equal(swathe.njit(g)(a, b), g(a, b)))
        """
    )
    assert done.stdout.split() == ["interrupted", "True", "2", "True"], done.stderr


def test_interrupted_function_compiles_again():
    done = script(
        """
        g = large(60)
        f = swathe.njit(g)
        soon(0.05)
        try:
            f(a, b)
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted")
        print(np.array_equal(f(a, b), g(a, b)))
        """
    )
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


def test_handler_that_returns_lets_it_be_compiled():
    done = script(
        """
        seen = []
        signal.signal(signal.SIGINT, lambda *a: seen.append(1))
        g = large(60)
        soon(0.05)
        print(np.array_equal(swathe.njit(g)(a, b), g(a, b)))
        time.sleep(0.2)
        print(seen)
        """
    )
    assert done.stdout.split() == ["True", "[1]"], done.stderr


def test_other_threads_go_on():
    done = script(
        """
        g, h = large(60), large(200)
        out = []
        other = threading.Thread(target=lambda: out.append(swathe.njit(g)(a, b)))
        other.start()
        soon(0.1)
        try:
            swathe.njit(h)(a, b)
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted")
        other.join()
        print(np.array_equal(out[0], g(a, b)))
        """
    )
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


DEEP = {
    "elif": """
        ["if x < 0.5:", "    y = 1.0"]
        + [t for k in range(900) for t in (f"elif x < {k}.75:", f"    y = x + {k}.5")]
        + ["else:", "    y = 2.0", "return y"]
    """,
    "sum": "['return ' + ' + '.join(f'x * {k}.5' for k in range(900))]",
    "if": """
        [" " * k + f"if x < {k + 1000}:" for k in range(90)] + [" " * 90 + "x += 1.0", "return x"]
    """,
    "negation": "['return ' + '-' * 90 + 'x']",
}


@pytest.mark.parametrize("kib", [256, 4096, 65536])
@pytest.mark.parametrize("what", DEEP)
def test_deep_programs_on_a_small_stack(what, kib):
    done = script(
        f"""
        f = define(["def f(x):", *({" ".join(DEEP[what].split())})])
        def go():
            g = swathe.njit(f)
            try:
                print([g(x) == f(x) for x in (0.25, 7.5, 897.5, 1e6)])
            except swathe.UnsupportedError as e:
                print("nesting this deep" in str(e) and {kib} < 1024)
        threading.stack_size({kib} << 10)
        other = threading.Thread(target=go)
        other.start()
        other.join()
        """
    )
    right = ["[True, True, True, True]", *(["True"] if kib < 1024 else [])]
    assert done.stdout.strip() in right, done.stderr[-2000:]


def test_lists_and_dicts_are_written_back() -> None:
    """What had been done to an argument by then has been done to the caller's."""
    done = script(
        """
        @swathe.njit
        def f(x, d, n):
            for i in range(n):
                if i < 1000:
                    x.append(i)
                d[i % 10] = i

        x, d = [7], {99: 1}
        f([7], {99: 1}, 3)
        soon(0.3)
        try:
            f(x, d, 1 << 62)
        except KeyboardInterrupt:
            print(x == [7, *range(1000)], sorted(d) == [*range(10), 99], max(d.values()) > 1000)
            print(swathe._core.live()["bytes"])
        """
    )
    assert done.stdout.split() == ["True", "True", "True", "0"], done.stderr[-2000:]


@pytest.mark.parametrize("name", ["SIGALRM", "SIGUSR1", "SIGTERM"])
def test_any_signals_handler_that_raises_ends_a_loop(name):
    done = script(
        f"""
        @swathe.njit
        def spin(n):
            s = 0.0
            for _ in range(n):
                s += np.sin(s)
            return s

        def handler(*args):
            raise KeyError("time is up")

        spin(3)
        signal.signal(signal.{name}, handler)
        time.sleep(0.05)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.{name})).start()
        try:
            spin(10**11)
        except KeyError as e:
            print("ended", e)
        """
    )
    assert done.stdout == "ended 'time is up'\n", done.stderr


# Each chunk is short; there are millions of them.
PARALLEL = {
    "sum": "for i in prange(n): s += np.sin(i * 1.0)",
    "bits": "for i in prange(n): k ^= i * i",
    "array": "for i in prange(n): b[i & 7] += np.sin(i * 1.0)",
    "nested": """
    for j in prange(3):
        c = 0
        for i in prange(n): c ^= i * j
        k ^= c""",
}


@pytest.mark.parametrize("threads", [1, 2])
def test_long_parallel_loops_are_interrupted(threads):
    text = "\n".join(
        f"def f{i}(n, b):\n    s = 0.0; k = 0\n    {body}\n    return s + k"
        for i, body in enumerate(PARALLEL.values())
    )
    done = script(
        f"""
        import linecache
        from swathe import prange
        text = {text!r}
        linecache.cache['<par>'] = (len(text), None, text.splitlines(True), '<par>')
        exec(compile(text, '<par>', 'exec'))
        swathe.set_num_threads(min({threads}, swathe.get_num_threads()))
        for f in (f0, f1, f2, f3):
            g = swathe.njit(parallel=True)(f)
            g(100, np.zeros(8))
            soon(0.1)
            try:
                g(1 << 38, np.zeros(8))
            except KeyboardInterrupt:
                print("interrupted")
            print(round(g(100, np.zeros(8)) - f(100, np.zeros(8)), 6))
        """
    )
    assert done.stdout.split() == ["interrupted", "0.0"] * 4, done.stderr[-2000:]


def test_long_loop_in_others_is_interrupted():
    done = script(
        """
        f = define([
            "def f(a, n, m):",
            "s = 0",
            "for i in range(9):",
            "    for j in range(3):",
            "        for k in range(n, m, 3):",
            "            s += a[k % 5]",
            "        for k in range(n, m, -2):",
            "            s += a[k % 5] * i",
            "return s",
        ])
        g = swathe.njit(f)
        a = np.arange(5)
        for n, m in (0, 0), (0, 7), (9, -4), (-50000, 200000), (200000, -50000):
            print(g(a, n, m) == f(a, n, m))
        for n, m in (0, 10**11), (2**63 - 1, -(2**63)), (-(2**63), 2**63 - 1):
            soon(0.2)
            try:
                g(a, n, m)
            except KeyboardInterrupt:
                print("interrupted")
        """
    )
    assert done.stdout.split() == ["True"] * 5 + ["interrupted"] * 3, done.stderr
