# SPDX-License-Identifier: BSD-3-Clause
"""Indices that are arrays of integers and masks: read, stored to, and updated in place, mixed with
slices, numbers, new axes and ellipses, over dtypes and layouts, with places that are none, shapes
that don't fit, and arrays that overlap with what is stored to."""

import random

import numpy as np
import pytest
from harness import DTYPES, check, define, layouts, sample

import swathe

SHAPES = [(5,), (4, 3), (2, 3, 4), (3, 1, 2, 3), (0,), (3, 0), (1, 1)]
INTS = ["i8", "i4", "u1", "i2", "u8"]


def places(rng, size, shape, bad):
    """Integers that count from either end; bad: one of them is none."""
    top = max(size, 1)
    dtype = rng.choice(INTS)
    low = 0 if dtype[0] == "u" else -top
    a = np.array([rng.randrange(low, top) for _ in range(int(np.prod(shape)))], dtype)
    a = a.reshape(shape)
    if bad and a.size:
        a.flat[rng.randrange(a.size)] = size
    return a[::-1].copy()[::-1] if rng.random() < 0.3 else a


def mask(rng, shape, bad):
    if bad:
        shape = (shape[0] + 1, *shape[1:])
    a = np.array([rng.random() < 0.5 for _ in range(int(np.prod(shape)))], bool)
    return np.asfortranarray(a.reshape(shape)) if rng.random() < 0.3 else a.reshape(shape)


class Index:
    """The text of an index of an array of some shape, and its arrays."""

    def __init__(self, rng, shape, bad):
        self.rng, self.arrays, self.bad = rng, [], bad and rng.random() < 0.3
        parts, axis = [], 0
        common = rng.choice([(3,), (2,), (2, 3), (1,), (0,)]) if rng.random() < 0.9 else (4, 1, 2)
        while axis < len(shape) and (rng.random() < 0.85 or not parts):
            kind = rng.choice("iiiammsn:e") if parts else rng.choice("iiiamms")
            left = len(shape) - axis
            if kind == "e":
                if "..." in parts:
                    continue
                kept = rng.randrange(left + 1)
                parts.append("...")
                axis += kept
                # what follows must reach the last axis
                for k in range(axis, len(shape)):
                    parts.append(self.place(shape[k], common))
                axis = len(shape)
            elif kind == "m":
                n = rng.randrange(1, min(left, 2) + 1)
                parts.append(self.name(mask(rng, shape[axis : axis + n], self.bad)))
                axis += n
            elif kind == "n":
                parts.append(rng.choice(["None", "np.newaxis"]))
            else:
                parts.append(self.part(kind, shape[axis], common))
                axis += 1
        self.text = ", ".join(parts)

    def name(self, array):
        self.arrays.append(array)
        return f"i{len(self.arrays) - 1}"

    def place(self, size, common):
        shape = common[self.rng.randrange(len(common)) :] if self.rng.random() < 0.3 else common
        if self.rng.random() < 0.2:
            shape = tuple(1 if self.rng.random() < 0.5 else k for k in shape)
        return self.name(places(self.rng, size, shape, self.bad))

    def part(self, kind, size, common):
        if kind in "i:":
            return self.place(size, common) if kind == "i" else ":"
        if kind == "a":
            return str(self.rng.randrange(-size, size)) if size else ":"
        return self.rng.choice([":", "::-1", "1:", ":-1", "::2", "n:", "-2:"])


def drawn(seed):
    """A program and its arguments."""
    rng = random.Random(seed)
    shape, dtype = rng.choice(SHAPES), rng.choice(DTYPES)
    found = layouts(dtype, shape, seed, False)
    a = found[rng.choice(sorted(found))]
    ix = Index(rng, shape, rng.random() < 0.3)
    try:
        like = a[eval(f"np.index_exp[{ix.text}]", {"np": np, "n": 1} | named(ix))]
    except IndexError:
        like = np.zeros(2, dtype)
    how = rng.choice(["read", "read", "scalar", "value", "op", "op scalar", "self"])
    value = sample(rng.choice([dtype, "i4", "f8"]) if dtype[0] != "c" else dtype, like.shape, 3)
    if how == "op":
        value = value.astype(dtype)
    if value.ndim and rng.random() < 0.4:
        value = value[0] if len(value) and rng.random() < 0.5 else value[..., :1]
    if np.ndim(value) and rng.random() < 0.15:
        value = np.concatenate([value, value, value])
    if how in ("scalar", "op scalar"):
        value = sample(dtype, 3, 5)[1].item()
    op = "|" if dtype == "?" else rng.choice("+-*")
    lines = {
        "read": [f"return a[{ix.text}]"],
        "self": [f"a[{ix.text}] = a[{ix.text}]", "return a"],
        "scalar": [f"a[{ix.text}] = v", "return a"],
        "value": [f"a[{ix.text}] = v", "return a"],
        "op": [f"a[{ix.text}] {op}= v", "return a"],
        "op scalar": [f"a[{ix.text}] {op}= v", "return a"],
    }[how]
    names = ", ".join(named(ix))
    f = define(f"def f(a, v, n, {names}):\n    " + "\n    ".join(lines) + "\n")
    return f, (a, value, 1, *ix.arrays)


