# SPDX-License-Identifier: BSD-3-Clause
"""format() with a specification that isn't known before the call, formats that aren't, and bin,
oct, hex."""

from array import array

import numpy as np

from swathe import _kernels
from swathe._objects import chars, index_of, is_object, text
from swathe.lib.characters import _is_digit
from swathe.lib.texts import _laid_out, _str_of, _str_repr

BAD_SPEC = (1 << 63) - 1  # in place of a length


def _str_formatted(v, spec):
    if len(chars(spec)) == 0:
        return _str_of(v)
    if isinstance(v, str):
        _check_layout(spec)
        return _laid_out(v, spec)
    if isinstance(v, (float, np.floating)):
        return _checked(float(v), spec, "float")
    return _checked(int(v), spec, "int")


def _checked(v, spec, kind):
    y = chars(spec)
    r = np.empty(64, np.uint32)
    n = _written(v, y, r)
    if n == BAD_SPEC:
        raise ValueError(f"Invalid format specifier '{spec}' for object of type '{kind}'")
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _written(v, y, r)
    return text(r[:n])


def _written(v, spec, r):
    if isinstance(v, float):
        x = np.empty(1)
        x[0] = v
        return _kernels.text_of_float(x, spec, r)
    return _kernels.text_of_int(spec, v, r)


def _check_layout(spec):
    """Of a string: [[fill]align][0][width][.precision][s]."""
    y = chars(spec)
    n = len(y)
    k = 0
    if n > 1 and (y[1] == 60 or y[1] == 62 or y[1] == 94):
        k = 2
    elif n > 0 and (y[0] == 60 or y[0] == 62 or y[0] == 94):
        k = 1
    first = k
    while k < n and _is_digit(y[k]):
        k += 1
    digits = k - first
    if k < n and y[k] == 46:
        first = k + 1
        k = first
        while k < n and _is_digit(y[k]):
            k += 1
        if k == first:
            raise ValueError("Format specifier missing precision")
        digits = max(digits, k - first)
    if digits > 18:
        raise ValueError("Too many decimal digits in format string")
    if k < n and y[k] == 115:
        k += 1
    if k < n:
        raise ValueError(f"Invalid format specifier '{spec}' for object of type 'str'")


def _str_bin(i):
    return _in_base(i, 1, 98)


def _str_oct(i):
    return _in_base(i, 3, 111)


def _str_hex(i):
    return _in_base(i, 4, 120)


def _in_base(i, bits, letter):
    v = index_of(i)
    negative = v < 0
    rest = np.uint64(-(v + 1)) + np.uint64(1) if negative else np.uint64(v)
    r = np.empty(67, np.uint32)
    k = len(r)
    while rest != 0 or k == len(r):
        digit = rest & np.uint64((1 << bits) - 1)
        k -= 1
        r[k] = digit + (48 if digit < 10 else 87)
        rest >>= np.uint64(bits)
    r[k - 1] = letter
    r[k - 2] = 48
    k -= 2
    if negative:
        k -= 1
        r[k] = 45
    return text(r[k:].copy())


# ---- formats that only the run tells: s % x, s.format(...)


def _str_percent(fmt, values):
    if isinstance(values, tuple):
        return _percent_all(fmt, values, values, "")
    elif isinstance(values, dict) and not is_object(values):
        return _percent_all(fmt, (), values, "")
    else:
        return _percent_all(fmt, (values,), values, "")


def _bytes_percent(fmt, values):
    form = fmt.decode("latin-1")
    if isinstance(values, tuple):
        return _percent_all(form, values, values, "b").encode("latin-1")
    else:
        return _percent_all(form, (values,), values, "b").encode("latin-1")


