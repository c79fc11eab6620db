"""What a model costs: the user's price file, then the bundled price book, then the client library's own table.

A model that none of them prices has no price: its cost is unknown, which is not 0. A price holds for the provider it
is listed under; a dated model name takes its family's price only where the book lists it as an alias.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.usage import CURRENCY, Money, PriceSnapshot, Usage
from judgemesh.mesh.pricing.inspect_prices import parse_inspect_prices

_PRICES: Final[Mapping[str, str]] = {
    "input": "price_input_per_million",
    "output": "price_output_per_million",
    "cached_input": "price_cached_input_per_million",
    "cache_write": "price_cache_write_per_million",
    "reasoning": "price_reasoning_per_million",
}
_REQUIRED: Final = ("input", "output")
_INSPECT_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})
_OTHER_KEYS: Final = frozenset({"provider", "aliases"})


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Layers of prices, first match wins. Keys of a layer are `provider/model` or, for any provider, `model`."""

    layers: tuple[Mapping[str, PriceSnapshot], ...] = ()
    library: bool = field(default=True, kw_only=True)

    @classmethod
    def bundled(
        cls, *, user_file: Path | None = None, library: bool = True
    ) -> PriceBook:
        """The bundled book, below the prices of `user_file` if one is given.

        Args:
            user_file: a TOML file of the bundled book's form, or a YAML or JSON file of the form that Inspect's
                `--model-cost-config` takes; its entries win. An entry without provider holds at every provider.
            library: whether models that no book prices are looked up in the client library's bundled table.

        Raises:
            ConfigError: the file cannot be read, or an entry of it cannot be used.
        """
        own = () if user_file is None else (_read_user_file(user_file),)
        return cls((*own, _bundled()), library=library)

    def find(self, model: str, *, input_tokens: int = 0) -> PriceSnapshot | None:
        """The price of a model as it is called (`openai/gpt-4.1-mini`, `gpt-4.1-mini`, `hosted_vllm/qwen`).

        `input_tokens` selects the tier where long contexts cost more. None: the price is unknown.
        """
        for layer in self.layers:
            found = _look_up(layer, model)
            if found is not None:
                return found
        return _from_library(model, input_tokens) if self.library else None

    def entries(self) -> Mapping[str, PriceSnapshot]:
        """Every price of the layers by name; the client library's table, which is large, is asked by `find` only."""
        merged: dict[str, PriceSnapshot] = {}
        for layer in self.layers:
            for name, price in layer.items():
                merged.setdefault(name, price)
        return merged

    def cost(
        self, model: str, usage: Usage | None
    ) -> tuple[Money | None, PriceSnapshot | None]:
        """The cost of a call and the price it was computed with; (None, ...) when either is unknown."""
        price = self.find(
            model, input_tokens=usage.input_total if usage is not None else 0
        )
        return (None if price is None or usage is None else price.cost(usage)), price


def _look_up(layer: Mapping[str, PriceSnapshot], model: str) -> PriceSnapshot | None:
    """The price of the full name, or else of the one entry that fits it.

    An entry without provider holds at every provider; a name without provider is that of the one provider listed.
    """
    if model in layer:
        return layer[model]
    provider, slash, name = model.partition("/")
    if slash:
        return layer.get(name)
    matches = {
        price for key, price in layer.items() if key.partition("/")[2] == provider
    }
    return matches.pop() if len(matches) == 1 else None


@cache
def _bundled() -> Mapping[str, PriceSnapshot]:
    text = (files("judgemesh.mesh.pricing") / "prices.toml").read_text(encoding="utf-8")
    return parse_prices(text, where="prices.toml")


def _read_user_file(path: Path) -> Mapping[str, PriceSnapshot]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(path)) from error
    if path.suffix.lower() in _INSPECT_SUFFIXES:
        return parse_inspect_prices(text, where=str(path))
    return parse_prices(text, where=str(path))


def parse_prices(text: str, *, where: str) -> Mapping[str, PriceSnapshot]:
    """Read a price file: `version`, `currency`, and a table `models."<name>"` for each model.

    Raises:
        ConfigError: one line that says which entry, and what was expected.
    """
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is no TOML: {error}", where=where) from error
    unknown = sorted(set(data) - {"version", "currency", "models"})
    if unknown:
        raise ConfigError(
            f"unknown key {unknown[0]!r}",
            where=where,
            hint="expected version, currency, models",
        )
    version, currency, models = (
        data.get("version"),
        data.get("currency", "USD"),
        data.get("models"),
    )
    if not isinstance(version, str) or not version:
        raise ConfigError(
            "needs a version (text), so that an old bill can be explained", where=where
        )
    if not isinstance(currency, str) or not CURRENCY.match(currency):
        raise ConfigError(
            f"currency must be three capital letters, got {currency!r}", where=where
        )
    if not isinstance(models, dict):
        raise ConfigError('needs at least one table [models."NAME"]', where=where)
    base = PriceSnapshot(
        "", Decimal(0), Decimal(0), currency=currency, price_version=version
    )
    layer: dict[str, PriceSnapshot] = {}
    for name, entry in cast("dict[str, Any]", models).items():
        for key, price in _entry(name, entry, base, f"{where}: model {name!r}"):
            if key in layer:
                raise ConfigError("is priced twice", where=f"{where}: model {key!r}")
            layer[key] = price
    return layer


