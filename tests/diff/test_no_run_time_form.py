# SPDX-License-Identifier: BSD-3-Clause
"""What there is only while a function is compiled (modules, classes, functions, strings, dtypes),
yielded by a function of the program, and asked for its truth, for None, and for equality."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import swathe

VALUES = [
    "np",
    "math",
    "np.float64",
    "float",
    "ValueError",
    "'a'",
    "''",
    "None",
    "...",
    "np.dtype('f4')",
    "abs",
    "math.sqrt",
    "np.sqrt",
    "(np, 1)",
    "(1, None)",
    "(float, 'a')",
    "range(3)",
    "range(0)",
    "range(5, 2, -1)",
    "()",
    "lambda: 1",
    "P",
    "np.newaxis",
    "swathe",
    "print",
    "iter((1, 2))",
    "zip()",
]
USES = [
    "{} is None",
    "{} is not None",
    "not {}",
    "1 if {} else 2",
    "{} == 0",
    "0 == {}",
    "{} != {}",
    "{} == None",
    "{} in (1, 2)",
    "isinstance({}, int)",
    "bool({})",
    "({}, 3)[1]",
    "{} == np.float64",
    "{} == float",
    "while_({})",
    "{} == {}",
]
TEXT = """import math
from collections import namedtuple

import numpy as np
import swathe

P = namedtuple("P", "x y")


def while_(x):
    n = 0
    while x and n < 2:
        n += 1
    return n


def once():
    return {}


def twice():
    return once()


"""


def outcome(f: Any) -> Any:
    try:
        return repr(f())
    except Exception as e:
        return e


@pytest.mark.parametrize("value", VALUES)
def test_yielded(value):
    text = TEXT.format(value)
    for k, use in enumerate(USES):
        for helper in ("once()", "twice()"):
            text += f"def f{k}_{helper[:-2]}():\n    return {use.replace('{}', helper)}\n\n\n"
    name = f"<{value}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    wrong = []
    for f in [v for n, v in names.items() if n.startswith("f") and n[1:2].isdigit()]:
        want, got = outcome(f), outcome(swathe.njit(cache=False)(f))
        if not isinstance(got, swathe.errors.Error) and str(got) != str(want):
            wrong.append((f.__name__, want, got))
    assert not wrong


def test_of_a_kind():
    """Those that say something at all."""

    @swathe.njit
    def f():
        return 1 if module() else 2, module() is None, not module()

    def module():
        return np

    assert f() == (1, False, False)
