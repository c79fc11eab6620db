"""What grading cost, criterion by criterion, and how a run ended: never `running` for ever."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import JudgeTimeout
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Pass, Verdict
from judgemesh.mesh import Mesh
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.testing.scripted import ScriptedJudge

CONTRACT = EvalContract.model_validate(
    {
        "task_id": "t",
        "criteria": [
            {"id": "polite", "question": "Is it polite?"},
            {"id": "short", "question": "Is it short?"},
            {"id": "true", "question": "Is it true?"},
        ],
    }
)
RESULT = {"result_id": "r", "task_id": "t", "output": "Good morning."}
USAGE = Usage(input_tokens_uncached=100, output_tokens=1)


def scripted() -> ScriptedJudge:
    return ScriptedJudge({"polite": "yes", "short": "yes", "true": "no"}, usage=USAGE)


class SlowJudge(ScriptedJudge):
    """The scripted judge after a moment, so that calls wait for each other."""

    async def complete(self, call: ModelCall) -> ModelReply:
        await asyncio.sleep(0.01)
        return await super().complete(call)


async def statuses(url: str) -> list[str]:
    async with await Ledger.open(url, read_only=True) as ledger:
        return [run.status for run in await ledger.runs()]


@pytest.fixture
def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.toml"
    path.write_text(
        'version = "1"\ncurrency = "USD"\n[models."scripted"]\ninput = 10\noutput = 10\n'
    )
    return str(path)


@pytest.mark.parametrize("together", [1, 3])
def test_each_criterion_has_its_own_cost(prices: str, together: int) -> None:
    async def run() -> list[Decimal | None]:
        async with Mesh.from_config(
            contracts=[CONTRACT],
            judge=scripted(),
            prices=prices,
            batch_criteria=together,
        ) as mesh:
            report = await mesh.grade(RESULT)
        costs = [
            None if row.cost is None else row.cost.amount for row in report.verdicts
        ]
        assert report.evaluator_cost is not None
        assert sum(cost or 0 for cost in costs) == report.evaluator_cost.amount
        return costs

    assert [bool(cost) for cost in asyncio.run(run())] == [False, True, True, True]


def test_a_budget_is_spent_on_the_results_that_were_begun_first(prices: str) -> None:
    slots, criteria = 4, 5
    contract = EvalContract.model_validate(
        {
            "task_id": "t",
            "criteria": [
                {"id": f"c{number}", "question": f"Is it point {number}?"}
                for number in range(criteria)
            ],
        }
    )
    results = [
        {"result_id": f"r{number}", "task_id": "t", "output": f"Day {number}. " * 800}
        for number in range(32)
    ]
    usage = Usage(input_tokens_uncached=2000, output_tokens=10)
    replies = {f"c{number}": "yes" for number in range(criteria)}

    async def run() -> list[int]:
        async with Mesh.from_config(
            contracts=[contract],
            judge=SlowJudge(replies, usage=usage),
            prices=prices,
            votes="single",
            judge_concurrency=slots,
            max_concurrency=len(results),
            max_cost="0.65",
        ) as mesh:
            reports = [report async for report in mesh.grade_many(results)]
        answered = {
            report.result_id: sum(
                isinstance(row.verdict, Pass) and row.validator_name == "criteria"
                for row in report.verdicts
            )
            for report in reports
        }
        return [answered[result["result_id"]] for result in results]

    answered = asyncio.run(run())
    whole = answered.index(next(count for count in answered if count < criteria))
    # What was begun next may have had a call in each slot when the money ended; nobody else had any.
    assert whole >= 3
    assert not any(answered[whole + slots :])


def test_why_a_cost_is_unknown() -> None:
    async def run() -> dict[str, int]:
        judge = ScriptedJudge(
            {"polite": JudgeTimeout("slow"), "short": "yes", "true": "yes"}
        )
        async with Mesh.from_config(
            contracts=[CONTRACT], judge=judge, max_retries=0, votes="single"
        ) as mesh:
            await mesh.grade(RESULT)
            return dict((await mesh.summary()).evaluator_cost_unknown_why)

    assert asyncio.run(run()) == {
        "the provider reported no usage": 2,
        "timeout: the provider may have billed it": 1,
    }


def test_the_summary_is_the_same_with_a_ledger_and_without(
    tmp_path: Path, prices: str
) -> None:
    async def run(ledger: Path | None) -> object:
        mesh = Mesh.from_config(
            contracts=[CONTRACT], judge=scripted(), prices=prices, ledger=ledger
        )
        async with mesh:
            await mesh.grade(RESULT)
            await mesh.grade({**RESULT, "result_id": "s", "task_id": "unknown"})
            inside = await mesh.summary()
        assert await mesh.summary() == inside
        return inside

    kept = asyncio.run(run(tmp_path / "ledger.db"))
    assert kept == asyncio.run(run(None))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, "done"),
        (KeyboardInterrupt(), "interrupted"),
        (asyncio.CancelledError(), "interrupted"),
        (RuntimeError("mine"), "failed"),
    ],
)
def test_a_run_is_closed_with_what_ended_it(
    tmp_path: Path, error: BaseException | None, status: str
) -> None:
    url = str(tmp_path / "ledger.db")

    async def run() -> None:
        async with Mesh.from_config(contracts=[CONTRACT], ledger=url) as mesh:
            await mesh.grade(RESULT)
            if error is not None:
                raise error

    if error is None:
        asyncio.run(run())
    else:
        with pytest.raises(type(error)):
            asyncio.run(run())
    assert asyncio.run(statuses(url)) == [status]


def test_a_task_that_is_cancelled_leaves_no_running_run(tmp_path: Path) -> None:
    url = str(tmp_path / "ledger.db")
    judge = ScriptedJudge("yes", delay_s=60)

    async def grade() -> None:
        async with Mesh.from_config(
            contracts=[CONTRACT], judge=judge, ledger=url
        ) as mesh:
            await mesh.grade(RESULT)

    async def run() -> None:
        task = asyncio.create_task(grade())
        while not judge.calls:  # noqa: ASYNC110 (a scripted judge has no event to wait for)
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert asyncio.run(statuses(url)) == ["interrupted"]


def test_the_callers_own_validators_grade_every_result() -> None:
    @validator(name="mine", version="1")
    def mine(case: Case) -> Verdict:
        """Always passes."""
        return Pass(diagnostic=case.result.result_id)

    async def run() -> list[str]:
        async with Mesh.from_config(contracts=[CONTRACT], validators=[mine]) as mesh:
            report = await mesh.grade(RESULT)
            return [row.validator_name for row in report.verdicts]

    assert "mine" in asyncio.run(run())