def drawn_in_a_form(seed):
    """The same, read, stored to or updated in one of some ways."""
    rng = random.Random(seed)
    shape = rng.choice(SHAPES)
    dtype = rng.choice([d for d in DTYPES if d not in ("f2", "c8")])
    found = layouts(dtype, shape, seed, False)
    a = found[rng.choice(sorted(found))]
    ix = Index(rng, shape, rng.random() < 0.1)
    at, names = ix.text, ", ".join(named(ix))
    op = "|" if dtype == "?" else rng.choice("+-*")
    one = sample(dtype, 3, 5)[1].item()
    low = "a" if dtype[0] == "c" else f"(a > {one})"
    kept = f"return a[{at}]" if ":" in at else f"t = ({at},)\n    return a[t]"
    bodies = [
        f"def g(x, {names}): return x[{at}]\ndef f(a, n, {names}):\n    return g(a, {names}), a",
        f"def g(x, {names}): x[{at}] = {one}\n"
        f"def f(a, n, {names}):\n    g(a, {names})\n    return a",
        f"def f(a, n, {names}):\n    b = a[{at}]\n    b[...] = {one}\n    return a, b",
        f"def f(a, n, {names}):\n    a[{at}] = a[{at}] {op} a[{at}]\n    return a",
        f"def f(a, n, {names}):\n    b = a.copy()\n    a[{at}] = b[{at}] {op} {one}\n    return a",
        f"def f(a, n, {names}):\n    b = a[::-1]\n    a[{at}] = b[{at}]\n    return a",
        f"def f(a, n, {names}):\n    b = a[:]\n    b[{at}] {op}= a[{at}]\n    return a, b",
        f"def f(a, n, {names}):\n    x = a[{at}]\n"
        f"    return (x {op} a[{at}]).sum(), a[{at}].size, a[{at}].shape",
        f"def f(a, n, {names}):\n    for k in range(2):\n        a[{at}] {op}= {one}\n    return a",
        f"def f(a, n, {names}):\n    {kept}",
        f"def f(a, n, {names}):\n    b = a[{at}]\n    return b[:1], b[..., -1:]",
        f"def f(a, n, {names}):\n    a[{low}] = a.ravel()[0] if a.size else {one}\n    return a",
        f"def f(a, n, {names}):\n    a[{low}] {op}= {one}\n    return a, a[{low}]",
        f"def f(a, n, {names}):\n    a[{low}] = a[{low}] {op} {one}\n    return a[{low}].size, a",
        f"def f(a, n, {names}):\n    x, y = a[{at}], a[{at}] {op} {one}\n    return x, y",
        f"def f(a, n, {names}):\n    return np.where(a[{at}] == {one}, a[{at}], {one})",
    ]  # fmt: skip
    body = rng.choice(bodies)
    if dtype[0] == "c" and low in body.split("return")[0]:
        body = bodies[0]
    if dtype == "?":
        body = body.replace(f"(a > {one})", "a")
    return define(body + "\n", "f"), (a, 1, *ix.arrays)


def named(ix):
    return {f"i{k}": x for k, x in enumerate(ix.arrays)}


@pytest.mark.parametrize("part", range(20))
@pytest.mark.filterwarnings("ignore")
def test_drawn(part):
    for k in range(20):
        f, args = drawn(part * 20 + k)
        check(f, *args, raises=..., modes=("plain",), views=False)


@pytest.mark.parametrize("part", range(16))
@pytest.mark.filterwarnings("ignore")
def test_drawn_in_a_form(part):
    for k in range(20):
        f, args = drawn_in_a_form(part * 20 + k)
        check(f, *args, raises=..., modes=("plain",), views=False, ulp=4, scale=99.0)


# ---- places in the array that is stored to -------------------------------------------------------


def into_itself(a, i):
    b = a.copy()
    a[i] = b[i] * -4
    return a


def added(a, i):
    b = a * 2
    a[i] += b[i] + 1
    return a


def of_places(a, i):
    a[i] = i * 2 - 99
    return a


def twice(a, i):
    b = a + 1
    a[i] = b[i] - 7
    a[i] = b[i] * 2 - 1
    return a


def rows(a, i):
    b = a.copy()
    a.reshape(-1, 1)[i, 0] = b[i] * -3
    return a


def first_in_its_place(a, i):
    b = a.copy()
    a[:] = i % len(a)
    a[i] = b[i] * -4
    return a


@pytest.mark.parametrize(
    "f", [into_itself, added, of_places, twice, rows, first_in_its_place], ids=lambda f: f.__name__
)
def test_places_that_the_store_changes(f):
    """The first of them have become other numbers before the last ones are stored."""
    compiled = swathe.njit(cache=False)(f)
    for n in (1, 2, 8, 63, 64, 300):
        x = np.random.RandomState(n).randint(0, n, 2 * n)
        for cut in (slice(n), slice(0, n), slice(1, n + 1), slice(0, 2 * n, 2), slice(n, 2 * n)):
            got, want = (x % n).copy(), (x % n).copy()
            for g, over in ((compiled, got), (f, want)):
                a, i = over[:n], over[cut]
                try:
                    g(a, a if cut.start is None else i)
                except IndexError:
                    over[:] = -1  # which of them were stored is nobody's promise
            np.testing.assert_array_equal(got, want)
