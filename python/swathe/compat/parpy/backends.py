# SPDX-License-Identifier: BSD-3-Clause
"""Names of backends: what ParPy has as ``CompileBackend.Cuda``."""

Auto = "auto"
Cpu = "cpu"
Cuda = "cuda"
OpenCL = "opencl"
Metal = "metal"
Triton = "triton"
