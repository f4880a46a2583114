"""What every test shares: the tools on the path, and a cache folder of the run's own."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from chosen import DEVICE

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # What a shell starts in the background ignores Ctrl-C, and so would the programs of the tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep the tests themselves out of what the collector looks at: it runs at each measure."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _cache_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the tests out of the user's cache, and from seeing what an old run compiled."""
    os.environ.setdefault("SWATHE_CHECK", "1")  # verify the IR after every pass
    os.environ["SWATHE_CACHE_DIR"] = str(tmp_path_factory.mktemp("swathe-cache"))


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give one test an empty cache folder; returns its path."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SWATHE_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def queue() -> Any:
    """Of the device that the tests of devices are about."""
    import swathe

    try:
        return swathe.Queue(DEVICE)
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))
