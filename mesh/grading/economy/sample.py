"""The options of `--mode economy`, and the sample of questions that are asked although the gate has failed.

A verdict that is there only because the sample drew its validator carries `details["audit_sample"]`, the share that
was drawn. Every other verdict would be there with any sample. So the probability of each verdict to be in the report
was known before the question was asked: the share, or 1. Weighted by one over it (Horvitz and Thompson, *J. Am. Stat.
Assoc.* 47, 1952), rates over judged criteria are unbiased, in whatever order the questions were asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from judgemesh.contracts.verdicts import Verdict
from judgemesh.mesh.grading.economy.history import QuestionHistory

AUDIT_SAMPLE: Final = "audit_sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """Options of the mode.

    audit: the share (0..1) of skippable validators that are asked anyway.
    history: what earlier runs say about the questions; it decides their order.
    """

    audit: float = 0.05
    seed: int = 0
    history: QuestionHistory = field(default_factory=QuestionHistory)

    def audited(self, result_id: str, validator_name: str) -> bool:
        """Whether a validator of a result is in the sample; the same for the same seed, in any order."""
        random = Random(f"{self.seed}:{result_id}:{validator_name}")  # noqa: S311 (a sample)
        return random.random() < self.audit


def with_audit_share(verdict: Verdict, share: float) -> Verdict:
    """The verdict with the share of the sample among its details."""
    return replace(verdict, details={**verdict.details, AUDIT_SAMPLE: share})


def sampling_weight(verdict: Verdict) -> float:
    """What a verdict counts for in a rate over judged criteria: one over its probability of being there."""
    share = verdict.details.get(AUDIT_SAMPLE)
    return 1.0 / share if isinstance(share, float) else 1.0
