"""Golden tests of what a mistake looks like (SWATHE_UPDATE=1 rewrites what is expected)."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import swathe

sys.path.insert(0, str(Path(__file__).parent))
from messages.cases import CASES, OPTIONS  # noqa: E402

HERE = Path(__file__).parent / "messages"


def shown(name: str) -> str:
    function, args = CASES[name]
    with pytest.raises(Exception) as caught:
        swathe.njit(cache=False, **OPTIONS.get(name, {}))(function)(*args)
    error = caught.value
    bases = [c.__name__ for c in type(error).__mro__ if c not in (object, BaseException)]
    notes = "\n".join(getattr(error, "__notes__", []))
    text = f"{' < '.join(bases)}\n{error}\n{notes}".rstrip() + "\n"
    return re.sub(r'File ".*/(messages/\w+\.py)"', r'File "\1"', text)


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    text = shown(name)
    golden = HERE / "expected" / f"{name}.txt"
    if os.environ.get("SWATHE_UPDATE"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


def test_an_installed_package_is_not_the_users_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "packaged_norm.py").write_text(
        "def inner(a):\n    f = input(a)\n    return getattr(f, a)\n\n\n"
        "def norm(a):\n    return inner(a), eval('a')\n"
    )
    monkeypatch.syspath_prepend(str(site))
    packaged = importlib.import_module("packaged_norm")

    @swathe.njit
    def length(a):
        return packaged.norm(a) + a.shpae

    with pytest.raises(swathe.errors.UnsupportedError) as caught:
        length(np.ones(3))
    text = str(caught.value)
    assert text.startswith("2 errors\n[1] UnsupportedError: norm(): 'input' is a ")
    assert text.index("return packaged.norm(a)") < text.index("this is where it doesn't compile")
    assert "getattr" not in text and "eval" not in text and "did you mean 'shape'?" in text
