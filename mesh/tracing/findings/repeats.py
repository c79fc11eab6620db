"""Equal calls of a tool: what they mean depends on whether the tool reads or writes.

An equal *write* may do the same thing twice: a danger. An equal *read* is unneeded where
nothing was changed in between and the result was the same; where results differ, the
world changed, and the call was right. The same read again and again, with nothing but
model calls in between, waits for something. Where nothing says whether a tool reads or
writes, the finding says so and advises no cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from judgemesh.mesh.tracing.bill.split import REST
from judgemesh.mesh.tracing.findings.access import may_repeat
from judgemesh.mesh.tracing.findings.changes import (
    Changes,
    change_ids,
    changed_between,
)
from judgemesh.mesh.tracing.findings.failures import asked_only_for
from judgemesh.mesh.tracing.findings.pattern import Cut, PatternMatch, PricedRun
from judgemesh.mesh.tracing.findings.tool_calls import (
    ToolCall,
    calls_of_tools,
    context_cuts,
    equal_calls,
    names_of,
    same_result,
    steps_of,
)

MIN_POLLS: Final = 3


# --- writes ---


def check_writes(run: PricedRun) -> PatternMatch | None:
    """The same write again after one that was not refused."""
    again: list[ToolCall] = []
    unclear = 0
    for group in equal_calls(calls_of_tools(run), "write", by_agent=False):
        if may_repeat(group[0].tool.tool_name):
            continue
        for one, other in pairwise(group):
            if one.tool.status != "error":
                again.append(other)
                unclear += one.tool.status != "success"
    if not again:
        return None
    return PatternMatch(
        numbers={
            "tools": names_of(again),
            "repeated_writes": len(again),
            "after_an_unclear_end": unclear,
        },
        steps=steps_of(again),
        assumption="nothing: what a repeated write does is no saving",
        cause=_cause_of_writes(unclear, len(again)),
    )


def _cause_of_writes(unclear: int, repeats: int) -> str:
    if unclear == repeats:
        return (
            "A write that timed out or broke off was sent again; it may have been done."
        )
    return "A write that had succeeded was sent again with the same arguments."


# --- reads ---


def check_reads(run: PricedRun) -> PatternMatch | None:
    """The same read again although nothing was changed and the result was the same."""
    calls, changes = calls_of_tools(run), change_ids(run)
    again: list[ToolCall] = []
    for group in equal_calls(calls, "read", by_agent=True):
        if not _is_polling(group):
            again += _unneeded(run, group, changes)
    if not again:
        return None
    tokens = sum(call.tool.tokens_sent_to_next_llm or 0 for call in again)
    return PatternMatch(
        numbers={
            "tools": names_of(again),
            "repeated_calls": len(again),
            "tokens_sent_to_next_llm": tokens,
        },
        steps=steps_of(again),
        assumption=(
            "a repeated read costs nothing, and its answer refers to the first result"
            " instead of repeating it; counted once, though later calls send it again"
        ),
        cuts=[cut for call in again for cut in _cuts_of(run, call)],
    )


def _unneeded(
    run: PricedRun, group: Sequence[ToolCall], changes: Changes
) -> list[ToolCall]:
    """The calls of a group that could only have the result of the one before.

    A context that was compacted in between may have lost the first result.
    """
    again: list[ToolCall] = []
    for one, other in pairwise(group):
        if one.tool.status != "success" or other.tool.status != "success":
            continue
        same = same_result(one, other)
        # An equal result shows that what nobody knows of changed nothing.
        changed = changed_between(
            changes, one.step_id, other.step_id, count_unknown=same is None
        )
        if same is False or changed or run.was_compacted(one.step, other.step):
            continue
        again.append(other)
    return again


def _cuts_of(run: PricedRun, call: ToolCall) -> list[Cut]:
    """The cost of a tool call, and its result in the next model call."""
    cuts: list[Cut] = []
    cost, rest = call.tool.tool_cost, run.parts.get(call.step_id, {}).get(REST)
    if cost is not None and rest is not None:
        whole = rest.cost.totals.get(cost.currency, Decimal(0))
        if whole and len(rest.cost.totals) == 1:
            cuts.append(Cut(step_id=call.step_id, part=REST, share=cost.amount / whole))
    return cuts + context_cuts(run, call, call.tool.tokens_sent_to_next_llm or 0)


# --- polling ---


def check_polling(run: PricedRun) -> PatternMatch | None:
    """The same read again and again, with nothing but model calls in between."""
    polls: list[ToolCall] = []
    for group in equal_calls(calls_of_tools(run), "read", by_agent=True):
        if _is_polling(group):
            polls += group
    if not polls:
        return None
    later = [call for call in polls if call.position]
    asked = asked_only_for(run, [call.step_id for call in later])
    first = run.asker(polls[0].step)
    asked = [number for number in asked if number != first]
    if not asked:
        return None
    return PatternMatch(
        numbers={
            "tools": names_of(polls),
            "calls": len(polls),
            "model_calls_between": len(asked),
        },
        steps=steps_of(polls),
        assumption=(
            "the tool itself waits for the change, so that no model call asks again"
        ),
        cuts=[Cut(step_id=number) for number in asked],
    )


def _is_polling(group: Sequence[ToolCall]) -> bool:
    """Whether the calls follow each other directly, at least `MIN_POLLS` times."""
    if len(group) < MIN_POLLS:
        return False
    first, last = group[0].position, group[-1].position
    return last - first == len(group) - 1 and not _is_parallel(group)


def _is_parallel(group: Sequence[ToolCall]) -> bool:
    """Whether calls were made in one step, or began before the one before had ended."""
    for one, other in pairwise(group):
        ended, began = one.step.end_time, other.step.start_time
        if one.step_id == other.step_id:
            return True
        if ended is not None and began is not None and began < ended:
            return True
    return False


# --- neither ---


def check_unknown(run: PricedRun) -> PatternMatch | None:
    """Equal calls of a tool of which nothing says whether it reads or writes."""
    again: list[ToolCall] = []
    for group in equal_calls(calls_of_tools(run), None, by_agent=True):
        for one, other in pairwise(group):
            if one.tool.status == "success" and same_result(one, other) is not False:
                again.append(other)
    if not again:
        return None
    return PatternMatch(
        numbers={"tools": names_of(again), "repeated_calls": len(again)},
        steps=steps_of(again),
        assumption="nothing: whether the tools read or write is not known",
    )
