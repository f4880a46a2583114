# SPDX-License-Identifier: BSD-3-Clause
"""Functions of other languages: declared by a signature, and found in the files that are linked.

For the CPU, the files of one `link=` become one shared library, kept by its contents beside the
cache. For a device they go to the driver's linker (CUDA) or before the kernel's text (OpenCL). Each
device takes the files that mean something to it, so that one list may serve them all.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from functools import cache
from pathlib import Path
from typing import Any

from . import _core
from .errors import LinkError

__all__ = ["Linked", "callback", "declare", "for_device", "host_key"]

_HOST = {".c", ".o", ".a", ".so"}
# By suffix: the number that the driver's linker knows the kind by; -1: compiled by nvcc first.
_CUDA = {".cubin": 0, ".ptx": 1, ".fatbin": 2, ".o": 3, ".a": 4, ".ltoir": 5, ".cu": -1}
_KNOWN = _HOST | set(_CUDA) | {".cl"}
_BUILT_IN = {"vprintf", "malloc", "free", "__assertfail"}  # what every device has
_DECLARED: dict[str, Linked] = {}
_LIBRARIES: dict[str, Path] = {}
_LOCK = threading.RLock()


# ---- files ---------------------------------------------------------------------------------------


def as_files(link: Any) -> tuple[Path, ...]:
    """Check `link=`: a path, or several."""
    given = [link] if isinstance(link, (str, os.PathLike)) else list(link or ())
    files = []
    for item in given:
        path = Path(os.fspath(item)).absolute()
        if path.suffix not in _KNOWN:
            raise LinkError(
                f"'{item}' can't be linked: of files there are {' '.join(sorted(_KNOWN))}"
            )
        if not path.is_file():
            raise LinkError(f"'{item}', which is to be linked, does not exist")
        files.append(path)
    return tuple(files)


def _for_host(path: Path) -> bool:
    """Whether it is code for this processor: objects of CUDA's compiler look the same outside."""
    if path.suffix == ".o":
        data = path.read_bytes()
        return data[:4] == b"\x7fELF" and data[18] == _machine() and not _of_nvcc(data)
    if path.suffix == ".a":
        return not _of_nvcc(path.read_bytes())
    return path.suffix in _HOST


def _of_nvcc(data: bytes) -> bool:
    return b".nvFatBinSegment" in data or b"nv_fatbin" in data or b"nv_relfatbin" in data


@cache
def _machine() -> int:
    return Path(sys.executable).read_bytes()[18]


def _digest(files: tuple[Path, ...], *more: str) -> str:
    h = hashlib.sha256("\0".join(more).encode())
    for f in files:
        data = f.read_bytes()
        h.update(f"\0{f.suffix}\0{len(data)}\0".encode() + data)
    return h.hexdigest()[:16]


def _folder() -> Path:
    folder = Path(_core.cache_info()["dir"]) / "link"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(command: list[str], what: str) -> None:
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        raise LinkError(f"{what} can't be linked:\n{(r.stderr or r.stdout).strip()}")


def _compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise LinkError(
            "linking .c, .o and .a files needs a C compiler: there is no 'cc'; give a .so"
        )
    return found


def _library(files: tuple[Path, ...], key: str) -> Path:
    """One shared library of all."""
    if len(files) == 1 and files[0].suffix == ".so":
        return files[0]
    target = _folder() / f"{key}.so"
    if target.exists():
        return target
    command = [_compiler(), "-shared", "-fPIC", "-O2", "-o", f"{target}.{os.getpid()}"]
    for f in files:
        whole = f.suffix == ".a"
        command += ["-Wl,--whole-archive"] if whole else []
        command += [str(f)] + (["-Wl,--no-whole-archive"] if whole else [])
        command += [f"-Wl,-rpath,{f.parent}"] if f.suffix == ".so" else []
    _run([*command, "-lm"], ", ".join(f.name for f in files))
    os.replace(f"{target}.{os.getpid()}", target)
    return target


def host_key(files: tuple[Path, ...]) -> str:
    """Make a library of the files for the CPU; "" when none of them is for it."""
    mine = tuple(f for f in files if _for_host(f))
    if not mine:
        return ""
    key = _digest(mine)
    with _LOCK:
        if key not in _LIBRARIES:
            path = _library(mine, key)
            try:
                ctypes.CDLL(str(path))
            except OSError as e:
                raise LinkError(f"{', '.join(f.name for f in mine)} can't be loaded: {e}") from None
            _LIBRARIES[key] = path
            _core.link_add(key, str(path), 0)
    return key


def system_key() -> str:
    """The key of C's own library, with its mathematics."""
    key = "c"
    with _LOCK:
        if key not in _LIBRARIES:
            _LIBRARIES[key] = Path("libm.so.6")
            _core.link_add(key, "libm.so.6", 0)
    return key


