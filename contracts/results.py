"""The agent result: one finished agent run, as a line of the input states it.

The boundary is lenient about what it does not know (unknown keys are kept) and strict about what it does know (wrong
types are errors).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from judgemesh.contracts.money import CURRENCY, MAX_AMOUNT, Money, exact_amount
from judgemesh.contracts.transcripts.reading import read_trace

JsonObject = dict[str, Any]
Id = Annotated[str, Field(min_length=1, max_length=1024)]


class _Open(BaseModel):
    """A part of a result. Unknown keys are kept."""

    model_config = ConfigDict(
        extra="allow", frozen=True, allow_inf_nan=False, defer_build=True
    )


def _scalar_text(value: Any) -> Any:
    """Ids, targets and status codes that a system writes as numbers are read as text; true and false as words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value


Word = Annotated[str, BeforeValidator(_scalar_text)]
"""A text that may be written as a number."""


class Status(StrEnum):
    """How the run ended."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    ERROR = "error"
    ABANDONED = "abandoned"


class Citation(_Open):
    """Something the answer cites. A bare string is its `text`."""

    text: Word = ""
    id: Word | None = None
    url: str | None = None
    title: str | None = None


class Claim(_Open):
    """A statement of fact the agent makes, with the citations it rests on. A bare string is its `text`.

    `text` may be called `claim`, `statement` and so on. What has no such key is read as its own JSON.
    """

    text: str
    citations: list[Word] = Field(default_factory=list[str])

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value if isinstance(value, Claim) else {"text": _as_text(value)}
        claim = dict(cast("Mapping[str, Any]", value))
        if not isinstance(claim.get("text"), str):
            claim["text"] = _claim_text(claim)
        if "citations" in claim:
            claim["citations"] = list(_cited_names(claim["citations"]))
        return claim


_CLAIM_KEYS = (
    "claim",
    "statement",
    "sentence",
    "assertion",
    "fact",
    "content",
    "claim_text",
    "value",
)
_CITED_KEYS = (
    "id",
    "source",
    "ref",
    "document_id",
    "document",
    "url",
    "doi",
    "title",
    "text",
)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )


def _claim_text(claim: dict[str, Any]) -> str:
    """The text of a claim without `text`, taken from the key that holds it."""
    for key in _CLAIM_KEYS:
        if isinstance(claim.get(key), str):
            return str(claim.pop(key))
    said = {
        key: value
        for key, value in claim.items()
        if key != "citations" and value is not None
    }
    return _as_text(said) if said else ""


def _cited_names(value: Any) -> Iterator[str]:
    """The names in the citations of a claim: texts, numbers, or objects that name a source."""
    entries = cast("list[Any]", value) if isinstance(value, list) else [value]
    for entry in entries:
        name = entry
        if isinstance(entry, Mapping):
            named = cast("Mapping[str, Any]", entry)
            name = next((named[key] for key in _CITED_KEYS if named.get(key)), named)
        if name is not None:
            yield _as_text(name)


class Action(_Open):
    """What the agent *says* it executed. Records and state prove whether it happened."""

    kind: str
    target: Word | None = None
    parameters: JsonObject = Field(default_factory=dict)
    confirmation_id: Word | None = None
    status: Word | None = None
    confirmed: bool | None = None
    confirmed_at: datetime | None = None
    at: datetime | None = None


class ExecutionRecord(_Open):
    """What an external system knows about an execution."""

    kind: str
    target: Word | None = None
    parameters: JsonObject = Field(default_factory=dict)
    confirmation_id: Word | None = None
    status: Word | None = None
    at: datetime | None = None


class StateChange(_Open):
    """One change of state: `path` is an RFC 6902 pointer; `op` follows from which of before/after is given."""

    path: str
    op: Literal["add", "replace", "remove"] = "replace"
    before: Any = None
    after: Any = None

    @model_validator(mode="before")
    @classmethod
    def _infer(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        change = dict(cast("Mapping[str, Any]", data))
        path = change.get("path")
        if isinstance(path, str) and path and not path.startswith("/"):
            change["path"] = f"/{path}"
        for side, names in _SIDES.items():
            for name in names:
                if side not in change and name in change:
                    change[side] = change.pop(name)
        change["op"] = _operation(change)
        return change


_SIDES = {"before": ("old", "old_value"), "after": ("new", "new_value", "value")}
_OP_OF_VALUES = {(True, True): "replace", (False, True): "add", (True, False): "remove"}
_OP_OF_WORD = {
    "add": "add",
    "added": "add",
    "create": "add",
    "created": "add",
    "insert": "add",
    "inserted": "add",
    "new": "add",
    "replace": "replace",
    "replaced": "replace",
    "modify": "replace",
    "modified": "replace",
    "update": "replace",
    "updated": "replace",
    "change": "replace",
    "changed": "replace",
    "set": "replace",
    "edit": "replace",
    "edited": "replace",
    "remove": "remove",
    "removed": "remove",
    "delete": "remove",
    "deleted": "remove",
}


def _operation(change: Mapping[str, Any]) -> Any:
    """What kind of change it is: by its word; without one that is known, by the values that it has."""
    word = change.get("op")
    if word is not None and not isinstance(word, str):
        return word
    known = _OP_OF_WORD.get((word or "").strip().casefold())
    values = ("before" in change, "after" in change)
    if known is None and word is not None and not any(values):
        return word
    return known or _OP_OF_VALUES.get(values, "replace")


class StateEvidence(_Open):
    """What changed: a ready diff, or the documents before and after, or paths of JSON files that hold them."""

    before: Any = None
    after: Any = None
    before_path: str | None = None
    after_path: str | None = None
    diff: list[StateChange] | None = None


class TraceStep(_Open):
    """One step of the run. A tool call has `tool_name`; an utterance has `role` and `content`.

    `arguments_text` are arguments that are no JSON object, as they stand. Calls with the same `together` were made at
    once, in one message.
    """

    step_id: int | str | None = None
    state_type: str | None = None
    role: str | None = None
    content: str | None = None
    tool_name: str | None = None
    arguments: JsonObject = Field(default_factory=dict)
    arguments_text: str | None = None
    result: Any = None
    status: str | None = None
    error: str | bool | None = None
    call_id: str | None = None
    together: int | None = None


class Trace(_Open):
    """Steps of the run, or `ref`, the file that holds them.

    Messages, items and events of agent frameworks are read as steps. `unread` says what in them may be a call and could
    not be read. `complete: true` states that every call was recorded, so that a call in the agent's text is only text.
    `export` is a trace that is no list of messages (spans, a session, a run object) as it was given; `mesh.grading` has
    it read.
    """

    steps: list[TraceStep] = Field(default_factory=list[TraceStep])
    events: list[JsonObject] = Field(default_factory=list[JsonObject])
    ref: str | None = None
    complete: bool | None = None
    unread: str | None = None
    export: Any = Field(default=None, exclude=True, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        """Read a list as steps or messages, and a bare string as the file that holds them."""
        return value if isinstance(value, Trace) else read_trace(_as_data(value))


def _as_data(value: Any) -> Any:
    """A trace with its steps as plain data, where they are objects of ours already."""
    if isinstance(value, TraceStep):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if all(type(item) is dict and "steps" not in item for item in items):
            return items
        return [_as_data(item) for item in items]
    if isinstance(value, dict) and "steps" in value:
        trace = cast("JsonObject", value)
        return {**trace, "steps": _as_data(trace["steps"])}
    return cast("Any", value)


def text_as(key: str) -> BeforeValidator:
    """A bare string is read as an object with that one key."""

    def wrap(value: Any) -> Any:
        if isinstance(value, str):
            return {key: value}
        return value

    return BeforeValidator(wrap)


def _as_list(value: Any) -> Any:
    """One claim alone is a list of one."""
    return [value] if isinstance(value, str | Mapping) else value


class AgentOutput(_Open):
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


MoneyField = Annotated[Money, BeforeValidator(to_money)]


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
    output = result.output
    if output.final_answer or output.outputs or output.citations or output.claims:
        return False
    return "answer" in not_held(result)
