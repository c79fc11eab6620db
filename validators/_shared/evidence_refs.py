"""References to evidence in verdicts: each once, and not more than a reader wants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MAX_REFS: Final = 50


def evidence_refs(refs: Iterable[str]) -> tuple[str, ...]:
    """The first 50 distinct references, in order."""
    return tuple(dict.fromkeys(refs))[:MAX_REFS]
