# SPDX-License-Identifier: BSD-3-Clause
"""Devices: which there are, how to name one, and where the work of a context goes.

>>> from swathe import devices
>>> devices.Device("native").kind
'cpu'

A device is named by a backend (``native``, ``opencl``, ``cuda``), a kind (``cpu``, ``gpu``,
``accelerator``), a number, or several of these with colons between: ``"opencl:cpu:0"``. With
commas between, the first that there is counts: ``"gpu,cpu"``. No driver is opened before a
device is asked for.
"""

from __future__ import annotations

import contextlib
import operator
import os
import sys
import threading
import types
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from . import _core
from ._device_array import DeviceArray
from ._order import Scope, current_scope
from ._queue import Event, Queue, Timer
from .errors import DeviceError, NoDeviceError, QueueError

__all__ = [
    "Device",
    "DeviceArray",
    "Event",
    "Queue",
    "Timer",
    "current_queue",
    "device_context",
    "devices",
    "select_cpu_device",
    "select_default_device",
    "select_device_with_aspects",
    "select_gpu_device",
]

_KINDS = ("cpu", "gpu", "accelerator")
_BACKENDS = ("cuda", "opencl", "native")
_ASPECTS = ("fp16", "fp64", "atomic64", "unified", "svm_coarse", "svm_fine", "images")
_lock = threading.RLock()
_found: dict[tuple[str, int], Device] = {}
_why: dict[str, str] = {}


