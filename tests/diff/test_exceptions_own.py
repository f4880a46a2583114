# SPDX-License-Identifier: BSD-3-Clause
"""What exceptions say whose classes have an `__init__` or a `__str__` of their own."""

import pytest
from live_memory import live

import swathe


class BankError(Exception):
    pass


class Insufficient(BankError):
    def __init__(self, balance, amount):
        super().__init__(f"balance {balance} < {amount}")
        self.balance = balance
        self.amount = amount


class Frozen(BankError):
    def __init__(self, name, why=None):
        self.name = name
        if why is None:
            why = "frozen"
        super().__init__(name, why)


class Missing(KeyError):
    def __init__(self, k):
        super().__init__(k)
        self.k = k


class Located(Exception):
    """It stands somewhere."""

    def __init__(self, line, msg):
        self.line = line
        self.msg = msg

    def __str__(self):
        return f"{self.__class__.__name__}: {self.msg} at {self.line:>4}"


class Sub(Located):
    def __init__(self, line):
        super().__init__(line + 1, "sub %s" % line)


class Bare(Exception):
    def __init__(self, a, b):
        self.both = a


class Silent(Exception):
    def __init__(self, a=3):
        Exception.__init__(self)
        self.a = a


class Fixed(ValueError):
    def __str__(self):
        return "100%, (fixed"


class Kept(Exception):
    def __init__(self, code, msg=None):
        self.message = f"error {code}" if msg is None else f"{msg!r} ({code})"
        super().__init__(self.message)


def fail(k, x):
    if k == 0:
        raise Insufficient(x, x + 1)
    if k == 1:
        raise Frozen("bob")
    if k == 2:
        raise Missing("ab")
    if k == 3:
        raise Located(x, f"bad%,W {k}")
    if k == 4:
        raise Sub(line=x)
    if k == 5:
        raise Frozen(*("ann", "x%y"))
    if k == 6:
        raise Bare(x, "b")
    if k == 7:
        raise Silent
    if k == 8:
        raise Fixed(x)
    if k == 9:
        raise Kept(x)
    if k == 10:
        raise Kept(x, "it's")
    return k


def texts(x):
    out = []
    for k in range(12):
        try:
            fail(k, x)
        except BankError as e:
            out.append("bank " + str(e))
        except (Missing, Located, Fixed) as e:
            out.append(f"{type(e).__name__} {e}")
        except Exception as e:
            out.append(str(e) + ".")
        else:
            out.append("fine")
    return out


def attributes(x):
    try:
        fail(0, x)
    except Insufficient as e:
        return str(e), e.balance, e.amount
    return "", x, x


def inherited(x):
    try:
        fail(4, x)
    except Sub as e:
        return f"<{e}>"
    return ""


def again(x):
    try:
        try:
            fail(0, x)
        except Insufficient as e:
            raise e
    except BankError as g:
        return str(g)
    return ""


def shown_and_left(k, x):
    try:
        fail(k, x)
    except (Insufficient, Located, Missing, Kept) as e:
        print(e)
        raise


def wrapped(x):
    try:
        fail(3, x)
    except Located as e:
        raise ValueError(f"wrapped: {e}") from e


class Coded(Exception):
    def __init__(self, code, msg="none"):
        self.code = code
        super().__init__(f"[{code}] {msg}")


class Twice(Coded):
    def __init__(self, x):
        super().__init__(x * 2, msg="two")


class Third(Coded):
    def __init__(self, x):
        super().__init__(x, "three")
        self.x = x


def steps(n):
    for i in range(n):
        if i == 3:
            raise Third(i)
        yield i


def of_generators(x):
    out = []
    g = steps(x)
    try:
        while True:
            out.append(next(g))
    except Coded as e:
        out += [e.code, len(str(e))]
    except StopIteration:
        out.append(-1)
    try:
        for v in steps(x):
            out.append(v)
    except Coded as e:
        out.append(len(f"{e}"))
    return out


def nested(x):
    def inner(k):
        def deep(j):
            if j == 1:
                raise Third(j)
            if j > x:
                raise Twice(j * 0.5)
            return j

        return deep(k)

    out = []
    for k in range(x + 2):
        try:
            try:
                out.append(str(inner(k)))
            finally:
                out.append("fin")
        except Third as e:
            out.append(str(e))
            try:
                fail(0, k)
            except BankError as f:
                out.append(str(f) + str(e))
        except Coded as e:
            out.append(str(e))
    return out


ALL = [texts, attributes, inherited, again, of_generators, nested]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_text(f):
    before = live()
    g = swathe.njit(f)
    assert g(7) == f(7)
    assert g(12) == f(12)
    del g
    assert live() == before


@pytest.mark.parametrize("k", [0, 2, 3, 9, 10, 11])
def test_left(k, capfd):
    results = []
    for f in (shown_and_left, swathe.njit(shown_and_left)):
        try:
            results.append([f(k, 5)])
        except Exception as e:
            results.append([type(e), e.args, vars(e).keys() - {"__notes__"}, str(e).split("\n")[0]])
        results[-1].append(capfd.readouterr().out)
    assert results[0] == results[1]


def test_wrapped():
    with pytest.raises(ValueError, match="wrapped: Located: bad%,W 3 at    8"):
        swathe.njit(wrapped)(8)


def as_repr(x):
    try:
        fail(0, x)
    except Insufficient as e:
        return repr(e)
    return ""


LIMIT = 3


class Outside(Exception):
    def __init__(self, k):
        super().__init__(f"{k} > {LIMIT}")


def of_a_global(x):
    try:
        raise Outside(x)
    except Outside as e:
        return str(e)


@pytest.mark.parametrize("f", [as_repr, of_a_global], ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(swathe.errors.UnsupportedError, match="of its own, as a value"):
        swathe.njit(f)(3)
