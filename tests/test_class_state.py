# SPDX-License-Identifier: BSD-3-Clause
"""Values, lists, dicts and sets of a class that its methods ask their first argument for."""

import pytest
from live_memory import live

from swathe import njit


class Lexer:
    KEYWORDS = {"if", "else"}
    ORDER = {"+": 1, "*": 2}

    def __init__(self, text):
        self.text = text

    def is_keyword(self):
        return self.text in self.KEYWORDS

    def learn(self, word):
        self.KEYWORDS.add(word)
        self.ORDER[word] = len(self.ORDER)
        return self.text in self.KEYWORDS

    @property
    def most(self):
        return max(self.ORDER.values())

    @classmethod
    def known(cls):
        return sorted(cls.KEYWORDS), type(cls("x")).__name__


class Deep(Lexer):
    def is_keyword(self):
        return super().is_keyword() or self.text in self.ORDER


class Counted:
    count = 0
    names = []
    by_name = {}

    def __init__(self, name):
        type(self).count += 1
        self.id = self.count
        self.names.append(name)

    @classmethod
    def make(cls, name):
        if name in cls.by_name:
            raise KeyError(name)
        cls.by_name[name] = cls.count
        return cls(name)

    @classmethod
    def reset(cls):
        n, cls.count = cls.count, 0
        cls.names.clear()
        return n


class Base:
    TABLE = {1: 2}
    made = 0

    def __init__(self):
        self.x = 1

    def get(self):
        return self.TABLE[self.x]


class Other(Base):
    TABLE = {1: 3}

    def count(self):
        return 1


class Alone:
    made = 0

    def __init__(self):
        self.x = 1

    @classmethod
    def again(cls):
        cls.made += 1
        return cls()


class Below(Alone):
    pass


class Config:
    SIZE = 2
    TABLE = {1: 2}

    def __init__(self):
        self.x = 1

    def get(self):
        return self.SIZE + self.TABLE[self.x]


def lexed(lexer, word):
    made = Deep("*")
    a = lexer.is_keyword(), lexer.most, Lexer.known(), made.is_keyword()
    return a, lexer.learn(word), made.most, Lexer.known(), Deep(word).is_keyword()


def counted(n):
    made = [Counted("n" + str(i)) for i in range(n)]
    last = Counted.make("last")
    a = [c.id for c in made], last.id, Counted.count, list(Counted.names)
    return a, Counted.reset(), Counted("z").id, Counted.names, Counted.by_name


@pytest.fixture(autouse=True)
def _as_before():
    yield
    Lexer.KEYWORDS, Lexer.ORDER = {"if", "else"}, {"+": 1, "*": 2}
    Counted.count, Counted.names, Counted.by_name = 0, [], {}


def state():
    return Counted.count, list(Counted.names), dict(Counted.by_name), sorted(Lexer.KEYWORDS)


def test_methods_have_what_their_class_has():
    g = njit(lexed)
    for text, word in ("if", "q"), ("q", "q"), ("zz", "if"):
        want = lexed(Lexer(text), word), state(), dict(Lexer.ORDER)
        Lexer.KEYWORDS, Lexer.ORDER = {"if", "else"}, {"+": 1, "*": 2}
        assert (g(Lexer(text), word), state(), dict(Lexer.ORDER)) == want
        Lexer.KEYWORDS, Lexer.ORDER = {"if", "else"}, {"+": 1, "*": 2}


def test_classes_count_and_register():
    want = counted(3), state()
    Counted.count, Counted.names, Counted.by_name = 0, [], {}
    g = njit(counted)
    assert (g(3), state()) == want
    before = live()
    for f in (counted, g):
        with pytest.raises(KeyError, match="last"):
            f(1)
    Counted.by_name = {}
    g(2)
    assert live() == before


@pytest.mark.parametrize(
    "f",
    [lambda n: Base().get() + Other().get(), lambda n: Alone.again().x + Alone.made],
    ids=["override", "derived"],
)
def test_what_classes_have_in_different_places_is_refused(f):
    with pytest.raises((NotImplementedError, AttributeError)):
        njit(f)(1)


def test_a_value_of_its_own_is_refused():
    g = njit(lambda c: c.get())
    assert g(Config()) == 4
    for name, v in ("SIZE", 5), ("TABLE", {1: 7}):
        c = Config()
        setattr(c, name, v)
        with pytest.raises(TypeError, match=f"this Config has a '{name}' of its own"):
            g(c)
    assert g(Config()) == 4
