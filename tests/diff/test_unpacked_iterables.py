"""`a, b = ...` of what yields its elements one by one; lists that are filled by what is popped."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import swathe


def shapes(x):
    h, w = (d // 2 for d in x.shape[1:])
    a = b, c, d = [k + 1 for k in x.shape]
    return np.zeros((h, w)), a, b, c, d


def too_few(x):
    a, b, c, d = [k + 1 for k in x.shape]
    return a + b + c + d


def unlike(x, n):
    p, q, r = map(np.radians, [x, n, 30.0])
    u, v = (np.asarray(k) for k in (x, n))
    s, t = [k * 2 for k in (n, 1.5)]
    return p, q, r, u + v, s, t


def read(text):
    name, *rest = text.split()
    x, y = map(float, rest)
    lo, *others = (k for k in (x, y) if k > 1)
    return name, x, y, lo, others


def backwards(a, n):
    p, q, r = reversed(a)
    (i, x), (j, y), (k, z) = enumerate(a)
    (b, c), d = (v * 2 for v in a[:2]), n
    s = 0
    for m in range(1, n)[::-1]:
        s = 3 * s + m
    return p, q, r, i + j + k, x + y + z, b, c, d, s, [m for m in range(n)[::-1]]


def in_rounds(a, n):
    out = np.zeros((n, 2))
    for i in swathe.prange(n):
        x, y = (v * i for v in a)
        h, w = [k + i for k in out.shape]
        out[i] = x + h, y + w
    return out


def popped(words):
    signs = {"+": 1, "-": 1}
    ops, out = [], []
    for t in words:
        if t in signs:
            while ops and ops[-1] != "(":
                out.append(ops.pop())
            ops.append(t)
        elif t == "(":
            ops.append(t)
        else:
            out.append(t)
    while ops:
        out.append(ops.pop())
    s = 0.0
    for t in out:
        s += signs[t] if t in signs else float(t) if t != "(" else 0.5
    return out, s


def popped_pairs(a):
    stack, seen, total = [], [], 0
    for k in a:
        if len(stack) > 1:
            seen.append(stack.pop(0))
        stack.append((k, k + 1))
    for x, y in seen:
        total += x * y
    return seen, total


CASES = {
    "shapes": (shapes, (np.zeros((2, 5, 9)),)),
    "too_few": (too_few, (np.zeros((2, 5, 9)),)),
    "unlike": (unlike, (np.linspace(0, 90, 4), 60)),
    "read": (read, ("a 1 2.5",)),
    "read_short": (read, ("a 1",)),
    "read_long": (read, ("a 1 2 3",)),
    "backwards": (backwards, (np.array([3, 1, 2]), 6)),
    "backwards_long": (backwards, (np.array([3, 1, 2, 5]), 0)),
    "in_rounds": (in_rounds, (np.array([1.5, -2.0]), 5)),
    "in_rounds_list": (in_rounds, ([1.5, -2.0], 1)),
    "popped": (popped, (["1", "+", "(", "2", "-", "3", "+", "4"],)),
    "popped_pairs": (popped_pairs, (np.arange(5),)),
}
MODES = [{"opt_level": 1}, {"opt_level": 1, "parallel": True, "debug": True}]
COMPILED = {
    (f, k): swathe.njit(cache=False, **mode)(f)
    for f in {f for f, _ in CASES.values()}
    for k, mode in enumerate(MODES)
}


def outcome(f, args):
    try:
        return f(*copy.deepcopy(args))
    except ValueError as error:
        return str(error).split("\n")[0]


def alike(got, want):
    if isinstance(want, (tuple, list)):
        both = type(got) is type(want) and len(got) == len(want)
        return both and all(map(alike, got, want))
    if isinstance(want, np.ndarray):
        same = isinstance(got, np.ndarray) and got.dtype == want.dtype and got.shape == want.shape
        return same and np.allclose(got, want, rtol=1e-14)
    return type(got) is type(want) and (got == want or np.isclose(got, want, rtol=1e-14))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", range(len(MODES)))
def test_same_as_python(name: str, mode: int) -> None:
    f, args = CASES[name]
    want, got = outcome(f, args), outcome(COMPILED[f, mode], args)
    assert alike(got, want), f"{got} differs from {want}"


def test_what_pops_from_an_open_list_is_not_optional() -> None:
    jit = COMPILED[popped, 0]
    jit(["1", "+", "2", "+"])
    assert "optional" not in str(jit.nopython_signatures)


def test_several_in_one_call():
    def f(*args, a=0, b=0):
        return sum(args) * 2 + a + 3 * b

    def g(a, b, c, d=5):
        return a + 10 * b + 100 * c + 1000 * d

    def both(t, log):
        def h(x):
            log.append(x)
            return x

        u = (3, 4)
        return (
            f(*t, *u),
            f(0, *t, 7, *u, 8, a=1, **{"b": 2}),
            f(*(h(1), h(2)), h(3), *(h(4),), a=h(5)),
            g(*t, *(3,)),
            g(*(), *t, *u),
            max(*t, *u),
        )

    log, want = [0], [0]
    assert swathe.njit(both)((1, 2), log) == both((1, 2), want)
    assert log == want
