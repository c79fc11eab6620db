"""Headings and labels: which say what stands below them is about, which say nothing, which begin a list of sources."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators.claims.answer.talk_phrases import INTROS, TALK

_REFERENCE_HEADING = re.compile(
    r"^(?:sources?|references?|bibliography|works cited|citations?|further reading|footnotes?|links?)\W*$",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(f"(?:{'|'.join((*TALK, *INTROS))})", re.IGNORECASE)
_GENERIC: Final = frozenset(
    {
        "summary", "details", "detail", "findings", "finding", "results", "result", "answer", "overview", "key facts",
        "facts", "information", "conclusion", "introduction", "background", "analysis", "report", "notes", "note",
        "key points", "key findings", "final answer", "response", "highlights", "data", "table", "output", "in short",
        "short answer", "tl;dr", "recommendation", "next steps", "figures", "key figures", "at a glance", "item",
        "value", "field", "attribute", "property", "metric", "question", "outputs", "claims", "fields", "parameter",
        "description", "important", "warning", "tip", "example", "update",
    }
)  # fmt: skip


def is_reference_heading(heading: str) -> bool:
    """Whether a list of sources begins below it."""
    return _REFERENCE_HEADING.match(heading) is not None


def is_generic(heading: str) -> bool:
    """Whether a heading says nothing about what stands below it."""
    shown = heading.strip(" :#.").casefold()
    if shown in _GENERIC or _REFERENCE_HEADING.match(heading):
        return True
    return heading.rstrip().endswith(":") and _INTRODUCES.match(shown) is not None
