"""What providers report as usage -> canonical `Usage`, every token counted once. Pure.

| dialect            | input                                               | output                                  |
|---|---|---|
| chat completions   | prompt_tokens holds cached and cache-write tokens   | completion_tokens holds reasoning       |
| OpenAI responses   | input_tokens holds cached tokens                    | output_tokens holds reasoning           |
| Anthropic messages | input_tokens, cache read and creation stand apart   | output_tokens holds thinking            |
| Gemini             | promptTokenCount holds cached tokens                | candidates and thoughts stand apart     |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.usage import Usage

_APART: Final = frozenset(
    {"anthropic", "bedrock", "vertex_ai_anthropic", "azure_ai_anthropic"}
)


def canonical_usage(
    raw: Mapping[str, Any] | None, *, provider: str = ""
) -> Usage | None:
    """The usage of one call; None when the provider reported none, or nothing that can be read.

    The dialect follows from the keys; `provider` settles the one pair that shares its keys (OpenAI responses and
    Anthropic messages). `raw` is kept unchanged.
    """
    if not raw:
        return None
    for key, read in _DIALECTS:
        if _count(raw, key) is not None:
            return read(raw, provider)
    return None


def _chat(raw: Mapping[str, Any], _provider: str) -> Usage:
    prompt, completion = (
        _count(raw, "prompt_tokens") or 0,
        _count(raw, "completion_tokens") or 0,
    )
    details, out_details = (
        _part(raw, "prompt_tokens_details"),
        _part(raw, "completion_tokens_details"),
    )
    cached = _first(
        (details, "cached_tokens"),
        (raw, "cache_read_input_tokens"),
        (raw, "prompt_cache_hit_tokens"),
    )
    write = _first(
        (details, "cache_creation_tokens"), (raw, "cache_creation_input_tokens")
    )
    reasoning = _first((out_details, "reasoning_tokens"), (raw, "reasoning_tokens"))
    # Some servers report reasoning beside the completion; their total gives it away.
    apart = reasoning > completion or (
        reasoning > 0 and _count(raw, "total_tokens") == prompt + completion + reasoning
    )
    return Usage(
        input_tokens_uncached=_rest(prompt, cached + write),
        input_tokens_cached=cached,
        input_tokens_cache_write=write,
        output_tokens=completion if apart else completion - reasoning,
        reasoning_tokens=reasoning,
        raw=raw,
    )


def _messages(raw: Mapping[str, Any], provider: str) -> Usage:
    given, output = _count(raw, "input_tokens") or 0, _count(raw, "output_tokens") or 0
    details, out_details = (
        _part(raw, "input_tokens_details"),
        _part(raw, "output_tokens_details"),
    )
    reasoning = min(_first((out_details, "reasoning_tokens")), output)
    read, write = (
        _first((raw, "cache_read_input_tokens")),
        _first((raw, "cache_creation_input_tokens")),
    )
    if provider in _APART or read or write:
        return Usage(given, read, write, output - reasoning, reasoning, raw)
    cached = _first((details, "cached_tokens"))
    return Usage(_rest(given, cached), cached, 0, output - reasoning, reasoning, raw)


def _gemini(raw: Mapping[str, Any], _provider: str) -> Usage:
    prompt = (_count(raw, "promptTokenCount") or 0) + (
        _count(raw, "toolUsePromptTokenCount") or 0
    )
    cached = _count(raw, "cachedContentTokenCount") or 0
    return Usage(
        input_tokens_uncached=_rest(prompt, cached),
        input_tokens_cached=cached,
        output_tokens=_count(raw, "candidatesTokenCount") or 0,
        reasoning_tokens=_count(raw, "thoughtsTokenCount") or 0,
        raw=raw,
    )


_DIALECTS: Final[tuple[tuple[str, Callable[[Mapping[str, Any], str], Usage]], ...]] = (
    ("prompt_tokens", _chat),
    ("input_tokens", _messages),
    ("promptTokenCount", _gemini),
)


def _rest(whole: int, part: int) -> int:
    """What is left of `whole`; a part larger than the whole cannot be inside it, so it stands apart."""
    return whole - part if part <= whole else whole


def _count(raw: Mapping[str, Any], key: str) -> int | None:
    """A token count: a whole number of 0 or more. Anything else counts as not reported."""
    value = raw.get(key)
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0
        else None
    )


def _first(*places: tuple[Mapping[str, Any], str]) -> int:
    return next((count for raw, key in places if (count := _count(raw, key))), 0)


def _part(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
