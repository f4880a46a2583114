# SPDX-License-Identifier: BSD-3-Clause
"""How memory operations are ordered, and for whom: numbers that kernels may name."""

from enum import IntEnum


class MemoryOrder(IntEnum):
    """What an atomic operation or a fence orders."""

    RELAXED = 0
    ACQUIRE = 1
    CONSUME_UNSUPPORTED = 2
    RELEASE = 3
    ACQ_REL = 4
    SEQ_CST = 5


class MemoryScope(IntEnum):
    """Who sees it so."""

    WORK_ITEM = 0
    SUB_GROUP = 1
    WORK_GROUP = 2
    DEVICE = 3
    SYSTEM = 4


class AddressSpace(IntEnum):
    """Where memory is."""

    PRIVATE = 0
    GLOBAL = 1
    CONSTANT = 2
    LOCAL = 3
    GENERIC = 4
