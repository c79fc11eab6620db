"""The price file that Inspect's `--model-cost-config` takes, read as a layer of the price book.

YAML or JSON: a mapping of model names to `input`, `output`, `input_cache_write` and `input_cache_read`, in US dollars
per million tokens. Its names are Inspect's (`openai/gpt-4.1-mini`, `google/gemini-2.5-flash`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.usage import PriceSnapshot

_PRICES: Final[Mapping[str, str]] = {
    "input": "price_input_per_million",
    "output": "price_output_per_million",
    "input_cache_read": "price_cached_input_per_million",
    "input_cache_write": "price_cache_write_per_million",
}
_REQUIRED: Final = ("input", "output")
_PROVIDERS: Final[Mapping[str, str]] = {"google": "gemini"}
"""Providers that have another name here; both names find the price."""


def parse_inspect_prices(text: str, *, where: str) -> Mapping[str, PriceSnapshot]:
    """Prices by model. The version is a digest of the text, so that an old bill can be explained.

    Raises:
        ConfigError: one line that says which entry, and what was expected.
        ContractError: the text is no YAML; the message says where.
    """
    from judgemesh.mesh.inputs.yaml import documents

    found = [document.data for document in documents(text, where)]
    if len(found) != 1 or not isinstance(found[0], dict) or not found[0]:
        raise ConfigError("must be one mapping of model names to prices", where=where)
    version = f"inspect-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    layer: dict[str, PriceSnapshot] = {}
    for name, entry in cast("dict[str, Any]", found[0]).items():
        price = _price(entry, f"{where}: model {name!r}", version)
        layer[name] = replace(price, model_name=name)
        provider, slash, model = name.partition("/")
        if slash and provider in _PROVIDERS:
            alias = f"{_PROVIDERS[provider]}/{model}"
            layer.setdefault(alias, replace(price, model_name=alias))
    return layer


def _price(entry: Any, where: str, version: str) -> PriceSnapshot:
    if not isinstance(entry, dict):
        raise ConfigError(
            "must be a mapping with input and output prices per million tokens",
            where=where,
        )
    given = cast("dict[str, Any]", entry)
    unknown = sorted(set(given) - set(_PRICES))
    if unknown:
        raise ConfigError(
            f"unknown key {unknown[0]!r}",
            where=where,
            hint=f"expected {', '.join(_PRICES)}",
        )
    missing = [key for key in _REQUIRED if given.get(key) is None]
    if missing:
        raise ConfigError(
            f"needs a price {missing[0]!r} per million tokens", where=where
        )
    amounts = {
        _PRICES[key]: _amount(value, key, where)
        for key, value in given.items()
        if value is not None
    }
    base = PriceSnapshot("", Decimal(0), Decimal(0), price_version=version)
    return replace(base, **amounts)  # type: ignore[arg-type]


def _amount(value: Any, key: str, where: str) -> Decimal:
    try:
        exact = (
            Decimal(str(value))
            if isinstance(value, int | float) and not isinstance(value, bool)
            else None
        )
    except InvalidOperation:
        exact = None
    if exact is None or not exact.is_finite() or exact < 0:
        raise ConfigError(
            f"{key} must be a number of 0 or more, got {value!r}", where=where
        )
    return exact
