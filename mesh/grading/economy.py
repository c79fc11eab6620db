"""`--mode economy`: no judge is asked about a result whose gate has failed already, but for a seeded sample. Pure.

What would have been asked is recorded as `Skipped(gate_already_decided)`. A validator in the sample is asked all the
same, and its verdicts carry `details["audit_sample"]`, the share that was drawn: weighting each such verdict by one
over that share keeps rates over judged criteria unbiased.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import anyio

from judgemesh.contracts.needs import Ask, Extract, Need, Unanswered
from judgemesh.contracts.verdicts import Abstain, Error, Reason, Skipped, Verdict

AUDIT_SAMPLE: Final = "audit_sample"
SPARED: Final = Unanswered(
    error_type=Reason.GATE_ALREADY_DECIDED,
    message="not asked: the gate has failed already (--mode economy)",
)
"""The answer of a judge who was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """How sparing to be. `audit` is the share (0..1) of what may be skipped that is asked all the same."""

    audit: float = 0.05
    seed: int = 0

    def audited(self, result_id: str, validator_name: str) -> bool:
        """Whether a validator of a result is in the sample; the same for the same seed, in any order."""
        return Random(f"{self.seed}:{result_id}:{validator_name}").random() < self.audit  # noqa: S311 (a sample)


@dataclass(slots=True)
class Door:
    """Where validators wait before they ask a judge, until all that can be known without one is known.

    `at_work` counts the validators that are neither done nor waiting here; `failed` says whether the gate has failed.
    """

    at_work: int
    failed: Callable[[], bool]
    _decided: bool = False
    _open: anyio.Event = field(default_factory=anyio.Event)

    def rest(self) -> None:
        """A validator is done, or waits here."""
        self.at_work -= 1
        if self.at_work == 0 and not self._open.is_set():
            self._decided = self.failed()
            self._open.set()

    async def decided(self) -> bool:
        """Wait until the door opens; True when the gate has failed by then, so that nobody need be asked."""
        if not self._open.is_set():
            self.rest()
            try:
                await self._open.wait()
            finally:
                self.at_work += 1
        return self._decided


def asks(needs: Sequence[Need]) -> bool:
    """Whether a judge is needed."""
    return any(isinstance(need, Ask | Extract) for need in needs)


def settled(verdict: Verdict) -> Verdict:
    """A verdict that stands for a question nobody asked is no error but a skip."""
    if (
        isinstance(verdict, Error | Abstain)
        and verdict.reason == Reason.GATE_ALREADY_DECIDED
    ):
        return Skipped(
            check=verdict.check,
            reason=Reason.GATE_ALREADY_DECIDED,
            diagnostic=verdict.diagnostic,
            metric=verdict.metric,
            weight=verdict.weight,
            gating=verdict.gating,
            details=verdict.details,
        )
    return verdict


def marked(verdict: Verdict, share: float) -> Verdict:
    """A verdict of the sample says so."""
    return replace(verdict, details={**verdict.details, AUDIT_SAMPLE: share})
