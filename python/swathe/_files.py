# SPDX-License-Identifier: BSD-3-Clause
"""open(): text files in compiled code. Python opens, reads and writes them; what is read is there,
line by line, from the moment on when a file is opened, and what is written has reached the file
when write() is back."""

from dataclasses import dataclass

from swathe import static_fail
from swathe._objects import asked
from swathe._re import _texts


@dataclass
class TextFile:
    """A text file: its lines are read; or it is written, by the number that Python has for it."""

    name: str
    mode: str
    lines: list[str]
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
        while self.at < len(self.lines):
            self.at += 1
            yield self.lines[self.at - 1]

    def read(self):
        """All that has not been read."""
        self._open(True)
        s = "".join(self.lines[self.at :])
        self.at = len(self.lines)
        return s

    def readline(self):
        """The next line; "" behind the last."""
        self._open(True)
        if self.at == len(self.lines):
            return ""
        self.at += 1
        return self.lines[self.at - 1]

    def readlines(self):
        """The lines that have not been read."""
        self._open(True)
        rest = self.lines[self.at :]
        self.at = len(self.lines)
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
    return TextFile(file, mode, head[1:], 0, int(head[0]), False)
