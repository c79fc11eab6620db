"""What becomes of the verdicts about questions that no judge is asked in `--mode economy`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Error, Reason, Skipped, Verdict

_UNGRADED: Final = (Error, Abstain)


def skip_if_not_asked(verdict: Verdict) -> Verdict:
    """A verdict about a question that was not asked becomes `Skipped`; others stay as they are."""
    if not isinstance(verdict, _UNGRADED):
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


def answered_checks(verdicts: Iterable[Verdict]) -> frozenset[str]:
    """The checks that have a verdict although some questions were not asked."""
    answered: set[str] = set()
    skipped: set[str] = set()
    for verdict in map(skip_if_not_asked, verdicts):
        checks = skipped if _is_skip(verdict) else answered
        checks.add(verdict.check)
    return frozenset(answered - skipped)


def held_open(row: ValidatorVerdict) -> ValidatorVerdict:
    """A skip becomes an error where the failure that it rests on is not in the report after all.

    The validator that failed the gate missed its deadline afterwards, or does not give the same verdict twice.
    """
    verdict = row.verdict
    if not _is_skip(verdict):
        return row
    error = Error(
        check=verdict.check,
        diagnostic="not asked, because a check had failed that has no verdict now",
        metric=verdict.metric,
        weight=verdict.weight,
        gating=verdict.gating,
        details=verdict.details,
    )
    return replace(row, verdict=error)


def _is_skip(verdict: Verdict) -> bool:
    if not isinstance(verdict, Skipped):
        return False
    return verdict.reason == Reason.GATE_ALREADY_DECIDED
