# SPDX-License-Identifier: BSD-3-Clause
"""The text that was made for a device, and what is linked with it, to a module of its driver."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import DeviceBuildError

if TYPE_CHECKING:
    from .devices import Device

# Files, and options of the driver's compiler: a kernel's own.
Linked = tuple[tuple[Any, ...], str]


def build_module(
    device: Device, source: bytes, options: str | None, linked: Linked | None = None
) -> Any:
    """Build it. Who never links anything doesn't import what does so."""
    text = source
    if linked is not None or "swathe._link" in sys.modules:
        from . import _link

        files, driver = linked or ((), "")
        arch = device.props["arch"]
        text, more = _link.for_device(source, device.backend, arch, files)
        if device.backend == "cuda":
            options = (options or "") + driver + more or None
    try:
        return _core.dev_module(device._open(), text, True, options, device.props["build_key"])
    except DeviceBuildError as e:
        if text is source:
            raise
        raise DeviceBuildError(f"{e}{_link.signatures(source)}") from None
