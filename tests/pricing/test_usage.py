from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.pricing.usage import canonical_usage

COUNTS = (
    "input_tokens_uncached",
    "input_tokens_cached",
    "input_tokens_cache_write",
    "output_tokens",
    "reasoning_tokens",
)


@pytest.mark.parametrize(
    ("provider", "raw", "counts"),
    [
        (
            "openai",
            {
                "prompt_tokens": 1500,
                "completion_tokens": 90,
                "total_tokens": 1590,
                "prompt_tokens_details": {"cached_tokens": 1024},
                "completion_tokens_details": {"reasoning_tokens": 64},
            },
            (476, 1024, 0, 26, 64),
        ),
        ("openai", {"prompt_tokens": 10, "completion_tokens": 2}, (10, 0, 0, 2, 0)),
        (  # as the client library passes on an Anthropic answer
            "anthropic",
            {
                "prompt_tokens": 2100,
                "completion_tokens": 50,
                "cache_read_input_tokens": 1000,
                "cache_creation_input_tokens": 800,
                "prompt_tokens_details": {
                    "cached_tokens": 1000,
                    "cache_creation_tokens": 800,
                },
            },
            (300, 1000, 800, 50, 0),
        ),
        (
            "anthropic",
            {
                "input_tokens": 300,
                "output_tokens": 50,
                "cache_read_input_tokens": 1000,
                "cache_creation_input_tokens": 800,
            },
            (300, 1000, 800, 50, 0),
        ),
        (
            "openai",
            {
                "input_tokens": 300,
                "output_tokens": 50,
                "input_tokens_details": {"cached_tokens": 100},
                "output_tokens_details": {"reasoning_tokens": 20},
            },
            (200, 100, 0, 30, 20),
        ),
        (
            "gemini",
            {
                "promptTokenCount": 500,
                "cachedContentTokenCount": 200,
                "candidatesTokenCount": 30,
                "thoughtsTokenCount": 70,
            },
            (300, 200, 0, 30, 70),
        ),
        (  # reasoning reported beside the completion: the total says so
            "xai",
            {
                "prompt_tokens": 10,
                "completion_tokens": 50,
                "total_tokens": 90,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            (10, 0, 0, 50, 30),
        ),
        (
            "x",
            {"prompt_tokens": 10, "completion_tokens": 5, "reasoning_tokens": 30},
            (10, 0, 0, 5, 30),
        ),
        (
            "x",
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 90},
            },
            (10, 90, 0, 5, 0),
        ),
        (
            "x",
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": None,
            },
            (10, 0, 0, 5, 0),
        ),
        (
            "x",
            {
                "prompt_tokens": 10,
                "completion_tokens": -5,
                "prompt_cache_hit_tokens": 4,
            },
            (6, 4, 0, 0, 0),
        ),
    ],
)
def test_every_token_is_counted_once(
    provider: str, raw: dict[str, Any], counts: tuple[int, ...]
) -> None:
    usage = canonical_usage(raw, provider=provider)
    assert usage is not None
    assert tuple(getattr(usage, name) for name in COUNTS) == counts
    assert usage.raw is raw


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"tokens": 5},
        {"prompt_tokens": "many"},
        {"prompt_tokens": True},
        {"prompt_tokens": 1.5},
    ],
)
def test_silence_is_unknown_not_zero(raw: dict[str, Any] | None) -> None:
    assert canonical_usage(raw) is None


COUNT = st.integers(0, 10**7)


@given(COUNT, COUNT, st.data())
def test_parts_add_up_to_what_was_reported(
    prompt: int, completion: int, data: st.DataObject
) -> None:
    cached = data.draw(st.integers(0, prompt))
    write = data.draw(st.integers(0, prompt - cached))
    reasoning = data.draw(st.integers(0, completion))
    usage = canonical_usage(
        {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {
                "cached_tokens": cached,
                "cache_creation_tokens": write,
            },
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }
    )
    assert usage is not None
    assert usage.input_total == prompt
    assert usage.total == prompt + completion
    assert usage.reasoning_tokens == reasoning


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda x: st.dictionaries(
        st.sampled_from(["cached_tokens", "reasoning_tokens"]), x, max_size=2
    ),
)
KEYS = st.sampled_from(
    [
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "input_tokens",
        "output_tokens",
        "promptTokenCount",
        "prompt_tokens_details",
        "completion_tokens_details",
        "cache_read_input_tokens",
        "thoughtsTokenCount",
    ]
)


@given(st.dictionaries(KEYS, JUNK))
def test_junk_never_breaks_and_never_counts_below_zero(raw: dict[str, Any]) -> None:
    usage = canonical_usage(raw)
    if usage is not None:
        assert (
            min(
                usage.input_tokens_uncached,
                usage.input_tokens_cached,
                usage.output_tokens,
                usage.reasoning_tokens,
            )
            >= 0
        )
