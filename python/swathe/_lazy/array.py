# SPDX-License-Identifier: BSD-3-Clause
"""The lazy array: what a program holds of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Lazy
from ..schedule import Schedule
from . import dtypes, placed
from .graph import run
from .node import Node, leaf

views: Any = None  # the module, which needs the class; the package sets it


class LazyArray(Lazy):
    """An array that is computed when its values are asked for.

    `lazy` and the functions of `swathe.xp` make them. Operators and functions yield new ones;
    `numpy.asarray`, printing, `bool`, `int`, `float`, DLPack and `compute` ask for values.
    """

    __slots__ = ()
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self) -> None:
        raise TypeError("make lazy arrays by swathe.lazy(x) or by functions of swathe.xp")

    # ---- what it is ----

    @property
    def dtype(self) -> np.dtype:
        return self._node.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self._node.shape

    @property
    def ndim(self) -> int:
        return len(self._node.shape)

    @property
    def size(self) -> int:
        size = 1
        for n in self._node.shape:
            size *= n
        return size

    @property
    def device(self) -> Any:
        """Where it is: ``"cpu"``, a `swathe.Device`, or a queue of one that the program made."""
        return placed.named(self._node.queue)

    @property
    def queue(self) -> Any:
        """The queue whose work its operations are; None on the CPU."""
        return self._node.queue

    @property
    def T(self) -> LazyArray:  # noqa: N802
        if self.ndim != 2:
            raise ValueError(f"x.T needs 2 axes, not {self.ndim}: use permute_dims or x.mT")
        return views.transpose(self, (1, 0))

    @property
    def mT(self) -> LazyArray:  # noqa: N802
        return views.matrix_transpose(self, "x.mT")

    def to_device(self, device: Any, /, *, stream: Any = None) -> LazyArray:
        """Return the array in another place, which asks for its values; itself, if it is there.

        Parameters
        ----------
        device : str, Device or Queue
            ``"cpu"``, a device or its name, or a queue: work on the array goes there.
        stream : Queue, optional
            A queue of the device, in the place of its own.
        """
        queue = placed.queue_for(device)
        if stream is not None:
            if queue is None:
                raise ValueError("to_device(): the CPU has no streams")
            if not isinstance(stream, placed.Queue) or stream.device is not queue.device:
                raise ValueError(f"to_device(): a stream is a queue of the device, not {stream!r}")
            queue = placed.in_order(stream)
        if queue is node_of(self).queue:
            return self
        return wrap(leaf(placed.moved(value(self), queue), queue))

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        from .. import xp

        if api_version not in (None, *(f"{year}.12" for year in range(2021, 2026))):
            raise ValueError(f"swathe.xp is the array API standard 2025.12, not {api_version!r}")
        return xp

    # ---- values ----

    def compute(self, *, schedule: Schedule | None = None) -> np.ndarray:
        """Return the values as a NumPy array, which must not be changed.

        Those of an array on a device are a DeviceArray, if they have axes.

        Parameters
        ----------
        schedule : Schedule, optional
            How loops are to run: what `par` makes of ``{"axis0": ..., "axis1": ...}``, by the axes
            of results, and of the operands of reductions.
        """
        return value(self) if schedule is None else scheduled([self], schedule)[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = value(self)
        if not isinstance(found, np.ndarray):
            raise TypeError(
                f"a lazy array on {placed.said(found.queue)} is no NumPy array: "
                'x.to_device("cpu") is one on the CPU'
            )
        return np.array(found, dtype=dtype, copy=copy)

    def __reduce__(self) -> Any:
        if node_of(self).queue is not None:
            raise TypeError('a lazy array on a device can\'t be pickled: x.to_device("cpu") can')
        return lazy, (np.array(value(self)),)

    def __copy__(self) -> LazyArray:
        return wrap(node_of(self))

    def __deepcopy__(self, memo: Any) -> LazyArray:
        return wrap(node_of(self))

    def __len__(self) -> int:
        if not self._node.shape:
            raise TypeError("len() of an array without axes")
        return self._node.shape[0]

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(_one(self, "bool"))

    def __int__(self) -> int:
        return int(_one(self, "int"))

    def __float__(self) -> float:
        return float(_one(self, "float"))

    def __complex__(self) -> complex:
        return complex(_one(self, "complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(f"only integer arrays are indices, not {self.dtype}")
        return int(_one(self, "index"))

    def __repr__(self) -> str:
        text = np.array2string(host(self), separator=", ", prefix="LazyArray(")
        if not self.size and self.shape != (0,):
            text += f", shape={self.shape}"
        return f"LazyArray({text}, dtype={self.dtype})"

    def __str__(self) -> str:
        return str(host(self))

    def __format__(self, spec: str) -> str:
        return format(value(self)[()], spec) if not self.shape else str(self).__format__(spec)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        found = value(self)
        queue = node_of(self).queue
        if queue is not None and (dl_device is None or tuple(dl_device) != (1, 0)):
            found = queue.to_device(found) if isinstance(found, np.ndarray) else found
            found = found.copy() if copy else found
            return found.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device)
        if stream is not None:
            raise ValueError("__dlpack__(): the CPU has no streams")
        if queue is not None:
            if copy is False:
                raise BufferError("an array on a device is copied to the CPU")
            found = placed.here(found)
        if max_version is None and not found.flags.writeable:
            found = found.copy()  # older consumers can't be told that an array is read-only
        return found.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        queue = node_of(self).queue
        if queue is None:
            return np.empty(0).__dlpack_device__()
        found = value(self)
        return (found if self.shape else queue.to_device(found)).__dlpack_device__()

    # ---- looking inside ----

    def graph(self) -> Any:
        """Return a drawing of the graph, which notebooks show; `str` of it is SVG."""
        from .draw import Drawing

        return Drawing([node_of(self)])

    def _repr_svg_(self) -> str:
        return str(self.graph())

    def explain(self) -> str:
        """Return which functions the graph is cut into, their sources, and how each runs."""
        from .draw import explain

        return explain([node_of(self)])

    # ---- operators that are no element's ----

    def __matmul__(self, other: Any, /) -> Any:
        from ..xp.linalg import matmul

        return matmul(self, other) if type(other) is LazyArray else NotImplemented

    def __imatmul__(self, other: Any, /) -> Any:
        out = self @ other
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f"matmul() in place would change shape {self.shape} to {out.shape}")
        views.assign(self, out._node)
        return self

    # ---- indices ----

    def __setitem__(self, key: Any, new: Any, /) -> None:
        views.setitem(self, key, new)


def value(x: LazyArray) -> Any:
    """Return the values of an array, where it is."""
    node = x._node if x._base is None else views.fresh(x)
    if node.op is not None:
        run([node])
    return node.value


def host(x: LazyArray) -> np.ndarray:
    """Return the values of an array as a NumPy array."""
    return placed.here(value(x))


def beside(x: LazyArray, found: np.ndarray) -> LazyArray:
    """Return the host's values as an array where another is."""
    queue = node_of(x).queue
    return wrap(leaf(placed.there(queue, found), queue))


