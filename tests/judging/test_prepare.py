"""Long materials are framed in a thread: while one result is read, others go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import pytest

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Ask, Extract, Material
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.ensembles.probability import Probabilities
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing import ScriptedJudge

from .conftest import Book, ask_one

pytestmark = pytest.mark.anyio

MODEL = "openai/gpt-4.1-mini"
ONCE = RetryPolicy(max_retries=0)
Asking = Callable[[ScriptedJudge, tuple[Material, ...], CallContext], Awaitable[object]]


def question(name: str, materials: tuple[Material, ...]) -> Ask:
    return Ask(question_id=name, question=f"Is {name} polite?", materials=materials)


async def ask(
    gateway: ScriptedJudge, materials: tuple[Material, ...], context: CallContext
) -> object:
    return await ask_one(
        VotingJudge(gateway, model=MODEL, votes="single"),
        question("a", materials),
        context,
    )


async def ask_together(
    gateway: ScriptedJudge, materials: tuple[Material, ...], context: CallContext
) -> object:
    needs = [question("a", materials), question("b", materials)]
    return await VotingJudge(
        gateway, model=MODEL, votes="single", batch_criteria=2
    ).ask_many(needs, context)


async def extract(
    gateway: ScriptedJudge, materials: tuple[Material, ...], context: CallContext
) -> object:
    need = Extract(extract_id="e", instruction="List the claims.", materials=materials)
    return await VotingJudge(gateway, model=MODEL).extract(need, context)


async def first_token(
    gateway: ScriptedJudge, materials: tuple[Material, ...], context: CallContext
) -> object:
    client = Client(gateway, model=MODEL, policy=ONCE)
    client.capabilities.decisions = False
    return await Probabilities(client).ask_many([question("a", materials)], context)


async def decision(
    gateway: ScriptedJudge, materials: tuple[Material, ...], context: CallContext
) -> object:
    client = Client(gateway, model=MODEL, policy=ONCE)
    client.capabilities.logprobs = False
    return await Probabilities(client).ask_many([question("a", materials)], context)


@pytest.mark.parametrize(
    "work",
    [ask, ask_together, extract, first_token, decision],
    ids=lambda work: work.__name__,
)
async def test_the_loop_goes_on_while_a_long_result_is_read(
    book: Book, work: Asking
) -> None:
    # A text of its own for each case: what was found out about one is kept.
    text = "".join(
        f"{work.__name__} line {number} says what was done. \u00e9\n"
        for number in range(4_000)
    )
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await anyio.sleep(0.001)
            ticks += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick)
        with suppress(JudgeError):  # what the script says is no probability
            await work(ScriptedJudge("yes"), (Material("trace", text),), book.context)
        tasks.cancel_scope.cancel()
    assert ticks >= 5
