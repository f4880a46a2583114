# SPDX-License-Identifier: BSD-3-Clause
"""Every way in which a view can come out of a call, times every way in which it is consumed
beside the array that it looks at.

A consumer that reads a whole array before it writes must do so for views, too: its oracle is
CPython on a copy of what the call yields. The others see each write at once, as CPython does
on the view itself.
"""

import os
import random

import numpy as np
import pytest
from harness import define

import swathe

COUNT = int(os.environ.get("SWATHE_FUZZ", "60"))
START = int(os.environ.get("SWATHE_FUZZ_START", "0"))
EVERY = "SWATHE_FUZZ" in os.environ  # else a part of the product, in which each of both occurs

HELPERS = """
from typing import NamedTuple

from swathe import prange

TABLE = np.array([2.0, 7.0, 1.0, 8.0, 2.0, 8.0])


class Both(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def rev(y):
    return y[::-1]


def same(y):
    return y


def again(y):
    return rev(same(y))


def either(y, c):
    if c > 0:
        return y[::-1]
    return y * 2.0


def pick(y, z, c):
    return y[::-1] if c > 0 else z


def pair(y):
    return y[::-1], y


def named(y):
    return Both(y[::-1], y * 2.0)


def rounds(y, n):
    if n <= 0:
        return y[::-1]
    return rounds(y, n - 1)


def swapped(y, n):
    a = y
    b = y[::-1]
    for i in range(n):
        a, b = b, a
    return a


def fresh(y):
    return y[::-1] * 1.0


def known(y, c):
    if c > 100:
        return y
    return TABLE[: len(y)]


def window(y):
    w = y[2:]
    return w[::-1]


def through(f, y):
    return f(y)


def held(y):
    t = np.empty((2, len(y)))
    t[0] = y
    t[1] = y[::-1]
    return t[0], t


def bump(y):
    y += 1.0
    return y


def turned(y):
    return y.T


def corner(y):
    return y[::-1, ::-1]


def row_of(y):
    return y[0]


def column_of(y):
    return y[:, -1]


def flat(y):
    return y.reshape(-1)[::-1].reshape(y.shape)


def lifted(y):
    return y[::-1][:, None][:, 0]
"""

# Views of a vector, of its own length; then of a square, or what broadcasts to one.
LINE = """
rev(y) ; same(y) ; again(y) ; either(y, c) ; either(y, -c) ; pick(y, z, c) ; pick(z, y, -c) ;
pair(y)[0] ; pair(y)[1] ; named(y).first ; named(y).second ; rounds(y, 2) ; swapped(y, c) ;
fresh(y) ; known(y, c) ; known(y, c + 100) ; through(rev, y) ; through(lambda t: t[::-1], y) ;
held(y)[0] ; bump(y) ; lifted(y) ; rev(rev(y)[::-1]) ; np.flip(y) ; np.flipud(y) ;
np.flip(y, 0) ; np.asarray(y)[::-1] ; np.asarray(rev(y)) ; np.array(rev(y)) ;
np.array(rev(y), copy=True) ; np.ascontiguousarray(rev(y)) ; np.asfortranarray(np.flip(y)) ;
np.copy(rev(y)) ; np.ravel(y)[::-1] ; np.ravel(rev(y)) ; rev(y).flatten() ;
np.squeeze(y[None, ::-1], axis=0) ; np.squeeze(np.flip(y)[:, None], axis=1) ;
np.reshape(rev(y), (2, -1)).reshape(-1) ; np.flip(y.reshape(2, -1)).reshape(-1) ;
np.atleast_1d(rev(y)) ; np.atleast_2d(rev(y))[0] ; np.atleast_3d(rev(y))[0, :, 0] ;
np.expand_dims(rev(y), 1)[:, 0] ; np.broadcast_to(y[1:2], y.shape) ;
np.broadcast_to(rev(y), (2, len(y)))[1] ; np.real(rev(y)) ; rev(y).real ; np.transpose(rev(y)) ;
rev(y).T ; np.moveaxis(rev(y)[None], 0, 1)[:, 0] ; np.swapaxes(y[None, ::-1], 0, 1)[:, 0] ;
np.diagonal(np.broadcast_to(rev(y), (len(y), len(y)))) ;
np.diag(np.broadcast_to(y, (len(y), len(y)))) ; np.roll(y, 1) ; np.flip(y)[: len(y)] ;
rev(y).view(np.float64) ; np.concatenate((y[1:], y[:1])) ; np.where(y > 2.0, rev(y), y) ;
rev(y).astype(np.float64)
"""

