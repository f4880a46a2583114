# SPDX-License-Identifier: BSD-3-Clause
"""What swathe raises when it can't compile a function.

Every one is an `Error`; most are also the builtin class that says the same of ordinary Python
code, so ``except TypeError`` catches a `TypingError`. Errors while compiled code *runs* are plain
builtin exceptions (IndexError, ZeroDivisionError, ...), as they would be in Python.
"""

from __future__ import annotations


class Error(Exception):
    """Everything that swathe itself raises."""


class CompileError(Error):
    """The function can't be compiled; the message shows where and why."""


class TypingError(CompileError, TypeError):
    """Types don't go together: a variable that changes its type, a wrong argument."""


class UnsupportedError(CompileError, NotImplementedError, TypeError):
    """Valid Python that swathe does not compile."""


class ReturnsFunctionError(UnsupportedError):
    """A function returns functions where nothing in Python can stand for them."""


class CompileNameError(CompileError, NameError):
    """A name that is not defined."""


class CompileUnboundLocalError(CompileError, UnboundLocalError):
    """A local name that is used before it has a value."""


class CompileAttributeError(CompileError, AttributeError):
    """A module or value without such an attribute."""


class CompileIndexError(CompileError, IndexError):
    """An index that is out of range whatever the arguments."""


class CompileValueError(CompileError, ValueError):
    """A value that can't be right, such as a write to a read-only array."""


class CompileTypeError(CompileError, TypeError):
    """A wrong type, where Python would say TypeError too."""


class CompileZeroDivisionError(CompileError, ZeroDivisionError):
    """A division by a constant zero."""


class CompileOverflowError(CompileError, OverflowError):
    """A constant that does not fit."""


class CompileSyntaxError(CompileError, SyntaxError):
    """Text that is no valid Python."""


class StaticError(CompileError, AssertionError):
    """A static assertion that fails."""


class ArgumentError(Error):
    """An argument that the function can't be called with; nothing has run."""


class ArgumentTypeError(ArgumentError, TypeError):
    """Of a type that it does not take: a wrong dtype or rank, no array or number."""


class ArgumentValueError(ArgumentError, ValueError):
    """Of a form that it does not take: in the byte order of other machines, not aligned."""


class LaunchError(Error, ValueError):
    """A grid that no device takes: no block, too many threads, something that is no size."""


class DeviceError(Error, RuntimeError):
    """A device's driver refuses something, or fails."""


class NoDeviceError(DeviceError):
    """There is no such device; the message lists those that there are."""


class DeviceLostError(DeviceError):
    """A device has stopped working: nothing that is on it can be reached any more."""

    told = False  # whether there was one

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        DeviceLostError.told = True


class DeviceMemoryError(DeviceError, MemoryError):
    """A device has no memory left, or never had as much."""


class DeviceBuildError(DeviceError, CompileError):
    """A device's own compiler refuses a kernel; the message has its log."""


class LibraryError(DeviceError):
    """A call of a vendor's library has failed.

    Attributes
    ----------
    library, function, status : str
        Whose it is, what was called, and the library's own name of what went wrong.
    """

    def __init__(self, message: str, library: str = "", function: str = "", status: str = ""):
        super().__init__(message)
        self.library, self.function, self.status = library, function, status


class NoLibraryError(LibraryError):
    """A vendor's library that is needed isn't there; the message says how to get it."""


class QueueError(DeviceError, ValueError):
    """Something of one device is given to another, or what has been freed is used."""


class FreedMemoryError(QueueError):
    """An array whose memory has been given back."""


class NotOnDeviceError(QueueError, TypeError):
    """An array of the host, or no array at all, where one of a device is needed."""


class ExecutionPlacementError(QueueError):
    """Arrays of two queues meet in one computation: which of them it runs on isn't said."""


class LinkError(Error, RuntimeError):
    """A function of another language is not defined in what is linked, or can't be."""


class RaceError(CompileError):
    """Iterations of a parallel loop, or threads of a kernel, touch the same memory in any order.

    A loop is shown to be so when it is compiled, or under debug=True when it runs; a kernel under
    debug=True.
    """


class UninitializedError(Error, RuntimeError):
    """Under debug=True, a thread of a kernel reads shared or local memory that nobody wrote."""


class BarrierError(Error, RuntimeError):
    """Under debug=True, threads of a kernel wait for others that never come."""


class InternalError(Error, RuntimeError):
    """A bug in swathe. Please report it with the source shown."""


class ConversionWarning(UserWarning):
    """Lists or dicts that are arguments take a call more than a millisecond to convert."""
