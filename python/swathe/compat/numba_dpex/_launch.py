# SPDX-License-Identifier: BSD-3-Clause
"""Launches over a Range or an NdRange: which grid of blocks they are, and on which queue.

A kernel of work items becomes one of `swathe.gpu` by a few generated lines around it, which
make the item, leave out the threads beyond a Range, and allocate what a LocalAccessor says.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import types
from typing import Any

from swathe import gpu
from swathe.devices import current_queue
from swathe.errors import ExecutionPlacementError, LaunchError

from . import kernel_api as kapi
from ._ranges import LocalAccessor, NdRange, Range, as_range

# Sizes of a group for a Range, by number of dimensions, x first.
_GROUPS = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 4, 2)}
_MOST_BLOCKS = (2**31 - 1, 65535, 65535)
_MOST_THREADS = (1024, 1024, 64)
_ITEMS = {1: kapi._Item1, 2: kapi._Item2, 3: kapi._Item3}
_ND_ITEMS = {1: kapi._NdItem1, 2: kapi._NdItem2, 3: kapi._NdItem3}
_COUNT = {"get_global_size", "get_local_size", "get_num_groups", "get_local_id", "get_group_id"}
_GROUP_NAMES = _COUNT | {"barrier", "local", "group_barrier", "gpu", "cuda"}


class Kernel:
    """What `kernel` makes of a function: launch it by `call_kernel`, or as ``k[range](...)``."""

    def __init__(self, func: Any, **options: Any) -> None:
        func = getattr(func, "py_func", func)
        if not isinstance(func, types.FunctionType):
            raise TypeError(f"a kernel is made of a Python function, not of {func!r}")
        self.py_func = func
        self.options = options
        functools.update_wrapper(self, func)
        self._params = list(inspect.signature(func).parameters)
        self._made: dict[Any, Any] = {}
        self._groups: bool | None = None

    def __call__(self, *args: Any) -> None:
        raise LaunchError(f"say over which range: call_kernel({self.__name__}, Range(n), ...)")

    def __getitem__(self, index_range: Any) -> Any:
        """Launch over a Range or NdRange: ``k[Range(n)](...)``, ``k[global, local](...)``."""
        if isinstance(index_range, tuple) and not isinstance(index_range, Range):
            whole, local = (*index_range, None)[:2]
            deep = isinstance(whole, (tuple, list))
            if local is None or (isinstance(local, int) and not deep and len(index_range) > 2):
                index_range = as_range(whole if deep else index_range)
            else:
                index_range = NdRange(as_range(whole), as_range(local))
        return functools.partial(call_kernel, self, index_range)

    # ---- the kernel of swathe.gpu ----

    def uses_groups(self) -> bool:
        """Whether it may tell how its work items are grouped, or how many there are."""
        if self._groups is None:
            self._groups = bool(_names(self.py_func, set()) & _GROUP_NAMES)
        return self._groups

    def over(self, kind: str, ndim: int, args: tuple[Any, ...]) -> Any:
        """The kernel for a form of range and of arguments."""
        wants_item = len(self._params) == len(args) + 1
        places = tuple(
            (i, a.shape, a.dtype) for i, a in enumerate(args) if isinstance(a, LocalAccessor)
        )
        key = (kind, ndim, wants_item, places, len(args))
        found = self._made.get(key)
        if found is None:
            if not wants_item and len(self._params) != len(args):
                self._check_count(len(args))
            found = self._made.setdefault(key, self._make(*key))
        return found

    def _check_count(self, n: int) -> None:
        kinds = [p.kind for p in inspect.signature(self.py_func).parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            raise TypeError(
                f"{self.__name__}() takes {', '.join(self._params) or 'nothing'}: {n} arguments "
                "were given, besides the item if it takes one"
            )

    def _make(self, kind: str, ndim: int, wants_item: bool, places: Any, n: int) -> Any:
        names = self._params[wants_item:] if len(self._params) == n + wants_item else []
        names = names or [f"arg{i}" for i in range(n)]
        sizes = [f"size{d}" for d in range(ndim)] if kind == "range" else []
        space: dict[str, Any] = {"__name__": self.py_func.__module__, "_func": self.py_func}
        space |= {"_gpu": gpu, "_Item": _ITEMS[ndim], "_NdItem": _ND_ITEMS[ndim]}
        given = list(names)
        for i, shape, dtype in places:
            space[f"_shape{i}"], space[f"_dtype{i}"] = shape, dtype.type
            given[i] = f"_gpu.shared.array(_shape{i}, _dtype{i})"
        if wants_item:
            item = f"_Item({', '.join(sizes)})" if sizes else "_NdItem()"
            given.insert(0, item)
        held = [f"{v} = {g}" for v, g in zip(names, given[wants_item:], strict=True) if v != g]
        given = [*given[:wants_item], *names]
        params = [v for i, v in enumerate(names) if i not in {p[0] for p in places}]
        lines = [f"def {self.py_func.__name__}({', '.join([*sizes, *params])}):"]
        lines += [f"    {line}" for line in held]
        call = f"return _func({', '.join(given)})"  # nothing, or it's an error
        if sizes:
            inside = [f"_gpu.grid({ndim}) < size0"]
            if ndim > 1:
                at = [f"_i{d}" for d in range(ndim)]
                order = reversed(at) if wants_item else at
                lines.append(f"    {', '.join(order)} = _gpu.grid({ndim})")
                inside = [f"{i} < size{d}" for d, i in enumerate(at)]
            lines += [f"    if {' and '.join(inside)}:", f"        {call}"]
        else:
            lines.append(f"    {call}")
        return gpu.jit(_compiled(self, "\n".join(lines) + "\n", space), **self.options)


def _compiled(kernel: Kernel, text: str, space: dict[str, Any]) -> Any:
    """A function from text that can be found again, as compiling needs."""
    func = kernel.py_func
    name = f"<launch of {func.__module__}.{func.__qualname__}: {len(kernel._made)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    made = space[func.__name__]
    made.__qualname__ = func.__qualname__
    return made


def _names(func: Any, seen: set[Any]) -> set[str]:
    """The names that a function mentions, and those that it calls."""
    func = getattr(func, "py_func", func)
    if not isinstance(func, types.FunctionType) or func in seen:
        return set()
    seen.add(func)
    names, codes = set(), [func.__code__]
    while codes:
        code = codes.pop()
        names |= {*code.co_names, *code.co_freevars}
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    module = func.__module__ or ""
    if module.startswith("swathe.compat.numba_dpex"):
        return {func.__name__}
    inner = [func.__globals__.get(n) for n in names]
    inner += [c.cell_contents for c in func.__closure__ or ()]
    for v in inner:
        if isinstance(v, types.ModuleType) or hasattr(v, "_swathe_row"):
            continue
        names |= _names(v, seen)
    return names


# ---- sizes ---------------------------------------------------------------------------------------


def _divisor(n: int, most: int) -> int:
    """The greatest number up to `most` that divides n."""
    return next(k for k in range(min(n, most), 0, -1) if n % k == 0)


def _range_sizes(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Blocks, and threads of one: along x first; there may be threads beyond the range."""
    block = list(_GROUPS[len(sizes)])
    for k in range(1, 3):  # long along y or z: threads move there
        n = sizes[k] if k < len(sizes) else 1
        while n > block[k] * _MOST_BLOCKS[k] and block[k] < _MOST_THREADS[k] and block[0] > 1:
            block[k], block[0] = 2 * block[k], block[0] // 2
    whole = (*sizes, 1, 1)[:3]
    return tuple(-(-n // b) for n, b in zip(whole, block, strict=True)), tuple(block)


def _exact_sizes(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    whole, most = (*sizes, 1, 1)[:3], _GROUPS[len(sizes)]
    block = tuple(_divisor(n, m) for n, m in zip(whole, most, strict=True))
    return tuple(n // b for n, b in zip(whole, block, strict=True)), block


# ---- launches ------------------------------------------------------------------------------------


def _unwrap(a: Any) -> Any:
    return getattr(a, "_swathe_base", a)


def queue_of(args: tuple[Any, ...]) -> Any:
    """Where the arguments are: compute follows data.

    Queues of one device reach the same memory, and wait for each other: the first one it is.
    """
    found: Any = None
    for a in args:
        queue = getattr(a, "sycl_queue", None)
        queue = getattr(queue, "_swathe_queue", queue) or getattr(a, "queue", None)
        if queue is None or not hasattr(queue, "_swathe_launch"):
            continue
        if found is not None and queue.device is not found.device:
            raise ExecutionPlacementError(
                f"the arguments are on two queues, {found!r} and {queue!r}: copy them to one"
            )
        found = queue if found is None else found
    return found if found is not None else current_queue()


def run(
    kernel: Kernel,
    index_range: Any,
    args: tuple[Any, ...],
    after: Any = None,
    queue: Any = None,
) -> Any:
    """Launch; with `after`, a sequence of events, return an event.

    queue: where; None: where the arguments are.
    """
    if isinstance(index_range, NdRange):
        kind, sizes = "ndrange", tuple(index_range.global_range)
    elif isinstance(index_range, Range):
        kind, sizes = "range", tuple(index_range)
    else:
        raise TypeError(f"a kernel runs over a Range or an NdRange, not over {index_range!r}")
    queue = queue_of(args) if queue is None else queue
    ndim, item = len(sizes), len(kernel._params) == len(args) + 1
    if 0 in sizes:
        return _nothing(queue, after)
    order = slice(None, None, -1) if item else slice(None)  # with an item the last is along x
    if kind == "ndrange":
        block = (*index_range.local_range[order], 1, 1)[:3]
        grid = tuple(n // b for n, b in zip((*sizes[order], 1, 1)[:3], block, strict=True))
    elif item:
        grid, block = _range_sizes(sizes[order])
    elif kernel.uses_groups():
        kind, (grid, block) = "exact", _exact_sizes(sizes)
    else:
        grid, block = _range_sizes(sizes)
    made = kernel.over(kind, ndim, args)
    given = tuple(_unwrap(a) for a in args if not isinstance(a, LocalAccessor))
    if kind == "range":
        given = (*sizes, *given)
    if after is None:
        made[grid, block, queue](*given)
        return None
    if queue is None:
        from swathe import Queue

        queue = Queue("native")
    event = queue.launch(made, grid, block, given, after=after)
    return event if event is not None else queue.mark()


def _nothing(queue: Any, after: Any) -> Any:
    if after is None:
        return None
    from swathe import Queue

    return (queue or Queue("native")).mark()


def call_kernel(kernel: Any, index_range: Any, *args: Any) -> None:
    """Run a kernel over a range, and wait for it.

    Parameters
    ----------
    kernel : Kernel
        What `kernel` has decorated.
    index_range : Range or NdRange
    *args
        The kernel's arguments, without the item if it takes one: NumPy arrays, arrays of devices,
        numbers, LocalAccessors. It runs where its arrays are; else where the innermost
        `device_context` says; else on the CPU.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"call_kernel() takes what @kernel has decorated, not {kernel!r}")
    run(kernel, index_range, args)
    queue = queue_of(args)
    if queue is not None:
        queue.sync()


def call_kernel_async(
    kernel: Any, index_range: Any, dependent_events: Any, *args: Any
) -> tuple[Any, Any]:
    """Launch a kernel after some events; return two: the host's part is done, and the device's.

    Host arrays among the arguments are copied back before it returns.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"call_kernel_async() takes what @kernel has decorated, not {kernel!r}")
    after = [getattr(e, "_swathe_event", e) for e in dependent_events]
    event = run(kernel, index_range, args, after)
    return event, event
