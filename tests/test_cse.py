# SPDX-License-Identifier: BSD-3-Clause
"""Loops that only read aren't run twice, and what they yield is what CPython yields."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_lists import check

import swathe


def count(keys, d):
    for k in keys:
        d[k] = d.get(k, 0) + 1
    return len(d)


def count_by_test(keys, d):
    for k in keys:
        if k in d:
            d[k] += 1
        else:
            d[k] = 1
    return d


def count_by_default(keys, d):
    for k in keys:
        d.setdefault(k, 10)
        d[k] += d[k]
    return d


def swap(keys, d):
    for k in keys:
        if k in d and -k in d:
            d[k], d[-k] = d[-k], d[k]
    return d


def moved(keys, d):
    for k in keys:
        n = d.get(k, 0)
        k = k + 1
        d[k] = d.get(k, n) + n
    return d


def removed(keys, d):
    for k in keys:
        if k in d:
            a = d.pop(k)
            b = k in d
            d[k + 9] = a + b
    return d


def two_dicts(keys, d):
    e = d.copy()
    for k in keys:
        d[k] = e.get(k, 0) + d.get(k, 0)
        e[k] = d[k] + e.get(k, 1)
    return e, d


def same_dict(keys, d, e):
    for k in keys:
        d[k] = e.get(k, 0) + 1
        e[k] = d.get(k, 0) + 1
    return e


def sums(keys, d):
    a = sum(keys)
    keys.append(a)
    b = sum(keys)
    c = sum(keys)
    return a, b, c, max(keys) - min(keys), max(keys) + min(keys)


def late(keys, d):
    n = 0
    for k in keys:
        if k > 0:
            n += sum(keys)
            continue
        keys[0] = k
        n -= sum(keys) + sum(keys)
    return n + sum(keys)


FUNCTIONS = [count, count_by_test, count_by_default, swap, moved, removed, two_dicts, sums, late]
KEYS = [[3, 1, 3, -1, 3, 2, -3, 1], [], [0], [5] * 9]
DICTS = [{}, {3: 1, -3: 7, 1: 2}, {k: k for k in range(-40, 40)}]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_lookups(f):
    for keys in KEYS:
        for d in DICTS:
            check(f, keys, d)


def test_one_dict_by_two_names():
    @swathe.njit
    def ours(keys, d, e):
        return same_dict(keys, d, e)

    for keys in KEYS:
        for d in DICTS:
            plain, mine = d.copy(), d.copy()
            assert same_dict(keys, plain, plain) == ours(keys, mine, mine)
            assert plain == mine
            check(same_dict, keys, d, {1: 2})


def shares(x, k):
    s = 0.0
    for v in x:
        s += v
    x[k] = s
    t = 0.0
    for v in x:
        t += v
    u = np.sum(x) + np.sum(x)
    x[k] = 0.0
    return s, t, u, np.sum(x)


def test_arrays():
    x = np.arange(9.0)
    y = x.copy()
    assert swathe.njit(shares)(x, 3) == shares(y, 3)


def test_by_every_pass():
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, swathe, test_cse as t
for f in t.FUNCTIONS:
    g = swathe.njit(cache=False)(f)
    for d in t.DICTS[:2]:
        g([3, 1, 3], d.copy())
swathe.njit(cache=False)(t.shares)(np.arange(4.0), 1)
"""
    env = {**os.environ, "SWATHE_CHECK": "2"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