# {v} is the view; a star: the oracle reads a copy of it
CONSUMERS = {
    "assign": ("*", "y[:] = {v}\nreturn y"),
    "add": ("*", "y += {v}\nreturn y"),
    "shift": ("*", "y[1:] += {v}[:-1]\nreturn y"),
    "part": ("*", "y[:-1] = {v}[1:]\nreturn y"),
    "every": ("*", "y[::2] = {v}[: len(y[::2])]\nreturn y"),
    "expression": ("*", "v = {v}\ny[:] = v * 2.0 + v - y\nreturn y"),
    "out": ("*", "np.add({v}, 1.0, out=y)\nreturn y"),
    "both": ("", "return np.add({v}, {v}, out=y), y"),
    "ellipsis": ("*", "v = {v}\ny[...] = np.where(v > 3.0, v, y)\nreturn y"),
    "sums": ("*", "y[:] = np.cumsum({v})\nreturn y"),
    "sums_out": ("*", "np.cumsum({v}, out=y)\nreturn y"),
    "scaled": ("*", "v = {v}\ny *= v.max() + v[0]\nreturn y"),
    "fill": ("*", "y[:] = {v}[1]\nreturn y"),
    "aliased": ("", "v = {v}\nv += y\nreturn y, v"),
    "loop": ("", "v = {v}\nfor i in range(len(y)):\n    y[i] = v[i] + 1.0\nreturn y, v"),
    "loop_back": (
        "",
        "v = {v}\nfor k in range(len(y)):\n    y[-1 - k] = v[-1 - k] * 2.0\nreturn y, v",
    ),
    "prefix": ("", "v = {v}\nfor i in range(1, len(y)):\n    y[i] += v[i - 1]\nreturn y, v"),
    "prange": (
        "",
        "v = {v}\nz = np.zeros(len(y))\nfor i in prange(len(y)):\n    z[i] = v[i] + y[i]\nreturn z",
    ),
    "reduce": (
        "",
        "v = {v}\nz = 0.0\nfor i in range(len(y)):\n    y[i] = z\n    z += v[i]\nreturn z, y",
    ),
    "seen": ("", "v = {v}\ny[0] = 77.0\ny[-1] = 55.0\nreturn v * 1.0"),
    "written": ("", "v = {v}\nv[0] = 77.0\nv[-2:] = 55.0\nreturn y"),
    "copied": ("", "v = np.array({v})\ny[0] = 77.0\ny[-1] = 55.0\nreturn v"),
    "settled": ("", "v = np.ascontiguousarray({v})\nw = v + 0.0\ny[0] = 77.0\nreturn v, w"),
    "turned": ("", "v = np.asfortranarray({v})\nw = v * 1.0\ny[:2] = 77.0\nreturn v, w"),
    "ravelled": ("", "v = np.ravel({v})\ny[0] = 77.0\nreturn v"),
    "two": ("*", "v, w = {v}, y * 2.0\ny[:] = v + w\nreturn y, w"),
    "twice": ("", "v = {v}\nw = v * 2.0\nreturn w * 3.0, w, v"),
    "iterated": (
        "",
        "s = 0.0\nfor x in {v}:\n    s = s * 2.0 + x\n    y[0] = s\n    y[-1] = s\nreturn s",
    ),
}

PLANE = """
turned(y) ; corner(y) ; same(y) ; flat(y) ; row_of(y) ; column_of(y) ; rev(y) ; again(y) ;
either(y, c) ; pair(y)[0] ; rounds(y, 1) ; swapped(y, c) ; fresh(y) ; through(turned, y) ;
turned(rev(y)) ; np.flip(y) ; np.flip(y, 1) ; np.flip(y, axis=0) ; np.fliplr(y) ; np.flipud(y) ;
np.transpose(y) ; np.transpose(rev(y)) ; y.T ; np.swapaxes(y, 0, 1) ; np.moveaxis(y, 0, 1) ;
np.diag(y) ; np.diagonal(y) ; np.diagonal(corner(y)) ; np.diagonal(y)[::-1] ;
np.ravel(y)[::-1].reshape(y.shape) ; np.ravel(turned(y)).reshape(y.shape) ;
np.reshape(y, y.shape)[::-1] ; np.asarray(turned(y)) ; np.ascontiguousarray(turned(y)) ;
np.asfortranarray(corner(y)) ; np.ascontiguousarray(np.fliplr(y)) ;
np.asfortranarray(np.flipud(y)) ; np.array(corner(y)) ; np.atleast_2d(rev(y)) ;
np.atleast_3d(turned(y))[:, :, 0] ; np.expand_dims(turned(y), 0)[0] ;
np.squeeze(corner(y)[None], axis=0) ; np.broadcast_to(y[1], y.shape) ;
np.broadcast_to(y[:, :1], y.shape) ; np.real(turned(y)) ; np.tril(turned(y)) ;
np.flip(y)[::-1] ; turned(y).copy()
"""

