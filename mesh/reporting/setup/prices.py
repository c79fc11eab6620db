"""The price book: `judgemesh prices`."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

_PRICES: Final = {
    "input": "price_input_per_million",
    "cached": "price_cached_input_per_million",
    "write": "price_cache_write_per_million",
    "output": "price_output_per_million",
    "reason": "price_reasoning_per_million",
}


def prices_table(prices: Mapping[str, PriceSnapshot]) -> Table:
    """Prices per million tokens by model; a dash where the provider has no such price."""
    versions = sorted({one_line(price.price_version) for price in prices.values()})
    title = "prices per million tokens"
    if len(versions) == 1:
        title += f", version {versions[0]}"
    table = plain_table(title=title)
    table.add_column("model", overflow="fold")
    for name in _PRICES:
        table.add_column(name, justify="right", no_wrap=True, min_width=5)
    table.add_column("", no_wrap=True, min_width=3)
    if len(versions) > 1:
        table.add_column("version", overflow="fold")
    for model, price in sorted(prices.items()):
        amounts = [_amount(getattr(price, field)) for field in _PRICES.values()]
        cells = [one_line(model), *amounts, price.currency]
        if len(versions) > 1:
            cells.append(one_line(price.price_version))
        table.add_row(*cells)
    return table


def _amount(price: Decimal | None) -> str:
    return "-" if price is None else f"{price.normalize():f}"
