# SPDX-License-Identifier: BSD-3-Clause
"""Lists and dicts that live in compiled code, whose values are of one type.

A list or dict of Python's own becomes an object of compiled code at each call, and what has changed
in it is written back: some nanoseconds for each element. These are such objects from the beginning,
and a call with one costs what a call with a number does; in turn each use of one in Python, as
``xs[0]``, is a call of compiled code. In a compiled function they are lists and dicts.

That holds for numbers, arrays, tuples of these, and typed containers of these. Of other values
(strings, instances, None) one is Python's own list or dict, which each call converts.
"""

from __future__ import annotations

import operator
import typing
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

import numpy as np

from . import _core, _typed_code
from ._slot import Slot

__all__ = ["Dict", "List"]

_made: dict[str, Any] = {}


def _run(name: str, *args: Any) -> Any:
    """Call a function of `_typed_code`."""
    f = _made.get(name)
    if f is None:
        from . import njit

        f = _made[name] = njit(getattr(_typed_code, name))
    return f(*args)


# ---- samples: values that tell a type ----

_PLAIN = {"int": 0, "float": 0.0, "bool": False, "complex": 0j, "str": "", "bytes": b""}


def _of_text(text: str) -> Any:
    from ._classes import _plain_text

    text = _plain_text(_core.type_text(text))
    if text in _PLAIN:
        return _PLAIN[text]
    dtype, _, axes = text.partition("[")
    zero = np.dtype(dtype).type(0)
    return np.empty((0,) * (axes.count(",") + 1), dtype) if axes else zero


def _of_type(t: Any) -> Any:
    """Return a value of a type, as it is said for a signature or an annotation."""
    from . import types

    if isinstance(t, types.Of) and t.word in ("list", "dict", "tuple"):
        parts = [_of_type(p) for p in t.parts]
        return {"list": list, "dict": lambda p: dict([tuple(p)]), "tuple": tuple}[t.word](parts)
    origin, args = typing.get_origin(t), typing.get_args(t)
    if origin is list:
        return [_of_type(args[0])]
    if origin is dict:
        return {_of_type(args[0]): _of_type(args[1])}
    if origin is tuple and Ellipsis not in args:
        return tuple(_of_type(a) for a in args)
    if t is str or isinstance(t, types.Type) and t.text == "str":
        return ""
    try:
        if isinstance(t, types.Type):
            return _of_text(t.text)
        if isinstance(t, type) and t.__name__ in _PLAIN:
            return _PLAIN[t.__name__]
        dtype = np.dtype(t)
        if dtype.kind not in "biufc":
            raise TypeError
        return dtype.type(0)
    except (TypeError, ValueError):
        name = getattr(t, "__name__", None) or repr(t)
        raise TypeError(
            f"{name} is no type of which a typed container is made empty: make one of values"
        ) from None


_NUMBERS = (bool, int, float, complex)


def _lasts(v: Any) -> bool:
    """Can a container that lives in compiled code hold it?"""
    if type(v) is tuple:
        return bool(v) and all(map(_lasts, v))
    if isinstance(v, _core.Typed):
        return v._slot is not None
    if isinstance(v, np.ndarray):
        return type(v) is np.ndarray and v.dtype.kind in "biufc" and v.dtype.isnative
    if isinstance(v, np.generic):
        return v.dtype.kind in "biufc"
    return type(v) in _NUMBERS


def _inner(v: Any) -> Any:
    """Return a container in a container as one that lives in compiled code, if it can."""
    new = List(v) if type(v) is list else Dict(v) if type(v) is dict else v
    return new if new is v or new._slot is not None else v


def _sample_of(v: Any) -> Any:
    return v._example if isinstance(v, _core.Typed) else v


def _refuse(what: str, kind: str, v: Any) -> TypeError:
    return TypeError(f"{what} of {kind} can't hold a value of type {type(v).__name__}")