PLANE_CONSUMERS = {
    "assign": ("*", "y[:] = {v}\nreturn y"),
    "add": ("*", "y += {v}\nreturn y"),
    "block": ("*", "v = {v} + np.zeros(y.shape)\ny[1:, 1:] -= v[:-1, :-1]\nreturn y"),
    "rows": ("*", "v = {v}\ny[0] = v[-1]\nreturn y"),
    "expression": ("*", "v = {v}\ny[:] = v * 2.0 + y.T * v\nreturn y"),
    "out": ("*", "np.multiply({v}, 2.0, out=y)\nreturn y"),
    "means": ("*", "v = {v}\ny -= v.mean()\nreturn y"),
    "product": ("*", "y[:] = np.dot(y, y) + {v}\nreturn y"),
    "loop": (
        "",
        "v = {v} + np.zeros(y.shape)\nfor i in range(len(y)):\n    for j in range(len(y)):\n"
        "        y[i, j] = v[j, i] * 2.0\nreturn y",
    ),
    "seen": ("", "v = {v}\ny[0, 0] = 77.0\ny[-1] = 55.0\nreturn v * 1.0"),
    "copied": ("", "v = np.array({v})\ny[0, 0] = 77.0\nreturn v"),
    "settled": ("", "v = np.ascontiguousarray({v})\nw = v + 0.0\ny[0, 0] = 77.0\nreturn v, w"),
    "turned": ("", "v = np.asfortranarray({v})\nw = v * 1.0\ny[0, 0] = 77.0\nreturn v, w"),
    "ravelled": ("", "v = np.ravel({v})\ny[0, 0] = 77.0\nreturn v, v * 2.0"),
    "reshaped": ("", "v = np.reshape({v}, -1)\ny[-1, 0] = 77.0\nreturn v"),
    "twice": ("", "v = {v}\nw = v[None] * 2.0 + y\nreturn w * 3.0, w, v"),
}

VALUES = {
    1: (lambda: np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]), lambda: np.arange(20.0)[14:2:-2]),
    2: (
        lambda: np.array(np.arange(16.0).reshape(4, 4) * 3 % 7 + 1),
        lambda: np.asfortranarray(np.arange(16.0).reshape(4, 4) * 5 % 11),
        lambda: (np.arange(64.0).reshape(8, 8) * 3 % 13)[::2, ::-2],
    ),
}


def text_of(body, view):
    lines = "".join(f"    {line}\n" for line in body.replace("{v}", view).split("\n"))
    return f"{HELPERS}\n\ndef run(y, z, c):\n{lines}"


def outcome(f, make):
    y, z = make(), make() * 10.0
    with np.errstate(all="ignore"):
        try:
            return f(y, z, 1), y, z
        except (ValueError, IndexError) as e:
            return type(e), y, z


def alike(want, got):
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(want) == len(got) and all(map(alike, want, got))
    if isinstance(want, type):
        return isinstance(got, type) and issubclass(got, want)
    return np.shape(want) == np.shape(got) and np.array_equal(want, got, equal_nan=True)


def show(body, view, make, want, got):
    return f"{view} in:\n{body}\nwith y = {make()!r}\nCPython: {want}\nswathe: {got}"


def compare(ndim, view, star, body, **options):
    oracle = define(text_of(body, f"np.array({view})" if star else view), "run")
    f = swathe.njit(**options)(define(text_of(body, view), "run"))
    for make in VALUES[ndim]:
        want, got = outcome(oracle, make), outcome(f, make)
        assert alike(want, got), show(body, view, make, want, got)


def parts(text):
    return [" ".join(x.split()) for x in text.split(";")]


# Refused, or a copy, as the documentation says: constants and other read-only memory.
REFUSED = {("known", "written"), ("known", "aliased"), ("np.diag(np.broadcast", "ravelled")}


