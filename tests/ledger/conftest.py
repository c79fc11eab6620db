"""What the tests of the ledger share: a run, small results, and a ledger in a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.contracts.verdicts import DETERMINISTIC, Error, Fail, Pass, Verdict
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger

from ..postgresql import Server

_NOW = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    return _NOW


@pytest.fixture
def run_record() -> RunRecord:
    return RunRecord(
        run_id="run",
        run_key="key",
        created_at=_NOW,
        config={"timeout_s": 60},
        evaluator_version="0.1.0",
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new ledger, in a file and on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    server: Server = request.getfixturevalue("postgresql_server")
    return server.database()


@pytest.fixture
async def ledger(place: str, run_record: RunRecord) -> AsyncIterator[Ledger]:
    async with await Ledger.open(place) as opened:
        await opened.begin_run(run_record)
        yield opened


@pytest.fixture
def make_report() -> Callable[..., Report]:
    """A report with one passing verdict, and one failing or erring verdict as the gate wants it."""

    def make(
        result_id: str,
        gate: Gate = Gate.PASS,
        *,
        score: float | None = 8.0,
        verdicts: int = 1,
    ) -> Report:
        endings: dict[Gate, Verdict] = {
            Gate.PASS: Pass(check="second", confidence=DETERMINISTIC),
            Gate.FAIL: Fail(
                check="second",
                codes=(FailureCode.MISSING_REQUIRED_FIELD,),
                diagnostic="no rung found it",
            ),
            Gate.UNDECIDED: Error(check="second", diagnostic="boom"),
        }
        codes = (FailureCode.MISSING_REQUIRED_FIELD,) if gate is Gate.FAIL else ()
        rows = [
            ValidatorVerdict(
                validator_name=f"validator_{at}",
                validator_version="1",
                validator_type="deterministic",
                verdict=Pass(check="first", evidence_refs=("outputs/x",)),
                gating=True,
            )
            for at in range(verdicts)
        ]
        last = ValidatorVerdict(
            validator_name="last",
            validator_version="1",
            validator_type="deterministic",
            verdict=endings[gate],
            gating=True,
        )
        return Report(
            result_id=result_id,
            task_id=f"task of {result_id}",
            eval_contract_version="1",
            evaluator_version="0.1.0",
            gate=gate,
            verdicts=(*rows, last),
            outcome_score=score,
            primary_failure_reason_code=codes[0] if codes else None,
            failure_reason_codes=codes,
        )

    return make


@pytest.fixture
def make_attempt() -> Callable[..., JudgeAttempt]:
    """An attempt that cost `cost` US dollars, None for an unknown cost."""

    def make(
        cost: str | None = "0.1", *, attempt: int = 1, cache_hit: bool = False
    ) -> JudgeAttempt:
        money = None if cost is None else Money(Decimal(cost))
        return JudgeAttempt(
            validator_name="criteria",
            question_id="polite",
            model_requested="model_x",
            prompt_name="yes_no",
            prompt_digest="sha256:p",
            message_digest="sha256:m",
            created_at=_NOW,
            latency_ms=12.5,
            status="ok",
            attempt=attempt,
            parameters={"temperature": 0},
            usage=Usage(10, 20, 5, 3, 2, {"prompt_tokens": 35}),
            cost=Money(Decimal(0)) if cache_hit else money,
            cost_avoided=money if cache_hit else None,
            price=PriceSnapshot(
                "model_x", Decimal("2.50"), Decimal(10), price_version="2026-04-28"
            ),
            cache_hit=cache_hit,
            vote="yes",
            reason="it says please",
        )

    return make
