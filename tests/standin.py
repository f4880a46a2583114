# SPDX-License-Identifier: BSD-3-Clause
"""Let the library that stands in for CUDA's driver compute.

Its memory is the host's, so after each launch the same kernel runs on the CPU, on the same bytes;
what that raises is left in the launch's record, as a failing thread would leave it. So what tests
of a device compare holds on the stand-in, too, and a test that fails there is broken.

    python -m standin script.py ...
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import re
import runpy
import sys
import types
from typing import Any

import numpy as np

from swathe import _core, _faults, _offload, devices, errors
from swathe._device_array import DeviceArray
from swathe._lazy import emit

kernels: dict[int, Any] = {}  # by their twins, which live as long
code_of_last: list[Any] = [None]
real = {name: getattr(_core, name) for name in ("dev_twin", "dev_launch")}
real_call = _offload.call
place = _faults.Faults.place


def _twin(kernel: Any, *where: Any) -> Any:
    twin = real["dev_twin"](kernel, *where)
    kernels[id(twin)] = kernel
    return twin


def _place(self: Any, handle: Any, code: Any, name: str) -> Any:
    code_of_last[0] = code
    return place(self, handle, code, name)


def _at(address: int, like: np.ndarray) -> np.ndarray:
    """Memory at an address, shaped as an array is."""
    interface = {"shape": like.shape, "strides": like.strides, "typestr": like.dtype.str}
    interface |= {"data": (address, not like.flags.writeable), "version": 3}
    return np.asarray(type("At", (), {"__array_interface__": interface})())


def _real(a: Any, memory: Any) -> Any:
    """An argument as the CPU takes it."""
    if isinstance(a, np.ndarray):
        piece, offset = next(memory)
        return _at(_core.dev_mem_address(piece) + offset, a)
    if isinstance(a, tuple):
        parts = [_real(x, memory) for x in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    return a


def _numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def _record(e: Exception) -> bytes:
    """What a thread that fails so leaves: the site is the one whose message is the same."""
    first = str(e).partition("\n")[0]
    said, _, where = first.partition(" (in block ")
    words = np.zeros(16, np.int64)
    words[1 : 1 + len(_numbers(where))] = _numbers(where)
    told = _numbers(said)[:5]  # the site's values among them, in their order
    values = [v for n in range(5) for v in itertools.combinations(told, n)]
    for words[0], some in itertools.product(range(1, 30), values):
        words[7:11] = [*some, 0, 0, 0, 0][:4]
        try:
            _core.dev_fault(code_of_last[0].function, words.tobytes())
        except Exception as found:
            if type(found) is type(e) and str(found).partition("\n")[0] == said:
                return words.tobytes()
    raise AssertionError("the device's kernel has no such error") from e


def _launch(
    queue: Any, kernel: Any, twin: Any, bound: Any, memory: Any, sizes: Any, *rest: Any
) -> Any:
    event = real["dev_launch"](queue, kernel, twin, bound, memory, sizes, *rest)
    record, offset = rest[:2]
    pieces = iter(memory)
    args = tuple(_real(a, pieces) for a in bound)
    token = devices._current.set(None)
    try:
        kernels[id(twin)][sizes[:3], sizes[3:6], None, sizes[6]](*args)
    except errors.UnsupportedError:
        pass  # functions that only the device has
    except (ArithmeticError, LookupError, ValueError, AssertionError, RuntimeError) as e:
        if code_of_last[0].leaves:
            ctypes.memmove(_core.dev_mem_address(record) + offset, _record(e), 128)
    finally:
        devices._current.reset(token)
    return event


def _offloaded(function: Any, args: tuple[Any, ...], names: Any, queue: Any) -> Any:
    """A call whose loops run on the device, and after it the same on the CPU, on the same bytes:
    for functions that write to all of what they write to, and read nothing of that."""
    with contextlib.suppress(ArithmeticError, LookupError, ValueError):  # of what nobody computed
        real_call(function, args, names, queue)
    queue.sync()
    host = [
        _at(_core.dev_mem_address(a._memory) + a._offset, a._proto)
        if isinstance(a, DeviceArray)
        else a
        for a in args
    ]
    token = devices._current.set(None)
    try:
        return function(*host, **(names or {}))
    finally:
        devices._current.reset(token)


def compute() -> None:
    """From now on, launches on the stand-in compute."""
    emit._offload = types.SimpleNamespace(call=_offloaded)  # of graphs of lazy arrays
    for name, function in (("dev_twin", _twin), ("dev_launch", _launch)):
        setattr(_core, name, function)
    _faults.Faults.place = _place  # type: ignore[method-assign]


if __name__ == "__main__":
    compute()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
