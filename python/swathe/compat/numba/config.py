# SPDX-License-Identifier: BSD-3-Clause
"""Numba's settings. ``DISABLE_JIT`` can be set; what `jit` decorates after that is left to Python.
The rest say what is so here."""

from __future__ import annotations

import os
import sys

import swathe


def _number_of_threads() -> None:
    """What Numba is told by the environment; how many there are is asked when it is needed."""
    said = os.environ.get("NUMBA_NUM_THREADS", "")
    if said.isdecimal() and int(said) > 0 and "SWATHE_NUM_THREADS" not in os.environ:
        os.environ["SWATHE_NUM_THREADS"] = said
    if said.isdecimal() and 0 < int(said) < swathe.get_num_threads():
        swathe.set_num_threads(int(said))


_number_of_threads()
DISABLE_JIT = int(
    swathe.config.DISABLE_JIT or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
)
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = swathe.get_num_threads()
THREADING_LAYER = "default"
THREADING_LAYER_PRIORITY = ["swathe"]
CACHE_DIR = swathe.config.CACHE_DIR
BOUNDSCHECK: int | None = None
OPT = 3
DEBUG = DEBUGINFO_DEFAULT = DEVELOPER_MODE = FULL_TRACEBACKS = 0
ENABLE_CUDASIM = DISABLE_CUDA = DISABLE_PERFORMANCE_WARNINGS = 0
# What chooses how Numba makes code, or what it prints, and nothing of what is computed.
CPU_NAME = CPU_FEATURES = COLOR_SCHEME = PARALLEL_DIAGNOSTICS = None
DEBUG_JIT = DEBUG_CACHE = DEBUG_TYPEINFER = DEBUG_ARRAY_OPT = DEBUG_ARRAY_OPT_STATS = 0
DUMP_ASSEMBLY = DUMP_BYTECODE = DUMP_CFG = DUMP_IR = DUMP_LLVM = DUMP_OPTIMIZED = DUMP_SSA = 0
LOOP_VECTORIZE = SLP_VECTORIZE = ENABLE_AVX = 1
DEBUG_FRONTEND = DEBUG_NRT = DEBUG_ARRAY_OPT_RUNTIME = DEBUG_INLINE_CLOSURE = 0
DEBUG_PRINT_AFTER = DEBUG_PRINT_BEFORE = DEBUG_PRINT_WRAP = "none"
DEBUG_NRT_STACK_LIMIT = NRT_STATS = TRACE = HIGHLIGHT_DUMPS = ALWAYS_WARN_UNINIT_VAR = 0
DUMP_FUNC_OPT = ANNOTATE = DIFF_IR = LLVM_PASS_TIMINGS = ENABLE_SYS_MONITORING = 0
LLVM_REFPRUNE_PASS, LLVM_REFPRUNE_FLAGS, USE_LLVMLITE_MEMORY_MANAGER = 1, "all", None
PARFOR_MAX_TUPLE_SIZE, GDB_BINARY, CHROME_TRACE, HTML = 100, "gdb", "", None
USE_LEGACY_TYPE_SYSTEM, EXTEND_VARIABLE_LIFETIMES, RUNNING_UNDER_PROFILER = 1, 0, False
DISABLE_INTEL_SVML = ENABLE_PROFILING = SHOW_HELP = CUDA_USE_NVIDIA_BINDING = 0
CUDA_LOW_OCCUPANCY_WARNINGS = CUDA_WARN_ON_IMPLICIT_COPY = CUDA_PER_THREAD_DEFAULT_STREAM = 0
CUDA_LOG_LEVEL, CUDA_DRIVER, CUDA_DEFAULT_PTX_CC = "", "", None
CUDA_DEBUGINFO_DEFAULT = CUDA_LOG_API_ARGS = CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY = 0
CUDA_DEALLOCS_COUNT, CUDA_DEALLOCS_RATIO, CUDA_ARRAY_INTERFACE_SYNC = 10, 0.2, 1
CUDA_LOG_SIZE, CUDA_VERBOSE_JIT_LOG, CUDA_MEMORY_MANAGER, FORCE_CUDA_CC = 1024, 1, "default", None
CUDA_INCLUDE_PATH = "/usr/local/cuda/include"
FUNCTION_CACHE_SIZE = 128
USING_SVML = False
PYVERSION = sys.version_info[:2]
CAPTURED_ERRORS = "new_style"
IS_WIN32 = IS_OSX = IS_32BITS = MACHINE_BITS_32 = False
MACHINE_BITS = 64


def reload_config() -> None:
    """Read the environment once more."""
    global DISABLE_JIT
    DISABLE_JIT = int(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"))
