# SPDX-License-Identifier: BSD-3-Clause
"""Devices, platforms and contexts under dpctl's names: thin objects around `swathe.Device`."""

from __future__ import annotations

from enum import Enum
from typing import Any

import swathe
from swathe import devices
from swathe.errors import NoDeviceError, QueueError


class SyclDeviceCreationError(NoDeviceError):
    """There is no such device."""


class SyclSubDeviceCreationError(QueueError):
    """A device can't be cut so."""


class SyclContextCreationError(QueueError):
    """A context can't be made of these devices."""


class device_type(Enum):  # noqa: N801
    """Kinds of devices."""

    all = 1
    accelerator = 2
    automatic = 3
    cpu = 4
    custom = 5
    gpu = 6


class backend_type(Enum):  # noqa: N801
    """What reaches devices. ``native`` is the CPU with swathe's own compiler."""

    all = 1
    cuda = 2
    level_zero = 3
    opencl = 4
    hip = 5
    native = 6


# What SYCL calls an aspect, and what it is here: True, False, or a property's name.
_ASPECTS: dict[str, Any] = {
    "accelerator": None,
    "atomic64": "atomic64",
    "cpu": None,
    "custom": False,
    "emulated": False,
    "fp16": "fp16",
    "fp64": "fp64",
    "gpu": None,
    "host_debuggable": False,
    "image": "images",
    "online_compiler": True,
    "online_linker": True,
    "queue_profiling": "profiling",
    "usm_atomic_host_allocations": False,
    "usm_atomic_shared_allocations": False,
    "usm_device_allocations": True,
    "usm_host_allocations": True,
    "usm_shared_allocations": True,
    "usm_system_allocations": False,
}
_KINDS = ("accelerator", "cpu", "gpu")