class Device:
    """A device that kernels run on.

    Parameters
    ----------
    selector : str, int or Device, optional
        See `swathe.devices`; a number counts in the list of them. None: what
        `select_default_device` gives.

    Raises
    ------
    NoDeviceError
        When there is no such device. The message lists those that there are.

    Examples
    --------
    >>> import swathe
    >>> swathe.Device("native").filter_string
    'native:cpu:0'
    """

    backend: str
    index: int
    props: dict[str, Any]
    parent: Device | None  # of a part of a device

    def __new__(cls, selector: str | int | Device | None = None) -> Device:
        """Find it: equal selectors give the same object."""
        if isinstance(selector, Device):
            return selector
        if selector is None:
            return select_default_device()
        if hasattr(selector, "__index__") and not isinstance(selector, (bool, np.bool_)):
            selector = str(operator.index(selector))
        if not isinstance(selector, str):
            raise TypeError(f"a device is named by a str or a number, not {selector!r}")
        return _select(selector)

    @classmethod
    def _make(cls, backend: str, index: int, props: dict[str, Any]) -> Device:
        self = object.__new__(cls)
        self.backend = backend
        self.index = index
        self.props = props
        self._handle: Any = None
        self._default: Queue | None = None
        self._lock = threading.Lock()
        self._parts: dict[tuple[int, ...], list[Device]] = {}
        self.parent = None
        return self

    # ---- what it is ----

    @property
    def kind(self) -> str:
        """``"cpu"``, ``"gpu"`` or ``"accelerator"``."""
        return self.props["kind"]

    @property
    def name(self) -> str:
        """As the driver says it."""
        return self.props["name"]

    @property
    def vendor(self) -> str:
        """As the driver says it."""
        return self.props["vendor"]

    @property
    def driver_version(self) -> str:
        """As the driver says it."""
        return self.props["driver"]

    @property
    def filter_string(self) -> str:
        """A selector that names this device and no other; for a part, what it is a part of."""
        if self.parent is not None:
            return f"{self.parent.filter_string}/{self.index}"
        there = devices()  # numbers count among those that the environment leaves
        there = there if self in there else _all()
        same = [d for d in there if d.backend == self.backend and d.kind == self.kind]
        return f"{self.backend}:{self.kind}:{same.index(self)}"

    @property
    def compute_units(self) -> int:
        """Cores, or multiprocessors."""
        return self.props["compute_units"]

    @property
    def max_work_group_size(self) -> int:
        """Threads that a block may have."""
        return self.props["max_threads"]

    @property
    def max_work_item_sizes(self) -> tuple[int, int, int]:
        """Threads that a block may have along x, y and z."""
        return self.props["max_block"]

    @property
    def max_grid_sizes(self) -> tuple[int, int, int]:
        """Blocks that a grid may have along x, y and z."""
        return self.props["max_grid"]

    @property
    def max_alloc_size(self) -> int:
        """Bytes that one array may have."""
        return self.props["max_alloc"]

    @property
    def has_fp16(self) -> bool:
        """Whether kernels may use float16."""
        return self.props["fp16"]

    @property
    def has_fp64(self) -> bool:
        """Whether kernels may use float64."""
        return self.props["fp64"]

    @property
    def has_atomic64(self) -> bool:
        """Whether there are atomic operations on 64 bits."""
        return self.props["atomic64"]

    @property
    def global_mem_size(self) -> int:
        """Bytes of the device's memory."""
        return self.props["global_bytes"]

    @property
    def local_mem_size(self) -> int:
        """Bytes of shared memory for a block."""
        return self.props["shared_bytes"]

    @property
    def aspects(self) -> frozenset[str]:
        """What it can do: its kind, and of ``fp16 fp64 atomic64 unified ...`` what is so."""
        return frozenset([self.kind, *(a for a in _ASPECTS if self.props.get(a))])

    @property
    def is_native(self) -> bool:
        """Whether it is the CPU with swathe's own compiler: no driver, arrays are NumPy's."""
        return self.backend == "native"

    def __repr__(self) -> str:
        return f"<swathe.Device {self.filter_string!r}: {self.name}>"

    def __reduce__(self) -> Any:
        if self.parent is not None:
            raise TypeError("a part of a device can't be pickled")
        return Device, (self.filter_string,)

    # ---- what it has ----

    def _open(self) -> Any:
        with self._lock:
            if self._handle is None:
                if self.is_native:
                    raise QueueError("the native CPU has no driver: its arrays are NumPy's")
                self._handle = _core.dev_open(self.backend, self.index)
        return self._handle

    @property
    def queue(self) -> Queue:
        """The queue that work goes to when none is said: in order."""
        if self._default is None:
            made = Queue(self)
            with self._lock:
                self._default = self._default or made
        return self._default

    def create_sub_devices(self, partition: Any = "next_partitionable") -> list[Device]:
        """Cut the device into parts, each a device with some of its compute units.

        Parameters
        ----------
        partition : int, sequence of int, or str
            Parts of so many units each; one part for each number, of so many units; or
            ``"next_partitionable"``: by what they share, as the driver knows it.

        Raises
        ------
        QueueError
            The device can't be cut so. The native CPU and many CPUs under OpenCL can.

        Examples
        --------
        >>> import swathe
        >>> [part] = swathe.Device("native").create_sub_devices([1])
        >>> part.compute_units
        1
        """
        units = _units(partition)
        with self._lock:
            if self._parts.get(units) is None:
                self._parts[units] = self._cut(units)
            return list(self._parts[units])

    def _cut(self, units: tuple[int, ...]) -> list[Device]:
        parts = []
        if self.is_native:
            for i, n in enumerate(_native_parts(units, self.compute_units)):
                parts.append(Device._make("native", i, self.props | {"compute_units": n}))
        else:
            handle = self._handle or _core.dev_open(self.backend, self.index)
            for i, (part, props) in enumerate(_core.dev_split(handle, units)):
                device = Device._make(self.backend, i, props)
                device._handle = part
                parts.append(device)
        for device in parts:
            device.parent = self
        return parts

    @property
    def live_bytes(self) -> int:
        """Bytes of memory that are in use."""
        if self.is_native:
            return _core.live()["bytes"]
        return _core.dev_live_bytes(self._open())

    def memory_info(self) -> tuple[int, int]:
        """Bytes that are free, and all."""
        if self.is_native:
            page = os.sysconf("SC_PAGE_SIZE")
            return os.sysconf("SC_AVPHYS_PAGES") * page, self.global_mem_size
        return _core.dev_memory_info(self._open())

    def sync(self) -> None:
        """Wait for the default queue."""
        if self._default is not None:
            self._default.sync()


def _units(partition: Any) -> tuple[int, ...]:
    """(n,) is parts of n units, (n, m, ...) one of each, () is by what they share."""
    if isinstance(partition, str):
        if partition not in ("next_partitionable", "numa"):
            raise ValueError(f"a device is cut by 'next_partitionable', not by {partition!r}")
        return ()
    whole = isinstance(partition, int) and not isinstance(partition, bool)
    units = (partition,) if whole else tuple(partition)
    if not units or not all(isinstance(n, int) and n > 0 for n in units):
        raise ValueError(f"parts of a device have compute units, so not {partition!r}")
    return units if whole or len(units) > 1 else (units[0], 0)


def _native_parts(units: tuple[int, ...], have: int) -> list[int]:
    if not units:
        raise QueueError("the native CPU is cut by numbers of cores")
    same = len(units) == 1
    parts = [units[0]] * (have // units[0]) if same else [n for n in units if n]
    if not parts or sum(parts) > have:
        raise QueueError(f"the native CPU has {have} cores, and can't be cut into {units}")
    return parts


# ---- which there are ---------------------------------------------------------------------------


def _native() -> dict[str, Any]:
    import platform

    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as f:
        name = next((s.split(":", 1)[1].strip() for s in f if s.startswith("model name")), name)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "kind": "cpu",
        "name": name,
        "vendor": "swathe",
        "driver": _core.version,
        "version": _core.version,
        "platform": "swathe",
        "compute_units": len(os.sched_getaffinity(0)),
        "max_threads": 1024,
        "max_block": (1024, 1024, 64),
        "max_grid": (2**31 - 1, 65535, 65535),
        "global_bytes": pages,
        "max_alloc": pages,
        "shared_bytes": 227 << 10,
        "warp": 32,
        "fp16": True,
        "fp64": True,
        "atomic64": True,
        "unified": True,
    }


