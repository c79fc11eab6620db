"""One result in full: what the agent said and did, and how each verdict came about. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from judgemesh.contracts.attempts import JudgeAttempt, SourceLookup
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.contracts.tracing import Step, Trace
from judgemesh.mesh.analysis.results.conversation import (
    ConversationStep,
    conversation_of,
)
from judgemesh.mesh.analysis.results.evidence import (
    ChangedState,
    CheckedCitation,
    CheckedClaim,
    KnownRecord,
    Passage,
    changes_of,
    citations_of,
    claims_of,
    passages_of,
    records_of,
)
from judgemesh.mesh.analysis.results.judged import JudgeQuestion, questions_of
from judgemesh.mesh.analysis.results.rows import ResultRow, row_of, verdict_rank
from judgemesh.mesh.grading.explanation import deciding_verdicts

_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptContent:
    """What is known about a result beside its report; every part may be missing.

    content: as the ledger keeps it (`mesh.grading.content`); None where it is not kept.
    cut_at_bytes: where its long texts were cut. attempts, lookups: of the grading. trace: the agent's own.
    """

    content: Mapping[str, Any] | None = None
    cut_at_bytes: int | None = None
    attempts: Sequence[JudgeAttempt] = ()
    lookups: Sequence[SourceLookup] = ()
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class PlacedVerdict:
    """A verdict, its position in the report, and whether it decided the gate."""

    position: int
    row: ValidatorVerdict
    decides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStep:
    """A step of the agent's trace on its time line.

    start_ms: since the first step, None where the trace has no times. cost: one amount for each currency.
    decides: a verdict that decided the gate refers to it.
    """

    step_id: int
    state_type: str
    model: str | None
    tools: tuple[str, ...]
    status: str
    start_ms: float | None
    latency_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost: tuple[Money, ...]
    decides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One result in full. All texts may be hostile.

    content_kept: whether answer, conversation, state and records are known at all; without them these parts are empty.
    cut_at_bytes: where long texts were cut when they were kept; None for whole ones.
    answer, outputs: of the agent; outputs are JSON-ready.
    deciding_step: the step that the gravest deciding verdict refers to; None where it refers to none.
    verdicts: those that decided the gate first, then as `verdict_rank` sorts them.
    problems: evidence that could not be read, by name.
    """

    run_id: str
    row: ResultRow
    report: Report
    content_kept: bool
    cut_at_bytes: int | None
    answer: str | None
    outputs: Mapping[str, object]
    conversation: tuple[ConversationStep, ...]
    deciding_step: ConversationStep | None
    verdicts: tuple[PlacedVerdict, ...]
    claims: tuple[CheckedClaim, ...]
    citations: tuple[CheckedCitation, ...]
    passages: tuple[Passage, ...]
    state: tuple[ChangedState, ...]
    records: tuple[KnownRecord, ...]
    questions: tuple[JudgeQuestion, ...]
    timeline: tuple[TimelineStep, ...]
    problems: Mapping[str, str]

    def passage_of(self, ref: str) -> Passage | None:
        """The passage that a reference names, itself or a place in it (`contract:guide:120`)."""
        for passage in self.passages:
            if ref == passage.ref or ref.startswith(f"{passage.ref}:"):
                return passage
        return None


def result_page(
    report: Report, *, run_id: str, kept: KeptContent | None = None
) -> ResultPage:
    """The page of a report, with what is known beside it."""
    kept = kept or KeptContent()
    row = row_of(report)
    content = kept.content or _NOTHING
    result = _mapping(content.get("result"))
    output = _mapping(result.get("output"))
    deciding = _deciding_positions(report, row)
    refs = _refs(report.verdicts)
    trace = _mapping(result.get("trace"))
    conversation = conversation_of(trace, refs, frozenset(deciding))
    answer = output.get("final_answer")
    return ResultPage(
        run_id=run_id,
        row=row,
        report=report,
        content_kept=kept.content is not None,
        cut_at_bytes=kept.cut_at_bytes,
        answer=answer if isinstance(answer, str) else None,
        outputs=_mapping(output.get("outputs")),
        conversation=conversation,
        deciding_step=_deciding_step(conversation, deciding),
        verdicts=_placed(report.verdicts, deciding),
        claims=claims_of(report.verdicts),
        citations=citations_of(report.verdicts, kept.lookups),
        passages=passages_of(content.get("passages"), kept.lookups),
        state=changes_of(content, refs),
        records=records_of(content, refs),
        questions=questions_of(report.verdicts, kept.attempts, content.get("replies")),
        timeline=_timeline(kept.trace, refs, frozenset(deciding)),
        problems={
            name: str(why) for name, why in _mapping(content.get("problems")).items()
        },
    )


def _deciding_positions(report: Report, row: ResultRow) -> tuple[int, ...]:
    """Positions of the verdicts that decided the gate, the gravest first; none where the gate is not believed."""
    if row.gate is not report.gate:
        return ()
    positions = {id(verdict): at for at, verdict in enumerate(report.verdicts)}
    deciding = deciding_verdicts(report.verdicts, row.gate)
    return tuple(positions[id(verdict)] for verdict in deciding)


def _placed(
    verdicts: Sequence[ValidatorVerdict], deciding: Sequence[int]
) -> tuple[PlacedVerdict, ...]:
    gravity = {position: rank for rank, position in enumerate(deciding)}
    order = sorted(
        range(len(verdicts)),
        key=lambda at: (gravity.get(at, len(verdicts)), *verdict_rank(verdicts[at])),
    )
    return tuple(PlacedVerdict(at, verdicts[at], at in gravity) for at in order)


def _refs(verdicts: Sequence[ValidatorVerdict]) -> dict[str, list[int]]:
    """The positions of the verdicts that name a reference."""
    refs: dict[str, list[int]] = {}
    for position, row in enumerate(verdicts):
        for ref in row.verdict.evidence_refs:
            refs.setdefault(ref, []).append(position)
    return refs


def _deciding_step(
    steps: Sequence[ConversationStep], deciding: Sequence[int]
) -> ConversationStep | None:
    for position in deciding:
        for step in steps:
            if position in step.verdicts:
                return step
    return None


def _timeline(
    trace: Trace | None,
    refs: Mapping[str, Sequence[int]],
    deciding: frozenset[int],
) -> tuple[TimelineStep, ...]:
    if trace is None:
        return ()
    starts = [step.start_time for step in trace.steps if step.start_time is not None]
    first = min(starts, default=None)
    found: list[TimelineStep] = []
    for step in trace.steps:
        start_ms = None
        if first is not None and step.start_time is not None:
            start_ms = (step.start_time - first).total_seconds() * 1000
        verdicts = refs.get(f"trace:{step.step_id}", ())
        decides = not deciding.isdisjoint(verdicts)
        found.append(_timed(step, start_ms, decides=decides))
    return tuple(found)


def _timed(step: Step, start_ms: float | None, *, decides: bool) -> TimelineStep:
    usage = step.usage
    inputs = outputs = None
    if usage is not None:
        inputs = usage.input_total
        outputs = usage.output_tokens + usage.reasoning_tokens
    return TimelineStep(
        step_id=step.step_id,
        state_type=step.state_type.value,
        model=step.model_name,
        tools=tuple(tool.tool_name for tool in step.tools if tool.tool_name),
        status=step.status,
        start_ms=start_ms,
        latency_ms=step.latency_ms,
        input_tokens=inputs,
        output_tokens=outputs,
        cost=step.costs.amounts(),
        decides=decides,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING
