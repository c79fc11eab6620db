"""One usage object of every client library, and what none of them should hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.tracing import UsageStatus
from judgemesh.mesh.pricing.usage import read_usage
from judgemesh.mesh.pricing.usage_table import LANGFUSE, ROWS, row_of

COUNTS = (
    "input_tokens_uncached",
    "input_tokens_cached",
    "input_tokens_cache_write",
    "input_tokens_cache_write_1h",
    "output_tokens",
    "reasoning_tokens",
    "searches",
)

REPORTS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    (
        "openai",
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 20},
            "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 30},
            "total_tokens": 150,
        },
        (40, 40, 20, 0, 20, 30, 0),
    ),
    (
        "openai",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 20},
        },
        (40, 40, 20, 0, 50, 0, 0),
    ),
    (
        "anthropic",
        {
            "input_tokens": 10,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 50,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 40,
                "ephemeral_1h_input_tokens": 60,
            },
            "output_tokens": 20,
            "output_tokens_details": {"thinking_tokens": 5},
            "server_tool_use": {"web_search_requests": 3, "web_fetch_requests": 1},
        },
        (10, 50, 100, 60, 15, 5, 3),
    ),
    (  # a compaction is billed beside the figures at the top
        "anthropic",
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 0,
            "output_tokens": 20,
            "iterations": [
                {"type": "compaction", "input_tokens": 900, "output_tokens": 80},
                {"type": "message", "input_tokens": 10, "output_tokens": 20},
            ],
        },
        (910, 0, 0, 0, 100, 0, 0),
    ),
    (
        "gcp.gemini",
        {
            "prompt_token_count": 100,
            "candidates_token_count": 10,
            "thoughts_token_count": 5,
            "tool_use_prompt_token_count": 7,
            "cached_content_token_count": 30,
            "total_token_count": 122,
            "prompt_tokens_details": [{"modality": "TEXT", "token_count": 100}],
        },
        (77, 30, 0, 0, 10, 5, 0),
    ),
    (
        "aws.bedrock",
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "totalTokens": 45,
            "cacheReadInputTokens": 20,
            "cacheWriteInputTokens": 10,
        },
        (10, 20, 10, 0, 5, 0, 0),
    ),
    (  # the sum of the two is left out of `cache_creation` on purpose
        "anthropic",
        {
            "input_tokens": 110,
            "output_tokens": 5,
            "total_tokens": 115,
            "input_token_details": {
                "cache_read": 20,
                "cache_creation": 0,
                "ephemeral_5m_input_tokens": 30,
                "ephemeral_1h_input_tokens": 40,
            },
            "output_token_details": {"reasoning": 2},
        },
        (20, 20, 70, 40, 3, 2, 0),
    ),
    (
        "google-gla",
        {
            "input_tokens": 110,
            "output_tokens": 5,
            "cache_read_tokens": 20,
            "details": {"reasoning_tokens": 3, "text_prompt_tokens": 110},
        },
        (90, 20, 0, 0, 2, 3, 0),
    ),
    (
        "openai",
        {"request_tokens": 9, "response_tokens": 5, "total_tokens": 14},
        (9, 0, 0, 0, 5, 0, 0),
    ),
    (
        "openai.chat",
        {"promptTokens": 10, "completionTokens": 5, "totalTokens": 15},
        (10, 0, 0, 0, 5, 0, 0),
    ),
    (
        "openai.responses",
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "cachedInputTokens": 8,
            "reasoningTokens": 2,
            "totalTokens": 15,
        },
        (2, 8, 0, 0, 3, 2, 0),
    ),
    (  # before version 6 the input of Anthropic is passed on as it is
        "anthropic.messages",
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "cachedInputTokens": 8,
            "totalTokens": 15,
        },
        (10, 8, 0, 0, 5, 0, 0),
    ),
    (
        "anthropic.messages",
        {
            "inputTokens": 18,
            "outputTokens": 5,
            "cachedInputTokens": 8,
            "totalTokens": 23,
            "inputTokenDetails": {"noCacheTokens": 10, "cacheReadTokens": 8},
            "outputTokenDetails": {"textTokens": 3, "reasoningTokens": 2},
        },
        (10, 8, 0, 0, 3, 2, 0),
    ),
    (
        "anthropic",
        {
            "inputTokens": {"total": 18, "noCache": 10, "cacheRead": 8},
            "outputTokens": {"total": 5, "text": 3, "reasoning": 2},
        },
        (10, 8, 0, 0, 3, 2, 0),
    ),
    (
        "cohere",
        {
            "billed_units": {"input_tokens": 10, "output_tokens": 5},
            "tokens": {"input_tokens": 70, "output_tokens": 5},
        },
        (10, 0, 0, 0, 5, 0, 0),
    ),
    ("cohere", {"billed_units": {"search_units": 2}}, (0, 0, 0, 0, 0, 0, 2)),
    ("mistral", {"prompt_tokens": 9, "total_tokens": 9}, (9, 0, 0, 0, 0, 0, 0)),
    ("voyage", {"total_tokens": 9}, (9, 0, 0, 0, 0, 0, 0)),
    (
        "langfuse",
        {"input": 12, "output": 5, "total": 27, "cache_read_input_tokens": 10},
        (12, 10, 0, 0, 5, 0, 0),
    ),
    (
        "openai",
        {
            "input_tokens": 100,
            "cached_input_tokens": 40,
            "output_tokens": 10,
            "reasoning_output_tokens": 4,
            "total_tokens": 110,
        },
        (60, 40, 0, 0, 6, 4, 0),
    ),
    ("ollama", {"prompt_eval_count": 7, "eval_count": 3}, (7, 0, 0, 0, 3, 0, 0)),
    (  # a default of 0 hides no other name
        "litellm",
        {
            "prompt_tokens": 10,
            "completion_tokens": "4",
            "cache_read_input_tokens": 6,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
        (4, 6, 0, 0, 4, 0, 0),
    ),
]


@pytest.mark.parametrize(("provider", "report", "counts"), REPORTS)
def test_each_library_is_counted_as_its_provider_bills(
    provider: str, report: dict[str, Any], counts: tuple[int, ...]
) -> None:
    counted = read_usage(report, provider=provider)
    assert counted.usage is not None
    assert tuple(getattr(counted.usage, name) for name in COUNTS) == counts
    assert (counted.status, counted.notes) == (UsageStatus.OK, ())


def test_the_tier_that_langchain_writes_into_the_details() -> None:
    details = {"flex_cache_read": 20, "flex": 90}
    report = {"input_tokens": 110, "output_tokens": 5, "input_token_details": details}
    usage = read_usage(report).usage
    assert usage is not None
    assert (usage.service_tier, usage.input_tokens_cached) == ("flex", 20)


@pytest.mark.parametrize(
    "value", [2**63, 10**400, -1, float("nan"), float("inf"), "many", 1.5, True]
)
def test_what_is_no_count_is_one_line_and_hides_nothing_else(value: object) -> None:
    counted = read_usage({"prompt_tokens": 9, "completion_tokens": value})
    assert counted.usage is not None
    assert counted.usage.input_total == 9
    assert counted.usage.output_tokens == 0
    is_negative = value == -1
    expected = UsageStatus.MALFORMED if is_negative else UsageStatus.INCONSISTENT
    assert counted.status is expected
    (note,) = counted.notes
    assert note.startswith("completion_tokens is ")
    assert len(note) < 120


def test_fields_that_look_like_token_counts_are_named() -> None:
    report = {
        "prompt_tokens": 12,
        "completion_tokens": 5,
        "draft_tokens": 9,
        "unused_tokens": 0,
        "prompt_tokens_details": {"audio_tokens": 3},
    }
    counted = read_usage(report)
    assert counted.status is UsageStatus.OK
    draft, audio = counted.notes
    assert draft == "draft_tokens is 9: not in the table of usage fields, not counted"
    assert audio.startswith("prompt_tokens_details.audio_tokens is 3: counted")


def test_a_report_of_unknown_names_is_missing_with_its_names() -> None:
    counted = read_usage({"tokens_in": 9, "ms": 30})
    assert counted.usage is None
    assert counted.status is UsageStatus.MISSING
    (note,) = counted.notes
    assert note.startswith("tokens_in is 9")


MARKS = [mark for row in ROWS for mark in row.marks]


@given(st.dictionaries(st.sampled_from(MARKS), st.sampled_from([None, 0, 7])))
def test_the_row_is_the_first_that_has_a_mark(report: dict[str, int | None]) -> None:
    """A mark without a value marks nothing, whatever reports of the same names were read before."""
    found = row_of(report)
    present = {name for name, value in report.items() if value is not None}
    wanted = [row for row in ROWS if present & set(row.marks)]
    assert found is (wanted[0] if wanted else found)
    assert not wanted or found is not LANGFUSE
