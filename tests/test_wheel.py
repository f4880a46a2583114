# SPDX-License-Identifier: BSD-3-Clause
"""What a wheel must carry beside the code: the notices of what is linked into it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_notices_of_third_parties() -> None:
    listed = re.search(r"^license-files = \[(.*)\]", (ROOT / "pyproject.toml").read_text(), re.M)
    assert listed
    files = [p for pattern in re.findall(r'"(.*?)"', listed[1]) for p in ROOT.glob(pattern)]
    texts = {p.name: p.read_text() for p in files}
    assert "BSD" in texts["LICENSE"]
    assert "Apache License" in texts["LLVM.txt"]
    assert "LLVM Exceptions to the Apache 2.0 License" in texts["LLVM.txt"]
    assert "Boost Software License - Version 1.0" in texts["SLEEF.txt"]
    for name in ("zlib", "Zstandard", "xxHash", "libstdc++"):
        assert name in texts["OTHERS.txt"], name
        assert name in texts["README.md"], name
