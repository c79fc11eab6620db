"""A place where attempts are recorded, as the ledger would."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.mesh.judging.gateways.litellm import LitellmGateway, load_litellm
from judgemesh.mesh.judging.protocols import Judge


@dataclass
class Book:
    """The attempts so far, in the order in which they were recorded."""

    attempts: list[JudgeAttempt] = field(default_factory=list[JudgeAttempt])

    async def record(self, attempt: JudgeAttempt) -> None:
        self.attempts.append(attempt)

    @property
    def context(self) -> CallContext:
        return CallContext(validator_name="criteria", record=self.record)


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture(scope="session")
def litellm_loaded() -> None:
    """Importing litellm takes seconds, and its first call another: neither may count as a provider's time."""

    async def call() -> None:
        gateway = LitellmGateway(api_base="http://127.0.0.1:9", api_key="none")
        with suppress(JudgeError):  # nobody listens
            message = {"role": "user", "content": "Is it so?"}
            await gateway.complete(
                ModelCall(model="openai/gpt-4.1-mini", messages=(message,))
            )
        await gateway.aclose()

    load_litellm()
    asyncio.run(call())


async def ask_one(judge: Judge, need: Ask, context: CallContext) -> Judged | Unanswered:
    """The answer to one question."""
    (answer,) = await judge.ask_many([need], context)
    return answer
