from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tenacity import AsyncRetrying, RetryCallState

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRateLimited,
    JudgeRefused,
    JudgeRejected,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.mesh.judging.client.policies import FullJitter, retrying
from judgemesh.mesh.judging.client.retry import RetryPolicy

pytestmark = pytest.mark.anyio
POLICY = RetryPolicy(max_retries=3)


class World:
    """A clock that only sleeping moves, and attempts that fail as told."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.now = 100.0
        self.sleeps: list[float] = []
        self.attempts: list[int] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    def attempt(self) -> str:
        self.attempts.append(len(self.attempts) + 1)
        if self.errors:
            raise self.errors.pop(0)
        return "answer"

    async def run(
        self,
        policy: RetryPolicy = POLICY,
        seed: int = 0,
        take_retry: Callable[[], bool] = lambda: True,
    ) -> str:
        started = self.now
        attempts = retrying(
            policy,
            seed=str(seed),
            elapsed_s=lambda: self.now - started,
            take_retry=take_retry,
            sleep=self.sleep,
        )
        async for attempt in attempts:
            with attempt:
                return self.attempt()
        raise AssertionError("no attempt was made")


@pytest.mark.parametrize("kind", [JudgeTimeout, JudgeRateLimited, JudgeUnavailable])
@pytest.mark.parametrize("failures", [0, 1, 2, 3])
async def test_n_failures_are_one_plus_n_attempts(
    kind: type[JudgeError], failures: int
) -> None:
    world = World(*(kind("x") for _ in range(failures)))
    assert await world.run() == "answer"
    assert world.attempts == list(range(1, failures + 2))
    assert len(world.sleeps) == failures


async def test_the_last_error_is_raised_when_the_retries_are_used_up() -> None:
    errors = [JudgeUnavailable(str(number)) for number in range(9)]
    world = World(*errors)
    with pytest.raises(JudgeUnavailable) as caught:
        await world.run()
    assert caught.value is errors[3]
    assert world.attempts == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", [JudgeRefused, JudgeRejected, JudgeError])
async def test_what_cannot_pass_is_never_asked_again(kind: type[JudgeError]) -> None:
    world = World(kind("x"))
    with pytest.raises(kind):
        await world.run()
    assert world.attempts == [1]


async def test_a_malformed_answer_is_asked_again_once() -> None:
    world = World(JudgeMalformed("1"), JudgeMalformed("2"), JudgeMalformed("3"))
    with pytest.raises(JudgeMalformed, match="2"):
        await world.run()
    assert world.attempts == [1, 2]


async def test_a_malformed_answer_may_come_between_other_faults() -> None:
    world = World(JudgeUnavailable("1"), JudgeMalformed("2"), JudgeTimeout("3"))
    assert await world.run() == "answer"
    assert world.attempts == [1, 2, 3, 4]


async def test_no_retries_means_one_attempt() -> None:
    world = World(JudgeUnavailable("x"))
    with pytest.raises(JudgeUnavailable):
        await world.run(replace(POLICY, max_retries=0))
    assert (world.attempts, world.sleeps) == ([1], [])


async def test_the_providers_wish_is_honoured_and_capped() -> None:
    world = World(
        JudgeRateLimited("x", retry_after_s=7),
        JudgeRateLimited("x", retry_after_s=9999),
    )
    await world.run(replace(POLICY, retry_after_cap_s=30, base_s=0.5))
    assert 7 <= world.sleeps[0] <= 7.5
    assert 30 <= world.sleeps[1] <= 31


async def test_no_wait_begins_that_would_end_after_the_deadline() -> None:
    world = World(
        JudgeRateLimited("x", retry_after_s=7), JudgeRateLimited("y", retry_after_s=7)
    )
    with pytest.raises(JudgeRateLimited, match="y"):
        await world.run(replace(POLICY, deadline_s=10))
    assert len(world.attempts) == 2
    assert world.now < 110


async def test_the_jitter_is_full_and_follows_the_seed() -> None:
    waits: list[list[float]] = []
    for seed in (1, 1, 2):
        world = World(*(JudgeUnavailable("x") for _ in range(3)))
        await world.run(seed=seed)
        waits.append(world.sleeps)
    assert waits[0] == waits[1] != waits[2]


@given(st.integers(1, 500), st.integers())
def test_a_wait_stays_in_its_range(failures: int, seed: int) -> None:
    state = RetryCallState(AsyncRetrying(), fn=None, args=(), kwargs={})
    state.attempt_number = failures
    wait = FullJitter(POLICY.base_s, POLICY.cap_s, str(seed))(state)
    assert 0 <= wait <= min(POLICY.cap_s, POLICY.base_s * 2.0 ** min(failures - 1, 30))


async def test_the_retry_budget_is_asked_once_for_each_retry_that_is_allowed() -> None:
    granted = iter([True, False])
    asked: list[bool] = []

    def take() -> bool:
        asked.append(next(granted))
        return asked[-1]

    world = World(JudgeUnavailable("1"), JudgeUnavailable("2"))
    with pytest.raises(JudgeUnavailable, match="2"):
        await world.run(take_retry=take)
    assert (world.attempts, asked) == ([1, 2], [True, False])


async def test_cancelling_ends_a_wait() -> None:
    slow = replace(POLICY, base_s=1000, cap_s=1000, deadline_s=9e9)
    with anyio.move_on_after(0.05) as scope:
        async for attempt in retrying(
            slow, seed="3", elapsed_s=lambda: 0.0, take_retry=lambda: True
        ):
            with attempt:
                raise JudgeUnavailable("x")
    assert scope.cancelled_caught


async def test_cancelling_ends_an_attempt() -> None:
    with anyio.move_on_after(0.05) as scope:
        async for attempt in retrying(
            POLICY, seed="", elapsed_s=lambda: 0.0, take_retry=lambda: True
        ):
            with attempt:
                await anyio.sleep(60)
    assert scope.cancelled_caught
