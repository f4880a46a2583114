# SPDX-License-Identifier: BSD-3-Clause
"""Functions of smaller modules of the standard library: module__name. What is long, and no matter
of time, Python does itself (swathe._asked)."""

# ruff: noqa: N802, A002

from array import array
from dataclasses import dataclass

import numpy as np

from swathe import static_fail
from swathe._objects import asked, is_object, text
from swathe.lib.formats import _ascii_of
from swathe.lib.texts import _texts


def _str(s, where):
    if not isinstance(s, str):
        static_fail(where + " takes texts of type str in compiled code")
    return s


def _read(s):
    """The bytes of what has such."""
    if isinstance(s, bytes):
        return s
    elif isinstance(s, bytearray):
        return bytes(s)
    elif isinstance(s, (array, memoryview)):
        return s.tobytes()
    elif isinstance(s, str):
        static_fail("a bytes-like object is required, not 'str': s.encode()", True)
    else:
        static_fail("a bytes-like object is required: bytes or a bytearray", True)


def _ascii(s):
    """Bytes, of what may be a str too."""
    if isinstance(s, str):
        return s.encode("latin-1")
    else:
        return _read(s)


def _bytes(r):
    return text(r.astype(np.uint8))


def builtins__ascii(obj):
    return _ascii_of(obj)


# ---- textwrap


def textwrap__wrap(text, width=70):
    return _texts(asked("textwrap.wrap", _str(text, "textwrap.wrap()"), int(width)))


def textwrap__fill(text, width=70):
    return "\n".join(textwrap__wrap(text, width))


def textwrap__shorten(text, width, placeholder=" [...]"):
    s = _str(text, "textwrap.shorten()")
    return _texts(asked("textwrap.shorten", s, int(width), placeholder))[0]


def textwrap__dedent(text):
    return _texts(asked("textwrap.dedent", _str(text, "textwrap.dedent()")))[0]


def textwrap__indent(text, prefix):
    s = _str(text, "textwrap.indent()")
    return "".join([prefix + x if x.strip() else x for x in s.splitlines(True)])


def string__capwords(s, sep=None):
    if sep is None:
        return " ".join([w.capitalize() for w in s.split()])
    else:
        return sep.join([w.capitalize() for w in s.split(sep)])


# ---- json


def json__dumps(obj, *, ensure_ascii=True, indent=None, separators=None, sort_keys=False):
    step = ""
    item = ", "
    key = ": "
    if indent is not None:
        step = indent if isinstance(indent, str) else " " * indent
        item = ","
    if separators is not None:
        item, key = separators
    line = "" if indent is None else "\n"
    return _json(obj, bool(ensure_ascii), line, step, item, key, bool(sort_keys))


def _json(v, plain, line, step, item, key, sort):
    if v is None:
        return "null"
    elif isinstance(v, (bool, int, float)):
        return _json_number(v)
    elif isinstance(v, str):
        return _json_text(v, plain)
    elif isinstance(v, dict):
        inner = line + step if line else ""
        if is_object(v):
            parts = [(k, _json(x, plain, inner, step, item, key, sort)) for k, x in v.items()]
        else:
            parts = [("", "")]
            parts.clear()
            _json_items(parts, v.items(), plain, inner, step, item, key, sort)
        if sort:
            parts.sort(key=lambda p: p[0])
        return _json_block(
            "{}", [_json_key(k, plain) + key + x for k, x in parts], line, inner, item
        )
    elif isinstance(v, list):
        inner = line + step if line else ""
        parts = [_json(x, plain, inner, step, item, key, sort) for x in v]
        return _json_block("[]", parts, line, inner, item)
    elif isinstance(v, tuple):
        inner = line + step if line else ""
        parts = [""]
        parts.clear()
        _json_each(parts, v, plain, inner, step, item, key, sort)
        return _json_block("[]", parts, line, inner, item)
    else:
        static_fail("json.dumps(): an object of this type is not JSON serializable", True)
        return ""


