"""Outcome and cost together: queries over a ledger of graded runs and their traces, and the agent's own cost."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.tracing import Costs, CostStatus, StateType, Step, Trace
from judgemesh.mesh import Mesh
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.ledger.traces import queries
from judgemesh.mesh.tracing.bill.agent_cost import cost_of_trace
from judgemesh.mesh.tracing.bill.builder import bill_of

NOW = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
STEPS = Path(__file__).parents[2] / "examples" / "cost_profile" / "steps.jsonl"
THINK, API, FINAL = StateType.THINK, StateType.API_CALL, StateType.FINALIZE

# Result, gate, and the way through the states: state, cost in cents of USD (None: unknown), status.
Way = tuple[tuple[StateType, int | None, str], ...]
RUNS: dict[str, tuple[Gate, Way]] = {
    "good": (
        Gate.PASS,
        ((THINK, 10, "success"), (API, 20, "success"), (FINAL, 5, "success")),
    ),
    "better": (Gate.PASS, ((THINK, 10, "success"), (FINAL, 5, "success"))),
    "bad": (
        Gate.FAIL,
        ((THINK, 40, "success"), (API, None, "error"), (API, 1, "timeout")),
    ),
    "open": (Gate.UNDECIDED, ((API, 7, "error"),)),
}


def trace(name: str, way: Way) -> Trace:
    return Trace(
        trace_id=f"trace-{name}",
        steps=tuple(
            Step(
                trace_id=f"trace-{name}",
                step_id=number,
                state_type=state,
                status=status,
                costs=Costs()
                if cents is None
                else Costs(tool=usd(cents), state=usd(cents)),
                cost_status=CostStatus.UNKNOWN
                if cents is None
                else CostStatus.REPORTED,
            )
            for number, (state, cents, status) in enumerate(way, start=1)
        ),
    )


def graded(name: str, gate: Gate) -> Report:
    return Report(
        result_id=name,
        task_id="t",
        trace_id=f"trace-{name}",
        gate=gate,
        verdicts=(),
        eval_contract_version=None,
        evaluator_version="1",
    )


def usd(cents: int) -> Money:
    return Money((Decimal(cents) / 100).normalize() + Decimal(0))


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with await Ledger.open(str(tmp_path / "ledger.db")) as opened:
        await opened.begin_run(
            RunRecord(
                run_id="run",
                run_key="key",
                created_at=NOW,
                config={},
                evaluator_version="1",
            )
        )
        rows = [
            *((name, gate) for name, (gate, _) in RUNS.items()),
            ("untraced", Gate.PASS),
        ]
        for index, (name, gate) in enumerate(rows):
            report = graded(name, gate)
            await opened.write_report(
                "run", report, result_digest=name, input_index=index, created_at=NOW
            )
        for name, (_, way) in RUNS.items():
            one = trace(name, way)
            await opened.write_trace(one, bill_of(one).totals, created_at=NOW)
        yield opened


@pytest.mark.anyio
async def test_cost_per_hard_success_by_state(ledger: Ledger) -> None:
    counts = await ledger.ask(partial(queries.joined, run_id="run"))
    assert (counts.results, counts.with_trace, counts.hard_successes) == (5, 4, 2)
    lines = {
        line.state_type: line
        for line in await ledger.ask(
            partial(queries.cost_per_hard_success, run_id="run")
        )
    }
    # Every run's cost counts, also that of failures; two hard successes with a trace pay for it.
    assert lines["THINK"].cost == (Money(Decimal("0.6")),)
    assert lines["THINK"].cost_per_hard_success == (Money(Decimal("0.3")),)
    assert (lines["API_CALL"].cost, lines["API_CALL"].cost_unknown) == (
        (Money(Decimal("0.28")),),
        1,
    )
    assert list(lines) == ["THINK", "API_CALL", "FINALIZE"]
    assert (
        await ledger.ask(partial(queries.cost_per_hard_success, run_id="nobody")) == ()
    )


@pytest.mark.anyio
async def test_states_before_failures(ledger: Ledger) -> None:
    found = await ledger.ask(partial(queries.states_before_failure, run_id="run"))
    lines = {line.state_type: line for line in found}
    api, think = lines["API_CALL"], lines["THINK"]
    assert found[0] is api
    assert (api.failed, api.passed, api.failure_rate) == (1, 1, 0.5)
    assert (
        api.last_in_failed,
        api.last_in_passed,
        api.failed_steps,
        api.before_failed_step,
    ) == (1, 0, 2, 1)
    assert (think.failed, think.passed, think.before_failed_step) == (1, 2, 1)
    assert lines["FINALIZE"].last_in_passed == 2


@pytest.mark.anyio
async def test_without_a_success_there_is_no_cost_per_success(tmp_path: Path) -> None:
    async with await Ledger.open(str(tmp_path / "other.db")) as opened:
        await opened.begin_run(
            RunRecord(
                run_id="run",
                run_key="key",
                created_at=NOW,
                config={},
                evaluator_version="1",
            )
        )
        report = graded("bad", Gate.FAIL)
        await opened.write_report(
            "run", report, result_digest="d", input_index=0, created_at=NOW
        )
        one = trace("bad", RUNS["bad"][1])
        await opened.write_trace(one, bill_of(one).totals, created_at=NOW)
        lines = await opened.ask(partial(queries.cost_per_hard_success, run_id="run"))
    assert {line.cost_per_hard_success for line in lines} == {()}


def result(**fields: Any) -> AgentResult:
    return AgentResult.model_validate({"result_id": "r", "task_id": "t", **fields})


def traced_cost(trace: object) -> Money | None:
    given = result(trace=trace).trace
    assert given is not None
    return cost_of_trace(given, "r")


def steps() -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in STEPS.read_text(encoding="utf-8").splitlines()]


def test_a_result_without_cost_takes_that_of_its_priced_trace() -> None:
    assert traced_cost({"steps": steps()}) == Money(Decimal("3.82"), "RMB")
    event = {
        "step_id": 1,
        "event_type": "tool.called",
        "timestamp": "2026-01-01T00:00:00Z",
    }
    assert traced_cost({"events": [{**event, "payload": {"tool_cost": 0.5}}]}) == Money(
        Decimal("0.5")
    )


@pytest.mark.parametrize(
    "trace_given",
    cast(
        "list[object]",
        [
            {"steps": [{"tool_name": "search", "arguments": {}}]},
            {
                "steps": [
                    {
                        "state_type": "THINK",
                        "model_name": "openai/gpt-4.1-mini",
                        "input_tokens_total": 5,
                    }
                ]
            },
            {
                "steps": [
                    {
                        "state_type": "API_CALL",
                        "api_cost": {"amount": 1, "currency": code},
                    }
                    for code in ("USD", "EUR")
                ]
            },
            {"events": [{"event_type": "nonsense"}]},
        ],
    ),
)
def test_a_trace_that_does_not_know_its_cost_gives_none(trace_given: object) -> None:
    assert traced_cost(trace_given) is None


@pytest.mark.anyio
async def test_the_report_has_the_agents_cost_apart_from_the_evaluators(
    tmp_path: Path,
) -> None:
    contract = tmp_path / "contract.yaml"
    contract.write_text(
        "task_id: t\nsuccess_criteria:\n  must_include: [answer]\n", encoding="utf-8"
    )
    async with Mesh.from_config(contracts=str(contract)) as mesh:
        report = await mesh.grade(
            result(output={"outputs": {"answer": "x"}}, trace={"steps": steps()})
        )
        said = await mesh.grade(
            result(
                output={"outputs": {"answer": "x"}}, trace={"steps": steps()}, cost=1
            )
        )
        unknown = await mesh.grade(result(output={"outputs": {"answer": "x"}}))
    assert report.agent_cost == Money(Decimal("3.82"), "RMB")
    assert report.evaluator_cost == Money(Decimal(0))
    assert said.agent_cost == Money(Decimal(1))
    assert unknown.agent_cost is None
