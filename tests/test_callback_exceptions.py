# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of Python functions that compiled code calls."""

from __future__ import annotations

import pytest
from live_memory import live

import swathe
from swathe.compat import parpy
from swathe.compat.parpy.types import I64


class Own(KeyError):
    pass


def test_exceptions_of_callbacks() -> None:
    """They are caught by class, have a text, refer to each other, and leave as themselves."""
    kinds = [
        ValueError("a"),
        Own(1, "x"),
        KeyboardInterrupt(),
        OverflowError("o"),
        ZeroDivisionError(),
    ]

    @parpy.callback
    def raising(i: I64) -> I64:
        if i < 5:
            raise kinds[i]
        return i

    @swathe.njit
    def f(n):
        try:
            return raising(n)
        except LookupError:
            raise
        except OverflowError as e:
            raise TypeError(f"<{e}>") from e
        except ArithmeticError:
            return -1
        finally:
            n += 1

    assert f(7) == 7
    assert f(4) == -1
    for n in range(3):
        with pytest.raises(type(kinds[n])) as e:
            f(n)
        assert e.value is kinds[n]
    with pytest.raises(TypeError) as t:
        f(3)
    assert str(t.value).startswith("<o>\n")
    assert t.value.__cause__ is kinds[3] and t.value.__context__ is kinds[3]

    @swathe.njit
    def many(n):
        k = 0
        for _ in range(n):
            try:
                k += raising(0)
            except ValueError:
                k += 1
        return k

    assert many(5000) == 5000
    assert live()["faults"] == 0
