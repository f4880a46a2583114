"""What compiled functions hold, measured so that it can be compared: see `live`."""

from __future__ import annotations

import gc

from swathe import _core


def live() -> dict[str, int]:
    """Return `_core.live()` of what can be reached, less the blocks that are kept for later.

    What other tests have left in cycles goes whenever Python's collector runs, also between two
    measures: so it goes before each of them.
    """
    gc.collect()
    return _core.live() | {"cached": 0}
