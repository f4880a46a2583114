# SPDX-License-Identifier: BSD-3-Clause
"""Which backends there are, and the queue of each."""

import functools
import os
from typing import Any

from swathe import errors
from swathe.devices import Device

from . import backends as _names

backends = [_names.Cpu, _names.Cuda, _names.OpenCL]


def is_enabled(backend: str) -> bool:
    """Whether it is part of this build."""
    return backend in (*backends, _names.Auto)


def is_available(backend: str) -> bool:
    """Whether code for it can be made and run here."""
    if backend in (_names.Cpu, _names.Auto):
        return True
    try:
        return is_enabled(backend) and Device(backend) is not None
    except errors.NoDeviceError:
        return False


available = is_available


# Without one of these files there is no GPU, and no driver need be opened to know.
_SIGNS = ("/dev/nvidiactl", "/dev/dxg", "/dev/dri/renderD128", "/dev/kfd")


class BackendError(errors.NoDeviceError, ValueError):
    """A backend that is not available here."""


@functools.cache
def default_backend() -> str:
    """Return the backend of the GPU that there is; else the CPU."""
    if not any(os.path.exists(p) for p in _SIGNS):
        return _names.Cpu
    try:
        return Device("gpu").backend
    except errors.NoDeviceError:
        return _names.Cpu


def queue_of(backend: Any) -> Any:
    """Return the queue that a backend's work goes to; None for the CPU."""
    name = default_backend() if backend in (None, _names.Auto) else backend
    if name == _names.Cpu:
        return None
    if not is_available(name):
        here = ", ".join(f"'{b}'" for b in backends if is_available(b))
        raise BackendError(f"backend '{name}' is not available here: there is {here}")
    return Device(name).queue
