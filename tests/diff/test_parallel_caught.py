# SPDX-License-Identifier: BSD-3-Clause
"""A parallel loop in a try whose iterations may fail: what it has set and combined by then is
read afterwards, as in Python. One case is what the loop sets and what is read of it."""

from itertools import product

import numpy as np
import pytest
from harness import define

import swathe

N = 60000
SETS = {
    "sum": "s += a[i]",
    "most": "s = max(s, a[i])",
    "last": "t = a[i]",
    "both": "s += a[i]\n            t = i * 2.0",
    "some": "if a[i] > 1.0:\n                t = a[i]",
}
BEFORE = ("", "    s, t, i = 0.5, 2.0, -1\n")
INSIDE = ("", "        s = 0.0\n        t = 1.0\n")
HANDLERS = {
    "pass": "    except ValueError:\n        pass\n    return {}\n",
    "handler": "    except ValueError:\n        return {}\n    return {}\n",
    "else": "    except Exception:\n        u = {}\n    else:\n        u = {}\n    return u\n",
}
READS = ("s", "t", "i")
FAILURES = (None, 0, N // 2 + 5, N - 1)


def outcome(f, *args):
    try:
        return f(*args)
    except UnboundLocalError:
        return "unbound"


def source(sets, before, inside, handler, read):
    loop = f"        for i in prange(n):\n            b[i] = int(a[i])\n            {sets}\n"
    head = "from swathe import prange\n\n\ndef f(a, b, n):\n"
    return head + before + "    try:\n" + inside + loop + handler.replace("{}", read)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("sets", SETS)
def test_caught(sets, handler, read):
    for before, inside in product(BEFORE, INSIDE):
        text = source(SETS[sets], before, inside, HANDLERS[handler], read)
        if read not in ("i", *[w for w in ("s", "t") if f" {w} " in text or f"{w}," in text]):
            continue
        if sets in ("sum", "most", "both") and "s = 0.0" not in text and "s, t" not in text:
            continue
        f = define(text)
        fast = swathe.njit(parallel=True)(f)
        for at in FAILURES:
            a = np.ones(N)
            a[::7] = 2.0
            if at is not None:
                a[at] = np.nan
            want, got = (outcome(g, a, np.zeros(N, np.int64), N) for g in (f, fast))
            assert want == got or (want != want and got != got), (text, at, want, got)
