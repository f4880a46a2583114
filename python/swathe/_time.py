# SPDX-License-Identifier: BSD-3-Clause
"""Clocks of the module time. Work whose results nobody has asked for yet may be done before or
after a clock is read: what is measured is what lies between two calls of a compiled function."""

from swathe import _kernels


def perf_counter_ns():
    """Nanoseconds of a clock that only goes on."""
    return _kernels.python_clock(0)


def perf_counter():
    """Seconds of a clock that only goes on."""
    return perf_counter_ns() / 1e9


def monotonic_ns():
    """Nanoseconds of a clock that only goes on."""
    return _kernels.python_clock(0)


def monotonic():
    """Seconds of a clock that only goes on."""
    return monotonic_ns() / 1e9


def time_ns():
    """Nanoseconds since 1970."""
    return _kernels.python_clock(1)


def time():
    """Seconds since 1970."""
    return time_ns() / 1e9


def process_time_ns():
    """Nanoseconds of the processor that this process has used."""
    return _kernels.python_clock(2)


def process_time():
    """Seconds of the processor that this process has used."""
    return process_time_ns() / 1e9
