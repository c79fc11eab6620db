"""The check for results that the context already holds."""

from __future__ import annotations

from typing import Final, cast

from judgemesh.mesh.tracing.findings.pattern import Cut, PatternMatch, PricedRun
from judgemesh.mesh.tracing.findings.tool_calls import (
    ToolCall,
    calls_of_tools,
    context_cuts,
    names_of,
    steps_of,
)

MIN_REPEATED_TOKENS: Final = 500


def check_same_results(run: PricedRun) -> PatternMatch | None:
    """Different reads whose results are the same, or hold the same chunks."""
    found: list[ToolCall] = []
    tokens_of: dict[int, int] = {}
    seen: dict[tuple[str | None, str], set[str | None]] = {}
    chunks: dict[str | None, set[str]] = {}
    for call in calls_of_tools(run):
        if call.access != "read":
            continue
        tokens = _repeated_chunks(call, chunks)
        digest = call.tool.result_digest
        if digest is not None:
            arguments = seen.setdefault((call.step.agent_id, digest), set())
            if arguments and call.tool.arguments_digest not in arguments:
                tokens = call.tool.tokens_sent_to_next_llm or 0
            arguments.add(call.tool.arguments_digest)
        if tokens:
            found.append(call)
            tokens_of[call.step_id] = tokens
    repeated = sum(tokens_of.values())
    if repeated < MIN_REPEATED_TOKENS:
        return None
    cuts: list[Cut] = []
    for call in found:
        cuts += context_cuts(run, call, tokens_of[call.step_id])
    return PatternMatch(
        numbers={"tools": names_of(found), "calls": len(found), "tokens": repeated},
        steps=steps_of(found),
        assumption=(
            "what the context already holds is not sent into it again; counted once,"
            " though later calls send it again"
        ),
        cuts=cuts,
    )


def _repeated_chunks(call: ToolCall, seen: dict[str | None, set[str]]) -> int:
    """The tokens of the chunks that an earlier retrieval of the agent had returned."""
    ids: object = call.step.details.get("chunk_ids")
    if not isinstance(ids, list) or not ids:
        return 0
    names = [str(name) for name in cast("list[object]", ids)]
    known = seen.setdefault(call.step.agent_id, set())
    repeated = sum(name in known for name in names)
    known.update(names)
    return (call.tool.tokens_sent_to_next_llm or 0) * repeated // len(names)
