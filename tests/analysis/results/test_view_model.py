"""Rows, the page of a run and the page of a result: from reports alone, and from a ledger."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, text

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import (
    Gate,
    OutcomeClass,
    Report,
    ValidatorVerdict,
    report_to_json,
)
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped, Verdict
from judgemesh.mesh import Mesh
from judgemesh.mesh.analysis.results.gate import believed_gate
from judgemesh.mesh.analysis.results.loading import result_page_of, run_page_of
from judgemesh.mesh.analysis.results.result_page import (
    KeptContent,
    ResultPage,
    result_page,
)
from judgemesh.mesh.analysis.results.rows import row_of
from judgemesh.mesh.inputs.report_files import read_reports
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.testing import ScriptedJudge

pytestmark = pytest.mark.anyio
NOW: Final = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
WRONG: Final = Fail(
    check="total",
    codes=(FailureCode.WRONG_FACT,),
    diagnostic="says 64.10,\nand it is 46.10",
    evidence_refs=("trace:2",),
)
VERDICTS: Final[tuple[Verdict, ...]] = (
    Pass(),
    WRONG,
    Abstain(),
    Skipped(reason="gate_already_decided"),
    Skipped(reason="not_selected"),
)


def _verdict(verdict: Verdict, name: str = "claims", *, gating: bool = True) -> Any:
    return ValidatorVerdict(
        validator_name=name,
        validator_version="1",
        validator_type="rule",
        verdict=verdict,
        gating=gating,
    )


def _report(result_id: str, gate: Gate, *verdicts: ValidatorVerdict) -> Report:
    outcomes = {
        Gate.PASS: OutcomeClass.COMPLETE,
        Gate.FAIL: OutcomeClass.PARTIAL_MINUS,
    }
    codes = (FailureCode.WRONG_FACT,) if gate is Gate.FAIL else ()
    return Report(
        result_id=result_id,
        task_id=f"task {result_id}",
        eval_contract_version="1",
        evaluator_version="0.1.0",
        gate=gate,
        verdicts=verdicts,
        outcome_class=outcomes.get(gate),
        primary_failure_reason_code=codes[0] if codes else None,
        failure_reason_codes=codes,
    )


async def test_the_gate_is_believed_by_the_same_rule_as_in_the_ledger(
    tmp_path: Path,
) -> None:
    reports: list[Report] = []
    numbers = count()
    low = FailureCode.LOW_COMPLETENESS_SCORE
    for gate, first, second, gates, codes in product(
        Gate, VERDICTS, VERDICTS, (True, False), ((), (low,))
    ):
        rows = (_verdict(first, "a"), _verdict(second, "b", gating=gates))
        report = _report(f"r{next(numbers)}", gate, *rows)
        reports.append(replace(report, failure_reason_codes=codes))
    reports.append(_report("none", Gate.PASS))
    async with await Ledger.open(str(tmp_path / "ledger.db")) as ledger:
        await ledger.begin_run(RunRecord(run_id="run", run_key="k", created_at=NOW))
        for at, report in enumerate(reports):
            await ledger.write_report(
                "run", report, result_digest="d", input_index=at, created_at=NOW
            )
        found = dict(await ledger.ask(_gates))

    assert found == {r.result_id: believed_gate(r).value for r in reports}
    assert set(found.values()) == {"pass", "fail", "undecided"}


def _gates(connection: Connection) -> list[tuple[str, str]]:
    query = text("SELECT result_id, gate FROM v_results")
    return [(row[0], row[1]) for row in connection.execute(query)]


@pytest.mark.parametrize(
    ("report", "gate", "reason"),
    [
        (
            _report("a", Gate.FAIL, _verdict(WRONG), _verdict(Pass())),
            Gate.FAIL,
            "claims (total): says 64.10, and it is 46.10",
        ),
        (
            _report("a", Gate.FAIL, _verdict(WRONG), _verdict(WRONG, "b")),
            Gate.FAIL,
            "b (total): says 64.10, and it is 46.10 (and 1 more)",
        ),
        (_report("a", Gate.PASS, _verdict(Pass())), Gate.PASS, "1 check held"),
        (
            _report("a", Gate.PASS, _verdict(WRONG)),
            Gate.UNDECIDED,
            "the report says pass, and its verdicts do not show it",
        ),
        (
            _report("a", Gate.UNDECIDED),
            Gate.UNDECIDED,
            "no check that decides the gate was selected",
        ),
    ],
)
def test_a_row_has_the_gate_and_one_line_that_says_why(
    report: Report, gate: Gate, reason: str
) -> None:
    row = row_of(report)

    assert row.gate is gate
    assert row.reason == reason
    assert "\n" not in row.reason


def test_rows_sort_failures_first_and_passes_last() -> None:
    rows = [
        row_of(_report("a", Gate.PASS, _verdict(Pass()))),
        row_of(_report("b", Gate.UNDECIDED, _verdict(Abstain()))),
        row_of(_report("c", Gate.FAIL, _verdict(WRONG))),
    ]

    ordered = sorted(rows, key=lambda row: row.rank)
    assert [row.result_id for row in ordered] == ["c", "b", "a"]


def test_a_cell_has_the_worst_gating_verdict_of_its_validator() -> None:
    rows = (
        _verdict(Pass()),
        _verdict(Abstain()),
        _verdict(WRONG, gating=False),
        _verdict(Pass(), "other", gating=False),
    )
    cells = row_of(_report("a", Gate.UNDECIDED, *rows)).checks

    assert [(cell.name, cell.kind, cell.verdicts, cell.gating) for cell in cells] == [
        ("claims", "abstain", 3, True),
        ("other", "pass", 1, False),
    ]


async def test_the_page_of_a_run_counts_what_is_believed() -> None:
    cost = Money(Decimal("0.5"))
    reports = [
        replace(_report("a", Gate.PASS, _verdict(Pass())), agent_cost=cost),
        replace(_report("b", Gate.FAIL, _verdict(WRONG)), agent_cost=cost),
        replace(_report("c", Gate.PASS, _verdict(WRONG)), agent_cost=cost),
        replace(_report("d", Gate.UNDECIDED, _verdict(Abstain())), agent_cost=cost),
    ]
    page = await run_page_of(reports, run_id="run")

    gates = page.gates
    assert (gates.passed, gates.failed, gates.undecided) == (1, 1, 2)
    assert (gates.low, gates.high) == (0.25, 0.75)
    assert page.classes == {OutcomeClass.COMPLETE: 1, OutcomeClass.PARTIAL_MINUS: 1}
    assert page.success is not None
    assert page.success.decided == 2
    assert page.success.bounds == (0.25, 0.75)
    assert page.cost_per_success == Money(Decimal(2))
    [wrong] = page.codes
    assert (wrong.label.code, wrong.label.attribution) == ("WRONG_FACT", "agent")
    assert (wrong.results, wrong.as_primary) == (1, 1)
    [claims] = page.checks
    assert claims.kinds == {"pass": 1, "fail": 2, "abstain": 1}


async def test_a_cost_that_is_not_known_gives_no_cost_per_success() -> None:
    known = replace(
        _report("a", Gate.PASS, _verdict(Pass())), agent_cost=Money(Decimal(1))
    )
    page = await run_page_of(
        [known, _report("b", Gate.PASS, _verdict(Pass()))], run_id="run"
    )
    assert page.cost_per_success is None
    assert (page.agent_cost.known, page.agent_cost.unknown) == (1, 1)

    other = replace(known, agent_cost=Money(Decimal(1), "EUR"))
    mixed = await run_page_of([known, other], run_id="run")
    assert mixed.cost_per_success is None
    assert len(mixed.agent_cost.amounts) == 2


async def test_an_empty_run_has_a_page() -> None:
    page = await run_page_of([], run_id="run")

    assert page.gates.low is None
    assert page.success is None
    assert page.codes == ()


async def test_a_file_of_reports_gives_the_same_page_as_the_reports(
    tmp_path: Path,
) -> None:
    reports = [
        _report("a", Gate.PASS, _verdict(Pass())),
        _report("b", Gate.FAIL, _verdict(WRONG)),
    ]
    path = tmp_path / "reports.jsonl"
    lines = [json.dumps(report_to_json(report)) for report in reports]
    path.write_text("\n\n".join(lines))

    from_file = await run_page_of(read_reports(path), run_id="run")
    assert from_file == await run_page_of(reports, run_id="run")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"result_id": "a"}', "is no report: it has no"),
        ("[]", "is no report"),
        ("{", "is no report"),
        ("[" * 100_000, "is no report"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "is no report"),
    ],
)
def test_a_line_that_is_no_report_is_named(
    tmp_path: Path, line: str, problem: str
) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_text(f"\n{line}\n", encoding="latin-1")

    with pytest.raises(ResultError, match=problem) as caught:
        list(read_reports(path))
    assert f"{path}:2" in str(caught.value)


# --- the page of a result ---

CONTENT: Final[dict[str, Any]] = {
    "result": {
        "output": {"final_answer": "Done.", "outputs": {"total": 64.1}},
        "trace": {
            "steps": [
                {"role": "user", "content": "Cancel it"},
                {"tool_name": "cancel", "arguments": {"id": 7}, "result": {"ok": True}},
                {"step_id": "end", "role": "assistant", "content": "Done."},
            ]
        },
        "records": [{"kind": "cancel", "target": "7"}],
    },
    "state_changes": [
        {"path": "/orders/7", "op": "replace", "before": 1, "after": None}
    ],
    "passages": {"contract:guide": "The total is 46.10."},
}


def _page(report: Report, content: dict[str, Any] | None = CONTENT) -> ResultPage:
    return result_page(report, run_id="run", kept=KeptContent(content=content))


def test_the_deciding_step_is_marked() -> None:
    page = _page(_report("a", Gate.FAIL, _verdict(Pass()), _verdict(WRONG)))

    assert page.answer == "Done."
    assert page.outputs == {"total": 64.1}
    assert [step.ref for step in page.conversation] == [
        "trace:1",
        "trace:2",
        "trace:end",
    ]
    assert [step.decides for step in page.conversation] == [False, True, False]
    assert page.deciding_step is page.conversation[1]
    assert page.conversation[1].arguments == {"id": 7}
    assert [placed.decides for placed in page.verdicts] == [True, False]
    assert page.verdicts[0].row.verdict is WRONG


def test_places_in_a_step_and_in_a_passage_belong_to_it() -> None:
    verdict = replace(WRONG, evidence_refs=("trace:2:120", "contract:guide:12"))
    page = _page(_report("a", Gate.FAIL, _verdict(verdict)))

    assert page.deciding_step is page.conversation[1]
    passage = page.passage_of("contract:guide:12")
    assert passage is not None
    assert passage.text == "The total is 46.10."
    assert page.passage_of("contract:guidebook") is None


def test_state_and_records_name_the_verdicts_that_rest_on_them() -> None:
    verdict = replace(WRONG, evidence_refs=("state:/orders/7", "record:cancel/7"))
    page = _page(_report("a", Gate.FAIL, _verdict(verdict)))

    [change] = page.state
    assert (change.path, change.before, change.after) == ("/orders/7", 1, None)
    assert change.verdicts == (0,)
    [record] = page.records
    assert (record.kind, record.source, record.verdicts) == ("cancel", "result", (0,))


def test_a_report_whose_gate_is_not_believed_marks_nothing() -> None:
    page = _page(_report("a", Gate.PASS, _verdict(WRONG)))

    assert page.row.gate is Gate.UNDECIDED
    assert page.deciding_step is None
    assert not any(placed.decides for placed in page.verdicts)


def test_without_content_the_page_says_so() -> None:
    page = _page(_report("a", Gate.FAIL, _verdict(WRONG)), None)

    assert not page.content_kept
    assert page.answer is None
    assert page.conversation == ()


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"result": None, "state_changes": 3, "passages": [], "replies": {}},
        {"result": {"output": [], "trace": {"steps": [3, None]}, "records": {}}},
        {"result": {"output": {"final_answer": 3}, "state": {"diff": [1]}}},
    ],
)
def test_content_of_another_shape_is_no_fault(content: dict[str, Any]) -> None:
    page = _page(_report("a", Gate.FAIL, _verdict(WRONG)), content)

    assert page.content_kept
    assert page.answer is None
    assert page.conversation == ()


async def test_a_graded_result_comes_back_with_answer_steps_votes_and_replies(
    tmp_path: Path,
) -> None:
    contract = {
        "task_id": "t",
        "sop": {"permissions": {"tools": ["look_up"]}},
        "criteria": [{"id": "polite", "question": "Is the answer polite?"}],
    }
    result = {
        "result_id": "r:1",
        "task_id": "t",
        "output": "Dropped, sorry.",
        "trace": [
            {"role": "user", "content": "Drop it"},
            {"tool_name": "drop_table", "arguments": {"name": "users"}},
        ],
    }
    url = str(tmp_path / "ledger.db")
    judge = ScriptedJudge({"polite": "yes"})
    async with Mesh.from_config(contracts=[contract], judge=judge, ledger=url) as mesh:
        await mesh.grade(result)
        assert mesh.run is not None
        run_id = mesh.run.run_id
    async with await Ledger.open(url, read_only=True) as ledger:
        page = await result_page_of(ledger, run_id, "r:1")
        assert await result_page_of(ledger, run_id, "other") is None

    assert page is not None
    assert page.answer == "Dropped, sorry."
    assert page.deciding_step is not None
    assert page.deciding_step.tool == "drop_table"
    [question] = page.questions
    assert question.question_id == "polite"
    assert question.opinion is not None
    assert all(answer.reply for answer in question.answers)
    assert len(question.answers) >= 1


@pytest.mark.parametrize("kept", [True, False])
async def test_content_false_keeps_the_verdicts_alone(
    tmp_path: Path, *, kept: bool
) -> None:
    url = str(tmp_path / "ledger.db")
    result = {"result_id": "a", "task_id": "t", "output": "An answer"}
    async with Mesh.from_config(
        contracts=[{"task_id": "t", "validators": ["completion"]}],
        ledger=url,
        content=kept,
    ) as mesh:
        await mesh.grade(result)
        assert mesh.run is not None
        run_id = mesh.run.run_id
    async with await Ledger.open(url, read_only=True) as ledger:
        stored = await ledger.content(run_id, "a")
        rows = await ledger.ask(partial(_count, table="eval_task_result"))

    assert rows == 1
    assert (stored is not None) == kept
    assert (b"An answer" in Path(url).read_bytes()) is False or kept


def _count(connection: Connection, *, table: str) -> int:
    query = text(f"SELECT COUNT(*) FROM {table}")  # noqa: S608 (a name of our own)
    return int(connection.execute(query).scalar_one())
