"""The gate and the soft score: truth table, worked numbers, and properties over any verdicts."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Skipped,
    Verdict,
    score_of,
)
from judgemesh.mesh.grading.aggregate import aggregate, gating_of
from judgemesh.mesh.grading.explanation import explain

from .strategies import abstains, errors, rows, skips

CONTRACT = EvalContract(task_id="t")
F = FailureCode


def row(verdict: Verdict, *, gating: bool = True) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name="v",
        validator_version="1",
        validator_type="plain",
        verdict=verdict,
        gating=gating,
    )


PASS, FAIL = Pass(), Fail(codes=(F.WRONG_FACT,))
ABSTAIN, ERROR = Abstain(), Error()
DECIDED, UNSELECTED = (
    Skipped(reason=Reason.GATE_ALREADY_DECIDED),
    Skipped(reason=Reason.NOT_CONFIGURED),
)


@pytest.mark.parametrize(
    ("gating", "gate"),
    [
        ([], Gate.UNDECIDED),
        ([PASS], Gate.PASS),
        ([FAIL], Gate.FAIL),
        ([ABSTAIN], Gate.UNDECIDED),
        ([ERROR], Gate.UNDECIDED),
        ([UNSELECTED], Gate.UNDECIDED),
        ([DECIDED], Gate.UNDECIDED),
        ([PASS, DECIDED], Gate.PASS),
        ([PASS, UNSELECTED], Gate.UNDECIDED),
        ([PASS, ABSTAIN], Gate.UNDECIDED),
        ([PASS, ERROR], Gate.UNDECIDED),
        ([PASS, FAIL], Gate.FAIL),
        ([FAIL, ERROR, ABSTAIN, UNSELECTED, DECIDED, PASS], Gate.FAIL),
    ],
)
def test_gate_truth_table(gating: list[Verdict], gate: Gate) -> None:
    quiet = [
        row(verdict, gating=False)
        for verdict in (PASS, FAIL, ABSTAIN, ERROR, UNSELECTED)
    ]
    for order in itertools.islice(
        itertools.permutations([row(verdict) for verdict in gating]), 24
    ):
        assert aggregate([*order, *quiet], CONTRACT).gate is gate


def test_soft_score_is_the_articles_formula() -> None:
    parts = {
        Metric.COMPLETENESS: 0.9,
        Metric.EVIDENCE_VALIDITY: 0.8,
        Metric.EVIDENCE_CONSISTENCY: 0.7,
        Metric.METHODOLOGY: 0.6,
        Metric.READABILITY: 0.5,
    }
    found = aggregate(
        [row(Pass(score=score, metric=metric)) for metric, score in parts.items()],
        CONTRACT,
    )
    assert found.outcome_score == pytest.approx(
        10 * (0.3 * 0.9 + 0.2 * 0.8 + 0.2 * 0.7 + 0.2 * 0.6 + 0.1 * 0.5)
    )
    assert found.failure_codes == (F.LOW_READABILITY_SCORE,)
    assert found.gate is Gate.PASS


def test_absent_parts_share_out_their_weight() -> None:
    found = aggregate(
        [
            row(Pass(score=1.0, metric=Metric.COMPLETENESS)),
            row(Pass(score=0.5, metric=Metric.READABILITY)),
        ],
        CONTRACT,
    )
    assert found.outcome_score == pytest.approx((0.3 * 10 + 0.1 * 5) / 0.4)


def test_nothing_measured_has_no_score() -> None:
    found = aggregate([row(Abstain(metric=Metric.COMPLETENESS)), row(PASS)], CONTRACT)
    assert found.outcome_score is None
    assert found.scores == {}


def test_completeness_is_a_weighted_share() -> None:
    found = aggregate(
        [
            row(Pass(metric=Metric.COMPLETENESS, weight=3)),
            row(
                Fail(
                    codes=(F.MISSING_REQUIRED_FIELD,),
                    metric=Metric.COMPLETENESS,
                    weight=1,
                )
            ),
        ],
        CONTRACT,
    )
    assert found.scores[Metric.COMPLETENESS] == 7.5
    assert found.primary is F.MISSING_REQUIRED_FIELD


def test_a_low_score_gates_only_where_the_contract_says_so() -> None:
    low = [row(Pass(score=0.2, metric=Metric.READABILITY))]
    assert aggregate(low, CONTRACT).gate is Gate.PASS
    strict = EvalContract.model_validate(
        {"task_id": "t", "outcome": {"effects": {"low_readability_score": "gate"}}}
    )
    found = aggregate(low, strict)
    assert (found.gate, found.primary) == (Gate.FAIL, F.LOW_READABILITY_SCORE)


def test_primary_code_follows_precedence_and_names_what_holds_a_gate() -> None:
    failing = [
        row(Fail(codes=(F.OUTPUT_FORMAT_INVALID, F.FABRICATED_REFERENCE))),
        row(Fail(codes=(F.UNAUTHORIZED_PAYMENT,))),
    ]
    assert aggregate(failing, CONTRACT).primary is F.UNAUTHORIZED_PAYMENT
    assert (
        aggregate(
            [row(PASS), row(Abstain(code=F.EVIDENCE_SOURCE_INACCESSIBLE))], CONTRACT
        ).primary
        is F.EVIDENCE_SOURCE_INACCESSIBLE
    )
    assert aggregate([row(PASS)], CONTRACT).primary is None


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_codes_that_hold_a_gate_the_first_in_precedence_is_named(
    order: int,
) -> None:
    holding = [
        row(Abstain(code=F.EVIDENCE_SOURCE_INACCESSIBLE)),
        row(Abstain(code=F.LOW_CONFIDENCE_EVALUATION)),
        row(Abstain(code=F.EVALUATOR_FAILURE), gating=False),
    ][::order]
    found = aggregate(holding, CONTRACT)
    assert found.primary is F.EVIDENCE_SOURCE_INACCESSIBLE
    assert found.confidence == Confidence()


def test_confidence_of_a_pass_is_its_weakest_check() -> None:
    found = aggregate(
        [
            row(Pass(confidence=Confidence(0.9, 0.8))),
            row(Pass(confidence=Confidence(0.6))),
        ],
        CONTRACT,
    )
    assert found.confidence == Confidence(0.6, 0.8)
    failed = aggregate(
        [
            row(Fail(codes=(F.WRONG_FACT,), confidence=Confidence(0.7))),
            row(Fail(codes=(F.WRONG_FACT,), confidence=Confidence(0.9))),
        ],
        CONTRACT,
    )
    assert failed.confidence.stability == 0.9


@pytest.mark.parametrize(
    ("verdict", "override", "validator_gates", "expected"),
    [
        (Fail(codes=(F.WRONG_FACT,)), None, True, True),
        (Fail(codes=(F.INCOMPLETE_ANSWER,)), None, True, False),
        (Fail(codes=(F.WRONG_FACT,)), None, False, False),
        (Fail(codes=(F.WRONG_FACT,), gating=False), None, True, False),
        (Fail(codes=(F.INCOMPLETE_ANSWER,), gating=True), None, True, True),
        (Fail(codes=(F.INCOMPLETE_ANSWER,)), True, True, True),
        (Fail(codes=(F.WRONG_FACT,)), False, True, False),
        (Error(), None, True, True),
        (Error(), None, False, False),
        (Error(), False, True, False),
    ],
)
def test_who_decides_what_gates(
    verdict: Verdict, override: bool | None, validator_gates: bool, expected: bool
) -> None:
    assert (
        gating_of(
            verdict,
            override=override,
            validator_gates=validator_gates,
            contract=CONTRACT,
        )
        is expected
    )


def test_every_code_stands_in_the_table_once_with_its_own_precedence() -> None:
    assert set(CODES) == set(FailureCode)
    assert [CODES[code].precedence for code in CODES] == list(range(len(CODES)))
    holds = [info.precedence for info in CODES.values() if info.effect is Effect.HOLD]
    softs = [info.precedence for info in CODES.values() if info.effect is Effect.SOFT]
    gates = [info.precedence for info in CODES.values() if info.effect is Effect.GATE]
    assert max(gates) < min(softs) <= max(softs) < min(holds)


any_rows = st.lists(rows(), max_size=8)


@given(any_rows, st.randoms())
def test_order_never_matters(
    given_rows: list[ValidatorVerdict], random: object
) -> None:
    shuffled = list(given_rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    found, again = aggregate(given_rows, CONTRACT), aggregate(shuffled, CONTRACT)
    assert found == again
    assert explain(found, given_rows) == explain(again, shuffled)


@given(any_rows, rows(abstains | errors | skips))
def test_what_is_no_grade_never_makes_a_fail_pass_nor_a_pass_of_nothing(
    given_rows: list[ValidatorVerdict], extra: ValidatorVerdict
) -> None:
    before, after = (
        aggregate(given_rows, CONTRACT),
        aggregate([*given_rows, extra], CONTRACT),
    )
    if before.gate is Gate.FAIL:
        assert after.gate is Gate.FAIL
    if before.gate is Gate.UNDECIDED:
        assert after.gate is Gate.UNDECIDED
    assert after.scores == before.scores
    assert after.gate_codes == before.gate_codes


@given(any_rows, rows(st.just(Fail(codes=(F.WRONG_FACT,)))))
def test_a_failed_gating_verdict_always_fails(
    given_rows: list[ValidatorVerdict], failing: ValidatorVerdict
) -> None:
    found = aggregate([*given_rows, replace(failing, gating=True)], CONTRACT)
    assert found.gate is Gate.FAIL
    assert found.primary is not None


@given(any_rows)
def test_a_pass_needs_a_gating_pass_and_nothing_against_it(
    given_rows: list[ValidatorVerdict],
) -> None:
    if aggregate(given_rows, CONTRACT).gate is Gate.PASS:
        gating = [one for one in given_rows if one.gating]
        assert any(isinstance(one.verdict, Pass) for one in gating)
        assert all(
            isinstance(one.verdict, Pass)
            or (
                isinstance(one.verdict, Skipped)
                and one.verdict.reason == Reason.GATE_ALREADY_DECIDED
            )
            for one in gating
        )


@given(st.lists(rows(), min_size=1, max_size=8), st.data())
def test_the_soft_score_is_monotone(
    given_rows: list[ValidatorVerdict], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(given_rows) - 1))
    old = given_rows[place].verdict
    score = score_of(old)
    if score is None:
        return
    better = Pass(
        score=data.draw(st.floats(score, 1)), metric=old.metric, weight=old.weight
    )
    raised = [
        *given_rows[:place],
        replace(given_rows[place], verdict=better),
        *given_rows[place + 1 :],
    ]
    before, after = (
        aggregate(given_rows, CONTRACT).outcome_score,
        aggregate(raised, CONTRACT).outcome_score,
    )
    if before is not None:
        assert after is not None
        assert after >= before - 1e-9


@given(any_rows)
def test_scores_stay_in_range(given_rows: list[ValidatorVerdict]) -> None:
    found = aggregate(given_rows, CONTRACT)
    assert all(0 <= score <= 10 for score in found.scores.values())
    assert found.outcome_score is None or 0 <= found.outcome_score <= 10
