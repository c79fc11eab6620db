r"""JSON text whose raw characters neither control a terminal nor end a line: they are written as escapes. Pure.

JSON allows C1 control characters, marks that reverse the reading order, U+2028 and U+2029 inside its texts. A terminal
obeys the first two, and many readers of lines take the others for the end of one. `\u009b` means the same to every
reader of JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_ODD: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")
_LAST_OF_PLANE: Final = 0xFFFF


def printable_json(data: object, **options: Any) -> str:
    """`data` as JSON; `options` are those of `json.dumps`. NaN and infinities are refused.

    Raises:
        TypeError, ValueError: JSON cannot hold it.
    """
    return printable(json.dumps(data, ensure_ascii=False, allow_nan=False, **options))


def printable(text: str) -> str:
    """JSON text with escapes for what controls a terminal or may end a line."""
    return text if text.isascii() and "\x7f" not in text else _ODD.sub(_escaped, text)


def ascii_json(text: str) -> str:
    """JSON text with escapes for all that is not ASCII."""
    return _NOT_ASCII.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= _LAST_OF_PLANE:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
