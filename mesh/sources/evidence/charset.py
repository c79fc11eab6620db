"""The characters of a text file: by its byte order mark, by what its page declares, else UTF-8."""

from __future__ import annotations

import codecs
import re
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PARAMETER: Final = re.compile(
    r"charset\s{0,4}=\s{0,4}[\"']?([\w.:-]{1,40})", re.IGNORECASE
)
_DECLARED: Final = re.compile(
    rb"<meta[^>]{0,400}charset\s{0,4}=\s{0,4}[\"']?([\w.:-]{1,40})|<\?xml[^>]{0,200}encoding=[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
_DECLARATION_BYTES: Final = 4_096
_SHIFTED: Final = ("iso2022", "hz")
_SHIFTS: Final = (b"\x1b", b"~{")
_AS_BROWSERS_READ_IT: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""The WHATWG Encoding Standard reads these labels as windows-1252."""


def decoded(data: bytes, content_type: str = "") -> tuple[str, bool]:
    """The text, and whether every byte of it was understood.

    Args:
        data: the whole file.
        content_type: of HTTP, such as `text/html; charset=iso-8859-1`; may be empty.
    """
    for encoding in _encodings(data, content_type):
        try:
            return data.decode(encoding), True
        except UnicodeDecodeError:
            # With its shifts it is valid UTF-8 too, but not what was written.
            if encoding.startswith(_SHIFTED) and any(
                shift in data for shift in _SHIFTS
            ):
                return data.decode(encoding, errors="replace"), False
    return data.decode("utf-8-sig", errors="replace"), False


def _encodings(data: bytes, content_type: str) -> list[str]:
    """What to try, the surest first. UTF-8 is tried before a declaration: other text is hardly ever valid UTF-8."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return [encoding]
    declared = [
        _PARAMETER.search(content_type),
        _DECLARED.search(data[:_DECLARATION_BYTES]),
    ]
    known: list[str] = []
    for match in declared:
        if match is not None:
            known += _known(match[1] or match[match.re.groups])
    # Text of seven bits with shifts is valid UTF-8 too, and means something else.
    shifted = [name for name in known if name.startswith(_SHIFTED)]
    return [*shifted, "utf-8", *known]


def _known(label: str | bytes) -> list[str]:
    """The codec of a label, if there is one for text."""
    name = label.decode("ascii", "replace") if isinstance(label, bytes) else label
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return []
    if not codec._is_text_encoding:  # noqa: SLF001 - the only way to tell `rot13` and `zlib` from encodings of text
        return []
    return [_AS_BROWSERS_READ_IT.get(codec.name, codec.name)]
