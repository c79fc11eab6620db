"""Text that stands in place of content: `TODO`, `N/A`, lorem ipsum, `[report goes here]`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from judgemesh.validators._shared.answer.placeholders import is_placeholder
from judgemesh.validators._shared.text import fold_value
from judgemesh.validators._shared.values import show

_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|=+\s*$|-+\s*$)")
_LABEL: Final = re.compile(r"^\s*(?:[-*+]\s+)?(?:[\w ]{1,40}:\s+)?")
_SECTION: Final = re.compile(r"\s*#{2,6}\s+\S")
_NONE_OF_IT: Final = frozenset(
    {"none", "none found", "nil", "keine", "aucun", "aucune", "ninguno", "nessuno"}
)
"""What a section may say of itself: of `## Open defects`, there are none."""
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
    answers = {below for above, below in pairwise(lines) if _says_none(above, below)}
    body = [line for line in body if line not in answers]
    if body and all(map(_is_filler, body)):
        return f"holds only a placeholder: {show(body[0].strip(), 40)}"
    return None


def _says_none(heading: str, line: str) -> bool:
    """Whether a line answers the heading of a section: there is none of it."""
    return _SECTION.match(heading) is not None and fold_value(line) in _NONE_OF_IT


def _is_filler(line: str) -> bool:
    bare = _LABEL.sub("", line, count=1)
    if is_placeholder(bare) or is_placeholder(line):
        return True
    folded = fold_value(bare)
    if _TEMPLATE.fullmatch(bare.strip()):
        return True
    return folded.startswith(_FILLER[0]) or folded in _FILLER
