"""A report survives JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import (
    Gate,
    OutcomeClass,
    Report,
    report_from_json,
    report_to_json,
)
from judgemesh.contracts.verdicts import Confidence

from ..grading.strategies import confidences, money, rows, weighted, words

scores = st.none() | st.floats(0, 10)
reports = st.builds(
    Report,
    result_id=words,
    task_id=words,
    trace_id=st.none() | words,
    agent_id=st.none() | words,
    skill_id=st.none() | words,
    eval_contract_version=st.none() | words,
    evaluator_version=words,
    gate=st.sampled_from(Gate),
    verdicts=st.lists(rows(), max_size=3).map(tuple),
    outcome_score=scores,
    completeness_score=scores,
    readability_score=scores,
    other_scores=st.dictionaries(words, st.floats(0, 10), max_size=2).map(
        lambda named: tuple(named.items())
    ),
    weighted_scores=st.lists(weighted, max_size=2).map(tuple),
    primary_failure_reason_code=st.none() | st.sampled_from(FailureCode),
    failure_reason_codes=st.lists(st.sampled_from(FailureCode), max_size=3).map(tuple),
    outcome_class=st.none() | st.sampled_from(OutcomeClass),
    confidence=confidences.map(lambda found: found or Confidence()),
    evaluator_cost=money,
    evaluator_cost_avoided=money,
    judge_calls=st.integers(0, 99),
    agent_cost=money,
    agent_latency_ms=st.none() | st.floats(0, 1e9),
    latency_ms=st.floats(0, 1e9),
    explanation=words,
)


@given(reports)
def test_json_round_trip(report: Report) -> None:
    again = report_from_json(json.loads(json.dumps(report_to_json(report))))
    # A pass without a score of its own comes back with the score it means; everything else is the same to the letter.
    assert report_to_json(again) == report_to_json(report)
    assert report_from_json(report_to_json(again)) == again


def test_hard_success_is_a_passed_gate_only() -> None:
    for gate in Gate:
        report = Report(
            result_id="r",
            task_id="t",
            eval_contract_version=None,
            evaluator_version="0",
            gate=gate,
            verdicts=(),
        )
        assert report_to_json(report)["hard_success"] is (gate is Gate.PASS)