def product(views, consumers):
    some = 1 if EVERY else 9
    modes = {}, {"parallel": True}
    pairs = [(i + k, v, c) for i, v in enumerate(parts(views)) for k, c in enumerate(consumers)]
    refused = [
        (v, c) for _, v, c in pairs for start, by in REFUSED if v.startswith(start) and c == by
    ]
    return [
        (v, c, modes[at // some % 2])
        for at, v, c in pairs
        if at % some == 0 and (v, c) not in refused
    ]


@pytest.mark.parametrize("view,consumer,options", product(LINE, CONSUMERS))
def test_line(view, consumer, options):
    compare(1, view, *CONSUMERS[consumer], **options)


@pytest.mark.parametrize("view,consumer,options", product(PLANE, PLANE_CONSUMERS))
def test_plane(view, consumer, options):
    compare(2, view, *PLANE_CONSUMERS[consumer], **options)


# --- what is known of strides, along any chain of views ---------------------------------

STEPS = {  # by the least rank
    0: "[...] ; v.real ; np.asarray(v) ; flipped(v) ; np.array(v) ; v * 1",
    1: """[::-1] ; [1:] ; [:-1] ; [::2] ; [..., ::-1] ; [None] ; [..., None] ; np.flip(v, -1) ;
    np.flip(v, 0) ; np.expand_dims(v, 1) ; np.ascontiguousarray(v) ; np.asfortranarray(v) ;
    np.ravel(v) ; v.reshape(-1) ; v.reshape(len(v), -1) ; np.atleast_2d(v) ; [:1] ; [3:3]""",
    2: """v.T ; [0] ; [:, 0] ; [..., -1] ; [:, ::-1] ; [:, 1:] ; [:, :1] ; [1:, 1:] ; [:, None] ;
    np.swapaxes(v, 0, -1) ; np.moveaxis(v, 0, -1) ; np.diagonal(v) ; np.flip(v) ; v.T[::-1].T ;
    np.ravel(v, order='F') ; v.reshape(-1, order='F') ; np.fliplr(v) ;
    np.squeeze(v[:1], axis=0)""",
    3: """np.transpose(v, (1, 0, 2)) ; np.moveaxis(v, 2, 0) ; [:, 1] ; [:, :, 0] ; [:, 0, None] ;
    np.swapaxes(v, 1, 2) ; v.reshape(len(v), -1) ; [0, ..., None]""",
}

BODY = """

def flipped(v):
    return v[...]


def run(v):
{steps}    return (v, np.ascontiguousarray(v), np.asfortranarray(v), np.ravel(v), np.copy(v), v + 1,
            v.reshape(-1), v.flatten(), np.array(v), v.T + 1)
"""

SHAPES = [(6,), (1,), (0,), (4, 5), (1, 4), (4, 1), (0, 3), (3, 2, 4), (2, 1, 3), (2, 3, 1, 2)]


def chain(rng, v):
    """A few steps that NumPy accepts for v, as lines of code."""
    lines = []
    for _ in range(rng.randint(1, 4)):
        step = rng.choice(parts(";".join(STEPS[r] for r in STEPS if r <= v.ndim)))
        text = "v" + step if step.startswith("[") else step
        try:
            v = eval(text, {"np": np, "v": v, "flipped": lambda x: x[...]})
        except (ValueError, IndexError):
            continue
        if v.ndim > 5 or v.ndim < 1:
            break
        lines.append(f"    v = {text}\n")
    return "".join(lines)


@pytest.mark.parametrize("seed", range(START, START + COUNT))
def test_layouts(seed):
    rng = random.Random(seed)
    shape = rng.choice(SHAPES)
    wide = tuple(2 * n for n in shape)
    base = np.arange(float(np.prod(shape))).reshape(shape) + rng.choice([0, 1j])
    arrays = [
        base,
        np.asfortranarray(base),
        np.zeros(wide, base.dtype)[tuple(slice(None, None, -2) for _ in shape)],
    ]
    arrays[2][...] = base
    source = BODY.replace("{steps}", chain(rng, base))
    f = define(source, "run")
    g = swathe.njit(f)
    for a in arrays:
        try:
            want = f(a)
        except (ValueError, IndexError) as e:
            with pytest.raises(type(e)):
                g(a)
            continue
        got = g(a)
        assert alike(want, got), f"{source}\nwith {a!r}\nCPython: {want}\nswathe: {got}"
        flags = [(x.flags.c_contiguous, x.flags.f_contiguous) for x in want[1:3]]
        assert flags == [(x.flags.c_contiguous, x.flags.f_contiguous) for x in got[1:3]], source
