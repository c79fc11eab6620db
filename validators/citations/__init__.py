"""Evidence validity: every citation is well-formed, exists, is what the agent says it is, and says it."""

from __future__ import annotations

from itertools import starmap

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric, Pass, not_configured
from judgemesh.validators.citations.cited import Cited, Standing
from judgemesh.validators.citations.coverage import looked_for
from judgemesh.validators.citations.levels import findings_of
from judgemesh.validators.citations.lookups import Inquiry, is_citation, look_up
from judgemesh.validators.citations.reading import citations_of
from judgemesh.validators.citations.verdicts import (
    citation_verdict,
    excess_verdict,
    missing_verdicts,
)


@validator(
    name="citations",
    version="1",
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
    spec = case.contract.evidence
    if spec is None:
        return [not_configured("citations", "the contract has no section `evidence`")]
    cited = citations_of(case.result.output, text=spec.text)
    inquiries = list(starmap(Inquiry, enumerate(cited.checked)))
    marks = list(starmap(_of_mark, enumerate(cited.dangling, start=len(inquiries))))
    if spec.sources and "exists" in spec.levels:
        yield from look_up([*inquiries, *marks], spec)
    inquiries = [inquiry for inquiry in inquiries if is_citation(inquiry)]
    inquiries += [mark for mark in marks if mark.is_found]
    dangling = [mark.cited.mark for mark in marks if not mark.is_found]
    verdicts = list(missing_verdicts(inquiries, dangling, cited, spec))
    for inquiry in inquiries:
        findings = findings_of(inquiry, spec)
        verdicts.append(citation_verdict(inquiry.cited, findings, spec))
    if cited.excess:
        verdicts.append(excess_verdict(cited.excess))
    return verdicts or [_NO_CITATIONS]


def _of_mark(number: int, mark: str) -> Inquiry:
    """A reference that leads to no citation of the answer: it may be the name that a source has for an item."""
    cited = Cited(
        ref="final_answer",
        names=(mark.strip("[]()"),),
        mark=mark,
        standing=Standing.NAMED,
    )
    return Inquiry(number, cited)


_NO_CITATIONS = Pass(
    check="citations", diagnostic="no citation is required, and none given"
)
