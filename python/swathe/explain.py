# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler did to a function, shown over its source.

Passes leave remarks (`Dispatcher._remarks`, fields as in ``core/rt/rt.h``). Here they are put at
the lines that they are about: as text, or as a page of HTML that needs nothing else: no script,
no file, no network.
"""

from __future__ import annotations

import html as _html
import linecache
import os
import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from . import _core

__all__ = ["Explanation", "explain", "parallel_diagnostics"]

_HERE = os.path.dirname(__file__)
_LIB = os.path.join(_HERE, "lib")


@cache
def _kinds() -> dict[tuple[str, str], tuple[str, str, int]]:
    """What the compiler may say: its kind, what the margin shows, and the level that shows it."""
    return {(pass_, what): rest for pass_, what, *rest in _core.remark_kinds()}  # type: ignore[misc]


def _kind(pass_: str, what: str) -> tuple[str, str, int]:
    """The kind of a remark; what every pass may say is shown with the pass's own."""
    if (pass_, what) in _kinds():
        return _kinds()[pass_, what]
    kind, text, level = _kinds()["", what]
    return kind, text, min([k[2] for (p, _), k in _kinds().items() if p == pass_] or [level])


@dataclass(frozen=True)
class Remark:
    """One fact: which pass did what, where, and why."""

    file: str
    func: str
    first: int
    lines: int
    line: int
    col: int
    end_col: int
    pass_: str
    what: str
    why: str
    also: tuple[tuple[int, int, int], ...] = ()

    @property
    def mark(self) -> tuple[str, str]:
        """Its kind (good, bad or note) and what the margin shows."""
        kind, text, _ = _kind(self.pass_, self.what)
        return kind, text.replace("{}", _number(self.why))


@dataclass
class Function:
    """The remarks on one function of the program, and where its source is."""

    file: str
    name: str
    first: int
    lines: int
    remarks: list[Remark] = field(default_factory=list)

    def source(self) -> list[tuple[int, str]]:
        """Numbered lines, without the indent that all have; none when there is no source."""
        linecache.checkcache(self.file)
        text = linecache.getlines(self.file)[self.first - 1 : self.first - 1 + self.lines]
        plain = textwrap.dedent("".join(text)).splitlines()
        return list(enumerate(plain, self.first))


@dataclass
class Compiled:
    """One specialisation."""

    signature: str
    how: str
    functions: list[Function]


def _number(why: str) -> str:
    return next((w for w in why.split() if w.isdigit()), "")


def _parse(text: str) -> list[Remark]:
    found: dict[Remark, None] = {}
    for line in text.splitlines():
        f = line.split("\t")
        numbers = [int(x) for x in f[2:7]]
        places = (tuple(int(x) for x in p.split(":")) for p in f[10:12] if p)
        r = Remark(f[0], f[1], *numbers, f[7], f[8], f[9], tuple(places))  # type: ignore[arg-type]
        found[r] = None
    return list(found)


def _functions(root: Any, remarks: Iterable[Remark], library: bool) -> list[Function]:
    code = root.__code__
    lines = _extent(root)
    out = {
        (code.co_filename, code.co_firstlineno): Function(
            code.co_filename, root.__qualname__, *lines
        )
    }
    for r in remarks:
        own = os.path.dirname(r.file) in (_LIB, _HERE) or r.file.startswith("<swathe ")
        if not r.file or (not library and own):
            continue
        key = r.file, r.first
        if key not in out:
            out[key] = Function(r.file, r.func, r.first, r.lines)
        if key == (code.co_filename, code.co_firstlineno):
            out[key].first, out[key].lines = r.first, r.lines
        out[key].remarks.append(r)
    return list(out.values())


def _extent(root: Any) -> tuple[int, int]:
    import inspect

    try:
        lines, first = inspect.getsourcelines(root)
    except (OSError, TypeError):
        return root.__code__.co_firstlineno, 0
    return first, len(lines)


def _compiled(f: Any, signature: Any, library: bool = False) -> list[Compiled]:
    out = []
    wanted = None if signature is None else str(signature).replace(" ", "")
    known = _everywhere(f)
    for where, sig, (cached, ms, text) in known:
        plain = sig.replace(" ", "")
        if wanted is not None and not plain.endswith(wanted):
            continue
        how = "from the cache" if cached else f"compiled in {ms:.1f} ms"
        out.append(Compiled(sig + where, how, _functions(f.py_func, _parse(text), library)))
    if wanted is not None and not out:
        names = ", ".join(dict.fromkeys(sig for _, sig, _ in known)) or "none"
        raise KeyError(f"no specialisation for {signature}; there are: {names}")
    return out


