# SPDX-License-Identifier: BSD-3-Clause
"""What programs ask Numba's dispatchers, and `swathe.jit`'s have no use for themselves.

All compiled functions get it when ``numba`` is first imported."""

from __future__ import annotations

import collections
from typing import Any

import swathe
from swathe import _core

from . import _cuda_kernels, _overloads, types
from .core.errors import NumbaNotImplementedError


class Compiled:
    """What `overloads` has of a signature that `compile` was given."""

    def __init__(self, of: Any, args: tuple[Any, ...]) -> None:
        self.of, self.func, self.args = of, of.py_func, args

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)

    @property
    def entry_point(self) -> Any:
        """What is called."""
        return self.of

    @property
    def signature(self) -> types.Signature:
        """The signature with the type of the result."""
        made = swathe.jit(self.args, numba_casts=True)(self.func)
        result = made.signatures[0].partition("(")[0]
        if result in ("Tuple", "UniTuple", "optional"):
            raise swathe.errors.UnsupportedError("the signature of a function that yields a tuple")
        return types.Signature(_overloads.from_text(result), self.args)


class SignatureText(str):
    """A signature as the compiler writes it, of which types can be asked, as of Numba's."""

    @property
    def signature(self) -> types.Signature:
        """The same as an object."""
        return _overloads.signature_of(self)

    @property
    def return_type(self) -> Any:
        """The type of the result."""
        return self.signature.return_type

    @property
    def args(self) -> tuple[Any, ...]:
        """The types of the arguments."""
        return self.signature.args


class _Overloads(dict):
    """By text, as `swathe` has it, and by tuples of types for what `compile` was given."""

    def __init__(self, of: Any) -> None:
        super().__init__(_OVERLOADS.__get__(of))
        self.of = of

    def __missing__(self, key: Any) -> Any:
        given = self.of.__dict__.get("_swathe_compiled", {})
        args = _args(key)
        known = any(s.args == args for s in _signatures(self.of))
        return Compiled(self.of, args) if args not in given and known else given[args]


def _args(sig: Any) -> Any:
    return tuple(sig) if isinstance(sig, (tuple, list)) else getattr(sig, "args", sig)


def compile_for(self: Any, sig: Any) -> Any:
    """Compile for a signature, and return the function."""
    made = _cuda_kernels.compile_signature(self, sig)
    args = _args(sig)
    if isinstance(args, tuple):
        kept = self.__dict__.setdefault("_swathe_compiled", {})
        kept[args] = Compiled(self, args)
    return made


def disable_compile(self: Any, val: bool = True) -> None:
    """Accept what Numba's do: a function whose signatures are given takes no others anyway.

    Raises
    ------
    UnsupportedError
        The function would compile for other types.
    """
    raise swathe.errors.UnsupportedError(
        f"{self.__name__}.disable_compile(): give the signatures to the decorator"
    )


def enable_caching(self: Any) -> None:
    """Do nothing: what is compiled is kept on disk anyway."""


class Metadata(dict):
    """Nothing: Numba's passes leave notes there."""

    def __missing__(self, key: Any) -> Any:
        raise NumbaNotImplementedError(
            f"get_metadata()[{key!r}] is what Numba's passes note: swathe tells "
            "with explain() what it did, and with SWATHE_TIME=2 how long each pass took"
        )


def get_metadata(self: Any, signature: Any = None) -> dict[str, Any]:
    """Return nothing: Numba's passes leave notes there."""
    return Metadata()


def get_compile_result(self: Any, sig: Any) -> Any:
    """Return what `overloads` has of a signature."""
    return self.overloads[_args(sig)]


class Stats(dict):
    """What `swathe` counts, and Numba's names: how many signatures came from the disk's cache and
    how many were compiled. Of which these were nothing is kept, so that all have the key None."""

    cache_path = None

    @property
    def cache_hits(self) -> collections.Counter[Any]:
        """How many came from the cache."""
        return collections.Counter({None: self["cache_hits"]} if self["cache_hits"] else {})

    @property
    def cache_misses(self) -> collections.Counter[Any]:
        """How many were compiled."""
        return collections.Counter({None: self["compiled"]} if self["compiled"] else {})


def _stats(self: Any) -> Stats:
    return Stats(_STATS.__get__(self))


_STATS: Any = _core.Dispatcher.__dict__["stats"]
_OVERLOADS: Any = _core.Dispatcher.__dict__["overloads"]
_SIGNATURES: Any = _core.Dispatcher.__dict__["signatures"]


def _signatures(self: Any) -> list[Any]:
    """What it has been compiled for: text, of which ``args`` and ``return_type`` are asked."""
    return [SignatureText(t) for t in _SIGNATURES.__get__(self)]


def give_methods() -> None:
    """Let all compiled functions have them."""
    of = _core.Dispatcher
    of.compile = compile_for
    of.overloads = property(_Overloads)
    of.stats = property(_stats)
    of.signatures = of.nopython_signatures = property(_signatures)
    for f in (disable_compile, enable_caching, get_metadata, get_compile_result):
        setattr(of, f.__name__, f)
