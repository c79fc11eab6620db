"""`--mode economy`: no judge is asked about a result whose gate has already failed, apart from a seeded sample.

A question that is not asked is recorded as `Skipped(gate_already_decided)`. A validator in the sample is asked anyway,
and its verdicts carry `details["audit_sample"]`, the share that was drawn: weighting each such verdict by one over that
share keeps rates over judged criteria unbiased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import anyio

from judgemesh.contracts.needs import Ask, Extract, Lookup, Need, Records, Unanswered
from judgemesh.contracts.verdicts import Abstain, Error, Reason, Skipped, Verdict

AUDIT_SAMPLE: Final = "audit_sample"
NOT_ASKED: Final = Unanswered(
    error_type=Reason.GATE_ALREADY_DECIDED,
    message="not asked: the gate has failed already (--mode economy)",
)
"""The answer to a question that no judge is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """Options of the mode. `audit` is the share (0..1) of skippable validators that are asked anyway."""

    audit: float = 0.05
    seed: int = 0

    def audited(self, result_id: str, validator_name: str) -> bool:
        """Whether a validator of a result is in the sample; the same for the same seed, in any order."""
        random = Random(f"{self.seed}:{result_id}:{validator_name}")  # noqa: S311 (a sample)
        return random.random() < self.audit


@dataclass(slots=True)
class Barrier:
    """Holds validators back before they ask a judge, until everything that needs no judge is known.

    running: the number of validators that are neither done nor waiting here.
    gate_failed: says whether the gate has failed by the verdicts so far.
    """

    running: int
    gate_failed: Callable[[], bool]
    _decided: bool = False
    _open: anyio.Event = field(default_factory=anyio.Event)

    def leave(self) -> None:
        """Count out a validator that is done or starts to wait; the last one opens the barrier."""
        self.running -= 1
        if self.running == 0 and not self._open.is_set():
            self._decided = self.gate_failed()
            self._open.set()

    async def wait(self) -> bool:
        """Wait until the barrier opens; True when the gate had failed by then, so that no judge need be asked."""
        if not self._open.is_set():
            self.leave()
            try:
                await self._open.wait()
            finally:
                self.running += 1
        return self._decided


def needs_judge(needs: Iterable[Need]) -> bool:
    """Whether a judge has to answer one of the needs."""
    return any(isinstance(need, Ask | Extract) for need in needs)


def needs_source(needs: Iterable[Need]) -> bool:
    """Whether a source has to answer one of the needs."""
    return any(isinstance(need, Lookup | Records) for need in needs)


def skip_if_not_asked(verdict: Verdict) -> Verdict:
    """A verdict about a question that was not asked becomes `Skipped`; others stay as they are."""
    if not isinstance(verdict, Error | Abstain):
        return verdict
    if verdict.reason != Reason.GATE_ALREADY_DECIDED:
        return verdict
    return Skipped(
        check=verdict.check,
        reason=Reason.GATE_ALREADY_DECIDED,
        diagnostic=verdict.diagnostic,
        metric=verdict.metric,
        weight=verdict.weight,
        gating=verdict.gating,
        details=verdict.details,
    )


def with_audit_share(verdict: Verdict, share: float) -> Verdict:
    """The verdict with the share of the sample among its details."""
    return replace(verdict, details={**verdict.details, AUDIT_SAMPLE: share})