def _check_symbol(name: str, key: str, files: tuple[Path, ...]) -> None:
    if not hasattr(ctypes.CDLL(str(_LIBRARIES[key])), name):
        mine = [f.name for f in files if f.suffix in _HOST]
        raise LinkError(f"'{name}' is not defined in {', '.join(mine)}")


# ---- functions -----------------------------------------------------------------------------------


class Linked:
    """What is known of a declared function, beside the function itself."""

    def __init__(self, name: str, signature: str, how: str, files: tuple[Path, ...]) -> None:
        self.name = name
        self.signature = signature
        self.how = how
        self.files = files


def declare(name: str, signature: Any, link: Any = (), how: str = "status", key: str = "") -> Any:
    """Return a function that stands for one of another language."""
    from .marks import linked
    from .types import signature_text

    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_$][\w$]*", name):
        raise LinkError(f"{name!r} is no name of a function")
    text = signature_text(signature)
    files = as_files(link)
    _core.link_check(name, text)
    if files:
        key = host_key(files)
        if key:
            _check_symbol(name, key, files)

    def function(*args: Any) -> Any:
        return linked(name, text, how, key, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}, of another language: {text}"
    _DECLARED[name] = Linked(name, text, how, files)
    return function


_SCALARS = {
    "bool": ctypes.c_bool,
    "int8": ctypes.c_int8,
    "int16": ctypes.c_int16,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}


def call(name: str, signature: str, how: str, key: str, args: tuple[Any, ...]) -> Any:
    """Call it from Python."""
    import numpy as np

    if how == "callback":
        return _CALLBACKS[key].func(*args)
    if key not in _LIBRARIES:
        raise LinkError(f"'{name}' is linked to nothing on the CPU: declare it with link=[...]")
    ret, params = _core.link_check(name, signature)
    if len(args) != len(params):
        raise TypeError(
            f"the linked function '{name}' takes {len(params)} arguments, not {len(args)}"
        )
    fn = ctypes.CDLL(str(_LIBRARIES[key]))[name]
    given: list[Any] = []
    for a, (dtype, ndim) in zip(args, params, strict=True):
        if ndim < 0:
            given.append(_SCALARS[dtype](np.dtype(dtype).type(a).item()))
        else:
            array = np.asarray(a)
            if array.dtype != dtype or not (array.flags.c_contiguous or array.flags.f_contiguous):
                raise TypeError(f"'{name}' takes a contiguous array of {dtype}, not {array.dtype}")
            given.append(ctypes.c_void_p(array.ctypes.data))
    out = _SCALARS[ret]() if ret else None
    if how == "plain":
        fn.restype = None if out is None else type(out)
        return None if out is None else np.dtype(ret).type(fn(*given))
    fn.restype = ctypes.c_int32
    status = fn(*([ctypes.byref(out)] if out is not None else []), *given)
    if status:
        raise RuntimeError(f"the linked function '{name}' returned the status {status}")
    return None if out is None else np.dtype(ret).type(out.value)


# ---- Python from compiled code -------------------------------------------------------------------


class _Callback:
    """A Python function under an address."""

    def __init__(self, func: Any, ret: str | None, params: list[tuple[str, int]]) -> None:
        self.func, self.ret, self.params = func, ret, params
        types: list[Any] = [ctypes.c_void_p] if ret else []
        for dtype, ndim in params:
            types += [_SCALARS[dtype]] if ndim < 0 else [ctypes.c_void_p] + [ctypes.c_int64] * ndim
        self.thunk = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(self.run)

    def run(self, *raw: Any) -> int:
        try:
            at = 1 if self.ret else 0
            args = []
            for dtype, ndim in self.params:
                if ndim < 0:
                    args.append(raw[at])
                    at += 1
                    continue
                args.append(_view(raw[at], dtype, raw[at + 1 : at + 1 + ndim]))
                at += 1 + ndim
            r = self.func(*args)
            if self.ret:
                _SCALARS[self.ret].from_address(raw[0]).value = r
        except BaseException:
            # The compiled code's exception can't carry it: it is shown where nobody can catch it.
            sys.unraisablehook(_Unraisable(self.func))  # type: ignore[arg-type]
            return 1
        return 0


class _Unraisable:
    """What sys.unraisablehook is told."""

    def __init__(self, func: Any) -> None:
        self.exc_type, self.exc_value, self.exc_traceback = sys.exc_info()
        self.err_msg = "Exception in a callback from compiled code"
        self.object = func


def _view(address: int | None, dtype: str, shape: tuple[int, ...]) -> Any:
    import numpy as np

    n = np.dtype(dtype).itemsize
    for k in shape:
        n *= k
    if not n:
        return np.empty(shape, dtype)
    data = (ctypes.c_char * n).from_address(address or 0)
    return np.frombuffer(data, dtype).reshape(shape)