def _percent_all(fmt, args, whole, kind):
    """kind: "b" of bytes, where that is one more flag."""
    out = ""
    n = len(fmt)
    i = 0
    k = 0
    keys = isinstance(whole, (dict, list, bytes, bytearray, array))  # what can be asked for keys
    while True:
        j = fmt.find("%", i)
        if j < 0:
            out += fmt[i:]
            break
        out += fmt[i:j]
        i = j + 1
        key = ""
        keyed = False
        if i < n and fmt[i] == "(":
            depth = 1
            j = i + 1
            while j < n and depth > 0:
                depth += 1 if fmt[j] == "(" else -1 if fmt[j] == ")" else 0
                j += 1
            if depth > 0:
                raise ValueError("incomplete format key")
            key = fmt[i + 1 : j - 1]
            keyed = True
            i = j
            if not isinstance(whole, dict):
                raise TypeError("format requires a mapping")
        flags = kind
        while i < n and fmt[i] in "-+ #0":
            flags += fmt[i]
            i += 1
        width = 0
        if i < n and fmt[i] == "*":
            width = _percent_star(args, k)
            k += 1
            i += 1
            if width < 0:
                flags += "-"
                width = -width
        while i < n and "0" <= fmt[i] <= "9":
            width = 10 * width + ord(fmt[i]) - 48
            i += 1
        precision = -1
        if i < n and fmt[i] == ".":
            precision = 0
            i += 1
            if i < n and fmt[i] == "*":
                precision = max(_percent_star(args, k), 0)
                k += 1
                i += 1
            while i < n and "0" <= fmt[i] <= "9":
                precision = 10 * precision + ord(fmt[i]) - 48
                i += 1
        if i < n and fmt[i] in "hlL":
            i += 1
        if i >= n:
            raise ValueError("incomplete format")
        c = fmt[i]
        i += 1
        if c == "%":
            out += "%"
            continue
        if kind and c in "br":
            c = "s" if c == "b" else "a"
        if c not in "diuxXoeEfFgGcrsa":
            raise ValueError(f"unsupported format character '{c}' (0x{ord(c):x}) at index {i - 1}")
        if keyed:
            out += _percent_entry(whole, key, c, flags, width, precision)
        else:
            if k >= len(args):
                _percent_missing(whole)
            out += _percent_at(args, k, c, flags, width, precision)
            k += 1
    if k < len(args) and not keys:
        what = "bytes" if kind else "string"
        raise TypeError(f"not all arguments converted during {what} formatting")
    return out


def _percent_missing(whole):
    if isinstance(whole, dict) and not is_object(whole):
        raise ValueError("the text of a dict of unlike values is not there in compiled code")
    raise TypeError("not enough arguments for format string")


def _percent_star(args, k):
    if k >= len(args):
        raise TypeError("not enough arguments for format string")
    return _percent_int(args, k)


def _percent_int(args, k):
    if is_object(args):
        return _star_of(args[k])
    elif len(args) == 0:
        return 0
    elif k == 0:
        return _star_of(args[0])
    else:
        return _percent_int(args[1:], k - 1)


def _star_of(v):
    if not isinstance(v, (int, np.integer)):
        raise TypeError("* wants int")
    else:
        return int(v)


def _percent_at(args, k, c, flags, width, precision):
    if is_object(args):
        return _percent_one(args[k], c, flags, width, precision)
    elif len(args) == 0:
        return ""
    elif k == 0:
        return _percent_one(args[0], c, flags, width, precision)
    else:
        return _percent_at(args[1:], k - 1, c, flags, width, precision)


def _percent_entry(whole, key, c, flags, width, precision):
    if not isinstance(whole, dict):
        return ""
    elif is_object(whole):
        return _percent_one(whole[key], c, flags, width, precision)
    else:
        return _percent_item(whole.items(), key, c, flags, width, precision)


def _percent_item(items, key, c, flags, width, precision):
    if len(items) == 0:
        raise KeyError(key)
    elif items[0][0] == key:
        return _percent_one(items[0][1], c, flags, width, precision)
    else:
        return _percent_item(items[1:], key, c, flags, width, precision)


