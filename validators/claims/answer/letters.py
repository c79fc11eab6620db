"""The frame of a letter: its date, its signature, and labels that say who writes to whom about what."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.numbers.months import SHORT_MONTHS
from judgemesh.validators.claims.answer.blocks import Block

_MONTH: Final = rf"(?:{'|'.join(SHORT_MONTHS)})[a-z]*\.?"
_DATE: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
)
_DATE_LINE = re.compile(
    rf"^(?:[A-Z][\w-]+(?: [A-Z][\w-]+){{0,2}},\s*)?(?:[a-z]+day,? )?{_DATE}\.?$",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"^(?:.*[.!]\s+)?(?:(?:with )?(?:my |our )?(?:kind|best|warm|many)(?:est)? (?:regards|wishes|greetings)|regards"
    r"|warmly|respectfully yours|(?:yours )?(?:respectfully|sincerely|truly|faithfully)(?: yours)?|yours|cheers"
    r"|best|all the best|(?:many )?thanks"
    r"|thank you|take care"
    r"|cordialement|bien \u00e0 vous|(?:un )?saludos?|atentamente|cordiali saluti|atenciosamente"
    r"|met vriendelijke groet"
    r"|(?:mit )?(?:freundlichen|besten|herzlichen|viele|beste|liebe) gr\u00fc(?:\u00df|ss)en?"
    r"|hochachtungsvoll)\s*[,.!]?$",
    re.IGNORECASE,
)
_NAME_WORDS: Final = frozenset(
    {
        "the", "your", "our", "of", "and", "for", "at", "on", "behalf", "team", "desk", "department", "service",
        "services", "support", "office", "assistant", "agent", "bot", "staff", "customer", "care", "from", "help",
        "helpdesk", "billing", "sales", "crew", "ai", "unit",
    }
)  # fmt: skip
_TEAM = re.compile(
    r"^(?:the|your|our)(?: [\w&'-]+){0,4} (?:team|desk|department|services?|support|office|assistant|agent|bot"
    r"|staff|crew|unit)$",
    re.IGNORECASE,
)
_MAX_SIGNATURE_WORDS: Final = 7
_MAX_FRAME_BLOCKS: Final = 2

_TALKING_LABELS: Final = frozenset(
    {
        "source", "sources", "reference", "references", "dear", "subject", "to", "from", "cc", "re", "regards",
        "see",
        "prepared by", "prepared for", "written by", "author", "sender", "recipient", "addressee", "attachment",
        "attachments", "enclosure", "enclosures", "signed", "topic", "question", "your question", "the question",
        "request", "your request", "query", "user question", "quelle", "fuente", "based on", "next step",
        "next steps",
        "disclaimer", "confidence", "language", "contact", "questions", "kind regards", "best regards", "sincerely",
        "best wishes", "cheers", "hours of support",
    }
)  # fmt: skip
"""Labels of a letter and of an answer about itself."""
_FRAME_LABELS: Final = frozenset(
    {
        "date", "phone", "tel", "telephone", "email", "e-mail", "mail", "website", "web", "ticket", "case",
        "reference number", "customer", "client", "name", "user", "title", "department", "team", "priority",
        "category", "case number", "ticket number", "prepared on", "reviewed on", "ref", "document",
        "category of request",
    }
)  # fmt: skip
"""Labels that administer: their values count where the evidence has the label."""
_WORK_LABELS: Final = frozenset({"status", "state", "task", "result", "outcome"})
_WORK_DONE: Final = frozenset(
    {
        "done", "complete", "completed", "ok", "okay", "success", "successful", "answered", "in progress",
        "finished",
        "all done", "task completed", "question answered",
    }
)  # fmt: skip


def is_talking_label(label: str, value: str) -> bool:
    """Whether a label and its value state nothing about the world."""
    if label in _WORK_LABELS:
        return value.strip(" .!").casefold() in _WORK_DONE
    return label in _TALKING_LABELS


def is_frame_label(label: str) -> bool:
    """Whether a label administers."""
    return label in _FRAME_LABELS


class Letter:
    """Tells which blocks of an answer are its date or its signature."""

    def __init__(self, blocks: int) -> None:
        """Begin an answer of so many blocks."""
        self._blocks = blocks
        self._index = 0
        self._signed = False

    def frames(self, block: Block) -> bool:
        """Whether the next block is the date above a letter, or stands in the signature below it."""
        self._index += 1
        if block.keyed is not None:
            return self._signed and is_frame_label(block.keyed.key.casefold())
        text = block.text
        if self._signed and _is_signature(text):
            return True
        if self._index == self._blocks and _TEAM.match(text.strip(" .")):
            return self._index > 1
        self._signed = _SIGN_OFF.match(text.strip()) is not None
        is_above = self._index <= min(_MAX_FRAME_BLOCKS, self._blocks - 1)
        return is_above and _DATE_LINE.match(text.strip()) is not None


def _is_signature(text: str) -> bool:
    """Whether a line gives names and offices only."""
    words = text.replace(",", " ").replace("|", " ").split()
    if not words or len(words) > _MAX_SIGNATURE_WORDS or text.rstrip()[-1] in "!?;":
        return False
    if _TEAM.match(text.strip(" .")):
        return True
    if text.rstrip().endswith(".") and len(words) > 1:
        return False
    return all(
        word[:1].isupper() or not word[:1].isalpha() or word.casefold() in _NAME_WORDS
        for word in words
    )
