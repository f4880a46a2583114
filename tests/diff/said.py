"""What a program yields or raises, prints, and leaves of its arguments, as text."""

from __future__ import annotations

import contextlib
import copy
import io
import re

PLACE = re.compile(r'\n  File "[^\n]*(\n    [^\n]*\n[ ~]*\^[ ~^]*)?(\n  hint[^\n]*)?')


def outcome(f, args):
    """Three texts: its value or exception (without the place), its output, the arguments."""
    args = copy.deepcopy(args)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            r = repr(f(*args))
        except Exception as e:
            r = f"{type(e).__name__}: {PLACE.sub('', str(e))}"
    return r, out.getvalue(), repr(args)
