# SPDX-License-Identifier: BSD-3-Clause
"""Lists that something consumes where they are made, without a name: comprehensions, one of two
displays, results of calls. What elements they have decides how they are held, and nobody may see
it."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import swathe

ELEMENTS = {
    "number": "[x[0] for x in s if x[0] > 1]",
    "filtered pair": "[x for x in s if x[0] > 1]",
    "pair": "[x for x in s]",
    "pair of ints": "[(x[0], x[0] + 1) for x in s]",
    "deep": "[(x[0], x) for x in s if x[0] > 1]",
    "list": "[[x[0], 1] for x in s]",
    "ragged": "[[i for i in range(x[0])] for x in s]",
    "made list": "[list(x[:1]) for x in s]",
    "none": "[(x[0] if x[0] > 1 else None) for x in s if x[0] > 0]",
    "array": "[np.ones(x[0]) for x in s if x[0] > 1]",
    "generator": "(x for x in s if x[0] > 1)",
    "chosen numbers": "([1] if len(s) > 5 else [2, 3])",
    "chosen pairs": "([(1, 2.5)] if len(s) > 5 else [x for x in s])",
    "chosen of three": "([1] if len(s) > 5 else [y for y in range(3)] if len(s) > 2 else [3])",
    "or": "(s or [(1, 1.0)])",
    "or displays": "(s[5:] or [(1, 1.0)] or s)",
    "sorted": "sorted(s)",
    "from a dict": "{1: s}.get(1, [(5, 0.5)])",
}
# of no list that there is yet
REFUSED = {"string": "['a' for x in s]", "lambda": "[(lambda: x) for x in s]"}
CONSUMERS = """
sorted({c})
sorted({c}, key=lambda p: p[1])
list({c})
set({c})
max({c})
min({c}, key=lambda p: p[0])
len({c})
[y for y in {c}]
{{y for y in {c}}}
{{*{c}}}
[*{c}]
[*{c}, *{c}]
sum([a for a, b in {c}])
dict({c})
any({c})
list(enumerate({c}))
list(zip({c}, {c}))
[k for k in zip({c}, s)]
list(map(lambda p: p, {c}))
list(filter(lambda p: True, {c}))
next(iter({c}))
(2, 0.5) in {c}
{c} == {c}
{c}[0]
{c}[-1:]
{c} + {c}
{c} * 2
{c} if len(s) else {c}
(lambda z: z)({c})
({c}, 1)[1]
np.array({c})
np.asarray({c}).shape
np.sum({c})
np.max({c})
np.sort({c})
np.mean({c}, axis=0)
np.concatenate({c})
np.stack({c})
np.zeros(2) + {c}
""".strip().split("\n")


def made(text):
    linecache.cache["<consumed>"] = (len(text), None, text.splitlines(True), "<consumed>")
    names = {"np": np}
    exec(compile(text, "<consumed>", "exec"), names)
    return names["f"]


def typed(x):
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.tolist()
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [typed(v) for v in x]
    if isinstance(x, set):
        return "set", sorted(str(typed(v)) for v in x)
    if isinstance(x, dict):
        return "dict", [(typed(k), typed(v)) for k, v in x.items()]
    return type(x).__name__, repr(x)


def outcome(f, s):
    try:
        return typed(f(s))
    except swathe.errors.CompileError as e:
        return e
    except Exception as e:
        return type(e).__name__


@pytest.mark.parametrize("kind", ELEMENTS)
def test_what_consumes_them_sees_the_elements(kind):
    refused = 0
    for consumer in CONSUMERS:
        text = "def f(s):\n    return " + consumer.format(c=ELEMENTS[kind])
        f = made(text)
        s = [(1, 2.5), (2, 0.5), (3, 1.5)]
        want, got = outcome(f, s), outcome(swathe.njit(f), s)
        assert not isinstance(got, swathe.errors.InternalError), (text, got)
        if isinstance(got, swathe.errors.CompileError):
            refused += 1
        else:
            assert got == want, text
    assert refused <= 0.75 * len(CONSUMERS)


@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_list_holds_is_refused(kind):
    for consumer in CONSUMERS:
        f = made("def f(s):\n    return " + consumer.format(c=REFUSED[kind]))
        got = outcome(swathe.njit(f), [(1, 2.5), (2, 0.5)])
        assert isinstance(got, swathe.errors.CompileError) or got == outcome(
            f, [(1, 2.5), (2, 0.5)]
        )
        assert not isinstance(got, swathe.errors.InternalError), got


def test_the_next_loop_sees_the_elements():
    def f(s):
        n = 0.0
        for a, b in [(y, x) for x, y in s]:
            n = 2 * n + a - b
        for row in [[x, 1] for x, _ in s]:
            row.append(3)
            n += len(row) + row[0]
        for v in [x if x > 1 else None for x, _ in s]:
            n += 10 if v is None else v
        return n

    s = [(1, 2.5), (2, 0.5), (3, 1.5)]
    assert swathe.njit(f)(s) == f(s)
