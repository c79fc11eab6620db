"""One sample of one question through one model: cache, permit, budget, attempts, record.

The client knows nothing about votes. It takes a `Sample` and returns a `SampleAnswer`, or
raises `JudgeError` after the last attempt. Every attempt is recorded before its answer is
used.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from inspect import iscoroutine
from typing import Any, Final, TypeVar

import anyio

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.errors import JudgeError, JudgeRejected, JudgeTimeout
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.mesh.judging.client.attempts import AttemptLog
from judgemesh.mesh.judging.client.budget import OUTPUT_LIMITS, longer_reply, worst_cost
from judgemesh.mesh.judging.client.cache import (
    CacheKeys,
    ResponseCache,
    reply_from_json,
    reply_text,
)
from judgemesh.mesh.judging.client.capabilities import Structure
from judgemesh.mesh.judging.client.channel import Channels, Permit
from judgemesh.mesh.judging.client.retry import RetryPolicy, Sleep, retried
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.client.warm_up import Turn
from judgemesh.mesh.judging.errors import (
    AttemptCancelled,
    DecisionsRejected,
    LogprobsRejected,
    StructuredOutputRejected,
)
from judgemesh.mesh.pricing.prices import PriceBook

T = TypeVar("T")

_RECORD_GRACE_S: Final = 5.0
_FIRST_TOKEN_LIMIT: Final = 4  # the verdict is the first token; some servers need more


def utc_now() -> datetime:
    """The time of the wall clock, in UTC."""
    return datetime.now(UTC)


class Client:
    """Asks one model through one gateway, which it closes.

    Args:
        gateway: the connection to the model.
        model: the model as the gateway calls it (`openai/gpt-4.1-mini`).
        prices: what models cost; the bundled price book if not given.
        cache: where readable answers are kept; None asks every time.
        policy: when to retry, and how long all attempts of a sample may take.
        timeout_s: how long one attempt may take.
        parameters: exactly those sent to the model.
        channels: limits and budget shared with other clients.
        structured: whether to ask for JSON of a schema, or of a tool; see
            `capabilities.py`.
        seed: of the jitter between retries.
        clock, monotonic, sleep: time, injectable for tests.

    Raises:
        ConfigError: there is a budget, and the model has no price.
    """

    def __init__(  # noqa: PLR0913 - keyword-only settings with defaults
        self,
        gateway: Gateway,
        *,
        model: str,
        prices: PriceBook | None = None,
        cache: ResponseCache | None = None,
        policy: RetryPolicy | None = None,
        timeout_s: float = 60.0,
        parameters: Mapping[str, Any] | None = None,
        channels: Channels | None = None,
        structured: bool = True,
        seed: int = 0,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.model = model
        self.parameters: Mapping[str, Any] = dict(parameters or {})
        self._gateway = gateway
        self._times = not getattr(gateway, "keeps_time", False)
        self._prices = prices or PriceBook.bundled()
        self._cache = cache
        self._keys = CacheKeys(gateway.name)
        self._policy = policy or RetryPolicy()
        self._timeout_s = timeout_s
        channels = channels or Channels(monotonic=monotonic, sleep=sleep)
        self._channel = channels.channel(gateway.name, model)
        self.capabilities = self._channel.capabilities
        self.capabilities.tools &= gateway.takes_tools
        self._budget_price = None
        if channels.budget is not None:
            price = self._prices.find(model)
            self._budget_price = channels.budget.accept(model, price)
        self._structured = structured
        self._seed = seed
        self._clock, self._monotonic, self._sleep = clock, monotonic, sleep

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything here that can change an answer, JSON-ready."""
        return {
            "gateway": self._gateway.name,
            "model": self.model,
            "parameters": dict(self.parameters),
            "structured": self._structured,
            "seed": self._seed,
        }

    async def aclose(self) -> None:
        """Close the gateway. Safe to call twice."""
        await self._gateway.aclose()

    async def ask(self, sample: Sample[T]) -> SampleAnswer[T]:
        """The answer, from the cache or from the model.

        If the provider rejects the form of the question, it is asked in the next form.

        Raises:
            JudgeError: the error of the last attempt, or why none was made.
        """
        log = AttemptLog(sample=sample, prices=self._prices)
        structure = self._structure(sample)
        call = self._call(sample, structure)
        key = self._cache_key(call)
        answer = await self._cached(sample, call, key, log)
        if answer is not None:
            return answer
        async with self._channel.warm_up.turn(call) as turn:
            while True:
                if structure is not self._structure(sample):
                    structure = self._structure(sample)
                    call = self._call(sample, structure)
                    key = self._cache_key(call)
                    answer = await self._cached(sample, call, key, log)
                    if answer is not None:
                        return answer
                try:
                    return await self._ask_model(sample, call, key, log, turn)
                except StructuredOutputRejected:
                    if structure is Structure.TEXT:
                        raise
                    self.capabilities.reject(structure)

    def _structure(self, sample: Sample[Any]) -> Structure:
        """The form in which the sample is asked for now."""
        if sample.schema is None or not self._structured:
            return Structure.TEXT
        return self.capabilities.structure

    def _call(self, sample: Sample[Any], structure: Structure) -> ModelCall:
        return ModelCall(
            model=self.model,
            messages=sample.framed.messages,
            parameters=self._parameters_of(sample),
            response_schema=None if structure is Structure.TEXT else sample.schema,
            as_tool=structure is Structure.TOOL,
            top_logprobs=sample.top_logprobs,
            questions=sample.questions,
            question_id=sample.question_id,
            question_ids=sample.question_ids,
            sample_index=sample.sample_index,
            timeout_s=self._timeout_s,
        )

    def _parameters_of(self, sample: Sample[Any]) -> Mapping[str, Any]:
        """The parameters sent, with the limit on the reply that the sample needs."""
        if sample.top_logprobs:
            parameters = dict(self.parameters)
            for limit in OUTPUT_LIMITS:
                parameters.pop(limit, None)
            return {**parameters, "max_tokens": _FIRST_TOKEN_LIMIT}
        if sample.question_ids:
            return longer_reply(self.parameters, len(sample.question_ids))
        return self.parameters

    async def _ask_model(
        self,
        sample: Sample[T],
        call: ModelCall,
        key: str,
        log: AttemptLog,
        turn: Turn,
    ) -> SampleAnswer[T]:
        """Send the call until there is an answer, or no further attempt is allowed."""
        self._check_capabilities(sample)
        channel = self._channel
        worst = None
        if self._budget_price is not None:
            worst = worst_cost(call, self._budget_price)
        sent_at: float | None = None
        last_error: JudgeError | None = None

        def elapsed_s() -> float:
            # Waiting for the first permit is not the provider's time.
            return 0.0 if sent_at is None else self._monotonic() - sent_at

        async def attempt_once() -> SampleAnswer[T]:
            nonlocal call, sent_at, last_error
            permit = await channel.acquire(call, worst, sample.context.begun)
            permit.turn = turn
            try:
                if sent_at is None:
                    sent_at = self._monotonic()
                left_s = self._policy.deadline_s - elapsed_s()
                if left_s <= 0 and last_error is not None:
                    raise last_error  # the wait for a permit took all the time
                if left_s < call.timeout_s:
                    call = replace(call, timeout_s=left_s)
                return await self._attempt(sample, call, key, log, permit)
            except JudgeError as error:
                last_error = error
                raise
            finally:
                permit.release()

        channel.retries.first()
        try:
            return await attempt_once()
        except JudgeError as error:
            first = error
        from judgemesh.mesh.judging.client.policies import retrying

        policies = retrying(
            self._policy,
            seed=f"{self._seed}:{sample.framed.digest}:{sample.sample_index}",
            elapsed_s=elapsed_s,
            take_retry=channel.retries.take,
            sleep=self._sleep,
        )
        return await retried(first, attempt_once, policies)

    async def _attempt(
        self,
        sample: Sample[T],
        call: ModelCall,
        key: str,
        log: AttemptLog,
        permit: Permit,
    ) -> SampleAnswer[T]:
        """Send the call once, record the attempt, and only then use the answer."""
        log.attempts += 1
        sent_at = self._clock()
        sample.context.sent(log.request(call, created_at=sent_at))
        permit.sent = True
        started = self._monotonic()
        row = partial(log.row, call, created_at=sent_at)
        reply: ModelReply | None = None
        try:
            reply = await self._complete(call)
            value = sample.read(reply)
        except JudgeError as error:
            failed = row(latency_ms=self._ms_since(started), reply=reply, error=error)
            await self._record(failed, sample, permit, error)
            raise
        except anyio.get_cancelled_exc_class():
            # The answer is no longer awaited, but the request was sent and may be billed.
            cancelled = AttemptCancelled("cancelled")
            left = row(latency_ms=self._ms_since(started), error=cancelled)
            with anyio.move_on_after(_RECORD_GRACE_S, shield=True):
                await sample.context.record(left)
            raise
        done = row(latency_ms=self._ms_since(started), reply=reply, value=value)
        # The slot goes to the next call, so that the provider has as much to do while this answer waits for others.
        can_wait = permit.answered()
        recorded = self._record(done, sample, permit, None, can_wait=can_wait)
        # The provider is done with it: the next call need not wait until this one is on record.
        permit.release()
        if self._cache is None:
            await recorded
        else:
            # Queued one behind the other, so that they share a commit.
            # The time of the attempt leads from its row to the entry.
            text = reply_text(reply)
            kept = self._cache.cache_put(
                key, text, created_at=sent_at, can_wait=can_wait
            )
            try:
                await recorded
            except BaseException:
                _give_up(kept)
                raise
            await kept
        return SampleAnswer(
            value=value, model=reply.model_served or call.model, cost=log.cost()
        )

    async def _complete(self, call: ModelCall) -> ModelReply:
        """The reply of the gateway within the time limit; what else it raises becomes a `JudgeError`."""
        try:
            if not self._times:
                return await self._gateway.complete(call)
            async with asyncio.timeout(call.timeout_s):
                return await self._gateway.complete(call)
        except JudgeError:
            raise
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except Exception as error:  # a gateway may be third-party code
            kind = type(error).__name__
            message = f"the gateway {self._gateway.name} broke: {kind}: {error}"
            raise JudgeError(message) from error

    def _record(
        self,
        row: JudgeAttempt,
        sample: Sample[Any],
        permit: Permit,
        error: JudgeError | None,
        *,
        can_wait: bool = False,
    ) -> Awaitable[None]:
        """Adjust budget, limits and capabilities to an attempt, and begin to record it."""
        permit.cost = row.cost
        self._channel.learn(error, permit)
        if sample.top_logprobs and not error:
            self.capabilities.logprobs = True
        if sample.top_logprobs and isinstance(error, LogprobsRejected):
            self.capabilities.logprobs = False
        if sample.questions and not error:
            self.capabilities.decisions = True
        if sample.questions and isinstance(error, JudgeRejected):
            self.capabilities.decisions = False
        context = sample.context
        if can_wait and context.record_together is not None:
            return context.record_together(row)
        return context.record(row)

    def _check_capabilities(self, sample: Sample[Any]) -> None:
        """Do not send what the provider is known to reject."""
        if sample.top_logprobs and self.capabilities.logprobs is False:
            raise LogprobsRejected(f"{self.model} returns no log-probabilities")
        if sample.questions and self.capabilities.decisions is False:
            raise DecisionsRejected(f"{self.model} has no decision endpoint")

    def _cache_key(self, call: ModelCall) -> str:
        if self._cache is None:
            return ""
        return self._keys.of(call)

    async def _cached(
        self, sample: Sample[T], call: ModelCall, key: str, log: AttemptLog
    ) -> SampleAnswer[T] | None:
        """The answer in the cache; None if there is none that can be read."""
        if self._cache is None:
            return None
        started = self._monotonic()
        text = await self._cache.cache_get(key)
        if text is None:
            return None
        try:
            reply = reply_from_json(json.loads(text))
            value = sample.read(reply)
        except (ValueError, JudgeError):
            return None  # kept by a version that read it differently
        row = log.row(
            call,
            created_at=self._clock(),
            latency_ms=self._ms_since(started),
            reply=reply,
            value=value,
            cache_hit=True,
        )
        await sample.context.record(row)
        return SampleAnswer(
            value=value,
            model=reply.model_served or call.model,
            cost=row.cost,
            cost_avoided=row.cost_avoided,
        )

    def _ms_since(self, started: float) -> float:
        return (self._monotonic() - started) * 1000.0


def _give_up(kept: Awaitable[None]) -> None:
    """An answer without a record is not kept: what would keep it is not begun, or ends unnoticed."""
    if iscoroutine(kept):
        kept.close()
    elif isinstance(kept, asyncio.Future):
        kept.add_done_callback(_unnoticed)


def _unnoticed(done: asyncio.Future[None]) -> None:
    if not done.cancelled():
        done.exception()
