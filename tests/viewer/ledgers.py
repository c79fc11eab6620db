"""Ledgers for the tests of the viewer, written through the real store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final

import anyio

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.contracts.report import Gate, OutcomeClass, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Error, Fail, Pass, Verdict
from judgemesh.mesh.ledger.leases import Holder, acquire, this_process
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger

NOW: Final = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
RESULTS: Final = 130
CODES: Final = (FailureCode.MISSING_REQUIRED_FIELD, FailureCode.WRONG_FACT)
HOSTILE: Final = (
    "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"
    "\u202etxt.exe\u2028"
)


def gate_of(number: int) -> Gate:
    """Every third result fails, every seventh of the others is undecided."""
    if number % 3 == 0:
        return Gate.FAIL
    return Gate.UNDECIDED if number % 7 == 0 else Gate.PASS


def code_of(number: int) -> FailureCode:
    return CODES[number % 2]


def report_of(
    result_id: str,
    gate: Gate,
    code: FailureCode = CODES[0],
    *,
    task_id: str = "task",
    text: str = "nothing names it",
) -> Report:
    """A report whose verdicts carry its gate; a judge was asked about it."""
    asked = Opinion(
        question_id="polite",
        question=f"Is the answer polite? {text}",
        criterion="sha256:c",
        gating=True,
        model="model_x",
        prompts="sha256:p",
        leader=Vote.YES,
        verdict=Vote.YES,
        votes_yes=3,
        stability=0.75,
    )
    endings: dict[Gate, Verdict] = {
        Gate.PASS: Pass(check="fields"),
        Gate.FAIL: Fail(check="fields", codes=(code,), diagnostic=text),
        Gate.UNDECIDED: Error(check="fields", diagnostic=text),
    }
    verdicts: Sequence[Verdict] = (Pass(check="polite", opinion=asked), endings[gate])
    names = ("criteria", "required_fields")
    return Report(
        result_id=result_id,
        task_id=task_id,
        eval_contract_version="1",
        evaluator_version="0.1.0",
        gate=gate,
        verdicts=tuple(
            ValidatorVerdict(
                validator_name=name,
                validator_version="1",
                validator_type="deterministic",
                verdict=verdict,
                gating=True,
            )
            for name, verdict in zip(names, verdicts, strict=True)
        ),
        outcome_score=8.0 if gate is Gate.PASS else None,
        outcome_class=OutcomeClass.COMPLETE if gate is Gate.PASS else None,
        primary_failure_reason_code=code if gate is Gate.FAIL else None,
        failure_reason_codes=(code,) if gate is Gate.FAIL else (),
        agent_cost=Money(Decimal("0.25")),
    )


async def write(
    ledger: Ledger,
    run_id: str,
    reports: Sequence[Report],
    *,
    answer: str = "Good day.",
    day: int = 0,
) -> None:
    content = {"result": {"output": {"final_answer": answer}}}
    async with anyio.create_task_group() as group:
        for index, report in enumerate(reports):
            keep = partial(
                ledger.write_report,
                run_id,
                report,
                result_digest="d",
                input_index=index,
                created_at=NOW + timedelta(days=day),
                content=lambda: content,
            )
            group.start_soon(keep)


async def begin(ledger: Ledger, run_id: str, *, day: int = 0) -> None:
    created_at = NOW + timedelta(days=day)
    await ledger.begin_run(
        RunRecord(run_id=run_id, run_key=run_id, created_at=created_at)
    )


async def take(ledger: Ledger, run_id: str) -> Holder:
    """The lease of a run, for this process."""
    holder, now = this_process(), datetime.now(UTC)
    await ledger.transact(partial(acquire, run_id=run_id, holder=holder, now=now))
    return holder


async def finish(ledger: Ledger, run_id: str) -> None:
    await ledger.finish_run(run_id, finished_at=NOW, status="finished", summary={})


async def fill(ledger: Ledger) -> None:
    """The run `old` of `RESULTS` results, and `new`, in which two results got better and one worse."""
    await begin(ledger, "old")
    reports = [
        report_of(f"r{at:03}", gate_of(at), code_of(at), task_id=f"t{at % 5}")
        for at in range(RESULTS)
    ]
    await write(ledger, "old", reports)
    await finish(ledger, "old")
    await begin(ledger, "new", day=1)
    changed = {"r003": Gate.PASS, "r006": Gate.PASS, "r001": Gate.FAIL}
    for name, gate in changed.items():
        at = int(name[1:])
        reports[at] = replace(report_of(name, gate), task_id=f"t{at % 5}")
    await write(ledger, "new", reports[:20], day=1)
    await finish(ledger, "new")
    for attempt in range(3):
        await ledger.write_attempt("old", "r000", attempt_of(attempt))


def attempt_of(attempt: int) -> JudgeAttempt:
    return JudgeAttempt(
        validator_name="criteria",
        question_id="polite",
        model_requested="model_x",
        prompt_name="yes_no",
        prompt_digest="sha256:p",
        message_digest="sha256:m",
        created_at=NOW,
        latency_ms=12.5,
        status="ok",
        attempt=attempt,
        cost=Money(Decimal("0.125")) if attempt else None,
        cache_hit=attempt == 2,
        vote="yes",
    )
