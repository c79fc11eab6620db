"""Price files: TOML in the form of the bundled `prices.toml`.

YAML and JSON files are in the form that Inspect takes: see `inspect_prices.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import CURRENCY
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.inputs.files.limits import SETTINGS_FILE
from judgemesh.mesh.inputs.files.reading import read_text_file, unreadable
from judgemesh.mesh.pricing.inspect_prices import parse_inspect_prices
from judgemesh.mesh.pricing.price_entry import checked_prices
from judgemesh.mesh.pricing.terms import PriceList, SpecialPrice, terms_name

_FIELDS: Final[Mapping[str, str]] = {
    "input": "price_input_per_million",
    "output": "price_output_per_million",
    "cached_input": "price_cached_input_per_million",
    "cache_write": "price_cache_write_per_million",
    "cache_write_1h": "price_cache_write_1h_per_million",
    "search": "price_search_per_thousand",
    "reasoning": "price_reasoning_per_million",
}
_OTHER_KEYS: Final = ("aliases", "provider", "terms")
_CONDITIONS: Final = ("tier", "above_tokens", "until")
_TIERS: Final = ("batch", "flex", "priority")
_FILE_KEYS: Final = ("version", "currency", "models")
_INSPECT_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})


def read_price_file(path: Path) -> PriceList:
    """The prices of a file by model; its suffix tells the form.

    Raises:
        ConfigError: the file cannot be read, or an entry of it cannot be used.
    """
    try:
        text = read_text_file(path, SETTINGS_FILE)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(unreadable(error), where=str(path)) from error
    if path.suffix.lower() in _INSPECT_SUFFIXES:
        return PriceList(parse_inspect_prices(text, where=str(path)))
    return parse_prices(text, where=str(path))


def parse_prices(text: str, *, where: str) -> PriceList:
    """The prices of a TOML file by model.

    It holds `version`, `currency`, and a table `models."NAME"` for each model. An array
    of tables `models."NAME".terms` has the prices under conditions: `tier` (`batch`,
    `flex`, `priority`), `above_tokens`, and `until`, the first day on which they no
    longer held.

    Raises:
        ConfigError: one line that says which entry, and what was expected.
    """
    data = _parsed(text, where)
    version = data.get("version")
    if not isinstance(version, str) or not version:
        raise ConfigError(
            "needs a version (text), so that an old bill can be explained", where=where
        )
    currency = data.get("currency", "USD")
    if not isinstance(currency, str) or not CURRENCY.match(currency):
        raise ConfigError(
            f"currency must be three capital letters, got {currency!r}", where=where
        )
    models = data.get("models")
    if not isinstance(models, dict):
        raise ConfigError('needs at least one table [models."NAME"]', where=where)
    layer: dict[str, PriceSnapshot] = {}
    special: dict[str, tuple[SpecialPrice, ...]] = {}
    for name, entry in cast("dict[str, Any]", models).items():
        terms = _terms(name, entry, where)
        for price in _entry_prices(name, entry, currency, version, where):
            model = price.model_name
            if model in layer:
                raise ConfigError("is priced twice", where=f"{where}: model {model!r}")
            layer[model] = price
            if terms:
                special[model] = tuple(_special(price, one) for one in terms)
    return PriceList(layer, special)


@dataclass(frozen=True, slots=True)
class _Terms:
    """Prices under conditions, as an entry states them."""

    prices: dict[str, Decimal]
    tier: str
    above_tokens: int
    until: date | None


def _terms(name: str, entry: object, where: str) -> list[_Terms]:
    """The prices under conditions of an entry."""
    where = f"{where}: model {name!r}: terms"
    listed: object = []
    if isinstance(entry, dict):
        listed = cast("dict[str, object]", entry).get("terms", [])
    if not isinstance(listed, list):
        raise ConfigError("must be an array of tables", where=where)
    terms: list[_Terms] = []
    for one in cast("list[object]", listed):
        if not isinstance(one, dict):
            raise ConfigError("must be an array of tables", where=where)
        terms.append(_one_terms(cast("dict[str, Any]", one), where))
    return terms


def _one_terms(table: dict[str, Any], where: str) -> _Terms:
    prices = checked_prices(table, _FIELDS, where, _CONDITIONS)
    tier, above, until = (table.get(key) for key in _CONDITIONS)
    if tier is not None and tier not in _TIERS:
        hint = f"expected {', '.join(_TIERS)}"
        raise ConfigError(f"unknown tier {tier!r}", where=where, hint=hint)
    if above is not None and (type(above) is not int or above <= 0):
        raise ConfigError("above_tokens must be a whole number above 0", where=where)
    if until is not None and type(until) is not date:
        raise ConfigError("until must be a date such as 2026-04-01", where=where)
    if tier is None and above is None and until is None:
        hint = f"expected {', '.join(_CONDITIONS)}"
        raise ConfigError("names no condition", where=where, hint=hint)
    return _Terms(prices, tier or "", above or 0, until)


def _special(price: PriceSnapshot, terms: _Terms) -> SpecialPrice:
    name = terms_name(
        tier=terms.tier, above_tokens=terms.above_tokens, until=terms.until
    )
    return SpecialPrice(
        price=PriceSnapshot(
            model_name=price.model_name,
            currency=price.currency,
            price_version=f"{price.price_version}_{name}",
            terms=name,
            **terms.prices,
        ),
        tier=terms.tier,
        above_tokens=terms.above_tokens,
        until=terms.until,
    )


def _parsed(text: str, where: str) -> Mapping[str, Any]:
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is no TOML: {error}", where=where) from error
    unknown = sorted(set(data) - set(_FILE_KEYS))
    if unknown:
        hint = f"expected {', '.join(_FILE_KEYS)}"
        raise ConfigError(f"unknown key {unknown[0]!r}", where=where, hint=hint)
    return data


def _entry_prices(
    name: str, entry: object, currency: str, version: str, where: str
) -> list[PriceSnapshot]:
    """The price of an entry, once under its name and once under each alias."""
    where = f"{where}: model {name!r}"
    if not isinstance(entry, dict):
        raise ConfigError(
            "must be a table with input and output prices per million tokens",
            where=where,
        )
    table = cast("dict[str, Any]", entry)
    prices = checked_prices(table, _FIELDS, where, _OTHER_KEYS)
    provider, aliases = table.get("provider"), table.get("aliases", [])
    if not isinstance(provider, str | None) or not _is_list_of_text(aliases):
        raise ConfigError("provider must be text, aliases a list of text", where=where)
    prefix = f"{provider}/" if provider else ""
    snapshots: list[PriceSnapshot] = []
    for model in (name, *cast("list[str]", aliases)):
        snapshots.append(
            PriceSnapshot(
                model_name=f"{prefix}{model}",
                currency=currency,
                price_version=version,
                terms="",
                **prices,
            )
        )
    return snapshots


def _is_list_of_text(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return all(isinstance(element, str) for element in cast("list[object]", value))
