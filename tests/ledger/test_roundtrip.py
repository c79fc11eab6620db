"""A report that went through the ledger is the report that went in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import (
    Gate,
    OutcomeClass,
    Report,
    ValidatorVerdict,
    report_to_json,
)
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
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.report_digest import report_digest
from judgemesh.mesh.ledger.store import Ledger

from ..grading.strategies import weighted
from .test_opinions import ESCALATED, OF_PANEL

_NOW = datetime(2026, 1, 2, tzinfo=UTC)
_HOLD = [code for code in FailureCode if CODES[code].effect is Effect.HOLD]
_NOT_HOLD = [code for code in FailureCode if CODES[code].effect is not Effect.HOLD]

texts = st.text(max_size=20)
unit = st.floats(0, 1)
ten = st.none() | st.floats(0, 10)
durations = st.floats(0, 1e9)
# Fifteen significant digits is what the ledger promises for money.
amounts = st.tuples(st.integers(0, 10**15 - 1), st.integers(0, 12)).map(
    lambda pair: Decimal(pair[0]).scaleb(-pair[1])
)
money = st.none() | st.builds(Money, amounts, st.sampled_from(["USD", "EUR", "CNY"]))
confidences = st.none() | st.builds(Confidence, st.none() | unit, st.none() | unit)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=8,
)
_common: dict[str, st.SearchStrategy[Any]] = {
    "check": texts,
    "diagnostic": texts,
    "confidence": confidences,
    "evidence_refs": st.lists(texts, max_size=3).map(tuple),
    "metric": st.none() | st.sampled_from(Metric) | texts,
    "weight": st.floats(0, 100, exclude_min=True),
    "gating": st.none() | st.booleans(),
    "details": st.dictionaries(texts, json_values, max_size=3),
    "opinion": st.sampled_from((None, ESCALATED, OF_PANEL)),
}
_scored = {**_common, "score": st.none() | unit}
_held = {
    **_common,
    "code": st.sampled_from(_HOLD),
    "reason": st.sampled_from(Reason) | texts,
}
verdicts: st.SearchStrategy[Verdict] = st.one_of(
    st.builds(Pass, **_scored),
    st.builds(
        Fail,
        codes=st.lists(st.sampled_from(_NOT_HOLD), min_size=1, max_size=3).map(tuple),
        **_scored,
    ),
    st.builds(Abstain, **_held),
    st.builds(Error, **_held),
    st.builds(Skipped, reason=st.sampled_from(Reason) | texts, **_common),
)
graded = st.builds(
    ValidatorVerdict,
    validator_name=texts,
    validator_version=texts,
    validator_type=texts,
    verdict=verdicts,
    gating=st.booleans(),
    latency_ms=durations,
    evaluator_model=st.none() | texts,
    cost=money,
)
reports = st.builds(
    Report,
    result_id=st.text(min_size=1, max_size=12),
    task_id=texts,
    eval_contract_version=st.none() | texts,
    evaluator_version=texts,
    gate=st.sampled_from(Gate),
    verdicts=st.lists(graded, max_size=4).map(tuple),
    trace_id=st.none() | texts,
    agent_id=st.none() | texts,
    skill_id=st.none() | texts,
    outcome_score=ten,
    completeness_score=ten,
    evidence_validity_score=ten,
    evidence_consistency_score=ten,
    methodology_score=ten,
    readability_score=ten,
    execution_success_score=ten,
    other_scores=st.dictionaries(texts, st.floats(0, 10), max_size=3).map(
        lambda scores: tuple(scores.items())
    ),
    weighted_scores=st.lists(weighted, max_size=1).map(tuple),
    primary_failure_reason_code=st.none() | st.sampled_from(FailureCode),
    failure_reason_codes=st.lists(st.sampled_from(FailureCode), max_size=3).map(tuple),
    outcome_class=st.none() | st.sampled_from(OutcomeClass),
    confidence=st.builds(Confidence, st.none() | unit, st.none() | unit),
    evaluator_cost=money,
    evaluator_cost_avoided=money,
    judge_calls=st.integers(0, 1000),
    agent_cost=money,
    agent_latency_ms=st.none() | durations,
    latency_ms=durations,
    explanation=texts,
)


class Shelf:
    """One ledger in memory for all examples; each example is a run of its own."""

    def __init__(self, portal: BlockingPortal) -> None:
        self.portal = portal
        self.ledger = portal.call(Ledger.open, ":memory:")
        self.runs = 0

    def there_and_back(self, given_reports: list[Report]) -> list[Report]:
        self.runs += 1
        return self.portal.call(self._there_and_back, f"run{self.runs}", given_reports)

    async def _there_and_back(
        self, run_id: str, given_reports: list[Report]
    ) -> list[Report]:
        await self.ledger.begin_run(
            RunRecord(run_id=run_id, run_key=run_id, created_at=_NOW)
        )
        for index, report in enumerate(given_reports):
            await self.ledger.write_report(
                run_id, report, result_digest="d", input_index=index, created_at=_NOW
            )
        return [report async for report in self.ledger.reports(run_id, page_size=2)]


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    with start_blocking_portal() as portal:
        opened = Shelf(portal)
        yield opened
        portal.call(opened.ledger.aclose)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    given_reports=st.lists(
        reports, min_size=1, max_size=4, unique_by=lambda report: report.result_id
    )
)
def test_every_report_comes_back_equal(
    shelf: Shelf, given_reports: list[Report]
) -> None:
    back = shelf.there_and_back(given_reports)

    assert back == given_reports
    assert [report_to_json(report) for report in back] == [
        report_to_json(report) for report in given_reports
    ]
    assert [report_digest(report_to_json(report)) for report in back] == [
        report_digest(report_to_json(report)) for report in given_reports
    ]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=reports, second=reports)
def test_the_later_grade_of_a_result_replaces_the_earlier_one_whole(
    shelf: Shelf, first: Report, second: Report
) -> None:
    second = replace(second, result_id=first.result_id)

    assert shelf.there_and_back([first, second]) == [second]
