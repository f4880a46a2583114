# SPDX-License-Identifier: BSD-3-Clause
"""What objects of generators do, in compiled code (core/ast/resume.c). `_gi_resume` goes on to the
next yield and says whether there was one; then `_gi_value` is what it yields. `_gi_state` is 0
before it begins, the number of a yield where it waits, and -1 while it runs and afterwards."""

from __future__ import annotations

from collections import deque
from typing import Any


def iter_(self):
    return self


def next_0(self):
    if self._gi_resume():
        return self._gi_value
    raise StopIteration


def next_1(self):  # somebody may ask what is sent
    self._gi_sent = None
    return next_0(self)


def next_2(self):
    if self._gi_resume():
        return self._gi_value
    result = self._gi_result
    if result is None:
        raise StopIteration
    raise StopIteration(result)


def next_3(self):
    self._gi_sent = None
    return next_2(self)


def next_or_0(self, default):
    if self._gi_resume():
        return self._gi_value
    return default


def next_or_1(self, default):
    self._gi_sent = None
    return next_or_0(self, default)


def _take(self, value):
    if self._gi_state != 0:
        self._gi_sent = value
    elif value is not None:
        raise TypeError("can't send non-None value to a just-started generator")


def _refuse(self, value):
    if self._gi_state == 0 and value is not None:
        raise TypeError("can't send non-None value to a just-started generator")


def send_0(self, value):
    _refuse(self, value)
    return next_0(self)


def send_1(self, value):
    _take(self, value)
    return next_0(self)


def send_2(self, value):
    _refuse(self, value)
    return next_2(self)


def send_3(self, value):
    _take(self, value)
    return next_2(self)


def close(self):
    if self._gi_state <= 0:
        self._gi_state = -1
        return
    self._gi_mode = 1
    try:
        more = self._gi_resume()
    except GeneratorExit:
        more = False
    if more:
        raise RuntimeError("generator ignored GeneratorExit")


def held(x):
    if isinstance(x, (dict, set, frozenset, deque)):
        return iter(list(x))
    return iter(x)


def _throw(self, mode):  # the number of an exception, which _gi_throw raises
    self._gi_mode = mode
    if self._gi_state <= 0:
        self._gi_state = -1
        self._gi_throw()


def throw_0(self, mode):
    _throw(self, mode)
    return next_0(self)


def throw_2(self, mode):
    _throw(self, mode)
    return next_2(self)


# By what a generator's own code does: nothing more, it uses what is sent, it returns a value, both.
WAYS: list[tuple[Any, ...]] = [
    (iter_,),
    (next_0, next_1, next_2, next_3),
    (next_or_0, next_or_1, next_or_0, next_or_1),
    (send_0, send_1, send_2, send_3),
    (close,),
    (throw_0, throw_0, throw_2, throw_2),
    (held,),
]
