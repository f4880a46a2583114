# SPDX-License-Identifier: BSD-3-Clause
"""Members of enums that a program asks for by value or by name."""

from enum import Enum, IntEnum

import pytest

from swathe import njit


class State(Enum):
    IDLE = 1
    RUN = 2
    DONE = 3
    OLD = 1


class Light(Enum):
    RED = "red"
    GREEN = "green"

    def after(self):
        return Light.GREEN if self is Light.RED else Light.RED


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Lenient(Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        return cls.A


def by_value(n):
    return State(n)


def by_name(name):
    return State[name]


def lights(text):
    return Light(text), Light[text.upper()].after(), Light(text).value, [m.value for m in Light]


def known():
    return State["OLD"], State["DONE"], Light("green"), Level(10) + Level["LOW"], State(3).name


def counted(codes, by_code):
    n = {s: 0 for s in State}
    for c in codes:
        n[State(by_code[c])] += 1
    return n


def caught(n):
    try:
        return State(n)
    except ValueError:
        return State.IDLE


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e), str(e).split("\n")[0]


CALLS = [
    *((by_value, n) for n in (1, 3, 9, -1, 2.0, 2.5, True, State.RUN)),
    *((by_name, name) for name in ("RUN", "OLD", "NOPE", "")),
    *((lights, text) for text in ("red", "green", "blue")),
    (known,),
    (counted, "abca", {"a": 1, "b": 2, "c": 3}),
    (counted, "ad", {"a": 1, "d": 4}),
    (caught, 2),
    (caught, 5),
]


def test_members_by_value_and_name():
    compiled = {}
    for f, *args in CALLS:
        g = compiled.setdefault(f, njit(f))
        want, is_ = outcome(f, *args), outcome(g, *args)
        assert is_ == want, (f.__name__, args)
        assert not isinstance(want, Enum) or is_ is want


def test_what_only_python_knows_is_refused():
    with pytest.raises(NotImplementedError, match="'Lenient' is class Lenient"):
        njit(lambda n: Lenient(n))(1)
