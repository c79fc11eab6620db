"""What a judge is to those that add several up: one model, a panel, a pair, with or without P(yes) before the votes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Protocol

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.usage import Money, total
from judgemesh.mesh.judging.signals import Prior

Identity = tuple[str, str]
"""Whom a calibration is about: the model (or the models of a panel), and the digest of all that is asked with."""


class Asked(Protocol):
    """Whoever answers questions."""

    @property
    def model(self) -> str:
        """The model, for people."""
        ...

    @property
    def identity(self) -> Identity:
        """Whom a calibration is about."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready."""
        ...

    async def ask(self, need: Ask, context: CallContext) -> Judged | Unanswered:
        """Answer a yes/no question."""
        ...

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """Answer with JSON data."""
        ...

    async def aclose(self) -> None:
        """Close all gateways."""
        ...


class AskedFirst(Asked, Protocol):
    """Whoever also takes what P(yes) said before the votes."""

    async def ask(
        self, need: Ask, context: CallContext, prior: Prior | None = None
    ) -> Judged | Unanswered:
        """Answer a yes/no question."""
        ...


def sum_of(*amounts: Money | None) -> Money | None:
    """The sum; None where one is unknown, or where they are in several currencies. Amounts of 0 have no currency."""
    counted = [one for one in amounts if one is None or one.amount]
    if (
        any(one is None for one in counted)
        or len({one.currency for one in counted if one is not None}) > 1
    ):
        return None
    return total(counted) if counted else Money(Decimal(0))


def sum_known(*amounts: Money | None) -> Money | None:
    """The sum of those that are known; None for none."""
    known = [one for one in amounts if one is not None]
    return sum_of(*known) if known else None
