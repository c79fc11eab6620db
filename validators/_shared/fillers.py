"""Text that stands in place of content: `TODO`, `N/A`, lorem ipsum, `[report goes here]`."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.placeholders import is_placeholder
from judgemesh.validators._shared.text import fold_value
from judgemesh.validators._shared.values import show

_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|=+\s*$|-+\s*$)")
_LABEL: Final = re.compile(r"^\s*(?:[-*+]\s+)?(?:[\w ]{1,40}:\s+)?")
_FILLER: Final = ("lorem ipsum", "todo", "tbd", "fixme", "placeholder", "coming soon")
_TEMPLATE: Final = re.compile(
    r"[\[<{(]{1,2}[^\]>})]{0,80}\b(?:here|insert|placeholder|your|to be)\b[^\]>})]{0,80}[\]>})]{1,2}",
    re.IGNORECASE,
)


def placeholder_in(text: str) -> str | None:
    """What stands in place of content: `TODO`, `N/A`, lorem ipsum, under headings and labels or alone."""
    lines = [line for line in text.splitlines() if line.strip()]
    body = [line for line in lines if not _HEADING.match(line)]
    if not body:
        body = lines if len(lines) == 1 and is_placeholder(text) else []
    if body and all(map(_is_filler, body)):
        return f"holds only a placeholder: {show(body[0].strip(), 40)}"
    return None


def _is_filler(line: str) -> bool:
    bare = _LABEL.sub("", line, count=1)
    if is_placeholder(bare) or is_placeholder(line):
        return True
    folded = fold_value(bare)
    if _TEMPLATE.fullmatch(bare.strip()):
        return True
    return folded.startswith(_FILLER[0]) or folded in _FILLER
