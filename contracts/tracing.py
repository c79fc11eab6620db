"""The types of a trace: events of a runtime, its steps, and what a step used and cost.

Frozen values without I/O. The standard library only: a runtime that records itself
imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, Literal

from judgemesh.contracts.money import Money
from judgemesh.contracts.usage import PriceSnapshot, Usage


class EventType(StrEnum):
    """What a runtime reports while it works (article 002, section 40)."""

    RUN_STARTED = "run.started"
    STEP_STARTED = "step.started"
    MODEL_CALLED = "model.called"
    TOOL_CALLED = "tool.called"
    CONTEXT_COMPILED = "context.compiled"
    ARTIFACT_CREATED = "artifact.created"
    ARTIFACT_MODIFIED = "artifact.modified"
    STATE_CHANGED = "state.changed"
    VALIDATOR_CALLED = "validator.called"
    STEP_COMPLETED = "step.completed"
    RUN_COMPLETED = "run.completed"


class StateType(StrEnum):
    """What an agent was doing in a step (section 15)."""

    OBSERVE = "OBSERVE"
    THINK = "THINK"
    RETRIEVE = "RETRIEVE"
    MCP_CALL = "MCP_CALL"
    API_CALL = "API_CALL"
    DB_QUERY = "DB_QUERY"
    SCRIPT_EXEC = "SCRIPT_EXEC"
    FILE_READ = "FILE_READ"
    FILE_WRITE = "FILE_WRITE"
    MEMORY_READ = "MEMORY_READ"
    MEMORY_WRITE = "MEMORY_WRITE"
    VALIDATE = "VALIDATE"
    REFINE = "REFINE"
    FINALIZE = "FINALIZE"


class UsageStatus(StrEnum):
    """Whether the token counts of a step can be relied on.

    ok: they are there and agree with each other.
    inconsistent: they contradict each other; they are counted as they stand.
    malformed: a count is negative; the others are counted, and no price is applied to them.
    missing: a model was called and no count came.
    none: no model was called, so there is nothing to count.
    """

    OK = "ok"
    INCONSISTENT = "inconsistent"
    MALFORMED = "malformed"
    MISSING = "missing"
    NONE = "none"


class CostStatus(StrEnum):
    """Where the cost of a step comes from.

    priced: tokens times the price named in the step.
    reported: the trace itself states it.
    unknown: tokens were used and nothing prices them.
    none: there was nothing to pay for.
    """

    PRICED = "priced"
    REPORTED = "reported"
    UNKNOWN = "COST_UNKNOWN"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvent:
    """One line of an event stream: the five fields of section 40, and who wrote it.

    payload: any JSON object.
    event_id: two lines with one id are one event; "" where the writer gives none.
    process_id: the process that numbered the step; "" where the writer does not say.
    """

    trace_id: str
    step_id: int
    event_type: EventType
    timestamp: datetime
    payload: Mapping[str, object] = field(default_factory=dict[str, object])
    event_id: str = ""
    process_id: str = ""


CONTEXT_SOURCES: Final = (
    "system_prompt",
    "skill_instruction",
    "user_instruction",
    "history",
    "memory",
    "tool_result",
    "retrieved_context",
    "artifact_context",
    "other_context",
)
"""The nine sources of input tokens (section 18), in the order of the article."""

Basis = Literal["measured", "estimated"]
Access = Literal["read", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBreakdown:
    """Where the input tokens of a step came from. Field names are the article's.

    basis: `measured` when the runtime counted; `estimated` when a reader split the
        counted total over the messages.
    """

    system_prompt_tokens: int = 0
    skill_instruction_tokens: int = 0
    user_instruction_tokens: int = 0
    history_tokens: int = 0
    memory_tokens: int = 0
    tool_result_tokens: int = 0
    retrieved_context_tokens: int = 0
    artifact_context_tokens: int = 0
    other_context_tokens: int = 0
    basis: Basis = "measured"

    def items(self) -> Iterator[tuple[str, int]]:
        """Source (as in CONTEXT_SOURCES) and its tokens."""
        for source in CONTEXT_SOURCES:
            yield source, getattr(self, f"{source}_tokens")

    @property
    def total(self) -> int:
        """All tokens of the nine sources."""
        return sum(tokens for _, tokens in self.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEvent:
    """One tool call of a step (section 28). What the trace does not say is None.

    tool_type: `retriever`, `mcp`, `api`, `db`, `script`, `file`, `memory`, or a name of
        the trace's own.
    arguments_digest, result_digest: of what went in and what came back: equal digests,
        equal content.
    access: whether the call reads or writes, as the trace or a registry of tools says;
        None: neither says.
    """

    tool_name: str = ""
    tool_type: str = ""
    request_tokens: int | None = None
    response_tokens_raw: int | None = None
    response_tokens_selected: int | None = None
    tokens_sent_to_next_llm: int | None = None
    tool_latency_ms: float | None = None
    tool_cost: Money | None = None
    status: str = "success"
    call_id: str | None = None
    arguments_digest: str | None = None
    result_digest: str | None = None
    access: Access | None = None


COST_PARTS: Final = ("llm", "tool", "api", "db", "compute", "parse", "write")
"""The parts a state's cost is made of (section 21)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a step cost, part by part.

    None: nothing of the kind was reported, or (`llm`) it is unknown.

    state: the cost of the step where its parts are known and of one currency. It is the
        sum of the parts, or the whole that the trace reports where it does not know the
        parts.
    """

    llm: Money | None = None
    tool: Money | None = None
    api: Money | None = None
    db: Money | None = None
    compute: Money | None = None
    parse: Money | None = None
    write: Money | None = None
    state: Money | None = None

    def parts(self) -> Iterator[tuple[str, Money]]:
        """The parts that are known, in the order of COST_PARTS."""
        for name in COST_PARTS:
            money: Money | None = getattr(self, name)
            if money is not None:
                yield name, money

    def amounts(self) -> tuple[Money, ...]:
        """The known cost, one amount for each currency.

        `state` if there is one, else the parts.
        """
        if self.state is not None:
            return (self.state,)
        return side_by_side(money for _, money in self.parts())


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One model call of a step that made several. Empty names are those of the step."""

    model_name: str | None = None
    provider: str = ""
    usage: Usage | None = None
    usage_status: UsageStatus = UsageStatus.OK
    latency_ms: float | None = None
    cost: Money | None = None
    reported_cost: Money | None = None
    price: PriceSnapshot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One typed state of a run: the envelope of section 16, usage, costs and tools.

    usage: tokens of the step's model calls together; None when no model was called or
        no count came.
    usage_notes: the contradictions, and fields that look like token counts and were not
        counted, one line each.
    reported_cost: what the trace says the model calls cost. It is kept beside the
        computed `costs.llm`; the two are the same where `cost_status` is `reported`.
    reported_state_cost: what the trace says the whole step cost (`state_cost`,
        `refine_cost`...).
    price: the price of `costs.llm`, where all calls of the step had the same.
    calls: one entry for each model call where there were several; empty where `usage`
        is that of a single call.
    content: what was said and called, where the reader was asked to keep it: messages of
        a model call, arguments and result of a tool. It is for conversations; a ledger
        never holds it.
    details: fields of the state (section 19) and unknown ones, as they came.
    """

    trace_id: str
    step_id: int
    state_type: StateType
    parent_step_id: int | None = None
    agent_id: str | None = None
    skill_id: str | None = None
    model_name: str | None = None
    provider: str = ""
    start_time: datetime | None = None
    end_time: datetime | None = None
    latency_ms: float | None = None
    status: str = "success"
    error_type: str | None = None
    usage: Usage | None = None
    usage_status: UsageStatus = UsageStatus.NONE
    usage_notes: tuple[str, ...] = ()
    costs: Costs = field(default_factory=Costs)
    cost_status: CostStatus = CostStatus.NONE
    reported_cost: Money | None = None
    reported_state_cost: Money | None = None
    price: PriceSnapshot | None = None
    calls: tuple[ModelCall, ...] = ()
    context: ContextBreakdown | None = None
    tools: tuple[ToolEvent, ...] = ()
    content: Mapping[str, object] = field(default_factory=dict[str, object])
    details: Mapping[str, object] = field(default_factory=dict[str, object])


CAME_AGAIN: Final = "came more than once"
"""The reason of what was read twice: two exports of one span, a file that is read twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """What a trace holds and its bill does not count, for one reason.

    spans: how many spans, events or rows. tokens: those that they report. steps: how
    many of them are steps all the same, without figures of their own.
    """

    reason: str
    spans: int
    tokens: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One agent run as steps.

    steps: in their order; a tuple, or a sequence that gives equal steps on each access.
    prices: price snapshots that came with the trace, by model; an old bill is computed
        again with these.
    problems: what could not be read, one line for each fault.
    set_aside: what was read and does not count, one entry for each reason.
    read_as: how many spans, events or rows the steps were made of; None: one a step,
        but for those of `set_aside`.
    """

    trace_id: str
    steps: Sequence[Step] = ()
    task_id: str | None = None
    agent_id: str | None = None
    skill_id: str | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    latency_ms: float | None = None
    status: str | None = None
    prices: Mapping[str, PriceSnapshot] = field(
        default_factory=dict[str, PriceSnapshot]
    )
    problems: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    read_as: int | None = None
    details: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class TracePart:
    """Some of the spans, events or rows of one trace, as the ledger keeps them.

    digest: identifies the content. family: of the reader that read it; "" for a whole
        run. body: as the reader packed it.
    """

    digest: str
    family: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTotals:
    """The totals of a run (sections 25, 30, 31).

    Costs have one amount for each currency: currencies are never added.

    latency_ms: from the first start to the last end; the sum of the steps where the
        trace has no times.
    inconsistent_steps, usage_missing_steps, cost_unknown_steps: how many steps of the
        totals are doubtful or absent.
    """

    trace_id: str
    steps: int = 0
    input_tokens_uncached: int = 0
    input_tokens_cached: int = 0
    input_tokens_cache_write: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: tuple[Money, ...] = ()
    llm_cost: tuple[Money, ...] = ()
    tool_cost: tuple[Money, ...] = ()
    compute_cost: tuple[Money, ...] = ()
    latency_ms: float | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    inconsistent_steps: int = 0
    usage_missing_steps: int = 0
    cost_unknown_steps: int = 0

    @property
    def input_tokens(self) -> int:
        """All input tokens."""
        return (
            self.input_tokens_uncached
            + self.input_tokens_cached
            + self.input_tokens_cache_write
        )

    @property
    def tokens(self) -> int:
        """All tokens (section 30)."""
        return self.input_tokens + self.output_tokens + self.reasoning_tokens


def side_by_side(amounts: Iterable[Money | None]) -> tuple[Money, ...]:
    """One exact total for each currency, in the order of their names; None adds nothing."""
    totals: dict[str, Decimal] = {}
    for money in amounts:
        if money is not None:
            total = totals.get(money.currency, Decimal(0))
            totals[money.currency] = total + money.amount
    return tuple(Money(amount, currency) for currency, amount in sorted(totals.items()))
