# SPDX-License-Identifier: BSD-3-Clause
"""Formats of the module struct, for compiled code in which one is known."""

from __future__ import annotations

import re
import struct

_PART = re.compile(r"(\d*)([xcbB?hHiIlLqQnNefdsP])\s*")
_MOST = 64  # values, of each of which there is code
_KINDS = {**dict.fromkeys("bhilqn", 0), **dict.fromkeys("BHILQNP", 1), "?": 2, "c": 4, "s": 5}

Item = tuple[int, int, int, str]


def layout(format: str) -> tuple[int, bool, tuple[Item, ...]] | None:
    """Return how many bytes there are, whether the high one stands first, and of each value its
    kind (swathe._struct), place, length, and the format that it has alone."""
    try:
        size = struct.calcsize(format)
    except struct.error:
        return None
    order = format[0] if format[:1] in set("@=<>!") else ""
    before, at, items = order, len(order), []
    at += len(format[at:]) - len(format[at:].lstrip())
    while at < len(format):
        m = _PART.match(format, at)
        if not m:
            return None
        count, code = int(m[1] or 1), m[2]
        if code == "s":
            place = struct.calcsize(before)
            items.append((5, place, count, order + m[0].strip()))
        elif code != "x":
            if count > _MOST:
                return None
            one = struct.calcsize(order + code)
            for k in range(1, count + 1):
                place = struct.calcsize(before + f"{k}{code}") - one
                items.append((_KINDS.get(code, 3), place, one, order + code))
        before += m[0]
        at = m.end()
    if len(items) > _MOST:
        return None
    return size, order in (">", "!"), tuple(items)
