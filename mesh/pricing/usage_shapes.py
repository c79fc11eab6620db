"""How a report of token counts is read, and the names that trace formats use. Pure.

A `UsageShape` names, for each figure, the paths under which it may stand. `a/b` is the
key `b` of the object `a`. The first path that holds a count above 0 is taken. The shapes
of providers and client libraries are in `usage_table.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast

from judgemesh.contracts.quick_init import quick_init

_MAX_COUNT: Final = 2**53
_MAX_DIGITS: Final = 19

FIGURES: Final = (
    "input",
    "output",
    "cached",
    "cache_write",
    "cache_write_1h",
    "reasoning",
    "total",
    "uncached",
    "searches",
)
"""The figures of a usage report, as `UsageShape` and `TokenCounts` name them."""

_TIER_NAMES: Final = ("service_tier", "serviceTier", "trafficType", "traffic_type")

ReadNumber: TypeAlias = Callable[[object], int | None]


@dataclass(frozen=True, slots=True, eq=False)  # one object for each format
class UsageShape:
    """Where one format keeps its token counts.

    cache_write_1h: cache writes that are kept for an hour or longer, part of
        `cache_write`.
    cache_write_parts: parts of `cache_write`, which is their sum where it is not stated.
    uncached: input that was neither read from the cache nor written to it.
    input_beside: a second part of the input, which `input` does not include.
    cache_is_beside: whether cached and cache-write tokens are not part of `input`.
    reasoning_is_beside: whether reasoning tokens are not part of `output`. None: the
        total tells, or a count that is larger than the output.
    marks: paths that only this format has.
    known: further paths, which repeat the figures or divide them in another way; with a
        slash at their end, everything below them.
    tiers: paths that stand for a service tier, with its name.
    """

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached: tuple[str, ...] = ()
    cache_write: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    cache_write_1h: tuple[str, ...] = ()
    cache_write_parts: tuple[str, ...] = ()
    uncached: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    input_beside: tuple[str, ...] = ()
    cache_is_beside: bool = False
    reasoning_is_beside: bool | None = None
    name: str = ""
    marks: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    tiers: Mapping[str, str] = field(default_factory=dict[str, str])

    def paths(self, figure: str) -> tuple[str, ...]:
        """The paths of one of `FIGURES`."""
        paths: tuple[str, ...] = getattr(self, figure)
        return paths


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """The token counts of one model call as they were reported; None: not reported.

    cache_write_1h, uncached, searches: see `UsageShape`.
    cache_is_beside: whether cached and cache-write tokens are known not to be part of
        `input`; None: the figures have to tell.
    service_tier: the tier the call is billed in; empty for the standard one.
    notes: what is wrong with the report, one line each.
    is_malformed: whether a count of the report was negative.
    unread: fields that look like token counts and are in no table, one line each.
    raw: the figures under their own names.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    total: int | None = None
    cache_write_1h: int | None = None
    uncached: int | None = None
    searches: int | None = None
    cache_is_beside: bool | None = None
    service_tier: str = ""
    notes: tuple[str, ...] = ()
    is_malformed: bool = False
    unread: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted. Reasoning tokens alone do not make a count."""
        names = ("input", "output", "cached", "cache_write", "total", "searches")
        return all(getattr(self, name) is None for name in names)

    def figures(self) -> Iterator[tuple[str, int | None]]:
        """Each of `FIGURES` and its count."""
        for figure in FIGURES:
            yield figure, getattr(self, figure)


def whole_number(value: object) -> int | None:
    """A whole number from an integer, a float without fraction or digits in text.

    Anything else, and everything from 2**53 on, is None.
    """
    if type(value) is int:
        return value if -_MAX_COUNT < value < _MAX_COUNT else None
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _number_in_text(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_COUNT:
        return int(value)
    if isinstance(value, int) and abs(value) < _MAX_COUNT:
        return value
    return None


def _number_in_text(text: str) -> int | None:
    digits = text.strip().removeprefix("+")
    if not digits.removeprefix("-").isdecimal() or len(digits) > _MAX_DIGITS:
        return None
    number = int(digits)
    return number if abs(number) < _MAX_COUNT else None


def read_counts(
    raw: Mapping[str, Any],
    shape: UsageShape,
    *,
    read_number: ReadNumber = whole_number,
    values: Mapping[str, object] | None = None,
) -> TokenCounts:
    """The counts that a report of that shape holds; `values` are those of `by_path`."""
    if values is None:
        values = by_path(raw)
    counts: dict[str, Any] = {}  # int or None
    names = tuple(values)
    for figure, paths in _present(shape, names):
        value = values[paths[0]]
        if len(paths) == 1 and type(value) is int and 0 <= value < _MAX_COUNT:
            counts[figure] = value  # as nearly all are
        else:
            counts[figure] = _first_number(values, paths, read_number)
    beside = counts.pop("input_beside", None)
    if beside is not None:
        counts["input"] = (counts.get("input") or 0) + beside
    for path in () if counts.get("cache_write") else shape.cache_write_parts:
        part = read_number(values.get(path))
        if part is not None:
            counts["cache_write"] = (counts.get("cache_write") or 0) + part
    tier = _service_tier(values, shape, names)
    return TokenCounts(**counts, service_tier=tier, raw=raw)


@lru_cache(maxsize=256)
def _present(
    shape: UsageShape, names: tuple[str, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The figures that a report has, with their paths in it: reports of one provider have the same ones."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for figure in (*FIGURES, "input_beside"):
        paths = tuple(path for path in shape.paths(figure) if path in names)
        if paths:
            found.append((figure, paths))
    return tuple(found)


def _service_tier(
    values: Mapping[str, object], shape: UsageShape, names: tuple[str, ...]
) -> str:
    for path, tier in _tiers(shape, names):
        stated = values[path]
        if tier and stated is not None:
            return tier
        if not tier and isinstance(stated, str):
            return stated
    return ""


@lru_cache(maxsize=256)
def _tiers(shape: UsageShape, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The paths in a report that may state a service tier, with what they stand for; empty for their own value."""
    possible = [*shape.tiers.items(), *((name, "") for name in _TIER_NAMES)]
    return tuple((path, tier) for path, tier in possible if path in names)