def _json_each(parts, v, plain, inner, step, item, key, sort):
    if is_object(v):
        for x in v:
            parts.append(_json(x, plain, inner, step, item, key, sort))
    elif len(v) > 0:
        parts.append(_json(v[0], plain, inner, step, item, key, sort))
        _json_each(parts, v[1:], plain, inner, step, item, key, sort)


def _json_items(parts, v, plain, inner, step, item, key, sort):
    if len(v) > 0:
        parts.append((v[0][0], _json(v[0][1], plain, inner, step, item, key, sort)))
        _json_items(parts, v[1:], plain, inner, step, item, key, sort)


def _json_block(ends, parts, line, inner, item):
    if len(parts) == 0:
        return ends
    return ends[0] + inner + (item + inner).join(parts) + line + ends[1]


def _json_number(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    elif isinstance(v, int):
        return str(v)
    elif v != v:
        return "NaN"
    elif v - v != 0:
        return "Infinity" if v > 0 else "-Infinity"
    else:
        return repr(float(v))


def _json_key(k, plain):
    if isinstance(k, str):
        return _json_text(k, plain)
    elif isinstance(k, (bool, int, float)):
        return '"' + _json_number(k) + '"'
    else:
        static_fail("keys must be str, int, float, bool or None, in json.dumps()", True)
        return ""


def _json_is_plain(s, plain):
    for c in s:
        k = ord(c)
        if k < 32 or k == 34 or k == 92 or (plain and k > 126):
            return False
    return True


def _json_text(s, plain):
    if _json_is_plain(s, plain):
        return '"' + s + '"'
    parts = ['"']
    for c in s:
        k = ord(c)
        if c == '"' or c == "\\":
            parts.append("\\" + c)
        elif k >= 32 and (k < 127 or not plain):
            parts.append(c)
        else:
            parts.append(_json_escape(k))
    parts.append('"')
    return "".join(parts)


def _json_escape(k):
    if k == 10:
        return "\\n"
    if k == 13:
        return "\\r"
    if k == 9:
        return "\\t"
    if k == 8:
        return "\\b"
    if k == 12:
        return "\\f"
    if k < 65536:
        return f"\\u{k:04x}"
    k -= 65536
    return f"\\u{0xD800 | k >> 10:04x}\\u{0xDC00 | k & 1023:04x}"


# ---- codecs


def _codecs__encode(obj, encoding="utf-8", errors="strict"):
    if encoding == "rot13" or encoding == "rot_13" or encoding == "rot-13":
        return text(asked("codecs.rot13", _str(obj, "codecs.encode()")))
    else:
        return _str(obj, "codecs.encode()").encode(encoding, errors)


def _codecs__decode(obj, encoding="utf-8", errors="strict"):
    if encoding == "rot13" or encoding == "rot_13" or encoding == "rot-13":
        return text(asked("codecs.rot13", _str(obj, "codecs.decode()")))
    else:
        return _read(obj).decode(encoding, errors)


# ---- html, unicodedata


def html__escape(s, quote=True):
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        s = s.replace('"', "&quot;").replace("'", "&#x27;")
    return s


def html__unescape(s):
    return text(asked("html.unescape", _str(s, "html.unescape()")))


def unicodedata__normalize(form, unistr):
    return text(asked("unicodedata.normalize", form, _str(unistr, "unicodedata.normalize()")))


def unicodedata__category(chr):
    return text(asked("unicodedata.category", _str(chr, "unicodedata.category()")))


def unicodedata__east_asian_width(chr):
    return text(asked("unicodedata.east_asian_width", _str(chr, "unicodedata")))


def unicodedata__combining(chr):
    return int(asked("unicodedata.combining", _str(chr, "unicodedata.combining()"))[0])


# ---- bytes as text, sums over bytes


def zlib__crc32(data, value=0):
    return int(asked("zlib.crc32", _read(data), int(value) & 0xFFFFFFFF)[0])


def zlib__adler32(data, value=1):
    return int(asked("zlib.adler32", _read(data), int(value) & 0xFFFFFFFF)[0])


def binascii__crc32(data, crc=0):
    return zlib__crc32(data, crc)


def binascii__hexlify(data):
    return _read(data).hex().encode()


def binascii__b2a_hex(data):
    return binascii__hexlify(data)


def binascii__unhexlify(hexstr):
    return _bytes(asked("binascii.unhexlify", _ascii(hexstr)))


def binascii__a2b_hex(hexstr):
    return binascii__unhexlify(hexstr)


def base64__b64encode(s):
    return _bytes(asked("base64.b64encode", _read(s)))


def base64__b64decode(s):
    return _bytes(asked("base64.b64decode", _ascii(s)))


def base64__urlsafe_b64encode(s):
    return base64__b64encode(s).translate(bytes.maketrans(b"+/", b"-_"))


def base64__urlsafe_b64decode(s):
    return base64__b64decode(_ascii(s).translate(bytes.maketrans(b"-_", b"+/")))


def base64__b16encode(s):
    return _read(s).hex().upper().encode()


def base64__b32encode(s):
    return _bytes(asked("base64.b32encode", _read(s)))


@dataclass
class Hash:
    """A hash of hashlib: what it has been given, in hexadecimal digits, is hashed when it is asked
    for."""

    name: str
    given: str

    def update(self, data):
        """More of it."""
        self.given += _read(data).hex()

    def digest(self):
        """The hash, as bytes."""
        return _bytes(asked("hashlib.digest", self.name, self.given))

    def hexdigest(self):
        """The hash, in hexadecimal digits."""
        return self.digest().hex()

    def copy(self):
        """Another one, that has been given the same."""
        return Hash(self.name, self.given)


def _hash(name, data):
    return Hash(name, _read(data).hex())


def _hashlib__openssl_md5(string=b""):
    return _hash("md5", string)


def _hashlib__openssl_sha1(string=b""):
    return _hash("sha1", string)


def _hashlib__openssl_sha224(string=b""):
    return _hash("sha224", string)


def _hashlib__openssl_sha256(string=b""):
    return _hash("sha256", string)


def _hashlib__openssl_sha384(string=b""):
    return _hash("sha384", string)


def _hashlib__openssl_sha512(string=b""):
    return _hash("sha512", string)


# ---- os.path


def posixpath__join(a, *p):
    path = _str(a, "os.path.join()")
    return _join(path, p)


def _join(path, p):
    if len(p) == 0:
        return path
    else:
        b = _str(p[0], "os.path.join()")
        if b.startswith("/") or path == "":
            return _join(b, p[1:])
        elif path.endswith("/"):
            return _join(path + b, p[1:])
        else:
            return _join(path + "/" + b, p[1:])


def posixpath__split(p):
    i = _str(p, "os.path.split()").rfind("/") + 1
    head = p[:i]
    if head != "" and head != "/" * len(head):
        head = head.rstrip("/")
    return head, p[i:]


def posixpath__basename(p):
    return posixpath__split(p)[1]


def posixpath__dirname(p):
    return posixpath__split(p)[0]


def posixpath__splitext(p):
    base = _str(p, "os.path.splitext()").rfind("/") + 1
    dot = p.rfind(".")
    if dot > base:
        for i in range(base, dot):
            if p[i] != ".":
                return p[:dot], p[dot:]
    return p, p[len(p) :]


def posixpath__isabs(s):
    return _str(s, "os.path.isabs()").startswith("/")


def posixpath__normpath(path):
    return text(asked("path.normpath", _str(path, "os.path.normpath()")))


def genericpath__exists(path):
    return bool(asked("path.exists", _str(path, "os.path.exists()"))[0] != 0)


def genericpath__isfile(path):
    return bool(asked("path.isfile", _str(path, "os.path.isfile()"))[0] != 0)


def genericpath__isdir(s):
    return bool(asked("path.isdir", _str(s, "os.path.isdir()"))[0] != 0)


def sys__exit(status=None):
    if status is None:
        raise SystemExit
    raise SystemExit(status)
