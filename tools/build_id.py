#!/usr/bin/env python3
"""Write what tells this compiler from any other as C: a hash of all that makes code of IR.

tools/build_id.py OUTPUT LLVM     LLVM: the version that is linked

The modification times of the built files would do in one place, but units are compiled when a
wheel is made, and used where it is installed.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from sources import ROOT, sources


def build_id(llvm: str) -> str:
    """Return the hash of the sources and of LLVM's version."""
    h = hashlib.sha256(llvm.encode())
    for name in sources("made_from"):
        text = (ROOT / name).read_bytes()
        h.update(f"{name} {len(text)} ".encode() + text)
    return h.hexdigest()[:32]


def main() -> int:
    """Write the file."""
    made = [
        "/* Made by tools/build_id.py. */",
        '#include "base/base.h"',
        "",
        f'const char swathe_build_id[] = "{build_id(sys.argv[2])}";',
    ]
    Path(sys.argv[1]).write_text("\n".join(made) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
