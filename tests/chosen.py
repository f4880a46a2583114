# SPDX-License-Identifier: BSD-3-Clause
"""Which device the tests of devices are about: OpenCL's, or what SWATHE_TEST_DEVICE selects."""

from __future__ import annotations

import os

DEVICE = os.environ.get("SWATHE_TEST_DEVICE", "opencl")
