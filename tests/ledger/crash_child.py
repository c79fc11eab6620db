"""Writes results until it is killed; prints the id of each one when its write was acknowledged."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Fail
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger

NOW = datetime(2026, 1, 1, tzinfo=UTC)
VERDICTS = 6


def _report(result_id: str) -> Report:
    row = ValidatorVerdict(
        validator_name="state",
        validator_version="1",
        validator_type="deterministic",
        verdict=Fail(
            codes=(FailureCode.WRONG_FACT,),
            diagnostic="x" * 200,
            details={"state_objects": [{"state_object_id": "x"}]},
        ),
        gating=True,
    )
    return Report(
        result_id=result_id,
        task_id="task",
        eval_contract_version="1",
        evaluator_version="1",
        gate=Gate.FAIL,
        verdicts=(row,) * VERDICTS,
        failure_reason_codes=(FailureCode.WRONG_FACT,),
    )


def _attempt() -> JudgeAttempt:
    return JudgeAttempt(
        validator_name="criteria",
        question_id="q",
        model_requested="m",
        prompt_name="p",
        prompt_digest="d",
        message_digest="d",
        created_at=NOW,
        latency_ms=1.0,
        status="ok",
        cost=Money(Decimal("0.01")),
    )


async def _main(url: str) -> None:
    ledger = await Ledger.open(url)
    await ledger.begin_run(RunRecord(run_id="run", run_key="key", created_at=NOW))
    numbers = count()

    async def write() -> None:
        for number in numbers:
            result_id = f"r{number}"
            await ledger.write_attempt("run", result_id, _attempt())
            await ledger.write_report(
                "run",
                _report(result_id),
                result_digest="d",
                input_index=number,
                created_at=NOW,
            )
            sys.stdout.write(f"{result_id}\n")
            sys.stdout.flush()

    await asyncio.gather(*(write() for _ in range(16)))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
