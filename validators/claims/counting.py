"""How much of an answer was read."""

from __future__ import annotations

from typing import NamedTuple

from judgemesh.validators.claims.answer.claim_sentences import AnswerReading


class ReadCount(NamedTuple):
    """How much of the answer was read: the reading, the claims in it, and how many were over the limit."""

    reading: AnswerReading
    claims: int
    beyond: int

    @property
    def text(self) -> str:
        """`7 of 9 sentences read`; empty where the answer has no sentence."""
        reading = self.reading
        if not reading.sentences:
            return ""
        read = reading.sentences - reading.talk
        return f"{read} of {reading.sentences} sentences read"

    @property
    def details(self) -> dict[str, object]:
        """The count for machines."""
        reading = self.reading
        return {
            "sentences": reading.sentences,
            "read": reading.sentences - reading.talk,
            "no_claim": reading.talk,
            "claims": self.claims,
            "unread": list(reading.unread),
        }