def _as(sample: Any, v: Any, what: str) -> Any:
    """Return a value as what the container holds, or raise."""
    v = _inner(v)
    if isinstance(sample, np.generic):
        if isinstance(v, (*_NUMBERS, np.generic)):
            cast = np.asarray(v).astype(sample.dtype)[()]
            if cast == v or v != v:
                return cast
        raise _refuse(what, sample.dtype.name, v)
    if type(sample) in _NUMBERS:
        plain = v.item() if isinstance(v, np.generic) else v
        rank = _NUMBERS.index(type(sample))
        if type(plain) in _NUMBERS and _NUMBERS.index(type(plain)) <= rank:
            return type(sample)(plain)
        raise _refuse(what, type(sample).__name__, v)
    if type(_sample_of(v)) is not type(sample):
        raise _refuse(what, type(sample).__name__, v)
    return v


class _Typed(_core.Typed):
    """What lists and dicts share. Without a slot `_example` is what it has."""

    __slots__ = ("__weakref__",)
    __hash__ = None  # type: ignore[assignment]

    def _begin(self, name: str, sample: Any) -> None:
        """Live in compiled code from now on."""
        slot = Slot()
        _run(name, slot, sample)
        _core.Typed.__init__(self, slot, sample)

    def _shares(self, slot: Any, sample: Any) -> Any:
        _core.Typed.__init__(self, slot, sample)
        return self

    def __len__(self) -> int:
        return len(self._example) if self._slot is None else _run("size", self)

    def _item(self, k: Any, sample: Any, name: str = "get") -> Any:
        """Return an element; one that is a container, as what shares it."""
        if type(sample) not in (list, dict):
            return _run(name, self, k)
        slot = Slot()
        _run(name + "_inner", slot, self, k)
        return (List if type(sample) is list else Dict)()._shares(slot, sample)

    def _plain(self) -> Any:
        """Return a copy that is Python's own."""
        return self._example.copy() if self._slot is None else _run("copy_of", self)

    def clear(self) -> None:
        """Take everything out."""
        if self._slot is None:
            self._example.clear()
        else:
            _run("clear", self)

    def copy(self) -> Any:
        """Return another one with the same elements."""
        if self._slot is None:
            made, parts = self.__reduce__()
            return made(*parts)
        slot = Slot()
        _run("begin_" + type(self).__name__.lower(), slot, self)
        return type(self)()._shares(slot, self._example)

    def __copy__(self) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        sample = None if self._slot is None else self._example
        return _restored, (type(self), sample, self._plain())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._plain()!r})"

    def __eq__(self, other: object) -> Any:
        if isinstance(other, _core.Typed):
            other = other._plain()
        return self._plain() == other if isinstance(other, (list, dict)) else NotImplemented


def _restored(cls: type, sample: Any, items: Any) -> Any:
    new = cls()
    if sample is not None:
        new._begin("begin_empty_" + cls.__name__.lower(), sample)
    (new.extend if isinstance(new, List) else new.update)(items)
    return new


