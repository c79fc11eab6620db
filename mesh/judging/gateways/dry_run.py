"""A gateway that makes no call (`--dry-run`): it counts the calls and answers them itself."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.judging.client.budget import output_limit, worst_cost
from judgemesh.mesh.judging.client.cache import cache_key, reply_from_json
from judgemesh.mesh.judging.gateways.simulated import (
    PrefixCache,
    Word,
    answer_text,
    answers_text,
    is_negated,
    prompt_text,
)

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

_MAX_BYTES_PER_TOKEN: Final = 5
_MIN_BYTES_PER_TOKEN: Final = 3
_MIN_ANSWER_TOKENS: Final = 15
_MAX_ANSWER_TOKENS: Final = 300


@dataclass(slots=True)
class CallTotals:
    """The calls of one dry run, in tokens from the fewest to the most; `worst_cost` is their highest cost."""

    calls: int = 0
    cache_hits: int = 0
    input_low: int = 0
    input_high: int = 0
    cached_low: int = 0
    output_low: int = 0
    output_high: int = 0
    worst_cost: Decimal = Decimal(0)


@dataclass(slots=True)
class DryGateway:
    """Counts calls and answers them itself.

    name, votes: those of the gateway it stands for, so that cache and run are found under the same keys.
    contrary: whether every second answer is the opposite, which causes the most calls; else all are "yes".
    cache: answers that are there are taken from it.
    """

    name: str
    model: str | None
    price: PriceSnapshot | None
    contrary: bool
    cache: Ledger | None
    votes: str = "lead"
    takes_tools: bool = True
    totals: CallTotals = field(default_factory=CallTotals)
    _prefixes: PrefixCache = field(default_factory=PrefixCache)

    async def complete(self, call: ModelCall) -> ModelReply:
        """Count the call and answer it."""
        cached = await self._cached(call)
        if cached is not None:
            self.totals.cache_hits += 1
            return cached
        self._count(call)
        text = self._answer(call)
        return ModelReply(text=text, model_served=call.model, usage=Usage())

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _cached(self, call: ModelCall) -> ModelReply | None:
        if self.cache is None:
            return None
        text = await self.cache.cache_get(cache_key(call, gateway=self.name))
        try:
            return None if text is None else reply_from_json(json.loads(text))
        except ValueError:
            return None

    def _count(self, call: ModelCall) -> None:
        totals = self.totals
        prompt = prompt_text(call.messages)
        size_bytes = len(prompt.encode("utf-8", "surrogatepass"))
        tokens_low = size_bytes // _MAX_BYTES_PER_TOKEN
        cached_tokens = self._prefixes.cached_tokens(prompt, model=call.model)
        totals.calls += 1
        totals.input_low += tokens_low
        totals.input_high += -(-size_bytes // _MIN_BYTES_PER_TOKEN)
        totals.cached_low += min(tokens_low, cached_tokens)
        answers = _answer_count(call)
        limit = output_limit(call.parameters)
        totals.output_low += min(_MIN_ANSWER_TOKENS * answers, limit)
        totals.output_high += min(_MAX_ANSWER_TOKENS * answers, limit)
        if self.price is not None:
            totals.worst_cost += worst_cost(call, self.price).amount

    def _answer(self, call: ModelCall) -> str:
        """The same answer each time, or the opposite every second time; also where the question is negated."""
        contrary = self.contrary and call.sample_index % 2 == 1
        negated = is_negated(call.messages[-1]["content"])
        word: Word = "no" if contrary != negated else "yes"
        response_format = None
        if call.response_schema is not None:
            schema = {"schema": dict(call.response_schema)}
            response_format = {"type": "json_schema", "json_schema": schema}
        if call.question_ids:
            words: list[Word] = [word] * _answer_count(call)
            return answers_text(words, response_format)
        return answer_text(word, response_format)


def _answer_count(call: ModelCall) -> int:
    return max(1, len(call.question_ids))