def _entry(
    name: str, entry: Any, base: PriceSnapshot, where: str
) -> list[tuple[str, PriceSnapshot]]:
    if not isinstance(entry, dict):
        raise ConfigError(
            "must be a table with input and output prices per million tokens",
            where=where,
        )
    table = cast("dict[str, Any]", entry)
    unknown = sorted(set(table) - set(_PRICES) - _OTHER_KEYS)
    if unknown:
        expected = ", ".join((*_PRICES, *sorted(_OTHER_KEYS)))
        raise ConfigError(
            f"unknown key {unknown[0]!r}", where=where, hint=f"expected {expected}"
        )
    missing = [key for key in _REQUIRED if key not in table]
    if missing:
        raise ConfigError(
            f"needs a price {missing[0]!r} per million tokens", where=where
        )
    provider, aliases = table.get("provider"), table.get("aliases", [])
    if not isinstance(provider, str | None) or not _is_names(aliases):
        raise ConfigError("provider must be text, aliases a list of text", where=where)
    prices = {
        _PRICES[key]: _amount(table[key], key, where) for key in _PRICES if key in table
    }
    names = [name, *cast("list[str]", aliases)]
    prefix = f"{provider}/" if provider else ""
    return [
        (f"{prefix}{each}", _priced(base, f"{prefix}{each}", prices)) for each in names
    ]


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) for item in cast("list[Any]", value)
    )


def _amount(value: Any, key: str, where: str) -> Decimal:
    if isinstance(value, int) and not isinstance(value, bool):
        value = Decimal(value)
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        raise ConfigError(
            f"{key} must be a number of 0 or more, got {value!r}", where=where
        )
    return value


def _priced(
    base: PriceSnapshot, model: str, prices: Mapping[str, Decimal]
) -> PriceSnapshot:
    return replace(base, model_name=model, **prices)  # type: ignore[arg-type]


# --- the client library's own table: read as a file, because importing the library takes seconds ---

_LIBRARY_FILE: Final = "model_prices_and_context_window_backup.json"
_TEXT_MODES: Final = frozenset({"chat", "completion", "responses"})
_TIER: Final = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_PER_TOKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "price_input_per_million": ("input_cost_per_token",),
    "price_output_per_million": ("output_cost_per_token",),
    "price_cached_input_per_million": (
        "cache_read_input_token_cost",
        "input_cost_per_token_cache_hit",
    ),
    "price_cache_write_per_million": ("cache_creation_input_token_cost",),
    "price_reasoning_per_million": ("output_cost_per_reasoning_token",),
}


@cache
def _library() -> tuple[Mapping[str, Any], str]:
    """The table and its version name; empty where the library is not installed."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}, ""
    try:
        text = (Path(spec.origin).parent / _LIBRARY_FILE).read_text(encoding="utf-8")
        return cast(
            "Mapping[str, Any]", json.loads(text, parse_float=Decimal)
        ), f"litellm-{version('litellm')}"
    except (OSError, ValueError, PackageNotFoundError):
        return {}, ""


@cache
def _from_library(model: str, input_tokens: int) -> PriceSnapshot | None:
    table, version = _library()
    entry = _library_entry(table, model)
    if (
        entry is None
        or entry.get("mode") not in _TEXT_MODES
        or entry.get("input_cost_per_request")
    ):
        return None
    tier = _tier(entry, input_tokens)
    prices = {
        name: price * 1_000_000
        for name, keys in _PER_TOKEN.items()
        if (price := _per_token(entry, keys, tier)) is not None
    }
    given = [
        prices.get("price_input_per_million"),
        prices.get("price_output_per_million"),
    ]
    if None in given or not any(given):
        return (
            None  # a price of 0 in that table means "not known here" as often as "free"
        )
    # A dearer tier is another price: its name says so, or one trace could hold two prices that look the same.
    base = PriceSnapshot(
        "",
        Decimal(0),
        Decimal(0),
        price_version=f"{version}{tier.removesuffix('_tokens')}",
    )
    return _priced(base, model, prices)


def _library_entry(table: Mapping[str, Any], model: str) -> Mapping[str, Any] | None:
    provider, slash, name = model.partition("/")
    entry = table.get(model)
    if entry is None and slash:
        entry = table.get(name)
        if (
            isinstance(entry, dict)
            and cast("dict[str, Any]", entry).get("litellm_provider") != provider
        ):
            return None
    return cast("Mapping[str, Any]", entry) if isinstance(entry, dict) else None


def _tier(entry: Mapping[str, Any], input_tokens: int) -> str:
    """The suffix of the price keys that hold for a call of that many input tokens."""
    limits = [int(match[1]) for key in entry if (match := _TIER.fullmatch(key))]
    reached = [limit for limit in limits if input_tokens > limit * 1000]
    return f"_above_{max(reached)}k_tokens" if reached else ""


def _per_token(
    entry: Mapping[str, Any], keys: tuple[str, ...], tier: str
) -> Decimal | None:
    for key in (*(f"{key}{tier}" for key in keys if tier), *keys):
        value = entry.get(key)
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return Decimal(value)
    return None


def library_entry(model: str) -> Mapping[str, Any] | None:
    """What the client library's bundled file says about a model (prices, context size), read without importing it."""
    return _library_entry(_library()[0], model)