def _everywhere(f: Any) -> list[tuple[str, str, tuple[bool, float, str]]]:
    """The specialisations for the CPU, and those for devices, with the device's name."""
    driver = vars(f).get("_swathe_driver")  # of a generator that Python goes through
    f = driver.run if driver else f
    found = [("", sig, about) for sig, about in f._remarks().items()]
    offload = sys.modules.get("swathe._offload")
    for twin in offload.twins_of(f) if offload else ():
        where = f" on {twin.device.filter_string}"
        found += [(where, sig, about) for sig, about in twin.call._remarks().items()]
    return found


def _by_line(fn: Function) -> dict[int, list[Remark]]:
    """What is the same of several accesses on a line is said once."""
    lines: dict[int, dict[tuple[str, str, str], Remark]] = {}
    for r in fn.remarks:
        lines.setdefault(r.line, {}).setdefault((r.pass_, r.what, r.why), r)
    return {line: list(rs.values()) for line, rs in lines.items()}


def _marks(remarks: list[Remark]) -> list[tuple[str, str]]:
    """The margin of a line: each mark once, with how often where that is more."""
    count: dict[tuple[str, str], int] = {}
    for r in remarks:
        count[r.mark] = count.get(r.mark, 0) + 1
    several = {"check removed", "check hoisted", "check remains", "no temporary"}
    return [(k, f"{t} ({n})" if n > 1 and t in several else t) for (k, t), n in count.items()]


def _places(fn: Function, r: Remark) -> list[tuple[int, str, str]]:
    """The accesses that a failed proof is about: line, source, carets."""
    source = dict(fn.source())
    dedent = _dedent(fn)
    out = []
    for line, col, end in r.also:
        text = source.get(line, "")
        start = max(col - dedent, 0)
        stop = len(text) if end < 0 else max(end - dedent, start + 1)
        out.append((line, text, " " * start + "^" * (stop - start)))
    return out


def _dedent(fn: Function) -> int:
    raw = linecache.getline(fn.file, fn.first)
    return len(raw) - len(raw.lstrip())


_CONVERTED = re.compile(r"\b(list|dict|set|deque|Counter|defaultdict|OrderedDict)\[")
_CONVERSION = (
    "  lists, dicts and sets that are arguments are converted in a call, 5 to 100 ns an element, "
    "and those that change are written back; swathe.typed.List and Dict are passed as they are"
)

# ---- text ----------------------------------------------------------------------------------


def _text_function(fn: Function, everything: bool) -> Iterable[str]:
    lines = _by_line(fn)
    source = fn.source()
    margins = {n: ", ".join(t for _, t in _marks(rs)) for n, rs in lines.items()}
    wide = min(max((len(m) for m in margins.values()), default=0), 48)
    yield f'File "{fn.file}", line {fn.first}, in {fn.name}'
    for n, text in source:
        if everything or n in lines:
            yield f"  {margins.get(n, ''):>{wide}} {n:5} | {text}".rstrip()
    for n, rs in sorted(lines.items()):
        for r in rs:
            yield f"  {n}: [{r.pass_}] {r.what}: {r.why}"
            for line, text, caret in _places(fn, r):
                yield f"      {line:5} | {text}"
                yield f"      {'':5} | {caret}"


def _text(compiled: list[Compiled], everything: bool = True) -> str:
    out = []
    for c in compiled:
        out.append(f"{c.signature}  ({c.how})")
        if _CONVERTED.search(c.signature.partition(" -> ")[0]):
            out.append(_CONVERSION)
        for fn in c.functions:
            out.extend(_text_function(fn, everything))
        out.append("")
    return "\n".join(out)


# ---- HTML ----------------------------------------------------------------------------------

