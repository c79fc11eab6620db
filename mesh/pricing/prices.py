"""What a model costs: the user's price file, then the bundled one, then litellm's table.

A model that none of them prices has no price: its cost is unknown, which is not 0. A
price holds for the provider it is listed under. A dated model name takes the price of
its family only where the file lists it as an alias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.pricing.client_library import library_price
from judgemesh.mesh.pricing.price_file import parse_prices, read_price_file
from judgemesh.mesh.pricing.providers import spellings
from judgemesh.mesh.pricing.terms import Call, PriceList, SpecialPrice, special_price

_MAX_FOUND: Final = 4096
"""Models whose price is kept: a trace file may name any number."""


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Layers of prices; the first layer that has a price wins.

    Keys of a layer are `provider/model` or, for any provider, `model`.

    special: the prices under conditions of each layer, by the same keys.
    bundled_last: the last layer is the bundled one. It leaves the service tiers and the
        long inputs that it does not list to the table of litellm; a file of the user's
        does not, and its standard price holds for them.
    """

    layers: tuple[Mapping[str, PriceSnapshot], ...] = ()
    library: bool = field(default=True, kw_only=True)
    special: tuple[Mapping[str, tuple[SpecialPrice, ...]], ...] = field(
        default=(), kw_only=True
    )
    bundled_last: bool = field(default=False, kw_only=True)
    _found: dict[tuple[int, str], PriceSnapshot | None] = field(
        default_factory=dict[tuple[int, str], PriceSnapshot | None],
        init=False,
        repr=False,
        compare=False,
    )

    @classmethod
    def bundled(
        cls, *, user_file: Path | None = None, library: bool = True
    ) -> PriceBook:
        """The bundled prices, below those of `user_file` if one is given.

        Args:
            user_file: a TOML file in the form of the bundled one, or a YAML or JSON
                file in the form that Inspect's `--model-cost-config` takes. Its entries
                win. An entry without provider holds at every provider.
            library: whether models that no file prices are looked up in the table of
                litellm.

        Raises:
            ConfigError: the file cannot be read, or an entry of it cannot be used.
        """
        lists = [_bundled()]
        if user_file is not None:
            lists.insert(0, read_price_file(user_file))
        return cls(
            tuple(prices.standard for prices in lists),
            library=library,
            special=tuple(prices.special for prices in lists),
            bundled_last=True,
        )

    def find(
        self,
        model: str,
        *,
        input_tokens: int = 0,
        service_tier: str = "",
        day: date | None = None,
    ) -> PriceSnapshot | None:
        """The price of a model by the name it is called with; None: unknown.

        Names are `openai/gpt-4.1-mini`, `gpt-4.1-mini` or `hosted_vllm/qwen`.

        Args:
            model: the name.
            input_tokens: of the call; it selects the price where long inputs cost more.
            service_tier: as the provider states it; empty for the standard one.
            day: when the call was made; it selects the price where that has changed.
        """
        call = Call(input_tokens=input_tokens, service_tier=service_tier, day=day)
        listed = self._library_price(model, call)
        for number, layer in enumerate(self.layers):
            price = self._standard(number, layer, model)
            if price is None:
                continue
            if self.special:
                terms = self.special[number].get(price.model_name, ())
                price = special_price(terms, call) or price
            is_bundled = self.bundled_last and number == len(self.layers) - 1
            if is_bundled and listed is not None and listed.terms and not price.terms:
                return listed
            return price
        return listed

    def _standard(
        self, number: int, layer: Mapping[str, PriceSnapshot], model: str
    ) -> PriceSnapshot | None:
        """What a layer says of a model, under the first spelling that it has.

        It is kept: a run asks for the price of one model with every call.
        """
        key = (number, model)
        if key in self._found:
            return self._found[key]
        found = None
        for name in spellings(model):
            found = _price_in(layer, name)
            if found is not None:
                break
        if len(self._found) < _MAX_FOUND:
            self._found[key] = found
        return found

    def _library_price(self, model: str, call: Call) -> PriceSnapshot | None:
        if not self.library:
            return None
        return library_price(model, call.input_tokens, call.tier)

    def entries(self) -> Mapping[str, PriceSnapshot]:
        """Every price of the layers by name. The table of litellm is not included."""
        merged: dict[str, PriceSnapshot] = {}
        for layer in self.layers:
            for name, price in layer.items():
                merged.setdefault(name, price)
        return merged

    def cost(
        self, model: str, usage: Usage | None
    ) -> tuple[Money | None, PriceSnapshot | None]:
        """The cost of a call and its price; the cost is None when either is unknown."""
        if usage is None:
            return None, self.find(model)
        price = self.find(
            model, input_tokens=usage.input_total, service_tier=usage.service_tier
        )
        return (None if price is None else price.cost(usage)), price


def _price_in(layer: Mapping[str, PriceSnapshot], model: str) -> PriceSnapshot | None:
    """The price of the full name, or else of the one entry that fits it.

    An entry without provider holds at every provider. A name without provider takes
    the price of the one provider that lists it, or of several that agree.
    """
    if model in layer:
        return layer[model]
    _, slash, name = model.partition("/")
    if slash:
        return layer.get(name)
    prices: set[PriceSnapshot] = set()
    for key, price in layer.items():
        if key.partition("/")[2] == model:
            prices.add(price)
    return prices.pop() if len(prices) == 1 else None


@cache
def _bundled() -> PriceList:
    text = (files("judgemesh.mesh.pricing") / "prices.toml").read_text(encoding="utf-8")
    return parse_prices(text, where="prices.toml")
