# SPDX-License-Identifier: BSD-3-Clause
"""For pytest, in a package's own tests: leave out what is listed, run a part, keep the outcomes.

`run.py` says what, by the environment."""

from __future__ import annotations

import fnmatch
import json
import os
import signal
import sys
import time
import zlib
from typing import Any

import pytest

SAID = json.loads(os.environ.get("SWATHE_PACKAGES", "{}"))
_begun = [0.0]  # when the first test did


class TookTooLongError(Exception):
    """A test that ran into its limit."""


def _too_long(*_: Any) -> None:
    raise TookTooLongError(f"longer than {SAID['test_seconds']} s")


def _note(**what: Any) -> None:
    with open(SAID["log"], "a") as file:
        file.write(json.dumps(what) + "\n")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Sort tests into those listed, those of other parts, and those to run."""
    kept, out, other = [], 0, 0
    for item in items:
        name = item.nodeid
        if any(fnmatch.fnmatchcase(name, p) for p in SAID["left_out"]):
            out += 1
        elif zlib.crc32(name.encode()) % SAID["every"]:
            other += 1
        else:
            kept.append(item)
    _note(collected=len(items), left_out=out, other=other, to_run=len(kept))
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> Any:
    """Give a test its seconds."""
    _begun[0] = _begun[0] or time.monotonic()
    if time.monotonic() - _begun[0] > SAID["seconds"]:
        item.session.shouldstop = "no time is left"
    old = signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, SAID["test_seconds"])
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def _kind(error: BaseException) -> str:
    """Return how a failure counts."""
    names = [c.__name__ for c in type(error).__mro__]
    if "TookTooLongError" in names:
        return "slow"
    path = str(getattr(error, "filename", None) or "")
    if "LibsndfileError" in names and "'tests/data/" in str(error):
        return "no data"
    if "FileNotFoundError" in names and path.lstrip("./").startswith(("data/", "tests/data/")):
        return "no data"  # which the package's sources come without
    return "refused" if "CompileError" in names or "NotImplementedError" in names else "failed"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Keep the outcome of each test."""
    report = yield
    if call.excinfo is not None and report.failed:
        error = call.excinfo.value
        text = f"{type(error).__name__}: {error}"[:1500]
        _note(test=item.nodeid, outcome=_kind(error), text=text, seconds=call.duration)
    elif call.when == "call" or report.skipped:
        _note(test=item.nodeid, outcome=report.outcome, seconds=call.duration)
    return report


def pytest_collectreport(report: Any) -> None:
    """Keep what can't even be imported."""
    if report.failed:
        _note(test=report.nodeid, outcome="collect", text=str(report.longrepr)[-1500:])


def pytest_sessionfinish(session: Any) -> None:
    """Say that the run came to its end."""
    _note(done=True, stopped=str(session.shouldstop or ""), python=sys.version.split()[0])
