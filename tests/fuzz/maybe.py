# SPDX-License-Identifier: BSD-3-Clause
"""Random values that may be None, and what a `finally` says: for the random functions."""

from __future__ import annotations

from typing import Any

from .draw import Draws


class Maybe(Draws):
    """Statements in which a name is None on some paths; it is forgotten after them."""

    env: dict[str, Any]
    names: dict[str, Any]
    fixed: set[str]
    helpers: list[str]

    def maybe_set(self, m: str, x: str, condition: str) -> list[str]:
        """Lines after which m is None, or of x's type."""
        form = self.r.random()
        if form < 0.3:
            return [f"{m} = None", f"if {condition}:", f"    {m} = {x}"]
        if form < 0.45:
            return [f"{m} = {x} if {condition} else None"]
        if form < 0.6:
            clear = self.pick(f"        {m} = None", "        pass")
            return [
                f"{m} = None",
                f"for _ in range({self.pick('0', '1', '3')}):",
                f"    if {m} is None and {condition}:",
                f"        {m} = {x}",
                "    else:",
                clear,
            ]
        if form < 0.75:
            return [
                f"{m} = None",
                "try:",
                f"    if {condition}:",
                "        raise ValueError('none')",
                f"    {m} = {x}",
                f"except {self.pick('ValueError', 'Exception')}:",
                f"    {self.pick('pass', m + ' = None')}",
            ]
        f = self.fresh("h")
        test = self.pick("q", "not q", "q == 1")
        body = self.pick(
            f"    if {test}:\n        return None\n    return p",
            f"    if {test}:\n        return p",
            f"    return p if {test} else None",
        )
        helper = f"def {f}(p, q):\n{body}"
        exec(helper, self.names)
        self.helpers.append(helper)
        return [f"{m} = {f}({x}, bool({condition}))"]

    def maybe_use(self, m: str, x: str, number: bool) -> list[str]:
        v = self.fresh("v")
        forms = [
            [f"{v} = {x} if {m} is None else {m}"],
            [f"{v} = {m} if {m} is not None else {x}"],
            [f"{v} = {x}", f"if {m} is not None:", f"    {v} = {m}"],
            [f"if {m} is None:", f"    {m} = {x}", f"{v} = {m}"],
            [f"{v} = {x}", f"while {m} is not None:", f"    {v} = {m}", f"    {m} = None"],
        ]
        if number:  # with an array that is empty, NumPy makes one of objects
            forms += [
                [
                    f"{v} = {x}",
                    "try:",
                    f"    {v} = {m} + {x}",
                    "except TypeError:",
                    f"    {v} = {x}",
                ],
                [f"{v} = {m} or {x}"],
                [f"{v} = {x}", f"if {m}:", f"    {v} = {m}"],
                [f"{v} = ({m} is None, {m} == {x}, {x} != {m}, ({m}, 1) == ({x}, 1))"],
            ]
        return self.pick(*forms)
