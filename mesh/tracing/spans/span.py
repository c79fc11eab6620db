"""What every span-like format has in common: one operation of a run, with its parent.

A span is plain JSON data inside, so that spans can wait on disk until their trace is
complete.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from sys import intern
from typing import Any, Final, TypeAlias

from judgemesh.contracts.money import CURRENCY, Money, exact_amount
from judgemesh.contracts.tracing import Access
from judgemesh.mesh.pricing.usage_shapes import TokenCounts
from judgemesh.mesh.tracing.spans.context_sources import ContextPart

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NS_A_MICROSECOND: Final = 1000
_MAX_NS: Final = 253_402_300_799 * 10**9
_MAX_DIGITS: Final = 19
_FACTORS: Final = (
    # A number below the limit is a time in a unit of that many nanoseconds.
    (10**11, 10**9),
    (10**14, 10**6),
    (10**17, 10**3),
    (10**19, 1),
)

SentPart: TypeAlias = tuple[str, int, str | None, str | None]
"""The fields of a `ContextPart`, which JSON can hold."""


class SpanKind(StrEnum):
    """What an operation is. A container holds others: an agent, a chain, a workflow."""

    MODEL = "model"
    EMBEDDING = "embedding"
    TOOL = "tool"
    RETRIEVER = "retriever"
    VALIDATOR = "validator"
    CONTAINER = "container"


COUNTING: Final = frozenset({SpanKind.MODEL, SpanKind.EMBEDDING})
"""Kinds of spans that are calls of a model."""


@dataclass(slots=True, kw_only=True)
class Span:
    """One operation. Times in nanoseconds since 1970.

    scope: the instrumentation that wrote it; "" where the format does not say.
    response_id: the provider's id of a model's response.
    conversation_id: the session, thread or group that the format puts the run in.

    order: the position in a file whose order is that of the run; 0 where only time tells.
    is_plumbing: it only passes something on inside a framework, and makes no step.
    state: the runtime state, where the format says or implies it.
    counts: the keyword arguments of `TokenCounts`. cost: a decimal number as text.
    unpaid: as `counts`, of what the agent does not pay for; `unpaid_reason` says why.
    sent: the parts of a model call's input.
    asks_tool: the model answered by asking for a tool.
    access: whether a tool's call reads or writes, where the trace says so.
    arguments_weight, result_weight: bytes (UTF-8) of a tool's request and response.
    content: what was said and called, where a reader was asked to keep it; see
        `said.py` for its keys.
    folded: what `fold` put away.
    """

    trace_id: str
    span_id: str
    parent_id: str | None = None
    scope: str = ""
    response_id: str | None = None
    conversation_id: str | None = None
    kind: str = SpanKind.CONTAINER
    name: str = ""
    state: str | None = None
    is_plumbing: bool = False
    order: int = 0
    start_ns: int | None = None
    end_ns: int | None = None
    status: str = "success"
    error_type: str | None = None
    task_id: str | None = None
    agent_id: str | None = None
    skill_id: str | None = None
    model_name: str | None = None
    provider: str = ""
    counts: dict[str, Any] | None = None
    unpaid: dict[str, Any] | None = None
    unpaid_reason: str = ""
    cost: str | None = None
    currency: str = "USD"
    sent: list[SentPart] = field(default_factory=list[SentPart])
    asks_tool: bool = False
    tool_name: str = ""
    tool_type: str = ""
    call_id: str | None = None
    arguments_digest: str | None = None
    result_digest: str | None = None
    access: Access | None = None
    arguments_weight: int | None = None
    result_weight: int | None = None
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    content: dict[str, Any] = field(default_factory=dict[str, Any])
    folded: bytes | None = None

    def __post_init__(self) -> None:
        """Names that all spans of a trace share are held in memory once."""
        self.trace_id = intern(self.trace_id)
        self.name = intern(self.name)
        self.scope = intern(self.scope)
        self.kind = intern(str(self.kind))
        self.provider = intern(self.provider)
        self.tool_name = intern(self.tool_name)
        self.tool_type = intern(self.tool_type)
        self.status = intern(self.status)
        self.currency = intern(self.currency)
        if self.model_name is not None:
            self.model_name = intern(self.model_name)
        if self.agent_id is not None:
            self.agent_id = intern(self.agent_id)

    def fold(self) -> None:
        """Pickle what only the span's own step needs; `counts` stays None where it is."""
        if self.folded is not None:
            return
        rest = (self.counts, self.sent, self.details, self.content)
        self.folded = pickle.dumps(rest, pickle.HIGHEST_PROTOCOL)
        self.counts = None if self.counts is None else {}
        self.sent = []
        self.details = {}
        self.content = {}

    def unfolded(self) -> Span:
        """A copy with everything in its field; the span itself where nothing is folded."""
        if self.folded is None:
            return self
        span = copy(self)
        # The bytes were pickled by `fold`, in this process.
        rest = pickle.loads(self.folded)  # noqa: S301
        span.counts, span.sent, span.details, span.content = rest
        span.folded = None
        return span

    def body(self, *, content: bool = False) -> dict[str, Any]:
        """The span as plain JSON data without empty fields, for `Span(**body)`.

        `content`: with what was said and called.

        Not `dataclasses.asdict`: it copies every nested value, which takes longer than
        the rest of reading a span.
        """
        body: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and value is not False and value not in ([], {}, ""):
                body[name] = value
        if not content:
            body.pop("content", None)
        return body


def sent_parts(parts: list[ContextPart]) -> list[SentPart]:
    """The parts of a model call's input, as `Span.sent` holds them."""
    return [(part.role, part.weight, part.call_id, part.tool_name) for part in parts]


def moment(ns: int | None) -> datetime | None:
    """A time of a span; None for none, and for one that no calendar has."""
    if ns is None or not 0 < ns <= _MAX_NS:
        return None
    return _EPOCH + timedelta(microseconds=ns // _NS_A_MICROSECOND)


def nanoseconds(value: object) -> int | None:
    """A time as nanoseconds since 1970; None for what is no time.

    ISO 8601 text (without a zone: UTC), or a number or its text: its size tells the
    unit, from seconds to nanoseconds.
    """
    if isinstance(value, str):
        text = value.strip()
        if not text.isdecimal():
            return _iso_nanoseconds(text)
        if len(text) > _MAX_DIGITS:
            return None
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return None
    for limit, factor in _FACTORS:
        if value < limit:
            return value * factor if isinstance(value, int) else round(value * factor)
    return None


def first_time_ns(fields: Mapping[str, Any], keys: Iterable[str]) -> int | None:
    """The first of these fields that is a time, in nanoseconds; None for none."""
    for key in keys:
        time_ns = nanoseconds(fields.get(key))
        if time_ns is not None:
            return time_ns
    return None


def _iso_nanoseconds(text: str) -> int | None:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Times of one run are written alike: with UTC for all, every difference is right.
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=UTC)
    return (parsed - _EPOCH) // timedelta(microseconds=1) * _NS_A_MICROSECOND


def money(amount: str | float | None, currency: str = "USD") -> Money | None:
    """An amount as a trace states it; None for none, and for what is no amount."""
    exact = exact_amount(amount)
    if exact is None or not CURRENCY.match(currency):
        return None
    return Money(exact, currency)


def counts_body(counts: TokenCounts) -> dict[str, Any]:
    """Token counts as plain JSON data, as `Span.counts` holds them."""
    return {**dict(counts.figures()), "raw": dict(counts.raw)}