def _percent_one(v, c, flags, width, precision):
    binary = "b" in flags
    if c == "s" and binary:
        s = _percent_bytes(v)
        return _percent_pad("", s if precision < 0 else s[:precision], flags, width, False)
    if c == "c" and binary:
        return _percent_pad("", _percent_byte(v), flags, width, False)
    if c in "sra":
        s = str(v) if c == "s" else _str_repr(v) if c == "r" else _ascii_of(v)
        return _percent_pad("", s if precision < 0 else s[:precision], flags, width, False)
    if c == "c":
        return _percent_pad("", _percent_char(v), flags, width, False)
    if c in "eEfFgG":
        s = _percent_real(v, c, "#" in flags, precision)
    else:
        s = _percent_whole(v, c, "#" in flags, precision)
    sign = ""
    if s[0] == "-":
        sign = "-"
        s = s[1:]
    elif "+" in flags:
        sign = "+"
    elif " " in flags:
        sign = " "
    if "#" in flags and c in "xXo":
        sign += "0" + c
    return _percent_pad(sign, s, flags, width, "0" in flags)


def _percent_pad(sign, s, flags, width, zeros):
    more = width - len(sign) - len(s)
    if more <= 0:
        return sign + s
    if "-" in flags:
        return sign + s + " " * more
    return sign + "0" * more + s if zeros else " " * more + sign + s


def _percent_char(v):
    if isinstance(v, str):
        if len(v) != 1:
            raise TypeError("%c requires int or char")
        return v
    elif isinstance(v, (int, np.integer)):
        k = int(v)
        if k < 0 or k > 0x10FFFF:
            raise OverflowError("%c arg not in range(0x110000)")
        return chr(k)
    else:
        raise TypeError("%c requires int or char")


def _percent_bytes(v):
    if isinstance(v, (bytes, bytearray)):
        return v.decode("latin-1")
    else:
        of = type(v).__name__
        raise TypeError(
            "%b requires a bytes-like object, or an object that implements __bytes__, not "
            + f"'{of}'"
        )


def _percent_byte(v):
    if isinstance(v, (bytes, bytearray)):
        if len(v) != 1:
            raise TypeError("%c requires an integer in range(256) or a single byte")
        return v.decode("latin-1")
    elif isinstance(v, (int, np.integer)):
        k = int(v)
        if k < 0 or k > 255:
            raise OverflowError("%c arg not in range(256)")
        return chr(k)
    else:
        raise TypeError("%c requires an integer in range(256) or a single byte")


def _percent_real(v, c, alternate, precision):
    if isinstance(v, (int, float, np.integer, np.floating, np.bool_)):
        digits = precision if precision >= 0 else 6
        return _checked(float(v), ("#" if alternate else "") + "." + str(digits) + c, "float")
    else:
        raise TypeError("must be real number, not " + type(v).__name__)


def _percent_whole(v, c, alternate, precision):
    decimal = c in "diu"
    if isinstance(v, (int, np.integer)):
        s = _checked(int(v), "d" if decimal else c, "int")
    elif isinstance(v, (float, np.floating)):
        if not decimal:
            raise TypeError(f"%{c} format: an integer is required, not {type(v).__name__}")
        s = str(int(v))
    elif decimal:
        raise TypeError(f"%{c} format: a real number is required, not {type(v).__name__}")
    else:
        raise TypeError(f"%{c} format: an integer is required, not {type(v).__name__}")
    n = len(s) - (s[0] == "-")
    if n < precision:
        s = s[: len(s) - n] + "0" * (precision - n) + s[len(s) - n :]
    return s


def str_format(self, *args, **more):
    return _format_fields(self, args, more, 0)[0]


