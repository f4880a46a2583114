# SPDX-License-Identifier: BSD-3-Clause
"""Does compiled code do what CPython does? One verdict for one text.

`judge` runs `fuzzed(*inputs())` in CPython and compiled in several modes. A difference has a
`what`, short and stable, by which the reducer knows it again, and a text for people.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import Options, copy_args, differ, error_class, is_number, show

import swathe
from swathe import _returned, errors

from .documented import documented
from .program import Outside, forget, load, oracle

CHUNKS = {"SWATHE_GRAIN": "1"}
SMALL = {"SWATHE_SMALL": "1"}  # strips, blocks, tiles
LANES = {"SWATHE_LANES": "4"}
NANS = {"SWATHE_SKIP": "nan"}  # come as they come
# name -> options of njit, environment, threads
MODES: dict[str, tuple[dict[str, Any], dict[str, str], int]] = {
    "plain": ({"opt_level": 0}, {}, 1),
    "optimised": ({}, {}, 1),
    "lanes": ({"opt_level": 1}, SMALL | LANES, 1),
    "lanes8": ({"opt_level": 0}, {"SWATHE_LANES": "8"}, 1),
    "parallel": ({"parallel": True, "opt_level": 0}, CHUNKS, 2),
    "parallel1": ({"parallel": True, "opt_level": 0}, CHUNKS, 1),
    "parallel-lanes": ({"parallel": True, "opt_level": 2}, CHUNKS | SMALL | LANES, 2),
    "parallel-optimised": ({"parallel": True}, {}, 2),
    "parallel-device": ({"parallel": True}, {}, 2),
    "debug": ({"debug": True, "opt_level": 0}, NANS, 1),
    "debug-parallel": ({"debug": True, "parallel": True, "opt_level": 0}, NANS, 2),
}  # fmt: skip
SERIAL = ("plain", "optimised", "lanes", "lanes8", "debug", "parallel", "parallel-lanes")
REFUSED = (errors.CompileError, errors.ArgumentError)


@dataclass
class Outcome:
    value: Any
    error: BaseException | None
    args: tuple


@dataclass
class Difference:
    """What differs in which mode."""

    mode: str
    what: str
    text: str


@dataclass
class Verdict:
    """`state` is same, differs, outside (CPython does not say), or refused (by the compiler)."""

    state: str
    difference: Difference | None = None
    why: str = ""


@contextlib.contextmanager
def environment(names: dict[str, str]) -> Iterator[None]:
    before = {k: os.environ.get(k) for k in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for k, v in before.items():
            if v is None:
                del os.environ[k]
            else:
                os.environ[k] = v


LEAVES = 1_000_000


def leaves(value: Any, seen: dict[int, int]) -> int:
    """How many items tuples in tuples have, each looked at once."""
    if not isinstance(value, (tuple, list)):
        return 1
    if id(value) not in seen:
        seen[id(value)] = 0  # a list may hold itself
        seen[id(value)] = sum(leaves(v, seen) for v in value)
    return seen[id(value)]


def run(f: Callable, args: tuple) -> Outcome:
    value = error = None
    with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore", invalid="warn"):
        warnings.simplefilter("always")
        try:
            value = f(*args)
        except RecursionError:
            raise Outside("recursion") from None
        except Exception as e:
            error = e
    if any("in cast" in str(w.message) for w in said):  # a value that the dtype has not
        raise Outside("cast")
    if leaves(value, {}) > LEAVES:
        raise Outside("large")
    return Outcome(value, error, args)


def message(error: BaseException) -> str:
    """The first line, without the names of arrays that compiled code adds."""
    if isinstance(error, MemoryError):  # Python's says nothing
        return ""
    text = str(error).split("\n", 1)[0].strip()
    text = re.sub(r" of '[^']*' with size", " with size", text)
    if "broadcast" in text:  # which of the shapes are listed differs
        return "shapes"
    return re.sub(r"0x[0-9a-f]+", "0x", text)


FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    type,
    functools.partial,
    _returned.Function,
)


def named(value: Any) -> Any:
    """A function is one: what compiled code returns is an object of its own."""
    if isinstance(value, FUNCTIONS):
        return "a function"
    if type(value) in (tuple, list) and leaves(value, {}) <= LEAVES:
        return type(value)(v if v is value else named(v) for v in value)
    return value


def like(want: Any, got: Any) -> Any:
    """What was got, its numbers in the types of those wanted where that changes no value."""
    if isinstance(want, tuple) and isinstance(got, tuple) and len(want) == len(got):
        return tuple(like(w, g) for w, g in zip(want, got, strict=True))
    if all(isinstance(x, np.ndarray) and x.shape == (0,) for x in (want, got)):
        return got.astype(want.dtype)  # no element says what an empty list is of
    if isinstance(want, np.ndarray) and want.ndim == 0 and is_number(got):
        return np.asarray(got, want.dtype)  # min() of an array without axes and a number
    if isinstance(want, np.integer) and isinstance(got, np.float64) and want.itemsize == 8:
        return want if np.float64(want) == got else got  # what int64 and uint64 promote to
    if is_number(want) and is_number(got) and type(want) is not type(got):
        if np.iscomplexobj(got) and not np.iscomplexobj(want):
            return like(want, got.real) if got.imag == 0 else got
        with np.errstate(all="ignore"), contextlib.suppress(Exception):
            other = type(want)(got)
            return other if other == got or other != other else got
    return got


def said(error: BaseException | None, value: Any = None) -> str:
    if error is not None:
        return f"{type(error).__name__}: {message(error)}"
    return show(value)


class Rules:
    """How results are compared: bit for bit, unless the program or its kind says otherwise."""

    messages = True

    def __init__(self, text: str = "", joins: bool = False) -> None:
        # Which of two zeros is the least is nobody's promise.
        zeros = not re.search(r"(min|max|minimum|maximum|clip)\(", text)
        self.options = Options(views=False, zeros=zeros)
        self.joins = joins  # a number may come back in the type that joins promote to

    def refused(self, error: BaseException | None) -> bool:
        return isinstance(error, REFUSED) and not isinstance(error, errors.InternalError)

    def compare(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        if want.error is not None or got.error is not None:
            return self.compare_errors(want, got, mode)
        wanted, value = named(want.value), named(got.value)
        value = like(wanted, value) if self.joins else value
        found = differ(wanted, value, self.options) or self.compare_args(want, got)
        return (self.kind_of(found), found) if found else None

    @staticmethod
    def kind_of(found: str) -> str:
        types = re.search(r": (\w+) \S+ expected, got (\w+) \S", found)
        if types:
            return f"type {types[1]} -> {types[2]}"
        return "value of an argument" if found.startswith("argument") else "value"

    def compare_args(self, want: Outcome, got: Outcome) -> str | None:
        for i, (w, g) in enumerate(zip(want.args, got.args, strict=True)):
            found = differ(w, g, self.options, f"argument {i} afterwards")
            if found:
                return found
        return None

    def compare_errors(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        if isinstance(got.error, errors.InternalError):
            return internal(got.error)
        names = [error_class(x.error).__name__ if x.error else "result" for x in (want, got)]
        text = f"{said(want.error, want.value)} expected, got {said(got.error, got.value)}"
        if mode.startswith("debug") and isinstance(got.error, (OverflowError, FloatingPointError)):
            return None
        if names[0] != names[1]:
            return f"{names[0]} -> {names[1]}", text
        if self.messages and message(want.error) != message(got.error):
            return f"message of {names[0]}", text
        if not mode.startswith("parallel"):
            found = self.compare_args(want, got)
            if found:
                return f"arguments after {names[0]}", found
        return None


def internal(error: BaseException) -> tuple[str, str]:
    """Of an error that the compiler finds in itself; the pass is what counts."""
    found = re.search(r"after (pass )?\w+", str(error))
    return f"internal: {found[0] if found else ''}", str(error)


NO_CODE = -1  # all passes, and no more
CHECK = f"2:{os.environ.get('FUZZ_INPUTS', '4')}"  # few inputs, and so more programs


def passes(text: str, options: dict[str, Any], env: dict[str, str]) -> Verdict:
    """Compile `fuzzed` for `inputs()` alone; each pass is held against the interpreter."""
    module = load(text)
    if options.get("debug") and "except" in text:
        env = env | NANS  # a handler may take the error that debug adds
    try:
        with environment({"SWATHE_CHECK": CHECK, **env}):
            f = swathe.njit(cache=False, **options)(module.fuzzed)
            swathe._core.compiled_text(f, module.inputs(), None, NO_CODE)
    except errors.InternalError as e:
        if "touch one element" in str(e) and "prange" in text:
            return Verdict("promised, races")
        return Verdict("differs", Difference("passes", *internal(e)))
    except (*REFUSED, errors.RaceError) as e:
        return Verdict("refused", why=said(e))
    except Exception as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    finally:
        forget(module)
    return Verdict("same")


# what the passes are asked for, by seed
PASSES = (
    ({}, {}),
    ({"parallel": True}, CHUNKS | SMALL),
    ({}, SMALL | LANES),
    ({"boundscheck": False}, {}),
    ({"parallel": True}, {"SWATHE_LANES": "2"}),
    ({"debug": True}, {}),
    ({"fastmath": True}, SMALL),
    ({}, SMALL),
    ({"parallel": True}, SMALL),
)


def passes_by_turns(text: str, seed: int) -> Verdict:
    return passes(text, *PASSES[seed % len(PASSES)])


def device() -> swathe.Device | None:
    """Where the loops of a mode go that says so; a child of a process that has used it has none."""
    try:
        found = swathe.Device("opencl")
        return found if found.queue else None
    except (errors.NoDeviceError, errors.DeviceLostError):
        return None


def compiled_run(module: Any, mode: str, args: tuple) -> tuple[Outcome, Any]:
    options, env, threads = MODES[mode]
    with environment(env):
        f = swathe.njit(cache=False, **options)(module.fuzzed)
        before = swathe.get_num_threads()
        swathe.set_num_threads(threads)
        on = mode.endswith("device") and device()
        try:
            with swathe.device_context(on) if on else contextlib.nullcontext():
                return run(f, args), f
        finally:
            swathe.set_num_threads(before)


def judge(
    text: str, modes: tuple[str, ...], rules: Rules | None = None, copied: Any = copy_args
) -> Verdict:
    """The verdict on a program; the first mode that differs ends it."""
    rules = rules or Rules(text)
    try:
        ours = oracle(text, prange=range)
        given = ours.inputs()
        want = run(ours.fuzzed, copied(given))
    except Outside as e:
        return Verdict("outside", why=str(e))
    module = load(text)
    try:
        for mode in modes:
            got, _ = compiled_run(module, mode, copied(given))
            if rules.refused(got.error):
                if same_refusal(want.error, got.error):
                    return Verdict("same")
                return Verdict("refused", why=said(got.error))
            found = rules.compare(want, got, mode)
            why = found and documented(text, want, got, given, rules, mode)
            if why:
                return Verdict("documented", why=why)
            if found:
                return Verdict("differs", Difference(mode, *found))
    finally:
        forget(module)
    return Verdict("same")


def same_refusal(want: BaseException | None, got: BaseException | None) -> bool:
    """Is it reported when compiling what CPython raises when it runs?"""
    return want is not None and isinstance(got, error_class(want))
