"""The price file that Inspect's `--model-cost-config` takes, as prices by model.

YAML or JSON: a mapping of model names to `input`, `output`, `input_cache_write` and
`input_cache_read`, in US dollars per million tokens. Names are Inspect's
(`openai/gpt-4.1-mini`, `google/gemini-2.5-flash`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.pricing.price_entry import checked_prices

_FIELDS: Final[Mapping[str, str]] = {
    "input": "price_input_per_million",
    "output": "price_output_per_million",
    "input_cache_write": "price_cache_write_per_million",
    "input_cache_read": "price_cached_input_per_million",
}
_PROVIDERS: Final[Mapping[str, str]] = {"google": "gemini"}
"""Providers that have another name here. A price is found under both names."""


def parse_inspect_prices(text: str, *, where: str) -> Mapping[str, PriceSnapshot]:
    """Prices by model. The version is a digest of the text: it explains an old bill.

    Raises:
        ConfigError: one line that says which entry, and what was expected.
        ContractError: the text is no YAML; the message says where.
    """
    from judgemesh.mesh.inputs.yaml import documents

    contents = [document.data for document in documents(text, where)]
    if len(contents) != 1 or not isinstance(contents[0], dict) or not contents[0]:
        raise ConfigError("must be one mapping of model names to prices", where=where)
    version = f"inspect-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    layer: dict[str, PriceSnapshot] = {}
    for name, entry in cast("dict[str, Any]", contents[0]).items():
        price = _price(name, entry, version, f"{where}: model {name!r}")
        layer[name] = price
        provider, slash, model = name.partition("/")
        if slash and provider in _PROVIDERS:
            alias = f"{_PROVIDERS[provider]}/{model}"
            layer.setdefault(alias, replace(price, model_name=alias))
    return layer


def _price(name: str, entry: object, version: str, where: str) -> PriceSnapshot:
    if not isinstance(entry, dict):
        raise ConfigError(
            "must be a mapping with input and output prices per million tokens",
            where=where,
        )
    prices = checked_prices(cast("dict[str, Any]", entry), _FIELDS, where)
    return PriceSnapshot(
        model_name=name, currency="USD", price_version=version, terms="", **prices
    )
