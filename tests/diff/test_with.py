# SPDX-License-Identifier: BSD-3-Clause
"""with: __enter__ and __exit__ on every way in and out; several items, nested, in loops."""

import contextlib
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from harness import Corpus, check, define

import swathe

corpus = Corpus(modes=("plain", "debug", "parallel"))
case = corpus


class Log(NamedTuple):
    """Writes down what happens; keeps exceptions when `keeps`; raises on the way in or out."""

    log: np.ndarray
    keeps: int
    fails: int

    def __enter__(self):
        self.log[0] += 1
        if self.fails == 1:
            raise OverflowError("in")
        return self.keeps

    def __exit__(self, kind, error, traceback):
        self.log[1] += 1
        if kind is None:
            self.log[2] += 10
        if error is not None and traceback is not None:
            self.log[3] += 1
        if self.fails == 2:
            raise IndexError("out")
        return self.keeps == 1


class Quiet(NamedTuple):
    """Returns nothing on the way out."""

    log: np.ndarray

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.log[1] += 100 * len(args)


LEAVE = {
    "end": "log[4] += 1",
    "raise": "if n == i:\n    raise ValueError('left')",
    "check": "log[4] += 1 // (n - i)",
    "return": "if n == i:\n    return i",
    "break": "if n == i:\n    break",
    "continue": "if n == i:\n    continue",
    "loop": "for j in range(4):\n    if j == n:\n        break\n    log[4] += 1",
}
WITH = {
    "one": "with Log(log, k, m) as v:\n    log[5] += v\n{b}",
    "two": "with Log(log, k, m) as v, Log(log, v, 0) as w:\n    log[5] += v + w\n{b}",
    "nested": "with Log(log, 0, 0):\n    with Log(log, k, m):\n        pass\n{b}",
    "quiet": "with Quiet(log) as q:\n    q.log[5] += 1\n{b}",
    "try": "try:\n    with Log(log, k, m):\n    {b}\nexcept ValueError:\n    log[5] += 50\n"
    "finally:\n    log[5] += 1",
    "after": "with Log(log, k, m):\n    try:\n    {b}\n    finally:\n        log[5] += 3",
    "known": "with np.errstate(all='ignore'), Log(log, k, m), contextlib.nullcontext():\n{b}",
}


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def program(leave, shape):
    body = indented(LEAVE[leave])
    inner = WITH[shape].replace("    {b}", indented(body)).replace("{b}", body)
    loop = indented("log[6] += 1\n" + inner + "\nlog[7] += 1", 2)
    head = "def f(log, n, k, m):\n    for i in range(3):\n"
    return f"{head}{loop}    else:\n        log[8] += 1\n    return -1\n"


def made(text):
    f = define(text, "f")
    f.__globals__.update(Log=Log, Quiet=Quiet, contextlib=contextlib, np=np)
    return f


@pytest.mark.parametrize("shape", WITH)
@pytest.mark.parametrize("leave", LEAVE)
def test_leaving(leave, shape):
    f = made(program(leave, shape))
    for n, k, m in itertools.product((0, 2, 5), (0, 1), (0, 1, 2)):
        check(f, np.zeros(9), n, k, m, modes=("plain",), raises=...)


@pytest.mark.parametrize("shape", ["one", "try"])
@pytest.mark.parametrize("leave", ["raise", "return", "break"])
def test_in_a_helper(leave, shape):
    inner = program(leave, shape).replace("def f(", "def g(")
    outer = (
        "def f(log, n, k, m):\n    r = g(log, n, k, m)\n"
        "    with Quiet(log):\n        return r + g(log, n, k, m)\n"
    )
    f = made(inner + outer)
    for n, k in itertools.product((0, 5), (0, 1)):
        check(f, np.zeros(9), n, k, 0, modes=("plain", "parallel"), raises=...)


@case(np.zeros(9), 0)
@case(np.zeros(9), 2)
def names(log, n):
    """A name that the body sets may be unbound behind it when the exception is kept."""
    x = 1
    with Log(log, 1, 0) as k:
        x = k + 1
        y = 3 // n
        x = 7
    return x, k


@case(np.zeros(9), 0, raises=UnboundLocalError)
@case(np.zeros(9), 2)
def may_be_unbound(log, n):
    with Log(log, 1, 0):
        y = 3 // n
    return y


@case(np.zeros(9), 1)
@case(np.zeros(9), 3)
def target_is_guarded(log, n):
    """What the target raises is the body's."""
    a = np.zeros(2)
    with Log(log, 1, 0) as a[n]:
        log[4] += 1
    return a


@case(np.zeros(9))
def manager_in_a_name(log):
    m = Log(log, 0, 0)
    with m:
        m = Log(np.zeros(4), 1, 1)
        log[4] += 1
    return log


@case(np.zeros(9), 5)
def result_is_taken_first(log, n):
    with Log(log, 0, 0):
        return log[1] + n


@case(np.array([1.0, 0.0, -2.0]))
def without_warnings(x):
    with np.errstate(divide="ignore", invalid="warn", over=None):
        y = 1 / x
    with np.errstate(all="ignore"):
        return y, np.float64(1.0) / x[1]


@case(np.zeros((8, 9)))
def in_prange(log):
    out = np.zeros(8)
    for i in swathe.prange(8):
        with Log(log[i], 1, 0) as v:
            out[i] = v + 1 // (i - 3)
            out[i] += 1
    return out


test_case = corpus.test()

REFUSED = {
    "with np.errstate(all='raise'):\n    pass": "other than 'ignore' or 'warn'",
    "with np.errstate(call=n):\n    pass": "this argument of np.errstate",
    "with np.errstate(all='ignore') as e:\n    pass": "'as' after numpy.errstate",
    "with contextlib.nullcontext(*(n,)) as e:\n    pass": "nullcontext",
    "with n:\n    pass": "no compiled method __enter__",
    "with (n, n):\n    pass": "no compiled method __enter__",
    "e = np.errstate(all='ignore')": "outside a with statement",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    f = swathe.njit(made(f"def f(n):\n{indented(body)}    return n\n"))
    with pytest.raises(swathe.CompileError) as e:
        f(3)
    assert REFUSED[body] in str(e.value)
