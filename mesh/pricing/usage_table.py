"""The usage objects of providers and client libraries: one table. Pure.

A row says under which paths each figure stands, and what is part of what. The first row
of `ROWS` that has one of its `marks` in a report reads it. Columns that differ:

| row            | cached and cache-write tokens  | reasoning tokens             |
|----------------|--------------------------------|------------------------------|
| chat           | part of prompt_tokens          | part of completion_tokens    |
| responses      | part of input_tokens           | part of output_tokens        |
| anthropic      | beside input_tokens            | part of output_tokens        |
| google         | part of the prompt             | beside the candidates        |
| bedrock        | beside inputTokens             | part of outputTokens         |
| langchain      | part of input_tokens           | part of output_tokens        |
| pydantic_ai    | part of input_tokens           | part of output_tokens        |
| vercel         | part of inputTokens; beside it | part of outputTokens         |
|                | for Anthropic before version 6 |                              |
| cohere         | part of the billed units       | part of the billed units     |
| langfuse       | beside input                   | beside output                |

Names of the fields are those of the providers' published schemas. In OpenTelemetry's
GenAI conventions the input includes the cache and the output includes reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from judgemesh.mesh.pricing.usage_shapes import (
    UsageShape,
    whole_number,
)

_PARTS_OF_OTHERS: Final = (
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
    "text_tokens",
)
_CHAT_INPUT: Final = "prompt_tokens_details"
_CHAT_OUTPUT: Final = "completion_tokens_details"

CHAT: Final = UsageShape(
    name="chat",
    marks=("prompt_tokens", "completion_tokens"),
    input=("prompt_tokens",),
    output=("completion_tokens",),
    cached=(
        f"{_CHAT_INPUT}/cached_tokens",
        "cache_read_input_tokens",
        "prompt_cache_hit_tokens",
        "num_cached_tokens",
        "cached_tokens",
    ),
    cache_write=(
        f"{_CHAT_INPUT}/cache_write_tokens",
        f"{_CHAT_INPUT}/cache_creation_tokens",
        "cache_creation_input_tokens",
    ),
    cache_write_1h=(
        f"{_CHAT_INPUT}/cache_creation_token_details/ephemeral_1h_input_tokens",
    ),
    reasoning=(
        f"{_CHAT_OUTPUT}/reasoning_tokens",
        "reasoning_tokens",
        "output_reasoning_tokens",
    ),
    total=("total_tokens",),
    searches=(
        "server_tool_use/web_search_requests",
        f"{_CHAT_INPUT}/web_search_requests",
        "num_search_queries",
    ),
    known=(
        "prompt_cache_miss_tokens",
        *(f"{_CHAT_INPUT}/{name}" for name in _PARTS_OF_OTHERS),
        *(f"{_CHAT_OUTPUT}/{name}" for name in _PARTS_OF_OTHERS),
        f"{_CHAT_INPUT}/cache_creation_token_details/ephemeral_5m_input_tokens",
    ),
)
RESPONSES: Final = UsageShape(
    name="responses",
    marks=("input_tokens", "output_tokens"),
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("input_tokens_details/cached_tokens", "cached_input_tokens"),
    cache_write=("input_tokens_details/cache_write_tokens",),
    reasoning=(
        "output_tokens_details/reasoning_tokens",
        "reasoning_output_tokens",
        "reasoning_tokens",
    ),
    total=("total_tokens",),
    reasoning_is_beside=False,
    known=(
        "input_tokens_details/text_tokens",
        "output_tokens_details/text_tokens",
        "input_tokens_details/cache_write_tokens_details/",
        "request_usage_entries/",
    ),
)
ANTHROPIC: Final = UsageShape(
    name="anthropic",
    marks=(
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation",
        "server_tool_use",
    ),
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("cache_read_input_tokens",),
    cache_write=("cache_creation_input_tokens",),
    cache_write_1h=("cache_creation/ephemeral_1h_input_tokens",),
    cache_write_parts=(
        "cache_creation/ephemeral_5m_input_tokens",
        "cache_creation/ephemeral_1h_input_tokens",
    ),
    reasoning=(
        "output_tokens_details/thinking_tokens",
        "output_tokens_details/reasoning_tokens",
    ),
    total=("total_tokens",),
    searches=("server_tool_use/web_search_requests",),
    cache_is_beside=True,
    reasoning_is_beside=False,
)
GEMINI: Final = UsageShape(
    name="google",
    marks=(
        "promptTokenCount",
        "candidatesTokenCount",
        "totalTokenCount",
        "candidates_token_count",
        "total_token_count",
        "thoughts_token_count",
        "prompt_token_count",
    ),
    input=("promptTokenCount", "prompt_token_count"),
    input_beside=("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
    output=(
        "candidatesTokenCount",
        "candidates_token_count",
        "responseTokenCount",
        "response_token_count",
        "generation_token_count",
    ),
    cached=("cachedContentTokenCount", "cached_content_token_count"),
    reasoning=("thoughtsTokenCount", "thoughts_token_count"),
    total=("totalTokenCount", "total_token_count"),
    reasoning_is_beside=True,
    known=(
        "promptTokensDetails/",
        "prompt_tokens_details/",
        "candidatesTokensDetails/",
        "candidates_tokens_details/",
        "responseTokensDetails/",
        "response_tokens_details/",
        "cacheTokensDetails/",
        "cache_tokens_details/",
        "toolUsePromptTokensDetails/",
        "tool_use_prompt_tokens_details/",
    ),
)
BEDROCK: Final = UsageShape(
    name="bedrock",
    marks=(
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
        "cacheReadInputTokenCount",
        "cacheWriteInputTokenCount",
        "inputTokenCount",
    ),
    input=("inputTokens", "inputTokenCount"),
    output=("outputTokens", "outputTokenCount"),
    cached=("cacheReadInputTokens", "cacheReadInputTokenCount"),
    cache_write=("cacheWriteInputTokens", "cacheWriteInputTokenCount"),
    total=("totalTokens",),
    cache_is_beside=True,
    known=("cacheDetails/",),
)
_TIERS: Final = ("priority", "flex")
LANGCHAIN: Final = UsageShape(
    name="langchain",
    marks=("input_token_details", "output_token_details"),
    input=("input_tokens",),
    output=("output_tokens",),
    cached=(
        "input_token_details/cache_read",
        *(f"input_token_details/{tier}_cache_read" for tier in _TIERS),
    ),
    cache_write=(
        "input_token_details/cache_creation",
        *(f"input_token_details/{tier}_cache_creation" for tier in _TIERS),
    ),
    cache_write_1h=("input_token_details/ephemeral_1h_input_tokens",),
    cache_write_parts=(
        "input_token_details/ephemeral_5m_input_tokens",
        "input_token_details/ephemeral_1h_input_tokens",
    ),
    reasoning=(
        "output_token_details/reasoning",
        *(f"output_token_details/{tier}_reasoning" for tier in _TIERS),
    ),
    total=("total_tokens",),
    reasoning_is_beside=False,
    known=tuple(
        f"{side}_token_details/{tier}"
        for side in ("input", "output")
        for tier in _TIERS
    ),
    tiers={f"input_token_details/{tier}": tier for tier in _TIERS},
)
PYDANTIC_AI: Final = UsageShape(
    name="pydantic_ai",
    marks=("cache_read_tokens", "cache_write_tokens", "request_tokens", "details"),
    input=("input_tokens", "request_tokens"),
    output=("output_tokens", "response_tokens"),
    cached=("cache_read_tokens", "details/cached_tokens"),
    cache_write=("cache_write_tokens",),
    reasoning=("details/reasoning_tokens", "details/thoughts_tokens"),
    total=("total_tokens",),
    reasoning_is_beside=False,
    known=("details/",),
)
VERCEL: Final = UsageShape(
    name="vercel",
    marks=("inputTokens", "outputTokens", "promptTokens", "completionTokens"),
    input=("inputTokens/total", "inputTokens", "promptTokens"),
    output=("outputTokens/total", "outputTokens", "completionTokens"),
    cached=(
        "inputTokenDetails/cacheReadTokens",
        "inputTokens/cacheRead",
        "cachedInputTokens",
        "cachedPromptTokens",
    ),
    cache_write=("inputTokenDetails/cacheWriteTokens", "inputTokens/cacheWrite"),
    reasoning=(
        "outputTokenDetails/reasoningTokens",
        "outputTokens/reasoning",
        "reasoningTokens",
    ),
    uncached=("inputTokenDetails/noCacheTokens", "inputTokens/noCache"),
    total=("totalTokens",),
    known=("outputTokenDetails/textTokens", "outputTokens/text", "raw/"),
)
COHERE: Final = UsageShape(
    name="cohere",
    marks=("billed_units", "billedUnits", "meta/billed_units"),
    input=(
        "billed_units/input_tokens",
        "billedUnits/inputTokens",
        "meta/billed_units/input_tokens",
    ),
    output=(
        "billed_units/output_tokens",
        "billedUnits/outputTokens",
        "meta/billed_units/output_tokens",
    ),
    cached=("cached_tokens",),
    searches=(
        "billed_units/search_units",
        "billedUnits/searchUnits",
        "meta/billed_units/search_units",
    ),
    known=("tokens/", "meta/tokens/"),
)
COHERE_TOKENS: Final = UsageShape(
    name="cohere",
    marks=("tokens/input_tokens", "tokens/output_tokens"),
    input=("tokens/input_tokens",),
    output=("tokens/output_tokens",),
    cached=("cached_tokens",),
)
INSPECT_USAGE: Final = UsageShape(
    name="inspect",
    marks=("input_tokens_cache_read", "input_tokens_cache_write"),
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("input_tokens_cache_read",),
    cache_write=("input_tokens_cache_write",),
    reasoning=("reasoning_tokens",),
    total=("total_tokens",),
)
LANGFUSE: Final = UsageShape(
    name="langfuse",
    marks=("input", "output"),
    input=("input",),
    output=("output",),
    cached=(
        "input_cached_tokens",
        "input_cache_read",
        "cache_read_input_tokens",
        "input_cached",
    ),
    cache_write=("cache_creation_input_tokens", "input_cache_creation"),
    reasoning=("output_reasoning_tokens", "output_reasoning"),
    total=("total",),
    cache_is_beside=True,
    reasoning_is_beside=True,
)
OLLAMA: Final = UsageShape(
    name="ollama",
    marks=("prompt_eval_count", "eval_count"),
    input=("prompt_eval_count",),
    output=("eval_count",),
)
WATSONX: Final = UsageShape(
    name="watsonx",
    marks=("input_token_count", "generated_token_count"),
    input=("input_token_count", "prompt_token_count"),
    output=("generated_token_count", "generation_token_count", "output_token_count"),
)
JUDGEMESH: Final = UsageShape(
    name="judgemesh",
    marks=("input_tokens_uncached", "input_tokens_total"),
    input=("input_tokens_total",),
    uncached=("input_tokens_uncached",),
    output=("output_tokens",),
    cached=("input_tokens_cached",),
    cache_write=("input_tokens_cache_write",),
    cache_write_1h=("input_tokens_cache_write_1h",),
    reasoning=("reasoning_tokens",),
    total=("total_tokens",),
    reasoning_is_beside=True,
)
EMBEDDING: Final = UsageShape(
    name="embedding",
    marks=("total_tokens",),
    input=("total_tokens",),
    output=(),
    total=("total_tokens",),
)

ROWS: Final = (
    JUDGEMESH,
    COHERE,
    COHERE_TOKENS,
    INSPECT_USAGE,
    LANGCHAIN,
    CHAT,
    BEDROCK,
    VERCEL,
    ANTHROPIC,
    PYDANTIC_AI,
    WATSONX,
    GEMINI,
    RESPONSES,
    OLLAMA,
)
"""Rows whose marks are rarer stand before those whose marks they share."""

_ANTHROPIC_NAMES: Final = ("anthropic", "claude", "bedrock")


def row_of(
    values: Mapping[str, object], *, provider: str = "", model: str = ""
) -> UsageShape | None:
    """The row that reads a report of these values by path; None where no figure of any row is in it.

    `provider` and `model` settle what shares its names: the cache is beside the input
    in Anthropic's usage, in Bedrock's, and in what the Vercel AI SDK made of Anthropic's
    before version 6.
    """
    if _has_number(values, LANGFUSE.marks):
        return LANGFUSE
    row = _marked(tuple([name for name, held in values.items() if held is not None]))
    if row is not None:
        return _settled(row, values, f"{provider} {model}".lower())
    return EMBEDDING if _has_number(values, EMBEDDING.marks) else None


@lru_cache(maxsize=256)
def _marked(names: tuple[str, ...]) -> UsageShape | None:
    """The first row that has a mark among the names: reports of one provider have the same ones."""
    present = frozenset(names)
    for row in ROWS:
        if not present.isdisjoint(row.marks):
            return row
    return None


def _has_number(values: Mapping[str, object], paths: tuple[str, ...]) -> bool:
    """Whether one of these common words holds a count."""
    for path in paths:
        if path in values and whole_number(values[path]) is not None:
            return True
    return False


def _settled(row: UsageShape, values: Mapping[str, object], names: str) -> UsageShape:
    if row is not RESPONSES and row is not VERCEL:
        return row
    is_anthropic = any(name in names for name in _ANTHROPIC_NAMES)
    if row is RESPONSES and is_anthropic and "input_tokens_details" not in values:
        return ANTHROPIC
    if row is VERCEL and is_anthropic and "cachedInputTokens" in values:
        return _VERCEL_5_ANTHROPIC if not _is_detailed(values) else VERCEL
    return row


def _is_detailed(values: Mapping[str, object]) -> bool:
    return any(values.get(path) is not None for path in VERCEL.uncached)


_VERCEL_5_ANTHROPIC: Final = UsageShape(
    name="vercel",
    input=VERCEL.input,
    output=VERCEL.output,
    cached=VERCEL.cached,
    cache_write=VERCEL.cache_write,
    reasoning=VERCEL.reasoning,
    total=VERCEL.total,
    known=VERCEL.known,
    cache_is_beside=True,
)
