# SPDX-License-Identifier: BSD-3-Clause
"""Which backends there are."""

from . import backends as _names

backends = [_names.Cpu]


def is_available(backend: str) -> bool:
    """Whether code for it can be made and run here."""
    return backend in (_names.Cpu, _names.Auto)


def is_enabled(backend: str) -> bool:
    """Whether it is part of this build."""
    return is_available(backend)
