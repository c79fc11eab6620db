"""What the wording of a step says: a branch for failures, a way to undo it, a mark as a write."""

from __future__ import annotations

import re
from typing import Final

_MAX_CHARS: Final = 5_000
_BRANCH = re.compile(
    r"\b(?:if|when|should|in case|unless)\b[^.\n]{0,80}\b(?:fails?|failed|failure|errors?|unavailable|missing"
    r"|times? out|timeout|invalid|malformed|empty|denied|rejected|not found|goes wrong)\b"
    r"|\b(?:on (?:error|failure|timeout)|fall ?back|otherwise|retry)\b",
    re.IGNORECASE,
)
_ROLLBACK = re.compile(
    r"\b(?:roll(?:ed|ing)? ?back|undo|revert|restore|back ?up|can be (?:undone|reversed))\b",
    re.IGNORECASE,
)
_WRITE_MARK = re.compile(
    r"\b(?:destructive|irreversible|reversible|(?:this|a) write(?: step)?)\b",
    re.IGNORECASE,
)


def says_branch(text: str) -> bool:
    """Whether the text says what to do when something fails."""
    return _BRANCH.search(text[:_MAX_CHARS]) is not None


def says_rollback(text: str) -> bool:
    """Whether the text says how to undo something."""
    return _ROLLBACK.search(text[:_MAX_CHARS]) is not None


def says_write(text: str) -> bool:
    """Whether the text marks the step as a write."""
    return _WRITE_MARK.search(text[:_MAX_CHARS]) is not None
