"""Retries with tenacity: its stop, wait and retry policies, and a few of the same kind.

tenacity is imported with this module, at the first call (20 ms of CPU time).
"""

from __future__ import annotations

import random
from collections.abc import Callable

import anyio
from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt, stop_any
from tenacity.retry import retry_base
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from judgemesh.contracts.errors import JudgeError, JudgeMalformed
from judgemesh.mesh.judging.client.retry import RetryPolicy, Sleep


def retrying(
    policy: RetryPolicy,
    *,
    seed: str,
    elapsed_s: Callable[[], float],
    take_retry: Callable[[], bool],
    sleep: Sleep = anyio.sleep,
) -> AsyncRetrying:
    """The attempts of one sample: `async for attempt in ...: with attempt: ...`.

    The error of the last attempt is raised. Any other exception than `JudgeError` is
    raised at once.

    Args:
        policy: see `RetryPolicy`.
        seed: of the jitter.
        elapsed_s: seconds since the first attempt was sent.
        take_retry: takes a retry from the retry budget; False if there is none left.
            Called last, once for each retry that all other policies allow.
        sleep: waits that many seconds.
    """
    return AsyncRetrying(
        retry=RetryableError(policy.malformed_retries),
        wait=FullJitter(policy.base_s, policy.cap_s, seed)
        + RetryAfter(policy.retry_after_cap_s),
        stop=stop_any(
            stop_after_attempt(policy.max_retries + 1),
            StopAtDeadline(policy.deadline_s, elapsed_s),
            StopWithoutBudget(take_retry),
        ),
        sleep=sleep,
        reraise=True,
    )


class RetryableError(retry_base):
    """Retry a `JudgeError` that may pass; a malformed reply only so many times."""

    def __init__(self, malformed_retries: int) -> None:
        self._malformed_left = malformed_retries

    def __call__(self, retry_state: RetryCallState) -> bool:
        """Whether the outcome may be retried."""
        error = _error_of(retry_state)
        if isinstance(error, JudgeMalformed):
            self._malformed_left -= 1
            if self._malformed_left < 0:
                return False
        return isinstance(error, JudgeError) and error.retryable


class FullJitter(wait_base):
    """Wait k: drawn evenly from 0 to min(cap_s, base_s * 2**(k-1)), by a seed."""

    MAX_DOUBLINGS = 30

    def __init__(self, base_s: float, cap_s: float, seed: str) -> None:
        self._base_s, self._cap_s, self._seed = base_s, cap_s, seed
        self._random: random.Random | None = None

    def __call__(self, retry_state: RetryCallState) -> float:
        """Seconds to wait."""
        # Seeding takes as long as a small reply takes to read, and few samples wait.
        if self._random is None:
            self._random = random.Random(self._seed)  # noqa: S311 - jitter
        doublings = min(retry_state.attempt_number - 1, self.MAX_DOUBLINGS)
        return self._random.uniform(
            0.0, min(self._cap_s, self._base_s * 2.0**doublings)
        )


class RetryAfter(wait_base):
    """The wait that the provider asks for, up to a cap.

    It is added to the jitter, so that clients that were told the same time do not all
    return at that time.
    """

    def __init__(self, cap_s: float) -> None:
        self._cap_s = cap_s

    def __call__(self, retry_state: RetryCallState) -> float:
        """Seconds to wait."""
        error = _error_of(retry_state)
        retry_after_s = error.retry_after_s if isinstance(error, JudgeError) else None
        return min(max(retry_after_s or 0.0, 0.0), self._cap_s)


class StopAtDeadline(stop_base):
    """Stop if the next wait would end at the deadline or later."""

    def __init__(self, deadline_s: float, elapsed_s: Callable[[], float]) -> None:
        self._deadline_s, self._elapsed_s = deadline_s, elapsed_s

    def __call__(self, retry_state: RetryCallState) -> bool:
        """Whether to stop."""
        return self._elapsed_s() + retry_state.upcoming_sleep >= self._deadline_s


class StopWithoutBudget(stop_base):
    """Stop if the retry budget is used up."""

    def __init__(self, take_retry: Callable[[], bool]) -> None:
        self._take_retry = take_retry

    def __call__(self, retry_state: RetryCallState) -> bool:
        """Whether to stop."""
        del retry_state  # the budget is that of all samples
        return not self._take_retry()


def _error_of(state: RetryCallState) -> BaseException | None:
    return None if state.outcome is None else state.outcome.exception()
