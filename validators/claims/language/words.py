"""The words of a text alone, to find one text in another whatever stands between the words."""

from __future__ import annotations

import re

from judgemesh.validators._shared.text import plain

_WORD = re.compile(r"\w+")


def words_only(text: str) -> str:
    """The words and figures of a text, each between blanks, without case; empty where there are none."""
    words = _WORD.findall(plain(text).casefold())
    return f" {' '.join(words)} " if words else ""
