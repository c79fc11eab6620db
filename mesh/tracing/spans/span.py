"""What every span-like format has in common: one operation of a run, with its parent. Plain JSON data inside, so that
spans can wait on disk until their trace is complete."""

from __future__ import annotations

import pickle
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from sys import intern
from typing import Any, Final

from judgemesh.contracts.usage import CURRENCY, Money

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NS_A_MICROSECOND: Final = 1000
_LAST_NS: Final = 253_402_300_799 * 10**9


class Kind(StrEnum):
    """What an operation is. A container only holds others: an agent, a chain, a workflow."""

    MODEL = "model"
    EMBEDDING = "embedding"
    TOOL = "tool"
    RETRIEVER = "retriever"
    VALIDATOR = "validator"
    CONTAINER = "container"


@dataclass(slots=True, kw_only=True)
class Span:
    """One operation. Times in nanoseconds since 1970.

    order: the place in a file whose order is that of the run; 0 where only time tells.
    state: the runtime state, where the format says or implies it.
    counts: the keyword arguments of `counts.Counts`. cost: a decimal number as text.
    sent: the parts of a model call's input: role, weight, call id, tool name.
    asks_tool: the model answered by asking for a tool.
    arguments_weight, result_weight: lengths of a tool's request and response in UTF-8 bytes.
    folded: what `fold` put away.
    """

    trace_id: str
    span_id: str
    parent_id: str | None = None
    kind: str = Kind.CONTAINER
    name: str = ""
    state: str | None = None
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
    cost: str | None = None
    currency: str = "USD"
    sent: list[tuple[str, int, str | None, str | None]] = field(
        default_factory=list[tuple[str, int, str | None, str | None]]
    )
    asks_tool: bool = False
    tool_name: str = ""
    tool_type: str = ""
    call_id: str | None = None
    arguments_digest: str | None = None
    arguments_weight: int | None = None
    result_weight: int | None = None
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    folded: bytes | None = None

    def __post_init__(self) -> None:
        """Names that all spans of a trace share are kept once."""
        self.trace_id, self.name, self.kind = map(
            intern, (self.trace_id, self.name, str(self.kind))
        )
        self.provider, self.tool_name = intern(self.provider), intern(self.tool_name)
        self.status, self.currency, self.tool_type = map(
            intern, (self.status, self.currency, self.tool_type)
        )
        self.model_name = None if self.model_name is None else intern(self.model_name)
        self.agent_id = None if self.agent_id is None else intern(self.agent_id)

    def fold(self) -> None:
        """Put away what only the span's own step needs, in a fraction of its size. `counts` stays None where it is."""
        if self.folded is None:
            self.folded = pickle.dumps(
                (self.counts, self.sent, self.details), pickle.HIGHEST_PROTOCOL
            )
            self.counts, self.sent, self.details = (
                None if self.counts is None else {},
                [],
                {},
            )

    def opened(self) -> Span:
        """A copy with everything in its place; itself where nothing is put away."""
        if self.folded is None:
            return self
        span = copy(self)
        span.counts, span.sent, span.details = pickle.loads(self.folded)  # noqa: S301 (of this process)
        span.folded = None
        return span

    def body(self) -> dict[str, Any]:
        """Itself as plain JSON data, without what is empty; `Span(**body)` is the way back."""
        # By hand: `asdict` copies everything inside too, and takes longer than all the rest of reading a span.
        given = ((name, getattr(self, name)) for name in self.__slots__)
        return {
            name: value
            for name, value in given
            if value is not None and value not in ([], {})
        }


def moment(ns: int | None) -> datetime | None:
    """A time of a span; None for none, and for one that no calendar has."""
    if ns is None or not 0 < ns <= _LAST_NS:
        return None
    return _EPOCH + timedelta(microseconds=ns // _NS_A_MICROSECOND)


def nanoseconds(value: object) -> int | None:
    """A time as nanoseconds: ISO text, or a number whose size tells its unit, from seconds to nanoseconds."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdecimal():
            return nanoseconds(int(text)) if len(text) < 20 else None
        try:
            parsed = datetime.fromisoformat(text)
        except ValueError:
            return None
        # A time without a zone could be any; files of one run agree with each other, so UTC keeps every difference.
        since = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH
        return (since // timedelta(microseconds=1)) * _NS_A_MICROSECOND
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < 10**19
    ):
        return None
    factor = next(factor for limit, factor in _UNITS if value < limit)
    return int(value * factor) if isinstance(value, int) else round(value * factor)


_UNITS: Final = ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3), (10**20, 1))


def money(amount: str | float | None, currency: str = "USD") -> Money | None:
    """An amount as it stands in a trace; None for none, and for what is no amount."""
    if amount is None or isinstance(amount, bool):
        return None
    try:
        exact = Decimal(str(amount))
    except InvalidOperation:
        return None
    return (
        Money(exact, currency)
        if exact.is_finite() and CURRENCY.match(currency)
        else None
    )
