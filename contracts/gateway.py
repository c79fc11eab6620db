"""The interface to a model: one method that completes one call, and what the gateway is able to do.

Everything else (cache, retries, prices, votes) is built on top of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.usage import Usage


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request, complete and independent of the provider.

    Args:
        parameters: exactly those sent (temperature, max_tokens, seed, ...).
        response_schema: asks for JSON that fits this JSON Schema.
        as_tool: asks for the same through a tool that the model must call.
        top_logprobs: asks for that many alternatives to the first token.
        questions: makes this a call to a decision endpoint, which returns a probability
            of "yes" about the messages for each question.
        question_id, sample_index: identify the call for test doubles and for the cache.
        question_ids: of a message that asks several questions, called q1, q2, ... in it.
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


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the provider returned.

    Args:
        model_served: the model that answered, if the provider names it.
        usage: None if the provider reports none.
        first_token: alternatives to the first token with their log-probabilities.
        probabilities: of a decision endpoint, one for each question; None for a
            question that it refused.
    """

    text: str
    model_served: str | None = None
    usage: Usage | None = None
    provider_cost: float | None = None
    finish_reason: str | None = None
    first_token: tuple[tuple[str, float], ...] = ()
    probabilities: tuple[float | None, ...] = ()


class Gateway(Protocol):
    """Anything that can complete a call. A subclass inherits the defaults.

    Attributes:
        name: part of the cache key and of the run key (`litellm`, `scripted`, ...).
        model: the only model it answers for; None if the caller chooses the model.
        votes: the voting policy to use if the configuration names none.
        takes_tools: whether it can send a call with `as_tool`.
        is_live: whether a provider answers, which may refuse access. Only such a
            gateway is asked before the first result.
        keeps_time: whether `complete` ends by itself within `timeout_s` of a call. No
            other timer is started for such a gateway.
    """

    name: str
    model: str | None = None
    votes: str = "lead"
    takes_tools: bool = True
    is_live: bool = False
    keeps_time: bool = False

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once, without retries of its own.

        Raises:
            JudgeError: there is no usable answer; the subclass says whether a retry can
                help.
        """
        ...

    async def aclose(self) -> None:
        """Release the connections. Safe to call twice."""
        ...
