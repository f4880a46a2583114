# SPDX-License-Identifier: BSD-3-Clause
"""``numba.typed``: lists and dicts as such, which compiled functions take and return.

`List` and `Dict` make Python's own. In compiled code the first element, or key, says which type
it holds; the types given to `List.empty_list` and `Dict.empty` are not asked."""

from __future__ import annotations

from typing import Any


class _ListMeta(type):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, list)

    def __call__(cls, items: Any = (), *_: Any, **__: Any) -> Any:
        return list(items)


class List(metaclass=_ListMeta):
    """Python's list."""

    _swathe_is = list

    def __class_getitem__(cls, item: Any) -> Any:
        return list[item]

    @staticmethod
    def empty_list(item_type: Any = None, allocated: int = 0) -> list[Any]:
        """Return an empty list."""
        return []


class _DictMeta(type):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, dict)

    def __call__(cls, items: Any = (), *_: Any, **__: Any) -> Any:
        return dict(items)


class Dict(metaclass=_DictMeta):
    """Python's dict."""

    _swathe_is = dict

    def __class_getitem__(cls, item: Any) -> Any:
        return dict[item]

    @staticmethod
    def empty(key_type: Any = None, value_type: Any = None, n_keys: int = 0) -> dict[Any, Any]:
        """Return an empty dict."""
        return {}


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