def _all() -> list[Device]:
    """All of them, whatever the filters say; GPUs first, then the native CPU."""
    with _lock:
        if not _found:
            _found["native", 0] = Device._make("native", 0, _native())
            for api in _core.dev_apis():
                try:  # a driver that fails is no reason to lose the others
                    for i in range(_core.dev_count(api)):
                        _found[api, i] = Device._make(api, i, _core.dev_props(api, i))
                except DeviceError as e:
                    _why[api] = str(e)
    order = {"gpu": 0, "accelerator": 2, "cpu": 1}
    return sorted(
        _found.values(),
        key=lambda d: (order[d.kind], d.kind == "cpu" and not d.is_native, d.backend, d.index),
    )


def _matches(device: Device, term: str, among: list[Device]) -> bool:
    """Whether `term`, such as "opencl:gpu:0", names the device; numbers count among its like."""
    left = among
    for word in term.lower().split(":"):
        word = word.strip()
        if word in ("*", ""):
            continue
        if word in _KINDS:
            left = [d for d in left if d.kind == word]
        elif word in _BACKENDS or word == "ext_oneapi_cuda":
            left = [d for d in left if d.backend == word.removeprefix("ext_oneapi_")]
        elif word.isdigit():
            left = left[int(word) : int(word) + 1]
        else:
            return False
    return device in left


def _words(selector: str) -> None:
    known = (*_BACKENDS, *_KINDS, "*")
    for term in selector.split(","):
        for word in term.lower().split(":"):
            if word.strip() not in known and not word.strip().isdigit():
                raise NoDeviceError(
                    f"a device's selector is made of {', '.join(known)} and numbers, such as "
                    f"'opencl:cpu:0' or 'gpu,cpu': '{selector}' is not{_listing()}"
                )


def _oneapi(text: str, found: list[Device]) -> list[Device]:
    """ONEAPI_DEVICE_SELECTOR: "opencl:gpu,cpu;cuda:0;!*:cpu"."""
    taken: list[Device] = []
    accepts = False
    for entry in filter(None, (s.strip() for s in text.split(";"))):
        negative = entry.startswith("!")
        backend, _, rest = entry.lstrip("!").partition(":")
        terms = [f"{backend}:{r}" for r in (rest or "*").split(",")]
        hits = [d for d in found if any(_matches(d, t, found) for t in terms)]
        if negative:
            taken = [d for d in (taken if accepts else found) if d not in hits]
        else:
            taken += [d for d in hits if d not in taken]
        accepts = True
    return [d for d in found if d in taken]


def _filter() -> tuple[str, str] | None:
    """The variable of the environment that leaves out devices, and what it says."""
    for name in ("SWATHE_DEVICE", "SYCL_DEVICE_FILTER", "ONEAPI_DEVICE_SELECTOR"):
        if os.environ.get(name):
            return name, os.environ[name]
    return None


def devices() -> list[Device]:
    """List the devices that there are, the preferred one first.

    ``SWATHE_DEVICE`` (or ``SYCL_DEVICE_FILTER``) holds a selector, and leaves only those that
    match; ``ONEAPI_DEVICE_SELECTOR`` is understood too.

    >>> import swathe
    >>> any(d.is_native for d in swathe.devices())
    True
    """
    found, given = _all(), _filter()
    if given is None:
        return found
    if given[0] == "ONEAPI_DEVICE_SELECTOR":
        return _oneapi(given[1], found)
    return [d for d in found if any(_matches(d, t, found) for t in given[1].split(","))]


def _left_out() -> list[str]:
    """Lines about the devices that the environment leaves out."""
    given, left = _filter(), devices()
    out = [d.filter_string for d in _all() if d not in left]
    return [f"{given[0]}='{given[1]}' leaves out {', '.join(out)}"] if given and out else []


def _listing() -> str:
    lines = [f"{d.filter_string:<16} {d.name}" for d in devices()]
    there = "; there are" if lines else "; there are none"
    lines += _left_out() + [f"{api}: {why}" for api, why in _why.items()]
    return there + "".join(f"\n  {line}" for line in lines)


def _select(selector: str) -> Device:
    _words(selector)
    found = devices()
    for term in selector.split(","):
        for device in found:
            if _matches(device, term, found):
                return device
    raise NoDeviceError(f"there is no device '{selector}'{_listing()}")


