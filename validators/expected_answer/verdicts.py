"""The verdicts on expected values."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.needs import Answer, Judged, Unanswered, unanswered_verdict
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Verdict,
    VerdictFields,
    inaccessible,
)
from judgemesh.validators._shared.replies import expect
from judgemesh.validators.expected_answer.comparison import Comparison, Finding

_METRIC: Final = Metric.COMPLETENESS.value


def verdict_of(comparison: Comparison) -> Verdict:
    """The verdict without a judge."""
    fields: VerdictFields = {
        "metric": _METRIC,
        "weight": comparison.weight,
        "evidence_refs": comparison.refs,
    }
    expected = f"{comparison.subject} must be {comparison.expected}"
    match comparison.finding:
        case Finding.MET:
            fields["confidence"] = DETERMINISTIC
            return Pass(check=comparison.check, **fields)
        case Finding.HIDDEN:
            why = f"{expected}; the transcript is not in the result: {comparison.why}"
            return inaccessible(comparison.check, why, **fields)
        case Finding.UNCERTAIN:
            why = (
                f"{expected}; {comparison.why}, which can be read in more than one way"
            )
            return Abstain(check=comparison.check, diagnostic=why, **fields)
        case _:
            fields["confidence"] = DETERMINISTIC
            return Fail(
                check=comparison.check,
                codes=(comparison.code,),
                diagnostic=f"{expected}; {comparison.why}",
                **fields,
            )


def judged_verdict(comparison: Comparison, answer: Answer) -> Verdict:
    """The verdict on a value that was put to a judge."""
    check, weight = comparison.check, comparison.weight
    reply = expect(answer, Judged)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=check, metric=_METRIC, weight=weight)
    fields: VerdictFields = {
        "metric": _METRIC,
        "weight": weight,
        "confidence": reply.confidence,
        "evidence_refs": comparison.refs or ("judge",),
    }
    expected = f"{comparison.subject} must be {comparison.expected}"
    why = (
        f"{expected}; {comparison.why}; a judge says {reply.vote.value}: {reply.reason}"
    )
    if reply.vote is Vote.YES:
        return Pass(check=check, diagnostic=why, **fields)
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(check=check, diagnostic=why, **fields)
    return Fail(check=check, codes=(comparison.code,), diagnostic=why, **fields)
