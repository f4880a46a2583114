#!/usr/bin/env python3
"""Turn a file into a C array: tools/embed.py NAME IN OUT (an IN of "" is an empty array)."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Write NAME and NAME_size."""
    name, source, out = sys.argv[1:]
    data = Path(source).read_bytes() if source else b""
    lines = [", ".join(map(str, data[i : i + 24])) for i in range(0, len(data), 24)]
    Path(out).write_text(
        f"#include <stddef.h>\nconst unsigned char {name}[] __attribute__((aligned(16))) = {{\n"
        + ",\n".join(lines or ["0"])
        + f"}};\nconst size_t {name}_size = {len(data)};\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