def select_default_device() -> Device:
    """Return the preferred device: a GPU if there is one, else the native CPU."""
    found = devices()
    if not found:
        raise NoDeviceError(f"no device is left by the filters of the environment{_listing()}")
    return found[0]


def select_gpu_device() -> Device:
    """Return the first GPU."""
    return _select("gpu")


def select_cpu_device() -> Device:
    """Return the first CPU: the native one, if no filter leaves it out."""
    return _select("cpu")


def select_device_with_aspects(aspects: Any, excluded: Any = ()) -> Device:
    """Return the first device that has all `aspects`, and none that is excluded.

    >>> import swathe
    >>> "fp64" in swathe.devices.select_device_with_aspects(["fp64"]).aspects
    True
    """
    wanted = {aspects} if isinstance(aspects, str) else set(aspects)
    not_wanted = {excluded} if isinstance(excluded, str) else set(excluded)
    unknown = (wanted | not_wanted) - {*_ASPECTS, *_KINDS}
    if unknown:
        known = ", ".join((*_KINDS, *_ASPECTS))
        raise ValueError(f"there is no aspect {sorted(unknown)[0]!r}; there are {known}")
    for device in devices():
        if wanted <= device.aspects and not (not_wanted & device.aspects):
            return device
    raise NoDeviceError(f"no device has the aspects {', '.join(sorted(wanted))}{_listing()}")


# ---- contexts ----------------------------------------------------------------------------------

_current: ContextVar[Queue | None] = ContextVar("swathe_queue", default=None)


def current_queue() -> Queue | None:
    """Return the queue of the innermost `device_context`; None outside, or for the native CPU."""
    return _current.get()


@contextlib.contextmanager
def device_context(where: Any) -> Iterator[Queue | None]:
    """Send the kernels launched inside to a device, where the launch names no queue.

    Contexts belong to the thread, and to the asyncio task, that enters them. At the end, the
    work that was sent is waited for, and errors in it are raised.

    Parameters
    ----------
    where : str, Device or Queue

    Examples
    --------
    >>> import numpy as np, swathe
    >>> from swathe import gpu
    >>> @gpu.jit
    ... def double(x):
    ...     x[gpu.threadIdx.x] *= 2
    >>> x = np.arange(4)
    >>> with swathe.device_context("native"):
    ...     double[1, 4](x)
    >>> x
    array([0, 2, 4, 6])
    """
    if not isinstance(where, Queue):
        device = Device(where)
        where = None if device is _whole_cpu() else device.queue
    queue: Queue | None = where
    scope = Scope(current_scope.get())
    here = queue is None or queue.device is _whole_cpu()
    tokens = _current.set(None if here else queue), current_scope.set(scope)
    _core.dev_contexts(1)
    try:
        yield queue
        if queue is not None:
            queue.sync()
    except BaseException as e:
        if queue is not None:
            queue._leave(scope, e)
        raise
    finally:
        scope.ended = True
        _core.dev_contexts(-1)
        _current.reset(tokens[0])
        current_scope.reset(tokens[1])


def _whole_cpu() -> Device | None:
    """The native CPU, not a part of it, if it has been asked for."""
    return _found.get(("native", 0))


class _Callable(types.ModuleType):
    """``swathe.devices()`` lists the devices; ``swathe.devices.Device`` is one."""

    def __call__(self) -> list[Device]:
        return devices()


sys.modules[__name__].__class__ = _Callable


# ---- python -m swathe devices --------------------------------------------------------------------


def _size(n: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if n < 1024:
            return f"{n} {unit}"
        n //= 1024
    return f"{n} GiB"


def describe(verbose: bool = False) -> str:
    """Text that lists the devices; with all that is known of them, if `verbose`."""
    lines, there = [], devices()
    for d in there:
        lines.append(f"{d.filter_string:<16} {d.name}")
        if not verbose:
            continue
        p = d.props
        lines += [
            f"    vendor            {d.vendor}",
            f"    driver            {p['platform']} {d.driver_version} ({p['version']})",
            f"    compute units     {d.compute_units}"
            + (f" at {p['clock_mhz']} MHz" if p.get("clock_mhz") else ""),
            f"    threads a block   {p['max_threads']}, along x, y, z {p['max_block']}",
            f"    memory            {_size(p['global_bytes'])}, at once {_size(p['max_alloc'])}",
            f"    shared memory     {_size(p['shared_bytes'])} a block",
            f"    aspects           {', '.join(sorted(d.aspects))}",
        ]
        if p.get("arch"):
            lines.append(f"    compute capability {p['arch'] // 10}.{p['arch'] % 10}")
    if not there:
        lines.append("no device")
    if verbose or not there:
        lines += _left_out() + [f"{api}: {why}" for api, why in _why.items()]
    return "\n".join(lines)
