# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module re: the matching is CPython's own, for which compiled code calls Python.
How many groups a pattern has must be known where the type of a result hangs on it: it is a literal
there, or `re.compile` of one (py/pattern_in.c), and the function is the one of that many groups."""

from dataclasses import dataclass

from swathe import static_fail
from swathe._objects import asked, text
from swathe.lib.texts import _texts

OF_GROUPS = ("match", "fullmatch", "search", "finditer", "findall")


def _str(s):
    if s is None:
        raise TypeError("expected string or bytes-like object, got 'NoneType'")
    if not isinstance(s, str):
        static_fail("re: patterns and texts are of type str in compiled code")
    return s


@dataclass
class Match:
    """One match."""

    string: str
    pattern: str
    flags: int
    spans: list[int]
    last: int

    def _index(self, which):
        if isinstance(which, str):
            names = _texts(asked("re.names", self.pattern, self.flags))
            for k in range(1, len(names)):
                if names[k] == which:
                    return k
            raise IndexError("no such group")
        k = int(which)
        if k < 0 or 2 * k >= len(self.spans):
            raise IndexError("no such group")
        return k

    def _one(self, which):
        k = self._index(which)
        if self.spans[2 * k] < 0:
            return None
        return self.string[self.spans[2 * k] : self.spans[2 * k + 1]]

    def group(self, *which):
        """A group, or several; the whole."""
        if len(which) == 0:
            return self.string[self.spans[0] : self.spans[1]]
        if len(which) == 1:
            return self._one(which[0])
        return self._several(which)

    def _several(self, which):
        if len(which) == 0:
            return ()
        return (self._one(which[0]), *self._several(which[1:]))

    def __getitem__(self, which):
        return self._one(which)

    def start(self, group=0):
        """Where it begins; -1: nowhere."""
        return self.spans[2 * self._index(group)]

    def end(self, group=0):
        """Where it ends; -1: nowhere."""
        return self.spans[2 * self._index(group) + 1]

    def span(self, group=0):
        """Where it begins and ends."""
        return (self.start(group), self.end(group))

    def groupdict(self, default=None):
        """The groups that have names."""
        names = _texts(asked("re.names", self.pattern, self.flags))
        found = {}
        for k in range(1, len(names)):
            if names[k] != "":
                v = self._one(k)
                found[names[k]] = default if v is None else v
        return found

    @property
    def lastindex(self):
        """The last group that has matched; None: there is none."""
        return self.last if self.last > 0 else None

    @property
    def lastgroup(self):
        """Its name; None: it has none."""
        if self.last == 0:
            return None
        name = _texts(asked("re.names", self.pattern, self.flags))[self.last]
        return name if name != "" else None


@dataclass
class Match0(Match):
    """Of a pattern without groups."""

    def groups(self):
        """No groups."""
        return ()


@dataclass
class Match1(Match):
    """Of a pattern with 1 groups."""

    def groups(self):
        """All groups."""
        return (self._one(1),)


@dataclass
class Match2(Match):
    """Of a pattern with 2 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2))


@dataclass
class Match3(Match):
    """Of a pattern with 3 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3))


@dataclass
class Match4(Match):
    """Of a pattern with 4 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3, 4))


@dataclass
class Match5(Match):
    """Of a pattern with 5 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3, 4, 5))


@dataclass
class Match6(Match):
    """Of a pattern with 6 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3, 4, 5, 6))


