"""What litellm's bundled table says about a model: its prices and its context size.

The table is read as a file, because importing litellm takes seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, cast

from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.pricing.providers import spellings
from judgemesh.mesh.pricing.terms import terms_name

_Entry: TypeAlias = Mapping[str, Any]

_FILE_NAME: Final = "model_prices_and_context_window_backup.json"
_TOKEN_MODES: Final = frozenset(
    {"chat", "completion", "responses", "embedding", "rerank"}
)
_ABOVE: Final = re.compile(r"input_cost_per_token_above_(\d+)k_tokens(?:_[a-z]+)?")
_INCLUSIVE: Final = frozenset({"xai"})
"""Providers whose dearer price holds from the threshold on, not above it."""
_BATCHES: Final = "_batches"
_TIER_SUFFIXES: Final[Mapping[str, str]] = {"batch": _BATCHES}
_LONG_WRITES: Final = ("cache_creation_input_token_cost_above_1hr",)
_TOKENS_A_UNIT: Final = 1_000_000
_TOKENS_A_K: Final = 1000
_KEPT: Final = 1024
"""Models whose prices are kept. A run asks for a few, a trace file may name any number."""
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "price_input_per_million": ("input_cost_per_token",),
    "price_output_per_million": ("output_cost_per_token",),
    "price_cached_input_per_million": (
        "cache_read_input_token_cost",
        "input_cost_per_token_cache_hit",
    ),
    "price_cache_write_per_million": ("cache_creation_input_token_cost",),
    "price_cache_write_1h_per_million": _LONG_WRITES,
    "price_reasoning_per_million": ("output_cost_per_reasoning_token",),
}


def library_entry(model: str) -> _Entry | None:
    """The table's entry for a model; None when it has none, or without litellm.

    A name without provider in the table holds for the provider that is listed with it.
    """
    table, _ = _table()
    for name in spellings(model):
        entry = table.get(name)
        if isinstance(entry, dict):
            return cast("_Entry", entry)
        provider, slash, bare = name.partition("/")
        entry = table.get(bare) if slash else None
        if isinstance(entry, dict):
            listed = str(cast("dict[str, Any]", entry).get("litellm_provider"))
            if _is_of(listed, provider):
                return cast("_Entry", entry)
    return None


def _is_of(listed: str, provider: str) -> bool:
    """Whether a provider of the table is this one, or a part of it (`cohere_chat`)."""
    if not provider:
        return False
    return listed in {provider, f"text-completion-{provider}"} or listed.startswith(
        (f"{provider}_", f"{provider}-")
    )


def library_price(
    model: str, input_tokens: int, service_tier: str = ""
) -> PriceSnapshot | None:
    """The table's price for a call of that many input tokens; None: not known.

    A service tier that the table does not price for the model has the standard price.
    """
    above = 0
    for threshold in _thresholds(model):
        if input_tokens >= threshold.from_tokens:
            above = max(above, threshold.thousands)
    return _price_above(model, above, service_tier)


@lru_cache(maxsize=_KEPT)
def _price_above(model: str, above: int, service_tier: str) -> PriceSnapshot | None:
    """The price of calls above a threshold, in thousands of tokens; 0 for none."""
    entry = library_entry(model)
    if entry is None or entry.get("mode") not in _TOKEN_MODES:
        return None
    if entry.get("input_cost_per_request"):
        return None
    tier = _tier_suffix(entry, service_tier)
    prices: dict[str, Decimal] = {}
    for field, keys in _KEYS.items():
        price = _price_per_token(entry, keys, above, tier)
        if price is not None:
            prices[field] = price * _TOKENS_A_UNIT
    search = _price_of_search(entry)
    if search is not None:
        prices["price_search_per_thousand"] = search * 1000
    if not _is_priced(prices):
        return None
    # A dearer price of one model needs another version: one trace can hold both.
    _, version = _table()
    terms = terms_name(
        tier=service_tier if tier else "", above_tokens=above * _TOKENS_A_K
    )
    return PriceSnapshot(
        model_name=model,
        currency="USD",
        price_version=f"{version}_{terms}" if terms else version,
        terms=terms,
        **prices,
    )


def _is_priced(prices: Mapping[str, Decimal]) -> bool:
    """Whether both prices are there. Prices of 0 alone mean "not known" in that table."""
    per_input = prices.get("price_input_per_million")
    per_output = prices.get("price_output_per_million")
    if per_input is None or per_output is None:
        return False
    return bool(per_input or per_output or prices.get("price_search_per_thousand"))


def _price_of_search(entry: _Entry) -> Decimal | None:
    """What one search, or one unit of a reranker, costs."""
    if entry.get("mode") == "rerank":
        return _decimal(entry.get("input_cost_per_query"))
    by_size = entry.get("search_context_cost_per_query")
    if not isinstance(by_size, dict):
        return None
    sizes = cast("dict[str, object]", by_size)
    return _decimal(sizes.get("search_context_size_medium"))


def _tier_suffix(entry: _Entry, service_tier: str) -> str:
    """The suffix of the keys of a service tier; empty where the table has no such price."""
    if not service_tier:
        return ""
    suffix = _TIER_SUFFIXES.get(service_tier, f"_{service_tier}")
    return suffix if f"input_cost_per_token{suffix}" in entry else ""


class _Threshold(NamedTuple):
    """A size of the input with a price of its own, and the fewest tokens that have it."""

    thousands: int
    from_tokens: int


@lru_cache(maxsize=_KEPT)
def _thresholds(model: str) -> tuple[_Threshold, ...]:
    entry = library_entry(model) or {}
    beyond = 0 if entry.get("litellm_provider") in _INCLUSIVE else 1
    sizes = [int(match[1]) for match in map(_ABOVE.fullmatch, entry) if match]
    return tuple(_Threshold(size, size * _TOKENS_A_K + beyond) for size in sizes)


def _price_per_token(
    entry: _Entry, keys: tuple[str, ...], above: int, tier: str
) -> Decimal | None:
    """What a token of these keys costs under the conditions; None: as any other.

    A long input or a tier that lists no price of its own for a key has the standard one,
    but for two: reasoning is then billed as the output is, and batches have one factor
    for all prices of a key, so that of the key is taken from its standard prices.
    """
    if tier == _BATCHES:
        return _price_in_batch(entry, keys, above)
    endings = [tier, ""] if tier else [""]
    if above:
        endings = [f"_above_{above}k_tokens{ending}" for ending in endings] + endings
    if keys == _KEYS["price_reasoning_per_million"]:
        endings = endings[:1]
    return _first_listed(entry, keys, endings)


def _price_in_batch(entry: _Entry, keys: tuple[str, ...], above: int) -> Decimal | None:
    threshold = f"_above_{above}k_tokens" if above else ""
    listed = _first_listed(entry, keys, [f"{threshold}{_BATCHES}"])
    if listed is not None:
        return listed
    factor_keys = (
        _KEYS["price_cache_write_per_million"] if keys == _LONG_WRITES else keys
    )
    standard = _first_listed(entry, factor_keys, [""])
    in_batch = _first_listed(entry, factor_keys, [_BATCHES])
    price = _first_listed(entry, keys, [threshold, ""])
    if not standard or in_batch is None or price is None:
        return None
    return price * in_batch / standard


def _first_listed(
    entry: _Entry, keys: tuple[str, ...], endings: Iterable[str]
) -> Decimal | None:
    for ending in endings:
        for key in keys:
            price = _decimal(entry.get(f"{key}{ending}"))
            if price is not None:
                return price
    return None


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Decimal(value)
    return None


@cache
def _table() -> tuple[_Entry, str]:
    """The table and the name of its version; empty where litellm is not installed."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    import jiter

    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}, ""
    try:
        data = (Path(spec.origin).parent / _FILE_NAME).read_bytes()
        table = jiter.from_json(data, float_mode="decimal")
        return cast("_Entry", table), f"litellm-{version('litellm')}"
    except (OSError, ValueError, PackageNotFoundError):
        return {}, ""
