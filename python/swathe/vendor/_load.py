# SPDX-License-Identifier: BSD-3-Clause
"""Finds a vendor's library, opens it, and calls its functions by prototypes of one letter for each
argument.

It is looked for in the folders of SWATHE_CUDA_LIBS, then among NVIDIA's packages of PyPI, then
where the system's loader looks and where CUDA's toolkit is installed. A version of CUDA newer than
the driver's is passed by.
"""

from __future__ import annotations

import ctypes
import glob
import os
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import LibraryError, NoLibraryError

_TYPES = {
    "p": ctypes.c_void_p,  # handles, addresses on a device, numbers of the host by address
    "i": ctypes.c_int,
    "u": ctypes.c_uint,
    "l": ctypes.c_int64,
    "U": ctypes.c_uint64,
    "z": ctypes.c_size_t,
    "c": ctypes.c_char,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}


class Named(NamedTuple):
    """What a library is called: by people, in files for each version of CUDA, on PyPI."""

    title: str
    files: dict[int, str]
    package: str
    needs: tuple[str, ...] = ()  # keys of NAMES, and files, that are opened before


NAMES = {
    "cublas": Named(
        "cuBLAS",
        {n: f"libcublas.so.{n}" for n in (11, 12, 13)},
        "nvidia-cublas",
    ),
    "cufft": Named(
        "cuFFT",
        {11: "libcufft.so.10", 12: "libcufft.so.11", 13: "libcufft.so.12"},
        "nvidia-cufft",
    ),
    "curand": Named(
        "cuRAND",
        dict.fromkeys((11, 12, 13), "libcurand.so.10"),
        "nvidia-curand",
    ),
    "cusparse": Named(
        "cuSPARSE",
        {11: "libcusparse.so.11", 12: "libcusparse.so.12", 13: "libcusparse.so.12"},
        "nvidia-cusparse",
        ("libnvJitLink.so.{cuda}",),
    ),
    "cusolver": Named(
        "cuSOLVER",
        {11: "libcusolver.so.11", 12: "libcusolver.so.11", 13: "libcusolver.so.12"},
        "nvidia-cusolver",
        ("libnvJitLink.so.{cuda}", "libcublasLt.so.{cuda}", "cublas", "cusparse"),
    ),
}


def _packages() -> list[str]:
    """The folders of libraries that NVIDIA's packages have."""
    return [f for p in sys.path for f in sorted(glob.glob(os.path.join(p, "nvidia", "*", "lib")))]


def _folders() -> list[str]:
    first = [f for f in os.environ.get("SWATHE_CUDA_LIBS", "").split(os.pathsep) if f]
    homes = [os.environ.get(n) for n in ("CUDA_HOME", "CUDA_PATH")]
    toolkits = [*filter(None, homes), "/usr/local/cuda"]
    return [*first, *_packages(), "", *(os.path.join(t, "lib64") for t in toolkits)]


def _places(file: str) -> list[str]:
    """Where a file may be; without a folder: where the loader looks."""
    return [os.path.join(f, file) for f in _folders() if not f or Path(f, file).exists()]


def _need(name: str, cuda: int) -> None:
    """Open what a library needs, so that it finds it there; whatever is missing, it says itself."""
    files = NAMES[name].files if name in NAMES else {cuda: name.format(cuda=cuda)}
    for place in _places(files.get(cuda, "")):
        try:
            ctypes.CDLL(place, ctypes.RTLD_GLOBAL)
            return
        except OSError:
            continue


class Library:
    """An open library: a call of it with what its functions take, by name.

    Attributes
    ----------
    title, path : str
    cuda : int
        The version of CUDA that it belongs to.
    """

    def __init__(self, name: str, path: str, cuda: int, lib: Any) -> None:
        self.name, self.title, self.path, self.cuda = name, NAMES[name].title, path, cuda
        self._lib = lib
        self._functions: dict[str, Any] = {}

    def has(self, function: str) -> bool:
        """Tell whether it has a function: older ones lack some."""
        return hasattr(self._lib, function)

    def function(self, name: str, takes: str) -> Any:
        """Return a function of it that takes arguments of types by letter, and returns a status."""
        found = self._functions.get(name)
        if found is None:
            if not self.has(name):
                raise LibraryError(
                    f"{self.title} ({self.path}) has no {name}: a newer one is needed",
                    self.title,
                    name,
                )
            found = getattr(self._lib, name)
            found.argtypes = [_TYPES[c] for c in takes]
            found.restype = ctypes.c_int
            self._functions[name] = found
        return found

    def check(self, status: int, function: str, statuses: dict[int, str]) -> None:
        """Raise what a status says."""
        if status:
            said = statuses.get(status, str(status))
            raise LibraryError(
                f"{self.title}: {function}() failed: {said}", self.title, function, said
            )


_open: dict[tuple[str, int], Library | NoLibraryError] = {}
_lock = threading.Lock()


def library(name: str, driver: str) -> Library:
    """Return a library for a device whose driver is of a version, such as ``"12.4"``.

    Raises
    ------
    NoLibraryError
        With how to get it.
    """
    newest = int(driver.split(".")[0])
    with _lock:
        known = _open.get((name, newest))
        if known is None:
            known = _open[name, newest] = _look(name, newest)
    if isinstance(known, NoLibraryError):
        raise NoLibraryError(str(known), known.library)
    return known


def _look(name: str, newest: int) -> Library | NoLibraryError:
    named = NAMES[name]
    failed = ""
    if os.environ.get("SWATHE_CUDA_LIBS") == "own":
        return NoLibraryError(f"{named.title} is needed, and SWATHE_CUDA_LIBS=own", named.title)
    versions = sorted((v for v in named.files if v <= newest), reverse=True)
    for version in versions or [min(named.files)]:
        for place in _places(named.files[version]):
            for need in named.needs:
                _need(need, version)
            try:
                return Library(name, place, version, ctypes.CDLL(place))
            except OSError as e:
                failed = failed or str(e)
    version = versions[0] if versions else min(named.files)
    suffix = f"-cu{version}" if version < 13 else ""
    return NoLibraryError(
        f"{named.title} is needed, and not found ({failed or 'no such library'}): "
        f"`pip install {named.package}{suffix}` brings it, and so does NVIDIA's toolkit; "
        "SWATHE_CUDA_LIBS names folders of it",
        named.title,
    )


def found(device: Any = None) -> dict[str, str]:
    """Tell which libraries there are for a CUDA device: their files by name, without the missing.

    Parameters
    ----------
    device : str or Device, optional
        By default the first CUDA device.
    """
    from ..devices import Device

    device = Device("cuda" if device is None else device)
    there = {}
    for name in NAMES:
        try:
            there[name] = library(name, device.driver_version).path
        except NoLibraryError:
            continue
    return there
