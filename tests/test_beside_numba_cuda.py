# SPDX-License-Identifier: BSD-3-Clause
"""swathe.compat.numba where numba-cuda is installed, whose finder of modules comes first."""

from __future__ import annotations

import subprocess
import sys

# As that finder does with names of modules: it asks all finders, itself first, for what isn't its.
PROGRAM = """
import sys

class Redirector:
    def find_spec(self, name, path, target=None):
        if "numba.cuda" in name:
            if any("/numba_cuda/" in p for p in path):
                return None
            for finder in sys.meta_path:
                spec = finder.find_spec(name, [p.replace("/numba/x", "/numba_cuda/x") for p in path], target)
                if spec is not None:
                    return spec

sys.meta_path.insert(0, Redirector())
from swathe.compat.numba import cuda
import swathe.compat.numba.cuda.random
print(cuda.__name__)
"""  # noqa: E501


def test_modules_are_found() -> None:
    r = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert r.stdout.strip() == "swathe.compat.numba.cuda", r.stderr