# The notebook's own theme counts for more than the system's: it says so on its body.
_LIGHT = (
    "--bg:#fff;--fg:#1f2328;--dim:#6b7280;--line:#d8dee4;--open:#f5f7f9;"
    "--good:#116329;--goodbg:#dafbe1;--bad:#9a3412;--badbg:#ffedd5;--note:#374151;--notebg:#e5e7eb"
)
_DARK = (
    "--bg:#16181d;--fg:#e6e6e6;--dim:#8b949e;--line:#30363d;--open:#1f232a;"
    "--good:#7ee2a0;--goodbg:#12351f;--bad:#ffb077;--badbg:#4a2711;--note:#c9d1d9;--notebg:#343a42"
)
_STYLE = f"""
.swathe-explain{{{_LIGHT};color-scheme:light dark;background:var(--bg);color:var(--fg);
 font:14px/1.5 system-ui,sans-serif;padding:1em;overflow-x:auto;text-align:left}}
@media (prefers-color-scheme:dark){{.swathe-explain{{{_DARK}}}}}
body[data-jp-theme-light="true"] .swathe-explain,body.vscode-light .swathe-explain{{{_LIGHT}}}
body[data-jp-theme-light="false"] .swathe-explain,body.vscode-dark .swathe-explain{{{_DARK}}}
.swathe-explain h2{{font-size:15px;margin:.2em 0;font-family:ui-monospace,monospace}}
.swathe-explain h3{{font-size:13px;font-weight:400;margin:.8em 0 .3em;color:var(--dim)}}
.swathe-explain .how{{color:var(--dim);font-weight:400}}
.swathe-explain .code{{border:1px solid var(--line);border-radius:6px;width:max-content;
 min-width:100%;box-sizing:border-box;padding:.4em 0}}
.swathe-explain .row,.swathe-explain summary{{display:flex;align-items:baseline;padding:0 .8em;
 font:13px/1.6 ui-monospace,SFMono-Regular,Menlo,monospace}}
.swathe-explain .row::before,.swathe-explain summary::before{{content:"";flex:0 0 1.2em;
 color:var(--dim)}}
.swathe-explain summary::before{{content:"▸"}}
.swathe-explain details[open]>summary::before{{content:"▾"}}
.swathe-explain summary{{cursor:pointer;list-style:none}}
.swathe-explain summary::-webkit-details-marker{{display:none}}
.swathe-explain summary:hover,.swathe-explain details[open]{{background:var(--open)}}
.swathe-explain summary:focus-visible{{outline:2px solid var(--good);outline-offset:-2px}}
.swathe-explain .margin{{flex:0 0 var(--margin);display:flex;gap:4px;justify-content:flex-end;
 flex-wrap:wrap;padding-right:.8em}}
.swathe-explain .no{{flex:0 0 4ch;text-align:right;color:var(--dim);padding-right:1.2em;
 user-select:none}}
.swathe-explain .src{{white-space:pre}}
.swathe-explain .mark{{border-radius:4px;padding:0 6px;font:11px/1.7 system-ui,sans-serif;
 white-space:nowrap;display:inline-block}}
.swathe-explain .good{{color:var(--good);background:var(--goodbg)}}
.swathe-explain .bad{{color:var(--bad);background:var(--badbg)}}
.swathe-explain .note{{color:var(--note);background:var(--notebg)}}
.swathe-explain ul{{margin:0;padding:.3em 0 .6em calc(var(--margin) + 10ch)}}
.swathe-explain li{{list-style:none;margin:.1em 0}}
.swathe-explain li b{{font-weight:600}}
.swathe-explain .pass{{color:var(--dim);font-size:12px}}
.swathe-explain pre{{margin:.2em 0 .2em 1em;font:12px/1.4 ui-monospace,monospace;color:var(--fg);
 background:none}}
"""


def _esc(s: object) -> str:
    return _html.escape(str(s), quote=True)


def _html_reason(fn: Function, r: Remark) -> str:
    kind = r.mark[0]
    accesses = "".join(
        f"<pre>{line:4}  {_esc(text)}\n{'':4}  {_esc(caret)}</pre>"
        for line, text, caret in _places(fn, r)
    )
    return (
        f'<li><span class="mark {kind}">{_esc(r.what)}</span> {_esc(r.why)} '
        f'<span class="pass">{_esc(r.pass_)}</span>{accesses}</li>'
    )


def _html_line(fn: Function, n: int, text: str, remarks: list[Remark]) -> str:
    marks = "".join(f'<span class="mark {k}">{_esc(t)}</span>' for k, t in _marks(remarks))
    row = (
        f'<span class="margin">{marks}</span><span class="no">{n}</span>'
        f'<span class="src">{_esc(text) or " "}</span>'
    )
    if not remarks:
        return f'<div class="row">{row}</div>'
    reasons = "".join(_html_reason(fn, r) for r in remarks)
    return f"<details><summary>{row}</summary><ul>{reasons}</ul></details>"


