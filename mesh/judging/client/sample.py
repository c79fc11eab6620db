"""What the client is asked for, and what it returns: one sample of one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.money import Money
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.prompts.loader import Prompt

T = TypeVar("T")


class Sample(NamedTuple, Generic[T]):
    """One sample of one question: the messages, how the reply is read, who asks.

    Args:
        schema: the JSON Schema of the reply; None for text.
        read: turns the reply into a value; raises `JudgeError` if it cannot.
        sample_index: tells the votes on one question apart; each is a call of its own
            with a cache entry of its own.
        top_logprobs: asks for alternatives to the first token.
        questions: asks a decision endpoint for a probability for each of them.
        question_ids: of a message that asks several questions; the limit on the length
            of the reply grows with them.
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


class SampleAnswer(NamedTuple, Generic[T]):
    """The value of a sample, and the cost of all the attempts it took.

    Args:
        model: the model that answered.
        cost: None if the cost of an attempt is unknown.
        cost_avoided: what an answer from the cache would have cost.
    """

    value: T
    model: str
    cost: Money | None
    cost_avoided: Money | None = None
