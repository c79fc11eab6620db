"""One sample of one question through one model: the cache, a free place, retries, reading, and a row per attempt.

The caller knows nothing of votes. Whoever counts them (the judge) hands it a `Work` and gets an `Answered`, or a
`JudgeError` after the last attempt. Every attempt is recorded before its answer is used.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Generic, TypeVar

import anyio

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.errors import JudgeError, JudgeRejected, JudgeTimeout
from judgemesh.contracts.gateway import JudgeGateway, ModelCall, ModelReply
from judgemesh.contracts.usage import Money, total
from judgemesh.mesh.judging.client.attempts import Rows
from judgemesh.mesh.judging.client.budget import OUTPUT_LIMITS, longer_reply, worst_cost
from judgemesh.mesh.judging.client.cache import (
    ResponseCache,
    cache_key,
    reply_from_json,
    reply_to_json,
)
from judgemesh.mesh.judging.client.capabilities import Structure
from judgemesh.mesh.judging.client.channel import Traffic, Trip
from judgemesh.mesh.judging.client.retry import RetryPolicy, Sleep, with_retries
from judgemesh.mesh.judging.errors import (
    DecisionsRejected,
    LogprobsRejected,
    StructuredOutputRejected,
)
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.prompts.loader import Prompt

T = TypeVar("T")

_RECORD_GRACE_S: Final = 5.0
_NOTHING: Final = Money(Decimal(0))
_FEW_TOKENS: Final[Mapping[str, Any]] = {
    "max_tokens": 4
}  # the verdict is the first of them; some servers need room


def utc_now() -> datetime:
    """The time of the wall clock, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[T]):
    """One sample of one question: what is asked, how the answer is read, who wants it.

    `sample_index` tells the votes of one question apart: each is a call of its own, and kept under its own key.
    `top_logprobs` asks for alternatives to the first token, `questions` for a decision endpoint's probabilities; a
    provider that has none raises `LogprobsRejected` or `DecisionsRejected`, and is not asked for them again.
    `question_ids` are the questions of a message that asks several; its reply may be longer accordingly.
    """

    question_id: str
    prompt: Prompt
    framed: Framed
    schema: Mapping[str, Any] | None
    read: Callable[[ModelReply], T]
    context: CallContext
    sample_index: int = 0
    top_logprobs: int = 0
    questions: tuple[str, ...] = ()
    question_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Generic[T]):
    """What came of it, and the money of all attempts it took."""

    value: T
    model: str
    cost: Money | None
    cost_avoided: Money | None = None


@dataclass(slots=True)
class _Ledger:
    """The attempts of one question so far: how many, and what each cost."""

    attempts: int = 0
    costs: list[Money | None] = field(default_factory=list["Money | None"])


