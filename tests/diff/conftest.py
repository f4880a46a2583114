"""Cases that swathe refuses. `refused.txt` lists programs of NumPy and Python that compiled
code does not take yet. Such a case passes when swathe says so with an error of its own, and
fails when it returns something, right or wrong: what works leaves the list."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("refused.txt")
REFUSED = {
    line.strip() for line in LIST.read_text().splitlines() if line and not line.startswith("#")
}
# What a report says of swathe's side, for an error that is swathe's and not the program's.
REFUSAL = re.compile(
    r"got (UnsupportedError|TypingError|Compile\w+Error|TypeError: \w+\(\): argument)"
)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    name = f"{item.path.stem}::{item.name}"
    if name not in REFUSED or os.environ.get("SWATHE_ORACLE"):
        return
    if outcome.excinfo is None:
        outcome.force_exception(AssertionError(f"{name} works: take it out of {LIST.name}"))
    elif REFUSAL.search(str(outcome.excinfo[1])):
        outcome.force_result(None)
