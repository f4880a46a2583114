"""Arrays of records (NumPy's structured dtypes), as compiled code takes them: a tuple with a view
of each field. One class of such tuples stands for one dtype. Strings of fixed width are arrays of
code points under a name that no program has, from which compiled code makes strings."""

from __future__ import annotations

from typing import Any

import numpy as np

TEXT = ".text"  # names of fields that are strings end so, and are arrays of code points

_classes: dict[tuple[np.dtype, type], type[Record]] = {}  # np.record's elements are their own


class Record(tuple[Any, ...]):
    """The fields of an array of records; a field that is of records is such a tuple again."""

    _fields: tuple[str, ...]
    _dtype: np.dtype
    _layout: tuple[tuple[int, Any, tuple[int, ...]], ...]  # offset, dtype or class, own axes
    _packed: bool  # a field is not aligned in memory
    _of: np.ndarray  # the array whose fields they are, where these are an argument's

    @classmethod
    def _make(cls, parts: Any) -> Record:
        return cls(parts)

    @classmethod
    def _array(cls, parts: tuple[Any, ...]) -> np.ndarray:
        """Return the array whose fields these views are; it keeps them alive."""
        first, own, offset = _first(cls, parts), _own_axes(cls), _offset(cls)
        if isinstance(cls._layout[0][1], type) and isinstance(parts[0], np.ndarray):
            first, own, offset = parts[0], 0, cls._layout[0][0]  # is whole already
        return np.asarray(_Memory(cls, first, first.ndim - own, offset, parts)).view(cls._dtype)


class _Memory:
    """What NumPy reads to make an array over the memory of others."""

    def __init__(
        self, cls: type[Record], first: np.ndarray, ndim: int, offset: int, parts: Any
    ) -> None:
        self.parts = parts
        address, readonly = first.__array_interface__["data"]
        self.__array_interface__ = {
            "version": 3,
            "shape": first.shape[:ndim],
            "strides": first.strides[:ndim],
            "data": (address - offset, readonly),
            "typestr": f"|V{cls._dtype.itemsize}",
        }


def _first(cls: type[Record], parts: tuple[Any, ...]) -> np.ndarray:
    _, inner, _ = cls._layout[0]
    nested = isinstance(inner, type) and not isinstance(parts[0], np.ndarray)
    return _first(inner, parts[0]) if nested else parts[0]


def _own_axes(cls: type[Record]) -> int:
    _, inner, axes = cls._layout[0]
    return len(axes) + (_own_axes(inner) if isinstance(inner, type) else 0)


def _offset(cls: type[Record]) -> int:
    offset, inner, _ = cls._layout[0]
    return offset + (_offset(inner) if isinstance(inner, type) else 0)


def class_of(dtype: np.dtype) -> type[Record]:
    """Return the class for a structured dtype. TypeError: a field that isn't numbers."""
    cls = _classes.get((dtype, dtype.type))
    if cls is not None:
        return cls
    layout = []
    names = list(dtype.names or ())
    for name in dtype.names or ():
        field, offset = dtype.fields[name][:2]
        base, axes = field.subdtype or (field, ())
        if base.names and axes:
            raise TypeError(f"its field '{name}' is an array of records, which is not supported")
        if not base.names and base.kind not in "biufcmMSU" or base.kind in "SU" and axes:
            raise TypeError(
                f"its field '{name}' is of dtype {field}: fields hold numbers and strings"
            )
        if not base.isnative:
            raise TypeError(f"its field '{name}' has the byte order of other machines")
        if base.kind in "SU":
            names[len(layout)] = name + TEXT
            points = _points(base)
            layout.append((offset, points.base, points.shape))
        else:
            layout.append((offset, class_of(base) if base.names else base, axes))
    if not layout:
        raise TypeError("its records have no fields")
    members = {
        "_fields": tuple(names),
        "_dtype": dtype,
        "_layout": tuple(layout),
        "_packed": _is_packed(layout, 0, dtype.itemsize),
    }
    return _classes.setdefault((dtype, dtype.type), type("record", (Record,), members))


def _points(text: np.dtype) -> np.dtype:
    """The code points of a string of fixed width, as an array of integers."""
    point = np.dtype(np.uint32 if text.kind == "U" else np.uint8)
    return np.dtype((point, (text.itemsize // point.itemsize,)))


def _is_packed(layout: Any, at: int, step: int) -> bool:
    """Whether a field, of records that begin at `at` and every `step` bytes, is not aligned."""
    return any(
        _is_packed(inner._layout, at + offset, step)
        if isinstance(inner, type)
        else bool((at + offset) % inner.alignment or step % inner.alignment)
        for offset, inner, _ in layout
    )


def views(a: Any, locked: bool = False) -> Record:
    """Return the fields of an array of records, of NumPy's or of a device.

    They are read-only where records share memory with each other, as other arrays are.
    """
    cls = class_of(a.dtype)
    locked = locked or meets_itself(a)
    record = cls(
        views(a[name], locked) if isinstance(inner, type) else _field(a, name, locked)
        for name, (_, inner, _) in zip(a.dtype.names, cls._layout, strict=True)
    )
    record._of = a
    return record


def _field(a: Any, name: str, locked: bool) -> Any:
    v = a[name]
    if a.dtype[name].kind in "SU":
        v = v.view(_points(a.dtype[name]))
    if locked:  # a view of its own; that of an array on a device is in what stands for it
        getattr(v, "_proto", v).flags.writeable = False
    return v


def meets_itself(a: Any) -> bool:
    """Whether two elements may share memory: the strides don't nest. (As in args.c.)

    >>> import numpy as np
    >>> from numpy.lib.stride_tricks import as_strided
    >>> meets_itself(as_strided(np.zeros(3), (2, 2), (8, 8))), meets_itself(np.zeros((4, 4)).T)
    (True, False)
    """
    if a.flags.c_contiguous or 0 in a.shape:
        return False
    inside = a.itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if stride < inside:
            return True
        inside += stride * (n - 1)
    return False


class _Place:
    """What NumPy reads to make an array of a record's own memory."""

    def __init__(self, record: np.void) -> None:
        self.record = record
        bytes_ = np.frombuffer(record.data, np.uint8)
        self.__array_interface__ = {
            "version": 3,
            "shape": (record.dtype.itemsize,),
            "data": (bytes_.__array_interface__["data"][0], not record.flags.writeable),
            "typestr": "|u1",
        }


def whole(record: np.void) -> np.ndarray:
    """Return the array without axes that a record is: they share memory.

    >>> import numpy as np
    >>> a = np.zeros(2, [("x", "f4")])
    >>> whole(a[1])["x"] = 5
    >>> a["x"].tolist()
    [0.0, 5.0]
    """
    return np.asarray(_Place(record)).view(record.dtype).reshape(())
