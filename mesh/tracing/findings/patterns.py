"""The list of patterns: those of article 002, Part IX, and what else a trace shows.

Savings are claimed in this order: what is not done at all first, then what is sent and
written, then what it costs to send it.
"""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.tracing.findings.cache import (
    CACHE_HIT_GOAL,
    MIN_CACHEABLE_TOKENS,
    check_cache,
)
from judgemesh.mesh.tracing.findings.failures import (
    FAILED_COST_SHARE,
    check_failed_calls,
    check_failures,
)
from judgemesh.mesh.tracing.findings.pattern import MIN_TOKENS, FindingPattern, Kind
from judgemesh.mesh.tracing.findings.repeats import (
    MIN_POLLS,
    check_polling,
    check_reads,
    check_unknown,
    check_writes,
)
from judgemesh.mesh.tracing.findings.same_results import (
    MIN_REPEATED_TOKENS,
    check_same_results,
)
from judgemesh.mesh.tracing.findings.sources import (
    SOURCE_SHARE,
    check_fixed_prompt,
    source_check,
)
from judgemesh.mesh.tracing.findings.states import (
    STATE_COST_SHARE,
    check_refinement,
    check_validation,
)
from judgemesh.mesh.tracing.findings.tools import SENT_SHARE, check_tool_context
from judgemesh.mesh.tracing.findings.whole_run import (
    AMPLIFIED_FROM,
    GROWN_FROM,
    check_amplification,
    check_prices,
    check_usage,
)

_SOURCE_THRESHOLD: Final = (
    f"at least {SOURCE_SHARE:.0%} of the input's cost (of its tokens, where the cost is"
    f" unknown) and {MIN_TOKENS:,} tokens in one call"
)
_STATE_THRESHOLD: Final = f"at least {STATE_COST_SHARE:.0%} of the cost"

_SOURCES: Final = (
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
        code="HIGH_MEMORY",
        title="High memory_tokens",
        cause="Memory is recalled whole.",
        direction="Recall what the step needs; summarise old memories.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check("memory", "half of the memory is recalled"),
    ),
    FindingPattern(
        code="HIGH_ARTIFACT_CONTEXT",
        title="High artifact_context_tokens",
        cause="Files are put into the context whole.",
        direction="Read the part that is needed; drop old versions of a file.",
        threshold=_SOURCE_THRESHOLD,
        check=source_check("artifact_context", "half of the file content is sent"),
    ),
    FindingPattern(
        code="HIGH_FIXED_PROMPT",
        title="Large fixed prompt",
        cause="Instructions and tool descriptions are sent in each call.",
        direction=(
            "Shorten the system prompt; offer the tools that the task needs; keep this"
            " part first, so that a cache can serve it."
        ),
        threshold=f"{_SOURCE_THRESHOLD}, in 3 calls or more",
        check=check_fixed_prompt,
    ),
)
_SOURCE_CODES: Final = frozenset(pattern.code for pattern in _SOURCES)

