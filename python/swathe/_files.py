# SPDX-License-Identifier: BSD-3-Clause
"""open(): text files in compiled code. Python opens, reads and writes them; what is read is there
from the moment on when a file is opened, and a line is a view of it. What is written has reached
the file when write() is back."""

from dataclasses import dataclass

from swathe import static_fail
from swathe._objects import asked
from swathe.lib.texts import _texts


@dataclass
class TextFile:
    """A text file: one that is read, up to a place in its text, whose lines end as Python reads
    them, with a newline; or one that is written, by the number that Python has for it."""

    name: str
    mode: str
    text: str
    at: int
    handle: int
    closed: bool

    def _open(self, reads):
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        if reads and self.handle != 0:
            raise OSError("not readable")
        if not reads and self.handle == 0:
            raise OSError("not writable")

    def __enter__(self):
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        return self

    def __exit__(self, kind, value, trace):
        self.close()
        return False

    def __iter__(self):
        self._open(True)
        while self.at < len(self.text):
            yield self._line()

    def _line(self):
        """The next line, of which there is one."""
        start = self.at
        end = self.text.find("\n", start) + 1
        self.at = end if end > 0 else len(self.text)
        return self.text[start : self.at]

    def read(self):
        """All that has not been read."""
        self._open(True)
        s = self.text[self.at :]
        self.at = len(self.text)
        return s

    def readline(self):
        """The next line; "" behind the last."""
        self._open(True)
        return self._line() if self.at < len(self.text) else ""

    def readlines(self):
        """The lines that have not been read."""
        self._open(True)
        rest = []
        while self.at < len(self.text):
            rest.append(self._line())
        return rest

    def write(self, s):
        """Write a text; how long it is."""
        self._open(False)
        if not isinstance(s, str):
            static_fail("a text file takes texts: f.write(str(x))")
        asked("file.write", self.handle, s)
        return len(s)

    def writelines(self, lines):
        """Write each of the texts."""
        for s in lines:
            self.write(s)

    def flush(self):
        """Nothing is kept back."""
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def close(self):
        """Let it go."""
        if self.handle != 0 and not self.closed:
            asked("file.close", self.handle)
        self.closed = True


def open(file, mode="r", buffering=-1, encoding=None, errors=None):
    """open() of a text file by its path."""
    if not isinstance(file, str):
        static_fail("open() of something else than a path that is a str")
    if not isinstance(mode, str):
        static_fail("the mode of open() is a str")
    if "b" in mode or "+" in mode:
        raise NotImplementedError(
            f"open() in mode {mode!r} in compiled code: open it in Python, and pass what it holds"
        )
    code = "" if encoding is None else encoding
    how = "" if errors is None else errors
    head = _texts(asked("file.open", file, mode, code, how))
    return TextFile(file, mode, head[1] if len(head) > 1 else "", 0, int(head[0]), False)
