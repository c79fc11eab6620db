"""The cost patterns of article 002, Part IX: the whole list, with their thresholds."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.tracing.bill.pattern import MIN_TOKENS, FindingPattern
from judgemesh.mesh.tracing.bill.run_patterns import (
    AMPLIFIED_FROM,
    CACHE_HIT_GOAL,
    FAILED_COST_SHARE,
    MIN_CACHEABLE_TOKENS,
    SOURCE_SHARE,
    STATE_COST_SHARE,
    check_amplification,
    check_cache,
    check_failures,
    check_refinement,
    check_validation,
    source_check,
)
from judgemesh.mesh.tracing.bill.tool_patterns import (
    SENT_SHARE,
    check_repeats,
    check_tool_context,
)

_SOURCE_THRESHOLD: Final = f"at least {SOURCE_SHARE:.0%} of the input tokens"
_STATE_THRESHOLD: Final = f"at least {STATE_COST_SHARE:.0%} of the cost"

PATTERNS: Final = (
    FindingPattern(
        code="HIGH_SKILL_INSTRUCTION",
        title="High skill_instruction_tokens",
        cause="The Skill package is too verbose.",
        direction="Compress the Skill; load its modules when they are needed.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check(
            "skill_instruction", "the Skill instructions are half as long"
        ),
    ),
    FindingPattern(
        code="HIGH_RETRIEVED_CONTEXT",
        title="High retrieved_context_tokens",
        cause="Retrieval returns too much context.",
        direction="Rerank better, drop duplicates, select within a budget.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check(
            "retrieved_context", "half of the retrieved context is selected away"
        ),
    ),
    FindingPattern(
        code="HIGH_TOOL_RESULT",
        title="High tool_result_tokens",
        cause="Tool outputs are copied into the context as they are.",
        direction="Summarise tool results; extract what the schema asks for.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check(
            "tool_result", "tool results are half as long when they enter the context"
        ),
    ),
    FindingPattern(
        code="HIGH_HISTORY",
        title="High history_tokens",
        cause="The conversation is sent again uncompressed.",
        direction="Keep a rolling summary; move old turns to memory.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check("history", "the history is half as long"),
    ),
    FindingPattern(
        code="HIGH_VALIDATE_COST",
        title="High VALIDATE cost",
        cause="Too many validation rounds.",
        direction="Route validators; validate selectively.",
        threshold=_STATE_THRESHOLD,
        check=check_validation,
    ),
    FindingPattern(
        code="HIGH_REFINE_COST",
        title="High REFINE cost",
        cause="Large rewrites for small fixes.",
        direction="Refine with patches.",
        threshold=_STATE_THRESHOLD,
        check=check_refinement,
    ),
    FindingPattern(
        code="LOW_CACHE_HIT_RATIO",
        title="Low cache hit ratio",
        cause="The context is unstable.",
        direction="Keep a stable prompt prefix; segment the Skill for caching.",
        threshold=(
            f"below {CACHE_HIT_GOAL:.0%} of {MIN_CACHEABLE_TOKENS:,} input tokens"
            " or more"
        ),
        check=check_cache,
    ),
    FindingPattern(
        code="HIGH_INPUT_AMPLIFICATION",
        title="High input amplification ratio",
        cause="The agent loop expands too aggressively.",
        direction="Prune states, filter tool results, set context budgets.",
        threshold=f"at least {AMPLIFIED_FROM:g} input tokens for one of the instruction",
        check=check_amplification,
    ),
    FindingPattern(
        code="HIGH_TOOL_CONTEXT_RATIO",
        title="High tool context ratio",
        cause="Raw tool output goes on to the model nearly whole.",
        direction="Filter, deduplicate or rerank before the result enters the context.",
        threshold=(
            f"at least {SENT_SHARE:.0%} of {MIN_TOKENS:,} raw tokens or more of a tool"
        ),
        check=check_tool_context,
    ),
    FindingPattern(
        code="REPEATED_TOOL_CALL",
        title="Repeated tool calls",
        cause="The same tool is asked the same thing again.",
        direction="Keep tool results for the length of the run.",
        threshold="the same tool and arguments twice",
        check=check_repeats,
    ),
    FindingPattern(
        code="COST_OF_FAILED_STEPS",
        title="Cost of failed steps",
        cause="Steps fail after they were paid for.",
        direction="Check before calling; limit retries.",
        threshold=f"at least {FAILED_COST_SHARE:.0%} of the cost",
        check=check_failures,
    ),
)
