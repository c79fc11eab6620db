"""What litellm's bundled table says about a model: its prices and its context size.

The table is read as a file, because importing litellm takes seconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from judgemesh.contracts.usage import PriceSnapshot

_Entry: TypeAlias = Mapping[str, Any]

_FILE_NAME: Final = "model_prices_and_context_window_backup.json"
_TEXT_MODES: Final = frozenset({"chat", "completion", "responses"})
_LONG_CONTEXT_KEY: Final = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_TOKENS_A_UNIT: Final = 1_000_000
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "price_input_per_million": ("input_cost_per_token",),
    "price_output_per_million": ("output_cost_per_token",),
    "price_cached_input_per_million": (
        "cache_read_input_token_cost",
        "input_cost_per_token_cache_hit",
    ),
    "price_cache_write_per_million": ("cache_creation_input_token_cost",),
    "price_reasoning_per_million": ("output_cost_per_reasoning_token",),
}


def library_entry(model: str) -> _Entry | None:
    """The table's entry for a model; None when it has none, or without litellm."""
    table, _ = _table()
    entry = table.get(model)
    provider, slash, name = model.partition("/")
    if entry is None and slash:
        entry = table.get(name)
        if isinstance(entry, dict):
            listed = cast("dict[str, Any]", entry).get("litellm_provider")
            if listed != provider:
                return None
    return cast("_Entry", entry) if isinstance(entry, dict) else None


@cache
def library_price(model: str, input_tokens: int) -> PriceSnapshot | None:
    """The table's price for a call of that many input tokens; None: not known."""
    entry = library_entry(model)
    if entry is None or entry.get("mode") not in _TEXT_MODES:
        return None
    if entry.get("input_cost_per_request"):
        return None
    tier = _tier(entry, input_tokens)
    prices: dict[str, Decimal] = {}
    for field, keys in _KEYS.items():
        price = _price_per_token(entry, keys, tier)
        if price is not None:
            prices[field] = price * _TOKENS_A_UNIT
    if not _is_priced(prices):
        return None
    # A dearer tier is another price and needs another version: one trace can hold both.
    _, version = _table()
    return PriceSnapshot(
        model_name=model,
        currency="USD",
        price_version=f"{version}{tier.removesuffix('_tokens')}",
        **prices,
    )


def _is_priced(prices: Mapping[str, Decimal]) -> bool:
    """Whether both prices are there. Two prices of 0 mean "not known" in that table."""
    per_input = prices.get("price_input_per_million")
    per_output = prices.get("price_output_per_million")
    if per_input is None or per_output is None:
        return False
    return bool(per_input or per_output)


def _tier(entry: _Entry, input_tokens: int) -> str:
    """The suffix of the keys whose prices hold for that many input tokens, or ""."""
    reached = 0
    for key in entry:
        match = _LONG_CONTEXT_KEY.fullmatch(key)
        if match is not None and input_tokens > int(match[1]) * 1000:
            reached = max(reached, int(match[1]))
    return f"_above_{reached}k_tokens" if reached else ""


def _price_per_token(entry: _Entry, keys: tuple[str, ...], tier: str) -> Decimal | None:
    candidates = list(keys)
    if tier:
        candidates = [f"{key}{tier}" for key in keys] + candidates
    for key in candidates:
        value = entry.get(key)
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
