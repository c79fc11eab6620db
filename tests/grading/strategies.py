"""Hypothesis strategies for verdicts and reports."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.contracts.weighted_score import WeighedCriterion, WeightedScore

GRADES = [code for code in FailureCode if CODES[code].effect is not Effect.HOLD]
HOLDS = [code for code in FailureCode if CODES[code].effect is Effect.HOLD]

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
unit = st.floats(0, 1)
confidences = st.none() | st.builds(Confidence, st.none() | unit, st.none() | unit)
metrics = st.none() | st.sampled_from([*(metric.value for metric in Metric), "tone"])
weights = st.floats(0.01, 1000)
common = {
    "check": words,
    "diagnostic": words,
    "confidence": confidences,
    "evidence_refs": st.lists(words, max_size=3).map(tuple),
    "metric": metrics,
    "weight": weights,
}
passes = st.builds(Pass, score=st.none() | unit, **common)
fails = st.builds(
    Fail,
    codes=st.lists(st.sampled_from(GRADES), min_size=1, max_size=3).map(tuple),
    score=st.none() | unit,
    **common,
)
abstains = st.builds(
    Abstain,
    code=st.sampled_from(HOLDS),
    reason=st.sampled_from(Reason).map(str),
    **common,
)
errors = st.builds(
    Error,
    code=st.sampled_from(HOLDS),
    reason=st.sampled_from(Reason).map(str),
    **common,
)
skips = st.builds(Skipped, reason=st.sampled_from(Reason).map(str), **common)
verdicts: st.SearchStrategy[Verdict] = passes | fails | abstains | errors | skips
money = st.none() | st.builds(
    Money,
    st.decimals(0, 1000, places=6, allow_nan=False, allow_infinity=False).map(
        lambda value: value.normalize() + Decimal(0)
    ),
)

weighted = st.builds(
    WeightedScore,
    name=words,
    low=st.fractions(0, 1, max_denominator=1000),
    high=st.fractions(0, 1, max_denominator=10**30),
    outcome=st.none() | words,
    goal_confirmed=st.none() | st.booleans(),
    failed_state=st.none() | st.booleans(),
    criteria=st.lists(
        st.builds(
            WeighedCriterion,
            words,
            st.none() | st.booleans(),
            st.decimals(0, 9, places=4, allow_nan=False, allow_infinity=False),
        ),
        max_size=3,
    ).map(tuple),
    normalised=st.booleans(),
)


def rows(
    of: st.SearchStrategy[Verdict] = verdicts,
) -> st.SearchStrategy[ValidatorVerdict]:
    """One verdict with its envelope."""
    return st.builds(
        ValidatorVerdict,
        validator_name=st.sampled_from(["fields", "state", "judge"]),
        validator_version=st.just("1"),
        validator_type=st.just("generator"),
        verdict=of,
        gating=st.booleans(),
        latency_ms=st.floats(0, 1e6),
        evaluator_model=st.none() | st.just("m"),
        cost=money,
    )
