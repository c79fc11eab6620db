"""When a call is retried: exponential back-off with full jitter, `Retry-After`, a deadline.

There is no other retry layer: the HTTP clients make each request once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from judgemesh.contracts.errors import JudgeError

if TYPE_CHECKING:
    from tenacity import AsyncRetrying

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When to ask again. N retryable failures make 1 + N attempts.

    Args:
        max_retries: the largest N.
        malformed_retries: how many of them may follow a reply that cannot be read.
        base_s, cap_s: wait k is drawn evenly from 0 to min(cap_s, base_s * 2**(k-1)).
        retry_after_cap_s: the longest wait that the provider may ask for.
        deadline_s: no wait begins that would end later than this after the first
            attempt was sent.
    """

    max_retries: int = 2
    malformed_retries: int = 1
    base_s: float = 0.5
    cap_s: float = 20.0
    retry_after_cap_s: float = 60.0
    deadline_s: float = 180.0


async def retried(
    first: JudgeError,
    attempt_once: Callable[[], Awaitable[T]],
    policies: AsyncRetrying,
) -> T:
    """The outcome of the attempts that the policies allow after a first one that failed.

    Nearly every first attempt succeeds, and the policies cost a fifth of a request to set
    up, so they are made for a failure only. They count the first attempt.

    Raises:
        JudgeError: that of the last attempt.
    """
    failures = iter([first])
    async for attempt in policies:
        with attempt:
            for failure in failures:
                raise failure
            return await attempt_once()
    raise AssertionError("tenacity ends with an answer or an error")
