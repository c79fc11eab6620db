"""Checks of the cost patterns that tool calls show."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.tracing import Step
from judgemesh.mesh.tracing.bill.pattern import (
    MIN_TOKENS,
    PatternMatch,
    PricedRun,
    step_ids,
)
from judgemesh.mesh.tracing.bill.sums import MoneySums

SENT_SHARE: Final = 0.5


def check_tool_context(run: PricedRun) -> PatternMatch | None:
    """Tools whose raw output goes into the next context nearly whole."""
    raw: dict[str, int] = {}
    sent: dict[str, int] = {}
    for step in run.trace.steps:
        for tool in step.tools:
            if tool.response_tokens_raw and tool.tokens_sent_to_next_llm is not None:
                name = tool.tool_name
                raw[name] = raw.get(name, 0) + tool.response_tokens_raw
                sent[name] = sent.get(name, 0) + tool.tokens_sent_to_next_llm
    unfiltered: set[str] = set()
    for name, tokens in raw.items():
        if tokens >= MIN_TOKENS and sent[name] / tokens >= SENT_SHARE:
            unfiltered.add(name)
    if not unfiltered:
        return None
    raw_tokens = sum(raw[name] for name in unfiltered)
    sent_tokens = sum(sent[name] for name in unfiltered)
    steps: list[Step] = []
    for step in run.trace.steps:
        if any(tool.tool_name in unfiltered for tool in step.tools):
            steps.append(step)
    return PatternMatch(
        numbers={
            "tools": len(unfiltered),
            "raw_tokens": raw_tokens,
            "tokens_sent_to_next_llm": sent_tokens,
            "tool_context_ratio": sent_tokens / raw_tokens,
        },
        steps=step_ids(steps),
        assumption=(
            "half of what these tools send on is filtered out; counted once, though"
            " later calls send it again"
        ),
        saving_tokens=sent_tokens // 2,
    )


def check_repeats(run: PricedRun) -> PatternMatch | None:
    """Calls of the same tool with the same arguments."""
    calls: set[tuple[str, str]] = set()
    repeats = 0
    steps: set[int] = set()
    tokens = 0
    saving = MoneySums()
    for step in run.trace.steps:
        for tool in step.tools:
            if not tool.arguments_digest:
                continue
            call = (tool.tool_name, tool.arguments_digest)
            if call in calls:
                repeats += 1
                steps.add(step.step_id)
                tokens += tool.tokens_sent_to_next_llm or 0
                saving.add(tool.tool_cost)
            calls.add(call)
    if not repeats:
        return None
    return PatternMatch(
        numbers={"repeated_calls": repeats, "tokens_sent_to_next_llm": tokens},
        steps=tuple(sorted(steps)),
        assumption=(
            "the answer to the first of equal calls is used again; the world may have"
            " changed between"
        ),
        saving=saving.money,
        saving_tokens=tokens or None,
    )
