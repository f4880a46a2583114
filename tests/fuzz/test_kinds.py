# SPDX-License-Identifier: BSD-3-Clause
"""A slice of each kind of random programs. FUZZ_START is the first seed, FUZZ_COUNT how many."""

from __future__ import annotations

import os

import pytest
from harness import ORACLE

from fuzz import kinds, pool
from fuzz.__main__ import report

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython")

START = int(os.environ.get("FUZZ_START", "0"))
COUNTS = {
    "functions": 100,
    "loops": 55,
    "mutants": 60,
    "texts": 150,
    "kernels": 30,
    "machine": 100,
    "rows": 60,
    "indices": 60,
    "containers": 80,
    "classes": 8,
    "effects": 60,
    "forms": 500,
    "flows": 150,
    "lazy": 20,
    "prims": 12,
    "views": 12,
    "callables": 8,
    "inplace": 10,
    "objects": 25,
    "tables": 8,
    "places": 90,
    "contexts": 90,
    "histories": 25,
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_slice(name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture) -> None:
    monkeypatch.setenv("SWATHE_CACHE_SIZE", "0")
    kind = kinds.kind(name)
    kind.text(START)  # what all children need is made before the first fork
    seeds = range(START, START + int(os.environ.get("FUZZ_COUNT", COUNTS[name])))
    tally = pool.run_seeds(lambda seed: kind.verdict(kind.text(seed), seed), seeds, seconds=300)
    for seed, difference in tally.found[:2]:
        report(kind, name, seed, kind.text(seed), difference, 20)
    assert not tally.found, capfd.readouterr().out
    assert tally.programs == len(seeds)
    good = sum(n for state, n in tally.states.items() if state not in ("outside", "refused"))
    assert good >= tally.programs // 2, tally  # most programs are worth their time