@dataclass
class Match7(Match):
    """Of a pattern with 7 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3, 4, 5, 6, 7))


@dataclass
class Match8(Match):
    """Of a pattern with 8 groups."""

    def groups(self):
        """All groups."""
        return self._several((1, 2, 3, 4, 5, 6, 7, 8))


def _spans(r, first, n):
    return [int(r[k]) - 1 for k in range(first, first + n)]


def _made(k, string, pattern, flags, spans, last):
    if k == 0:
        return Match0(string, pattern, flags, spans, last)
    if k == 1:
        return Match1(string, pattern, flags, spans, last)
    if k == 2:
        return Match2(string, pattern, flags, spans, last)
    if k == 3:
        return Match3(string, pattern, flags, spans, last)
    if k == 4:
        return Match4(string, pattern, flags, spans, last)
    if k == 5:
        return Match5(string, pattern, flags, spans, last)
    if k == 6:
        return Match6(string, pattern, flags, spans, last)
    if k == 7:
        return Match7(string, pattern, flags, spans, last)
    if k == 8:
        return Match8(string, pattern, flags, spans, last)
    return Match(string, pattern, flags, spans, last)


def _first(how, k, pattern, string, flags):
    r = asked(how, _str(pattern), _str(string), flags)
    if len(r) == 0:
        return None
    n = len(r) - 1
    return _made(k, string, pattern, flags, _spans(r, 0, n), int(r[n]))


def match_of(k, pattern, string, flags=0):
    """re.match with a pattern of k groups; -1: who knows."""
    return _first("re.match", k, pattern, string, int(flags))


def fullmatch_of(k, pattern, string, flags=0):
    """re.fullmatch with a pattern of k groups."""
    return _first("re.fullmatch", k, pattern, string, int(flags))


def search_of(k, pattern, string, flags=0):
    """re.search with a pattern of k groups."""
    return _first("re.search", k, pattern, string, int(flags))


def finditer_of(k, pattern, string, flags=0):
    """re.finditer with a pattern of k groups; all matches are found at once."""
    r = asked("re.finditer", _str(pattern), _str(string), int(flags))
    n = 2 * (k + 1) if k >= 0 else max(2 * int(asked("re.names", pattern, int(flags))[0]), 1)
    for at in range(0, len(r), n + 1):
        yield _made(k, string, pattern, int(flags), _spans(r, at, n), int(r[at + n]))


def findall_of(k, pattern, string, flags=0):
    """re.findall with a pattern of k groups."""
    found = _texts(asked("re.findall", _str(pattern), _str(string), int(flags), k))
    if k < 2:
        return found
    return [_row(found, at, k) for at in range(0, len(found), k)]


def _row(found, at, k):
    if k == 0:
        return ()
    return (found[at], *_row(found, at + 1, k - 1))


def match(pattern, string, flags=0):
    """re.match"""
    return match_of(-1, pattern, string, flags)


def fullmatch(pattern, string, flags=0):
    """re.fullmatch"""
    return fullmatch_of(-1, pattern, string, flags)


def search(pattern, string, flags=0):
    """re.search"""
    return search_of(-1, pattern, string, flags)


def finditer(pattern, string, flags=0):
    """re.finditer"""
    return finditer_of(-1, pattern, string, flags)


def findall(pattern, string, flags=0):
    """re.findall"""
    return findall_of(-1, pattern, string, flags)


def split(pattern, string, maxsplit=0, flags=0):
    """re.split"""
    return _texts(asked("re.split", _str(pattern), _str(string), int(maxsplit), int(flags)))


def _sub_by(pattern, repl, string, count, flags):
    """What a function has for each match in its place, and for how many."""
    r = asked("re.finditer", _str(pattern), _str(string), int(flags))
    step = 2 * int(asked("re.names", pattern, int(flags))[0])
    parts = []
    at = 0
    n = 0
    for k in range(0, len(r), step + 1):
        if count != 0 and n >= count:
            break
        m = Match(string, pattern, int(flags), _spans(r, k, step), int(r[k + step]))
        parts.append(string[at : m.spans[0]])
        by = repl(m)
        if by is None:
            parts.append("")
        elif not isinstance(by, str):
            static_fail("re.sub(): what the function yields must be a str", True)
        else:
            parts.append(by)
        at = m.spans[1]
        n += 1
    parts.append(string[at:])
    return ("".join(parts), n)


def sub(pattern, repl, string, count=0, flags=0):
    """re.sub with a text, or with a function."""
    if not isinstance(repl, str):
        return _sub_by(pattern, repl, string, int(count), flags)[0]
    return text(asked("re.sub", _str(pattern), repl, _str(string), int(count), int(flags)))


def subn(pattern, repl, string, count=0, flags=0):
    """re.subn with a text, or with a function."""
    if not isinstance(repl, str):
        return _sub_by(pattern, repl, string, int(count), flags)
    r = _texts(asked("re.subn", _str(pattern), repl, _str(string), int(count), int(flags)))
    return (r[0], int(r[1]))


def escape(pattern):
    """re.escape"""
    return text(asked("re.escape", _str(pattern)))


def compile(pattern, flags=0):  # noqa: A001 - the compiler makes the object where it can
    static_fail(
        "re.compile() in a function takes a literal, and its object a name that is assigned once "
        "and read behind that: make it outside of the function"
    )
