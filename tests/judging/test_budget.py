"""A budget is kept, whatever the calls turn out to cost."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import anyio
import pytest

from judgemesh.contracts.errors import ConfigError, JudgeTimeout
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.money import Money
from judgemesh.contracts.needs import Ask, Judged, Material, Unanswered
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.client.budget import (
    JudgeBudget,
    output_limit,
    worst_cost,
    worst_usage,
)
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.testing import ScriptedJudge

from .conftest import Book, ask_one

pytestmark = pytest.mark.anyio

MODEL = "openai/gpt-4.1-mini"
NEED = Ask(
    question_id="q",
    question="Is it so?",
    materials=(Material("final_answer", "Yes, it is."),),
)
CALL = ModelCall(
    model=MODEL,
    messages=({"role": "user", "content": "x" * 1000},),
    parameters={"max_tokens": 100},
)


def dollars(amount: str) -> Money:
    return Money(Decimal(amount))


def test_the_worst_case_is_every_byte_a_token_and_every_token_written() -> None:
    price = PriceBook.bundled().find(MODEL)
    assert price is not None
    assert worst_usage(CALL) == Usage(input_tokens_cache_write=1016, output_tokens=100)
    assert worst_cost(CALL, price) == dollars("0.0005664")  # .40 and 1.60 a million
    dear = replace(
        price,
        price_cache_write_per_million=Decimal(4),
        price_reasoning_per_million=Decimal(16),
    )
    assert worst_cost(CALL, dear) == dollars("0.005664")
    assert output_limit({}) == 16_384
    assert output_limit({"max_completion_tokens": 7}) == 7


async def test_money_that_comes_back_is_waited_for() -> None:
    budget = JudgeBudget(Decimal(10))
    await budget.reserve(dollars("6"))
    reserved = list[str]()

    async def second() -> None:
        await budget.reserve(dollars("6"))
        reserved.append("second")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(second)
        await anyio.sleep(0.01)
        assert reserved == []
        budget.settle(dollars("6"), dollars("1"))
    assert reserved == ["second"]
    assert (budget.spent, budget.held, budget.stopped) == (
        Decimal(1),
        Decimal(6),
        False,
    )
    budget.settle(dollars("6"), None)  # nobody knows: the worst case is taken for spent
    assert budget.spent == 7


@pytest.mark.parametrize("limit", ["0.0005", "0.004", "0.02"])
async def test_a_run_never_spends_more_than_its_budget(book: Book, limit: str) -> None:
    budget = JudgeBudget(Decimal(limit))
    gateway = ScriptedJudge(
        "yes", usage=Usage(input_tokens_uncached=300, output_tokens=50), delay_s=0.001
    )
    judge = VotingJudge(
        gateway,
        model=MODEL,
        votes="single",
        channels=Channels(concurrency=8, budget=budget),
        max_tokens=200,
    )
    answers: list[object] = []

    async def ask(number: int) -> None:
        answers.append(
            await ask_one(
                judge, replace(NEED, question=f"Number {number}?"), book.context
            )
        )

    async with anyio.create_task_group() as tasks:
        for number in range(120):
            tasks.start_soon(ask, number)
    refused = [answer for answer in answers if isinstance(answer, Unanswered)]
    assert {answer.error_type for answer in refused} <= {"budget"}
    assert len(refused) + sum(isinstance(answer, Judged) for answer in answers) == 120
    spent = sum(
        (row.cost.amount for row in book.attempts if row.cost is not None),
        start=Decimal(0),
    )
    assert spent == budget.spent <= Decimal(limit)
    assert budget.held == 0
    assert budget.stopped == bool(refused)
    assert len(gateway.calls) == len(
        book.attempts
    )  # a call that was refused is no attempt


async def test_a_call_of_unknown_cost_counts_with_its_worst_case(book: Book) -> None:
    budget = JudgeBudget(Decimal("0.01"))
    judge = VotingJudge(
        ScriptedJudge(JudgeTimeout("late")),
        model=MODEL,
        channels=Channels(budget=budget),
        max_retries=0,
        max_tokens=200,
    )
    await ask_one(judge, NEED, book.context)
    assert book.attempts[0].cost is None
    assert budget.spent > 0


def test_a_model_without_a_price_is_an_error_that_says_how_to_give_one() -> None:
    with pytest.raises(
        ConfigError, match=r"--max-cost: hosted_vllm/mine has no price.*--prices FILE"
    ):
        VotingJudge(
            ScriptedJudge("yes"),
            model="hosted_vllm/mine",
            channels=Channels(budget=JudgeBudget(Decimal(1))),
        )
