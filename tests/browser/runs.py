"""Reports of runs that were never graded: hostile in every text, or very many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

from judgemesh.contracts.attempts import SourceLookup
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.contracts.report import Gate, OutcomeClass, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Pass,
    Skipped,
    Verdict,
)
from judgemesh.mesh.analysis.results.loading import run_page_of
from judgemesh.mesh.analysis.results.result_page import (
    KeptContent,
    ResultPage,
    result_page,
)
from judgemesh.mesh.reporting.html.run_report import write_run_report

RUN = "run_<b>1</b>"
HOSTILE = (
    "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"
    "<svg onload=alert(3)><a href='javascript:alert(4)'>x</a><style>*{display:none}</style>"
    "{{ 7*7 }}<!-- data --><!--\u202e\u2028\u0000\x1b[31m\ud800 `${alert(5)}`"
)
LONG = 2**20


def verdict_row(
    name: str, verdict: Verdict, *, gating: bool = True
) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name=name,
        validator_version="1",
        validator_type="judge",
        verdict=verdict,
        gating=gating,
        evaluator_model="model",
    )


def report_of(
    result_id: str, gate: Gate, verdicts: Sequence[ValidatorVerdict], **fields: Any
) -> Report:
    return Report(
        result_id=result_id,
        task_id=fields.pop("task_id", result_id),
        eval_contract_version="1",
        evaluator_version="1",
        gate=gate,
        verdicts=tuple(verdicts),
        **fields,
    )


def hostile_page(number: int) -> ResultPage:
    """A result in which every text attacks."""
    result_id = f"{HOSTILE}/{number}%2F?#&"
    opinion = Opinion(
        question_id=HOSTILE,
        question=HOSTILE,
        criterion="1",
        gating=True,
        model=HOSTILE,
        prompts="1",
        verdict=Vote.NO,
        votes_no=3,
        votes_yes=1,
        reason=HOSTILE,
        stability=0.9,
    )
    code = FailureCode.CITATION_NOT_FOUND
    shared: dict[str, Any] = {
        "check": HOSTILE,
        "diagnostic": HOSTILE,
        "evidence_refs": ("trace:1", HOSTILE, f"contract:{HOSTILE}"),
        "confidence": Confidence(0.9, 0.8),
    }
    claims = [
        {"claim": HOSTILE, "why": HOSTILE, "ref": "trace:1", "evidence": [HOSTILE]}
    ]
    cited: dict[str, Any] = {
        **shared,
        "check": f"citation:{HOSTILE}",
        "evidence_refs": ("source:1",),
    }
    verdicts = [
        verdict_row(
            HOSTILE,
            Fail(codes=(code,), opinion=opinion, details={"claims": claims}, **shared),
        ),
        verdict_row("citations", Fail(codes=(code,), **cited)),
        verdict_row("abstains", Abstain(**shared)),
        verdict_row("errs", Error(**shared)),
        verdict_row("skips", Skipped(reason="not_selected")),
        verdict_row("passes", Pass(**shared), gating=False),
    ]
    report = report_of(
        result_id,
        Gate.FAIL,
        verdicts,
        task_id=HOSTILE,
        agent_id=HOSTILE,
        explanation=HOSTILE,
        primary_failure_reason_code=code,
        failure_reason_codes=(code,),
        outcome_class=OutcomeClass.HALLUCINATED,
        agent_cost=Money(Decimal("0.5")),
        started_at="2026-01-01T00:00:00Z",
    )
    steps = [
        {"step_id": 1, "role": HOSTILE, "content": HOSTILE},
        {
            "step_id": 2,
            "tool_name": HOSTILE,
            "arguments": {HOSTILE: HOSTILE},
            "result": [HOSTILE],
            "error": HOSTILE,
        },
    ]
    change = {"path": f"/{HOSTILE}", "op": "add", "after": {HOSTILE: [HOSTILE]}}
    record = {"kind": HOSTILE, "target": HOSTILE, "parameters": {HOSTILE: HOSTILE}}
    answer = f"{HOSTILE} " + "x" * LONG
    content = {
        "result": {
            "output": {"final_answer": answer, "outputs": {HOSTILE: HOSTILE}},
            "trace": {"steps": steps},
            "records": [record],
        },
        "state_changes": [change],
        "passages": {f"contract:{HOSTILE}": HOSTILE},
        "problems": {HOSTILE: HOSTILE},
    }
    return result_page(
        report,
        run_id=RUN,
        kept=KeptContent(content=content, lookups=[_lookup()]),
    )


def _lookup() -> SourceLookup:
    from datetime import UTC, datetime

    return SourceLookup(
        validator_name="citations",
        source=HOSTILE,
        query={"text": HOSTILE},
        status="found",
        answered_at=datetime(2026, 1, 1, tzinfo=UTC),
        ref="source:1",
        fields={
            "title": HOSTILE,
            "text": HOSTILE,
            "url": "javascript:alert(6)",
            "doi": "https://example.org/a",
        },
    )


def plain_page(number: int) -> ResultPage:
    """A small result: of four, one fails, one is undecided and two pass."""
    passed = verdict_row("completion", Pass(check="status"))
    code = FailureCode.MISSING_REQUIRED_FIELD
    gate, last, fields = Gate.PASS, verdict_row("fields", Pass()), dict[str, Any]()
    if number % 4 == 0:
        gate = Gate.FAIL
        last = verdict_row(
            "fields", Fail(codes=(code,), diagnostic=f"no field {number}")
        )
        fields = {
            "primary_failure_reason_code": code,
            "failure_reason_codes": (code,),
        }
    elif number % 4 == 1:
        gate, last = Gate.UNDECIDED, verdict_row("fields", Abstain())
    report = report_of(f"plain-{number:05d}", gate, [passed, last], **fields)
    return result_page(report, run_id=RUN)


async def _write(path: Path, pages: Sequence[ResultPage]) -> None:
    async def each() -> AsyncIterator[ResultPage]:
        for page in pages:
            yield page

    run = await run_page_of([page.report for page in pages], run_id=RUN)
    with path.open("wb") as file:
        await write_run_report(file, run, each(), warnings=[HOSTILE])


def write_report(path: Path, pages: Iterable[ResultPage]) -> None:
    """Write a report, in a thread of its own: Playwright's loop may run in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, _write(path, list(pages))).result()