_CALLBACKS: dict[str, _Callback] = {}


def callback(func: Any, signature: Any) -> Any:
    """Return a function that compiled code calls, and that runs `func` in Python."""
    from .types import signature_text

    text = signature_text(signature)
    ret, params = _core.link_check(func.__name__, text)
    made = _Callback(func, ret, params)
    place = f"{func.__module__}.{func.__qualname__}"
    with _LOCK:
        n = sum(k.startswith("py-") and k.endswith("-" + _hash(place)) for k in _CALLBACKS)
        key = f"py-{n}-{_hash(place)}"  # the same in the next process, for the disk cache
        _CALLBACKS[key] = made
        _core.link_add(key, None, ctypes.cast(made.thunk, ctypes.c_void_p).value)
    return declare(func.__name__, text, how="callback", key=key)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# ---- devices -------------------------------------------------------------------------------------


@cache
def nvcc() -> str | None:
    """Find CUDA's compiler: on the path, in a toolkit, or in the package nvidia-cuda-nvcc."""
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin"]
    packages = Path(sysconfig.get_paths()["purelib"])
    folders += [str(p.parent) for p in packages.glob("nvidia/*/bin/nvcc")]
    found = shutil.which("nvcc")
    return found or next((p for f in folders if (p := shutil.which("nvcc", path=f))), None)


def _compiled(path: Path, arch: int) -> Path:
    """PTX of CUDA C."""
    tool = nvcc()
    if tool is None:
        raise LinkError(f"linking {path.name} needs nvcc, of the CUDA toolkit; PTX needs nothing")
    target = _folder() / f"{_digest((path,), tool, str(arch))}.ptx"
    if not target.exists():
        made = f"{target}.{os.getpid()}"
        flags = ["-ptx", "-rdc=true", f"-arch=compute_{arch}", "-I", str(path.parent)]
        _run([tool, *flags, str(path), "-o", made], path.name)
        os.replace(made, target)
    return target


def used(source: str, backend: str) -> list[str]:
    """Return the names of the linked functions that a kernel's code calls."""
    if backend == "cuda":
        found = re.findall(r"\.extern\s+\.func\s*(?:\([^)]*\)\s*)?([\w$]+)", source)
        return [n for n in dict.fromkeys(found) if n not in _BUILT_IN]
    return [n for n in _DECLARED if re.search(rf"\b{re.escape(n)}\(", source)]


def signatures(source: bytes, backend: str) -> str:
    """What the linker's or compiler's log may be about."""
    known = [_DECLARED[n] for n in used(source.decode(), backend) if n in _DECLARED]
    return "".join(f"\nwith {d.name}: {d.signature}" for d in known)


def _defines(text: str, name: str, backend: str) -> bool:
    if backend == "cuda":
        pattern = rf"\.func\s*(?:\([^)]*\)\s*)?{re.escape(name)}\b"
        return any(
            ".extern" not in text[max(0, m.start() - 12) : m.start()]
            for m in re.finditer(pattern, text)
        )
    return re.search(rf"\b{re.escape(name)}\s*\(", text) is not None


def for_device(source: bytes, backend: str, arch: int, link: tuple[Path, ...]) -> tuple[bytes, str]:
    """Return the code with what is linked, and the driver's options for the rest."""
    text = source.decode()
    names = used(text, backend)
    files = list(link)
    for name in names:
        if name in _DECLARED:
            files += [f for f in _DECLARED[name].files if f not in files]
    if backend == "opencl":
        parts = [f.read_text() for f in files if f.suffix == ".cl"]
        _all_defined(names, parts, [f for f in files if f.suffix == ".cl"], backend, False)
        return ("\n".join([*parts, text])).encode(), ""
    if backend != "cuda":
        return source, ""
    mine = [f for f in files if f.suffix in _CUDA and not (f.suffix in _HOST and _for_host(f))]
    mine = [_compiled(f, arch) if f.suffix == ".cu" else f for f in mine]
    texts = [f.read_text() for f in mine if f.suffix == ".ptx"]
    _all_defined(names, texts, mine, backend, len(texts) < len(mine))
    return source, "".join(f"\nlink={_CUDA[f.suffix]}:{_digest((f,))}:{f}" for f in mine)


def _all_defined(
    names: list[str], texts: list[str], files: list[Path], backend: str, more: bool
) -> None:
    """Binary files are left to the driver's linker, which names what it misses."""
    for name in names:
        if not more and not any(_defines(t, name, backend) for t in texts):
            where = ", ".join(f.name for f in files)
            what = ".cl files" if backend == "opencl" else "PTX, cubin, CUDA C, ... files"
            raise LinkError(
                f"'{name}' is not defined in {where}"
                if where
                else f"'{name}' is linked to nothing on {backend}: name {what} in link=[...]"
            )