class List(_Typed, MutableSequence):
    """A list that lives in compiled code.

    Parameters
    ----------
    items : iterable, optional
        Its elements. What the first one is (``int``, ``float``, an array, a tuple, a list ...) they
        all are; without one, the first that is put in tells. Lists and dicts in it become typed
        ones.

    Raises
    ------
    TypeError
        A value is put in that is of another type; an int is put among floats as a float.

    Examples
    --------
    >>> import swathe
    >>> xs = swathe.typed.List([3.0, 1.0, 2.0])
    >>> @swathe.njit
    ... def add(xs, x):
    ...     xs.append(x)
    ...     return sum(xs)
    >>> add(xs, 4.0), len(xs)
    (10.0, 4)
    """

    __slots__ = ()

    def __init__(self, items: Iterable[Any] = ()) -> None:
        _core.Typed.__init__(self, None, [])
        self.extend(items)

    @classmethod
    def empty_list(cls, item_type: Any, allocated: int = 0) -> List:
        """Return an empty list for values of a type, such as ``float`` or ``types.int64``."""
        new = cls()
        sample = _of_type(item_type)
        if _lasts(_inner(sample)):
            new._begin("begin_empty_list", [sample])
        return new

    def _inner_sample(self) -> Any:
        """Return a value like its elements, where it lives in compiled code."""
        return None if self._slot is None else self._example[0]

    def _as(self, v: Any) -> Any:
        """Return a value as one that may be put in."""
        if self._slot is None and not self._example:
            v = _inner(v)
            if _lasts(v):
                self._begin("begin_empty_list", [_sample_of(v)])
        return v if self._slot is None else _as(self._example[0], v, "a typed list")

    def __getitem__(self, i: Any) -> Any:
        if self._slot is None:
            return List(self._example[i]) if isinstance(i, slice) else self._example[i]
        if isinstance(i, slice):
            slot = Slot()
            _run("part", slot, self, *i.indices(len(self)))
            return List()._shares(slot, self._example)
        return self._item(_index(i), self._example[0])

    def __setitem__(self, i: Any, v: Any) -> None:
        if isinstance(i, slice):
            whole = list(self)
            whole[i] = [self._as(x) for x in v]
            self.clear()
            self.extend(whole)
        elif self._slot is None:
            self._example[i] = v
        else:
            _run("put", self, _index(i), self._as(v))

    def __delitem__(self, i: Any) -> None:
        if self._slot is None:
            del self._example[i]
        elif isinstance(i, slice):
            for k in sorted(range(*i.indices(len(self))), reverse=True):
                _run("delete", self, k)
        else:
            _run("delete", self, _index(i))

    def __iter__(self) -> Iterator[Any]:
        i = 0
        while i < len(self):
            yield self[i]
            i += 1

    def _compared(self, other: object, order: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, List):
            other = other._plain()
        return order(self._plain(), other) if isinstance(other, list) else NotImplemented

    def __lt__(self, other: object) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: object) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, operator.ge)

    def append(self, v: Any) -> None:
        """Put a value at the end."""
        v = self._as(v)
        if self._slot is None:
            self._example.append(v)
        else:
            _run("append", self, v)

    def extend(self, items: Iterable[Any]) -> None:
        """Put all of them at the end."""
        whole = isinstance(items, List) and not isinstance(items._inner_sample(), (list, dict))
        items = items._plain() if whole else list(items)
        first = items[0] if items else None
        alike = type(first) in _NUMBERS and all(type(x) is type(first) for x in items)
        if alike and self._slot is None and not self._example:
            self._begin("begin_list", items)
            _core.Typed.__init__(self, self._slot, [first])
        elif alike and self._slot is not None and type(first) is type(self._example[0]):
            _run("extend", self, items)
        else:
            for x in items:
                self.append(x)

    def insert(self, i: Any, v: Any) -> None:
        """Put a value before the element `i`."""
        v = self._as(v)
        if self._slot is None:
            self._example.insert(i, v)
        else:
            _run("insert", self, _index(i), v)

    def pop(self, i: Any = -1) -> Any:
        """Take an element out, and return it."""
        if self._slot is None:
            return self._example.pop(i)
        return self._item(_index(i), self._example[0], "pop")

    def index(self, v: Any, start: int = 0, stop: int = 2**63 - 1) -> int:
        """Return where the first one is that is equal to `v`."""
        return self._plain().index(v, start, stop)

    def count(self, v: Any) -> int:
        """Return how many are equal to `v`."""
        return self._plain().count(v)

    def __contains__(self, v: Any) -> bool:
        return v in self._plain()

    def reverse(self) -> None:
        """Put the elements in the opposite order."""
        if self._slot is None:
            self._example.reverse()
        else:
            _run("reverse", self)

    def sort(self, key: Any = None, reverse: bool = False) -> None:
        """Sort the elements, by what a function `key` returns for each; stable."""
        if self._slot is None:
            self._example.sort(key=key, reverse=reverse)
        elif key is None:
            _run("sort", self, bool(reverse))
        else:
            _run("sort_by", self, key, bool(reverse))

    def tolist(self) -> list[Any]:
        """Return a list of Python's own, with all that is in it."""
        return self._plain()


def _index(i: Any) -> int:
    try:
        return i.__index__()
    except AttributeError:
        what = type(i).__name__
        raise TypeError(f"list indices must be integers or slices, not {what}") from None


