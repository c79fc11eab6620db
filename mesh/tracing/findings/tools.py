"""The check of how much of a tool's output goes on to the model."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.tracing.findings.pattern import (
    MIN_TOKENS,
    PatternMatch,
    PricedRun,
)

SENT_SHARE: Final = 0.5


def check_tool_context(run: PricedRun) -> PatternMatch | None:
    """Large results that go into the next context nearly whole.

    Where the sources of the input are known, their patterns say what it costs.
    """
    if any(step.context is not None for step in run.callers):
        return None
    raw, sent = 0, 0
    names: set[str] = set()
    steps: set[int] = set()
    for step in run.steps:
        for tool in step.tools:
            own_raw, own_sent = tool.response_tokens_raw, tool.tokens_sent_to_next_llm
            if own_raw is None or own_sent is None or own_raw < MIN_TOKENS:
                continue
            if SENT_SHARE * own_raw <= own_sent <= own_raw:
                raw += own_raw
                sent += own_sent
                names.add(tool.tool_name)
                steps.add(step.step_id)
    if not steps:
        return None
    return PatternMatch(
        numbers={
            "tools": ", ".join(sorted(names)),
            "calls": len(steps),
            "raw_tokens": raw,
            "tokens_sent_to_next_llm": sent,
            "tool_context_ratio": sent / raw,
        },
        steps=tuple(sorted(steps)),
        assumption="nothing: what these tokens cost in the next call is not known",
    )