def scheduled(arrays: list[LazyArray], schedule: Schedule | None) -> list[Any]:
    """Return the values of arrays, which are computed together as a schedule says."""
    if not isinstance(schedule, Schedule | None):
        raise TypeError(f"a schedule is what par() returns, not {type(schedule).__name__}")
    nodes = [node_of(x) for x in arrays]
    run(nodes, schedule)
    return [n.value for n in nodes]


def wrap(node: Node) -> LazyArray:
    """Return an array of a node."""
    x = object.__new__(LazyArray)
    x._node = node
    x._base = None
    return x


def node_of(x: LazyArray) -> Node:
    """Return the node that an array stands for now."""
    return x._node if x._base is None else views.fresh(x)


def of_device(x: Any, queue: Any = None) -> LazyArray:
    """Return an array of a device as a lazy one, which reads the same memory; in a queue."""
    _check_dtype(x.dtype)
    queue = placed.in_order(queue or x.queue)
    found = x if queue is x.queue else placed.moved(x, queue)
    return wrap(leaf(found if found.ndim else found.copy_to_host(), queue))


def _check_dtype(dtype: np.dtype) -> None:
    if dtype not in dtypes.ALL:
        raise TypeError(
            f"lazy arrays have the dtypes of the array API standard, not {dtype}: "
            f"{', '.join(dtypes.NAMES)}"
        )


def of_numpy(x: np.ndarray) -> LazyArray:
    """Return a NumPy array as a lazy one, which reads the same memory."""
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    _check_dtype(x.dtype)
    if type(x) is not np.ndarray:
        x = x.view(np.ndarray)
    return wrap(leaf(x))


def _one(x: LazyArray, what: str) -> Any:
    if x.size != 1 or x.ndim:
        raise TypeError(
            f"{what}() of an array of shape {x.shape}: only arrays without axes are one"
        )
    found = value(x)[()]
    if what in ("int", "float") and x.dtype.kind == "c":
        raise TypeError(f"{what}() of a complex array")
    return found.item()


def lazy(x: Any) -> LazyArray:
    """Return an array whose operations are gathered, fused and compiled when values are needed.

    Parameters
    ----------
    x : array, number, sequence of these
        A NumPy array, an array of a device, or one of another library, is read where it is, when
        values are needed: don't change it before.

    Returns
    -------
    LazyArray

    Examples
    --------
    >>> import numpy as np
    >>> import swathe
    >>> x = swathe.lazy(np.arange(4.0))
    >>> y = (x * 2.0 + 1.0) ** 2
    >>> y.shape, y.dtype
    ((4,), dtype('float64'))
    >>> np.asarray(y)
    array([ 1.,  9., 25., 49.])
    """
    if type(x) is LazyArray:
        return x
    if isinstance(x, np.ndarray):
        return of_numpy(x)
    from ..xp.creation import asarray

    return asarray(x)
