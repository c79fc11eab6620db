"""A place where attempts are recorded, as the ledger would."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.mesh.judging.gateways.litellm import load_litellm
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
    """Importing litellm takes seconds, which must not count as a provider's time."""
    load_litellm()


async def ask_one(judge: Judge, need: Ask, context: CallContext) -> Judged | Unanswered:
    """The answer to one question."""
    (answer,) = await judge.ask_many([need], context)
    return answer
