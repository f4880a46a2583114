# SPDX-License-Identifier: BSD-3-Clause
"""Compiled code as text, without running it; and callables from such text."""

import re as _re
from collections.abc import Sequence
from typing import Any

from . import _core
from .schedule import Schedule

_STAGES = {"types": 0, "lower": 1, "ir": 2, "llvm.raw": 3, "llvm": 4, "asm": 5}
_HEADER = _re.compile(r"# swathe (lower|ir): (.*)")
_ENTRY = _re.compile(r"^func ([^(]+)\((.*)\)[^\n]*? entry\b", _re.MULTILINE)


def print_compiled(
    func: Any, args: Sequence[Any], opts: Schedule | None = None, stage: str = "ir"
) -> str:
    """Return the code that a call would run, as text; nothing is run.

    Parameters
    ----------
    func : function
        Compiled or not.
    args : sequence
        The arguments of the call; only their types matter.
    opts : Schedule, optional
        As at a call.
    stage : {"ir", "llvm", "asm", "types", "lower", "llvm.raw"}
        Which text. What ``"ir"`` and ``"lower"`` give, `compile_string` takes back.

    Examples
    --------
    >>> import swathe
    >>> @swathe.njit
    ... def double(x):
    ...     return 2 * x
    >>> text = swathe.print_compiled(double, [1.0])
    >>> print(text.splitlines()[0])
    # swathe ir: float(float)
    >>> swathe.compile_string(text)(21.0)
    42.0
    """
    if stage not in _STAGES:
        raise ValueError(f"print_compiled(): stage is one of {', '.join(_STAGES)}, not {stage!r}")
    if not isinstance(func, _core.Dispatcher):
        from . import jit

        func = jit(func)
    return _core.compiled_text(func, tuple(args), opts, _STAGES[stage])


def compile_string(text: str, name: str | None = None) -> Any:
    """Compile IR text, as `print_compiled` gives it, perhaps edited.

    The first line says what the function takes and returns. The text is checked for its form, its
    types and its indices' number; that indices are in range is what `check` statements in it are
    for, and whoever edits them out answers for it.

    Parameters
    ----------
    text : str
    name : str, optional
        The callable's name; the function's own otherwise.

    Returns
    -------
    Dispatcher
        Takes the arguments that its first line names, and no others.

    Raises
    ------
    ValueError
        For text that is not right, with the line.
    """
    if not isinstance(text, str):
        raise TypeError(f"compile_string() takes a str, not {type(text).__name__}")
    head = _HEADER.match(text)
    if not head:
        raise ValueError(
            "line 1: expected '# swathe ir: result(arguments)', as print_compiled(f, args, "
            "stage='ir') writes it"
        )
    entry = _ENTRY.search(text)
    if not entry:
        raise ValueError("the IR text is not right: no function in it is marked entry")
    stub = _stub(name or entry[1].split(".")[0], entry[2], head[2].rstrip())
    return _core.from_ir(stub, head[2].rstrip(), text, head[1] == "ir")


def _stub(name: str, params: str, signature: str) -> Any:
    """Return a function with the parameters' names, for keywords and messages."""
    types = _split(signature[_open(signature) + 1 : -1])
    names = [p.split(":")[0].strip() for p in _split(params)]
    if len(names) != len(types) or len(set(names)) != len(names):
        names = [f"arg{i}" for i in range(len(types))]
    names = [n if n.isidentifier() else f"arg{i}" for i, n in enumerate(names)]
    space: dict[str, Any] = {}
    name = name if name.isidentifier() else "compiled"
    exec(f"def {name}({', '.join(names)}): raise NotImplementedError('made from IR')", space)  # noqa: S102
    return space[name]


def _open(signature: str) -> int:
    """Return where the parameters' parenthesis opens."""
    depth = 0
    for i in range(len(signature) - 1, -1, -1):
        depth += (signature[i] == ")") - (signature[i] == "(")
        if depth == 0:
            return i
    raise ValueError(f"line 1: '{signature}' is not of the form result(arguments)")


def _split(text: str) -> list[str]:
    """Split at the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p for p in [*parts, text[start:]] if p.strip()]