def _first_number(
    values: Mapping[str, object], paths: tuple[str, ...], read_number: ReadNumber
) -> int | None:
    """The first count above 0: a default of 0 under one name hides no other name."""
    number: int | None = None
    for path in paths:
        value = values.get(path)
        if value is None:
            continue
        read = read_number(value)
        if read:
            return read
        number = read if number is None else number
    return number


def by_path(raw: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """Every value of a report, objects included, under its path."""
    values: dict[str, object] = {}
    for key, value in raw.items():
        if "/" in key:  # no path leads to it
            continue
        values[prefix + key] = value
        # Most are counts, and asking an abstract class takes longer than all else here.
        if type(value) is int:
            continue
        if type(value) is dict or isinstance(value, Mapping):
            inner = cast("Mapping[str, Any]", value)
            values |= by_path(inner, f"{prefix}{key}/")
    return values


def value_at(raw: Mapping[str, Any], path: str) -> object:
    """The value at a path such as `prompt_tokens_details/cached_tokens`, or None."""
    if "/" not in path:
        return raw.get(path)
    value: object = raw
    for key in path.split("/"):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(key)
    return value


def _each_in(objects: tuple[str, ...], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of several keys in several objects, one object after the other."""
    return tuple(f"{name}/{key}" for name in objects for key in keys)


# --- trace formats ---

_LANGSMITH_INPUT_DETAILS: Final = (
    "prompt_token_details",
    "input_token_details",
    "prompt_tokens_details",
)
_LANGSMITH_OUTPUT_DETAILS: Final = (
    "completion_token_details",
    "output_token_details",
    "completion_tokens_details",
)
LANGSMITH: Final = UsageShape(
    input=("prompt_tokens", "input_tokens"),
    output=("completion_tokens", "output_tokens"),
    cached=_each_in(
        _LANGSMITH_INPUT_DETAILS,
        ("cache_read", "cached_tokens", "cache_read_input_tokens"),
    ),
    cache_write=_each_in(
        _LANGSMITH_INPUT_DETAILS,
        ("cache_creation", "cache_write", "cache_creation_input_tokens"),
    ),
    reasoning=_each_in(_LANGSMITH_OUTPUT_DETAILS, ("reasoning", "reasoning_tokens")),
    total=("total_tokens",),
)
TAU: Final = UsageShape(
    input=("prompt_tokens", "input_tokens"),
    output=("completion_tokens", "output_tokens"),
    cached=("prompt_tokens_details/cached_tokens", "cache_read_input_tokens"),
    cache_write=(
        "prompt_tokens_details/cache_creation_tokens",
        "cache_creation_input_tokens",
    ),
    reasoning=("completion_tokens_details/reasoning_tokens",),
    total=("total_tokens",),
)
ATIF: Final = UsageShape(
    input=("prompt_tokens",),
    output=("completion_tokens",),
    cached=("cached_tokens",),
    cache_write=("extra/cache_creation_input_tokens", "extra/cache_write_tokens"),
    reasoning=("extra/reasoning_tokens", "extra/reasoning_output_tokens"),
)
INSPECT: Final = UsageShape(
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("input_tokens_cache_read",),
    cache_write=("input_tokens_cache_write",),
    reasoning=("reasoning_tokens",),
    total=("total_tokens",),
)
SPAN_ATTRIBUTES: Final = UsageShape(
    input=(
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
    ),
    output=(
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.outputTokens",
        "ai.usage.completionTokens",
    ),
    cached=(
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.input_tokens.cached",
        "gen_ai.usage.cached_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.details.cached_tokens",
        "llm.token_count.prompt_details.cache_read",
        "llm.usage.cache_read_input_tokens",
        "ai.usage.cachedInputTokens",
        "ai.usage.inputTokenDetails.cacheReadTokens",
    ),
    cache_write=(
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.input_tokens.cache_write",
        "gen_ai.usage.details.cache_write_tokens",
        "llm.token_count.prompt_details.cache_write",
        "llm.usage.cache_creation_input_tokens",
        "ai.usage.inputTokenDetails.cacheWriteTokens",
    ),
    cache_write_1h=("anthropic.usage.cache_creation.ephemeral_1h_input_tokens",),
    reasoning=(
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.output_tokens.reasoning",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "llm.usage.reasoning_tokens",
        "ai.usage.reasoningTokens",
        "ai.usage.outputTokenDetails.reasoningTokens",
    ),
    uncached=("ai.usage.inputTokenDetails.noCacheTokens",),
    total=(
        "gen_ai.usage.total_tokens",
        "llm.token_count.total",
        "llm.usage.total_tokens",
        "ai.usage.totalTokens",
    ),
)
"""Attributes of OpenTelemetry's GenAI conventions, old and new, and of OpenInference.
The dots are part of the names."""