def _format_fields(fmt, args, more, auto):
    """auto: the number of the next field without one; -1: fields have numbers."""
    out = ""
    n = len(fmt)
    i = 0
    while i < n:
        c = fmt[i]
        i += 1
        if c == "}":
            if i >= n or fmt[i] != "}":
                raise ValueError("Single '}' encountered in format string")
            out += "}"
            i += 1
        elif c != "{":
            j = i
            while j < n and fmt[j] != "{" and fmt[j] != "}":
                j += 1
            out += fmt[i - 1 : j]
            i = j
        elif i < n and fmt[i] == "{":
            out += "{"
            i += 1
        else:
            if i >= n:
                raise ValueError("Single '{' encountered in format string")
            j = i
            while j < n and fmt[j] != "!" and fmt[j] != ":" and fmt[j] != "}" and fmt[j] != "{":
                j += 1
            if j < n and fmt[j] == "{":
                raise ValueError("unexpected '{' in field name")
            name = fmt[i:j]
            conversion = ""
            if j < n and fmt[j] == "!":
                if j + 1 >= n:
                    raise ValueError("unmatched '{' in format spec")
                conversion = fmt[j + 1]
                j += 2
                if j < n and fmt[j] != ":" and fmt[j] != "}":
                    raise ValueError("expected ':' after conversion specifier")
            spec = ""
            if j < n and fmt[j] == ":":
                depth = 1
                i = j + 1
                while j < n and depth > 0:
                    j += 1
                    if j < n:
                        depth += 1 if fmt[j] == "{" else -1 if fmt[j] == "}" else 0
                spec = fmt[i:j]
            if j >= n:
                raise ValueError("expected '}' before end of string")
            i = j + 1
            k = -1
            if name == "":
                if auto < 0:
                    raise ValueError(
                        "cannot switch from manual field specification to automatic field numbering"
                    )
                k = auto
                auto += 1
            elif "0" <= name[0] <= "9" and name.isdigit():
                if auto > 0:
                    raise ValueError(
                        "cannot switch from automatic field numbering to manual field specification"
                    )
                k = int(name)
                auto = -1
            elif "." in name or "[" in name:
                raise ValueError(
                    f"the field '{name}' of a format that only the run tells: compiled code takes "
                    "names and numbers there"
                )
            if "{" in spec:
                spec, auto = _format_fields(spec, args, more, auto)
            if k < 0:
                out += _format_named(more.items(), name, conversion, spec)
            elif k >= len(args):
                raise IndexError(f"Replacement index {k} out of range for positional args tuple")
            else:
                out += _format_at(args, k, conversion, spec)
    return out, auto


def _format_at(args, k, conversion, spec):
    if is_object(args):
        return _format_one(args[k], conversion, spec)
    elif len(args) == 0:
        return ""
    elif k == 0:
        return _format_one(args[0], conversion, spec)
    else:
        return _format_at(args[1:], k - 1, conversion, spec)


def _format_named(items, name, conversion, spec):
    if len(items) == 0:
        raise KeyError(name)
    elif items[0][0] == name:
        return _format_one(items[0][1], conversion, spec)
    else:
        return _format_named(items[1:], name, conversion, spec)


def _format_one(v, conversion, spec):
    if isinstance(v, str):
        return _format_value(text(chars(v)), conversion, spec)  # a known one, too
    else:
        return _format_value(v, conversion, spec)


def _format_value(v, conversion, spec):
    if conversion == "r":
        return _str_formatted(_str_repr(v), spec)
    if conversion == "s":
        return _str_formatted(str(v), spec)
    if conversion == "a":
        return _str_formatted(_ascii_of(v), spec)
    if conversion != "":
        raise ValueError(f"Unknown conversion specifier {conversion}")
    if spec == "":
        return _str_of(v)
    if isinstance(v, (str, int, float, np.integer, np.floating, np.bool_)):
        return _str_formatted(v, spec)
    else:
        raise TypeError(_no_format(v))


def _no_format(v):
    if v is None:
        return "unsupported format string passed to NoneType.__format__"
    elif isinstance(v, (list, dict, set, tuple, bytes)):
        return f"unsupported format string passed to {type(v).__name__}.__format__"
    else:
        return "this value with a specification that only the run tells: write an f-string"


def _ascii_of(v):
    """`ascii(v)`: its repr, where what is beyond ASCII is escaped."""
    s = repr(v)
    parts = [""]
    for c in s:
        k = ord(c)
        parts.append(c if k < 128 else _ascii_escape(k))
    return "".join(parts)


def _ascii_escape(k):
    return f"\\x{k:02x}" if k < 256 else f"\\u{k:04x}" if k < 65536 else f"\\U{k:08x}"
