# SPDX-License-Identifier: BSD-3-Clause
"""``numba.typed``: lists and dicts that compiled functions take as they are (`swathe.typed`).

What a compiled function makes itself comes back as Python's own list or dict, which is as good a
`List` or `Dict` as any. In compiled code both are lists and dicts: the first element, or key, says
which type one holds, and the types given to `List.empty_list` and `Dict.empty` are not asked."""

from __future__ import annotations

from typing import Any

from .... import typed as _typed


class _ListMeta(type(_typed.List)):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, (list, _typed.List))


class List(_typed.List, metaclass=_ListMeta):
    """A list that lives in compiled code: see `swathe.typed.List`."""

    __slots__ = ()
    _swathe_is = list

    def __init__(self, items: Any = (), *_: Any, **__: Any) -> None:
        super().__init__(items)

    def __class_getitem__(cls, item: Any) -> Any:
        return list[item]

    def __str__(self) -> str:
        return str(list(self))

    @staticmethod
    def empty_list(item_type: Any = None, allocated: int = 0) -> Any:
        """Return an empty list."""
        return _empty(List, "empty_list", item_type)


class _DictMeta(type(_typed.Dict)):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, (dict, _typed.Dict))


class Dict(_typed.Dict, metaclass=_DictMeta):
    """A dict that lives in compiled code: see `swathe.typed.Dict`."""

    __slots__ = ()
    _swathe_is = dict

    def __init__(self, items: Any = (), *_: Any, **__: Any) -> None:
        super().__init__(items)

    def __class_getitem__(cls, item: Any) -> Any:
        return dict[item]

    def __str__(self) -> str:
        return str(dict(self))

    @staticmethod
    def empty(key_type: Any = None, value_type: Any = None, n_keys: int = 0) -> Any:
        """Return an empty dict."""
        return _empty(Dict, "empty", key_type, value_type)


def _empty(cls: Any, name: str, *of: Any) -> Any:
    """Of types that have no sample, one that its first element tells."""
    if None in of:
        return cls()
    try:
        return getattr(cls.__mro__[1], name).__func__(cls, *of)
    except TypeError:
        return cls()


class _SetMeta(type):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, set)

    def __call__(cls, items: Any = (), *_: Any, **__: Any) -> Any:
        return set(items)


class Set(metaclass=_SetMeta):
    """Python's set."""

    _swathe_is = set

    def __class_getitem__(cls, item: Any) -> Any:
        return set[item]

    @staticmethod
    def empty(item_type: Any = None, n_keys: int = 0) -> set[Any]:
        """Return an empty set."""
        return set()


# what compiled code calls in their place, without arguments
List.empty_list._swathe_is = list  # type: ignore[attr-defined]
Dict.empty._swathe_is = dict  # type: ignore[attr-defined]
Set.empty._swathe_is = set  # type: ignore[attr-defined]

__all__ = ["Dict", "List", "Set"]
