"""Sub-scores, the soft score, and which sub-scores are low or may be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Metric,
    Pass,
    Reason,
    Verdict,
)
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.soft_score import (
    DEFAULT_WEIGHTS,
    LOW_CODES,
    low_codes,
    open_low_codes,
    soft_score,
    sub_scores,
)

FACTS = "evidence_consistency"
LOW = FailureCode.LOW_EVIDENCE_CONSISTENCY_SCORE


def passed(
    score: float | None = None, *, metric: str | None = FACTS, weight: float = 1.0
) -> Pass:
    return Pass(score=score, metric=metric, weight=weight)


def failed(
    score: float | None = None, *, metric: str | None = FACTS, weight: float = 1.0
) -> Fail:
    codes = (FailureCode.UNSUPPORTED_CLAIM,)
    return Fail(score=score, codes=codes, metric=metric, weight=weight)


def unsure(*, metric: str | None = FACTS, weight: float = 1.0) -> Abstain:
    return Abstain(reason=Reason.NO_VERDICT, metric=metric, weight=weight)


def rows(*verdicts: Verdict) -> list[ValidatorVerdict]:
    return [
        ValidatorVerdict(
            validator_name="claims",
            validator_version="1",
            validator_type="rule",
            verdict=verdict,
            gating=True,
        )
        for verdict in verdicts
    ]


def contract(**scoring: Any) -> EvalContract:
    return EvalContract.model_validate({"task_id": "t", "scoring": scoring})


SCORES: list[tuple[list[Verdict], float | None]] = [
    ([passed()], 10.0),
    ([failed()], 0.0),
    ([passed(0.25)], 2.5),
    ([failed(0.75)], 7.5),
    ([passed(), failed()], 5.0),
    ([passed(weight=3), failed(weight=1)], 7.5),
    ([passed(), unsure(), Error(reason=Reason.EXCEPTION, metric=FACTS)], 10.0),
    ([unsure()], None),
    ([passed(metric=None)], None),
    ([passed(metric=None), failed()], 0.0),
]


@pytest.mark.parametrize(("verdicts", "score"), SCORES)
def test_a_sub_score_is_the_weighted_mean_of_what_was_verified(
    verdicts: list[Verdict], score: float | None
) -> None:
    scores = sub_scores(rows(*verdicts))
    assert scores == ({} if score is None else {FACTS: pytest.approx(score)})


def test_metrics_are_apart_and_sorted() -> None:
    given = rows(passed(metric="readability"), failed(metric="completeness"))
    assert list(sub_scores(given).items()) == [
        ("completeness", 0.0),
        ("readability", 10.0),
    ]


def test_the_weights_of_the_soft_score() -> None:
    assert sum(DEFAULT_WEIGHTS.values()) == pytest.approx(1)
    scores = {"completeness": 10.0, "readability": 0.0, "tone": 3.0}
    total = DEFAULT_WEIGHTS[Metric.COMPLETENESS] + DEFAULT_WEIGHTS[Metric.READABILITY]
    expected = 10 * DEFAULT_WEIGHTS[Metric.COMPLETENESS] / total
    assert soft_score(scores, contract()) == pytest.approx(expected)
    ten_to_one = contract(weights={"completeness": 10, "readability": 1})
    assert soft_score(scores, ten_to_one) == pytest.approx(100 / 11)
    without = contract(weights={"completeness": 0})
    assert soft_score(scores, without) == 0.0
    assert soft_score({"completeness": 10.0}, without) is None
    assert soft_score({"tone": 3.0}, contract()) is None


@pytest.mark.parametrize("metric", LOW_CODES)
def test_a_score_is_low_below_its_threshold(metric: Metric) -> None:
    code = LOW_CODES[metric]
    assert low_codes({metric: 5.99}, contract()) == [code]
    assert low_codes({metric: 6.0}, contract()) == []
    assert low_codes({}, contract()) == []
    raised = contract(thresholds={metric: 8.0})
    assert low_codes({metric: 7.99}, raised) == [code]
    assert low_codes({metric: 8.0}, raised) == []


# With a threshold of 6: what is undecided counts as failed.
OPEN: list[tuple[list[Verdict], bool]] = [
    ([], True),
    ([unsure()], True),
    ([passed(metric=None)], True),
    ([passed()], False),
    ([failed()], False),
    ([passed(0.6)], False),
    ([passed(0.6), unsure(weight=0.001)], True),
    ([passed(), unsure()], True),
    ([passed(), passed(), unsure()], False),
    ([passed(weight=6), unsure(weight=4)], False),
    ([passed(weight=6), unsure(weight=4.01)], True),
    ([failed(), unsure()], False),
    ([passed(0.5), unsure()], False),
    ([passed(metric=None), passed(), unsure()], True),
    ([unsure(metric=None), passed()], False),
    ([unsure(metric="readability"), passed()], False),
]


@pytest.mark.parametrize(("verdicts", "is_open"), OPEN)
def test_a_score_that_might_be_low_is_open(
    verdicts: list[Verdict], *, is_open: bool
) -> None:
    assert (LOW in open_low_codes(rows(*verdicts), contract())) is is_open


def test_the_threshold_decides_what_is_open() -> None:
    given = rows(passed(), unsure())
    assert LOW not in open_low_codes(given, contract(thresholds={FACTS: 5.0}))
    assert LOW in open_low_codes(given, contract(thresholds={FACTS: 5.1}))
    assert LOW in open_low_codes(given, contract(thresholds={FACTS: 10.0}))


def test_a_score_that_is_open_holds_the_gate() -> None:
    """The sub-score is a gate of the contract: with one check undecided it may be low."""
    gates = {"outcome": {"effects": {LOW.value: "gate"}}}
    one = EvalContract.model_validate({"task_id": "t", **gates})
    passing = rows(passed(), Pass(check="fields"))
    undecided = [*passing, replace(rows(unsure())[0], gating=False)]
    assert aggregate(passing, one).gate is Gate.PASS
    assert aggregate(undecided, one).gate is Gate.UNDECIDED
    assert aggregate(undecided, one).open_codes == (LOW,)
    assert aggregate(undecided, contract()).gate is Gate.PASS


def test_a_check_that_the_contract_made_a_gate_names_its_soft_codes() -> None:
    soft = Fail(codes=(FailureCode.LOW_READABILITY_SCORE,), check="style")
    total = aggregate(rows(Pass(check="fields"), soft), contract())
    assert total.gate is Gate.FAIL
    assert total.gate_codes == (FailureCode.LOW_READABILITY_SCORE,)
    assert total.primary is FailureCode.LOW_READABILITY_SCORE


def test_a_pass_is_as_sure_as_its_least_sure_check() -> None:
    """Checks without a confidence, and those that do not pass the gate, are passed over."""
    given = rows(
        Pass(check="a"),
        Pass(check="b", confidence=Confidence(0.9, 0.7)),
        Pass(check="c", confidence=Confidence(None, 0.8)),
        Pass(check="d", confidence=Confidence(0.6, None)),
    )
    assert aggregate(given, contract()).confidence == Confidence(0.6, 0.7)
    failing = rows(
        Fail(codes=(FailureCode.WRONG_FACT,), confidence=Confidence(0.5, 0.4)),
        Pass(confidence=Confidence(1.0, 1.0)),
        Fail(codes=(FailureCode.WRONG_FACT,), confidence=Confidence(0.3, 0.6)),
    )
    assert aggregate(failing, contract()).confidence == Confidence(0.5, 0.6)


def test_no_low_score_is_a_gate_by_itself() -> None:
    """So a contract that gives no code another effect need not be asked which are."""
    assert not contract().moves_codes
    assert {CODES[code].effect for code in LOW_CODES.values()} == {Effect.SOFT}
    moved = {"success_criteria": {"must_not_include": [str(LOW)]}}
    assert EvalContract.model_validate({"task_id": "t", **moved}).moves_codes
