# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions and warnings that programs catch, by Numba's names.

What `swathe` raises is raised as itself; these are its classes. Nothing warns."""

from __future__ import annotations

from swathe.errors import CompileError, Error, InternalError, UnsupportedError

NumbaError = Error
# All that Numba's inference says, an attribute that is not there among it.
TypingError = CompileError
NumbaTypeError = NumbaValueError = NumbaAttributeError = NumbaIndexError = CompileError
NumbaRuntimeError = ConstantInferenceError = NumbaKeyError = CompileError
NumbaAssertionError = UntypedAttributeError = RequireLiteralValue = CompileError
LoweringError = UnsupportedParforsError = UnsupportedBytecodeError = UnsupportedRewriteError = (
    UnsupportedError
)
ForceLiteralArg = RedefinedError = VerificationError = DeprecationError = CompileError
LiteralTypingError = NotDefinedError = ByteCodeSupportError = ForbiddenConstruct = CompileError
CompilerError = IRError = InternalTargetMismatchError = NonexistentTargetError = InternalError


class NumbaNotImplementedError(CompileError):
    """A name of Numba's that isn't here.

    It is no `NotImplementedError`, which programs catch to do without something.
    """


class NumbaWarning(Warning):
    """Numba's warnings, none of which is given here."""


class NumbaPerformanceWarning(NumbaWarning):
    """Code that may be slow."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """What will leave Numba."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """What may leave Numba."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """Parallel code that may not be safe."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """A conversion that may lose something."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """What may change."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """A setting that isn't valid."""


class NumbaSystemWarning(NumbaWarning):
    """The machine lacks something."""


class NumbaPedanticWarning(NumbaWarning):
    """What might be better."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """What Numba's passes assume."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Something of the debugger's."""