PATTERNS: Final = (
    FindingPattern(
        code="REPEATED_WRITE",
        title="The same write twice",
        cause="A write was sent again with the same arguments.",
        direction=(
            "Do not cache it. Send an idempotency key, and look whether the first write"
            " was done before trying again."
        ),
        threshold="a tool that creates, sends, pays or books, with the same arguments",
        check=check_writes,
        kind=Kind.DANGER,
    ),
    FindingPattern(
        code="USAGE_MISSING",
        title="Model calls without token counts",
        cause="The calls report no usage; a stream does so only when it is asked to.",
        direction=(
            "Record the usage of each call (for streams: `stream_options:"
            " {include_usage: true}`). The bill is too low by these calls."
        ),
        threshold="one call",
        check=check_usage,
        kind=Kind.MEASUREMENT,
    ),
    FindingPattern(
        code="UNPRICED_MODEL",
        title="Tokens without a price",
        cause="The price book does not know the model.",
        direction="Give its price with `--prices FILE`. The bill is too low by it.",
        threshold="one step, where other steps have a cost",
        check=check_prices,
        kind=Kind.MEASUREMENT,
    ),
    FindingPattern(
        code="COST_OF_FAILED_STEPS",
        title="Cost of failed steps",
        cause="Steps fail after they were paid for.",
        direction="Check before calling; limit retries.",
        threshold=f"at least {FAILED_COST_SHARE:.0%} of the cost",
        check=check_failures,
    ),
    FindingPattern(
        code="FAILED_TOOL_CALLS",
        title="A tool fails again and again",
        cause="The agent calls the tool again after it failed, and it fails again.",
        direction=(
            "Describe the arguments in the tool's schema with an example; say in the"
            " error what to send instead."
        ),
        threshold="two failures of one tool in a row",
        check=check_failed_calls,
    ),
    FindingPattern(
        code="POLLING",
        title="Polling through the model",
        cause="The agent asks for the same thing until it changes.",
        direction="Wait inside the tool, with a time limit; do not cache the answer.",
        threshold=f"the same read {MIN_POLLS} times with only model calls in between",
        check=check_polling,
    ),
    FindingPattern(
        code="REPEATED_TOOL_CALL",
        title="Repeated reads",
        cause="The same thing is read again although nothing was changed.",
        direction="Keep the results of reads until the next write.",
        threshold="the same read and arguments twice, with no write in between",
        check=check_reads,
    ),
    FindingPattern(
        code="REPEATED_UNKNOWN_CALL",
        title="Repeated calls of unknown effect",
        cause="The same call is made again; nothing says whether it reads or writes.",
        direction=(
            "Say in the trace whether the tool reads or writes (`access`). If it writes,"
            " it was done twice; if it reads, keep its result."
        ),
        threshold="the same tool and arguments twice",
        check=check_unknown,
        kind=Kind.MEASUREMENT,
    ),
    FindingPattern(
        code="SAME_RESULT",
        title="The same results for different questions",
        cause="Different calls bring what the context already holds.",
        direction="Drop duplicates before the results enter the context.",
        threshold=f"{MIN_REPEATED_TOKENS:,} tokens",
        check=check_same_results,
    ),
    FindingPattern(
        code="HIGH_VALIDATE_COST",
        title="High VALIDATE cost",
        cause="Too many validation rounds.",
        direction="Route validators; validate what has changed.",
        threshold=f"{_STATE_THRESHOLD}, in two rounds or more",
        check=check_validation,
    ),
    FindingPattern(
        code="HIGH_REFINE_COST",
        title="High REFINE cost",
        cause="Large rewrites for small fixes.",
        direction="Refine with patches.",
        threshold=f"{_STATE_THRESHOLD}, and more written than modified",
        check=check_refinement,
    ),
    *_SOURCES,
    FindingPattern(
        code="HIGH_TOOL_CONTEXT_RATIO",
        title="High tool context ratio",
        cause="Raw tool output goes on to the model nearly whole.",
        direction="Filter, deduplicate or rerank before the result enters the context.",
        threshold=(
            f"at least {SENT_SHARE:.0%} of {MIN_TOKENS:,} raw tokens or more of one"
            " call, where the sources of the input are not known"
        ),
        check=check_tool_context,
        unless=_SOURCE_CODES,
    ),
    FindingPattern(
        code="HIGH_INPUT_AMPLIFICATION",
        title="High input amplification ratio",
        cause="The agent loop expands too aggressively.",
        direction="Prune states, filter tool results, set context budgets.",
        threshold=(
            f"{AMPLIFIED_FROM:g} input tokens for one of the instruction, or input that"
            f" grows to {GROWN_FROM} times; where no single source explains it"
        ),
        check=check_amplification,
        unless=_SOURCE_CODES,
    ),
    FindingPattern(
        code="LOW_CACHE_HIT_RATIO",
        title="Low cache hit ratio",
        cause="The context is unstable.",
        direction=(
            "Keep what stays the same at the beginning of the prompt, and switch prompt"
            " caching on where the provider asks for it."
        ),
        threshold=(
            f"below {CACHE_HIT_GOAL:.0%}, with {MIN_CACHEABLE_TOKENS:,} tokens paid in"
            " full that an earlier call had sent"
        ),
        check=check_cache,
    ),
)
