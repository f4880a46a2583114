# SPDX-License-Identifier: BSD-3-Clause
"""A place in which Python has an object of compiled code that has no form in Python."""

from __future__ import annotations

from ._classes import jitclass


@jitclass
class Nothing:
    n: int

    def __init__(self):
        self.n = 0


@jitclass
class Slot:
    mark: int  # what is here: see core/lower/kept.c
    at: Nothing  # or, in truth, that object

    def __init__(self):
        self.mark = 0
        self.at = Nothing()
