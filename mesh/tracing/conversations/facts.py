"""What a message says beside its content: model, tokens, time, and the id of the reply that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import (
    ENVELOPES,
    TIMES,
    Fields,
    as_object,
    fold,
)
from judgemesh.mesh.pricing.usage import read_usage
from judgemesh.mesh.tracing.spans.json_values import JsonObject
from judgemesh.mesh.tracing.steps.values import moment_of

_USAGES: Final = (
    "usage", "usagemetadata", "metadata.usage", "meta.usage", "modelsusage", "responsemetadata.tokenusage",
    "responsemetadata.usage", "tokenusage", "metrics", "response.usage",
)  # fmt: skip
"""Where a message states its tokens, folded; the first that holds a count is taken."""
_MODELS: Final = (
    "model", "modelname", "responsemetadata.modelname", "responsemetadata.model", "meta.model", "aimodelid",
    "modelversion", "response.modelid", "modelid", "providerdata.model", "metadata.model", "responsemodel",
)  # fmt: skip
_STOPS: Final = (
    "finishreason", "stopreason", "responsemetadata.finishreason", "responsemetadata.stopreason", "meta.finishreason",
    "metadata.finishreason", "errorcode",
)  # fmt: skip
_STOPS_FOR_CALL: Final = ("toolcall", "tooluse", "functioncall")
_MILLISECONDS: Final = 10**11


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one message states.

    reply: the id of the model's reply; parts of one reply repeat its usage.
    stopped_for_call: whether the model is said to have stopped because it called a tool.
    """

    usage: JsonObject = field(default_factory=dict[str, Any])
    model: str | None = None
    at: datetime | None = None
    reply: str | None = None
    stopped_for_call: bool = False


def facts_of(message: JsonObject) -> Facts:
    """The facts of a message, or of the message in its envelope."""
    places = [Fields(message)]
    for key in ENVELOPES[:-1]:
        inner = as_object(places[0].get(key))
        if inner is not None:
            places.append(Fields(inner))
    usage = _first_object(places, _USAGES)
    return Facts(
        usage=usage,
        model=_first_text(places, _MODELS),
        at=next((time for place in places if (time := _time(place))), None),
        reply=_reply(places) if usage else None,
        stopped_for_call=_stopped_for_call(places),
    )


def _stopped_for_call(places: list[Fields]) -> bool:
    reason = fold(_first_text(places, _STOPS) or "")
    return any(word in reason for word in _STOPS_FOR_CALL)


def _reply(places: list[Fields]) -> str | None:
    """The id of the innermost message."""
    return places[-1].text("id")


def _first_object(places: list[Fields], paths: Iterable[str]) -> JsonObject:
    for path in paths:
        for place in places:
            found = as_object(at_path(place, path))
            if found and tokens_of(found) != (None, None):
                return found
    return {}


def _first_text(places: list[Fields], paths: Iterable[str]) -> str | None:
    for path in paths:
        for place in places:
            found = at_path(place, path)
            if isinstance(found, str) and found:
                return found
    return None


def at_path(fields: Fields, path: str) -> Any:
    """The value at a path of folded keys such as `metadata.usage`; None where there is none."""
    key, _, rest = path.partition(".")
    value = fields.get(key)
    if not rest:
        return value
    inner = as_object(value)
    return None if inner is None else at_path(Fields(inner), rest)


def _time(fields: Fields) -> datetime | None:
    value = fields.get(TIMES)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = value / 1000 if value > _MILLISECONDS else value
    moment = moment_of(value)
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def tokens_of(usage: JsonObject) -> tuple[int | None, int | None]:
    """Tokens in and out of one usage object, cached and reasoning tokens included."""
    counted = read_usage(usage).usage
    if counted is None:
        return None, None
    return counted.input_total, counted.output_tokens + counted.reasoning_tokens


def sum_of_tokens(facts: Iterable[Facts]) -> tuple[int | None, int | None]:
    """The tokens of all replies, each reply once."""
    total_in: int | None = None
    total_out: int | None = None
    replies: set[str] = set()
    for fact in facts:
        if not fact.usage or fact.reply in replies:
            continue
        if fact.reply is not None:
            replies.add(fact.reply)
        tokens_in, tokens_out = tokens_of(fact.usage)
        if tokens_in is not None:
            total_in = (total_in or 0) + tokens_in
        if tokens_out is not None:
            total_out = (total_out or 0) + tokens_out
    return total_in, total_out