class Dict(_Typed, MutableMapping):
    """A dict that lives in compiled code; see `List`.

    Examples
    --------
    >>> import swathe
    >>> d = swathe.typed.Dict({1: 1.0})
    >>> @swathe.njit
    ... def put(d, k, v):
    ...     d[k] = v
    >>> put(d, 2, 2.0)
    >>> sorted(d.items())
    [(1, 1.0), (2, 2.0)]
    """

    __slots__ = ()

    def __init__(self, items: Any = (), /, **more: Any) -> None:
        _core.Typed.__init__(self, None, {})
        self.update(items, **more)

    @classmethod
    def empty(cls, key_type: Any, value_type: Any, n_keys: int = 0) -> Dict:
        """Return an empty dict for keys and values of two types."""
        new = cls()
        key, value = _of_type(key_type), _of_type(value_type)
        if _lasts(key) and _lasts(_inner(value)):
            new._begin("begin_empty_dict", {key: value})
        return new

    def _of(self) -> tuple[Any, Any]:
        return next(iter(self._example.items()))

    def _key(self, k: Any) -> Any:
        """Return `k` as one that may be there; KeyError: none like it is."""
        sample = self._of()[0]
        if type(sample) is int and (isinstance(k, int) or isinstance(k, float) and k.is_integer()):
            k = int(k)  # they are equal
        try:
            return _as(sample, k, "")
        except TypeError:
            hash(k)
            raise KeyError(k) from None

    def __getitem__(self, k: Any) -> Any:
        if self._slot is None:
            return self._example[k]
        try:
            return self._item(self._key(k), self._of()[1])
        except KeyError:
            raise KeyError(k) from None

    def __setitem__(self, k: Any, v: Any) -> None:
        if self._slot is None and not self._example:
            v = _inner(v)
            if _lasts(k) and _lasts(v):
                self._begin("begin_empty_dict", {k: _sample_of(v)})
        if self._slot is None:
            self._example[k] = v
            return
        key, value = self._of()
        k, v = _as(key, k, "a typed dict with keys"), _as(value, v, "a typed dict with values")
        _run("put", self, k, v)

    def __delitem__(self, k: Any) -> None:
        if self._slot is None:
            del self._example[k]
            return
        try:
            _run("delete", self, self._key(k))
        except KeyError:
            raise KeyError(k) from None

    def __contains__(self, k: Any) -> bool:
        if self._slot is None:
            return k in self._example
        try:
            return _run("has", self, self._key(k))
        except KeyError:
            return False

    def _keys(self) -> list[Any]:
        return list(self._example) if self._slot is None else _run("keys", self)

    def __iter__(self) -> Iterator[Any]:
        return self._each(self._keys())

    def __reversed__(self) -> Iterator[Any]:
        return self._each(self._keys()[::-1])

    def _each(self, keys: list[Any]) -> Iterator[Any]:
        for k in keys:
            if len(self) != len(keys):
                raise RuntimeError("dictionary changed size during iteration")
            yield k
        if len(self) != len(keys):
            raise RuntimeError("dictionary changed size during iteration")

    def __or__(self, other: object) -> Any:
        if not isinstance(other, (dict, Dict)):
            return NotImplemented
        new = self.copy()
        new.update(other)
        return new

    def __ror__(self, other: object) -> Any:
        return Dict(other) | self if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Dict:
        self.update(other)
        return self

    def setdefault(self, k: Any, default: Any = None) -> Any:
        """Return the value of a key, which is `default` from now on if there was none."""
        if k not in self:
            self[k] = default
        return self[k]

    def popitem(self) -> tuple[Any, Any]:
        """Take out the key that was put in last, and return it with its value."""
        if self._slot is None:
            return self._example.popitem()
        if type(self._of()[1]) not in (list, dict):
            return _run("popitem", self)
        slot, sample = Slot(), self._of()[1]
        k = _run("popitem_inner", slot, self)
        return k, (List if type(sample) is list else Dict)()._shares(slot, sample)