class SyclDevice:
    """A device.

    Parameters
    ----------
    arg : str or SyclDevice, optional
        A selector, such as ``"opencl:cpu:0"`` or ``"gpu,cpu"``. None: the default device.

    Raises
    ------
    SyclDeviceCreationError
        There is no such device; the message lists those that there are.

    Examples
    --------
    >>> from swathe.compat import dpctl
    >>> dpctl.SyclDevice("native").is_cpu
    True
    """

    def __init__(self, arg: Any = None) -> None:
        if isinstance(arg, SyclDevice):
            arg = arg._swathe_device
        if arg is not None and not isinstance(arg, (str, swathe.Device)):
            raise TypeError(f"a device is named by a selector, not by {arg!r}")
        try:
            self._swathe_device = swathe.Device(arg)
        except NoDeviceError as e:
            raise SyclDeviceCreationError(*e.args) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SyclDevice):
            return NotImplemented
        return self._swathe_device is other._swathe_device

    def __hash__(self) -> int:
        return hash(id(self._swathe_device))

    def __repr__(self) -> str:
        d = self
        return (
            f"<dpctl.SyclDevice [{d.backend}, {d.device_type}, {d.name}] at {d._swathe_device!r}>"
        )

    # ---- what it is ----

    @property
    def _props(self) -> dict[str, Any]:
        return self._swathe_device.props

    @property
    def backend(self) -> backend_type:
        """What reaches it."""
        return backend_type[self._swathe_device.backend]

    @property
    def device_type(self) -> device_type:
        """Its kind."""
        return device_type[self._swathe_device.kind]

    @property
    def name(self) -> str:
        """As the driver says it."""
        return self._swathe_device.name

    @property
    def vendor(self) -> str:
        """As the driver says it."""
        return self._swathe_device.vendor

    @property
    def driver_version(self) -> str:
        """As the driver says it."""
        return self._swathe_device.driver_version

    @property
    def filter_string(self) -> str:
        """A selector that names it and no other; a part of a device has none."""
        if self._swathe_device.parent is not None:
            raise TypeError("a part of a device has no filter string")
        return self._swathe_device.filter_string

    def get_filter_string(
        self, include_backend: bool = True, include_device_type: bool = True
    ) -> str:
        """Return a selector with or without backend and kind."""
        backend, kind, _ = self.filter_string.split(":")
        like = [d for d in devices.devices() if not include_backend or d.backend == backend]
        like = [d for d in like if not include_device_type or d.kind == kind]
        words = [backend] * include_backend + [kind] * include_device_type
        return ":".join([*words, str(like.index(self._swathe_device))])

    def get_device_id(self) -> int:
        """Return its place in the list of all."""
        return devices.devices().index(self._swathe_device)

    @property
    def is_cpu(self) -> bool:
        """Whether it is a CPU."""
        return self._swathe_device.kind == "cpu"

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU."""
        return self._swathe_device.kind == "gpu"

    @property
    def is_accelerator(self) -> bool:
        """Whether it is neither."""
        return self._swathe_device.kind == "accelerator"

    @property
    def default_selector_score(self) -> int:
        """The higher, the sooner it is chosen."""
        return 1000 - 100 * self.get_device_id()

    @property
    def max_compute_units(self) -> int:
        """Cores, or multiprocessors."""
        return self._swathe_device.compute_units

    @property
    def max_work_group_size(self) -> int:
        """Work items that a group may have."""
        return self._swathe_device.max_work_group_size

    @property
    def max_work_item_dims(self) -> int:
        """Dimensions that a range may have."""
        return 3

    @property
    def max_work_item_sizes3d(self) -> tuple[int, int, int]:
        """Work items that a group may have along each dimension, the last one first."""
        return self._swathe_device.max_work_item_sizes

    max_work_item_sizes = max_work_item_sizes3d

    @property
    def max_work_item_sizes2d(self) -> tuple[int, int]:
        """As `max_work_item_sizes3d`, of two dimensions."""
        return self.max_work_item_sizes3d[:2]

    @property
    def max_work_item_sizes1d(self) -> tuple[int]:
        """As `max_work_item_sizes3d`, of one dimension."""
        return self.max_work_item_sizes3d[:1]

    @property
    def max_mem_alloc_size(self) -> int:
        """Bytes that one allocation may have."""
        return self._swathe_device.max_alloc_size

    @property
    def global_mem_size(self) -> int:
        """Bytes of the device's memory."""
        return self._swathe_device.global_mem_size

    @property
    def global_mem_cache_size(self) -> int:
        """Bytes of its cache."""
        return self._props.get("cache_bytes", 0)

    @property
    def local_mem_size(self) -> int:
        """Bytes that the work items of a group may share."""
        return self._swathe_device.local_mem_size

    @property
    def max_clock_frequency(self) -> int:
        """In MHz; 0: not known."""
        return self._props.get("clock_mhz", 0)

    @property
    def sub_group_sizes(self) -> list[int]:
        """Work items of a warp."""
        return [self._props["warp"]]

    @property
    def partition_max_sub_devices(self) -> int:
        """How many parts it can be cut into."""
        d = self._swathe_device
        return d.compute_units if d.is_native else self._props["sub_devices"]

    @property
    def profiling_timer_resolution(self) -> int:
        """In nanoseconds."""
        return 1

    @property
    def sycl_platform(self) -> SyclPlatform:
        """The platform that it is of."""
        return SyclPlatform(self)

    @property
    def parent_device(self) -> SyclDevice | None:
        """Of a part, the device; else None."""
        parent = self._swathe_device.parent
        return SyclDevice(parent) if parent is not None else None

    def has_aspect(self, name: str) -> bool:
        """Whether the device has what SYCL calls an aspect."""
        rule = _ASPECTS[name]
        if name in _KINDS:
            return self._swathe_device.kind == name
        return bool(self._props.get(rule, rule == "profiling")) if isinstance(rule, str) else rule

    def __getattr__(self, name: str) -> Any:
        if name.startswith("has_aspect_") and name[11:] in _ASPECTS:
            return self.has_aspect(name[11:])
        raise AttributeError(f"'SyclDevice' object has no attribute '{name}'")

    # ---- its parts ----

    def create_sub_devices(self, partition: Any = "next_partitionable") -> list[SyclDevice]:
        """Cut it: into parts of so many units, of these numbers of units, or by affinity."""
        affine = ("numa", "L4_cache", "L3_cache", "L2_cache", "L1_cache", "next_partitionable")
        if isinstance(partition, str) and partition in affine:
            partition = "next_partitionable"
        try:
            parts = self._swathe_device.create_sub_devices(partition)
        except QueueError as e:
            raise SyclSubDeviceCreationError(*e.args) from None
        return [SyclDevice(d) for d in parts]

    def print_device_info(self) -> None:
        """Print what is known of it."""
        print(f"    Name            {self.name}")
        print(f"    Driver version  {self.driver_version}")
        print(f"    Vendor          {self.vendor}")
        if self._swathe_device.parent is None:
            print(f"    Filter string   {self.filter_string}")
        print()


class SyclPlatform:
    """What devices come from: a driver's name for it."""

    def __init__(self, arg: Any = None) -> None:
        self._device = SyclDevice(arg)

    @property
    def name(self) -> str:
        """As the driver says it."""
        return self._device._props["platform"]

    @property
    def vendor(self) -> str:
        """As the driver says it."""
        return self._device.vendor

    @property
    def version(self) -> str:
        """As the driver says it."""
        return self._device._props["version"]

    @property
    def backend(self) -> backend_type:
        """What reaches its devices."""
        return self._device.backend

    @property
    def default_context(self) -> SyclContext:
        """A context of all its devices."""
        return SyclContext(self.get_devices())

    def get_devices(self, device_type: Any = "all") -> list[SyclDevice]:
        """Return its devices of a kind."""
        return [d for d in get_devices("all", device_type) if d.sycl_platform == self]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SyclPlatform):
            return NotImplemented
        return (self.backend, self.name) == (other.backend, other.name)

    def __hash__(self) -> int:
        return hash((self.backend, self.name))

    def __repr__(self) -> str:
        return f"<dpctl.SyclPlatform [{self.name}, {self.vendor}, {self.version}]>"