class Caller:
    """Asks one model through one gateway, which it closes.

    Raises:
        ConfigError: there is a budget, and the model has no price.

    Args:
        gateway: the way to the model.
        model: the model as the gateway calls it (`openai/gpt-4.1-mini`).
        prices: what models cost; the bundled price book when not given.
        cache: where readable answers are kept; None asks every time.
        policy: when to ask again, and how long all attempts of one sample may take together.
        timeout_s: how long one attempt may take.
        parameters: exactly those sent to the model.
        concurrency: how many calls are on their way at once, where `traffic` is not given.
        traffic: the limits and the budget shared with other callers.
        structured: whether to ask for JSON of a schema, or of a tool; see `capabilities.py`.
        seed: of the jitter between retries.
        clock, monotonic, sleep: time, injectable for tests.
    """

    def __init__(  # noqa: PLR0913 - keyword-only settings with defaults
        self,
        gateway: JudgeGateway,
        *,
        model: str,
        prices: PriceBook | None = None,
        cache: ResponseCache | None = None,
        policy: RetryPolicy | None = None,
        timeout_s: float = 60.0,
        parameters: Mapping[str, Any] | None = None,
        concurrency: int = 16,
        traffic: Traffic | None = None,
        structured: bool = True,
        seed: int = 0,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.model = model
        self._gateway = gateway
        self._rows = Rows(prices or PriceBook.bundled())
        self._cache = cache
        self._policy = policy or RetryPolicy()
        self._timeout_s = timeout_s
        self._parameters = dict(parameters or {})
        traffic = traffic or Traffic(
            concurrency=concurrency, monotonic=monotonic, sleep=sleep
        )
        self._lane = traffic.lane(gateway.name, model)
        self.capabilities = self._lane.capabilities
        self.capabilities.tools = self.capabilities.tools and getattr(
            gateway, "takes_tools", True
        )
        self._budget = traffic.budget
        if self._budget is not None:
            self._budget.accept(model, self._rows.prices.find(model))
        self._structured = structured
        self._seed = seed
        self._clock, self._monotonic, self._sleep = clock, monotonic, sleep

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything here that can change an answer, JSON-ready."""
        return {
            "gateway": self._gateway.name,
            "model": self.model,
            "parameters": dict(self._parameters),
            "structured": self._structured,
            "seed": self._seed,
        }

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent with every call."""
        return self._parameters

    async def aclose(self) -> None:
        """Close the gateway. Safe to call twice."""
        await self._gateway.aclose()

    async def answer(self, work: Work[T]) -> Answered[T]:
        """The answer, from the cache or from the model.

        Raises:
            JudgeError: what the last attempt failed with, or why none was made.
        """
        kept = await self._from_cache(work, self._call(work))
        if kept is not None:
            return kept
        if self._lane.warmth is None:
            return await self._ask_model(work)
        async with self._lane.warmth.turn(self._call(work)):
            return await self._ask_model(work)

    def _call(self, work: Work[T]) -> ModelCall:
        structure = self.capabilities.structure if self._structured else Structure.TEXT
        return ModelCall(
            model=self.model,
            messages=work.framed.messages,
            parameters=self._sent(work),
            response_schema=None if structure is Structure.TEXT else work.schema,
            as_tool=work.schema is not None and structure is Structure.TOOL,
            top_logprobs=work.top_logprobs,
            questions=work.questions,
            question_id=work.question_id,
            question_ids=work.question_ids,
            sample_index=work.sample_index,
            timeout_s=self._timeout_s,
        )

    def _sent(self, work: Work[T]) -> Mapping[str, Any]:
        """The parameters of a call."""
        if work.top_logprobs:
            return self._of_one_token()
        if work.question_ids:
            return longer_reply(self._parameters, len(work.question_ids))
        return self._parameters

    def _of_one_token(self) -> dict[str, Any]:
        """The parameters of a call whose whole answer is its first token."""
        given = {
            name: value
            for name, value in self._parameters.items()
            if name not in OUTPUT_LIMITS
        }
        return {**given, **_FEW_TOKENS}

    async def _ask_model(self, work: Work[T]) -> Answered[T]:
        """Ask, and where the provider rejects the way of asking, ask in the next best way."""
        self._expected(work)
        ledger = _Ledger()
        while True:
            call = self._call(work)
            try:
                answered = await self._persist(work, call, ledger)
            except StructuredOutputRejected:
                if call.response_schema is None:
                    raise
                self.capabilities.rejected(
                    Structure.TOOL if call.as_tool else Structure.SCHEMA
                )
            except LogprobsRejected:
                self.capabilities.logprobs = False
                raise
            except JudgeRejected as error:
                if not work.questions:
                    raise
                self.capabilities.decisions = False
                raise DecisionsRejected(str(error)) from error
            else:
                self._learnt(work)
                return answered
            kept = await self._from_cache(work, self._call(work))
            if kept is not None:
                return kept

    def _expected(self, work: Work[T]) -> None:
        """What the model is known not to do is not asked for again."""
        if work.top_logprobs and self.capabilities.logprobs is False:
            raise LogprobsRejected(f"{self.model} gives no log-probabilities")
        if work.questions and self.capabilities.decisions is False:
            raise DecisionsRejected(f"{self.model} has no decision endpoint")

    def _learnt(self, work: Work[T]) -> None:
        if work.top_logprobs:
            self.capabilities.logprobs = True
        if work.questions:
            self.capabilities.decisions = True

    async def _persist(
        self, work: Work[T], call: ModelCall, ledger: _Ledger
    ) -> Answered[T]:
        """Ask until there is an answer, or no further attempt is granted."""
        started: float | None = None
        last: JudgeError | None = None

        async def attempt(_number: int) -> Answered[T]:
            nonlocal started, last
            try:
                async with self._lane.place(call) as trip, self._paid(call, trip):
                    started = self._monotonic() if started is None else started
                    left = self._policy.deadline_s - (self._monotonic() - started)
                    if left <= 0 and last is not None:
                        raise last  # the wait for a place took all the time that was left
                    return await self._attempt(
                        work,
                        replace(call, timeout_s=min(self._timeout_s, left)),
                        ledger,
                        trip,
                    )
            except JudgeError as error:
                last = error
                raise

        self._lane.retries.first()
        draw = random.Random(f"{self._seed}:{work.framed.digest}:{work.sample_index}")  # noqa: S311 - jitter
        return await with_retries(
            attempt,
            self._policy,
            draw=draw,
            may_repeat=self._lane.retries.take,
            sleep=self._sleep,
            # The deadline counts from the moment the question is first sent: a wait for a place is nobody's fault.
            monotonic=lambda: 0.0 if started is None else self._monotonic() - started,
        )

    @asynccontextmanager
    async def _paid(self, call: ModelCall, trip: Trip) -> AsyncGenerator[None]:
        """The worst case of the call, set aside from the budget while it is on its way."""
        if self._budget is None:
            yield
            return
        worst = worst_cost(
            call, self._budget.accept(self.model, self._rows.prices.find(self.model))
        )
        await self._budget.reserve(worst)
        try:
            yield
        finally:
            self._budget.settle(worst, trip.cost if trip.sent else _NOTHING)

    async def _attempt(
        self, work: Work[T], call: ModelCall, ledger: _Ledger, trip: Trip
    ) -> Answered[T]:
        """Ask once, record it, and only then use the answer."""
        ledger.attempts += 1
        trip.sent = True
        row = self._row(work, call, attempt=ledger.attempts)
        started = self._monotonic()
        reply: ModelReply | None = None
        try:
            reply = await self._complete(call)
            value = work.read(reply)
        except JudgeError as error:
            done = self._rows.failed(row, reply, error, latency_ms=self._since(started))
            trip.cost = done.cost
            ledger.costs.append(done.cost)
            await work.context.record(done)
            raise
        except anyio.get_cancelled_exc_class():
            # Nobody waits for the answer any more, but the request was made, and may be billed: it is recorded.
            left = replace(
                row,
                latency_ms=self._since(started),
                error_type="cancelled",
                error_message="cancelled",
            )
            with anyio.move_on_after(_RECORD_GRACE_S, shield=True):
                await work.context.record(left)
            raise
        done = self._rows.succeeded(row, reply, value, latency_ms=self._since(started))
        trip.cost = done.cost
        ledger.costs.append(done.cost)
        await work.context.record(done)
        await self._keep(call, reply)
        return Answered(
            value=value,
            model=reply.model_served or call.model,
            cost=total(ledger.costs),
        )

    async def _complete(self, call: ModelCall) -> ModelReply:
        try:
            with anyio.fail_after(call.timeout_s):
                return await self._gateway.complete(call)
        except JudgeError:
            raise
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except Exception as error:  # a gateway may be anybody's code; what breaks in it is an evaluator fault
            raise JudgeError(
                f"the gateway {self._gateway.name} broke: {type(error).__name__}: {error}"
            ) from error

    # --- the cache ---

    async def _from_cache(self, work: Work[T], call: ModelCall) -> Answered[T] | None:
        if self._cache is None:
            return None
        started = self._monotonic()
        text = await self._cache.cache_get(cache_key(call, gateway=self._gateway.name))
        if text is None:
            return None
        try:
            reply = reply_from_json(json.loads(text))
            value = work.read(reply)
        except (ValueError, JudgeError):
            return None  # kept by another version that read it differently; ask again
        row = self._rows.from_cache(
            self._row(work, call, attempt=1),
            reply,
            value,
            latency_ms=self._since(started),
        )
        await work.context.record(row)
        served = reply.model_served or call.model
        return Answered(
            value=value, model=served, cost=row.cost, cost_avoided=row.cost_avoided
        )

    async def _keep(self, call: ModelCall, reply: ModelReply) -> None:
        if self._cache is not None:
            value = json.dumps(reply_to_json(reply), ensure_ascii=True)
            await self._cache.cache_put(
                cache_key(call, gateway=self._gateway.name),
                value,
                created_at=self._clock(),
            )

    def _row(self, work: Work[T], call: ModelCall, *, attempt: int) -> JudgeAttempt:
        return JudgeAttempt(
            validator_name=work.context.validator_name,
            question_id=work.question_id,
            model_requested=call.model,
            prompt_name=work.prompt.ref,
            prompt_digest=work.prompt.digest,
            message_digest=work.framed.digest,
            created_at=self._clock(),
            latency_ms=0.0,
            status="error",
            sample_index=call.sample_index,
            attempt=attempt,
            parameters=dict(call.parameters),
        )

    def _since(self, started: float) -> float:
        return (self._monotonic() - started) * 1000.0
