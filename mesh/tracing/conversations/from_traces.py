"""Traces of one conversation, with content -> the conversation. Pure.

What the model calls were sent and answered gives the transcript. The spans of tools say
which calls were made, what came back and what failed; a call of a tool that no model call
states is a call all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Final

from judgemesh.contracts.tracing import Step, Trace
from judgemesh.contracts.transcripts.keys import ASSISTANT, USER
from judgemesh.contracts.transcripts.steps import StepList
from judgemesh.mesh.tracing.conversations.answers import answer_of
from judgemesh.mesh.tracing.conversations.conversation import (
    Conversation,
    is_user_turn,
)
from judgemesh.mesh.tracing.conversations.merged import Transcript
from judgemesh.mesh.tracing.conversations.record import tidy_step
from judgemesh.mesh.tracing.conversations.tool_runs import add_tool_runs, tool_runs_of
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)

_STEPS_A_TRACE: Final = 1_000_000
"""Numbers of steps: those of a trace follow those of the traces before."""
_MESSAGES_A_STEP: Final = 1_000_000


@dataclass(slots=True)
class _Run:
    """One trace of the conversation and where the numbers of its steps begin."""

    trace: Trace
    base: int
    steps: list[Step] = field(default_factory=list[Step])

    def number(self, step: Step) -> int:
        """The number of a step within the conversation."""
        return self.base + step.step_id


def conversation_of_traces(traces: Sequence[Trace]) -> Conversation:
    """The conversation of these traces, in the order of their times."""
    ordered = sorted(traces, key=_order)
    transcript = Transcript()
    runs: list[_Run] = []
    for position, trace in enumerate(ordered):
        run = _Run(trace, position * _STEPS_A_TRACE, list(trace.steps))
        runs.append(run)
        _add_run(transcript, run)
    collected = _collected(transcript)
    steps = collected.steps
    for run in runs:
        runs_of_tools = tool_runs_of(run.steps, run.base, _MESSAGES_A_STEP)
        add_tool_runs(steps, runs_of_tools)
    every = [step for run in runs for step in run.steps]
    steps = renumbered([tidy_step(step) for step in steps])
    tokens = _tokens(every)
    answer = answer_of(steps)
    return Conversation(
        id=_conversation_id(ordered),
        steps=tuple(steps),
        answer=answer,
        model=next((step.model_name for step in every if step.model_name), None),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        started=_time(trace.start_time for trace in ordered),
        ended=_time((trace.end_time for trace in ordered), last=True),
        unread="; ".join([*collected.unread, *_unread(ordered, every, steps)]) or None,
        lost=tuple(_lost(every, steps, answer)),
    )


def _lost(
    every: Iterable[Step], steps: Iterable[JsonObject], answer: str | None
) -> Iterator[str]:
    """What the traces do not hold: model calls were made, and their messages are not there."""
    if not any(map(_is_silent, every)):
        return
    if not any(map(is_user_turn, steps)):
        yield "user turns"
    if answer is None:
        yield "answer"


def _order(trace: Trace) -> tuple[float, str]:
    start = trace.start_time
    return (start.timestamp() if start is not None else 0.0, trace.trace_id)


def _time(times: Iterable[datetime | None], *, last: bool = False) -> datetime | None:
    known = [time for time in times if time is not None]
    if not known:
        return None
    return max(known) if last else min(known)


def _conversation_id(traces: Sequence[Trace]) -> str:
    for name in ("conversation_id", "conversation_name"):
        for trace in traces:
            found = trace.details.get(name)
            if isinstance(found, str) and found:
                return found
    return traces[0].trace_id


# --- what was said ---


def _add_run(transcript: Transcript, run: _Run) -> None:
    models = [step for step in run.steps if step.content.keys() & {"sent", "answered"}]
    own = [step for step in models if "set_aside" not in step.details]
    whole = next((step for step in run.steps if step.content.get("messages")), None)
    if own:
        transcript.begin_run(list_of(own[0].content.get("sent")))
    inside = _below_tools(run.steps)
    if whole is not None and (not own or whole.content.get("is_whole")):
        transcript.add(run.number(whole), list_of(whole.content["messages"]), [])
        return
    for step in own:
        transcript.add(
            run.number(step),
            list_of(step.content.get("sent")),
            list_of(step.content.get("answered")),
            list_of(step.content.get("answered_again")),
            is_users=step.step_id not in inside,
        )
    for step in models:
        if "set_aside" in step.details:
            sent = list_of(step.content.get("sent"))
            answered = list_of(step.content.get("answered"))
            transcript.add_repeated(run.number(step), [*sent, *answered])
    if not any(not _is_call(part) for _, _, part in transcript.parts):
        _add_turn(transcript, run)


def _is_call(part: object) -> bool:
    return type(part).__name__ != "Said"


def _add_turn(transcript: Transcript, run: _Run) -> None:
    """What the outermost span was asked and answered, where nothing else says it."""
    for step in run.steps:
        asked, answer = step.content.get("asked"), step.content.get("answer")
        if step.parent_step_id is None and (asked or answer):
            question, reply = text_of_turn(asked), text_of_turn(answer)
            sent = [{"role": USER, "content": question}] if question else []
            transcript.add(run.number(step), sent, [])
            if reply:
                last = run.base + len(run.steps) + 1
                transcript.add(last, [], [{"role": ASSISTANT, "content": reply}])
            return


def text_of_turn(value: object) -> str | None:
    """The one text in the input or output of a function; None where it is not clear."""
    if isinstance(value, str):
        return value or None
    if not is_object(value):
        return None
    if value.keys() == {"args", "kwargs"}:
        texts = [*list_of(value["args"]), *object_of(value["kwargs"]).values()]
    else:
        texts = list(value.values())
    texts = [text for text in texts if isinstance(text, str) and text]
    return texts[0] if len(texts) == 1 else None


def _below_tools(steps: Sequence[Step]) -> set[int]:
    """The steps below the call of a tool: an agent that is a tool is not the user's."""
    inside: set[int] = set()
    for step in steps:  # a step comes after the one above it, nearly always
        parent = step.parent_step_id
        if parent is not None and (parent in inside or _is_tool(steps, parent)):
            inside.add(step.step_id)
    return inside