class SyclContext:
    """Some devices that share their memory's addresses; here each device is by itself."""

    def __init__(self, arg: Any = None) -> None:
        if isinstance(arg, SyclContext):
            self._devices = list(arg._devices)
        elif isinstance(arg, (list, tuple)):
            if not arg:
                raise SyclContextCreationError("a context has a device, at least")
            self._devices = [SyclDevice(d) for d in arg]
        else:
            self._devices = [SyclDevice(arg)]

    def get_devices(self) -> list[SyclDevice]:
        """Return its devices."""
        return list(self._devices)

    @property
    def device_count(self) -> int:
        """How many devices it has."""
        return len(self._devices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SyclContext):
            return NotImplemented
        return self._devices == other._devices

    def __hash__(self) -> int:
        return hash(tuple(self._devices))

    def __repr__(self) -> str:
        return f"<dpctl.SyclContext for {self._devices}>"


# ---- which there are -----------------------------------------------------------------------------


def _word(value: Any, kinds: type[Enum], what: str) -> str:
    """A member of an enum, by itself or its name; "all" is any."""
    if isinstance(value, kinds):
        value = value.name
    if not isinstance(value, str) or value not in kinds.__members__:
        known = ", ".join(kinds.__members__)
        raise ValueError(f"{what} is one of {known}, not {value!r}")
    return "all" if value == "automatic" else value


def get_devices(backend: Any = "all", device_type: Any = "all") -> list[SyclDevice]:
    """List the devices that there are, of a backend and a kind.

    >>> from swathe.compat import dpctl
    >>> dpctl.get_devices(backend="native", device_type="cpu")[0].is_cpu
    True
    """
    kinds = globals()["device_type"]
    b, k = _word(backend, backend_type, "a backend"), _word(device_type, kinds, "a kind")
    return [
        SyclDevice(d) for d in devices.devices() if b in ("all", d.backend) and k in ("all", d.kind)
    ]


def get_num_devices(backend: Any = "all", device_type: Any = "all") -> int:
    """Count them."""
    return len(get_devices(backend, device_type))


def get_platforms() -> list[SyclPlatform]:
    """List the platforms that there are."""
    return list(dict.fromkeys(d.sycl_platform for d in get_devices()))


def lsplatform(verbosity: int = 0) -> None:
    """Print the platforms that there are; with more, their devices."""
    if verbosity not in (0, 1, 2):
        raise ValueError(f"verbosity is 0, 1 or 2, not {verbosity!r}")
    for i, p in enumerate(get_platforms()):
        if verbosity == 0:
            print(f"{p.name} {p.version}")
            continue
        print(f"Platform  {i} ::\n    Name        {p.name}\n    Version     {p.version}")
        print(f"    Vendor      {p.vendor}\n    Backend     {p.backend.name}")
        for k, d in enumerate(p.get_devices() if verbosity == 2 else ()):
            print(f"    Device {k}: {d.filter_string}  {d.name}")


def has_cpu_devices() -> bool:
    """Whether there is a CPU."""
    return get_num_devices(device_type="cpu") > 0


def has_gpu_devices() -> bool:
    """Whether there is a GPU."""
    return get_num_devices(device_type="gpu") > 0


def has_accelerator_devices() -> bool:
    """Whether there is a device that is neither CPU nor GPU."""
    return get_num_devices(device_type="accelerator") > 0


def select_default_device() -> SyclDevice:
    """Return the preferred device."""
    return SyclDevice()


def select_cpu_device() -> SyclDevice:
    """Return the preferred CPU."""
    return SyclDevice("cpu")


def select_gpu_device() -> SyclDevice:
    """Return the preferred GPU."""
    return SyclDevice("gpu")


def select_accelerator_device() -> SyclDevice:
    """Return the preferred device that is neither CPU nor GPU."""
    return SyclDevice("accelerator")


def select_device_with_aspects(required_aspects: Any, excluded_aspects: Any = ()) -> SyclDevice:
    """Return the first device with all of some aspects, and none of others."""
    wanted = [required_aspects] if isinstance(required_aspects, str) else list(required_aspects)
    barred = [excluded_aspects] if isinstance(excluded_aspects, str) else list(excluded_aspects)
    for a in (*wanted, *barred):
        if a not in _ASPECTS:
            raise AttributeError(f"there is no aspect {a!r}; there are {', '.join(_ASPECTS)}")
    for d in get_devices():
        if all(map(d.has_aspect, wanted)) and not any(map(d.has_aspect, barred)):
            return d
    text = ", ".join([*wanted, *(f"not {a}" for a in barred)])
    raise SyclDeviceCreationError(f"no device has the aspects {text}{devices._listing()}")
