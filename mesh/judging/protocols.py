"""What the engine, and a judge made of judges, may rely on in a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered

Identity = tuple[str, str]
"""What a calibration belongs to: the model (or the models of a panel), and the digest of
everything that it is asked with."""


class Judge(Protocol):
    """Answers questions: one model, a panel, or one judge backed by another."""

    @property
    def model(self) -> str:
        """The model, for people."""
        ...

    @property
    def identity(self) -> Identity:
        """What a calibration belongs to."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready."""
        ...

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> Sequence[Judged | Unanswered]:
        """Answer yes/no questions: one answer for each, in their order.

        Never raises a `JudgeError`: a fault is an `Unanswered`, an abstention is a
        `Judged` with the vote `cannot_assess`.
        """
        ...

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """Answer with JSON data that fits the schema of the need."""
        ...

    async def aclose(self) -> None:
        """Close all gateways. Safe to call twice."""
        ...