def _html_function(fn: Function) -> str:
    lines = _by_line(fn)
    # the widest margin: letters of the marks, and what is around each
    wide = max((sum(len(t) + 3 for _, t in _marks(rs)) for rs in lines.values()), default=0)
    rows = "".join(_html_line(fn, n, text, lines.get(n, [])) for n, text in fn.source())
    if not rows:
        rows = "".join(_html_line(fn, n, "", rs) for n, rs in sorted(lines.items()))
    return (
        f"<h3>{_esc(fn.name)} in {_esc(fn.file)}</h3>"
        f'<div class="code" style="--margin:{min(max(wide, 10), 40)}ch">{rows}</div>'
    )


def _fragment(compiled: list[Compiled]) -> str:
    parts = [f"<style>{_STYLE}</style>"]
    for c in compiled:
        name = _esc(c.functions[0].name)
        title = f'{name}: {_esc(c.signature)} <span class="how">{_esc(c.how)}</span>'
        parts.append(f"<h2>{title}</h2>")
        parts.extend(_html_function(fn) for fn in c.functions)
    if not compiled:
        parts.append("<p>Nothing is compiled yet: call the function first.</p>")
    return f'<div class="swathe-explain">{"".join(parts)}</div>'


def _page(compiled: list[Compiled], name: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_esc(name)} explained</title>"
        "<style>html{color-scheme:light dark}body{margin:0}"
        ".swathe-explain{min-height:100vh;box-sizing:border-box}</style></head><body>"
        f"{_fragment(compiled)}</body></html>\n"
    )


# ---- what users call -----------------------------------------------------------------------


class Explanation(str):
    """A text that notebooks show as HTML.

    Attributes
    ----------
    html : str
        The same as a page of its own.
    """

    html: str
    _shown: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self._shown


def explain(f: Any, signature: Any = None, *, format: str = "text", html: Any = None) -> str:
    """Show over the source of a compiled function what became of it.

    Parameters
    ----------
    f : Dispatcher
        A function that was called at least once.
    signature : str, optional
        One of ``f.signatures``; all of them when left out.
    format : {"text", "html"}
        What to return. The text shows itself as HTML in a notebook.
    html : path, optional
        Write the page there, too.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np, swathe
    >>> @swathe.njit
    ... def total(x):
    ...     s = 0.0
    ...     for i in range(len(x)):
    ...         s += x[i]
    ...     return s
    >>> total(np.ones(3))
    3.0
    >>> print(total.explain())  # doctest: +SKIP
    float64(float64[::1])  (compiled in 14.2 ms)
    File "total.py", line 4, in total
                        4 | @swathe.njit
    ...
      check removed     8 |         s += x[i]
      8: [bounds] check removed: x, axis 0: i is in range
    """
    if format not in ("text", "html"):
        raise ValueError(f"explain(): format is 'text' or 'html', not {format!r}")
    compiled = _compiled(f, signature)
    page = _page(compiled, f.__qualname__)
    if html is not None:
        with open(html, "w", encoding="utf-8") as out:
            out.write(page)
    if format == "html":
        return page
    text = Explanation(
        _text(compiled) if compiled else f"{f.__qualname__}: nothing is compiled yet\n"
    )
    text.html = page
    text._shown = _fragment(compiled)
    return text


def page_of(functions: list[Any], title: str) -> str:
    """Return one HTML page about several functions."""
    return _page([c for f in functions for c in _compiled(f, None)], title)


def parallel_diagnostics(f: Any, signature: Any = None, level: int = 1) -> None:
    """Print what became of the loops of a compiled function.

    Parameters
    ----------
    f : Dispatcher
        A function that was called at least once.
    signature : str, optional
        One of ``f.signatures``; all of them when left out.
    level : int, default 1
        1: loops that run in parallel, are fused or are not. 2: vectors, too. 3: and checks, over
        the whole source. 4: and the library functions that it calls.
    """
    if not isinstance(level, int) or not 1 <= level <= 4:
        raise ValueError(f"parallel_diagnostics(): level is 1, 2, 3 or 4, not {level!r}")
    compiled = _compiled(f, signature, library=level > 3)
    for c in compiled:
        for fn in c.functions:
            fn.remarks = [r for r in fn.remarks if _kind(r.pass_, r.what)[2] <= level]
    if not compiled:
        print(f"{f.__qualname__}: nothing is compiled yet")
    print(_text(compiled, everything=level > 2), end="")
