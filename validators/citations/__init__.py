"""Evidence validity: every citation is well-formed, exists, is what the agent says it is, and says it."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric
from judgemesh.validators.citations.coverage import looked_for


@validator(
    name="citations",
    version="1",
    takes_args=False,
    metric=Metric.EVIDENCE_VALIDITY,
    codes=(
        FailureCode.FABRICATED_REFERENCE,
        FailureCode.CITATION_NOT_FOUND,
        FailureCode.MISSING_CITATION,
        FailureCode.MISSING_EVIDENCE,
        FailureCode.OUTPUT_FORMAT_INVALID,
        FailureCode.CLAIM_EVIDENCE_MISMATCH,
        FailureCode.UNSUPPORTED_CLAIM,
    ),
    applies=lambda contract: contract.evidence is not None,
    covers=looked_for,
    stage=Stage.SOURCE,
    timeout_s=120.0,
    needs_answer=True,
)
def citations(case: Case) -> Judgement:
    """Every citation is well-formed, and a source holds it as the agent describes it.

    One verdict for each citation, so that the score is the share of citations verified. A source that cannot be
    reached leaves its citations undecided.
    """
    # Reading references is heavy to import, and most contracts ask for no evidence.
    from judgemesh.validators.citations.check import check_citations

    return (yield from check_citations(case))
