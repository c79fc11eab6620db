"""Claims: whether the evidence supports what the answer states."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.evidence import ClaimsSpec
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric, Skipped
from judgemesh.validators.claims.asking import ask_judge
from judgemesh.validators.claims.collecting import collect_evidence, fetch_evidence
from judgemesh.validators.claims.deciding import decide_by_facts, decide_by_rules
from judgemesh.validators.claims.finding import find_claims
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.reading import read_claim
from judgemesh.validators.claims.verdicts import verdicts_of

_CODES: Final = (
    FailureCode.UNSUPPORTED_CLAIM,
    FailureCode.CLAIM_EVIDENCE_MISMATCH,
    FailureCode.CONTRADICTED_BY_EVIDENCE,
    FailureCode.WRONG_FACT,
)
_NO_CLAIMS: Final = Skipped(
    check="claims",
    reason="no_claims",
    diagnostic="the answer states no claim",
    gating=False,
)


def _applies(contract: EvalContract) -> bool:
    if contract.claims is not None:
        return True
    return any(code in _CODES for code in contract.named_codes())


@validator(
    name="claims",
    version="1",
    metric=Metric.EVIDENCE_CONSISTENCY,
    codes=_CODES,
    applies=_applies,
    stage=Stage.MODEL,
    timeout_s=900.0,
)
def claims(case: Case) -> Judgement:
    """The evidence supports what the answer states, and nothing contradicts a known fact.

    Claims are those the agent lists, or the sentences that state something. Rules decide first, and only what they can
    hardly get wrong; what they leave open is asked: does the cited evidence support the claim, and if not, does it
    contradict it. Without a judge an open point is skipped, never passed.
    """
    spec = case.contract.claims or ClaimsSpec()
    stated = yield from find_claims(case, spec)
    if not isinstance(stated, list):
        return [stated]
    if not stated:
        return [_NO_CLAIMS]
    checked = stated[: spec.max_claims]
    points = [ClaimPoint(claim, read_claim(claim.text)) for claim in checked]
    library = collect_evidence(case.result.output, spec)
    yield from fetch_evidence(case, checked, library)
    needs_evidence = (
        library.texts
        or case.contract.evidence is not None
        or any(claim.citations for claim in checked)
    )
    for point in points:
        decide_by_facts(point, spec.facts)
        if needs_evidence and point.stance is None:
            decide_by_rules(point, library)
    if case.judge:
        yield from ask_judge([point for point in points if point.is_open])
    return verdicts_of(points, beyond=len(stated) - spec.max_claims)