def _is_tool(steps: Sequence[Step], step_id: int) -> bool:
    index = step_id - 1
    return 0 <= index < len(steps) and "arguments" in steps[index].content


def _collected(transcript: Transcript) -> StepList:
    """The steps of the parts; those of one message are added together."""
    collected = StepList()
    for (number, message), group in groupby(transcript.parts, itemgetter(0, 1)):
        parts = [part for _, _, part in group]
        collected.add(parts, number * _MESSAGES_A_STEP + message, {})
    return collected


def renumbered(steps: Sequence[JsonObject]) -> list[JsonObject]:
    """The steps with small numbers in the same order: those of one message keep one."""
    numbers: dict[str, int] = {}
    plain: list[JsonObject] = []
    for step in steps:
        number, dot, call = str(step.get("step_id")).partition(".")
        new = numbers.setdefault(number, len(numbers) + 1)
        plain.append({**step, "step_id": f"{new}.{call}" if dot else new})
    return plain


# --- tokens and what is unread ---


def _tokens(steps: Iterable[Step]) -> tuple[int | None, int | None]:
    usages = [step.usage for step in steps if step.usage is not None]
    if not usages:
        return None, None
    tokens_in = sum(usage.input_total for usage in usages)
    tokens_out = sum(usage.output_tokens + usage.reasoning_tokens for usage in usages)
    return tokens_in, tokens_out


def _unread(
    traces: Sequence[Trace], every: Sequence[Step], steps: Sequence[JsonObject]
) -> Iterator[str]:
    """Why calls of the agent may be missing."""
    for trace in traces:
        yield from trace.problems
    for step in every:
        reason = step.content.get("unread")
        if isinstance(reason, str):
            yield f"span {step.step_id}: {reason}"
    calls = sum(1 for step in steps if step.get("tool_name"))
    silent = [step for step in every if _is_silent(step)]
    asking = [step for step in silent if step.content.get("asks_tool")]
    if asking and not calls:
        yield f"{len(asking)} model calls ask for tools that no span names"
    elif silent and not calls and not any(is_user_turn(step) for step in steps):
        yield f"the messages of {len(silent)} model calls are not in the trace"


def _is_silent(step: Step) -> bool:
    """Whether the step is a model call without its answer."""
    is_call = step.usage is not None or bool(step.content.get("asks_tool"))
    is_model = is_call and step.state_type in {"THINK", "FINALIZE"}
    return is_model and not step.content.get("answered")
