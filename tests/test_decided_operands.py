# SPDX-License-Identifier: BSD-3-Clause
"""`and` and `or` that an operand decides when they are compiled: nothing behind it is typed."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

CONDITIONS = [
    "not isinstance(r, float) and not isinstance(r, int) and len(r.shape) != 0",
    "not isinstance(r, float) and x[0] > 1 and r.foo",
    "not isinstance(r, float) and x[0] > 1 and r.foo and x[1] > 2",
    "x[0] > 5 and not isinstance(r, float) and x[0] > 1 and r.foo and x[1] > 2",
    "x[0] < 5 and not isinstance(r, float) and x[0] > 1 and r.foo and x[1] > 2",
    "not (isinstance(r, float) or x[0] > 1 or r.foo or x[1] > 2)",
    "not (not isinstance(r, float) and x[0] > 1 and r.foo) or x[0] > 2",
    "not isinstance(x.sum(), float) and x[0] > 1 and r.foo",
    "not (not isinstance(x.sum(), int)) and x[0] > 1 and r.foo",
    "isinstance(x[9], float) or x[0] > 1 or r.foo",
    "not isinstance(x[9], float) and x[0] > 1 and r.foo",
]
FORMS = ["    if {}:\n        return 1\n    return 2", "    return 1 if {} else 2"]
FORMS += ["    n = 0\n    while n < 3 and ({}):\n        n += 1\n    return n"]


@pytest.mark.parametrize("form", FORMS, ids=["if", "choice", "while"])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_behind_a_known_operand_is_left_out(condition, form, tmp_path):
    path = tmp_path / "written.py"
    path.write_text("def f(x, r):\n" + form.format(condition) + "\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    x = np.ones(3)
    try:
        want = names["f"](x, x.sum())
    except IndexError:
        with pytest.raises(IndexError):
            swathe.njit(names["f"])(x, x.sum())
        return
    assert swathe.njit(names["f"])(x, x.sum()) == want
