# SPDX-License-Identifier: BSD-3-Clause
"""Calls of one of several functions with arguments that some of them can't take: CPython's errors,
when the call runs."""

from __future__ import annotations

import importlib.util

import pytest

import swathe


def result(f, n):
    try:
        return f(n)
    except TypeError as e:
        return str(e).split("\n")[0]


def named_alone(*, k):
    return k


def three(a, b, c, *, k, z=0):
    return a + b + c + k + z


def at_most(a, b=2):
    return a + b


@pytest.mark.parametrize("call", ["", "1", "1, 2, 3", "1, 2, 3, 4", "b=2", "k=1", "1, k=2", "q=3"])
def test_arguments_that_do_not_fit(call, define):
    program = define(
        "def program(n):\n"
        "    fs = []\n"
        "    for f in (named_alone, three, at_most):\n"
        "        fs.append(f)\n"
        f"    return fs[n]({call})\n"
    )
    f = swathe.njit(program)
    for n in range(3):
        assert result(f, n) == result(program, n), n


@pytest.fixture
def define(tmp_path):
    def made(text):
        head = "from test_choice_arguments import at_most, named_alone, three\n"
        file = tmp_path / "program.py"
        file.write_text(head + text)
        spec = importlib.util.spec_from_file_location("program", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.program

    return made
