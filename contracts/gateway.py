"""The one seam to a model: `complete` one call. Everything else (cache, retries, prices, votes) stands above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from judgemesh.contracts.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request, complete and provider-neutral.

    `parameters` are exactly those sent (temperature, max_tokens, seed...); `response_schema` asks for JSON of that
    schema, `as_tool` for the same through a tool the model must call; `top_logprobs` asks for that many alternatives
    to the first token; `questions` makes it a call to a decision endpoint: a probability of "yes" for each of them
    about the messages. `question_id` and `sample_index` identify the call for test doubles and for the cache;
    `question_ids` are those of a message that asks several questions, which it calls q1, q2, ...
    """

    model: str
    messages: tuple[Mapping[str, str], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    response_schema: Mapping[str, Any] | None = None
    as_tool: bool = False
    top_logprobs: int = 0
    questions: tuple[str, ...] = ()
    question_id: str = ""
    question_ids: tuple[str, ...] = ()
    sample_index: int = 0
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What came back: the text, who really served it and what it used. `usage` is None when the provider is silent.

    first_token: alternatives to the first token with their log-probabilities, as the provider gave them.
    probabilities: of a decision endpoint, one for each question; None where it refused one.
    """

    text: str
    model_served: str | None = None
    usage: Usage | None = None
    provider_cost: float | None = None
    finish_reason: str | None = None
    first_token: tuple[tuple[str, float], ...] = ()
    probabilities: tuple[float | None, ...] = ()


class JudgeGateway(Protocol):
    """Anything that can complete a call.

    `name` goes into the cache key and the run key (`litellm`, `scripted`, ...).
    """

    @property
    def name(self) -> str:
        """Which kind of gateway this is."""
        ...

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once, without retries of its own.

        Raises:
            JudgeError: no usable answer; the subclass says whether asking again can help.
        """
        ...

    async def aclose(self) -> None:
        """Release connections. Safe to call twice."""
        ...
