"""Claims: whether the evidence supports what the answer states."""

from __future__ import annotations

from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric
from judgemesh.validators.claims.asked import (
    CODES,
    asks_about_claims,
    covered_codes,
)


@validator(
    name="claims",
    version="1",
    takes_args=False,
    metric=Metric.EVIDENCE_CONSISTENCY,
    codes=CODES,
    applies=asks_about_claims,
    covers=covered_codes,
    stage=Stage.MODEL,
    timeout_s=900.0,
    needs_answer=True,
)
def claims(case: Case) -> Judgement:
    """The evidence supports what the answer states, and nothing contradicts a known fact.

    Claims are those the agent lists and those read from the answer and the outputs. Evidence is what the contract
    names, what its sources hold and what tools returned; what the agent brings is a pointer. Rules decide first, and
    only what they can hardly get wrong; what they leave open is asked: does the cited evidence support the claim, and
    if not, does it contradict it. Without a judge an open point is skipped, never passed.
    """
    # Reading language is heavy to import, and most contracts ask for no claims.
    from judgemesh.validators.claims.check import check_claims

    return (yield from check_claims(case))
