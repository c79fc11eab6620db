"""The one retry layer: full jitter, `Retry-After` honoured, a deadline, and never a hidden attempt."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import anyio

from judgemesh.contracts.errors import JudgeError, JudgeMalformed

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[object]]

_MAX_DOUBLINGS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When to ask again. N failures that may be retried make exactly 1 + N attempts, N at most `max_retries`.

    malformed_retries: of these, how many an unreadable answer may use.
    base_s, cap_s: the k-th wait is drawn evenly from 0 to min(cap_s, base_s * 2**(k-1)).
    retry_after_cap_s: a provider's wish is honoured up to here.
    deadline_s: no wait begins that would end later than this after the first attempt began.
    """

    max_retries: int = 2
    malformed_retries: int = 1
    base_s: float = 0.5
    cap_s: float = 20.0
    retry_after_cap_s: float = 60.0
    deadline_s: float = 180.0

    def wait_s(
        self, failures: int, error: BaseException | None, draw: random.Random
    ) -> float:
        """How long to wait after the `failures`-th failure (1 or more)."""
        jitter = draw.uniform(
            0.0, min(self.cap_s, self.base_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS))
        )
        wish = error.retry_after_s if isinstance(error, JudgeError) else None
        # The provider's wish is a minimum; the jitter on top keeps all who were told the same from coming back at once.
        return (
            jitter
            if wish is None
            else min(max(wish, 0.0), self.retry_after_cap_s) + jitter
        )


async def with_retries(
    attempt: Callable[[int], Awaitable[T]],
    policy: RetryPolicy,
    *,
    draw: random.Random,
    may_repeat: Callable[[], bool] = lambda: True,
    sleep: Sleep = anyio.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> T:
    """Call `attempt(number)`, number counting from 1, until it answers or the policy says stop.

    `may_repeat` is asked last, once for each repeat that the policy grants.

    Raises:
        JudgeError: the last attempt's error. Anything else an attempt raises passes through at once.
    """
    started = monotonic()
    malformed = 0
    number = 0
    failed: list[JudgeError] = []

    async def once() -> T:
        nonlocal number
        number += 1
        return await attempt(number)

    async def after_the_first() -> T:
        if failed:
            raise failed.pop()
        return await once()

    def again(state: RetryCallState) -> bool:
        nonlocal malformed
        error = _error_of(state)
        malformed += isinstance(error, JudgeMalformed)
        return (
            isinstance(error, JudgeError)
            and error.retryable
            and malformed <= policy.malformed_retries
        )

    def enough(state: RetryCallState) -> bool:
        late = monotonic() - started + state.upcoming_sleep >= policy.deadline_s
        return state.attempt_number > policy.max_retries or late or not may_repeat()

    def wait(state: RetryCallState) -> float:
        return policy.wait_s(state.attempt_number, _error_of(state), draw)

    async def pause(seconds: float) -> None:
        await sleep(seconds)

    try:
        return await once()
    except JudgeError as error:
        failed.append(error)
    # Only a failure needs the machinery: it takes a twentieth of a call's CPU time, and 60 ms to import.
    from tenacity import AsyncRetrying

    return await AsyncRetrying(
        sleep=pause, stop=enough, wait=wait, retry=again, reraise=True
    )(after_the_first)


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome is not None else None
