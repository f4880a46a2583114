# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose text is in no file: made by exec, typed at the prompt, read from a pipe."""

from __future__ import annotations

import ast
import code
import os
import pty
import subprocess
import sys
import threading

import pytest

import swathe

SCRIPT = """\
import swathe

def double(x):
    return x * 2

@swathe.jit
def f(x):
    \"\"\"Of a helper.\"\"\"

    return double(x) + 1

class C:
    @swathe.jit
    def m(self, x):
        return x + self.k
    k = 40

def outer(k):
    @swathe.jit
    def inner(x):
        return x * k
    return inner

print(f(2), swathe.jit(lambda x: x * 3)(4), C().m(2), outer(5)(5))
"""
PRINTED = "5 12 42 25"


def made(text, name="f"):
    space = {"swathe": swathe}
    exec(text, space)
    return space[name]


def test_exec():
    assert swathe.jit(made("def f(x):\n    return x + 1"))(2) == 3
    f = made("\n\n@swathe.jit(boundscheck=True)\ndef f(a, i=1): return a[i]\n")
    assert f([1, 2]) == 2
    assert swathe.jit(made("def g(x): return x + 1\ndef f(x): return g(x) * 2"))(2) == 6
    assert made("def outer(k):\n  def f(x): return x * k\n  return f", "outer")(3)(2) == 6


def test_exec_of_many_that_look_alike():
    fs = [swathe.jit(made(f"def f(a, b):\n    return a {op} b")) for op in "+-*%&|^"]
    assert [f(7, 3) for f in fs] == [10, 4, 21, 1, 3, 7, 4]
    fs = [swathe.jit(made(f"def f(a):\n    return a + {k}")) for k in ("1", "1.0", "True", "-0.0")]
    assert [repr(f(1)) for f in fs] == ["2", "2.0", "2", "1.0"]


def test_eval_and_trees():
    assert swathe.jit(eval("lambda x: x * 7"))(4) == 28
    fs = eval("[lambda x: x + 1, lambda x: x + 2]")
    if sys.version_info >= (3, 11):  # which knows the columns
        assert [swathe.jit(f)(1) for f in fs] == [2, 3]
    assert swathe.jit(eval("lambda x:\\\n x * 7"))(4) == 28
    space = {}
    exec(compile(ast.parse("def f(x): return x + 5"), "<tree>", "exec"), space)
    assert swathe.jit(space["f"])(1) == 6
    tree = ast.parse("def f(x): return x + 5")
    tree.body[0].body[0].value.op = ast.Mult()
    exec(compile(tree, "<tree>", "exec"), space)
    with pytest.raises(swathe.TypingError, match="source of function 'f' can't be found"):
        swathe.jit(space["f"])(1)


def test_a_text_that_was_replaced():
    f = made("def f(x):\n    return x + 1")
    made("def f(x):\n    return x + 2")
    assert swathe.jit(f)(1) == 2


def test_a_console():
    console = code.InteractiveInterpreter({"swathe": swathe, "got": []})
    for line in ("def f(x):\n    return x + 40\n", "got.append(swathe.jit(f)(2))"):
        assert console.runsource(line) is False
    assert console.locals["got"] == [42]


def test_exec_in_a_thread():
    got = []
    ran = threading.Thread(target=lambda: got.append(swathe.jit(made("def f(x): return -x"))(2)))
    ran.start()
    ran.join()
    assert got == [-2]


def test_an_error_shows_the_line():
    f = swathe.jit(made("def f(x):\n    y = x\n    return y.foo\n"))
    with pytest.raises(swathe.CompileError, match=r"(?s)line 3, in f\n    return y.foo\n"):
        f(1)


def test_many_texts_are_forgotten():
    first = made("def f(x):\n    return x + 0.125")
    for i in range(1100):
        made(f"def f(x):\n    return x + {i}")
    with pytest.raises(swathe.TypingError, match="source of function 'f' can't be found"):
        swathe.jit(first)(1)


def buffered():
    return {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}


def piped(text):
    return subprocess.run(
        [sys.executable, "-"],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        env=buffered(),
    )


def test_a_script_from_a_pipe():
    done = piped(SCRIPT)
    assert done.stdout.split() == PRINTED.split(), done.stderr
    done = piped("# a long story\n" * 1000 + SCRIPT)  # of which the end is kept
    assert done.stdout.split() == PRINTED.split() or "pipe" in done.stderr
    done = piped(SCRIPT.replace("print", "\n\n" + "# a long story\n" * 1000 + "print"))
    assert "hint: a script can't be read again from a pipe: write it to a file" in done.stderr


def test_a_script_from_a_file(tmp_path):
    path = tmp_path / "script"
    path.write_text("# a long story\n" * 1000 + SCRIPT)
    with path.open() as f:
        done = subprocess.run(
            [sys.executable], stdin=f, capture_output=True, text=True, timeout=120, check=True
        )
    assert done.stdout.split() == PRINTED.split()


def test_what_is_typed():
    main, other = pty.openpty()
    typed = SCRIPT.replace('"""\n\n', '"""\n').replace("    k = 40\n", "    k = 40\n\n")
    ran = subprocess.Popen(
        [sys.executable, "-q", "-i"], stdin=other, stdout=other, stderr=other,
        env={**os.environ, "PYTHON_BASIC_REPL": "1", "TERM": "dumb"},
    )  # fmt: skip
    os.close(other)
    os.write(main, typed.replace("return x * 2\n", "return x * 2\n\n").encode() + b"exit()\n")
    said = b""
    try:
        while got := os.read(main, 4096):
            said += got
    except OSError:  # how a terminal ends
        pass
    assert ran.wait(120) == 0
    os.close(main)
    assert PRINTED.encode() in said, said.decode()
