# SPDX-License-Identifier: BSD-3-Clause
"""The package of the fuzzers, by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
