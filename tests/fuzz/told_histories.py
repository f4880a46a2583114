# SPDX-License-Identifier: BSD-3-Clause
"""What the events of `histories` do: in CPython, and with what compiles."""

from __future__ import annotations

import contextlib
import copy
import linecache
import os
import pickle
import sys
import threading
import types
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import swathe

from .judge import Outcome


class Plain:
    """Each event in CPython, in the order of the program, and what came of it."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module
        self.log: list[tuple[str, Outcome]] = []
        sys.modules["mod"] = module.__dict__.get("MOD")  # where pickle looks for it

    def place(self) -> str:
        frame = sys._getframe(2)
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        return f"line {frame.f_lineno}, {line}"

    def outcome(self, thunk: Callable[[], Any]) -> Outcome:
        value = error = None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                value = thunk()
            except Exception as e:
                error = e.with_traceback(None)
                error.__context__ = error.__cause__ = None
        if error is None:
            with contextlib.suppress(Exception):
                value = copy.deepcopy(value)
        return Outcome(value, error, (copy.deepcopy(self.module.__dict__.get("K")),))

    def step(self, thunk: Callable[[], Any]) -> None:
        self.log.append((self.place(), self.outcome(thunk)))

    def change(self, thunk: Callable[[], Any]) -> None:
        with contextlib.suppress(KeyError, IndexError):
            thunk()

    def does(self) -> bool:
        return True

    def jit(self, f: Any, **options: Any) -> Any:
        return self.plain(f)

    def plain(self, f: Any) -> Any:
        return getattr(f, "py_func", f)

    def again(self, f: Any) -> Any:
        """The same code in another function."""
        f = self.plain(f)
        other = types.FunctionType(
            f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__
        )
        other.__kwdefaults__ = f.__kwdefaults__
        return self.jit(other)

    def written(self, f: Any, text: str) -> Any:
        """The name written again, in what a notebook takes for the same file."""
        name = "<program cell>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        names = self.module.__dict__
        exec(compile(text, name, "exec"), names)
        names["f"] = self.jit(names["f"])
        return names["f"]

    def defaults(self, f: Any, v: Any) -> None:
        f = self.plain(f)
        if f.__defaults__:
            f.__defaults__ = (v,) * len(f.__defaults__)
        elif f.__kwdefaults__:
            f.__kwdefaults__ = dict.fromkeys(f.__kwdefaults__, v)

    def code(self, f: Any, other: Any) -> None:
        f, other = self.plain(f), self.plain(other)
        if f.__code__.co_freevars == other.__code__.co_freevars:
            f.__code__ = other.__code__

    def cells(self, make: Any, k: Any) -> Any:
        get, put = make(k)
        return self.jit(get), put

    def aside(self, f: Any, *args: Any) -> None:
        thread = threading.Thread(target=f, args=args)
        thread.start()
        thread.join()

    def threads(self, f: Any, args: list[Any]) -> list[Any]:
        with ThreadPoolExecutor(3) as pool:
            return [self.told(x) for x in pool.map(lambda a: self.outcome(lambda: f(a)), args)]

    def told(self, o: Outcome) -> Any:
        if o.error is None:
            return o.value
        raise o.error

    def forked(self, f: Any, x: Any) -> Any:
        """In a child, which says it through a pipe."""
        here, there = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                out = self.outcome(lambda: f(x))
                data = pickle.dumps(
                    (out.value, type(out.error).__mro__ if out.error else None, str(out.error))
                )
                with os.fdopen(there, "wb") as file:
                    file.write(data)
            finally:
                os._exit(0)
        os.close(there)
        with os.fdopen(here, "rb") as file:
            data = file.read()
        status = os.waitpid(pid, 0)[1]
        assert data, f"the child ended with {status}"
        value, classes, text = pickle.loads(data)
        if classes:
            f(x)  # raises likewise, or the results differ
            raise AssertionError(f"in a child: {classes[0].__name__}: {text}")
        return value

    def shared(self, f: Any, z: Any) -> Any:
        return f(z, z), z

    def overlaps(self, f: Any) -> Any:
        z = np.arange(6.0)
        return f(z[1:], z[:-1]), z

    def nested(self, f: Any, x: Any) -> Any:
        """A call out of a call, by way of a key of sorted()."""
        return sorted([2, 1], key=lambda k: (f(k), f(x) is None)[1])

    def calls(self, f: Any, x: Any) -> Any:
        """By another function that compiles."""
        module = types.ModuleType("caller")
        text = "def caller(x):\n    return called(x), 1\n"
        name = f"<program caller {id(self)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        module.called = f
        exec(compile(text, name, "exec"), module.__dict__)
        return self.jit(module.caller)(x)

    def ask(self, f: Any, what: str) -> None:
        pass

    def damage(self, how: str) -> None:
        pass

    def end(self) -> None:
        sys.modules.pop("mod", None)


class Compiled(Plain):
    def __init__(self, module: types.ModuleType, folder: str, log: list) -> None:
        super().__init__(module)
        self.folder, self.plain_log = Path(folder), log

    def step(self, thunk: Callable[[], Any]) -> None:
        """What a refused call has not done to the global is done."""
        self.log.append((self.place(), self.outcome(thunk)))
        if len(self.log) <= len(self.plain_log):
            self.module.K = copy.deepcopy(self.plain_log[len(self.log) - 1][1].args[0])

    def jit(self, f: Any, **options: Any) -> Any:
        return swathe.njit(**options)(self.plain(f))

    def ask(self, f: Any, what: str) -> None:
        refused = AttributeError, ValueError, NotImplementedError, swathe.errors.Error
        with contextlib.suppress(*refused), contextlib.redirect_stdout(None):
            found = getattr(f, what)
            called = callable(found) and what not in ("py_func", "__wrapped__")
            str(found() if called else found)

    def damage(self, how: str) -> None:
        if how == "clear":
            swathe._core.cache_clear()
        elif how == "folder":
            self.folder.chmod(0o500 if self.folder.stat().st_mode & 0o200 else 0o700)
        files = sorted(p for p in self.folder.glob("??/*") if p.is_file())
        for k, p in enumerate(files):
            with contextlib.suppress(OSError):
                damaged(p, files[k - 1], how)

    def end(self) -> None:
        super().end()
        with contextlib.suppress(OSError):
            self.folder.chmod(0o700)


def damaged(p: Path, other: Path, how: str) -> None:
    data = p.read_bytes()
    if how == "delete":
        p.unlink()
    elif how == "unreadable":
        p.chmod(0)
    elif how in ("truncate", "junk", "foreign", "empty"):
        new = {
            "truncate": data[: len(data) // 2],
            "junk": data[: len(data) // 3] + b"\xff" * 64 + data[len(data) // 3 + 64 :],
            "foreign": other.read_bytes(),
            "empty": b"",
        }[how]
        p.write_bytes(new)
