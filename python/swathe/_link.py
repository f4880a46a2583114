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
from ._asked import FUNCTIONS
from .errors import LinkError

__all__ = ["Linked", "callback", "declare", "for_device", "host_key"]

_HOST = {".c", ".o", ".a", ".so"}
# By suffix: the number that the driver's linker knows the kind by; -1: compiled by nvcc first.
_CUDA = {".cubin": 0, ".ptx": 1, ".fatbin": 2, ".o": 3, ".a": 4, ".ltoir": 5, ".cu": -1}
_KNOWN = _HOST | set(_CUDA) | {".cl"}
_DECLARED: dict[str, Linked] = {}  # by tag
_MARK = "__swl_"  # between name and tag, in the text for a device
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


def _for_cuda(path: Path) -> bool:
    return path.suffix in _CUDA and not (path.suffix in _HOST and _for_host(path))


def _of_nvcc(data: bytes) -> bool:
    return b".nvFatBinSegment" in data or b"nv_fatbin" in data or b"nv_relfatbin" in data


@cache
def _machine() -> int:
    return Path(sys.executable).read_bytes()[18]


def _with_headers(files: tuple[Path, ...]) -> list[Path]:
    """Add what is included by its path, and by that in turn."""
    found = list(files)
    for f in found:
        if f.suffix in (".c", ".cu", ".cl", ".h", ".cuh"):
            names = re.findall(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', f.read_bytes(), re.M)
            paths = (f.parent / os.fsdecode(n) for n in names)
            found += [p for p in dict.fromkeys(paths) if p.is_file() and p not in found]
    return found


def _digest(files: tuple[Path, ...], *more: str) -> str:
    """By contents, those of headers too."""
    h = hashlib.sha256("\0".join(more).encode())
    for f in _with_headers(files):
        data = f.read_bytes()
        h.update(f"\0{f.suffix}\0{len(data)}\0".encode() + data)
    return h.hexdigest()[:16]


def _folder() -> Path:
    folder = Path(_core.cache_info()["dir"]) / "link"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def clear() -> int:
    """Remove what linking keeps beside the cache; return how many files."""
    folder = Path(_core.cache_info()["dir"]) / "link"
    files = list(folder.glob("*")) if folder.is_dir() else []
    for f in files:
        f.unlink(missing_ok=True)
    return len(files)


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
    for f in files:
        if f.suffix in (".c", ".cl", ".cu", ".ptx"):
            _check_types(f.read_text(errors="replace"), f.name, name, text, how == "status")
    if files:
        key = host_key(files)
        if key:
            _check_symbol(name, key, files)

    tag = _tag(name, text, how, files)
    place = f"{key}/{tag}"

    def function(*args: Any) -> Any:
        return linked(name, text, how, place, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}, of another language: {text}"
    _DECLARED[tag] = Linked(name, text, how, files)
    return function


def _check_types(source: str, file: str, name: str, text: str, status: bool) -> None:
    from . import _prototype

    check = _prototype.check_ptx if file.endswith(".ptx") else _prototype.check_c
    own = check(source, name, *_core.link_check(name, text), status)
    if own:
        raise LinkError(
            f"the signature '{text}' of '{name}' does not fit {file}, where it is\n    {own}\n"
            + (
                "a status is returned, and the result stored through a first pointer"
                if status
                else ""
            )
        )


def _tag(name: str, text: str, how: str, files: tuple[Path, ...]) -> str:
    """Tell it apart from others of its name, and say for which devices there is something."""
    devices = "o" * any(f.suffix == ".cl" for f in files) + "c" * any(map(_for_cuda, files))
    return f"{devices}_{_digest(files, name, text, how)[:12]}"


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

    key = key.partition("/")[0]
    if how == "callback":
        return _CALLBACKS[key](*args)
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


_CALLBACKS: dict[str, Any] = dict(FUNCTIONS)


def callback(func: Any, signature: Any) -> Any:
    """Return a function that compiled code calls, and that runs `func` in Python."""
    from .types import signature_text

    text = signature_text(signature)
    _core.link_check(func.__name__, text)
    place = f"{func.__module__}.{func.__qualname__}"
    with _LOCK:
        n = sum(k.startswith("py-") and k.endswith("-" + short_hash(place)) for k in _CALLBACKS)
        key = f"py-{n}-{short_hash(place)}"  # the same in the next process, for the disk cache
        _CALLBACKS[key] = func
    return declare(func.__name__, text, how="callback", key=key)


def short_hash(text: str) -> str:
    """What stands for a text in a key."""
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


def used(source: str) -> dict[str, Linked | None]:
    """Return the functions that a kernel's text calls, by name; None: it isn't known here."""
    found: dict[str, Linked | None] = {}
    for name, tag in re.findall(rf"\b([A-Za-z_$][\w$]*?){_MARK}(\w*_[0-9a-f]{{12}})", source):
        one = _DECLARED.get(tag)
        if name in found and found[name] is not one:
            raise LinkError(f"a kernel can't call two functions that are named '{name}'")
        found[name] = one
    return found


def plain(source: str) -> str:
    """Return the text with the names that the functions have in their files."""
    return re.sub(rf"{_MARK}\w*?_[0-9a-f]{{12}}", "", source)


def signatures(source: bytes) -> str:
    """What the linker's or compiler's log may be about."""
    known = [d for d in used(source.decode()).values() if d]
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
    calls = used(text)
    if not calls and not link:
        return source, ""
    names, files, text = list(calls), list(link), plain(text)
    for one in calls.values():
        files += [f for f in (one.files if one else ()) if f not in files]
    if backend == "opencl":
        parts = [f.read_text() for f in files if f.suffix == ".cl"]
        _all_defined(names, parts, [f for f in files if f.suffix == ".cl"], backend, False)
        return ("\n".join([*parts, text])).encode(), ""
    if backend != "cuda":
        return text.encode(), ""
    mine = [f for f in files if _for_cuda(f)]
    mine = [_compiled(f, arch) if f.suffix == ".cu" else f for f in mine]
    texts = [f.read_text() for f in mine if f.suffix == ".ptx"]
    _all_defined(names, texts, mine, backend, len(texts) < len(mine))
    return text.encode(), "".join(f"\nlink={_CUDA[f.suffix]}:{_digest((f,))}:{f}" for f in mine)


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
