"""The agent result: one finished agent run, as a line of the input states it.

The boundary is lenient about what it does not know (unknown keys are kept) and strict about what it does know (wrong
types are errors).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from judgemesh.contracts.late import AS_GIVEN, Late
from judgemesh.contracts.money import CURRENCY, MAX_AMOUNT, Money, exact_amount
from judgemesh.contracts.parts import Id, JsonObject, Part, text_as

if TYPE_CHECKING:
    from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
    from judgemesh.contracts.result_parts.changes import StateEvidence
    from judgemesh.contracts.result_parts.claims import Citation, Claim
    from judgemesh.contracts.result_parts.trace import Trace
else:
    # Many results have an answer and no more.
    Action = Annotated[Any, Late("judgemesh.contracts.result_parts.actions", "Action")]
    Citation = Annotated[
        Any, Late("judgemesh.contracts.result_parts.claims", "Citation")
    ]
    Claim = Annotated[Any, Late("judgemesh.contracts.result_parts.claims", "Claim")]
    ExecutionRecord = Annotated[
        Any, Late("judgemesh.contracts.result_parts.actions", "ExecutionRecord")
    ]
    StateEvidence = Annotated[
        Any, Late("judgemesh.contracts.result_parts.changes", "StateEvidence")
    ]
    Trace = Annotated[Any, Late("judgemesh.contracts.result_parts.trace", "Trace")]


class Status(StrEnum):
    """How the run ended."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    ERROR = "error"
    ABANDONED = "abandoned"


def _as_list(value: Any) -> Any:
    """One claim alone is a list of one."""
    return [value] if isinstance(value, str | Mapping) else value


class AgentOutput(Part):
    """What the agent delivered."""

    final_answer: str | None = None
    outputs: JsonObject = Field(default_factory=dict)
    citations: list[Annotated[Citation, text_as("text")]] = Field(
        default_factory=list[Citation]
    )
    claims: Annotated[list[Claim], BeforeValidator(_as_list)] = Field(
        default_factory=list[Claim]
    )


MAX_LATENCY_MS: Final = 1e12
"""Thirty years: more is no duration of a run, and sums of it would leave the range of numbers."""


def _no_truth_value(value: Any) -> Any:
    """True and false are no numbers.

    Raises:
        ValueError: it is one of them.
    """
    if isinstance(value, bool):
        raise ValueError("expected a number, got true or false")  # noqa: TRY004 (pydantic wants ValueError)
    return value


def to_money(value: Any) -> Money | None:
    """Money out of JSON: a bare number is US dollars, an object names its currency, null is unknown.

    Raises:
        ValueError: it is none of these, or negative.
    """
    if value is None or isinstance(value, Money):
        return value
    amount: Any = value
    currency: Any = "USD"
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        amount = fields.get("amount")
        currency = fields.get("currency", "USD")
    if isinstance(amount, bool) or not isinstance(amount, int | float | str | Decimal):
        raise ValueError("expected a number, or {amount, currency}")  # noqa: TRY004 (pydantic wants ValueError)
    if not isinstance(currency, str) or not CURRENCY.match(currency):
        raise ValueError(
            f"a currency is three capital letters such as USD, got {currency!r}"
        )
    exact = exact_amount(amount)
    if exact is None:
        raise ValueError(
            f"expected an amount from 0 to {MAX_AMOUNT:.0e}, got {str(amount)[:40]!r}"
        )
    return Money(exact, currency)


MoneyField = Annotated[Money, AS_GIVEN, BeforeValidator(to_money)]


class AgentResult(BaseModel):
    """One finished agent run. Unknown keys of the line are kept under `metadata`."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True
    )

    result_id: Id
    task_id: Id
    contract: str | None = None
    trace_id: str | None = None
    agent_id: str | None = None
    agent_version: str | None = None
    agent_model: str | None = None
    skill_id: str | None = None
    skill_version: str | None = None
    status: Status = Status.COMPLETED
    output: Annotated[AgentOutput, text_as("final_answer")] = Field(
        default_factory=AgentOutput
    )
    actions: list[Action] = Field(default_factory=list[Action])
    records: list[ExecutionRecord] | None = None
    state: StateEvidence | None = None
    trace: Trace | None = None
    plan: Any = None
    cost: MoneyField | None = None
    latency_ms: (
        Annotated[
            float, BeforeValidator(_no_truth_value), Field(ge=0, le=MAX_LATENCY_MS)
        ]
        | None
    ) = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _keep_unknown(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        line = cast("JsonObject", data)
        if line.keys() <= _KNOWN:
            return line
        metadata = line.get("metadata", {})
        if not isinstance(metadata, dict):
            return line
        known: JsonObject = {}
        unknown: JsonObject = {}
        for key, value in line.items():
            group = known if key in _KNOWN else unknown
            group[key] = value
        return {**known, "metadata": {**unknown, **cast("JsonObject", metadata)}}


_KNOWN = frozenset(AgentResult.model_fields)
ANSWER_PLACE: Final = "answer_read_from"
"""The key of `metadata` under which a result says that its final answer was read from another place."""
ANSWER: Final = "answer"
"""What `NOT_HELD` names where the answer is not known."""
NOT_HELD: Final = "not_in_the_file"
"""The key of `metadata` under which a converted transcript says what its form does not hold."""


def not_held(result: AgentResult) -> tuple[str, ...]:
    """What the transcript of a converted result does not hold; nothing for other results."""
    named = result.metadata.get(NOT_HELD)
    if not isinstance(named, list):
        return ()
    return tuple(map(str, cast("list[object]", named)))


def answer_is_unread(result: AgentResult) -> bool:
    """Whether the agent's answer may exist and is not in the result: nothing is known about it then."""
    return not _has_content(result.output) and ANSWER in not_held(result)


def delivers_nothing(result: AgentResult) -> bool:
    """Whether the result has no output at all; an empty answer that it gives is one."""
    output = result.output
    return output.final_answer is None and not _has_content(output)


def _has_content(output: AgentOutput) -> bool:
    return bool(
        output.final_answer or output.outputs or output.citations or output.claims
    )
