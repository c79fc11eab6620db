"""Verdicts of a validator that cannot decide: nothing was configured, or the evidence cannot be read."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.verdicts import Abstain, Reason, Skipped


def not_configured(check: str, diagnostic: str) -> Skipped:
    """The contract configures nothing that the check could look at."""
    return Skipped(check=check, reason=Reason.NOT_CONFIGURED, diagnostic=diagnostic)


def inaccessible(
    check: str,
    diagnostic: str,
    *,
    metric: str,
    weight: float = 1.0,
    gating: bool | None = None,
) -> Abstain:
    """The evidence of the check is missing or cannot be read."""
    return Abstain(
        check=check,
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic=diagnostic,
        metric=metric,
        weight=weight,
        gating=gating,
    )
